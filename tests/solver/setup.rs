mod circuit;
mod error;
mod locator;
mod long_numbers;
mod question_set;
mod reader;

use debate_core::chance;
use debate_core::chance::{RandomStream, RandomStreamPurpose, Seed};
use debate_core::number::{Exact, Number as _};
use debate_core::protocol::{ProtocolKind, Seat};
use debate_core::scenario::{JudgeSees, Oracle};
use debate_solver::setup::{
    BundledScenario, LoadedScenario, PROBLEMS, ScenarioError, ScenarioLimits, ScenarioTextSource,
    TextBySeat, bundled_names, bundled_scenarios, default_protocol, scenario_title,
};
use num_bigint::{BigInt, BigUint};

fn read(text: &str) -> Result<LoadedScenario, ScenarioError> {
    let origin = ScenarioTextSource::Text("test.ron".to_owned());
    LoadedScenario::from_text(text, origin, &ScenarioLimits::default())
}

fn refused(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

fn primality(fields: &str, rest: &str) -> String {
    format!("Scenario(format: 1, title: \"t\", problem: Primality({fields}), {rest})")
}

fn argument(claims: &str, rest: &str) -> String {
    format!(
        "Scenario(format: 1, title: \"t\", problem: Argument(root: \"r\", claims: {{{claims}}}), {rest})"
    )
}

#[test]
fn titles_name_the_asked_instance_or_else_the_own_one() {
    let text = r#"Scenario(format: 1, title: "Is {instance} prime?",
        problem: Primality(numbers: ["12769", "12773"]), instance: 12773)"#;
    let title = |instance| scenario_title(text, instance);
    assert_eq!(title(None).as_deref(), Some("Is 12,773 prime?"));
    assert_eq!(title(Some("12769")).as_deref(), Some("Is 12,769 prime?"));
    let setup = read(text).unwrap();
    assert_eq!(setup.title, "Is 12,773 prime?");
    assert_eq!(setup.scenario_texts(0).title, "Is 12,769 prime?");
}

#[test]
fn swapped_answers_swap_their_speeches() {
    let limits = ScenarioLimits::default();
    let setup = LoadedScenario::load_bundled_scenario("lighthouse", &limits).unwrap();
    let swapped = setup.with_answers_swapped(&limits).unwrap().unwrap();
    let argument = |setup: &LoadedScenario, answer| {
        let question = setup.decomposition.as_question().unwrap();
        question
            .prepared_speeches_for_answer(answer)
            .unwrap()
            .prepared_argument(1)
            .cloned()
            .unwrap()
    };
    assert_eq!(argument(&setup, 0), argument(&swapped, 1));
    assert_eq!(argument(&setup, 1), argument(&swapped, 0));
}

#[test]
fn every_bundled_scenario_is_listed_and_sound() {
    let listed = bundled_scenarios();
    assert_eq!(listed.len(), bundled_names().len());
    for scenario in &listed {
        let titled = listed.iter().filter(|other| other.title == scenario.title);
        assert_eq!(
            titled.count(),
            1,
            "saves are told apart by titles: {}",
            scenario.title
        );
    }
    for scenario in listed {
        let BundledScenario {
            name, title, about, ..
        } = scenario;
        let setup =
            LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap();
        assert_eq!(setup.protocol.kind(), scenario.protocol, "{name}");
        assert!(
            scenario
                .seats
                .iter()
                .any(|advice| Some(advice.seat) == setup.sit),
            "{name}"
        );
        assert_eq!((&setup.title, &setup.about), (&title, &about), "{name}");
        assert!(about.len() > 80 && setup.sit.is_some(), "{name}");
        for seat in Seat::PLAYERS {
            assert!(setup.players.text_of_seat(seat).is_some(), "{name}");
        }
        for world in 0..setup.decomposition.worlds().len() {
            let instance = setup.instance(world);
            assert!(!instance.text(instance.root()).is_empty());
        }
    }
}

