//! Built-in players of prover-estimator debate. The list of all these players is at the end of the module.
//!
//! [`provers`] decide an answer, bets, supports and subclaims; [`estimators`] give probabilities.

pub mod estimators;
pub mod provers;
mod reference;

use super::registry::{
    PlayableStrategy, StrategyBuildError, StrategyBuildInputs, StrategyEntry, StrategyParameter,
    boxed_strategy,
};
use super::spec::ERRS;
use super::{ClosedFormStrategy, Policy, ReplyDistribution, StrategyMemoryAndCosts};
use crate::number::{Number, to_u32_saturating};
pub use crate::player::policy::{MarkovProver, SubclaimSelectionRule};
use crate::protocol::{
    Bet, BitsMeaning, ProtocolKind, ProverEstimatorDebate, Reply, Request, Seat, View,
};
use crate::scenario::ClaimId;
pub use estimators::slow_estimators;
use estimators::{
    BayesEstimator, CoinIgnoringEvenEstimator, ConstantEstimator, DistanceFromTruthEstimator,
    EstimatorAskingProverCopies, EstimatorConvergingToTruth, EvenDoubtSplitEstimator,
    LeafPropagatingEstimator, MarginalEstimator, ProblemEstimatesEstimator,
};
use provers::{
    BetBySideOfHalfProver, CarriedConditionalsExploitingProver, InformedProver,
    InformedProverBehaviour,
};
pub use reference::{ReferenceEstimate, ReferenceEstimateBasis, ReferenceEstimator};

/// A view of prover-estimator debate.
pub type PeView<'v, 'a, N> = View<'v, ProverEstimatorDebate<'a, N>>;

/// The question to an estimator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EstimateQuery {
    /// The claim.
    pub claim: ClaimId,
    /// The index of the claim among its sibling subclaims; `None` for the root.
    pub place: Option<u32>,
    /// True if the estimator must estimate the claim alone, ignoring the coins of this round.
    pub alone: bool,
}

impl EstimateQuery {
    /// Returns the question to the estimator that a request contains; `None` if the request is not for a probability.
    pub fn of<N>(request: &Request<N>) -> Option<Self> {
        match *request {
            Request::Probability {
                claim,
                place,
                alone,
            } => Some(Self {
                claim,
                place,
                alone,
            }),
            _ => None,
        }
    }
}

/// An estimator's strategy: on each request it gives the probability of one claim.
pub trait Estimator<N: Number>: Send + Sync {
    /// As [`Policy::ignores_round_coins`].
    const IGNORES_ROUND_COINS: bool = false;
    /// As [`Policy::uses_earlier_coins`].
    fn uses_earlier_coins(&self) -> bool {
        false
    }
    /// As [`Policy::knowledge_key`].
    fn knowledge_key(&self) -> Option<Vec<u64>> {
        None
    }
    /// Returns the estimator's probability of a claim; a distribution, because the estimator may choose at random.
    fn estimate(&self, view: PeView<'_, '_, N>, asked: EstimateQuery) -> ReplyDistribution<N>;
    /// Returns the estimator's probability, at most ½, that a claim follows from its subclaims, if the estimator
    /// disputes that step. `None` to accept the step, which is the default.
    fn doubt(&self, _warrant: ClaimId) -> Option<N> {
        None
    }
    /// Returns the distribution of the estimator's estimates, if it is the same for every claim.
    fn as_constant(&self) -> Option<ReplyDistribution<N>> {
        None
    }
}

/// An [`Estimator`] as a policy.
#[derive(Clone, Copy, Debug)]
pub struct EstimatorPolicy<E>(pub E);

impl<'a, N: Number, E: Estimator<N>> Policy<N, ProverEstimatorDebate<'a, N>>
    for EstimatorPolicy<E>
{
    fn ignores_round_coins(&self) -> bool {
        E::IGNORES_ROUND_COINS
    }

    fn uses_earlier_coins(&self) -> bool {
        self.0.uses_earlier_coins()
    }

    fn knowledge_key(&self) -> Option<Vec<u64>> {
        self.0.knowledge_key()
    }

    fn as_constant(&self, request: &Request<N>) -> Option<ReplyDistribution<N>> {
        EstimateQuery::of(request).and_then(|_| self.0.as_constant())
    }

    #[inline]
    fn choose(
        &self,
        view: PeView<'_, 'a, N>,
        request: &Request<N>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        if let Request::Challenge { claim, .. } = *request {
            let step = self.0.doubt(claim).map(|_| 0);
            return Some(ReplyDistribution::Certain(Reply::Challenge(step)));
        }
        let asked = EstimateQuery::of(request)?;
        if view.is_opponent_disputing_support() {
            let doubt = self.0.doubt(asked.claim).unwrap_or_else(N::zero);
            return Some(ReplyDistribution::Certain(Reply::Probability(doubt)));
        }
        Some(self.0.estimate(view, asked))
    }
}

