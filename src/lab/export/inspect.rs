//! `inspect`: a log for the viewer and the reader of the Python package `inspect_ai`.
//!
//! An `EvalLog` of version 2 in its JSON form. A debate is one sample: its input is the claim and its target is the
//! truth. Its scores are the payoff and whether the answer was right.
//!
//! The messages are the debate's speeches and moves. Alice speaks as the assistant, everyone else as the user; the
//! speaker is named at the start of each message and in its metadata. The model is named `debate-tui/` and the three
//! players, and each player is a model with the seat as its role.
//!
//! All entries by Alice are also model events. So is the first entry of each reply, in any seat, whose player reported
//! a cost; the event has this cost. The input of a model event is all earlier messages, as a span of the sample's
//! messages, which the events' data repeats. All other entries are info events.

pub mod eval_log;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::iter;
use std::time::Duration;

use super::safe::{self, JsonListWriter};
use super::{
    ExportFormat, ExportFunctionByInput, ExportNotes, NO_DATE, ReplayedSave, Result,
    TranscriptEvent,
};
use debate_core::digest::Digest;
use debate_core::protocol::{LogViewerRole, Rules as _, Seat};
use debate_host::message::escape_json_controls;
use debate_host::record::{ReplyCost, SaveEventLine, saved_time_plus_duration};
use debate_solver::expectation::{BySeat, OneOrMany, RoundNumberOrInitial};
use debate_text::{DebateNarrator, ReplayFrame, ViewerPerspective, debate_moral};
use eval_log::{
    DebateMetadata, EmptyObject, EvalAnswerCorrectScore, EvalDatasetSummary, EvalEvent,
    EvalEventContent, EvalLog, EvalLogDebatesMetadata, EvalLogMessage, EvalLogPlan,
    EvalLogPlanStep, EvalLogPlayer, EvalLogProgramVersion, EvalMetric, EvalPayoffScore,
    EvalPlanStepParameters, EvalResults, EvalSample, EvalScore, EvalSpec, EvalStats, EvalStatus,
    EventMetadata, ExactPayoffMetadata, InspectSampleEventMessages, InspectSampleScores,
    LoggedScorer, MetricName, ModelOutput, ModelTokenUsage,
};

pub(super) const FORMAT: ExportFormat = ExportFormat {
    name: "inspect",
    dated: true,
    about: "a log for the reader and the viewer of inspect_ai (EvalLog JSON, version 2)",
    ending: "json",
    takes: &[],
    of: ExportFunctionByInput::Saves(|debates, _, out| write(debates, out)),
};

/// The fields of a log that precede its samples, in order. Programs that read only the head of a log rely on this
/// order.
const FIELDS: [&str; 6] = ["version", "status", "eval", "plan", "results", "stats"];

