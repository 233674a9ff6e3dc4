//! Tests with changed, cut or forged saves, and with files that are not saves.

use super::*;
use debate_core::number::MAX_NUMBER;

fn finished(protocol: &str) -> String {
    let table = Fixture::small(protocol);
    let seating = table.played(&mut entropy(3), usize::MAX);
    let text = table.save(&seating);
    assert!(verdict(&text).finished);
    text
}

/// Returns the line that `verify` reports as the first difference in changed bytes.
fn named(bytes: &[u8]) -> Result<Option<usize>, SaveFileError> {
    match verify_save_bytes(bytes, &ScenarioLimits::default()) {
        Ok(verdict) => Ok(verdict.first_difference.map(|difference| difference.line)),
        Err(SaveFileError::NotASave { line, .. } | SaveFileError::CutHeader { line }) => {
            Ok(Some(line))
        }
        Err(SaveFileError::Newer { .. }) => Ok(Some(2)),
        Err(other) => Err(other),
    }
}

/// Changes every `stride`-th byte of some saves, and checks that `verify` reports the line.
fn check_changed_bytes(stride: usize) {
    for protocol in RULES {
        let whole = finished(protocol);
        let lines = whole.lines().count();
        // An unfinished save has another last line.
        let unfinished: String = whole.split_inclusive('\n').take(lines - 1).collect();
        for text in [whole, unfinished] {
            let mut bytes = text.into_bytes();
            for at in (0..bytes.len()).step_by(stride) {
                let byte = bytes[at];
                let line = bytes[..at].split(|byte| *byte == b'\n').count();
                // Two variants: the byte with one bit changed, and in turn one of several bytes with a syntactic
                // meaning.
                let others = [byte ^ 0x20, byte ^ 0x80, b'\n', b' ', b'"', b'0', 0];
                for other in [byte ^ 1, others[at % others.len()]] {
                    if other == byte {
                        continue;
                    }
                    bytes[at] = other;
                    let found = named(&bytes).unwrap();
                    // A change in the header is reported at the line of its hash, or at the line that cannot be read.
                    let near = |found: usize| found == line || line <= 8 && found <= 9;
                    assert!(
                        found.is_some_and(near),
                        "byte {at} of line {line}: {found:?}"
                    );
                }
                bytes[at] = byte;
            }
        }
    }
}

#[test]
fn a_changed_byte_is_found() {
    // Not a multiple of the number of other bytes, so that the test uses each of these bytes.
    check_changed_bytes(9);
}

#[test]
#[ignore = "exhaustive: 3 s; every day: a_changed_byte_is_found"]
fn every_changed_byte_is_found() {
    check_changed_bytes(1);
}

/// Cuts some saves at every `stride`-th byte and at line ends. Checks that the remaining bytes are a save or a cut
/// header.
fn check_cuts(stride: usize) {
    for protocol in RULES {
        let table = Fixture::small(protocol);
        let text = finished(protocol);
        let header_length = text.find("    events: [\n").unwrap() + "    events: [\n".len();
        for at in cuts(&text, 0, stride) {
            let cut = &text.as_bytes()[..at];
            if at < header_length {
                let error = verify_save_bytes(cut, &ScenarioLimits::default()).unwrap_err();
                assert!(
                    matches!(error, SaveFileError::CutHeader { .. }),
                    "{at}: {error}"
                );
                continue;
            }
            let verdict = verify_save_bytes(cut, &ScenarioLimits::default()).unwrap();
            assert!(verdict.ok && !verdict.finished, "{at}: {verdict:?}");
            let ends_whole = cut.ends_with(b"\n");
            assert_eq!(verdict.torn.is_none(), ends_whole, "{at}");
            let save = Save::parse(cut).unwrap();
            let seating = save.seat(&table.instance, table.players()).unwrap();
            // The remaining bytes are the beginning of the whole save, and the debate can be continued from them.
            let resumed = table.save(&seating);
            let sound = usize::try_from(save.length).unwrap();
            assert_eq!(resumed.get(..sound), text.get(..sound));
        }
    }
}

#[test]
fn a_truncated_save_is_valid_or_has_only_a_header() {
    check_cuts(9);
}

