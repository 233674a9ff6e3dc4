//! Built-in players of prover-estimator debate; the list of all is at the end.
//!
//! [`provers`] decide an answer, bets, supports and subclaims; [`estimators`] give probabilities.

pub mod estimators;
pub mod provers;

use super::registry::{BuildError, Order, Parameter, PlayableStrategy, StrategyEntry, built};
use super::{Choice, Markov, Policy, PolicyState};
use crate::number::{Number, small};
pub use crate::player::policy::{MarkovProver, Selection};
use crate::protocol::{Ask, Bet, Kind, ProverEstimator, Reply, Request, Seat, View};
use crate::scenario::ClaimId;
pub use estimators::slow;
use estimators::{
    Bayes, Calibrated, Coherent, Drifting, Even, Hedged, Marginal, Shifted, Stubborn,
};
use provers::{Exploiter, InformedProver, Manner};

/// A view of prover-estimator debate.
pub type PeView<'v, 'a, N> = View<'v, ProverEstimator<'a, N>>;

/// The question to an estimator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EstimateQuery {
    /// The claim.
    pub claim: ClaimId,
    /// Its index among its siblings; `None` for the root.
    pub place: Option<u32>,
    /// True if it is to be judged on its own, the coins of this round left aside.
    pub alone: bool,
}

impl EstimateQuery {
    /// Returns the estimator's question in a request, if the request is for a probability.
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

/// An estimator: one probability at a time.
pub trait Estimator<N: Number>: Send + Sync {
    /// As [`Policy::ignores_round_coins`].
    const IGNORES_ROUND_COINS: bool = false;

    /// Its probability of a claim.
    fn estimate(&self, view: PeView<'_, '_, N>, asked: EstimateQuery) -> Choice<N>;
    /// Returns its probability that a step follows, at most ½, if it disputes the step. `None` to accept the step,
    /// which is the default.
    fn doubt(&self, _warrant: ClaimId) -> Option<N> {
        None
    }
    /// Returns its estimate of every claim, if that estimate never changes.
    fn as_constant(&self) -> Option<Choice<N>> {
        None
    }
}

/// An [`Estimator`] as a policy.
#[derive(Clone, Copy, Debug)]
pub struct EstimatorSeat<E>(pub E);

impl<'a, N: Number, E: Estimator<N>> Policy<N, ProverEstimator<'a, N>> for EstimatorSeat<E> {
    fn ignores_round_coins(&self) -> bool {
        E::IGNORES_ROUND_COINS
    }

    fn as_constant(&self, request: &Request<N>) -> Option<Choice<N>> {
        EstimateQuery::of(request).and_then(|_| self.0.as_constant())
    }

    #[inline]
    fn choose(
        &self,
        view: PeView<'_, 'a, N>,
        request: &Request<N>,
        _policy_state: &mut PolicyState,
    ) -> Option<Choice<N>> {
        if let Request::Challenge { claim, .. } = *request {
            let step = self.0.doubt(claim).map(|_| 0);
            return Some(Choice::Certain(Reply::Challenge(step)));
        }
        let asked = EstimateQuery::of(request)?;
        if view.doubts() {
            let doubt = self.0.doubt(asked.claim).unwrap_or_else(N::zero);
            return Some(Choice::Certain(Reply::Probability(doubt)));
        }
        Some(self.0.estimate(view, asked))
    }
}

/// A [`MarkovProver`] as a policy.
#[derive(Clone, Copy, Debug)]
pub struct Markovian<P>(pub P);

impl<P> Markovian<P> {
    #[inline]
    fn bet<N: Number>(&self, view: PeView<'_, '_, N>) -> Bet
    where
        P: MarkovProver<N>,
    {
        let answer = view.answer().unwrap_or(false);
        let epsilon = view.epsilon();
        // At the root a sufficiently close estimate needs no bet; a disputed step gets a separate bet.
        let abstains = self.0.abstains(answer, view.root_p(), epsilon);
        if abstains && !view.is_disputed() {
            Bet::AboutRight
        } else {
            self.0.bet_on(answer, view.claim(), view.p(), epsilon)
        }
    }
}

impl<'a, N: Number, P: MarkovProver<N>> Policy<N, ProverEstimator<'a, N>> for Markovian<P> {
    fn ignores_round_coins(&self) -> bool {
        true
    }

