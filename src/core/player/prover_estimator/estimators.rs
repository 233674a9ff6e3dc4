//! Built-in estimators, the cheap estimates that some of them propagate, and their time per reply. Estimators with an
//! [`InformedReader`] reader use truths; all others have a [`BlindReader`] reader, or none.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::time::Duration;

use super::{EstimateQuery, Estimator, PeView};
use crate::number::{Exact, ExactWithFloat, Number, power, to_u32_saturating};
use crate::player::ReplyDistribution;
use crate::protocol::Reply;
use crate::scenario::{BlindReader, CarefulReaderEstimate, ClaimId, InformedReader};

#[inline]
pub(super) fn certain_estimate<N>(p: N) -> ReplyDistribution<N> {
    ReplyDistribution::Certain(Reply::Probability(p))
}

/// Returns a probability that is wrong by `by`: `by` away from the claim's truth (1 or 0). If the truth is unknown,
/// the claim counts as false.
#[inline]
fn off<N: Number>(informed: InformedReader<'_>, claim: ClaimId, by: N) -> N {
    match informed.truth(claim) {
        Some(true) => N::one() - by,
        _ => by,
    }
}

pub(super) fn at_most_half<N: Number>(p: N) -> Option<N> {
    (!p.exceeds(&N::ratio(1, 2))).then_some(p)
}

/// Returns the prior probability of a step if it is at most ½. `None` without a prior over several instances: the
/// probability would then be the step's truth, which the estimator does not know.
fn doubt_from_prior<N: Number>(blind: &BlindReader<'_>, step: ClaimId) -> Option<N> {
    if !blind.has_belief_over_instances_or_flaw_places() {
        return None;
    }
    at_most_half(blind.marginal(step))
}

/// An estimator whose estimates are all at distance δ from the truth: δ if the claim is false, 1 − δ if it is true.
#[derive(Clone, Debug)]
pub struct DistanceFromTruthEstimator<'a> {
    informed: InformedReader<'a>,
    delta: ExactWithFloat,
}

impl<'a> DistanceFromTruthEstimator<'a> {
    /// Creates the estimator that states the truth.
    pub fn truthful_estimator(informed: InformedReader<'a>) -> Self {
        Self {
            informed,
            delta: false.into(),
        }
    }

    /// Creates the estimator whose estimates are at distance `delta` from the truth.
    pub fn new(informed: InformedReader<'a>, delta: ExactWithFloat) -> Self {
        Self { informed, delta }
    }
}

impl<N: Number> Estimator<N> for DistanceFromTruthEstimator<'_> {
    const IGNORES_ROUND_COINS: bool = true;

    #[inline]
    fn estimate(&self, _view: PeView<'_, '_, N>, asked: EstimateQuery) -> ReplyDistribution<N> {
        certain_estimate(off(self.informed, asked.claim, N::of(&self.delta)))
    }

    fn doubt(&self, warrant: ClaimId) -> Option<N> {
        self.informed.truth(warrant)?;
        at_most_half(off(self.informed, warrant, N::of(&self.delta)))
    }
}

/// An estimator that asks copies of Alice about each claim (PE §6.2, Lemma A.4). Its estimate is the claim's posterior
/// given their answers, under a prior of ½. Each copy errs independently with the same probability. The copies see no
/// debate, so their errors do not depend on how Alice plays.
#[derive(Clone, Debug)]
pub struct EstimatorAskingProverCopies<'a> {
    informed: InformedReader<'a>,
    /// For each possible number of copies that call the claim true, in increasing order: the probability of this number
    /// and the claim's posterior.
    answers: Vec<CopyAnswers>,
}

/// The case that a given number of Alice's copies call a claim true.
#[derive(Clone, Debug)]
struct CopyAnswers {
    /// The probability that this number of Alice's copies call the claim true: first if the claim is false, then if it
    /// is true.
    chance: [ExactWithFloat; 2],
    /// The posterior of the claim.
    posterior: ExactWithFloat,
}

impl<'a> EstimatorAskingProverCopies<'a> {
    /// Maximum number of copies of Alice that the estimator asks.
    pub const MAX_COPIES: u32 = 99;

