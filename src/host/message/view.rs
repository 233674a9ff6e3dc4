//! A debate as one seat may see it, with the pending request. Each event is converted to a sentence and to JSON once,
//! although every request contains all events.

use std::ops::Range;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::event::{ClaimMentionedInEvents, ClaimsMentionedInEvents, SeenEvent};
use super::reply::{StrictSchema, legal_reply_schema};
use super::request::{RequestMessage, player_seat_of_turn};
use debate_core::number::{Exact, format_canonical};
use debate_core::protocol::{
    LogEntry, LogViewerRole, PendingTurn, Protocol, Rules as _, Seat, State,
};
use debate_core::{Instance, SeatedDebate};
use debate_solver::expectation::RoundNumberOrInitial;
use debate_solver::setup::LoadedScenario;
use debate_text::{
    DebateDescription, DebateNarrator, FormulaCharacterSet, PendingQuestionInLines,
    ViewerPerspective, plain_line,
};

/// A debate as one seat may see it. It contains no replies that are still hidden (sealed) from the seat, no truth, no
/// future coins and no names of other players.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "SeatView")]
pub struct SeatViewMessage {
    #[serde(flatten)]
    pub setting: Arc<ConstantPartOfSeatView>,
    /// The current round; null at the end, for a judge who does not follow the debate, and if the reply must depend on
    /// the request only.
    pub round: Option<RoundNumberOrInitial>,
    /// The seat's payoff so far, as a fraction; null for a judge, and if the reply must depend on the request only.
    pub reward: Option<String>,
    /// The root claim; null for a judge who does not see it.
    pub claim: Option<usize>,
    /// The claims that this view and the request mention. They refer to a claim by its index in this list, from 0.
    pub claims: Vec<Arc<ClaimMentionedInEvents>>,
    /// All events that the seat has seen, in order. Without history, only the events since the seat's last request.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<SeenEvent>"))]
    pub events: SeenEvents,
}

/// The part of a seat's view that is constant during a debate.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename = "SeatSetting")]
pub struct ConstantPartOfSeatView {
    /// The seat.
    pub seat: &'static str,
    /// The seat's name under the rules, such as prover or challenger.
    pub title: &'static str,
    /// The scenario's title.
    pub scenario: String,
    /// The scenario's text for all players.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The scenario's text for this seat only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub briefing: Option<String>,
    /// The opponent's knowledge of the instance, if it is incomplete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
    /// The name of the protocol; null for a judge from whom the rules are hidden.
    pub protocol: Option<&'static str>,
    /// The protocol, as in a scenario file.
    pub parameters: Option<String>,
    /// The rounds of the debate in playing order; empty for a judge who does not follow the debate, and if the reply
    /// must depend on the request only.
    pub rounds: Vec<RoundWithMaxPayoff>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "WeightedRound")]
pub struct RoundWithMaxPayoff {
    pub round: RoundNumberOrInitial,
    /// The maximum payoff of the round, as a fraction.
    pub weight: String,
}

/// A request to a seat, with everything that its player needs for a reply.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Act")]
pub struct SeatRequest {
    /// The number of the request to this seat, from 1. The reply repeats it.
    pub id: u64,
    pub view: SeatViewMessage,
    pub request: RequestMessage,
    /// The rules, the events and the question, in words; omitted if the caller wants no texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The JSON Schema of a legal `reply`, ready for structured outputs.
    pub legal: StrictSchema,
}

/// A builder of the messages that describe a debate to the player of one seat.
#[derive(Clone, Debug)]
pub struct SeatMessageBuilder<'t> {
    facts: DebateDescription<'t>,
    parameters: String,
    seat: Seat,
}

