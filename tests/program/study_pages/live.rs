//! Programs that debate with a participant, or with each other in front of one who can speak to them. The server is
//! killed at every answer, and programs fail.

use std::fs;
use std::path::{Path, PathBuf};

use debate_host::record::{list_save_files, verify_file};
use debate_solver::setup::ScenarioLimits;
use debate_study::{LiveOrSimulated, Study, read_log};
use serde_json::json;
use tempfile::TempDir;

use super::client::{Client, Response};
use super::{invited, serve};
use crate::support::engines::{engine_path, python};
use crate::support::patience::wait_until;
use crate::support::program::{json as document, path, say};
use crate::support::studies::study;

/// Direct questions, and one more task.
const STUDY: &str = r#"Study(
    format: 1, id: "live", title: "Judging", stage: Pilot, seed: 3, {roles}
    engines: {
        "firsthand": (command: ["{python}", "{speaker}", "large", "0.254321"], options: {"style": "{style}"}),
        "secondhand": (command: ["{python}", "{speaker}", "other", "0.5"]),
        "simple": (command: ["{python}", "{simple}"]),
    },
    conditions: [(id: "alone", shown_as: "Task K", task: Direct(shows: Question)), (id: "live", shown_as: "Task M", task: {task})],
    items: ({items}),
    design: Within(blocks: 1),
    flow: [Consent("consent.md"), Trials, Debrief(reveal: true)],
    response: Probability(confirm: false),
    target: (participants: 4), stop: Participants(4),
    bonus: OneTrial(score: Quadratic, cents: 300),
    analysis: (primary: Difference(measure: Brier, of: "live", against: "alone")),
)"#;

const HEARS: &str = "Debate(protocol: Speeches(rounds: 2, judge_feedback: true), prover: \"engine:firsthand\", opponent: \"engine:secondhand\")";
const QUESTIONS: &str = "questions: \"set.jsonl\"";

/// A study, and the link of an invited participant; `None` without Python.
fn live(names: &[(&str, &str)]) -> Option<(TempDir, PathBuf, String)> {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("study");
    let always = [
        ("{python}", python()?),
        ("{speaker}", path(&engine_path("speaker.py")).to_owned()),
        ("{simple}", path(&engine_path("simple.py")).to_owned()),
    ];
    let usual = [
        ("{roles}", ""),
        ("{style}", "plain"),
        ("{items}", QUESTIONS),
        ("{task}", HEARS),
    ];
    let text = always
        .iter()
        .fold(STUDY.to_owned(), |text, (old, new)| text.replace(old, new));
    let text = names
        .iter()
        .chain(&usual)
        .fold(text, |text, (old, new)| text.replace(old, new));
    study(&folder, &text);
    let rows = (0..4).map(|number| {
        json!({
            "id": format!("q{number}"), "question": format!("Question {number}?"), "answers": ["Yes", "No"],
            "correct": number % 2, "source": "One sentence. Another sentence.",
        })
    });
    let rows: Vec<String> = rows.map(|row| row.to_string()).collect();
    fs::write(folder.join("set.jsonl"), rows.join("\n")).unwrap();
    let link = invited(&folder, 1).remove(0);
    Some((dir, folder, link))
}

/// Returns the page that appears after every program has answered.
fn answered(client: &Client) -> Response {
    wait_until("the answers of the programs", || {
        let page = client.get("/");
        (!page.body.contains("data-poll=")).then_some(page)
    })
}

/// Goes through the study, and kills the server at every answer. Returns the pages.
fn through(folder: &Path, link: &str) -> Vec<Response> {
    let mut server = serve(folder, &["--allow-commands"]);
    let mut client = Client::new(&server.address);
    let mut page = client.come(link);
    let mut pages = vec![page.clone()];
    while !page.is_last() {
        let mut answer = page.answer();
        if let Some(("text", words)) = answer.first_mut() {
            "Tell me more.".clone_into(words);
        }
        assert_eq!(client.answer(&page, &answer).status, 303, "{}", page.body);
        // Killed while a program thinks, or after its reply.
        server.kill();
        server = serve(folder, &["--allow-commands"]);
        client.address.clone_from(&server.address);
        page = answered(&client);
        assert!(pages.len() < 60, "it ends");
        pages.push(page.clone());
    }
    pages
}

