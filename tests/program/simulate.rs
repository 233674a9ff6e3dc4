//! Simulations through the real program: threads, shards, and replayed debates.

use std::fs;
use std::path::Path;

use crate::support::program::{Said, json, say};
use debate_core::digest::append_digest_to_json;
use serde_json::Value;

/// The document without its duration.
fn results(said: &Said) -> Value {
    let mut document = json(said);
    let fields = document.as_object_mut().expect("an object");
    for clock in ["seconds", "debates_per_second", "threads"] {
        assert!(fields.remove(clock).is_some_and(|value| value.is_number()));
    }
    document
}

const RUN: [&str; 6] = ["simulate", "primes", "-n", "3000", "--seed", "7"];

fn run(folder: &Path, more: &[&str]) -> Said {
    say(folder, &[&RUN[..], more].concat(), "")
}

#[test]
fn threads_and_shards_give_equal_results() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = results(&run(folder.path(), &["--threads", "1", "--json"]));
    assert_eq!(
        results(&run(folder.path(), &["--threads", "2", "--json"])),
        whole
    );
    let mut merge = vec!["merge".to_owned(), "--json".to_owned()];
    for part in 1..=7 {
        let path = folder.path().join(format!("{part}.part"));
        let path = path.to_str().expect("UTF-8").to_owned();
        let said = run(
            folder.path(),
            &["--shard", &format!("{part}/7"), "--out", &path],
        );
        assert_eq!((said.code, said.out.as_str()), (Some(0), ""), "{said:?}");
        merge.push(path);
    }
    let merge: Vec<&str> = merge.iter().map(String::as_str).collect();
    assert_eq!(results(&say(folder.path(), &merge, "")), whole);
    let missing = say(folder.path(), &merge[..8], "");
    assert_eq!(missing.code, Some(2), "{missing:?}");
    let partial = say(folder.path(), &[&merge[..8], &["--partial"]].concat(), "");
    assert!(json(&partial)["debates"].as_u64() < Some(3000));
    let twice = say(folder.path(), &[&merge[..], &merge[2..3]].concat(), "");
    assert!(
        twice.code == Some(2) && twice.err.contains("twice"),
        "{twice:?}"
    );
}

#[test]
fn foreign_and_broken_shards_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    };
    let first = write("first", &run(folder.path(), &["--shard", "1/2"]).out);
    let other = run(folder.path(), &["--shard", "2/2", "--opponent", "marginal"]);
    let other = write("other", &other.out);
    let refused = say(folder.path(), &["merge", &first, &other], "");
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("its opponent is"), "{refused:?}");
    // A shard of another version, whose players may reply differently.
    let text = fs::read_to_string(&first).expect("a part");
    let own = concat!("\"program\":\"", env!("CARGO_PKG_VERSION"), "\"");
    assert!(text.contains(own), "{text}");
    let (rest, _) = text.split_once(",\"digest\"").expect("a digest");
    let other_version = format!("{rest}}}").replace(own, "\"program\":\"9.9.9\"");
    let foreign = write("foreign", &append_digest_to_json(&other_version));
    let refused = say(folder.path(), &["merge", &foreign, &first], "");
    assert_eq!(refused.code, Some(2));
    let why = "version \"9.9.9\" of the program simulated";
    assert!(refused.err.contains(why), "{refused:?}");
    // Changes one digit of a sum, and one bit of the last byte but one.
    let digit = text.replacen("\"sum\":\"", "\"sum\":\"1", 1);
    let bit = text.replace("\"}\n", "\"|\n");
    for changed in [digit, bit] {
        assert_ne!(changed, text);
        let damaged = write("damaged", &changed);
        let refused = say(folder.path(), &["merge", &first, &damaged], "");
        assert_eq!(refused.code, Some(2));
        assert!(refused.err.contains(&damaged), "{refused:?}");
    }
    let broken = write("broken", "{\u{1b}[2J");
    let refused = say(folder.path(), &["merge", &broken], "");
    assert!(refused.code == Some(2) && refused.is_clean(), "{refused:?}");
}

