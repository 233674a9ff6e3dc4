//! The numbers tested for primality, each with cached facts about it: from a list, from a range, or generated products.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, OnceLock};

use num_bigint::BigUint;
use num_prime::{FactorizationConfig, PrimalityTestConfig, PrimalityUtils as _, nt_funcs};
use num_traits::{One, ToPrimitive, Zero};

use super::pratt::PrattCertificate;
use super::{MAX_INSTANCES, MAX_NUMBER_BITS, NumbersTestedForPrimality};
use crate::chance::{RandomStream, RandomStreamPurpose, Seed};
use crate::scenario::flaw::{ScenarioValueError, ScenarioValuePath};
use crate::text::add_group_commas;

/// A number under test.
#[derive(Debug)]
pub(super) struct TestedNumber {
    n: BigUint,
    prime: OnceLock<bool>,
    /// All divisors of the number from 2 to ⌊√n⌋, in increasing order; `None` if the program cannot find them.
    divisors: OnceLock<Option<Vec<BigUint>>>,
    /// The number's Pratt certificate, computed as if the number were prime. `None` if the program cannot find the
    /// primes that the certificate needs.
    certificate: OnceLock<Option<Arc<PrattCertificate>>>,
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

    /// Creates a number to test that is the product of two primes.
    pub(super) fn semiprime(p: BigUint, q: BigUint) -> Self {
        let tested = Self::new(&p * &q);
        Self {
            prime: false.into(),
            divisors: Some(vec![p.min(q)]).into(),
            ..tested
        }
    }

    pub(super) fn tested_integer(&self) -> &BigUint {
        &self.n
    }

    pub(super) fn is_prime(&self) -> bool {
        *self.prime.get_or_init(|| is_prime(&self.n))
    }

    /// Returns the Pratt certificate of n, computed as if n were prime; `None` if the program cannot find the primes
    /// that it needs.
    pub(super) fn certificate(&self) -> Option<&Arc<PrattCertificate>> {
        let find = || PrattCertificate::compute_as_if_prime(&self.n).map(Arc::new);
        self.certificate.get_or_init(find).as_ref()
    }

