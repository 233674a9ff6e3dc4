//! `import` and `report`: debates that were held elsewhere, and the judgements about them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::program::{json as document, path, say};

const DEBATES: &str = "tests/nyu/official";

#[test]
fn the_studys_files_become_saves_that_verify_and_are_reported_on() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("nyu");
    let import = ["import", "nyu", DEBATES, "--out", path(&out)];
    let said = say(dir.path(), &import, "");
    assert_eq!(said.code, Some(0), "{said:?}");
    let told = format!("8 of 8 debates imported into {}.", out.display());
    assert!(said.out.starts_with(&told) && said.is_clean(), "{said:?}");
    assert!(
        said.out
            .contains("2 judgements by other judges, made after the debates, are saved"),
        "{said:?}"
    );
    // A second import neither replaces nor loses a debate.
    let again = document(&say(dir.path(), &[&import[..], &["--json"]].concat(), ""));
    assert_eq!(
        (&again["imported"], &again["already_there"]),
        (&json!(8), &json!(8))
    );
    let saves = fs::read_dir(&out).unwrap().map(|it| it.unwrap().path());
    let saves: Vec<_> = saves
        .filter(|it| it.extension().unwrap() == "ron")
        .collect();
    let names: Vec<&str> = saves.iter().map(|save| path(save)).collect();
    let verify = [&["verify", "--quiet"][..], &names].concat();
    let said = say(dir.path(), &verify, "");
    assert_eq!((said.code, saves.len()), (Some(0), 8), "{said:?}");

    let report = document(&say(dir.path(), &["report", path(&out), "--json"], ""));
    assert_eq!(report["judgements"], 8);
    let debate = &report["conditions"][1];
    assert_eq!(
        (&debate["condition"], &debate["correct"]),
        (&json!("human debate"), &json!(2))
    );
    assert_eq!(
        debate["by_round"][0],
        json!({"round": 0, "judgements": 2, "correct": 0, "mean_p_correct": 0.5})
    );
    let later = out.join("later-judgements.jsonl");
    let report = document(&say(dir.path(), &["report", path(&later), "--json"], ""));
    assert_eq!(report["judgements"], 2);
}

/// A folder with the layout of the public one: metadata, participants, and debates.
fn public_folder(dir: &Path) -> PathBuf {
    let folder = dir.join("pub");
    let official = folder.join("debates/official");
    fs::create_dir_all(&official).unwrap();
    for from in [DEBATES, "tests/nyu/made"] {
        for entry in fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            fs::copy(&path, official.join(path.file_name().unwrap())).unwrap();
        }
    }
    let metadata = fs::read_to_string("tests/nyu/debates-metadata.jsonl").unwrap();
    let made = r#"{"name": "past-the-end-1", "includedInPaper": true}"#;
    let lines = format!("{}\n{made}\n", metadata.trim_end());
    fs::write(folder.join("debates-metadata.jsonl"), lines).unwrap();
    fs::write(folder.join("debates/profiles.json"), "{}").unwrap();
    fs::write(folder.join("debates/open-feedback.json"), "[]").unwrap();
    folder
}

#[test]
fn a_quote_past_its_source_is_cut_and_its_debate_counts() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, out) = (public_folder(dir.path()), dir.path().join("out"));
    let import = ["import", "nyu", path(&folder), "--out", path(&out)];
    let said = say(dir.path(), &import, "");
    assert_eq!(said.code, Some(0), "{said:?}");
    for part in [
        "9 of 9 debates imported",
        "1 with notes in the tag `oddities`",
        "Quotations that went beyond the end of their source and were cut there: 1.",
        "profiles.json",
        "open-feedback.json",
    ] {
        assert!(said.out.contains(part), "{part}: {said:?}");
    }
    let told = document(&say(dir.path(), &[&import[..], &["--json"]].concat(), ""));
    assert_eq!(
        (&told["cut_quotes"], &told["refused"]),
        (&json!(1), &json!([]))
    );
    let [notes] = &told["notes"].as_array().unwrap()[..] else {
        panic!("{told}")
    };
    assert!(
        notes["file"]
            .as_str()
            .unwrap()
            .ends_with("past-the-end-1.json")
    );
    assert!(
        notes["notes"][0]
            .as_str()
            .unwrap()
            .contains("ends at word 14"),
        "{notes}"
    );
    assert_eq!(told["skipped"].as_array().unwrap().len(), 2);
    let replay = ["replay", "--plain", path(&out.join("past-the-end-1.ron"))].map(str::to_owned);
    let said = say(dir.path(), &replay.each_ref().map(String::as_str), "");
    assert!(said.out.contains("“Nobody came.”"), "{said:?}");
    let report = document(&say(dir.path(), &["report", path(&out), "--json"], ""));
    let conditions = report["conditions"].as_array().unwrap();
    let human = conditions
        .iter()
        .find(|it| it["condition"] == "human consultancy");
    assert_eq!(human.unwrap()["correct"], json!(3), "{report}");
}

