//! Policies: a strategy as a function of what its seat may see.

use std::marker::PhantomData;

use super::Choice;
use crate::number::Number;
use crate::protocol::{Bet, Request, Rules, Spent, State, View};
use crate::scenario::{BitId, ClaimId, Support};

/// The memory of a strategy from one request to the next: small, and comparable, so that analysis
/// can tell when two histories are the same to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PolicyMemory(pub [u64; 2]);

/// A strategy's memory, and what it has spent on its replies so far beyond what the rules see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PolicyState {
    pub memory: PolicyMemory,
    pub spent: Spent,
}

/// With which subclaim a prover goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// The first whose [score](MarkovProver::score) is the greatest.
    Greatest,
    /// Any, each as likely.
    Uniform,
    /// The first.
    First,
}

/// A prover whose replies hang on the round's claim and what was said of it and of its subclaims,
/// not on the coins. It plays as a
/// [`Markovian`](super::prover_estimator::Markovian).
pub trait MarkovProver<N: Number>: Send + Sync {
    /// Its answer to the root claim.
    fn claims(&self, root: ClaimId) -> bool;
    /// True if it bets nothing in any round, having answered so and this being said of the root.
    fn abstains(&self, _answer: bool, _root_p: &N, _epsilon: &N) -> bool {
        false
    }
    /// Its bet on a claim with these supports, `answer` being its own to the root.
    fn bet_on(&self, answer: bool, claim: ClaimId, offered: &[Support], p: &N, epsilon: &N) -> Bet;
    /// The place of the support that it takes.
    fn support_place(&self, offered: &[Support]) -> usize;
    /// The rule by which it chooses where to go on.
    #[inline]
    fn selection(&self) -> Selection {
        Selection::Greatest
    }
    /// The preference for going on with a subclaim of which `p` was said, under
    /// [`Selection::Greatest`].
    fn score(&self, _claim: ClaimId, _p: &N) -> N {
        N::zero()
    }
    /// A bit of its proof.
    fn bit(&self, bit: BitId) -> bool;
}

/// A strategy whose replies are functions of the state of the round alone, for closed forms.
pub enum Markov<'s, N: Number> {
    /// A prover of prover-estimator debate.
    Prover(&'s dyn MarkovProver<N>),
    /// A prover of stochastic debate: what it says is a function of the bits so far alone.
    BitsSoFar,
    /// A challenger of stochastic debate.
    Challenger(Objection<N>),
}

/// When a challenger objects to what is said of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Objection<N> {
    /// Where the mean of as many samples as the rules' terms ask for, which it pays for, is too far
    /// from what is said.
    Tested,
    /// With this probability, whatever is said.
    Chance(N),
    /// Where what is said is less than the verifier's limit away from the truth.
    NearTruth,
}

/// A built-in strategy for one protocol: (view, request, memory) to finitely many weighted
/// replies. It may be asked the same thing twice: all that changes is in `mind`.
///
/// The properties that a strategy states of itself (`ignores_round_coins`, `as_…`) license faster ways to the same
/// values. All of it is false or `None` unless the strategy says otherwise; what it says must hold
/// in every debate, or exact values come out wrong.
pub trait Policy<N: Number, R: Rules<N>>: Send + Sync {
    /// True if its replies do not depend on the coins of the round under way: analysis then counts
    /// these coins instead of walking through their outcomes.
    fn ignores_round_coins(&self) -> bool {
        false
    }

    /// Its replies as functions of the state of the round alone, where they are.
    fn as_markov(&self) -> Option<Markov<'_, N>> {
        None
    }

    /// Its reply to such a request, where that is always the same whatever has happened.
    fn as_constant(&self, _request: &Request<N>) -> Option<Choice<N>> {
        None
    }

    /// The probability with which a judge who answers from the oracle flips the answer; `None` of
    /// other players.
    fn as_oracle(&self) -> Option<N> {
        None
    }

    /// Its weighted replies. `None` where it has no reply to such a request.
    fn choose(
        &self,
        view: View<'_, R>,
        request: &Request<N>,
        mind: &mut PolicyState,
    ) -> Option<Choice<N>>;
}

/// A built-in strategy whatever the protocol: a policy over the state of any debate. It is what the
/// screen and the command line hold.
pub trait Strategy<'a, N: Number>: Policy<N, State<'a, N>> {}

impl<'a, N: Number, P: Policy<N, State<'a, N>>> Strategy<'a, N> for P {}

/// A policy for the protocol with rules `R`, as a strategy.
pub struct PolicyStrategy<P, R>(P, PhantomData<fn() -> R>);

impl<P, R> PolicyStrategy<P, R> {
    /// Wraps a policy.
    pub fn new(policy: P) -> Self {
        Self(policy, PhantomData)
    }
}

impl<'a, N, P, R> Policy<N, State<'a, N>> for PolicyStrategy<P, R>
where
    N: Number,
    R: Rules<N> + 'a,
    P: Policy<N, R>,
    for<'s> &'s R: TryFrom<&'s State<'a, N>>,
{
    fn ignores_round_coins(&self) -> bool {
        self.0.ignores_round_coins()
    }

    fn as_markov(&self) -> Option<Markov<'_, N>> {
        self.0.as_markov()
    }

    fn as_constant(&self, request: &Request<N>) -> Option<Choice<N>> {
        self.0.as_constant(request)
    }

    fn as_oracle(&self) -> Option<N> {
        self.0.as_oracle()
    }

    fn choose(
        &self,
        view: View<'_, State<'a, N>>,
        request: &Request<N>,
        mind: &mut PolicyState,
    ) -> Option<Choice<N>> {
        self.0.choose(view.under()?, request, mind)
    }
}
