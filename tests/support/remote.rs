//! The real program with `--screen json-lines`: it reads lines of JSON and writes the cells of its screen.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::BEGIN;
use super::cells::Picture;
use super::patience::PATIENCE;
#[cfg(target_os = "linux")]
use super::patience::wait_until;
#[cfg(target_os = "linux")]
use super::threads::{State, threads, wait_for_events};

/// A gate between the program and the thread that reads its lines.
#[derive(Default)]
struct Gate {
    /// Locked while the reader must not read.
    closed: Mutex<()>,
    /// True while the reader is at the gate. It becomes false only with the gate locked.
    is_reader_there: AtomicBool,
}

pub struct Remote {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    gate: Arc<Gate>,
    pub picture: Picture,
    /// The number of frames that changed a part of the screen.
    pub changes: usize,
    /// The announcements for screen readers.
    pub spoken: Vec<String>,
    /// The last text for the clipboard.
    pub copied: Option<String>,
    /// The last line of the program, if it has arrived.
    pub end: Option<Value>,
    pub folder: TempDir,
}

impl Remote {
    pub fn start(arguments: &[&str], (columns, rows): (u16, u16)) -> Self {
        let folder = TempDir::new().unwrap();
        let config = folder.path().join("config.ron");
        fs::write(&config, "(auto_play: false)").unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_debate-tui"))
            .args(arguments)
            .args(["--screen", "json-lines"])
            .env("DEBATE_TUI_SAVES", folder.path())
            .env("DEBATE_TUI_CONFIG", config)
            .env("LC_ALL", "C.UTF-8")
            .env_remove("TERM")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        let gate = Arc::<Gate>::default();
        let reader_gate = Arc::clone(&gate);
        thread::spawn(move || {
            loop {
                reader_gate.is_reader_there.store(true, Ordering::SeqCst);
                let passing = reader_gate.closed.lock().unwrap();
                reader_gate.is_reader_there.store(false, Ordering::SeqCst);
                drop(passing);
                let Some(line) = output.next() else { return };
                let line = line.expect("UTF-8");
                let line = serde_json::from_str(&line).expect("JSON");
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut remote = Self {
            input: child.stdin.take(),
            child,
            lines,
            gate,
            picture: Picture::default(),
            changes: 0,
            spoken: Vec::new(),
            copied: None,
            end: None,
            folder,
        };
        remote.send(&json!({"type": "size", "columns": columns, "rows": rows}));
        remote
    }

    pub fn send(&mut self, line: &Value) {
        self.send_text(&line.to_string());
    }

    pub fn send_text(&mut self, line: &str) {
        let input = self.input.as_mut().expect("not ended");
        writeln!(input, "{line}").expect("it reads");
    }

    pub fn key(&mut self, key: &str) {
        self.send(&json!({"type": "key", "key": key}));
    }

    /// Keys as a terminal sends them: characters and carriage returns.
    pub fn type_in(&mut self, keys: &str) {
        for key in keys.chars() {
            match key {
                '\r' => self.key("enter"),
                ' ' => self.key("space"),
                key => self.key(&key.to_string()),
            }
        }
    }

    /// Processes the next line.
    pub fn next(&mut self) {
        let line = self.lines.recv_timeout(PATIENCE);
        let line = line.unwrap_or_else(|_| panic!("no line came:\n{}", self.picture.text()));
        match line["type"].as_str().expect("a type") {
            "frame" => {
                self.changes += usize::from(line.get("size").is_none());
                self.picture.take(&line);
            }
            "say" => self
                .spoken
                .push(line["text"].as_str().expect("words").to_owned()),
            "copy" => self.copied = line["text"].as_str().map(str::to_owned),
            "end" => self.end = Some(line),
            _ => {}
        }
    }

    /// Waits until `shown` accepts the text of the screen.
    pub fn wait_until(&mut self, shown: impl Fn(&str) -> bool) {
        while !shown(&self.picture.text()) {
            self.next();
        }
    }

    /// Closes the briefing, which a debate shows before its first move.
    pub fn begin(&mut self) {
        self.wait_for(BEGIN);
        self.key("enter");
        self.wait_until(|shown| !shown.contains(BEGIN));
    }

    pub fn wait_for(&mut self, text: &str) {
        self.wait_until(|shown| shown.contains(text));
    }

    /// Waits for an announcement with this text, and forgets all announcements so far.
    pub fn hear(&mut self, text: &str) {
        while !self.spoken.iter().any(|words| words.contains(text)) {
            self.next();
        }
        self.spoken.clear();
    }

    /// Sends these keys while the program is blocked in writing a frame: its output is read only after it has read all
    /// keys.
    #[cfg(target_os = "linux")]
    pub fn type_during_a_frame(&mut self, keys: &str) {
        let gate = Arc::clone(&self.gate);
        let id = self.child.id();
        let closed = gate.closed.lock().unwrap();
        wait_until("a program that cannot write", || {
            // The reader reads at most one more line before it reaches the gate.
            let is_reader_there = gate.is_reader_there.load(Ordering::SeqCst);
            let mut threads = threads(id).into_iter();
            if is_reader_there && threads.any(|thread| thread.state == State::Writing) {
                return Some(());
            }
            // Many frames fill the pipe.
            if wait_for_events(id, |_| true, || true) {
                self.send(&json!({"type": "redraw"}));
            }
            None
        });
        self.type_in(keys);
        wait_until("a program that has read its input", || {
            wait_for_events(id, |name| name == "input", || true).then_some(())
        });
        drop(closed);
    }

    /// Reads to the end. Returns the exit code and the text of the standard error.
    pub fn leave(&mut self) -> (Option<i32>, String) {
        while self.end.is_none() {
            self.next();
        }
        drop(self.input.take());
        let status = self.child.wait().unwrap();
        let mut errors = String::new();
        let mut stderr = self.child.stderr.take().unwrap();
        std::io::Read::read_to_string(&mut stderr, &mut errors).unwrap();
        (status.code(), errors)
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
