//! The belief of a player who cannot decide claims, and hypothetical truths of claims.

use std::collections::HashMap;
use std::sync::Arc;

use num_bigint::BigUint;

use super::decomposition::World;
use super::key::ClaimKey;
use crate::number::{Exact, ExactWithFloat, Number as _};

/// The belief of a player who cannot decide claims: a posterior over μ.
#[derive(Clone, Debug)]
pub enum Belief {
    /// The indices of the possible worlds with their weights. Weights are positive; they need not sum to 1.
    Worlds(Vec<(usize, ExactWithFloat)>),
    /// There is at most one flaw, at one integer position. A claim about a span of integers is false if and only if the
    /// span contains this position.
    Place {
        /// The probability that there is no flaw at all.
        none: Exact,
        /// The positions at which the flaw may be; if a flaw exists, each of them is equally likely.
        count: FlawPositions,
        /// The range of all positions.
        all: Box<(BigUint, BigUint)>,
    },
    /// Every claim is true independently of the others: the root with one probability, each other claim with another.
    Each {
        /// The probability of the root claim.
        root: Exact,
        /// The probability of any other claim.
        other: Exact,
    },
}

impl Belief {
    /// Returns the belief without any knowledge: every claim is true with probability one half.
    pub(super) fn uninformed() -> Self {
        let half = Exact::ratio(1, 2);
        let root = half.clone();
        let other = half;
        Self::Each { root, other }
    }

    /// Returns the belief in one of these worlds, by their weights.
    pub(super) fn over_worlds(worlds: &[World]) -> Self {
        let weights = worlds.iter().map(|world| world.weight.clone().into());
        Self::Worlds(weights.enumerate().collect())
    }
}

/// The integers, such as possible divisors, at which the hidden flaw may be.
#[derive(Clone, Debug)]
pub enum FlawPositions {
    /// The primes, in increasing order up to the largest position.
    Primes(Arc<[u64]>),
    /// Every integer.
    Integers,
}

impl FlawPositions {
    /// Returns the number of possible positions of the flaw within a span of integers.
    pub(super) fn count_within(&self, span: &(BigUint, BigUint)) -> BigUint {
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

/// Hypothetical truths of claims, which replace those of a world.
#[derive(Clone, Debug)]
pub(super) enum SupposedTruths {
    /// The position of the one flaw; `None` if there is none.
    Flaw(Option<BigUint>),
    /// These claims have these truths.
    Truths(Arc<HashMap<ClaimKey, bool>>),
}

impl SupposedTruths {
    pub(super) fn truth(&self, key: &ClaimKey) -> Option<bool> {
        match (self, key.span()) {
            (Self::Flaw(index), Some(span)) => {
                let within = |index: &BigUint| span.0 <= *index && *index <= span.1;
                Some(!index.as_ref().is_some_and(within))
            }
            (Self::Flaw(index), None) => Some(index.is_none()),
            (Self::Truths(truths), _) => truths.get(key.claim_of_evidence()).copied(),
        }
    }
}
