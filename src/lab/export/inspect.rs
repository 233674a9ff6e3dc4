//! `inspect`: a log for the viewer and the reader of the Python package `inspect_ai`.
//!
//! An `EvalLog` of version 2 in its JSON form. A debate is one sample: its input is the claim, its
//! target the truth, its messages what was said (Alice speaks as the assistant, everybody else as
//! the user; who it was stands in front and in the metadata), its scores the payoff and whether
//! the answer was true. The model is named `debate-tui/` and the three players, and each player is
//! a model with the seat as its role. What Alice says is also a model event, whose input is all
//! that was said before it (as a span of the sample's messages, which stand once more beside the
//! events); all else is an info event.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::safe::JsonList;
use super::{ExportedText, Format, FormatWriter, SavedDebate};
use super::{play, safe};
use crate::narration::Narration;
use crate::record::time_after;
use debate_core::digest::Digest;
use debate_core::protocol::words::{Narrator, moral};
use debate_core::protocol::{Reader, Rules as _, Seat};

pub(super) const FORMAT: Format = Format {
    name: "inspect",
    about: "a log that inspect_ai's reader and viewer open (EvalLog JSON, version 2)",
    takes: &[],
    of: FormatWriter::Saves(|debates, _| Ok(write(debates))),
};

/// The date of a debate whose save has none: the format requires one.
const NO_DATE: &str = "1970-01-01T00:00:00Z";

