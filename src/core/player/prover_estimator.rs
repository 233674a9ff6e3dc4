//! Built-in players of prover-estimator debate; the list of all is at the end.
//!
//! [`provers`] decide an answer, bets, supports and subclaims; [`estimators`] give probabilities.

pub mod estimators;
pub mod provers;

use super::registry::{BuildError, Built, Parameter, StrategyEntry, built};
use super::{Choice, Markov, Policy, PolicyState};
use crate::number::{Number, small};
pub use crate::player::policy::{MarkovProver, Selection};
use crate::protocol::{Ask, Bet, Kind, ProverEstimator, Reply, Request, Seat, View};
use crate::scenario::{BitId, ClaimId};
pub use estimators::slow;
use estimators::{Bayes, Calibrated, Coherent, Drifting, Hedged, Marginal, Shifted, Stubborn};
use provers::{Contrarian, Exploiter, Honest, Lazy, Liar, Obfuscator};

/// A view of prover-estimator debate.
pub type PeView<'v, 'a, N> = View<'v, ProverEstimator<'a, N>>;

/// A prover, request by request.
pub trait ProverPolicy<N: Number>: Send + Sync {
    /// Its answer to the root claim.
    fn answer(&self, view: PeView<'_, '_, N>) -> Choice<N>;
    /// Its bet on the claim under discussion.
    fn bet(&self, view: PeView<'_, '_, N>) -> Choice<N>;
    /// Its support of the claim under discussion.
    fn support(&self, view: PeView<'_, '_, N>) -> Choice<N>;
    /// The subclaim it goes on with.
    fn select(&self, view: PeView<'_, '_, N>) -> Choice<N>;
    /// A bit of its proof: a function of the instance and the index alone.
    fn proof_bit(&self, bit: BitId) -> Choice<N>;
    /// As [`Policy::ignores_round_coins`].
    fn ignores_round_coins(&self) -> bool {
        false
    }
    /// The same prover as functions of the claim and its probability alone, where it is.
    fn as_markov(&self) -> Option<&dyn MarkovProver<N>> {
        None
    }
    /// As [`Policy::as_constant`].
    fn as_constant(&self, _request: &Request<N>) -> Option<Choice<N>> {
        None
    }
}

/// A [`ProverPolicy`] as a policy.
#[derive(Clone, Copy, Debug)]
pub struct ProverSeat<P>(pub P);

impl<'a, N: Number, P: ProverPolicy<N>> Policy<N, ProverEstimator<'a, N>> for ProverSeat<P> {
    fn ignores_round_coins(&self) -> bool {
        self.0.ignores_round_coins()
    }

    fn as_markov(&self) -> Option<Markov<'_, N>> {
        self.0.as_markov().map(Markov::Prover)
    }

    fn as_constant(&self, request: &Request<N>) -> Option<Choice<N>> {
        self.0.as_constant(request)
    }

    #[inline]
    fn choose(
        &self,
        view: PeView<'_, 'a, N>,
        request: &Request<N>,
        _mind: &mut PolicyState,
    ) -> Option<Choice<N>> {
        Some(match request {
            Request::Answer { .. } => self.0.answer(view),
            Request::Direction { .. } => self.0.bet(view),
            Request::Support { .. } => self.0.support(view),
            Request::Select { .. } => self.0.select(view),
            Request::Bits {
                ask: Ask::Proof(bit),
                ..
            } => self.0.proof_bit(*bit),
            _ => return None,
        })
    }
}

/// The question to an estimator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EstimateQuery {
    /// The claim.
    pub claim: ClaimId,
    /// Its place among its siblings; `None` for the root.
    pub place: Option<u32>,
    /// True if it is to be judged on its own, the coins of this round left aside.
    pub alone: bool,
}

impl EstimateQuery {
    /// The question that a request puts to an estimator, if it asks for a probability.
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
    /// Its probability of a claim.
    fn estimate(&self, view: PeView<'_, '_, N>, asked: EstimateQuery) -> Choice<N>;
    /// Its probability that a step follows, where it doubts it: ½ at the most. `None` where it lets
    /// the step stand, as it does unless it can tell.
    fn doubt(&self, _warrant: ClaimId) -> Option<N> {
        None
    }
    /// As [`Policy::ignores_round_coins`].
    fn ignores_round_coins(&self) -> bool {
        false
    }
    /// Its estimate of every claim, where that is always the same whatever has happened.
    fn as_constant(&self) -> Option<Choice<N>> {
        None
    }
}

