use super::*;
use crate::tui::menu::FormModel as _;
use debate_host::plan::DebateOptions;

fn plan(scenario: &str) -> DebatePlan {
    DebateOptions::default()
        .plan_named_scenario(scenario)
        .unwrap()
}

fn field_index(lobby: &DebatePlanForm<'_>, label: &str) -> usize {
    let fields = lobby.fields();
    let found = fields.iter().position(|field| field.label.trim() == label);
    found.unwrap_or_else(|| panic!("{label}: {fields:?}"))
}

fn value(lobby: &DebatePlanForm<'_>, label: &str) -> String {
    lobby.fields().swap_remove(field_index(lobby, label)).value
}

fn note_of(lobby: &DebatePlanForm<'_>, label: &str) -> String {
    let mut notes = lobby.notes().into_iter();
    let found = notes.find(|(name, _)| name == label);
    found.map_or_else(String::new, |(_, text)| text)
}

#[test]
fn each_parameter_of_the_rules_is_a_field_with_a_description() {
    for scenario in debate_solver::setup::bundled_names() {
        let mut plan = plan(scenario);
        let mut lobby = DebatePlanForm::new(&mut plan, false, &[]);
        let rules = field_index(&lobby, "Rules");
        for _ in 0..lobby.rules.len() {
            for field in lobby.fields() {
                assert!(!field.about.is_empty(), "{scenario}: {}", field.label);
                // Values have readable names, not those of the file syntax.
                assert!(!field.value.contains("epsilon"), "{scenario}: {field:?}");
            }
            lobby.change_choice(rules, 1).unwrap();
        }
        let own = lobby.plan.setup.protocol.kind().protocol_name();
        assert_eq!(value(&lobby, "Rules"), own, "{scenario}");
    }
}

#[test]
fn a_language_model_takes_a_seat_if_it_can_be_asked() {
    let mut plan = plan("primes-small");
    let mut lobby = DebatePlanForm::new(&mut plan, true, &[]);
    let bob = field_index(&lobby, "Bob, the estimator");
    let refused = lobby.write(bob, "model:m").unwrap_err();
    assert!(refused.contains("it has no URL"), "{refused}");
    let model = "model(temperature=0.5):m@http://127.0.0.1:9/v1";
    lobby.write(bob, model).unwrap();
    assert_eq!(value(&lobby, "Bob, the estimator"), model);
    let rules = field_index(&lobby, "Rules");
    lobby.change_choice(rules, 1).unwrap();
    assert_eq!(plan.players[Seat::Opponent.seat_index()].to_string(), model);
    assert!(plan.engines.allow_commands);
}

#[test]
fn a_changed_parameter_lists_its_effects() {
    let mut plan = plan("primes-stable");
    let mut lobby = DebatePlanForm::new(&mut plan, false, &[]);
    let epsilon = field_index(&lobby, "ε, the margin");
    assert_eq!(value(&lobby, "ε, the margin"), "0.25");
    assert!(note_of(&lobby, "Stability").starts_with("stable"));
    assert!(note_of(&lobby, "Weights").starts_with("r = 1/32"));
    assert_eq!(note_of(&lobby, "Changed from the scenario"), "");
    lobby.write(epsilon, "0.45").unwrap();
    assert!(note_of(&lobby, "Stability").starts_with("not stable"));
    assert!(note_of(&lobby, "Weights").starts_with("r = 9/160"));
    let changed = note_of(&lobby, "Changed from the scenario");
    assert_eq!(changed, "ε: 0.45 instead of 0.25.");
    // The changed parameter survives a switch to other rules and back.
    let rules = field_index(&lobby, "Rules");
    lobby.change_choice(rules, 1).unwrap();
    assert_eq!(value(&lobby, "Rules"), "recursive");
    assert_eq!(note_of(&lobby, "Stability"), "");
    lobby.change_choice(rules, -1).unwrap();
    assert_eq!(value(&lobby, "ε, the margin"), "0.45");
}

#[test]
fn a_bad_value_is_refused_without_effect() {
    let mut plan = plan("primes");
    let mut lobby = DebatePlanForm::new(&mut plan, false, &[]);
    let epsilon = field_index(&lobby, "ε, the margin");
    for (text, why) in [
        (
            "0.7",
            "the protocol parameter epsilon is 7/10; it must be above 0 and below 1/2",
        ),
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
    let lobby = DebatePlanForm::new(&mut plan, false, &[]);
    let witness = field_index(&lobby, "A witness first");
    let field = lobby.fields().swap_remove(witness);
    assert_eq!((field.value.as_str(), field.has_choices), ("no", false));
}

#[test]
fn every_field_has_a_description() {
    let fixed = |field: &&LobbyField| !matches!(field, LobbyField::Player(_));
    for field in BEFORE.iter().chain(&AFTER).filter(fixed) {
        assert!(!field.label_and_description().0.is_empty(), "{field:?}");
    }
}

/// The form shows the same level as the seat page, beside the players who decide it, and the help explains the order.
#[test]
fn players_with_levels_show_them() {
    let mut plan = plan("primes");
    let mut lobby = DebatePlanForm::new(&mut plan, true, &[]);
    let note = |lobby: &DebatePlanForm<'_>, label: &str| {
        let fields = lobby.fields();
        fields[field_index(lobby, label)].note.clone()
    };
    let [alice, bob] = ["Alice, the prover", "Bob, the estimator"];
    assert_eq!(note(&lobby, alice), "", "nobody plays");
    lobby.set_human_seats(&[Seat::Opponent]);
    assert_eq!(note(&lobby, alice), "level 3 of 5");
    assert_eq!(note(&lobby, bob), "");
    let seat_page = lobby.plan.facts(&lobby.plan.instance()).opponent_levels;
    assert!(seat_page.contains(&(Seat::Opponent, "level 3 of 5".to_owned())));
    assert!(lobby.help()[0].contains("Levels are ordered by"));
    lobby.set_human_seats(&[Seat::Prover]);
    let field = field_index(&lobby, bob);
    let mut levels = std::collections::BTreeSet::new();
    for _ in 0..30 {
        levels.insert(note(&lobby, bob));
        lobby.change_choice(field, 1).unwrap();
    }
    assert!(
        levels.contains("level 2 of 4") && levels.contains(""),
        "{levels:?}"
    );
    // Two users play against each other.
    lobby.set_human_seats(&[Seat::Prover, Seat::Opponent]);
    assert!(!lobby.help()[0].contains("Levels"));
}

#[test]
fn the_form_begins_with_the_seats_of_the_last_debate() {
    let you = "You sit as";
    let mut first = plan("primes");
    let suggested = value(&DebatePlanForm::new(&mut first, false, &[]), you);
    assert_eq!(suggested, "Bob");
    let last = [Seat::Prover, Seat::Judge];
    for seats in [&last[..1], &last[..]] {
        let mut plan = plan("primes");
        let mut lobby = DebatePlanForm::new(&mut plan, false, seats);
        assert_eq!(value(&lobby, you), seats_in_words(seats));
        // The players of the scenario come back when the user leaves a seat.
        lobby.set_human_seats(&[]);
        let own = plan.setup.players.text_of_seat(Seat::Prover);
        assert_eq!(Some(plan.player_names()[0].as_str()), own);
    }
    // A user who watches takes no seat.
    let mut watched = plan("primes");
    let lobby = DebatePlanForm::new(&mut watched, true, &last);
    assert_eq!(value(&lobby, you), "no seat: watch");
}
