//! The report: results of the judgements of a study.
//!
//! The judgements of one participant depend on each other, so the intervals are for participants' means. Intervals by
//! items are reported in addition.

pub(crate) mod check;
mod contrast_test;
pub(crate) mod export;
pub(crate) mod groups;
mod languages;
pub(crate) mod person;
pub(crate) mod power;
pub(crate) mod progress;
pub(crate) mod quotas;
pub(crate) mod rows;
pub(crate) mod summary;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::Study;
use crate::error::{Result, StudyError};
use crate::folder::LiveOrSimulated;
use crate::folder::audit::StudyDataDamage;
use crate::folder::lock::verify_lock;
use crate::folder::log::StudySessionStatus;
use crate::plan::{
    ContrastDesign, ExpectedEffect, JudgementMeasure, PrimaryContrast, StudyStage, TrialTask,
};
use crate::report::contrast_test::{
    ContrastTestResult, JudgementUnderComparedCondition, MIN_PARTICIPANTS, mean_if_any,
    means_by_key,
};
pub use crate::report::groups::{
    ConditionProperties, DifficultyTierJudgements, JudgementsBySharedProperty,
    ParticipantGroupOutcomeCounts,
};
use crate::report::groups::{
    group_outcomes, judgement_groups_by_property, judgements_by_difficulty_tier,
};
use crate::report::power::power_at_planned_participant_count;
use crate::report::quotas::{QuotaCount, quota_counts_of_records};
use crate::report::rows::{ParticipantClaimDecisionRow, StudyRows, TrialRow};
use debate_core::budget::ComputationBudget;
use debate_core::chance::Seed;
use debate_core::text::count_with_noun;
use debate_lab::judgements::statistics::{
    TInterval, TTestDesign, count_to_float, smallest_sufficient_sample_size, studentised_bootstrap,
    t_interval,
};
use debate_lab::judgements::{
    JudgeProbabilityAfterRound, Judgement, JudgementReport, UncountedDebates,
};
use debate_solver::expectation::{DecimalOrFractionNumber, ReportNumberFormat};
use debate_solver::simulate::wilson_interval;
use debate_theory::check::check;

/// The report of a study.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StudyReport {
    /// Version of this document: 1.
    pub format: u32,
    pub id: String,
    pub title: String,
    pub stage: StudyStage,
    /// True if the judges of the report are simulated.
    pub simulated: bool,
    /// The hash of the study's lock; null if the study is not locked, or if the judges of the report are simulated.
    pub lock: Option<String>,
    /// The versions of the program that ran the sessions.
    pub programs: Vec<String>,
    pub flow: SessionOutcomeCounts,
    /// Descriptions of the damage of the study's logs. Damaged logs are left out of the report.
    pub damage: StudyDataDamage,
    pub conditions: Vec<StudyConditionReport>,
    /// The judgements grouped by a property: rules, players, judge or model. A property is left out if all judgements
    /// have the same value, or if each condition has a separate value.
    pub groups: Vec<JudgementsBySharedProperty>,
    /// Judgements by difficulty tier and condition; empty unless the design is `Stepped`.
    pub tiers: Vec<DifficultyTierJudgements>,
    pub primary: PrimaryContrastReport,
    pub quality: DataQuality,
    pub queries: JudgeDecisionErrorsReport,
    /// Calibration, rounds and judges of all judgements, in the format of the command `report`.
    pub judgements: JudgementReport,
}

/// Numbers of sessions by outcome.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Flow")]
pub struct SessionOutcomeCounts {
    pub sessions: usize,
    /// Number of sessions by status.
    pub by_status: BTreeMap<String, usize>,
    /// Number of sessions by language, if the study has several. Sessions without a chosen language are left out.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub by_language: BTreeMap<String, usize>,
    /// For each exclusion rule, the number of completed sessions that it excludes from the analysis.
    pub excluded: BTreeMap<String, usize>,
    /// Number of sessions that count.
    pub counted: usize,
    /// Number of participants who were deleted on request.
    pub forgotten: usize,
    /// Number of damaged logs, which are left out.
    pub damaged: usize,
    /// Target number of sessions.
    pub target: u32,
    pub active_minutes_median: Option<f64>,
    /// Outcomes of the groups of participants who debate with each other; null if the study has none.
    pub groups: Option<ParticipantGroupOutcomeCounts>,
    /// The state of each quota.
    pub quotas: Vec<QuotaCount>,
}

