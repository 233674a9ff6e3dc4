//! The soundness bound of prover-estimator debate (PE Lemma A.4, Theorem 6.1), compared with a prover's payoff. If the
//! payoff is above the bound, some hypothesis fails; the report names it.
//!
//! The proof bounds a prover's expected payoff by r^(d+1) · P[A = L] plus δ for each of 2d + 2 tests: one of the root's
//! coin, one of the selected claim in each round d … 0, and one of the gate in each round d … 1. This module
//! computes each step of the proof exactly for a given debate, so the steps add up to the prover's payoff. If the
//! payoff exceeds the bound, a hypothesis does not hold, and its step shows the gain.

use num_bigint::BigInt;
use num_traits::{One as _, Signed as _, Zero as _};
use serde::Serialize;

use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, power, powers};
use debate_core::protocol::prover_estimator::ProverEstimatorParameters;
use debate_core::protocol::{Protocol, Round};
use debate_core::scenario::Instance;
use debate_solver::analysis::equilibrium::{CLAIMS_FOLLOW, NO_PROOF_BITS};
use debate_solver::analysis::{
    BestResponseKnowledgeAndAnswers, DebateSolutionInputs, SolveError, SoundnessProofStep,
};
use debate_solver::expectation::{DecimalOrFractionNumber, RoundNumberOrInitial};

/// The prover's payoff in a debate, split by the steps of the soundness proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayoffBySoundnessProofStep {
    /// The depth d of the decomposition.
    pub depth: u32,
    /// The width q of the decomposition: the largest number of subclaims of a support.
    pub width: u32,
    /// The reward for a true answer to the root claim: r^(d+1), which the paper writes as 1/n.
    pub prize: Exact,
    /// The limit δ: every test must have an advantage below it.
    pub delta: Exact,
    /// The contribution of each step of the proof to the prover's payoff.
    pub steps: Vec<(SoundnessProofStep, Exact)>,
}

/// A hypothesis of PE Lemma A.4, with the amount that the prover gains because it fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "SoundnessHypothesis"))]
pub struct SoundnessHypothesis<N = Exact> {
    /// The hypothesis in words, as a sentence without a full stop.
    pub what: &'static str,
    pub holds: bool,
    /// The prover's gain from the proof steps that depend on this hypothesis. The lemma assumes a gain of 0, and less
    /// than (2d + 2)δ for all tests together.
    pub gives: N,
}

/// The maximum cost per round of an estimator that PE Algorithm 1 trains, in numbers of steps and of queries to the
/// prover.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "EstimatorCost"))]
pub struct EstimatorCost<N = Exact> {
    /// (2^q − 1)/δ².
    pub steps: N,
    /// The number of queries to the prover: q·2^q times the steps. A training step evaluates one test of the soundness
    /// proof on each of 2^q outcomes. Each evaluation queries the prover q times.
    pub questions_to_prover: N,
}

/// The soundness bound for a prover, compared with her payoff.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SoundnessReport {
    /// n = r^−(d+1).
    pub n: DecimalOrFractionNumber,
    /// The depth d of the decomposition.
    pub depth: u32,
    /// The width q of the decomposition: the largest number of subclaims of a support.
    pub width: u32,
    pub delta: DecimalOrFractionNumber,
    /// η = (2d + 2)δ.
    pub eta: DecimalOrFractionNumber,
    /// The probability P[A = L] that the prover's answer is true.
    pub answers_truly: DecimalOrFractionNumber,
    /// The upper bound on the prover's payoff that the lemma promises: P[A = L]/n + η.
    pub bound: DecimalOrFractionNumber,
    /// The prover's payoff.
    pub kept: DecimalOrFractionNumber,
    /// True if the prover's payoff does not exceed `bound`, so that the soundness bound of PE Lemma A.4 holds.
    pub holds: bool,
    /// The tests of the proof that query this prover. The prover's payoff is the sum of their advantages, P[A = L]/n
    /// and the gains from failed hypotheses.
    pub tests: Vec<SoundnessTestReport>,
    pub largest_advantage: DecimalOrFractionNumber,
    pub hypotheses: Vec<SoundnessHypothesis<DecimalOrFractionNumber>>,
    pub estimator_cost: EstimatorCost<DecimalOrFractionNumber>,
}

/// A test of the soundness proof, which an estimator must pass.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "SoundnessTest")]
pub struct SoundnessTestReport {
    /// `root`: the root's coin (PE equation 5); `gate`: the gate over a round's coins (equation 6); `selection`: the
    /// coin of the claim that a round is about (equation 8).
    pub test: &'static str,
    pub round: RoundNumberOrInitial,
    /// The advantage of the test: the gain that it gives the prover.
    pub advantage: DecimalOrFractionNumber,
}

