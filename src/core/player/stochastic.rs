//! Built-in players of stochastic debate. Every player has access to the oracle (DE Figure 2): a player who draws
//! samples from the oracle pays for them.

use std::collections::{BTreeMap, HashMap};

use super::cross_examination::random_bits;
use super::registry::{
    PlayableStrategy, StrategyBuildError, StrategyBuildInputs, StrategyEntry, StrategyParameter,
    boxed_strategy,
};
use super::{
    ChallengerObjectionRule, ClosedFormStrategy, Policy, ReplyDistribution, StrategyMemoryAndCosts,
};
use crate::number::{Exact, ExactWithFloat, Number};
use crate::protocol::stochastic::StochasticProtocolParameters;
use crate::protocol::stochastic::constants::{RequiredSamplesAndTests, SampleMeanTest};
use crate::protocol::{Protocol, ProtocolKind, Reply, Request, Seat, StochasticDebate, View};
use crate::scenario::{RandomComputation, acceptance_probabilities, history_with_bit};

/// A view of stochastic debate.
pub type StochasticView<'v, 'a, N> = View<'v, StochasticDebate<'a, N>>;

/// The base-2 logarithm of the number of values that a debater's half of a coin can have.
const SHARES: u32 = 30;

/// The number of possible values of a debater's half of a coin.
pub const HALVES: u64 = 1 << SHARES;

/// A prover of stochastic debate.
#[derive(Clone, Debug)]
pub enum StochasticProver {
    /// A prover that, at every step that asks the oracle, states the mean of oracle samples. It draws the number of
    /// samples that the protocol's constants require. At other steps, it states the true probability.
    Honest,
    /// States the true probability.
    Exact,
    /// A prover that lies at one step and states the true probability at all others. At the step with this number (the
    /// last step if the number is larger), it states that the bit that favours it is certain. It does not lie if the
    /// bit makes no difference.
    Liar(u64),
    /// A prover that, at every step that asks the oracle, states a probability that is wrong by this amount. The error
    /// favours the bit that makes the prover more likely to win, and the result is clamped to a probability. If the bit
    /// makes no difference, the prover states the true probability.
    Drifting(ExactWithFloat),
    /// A prover that, at every step that asks the oracle, states the mean of the required number of samples. They are
    /// drawn from an oracle that differs from the judge's oracle by this amount ([`approximate_oracle`]). At other
    /// steps, it states the true probability.
    Misinformed(ExactWithFloat),
    /// A prover that states 0, 0.1, … or 1, each equally likely.
    Random,
}

impl StochasticProver {
    fn estimate<N: Number>(
        &self,
        view: StochasticView<'_, '_, N>,
        policy_state: &mut StrategyMemoryAndCosts,
    ) -> ReplyDistribution<N> {
        let truth = view.true_step_probability();
        let p = match self {
            Self::Honest if view.step_asks_oracle() => {
                let samples = view.terms().alice;
                draw(policy_state, samples);
                return ReplyDistribution::Mean { samples, p: truth };
            }
            Self::Misinformed(by) if view.step_asks_oracle() => {
                let samples = view.terms().alice;
                draw(policy_state, samples);
                let history = view.bits_before_step();
                let by = N::of(by);
                let p = approximate_oracle(view.process(), history, &truth, &by, Seat::Prover);
                return ReplyDistribution::Mean { samples, p };
            }
            Self::Random => return ReplyDistribution::uniform_over_tenths(),
            Self::Drifting(by) if view.step_asks_oracle() => {
                let by = N::of(by);
                let moved = match favourable_bit(view.process(), view.bits_before_step()) {
                    Some(true) => truth + by,
                    Some(false) => truth - by,
                    None => truth,
                };
                num_traits::clamp(moved, N::zero(), N::one())
            }
            Self::Honest | Self::Exact | Self::Drifting(_) | Self::Misinformed(_) => truth,
            Self::Liar(at) => {
                let last = view.process().steps().saturating_sub(1);
                match favourable_bit(view.process(), view.bits_before_step()) {
                    Some(bit) if view.step_number() == *at.min(&last) => N::indicator(bit),
                    _ => truth,
                }
            }
        };
        ReplyDistribution::Certain(Reply::Probability(p))
    }
}

