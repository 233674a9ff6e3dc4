use std::collections::BTreeSet;

use debate_core::number::{Exact, Number as _, RonNumber};
use debate_core::protocol::parameter::{ParameterTexts, ParameterValue, ProtocolParameter};
use debate_core::protocol::{Protocol, ProtocolKind, ProtocolTexts};

fn examples() -> impl Iterator<Item = &'static str> {
    let kinds = ProtocolKind::ALL.iter();
    kinds
        .flat_map(|kind| &kind.protocol_texts().examples)
        .copied()
}

/// The field names that a protocol reads, from its parser's error.
fn read_fields(kind: ProtocolKind) -> Vec<String> {
    let text = format!("{}(no_such_field: 1)", kind.protocol_name_in_scenarios());
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
    for kind in ProtocolKind::ALL {
        let introduction = kind.protocol_texts();
        assert_ne!(*introduction, ProtocolTexts::default(), "{kind:?}");
        let mut lent = BTreeSet::new();
        for text in introduction.examples.iter().chain([&custom, &panel]) {
            let mut protocol = Protocol::parse(text).unwrap();
            let own = introduction.examples.contains(text);
            assert!(protocol.kind() == *kind || !own, "{text}");
            if protocol.kind() == *kind {
                let conditions = protocol.protocol_parameters_mut();
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
        let listed = protocol.list_parameters();
        for field in read_fields(protocol.kind()) {
            // `false` is the only supported value so far.
            let fixed = protocol.kind() == ProtocolKind::Stochastic && field == "witness";
            // Lists, limits and optional fields can be set only in files.
            let in_files = protocol.kind() == ProtocolKind::Speeches && !field.starts_with("judge");
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
fn turned_parameters_read_back_as_written() {
    for example in examples() {
        let protocol = Protocol::parse(example).unwrap();
        for parameter in protocol.list_parameters() {
            let mut turned = protocol.clone();
            let (name, values) = (parameter.words.name, &parameter.words.values);
            let mut texts = BTreeSet::new();
            for _ in values {
                let text = turned.change(name, |one| {
                    one.cycle_parameter_value(1);
                    one.value_text()
                });
                texts.insert(text.unwrap());
                if let Err(refused) = turned.check_parameter_ranges() {
                    // A judge without debaters is asked from the start; the form continues with the next value.
                    assert!(example.contains("rounds: 0"), "{example}: {refused}");
                    continue;
                }
                assert_eq!(Protocol::parse(&turned.to_string()).unwrap(), turned);
            }
            // Every value occurred, and all have different texts.
            assert_eq!(texts, values.iter().map(ToString::to_string).collect());
        }
    }
}

#[test]
fn an_unusual_number_turns_to_its_neighbours() {
    let turned = |from: Exact, by| {
        let mut number = RonNumber(from);
        let words = ParameterTexts {
            name: "epsilon",
            label: "ε",
            about: "",
            changes: "",
            values: vec!["0.1", "0.2", "0.3"],
        };
        let mut one = ProtocolParameter {
            words: Box::leak(Box::new(words)),
            value: ParameterValue::Number(&mut number),
        };
        one.cycle_parameter_value(by);
        one.value_text()
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
fn invalid_values_are_refused_in_a_sentence() {
    let mut protocol = Protocol::parse("ProverEstimator(epsilon: 0.25, rho: 0.5)").unwrap();
    let before = protocol.clone();
    for (name, text) in [("epsilon", "much"), ("carry", "often")] {
        let why = protocol
            .change(name, |one| one.set_from_text(text))
            .unwrap();
        assert!(why.unwrap_err().contains("use one of") || name == "epsilon");
    }
    assert_eq!(protocol, before);
    protocol
        .change("rho", |one| one.set_from_text("1/9"))
        .unwrap()
        .unwrap();
    assert_eq!(
        protocol.to_string(),
        "ProverEstimator(epsilon: 0.25, rho: \"1/9\")"
    );
    assert!(protocol.change("k", |one| one.value_text()).is_none());
}

#[test]
fn a_choice_brings_its_own_numbers() {
    let mut protocol = Protocol::parse("Stochastic(k: 1)").unwrap();
    let names = |protocol: &Protocol| -> Vec<&str> {
        let listed = protocol.list_parameters().into_iter();
        listed.map(|one| one.words.name).collect()
    };
    assert_eq!(names(&protocol), ["k", "constants", "witness"]);
    let chosen = protocol.change("constants", |one| one.set_from_text("a panel of people"));
    chosen.unwrap().unwrap();
    assert_eq!(
        names(&protocol),
        ["k", "constants", "size", "threshold", "witness"]
    );
    protocol
        .change("size", |one| one.set_from_text("25"))
        .unwrap()
        .unwrap();
    assert_eq!(
        protocol.to_string(),
        "Stochastic(k: 1, constants: Panel(size: 25, threshold: 0.4))"
    );
    protocol
        .change("size", |one| one.set_from_text("0"))
        .unwrap()
        .unwrap();
    assert!(
        protocol
            .check_parameter_ranges()
            .unwrap_err()
            .to_string()
            .starts_with("the protocol parameter size is 0")
    );
}
