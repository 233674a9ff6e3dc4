//! The real program on a screen that is elsewhere: lines of JSON in, cells out.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::cells::Picture;

/// How long a line is waited for before it is said that it does not come.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Remote {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    pub picture: Picture,
    /// What was said in words.
    pub spoken: Vec<String>,
    /// What was put on the clipboard last.
    pub copied: Option<String>,
    /// The last line, where the program has said it.
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
        let output = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in output.lines() {
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
            picture: Picture::default(),
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

    /// Takes the next line in.
    pub fn next(&mut self) {
        let line = self.lines.recv_timeout(PATIENCE);
        let line = line.unwrap_or_else(|_| panic!("no line came:\n{}", self.picture.text()));
        match line["type"].as_str().expect("a type") {
            "frame" => self.picture.take(&line),
            "say" => self
                .spoken
                .push(line["text"].as_str().expect("words").to_owned()),
            "copy" => self.copied = line["text"].as_str().map(str::to_owned),
            "end" => self.end = Some(line),
            _ => {}
        }
    }

    /// Waits until the screen shows what is wanted.
    pub fn wait_until(&mut self, shown: impl Fn(&str) -> bool) {
        while !shown(&self.picture.text()) {
            self.next();
        }
    }

    pub fn wait_for(&mut self, text: &str) {
        self.wait_until(|shown| shown.contains(text));
    }

    /// Waits until this was said in words, and forgets what was said before.
    pub fn hear(&mut self, text: &str) {
        while !self.spoken.iter().any(|words| words.contains(text)) {
            self.next();
        }
        self.spoken.clear();
    }

    /// Reads to the end; says how the program ended, and what was on its standard error.
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
