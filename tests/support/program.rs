//! Runs the real program.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The program, with saves in a folder of the test's own.
pub fn program(saves: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_debate-tui"));
    command
        .env("DEBATE_TUI_SAVES", saves)
        .env("DEBATE_TUI_CONFIG", saves.join("config.ron"))
        .env_remove("NO_COLOR")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// What the program says to these arguments, with this on its standard input.
pub fn say(saves: &Path, arguments: &[&str], input: &str) -> Said {
    let mut child = program(saves)
        .args(arguments)
        .stdin(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // The program may leave before it has read everything.
    let _ = child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(input.as_bytes());
    Said::from(child.wait_with_output().expect("the program ends"))
}

/// What came out.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).expect("UTF-8"),
            err: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }
}

impl Said {
    /// No escape byte may reach a terminal from a file.
    pub fn is_clean(&self) -> bool {
        let clean = |text: &str| text.chars().all(|c| c == '\n' || !c.is_control());
        clean(&self.out) && clean(&self.err)
    }
}

/// The one JSON document that the program printed, which did what was asked.
pub fn json(said: &Said) -> Value {
    assert_eq!(said.code, Some(0), "{said:?}");
    serde_json::from_str(&said.out).expect("one JSON document and nothing else")
}

/// A path as an argument.
pub fn path(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}