/// Returns the next bit after this history that makes the output 1 more likely, or 1 if that bit is unknown; `None` if
/// the bit makes no difference.
fn favourable_bit(process: &dyn RandomComputation, history: &[bool]) -> Option<bool> {
    let last = history.len() as u64 + 1 == process.steps();
    // For long computations the favourable bit is not computed.
    if last || !process.is_acceptance_known() {
        return Some(true);
    }
    let after = |bit: bool| {
        let longer: Vec<bool> = history.iter().copied().chain([bit]).collect();
        process.accepts_after(&longer)
    };
    match (after(false), after(true)) {
        (Some(no), Some(yes)) if no == yes => None,
        (Some(no), Some(yes)) => Some(yes > no),
        _ => Some(true),
    }
}

/// Returns the probability that the next bit after this history is 1 under an oracle O' that differs from the true
/// oracle by `by`, clamped to a probability (DE §8: provers with an approximately correct oracle). The difference harms
/// the player: the bit that helps the prover is less likely for the prover, and more likely for the opponent. `truth`
/// is unchanged if the bit makes no difference to the output.
pub fn approximate_oracle<N: Number>(
    process: &dyn RandomComputation,
    history: &[bool],
    truth: &N,
    by: &N,
    seat: Seat,
) -> N {
    let Some(favourable) = favourable_bit(process, history) else {
        return truth.clone();
    };
    let raised = favourable == (seat == Seat::Opponent);
    let moved = if raised {
        truth.clone() + by.clone()
    } else {
        truth.clone() - by.clone()
    };
    num_traits::clamp(moved, N::zero(), N::one())
}

/// Returns the first oracle step at which a prover's lie earns the most against the honest challenger. A lie at a
/// computed step is always caught, so it earns nothing. Returns the last step of the computation if the oracle is never
/// asked.
///
/// # Errors
/// Returns an error if there are too many histories to follow.
fn most_profitable_step(order: &StrategyBuildInputs<'_, '_>) -> Result<u64, StrategyBuildError> {
    let process = order.instance.random_computation();
    let steps = process.as_ref().map_or(0, |process| process.steps());
    let mut backwards = (0..steps).rev();
    let asked = backwards.find(|step| process.as_ref().is_some_and(|it| it.is_oracle(*step)));
    let last = asked.unwrap_or_else(|| steps.saturating_sub(1));
    let gains = match (&process, order.protocol) {
        (Some(process), Protocol::Stochastic(parameters)) => gains_of_lies(&**process, parameters),
        _ => None,
    };
    let gains = gains.ok_or_else(|| StrategyBuildError::Refused {
        name: order.name,
        reason: format!(
            "the most profitable step for a lie cannot be computed for more than {MAX_HISTORIES} \
             histories; name a step, as in {}({last})",
            order.name
        ),
    })?;
    let mut best: Option<(u64, f64)> = None;
    for (step, more) in gains {
        // Equivalent steps differ only by floating-point rounding.
        if best.is_none_or(|(_, most)| more > most + 1e-12) {
            best = Some((step, more));
        }
    }
    Ok(best.map_or(last, |(step, _)| step))
}

/// For each step that asks the oracle, returns the increase of Alice's probability of winning against the honest
/// challenger if she lies only at that step. `None` if there are too many histories to follow.
fn gains_of_lies(
    process: &dyn RandomComputation,
    parameters: &StochasticProtocolParameters,
) -> Option<Vec<(u64, f64)>> {
    let terms = RequiredSamplesAndTests::sample_counts_and_tests_of_parameters(
        parameters,
        process.debated_steps(),
    )?;
    let acceptance_probabilities = acceptance_probabilities(process, MAX_HISTORIES)?;
    let worth = |history: &[bool], bit: bool| {
        let probability = acceptance_probabilities.get(&history_with_bit(process, history, bit));
        probability.map(Number::to_float)
    };
    let mut gains = Vec::new();
    let mut failing: HashMap<(Exact, bool), [f64; 2]> = HashMap::new();
    let mut level = BTreeMap::from([(process.witness().as_slice().to_vec(), 1.0)]);
    for step in process.witness_length()..process.steps() {
        let mut next: BTreeMap<Vec<bool>, f64> = BTreeMap::new();
        let mut more = 0.0;
        for (history, chance) in level {
            let truth = process.next(&history);
            let p = truth.exact().to_float();
            let [no, yes] = [worth(&history, false)?, worth(&history, true)?];
            if process.is_oracle(step) {
                let key = (truth.exact().clone(), yes > no);
                let [objects, caught] = *failing.entry(key).or_insert_with_key(|(p, bit)| {
                    let word = Exact::indicator(*bit);
                    let of = |test: &SampleMeanTest<Exact>| {
                        test.failure_probability(&word, p).to_float()
                    };
                    [of(&terms.bob), of(&terms.verifier)]
                });
                let after = (1.0 - objects) * yes.max(no) + objects * (1.0 - caught);
                more += chance * (after - (p * yes + (1.0 - p) * no));
            }
            for (bit, share) in [(false, 1.0 - p), (true, p)] {
                if share > 0.0 {
                    *next
                        .entry(history_with_bit(process, &history, bit))
                        .or_insert(0.0) += chance * share;
                }
            }
        }
        if process.is_oracle(step) {
            gains.push((step, more));
        }
        level = next;
    }
    Some(gains)
}

