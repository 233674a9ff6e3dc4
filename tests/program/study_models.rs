//! The scripts of an export fit mixed models to the exported table, if statsmodels or lme4 is installed.

use std::path::Path;
use std::process::Command;

use crate::support::program::{json, path, run_here};

/// The estimate and the interval that a script prints, and its number of trials.
#[derive(Debug)]
struct Fit {
    estimate: f64,
    interval: [f64; 2],
    trials: usize,
}

/// Runs a script of an export. `None` if the interpreter or the library is not installed.
fn fit(interpreter: &str, probe: &[&str], script: &Path) -> Option<Fit> {
    let has_library = Command::new(interpreter).args(probe).output();
    if !has_library.is_ok_and(|probe| probe.status.success()) {
        println!("skipped: {interpreter} or its library for mixed models is not installed");
        return None;
    }
    let run = Command::new(interpreter).arg(script).output().unwrap();
    assert!(run.status.success(), "{run:?}");
    let out = String::from_utf8(run.stdout).unwrap();
    let line = out
        .lines()
        .find(|line| line.starts_with("pe-hon - direct: "));
    let words: Vec<&str> = line.expect("the contrast").split([' ', ',']).collect();
    let number = |place: usize| words[place].parse().unwrap();
    // pe-hon - direct: ESTIMATE, 95 % from LOW to HIGH, COUNT trials
    Some(Fit {
        estimate: number(3),
        interval: [number(8), number(10)],
        trials: words[12].parse().unwrap(),
    })
}

#[test]
fn the_scripts_of_an_export_estimate_the_contrast_of_the_report() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("pilot");
    let out = dir.path().join("out");
    let run = |arguments: &[&str]| {
        let said = run_here(dir.path(), arguments, "");
        assert_eq!(said.code, Some(0), "{said:?}");
        said
    };
    run(&["study", "new", path(&folder)]);
    run(&[
        "study",
        "simulate",
        path(&folder),
        "-n",
        "48",
        "--judge",
        "noisy",
    ]);
    let export = ["study", "export", path(&folder), "--simulated", "--out"];
    run(&[&export[..], &[path(&out)]].concat());
    let report = ["study", "report", path(&folder), "--simulated", "--json"];
    let report = json(&run(&report));
    let difference = report["primary"]["difference"].as_f64().unwrap();
    let counted: u64 = report["conditions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|condition| condition["n"].as_u64().unwrap())
        .sum();
    let python = std::env::var("DEBATE_TUI_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let by_python = fit(
        &python,
        &["-c", "import statsmodels"],
        &out.join("analysis.py"),
    );
    let by_r = fit("Rscript", &["-e", "library(lme4)"], &out.join("analysis.R"));
    for fit in [&by_python, &by_r].into_iter().flatten() {
        assert_eq!(fit.trials as u64, counted, "{fit:?}");
        let [low, high] = fit.interval;
        assert!(low < fit.estimate && fit.estimate < high, "{fit:?}");
        // The model adjusts the difference of the means for the items of each participant.
        assert!(
            (fit.estimate - difference).abs() < (high - low) / 4.0,
            "{fit:?} {difference}"
        );
    }
    if let (Some(python), Some(r)) = (by_python, by_r) {
        assert!(
            (python.estimate - r.estimate).abs() < 1e-3,
            "{python:?} {r:?}"
        );
    }
}
