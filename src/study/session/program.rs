//! Programs that debate with a participant. Requests run on separate threads, and the session's log records the
//! replies.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use super::{RunningStudySession, SessionClockReading};
use crate::Study;
use crate::error::{Result, StudyError};
use crate::folder::LiveOrSimulated;
use crate::folder::log::{
    REFUSED, StudySessionLogRecord, StudySessionStatus, read_session_status_and_records,
};
use crate::session::trial::{ParticipantTrialReply, ScheduledTrial, TrialRepliesBySeat};
use debate_core::number::Exact;
use debate_core::protocol::{Reply, Seat};
use debate_host::engine::{
    EngineFault, EnginePool, EngineThinkingOrFailedAttempt, NoEngineMoveReason,
    SharedCostMeterWithCaps,
};
use debate_host::plan::ExternalPlayerOptions;
use debate_host::record::{ReplyCost, ReplyMeta, SavedReply};

/// The log line kinds of a program's reply and of its fault.
pub(crate) const PROGRAM: &str = "program";
pub(crate) const FAULT: &str = "fault";
/// The name of the fault that ends a trial because a cost cap of the study was reached.
const CAPS: &str = "caps";
/// Time that a page waits for a program's reply before it shows that it waits.
const PATIENCE: Duration = Duration::from_millis(800);

/// The final answer of an external program that was asked for a reply in a debate, with its earlier failed attempts.
#[derive(Clone)]
pub(crate) struct ProgramAnswer {
    /// The program's failed attempts at this reply: illegal replies and temporary failures. After each of them it was
    /// asked again.
    pub(crate) refused: Vec<ProgramPlayerFault>,
    /// The program's reply with its metadata, or its fault.
    pub(crate) reply: Result<(Reply<Exact>, ReplyMeta), ProgramPlayerFault>,
}

/// A fault of a program, or an illegal reply of a program.
#[derive(Clone, Debug, Serialize)]
#[serde(rename = "ProgramFault")]
pub(crate) struct ProgramPlayerFault {
    fault: &'static str,
    why: String,
    cost: Option<Box<ReplyCost>>,
}

impl ProgramPlayerFault {
    pub(crate) fn new(fault: EngineFault, why: impl Into<String>) -> Self {
        Self {
            fault: fault.engine_fault_name(),
            why: why.into(),
            cost: None,
        }
    }

    /// Converts an event of an engine to a fault; `None` for a report about its thinking.
    pub(crate) fn fault_of_engine_event(event: EngineThinkingOrFailedAttempt) -> Option<Self> {
        let (fault, why, meta) = match event {
            EngineThinkingOrFailedAttempt::Info { .. } => return None,
            EngineThinkingOrFailedAttempt::Refused { why, meta, .. } => {
                (EngineFault::Illegal.engine_fault_name(), why, meta)
            }
            EngineThinkingOrFailedAttempt::Failed { fault, why, meta } => (fault, why, meta),
        };
        let cost = meta.cost.map(Box::new);
        Some(Self { fault, why, cost })
    }
}

impl From<NoEngineMoveReason> for ProgramPlayerFault {
    fn from(no_move: NoEngineMoveReason) -> Self {
        match no_move {
            NoEngineMoveReason::Stopped => Self::new(EngineFault::Infrastructure, "it was stopped"),
            NoEngineMoveReason::Capped(why) => Self {
                fault: CAPS,
                why,
                cost: None,
            },
            NoEngineMoveReason::Ended(ending) => Self {
                fault: ending.fault.engine_fault_name(),
                why: ending.why,
                cost: ending.cost,
            },
        }
    }
}

/// The running processes of the study's programs, with the options for starting more.
pub(crate) struct StudyProgramPool {
    pub(crate) engines: EnginePool,
    pub(crate) options: ExternalPlayerOptions,
    /// The costs of all programs' replies, including those in existing logs.
    pub(crate) meter: Arc<SharedCostMeterWithCaps>,
}

/// The programs that debate with the participants of a study.
pub struct ProgramsDebatingParticipants {
    study: &'static Study,
    pool: Arc<StudyProgramPool>,
}

impl ProgramsDebatingParticipants {
    /// Prepares the programs of a study; `None` if no program debates with participants.
    ///
    /// # Errors
    /// If the options do not allow commands or a program, or if the folder of the logs cannot be read. Damaged logs are
    /// skipped with a warning.
    pub fn prepare_for_study(
        study: &'static Study,
        options: ExternalPlayerOptions,
    ) -> Result<Option<Self>> {
        if !study.plan.programs_debate_with_participants() {
            return Ok(None);
        }
        if !options.allow_commands {
            return Err(StudyError::Plan(
                "this study runs programs that debate with participants; allow them with --allow-commands"
                    .to_owned(),
            ));
        }
        study.plan.check_programs_facing_participants(&options)?;
        let engines = EnginePool::new(options.limits, Arc::clone(&options.models));
        let meter = SharedCostMeterWithCaps::new(study.plan.caps.clone());
        for log in study.folder.session_log_files(LiveOrSimulated::Live)? {
            let records = match read_session_status_and_records(&log) {
                Ok((_, records)) => records,
                Err(error) => {
                    // One damaged log must not stop the other sessions. Its costs are unknown, so they do not count.
                    tracing::warn!(%error, log = %log.display(), "cannot read the costs in a damaged log");
                    continue;
                }
            };
            for record in &records {
                let player = player_of(study, record).unwrap_or_default();
                record
                    .program_costs_in_record()
                    .for_each(|cost| meter.add_earlier_cost(&player, &cost));
            }
        }
        let meter = Arc::new(meter);
        Ok(Some(Self {
            study,
            pool: Arc::new(StudyProgramPool {
                engines,
                options,
                meter,
            }),
        }))
    }

