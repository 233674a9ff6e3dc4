//! Warnings of `check`, and study files that are rejected.

use super::*;

/// Returns the warnings about a study.
fn warnings(study: &Study) -> String {
    check_study(study).unwrap().warnings.join("\n")
}

/// Returns the first flaw of the example's study file after one change.
fn refusal(folder: &Path, old: &str, new: &str) -> String {
    create_example_study(folder).unwrap();
    rewrite(folder, |text| {
        assert!(text.contains(old), "{old}");
        text.replacen(old, new, 1)
    });
    Study::load(folder).unwrap_err().to_string()
}

#[test]
fn check_never_advises_a_setting_that_the_study_file_has() {
    let folder = tempfile::tempdir().unwrap();
    // With three participants, the two orders of the answers cannot be equally frequent.
    for (name, swap, is_advised) in [("a", "Balanced", false), ("b", "Never", true)] {
        let study = example(&folder.path().join(name), |text| {
            text.replace("swap: Balanced", &format!("swap: {swap}"))
                .replace(r#", "variants/*.ron""#, "")
                .replace("target: (participants: 16)", "target: (participants: 3)")
        });
        let said = warnings(&study);
        let line = said.lines().find(|line| line.contains("shown first"));
        let line = line.unwrap_or_else(|| panic!("{swap}: {said}"));
        assert_eq!(line.contains("set `swap: Balanced`"), is_advised, "{line}");
    }
    // The story tag is already set, so the warning must not suggest it.
    let study = example(&folder.path().join("c"), |text| {
        text.replace(r#"["items/*.ron", "variants/*.ron"]"#, r#"["items/*.ron"]"#)
    });
    let said = warnings(&study);
    assert!(said.contains("of the tag `story`"), "{said}");
    assert!(!said.contains("once_per_participant_by"), "{said}");
}

#[test]
fn the_example_names_no_condition_to_its_participants() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("a"), |text| text);
    let title = study.plan.title.to_lowercase();
    for word in ["debate", "side", "alone", "consult", "honest"] {
        assert!(!title.contains(word), "{title}");
    }
    let study = example(&folder.path().join("b"), |text| {
        text.replace(&study.plan.title, "Direct or not")
    });
    let said = warnings(&study);
    assert!(
        said.contains("title:") && said.contains("`direct`"),
        "{said}"
    );
}

#[test]
fn the_preregistration_names_what_the_lock_covers() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("p"), |text| text);
    let made = lock_study(&study).unwrap();
    let text = preregistration_text(&study, &check_study(&study).unwrap(), &made);
    let covered = "Lock (SHA-256 over the study's id, the version of the study format (6), the digests of the study file \
                   and of all texts and items, and the schedule)";
    assert!(text.contains(covered), "{text}");
    let old = StudyLock {
        study_format: None,
        ..made
    };
    let text = preregistration_text(&study, &check_study(&study).unwrap(), &old);
    assert!(text.contains("the version of the program ("), "{text}");
}

#[test]
fn check_names_an_unstated_score_and_pages_show_its_price() {
    let folder = tempfile::tempdir().unwrap();
    let score = "    score: Log2(per_continue: 0.0, shown: AtEnd),\n";
    for (name, stated, is_stated, price) in [
        ("a", "", false, Some("0.05")),
        ("b", score, true, None),
        (
            "c",
            "    score: Log2(per_continue: 0.2),\n",
            true,
            Some("0.2"),
        ),
    ] {
        let study = example(&folder.path().join(name), |text| {
            text.replace(score, stated)
        });
        let checked = check_study(&study).unwrap();
        assert_eq!(checked.score_is_stated, is_stated);
        let said = checked.warnings.join("\n");
        assert_eq!(said.contains("per_continue: 0.05"), !is_stated, "{said}");
        let pages = preview_pages(&study, &CodeOrAddressByOutcome::default()).unwrap();
        for page in pages.iter().filter(|page| page.condition.is_some()) {
            let text: Vec<String> = page
                .page
                .page
                .lines
                .iter()
                .map(debate_text::Line::plain_body_text)
                .collect();
            let text = text.join("\n");
            // Nobody asks for another round in these conditions.
            let is_free = matches!(page.condition.as_deref(), Some("direct" | "consult"));
            let charged = price.filter(|_| !is_free);
            let line = charged.map(|bits| format!("costs {bits} points of your score"));
            let is_there = line.as_ref().is_some_and(|line| text.contains(line));
            assert_eq!(is_there, line.is_some(), "{name}: {text}");
            assert_eq!(text.contains("of your score"), line.is_some(), "{name}");
        }
    }
}

