//! What was said in a debate, as the messages and the events of a sample.

use std::time::Duration;

use super::eval_log::{
    ChatMessage, Empty, EvalEvent, EvalEventContent, EventMetadata, ModelOutput, ModelUsage,
};
use super::{identity, model_of, player, started_at, zone};
use crate::expectation::RoundLabel;
use crate::export::safe::JsonList;
use crate::export::{ExportError, SavedDebate};
use crate::record::{Cost, SaveLine, time_after};
use crate::tell::Narration;
use debate_core::protocol::Seat;

/// The messages of a debate, and its events, as the texts of two lists.
pub(super) fn messages_and_events(
    debate: &SavedDebate<'_>,
    question: &str,
) -> Result<(String, String), ExportError> {
    let sample = identity(debate);
    let id = |n: usize| Some(format!("{sample}-{n}"));
    let kind = debate.state().kind();
    let (mut messages, mut events) = (JsonList::new(), JsonList::new());
    messages.push(&serde_json::to_value(ChatMessage {
        id: id(0),
        role: "system",
        content: kind.introduction().rules.to_owned(),
        ..ChatMessage::default()
    })?);
    messages.push(&serde_json::to_value(ChatMessage {
        id: id(1),
        role: "user",
        source: Some("input"),
        content: question.to_owned(),
        ..ChatMessage::default()
    })?);
    let narration = Narration::new(&debate.facts, debate.state(), debate.log(), 0..0);
    let moves: Vec<&SaveLine> = debate.save.moves().collect();
    let mut clock = ThinkingClock {
        metas: moves.iter().map(|made| made.meta.ms.unwrap_or(0)).collect(),
        step: 0,
        passed: 0,
    };
    let mut charged = 0;
    let entries = debate.log().entries();
    let listed = debate.transcript_events().iter();
    let pairs = listed.filter_map(|event| Some((event, entries.get(event.entry)?)));
    // Before the first of them stand the rules and the question.
    for (before, (event, entry)) in (2_usize..).zip(pairs) {
        let who = debate.sentence(event).who;
        let metadata = EventMetadata {
            event: event.n,
            seat: entry.seat.name(),
            round: event.round.map(RoundLabel::from),
        };
        let pieces = narration.entry(event.entry).body;
        let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        let content = match who {
            Some(seat) => format!("{} {}", seat.person(), text.trim()),
            None => text.trim().to_owned(),
        };
        let passed = clock.at(event.step);
        let later = time_after(started_at(debate), passed);
        let now = zone(later.as_deref().unwrap_or_else(|| started_at(debate)));
        let message = ChatMessage {
            id: id(event.n + 1),
            role: "user",
            content,
            metadata: Some(metadata.clone()),
            ..ChatMessage::default()
        };
        // What a reply cost stands with the first event of the move that is its player's.
        let made = moves.get(event.step.wrapping_sub(1));
        let own = |made: &&&SaveLine| made.kind.seat() == Some(entry.seat) && event.step != charged;
        let cost = made.filter(own).and_then(|made| made.meta.cost.as_ref());
        if cost.is_some() {
            charged = event.step;
        }
        let seat = if cost.is_some() {
            entry.seat
        } else {
            Seat::Prover
        };
        let spoken = own_message(debate, seat, message.clone());
        let content = if who == Some(Seat::Prover) || cost.is_some() {
            model_event(debate, seat, cost, spoken.clone(), before, now.clone())
        } else {
            EvalEventContent::Info {
                source: entry.seat.name(),
                data: message.content.clone(),
            }
        };
        let message = if who == Some(Seat::Prover) {
            spoken
        } else {
            message
        };
        messages.push(&serde_json::to_value(message)?);
        events.push(&serde_json::to_value(EvalEvent {
            uuid: format!("{sample}-{}-event", event.n + 1),
            timestamp: now,
            working_start: passed.as_secs_f64(),
            metadata,
            content,
        })?);
    }
    Ok((messages.written(), events.written()))
}

/// What a seat's player said, so many messages before it, as what a model put out.
fn model_event(
    debate: &SavedDebate<'_>,
    seat: Seat,
    cost: Option<&Cost>,
    message: ChatMessage,
    before: usize,
    completed: String,
) -> EvalEventContent {
    let name = debate.player(seat);
    let model = cost.map_or_else(|| player(debate, seat), |cost| model_of(cost, name));
    EvalEventContent::Model {
        model: model.clone(),
        role: seat.name(),
        input: Vec::new(),
        input_refs: [[0, before]],
        tools: Vec::new(),
        tool_choice: "none",
        config: Empty {},
        output: Box::new(ModelOutput {
            usage: cost.map(ModelUsage::from),
            ..ModelOutput::new(model, message)
        }),
        completed,
    }
}

/// A message as its player's own.
fn own_message(debate: &SavedDebate<'_>, seat: Seat, message: ChatMessage) -> ChatMessage {
    ChatMessage {
        role: "assistant",
        source: Some("generate"),
        model: Some(debate.player(seat).to_owned()),
        ..message
    }
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
