//! Debates of programs: played in advance, killed and resumed; judged by twelve people over HTTP; counted by hand.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use debate_host::record::{Save, list_save_files};
use debate_study::{
    LiveOrSimulated, StudyFolder, StudySessionStatus, read_log, read_session_status_and_records,
};
use serde_json::{Value, json};

use super::client::{Client, Response};
use super::{invited, pages_before_the_debrief, serve};
use crate::support::engines::python;
use crate::support::patience::wait_until;
use crate::support::program::{Said, json as document, path, program, say};
use crate::support::provider::Provider;
use crate::support::studies::study;

/// Direct questions, and debates of two programs about them.
const STUDY: &str = r#"Study(
    format: 1, id: "models", title: "Judging", stage: Pilot, seed: 3,
    engines: {
        "{one}": (command: ["{python}", "{speaker}", "{model}", "{usd}"], options: {"style": "{style}"}),
        "{two}": (command: ["{python}", "{speaker}", "other", "0.5"]),
    },
    conditions: [
        (id: "alone", shown_as: "Task K", task: Direct(shows: Question)),
        (id: "{debate}", shown_as: "Task M", task: Debate(protocol: Speeches(rounds: 2, judge_feedback: false), prover: "engine:{one}", opponent: "engine:{two}")),
    ],
    items: (questions: "set.jsonl"),
    design: Within(blocks: 2),
    flow: [Consent("consent.md"), Trials, Debrief(reveal: true)],
    target: (participants: 12), stop: Participants(12),
    bonus: OneTrial(score: Quadratic, cents: 300),
    analysis: (primary: Difference(measure: Brier, of: "{debate}", against: "alone")),
)"#;

/// The values of the names in [`STUDY`] for one experiment.
pub const NAMES: [(&str, &str); 6] = [
    ("{one}", "firsthand"),
    ("{two}", "secondhand"),
    ("{model}", "large"),
    ("{usd}", "0.25"),
    ("{style}", "plain"),
    ("{debate}", "debate"),
];

/// The number of debates that at least one of the twelve participants judges.
const DEBATES: usize = 12;

/// A study with twelve questions, whose right answers `correct` gives; `None` without Python.
pub fn models(folder: &Path, names: &[(&str, &str)], correct: impl Fn(usize) -> u32) -> Option<()> {
    let speaker = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines/speaker.py");
    let always = [
        ("{python}", python()?),
        ("{speaker}", path(&speaker).to_owned()),
    ];
    let text = always
        .iter()
        .fold(STUDY.to_owned(), |text, (old, new)| text.replace(old, new));
    let text = names
        .iter()
        .fold(text, |text, (old, new)| text.replace(old, new));
    study(folder, &text);
    let rows = (0..12).map(|number| {
        json!({
            "id": format!("q{number:02}"), "question": format!("Question {number}?"), "answers": ["Yes", "No"],
            "correct": correct(number), "source": "One sentence. Another sentence.",
        })
    });
    let rows: Vec<String> = rows.map(|row| row.to_string()).collect();
    fs::write(folder.join("set.jsonl"), rows.join("\n")).unwrap();
    Some(())
}

fn prepare(folder: &Path, more: &[&str]) -> Said {
    say(
        folder,
        &[&["study", "prepare", path(folder), "--json"], more].concat(),
        "",
    )
}

fn saves(folder: &Path) -> Vec<PathBuf> {
    list_save_files(&folder.join("items/prepared")).unwrap_or_default()
}

fn finished(folder: &Path) -> usize {
    let ended = saves(folder).into_iter().filter(|save| {
        let text = fs::read_to_string(save).unwrap_or_default();
        text.contains("], end: ")
    });
    ended.count()
}

/// The speeches of each debate, by its scenario.
fn debates(folder: &Path) -> BTreeMap<String, Vec<String>> {
    let each = saves(folder).into_iter().map(|path| {
        let save = Save::read_save(&path).unwrap();
        let moves = save
            .moves_not_undone()
            .map(|line| format!("{:?}", line.kind));
        (save.header.scenario.clone(), moves.collect())
    });
    each.collect()
}

