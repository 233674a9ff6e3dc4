//! What a player believes who cannot decide claims, and what truths are supposed to try it out.

use std::collections::HashMap;
use std::sync::Arc;

use num_bigint::BigUint;

use super::decomposition::World;
use super::key::ClaimKey;
use crate::number::{Exact, Known, Number as _};

/// The belief of a player who cannot decide claims: a posterior over μ.
#[derive(Clone, Debug)]
pub enum Belief {
    /// One of these worlds, with these weights (positive, not necessarily summing to 1).
    Worlds(Vec<(usize, Known)>),
    /// At most one flaw, in one place: a claim about a span is false exactly where the place lies
    /// in the span.
    Place {
        /// The probability that there is no flaw at all.
        none: Exact,
        /// The number of places lie in a span; the place is uniform over them.
        count: PlaceCount,
        /// All places.
        all: Box<(BigUint, BigUint)>,
    },
    /// The root's probability, and one for every other claim, independently.
    Each {
        /// The probability of the root claim.
        root: Exact,
        /// The probability of any other claim.
        other: Exact,
    },
}

impl Belief {
    /// Nothing is known: every claim may as well be true as false.
    pub(super) fn even() -> Self {
        let half = Exact::ratio(1, 2);
        let root = half.clone();
        let other = half;
        Self::Each { root, other }
    }

    /// One of these worlds, by their weights.
    pub(super) fn of(worlds: &[World]) -> Self {
        let weights = worlds.iter().map(|world| world.weight.clone().into());
        Self::Worlds(weights.enumerate().collect())
    }
}

/// Counts the possible places of a flaw in a span of integers.
#[derive(Clone, Debug)]
pub enum PlaceCount {
    /// The primes, listed in increasing order up to the largest place.
    Primes(Arc<[u64]>),
    /// Every integer.
    Integers,
}

impl PlaceCount {
    /// How many lie in a span.
    pub(super) fn within(&self, span: &(BigUint, BigUint)) -> BigUint {
        match self {
            Self::Integers => &span.1 + 1_u32 - &span.0,
            Self::Primes(primes) => {
                let below =
                    |end: &BigUint| primes.partition_point(|prime| BigUint::from(*prime) < *end);
                (below(&(&span.1 + 1_u32)) - below(&span.0)).into()
            }
        }
    }
}

/// Truths that are supposed.
#[derive(Clone, Debug)]
pub(super) enum SupposedTruths {
    /// The one flaw is in this place; `None`: there is none.
    Flaw(Option<BigUint>),
    /// These claims have these truths.
    Truths(Arc<HashMap<ClaimKey, bool>>),
}

impl SupposedTruths {
    pub(super) fn truth(&self, key: &ClaimKey) -> Option<bool> {
        match (self, key.span()) {
            (Self::Flaw(place), Some(span)) => {
                let within = |place: &BigUint| span.0 <= *place && *place <= span.1;
                Some(!place.as_ref().is_some_and(within))
            }
            (Self::Flaw(place), None) => Some(place.is_none()),
            (Self::Truths(truths), _) => truths.get(key.claim()).copied(),
        }
    }
}
