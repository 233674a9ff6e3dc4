//! Plays the remaining debates of a match, and tracks which debates are finished, running or waiting.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::{DebateMatchError, DebateResult, Match, MatchRunOutcome};
use debate_core::budget::ComputationBudget;
use debate_core::player::CannotAdvanceDebate;
use debate_core::{Exact, Instance, Player};
use debate_host::engine::EngineFailure;
use debate_host::plan::{DebatePlan, DebatePlanError};
use debate_host::record::{Save, SaveFileError, SaveJournal};
use debate_host::{AdvanceResult, Debate, DebateError};

/// The outcome of an attempt to play a debate.
enum Played {
    /// The debate ended.
    Over,
    /// The debate failed for a reason outside the players, such as an outage.
    Void(String),
    /// The match is being stopped.
    Stopped,
}

/// A run of a match.
struct MatchRun<'m> {
    game: &'m Match,
    stop: &'m AtomicBool,
    /// The error that ended the run of the match before all debates were played; `None` if there was none.
    failed: Mutex<Option<DebateMatchError>>,
}

pub(super) fn play_match(
    game: &Match,
    stop: &AtomicBool,
) -> Result<MatchRunOutcome, DebateMatchError> {
    game.board.queue_unfinished_debates();
    if game.is_decided() {
        game.board.drop_unstarted_debates();
    }
    let waiting = game.board.queued_debate_indices();
    // A command that cannot be started is reported before the first debate starts.
    for player in game.schedule.distinct_program_players(&waiting).values() {
        let command = player.command_or_model_name().unwrap_or_default();
        if !game.options.may_run(command) {
            return Err(DebatePlanError::NotAllowed(command.to_owned()).into());
        }
        game.options.engines.check_player_allowed(player)?;
        game.pool
            .process_for_command(command)
            .map_err(DebateMatchError::Engine)?;
    }
    let run = MatchRun {
        game,
        stop,
        failed: Mutex::default(),
    };
    let jobs = game.options.jobs.min(waiting.len());
    thread::scope(|scope| {
        for _ in 0..jobs {
            let worker = thread::Builder::new().name("match".to_owned());
            worker.spawn_scoped(scope, || run.work())?;
        }
        Ok::<_, std::io::Error>(())
    })?;
    let failed = run.failed.into_inner();
    if let Some(failure) = failed.unwrap_or_else(PoisonError::into_inner) {
        return Err(failure);
    }
    Ok(MatchRunOutcome {
        void_reasons: game.board.reasons_of_void_debates(),
        cap: game.meter.reason_of_first_refused_call(),
    })
}

