//! What a seat may see of a debate's state.

use super::Seat;

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
