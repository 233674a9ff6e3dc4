//! The appearance of each export format, written by the real program.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::program::models::has_modules;
use crate::support::engines::python;
use crate::support::program::{json as document, path, program, say};

/// The smallest of the bundled saves.
const SAVE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/saves/primes-recursive-challenger.ron"
);
const ALL: [&str; 6] = ["html", "svg", "md", "json", "csv", "inspect"];

fn export(arguments: &[&str]) -> String {
    let dir = tempfile::tempdir().expect("a folder");
    let said = say(dir.path(), &[&["export"], arguments].concat(), "");
    assert_eq!(said.code, Some(0), "{said:?}");
    said.out
}

/// The page without the style and script that all pages share.
fn without_style_and_script(page: &str) -> String {
    let cut = |page: &str, from: &str, to: &str| {
        let (before, rest) = page.split_once(from).expect(from);
        let (_, after) = rest.split_once(to).expect(to);
        format!("{before}{from}…{to}{after}")
    };
    let page = cut(page, "<style>", "</style>");
    let page = cut(&page, "<script>", "</script>");
    let page = cut(&page, "style-src 'sha256-", "'");
    let page = cut(&page, "script-src 'sha256-", "'");
    page.replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

#[test]
fn a_save_as_a_page() {
    let page = export(&[SAVE, "--to", "html"]);
    insta::assert_snapshot!(without_style_and_script(&page));
    // The page refers to no outside resource. The name of a picture language is not an address.
    for outside in [
        "http:", "https:", "//www", " src=", "url(", "@import", "<link", "<iframe",
    ] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("default-src 'none'"));
    assert_eq!(page.matches("<script").count(), 2);
    assert!(
        !page.contains(" style="),
        "the policy forbids styles on elements"
    );
}

#[test]
fn a_save_as_a_picture() {
    let picture = export(&[SAVE, "--to", "svg", "--size", "40x12", "--event", "3"]);
    insta::assert_snapshot!(picture);
    let name = "http://www.w3.org/2000/svg";
    assert_eq!(
        picture.matches("http").count(),
        picture.matches(name).count()
    );
    // Each theme has its own colours, and ASCII signs are ASCII.
    let light = export(&[SAVE, "--to", "svg", "--theme", "light"]);
    assert!(light.contains("#fbfbfd") && !light.contains("#14171f"));
    let plain = export(&[SAVE, "--to", "svg", "--ascii", "--theme", "monochrome"]);
    assert!(!plain.contains('─') && !plain.contains('“'));
}

#[test]
fn a_save_as_a_text() {
    insta::assert_snapshot!(export(&[SAVE, "--to", "md"]));
}

