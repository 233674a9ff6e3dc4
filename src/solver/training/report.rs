//! What `train` prints as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::{RoundReport, TestReport, TrainingReport};
use crate::expectation::RoundLabel;
use debate_core::number::Number as _;
use debate_core::player::Spec;
use debate_core::protocol::Round;

/// How an estimator was trained.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrainingDocument {
    /// The scenario's title.
    pub title: String,
    /// The prover that it was trained against.
    pub prover: String,
    pub delta: f64,
    pub arithmetic: Arithmetic,
    /// True if no test has an advantage of δ or more and every round kept within its bound.
    pub indistinguishable: bool,
    pub rounds: Vec<TrainedRound>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arithmetic {
    Exact,
    FloatingPoint,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrainedRound {
    pub round: RoundLabel,
    /// What can be known when the estimates are made, counted.
    pub inputs: usize,
    /// The outcomes that estimates are about.
    pub outcomes: usize,
    pub steps: usize,
    /// The most steps by PE Lemma A.3.
    pub bound: f64,
    pub worst_advantage_before: f64,
    pub worst_advantage_after: f64,
    pub indistinguishable: bool,
    /// Each test, with `--show-tests`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<Vec<TestReport>>,
}

impl TrainingReport {
    /// The report for scripts; `with_tests` lists each test.
    pub fn document(&self, title: &str, prover: &Spec, with_tests: bool) -> TrainingDocument {
        TrainingDocument {
            title: title.to_owned(),
            prover: prover.to_string(),
            delta: self.delta.to_float(),
            arithmetic: if self.exact {
                Arithmetic::Exact
            } else {
                Arithmetic::FloatingPoint
            },
            indistinguishable: self.holds(),
            rounds: self
                .rounds
                .iter()
                .map(|round| round.document(with_tests))
                .collect(),
        }
    }
}

impl RoundReport {
    /// The largest advantage of a test, before and after.
    pub fn worst_advantage(&self) -> (f64, f64) {
        self.tests.iter().fold((0.0, 0.0), |(before, after), test| {
            (test.before.abs().max(before), test.after.abs().max(after))
        })
    }

    fn document(&self, with_tests: bool) -> TrainedRound {
        let (before, after) = self.worst_advantage();
        TrainedRound {
            round: self.round.map_or(Round::Initial, Round::Number).into(),
            inputs: self.inputs,
            outcomes: self.outcomes,
            steps: self.steps,
            bound: self.bound,
            worst_advantage_before: before,
            worst_advantage_after: after,
            indistinguishable: self.indistinguishable,
            tests: with_tests.then(|| self.tests.clone()),
        }
    }
}
