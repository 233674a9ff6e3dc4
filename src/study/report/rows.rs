//! The logs as tables: one row per trial, query, round, participant and survey answer. The right answers are added to
//! the rows, because the logs do not contain them.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::Study;
use crate::error::{Result, StudyError};
use crate::folder::LiveOrSimulated;
use crate::folder::audit::StudyDataDamage;
use crate::folder::log::{StudySessionLogRecord, StudySessionStatus, status_of_records};
use crate::folder::places::{ADMISSION, SCREENING};
use crate::plan::ExclusionRule;
use crate::plan::item::ItemToJudge;
use crate::prepare::{ProgramDebateRow, joined_model_names};
use crate::session::CLOSED;
use crate::session::group::SEATED;
use crate::session::program::{FAULT, PROGRAM};
use crate::session::trial::truth_of_named_claim;
use debate_host::record::ReplyCostSum;
use debate_lab::judgements::statistics::count_to_float;

/// The session and the trial to which a row of a table belongs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrialKey {
    pub session: String,
    pub participant: String,
    pub trial: u32,
    pub is_practice: bool,
    pub condition: String,
    pub item: String,
}

impl TrialKey {
    fn of(record: &StudySessionLogRecord) -> Self {
        Self {
            session: record.session.clone(),
            participant: record.participant.clone(),
            trial: record.trial.unwrap_or(0),
            is_practice: record.payload_flag("practice").unwrap_or(false),
            condition: record.condition.clone().unwrap_or_default(),
            item: record.item.clone().unwrap_or_default(),
        }
    }
}

/// A judged trial.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each boolean is a separate column of the exported table"
)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrialRow {
    #[serde(flatten)]
    pub key: TrialKey,
    /// Slot of the session. The tables of an anonymous export leave it empty.
    pub slot: Option<u32>,
    pub block: u32,
    pub is_repeat: bool,
    pub story: String,
    /// The names of the debaters' players: `human` for a participant, else as in the study file; empty without a
    /// debate.
    pub prover: String,
    pub opponent: String,
    /// Models that took part in the debate, as their programs report; empty if there are none.
    pub model: String,
    pub is_swapped: bool,
    /// True if the question's first answer is right.
    pub is_first_right: bool,
    /// The probability, from 0 to 1, that the participant gave to the question's first answer before the debate.
    pub p_before: Option<f64>,
    pub p_first: f64,
    pub p_correct: f64,
    /// Accuracy: 1 if the right answer got a probability above one half, ½ at one half, otherwise 0.
    pub correct: f64,
    pub brier: f64,
    pub score: f64,
    pub rounds: u32,
    pub queries: u32,
    pub query_errors: u32,
    pub active_s: Option<f64>,
    pub elapsed_s: f64,
    /// True if the session was interrupted and resumed within the trial.
    pub is_interrupted: bool,
    /// True if the trial's active time is above the study's time limit; false if the active time is unknown.
    pub is_over_limit: bool,
    /// Seat of the participant.
    pub role: String,
    /// True if the report compares the judgements of participants in this seat. In a group with a judge, it compares
    /// only the judge's.
    pub is_compared: bool,
    /// True if the report counts the trial: its session counts, `is_compared` is true, and it is neither practice nor a
    /// repetition.
    pub is_counted: bool,
}

/// A decision of a participant who judges a debate: whether a small claim is true. A small claim is one that the rules
/// ask the judge to decide.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename = "QueryRow")]
pub struct ParticipantClaimDecisionRow {
    #[serde(flatten)]
    pub key: TrialKey,
    pub claim: String,
    /// True if the claim is true; error rates are reported for true and for false claims.
    pub is_true: Option<bool>,
    pub answer: bool,
    pub is_error: Option<bool>,
    pub active_s: Option<f64>,
}

/// A row of the exported table of probabilities: one probability that a participant stated in a trial, before the
/// debate, after a round or at the end.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename = "RoundRow")]
pub struct ParticipantProbabilityRow {
    #[serde(flatten)]
    pub key: TrialKey,
    /// Number of the round after which the probability was stated; 0 before the debate.
    pub round: u32,
    /// "before", "round" or "final".
    pub asked: String,
    pub p_first: f64,
    pub p_correct: f64,
    pub active_s: Option<f64>,
}