/// An [`Estimator`] as a policy.
#[derive(Clone, Copy, Debug)]
pub struct EstimatorSeat<E>(pub E);

impl<'a, N: Number, E: Estimator<N>> Policy<N, ProverEstimator<'a, N>> for EstimatorSeat<E> {
    fn ignores_round_coins(&self) -> bool {
        self.0.ignores_round_coins()
    }

    fn as_constant(&self, request: &Request<N>) -> Option<Choice<N>> {
        EstimateQuery::of(request).and_then(|_| self.0.as_constant())
    }

    #[inline]
    fn choose(
        &self,
        view: PeView<'_, 'a, N>,
        request: &Request<N>,
        _mind: &mut PolicyState,
    ) -> Option<Choice<N>> {
        if let Request::Challenge { claim, .. } = *request {
            let step = self.0.doubt(claim).map(|_| 0);
            return Some(Choice::Sure(Reply::Challenge(step)));
        }
        let asked = EstimateQuery::of(request)?;
        if view.doubts() {
            let doubt = self.0.doubt(asked.claim).unwrap_or_else(N::zero);
            return Some(Choice::Sure(Reply::Probability(doubt)));
        }
        Some(self.0.estimate(view, asked))
    }
}

/// A [`MarkovProver`] as a prover, request by request.
#[derive(Clone, Copy, Debug)]
pub struct Markovian<P>(pub P);

impl<N: Number, P: MarkovProver<N>> ProverPolicy<N> for Markovian<P> {
    #[inline]
    fn answer(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        Choice::Sure(Reply::Answer(self.0.claims(view.claim())))
    }

    #[inline]
    fn bet(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        let answer = view.answer().unwrap_or(false);
        let epsilon = view.epsilon();
        // At the root an estimate near enough needs no bet; a disputed step is bet on by itself.
        let abstains = self.0.abstains(answer, view.root_p(), epsilon);
        let bet = if abstains && !view.is_disputed() {
            Bet::AboutRight
        } else {
            self.0.bet_on(answer, view.claim(), view.p(), epsilon)
        };
        Choice::Sure(Reply::Direction(bet))
    }

    #[inline]
    fn support(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        Choice::Sure(Reply::Support(small(self.0.support_place(view.offered()))))
    }

    #[inline]
    fn select(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        let on = &view.support().on;
        let place = match self.0.selection() {
            Selection::Uniform => return any_subclaim(view),
            Selection::First => 0,
            Selection::Greatest => {
                let words = on.iter().zip(view.carried());
                first_greatest(words.map(|(claim, p)| self.0.score(*claim, p)))
            }
        };
        Choice::Sure(Reply::Select(small(place)))
    }

    fn proof_bit(&self, index: BitId) -> Choice<N> {
        Choice::bit(self.0.bit(index))
    }

    fn ignores_round_coins(&self) -> bool {
        true
    }

    fn as_markov(&self) -> Option<&dyn MarkovProver<N>> {
        Some(&self.0)
    }
}

/// Any of the subclaims, each as likely.
pub(super) fn any_subclaim<N: Number>(view: PeView<'_, '_, N>) -> Choice<N> {
    Choice::even(view.support().on.len(), Reply::Select)
}

/// The first place where `score` is greatest.
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

#[cfg(test)]
mod tests;

fn markovian<'a, N: Number>(prover: impl MarkovProver<N> + 'a) -> Result<Built<'a, N>, BuildError> {
    built(ProverSeat(Markovian(prover)))
}

fn estimator<'a, N: Number>(estimator: impl Estimator<N> + 'a) -> Result<Built<'a, N>, BuildError> {
    built(EstimatorSeat(estimator))
}

/// The built-in players of prover-estimator debate by name.
pub(super) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let prover = StrategyEntry::maker(Kind::ProverEstimator, Seat::Prover);
    let opponent = StrategyEntry::maker(Kind::ProverEstimator, Seat::Opponent);
    vec![
        prover("honest", |order| {
            markovian(Honest::new(order.truths()?, order.option))
        })
        .taking(&[Parameter::Option("markov")]),
        prover("contrarian", |order| markovian(Contrarian(order.truths()?))),
        prover("liar", |order| markovian(Liar(order.truths()?))),
        prover("obfuscator", |order| markovian(Obfuscator(order.truths()?))),
        prover("exploiter", |order| markovian(Exploiter(order.blind()))),
        prover("lazy", |order| markovian(Lazy(order.truths()?))),
        prover("random", |_| built(ProverSeat(provers::Random))),
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