/// A 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Ends")]
pub struct ConfidenceInterval95 {
    pub low: f64,
    pub high: f64,
}

/// A mean with its intervals.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MeanReport {
    /// Mean of the participants' means.
    pub mean: f64,
    /// Confidence interval of the mean over participants, from the t distribution; null with fewer than two
    /// participants, or if the participants' means are all equal.
    pub participants95: Option<ConfidenceInterval95>,
    /// Confidence interval of the mean over items, from the t distribution of the items' means.
    pub items95: Option<ConfidenceInterval95>,
}

/// The judgements under one condition.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "StudyCondition")]
pub struct StudyConditionReport {
    pub id: String,
    #[serde(flatten)]
    pub compared: ConditionProperties,
    pub n: usize,
    pub participants: usize,
    /// Number of judgements that gave the right answer a probability above one half.
    pub correct: usize,
    /// Wilson confidence interval of the proportion of correct judgements, as if judgements were independent.
    pub wilson95: Option<[f64; 2]>,
    pub accuracy: Option<MeanReport>,
    pub brier: Option<MeanReport>,
    pub log2_score: Option<MeanReport>,
    /// Mean Brier score of the probabilities that judges gave before the debate.
    pub brier_before: Option<f64>,
    pub ece: Option<f64>,
    /// Expected calibration error `ece` of a perfectly calibrated judge who states the same probabilities.
    pub ece_floor: Option<f64>,
    pub active_seconds_median: Option<f64>,
    pub rounds_mean: Option<f64>,
    /// Proportion of trials in which the judge gave the answer shown first the higher probability; and proportion in
    /// which the answer shown first was right.
    pub chose_first: Option<f64>,
    pub first_was_right: Option<f64>,
    /// The highest rate of a judge's errors about small claims that PE Lemma A.5 allows for every item. Null unless
    /// every hypothesis of the lemma holds for each item.
    pub judge_error_allowed: Option<f64>,
}

/// The primary contrast of the study.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "PrimaryReport")]
pub struct PrimaryContrastReport {
    pub measure: JudgementMeasure,
    pub of: String,
    pub against: String,
    /// Number of participants who judged under both conditions; in a comparison between participants, under either.
    pub participants: usize,
    /// True if each participant's judgements under both conditions are compared; false if participants of two groups
    /// are.
    pub paired: bool,
    pub difference: Option<f64>,
    /// Confidence interval of the difference, from the paired t test or, between participants, from Welch's t test.
    pub t95: Option<ConfidenceInterval95>,
    pub t_p: Option<f64>,
    /// Interval of the studentised bootstrap.
    pub bootstrap95: Option<ConfidenceInterval95>,
    /// Mean over items of the difference between the conditions, and the confidence interval of this mean.
    pub by_items: Option<f64>,
    pub items95: Option<ConfidenceInterval95>,
    /// Standard deviation of the participants' differences; in a comparison between participants, the pooled standard
    /// deviation of their means.
    pub sd: Option<f64>,
    /// Number of participants that a study would need to detect a difference of this size with probability 0.8, given
    /// this standard deviation. Null if it is above 100,000, or if `sd` is null. Between participants, for two groups
    /// of equal size.
    pub enough: Option<usize>,
    /// Number of participants that a study would need to detect, with probability 0.8, the effect stated in the study
    /// file.
    pub stated_enough: Option<usize>,
    /// The conclusion from the interval `t95` in words; if it is inconclusive, with the number of participants that
    /// would be enough.
    pub verdict: String,
    /// The smallest difference that would be detected with probability 0.8 at the planned number of participants, given
    /// the observed standard deviation.
    pub detectable_at_target: Option<f64>,
    /// The effect that the study file states, and the power to detect it with the planned number of participants.
    pub stated: Option<ExpectedEffect>,
    pub stated_power: Option<f64>,
    /// Monte Carlo standard error of `stated_power`.
    pub stated_power_error: Option<f64>,
    /// The smallest difference between the conditions that the planned number of participants would detect with
    /// probability 0.8. Computed from the standard deviation that the study file states.
    pub stated_detectable: Option<f64>,
}

