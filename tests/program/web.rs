//! `web`: access control, the pages that visitors can reach, and the effects of losing a window.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread;

use debate_host::record::verify_file;
use debate_solver::setup::ScenarioLimits;
use serde_json::{Value, json};

use crate::support::BEGIN;
use crate::support::cells::Picture;
use crate::support::patience::wait_until;
use crate::support::program::path;
use crate::support::web_server::Server;
use crate::support::web_socket::WebSocket;

/// Opens a WebSocket as a page of this server does.
fn socket(server: &Server) -> WebSocket {
    let origin = format!("http://{}", server.address);
    let headers = [("Host", server.address.as_str()), ("Origin", &origin)];
    WebSocket::open(&server.address, "/socket", &headers).unwrap()
}

/// The response to a request with this first line.
fn ask(server: &Server, request: &str) -> String {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let head = format!("{request} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// A visitor with an open window.
struct Visitor {
    socket: WebSocket,
    picture: Picture,
    /// The server's first message: the visitor's secret, or the reason for a refusal.
    first: Value,
    last: Value,
}

impl Visitor {
    fn come(server: &Server, secret: Option<&str>, asks: &[[&str; 2]]) -> Self {
        let hello = json!({"secret": secret, "columns": 80, "rows": 24, "asks": asks});
        Self::say(server, &hello)
    }

    /// Opens a window with this first message.
    fn say(server: &Server, hello: &Value) -> Self {
        let mut socket = socket(server);
        socket.send(&hello.to_string());
        let first = socket.next().expect("an answer");
        Self {
            socket,
            picture: Picture::default(),
            first,
            last: Value::Null,
        }
    }

    fn secret(&self) -> String {
        self.first["secret"].as_str().expect("a secret").to_owned()
    }

    fn key(&mut self, key: &str) {
        self.socket
            .send(&json!({"type": "key", "key": key}).to_string());
    }

    /// Reads until a line of this type. Returns false at the end of the stream.
    fn read_to(&mut self, kind: &str) -> bool {
        while let Some(line) = self.socket.next() {
            self.last = line;
            if self.last["type"] == "frame" {
                self.picture.take(&self.last);
            }
            if self.last["type"] == kind {
                return true;
            }
        }
        false
    }

    #[track_caller]
    fn wait_for(&mut self, text: &str) {
        while !self.picture.text().contains(text) {
            assert!(self.read_to("frame"), "{text} did not come: {}", self.last);
        }
    }
}

const JUDGE: [[&str; 2]; 3] = [
    ["scenario", "primes-4331"],
    ["role", "judge"],
    ["seed", "7"],
];

#[test]
fn lost_connections_resume_and_a_second_window_takes_over() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let server = Server::start(folder.path(), &["web", "--data", path(&data)]);
    let mut visitor = Visitor::come(&server, None, &JUDGE);
    visitor.wait_for(BEGIN);
    for _ in 0..2 {
        visitor.key("enter");
    }
    visitor.wait_for("Is this claim true");
    let (secret, shown) = (visitor.secret(), visitor.picture.text());
    assert!(
        !fs::read_dir(&data)
            .unwrap()
            .any(|it| it.unwrap().file_name() == secret.as_str())
    );
    // The connection is cut without a closing message.
    drop(visitor);
    let mut again = Visitor::come(&server, Some(&secret), &JUDGE);
    again.wait_for("Is this claim true");
    assert_eq!(again.picture.text(), shown);
    // A second window while the first one is open.
    let mut second = Visitor::come(&server, Some(&secret), &[]);
    second.wait_for("Is this claim true");
    assert!(again.read_to("taken-over"));
    second.key("y");
    second.key("enter");
    second.wait_for("1,000 times");
    second.key("q");
    assert!(second.read_to("end"));
    assert!(
        second.last["lines"]
            .to_string()
            .contains("One debate proves little")
    );
    assert!(second.read_to("left"));
    let own =
        data.join(debate_core::digest::Digest::digest_of_bytes(secret.as_bytes()).to_string());
    let mut saves = fs::read_dir(own).unwrap().map(|it| it.unwrap().path());
    let save = saves.find(|it| path(it).contains("primes-4331")).unwrap();
    let verdict = verify_file(&save, &ScenarioLimits::default()).unwrap();
    assert!(verdict.ok && verdict.finished);
    // Another visitor's home screen does not list the debate.
    let mut other = Visitor::come(&server, None, &[]);
    other.wait_for("What next");
    assert!(!other.picture.text().contains("Is 4331 prime?, "));
    assert_ne!(other.secret(), secret);
}

/// A window that requests frames without reading them loses its connection, but not its debate.
#[test]
fn a_stalled_window_is_disconnected_and_can_return() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let server = Server::start(
        folder.path(),
        &["web", "--data", path(&data), "--taken", "1"],
    );
    let mut visitor = Visitor::come(&server, None, &JUDGE);
    visitor.wait_for(BEGIN);
    for _ in 0..2 {
        visitor.key("enter");
    }
    visitor.wait_for("Is this claim true");
    visitor
        .socket
        .send(&json!({"type": "size", "columns": 300, "rows": 100}).to_string());
    let redraw = json!({"type": "redraw"}).to_string();
    wait_until("the end of the connection", || {
        visitor.socket.try_send(&redraw).err()
    });
    let mut again = Visitor::come(&server, Some(&visitor.secret()), &JUDGE);
    again.wait_for("Is this claim true");
    again.key("y");
    again.key("enter");
    again.wait_for("1,000 times");
}

