//! Types shared by several reports.

use std::fmt::{self, Display};

use serde::{Serialize, Serializer};

use debate_core::number::{Exact, Number, format_rounded};
use debate_core::protocol::{ResourceCostsBySeat, Round, Seat};

/// The label of a round: `"init"`, or its number. Numbers count down to 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[serde(rename = "RoundLabel")]
pub enum RoundNumberOrInitial {
    Initial(FirstAnswerRoundLabel),
    Number(u32),
}

/// The label of the round of the first answer and estimate, before the first decomposition. This round has no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[serde(rename = "InitialRound")]
pub enum FirstAnswerRoundLabel {
    Init,
}

impl From<Round> for RoundNumberOrInitial {
    fn from(round: Round) -> Self {
        match round {
            Round::Initial => Self::Initial(FirstAnswerRoundLabel::Init),
            Round::Number(k) => Self::Number(k),
        }
    }
}

/// One value for each seat.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BySeat<T> {
    pub prover: T,
    pub opponent: T,
    pub judge: T,
}

impl<T> BySeat<T> {
    pub fn new(value: impl Fn(Seat) -> T) -> Self {
        Self::from(Seat::PLAYERS.map(value))
    }
}

impl<T> From<[T; 3]> for BySeat<T> {
    fn from([prover, opponent, judge]: [T; 3]) -> Self {
        Self {
            prover,
            opponent,
            judge,
        }
    }
}

/// The expenses of a seat. The verifier's expenses are those of the judge's seat.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Expenses")]
pub struct SeatResourceExpenses<T> {
    pub oracle_queries: T,
    /// The number of bits read from proofs, transcripts, inputs and pointers.
    pub bits_read: T,
    /// Configurations of a machine read.
    pub configurations_read: T,
    /// The number of samples drawn to estimate a probability.
    pub samples: T,
    /// Replies given.
    pub calls: T,
}

/// Names the expenses in an array, which are in the order of [`EXPENSES`](super::EXPENSES).
impl<T> From<[T; 5]> for SeatResourceExpenses<T> {
    fn from(
        [
            oracle_queries,
            bits_read,
            configurations_read,
            samples,
            calls,
        ]: [T; 5],
    ) -> Self {
        Self {
            oracle_queries,
            bits_read,
            configurations_read,
            samples,
            calls,
        }
    }
}

impl From<&ResourceCostsBySeat> for BySeat<SeatResourceExpenses<u64>> {
    fn from(ledger: &ResourceCostsBySeat) -> Self {
        Self::new(|seat| ledger.spending_of_seat(seat).into())
    }
}

/// Serialises a value as the text that it displays.
///
/// # Errors
/// Returns the serializer's error.
pub fn as_text<T: Display, S: Serializer>(value: &T, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(value)
}

/// One JSON document, or a list of several.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> From<Vec<T>> for OneOrMany<T> {
    fn from(mut documents: Vec<T>) -> Self {
        match documents.pop() {
            Some(only) if documents.is_empty() => Self::One(only),
            last => {
                documents.extend(last);
                Self::Many(documents)
            }
        }
    }
}

/// The format of rational numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportNumberFormat {
    /// The nearest floating-point number.
    Decimal,
    /// A string, `"num/den"`, without rounding.
    Fraction,
}

/// A number in the report: in floating point or as a fraction, as the user requested.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[serde(rename = "ReportNumber")]
pub enum DecimalOrFractionNumber {
    /// The nearest floating-point number.
    Decimal(f64),
    /// `num/den` in lowest terms, also for whole numbers.
    Fraction(String),
}

impl DecimalOrFractionNumber {
    /// Converts a number for a report: to a fraction if it is exact, otherwise to floating point.
    pub fn of<N: Number>(value: &N) -> Self {
        match (value as &dyn std::any::Any).downcast_ref() {
            Some(exact) => Self::new(exact, ReportNumberFormat::Fraction),
            // Adding 0 turns −0 into 0.
            None => Self::Decimal(value.to_float() + 0.0),
        }
    }

    /// Converts an exact number to the requested format.
    pub fn new(value: &Exact, form: ReportNumberFormat) -> Self {
        match form {
            ReportNumberFormat::Decimal => Self::Decimal(value.to_float()),
            ReportNumberFormat::Fraction => {
                Self::Fraction(format!("{}/{}", value.numer(), value.denom()))
            }
        }
    }

    /// Returns the number as displayed text: rounded to at most four significant digits, or the fraction.
    pub fn rounded_decimal_or_fraction_text(&self) -> String {
        match self {
            Self::Decimal(value) => format_rounded(*value, 4),
            Self::Fraction(text) => text.clone(),
        }
    }
}

impl Display for DecimalOrFractionNumber {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decimal(value) => write!(out, "{value}"),
            Self::Fraction(text) => out.write_str(text),
        }
    }
}