/// A simulation counts the same debates that the screen plays.
#[test]
fn debates_of_a_simulation_equal_played_debates() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["simulate", "primes", "-n", "6", "--seed", "7", "--json"];
    let sums = json(&say(folder.path(), &arguments, ""));
    let mut payoff = 0.0;
    for debate in 0..6 {
        let debate = debate.to_string();
        let arguments = [
            "primes", "--role", "none", "--seed", "7", "--debate", &debate,
        ];
        let played = json(&say(
            folder.path(),
            &[&arguments[..], &["--plain", "--json"]].concat(),
            "",
        ));
        payoff += played["payoff"].as_f64().expect("a number");
    }
    let mean = sums["mean"].as_f64().expect("a number");
    assert!((mean - payoff / 6.0).abs() < 1e-12, "{mean} {payoff}");
    for save in fs::read_dir(folder.path()).expect("a folder") {
        let save = save.expect("an entry").path();
        let verified = say(
            folder.path(),
            &["verify", save.to_str().expect("UTF-8")],
            "",
        );
        assert_eq!(verified.code, Some(0), "{verified:?}");
    }
}

#[test]
fn a_comparison_has_both_sides_and_their_difference() {
    let folder = tempfile::tempdir().expect("a folder");
    let document = json(&run(
        folder.path(),
        &["--prover", "honest", "--versus", "liar", "--json"],
    ));
    assert_eq!(document["players"]["prover"], "honest");
    assert_eq!(document["versus"]["players"]["prover"], "liar");
    let mean = |of: &Value| of["mean"].as_f64().expect("a number");
    let apart = mean(&document) - mean(&document["versus"]);
    assert!((mean(&document["difference"]) - apart).abs() < 1e-12);
    let rules = json(&run(folder.path(), &["--versus", "Recursive", "--json"]));
    assert_eq!(rules["versus"]["protocol"], "recursive");
    let refused = run(folder.path(), &["--versus", "nobody"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let unsure = run(folder.path(), &["--versus", "random"]);
    assert!(unsure.err.contains("opponent=random"), "{unsure:?}");
}

#[test]
fn every_output_form_is_clean_and_has_the_seed() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = run(folder.path(), &[]);
    assert!(table.out.contains("3,000 debates, seed 7"), "{table:?}");
    assert!(table.is_clean() && table.err.is_empty(), "{table:?}");
    let csv = run(folder.path(), &["--csv"]).out;
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with("scenario,instance,seed,"));
    let one = json(&say(
        folder.path(),
        &["simulate", "caffeine", "-n", "1", "--json"],
        "",
    ));
    assert_eq!(one["ci95"], Value::Null);
    assert!(one["seed"].is_string());
    for wrong in [&["-n", "0"][..], &["--shard", "8/7"], &["--judge", "human"]] {
        let arguments = [&["simulate", "primes", "--seed", "7"], wrong].concat();
        assert_eq!(
            say(folder.path(), &arguments, "").code,
            Some(2),
            "{wrong:?}"
        );
    }
}

/// Debates without estimates: every output format and comparison works for them too.
const OTHERS: [(&str, &str, &str); 5] = [
    ("parity", "opponent=random", "Verified(Descent)"),
    ("qbf", "opponent=random", "Quantifiers(verifier: Direct)"),
    ("law", "judge=noisy(0.2)", "CrossExamination"),
    ("turing", "opponent=random", "Bisection(half: Printed)"),
    (
        "caffeine-plan",
        "judge=noisy(0.2)",
        "Stochastic(k: 1, constants: Formal)",
    ),
];

#[test]
fn every_protocol_is_compared_and_written_as_a_table() {
    let folder = tempfile::tempdir().expect("a folder");
    for (scenario, player, rules) in OTHERS {
        for versus in [player, rules] {
            let arguments = [
                "simulate", scenario, "-n", "150", "--seed", "7", "--versus", versus,
            ];
            let with = |form: &[&str]| say(folder.path(), &[&arguments[..], form].concat(), "");
            let document = json(&with(&["--json"]));
            let sides = [&document, &document["versus"]];
            let mean = |of: &Value| of["mean"].as_f64().expect("a number");
            let apart = mean(sides[0]) - mean(sides[1]);
            assert!(
                (mean(&document["difference"]) - apart).abs() < 1e-12,
                "{scenario} {versus}"
            );
            // A table has one line per side, with the same figures.
            let csv = with(&["--csv"]);
            let lines: Vec<Vec<&str>> = csv.out.lines().map(cells).collect();
            assert_eq!((csv.code, lines.len()), (Some(0), 3), "{csv:?}");
            for (line, side) in lines[1..].iter().zip(sides) {
                assert_eq!(line.len(), lines[0].len(), "{csv:?}");
                let cell = |name: &str| {
                    let place = lines[0].iter().position(|column| *column == name);
                    line[place.expect("a column")]
                };
                let number = |name: &str| cell(name).parse::<f64>().expect("a number");
                assert_eq!(cell("debates"), "150");
                for name in ["mean", "stderr", "prover_wins"] {
                    let stated = side[name].as_f64().expect("a number");
                    assert!((number(name) - stated).abs() < 1e-12, "{name}: {csv:?}");
                }
                let queries = side["ledger"]["oracle_queries"].as_f64();
                assert!((number("oracle_queries") - queries.expect("a number")).abs() < 1e-12);
            }
            let told = with(&[]);
            assert!(
                told.is_clean()
                    && told.out.contains(
                        "Alice's payoff in the first set of debates minus that in the second set"
                    )
            );
        }
    }
}

