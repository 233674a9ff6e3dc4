//! How judgements are scored, what is worked out, whose data count, when a study stops, and what is
//! paid: all said before there are data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::Plan;
use debate_lab::judgements::statistics::{detectable, power};

/// How a judgement is scored.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Score {
    /// log₂ of the probability of the right answer, less so much for each round that was heard.
    Log2 {
        #[serde(default)]
        per_continue: f64,
        #[serde(default)]
        shown: ScoreShown,
    },
}

impl Default for Score {
    fn default() -> Self {
        Self::Log2 {
            per_continue: 0.05,
            shown: ScoreShown::AtEnd,
        }
    }
}

impl Score {
    /// The score of a judgement, in bits, after so many rounds.
    pub(crate) fn of(&self, p_correct: f64, rounds: u32) -> f64 {
        p_correct.log2() - self.per_continue() * f64::from(rounds)
    }

    /// The price of a round that was heard, in bits.
    pub fn per_continue(&self) -> f64 {
        let Self::Log2 { per_continue, .. } = self;
        *per_continue
    }

    pub fn shown(&self) -> ScoreShown {
        let Self::Log2 { shown, .. } = self;
        *shown
    }
}

/// When the participant sees a score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScoreShown {
    Never,
    #[default]
    AtEnd,
}

/// Whose data do not count, said before there are any.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Exclusion {
    FailedQuiz,
    /// So many questions of attention, or more.
    FailedAttention(u32),
    /// More than this share of the trials took less than so many active seconds.
    FasterThan {
        seconds: u32,
        share: f64,
    },
}

/// When no more participants are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Stop {
    /// So many have completed it.
    Participants(u32),
}

/// What is paid for good judgements.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Bonus {
    /// One trial by chance: so many cents times the score, from 0 to 1.
    OneTrial { score: BonusScore, cents: u32 },
}

/// A score from 0 to 1 for which the best answer is what one holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BonusScore {
    /// 1 − (1 − p)², p being the probability of the right answer.
    Quadratic,
}

impl BonusScore {
    pub fn of(self, p_correct: f64) -> f64 {
        match self {
            Self::Quadratic => 1.0 - (1.0 - p_correct).powi(2),
        }
    }
}

/// What is worked out, said before there are data.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Analysis {
    pub primary: Primary,
    #[serde(default = "resamples")]
    pub bootstrap: u32,
    /// Bins of the calibration error: 10.
    #[serde(default = "bins")]
    pub ece_bins: u32,
    /// An effect and standard deviations of it that power is worked out for.
    pub power: Option<Power>,
}

fn resamples() -> u32 {
    4000
}

fn bins() -> u32 {
    10
}

/// A stated effect for the power of the primary contrast.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Power {
    /// The difference that is expected, in the measure's unit.
    pub effect: f64,
    /// The standard deviation between participants of their own differences.
    pub sd: f64,
}

/// The contrast that the study is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Primary {
    /// The mean under `of` less the mean under `against`.
    Difference {
        measure: Measure,
        of: String,
        against: String,
    },
}

/// What a judgement is measured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub enum Measure {
    /// (1 − p)², p being the probability of the right answer: less is better.
    Brier,
    /// 1 where the right answer had more than one half, ½ at one half.
    Accuracy,
    /// The score of the study file, in bits.
    Score,
}

impl Measure {
    pub fn name(self) -> &'static str {
        match self {
            Self::Brier => "Brier score",
            Self::Accuracy => "accuracy",
            Self::Score => "log2 score",
        }
    }
}

/// What is found at the target where the stated numbers are true.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PlannedPower {
    /// The effect and its standard deviation between participants, as the study file states them.
    pub stated: Power,
    pub participants: u32,
    /// The chance that the stated effect is found.
    pub power: Option<f64>,
    /// The smallest effect that is found four times out of five, in the measure's unit.
    pub detectable: Option<f64>,
}

impl PlannedPower {
    /// `None` where the study file states no effect.
    pub fn of(plan: &Plan) -> Option<Self> {
        let stated = plan.analysis.power?;
        let participants = plan.target.participants;
        let target = participants as usize;
        Some(Self {
            stated,
            participants,
            power: power(stated.effect / stated.sd, target),
            detectable: detectable(target).map(|sds| sds * stated.sd),
        })
    }
}
