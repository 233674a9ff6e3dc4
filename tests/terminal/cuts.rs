//! A visitor whose connection is cut repeatedly sees the same as one with a stable connection.

use serde_json::json;
use tempfile::TempDir;

use crate::support::cells::Picture;
use crate::support::web_server::Server;
use crate::support::web_socket::WebSocket;
use crate::terminal::browser::save_below;
use crate::terminal::remote::{END, is_asked};

/// A window of a visitor.
struct Window {
    socket: WebSocket,
    picture: Picture,
    secret: String,
}

impl Window {
    fn open(server: &Server, secret: Option<&str>) -> Self {
        let origin = format!("http://{}", server.address);
        let headers = [("Host", server.address.as_str()), ("Origin", &origin)];
        let mut socket = WebSocket::open(&server.address, "/socket", &headers).unwrap();
        let asks = [["scenario", "primes"], ["role", "estimator"], ["seed", "7"]];
        let hello = json!({"secret": secret, "columns": 80, "rows": 24, "asks": asks});
        socket.send(&hello.to_string());
        let first = socket.next().expect("an answer");
        Self {
            socket,
            picture: Picture::default(),
            secret: first["secret"].as_str().expect("a secret").to_owned(),
        }
    }

    /// Reads one frame.
    fn frame(&mut self) {
        loop {
            let line = self.socket.next().expect("it goes on");
            if line["type"] == "frame" {
                self.picture.take(&line);
                return;
            }
        }
    }

    fn wait_until(&mut self, what: impl Fn(&str) -> bool) -> String {
        while !what(&self.picture.text()) {
            self.frame();
        }
        self.picture.text()
    }

    fn key(&mut self, key: &str) {
        let line = json!({"type": "key", "key": key});
        self.socket.send(&line.to_string());
    }
}

/// Plays to the end with keys chosen from the screen. If `is_cut`, reconnects after the first frame of each key.
fn play(is_cut: bool) -> String {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data");
    let server = Server::start(
        folder.path(),
        &["web", "primes", "--data", data.to_str().unwrap()],
    );
    let mut window = Window::open(&server, None);
    let mut cuts = 0;
    loop {
        let shown = window.wait_until(is_asked);
        if shown.contains(END) {
            break;
        }
        let unset = shown.contains("100   ?");
        window.key(if unset { "5" } else { "enter" });
        // Waits for the effect of a key before the next one.
        window.wait_until(|now| now != shown && !(unset && now.contains("100   ?")));
        if is_cut {
            let secret = window.secret.clone();
            drop(window);
            window = Window::open(&server, Some(&secret));
            assert_eq!(window.secret, secret);
            cuts += 1;
        }
    }
    assert!(!is_cut || cuts > 4, "{cuts}");
    save_below(&data)
}

#[test]
fn a_connection_cut_after_every_key_loses_no_input() {
    assert_eq!(play(true), play(false));
}