    /// Creates the estimator that asks `copies` copies of Alice, each of which errs with probability `error`. `None`
    /// unless `copies` is from 1 to [`Self::MAX_COPIES`].
    pub fn new(informed: InformedReader<'a>, error: &Exact, copies: u64) -> Option<Self> {
        let copies: u32 = copies.try_into().ok()?;
        if !(1..=Self::MAX_COPIES).contains(&copies) {
            return None;
        }
        let right = Exact::ratio(1, 1) - error;
        let mut ways = Exact::ratio(1, 1);
        let mut answers = Vec::new();
        for count in 0..=copies {
            let others = copies - count;
            let chance = |yes: &Exact, no: &Exact| &ways * power(yes, count) * power(no, others);
            let [if_true, if_false] = [chance(&right, error), chance(error, &right)];
            let both = &if_true + &if_false;
            ways *= Exact::ratio(others.into(), i64::from(count) + 1);
            // With copies that never err, some numbers are impossible.
            if both != Exact::default() {
                answers.push(CopyAnswers {
                    posterior: (&if_true / both).into(),
                    chance: [if_false.into(), if_true.into()],
                });
            }
        }
        Some(Self { informed, answers })
    }
}

// The answers are random, so the coins of a round cannot be counted: `IGNORES_ROUND_COINS` stays false.
impl<N: Number> Estimator<N> for EstimatorAskingProverCopies<'_> {
    fn estimate(&self, _view: PeView<'_, '_, N>, asked: EstimateQuery) -> ReplyDistribution<N> {
        let truth = self.informed.truth(asked.claim).unwrap_or(false);
        let replies = self.answers.iter().map(|answer| {
            let chance = N::of(&answer.chance[usize::from(truth)]);
            (chance, Reply::Probability(N::of(&answer.posterior)))
        });
        ReplyDistribution::Weighted(replies.filter(|(chance, _)| !chance.is_zero()).collect())
    }
}

/// An estimator that states the same probability for every claim.
#[derive(Clone, Debug)]
pub struct ConstantEstimator(pub ExactWithFloat);

impl<N: Number> Estimator<N> for ConstantEstimator {
    const IGNORES_ROUND_COINS: bool = true;

    fn as_constant(&self) -> Option<ReplyDistribution<N>> {
        Some(certain_estimate(N::of(&self.0)))
    }

    #[inline]
    fn estimate(&self, _view: PeView<'_, '_, N>, _asked: EstimateQuery) -> ReplyDistribution<N> {
        certain_estimate(N::of(&self.0))
    }
}

/// An estimator that states each claim's exact posterior probability under μ, given its knowledge in the scenario, the
/// coins of this round, and the coins before each claim that was chosen in an earlier round. These earlier coins
/// precede the carried probability, so the estimates of a round are consistent with it. Estimates of the root, and of
/// a claim alone, ignore the coins.
#[derive(Clone, Debug)]
pub struct BayesEstimator<'a>(pub BlindReader<'a>);

impl<N: Number> Estimator<N> for BayesEstimator<'_> {
    fn uses_earlier_coins(&self) -> bool {
        self.0.has_belief_over_instances_or_flaw_places()
    }

    fn knowledge_key(&self) -> Option<Vec<u64>> {
        self.0.belief_key()
    }

    fn estimate(&self, view: PeView<'_, '_, N>, asked: EstimateQuery) -> ReplyDistribution<N> {
        certain_estimate(match asked.place {
            Some(_) if !asked.alone => {
                let earlier = view
                    .earlier_coins_before_selected_estimates()
                    .iter()
                    .copied();
                self.0
                    .posterior(asked.claim, earlier.chain(view.tossed_subclaims()))
            }
            _ => self.0.marginal(asked.claim),
        })
    }

    fn doubt(&self, warrant: ClaimId) -> Option<N> {
        at_most_half(self.0.marginal(warrant))
    }
}

/// An estimator that states the marginal probability of each claim and ignores the coins. The root gets the result of a
/// cheap test. Without a test, the root gets the probability that its subclaims' marginals imply, if the subclaims are
/// independent.
#[derive(Clone, Debug)]
pub struct MarginalEstimator<'a>(pub BlindReader<'a>);

