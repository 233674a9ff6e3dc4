//! What a seat may see of a debate's state.

use super::{Rules, Seat, Sheet};
use crate::number::Number;

/// A debate as one seat sees it. Each protocol says in its own file what its views show; what a
/// view does not show, no built-in strategy can use.
#[derive(Debug)]
pub struct View<'v, R> {
    pub(super) rules: &'v R,
    pub(super) seat: Seat,
}

impl<'v, R> View<'v, R> {
    /// The view of a seat.
    #[must_use]
    #[inline]
    pub fn new(rules: &'v R, seat: Seat) -> Self {
        Self { rules, seat }
    }

    /// The proof bits given for the leaf under discussion, in the order of its check: every seat
    /// sees them.
    #[must_use]
    #[inline]
    pub fn proof<N: Number>(&self) -> Vec<bool>
    where
        R: Rules<N>,
    {
        self.rules.proof()
    }

    /// The computation that is written down or examined, and what was written of it: every seat
    /// sees it.
    #[must_use]
    pub fn sheet<N: Number>(&self) -> Option<Sheet>
    where
        R: Rules<N>,
    {
        self.rules.sheet()
    }

    /// Whose view it is.
    #[must_use]
    pub fn seat(&self) -> Seat {
        self.seat
    }
}

impl<R> Clone for View<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for View<'_, R> {}
