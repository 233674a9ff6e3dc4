//! Arguments in which the prover writes the subclaims: under both rules, in saves, and with every player for them.

use debate_core::chance::Seed;
use debate_core::gate::Gate;
use debate_core::number::{Exact, Number as _};
use debate_core::player::{Player, PlayerSpec, SeatedDebate, StrategyRegistry};
use debate_core::protocol::{
    Bet, BitString, IllegalReply, Protocol, Reply, Request, Rules as _, Seat,
};
use debate_core::scenario::{
    Instance, ProverWrittenSubclaim, ProverWrittenSupport, ProverWrittenSupportError,
};
use debate_host::Debate;
use debate_host::record::{Save, SaveHeader, SaveJournal, verify_save_bytes};
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource, bundled_names};

const SCENARIO: &str = r#"Scenario(
    format: 1, title: "Is it worth it?",
    problem: Argument(root: "r", open: (depth: 2, width: 3), claims: {
        "r": Claim(text: "It is worth it."),
    }),
    protocol: Recursive,
    players: (prover: "human", opponent: "human", judge: "human"),
)"#;

fn setup(protocol: &str) -> LoadedScenario {
    let text = SCENARIO.replace("Recursive", protocol);
    LoadedScenario::from_text(
        &text,
        ScenarioTextSource::Text("open".to_owned()),
        &ScenarioLimits::default(),
    )
    .unwrap()
}

const ESTIMATED: &str = "ProverEstimator(epsilon: 0.25, rho: 0.5)";

fn people<'a>() -> [Player<'a, Exact>; 3] {
    [Player::Outside, Player::Outside, Player::Outside]
}

fn compose(gate: Gate, texts: &[&str]) -> Reply<Exact> {
    let parts = texts.iter().map(|text| match text.strip_prefix('!') {
        Some(text) => ProverWrittenSubclaim {
            text: text.to_owned(),
            judged: true,
        },
        None => ProverWrittenSubclaim::new(*text),
    });
    Reply::Compose(Box::new(ProverWrittenSupport {
        gate,
        parts: parts.collect(),
    }))
}

fn seating<'a>(setup: &LoadedScenario, instance: &'a Instance) -> SeatedDebate<'a, Exact> {
    let start = setup.protocol.start(instance).unwrap();
    SeatedDebate::new(start, people(), &Seed::new("7").unwrap(), 0)
}

fn say(seating: &mut SeatedDebate<'_, Exact>, reply: Reply<Exact>) {
    seating.reply(reply).unwrap();
    while seating.turn().is_some() && seating.awaited_seat_of_user_or_driving_program().is_none() {
        seating.make_automatic_move().unwrap();
    }
}

fn verdict(holds: bool) -> Reply<Exact> {
    Reply::Oracle {
        holds,
        confidence: None,
    }
}

fn half() -> Reply<Exact> {
    Reply::Probability(Exact::ratio(1, 2))
}

/// The claim of the current request, in words.
fn asked(seating: &SeatedDebate<'_, Exact>, instance: &Instance) -> String {
    let turn = seating.turn().unwrap();
    let claim = instance.text(turn.request.claim_of_request().unwrap());
    format!("{}: {claim}", turn.seat)
}

#[test]
fn a_recursive_debate_continues_with_written_claims() {
    let setup = setup("Recursive");
    let instance = setup.instance(0);
    let mut seating = seating(&setup, &instance);
    say(&mut seating, Reply::Answer(true));
    assert!(matches!(
        seating.turn().unwrap().request,
        Request::Support { offered: 0, .. }
    ));
    // There is no list of supports, and a wrong reply is refused without a trace.
    assert_eq!(
        seating.reply(Reply::Support(0)),
        Err(IllegalReply::NothingListed)
    );
    let refused = [
        (compose(Gate::All, &[]), ProverWrittenSupportError::Nothing),
        (
            compose(Gate::All, &["a", "b", "c", "d"]),
            ProverWrittenSupportError::TooMany { given: 4, most: 3 },
        ),
        (
            compose(Gate::All, &["a", "a"]),
            ProverWrittenSupportError::Twice(1, 2),
        ),
        (
            compose(Gate::All, &["It is worth it"]),
            ProverWrittenSupportError::Itself(1),
        ),
    ];
    for (reply, why) in refused {
        let before = seating.log().clone();
        assert_eq!(seating.reply(reply), Err(IllegalReply::Compose(why)));
        assert_eq!(seating.log(), &before);
    }
    say(&mut seating, compose(Gate::Any, &["It pays", "It pleases"]));
    // The gate applies to these answers as to any other.
    let lie = Reply::Bits(BitString::parse("00").unwrap());
    assert_eq!(seating.reply(lie), Err(IllegalReply::Unsupported(true)));
    say(&mut seating, Reply::Bits(BitString::parse("10").unwrap()));
    say(&mut seating, Reply::Select(1));
    say(&mut seating, compose(Gate::All, &["Nobody complained"]));
    say(&mut seating, Reply::Bits(BitString::parse("0").unwrap()));
    say(&mut seating, Reply::Select(0));
    // Every claim two levels below the root is judged.
    assert_eq!(asked(&seating, &instance), "judge: Nobody complained");
    say(&mut seating, verdict(true));
    assert_eq!(seating.state().payoff(), -Exact::ratio(1, 1));
}

