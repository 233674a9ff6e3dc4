//! Primality: the usual example of an obfuscated argument (PE §7).
//!
//! A fast test shows that a number is composite, but does not find a divisor. So if a liar claims that a composite
//! number is prime and splits the trial divisions into parts, neither side knows which part is wrong.

mod numbers;
mod pratt;

use std::sync::{Arc, OnceLock};

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};

use self::numbers::{TestedNumber, number_text_in_claims, shortened_number};
use super::belief::{PossibleFlawIntegers, TruthDistributionBelief};
use super::computation::Computation;
use super::decomposition::{
    ComputationProblem, Decomposition, DecompositionSize, LevelClaimAndLeafCounts, PossibleWorld,
    ProblemSupport, balanced_tree_levels, balanced_tree_size, levels_by_traversal,
    split_span_evenly,
};
use super::flaw::{ScenarioValueError, ScenarioValuePath};
use super::key::{ClaimKey, ClaimKeyContent};
use crate::gate::Gate;
use crate::number::{Exact, Number as _, to_u32_saturating};

/// Limit up to which the program lists primes. For divisors up to it, `primes_from` is allowed, and only primes count
/// as possible divisors.
const SIEVE_LIMIT: u64 = 10_000_000;

/// A checked primality problem.
#[derive(Debug)]
pub struct PrimalityProblem {
    numbers: Vec<TestedNumber>,
    worlds: Vec<PossibleWorld>,
    knows: TestedNumberVisibility,
    method: PrimalityMethod,
    /// All primes up to the largest candidate divisor of all numbers, or up to [`SIEVE_LIMIT`] if that is smaller.
    primes: OnceLock<Arc<[u64]>>,
}

impl PrimalityProblem {
    /// Checks a primality problem.
    ///
    /// # Errors
    /// Returns an error if there are no numbers or too many, if a number is too long or repeated, or if the
    /// decomposition does not suit the numbers. The error's path is below `at`, the path of the problem, or it is the
    /// path of the decomposition.
    pub fn build(spec: PrimalitySpec, at: &ScenarioValuePath) -> Result<Self, ScenarioValueError> {
        check_method(&spec.method)?;
        let numbers = numbers::build_tested_numbers(spec.numbers, at)?;
        let world = |tested: &TestedNumber| PossibleWorld::new(tested.tested_integer().to_string());
        let worlds = numbers.iter().map(world).collect();
        let problem = Self {
            numbers,
            worlds,
            knows: spec.estimator_knows,
            method: spec.method,
            primes: OnceLock::new(),
        };
        problem.check_prime_candidates(at)?;
        problem.check_decidable(at)?;
        Ok(problem)
    }

    /// Checks that the program can list the prime candidates, and that no number has a divisor smaller than the
    /// candidates.
    fn check_prime_candidates(&self, at: &ScenarioValuePath) -> Result<(), ScenarioValueError> {
        let Some(from) = self.primes_from() else {
            return Ok(());
        };
        for tested in &self.numbers {
            let n = tested.tested_integer();
            if n.sqrt() > BigUint::from(SIEVE_LIMIT) {
                return Err(at.error_at_path(format_args!(
                    "the number {number} is too large for primes_from: its square root may be at most {SIEVE_LIMIT}",
                    number = shortened_number(n)
                )));
            }
            let smaller = self.all_primes().iter().take_while(|prime| **prime < from);
            for prime in smaller.copied() {
                if (n % prime).is_zero() && *n != BigUint::from(prime) {
                    return Err(at.error_at_path(format_args!(
                        "{} is divisible by {prime}, below primes_from: {from}; remove the number \
                         or choose a smaller primes_from",
                        number_text_in_claims(n)
                    )));
                }
            }
        }
        Ok(())
    }

