//! The views of the players.

use super::Stochastic;
use super::constants::Terms;
use crate::number::Number;
use crate::protocol::View;
use crate::scenario::Process;

/// Everybody has access to the computation and its oracle; only halves of coins are sealed, and
/// no view shows them.
impl<'v, N: Number> View<'v, Stochastic<'_, N>> {
    /// The computation.
    pub fn process(&self) -> &'v dyn Process {
        self.rules.process.as_ref()
    }

    /// The numbers of samples and the limits.
    pub fn terms(&self) -> &'v Terms<N> {
        &self.rules.terms
    }

    /// The number of the step under discussion, from 0.
    pub fn place(&self) -> u64 {
        self.rules.place()
    }

    /// The bits before it.
    pub fn history(&self) -> &'v [bool] {
        self.rules.history()
    }

    /// The probability that the step under discussion truly has: whoever uses it knows the oracle
    /// by heart, or draws from it.
    pub fn truth(&self) -> N {
        self.rules.truth()
    }

    /// True if the step under discussion asks the oracle; else it follows from the bits before it.
    pub fn asks(&self) -> bool {
        self.rules.process.is_oracle(self.rules.place())
    }

    /// Its bit, where it stands already: by the paper's rules Bob sees it before he objects.
    pub fn bit(&self) -> Option<bool> {
        let place = usize::try_from(self.rules.place()).ok()?;
        self.rules.bits.get(place).copied()
    }

    /// Alice's probability of the step under discussion.
    pub fn said(&self) -> &'v N {
        &self.rules.said
    }
}
