//! Policies: strategies as functions from the information that a seat may see to finitely many replies with
//! probabilities.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use num_bigint::BigInt;

use super::cross_examination::StepChallengeStrategy;
use crate::bits::BitString;
use crate::chance::{self, pick};
use crate::number::{Exact, Number, to_u32_saturating};
use crate::protocol::{Bet, Reply, Request, Rules, SeatResourceCosts, State, View};
use crate::scenario::{BitId, ClaimId, Support};

/// The memory of a strategy from one request to the next: small and comparable, so that analysis can detect histories
/// after which the strategy behaves equally.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PolicyMemory(pub [u64; 2]);

/// A strategy's memory, and the oracle queries and samples that it has used so far to find replies. Expenses that the
/// rules record are not included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StrategyMemoryAndCosts {
    pub memory: PolicyMemory,
    pub spent: SeatResourceCosts,
}

/// The rule by which a prover selects the subclaim with which the debate continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubclaimSelectionRule {
    /// The first subclaim with the greatest [score](MarkovProver::score).
    Greatest,
    /// Any subclaim, each equally likely.
    Uniform,
    /// The first subclaim.
    First,
}

/// A prover whose replies do not depend on the coins. They depend on the prover's answer to the root, on the root's
/// estimate, on the round's claim and supports, and on the probabilities stated for this claim and its subclaims.
/// [`CoinIgnoringProverPolicy`](super::prover_estimator::CoinIgnoringProverPolicy) makes the prover a strategy.
pub trait MarkovProver<N: Number>: Send + Sync {
    /// Returns the prover's answer, true or false, to the root claim.
    fn claims(&self, root: ClaimId) -> bool;
    /// True if, given these values, the prover's bet in every round is 0. The values are its answer to the root claim
    /// and the root's estimate.
    fn bets_nothing(&self, _answer: bool, _root_p: &N, _epsilon: &N) -> bool {
        false
    }
    /// Returns the prover's bet on the estimate `p` of a claim. `answer` is the prover's answer to the root claim.
    fn bet_on(&self, answer: bool, claim: ClaimId, p: &N, epsilon: &N) -> Bet;
    /// Returns the index of the support that the prover chooses.
    fn support_index(&self, offered: &[Support]) -> usize;
    /// Returns the rule by which the prover chooses the subclaim with which the debate continues.
    #[inline]
    fn selection(&self) -> SubclaimSelectionRule {
        SubclaimSelectionRule::Greatest
    }
    /// Returns the prover's preference for continuing with a subclaim whose estimate is `p`, under
    /// [`SubclaimSelectionRule::Greatest`].
    fn score(&self, _claim: ClaimId, _p: &N) -> N {
        N::zero()
    }
    /// Returns the value that the prover chooses for a proof bit.
    fn bit(&self, bit: BitId) -> bool;
}

/// A strategy whose replies depend only on the current claim, its estimate and the answer, or only on the bits so far.
/// Analysis can therefore compute its value in closed form.
pub enum ClosedFormStrategy<'s, N: Number> {
    /// A prover of prover-estimator debate.
    Prover(&'s dyn MarkovProver<N>),
    /// A prover of stochastic debate whose statements depend only on the bits so far.
    BitsSoFar,
    /// A challenger of stochastic debate.
    Challenger(ChallengerObjectionRule<N>),
}

/// The rule by which a challenger objects to the stated probability of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChallengerObjectionRule<N> {
    /// Objects if the mean of its samples is too far from the stated probability. The challenger draws, and pays for,
    /// the number of samples that the rules require.
    Tested,
    /// As `Tested`, but samples an oracle that differs from the judge's oracle by this amount, to the challenger's
    /// disadvantage.
    TestedByApproximateOracle(Exact),
    /// Objects with this probability, independently of the stated probability.
    Chance(N),
    /// Objects to a stated probability only if it is close to the truth, within the verifier's limit.
    NearTruth,
}

/// An opponent's rule for objecting to the bits that a prover wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChallengeStrategy {
    /// Challenges the step of a transcript that this rule chooses, or no step.
    Examiner(StepChallengeStrategy),
    /// Chooses which half of a machine's run to dispute. The choice depends only on whether the middle configuration
    /// follows from the first one, and on the times.
    Bisector,
}

