//! Trained players are saved in a file, and can be used wherever a command names players.

use std::fs;
use std::path::PathBuf;

use crate::support::program::{Said, json, path, say};

/// A folder with an estimator that was trained on the hidden flaw.
struct Kept {
    folder: tempfile::TempDir,
    file: PathBuf,
}

impl Kept {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("bob.ron");
        let kept = Self { folder, file };
        let said = kept.train(&[]);
        assert_eq!(said.code, Some(0), "{said:?}");
        kept
    }

    fn train(&self, more: &[&str]) -> Said {
        let arguments = ["train", "hidden-flaw", "--delta", "0.01", "--out"];
        let file = self.file.to_str().expect("UTF-8");
        self.say(&[&arguments[..], &[file], more].concat())
    }

    fn say(&self, arguments: &[&str]) -> Said {
        say(self.folder.path(), arguments, "")
    }

    fn name(&self) -> String {
        format!("trained({})", self.file.display())
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.file).expect("a file")
    }

    fn solve(&self, more: &[&str]) -> Said {
        let name = self.name();
        let arguments = [
            "solve",
            "hidden-flaw",
            "--exact",
            "--json",
            "--opponent",
            &name,
        ];
        self.say(&[&arguments[..], more].concat())
    }

    /// The only save of the folder.
    fn save(&self) -> PathBuf {
        let entries = fs::read_dir(self.folder.path()).expect("a folder");
        let mut saves = entries
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| *path != self.file && path.extension().is_some_and(|is| is == "ron"));
        let save = saves.next().expect("a save");
        assert!(saves.next().is_none());
        save
    }
}

/// Asserts exit code 2 and one sentence that contains these words.
fn refused(said: &Said, words: &[&str]) {
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.is_clean() && said.err.lines().count() == 1, "{said:?}");
    for word in words {
        assert!(said.err.contains(word), "{word}: {said:?}");
    }
}

#[test]
fn a_saved_table_plays_like_a_newly_trained_one() {
    let kept = Kept::new();
    let solved = json(&kept.solve(&[]));
    assert_eq!(solved["value"], "75977/153600");
    assert_eq!(solved["opponent"], kept.name());
    // Against any other player it gives the same replies as a newly trained estimator.
    let liar = json(&kept.solve(&["--prover", "liar"]));
    let again = [
        "solve",
        "hidden-flaw",
        "--exact",
        "--json",
        "--prover",
        "liar",
    ];
    let anew = kept.say(&[&again[..], &["--opponent", "indistinguishable(0.01)"]].concat());
    assert_ne!(liar["value"], json(&anew)["value"]);
    let best = json(&kept.solve(&["--prover", "best-response"]));
    assert_ne!(best["value"], "75977/153600");

    let name = kept.name();
    let simulated = [
        "simulate",
        "hidden-flaw",
        "-n",
        "200",
        "--seed",
        "7",
        "--json",
    ];
    let more = ["--opponent", &name, "--versus", "opponent=bayes"];
    assert_eq!(kept.say(&[&simulated[..], &more].concat()).code, Some(0));
    let versus = format!("opponent={name}");
    let other = ["--opponent", "bayes", "--versus", &versus];
    assert_eq!(kept.say(&[&simulated[..], &other].concat()).code, Some(0));
    let table = ["equilibrium", "hidden-flaw", "--exact", "--json"];
    let players = [
        "--prover",
        "exploiter",
        "--opponent",
        "bayes",
        "--opponent",
        &name,
    ];
    let table = json(&kept.say(&[&table[..], &players].concat()));
    assert_eq!(
        table["payoff"][0],
        serde_json::json!(["1/2", "75977/153600"])
    );
}

#[test]
fn training_is_reproducible_and_overwrites_no_file() {
    let kept = Kept::new();
    let text = kept.text();
    refused(&kept.train(&[]), &["already exists", "--replace"]);
    fs::write(&kept.file, "mine").expect("written");
    refused(&kept.train(&[]), &["already exists"]);
    assert_eq!(kept.text(), "mine");
    let said = kept.train(&["--replace"]);
    assert!(
        said.code == Some(0) && said.err.contains("Replaced"),
        "{said:?}"
    );
    assert_eq!(kept.text(), text);
    assert_eq!(
        fs::read_dir(kept.folder.path()).expect("a folder").count(),
        1
    );
}

#[test]
fn a_save_does_not_need_the_table_file() {
    let kept = Kept::new();
    let name = kept.name();
    let play = ["hidden-flaw", "--plain", "--seed", "3", "--role", "judge"];
    let played = kept.say(&[&play[..], &["--opponent", &name]].concat());
    assert_eq!(played.code, Some(0), "{played:?}");
    let save = kept.save();
    fs::remove_file(&kept.file).expect("removed");
    for command in [&["verify"][..], &["replay", "--plain"]] {
        let said = kept.say(&[command, &[path(&save)]].concat());
        assert_eq!(said.code, Some(0), "{said:?}");
    }
    // The save contains the trained table, so the debate can be resumed.
    let went_on = say(
        kept.folder.path(),
        &["resume", "--plain", path(&save)],
        "true\n",
    );
    assert_eq!(went_on.code, Some(0), "{went_on:?}");
    assert!(went_on.out.contains("The debate is over"), "{went_on:?}");
    assert_eq!(kept.say(&["verify", path(&save)]).code, Some(0));
    // The save contains the table, but a new debate needs the file.
    let text = fs::read_to_string(&save).expect("a save");
    assert!(text.contains("Trained("), "the table is in the save");
    let again = kept.say(&[&play[..], &["--opponent", &name]].concat());
    refused(&again, &["bob.ron"]);
}

