//! What is asked about computations, in words.

use std::ops::Range;

use super::strings::grouped;
use super::{Ask, ClaimId, Event, Log, Question, Request, Seat, Teller};
use crate::scenario::Quantifier;

/// More clauses than these are not looked at for a question.
const MOST_CLAUSES: usize = 60;

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
            Request::Bits { ask, length } => self.ask_bits(*ask, *length, log),
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

    fn ask_bits<N>(&self, ask: Ask, length: u32, log: &Log<N>) -> Question {
        let (title, text) = match ask {
            Ask::Configuration { time } => {
                let run = self.instance.run();
                let must = match run.filter(|run| run.steps() == time) {
                    Some(_) => " You defend that it accepts: you lose if it does not.",
                    None => "",
                };
                let what = self.what(ask);
                ("Your configuration", format!("What is {what}?{must}"))
            }
            Ask::Witness => (
                "Your witness",
                format!(
                    "Give a witness of {} bits that the claim is true.",
                    grouped(length.into())
                ),
            ),
            Ask::Block { block, .. } => ("Your values", self.ask_block(ask, block, log)),
            _ => (
                "Your transcript",
                format!(
                    "Write down {}: {} bits. You defend that the last is 1: you lose if it is 0.",
                    self.what(ask),
                    grouped(length.into())
                ),
            ),
        };
        // Clauses stand in the question, as far as they are open.
        let evidence = match (ask, self.instance.formula()) {
            (Ask::Block { claim, .. }, formula)
                if formula
                    .as_ref()
                    .is_none_or(|formula| formula.open_clauses(&[], 0).is_none()) =>
            {
                self.instance.evidence(claim)
            }
            _ => None,
        };
        Question {
            title,
            text,
            evidence,
        }
    }

    /// The values of a block, with what was chosen before and what that leaves of the clauses.
    fn ask_block<N>(&self, ask: Ask, block: u32, log: &Log<N>) -> String {
        let mut text = format!("Choose the values of {}", self.what(ask));
        let formula = self.instance.formula();
        let number = usize::try_from(block).unwrap_or(usize::MAX);
        let owner = formula.as_ref().and_then(|f| f.blocks().get(number));
        let (Some(formula), Some(owner)) = (&formula, owner) else {
            return text + ".";
        };
        let wins = match owner.quantifier {
            Quantifier::Exists => "if",
            Quantifier::ForAll => "unless",
        };
        let end = formula.matrix_text();
        text += &[". You win ", wins, " in the end ", &end, "."].concat();
        let mut outer = Vec::new();
        let mut chosen = Vec::new();
        for entry in log.entries() {
            if let Event::Gave {
                ask: Ask::Block { block, .. },
                bits,
            } = &entry.event
            {
                outer.extend_from_slice(bits.as_slice());
                let number = usize::try_from(*block).unwrap_or(usize::MAX);
                chosen.extend(formula.values_text(number, bits));
            }
        }
        if !chosen.is_empty() {
            text += &["\nSo far: ", &chosen.join(", "), "."].concat();
        }
        let Some(open) = formula.open_clauses(&outer, MOST_CLAUSES) else {
            return text;
        };
        let mut say = |what: &str, clauses: &[String]| {
            if !clauses.is_empty() {
                text += &["\n", what, ": ", &clauses.join("; "), "."].concat();
            }
        };
        say("Broken", &open.broken);
        say("Yours to decide", &open.next);
        say("Later", &open.later);
        text
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
