//! Numbers as scripts read them.

use schemars::JsonSchema;
use serde::Serialize;

use debate_core::number::{Exact, Number as _, short};

/// The form of a number that is a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberFormat {
    /// The nearest floating-point number.
    Decimal,
    /// A string, `"num/den"`: nothing is rounded.
    Fraction,
}

/// A number in the form that was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ReportNumber {
    /// The nearest floating-point number.
    Decimal(f64),
    /// `num/den` in lowest terms, a whole number too.
    Fraction(String),
}

impl ReportNumber {
    /// A number in a form.
    #[must_use]
    pub fn new(value: &Exact, form: NumberFormat) -> Self {
        match form {
            NumberFormat::Decimal => Self::Decimal(value.to_float()),
            NumberFormat::Fraction => Self::Fraction(fraction(value)),
        }
    }

    /// The number for people: four digits, or the fraction.
    #[must_use]
    pub fn to_text(&self) -> String {
        match self {
            Self::Decimal(value) => short(*value, 4),
            Self::Fraction(text) => text.clone(),
        }
    }
}

/// `num/den`, in lowest terms, a whole number too.
#[must_use]
pub fn fraction(value: &Exact) -> String {
    format!("{}/{}", value.numer(), value.denom())
}
