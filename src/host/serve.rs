//! The server behind `serve`: other programs play debates over lines of JSON, each seat by a secret handle.
//!
//! The driving program owns the loop: it begins debates, receives the requests of the seats that it plays, and replies.
//! [`JsonLinesServer::run`] reads the lines and dispatches them. A debate runs on a separate thread, so that a slow
//! player or a slow disk delays no other debate. A debate without a save and without slow players runs on the thread
//! that reads the lines. The module [`crate::message`] defines the messages.

mod batch;
mod debate;
mod scenarios;
mod start;
mod tools;

use std::collections::HashMap;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use crate::message::{
    DebateBatchForkRequest, DebateBatchStartRequest, DebateStartRequest, LineReadResult,
    MAX_MESSAGE, MessageRefusalKind, MessageToCaller, MessageToServer, PROTOCOL_VERSION,
    json_line_with_newline, read_line,
};
use crate::plan::{
    DebatePlanError, ExternalPlayerOptions, SaveStorageOptions, given_or_random_seed,
};
use batch::{
    BatchStepInput, BatchStepOrForkCommand, CopyDebatesToBatchCommand, DebateBatchPlan,
    MAX_BATCHES, MAX_SLOTS,
};
use debate::{
    CallerSeatHandles, DebateWithOwnInstance, ServedDebateCommand, ServedDebateCommandQueue,
    ServedDebateError, ServedDebateStatus,
};
use debate_core::protocol::Seat;
use debate_solver::setup::ScenarioLimits;
use start::StoredSeatHandle;

pub use scenarios::AllowedScenarioFolders;
pub use tools::{McpDebateTools, ToolDescription};

/// Maximum number of running debates, including the debates of batches.
const MAX_DEBATES: usize = 16_384;
/// Maximum number of debates that run on separate threads, for each processor core.
const MAX_THREADS_PER_CORE: usize = 256;
/// Maximum number of callers' messages that wait for one debate or one batch.
const MAX_ORDERS: usize = 64;
/// Maximum wait for running debates after the end of the input. A program that ends its input waits for the server to
/// exit.
const LAST_WAIT: Duration = Duration::from_millis(800);

/// Memory reserved for running debates, in bytes. If less is left, no debate or batch on a separate thread is begun: a
/// failed allocation would end the program and all debates.
const MEMORY_RESERVE: u64 = 256 << 20;

/// The options of `serve`.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// The folder of saves, or no saves.
    pub save_options: SaveStorageOptions,
    /// Folders whose scenarios callers may name, besides the bundled ones.
    pub scenarios: AllowedScenarioFolders,
    /// Limits of scenarios.
    pub limits: ScenarioLimits,
    /// The limits and permissions of external players, and the settings of language models.
    pub engines: ExternalPlayerOptions,
}

