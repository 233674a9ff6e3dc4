//! Primality problems: checks the numbers in a scenario file, and builds the problem.

use num_bigint::BigUint;
use ron::value::RawValue;
use serde::Deserialize;

use super::error::ScenarioLimitFlag;
use super::reader::{self, OneOfTwoFields, ProblemInFile, Result, ScenarioReader};
use super::written;
use debate_core::number::number_text_in_raw_ron;
use debate_core::scenario::{
    Decomposition as _, MAX_INSTANCES, MAX_NUMBER_BITS, NumbersTestedForPrimality, PrimalityMethod,
    PrimalityProblem, PrimalitySpec, ScenarioValuePath, TestedNumberVisibility,
};
use debate_core::text::shortened_in_backticks;

/// Maximum number of digits of a number in a scenario file: a few more than [`MAX_NUMBER_BITS`] requires.
const MAX_WRITTEN: usize = 1300;

/// Maximum work for finding the primes that a scenario file requests, in bits⁴ · count: about ten seconds.
const MAX_PRIME_SEARCH_WORK: u128 = 1 << 48;

/// Maximum work for testing and factoring the numbers in a scenario file: about ten seconds. The unit is that of
/// [`factoring`].
const MAX_FACTORING_WORK: u64 = 1 << 28;

/// The number of groups into which an interval of divisors is split, if the scenario file does not say.
const WIDTH: u32 = 4;

/// A primality problem as the scenario file states it, with one number or several.
#[derive(Deserialize)]
#[serde(rename = "Primality", deny_unknown_fields)]
pub(super) struct PrimalityProblemInFile<'f> {
    #[serde(borrow)]
    number: Option<&'f RawValue>,
    #[serde(borrow)]
    numbers: Option<&'f RawValue>,
    #[serde(default)]
    estimator_knows: TestedNumberVisibility,
}

/// A request in a scenario file that the program generates the debated numbers. The bounds are raw texts, because they
/// may exceed the parser's integers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename = "kind of numbers")]
enum NumbersForm<'f> {
    Between(#[serde(borrow)] &'f RawValue, #[serde(borrow)] &'f RawValue),
    Semiprimes { bits: u32, count: u32 },
}

impl ProblemInFile for PrimalityProblemInFile<'_> {
    type Problem = PrimalityProblem;
    const KIND: &'static str = "primality";
    fn problem(
        self,
        reader: &ScenarioReader<'_>,
        decomposition: reader::RequestedDecomposition<'_>,
    ) -> Result<PrimalityProblem> {
        let at = &Self::path();
        let (numbers, largest) = numbers(reader, self.number, self.numbers, at)?;
        let spec = PrimalitySpec {
            numbers,
            estimator_knows: self.estimator_knows,
            method: method(reader, decomposition)?,
        };
        let built = PrimalityProblem::build(spec, at)
            .map_err(|flaw| reader.scenario_error_in_value(&flaw))?;
        let largest = largest.unwrap_or_else(|| built.worlds().len() - 1);
        reader.check_decomposition_depth(
            built.size(largest).depth,
            &ScenarioValuePath::path_of_top_level_field("decomposition"),
        )?;
        Ok(built)
    }
}

/// Returns the numbers of the problem, each of which is an instance, and the index of the largest one. The index is
/// `None` if the numbers are in ascending order, so that the last one is the largest.
fn numbers(
    reader: &ScenarioReader<'_>,
    number: Option<&RawValue>,
    numbers: Option<&RawValue>,
    at: &ScenarioValuePath,
) -> Result<(NumbersTestedForPrimality, Option<usize>)> {
    let neither = "Primality needs `number: \"…\"` or `numbers: […]`; give one of them";
    match reader.exactly_one_of(at, ["number", "numbers"], (number, numbers), neither)? {
        OneOfTwoFields::First(one) => {
            let n = whole(reader, one, || at.path_of_field("number"))?;
            Ok((NumbersTestedForPrimality::List(vec![n]), None))
        }
        OneOfTwoFields::Second(many) => several(reader, many, &at.path_of_field("numbers")),
    }
}