#[test]
fn a_subclaim_for_the_judge_ends_the_debate_early() {
    for (rules, weight) in [
        (
            "ProverEstimator(epsilon: 0.25, rho: 0.5)",
            Exact::ratio(1, 1),
        ),
        (
            "ProverEstimator(epsilon: 0.25, rho: 0.5, early_leaf: InPlace)",
            Exact::ratio(1, 32),
        ),
    ] {
        let setup = setup(rules);
        let instance = setup.instance(0);
        let mut seating = seating(&setup, &instance);
        say(&mut seating, Reply::Answer(true));
        say(&mut seating, half());
        say(&mut seating, Reply::Direction(Bet::AboutRight));
        say(
            &mut seating,
            compose(Gate::All, &["!It pays", "It pleases"]),
        );
        say(&mut seating, half());
        say(&mut seating, half());
        let before = seating.state().payoff();
        say(&mut seating, Reply::Select(0));
        assert_eq!(asked(&seating, &instance), "prover: It pays");
        say(&mut seating, Reply::Direction(Bet::TooLow));
        assert_eq!(asked(&seating, &instance), "judge: It pays");
        say(&mut seating, verdict(true));
        let gained = seating.state().payoff() - before;
        assert_eq!(gained, weight * Exact::ratio(1, 2));
    }
}

/// Replies for a whole debate, including an undo and a refusal.
fn written(instance: &Instance, setup: &LoadedScenario, folder: &std::path::Path) -> Vec<u8> {
    let header = SaveHeader::new(
        setup,
        setup.protocol.clone(),
        Seed::new("7").unwrap(),
        instance,
        ["human", "human", "human"].map(str::to_owned),
    );
    let journal = SaveJournal::create_save(folder, "open", &header).unwrap();
    let mut running = Debate::new(seating(setup, instance), Some(journal));
    let say = |running: &mut Debate<'_>, reply| running.reply(reply, 5).unwrap();
    say(&mut running, Reply::Answer(true)).unwrap();
    say(&mut running, compose(Gate::All, &["a mistake", "another"])).unwrap();
    running.undo_last_external_reply().unwrap();
    say(&mut running, compose(Gate::Not, &["a", "b"])).unwrap_err();
    let said = ["It \"pays\": (always)", "!日本 — \\ it does", "third"];
    say(&mut running, compose(Gate::AtLeast(2), &said)).unwrap();
    say(&mut running, Reply::Bits(BitString::parse("110").unwrap())).unwrap();
    say(&mut running, Reply::Select(1)).unwrap();
    let path = running.save_path().unwrap().to_owned();
    let unfinished = std::fs::read(&path).unwrap();
    let checked = verify_save_bytes(&unfinished, &ScenarioLimits::default()).unwrap();
    assert!(checked.ok && !checked.finished, "{checked:?}");

    // The debate is resumed from the file alone, by a new instance without any of the claims.
    drop(running);
    let (save, journal) = SaveJournal::open_to_continue(&path).unwrap();
    let setup = save
        .read_saved_scenario(&ScenarioLimits::default())
        .unwrap();
    let fresh = save.header.debated_instance(&setup).unwrap();
    let seating = save.seat(&fresh, people()).unwrap();
    assert_eq!(asked(&seating, &fresh), "judge: 日本 — \\ it does");
    let mut running = Debate::new(seating, Some(journal));
    running.reply(verdict(true), 5).unwrap().unwrap();
    running.flush_save().unwrap();
    assert!(running.state_and_players().turn().is_none());
    drop(running);
    std::fs::read(&path).unwrap()
}