#[test]
#[ignore = "exhaustive: 1 s; every day: a_truncated_save_is_valid_or_has_only_a_header"]
fn every_truncated_save_is_valid_or_has_only_a_header() {
    check_cuts(1);
}

#[test]
fn a_recomputed_chain_still_fails_the_rules() {
    let text = finished(RULES[0]);
    assert_eq!(forged(&text), text);
    let line_of =
        |text: &str, part: &str| 1 + text.lines().position(|row| row.contains(part)).unwrap();
    let number = |text: &str| {
        text.chars()
            .take_while(char::is_ascii_digit)
            .collect::<String>()
    };
    let coin = number(text.split("Drawn(").nth(1).unwrap());
    let payoff = text
        .split("payoff: \"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap()
        .to_owned();
    for (from, to, expected) in [
        (
            format!("Drawn({coin})"),
            "Drawn(17)".to_owned(),
            format!("reply: Drawn({coin})"),
        ),
        (
            "value: true".to_owned(),
            "value: false".to_owned(),
            "value: true".to_owned(),
        ),
        (
            format!("payoff: \"{payoff}\""),
            "payoff: \"1\"".to_owned(),
            format!("payoff: \"{payoff}\""),
        ),
        (
            "by_round: [\"".to_owned(),
            "by_round: [\"1".to_owned(),
            "by_round: [".to_owned(),
        ),
        ("n: 3, ".to_owned(), "n: 4, ".to_owned(), "n: 3".to_owned()),
        (
            "n: 4, seat: Prover".to_owned(),
            "n: 4, seat: Judge".to_owned(),
            "seat: Prover".to_owned(),
        ),
        (
            "Support(0)".to_owned(),
            "Support(1)".to_owned(),
            "a legal reply".to_owned(),
        ),
        (
            "Support(0)".to_owned(),
            "Select(0)".to_owned(),
            "a legal reply".to_owned(),
        ),
        (
            "Support(0)".to_owned(),
            "Suport(0)".to_owned(),
            "an event of a debate".to_owned(),
        ),
        (
            "    ], end".to_owned(),
            "        (n: 99, undo: 3".to_owned() + ", x",
            String::new(),
        ),
    ] {
        let changed = forged(&text.replacen(&from, &to, 1));
        assert_ne!(changed, text, "{from}");
        let verdict = verdict(&changed);
        let difference = verdict.first_difference.clone().unwrap();
        assert_eq!(difference.line, line_of(&text, &from), "{difference}");
        assert!(difference.expected.contains(&expected), "{difference}");
        assert!(!verdict.finished);
    }
}

#[test]
fn a_broken_rule_is_named_before_a_broken_hash() {
    let text = finished(RULES[0]);
    for (from, to, expected) in [
        ("value: true", "value: false", "value: true"),
        (
            "seat: Prover, reply: Support",
            "seat: Judge, reply: Support",
            "seat: Prover",
        ),
        ("reply: Answer(", "reply:  Answer(", "the hash "),
    ] {
        let difference = verdict(&text.replacen(from, to, 1)).first_difference;
        assert!(difference.unwrap().expected.starts_with(expected), "{from}");
    }
}

#[test]
fn the_first_difference_is_named_despite_later_damage() {
    let text = finished(RULES[0]);
    let lied = forged(&text.replacen("value: true", "value: false", 1));
    let line = 1 + lied
        .lines()
        .zip(text.lines())
        .position(|(a, b)| a != b)
        .unwrap();
    let damaged = lied.replacen("payoff: \"", "payoff: \"9", 1);
    assert_eq!(verdict(&damaged).first_difference.unwrap().line, line);
}

#[test]
fn lines_cannot_be_dropped_swapped_or_doubled() {
    let text = finished(RULES[0]);
    let rows: Vec<&str> = text.split_inclusive('\n').collect();
    let events = rows
        .iter()
        .position(|row| row.contains("events: ["))
        .unwrap()
        + 1;
    for at in events..rows.len() - 1 {
        let mut dropped = rows.clone();
        dropped.remove(at);
        let mut doubled = rows.clone();
        doubled.insert(at, rows[at]);
        let mut swapped = rows.clone();
        swapped.swap(at, at + 1);
        for changed in [dropped, doubled, swapped] {
            assert!(!verdict(&changed.concat()).ok, "{at}");
        }
    }
    let crlf = text.replace('\n', "\r\n");
    assert!(matches!(
        Save::parse(crlf.as_bytes()),
        Err(SaveFileError::Converted)
    ));
    let more = format!("{text}\n");
    assert_eq!(
        verdict(&more).first_difference.unwrap().expected,
        "no lines after the end of the debate"
    );
}

#[test]
fn files_other_than_saves_are_refused_at_once() {
    let limits = ScenarioLimits::default();
    for (text, line) in [
        ("hello", 1),
        ("hello\n", 1),
        ("Save()\n", 1),
        ("Save(\nformat: 1\n", 2),
        ("Save(\n    format: one,\n", 2),
    ] {
        let error = verify_save_bytes(text.as_bytes(), &limits).unwrap_err();
        assert!(
            matches!(error, SaveFileError::NotASave { line: found, .. } if found == line),
            "{text}: {error}"
        );
    }
    for text in [
        "",
        "Sav",
        "Save(\n",
        "Save(\n    for",
        "Save(\n    format: 1, app: \"x\"\n",
    ] {
        let error = verify_save_bytes(text.as_bytes(), &limits).unwrap_err();
        assert!(
            matches!(error, SaveFileError::CutHeader { .. }),
            "{text}: {error}"
        );
    }
    let newer = finished(RULES[0]).replacen("format: 1,", "format: 2,", 1);
    let error = verify_save_bytes(newer.as_bytes(), &limits).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 2: the save has format 2, and this version reads up to 1; use a newer debate-tui"
    );
}