#[test]
fn a_save_as_data() {
    let text = export(&[SAVE, "--to", "json"]);
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let pretty = serde_json::to_string_pretty(&document).expect("JSON");
    insta::assert_snapshot!(pretty.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
    // Compares the output with the play document, field by field.
    for field in [
        "seed",
        "instance",
        "protocol",
        "parameters",
        "players",
        "outcome",
        "payoff",
        "by_round",
        "ledger",
        "ledger_by_seat",
        "answer",
        "truth",
    ] {
        assert!(!document[field].is_null(), "{field}");
    }
}

#[test]
fn undone_replies_are_counted_and_omitted() {
    let dir = tempfile::tempdir().expect("a folder");
    // The claim has two supports, so the bet is followed by a question, before any coin.
    let arguments = ["pull-request", "--plain", "--role", "prover", "--seed", "7"];
    let said = say(dir.path(), &arguments, "yes\nlow\nu\nhigh\nq\n");
    assert!(said.out.contains("Your last reply is undone."), "{said:?}");
    let saves = fs::read_dir(dir.path()).expect("a folder");
    let saves: Vec<_> = saves.map(|entry| entry.expect("an entry").path()).collect();
    let [save] = &saves[..] else {
        panic!("{saves:?}");
    };
    let save = save.to_str().expect("UTF-8");
    let document: Value = serde_json::from_str(&export(&[save, "--to", "json"])).expect("JSON");
    assert_eq!(document["taken_back"], 1);
    assert_eq!(document["outcome"], "unfinished");
    let bets = document["events"].as_array().expect("events").iter();
    let bets: Vec<_> = bets.filter(|event| event["kind"] == "betted").collect();
    assert!(bets.len() == 1 && bets[0]["bet"] == -1, "{bets:?}");
    // The events are the lines of the replay, in the same order.
    let lines = say(dir.path(), &["replay", "--plain", "--json", save], "").out;
    let lines: Value = serde_json::from_str(&lines).expect("JSON");
    let (lines, events) = (&lines["lines"], &document["events"]);
    let (lines, events) = (
        lines.as_array().expect("lines"),
        events.as_array().expect("events"),
    );
    assert_eq!(lines.len(), events.len());
    for (line, event) in lines.iter().zip(events) {
        assert_eq!(line["n"], event["n"]);
        let (line, event) = (line["text"].as_str(), event["text"].as_str());
        assert!(line.expect("a text").ends_with(event.expect("a text")));
    }
}

#[test]
fn a_save_as_a_table() {
    insta::assert_snapshot!(export(&[SAVE, "--to", "csv"]).replace("\r\n", "\n"));
}

#[test]
fn a_scenario_as_a_graph_and_as_data() {
    insta::assert_snapshot!("graph", export(&["five-parts", "--to", "dot"]));
    let text = export(&["five-parts", "--to", "json"]);
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let pretty = serde_json::to_string_pretty(&document).expect("JSON");
    insta::assert_snapshot!(
        "scenario",
        pretty.replace(env!("CARGO_PKG_VERSION"), "VERSION")
    );
}

#[test]
fn an_inspect_log_has_the_required_shape() {
    let text = export(&[SAVE, "--to", "inspect"]);
    let log: Value = serde_json::from_str(&text).expect("JSON");
    let pretty = serde_json::to_string_pretty(&log).expect("JSON");
    insta::assert_snapshot!(pretty.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
    // Readers parse the head of a log without the remaining file, so its fields have a fixed order.
    assert!(text.starts_with("{\"version\":2,\"status\":\"success\",\"eval\":{"));
    assert_eq!(log["version"], 2);
    assert_eq!(log["status"], "success");
    // The fields that the reader requires.
    for field in ["created", "task", "dataset", "model", "config"] {
        assert!(!log["eval"][field].is_null(), "{field}");
    }
    let sample = &log["samples"][0];
    for field in [
        "id", "epoch", "input", "target", "messages", "output", "scores", "metadata",
    ] {
        assert!(!sample[field].is_null(), "{field}");
    }
    let roles = ["system", "user", "assistant"];
    for message in sample["messages"].as_array().expect("messages") {
        assert!(roles.contains(&message["role"].as_str().expect("a role")));
        assert!(message["content"].is_string());
    }
}

/// The result of the Inspect package on the logs of all saves. The script's own words identify its output.
const READER: &str = "
import sys
import inspect_ai
from inspect_ai.analysis import messages_df, samples_df
from inspect_ai.log import read_eval_log, write_eval_log
for name in sys.argv[1:]:
    log = read_eval_log(name)
    sample = log.samples[0]
    for sample in log.samples:
        models = [event for event in sample.events if event.event == 'model']
        said = [message for message in sample.messages if message.role == 'assistant']
        assert [event.output.message.id for event in models] == [message.id for message in said], name
        assert {event.role for event in models} <= {'prover'}, name
        assert {event.event for event in sample.events} <= {'model', 'info'}, name
        assert len(sample.events) == len(sample.messages) - 2, name
        # The input of each is what was said before it.
        for event in models:
            ids = [message.id for message in sample.messages]
            before = ids[:ids.index(event.output.message.id)]
            assert [message.id for message in event.input] == before, name
    assert set(log.eval.model_roles) == {'prover', 'opponent', 'judge'}, name
    frame = messages_df(name, quiet=True)
    assert {'system', 'user', 'assistant'} == set(frame['role']), name
    assistants = sum(frame['role'] == 'assistant')
    assert assistants == sum(m.role == 'assistant' for s in log.samples for m in s.messages), name
    assert len(samples_df(name, quiet=True)) == len(log.samples), name
    sample = log.samples[0]
    again = name + '.again.json'
    write_eval_log(log, again)
    assert read_eval_log(again).model_dump() == log.model_dump(), name
    head = read_eval_log(name, header_only=True)
    assert (head.version, head.eval.model) == (log.version, log.eval.model), name
    print(log.version, log.status, log.eval.model, len(sample.messages), sample.scores['payoff'].value)
print('inspect_ai', inspect_ai.__version__)
";

/// Inspect's `samples_df` and `inspect view` ignore a log whose file name does not start with a time.
#[test]
fn a_log_in_a_folder_has_a_name_that_inspect_finds() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = |name: &str| dir.path().join(name).to_str().expect("UTF-8").to_owned();
    let said = |name: &str, format: &str| {
        let out = path(name);
        say(
            dir.path(),
            &["export", SAVE, "--to", format, "--out", &out],
            "",
        )
        .err
    };
    assert_eq!(said("", "inspect"), "");
    let entries = fs::read_dir(dir.path()).expect("a folder");
    let names: Vec<_> = entries
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(
        names,
        ["2026-11-21T10-50-35_primes-recursive-challenger.json"]
    );
    assert_eq!(said("2026-11-21T10-49-45_mine.json", "inspect"), "");
    assert!(said("mine.json", "inspect").contains("does not begin with a time"));
    assert_eq!(said("mine.csv", "csv"), "");
}

#[test]
fn inspect_ai_reads_the_logs() {
    let Some(python) = python() else { return };
    if !has_modules(&python, "inspect_ai, pandas, pyarrow") {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let saves = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/saves")).expect("saves");
    let mut saves: Vec<_> = saves.map(|entry| entry.expect("an entry").path()).collect();
    saves.sort();
    let folder = dir.path().to_str().expect("UTF-8");
    for save in &saves {
        let save = save.to_str().expect("UTF-8");
        assert_eq!(export(&[save, "--to", "inspect", "--out", folder]), "");
    }
    export(&[SAVES, "--to", "inspect", "--out", folder]);
    let logs = fs::read_dir(dir.path()).expect("logs");
    let logs: Vec<_> = logs.map(|entry| entry.expect("an entry").path()).collect();
    assert_eq!(logs.len(), saves.len() + 1);
    let out = Command::new(python)
        .arg("-c")
        .arg(READER)
        .args(&logs)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), logs.len() + 1, "{said}");
    assert!(
        lines
            .iter()
            .take(logs.len())
            .all(|line| line.starts_with("2 success debate-tui/"))
    );
}