/// A built-in strategy for one protocol: a function from (view, request, memory) to finitely many replies with
/// probabilities. Callers may repeat a request: the strategy's only mutable state is `policy_state`.
///
/// The properties that a strategy states of itself (`ignores_round_coins`, `knowledge_key`, `as_…`) license faster ways
/// to the same values. Their defaults, false and `None`, are safe. A property that a strategy states must hold in every
/// debate, or exact values are wrong. A strategy that depends on earlier coins must override `uses_earlier_coins`.
pub trait Policy<N: Number, R: Rules<N>>: Send + Sync {
    /// True if the strategy's replies do not depend on the coins of the current round. Analysis then counts these coins
    /// instead of enumerating their outcomes.
    fn ignores_round_coins(&self) -> bool {
        false
    }

    /// True if the strategy's replies depend on coins of earlier rounds. Analysis then merges two histories only if
    /// these coins are equal.
    fn uses_earlier_coins(&self) -> bool {
        false
    }

    /// Returns a key of everything besides the view that the strategy's replies depend on. Strategies of one name with
    /// equal keys give equal replies in equal views, also about different instances. `None` if the replies may depend
    /// on more, for example on truths.
    fn knowledge_key(&self) -> Option<Vec<u64>> {
        None
    }

    /// Returns the strategy as a [`ClosedFormStrategy`] if its replies depend only on what that type describes; `None` if
    /// they depend on more.
    fn as_closed_form(&self) -> Option<ClosedFormStrategy<'_, N>> {
        None
    }

    /// Returns the strategy's reply to requests of this kind, if that reply is always the same.
    fn as_constant(&self, _request: &Request<N>) -> Option<ReplyDistribution<N>> {
        None
    }

    /// Returns the probability with which this judge inverts the oracle's answer, if it is the same for every claim.
    /// `None` for other judges and players.
    fn oracle_error_probability(&self) -> Option<N> {
        None
    }

    /// Returns the rule by which this opponent objects to written bits, if it is one of the rules that analysis knows.
    fn as_challenge_rule(&self) -> Option<ChallengeStrategy> {
        None
    }

    /// Returns the strategy's possible replies to a request, with their probabilities. `None` if the strategy cannot
    /// reply to this kind of request, or lacks the information for a reply.
    fn choose(
        &self,
        view: View<'_, R>,
        request: &Request<N>,
        policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>>;
}

/// A built-in strategy for any protocol: a policy over [`State`], the state of a debate under any rules. The screen and
/// the command line use this trait.
pub trait Strategy<'a, N: Number>: Policy<N, State<'a, N>> {}

impl<'a, N: Number, P: Policy<N, State<'a, N>>> Strategy<'a, N> for P {}

/// A policy for the protocol with rules `R`, wrapped as a strategy for the state of any debate.
pub struct PolicyAsStrategy<P, R>(P, PhantomData<fn() -> R>);

impl<P, R> PolicyAsStrategy<P, R> {
    /// Wraps a policy.
    pub fn new(policy: P) -> Self {
        Self(policy, PhantomData)
    }
}

impl<'a, N, P, R> Policy<N, State<'a, N>> for PolicyAsStrategy<P, R>
where
    N: Number,
    R: Rules<N> + 'a,
    P: Policy<N, R>,
    for<'s> &'s R: TryFrom<&'s State<'a, N>>,
{
    fn ignores_round_coins(&self) -> bool {
        self.0.ignores_round_coins()
    }

    fn uses_earlier_coins(&self) -> bool {
        self.0.uses_earlier_coins()
    }

    fn knowledge_key(&self) -> Option<Vec<u64>> {
        self.0.knowledge_key()
    }

    fn as_closed_form(&self) -> Option<ClosedFormStrategy<'_, N>> {
        self.0.as_closed_form()
    }

    fn as_constant(&self, request: &Request<N>) -> Option<ReplyDistribution<N>> {
        self.0.as_constant(request)
    }

    fn oracle_error_probability(&self) -> Option<N> {
        self.0.oracle_error_probability()
    }

    fn as_challenge_rule(&self) -> Option<ChallengeStrategy> {
        self.0.as_challenge_rule()
    }

    fn choose(
        &self,
        view: View<'_, State<'a, N>>,
        request: &Request<N>,
        policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        self.0.choose(view.under()?, request, policy_state)
    }
}

