//! A running debate: one value that owns its state, its players, its save, its engines and the costs of replies.
//!
//! Every client of a debate calls [`Debate::advance_by_one_move`] until it returns the client's next action: ask an
//! external player ([`AdvanceResult::Ask`]), report a failure, or show the result. Only `simulate` and the batches of
//! `serve` have separate loops, which are built for speed.
//!
//! ```
//! use debate_core::{Reply, Seat};
//! use debate_host::AdvanceResult;
//! use debate_host::plan::{DebateOptions, SaveStorageOptions};
//!
//! let options = DebateOptions {
//!     roles: vec![Some(Seat::Prover)],
//!     ..DebateOptions::default()
//! };
//! let plan = options.plan_named_scenario("primes").unwrap();
//! let instance = plan.instance();
//! let mut debate = plan.start(&instance, &SaveStorageOptions::without_save()).unwrap();
//! while let AdvanceResult::Ask(turn) = debate.play_until_blocked().unwrap() {
//!     let replies = debate_solver::every_reply(&turn, &[]).unwrap();
//!     debate.reply(replies[0].clone(), 0).unwrap().unwrap();
//! }
//! assert!(debate.state_and_players().turn().is_none());
//! ```

mod players;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::engine::{
    EngineFailure, EngineThinkingOrFailedAttempt, NoEngineMoveReason, SeatedEngines,
};
use crate::record::{
    Forfeit, ReplyCostsBySeat, ReplyMeta, SaveFileError, SaveJournal, SaveJournalSavepoint,
    SaveLineFormatter, SaveLinesToWrite,
};
use debate_core::player::{CannotAdvanceDebate, CannotUndoReply, Move, SeatedDebate};
use debate_core::protocol::{PendingTurn, SpeechDebate};
use debate_core::scenario::Instance;
use debate_core::{Exact, IllegalReply, Reply, Seat};
use players::MoveWaitResult;

pub use players::{DebateWithEngines, PlaceholderForThreadedPlayer, PlayersThread};

/// The result of one call of [`Debate::advance_by_one_move`].
#[derive(Debug)]
pub enum AdvanceResult {
    /// The debate waits for the reply of an external player, such as a human player.
    Ask(PendingTurn<Exact>),
    /// Chance, a built-in player or an engine made a move.
    Moved,
    /// An engine that had to move made no move. A fault of the engine forfeits the debate; an outage leaves it
    /// unfinished.
    Failed(EngineFailure),
    /// A player on another thread is thinking. The thread wakes the client when the move has arrived.
    Pending,
    /// The stop signal, or a limit of costs, ended the wait for an engine.
    Stopped,
    /// The debate is over: the rules ended it, or a forfeit did.
    Over,
}

