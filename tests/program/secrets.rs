//! Visibility per seat in the real program: sealed bets, the judge's view, blind debates, texts by seat.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::support::program::{Said, json, path, say};

/// Two paths lead to the same leaf; only the second passes through another claim.
const BRIDGE: &str = r#"Scenario(
    format: 1,
    title: "Is the bridge closed?",
    about: "ABOUT THE BRIDGE",
    briefing: {Opponent: "FOR BOB ALONE", Judge: "FOR THE JUDGE ALONE"},
    debrief: "TOLD AT LAST",
    problem: Argument(
        root: "closed",
        claims: {
            "closed": Claim(
                text: "The bridge is closed.",
                supports: [
                    Support(label: "by the log", gate: All, on: ["log"]),
                    Support(label: "by the sign", gate: All, on: ["sign"]),
                ],
            ),
            "log": Claim(text: "The log says so.", supports: [Support(gate: All, on: ["sign"])]),
            "sign": Claim(text: "The sign is up.", truth: true, evidence: "A photograph."),
        },
    ),
    protocol: ProverEstimator(epsilon: "1/4", rho: "1/2"),
    players: (prover: "honest", opponent: "stubborn(0.375)", judge: "oracle"),
    judge_sees: SEES,
)"#;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// Writes the bridge scenario to a file, with the judge's view as a parameter.
fn bridge(folder: &Path, sees: &str) -> PathBuf {
    let file = folder.join(format!("{sees}.txt"));
    fs::write(&file, BRIDGE.replace("SEES", sees)).expect("written");
    file
}

fn save(folder: &Path) -> PathBuf {
    let files = fs::read_dir(folder).expect("a folder");
    let files = files.map(|entry| entry.expect("an entry").path());
    let mut saves: Vec<PathBuf> = files
        .filter(|file| file.extension().is_some_and(|end| end == "ron"))
        .collect();
    saves.sort();
    saves.pop().expect("a save")
}

/// Splits the terminal output at the first question.
fn parted(said: &Said) -> (&str, &str) {
    assert_eq!(said.code, Some(0), "{said:?}");
    said.out.split_once("\n> ").expect("a question")
}

#[test]
fn a_judge_does_not_see_the_effect_of_a_sealed_bet() {
    let dir = folder();
    let arguments = ["caffeine", "--plain", "--seed", "3", "--role", "judge"];
    for more in [&[][..], &["--hints"], &["--blind"]] {
        let said = say(dir.path(), &[&arguments[..], more].concat(), "hint\nq\n");
        let (_, asked) = said
            .out
            .split_once("You are the judge")
            .expect("a question");
        for told in ["Reward to", "worth -", "worth +", "about right", "to Alice"] {
            assert!(!asked.contains(told), "{more:?} {told}: {asked}");
        }
    }
    // Without seals the value is shown, except in a blind debate.
    let open = [&arguments[..], &["--protocol", "Recursive"]].concat();
    let said = say(dir.path(), &open, "hint\nq\n");
    assert!(
        parted(&said).0.contains("Reward to Alice: yes +1, no -1."),
        "{said:?}"
    );
    let said = say(dir.path(), &[&open[..], &["--blind"]].concat(), "q\n");
    assert!(!said.out.contains("Reward to"), "{said:?}");
}

