//! The belief of a player who cannot decide claims, and hypothetical truths of claims.

use std::collections::HashMap;
use std::sync::Arc;

use num_bigint::BigUint;
use num_integer::Integer as _;
use num_traits::{ToPrimitive as _, Zero as _};

use super::decomposition::World;
use super::instance::{ClaimId, Instance};
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

/// The equally likely cases that a player still holds possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PossibleCases {
    pub kind: CaseKind,
    pub count: u64,
}

/// The cases over which a belief is a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseKind {
    /// Worlds of the scenario. A world counts several times if it is more likely than others.
    Worlds,
    /// Primes, one of which is the flaw.
    Primes,
    /// Positions, one of which has the flaw.
    Positions,
}

/// Maximum number of cases that are counted. A reader cannot picture more.
const MAX_CASES: u64 = 100_000;

impl Belief {
    /// Returns the cases that are possible given the truths of claims. `None` if the belief does not consist of equally
    /// likely cases, or if there are too many.
    pub(super) fn possible_cases(
        &self,
        instance: &Instance,
        given: impl Iterator<Item = (ClaimId, bool)> + Clone,
    ) -> Option<PossibleCases> {
        let (kind, count) = match self {
            Self::Worlds(worlds) => {
                let unit = worlds.iter().map(|(_, weight)| weight.exact().clone());
                let unit = unit.reduce(|one, other| common_divisor(&one, &other))?;
                let mut all = Exact::zero();
                for (world, weight) in worlds {
                    let fits = |(id, truth)| instance.truth_by_world(id)[*world] == Some(truth);
                    if given.clone().all(fits) {
                        all += weight.exact();
                    }
                }
                let count = if unit.is_zero() { unit } else { all / unit };
                (CaseKind::Worlds, count.to_integer().to_u64()?)
            }
            Self::Place { none, count, all } if none.is_zero() => {
                let within =
                    |id: ClaimId| count.count_within(instance.key(id).span().unwrap_or(all));
                let mut left = count.count_within(all);
                let mut before = None;
                for (id, truth) in given {
                    if !truth {
                        left = within(id);
                        break;
                    }
                    // Several pieces of evidence for one claim exclude its span once.
                    if before.replace(instance.key(id).claim_of_evidence())
                        != Some(instance.key(id).claim_of_evidence())
                    {
                        left -= within(id).min(left.clone());
                    }
                }
                let kind = match count {
                    FlawPositions::Primes(_) => CaseKind::Primes,
                    FlawPositions::Integers => CaseKind::Positions,
                };
                (kind, left.to_u64()?)
            }
            Self::Place { .. } | Self::Each { .. } => return None,
        };
        (1..=MAX_CASES)
            .contains(&count)
            .then_some(PossibleCases { kind, count })
    }
}

/// Returns the greatest number of which both are multiples.
fn common_divisor(one: &Exact, other: &Exact) -> Exact {
    let [first, second] = [one.numer() * other.denom(), other.numer() * one.denom()];
    Exact::new(first.gcd(&second), one.denom() * other.denom())
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