/// The reason why the server ends.
#[derive(Debug, Error)]
pub enum ServerStopError {
    /// The messages cannot be read.
    #[error(transparent)]
    Input(#[from] io::Error),
    /// There is no folder of saves.
    #[error(transparent)]
    Plan(#[from] DebatePlanError),
}

/// Writes the messages of the `serve` server to its output: one line at a time, from any thread. A thread flushes the
/// output before it waits.
struct MessageWriter {
    out: Mutex<Box<dyn Write + Send>>,
    /// True once the reader of the server's output has closed it, so that no more messages can be written.
    closed: AtomicBool,
}

impl MessageWriter {
    fn send(&self, message: &MessageToCaller) {
        // A message consists of strings and numbers, which serialize without errors.
        let Ok(line) = json_line_with_newline(message) else {
            return;
        };
        self.write(|out| out.write_all(line.as_bytes()));
    }

    fn flush(&self) {
        self.write(|out| out.flush());
    }

    fn write(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        if write(&mut **out).is_err() {
            self.closed.store(true, Ordering::Relaxed);
        }
    }

    /// Reports to the caller why a debate is not opened.
    fn refuse_opening(&self, opening: Opening, refusal: ServedDebateError) {
        let (id, debate) = match opening {
            Opening::New(id) => (id, None),
            Opening::Resume(handle) => (None, Some(handle)),
        };
        let ServedDebateError { kind, why } = refusal;
        self.send(&MessageToCaller::Error {
            kind,
            why,
            debate,
            id,
        });
    }

    /// Reports to the caller why an order to a batch is not carried out.
    fn refuse_batch(&self, batch: &str, id: Option<String>, refusal: ServedDebateError) {
        let ServedDebateError { kind, why } = refusal;
        self.send(&MessageToCaller::Error {
            kind,
            why,
            debate: Some(batch.to_owned()),
            id,
        });
    }

    fn refuse(&self, kind: MessageRefusalKind, why: impl Into<String>, debate: Option<&str>) {
        self.send(&MessageToCaller::Error {
            kind,
            why: why.into(),
            debate: debate.map(str::to_owned),
            id: None,
        });
    }
}

/// The debate, batch and request that an unreadable line names, so that the error reaches the caller who waits for an
/// answer.
#[derive(Default, Deserialize)]
#[serde(default)]
struct UnreadNames {
    id: Option<Value>,
    debate: Option<Value>,
    batch: Option<Value>,
}

impl UnreadNames {
    /// Reads the debate, batch and request that a line names; all are absent if the line is not JSON.
    fn of(line: &[u8]) -> Self {
        serde_json::from_slice(line).unwrap_or_default()
    }

    fn refusal(self, why: String) -> MessageToCaller {
        let text = |name: Option<Value>| match name? {
            Value::String(text) => Some(text),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let debate = text(self.debate).or_else(|| text(self.batch));
        // If the line has a handle, `id` is the number of a request.
        let id = text(self.id).filter(|_| debate.is_none());
        MessageToCaller::Error {
            kind: MessageRefusalKind::BadJson,
            why,
            debate,
            id,
        }
    }
}

/// A running debate.
struct Running {
    /// The file name of the debate's save, once the save exists.
    save: Arc<OnceLock<String>>,
    place: DebateRunner,
}

/// The reason why there is no room for a debate.
#[derive(Debug, Error)]
enum NoCapacity {
    /// The maximum number of debates are running already.
    #[error(
        "at most {MAX_DEBATES} debates can run at once, including those of batches; end some first"
    )]
    Full,
    /// All threads for debates are in use; the number is the maximum number of these threads.
    #[error("all {running} threads for debates are in use; end a debate first", running = .0)]
    Threads(usize),
    /// All threads for batches are in use; the number is that of the batches.
    #[error("{running} batches are running; end one first with the message `leave`", running = .0)]
    Batches(usize),
    /// Too little memory is left. The number is the free memory in bytes.
    #[error("only {free} MiB of memory are free; end a debate first", free = .0 >> 20)]
    Memory(u64),
    /// The system cannot create a thread.
    #[error("the system cannot start a thread ({cause}); end a debate first", cause = .0)]
    Thread(io::Error),
}

impl From<NoCapacity> for ServedDebateError {
    fn from(error: NoCapacity) -> Self {
        Self::new(MessageRefusalKind::Busy, error.to_string())
    }
}

/// The executor of a debate: a separate thread, or the thread that reads the messages.
enum DebateRunner {
    Thread {
        orders: SyncSender<ServedDebateCommand>,
        /// True if the debate accepts no more messages from its callers.
        closed: Arc<Mutex<bool>>,
        thread: JoinHandle<()>,
    },
    /// The debate runs on the thread that reads the messages. Holds the debate; `None` if it is over.
    Reader(Option<Box<DebateWithOwnInstance>>),
}

impl DebateRunner {
    /// Begins a debate on the thread that reads the messages.
    fn reader(debate: DebateWithOwnInstance) -> Self {
        let mut debate = Box::new(debate);
        let debate_status = debate.start_and_run_until_blocked();
        Self::Reader(still_waiting(debate, debate_status))
    }

