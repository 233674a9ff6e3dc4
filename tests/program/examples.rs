//! The examples of the help work exactly as printed.

use std::path::Path;

use crate::support::program::{run_here, say};

const COMMANDS: [&str; 24] = [
    "",
    "tutorial",
    "resume",
    "replay",
    "verify",
    "check",
    "export",
    "import",
    "report",
    "me",
    "solve",
    "simulate",
    "compare",
    "merge",
    "equilibrium",
    "train",
    "theorems",
    "search",
    "queries",
    "study",
    "list",
    "guide",
    "completions",
    "man",
];

/// A user's own debate, in the format of `import transcript`.
const TRANSCRIPT: &str = r#"{"format": 1, "name": "galley", "question": "Who left first?",
    "answers": ["The cook", "The pilot"], "correct": 1, "source": "The pilot left at noon.",
    "debaters": ["m1", "m2"], "rounds": [{"speeches": ["The cook.", "The pilot."],
    "judgement": {"p_first": 0.2}}]}"#;

/// Splits a command into words at spaces; single quotes keep spaces.
pub fn shell_words(command: &str) -> Vec<String> {
    let pieces = command.split('\'').enumerate();
    pieces
        .flat_map(|(place, piece)| match place % 2 {
            1 => vec![piece.to_owned()],
            _ => piece.split_whitespace().map(str::to_owned).collect(),
        })
        .collect()
}

/// The words of an example after the program's name, without shell syntax and comments. File names are replaced by
/// existing files, and the number of debates is reduced.
fn words(example: &str, [out, log, study]: [&str; 3]) -> Vec<String> {
    let command = ["  ", " | ", " > "]
        .iter()
        .fold(example.trim(), |rest, end| {
            rest.split(end).next().unwrap_or(rest)
        });
    let mut words: Vec<String> = Vec::new();
    for word in shell_words(command).iter().skip(1) {
        let before = words.last().map(String::as_str);
        let word = match (before, word.as_str()) {
            // A user's own study, which the examples of one page use in order.
            (_, "pilot") => study,
            (Some("--html" | "--out"), _) => out,
            (Some("-n"), _) if words.first().is_some_and(|it| it == "study") => "5",
            (Some("-n"), _) => "200",
            (_, "SAVE.ron") => "saves/primes-estimator.ron",
            (_, "tiny.ron") => "hidden-flaw",
            (Some("replay"), "nyu") => "saves",
            (Some("nyu"), "debates") => "tests/nyu/official",
            (Some("tree"), "debates/json") => "tests/trees",
            (Some("game"), "one.game") => "tests/games/estimator.game",
            (Some("questions"), "arc.jsonl") => "tests/questions/arc.jsonl",
            (Some("questions"), "set.jsonl") => "tests/questions/set.jsonl",
            (Some("transcript"), "log.json") => log,
            (Some("report"), "nyu" | "nyu/rejudgements.jsonl" | "judgements.csv") => {
                "tests/nyu/judgements.csv"
            }
            (Some("--chart" | "--svg"), _) => out,
            (_, word) => word,
        };
        words.push(word.to_owned());
    }
    words
}

/// The examples that take more than 0.2 s, identified by their first words. `compare primes` alone runs every day.
const LARGE: [&str; 7] = [
    "debate-tui compare primes --right",
    "debate-tui compare primes --seed 7 --plain",
    "debate-tui equilibrium hidden-flaw --all --points 5",
    "debate-tui export tiny.ron --to efg --grid 0,1/4",
    "debate-tui queries --inputs 4",
    "debate-tui queries 0110100110010110",
    "debate-tui solve primes --prover best-response --prover-knows nothing",
];

/// True if an example takes long.
pub fn is_large(example: &str) -> bool {
    LARGE.iter().any(|start| example.trim().starts_with(start))
}

/// Runs an example, number `number` in this folder, with empty stdin.
pub fn assert_works(folder: &Path, example: &str, number: usize) {
    let out = folder.join(number.to_string());
    let log = folder.join("log.json");
    std::fs::write(&log, TRANSCRIPT).expect("a file");
    let utf8 = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let words = words(
        example,
        [&utf8(&out), &utf8(&log), &utf8(&folder.join("pilot"))],
    );
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let said = say(folder, &words, "");
    assert_eq!(said.code, Some(0), "{example}: {}", said.err);
}

/// All examples of the help, in order.
fn examples() -> Vec<String> {
    let dir = tempfile::tempdir().expect("a folder");
    let mut found = Vec::new();
    for command in COMMANDS {
        let arguments: Vec<&str> = [command, "--help"]
            .into_iter()
            .filter(|word| !word.is_empty())
            .collect();
        let help = run_here(dir.path(), &arguments, "").out;
        let examples = help
            .lines()
            .filter(|line| line.starts_with("  ") && line.trim_start().starts_with("debate-tui "))
            .filter(|line| !line.contains("[OPTIONS]") && !line.contains("*.part"));
        found.extend(examples.map(str::to_owned));
    }
    found
}

#[test]
fn every_example_of_the_help_works() {
    let dir = tempfile::tempdir().expect("a folder");
    let examples = examples();
    let small = examples.iter().filter(|example| !is_large(example));
    let mut run = 0;
    for example in small {
        assert_works(dir.path(), example, run);
        run += 1;
    }
    assert!(run >= 60, "{run}");
    for start in LARGE {
        let mut examples = examples.iter();
        let is_there = examples.any(|example| example.trim().starts_with(start));
        assert!(is_there, "no example starts with {start}");
    }
}

#[test]
#[ignore = "exhaustive: 3 s; every day: examples::every_example_of_the_help_works"]
fn every_large_example_of_the_help_works() {
    let dir = tempfile::tempdir().expect("a folder");
    let examples = examples();
    let large = examples.iter().filter(|example| is_large(example));
    for (number, example) in large.enumerate() {
        assert_works(dir.path(), example, number);
    }
}
