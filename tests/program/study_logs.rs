//! Messages about damaged logs: only the people concerned see them.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::program::{Said, json as document, path, say};
use crate::support::studies::{STUDY, study};

/// The input of a participant who consents and then leaves.
const AGREES: &str = "\n1\n";

fn run(folder: &Path, id: &str) -> Said {
    let arguments = ["study", "run", path(folder), "--plain", "--participant", id];
    say(folder, &arguments, AGREES)
}

fn join(folder: &Path, id: &str) -> Said {
    let arguments = ["study", "join", path(folder), "--plain", "--token", id];
    say(folder, &arguments, AGREES)
}

fn study_of(folder: &Path, command: &str) -> Value {
    document(&say(
        folder,
        &["study", command, path(folder), "--json"],
        "",
    ))
}

/// Asserts that a participant sees no information about files.
fn assert_discreet(said: &Said, folder: &Path) {
    assert_eq!(said.code, Some(2), "{said:?}");
    let all = format!("{}{}", said.out, said.err);
    assert!(all.contains("tell the person who invited you"), "{all}");
    for secret in [path(folder), "jsonl", "s0000", "study.ron", "line "] {
        assert!(!all.contains(secret), "{secret}: {all}");
    }
}

#[test]
fn a_damaged_log_stops_one_session_and_shows_no_path() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("p");
    study(&folder, STUDY);
    for id in ["anna", "bert"] {
        assert_eq!(run(&folder, id).code, Some(0));
    }
    let log = folder.join("data/raw/s0000.jsonl");
    let sound = fs::read(&log).unwrap();
    let mut bytes = sound.clone();
    bytes[sound.len() / 2] ^= 1;
    fs::write(&log, bytes).unwrap();
    assert_eq!(join(&folder, "cara").code, Some(0));
    assert_eq!(join(&folder, "bert").code, Some(0));
    assert_discreet(&join(&folder, "anna"), &folder);
    assert_discreet(&run(&folder, "anna"), &folder);
    let told = study_of(&folder, "status");
    assert_eq!(
        (
            &told["damaged"],
            &told["sessions"].as_array().unwrap().len()
        ),
        (&json!(1), &2)
    );
    assert_eq!(told["damage"]["logs"][0]["log"], "s0000.jsonl");
    let lines = say(&folder, &["study", "status", path(&folder), "--plain"], "");
    assert!(
        lines.out.contains("s0000.jsonl is left out: line "),
        "{lines:?}"
    );
    let report = study_of(&folder, "report");
    assert_eq!(
        (&report["flow"]["damaged"], &report["flow"]["sessions"]),
        (&json!(1), &json!(2))
    );
    let verify = say(&folder, &["verify", "--json", path(&folder)], "");
    assert_eq!(verify.code, Some(1), "{verify:?}");
    let verify: Value = serde_json::from_str(&verify.out).unwrap();
    let ok: Vec<_> = verify
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["ok"])
        .collect();
    assert_eq!(ok, [false, true, true]);
    assert_eq!(say(&folder, &["verify", path(&log)], "").code, Some(1));
    // Cut after a complete line, the chain is valid, but shorter than the original.
    let lines: Vec<&[u8]> = sound.split_inclusive(|byte| *byte == b'\n').collect();
    fs::write(&log, lines[..lines.len() - 1].concat()).unwrap();
    let verify = say(&folder, &["verify", path(&log)], "");
    assert_eq!(verify.code, Some(1), "{verify:?}");
    assert!(
        verify
            .err
            .contains(&format!("of the {} lines", lines.len())),
        "{verify:?}"
    );
    assert_discreet(&join(&folder, "anna"), &folder);
    // With the original log restored, the session continues without errors.
    fs::write(&log, &sound).unwrap();
    assert_eq!(join(&folder, "anna").code, Some(0));
    assert_eq!(study_of(&folder, "status")["damaged"], 0);
    let verify = say(&folder, &["verify", path(&folder)], "");
    assert_eq!(verify.code, Some(0), "{verify:?}");
    let hash = verify
        .out
        .lines()
        .next()
        .unwrap()
        .rsplit(' ')
        .next()
        .unwrap();
    for (expected, code) in [(hash, 0), (&"0".repeat(64), 1)] {
        let said = say(&folder, &["verify", path(&log), "--expect", expected], "");
        assert_eq!(said.code, Some(code), "{said:?}");
    }
}

#[test]
fn joining_an_unreadable_study_reveals_no_details() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("p");
    study(&folder, &STUDY.replace("seed: 7", "seed: seven"));
    assert_discreet(&join(&folder, "anna"), &folder);
    let said = run(&folder, "anna");
    assert!(
        said.code == Some(2) && said.err.contains("study.ron"),
        "{said:?}"
    );
    // The file of `--log` contains the reason.
    fs::write(folder.join("study.ron"), STUDY).unwrap();
    assert_eq!(join(&folder, "anna").code, Some(0));
    fs::write(folder.join("data/raw/s0000.jsonl"), "").unwrap();
    let log = dir.path().join("log.txt");
    let arguments = [
        "study",
        "join",
        path(&folder),
        "--plain",
        "--token",
        "anna",
        "--log",
    ];
    assert_discreet(
        &say(&folder, &[&arguments[..], &[path(&log)]].concat(), AGREES),
        &folder,
    );
    let kept = fs::read_to_string(&log).unwrap();
    assert!(
        kept.contains("s0000.jsonl") && kept.contains("the log has only 0 of the"),
        "{kept}"
    );
}

#[test]
fn another_version_continues_a_study_with_a_note() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("p");
    study(&folder, STUDY);
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(run(&folder, "anna").code, Some(0));
    let lock = folder.join("lock.json");
    let text = fs::read_to_string(&lock).unwrap();
    let other = text.replace(
        &format!("\"program\": \"{version}\""),
        "\"program\": \"0.0.9\"",
    );
    assert_ne!(text, other);
    fs::write(&lock, other).unwrap();
    let said = run(&folder, "anna");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(said.err.matches("0.0.9").count(), 1, "{said:?}");
    // Participants who join from elsewhere need not know it.
    assert!(!join(&folder, "bert").err.contains("0.0.9"));
    let told = study_of(&folder, "status");
    assert_eq!(
        (&told["locked_by"], &told["program"]),
        (&json!("0.0.9"), &json!(version))
    );
    let lines = say(&folder, &["study", "status", path(&folder), "--plain"], "").out;
    assert_eq!(lines.matches("0.0.9").count(), 1, "{lines}");
}
