//! The program as a server of its page.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

/// A server on a port of its own.
pub struct Server {
    child: Child,
    pub address: String,
    _out: BufReader<ChildStdout>,
}

impl Server {
    pub fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_debate-tui"))
            .args(arguments)
            .args(["--listen", "127.0.0.1:0"])
            .env("DEBATE_TUI_CONFIG", folder.join("config.ron"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let (_, rest) = line.split_once("http://").expect("an address");
        let (address, _) = rest.split_once('/').expect("its end");
        Self {
            child,
            address: address.to_owned(),
            _out: out,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let id = i32::try_from(self.child.id()).unwrap();
        // It ends its visitors' processes.
        let _ = kill_process(Pid::from_raw(id).unwrap(), Signal::TERM);
        let _ = self.child.wait();
    }
}
