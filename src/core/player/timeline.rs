//! Timelines: a debate as a list of moves with a cursor. Every debate is played and replayed through a timeline. It
//! stores snapshots of states, so that a step back need not replay the debate from its start.

use std::ops::Range;

use crate::number::Number;
use crate::protocol::{
    BitString, ChanceDraw, IllegalReply, Log, LogEntry, Reply, ResourceCostsBySeat, Rules, Seat,
    SeatResourceCosts, State,
};

/// A reply or a coin toss.
#[derive(Clone, Debug, PartialEq)]
pub struct Move<N> {
    pub seat: Seat,
    /// The reply.
    pub reply: Reply<N>,
    /// The coin, if the move is a coin toss.
    pub coin: Option<CoinDrawFromSeed<N>>,
    /// The oracle queries and samples that the player used to find the reply. Expenses that the rules record are not
    /// included.
    pub spent: SeatResourceCosts,
}

/// The record of a random draw: the random integer from the seed, and the draw whose outcome the integer determines.
#[derive(Clone, Debug, PartialEq)]
pub struct CoinDrawFromSeed<N> {
    /// The number of the draw, which no other draw of the debate has. Numbers may be skipped.
    pub ordinal: u64,
    /// The 53-bit integer.
    pub integer: u64,
    pub draw: ChanceDraw<N>,
}

/// A move with its events and other context: everything that a line of a save contains.
#[derive(Debug, PartialEq)]
pub struct MoveWithEvents<'s, N> {
    /// The move.
    pub made: &'s Move<N>,
    /// The honest bits that the rules had prepared for the reply, for the player to edit
    /// ([`State::honest_reply_bits`](crate::protocol::State::honest_reply_bits)). `None` if the reply is not bits, or
    /// if the rules prepared none.
    pub prepared: Option<&'s BitString>,
    pub events: &'s [LogEntry<N>],
}

impl<N> Clone for MoveWithEvents<'_, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<N> Copy for MoveWithEvents<'_, N> {}

/// A debate as a sequence of legal moves with a cursor: the state and the log show the debate after the moves before
/// the cursor. Going forward replays the moves in between. Going back from the end by d moves replays at most 32 moves,
/// or d / 7 moves if that is more, because snapshots of some states are stored.
///
/// ```
/// # use debate_core::player::{Move, DebateTimeline};
/// # use debate_core::protocol::SeatResourceCosts;
/// # use debate_core::scenario::{TestedNumberVisibility, PrimalityMethod, NumbersTestedForPrimality, ScenarioValuePath, PrimalityProblem, PrimalitySpec};
/// # use debate_core::{Exact, Instance, Oracle, Protocol, Reply, Rules, Seat};
/// # use std::sync::Arc;
/// # let problem = PrimalitySpec {
/// #     numbers: NumbersTestedForPrimality::List(vec![4331_u32.into()]),
/// #     estimator_knows: TestedNumberVisibility::Number,
/// #     method: PrimalityMethod::Intervals { width: 4, primes_from: None },
/// # };
/// # let problem = PrimalityProblem::build(problem, &ScenarioValuePath::path_of_top_level_field("problem")).unwrap();
/// # let instance = Instance::new(Arc::new(problem), 0, Oracle::Truth);
/// # let protocol = Protocol::parse("Recursive").unwrap();
/// let said = |reply| Move { seat: Seat::Prover, reply, coin: None, spent: SeatResourceCosts::default() };
/// let mut timeline = DebateTimeline::new(protocol.start::<Exact>(&instance).unwrap());
/// timeline.make_move(said(Reply::Answer(false))).unwrap();
/// assert!(timeline.make_move(said(Reply::Answer(true))).is_err()); // that was asked already
/// assert_eq!(timeline.state().answer(), Some(false));
/// timeline.seek_cursor_after_moves(0).unwrap();
/// assert_eq!(timeline.state().answer(), None);
/// let again = timeline.move_cursor_forward().unwrap().unwrap();
/// assert_eq!(again.made.reply, Reply::Answer(false));
/// ```
#[derive(Clone, Debug)]
pub struct DebateTimeline<'a, N: Number> {
    snapshots: StateSnapshots<State<'a, N>>,
    state: State<'a, N>,
    log: Log<N>,
    /// All moves of the debate, including those after the cursor.
    moves: Vec<Move<N>>,
    /// For each move before the cursor, the number of log entries before the move.
    begins: Vec<usize>,
    /// For the last move before the cursor: the honest bits that the rules offered its player to edit, as
    /// [`MoveWithEvents::prepared`].
    prepared: Option<BitString>,
}

impl<'a, N: Number> DebateTimeline<'a, N> {
    /// Creates a timeline that begins at the state `start` and has no moves.
    pub fn new(start: State<'a, N>) -> Self {
        Self {
            state: start.clone(),
            snapshots: StateSnapshots::new(start),
            log: Log::default(),
            moves: Vec::new(),
            begins: Vec::new(),
            prepared: None,
        }
    }