impl MatchRun<'_> {
    /// Plays the match's waiting debates one after another until none is left. Runs on several threads.
    fn work(&self) {
        let board = &self.game.board;
        while let Some(debate) = board.take_next_debate() {
            let place = debate.place;
            let done = if self.stops() || self.is_capped() {
                Ok((Played::Stopped, None))
            } else {
                self.play(&debate)
            };
            match done {
                Ok((Played::Over, Some(save))) => match self.result(place, &save) {
                    Ok(result) => {
                        board.record_finished_result(place, result);
                        if self.game.is_decided() {
                            board.drop_unstarted_debates();
                        }
                    }
                    Err(failure) => self.fail(failure),
                },
                Ok((Played::Void(why), save)) => {
                    tracing::warn!(why, "debate void");
                    board.record_interruption(&debate, save, why);
                    // A sequential test counts games in order and cannot skip a game without a result.
                    if self.game.sprt.is_some() && !board.reasons_of_void_debates().is_empty() {
                        board.drop_unstarted_debates();
                    }
                }
                Ok(_) => board.record_stopped_debate_and_clear_queue(),
                Err(failure) => self.fail(failure),
            }
        }
    }

    fn fail(&self, failure: DebateMatchError) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.get_or_insert(failure);
        drop(failed);
        self.game.board.record_stopped_debate_and_clear_queue();
    }

    fn stops(&self) -> bool {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.is_some() || self.stop.load(Ordering::Relaxed)
    }

    /// True if a cost limit allows no further call to an external player. Pending calls are still completed.
    fn is_capped(&self) -> bool {
        self.game.meter.reason_of_first_refused_call().is_some()
    }

    /// Returns the result of a debate that has ended. It is read from the save, as in a later run of the match.
    fn result(&self, place: usize, save: &Path) -> Result<DebateResult, DebateMatchError> {
        let failed = |why: String| DebateMatchError::file(save, why);
        let read = Save::read_save(save).map_err(|error| failed(error.to_string()))?;
        let result = self.game.result(place, &read).map_err(failed)?;
        result.ok_or_else(|| failed("the debate in this save has not ended".to_owned()))
    }

    /// Plays a debate of the match, or resumes it if it has a save. Also returns the path of the save.
    fn play(
        &self,
        debate: &QueuedMatchDebate,
    ) -> Result<(Played, Option<PathBuf>), DebateMatchError> {
        let planned = self.game.schedule.debate_plan(debate.place);
        let instance = planned.instance();
        let budget = ComputationBudget {
            stop: Some(self.stop),
            ..ComputationBudget::default()
        };
        let players = match planned.build_players(&instance, budget) {
            Err(_) if self.stops() => return Ok((Played::Stopped, None)),
            players => players?,
        };
        let mut running = self.debate(&planned, &instance, players, debate.save.as_deref())?;
        running.defer_disk_sync_to_end();
        let path = running.save_path().map(Path::to_owned);
        let seated = planned.seat_engines(&instance, |command| {
            self.game.pool.process_for_command(command)
        });
        let engines = match seated {
            Ok(engines) => engines.with_cost_meter(Arc::clone(&self.game.meter)),
            Err(DebatePlanError::Engine(EngineFailure { why, .. })) => {
                return Ok((Played::Void(why), path));
            }
            Err(error) => return Err(error.into()),
        };
        let mut running = running
            .with_engines(engines)
            .with_engine_wait_stop_signal(|| self.stops());
        let played = self.moves(&mut running)?;
        running.notify_engines_of_end();
        Ok((played, path))
    }

    fn debate<'a>(
        &self,
        planned: &DebatePlan,
        instance: &'a Instance,
        players: [Player<'a, Exact>; 3],
        save: Option<&Path>,
    ) -> Result<Debate<'a>, DebateMatchError> {
        let Some(path) = save else {
            return Ok(planned.debate(instance, players, &self.game.keeping, None)?);
        };
        let failed = |error: SaveFileError| DebateMatchError::file(path, error.to_string());
        let (save, journal) = SaveJournal::open_to_continue(path).map_err(failed)?;
        let seating = save.seat(instance, players).map_err(failed)?;
        let mut debate = Debate::new(seating, Some(journal));
        // If the debate was already over, only its closing line was lost.
        debate.close_save_if_over()?;
        Ok(debate)
    }

    /// Plays moves until the debate is over or cannot continue in this run of the match.
    fn moves(&self, debate: &mut Debate<'_>) -> Result<Played, DebateMatchError> {
        loop {
            if self.stops() || self.is_capped() {
                // A debate that was already over keeps its result.
                let is_over = debate.state_and_players().turn().is_none();
                return Ok(if is_over {
                    Played::Over
                } else {
                    Played::Stopped
                });
            }
            match debate.advance_by_one_move()? {
                AdvanceResult::Moved | AdvanceResult::Pending | AdvanceResult::Stopped => {}
                AdvanceResult::Over => return Ok(Played::Over),
                AdvanceResult::Failed(ending) if ending.fault.causes_forfeit() => {
                    return Ok(Played::Over);
                }
                AdvanceResult::Failed(ending) => return Ok(Played::Void(ending.to_string())),
                AdvanceResult::Ask(turn) => {
                    let stuck = CannotAdvanceDebate::Awaited(turn.seat);
                    return Err(DebateError::from(stuck).into());
                }
            }
        }
    }
}

/// The maximum number of attempts to start or resume a debate in one run of a match. After as many failures, the debate
/// is void: it has no result.
const ATTEMPTS: u32 = 3;

/// A debate of the match that is waiting to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct QueuedMatchDebate {
    pub(super) place: usize,
    /// The path of the debate's save if the debate was started in an earlier run or attempt; `None` for a new debate.
    pub(super) save: Option<PathBuf>,
    attempts: u32,
}

/// The state of a match, shared by the threads that play its debates.
pub(super) struct MatchProgress {
    state: Mutex<BoardState>,
    changed: Condvar,
}

