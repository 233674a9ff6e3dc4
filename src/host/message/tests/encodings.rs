//! The bytes of every kind of request, reply and event, in saves and in messages. `UPDATE=1` rewrites the file.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::super::event::{ClaimsMentionedInEvents, EventMessageFields};
use super::super::reply::{legal_reply_schema, read_reply};
use crate::record::SavedReply;
use debate_core::gate::Gate;
use debate_core::number::{Exact, Number as _};
use debate_core::protocol::{
    Bet, BitString, BitsMeaning, ChanceDraw, Event, Reply, ReplySeal, Request, Reward, Seat,
    VerifierCheck,
};
use debate_core::scenario::{
    BitId, BitSource, ClaimId, Instance, ProverWrittenSubclaim, ProverWrittenSupport, Speech,
    SpeechCharacterLimits, SpeechPart,
};
use debate_solver::setup::{LoadedScenario, ScenarioLimits};

/// The pinned bytes.
const PINNED: &str = include_str!("encodings.txt");

fn exact(numerator: i64, denominator: i64) -> Exact {
    Exact::ratio(numerator, denominator)
}

fn speech() -> Speech {
    let parts = vec![
        SpeechPart::Text("The text says \"ten\":".to_owned()),
        SpeechPart::Quote("ten\nyears".to_owned()),
    ];
    Speech { parts }
}

/// Returns a reply of each kind, with its form in a message. Replies of chance have no such form.
fn replies() -> Vec<(Reply<Exact>, Option<Value>)> {
    let composed = ProverWrittenSupport {
        gate: Gate::AtLeast(2),
        parts: ["a", "b \"quoted\""]
            .map(|text| ProverWrittenSubclaim {
                text: text.to_owned(),
                judged: text == "a",
            })
            .into(),
    };
    let compose = json!({"gate": {"at_least": 2}, "on": ["a", "b \"quoted\""], "judged": [0]});
    let confident = Reply::Oracle {
        holds: false,
        confidence: Some(exact(1, 3)),
    };
    let spoken = "The text says \"ten\":<quote>ten\nyears</quote>";
    vec![
        (Reply::Answer(true), Some(json!({"answer": true}))),
        (
            Reply::Probability(exact(1, 3)),
            Some(json!({"probability": "1/3"})),
        ),
        (
            Reply::Direction(Bet::TooLow),
            Some(json!({"direction": "too_low"})),
        ),
        (Reply::Support(2), Some(json!({"support": 2}))),
        (
            Reply::Compose(Box::new(composed)),
            Some(json!({"compose": compose})),
        ),
        (Reply::Select(1), Some(json!({"select": 1}))),
        (
            Reply::Bits(BitString::from(vec![true, false])),
            Some(json!({"bits": "10"})),
        ),
        (Reply::Challenge(Some(7)), Some(json!({"challenge": 7}))),
        (
            confident,
            Some(json!({"oracle": {"holds": false, "confidence": "1/3"}})),
        ),
        (
            Reply::Speech(Box::new(speech())),
            Some(json!({"speech": spoken})),
        ),
        (Reply::Continue(false), Some(json!({"continue": false}))),
        (Reply::Drawn(1), None),
    ]
}

/// Returns the number of a reply's kind. A new kind does not compile without a line here.
fn reply_kind(reply: &Reply<Exact>) -> usize {
    match reply {
        Reply::Answer(_) => 0,
        Reply::Probability(_) => 1,
        Reply::Direction(_) => 2,
        Reply::Support(_) => 3,
        Reply::Compose(_) => 4,
        Reply::Select(_) => 5,
        Reply::Bits(_) => 6,
        Reply::Challenge(_) => 7,
        Reply::Oracle { .. } => 8,
        Reply::Speech(_) => 9,
        Reply::Continue(_) => 10,
        Reply::Drawn(_) => 11,
    }
}