#[test]
fn scenarios_are_found_by_name_and_by_path() {
    let limits = ScenarioLimits::default();
    for name in [
        "primes-4331",
        "primes-4331.ron",
        "scenarios/primes-4331",
        "scenarios/primes-4331.ron",
    ] {
        let setup = LoadedScenario::find_scenario(name, &limits).unwrap();
        assert_eq!(setup.title, "Is 4331 prime?");
    }
    assert_eq!(
        LoadedScenario::find_scenario("scenarios/primes-4331.ron", &limits)
            .unwrap()
            .origin,
        ScenarioTextSource::File("scenarios/primes-4331.ron".into())
    );
    let error = |name| {
        LoadedScenario::find_scenario(name, &limits)
            .unwrap_err()
            .to_string()
    };
    let far = error("weather");
    assert!(far.contains("weather: no such file") && far.contains("pull-request"));
    for (slip, meant) in [("prime", "primes"), ("scenarios/tunring.ron", "turing")] {
        let hint = format!("{slip}: no such file or scenario; did you mean `{meant}`?");
        assert_eq!(error(slip), hint);
    }
    let folder = LoadedScenario::find_scenario("tests", &limits).unwrap_err();
    assert!(
        matches!(folder, ScenarioError::Unreadable { .. }),
        "{folder}"
    );
}

#[test]
fn the_first_scenario_reads_as_written() {
    let setup =
        LoadedScenario::load_bundled_scenario("primes-4331", &ScenarioLimits::default()).unwrap();
    assert_eq!(setup.problem, "primality");
    let world = setup.requested_world.unwrap();
    assert_eq!(setup.decomposition.worlds()[world].name, "4331");
    assert_eq!(setup.sit, Some(Seat::Opponent));
    assert_eq!(setup.protocol.parameter_summary(), "ε 0.45 ρ 1/9 r 0.1");
    assert_eq!(setup.players.text_of_seat(Seat::Judge), Some("oracle"));
    let instance = setup.instance(setup.world_of_debate(&Seed::new("1").unwrap(), 0));
    assert_eq!(instance.size().depth, 3);
    assert_eq!(instance.size().claims, 85_u32.into());
}

#[test]
fn public_texts_do_not_address_a_seat() {
    for name in bundled_names() {
        let setup =
            LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap();
        let words = |text: &str| -> Vec<String> {
            let words = text.split(|c: char| !c.is_alphanumeric());
            words.map(str::to_lowercase).collect()
        };
        for text in [&setup.title, &setup.about, &setup.debrief] {
            let told = words(text);
            let you = ["you", "your"]
                .iter()
                .any(|you| told.iter().any(|word| word == you));
            assert!(!you, "{name}: {text}");
        }
        let about = words(&setup.about);
        for spoils in ["liar", "lie", "lies", "false", "flaw", "composite"] {
            // The text explains the Miller–Rabin bases by composite numbers that pass the test.
            let explained = spoils == "composite" && name == "primes-liar-witness";
            assert!(
                explained || !about.iter().any(|word| word == spoils),
                "{name}: {spoils}"
            );
        }
        if setup.tags.contains_key("lie-pays") {
            assert!(setup.debrief.contains("this is the point"), "{name}");
        }
    }
}

