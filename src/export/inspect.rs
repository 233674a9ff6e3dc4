//! `inspect`: a log for the viewer and the reader of the Python package `inspect_ai`.
//!
//! An `EvalLog` of version 2 in its JSON form. A debate is one sample: its input is the claim, its
//! target the truth, its messages what was said (Alice speaks as the assistant, everybody else as
//! the user; who it was stands in front and in the metadata), its scores the payoff and whether
//! the answer was true. The model is named `debate-tui/` and the three players.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Debate, Format, Of, Written};
use super::{play, safe};
use crate::digest::Digest;
use crate::protocol::words::{Teller, moral};
use crate::protocol::{Rules as _, Seat};
use crate::record::after;
use crate::tui::screen::Told;

pub(super) const FORMAT: Format = Format {
    name: "inspect",
    about: "a log that inspect_ai's reader and viewer open (EvalLog JSON, version 2)",
    takes: &[],
    of: Of::Save(|debate, _| Ok(write(debate))),
};

/// The date of a debate whose save has none: the format requires one.
const NO_DATE: &str = "1970-01-01T00:00:00Z";

fn write(debate: &Debate<'_>) -> Written {
    let fields = log(debate).map(|(name, value)| format!("\"{name}\":{value}"));
    let text = safe::json_text(format!("{{{}}}", fields.join(","))) + "\n";
    let notes = vec![format!(
        "`inspect view` lists a log in a folder where its name begins with a time, such as {}",
        name(debate)
    )];
    Written { text, notes }
}

/// A name under which the viewer lists the log.
fn name(debate: &Debate<'_>) -> String {
    let time = debate.save.header.started.as_deref().unwrap_or(NO_DATE);
    let time: String = time.chars().take(19).collect();
    let protocol = debate.save.header.protocol.kind().name();
    format!(
        "{}_{protocol}_{}.json",
        time.replace(':', "-"),
        identity(debate)
    )
}

/// The fields of a log. Readers of its head alone rely on their order.
fn log(debate: &Debate<'_>) -> [(&'static str, String); 7] {
    let header = &debate.save.header;
    let finished = debate.is_over();
    let started = header.started.as_deref().unwrap_or(NO_DATE);
    // A save holds how long people thought; of a debate without people it was no time.
    let ended = finished.then(|| after(started, thought(debate))).flatten();
    let (created, ended) = (zone(started), ended.as_deref().map(zone));
    let identity = identity(debate);
    let model = format!("debate-tui/{}", debate.players().join("-"));
    let scorer = |name: &str, metric: &str| json!({"name": name, "options": {}, "metrics": [{"name": metric}]});
    let eval = json!({
        "eval_id": identity,
        "run_id": identity,
        "created": created,
        "task": debate.setup.title,
        "task_id": identity,
        "task_version": 0,
        "task_attribs": {},
        "task_args": {},
        "dataset": {
            "name": debate.setup.title,
            "samples": 1,
            "sample_ids": [header.instance],
            "shuffled": false,
        },
        "model": model,
        "model_args": {},
        "config": {},
        "packages": {"debate-tui": header.app},
        "metadata": metadata(debate),
        "scorers": [scorer("payoff", "mean"), scorer("answer_correct", "accuracy")],
    });
    let plan = json!({"name": "debate", "steps": [{
        "solver": header.protocol.kind().name(),
        "params": {"parameters": header.protocol.to_string()},
    }], "config": {}});
    let status = if finished { "success" } else { "started" };
    let stats = json!({"started_at": created, "completed_at": ended.as_deref().unwrap_or(""), "model_usage": {}});
    [
        ("version", json!(2).to_string()),
        ("status", json!(status).to_string()),
        ("eval", eval.to_string()),
        ("plan", plan.to_string()),
        (
            "results",
            json!(finished.then(|| results(debate))).to_string(),
        ),
        ("stats", stats.to_string()),
        (
            "samples",
            format!("[{}]", sample(debate, &model, (&created, ended.as_deref()))),
        ),
    ]
}

/// A time with its zone in digits, as the format wants it.
fn zone(time: &str) -> String {
    time.replace('Z', "+00:00")
}

/// How long people thought, all together.
fn thought(debate: &Debate<'_>) -> Duration {
    let asides = debate.asides();
    let each = asides.iter().filter_map(|(ms, _)| *ms);
    Duration::from_millis(each.fold(0, u64::saturating_add))
}

/// The same debate has the same identity, and no other has it.
fn identity(debate: &Debate<'_>) -> String {
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
    Digest::of(text.as_bytes())
        .to_string()
        .chars()
        .take(22)
        .collect()
}

