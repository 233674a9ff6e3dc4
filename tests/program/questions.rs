//! Sets of questions: imported, and used without a separate file per question.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::driver::Driver;
use crate::support::program::{json as document, path, say};
use crate::support::studies::study;
use debate_solver::setup::{LoadedScenario, ScenarioLimits};

const SET: &str = "tests/questions/set.jsonl";
const QUALITY: &str = "tests/questions/quality.jsonl";

/// Imports a file into `out` and returns the document.
fn imported(dir: &Path, file: &str, more: &[&str]) -> (Option<i32>, Value) {
    let out = dir.join("out");
    let import = ["import", "questions", file, "--out", path(&out), "--json"];
    let said = say(dir, &[&import[..], more].concat(), "");
    let report = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
    (said.code, report)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn questions_become_scenario_files_that_play() {
    let dir = tempfile::tempdir().unwrap();
    let (code, report) = imported(dir.path(), SET, &[]);
    assert_eq!(code, Some(0));
    assert_eq!(
        (&report["questions"], &report["imported"]),
        (&json!(4), &json!(4))
    );
    let out = dir.path().join("out");
    assert_eq!(names(&out), ["boat.ron", "key.ron", "light.ron", "tea.ron"]);
    let again = imported(dir.path(), SET, &[]).1;
    assert_eq!(again["already_there"], json!(4));
    let file = out.join("light.ron");
    let setup = LoadedScenario::load_scenario_file(&file, &ScenarioLimits::default()).unwrap();
    assert!(
        setup
            .instance(0)
            .as_two_answer_question()
            .unwrap()
            .source()
            .as_str()
            .contains("false light")
    );
    let played = document(&say(
        dir.path(),
        &[path(&file), "--json", "--seed", "1"],
        "",
    ));
    // The same debate, named by its set.
    let named = format!("{SET}#light");
    let other = document(&say(dir.path(), &[&named, "--json", "--seed", "1"], ""));
    assert_eq!(other["payoff"], played["payoff"]);
    let said = say(dir.path(), &[SET, "--json"], "");
    assert_eq!(said.code, Some(2));
    assert!(
        said.err.contains("the question set has 4 questions") && said.err.contains("#light"),
        "{}",
        said.err
    );
    let said = say(
        dir.path(),
        &["import", "transcript", SET, "--out", "x", "--pairs", "all"],
        "",
    );
    assert_eq!(said.code, Some(2));
    assert!(
        said.err.contains("--pairs applies only to questions"),
        "{}",
        said.err
    );
}

#[test]
fn qualitys_files_are_read_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let (code, report) = imported(dir.path(), QUALITY, &[]);
    assert_eq!(code, Some(0));
    let counts = ["questions", "imported", "unlabelled"].map(|name| report[name].clone());
    assert_eq!(counts, [json!(3), json!(2), json!(1)]);
    let out = dir.path().join("out");
    let setup = |name: &str| {
        LoadedScenario::load_scenario_file(&out.join(name), &ScenarioLimits::default()).unwrap()
    };
    let first = setup("52_AB_1.ron");
    let instance = first.instance(0);
    let question = instance.as_two_answer_question().unwrap();
    assert_eq!(question.answers(), ["Dark", "Late"]);
    assert_eq!(
        question.source().as_str(),
        "It was dark—and \"cold\".\n\nThe keeper slept."
    );
    assert_eq!(instance.truth(instance.root()), Some(true));
    assert_eq!(
        (&*first.tags["difficulty"], &*first.tags["group"]),
        ("1", "52")
    );
    // Both distractors were named once, so the one with the lower number is used.
    let second = setup("52_AB_2.ron");
    assert_eq!(
        second
            .instance(0)
            .as_two_answer_question()
            .unwrap()
            .answers(),
        ["She", "The keeper"]
    );
    let (_, all) = imported(dir.path(), QUALITY, &["--pairs", "all"]);
    assert_eq!(all["imported"], json!(6));
    assert_eq!(names(&out).len(), 8);
}