/// The folder of bundled saves.
const SAVES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/saves");

#[test]
fn a_folder_of_saves_is_one_table_and_one_log() {
    let table = export(&[SAVES, "--to", "csv"]);
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let headers = reader.headers().expect("a header").clone();
    let column = |name: &str| headers.iter().position(|header| header == name);
    let (save, verified) = (
        column("save").expect("saves"),
        column("verified").expect("so"),
    );
    let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().expect("rows");
    let mut names: Vec<&str> = rows.iter().map(|row| &row[save]).collect();
    names.dedup();
    let entries = fs::read_dir(SAVES).expect("saves");
    let mut expected: Vec<_> = entries
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    expected.sort();
    assert!(expected.len() > 2);
    assert_eq!(names, expected);
    assert!(rows.iter().all(|row| &row[verified] == "true"));
    // Several saves give the concatenation of their single exports.
    let one = format!("{SAVES}/primes-estimator.ron");
    let both = export(&[SAVE, &one, "--to", "csv"]);
    let (first, second) = (
        export(&[SAVE, "--to", "csv"]),
        export(&[&one, "--to", "csv"]),
    );
    let (_, second) = second.split_once("\r\n").expect("a header");
    assert_eq!(both, first + second);

    let log: Value = serde_json::from_str(&export(&[SAVES, "--to", "inspect"])).expect("JSON");
    let samples = log["samples"].as_array().expect("samples");
    let ids: Vec<&str> = samples
        .iter()
        .map(|sample| sample["id"].as_str().expect("a name"))
        .collect();
    assert_eq!(ids, expected);
    assert_eq!(log["eval"]["dataset"]["samples"], ids.len());
    assert_eq!(log["results"]["completed_samples"], ids.len());
    let paid = |sample: &Value| {
        sample["scores"]["payoff"]["value"]
            .as_f64()
            .expect("a payoff")
    };
    let count = f64::from(u32::try_from(samples.len()).expect("few"));
    let mean = samples.iter().map(paid).sum::<f64>() / count;
    let told = log["results"]["scores"][0]["metrics"]["mean"]["value"].as_f64();
    assert!((told.expect("a mean") - mean).abs() < 1e-12);
    assert!(log["eval"]["model_roles"]["prover"].is_array());

    let dir = tempfile::tempdir().expect("a folder");
    let empty = dir.path().to_str().expect("UTF-8");
    for (arguments, why) in [
        (
            &[SAVES, "--to", "html"][..],
            "the export format `html` takes only one save; for several saves, use csv or inspect",
        ),
        (
            &[SAVE, "primes", "--to", "json"],
            "export a scenario by itself",
        ),
        (&[empty, "--to", "csv"], "this folder contains no save"),
    ] {
        let said = say(dir.path(), &[&["export"], arguments].concat(), "");
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{said:?}");
        assert!(
            said.err.contains(why) && said.err.lines().count() == 1,
            "{said:?}"
        );
    }
}

