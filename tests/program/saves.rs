//! The folder of saves on the command line: its list, and the last save.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::program::{Said, json, path, say};

/// A folder with an older, finished debate and a newer, unfinished one.
fn two() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let left = say(
        dir.path(),
        &[
            "primes-4331",
            "--plain",
            "--role",
            "estimator",
            "--seed",
            "7",
        ],
        "0\n",
    );
    assert_eq!(left.code, Some(0), "{left:?}");
    let old = dir.path().join("old.ron");
    fs::copy("saves/primes-estimator.ron", &old).unwrap();
    // In the year 2001.
    let before = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    fs::File::options()
        .write(true)
        .open(&old)
        .unwrap()
        .set_modified(before)
        .unwrap();
    dir
}

fn said(dir: &Path, arguments: &[&str]) -> Said {
    say(dir, arguments, "")
}

#[test]
fn saves_are_listed_the_last_written_first() {
    let dir = two();
    let found = json(&said(dir.path(), &["list", "saves", "--json"]));
    let field = |name: &str| -> Vec<&Value> {
        let rows = found.as_array().unwrap();
        rows.iter().map(|row| &row[name]).collect()
    };
    assert_eq!(field("condition"), ["unfinished", "finished"]);
    assert_eq!(field("title"), ["Is 4331 prime?", "Is 4331 prime?"]);
    let old = dir.path().join("old.ron");
    assert_eq!(field("save")[1], path(&old));
    let told = said(dir.path(), &["list", "saves"]).out;
    assert!(
        told.contains("Is 4331 prime? (finished, gap 20.3, last written"),
        "{told}"
    );
    let other = tempfile::tempdir().unwrap();
    let told = said(
        other.path(),
        &["list", "saves", "--saves", path(dir.path())],
    )
    .out;
    assert!(told.contains("old.ron"), "{told}");
    let none = said(other.path(), &["list", "saves"]);
    assert_eq!((none.code, none.out.as_str()), (Some(0), ""));
    assert!(none.err.contains("No saves in"), "{none:?}");
}

#[test]
fn the_last_save_needs_no_name() {
    let dir = two();
    let verified = json(&said(dir.path(), &["verify", "--last", "--json"]));
    assert_eq!(
        (&verified["ok"], &verified["finished"]),
        (&true.into(), &false.into())
    );
    let resumed = said(dir.path(), &["resume", "--last", "--plain"]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    assert!(resumed.out.contains("4331 is prime"), "{resumed:?}");
    let replayed = said(dir.path(), &["replay", "--last", "--plain"]);
    assert!(
        replayed.out.contains("The debate is not finished."),
        "{replayed:?}"
    );
    let exported = json(&said(dir.path(), &["export", "--last", "--to", "json"]));
    assert_eq!(exported["outcome"], "unfinished");
    let both = said(dir.path(), &["verify", "--last", "old.ron"]);
    assert_eq!(both.code, Some(2), "{both:?}");
    // Only the older debate remains, and it is finished.
    for entry in fs::read_dir(dir.path()).unwrap() {
        let entry = entry.unwrap().path();
        if !entry.ends_with("old.ron") {
            fs::remove_file(entry).unwrap();
        }
    }
    assert_eq!(said(dir.path(), &["verify", "--last"]).code, Some(0));
    let none = said(dir.path(), &["resume", "--last"]);
    assert_eq!(none.code, Some(2), "{none:?}");
    assert!(none.err.contains("--last: no matching save in"), "{none:?}");
}

#[test]
fn a_dash_is_the_standard_input() {
    let dir = tempfile::tempdir().unwrap();
    let scenario = fs::read_to_string("scenarios/hidden-flaw.ron").unwrap();
    let save = fs::read_to_string("saves/primes-estimator.ron").unwrap();
    for arguments in [
        &["solve", "-", "--exact", "--json"][..],
        &["simulate", "-", "-n", "100", "--json"],
        &["equilibrium", "-", "--json"],
        &["check", "-", "--json"],
        &["export", "-", "--to", "json"],
        &["-", "--role", "none", "--json", "--no-save"],
    ] {
        let named = arguments
            .iter()
            .map(|word| if *word == "-" { "hidden-flaw" } else { word });
        let named: Vec<&str> = named.collect();
        let (piped, named) = (
            say(dir.path(), arguments, &scenario),
            said(dir.path(), &named),
        );
        let (piped, named) = (json(&piped), json(&named));
        for field in ["title", "value", "protocol", "provers"] {
            assert_eq!(piped[field], named[field], "{arguments:?}");
        }
    }
    let verified = json(&say(dir.path(), &["verify", "-", "--json"], &save));
    assert_eq!(verified["ok"], true);
    for arguments in [
        &["replay", "-", "--plain"][..],
        &["export", "-", "--to", "md"],
    ] {
        let said = say(dir.path(), arguments, &save);
        assert_eq!(said.code, Some(0), "{said:?}");
        assert!(said.out.contains("Is 4331 prime?"), "{said:?}");
    }
    let wrong = say(dir.path(), &["check", "-"], "Scenario(");
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    assert!(wrong.err.contains("standard input:1:"), "{wrong:?}");
}

/// The sums of the payoff are shown at once. Each of the user's replies is compared with better ones if the user
/// requests it.
#[test]
fn a_plain_replay_compares_replies_with_hints() {
    let folder = tempfile::tempdir().unwrap();
    let replayed = |more: &[&str]| {
        let all = ["replay", "--plain", "saves/primes-small-prover.ron"];
        let said = say(folder.path(), &[&all[..], more].concat(), "");
        assert_eq!(said.code, Some(0), "{said:?}");
        said.out
    };
    let (told, compared) = (replayed(&[]), replayed(&["--hints"]));
    assert!(told.contains("\nBreakdown: First answer "), "{told}");
    assert!(!told.contains("is worth"), "{told}");
    assert!(compared.starts_with(told.split("\nBreakdown:").next().unwrap()));
}