#[test]
fn a_table_for_another_scenario_or_rules_is_refused() {
    let kept = Kept::new();
    let name = kept.name();
    let solve = |scenario: &str, more: &[&str]| {
        kept.say(&[&["solve", scenario, "--opponent", &name][..], more].concat())
    };
    let other = solve("hidden-flaw-count", &[]);
    refused(
        &other,
        &[
            "another scenario",
            "the digest of its problem is",
            "here it is",
        ],
    );
    let digests = |word: &&str| word.trim_end_matches(',').len() == 64;
    assert_eq!(
        other.err.split_whitespace().filter(digests).count(),
        2,
        "{other:?}"
    );
    let rules = "ProverEstimator(epsilon: 0.25, rho: 0.25)";
    let other = solve("hidden-flaw", &["--protocol", rules]);
    refused(&other, &["was trained under", "the rules here are"]);
    refused(
        &solve("primes-recursive", &[]),
        &["there is no challenger named \"trained\""],
    );
}

#[test]
fn a_scenario_names_only_files_beside_it() {
    let kept = Kept::new();
    let text = fs::read_to_string("scenarios/hidden-flaw.ron").expect("a scenario");
    let scenario = kept.folder.path().join("own.scenario");
    let solved = |file: &str| {
        let opponent = format!("opponent: \"trained({file})\"");
        let own = text.replace("opponent: \"bayes\"", &opponent);
        // The scenario's title and players do not affect the trained table.
        let own = own.replace("One of two pages is wrong", "Pages");
        fs::write(&scenario, own).expect("written");
        kept.say(&["solve", path(&scenario), "--exact", "--json"])
    };
    assert_eq!(json(&solved("bob.ron"))["value"], "75977/153600");
    refused(
        &solved(path(&kept.file)),
        &["is outside the scenario's folder"],
    );
    refused(&solved("../bob.ron"), &["is outside the scenario's folder"]);
    refused(
        &solved("nobody.ron"),
        &["cannot be read", "players.opponent"],
    );
    // Another problem is another scenario.
    let changed = text.replace("96 + 58 = 154", "96 + 58 = 155");
    fs::write(&scenario, changed).expect("written");
    let said = kept.say(&["solve", path(&scenario), "--opponent", &kept.name()]);
    refused(&said, &["another scenario"]);
}

#[test]
fn a_file_that_is_no_table_gives_one_sentence() {
    let kept = Kept::new();
    let text = kept.text();
    let deep = format!("Trained(format: 1, worlds: {}", "[".repeat(100_000));
    let later = text.replacen("format: 1", "format: 2, more: 7", 1);
    let long = text.replacen("root: \"", &format!("root: \"1/1{}", "0".repeat(30_000)), 1);
    let half: String = text.chars().take(text.len() / 2).collect();
    for (written, words) in [
        ("", "line 1"),
        ("Scenario(format: 1)", "line 1"),
        ("\u{1b}[2J", "line 1"),
        (&half, "not a trained table"),
        (&deep, "not a trained table"),
        (&later, "format 2"),
        (&long, "not a probability"),
        (&text.replacen("9/2366", "11/2366", 1), "was changed"),
        (&text.replacen("\"01\"", "\"11\"", 1), "was changed"),
        (&text.replacen("exploiter", "liar", 1), "was changed"),
        (
            &text.replacen("root: \"", "root: \"-", 1),
            "the field `root` of instance",
        ),
        (
            &text.replacen("alone: [", "alone: [\"0\", ", 1),
            ", row 1: the row has too many estimates",
        ),
        (
            &text.replacen("after: [\"", "after: [\"2", 1),
            ", row 1: the text",
        ),
    ] {
        fs::write(&kept.file, written).expect("written");
        refused(&kept.solve(&[]), &["bob.ron", words]);
    }
    fs::write(&kept.file, [0xff, 0xfe, 0]).expect("written");
    refused(&kept.solve(&[]), &["UTF-8"]);
    // A changed byte is detected, or the text is not a table any more.
    for place in (0..text.len()).step_by(97) {
        let mut bytes = text.clone().into_bytes();
        if bytes[place].is_ascii_whitespace() {
            continue;
        }
        bytes[place] = if bytes[place] == b'1' { b'2' } else { b'1' };
        fs::write(&kept.file, bytes).expect("written");
        refused(&kept.solve(&[]), &["bob.ron"]);
    }
    fs::write(&kept.file, " ".repeat(5000)).expect("written");
    let said = kept.solve(&["--max-file", "4000"]);
    refused(&said, &["more than 4000 bytes"]);
    fs::remove_file(&kept.file).expect("removed");
    refused(&kept.solve(&[]), &["bob.ron"]);
    let name = ["solve", "hidden-flaw", "--opponent"];
    for (wrong, words) in [
        ("trained", "takes a file"),
        ("trained(a, b)", "takes a file"),
    ] {
        refused(&kept.say(&[&name[..], &[wrong]].concat()), &[words]);
    }
}
