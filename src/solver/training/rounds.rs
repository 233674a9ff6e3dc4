//! An estimator for every round of a debate against a prover that is known (PE Lemma A.4).

mod round_tests;
mod training;
mod training_round;

use std::any::TypeId;
use std::cell::Cell;

use num_traits::Zero as _;
use schemars::JsonSchema;
use serde::Serialize;
use thiserror::Error;

use super::conditional_estimates::ConditionalEstimates;
use super::descent::descend;
use super::estimate_table::{EstimateRow, WorldEstimates};
use debate_core::budget::{Budget, Exceeded};
use debate_core::number::{Exact, Number};
use debate_core::player::{BuildError, Registry, Spec};
use debate_core::protocol::{Illegal, Protocol, Seat};
use debate_core::scenario::{Blind, Instance, Oracle};
use round_tests::RoundTests;
use training::Training;
pub(super) use training_round::information_set;
use training_round::{RoundEstimates, TrainingRound};

/// Why an estimator was not trained.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TrainingError {
    /// δ out of its range.
    #[error("delta must be above 0 and below 1")]
    Delta,
    /// It is for prover-estimator debate alone.
    #[error("Algorithm 1 makes estimators for prover-estimator debate; choose that protocol")]
    Protocol,
    /// Supports are too wide to tell all outcomes apart.
    #[error(
        "the distribution is over all outcomes of up to {0} subclaims, and {MAX_WIDTH} are the \
         most; take a narrower decomposition"
    )]
    TooWide(u32),
    /// It takes too long, or was stopped.
    #[error("{exceeded}{advice}", exceeded = .0, advice = advice(.0))]
    Exceeded(#[from] Exceeded),
    /// The prover draws among too much to be listed.
    #[error("the prover draws among too many replies to list them; take one that does not draw")]
    Countless,
    /// The prover cannot be built.
    #[error("{0}")]
    Prover(#[from] BuildError),
    /// The prover has no reply.
    #[error("the prover has no reply to a request; the scenario does not say enough for it")]
    NoReply,
    /// The prover breaks the rules.
    #[error("the prover gave an illegal reply: {0}")]
    Illegal(#[from] Illegal),
    /// The truth is not known.
    #[error("some claims cannot be decided here, so there is no truth to learn")]
    Undecided,
}

/// Advice on a shorter training.
fn advice(exceeded: &Exceeded) -> &'static str {
    match exceeded {
        Exceeded::Stopped => "",
        Exceeded::TooLarge { .. } => {
            ": a larger delta, a smaller instance, or a prover that does not draw"
        }
    }
}

/// The most subclaims of a support.
pub const MAX_WIDTH: u32 = 8;

/// The widest supports for which rationals are used.
const MAX_EXACT_WIDTH: u32 = 2;

/// The most replies that are played while training.
const MAX_REPLIES: u64 = 60_000_000;

/// The most steps of the descent of one round.
const MAX_STEPS: u64 = 1 << 22;

/// A probability in units of 10⁻¹².
#[expect(clippy::cast_possible_truncation, reason = "at most 10¹²")]
pub(super) fn units<N: Number>(p: &N) -> i64 {
    (p.to_float() * 1e12).round() as i64
}

/// One test with its advantage before and after.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TestReport {
    /// The test in words.
    #[serde(rename = "test")]
    pub name: String,
    /// Its advantage over the uniform distribution.
    pub before: f64,
    /// Its advantage over what was learnt.
    pub after: f64,
}

/// The training of one round.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundReport {
    /// The round; `None` for the root's own probability.
    pub round: Option<u32>,
    /// The number of inputs: claims as the estimator is asked about them, over all of μ.
    pub inputs: usize,
    /// |Z|.
    pub outcomes: usize,
    /// The steps that it took.
    pub steps: usize,
    /// The most steps that it could have taken.
    pub bound: f64,
    /// The tests in their order.
    pub tests: Vec<TestReport>,
    /// True if no test has an advantage of δ or more.
    pub indistinguishable: bool,
}

/// The training of all rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingReport {
    /// δ.
    pub delta: Exact,
    /// True if rationals were used.
    pub exact: bool,
    /// The rounds in order.
    pub rounds: Vec<RoundReport>,
}

impl TrainingReport {
    /// True if every round passes all its tests within its bound.
    pub fn holds(&self) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "counts of steps are small")]
        self.rounds
            .iter()
            .all(|round| round.indistinguishable && round.steps as f64 <= round.bound + 1e-6)
    }
}

/// A trained estimator with the report of its training.
#[derive(Clone, Debug)]
pub struct TrainedEstimator {
    pub report: TrainingReport,
    /// The estimates for each world of μ, in their order.
    pub(super) worlds: Vec<WorldEstimates>,
}