#[test]
fn texts_for_a_seat_are_read_by_seat() {
    let with = |field: &str| read(&primality("number: 323", field));
    let setup =
        with("briefing: {Judge: \"Divide.\", Prover: \"Defend.\"}, debrief: \"17 × 19.\"").unwrap();
    assert_eq!(setup.briefing.text_of_seat(Seat::Judge), Some("Divide."));
    assert_eq!(setup.briefing.text_of_seat(Seat::Prover), Some("Defend."));
    assert_eq!(setup.briefing.text_of_seat(Seat::Opponent), None);
    assert_eq!(setup.debrief, "17 × 19.");
    for (field, said) in [
        (
            "briefing: {Judge: \"a\", Judge: \"b\"}",
            "the judge is listed twice; remove one",
        ),
        ("briefing: {Jury: \"a\"}", "`Jury`"),
        (
            "briefing: {Judge: \"\\u{1b}[2J\"}",
            "could disturb a terminal",
        ),
        ("debrief: \"\\u{1b}[2J\"", "could disturb a terminal"),
    ] {
        let error = with(field).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn omitted_fields_have_their_defaults() {
    let setup = read(&primality("number: 323", "")).unwrap();
    assert_eq!(setup.protocol, default_protocol());
    assert_eq!(setup.protocol.parameter_summary(), "ε 0.25 ρ 0.5 r 1/32");
    assert_eq!(setup.oracle, Oracle::Truth);
    assert_eq!(setup.judge_sees, JudgeSees::Transcript);
    assert_eq!(setup.players, TextBySeat::default());
    // Sixteen candidates in groups of four.
    assert_eq!(setup.instance(0).size().depth, 2);
}

#[test]
fn numbers_are_read_exactly() {
    let digits = format!("0.{}1", "0".repeat(300));
    let text = argument(
        &format!("\"r\": (text: \"r\", truth: true, judged_true: {digits}, estimate: \"1/3\")"),
        "oracle: Noisy(/* a tenth */ 0.1 // of all\n)",
    );
    let setup = read(&text).unwrap();
    assert_eq!(setup.oracle, Oracle::Noisy(Exact::ratio(1, 10)));
    let instance = setup.instance(0);
    let ten = num_bigint::BigInt::from(10);
    assert_eq!(
        instance.human_judge_yes_probability(instance.root()),
        Some(Exact::new(1.into(), ten.pow(301)))
    );
}

#[test]
fn numbers_may_be_written_in_every_way() {
    let worlds = |fields: &str| -> Vec<String> {
        let setup = read(&primality(fields, "decomposition: Witnesses(bases: [2])")).unwrap();
        let worlds = setup.decomposition.worlds().iter();
        worlds.map(|world| world.name.clone()).collect()
    };
    assert_eq!(worlds("number: \"4331\""), ["4331"]);
    assert_eq!(worlds("numbers: [35, \"1_000_001\"]"), ["35", "1000001"]);
    assert_eq!(worlds("numbers: Between(9, \"11\")"), ["9", "10", "11"]);
    assert_eq!(worlds("numbers: Semiprimes(bits: 16, count: 3)").len(), 3);
}

/// Work that grows with the number itself would never end.
#[test]
fn a_long_number_opens_at_once() {
    let n = (BigUint::from(1_u32) << 2047_u32) + 3_u32;
    let setup = read(&primality(&format!("number: \"{n}\""), "")).unwrap();
    assert_eq!(setup.instance(0).size().depth, 512);
}

#[test]
fn every_gate_can_be_written() {
    for gate in [
        "All",
        "Any",
        "Majority",
        "AtLeast(2)",
        "Xor",
        "Table([0, 1, 1, 0])",
        "Table([true, false, true, true])",
    ] {
        let text = argument(
            &format!(
                "\"r\": Claim(text: \"r\", supports: [Support(gate: {gate}, on: [\"a\", \"b\"])]),
                 \"a\": Claim(text: \"a\", truth: true), \"b\": Claim(text: \"b\", supports: [(gate: Not, on: [\"a\"])])"
            ),
            "",
        );
        read(&text).unwrap();
    }
}

#[test]
fn proof_bits_are_read() {
    let text = "Scenario(format: 1, title: \"t\", problem: Argument(
        root: \"r\", proof: {\"u1\": true, \"u2\": false},
        claims: {\"r\": Claim(text: \"r\", reads: [\"u2\", \"u1\"], check: Xor)},
    ))";
    let instance = read(text).unwrap().instance(0);
    let root = instance.root();
    assert_eq!(instance.proof_bits_read_by_leaf(root), [1, 0]);
    assert_eq!(instance.truth(root), Some(true));
}

#[test]
fn evidence_may_differ_from_world_to_world() {
    let setup =
        LoadedScenario::load_bundled_scenario("hidden-flaw", &ScenarioLimits::default()).unwrap();
    for (world, right) in [("01", 1), ("10", 0)] {
        let instance = setup.instance(setup.world_index(world).unwrap());
        let pages = &instance.supports(instance.root())[0].on;
        for (place, page) in pages.iter().enumerate() {
            let evidence = instance.evidence(*page).unwrap();
            let is_right = place == right;
            assert_eq!(instance.truth(*page), Some(is_right));
            let wrong = evidence.contains("96 + 58 = 144") || evidence.contains("83 − 47 = 46");
            assert_eq!(wrong, !is_right);
        }
    }
}

#[test]
fn an_oracle_table_names_exactly_the_leaves() {
    let claims = "\"r\": (text: \"r\", supports: [(gate: All, on: [\"a\", \"b\"])]),
        \"a\": (text: \"first\", truth: true), \"b\": (text: \"second\", truth: true)";
    let table = |entries| argument(claims, &format!("oracle: Table({{{entries}}})"));
    read(&table("\"a\": 0.5, \"second\": \"1/3\"")).unwrap();
    assert!(refused(&table("\"a\": 0.5")).contains("no entry for the leaf \"b\""));
    let stranger = refused(&table("\"a\": 0, \"b\": 1, \"r\": 1"));
    assert!(stranger.contains("oracle[\"r\"]: no leaf"), "{stranger}");
    assert!(refused(&table("\"a\": 0, \"b\": 1.5")).contains("1.5 is not a probability"));
    let generated = refused(&primality("number: 9", "oracle: Table({\"a\": 1})"));
    assert!(
        generated.contains("only the leaves of an Argument"),
        "{generated}"
    );
}

#[test]
fn draws_follow_the_published_rule() {
    let text = "Scenario(format: 1, title: \"t\", problem: Argument(
        root: \"r\", claims: {\"r\": Claim(text: \"r\", truth: true)},
        worlds: [(name: \"a\", weight: 1), (name: \"b\", weight: \"7/3\"), (name: \"c\", weight: 0.5)],
    ))";
    let setup = read(text).unwrap();
    let worlds = setup.decomposition.worlds();
    let total: Exact = worlds.iter().map(|world| world.weight.clone()).sum();
    let seed = Seed::new("draws").unwrap();
    let mut counts = [0; 3];
    for debate in 0..200 {
        let draw = RandomStream::for_player_in_debate(&seed, RandomStreamPurpose::Instance, debate)
            .random_53_bit_number_at(0);
        let rule = chance::pick(draw, worlds.iter().map(|world| &world.weight / &total));
        assert_eq!(Some(setup.world_of_debate(&seed, debate)), rule);
        counts[setup.world_of_debate(&seed, debate)] += 1;
    }
    assert!(counts[1] > counts[0] && counts[0] > counts[2] && counts[2] > 0);
    // The shares are not multiples of 2⁻⁵³, so the boundaries themselves must be exact.
    let mut below = Exact::default();
    for world in &worlds[..2] {
        below += &world.weight / &total;
        let scaled = &below * Exact::from_integer(BigInt::from(1_u64 << 53));
        let limit = u64::try_from(scaled.ceil().to_integer()).unwrap();
        for draw in [limit - 1, limit] {
            let rule = chance::pick(draw, worlds.iter().map(|world| &world.weight / &total));
            assert_eq!(
                rule,
                Some(setup.world_index_for_random_number(draw)),
                "{draw}"
            );
        }
        assert_ne!(
            setup.world_index_for_random_number(limit - 1),
            setup.world_index_for_random_number(limit)
        );
    }
}

#[test]
fn the_scenarios_own_instance_is_first() {
    let setup =
        LoadedScenario::load_bundled_scenario("primes-4331", &ScenarioLimits::default()).unwrap();
    let asked = setup.world_index("4331").unwrap();
    for debate in 0..20 {
        assert_eq!(
            setup.world_of_debate(&Seed::new("x").unwrap(), debate),
            asked
        );
    }
    let error = setup.world_index("4332\u{1b}[2J").unwrap_err().to_string();
    assert_eq!(
        error,
        "scenarios/primes-4331.ron: there is no instance `4332\\u{1b}[2J`; use one of `4237`, `4247`, \
         `4267`, `4307`, `4309`, `4313`, `4321`, `4331`, `4343`, `4351`"
    );
}

#[test]
fn protocols_are_read_with_their_comments() {
    let text = primality(
        "number: 323",
        "protocol: /* plain */ Recursive // no parameters\n",
    );
    assert_eq!(
        read(&text).unwrap().protocol.kind(),
        ProtocolKind::Recursive
    );
    let text = primality(
        "number: 323",
        "protocol: ProverEstimator(epsilon: 0.1 /* a tenth */, rho: \"1/2\" // half\n, direction: Public)",
    );
    assert_eq!(
        read(&text).unwrap().protocol.parameter_summary(),
        "ε 0.1 ρ 0.5 r 0.0125"
    );
}

#[test]
fn line_ends_and_tabs_are_evened_out() {
    let text = argument(
        "\"r\": Claim(text: \"r\", truth: true, evidence: \"if a:\r\n\treturn\")",
        "",
    )
    .replace(", ", ",\r\n");
    let instance = read(&format!("\u{feff}{text}")).unwrap().instance(0);
    assert_eq!(
        instance.evidence(instance.root()).unwrap(),
        "if a:\n    return"
    );
}

#[test]
fn limits_name_the_flag_that_raises_them() {
    let chain = argument(
        "\"r\": (text: \"r\", supports: [(gate: Not, on: [\"a\"])]), \"a\": (text: \"a\", truth: true)",
        "",
    );
    let wide = primality("number: 1000003", "decomposition: Intervals(width: 20)");
    let long = argument(
        "\"r\": (text: \"r\", truth: true)",
        "protocol: ProverEstimator(epsilon: 0.25, rho: 0.5)",
    );
    let cases: [(&str, ScenarioLimits, &str); 8] = [
        (
            &long,
            ScenarioLimits {
                digits: 1,
                ..ScenarioLimits::default()
            },
            "--max-digits",
        ),
        (
            &chain,
            ScenarioLimits {
                file: 100,
                ..ScenarioLimits::default()
            },
            "--max-file",
        ),
        (
            &chain,
            ScenarioLimits {
                claims: 1,
                ..ScenarioLimits::default()
            },
            "--max-claims",
        ),
        (
            &chain,
            ScenarioLimits {
                depth: 0,
                ..ScenarioLimits::default()
            },
            "--max-depth",
        ),
        (
            &chain,
            ScenarioLimits {
                width: 0,
                ..ScenarioLimits::default()
            },
            "--max-width",
        ),
        (
            &chain,
            ScenarioLimits {
                text: 0,
                ..ScenarioLimits::default()
            },
            "--max-text",
        ),
        (
            &wide,
            ScenarioLimits {
                width: 19,
                ..ScenarioLimits::default()
            },
            "--max-width",
        ),
        (
            &wide,
            ScenarioLimits {
                depth: 2,
                ..ScenarioLimits::default()
            },
            "--max-depth",
        ),
    ];
    for (text, limits, flag) in cases {
        let origin = ScenarioTextSource::Text("test.ron".to_owned());
        let error = LoadedScenario::from_text(text, origin, &limits).unwrap_err();
        assert!(
            matches!(&error, ScenarioError::TooLarge { flag: named, .. } if *named == flag),
            "{error}"
        );
        assert!(
            error
                .to_string()
                .ends_with(&format!("`{flag}` raises the limit"))
        );
    }
}

#[test]
fn another_format_is_reported_before_other_faults() {
    let error = refused("Scenario(format: 2, title: \"t\", novelty: [1])");
    assert!(
        error.contains("test.ron:1:18: format: this program reads only format 1"),
        "{error}"
    );
}

#[test]
fn a_file_that_never_ends_is_refused() {
    let limits = ScenarioLimits {
        file: 1000,
        ..ScenarioLimits::default()
    };
    let mut file = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut file, "é".repeat(800).as_bytes()).unwrap();
    let error = LoadedScenario::load_scenario_file(file.path(), &limits).unwrap_err();
    assert!(matches!(error, ScenarioError::TooLarge { .. }), "{error}");
}

