//! `me`: the calibration of a person over their saves.

use std::fs;

use crate::support::program::{json, path, say};

#[test]
fn calibration_counts_finished_debates_of_a_person_and_skips_damaged_saves() {
    let dir = tempfile::tempdir().unwrap();
    let save = fs::read_to_string("saves/primes-estimator.ron").unwrap();
    fs::write(dir.path().join("one.ron"), &save).unwrap();
    let damaged = save.replace("reply: Select(2)", "reply: Select(1)");
    assert_ne!(damaged, save);
    fs::write(dir.path().join("two.ron"), damaged).unwrap();
    let saves = ["--saves", path(dir.path())];
    let found = say(dir.path(), &[&["me", "--json"][..], &saves].concat(), "");
    assert_eq!(found.code, Some(0), "{found:?}");
    let report = json(&found);
    assert_eq!(report["debates"], 1, "{report}");
    assert_eq!(report["left_out"]["damaged"], 1, "{report}");
    assert!(report["estimates"].as_u64().unwrap() > 0, "{report}");
    assert_eq!(report["seats"][0]["seat"], "opponent");
    let text = say(dir.path(), &[&["me"][..], &saves].concat(), "").out;
    assert!(text.contains("1 finished debate of yours."), "{text}");
    assert!(text.contains("Not counted: 1 damaged"), "{text}");
}

#[test]
fn calibration_of_an_empty_folder_and_its_charts_are_not_errors() {
    let dir = tempfile::tempdir().unwrap();
    let picture = dir.path().join("me.svg");
    let vega = dir.path().join("me.json");
    let flags = ["me", "--svg", path(&picture), "--vega", path(&vega)];
    let said = say(dir.path(), &flags, "");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out.contains("0 finished debates of yours."),
        "{said:?}"
    );
    assert!(fs::read_to_string(&picture).unwrap().contains("</svg>"));
    let again = say(dir.path(), &flags, "");
    assert_eq!(again.code, Some(2), "{again:?}");
}