/// Takes part as one of twelve participants: one leaves, one comes twice, the others judge to the end.
fn take_part(mut client: Client, number: usize, link: &str) {
    let mut page = client.go_on_from(link);
    match number {
        3 => {
            page = client.go_on(&page);
            client.answer(&page, &[("leave", "1".to_owned())]);
            let asked = client.get("/");
            client.answer(&asked, &[("choice", "2".to_owned())]);
        }
        5 => {
            // In another browser, before and after the end.
            page = client.go_on(&page);
            let mut second = Client::new(&client.address);
            assert_eq!(second.come(link).body, page.body);
            to_the_end(&second, page);
            assert!(client.come(link).is_last());
        }
        _ => to_the_end(&client, page),
    }
}

/// Continues to the end of a session, with seventy percent for the first answer of every question.
fn to_the_end(client: &Client, mut page: Response) {
    while !page.is_last() {
        page = client.go_on(&page);
    }
}

/// A task names a language model directly: a model of the settings, or a model with its URL.
#[test]
fn language_models_debate_in_a_study_by_their_names() {
    let provider = Provider::start();
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("study");
    let thinks = provider.player("thinks");
    let names = [
        ("\"engine:{one}\"", "\"model:fast\""),
        ("engine:{two}", &thinks),
    ];
    if models(&folder, &[&names[..], &NAMES].concat(), |_| 0).is_none() {
        return;
    }
    let settings = dir.path().join("settings.ron");
    let address = provider.player("good");
    let refused = prepare(&folder, &["--allow-commands"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(
        refused.err.contains("`model:fast` cannot play"),
        "{refused:?}"
    );
    let text = format!("(models: {{\"fast\": (address: {address:?})}})");
    fs::write(&settings, text).unwrap();
    let config = ["--config", path(&settings)];
    let report = document(&prepare(
        &folder,
        &[&config[..], &["--allow-commands"]].concat(),
    ));
    assert_eq!(report["finished"], report["debates"]);
    for model in ["good", "thinks"] {
        // Two speeches in each debate.
        assert_eq!(provider.requests(model).len(), 2 * DEBATES);
    }
}

#[test]
fn debates_are_played_before_and_judged_by_twelve_and_all_counts_agree() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, killed) = (dir.path().join("whole"), dir.path().join("killed"));
    let correct = |number: usize| u32::from(number.is_multiple_of(2));
    for folder in [&whole, &killed] {
        if models(folder, &NAMES, correct).is_none() {
            return;
        }
    }
    // A command in a file runs only with the user's permission, and a missing debate cannot be judged.
    let refused = prepare(&whole, &[]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("--allow-commands"), "{}", refused.err);
    let checked = say(&whole, &["study", "check", path(&whole)], "");
    assert_eq!(checked.code, Some(1));
    assert!(
        checked
            .out
            .contains("12 of 12 pairs of condition and item have no debate between programs yet"),
        "{}",
        checked.out
    );
    assert_eq!(
        say(&whole, &["study", "lock", path(&whole)], "").code,
        Some(2)
    );

    let report = document(&prepare(&whole, &["--allow-commands", "--jobs", "2"]));
    assert_eq!(
        (&report["debates"], &report["finished"]),
        (&json!(DEBATES), &json!(DEBATES))
    );
    // Two rounds of two speeches each, which cost 0.25 and 0.5 dollars.
    assert_eq!(
        (&report["cost"]["calls"], &report["cost"]["usd"]),
        (&json!(4 * DEBATES), &json!("18"))
    );
    for kill in 1..=5 {
        let mut running = program(&killed)
            .args([
                "study",
                "prepare",
                path(&killed),
                "--allow-commands",
                "--jobs",
                "1",
                // Some debates always remain, because each takes four calls.
                "--max-calls",
                "24",
            ])
            .spawn()
            .unwrap();
        wait_until("another debate", || {
            let has_ended = running.try_wait().unwrap().is_some();
            (has_ended || finished(&killed) >= kill).then_some(())
        });
        running.kill().unwrap();
        running.wait().unwrap();
    }
    assert!(finished(&killed) < DEBATES, "killed before the end");
    // A cap stops the preparation too.
    let capped = prepare(&killed, &["--allow-commands", "--max-calls", "1"]);
    assert_eq!(capped.code, Some(1));
    assert!(capped.err.contains("a cap is reached"), "{}", capped.err);
    assert_eq!(prepare(&killed, &["--allow-commands"]).code, Some(0));
    assert_eq!(debates(&killed), debates(&whole));

    let folder = killed;
    assert_eq!(
        say(&folder, &["study", "check", path(&folder)], "").code,
        Some(0)
    );
    let links = invited(&folder, 12);
    let server = serve(&folder, &[]);
    // Speeches appear at an even pace, so the participants judge at the same time.
    thread::scope(|scope| {
        for (number, link) in links.iter().enumerate() {
            let client = Client::new(&server.address);
            scope.spawn(move || take_part(client, number, link));
        }
    });
    drop(server);
    agree(&folder, correct);

    // The locked debates are fixed: verification detects a replaced or lost debate.
    fs::remove_file(&saves(&folder)[0]).unwrap();
    let lost = prepare(&folder, &["--allow-commands"]);
    assert_eq!(lost.code, Some(2));
    assert!(lost.err.contains("items/prepared/"), "{}", lost.err);
}

