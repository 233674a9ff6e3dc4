//! A small client of WebSockets, which sends and receives text.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;

use serde_json::Value;

use super::patience::PATIENCE;

pub struct WebSocket(TcpStream);

impl WebSocket {
    /// Opens a socket. Returns the status line if the server refuses it.
    pub fn open(address: &str, path: &str, headers: &[(&str, &str)]) -> Result<Self, String> {
        let mut stream = TcpStream::connect(address).expect("somebody listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        let mut head = format!(
            "GET {path} HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        );
        for (name, value) in headers {
            head = head + name + ": " + value + "\r\n";
        }
        head += "\r\n";
        stream.write_all(head.as_bytes()).expect("it reads");
        let mut answer = Vec::new();
        let mut byte = [0];
        while !answer.ends_with(b"\r\n\r\n") && stream.read(&mut byte).expect("an answer") > 0 {
            answer.push(byte[0]);
        }
        let answer = String::from_utf8(answer).expect("UTF-8");
        if answer.starts_with("HTTP/1.1 101 ") {
            // With another value, proxies refuse the answer.
            let answer = answer.to_ascii_lowercase();
            assert!(answer.contains("\r\nconnection: upgrade\r\n"), "{answer}");
            Ok(Self(stream))
        } else {
            Err(answer.lines().next().unwrap_or_default().to_owned())
        }
    }

    pub fn send(&mut self, text: &str) {
        self.try_send(text).expect("it reads");
    }

    /// Sends a text, masked with zeros as clients must mask.
    pub fn try_send(&mut self, text: &str) -> io::Result<()> {
        let mut frame = vec![0x81];
        match text.len() {
            length @ ..126 => frame.push(0x80 | u8::try_from(length).expect("small")),
            length @ 126..=0xffff => {
                frame.push(0x80 | 0x7e);
                frame.extend(u16::try_from(length).expect("small").to_be_bytes());
            }
            length => {
                frame.push(0x80 | 0x7f);
                frame.extend((length as u64).to_be_bytes());
            }
        }
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        self.0.write_all(&frame)
    }

    /// Reads the next text; `None` at the end.
    pub fn next(&mut self) -> Option<Value> {
        loop {
            let mut head = [0; 2];
            self.0.read_exact(&mut head).ok()?;
            let length = match head[1] & 0x7f {
                126 => {
                    let mut bytes = [0; 2];
                    self.0.read_exact(&mut bytes).ok()?;
                    u64::from(u16::from_be_bytes(bytes))
                }
                127 => {
                    let mut bytes = [0; 8];
                    self.0.read_exact(&mut bytes).ok()?;
                    u64::from_be_bytes(bytes)
                }
                short => short.into(),
            };
            let mut text = vec![0; usize::try_from(length).expect("a length")];
            self.0.read_exact(&mut text).ok()?;
            match head[0] & 0x0f {
                1 => return Some(serde_json::from_slice(&text).expect("JSON")),
                8 => return None,
                // A ping gets no answer, because no test waits long enough for a timeout.
                _ => {}
            }
        }
    }
}