#[test]
fn a_forged_header_is_checked() {
    let text = finished(RULES[0]);
    let limits = ScenarioLimits::default();
    let error = |from: &str, to: &str| {
        let changed = forged(&text.replacen(from, to, 1));
        assert_ne!(changed, text, "{from}");
        verify_save_bytes(changed.as_bytes(), &limits)
            .unwrap_err()
            .to_string()
    };
    assert!(error("instance: \"", "instance: \"no ").contains("no instance"));
    assert!(
        error(
            "protocol: ProverEstimator(epsilon: 0.25",
            "protocol: ProverEstimator(epsilon: 0.5"
        )
        .contains("epsilon")
    );
    assert!(error("gate: Any", "gate: Some").contains("the save's scenario"));
    assert!(error("seed: \"7\"", "seed: \"\"").contains("seed"));
    assert!(
        error("files: []", "files: [(\"f\", \"0\", \"text\")]")
            .contains("digest was 0 and is 982d9e3eb996f559")
    );
    assert!(
        error("files: []", "files: [(\"f\", \"0\", None)]")
            .contains("neither in the save nor beside it")
    );
    let shown = error(
        "files: []",
        "files: [(\"f\", \"\\u{202e}\\u{1b}[2J\", \"text\")]",
    );
    assert!(
        !shown.chars().any(debate_core::text::is_unsafe_character),
        "{shown}"
    );
    assert!(error("players: (", "players: (prover: \"a\", ").contains("players"));
}

#[test]
fn unknown_fields_are_preserved_and_hashed() {
    let text = finished(RULES[0]);
    let newer = forged(
        &text
            .replacen(
                "    files:",
                "    mood: Calm(0.5), weather: {1: [\"x\"]},\n    files:",
                1,
            )
            .replacen("reply: Support(0)", "reply: Support(0), gaze: [1, 2]", 1),
    );
    assert!(verdict(&newer).finished);
    let save = Save::parse(newer.as_bytes()).unwrap();
    let pair = |name: &str, raw: &str| (name.to_owned(), raw.to_owned());
    assert_eq!(
        save.header.unknown,
        [pair("mood", "Calm(0.5)"), pair("weather", "{1: [\"x\"]}")]
    );
    let line = save
        .events_with_undone()
        .iter()
        .find(|line| !line.unknown.is_empty())
        .unwrap();
    assert_eq!(line.unknown, [pair("gaze", "[1, 2]")]);
    let (_, again) = SaveLineFormatter::begin_save(&save.header);
    assert_eq!(Save::parse(again.as_bytes()).unwrap().header, save.header);
    assert!(!verdict(&newer.replacen("gaze: [1", "gaze: [3", 1)).ok);
}

