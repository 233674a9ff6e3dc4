//! Programs that debate with a participant: asked aside, waited for, and what they said kept in the session's log.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::{LiveSession, Ticks};
use crate::Study;
use crate::error::{Result, StudyError};
use crate::folder::DataKind;
use crate::folder::log::{Record, Status, status_of};
use crate::session::trial::{Heard, Trial, TrialReply};
use debate_core::number::Exact;
use debate_core::protocol::{Reply, Seat};
use debate_lab::engine::{EngineEnding, EngineFault, EnginePool};
use debate_lab::plan::EngineOptions;
use debate_lab::record::{CostSum, ReplyMeta, SavedReply};

/// The kinds of the lines of a program's reply, and of its fault.
pub(crate) const PROGRAM: &str = "program";
pub(crate) const FAULT: &str = "fault";
/// The fault of a trial in which a cap of the study was reached.
const CAPS: &str = "caps";
/// A page waits so long for a program before it says that it waits.
const PATIENCE: Duration = Duration::from_millis(800);

/// A program's reply with its remarks, or the fault in its place.
pub(crate) type ProgramAnswer = Result<(Reply<Exact>, ReplyMeta), EngineEnding>;

/// The processes of programs, and how they may be run.
pub(crate) struct ProgramPool {
    pub(crate) engines: EnginePool,
    pub(crate) options: EngineOptions,
}

/// The programs that debate with the participants of a study.
pub struct Programs {
    study: &'static Study,
    pool: Arc<ProgramPool>,
    /// The costs of the replies that the logs hold.
    spent: Mutex<CostSum>,
}

impl Programs {
    /// The programs of a study; `None` where none debates with participants.
    ///
    /// # Errors
    /// If nobody allows that their commands are run, or a log cannot be read.
    pub fn of(study: &'static Study, options: EngineOptions) -> Result<Option<Self>> {
        if !study.plan.has_live_programs() {
            return Ok(None);
        }
        if !options.allow_commands {
            return Err(StudyError::Plan(
                "programs debate with participants in this study; --allow-commands runs them"
                    .to_owned(),
            ));
        }
        let engines = EnginePool::new(options.limits);
        let mut spent = CostSum::default();
        for log in study.folder.logs(DataKind::Live)? {
            let (_, records) = status_of(&log)?;
            let said = records.iter().filter(|record| record.kind == PROGRAM);
            said.filter_map(Record::cost)
                .for_each(|cost| spent.add(&cost));
        }
        Ok(Some(Self {
            study,
            pool: Arc::new(ProgramPool { engines, options }),
            spent: Mutex::new(spent),
        }))
    }

    /// The cap of the study that the costs of its programs have reached, in words.
    fn cap_reached(&self) -> Option<String> {
        let spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        self.study.plan.caps.reached(&spent)
    }

    /// Asks the program whose reply comes next in a trial.
    fn ask(&self, trial: &Trial<'_>, replies: Vec<TrialReply>, heard: Heard) -> Asking {
        let trial = Trial {
            study: self.study,
            assigned: trial.assigned,
            slot: trial.slot,
            seat: trial.seat,
            stand_ins: false,
        };
        let pool = Arc::clone(&self.pool);
        let asking = Asking::default();
        let said = Arc::clone(&asking.0);
        thread::spawn(move || {
            let answer = trial.ask_program(&replies, &heard, &pool);
            let answer = answer.unwrap_or_else(|error| {
                Err(EngineEnding {
                    seat: Seat::Chance,
                    fault: EngineFault::Infrastructure,
                    why: error.to_string(),
                })
            });
            let (kept, changed) = &*said;
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
            changed.notify_all();
        });
        asking
    }
}

/// A program that is asked.
#[derive(Clone, Default)]
pub(crate) struct Asking(Arc<(Mutex<Option<ProgramAnswer>>, Condvar)>);

impl Asking {
    /// The answer, where it comes soon.
    fn answer(&self) -> Option<ProgramAnswer> {
        let (kept, changed) = &*self.0;
        let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = changed.wait_timeout_while(kept, PATIENCE, |answer| answer.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.clone()
    }
}

impl<'s> LiveSession<'s> {
    /// Has programs debate with the participant.
    pub fn set_programs(&mut self, programs: Option<&'s Programs>) {
        self.programs = programs;
    }

    /// Asks the programs whose replies come next, and keeps what they say, until the participant is asked or one of them
    /// thinks for longer.
    pub(super) fn ask_programs(&mut self, now: &Ticks) -> Result {
        let plan = &self.participant.study().plan;
        while let Some(programs) = self.programs
            && self.participant.status() == Status::Started
            && let Some(seat) = self.participant.awaited()
            && !plan.roles.contains(&seat)
            && let Some((trial, replies, _)) = self.participant.trial()
        {
            if self.asking.is_none()
                && let Some(reached) = programs.cap_reached()
            {
                self.keep_fault(seat, CAPS, &reached, now)?;
                continue;
            }
            let heard = self.participant.heard(trial.assigned);
            let asking = self
                .asking
                .get_or_insert_with(|| programs.ask(&trial, replies.to_vec(), heard));
            let Some(answer) = asking.answer() else {
                return Ok(());
            };
            match answer {
                Ok((reply, meta)) => {
                    self.keep_program(seat, reply, &meta, now)?;
                    let spent = programs.spent.lock();
                    let mut spent = spent.unwrap_or_else(PoisonError::into_inner);
                    spent.add(&meta.cost.unwrap_or_default());
                }
                Err(EngineEnding { seat, fault, why }) => {
                    self.keep_fault(seat, fault.name(), &why, now)?;
                }
            }
            self.asking = None;
        }
        Ok(())
    }

    fn keep_program(
        &mut self,
        seat: Seat,
        reply: Reply<Exact>,
        meta: &ReplyMeta,
        now: &Ticks,
    ) -> Result {
        let mut after = self.participant.clone();
        let said = json!({
            "seat": seat.name(),
            "reply": SavedReply::Whole(reply.clone()).to_string(),
            "ms": meta.ms,
            "cost": meta.cost,
            "engine": meta.engine,
        });
        let noted = after.note(PROGRAM, said);
        let judged = after.judged().len();
        let over = after.hear_program(seat, reply)?;
        self.append(noted, after.slot(), now)?;
        if let Some(over) = over {
            self.append(over, after.slot(), now)?;
        }
        self.participant = after;
        self.after_line(judged)
    }

    fn keep_fault(&mut self, seat: Seat, fault: &str, why: &str, now: &Ticks) -> Result {
        let mut after = self.participant.clone();
        tracing::warn!(
            session = self.session,
            fault,
            why,
            "a program failed in a trial"
        );
        let noted = after.note(
            FAULT,
            json!({"seat": seat.name(), "fault": fault, "why": why}),
        );
        after.end_trial();
        self.append(noted, after.slot(), now)?;
        self.participant = after;
        Ok(())
    }
}
