//! `mcp`: the Python package `mcp` plays a debate, with protocol revision 2026-07-28 and with older ones.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::ops::Range;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::program::models::has_modules;
use crate::program::sealed::{Way, debates_alike};
use crate::support::engines::python;
use crate::support::program::{json as document, path, program, say};

#[test]
fn a_client_of_either_revision_plays_a_debate_to_its_end() {
    let Some(python) = python() else { return };
    if !has_modules(&python, "mcp") {
        return;
    }
    for mode in ["legacy", "2026-07-28", "auto"] {
        let folder = tempfile::tempdir().unwrap();
        let run = Command::new(&python)
            .args([
                "tests/engines/mcp_client.py",
                env!("CARGO_BIN_EXE_debate-tui"),
            ])
            .args([path(folder.path()), mode])
            .env("DEBATE_TUI_CONFIG", folder.path().join("config.ron"))
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{mode}: {err}");
        let told: Value = serde_json::from_slice(&run.stdout).unwrap();
        let tools = [
            "list_scenarios",
            "replay",
            "reply",
            "result",
            "start",
            "view",
        ];
        assert_eq!(told["tools"], json!(tools));
        assert!(told["scenarios"].as_u64().unwrap() > 15, "{told}");
        let refused: Vec<&str> = told["refused"]
            .as_array()
            .unwrap()
            .iter()
            .map(|refused| refused["error"].as_str().unwrap_or("done"))
            .collect();
        let reasons = [
            "not over yet",
            "not over yet",
            "no debate has this handle",
            "not legal",
            "not made yet",
            "with a different reply",
        ];
        assert_eq!(refused.len(), reasons.len(), "{refused:?}");
        for (why, expected) in refused.iter().zip(reasons) {
            assert!(why.contains(expected), "{why}: {expected}");
        }
        assert!(told["replies"].as_u64().unwrap() > 5, "{told}");
        assert_eq!(told["states"], json!(["over", "over"]));
        assert!(told["events"].as_u64().unwrap() > 10, "{told}");
        let saves = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let save = saves.filter(|path| path.extension().is_some_and(|it| it == "ron"));
        let save: Vec<_> = save.collect();
        assert_eq!(save.len(), 1);
        let verified = document(&say(
            folder.path(),
            &["verify", path(&save[0]), "--json"],
            "",
        ));
        assert_eq!(
            (&verified["ok"], &verified["finished"]),
            (&json!(true), &json!(true))
        );
        let results = &told["results"];
        assert_eq!(results["prover"]["outcome"]["payoff"], verified["payoff"]);
        let reward = results["prover"]["reward"].as_str().unwrap();
        let other = results["opponent"]["reward"].as_str().unwrap();
        assert_eq!(
            reward.trim_start_matches('-'),
            other.trim_start_matches('-')
        );
    }
}

/// A client that speaks the protocol by hand.
struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    requests: u64,
}

impl Client {
    fn start(saves: &Path, arguments: &[&str]) -> Self {
        let mut child = program(saves)
            .arg("mcp")
            .args(arguments)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut client = Self {
            child,
            input,
            output,
            requests: 0,
        };
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let said = client.ask("initialize", &hello);
        assert_eq!(said["serverInfo"]["name"], "debate-tui", "{said}");
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        writeln!(client.input, "{ready}").unwrap();
        client
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(self.input, "{line}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(said["id"], id, "{said}");
        said["result"].clone()
    }

    /// Calls a tool. Returns its document, or the reason why there is none.
    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        let said = self.ask("tools/call", &params);
        if said["isError"] == true {
            return said["content"][0]["text"].clone();
        }
        said["structuredContent"].clone()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The seats as MCP tools; each tool is called for each seat after every step.
struct Tools {
    client: Client,
    /// The response to the last reply.
    answered: Option<(&'static str, Value)>,
}

impl Way for Tools {
    fn begin(&mut self, new: &Value) -> Value {
        self.client.call("start", new)["debates"].clone()
    }

    fn told(&mut self, handles: &Value) -> Option<(Value, Vec<(&'static str, Value)>)> {
        let mut told: Vec<_> = self.answered.take().into_iter().collect();
        let mut asked = None;
        for seat in ["prover", "opponent", "judge"] {
            let debate = &handles[seat];
            let state = self.client.call("view", &json!({"debate": debate}));
            match state["state"].as_str() {
                Some("over") => return None,
                Some("asked") => asked = Some(state.clone()),
                _ => {}
            }
            told.push((seat, state));
            for tool in ["result", "replay"] {
                told.push((seat, self.client.call(tool, &json!({"debate": debate}))));
            }
            for id in [0, 99] {
                let reply = json!({"debate": debate, "id": id, "reply": {"select": 99}});
                told.push((seat, self.client.call("reply", &reply)));
            }
        }
        told.push(("judge", self.client.call("list_scenarios", &json!({}))));
        Some((asked?, told))
    }

    fn reply(&mut self, handles: &Value, act: &Value, reply: &Value) -> bool {
        let seats = ["prover", "opponent", "judge"].into_iter();
        let seat = seats
            .clone()
            .find(|seat| act["view"]["seat"] == *seat)
            .unwrap();
        let line = json!({"debate": handles[seat], "id": act["id"], "reply": reply});
        let state = self.client.call("reply", &line);
        let legal = state["state"].is_string();
        self.answered = Some((seat, state)).filter(|_| legal);
        legal
    }
}

#[test]
fn no_tool_reveals_sealed_replies() {
    no_tool_tells(0..1);
}

#[test]
#[ignore = "exhaustive: 10 s; every day: no_tool_reveals_sealed_replies"]
fn no_tool_reveals_sealed_replies_in_many_debates() {
    no_tool_tells(0..4);
}

/// Plays the debates of these seeds, each twice with different sealed replies, and compares the messages to the other
/// seats.
fn no_tool_tells(seeds: Range<u64>) {
    let folder = tempfile::tempdir().unwrap();
    let client = Client::start(folder.path(), &[]);
    let mut way = Tools {
        client,
        answered: None,
    };
    let debates = usize::try_from(seeds.end - seeds.start).unwrap();
    let compared = debates_alike(&mut way, seeds, 1);
    assert!(compared > debates, "{compared}");
}

#[test]
fn a_model_reads_scenarios_only_in_allowed_folders() {
    let folder = tempfile::tempdir().unwrap();
    let (own, saves) = (folder.path().join("own"), folder.path().join("saves"));
    fs::create_dir(&own).unwrap();
    let text = fs::read_to_string("scenarios/primes-small.ron").unwrap();
    fs::write(own.join("mine.ron"), text).unwrap();
    let secret = folder.path().join("shadow");
    fs::write(&secret, "quartz:$6$sphinx:19000:0:99999:7:::").unwrap();
    let mut client = Client::start(&saves, &["--scenarios", path(&own)]);
    let listed = client.call("list_scenarios", &json!({}));
    let scenarios = listed["scenarios"].as_array().unwrap();
    assert!(
        scenarios.iter().any(|it| it["name"] == "mine.ron"),
        "{listed}"
    );
    let mut start = |scenario: &str| {
        let arguments = json!({"scenario": scenario, "seats": ["judge"]});
        client.call("start", &arguments)
    };
    for scenario in [path(&secret), "../shadow", "/etc/shadow"] {
        let said = start(scenario).to_string();
        assert!(said.contains("--scenarios"), "{said}");
        assert!(!said.contains("quartz") && !said.contains("root"), "{said}");
    }
    assert!(start("mine.ron")["debates"]["judge"].is_string());
}