#[test]
fn librsvg_finds_the_spaces_of_a_picture() {
    let picture = export(&[SAVE, "--to", "svg"]);
    let document = roxmltree::Document::parse(&picture).expect("SVG");
    let texts = document
        .descendants()
        .filter(|node| node.has_tag_name("text"));
    let mut gaps = 0;
    for text in texts {
        let signs = text.text().expect("a text");
        let places = text.attribute("x").expect("places").split(' ').count();
        // Each sign has a position; a reader that uses only the first position needs every position.
        let wide = text.attribute("textLength").is_some();
        assert!(wide || places == signs.chars().count(), "{signs}");
        assert!(wide || !signs.contains(' '), "{signs}");
        gaps += signs.matches('\u{a0}').count();
        let xs = text.attribute("x").expect("places").split(' ');
        let xs: Vec<f64> = xs.map(|x| x.parse().expect("a number")).collect();
        let even = xs
            .windows(2)
            .all(|pair| (pair[1] - pair[0] - 8.4).abs() < 0.11);
        assert!(even, "{signs}: {xs:?}");
    }
    assert!(gaps > 50, "{gaps}");
}

#[test]
fn a_wide_graph_is_drawn_from_left_to_right() {
    assert!(export(&["five-parts", "--to", "dot"]).contains("rankdir=TB"));
    assert!(export(&["primes", "--to", "dot"]).contains("rankdir=LR"));
}

#[test]
fn graphviz_draws_the_graphs() {
    let graph = export(&["five-parts", "--to", "dot"]);
    let child = Command::new("dot")
        .arg("-Tsvg")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        println!("skipped: there is no Graphviz on the PATH.");
        return;
    };
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(graph.as_bytes()).expect("read");
    drop(input);
    let out = child.wait_with_output().expect("an end");
    let (picture, why) = (
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr),
    );
    assert!(out.status.success() && why.is_empty(), "{why}");
    assert_eq!(picture.matches("class=\"node\"").count(), 7);
}

#[test]
fn saves_and_scenarios_are_recognised_by_content() {
    let dir = tempfile::tempdir().expect("a folder");
    let renamed = dir.path().join("primes.txt");
    fs::copy(SAVE, &renamed).expect("a copy");
    let renamed = renamed.to_str().expect("UTF-8");
    assert_eq!(
        export(&[renamed, "--to", "md"]),
        export(&[SAVE, "--to", "md"])
    );
    for (arguments, why) in [
        (
            [SAVE, "--to", "dot"],
            "`dot` is not an export format for a save; use html, md, json, game, csv, inspect or svg",
        ),
        (
            ["primes", "--to", "html"],
            "`html` is not an export format for a scenario; use json, dot or efg",
        ),
        (["nowhere.ron", "--to", "html"], "nowhere.ron"),
    ] {
        let said = say(dir.path(), &[&["export"][..], &arguments].concat(), "");
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{said:?}");
        assert!(
            said.err.contains(why) && said.err.lines().count() == 1,
            "{said:?}"
        );
    }
}