struct BoardState {
    results: Vec<Option<DebateResult>>,
    /// The saves of unfinished debates.
    begun: Vec<Option<PathBuf>>,
    waiting: VecDeque<QueuedMatchDebate>,
    /// The number of the match's debates that are running now.
    playing: usize,
    /// For each void debate, the reason why it could not be finished.
    void_reasons: Vec<String>,
}

impl MatchProgress {
    pub(super) fn new(debates: usize) -> Self {
        Self {
            state: Mutex::new(BoardState {
                results: vec![None; debates],
                begun: vec![None; debates],
                waiting: VecDeque::new(),
                playing: 0,
                void_reasons: Vec::new(),
            }),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BoardState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the result of a debate that an earlier run of the match finished. If a debate has two saves, only the
    /// first one counts; returns false for the second.
    pub(super) fn record_earlier_result(&self, index: usize, result: DebateResult) -> bool {
        let mut state = self.lock();
        let slot = state.results.get_mut(index).filter(|slot| slot.is_none());
        slot.map(|slot| *slot = Some(result)).is_some()
    }

    /// Records the save of an unfinished debate. Returns false if the debate already has one.
    pub(super) fn record_unfinished_save(&self, index: usize, save: &Path) -> bool {
        let mut state = self.lock();
        let slot = state.begun.get_mut(index).filter(|slot| slot.is_none());
        slot.map(|slot| *slot = Some(save.to_owned())).is_some()
    }

    /// Puts all debates without a result into the queue.
    pub(super) fn queue_unfinished_debates(&self) {
        let mut state = self.lock();
        let places = state.results.iter().enumerate();
        let open = places.filter(|(_, result)| result.is_none());
        let waiting = open.map(|(place, _)| QueuedMatchDebate {
            place,
            save: state.begun.get(place).cloned().flatten(),
            attempts: 0,
        });
        state.waiting = waiting.collect();
    }

    /// Returns the match's debates that are still waiting to be played, by their index in the match.
    pub(super) fn queued_debate_indices(&self) -> Vec<usize> {
        self.lock().waiting.iter().map(|it| it.place).collect()
    }

    /// Takes the next debate from the queue. Waits while a running debate may return to the queue. `None` if no debate
    /// is left.
    pub(super) fn take_next_debate(&self) -> Option<QueuedMatchDebate> {
        let mut state = self.lock();
        loop {
            if let Some(next) = state.waiting.pop_front() {
                state.playing += 1;
                return Some(next);
            }
            if state.playing == 0 {
                return None;
            }
            let woken = self.changed.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Records that a thread stopped playing a debate, then applies `change` to the state.
    fn leave(&self, change: impl FnOnce(&mut BoardState)) {
        let mut state = self.lock();
        state.playing -= 1;
        change(&mut state);
        drop(state);
        self.changed.notify_all();
    }

    /// Records the result of a finished debate.
    pub(super) fn record_finished_result(&self, index: usize, result: DebateResult) {
        self.leave(|state| {
            if let Some(slot) = state.results.get_mut(index) {
                *slot = Some(result);
            }
        });
    }

    /// Records that a failure outside the players interrupted a debate, and queues it again. After [`ATTEMPTS`]
    /// attempts the debate is void.
    pub(super) fn record_interruption(
        &self,
        debate: &QueuedMatchDebate,
        save: Option<PathBuf>,
        why: String,
    ) {
        let attempts = debate.attempts + 1;
        self.leave(|state| {
            if attempts >= ATTEMPTS {
                state.void_reasons.push(why);
            } else {
                state.waiting.push_back(QueuedMatchDebate {
                    place: debate.place,
                    save,
                    attempts,
                });
            }
        });
    }

    /// Records that a running debate stops, and empties the queue. A later run of the match can play the waiting
    /// debates.
    pub(super) fn record_stopped_debate_and_clear_queue(&self) {
        self.leave(|state| state.waiting.clear());
    }

    /// Empties the queue of waiting debates. Running debates continue to their end.
    pub(super) fn drop_unstarted_debates(&self) {
        self.lock().waiting.clear();
        self.changed.notify_all();
    }

    /// Returns, for each void debate, the reason why it could not be finished.
    pub(super) fn reasons_of_void_debates(&self) -> Vec<String> {
        self.lock().void_reasons.clone()
    }

    /// Returns the result of each debate by its index; `None` for a debate without a result.
    pub(super) fn results_by_index(&self) -> Vec<Option<DebateResult>> {
        self.lock().results.clone()
    }
}