/// Indicators of data quality.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Quality")]
pub struct DataQuality {
    pub attention_failed: u32,
    pub interrupted_trials: usize,
    pub trials_over_limit: usize,
    /// Number of sessions that were interrupted and resumed, and the total number of resumptions.
    pub resumed_sessions: usize,
    pub resumes: u32,
    /// Number of trials that a program's fault ended, by fault.
    pub void_trials: BTreeMap<String, usize>,
    /// Number of repeated trials whose first trial was judged too, and the mean absolute difference between the two
    /// probabilities.
    pub repeated: usize,
    pub repeat_difference: Option<f64>,
    /// Mean Brier scores in the first and second half of the trials.
    pub first_half_brier: Option<f64>,
    pub second_half_brier: Option<f64>,
    /// Participants' answers to the question about the effect of the arguments: counts by answer, for each label. A
    /// label is a condition's name that participants see.
    pub guesses: BTreeMap<String, BTreeMap<String, usize>>,
}

/// Decisions on small claims by participants who judge debates. A small claim is one that the rules ask the judge to
/// decide.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "QueryReport")]
pub struct JudgeDecisionErrorsReport {
    pub n: usize,
    pub errors: usize,
    pub error_rate95: Option<[f64; 2]>,
    /// The decisions on true claims and those on false claims, counted separately.
    pub classes: Vec<ClaimDecisionErrorCounts>,
    /// Errors of each participant.
    pub judges: Vec<ParticipantDecisionErrorCounts>,
    /// A judge for simulations that errs as often as the study's participants did, written as the field `oracle` of a
    /// scenario. `player` is the same judge as a player's name.
    pub oracle: Option<String>,
    pub player: Option<String>,
}

/// Participants' decisions on small claims that are true, or on those that are false.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "QueryClass")]
pub struct ClaimDecisionErrorCounts {
    pub class: &'static str,
    pub n: usize,
    pub errors: usize,
    pub error_rate95: Option<[f64; 2]>,
}

/// Decisions of one participant.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "JudgeErrors"))]
pub struct ParticipantDecisionErrorCounts {
    pub participant: String,
    pub n: usize,
    pub errors: usize,
    /// Number of the participant's errors on true claims.
    pub on_true: usize,
    /// Number of the participant's errors on false claims.
    pub on_false: usize,
}

/// Computes the report of the live or of the simulated sessions.
///
/// # Errors
/// If there are no sessions, a folder cannot be read, a log names an unknown item, or a study with live sessions was
/// changed after its lock. Damaged logs are left out.
pub fn study_report(study: &Study, kind: LiveOrSimulated) -> Result<StudyReport> {
    let rows = StudyRows::read_study_rows(study, kind)?;
    let is_live = kind == LiveOrSimulated::Live;
    if rows.participants.is_empty() {
        let damage = rows.damage.damage_sentences().join(" ");
        return Err(StudyError::Nothing(match kind {
            LiveOrSimulated::Live if !rows.damage.logs.is_empty() => damage,
            LiveOrSimulated::Live => "no participant has taken part yet; run a session with `study run`, or add --simulated \
                               to report on simulated judges".to_owned(),
            LiveOrSimulated::Simulated => "there are no simulated sessions; run `study simulate` first".to_owned(),
        }));
    }
    let (mut lock, mut forgotten) = (None, 0);
    if is_live {
        lock = verify_lock(study)?.map(|lock| lock.hash);
        forgotten = study.folder.deletion_tombstones()?.len();
    }
    let trials: Vec<&TrialRow> = rows.counted_trials().collect();
    let judgements = judgements(&rows, &trials);
    let conditions = 0..study.plan.conditions.len();
    let conditions = conditions.map(|index| of_condition(study, index, &trials, &judgements));
    Ok(StudyReport {
        format: 1,
        id: study.plan.id.clone(),
        title: study.plan.title.clone(),
        stage: study.plan.stage,
        simulated: !is_live,
        lock,
        programs: programs(&rows),
        flow: flow(study, &rows, forgotten, !is_live),
        damage: rows.damage.clone(),
        conditions: conditions.collect(),
        groups: judgement_groups_by_property(study, &trials),
        tiers: judgements_by_difficulty_tier(study, &trials),
        primary: primary(study, &trials),
        quality: quality(&rows, &trials),
        queries: queries(&rows),
        judgements,
    })
}