#[test]
fn an_unfinished_save_keeps_its_seals_wherever_it_is_read() {
    let dir = folder();
    let arguments = ["caffeine", "--plain", "--seed", "3", "--role", "judge"];
    let played = say(dir.path(), &arguments, "q\n");
    let kept = save(dir.path());
    let last = |text: &str| {
        let at = text.rfind(", a claim without subclaims").expect("the leaf");
        text.split_at(at).1.to_owned()
    };
    let replayed = say(dir.path(), &["replay", "--plain", path(&kept)], "");
    let told = last(&replayed.out);
    assert!(!told.contains("Alice bets"), "{replayed:?}");
    // The replay equals the output on the judge's terminal.
    let lines = replayed.out.lines().filter(|line| line.starts_with(' '));
    for line in lines {
        assert!(played.out.contains(line), "{line}");
    }
    let open = ["replay", "--plain", path(&kept), "--seen-by", "none"];
    assert!(last(&say(dir.path(), &open, "").out).contains("Alice bets that the estimate is too"));
    let alice = ["replay", "--plain", path(&kept), "--seen-by", "prover"];
    assert!(last(&say(dir.path(), &alice, "").out).contains("Alice bets that the estimate is too"));
    for format in ["md", "html", "svg", "json", "csv", "inspect"] {
        let said = say(dir.path(), &["export", path(&kept), "--to", format], "");
        assert_eq!(said.code, Some(0), "{format}: {said:?}");
        let told = match said.out.rfind(", a claim without subclaims") {
            Some(at) => said.out.split_at(at).1,
            None => &said.out,
        };
        assert!(!told.contains("bets that"), "{format}: {told}");
        assert!(
            !told.contains("\"bet\":1") && !told.contains("\"bet\":-1"),
            "{told}"
        );
        assert!(
            !told.contains(",too high,") && !told.contains(",too low,"),
            "{told}"
        );
    }
    let left = json(&say(
        dir.path(),
        &[&arguments[..], &["--json"]].concat(),
        "q\n",
    ));
    assert!(left["truth"].is_null(), "{left}");
    // The debate can still be judged, and then everything is open.
    let resumed = say(dir.path(), &["resume", "--plain", path(&kept)], "y\n");
    assert!(resumed.out.contains("Alice had bet"), "{resumed:?}");
    let replayed = say(dir.path(), &["replay", "--plain", path(&kept)], "");
    assert!(!replayed.out.contains("sealed"), "{replayed:?}");
    assert!(
        last(&replayed.out).contains("Alice bets that"),
        "{replayed:?}"
    );
    let judge = ["replay", "--plain", path(&kept), "--seen-by", "judge"];
    let seen = say(dir.path(), &judge, "").out;
    assert!(!last(&seen).contains("Alice bets"), "{seen}");
    assert!(last(&seen).contains("Alice had bet"), "{seen}");
}

/// Bob may read the evidence of a claim before his estimate only if the scenario opens it.
#[test]
fn bob_sees_evidence_if_the_scenario_shows_it() {
    let dir = folder();
    for (sees, reads) in [("Claim", false), ("Evidence", true)] {
        let file = bridge(dir.path(), &format!("Leaf, opponent_sees: {sees}"));
        let arguments = [path(&file), "--plain", "--seed", "7", "--role", "opponent"];
        let said = say(dir.path(), &arguments, "30\n30\n?\nq\n");
        assert!(said.out.contains("“The sign is up.”"), "{}", said.out);
        let evidence = said.out.contains("Evidence: A photograph.");
        assert_eq!(evidence, reads, "{}", said.out);
    }
}

/// Two debates that differ only in events hidden from the judge give the same output on the judge's terminal.
#[test]
fn a_judge_sees_only_what_the_scenario_shows() {
    let dir = folder();
    let play = |sees: &str, players: [&str; 2], more: &[&str]| {
        let file = bridge(dir.path(), sees);
        let [prover, opponent] = players;
        let arguments = [
            path(&file),
            "--plain",
            "--seed",
            "7",
            "--role",
            "judge",
            "--blind",
            "--prover",
            prover,
            "--opponent",
            opponent,
        ];
        say(
            dir.path(),
            &[&arguments[..], more].concat(),
            "?\nhint\nu\ny\n",
        )
    };
    let honest = ["honest", "stubborn(0.375)"];
    let lazy = ["random", "stubborn(0.75)"];
    let recursive = ["--protocol", "Recursive"];
    let [one, other, third] = [
        play("Leaf", honest, &[]),
        play("Leaf", lazy, &[]),
        play("Leaf", ["obfuscator", "bounded(0)"], &recursive),
    ];
    let question = |said: &Said| {
        let (before, _) = said
            .out
            .split_once("You say that “The sign is up.”")
            .expect("an answer");
        let (before, _) = before.rsplit_once("\n> ").expect("a question");
        before.to_owned()
    };
    let asked = question(&one);
    assert!(asked.contains("“The sign is up.”") && asked.contains("A photograph."));
    assert!(asked.contains("FOR THE JUDGE ALONE"), "{asked}");
    assert_eq!(asked, question(&other));
    assert_eq!(asked, question(&third));
    for hidden in [
        "ABOUT",
        "BOB",
        "AT LAST",
        "closed.",
        "log",
        "estimator",
        "honest",
        "Alice bets",
    ] {
        assert!(!asked.contains(hidden), "{hidden}: {asked}");
    }
    // After the end the whole debate is shown, from the first line on.
    for told in [
        "  1. Alice says that “The bridge is closed.” is true",
        "ABOUT THE BRIDGE",
        "TOLD AT LAST",
        "stubborn(0.375)",
    ] {
        assert!(one.out.contains(told), "{told}: {}", one.out);
    }
    assert_ne!(one.out, other.out);

    // A path lists the claims that led there, without their estimates or answers.
    let path_of = |players| question(&play("Path", players, &[]));
    let asked = path_of(honest);
    assert!(
        asked.contains("The claims above this one: “The bridge is closed.”"),
        "{asked}"
    );
    assert_eq!(asked, path_of(["honest", "stubborn(0.75)"]));
    for (sees, told) in [("Transcript", false), ("Figures", true)] {
        let whole = question(&play(sees, honest, &[]));
        assert_eq!(whole.contains("estimated at 37.5 %"), told, "{whole}");
    }

    // A replay or an export of an unfinished debate does not show it either.
    let dir = folder();
    let file = bridge(dir.path(), "Leaf");
    say(
        dir.path(),
        &[path(&file), "--plain", "--role", "judge"],
        "q\n",
    );
    let kept = save(dir.path());
    let replayed = say(dir.path(), &["replay", "--plain", path(&kept)], "");
    assert_eq!(
        replayed.out,
        "Is the bridge closed?\nThe save ends here. The debate is not finished.\n"
    );
    for format in ["md", "html", "svg", "json", "csv", "inspect"] {
        let said = say(dir.path(), &["export", path(&kept), "--to", format], "");
        assert_eq!(said.code, Some(0), "{format}: {said:?}");
        assert!(
            !said.out.contains("37.5 %") && !said.out.contains("0.375"),
            "{format}: {}",
            said.out
        );
    }
}