    pub(super) fn divisors_up_to_root_if_factored(&self) -> Option<&[BigUint]> {
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
                let larger = smaller.iter().map(|divisor| divisor * &power);
                divisors.extend(larger.filter(|d| *d <= root));
            }
        }
        divisors.retain(|divisor| !divisor.is_one());
        divisors.sort();
        Some(divisors)
    }

    /// True if no integer from `low` to `high`, both included, divides n; `None` if the program cannot decide it. If
    /// `low` < `high`, `high` must be at most ⌊√n⌋, because only the divisors up to ⌊√n⌋ are listed.
    pub(super) fn has_no_divisor(&self, low: &BigUint, high: &BigUint) -> Option<bool> {
        if low == high {
            return Some(!(&self.n % low).is_zero());
        }
        if let Some(divisors) = self.divisors_up_to_root_if_factored() {
            let first = divisors.partition_point(|divisor| divisor < low);
            return Some(divisors.get(first).is_none_or(|divisor| divisor > high));
        }
        let (low, high) = (low.to_u64()?, high.to_u64()?);
        let none = || (low..=high).all(|candidate| !(&self.n % candidate).is_zero());
        (high <= TRIAL_LIMIT).then(none)
    }

    /// True if no prime from `low` to `high`, both included, divides n; `None` if the program cannot decide it. `high`
    /// must be at most ⌊√n⌋, because only the divisors up to ⌊√n⌋ are listed.
    pub(super) fn has_no_prime_divisor(&self, low: &BigUint, high: &BigUint) -> Option<bool> {
        let divisors = self.divisors_up_to_root_if_factored()?;
        let is_counted = |divisor: &BigUint| low <= divisor && divisor <= high && is_prime(divisor);
        Some(!divisors.iter().any(is_counted))
    }

    /// True if n passes the Miller–Rabin test to a base. If n divides the base, the test proves nothing, so n passes.
    pub(super) fn passes_miller_rabin(&self, base: u64) -> bool {
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

    /// Formats the division of n by a candidate divisor, for a judge to check.
    pub(super) fn division_text(&self, candidate: &BigUint) -> String {
        let quotient = &self.n / candidate;
        let rest = &self.n % candidate;
        let [number, candidate, quotient] =
            [&self.n, candidate, &quotient].map(number_text_in_claims);
        if rest.is_zero() {
            return format!("{number} = {candidate} × {quotient}");
        }
        let rest = number_text_in_claims(&rest);
        format!("{number} = {candidate} × {quotient} + {rest}")
    }

    /// Returns a sentence that says if n is prime. For a composite n, it shows n as a product of two divisors if the
    /// program finds them.
    pub(super) fn primality_solution_text(&self) -> String {
        let n = number_text_in_claims(&self.n);
        if self.is_prime() {
            return format!("{n} is prime");
        }
        match self
            .divisors_up_to_root_if_factored()
            .and_then(<[_]>::first)
        {
            Some(divisor) => format!(
                "{n} = {divisor} × {quotient}",
                divisor = number_text_in_claims(divisor),
                quotient = number_text_in_claims(&(&self.n / divisor))
            ),
            None => format!("{n} is not prime"),
        }
    }

    /// Describes the Miller–Rabin test of n to a base, step by step, for a judge to check.
    pub(super) fn miller_rabin_text(&self, base: u64) -> String {
        let one = BigUint::one();
        if self.n <= BigUint::from(2_u32) || !self.n.bit(0) {
            let kind = if self.n.bit(0) { "below 3" } else { "even" };
            return format!("{} is {kind}.", self.n);
        }
        let n_minus_1 = &self.n - &one;
        let twos = n_minus_1.trailing_zeros().unwrap_or(0);
        let odd = &n_minus_1 >> twos;
        if (BigUint::from(base) % &self.n).is_zero() {
            return format!(
                "{base} is a multiple of {number}, so this base tests nothing and the number passes.",
                number = self.n
            );
        }
        let mut power = BigUint::from(base).modpow(&odd, &self.n);
        let mut steps = vec![format!(
            "{base}^{odd} mod {number} = {power}",
            number = self.n
        )];
        for _ in 1..twos {
            if power.is_one() || power == n_minus_1 {
                break;
            }
            power = &power * &power % &self.n;
            steps.push(format!("squared: {power}"));
        }
        format!(
            "{number} − 1 = 2^{twos} · {odd}; {powers}. The number passes the test if the first power is 1 or one of the powers is {n_minus_1}.",
            number = self.n,
            powers = steps.join("; ")
        )
    }
}

/// Lists or generates the numbers under test; never empty.
pub(super) fn build_tested_numbers(
    numbers: NumbersTestedForPrimality,
    at: &ScenarioValuePath,
) -> Result<Vec<TestedNumber>, ScenarioValueError> {
    let too_many = |count: &dyn std::fmt::Display| {
        at.error_at_path(format_args!(
            "{count} numbers are too many; use at most {MAX_INSTANCES}"
        ))
    };
    match numbers {
        NumbersTestedForPrimality::List(list) if list.is_empty() => {
            Err(at.error_at_path("the list of numbers is empty; give at least one number"))
        }
        NumbersTestedForPrimality::List(list) if list.len() > MAX_INSTANCES => {
            Err(too_many(&list.len()))
        }
        NumbersTestedForPrimality::List(list) => {
            if let Some(long) = list.iter().find(|n| n.bits() > MAX_NUMBER_BITS) {
                return Err(at.error_at_path(format_args!(
                    "a number of {bits} bits is too long; use at most {MAX_NUMBER_BITS} bits",
                    bits = long.bits()
                )));
            }
            let mut seen = HashSet::new();
            if let Some(twice) = list.iter().find(|n| !seen.insert(*n)) {
                return Err(at.error_at_path(format_args!(
                    "the number {number} is listed twice; remove one",
                    number = shortened_number(twice)
                )));
            }
            Ok(list.into_iter().map(TestedNumber::new).collect())
        }
        NumbersTestedForPrimality::Between(low, high) => {
            if low > high {
                return Err(at.error_at_path(
                    "the first number of Between is greater than the second; swap \
                                    them",
                ));
            }
            if high.bits() > 64 {
                return Err(
                    at.error_at_path("a number in Between is too large; use numbers below 2^64")
                );
            }
            let count = &high - &low + 1_u32;
            if count > BigUint::from(MAX_INSTANCES) {
                return Err(too_many(&count));
            }
            let next = |n: &BigUint| Some(n + 1_u32);
            let all = std::iter::successors(Some(low), next).take_while(|n| *n <= high);
            Ok(all.map(TestedNumber::new).collect())
        }
        NumbersTestedForPrimality::Semiprimes { bits, count } => {
            if !(6..=MAX_NUMBER_BITS).contains(&u64::from(bits)) || bits % 2 == 1 {
                return Err(at.error_at_path(format_args!(
                    "the bits of Semiprimes must be an even number from 6 to {MAX_NUMBER_BITS}"
                )));
            }
            if count == 0 || count as usize > MAX_INSTANCES {
                return Err(at.error_at_path(format_args!(
                    "the count of Semiprimes must be from 1 to {MAX_INSTANCES}"
                )));
            }
            let few = format!(
                "the program finds fewer than {count} products of {bits} bits; use a smaller \
                               count"
            );
            semiprimes(bits, count).ok_or_else(|| at.error_at_path(few))
        }
    }
}