    /// For `Pratt`, checks that every number of more than 64 bits has a certificate. For several numbers under
    /// `Intervals`, checks that the program can find their divisors, because posteriors depend on them.
    fn check_decidable(&self, at: &ScenarioValuePath) -> Result<(), ScenarioValueError> {
        let mut numbers = self.numbers.iter();
        let (undecided, what) = match self.method {
            PrimalityMethod::Intervals { .. } if self.numbers.len() > 1 => (
                numbers.find(|tested| tested.divisors_up_to_root_if_factored().is_none()),
                "is composite but could not be factored, so the other instances of the \
                 distribution cannot be weighed; use it alone, or use Semiprimes(..)",
            ),
            PrimalityMethod::Pratt => (
                numbers.find(|it| it.tested_integer().bits() > 64 && it.certificate().is_none()),
                "minus one could not be factored, or a prime factor of it minus one, so there is \
                 no certificate; use a shorter number, or write `decomposition: Intervals(width: \
                 4)`",
            ),
            PrimalityMethod::Witnesses { .. } | PrimalityMethod::Intervals { .. } => return Ok(()),
        };
        match undecided {
            None => Ok(()),
            Some(tested) => Err(at.error_at_path(format_args!(
                "{} {what}",
                shortened_number(tested.tested_integer())
            ))),
        }
    }

    fn number(&self, world: usize) -> &TestedNumber {
        &self.numbers[world]
    }

    /// Returns the lower bound of the candidate divisors if only primes are candidates; `None` if all integers are.
    fn primes_from(&self) -> Option<u64> {
        match self.method {
            PrimalityMethod::Intervals { primes_from, .. } => primes_from,
            _ => None,
        }
    }

    /// Returns the first and the last candidate divisor: 2 and ⌊√n⌋, or the least and the greatest prime candidate.
    /// `None` if there is no candidate.
    fn candidates(&self, world: usize) -> Option<(BigUint, BigUint)> {
        let root = self.number(world).tested_integer().sqrt();
        if let Some(from) = self.primes_from() {
            let primes = self.primes_in(&from.into(), &root);
            return Some(((*primes.first()?).into(), (*primes.last()?).into()));
        }
        (root >= BigUint::from(2_u32)).then(|| (2_u32.into(), root))
    }

    /// Returns the primes from `low` to `high`. Primes above [`SIEVE_LIMIT`], or above ⌊√n⌋ for the largest tested
    /// number n, are missing, because the program does not list them.
    fn primes_in(&self, low: &BigUint, high: &BigUint) -> &[u64] {
        let primes = self.all_primes();
        let first = primes.partition_point(|prime| BigUint::from(*prime) < *low);
        let end = primes.partition_point(|prime| BigUint::from(*prime) <= *high);
        primes.get(first..end).unwrap_or(&[])
    }

    /// Returns the number of candidate divisors from `low` to `high`.
    fn candidate_count(&self, low: &BigUint, high: &BigUint) -> BigUint {
        match self.primes_from() {
            Some(_) => self.primes_in(low, high).len().into(),
            None => high + 1_u32 - low,
        }
    }

    /// Splits the candidate divisors from `low` to `high` into at most `width` ranges of almost equal size, larger
    /// ranges first.
    fn split_candidates(&self, low: &BigUint, high: &BigUint, width: u32) -> Vec<ClaimKey> {
        if self.primes_from().is_none() {
            return split_span_evenly(low, high, width);
        }
        let mut rest = self.primes_in(low, high);
        let mut parts = Vec::new();
        for left in (1..=rest.len().min(width as usize)).rev() {
            let (part, later) = rest.split_at(rest.len().div_ceil(left));
            if let (Some(first), Some(last)) = (part.first(), part.last()) {
                let span = Box::new(((*first).into(), (*last).into()));
                parts.push(ClaimKey(ClaimKeyContent::Span(span)));
            }
            rest = later;
        }
        parts
    }

    fn span(&self, key: &ClaimKey, world: usize) -> Option<(BigUint, BigUint)> {
        match &key.0 {
            ClaimKeyContent::Span(span) => Some((**span).clone()),
            _ => self.candidates(world),
        }
    }