#[test]
fn duplicate_entries_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let engine = r#"(command: ["bob"], options: {"n": "1", "n": "2"})"#;
    let changes = [
        (
            r#"texts: {"continue": (text: "Weiter"), "continue": (text: "Fort")},"#.to_owned(),
            "`continue` is defined twice",
        ),
        (
            r#"engines: {"bob": (command: ["bob"]), "bob": (command: ["b"])},"#.to_owned(),
            "`bob` is defined twice",
        ),
        (
            format!(r#"engines: {{"bob": {engine}}},"#),
            "`n` is defined twice",
        ),
    ];
    for (number, (added, expected)) in changes.iter().enumerate() {
        let root = folder.path().join(number.to_string());
        let said = refusal(&root, "stage: Pilot,", &format!("stage: Pilot, {added}"));
        assert!(said.contains(expected), "{said}");
    }
    let root = folder.path().join("response");
    let said = refusal(&root, "min: 1, max: 99", "min: 1, maximum: 99");
    assert!(said.contains("maximum"), "{said}");
}

#[test]
fn placeholders_that_are_not_filled_in_are_problems() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("p"), |text| {
        let texts = r#"texts: {
            "break": (text: "Bis zu {{minutes}} Minuten, {{minuten}}"),
            "continue": (text: "Weiter {{duration}}"),
            "likely": (ask: "Wie wahrscheinlich ist „{{answer}}“?"),
        },"#;
        text.replace("stage: Pilot,", &format!("stage: Pilot, {texts}"))
    });
    let checked = check_study(&study).unwrap();
    assert_eq!(
        checked.problems,
        [
            "texts: the text `break` contains the unknown placeholder `{{minuten}}`; this text has {{duration}}, {{seconds}}, \
             {{minutes}}, {{hours}}",
            "texts: the text `continue` contains the unknown placeholder `{{duration}}`; this text has no placeholders"
        ]
    );
}

#[test]
fn durations_on_pages_are_exact_and_agree_in_number() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("p"), |text| {
        text.replace("max_s: 300", "max_s: 60")
            .replace("resume_within_h: 24", "resume_within_h: 1")
    });
    let sentence = |name: &str, seconds| {
        study
            .plan
            .filled_text(name, &study.plan.duration_placeholders(seconds))
    };
    assert!(sentence("your time", 40).contains("wait at most 40 seconds"));
    assert!(sentence("waiting", 90).contains("within 1 minute 30 seconds"));
    assert!(sentence("break", 60).contains("up to 1 minute."));
    assert!(sentence("paused", 3600).contains("within 1 hour "));
    let text = preregistration_text(
        &study,
        &StudyCheckReport {
            minutes: 1.0,
            ..check_study(&study).unwrap()
        },
        &lock_study(&study).unwrap(),
    );
    assert!(text.contains("about 1 minute."), "{text}");
}