    /// Passes a caller's message to the debate. Returns an error with the reason if the debate does not accept it.
    fn order(&mut self, order: ServedDebateCommand) -> Result<(), MessageRefusalKind> {
        match self {
            Self::Thread { orders, closed, .. } => {
                // The lock is held while the order is sent, so that no order enters a closed queue.
                let closed = closed.lock().unwrap_or_else(PoisonError::into_inner);
                if *closed {
                    return Err(MessageRefusalKind::Over);
                }
                orders.try_send(order).map_err(|unsent| match unsent {
                    TrySendError::Full(_) => MessageRefusalKind::Busy,
                    TrySendError::Disconnected(_) => MessageRefusalKind::Over,
                })
            }
            Self::Reader(place) => {
                let mut debate = place.take().ok_or(MessageRefusalKind::Over)?;
                let debate_status = debate.carry_out_command(order);
                *place = still_waiting(debate, debate_status);
                Ok(())
            }
        }
    }

    fn is_over(&self) -> bool {
        match self {
            Self::Thread { thread, .. } => thread.is_finished(),
            Self::Reader(debate) => debate.is_none(),
        }
    }
}

/// Returns the debate if it still waits for a message. Otherwise returns `None`, and reports the debate's end unless a
/// caller left.
fn still_waiting(
    mut debate: Box<DebateWithOwnInstance>,
    debate_status: ServedDebateStatus,
) -> Option<Box<DebateWithOwnInstance>> {
    if matches!(debate_status, ServedDebateStatus::Waits) {
        return Some(debate);
    }
    debate.report_end_to_callers(debate_status);
    None
}

/// Starts a thread of the server that runs `work`. At its end the thread drops `alive`, by which the server notices
/// that it has ended.
fn spawn(
    name: &str,
    alive: Sender<()>,
    work: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().name(name.to_owned()).spawn(move || {
        work();
        drop(alive);
    })
}

/// The way in which a debate is opened.
#[derive(Clone)]
enum Opening {
    /// A new debate, with the caller's `id` for it until it has handles.
    New(Option<String>),
    /// A saved debate that a caller resumes by this handle. So far, the reopened debate has no other handle.
    Resume(String),
}

/// A running batch of debates. The batch ends when `orders`, the channel with the caller's orders to it, is closed.
struct RunningBatch {
    orders: SyncSender<BatchStepOrForkCommand>,
    thread: JoinHandle<()>,
    /// The number of debates in the batch.
    debates: usize,
}

/// The seat of a debate that a handle controls.
struct HeldSeat {
    /// The key of the debate in the server's map `running`.
    debate: u64,
    seat: Seat,
}

/// The server of `serve`.
pub struct JsonLinesServer {
    options: ServeOptions,
    outlet: Arc<MessageWriter>,
    begun: u64,
    running: HashMap<u64, Running>,
    held: HashMap<String, HeldSeat>,
    batches: HashMap<String, RunningBatch>,
    /// The sender of a channel that carries no data. Each thread of the server holds a clone; `ended` reports a
    /// disconnect once all threads have ended.
    alive: Sender<()>,
    ended: Receiver<()>,
}

impl JsonLinesServer {
    /// Creates a server that writes messages to `out`.
    pub fn new(options: ServeOptions, out: Box<dyn Write + Send>) -> Self {
        let (alive, ended) = channel();
        Self {
            alive,
            ended,
            options,
            outlet: Arc::new(MessageWriter {
                out: Mutex::new(out),
                closed: AtomicBool::new(false),
            }),
            begun: 0,
            running: HashMap::new(),
            held: HashMap::new(),
            batches: HashMap::new(),
        }
    }

