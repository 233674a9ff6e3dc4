//! `me`: the calibration of a person over their saves.

use std::fs;

use debate_core::number::Number as _;
use debate_host::plan::estimator_measures_of_save;
use debate_host::record::Save;
use debate_lab::calibration::measure_save;
use debate_solver::setup::ScenarioLimits;

use crate::support::program::{json, path, run_here, say};

/// A folder that the user names must exist if the command only reads it. The default folder need not exist yet.
#[test]
fn a_missing_folder_of_saves_is_an_error_if_it_is_only_read() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("missing");
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    for folder in [&missing, &file] {
        let folder = path(folder);
        for command in [
            &["me"][..],
            &["list", "saves"],
            &["daily", "--share"],
            &["replay", "--last"],
        ] {
            let said = run_here(dir.path(), &[command, &["--saves", folder]].concat(), "");
            assert_eq!(said.code, Some(2), "{command:?}: {said:?}");
            let why = format!("--saves: there is no folder {folder}");
            assert!(said.err.contains(&why), "{said:?}");
        }
    }
    // Without the flag, the folder is created by the first debate.
    let said = run_here(&missing, &["me"], "");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.starts_with("0 finished debates"), "{said:?}");
    assert!(!missing.exists());
}

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
    assert!(
        text.contains("Debates that are not counted: 1 (damaged"),
        "{text}"
    );
}

/// The gap of a save is the one at the end of its debate, in the project's saves and in debates of a person who gives
/// inconsistent numbers.
#[test]
fn calibration_and_the_end_of_a_debate_have_the_same_gap() {
    let dir = tempfile::tempdir().unwrap();
    for (scenario, numbers) in [
        ("primes-small", ["30", "90", "20"]),
        ("primes-4331", ["10", "55", "85"]),
        ("two-of-three", ["70", "20", "90"]),
        ("five-parts", ["80", "90", "40"]),
    ] {
        for seed in ["1", "2"] {
            let flags = ["--plain", "--role", "estimator", "--seed", seed];
            let saves = ["--saves", path(dir.path())];
            let typed = numbers
                .map(|number| format!("{number}\n"))
                .concat()
                .repeat(30);
            let said = say(
                dir.path(),
                &[&[scenario][..], &flags, &saves].concat(),
                &typed,
            );
            assert!(said.out.contains("The debate is over."), "{said:?}");
        }
    }
    let own = fs::read_dir("saves").unwrap();
    let made = fs::read_dir(dir.path()).unwrap();
    let mut with_gap = 0;
    for file in own.chain(made).map(|file| file.unwrap().path()) {
        let Ok(Some(measured)) = measure_save(&file, &ScenarioLimits::default()) else {
            continue;
        };
        let Some(gap) = measured.gap else { continue };
        let save = Save::read_save(&file).unwrap();
        let figures = estimator_measures_of_save(&save).unwrap().unwrap();
        let at_end = figures.gap.to_float();
        assert!((gap - at_end).abs() < 1e-12, "{}", file.display());
        with_gap += usize::from(gap > 0.0);
    }
    assert!(with_gap > 4, "{with_gap}");
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