    /// Returns the base of the Miller–Rabin test that a claim is about; `None` for other claims.
    fn base(&self, key: &ClaimKey) -> Option<u64> {
        match (&key.0, &self.method) {
            (ClaimKeyContent::At(index @ 1..), PrimalityMethod::Witnesses { bases }) => {
                bases.get(usize::try_from(index - 1).ok()?).copied()
            }
            _ => None,
        }
    }

    /// Describes in words a step of the Pratt certificate, or a claim about it.
    fn certified_text(&self, key: &ClaimKey, world: usize) -> Option<String> {
        let tested = self.number(world);
        match (&key.0, &self.method) {
            (ClaimKeyContent::Step(step), _) => Some(tested.certificate()?.step_text(*step)),
            (ClaimKeyContent::At(1..), PrimalityMethod::Pratt) => {
                tested.certificate()?.text(key, tested)
            }
            _ => None,
        }
    }

    fn all_primes(&self) -> &Arc<[u64]> {
        self.primes.get_or_init(|| {
            let roots = self
                .numbers
                .iter()
                .map(|tested| tested.tested_integer().sqrt());
            let greatest = roots.max().and_then(|root| root.to_u64());
            let limit = greatest.map_or(SIEVE_LIMIT, |root| root.min(SIEVE_LIMIT));
            num_prime::nt_funcs::primes(limit).into()
        })
    }

    /// Returns the set of possible values of a divisor that is at most `high`: primes or all integers.
    fn divisor_positions(&self, high: &BigUint) -> PossibleFlawIntegers {
        match high.to_u64().filter(|high| *high <= SIEVE_LIMIT) {
            Some(_) => PossibleFlawIntegers::Primes(self.all_primes().clone()),
            None => PossibleFlawIntegers::Integers,
        }
    }
}

impl Decomposition for PrimalityProblem {
    fn worlds(&self) -> &[PossibleWorld] {
        &self.worlds
    }

    fn root(&self, _world: usize) -> ClaimKey {
        ClaimKey(ClaimKeyContent::At(0))
    }

    fn supports(&self, key: &ClaimKey, world: usize) -> Vec<ProblemSupport> {
        match (&self.method, &key.0) {
            (PrimalityMethod::Intervals { width, .. }, _) => {
                let span = self.span(key, world);
                let single = |(low, high): &(BigUint, BigUint)| {
                    matches!(key.0, ClaimKeyContent::Span(_)) && low == high
                };
                let split = span.filter(|span| !single(span)).map(|(low, high)| {
                    ProblemSupport::sound_support(
                        Gate::All,
                        self.split_candidates(&low, &high, *width),
                    )
                });
                split.into_iter().collect()
            }
            (PrimalityMethod::Witnesses { bases }, ClaimKeyContent::At(0)) => {
                let passes = bases
                    .iter()
                    .map(|base| self.number(world).passes_miller_rabin(*base));
                vec![ProblemSupport {
                    gate: Gate::Majority,
                    on: (1..=bases.len() as u64)
                        .map(ClaimKey::key_of_claim_number)
                        .collect(),
                    sound: Gate::Majority.value_for_outcomes(passes)
                        == self.number(world).is_prime(),
                }]
            }
            (PrimalityMethod::Witnesses { .. }, _) => Vec::new(),
            (PrimalityMethod::Pratt, _) => {
                let tested = self.number(world);
                let certificate = tested.certificate();
                certificate.map_or_else(Vec::new, |certificate| certificate.supports(key, tested))
            }
        }
    }

    fn truth(&self, key: &ClaimKey, world: usize) -> Option<bool> {
        let tested = self.number(world);
        match (&key.0, &self.method) {
            (ClaimKeyContent::At(1..), PrimalityMethod::Pratt) => {
                tested.certificate()?.truth(key, tested)
            }
            (ClaimKeyContent::At(0), _) => Some(tested.is_prime()),
            (ClaimKeyContent::Span(span), _) if self.primes_from().is_some() => {
                tested.has_no_prime_divisor(&span.0, &span.1)
            }
            (ClaimKeyContent::Span(span), _) => tested.has_no_divisor(&span.0, &span.1),
            _ => Some(tested.passes_miller_rabin(self.base(key)?)),
        }
    }