    /// Handles the lines of the input until it ends, then waits until the debates have processed the replies given so
    /// far. After `bye` the wait has no limit; at the end of the input it is less than a second. Threads that compute
    /// for longer then end with the program. Saved debates can be resumed from the replies that they have processed.
    ///
    /// # Errors
    /// If the lines cannot be read, or there is no folder of saves.
    pub fn run(mut self, input: &mut BufReader<impl Read>) -> Result<(), ServerStopError> {
        self.outlet.send(&MessageToCaller::Hello {
            protocol_version: PROTOCOL_VERSION,
            app: concat!("debate-tui ", env!("CARGO_PKG_VERSION")),
        });
        let mut buffer = Vec::new();
        let mut last_wait = Some(LAST_WAIT);
        while !self.outlet.closed.load(Ordering::Relaxed) {
            if !input.buffer().contains(&b'\n') {
                self.outlet.flush();
            }
            match read_line(input, &mut buffer, MAX_MESSAGE)? {
                LineReadResult::End => break,
                LineReadResult::TooLong => {
                    let why = format!(
                        "a message has more than {most} MiB",
                        most = MAX_MESSAGE >> 20
                    );
                    self.outlet.refuse(MessageRefusalKind::TooLong, why, None);
                    continue;
                }
                LineReadResult::Line => {}
            }
            if buffer.trim_ascii().is_empty() {
                continue;
            }
            match serde_json::from_slice(&buffer) {
                Ok(MessageToServer::Bye) => {
                    last_wait = None;
                    break;
                }
                Ok(message) => self.obey(message)?,
                Err(error) => {
                    let names = UnreadNames::of(&buffer);
                    self.outlet.send(&names.refusal(error.to_string()));
                }
            }
        }
        // Once the sender of its orders is dropped, a debate carries out the waiting orders and ends.
        drop(self.batches);
        drop(self.running);
        drop(self.alive);
        let _all_ended = match last_wait {
            Some(longest) => self.ended.recv_timeout(longest).is_err(),
            None => self.ended.recv().is_err(),
        };
        self.outlet.flush();
        Ok(())
    }

    fn obey(&mut self, message: MessageToServer) -> Result<(), ServerStopError> {
        match message {
            MessageToServer::New(new) => self.begin(*new),
            MessageToServer::Reply(line) => {
                let debate = line.debate.clone();
                self.hand_on(&debate, |seat| ServedDebateCommand::Reply(seat, line));
            }
            MessageToServer::Resume { debate } => self.resume(debate)?,
            MessageToServer::Leave { debate } if self.batches.remove(&debate).is_some() => {}
            MessageToServer::Leave { debate } => {
                self.hand_on(&debate, |_| ServedDebateCommand::Leave);
            }
            MessageToServer::Forfeit { debate, fault } => {
                self.hand_on(&debate, |seat| ServedDebateCommand::Forfeit(seat, fault));
            }
            MessageToServer::Open(open) => self.open(&open),
            MessageToServer::Step {
                batch,
                replies,
                keep,
            } => {
                let step = BatchStepOrForkCommand::Step(BatchStepInput { replies, keep });
                self.order_batch(&batch, None, step);
            }
            MessageToServer::Fork(fork) => self.fork(*fork),
            MessageToServer::Ping => self.outlet.send(&MessageToCaller::Pong),
            MessageToServer::Bye => {}
        }
        Ok(())
    }

    fn begin(&mut self, new: DebateStartRequest) {
        let mut handles = [None, None, None];
        for seat in new.seats.iter().copied().map(Seat::from) {
            handles[seat.seat_index()].get_or_insert_with(start::random_handle);
        }
        let options = self.options.clone();
        let at_once = start::plan_immediate_debate(&new, &options);
        let has_thread = at_once.is_none();
        let opening = Opening::New(new.id.clone());
        self.start(handles, opening, has_thread, move |callers, save| {
            start::start_debate(&new, &options, at_once, callers, save).map(Some)
        });
    }

    fn open(&mut self, open: &DebateBatchStartRequest) {
        self.forget_ended();
        if let Err(refusal) = self.try_open(open) {
            let opening = Opening::New(open.debate.id.clone());
            self.outlet.refuse_opening(opening, refusal);
        }
    }

    fn try_open(&mut self, open: &DebateBatchStartRequest) -> Result<(), ServedDebateError> {
        if self.batches.len() >= MAX_BATCHES {
            return Err(NoCapacity::Batches(MAX_BATCHES).into());
        }
        let plan = start::plan_requested_debate(&open.debate, &self.options)?;
        let plan = DebateBatchPlan::new(start::random_handle(), open, plan)?;
        let (name, debates) = (plan.name.clone(), plan.count);
        self.check_room(true, debates)?;
        let outlet = Arc::clone(&self.outlet);
        self.start_batch(name, debates, move |orders| {
            plan.serve_batch_commands(&orders, &outlet);
        })
    }