#[test]
fn foreign_pages_and_paths_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret.ron");
    fs::write(&secret, "kept from visitors").unwrap();
    let server = Server::start(folder.path(), &["web", "primes-4331", "caffeine"]);
    let own = format!("http://{}", server.address);
    for (host, origin) in [
        ("evil.example", own.as_str()),
        (server.address.as_str(), "http://evil.example"),
        (server.address.as_str(), "null"),
    ] {
        let headers = [("Host", host), ("Origin", origin)];
        let Err(refused) = WebSocket::open(&server.address, "/socket", &headers) else {
            panic!("{host} {origin}");
        };
        assert!(refused.contains(" 403 "), "{refused}");
    }
    for request in [
        "GET /../../etc/passwd",
        "GET /%2e%2e/%2e%2e/etc/passwd",
        "GET //etc/passwd",
        "GET /page.js/../../Cargo.toml",
        "GET /data/",
        "GET /secret.ron",
        "GET /page.css%00.ron",
    ] {
        let answer = ask(&server, request);
        let status = answer.lines().next().unwrap_or_default();
        assert!(
            status.contains(" 404 ") || status.contains(" 400 "),
            "{request}: {answer}"
        );
    }
    let page = ask(&server, "GET /");
    assert!(
        page.contains("script-src 'self'") && !page.contains("unsafe"),
        "{page}"
    );
    // The page's address gives no access either.
    for asks in [
        [["scenario", "../secret"], ["role", "judge"]],
        [["scenario", path(&secret)], ["role", "judge"]],
        [["scenario", "turing"], ["role", "judge"]],
        [["saves", "/tmp"], ["role", "judge"]],
    ] {
        let refused = Visitor::come(&server, None, &asks);
        assert_eq!(refused.first["type"], "refused", "{asks:?}");
    }
    let file = format!("trained({})", path(&secret));
    for player in ["engine:touch /tmp/never", file.as_str()] {
        let mut refused = Visitor::come(
            &server,
            None,
            &[["scenario", "primes-4331"], ["opponent", player]],
        );
        assert!(refused.read_to("end"));
        let why = refused.last["lines"].to_string();
        assert!(why.contains("only built-in players"), "{why}");
        assert!(!why.contains("kept from"), "{why}");
    }
    // An invalid secret, or the name of a folder, gives no access either.
    for secret in ["..", "../..", &"0".repeat(64), "%2e%2e/"] {
        let visitor = Visitor::come(&server, Some(secret), &[]);
        assert_ne!(visitor.first["secret"], *secret);
    }
}

#[test]
fn visitors_cannot_seat_programs_or_files() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["web", "primes-4331"]);
    let mut visitor = Visitor::come(&server, None, &[]);
    visitor.wait_for("No seat: watch");
    visitor.key("o");
    visitor.wait_for("Players and rules: ");
    let touched = folder.path().join("touched");
    for key in ["down", "e", "ctrl-u"] {
        visitor.key(key);
    }
    let command = format!("engine:touch {}", touched.display());
    let paste = json!({"type": "paste", "text": command});
    visitor.socket.send(&paste.to_string());
    visitor.key("enter");
    visitor.wait_for("only built-in players");
    assert!(!touched.exists());
}

#[test]
fn floods_garbage_and_idle_sockets_do_not_affect_others() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(
        folder.path(),
        &[
            "web",
            "primes-4331",
            "--visitors",
            "3",
            "--new-per-minute",
            "8",
        ],
    );
    let mut player = Visitor::come(&server, None, &JUDGE);
    player.wait_for(BEGIN);
    // One client sends an invalid first message, and one sends too much.
    let mut garbage = socket(&server);
    garbage.send("\u{0}\u{1b}[31m");
    assert_eq!(garbage.next().unwrap()["type"], "refused");
    let mut huge = socket(&server);
    // The server may close the connection while the client still sends.
    let _ = huge.try_send(&"x".repeat(10 << 20));
    while huge.next().is_some() {}
    // One client never reads and requests everything again; the request of another one never ends.
    let mut idle = Visitor::come(&server, None, &JUDGE);
    for _ in 0..150 {
        idle.socket.send(r#"{"type":"redraw"}"#);
    }
    // The limit for one address.
    let sleepers: Vec<TcpStream> = (0..40)
        .map(|_| {
            let mut stream = TcpStream::connect(&server.address).unwrap();
            stream.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
            stream
        })
        .collect();
    // Over the limit.
    let third = Visitor::come(&server, None, &JUDGE);
    assert_eq!(third.first["type"], "seated");
    // A refusal takes a second, so all requests are sent at once.
    thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                let first = Visitor::come(&server, None, &JUDGE).first;
                let why = first["why"].as_str().expect("a sentence");
                assert!(why.contains("Try again in"), "{why}");
            });
        }
    });
    // The server ignores invalid lines from a player.
    for _ in 0..50 {
        player.socket.send("{\"type\":\"key\"\n\n}");
    }
    for _ in 0..2 {
        player.key("enter");
    }
    player.wait_for("Is this claim true");
    drop(sleepers);
}