    fn is_decidable(&self, world: usize) -> bool {
        match self.method {
            PrimalityMethod::Intervals { .. } => self
                .number(world)
                .divisors_up_to_root_if_factored()
                .is_some(),
            PrimalityMethod::Witnesses { .. } => true,
            PrimalityMethod::Pratt => self.number(world).certificate().is_some(),
        }
    }

    fn size(&self, world: usize) -> DecompositionSize {
        let leaf = |count: usize, width: u32| DecompositionSize {
            depth: u32::from(width > 0),
            width,
            claims: (count + usize::from(width > 0)).into(),
            leaves: count.into(),
        };
        match &self.method {
            PrimalityMethod::Witnesses { bases } => {
                leaf(bases.len(), to_u32_saturating(bases.len()))
            }
            PrimalityMethod::Intervals { width, .. } => match self.candidates(world) {
                Some((low, high)) => {
                    balanced_tree_size(&self.candidate_count(&low, &high), *width, true)
                }
                None => leaf(1, 0),
            },
            PrimalityMethod::Pratt => {
                let tested = self.number(world);
                let certificate = tested.certificate();
                certificate.map_or_else(|| leaf(1, 0), |certificate| certificate.size(tested))
            }
        }
    }

    fn levels(
        &self,
        key: &ClaimKey,
        world: usize,
        most: usize,
    ) -> Option<Vec<LevelClaimAndLeafCounts>> {
        match (&self.method, self.span(key, world)) {
            (PrimalityMethod::Intervals { width, .. }, Some((low, high))) => {
                let candidates = self.candidate_count(&low, &high);
                let is_root = !matches!(key.0, ClaimKeyContent::Span(_));
                Some(balanced_tree_levels(&candidates, *width, is_root))
            }
            _ => levels_by_traversal(key, |key| self.supports(key, world), most),
        }
    }

    fn leaf_count_under(&self, key: &ClaimKey, world: usize) -> u64 {
        match (&self.method, &key.0) {
            (PrimalityMethod::Witnesses { bases }, ClaimKeyContent::At(0)) => bases.len() as u64,
            (PrimalityMethod::Witnesses { .. }, _) => 1,
            (PrimalityMethod::Pratt, _) => {
                let certificate = self.number(world).certificate();
                certificate.map_or(1, |certificate| certificate.leaf_count_under(key))
            }
            (PrimalityMethod::Intervals { .. }, _) => {
                self.span(key, world).map_or(1, |(low, high)| {
                    let count = self.candidate_count(&low, &high);
                    count.to_u64().unwrap_or(u64::MAX)
                })
            }
        }
    }

    fn text(&self, key: &ClaimKey, world: usize) -> String {
        let n = number_text_in_claims(self.number(world).tested_integer());
        if let Some(text) = self.certified_text(key, world) {
            return text;
        }
        match &key.0 {
            ClaimKeyContent::Span(span) if span.0 == span.1 => {
                format!(
                    "{n} is not divisible by {divisor}",
                    divisor = number_text_in_claims(&span.0)
                )
            }
            ClaimKeyContent::Span(span) => {
                let low = number_text_in_claims(&span.0);
                let high = number_text_in_claims(&span.1);
                match self.primes_from() {
                    Some(_) => format!("no prime from {low} to {high} divides {n}"),
                    None => format!("{n} has no divisor from {low} to {high}"),
                }
            }
            _ => match self.base(key) {
                Some(base) => format!("{n} passes the Miller–Rabin test to base {base}"),
                None => format!("{n} is prime"),
            },
        }
    }

