//! Debates through the real program in plain lines: played, saved, resumed, compared.

use std::fs;
use std::path::{Path, PathBuf};

use debate_core::number::{Exact, parse};
use debate_solver::setup::bundled_scenarios;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::program::{Said, json, path, run_here, say};

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn saves(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    found.sort();
    found
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_saves_that_verify() {
    let dir = folder();
    for extra in [&[][..], &["--json"][..]] {
        let arguments = [&["primes-4331", "--plain", "--seed", "7"][..], extra].concat();
        let first = say(dir.path(), &arguments, "");
        let second = say(dir.path(), &arguments, "");
        assert_eq!((first.code, &first.out), (Some(0), &second.out));
        assert!(first.is_clean());
    }
    let other = say(dir.path(), &["primes-4331", "--plain", "--seed", "8"], "");
    let same = say(dir.path(), &["primes-4331", "--plain", "--seed", "7"], "");
    assert_ne!(other.out, same.out);
    let found = saves(dir.path());
    assert_eq!(found.len(), 6);
    for save in &found {
        let verdict = json(&say(dir.path(), &["verify", "--json", path(save)], ""));
        assert_eq!(
            (&verdict["ok"], &verdict["finished"]),
            (&Value::from(true), &Value::from(true))
        );
        assert_eq!(verdict["first_difference"], Value::Null);
    }
}

#[test]
fn play_prints_its_outcome_as_json() {
    let dir = folder();
    let said = say(
        dir.path(),
        &["primes-4331", "--json", "--seed", "7", "--prover", "honest"],
        "",
    );
    let outcome = json(&said);
    assert_eq!(outcome["outcome"], "finished");
    assert_eq!(outcome["seed"], "7");
    assert_eq!(outcome["instance"], "4331");
    assert_eq!(outcome["protocol"], "prover-estimator");
    assert_eq!(outcome["players"]["prover"], "honest");
    assert_eq!(
        (&outcome["answer"], &outcome["truth"]),
        (&Value::from(false), &Value::from(false))
    );
    assert!((outcome["payoff"].as_f64().expect("a number") - 0.0001).abs() < 1e-15);
    assert_eq!(outcome["by_round"].as_array().expect("a list").len(), 5);
    assert_eq!(outcome["ledger"]["oracle_queries"], 1);
    assert_eq!(outcome["ledger_by_seat"]["judge"], outcome["ledger"]);
    assert!(
        said.err.contains("To see it again: debate-tui replay "),
        "the path goes to stderr"
    );
}

/// The end of input in plain mode: the program keeps the unfinished save and exits with 0, and the debate can be
/// resumed.
#[test]
fn an_unfinished_debate_is_saved_and_resumed() {
    let dir = folder();
    let arguments = [
        "primes-4331",
        "--plain",
        "--seed",
        "7",
        "--role",
        "estimator",
    ];
    let cut = say(dir.path(), &arguments, "50\n90\nu\nnonsense\n101\n0.5\n");
    assert_eq!(cut.code, Some(0));
    assert!(
        cut.out.contains("Not undone: a coin was thrown"),
        "{}",
        cut.out
    );
    assert!(cut.out.contains("Not understood; type a percentage"));
    // "0.5" could mean 0.5 % or one half, so the program asks again.
    let asked_back = "> Not accepted: 0.5 % or 50 %? Type it with a % sign, or as p=0.5.\n> \n";
    assert!(cut.out.ends_with(asked_back), "{}", cut.out);
    let save = saves(dir.path()).remove(0);
    let verdict = json(&say(dir.path(), &["verify", "--json", path(&save)], ""));
    assert_eq!(
        (&verdict["ok"], &verdict["finished"]),
        (&Value::from(true), &Value::from(false))
    );

    let rest = "33\n100\n100\n".to_owned() + &"100\n".repeat(40);
    let went_on = say(dir.path(), &["resume", "--plain", path(&save)], &rest);
    assert_eq!(went_on.code, Some(0), "{}", went_on.err);
    assert!(
        went_on
            .out
            .contains("Given the coins (yes for “none of 2–17”)")
    );
    assert!(went_on.out.contains("The debate is over."));
    assert_eq!(saves(dir.path()).len(), 1, "it goes on in the same save");
    let verdict = json(&say(dir.path(), &["verify", "--json", path(&save)], ""));
    assert_eq!(
        (&verdict["ok"], &verdict["finished"]),
        (&Value::from(true), &Value::from(true))
    );
    let again = say(dir.path(), &["resume", "--plain", path(&save)], "");
    assert_eq!(
        again.code,
        Some(2),
        "a finished debate cannot be gone on with"
    );

    // Replaying shows the same text as playing did.
    let replayed = say(dir.path(), &["replay", "--plain", path(&save)], "");
    assert_eq!(replayed.code, Some(0));
    assert!(
        replayed
            .out
            .contains("Bob estimates “none of 18–33” at 33 %"),
        "{}",
        replayed.out
    );
    let late = say(
        dir.path(),
        &["replay", "--plain", "--from", "0", path(&save)],
        "",
    );
    assert!(
        late.out.contains("Round 4 of 4, a claim without subclaims")
            && !late.out.contains("Round 2")
    );
}

#[test]
fn a_printed_replay_ends_with_the_review_that_playing_ends_with() {
    // Alice claims the truth, then repeatedly bets against her own knowledge. She continues with page 1. By what she
    // knows, page 2 is better. In the case of seed 7 page 1 is the false one and the better reply.
    let replies = "yes\n".to_owned() + &"high\n1\n1\n".repeat(8);
    for (seed, sentence) in [
        ("2", " you would expect "),
        ("7", "; in this case it was right."),
    ] {
        let dir = folder();
        let arguments = [
            "hidden-flaw",
            "--plain",
            "--role",
            "prover",
            "--hints",
            "--seed",
            seed,
        ];
        let played = run_here(dir.path(), &arguments, &replies);
        assert_eq!(played.code, Some(0), "{played:?}");
        let [save] = &saves(dir.path())[..] else {
            panic!("one save");
        };
        assert!(played.out.contains(sentence), "{played:?}");
        let replayed = run_here(dir.path(), &["replay", "--plain", path(save)], "");
        assert_eq!(replayed.code, Some(0), "{replayed:?}");
        // The same sums; Alice sees them with the same sign as in the neutral view.
        let sums = |text: &str| {
            let mut lines = text.lines();
            let sums = lines.find(|line| line.starts_with("Breakdown: First answer "));
            sums.expect("the sums").to_owned()
        };
        assert_eq!(sums(&replayed.out), sums(&played.out));
    }
}

/// The seats whose review takes long; some exceed the time that the program waits for it.
const LARGE_SEATS: [(&str, &str); 6] = [
    ("caffeine-choice", "prover"),
    ("caffeine-plan", "opponent"),
    ("one-question", "prover"),
    ("one-question", "opponent"),
    ("five-parts-stable", "prover"),
    ("primes-4331", "prover"),
];

/// Lines that a user in this role could type, repeated.
fn typed(role: &str) -> String {
    let lines = match role {
        "prover" => "yes\nhigh\n1\n1111\n111\n11\n1\n0000\n00000\n11111\n",
        "opponent" => "40\n2\n1\nnone\n",
        "judge" => "no\n50\n",
        _ => "",
    };
    lines.repeat(60)
}

/// [`say`], or [`run_here`], which has no deadline for a review.
type Run = fn(&Path, &[&str], &str) -> Said;

/// Plays a scenario to its end. The save verifies.
fn play_to_the_end(name: &str, role: &str, run: Run) {
    let dir = folder();
    let arguments = [name, "--plain", "--seed", "3", "--role", role];
    let said = run(dir.path(), &arguments, &typed(role));
    assert_eq!(said.code, Some(0), "{name} as {role}: {}", said.err);
    let is_over = said.out.contains("The debate is over.");
    assert!(is_over, "{name} as {role}: {}", said.out);
    assert!(said.is_clean(), "{name} as {role}");
    let [save] = &saves(dir.path())[..] else {
        panic!("{name} as {role}: one save");
    };
    let verdict = run_here(dir.path(), &["verify", path(save)], "");
    assert_eq!(verdict.code, Some(0), "{verdict:?}");
}

#[test]
fn seats_of_the_bundled_scenarios_are_played_to_the_end() {
    for scenario in bundled_scenarios() {
        for role in ["prover", "opponent", "judge", "none"] {
            let is_large = LARGE_SEATS.contains(&(scenario.name, role));
            // The users write the claims of `open`, in every seat.
            if scenario.name != "open" && !is_large {
                play_to_the_end(scenario.name, role, run_here);
            }
        }
    }
}

#[test]
#[ignore = "exhaustive: 31 s; every day: play::seats_of_the_bundled_scenarios_are_played_to_the_end"]
fn seats_with_a_large_review_are_played_to_the_end() {
    for (name, role) in LARGE_SEATS {
        play_to_the_end(name, role, say);
    }
}

/// Plays a debate about pieces of evidence to its end. The save verifies.
fn play_evidence(protocol: &str, role: &str, lines: &str, run: Run) {
    let dir = folder();
    let rules = ["--protocol", protocol, "--role", role];
    let arguments = [&["five-parts-stable", "--plain", "--seed", "3"][..], &rules].concat();
    let said = run(dir.path(), &arguments, &lines.repeat(60));
    assert_eq!(said.code, Some(0), "{role}: {}", said.err);
    for part in [
        "The debate is over.",
        "of five independent pieces of evidence",
    ] {
        assert!(said.out.contains(part), "{role}: {}", said.out);
    }
    assert!(said.is_clean(), "{role}");
    let [save] = &saves(dir.path())[..] else {
        panic!("{role}: one save");
    };
    let verdict = run_here(dir.path(), &["verify", path(save)], "");
    assert_eq!(verdict.code, Some(0), "{verdict:?}");
}

const ESTIMATOR: &str = "ProverEstimator(epsilon: 0.1, rho: 0.5)";

#[test]
fn pieces_of_evidence_are_debated_in_every_seat_under_both_rules() {
    for protocol in [ESTIMATOR, "Recursive"] {
        play_evidence(protocol, "opponent", "40\n7\n", run_here);
        play_evidence(protocol, "judge", "no\n", run_here);
    }
    play_evidence("Recursive", "prover", &prover_of_evidence(), run_here);
}

#[test]
#[ignore = "exhaustive: 10 s; every day: play::pieces_of_evidence_are_debated_in_every_seat_under_both_rules"]
fn the_prover_of_pieces_of_evidence_bets_on_estimates() {
    play_evidence(ESTIMATOR, "prover", &prover_of_evidence(), say);
}

/// Lines of a prover who claims all 25 pieces of evidence.
fn prover_of_evidence() -> String {
    format!("yes\nhigh\n1\n{}\n", "1".repeat(25))
}

#[test]
fn a_changed_save_is_named_by_its_line() {
    let dir = folder();
    say(dir.path(), &["primes-small", "--plain", "--seed", "1"], "");
    let save = saves(dir.path()).remove(0);
    let bytes = fs::read(&save).expect("a save");
    let changed = dir.path().join("changed.ron");
    let header_end = bytes
        .windows(7)
        .position(|w| w == b"events:")
        .expect("events");
    // Every fortieth byte; the tests of the record module try every byte.
    for place in (0..bytes.len()).step_by(40) {
        let mut other = bytes.clone();
        other[place] ^= 1;
        fs::write(&changed, &other).expect("written");
        let said = run_here(dir.path(), &["verify", path(&changed)], "");
        let expected: &[i32] = if place < header_end { &[1, 2] } else { &[1] };
        assert!(
            said.code.is_some_and(|code| expected.contains(&code)),
            "byte {place}: {said:?}"
        );
        assert!(said.err.contains("line "), "byte {place}: {said:?}");
        assert!(said.is_clean(), "byte {place}: {said:?}");
    }
}

#[test]
fn plain_hints_are_shown_on_request_but_never_in_blind_debates() {
    let dir = folder();
    let shifted = ["--opponent", "shifted(0.1)"];
    let arguments = ["five-parts", "--plain", "--seed", "7", "--role", "prover"];
    let arguments = [&arguments[..], &shifted].concat();
    let quiet = run_here(dir.path(), &arguments, "q\n");
    assert!(!quiet.out.contains("Hint: "), "{quiet:?}");
    let asked = run_here(dir.path(), &arguments, "hint\nq\n");
    for said in [
        "Hint: ",
        "against this Bob, an estimator who is always off by the same amount (`shifted`)",
        "  yes: ",
        ", best",
    ] {
        assert!(asked.out.contains(said), "{said}: {asked:?}");
    }
    let always = run_here(dir.path(), &[&arguments[..], &["--hints"]].concat(), "q\n");
    assert!(always.out.contains("Hint: "), "{always:?}");
    let replies = "y\nlow\n1\n1\n".repeat(9);
    let played = run_here(
        dir.path(),
        &[&arguments[..], &["--hints"]].concat(),
        &replies,
    );
    assert!(
        played.out.contains("Breakdown: First answer "),
        "{}",
        played.out
    );
    let last = played.out.lines().last().expect("a line");
    assert!(
        last.starts_with("No mistake") || last.contains("you would expect"),
        "{last}"
    );
    let json_of = [&arguments[..], &["--hints", "--json"]].concat();
    let told = json(&run_here(dir.path(), &json_of, &replies));
    let parts = &told["review"]["parts"];
    let exact = |value: &Value| parse(value.as_str().expect("a fraction")).expect("a number");
    let each = ["first_answer", "misses", "coins", "last_claim"];
    let sum: Exact = each.map(|part| exact(&parts[part]["exact"])).iter().sum();
    assert_eq!(sum, exact(&told["payoff_exact"]), "{parts}");
    let blind = [&arguments[..], &["--blind"]].concat();
    let study = run_here(dir.path(), &blind, "hint\nq\n");
    assert!(study.out.contains("You have no hints in this debate."));
    assert!(!study.out.contains("Hint: "), "{study:?}");
    // The end of a blind debate is reviewed like that of any other.
    let reviewed = run_here(dir.path(), &blind, &replies);
    let last = reviewed.out.lines().last().expect("a line");
    assert!(
        last.starts_with("No mistake") || last.contains("you would expect"),
        "{last}"
    );
    let both = run_here(dir.path(), &[&blind[..], &["--hints"]].concat(), "");
    assert_eq!(both.code, Some(2), "{both:?}");
    assert_eq!(quiet.code, Some(0));
}

#[test]
fn two_sets_of_rules_are_compared_on_the_same_coins() {
    let dir = folder();
    let arguments = ["compare", "primes-4331", "--seed", "7", "--json"];
    let document = json(&run_here(dir.path(), &arguments, ""));
    assert_eq!(document["left"]["protocol"], "recursive");
    assert_eq!(document["right"]["protocol"], "prover-estimator");
    assert_eq!(document["left"]["instance"], document["right"]["instance"]);
    assert_eq!(document["left"]["average"]["debates"], 1000);
    // The liar that obfuscates gains under plain recursion but not under prover-estimator, as `solve` computes for
    // these rules.
    for side in ["left", "right"] {
        let average = &document[side]["average"]["exact"];
        let players = &document[side]["players"];
        let name = |seat: &str| players[seat].as_str().expect("a name").to_owned();
        let rules = if side == "left" {
            "Recursive".to_owned()
        } else {
            "ProverEstimator(epsilon: 0.45, rho: \"1/9\")".to_owned()
        };
        let solved = json(&run_here(
            dir.path(),
            &[
                "solve",
                "primes-4331",
                "--json",
                "--exact",
                "--protocol",
                &rules,
                "--prover",
                &name("prover"),
                "--opponent",
                &name("opponent"),
                "--instance",
                document[side]["instance"].as_str().expect("a name"),
            ],
            "",
        ));
        assert_eq!(&solved["value"], average, "{side}");
    }
    // No save was written, because the debate was only viewed.
    assert!(saves(dir.path()).is_empty());
    let lines = run_here(
        dir.path(),
        &["compare", "primes-4331", "--seed", "7", "--plain"],
        "",
    );
    assert_eq!(lines.code, Some(0));
    assert!(
        lines.out.contains("Average") && lines.out.lines().all(|line| line.chars().count() <= 80)
    );
    let players = [
        "compare",
        "primes-4331",
        "--right",
        "opponent=stubborn(0.5)",
        "--seed",
        "7",
        "--json",
    ];
    let document = json(&run_here(dir.path(), &players, ""));
    assert_eq!(document["left"]["protocol"], document["right"]["protocol"]);
    assert_eq!(document["right"]["players"]["opponent"], "stubborn(0.5)");
    let refused = run_here(
        dir.path(),
        &["compare", "qbf", "--seed", "7", "--plain"],
        "",
    );
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("--left and --right"), "{refused:?}");
}

/// Each half of a coin there is one of 2³⁰ numbers, and the program does not list them.
#[test]
fn hints_for_half_coins_need_little_memory() {
    let dir = folder();
    let arguments = [
        "one-question",
        "--plain",
        "--seed",
        "1",
        "--role",
        "opponent",
    ];
    let said = run_here(dir.path(), &arguments, "hint\n0.3\nq\n");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out
            .contains("Hint: all replies are equally good: wins 3.951 % of the time"),
        "{said:?}"
    );
    let simulate = ["simulate", "one-question", "-n", "2", "--seed", "1"];
    let said = run_here(dir.path(), &simulate, "");
    assert_eq!(said.code, Some(0), "{said:?}");
}
