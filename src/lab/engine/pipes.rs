//! The pipes of an engine: its messages to and fro, and what it complains of.

use std::io::{BufReader, Read, Write as _};
use std::process::{ChildStdin, Command};
use std::sync::mpsc::Receiver;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::mailbox::{Heard, Mailboxes};
use crate::message::{LineRead, read_line};
use debate_core::text::safe;

/// The most bytes of a line that an engine writes.
const MAX_LINE: usize = 4 << 20;
/// The most bytes of a line of its stderr.
const MAX_LOG_LINE: usize = 4096;

/// A command line as the shell runs it, in a process group of its own.
pub(super) fn shell(command: &str) -> Command {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;

        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command).process_group(0);
        shell
    }
    #[cfg(not(unix))]
    {
        let mut shell = Command::new("cmd");
        shell.arg("/C").arg(command);
        shell
    }
}

pub(super) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let builder = thread::Builder::new().name(name.to_owned());
    builder.spawn(work).map(drop)
}

pub(super) fn write_lines(input: Option<ChildStdin>, lines: &Receiver<String>) {
    let Some(mut input) = input else { return };
    for line in lines {
        // Where it does not read any more, its output says so too.
        if input.write_all(line.as_bytes()).is_err() || input.flush().is_err() {
            return;
        }
    }
}

pub(super) fn read_messages(output: Option<impl Read>, mailboxes: &Mailboxes) {
    if let Some(output) = output {
        deliver_messages(BufReader::new(output), mailboxes);
    }
    mailboxes.end();
}

fn deliver_messages(mut output: BufReader<impl Read>, mailboxes: &Mailboxes) {
    let mut buffer = Vec::new();
    loop {
        let heard = match read_line(&mut output, &mut buffer, MAX_LINE) {
            Err(_) | Ok(LineRead::End) => return,
            Ok(LineRead::TooLong) => {
                Heard::Unread(format!("a line has more than {} MiB", MAX_LINE >> 20))
            }
            Ok(LineRead::Line) if buffer.trim_ascii().is_empty() => continue,
            Ok(LineRead::Line) => match serde_json::from_slice(&buffer) {
                Ok(message) => Heard::Message(Box::new(message)),
                Err(error) => Heard::Unread(error.to_string()),
            },
        };
        mailboxes.deliver(&heard);
    }
}

pub(super) fn log_lines(complaints: Option<impl Read>, complaint: &Mutex<String>) {
    let Some(complaints) = complaints else { return };
    let (mut complaints, mut buffer) = (BufReader::new(complaints), Vec::new());
    loop {
        match read_line(&mut complaints, &mut buffer, MAX_LOG_LINE) {
            Err(_) | Ok(LineRead::End) => return,
            Ok(LineRead::TooLong) => {}
            Ok(LineRead::Line) => {
                let text = String::from_utf8_lossy(&buffer);
                let text = safe(text.trim_end());
                if !text.is_empty() {
                    tracing::info!(text = &*text, "engine's stderr");
                    let short: String = text.chars().take(200).collect();
                    *complaint.lock().unwrap_or_else(PoisonError::into_inner) = short;
                }
            }
        }
    }
}