    fn short_text(&self, key: &ClaimKey, world: usize) -> String {
        match &key.0 {
            ClaimKeyContent::Span(span) if span.0 == span.1 => {
                format!("not divisible by {}", number_text_in_claims(&span.0))
            }
            ClaimKeyContent::Span(span) => format!(
                "none of {}–{}",
                number_text_in_claims(&span.0),
                number_text_in_claims(&span.1)
            ),
            _ => match self.base(key) {
                Some(base) => format!("passes base {base}"),
                None => self.text(key, world),
            },
        }
    }

    fn evidence(&self, key: &ClaimKey, world: usize) -> Option<String> {
        let tested = self.number(world);
        match (&key.0, &self.method) {
            (_, PrimalityMethod::Pratt) => tested.certificate()?.evidence(key, tested),
            (ClaimKeyContent::Span(span), _) if span.0 == span.1 => {
                Some(tested.division_text(&span.0))
            }
            (ClaimKeyContent::At(0), _) if self.candidates(world).is_none() => Some(
                "A prime has exactly two divisors: 1 and itself. 2 is the smallest prime."
                    .to_owned(),
            ),
            _ => Some(tested.miller_rabin_text(self.base(key)?)),
        }
    }

    fn belief(&self, world: usize) -> TruthDistributionBelief {
        let tested = self.number(world);
        if self.knows == TestedNumberVisibility::Number {
            return TruthDistributionBelief::Worlds(vec![(world, true.into())]);
        }
        // A check of a certificate is about one number only, so other worlds carry no information about it.
        if self.numbers.len() > 1 && self.method != PrimalityMethod::Pratt {
            let fits = |other: &TestedNumber| match self.knows {
                TestedNumberVisibility::Nothing => true,
                _ => {
                    other.tested_integer().bits() == tested.tested_integer().bits()
                        && other.is_prime() == tested.is_prime()
                }
            };
            let worlds = self
                .numbers
                .iter()
                .enumerate()
                .filter(|(_, other)| fits(other));
            return TruthDistributionBelief::Worlds(
                worlds.map(|(index, _)| (index, true.into())).collect(),
            );
        }
        let prime = match self.knows {
            TestedNumberVisibility::Nothing => Exact::ratio(1, 2),
            _ => Exact::indicator(tested.is_prime()),
        };
        match (&self.method, self.candidates(world)) {
            (PrimalityMethod::Intervals { .. }, Some((low, high))) => {
                TruthDistributionBelief::Place {
                    none: prime,
                    count: self.divisor_positions(&high),
                    all: Box::new((low, high)),
                }
            }
            // A composite passes a random base with probability at most a quarter.
            _ => TruthDistributionBelief::Each {
                other: &prime + (Exact::one() - &prime) * Exact::ratio(1, 4),
                root: prime,
            },
        }
    }

    fn flaw_position_count(&self, world: usize) -> Option<BigUint> {
        let candidates = self.candidates(world)?;
        match self.method {
            PrimalityMethod::Intervals { .. } if self.number(world).is_prime() => {
                Some(BigUint::ZERO)
            }
            PrimalityMethod::Intervals { .. } => Some(
                self.divisor_positions(&candidates.1)
                    .possible_flaw_count_within(&candidates),
            ),
            _ => None,
        }
    }

    fn cheap_test(&self, world: usize) -> Option<bool> {
        (self.knows != TestedNumberVisibility::Nothing).then(|| self.number(world).is_prime())
    }

    fn solution(&self, world: usize) -> Option<String> {
        Some(self.number(world).primality_solution_text())
    }

    fn public_knowledge_in_words(&self, world: usize) -> Option<String> {
        let known = match self.knows {
            TestedNumberVisibility::Number => "everything that can be computed about the number",
            TestedNumberVisibility::Nothing => "only the possible numbers",
            TestedNumberVisibility::Size if self.number(world).is_prime() => {
                "that the number is prime, from one exact primality test"
            }
            TestedNumberVisibility::Size => {
                "that the number is composite, from one primality test, but no divisor"
            }
        };
        Some(known.to_owned())
    }

