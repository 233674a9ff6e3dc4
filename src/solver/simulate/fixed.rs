//! Numbers in multiples of 2⁻⁸⁰, so that sums come out the same in any order.

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::ToPrimitive as _;

use debate_core::number::Exact;

/// The binary places that are kept.
pub(super) const PLACES: u32 = 80;

/// Numbers must stay below 2²⁰ in size, so that a square, and a sum of many, fits 128 bits.
const LARGEST: u32 = 20;

/// A number that is kept as it is in rationals or floating point, and rounded once.
pub trait Fixed {
    /// The nearest multiple of 2⁻⁸⁰, counted in these; of two that are as near the greater one.
    /// `None` where the number is 2²⁰ or more in size, or none at all.
    fn fixed(&self) -> Option<i128>;
}

fn bounded(value: i128) -> Option<i128> {
    (value.unsigned_abs() >> (PLACES + LARGEST) == 0).then_some(value)
}

impl Fixed for Exact {
    fn fixed(&self) -> Option<i128> {
        let twice: BigInt = (self.numer() << (PLACES + 1)) + self.denom();
        bounded(twice.div_floor(&(self.denom() << 1)).to_i128()?)
    }
}

impl Fixed for f64 {
    fn fixed(&self) -> Option<i128> {
        // Every number in this range is a mantissa of 53 bits times a power of two.
        if !self.is_finite() || self.abs() >= Self::from(1 << LARGEST) {
            return None;
        }
        let bits = self.to_bits();
        let exponent = i32::try_from(bits >> 52 & 0x7ff).ok()?;
        let fraction = i128::from(bits & ((1 << 52) - 1));
        let mantissa = if exponent == 0 {
            fraction
        } else {
            fraction | 1 << 52
        };
        let mantissa = if *self < 0.0 { -mantissa } else { mantissa };
        let shift = exponent.max(1) - 1075 + 80;
        Some(match shift {
            0.. => mantissa << shift,
            -120..0 => {
                let half = 1_i128 << (-shift - 1);
                (mantissa + half) >> -shift
            }
            // Less than half of a multiple.
            _ => 0,
        })
    }
}

/// The square of a number below 2²⁰ in size, rounded to the nearest multiple.
pub(super) fn square(value: i128) -> i128 {
    const LOW: u128 = (1 << 64) - 1;
    const FRACTION: u128 = (1 << PLACES) - 1;
    let size = value.unsigned_abs();
    let (high, low) = (size >> 64, size & LOW);
    let (middle, lowest) = (high * low, low * low);
    // size² = high² · 2¹²⁸ + middle · 2⁶⁵ + lowest.
    let rest = ((middle & 0x7fff) << 65) + (lowest & FRACTION) + (1 << (PLACES - 1));
    let sum = ((high * high) << 48) + (middle >> 15) + (lowest >> PLACES) + (rest >> PLACES);
    i128::try_from(sum).unwrap_or(i128::MAX)
}

/// A sum in multiples of 2⁻⁸⁰ over a count, as a number.
pub(super) fn ratio(sum: &BigInt, count: u64) -> f64 {
    let denominator = BigInt::from(count.max(1)) << PLACES;
    Exact::new(sum.clone(), denominator).to_f64().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use num_traits::One as _;
    use proptest::prelude::*;

    use super::*;
    use debate_core::number::Number as _;

    fn exactly(value: f64) -> Exact {
        Exact::from_float(value).unwrap()
    }

    #[test]
    fn what_is_too_large_or_no_number_has_no_place() {
        assert_eq!(1.0_f64.fixed(), Some(1 << 80));
        assert_eq!((-0.5_f64).fixed(), Some(-(1 << 79)));
        assert_eq!(Exact::ratio(1, 3).fixed(), Some((1 << 80) / 3));
        for value in [f64::NAN, f64::INFINITY, 1_048_576.0] {
            assert_eq!(value.fixed(), None);
        }
        assert_eq!(Exact::from_integer(BigInt::one() << 20).fixed(), None);
        assert_eq!(Exact::from_integer(BigInt::one() << 300).fixed(), None);
        assert_eq!(f64::MIN_POSITIVE.fixed(), Some(0));
        assert_eq!(5e-324_f64.fixed(), Some(0));
    }

    proptest! {
        #[test]
        fn floats_round_as_the_rationals_that_they_are(value in -1e6_f64..1e6, scale in -100_i32..1) {
            let value = value * 2_f64.powi(scale);
            prop_assert_eq!(value.fixed(), exactly(value).fixed());
        }

        #[test]
        fn squares_round_once(value in -(1_i128 << 100) + 1..1_i128 << 100) {
            let wide: BigInt = BigInt::from(value) * value + (BigInt::one() << (PLACES - 1));
            prop_assert_eq!(BigInt::from(square(value)), wide >> PLACES);
        }
    }
}