/// The replies that a policy may give, with their probabilities.
#[derive(Clone, Debug)]
pub enum ReplyDistribution<N> {
    /// One certain reply.
    Certain(Reply<N>),
    /// The replies `nth(0)`, …, `nth(count - 1)`, each equally likely.
    Even {
        /// At least 1.
        count: u32,
        /// Makes the reply with the given number.
        nth: fn(u32) -> Reply<N>,
    },
    /// The replies `nth(0)`, …, `nth(count - 1)` of a closure, each equally likely.
    Computed {
        /// At least 1.
        count: u64,
        /// Makes the reply with the given number.
        nth: ReplyMakerFromDrawnInteger<N>,
    },
    /// A debater's random number, half of a coin that two debaters toss together: (4 i + 1) / (4 · `parts`) for an i
    /// below `parts`, each equally likely. Two such numbers never add up to a multiple of 1 / `parts`, so that coins
    /// with probability 0 or 1 are certain.
    Share {
        /// At least 1.
        parts: u64,
    },
    /// A probability reply: the mean of a number of samples, each 1 with probability `p`.
    Mean {
        /// The number of samples; at least 1.
        samples: u64,
        /// The probability.
        p: N,
    },
    /// Replies with probabilities that sum to 1.
    Weighted(Vec<(N, Reply<N>)>),
}

/// A closure that makes a reply from a drawn integer.
#[derive(Clone)]
pub struct ReplyMakerFromDrawnInteger<N>(Arc<dyn Fn(u64) -> Reply<N> + Send + Sync>);

impl<N> fmt::Debug for ReplyMakerFromDrawnInteger<N> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ReplyFunction")
    }
}

impl<N: Number> ReplyDistribution<N> {
    /// Returns the uniform distribution over the replies `nth(0)`, …, `nth(count - 1)` of a function pointer.
    #[inline]
    pub fn uniform_over_numbered_replies(count: usize, nth: fn(u32) -> Reply<N>) -> Self {
        let count = to_u32_saturating(count);
        Self::Even { count, nth }
    }

    /// Returns the uniform distribution over the answers true and false.
    pub(super) fn uniform_yes_no_answer() -> Self {
        Self::uniform_over_numbered_replies(2, |index| Reply::Answer(index == 1))
    }

    /// Returns the uniform distribution over the one-bit replies 0 and 1.
    pub(super) fn uniform_bit_reply_distribution() -> Self {
        Self::uniform_over_numbered_replies(2, |index| {
            Reply::Bits(BitString::from(vec![index == 1]))
        })
    }

    /// Returns the uniform distribution over the probability replies 0, 1/10, …, 1.
    pub(super) fn uniform_over_tenths() -> Self {
        Self::uniform_over_numbered_replies(11, |tenths| {
            Reply::Probability(N::ratio(tenths.into(), 10))
        })
    }

    pub(super) fn certain_one_bit_reply(value: bool) -> Self {
        Self::Certain(Reply::Bits(BitString::from(vec![value])))
    }

    /// Returns the uniform distribution over these replies.
    pub(super) fn uniform_among(replies: Vec<Reply<N>>) -> Self {
        let chance = N::ratio(1, i64::try_from(replies.len()).unwrap_or(i64::MAX));
        let each = replies.into_iter().map(|reply| (chance.clone(), reply));
        Self::Weighted(each.collect())
    }

    /// Returns the uniform distribution over the replies `nth(0)`, …, `nth(count - 1)` of a closure.
    pub fn uniform_computed(
        count: u64,
        nth: impl Fn(u64) -> Reply<N> + Send + Sync + 'static,
    ) -> Self {
        Self::Computed {
            count: count.max(1),
            nth: ReplyMakerFromDrawnInteger(Arc::new(nth)),
        }
    }

    /// Returns the distribution of a judge's answer: yes with this probability, else no.
    #[inline]
    pub fn judge_answer_with_probability(yes_probability: N) -> Self {
        let verdict = |holds| Reply::Oracle {
            holds,
            confidence: None,
        };
        if yes_probability.is_one() {
            return Self::Certain(verdict(true));
        }
        if yes_probability.is_zero() {
            return Self::Certain(verdict(false));
        }
        let no = N::one() - yes_probability.clone();
        Self::Weighted(vec![(yes_probability, verdict(true)), (no, verdict(false))])
    }

