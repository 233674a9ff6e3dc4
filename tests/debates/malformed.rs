//! Scenario files with a mistake. Each gives one error with the cause, its position, and advice. No error contains a
//! character that could disturb a terminal. A reader with exponential time makes these tests hang.

use std::fs;
use std::path::PathBuf;

use debate_solver::setup::{
    LoadedScenario, ScenarioError, ScenarioLimits, ScenarioTextSource, SourceLocation,
};
use proptest::prelude::*;

fn read(text: &str) -> Result<LoadedScenario, ScenarioError> {
    LoadedScenario::from_text(
        text,
        ScenarioTextSource::Text("test.ron".to_owned()),
        &ScenarioLimits::default(),
    )
}

/// Returns the error's message, after checking the properties of every message.
fn message(error: &ScenarioError) -> String {
    let text = error.to_string();
    assert!(
        !text.chars().any(|c| c.is_control() || c == '\u{202e}'),
        "{text:?} would reach a terminal"
    );
    assert!(text.chars().count() < 2000, "{} characters", text.len());
    text
}

fn place(error: &ScenarioError) -> &SourceLocation {
    match error {
        ScenarioError::Malformed { place, .. }
        | ScenarioError::Flawed { place, .. }
        | ScenarioError::TooLarge { place, .. } => place,
        other => panic!("no place: {other}"),
    }
}

fn files() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir("tests/malformed")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

