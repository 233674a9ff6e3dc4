//! Playing what is left of a match.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::board::PendingDebate;
use super::{DebateResult, Match, MatchEnd, MatchError};
use crate::engine::{EngineEnding, SeatedEngines, engine_turn};
use crate::plan::{DebatePlan, PlanError};
use crate::record::{Forfeit, Journal, RecordError, Save, Session};
use debate_core::budget::Budget;
use debate_core::number::Exact;
use debate_core::player::Player;
use debate_core::scenario::Instance;

/// How playing a debate ended.
enum Played {
    /// It has an end.
    Over,
    /// Something outside of the players failed.
    Void(String),
    /// The match is to stop.
    Stopped,
}

/// A run of a match.
struct MatchRun<'m> {
    game: &'m Match,
    stop: &'m AtomicBool,
    /// Why it stops, where it does.
    failed: Mutex<Option<MatchError>>,
    cap: Mutex<Option<String>>,
}

pub(super) fn play(game: &Match, stop: &AtomicBool) -> Result<MatchEnd, MatchError> {
    game.board.queue();
    let waiting = game.board.waiting();
    // One that cannot be started is told of before anything is played.
    for command in game.schedule.commands(&waiting) {
        if !game.options.may_run(&command) {
            return Err(PlanError::NotAllowed(command).into());
        }
        game.pool.engine(&command).map_err(MatchError::Engine)?;
    }
    let run = MatchRun {
        game,
        stop,
        failed: Mutex::default(),
        cap: Mutex::default(),
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
    Ok(MatchEnd {
        voids: game.board.voids(),
        cap: run.cap.into_inner().unwrap_or_else(PoisonError::into_inner),
    })
}

impl MatchRun<'_> {
    /// Plays one debate after the other.
    fn work(&self) {
        let board = &self.game.board;
        while let Some(debate) = board.take() {
            let place = debate.place;
            let done = if self.stops() {
                Ok((Played::Stopped, None))
            } else {
                self.play(&debate)
            };
            match done {
                Ok((Played::Over, Some(save))) => match self.result(place, &save) {
                    Ok(result) => board.finish(place, result),
                    Err(failure) => self.fail(failure),
                },
                Ok((Played::Void(why), save)) => {
                    tracing::warn!(why, "debate void");
                    board.void(&debate, save, why);
                }
                Ok(_) => board.stop(),
                Err(failure) => self.fail(failure),
            }
        }
    }

    fn fail(&self, failure: MatchError) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.get_or_insert(failure);
        drop(failed);
        self.game.board.stop();
    }

    fn has_failed(&self) -> bool {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.is_some()
    }

    fn stops(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.has_failed()
    }

    /// The cap that is reached, noted if one is.
    fn is_at_cap(&self) -> bool {
        let caps = &self.game.plan.caps;
        let Some(reached) = caps.reached(&self.game.board.spent()) else {
            return false;
        };
        let mut cap = self.cap.lock().unwrap_or_else(PoisonError::into_inner);
        cap.get_or_insert(reached);
        true
    }

    /// What a debate came to, read from its save as any later run reads it.
    fn result(&self, place: usize, save: &Path) -> Result<DebateResult, MatchError> {
        let failed = |why: String| MatchError::file(save, why);
        let read = Save::read(save).map_err(|error| failed(error.to_string()))?;
        let result = self.game.result(place, &read).map_err(failed)?;
        result.ok_or_else(|| failed("the debate has no end".to_owned()))
    }

    /// Plays a debate, from where its save leaves it if it has one. Returns the save as well.
    fn play(&self, debate: &PendingDebate) -> Result<(Played, Option<PathBuf>), MatchError> {
        let planned = self.game.schedule.plan_of(debate.place);
        let instance = planned.instance();
        let budget = Budget {
            stop: Some(self.stop),
            ..Budget::default()
        };
        let players = match planned.build_players(&instance, budget) {
            Err(_) if self.stops() => return Ok((Played::Stopped, None)),
            players => players?,
        };
        let mut session = self.session(&planned, &instance, players, debate.save.as_deref())?;
        session.sync_late();
        let path = session.path().map(Path::to_owned);
        let seated = planned.seat_engines(&instance, |command| self.game.pool.engine(command));
        let mut engines = match seated {
            Ok(engines) => engines,
            Err(PlanError::Engine(EngineEnding { why, .. })) => {
                return Ok((Played::Void(why), path));
            }
            Err(error) => return Err(error.into()),
        };
        let (played, forfeit) = self.moves(&mut session, &mut engines)?;
        engines.end(session.seating(), forfeit.as_ref());
        Ok((played, path))
    }

    fn session<'a>(
        &self,
        planned: &DebatePlan,
        instance: &'a Instance,
        players: [Player<'a, Exact>; 3],
        save: Option<&Path>,
    ) -> Result<Session<'a>, MatchError> {
        let Some(path) = save else {
            let session = planned.session(instance, players, &self.game.keeping, None);
            return Ok(session?);
        };
        let failed = |error: RecordError| MatchError::file(path, error.to_string());
        let (save, journal) = Journal::open(path).map_err(failed)?;
        let seating = save.seat(instance, players).map_err(failed)?;
        let mut session = Session::new(seating, Some(journal));
        // Of a debate that is over only the closing line was lost.
        session.close_if_over()?;
        Ok(session)
    }

    /// Has everybody move until the debate is over, or goes no further now.
    fn moves<'a>(
        &self,
        session: &mut Session<'a>,
        engines: &mut SeatedEngines<'a>,
    ) -> Result<(Played, Option<Forfeit>), MatchError> {
        while session.seating().turn().is_some() {
            if self.stops() {
                return Ok((Played::Stopped, None));
            }
            if session.seating().engine_to_ask().is_none() {
                session.advance()?;
                continue;
            }
            if self.is_at_cap() {
                return Ok((Played::Stopped, None));
            }
            let before = session.costs().total();
            let stop = || self.stops();
            let moved = engine_turn(session, engines, &stop, &mut |_| ())?;
            self.game
                .board
                .spend(session.costs().total().since(&before));
            match moved {
                Ok(()) => {}
                Err(ending) if ending.fault.forfeits() => {
                    return Ok((Played::Over, Some(ending.forfeit())));
                }
                Err(ending) => return Ok((Played::Void(ending.to_string()), None)),
            }
        }
        Ok((Played::Over, None))
    }
}
