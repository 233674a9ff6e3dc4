//! What the logs say, a row a trial, query, round, participant and answer: what is right is joined
//! here, and stands in no log.

use std::collections::BTreeMap;

use crate::Study;
use crate::error::StudyError;
use crate::folder::DataKind;
use crate::folder::audit::Damage;
use crate::folder::log::Record;
use crate::folder::log::Status;
use crate::folder::log::status;
use crate::plan::Exclusion;

/// A trial that was judged.
#[expect(clippy::struct_excessive_bools, reason = "each is a column of its own")]
#[derive(Clone, Debug, PartialEq)]
pub struct TrialRow {
    pub session: String,
    pub participant: String,
    /// None where anonymised.
    pub slot: Option<u32>,
    pub block: u32,
    pub trial: u32,
    pub practice: bool,
    pub repeat: bool,
    pub condition: String,
    pub item: String,
    pub story: String,
    pub swap: bool,
    /// True if the question's first answer is right.
    pub first_is_right: bool,
    /// The probability of the first answer before anything was told, from 0 to 1.
    pub before_first: Option<f64>,
    pub p_first: f64,
    pub p_correct: f64,
    /// 1, ½ at even odds, or 0.
    pub correct: f64,
    pub brier: f64,
    pub score: f64,
    pub rounds: u32,
    pub queries: u32,
    pub query_errors: u32,
    pub active_s: f64,
    pub elapsed_s: f64,
    /// True if the session was left and resumed within the trial.
    pub interrupted: bool,
    /// True if it took longer than the study allows.
    pub over_limit: bool,
}

/// A small claim that a participant decided.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryRow {
    pub session: String,
    pub participant: String,
    pub trial: u32,
    pub condition: String,
    pub item: String,
    pub claim: String,
    pub practice: bool,
    /// What is right: the class by which error rates are told.
    pub truth: Option<bool>,
    pub answer: bool,
    pub active_s: f64,
}

impl QueryRow {
    pub fn is_error(&self) -> Option<bool> {
        Some(self.truth? != self.answer)
    }
}

/// A probability that a participant gave.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundRow {
    pub session: String,
    pub participant: String,
    pub trial: u32,
    pub condition: String,
    pub item: String,
    /// 0 before anything was told.
    pub round: u32,
    /// before, round or final
    pub kind: String,
    pub practice: bool,
    pub p_first: f64,
    pub p_correct: f64,
    pub active_s: f64,
}

/// A session.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticipantRow {
    pub session: String,
    pub participant: String,
    /// None before the trials, and where anonymised.
    pub slot: Option<u32>,
    pub status: Status,
    /// Why the data do not count; empty where they do.
    pub excluded: String,
    pub started: String,
    pub ended: String,
    pub active_s: f64,
    pub elapsed_s: f64,
    pub trials: u32,
    pub attention_failed: u32,
    pub quiz_wrong: u32,
    pub resumes: u32,
    pub reclaimed_from: String,
}

impl ParticipantRow {
    /// True if the data count.
    pub fn counts(&self) -> bool {
        self.status == Status::Complete && self.excluded.is_empty()
    }
}

/// An answer to a question of a survey, or a guess.
#[derive(Clone, Debug, PartialEq)]
pub struct SurveyRow {
    pub session: String,
    pub participant: String,
    pub question: String,
    pub answer: String,
}

/// Everything that was answered.
#[derive(Debug, Default)]
pub struct Rows {
    pub trials: Vec<TrialRow>,
    pub queries: Vec<QueryRow>,
    pub rounds: Vec<RoundRow>,
    pub participants: Vec<ParticipantRow>,
    pub survey: Vec<SurveyRow>,
    pub events: Vec<Record>,
    /// The logs that were left out.
    pub damage: Damage,
}

/// How often a judgement was right: half at even odds.
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

impl Rows {
    /// Reads all sessions of a kind whose logs are what was written.
    ///
    /// # Errors
    /// If the folder cannot be read, or a log names items that the study does not have.
    pub fn read(study: &Study, kind: DataKind) -> Result<Self, StudyError> {
        let mut rows = Self::default();
        let damage = study.folder.read_logs(kind, |_, log| {
            rows.session(study, status(&log.records), log.records)
        })?;
        rows.damage = damage;
        Ok(rows)
    }

    fn session(
        &mut self,
        study: &Study,
        status: Status,
        records: Vec<Record>,
    ) -> Result<(), StudyError> {
        let Some(first) = records.first() else {
            return Ok(());
        };
        let reader = SessionReader {
            study,
            records: &records,
        };
        let (trials, queries, rounds) = reader.trials()?;
        let mut row = reader.participant(first, status);
        row.trials =
            u32::try_from(trials.iter().filter(|it| !it.practice).count()).unwrap_or(u32::MAX);
        row.excluded = if study.is_trial_run(first) {
            TRIAL_RUN.to_owned()
        } else {
            excluded(study, &row, &trials)
        };
        self.participants.push(row);
        self.survey.extend(reader.survey());
        self.trials.extend(trials);
        self.queries.extend(queries);
        self.rounds.extend(rounds);
        self.events.extend(records);
        Ok(())
    }