/// The policy of a [`MarkovProver`], a prover whose replies do not depend on the coins.
#[derive(Clone, Copy, Debug)]
pub struct CoinIgnoringProverPolicy<P>(pub P);

impl<P> CoinIgnoringProverPolicy<P> {
    #[inline]
    fn bet<N: Number>(&self, view: PeView<'_, '_, N>) -> Bet
    where
        P: MarkovProver<N>,
    {
        let answer = view.visible_root_answer().unwrap_or(false);
        let epsilon = view.epsilon();
        // If the root's estimate is close enough, the prover bets in no round; a disputed step gets a separate bet.
        let bets_nothing = self
            .0
            .bets_nothing(answer, view.root_claim_estimate(), epsilon);
        if bets_nothing && !view.is_warrant_of_disputed_step() {
            Bet::AboutRight
        } else {
            self.0.bet_on(
                answer,
                view.claim_under_discussion(),
                view.claim_probability(),
                epsilon,
            )
        }
    }
}

impl<'a, N: Number, P: MarkovProver<N>> Policy<N, ProverEstimatorDebate<'a, N>>
    for CoinIgnoringProverPolicy<P>
{
    fn ignores_round_coins(&self) -> bool {
        true
    }

    fn as_closed_form(&self) -> Option<ClosedFormStrategy<'_, N>> {
        Some(ClosedFormStrategy::Prover(&self.0))
    }

    #[inline]
    fn choose(
        &self,
        view: PeView<'_, 'a, N>,
        request: &Request<N>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        Some(ReplyDistribution::Certain(match request {
            Request::Answer { .. } => Reply::Answer(self.0.claims(view.claim_under_discussion())),
            Request::Direction { .. } => Reply::Direction(self.bet(view)),
            Request::Support { .. } => Reply::Support(to_u32_saturating(
                self.0.support_index(view.available_supports()),
            )),
            Request::Select { .. } => Reply::Select(to_u32_saturating(match self.0.selection() {
                SubclaimSelectionRule::Uniform => return Some(uniform_subclaim(view)),
                SubclaimSelectionRule::First => 0,
                SubclaimSelectionRule::Greatest => {
                    let words = view
                        .last_chosen_support_or_empty()
                        .on
                        .iter()
                        .zip(view.next_round_estimate_per_subclaim());
                    first_greatest(words.map(|(claim, p)| self.0.score(*claim, p)))
                }
            })),
            Request::Bits {
                ask: BitsMeaning::Proof(bit),
                ..
            } => return Some(ReplyDistribution::certain_one_bit_reply(self.0.bit(*bit))),
            _ => return None,
        }))
    }
}

/// Returns the choice of any subclaim, each equally likely.
pub(super) fn uniform_subclaim<N: Number>(view: PeView<'_, '_, N>) -> ReplyDistribution<N> {
    ReplyDistribution::uniform_over_numbered_replies(
        view.last_chosen_support_or_empty().on.len(),
        Reply::Select,
    )
}

/// Returns the index of the greatest score, the first of several equal ones; 0 if there are no scores.
#[inline]
fn first_greatest<N: Number>(scores: impl Iterator<Item = N>) -> usize {
    let mut best: Option<(usize, N)> = None;
    for (place, score) in scores.enumerate() {
        let greater = |(_, greatest): &(usize, N)| score.exceeds(greatest);
        if best.as_ref().is_none_or(greater) {
            best = Some((place, score));
        }
    }
    best.map_or(0, |(place, _)| place)
}

fn informed<'a, N: Number>(
    order: &StrategyBuildInputs<'a, '_>,
    manner: InformedProverBehaviour,
) -> Result<PlayableStrategy<'a, N>, StrategyBuildError> {
    boxed_strategy(CoinIgnoringProverPolicy(InformedProver::of(order, manner)?))
}

fn estimator<'a, N: Number>(
    estimator: impl Estimator<N> + 'a,
) -> Result<PlayableStrategy<'a, N>, StrategyBuildError> {
    boxed_strategy(EstimatorPolicy(estimator))
}

