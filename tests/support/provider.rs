//! A server on this machine in the place of a provider of language models. The name of the model decides how it
//! answers.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use serde_json::{Value, json};

/// The words of a fault.
pub const GONE: &str = "The upstream is gone.";

/// A running server. Its thread ends with the test's process.
pub struct Provider {
    pub port: u16,
    state: Arc<State>,
}

/// The requests to a server.
#[derive(Default)]
struct State {
    /// Their bodies, by model.
    requests: Mutex<BTreeMap<String, Vec<Value>>>,
    /// Their first lines and headers, in lower case.
    heads: Mutex<Vec<String>>,
    /// The number of requests that are answered; later ones wait. `None` is no limit.
    limit: Mutex<Option<usize>>,
    changed: Condvar,
}

impl Provider {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::<State>::default();
        let kept = Arc::clone(&state);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let state = Arc::clone(&kept);
                // The client may close a connection before its answer is written.
                thread::spawn(move || drop(serve(connection, &state)));
            }
        });
        Self { port, state }
    }

    /// Returns the name of a player.
    pub fn player(&self, model: &str) -> String {
        format!("model:{model}@http://127.0.0.1:{}/v1", self.port)
    }

    /// Returns the bodies of the requests to a model.
    pub fn requests(&self, model: &str) -> Vec<Value> {
        let requests = self.state.requests.lock().unwrap();
        requests.get(model).cloned().unwrap_or_default()
    }

    /// Returns the first lines and headers of all requests, in lower case.
    pub fn heads(&self) -> Vec<String> {
        self.state.heads.lock().unwrap().clone()
    }

    /// Answers this number of requests in all, and lets later ones wait.
    pub fn hold_after(&self, requests: usize) {
        *self.state.limit.lock().unwrap() = Some(requests);
        self.state.changed.notify_all();
    }
}

/// Reads a request and writes the answer.
fn serve(connection: TcpStream, state: &State) -> std::io::Result<()> {
    let mut reader = BufReader::new(connection.try_clone()?);
    let (mut length, mut is_authorized) = (0, false);
    let mut head = String::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim().to_lowercase();
        if line.is_empty() {
            break;
        }
        head = head + &line + "\n";
        if let Some(bytes) = line.strip_prefix("content-length:") {
            length = bytes.trim().parse().unwrap();
        }
        is_authorized |= line == "authorization: bearer s3cret" || line == "x-api-key: s3cret";
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let body: Value = serde_json::from_slice(&body).unwrap();
    let model = body["model"].as_str().unwrap().to_owned();
    let number = {
        let mut requests = state.requests.lock().unwrap();
        let of_model = requests.entry(model.clone()).or_default();
        of_model.push(body.clone());
        of_model.len()
    };
    let is_anthropic = head.starts_with("post /v1/messages ");
    let place = {
        let mut heads = state.heads.lock().unwrap();
        heads.push(head);
        heads.len()
    };
    let limit = state.limit.lock().unwrap();
    let is_held = |limit: &mut Option<usize>| limit.is_some_and(|limit| place > limit);
    drop(state.changed.wait_while(limit, is_held).unwrap());
    if is_anthropic {
        return answer_as_anthropic(connection, &model, &body, number);
    }
    answer(connection, &model, &body, number, is_authorized)
}