    /// The trials that count: of participants who count, without practice and repetitions.
    pub fn counted(&self) -> impl Iterator<Item = &TrialRow> {
        let counts: BTreeMap<&str, bool> = self
            .participants
            .iter()
            .map(|it| (it.session.as_str(), it.counts()))
            .collect();
        self.trials.iter().filter(move |trial| {
            !trial.practice && !trial.repeat && counts.get(trial.session.as_str()) == Some(&true)
        })
    }

    /// The queries of participants who count, without practice.
    pub fn counted_queries(&self) -> impl Iterator<Item = &QueryRow> {
        let counts: BTreeMap<&str, bool> = self
            .participants
            .iter()
            .map(|it| (it.session.as_str(), it.counts()))
            .collect();
        self.queries.iter().filter(move |query| {
            !query.practice && counts.get(query.session.as_str()) == Some(&true)
        })
    }
}

/// The rule that leaves out what was tried out before the study began.
pub(crate) const TRIAL_RUN: &str = "debug_run";

/// Why the data of a session do not count, by the rules of the study file.
fn excluded(study: &Study, row: &ParticipantRow, trials: &[TrialRow]) -> String {
    for rule in &study.plan.exclude {
        match rule {
            Exclusion::FailedQuiz if row.status == Status::FailedQuiz => {
                return "failed_quiz".to_owned();
            }
            Exclusion::FailedAttention(most) if row.attention_failed >= *most => {
                return "failed_attention".to_owned();
            }
            Exclusion::FasterThan { seconds, share } => {
                let own: Vec<&TrialRow> = trials.iter().filter(|it| !it.practice).collect();
                let fast = own
                    .iter()
                    .filter(|it| it.active_s < f64::from(*seconds))
                    .count();
                let number = debate_lab::judgements::statistics::number;
                if !own.is_empty() && number(fast) / number(own.len()) > *share {
                    return "too_fast".to_owned();
                }
            }
            Exclusion::FailedQuiz | Exclusion::FailedAttention(_) => {}
        }
    }
    String::new()
}

/// The records of a session, as they are read.
struct SessionReader<'r> {
    study: &'r Study,
    records: &'r [Record],
}

type Tables = (Vec<TrialRow>, Vec<QueryRow>, Vec<RoundRow>);