/// The reason why a step of a debate failed: a move, its saving, or an undo.
#[derive(Debug, Error)]
pub enum DebateError {
    /// A built-in player failed.
    #[error(transparent)]
    CannotAdvance(#[from] CannotAdvanceDebate),
    /// An engine must move, but no engine was started.
    #[error("no engine was started for the {seat}", seat = .0)]
    NoEngine(Seat),
    /// The players on another thread cannot be built, or a player on it failed.
    #[error("{0}")]
    Players(String),
    /// The save cannot be written. A reply of an external player then does not count, unless its line has reached the
    /// disk.
    #[error("{}: {cause}", path.display())]
    Save {
        path: PathBuf,
        #[source]
        cause: SaveFileError,
    },
    /// A move that another save, an engine or a thread of players supplied is illegal in this debate.
    #[error("the debate refuses a move that it received: {reason}", reason = .0)]
    Branch(IllegalReply),
    /// The last reply cannot be undone: there is none, a coin was tossed after it, or a replayed move was rejected.
    #[error(transparent)]
    Undo(#[from] CannotUndoReply),
}

impl DebateError {
    /// True if saving failed because of the disk or the system, so that a later attempt may succeed.
    pub fn is_transient(&self) -> bool {
        let Self::Save { cause, .. } = self else {
            return false;
        };
        matches!(cause, SaveFileError::Io { .. })
    }
}

/// Calls `act` with the debate's journal, which writes the debate's save. Does nothing if the debate is not saved.
fn keep(
    journal: &mut Option<SaveJournal>,
    act: impl FnOnce(&mut SaveJournal) -> Result<(), SaveFileError>,
) -> Result<(), DebateError> {
    let Some(journal) = journal else {
        return Ok(());
    };
    act(journal).map_err(|cause| DebateError::Save {
        path: journal.save_path().to_owned(),
        cause,
    })
}

/// Appends lines to the debate's save file through its journal; does nothing if the debate is not saved.
fn write(
    journal: &mut Option<SaveJournal>,
    make: impl FnOnce(&mut SaveLineFormatter) -> Result<SaveLinesToWrite, SaveFileError>,
) -> Result<(), DebateError> {
    keep(journal, |journal| journal.write(make))
}

/// A running debate. Every move is appended to its save, if it has one.
///
/// When a call returns, every reply of an external player is on the disk. Before an external player is asked, all
/// earlier moves are on the disk too. Moves of built-in players and chance may wait for the disk: they can be computed
/// again. After [`Debate::defer_disk_sync_to_end`], all moves may wait for the disk until the end.
pub struct Debate<'a> {
    seating: SeatedDebate<'a, Exact>,
    journal: Option<SaveJournal>,
    engines: Option<SeatedEngines<'a>>,
    /// The thread that asks the built-in players and engines for their moves; `None` if the thread of the caller asks
    /// them. External players, such as users, reply through the caller.
    thread: Option<PlayersThread>,
    /// Stop signal: returns true once the reply of an engine is no longer wanted.
    stop: Box<dyn Fn() -> bool + 'a>,
    /// Events of engines that the client has not taken yet: see [`Self::take_engine_events`].
    news: Vec<EngineThinkingOrFailedAttempt>,
    forfeit: Option<Forfeit>,
    finished: bool,
}

impl<'a> Debate<'a> {
    /// Creates a debate with the state and the players of a seating. The journal, the file of its save, must contain
    /// all its moves already.
    pub fn new(seating: SeatedDebate<'a, Exact>, journal: Option<SaveJournal>) -> Self {
        Self {
            seating,
            journal,
            engines: None,
            thread: None,
            stop: Box::new(|| false),
            news: Vec::new(),
            forfeit: None,
            finished: false,
        }
    }

    /// Adds the engines that play.
    #[must_use]
    pub fn with_engines(self, engines: SeatedEngines<'a>) -> Self {
        let engines = Some(engines);
        Self { engines, ..self }
    }

    /// Makes the built-in players and engines of this debate move on a separate thread. [`Self::advance_by_one_move`]
    /// then waits for a limited time, and returns [`AdvanceResult::Pending`] if the move has not arrived. In the
    /// seating, a [`PlaceholderForThreadedPlayer`] takes the seat of each built-in player.
    pub fn use_player_thread(&mut self, players: PlayersThread) {
        self.thread = Some(players);
    }

    /// Returns the maximum time for which [`Self::advance_by_one_move`] waits for a player on another thread.
    pub fn max_advance_wait_for_players_thread(&self) -> Duration {
        let thread = self.thread.as_ref();
        thread.map_or(Duration::ZERO, PlayersThread::max_wait_before_notice)
    }

    /// Stops the players on another thread after the current move.
    pub fn stop_player_thread_after_current_move(&mut self) {
        if let Some(thread) = &mut self.thread {
            thread.stop_after_current_move();
        }
    }

    /// Sets the signal that ends the wait for an engine: it returns true once the reply is no longer wanted.
    #[must_use]
    pub fn with_engine_wait_stop_signal(self, stop: impl Fn() -> bool + 'a) -> Self {
        let stop = Box::new(stop);
        Self { stop, ..self }
    }

    /// Makes the save wait for the disk only at the end of the debate: see [`SaveJournal::defer_disk_sync_to_end`].
    pub fn defer_disk_sync_to_end(&mut self) {
        if let Some(journal) = &mut self.journal {
            journal.defer_disk_sync_to_end();
        }
    }

    /// Returns the debate's seating, which contains its state and its players.
    pub fn state_and_players(&self) -> &SeatedDebate<'a, Exact> {
        &self.seating
    }

    /// Returns the path of the save; `None` if the debate is not saved.
    pub fn save_path(&self) -> Option<&Path> {
        self.journal.as_ref().map(SaveJournal::save_path)
    }