fn write(debates: &[SavedDebate<'_>]) -> ExportedText {
    let log = EvalLog::of(debates);
    let name = log.name(debates);
    let fields = log.fields(debates);
    let fields = fields.map(|(name, value)| format!("\"{name}\":{value}"));
    let text = safe::json_text(format!("{{{}}}", fields.join(","))) + "\n";
    let notes = vec![format!(
        "`inspect view` lists a log in a folder, and `messages_df` reads one, where its name begins \
         with a time, such as {name}"
    )];
    ExportedText { text, notes }
}

/// A log: the fields that its debates have in common.
struct EvalLog {
    identity: String,
    title: String,
    protocol: &'static str,
    parameters: String,
    model: String,
    /// When the first began, and when the last ended, if all did; times with zones in digits.
    created: String,
    ended: Option<String>,
    finished: bool,
    /// The names of the samples, all different.
    ids: Vec<String>,
}

/// The value that all have; `several` where they differ.
fn common<T: PartialEq>(all: impl IntoIterator<Item = T>, several: impl FnOnce() -> T) -> T {
    let mut all = all.into_iter();
    match all.next() {
        Some(first) if all.all(|other| other == first) => first,
        _ => several(),
    }
}

impl EvalLog {
    fn of(debates: &[SavedDebate<'_>]) -> Self {
        let several = || "several".to_owned();
        let kind = |debate: &SavedDebate<'_>| debate.save.header.protocol.kind().name();
        let started = debates.iter().map(started_at).min();
        let ends: Option<Vec<String>> = debates.iter().map(end).collect();
        Self {
            identity: match debates {
                [one] => identity(one),
                all => short(&all.iter().map(identity).collect::<Vec<_>>().join("\n")),
            },
            title: common(
                debates.iter().map(|debate| debate.setup.title.clone()),
                || "debates".to_owned(),
            ),
            protocol: common(debates.iter().map(kind), || "several"),
            parameters: common(
                debates
                    .iter()
                    .map(|debate| debate.save.header.protocol.to_string()),
                several,
            ),
            model: common(debates.iter().map(model), || {
                "debate-tui/several".to_owned()
            }),
            created: zone(started.unwrap_or(NO_DATE)),
            ended: ends.and_then(|ends| ends.into_iter().max()),
            finished: debates.iter().all(SavedDebate::is_over),
            ids: match debates {
                [one] => vec![one.save.header.instance.clone()],
                // Saves are told apart by their names.
                all => all.iter().map(|debate| debate.name.clone()).collect(),
            },
        }
    }

    /// A name under which the viewer lists the log.
    fn name(&self, debates: &[SavedDebate<'_>]) -> String {
        let started = debates.iter().map(started_at).min().unwrap_or(NO_DATE);
        let time: String = started.chars().take(19).collect();
        let (protocol, identity) = (self.protocol, &self.identity);
        format!("{}_{protocol}_{identity}.json", time.replace(':', "-"))
    }

    /// The fields of a log. Readers of its head alone rely on their order.
    fn fields(&self, debates: &[SavedDebate<'_>]) -> [(&'static str, String); 7] {
        let Self {
            identity, created, ..
        } = self;
        let scorer = |name: &str, metric: &str| json!({"name": name, "options": {}, "metrics": [{"name": metric}]});
        let app = common(
            debates.iter().map(|debate| debate.save.header.app.as_str()),
            || env!("CARGO_PKG_VERSION"),
        );
        let metadata = match debates {
            [one] => metadata(one),
            all => json!({
                "saves": self.ids,
                "verified": all.iter().all(|debate| debate.save.first_difference().is_none()),
            }),
        };
        let eval = json!({
            "eval_id": identity,
            "run_id": identity,
            "created": created,
            "task": self.title,
            "task_id": identity,
            "task_version": 0,
            "task_attribs": {},
            "task_args": {},
            "dataset": {
                "name": self.title,
                "samples": debates.len(),
                "sample_ids": self.ids,
                "shuffled": false,
            },
            "model": self.model,
            "model_args": {},
            "model_roles": roles(debates),
            "config": {},
            "packages": {"debate-tui": app},
            "metadata": metadata,
            "scorers": [scorer("payoff", "mean"), scorer("answer_correct", "accuracy")],
        });
        let plan = json!({"name": "debate", "steps": [{
            "solver": self.protocol,
            "params": {"parameters": self.parameters},
        }], "config": {}});
        let status = if self.finished { "success" } else { "started" };
        let ended = self.ended.as_deref().unwrap_or("");
        let stats = json!({"started_at": created, "completed_at": ended, "model_usage": {}});
        let mut samples = JsonList::new();
        for (debate, id) in debates.iter().zip(&self.ids) {
            samples.push(&sample(debate, id));
        }
        [
            ("version", json!(2).to_string()),
            ("status", json!(status).to_string()),
            ("eval", eval.to_string()),
            ("plan", plan.to_string()),
            ("results", json!(results(debates)).to_string()),
            ("stats", stats.to_string()),
            ("samples", samples.written()),
        ]
    }
}

fn model(debate: &SavedDebate<'_>) -> String {
    format!("debate-tui/{}", debate.players().join("-"))
}

fn player(debate: &SavedDebate<'_>, seat: Seat) -> String {
    let name = debate.player(seat);
    format!("debate-tui/{name}")
}

/// The players by seat; where several sit in one seat, all of them.
fn roles(debates: &[SavedDebate<'_>]) -> Value {
    let role = |seat: Seat| {
        let names: BTreeSet<String> = debates.iter().map(|debate| player(debate, seat)).collect();
        let config = |name| json!({"model": name, "config": {}, "base_url": null, "args": {}});
        let mut configs: Vec<Value> = names.into_iter().map(config).collect();
        let config = match configs.len() {
            1 => configs.remove(0),
            _ => Value::Array(configs),
        };
        (seat.name().to_owned(), config)
    };
    Value::Object(Seat::PLAYERS.map(role).into_iter().collect())
}

fn started_at<'d>(debate: &'d SavedDebate<'_>) -> &'d str {
    debate.save.header.started.as_deref().unwrap_or(NO_DATE)
}

/// When a debate ended: its start and the time that people thought, which the save has. `None`
/// where it has not ended. Strategies take no time.
fn end(debate: &SavedDebate<'_>) -> Option<String> {
    let finished = debate.is_over();
    let ended = finished.then(|| time_after(started_at(debate), thinking_time(debate)));
    Some(zone(&ended.flatten()?))
}

/// A time with its zone in digits, as the format wants it.
fn zone(time: &str) -> String {
    time.replace('Z', "+00:00")
}

fn thinking_time(debate: &SavedDebate<'_>) -> Duration {
    let metas = debate.metas();
    let each = metas.iter().filter_map(|(ms, _)| *ms);
    Duration::from_millis(each.fold(0, u64::saturating_add))
}

/// A short digest of scenario, rules, seed, instance, start and replies.
fn identity(debate: &SavedDebate<'_>) -> String {
    let header = &debate.save.header;
    let mut text = format!(
        "{}\n{}\n{}\n{}\n{}\n",
        header.scenario,
        header.protocol,
        header.seed.as_str(),
        header.debate,
        header.instance
    );
    text.push_str(header.started.as_deref().unwrap_or_default());
    let replies = debate.seating.moves().iter();
    text.extend(replies.map(|made| format!("\n{:?}", made.reply)));
    short(&text)
}

fn short(text: &str) -> String {
    let digest = Digest::of(text.as_bytes()).to_string();
    digest.chars().take(22).collect()
}

fn metadata(debate: &SavedDebate<'_>) -> Value {
    let mut metadata = debate.play();
    metadata["debate"] = json!(debate.save.header.debate);
    metadata["about"] = json!(debate.facts.opening_text());
    metadata
}

/// The claim's truth; `None` where it is not known, or chance decides it.
fn truth(debate: &SavedDebate<'_>) -> Option<bool> {
    let decided = debate.state().odds().is_none();
    debate
        .instance
        .truth(debate.instance.root())
        .filter(|_| decided)
}

/// Whether the debate's answer is true; `None` where there is no answer or the truth is not known.
fn correct(debate: &SavedDebate<'_>) -> Option<bool> {
    let truth = debate.instance.truth(debate.instance.root());
    Some(debate.state().finding()? == truth?)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.iter().map(|_| 1.0).sum::<f64>()
}

/// The means over the debates that are over; `None` where none is.
fn results(debates: &[SavedDebate<'_>]) -> Option<Value> {
    let over = debates.iter().filter(|debate| debate.is_over());
    let payoffs: Vec<f64> = over.clone().map(SavedDebate::paid).collect();
    let known: Vec<f64> = over
        .filter_map(correct)
        .map(|right| f64::from(u8::from(right)))
        .collect();
    let completed = payoffs.len();
    let score = |name: &str, metric: &str, values: &[f64]| {
        let value = mean(values);
        json!({
            "name": name,
            "scorer": name,
            "scored_samples": values.len(),
            "unscored_samples": completed - values.len(),
            "params": {},
            "metrics": {metric: {"name": metric, "value": value, "params": {}}},
        })
    };
    if payoffs.is_empty() {
        return None;
    }
    let mut scores = vec![score("payoff", "mean", &payoffs)];
    if !known.is_empty() {
        scores.push(score("answer_correct", "accuracy", &known));
    }
    Some(json!({
        "total_samples": debates.len(),
        "completed_samples": completed,
        "scores": scores,
    }))
}

fn scores(debate: &SavedDebate<'_>) -> Value {
    let answer = debate.state().answer().map(Narrator::truth);
    let kind = debate.state().kind();
    let mut scores = json!({
        "payoff": {
            "value": debate.paid(),
            "answer": answer,
            "explanation": format!(
                "{} {}",
                Narrator::paid(debate.paid()),
                moral(debate.log(), kind)
            ),
            "metadata": {"payoff_exact": debate.state().payoff().to_string()},
        },
    });
    if let Some(right) = correct(debate) {
        let found = debate.state().finding().map(Narrator::truth);
        let truth = match (debate.state().odds(), truth(debate)) {
            (Some(odds), _) => Narrator::odds(&odds),
            (None, truth) => format!("it is {}", truth.map_or("unknown", Narrator::truth)),
        };
        scores["answer_correct"] = json!({
            "value": if right { "C" } else { "I" },
            "answer": found,
            "explanation": format!(
                "{} that it is {}; {}.",
                if debate.save.header.protocol.conditions().fixes_claim() {
                    "The verdict is"
                } else {
                    "Alice claimed"
                },
                found.unwrap_or_default(),
                truth
            ),
        });
    }
    scores
}

fn sample(debate: &SavedDebate<'_>, id: &str) -> String {
    let instance = debate.instance;
    let claim = instance.text(instance.root());
    let question = format!("Is this claim true? {claim}");
    let open = debate.facts.reader == Reader::ALL;
    let target = match (debate.state().odds(), truth(debate)) {
        _ if !open => "not told before the end".to_owned(),
        (Some(odds), _) => Narrator::odds(&odds),
        (None, Some(truth)) => Narrator::truth(truth).to_owned(),
        (None, None) => "unknown".to_owned(),
    };
    let metadata = metadata(debate);
    let answer = metadata["answer"].as_bool();
    let answer = answer.map_or("no answer", Narrator::truth);
    let finished = debate.is_over();
    let mut fields = json!({
        "id": id,
        "epoch": 1,
        "input": question,
        "target": target,
        "output": {
            "model": model(debate),
            "choices": [{
                "message": {
                    "role": "assistant",
                    "source": "generate",
                    "content": format!("Alice's answer: {answer}"),
                },
                "stop_reason": "stop",
            }],
        },
        "scores": finished.then(|| scores(debate)),
        "metadata": metadata,
        "store": {},
        "model_usage": {},
        "started_at": zone(started_at(debate)),
        "completed_at": end(debate),
        "total_time": thinking_time(debate).as_secs_f64(),
        "uuid": identity(debate),
        "attachments": {},
    });
    let fields = fields.as_object_mut().map(std::mem::take);
    let (messages, events) = said(debate, &question);
    let pool = format!("{{\"messages\":{messages},\"calls\":[]}}");
    safe::object_with(
        fields.unwrap_or_default(),
        &[
            ("messages", &messages),
            ("events", &events),
            ("events_data", &pool),
        ],
    )
}

/// The messages of a debate, and its events, as the texts of two lists.
fn said(debate: &SavedDebate<'_>, question: &str) -> (String, String) {
    let identity = identity(debate);
    let id = |n: usize| format!("{identity}-{n}");
    let kind = debate.state().kind();
    let (mut messages, mut events) = (JsonList::new(), JsonList::new());
    messages.push(&json!({"id": id(0), "role": "system", "content": kind.introduction().rules}));
    messages.push(&json!({"id": id(1), "role": "user", "source": "input", "content": question}));
    let told = Narration::new(&debate.facts, debate.state(), debate.log(), 0..0);
    let metas = debate.metas();
    let mut clock = ThinkingClock {
        metas: metas.iter().map(|(ms, _)| ms.unwrap_or(0)).collect(),
        step: 0,
        passed: 0,
    };
    let entries = debate.log().entries();
    let transcript_events = debate.transcript_events().iter();
    let told_of = transcript_events.filter_map(|transcript_event| {
        Some((transcript_event, entries.get(transcript_event.entry)?))
    });
    // Before the first of them stand the rules and the question.
    for (before, (transcript_event, entry)) in (2_usize..).zip(told_of) {
        let who = debate.sentence(transcript_event).who;
        let metadata = json!({
            "event": transcript_event.n,
            "seat": entry.seat.name(),
            "round": transcript_event.round.map(play::round),
        });
        let pieces = told.entry(transcript_event.entry).body;
        let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        let content = match who {
            Some(seat) => format!("{} {}", seat.person(), text.trim()),
            None => text.trim().to_owned(),
        };
        let passed = clock.at(transcript_event.step);
        let now = time_after(started_at(debate), passed);
        let now = zone(now.as_deref().unwrap_or_else(|| started_at(debate)));
        let mut message = json!({
            "id": id(transcript_event.n + 1),
            "content": content,
            "metadata": metadata,
        });
        let mut event = json!({
            "uuid": format!("{}-event", id(transcript_event.n + 1)),
            "timestamp": now,
            "working_start": passed.as_secs_f64(),
            "metadata": metadata,
        });
        if who == Some(Seat::Prover) {
            message["role"] = json!("assistant");
            message["source"] = json!("generate");
            message["model"] = json!(debate.player(Seat::Prover));
            let model = player(debate, Seat::Prover);
            event["event"] = json!("model");
            event["model"] = json!(model);
            event["role"] = json!(Seat::Prover.name());
            event["input"] = json!([]);
            event["input_refs"] = json!([[0, before]]);
            event["tools"] = json!([]);
            event["tool_choice"] = json!("none");
            event["config"] = json!({});
            event["output"] = json!({
                "model": model,
                "choices": [{"message": message, "stop_reason": "stop"}],
            });
            event["completed"] = json!(now);
        } else {
            message["role"] = json!("user");
            event["event"] = json!("info");
            event["source"] = json!(entry.seat.name());
            event["data"] = json!(content);
        }
        messages.push(&message);
        events.push(&event);
    }
    (messages.written(), events.written())
}

/// The time that people had thought when a move was made.
struct ThinkingClock {
    /// The time of each move, in milliseconds.
    metas: Vec<u64>,
    step: usize,
    passed: u64,
}

impl ThinkingClock {
    /// The time after so many moves. `step` must not decrease from call to call.
    fn at(&mut self, step: usize) -> Duration {
        let new = self.metas.get(self.step..step).unwrap_or_default();
        self.passed = new.iter().copied().fold(self.passed, u64::saturating_add);
        self.step = self.step.max(step);
        Duration::from_millis(self.passed)
    }
}
