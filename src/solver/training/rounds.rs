//! Trains an estimator against a known prover, round by round of a debate (PE Lemma A.4).

use std::any::TypeId;
use std::cell::Cell;

use num_traits::Zero as _;
use serde::Serialize;

use super::descent::descend;
use super::estimates::{ConditionalEstimates, InstanceEstimates, TrainedEstimatesOfInformationSet};
use super::round::EstimatorTestsOfRound;
use super::round::{
    MAX_WIDTH, RoundEstimates, RoundTrainingInputs, TrainingContext, TrainingError,
};
use crate::expectation::RoundNumberOrInitial;
use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number, power};
use debate_core::player::{PlayerSpec, StrategyRegistry};
use debate_core::protocol::{Protocol, Round, Seat};
use debate_core::scenario::{BlindReader, Instance, Oracle};

/// Maximum number of subclaims of a support for which the training uses exact fractions.
const MAX_EXACT_WIDTH: u32 = 2;

/// Maximum number of replies simulated in a training, by default.
pub const MAX_REPLIES: u64 = 60_000_000;

/// Maximum number of gradient steps in one round, if the limit on replies is [`MAX_REPLIES`].
const MAX_STEPS: u64 = 1 << 22;

/// A distinguisher (a test that tries to tell the estimates from the truth), with its advantage before and after
/// training.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "TestReport")]
pub struct EstimatorTestReport {
    /// The test in words.
    #[serde(rename = "test")]
    pub name: String,
    /// The test's advantage before training, when all estimates are uniform.
    pub before: f64,
    /// The test's advantage after training.
    pub after: f64,
}

/// The training of one round.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "RoundReport")]
pub struct RoundTrainingReport {
    /// The label of the round; `init` for the estimate of the root claim.
    pub round: RoundNumberOrInitial,
    /// The number of inputs: pairs of an instance and of a state of the estimator's knowledge when the round begins.
    /// One input covers all estimates that the estimator gives in this round.
    pub inputs: usize,
    /// |Z|, the number of outcomes that estimates are about.
    pub outcomes: usize,
    /// The number of steps that the gradient descent took.
    pub steps: usize,
    /// The maximum number of gradient steps by PE Lemma A.3.
    pub bound: f64,
    /// The number of evaluations of distinguishers that the trained estimates of one input need: one for each gradient
    /// step and outcome. Each evaluation asks the prover at most once.
    pub evaluations: usize,
    /// |Z|²/δ²: the number of evaluations of distinguishers by PE Lemma A.3(2), with the constant 1.
    pub evaluations_bound: f64,
    /// The largest absolute advantage of any test before training, when all estimates are uniform.
    pub worst_advantage_before: f64,
    /// The largest absolute advantage of any test after training.
    pub worst_advantage_after: f64,
    /// True if every test has an absolute advantage below δ after training.
    pub indistinguishable: bool,
    /// Each test, with `--show-tests`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<Vec<EstimatorTestReport>>,
}

/// The training of all rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct EstimatorTrainingReport {
    /// δ.
    pub delta: Exact,
    pub arithmetic: Arithmetic,
    /// The trained rounds in order. The root's round is missing if the estimator's knowledge determines the root's
    /// truth.
    pub rounds: Vec<RoundTrainingReport>,
    /// The bound η = (2d + 1)δ of PE Theorem 6.1 on the amount by which the prover's payoff exceeds P[A = L]/n.
    /// Here P[A = L] is the probability that her answer is true, and n = r^−(d+1).
    pub eta: Exact,
    /// The size of the estimator's circuit by PE Theorem 6.1, with the constant 1: q·2^(2q)·n·d²/η², where n =
    /// r^−(d+1).
    pub circuit_of_theorem: f64,
}

/// The JSON report that `train` prints on the training of an estimator.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "TrainingDocument")]
pub struct TrainCommandReport {
    /// The scenario's title.
    pub title: String,
    /// The prover against which the estimator was trained.
    pub prover: String,
    pub delta: f64,
    pub arithmetic: Arithmetic,
    /// True if in every round, every test has an advantage below δ and the number of steps is within its bound.
    pub indistinguishable: bool,
    pub rounds: Vec<RoundTrainingReport>,
    /// The number of evaluations of distinguishers that the trained estimates of one debate need: the sum over the
    /// rounds.
    pub evaluations: usize,
    /// The bound η = (2d + 1)δ of PE Theorem 6.1 on the amount by which the prover's payoff exceeds P[A = L]/n.
    /// Here P[A = L] is the probability that her answer is true, and n = r^−(d+1).
    pub eta: f64,
    /// The size of the estimator's circuit by PE Theorem 6.1, with the constant 1: q·2^(2q)·n·d²/η², where n =
    /// r^−(d+1).
    pub circuit_of_theorem: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Arithmetic {
    Exact,
    FloatingPoint,
}

impl EstimatorTrainingReport {
    /// True if in every round, every test has an advantage below δ and the number of steps is within its bound.
    pub fn is_indistinguishable_within_step_bound(&self) -> bool {
        #[expect(
            clippy::cast_precision_loss,
            reason = "the number of training steps is small, so its conversion to floating point is exact"
        )]
        self.rounds
            .iter()
            .all(|round| round.indistinguishable && round.steps as f64 <= round.bound + 1e-6)
    }

    /// Returns the JSON report on the training. If `with_tests` is true, it lists each test.
    pub fn training_document(
        &self,
        title: &str,
        prover: &PlayerSpec,
        with_tests: bool,
    ) -> TrainCommandReport {
        let rounds = self.rounds.iter().map(|round| RoundTrainingReport {
            tests: round.tests.clone().filter(|_| with_tests),
            ..round.clone()
        });
        TrainCommandReport {
            title: title.to_owned(),
            prover: prover.to_string(),
            delta: self.delta.to_float(),
            arithmetic: self.arithmetic,
            indistinguishable: self.is_indistinguishable_within_step_bound(),
            rounds: rounds.collect(),
            evaluations: self.distinguisher_evaluations_per_debate(),
            eta: self.eta.to_float(),
            circuit_of_theorem: self.circuit_of_theorem,
        }
    }

    /// Returns the number of evaluations of distinguishers that the trained estimates of one debate need.
    pub fn distinguisher_evaluations_per_debate(&self) -> usize {
        self.rounds.iter().map(|round| round.evaluations).sum()
    }
}