    fn as_markov(&self) -> Option<Markov<'_, N>> {
        Some(Markov::Prover(&self.0))
    }

    #[inline]
    fn choose(
        &self,
        view: PeView<'_, 'a, N>,
        request: &Request<N>,
        _policy_state: &mut PolicyState,
    ) -> Option<Choice<N>> {
        Some(Choice::Certain(match request {
            Request::Answer { .. } => Reply::Answer(self.0.claims(view.claim())),
            Request::Direction { .. } => Reply::Direction(self.bet(view)),
            Request::Support { .. } => Reply::Support(small(self.0.support_place(view.offered()))),
            Request::Select { .. } => Reply::Select(small(match self.0.selection() {
                Selection::Uniform => return Some(any_subclaim(view)),
                Selection::First => 0,
                Selection::Greatest => {
                    let words = view.support().on.iter().zip(view.carried());
                    first_greatest(words.map(|(claim, p)| self.0.score(*claim, p)))
                }
            })),
            Request::Bits {
                ask: Ask::Proof(bit),
                ..
            } => return Some(Choice::bit(self.0.bit(*bit))),
            _ => return None,
        }))
    }
}

/// Returns any of the subclaims, each equally likely.
pub(super) fn any_subclaim<N: Number>(view: PeView<'_, '_, N>) -> Choice<N> {
    Choice::even(view.support().on.len(), Reply::Select)
}

/// Returns the first index with the greatest score.
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
    order: &Order<'a, '_>,
    manner: Manner,
) -> Result<PlayableStrategy<'a, N>, BuildError> {
    built(Markovian(InformedProver::of(order, manner)?))
}

fn estimator<'a, N: Number>(
    estimator: impl Estimator<N> + 'a,
) -> Result<PlayableStrategy<'a, N>, BuildError> {
    built(EstimatorSeat(estimator))
}

/// Returns the built-in players of prover-estimator debate by name.
pub(super) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let prover = StrategyEntry::maker(Kind::ProverEstimator, Seat::Prover);
    let opponent = StrategyEntry::maker(Kind::ProverEstimator, Seat::Opponent);
    vec![
        prover("honest", |order| {
            let markov = order.option;
            informed(
                order,
                if markov {
                    Manner::HonestMarkov
                } else {
                    Manner::Honest
                },
            )
        })
        .taking(&[Parameter::Option("markov")]),
        prover("contrarian", |order| informed(order, Manner::Contrarian)),
        prover("liar", |order| informed(order, Manner::Liar)),
        prover("obfuscator", |order| informed(order, Manner::Obfuscator)),
        prover("exploiter", |order| {
            built(Markovian(Exploiter(order.blind())))
        }),
        prover("lazy", |order| informed(order, Manner::Lazy)),
        prover("random", |_| built(provers::Random)),
        opponent("calibrated", |order| {
            estimator(Calibrated::new(order.blind()))
        }),
        opponent("bayes", |order| estimator(Bayes(order.blind()))),
        opponent("marginal", |order| estimator(Marginal(order.blind()))),
        opponent("coherent", |order| match Coherent::new(&order.blind()) {
            Some(coherent) => estimator(coherent),
            None => Err(BuildError::TooMany(order.name)),
        }),
        opponent("hedged", |order| estimator(Hedged(order.blind()))).asking_nothing(),
        opponent("even", |order| estimator(Even(order.blind()))).asking_nothing(),
        opponent("truthful", |order| {
            estimator(Shifted::truthful(order.omniscient()?))
        }),
        opponent("shifted", |order| {
            estimator(Shifted::new(order.omniscient()?, order.number()))
        })
        .taking(&[Parameter::Probability("delta")]),
        opponent("drifting", |order| estimator(Drifting(order.omniscient()?))),
        opponent("stubborn", |order| estimator(Stubborn(order.number())))
            .taking(&[Parameter::Probability("p")])
            .asking_nothing(),
        opponent("random", |_| estimator(estimators::Random)).asking_nothing(),
    ]
}
