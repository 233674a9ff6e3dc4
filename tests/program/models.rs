//! Language models in the seats: the engine of the guide against a server with the format of providers, and the Inspect
//! task with a mock model. A test that needs a missing Python package is skipped and prints that. The Python is
//! `DEBATE_TUI_PYTHON`, or `python3`.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::engines::{command, python};
use crate::support::program::{Said, json as document, path, program, say};

/// A server that replaces a provider; it ends when this is dropped.
struct Endpoint {
    child: Child,
    port: String,
}

impl Endpoint {
    fn start() -> Option<Self> {
        let command = command("endpoint.py", "")?;
        let mut child = Command::new("sh")
            .args(["-c", &format!("exec {command}")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut port).unwrap();
        let port = port.trim().to_owned();
        Some(Self { child, port })
    }

    /// Runs the program with a model in a seat.
    fn play(&self, folder: &Path, scenario: &str, seat: &str, model: &str) -> Said {
        let engine = command("model.py", &format!("{model} 0.5 2")).unwrap();
        let said = program(folder)
            .env(
                "OPENAI_BASE_URL",
                format!("http://127.0.0.1:{}/v1", self.port),
            )
            .env("OPENAI_API_KEY", "key")
            .env("NO_PROXY", "127.0.0.1")
            .args([scenario, "--role", "none", "--seed", "7", "--json"])
            .args([&format!("--{seat}"), &format!("engine:{engine}")])
            .output()
            .unwrap();
        Said::from(said)
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// The path and the text of the only save of a folder.
fn save(folder: &Path) -> (PathBuf, String) {
    let mut saves = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let save = saves.find(|path| path.extension().is_some_and(|it| it == "ron"));
    let save = save.expect("a save");
    let text = fs::read_to_string(&save).unwrap();
    (save, text)
}

#[test]
fn a_model_behind_an_endpoint_plays_and_its_costs_are_saved() {
    costs_are_saved(&["primes-small"], &["opponent"]);
    costs_are_saved(&["lighthouse"], &["judge"]);
}

#[test]
#[ignore = "exhaustive: 4 s; every day: a_model_behind_an_endpoint_plays_and_its_costs_are_saved"]
fn a_model_behind_an_endpoint_plays_in_every_seat() {
    costs_are_saved(
        &["primes-small", "lighthouse"],
        &["prover", "opponent", "judge"],
    );
}

/// Puts a model in each of these seats of each of these scenarios, and checks that its costs are saved.
fn costs_are_saved(scenarios: &[&str], seats: &[&str]) {
    let Some(endpoint) = Endpoint::start() else {
        return;
    };
    for scenario in scenarios {
        for seat in seats {
            let folder = tempfile::tempdir().unwrap();
            let said = endpoint.play(folder.path(), scenario, seat, "overloaded");
            assert_eq!(document(&said)["outcome"], "finished", "{scenario} {seat}");
            let (save, text) = save(folder.path());
            // The server was too busy at first.
            assert!(
                text.contains("fault: \"transient\", why: \"HTTP 429: slow down\""),
                "{text}"
            );
            assert!(
                text.contains(
                    "model: \"overloaded\", snapshot: \"overloaded-2026-01\", temperature: \"0\""
                ),
                "{text}"
            );
            assert!(text.contains("engine: \"overloaded 1.0\""), "{text}");
            let (_, end) = text.split_once("], end: ").unwrap();
            assert!(end.contains(&format!("costs: ({seat}: (calls: ")), "{end}");
            let verified = document(&say(folder.path(), &["verify", path(&save), "--json"], ""));
            assert_eq!(verified["ok"], true, "{verified}");
            // The log for Inspect has a model event for each reply, with its usage.
            let log = document(&say(
                folder.path(),
                &["export", path(&save), "--to", "inspect"],
                "",
            ));
            let events = log["samples"][0]["events"].as_array().unwrap();
            let used = events.iter().filter(|event| {
                event["role"] == *seat && event["output"]["usage"]["output_tokens"] == 5
            });
            let replies = text.matches(", cost: (calls: 1").count();
            assert_eq!(used.count(), replies, "{scenario} {seat}");
            let usage = &log["stats"]["model_usage"]["overloaded-2026-01"];
            assert_eq!(usage["output_tokens"], 5 * replies, "{usage}");
        }
    }
}

#[test]
fn a_refusal_of_a_model_has_a_separate_fault() {
    let Some(endpoint) = Endpoint::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let said = endpoint.play(folder.path(), "primes-small", "opponent", "refuses");
    assert_eq!(said.code, Some(3), "{said:?}");
    let (_, text) = save(folder.path());
    let end = "end: Forfeit(seat: Opponent, fault: \"model_refusal\")";
    assert!(text.contains(end), "{text}");
    assert!(text.contains("I cannot help with that."), "{text}");
    // The refused reply was paid.
    assert!(text.contains("costs: (opponent: (calls: 1, "), "{text}");
}

#[test]
fn a_reply_in_a_code_block_or_inside_text_is_found() {
    let Some(endpoint) = Endpoint::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let said = endpoint.play(folder.path(), "primes-small", "opponent", "fenced");
    assert_eq!(document(&said)["outcome"], "finished", "{said:?}");
    let (_, text) = save(folder.path());
    assert!(!text.contains("fault: "), "{text}");
    // A model that writes no JSON is asked again. If it never writes any, it loses.
    let folder = tempfile::tempdir().unwrap();
    let said = endpoint.play(folder.path(), "primes-small", "opponent", "learns");
    assert_eq!(document(&said)["outcome"], "finished", "{said:?}");
    let (_, text) = save(folder.path());
    assert!(text.contains("fault: \"illegal\""), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let said = endpoint.play(folder.path(), "primes-small", "opponent", "wordy");
    assert_eq!(said.code, Some(3), "{said:?}");
    let (_, text) = save(folder.path());
    let end = "end: Forfeit(seat: Opponent, fault: \"illegal\")";
    assert!(text.contains(end), "{text}");
}

/// A provider's fault is reported at once, in the provider's words, and no player loses by it.
#[test]
fn a_provider_fault_is_retried() {
    let Some(endpoint) = Endpoint::start() else {
        return;
    };
    let gone = "The upstream is gone.";
    for (fault, kind, why) in [
        ("no_choices", "transient", "{\\\"choices\\\": []}"),
        ("no_message", "transient", "no answer of the model: "),
        ("odd_choices", "transient", "no answer of the model: "),
        ("no_object", "transient", "no answer of the model: []"),
        ("error_in_answer", "transient", gone),
        ("error_as_text", "transient", gone),
        ("no_credit", "infrastructure", gone),
        ("page", "transient", "no JSON: The upstream is gone ."),
        ("nothing", "transient", "no JSON: an empty answer"),
        ("dated", "transient", "HTTP 429: The upstream is gone."),
        ("odd_date", "transient", "HTTP 503: The upstream is gone."),
        ("cut", "transient", "no JSON: {\\\"choices"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let model = format!("fault-{fault}");
        let said = endpoint.play(folder.path(), "primes-small", "opponent", &model);
        assert_eq!(document(&said)["outcome"], "finished", "{fault}: {said:?}");
        let (_, text) = save(folder.path());
        let noted = text.lines().find(|line| line.contains("fault: "));
        let noted = noted.unwrap_or_else(|| panic!("{fault}: {text}"));
        let kind = format!("fault: \"{kind}\", why: ");
        assert!(noted.contains(&kind) && noted.contains(why), "{noted}");
    }
}

#[test]
fn a_reply_in_parts_or_before_other_objects_is_found() {
    let Some(endpoint) = Endpoint::start() else {
        return;
    };
    for model in ["listed", "empties"] {
        let folder = tempfile::tempdir().unwrap();
        let said = endpoint.play(folder.path(), "primes-small", "opponent", model);
        assert_eq!(document(&said)["outcome"], "finished", "{said:?}");
        let (_, text) = save(folder.path());
        assert!(!text.contains("fault: "), "{text}");
    }
}

/// Providers count reasoning within the answer, separately within the total, or separately from both.
#[test]
fn reasoning_tokens_are_billed_for_every_provider() {
    let Some(endpoint) = Endpoint::start() else {
        return;
    };
    for model in ["within", "aside", "beside"] {
        let folder = tempfile::tempdir().unwrap();
        endpoint.play(folder.path(), "primes-small", "opponent", model);
        let (_, text) = save(folder.path());
        let replies = text.matches(", cost: (calls: 1").count();
        assert!(replies > 0, "{text}");
        let paid = text.matches("tokens_out: 505, ").count();
        // The last line has the sum of the costs.
        assert_eq!(paid, replies + usize::from(replies == 1), "{model}: {text}");
    }
}

/// True if Python has these modules; prints a message if it does not.
pub(crate) fn has_modules(python: &str, modules: &str) -> bool {
    let mut import = Command::new(python);
    let found = import.args(["-c", &format!("import {modules}")]).output();
    let found = found.is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: {python} has not all of {modules}");
    }
    found
}

#[test]
fn the_task_of_the_guide_runs_in_inspect() {
    let Some(python) = python() else { return };
    if !has_modules(&python, "inspect_ai, pandas, pyarrow") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut runs = vec![
        ("opponent", "serve", 3, "plain"),
        ("judge", "serve", 1, "plain"),
        ("opponent", "serve", 3, "fenced"),
        ("opponent", "serve", 6, "learns"),
        ("opponent", "serve", 2, "wordy"),
    ];
    if cfg!(feature = "mcp") && has_modules(&python, "mcp") {
        runs.push(("opponent", "mcp", 6, "plain"));
    }
    for (seat, way, asked, style) in runs {
        let logs = folder.path().join(format!("{seat}-{way}-{style}"));
        let run = Command::new(&python)
            .args([
                "tests/engines/inspect_run.py",
                path(&logs),
                seat,
                way,
                style,
            ])
            .env("DEBATE_TUI", env!("CARGO_BIN_EXE_debate-tui"))
            .env("PYTHONPATH", "src/python")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("DEBATE_TUI_SAVES", folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8(run.stdout).unwrap();
        let err = String::from_utf8_lossy(&run.stderr);
        let told: Value = serde_json::from_str(said.lines().last().unwrap_or_default())
            .unwrap_or_else(|error| panic!("{error}: {said} {err}"));
        assert_eq!(told["status"], "success", "{told}");
        assert_eq!(
            (&told["samples"], &told["samples_df"]),
            (&3.into(), &3.into())
        );
        assert!(told["models"].as_u64().unwrap() >= 3 * asked, "{told}");
        // One question and one answer per request.
        assert!(told["messages_df"].as_u64().unwrap() >= 6 * asked, "{told}");
        let first = &told["explanations"][0];
        let gave_up = first.as_str().is_some_and(|it| it.contains(" gave up ("));
        assert_eq!(gave_up, style == "wordy", "{told}");
        assert!(told["usage"].as_u64().unwrap() > 0, "{told}");
        assert!(told["scores"][0]["reward"].is_number(), "{told}");
    }
}