/// Converts a count to a floating-point number.
#[expect(clippy::cast_precision_loss, reason = "counts are below 2⁵³")]
fn count(count: usize) -> f64 {
    count as f64
}

/// A trained estimator with the report of its training.
#[derive(Clone, Debug)]
pub struct TrainedEstimator {
    pub report: EstimatorTrainingReport,
    /// The trained estimates for each instance, in the order of the instances.
    pub(super) worlds: Vec<InstanceEstimates>,
}

/// Trains an estimator against a built-in prover, over all instances of the problem and their distribution μ.
///
/// The tests of each round have a fixed order. First the round's own bet A_k · M(z) (for the root: true if z is the
/// answer). Then the bet on the next claim A_{k−1} · z_j of PE equation (7), which gives 0 for outcomes that the
/// estimator rules out, because no debate reaches them. Then each outcome separately, in increasing order. If the
/// estimator's knowledge determines the root's truth in every instance, this answer is the estimate of the root, which
/// is then not trained. `budget` stops the training, counts its replies and limits them. The limits on the steps of a
/// descent and on the outcomes of a round scale in proportion.
///
/// # Errors
/// Returns an error if the rules, δ or the width of the decomposition are not allowed, or a player cannot be built or
/// has no reply. Also if a truth is unknown, or the training takes too long or is stopped.
pub fn train(
    instance: &Instance,
    protocol: &Protocol,
    prover: &PlayerSpec,
    delta: &Exact,
    budget: ComputationBudget<'_>,
) -> Result<TrainedEstimator, TrainingError> {
    if !matches!(protocol, Protocol::ProverEstimator(_)) {
        return Err(TrainingError::Protocol);
    }
    if *delta <= Exact::zero() || *delta >= Exact::ratio(1, 1) {
        return Err(TrainingError::Delta);
    }
    let worlds = 0..instance.decomposition().worlds().len();
    let width = worlds
        .map(|world| instance.decomposition().size(world).width)
        .max()
        .unwrap_or(0);
    if width > MAX_WIDTH {
        return Err(TrainingError::TooWide(width));
    }
    if width <= MAX_EXACT_WIDTH {
        train_in::<Exact>(instance, protocol, prover, delta, budget)
    } else {
        train_in::<f64>(instance, protocol, prover, delta, budget)
    }
}

fn train_in<T: Number>(
    instance: &Instance,
    protocol: &Protocol,
    prover: &PlayerSpec,
    delta: &Exact,
    budget: ComputationBudget<'_>,
) -> Result<TrainedEstimator, TrainingError> {
    let decomposition = instance.decomposition();
    let others: Vec<Option<Instance>> = (0..decomposition.worlds().len())
        .map(|world| {
            let other = || Instance::new(decomposition.clone(), world, Oracle::Truth);
            (world != instance.world_index()).then(other)
        })
        .collect();
    let instances: Vec<&Instance> = others
        .iter()
        .map(|other| other.as_ref().unwrap_or(instance))
        .collect();
    let registry = StrategyRegistry::<T>::registry_with_builtin_players();
    let provers = instances
        .iter()
        .map(|instance| registry.build(prover, Seat::Prover, instance, protocol));
    let training = TrainingContext {
        provers: provers.collect::<Result<_, _>>()?,
        instances: &instances,
        budget,
        played: Cell::default(),
    };
    let size = instance.size();
    let eta = delta * Exact::ratio(2 * i64::from(size.depth) + 1, 1);
    let prize = protocol
        .weight_ratio_if_constant()
        .map(|ratio| power(&ratio, size.depth + 1));
    let n = prize.map_or(f64::NAN, |prize| prize.to_float().recip());
    let [width, depth] = [size.width, size.depth].map(f64::from);
    let mut report = EstimatorTrainingReport {
        circuit_of_theorem: width * (width.exp2() * depth / eta.to_float()).powi(2) * n,
        eta,
        delta: delta.clone(),
        arithmetic: if TypeId::of::<T>() == TypeId::of::<Exact>() {
            Arithmetic::Exact
        } else {
            Arithmetic::FloatingPoint
        },
        rounds: Vec::new(),
    };
    let mut worlds = vec![InstanceEstimates::default(); instances.len()];
    let goal = T::from_exact(delta);
    let mut round = RoundTrainingInputs::root(&training, protocol)?;
    let mut is_root = true;
    while !round.inputs.is_empty() {
        let settled = is_root.then(|| settled(&instances)).flatten();
        let table = match settled {
            Some(table) => table,
            None => learn(&round, &goal, is_root, &mut report)?,
        };
        keep(&mut worlds, &round, &table, is_root);
        round = round.next_round(&table)?;
        is_root = false;
    }
    Ok(TrainedEstimator { report, worlds })
}