fn rows(folder: &Path, table: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    assert_eq!(
        say(folder, &["study", "export", path(folder)], "").code,
        Some(0)
    );
    let file = folder.join(format!(
        "export/data/study-live_description-{table}_data.csv"
    ));
    csv::Reader::from_path(file)
        .unwrap()
        .deserialize()
        .map(Result::unwrap)
        .collect()
}

#[test]
fn programs_get_feedback_and_resume_from_the_log_after_each_kill() {
    let Some((_dir, folder, link)) = live(&[]) else {
        return;
    };
    // A command in a file runs only with the user's permission.
    let refused = say(
        &folder,
        &["study", "serve", path(&folder), "--listen", "127.0.0.1:0"],
        "",
    );
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("--allow-commands"), "{}", refused.err);
    let terminal = say(&folder, &["study", "run", path(&folder), "--plain"], "");
    assert!(
        terminal.code == Some(2) && terminal.err.contains("study serve"),
        "{terminal:?}"
    );
    assert_eq!(
        say(&folder, &["study", "check", path(&folder)], "").code,
        Some(0)
    );
    let simulated = say(
        &folder,
        &["study", "simulate", path(&folder), "-n", "4"],
        "",
    );
    assert_eq!(simulated.code, Some(0), "{simulated:?}");

    let pages = through(&folder, &link);
    let all: String = pages.iter().map(|page| page.body.as_str()).collect();
    // The cost has many digits, because a random form token can contain a short number.
    for sealed in ["large", "firsthand", "engine", "0.254321", "speaker"] {
        let at = all.find(sealed);
        let around = at.map(|at| all.get(at.saturating_sub(200)..at + 200));
        assert!(at.is_none(), "{sealed}: {around:?}");
    }
    // Each speech was made once, after the judge's words, and the log and the save contain the same speeches.
    let study = Study::load(&folder).unwrap();
    let records = read_log(&study.folder.log_file(LiveOrSimulated::Live, "s0000"))
        .unwrap()
        .records;
    let said: Vec<&str> = records
        .iter()
        .filter(|record| record.kind == "program")
        .filter_map(|record| record.payload_string_field("reply"))
        .collect();
    assert!(said.len() >= 2, "{said:?}");
    let saves = list_save_files(&folder.join("data/debates")).unwrap();
    assert_eq!(saves.len(), 1);
    assert!(
        verify_file(&saves[0], &ScenarioLimits::default())
            .unwrap()
            .ok
    );
    let save = fs::read_to_string(&saves[0]).unwrap();
    assert!(said.iter().all(|words| save.contains(words)) && save.contains("Tell me more."));
    let debates = rows(&folder, "debates");
    assert_eq!(debates.len(), 1);
    assert_eq!(
        (debates[0]["session"].as_str(), debates[0]["model"].as_str()),
        ("s0000", "large + other")
    );
    assert_eq!(debates[0]["calls"], said.len().to_string());
    let status = document(&say(
        &folder,
        &["study", "status", path(&folder), "--json"],
        "",
    ));
    assert_eq!(status["debates_cost"]["calls"], json!(said.len()));
    let trials = rows(&folder, "trials");
    let trial = trials
        .iter()
        .find(|row| row["condition"] == "live")
        .unwrap();
    assert_eq!(trial["model"], "large + other");
}

#[test]
fn programs_debate_participants_and_act_as_consultants() {
    let speeches = "Debate(protocol: Speeches(rounds: 2), prover: \"engine:firsthand\")";
    for names in [
        &[("{roles}", "roles: [Opponent],"), ("{task}", speeches)][..],
        &[
            ("{items}", "scenarios: [\"items/*.ron\"]"),
            ("{task}", "Consultancy(prover: \"engine:simple\")"),
        ][..],
    ] {
        let Some((_dir, folder, link)) = live(names) else {
            return;
        };
        let checked = say(&folder, &["study", "check", path(&folder)], "");
        assert_eq!(checked.code, Some(0), "{checked:?}");
        through(&folder, &link);
        let trials = rows(&folder, "trials");
        assert_eq!(trials.len(), 2, "{trials:?}");
        assert!(!rows(&folder, "debates").is_empty());
    }
}