#[test]
fn every_mistake_is_explained() {
    let mut all = String::new();
    for path in files() {
        let error = LoadedScenario::load_scenario_file(&path, &ScenarioLimits::default())
            .expect_err(&path.to_string_lossy());
        let text = message(&error);
        let place = place(&error);
        assert_eq!(place.origin, path.to_string_lossy());
        let source = fs::read(&path).unwrap();
        let lines = source.split(|byte| *byte == b'\n').count();
        assert!(
            place.line >= 1 && place.line <= lines && place.column >= 1,
            "{text}"
        );
        let short = text.strip_prefix("tests/malformed/").unwrap();
        all.push_str(short);
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

/// A scenario with every text field; `@name@` marks the position of the field `name`.
const EVERY_TEXT: &str = r#"Scenario(
    format: 1, title: "@title@", about: "@about@",
    problem: Argument(
        root: "r@root@",
        claims: {
            "r": Claim(text: "@text@", estimate: "1@estimate@", supports: [
                Support(label: "@label@", gate: All, on: ["a@on@", "b@id@"]),
            ]),
            "a": Claim(text: "a", truth: true, evidence: "@evidence@", judged_true: "1@judged_true@"),
            "b@id@": Claim(text: "b", reads: ["u@reads@"], check: All),
        },
        proof: {"u@bit@": true},
        worlds: [World(
            name: "w@name@", weight: "1@weight@", truths: {"a@truth@": true},
            evidence: {"a@shown@": "@own@"},
        )],
    ),
    instance: "w@instance@",
    oracle: Table({"a@leaf@": 1, "b": "1@chance@"}),
    protocol: ProverEstimator(epsilon: "0.25@epsilon@", rho: "0.5@rho@"),
    players: (prover: "p@prover@", opponent: "o@opponent@", judge: "j@judge@"),
    tags: {"t@tag@": "@value@"},
)"#;

const FIELDS: [&str; 27] = [
    "title",
    "about",
    "root",
    "text",
    "estimate",
    "label",
    "on",
    "id",
    "evidence",
    "judged_true",
    "reads",
    "bit",
    "name",
    "weight",
    "truth",
    "shown",
    "own",
    "instance",
    "leaf",
    "chance",
    "epsilon",
    "rho",
    "prover",
    "opponent",
    "judge",
    "tag",
    "value",
];

fn filled(field: &str, with: &str) -> String {
    let mut text = EVERY_TEXT.to_owned();
    for other in FIELDS {
        text = text.replace(
            &format!("@{other}@"),
            if other == field { with } else { "" },
        );
    }
    text.replace("text: \"\"", "text: \"r\"")
}

#[test]
fn text_fields_refuse_terminal_control_characters() {
    assert!(!filled("title", "").contains('@'));
    read(&filled("title", "")).unwrap();
    for field in FIELDS {
        for bad in [
            "\u{1b}[2J",
            "\u{1b}]0;x\u{7}",
            "\u{0}",
            "\u{7f}",
            "\u{9b}31m",
            "\u{202e}",
            "\u{2066}",
            "\u{200b}",
            "\r",
            "\u{feff}",
            "\u{2028}",
        ] {
            let escaped: String = bad.chars().flat_map(char::escape_unicode).collect();
            for with in [bad, &escaped] {
                // The reader ignores space around a number in quotes.
                let is_number = EVERY_TEXT.contains(&format!("1@{field}@"))
                    || ["epsilon", "rho"].contains(&field);
                if is_number && with.trim().is_empty() {
                    continue;
                }
                let text = filled(field, with);
                let error = read(&text).expect_err(&format!("{field}: {with:?}"));
                message(&error);
                let written = text.lines().map(|line| line.contains(with));
                let lines: Vec<usize> = (1..)
                    .zip(written)
                    .filter(|(_, here)| *here)
                    .map(|(line, _)| line)
                    .collect();
                assert!(
                    lines.contains(&place(&error).line),
                    "{field} {lines:?} {error}"
                );
            }
        }
    }
}

/// Checks that a file of about `length` bytes of opening brackets is refused.
fn check_brackets(length: usize) {
    for open in [
        "[",
        "(",
        "{",
        "Some(",
        "[(",
        "{1:",
        "A(b:",
        "/*",
        "r#",
        "\"\\",
        "'",
        "#![",
        "Scenario(title:(",
    ] {
        let text = open.repeat(length / open.len());
        for prefix in [
            "",
            "Scenario(format: 1, problem: ",
            "Scenario(format: 1, protocol: ",
            "Scenario(instance: ",
        ] {
            let error = read(&format!("{prefix}{text}")).unwrap_err();
            message(&error);
        }
    }
}

#[test]
fn unclosed_brackets_are_refused() {
    check_brackets(60_000);
    let closed = format!("{}{}", "[".repeat(40), "]".repeat(40));
    let error = read(&format!(
        "Scenario(format: 1, title: \"t\", instance: {closed})"
    ))
    .unwrap_err();
    insta::assert_snapshot!(message(&error), @"test.ron:1:74: brackets nest more than 32 levels deep here; remove some");
}

#[test]
#[ignore = "exhaustive: 1 s; every day: unclosed_brackets_are_refused"]
fn a_file_full_of_unclosed_brackets_is_refused() {
    check_brackets(300_000);
}

/// A chain of claims, each supported by the next.
fn chain(claims: usize) -> String {
    let links: Vec<String> = (1..claims)
        .map(|place| {
            format!(
                "\"c{place}\": (text: \"t\", supports: [(gate: Not, on: [\"c{}\"])]),\n",
                place - 1
            )
        })
        .collect();
    format!(
        "Scenario(format: 1, title: \"t\", problem: Argument(root: \"c{}\", claims: {{\n\
         \"c0\": (text: \"t\", truth: true),\n{}}}))",
        claims - 1,
        links.concat()
    )
}

/// One claim over `width` others.
fn fan(width: usize) -> String {
    let names: Vec<String> = (0..width).map(|place| format!("\"c{place}\"")).collect();
    let leaves: Vec<String> = names
        .iter()
        .map(|name| format!("{name}: (text: \"t\", truth: true),\n"))
        .collect();
    format!(
        "Scenario(format: 1, title: \"t\", problem: Argument(root: \"r\", claims: {{\n\
         {}\"r\": (text: \"t\", supports: [(gate: All, on: [{}])]),\n}}))",
        leaves.concat(),
        names.join(", ")
    )
}

#[test]
fn an_error_about_depth_or_width_names_its_flag() {
    read(&chain(4097)).unwrap();
    insta::assert_snapshot!(message(&read(&chain(4098)).unwrap_err()), @"test.ron:1:74: problem.claims: 4097 levels of claims are more than the limit of 4096; `--max-depth` raises the limit");
    // A recursive reader would overflow the stack of this thread.
    let small = std::thread::Builder::new().stack_size(256 << 10);
    let refused = small.spawn(|| message(&read(&chain(6_000)).unwrap_err()));
    refused.unwrap().join().unwrap();
    read(&fan(1024)).unwrap();
    insta::assert_snapshot!(message(&read(&fan(1025)).unwrap_err()), @r#"test.ron:1027:45: problem.claims["r"].supports[0].on: 1025 subclaims in one support are more than the limit of 1024; `--max-width` raises the limit"#);
}

fn bundled_texts() -> Vec<String> {
    debate_solver::setup::bundled_names()
        .map(|name| fs::read_to_string(format!("scenarios/{name}.ron")).unwrap())
        .collect()
}

/// Reads a file, and checks the error if there is one.
fn read_or_refuse(bytes: &[u8]) {
    let origin = ScenarioTextSource::Text("test.ron".to_owned());
    if let Err(error) = LoadedScenario::from_bytes(bytes, origin, &ScenarioLimits::default()) {
        message(&error);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read_or_refuse(&bytes);
    }

    #[test]
    fn any_tokens_are_read_or_refused(
        tokens in prop::collection::vec(prop::sample::select(vec![
            "Scenario", "(", ")", "[", "]", "{", "}", ",", ":", "format", "1", "title", "\"t\"",
            "problem", "Argument", "Primality", "Circuit", "Parity", "made", "inline", "inputs", "Halves", "number", "numbers", "root", "claims", "\"r\"", "text",
            "truth", "true", "supports", "gate", "All", "on", "Some", "None", "protocol", "Recursive",
            "0.1", "-", "//", "\n", "/*", "*/", "r#", "'", "\"", "\\", "#![enable(unwrap_variant_newtypes)]",
        ]), 0..60),
        from in prop::sample::select(vec!["", "Scenario(format: 1, title: \"t\", problem: ", "Scenario("]),
    ) {
        read_or_refuse(format!("{from}{}", tokens.concat()).as_bytes());
    }

    #[test]
    fn any_change_to_a_bundled_file_is_read_or_refused(
        which in any::<prop::sample::Index>(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..30, any::<Vec<u8>>(), any::<prop::sample::Index>()), 1..4),
    ) {
        let texts = bundled_texts();
        let mut bytes = which.get(&texts).clone().into_bytes();
        for (at, length, new, from) in cuts {
            let at = at.index(bytes.len() + 1);
            let end = (at + length).min(bytes.len());
            // Half of the insertions are a piece of the file itself.
            let piece = if new.len() % 2 == 0 {
                new
            } else {
                let from = from.index(bytes.len() + 1);
                bytes[from..(from + length).min(bytes.len())].to_vec()
            };
            bytes.splice(at..end, piece);
        }
        read_or_refuse(&bytes);
    }

    #[test]
    fn written_fields_are_read_back(
        texts in prop::collection::vec("[ -~äß→🙂]{1,30}", 1..8),
        tenths in prop::collection::vec((0_u8..=10, any::<bool>()), 8),
    ) {
        let quoted = |text: &str| ron::to_string(&text).unwrap();
        let mut claims = Vec::new();
        let mut on = Vec::new();
        for (place, (text, (p, truth))) in texts.iter().zip(&tenths).enumerate() {
            on.push(format!("\"c{place}\""));
            claims.push(format!(
                "\"c{place}\": Claim(text: {}, truth: {truth}, judged_true: \"{p}/10\"),",
                quoted(&format!("x{text}"))
            ));
        }
        let setup = read(&format!(
            "Scenario(format: 1, title: {0}, about: {0}, problem: Argument(root: \"r\", claims: {{
                \"r\": Claim(text: \"r\", supports: [(gate: Xor, on: [{1}])]), {2} }}), oracle: PerLeaf)",
            quoted(&texts[0]),
            on.join(", "),
            claims.concat(),
        )).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(&setup.title, &texts[0]);
        prop_assert_eq!(&setup.about, &texts[0]);
        let instance = setup.instance(0);
        for (place, leaf) in instance.supports(instance.root())[0].on.iter().enumerate() {
            let (p, truth) = tenths[place];
            prop_assert_eq!(instance.text(*leaf), format!("x{}", texts[place]));
            prop_assert_eq!(instance.truth(*leaf), Some(truth));
            let judged = instance.human_judge_yes_probability(*leaf).unwrap();
            prop_assert_eq!(judged, debate_core::number::Exact::new(p.into(), 10.into()));
        }
    }
}

/// A small argument with this gate and additional scenario fields.
fn argument(gate: &str, more: &str) -> String {
    format!(
        r#"Scenario(format: 1, title: "t", problem: Argument(root: "r", claims: {{
            "r": Claim(text: "R.", supports: [Support(gate: {gate}, on: ["a", "b"])]),
            "a": Claim(text: "A.", truth: true), "b": Claim(text: "B.", truth: true),
        }}), {more})"#
    )
}

