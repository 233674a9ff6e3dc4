//! The registry of all built-in players: one line a protocol.

use super::{
    Registry, bisection, cross_examination, descent, judge, prover_estimator, quantifiers,
    recursive, speeches, stochastic, verified,
};
use crate::number::Number;

impl<N: Number> Registry<N> {
    /// The strategies of this room. Rooms above add theirs with [`Self::add`].
    pub fn builtin() -> Self {
        let tables = [
            prover_estimator::entries(),
            recursive::entries(),
            bisection::entries(),
            cross_examination::entries(),
            descent::entries(),
            stochastic::entries(),
            quantifiers::entries(),
            verified::entries(),
            speeches::entries(),
            judge::entries(),
            speeches::judges(),
        ];
        Self::new(tables.into_iter().flatten().collect())
    }
}