#[test]
fn invalid_lines_of_a_set_are_refused_and_others_imported() {
    let dir = tempfile::tempdir().unwrap();
    let set = dir.path().join("set.jsonl");
    let good = fs::read_to_string(SET).unwrap();
    let good = good.lines().nth(2).unwrap();
    let bad = json!({"id": "x", "question": "q", "answers": ["a", "b"], "source_file": "../out/../../etc/passwd"});
    let same = json!({"id": "y", "question": "q", "answers": ["a", "a"]});
    fs::write(&set, format!("{bad}\n{good}\nnothing\n{same}\n")).unwrap();
    let (code, report) = imported(dir.path(), path(&set), &[]);
    assert_eq!(code, Some(2));
    assert_eq!(
        (&report["questions"], &report["imported"]),
        (&json!(4), &json!(1))
    );
    let refused = report["refused"].as_array().unwrap();
    let places = refused
        .iter()
        .map(|it| it["file"].as_str().unwrap().rsplit('/').next().unwrap());
    assert_eq!(
        places.collect::<Vec<_>>(),
        ["set.jsonl:1", "set.jsonl:3", "set.jsonl#y"]
    );
}

#[test]
fn a_match_plays_all_questions_of_a_set() {
    let dir = tempfile::tempdir().unwrap();
    let saves = dir.path().join("saves");
    let play = |scenario: &str| {
        let play = [
            "match",
            "--scenario",
            scenario,
            "--seed",
            "7",
            "--both-orders",
            "--saves",
            path(&saves),
            "--json",
        ];
        document(&say(dir.path(), &play, ""))
    };
    let report = play(SET);
    assert_eq!(
        (&report["debates"], &report["finished"]),
        (&json!(8), &json!(8))
    );
    assert_eq!(report["matchups"].as_array().unwrap().len(), 1);
    assert_eq!(report["matchups"][0]["scenario"], SET);
    // Two debates about one of its questions already exist.
    let files = names(&saves);
    let report = play(&format!("{SET}#tea"));
    assert_eq!(report["finished"], json!(2));
    assert_eq!(names(&saves), files);
}

#[test]
fn messages_name_questions_of_sets_and_write_scenarios_down() {
    let dir = tempfile::tempdir().unwrap();
    let own = dir.path().join("own");
    fs::create_dir_all(own.join("texts")).unwrap();
    fs::copy(SET, own.join("set.jsonl")).unwrap();
    fs::copy(
        "tests/questions/texts/light.txt",
        own.join("texts/light.txt"),
    )
    .unwrap();
    let mut driver = Driver::start(&dir.path().join("saves"), &["--scenarios", path(&own)]);
    let seats = json!(["judge"]);
    let mut refused = |scenario: Value| {
        driver.send(&json!({"type": "new", "scenario": scenario, "seats": seats}));
        driver.next_of("error")["why"].as_str().unwrap().to_owned()
    };
    let outside = fs::canonicalize(SET).unwrap();
    for (scenario, why) in [
        (json!("set.jsonl#nobody"), "not a valid scenario"),
        (json!(format!("{}#tea", outside.display())), "--scenarios"),
        (json!("../own2/set.jsonl#tea"), "--scenarios"),
        (
            json!({"inline": "Scenario(format: 1)"}),
            "the inline scenario:1:1",
        ),
        (
            json!({"inline": fs::read_to_string("tests/malformed/circuit-file-outside.ron").unwrap()}),
            "x.bench",
        ),
        (
            json!({"inline": fs::read_to_string("tests/malformed/circuit-file-missing.ron").unwrap()}),
            "nowhere.bench",
        ),
        (json!({"text": "x"}), "`scenario` must be a name"),
        (json!(7), "`scenario` must be a name"),
    ] {
        let said = refused(scenario.clone());
        assert!(said.contains(why), "{scenario}: {said}");
    }
    for scenario in [
        json!("set.jsonl#light"),
        json!(format!("{}#tea", own.join("set.jsonl").display())),
        json!({"inline": fs::read_to_string("scenarios/lighthouse.ron").unwrap()}),
    ] {
        driver.begin(&json!({"scenario": scenario, "seats": seats}));
        let act = driver.next_of("act");
        assert_eq!(act["request"]["kind"], "probability", "{act}");
    }
    // If a set's file is rewritten, the set is read again.
    let line = json!({"id": "new", "question": "New?", "answers": ["Yes", "No"], "source": "Yes."});
    fs::write(own.join("set.jsonl"), line.to_string()).unwrap();
    driver.begin(&json!({"scenario": "set.jsonl#new", "seats": seats}));
    driver.next_of("act");
}