#[test]
fn written_supports_are_saved_resumed_and_verified() {
    let setup = setup("Recursive");
    let instance = setup.instance(0);
    let folder = tempfile::tempdir().unwrap();
    let bytes = written(&instance, &setup, folder.path());
    let verdict = verify_save_bytes(&bytes, &ScenarioLimits::default()).unwrap();
    assert!(verdict.ok && verdict.finished, "{verdict:?}");
    let text = String::from_utf8(bytes).unwrap();
    let line = r#"Compose(gate: AtLeast(2), on: ["It \"pays\": (always)", "日本 — \\ it does", "third"], judged: [1])"#;
    assert!(text.contains(line), "{text}");
    assert!(text.contains("refused: Compose(gate: Not"), "{text}");

    let save = Save::parse(text.as_bytes()).unwrap();
    let setup = save
        .read_saved_scenario(&ScenarioLimits::default())
        .unwrap();
    let instance = save.header.debated_instance(&setup).unwrap();
    let history = save.history(&instance).unwrap();
    assert_eq!(history.state_at_cursor().payoff(), Exact::ratio(1, 1));

    // Verification detects a changed word.
    let changed = text.replacen("third", "Third", 1);
    let verdict = verify_save_bytes(changed.as_bytes(), &ScenarioLimits::default());
    assert!(!verdict.is_ok_and(|verdict| verdict.ok));
}

#[test]
fn players_that_need_truths_are_refused_with_a_reason() {
    let registry = StrategyRegistry::<Exact>::registry_with_builtin_players();
    for rules in ["Recursive", ESTIMATED] {
        let setup = setup(rules);
        let instance = setup.instance(0);
        let mut playing = Vec::new();
        for seat in Seat::PLAYERS {
            let entries = registry.strategies_for_seat(seat, setup.protocol.kind());
            for name in
                entries.flat_map(debate_core::player::StrategyEntry::example_specs_with_arguments)
            {
                let spec = PlayerSpec::parse(&name).unwrap();
                match registry.build(&spec, seat, &instance, &setup.protocol) {
                    Ok(_) => playing.push(name),
                    Err(error) => {
                        let text = error.to_string();
                        let role = format!(
                            "(`debate-tui SCENARIO --role {}`)",
                            seat.name_in_flags_and_json()
                        );
                        assert!(text.contains(&role), "{text}");
                    }
                }
            }
        }
        let expected: &[&str] = match rules {
            "Recursive" => &["random"],
            _ => &["hedged", "even", "stubborn(0.5)", "random"],
        };
        assert_eq!(playing, expected);
    }
}

#[test]
fn a_built_in_estimator_plays_against_written_supports() {
    let setup = setup(ESTIMATED);
    let instance = setup.instance(0);
    for name in ["stubborn(0.5)", "hedged", "random"] {
        let spec = PlayerSpec::parse(name).unwrap();
        let built = StrategyRegistry::registry_with_builtin_players().build(
            &spec,
            Seat::Opponent,
            &instance,
            &setup.protocol,
        );
        let players = [
            Player::Outside,
            Player::Builtin(built.unwrap()),
            Player::Outside,
        ];
        let start = setup.protocol.start(&instance).unwrap();
        let mut seating = SeatedDebate::new(start, players, &Seed::new("7").unwrap(), 0);
        for reply in [
            Reply::Answer(false),
            Reply::Direction(Bet::TooHigh),
            compose(Gate::Majority, &["one", "two", "three"]),
            Reply::Select(2),
            Reply::Direction(Bet::TooLow),
            compose(Gate::Any, &["four"]),
            Reply::Select(0),
            Reply::Direction(Bet::TooLow),
            verdict(false),
        ] {
            say(&mut seating, reply);
        }
        assert!(seating.turn().is_none(), "{name}");
    }
}

#[test]
fn the_bundled_open_scenario_can_be_debated_under_both_rules() {
    let open: Vec<_> = bundled_names()
        .map(|name| {
            LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap()
        })
        .filter(|setup| setup.decomposition.as_open().is_some())
        .collect();
    assert!(!open.is_empty());
    for setup in open {
        let instance = setup.instance(0);
        for rules in ["Recursive", ESTIMATED] {
            let protocol = Protocol::parse(rules).unwrap();
            assert!(protocol.start::<Exact>(&instance).is_ok());
        }
        for seat in Seat::PLAYERS {
            assert_eq!(setup.players.text_of_seat(seat), Some("human"));
        }
    }
}

