//! The process of an engine, shared by the debates in which it plays, and a pool of such processes.

use std::collections::{BTreeMap, HashMap};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::model::ModelProgramAndNamedModels;
use super::pipes::{
    EngineLine, EngineMessageMailbox, EngineMessageMailboxes, InvalidEngineLine, log_stderr_lines,
    read_messages_from_engine, shell_command, spawn_named_thread, write_lines_to_engine,
};
use super::{EngineWaitAndRetryLimits, locked, options};
use crate::message::{
    EngineHello, MessageFromEngine, MessageToEngine, PROTOCOL_VERSION, json_line_with_newline,
};
use debate_core::player::PlayerSpec;

/// Maximum number of messages to the engine that wait until the engine reads them.
const QUEUE: usize = 64;
/// Upper limit on concurrent debates per process; a larger `max_parallel` of the engine is reduced to it.
const MAX_PARALLEL: u32 = 16;
/// Interval between two checks for the exit of a process that is ending.
const POLL: Duration = Duration::from_millis(5);

/// Interval between two checks that a silent engine is still running.
const LOOK: Duration = Duration::from_millis(100);

/// Process groups of engines that were started and have not ended.
static GROUPS: Mutex<Vec<u32>> = Mutex::new(Vec::new());
/// True once this program is exiting and ends every engine.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Kills every running engine at once, because this program is exiting. From then on no engine is blamed for its exit.
/// On systems other than Unix, kills nothing.
pub fn kill_engine_process_groups() {
    ENDING.store(true, Ordering::SeqCst);
    for group in locked(&GROUPS).iter() {
        end_group(*group);
    }
}

/// True if this program is ending every engine, because [`kill_engine_process_groups`] has been called.
pub(super) fn is_shutting_down() -> bool {
    ENDING.load(Ordering::SeqCst)
}

