//! The parameters of a protocol one by one: what a form shows and a sweep varies.
//!
//! A protocol names its own in [`super::Conditions::each_parameter`]. What is written into one is not
//! checked against its range here: [`super::Conditions::check`] does that for all of them.

use serde::Deserialize;

use super::Protocol;
use crate::number::{Decimal, parse, short_exact};

/// The words about a parameter, for people.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParameterWords {
    /// The name in scenario files.
    pub name: &'static str,
    /// The name for people: "ε, the margin".
    pub label: &'static str,
    /// What it is and where it must lie, in one or two sentences.
    pub about: &'static str,
    /// What else a change of it changes, in a sentence.
    pub changes: &'static str,
    /// The values that a form goes through: all of a choice, in a few words each; usual ones of a number, in
    /// ascending order.
    #[serde(borrow)]
    pub values: Vec<&'static str>,
}

/// A parameter, lent by a protocol.
pub struct Parameter<'p> {
    pub words: &'static ParameterWords,
    /// The value.
    pub value: ParameterValue<'p>,
}

/// The value of a parameter.
pub enum ParameterValue<'p> {
    /// Any number: what a sweep can vary.
    Number(&'p mut Decimal),
    /// A whole number.
    Count(&'p mut u64),
    /// One of a few values.
    Choice(Box<dyn ParameterChoice + 'p>),
}

/// A parameter as it stands, for lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterListing {
    pub words: &'static ParameterWords,
    /// The value as people write it.
    pub text: String,
    pub kind: ParameterKind,
}

/// The kind of a parameter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    Number,
    Count,
    Choice,
}

impl Protocol {
    /// Lends the parameters that have words, in the order in which a form shows them.
    fn lend_parameters(&mut self, with: &mut dyn FnMut(Parameter<'_>)) {
        let words = &self.kind().introduction().parameters;
        self.conditions_mut().each_parameter(&mut |name, value| {
            if let Some(words) = words.iter().find(|words| words.name == name) {
                with(Parameter { words, value });
            }
        });
    }

    /// The parameters as they stand, in the order in which a form shows them.
    pub fn parameters(&self) -> Vec<ParameterListing> {
        let mut listed = Vec::new();
        // They are lent out to be changed, which is done to a copy here.
        self.clone().lend_parameters(&mut |one| {
            listed.push(ParameterListing {
                words: one.words,
                text: one.text(),
                kind: one.kind(),
            });
        });
        listed
    }

    /// Changes the parameter of a name; `None` where there is none.
    pub fn change<T>(
        &mut self,
        name: &str,
        with: impl FnOnce(&mut Parameter<'_>) -> T,
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

/// A parameter that takes one of a few values.
pub trait ParameterChoice {
    /// The place of the value among them.
    fn chosen(&self) -> usize;
    /// Takes the value at a place.
    fn choose(&mut self, place: usize);
}

struct OneOf<'p, T> {
    value: &'p mut T,
    all: &'p [T],
}

impl<T: Clone + PartialEq> ParameterChoice for OneOf<'_, T> {
    fn chosen(&self) -> usize {
        let place = self.all.iter().position(|one| one == self.value);
        place.unwrap_or(0)
    }

    fn choose(&mut self, place: usize) {
        if let Some(value) = self.all.get(place) {
            self.value.clone_from(value);
        }
    }
}

/// A value that is one of a few, in the order of their words.
pub(super) fn one_of<'p, T: Clone + PartialEq>(
    value: &'p mut T,
    all: &'p [T],
) -> ParameterValue<'p> {
    ParameterValue::Choice(Box::new(OneOf { value, all }))
}

impl Parameter<'_> {
    fn kind(&self) -> ParameterKind {
        match self.value {
            ParameterValue::Number(..) => ParameterKind::Number,
            ParameterValue::Count(..) => ParameterKind::Count,
            ParameterValue::Choice(_) => ParameterKind::Choice,
        }
    }

    /// The value as people write it: `1/9`, or a few words.
    pub fn text(&self) -> String {
        match &self.value {
            ParameterValue::Number(number) => short_exact(&number.0),
            ParameterValue::Count(count) => count.to_string(),
            ParameterValue::Choice(choice) => self.words.values[choice.chosen()].to_owned(),
        }
    }

    /// Writes a value as people write it.
    ///
    /// # Errors
    /// A sentence, if the text is no such value; it then stays as it was.
    pub fn write(&mut self, written: &str) -> Result<(), String> {
        let text = written.trim();
        match &mut self.value {
            ParameterValue::Number(number) => {
                number.0 = parse(text).map_err(|error| error.to_string())?;
            }
            ParameterValue::Count(count) => {
                **count = text
                    .parse()
                    .map_err(|_error| format!("`{text}` is no whole number"))?;
            }
            ParameterValue::Choice(choice) => {
                let values = &self.words.values;
                let place = values.iter().position(|value| *value == text);
                choice.choose(place.ok_or_else(|| format!("take one of: {}", values.join("; ")))?);
            }
        }
        Ok(())
    }

    /// Takes the value next to the one that stands, so many places on or back, round the ends.
    pub fn turn(&mut self, by: isize) {
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

/// The value so many places further among the usual ones; one between two of them counts as the one
/// before on the way up.
fn turned<T: Clone + PartialOrd>(from: &T, usual: &[T], by: isize) -> T {
    let below = usual.partition_point(|value| value < from);
    let between = by > 0 && usual.get(below) != Some(from);
    let start = if between {
        around(below, usual.len(), -1)
    } else {
        below
    };
    let place = around(start, usual.len(), by);
    usual.get(place).unwrap_or(from).clone()
}

/// A place moved round the ends.
fn around(place: usize, count: usize, by: isize) -> usize {
    let count = isize::try_from(count.max(1)).unwrap_or(isize::MAX);
    let place = isize::try_from(place).unwrap_or(0);
    usize::try_from((place + by).rem_euclid(count)).unwrap_or(0)
}