    /// Returns one reply of the distribution, selected by the random integer that `draw` returns. `draw` is not called
    /// for [`Self::Certain`].
    #[inline]
    pub fn reply_for_draw(self, draw: impl FnOnce() -> u64) -> Reply<N> {
        match self {
            Self::Certain(reply) => reply,
            Self::Even { count, nth } => {
                nth(u32::try_from(scaled(draw(), count.into())).unwrap_or(0))
            }
            Self::Computed { count, nth } => nth.0(scaled(draw(), count)),
            Self::Share { parts } => Reply::Probability(half(scaled(draw(), parts), parts)),
            Self::Mean { samples, p } => mean(
                chance::binomial_sample(draw(), samples, p.to_float()),
                samples,
            ),
            Self::Weighted(mut replies) => {
                let weights = replies.iter().map(|(weight, _)| weight.clone());
                let index = pick(draw(), weights).unwrap_or(0);
                replies.swap_remove(index).1
            }
        }
    }

    /// Returns every reply with its probability; `None` if more than [`MAX_LISTED`] replies would have to be computed.
    /// For the mean of more than `MAX_EXACT` samples, only replies within ten standard deviations are listed, and their
    /// probabilities are as precise as an `f64`.
    pub fn weighted_replies(self) -> Option<Vec<(N, Reply<N>)>> {
        let evenly = |count: u64, nth: &dyn Fn(u64) -> Reply<N>| {
            let chance = N::ratio(1, i64::try_from(count).unwrap_or(i64::MAX));
            let each = (0..count).map(|index| (chance.clone(), nth(index)));
            (count <= MAX_LISTED).then(|| each.collect())
        };
        Some(match self {
            Self::Certain(reply) => vec![(N::one(), reply)],
            Self::Even { count, nth } => {
                return evenly(count.into(), &|index| nth(to_u32_saturating(index)));
            }
            Self::Computed { count, nth } => return evenly(count, &*nth.0),
            Self::Share { parts } => {
                return evenly(parts, &|index| Reply::Probability(half(index, parts)));
            }
            Self::Mean { samples, p } => match u32::try_from(samples) {
                Ok(few) if few <= MAX_EXACT => (0..)
                    .zip(chance::binomial_distribution(few, &p))
                    .filter(|(_, chance)| !chance.is_zero())
                    .map(|(ones, chance)| (chance, mean(ones, samples)))
                    .collect(),
                _ if samples > MAX_SAMPLES => return None,
                _ => {
                    let law = chance::binomial_central_weights(samples, p.to_float()).into_iter();
                    let exact = |chance| Some(N::from_exact(&Exact::from_float(chance)?));
                    law.filter_map(|(ones, chance)| Some((exact(chance)?, mean(ones, samples))))
                        .collect()
                }
            },
            Self::Weighted(replies) => replies,
        })
    }
}

/// Maximum number of samples for which all values of their mean are listed, with exact probabilities.
pub const MAX_EXACT: u32 = 1024;

/// Maximum number of replies that a distribution lists.
pub const MAX_LISTED: u64 = 1 << 16;

/// Maximum number of samples for which the values of their mean are listed. Within ten standard deviations of the
/// likeliest value there are at most 20 · √samples / 2 values.
const MAX_SAMPLES: u64 = (MAX_LISTED / 10) * (MAX_LISTED / 10);

/// Returns a debater's random number for a coin that two debaters toss together: (4 · `index` + 1) / (4 · `parts`). See
/// [`ReplyDistribution::Share`].
pub fn half<N: Number>(index: u64, parts: u64) -> N {
    let four = |count: u64| BigInt::from(count) * 4;
    N::from_exact(&Exact::new(four(index) + 1, four(parts.max(1))))
}

/// Returns the probability reply that states the proportion of ones among the samples.
fn mean<N: Number>(ones: u64, samples: u64) -> Reply<N> {
    let samples = samples.max(1);
    Reply::Probability(N::from_exact(&Exact::new(ones.into(), samples.into())))
}

/// Scales a random integer below 2⁵³ to a number below `count`; the bias is at most count / 2⁵³.
fn scaled(draw: u64, count: u64) -> u64 {
    let scaled = (u128::from(draw) * u128::from(count)) >> crate::number::COIN_BITS;
    u64::try_from(scaled).unwrap_or(0)
}
