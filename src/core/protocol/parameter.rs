//! The parameters of a protocol one by one: what a form shows and a sweep varies.
//!
//! A protocol names its own in [`super::Conditions::each_parameter`]. What is written into one is not
//! checked against its range here: [`super::Conditions::check`] does that for all of them.

use super::Protocol;
use crate::number::{Decimal, parse, short_exact};

/// A parameter, and its place in a protocol.
pub struct Parameter<'p> {
    /// The name in scenario files.
    pub name: &'static str,
    /// The name for people: "ε, the margin".
    pub label: &'static str,
    /// What it is and where it must lie, in one or two sentences.
    pub about: &'static str,
    /// What else a change of it changes, in a sentence.
    pub changes: &'static str,
    /// The value.
    pub value: ParameterValue<'p>,
}

/// The value of a parameter.
pub enum ParameterValue<'p> {
    /// A number, and some that are usual, in ascending order.
    Number(&'p mut Decimal, &'static [&'static str]),
    /// A whole number, and some that are usual, in ascending order.
    Count(&'p mut u64, &'static [&'static str]),
    /// One of a few values.
    Choice(&'p mut dyn ParameterChoice),
}

/// A parameter as it stands, for lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterListing {
    /// The name in scenario files.
    pub name: &'static str,
    pub label: &'static str,
    pub about: &'static str,
    pub changes: &'static str,
    /// The value as people write it.
    pub text: String,
    /// The number of values that [`Parameter::turn`] goes through.
    pub steps: usize,
    pub kind: ParameterKind,
}

/// The kind of a parameter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// Any number: what a sweep can vary.
    Number,
    /// A whole number.
    Count,
    /// One of a few values.
    Choice,
}

impl Protocol {
    /// The parameters as they stand, in the order in which a form shows them.
    pub fn parameters(&self) -> Vec<ParameterListing> {
        let mut listed = Vec::new();
        // They are lent out to be changed, which is done to a copy here.
        self.clone().conditions_mut().each_parameter(&mut |one| {
            listed.push(ParameterListing {
                name: one.name,
                label: one.label,
                about: one.about,
                changes: one.changes,
                text: one.text(),
                steps: one.steps(),
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
        self.conditions_mut().each_parameter(&mut |mut one| {
            if one.name == name
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
    /// The values in a few words each.
    fn options(&self) -> Vec<&'static str>;
    /// The place of the value among them.
    fn chosen(&self) -> usize;
    /// Takes the value at a place.
    fn choose(&mut self, place: usize);
}

impl Parameter<'_> {
    /// The kind of its value.
    pub fn kind(&self) -> ParameterKind {
        match self.value {
            ParameterValue::Number(..) => ParameterKind::Number,
            ParameterValue::Count(..) => ParameterKind::Count,
            ParameterValue::Choice(_) => ParameterKind::Choice,
        }
    }

    /// The value as people write it: `1/9`, or a few words.
    pub fn text(&self) -> String {
        match &self.value {
            ParameterValue::Number(number, _) => short_exact(&number.0),
            ParameterValue::Count(count, _) => count.to_string(),
            ParameterValue::Choice(choice) => choice.options()[choice.chosen()].to_owned(),
        }
    }

    /// Writes a value as people write it.
    ///
    /// # Errors
    /// A sentence, if the text is no such value; it then stays as it was.
    pub fn write(&mut self, written: &str) -> Result<(), String> {
        let text = written.trim();
        match &mut self.value {
            ParameterValue::Number(number, _) => {
                number.0 = parse(text).map_err(|error| error.to_string())?;
            }
            ParameterValue::Count(count, _) => {
                **count = text
                    .parse()
                    .map_err(|_error| format!("`{text}` is no whole number"))?;
            }
            ParameterValue::Choice(choice) => {
                let options = choice.options();
                let place = options
                    .iter()
                    .position(|option| *option == text)
                    .ok_or_else(|| format!("take one of: {}", options.join("; ")))?;
                choice.choose(place);
            }
        }
        Ok(())
    }

    /// The number of values that [`Self::turn`] goes through.
    pub fn steps(&self) -> usize {
        match &self.value {
            ParameterValue::Number(_, usual) | ParameterValue::Count(_, usual) => usual.len(),
            ParameterValue::Choice(choice) => choice.options().len(),
        }
    }

    /// Takes the usual value next to the one that stands, so many places on or back, round the ends.
    pub fn turn(&mut self, by: isize) {
        match &mut self.value {
            ParameterValue::Choice(choice) => {
                let place = around(choice.chosen(), choice.options().len(), by);
                choice.choose(place);
            }
            ParameterValue::Number(number, usual) => {
                let values: Vec<_> = usual.iter().filter_map(|text| parse(text).ok()).collect();
                number.0 = turned(&number.0, &values, by);
            }
            ParameterValue::Count(count, usual) => {
                let values: Vec<u64> = usual.iter().filter_map(|text| text.parse().ok()).collect();
                **count = turned(count, &values, by);
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

impl ParameterChoice for bool {
    fn options(&self) -> Vec<&'static str> {
        vec!["no", "yes"]
    }

    fn chosen(&self) -> usize {
        usize::from(*self)
    }

    fn choose(&mut self, place: usize) {
        *self = place > 0;
    }
}

/// Makes a plain enum a [`ParameterChoice`]: each value with the words for it.
macro_rules! choices {
    ($type:ty { $($value:ident => $words:literal,)* }) => {
        impl $crate::protocol::parameter::ParameterChoice for $type {
            fn options(&self) -> Vec<&'static str> {
                vec![$($words),*]
            }

            fn chosen(&self) -> usize {
                let values = [$(<$type>::$value),*];
                values.iter().position(|value| value == self).unwrap_or(0)
            }

            fn choose(&mut self, place: usize) {
                let values = [$(<$type>::$value),*];
                if let Some(value) = values.get(place) {
                    *self = *value;
                }
            }
        }
    };
}
pub(super) use choices;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::{Exact, Number as _};
    use crate::protocol::Kind;

    fn examples() -> impl Iterator<Item = &'static str> {
        let kinds = Kind::ALL.iter();
        kinds.flat_map(|kind| kind.introduction().examples).copied()
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
                let known = listed.iter().any(|one| one.name == field);
                assert!(known || fixed || in_files, "{example}: {field}");
                seen.push(field);
            }
            for one in listed {
                assert!(!one.label.is_empty() && one.steps > 0, "{}", one.name);
                assert!(one.about.ends_with('.') && one.changes.ends_with('.'));
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
                for _ in 0..=parameter.steps {
                    turned.change(parameter.name, |one| one.turn(1)).unwrap();
                    if let Err(refused) = turned.check() {
                        // A judge alone is asked from the start; the form turns on to the next value.
                        assert!(example.contains("rounds: 0"), "{example}: {refused}");
                        continue;
                    }
                    assert_eq!(Protocol::parse(&turned.to_string()).unwrap(), turned);
                }
                turned.change(parameter.name, |one| one.turn(-1)).unwrap();
                turned.change(parameter.name, |one| one.turn(-1)).unwrap();
                // Every value was seen; the words of each are different ones.
                let back = turned.parameters();
                let back = back.iter().find(|one| one.name == parameter.name).unwrap();
                assert_eq!(back.steps, parameter.steps);
            }
        }
    }

    #[test]
    fn a_number_between_two_usual_ones_goes_to_its_neighbours() {
        let turned = |from: Exact, by| {
            let mut number = Decimal(from);
            let usual = &["0.1", "0.2", "0.3"];
            let mut one = Parameter {
                name: "epsilon",
                label: "ε",
                about: "",
                changes: "",
                value: ParameterValue::Number(&mut number, usual),
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
            listed.map(|one| one.name).collect()
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