impl<'t> SeatMessageBuilder<'t> {
    /// Creates the builder for a seat in a debate of this scenario. In a blind debate the seat does not see the
    /// scenario's description, and a judge does not see the rules.
    pub fn new(
        setup: &LoadedScenario,
        protocol: &Protocol,
        instance: &'t Instance,
        seat: Seat,
        blind: bool,
    ) -> Self {
        let facts = DebateDescription {
            blind,
            reader: LogViewerRole::new(seat, setup.judge_sees),
            ..DebateDescription::of_scenario(setup, instance, protocol)
        };
        Self {
            facts,
            parameters: protocol.to_string(),
            seat,
        }
    }

    /// Returns the seat.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// Returns the pending request of this seat; `None` if this seat has none.
    pub fn pending_request(
        &self,
        seating: &SeatedDebate<'_, Exact>,
        with_text: bool,
    ) -> Option<SeatRequest> {
        self.pending_request_with_cache(seating, with_text, &mut SeenEventsOfOneSeat::default())
    }

    /// Returns the pending request as [`Self::pending_request`] does, but takes the earlier events from the cache
    /// `history`.
    pub fn pending_request_with_cache(
        &self,
        seating: &SeatedDebate<'_, Exact>,
        with_text: bool,
        history: &mut SeenEventsOfOneSeat,
    ) -> Option<SeatRequest> {
        let turn = seating.turn()?;
        if player_seat_of_turn(&turn)? != self.seat {
            return None;
        }
        let context_free = turn.request.is_log_hidden_from_replying_player();
        let mut alone = SeenEventsOfOneSeat::default();
        let history = if context_free { &mut alone } else { history };
        let mut view = self.view(seating, history, context_free);
        let question = self.question(seating);
        let known = history.numbers.claims.len();
        let request = RequestMessage::of(&question, &turn, &mut history.numbers)?;
        view.claims.clone_from(&history.numbers.claims);
        // Later events must number claims independently of this request.
        history.numbers.remove_claims_numbered_from(known);
        let text = with_text.then(|| self.text(&view, &question, &turn));
        Some(SeatRequest {
            id: self.pending_or_next_request_number(seating),
            view,
            request,
            text,
            legal: legal_reply_schema(&turn.request, self.facts.instance),
        })
    }

    /// Returns the debate as this seat may see it, also if another seat has the pending request.
    pub fn current_view_for_own_seat(&self, seating: &SeatedDebate<'_, Exact>) -> SeatViewMessage {
        let mut history = SeenEventsOfOneSeat::default();
        let mut view = self.view(seating, &mut history, false);
        view.claims = history.numbers.claims;
        view
    }

    /// Returns the number of the seat's pending request, or of its next one if none is pending.
    pub fn pending_or_next_request_number(&self, seating: &SeatedDebate<'_, Exact>) -> u64 {
        let own = seating.moves().iter().filter(|made| made.seat == self.seat);
        own.count() as u64 + 1
    }

    /// Returns the seat's payoff so far, as a fraction; `None` for a judge.
    pub fn debater_payoff_so_far(&self, seating: &SeatedDebate<'_, Exact>) -> Option<String> {
        let perspective = ViewerPerspective::of_seat(self.seat);
        let reward = || format_canonical(&perspective.value(seating.state().payoff()));
        perspective.receives_shown_payoff().then(reward)
    }

    fn view(
        &self,
        seating: &SeatedDebate<'_, Exact>,
        history: &mut SeenEventsOfOneSeat,
        context_free: bool,
    ) -> SeatViewMessage {
        let facts = &self.facts;
        let instance = facts.instance;
        let state = seating.state();
        let follows = facts.reader.is_shown_debate_during_play() && !context_free;
        let sees_root =
            facts.reader.is_shown_debate_during_play() || facts.reader.sees_path_to_question();
        let new = history.since(seating);
        let claim = sees_root.then(|| history.numbers.number_of_claim(instance, instance.root()));
        if follows {
            self.tell(seating, new, history);
        }
        let setting = match &history.setting {
            Some(setting) => Arc::clone(setting),
            None => Arc::new(self.setting(state, follows)),
        };
        history.setting = Some(Arc::clone(&setting));
        SeatViewMessage {
            setting,
            round: state
                .round()
                .filter(|_| follows)
                .map(RoundNumberOrInitial::from),
            reward: self.debater_payoff_so_far(seating).filter(|_| follows),
            claim,
            claims: Vec::new(),
            events: history.events_to_send(),
        }
    }