    /// Starts the thread of a batch.
    fn start_batch(
        &mut self,
        name: String,
        debates: usize,
        serve: impl FnOnce(Receiver<BatchStepOrForkCommand>) + Send + 'static,
    ) -> Result<(), ServedDebateError> {
        let (orders, received) = sync_channel(MAX_ORDERS);
        let thread = spawn("batch", self.alive.clone(), move || serve(received));
        let thread = thread.map_err(NoCapacity::Thread)?;
        let batch = RunningBatch {
            orders,
            thread,
            debates,
        };
        self.batches.insert(name, batch);
        Ok(())
    }

    fn fork(&mut self, fork: DebateBatchForkRequest) {
        self.forget_ended();
        let (batch, id) = (fork.batch.clone(), fork.id.clone());
        if let Err(refusal) = self.try_fork(fork) {
            self.outlet.refuse_batch(&batch, id, refusal);
        }
    }

    fn try_fork(&mut self, fork: DebateBatchForkRequest) -> Result<(), ServedDebateError> {
        let bad = |why| ServedDebateError::new(MessageRefusalKind::BadRequest, why);
        let debates = fork.slots.len();
        if !(1..=MAX_SLOTS).contains(&debates) {
            return Err(bad(format!(
                "`slots` must list 1 to {MAX_SLOTS} debates to copy"
            )));
        }
        let seed = fork
            .seed
            .as_deref()
            .map(|text| given_or_random_seed(Some(text)));
        let seed = seed.transpose()?;
        if self.batches.len() >= MAX_BATCHES {
            return Err(NoCapacity::Batches(MAX_BATCHES).into());
        }
        self.check_room(true, debates)?;
        let (to, copied) = channel::<Result<DebateBatchPlan, ServedDebateError>>();
        let name = start::random_handle();
        let (batch, id) = (fork.batch.clone(), fork.id.clone());
        let outlet = Arc::clone(&self.outlet);
        let (source, asked_id) = (batch.clone(), id.clone());
        self.start_batch(name.clone(), debates, move |orders| {
            // The sender is dropped unused if the order was refused, which is reported elsewhere.
            match copied.recv() {
                Ok(Ok(plan)) => plan.serve_batch_commands(&orders, &outlet),
                Ok(Err(refusal)) => outlet.refuse_batch(&source, asked_id, refusal),
                Err(_) => {}
            }
            outlet.flush();
        })?;
        let order = CopyDebatesToBatchCommand {
            name,
            fork,
            seed,
            to,
        };
        self.order_batch(&batch, id, BatchStepOrForkCommand::Fork(Box::new(order)));
        Ok(())
    }

    /// Sends an order to a batch, or reports why the batch does not accept it. `id` is the caller's name for the
    /// request.
    fn order_batch(&self, batch: &str, id: Option<String>, order: BatchStepOrForkCommand) {
        let (kind, why) = match self.batches.get(batch).map(|it| it.orders.try_send(order)) {
            Some(Ok(())) => return,
            Some(Err(TrySendError::Full(_))) => {
                let why = format!(
                    "this batch already has {MAX_ORDERS} unanswered steps; wait for their answers"
                );
                (MessageRefusalKind::Busy, why)
            }
            Some(Err(TrySendError::Disconnected(_))) => {
                (MessageRefusalKind::Over, "the batch has ended".to_owned())
            }
            None => (
                MessageRefusalKind::UnknownDebate,
                "no running batch has this handle".to_owned(),
            ),
        };
        self.outlet
            .refuse_batch(batch, id, ServedDebateError::new(kind, why));
    }

    /// Returns an error if `more` further debates would exceed the limit of debates. With `has_thread`, also if all
    /// threads for debates are in use or too little memory is left.
    fn check_room(&self, has_thread: bool, more: usize) -> Result<(), NoCapacity> {
        let in_batches: usize = self.batches.values().map(|batch| batch.debates).sum();
        if self.running.len() + in_batches + more > MAX_DEBATES {
            return Err(NoCapacity::Full);
        }
        if !has_thread {
            return Ok(());
        }
        let debates = self.running.values();
        let threads = debates.filter(|it| matches!(it.place, DebateRunner::Thread { .. }));
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let most = cores * MAX_THREADS_PER_CORE;
        if threads.count() >= most {
            return Err(NoCapacity::Threads(most));
        }
        match memory_left() {
            Some(left) if left < MEMORY_RESERVE => Err(NoCapacity::Memory(left)),
            _ => Ok(()),
        }
    }