#[test]
fn exports_neither_overwrite_nor_leave_partial_files() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("page.html");
    let name = out.to_str().expect("UTF-8");
    for format in ALL {
        let arguments = ["export", SAVE, "--to", format, "--out", name];
        let said = say(dir.path(), &arguments, "");
        assert_eq!((said.code, said.out.as_str()), (Some(0), ""), "{said:?}");
        assert_eq!(
            fs::read_to_string(&out).expect("a file"),
            export(&[SAVE, "--to", format])
        );
        let again = say(dir.path(), &arguments, "");
        assert_eq!(again.code, Some(2));
        assert!(again.err.contains("page.html"), "{again:?}");
        fs::remove_file(&out).expect("a file");
    }
    // A refused export writes no file, nor does an export into a missing folder.
    let said = say(
        dir.path(),
        &[
            "export", SAVE, "--to", "svg", "--event", "999", "--out", name,
        ],
        "",
    );
    assert_eq!(said.code, Some(2));
    let nowhere = dir.path().join("none/page.html");
    let nowhere = nowhere.to_str().expect("UTF-8");
    let said = say(
        dir.path(),
        &["export", SAVE, "--to", "md", "--out", nowhere],
        "",
    );
    assert_eq!(said.code, Some(2), "{said:?}");
    assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 0);
}

#[cfg(unix)]
#[test]
fn a_file_has_the_rights_of_new_files_and_a_link_is_not_followed() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().expect("a folder");
    let (out, like) = (dir.path().join("a.md"), dir.path().join("b.md"));
    fs::write(&like, "").expect("a file");
    export(&[SAVE, "--to", "md", "--out", out.to_str().expect("UTF-8")]);
    let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode();
    assert_eq!(mode(&out), mode(&like));
    let link = dir.path().join("link.md");
    std::os::unix::fs::symlink(dir.path().join("target"), &link).expect("a link");
    let arguments = [
        "export",
        SAVE,
        "--to",
        "md",
        "--out",
        link.to_str().expect("UTF-8"),
    ];
    assert_eq!(say(dir.path(), &arguments, "").code, Some(2));
    assert!(!dir.path().join("target").exists());
}

#[test]
fn a_closed_pipe_causes_no_message() {
    let dir = tempfile::tempdir().expect("a folder");
    for format in ALL {
        // The reader is closed before the program starts, so the program cannot write first.
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let out = program(dir.path())
            .args(["export", SAVE, "--to", format])
            .stdout(writer)
            .output()
            .expect("the program runs");
        let err = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{format}: {err}");
        assert_eq!(err, "", "{format}");
    }
}

#[test]
fn export_help_lists_formats_and_flags() {
    let dir = tempfile::tempdir().expect("a folder");
    let said = say(dir.path(), &["export", "--help"], "");
    for word in [
        "html", "svg", "md", "json", "csv", "inspect", "dot", "efg", "--event", "Graphviz",
    ] {
        assert!(said.out.contains(word), "{word}");
    }
}

/// Vega-Lite documents have the same figures as `--json`.
#[test]
fn figures_are_drawn_as_vega_lite() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("picture.json");
    let drawn = |arguments: &str| {
        let all = format!("{arguments} --json --replace --vega {}", path(&picture));
        let all: Vec<&str> = all.split(' ').collect();
        let document = document(&say(folder.path(), &all, ""));
        let text = fs::read_to_string(&picture).unwrap();
        let picture: Value = serde_json::from_str(&text).unwrap();
        assert!(
            picture["$schema"]
                .as_str()
                .unwrap()
                .ends_with("vega-lite/v5.json")
        );
        (document, picture)
    };
    let (simulated, picture) =
        drawn("simulate primes-small -n 200 --seed 7 --versus opponent=random");
    let [means, rounds] = [0, 1].map(|place| &picture["vconcat"][place]["data"]["values"]);
    assert_eq!(means[0]["mean"], simulated["mean"]);
    assert_eq!(means[1]["low"], simulated["versus"]["ci95"][0]);
    assert_eq!(rounds[1]["mean"], simulated["by_round"][1]["mean"]);
    let (solved, picture) = drawn("solve primes-small --sweep epsilon=0.1..0.4:3 --exact");
    let points = picture["data"]["values"].as_array().unwrap();
    assert_eq!(points.len(), 3);
    assert_eq!(points[2]["epsilon"], 0.4);
    assert!(points[2]["value"].is_f64() && solved["points"][2]["value"].is_string());
    let (named, picture) =
        drawn("equilibrium primes-small --prover honest --prover liar --opponent bayes");
    assert_eq!(
        picture["data"]["values"][1]["payoff"],
        named["payoff"][1][0]
    );
    for wrong in [
        "solve primes-small --vega x.json",
        "equilibrium primes-small --all --vega x.json",
    ] {
        let said = say(folder.path(), &wrong.split(' ').collect::<Vec<_>>(), "");
        assert_eq!(said.code, Some(2), "{said:?}");
    }
}

