//! The checks of a Pratt certificate as claims. The claims are about the numbers that an honest prover writes.

use crate::scenario::key::ClaimKeyContent;
use num_bigint::BigUint;
use num_traits::Zero;

use super::super::numbers::{TestedNumber, shortened_number};
use super::{Check, PrattCertificate, ReadNumber, less_one};
use crate::gate::Gate;
use crate::number::to_u32_saturating;
use crate::scenario::{ClaimKey, Computation as _, DecompositionSize, ProblemSupport};

/// The content of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
    /// The claim that the number of this row is prime. Row 0 contains n itself.
    Prime(usize),
    /// A check holds.
    Check(Check),
    /// The known divisor divides n.
    Divisor,
}

impl PrattCertificate {
    /// Returns the claim that belongs to this key. Keys are numbered: 0 is the root, then come the certificate's steps
    /// in order, then the claim about a divisor.
    fn claim(&self, key: &ClaimKey) -> Option<Claim> {
        let ClaimKeyContent::At(index) = &key.0 else {
            return None;
        };
        let Some(step) = index.checked_sub(1) else {
            return Some(Claim::Prime(0));
        };
        if step == self.steps() {
            return Some(Claim::Divisor);
        }
        Some(match self.check(step)? {
            Check::Prime(row) => Claim::Prime(row),
            check => Claim::Check(check),
        })
    }

    /// Returns the numbers of the honest Pratt certificate (a proof that a number is prime) that a check reads.
    fn numbers(&self, check: Check) -> Vec<BigUint> {
        let number = |word| match word {
            ReadNumber::Number(row) => self.rows.get(row).map(|row| row.number.clone()),
            ReadNumber::Base(row) => self.rows.get(row).map(|row| row.base.clone()),
        };
        self.words(check).into_iter().filter_map(number).collect()
    }

    /// Returns all supports of a claim. A number is prime if it passes all its checks and the divisors in its row are
    /// prime. If a divisor of n is known, another support of the claim that n is prime is the negation of the claim
    /// that this divisor divides n.
    pub(in super::super) fn supports(
        &self,
        key: &ClaimKey,
        n: &TestedNumber,
    ) -> Vec<ProblemSupport> {
        let Some(Claim::Prime(row)) = self.claim(key) else {
            return Vec::new();
        };
        let factors = self.factors(row);
        let Some(written) = self.rows.get(row).filter(|_| !factors.is_empty()) else {
            return Vec::new();
        };
        let checks = factors.len() as u64 + 2;
        let own = written.verdict - checks..written.verdict;
        let below = factors.iter().filter_map(|row| self.rows.get(*row));
        let steps = own.chain(below.map(|row| row.verdict));
        let on: Vec<ClaimKey> = steps
            .map(|step| ClaimKey(ClaimKeyContent::At(step + 1)))
            .collect();
        let holds = on.iter().all(|key| self.truth(key, n) == Some(true));
        let certificate = ProblemSupport {
            gate: Gate::All,
            on,
            sound: Some(holds) == self.truth(key, n),
        };
        let divisor = (row == 0 && known_divisor(n).is_some()).then(|| {
            ProblemSupport::sound_support(
                Gate::Not,
                [ClaimKey::key_of_claim_number(self.steps() + 1)],
            )
        });
        divisor.into_iter().chain([certificate]).collect()
    }

    pub(in super::super) fn truth(&self, key: &ClaimKey, n: &TestedNumber) -> Option<bool> {
        Some(match self.claim(key)? {
            Claim::Prime(0) => n.is_prime(),
            // The numbers of the other rows were found by factoring, so they are prime.
            Claim::Prime(_) => true,
            Claim::Check(check) => Self::holds(check, &self.numbers(check)),
            Claim::Divisor => known_divisor(n).is_some(),
        })
    }

    /// Returns the size of the decomposition. A prime that occurs twice in the certificate is one claim.
    pub(in super::super) fn size(&self, n: &TestedNumber) -> DecompositionSize {
        let divisor = u64::from(known_divisor(n).is_some());
        let inner = self.rows.iter().filter(|row| !row.factors.is_empty());
        let checks: u64 = inner.clone().map(|row| 2 + row.factors.len() as u64).sum();
        let bottom = self.rows.len() as u64 - inner.clone().count() as u64;
        let width = inner.map(|row| 2 + 2 * row.factors.len()).max();
        DecompositionSize {
            depth: self.rows.first().map_or(0, |root| root.depth),
            width: to_u32_saturating(width.unwrap_or(0)),
            claims: (self.rows.len() as u64 + checks + divisor).into(),
            leaves: (bottom + checks + divisor).into(),
        }
    }

