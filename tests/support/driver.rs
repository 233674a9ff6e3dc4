//! A program that drives debates: `serve --stdio`, with replies derived from `legal` alone.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};

use debate_host::plan::{ExternalPlayerOptions, SaveStorageOptions};
use debate_host::serve::{AllowedScenarioFolders, JsonLinesServer, ServeOptions, ServerStopError};
use debate_solver::setup::ScenarioLimits;
use serde_json::{Value, json};

use super::program::program;

/// The server, with its input and output lines.
pub struct Driver {
    server: RunningServer,
    input: Option<Box<dyn Write>>,
    output: BufReader<Box<dyn Read>>,
}

enum RunningServer {
    Process(Child),
    Thread(JoinHandle<Result<(), ServerStopError>>),
}

impl Driver {
    pub fn start(saves: &Path, arguments: &[&str]) -> Self {
        let mut command = program(saves);
        command.args(["serve", "--stdio"]).args(arguments);
        Self::of(command)
    }

    /// Starts a command as the server.
    pub fn of(mut command: Command) -> Self {
        let child = command.stdin(Stdio::piped()).spawn();
        let mut child = child.expect("the program starts");
        let input = child.stdin.take().expect("a pipe");
        let output = child.stdout.take().expect("a pipe");
        Self::greeted(RunningServer::Process(child), input, output)
    }

    /// Starts a server on a thread of this process, which keeps no saves.
    pub fn in_process() -> Self {
        let (input, writer) = std::io::pipe().expect("a pipe");
        let (reader, output) = std::io::pipe().expect("a pipe");
        let options = ServeOptions {
            save_options: SaveStorageOptions {
                no_save: true,
                ..SaveStorageOptions::default()
            },
            scenarios: AllowedScenarioFolders::default(),
            limits: ScenarioLimits::default(),
            engines: ExternalPlayerOptions::default(),
        };
        let thread = thread::spawn(move || {
            let server = JsonLinesServer::new(options, Box::new(output));
            server.run(&mut BufReader::new(input))
        });
        Self::greeted(RunningServer::Thread(thread), writer, reader)
    }

    /// Reads the first line of a server.
    fn greeted(
        server: RunningServer,
        input: impl Write + 'static,
        output: impl Read + 'static,
    ) -> Self {
        let mut driver = Self {
            server,
            input: Some(Box::new(input)),
            output: BufReader::new(Box::new(output)),
        };
        assert_eq!(driver.next()["type"], "hello");
        driver
    }

    pub fn send_text(&mut self, line: &str) {
        let input = self.input.as_mut().expect("not ended");
        writeln!(input, "{line}").expect("it reads");
    }

    pub fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    /// Reads the next line; `None` at the end of the output.
    pub fn try_next(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = self.output.read_line(&mut line).expect("UTF-8");
        (read > 0).then(|| serde_json::from_str(&line).expect("JSON"))
    }

    #[track_caller]
    pub fn next(&mut self) -> Value {
        self.try_next().expect("a line")
    }

    #[track_caller]
    pub fn next_of(&mut self, kind: &str) -> Value {
        let said = self.next();
        assert_eq!(said["type"], kind, "{said}");
        said
    }

    /// Begins a debate; returns its handles.
    #[track_caller]
    pub fn begin(&mut self, new: &Value) -> Value {
        let mut new = new.clone();
        new["type"] = json!("new");
        self.send(&new);
        self.next_of("started")["debates"].clone()
    }

    pub fn reply(&mut self, act: &Value, reply: &Value) {
        self.send(&json!({
            "type": "reply", "debate": act["debate"], "id": act["id"], "reply": reply,
        }));
    }

    /// Kills the program with a signal that it cannot catch.
    pub fn kill(self) {
        let RunningServer::Process(mut child) = self.server else {
            panic!("a thread cannot be killed");
        };
        child.kill().expect("it runs");
        child.wait().expect("it ends");
    }

    /// Closes the input, and reads the remaining lines.
    pub fn end(mut self) -> Vec<Value> {
        drop(self.input.take());
        let mut rest = Vec::new();
        while let Some(said) = self.try_next() {
            rest.push(said);
        }
        match self.server {
            RunningServer::Process(mut child) => {
                let status = child.wait().expect("it ends");
                assert_eq!(status.code(), Some(0));
            }
            RunningServer::Thread(thread) => {
                let served = thread.join().expect("it ends");
                served.expect("it has served");
            }
        }
        rest
    }

    /// Plays a debate to its end by replies derived from `legal` and a number. Calls `on_line` with every line. Returns
    /// the last line.
    pub fn play(&mut self, mut number: u64, mut on_line: impl FnMut(&Value)) -> Value {
        let mut act = Value::Null;
        let mut refused = 0;
        loop {
            let said = self.next();
            on_line(&said);
            match said["type"].as_str() {
                Some("act") => {
                    let reply = legal_reply(&said, number);
                    self.reply(&said, &reply);
                    (act, refused) = (said, 0);
                }
                Some("illegal") => {
                    refused += 1;
                    assert!(refused < 1000, "{said} {act}");
                    let reply = legal_reply(&act, number);
                    self.reply(&act, &reply);
                }
                Some("end") => return said,
                _ => panic!("{said}"),
            }
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1)
                >> 1;
        }
    }
}

/// A reply that the schema of an `act` allows.
pub fn legal_reply(act: &Value, number: u64) -> Value {
    let request = &act["request"];
    if let (Some(length), Some(_)) = (
        request["length"].as_u64(),
        act["legal"]["properties"].get("bits"),
    ) {
        // Claimed answers must make the claim consistent with its answer; some number succeeds eventually.
        let prepared = request["prepared"].as_str().map(str::to_owned);
        let bits = prepared.unwrap_or_else(|| {
            let bit = |index: u64| {
                if number >> (index % 60) & 1 == 1 {
                    '1'
                } else {
                    '0'
                }
            };
            (0..length).map(bit).collect()
        });
        return json!({ "bits": bits });
    }
    value_of(&act["legal"], number)
}

/// Generates a value that a schema allows.
fn value_of(schema: &Value, number: u64) -> Value {
    if let Some(values) = schema["enum"].as_array() {
        return values[usize::try_from(number).unwrap_or(0) % values.len()].clone();
    }
    if let Some(kinds) = schema["anyOf"].as_array() {
        return value_of(&kinds[0], number);
    }
    match schema["type"].as_str().expect("a type") {
        "object" => {
            let properties = schema["properties"].as_object().expect("properties");
            let mut value: serde_json::Map<String, Value> = properties
                .iter()
                .map(|(name, schema)| (name.clone(), value_of(schema, number)))
                .collect();
            // A reply must contain only one of the two ways to support a claim.
            if value.contains_key("support") && value.contains_key("compose") {
                value.insert("compose".to_owned(), Value::Null);
            }
            Value::Object(value)
        }
        "boolean" => json!(number.is_multiple_of(2)),
        "number" => json!(f64::from(u32::try_from(number % 11).unwrap_or(0)) / 10.0),
        "integer" => json!(number % 3),
        "string" => json!(format!("Statement {number}")),
        "array" => match schema["items"]["type"].as_str() {
            Some("string") => json!([format!("One {number}"), format!("Two {number}")]),
            _ => json!([]),
        },
        _ => Value::Null,
    }
}