/// Splits a line of comma-separated values into cells and removes quotes.
fn cells(line: &str) -> Vec<&str> {
    let mut cells = Vec::new();
    let mut rest = line;
    loop {
        let (cell, after) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let (inside, after) = quoted.split_once('"').expect("a closing quote");
                (inside, after.strip_prefix(','))
            }
            None => match rest.split_once(',') {
                Some((cell, after)) => (cell, Some(after)),
                None => (rest, None),
            },
        };
        cells.push(cell);
        match after {
            Some(after) => rest = after,
            None => return cells,
        }
    }
}

/// A player that is computed against the other seat's player plays in simulations, with the payoff that `solve`
/// computes.
#[test]
fn a_simulation_plays_the_best_response() {
    let folder = tempfile::tempdir().expect("a folder");
    let players = ["--prover", "best-response", "--opponent", "bayes", "--json"];
    let simulate = ["simulate", "hidden-flaw", "-n", "4000", "--seed", "7"];
    let simulated = json(&say(folder.path(), &[&simulate[..], &players].concat(), ""));
    let solved = json(&say(
        folder.path(),
        &[&["solve", "hidden-flaw"][..], &players].concat(),
        "",
    ));
    let interval = &simulated["ci95"];
    let [low, high] = [0, 1].map(|end| interval[end].as_f64().expect("a number"));
    let value = solved["value"].as_f64().expect("a number");
    assert!(low < value && value < high, "{low} {value} {high}");
}

/// After Ctrl-C in the middle, the program prints the results so far. They equal those of a simulation with that number
/// of debates.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_simulation_prints_the_debates_that_were_played() {
    let folder = tempfile::tempdir().expect("a folder");
    for (scenario, more) in [("primes", &[][..]), ("parity", &["--opponent", "random"])] {
        let begin = ["simulate", scenario, "--seed", "7", "--json", "-n"];
        let mut child = crate::support::program::program(folder.path())
            .args([&begin[..], &["1e12"], more].concat())
            .spawn()
            .expect("the program starts");
        let id = child.id();
        crate::program::interrupt::wait_until_it_works(&mut child);
        let pid = rustix::process::Pid::from_raw(id.try_into().expect("an id")).expect("an id");
        rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it runs");
        let said = Said::from(child.wait_with_output().expect("it ends"));
        assert_eq!(said.code, Some(130), "{said:?}");
        assert!(said.err.contains("played before"), "{said:?}");
        let document: Value = serde_json::from_str(&said.out).expect("one document");
        let done = document["debates"].as_u64().expect("a number");
        assert!(done < 1_000_000_000_000);
        if done > 0 {
            let count = done.to_string();
            let arguments = [&begin[..], &[count.as_str()], more].concat();
            let again = json(&say(folder.path(), &arguments, ""));
            assert_eq!(again["sums"], document["sums"], "{scenario}: {done}");
        }
    }
}

/// Returns true if a process handles SIGINT. The program installs the handler of SIGTERM after that of SIGINT; while a
/// handler is being installed, `signal-hook` can lose a signal.
#[cfg(target_os = "linux")]
pub(crate) fn awaits_interrupts(id: u32) -> bool {
    let handlers = 1_u64 << (2 - 1) | 1 << (15 - 1);
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    caught.is_some_and(|mask| mask & handlers == handlers)
}