/// Returns the versions of the program that ran the sessions, in the order of their first use in the logs.
fn programs(rows: &StudyRows) -> Vec<String> {
    let mut programs: Vec<String> = Vec::new();
    for program in rows
        .events
        .iter()
        .filter_map(|it| it.payload_string_field("program"))
    {
        if !programs.iter().any(|other| other == program) {
            programs.push(program.to_owned());
        }
    }
    programs
}

fn flow(
    study: &Study,
    rows: &StudyRows,
    forgotten: usize,
    simulated: bool,
) -> SessionOutcomeCounts {
    let mut by_status = BTreeMap::<String, usize>::new();
    let mut by_language = BTreeMap::<String, usize>::new();
    let has_languages = !study.offered_languages().is_empty();
    let mut excluded = BTreeMap::<String, usize>::new();
    let mut minutes = Vec::new();
    for row in &rows.participants {
        *by_status
            .entry(row.status.status_name().to_owned())
            .or_default() += 1;
        if has_languages && !row.language.is_empty() {
            *by_language.entry(row.language.clone()).or_default() += 1;
        }
        if row.is_counted {
            minutes.extend(row.active_s.map(|active| active / 60.0));
        } else if row.status == StudySessionStatus::Complete {
            *excluded.entry(row.excluded.clone()).or_default() += 1;
        }
    }
    SessionOutcomeCounts {
        sessions: rows.participants.len(),
        by_status,
        by_language,
        excluded,
        // `minutes` leaves out sessions without a known active time, such as those in a browser without scripts.
        counted: rows
            .participants
            .iter()
            .filter(|row| row.is_counted)
            .count(),
        forgotten,
        damaged: rows.damage.logs.len(),
        target: study.plan.target.participants,
        active_minutes_median: median(minutes),
        groups: study
            .plan
            .has_several_participants_per_debate()
            .then(|| group_outcomes(rows)),
        quotas: quota_counts_of_records(study, &rows.events, simulated),
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    Some(if values.len().is_multiple_of(2) {
        f64::midpoint(values[values.len() / 2 - 1], upper)
    } else {
        upper
    })
}

fn judgements(rows: &StudyRows, trials: &[&TrialRow]) -> JudgementReport {
    let mut beliefs: BTreeMap<(&str, u32), Vec<JudgeProbabilityAfterRound>> = BTreeMap::new();
    // The condition's own figures cover the final answer.
    for row in (rows.rounds.iter()).filter(|row| !row.key.is_practice && row.asked != "final") {
        let own = beliefs
            .entry((&row.key.session, row.key.trial))
            .or_default();
        own.push(JudgeProbabilityAfterRound {
            round: row.round,
            p_correct: row.p_correct,
            says: String::new(),
        });
    }
    let made = trials.iter().map(|trial| Judgement {
        condition: trial.key.condition.clone(),
        debate: trial.key.item.clone(),
        judge: trial.key.participant.clone(),
        story: Some(trial.story.clone()),
        p_correct: trial.p_correct,
        continues: trial.rounds,
        reward: Some(trial.score),
        correct_answer_index: u32::from(!trial.is_first_right),
        by_round: beliefs
            .get(&(trial.key.session.as_str(), trial.key.trial))
            .cloned()
            .unwrap_or_default(),
    });
    let made: Vec<Judgement> = made.collect();
    let mut left_out: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows.participants.iter().filter(|row| !row.is_counted) {
        let why = match row.excluded.as_str() {
            "" => row.status.status_name(),
            why => why,
        };
        *left_out.entry(why).or_default() += 1;
    }
    let left_out = left_out.into_iter().map(|(why, count)| UncountedDebates {
        why: why.to_owned(),
        count,
    });
    debate_lab::judgements::report_on_judgements(&made, left_out.collect())
}

/// Returns those of the trials that participants judged under a condition.
fn under<'t>(trials: &[&'t TrialRow], condition: &str) -> Vec<&'t TrialRow> {
    let trials = trials.iter().copied();
    trials.filter(|it| it.key.condition == condition).collect()
}

