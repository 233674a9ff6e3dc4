//! Whether a number is prime, its prime factors, and its digits in sentences.

use num_bigint::BigUint;
use num_prime::nt_funcs;
use num_prime::{FactorizationConfig, PrimalityTestConfig};
use num_traits::{One, ToPrimitive, Zero};

/// Composites are factored in full up to this many bits (of what small factors leave).
const FACTORED_BITS: u64 = 80;
/// Small factors are taken out up to this bound.
pub(super) const TRIAL_LIMIT: u64 = 1 << 14;

pub(super) fn is_prime(n: &BigUint) -> bool {
    match n.to_u64() {
        Some(small) => nt_funcs::is_prime64(small),
        None => nt_funcs::is_prime(n, Some(PrimalityTestConfig::bpsw())).probably(),
    }
}

/// The prime factors with their exponents; `None` where they are out of reach.
pub(super) fn factors(n: &BigUint) -> Option<Vec<(BigUint, usize)>> {
    if let Some(small) = n.to_u64() {
        let primes = nt_funcs::factorize64(small);
        return Some(
            primes
                .into_iter()
                .map(|(prime, count)| (prime.into(), count))
                .collect(),
        );
    }
    let mut rest = n.clone();
    let mut factors = Vec::new();
    for prime in nt_funcs::primes(TRIAL_LIMIT) {
        let mut count = 0;
        while (&rest % prime).is_zero() {
            rest /= prime;
            count += 1;
        }
        if count > 0 {
            factors.push((prime.into(), count));
        }
    }
    if rest.is_one() {
        return Some(factors);
    }
    if is_prime(&rest) {
        factors.push((rest, 1));
        return Some(factors);
    }
    if rest.bits() > FACTORED_BITS {
        return None;
    }
    let (others, left) = nt_funcs::factors(rest, Some(FactorizationConfig::default()));
    if left.is_some() {
        return None;
    }
    factors.extend(others);
    Some(factors)
}

/// A number as it stands in sentences: long ones keep both ends.
pub(super) fn shortened(n: &BigUint) -> String {
    const SHOWN: usize = 12;
    let digits = n.to_string();
    if digits.len() <= 40 {
        return digits;
    }
    let start: String = digits.chars().take(SHOWN).collect();
    let end: String = digits.chars().skip(digits.len() - SHOWN).collect();
    format!("{start}…{end} ({} digits)", digits.len())
}