#[test]
fn a_fault_of_a_program_ends_the_trial_with_pay() {
    let Some((_dir, folder, link)) = live(&[("{style}", "sulky")]) else {
        return;
    };
    let pages = through(&folder, &link);
    let ended = pages
        .iter()
        .find(|page| page.heading() == "This question ends here");
    let ended = ended.expect("the page that says so");
    assert!(
        ended
            .body
            .contains("For your bonus, this question counts like the best possible answer."),
        "{}",
        ended.body
    );
    let trials = rows(&folder, "trials");
    assert!(
        trials.iter().all(|row| row["condition"] == "alone"),
        "{trials:?}"
    );
    let report = document(&say(
        &folder,
        &["study", "report", path(&folder), "--json"],
        "",
    ));
    assert_eq!(report["quality"]["void_trials"], json!({"bug": 1}));
    assert_eq!(report["flow"]["by_status"]["complete"], json!(1));
    assert_eq!(
        say(&folder, &["study", "pay", path(&folder)], "").code,
        Some(0)
    );
    // The draw is between the judged trial and the trial that the program ended, which pays as the best answer.
    let paid = fs::read_to_string(folder.join("private/payments.csv")).unwrap();
    let row: Vec<&str> = paid.lines().nth(1).unwrap().split(',').collect();
    let judged = trials.iter().find(|trial| trial["trial"] == row[2]);
    let worth = judged.map_or(1.0, |trial| {
        let p: f64 = trial["p_correct"].parse().unwrap();
        1.0 - (1.0 - p).powi(2)
    });
    assert_eq!(row[3], format!("{worth:.4}"), "{paid}");
}

/// The costs in the logs also count after a restart: each answer kills the server.
#[test]
fn a_reached_cap_ends_trials_with_programs() {
    let caps = ("{roles}", "caps: (calls: 1),");
    let Some((_dir, folder, link)) = live(&[caps]) else {
        return;
    };
    through(&folder, &link);
    let report = document(&say(
        &folder,
        &["study", "report", path(&folder), "--json"],
        "",
    ));
    assert_eq!(report["quality"]["void_trials"], json!({"caps": 1}));
    let status = document(&say(
        &folder,
        &["study", "status", path(&folder), "--json"],
        "",
    ));
    assert_eq!(status["debates_cost"]["calls"], json!(1));
}

/// An illegal reply of a program costs as much as a legal one. A cap refuses any call that could exceed it.
#[test]
fn costs_of_illegal_program_replies_count_toward_caps() {
    let caps = ("{roles}", "caps: (calls: 4),");
    let Some((_dir, folder, link)) = live(&[caps, ("{style}", "stutters")]) else {
        return;
    };
    let server = serve(&folder, &["--allow-commands"]);
    let mut client = Client::new(&server.address);
    let mut page = client.come(&link);
    let mut answers = 0;
    while !page.is_last() {
        let mut answer = page.answer();
        if let Some(("text", words)) = answer.first_mut() {
            "Tell me more.".clone_into(words);
        }
        assert_eq!(client.answer(&page, &answer).status, 303, "{}", page.body);
        page = answered(&client);
        answers += 1;
        assert!(answers < 60, "it ends");
    }
    drop(server);
    let study = Study::load(&folder).unwrap();
    let log = study.folder.log_file(LiveOrSimulated::Live, "s0000");
    let records = read_log(&log).unwrap().records;
    let refused = records
        .iter()
        .filter_map(|record| record.payload_value("refused"));
    // Alice's first reply in each of two rounds, the second of which exhausts the cap.
    let refused: Vec<_> = refused.flat_map(|it| it.as_array().unwrap()).collect();
    assert_eq!(refused.len(), 2, "{records:?}");
    assert!(
        refused
            .iter()
            .all(|it| it["fault"] == "illegal" && it["cost"]["calls"] == 1)
    );
    let all = [path(&folder), "--json"];
    let report = document(&say(
        &folder,
        &[&["study", "report"][..], &all].concat(),
        "",
    ));
    assert_eq!(report["quality"]["void_trials"], json!({"caps": 1}));
    let status = document(&say(
        &folder,
        &[&["study", "status"][..], &all].concat(),
        "",
    ));
    assert_eq!(status["debates_cost"]["calls"], json!(4));
    assert_eq!(rows(&folder, "debates")[0]["calls"], "4");
}
