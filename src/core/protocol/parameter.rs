//! The parameters of a protocol as a list, for forms and for sweeps over parameter values.
//!
//! A protocol lists its parameters in [`super::ProtocolParameters::each_parameter`]. A new value is not checked against
//! its range here: [`super::ProtocolParameters::check`] does that for all parameters.

use serde::Deserialize;

use super::Protocol;
use crate::number::{RonNumber, format_as_short_decimal_or_fraction, parse};

/// Texts that describe a protocol's parameter to users.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "ParameterWords")]
pub struct ParameterTexts {
    /// The name in scenario files.
    pub name: &'static str,
    /// The parameter's name on the screen: "ε, the margin".
    pub label: &'static str,
    /// The parameter's meaning and range, in one or two sentences.
    pub about: &'static str,
    /// The effects of changing the parameter, in one sentence.
    pub changes: &'static str,
    /// The values that a form offers: for a choice, all options, in a few words each; for a number, the usual values in
    /// ascending order.
    #[serde(borrow)]
    pub values: Vec<&'static str>,
}

/// A parameter of a protocol, borrowed so that its value can be read and changed.
pub struct ProtocolParameter<'p> {
    pub words: &'static ParameterTexts,
    /// The value.
    pub value: ParameterValue<'p>,
}

/// The value of a parameter.
pub enum ParameterValue<'p> {
    /// A number, which a sweep can vary.
    Number(&'p mut RonNumber),
    /// A whole number.
    Count(&'p mut u64),
    /// One of a few values.
    Choice(Box<dyn ChoiceParameter + 'p>),
}

/// A protocol's parameter with its current value, as an entry of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolParameterEntry {
    pub words: &'static ParameterTexts,
    /// The parameter's value in the notation of users.
    pub text: String,
    pub kind: ProtocolParameterKind,
}

/// The kind: a number, count or choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolParameterKind {
    Number,
    Count,
    Choice,
}

impl Protocol {
    /// Calls a function with each parameter that has texts for users, in the order in which a form shows the
    /// parameters.
    fn lend_parameters(&mut self, with: &mut dyn FnMut(ProtocolParameter<'_>)) {
        let words = &self.kind().protocol_texts().parameters;
        self.protocol_parameters_mut()
            .each_parameter(&mut |name, value| {
                if let Some(words) = words.iter().find(|words| words.name == name) {
                    with(ProtocolParameter { words, value });
                }
            });
    }

    /// Returns the protocol's parameters with their current values, in the order in which a form shows them.
    pub fn list_parameters(&self) -> Vec<ProtocolParameterEntry> {
        let mut listed = Vec::new();
        // Parameters are lent mutably, so this works on a copy.
        self.clone().lend_parameters(&mut |one| {
            listed.push(ProtocolParameterEntry {
                words: one.words,
                text: one.value_text(),
                kind: one.kind(),
            });
        });
        listed
    }

    /// Changes the parameter with this name by a function and returns the function's result; `None` if no parameter has
    /// this name.
    pub fn change<T>(
        &mut self,
        name: &str,
        with: impl FnOnce(&mut ProtocolParameter<'_>) -> T,
    ) -> Option<T> {
        let (mut with, mut answer) = (Some(with), None);
        self.lend_parameters(&mut |mut one| {
            if one.words.name == name
                && let Some(with) = with.take()
            {
                answer = Some(with(&mut one));
            }
        });
        answer
    }
}

/// The value of a parameter that has a fixed list of options.
pub trait ChoiceParameter {
    /// Returns the index of the current value among the parameter's options.
    fn chosen(&self) -> usize;
    /// Sets the parameter to the option at this index.
    fn choose(&mut self, index: usize);
}

struct OneOf<'p, T> {
    value: &'p mut T,
    all: &'p [T],
}

impl<T: Clone + PartialEq> ChoiceParameter for OneOf<'_, T> {
    fn chosen(&self) -> usize {
        let index = self.all.iter().position(|one| one == self.value);
        index.unwrap_or(0)
    }

    fn choose(&mut self, index: usize) {
        if let Some(value) = self.all.get(index) {
            self.value.clone_from(value);
        }
    }
}

/// Wraps a mutable value as a choice among the options `all`. They must be in the order of the options' texts.
pub(super) fn one_of<'p, T: Clone + PartialEq>(
    value: &'p mut T,
    all: &'p [T],
) -> ParameterValue<'p> {
    ParameterValue::Choice(Box::new(OneOf { value, all }))
}

impl ProtocolParameter<'_> {
    fn kind(&self) -> ProtocolParameterKind {
        match self.value {
            ParameterValue::Number(..) => ProtocolParameterKind::Number,
            ParameterValue::Count(..) => ProtocolParameterKind::Count,
            ParameterValue::Choice(_) => ProtocolParameterKind::Choice,
        }
    }

    /// Formats the parameter's value in the notation of users: `1/9`, or a few words.
    pub fn value_text(&self) -> String {
        match &self.value {
            ParameterValue::Number(number) => format_as_short_decimal_or_fraction(&number.0),
            ParameterValue::Count(count) => count.to_string(),
            ParameterValue::Choice(choice) => self.words.values[choice.chosen()].to_owned(),
        }
    }

    /// Sets the parameter's value from a text in the notation of users.
    ///
    /// # Errors
    /// Returns a sentence if the text is not a valid value; the value is then unchanged.
    pub fn set_from_text(&mut self, written: &str) -> Result<(), String> {
        let text = written.trim();
        match &mut self.value {
            ParameterValue::Number(number) => {
                number.0 = parse(text).map_err(|error| error.to_string())?;
            }
            ParameterValue::Count(count) => {
                **count = text
                    .parse()
                    .map_err(|_error| format!("`{text}` is not a whole number"))?;
            }
            ParameterValue::Choice(choice) => {
                let values = &self.words.values;
                let index = values.iter().position(|value| *value == text);
                choice.choose(index.ok_or_else(|| format!("use one of: {}", values.join("; ")))?);
            }
        }
        Ok(())
    }

    /// Changes the parameter to the offered value `by` positions after the current one (before it if `by` is negative),
    /// wrapping at the ends.
    pub fn cycle_parameter_value(&mut self, by: isize) {
        let values = &self.words.values;
        match &mut self.value {
            ParameterValue::Choice(choice) => {
                choice.choose(around(choice.chosen(), values.len(), by));
            }
            ParameterValue::Number(number) => {
                let usual: Vec<_> = values.iter().filter_map(|text| parse(text).ok()).collect();
                number.0 = turned(&number.0, &usual, by);
            }
            ParameterValue::Count(count) => {
                let usual: Vec<u64> = values.iter().filter_map(|text| text.parse().ok()).collect();
                **count = turned(count, &usual, by);
            }
        }
    }
}

/// Returns the usual value of a parameter that is `by` positions after the value `from`. If `from` is between two usual
/// values, one position up is the higher of them, one down the lower.
fn turned<T: Clone + PartialOrd>(from: &T, usual: &[T], by: isize) -> T {
    let below = usual.partition_point(|value| value < from);
    let between = by > 0 && usual.get(below) != Some(from);
    let start = if between {
        around(below, usual.len(), -1)
    } else {
        below
    };
    let index = around(start, usual.len(), by);
    usual.get(index).unwrap_or(from).clone()
}

/// Moves an index by `by`, wrapping at the ends.
fn around(index: usize, count: usize, by: isize) -> usize {
    let count = isize::try_from(count.max(1)).unwrap_or(isize::MAX);
    let index = isize::try_from(index).unwrap_or(0);
    usize::try_from((index + by).rem_euclid(count)).unwrap_or(0)
}