#[test]
fn hostile_lines_are_bounded() {
    let text = finished(RULES[0]);
    let deep = format!("(n: 1, x: {}", "[".repeat(200_000));
    let changed = forged(&text.replacen("(n: 1", &deep, 1));
    assert_eq!(verdict(&changed).replies, 0);
    let long = format!("(n: 1, note: \"{}\"", "x".repeat(MAX_LINE));
    let changed = forged(&text.replacen("(n: 1", &long, 1));
    assert_eq!(
        verdict(&changed).first_difference.unwrap().expected,
        "a shorter line"
    );
    let digits = format!("Probability(\"1/1{}\")", "0".repeat(MAX_NUMBER));
    let at = text.find("Probability(").unwrap();
    let (before, after) = text.split_at(at);
    let after = after.split_once(')').unwrap().1;
    let changed = forged(&format!("{before}{digits}{after}"));
    assert!(!verdict(&changed).ok);
}

/// One claim, which Alice supports in her own words.
const OPEN: &str = r#"Scenario(
    format: 1, title: "Is it worth it?",
    problem: Argument(root: "r", open: (depth: 2, width: 3), claims: {
        "r": Claim(text: "It is worth it."),
    }),
)"#;

#[test]
fn forged_texts_of_supports_are_detected() {
    let people = ["human", "human", "human"];
    let table = Fixture::new(OPEN, RULES[1], "7", people);
    let mut seating = table.seating();
    seating.reply(Reply::Answer(true)).unwrap();
    let composed = debate_core::scenario::ProverWrittenSupport {
        gate: debate_core::gate::Gate::All,
        parts: vec![debate_core::scenario::ProverWrittenSubclaim::new(
            "It pays.",
        )],
    };
    seating.reply(Reply::Compose(Box::new(composed))).unwrap();
    let text = table.save(&seating);
    assert!(verdict(&text).ok, "{text}");
    let written = r#"Compose(gate: All, on: ["It pays."])"#;
    assert!(text.contains(written), "{text}");

    let long = format!(r#"Compose(gate: All, on: ["{}"])"#, "x".repeat(100_000));
    let many = format!("Compose(gate: Any, on: [{}])", "\"x\",".repeat(100_000));
    let judged = format!(
        r#"Compose(gate: All, on: ["a"], judged: [{}])"#,
        "0,".repeat(10)
    );
    for other in [
        r"Compose(gate: All, on: [])",
        r#"Compose(gate: All, on: ["a", "b", "c", "d"])"#,
        r#"Compose(gate: All, on: ["a", "a"])"#,
        r#"Compose(gate: All, on: ["  "])"#,
        r#"Compose(gate: All, on: ["It is worth it."])"#,
        r#"Compose(gate: All, on: ["a\u{1b}[2J"])"#,
        r#"Compose(gate: All, on: ["a\u{202e}"])"#,
        r#"Compose(gate: AtLeast(2), on: ["a"])"#,
        r#"Compose(gate: Table([true, false]), on: ["a"])"#,
        r#"Compose(gate: All, on: ["a"], judged: [1])"#,
        r#"Compose(gate: All, on: ["a", "b"], judged: [1, 0])"#,
        r#"Compose(gate: All, on: "a")"#,
        r#"Compose(on: ["a"])"#,
        "Support(0)",
        "Support(1)",
        &long,
        &many,
        &judged,
    ] {
        let lied = forged(&text.replacen(written, other, 1));
        let shown = crate::record::syntax::excerpt_for_error(other.as_bytes());
        match verify_save_bytes(lied.as_bytes(), &ScenarioLimits::default()) {
            Ok(verdict) => {
                let difference = verdict.first_difference.expect(&shown);
                let told = difference.to_string();
                assert!(!told.contains(['\u{1b}', '\u{202e}']), "{told}");
                assert!(told.chars().count() < 2000, "{shown}");
            }
            Err(error) => {
                let told = error.to_string();
                assert!(!told.contains(['\u{1b}', '\u{202e}']), "{told}");
            }
        }
    }
    // If the words are legal, the save describes another valid debate, which a forger can write without being detected.
    let other = forged(&text.replacen(written, r#"Compose(gate: Any, on: ["a", "b"])"#, 1));
    assert!(verdict(&other).ok);
}