#[test]
fn a_formula_is_read_from_a_file_beside_the_scenario() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("game.ron");
    let text = "Scenario(format: 1, title: \"t\", problem: Qbf(file: \"game.qdimacs\"), \
                protocol: Quantifiers(verifier: Direct))";
    std::fs::write(&scenario, text).unwrap();
    let formula = folder.path().join("game.qdimacs");
    std::fs::write(&formula, "p cnf 2 2\na 1 0\ne 2 0\n1 2 0\n-1 -2 0\n").unwrap();
    let setup = LoadedScenario::load_scenario_file(&scenario, &ScenarioLimits::default()).unwrap();
    assert_eq!(setup.problem, "qbf");
    assert_eq!(setup.files.len(), 1);
    let instance = setup.instance(0);
    assert_eq!(
        instance.text(instance.root()),
        "∀y1 ∃x2: all 2 clauses hold"
    );
    assert_eq!(instance.truth(instance.root()), Some(true));

    // A mistake in the file is reported with its line there.
    std::fs::write(&formula, "p cnf 2 2\na 1 0\ne 1 0\n1 2 0\n").unwrap();
    let error =
        LoadedScenario::load_scenario_file(&scenario, &ScenarioLimits::default()).unwrap_err();
    let told = error.to_string();
    assert!(
        told.contains("game.qdimacs:3:") && told.contains("quantified twice"),
        "{told}"
    );
}