    fn public_knowledge_without_values(&self) -> Option<&'static str> {
        (self.knows == TestedNumberVisibility::Size).then_some(
            "from a single test, whether the number is composite, but none of its divisors",
        )
    }

    fn as_computation(&self) -> Option<&dyn ComputationProblem> {
        Some(self)
    }
}

impl ComputationProblem for PrimalityProblem {
    fn computation(&self, world: usize) -> Option<Arc<dyn Computation>> {
        let certificate = self.number(world).certificate()?.clone();
        Some(certificate)
    }
}

/// Maximum number of tested numbers in a primality problem, and of listed inputs in a circuit problem. Each is one
/// instance.
pub const MAX_INSTANCES: usize = 100_000;
/// Maximum number of bits of a number under test.
pub const MAX_NUMBER_BITS: u64 = 4096;

/// The numbers under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NumbersTestedForPrimality {
    /// A list, each equally likely.
    List(Vec<BigUint>),
    /// All integers from the first to the second, including both; each is equally likely.
    Between(BigUint, BigUint),
    /// Generated products of two primes that have half the bits each. The same parameters always give the same
    /// products.
    Semiprimes {
        /// The number of bits of each product of two primes.
        bits: u32,
        /// The number of products.
        count: u32,
    },
}

/// The knowledge about the tested number that a player has who cannot decide claims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename = "kind of knowledge")]
pub enum TestedNumberVisibility {
    /// The player knows the number, and everything that can be computed from it.
    Number,
    /// The player knows the length of the number and the result of one primality test, but may not compute with its
    /// digits.
    #[default]
    Size,
    /// The player knows only the distribution from which the number is drawn.
    Nothing,
}

/// The method by which the claim that a number is prime is split into subclaims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrimalityMethod {
    /// Claims that n has no divisor from a to b, beginning with all candidates from 2 to ⌊√n⌋. Each claim is split into
    /// at most `width` ranges, larger ranges first, down to single candidates.
    Intervals {
        /// The largest number of ranges into which a range is split; at least 2.
        width: u32,
        /// If set, only primes from this number up to ⌊√n⌋ are candidate divisors, and no tested number may have a
        /// smaller divisor. `None`: all integers from 2 to ⌊√n⌋ are candidates.
        primes_from: Option<u64>,
    },
    /// The claim that n is prime is split into claims that n passes the Miller–Rabin test, one for each of these bases.
    /// The gate is their majority.
    Witnesses {
        /// The bases of the Miller–Rabin tests, each at least 2.
        bases: Vec<u64>,
    },
    /// The checks of a Pratt certificate, down to the prime 2. For a composite number, also the claim that a known
    /// divisor divides it.
    Pratt,
}

/// A primality problem in the form in which a scenario file writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrimalitySpec {
    /// The numbers under test.
    pub numbers: NumbersTestedForPrimality,
    pub estimator_knows: TestedNumberVisibility,
    /// The method by which the claim that a number is prime is split into subclaims.
    pub method: PrimalityMethod,
}

/// Checks the parameters of a primality problem's `decomposition`, such as the width of `Intervals`.
fn check_method(method: &PrimalityMethod) -> Result<(), ScenarioValueError> {
    let at = ScenarioValuePath::path_of_top_level_field("decomposition");
    match method {
        PrimalityMethod::Intervals { width, .. } if *width < 2 => {
            Err(at.error_at_path("the method Intervals needs a width of at least 2"))
        }
        PrimalityMethod::Intervals {
            primes_from: Some(from),
            ..
        } if *from < 2 => Err(at.error_at_path("primes_from must be at least 2")),
        PrimalityMethod::Witnesses { bases } if bases.is_empty() => {
            Err(at.error_at_path("the method Witnesses has no base; add one"))
        }
        PrimalityMethod::Witnesses { bases } => match bases.iter().find(|base| **base < 2) {
            Some(base) => {
                Err(at.error_at_path(format_args!("base {base} is too small; use 2 or more")))
            }
            None => Ok(()),
        },
        PrimalityMethod::Intervals { .. } | PrimalityMethod::Pratt => Ok(()),
    }
}