/// A table without activity is free when its window is closed.
#[test]
fn windows_that_are_opened_and_closed_take_no_tables() {
    let folder = tempfile::tempdir().unwrap();
    let limits = ["--visitors", "4", "--new-per-minute", "10000"];
    let server = Server::start(
        folder.path(),
        &[&["web", "primes-4331"], &limits[..]].concat(),
    );
    for _ in 0..3 {
        let visitor = Visitor::come(&server, None, &JUDGE);
        assert_eq!(visitor.first["type"], "seated");
    }
    // A table is free once its visitor's process has ended.
    let mut seated = Vec::new();
    wait_until("four free tables", || {
        let visitor = Visitor::come(&server, None, &JUDGE);
        if visitor.first["type"] == "seated" {
            seated.push(visitor);
        }
        (seated.len() == 4).then_some(())
    });
}

/// A socket of a visitor whose address a proxy reports.
fn socket_from(server: &Server, address: &str) -> Result<WebSocket, String> {
    let origin = format!("http://{}", server.address);
    let headers = [
        ("Host", server.address.as_str()),
        ("Origin", &origin),
        // The client itself sends the first address.
        ("X-Forwarded-For", &format!("10.0.0.9, {address}")),
    ];
    WebSocket::open(&server.address, "/socket", &headers)
}

/// The response to a window of this address that asks for a table.
fn come_from(server: &Server, address: &str) -> (WebSocket, Value) {
    let mut socket = socket_from(server, address).unwrap();
    let hello = json!({"columns": 80, "rows": 24, "asks": JUDGE});
    socket.send(&hello.to_string());
    let first = socket.next().expect("an answer");
    (socket, first)
}

#[test]
fn an_address_has_a_share_of_tables_and_sockets() {
    let folder = tempfile::tempdir().unwrap();
    let proxy = ["--address-header", "X-Forwarded-For"];
    let tables = [
        "web",
        "primes-4331",
        "--visitors",
        "6",
        "--per-address",
        "2",
    ];
    let server = Server::start(folder.path(), &[&tables[..], &proxy].concat());
    let greedy: Vec<_> = (0..4).map(|_| come_from(&server, "10.0.0.1")).collect();
    let kinds: Vec<_> = greedy.iter().map(|(_, first)| &first["type"]).collect();
    assert_eq!(kinds, ["seated", "seated", "refused", "refused"]);
    let why = greedy[2].1["why"].as_str().unwrap();
    assert!(why.contains("from your address"), "{why}");
    let (_modest, first) = come_from(&server, "10.0.0.2");
    assert_eq!(first["type"], "seated", "{first}");
    // Sockets without any message count too.
    let silent: Vec<_> = (0..100).map(|_| socket_from(&server, "10.0.0.3")).collect();
    let open = silent.iter().filter(|socket| socket.is_ok()).count();
    assert!((8..100).contains(&open), "{open}");
    let refused = silent.iter().find_map(|socket| socket.as_ref().err());
    assert!(refused.unwrap().contains(" 503 "), "{refused:?}");
    let (_other, first) = come_from(&server, "10.0.0.4");
    assert_eq!(first["type"], "seated", "{first}");
}

/// The server limits unfinished requests per address, so that other addresses can connect.
#[cfg(target_os = "linux")]
#[test]
fn partial_requests_of_one_address_leave_room_for_others() {
    let Some(python) = crate::support::engines::python() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["web", "primes-4331"]);
    let heads: Vec<TcpStream> = (0..600)
        .map(|_| {
            let mut stream = TcpStream::connect(&server.address).unwrap();
            // The server may already have refused it.
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: ");
            stream
        })
        .collect();
    let script = "import socket, sys\n\
        host, port = sys.argv[1].rsplit(':', 1)\n\
        other = socket.create_connection((host, int(port)), source_address=('127.0.0.2', 0))\n\
        other.sendall(f'GET / HTTP/1.1\\r\\nHost: {sys.argv[1]}\\r\\n\\r\\n'.encode())\n\
        print(other.recv(100).decode())";
    let other = std::process::Command::new(python)
        .args(["-c", script, &server.address])
        .output()
        .unwrap();
    let answer = String::from_utf8_lossy(&other.stdout);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer} {other:?}");
    drop(heads);
}