/// A whole debate in plain lines; the program rejects every wrong line and asks again.
const LINES: &str = "yes\n50\nlow\n9\nboth: a; b\nall: a; a\nall: Readers ask; !It is legal\n\
                     60\n40\nu\nhint\n2\nhigh\nyes 80\n";

#[test]
fn plain_lines_take_supports_in_words() {
    let dir = tempfile::tempdir().unwrap();
    let said = crate::support::program::say(dir.path(), &["open", "--plain", "--seed", "7"], LINES);
    assert_eq!(said.code, Some(0), "{said:?}");
    for wanted in [
        "You have no hints in this debate.",
        "Not accepted; type a ",
        "or type a gate, a colon",
        "Not accepted: subclaims 1 and 2 are equal",
        "Alice splits it, all of 2: “Readers ask”; “It is legal”",
        "Not undone: a coin was thrown after your last reply",
        "Judge says that “It is legal” is true (80 % likely to be true)",
    ] {
        assert!(said.out.contains(wanted), "{wanted}: {}", said.out);
    }
    let mut saves = std::fs::read_dir(dir.path()).unwrap();
    let save = saves.find_map(|entry| {
        let path = entry.unwrap().path();
        path.extension()
            .is_some_and(|ext| ext == "ron")
            .then_some(path)
    });
    let checked = verify_save_bytes(
        &std::fs::read(save.expect("a save")).unwrap(),
        &ScenarioLimits::default(),
    )
    .unwrap();
    assert!(checked.ok && checked.finished, "{checked:?}");
}

#[test]
fn without_input_an_open_debate_ends_unfinished() {
    let dir = tempfile::tempdir().unwrap();
    let arguments = ["open", "--plain", "--seed", "7", "--json"];
    let said = crate::support::program::say(dir.path(), &arguments, "");
    assert_eq!(said.code, Some(0), "{said:?}");
    let document: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(document["outcome"], "unfinished");
    assert!(document["truth"].is_null());
    // A player cannot undo another player's reply.
    let said = crate::support::program::say(dir.path(), &["open", "--plain"], "yes\nu\n");
    assert!(said.out.contains("another player made"), "{said:?}");
}

#[test]
fn check_names_the_unknowns_of_an_open_problem() {
    let dir = tempfile::tempdir().unwrap();
    let said = crate::support::program::say(dir.path(), &["check", "open", "--json"], "");
    let document: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(
        document["open"],
        serde_json::json!({"depth": 2, "width": 4})
    );
    for unknown in ["truth", "stability", "provable"] {
        assert!(document[unknown].is_null(), "{unknown}");
    }
    let said = crate::support::program::say(dir.path(), &["check", "open"], "");
    for wanted in [
        "open: Alice writes",
        "truth, stability and provability are unknown",
        "others are written during play",
    ] {
        assert!(said.out.contains(wanted), "{said:?}");
    }
    let said = crate::support::program::say(dir.path(), &["check", "open", "--require-stable"], "");
    assert_eq!(said.code, Some(1));
}

#[test]
fn analyses_refuse_open_problems_with_a_reason() {
    let dir = tempfile::tempdir().unwrap();
    for arguments in [
        &["solve", "open"][..],
        &[
            "solve",
            "open",
            "--prover",
            "best-response",
            "--opponent",
            "random",
        ],
        &["simulate", "open", "-n", "10"],
        &["equilibrium", "open"],
        &["compare", "open", "--plain"],
        &["export", "open", "--to", "efg"],
        &["open", "--role", "none", "--plain"],
        &["open", "--prover", "honest", "--plain"],
        &["open", "--judge", "oracle", "--plain"],
        &["open", "--opponent", "bayes", "--plain"],
    ] {
        let said = crate::support::program::say(dir.path(), arguments, "");
        assert_eq!(said.code, Some(2), "{arguments:?}: {said:?}");
        let person = said.err.contains("person") || said.err.contains("plays without users");
        assert!(person, "{arguments:?}: {said:?}");
    }
    // A player that asks no question plays beside a user in each other seat.
    let arguments = [
        "open",
        "--opponent",
        "random",
        "--plain",
        "--role",
        "prover",
    ];
    let said = crate::support::program::say(dir.path(), &arguments, "no\n");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("The judge: you"), "{said:?}");
}