    /// Creates a timeline of a debate that begins at `start` and continues with these moves; the cursor is at the end.
    ///
    /// # Errors
    /// Returns the reason for the first illegal move.
    pub fn with_moves(start: State<'a, N>, moves: &[Move<N>]) -> Result<Self, IllegalReply> {
        let mut timeline = Self::new(start);
        for made in moves {
            timeline.make_move(made.clone())?;
        }
        Ok(timeline)
    }

    /// Returns a copy of the timeline with the cursor before the first move.
    #[must_use]
    pub fn copy_with_cursor_at_start(&self) -> Self {
        Self {
            moves: self.moves.clone(),
            ..Self::new(self.state_at_start().clone())
        }
    }

    /// Returns the state of the debate before the first move.
    pub fn state_at_start(&self) -> &State<'a, N> {
        self.snapshots.initial_snapshot()
    }

    /// Returns the state of the debate at the cursor.
    pub fn state(&self) -> &State<'a, N> {
        &self.state
    }

    /// Returns the cost of each seat up to the cursor: the cost that the rules record plus the cost that the players
    /// report.
    pub fn spending_by_seat(&self) -> ResourceCostsBySeat {
        let mut ledger = *self.state.ledger();
        let before_cursor = self.moves().iter().take(self.move_count_before_cursor());
        for made in before_cursor {
            *ledger.spending_of_seat_mut(made.seat) += made.spent;
        }
        ledger
    }

    /// Returns the log of the debate up to the cursor.
    pub fn log_to_cursor(&self) -> &Log<N> {
        &self.log
    }

    /// Returns the number of moves before the cursor.
    pub fn move_count_before_cursor(&self) -> usize {
        self.begins.len()
    }

    /// Returns all moves, including those after the cursor.
    pub fn moves(&self) -> &[Move<N>] {
        &self.moves
    }

    /// Returns the indices of the log entries that the move with this number (from 0) caused; `None` if the move is not
    /// before the cursor.
    pub fn log_range_of_move(&self, move_index: usize) -> Option<Range<usize>> {
        let begin = *self.begins.get(move_index)?;
        let next = self.begins.get(move_index + 1).copied();
        Some(begin..next.unwrap_or_else(|| self.log.entries().len()))
    }

    /// Returns the last move before the cursor with its context; `None` if the cursor is at the start.
    pub fn move_before_cursor(&self) -> Option<MoveWithEvents<'_, N>> {
        let last = self.move_count_before_cursor().checked_sub(1)?;
        Some(MoveWithEvents {
            made: self.moves.get(last)?,
            prepared: self.prepared.as_ref(),
            events: self.log.entries().get(self.log_range_of_move(last)?)?,
        })
    }

    /// Makes a move at the cursor. Existing moves after the cursor are dropped.
    ///
    /// # Errors
    /// Returns an error if it is illegal. The timeline is then unchanged.
    pub fn make_move(&mut self, made: Move<N>) -> Result<MoveWithEvents<'_, N>, IllegalReply> {
        self.take(made.reply.clone())?;
        let last = self.move_count_before_cursor() - 1;
        self.moves.truncate(last);
        self.moves.push(made);
        Ok(MoveWithEvents {
            made: &self.moves[last],
            prepared: self.prepared.as_ref(),
            events: &self.log.entries()[self.begins[last]..],
        })
    }

    /// Moves the cursor one move forward; `None` at the end.
    ///
    /// # Errors
    /// Returns an error if the move is illegal. The timeline is then unchanged.
    pub fn move_cursor_forward(&mut self) -> Result<Option<MoveWithEvents<'_, N>>, IllegalReply> {
        let Some(made) = self.moves.get(self.move_count_before_cursor()) else {
            return Ok(None);
        };
        self.take(made.reply.clone())?;
        Ok(self.move_before_cursor())
    }

    /// Moves the cursor one move back; no effect at the start.
    ///
    /// # Errors
    /// As for [`Self::seek_cursor_after_moves`].
    pub fn move_cursor_back(&mut self) -> Result<(), IllegalReply> {
        self.seek_cursor_after_moves(self.move_count_before_cursor().saturating_sub(1))
    }

    /// Moves the cursor to the position after the first `move_count` moves, or to the end if there are fewer moves.
    ///
    /// # Errors
    /// Returns an error if a move on the way is illegal. The cursor is then before that move if it moved forward, and
    /// unchanged if it moved back.
    pub fn seek_cursor_after_moves(&mut self, move_count: usize) -> Result<(), IllegalReply> {
        if move_count < self.move_count_before_cursor() {
            return self.go_back(move_count);
        }
        while self.move_count_before_cursor() < move_count {
            if self.move_cursor_forward()?.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// Removes all moves after the first `moves_kept` moves, and moves the cursor to the end of the remaining moves.
    ///
    /// # Errors
    /// As for [`Self::seek_cursor_after_moves`].
    pub fn truncate_moves(&mut self, moves_kept: usize) -> Result<(), IllegalReply> {
        self.seek_cursor_after_moves(moves_kept)?;
        self.moves.truncate(moves_kept);
        Ok(())
    }

    /// Replies at the cursor.
    fn take(&mut self, reply: Reply<N>) -> Result<(), IllegalReply> {
        let prepared = prepared(&self.state, &reply);
        let begin = self.log.entries().len();
        self.state.reply(reply, &mut self.log)?;
        self.begins.push(begin);
        self.prepared = prepared;
        let at = self.begins.len();
        let state = &self.state;
        self.snapshots.store_if_due(at, || state.clone());
        Ok(())
    }

    /// Moves the cursor back: shortens the log and recomputes the state from the last snapshot before move `count`.
    fn go_back(&mut self, count: usize) -> Result<(), IllegalReply> {
        let (from, state) = self.snapshots.last_snapshot_strictly_before(count);
        let mut state = state.clone();
        let mut last = None;
        self.snapshots.drop_snapshots_after(from);
        for (number, made) in (from + 1..=count).zip(self.moves.iter().skip(from)) {
            if number == count {
                last = prepared(&state, &made.reply);
            }
            state.reply(made.reply.clone(), &mut ())?;
            self.snapshots.store_if_due(number, || state.clone());
        }
        if let Some(end) = self.begins.get(count) {
            self.log.truncate(*end);
        }
        self.begins.truncate(count);
        self.prepared = last;
        self.state = state;
        Ok(())
    }
}

/// Returns the honest bits that the rules prepared for a reply that consists of bits. `None` for other replies, or if
/// the rules prepared no bits.
fn prepared<N: Number>(state: &State<'_, N>, reply: &Reply<N>) -> Option<BitString> {
    match reply {
        Reply::Bits(_) => state.honest_reply_bits(),
        _ => None,
    }
}

/// The smallest number of steps between two snapshots.
const EVERY: usize = 32;

/// Limits the spacing of old snapshots: it is at most their distance from the last step divided by this number, or
/// [`EVERY`].
const PART: usize = 8;

/// Snapshots of a value that changes step by step: close together near the last step, further apart before it.
/// After n steps there are O(log n) snapshots. Going back by d steps recomputes at most max(32, d / 7) steps, from the
/// last snapshot before the new position. The recomputed steps are stored again ([`Self::store_if_due`]), so going back
/// a little further is cheap.
///
/// ```
/// # use debate_core::player::StateSnapshots;
/// let mut snapshots = StateSnapshots::new(0);
/// for step in 1..=1000 {
///     snapshots.store_if_due(step, || step);
/// }
/// assert_eq!(snapshots.last_snapshot_strictly_before(980), (960, &960));
/// assert!(snapshots.snapshot_count_after_start() < 50);
/// ```
#[derive(Clone, Debug)]
pub struct StateSnapshots<T> {
    start: T,
    /// The snapshots after the start, each with the number of steps before it, in ascending order.
    later: Vec<(usize, T)>,
}

impl<T> StateSnapshots<T> {
    /// Creates the snapshots of a value that has not changed yet.
    pub fn new(start: T) -> Self {
        let later = Vec::new();
        Self { start, later }
    }

    /// Returns the first snapshot: the value before any step.
    pub fn initial_snapshot(&self) -> &T {
        &self.start
    }

    /// Returns the number of snapshots after the start.
    pub fn snapshot_count_after_start(&self) -> usize {
        self.later.len()
    }

    /// Stores a snapshot of the value after `steps` steps, if a snapshot is due, and then removes old snapshots that
    /// are too close together. The caller calls this function after each step.
    pub fn store_if_due(&mut self, steps: usize, current: impl FnOnce() -> T) {
        let newest = self.later.last().map_or(0, |(at, _)| *at);
        if !steps.is_multiple_of(EVERY) || steps <= newest {
            return;
        }
        self.later
            .retain(|(at, _)| at.is_multiple_of(spacing(steps - at)));
        self.later.push((steps, current()));
    }

    /// Returns the last snapshot after fewer than `steps` steps, and its number of steps.
    pub fn last_snapshot_strictly_before(&self, steps: usize) -> (usize, &T) {
        let index = self.later.partition_point(|(at, _)| *at < steps);
        let snapshot = index.checked_sub(1).and_then(|last| self.later.get(last));
        snapshot.map_or((0, &self.start), |(at, kept)| (*at, kept))
    }

    /// Removes the snapshots of states later than step `steps`. A snapshot of exactly this step remains.
    pub fn drop_snapshots_after(&mut self, steps: usize) {
        let index = self.later.partition_point(|(at, _)| *at <= steps);
        self.later.truncate(index);
    }
}

/// Returns the spacing, in steps, of snapshots at this distance before the last step. It is [`EVERY`] times a power of
/// 2: the largest such number up to distance / [`PART`], but at least [`EVERY`]. The spacing never decreases as the
/// distance grows, so old snapshots only need to be thinned out.
fn spacing(distance: usize) -> usize {
    let parts = distance / (EVERY * PART);
    EVERY << parts.checked_ilog2().unwrap_or(0)
}
