//! The built-in players and engines of a debate on a separate thread, so that a client never waits for them.
//!
//! The thread has a second copy of the debate, with a separate instance. It builds the players, receives the replies of
//! external players, sends each move when it is made, and wakes the client for it. Dropping the handle of the thread
//! stops it after the current move, without waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use std::{fmt, thread};

use crate::engine::{
    EngineFailure, EngineThinkingOrFailedAttempt, NoEngineMoveReason, SeatedEngines,
};
use crate::record::ReplyMeta;
use debate_core::budget::{ComputationBudget, ComputationStopReason};
use debate_core::number::Exact;
use debate_core::player::{Move, Policy, ReplyDistribution, SeatedDebate, StrategyMemoryAndCosts};
use debate_core::protocol::{Request, Seat, State, View};
use debate_core::scenario::Instance;

/// Default of the longest time that a client waits for a player's move before it continues without the move.
const PATIENCE: Duration = Duration::from_millis(30);

/// Interval between two checks of a stop flag while players are built.
const STOP_INTERVAL: Duration = Duration::from_millis(50);

/// The error if the thread of the players panicked.
const ENDED: &str = "the thread that runs the players has stopped";

/// A debate at its start, with the engines that play.
pub struct DebateWithEngines<'i> {
    pub seating: SeatedDebate<'i, Exact>,
    pub engines: Option<SeatedEngines<'i>>,
}

impl<'i> From<SeatedDebate<'i, Exact>> for DebateWithEngines<'i> {
    fn from(seating: SeatedDebate<'i, Exact>) -> Self {
        let engines = None;
        Self { seating, engines }
    }
}

/// A function that creates a debate at its start with its players. The error is a sentence.
type MakeSeating = dyn for<'i> Fn(&'i Instance, ComputationBudget<'_>) -> Result<DebateWithEngines<'i>, String>
    + Send
    + Sync;

/// Callback that wakes the client after each message of the player thread, such as a move or a report of an engine.
type Wake = dyn Fn() + Send + Sync;

/// The result of waiting for a player's move.
#[derive(Debug)]
pub(super) enum MoveWaitResult {
    /// The move has arrived, with metadata such as its cost.
    Made(Move<Exact>, Box<ReplyMeta>),
    /// A report or a failed attempt of the engine in this seat, which is still working on its move.
    News(Seat, EngineThinkingOrFailedAttempt),
    /// An engine makes no move.
    Ended(EngineFailure),
    /// The move of the player thread has not arrived yet.
    Pending,
    /// The player thread can make no move; the text is the reason.
    Failed(String),
}

/// A request to the thread.
struct MoveRequest {
    /// The moves of the debate that are sent to the player thread with this request, because it has not seen them yet.
    moves: Vec<Move<Exact>>,
    /// True if the player thread makes moves until an external player is asked or the debate is over; false if it makes
    /// only one.
    ahead: bool,
}

/// A message from the thread.
enum WorkerMessage {
    /// The players are built.
    Ready,
    /// A move, a report of an engine, or the reason why no move follows.
    Next(Box<MoveWaitResult>),
    /// The player thread has finished the moves that it was asked for, or it was stopped.
    Done,
}

/// The players of a debate on a separate thread.
pub struct PlayersThread {
    instance: Arc<Instance>,
    seats: Arc<MakeSeating>,
    wake: Arc<Wake>,
    max_wait: Duration,
    worker: Option<Worker>,
}

impl fmt::Debug for PlayersThread {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("PlayersThread")
    }
}

/// The handle of the player thread. Dropping it tells the thread to end.
struct Worker {
    orders: Sender<MoveRequest>,
    answers: Receiver<WorkerMessage>,
    stop: Arc<AtomicBool>,
    /// Stop flag, set when the handle of the player thread is dropped. It also ends the training of a player.
    dropped: Arc<AtomicBool>,
    /// The number of the debate's moves that the player thread has seen.
    known: usize,
    /// True while the player thread still works on the moves that it was asked for.
    busy: bool,
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.dropped.store(true, Ordering::Relaxed);
    }
}