#[test]
fn a_resumed_blind_debate_is_blind() {
    let dir = folder();
    let file = bridge(dir.path(), "Transcript");
    let arguments = [
        path(&file),
        "--plain",
        "--seed",
        "7",
        "--role",
        "opponent",
        "--blind",
    ];
    let played = say(dir.path(), &arguments, "q\n");
    let kept = save(dir.path());
    let resumed = say(dir.path(), &["resume", "--plain", path(&kept)], "hint\nq\n");
    for said in [&played, &resumed] {
        assert!(said.out.contains("hidden until the end"), "{said:?}");
        assert!(
            !said.out.contains("honest") && !said.out.contains("ABOUT"),
            "{said:?}"
        );
    }
    assert!(
        resumed.out.contains("You have no hints in this debate."),
        "{resumed:?}"
    );
    let verified = say(dir.path(), &["verify", path(&kept)], "");
    assert_eq!(verified.code, Some(0), "{verified:?}");
    for format in ["md", "json", "csv", "inspect"] {
        let said = say(dir.path(), &["export", path(&kept), "--to", format], "");
        assert!(
            !said.out.contains("honest") && !said.out.contains("ABOUT"),
            "{said:?}"
        );
    }
}

#[test]
fn briefings_and_names_are_shown_only_to_their_seats() {
    let dir = folder();
    let file = bridge(dir.path(), "Transcript");
    let bob = [path(&file), "--plain", "--seed", "7", "--role", "opponent"];
    let said = say(dir.path(), &bob, &"50\n".repeat(9));
    let (before, after) = parted(&said);
    assert!(before.contains("FOR BOB ALONE"), "{before}");
    assert!(
        !before.contains("JUDGE ALONE") && !before.contains("AT LAST"),
        "{before}"
    );
    assert!(after.contains("TOLD AT LAST"), "{after}");
    let alice = [path(&file), "--plain", "--seed", "7", "--role", "prover"];
    let said = say(dir.path(), &alice, "q\n");
    assert!(
        !said.out.contains("ALONE") && !said.out.contains("AT LAST"),
        "{said:?}"
    );
    assert!(
        said.out.contains("Bob, the estimator: stubborn\n"),
        "{said:?}"
    );

    // No player name reveals the position of a lie. A seat that sees the input gets no note about its knowledge.
    let dir = folder();
    let bob = ["multiplier", "--plain", "--seed", "7", "--role", "opponent"];
    let said = say(dir.path(), &bob, "none\n");
    let (before, after) = parted(&said);
    assert!(before.contains("Alice, the prover: liar\n"), "{before}");
    assert!(
        !before.contains("(25)") && !before.contains("You know"),
        "{before}"
    );
    assert!(after.contains("liar(25)"), "{after}");
    let said = say(
        dir.path(),
        &["parity", "--plain", "--role", "opponent"],
        "q\n",
    );
    assert!(!said.out.contains("You know"), "{said:?}");
    let bob = ["primes", "--plain", "--role", "bob"];
    assert!(
        say(dir.path(), &bob, "q\n")
            .out
            .contains("You know: that the number is composite")
    );
}
