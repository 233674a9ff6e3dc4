//! Logarithms of rationals between bounds, for numbers of samples that must be exact.

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{One, Signed, Zero};

use super::Exact;

/// Bits beyond those that are asked for: they absorb the truncation error of the series.
const GUARD: u32 = 32;

/// The most bits that [`ceil_of_log`] works with.
const MAX_BITS: u32 = 1 << 14;

/// Bounds on ln(x), less than 2⁻ᵇⁱᵗˢ · |log₂ x| apart up to a small factor. `None` unless x > 0.
pub fn ln(x: &Exact, bits: u32) -> Option<(Exact, Exact)> {
    if !x.is_positive() {
        return None;
    }
    let lengths = |n: &BigInt| i64::try_from(n.bits()).unwrap_or(i64::MAX);
    let mut power = lengths(x.numer()) - lengths(x.denom());
    let two = Exact::from_integer(2.into());
    let scaled = |power: i64| {
        let shift = Exact::from_integer(BigInt::one() << power.unsigned_abs());
        if power < 0 { x * shift } else { x / shift }
    };
    let mut mantissa = scaled(power);
    if mantissa < Exact::one() {
        power -= 1;
        mantissa = scaled(power);
    }
    // ln m = 2 artanh((m − 1)/(m + 1)) with the argument in [0, 1/3], and ln 2 = 2 artanh(1/3).
    let one = Exact::one();
    let (low, high) = artanh(&((&mantissa - &one) / (&mantissa + &one)), bits);
    let third = Exact::new(1.into(), 3.into());
    let (two_low, two_high) = artanh(&third, bits);
    let times = Exact::from_integer(power.into());
    let (first, second) = (&times * two_low, &times * two_high);
    let (whole_low, whole_high) = if power < 0 {
        (second, first)
    } else {
        (first, second)
    };
    Some((&two * (low + whole_low), two * (high + whole_high)))
}

/// Bounds on artanh(y) = y + y³/3 + y⁵/5 + … for y in [0, 1/3].
fn artanh(y: &Exact, bits: u32) -> (Exact, Exact) {
    let bits = bits + GUARD;
    let unit = BigInt::one() << bits;
    let mut power = (&unit * y.numer()).div_floor(y.denom());
    let squares = (y.numer() * y.numer(), y.denom() * y.denom());
    let (mut sum, mut terms) = (BigInt::zero(), 0_u32);
    while !power.is_zero() {
        sum += &power / (2 * terms + 1);
        power = (power * &squares.0).div_floor(&squares.1);
        terms += 1;
    }
    // Every power and every quotient is less than 2 units too low, what is left out less than 2.
    let most = &sum + 4 * terms + 4;
    (Exact::new(sum, unit.clone()), Exact::new(most, unit))
}

/// ⌈factor · ln(x)⌉ for a factor above 0. `None` unless x and the factor are positive.
///
/// The logarithm of a rational other than 1 is no rational, so some number of bits decides.
pub fn ceil_of_log(factor: &Exact, x: &Exact) -> Option<BigInt> {
    if !factor.is_positive() || !x.is_positive() {
        return None;
    }
    if x.is_one() {
        return Some(BigInt::zero());
    }
    let mut bits = 64;
    loop {
        let (low, high) = ln(x, bits)?;
        let bounds = [low, high].map(|bound| (factor * bound).ceil().to_integer());
        let [low, high] = bounds;
        if low == high || bits >= MAX_BITS {
            return Some(high);
        }
        bits *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Number;

    #[test]
    fn bounds_hold_the_logarithm_and_are_near() {
        for (numerator, denominator) in [(1, 1), (2, 1), (1, 3), (100, 1), (7, 1000), (4001, 4000)]
        {
            let x = Exact::ratio(numerator, denominator);
            let (low, high) = ln(&x, 80).unwrap();
            assert!(low <= high && (&high - &low) < Exact::new(1.into(), BigInt::one() << 70));
            assert!((low.to_float() - x.to_float().ln()).abs() < 1e-14, "{x}");
        }
        assert_eq!(ln(&Exact::zero(), 64), None);
    }

    #[test]
    fn ceilings_are_right_next_to_whole_numbers() {
        // ln 2 = 0.693147180559945309417232121458…: just above and below a whole number of 10⁻²⁴.
        let scale = |last: u64| {
            Exact::from_integer(BigInt::from(1_000_000_000_000_u64) * 1_000_000_000_000_u64)
                / Exact::new(BigInt::from(last), BigInt::one())
        };
        let two = Exact::ratio(2, 1);
        let digits = ceil_of_log(&scale(1), &two).unwrap();
        assert_eq!(digits.to_string(), "693147180559945309417233");
        assert_eq!(
            ceil_of_log(&Exact::ratio(5, 1), &Exact::one()).unwrap(),
            BigInt::zero()
        );
    }
}
