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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::number::{Exact, Number as _};
    use crate::protocol::{Introduction, Kind};

    fn examples() -> impl Iterator<Item = &'static str> {
        let kinds = Kind::ALL.iter();
        kinds
            .flat_map(|kind| &kind.introduction().examples)
            .copied()
    }

    /// The names of the fields that a protocol reads, as its parser says them.
    fn read_fields(kind: Kind) -> Vec<String> {
        let text = format!("{}(no_such_field: 1)", kind.variant());
        let error = Protocol::parse(&text).unwrap_err().to_string();
        let quoted = error.split('`').skip(1).step_by(2);
        // Names in capitals are those of types and variants.
        let fields =
            quoted.filter(|name| *name != "no_such_field" && name.starts_with(char::is_lowercase));
        fields.map(str::to_owned).collect()
    }

    #[test]
    fn every_protocol_and_every_parameter_has_its_words() {
        let custom = "Stochastic(k: 1, constants: Custom(c: 0.1, s: 0.2, b: 0.3, q: 0.1, v: 0.1))";
        let panel = "Stochastic(k: 1, constants: Panel(size: 3, threshold: 0.5))";
        for kind in Kind::ALL {
            let introduction = kind.introduction();
            assert_ne!(*introduction, Introduction::default(), "{kind:?}");
            let mut lent = BTreeSet::new();
            for text in introduction.examples.iter().chain([&custom, &panel]) {
                let mut protocol = Protocol::parse(text).unwrap();
                let own = introduction.examples.contains(text);
                assert!(protocol.kind() == *kind || !own, "{text}");
                if protocol.kind() == *kind {
                    let conditions = protocol.conditions_mut();
                    conditions.each_parameter(&mut |name, _| lent.extend([name]));
                }
            }
            let words = introduction.parameters.iter().map(|words| words.name);
            assert_eq!(lent, words.collect(), "{kind:?}");
        }
    }

    #[test]
    fn every_field_of_a_protocol_is_a_parameter() {
        let mut seen = Vec::new();
        for example in examples() {
            let protocol = Protocol::parse(example).unwrap();
            let listed = protocol.parameters();
            for field in read_fields(protocol.kind()) {
                // Nothing but `false` may stand there yet.
                let fixed = protocol.kind() == Kind::Stochastic && field == "witness";
                // Lists, limits and what may be left out are for files.
                let in_files = protocol.kind() == Kind::Speeches && !field.starts_with("judge");
                let known = listed.iter().any(|one| one.words.name == field);
                assert!(known || fixed || in_files, "{example}: {field}");
                seen.push(field);
            }
            for one in listed {
                let words = one.words;
                assert!(
                    !words.label.is_empty() && !words.values.is_empty(),
                    "{}",
                    words.name
                );
                assert!(words.about.ends_with('.') && words.changes.ends_with('.'));
            }
        }
        for field in ["epsilon", "direction", "half", "k", "verifier"] {
            assert!(seen.iter().any(|name| name == field), "{field} of {seen:?}");
        }
    }

    #[test]
    fn what_arrows_bring_is_a_protocol_that_is_read_as_it_is_written() {
        for example in examples() {
            let protocol = Protocol::parse(example).unwrap();
            for parameter in protocol.parameters() {
                let mut turned = protocol.clone();
                let (name, values) = (parameter.words.name, &parameter.words.values);
                let mut texts = BTreeSet::new();
                for _ in values {
                    let text = turned.change(name, |one| {
                        one.turn(1);
                        one.text()
                    });
                    texts.insert(text.unwrap());
                    if let Err(refused) = turned.check() {
                        // A judge alone is asked from the start; the form turns on to the next value.
                        assert!(example.contains("rounds: 0"), "{example}: {refused}");
                        continue;
                    }
                    assert_eq!(Protocol::parse(&turned.to_string()).unwrap(), turned);
                }
                // Every value was seen; the words of each are different ones.
                assert_eq!(texts, values.iter().map(ToString::to_string).collect());
            }
        }
    }

    #[test]
    fn a_number_between_two_usual_ones_goes_to_its_neighbours() {
        let turned = |from: Exact, by| {
            let mut number = Decimal(from);
            let words = ParameterWords {
                name: "epsilon",
                label: "ε",
                about: "",
                changes: "",
                values: vec!["0.1", "0.2", "0.3"],
            };
            let mut one = Parameter {
                words: Box::leak(Box::new(words)),
                value: ParameterValue::Number(&mut number),
            };
            one.turn(by);
            one.text()
        };
        assert_eq!(turned(Exact::ratio(1, 4), 1), "0.3");
        assert_eq!(turned(Exact::ratio(1, 4), -1), "0.2");
        assert_eq!(turned(Exact::ratio(1, 5), 1), "0.3");
        assert_eq!(turned(Exact::ratio(1, 5), -1), "0.1");
        assert_eq!(turned(Exact::ratio(3, 10), 1), "0.1");
        assert_eq!(turned(Exact::ratio(9, 10), 1), "0.1");
        assert_eq!(turned(Exact::ratio(9, 10), -1), "0.3");
        assert_eq!(turned(Exact::ratio(1, 100), -1), "0.3");
        assert_eq!(turned(Exact::ratio(1, 100), 1), "0.1");
    }

    #[test]
    fn what_is_no_value_is_refused_in_a_sentence() {
        let mut protocol = Protocol::parse("ProverEstimator(epsilon: 0.25, rho: 0.5)").unwrap();
        let before = protocol.clone();
        for (name, text) in [("epsilon", "much"), ("carry", "often")] {
            let why = protocol.change(name, |one| one.write(text)).unwrap();
            assert!(why.unwrap_err().contains("take one of") || name == "epsilon");
        }
        assert_eq!(protocol, before);
        protocol
            .change("rho", |one| one.write("1/9"))
            .unwrap()
            .unwrap();
        assert_eq!(
            protocol.to_string(),
            "ProverEstimator(epsilon: 0.25, rho: \"1/9\")"
        );
        assert!(protocol.change("k", |one| one.text()).is_none());
    }

    #[test]
    fn a_choice_brings_its_own_numbers() {
        let mut protocol = Protocol::parse("Stochastic(k: 1)").unwrap();
        let names = |protocol: &Protocol| -> Vec<&str> {
            let listed = protocol.parameters().into_iter();
            listed.map(|one| one.words.name).collect()
        };
        assert_eq!(names(&protocol), ["k", "constants", "witness"]);
        let chosen = protocol.change("constants", |one| one.write("a panel of people"));
        chosen.unwrap().unwrap();
        assert_eq!(
            names(&protocol),
            ["k", "constants", "size", "threshold", "witness"]
        );
        protocol
            .change("size", |one| one.write("25"))
            .unwrap()
            .unwrap();
        assert_eq!(
            protocol.to_string(),
            "Stochastic(k: 1, constants: Panel(size: 25, threshold: 0.4))"
        );
        protocol
            .change("size", |one| one.write("0"))
            .unwrap()
            .unwrap();
        assert!(
            protocol
                .check()
                .unwrap_err()
                .to_string()
                .starts_with("size is 0")
        );
    }
}