/// A session.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SessionRow {
    pub session: String,
    pub participant: String,
    /// `None` before the session claims a slot. The tables of an anonymous export leave it empty.
    pub slot: Option<u32>,
    pub status: StudySessionStatus,
    /// The name of the session's status after its end; empty before the end.
    pub outcome: String,
    /// The question of the screening survey whose answer ended the session; empty if no answer did.
    pub screened_by: String,
    /// The exclusion rule that applies to the session; empty if none does.
    pub excluded: String,
    /// True if the analysis counts the session's data.
    pub is_counted: bool,
    pub started: String,
    pub ended: String,
    pub active_s: Option<f64>,
    pub elapsed_s: f64,
    pub trials: u32,
    pub attention_failed: u32,
    pub quiz_wrong: u32,
    pub resumes: u32,
    pub reclaimed_from: String,
    /// The participant's seat in debates; empty in a group before seats are assigned.
    pub role: String,
    /// Session in the first seat of the participant's group; empty without a group.
    pub group: String,
    /// Seconds for which the participant waited for a group or for a slot. `None` if the participant never waited, or
    /// still waits.
    pub waited_s: Option<f64>,
    /// Language of the session's pages; empty if the participant has not chosen one yet.
    pub language: String,
}

/// An answer to a survey question, or to the question about the effect of the arguments under a label. A label is a
/// condition's name that participants see.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SurveyRow {
    pub session: String,
    pub participant: String,
    pub question: String,
    pub answer: String,
}

/// All rows of a study.
#[derive(Debug, Default)]
pub struct StudyRows {
    pub trials: Vec<TrialRow>,
    pub queries: Vec<ParticipantClaimDecisionRow>,
    pub rounds: Vec<ParticipantProbabilityRow>,
    pub participants: Vec<SessionRow>,
    pub survey: Vec<SurveyRow>,
    /// Debates with programs: the prepared debates, then those of participants' trials.
    pub debates: Vec<ProgramDebateRow>,
    pub events: Vec<StudySessionLogRecord>,
    /// Descriptions of damaged logs, which were left out of the tables.
    pub damage: StudyDataDamage,
    /// Trials that a program's fault ended, each with the fault.
    pub void: Vec<(TrialKey, String)>,
    /// Sessions that other sessions' logs report as absent.
    pub away: BTreeSet<String>,
}

/// Returns the accuracy of a judgement: 1 if right, 0 if wrong, ½ if it gives both answers the probability one half.
fn hit(p_correct: f64) -> f64 {
    match p_correct.total_cmp(&0.5) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    }
}

#[expect(clippy::cast_precision_loss, reason = "times of hours")]
fn seconds(ms: u64) -> f64 {
    ms as f64 / 1000.0
}

impl StudyRows {
    /// Reads the tables of all live or simulated sessions, except those with damaged logs.
    ///
    /// # Errors
    /// If the folder cannot be read, or a log names an item that its condition does not have in the study.
    pub fn read_study_rows(study: &Study, kind: LiveOrSimulated) -> Result<Self> {
        let mut rows = Self::default();
        let damage = study.folder.visit_undamaged_logs(kind, |_, log| {
            rows.session(study, status_of_records(&log.records), log.records)
        })?;
        rows.damage = damage;
        let debates = study.prepared_debates();
        let prepared = debates.map(|debate| debate.row.clone());
        rows.debates.splice(0..0, prepared);
        Ok(rows)
    }

    fn session(
        &mut self,
        study: &Study,
        status: StudySessionStatus,
        records: Vec<StudySessionLogRecord>,
    ) -> Result {
        let Some(first) = records.first() else {
            return Ok(());
        };
        let reader = SessionReader {
            study,
            records: &records,
        };
        let mut own = reader.trials()?;
        let mut row = reader.participant(first, status);
        let counted = own.trials.iter().filter(|it| !it.key.is_practice).count();
        row.trials = u32::try_from(counted).unwrap_or(u32::MAX);
        row.excluded = if study.is_trial_run(first) {
            TRIAL_RUN.to_owned()
        } else {
            excluded(study, &row, &own.trials)
        };
        row.is_counted = status == StudySessionStatus::Complete && row.excluded.is_empty();
        for trial in &mut own.trials {
            trial.is_counted =
                row.is_counted && !trial.key.is_practice && !trial.is_repeat && trial.is_compared;
        }
        self.participants.push(row);
        let away = records
            .iter()
            .filter_map(|it| it.payload_string_field("away"));
        self.away.extend(away.map(str::to_owned));
        let faults = records.iter().filter(|record| record.kind == FAULT);
        self.void.extend(faults.map(|record| {
            let fault = record.payload_string_field("fault").unwrap_or_default();
            (TrialKey::of(record), fault.to_owned())
        }));
        self.debates.extend(reader.debates());
        self.survey.extend(reader.survey());
        self.trials.extend(own.trials);
        self.queries.extend(own.queries);
        self.rounds.extend(own.rounds);
        self.events.extend(records);
        Ok(())
    }