#[test]
fn a_folder_without_a_debate_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("empty");
    fs::create_dir(&folder).unwrap();
    let out = dir.path().join("out");
    for name in ["notes.txt", "profiles.json", "debates-metadata.json"] {
        fs::write(folder.join(name), "[]").unwrap();
        for kind in ["nyu", "transcript"] {
            let said = say(
                dir.path(),
                &["import", kind, path(&folder), "--out", path(&out)],
                "",
            );
            assert_eq!(said.code, Some(2), "{name}: {said:?}");
            assert!(
                said.err
                    .contains("no debates found: neither this folder nor its subfolders"),
                "{said:?}"
            );
        }
    }
}

/// The variable with the folder of the study's public files, if this machine has them.
const PUBLIC: &str = "DEBATE_TUI_NYU";

#[test]
fn the_public_files_reproduce_table_1_if_present() {
    let Some(folder) = std::env::var_os(PUBLIC) else {
        println!("{PUBLIC} names no folder: nothing was read");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let import = [
        "import",
        "nyu",
        path(Path::new(&folder)),
        "--out",
        path(&out),
        "--json",
    ];
    let told = document(&say(dir.path(), &import, ""));
    assert_eq!(
        (&told["debates"], &told["imported"]),
        (&json!(631), &json!(631))
    );
    let report = document(&say(dir.path(), &["report", path(&out), "--json"], ""));
    let rows = report["conditions"].as_array().unwrap().iter().map(|row| {
        let figure = |name: &str| format!("{:.3}", row[name].as_f64().unwrap());
        format!(
            "{}: {}/{} {} {}",
            row["condition"].as_str().unwrap(),
            row["correct"],
            row["judgements"],
            figure("score"),
            figure("calibration_error")
        )
    });
    let expected = [
        "human consultancy: 71/96 -1.235 0.173",
        "human debate: 130/154 -0.891 0.108",
        "model consultancy: 61/76 -1.162 0.167",
        "model debate: 68/87 -1.197 0.161",
    ];
    assert_eq!(rows.collect::<Vec<_>>(), expected);
}

#[test]
fn a_debate_is_judged_again_in_lines_and_the_judgement_is_reported_on() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("nyu");
    let import = ["import", "nyu", DEBATES, "--out", path(&out)];
    assert_eq!(say(dir.path(), &import, "").code, Some(0));
    let save = out.join("time-and-the-woman-5.ron");
    let judged = |results: &std::path::Path, input| {
        let judge = ["replay", path(&save), "--as", "judge", "--plain"];
        let kept = ["--judge-name", "somebody", "--results", path(results)];
        say(dir.path(), &[&judge[..], &kept].concat(), input)
    };
    let results = dir.path().join("own.jsonl");
    let said = judged(&results, "60\nyes\n70\nyes\n80\n");
    assert_eq!(said.code, Some(0), "{said:?}");
    // The other judge's number appears only at the end.
    let (before, after) = said.out.split_once("The right answer is").unwrap();
    assert!(!before.contains("99 %") && after.contains("you 70 %, the other judge 99 %"));
    let report = document(&say(dir.path(), &["report", path(&results), "--json"], ""));
    assert_eq!(report["judgements"], 1);
    let text = say(dir.path(), &["report", path(&results)], "").out;
    assert!(text.contains("1 judgement by 1 judge, 1 story"), "{text}");

    let table = dir.path().join("own.csv");
    let said = judged(&table, "60\n");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(
        said.err.contains("name a file that ends in .jsonl"),
        "{said:?}"
    );
    assert!(!table.exists());
}