    /// Returns the costs of the replies of each seat so far; zero if the debate is not saved.
    pub fn saved_reply_costs_by_seat(&self) -> ReplyCostsBySeat {
        self.journal
            .as_ref()
            .map_or_else(ReplyCostsBySeat::default, |journal| journal.writer.costs)
    }

    /// Deletes the save of a debate that has no moves and no forfeit, because such a debate cannot be resumed.
    ///
    /// # Errors
    /// If the save cannot be deleted.
    pub fn delete_save_if_unplayed(&mut self) -> Result<(), DebateError> {
        // A debate that was forfeited before the first move has a result.
        if self.finished || !self.seating.moves().is_empty() {
            return Ok(());
        }
        keep(&mut self.journal, |journal| journal.delete_save_file())?;
        self.journal = None;
        Ok(())
    }

    /// Makes the moves of another debate in this one, and saves them. Both debates have the same start and seed.
    ///
    /// # Errors
    /// If a move is illegal here, or the moves cannot be saved.
    pub fn append_moves_of_other_debate(
        &mut self,
        moves: &[Move<Exact>],
    ) -> Result<(), DebateError> {
        for made in moves {
            let latest = self
                .seating
                .apply_recorded_move(made.clone())
                .map_err(DebateError::Branch)?;
            keep(&mut self.journal, |journal| {
                journal.append_latest_move(latest)
            })?;
        }
        self.flush_save()
    }

    /// Makes the next move, if chance, a built-in player or an engine is to move. Waits until an engine replies or
    /// fails. If the players and engines run on a separate thread, waits only for a limited time.
    ///
    /// # Errors
    /// If a player fails, no engine was started, or the move cannot be saved.
    pub fn advance_by_one_move(&mut self) -> Result<AdvanceResult, DebateError> {
        self.advance_until(
            Instant::now() + self.max_advance_wait_for_players_thread(),
            false,
        )
    }

    /// Makes the next move as [`Self::advance_by_one_move`] does, but waits for a player on another thread until
    /// `until`. If `plays_ahead` is true, that thread also computes the moves after this one.
    ///
    /// # Errors
    /// As [`Self::advance_by_one_move`].
    pub fn advance_until(
        &mut self,
        until: Instant,
        plays_ahead: bool,
    ) -> Result<AdvanceResult, DebateError> {
        let Some(turn) = self.seating.turn() else {
            return Ok(AdvanceResult::Over);
        };
        if self.finished {
            return Ok(AdvanceResult::Over);
        }
        if self.seating.is_seat_of_user_or_driving_program(turn.seat) {
            return Ok(AdvanceResult::Ask(turn));
        }
        if self.thread.is_some() {
            return self.await_thread(until, plays_ahead);
        }
        if self.seating.engine_seat_to_ask().is_some() {
            return self.ask_engine(turn.seat);
        }
        let made = self.seating.make_automatic_move()?;
        keep(&mut self.journal, |journal| {
            journal.append_latest_move(made)
        })?;
        self.after_move()?;
        Ok(AdvanceResult::Moved)
    }

    /// Makes moves until an external player is asked, no player can move now, or the debate is over. The result is
    /// never [`AdvanceResult::Moved`].
    ///
    /// # Errors
    /// As [`Self::advance_by_one_move`].
    pub fn play_until_blocked(&mut self) -> Result<AdvanceResult, DebateError> {
        loop {
            match self.advance_by_one_move()? {
                AdvanceResult::Moved => {}
                step => return Ok(step),
            }
        }
    }

    fn await_thread(&mut self, until: Instant, ahead: bool) -> Result<AdvanceResult, DebateError> {
        let Some(thread) = &mut self.thread else {
            return Ok(AdvanceResult::Pending);
        };
        match thread.wait_for_next_move(self.seating.moves(), ahead, until) {
            MoveWaitResult::Pending => Ok(AdvanceResult::Pending),
            MoveWaitResult::Failed(why) => Err(DebateError::Players(why)),
            MoveWaitResult::News(seat, news) => {
                self.save_engine_event(seat, news.clone())?;
                self.news.push(news);
                Ok(AdvanceResult::Pending)
            }
            MoveWaitResult::Ended(ending) => {
                self.save_failure_and_forfeit_on_fault(&ending)?;
                Ok(AdvanceResult::Failed(ending))
            }
            MoveWaitResult::Made(made, meta) => {
                self.apply_player_move(made, &meta)?;
                Ok(AdvanceResult::Moved)
            }
        }
    }

