//! Probabilities of gates, computed from integer weights of their subclaims by multiplication and addition, without
//! division.

use num_bigint::{BigInt, BigUint};
use num_traits::One;

use super::Gate;
use crate::number::{Exact, Number as _};

/// Maximum total number of bits of the subclaims' denominators for which
/// [`Gate::truth_probability_if_independent`] is exact.
pub const EXACT_BITS: u64 = 512;

/// A number type for the weights with which [`Gate::weigh`] computes a gate's probabilities.
pub(super) trait UnnormalisedProbability: Clone {
    fn zero() -> Self;
    fn one() -> Self;
    fn plus(self, other: Self) -> Self;
    fn times(&self, other: &Self) -> Self;
}

impl UnnormalisedProbability for BigUint {
    fn zero() -> Self {
        Self::ZERO
    }

    fn one() -> Self {
        One::one()
    }

    fn plus(self, other: Self) -> Self {
        self + other
    }

    fn times(&self, other: &Self) -> Self {
        self * other
    }
}

/// A probability as an integer multiple of 2⁻¹²⁸; the greatest integer represents 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fixed(u128);

impl Fixed {
    const ONE: Self = Self(u128::MAX);

    fn of(p: &Exact) -> Self {
        let scaled = (p * Exact::from_integer(BigInt::one() << 128_u32)).round();
        u128::try_from(scaled.to_integer()).map_or(Self::ONE, Self)
    }

    fn exact(self) -> Exact {
        if self == Self::ONE {
            return One::one();
        }
        Exact::new(self.0.into(), BigInt::one() << 128_u32)
    }
}

impl UnnormalisedProbability for Fixed {
    fn zero() -> Self {
        Self(0)
    }

    fn one() -> Self {
        Self::ONE
    }

    fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    fn times(&self, other: &Self) -> Self {
        const LOW: u128 = u64::MAX as u128;
        if *self == Self::ONE || *other == Self::ONE {
            return if *self == Self::ONE { *other } else { *self };
        }
        // Of the product of 256 bits the upper half, rounded.
        let [(one_high, one_low), (other_high, other_low)] =
            [self.0, other.0].map(|number| (number >> 64, number & LOW));
        let crossed = [one_high * other_low, one_low * other_high];
        let carried = ((one_low * other_low) >> 64) + (1 << 63);
        let carried = crossed
            .iter()
            .fold(carried, |sum, product| sum + (product & LOW));
        let upper = crossed.iter().map(|product| product >> 64).sum::<u128>();
        Self(one_high * other_high + upper + (carried >> 64))
    }
}

impl Gate {
    /// Returns P[gate = 1], if the subclaims are independent and true with the given probabilities. Exact while the
    /// denominators of these probabilities have at most [`EXACT_BITS`] bits in total. With more bits, each step is
    /// rounded to 2⁻¹²⁸.
    pub fn truth_probability_if_independent(&self, subclaim_probabilities: &[Exact]) -> Exact {
        let certain = |p: &&Exact| p.is_integer();
        let bits = subclaim_probabilities
            .iter()
            .filter(|p| !certain(p))
            .map(|p| p.denom().bits());
        if bits.sum::<u64>() <= EXACT_BITS
            || !subclaim_probabilities.iter().all(Exact::is_probability)
        {
            return self.probability(subclaim_probabilities);
        }
        let pair = |p: &Exact| [Fixed::of(&(Exact::one() - p)), Fixed::of(p)];
        let [_, holds] = self.weigh(&subclaim_probabilities.iter().map(pair).collect::<Vec<_>>());
        holds.exact()
    }

    /// Returns two weights, in the ratio of the probabilities that the gate is false and that it is true. `each` has
    /// such a pair for each subclaim. The results are sums of products of these weights.
    pub(super) fn weigh<W: UnnormalisedProbability>(&self, each: &[[W; 2]]) -> [W; 2] {
        let width = each.len();
        match self {
            Self::All => at_least(each, width),
            Self::Any => at_least(each, 1),
            Self::Not => {
                let [no, yes] = at_least(each, 1);
                [yes, no]
            }
            Self::Majority => at_least(each, width / 2 + 1),
            Self::AtLeast(least) => at_least(each, *least as usize),
            Self::Xor => each
                .iter()
                .fold([W::one(), W::zero()], |[even, odd], [no, yes]| {
                    [
                        even.times(no).plus(odd.times(yes)),
                        even.times(yes).plus(odd.times(no)),
                    ]
                }),
            Self::Table(rows) => {
                let mut weights = vec![W::one()];
                for [no, yes] in each {
                    let both = weights.iter().flat_map(|w| [w.times(no), w.times(yes)]);
                    weights = both.collect();
                }
                let sides = weights.into_iter().zip(rows.iter());
                sides.fold([W::zero(), W::zero()], |[no, yes], (weight, holds)| {
                    if *holds {
                        [no, yes.plus(weight)]
                    } else {
                        [no.plus(weight), yes]
                    }
                })
            }
            Self::OfMajorities { of, copies } => {
                let majorities = each.chunks((*copies).max(1) as usize);
                let most: Vec<_> = majorities.map(|each| Self::Majority.weigh(each)).collect();
                of.weigh(&most)
            }
        }
    }
}

/// Returns two weights: of fewer than `least` true subclaims, and of at least `least` true subclaims. Counts either the
/// true or the false subclaims, whichever count stays smaller.
fn at_least<W: UnnormalisedProbability>(each: &[[W; 2]], least: usize) -> [W; 2] {
    let most_false = (each.len() + 1).saturating_sub(least);
    let (counted, enough) = if least <= most_false {
        (1, least)
    } else {
        (0, most_false)
    };
    // The weight of each count below the threshold, and the total weight of all other counts.
    let mut counts = vec![W::one()];
    let mut reached = W::zero();
    for pair in each {
        let one_more = &pair[counted];
        let as_before = &pair[1 - counted];
        let all = pair[0].clone().plus(pair[1].clone());
        let top = counts[counts.len() - 1].times(one_more);
        reached = reached.times(&all);
        for index in (1..counts.len()).rev() {
            let kept = counts[index].times(as_before);
            counts[index] = kept.plus(counts[index - 1].times(one_more));
        }
        counts[0] = counts[0].times(as_before);
        if counts.len() < enough {
            counts.push(top);
        } else {
            reached = reached.plus(top);
        }
    }
    let rest = counts.into_iter().fold(W::zero(), W::plus);
    if counted == 1 {
        [rest, reached]
    } else {
        [reached, rest]
    }
}