impl<N: Number> Estimator<N> for MarginalEstimator<'_> {
    const IGNORES_ROUND_COINS: bool = true;

    fn estimate(&self, _view: PeView<'_, '_, N>, asked: EstimateQuery) -> ReplyDistribution<N> {
        certain_estimate(match asked.place {
            None => match self.0.cheap_root_test_result() {
                Some(truth) => N::indicator(truth),
                None => self.0.probability_from_subclaims(asked.claim),
            },
            Some(_) => self.0.marginal(asked.claim),
        })
    }

    fn doubt(&self, warrant: ClaimId) -> Option<N> {
        at_most_half(self.0.marginal(warrant))
    }
}

/// An estimator that states the problem's own cheap estimates: the estimate given for a claim, or else the one that its
/// subclaims' estimates imply. If there are none, states the estimates of [`MarginalEstimator`].
#[derive(Clone, Debug)]
pub struct ProblemEstimatesEstimator<'a> {
    /// The estimates of all claims, computed at the first request, so that checking whether the player fits this seat
    /// does not visit a hundred thousand claims.
    stated: OnceLock<ProbabilityByClaim>,
    marginal: MarginalEstimator<'a>,
}

impl<'a> ProblemEstimatesEstimator<'a> {
    /// Creates the estimator. The problem's estimates are read at the first request.
    pub fn new(blind: BlindReader<'a>) -> Self {
        Self {
            stated: OnceLock::new(),
            marginal: MarginalEstimator(blind),
        }
    }
}

impl<N: Number> Estimator<N> for ProblemEstimatesEstimator<'_> {
    const IGNORES_ROUND_COINS: bool = true;

    #[inline]
    fn estimate(&self, view: PeView<'_, '_, N>, asked: EstimateQuery) -> ReplyDistribution<N> {
        let stated = || ProbabilityByClaim::problem_or_propagated_estimates(&self.marginal.0);
        match self
            .stated
            .get_or_init(stated)
            .problem_or_propagated_estimate(asked.claim)
        {
            Some(stated) => certain_estimate(N::of(stated)),
            None => self.marginal.estimate(view, asked),
        }
    }

    fn doubt(&self, warrant: ClaimId) -> Option<N> {
        self.marginal.doubt(warrant)
    }
}

/// The estimates of the leaves, propagated up through the gates as if the claims were independent.
#[derive(Clone, Debug)]
pub struct LeafPropagatingEstimator(ProbabilityByClaim);

impl LeafPropagatingEstimator {
    /// Computes the estimates of all claims from the estimates of the leaves. `None` if there are more claims than may
    /// be visited.
    pub fn new(blind: &BlindReader<'_>) -> Option<Self> {
        ProbabilityByClaim::estimates_propagated_from_leaves(blind).map(Self)
    }

    /// Returns the estimate of a claim; ½ for a claim without an estimate.
    pub(super) fn of<N: Number>(&self, claim: ClaimId) -> N {
        self.0
            .problem_or_propagated_estimate(claim)
            .map_or_else(|| N::ratio(1, 2), N::of)
    }
}

impl<N: Number> Estimator<N> for LeafPropagatingEstimator {
    const IGNORES_ROUND_COINS: bool = true;

    fn estimate(&self, _view: PeView<'_, '_, N>, asked: EstimateQuery) -> ReplyDistribution<N> {
        certain_estimate(self.of(asked.claim))
    }
}

/// An estimator that splits the doubt evenly among all subclaims and ignores the coins
/// ([`Gate::even_share_estimate`](crate::gate::Gate::even_share_estimate), PE §7). Pieces of evidence get the estimate
/// of their claim. Its estimate of the root is 0 or 1 if a cheap test decides the root, else ½.
#[derive(Clone, Debug)]
pub struct CoinIgnoringEvenEstimator<'a>(pub BlindReader<'a>);

impl CoinIgnoringEvenEstimator<'_> {
    fn hedge<N: Number>(&self, view: PeView<'_, '_, N>, asked: EstimateQuery) -> N {
        if asked.place.is_none() {
            let test = self.0.cheap_root_test_result();
            return test.map_or_else(|| N::ratio(1, 2), N::indicator);
        }
        let support = view.last_chosen_support_or_empty();
        // A majority is as likely as the pieces of evidence that it counts.
        let (gate, copies) = support.gate.outer_gate_and_copies();
        let inputs = to_u32_saturating(support.on.len()) / copies.max(1);
        gate.even_share_estimate(view.claim_probability(), inputs)
    }
}

