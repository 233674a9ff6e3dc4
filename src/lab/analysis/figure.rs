//! Numbers as scripts read them.

use schemars::JsonSchema;
use serde::Serialize;

use debate_core::number::{Exact, Number as _, short};

/// How a number that is a fraction is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As the nearest floating-point number.
    Decimal,
    /// As a string, `"num/den"`: nothing is rounded.
    Fraction,
}

/// A number in the form that was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Figure {
    /// The nearest floating-point number.
    Decimal(f64),
    /// `num/den` in lowest terms, a whole number too.
    Fraction(String),
}

impl Figure {
    /// A number in a form.
    #[must_use]
    pub fn new(value: &Exact, form: Form) -> Self {
        match form {
            Form::Decimal => Self::Decimal(value.to_float()),
            Form::Fraction => Self::Fraction(fraction(value)),
        }
    }

    /// The number for people: four digits, or the fraction.
    #[must_use]
    pub fn told(&self) -> String {
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