impl SessionReader<'_> {
    fn participant(&self, first: &Record, status: Status) -> ParticipantRow {
        let last = self.records.last().unwrap_or(first);
        let count = |test: &dyn Fn(&Record) -> bool| {
            let records = self.records.iter().filter(|record| test(record));
            u32::try_from(records.count()).unwrap_or(u32::MAX)
        };
        ParticipantRow {
            session: first.session.clone(),
            participant: first.participant.clone(),
            slot: self.records.iter().find_map(|record| record.slot),
            status,
            excluded: String::new(),
            started: first.t_wall.clone(),
            ended: last.t_wall.clone(),
            active_s: seconds(last.t_active_ms),
            elapsed_s: seconds(last.t_mono_ms),
            trials: 0,
            attention_failed: count(&|it| {
                it.kind == "attention" && it.flag("passed") == Some(false)
            }),
            quiz_wrong: count(&|it| it.kind == "quiz" && it.flag("right") == Some(false)),
            resumes: count(&|it| it.kind == "resume"),
            reclaimed_from: self
                .records
                .iter()
                .find_map(|record| record.text("reclaimed_from"))
                .unwrap_or_default()
                .to_owned(),
        }
    }

    fn survey(&self) -> Vec<SurveyRow> {
        let row = |record: &Record| {
            let question = match record.kind.as_str() {
                "survey" => record.text("question")?.to_owned(),
                "guess" => format!("guess: {}", record.text("label")?),
                _ => return None,
            };
            let answer = match record.get("answer")? {
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

    fn trials(&self) -> Result<Tables, StudyError> {
        let (mut trials, mut queries, mut rounds) = (Vec::new(), Vec::new(), Vec::new());
        let mut of_trial: Vec<&Record> = Vec::new();
        let mut began = (0, 0);
        let mut before = (0, 0);
        let mut interrupted = false;
        let key = |record: &Record| (record.trial, record.flag("practice"), record.flag("repeat"));
        for record in self.records {
            interrupted |= record.kind == "resume" && !of_trial.is_empty();
            if record.trial.is_none() {
                if !matches!(
                    record.kind.as_str(),
                    "resume" | "leave" | "stay" | "pause" | "expired"
                ) {
                    self.finish(&mut of_trial, began, interrupted, &mut trials);
                    interrupted = false;
                }
            } else {
                if of_trial
                    .first()
                    .is_some_and(|first| key(first) != key(record))
                {
                    self.finish(&mut of_trial, began, interrupted, &mut trials);
                    interrupted = false;
                }
                if of_trial.is_empty() {
                    began = before;
                }
                let active = seconds(record.t_active_ms.saturating_sub(before.1));
                queries.extend(self.query(record, active)?);
                rounds.extend(self.round(record, active)?);
                of_trial.push(record);
            }
            before = (record.t_mono_ms, record.t_active_ms);
        }
        self.finish(&mut of_trial, began, interrupted, &mut trials);
        Ok((trials, queries, rounds))
    }

    fn item(&self, record: &Record) -> Result<&crate::plan::item::Item, StudyError> {
        let condition = record
            .condition
            .as_deref()
            .and_then(|id| self.study.plan.condition(id));
        let wanted = record.item.as_deref().unwrap_or_default();
        let mut pool = condition
            .map_or(&[][..], |place| self.study.pool(place))
            .iter();
        pool.find(|item| item.id == wanted).ok_or_else(|| {
            StudyError::Plan(format!(
                "the log of {} names the item `{wanted}`, which the study does not have under that condition",
                record.session
            ))
        })
    }

    /// Turns a probability of the first answer into one of the right answer.
    fn right(&self, record: &Record, p_first: f64) -> Result<f64, StudyError> {
        Ok(if self.item(record)?.truth {
            p_first
        } else {
            1.0 - p_first
        })
    }

    fn round(&self, record: &Record, active_s: f64) -> Result<Option<RoundRow>, StudyError> {
        let Some(p_first) = given(record) else {
            return Ok(None);
        };
        Ok(Some(RoundRow {
            session: record.session.clone(),
            participant: record.participant.clone(),
            trial: record.trial.unwrap_or(0),
            condition: record.condition.clone().unwrap_or_default(),
            item: record.item.clone().unwrap_or_default(),
            round: record.round.unwrap_or(0),
            kind: record.kind.clone(),
            practice: record.flag("practice").unwrap_or(false),
            p_first,
            p_correct: self.right(record, p_first)?,
            active_s,
        }))
    }

    fn query(&self, record: &Record, active_s: f64) -> Result<Option<QueryRow>, StudyError> {
        if record.kind != "query" {
            return Ok(None);
        }
        let (Some(claim), Some(answer)) = (record.text("claim"), record.flag("answer")) else {
            return Ok(None);
        };
        let instance = self.item(record)?.instance();
        Ok(Some(QueryRow {
            session: record.session.clone(),
            participant: record.participant.clone(),
            trial: record.trial.unwrap_or(0),
            condition: record.condition.clone().unwrap_or_default(),
            item: record.item.clone().unwrap_or_default(),
            claim: claim.to_owned(),
            practice: record.flag("practice").unwrap_or(false),
            truth: crate::session::trial::leaf_truth(&instance, claim),
            answer,
            active_s,
        }))
    }

    /// Adds the row of a trial that is over; one that was not judged to its end gives none.
    fn finish(
        &self,
        of_trial: &mut Vec<&Record>,
        began: (u64, u64),
        interrupted: bool,
        trials: &mut Vec<TrialRow>,
    ) {
        let records = std::mem::take(of_trial);
        let Some(last) = records.last().copied() else {
            return;
        };
        let Ok(item) = self.item(last) else {
            return;
        };
        if last.flag("trial_over") != Some(true) {
            return;
        }
        let final_p = records.iter().rev().find(|it| given(it).is_some());
        let Some(p_first) = final_p.and_then(|record| given(record)) else {
            return;
        };
        let p_correct = if item.truth { p_first } else { 1.0 - p_first };
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let queries: Vec<bool> = records
            .iter()
            .filter_map(|it| self.query(it, 0.0).ok()??.is_error())
            .collect();
        let rounds = last.round.unwrap_or(0);
        let active_s = seconds(last.t_active_ms.saturating_sub(began.1));
        let limit = self.study.plan.time.trial_limit_s;
        trials.push(TrialRow {
            session: last.session.clone(),
            participant: last.participant.clone(),
            slot: last.slot,
            block: last.block.unwrap_or(0),
            trial: last.trial.unwrap_or(0),
            practice: last.flag("practice").unwrap_or(false),
            repeat: last.flag("repeat").unwrap_or(false),
            condition: last.condition.clone().unwrap_or_default(),
            item: item.id.clone(),
            story: item.story.clone(),
            swap: final_p.and_then(|it| it.flag("swap")).unwrap_or(false),
            first_is_right: item.truth,
            before_first: records
                .iter()
                .find(|it| it.kind == "before")
                .and_then(|it| given(it)),
            p_first,
            p_correct,
            correct: hit(p_correct),
            brier: (1.0 - p_correct).powi(2),
            score: self.study.plan.score.of(p_correct, rounds),
            rounds,
            queries: number(queries.len()),
            query_errors: number(queries.iter().filter(|wrong| **wrong).count()),
            active_s,
            elapsed_s: seconds(last.t_mono_ms.saturating_sub(began.0)),
            interrupted,
            over_limit: limit.is_some_and(|limit| active_s > f64::from(limit)),
        });
    }
}

/// The probability of the first answer that a record gives.
fn given(record: &Record) -> Option<f64> {
    let is_given = matches!(record.kind.as_str(), "before" | "round" | "final");
    record
        .number("first_percent")
        .filter(|_| is_given)
        .map(|percent| percent / 100.0)
}