#[test]
fn a_question_of_a_set_is_an_item_wherever_a_scenario_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("p");
    create_example_study(&root).unwrap();
    let row = |id: &str| {
        serde_json::json!({
            "id": id, "question": format!("Is it {id}?"), "answers": ["Yes", "No"], "correct": 0, "source": "A source.",
        })
    };
    let ids = ["practice", "other", "third"];
    let rows: Vec<String> = ids.iter().map(|id| row(id).to_string()).collect();
    fs::write(root.join("practice.jsonl"), rows.join("\n")).unwrap();
    rewrite(&root, |_| {
        DIRECT
            .replace("Trials, Debrief", r#"Practice(condition: "one", trials: 1, scenarios: ["practice.jsonl#practice"]), Trials, Debrief"#)
            .replace(r#"["items/*.ron"]"#, r#"["items/*.ron", "practice.jsonl#other", "practice.jsonl#third"]"#)
    });
    let study = load(&root);
    let of = |id: &str| {
        study
            .items
            .iter()
            .find(|item| item.id == id)
            .map(|it| it.practice)
    };
    assert_eq!(ids.map(of), [Some(true), Some(false), Some(false)]);
    // The lock lists the question set once.
    let made = lock_study(&study).unwrap();
    let files: Vec<&str> = made.files.iter().map(|(name, _)| &**name).collect();
    assert_eq!(
        files
            .iter()
            .filter(|it| it.ends_with("practice.jsonl"))
            .count(),
        1
    );
    for (name, expected) in [
        ("practice.jsonl#nothing", "practice.jsonl#nothing"),
        ("practice.jsonl#other", "two items are named `other`"),
        ("../practice.jsonl#practice", "are outside"),
    ] {
        rewrite(&root, |_| {
            DIRECT.replace(
                r#"["items/*.ron"]"#,
                &format!(r#"["items/*.ron", "practice.jsonl#other", "{name}"]"#),
            )
        });
        let error = Study::load(&root).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn the_report_counts_resumed_sessions_and_tables_mark_counted_trials() {
    let folder = tempfile::tempdir().unwrap();
    let study = direct(&folder.path().join("p"));
    let (_, answers) = sessions::through(&study, "anna", SimulatedJudgeBehaviour::NOISY, 500);
    sessions::complete(&study, "bert", SimulatedJudgeBehaviour::NOISY);
    let found = study_report(&study, LiveOrSimulated::Live).unwrap();
    assert_eq!(found.quality.resumed_sessions, 1);
    assert!(
        report_text(&found).contains("; 1 session resumed ("),
        "{}",
        report_text(&found)
    );
    assert!(found.quality.resumes as usize >= answers - 1);
    let rows = StudyRows::read_study_rows(&study, LiveOrSimulated::Live).unwrap();
    let of_participants: Vec<bool> = rows.participants.iter().map(|it| it.is_counted).collect();
    assert_eq!(of_participants, [true, true]);
    for trial in &rows.trials {
        let is_main = !trial.key.is_practice && !trial.is_repeat && trial.is_compared;
        assert_eq!(trial.is_counted, is_main);
    }
    assert_eq!(rows.counted_trials().count(), 16);
    // The process of `anna` ended after each answer. A trial with one answer was over by then.
    assert!(rows.trials.iter().all(|trial| !trial.is_interrupted));
}

#[test]
fn wide_tables_of_a_report_page_scroll_and_name_every_column() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("p"), |text| text);
    simulate(&study, 5, &SimulatedJudgeBehaviour::ALL, "7").unwrap();
    let page = report_html(&study_report(&study, LiveOrSimulated::Simulated).unwrap());
    assert!(page.contains("<html lang=\"en\">") && page.contains("<main>"));
    assert_eq!(page.matches("<h1>").count(), 1);
    let regions: Vec<&str> = page.split("<div class=\"scroll\"").skip(1).collect();
    let tables = page.matches("<table>").count();
    assert!(tables > 3);
    // The chart is the only region without a table.
    assert_eq!(regions.len(), tables + 1);
    let mut names = std::collections::BTreeSet::new();
    for region in regions {
        assert!(
            region.starts_with(" role=\"region\" aria-label=\""),
            "{region}"
        );
        let name = region.split('"').nth(3).unwrap();
        assert!(names.insert(name), "{name} names two regions");
        assert!(region.contains("tabindex=\"0\""));
    }
    for empty in ["<th></th>", "scope=\"col\"></th>", "scope=\"row\"></th>"] {
        assert!(!page.contains(empty), "{empty}");
    }
}