/// Returns a budget in proportion to the given one. If the given limit is [`MAX_REPLIES`], the new limit is
/// `max_steps`.
pub(super) fn scaled_budget(
    budget: ComputationBudget<'_>,
    max_steps: u64,
) -> ComputationBudget<'_> {
    let steps = u128::from(budget.steps) * u128::from(max_steps) / u128::from(MAX_REPLIES);
    ComputationBudget {
        steps: u64::try_from(steps).unwrap_or(u64::MAX),
        ..budget
    }
}

/// Learns one round.
fn learn<T: Number>(
    round: &RoundTrainingInputs<'_, '_, T>,
    delta: &T,
    is_root: bool,
    report: &mut EstimatorTrainingReport,
) -> Result<RoundEstimates<T>, TrainingError> {
    let problem = round.descent_problem(delta)?;
    let mut tests = EstimatorTestsOfRound::new(round, problem.outcomes);
    // Progress is counted in replies, not in steps.
    let budget = ComputationBudget {
        progress: None,
        ..scaled_budget(round.training.budget, MAX_STEPS)
    };
    let descent = descend(&problem, &mut tests, &budget)?;
    let worst = |advantages: &[T]| {
        let sizes = advantages
            .iter()
            .map(|advantage| advantage.to_float().abs());
        sizes.fold(0.0, f64::max)
    };
    let advantages = descent.before.iter().zip(&descent.after);
    let named = tests.round_test_names(is_root).into_iter().zip(advantages);
    let of_tests = named.map(|(name, (before, after))| EstimatorTestReport {
        name,
        before: before.to_float(),
        after: after.to_float(),
    });
    report.rounds.push(RoundTrainingReport {
        round: if is_root {
            Round::Initial.into()
        } else {
            Round::Number(round.inputs[0].set.round).into()
        },
        inputs: problem.mu.len(),
        outcomes: problem.outcomes,
        steps: descent.trace.len(),
        bound: descent.bound.to_float(),
        evaluations: descent.trace.len() * problem.outcomes,
        evaluations_bound: (count(problem.outcomes) / delta.to_float()).powi(2),
        worst_advantage_before: worst(&descent.before),
        worst_advantage_after: worst(&descent.after),
        indistinguishable: descent.are_all_advantages_below(delta),
        tests: Some(of_tests.collect()),
    });
    // Estimates are rounded if they were computed in floating point, and later rounds are learnt from the
    // rounded values.
    let rounded = |p: &T| T::from_exact(&p.to_exact());
    let estimates = descent
        .h
        .iter()
        .map(|h| ConditionalEstimates::conditional_estimates_of_distribution(h).map(rounded));
    Ok(estimates.collect())
}

/// Returns the estimates of the root claim if, in every instance, the estimator's possible knowledge determines them as
/// 0 or 1; otherwise `None`.
fn settled<T: Number>(instances: &[&Instance]) -> Option<RoundEstimates<T>> {
    let each = instances.iter().map(|instance| {
        let p: T = BlindReader::new(instance).marginal(instance.root());
        let sure = p.is_zero() || p.is_one();
        sure.then(|| {
            ConditionalEstimates::conditional_estimates_of_distribution(&[T::one() - p.clone(), p])
        })
    });
    each.collect()
}

/// Stores the trained estimates of a round in the tables of the instances.
fn keep<T: Number>(
    worlds: &mut [InstanceEstimates],
    round: &RoundTrainingInputs<'_, '_, T>,
    table: &RoundEstimates<T>,
    is_root: bool,
) {
    for (input, estimates) in round.inputs.iter().zip(table) {
        let Some(learnt) = worlds.get_mut(input.world) else {
            continue;
        };
        let estimates = estimates.map(Number::to_exact);
        if is_root {
            if let Some(p) = estimates.probability_after_outcomes(std::iter::empty()) {
                learnt.root = p.clone();
            }
            continue;
        }
        learnt.rows.push(TrainedEstimatesOfInformationSet {
            set: input
                .set
                .with_claim(round.claim_key_of_training_input(input).clone()),
            weight: input.weight.to_exact(),
            estimates,
        });
    }
}
