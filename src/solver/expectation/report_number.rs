//! Numbers as scripts read them.

use schemars::JsonSchema;
use serde::Serialize;

use debate_core::number::{Exact, Number, short, without_rounding};

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
    /// A fraction where arithmetic is exact, else a floating-point number.
    pub fn of<N: Number>(value: &N) -> Self {
        match (value as &dyn std::any::Any).downcast_ref() {
            Some(exact) => Self::new(exact, NumberFormat::Fraction),
            None => Self::Decimal(value.to_float()),
        }
    }

    /// A number in a form.
    pub fn new(value: &Exact, form: NumberFormat) -> Self {
        match form {
            NumberFormat::Decimal => Self::Decimal(value.to_float()),
            NumberFormat::Fraction => {
                Self::Fraction(format!("{}/{}", value.numer(), value.denom()))
            }
        }
    }

    /// The value to show to few digits: of floating-point sums of `scale` and more, 0 where rounding
    /// alone is left.
    pub fn shown<N: Number>(value: &N, scale: f64) -> f64 {
        match Self::of(value) {
            Self::Fraction(_) => value.to_float(),
            Self::Decimal(float) => without_rounding(float, scale),
        }
    }

    /// The number for people: four digits, or the fraction.
    pub fn to_text(&self) -> String {
        match self {
            Self::Decimal(value) => short(*value, 4),
            Self::Fraction(text) => text.clone(),
        }
    }
}

impl std::fmt::Display for ReportNumber {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Decimal(value) => write!(out, "{value}"),
            Self::Fraction(text) => out.write_str(text),
        }
    }
}