#[test]
fn names_of_other_programs_suggest_ours() {
    for (gate, ours) in [
        ("And", "did you mean `All`?"),
        ("AND", "did you mean `All`?"),
        ("Or", "did you mean `Any`?"),
        ("Most", "did you mean `Majority`?"),
        ("Every", "did you mean `All`?"),
        ("&&", "`All` if every subclaim must hold"),
        ("||", "`Any` if one is enough"),
        ("Al", "did you mean `All`?"),
    ] {
        let error = read(&argument(gate, "")).unwrap_err().to_string();
        assert!(error.contains(ours), "{gate}: {error}");
    }
    read(&argument("All", "")).unwrap();
}

#[test]
fn a_seat_has_the_names_that_screen_and_flags_have() {
    use debate_core::protocol::Seat;
    for (name, seat) in [
        ("Opponent", Seat::Opponent),
        ("Estimator", Seat::Opponent),
        ("Challenger", Seat::Opponent),
        ("Judge", Seat::Judge),
    ] {
        let setup = read(&argument("All", &format!("sit: {name}"))).unwrap();
        assert_eq!(setup.sit, Some(seat), "{name}");
    }
    let error = read(&argument("All", "sit: Umpire"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("there is no seat `Umpire`"), "{error}");
    assert!(
        error.contains("Prover") && error.contains("Estimator"),
        "{error}"
    );
}

#[test]
fn the_error_of_a_misplaced_field_names_its_place() {
    let within = r#"Scenario(format: 1, title: "t",
        problem: Primality(number: "7", decomposition: Pratt))"#;
    let players = argument("All", r#"players: (prover: "honest", sit: Judge)"#);
    for (text, field) in [(within, "decomposition"), (&players, "sit")] {
        let error = read(text).unwrap_err().to_string();
        let says = format!("`{field}` is a field of `Scenario`");
        assert!(error.contains(&says), "{error}");
    }
    // For an unknown field the error lists the known fields.
    let other = r#"Scenario(format: 1, title: "t", problem: Primality(nomber: "7"))"#;
    let error = read(other).unwrap_err().to_string();
    assert!(error.contains("did you mean `number`?"), "{error}");
}
