//! Policies: a strategy as a function of what its seat may see.

use std::marker::PhantomData;

use super::Choice;
use crate::number::Number;
use crate::protocol::{Request, Rules, Seat, Spent, State, View};

/// What a strategy may remember from one request to the next: small, and comparable, so that
/// analysis can tell when two histories are the same to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Memory(pub [u64; 2]);

/// A strategy's memory, and what it has spent on its replies so far beyond what the rules see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mind {
    /// What it remembers.
    pub memory: Memory,
    /// What it has spent.
    pub spent: Spent,
}

/// A built-in strategy for one protocol: (view, request, memory) to finitely many weighted
/// replies. It may be asked the same thing twice: all that changes is in `mind`.
pub trait Policy<N: Number, R: Rules<N>>: Send + Sync {
    /// Whether it says the same whichever way the coins of the round under way fell, and for sure:
    /// analysis then counts coins instead of walking them.
    fn is_steady(&self) -> bool {
        false
    }

    /// What it would reply. `None` where it has no reply to such a request.
    fn choose(&self, view: View<'_, R>, request: &Request<N>, mind: &mut Mind)
    -> Option<Choice<N>>;
}

/// A built-in strategy whatever the protocol: what the screen and the command line hold.
pub trait Strategy<'a, N: Number>: Send + Sync {
    /// Whether the coins of the round under way make no difference to it ([`Policy::is_steady`]).
    fn is_steady(&self) -> bool {
        false
    }

    /// What it would reply in a seat. `None` where it has no reply to such a request.
    fn choose(
        &self,
        state: &State<'a, N>,
        seat: Seat,
        request: &Request<N>,
        mind: &mut Mind,
    ) -> Option<Choice<N>>;
}

/// A policy for the protocol with rules `R`, as a strategy.
pub struct Only<P, R>(P, PhantomData<fn() -> R>);

impl<P, R> Only<P, R> {
    /// Wraps a policy.
    pub fn new(policy: P) -> Self {
        Self(policy, PhantomData)
    }
}

impl<'a, N, P, R> Strategy<'a, N> for Only<P, R>
where
    N: Number,
    R: Rules<N> + 'a,
    P: Policy<N, R>,
    for<'s> &'s R: TryFrom<&'s State<'a, N>>,
{
    fn is_steady(&self) -> bool {
        self.0.is_steady()
    }

    fn choose(
        &self,
        state: &State<'a, N>,
        seat: Seat,
        request: &Request<N>,
        mind: &mut Mind,
    ) -> Option<Choice<N>> {
        let rules = <&R>::try_from(state).ok()?;
        self.0.choose(View::new(rules, seat), request, mind)
    }
}