impl PlayersThread {
    /// Creates the handle of a player thread for this instance. [`Self::build_players`], or else the first request for
    /// a move, starts the thread, which builds the players with `seats`. `wake` is called on the thread after each of
    /// its messages, such as a move.
    pub fn new(
        instance: &Instance,
        wake: impl Fn() + Send + Sync + 'static,
        seats: impl for<'i> Fn(
            &'i Instance,
            ComputationBudget<'_>,
        ) -> Result<DebateWithEngines<'i>, String>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self {
            instance: Arc::new(instance.copy_with_only_root_numbered()),
            seats: Arc::new(seats),
            wake: Arc::new(wake),
            max_wait: PATIENCE,
            worker: None,
        }
    }

    /// Sets the longest time that a client waits for a player's move before it continues without the move.
    #[must_use]
    pub fn with_max_wait_for_move(mut self, max_wait: Duration) -> Self {
        self.max_wait = max_wait;
        self
    }

    /// Returns the longest time that a client waits for a player's move before it continues without the move. A screen
    /// shows a move that arrives within this time without a message about waiting.
    pub(super) fn max_wait_before_notice(&self) -> Duration {
        self.max_wait
    }

    /// Builds the players on the thread and waits for them. The budget's stop flag ends the building and the wait.
    ///
    /// # Errors
    /// If they cannot be built; the error is a sentence.
    pub fn build_players(&mut self, budget: &ComputationBudget<'_>) -> Result<(), String> {
        let worker = self.start()?;
        loop {
            match worker.answers.recv_timeout(STOP_INTERVAL) {
                Ok(WorkerMessage::Next(next)) => match *next {
                    MoveWaitResult::Failed(why) => return Err(why),
                    _ => break,
                },
                Ok(_) => break,
                Err(RecvTimeoutError::Timeout) => {
                    budget
                        .check_not_cancelled()
                        .map_err(|exceeded| exceeded.to_string())?;
                }
                Err(RecvTimeoutError::Disconnected) => return Err(ENDED.to_owned()),
            }
        }
        self.worker = Some(worker);
        Ok(())
    }

    /// Waits, at most until `until`, for the player's move that follows `moves`. If `ahead` is true, the thread also
    /// computes the moves after it. If the move does not arrive in time, the thread continues and wakes the client
    /// later.
    pub(super) fn wait_for_next_move(
        &mut self,
        moves: &[Move<Exact>],
        ahead: bool,
        until: Instant,
    ) -> MoveWaitResult {
        loop {
            let worker = match self.ready(moves, ahead) {
                Ok(worker) => worker,
                Err(why) => return MoveWaitResult::Failed(why),
            };
            let left = until.saturating_duration_since(Instant::now());
            match worker.answers.recv_timeout(left) {
                Ok(WorkerMessage::Ready) => {}
                Ok(WorkerMessage::Done) => worker.busy = false,
                Ok(WorkerMessage::Next(next)) => {
                    match *next {
                        MoveWaitResult::Made(..) => worker.known += 1,
                        MoveWaitResult::Ended(_) | MoveWaitResult::Failed(_) => self.worker = None,
                        MoveWaitResult::News(..) | MoveWaitResult::Pending => {}
                    }
                    return *next;
                }
                Err(RecvTimeoutError::Timeout) => return MoveWaitResult::Pending,
                Err(RecvTimeoutError::Disconnected) => {
                    self.worker = None;
                    return MoveWaitResult::Failed(ENDED.to_owned());
                }
            }
        }
    }

    /// Stops the thread after the current move, which is returned by the next call of [`Self::wait_for_next_move`].
    pub(super) fn stop_after_current_move(&mut self) {
        if let Some(worker) = &self.worker {
            worker.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Ends the player thread, because its players have seen moves that were undone.
    pub(super) fn end_thread_after_undo(&mut self) {
        self.worker = None;
    }

    /// Starts the player thread if needed, makes it work on the next moves unless it is busy, and returns its handle.
    fn ready(&mut self, moves: &[Move<Exact>], ahead: bool) -> Result<&mut Worker, String> {
        let worker = match self.worker.take() {
            Some(worker) => worker,
            None => self.start()?,
        };
        let worker = self.worker.insert(worker);
        worker.stop.store(false, Ordering::Relaxed);
        if !worker.busy {
            let order = MoveRequest {
                moves: moves.get(worker.known..).unwrap_or_default().to_vec(),
                ahead,
            };
            worker.known = moves.len();
            worker.busy = true;
            // If the thread has ended, no answer arrives, and the wait for it reports the error.
            let _ = worker.orders.send(order);
        }
        Ok(worker)
    }

    fn start(&self) -> Result<Worker, String> {
        let (orders, received) = channel();
        let (sender, answers) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let dropped = Arc::new(AtomicBool::new(false));
        let unwanted = Arc::clone(&dropped);
        let instance = Arc::clone(&self.instance);
        let seats = Arc::clone(&self.seats);
        let wake = Arc::clone(&self.wake);
        let work = move || {
            let tell = |answer| {
                let heard = sender.send(answer).is_ok();
                wake();
                heard
            };
            let budget = ComputationBudget {
                stop: Some(&unwanted),
                ..ComputationBudget::default()
            };
            match seats(&instance, budget) {
                Ok(mut players) => {
                    tell(WorkerMessage::Ready);
                    serve(&mut players, &received, &stopped, &unwanted, &tell);
                }
                Err(why) => {
                    tell(next(MoveWaitResult::Failed(why)));
                }
            }
        };
        thread::Builder::new()
            .name("players".to_owned())
            .spawn(work)
            .map_err(|error| {
                format!("the system cannot start a thread for the players: {error}")
            })?;
        Ok(Worker {
            orders,
            answers,
            stop,
            dropped,
            known: 0,
            busy: false,
        })
    }
}

fn next(next: MoveWaitResult) -> WorkerMessage {
    WorkerMessage::Next(Box::new(next))
}

/// Processes requests to move on the player thread until the handle is dropped.
fn serve(
    players: &mut DebateWithEngines<'_>,
    orders: &Receiver<MoveRequest>,
    stop: &AtomicBool,
    dropped: &AtomicBool,
    tell: &dyn Fn(WorkerMessage) -> bool,
) {
    let budget = ComputationBudget {
        stop: Some(stop),
        ..ComputationBudget::default()
    };
    for MoveRequest { moves, ahead } in orders {
        for made in moves {
            if let Err(illegal) = players.seating.apply_recorded_move(made) {
                tell(next(MoveWaitResult::Failed(illegal.to_string())));
                return;
            }
        }
        while players.seating.turn().is_some()
            && players
                .seating
                .awaited_seat_of_user_or_driving_program()
                .is_none()
        {
            if budget.check_not_cancelled() == Err(ComputationStopReason::Stopped) {
                break;
            }
            let heard = match next_move(players, dropped, tell) {
                Ok(moved) => tell(next(moved)),
                Err(ended) => {
                    ended.map(|ended| tell(WorkerMessage::Next(ended)));
                    return;
                }
            };
            if !heard {
                return;
            }
            if !ahead {
                break;
            }
        }
        if let (None, Some(engines)) = (players.seating.turn(), &mut players.engines) {
            engines.announce_debate_end(&players.seating, None);
        }
        if !tell(WorkerMessage::Done) {
            return;
        }
    }
}

/// Makes the pending move of a player. The error is the reason why there is no move. It is `None` if the move is no
/// longer wanted, or if a cost cap leaves no room for it.
fn next_move(
    DebateWithEngines { seating, engines }: &mut DebateWithEngines<'_>,
    dropped: &AtomicBool,
    tell: &dyn Fn(WorkerMessage) -> bool,
) -> Result<MoveWaitResult, Option<Box<MoveWaitResult>>> {
    let failed = |why: String| Some(Box::new(MoveWaitResult::Failed(why)));
    let Some((seat, engines)) = seating.engine_seat_to_ask().zip(engines.as_mut()) else {
        let made = seating
            .make_automatic_move()
            .map_err(|stuck| failed(stuck.to_string()))?;
        return Ok(MoveWaitResult::Made(made.made.clone(), Box::default()));
    };
    let unwanted = || dropped.load(Ordering::Relaxed);
    let moved = engines.play(seating, &unwanted, &mut |news| {
        tell(next(MoveWaitResult::News(seat, news)));
    });
    let (made, meta) = moved.map_err(|no_move| match no_move {
        NoEngineMoveReason::Ended(ending) => Some(Box::new(MoveWaitResult::Ended(ending))),
        NoEngineMoveReason::Stopped | NoEngineMoveReason::Capped(_) => None,
    })?;
    let followed = seating.apply_recorded_move(made.clone());
    followed.map_err(|illegal| failed(illegal.to_string()))?;
    Ok(MoveWaitResult::Made(made, Box::new(meta)))
}

/// Placeholder for a built-in player in a debate whose players run on a thread.
pub struct PlaceholderForThreadedPlayer;

impl<'a> Policy<Exact, State<'a, Exact>> for PlaceholderForThreadedPlayer {
    fn choose(
        &self,
        _view: View<'_, State<'a, Exact>>,
        _request: &Request<Exact>,
        _mind: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<Exact>> {
        None
    }
}