/// Maximum number of histories that are enumerated to find the best step for a lie.
const MAX_HISTORIES: usize = 1 << 12;

/// Adds the cost of the oracle samples that a player drew to the player's spending.
fn draw(policy_state: &mut StrategyMemoryAndCosts, samples: u64) {
    policy_state.spent.samples += samples;
    policy_state.spent.oracle_queries += samples;
}

/// A player of stochastic debate, with one function for each kind of request. A function returns `None` if the player
/// cannot reply to that request.
pub trait StochasticDebatePolicy<N: Number>: Send + Sync {
    /// Returns the player's witness of `length` bits.
    fn witness(
        &self,
        _view: StochasticView<'_, '_, N>,
        _length: u32,
    ) -> Option<ReplyDistribution<N>> {
        None
    }

    /// Returns the probability that the player states for the step under discussion.
    fn say(
        &self,
        _view: StochasticView<'_, '_, N>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        None
    }

    /// Returns the player's half of the coin of a step, a uniformly random number.
    fn share(&self) -> Option<ReplyDistribution<N>> {
        Some(ReplyDistribution::Share { parts: HALVES })
    }

    /// Returns the player's choice to object, or not, to the probability of the step under discussion.
    fn challenge(
        &self,
        _view: StochasticView<'_, '_, N>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        None
    }

    /// As [`Policy::as_closed_form`].
    fn as_closed_form(&self) -> Option<ClosedFormStrategy<'_, N>> {
        None
    }
}

/// A [`StochasticDebatePolicy`] as a policy.
#[derive(Clone, Copy, Debug)]
pub struct StochasticDebatePolicyAdapter<P>(pub P);

impl<'a, N: Number, P: StochasticDebatePolicy<N>> Policy<N, StochasticDebate<'a, N>>
    for StochasticDebatePolicyAdapter<P>
{
    fn as_closed_form(&self) -> Option<ClosedFormStrategy<'_, N>> {
        self.0.as_closed_form()
    }

    fn choose(
        &self,
        view: StochasticView<'_, 'a, N>,
        request: &Request<N>,
        policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        match request {
            Request::Bits { length, .. } => self.0.witness(view, *length),
            Request::Probability { .. } => self.0.say(view, policy_state),
            Request::Share { .. } => self.0.share(),
            Request::Challenge { .. } => self.0.challenge(view, policy_state),
            _ => None,
        }
    }
}

impl<N: Number> StochasticDebatePolicy<N> for StochasticProver {
    fn witness(
        &self,
        view: StochasticView<'_, '_, N>,
        length: u32,
    ) -> Option<ReplyDistribution<N>> {
        Some(match self {
            Self::Random => random_bits(usize::try_from(length).ok()?),
            _ => ReplyDistribution::Certain(Reply::Bits(view.process().witness())),
        })
    }

    fn say(
        &self,
        view: StochasticView<'_, '_, N>,
        policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        Some(self.estimate(view, policy_state))
    }

    fn as_closed_form(&self) -> Option<ClosedFormStrategy<'_, N>> {
        Some(ClosedFormStrategy::BitsSoFar)
    }
}

/// An opponent of stochastic debate.
#[derive(Clone, Debug)]
pub enum StochasticChallenger {
    /// Draws the number of samples that the protocol's constants require, and objects if their mean is too far from
    /// Alice's probability. The program does not draw each sample: it draws one random number with the probability of
    /// an objection.
    Honest,
    /// As [`Self::Honest`], but draws its samples from an oracle that differs from the judge's oracle by this amount
    /// ([`approximate_oracle`]).
    Misinformed(ExactWithFloat),
    /// Never objects.
    Silent,
    /// Objects to the first step at which Alice's probability differs from the true one by less than the verifier's
    /// limit.
    FalseAlarm,
    /// Objects at each step with probability ½.
    Random,
}