fn several(
    reader: &ScenarioReader<'_>,
    raw: &RawValue,
    at: &ScenarioValuePath,
) -> Result<(NumbersTestedForPrimality, Option<usize>)> {
    if raw.trim().get_ron().starts_with('[') {
        let list = reader
            .parse_slice::<Vec<&RawValue>>(raw)?
            .into_iter()
            .enumerate()
            .map(|(index, raw)| whole(reader, raw, || at.then_list_item(index)))
            .collect::<Result<Vec<_>>>()?;
        let effort = list.iter().map(factoring).fold(0, u64::saturating_add);
        check_factoring(reader, effort, at)?;
        let largest = (0..list.len()).max_by_key(|index| &list[*index]);
        return Ok((NumbersTestedForPrimality::List(list), largest));
    }
    let written = match reader.parse_slice::<NumbersForm<'_>>(raw)? {
        NumbersForm::Between(low, high) => {
            let low = whole(reader, low, || at.then_list_item(0))?;
            let high = whole(reader, high, || at.then_list_item(1))?;
            // Too many numbers are rejected elsewhere.
            let count = u64::try_from(&high - low.clone().min(high.clone()))
                .unwrap_or(u64::MAX)
                .min(MAX_INSTANCES as u64);
            check_factoring(reader, count.saturating_mul(factoring(&high)), at)?;
            NumbersTestedForPrimality::Between(low, high)
        }
        NumbersForm::Semiprimes { bits, count } => {
            let effort = u128::from(bits).pow(4) * u128::from(count);
            if u64::from(bits) <= MAX_NUMBER_BITS && effort > MAX_PRIME_SEARCH_WORK {
                return reader.flaw_error(
                    at,
                    format_args!(
                        "finding {count} products of {bits} bits takes too long; use fewer bits or \
                         a smaller count"
                    ),
                );
            }
            NumbersTestedForPrimality::Semiprimes { bits, count }
        }
    };
    Ok((written, None))
}

/// Estimates the work for testing a number and finding its divisors. Pollard's method takes about n^(1/4) steps for a
/// number n of up to 80 bits. Of a longer number, a remainder of at most 80 bits is factored.
fn factoring(n: &BigUint) -> u64 {
    (1 << (n.bits().min(80) / 4)) + (n.bits() / 16).pow(3)
}

fn check_factoring(reader: &ScenarioReader<'_>, effort: u64, at: &ScenarioValuePath) -> Result<()> {
    if effort <= MAX_FACTORING_WORK {
        return Ok(());
    }
    reader.flaw_error(
        at,
        "finding the divisors of all listed numbers takes too long; use fewer or shorter numbers",
    )
}

/// Parses a whole number that a scenario file writes with digits or as a string.
fn whole(
    reader: &ScenarioReader<'_>,
    raw: &RawValue,
    path: impl Fn() -> ScenarioValuePath,
) -> Result<BigUint> {
    let digits = number_text_in_raw_ron(raw.get_ron()).trim();
    if digits.len() > MAX_WRITTEN {
        return reader.flaw_error(
            &path(),
            format_args!(
                "a number of {} digits is too long; use at most {MAX_NUMBER_BITS} bits, about {} \
                 digits",
                digits.len(),
                MAX_NUMBER_BITS * 3 / 10
            ),
        );
    }
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || c == '_');
    let plain = digits.replace('_', "");
    let number = is_number.then(|| BigUint::parse_bytes(plain.as_bytes(), 10));
    number.flatten().map_or_else(
        || {
            let what = "is not a whole number; write its digits, with or without quotes";
            reader.flaw_error(
                &path(),
                format_args!("{} {what}", shortened_in_backticks(digits)),
            )
        },
        Ok,
    )
}

/// Checks that the requested decomposition is possible for a primality problem.
fn method(
    reader: &ScenarioReader<'_>,
    written: reader::RequestedDecomposition<'_>,
) -> Result<PrimalityMethod> {
    let at = || ScenarioValuePath::path_of_top_level_field("decomposition");
    match written {
        None => Ok(PrimalityMethod::Intervals {
            width: WIDTH,
            primes_from: None,
        }),
        Some(written::DecompositionInFile::Intervals { width, primes_from }) => {
            let count = u128::from(*width);
            reader.limit(ScenarioLimitFlag::Width, count, at, "parts of an interval")?;
            Ok(PrimalityMethod::Intervals {
                width: *width,
                primes_from: *primes_from,
            })
        }
        Some(written::DecompositionInFile::Witnesses { bases }) => {
            reader.check_subclaim_count(bases.len(), at)?;
            Ok(PrimalityMethod::Witnesses {
                bases: bases.clone(),
            })
        }
        Some(written::DecompositionInFile::Pratt) => Ok(PrimalityMethod::Pratt),
        Some(_) => reader.flaw_error(
            &at(),
            "Primality cannot be decomposed like this; use Intervals(width: 4), Witnesses(bases: \
             [2, 3, 5]) or Pratt",
        ),
    }
}