impl<N: Number> Estimator<N> for CoinIgnoringEvenEstimator<'_> {
    const IGNORES_ROUND_COINS: bool = true;

    fn estimate(&self, view: PeView<'_, '_, N>, asked: EstimateQuery) -> ReplyDistribution<N> {
        certain_estimate(self.hedge(view, asked))
    }

    fn doubt(&self, warrant: ClaimId) -> Option<N> {
        doubt_from_prior(&self.0, warrant)
    }
}

/// An estimator that splits the claim's remaining doubt evenly among the subclaims whose coins are not yet tossed. The
/// estimator takes this round's earlier coins into account, so its estimates are consistent
/// ([`EstimateConsistency::estimate_sharing_doubt_evenly`](crate::gate::EstimateConsistency::estimate_sharing_doubt_evenly)).
/// Estimates of a claim alone ignore the coins. The root's estimate is 0 or 1 if a cheap test decides the root, else ½.
#[derive(Clone, Debug)]
pub struct EvenDoubtSplitEstimator<'a>(pub BlindReader<'a>);

impl EvenDoubtSplitEstimator<'_> {
    pub(super) fn even<N: Number>(&self, view: PeView<'_, '_, N>, asked: EstimateQuery) -> N {
        if asked.place.is_none() || asked.alone {
            return CoinIgnoringEvenEstimator(self.0.clone()).hedge(view, asked);
        }
        view.consistency().estimate_sharing_doubt_evenly()
    }
}

impl<N: Number> Estimator<N> for EvenDoubtSplitEstimator<'_> {
    fn estimate(&self, view: PeView<'_, '_, N>, asked: EstimateQuery) -> ReplyDistribution<N> {
        certain_estimate(self.even(view, asked))
    }

    fn doubt(&self, warrant: ClaimId) -> Option<N> {
        doubt_from_prior(&self.0, warrant)
    }
}

/// An estimator that is wrong at the root, and 1/d closer to the truth in each of the d rounds. No single step is
/// large. Stability of the argument prevents this attack.
#[derive(Clone, Copy, Debug)]
pub struct EstimatorConvergingToTruth<'a>(pub InformedReader<'a>);

impl<N: Number> Estimator<N> for EstimatorConvergingToTruth<'_> {
    const IGNORES_ROUND_COINS: bool = true;

    fn estimate(&self, view: PeView<'_, '_, N>, asked: EstimateQuery) -> ReplyDistribution<N> {
        let depth = view.first_round_number();
        let wrong = match asked.place {
            None => N::one(),
            Some(_) => N::ratio(i64::from(view.round()) - 1, i64::from(depth.max(1))),
        };
        certain_estimate(off(self.0, asked.claim, wrong))
    }

    fn doubt(&self, warrant: ClaimId) -> Option<N> {
        (self.0.truth(warrant) == Some(false)).then(N::zero)
    }
}

/// An estimator that states a random multiple of 0.1 from 0 to 1, each equally likely.
#[derive(Clone, Copy, Debug)]
pub struct RandomEstimator;

impl<N: Number> Estimator<N> for RandomEstimator {
    fn as_constant(&self) -> Option<ReplyDistribution<N>> {
        Some(ReplyDistribution::uniform_over_tenths())
    }

    fn estimate(&self, _view: PeView<'_, '_, N>, _asked: EstimateQuery) -> ReplyDistribution<N> {
        ReplyDistribution::uniform_over_tenths()
    }
}

/// Maximum number of claims of an argument through which estimates are propagated.
pub(super) const MAX_CLAIMS: usize = 1 << 18;

/// One probability per claim.
#[derive(Clone, Debug, Default)]
pub(super) struct ProbabilityByClaim(HashMap<ClaimId, ExactWithFloat>);

impl ProbabilityByClaim {
    pub(super) fn problem_or_propagated_estimate(&self, claim: ClaimId) -> Option<&ExactWithFloat> {
        self.0.get(&claim)
    }