#[cfg(unix)]
fn end_group(group: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};

    let pid = i32::try_from(group).ok().and_then(Pid::from_raw);
    if let Some(pid) = pid {
        // The group may have ended already.
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn end_group(_group: u32) {}

/// The result of waiting for an answer of an engine.
pub(super) enum EngineMessageOrFailure {
    Message(MessageFromEngine),
    /// The engine wrote a line that is not a message.
    Unread(InvalidEngineLine),
    /// No message arrived in time.
    Late,
    /// The engine's process has ended or has closed its output; the text says how.
    Ended(String),
}

impl From<EngineLine> for EngineMessageOrFailure {
    fn from(heard: EngineLine) -> Self {
        match heard {
            EngineLine::Message(message) => Self::Message(*message),
            EngineLine::Unread(why) => Self::Unread(why),
        }
    }
}

/// A running engine. Dropping it ends the process and its children.
pub struct EngineProcess {
    child: Mutex<Child>,
    group: u32,
    to: Option<SyncSender<String>>,
    mailboxes: Arc<EngineMessageMailboxes>,
    /// The last line that the engine wrote to stderr.
    complaint: Arc<Mutex<String>>,
    hello: EngineHello,
    /// The option values that the user's settings give this player.
    pub(super) options_of_settings: BTreeMap<String, Value>,
    pub(super) limits: EngineWaitAndRetryLimits,
    requests: AtomicU64,
    debates: AtomicU64,
    /// True once the engine failed in a way that makes its process unusable for other debates.
    spoiled: AtomicBool,
}

impl EngineProcess {
    /// Starts an engine and waits for its `hello`. `command` is a command line for the shell, or the player name of a
    /// language model, whose client is then started.
    ///
    /// # Errors
    /// If the engine does not start, or its first message is not a valid `hello`. The error is the end of a sentence.
    pub fn start(
        command: &str,
        limits: EngineWaitAndRetryLimits,
        models: &ModelProgramAndNamedModels,
    ) -> Result<Self, String> {
        let is_model = PlayerSpec::without_arguments(command).is_language_model();
        let mut program = if is_model {
            models
                .model_client_command(command)
                .map_err(|why| format!("`{command}` cannot be started: {why}"))?
        } else {
            shell_command(command)
        };
        program
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let started = program.spawn();
        let mut child =
            started.map_err(|error| format!("`{command}` cannot be started: {error}"))?;
        let group = child.id();
        locked(&GROUPS).push(group);
        let input = child.stdin.take();
        let output = child.stdout.take();
        let complaint = Arc::default();
        let complaints = child.stderr.take();
        let (to, lines) = sync_channel(QUEUE);
        let mailboxes = Arc::<EngineMessageMailboxes>::default();
        let mut engine = Self {
            child: Mutex::new(child),
            group,
            to: Some(to),
            mailboxes: Arc::clone(&mailboxes),
            complaint: Arc::clone(&complaint),
            hello: EngineHello::default(),
            options_of_settings: models.settings_options_of_player(command),
            limits,
            requests: AtomicU64::new(0),
            debates: AtomicU64::new(0),
            spoiled: AtomicBool::new(false),
        };
        // Opened before the engine can write.
        let greeting = mailboxes.open_mailbox(None);
        let threads = [
            spawn_named_thread("engine in", move || write_lines_to_engine(input, &lines)),
            spawn_named_thread("engine out", move || {
                read_messages_from_engine(output, &mailboxes);
            }),
            spawn_named_thread("engine err", move || {
                log_stderr_lines(complaints, &complaint);
            }),
        ];
        for thread in threads {
            thread.map_err(|error| {
                format!("the system cannot start a thread for the engine: {error}")
            })?;
        }
        engine.hello = engine.greet(command, &greeting)?;
        drop(greeting);
        let EngineHello { name, version, .. } = &engine.hello;
        tracing::info!(name, version, "engine started");
        Ok(engine)
    }

    fn greet(&self, command: &str, greeting: &EngineMessageMailbox) -> Result<EngineHello, String> {
        self.send_message(&MessageToEngine::Hello {
            protocol_version: PROTOCOL_VERSION,
            app: concat!("debate-tui ", env!("CARGO_PKG_VERSION")),
        });
        let why = match self.wait_for_answer(greeting, Instant::now() + self.limits.hello) {
            EngineMessageOrFailure::Message(MessageFromEngine::Hello(hello)) => {
                let texts = [&hello.name, &hello.version];
                if texts.iter().any(|text| text.chars().count() > 200) {
                    "the engine's name or version has more than 200 characters".to_owned()
                } else if let Some(mistake) = options::mistake_in_option_list(&hello.options) {
                    mistake
                } else {
                    return Ok(hello);
                }
            }
            EngineMessageOrFailure::Message(_) => {
                "the first message of the started program is not a `hello`".to_owned()
            }
            EngineMessageOrFailure::Unread(line) => format!(
                "the first line of the program is not a message: {reason}",
                reason = line.why
            ),
            EngineMessageOrFailure::Late => {
                format!(
                    "the engine sent no `hello` within {time_limit:?}",
                    time_limit = self.limits.hello
                )
            }
            EngineMessageOrFailure::Ended(how) => how,
        };
        Err(format!("`{command}` is not an engine: {why}"))
    }

    /// Returns the engine's `hello`, its first message: name, version, seats and protocols.
    pub fn hello_message(&self) -> &EngineHello {
        &self.hello
    }

    /// Returns the number of concurrent debates that the engine can play.
    pub fn max_concurrent_debates_per_process(&self) -> usize {
        self.hello.max_parallel.clamp(1, MAX_PARALLEL) as usize
    }

    /// Returns the number of the next request to the engine, and the mailbox for its answers.
    pub(super) fn new_request_with_mailbox(&self) -> (u64, EngineMessageMailbox) {
        let number = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
        (number, self.mailboxes.open_mailbox(Some(number)))
    }

    /// Returns a new number for the next debate in which the engine plays.
    pub(super) fn allocate_engine_debate_number(&self) -> u64 {
        self.debates.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Marks the engine as unusable for further debates.
    pub(super) fn mark_engine_unusable(&self) {
        self.spoiled.store(true, Ordering::Relaxed);
    }

    /// True if the engine's process has ended or is marked as unusable.
    pub fn is_engine_unusable(&self) -> bool {
        self.spoiled.load(Ordering::Relaxed) || self.has_ended()
    }

    /// Sends a message to the engine. The message is lost if the queue of messages that the engine has not read is
    /// full; the engine then misses its deadline.
    pub fn send_message(&self, message: &MessageToEngine) {
        // Cannot fail: messages consist of strings and numbers.
        if let Ok(line) = json_line_with_newline(message) {
            self.send(line);
        }
    }

    /// Sends the engine a line that is not a message of this version of the message protocol.
    pub fn send_raw_line(&self, line: &str) {
        self.send(format!("{line}\n"));
    }

    fn send(&self, line: String) {
        let Some(to) = &self.to else { return };
        if let Err(TrySendError::Full(_)) = to.try_send(line) {
            tracing::warn!(
                engine = self.hello.name,
                "the engine does not read its messages"
            );
        }
    }

    /// Waits for the next message in an engine's mailbox, at most until an instant.
    pub(super) fn wait_for_answer(
        &self,
        mailbox: &EngineMessageMailbox,
        until: Instant,
    ) -> EngineMessageOrFailure {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match mailbox.wait_for_line(left.min(LOOK)) {
                Ok(heard) => return heard.into(),
                Err(RecvTimeoutError::Timeout) if self.has_ended() => {
                    return self.last_words(mailbox);
                }
                Err(RecvTimeoutError::Timeout) if left <= LOOK => {
                    return EngineMessageOrFailure::Late;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return EngineMessageOrFailure::Ended(self.how_it_ended());
                }
            }
        }
    }

    /// Waits for a message that the engine may have written before it exited: its output may not be read to the end
    /// yet. A child process of the engine may keep the output open.
    fn last_words(&self, mailbox: &EngineMessageMailbox) -> EngineMessageOrFailure {
        let last = mailbox.wait_for_line(self.limits.quit);
        last.map_or_else(
            |_| EngineMessageOrFailure::Ended(self.how_it_ended()),
            EngineMessageOrFailure::from,
        )
    }

    fn has_ended(&self) -> bool {
        matches!(locked(&self.child).try_wait(), Ok(Some(_)))
    }

    /// Sends the engine a `ping` and waits for its `pong`.
    ///
    /// # Errors
    /// If no `pong` comes: because of another answer, no answer in time, or the end of the engine. The error is a
    /// sentence.
    pub fn ping(&self) -> Result<(), String> {
        let mailbox = self.mailboxes.open_mailbox(None);
        self.send_message(&MessageToEngine::Ping);
        match self.wait_for_answer(&mailbox, Instant::now() + self.limits.hello) {
            EngineMessageOrFailure::Message(MessageFromEngine::Pong) => Ok(()),
            EngineMessageOrFailure::Message(_) => {
                Err("the engine sent another message instead of `pong`".to_owned())
            }
            EngineMessageOrFailure::Unread(line) => Err(format!(
                "the engine sent a line that is not a message: {reason}",
                reason = line.why
            )),
            EngineMessageOrFailure::Late => Err("it sent no answer".to_owned()),
            EngineMessageOrFailure::Ended(how) => Err(how),
        }
    }

    fn how_it_ended(&self) -> String {
        // Its output is closed: it is ending, or will write no more.
        let until = Instant::now() + self.limits.quit;
        let how = match self.wait(until) {
            Some(status) => format!("it ended ({status})"),
            None => "it closed its output".to_owned(),
        };
        // The thread that reads stderr holds a reference to the complaint until it has read the last line.
        while Arc::strong_count(&self.complaint) > 1 && Instant::now() < until {
            thread::sleep(POLL);
        }
        match &*locked(&self.complaint) {
            none if none.is_empty() => how,
            complaint => format!("{how}: {complaint}"),
        }
    }

    fn wait(&self, until: Instant) -> Option<ExitStatus> {
        loop {
            let looked = locked(&self.child).try_wait();
            match looked {
                Ok(Some(status)) => return Some(status),
                Err(_) => return None,
                Ok(None) if Instant::now() >= until => return None,
                Ok(None) => thread::sleep(POLL),
            }
        }
    }

    /// Asks the engine to exit and waits. Returns false if it does not exit in time. In both cases, kills the processes
    /// that are left in the engine's process group.
    pub fn end_engine_within_time_limit(mut self) -> bool {
        self.ask_to_end()
    }

    fn ask_to_end(&mut self) -> bool {
        if self.to.is_some() {
            self.send_message(&MessageToEngine::Bye);
        }
        // Its input closes once all waiting lines are written.
        self.to = None;
        self.wait(Instant::now() + self.limits.quit).is_some()
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        self.ask_to_end();
        // Children of the engine may still be running.
        end_group(self.group);
        // Without process groups, only the engine itself is killed.
        let mut child = locked(&self.child);
        let _ = child.kill();
        let _ = child.wait();
        drop(child);
        locked(&GROUPS).retain(|other| *other != self.group);
    }
}

/// The processes of one command.
type Processes = Arc<Mutex<Vec<Arc<EngineProcess>>>>;

/// A pool of engine processes, grouped by command line. Each process plays as many concurrent debates as it supports.
/// If all processes of a command are busy, the pool always starts another.
pub struct EnginePool {
    limits: EngineWaitAndRetryLimits,
    models: Arc<ModelProgramAndNamedModels>,
    by_command: Mutex<HashMap<String, Processes>>,
}

impl EnginePool {
    /// Creates a pool without processes.
    pub fn new(limits: EngineWaitAndRetryLimits, models: Arc<ModelProgramAndNamedModels>) -> Self {
        Self {
            limits,
            models,
            by_command: Mutex::default(),
        }
    }

    /// Returns an engine process that has room for one more debate. Dropping the returned value gives this room back.
    ///
    /// # Errors
    /// As [`EngineProcess::start`].
    pub fn process_for_command(&self, command: &str) -> Result<Arc<EngineProcess>, String> {
        let mut by_command = locked(&self.by_command);
        let of_command = Arc::clone(by_command.entry(command.to_owned()).or_default());
        drop(by_command);
        // Held while a process is started, so that no superfluous ones are started.
        let mut processes = locked(&of_command);
        processes.retain(|engine| !engine.is_engine_unusable());
        // The pool itself holds one reference to each process.
        let has_room = |engine: &&Arc<EngineProcess>| {
            Arc::strong_count(engine) <= engine.max_concurrent_debates_per_process()
        };
        if let Some(engine) = processes.iter().find(has_room) {
            return Ok(Arc::clone(engine));
        }
        let engine = Arc::new(EngineProcess::start(command, self.limits, &self.models)?);
        processes.push(Arc::clone(&engine));
        Ok(engine)
    }
}