#[test]
fn a_table_of_judgements_is_summed_up_drawn_and_written_again() {
    let dir = tempfile::tempdir().unwrap();
    let table = "tests/nyu/judgements.csv";
    let picture = dir.path().join("chart.svg");
    let chart = ["report", table, "--chart", path(&picture)];
    let said = say(dir.path(), &chart, "");
    assert_eq!(said.code, Some(0), "{said:?}");
    for row in [
        "71/96", "130/154", "61/76", "68/87", "-1.235", "-0.891", ".173", ".108",
    ] {
        assert!(said.out.contains(row), "{row}: {}", said.out);
    }
    assert!(
        said.out.lines().all(|line| line.chars().count() <= 110),
        "{}",
        said.out
    );
    let drawn = fs::read_to_string(&picture).unwrap();
    let drawn = roxmltree::Document::parse(&drawn).unwrap();
    let dots = drawn.descendants().filter(|it| it.has_tag_name("circle"));
    assert!(dots.count() > 20);
    assert_eq!(say(dir.path(), &chart, "").code, Some(2));
    // Printed rows can be read back and give the same figures.
    let rows = say(dir.path(), &["report", table, "--csv"], "");
    let again = dir.path().join("again.csv");
    fs::write(&again, &rows.out).unwrap();
    let figures = |table: &str| document(&say(dir.path(), &["report", table, "--json"], ""));
    assert_eq!(figures(table), figures(path(&again)));
}

#[test]
fn invalid_debates_are_located_and_others_are_imported() {
    let dir = tempfile::tempdir().unwrap();
    let files = dir.path().join("files");
    fs::create_dir(&files).unwrap();
    let good = fs::read_to_string(format!("{DEBATES}/time-and-the-woman-4.json")).unwrap();
    let span = good.find("\"span\":[").unwrap() + "\"span\":[".len();
    let (before, after) = good.split_at(span);
    fs::write(files.join("good.json"), &good).unwrap();
    fs::write(files.join("span.json"), format!("{before}9999{after}")).unwrap();
    fs::write(files.join("cut.json"), before).unwrap();
    fs::write(files.join("deep.json"), "[".repeat(100_000)).unwrap();
    fs::write(files.join("es\u{1b}[2Jc.json"), "{\"setup\": 1}").unwrap();
    fs::write(files.join("binary.json"), [0xff, 0]).unwrap();
    let out = dir.path().join("out");
    let import = ["import", "nyu", path(&files), "--out", path(&out), "--json"];
    let said = say(dir.path(), &import, "");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.is_clean(), "{said:?}");
    let told: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(
        (&told["imported"], &told["debates"]),
        (&json!(1), &json!(6))
    );
    let refused = told["refused"].as_array().unwrap();
    let why = |name: &str| {
        let found = refused
            .iter()
            .find(|it| it["file"].as_str().unwrap().ends_with(name));
        found.unwrap()["why"].as_str().unwrap()
    };
    assert!(
        why("span.json").contains("rounds[1].SimultaneousSpeeches.speeches."),
        "{}",
        why("span.json")
    );
    assert!(why("cut.json").contains("line 1 column"));
    assert!(why("deep.json").contains("recursion limit"));
    assert!(why("binary.json").contains("not UTF-8"));
    assert!(out.join("good.ron").exists());
}

#[test]
fn transcripts_of_models_are_imported_by_their_schema() {
    let dir = tempfile::tempdir().unwrap();
    let debate = json!({
        "format": 1, "name": "galley", "question": "Who left first?",
        "answers": ["The cook", "The pilot"], "correct": 1,
        "source": "The cook stayed. The pilot left at noon.", "debaters": ["m1", "m2"],
        "rounds": [{"speeches": ["The cook.", "<quote>The pilot left at noon.</quote>"],
            "judgement": {"p_first": 0.2}}],
    });
    let file = dir.path().join("galley.json");
    fs::write(&file, debate.to_string()).unwrap();
    let out = dir.path().join("out");
    let import = ["import", "transcript", path(&file), "--out", path(&out)];
    let said = say(dir.path(), &import, "");
    assert_eq!(said.code, Some(0), "{said:?}");
    let save = out.join("galley.ron");
    let replay = say(dir.path(), &["replay", path(&save), "--plain"], "");
    assert_eq!(replay.code, Some(0), "{replay:?}");
    for line in [
        "> “The pilot left at noon.”",
        "estimates “The cook” at 20 %, “The pilot” at 80 %",
    ] {
        assert!(replay.out.contains(line), "{line}: {}", replay.out);
    }
    let schema = say(dir.path(), &["schema", "transcript"], "").out;
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.add_resource("test:transcript", schema).unwrap();
    let compiled = compiler.compile("test:transcript", &mut schemas).unwrap();
    assert!(schemas.validate(&debate, compiled).is_ok());
    let mut wrong = debate.clone();
    wrong["sauce"] = json!("?");
    assert!(schemas.validate(&wrong, compiled).is_err());
    fs::write(&file, wrong.to_string()).unwrap();
    let said = say(dir.path(), &import, "");
    assert!(
        said.code == Some(2) && said.err.contains("sauce"),
        "{said:?}"
    );
}

