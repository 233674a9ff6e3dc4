//! Runs the real program, or its command line in this process.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use debate_tui::cli::run_captured;
use serde_json::Value;

/// The program, with saves in the test's own folder.
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

/// Runs the program with these arguments and this standard input.
pub fn say(saves: &Path, arguments: &[&str], input: &str) -> Said {
    let mut child = program(saves)
        .args(arguments)
        .stdin(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // The program may end before it has read everything.
    let _ = child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(input.as_bytes());
    Said::from(child.wait_with_output().expect("the program ends"))
}

/// Runs a command line in this process: the output of [`say`], without the cost of a new process.
///
/// Some commands need a separate process: `serve`, those that start engines, those with `--log` or `-v`, and those that
/// read `-` from the standard input.
pub fn run_here(saves: &Path, arguments: &[&str], input: &str) -> Said {
    let config = saves.join("config.ron");
    let variables = [
        ("DEBATE_TUI_SAVES", saves.as_os_str()),
        ("DEBATE_TUI_CONFIG", config.as_os_str()),
    ];
    let run = run_captured(arguments, input, &variables);
    Said {
        code: Some(run.code.into()),
        out: String::from_utf8(run.out).expect("UTF-8"),
        err: String::from_utf8(run.err).expect("UTF-8"),
    }
}

/// The program with a limit of `blocks` blocks of 512 bytes per file, which acts like a full disk.
#[cfg(unix)]
pub fn cramped(folder: &Path, blocks: u32, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    // The program survives the signal of the limit, so writing fails with an error, as on a full disk.
    let script = format!("ulimit -S -f {blocks}; exec \"$@\"");
    let shown = program(folder);
    command
        .args(["-c", &script, "sh"])
        .arg(shown.get_program())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for (name, value) in shown.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// The deadline of a wait for an event that takes seconds or never comes.
const DEADLINE: Duration = Duration::from_secs(300);

/// The output of a process at its end. A process that does not end is killed, and the test fails.
pub fn wait_for_end(child: Child) -> Output {
    let id = child.id();
    thread::scope(|scope| {
        let (ended, waits) = mpsc::channel::<()>();
        let watchdog = scope.spawn(move || {
            let is_late = waits.recv_timeout(DEADLINE) == Err(RecvTimeoutError::Timeout);
            if is_late {
                kill(id);
            }
            is_late
        });
        let output = child.wait_with_output().expect("a child");
        drop(ended);
        let was_late = watchdog.join().expect("a watchdog");
        assert!(!was_late, "process {id} does not end: {output:?}");
        output
    })
}

/// Waits until a condition holds.
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    const PAUSE: Duration = Duration::from_millis(5);
    let pauses = DEADLINE.as_millis() / PAUSE.as_millis();
    for _ in 0..pauses {
        if condition() {
            return;
        }
        thread::sleep(PAUSE);
    }
    panic!("never: {what}");
}

#[cfg(unix)]
fn kill(id: u32) {
    let id = id.try_into().ok().and_then(rustix::process::Pid::from_raw);
    let _ = rustix::process::kill_process(id.expect("an id"), rustix::process::Signal::KILL);
}

#[cfg(not(unix))]
fn kill(id: u32) {
    let id = id.to_string();
    let _ = Command::new("taskkill").args(["/f", "/pid", &id]).status();
}

/// The output of a run.
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
    /// Returns true if the output contains no escape byte, which could come from a file.
    pub fn is_clean(&self) -> bool {
        let clean = |text: &str| text.chars().all(|c| c == '\n' || !c.is_control());
        clean(&self.out) && clean(&self.err)
    }
}

/// Parses the only JSON document of a successful run.
pub fn json(said: &Said) -> Value {
    assert_eq!(said.code, Some(0), "{said:?}");
    serde_json::from_str(&said.out).expect("one JSON document and nothing else")
}

/// A path as an argument.
pub fn path(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}