/// Generates `count` distinct products of two primes of `bits / 2` bits each, in increasing order. The two highest bits
/// of each prime are 1, and both primes may be equal. `None` if random draws do not find enough products.
fn semiprimes(bits: u32, count: u32) -> Option<Vec<TestedNumber>> {
    let seed = Seed::new(format!("semiprimes {bits} {count}"))?;
    let mut draws = RandomStream::for_player_in_debate(&seed, RandomStreamPurpose::Instance, 0);
    let mut ordinal = 0;
    let mut prime = || {
        let half = u64::from(bits / 2);
        loop {
            let mut candidate = BigUint::zero();
            for _ in 0..half.div_ceil(32) {
                candidate =
                    (candidate << 32) + (draws.random_53_bit_number_at(ordinal) & 0xffff_ffff);
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
        let p = prime();
        let q = prime();
        let product = products.entry(&p * &q);
        product.or_insert_with(|| TestedNumber::semiprime(p, q));
    }
    Some(products.into_values().collect())
}

/// Maximum number of bits of a composite number, after division by small factors, that is factored completely.
const FACTORED_BITS: u64 = 80;
/// Largest divisor that is searched for by trial division.
const TRIAL_LIMIT: u64 = 1 << 14;

fn is_prime(n: &BigUint) -> bool {
    match n.to_u64() {
        Some(small) => nt_funcs::is_prime64(small),
        None => nt_funcs::is_prime(n, Some(PrimalityTestConfig::bpsw())).probably(),
    }
}

/// Returns the prime factors of a number with their exponents; `None` if the program cannot find them.
pub(super) fn factors(n: &BigUint) -> Option<Vec<(BigUint, usize)>> {
    if let Some(small) = n.to_u64() {
        let primes = nt_funcs::factorize64(small).into_iter();
        return Some(primes.map(|(prime, count)| (prime.into(), count)).collect());
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

/// Formats a number for formulas. Numbers of more than 40 digits show only their first and last 12 digits.
pub(super) fn shortened_number(n: &BigUint) -> String {
    const SHOWN: usize = 12;
    let digits = n.to_string();
    if digits.len() <= 40 {
        return digits;
    }
    let start: String = digits.chars().take(SHOWN).collect();
    let end: String = digits.chars().skip(digits.len() - SHOWN).collect();
    format!("{start}…{end} ({} digits)", digits.len())
}

/// Formats a number for claims: numbers of 5 to 15 digits have a comma before each group of three digits, and numbers
/// of more than 40 digits show only their first and last digits.
pub(super) fn number_text_in_claims(n: &BigUint) -> String {
    add_group_commas(&shortened_number(n)).into_owned()
}