    /// Returns the estimate of each claim: the one that the problem states, or else the one that the subclaims'
    /// estimates imply. Empty if the problem uses posteriors as estimates, or has more than [`MAX_CLAIMS`] claims.
    pub(super) fn problem_or_propagated_estimates(blind: &BlindReader<'_>) -> Self {
        if blind.estimate(blind.root()) == CarefulReaderEstimate::Posterior {
            return Self::default();
        }
        Self::visit(blind, true).unwrap_or_default()
    }

    /// Returns the estimates of all claims that follow from the leaves' estimates. `None` if there are too many claims.
    pub(super) fn estimates_propagated_from_leaves(blind: &BlindReader<'_>) -> Option<Self> {
        Self::visit(blind, false)
    }

    /// Estimates all claims, each after its subclaims. The estimate of a claim with several supports follows from the
    /// first support, because a blind reader cannot tell which support is sound.
    fn visit(blind: &BlindReader<'_>, keep_stated: bool) -> Option<Self> {
        let mut known: HashMap<ClaimId, ExactWithFloat> = HashMap::new();
        let mut open = vec![(blind.root(), false)];
        while let Some((claim, ready)) = open.pop() {
            if known.contains_key(&claim) {
                continue;
            }
            let supports = blind.supports(claim);
            if !ready && !supports.is_empty() {
                open.push((claim, true));
                let below = supports.iter().flat_map(|support| support.on.iter());
                open.extend(below.map(|child| (*child, false)));
                continue;
            }
            if known.len() >= MAX_CLAIMS {
                return None;
            }
            let estimate = match (blind.estimate(claim), supports.first()) {
                (CarefulReaderEstimate::Stated(p), None) => p,
                (CarefulReaderEstimate::Stated(p), Some(_)) if keep_stated => p,
                (CarefulReaderEstimate::Posterior, None) => blind.marginal(claim),
                (CarefulReaderEstimate::Unstated, None) => Exact::ratio(1, 2),
                (_, Some(support)) => {
                    let below = support.on.iter().map(|y| known[y].exact().clone());
                    support
                        .gate
                        .truth_probability_if_independent(&below.collect::<Vec<_>>())
                }
            };
            known.insert(claim, estimate.into());
        }
        Some(Self(known))
    }
}

/// The time per reply above which `check` warns about an estimator.
const MAX_COST: Duration = Duration::from_millis(50);

/// Approximate cost of visiting one claim on a current machine, in nanoseconds. `COUNT` is that of updating a count of
/// true subclaims, and the constant after it that of evaluating a claim in one instance.
const CLAIM: u64 = 4000;
/// See [`CLAIM`].
const COUNT: u64 = 40;
/// See [`CLAIM`].
const WORLD: u64 = 500;

/// Returns the built-in estimators that need more than `MAX_COST` per reply about this instance, each with its
/// approximate time per reply.
pub fn slow_estimators(blind: &BlindReader<'_>) -> Vec<(&'static str, Duration)> {
    let propagated = Duration::from_nanos(propagated(blind));
    let worlds = WORLD.saturating_mul(blind.instance_count_in_posterior_sum() as u64);
    let posterior =
        Duration::from_nanos(worlds.saturating_mul(blind.max_subclaims_per_support().into()));
    let by_posterior = blind.estimate(blind.root()) == CarefulReaderEstimate::Posterior;
    let calibrated = if by_posterior { posterior } else { propagated };
    let reference = if blind.has_belief_over_instances_or_flaw_places() {
        posterior
    } else {
        propagated
    };
    let each = [
        ("calibrated", calibrated),
        ("coherent", propagated),
        ("bayes", posterior),
        ("marginal", posterior),
        ("reference", reference),
    ];
    let slow = each.into_iter().filter(|(_, takes)| *takes > MAX_COST);
    slow.collect()
}

/// Predicts the time to propagate estimates from the leaves to all claims, in nanoseconds.
fn propagated(blind: &BlindReader<'_>) -> u64 {
    let mut takes = 0_u64;
    for (number, claim) in blind.claims().enumerate() {
        if number >= MAX_CLAIMS {
            return CLAIM * MAX_CLAIMS as u64;
        }
        takes += CLAIM;
        let first = blind.supports(claim).first();
        if let Some(support) = first.filter(|support| support.gate.needs_several_memory_bits()) {
            let width = support.on.len() as u64;
            takes += COUNT * width * width / 4;
        }
    }
    takes
}