    /// Opens a debate with these handles, on a separate thread or on the current one, and reports an error to the
    /// caller. `open` sets the file name of the save, and returns `None` for a debate that is over.
    fn start(
        &mut self,
        handles: [Option<String>; 3],
        opening: Opening,
        has_thread: bool,
        open: impl FnOnce(
            CallerSeatHandles,
            &OnceLock<String>,
        ) -> Result<Option<DebateWithOwnInstance>, ServedDebateError>
        + Send
        + 'static,
    ) {
        self.forget_ended();
        if let Err(why) = self.check_room(has_thread, 1) {
            return self.outlet.refuse_opening(opening, why.into());
        }
        let save = Arc::new(OnceLock::new());
        let callers = CallerSeatHandles {
            outlet: Arc::clone(&self.outlet),
            handles: handles.clone(),
            id: match &opening {
                Opening::New(id) => id.clone(),
                Opening::Resume(_) => None,
            },
        };
        let opened = if has_thread {
            let named = Arc::clone(&save);
            let open = move || open(callers, &named);
            self.start_thread(opening.clone(), open).map(Some)
        } else {
            open(callers, &save).map(|debate| Some(DebateRunner::reader(debate?)))
        };
        let place = match opened {
            Ok(Some(place)) => place,
            Ok(None) => return,
            Err(refusal) => return self.outlet.refuse_opening(opening, refusal),
        };
        let debate = self.begun;
        self.begun += 1;
        for (seat, handle) in Seat::PLAYERS.into_iter().zip(handles) {
            if let Some(handle) = handle {
                self.held.insert(handle, HeldSeat { debate, seat });
            }
        }
        self.running.insert(debate, Running { save, place });
    }

    /// Opens a debate on a new thread and serves it there.
    fn start_thread(
        &self,
        opening: Opening,
        open: impl FnOnce() -> Result<Option<DebateWithOwnInstance>, ServedDebateError> + Send + 'static,
    ) -> Result<DebateRunner, ServedDebateError> {
        let (orders, received) = sync_channel(MAX_ORDERS);
        let closed = Arc::default();
        let queue = ServedDebateCommandQueue {
            received,
            closed: Arc::clone(&closed),
        };
        let outlet = Arc::clone(&self.outlet);
        let serve = move || {
            match open() {
                Ok(Some(debate)) => debate.serve_commands(&queue, &outlet),
                Ok(None) => {}
                Err(refusal) => outlet.refuse_opening(opening, refusal),
            }
            outlet.flush();
        };
        let thread = spawn("debate", self.alive.clone(), serve).map_err(NoCapacity::Thread)?;
        Ok(DebateRunner::Thread {
            orders,
            closed,
            thread,
        })
    }

    /// Passes a message of a caller to a debate; reports an error if no running debate has the handle.
    fn hand_on(&mut self, handle: &str, order: impl FnOnce(Seat) -> ServedDebateCommand) {
        let Some((seat, running)) = self.under_way(handle) else {
            let why = "no running debate has this handle; continue a saved debate with `resume`";
            let kind = MessageRefusalKind::UnknownDebate;
            return self.outlet.refuse(kind, why, Some(handle));
        };
        let Err(refused) = running.place.order(order(seat)) else {
            return;
        };
        let busy = format!(
            "this debate already has {MAX_ORDERS} unanswered messages; wait for their answers"
        );
        let why = match refused {
            MessageRefusalKind::Busy => &busy,
            _ => "the debate is over",
        };
        self.outlet.refuse(refused, why, Some(handle));
    }

    /// Returns the running debate to which a handle belongs, and the handle's seat; `None` if no running debate has
    /// this handle.
    fn under_way(&mut self, handle: &str) -> Option<(Seat, &mut Running)> {
        let held = self.held.get(handle)?;
        Some((held.seat, self.running.get_mut(&held.debate)?))
    }

