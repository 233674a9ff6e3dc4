//! The process of an engine, shared by the debates in which it plays, and processes that play in many
//! debates, one after another or at once.

use std::collections::HashMap;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::pipes::{
    Heard, Mailbox, Mailboxes, UnreadLine, log_lines, read_messages, shell, spawn, write_lines,
};
use super::{EngineLimits, locked, options};
use crate::message::{EngineHello, FromEngine, PROTOCOL_VERSION, ToEngine, line_of};

/// Messages that wait to be read by it.
const QUEUE: usize = 64;
/// The most debates that are put to one process at once, whatever it says.
const MOST_PARALLEL: u32 = 16;
/// The time between two looks at whether an ended process has ended.
const POLL: Duration = Duration::from_millis(5);

/// The time between two looks at whether an engine that says nothing still runs.
const LOOK: Duration = Duration::from_millis(100);

/// Process groups that were started and not ended.
static GROUPS: Mutex<Vec<u32>> = Mutex::new(Vec::new());
/// True once this program ends, and every engine with it.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Ends every engine that runs, at once: for a program that ends itself. From then on no engine is at
/// fault for having ended.
pub fn end_all() {
    ENDING.store(true, Ordering::SeqCst);
    for group in locked(&GROUPS).iter() {
        end_group(*group);
    }
}

/// True once [`end_all`] has been called.
pub(super) fn is_ending() -> bool {
    ENDING.load(Ordering::SeqCst)
}