/// Returns the mean of `value` for each group of trials. `by` returns a trial's group: its participant or its item.
fn means<'t>(
    trials: &[&'t TrialRow],
    by: fn(&TrialRow) -> &str,
    value: impl Fn(&TrialRow) -> f64,
) -> BTreeMap<&'t str, f64> {
    means_by_key(trials.iter().map(|trial| (by(trial), value(trial))))
}

fn by_participant(trial: &TrialRow) -> &str {
    &trial.key.participant
}

fn by_item(trial: &TrialRow) -> &str {
    &trial.key.item
}

impl From<TInterval> for ConfidenceInterval95 {
    fn from(TInterval { low, high, .. }: TInterval) -> Self {
        Self { low, high }
    }
}

fn interval(values: &[f64]) -> Option<ConfidenceInterval95> {
    t_interval(values).map(ConfidenceInterval95::from)
}

fn mean_report(
    trials: &[&TrialRow],
    value: impl Fn(&TrialRow) -> f64 + Copy,
) -> Option<MeanReport> {
    let own: Vec<f64> = means(trials, by_participant, value).into_values().collect();
    let items: Vec<f64> = means(trials, by_item, value).into_values().collect();
    Some(MeanReport {
        mean: mean_if_any(&own)?,
        participants95: interval(&own),
        items95: interval(&items),
    })
}

fn of_condition(
    study: &Study,
    index: usize,
    trials: &[&TrialRow],
    judgements: &JudgementReport,
) -> StudyConditionReport {
    let condition = &study.plan.conditions[index];
    let id = &condition.id;
    let own = under(trials, id);
    let correct = own.iter().filter(|trial| trial.p_correct > 0.5).count();
    let mut judged = judgements.conditions.iter();
    let judged = judged.find(|condition| condition.condition == *id);
    let share = |test: fn(&TrialRow) -> bool| {
        let count = own.iter().filter(|trial| test(trial)).count();
        (!own.is_empty()).then(|| count_to_float(count) / count_to_float(own.len()))
    };
    let before = own.iter().filter_map(|trial| {
        let first = trial.p_before?;
        let wrong = if trial.is_first_right {
            1.0 - first
        } else {
            first
        };
        Some(wrong.powi(2))
    });
    let rounds: Vec<f64> = own.iter().map(|trial| f64::from(trial.rounds)).collect();
    StudyConditionReport {
        id: id.clone(),
        compared: ConditionProperties::properties_of_condition(study, condition),
        n: own.len(),
        participants: means(&own, by_participant, |_| 0.0).len(),
        correct,
        wilson95: wilson_interval(correct as u64, own.len() as u64),
        accuracy: mean_report(&own, |trial| trial.correct),
        brier: mean_report(&own, |trial| trial.brier),
        log2_score: mean_report(&own, |trial| trial.score),
        brier_before: mean_if_any(&before.collect::<Vec<_>>()),
        ece: judged.map(|it| it.calibration_error),
        ece_floor: judged.map(|it| it.calibration_noise),
        active_seconds_median: median(own.iter().filter_map(|trial| trial.active_s).collect()),
        rounds_mean: mean_if_any(&rounds),
        // Position on the screen: swapped trials show the second answer first.
        chose_first: share(|trial| {
            let side = if trial.is_swapped { -1.0 } else { 1.0 };
            side * (trial.p_first - 0.5) > 0.0
        }),
        first_was_right: share(|trial| trial.is_first_right != trial.is_swapped),
        judge_error_allowed: allowed(study, index),
    }
}

