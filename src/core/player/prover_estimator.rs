//! Built-in players of prover-estimator debate; the list of all is in `builtin`.
//!
//! [`provers`] decide an answer, bets, supports and subclaims; [`estimators`] give probabilities.

mod builtin;
mod cost;
mod estimates;
pub mod estimators;
mod markov;
pub mod provers;

pub(super) use builtin::entries;
pub use cost::slow;
pub use markov::{MarkovProver, Markovian, Selection};

use super::{Choice, Markov, Policy, PolicyState};
use crate::number::Number;
use crate::protocol::{Ask, ProverEstimator, Reply, Request, View};
use crate::scenario::{BitId, ClaimId};

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
        let asked = matches!(request, Request::Probability { .. });
        asked.then(|| self.0.as_constant())?
    }

    #[inline]
    fn choose(
        &self,
        view: PeView<'_, 'a, N>,
        request: &Request<N>,
        _mind: &mut PolicyState,
    ) -> Option<Choice<N>> {
        let (claim, place, alone) = match *request {
            Request::Challenge { claim, .. } => {
                let step = self.0.doubt(claim).map(|_| 0);
                return Some(Choice::Sure(Reply::Challenge(step)));
            }
            Request::Probability {
                claim,
                place,
                alone,
            } => (claim, place, alone),
            _ => return None,
        };
        if view.doubts() {
            let doubt = self.0.doubt(claim).unwrap_or_else(N::zero);
            return Some(Choice::Sure(Reply::Probability(doubt)));
        }
        Some(self.0.estimate(
            view,
            EstimateQuery {
                claim,
                place,
                alone,
            },
        ))
    }
}

#[cfg(test)]
mod tests;
