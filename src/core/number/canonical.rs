//! Numbers in the one form that files of ours have them in.

use num_bigint::BigInt;
use num_traits::Zero as _;

use super::Exact;

/// The shortest form that [`parse`](super::parse) reads back to the same value: an integer or
/// `num/den`.
pub fn canonical(value: &Exact) -> String {
    value.to_string()
}

/// Reads a number in its [`canonical`] form, `3` or `-1/9`, and in no other; `None` where it is
/// longer than `most` characters, for reducing a fraction takes time that grows with the square of
/// its length.
pub fn read_canonical(text: &str, most: usize) -> Option<Exact> {
    if text.len() > most {
        return None;
    }
    let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(numerator.strip_prefix('-').unwrap_or(numerator)) || !digits(denominator) {
        return None;
    }
    let numerator: BigInt = numerator.parse().ok()?;
    let denominator: BigInt = denominator.parse().ok()?;
    if denominator.is_zero() {
        return None;
    }
    let value = Exact::new(numerator, denominator);
    (canonical(&value) == text).then_some(value)
}