    fn resume(&mut self, handle: String) -> Result<(), ServerStopError> {
        self.forget_ended();
        // If the debate is over, its save has the end.
        if let Some((seat, running)) = self.under_way(&handle)
            && running
                .place
                .order(ServedDebateCommand::Again(seat))
                .is_ok()
        {
            return Ok(());
        }
        let folder = self.options.save_options.saves_folder()?;
        let Some(kept) = StoredSeatHandle::read_stored_seat_handle(&folder, &handle) else {
            let why = "no debate in the saves folder has this handle";
            let kind = MessageRefusalKind::UnknownDebate;
            self.outlet.refuse(kind, why, Some(&handle));
            return Ok(());
        };
        let seat = Seat::from(kept.seat);
        // The player of another seat may have resumed it already.
        let same = |running: &Running| running.save.get() == Some(&kept.save);
        let there = self.running.iter_mut().find(|(_, running)| same(running));
        if let Some((debate, running)) = there {
            let debate = *debate;
            let joined = running
                .place
                .order(ServedDebateCommand::Join(seat, handle.clone()));
            if joined.is_ok() {
                self.held.insert(handle, HeldSeat { debate, seat });
                return Ok(());
            }
        }
        let mut handles = [None, None, None];
        handles[seat.seat_index()] = Some(handle.clone());
        let options = self.options.clone();
        self.start(
            handles,
            Opening::Resume(handle),
            true,
            move |callers, save| {
                let _ = save.set(kept.save.clone());
                let path = folder.join(&kept.save);
                start::reopen_from_save(&path, kept.parts, &options, callers)
            },
        );
        Ok(())
    }

    /// Removes debates and batches that are over, and their handles.
    fn forget_ended(&mut self) {
        self.batches.retain(|_, batch| !batch.thread.is_finished());
        self.running.retain(|_, running| !running.place.is_over());
        let running = &self.running;
        self.held
            .retain(|_, held| running.contains_key(&held.debate));
    }
}

/// Returns the file name of a path.
fn file_name(path: &Path) -> Option<String> {
    Some(path.file_name()?.to_str()?.to_owned())
}

/// Returns the number of bytes that this process can still allocate, if the system reports it.
#[cfg(target_os = "linux")]
fn memory_left() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};
    use std::fs::read_to_string;

    let of_kilobytes = |file: &str, name: &str| {
        let text = read_to_string(file).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        let number: u64 = line.split_whitespace().next()?.parse().ok()?;
        Some(number << 10)
    };
    let limited = |resource, name| {
        let most = getrlimit(resource).current?;
        Some(most.saturating_sub(of_kilobytes("/proc/self/status", name)?))
    };
    let of_group = || {
        let number = |file: &str| {
            let text = read_to_string(format!("/sys/fs/cgroup/{file}")).ok()?;
            text.trim().parse::<u64>().ok()
        };
        Some(number("memory.max")?.saturating_sub(number("memory.current")?))
    };
    let bounds = [
        of_kilobytes("/proc/meminfo", "MemAvailable:"),
        limited(Resource::As, "VmSize:"),
        limited(Resource::Data, "VmData:"),
        of_group(),
    ];
    bounds.into_iter().flatten().min()
}

#[cfg(not(target_os = "linux"))]
fn memory_left() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debates_of_batches_count_toward_the_shared_limit() {
        let options = ServeOptions {
            save_options: SaveStorageOptions::default(),
            scenarios: AllowedScenarioFolders::default(),
            limits: ScenarioLimits::default(),
            engines: ExternalPlayerOptions::default(),
        };
        let mut server = JsonLinesServer::new(options, Box::new(io::sink()));
        for number in 0..4 {
            assert!(server.check_room(false, MAX_SLOTS).is_ok());
            let batch = RunningBatch {
                orders: sync_channel(1).0,
                thread: thread::spawn(|| ()),
                debates: MAX_SLOTS,
            };
            server.batches.insert(number.to_string(), batch);
        }
        for has_thread in [false, true] {
            let refused = server.check_room(has_thread, 1);
            assert!(matches!(refused, Err(NoCapacity::Full)), "{refused:?}");
        }
        server.batches.remove("0");
        assert!(server.check_room(false, MAX_SLOTS).is_ok());
        assert!(server.check_room(false, MAX_SLOTS + 1).is_err());
    }
}