/// Returns the error rate of judges that PE Lemma A.5 allows in a condition. `None` unless its hypotheses hold for each
/// item.
fn allowed(study: &Study, condition: usize) -> Option<f64> {
    let TrialTask::Debate { protocol, .. } = &study.plan.conditions[condition].task else {
        return None;
    };
    let items = study.items.iter().filter(|item| !item.practice);
    let each = items.map(|item| {
        let checked = check(
            item.setup(),
            &protocol.protocol,
            ReportNumberFormat::Decimal,
        )
        .ok()?;
        match checked.judge_error_allowed? {
            DecimalOrFractionNumber::Decimal(value) => Some(value),
            DecimalOrFractionNumber::Fraction(_) => None,
        }
    });
    let all: Option<Vec<f64>> = each.collect();
    all?.into_iter().min_by(f64::total_cmp)
}

fn quality(rows: &StudyRows, trials: &[&TrialRow]) -> DataQuality {
    let repeats = rows.trials.iter().filter(|trial| trial.is_repeat);
    let gaps = repeats.filter_map(|again| {
        let is_of = |it: &&TrialRow| {
            it.key.session == again.key.session
                && it.key.item == again.key.item
                && it.key.condition == again.key.condition
        };
        let mut firsts = rows
            .trials
            .iter()
            .filter(|it| !it.is_repeat && !it.key.is_practice);
        Some((firsts.find(is_of)?.p_first - again.p_first).abs())
    });
    let gaps: Vec<f64> = gaps.collect();
    let most = trials
        .iter()
        .map(|trial| trial.key.trial)
        .max()
        .unwrap_or(0);
    let half = |second: bool| {
        let own = trials
            .iter()
            .filter(|it| (it.key.trial > most / 2) == second);
        mean_if_any(&own.map(|trial| trial.brier).collect::<Vec<_>>())
    };
    let mut guesses: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for row in &rows.survey {
        if let Some(label) = row.question.strip_prefix("guess: ") {
            let answers = guesses.entry(label.to_owned()).or_default();
            *answers.entry(row.answer.clone()).or_default() += 1;
        }
    }
    let mut void_trials: BTreeMap<String, usize> = BTreeMap::new();
    for (_, fault) in &rows.void {
        *void_trials.entry(fault.clone()).or_default() += 1;
    }
    let participants = rows.participants.iter();
    DataQuality {
        attention_failed: participants.clone().map(|row| row.attention_failed).sum(),
        interrupted_trials: rows
            .trials
            .iter()
            .filter(|trial| trial.is_interrupted)
            .count(),
        trials_over_limit: rows
            .trials
            .iter()
            .filter(|trial| trial.is_over_limit)
            .count(),
        resumed_sessions: participants.clone().filter(|row| row.resumes > 0).count(),
        resumes: participants.map(|row| row.resumes).sum(),
        void_trials,
        repeated: gaps.len(),
        repeat_difference: mean_if_any(&gaps),
        first_half_brier: half(false),
        second_half_brier: half(true),
        guesses,
    }
}

