//! Pratt certificates (V. Pratt, Every Prime Has a Succinct Certificate, SIAM J. Comput. 4, 1975, doi:10.1137/0204018):
//! a number p is prime if and only if some g has g^(p−1) ≡ 1 (mod p), but g^((p−1)/q) ≢ 1 (mod p) for every prime q
//! that divides p − 1. Each such q is shown to be prime in the same way, down to 2.
//!
//! A certificate has a row for every prime that occurs, in decreasing order, with n in row 0. The layout depends only
//! on n: it lists for each row the rows whose numbers divide the row's number less one, as if n were prime. The numbers
//! and their g are the witness, which the prover writes. So a composite n has certificates too; in each of them, at
//! least one check fails.
//!
//! As a computation, every check is one step, which writes one bit. A step that computes with numbers reads all their
//! bits, O(log n) for each number; a gate of a circuit reads only two bits.

mod claims;

use num_bigint::BigUint;
use num_traits::{One, Zero};

use super::numbers::{factors, shortened_number};
use crate::bits::BitString;
use crate::number::index_saturating;
use crate::scenario::{BitSource, Computation, RequiredStepOutput};

/// Effort of the search for a certificate's base g, in bits² · tries. The search makes at least 8 and at most 1,000
/// tries, so it exceeds this effort for very long numbers.
const MAX_SEARCH_EFFORT: u64 = 1 << 22;

/// One number of a certificate.
#[derive(Debug)]
struct Row {
    /// The number p.
    number: BigUint,
    /// The certificate's base g for this row's number p: of the g that were tried, the one that passes the largest
    /// number of p's checks.
    base: BigUint,
    /// The indices of the rows of the primes that divide p − 1.
    factors: Vec<usize>,
    /// The number of the computation's step whose bit says if this row's number p is prime.
    verdict: u64,
    /// The number of leaves below the claim "p is prime".
    leaves: u64,
    /// The number of levels of claims below the claim "p is prime".
    depth: u32,
}

/// The check of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Check {
    /// g^(p−1) ≡ 1 (mod p).
    Power(usize),
    /// The prime q of the second row divides p − 1 of the first row, and g^((p−1)/q) is not 1 modulo p.
    Order(usize, usize),
    /// The check that p − 1 has no prime divisors other than those that the row lists.
    Product(usize),
    /// All checks of this row hold, and the divisors that it lists are prime.
    Prime(usize),
}

/// A number of the certificate all of whose bits a check reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadNumber {
    /// The number of a row.
    Number(usize),
    /// The g of a row.
    Base(usize),
}

/// The Pratt certificate of a number: its layout, and the numbers that an honest prover writes.
#[derive(Debug)]
pub(super) struct PrattCertificate {
    rows: Vec<Row>,
    checks: Vec<Check>,
    /// The number of bits of n, and of every number in the witness.
    width: usize,
}

impl PrattCertificate {
    /// Computes the Pratt certificate of a number; `None` if the program cannot find the primes that it needs.
    pub(super) fn compute_as_if_prime(n: &BigUint) -> Option<Self> {
        let (numbers, divisors) = primes_under(n)?;
        let row_of = |number: &BigUint| {
            let after = numbers.iter().skip(1).position(|other| other == number);
            after.map(|index| index + 1)
        };
        let mut rows = Vec::with_capacity(numbers.len());
        for (number, divisors) in numbers.iter().zip(divisors) {
            rows.push(Row {
                base: best_base(number, &divisors),
                factors: divisors.iter().map(row_of).collect::<Option<_>>()?,
                number: number.clone(),
                verdict: 0,
                leaves: 1,
                depth: 0,
            });
        }
        let mut checks = Vec::new();
        for row in (0..rows.len()).rev() {
            let factors = rows[row].factors.clone();
            checks.push(Check::Power(row));
            checks.extend(factors.iter().map(|factor| Check::Order(row, *factor)));
            checks.push(Check::Product(row));
            rows[row].verdict = checks.len() as u64;
            checks.push(Check::Prime(row));
            if !factors.is_empty() {
                let below = factors.iter().map(|factor| &rows[*factor]);
                let depth = below.clone().map(|row| row.depth).max().unwrap_or(0) + 1;
                let own = 2 + factors.len() as u64;
                rows[row].leaves = below.map(|row| row.leaves).fold(own, u64::saturating_add);
                rows[row].depth = depth;
            }
        }
        let width = usize::try_from(n.bits().max(1)).ok()?;
        Some(Self {
            rows,
            checks,
            width,
        })
    }

