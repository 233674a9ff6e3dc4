//! A server on this machine in the place of a provider of language models. The name of the model decides how it
//! answers.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// The words of a fault.
pub const GONE: &str = "The upstream is gone.";

/// A running server. Its thread ends with the test's process.
pub struct Provider {
    pub port: u16,
    /// The bodies of the requests, by model.
    requests: Arc<Mutex<BTreeMap<String, Vec<Value>>>>,
}

impl Provider {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::<Mutex<BTreeMap<String, Vec<Value>>>>::default();
        let kept = Arc::clone(&requests);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let requests = Arc::clone(&kept);
                // The client may close a connection before its answer is written.
                thread::spawn(move || drop(serve(connection, &requests)));
            }
        });
        Self { port, requests }
    }

    /// Returns the name of a player.
    pub fn player(&self, model: &str) -> String {
        format!("model:{model}@http://127.0.0.1:{}/v1", self.port)
    }

    /// Returns the bodies of the requests to a model.
    pub fn requests(&self, model: &str) -> Vec<Value> {
        let requests = self.requests.lock().unwrap();
        requests.get(model).cloned().unwrap_or_default()
    }
}

/// Reads a request and writes the answer.
fn serve(
    connection: TcpStream,
    requests: &Mutex<BTreeMap<String, Vec<Value>>>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(connection.try_clone()?);
    let (mut length, mut is_authorized) = (0, false);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim().to_lowercase();
        if line.is_empty() {
            break;
        }
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
        let mut requests = requests.lock().unwrap();
        let of_model = requests.entry(model.clone()).or_default();
        of_model.push(body.clone());
        of_model.len()
    };
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