    /// Returns the sessions whose data the analysis counts.
    fn counting(&self) -> BTreeSet<&str> {
        let counts = self.participants.iter().filter(|it| it.is_counted);
        counts.map(|it| it.session.as_str()).collect()
    }

    /// Returns the trials that the analysis counts: from sessions that count and from seats whose judgements are
    /// compared, without practice and repetitions.
    pub fn counted_trials(&self) -> impl Iterator<Item = &TrialRow> {
        self.trials.iter().filter(|it| it.is_counted)
    }

    /// Returns the pay in cents of a session that the experimenter closed.
    pub(crate) fn cents_of_session_closed_by_experimenter(&self, session: &str) -> u32 {
        let mut closed = self.events.iter();
        let closed = closed.find(|it| it.session == session && it.kind == CLOSED);
        let cents = closed.and_then(|record| record.payload_value("cents")?.as_u64());
        cents
            .and_then(|cents| u32::try_from(cents).ok())
            .unwrap_or(0)
    }

    /// Returns the participants' decisions on small claims from sessions that count, without practice.
    pub fn counted_claim_decisions(&self) -> impl Iterator<Item = &ParticipantClaimDecisionRow> {
        let counting = self.counting();
        let queries = self.queries.iter().filter(|it| !it.key.is_practice);
        queries.filter(move |query| counting.contains(query.key.session.as_str()))
    }
}

/// Name of the exclusion rule for trial runs: sessions of the stage Debug, if the study is at a later stage.
pub(crate) const TRIAL_RUN: &str = "debug_run";

/// Returns the exclusion rule that applies to a session; empty if none does.
fn excluded(study: &Study, row: &SessionRow, trials: &[TrialRow]) -> String {
    let applies = |rule: &ExclusionRule| match *rule {
        ExclusionRule::FailedQuiz => row.status == StudySessionStatus::FailedQuiz,
        ExclusionRule::FailedAttention(most) => row.attention_failed >= most,
        ExclusionRule::FasterThan { seconds, share } => {
            let own = trials.iter().filter(|it| !it.key.is_practice);
            let all = own.clone().count();
            let limit = f64::from(seconds);
            // If the active time is unknown, use the elapsed time. It is an upper bound, so no trial counts as fast by
            // mistake.
            let fast = own.filter(|it| it.active_s.unwrap_or(it.elapsed_s) < limit);
            let fast = fast.count();
            all > 0 && count_to_float(fast) / count_to_float(all) > share
        }
    };
    let rule = study.plan.exclude.iter().find(|rule| applies(rule));
    rule.map_or("", |rule| match rule {
        ExclusionRule::FailedQuiz => "failed_quiz",
        ExclusionRule::FailedAttention(_) => "failed_attention",
        ExclusionRule::FasterThan { .. } => "too_fast",
    })
    .to_owned()
}

/// Derives the rows of the study's tables from the log records of one session.
struct SessionReader<'r> {
    study: &'r Study,
    records: &'r [StudySessionLogRecord],
}

/// The kinds of log lines after which the page still asks the same question.
const KEEPS_QUESTION: [&str; 7] = [
    "typed", "meant", "change", "leave", "stay", "pause", "resume",
];

/// The log records so far of a trial that is not over.
#[derive(Default)]
struct OpenTrial<'r> {
    records: Vec<&'r StudySessionLogRecord>,
    /// The elapsed and the active time of the session when this trial began, in milliseconds.
    began: (u64, Option<u64>),
    interrupted: bool,
}