#[test]
fn a_formula_is_rendered_with_variable_names() {
    let text = "Scenario(format: 1, title: \"t\", problem: Qbf(inline: \"p cnf 3 2\\na 1 2 0\\ne 3 \
                0\\n1 -3 0\\n-1 2 3 0\\n\", names: {1: \"rain\", 3: \"coat\"}), protocol: \
                Quantifiers())";
    let read = |text: &str| {
        let origin = ScenarioTextSource::Text("t".to_owned());
        LoadedScenario::from_text(text, origin, &ScenarioLimits::default())
    };
    let setup = read(text).unwrap();
    let instance = setup.instance(0);
    let formula = instance.formula().unwrap();
    assert_eq!(formula.quantifier_blocks_text_from(0), "∀rain, y2 ∃coat");
    assert_eq!(formula.clause_in_words(0).unwrap(), "rain or not coat");
    assert_eq!(
        formula.clause_in_words(1).unwrap(),
        "not rain or y2 or coat"
    );
    for (names, what) in [
        (
            "{7: \"sun\"}",
            "the variable 7 has a name, but does not occur in the formula",
        ),
        ("{1: \"rain\", 2: \"rain\"}", "are both named"),
        ("{1: \"rain\", 1: \"sun\"}", "named twice"),
        ("{1: \" rain\"}", "without spaces at its ends"),
        ("{1: \"\\u{1b}\"}", "cannot be shown"),
    ] {
        let wrong = text.replace("{1: \"rain\", 3: \"coat\"}", names);
        let error = read(&wrong).unwrap_err().to_string();
        assert!(
            error.contains("problem.names") && error.contains(what),
            "{error}"
        );
    }
}