    fn check(&self, step: u64) -> Option<Check> {
        self.checks.get(index_saturating(step)).copied()
    }

    /// Returns the numbers that a check reads, in order: the numbers and the bases of rows.
    fn words(&self, check: Check) -> Vec<ReadNumber> {
        match check {
            Check::Power(row) => vec![ReadNumber::Number(row), ReadNumber::Base(row)],
            Check::Order(row, factor) => {
                vec![
                    ReadNumber::Number(row),
                    ReadNumber::Base(row),
                    ReadNumber::Number(factor),
                ]
            }
            Check::Product(row) => {
                let factors = self
                    .factors(row)
                    .iter()
                    .map(|factor| ReadNumber::Number(*factor));
                std::iter::once(ReadNumber::Number(row))
                    .chain(factors)
                    .collect()
            }
            Check::Prime(_) => Vec::new(),
        }
    }

    /// Appends the sources of the bits of a number that a check reads. The witness is the base g of row 0, then the
    /// number and the base of each other row, most significant bits first.
    fn append_sources(&self, word: ReadNumber, into: &mut Vec<BitSource>) {
        let number = match word {
            ReadNumber::Number(0) => {
                return into.extend((0..self.width as u64).map(BitSource::Input));
            }
            ReadNumber::Number(row) => 2 * row - 1,
            ReadNumber::Base(row) => 2 * row,
        };
        let indices = number * self.width..(number + 1) * self.width;
        into.extend(indices.map(|index| BitSource::Witness(index as u64)));
    }

    /// True if a check holds for these numbers. They are in the order in which the check reads them.
    fn holds(check: Check, numbers: &[BigUint]) -> bool {
        let (p, rest) = match numbers {
            [p, rest @ ..] if *p >= BigUint::from(2_u32) => (p, rest),
            _ => return false,
        };
        let less = p - 1_u32;
        match (check, rest) {
            (Check::Power(_), [g]) => is_power_one(g, &less, p),
            (Check::Order(..), [g, q]) => {
                let divides = !q.is_zero() && (&less % q).is_zero();
                divides && !is_power_one(g, &(&less / q), p)
            }
            (Check::Product(_), primes) => is_product(less, primes),
            _ => false,
        }
    }

    fn name(&self, word: ReadNumber) -> String {
        let (p, _, g) = match word {
            ReadNumber::Number(row) | ReadNumber::Base(row) => self.names(row),
        };
        match word {
            ReadNumber::Number(_) => p,
            ReadNumber::Base(_) => g,
        }
    }

    /// Returns three names for formulas: of a row's number p, of p − 1, and of its base g.
    fn names(&self, row: usize) -> (String, String, String) {
        match self.rows.first() {
            Some(root) if row == 0 => {
                let n = &root.number;
                (
                    shortened_number(n),
                    shortened_number(&less_one(n)),
                    "g".to_owned(),
                )
            }
            _ => (format!("p{row}"), format!("(p{row}−1)"), format!("g{row}")),
        }
    }

    fn factors(&self, row: usize) -> &[usize] {
        self.rows.get(row).map_or(&[], |row| &row.factors)
    }
}

/// Returns the numbers of a certificate, largest first: n and all primes that its certificate needs. For each number p,
/// also returns the prime divisors of p − 1. `None` if the program cannot find them.
fn primes_under(n: &BigUint) -> Option<(Vec<BigUint>, Vec<Vec<BigUint>>)> {
    let mut open = vec![n.clone()];
    let mut certificates = std::collections::BTreeMap::new();
    while let Some(p) = open.pop() {
        if certificates.contains_key(&p) {
            continue;
        }
        let divisors: Vec<BigUint> = if p <= BigUint::from(2_u32) {
            Vec::new()
        } else {
            let powers = factors(&(&p - 1_u32))?;
            let mut divisors: Vec<BigUint> = powers.into_iter().map(|(prime, _)| prime).collect();
            divisors.sort();
            divisors
        };
        open.extend(divisors.iter().cloned());
        certificates.insert(p, divisors);
    }
    Some(certificates.into_iter().rev().unzip())
}

