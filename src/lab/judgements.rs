//! Judgements of debates: the probabilities that judges gave to the right answer, with statistics.
//!
//! Start with [`of_save`] and [`read_judgement_table`], which return [`Judgement`]s. [`give_conditions_unique_names`]
//! sets the condition of judgements from saves, [`report_on_judgements()`] summarises them by condition, and
//! [`judgement_chart_svg()`] draws the report.

pub(crate) mod bradley_terry;
mod chart;
mod condition;
mod read;
mod rejudge;
mod report;
pub mod statistics;

use std::path::Path;

use serde::{Deserialize, Serialize};

use debate_core::protocol::speeches::JudgeScoring;
use debate_solver::setup::LoadedScenario;

pub use chart::{judgement_chart_svg, judgement_chart_vega};
pub use condition::{
    JudgementWithCondition, ReportConditionKey, give_conditions_unique_names, tags,
};
pub use read::{
    DebateExclusionReason, JudgementFileError, of_save, read_judgement_lines, read_judgement_table,
};
pub use rejudge::RejudgementInProgress;
pub use rejudge::{FinishedDebateToRejudge, RejudgeError, RejudgeQueue, compare_judgements};
pub use report::JudgementsWithStatistics;
pub use report::{
    ConfidenceInterval, IndependentJudgementUnit, JudgeAccuracyAfterRoundReport,
    JudgementConditionReport, JudgementReport, ReliabilityDiagramBin, UncountedDebates,
    report_on_judgements,
};
pub(crate) use statistics::cluster_interval;
pub use statistics::{BINS, BrierDecomposition};

/// The final judgement of one judge on one debate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Judgement {
    /// The experimental condition: "human debate".
    pub condition: String,
    pub debate: String,
    pub judge: String,
    /// The subject of the debated question, such as the story that it is about.
    pub story: Option<String>,
    /// The judge's final probability of the right answer, from 0 to 1.
    pub p_correct: f64,
    /// The number of rounds that the judge saw.
    pub continues: u32,
    /// The judge's score in bits: log₂ of `p_correct`, less 0.05 for each round, unless the rules define another score.
    /// Null if the right answer was given probability 0.
    pub reward: Option<f64>,
    /// The index of the right answer among the two answers, 0 or 1.
    pub correct_answer_index: u32,
    /// The judge's probabilities of the right answer, before the first round and after rounds. A round without a
    /// probability is left out.
    #[serde(default)]
    pub by_round: Vec<JudgeProbabilityAfterRound>,
}

/// The judge's probability of the right answer after one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "RoundBelief"))]
pub struct JudgeProbabilityAfterRound {
    /// The number of the round before this probability, from 1; 0 before the first round.
    pub round: u32,
    pub p_correct: f64,
    /// The judge's feedback to the debaters with this probability.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub says: String,
}

/// The names that identify a judgement: its condition, its debate, its judge and, if known, the debate's story.
#[derive(Clone, Debug)]
pub struct JudgementIdentityNames {
    pub condition: String,
    pub debate: String,
    pub judge: String,
    pub story: Option<String>,
}

impl JudgementIdentityNames {
    /// Returns the names of a save's debate and judge. The scenario's tag `debate` names the debate; without this tag,
    /// the save's file name does.
    fn of_save(path: &Path, setup: &LoadedScenario, condition: String, judge: String) -> Self {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let debate = setup.tags.get("debate").cloned();
        Self {
            condition,
            debate: debate.unwrap_or_else(|| name.into_owned()),
            judge,
            story: setup.tags.get("story").cloned(),
        }
    }

    /// Returns a judgement of this debate with its score.
    pub(crate) fn judged(
        self,
        correct_answer_index: u32,
        scoring: &JudgeScoring,
        p_correct: f64,
        continues: u32,
        by_round: Vec<JudgeProbabilityAfterRound>,
    ) -> Judgement {
        let reward = scoring.judge_score(p_correct, continues);
        Judgement {
            condition: self.condition,
            debate: self.debate,
            judge: self.judge,
            story: self.story,
            p_correct,
            continues,
            reward: reward.is_finite().then_some(reward),
            correct_answer_index,
            by_round,
        }
    }
}

impl Judgement {
    /// Returns the judge's probability of the first answer, and true if the first answer is the right one.
    fn forecast(&self) -> (f64, bool) {
        match self.correct_answer_index {
            0 => (self.p_correct, true),
            _ => (1.0 - self.p_correct, false),
        }
    }
}