#[test]
fn a_formula_can_be_too_large() {
    let text = "Scenario(format: 1, title: \"t\", problem: Qbf(inline: \"p cnf 3 3\\na 1 0\\ne 2 \
                0\\na 3 0\\n1 0\\n2 0\\n3 0\\n\"), protocol: Quantifiers())";
    let read = |limits: &ScenarioLimits| {
        LoadedScenario::from_text(text, ScenarioTextSource::Text("t".to_owned()), limits)
    };
    assert!(read(&ScenarioLimits::default()).is_ok());
    let few = |claims, depth| ScenarioLimits {
        claims,
        depth,
        ..ScenarioLimits::default()
    };
    for (limits, flag) in [(few(2, 9), "--max-claims"), (few(9, 2), "--max-depth")] {
        let error = read(&limits).unwrap_err().to_string();
        assert!(error.contains(flag), "{error}");
    }
}

/// The reader stops at the first excess row of a table, so it does not find an error after that row.
#[test]
fn a_table_is_refused_at_its_first_row_too_many() {
    let rows = "1, 0, ".repeat(1 << 11);
    for (gate, claims) in [
        (
            format!("supports: [Support(gate: Table([{rows}1, x]), on: [\"a\"])]"),
            "\"a\": (text: \"a\", truth: true)",
        ),
        (format!("reads: [\"b\"], check: Table([{rows}1, x])"), ""),
    ] {
        let text = argument(&format!("\"r\": Claim(text: \"r\", {gate}), {claims}"), "");
        let error = refused(&text);
        assert!(error.contains("a table has at most 4096 rows"), "{error}");
    }
    let fits = argument(
        &format!(
            "\"r\": Claim(text: \"r\", supports: [Support(gate: Table([{rows}]), on: [\"a\"])]), \
             \"a\": (text: \"a\", truth: true)"
        ),
        "",
    );
    let error = refused(&fits);
    assert!(error.contains("but it has 4096"), "{error}");
}

#[test]
fn errors_know_the_fields_of_a_scenario() {
    let unknown = refused("Scenario(_: 0)");
    let (_, known) = unknown.split_once("; use one of ").expect("a list");
    let fields: Vec<&str> = known.split(", ").collect();
    assert!(fields.len() > 15, "{fields:?}");
    for field in fields {
        let misplaced = refused(&primality(&format!("number: 7, {field}: 0"), ""));
        let hint = format!("`{field}` is a field of `Scenario`");
        assert!(misplaced.contains(&hint), "{misplaced}");
    }
}

/// Each example is read as its kind of problem, whose form has the same name in tables.
#[test]
fn every_example_is_of_its_kind() {
    assert_eq!(PROBLEMS.len(), 7);
    for problem in PROBLEMS.iter() {
        let setup = LoadedScenario::from_text(
            &problem.example_scenario_text(problem.decompositions[0]),
            ScenarioTextSource::Text(problem.name.to_owned()),
            &ScenarioLimits::default(),
        );
        assert!(
            problem.fitting_protocol_examples().is_ok(),
            "{}",
            problem.name
        );
        // Some kinds cannot be debated under the default rules of a scenario.
        if let Ok(setup) = setup {
            assert_eq!(setup.problem, problem.kind);
        }
    }
}

/// The course contains every bundled scenario, in the same order.
#[test]
fn the_course_has_every_scenario() {
    let course: Vec<_> = bundled_scenarios()
        .into_iter()
        .map(|row| row.name)
        .collect();
    assert_eq!(course, bundled_names().collect::<Vec<_>>());
}
