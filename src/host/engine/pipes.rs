//! The pipes of an engine: its messages in both directions, their delivery to mailboxes, and its stderr.

use std::collections::BTreeMap;
use std::io::{BufReader, Read, Write as _};
use std::process::{ChildStdin, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::locked;
use crate::message::{LineReadResult, MessageFromEngine, read_line};
use crate::record::ReplyCost;
use debate_core::text::replace_unsafe_characters;

/// Maximum size of a line that an engine writes, in bytes.
const MAX_LINE: usize = 4 << 20;
/// Maximum size of a line of the engine's stderr, in bytes.
const MAX_LOG_LINE: usize = 4096;

/// Returns the command that runs a command line in the shell, in a separate process group.
pub(super) fn shell_command(command: &str) -> Command {
    let (program, flag) = if cfg!(unix) {
        ("sh", "-c")
    } else {
        ("cmd", "/C")
    };
    let mut shell = Command::new(program);
    shell.arg(flag).arg(command);
    set_own_process_group(&mut shell);
    shell
}

/// Makes a command start its process in a separate process group, so that the process can be killed together with its
/// children.
pub(super) fn set_own_process_group(command: &mut Command) {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;

        command.process_group(0);
    }
    #[cfg(not(unix))]
    let _ = command;
}

pub(super) fn spawn_named_thread(
    name: &str,
    work: impl FnOnce() + Send + 'static,
) -> std::io::Result<()> {
    let builder = thread::Builder::new().name(name.to_owned());
    builder.spawn(work).map(drop)
}

pub(super) fn write_lines_to_engine(input: Option<ChildStdin>, lines: &Receiver<String>) {
    let Some(mut input) = input else { return };
    for line in lines {
        // No error is reported here: if the engine has ended, the thread that reads its output reports it.
        if input.write_all(line.as_bytes()).is_err() || input.flush().is_err() {
            return;
        }
    }
}

pub(super) fn read_messages_from_engine(
    output: Option<impl Read>,
    mailboxes: &EngineMessageMailboxes,
) {
    if let Some(output) = output {
        deliver_messages(BufReader::new(output), mailboxes);
    }
    mailboxes.mark_output_ended();
}

fn deliver_messages(mut output: BufReader<impl Read>, mailboxes: &EngineMessageMailboxes) {
    let mut buffer = Vec::new();
    loop {
        let heard = match read_line(&mut output, &mut buffer, MAX_LINE) {
            Err(_) | Ok(LineReadResult::End) => return,
            Ok(LineReadResult::TooLong) => EngineLine::Unread(InvalidEngineLine::new(format!(
                "a line of the engine's output has more than {most} MiB",
                most = MAX_LINE >> 20
            ))),
            Ok(LineReadResult::Line) if buffer.trim_ascii().is_empty() => continue,
            Ok(LineReadResult::Line) => match serde_json::from_slice(&buffer) {
                Ok(message) => EngineLine::Message(Box::new(message)),
                Err(error) => EngineLine::Unread(InvalidEngineLine::of(&buffer, &error)),
            },
        };
        mailboxes.deliver_line(heard);
    }
}

pub(super) fn log_stderr_lines(complaints: Option<impl Read>, latest_line: &Mutex<String>) {
    let Some(complaints) = complaints else { return };
    let (mut complaints, mut buffer) = (BufReader::new(complaints), Vec::new());
    loop {
        match read_line(&mut complaints, &mut buffer, MAX_LOG_LINE) {
            Err(_) | Ok(LineReadResult::End) => return,
            Ok(LineReadResult::TooLong) => {}
            Ok(LineReadResult::Line) => {
                let text = String::from_utf8_lossy(&buffer);
                let text = replace_unsafe_characters(text.trim_end());
                if !text.is_empty() {
                    tracing::info!(text = &*text, "engine's stderr");
                    *locked(latest_line) = text.chars().take(200).collect();
                }
            }
        }
    }
}

/// Maximum number of an engine's messages that wait in one mailbox. If the mailbox is full, the engine's output is not
/// read.
const QUEUE: usize = 64;

/// A line from an engine.
#[derive(Clone)]
pub(super) enum EngineLine {
    Message(Box<MessageFromEngine>),
    Unread(InvalidEngineLine),
}

/// A line that an engine wrote and that is not a valid message.
#[derive(Clone, Debug, Default)]
pub(super) struct InvalidEngineLine {
    pub(super) why: String,
    /// The cost stated in the invalid line, if it can be read.
    pub(super) cost: Option<Box<ReplyCost>>,
    /// The number of the request that the invalid line names.
    request: Option<u64>,
}

impl InvalidEngineLine {
    fn new(why: String) -> Self {
        Self {
            why,
            ..Self::default()
        }
    }