#[cfg(unix)]
fn end_group(group: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};

    let pid = i32::try_from(group).ok().and_then(Pid::from_raw);
    if let Some(pid) = pid {
        // It may have ended by itself.
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn end_group(_group: u32) {}

/// An answer to a request.
pub(super) enum Answer {
    Message(FromEngine),
    /// It wrote something that is no message.
    Unread(UnreadLine),
    /// Nothing came in time.
    Late,
    /// It has ended: how.
    Ended(String),
}

impl From<Heard> for Answer {
    fn from(heard: Heard) -> Self {
        match heard {
            Heard::Message(message) => Self::Message(*message),
            Heard::Unread(why) => Self::Unread(why),
        }
    }
}

/// An engine that runs. Dropping it ends it, and what it has started.
pub struct EngineProcess {
    child: Mutex<Child>,
    group: u32,
    to: Option<SyncSender<String>>,
    mailboxes: Arc<Mailboxes>,
    /// The last line that it wrote to stderr.
    complaint: Arc<Mutex<String>>,
    hello: EngineHello,
    pub(super) limits: EngineLimits,
    requests: AtomicU64,
    debates: AtomicU64,
    /// True once it failed in a way after which nothing good is to be expected of it.
    spoiled: AtomicBool,
}

impl EngineProcess {
    /// Starts a command line by the shell, and waits for its `hello`.
    ///
    /// # Errors
    /// The reason why it does not start, as the end of a sentence.
    pub fn start(command: &str, limits: EngineLimits) -> Result<Self, String> {
        let mut shell = shell(command);
        shell
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let started = shell.spawn();
        let mut child =
            started.map_err(|error| format!("`{command}` cannot be started: {error}"))?;
        let group = child.id();
        locked(&GROUPS).push(group);
        let input = child.stdin.take();
        let output = child.stdout.take();
        let complaint = Arc::default();
        let complaints = child.stderr.take();
        let (to, lines) = sync_channel(QUEUE);
        let mailboxes = Arc::<Mailboxes>::default();
        let mut engine = Self {
            child: Mutex::new(child),
            group,
            to: Some(to),
            mailboxes: Arc::clone(&mailboxes),
            complaint: Arc::clone(&complaint),
            hello: EngineHello::default(),
            limits,
            requests: AtomicU64::new(0),
            debates: AtomicU64::new(0),
            spoiled: AtomicBool::new(false),
        };
        // Open before anything can come.
        let greeting = mailboxes.open(None);
        let threads = [
            spawn("engine in", move || write_lines(input, &lines)),
            spawn("engine out", move || read_messages(output, &mailboxes)),
            spawn("engine err", move || log_lines(complaints, &complaint)),
        ];
        for thread in threads {
            thread.map_err(|error| format!("no thread can be started: {error}"))?;
        }
        engine.hello = engine.greet(command, &greeting)?;
        drop(greeting);
        let EngineHello { name, version, .. } = &engine.hello;
        tracing::info!(name, version, "engine started");
        Ok(engine)
    }

    fn greet(&self, command: &str, greeting: &Mailbox) -> Result<EngineHello, String> {
        self.say(&ToEngine::Hello {
            protocol_version: PROTOCOL_VERSION,
            app: concat!("debate-tui ", env!("CARGO_PKG_VERSION")),
        });
        let why = match self.hear(greeting, Instant::now() + self.limits.hello) {
            Answer::Message(FromEngine::Hello(hello)) => {
                let texts = [&hello.name, &hello.version];
                if texts.iter().any(|text| text.chars().count() > 200) {
                    "its name or version has more than 200 characters".to_owned()
                } else if let Some(mistake) = options::mistake(&hello.options) {
                    mistake
                } else {
                    return Ok(hello);
                }
            }
            Answer::Message(_) => "its first message is no `hello`".to_owned(),
            Answer::Unread(line) => format!("its first line is no message: {}", line.why),
            Answer::Late => format!("it said no `hello` within {:?}", self.limits.hello),
            Answer::Ended(how) => how,
        };
        Err(format!("`{command}` is no engine: {why}"))
    }

    /// Its first message: name, version, seats and protocols.
    pub fn hello(&self) -> &EngineHello {
        &self.hello
    }

    /// In how many debates it can play at once.
    pub fn parallel(&self) -> usize {
        self.hello.max_parallel.clamp(1, MOST_PARALLEL) as usize
    }

    /// The number of the next request to it, and where what it says to that comes.
    pub(super) fn next_request(&self) -> (u64, Mailbox) {
        let number = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
        (number, self.mailboxes.open(Some(number)))
    }

    /// The number of the next debate in which it plays.
    pub(super) fn next_debate(&self) -> u64 {
        self.debates.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// From now on it is not to be seated again.
    pub(super) fn spoil(&self) {
        self.spoiled.store(true, Ordering::Relaxed);
    }

    /// True if it has ended, or is not to be seated again.
    pub fn is_spoiled(&self) -> bool {
        self.spoiled.load(Ordering::Relaxed) || self.has_ended()
    }

    /// Sends a message; one that it does not read in time is lost, which its deadline shows.
    pub fn say(&self, message: &ToEngine) {
        // Messages are made of texts and numbers, which JSON can write.
        if let Ok(line) = line_of(message) {
            self.send(line);
        }
    }

    /// Sends a line that is no message of this version.
    pub fn say_line(&self, line: &str) {
        self.send(format!("{line}\n"));
    }

    fn send(&self, line: String) {
        let Some(to) = &self.to else { return };
        if let Err(TrySendError::Full(_)) = to.try_send(line) {
            tracing::warn!(engine = self.hello.name, "does not read its messages");
        }
    }

    /// Waits for what comes next in a mailbox until an instant.
    pub(super) fn hear(&self, mailbox: &Mailbox, until: Instant) -> Answer {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match mailbox.next_within(left.min(LOOK)) {
                Ok(heard) => return heard.into(),
                Err(RecvTimeoutError::Timeout) if self.has_ended() => {
                    return self.last_words(mailbox);
                }
                Err(RecvTimeoutError::Timeout) if left <= LOOK => return Answer::Late,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Answer::Ended(self.how_it_ended());
                }
            }
        }
    }

    /// What an engine that has ended said before: its output may not be read to its end yet. What it
    /// has started may hold its output open.
    fn last_words(&self, mailbox: &Mailbox) -> Answer {
        let last = mailbox.next_within(self.limits.quit);
        last.map_or_else(|_| Answer::Ended(self.how_it_ended()), Answer::from)
    }

    fn has_ended(&self) -> bool {
        matches!(locked(&self.child).try_wait(), Ok(Some(_)))
    }

    /// Asks for a sign of life.
    ///
    /// # Errors
    /// A sentence on what came instead of a `pong`.
    pub fn ping(&self) -> Result<(), String> {
        let mailbox = self.mailboxes.open(None);
        self.say(&ToEngine::Ping);
        match self.hear(&mailbox, Instant::now() + self.limits.hello) {
            Answer::Message(FromEngine::Pong) => Ok(()),
            Answer::Message(_) => Err("another message came instead".to_owned()),
            Answer::Unread(line) => Err(format!("its line is no message: {}", line.why)),
            Answer::Late => Err("nothing came".to_owned()),
            Answer::Ended(how) => Err(how),
        }
    }

    fn how_it_ended(&self) -> String {
        // Its output is closed: it ends, or has no more to say.
        let until = Instant::now() + self.limits.quit;
        let how = match self.wait(until) {
            Some(status) => format!("it ended ({status})"),
            None => "it closed its output".to_owned(),
        };
        // The thread that reads stderr has a share of the complaint until it has read the last line.
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

    /// Asks it to end, and waits for that. False where it did not in time; it is ended then.
    pub fn quit(mut self) -> bool {
        self.ask_to_end()
    }

    fn ask_to_end(&mut self) -> bool {
        if self.to.is_some() {
            self.say(&ToEngine::Bye);
        }
        // Its input closes once what waits is written.
        self.to = None;
        self.wait(Instant::now() + self.limits.quit).is_some()
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        self.ask_to_end();
        // What it has started may run on.
        end_group(self.group);
        // Where there are no process groups it alone is ended.
        let mut child = locked(&self.child);
        let _ = child.kill();
        let _ = child.wait();
        drop(child);
        locked(&GROUPS).retain(|other| *other != self.group);
    }
}

/// The processes of one command.
type Processes = Arc<Mutex<Vec<Arc<EngineProcess>>>>;

/// Engines by their commands. Each process plays in as many debates at once as it says that it can;
/// where all are taken another one is started.
pub struct EnginePool {
    limits: EngineLimits,
    by_command: Mutex<HashMap<String, Processes>>,
}

impl EnginePool {
    /// A pool in which nothing runs yet.
    pub fn new(limits: EngineLimits) -> Self {
        Self {
            limits,
            by_command: Mutex::default(),
        }
    }

    /// A process for one more debate, until it is dropped.
    ///
    /// # Errors
    /// As of [`EngineProcess::start`].
    pub fn engine(&self, command: &str) -> Result<Arc<EngineProcess>, String> {
        let mut by_command = locked(&self.by_command);
        let of_command = Arc::clone(by_command.entry(command.to_owned()).or_default());
        drop(by_command);
        // Held while one is started, so that no more start than are needed.
        let mut processes = locked(&of_command);
        processes.retain(|engine| !engine.is_spoiled());
        // The pool holds each once.
        let has_room =
            |engine: &&Arc<EngineProcess>| Arc::strong_count(engine) <= engine.parallel();
        if let Some(engine) = processes.iter().find(has_room) {
            return Ok(Arc::clone(engine));
        }
        let engine = Arc::new(EngineProcess::start(command, self.limits)?);
        processes.push(Arc::clone(&engine));
        Ok(engine)
    }
}
