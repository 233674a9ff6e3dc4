//! What is asked about computations, in words.

use std::ops::Range;

use super::strings::grouped;
use super::{Ask, ClaimId, Event, Log, Question, Request, Seat, Teller};

/// Whether the claim under discussion fell into parts that no support offers.
pub(super) fn parted<N>(log: &Log<N>) -> bool {
    let mut backwards = log.entries().iter().rev();
    backwards
        .find_map(|entry| match entry.event {
            Event::Parts { .. } => Some(true),
            Event::Supported { .. } => Some(false),
            _ => None,
        })
        .unwrap_or(false)
}

/// Whether what an entry of the log selects is all that the claim had just fallen into.
pub(super) fn is_only_part<N>(log: &Log<N>, index: usize) -> bool {
    let before = index.checked_sub(1).and_then(|at| log.entries().get(at));
    before.is_some_and(|entry| matches!(&entry.event, Event::Parts { on, .. } if on.len() == 1))
}

/// Whether a transcript was given, and if so whether it is of the verifier's own computation.
fn transcript<N>(log: &Log<N>) -> Option<bool> {
    let mut backwards = log.entries().iter().rev();
    backwards.find_map(|entry| match entry.event {
        Event::Gave {
            ask: Ask::Transcript { verifier },
            ..
        } => Some(verifier),
        _ => None,
    })
}

impl Teller<'_> {
    /// What is asked in a computation.
    pub(super) fn ask_step<N>(&self, request: &Request<N>, log: &Log<N>) -> Question {
        let plain = |title, text: String| Question {
            title,
            text,
            evidence: None,
        };
        match request {
            Request::Bits { ask, length } => self.ask_bits(*ask, *length),
            Request::Challenge { claim, steps } => self.ask_challenge(*claim, steps, log),
            Request::Share { claim } => plain(
                "Your number",
                format!(
                    "Give a number from 0 to 1 for the coin of {}. The other side gives one \
                     too, unseen, and their sum decides: whoever draws evenly cannot be cheated.",
                    self.quoted(*claim)
                ),
            ),
            _ => plain("", String::new()),
        }
    }

    fn ask_bits(&self, ask: Ask, length: u32) -> Question {
        let (title, text) = match ask {
            Ask::Configuration { .. } => {
                ("Your configuration", format!("What is {}?", self.what(ask)))
            }
            Ask::Witness => (
                "Your witness",
                format!(
                    "Give a witness of {} bits that the claim is true.",
                    grouped(length.into())
                ),
            ),
            Ask::Block { .. } => (
                "Your values",
                format!("Choose the values of {}.", self.what(ask)),
            ),
            _ => (
                "Your transcript",
                format!(
                    "Write down {}: {} bits.",
                    self.what(ask),
                    grouped(length.into())
                ),
            ),
        };
        let evidence = match ask {
            Ask::Block { claim, .. } => self.instance.evidence(claim),
            _ => None,
        };
        Question {
            title,
            text,
            evidence,
        }
    }

    fn ask_challenge<N>(&self, claim: ClaimId, steps: &Range<u64>, log: &Log<N>) -> Question {
        let count = steps.end.saturating_sub(steps.start);
        let text = match transcript(log) {
            None => format!(
                "Is Alice's probability for {} so wrong that the verifier should check it? The \
                 check ends the debate.",
                self.brief(claim)
            ),
            Some(verifier) => {
                let whose = if verifier { " of the verifier" } else { "" };
                let count = match count {
                    1 => "one step".to_owned(),
                    count => format!("{} steps", grouped(count)),
                };
                format!(
                    "Alice wrote down {count}{whose} for {}. Point at one that does not follow \
                     from what it reads, or at none; none is pointing at the last step, which \
                     must also say 1.",
                    self.brief(claim)
                )
            }
        };
        Question {
            title: "Your challenge",
            text,
            evidence: None,
        }
    }

    /// Which of the parts that a claim fell into.
    pub(super) fn ask_part(&self, seat: Seat, claim: ClaimId) -> Question {
        let text = match seat {
            Seat::Opponent => format!(
                "Alice stands by {}. In which of these is the error?",
                self.quoted(claim)
            ),
            _ => format!(
                "Which of these shows that it is so: {}? Take one that you can defend.",
                self.quoted(claim)
            ),
        };
        Question {
            title: "Your choice",
            text,
            evidence: None,
        }
    }
}