#[test]
fn a_study_takes_its_items_from_a_set() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("study");
    fs::create_dir(&folder).unwrap();
    study(
        &folder,
        r#"Study(
    format: 1, id: "sets", title: "Judging", stage: Pilot, seed: 1,
    conditions: [
        (id: "alone", shown_as: "Task K", task: Direct(shows: Question)),
        (id: "debate", shown_as: "Task M", task: Debate(protocol: Speeches(rounds: 2), prover: "quoter", opponent: "quoter")),
    ],
    items: (questions: "items/set.jsonl", strata: ["difficulty"]),
    design: Within(blocks: 2),
    flow: [Consent("consent.md"), Trials],
    target: (participants: 4), stop: Participants(4),
    analysis: (primary: Difference(measure: Brier, of: "debate", against: "alone")),
)"#,
    );
    fs::create_dir_all(folder.join("items/texts")).unwrap();
    fs::copy(SET, folder.join("items/set.jsonl")).unwrap();
    fs::copy(
        "tests/questions/texts/light.txt",
        folder.join("items/texts/light.txt"),
    )
    .unwrap();
    fs::write(folder.join("consent.md"), "Do you take part?").unwrap();
    let said = say(dir.path(), &["study", "check", path(&folder)], "");
    assert_eq!(said.code, Some(0), "{said:?}");
    let said = say(
        dir.path(),
        &["study", "simulate", path(&folder), "-n", "4"],
        "",
    );
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(
        say(dir.path(), &["study", "lock", path(&folder)], "").code,
        Some(0)
    );
    // The lock covers the texts beside the set too.
    fs::write(folder.join("items/texts/light.txt"), "Another text.").unwrap();
    let said = say(dir.path(), &["study", "lock", path(&folder)], "");
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("items/texts/light.txt"), "{}", said.err);
}

#[test]
fn questions_with_other_fields_are_mapped() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("arc.jsonl");
    let lines = [
        json!({"prompt": "Who?", "key": "B", "choices": {"text": ["rain", "wind", "keeper"]}}),
        json!({"prompt": "When?", "key": 0, "choices": {"text": ["noon", "dusk"]}}),
        json!({"prompt": "Where?", "key": "", "choices": {"text": ["here", "there"]}}),
        json!({"prompt": "Why?", "key": "Z", "choices": {"text": ["a", "b"]}}),
    ];
    let lines = lines.each_ref().map(Value::to_string);
    fs::write(&file, lines.join("\n")).unwrap();
    let map = ["--map", "question=prompt,answer=key,choices=choices.text"];
    let (code, report) = imported(dir.path(), path(&file), &map);
    assert_eq!(code, Some(2));
    let counts = ["questions", "imported", "unlabelled"].map(|name| &report[name]);
    assert_eq!(counts, [4, 2, 1], "{report}");
    let refused = &report["refused"][0];
    assert!(
        refused["file"].as_str().unwrap().ends_with("arc.jsonl:4"),
        "{report}"
    );
    assert!(
        refused["why"].as_str().unwrap().contains("`key`"),
        "{report}"
    );
    let out = dir.path().join("out");
    assert_eq!(names(&out), ["q1.ron", "q2.ron"]);
    let setup = LoadedScenario::load_scenario_file(&out.join("q1.ron"), &ScenarioLimits::default())
        .unwrap();
    assert!(setup.source.contains("wind") && setup.source.contains("correct: 1"));
    // A mistake in the map, and the map in another format.
    for arguments in [
        &[
            "import",
            "questions",
            path(&file),
            "--out",
            "x",
            "--map",
            "quest=prompt",
        ][..],
        &[
            "import",
            "nyu",
            path(&file),
            "--out",
            "x",
            "--map",
            "question=prompt",
        ],
    ] {
        assert_eq!(say(dir.path(), arguments, "").code, Some(2));
    }
}