fn queries(rows: &StudyRows) -> JudgeDecisionErrorsReport {
    let known = rows
        .counted_claim_decisions()
        .filter(|query| query.is_true.is_some());
    let all: Vec<&ParticipantClaimDecisionRow> = known.collect();
    let of =
        |truth: bool| move |query: &&&ParticipantClaimDecisionRow| query.is_true == Some(truth);
    let is_wrong = |query: &&&ParticipantClaimDecisionRow| query.is_error == Some(true);
    let class = |name, truth| {
        let n = all.iter().filter(of(truth)).count();
        let errors = all.iter().filter(of(truth)).filter(is_wrong).count();
        ClaimDecisionErrorCounts {
            class: name,
            n,
            errors,
            error_rate95: wilson_interval(errors as u64, n as u64),
        }
    };
    let mut judges: BTreeMap<&str, Vec<&ParticipantClaimDecisionRow>> = BTreeMap::new();
    for query in &all {
        judges
            .entry(&query.key.participant)
            .or_default()
            .push(query);
    }
    let judges = judges
        .into_iter()
        .map(|(participant, own)| ParticipantDecisionErrorCounts {
            participant: participant.to_owned(),
            n: own.len(),
            errors: own.iter().filter(is_wrong).count(),
            on_true: own.iter().filter(of(true)).filter(is_wrong).count(),
            on_false: own.iter().filter(of(false)).filter(is_wrong).count(),
        });
    let (n, errors) = (all.len(), all.iter().filter(is_wrong).count());
    JudgeDecisionErrorsReport {
        n,
        errors,
        error_rate95: wilson_interval(errors as u64, n as u64),
        classes: vec![class("true claims", true), class("false claims", false)],
        judges: judges.collect(),
        oracle: (n > 0).then(|| format!("Noisy(\"{errors}/{n}\")")),
        player: (n > 0).then(|| format!("noisy({errors}/{n})")),
    }
}

impl JudgementMeasure {
    fn of(self, trial: &TrialRow) -> f64 {
        match self {
            Self::Brier => trial.brier,
            Self::Accuracy => trial.correct,
            Self::Score => trial.score,
        }
    }
}

/// For each item that participants judged under both conditions, returns the mean under `of` minus the mean under
/// `against`.
fn differences_by_item(trials: &[&TrialRow], contrast: &PrimaryContrast) -> Vec<f64> {
    let means = |id: &str| means(&under(trials, id), by_item, |it| contrast.measure.of(it));
    let other = means(&contrast.against);
    let of = means(&contrast.of).into_iter();
    of.filter_map(|(name, mean)| Some(mean - other.get(name)?))
        .collect()
}

fn primary(study: &Study, trials: &[&TrialRow]) -> PrimaryContrastReport {
    let plan = &study.plan;
    let contrast = &plan.analysis.primary;
    let design = study.primary_contrast_design();
    let planned = power_at_planned_participant_count(study, ComputationBudget::default());
    let stated = plan.analysis.power;
    let mut report = PrimaryContrastReport {
        measure: contrast.measure,
        of: contrast.of.clone(),
        against: contrast.against.clone(),
        participants: 0,
        paired: design.compares_within_participants(),
        difference: None,
        t95: None,
        t_p: None,
        bootstrap95: None,
        by_items: None,
        items95: None,
        sd: None,
        enough: None,
        stated_enough: stated
            .and_then(|it| sufficient_participant_count(design, it.effect / it.sd)),
        verdict: String::new(),
        detectable_at_target: None,
        stated,
        stated_power: planned.and_then(|it| it.power),
        stated_power_error: planned.and_then(|it| it.power_error),
        stated_detectable: planned.and_then(|it| it.detectable),
    };
    let test = contrast_test(study, design, trials);
    report.participants = test.participants;
    report.difference = test.difference;
    report.t95 = test.interval.map(|it| ConfidenceInterval95 {
        low: it.low,
        high: it.high,
    });
    report.t_p = test.interval.map(|it| it.p);
    report.sd = test.interval.and_then(|it| it.sd);
    if design.compares_within_participants() {
        let items = differences_by_item(trials, contrast);
        let seed = Seed::new(format!("{}/bootstrap", plan.seed));
        let drawn = seed.and_then(|seed| {
            studentised_bootstrap(&test.differences, plan.analysis.bootstrap, &seed)
        });
        report.bootstrap95 = drawn.map(|(low, high)| ConfidenceInterval95 { low, high });
        report.by_items = mean_if_any(&items);
        report.items95 = interval(&items);
    }
    if let Some(sd) = report.sd {
        let effect = report.difference.map(|it| it / sd);
        report.enough = effect.and_then(|effect| sufficient_participant_count(design, effect));
        report.detectable_at_target = design
            .t_test_for_planned_participants()
            .smallest_detectable_effect()
            .map(|sds| sds * sd);
    }
    report.verdict = verdict(&report);
    report
}

