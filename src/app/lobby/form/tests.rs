use super::*;
use crate::tui::menu::FormModel as _;
use debate_host::plan::DebateOptions;

fn plan(scenario: &str) -> DebatePlan {
    DebateOptions::default()
        .plan_named_scenario(scenario)
        .unwrap()
}

fn place(lobby: &Lobby<'_>, label: &str) -> usize {
    let fields = lobby.fields();
    let found = fields.iter().position(|field| field.label.trim() == label);
    found.unwrap_or_else(|| panic!("{label}: {fields:?}"))
}

fn value(lobby: &Lobby<'_>, label: &str) -> String {
    lobby.fields().swap_remove(place(lobby, label)).value
}

fn noted(lobby: &Lobby<'_>, label: &str) -> String {
    let mut notes = lobby.notes().into_iter();
    let found = notes.find(|(name, _)| name == label);
    found.map_or_else(String::new, |(_, text)| text)
}

#[test]
fn rules_are_named_fields_each_with_a_line() {
    for scenario in debate_solver::setup::names() {
        let mut plan = plan(scenario);
        let mut lobby = Lobby::new(&mut plan, false);
        let rules = place(&lobby, "Rules");
        for _ in 0..lobby.rules.len() {
            for field in lobby.fields() {
                assert!(!field.about.is_empty(), "{scenario}: {}", field.label);
                // Values have readable names, not those of the file syntax.
                assert!(!field.value.contains("epsilon"), "{scenario}: {field:?}");
            }
            lobby.turn(rules, 1).unwrap();
        }
        let own = lobby.plan.setup.protocol.kind().name();
        assert_eq!(value(&lobby, "Rules"), own, "{scenario}");
    }
}

#[test]
fn a_changed_parameter_lists_its_effects() {
    let mut plan = plan("primes-stable");
    let mut lobby = Lobby::new(&mut plan, false);
    let epsilon = place(&lobby, "ε, the margin");
    assert_eq!(value(&lobby, "ε, the margin"), "0.25");
    assert!(noted(&lobby, "Stability").starts_with("stable"));
    assert!(noted(&lobby, "Weights").starts_with("r = 1/32"));
    assert_eq!(noted(&lobby, "Changed from the scenario"), "");
    lobby.write(epsilon, "0.45").unwrap();
    assert!(noted(&lobby, "Stability").starts_with("not stable"));
    assert!(noted(&lobby, "Weights").starts_with("r = 9/160"));
    let changed = noted(&lobby, "Changed from the scenario");
    assert_eq!(changed, "ε: 0.45 instead of 0.25.");
    // The changed parameter survives a switch to other rules and back.
    let rules = place(&lobby, "Rules");
    lobby.turn(rules, 1).unwrap();
    assert_eq!(value(&lobby, "Rules"), "recursive");
    assert_eq!(noted(&lobby, "Stability"), "");
    lobby.turn(rules, -1).unwrap();
    assert_eq!(value(&lobby, "ε, the margin"), "0.45");
}

#[test]
fn a_bad_value_is_refused_without_effect() {
    let mut plan = plan("primes");
    let mut lobby = Lobby::new(&mut plan, false);
    let epsilon = place(&lobby, "ε, the margin");
    for (text, why) in [
        ("0.7", "epsilon is 7/10; it must be above 0 and below 1/2"),
        ("much", "`much` is not a number"),
    ] {
        let refused = lobby.write(epsilon, text).unwrap_err();
        assert!(refused.starts_with(why), "{refused}");
        assert_eq!(value(&lobby, "ε, the margin"), "0.45");
    }
    lobby.write(epsilon, "25 %").unwrap();
    assert_eq!(value(&lobby, "ε, the margin"), "0.25");
}

#[test]
fn values_that_the_problem_forbids_are_not_offered() {
    let mut plan = plan("law");
    let lobby = Lobby::new(&mut plan, false);
    let witness = place(&lobby, "A witness first");
    let field = lobby.fields().swap_remove(witness);
    assert_eq!((field.value.as_str(), field.has_choices), ("no", false));
}

#[test]
fn every_field_has_a_description() {
    let fixed = |field: &&LobbyField| !matches!(field, LobbyField::Player(_));
    for field in BEFORE.iter().chain(&AFTER).filter(fixed) {
        assert!(!field.words().0.is_empty(), "{field:?}");
    }
}