/// Trains against a built-in prover over the whole μ of the instance's problem.
///
/// The tests of each round are those of the pinned algorithm, in this order: the round's own bet
/// A_k · M(z) (for the root: whether z is the answer); the bet on the next claim A_{k−1} · z_j of
/// PE equation (7), which says 0 of outcomes that the estimator rules out, since no debate gets
/// there; then each outcome by itself in increasing order. Where what the estimator knows settles
/// the root it says so, and there is nothing to learn. `budget` stops it and counts its replies; how
/// many there may be does not hang on it.
///
/// # Errors
/// If the prover cannot be built, or the training takes too long or is stopped.
pub fn train(
    instance: &Instance,
    protocol: &Protocol,
    prover: &Spec,
    delta: &Exact,
    budget: Budget<'_>,
) -> Result<TrainedEstimator, TrainingError> {
    if !matches!(protocol, Protocol::ProverEstimator(_)) {
        return Err(TrainingError::Protocol);
    }
    if *delta <= Exact::zero() || *delta >= Exact::ratio(1, 1) {
        return Err(TrainingError::Delta);
    }
    let worlds = 0..instance.decomposition().worlds().len();
    let width = worlds.map(|world| instance.decomposition().size(world).width);
    let width = width.max().unwrap_or(0);
    if width > MAX_WIDTH {
        return Err(TrainingError::TooWide(width));
    }
    let budget = budget.with_steps(MAX_REPLIES);
    if width <= MAX_EXACT_WIDTH {
        train_in::<Exact>(instance, protocol, prover, delta, budget)
    } else {
        train_in::<f64>(instance, protocol, prover, delta, budget)
    }
}

fn train_in<T: Number>(
    instance: &Instance,
    protocol: &Protocol,
    prover: &Spec,
    delta: &Exact,
    budget: Budget<'_>,
) -> Result<TrainedEstimator, TrainingError> {
    let decomposition = instance.decomposition();
    let others: Vec<Option<Instance>> = (0..decomposition.worlds().len())
        .map(|world| {
            let other = || Instance::new(decomposition.clone(), world, Oracle::Truth);
            (world != instance.world()).then(other)
        })
        .collect();
    let instances: Vec<&Instance> = others
        .iter()
        .map(|other| other.as_ref().unwrap_or(instance))
        .collect();
    let registry = Registry::<T>::builtin();
    let provers = instances
        .iter()
        .map(|instance| registry.build(prover, Seat::Prover, instance, protocol));
    let training = Training {
        provers: provers.collect::<Result<_, _>>()?,
        instances: &instances,
        budget,
        played: Cell::default(),
    };
    let mut report = TrainingReport {
        delta: delta.clone(),
        exact: TypeId::of::<T>() == TypeId::of::<Exact>(),
        rounds: Vec::new(),
    };
    let mut worlds = vec![WorldEstimates::default(); instances.len()];
    let goal = T::from_exact(delta);
    let mut round = TrainingRound::root(&training, protocol)?;
    let mut is_root = true;
    while !round.inputs.is_empty() {
        let settled = is_root.then(|| settled(&instances)).flatten();
        let table = match settled {
            Some(table) => table,
            None => learn(&round, &goal, is_root, &mut report)?,
        };
        keep(&mut worlds, &round, &table, is_root);
        round = round.next(&table)?;
        is_root = false;
    }
    Ok(TrainedEstimator { report, worlds })
}

/// Learns one round.
fn learn<T: Number>(
    round: &TrainingRound<'_, '_, T>,
    delta: &T,
    is_root: bool,
    report: &mut TrainingReport,
) -> Result<RoundEstimates<T>, TrainingError> {
    let problem = round.problem(delta)?;
    let mut tests = RoundTests::new(round, problem.outcomes);
    // Its progress is counted in replies.
    let budget = Budget {
        progress: None,
        ..round.training.budget.with_steps(MAX_STEPS)
    };
    let descent = descend(&problem, &mut tests, &budget)?;
    let names = tests.names(is_root);
    let advantages = descent.before.iter().zip(&descent.after);
    report.rounds.push(RoundReport {
        round: (!is_root).then(|| round.inputs[0].set.round),
        inputs: problem.mu.len(),
        outcomes: problem.outcomes,
        steps: descent.trace.len(),
        bound: descent.bound.to_float(),
        tests: names
            .into_iter()
            .zip(advantages)
            .map(|(name, (before, after))| TestReport {
                name,
                before: before.to_float(),
                after: after.to_float(),
            })
            .collect(),
        indistinguishable: descent.is_indistinguishable(delta),
    });
    // What is spoken was rounded where it was found in floating point, and the rounds that follow
    // are learnt from what is spoken.
    let rounded = |p: &T| T::from_exact(&p.to_exact());
    let estimates = descent
        .h
        .iter()
        .map(|h| ConditionalEstimates::of(h).map(rounded));
    Ok(estimates.collect())
}

/// The root's probability where what the estimator may know settles it in every world.
fn settled<T: Number>(instances: &[&Instance]) -> Option<RoundEstimates<T>> {
    let each = instances.iter().map(|instance| {
        let p: T = Blind::new(instance).marginal(instance.root());
        let sure = p.is_zero() || p.is_one();
        sure.then(|| ConditionalEstimates::of(&[T::one() - p.clone(), p]))
    });
    each.collect()
}

/// Keeps what is said in a round.
fn keep<T: Number>(
    worlds: &mut [WorldEstimates],
    round: &TrainingRound<'_, '_, T>,
    table: &RoundEstimates<T>,
    is_root: bool,
) {
    for (input, estimates) in round.inputs.iter().zip(table) {
        let Some(learnt) = worlds.get_mut(input.world) else {
            continue;
        };
        let estimates = estimates.map(Number::to_exact);
        if is_root {
            if let Some(p) = estimates.after(std::iter::empty()) {
                learnt.root = p.clone();
            }
            continue;
        }
        learnt.rows.push(EstimateRow {
            set: input.set.about(round.key(input).clone()),
            weight: input.weight.to_exact(),
            estimates,
        });
    }
}