impl<N: Number> StochasticDebatePolicy<N> for StochasticChallenger {
    fn challenge(
        &self,
        view: StochasticView<'_, '_, N>,
        policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        let object = || Reply::Challenge(Some(view.step_number()));
        let sure = |objects: bool| {
            ReplyDistribution::Certain(Reply::Challenge(objects.then(|| view.step_number())))
        };
        Some(match self {
            Self::Silent => sure(false),
            Self::FalseAlarm => {
                let off =
                    (view.stated_step_probability().clone() - view.true_step_probability()).abs();
                sure(off < view.terms().verifier.limit)
            }
            Self::Random => ReplyDistribution::Weighted(vec![
                (N::ratio(1, 2), object()),
                (N::ratio(1, 2), Reply::Challenge(None)),
            ]),
            Self::Honest | Self::Misinformed(_) => {
                let test = &view.terms().bob;
                let mut p = view.true_step_probability();
                if view.step_asks_oracle() {
                    draw(policy_state, test.samples);
                    if let Self::Misinformed(by) = self {
                        let history = view.bits_before_step();
                        let (process, by) = (view.process(), N::of(by));
                        p = approximate_oracle(process, history, &p, &by, Seat::Opponent);
                    }
                }
                let objects = test.failure_probability(view.stated_step_probability(), &p);
                if objects.is_zero() || objects.is_one() {
                    return Some(sure(objects.is_one()));
                }
                let rest = N::one() - objects.clone();
                ReplyDistribution::Weighted(vec![
                    (objects, object()),
                    (rest, Reply::Challenge(None)),
                ])
            }
        })
    }

    fn as_closed_form(&self) -> Option<ClosedFormStrategy<'_, N>> {
        Some(ClosedFormStrategy::Challenger(match self {
            Self::Honest => ChallengerObjectionRule::Tested,
            Self::Misinformed(by) => {
                ChallengerObjectionRule::TestedByApproximateOracle(by.exact().clone())
            }
            Self::Silent => ChallengerObjectionRule::Chance(N::zero()),
            Self::FalseAlarm => ChallengerObjectionRule::NearTruth,
            Self::Random => ChallengerObjectionRule::Chance(N::ratio(1, 2)),
        }))
    }
}

fn seated<'a, N: Number>(
    policy: impl StochasticDebatePolicy<N> + 'a,
) -> Result<PlayableStrategy<'a, N>, StrategyBuildError> {
    boxed_strategy(StochasticDebatePolicyAdapter(policy))
}

/// Returns the built-in players of stochastic debate by name.
pub(super) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let prover = StrategyEntry::entry_builder(ProtocolKind::Stochastic, Seat::Prover);
    let opponent = StrategyEntry::entry_builder(ProtocolKind::Stochastic, Seat::Opponent);
    vec![
        prover("honest", |_| seated(StochasticProver::Honest)),
        prover("exact", |_| seated(StochasticProver::Exact)),
        prover("liar", |order| {
            let named = order.first_count_if_given();
            let step = named.map_or_else(|| most_profitable_step(order), Ok)?;
            seated(StochasticProver::Liar(step))
        })
        .with_parameters(&[StrategyParameter::OptionalCount("at")]),
        prover("drifting", |order| {
            seated(StochasticProver::Drifting(order.first_argument_as_number()))
        })
        .with_parameters(&[StrategyParameter::Probability("by")]),
        prover("misinformed", |order| {
            let by = order.first_argument_as_number();
            seated(StochasticProver::Misinformed(by))
        })
        .with_parameters(&[StrategyParameter::Probability("by")]),
        prover("random", |_| seated(StochasticProver::Random)),
        opponent("honest", |_| seated(StochasticChallenger::Honest)),
        opponent("misinformed", |order| {
            let by = order.first_argument_as_number();
            seated(StochasticChallenger::Misinformed(by))
        })
        .with_parameters(&[StrategyParameter::Probability("by")]),
        opponent("silent", |_| seated(StochasticChallenger::Silent)),
        opponent("false-alarm", |_| seated(StochasticChallenger::FalseAlarm)),
        opponent("random", |_| seated(StochasticChallenger::Random)),
    ]
}