    /// Asks the program that replies next in a trial, on a separate thread.
    fn ask(
        &self,
        trial: &ScheduledTrial<'_>,
        replies: Vec<ParticipantTrialReply>,
        heard: TrialRepliesBySeat,
    ) -> PendingRequestToProgram {
        let trial = ScheduledTrial {
            study: self.study,
            assigned: trial.assigned,
            slot: trial.slot,
            seat: trial.seat,
            stand_ins: false,
        };
        let pool = Arc::clone(&self.pool);
        let asking = PendingRequestToProgram::default();
        let said = Arc::clone(&asking.0);
        thread::spawn(move || {
            let answer = trial.ask_program(&replies, &heard, &pool);
            let answer = answer.unwrap_or_else(|error| {
                let fault = EngineFault::Infrastructure;
                ProgramAnswer {
                    refused: Vec::new(),
                    reply: Err(ProgramPlayerFault::new(fault, error.to_string())),
                }
            });
            let (kept, changed) = &*said;
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
            changed.notify_all();
        });
        asking
    }
}

/// Returns the player's name of the program whose reply or fault the log line records.
fn player_of(study: &Study, record: &StudySessionLogRecord) -> Option<String> {
    let condition = study.plan.condition_index(record.condition.as_deref()?)?;
    let seat = record.payload_string_field("seat")?;
    let index = Seat::PLAYERS
        .iter()
        .position(|it| it.name_in_flags_and_json() == seat)?;
    let name = study.plan.conditions[condition].task.named_players()[index]?;
    Some(study.plan.parse_player(name).ok()?.to_string())
}

/// A pending request to a program.
#[derive(Clone, Default)]
pub(crate) struct PendingRequestToProgram(Arc<(Mutex<Option<ProgramAnswer>>, Condvar)>);

impl PendingRequestToProgram {
    /// Waits briefly for the program's answer; `None` if it is still pending.
    fn answer(&self) -> Option<ProgramAnswer> {
        let (kept, changed) = &*self.0;
        let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = changed.wait_timeout_while(kept, PATIENCE, |answer| answer.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.clone()
    }
}

impl<'s> RunningStudySession<'s> {
    /// Sets the programs that debate with the participant.
    pub fn set_programs(&mut self, programs: Option<&'s ProgramsDebatingParticipants>) {
        self.programs = programs;
    }

    /// Asks the programs for the next replies and logs them. Stops at the participant's turn, or if a program takes
    /// longer than a page waits.
    pub(super) fn ask_programs(&mut self, now: &SessionClockReading) -> Result {
        let plan = &self.participant.study().plan;
        while let Some(programs) = self.programs
            && self.participant.status() == StudySessionStatus::Started
            && let Some(seat) = self.participant.awaited_other_seat()
            && !plan.roles.contains(&seat)
            && let Some((trial, replies, _)) = self.participant.current_trial()
        {
            let heard = self.participant.other_replies(trial.assigned);
            let asking = self
                .asking
                .get_or_insert_with(|| programs.ask(&trial, replies.to_vec(), heard));
            let Some(ProgramAnswer { refused, reply }) = asking.answer() else {
                return Ok(());
            };
            match reply {
                Ok((reply, meta)) => self.log_program_answer(seat, reply, &meta, &refused, now)?,
                Err(fault) => self.log_program_fault(seat, &fault, &refused, now)?,
            }
            self.asking = None;
        }
        Ok(())
    }

    fn log_program_answer(
        &mut self,
        seat: Seat,
        reply: Reply<Exact>,
        meta: &ReplyMeta,
        refused: &[ProgramPlayerFault],
        now: &SessionClockReading,
    ) -> Result {
        let mut after = self.participant.clone();
        let mut said = json!({
            "seat": seat.name_in_flags_and_json(),
            "reply": SavedReply::Whole(reply.clone()).to_string(),
            "ms": meta.ms,
            "cost": meta.cost,
            "engine": meta.engine,
        });
        add_refused(&mut said, refused);
        let log_note = after.new_log_note(PROGRAM, said);
        let judged = after.finished_trials().len();
        let over = after.apply_program_reply(seat, reply)?;
        self.append(log_note, after.slot(), now)?;
        if let Some(over) = over {
            self.append(over, after.slot(), now)?;
        }
        self.participant = after;
        self.after_line(judged)
    }

    fn log_program_fault(
        &mut self,
        seat: Seat,
        fault: &ProgramPlayerFault,
        refused: &[ProgramPlayerFault],
        now: &SessionClockReading,
    ) -> Result {
        let ProgramPlayerFault { fault, why, cost } = fault;
        let mut after = self.participant.clone();
        tracing::warn!(
            session = self.session,
            seat = seat.name_in_flags_and_json(),
            fault,
            why = why.as_str(),
            "the program that plays a seat gave no valid reply, so the trial is void"
        );
        let mut said = json!({"seat": seat.name_in_flags_and_json(), "fault": fault, "why": why});
        if let (Some(cost), Some(said)) = (cost, said.as_object_mut()) {
            said.insert("cost".to_owned(), json!(cost));
        }
        add_refused(&mut said, refused);
        let log_note = after.new_log_note(FAULT, said);
        after.end_trial_by_fault();
        self.append(log_note, after.slot(), now)?;
        self.participant = after;
        Ok(())
    }
}

/// Adds a program's illegal replies and temporary failures to the payload of a log line, if there are any.
fn add_refused(said: &mut Value, refused: &[ProgramPlayerFault]) {
    if let Some(said) = said.as_object_mut().filter(|_| !refused.is_empty()) {
        said.insert(REFUSED.to_owned(), json!(refused));
    }
}