/// Returns a request of each kind.
fn requests(claim: ClaimId) -> Vec<Request<Exact>> {
    vec![
        Request::Answer { claim },
        Request::Probability {
            claim,
            place: Some(0),
            alone: false,
        },
        Request::Direction { claim },
        Request::Support { claim, offered: 2 },
        Request::Select { claim, count: 2 },
        Request::Share { claim },
        Request::Challenge { claim, steps: 0..3 },
        Request::Bits {
            ask: BitsMeaning::Witness,
            length: 2,
        },
        Request::Oracle { claim },
        Request::Speech {
            argues_for: Some(0),
            limits: SpeechCharacterLimits {
                words: Some(750),
                quotes: None,
            },
        },
        Request::Continue { round: 1 },
        Request::Draw {
            ordinal: 0,
            claim,
            draw: ChanceDraw::Bernoulli(exact(1, 2)),
        },
    ]
}

/// Returns the number of a request's kind.
fn request_kind(request: &Request<Exact>) -> usize {
    match request {
        Request::Answer { .. } => 0,
        Request::Probability { .. } => 1,
        Request::Direction { .. } => 2,
        Request::Support { .. } => 3,
        Request::Select { .. } => 4,
        Request::Share { .. } => 5,
        Request::Challenge { .. } => 6,
        Request::Bits { .. } => 7,
        Request::Oracle { .. } => 8,
        Request::Speech { .. } => 9,
        Request::Continue { .. } => 10,
        Request::Draw { .. } => 11,
    }
}

/// Returns an event of each kind about a claim and its first subclaim, with rewards of each kind.
#[expect(clippy::too_many_lines, reason = "one value for each kind")]
fn events(claim: ClaimId, part: ClaimId) -> Vec<Event<Exact>> {
    let half = || exact(1, 2);
    let rewards = [
        Reward::Agreement {
            weight: exact(9, 1),
            exponent: 2,
            coin: true,
            answer: false,
        },
        Reward::Bet {
            round: 1,
            weight: exact(3, 1),
            exponent: 1,
            bet: Bet::TooHigh,
            outcome: true,
            judged: false,
            p: half(),
        },
        Reward::Decided { for_prover: true },
        Reward::Persuaded { p: exact(3, 4) },
        Reward::Verdict {
            claimed: true,
            answer: false,
        },
    ];
    let mut events = vec![
        Event::Entered {
            round: 1,
            claim,
            p: Some(half()),
        },
        Event::Answered {
            claim,
            answer: true,
        },
        Event::Estimated {
            claim: part,
            place: Some(0),
            alone: true,
            p: exact(1, 3),
        },
        Event::Tossed {
            claim: part,
            place: None,
            p: half(),
            value: false,
        },
        Event::BetPlaced {
            round: 1,
            claim,
            bet: Bet::AboutRight,
        },
        Event::Supported { claim, support: 0 },
        Event::Claimed {
            claim,
            support: 0,
            answers: BitString::from(vec![true, false]),
        },
        Event::Gated { claim, holds: true },
        Event::Selected {
            by: Seat::Opponent,
            claim,
            place: 0,
            chosen: part,
        },
        Event::Parts {
            claim,
            on: vec![part],
        },
        Event::Gave {
            ask: BitsMeaning::Block { block: 0, claim },
            bits: BitString::from(vec![false]),
        },
        Event::Shared {
            place: 3,
            share: exact(1, 8),
        },
        Event::Challenged {
            step: None,
            verifier: true,
        },
        Event::Read {
            source: BitSource::Witness(4),
            value: true,
            verifier: false,
        },
        Event::Sampled {
            step: 5,
            ones: 6,
            count: 7,
        },
        Event::Checked {
            check: VerifierCheck::Follows { time: 8 },
            holds: false,
        },
        Event::GaveBit {
            bit: BitId::default(),
            value: true,
        },
        Event::Judged {
            claim,
            answer: false,
            confidence: Some(exact(2, 3)),
        },
        Event::Spoke {
            round: 1,
            speech: speech(),
        },
        Event::Continued { continues: true },
        Event::Opened(ReplySeal::Speech(1)),
        Event::Ended { payoff: half() },
    ];
    events.extend(rewards.map(Event::Rewarded));
    events
}