    fn ask_engine(&mut self, seat: Seat) -> Result<AdvanceResult, DebateError> {
        let engines = self.engines.as_mut().ok_or(DebateError::NoEngine(seat))?;
        let mut heard = Vec::new();
        let moved = engines.play(&self.seating, &*self.stop, &mut |news| match news {
            // An engine may report its thinking without limit, so the report is logged and not saved.
            EngineThinkingOrFailedAttempt::Info { text, dropped } => {
                tracing::info!(text, dropped, "engine");
            }
            news => heard.push(news),
        });
        for news in heard {
            self.save_engine_event(seat, news.clone())?;
            self.news.push(news);
        }
        match moved {
            Ok((made, meta)) => {
                self.apply_player_move(made, &meta)?;
                Ok(AdvanceResult::Moved)
            }
            Err(NoEngineMoveReason::Ended(ending)) => {
                self.save_failure_and_forfeit_on_fault(&ending)?;
                Ok(AdvanceResult::Failed(ending))
            }
            Err(NoEngineMoveReason::Stopped | NoEngineMoveReason::Capped(_)) => {
                Ok(AdvanceResult::Stopped)
            }
        }
    }

    /// Plays until an engine is asked, refuses its first reply, and waits for a second reply. Used to check an engine.
    ///
    /// # Errors
    /// Returns the reason why no second reply came, or no engine was asked.
    pub fn check_engine_retries_refused_reply(&mut self) -> Result<(), String> {
        while self.seating.engine_seat_to_ask().is_none() {
            self.seating
                .make_automatic_move()
                .map_err(|stuck| stuck.to_string())?;
        }
        let engines = self.engines.as_mut();
        let engines = engines.ok_or_else(|| "no engine is started".to_owned())?;
        engines.check_reply_after_refusal(&self.seating)
    }

    /// Returns and removes the events of engines since the last call: refused replies, failed attempts and, if the
    /// players run on a separate thread, reports of their thinking.
    pub fn take_engine_events(&mut self) -> Vec<EngineThinkingOrFailedAttempt> {
        std::mem::take(&mut self.news)
    }

    /// Saves an event of the engine in this seat: a refused reply or a failed attempt. Reports of its thinking are not
    /// saved.
    ///
    /// # Errors
    /// If it cannot be saved.
    pub fn save_engine_event(
        &mut self,
        seat: Seat,
        event: EngineThinkingOrFailedAttempt,
    ) -> Result<(), DebateError> {
        match event {
            EngineThinkingOrFailedAttempt::Info { .. } => Ok(()),
            EngineThinkingOrFailedAttempt::Refused { reply, why, meta } => {
                self.save_illegal_reply(&reply, &why, *meta)
            }
            EngineThinkingOrFailedAttempt::Failed { fault, why, meta } => {
                self.save_fault_comment(seat, fault, &why, *meta)
            }
        }
    }

    /// Saves the reason why a player makes no move. If the failure is the player's fault, also ends the debate by a
    /// forfeit; an outage leaves the debate unfinished.
    ///
    /// # Errors
    /// If it cannot be saved.
    pub fn save_failure_and_forfeit_on_fault(
        &mut self,
        failure: &EngineFailure,
    ) -> Result<(), DebateError> {
        let fault = failure.fault;
        self.save_fault_comment(
            failure.seat,
            fault.engine_fault_name(),
            &failure.why,
            failure.fault_metadata_for_save_line(),
        )?;
        if fault.causes_forfeit() {
            self.end_by_forfeit(failure.seat, fault.engine_fault_name())
        } else {
            self.flush_save()
        }
    }

    /// Tells the engines that no more requests follow. If the debate is over, the message contains its result.
    pub fn notify_engines_of_end(&mut self) {
        if let Some(engines) = &mut self.engines {
            engines.announce_debate_end(&self.seating, self.forfeit.as_ref());
        }
    }

    /// Adds to the debate and to its save a move that an engine, or a player on another thread, made. `meta` has
    /// metadata such as its cost.
    ///
    /// # Errors
    /// If the move is illegal, or cannot be saved.
    pub fn apply_player_move(
        &mut self,
        made: Move<Exact>,
        meta: &ReplyMeta,
    ) -> Result<(), DebateError> {
        let made = self
            .seating
            .apply_recorded_move(made)
            .map_err(DebateError::Branch)?;
        write(&mut self.journal, |writer| writer.move_line(made, meta))?;
        self.after_move()
    }