/// Answers the request with this number, from 1, to a model.
fn answer(
    mut to: TcpStream,
    model: &str,
    body: &Value,
    number: usize,
    is_authorized: bool,
) -> std::io::Result<()> {
    let refuses = |part: &str| body.get(part).is_some();
    let gone = format!("{{\"error\": {{\"message\": \"{GONE}\"}}}}");
    let page = format!("<html><style>p {{}}</style><p>{GONE}</p></html>");
    match model {
        "unauthorized" => {
            return write(
                &mut to,
                401,
                "",
                "{\"error\": {\"message\": \"bad key s3cret\"}}",
            );
        }
        "keyed" if !is_authorized => return write(&mut to, 401, "", &gone),
        "no-schema" if refuses("response_format") => {
            return write(
                &mut to,
                400,
                "",
                "{\"error\": \"response_format is unknown\"}",
            );
        }
        "no-temperature" if refuses("temperature") => {
            return write(
                &mut to,
                400,
                "",
                "{\"error\": \"temperature is fixed at 1\"}",
            );
        }
        "no-stream" if refuses("stream") => {
            return write(
                &mut to,
                400,
                "",
                "{\"error\": \"unknown field stream_options\"}",
            );
        }
        "nothing-else" => return write(&mut to, 400, "", "{\"error\": \"too long\"}"),
        "moved" => return write(&mut to, 302, "Location: http://127.0.0.1:1/v1\r\n", ""),
        _ => {}
    }
    if number == 1 {
        match model {
            "busy-seconds" => return write(&mut to, 429, "Retry-After: 0.01\r\n", &gone),
            "busy-date" => {
                let date = "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n";
                return write(&mut to, 429, date, &gone);
            }
            "broken" => return write(&mut to, 500, "Retry-After: 0\r\n", &page),
            "page" => return write(&mut to, 200, "Retry-After: 0\r\n", &page),
            "no-choices" => return write(&mut to, 200, "Retry-After: 0\r\n", "{\"choices\": []}"),
            "error" => return write(&mut to, 200, "Retry-After: 0\r\n", &gone),
            "huge" => {
                let long = "x".repeat((16 << 20) + 10);
                return write(&mut to, 200, "Retry-After: 0\r\n", &long);
            }
            "cut" => {
                let part = r#"{"choices": [{"delta": {"content": "{\"prob"}}]}"#;
                let stream = "Retry-After: 0\r\nContent-Type: text/event-stream\r\n";
                return write(&mut to, 200, stream, &format!("data: {part}\n\n"));
            }
            "endless" => {
                let head = "HTTP/1.1 200 OK\r\nRetry-After: 0\r\nConnection: close\r\n\r\n";
                to.write_all(head.as_bytes())?;
                let part = r#"data: {"choices": [{"delta": {"content": "and "}}]}"#;
                // It ends when the client closes the connection.
                loop {
                    to.write_all(format!("{part}\n\n").as_bytes())?;
                    thread::yield_now();
                }
            }
            _ => {}
        }
    }
    let refusal = (model == "refuses").then_some("I cannot help with that.");
    let words = words(model, body);
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 5,
        "completion_tokens_details": {"reasoning_tokens": 500}});
    let snapshot = format!("{model}-2026-01");
    if body.get("stream").is_none() || model == "whole" {
        let message = json!({"role": "assistant", "content": words, "refusal": refusal});
        let whole = json!({"model": snapshot, "choices": [{"message": message}], "usage": usage});
        return write(&mut to, 200, "", &whole.to_string());
    }
    let mut events = String::new();
    // Characters are parts, so that each boundary of the reply is one between parts.
    for part in words.chars() {
        let delta = json!({"content": part.to_string()});
        events += &event(&json!({"model": snapshot, "choices": [{"delta": delta}]}));
    }
    events +=
        &event(&json!({"choices": [{"delta": {"refusal": refusal}, "finish_reason": "stop"}]}));
    events += &event(&json!({"choices": [], "usage": usage}));
    write(
        &mut to,
        200,
        "Content-Type: text/event-stream\r\n",
        &format!("{events}data: [DONE]\n\n"),
    )
}