impl PayoffBySoundnessProofStep {
    /// Returns the contribution of a proof step to the prover's payoff.
    pub fn prover_payoff_contribution(&self, step: SoundnessProofStep) -> Exact {
        let entry = self.steps.iter().find(|(known, _)| *known == step);
        entry.map_or_else(Exact::zero, |(_, amount)| amount.clone())
    }

    /// Returns the prover's payoff: the sum of the contributions of all proof steps.
    pub fn prover_payoff(&self) -> Exact {
        self.steps.iter().map(|(_, amount)| amount).sum()
    }

    /// Returns η = (2d + 2)δ, the amount by which the bound exceeds P[A = L]/n. The paper prints the factor 2d + 1.
    pub fn soundness_bound_additive_error(&self) -> Exact {
        Exact::from_integer((2 * i64::from(self.depth) + 2).into()) * &self.delta
    }

    /// Returns the upper bound of PE Lemma A.4 on the prover's payoff: P[A = L]/n + η. P[A = L] is the probability of a
    /// true answer, and η is [`Self::soundness_bound_additive_error`].
    pub fn prover_payoff_upper_bound(&self) -> Exact {
        self.prover_payoff_contribution(SoundnessProofStep::Answer)
            + self.soundness_bound_additive_error()
    }

    /// Returns P[A = L], the probability that the prover answers correctly.
    pub fn prover_true_answer_probability(&self) -> Exact {
        self.prover_payoff_contribution(SoundnessProofStep::Answer) / &self.prize
    }

    /// True if the prover's payoff does not exceed the bound of PE Lemma A.4.
    pub fn payoff_is_within_bound(&self) -> bool {
        self.prover_payoff() <= self.prover_payoff_upper_bound()
    }

    /// Returns the tests of the soundness proof for this prover, each with its advantage.
    pub fn estimator_tests_with_advantages(
        &self,
    ) -> impl Iterator<Item = &(SoundnessProofStep, Exact)> {
        self.steps
            .iter()
            .filter(|(step, _)| step.is_estimator_test_proof_step())
    }

    /// Returns the largest absolute advantage of a test.
    pub fn largest_advantage(&self) -> Exact {
        let each = self
            .estimator_tests_with_advantages()
            .map(|(_, advantage)| advantage.abs());
        each.max().unwrap_or_default()
    }

    /// Returns the hypotheses of PE Lemma A.4. If the prover's payoff exceeds the bound, one of them fails.
    pub fn hypotheses(&self) -> [SoundnessHypothesis; 5] {
        let tests: Exact = self
            .estimator_tests_with_advantages()
            .map(|(_, advantage)| advantage)
            .sum();
        let exactly = |what, step| {
            let gives = self.prover_payoff_contribution(step);
            SoundnessHypothesis {
                what,
                holds: gives.is_zero(),
                gives,
            }
        };
        [
            SoundnessHypothesis {
                what: "Bob is (δ, F)-indistinguishable from the truth: no test that queries this Alice \
                       has an advantage of δ",
                holds: self.largest_advantage() < self.delta,
                gives: tests,
            },
            exactly(CLAIMS_FOLLOW, SoundnessProofStep::Unsound),
            exactly(
                "the oracle's answer on every leaf is true, given the bits that it reads",
                SoundnessProofStep::Oracle,
            ),
            exactly(
                "Alice chooses and bets after Bob's coins as she does after the truth (equation 9 \
                 treats samples as truths; Errata 1)",
                SoundnessProofStep::Swap,
            ),
            exactly(NO_PROOF_BITS, SoundnessProofStep::Bits),
        ]
    }

    /// Returns the maximum cost of an estimator that passes the tests (PE Lemma A.3, with the constants of
    /// Algorithm 1 as `train` runs it).
    pub fn estimator_cost(&self) -> EstimatorCost {
        let outcomes = Exact::from_integer(BigInt::one() << self.width);
        let steps = (&outcomes - Exact::one()) / (&self.delta * &self.delta);
        let questions = &steps * outcomes * Exact::from_integer(self.width.into());
        EstimatorCost {
            steps,
            questions_to_prover: questions,
        }
    }

