//! The observations of a seat, written so that they read the same in every instance in which the
//! seat sees the same.
//!
//! A claim's number depends on its instance, so claims stand as their words and the gates that
//! support them. Whoever is not blind knows the instance itself. A blind seat knows what a
//! [`Blind`](debate_core::scenario::Blind) player may ask: the claims, a cheap test, what to believe.

use std::fmt::Write as _;

use debate_core::number::Exact;
use debate_core::protocol::{Log, Turn};
use debate_core::scenario::{ClaimId, Instance};

/// The beginning of a claim's number where an event is printed.
const CLAIM: &str = "ClaimId(";

/// Tells what seats see of one instance.
pub(super) struct SeatObservations<'a> {
    instance: &'a Instance,
    /// The knowledge of prover and opponent of the instance before anybody speaks.
    known: [String; 2],
}

impl<'a> SeatObservations<'a> {
    pub(super) fn new(instance: &'a Instance, blind: [bool; 2]) -> Self {
        let known = |blind: bool| {
            if blind {
                by_a_blind_seat(instance)
            } else {
                format!("instance {}", instance.world())
            }
        };
        Self {
            instance,
            known: blind.map(known),
        }
    }

    /// All that the seat that is asked has seen, and what it is asked.
    pub(super) fn seen(&self, turn: &Turn<Exact>, log: &Log<Exact>) -> String {
        let known = self.known.get(turn.seat.index());
        let mut text = known.cloned().unwrap_or_default();
        for seen in log.all_seen_by(Some(turn.seat)) {
            self.write(&format!("\n{seen:?}"), &mut text);
        }
        self.write(&format!("\n{:?}", turn.request), &mut text);
        text
    }

    /// Writes what was printed, claims in words.
    fn write(&self, printed: &str, text: &mut String) {
        let mut parts = printed.split(CLAIM);
        text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let (number, rest) = part.split_once(')').unwrap_or((part, ""));
            let claim = number
                .parse()
                .ok()
                .and_then(|number| self.instance.numbered(number));
            match claim {
                Some(claim) => claim_in_words(self.instance, claim, text),
                None => text.push_str(number),
            }
            text.push_str(rest);
        }
    }
}

/// A claim by its words, its name, and how it is supported.
fn claim_in_words(instance: &Instance, claim: ClaimId, text: &mut String) {
    let _ = write!(text, "{:?} {:?}", instance.text(claim), instance.id(claim));
    for (place, support) in instance.supports(claim).iter().enumerate() {
        let label = instance.label(claim, place);
        let _ = write!(text, " {label:?} {:?} of", support.gate);
        for below in &support.on {
            let _ = write!(text, " {:?}", instance.text(*below));
        }
    }
}

/// The knowledge of a blind player before anybody speaks.
fn by_a_blind_seat(instance: &Instance) -> String {
    let mut text = String::new();
    claim_in_words(instance, instance.root(), &mut text);
    let (of, world) = (instance.decomposition(), instance.world());
    let _ = write!(
        text,
        " {} {:?} {:?} {:?}",
        instance.size().depth,
        of.cheap_test(world),
        of.known_in_words(world),
        of.belief(world),
    );
    text
}