    /// Saves an illegal reply of an engine or an external player as a comment on the turn.
    ///
    /// # Errors
    /// If it cannot be saved.
    pub fn save_illegal_reply(
        &mut self,
        reply: &Reply<Exact>,
        why: &str,
        meta: ReplyMeta,
    ) -> Result<(), DebateError> {
        let state = self.seating.state();
        write(&mut self.journal, |writer| {
            writer.refused(state, reply, why, meta)
        })
    }

    /// Saves a fault of a player, such as a timeout, as a comment on the turn.
    ///
    /// # Errors
    /// If it cannot be saved.
    pub fn save_fault_comment(
        &mut self,
        seat: Seat,
        fault: &str,
        why: &str,
        meta: ReplyMeta,
    ) -> Result<(), DebateError> {
        write(&mut self.journal, |writer| {
            writer.fault(seat, fault, why, meta)
        })
    }

    /// Returns the forfeit that ended the debate, if any.
    pub fn ending_forfeit(&self) -> Option<&Forfeit> {
        self.forfeit.as_ref()
    }

    /// Ends the debate as forfeited by a player's fault and closes the save. The caller has already appended the fault
    /// to the save.
    ///
    /// # Errors
    /// If it cannot be saved.
    pub fn end_by_forfeit(&mut self, seat: Seat, fault: &str) -> Result<(), DebateError> {
        self.finished = true;
        self.forfeit = Some(Forfeit {
            seat: seat.name_in_flags_and_json(),
            fault: fault.to_owned(),
        });
        tracing::info!(
            seat = seat.name_in_flags_and_json(),
            fault,
            "debate forfeited"
        );
        keep(&mut self.journal, |journal| {
            journal.finish_by_forfeit(seat, fault)
        })
    }

    /// Writes waiting moves to the disk before an external player or an engine is asked. Closes the save of a debate
    /// that is over.
    fn after_move(&mut self) -> Result<(), DebateError> {
        // The reply may still be sealed, so the log of the program names only the seat.
        let seat = self
            .seating
            .moves()
            .last()
            .map(|made| made.seat.name_in_flags_and_json());
        tracing::debug!(seat, "move");
        let asked = self
            .seating
            .awaited_seat_of_user_or_driving_program()
            .or_else(|| self.seating.engine_seat_to_ask());
        if asked.is_some() {
            self.flush_save()?;
        }
        self.close_save_if_over()
    }

    /// Takes the reply of the external player whose turn it is, and the thinking time in milliseconds. An illegal reply
    /// is saved as a comment and returned as the inner error; the state of the debate is then unchanged.
    ///
    /// # Errors
    /// If the reply cannot be saved. The state of the debate is then unchanged, unless the reply's line has reached the
    /// disk.
    pub fn reply(
        &mut self,
        reply: Reply<Exact>,
        ms: u64,
    ) -> Result<Result<(), IllegalReply>, DebateError> {
        self.reply_with_meta(reply, ReplyMeta::with_thinking_ms(ms))
    }

    /// Takes the reply as [`Self::reply`] does, with metadata such as its cost.
    ///
    /// # Errors
    /// As [`Self::reply`].
    pub fn reply_with_meta(
        &mut self,
        reply: Reply<Exact>,
        meta: ReplyMeta,
    ) -> Result<Result<(), IllegalReply>, DebateError> {
        let awaited = self
            .seating
            .awaited_seat_of_user_or_driving_program()
            .is_some();
        let before = self.seating.moves().len();
        let kept = reply.clone();
        let made = match self.seating.reply(reply) {
            Ok(made) => made,
            Err(illegal) => {
                tracing::warn!(%illegal, "reply refused");
                if awaited {
                    self.save_illegal_reply(&kept, &illegal.to_string(), meta)?;
                }
                return Ok(Err(illegal));
            }
        };
        tracing::debug!(
            seat = made.made.seat.name_in_flags_and_json(),
            ms = meta.ms,
            "reply"
        );
        let savepoint = self.journal.as_ref().map(SaveJournal::savepoint);
        let written =
            write(&mut self.journal, |writer| writer.move_line(made, &meta)).and_then(|()| {
                match self.seating.turn() {
                    Some(_) => self.flush_save(),
                    None => self.close_save_if_over(),
                }
            });
        if written.is_err() && self.roll_back_to(savepoint) {
            self.finished = false;
            self.seating
                .go_back_to_move(before)
                .map_err(CannotUndoReply::from)?;
        }
        written.map(Ok)
    }

