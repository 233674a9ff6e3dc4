//! The report: what the judgements of a study come to.
//!
//! A participant's judgements depend on each other, so intervals are of participants' means; those by
//! items stand beside them.

pub(crate) mod check;
pub(crate) mod export;
pub(crate) mod pay;
pub(crate) mod rows;
pub(crate) mod summary;
mod sums;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::folder::audit::Damage;
use crate::plan::{Measure, Power, Stage};
use debate_lab::judgements::JudgementReport;

pub use sums::report;

/// What a study comes to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StudyReport {
    /// The version of this document: 1.
    pub format: u32,
    pub id: String,
    pub title: String,
    pub stage: Stage,
    /// True if the judges are simulated ones.
    pub simulated: bool,
    /// The lock's hash; null where the study is not locked.
    pub lock: Option<String>,
    /// The versions of the program under which the sessions were held.
    pub programs: Vec<String>,
    pub flow: Flow,
    /// What is not as it was written, and left out.
    pub damage: Damage,
    pub conditions: Vec<StudyCondition>,
    pub primary: PrimaryReport,
    pub quality: Quality,
    pub queries: QueryReport,
    /// By calibration, rounds and judges: of all judgements, as `report` tells them.
    pub judgements: JudgementReport,
}

/// How many took part, and how far they came.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Flow {
    pub sessions: usize,
    /// Sessions by their status.
    pub by_status: BTreeMap<String, usize>,
    /// Completed sessions that do not count, by the rule.
    pub excluded: BTreeMap<String, usize>,
    /// Sessions that count.
    pub counted: usize,
    /// Participants who asked to be forgotten.
    pub forgotten: usize,
    /// Logs that are left out, as they are not what was written.
    pub damaged: usize,
    /// Sessions that the study asks for.
    pub target: u32,
    pub active_minutes_median: Option<f64>,
}

/// An interval of 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Ends {
    pub low: f64,
    pub high: f64,
}

/// A mean with its intervals.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MeanReport {
    /// The mean of the participants' own means.
    pub mean: f64,
    /// By participants, from the t distribution; null with less than two.
    pub participants95: Option<Ends>,
    /// By items, from the t distribution of the items' means.
    pub items95: Option<Ends>,
}

/// The judgements under one condition.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StudyCondition {
    pub id: String,
    pub n: usize,
    pub participants: usize,
    /// Judgements that gave the right answer more than one half.
    pub correct: usize,
    /// Wilson's interval of the share of these, as if judgements were independent.
    pub wilson95: Option<[f64; 2]>,
    pub accuracy: Option<MeanReport>,
    pub brier: Option<MeanReport>,
    pub log2_score: Option<MeanReport>,
    /// The mean Brier score of what was held before anything was told.
    pub brier_before: Option<f64>,
    pub ece: Option<f64>,
    /// What perfect calibration is expected to show at these numbers.
    pub ece_floor: Option<f64>,
    pub active_seconds_median: Option<f64>,
    pub rounds_mean: Option<f64>,
    /// The share of trials in which the answer that stood first was held likelier, and in which it
    /// was right.
    pub chose_first: Option<f64>,
    pub first_was_right: Option<f64>,
    /// What the theorems allow a judge to err about small claims, the least over the items; null where
    /// no theorem says.
    pub judge_error_allowed: Option<f64>,
}

/// The contrast that the study is about, within participants.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PrimaryReport {
    pub measure: Measure,
    pub of: String,
    pub against: String,
    /// Participants who judged under both; where nobody did, the sum of both groups.
    pub participants: usize,
    /// True if the difference is within participants.
    pub paired: bool,
    pub difference: Option<f64>,
    /// By the paired t test.
    pub t95: Option<Ends>,
    pub t_p: Option<f64>,
    /// By the studentised bootstrap.
    pub bootstrap95: Option<Ends>,
    /// The mean over items of the differences within items, with its interval.
    pub by_items: Option<f64>,
    pub items95: Option<Ends>,
    /// The standard deviation of the participants' differences.
    pub sd: Option<f64>,
    /// What the interval says, in a sentence.
    pub verdict: String,
    /// The smallest difference that is found four times out of five at the target, with the standard
    /// deviation that was found.
    pub detectable_at_target: Option<f64>,
    /// The effect that the study file states, and the power at the target.
    pub stated: Option<Power>,
    pub stated_power: Option<f64>,
    /// The smallest difference that is found four times out of five at the target, with the standard
    /// deviation that the study file states.
    pub stated_detectable: Option<f64>,
}

/// Whether the data are what they should be.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Quality {
    pub attention_failed: u32,
    pub interrupted_trials: usize,
    pub trials_over_limit: usize,
    pub resumes: u32,
    /// Trials that came twice, and how far apart both numbers were on average.
    pub repeated: usize,
    pub repeat_difference: Option<f64>,
    /// The mean Brier score in the first and in the second half of the trials.
    pub first_half_brier: Option<f64>,
    pub second_half_brier: Option<f64>,
    /// What was guessed about the tasks of each label, by the answer.
    pub guesses: BTreeMap<String, BTreeMap<String, usize>>,
}

/// Small claims that were decided.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct QueryReport {
    pub n: usize,
    pub errors: usize,
    pub error_rate95: Option<[f64; 2]>,
    /// By what is right: true claims and false ones.
    pub classes: Vec<QueryClass>,
    /// Each participant's own errors.
    pub judges: Vec<JudgeErrors>,
    /// An oracle that errs as often, for a scenario's `oracle`; and the player of the same kind.
    pub oracle: Option<String>,
    pub player: Option<String>,
}

/// Queries of one class.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct QueryClass {
    pub class: &'static str,
    pub n: usize,
    pub errors: usize,
    pub error_rate95: Option<[f64; 2]>,
}

/// The queries of one participant.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct JudgeErrors {
    pub participant: String,
    pub n: usize,
    pub errors: usize,
    /// Errors on true claims and on false ones.
    pub on_true: usize,
    pub on_false: usize,
}