/// A judgement as recorded in a log.
struct Counted {
    session: String,
    condition: String,
    trial: u64,
    p_correct: f64,
}

/// Asserts that report, tables and payments equal a manual count of the logs.
fn agree(folder: &Path, correct: fn(usize) -> u32) {
    let kept = StudyFolder::new(folder);
    let logs = kept.session_log_files(LiveOrSimulated::Live).unwrap();
    let mut judged = Vec::new();
    let mut by_status = BTreeMap::<&str, usize>::new();
    let mut complete = Vec::new();
    for log in &logs {
        let (status, _) = read_session_status_and_records(log).unwrap();
        *by_status.entry(status.status_name()).or_default() += 1;
        for record in read_log(log).unwrap().records {
            if record.payload_flag("trial_over") != Some(true) {
                continue;
            }
            let number = record
                .item
                .as_deref()
                .unwrap()
                .trim_start_matches('q')
                .parse()
                .unwrap();
            let p_first = record.payload_number("first_percent").unwrap() / 100.0;
            judged.push(Counted {
                p_correct: if correct(number) == 0 {
                    p_first
                } else {
                    1.0 - p_first
                },
                session: record.session.clone(),
                condition: record.condition.clone().unwrap(),
                trial: u64::from(record.trial.unwrap()),
            });
        }
        if status == StudySessionStatus::Complete {
            complete.push(log.file_stem().unwrap().to_str().unwrap().to_owned());
        }
    }
    assert_eq!(
        by_status,
        BTreeMap::from([("complete", 11), ("withdrawn", 1)])
    );
    let report = document(&say(
        folder,
        &["study", "report", path(folder), "--json"],
        "",
    ));
    assert_eq!(report["flow"]["counted"], json!(11), "{}", report["flow"]);
    for condition in report["conditions"].as_array().unwrap() {
        let own = |it: &&Counted| complete.contains(&it.session) && it.condition == condition["id"];
        let own: Vec<&Counted> = judged.iter().filter(own).collect();
        assert_eq!(own.len(), 22);
        let right = own.iter().filter(|it| it.p_correct > 0.5).count();
        assert_eq!(condition["n"], json!(22), "{condition}");
        assert_eq!(condition["correct"], json!(right), "{condition}");
        // Every participant has two of them, so the mean of means equals the mean.
        let brier = own
            .iter()
            .map(|it| (1.0 - it.p_correct).powi(2))
            .sum::<f64>()
            / 22.0;
        let told = condition["brier"]["mean"].as_f64().unwrap();
        assert!((told - brier).abs() < 1e-9, "{told} {brier}");
    }
    assert_eq!(
        say(folder, &["study", "export", path(folder)], "").code,
        Some(0)
    );
    let rows = table(folder, "trials");
    assert_eq!(rows.len(), judged.len());
    for row in &rows {
        let debates = row["condition"] == "debate";
        assert_eq!(row["model"], if debates { "large + other" } else { "" });
        assert_eq!(row["prover"], if debates { "engine:firsthand" } else { "" });
    }
    let costs = table(folder, "debates");
    assert_eq!(costs.len(), DEBATES);
    assert!(
        costs
            .iter()
            .all(|row| row["usd"] == "1.5" && row["calls"] == "4")
    );
    assert_eq!(
        say(folder, &["study", "pay", path(folder)], "").code,
        Some(0)
    );
    let paid = fs::read_to_string(folder.join("private/payments.csv")).unwrap();
    let paid: Vec<Vec<&str>> = paid
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect())
        .collect();
    assert_eq!(paid.len(), 11);
    for payment in paid {
        let [_, session, trial, score, cents, "bonus"] = payment[..] else {
            panic!("{payment:?}")
        };
        let own = |it: &&Counted| it.session == session && it.trial.to_string() == trial;
        let p = judged.iter().find(own).unwrap().p_correct;
        let worth = 1.0 - (1.0 - p).powi(2);
        assert_eq!(score, format!("{worth:.4}"));
        assert_eq!(cents, format!("{:.0}", (300.0 * worth).round()));
    }
}

