//! One number: whether it is prime, what divides it, which Miller–Rabin tests it passes.

use std::sync::{Arc, OnceLock};

use num_bigint::BigUint;
use num_prime::nt_funcs;
use num_prime::{FactorizationConfig, PrimalityTestConfig, PrimalityUtils};
use num_traits::{One, ToPrimitive, Zero};

use super::pratt::Certificate;

/// Composites are factored in full up to this many bits (of what small factors leave).
const FACTORED_BITS: u64 = 80;
/// Small factors are taken out up to this bound.
const TRIAL_LIMIT: u64 = 1 << 14;

/// A number whose primality is asked about.
#[derive(Debug)]
pub(super) struct TestedNumber {
    n: BigUint,
    prime: OnceLock<bool>,
    /// All divisors from 2 to ⌊√n⌋, in increasing order; `None` where they cannot be found.
    divisors: OnceLock<Option<Vec<BigUint>>>,
    /// `None` where the primes that it needs cannot be found.
    certificate: OnceLock<Option<Arc<Certificate>>>,
}

pub(super) fn is_prime(n: &BigUint) -> bool {
    match n.to_u64() {
        Some(small) => nt_funcs::is_prime64(small),
        None => nt_funcs::is_prime(n, Some(PrimalityTestConfig::bpsw())).probably(),
    }
}

impl TestedNumber {
    pub(super) fn new(n: BigUint) -> Self {
        Self {
            n,
            prime: OnceLock::new(),
            divisors: OnceLock::new(),
            certificate: OnceLock::new(),
        }
    }

    /// The product of two primes.
    pub(super) fn semiprime(p: BigUint, q: BigUint) -> Self {
        let tested = Self::new(&p * &q);
        let known =
            tested.prime.set(false).is_ok() && tested.divisors.set(Some(vec![p.min(q)])).is_ok();
        debug_assert!(known, "a new number knows nothing yet");
        tested
    }

    pub(super) fn n(&self) -> &BigUint {
        &self.n
    }

    pub(super) fn is_prime(&self) -> bool {
        *self.prime.get_or_init(|| is_prime(&self.n))
    }

    /// The Pratt certificate of n, as if it were prime.
    pub(super) fn certificate(&self) -> Option<&Arc<Certificate>> {
        let find = || Certificate::of(&self.n).map(Arc::new);
        self.certificate.get_or_init(find).as_ref()
    }

    pub(super) fn divisors(&self) -> Option<&[BigUint]> {
        self.divisors
            .get_or_init(|| self.find_divisors())
            .as_deref()
    }

    fn find_divisors(&self) -> Option<Vec<BigUint>> {
        if self.n <= BigUint::one() || self.is_prime() {
            return Some(Vec::new());
        }
        let root = self.n.sqrt();
        let mut divisors = vec![BigUint::one()];
        for (prime, exponent) in factors(&self.n)? {
            let smaller = divisors.clone();
            let mut power = BigUint::one();
            for _ in 0..exponent {
                power *= &prime;
                divisors.extend(
                    smaller
                        .iter()
                        .map(|divisor| divisor * &power)
                        .filter(|d| *d <= root),
                );
            }
        }
        divisors.retain(|divisor| !divisor.is_one());
        divisors.sort();
        Some(divisors)
    }

    /// True if no integer from `low` to `high` divides n; `None` where that cannot be decided.
    pub(super) fn has_no_divisor(&self, low: &BigUint, high: &BigUint) -> Option<bool> {
        if low == high {
            return Some(!(&self.n % low).is_zero());
        }
        if let Some(divisors) = self.divisors() {
            let first = divisors.partition_point(|divisor| divisor < low);
            return Some(divisors.get(first).is_none_or(|divisor| divisor > high));
        }
        let small = low
            .to_u64()
            .zip(high.to_u64())
            .filter(|(_, high)| *high <= TRIAL_LIMIT)?;
        Some((small.0..=small.1).all(|candidate| !(&self.n % candidate).is_zero()))
    }

    /// True if n passes the Miller–Rabin test to a base (a base that n divides says nothing
    /// against it).
    pub(super) fn passes(&self, base: u64) -> bool {
        let two = BigUint::from(2_u32);
        if self.n < two {
            return false;
        }
        let base = BigUint::from(base) % &self.n;
        if self.n == two || base.is_zero() {
            return true;
        }
        self.n.bit(0) && (base.is_one() || self.n.is_sprp(base))
    }

    /// The division by a candidate, for a judge to check.
    pub(super) fn division(&self, candidate: &BigUint) -> String {
        let (quotient, rest) = (&self.n / candidate, &self.n % candidate);
        format!("{} = {candidate} × {quotient} + {rest}", self.n)
    }

    /// The Miller–Rabin test to a base, step by step, for a judge to check.
    pub(super) fn trace(&self, base: u64) -> String {
        let one = BigUint::one();
        if self.n <= BigUint::from(2_u32) || !self.n.bit(0) {
            return format!(
                "{} is {}.",
                self.n,
                if self.n.bit(0) { "below 3" } else { "even" }
            );
        }
        let less = &self.n - &one;
        let twos = less.trailing_zeros().unwrap_or(0);
        let odd = &less >> twos;
        let mut power = BigUint::from(base).modpow(&odd, &self.n);
        let mut steps = vec![format!("{base}^{odd} mod {} = {power}", self.n)];
        for _ in 1..twos {
            if power.is_one() || power == less {
                break;
            }
            power = &power * &power % &self.n;
            steps.push(format!("squared: {power}"));
        }
        format!(
            "{} − 1 = 2^{twos} · {odd}; {}. It passes where the first is 1 or one of them is {less}.",
            self.n,
            steps.join("; ")
        )
    }
}

/// The prime factors with their exponents; `None` where they are out of reach.
pub(super) fn factors(n: &BigUint) -> Option<Vec<(BigUint, usize)>> {
    if let Some(small) = n.to_u64() {
        let found = nt_funcs::factorize64(small);
        return Some(
            found
                .into_iter()
                .map(|(prime, count)| (prime.into(), count))
                .collect(),
        );
    }
    let mut rest = n.clone();
    let mut found = Vec::new();
    for prime in nt_funcs::primes(TRIAL_LIMIT) {
        let mut count = 0;
        while (&rest % prime).is_zero() {
            rest /= prime;
            count += 1;
        }
        if count > 0 {
            found.push((prime.into(), count));
        }
    }
    if rest.is_one() {
        return Some(found);
    }
    if is_prime(&rest) {
        found.push((rest, 1));
        return Some(found);
    }
    if rest.bits() > FACTORED_BITS {
        return None;
    }
    let (primes, left) = nt_funcs::factors(rest, Some(FactorizationConfig::default()));
    if left.is_some() {
        return None;
    }
    found.extend(primes);
    Some(found)
}