/// Returns the number of participants, of all conditions together, that the design's test needs to detect an effect
/// with probability 0.8.
fn sufficient_participant_count(design: ContrastDesign, effect_in_sds: f64) -> Option<usize> {
    match design {
        ContrastDesign::Within { .. } => {
            smallest_sufficient_sample_size(effect_in_sds, TTestDesign::Paired)
        }
        ContrastDesign::Between { .. } => {
            let each = smallest_sufficient_sample_size(effect_in_sds, |each| {
                TTestDesign::TwoSamples([each, each])
            });
            each.map(|each| 2 * each)
        }
    }
}

/// Tests the primary contrast.
fn contrast_test(
    study: &Study,
    design: ContrastDesign,
    trials: &[&TrialRow],
) -> ContrastTestResult {
    let contrast = &study.plan.analysis.primary;
    let compared =
        |trial: &&&TrialRow| [&contrast.of, &contrast.against].contains(&&trial.key.condition);
    let judgements: Vec<JudgementUnderComparedCondition<&str>> = trials
        .iter()
        .filter(compared)
        .map(|trial| JudgementUnderComparedCondition {
            participant: by_participant(trial),
            is_of: trial.key.condition == contrast.of,
            value: contrast.measure.of(trial),
        })
        .collect();
    ContrastTestResult::of(design, &judgements)
}

/// Describes how many participants would be enough to detect the effect.
fn enough_in_words(report: &PrimaryContrastReport) -> String {
    let enough = report.enough.map(|enough| {
        format!(
            " If the true difference equals the observed one, {participants} participants would detect it with probability 0.8.",
            participants = enough.max(MIN_PARTICIPANTS)
        )
    });
    let stated = report
        .stated
        .zip(report.stated_enough)
        .map(|(power, enough)| {
            let enough = enough.max(MIN_PARTICIPANTS);
            format!(
                " For the stated effect of {effect}, {enough} participants would be enough.",
                effect = power.effect
            )
        });
    enough.into_iter().chain(stated).collect()
}

fn verdict(report: &PrimaryContrastReport) -> String {
    let too_few = |why: String| {
        format!(
            "Too few participants to tell: {reason}.{sufficient_count_sentences}",
            reason = why,
            sufficient_count_sentences = enough_in_words(report)
        )
    };
    let ends = match (report.difference, report.t95) {
        (None, _) if report.paired => {
            return "No participant has judged under both conditions yet.".to_owned();
        }
        (None, _) => return "At least one of the two conditions has no judgement yet.".to_owned(),
        (Some(_), None) => {
            return too_few("the standard deviation cannot be estimated yet".to_owned());
        }
        (Some(_), Some(ends)) => ends,
    };
    if report.participants < MIN_PARTICIPANTS {
        let participants = count_with_noun(report.participants, "participant", "participants");
        return too_few(format!(
            "{participants}, but at least {MIN_PARTICIPANTS} are needed"
        ));
    }
    let higher_or_lower = if ends.low > 0.0 {
        "higher"
    } else if ends.high < 0.0 {
        "lower"
    } else {
        return too_few("the interval contains 0".to_owned());
    };
    let measure = report.measure.measure_name();
    let (condition, other_condition) = (&report.of, &report.against);
    format!(
        "The {measure} under `{condition}` is {higher_or_lower} than under `{other_condition}`."
    )
}