/// Searches for a certificate's base g for p: the least one with which p passes all checks. If none is found, returns
/// the least one with the most passed checks, preferably including the check of g^(p−1).
fn best_base(p: &BigUint, primes: &[BigUint]) -> BigUint {
    let passed = |g: &BigUint| {
        let power = PrattCertificate::holds(Check::Power(0), &[p.clone(), g.clone()]);
        let orders = primes.iter().filter(|q| {
            let numbers = [p.clone(), g.clone(), (*q).clone()];
            PrattCertificate::holds(Check::Order(0, 0), &numbers)
        });
        (usize::from(power) + orders.count(), power)
    };
    let mut best = (passed(&BigUint::one()), BigUint::one());
    let tries = (MAX_SEARCH_EFFORT / (p.bits() * p.bits()).max(1)).clamp(8, 1000);
    for g in (2..2 + tries).map(BigUint::from).take_while(|g| g < p) {
        if best.0.0 > primes.len() {
            break;
        }
        let passed = passed(&g);
        if passed > best.0 {
            best = (passed, g);
        }
    }
    best.1
}

/// Returns n − 1, or 0 if n is 0.
fn less_one(n: &BigUint) -> BigUint {
    if n.is_zero() {
        BigUint::zero()
    } else {
        n - 1_u32
    }
}

/// True if g^e ≡ 1 modulo p, for p ≥ 2. Computes in machine words if the numbers fit: this must be fast, because checks
/// are repeated for every bit and every reply.
fn is_power_one(g: &BigUint, e: &BigUint, p: &BigUint) -> bool {
    let words = (u32::try_from(g), u64::try_from(e), u32::try_from(p));
    let (Ok(g), Ok(mut e), Ok(p)) = words else {
        return g.modpow(e, p).is_one();
    };
    let p = u64::from(p);
    let mut power = 1;
    let mut square = u64::from(g) % p;
    while e > 0 {
        if e % 2 == 1 {
            power = power * square % p;
        }
        square = square * square % p;
        e /= 2;
    }
    power == 1
}

/// True if a number is a product of powers of these primes, each with an exponent of at least 1.
fn is_product(mut number: BigUint, primes: &[BigUint]) -> bool {
    for prime in primes {
        if *prime < BigUint::from(2_u32) || !(&number % prime).is_zero() {
            return false;
        }
        while (&number % prime).is_zero() {
            number /= prime;
        }
    }
    number.is_one()
}

/// Returns the number with these binary digits, the most significant first.
fn number(bits: &[bool]) -> BigUint {
    let digits: Vec<u8> = bits.iter().map(|bit| u8::from(*bit)).collect();
    BigUint::from_radix_be(&digits, 2).unwrap_or_default()
}

/// Formats numbers with their names, such as "g = 2, p1 = 5".
fn in_words(words: impl Iterator<Item = (String, BigUint)>) -> String {
    let words = words.map(|(name, value)| format!("{name} = {}", shortened_number(&value)));
    words.collect::<Vec<_>>().join(", ")
}

impl Computation for PrattCertificate {
    fn steps(&self) -> u64 {
        self.checks.len() as u64
    }

    fn input(&self, index: u64) -> bool {
        let above = (self.width as u64).checked_sub(index + 1);
        let n = self.rows.first().map(|root| &root.number);
        above.zip(n).is_some_and(|(index, n)| n.bit(index))
    }

    fn witness_length(&self) -> u64 {
        ((2 * self.rows.len() - 1) * self.width) as u64
    }