fn metadata(debate: &Debate<'_>) -> Value {
    let mut metadata = debate.play();
    metadata["debate"] = json!(debate.save.header.debate);
    metadata["about"] = json!(debate.setup.about);
    metadata
}

/// The claim's truth; `None` where it is not known, or chance decides it.
fn truth(debate: &Debate<'_>) -> Option<bool> {
    let decided = debate.state().odds().is_none();
    debate
        .instance
        .truth(debate.instance.root())
        .filter(|_| decided)
}

/// Whether what the debate says of the claim is so; `None` where it says nothing, or that is not
/// known.
fn correct(debate: &Debate<'_>) -> Option<bool> {
    let truth = debate.instance.truth(debate.instance.root());
    Some(debate.state().finding()? == truth?)
}

fn results(debate: &Debate<'_>) -> Value {
    let score = |name: &str, metric: &str, value: f64| {
        json!({
            "name": name,
            "scorer": name,
            "scored_samples": 1,
            "unscored_samples": 0,
            "params": {},
            "metrics": {metric: {"name": metric, "value": value, "params": {}}},
        })
    };
    let mut scores = vec![score("payoff", "mean", debate.paid())];
    scores.extend(
        correct(debate)
            .map(|right| score("answer_correct", "accuracy", f64::from(u8::from(right)))),
    );
    json!({"total_samples": 1, "completed_samples": 1, "scores": scores})
}

fn scores(debate: &Debate<'_>) -> Value {
    let answer = debate.state().answer().map(Teller::truth);
    let kind = debate.state().kind();
    let mut scores = json!({
        "payoff": {
            "value": debate.paid(),
            "answer": answer,
            "explanation": format!(
                "{} {}",
                Teller::paid(debate.paid()),
                moral(debate.log(), kind)
            ),
            "metadata": {"payoff_exact": debate.state().payoff().to_string()},
        },
    });
    if let Some(right) = correct(debate) {
        let found = debate.state().finding().map(Teller::truth);
        let truth = match (debate.state().odds(), truth(debate)) {
            (Some(odds), _) => Teller::odds(&odds),
            (None, truth) => format!("it is {}", truth.map_or("unknown", Teller::truth)),
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

fn sample(debate: &Debate<'_>, model: &str, (created, ended): (&str, Option<&str>)) -> String {
    let instance = debate.instance;
    let claim = instance.text(instance.root());
    let question = format!("Is this claim true? {claim}");
    let target = match (debate.state().odds(), truth(debate)) {
        (Some(odds), _) => Teller::odds(&odds),
        (None, Some(truth)) => Teller::truth(truth).to_owned(),
        (None, None) => "unknown".to_owned(),
    };
    let answer = debate.state().answer().map_or("no answer", Teller::truth);
    let finished = debate.is_over();
    let mut fields = json!({
        "id": debate.save.header.instance,
        "epoch": 1,
        "input": question,
        "target": target,
        "output": {
            "model": model,
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
        "metadata": metadata(debate),
        "store": {},
        "events": [],
        "model_usage": {},
        "started_at": created,
        "completed_at": ended,
        "total_time": thought(debate).as_secs_f64(),
        "uuid": identity(debate),
        "attachments": {},
    });
    let fields = fields.as_object_mut().map(std::mem::take);
    let messages = safe::list(messages(debate, &question));
    safe::object_with(fields.unwrap_or_default(), "messages", &messages)
}

fn messages<'d>(debate: &'d Debate<'_>, question: &str) -> impl Iterator<Item = Value> + 'd {
    let identity = identity(debate);
    let id = move |n: usize| format!("{identity}-{n}");
    let kind = debate.state().kind();
    let opening = [
        json!({"id": id(0), "role": "system", "content": kind.introduction().rules}),
        json!({"id": id(1), "role": "user", "source": "input", "content": question}),
    ];
    let told = Told::new(&debate.scene, debate.state(), debate.log(), 0..0);
    let said = debate.happenings().iter().filter_map(move |happening| {
        let entry = debate.log().entries().get(happening.entry)?;
        let who = debate.sentence(happening).who;
        let metadata = json!({
            "event": happening.n,
            "seat": entry.seat.name(),
            "round": happening.round.map(play::round),
        });
        let pieces = told.entry(happening.entry).body;
        let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        let content = match who {
            Some(seat) => format!("{} {}", seat.person(), text.trim()),
            None => text.trim().to_owned(),
        };
        let mut message = json!({
            "id": id(happening.n + 1),
            "content": content,
            "metadata": metadata,
        });
        if who == Some(Seat::Prover) {
            message["role"] = json!("assistant");
            message["source"] = json!("generate");
            message["model"] = json!(debate.save.header.player(Seat::Prover));
        } else {
            message["role"] = json!("user");
        }
        Some(message)
    });
    opening.into_iter().chain(said)
}