/// Answers a request to Anthropic's messages.
fn answer_as_anthropic(
    mut to: TcpStream,
    model: &str,
    body: &Value,
    number: usize,
) -> std::io::Result<()> {
    let error = |kind: &str, message: &str| {
        json!({"type": "error", "error": {"type": kind, "message": message}}).to_string()
    };
    let overloaded = error("overloaded_error", "Overloaded");
    let stream = "Content-Type: text/event-stream\r\n";
    if model == "unauthorized" {
        let why = error("authentication_error", "bad key s3cret");
        return write(&mut to, 401, "", &why);
    }
    if number == 1 {
        match model {
            "overloaded" => return write(&mut to, 529, "Retry-After: 0\r\n", &overloaded),
            "busy-seconds" => {
                let why = error("rate_limit_error", GONE);
                return write(&mut to, 429, "Retry-After: 0.01\r\n", &why);
            }
            "stream-overloaded" => {
                let headers = format!("{stream}Retry-After: 0\r\n");
                let body = format!("event: error\ndata: {overloaded}\n\n");
                return write(&mut to, 200, &headers, &body);
            }
            _ => {}
        }
    }
    let snapshot = format!("{model}-2026-01");
    let words = words(model, body);
    let stop = if model == "refuses" {
        "refusal"
    } else {
        "end_turn"
    };
    let usage = json!({"input_tokens": 60, "cache_read_input_tokens": 40, "output_tokens": 505});
    if body.get("stream").is_none() || model == "whole" {
        let content =
            json!([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": words}]);
        let whole = json!({"type": "message", "role": "assistant", "model": snapshot,
            "content": content, "stop_reason": stop, "usage": usage});
        return write(&mut to, 200, "", &whole.to_string());
    }
    let mut events = vec![
        json!({"type": "message_start", "message": {"type": "message", "role": "assistant",
            "content": [], "model": snapshot, "stop_reason": null,
            "usage": {"input_tokens": 60, "cache_read_input_tokens": 40, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "ping"}),
        json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "thinking_delta", "thinking": "hm"}}),
    ];
    for part in words.chars() {
        let delta = json!({"type": "text_delta", "text": part.to_string()});
        events.push(json!({"type": "content_block_delta", "index": 0, "delta": delta}));
    }
    events.push(json!({"type": "content_block_stop", "index": 0}));
    events.push(
        json!({"type": "message_delta", "delta": {"stop_reason": stop},
        "usage": {"output_tokens": 505}}),
    );
    events.push(json!({"type": "message_stop"}));
    let mut text = String::new();
    for event in events {
        let kind = event["type"].as_str().unwrap_or_default();
        text = text + "event: " + kind + "\ndata: " + &event.to_string() + "\n\n";
    }
    write(&mut to, 200, stream, &text)
}

fn event(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// Returns the words of a model: its reply, or its reply inside other text.
fn words(model: &str, body: &Value) -> String {
    let messages = body["messages"].as_array().unwrap();
    let question = messages.last().unwrap()["content"].as_str().unwrap();
    let (_, schema) = question.split_once("JSON Schema:\n").unwrap();
    let mut values = serde_json::Deserializer::from_str(schema).into_iter::<Value>();
    let reply = value(&values.next().unwrap().unwrap());
    match model {
        "thinks" => {
            format!("<think>Maybe {{\"probability\": 2}}.</think>It is so.\n```json\n{reply}\n```")
        }
        "prose" => "I would say that it is true.".to_owned(),
        "learns" if !question.contains("was not legal") => "It is {so}.".to_owned(),
        _ => reply.to_string(),
    }
}

/// Returns a value that matches a strict schema.
fn value(schema: &Value) -> Value {
    if let Some(first) = schema["enum"]
        .get(0)
        .or_else(|| schema["const"].as_str().map(|_| &schema["const"]))
    {
        return first.clone();
    }
    if let Some(first) = schema["anyOf"].get(0) {
        return value(first);
    }
    if let Some(properties) = schema["properties"].as_object() {
        let fields = properties.iter();
        return fields
            .map(|(name, part)| (name.clone(), value(part)))
            .collect();
    }
    match schema["type"].as_str().unwrap_or_default() {
        "boolean" => json!(true),
        "integer" => json!(0),
        "number" => json!(0.5),
        "array" => json!([]),
        _ => json!("So it is."),
    }
}

fn write(to: &mut TcpStream, status: u16, headers: &str, body: &str) -> std::io::Result<()> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} Status\r\nContent-Length: {length}\r\n{headers}Connection: close\r\n\r\n"
    );
    to.write_all(head.as_bytes())?;
    to.write_all(body.as_bytes())
}