#[test]
fn a_report_without_judgements_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let said = say(dir.path(), &["report", "saves"], "");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("no judgement to count"), "{said:?}");
    assert!(
        said.err.contains("a protocol other than Speeches"),
        "{said:?}"
    );
}

/// A log of Inspect with a good sample, one that ended with an error and one without a debate.
fn mixed_log() -> String {
    let speeches = json!([
        {"role": "assistant", "content": "He went.", "metadata": {"speaker": "first"}},
        {"role": "assistant", "content": "He stayed.", "metadata": {"speaker": "second"}},
        {"role": "user", "content": "Judge: Hm.", "metadata": {"p_first": 0.25, "noise": [1]}},
    ]);
    let sample = |id: &str, messages: &Value, error: &Value| {
        json!({
            "id": id, "epoch": 1, "input": "Did he go?", "choices": ["Yes", "No"], "target": "B",
            "messages": messages, "error": error, "error_retries": null, "uuid": "x", "later": {},
            "scores": {"loss": {"value": "NUMBER"}},
        })
    };
    let error = json!({"message": "out of\u{1b}[2J tokens", "traceback": "…"});
    let log = json!({
        "version": 2, "status": "error", "location": "NaN", "eval": {"task": "noon", "new": 1},
        "samples": [
            sample("good", &speeches, &Value::Null),
            sample("failed", &json!([]), &error),
            sample("empty", &json!([]), &Value::Null),
            {"id": "odd", "messages": 5},
        ],
    });
    log.to_string()
        .replacen("\"NUMBER\"", "NaN", 1)
        .replace("\"NUMBER\"", "-Infinity")
}

#[test]
fn a_bad_sample_is_named_and_good_ones_are_imported() {
    let dir = tempfile::tempdir().unwrap();
    let (log, out) = (dir.path().join("log.json"), dir.path().join("out"));
    fs::write(&log, mixed_log()).unwrap();
    let import = ["import", "transcript", path(&log), "--out", path(&out)];
    let said = say(dir.path(), &import, "");
    assert!(said.code == Some(2) && said.is_clean(), "{said:?}");
    for part in [
        "1 of 3 debates imported",
        "1 sample is skipped:",
        "samples[1] (id failed): the sample ended with",
    ] {
        assert!(said.out.contains(part), "{part}: {said:?}");
    }
    for part in [
        "samples[2] (id empty): messages: no message",
        "samples[3] (id odd): this is not a sample",
    ] {
        assert!(said.err.contains(part), "{part}: {said:?}");
    }
    let verify = say(
        dir.path(),
        &["verify", path(&out.join("noon-good.ron"))],
        "",
    );
    assert_eq!(verify.code, Some(0), "{verify:?}");

    // A sample that the log itself marks as failed is not an error in the file.
    let finite = mixed_log().replace("\"value\":NaN", "\"value\":0");
    let finite = finite.replace("-Infinity", "0");
    let mut value: Value = serde_json::from_str(&finite).unwrap();
    value["samples"].as_array_mut().unwrap().truncate(2);
    fs::write(&log, value.to_string()).unwrap();
    let again = say(dir.path(), &[&import[..], &["--json"]].concat(), "");
    assert_eq!(again.code, Some(0), "{again:?}");
    let report = document(&again);
    assert_eq!(
        (&report["debates"], &report["imported"]),
        (&json!(1), &json!(1))
    );
    assert!(
        report["skipped_samples"][0]["why"]
            .as_str()
            .unwrap()
            .contains("tokens")
    );
}

#[test]
fn a_zip_archive_is_refused_with_the_command_that_converts_it() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("logs");
    fs::create_dir(&folder).unwrap();
    let log = folder.join("noon.eval");
    fs::write(&log, b"PK\x03\x04\x14\0\0\0\x08\0\xff\xfe").unwrap();
    let out = dir.path().join("out");
    for from in [&log, &folder] {
        let import = ["import", "transcript", path(from), "--out", path(&out)];
        let said = say(dir.path(), &import, "");
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(
            said.err.contains("inspect log dump FILE > log.json"),
            "{said:?}"
        );
    }
}