    /// Extracts the request number and the cost from an engine's line that is not a valid message.
    fn of(line: &[u8], error: &serde_json::Error) -> Self {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct PartialMessage {
            id: Value,
            cost: Value,
        }

        let salvage: PartialMessage = serde_json::from_slice(line).unwrap_or_default();
        let cost = serde_json::from_value::<ReplyCost>(salvage.cost).ok();
        Self {
            why: error.to_string(),
            cost: cost.and_then(ReplyCost::cost_if_valid).map(Box::new),
            request: salvage.id.as_u64(),
        }
    }
}

/// The mailboxes of an engine: one for each pending request, and one for messages without a request.
#[derive(Default)]
pub(super) struct EngineMessageMailboxes(Mutex<OpenMailboxes>);

#[derive(Default)]
struct OpenMailboxes {
    by_request: BTreeMap<Option<u64>, SyncSender<EngineLine>>,
    /// True once the engine's output has ended, so that no more messages can arrive.
    ended: bool,
    /// The pending request that is blamed for the exit of the engine's process, once one is chosen.
    blamed: Option<u64>,
}

impl OpenMailboxes {
    /// Returns the newest pending request.
    fn newest(&self) -> Option<u64> {
        self.by_request.keys().flatten().next_back().copied()
    }
}

/// The mailbox with the messages of an engine about one request. Dropping it closes the mailbox.
pub(super) struct EngineMessageMailbox {
    request: Option<u64>,
    heard: Receiver<EngineLine>,
    all: Arc<EngineMessageMailboxes>,
}

impl EngineMessageMailboxes {
    /// Opens the mailbox for an engine's messages about a request; `None` opens the mailbox for `hello` and `pong`.
    pub(super) fn open_mailbox(self: &Arc<Self>, request: Option<u64>) -> EngineMessageMailbox {
        let (to, heard) = sync_channel(QUEUE);
        let mut open = locked(&self.0);
        if !open.ended {
            open.by_request.insert(request, to);
        }
        EngineMessageMailbox {
            request,
            heard,
            all: Arc::clone(self),
        }
    }

    /// Delivers a line from the engine to its mailbox. A message to a closed mailbox, such as a late or a second reply,
    /// goes to the mailbox for `hello` and `pong` if that is open, and is dropped otherwise. A line that is not a
    /// message goes to the request that it names, or else to all open mailboxes. Only one of these copies contains the
    /// cost.
    pub(super) fn deliver_line(&self, mut heard: EngineLine) {
        let open = locked(&self.0);
        let to: Vec<SyncSender<EngineLine>> = match &heard {
            EngineLine::Unread(line) => {
                let named = line.request.map(Some);
                match named.and_then(|named| open.by_request.get(&named)) {
                    Some(of) => vec![of.clone()],
                    None => open.by_request.values().cloned().collect(),
                }
            }
            EngineLine::Message(message) => {
                let of = open
                    .by_request
                    .get(&request_of(message))
                    .or_else(|| open.by_request.get(&None));
                of.cloned().into_iter().collect()
            }
        };
        drop(open);
        for mailbox in to {
            // The receiver may be gone.
            let _ = mailbox.send(heard.clone());
            if let EngineLine::Unread(line) = &mut heard {
                line.cost = None;
            }
        }
    }

    /// Marks the end of the engine's output.
    pub(super) fn mark_output_ended(&self) {
        let mut open = locked(&self.0);
        open.ended = true;
        open.blamed = open.blamed.or_else(|| open.newest());
        open.by_request.clear();
    }
}

/// Returns the number of the request to which an engine's message belongs.
fn request_of(message: &MessageFromEngine) -> Option<u64> {
    match message {
        MessageFromEngine::Hello(_) | MessageFromEngine::Pong => None,
        MessageFromEngine::Info { id, .. } | MessageFromEngine::Error { id, .. } => Some(*id),
        MessageFromEngine::Reply(line) => Some(line.id),
    }
}

impl EngineMessageMailbox {
    /// Waits for the next message.
    ///
    /// # Errors
    /// If no message arrives in time, or no more can arrive.
    pub(super) fn wait_for_line(&self, timeout: Duration) -> Result<EngineLine, RecvTimeoutError> {
        self.heard.recv_timeout(timeout)
    }

    /// True if this request is blamed for the exit of the engine's process: it is the newest of the requests that were
    /// pending then. Only one request is blamed, so that the exit forfeits only one debate. It is chosen when the
    /// engine's output ends, or else by the first call.
    pub(super) fn is_request_blamed_for_exit(&self) -> bool {
        let mut open = locked(&self.all.0);
        let newest = open.newest().or(self.request);
        open.blamed = open.blamed.or(newest);
        open.blamed == self.request
    }
}

impl Drop for EngineMessageMailbox {
    fn drop(&mut self) {
        locked(&self.all.0).by_request.remove(&self.request);
    }
}