/// Judgements of three conditions: one has a long name and a single judge.
const FEW_JUDGEMENTS: &str = "\
setting,debate,judge,story,p_correct,continues,reward,correct_answer_index
obfuscator against calibrated under prover-estimator debate with sealed bets,a,J1,s1,0.79,0,-0.3,0
obfuscator against calibrated under prover-estimator debate with sealed bets,b,J1,s2,0.8,0,-0.3,0
several,c,J1,s3,0.602,0,-0.0004,0
several,d,J2,s4,0.601,0,-0.0004,0
several,e,J3,s5,0.5,0,-0.0004,0
several,f,J4,s6,0.601,0,-0.0004,1
several,g,J5,s7,0.4,0,0.0001,1
several,h,J6,s8,0.601,0,0.0001,0
";

/// Both charts of judgements show full names and the line of perfect calibration. A note replaces an interval that
/// cannot be computed.
#[test]
fn charts_of_judgements_show_full_names_and_mark_missing_intervals() {
    let folder = tempfile::tempdir().unwrap();
    let [table, svg, vega] =
        ["few.csv", "chart.svg", "chart.json"].map(|name| folder.path().join(name));
    fs::write(&table, FEW_JUDGEMENTS).unwrap();
    let [table, svg_path, vega_path] = [&table, &svg, &vega].map(|it| path(it));
    let flags = ["report", table, "--chart", svg_path, "--vega", vega_path];
    let report = say(folder.path(), &flags, "");
    assert_eq!(report.code, Some(0), "{report:?}");
    assert_eq!(report.out.matches("too few judges").count(), 1);
    // Rounds to 0, so it has no sign.
    assert!(report.out.contains("within bins 0.000"), "{}", report.out);
    assert!(!report.out.contains("-0.000"), "{}", report.out);

    let long = "obfuscator against calibrated under prover-estimator debate with sealed bets";
    let drawn = fs::read_to_string(&svg).unwrap();
    assert_eq!(drawn.matches(long).count(), 2, "{drawn}");
    assert_eq!(drawn.matches("too few judges").count(), 1, "{drawn}");
    let page = roxmltree::Document::parse(&drawn).unwrap();
    let mut lines = page.descendants().filter(|it| it.has_tag_name("line"));
    let diagonals = lines.by_ref().filter(|line| {
        let end = |name: &str| line.attribute(name).unwrap();
        end("x1") != end("x2") && end("y1") != end("y2")
    });
    assert_eq!(diagonals.count(), 2);

    let drawn: Value = serde_json::from_str(&fs::read_to_string(&vega).unwrap()).unwrap();
    let [accuracies, calibration] = [0, 1].map(|place| &drawn["vconcat"][place]);
    assert_eq!(accuracies["data"]["values"][0]["low"], Value::Null);
    let note = &accuracies["layer"][1];
    assert_eq!(note["mark"]["text"], "too few judges");
    assert_eq!(note["transform"][0]["filter"], "datum.low === null");
    assert_eq!(accuracies["encoding"]["y"]["axis"]["labelLimit"], 0);
    assert_eq!(calibration["facet"]["row"]["header"]["labelLimit"], 0);
    let diagonal = &calibration["spec"]["layer"][0];
    for end in diagonal["data"]["values"].as_array().unwrap() {
        assert_eq!(end["held"], end["right"]);
    }
}