/// Returns the number of an event's kind.
fn event_kind(event: &Event<Exact>) -> usize {
    match event {
        Event::Entered { .. } => 0,
        Event::Answered { .. } => 1,
        Event::Estimated { .. } => 2,
        Event::Tossed { .. } => 3,
        Event::BetPlaced { .. } => 4,
        Event::Supported { .. } => 5,
        Event::Claimed { .. } => 6,
        Event::Gated { .. } => 7,
        Event::Selected { .. } => 8,
        Event::Parts { .. } => 9,
        Event::Gave { .. } => 10,
        Event::Shared { .. } => 11,
        Event::Challenged { .. } => 12,
        Event::Read { .. } => 13,
        Event::Sampled { .. } => 14,
        Event::Checked { .. } => 15,
        Event::GaveBit { .. } => 16,
        Event::Judged { .. } => 17,
        Event::Spoke { .. } => 18,
        Event::Continued { .. } => 19,
        Event::Opened(_) => 20,
        Event::Ended { .. } => 21,
        Event::Rewarded(_) => 22,
    }
}

/// Fails unless every number from 0 to the largest one occurs.
fn assert_complete(mut kinds: Vec<usize>, last: usize) {
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, (0..=last).collect::<Vec<_>>());
}

fn instance() -> Instance {
    let setup =
        LoadedScenario::load_bundled_scenario("primes", &ScenarioLimits::default()).unwrap();
    setup.instance(0)
}

#[test]
fn the_bytes_of_every_request_reply_and_event_are_pinned() {
    let instance = instance();
    let claim = instance.root();
    let part = instance.supports(claim)[0].on[0];
    let mut text = String::new();

    let replies = replies();
    assert_complete(replies.iter().map(|(it, _)| reply_kind(it)).collect(), 11);
    for (reply, message) in &replies {
        let saved = SavedReply::Whole(reply.clone()).to_string();
        assert_eq!(
            SavedReply::parse_reply_stored_in_full(&saved).as_ref(),
            Ok(reply)
        );
        writeln!(text, "reply, saved: {saved}").unwrap();
        if let Some(message) = message {
            writeln!(text, "reply, sent:  {message}").unwrap();
        }
    }
    let requests = requests(claim);
    assert_complete(requests.iter().map(request_kind).collect(), 11);
    for request in &requests {
        let schema = serde_json::to_string(&legal_reply_schema(request, &instance)).unwrap();
        writeln!(text, "request, its legal replies: {schema}").unwrap();
    }
    let events = events(claim, part);
    assert_complete(events.iter().map(event_kind).collect(), 22);
    for event in &events {
        let mut numbers = ClaimsMentionedInEvents::default();
        let fields = EventMessageFields::of(event, &instance, |it| {
            numbers.number_of_claim(&instance, it)
        });
        let sent = serde_json::to_string(&fields).unwrap();
        writeln!(text, "event, sent: {sent}").unwrap();
    }

    if std::env::var_os("UPDATE").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/message/tests/encodings.txt");
        std::fs::write(file, &text).unwrap();
    } else {
        assert_eq!(text, PINNED);
    }
}

#[test]
fn every_reply_is_read_from_its_message() {
    let instance = instance();
    let requests = requests(instance.root());
    for (reply, message) in replies() {
        let Some(message) = message else { continue };
        // Any request works here, because a reply is read by the names of its fields.
        let request = &requests[0];
        let read = read_reply(&message, request, || BitString::from(Vec::new()));
        let read =
            read.or_else(|_| read_reply(&message, &requests[6], || BitString::from(Vec::new())));
        assert_eq!(read, Ok(reply));
    }
}
