//! What `solve --soundness` prints as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Soundness, SoundnessHypothesis};
use crate::analysis::ProofStep;
use crate::expectation::{ReportNumber, RoundLabel};
use debate_core::number::Exact;
use debate_core::protocol::Round;

/// What the soundness proof promises of a prover, and what she keeps.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SoundnessReport {
    /// n = r^−(d+1).
    pub n: ReportNumber,
    /// d.
    pub depth: u32,
    /// q.
    pub width: u32,
    pub delta: ReportNumber,
    /// η = (2d + 2)δ.
    pub eta: ReportNumber,
    /// P[A = L].
    pub answers_truly: ReportNumber,
    /// P[A = L]/n + η: what is promised that she keeps at most.
    pub bound: ReportNumber,
    /// What she keeps.
    pub kept: ReportNumber,
    /// Whether that is within the bound.
    pub holds: bool,
    /// The tests of the proof that ask this prover; their advantages, P[A = L]/n and what failed
    /// hypotheses give add up to what she keeps.
    pub tests: Vec<SoundnessTest>,
    pub largest_advantage: ReportNumber,
    pub hypotheses: Vec<SoundnessHypothesisReport>,
    pub estimator_cost: EstimatorCostReport,
}

/// A test that an estimator must pass.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SoundnessTest {
    /// `root`: the root's coin (5); `gate`: the gate over a round's coins (6); `selection`: the coin
    /// of the claim that a round is about (8).
    pub test: &'static str,
    pub round: RoundLabel,
    /// In the prover's favour.
    pub advantage: ReportNumber,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SoundnessHypothesisReport {
    pub what: &'static str,
    pub holds: bool,
    /// What the steps that rest on it give the prover.
    pub gives: ReportNumber,
}

/// The most that an estimator by PE Algorithm 1 takes in a round.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EstimatorCostReport {
    /// (2^q − 1)/δ².
    pub steps: ReportNumber,
    /// q·2^q times as many.
    pub questions_to_prover: ReportNumber,
}

impl Soundness {
    /// As JSON; `number` writes a number.
    pub fn report(&self, number: &dyn Fn(&Exact) -> ReportNumber) -> SoundnessReport {
        let test = |(step, advantage): &(ProofStep, Exact)| {
            let (test, round) = match step {
                ProofStep::GateTest(k) => ("gate", Round::Number(*k)),
                ProofStep::SelectionTest(k) => ("selection", Round::Number(*k)),
                _ => ("root", Round::Initial),
            };
            SoundnessTest {
                test,
                round: round.into(),
                advantage: number(advantage),
            }
        };
        let hypothesis = |hypothesis: SoundnessHypothesis| SoundnessHypothesisReport {
            what: hypothesis.what,
            holds: hypothesis.holds,
            gives: number(&hypothesis.gives),
        };
        let cost = self.cost();
        SoundnessReport {
            n: number(&self.prize.recip()),
            depth: self.depth,
            width: self.width,
            delta: number(&self.delta),
            eta: number(&self.eta()),
            answers_truly: number(&self.answers_truly()),
            bound: number(&self.bound()),
            kept: number(&self.kept()),
            holds: self.is_kept(),
            tests: self.tests().map(test).collect(),
            largest_advantage: number(&self.largest_advantage()),
            hypotheses: self.hypotheses().into_iter().map(hypothesis).collect(),
            estimator_cost: EstimatorCostReport {
                steps: number(&cost.steps),
                questions_to_prover: number(&cost.questions),
            },
        }
    }
}