    /// Makes the replies of external players to requests that leave nothing to choose: a claim with one support, a
    /// support with one subclaim, and words of the judge that no debater reads. Returns the number of replies.
    ///
    /// # Errors
    /// As [`Self::reply`].
    pub fn make_replies_without_choice(&mut self, instance: &Instance) -> Result<u32, DebateError> {
        let mut count = 0;
        while let Some(reply) = self.only_reply(instance) {
            if self.reply_with_meta(reply, ReplyMeta::default())?.is_err() {
                break;
            }
            count += 1;
        }
        Ok(count)
    }

    /// Returns the reply of the external player whose turn it is, if the request leaves nothing to choose. `None` if
    /// the player has a choice, or if no external player is to move.
    fn only_reply(&self, instance: &Instance) -> Option<Reply<Exact>> {
        self.seating.awaited_seat_of_user_or_driving_program()?;
        let spoken: Result<&SpeechDebate<'_, Exact>, _> = self.seating.state().try_into();
        if spoken.is_ok_and(SpeechDebate::asks_for_words_after_last_round) {
            return Some(Reply::Speech(Box::default()));
        }
        let request = self.seating.turn()?.request;
        let only = request.only_listed_choice()?;
        let writes = request
            .claim_of_request()
            .is_some_and(|claim| instance.max_prover_written_subclaims(claim).is_some());
        match only {
            Reply::Support(_) if writes => None,
            only => Some(only),
        }
    }

    /// Undoes the last reply of an external player that was a choice, and the replies after it.
    ///
    /// # Errors
    /// As [`Self::undo_last_external_reply`].
    pub fn undo_last_reply_with_choice(&mut self, instance: &Instance) -> Result<(), DebateError> {
        self.undo_last_external_reply()?;
        while self.only_reply(instance).is_some() {
            self.undo_last_external_reply()?;
        }
        Ok(())
    }

    /// Removes from the debate's save the lines that were appended after the savepoint. Removes none and returns false
    /// if any of them has reached the disk, or if the debate is not saved.
    fn roll_back_to(&mut self, savepoint: Option<SaveJournalSavepoint>) -> bool {
        match (&mut self.journal, savepoint) {
            (Some(journal), Some(savepoint)) => journal.roll_back_to(savepoint),
            _ => false,
        }
    }

    /// Undoes the last reply of an external player.
    ///
    /// # Errors
    /// If no reply can be undone, or the undo cannot be saved; the reply then still counts.
    pub fn undo_last_external_reply(&mut self) -> Result<(), DebateError> {
        let kept = self.seating.move_count_after_undo()?;
        let savepoint = self.journal.as_ref().map(SaveJournal::savepoint);
        let written = keep(&mut self.journal, |journal| {
            journal.append_undo(kept)?;
            journal.flush()
        });
        if written.is_err() {
            self.roll_back_to(savepoint);
        } else {
            tracing::info!(kept, "reply taken back");
            self.seating
                .go_back_to_move(kept)
                .map_err(CannotUndoReply::from)?;
            // The thread knows moves that no longer count.
            if let Some(thread) = &mut self.thread {
                thread.end_thread_after_undo();
            }
        }
        written
    }

    /// Writes to the save all moves that wait, and returns once they are on the disk.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn flush_save(&mut self) -> Result<(), DebateError> {
        keep(&mut self.journal, SaveJournal::flush)
    }

    /// Reads the save again, and compares it with the moves of the debate.
    ///
    /// # Errors
    /// If it cannot be written, or another program has changed it.
    pub fn check_save_is_unchanged(&mut self) -> Result<(), DebateError> {
        keep(&mut self.journal, |journal| {
            journal.flush()?;
            journal.check_file_is_unchanged()
        })
    }

    /// Closes the save of a debate that is over, if it is not closed.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn close_save_if_over(&mut self) -> Result<(), DebateError> {
        if self.finished || self.seating.turn().is_some() {
            return Ok(());
        }
        self.finished = true;
        tracing::info!("debate over");
        keep(&mut self.journal, |journal| {
            journal.finish_save(&self.seating)
        })
    }
}
