//! The program as a server of its page.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

/// A server on a separate port.
pub struct Server {
    child: Child,
    pub address: String,
    _out: BufReader<ChildStdout>,
}

impl Server {
    pub fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::start_and_say(folder, arguments, 1).0
    }

    /// Starts the server. Returns it with the first `count` lines of its output.
    pub fn start_and_say(folder: &Path, arguments: &[&str], count: usize) -> (Self, Vec<String>) {
        let listen = [arguments, &["--listen", "127.0.0.1:0"]].concat();
        Self::start_plainly(folder, &listen, count)
    }

    /// Starts a server whose arguments state its address.
    pub fn start_plainly(folder: &Path, arguments: &[&str], count: usize) -> (Self, Vec<String>) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_debate-tui"))
            .args(arguments)
            .env("DEBATE_TUI_CONFIG", folder.join("config.ron"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = || {
            let mut line = String::new();
            out.read_line(&mut line).unwrap();
            line.trim_end().to_owned()
        };
        let lines: Vec<String> = (0..count).map(|_| line()).collect();
        let (_, rest) = lines[0].split_once("http://").expect("an address");
        let (address, _) = rest.split_once('/').expect("its end");
        let server = Self {
            child,
            address: address.to_owned(),
            _out: out,
        };
        (server, lines)
    }
}

impl Server {
    /// The process id.
    #[allow(dead_code, reason = "some tests look at its memory")]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills the server, without time for a cleanup.
    #[allow(dead_code, reason = "some tests cut it off")]
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let id = i32::try_from(self.child.id()).unwrap();
        if let Ok(None) = self.child.try_wait() {
            // After this signal the server ends its visitors' processes.
            let _ = kill_process(Pid::from_raw(id).unwrap(), Signal::TERM);
            let _ = self.child.wait();
        }
    }
}