fn write(debates: &[ReplayedSave<'_>], out: &mut dyn Write) -> Result<ExportNotes> {
    let common = CommonFields::of(debates);
    let head = serde_json::to_value(common.log(debates))?;
    let mut separator = '{';
    for name in FIELDS {
        let value = escape_json_controls(head[name].to_string());
        write!(out, "{separator}\"{name}\":{value}")?;
        separator = ',';
    }
    // The samples are the last field, so that they can be written one at a time.
    write!(out, ",\"samples\":")?;
    let mut separator = '[';
    for (debate, id) in debates.iter().zip(&common.ids) {
        write!(out, "{separator}")?;
        separator = ',';
        write_sample(debate, id, out)?;
    }
    writeln!(out, "]}}")?;
    Ok(ExportNotes::new())
}

/// The fields of one log that describe all its debates together.
struct CommonFields {
    identity: String,
    title: String,
    protocol: &'static str,
    parameters: String,
    model: String,
    /// The earliest start of an exported debate, with a numeric time zone. `ended` is the latest end, `None` if a
    /// debate has not ended.
    created: String,
    ended: Option<String>,
    finished: bool,
    /// The unique names of the log's samples. Each debate is one sample.
    ids: Vec<String>,
}

/// Returns the value that all items share, or `several()` if the values differ.
fn common<T: PartialEq>(all: impl IntoIterator<Item = T>, several: impl FnOnce() -> T) -> T {
    let mut values = all.into_iter();
    match values.next() {
        Some(first) if values.all(|other| other == first) => first,
        _ => several(),
    }
}

impl CommonFields {
    fn of(debates: &[ReplayedSave<'_>]) -> Self {
        let several = || "several".to_owned();
        let kind = |debate: &ReplayedSave<'_>| debate.save.header.protocol.kind().protocol_name();
        let parameters = |debate: &ReplayedSave<'_>| debate.save.header.protocol.to_string();
        let title = |debate: &ReplayedSave<'_>| {
            debate
                .setup
                .scenario_texts(debate.instance.world_index())
                .title
        };
        let started = debates.iter().map(started_at).min();
        let ends: Option<Vec<String>> = debates.iter().map(end).collect();
        Self {
            identity: match debates {
                [one] => identity(one),
                all => {
                    let identities: Vec<String> = all.iter().map(identity).collect();
                    short(Digest::digest_of_bytes(identities.join("\n").as_bytes()))
                }
            },
            title: common(debates.iter().map(title), || "debates".to_owned()),
            protocol: common(debates.iter().map(kind), || "several"),
            parameters: common(debates.iter().map(parameters), several),
            model: common(debates.iter().map(model), || {
                "debate-tui/several".to_owned()
            }),
            created: zone(started.unwrap_or(NO_DATE)),
            ended: ends.and_then(|ends| ends.into_iter().max()),
            finished: debates.iter().all(has_ended),
            ids: match debates {
                [one] => vec![one.save.header.instance.clone()],
                // Saves are distinguished by their names.
                all => all.iter().map(|debate| debate.name.clone()).collect(),
            },
        }
    }

    /// Returns the `inspect_ai` log without its samples.
    fn log(&self, debates: &[ReplayedSave<'_>]) -> EvalLog {
        let scorer = |name, metric| LoggedScorer {
            name,
            options: EmptyObject {},
            metrics: [MetricName { name: metric }],
        };
        let identity = || self.identity.clone();
        let apps = debates.iter().map(|debate| debate.save.header.app.as_str());
        EvalLog {
            version: 2,
            status: if self.finished {
                EvalStatus::Success
            } else {
                EvalStatus::Started
            },
            eval: EvalSpec {
                eval_id: identity(),
                run_id: identity(),
                created: self.created.clone(),
                task: self.title.clone(),
                task_id: identity(),
                task_version: 0,
                task_attribs: EmptyObject {},
                task_args: EmptyObject {},
                dataset: EvalDatasetSummary {
                    name: self.title.clone(),
                    samples: debates.len(),
                    sample_ids: self.ids.clone(),
                    shuffled: false,
                },
                model: self.model.clone(),
                model_args: EmptyObject {},
                model_roles: BySeat::new(|seat| role(debates, seat)),
                config: EmptyObject {},
                packages: EvalLogProgramVersion {
                    debate_tui: common(apps, || env!("CARGO_PKG_VERSION")).to_owned(),
                },
                metadata: match debates {
                    [one] => EvalLogDebatesMetadata::One(Box::new(metadata(one))),
                    all => EvalLogDebatesMetadata::Several {
                        saves: self.ids.clone(),
                        verified: all
                            .iter()
                            .all(|debate| debate.save.first_difference().is_none()),
                    },
                },
                scorers: [
                    scorer("payoff", "mean"),
                    scorer("answer_correct", "accuracy"),
                ],
            },
            plan: EvalLogPlan {
                name: "debate",
                steps: [EvalLogPlanStep {
                    solver: self.protocol,
                    params: EvalPlanStepParameters {
                        parameters: self.parameters.clone(),
                    },
                }],
                config: EmptyObject {},
            },
            results: results(debates),
            stats: EvalStats {
                started_at: self.created.clone(),
                completed_at: self.ended.clone().unwrap_or_default(),
                model_usage: usage(debates),
            },
            samples: Vec::new(),
        }
    }
}

fn model(debate: &ReplayedSave<'_>) -> String {
    format!("debate-tui/{}", debate.visible_player_names().join("-"))
}

fn player(debate: &ReplayedSave<'_>, seat: Seat) -> String {
    let name = debate.visible_player_name(seat);
    format!("debate-tui/{name}")
}

/// Returns the distinct players that occupied the seat `seat` in the exported debates.
fn role(debates: &[ReplayedSave<'_>], seat: Seat) -> OneOrMany<EvalLogPlayer> {
    let names: BTreeSet<String> = debates.iter().map(|debate| player(debate, seat)).collect();
    let configs = names.into_iter().map(|model| EvalLogPlayer {
        model,
        config: EmptyObject {},
        base_url: None,
        args: EmptyObject {},
    });
    configs.collect::<Vec<_>>().into()
}

fn started_at<'d>(debate: &'d ReplayedSave<'_>) -> &'d str {
    debate.save.header.started.as_deref().unwrap_or(NO_DATE)
}

/// Returns the end time of a debate: its start plus the thinking time of people and other programs. `None` if the
/// debate has not ended, or if the start is not a valid time. The time of built-in strategies counts as zero.
fn end(debate: &ReplayedSave<'_>) -> Option<String> {
    let ended = has_ended(debate)
        .then(|| saved_time_plus_duration(started_at(debate), thinking_time(debate)));
    Some(zone(&ended.flatten()?))
}

/// True if the debate ended, by the rules or by a forfeit.
fn has_ended(debate: &ReplayedSave<'_>) -> bool {
    debate.is_over() || debate.save.stated_debate_end().is_some()
}

/// Returns the tokens that language models and other programs in the seats spent, by model. Tokens of refused and
/// undone replies are included.
fn usage(debates: &[ReplayedSave<'_>]) -> BTreeMap<String, ModelTokenUsage> {
    let mut usage: BTreeMap<String, ModelTokenUsage> = BTreeMap::new();
    for debate in debates {
        for line in debate.save.events_with_undone() {
            let Some((cost, seat)) = line.meta.cost.as_ref().zip(line.kind.seat_unless_undo())
            else {
                continue;
            };
            let of = usage.entry(model_of(cost, debate.visible_player_name(seat)));
            of.or_default().add_reply_tokens(cost);
        }
    }
    usage
}

/// Returns the name of the model that gave a reply: the name that its program reports, otherwise the player's name.
fn model_of(cost: &ReplyCost, player: &str) -> String {
    let model = cost.snapshot.as_ref().or(cost.model.as_ref());
    model.map_or_else(|| format!("debate-tui/{player}"), Clone::clone)
}

/// Returns a timestamp with a numeric time zone, as the log format requires.
fn zone(time: &str) -> String {
    time.replace('Z', "+00:00")
}

fn thinking_time(debate: &ReplayedSave<'_>) -> Duration {
    let each = debate
        .save
        .moves_not_undone()
        .filter_map(|line| line.meta.ms);
    Duration::from_millis(each.fold(0, u64::saturating_add))
}

/// Returns a short digest that identifies a debate, computed from scenario, rules, seed, debate number, instance, start
/// and replies.
fn identity(debate: &ReplayedSave<'_>) -> String {
    let header = &debate.save.header;
    let protocol = &header.protocol;
    let seed = header.seed.as_str();
    let number = header.debate;
    let scenario = &header.scenario;
    let instance = &header.instance;
    let started = header.started.as_deref().unwrap_or_default();
    let head = format!("{scenario}\n{protocol}\n{seed}\n{number}\n{instance}\n{started}");
    let replies = debate.seating.moves().iter();
    let replies = replies.map(|made| format!("\n{:?}", made.reply));
    short(Digest::digest_of_concatenation(
        iter::once(head).chain(replies),
    ))
}

fn short(digest: Digest) -> String {
    digest.to_string().chars().take(22).collect()
}

fn metadata(debate: &ReplayedSave<'_>) -> DebateMetadata {
    DebateMetadata {
        play: debate.saved_debate_outcome_report(),
        debate: debate.save.header.debate,
        about: debate.facts.scenario_introduction().to_owned(),
    }
}

/// Returns the truth of the root claim; `None` if it is unknown or decided by chance.
fn truth(debate: &ReplayedSave<'_>) -> Option<bool> {
    let decided = debate.state().root_truth_probability().is_none();
    let truth = debate.instance.truth(debate.instance.root());
    truth.filter(|_| decided)
}

/// Returns true if the debate's answer to the root claim is right; `None` if there is no answer or the truth is
/// unknown.
fn correct(debate: &ReplayedSave<'_>) -> Option<bool> {
    let truth = debate.instance.truth(debate.instance.root());
    Some(debate.state().finding()? == truth?)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.iter().map(|_| 1.0).sum::<f64>()
}

/// Returns the mean scores over the debates that were played to their end, without forfeits; `None` if there are none.
fn results(debates: &[ReplayedSave<'_>]) -> Option<EvalResults> {
    let over = debates.iter().filter(|debate| debate.is_over());
    let payoffs: Vec<f64> = over
        .clone()
        .map(ReplayedSave::alice_payoff_so_far)
        .collect();
    let known: Vec<f64> = over
        .filter_map(correct)
        .map(|right| f64::from(u8::from(right)))
        .collect();
    let completed = payoffs.len();
    let score = |name, metric, values: &[f64]| EvalScore {
        name,
        scorer: name,
        scored_samples: values.len(),
        unscored_samples: completed - values.len(),
        params: EmptyObject {},
        metrics: BTreeMap::from([(metric, EvalMetric::new(metric, mean(values)))]),
    };
    if payoffs.is_empty() {
        return None;
    }
    let mut scores = vec![score("payoff", "mean", &payoffs)];
    if !known.is_empty() {
        scores.push(score("answer_correct", "accuracy", &known));
    }
    Some(EvalResults {
        total_samples: debates.len(),
        completed_samples: completed,
        scores,
    })
}

fn scores(debate: &ReplayedSave<'_>) -> InspectSampleScores {
    let state = debate.state();
    let finding = state.finding().map(DebateNarrator::truth_word);
    let truth_clause = match (state.root_truth_probability(), truth(debate)) {
        (Some(probability), _) => DebateNarrator::coin_probability_clause(&probability),
        (None, truth) => format!(
            "it is {}",
            truth.map_or("unknown", DebateNarrator::truth_word)
        ),
    };
    let prover_always_claims_true = debate.facts.prover_always_claims_true;
    let verdict_is_or_alice_stated = if prover_always_claims_true {
        "The verdict is"
    } else {
        "Alice stated"
    };
    InspectSampleScores {
        payoff: EvalPayoffScore {
            value: debate.alice_payoff_so_far(),
            answer: state.answer().map(DebateNarrator::truth_word),
            explanation: ViewerPerspective::NEUTRAL.payoff_sentence(&state.payoff(), true)
                + " "
                + &debate_moral(debate.log(), state.kind()),
            metadata: ExactPayoffMetadata {
                payoff_exact: state.payoff().to_string(),
            },
        },
        answer_correct: correct(debate).map(|right| EvalAnswerCorrectScore {
            value: if right { "C" } else { "I" },
            answer: finding,
            explanation: format!(
                "{verdict_is_or_alice_stated} that the claim is {true_or_false}; {truth_clause}.",
                true_or_false = finding.unwrap_or_default()
            ),
        }),
    }
}

fn write_sample(debate: &ReplayedSave<'_>, id: &str, out: &mut dyn Write) -> Result<()> {
    let instance = debate.instance;
    let claim = instance.text(instance.root());
    let question = format!("Is this claim true? {claim}");
    let open = debate.facts.reader == LogViewerRole::ALL;
    let target = match (debate.state().root_truth_probability(), truth(debate)) {
        _ if !open => "hidden until the end of the debate".to_owned(),
        (Some(probability), _) => DebateNarrator::coin_probability_clause(&probability),
        (None, Some(truth)) => DebateNarrator::truth_word(truth).to_owned(),
        (None, None) => "unknown".to_owned(),
    };
    let about = metadata(debate);
    let claimed = about.play.play.answer;
    let answer = claimed.map_or("no answer", DebateNarrator::truth_word);
    let speeches = SpokenEvents::of(debate);
    let messages = [
        EvalLogMessage {
            id: Some(speeches.id(0)),
            role: "system",
            content: debate.state().kind().protocol_texts().rules.to_owned(),
            ..EvalLogMessage::default()
        },
        EvalLogMessage {
            id: Some(speeches.id(1)),
            role: "user",
            source: Some("input"),
            content: question.clone(),
            ..EvalLogMessage::default()
        },
    ];
    let message = EvalLogMessage {
        role: "assistant",
        source: Some("generate"),
        content: format!("Alice's answer: {answer}"),
        ..EvalLogMessage::default()
    };
    let sample = EvalSample {
        id: id.to_owned(),
        epoch: 1,
        input: question,
        target,
        output: ModelOutput::new(model(debate), message),
        scores: debate.is_over().then(|| scores(debate)),
        metadata: about,
        store: EmptyObject {},
        model_usage: usage(std::slice::from_ref(debate)),
        started_at: zone(started_at(debate)),
        completed_at: end(debate),
        total_time: thinking_time(debate).as_secs_f64(),
        uuid: identity(debate),
        attachments: EmptyObject {},
        // Written below, one event at a time.
        messages: Vec::new(),
        events: Vec::new(),
        events_data: InspectSampleEventMessages::default(),
    };
    safe::write_object(out, &sample, |field, out| {
        match field {
            "messages" => speeches.write_messages(&messages, out)?,
            "events" => speeches.write_events(messages.len(), out)?,
            "events_data" => {
                write!(out, "{{\"messages\":")?;
                speeches.write_messages(&messages, out)?;
                write!(out, ",\"calls\":[]}}")?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    })
}

/// Converts the debate's events to chat messages and events of an `inspect_ai` log. Each pass creates them again, so
/// that only one event is in memory.
struct SpokenEvents<'d, 'a> {
    debate: &'d ReplayedSave<'a>,
    narration: ReplayFrame<'d, 'a>,
    /// The identity of the sample.
    sample: String,
    moves: Vec<&'d SaveEventLine>,
}

/// An event of the debate, with the data for its two forms in an `inspect_ai` log: a chat message and a log event.
struct SpokenEvent<'d> {
    event: &'d TranscriptEvent,
    metadata: EventMetadata,
    /// The chat message of the event, with the role `user`. [`own_message`] changes the role to `assistant`.
    message: EvalLogMessage,
    /// The name of the seat to which the log entry belongs.
    source: &'static str,
    speaker: Option<Seat>,
    /// For a model event of the exported log: the seat whose player is the model, and the cost of the reply if it was
    /// reported. `None` for an info event.
    model: Option<(Seat, Option<&'d ReplyCost>)>,
}

impl<'d, 'a> SpokenEvents<'d, 'a> {
    fn of(debate: &'d ReplayedSave<'a>) -> Self {
        Self {
            debate,
            narration: ReplayFrame::new(&debate.facts, debate.state(), debate.log(), 0..0),
            sample: identity(debate),
            moves: debate.save.moves_not_undone().collect(),
        }
    }

    /// Returns the unique id of message number `n` of the exported debate, which is one sample of the log.
    fn id(&self, n: usize) -> String {
        format!("{}-{n}", self.sample)
    }

    /// Calls `write` for each event of the debate in order.
    fn each(&self, mut write: impl FnMut(SpokenEvent<'d>) -> Result<()>) -> Result<()> {
        let debate = self.debate;
        let mut charged = 0;
        for event in debate.transcript_events() {
            let Some(entry) = debate.log().entries().get(event.entry) else {
                continue;
            };
            let who = debate.event_sentence(event).who;
            let metadata = EventMetadata {
                event: event.n,
                seat: entry.seat.name_in_flags_and_json(),
                round: event.round.map(RoundNumberOrInitial::from),
            };
            let text = self
                .narration
                .transcript_line(event.entry)
                .plain_body_text();
            let content = match who {
                Some(seat) => format!("{} {}", seat.player_name_of_seat(), text.trim()),
                None => text.trim().to_owned(),
            };
            // The cost of a reply is attached to the first event of the move that belongs to the seat that moved.
            let made = self.moves.get(event.step.wrapping_sub(1));
            let own = |made: &&&SaveEventLine| {
                made.kind.seat_unless_undo() == Some(entry.seat) && event.step != charged
            };
            let cost = made.filter(own).and_then(|made| made.meta.cost.as_ref());
            let is_alice = who == Some(Seat::Prover);
            let mut seat = Seat::Prover;
            if cost.is_some() {
                charged = event.step;
                seat = entry.seat;
            }
            write(SpokenEvent {
                message: EvalLogMessage {
                    id: Some(self.id(event.n + 1)),
                    role: "user",
                    content,
                    metadata: Some(metadata.clone()),
                    ..EvalLogMessage::default()
                },
                metadata,
                source: entry.seat.name_in_flags_and_json(),
                speaker: who,
                model: (is_alice || cost.is_some()).then_some((seat, cost)),
                event,
            })?;
        }
        Ok(())
    }

    /// Writes the JSON list of all messages of the debate. The messages in `first` come first.
    fn write_messages(&self, first: &[EvalLogMessage], out: &mut dyn Write) -> Result<()> {
        let mut list = JsonListWriter::new(out);
        for message in first {
            list.push(message)?;
        }
        self.each(|spoken| match spoken.model {
            Some((seat, _)) if spoken.speaker == Some(Seat::Prover) => {
                list.push(&own_message(self.debate, seat, spoken.message))
            }
            _ => list.push(&spoken.message),
        })?;
        list.write_list_end()
    }

    /// Writes the JSON list of all log events. `before` is the number of messages before the first event.
    fn write_events(&self, mut before: usize, out: &mut dyn Write) -> Result<()> {
        let debate = self.debate;
        let mut list = JsonListWriter::new(out);
        let mut clock = ThinkingClock {
            times: self
                .moves
                .iter()
                .map(|made| made.meta.ms.unwrap_or(0))
                .collect(),
            step: 0,
            passed: 0,
        };
        self.each(|spoken| {
            let SpokenEvent {
                event,
                metadata,
                message,
                ..
            } = spoken;
            let passed = clock.at(event.step);
            let later = saved_time_plus_duration(started_at(debate), passed);
            let now = zone(later.as_deref().unwrap_or_else(|| started_at(debate)));
            let content = match spoken.model {
                Some((seat, cost)) => {
                    let message = own_message(debate, seat, message);
                    model_event(debate, seat, cost, message, before, now.clone())
                }
                None => EvalEventContent::Info {
                    source: spoken.source,
                    data: message.content,
                },
            };
            before += 1;
            list.push(&EvalEvent {
                uuid: format!("{}-{}-event", self.sample, event.n + 1),
                timestamp: now,
                working_start: passed.as_secs_f64(),
                metadata,
                content,
            })
        })?;
        list.write_list_end()
    }
}

/// Returns a message by a seat's player as a model event. `before` is the number of earlier messages.
fn model_event(
    debate: &ReplayedSave<'_>,
    seat: Seat,
    cost: Option<&ReplyCost>,
    message: EvalLogMessage,
    before: usize,
    completed: String,
) -> EvalEventContent {
    let name = debate.visible_player_name(seat);
    let model = cost.map_or_else(|| player(debate, seat), |cost| model_of(cost, name));
    EvalEventContent::Model {
        model: model.clone(),
        role: seat.name_in_flags_and_json(),
        input: Vec::new(),
        input_refs: [[0, before]],
        tools: Vec::new(),
        tool_choice: "none",
        config: EmptyObject {},
        output: Box::new(ModelOutput {
            usage: cost.map(ModelTokenUsage::from),
            ..ModelOutput::new(model, message)
        }),
        completed,
    }
}

/// Returns a message with the role `assistant`: the output of the seat's own player.
fn own_message(debate: &ReplayedSave<'_>, seat: Seat, message: EvalLogMessage) -> EvalLogMessage {
    EvalLogMessage {
        role: "assistant",
        source: Some("generate"),
        model: Some(debate.visible_player_name(seat).to_owned()),
        ..message
    }
}

/// Running total of the thinking time of people and other programs, from move to move.
struct ThinkingClock {
    /// The thinking time of each move, in milliseconds.
    times: Vec<u64>,
    step: usize,
    passed: u64,
}

impl ThinkingClock {
    /// Returns the total thinking time in the first `step` moves. `step` must not decrease from call to call.
    fn at(&mut self, step: usize) -> Duration {
        let new = self.times.get(self.step..step).unwrap_or_default();
        self.passed = new.iter().copied().fold(self.passed, u64::saturating_add);
        self.step = self.step.max(step);
        Duration::from_millis(self.passed)
    }
}
