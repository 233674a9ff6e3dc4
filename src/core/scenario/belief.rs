//! The belief of a player who does not know the truths of claims, and hypothetical truths of claims.

use std::collections::HashMap;
use std::sync::Arc;

use num_bigint::BigUint;
use num_integer::Integer as _;
use num_traits::{ToPrimitive as _, Zero as _};

use super::decomposition::PossibleWorld;
use super::instance::{ClaimId, Instance};
use super::key::ClaimKey;
use crate::number::{Exact, ExactWithFloat, Number as _};

/// The belief of a player who does not know the truths of claims: a probability distribution over possible truths.
#[derive(Clone, Debug)]
pub enum TruthDistributionBelief {
    /// The indices of the possible instances of μ, each with its weight. Weights are positive; they need not sum to 1.
    Worlds(Vec<(usize, ExactWithFloat)>),
    /// Of the integer positions, at most one has a flaw. A claim about a span of integers is false if and only if the
    /// span contains this position.
    Place {
        /// The probability that there is no flaw at all.
        none: Exact,
        /// The positions at which the flaw may be; if a flaw exists, each of them is equally likely.
        count: PossibleFlawIntegers,
        /// The range of all positions.
        all: Box<(BigUint, BigUint)>,
    },
    /// Every claim is true independently of the others. The root has one probability, and all other claims have
    /// another.
    Each {
        /// The probability of the root claim.
        root: Exact,
        /// The probability of each claim other than the root.
        other: Exact,
    },
}

impl TruthDistributionBelief {
    /// Returns the belief without any knowledge: every claim is true with probability ½.
    pub(super) fn uninformed() -> Self {
        let half = Exact::ratio(1, 2);
        let root = half.clone();
        let other = half;
        Self::Each { root, other }
    }

    /// Returns the belief that one of these instances is debated, with probabilities proportional to their weights.
    pub(super) fn belief_proportional_to_weights(worlds: &[PossibleWorld]) -> Self {
        let weights = worlds.iter().map(|world| world.weight.clone().into());
        Self::Worlds(weights.enumerate().collect())
    }
}

/// The number of equally likely cases that a player still considers possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PossibleCaseCount {
    pub kind: InstanceOrFlawCaseKind,
    pub count: u64,
}

/// The objects that the possible cases of a player's belief are: instances, primes or positions of the flaw. All cases
/// are equally likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstanceOrFlawCaseKind {
    /// Each case is an instance of the scenario that the player considers possible. A more likely instance counts as
    /// several cases, so that all cases are equally likely.
    Worlds,
    /// Each case is a prime number that may be the hidden flaw, for example a divisor of the tested number.
    Primes,
    /// Each case is a position at which the hidden flaw may be.
    Positions,
}

/// Maximum number of cases that are counted. A larger number would tell a user little.
const MAX_CASES: u64 = 100_000;

impl TruthDistributionBelief {
    /// Returns the number of cases in which the claims have the given truths. `None` if the belief does not consist of
    /// equally likely cases, or if there is no such case or more than [`MAX_CASES`].
    pub(super) fn possible_cases(
        &self,
        instance: &Instance,
        given: impl Iterator<Item = (ClaimId, bool)> + Clone,
    ) -> Option<PossibleCaseCount> {
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
                (InstanceOrFlawCaseKind::Worlds, count.to_integer().to_u64()?)
            }
            Self::Place { none, count, all } if none.is_zero() => {
                let within = |id: ClaimId| {
                    count.possible_flaw_count_within(
                        instance.key(id).range_named_by_claim().unwrap_or(all),
                    )
                };
                let mut left = count.possible_flaw_count_within(all);
                let mut before = None;
                for (id, truth) in given {
                    if !truth {
                        left = within(id);
                        break;
                    }
                    // Several pieces of evidence for one claim exclude its span once.
                    if before.replace(instance.key(id).claim_key_behind_evidence())
                        != Some(instance.key(id).claim_key_behind_evidence())
                    {
                        left -= within(id).min(left.clone());
                    }
                }
                let kind = match count {
                    PossibleFlawIntegers::Primes(_) => InstanceOrFlawCaseKind::Primes,
                    PossibleFlawIntegers::Integers => InstanceOrFlawCaseKind::Positions,
                };
                (kind, left.to_u64()?)
            }
            Self::Place { .. } | Self::Each { .. } => return None,
        };
        (1..=MAX_CASES)
            .contains(&count)
            .then_some(PossibleCaseCount { kind, count })
    }
}

/// Returns the greatest common divisor of the weights of two instances: the greatest number of which both weights are
/// integer multiples. An instance then counts as (weight / divisor) equally likely cases.
fn common_divisor(one: &Exact, other: &Exact) -> Exact {
    let [first, second] = [one.numer() * other.denom(), other.numer() * one.denom()];
    Exact::new(first.gcd(&second), one.denom() * other.denom())
}

/// The set of integers, such as possible divisors, at which the hidden flaw may be.
#[derive(Clone, Debug)]
pub enum PossibleFlawIntegers {
    /// The prime numbers, in increasing order up to the largest position.
    Primes(Arc<[u64]>),
    /// Every integer.
    Integers,
}

impl PossibleFlawIntegers {
    /// Returns the number of possible positions of the flaw within a span of integers, both ends included.
    pub(super) fn possible_flaw_count_within(&self, span: &(BigUint, BigUint)) -> BigUint {
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

/// Hypothetical truths of claims, for questions such as “what if the flaw were here?”. They replace the true ones of an
/// instance.
#[derive(Clone, Debug)]
pub(super) enum HypotheticalTruths {
    /// The position of the only flaw; `None` if there is no flaw.
    Flaw(Option<BigUint>),
    /// These claims have these truths.
    Truths(Arc<HashMap<ClaimKey, bool>>),
}

impl HypotheticalTruths {
    pub(super) fn supposed_truth(&self, key: &ClaimKey) -> Option<bool> {
        match (self, key.range_named_by_claim()) {
            (Self::Flaw(index), Some(span)) => {
                let within = |index: &BigUint| span.0 <= *index && *index <= span.1;
                Some(!index.as_ref().is_some_and(within))
            }
            (Self::Flaw(index), None) => Some(index.is_none()),
            (Self::Truths(truths), _) => truths.get(key.claim_key_behind_evidence()).copied(),
        }
    }
}
