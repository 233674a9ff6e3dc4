//! The numbers that are asked about, each with what is found out about it: those of a list, of a range, or products
//! that are made.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, OnceLock};

use num_bigint::BigUint;
use num_prime::PrimalityUtils as _;
use num_traits::{One, ToPrimitive, Zero};

use super::number::{TRIAL_LIMIT, factors, is_prime, shortened};
use super::pratt::Certificate;
use super::spec::{MAX_INSTANCES, MAX_NUMBER_BITS, Numbers};
use crate::chance::{Draws, Seed, Stream};
use crate::scenario::flaw::{Flaw, Path};

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

/// The numbers, tested; never none.
pub(super) fn tested(numbers: Numbers, at: &Path) -> Result<Vec<TestedNumber>, Flaw> {
    let too_many = |count: &dyn std::fmt::Display| {
        at.flaw(format_args!(
            "{count} numbers are too many; at most {MAX_INSTANCES} are taken"
        ))
    };
    match numbers {
        Numbers::List(list) if list.is_empty() => Err(at.flaw("give at least one number")),
        Numbers::List(list) if list.len() > MAX_INSTANCES => Err(too_many(&list.len())),
        Numbers::List(list) => {
            if let Some(long) = list.iter().find(|n| n.bits() > MAX_NUMBER_BITS) {
                return Err(at.flaw(format_args!(
                    "a number of {} bits is too long; at most {MAX_NUMBER_BITS} are taken",
                    long.bits()
                )));
            }
            let mut seen = HashSet::new();
            if let Some(twice) = list.iter().find(|n| !seen.insert(*n)) {
                return Err(at.flaw(format_args!("{} stands twice", shortened(twice))));
            }
            Ok(list.into_iter().map(TestedNumber::new).collect())
        }
        Numbers::Between(low, high) => {
            if low > high {
                return Err(at.flaw("Between takes the smaller number first"));
            }
            if high.bits() > 64 {
                return Err(at.flaw("Between takes numbers below 2^64"));
            }
            let count = &high - &low + 1_u32;
            if count > BigUint::from(MAX_INSTANCES) {
                return Err(too_many(&count));
            }
            let mut list = Vec::new();
            let mut n = low;
            while n <= high {
                list.push(TestedNumber::new(n.clone()));
                n += 1_u32;
            }
            Ok(list)
        }
        Numbers::Semiprimes { bits, count } => {
            if !(6..=MAX_NUMBER_BITS).contains(&u64::from(bits)) || bits % 2 == 1 {
                return Err(at.flaw(format_args!(
                    "Semiprimes takes an even number of bits from 6 to {MAX_NUMBER_BITS}"
                )));
            }
            if count == 0 || count as usize > MAX_INSTANCES {
                return Err(at.flaw(format_args!(
                    "Semiprimes takes a count from 1 to {MAX_INSTANCES}"
                )));
            }
            semiprimes(bits, count).ok_or_else(|| {
                at.flaw(format_args!(
                    "there are fewer than {count} products of {bits} bits"
                ))
            })
        }
    }
}

/// Distinct products of two primes of `bits / 2` bits, both with their top two bits set.
fn semiprimes(bits: u32, count: u32) -> Option<Vec<TestedNumber>> {
    let seed = Seed::new(format!("semiprimes {bits} {count}"))?;
    let mut draws = Draws::private(&seed, Stream::Instance, 0);
    let mut ordinal = 0;
    let mut prime = || {
        let half = u64::from(bits / 2);
        loop {
            let mut candidate = BigUint::zero();
            for _ in 0..half.div_ceil(32) {
                candidate = (candidate << 32) + (draws.at(ordinal) & 0xffff_ffff);
                ordinal += 1;
            }
            candidate %= BigUint::one() << half;
            candidate.set_bit(0, true);
            candidate.set_bit(half - 1, true);
            candidate.set_bit(half - 2, true);
            if is_prime(&candidate) {
                return candidate;
            }
        }
    };
    let mut products = BTreeMap::new();
    let mut tries = 0_u32;
    while products.len() < count as usize {
        tries += 1;
        if tries > 100 * count + 1000 {
            return None;
        }
        let (p, q) = (prime(), prime());
        products
            .entry(&p * &q)
            .or_insert_with(|| TestedNumber::semiprime(p, q));
    }
    Some(products.into_values().collect())
}
