//! Judgements grouped by properties of conditions (rules, players, judge, models), and outcomes of groups of
//! participants.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::rows::{SessionRow, StudyRows, TrialRow};
use super::{MeanReport, by_participant, mean_report, means, median};
use crate::Study;
use crate::folder::log::StudySessionStatus;
use crate::plan::{ExperimentCondition, HUMAN, InformationShownWithQuestion, TrialTask};
use debate_core::protocol::Seat;

/// Properties of a condition by which judgements are grouped. A field is empty if the condition lacks the property.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConditionProperties {
    /// The rules of the condition's debates; in a condition without debates, the information that participants are
    /// shown.
    pub rules: String,
    /// The debaters of the condition: "participants", or the players that the study file names.
    pub prover: String,
    pub opponent: String,
    /// The judge of the condition's debates: the participants, or the player that the study file names.
    pub judge: String,
    /// Models that took part in the condition's prepared debates, as their programs report. Models in debates with
    /// participants are not listed.
    pub models: Vec<String>,
}

impl ConditionProperties {
    pub(super) fn properties_of_condition(study: &Study, condition: &ExperimentCondition) -> Self {
        let [_, _, judge] = condition.task.named_players();
        let [prover, opponent] = study.plan.debaters_of_task(&condition.task);
        let name = |name: Option<&str>| match name.unwrap_or_default() {
            HUMAN => "participants".to_owned(),
            name => name.to_owned(),
        };
        let rules = match &condition.task {
            TrialTask::Debate { protocol, .. } => words(&protocol.text),
            TrialTask::Consultancy { .. } => "consultancy".to_owned(),
            TrialTask::Direct {
                shows: InformationShownWithQuestion::Question,
            } => "the question alone".to_owned(),
            TrialTask::Direct {
                shows: InformationShownWithQuestion::Evidence,
            } => "the question and all evidence".to_owned(),
            TrialTask::Direct {
                shows: InformationShownWithQuestion::Source,
            } => "the question and the source".to_owned(),
            TrialTask::Rejudge { .. } => "finished debates".to_owned(),
        };
        let judge = if study.plan.roles.contains(&Seat::Judge) {
            "participants".to_owned()
        } else {
            name(judge)
        };
        let debates = study.prepared_debates().map(|debate| &debate.row);
        let own = debates.filter(|it| it.condition == condition.id && !it.model.is_empty());
        let models: BTreeSet<String> = own.map(|it| it.model.clone()).collect();
        Self {
            rules,
            prover: name(prover),
            opponent: name(opponent),
            judge,
            models: models.into_iter().collect(),
        }
    }

    /// Describes the condition in one phrase: its rules, debaters and models, without the judge.
    pub(super) fn condition_properties_phrase(&self) -> String {
        let named = |before: &str, name: &str| match name {
            "" => String::new(),
            name => format!("{before}{name}"),
        };
        let models = match self.models.as_slice() {
            [] => String::new(),
            models => format!(" ({})", models.join("; ")),
        };
        let prover = named("; ", &self.prover);
        let opponent = named(" against ", &self.opponent);
        format!("{}{prover}{opponent}{models}", self.rules)
    }
}

/// Joins the words of a text of several lines into one line.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The judgements of all conditions that share the value of one property.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "StudyGroup")]
pub struct JudgementsBySharedProperty {
    /// The shared property: `rules`, `prover`, `opponent`, `judge` or `model`.
    pub by: &'static str,
    pub value: String,
    pub conditions: Vec<String>,
    pub n: usize,
    pub participants: usize,
    pub accuracy: Option<MeanReport>,
    pub brier: Option<MeanReport>,
    pub log2_score: Option<MeanReport>,
}

/// A function that returns the value of a property for a trial.
type Value = fn(&ConditionProperties, &TrialRow) -> String;

/// Properties that conditions can share.
const BY: [(&str, Value); 5] = [
    ("rules", |compared, _| compared.rules.clone()),
    ("prover", |_, trial| trial.prover.clone()),
    ("opponent", |_, trial| trial.opponent.clone()),
    ("judge", |compared, _| compared.judge.clone()),
    ("model", |_, trial| trial.model.clone()),
];