impl SessionReader<'_> {
    fn participant(&self, first: &StudySessionLogRecord, status: StudySessionStatus) -> SessionRow {
        let last = self.records.last().unwrap_or(first);
        let count = |test: &dyn Fn(&StudySessionLogRecord) -> bool| {
            let records = self.records.iter().filter(|record| test(record));
            u32::try_from(records.count()).unwrap_or(u32::MAX)
        };
        let mut records = self.records.iter();
        let reclaimed = records.find_map(|record| record.payload_string_field("reclaimed_from"));
        SessionRow {
            session: first.session.clone(),
            participant: first.participant.clone(),
            slot: self.records.iter().find_map(|record| record.slot),
            status,
            outcome: match status {
                StudySessionStatus::Started => String::new(),
                ended => ended.status_name().to_owned(),
            },
            screened_by: self.screened_by().to_owned(),
            excluded: String::new(),
            is_counted: false,
            started: first.t_wall.clone(),
            ended: last.t_wall.clone(),
            active_s: last.t_active_ms.map(seconds),
            elapsed_s: seconds(last.t_mono_ms),
            trials: 0,
            attention_failed: count(&|it| {
                it.kind == "attention" && it.payload_flag("passed") == Some(false)
            }),
            quiz_wrong: count(&|it| it.kind == "quiz" && it.payload_flag("right") == Some(false)),
            resumes: count(&|it| it.kind == "resume"),
            reclaimed_from: reclaimed.unwrap_or_default().to_owned(),
            role: last.role.clone(),
            group: self.group().to_owned(),
            waited_s: self.waited(),
            language: self.language().to_owned(),
        }
    }

    /// Returns the language of the session's pages.
    fn language(&self) -> &str {
        if self.study.offered_languages().is_empty() {
            return self.study.plan.language();
        }
        let chosen = self.records.iter().find(|record| record.kind == "language");
        let chosen = chosen.and_then(|record| record.payload_string_field("language"));
        chosen.unwrap_or_default()
    }

    /// Returns one table row for each debate in which programs played with the participant.
    fn debates(&self) -> Vec<ProgramDebateRow> {
        let mut debates: Vec<(ProgramDebateRow, ReplyCostSum)> = Vec::new();
        // Failed calls of a program may have a cost too.
        let said = self.records.iter().filter(|record| {
            let is_paid = record.kind == FAULT && record.program_costs_in_record().next().is_some();
            record.kind == PROGRAM || is_paid
        });
        let mut before = None;
        for record in said {
            let trial = (record.trial, record.payload_flag("practice"));
            if before != Some(trial) {
                before = Some(trial);
                let id = record.condition.as_deref().unwrap_or_default();
                let condition = self.study.plan.condition_index(id);
                let task = condition.map(|it| &self.study.plan.conditions[it].task);
                let plan = &self.study.plan;
                let [prover, opponent] = task.map_or([None; 2], |task| plan.debaters_of_task(task));
                let row = ProgramDebateRow {
                    condition: id.to_owned(),
                    item: record.item.clone().unwrap_or_default(),
                    prover: prover.unwrap_or_default().to_owned(),
                    opponent: opponent.unwrap_or_default().to_owned(),
                    session: record.session.clone(),
                    ..ProgramDebateRow::default()
                };
                debates.push((row, ReplyCostSum::default()));
            }
            for cost in record.program_costs_in_record() {
                if let Some((row, sum)) = debates.last_mut() {
                    sum.add(&cost);
                    row.model =
                        joined_model_names(row.model.split(" + ").chain(cost.model.as_deref()));
                }
            }
        }
        let priced = debates
            .into_iter()
            .map(|(row, sum)| row.with_debate_cost(sum));
        priced.collect()
    }

    /// Returns the question of the screening survey whose answer ended the session; empty if no answer did.
    fn screened_by(&self) -> &str {
        let is_out = |it: &&StudySessionLogRecord| {
            it.kind == SCREENING && it.payload_flag("passed") == Some(false)
        };
        let decisive = self.records.iter().find(is_out);
        decisive
            .and_then(|record| record.payload_string_field("question"))
            .unwrap_or_default()
    }

    /// Returns the session in the first seat of the participant's group.
    fn group(&self) -> &str {
        let seated = self.records.iter().find(|record| record.kind == SEATED);
        let sessions = seated.and_then(|record| record.payload_string_field("sessions"));
        sessions
            .and_then(|it| it.split(' ').next())
            .unwrap_or_default()
    }

    /// Returns the seconds of waiting for a group or a slot: from the log line that began the wait to the line that
    /// ended it. `None` if there is no such line.
    fn waited(&self) -> Option<f64> {
        let waits = |record: &StudySessionLogRecord| record.payload_flag("waits") == Some(true);
        let from = self.records.iter().position(waits)?;
        let mut later = self.records.get(from..)?.iter();
        let is_end = |it: &&StudySessionLogRecord| {
            it.status_after_record().is_some() || [SEATED, ADMISSION].contains(&it.kind.as_str())
        };
        let to = later.find(is_end)?;
        Some(seconds(
            to.t_mono_ms.saturating_sub(self.records[from].t_mono_ms),
        ))
    }

    fn survey(&self) -> Vec<SurveyRow> {
        let row = |record: &StudySessionLogRecord| {
            let question = match record.kind.as_str() {
                "survey" | SCREENING => record.payload_string_field("question")?.to_owned(),
                "guess" => format!("guess: {}", record.payload_string_field("label")?),
                _ => return None,
            };
            let answer = match record.payload_value("answer")? {
                serde_json::Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            Some(SurveyRow {
                session: record.session.clone(),
                participant: record.participant.clone(),
                question,
                answer,
            })
        };
        self.records.iter().filter_map(row).collect()
    }

    fn trials(&self) -> Result<StudyRows> {
        let mut rows = StudyRows::default();
        let mut open = OpenTrial::default();
        // The times of the previous line, and of the line that led to the current question.
        let (mut before, mut shown) = ((0, Some(0)), Some(0));
        let key = |record: &StudySessionLogRecord| {
            (
                record.trial,
                record.payload_flag("practice"),
                record.payload_flag("repeat"),
            )
        };
        for record in self.records {
            let last = open.records.last();
            let is_in_trial =
                last.is_some_and(|last| last.payload_flag("trial_over") != Some(true));
            open.interrupted |= record.kind == "resume" && is_in_trial;
            let continues = match record.trial {
                None => matches!(
                    record.kind.as_str(),
                    "resume" | "leave" | "stay" | "pause" | "expired" | "forfeit"
                ),
                Some(_) => open.records.first().is_none_or(|it| key(it) == key(record)),
            };
            if !continues {
                rows.trials.extend(self.finish(&std::mem::take(&mut open)));
            }
            if record.trial.is_some() {
                if open.records.is_empty() {
                    open.began = before;
                }
                let active = active_since(record, shown);
                rows.queries.extend(self.query(record, active)?);
                rows.rounds.extend(self.round(record, active)?);
                open.records.push(record);
            }
            // A resumed page was already shown since the previous record.
            if record.kind != "resume" {
                before = (record.t_mono_ms, record.t_active_ms);
            }
            if !KEEPS_QUESTION.contains(&record.kind.as_str()) {
                shown = record.t_active_ms;
            }
        }
        rows.trials.extend(self.finish(&open));
        Ok(rows)
    }

    fn item(&self, record: &StudySessionLogRecord) -> Result<&ItemToJudge> {
        let id = record.condition.as_deref().unwrap_or_default();
        let index = self.study.plan.condition_index(id);
        let wanted = record.item.as_deref().unwrap_or_default();
        let mut pool = index
            .map_or(&[][..], |it| self.study.items_of_condition(it))
            .iter();
        pool.find(|item| item.id == wanted).ok_or_else(|| {
            StudyError::Plan(format!(
                "the log of {session} names the item `{wanted}`, which is not an item of its condition in the study",
                session = record.session
            ))
        })
    }

    fn round(
        &self,
        record: &StudySessionLogRecord,
        active_s: Option<f64>,
    ) -> Result<Option<ParticipantProbabilityRow>> {
        let Some(p_first) = stated_p_first(record) else {
            return Ok(None);
        };
        Ok(Some(ParticipantProbabilityRow {
            key: TrialKey::of(record),
            round: record.round.unwrap_or(0),
            asked: record.kind.clone(),
            p_first,
            p_correct: self.item(record)?.probability_of_right_answer(p_first),
            active_s,
        }))
    }

    fn query(
        &self,
        record: &StudySessionLogRecord,
        active_s: Option<f64>,
    ) -> Result<Option<ParticipantClaimDecisionRow>> {
        let (claim, answer) = (
            record.payload_string_field("claim"),
            record.payload_flag("answer"),
        );
        let Some((claim, answer)) = claim.zip(answer).filter(|_| record.kind == "query") else {
            return Ok(None);
        };
        let truth = truth_of_named_claim(&self.item(record)?.instance_to_judge(), claim);
        Ok(Some(ParticipantClaimDecisionRow {
            key: TrialKey::of(record),
            claim: claim.to_owned(),
            is_true: truth,
            answer,
            is_error: truth.map(|truth| truth != answer),
            active_s,
        }))
    }

    /// Returns the row of a finished trial. `None` if the trial was not judged to its end.
    fn finish(&self, trial: &OpenTrial<'_>) -> Option<TrialRow> {
        let last = *trial.records.last()?;
        let item = self.item(last).ok()?;
        if last.payload_flag("trial_over") != Some(true) {
            return None;
        }
        let mut answers = trial.records.iter().rev();
        let answer = answers.find(|it| stated_p_first(it).is_some())?;
        let p_first = stated_p_first(answer)?;
        let p_correct = item.probability_of_right_answer(p_first);
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let records = trial.records.iter();
        let queries: Vec<bool> = records
            .filter_map(|it| self.query(it, None).ok()??.is_error)
            .collect();
        let rounds = last.round.unwrap_or(0);
        let active_s = active_since(last, trial.began.1);
        let limit = self.study.plan.time.trial_limit_s;
        let mut records = trial.records.iter();
        let before = records.find(|it| it.kind == "before");
        let condition = last.condition.as_deref().unwrap_or_default();
        let condition = self.study.plan.condition_index(condition)?;
        let plan = &self.study.plan;
        let [prover, opponent] = plan.debaters_of_task(&plan.conditions[condition].task);
        let player = |name: Option<&str>| name.unwrap_or_default().to_owned();
        let mut debates = self.study.prepared_debates().map(|debate| &debate.row);
        let debate = debates.find(|it| {
            Some(it.condition.as_str()) == last.condition.as_deref() && it.item == item.id
        });
        Some(TrialRow {
            key: TrialKey::of(last),
            slot: last.slot,
            block: last.block.unwrap_or(0),
            is_repeat: last.payload_flag("repeat").unwrap_or(false),
            story: item.story.clone(),
            prover: player(prover),
            opponent: player(opponent),
            model: debate.map_or_else(
                || {
                    let said = trial.records.iter().filter(|it| it.kind == PROGRAM);
                    joined_model_names(
                        said.filter_map(|it| it.payload_value("cost")?.get("model")?.as_str()),
                    )
                },
                |debate| debate.model.clone(),
            ),
            is_swapped: answer.payload_flag("swap").unwrap_or(false),
            is_first_right: item.truth,
            p_before: before.and_then(|it| stated_p_first(it)),
            p_first,
            p_correct,
            correct: hit(p_correct),
            brier: (1.0 - p_correct).powi(2),
            score: self
                .study
                .plan
                .score_rule_or_default()
                .score_bits(p_correct, rounds),
            rounds,
            queries: count(queries.len()),
            query_errors: count(queries.iter().filter(|wrong| **wrong).count()),
            active_s,
            elapsed_s: seconds(last.t_mono_ms.saturating_sub(trial.began.0)),
            is_interrupted: trial.interrupted,
            is_over_limit: limit
                .zip(active_s)
                .is_some_and(|(limit, active)| active > f64::from(limit)),
            is_compared: self.study.plan.compares_judgements_of_seat(&last.role),
            role: last.role.clone(),
            // Set after the whole session was read.
            is_counted: false,
        })
    }
}

/// Returns the active seconds between `before` and a log record. `None` if one of both times is unknown.
fn active_since(record: &StudySessionLogRecord, before: Option<u64>) -> Option<f64> {
    let (now, before) = record.t_active_ms.zip(before)?;
    Some(seconds(now.saturating_sub(before)))
}

/// Returns the probability that, by this log record, the participant gave to the question's first answer.
fn stated_p_first(record: &StudySessionLogRecord) -> Option<f64> {
    let is_given = matches!(record.kind.as_str(), "before" | "round" | "final");
    let percent = record.payload_number("first_percent").filter(|_| is_given);
    percent.map(|percent| percent / 100.0)
}
