//! A participant who debates: what they are asked, and the reply that an answer makes.

use super::{Asked, Halt, TrialReply, failed};
use crate::error::StudyError;
use debate_core::number::{Exact, Number as _};
use debate_core::protocol::{Ask, Bet, Bits, Event, Log, Reply, Request, Turn};
use debate_core::scenario::{ClaimId, Speech};
use debate_lab::tell::Narrator;

/// The most options of a page.
const MOST_OPTIONS: usize = 30;
/// The most bits that are chosen as one of all strings.
const MOST_BITS: u32 = 4;
/// The most characters of a speech, where the rules allow more.
const MOST_SPEECH: usize = 4000;

/// What a request asks of somebody who debates.
pub(super) fn asked(
    turn: &Turn<Exact>,
    log: &Log<Exact>,
    narrator: &Narrator<'_>,
) -> Result<Asked, Halt> {
    let question = narrator.ask(turn, log).text;
    Ok(match &turn.request {
        Request::Probability { .. } | Request::Share { .. } => Asked::Estimate { question },
        Request::Speech { .. } => Asked::Speech {
            question,
            most: MOST_SPEECH,
        },
        request => {
            let options = options(request, log, narrator);
            if options.is_empty() || options.len() > MOST_OPTIONS {
                return Err(failed(format!(
                    "the participant would be asked for {}, which no page of a study asks for; take other rules",
                    request.wants()
                )));
            }
            let options = options.into_iter().map(|(label, _)| label);
            Asked::Move {
                question,
                options: options.collect(),
            }
        }
    })
}

/// The reply that an answer to a request makes.
pub(super) fn reply(
    said: &TrialReply,
    turn: &Turn<Exact>,
    log: &Log<Exact>,
    narrator: &Narrator<'_>,
) -> Result<Reply<Exact>, Halt> {
    let other = || failed("an answer to another question stands in the log");
    match (said, &turn.request) {
        (TrialReply::Estimate(percent), Request::Probability { .. } | Request::Share { .. }) => {
            Ok(Reply::Probability(Exact::ratio(i64::from(*percent), 100)))
        }
        (TrialReply::Said(text), Request::Speech { .. }) => match Speech::parse(text) {
            Ok(speech) => Ok(Reply::Speech(Box::new(speech))),
            Err(why) => Err(Halt::Failed(StudyError::Refused(why.to_string()))),
        },
        (TrialReply::Chosen(place), request) => {
            let mut options = options(request, log, narrator).into_iter();
            options
                .nth(*place)
                .map(|(_, reply)| reply)
                .ok_or_else(other)
        }
        _ => Err(other()),
    }
}

/// The replies to choose from, each in words; none where they cannot be listed.
fn options(
    request: &Request<Exact>,
    log: &Log<Exact>,
    narrator: &Narrator<'_>,
) -> Vec<(String, Reply<Exact>)> {
    match request {
        Request::Answer { .. } => vec![
            ("Yes, it is true".to_owned(), Reply::Answer(true)),
            ("No, it is not true".to_owned(), Reply::Answer(false)),
        ],
        Request::Direction { .. } => [
            ("It is too low", Bet::TooLow),
            ("It is about right", Bet::AboutRight),
            ("It is too high", Bet::TooHigh),
        ]
        .map(|(label, bet)| (label.to_owned(), Reply::Direction(bet)))
        .into(),
        Request::Support { claim, offered } => (0..*offered)
            .map(|place| (narrator.support(*claim, place), Reply::Support(place)))
            .collect(),
        Request::Select { claim, count } => {
            let parts = parts(log, narrator, *claim);
            let label = |place: u32| {
                let part = parts.get(place as usize);
                part.map_or_else(
                    || format!("Number {}", place + 1),
                    |part| narrator.instance.text(*part),
                )
            };
            (0..*count)
                .map(|place| (label(place), Reply::Select(place)))
                .collect()
        }
        Request::Challenge { steps, .. } => {
            let none = ("No step is wrong".to_owned(), Reply::Challenge(None));
            let named = steps.clone().take(MOST_OPTIONS).map(|step| {
                let label = format!("Step {step} is wrong");
                (label, Reply::Challenge(Some(step)))
            });
            std::iter::once(none).chain(named).collect()
        }
        Request::Bits { ask, length } if *length <= MOST_BITS => (0..1_u32 << length)
            .rev()
            .map(|number| {
                let bits: Vec<bool> = (0..*length).map(|bit| number >> bit & 1 == 1).collect();
                (
                    in_words(&bits, *ask, narrator),
                    Reply::Bits(Bits::from(bits)),
                )
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The subclaims of a claim that were named last.
fn parts(log: &Log<Exact>, narrator: &Narrator<'_>, wanted: ClaimId) -> Vec<ClaimId> {
    let mut backwards = log.entries().iter().rev();
    let found = backwards.find_map(|entry| match &entry.event {
        Event::Parts { claim, on } if *claim == wanted => Some(on.clone()),
        Event::Supported { claim, support } if *claim == wanted => {
            Some(narrator.instance.support(*claim, *support)?.on.clone())
        }
        _ => None,
    });
    found.unwrap_or_default()
}

/// A string of bits: where they are answers about subclaims, each with its subclaim.
fn in_words(bits: &[bool], ask: Ask, narrator: &Narrator<'_>) -> String {
    let on = match ask {
        Ask::Answers { claim, support, .. } => {
            let support = narrator.instance.support(claim, support);
            support
                .map(|support| support.on.as_slice())
                .unwrap_or_default()
        }
        _ => &[],
    };
    let each = bits
        .iter()
        .enumerate()
        .map(|(place, bit)| match on.get(place) {
            Some(claim) => {
                let is = if *bit { "true" } else { "not true" };
                format!("{} {is}", narrator.brief(*claim))
            }
            None => u8::from(*bit).to_string(),
        });
    let between = if on.is_empty() { "" } else { ", " };
    each.collect::<Vec<_>>().join(between)
}