/// Groups the judgements by each property. Properties with a single value, or that only repeat the conditions, are left
/// out.
pub(super) fn judgement_groups_by_property(
    study: &Study,
    trials: &[&TrialRow],
) -> Vec<JudgementsBySharedProperty> {
    let conditions = study.plan.conditions.iter();
    let compared: BTreeMap<&str, ConditionProperties> = conditions
        .map(|condition| {
            (
                condition.id.as_str(),
                ConditionProperties::properties_of_condition(study, condition),
            )
        })
        .collect();
    let mut groups = Vec::new();
    for (by, value) in BY {
        let mut own: BTreeMap<String, Vec<&TrialRow>> = BTreeMap::new();
        for trial in trials {
            let value = compared
                .get(trial.key.condition.as_str())
                .map(|it| value(it, trial));
            own.entry(value.unwrap_or_default())
                .or_default()
                .push(trial);
        }
        let met = |trials: &[&TrialRow]| -> BTreeSet<String> {
            trials
                .iter()
                .map(|trial| trial.key.condition.clone())
                .collect()
        };
        let all: usize = own.values().map(|trials| met(trials).len()).sum();
        let is_conditions = all == own.len() && all == met(trials).len();
        if own.len() < 2 || is_conditions {
            continue;
        }
        groups.extend(own.into_iter().filter(|(value, _)| !value.is_empty()).map(
            |(value, own)| JudgementsBySharedProperty {
                by,
                value,
                conditions: met(&own).into_iter().collect(),
                n: own.len(),
                participants: means(&own, by_participant, |_| 0.0).len(),
                accuracy: mean_report(&own, |trial| trial.correct),
                brier: mean_report(&own, |trial| trial.brier),
                log2_score: mean_report(&own, |trial| trial.score),
            },
        ));
    }
    groups
}

/// The judgements under a condition in one difficulty tier of a `Stepped` design.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "TierJudgements"))]
pub struct DifficultyTierJudgements {
    pub tier: String,
    pub condition: String,
    pub n: usize,
    pub participants: usize,
    pub accuracy: Option<MeanReport>,
    pub brier: Option<MeanReport>,
    pub log2_score: Option<MeanReport>,
}

/// Returns the judgements by difficulty tier and condition, in the order of the study file. Empty if the design has no
/// tiers.
pub(super) fn judgements_by_difficulty_tier(
    study: &Study,
    trials: &[&TrialRow],
) -> Vec<DifficultyTierJudgements> {
    let mut rows = Vec::new();
    for (tier, name) in study
        .plan
        .design
        .difficulty_tiers()
        .unwrap_or_default()
        .iter()
        .enumerate()
    {
        for (index, condition) in study.plan.conditions.iter().enumerate() {
            let items = study.items_of_condition(index).iter();
            let items = items.filter(|item| item.tier == Some(tier));
            let items: BTreeSet<&str> = items.map(|item| item.id.as_str()).collect();
            let own: Vec<&TrialRow> = trials
                .iter()
                .copied()
                .filter(|it| {
                    it.key.condition == condition.id && items.contains(it.key.item.as_str())
                })
                .collect();
            rows.push(DifficultyTierJudgements {
                tier: name.clone(),
                condition: condition.id.clone(),
                n: own.len(),
                participants: means(&own, by_participant, |_| 0.0).len(),
                accuracy: mean_report(&own, |trial| trial.correct),
                brier: mean_report(&own, |trial| trial.brier),
                log2_score: mean_report(&own, |trial| trial.score),
            });
        }
    }
    rows
}

/// The outcomes of groups of participants: the numbers of groups that were formed, completed or broken up, and of sessions
/// that ended because of their group or for lack of one.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "GroupFlow")]
pub struct ParticipantGroupOutcomeCounts {
    /// Number of groups of participants that were formed.
    pub made: usize,
    /// Number of groups whose members all completed the study.
    pub complete: usize,
    /// Number of groups in which a member was left alone.
    pub void: usize,
    /// Number of sessions that ended because no group was formed. `left_alone` counts sessions that ended because
    /// another participant left, `forfeited` those of participants who were absent too long.
    pub waited: usize,
    pub left_alone: usize,
    pub forfeited: usize,
    pub wait_seconds_median: Option<f64>,
}

pub(super) fn group_outcomes(rows: &StudyRows) -> ParticipantGroupOutcomeCounts {
    let mut groups: BTreeMap<&str, Vec<StudySessionStatus>> = BTreeMap::new();
    for row in rows.participants.iter().filter(|row| !row.group.is_empty()) {
        groups.entry(&row.group).or_default().push(row.status);
    }
    let all = |status: StudySessionStatus| {
        let own = rows.participants.iter().filter(|row| row.status == status);
        own.count()
    };
    let of_groups =
        |test: fn(&[StudySessionStatus]) -> bool| groups.values().filter(|it| test(it)).count();
    let is_forfeited = |row: &&SessionRow| {
        row.status == StudySessionStatus::Forfeited || rows.away.contains(&row.session)
    };
    ParticipantGroupOutcomeCounts {
        made: groups.len(),
        complete: of_groups(|members| members.iter().all(|it| *it == StudySessionStatus::Complete)),
        void: of_groups(|members| members.contains(&StudySessionStatus::LeftAlone)),
        waited: all(StudySessionStatus::Waited),
        left_alone: all(StudySessionStatus::LeftAlone),
        forfeited: rows.participants.iter().filter(is_forfeited).count(),
        wait_seconds_median: median(
            rows.participants
                .iter()
                .filter_map(|it| it.waited_s)
                .collect(),
        ),
    }
}
