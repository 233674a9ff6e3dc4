//! The process of an engine, and the lines to and from it.

use std::io::{BufReader, Read, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::EngineLimits;
use crate::message::{
    EngineHello, FromEngine, LineRead, PROTOCOL_VERSION, ToEngine, line_of, read_line,
};
use debate_core::text::safe;

/// The most bytes of a line that an engine writes.
const MAX_LINE: usize = 4 << 20;
/// The most bytes of a line of its stderr.
const MAX_LOG_LINE: usize = 4096;
/// Messages that wait to be read by us, or by it.
const QUEUE: usize = 64;
/// The time between two looks at whether an ended process has ended.
const POLL: Duration = Duration::from_millis(5);

/// The time between two looks at whether an engine that says nothing still runs.
const LOOK: Duration = Duration::from_millis(100);

/// Process groups that were started and not ended.
static GROUPS: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Ends every engine that runs, at once: for a program that ends itself.
pub fn end_all() {
    let groups = GROUPS.lock().unwrap_or_else(PoisonError::into_inner);
    for group in groups.iter() {
        end_group(*group);
    }
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

/// A message of an engine, or a line that is none.
enum Heard {
    Message(FromEngine),
    /// A line that is no message: why.
    Unread(String),
}

/// An answer to a request.
pub(super) enum Answer {
    Message(FromEngine),
    /// It wrote something that is no message.
    Unread(String),
    /// Nothing came in time.
    Late,
    /// It has ended: how.
    Ended(String),
}

/// An engine that runs. Dropping it ends it, and what it has started.
pub struct EngineProcess {
    child: Child,
    to: Option<SyncSender<String>>,
    from: Receiver<Heard>,
    /// The last line that it wrote to stderr.
    complaint: Arc<Mutex<String>>,
    hello: EngineHello,
    pub(super) limits: EngineLimits,
    requests: u64,
}

impl EngineProcess {
    /// Starts a command line by the shell, and waits for its `hello`.
    ///
    /// # Errors
    /// The reason why it does not start, as the end of a sentence.
    pub fn start(command: &str, limits: EngineLimits) -> Result<Self, String> {
        let mut child = shell(command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("`{command}` cannot be started: {error}"))?;
        GROUPS
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(child.id());
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let complaint = Arc::default();
        let complaints = child.stderr.take();
        let (to, lines) = sync_channel(QUEUE);
        let (heard, from) = sync_channel(QUEUE);
        let mut engine = Self {
            child,
            to: Some(to),
            from,
            complaint: Arc::clone(&complaint),
            hello: EngineHello::default(),
            limits,
            requests: 0,
        };
        let threads = [
            spawn("engine in", move || write_lines(input, &lines)),
            spawn("engine out", move || read_messages(output, &heard)),
            spawn("engine err", move || log_lines(complaints, &complaint)),
        ];
        for thread in threads {
            thread.map_err(|error| format!("no thread can be started: {error}"))?;
        }
        engine.hello = engine.greet(command)?;
        tracing::info!(
            name = engine.hello.name,
            version = engine.hello.version,
            "engine started"
        );
        Ok(engine)
    }

    fn greet(&mut self, command: &str) -> Result<EngineHello, String> {
        self.say(&ToEngine::Hello {
            protocol_version: PROTOCOL_VERSION,
            app: concat!("debate-tui ", env!("CARGO_PKG_VERSION")),
        });
        let until = Instant::now() + self.limits.hello;
        let why = match self.hear(until) {
            Answer::Message(FromEngine::Hello(hello)) => {
                let texts = [&hello.name, &hello.version];
                if texts.iter().all(|text| text.chars().count() <= 200) {
                    return Ok(hello);
                }
                "its name or version has more than 200 characters".to_owned()
            }
            Answer::Message(_) => "its first message is no `hello`".to_owned(),
            Answer::Unread(why) => format!("its first line is no message: {why}"),
            Answer::Late => format!("it said no `hello` within {:?}", self.limits.hello),
            Answer::Ended(how) => how,
        };
        Err(format!("`{command}` is no engine: {why}"))
    }

    /// Its first message: name, version, seats and protocols.
    pub fn hello(&self) -> &EngineHello {
        &self.hello
    }

    /// The number of the next request to it.
    pub(super) fn next_request(&mut self) -> u64 {
        self.requests += 1;
        self.requests
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

    /// Waits for what it says next until an instant.
    pub(super) fn hear(&mut self, until: Instant) -> Answer {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.from.recv_timeout(left.min(LOOK)) {
                Ok(Heard::Message(message)) => return Answer::Message(message),
                Ok(Heard::Unread(why)) => return Answer::Unread(why),
                Err(RecvTimeoutError::Timeout) if left <= LOOK => return Answer::Late,
                // What it has started may hold its output open.
                Err(RecvTimeoutError::Timeout) if self.has_ended() => {
                    if let Ok(Heard::Message(message)) = self.from.recv_timeout(POLL) {
                        return Answer::Message(message);
                    }
                    return Answer::Ended(self.how_it_ended());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Answer::Ended(self.how_it_ended());
                }
            }
        }
    }

    fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// Asks for a sign of life.
    ///
    /// # Errors
    /// A sentence on what came instead of a `pong`.
    pub fn ping(&mut self) -> Result<(), String> {
        self.say(&ToEngine::Ping);
        match self.hear(Instant::now() + self.limits.hello) {
            Answer::Message(FromEngine::Pong) => Ok(()),
            Answer::Message(_) => Err("another message came instead".to_owned()),
            Answer::Unread(why) => Err(format!("its line is no message: {why}")),
            Answer::Late => Err("nothing came".to_owned()),
            Answer::Ended(how) => Err(how),
        }
    }

    fn how_it_ended(&mut self) -> String {
        // Its output is closed: it ends, or has no more to say.
        let until = Instant::now() + self.limits.quit;
        let status = self.wait(until);
        let how = match status {
            Some(status) => format!("it ended ({status})"),
            None => "it closed its output".to_owned(),
        };
        let complaint = self
            .complaint
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if complaint.is_empty() {
            how
        } else {
            format!("{how}: {complaint}")
        }
    }

    fn wait(&mut self, until: Instant) -> Option<std::process::ExitStatus> {
        loop {
            match self.child.try_wait() {
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
        let until = Instant::now() + self.limits.quit;
        self.wait(until).is_some()
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        let group = self.child.id();
        self.ask_to_end();
        // What it has started may run on.
        end_group(group);
        // Where there are no process groups it alone is ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let mut groups = GROUPS.lock().unwrap_or_else(PoisonError::into_inner);
        groups.retain(|other| *other != group);
    }
}

/// A command line as the shell runs it, in a process group of its own.
fn shell(command: &str) -> Command {
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

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let thread = thread::Builder::new().name(name.to_owned());
    thread.spawn(work).map(drop)
}

fn write_lines(input: Option<ChildStdin>, lines: &Receiver<String>) {
    let Some(mut input) = input else { return };
    for line in lines {
        // Where it does not read any more, its output says so too.
        if input.write_all(line.as_bytes()).is_err() || input.flush().is_err() {
            return;
        }
    }
}

fn read_messages(output: Option<impl Read>, heard: &SyncSender<Heard>) {
    let Some(output) = output else { return };
    let (mut output, mut buffer) = (BufReader::new(output), Vec::new());
    loop {
        let said = match read_line(&mut output, &mut buffer, MAX_LINE) {
            Err(_) | Ok(LineRead::End) => return,
            Ok(LineRead::TooLong) => {
                Heard::Unread(format!("a line has more than {} MiB", MAX_LINE >> 20))
            }
            Ok(LineRead::Line) if buffer.trim_ascii().is_empty() => continue,
            Ok(LineRead::Line) => match serde_json::from_slice(&buffer) {
                Ok(message) => Heard::Message(message),
                Err(error) => Heard::Unread(error.to_string()),
            },
        };
        if heard.send(said).is_err() {
            return;
        }
    }
}

fn log_lines(complaints: Option<impl Read>, complaint: &Mutex<String>) {
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