/// The rows of a table of an export.
fn table(folder: &Path, name: &str) -> Vec<BTreeMap<String, String>> {
    let path = folder.join(format!(
        "export/data/study-models_description-{name}_data.csv"
    ));
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

/// The pages do not reveal the debaters, their costs or the condition: they are equal byte by byte.
#[test]
fn pages_are_independent_of_models_and_costs() {
    let dir = tempfile::tempdir().unwrap();
    let other = [
        ("{one}", "alpha"),
        ("{two}", "beta"),
        ("{model}", "small-and-cheap"),
        ("{usd}", "0.0001"),
        ("{style}", "long"),
        ("{debate}", "argued-by-models"),
    ];
    let folders = ["one", "other"].map(|name| dir.path().join(name));
    for (folder, (names, is_no)) in folders.iter().zip([(&NAMES, false), (&other, true)]) {
        if models(folder, names, |_| u32::from(is_no)).is_none() {
            return;
        }
        assert_eq!(prepare(folder, &["--allow-commands"]).code, Some(0));
    }
    let seen = pages_before_the_debrief(&folders).map(|(pages, _)| pages);
    assert!(seen[0].len() > 20, "{}", seen[0].len());
    assert!(seen[0].iter().any(|page| page.contains("I have heard")));
    assert_eq!(seen[0], seen[1]);
    for sealed in ["large", "engine", "firsthand", "0.25", "speaker"] {
        assert!(
            !seen[0].iter().any(|page| page.contains(sealed)),
            "{sealed}"
        );
    }
}

/// A debate that a program gave up cannot be judged: the error names it, with advice.
#[test]
fn a_debate_that_a_program_gave_up_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("study");
    let sulky = NAMES.map(|(old, new)| (old, if old == "{style}" { "sulky" } else { new }));
    if models(&folder, &sulky, |_| 0).is_none() {
        return;
    }
    let said = prepare(&folder, &["--allow-commands"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    let report: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(report["finished"], json!(DEBATES));
    assert!(
        said.err.contains("gave up") && said.err.contains("items/prepared/"),
        "{}",
        said.err
    );
    let text = fs::read_to_string(folder.join("study.ron")).unwrap();
    for (old, new, why) in [
        (
            "prover: \"engine:firsthand\"",
            "prover: \"engine:nobody\"",
            "lists no engine `nobody`",
        ),
        (
            "prover: \"engine:firsthand\"",
            "prover: \"engine:python3 x.py\"",
            "lists no engine",
        ),
        (
            "seed: 3,",
            "seed: 3, roles: [Prover, Judge], group: (wait_s: 60, turn_s: 60),",
            "an engine or a language model cannot take part in a debate of several participants",
        ),
        (
            "seed: 3,",
            "seed: 3, caps: (usd: \"much\"),",
            "not an amount of money",
        ),
    ] {
        fs::write(folder.join("study.ron"), text.replace(old, new)).unwrap();
        let said = say(&folder, &["study", "check", path(&folder)], "");
        assert!(
            said.code != Some(0) && (said.err.contains(why) || said.out.contains(why)),
            "{why}: {said:?}"
        );
    }
}