    pub(in super::super) fn leaf_count_under(&self, key: &ClaimKey) -> u64 {
        match self.claim(key) {
            Some(Claim::Prime(row)) => self.rows.get(row).map_or(1, |row| row.leaves),
            _ => 1,
        }
    }

    /// Returns the claim in words; `None` for the root claim, that n is prime.
    pub(in super::super) fn text(&self, key: &ClaimKey, n: &TestedNumber) -> Option<String> {
        match (self.claim(key)?, known_divisor(n)) {
            (Claim::Prime(0), _) => None,
            (Claim::Prime(row), _) => {
                let number = &self.rows.get(row)?.number;
                Some(format!("{} is prime", shortened_number(number)))
            }
            (Claim::Check(check), _) => self.check_text(check),
            (Claim::Divisor, divisor) => Some(format!(
                "{} divides {}",
                shortened_number(&divisor?),
                shortened_number(n.tested_integer())
            )),
        }
    }

    fn check_text(&self, check: Check) -> Option<String> {
        let numbers = self.numbers(check);
        let (p, rest) = numbers.split_first()?;
        let less = less_one(p);
        let modulus = shortened_number(p);
        let p_minus_1 = shortened_number(&less);
        Some(match (check, rest) {
            (Check::Power(_), [g]) => format!("{g}^{p_minus_1} leaves 1 modulo {modulus}"),
            (Check::Order(..), [g, q]) => {
                let q = shortened_number(q);
                format!("{g}^({p_minus_1}/{q}) does not leave 1 modulo {modulus}")
            }
            (_, primes) => {
                let primes: Vec<String> = primes.iter().map(shortened_number).collect();
                format!(
                    "no prime but {primes} divides {p_minus_1}",
                    primes = primes.join(", ")
                )
            }
        })
    }

    /// Returns the evidence that the judge is shown for a leaf.
    pub(in super::super) fn evidence(&self, key: &ClaimKey, n: &TestedNumber) -> Option<String> {
        match self.claim(key)? {
            Claim::Prime(row) if self.factors(row).is_empty() => Some(
                "A prime has exactly two divisors: 1 and itself. 2 is the smallest prime."
                    .to_owned(),
            ),
            Claim::Prime(_) => None,
            Claim::Divisor => Some(n.division_text(&known_divisor(n)?)),
            Claim::Check(check) => self.worked_out(check),
        }
    }

    fn worked_out(&self, check: Check) -> Option<String> {
        let numbers = self.numbers(check);
        let (p, rest) = numbers.split_first()?;
        let p_minus_1 = less_one(p);
        Some(match (check, rest) {
            (Check::Power(_), [g]) => {
                format!(
                    "{g}^{p_minus_1} mod {p} = {remainder}.",
                    remainder = g.modpow(&p_minus_1, p)
                )
            }
            (Check::Order(..), [g, q]) => {
                let exponent = &p_minus_1 / q;
                let remainder = g.modpow(&exponent, p);
                format!("{p_minus_1} = {q} · {exponent}, and {g}^{exponent} mod {p} = {remainder}.")
            }
            (_, primes) => {
                let powers = product(p_minus_1.clone(), primes);
                format!("As a product of powers, {p_minus_1} = {powers}.")
            }
        })
    }
}

/// Formats a number as a product of powers of these primes.
fn product(mut number: BigUint, primes: &[BigUint]) -> String {
    let powers = primes.iter().map(|prime| {
        let mut count = 0;
        while (&number % prime).is_zero() && !number.is_zero() {
            number /= prime;
            count += 1;
        }
        match count {
            1 => prime.to_string(),
            count => format!("{prime}^{count}"),
        }
    });
    powers.collect::<Vec<_>>().join(" · ")
}

/// Returns the least divisor of n above 1; `None` if n is not composite, or if the program cannot find its divisors.
fn known_divisor(n: &TestedNumber) -> Option<BigUint> {
    n.divisors_up_to_root_if_factored()?.first().cloned()
}
