//! The interface for scripts: exit codes, one-sentence errors, JSON, lists.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::program::{json, path, run_here, say};

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn wrong_usage_gives_one_sentence_and_exit_code_2() {
    let dir = folder();
    for (arguments, part) in [
        (&["nowhere.ron"][..], "no such file or scenario"),
        (
            &["primes", "--prover", "nobody"],
            "there is no prover named \"nobody\"",
        ),
        (
            &["solve", "primes", "--prover", "engine:cat"],
            "an external program, which can play only in `debate-tui SCENARIO`, `match`",
        ),
        (
            &["simulate", "primes", "-n", "9", "--opponent", "engine:cat"],
            "name a built-in estimator: calibrated",
        ),
        (
            &["primes", "--opponent", "stubborn"],
            "stubborn takes p, a number from 0 to 1",
        ),
        (&["primes", "--protocol", "Chess"], "Chess"),
        (
            &[
                "primes",
                "--protocol",
                "ProverEstimator(epsilon: 1, rho: 0.5)",
            ],
            "epsilon is 1",
        ),
        (&["primes", "--instance", "12"], "12"),
        (&["primes", "--seed", ""], "the seed is not valid"),
        (
            &["primes", "--role", "none", "--role", "judge"],
            "--role none",
        ),
        (&["verify", "nowhere.ron"], "nowhere.ron"),
        (&["replay", "nowhere.ron"], "nowhere.ron"),
        (&["check", "nowhere.ron"], "no such file or scenario"),
        (&["primes", "--no-such-flag"], "--no-such-flag"),
        (&["chek", "primes"], "did you mean the command `check`?"),
        (
            &["slove", "primes", "--exact"],
            "did you mean the command `solve`?",
        ),
        (&["tutoral"], "did you mean the command `tutorial`?"),
        (
            &["prime"],
            "prime: no such file or scenario; did you mean `primes`?",
        ),
        (&["solve", "prime"], "did you mean `primes`?"),
    ] {
        let said = say(dir.path(), arguments, "");
        assert_eq!(said.code, Some(2), "{arguments:?}: {said:?}");
        assert!(said.err.contains(part), "{arguments:?}: {said:?}");
        assert!(said.out.is_empty(), "{arguments:?}: {said:?}");
    }
}

#[test]
fn malformed_files_are_explained_without_a_raw_escape_byte() {
    let dir = folder();
    let malformed = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/malformed");
    let mut count = 0;
    for entry in fs::read_dir(malformed).expect("the folder of malformed scenarios") {
        let file = entry.expect("an entry").path();
        if file.extension().is_none_or(|ending| ending != "ron") {
            continue;
        }
        count += 1;
        let said = run_here(dir.path(), &["check", path(&file)], "");
        assert_eq!(said.code, Some(2), "{}: {said:?}", file.display());
        assert!(said.is_clean(), "{}: {said:?}", file.display());
        let name = file.file_name().expect("a name").to_str().expect("UTF-8");
        assert_eq!(said.err.matches(name).count(), 1, "{said:?}");
    }
    assert!(count > 30, "{count}");
    let brackets = dir.path().join("brackets.ron");
    fs::write(&brackets, "[".repeat(10 << 20)).expect("written");
    let said = say(dir.path(), &["check", path(&brackets)], "");
    assert_eq!(said.code, Some(2), "{said:?}");
}

#[test]
fn the_scenario_in_the_guide_is_whole() {
    let dir = folder();
    let guide = include_str!("../../src/guide/scenarios.md");
    let (_, rest) = guide.split_once("```ron\n").expect("a scenario");
    let (scenario, _) = rest.split_once("```").expect("its end");
    let file = dir.path().join("bridge.ron");
    fs::write(&file, scenario).expect("written");
    let document = json(&say(dir.path(), &["check", "--json", path(&file)], ""));
    assert_eq!(
        (&document["claims"], &document["truth"]),
        (&Value::from(5), &Value::from(true))
    );
    let played = say(
        dir.path(),
        &[path(&file), "--plain", "--role", "judge"],
        "yes\n",
    );
    assert_eq!(played.code, Some(0), "{played:?}");
    assert!(played.out.contains("The debate is over."), "{played:?}");
}

#[test]
fn check_and_list_have_their_fields() {
    let dir = folder();
    let document = json(&say(dir.path(), &["check", "primes", "--json"], ""));
    assert_eq!(document["ok"], true);
    assert_eq!(
        (&document["claims"], &document["leaves"]),
        (&Value::from(85), &Value::from(64))
    );
    assert_eq!(
        (&document["depth"], &document["width"]),
        (&Value::from(3), &Value::from(4))
    );
    assert_eq!(document["truth"].as_array().map(Vec::len), Some(67));
    assert!((document["reward_ratio"].as_f64().expect("a number") - 0.1).abs() < 1e-15);
    let several = json(&say(
        dir.path(),
        &["check", "primes", "caffeine", "--json"],
        "",
    ));
    assert_eq!(several.as_array().map(Vec::len), Some(2));
    for what in ["strategies", "protocols", "problems"] {
        assert!(
            !json(&say(dir.path(), &["list", what, "--json"], ""))
                .as_array()
                .unwrap()
                .is_empty()
        );
    }
}

#[test]
fn lists_fit_eighty_columns_and_describe_the_scenarios() {
    let dir = folder();
    for what in ["scenarios", "strategies", "protocols", "problems"] {
        let said = say(dir.path(), &["list", what], "");
        let long = said.out.lines().find(|line| line.chars().count() > 80);
        assert_eq!(long, None, "{what}");
    }
    for row in json(&say(dir.path(), &["list", "problems", "--json"], ""))
        .as_array()
        .expect("a list")
    {
        for debated in row["debated"].as_array().expect("decompositions") {
            let protocols = debated["protocols"].as_array().map(Vec::len);
            assert!(protocols.is_some_and(|count| count > 0), "{row}");
        }
    }
    let checked = say(dir.path(), &["check", "turing"], "");
    assert!(
        checked.out.contains("at most 8 configurations read"),
        "{checked:?}"
    );
    assert!(checked.out.contains("truth      false"), "{checked:?}");
}

/// A build without the feature names a build that has it, with any arguments.
#[cfg(not(feature = "mcp"))]
#[test]
fn a_build_without_mcp_names_one_that_has_it() {
    let dir = tempfile::tempdir().unwrap();
    for arguments in [
        &["mcp"][..],
        &["mcp", "--saves", "x"],
        &["mcp", "--unknown"],
    ] {
        let said = crate::support::program::say(dir.path(), arguments, "");
        assert_eq!(said.code, Some(2), "{said:?}");
        let line = said.err.trim_end();
        assert!(line.contains("pip install debate-tui"), "{line}");
        assert!(
            line.contains("--features mcp") && !line.contains('\n'),
            "{line}"
        );
    }
}