    /// Converts the comparison of the prover's payoff with the soundness bound into a JSON report. `format_number`
    /// formats a number.
    pub fn report(
        &self,
        format_number: &dyn Fn(&Exact) -> DecimalOrFractionNumber,
    ) -> SoundnessReport {
        let test = |(step, advantage): &(SoundnessProofStep, Exact)| {
            let (test, round) = match step {
                SoundnessProofStep::GateTest(k) => ("gate", Round::Number(*k)),
                SoundnessProofStep::SelectionTest(k) => ("selection", Round::Number(*k)),
                _ => ("root", Round::Initial),
            };
            SoundnessTestReport {
                test,
                round: round.into(),
                advantage: format_number(advantage),
            }
        };
        let hypothesis = |hypothesis: SoundnessHypothesis| SoundnessHypothesis {
            what: hypothesis.what,
            holds: hypothesis.holds,
            gives: format_number(&hypothesis.gives),
        };
        let cost = self.estimator_cost();
        SoundnessReport {
            n: format_number(&self.prize.recip()),
            depth: self.depth,
            width: self.width,
            delta: format_number(&self.delta),
            eta: format_number(&self.soundness_bound_additive_error()),
            answers_truly: format_number(&self.prover_true_answer_probability()),
            bound: format_number(&self.prover_payoff_upper_bound()),
            kept: format_number(&self.prover_payoff()),
            holds: self.payoff_is_within_bound(),
            tests: self.estimator_tests_with_advantages().map(test).collect(),
            largest_advantage: format_number(&self.largest_advantage()),
            hypotheses: self.hypotheses().into_iter().map(hypothesis).collect(),
            estimator_cost: EstimatorCost {
                steps: format_number(&cost.steps),
                questions_to_prover: format_number(&cost.questions_to_prover),
            },
        }
    }
}

/// Returns the value of δ in PE Theorem 6.2: εr^(d+1)/(2d + 1).
fn delta_of_the_theorem(
    parameters: &ProverEstimatorParameters,
    prize: &Exact,
    depth: u32,
) -> Exact {
    let tests = Exact::from_integer((2 * i64::from(depth) + 1).into());
    &parameters.epsilon.0 * prize / tests
}

/// Splits the prover's payoff by the steps of the soundness proof, for debates about these instances with the given
/// probabilities. The estimator is known. `delta` is δ, by default that of PE Theorem 6.2.
///
/// # Errors
/// Returns an error if the proof does not cover the rules or the instances. Also returns an error if a player
/// cannot be seated, or if the search does not finish.
pub fn soundness(
    solver: &DebateSolutionInputs<'_, Exact>,
    instances: &[(Exact, Instance)],
    knowing: &BestResponseKnowledgeAndAnswers,
    delta: Option<&Exact>,
    budget: ComputationBudget<'_>,
) -> Result<PayoffBySoundnessProofStep, SolveError> {
    let Protocol::ProverEstimator(parameters) = solver.protocol else {
        return Err(SolveError::NoSoundness(
            "PE Lemma A.4 is about prover-estimator debate; use --protocol 'ProverEstimator(…)'",
        ));
    };
    if parameters.warrants.allows_support_disputes() {
        return Err(SolveError::NoSoundness(
            "PE Lemma A.4 does not cover disputed steps; remove `warrants: Challenge`",
        ));
    }
    let is_decidable = |instance: &Instance| {
        instance.prover_writing_limits().is_none()
            && instance
                .decomposition()
                .is_decidable(instance.world_index())
    };
    if !instances.iter().all(|(_, instance)| is_decidable(instance)) {
        return Err(SolveError::NoSoundness(
            "some claims of this scenario cannot be decided, but the steps of the proof are compared with \
             their truths; use another scenario",
        ));
    }
    let sizes = || instances.iter().map(|(_, instance)| instance.size());
    let depth = sizes().map(|size| size.depth).max().unwrap_or(0);
    if sizes().any(|size| size.depth != depth) {
        return Err(SolveError::NoSoundness(
            "instances differ in their depth, so a round's reward does too; choose one with \
             --instance",
        ));
    }
    let ratio = parameters.weight_ratio_to_next_round();
    let (prize, weights) = (power(&ratio, depth + 1), powers(&ratio, depth).collect());
    let (expectations, _) =
        solver.expectations_with_knowledge(instances, knowing, Some(weights), budget)?;
    let all = SoundnessProofStep::soundness_proof_steps_of_depth(depth);
    let mut sums = vec![Exact::zero(); all.len()];
    for ((share, _), expected) in instances.iter().zip(&expectations) {
        for (sum, part) in sums.iter_mut().zip(expected.expected_rewards_by_round()) {
            *sum += share * part;
        }
    }
    Ok(PayoffBySoundnessProofStep {
        depth,
        width: sizes().map(|size| size.width).max().unwrap_or(0),
        delta: delta
            .cloned()
            .unwrap_or_else(|| delta_of_the_theorem(parameters, &prize, depth)),
        prize,
        steps: all.into_iter().zip(sums).collect(),
    })
}