#[test]
fn files_of_another_kind_in_a_folder_are_listed_and_skipped() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let import = ["import", "nyu", "tests/nyu", "--out", path(&out), "--json"];
    let said = say(dir.path(), &import, "");
    assert_eq!(said.code, Some(0), "{said:?}");
    let report = document(&said);
    assert_eq!(
        (&report["debates"], &report["imported"]),
        (&json!(8), &json!(8))
    );
    let skipped = ["LICENSE.note", "judgements.csv", "reference-summary.json"];
    assert_eq!(
        report["skipped"],
        json!(skipped.map(|it| format!("tests/nyu/{it}")))
    );
    // A file that the user names is refused and not skipped.
    let named = [
        "import",
        "nyu",
        "tests/nyu/reference-summary.json",
        "--out",
        path(&out),
    ];
    assert_eq!(say(dir.path(), &named, "").code, Some(2));

    let folder = dir.path().join("mixed");
    fs::create_dir(&folder).unwrap();
    let debate = json!({
        "format": 1, "name": "galley", "question": "Who left?", "answers": ["The cook", "The pilot"],
        "debaters": ["m1", "m2"], "rounds": [{"speeches": ["The cook.", "The pilot."],
            "judgement": {"p_first": 0.2}}],
    });
    let question = r#"{"id": "q1", "question": "Who?", "answers": ["He", "She"]}"#;
    for (name, text) in [
        ("galley.json", debate.to_string()),
        ("schema.json", r#"{"$schema": "x"}"#.to_owned()),
        ("set.jsonl", question.to_owned()),
        ("later-judgements.jsonl", r#"{"judge": "x"}"#.to_owned()),
        (".hidden", String::new()),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
    for (kind, count, skipped) in [
        (
            "transcript",
            "1 of 1 debates",
            ["schema.json", "set.jsonl", "later-judgements.jsonl"],
        ),
        (
            "questions",
            "1 of 1 questions",
            ["schema.json", "galley.json", "later-judgements.jsonl"],
        ),
    ] {
        let out = dir.path().join(kind);
        let said = say(
            dir.path(),
            &["import", kind, path(&folder), "--out", path(&out)],
            "",
        );
        assert_eq!(said.code, Some(0), "{said:?}");
        for part in [&[count][..], &skipped].concat() {
            assert!(said.out.contains(part), "{part}: {said:?}");
        }
        assert!(!said.out.contains(".hidden"), "{said:?}");
    }
    // A folder that contains only files of other kinds holds no debate.
    fs::remove_file(folder.join("galley.json")).unwrap();
    let none = ["import", "transcript", path(&folder), "--out", path(&out)];
    let said = say(dir.path(), &none, "");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(
        said.err
            .contains("no debates found: neither this folder nor its subfolders"),
        "{said:?}"
    );
}

#[test]
fn invisible_characters_of_imported_texts_are_dropped_with_a_note() {
    let dir = tempfile::tempdir().unwrap();
    let odd = "the\u{ad} pi\u{200b}lot\tleft\r\nat\u{c}noon\u{200f}";
    let debate = json!({
        "format": 1, "name": "galley", "question": format!("Did {odd}?"), "answers": ["Yes\u{feff}", "No"],
        "source": odd, "debaters": ["m1", "m2"],
        "rounds": [{"speeches": [format!("<quote>{odd}</quote>"), [{"text": odd}]],
            "judgement": {"p_first": 0.2}}],
    });
    let file = dir.path().join("galley.json");
    fs::write(&file, debate.to_string()).unwrap();
    let import = |kind: &str, file: &Path| {
        let out = dir.path().join(kind);
        let said = say(
            dir.path(),
            &["import", kind, path(file), "--out", path(&out), "--json"],
            "",
        );
        assert_eq!(said.code, Some(0), "{said:?}");
        document(&said)
    };
    let report = import("transcript", &file);
    let notes = [
        "13 invisible characters dropped",
        "12 tabs or line ends replaced",
    ];
    assert_eq!(report["normalised"][0]["notes"], json!(notes));
    let save = fs::read_to_string(dir.path().join("transcript/galley.ron")).unwrap();
    assert!(
        save.contains("Quote(\"the pilot left\\nat\\nnoon\")"),
        "{save}"
    );

    let row = json!({"id": "q1", "question": format!("Did {odd}?"), "answers": ["Yes\u{feff}", "No"], "source": odd});
    let set = dir.path().join("set.jsonl");
    fs::write(&set, row.to_string()).unwrap();
    let report = import("questions", &set);
    assert_eq!(
        (&report["imported"], &report["normalised"]),
        (&json!(1), &json!(1))
    );
    let scenario = fs::read_to_string(dir.path().join("questions/q1.ron")).unwrap();
    assert!(
        scenario.contains("the pilot left\\nat\\nnoon"),
        "{scenario}"
    );
    // The set itself can also be debated, but a direction override is refused.
    let said = say(dir.path(), &[path(&set), "--json", "--seed", "1"], "");
    assert_eq!(said.code, Some(0), "{said:?}");
    fs::write(&set, row.to_string().replace("pi", "\u{202e}")).unwrap();
    let said = say(dir.path(), &[path(&set), "--json", "--seed", "1"], "");
    assert!(said.code == Some(2) && said.is_clean(), "{said:?}");
}

/// A statement of a debate tree.
fn statement(id: u64, parent: u64, debater: &str, children: &[Value]) -> Value {
    json!({
        "id": id, "text": format!("Statement <b>{id}</b>."), "debater": debater, "parentId": parent,
        "level": 1, "honest_response": "Yes", "dishonest_response": "No (main objection)",
        "children": children,
    })
}

#[test]
fn a_debate_tree_becomes_a_save_that_can_be_judged_again() {
    let dir = tempfile::tempdir().unwrap();
    let objection = statement(3, 1, "dishonest", &[statement(4, 3, "honest", &[])]);
    let answers = [
        statement(1, 0, "honest", &[objection]),
        statement(2, 0, "dishonest", &[]),
    ];
    let mut root = statement(0, 0, "questioner", &answers);
    root["parentId"] = Value::Null;
    let tree = json!({ "nextId": 5, "root": root, "defs_and_sources": "" });
    let file = dir.path().join("ship.json");
    fs::write(&file, tree.to_string()).unwrap();
    let out = dir.path().join("out");
    let import = ["import", "tree", path(&file), "--out", path(&out)];
    let report = document(&say(dir.path(), &[&import[..], &["--json"]].concat(), ""));
    assert_eq!(
        [&report["imported"], &report["debates"]],
        [1, 1],
        "{report}"
    );
    let save = out.join("ship.ron");
    let said = say(dir.path(), &["verify", path(&save)], "");
    assert_eq!(said.code, Some(0), "{said:?}");
    let judge = ["replay", path(&save), "--as", "judge", "--judge-name", "J"];
    let said = say(dir.path(), &judge, "80\nno\n");
    assert_eq!(said.code, Some(0), "{said:?}");
    let judged = fs::read_to_string(out.join("rejudgements.jsonl")).unwrap();
    assert_eq!(judged.lines().count(), 1, "{said:?}");
    let said = say(dir.path(), &["export", path(&save), "--to", "md"], "");
    assert!(
        said.out.contains("On \\[1\\]") || said.out.contains("On [1]"),
        "{said:?}"
    );
    // A mistake names the node, and the exit code is 2.
    let mut broken = tree;
    broken["root"]["children"][0]["children"][0]["parentId"] = json!(9);
    fs::write(&file, broken.to_string()).unwrap();
    let said = say(dir.path(), &import, "");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("node 3: parentId"), "{said:?}");
}

#[test]
fn a_game_is_exported_and_imported_as_the_same_file() {
    let dir = tempfile::tempdir().unwrap();
    let saves = dir.path().join("saves");
    let play = [
        "match",
        "--scenario",
        "primes-small",
        "--seed",
        "7",
        "--saves",
        path(&saves),
    ];
    document(&say(dir.path(), &[&play[..], &["--json"]].concat(), ""));
    let save = debate_host::record::list_save_files(&saves)
        .unwrap()
        .remove(0);
    let game = dir.path().join("one.game");
    let export = ["export", path(&save), "--to", "game", "--out", path(&game)];
    assert_eq!(say(dir.path(), &export, "").code, Some(0));
    let out = dir.path().join("out");
    let import = ["import", "game", path(&game), "--out", path(&out)];
    let said = say(dir.path(), &import, "");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(
        fs::read(out.join("one.ron")).unwrap(),
        fs::read(&save).unwrap()
    );
    // One clear sentence with the line.
    let text = fs::read_to_string(&game).unwrap();
    fs::write(&game, text.replacen("1. Alice: ", "1. Alice: Alice", 1)).unwrap();
    let said = say(dir.path(), &import, "");
    assert!(
        said.code == Some(2) && said.err.contains("line "),
        "{said:?}"
    );
    assert_eq!(said.err.trim().lines().count(), 1, "{said:?}");
}