/// Builds the estimator that queries copies of Alice. Returns an error if it would query none or too many.
fn prover_querying_estimator<'a, N: Number>(
    order: &StrategyBuildInputs<'a, '_>,
) -> Result<PlayableStrategy<'a, N>, StrategyBuildError> {
    let truths = order.reader_of_all_truths()?;
    let (error, copies) = (
        order.first_argument_as_number(),
        order.second_argument_as_count(),
    );
    match EstimatorAskingProverCopies::new(truths, error.exact(), copies) {
        Some(asking) => estimator(asking),
        None => Err(StrategyBuildError::Refused {
            name: order.name,
            reason: format!(
                "the number of copies of Alice that Bob queries must be from 1 to {most}",
                most = EstimatorAskingProverCopies::MAX_COPIES
            ),
        }),
    }
}

/// Returns the built-in players of prover-estimator debate by name.
pub(super) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let prover = StrategyEntry::entry_builder(ProtocolKind::ProverEstimator, Seat::Prover);
    let opponent = StrategyEntry::entry_builder(ProtocolKind::ProverEstimator, Seat::Opponent);
    vec![
        prover("honest", |order| {
            let markov = order.option;
            informed(
                order,
                if markov {
                    InformedProverBehaviour::HonestMarkov
                } else {
                    InformedProverBehaviour::Honest
                },
            )
        })
        .with_parameters(&[StrategyParameter::Option("markov")]),
        prover("contrarian", |order| {
            informed(order, InformedProverBehaviour::Contrarian)
        }),
        prover("liar", |order| {
            informed(order, InformedProverBehaviour::Liar)
        }),
        prover("obfuscator", |order| {
            informed(order, InformedProverBehaviour::Obfuscator)
        }),
        prover(ERRS, |order| {
            boxed_strategy(CoinIgnoringProverPolicy(BetBySideOfHalfProver::of(order)?))
        })
        .with_parameters(&[
            StrategyParameter::Sign("first"),
            StrategyParameter::Sign("second"),
        ]),
        prover("exploiter", |order| {
            boxed_strategy(CoinIgnoringProverPolicy(
                CarriedConditionalsExploitingProver(order.blind_reader()),
            ))
        }),
        prover("lazy", |order| {
            informed(order, InformedProverBehaviour::Lazy)
        }),
        prover("random", |_| boxed_strategy(provers::RandomProver)),
        opponent("calibrated", |order| {
            estimator(ProblemEstimatesEstimator::new(order.blind_reader()))
        }),
        opponent("bayes", |order| {
            estimator(BayesEstimator(order.blind_reader()))
        }),
        opponent("reference", |order| {
            estimator(ReferenceEstimator::new(order.blind_reader()))
        }),
        opponent("marginal", |order| {
            estimator(MarginalEstimator(order.blind_reader()))
        }),
        opponent("coherent", |order| {
            match LeafPropagatingEstimator::new(&order.blind_reader()) {
                Some(coherent) => estimator(coherent),
                None => Err(StrategyBuildError::TooMany(order.name)),
            }
        }),
        opponent("hedged", |order| {
            estimator(CoinIgnoringEvenEstimator(order.blind_reader()))
        })
        .mark_as_using_no_claim_knowledge(),
        opponent("even", |order| {
            estimator(EvenDoubtSplitEstimator(order.blind_reader()))
        })
        .mark_as_using_no_claim_knowledge(),
        opponent("truthful", |order| {
            estimator(DistanceFromTruthEstimator::truthful_estimator(
                order.reader_of_all_truths()?,
            ))
        }),
        opponent("shifted", |order| {
            estimator(DistanceFromTruthEstimator::new(
                order.reader_of_all_truths()?,
                order.first_argument_as_number(),
            ))
        })
        .with_parameters(&[StrategyParameter::Probability("delta")]),
        opponent("drifting", |order| {
            estimator(EstimatorConvergingToTruth(order.reader_of_all_truths()?))
        }),
        opponent("stubborn", |order| {
            estimator(ConstantEstimator(order.first_argument_as_number()))
        })
        .with_parameters(&[StrategyParameter::Probability("p")])
        .mark_as_using_no_claim_knowledge(),
        opponent("random", |_| estimator(estimators::RandomEstimator))
            .mark_as_using_no_claim_knowledge(),
        opponent("asks", prover_querying_estimator).with_parameters(&[
            StrategyParameter::Probability("error"),
            StrategyParameter::Count("copies"),
        ]),
    ]
}