    fn witness(&self) -> BitString {
        let words = self.rows.iter().enumerate().flat_map(|(row, written)| {
            let number = (row > 0).then_some(&written.number);
            number.into_iter().chain([&written.base])
        });
        let bit = |word: &BigUint, index: usize| word.bit((self.width - 1 - index) as u64);
        words
            .flat_map(|word| (0..self.width).map(move |index| bit(word, index)))
            .collect()
    }

    fn reads(&self, step: u64, into: &mut Vec<BitSource>) {
        into.clear();
        match self.check(step) {
            None => {}
            Some(check @ (Check::Power(_) | Check::Order(..) | Check::Product(_))) => {
                for word in self.words(check) {
                    self.append_sources(word, into);
                }
            }
            Some(Check::Prime(row)) => {
                let checks = self.factors(row).len() as u64 + 2;
                into.extend((step - checks..step).map(BitSource::Step));
                let below = self
                    .factors(row)
                    .iter()
                    .filter_map(|row| self.rows.get(*row));
                into.extend(below.map(|row| BitSource::Step(row.verdict)));
            }
        }
    }

    fn rule(&self, step: u64, bits: &[bool]) -> RequiredStepOutput {
        RequiredStepOutput::Value(match self.check(step) {
            None => false,
            Some(Check::Prime(_)) => bits.iter().all(|holds| *holds),
            Some(check) => {
                let numbers: Vec<BigUint> = bits.chunks(self.width).map(number).collect();
                Self::holds(check, &numbers)
            }
        })
    }

    fn asks(&self) -> bool {
        false
    }

    fn step_text(&self, step: u64) -> String {
        match self.check(step) {
            None => String::new(),
            Some(Check::Power(row)) => {
                let (p, p_minus_1, g) = self.names(row);
                format!("{g}^{p_minus_1} ≡ 1 (mod {p})")
            }
            Some(Check::Order(row, factor)) => {
                let ((p, p_minus_1, g), (q, ..)) = (self.names(row), self.names(factor));
                format!("{g}^({p_minus_1}/{q}) ≢ 1 (mod {p})")
            }
            Some(Check::Product(row)) if self.factors(row).is_empty() => {
                format!("{} is 2", self.names(row).0)
            }
            Some(Check::Product(row)) => {
                let primes = self
                    .factors(row)
                    .iter()
                    .map(|row| self.names(*row).0)
                    .collect::<Vec<_>>()
                    .join(", ");
                format!(
                    "no prime but {primes} divides {p_minus_1}",
                    p_minus_1 = self.names(row).1
                )
            }
            Some(Check::Prime(row)) => {
                format!(
                    "{number} passes all its checks, so it is prime",
                    number = self.names(row).0
                )
            }
        }
    }

    fn witness_text(&self, witness: &BitString) -> Option<String> {
        let rows =
            (1..self.rows.len()).flat_map(|row| [ReadNumber::Number(row), ReadNumber::Base(row)]);
        let names = std::iter::once(ReadNumber::Base(0))
            .chain(rows)
            .map(|word| self.name(word));
        let words = witness.as_slice().chunks(self.width).map(number);
        Some(in_words(names.zip(words)))
    }

    fn reads_text(&self, step: u64, bits: &[bool]) -> Option<String> {
        let words = self.words(self.check(step)?);
        let first = words.first()?;
        // Every player knows n, so its value need not be shown.
        let known = usize::from(*first == ReadNumber::Number(0));
        let numbers = bits.chunks(self.width).map(number);
        let names = words.iter().map(|word| self.name(*word));
        Some(in_words(names.zip(numbers).skip(known)))
    }

    fn source_text(&self, source: BitSource) -> String {
        let (word, index) = match source {
            BitSource::Step(step) => return format!("step {step}"),
            BitSource::Input(index) => (ReadNumber::Number(0), index),
            BitSource::Witness(bit) => {
                let word = index_saturating(bit) / self.width;
                let index = bit % self.width as u64;
                let row = word.div_ceil(2);
                let is_base = word.is_multiple_of(2);
                (
                    if is_base {
                        ReadNumber::Base(row)
                    } else {
                        ReadNumber::Number(row)
                    },
                    index,
                )
            }
        };
        format!("bit {index} of {}", self.name(word))
    }
}