    fn setting(&self, state: &State<'_, Exact>, follows: bool) -> ConstantPartOfSeatView {
        let facts = &self.facts;
        let judges = self.seat == Seat::Judge;
        let shows_rules = !(facts.blind && judges);
        let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let rounds = state
            .schedule()
            .into_iter()
            .filter(|_| follows)
            .map(|(round, weight)| RoundWithMaxPayoff {
                round: round.into(),
                weight: format_canonical(&weight),
            });
        ConstantPartOfSeatView {
            seat: self.seat.name_in_flags_and_json(),
            title: facts.role_title(self.seat),
            scenario: facts.title.clone(),
            about: text(facts.scenario_introduction()),
            briefing: facts.briefing.text_of_seat(self.seat).and_then(text),
            known: facts.known.clone().filter(|_| !judges),
            protocol: shows_rules.then(|| facts.kind.protocol_name()),
            parameters: shows_rules.then(|| self.parameters.clone()),
            rounds: rounds.collect(),
        }
    }

    /// Adds to the cache `to` the events of these log entries, as far as the seat sees them.
    fn tell(
        &self,
        seating: &SeatedDebate<'_, Exact>,
        entries: Range<usize>,
        to: &mut SeenEventsOfOneSeat,
    ) {
        let log = seating.log();
        let reader = self.facts.reader;
        let instance = self.facts.instance;
        let narrator = self.narrator();
        let told = entries.start;
        for new in entries {
            // The seat may have received a sealed event without its content, so it is sent again when it opens.
            let opened = log.unsealed_entries(new, told, reader);
            for index in std::iter::once(new).chain(opened) {
                let seen = log
                    .entries()
                    .get(index)
                    .zip(log.observation_at(index, reader));
                let text = plain_line(&narrator, log, index, reader);
                if let (Some((entry, seen)), Some(text)) = (seen, text) {
                    let event = SeenEvent::of(entry, &seen, text, instance, &mut to.numbers);
                    to.events.push(&event);
                }
            }
        }
    }

    fn narrator(&self) -> DebateNarrator<'t> {
        let narrator = DebateNarrator::new(self.facts.instance, FormulaCharacterSet::Unicode);
        narrator.seen_from(ViewerPerspective::of_seat(self.seat))
    }

    fn question<'q, 'a>(
        &'q self,
        seating: &'q SeatedDebate<'a, Exact>,
    ) -> PendingQuestionInLines<'q, 'a> {
        PendingQuestionInLines {
            seating,
            instance: self.facts.instance,
            reader: self.facts.reader,
            perspective: ViewerPerspective::of_seat(self.seat),
            blind: self.facts.blind,
            typed: false,
        }
    }

    /// Returns the rules, the events and the question, in words.
    fn text(
        &self,
        view: &SeatViewMessage,
        question: &PendingQuestionInLines<'_, '_>,
        turn: &PendingTurn<Exact>,
    ) -> String {
        let facts = &self.facts;
        let setting = &view.setting;
        let mut lines = vec![setting.scenario.clone()];
        if view.claim.is_some() {
            let root = facts.instance.text(facts.instance.root());
            lines.push(format!("Debated: {root}"));
        }
        if setting.protocol.is_some() {
            let parameters = match facts.parameters.as_str() {
                "" => String::new(),
                parameters => format!(" ({parameters})"),
            };
            let name = facts.kind.protocol_name();
            let rules = facts.kind.protocol_texts().rules;
            lines.push(format!("Rules: {name} debate{parameters}. {rules}"));
        }
        let task = facts.task_line(self.seat);
        lines.push(format!(
            "{} Your task: {task}",
            facts.role_announcement(self.seat)
        ));
        let texts = [&setting.about, &setting.briefing];
        lines.extend(texts.into_iter().flatten().cloned());
        lines.extend(setting.known.as_ref().map(|known| {
            let perspective = ViewerPerspective::of_seat(self.seat);
            let knows = perspective.verb_form(Seat::Opponent, "knows", "know");
            format!(
                "{} {knows}: {known}",
                perspective.player_name_or_you(Seat::Opponent)
            )
        }));
        let mut events = (1..).zip(view.events.texts()).peekable();
        if events.peek().is_some() {
            lines.push("\nEvents so far:".to_owned());
        }
        lines.extend(events.map(|(n, event)| format!("{n:>3}. {event}")));
        lines.push(String::new());
        if turn.request.is_log_hidden_from_replying_player() {
            lines.push(
                self.narrator()
                    .pending_question(turn, question.seating.log())
                    .text,
            );
        } else {
            lines.extend(question.question_lines(turn));
        }
        lines.join("\n")
    }
}

