//! Pages that wait for others while the server, or a proxy in front of it, does not answer.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{Client, Pilot, serve};
use crate::support::studies::STUDY;

const SCRIPT: &str = include_str!("../../../src/web/study/study.js");
const RUNNER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/program/study_pages/poll.mjs"
);

/// The behaviour of a page that waits in the state `one` and gets these responses; `None` without Node.
fn polled(responses: &[Value]) -> Option<Value> {
    let mut node = Command::new("node")
        .arg(RUNNER)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .inspect_err(|_| eprintln!("skipped: there is no node"))
        .ok()?;
    let input = json!({"script": SCRIPT, "state": "one", "responses": responses});
    let mut to = node.stdin.take().expect("a pipe");
    to.write_all(input.to_string().as_bytes()).expect("a pipe");
    drop(to);
    let output = node.wait_with_output().expect("an end");
    assert!(output.status.success());
    Some(serde_json::from_slice(&output.stdout).expect("JSON"))
}

/// A page of the study in a state.
fn page(state: &str) -> Value {
    let body = format!("<html><body data-study data-poll=\"4\" data-state=\"{state}\">");
    json!({"status": 200, "body": body})
}

#[test]
fn a_page_that_waits_asks_again_after_each_failure_until_the_study_answers() {
    let failures = [
        json!({"status": 502, "body": "<html><body>502 Bad Gateway</body></html>"}),
        Value::Null,
        json!({"status": 503, "body": "<html><body data-study>Not now"}),
        json!({"status": 403, "body": "<html><body data-study>Not now"}),
        // A proxy's page with status 200 is not a page of the study.
        json!({"status": 200, "body": "<html><body>Down for maintenance</body></html>"}),
    ];
    let responses = [&[page("one")], &failures[..], &[page("one"), page("two")]].concat();
    let Some(seen) = polled(&responses) else {
        return;
    };
    // The first two pauses are those of a page that waits; then each failure doubles the pause, up to a limit.
    assert_eq!(
        seen["pauses"],
        json!([4, 4, 8, 16, 30, 30, 30, 4]),
        "{seen}"
    );
    assert_eq!(
        seen["reconnecting"],
        json!([false, true, true, true, true, true, false]),
        "{seen}"
    );
    assert_eq!(seen["loaded"], true);
}

#[test]
fn a_page_that_waits_is_loaded_again_when_the_study_asks_for_something() {
    let asks = json!({"status": 200, "body": "<html><body data-study><form>"});
    for responses in [vec![asks.clone()], vec![Value::Null, asks]] {
        let Some(seen) = polled(&responses) else {
            return;
        };
        assert_eq!(seen["loaded"], true, "{seen}");
    }
}

/// A browser without a script comes back, too.
#[test]
fn a_refusal_says_when_to_come_back_and_a_browser_does_so_without_a_script() {
    let pilot = Pilot::new(STUDY, 2);
    let server = serve(&pilot.folder, &["--visitors", "1"]);
    let mut first = Client::new(&server.address);
    first.come(&pilot.links[0]);
    let refused = Client::new(&server.address).come(&pilot.links[1]);
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert_eq!(refused.header("retry-after"), Some("10"));
    assert_eq!(refused.header("refresh"), Some("10"));
}