/// An event in the form in which a seat receives it.
#[derive(Debug)]
struct WrittenEvent {
    text: String,
    json: Box<RawValue>,
}

/// The events that a seat has seen, in order.
#[derive(Clone, Debug, Default)]
pub struct SeenEvents(Vec<Arc<WrittenEvent>>);

impl SeenEvents {
    fn push(&mut self, event: &SeenEvent) {
        // Cannot fail: an event consists of strings and numbers.
        if let Ok(json) = to_raw_value(event) {
            let text = event.text.clone();
            self.0.push(Arc::new(WrittenEvent { text, json }));
        }
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|event| event.text.as_str())
    }
}

impl Serialize for SeenEvents {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.0.iter().map(|event| &event.json))
    }
}

/// The events that one seat has seen in one debate, stored between the requests to this seat, so that each request
/// adds only the new events. Not valid after an undo.
pub struct SeenEventsOfOneSeat {
    /// The number of log entries that were already added to the cache.
    entries: usize,
    /// True if every request contains all events; false if it contains the events since the last request.
    tells_all: bool,
    /// The events to send.
    events: SeenEvents,
    /// The claims in the events.
    numbers: ClaimsMentionedInEvents,
    /// The constant part of the view, once it is built.
    setting: Option<Arc<ConstantPartOfSeatView>>,
}

impl Default for SeenEventsOfOneSeat {
    fn default() -> Self {
        Self::new(true)
    }
}

impl SeenEventsOfOneSeat {
    /// Creates an empty cache. If `resends_earlier_events` is true, each request contains all events that the seat has
    /// seen. Otherwise it contains only the events since the last request.
    pub fn new(resends_earlier_events: bool) -> Self {
        Self {
            entries: 0,
            tells_all: resends_earlier_events,
            events: SeenEvents::default(),
            numbers: ClaimsMentionedInEvents::default(),
            setting: None,
        }
    }

    /// Returns the range of log entries that are new since the last call, and marks them as processed. If a hidden
    /// reply was revealed and requests repeat all events, empties the cache first and returns the range of the whole
    /// log, because revealed events read differently.
    fn since(&mut self, seating: &SeatedDebate<'_, Exact>) -> Range<usize> {
        let entries = seating.log().entries();
        let new = entries.get(self.entries..).unwrap_or_default();
        let opens = |entry: &LogEntry<Exact>| entry.event.opened_seal().is_some();
        if self.tells_all && new.iter().any(opens) {
            *self = Self::default();
        }
        let from = self.entries;
        self.entries = entries.len();
        from..entries.len()
    }

    /// Returns the events for the current request to the seat: all, or only the new ones if `tells_all` is false.
    fn events_to_send(&mut self) -> SeenEvents {
        if self.tells_all {
            self.events.clone()
        } else {
            std::mem::take(&mut self.events)
        }
    }
}
