//! What a seat sees of a debate, as words that are equal exactly where it sees the same.
//!
//! A claim's number depends on its instance, so a claim stands as its key and the supports that are
//! offered for it: all that can be seen of it but its words. An instance whose words alone are other
//! is told apart by what a seat knows, and not here.

use std::collections::HashMap;
use std::fmt::Write as _;

use debate_core::number::Number;
use debate_core::protocol::{Event, Seal, Seat, Sink};
use debate_core::scenario::{ClaimId, Instance};

/// The numbers of claims that look the same in several instances.
#[derive(Debug, Default)]
pub(in crate::analysis) struct Signatures {
    /// By what is seen of a claim, and by the text of events that have no words of their own.
    numbers: HashMap<String, u64>,
    /// By instance and claim.
    known: HashMap<(usize, ClaimId), u64>,
}

impl Signatures {
    fn number(&mut self, text: String) -> u64 {
        let next = self.numbers.len() as u64;
        *self.numbers.entry(text).or_insert(next)
    }

    /// The number of a claim of an instance, which has this place among all.
    fn of_claim(&mut self, place: usize, instance: &Instance, claim: ClaimId) -> u64 {
        if let Some(known) = self.known.get(&(place, claim)) {
            return *known;
        }
        let number = self.number(seen_of_claim(instance, claim));
        self.known.insert((place, claim), number);
        number
    }
}

/// All that can be seen of a claim but its words.
fn seen_of_claim(instance: &Instance, claim: ClaimId) -> String {
    let mut text = format!("claim {} {:?}", instance.key(claim), instance.reads(claim));
    for support in instance.supports(claim) {
        let _ = write!(text, "; {:?}", support.gate);
        for below in &support.on {
            let _ = write!(text, " {}", instance.key(*below));
        }
    }
    text
}

/// What is sealed from a seat, until it opens.
pub(in crate::analysis) type Sealed = Vec<(Seal, Vec<u64>)>;

/// Takes the events that follow a reply: what a seat sees of them.
pub(in crate::analysis) struct Observer<'o, N> {
    /// Whose view it is.
    pub(in crate::analysis) seat: Seat,
    pub(in crate::analysis) signatures: &'o mut Signatures,
    /// The instance, and its place among all.
    pub(in crate::analysis) instance: (usize, &'o Instance),
    /// What was sealed before.
    pub(in crate::analysis) sealed: &'o mut Sealed,
    /// What the seat sees now.
    pub(in crate::analysis) words: Vec<u64>,
    /// Takes the same events.
    pub(in crate::analysis) inner: &'o mut dyn Sink<N>,
}

impl<N: Number> Sink<N> for Observer<'_, N> {
    fn wants(&self) -> bool {
        true
    }

    fn note(&mut self, seat: Seat, seal: Option<Seal>, event: Event<N>) {
        match seal {
            Some(seal) if seat != self.seat => {
                let mut hidden = Vec::new();
                self.encode(&event, &mut hidden);
                self.sealed.push((seal, hidden));
                self.words.push(u64::MAX);
            }
            _ => {
                let mut words = std::mem::take(&mut self.words);
                self.encode(&event, &mut words);
                self.words = words;
            }
        }
        if let Event::Opened(opened) = &event {
            let words = &mut self.words;
            self.sealed.retain(|(seal, hidden)| {
                if seal == opened {
                    words.extend(hidden);
                }
                seal != opened
            });
        }
        self.inner.note(seat, seal, event);
    }
}

impl<N: Number> Observer<'_, N> {
    fn claim(&mut self, claim: ClaimId) -> u64 {
        let (place, instance) = self.instance;
        self.signatures.of_claim(place, instance, claim)
    }

    /// Adds an event to words; the first word says of what kind it is.
    fn encode(&mut self, event: &Event<N>, words: &mut Vec<u64>) {
        match event {
            Event::Entered { round, claim, p } => {
                words.extend([1, u64::from(*round), self.claim(*claim)]);
                if let Some(p) = p {
                    p.add_to_key(words);
                }
            }
            Event::Answered { answer, .. } => words.extend([2, u64::from(*answer)]),
            Event::Estimated {
                claim, alone, p, ..
            } => {
                words.extend([3, self.claim(*claim), u64::from(*alone)]);
                p.add_to_key(words);
            }
            Event::Tossed { p, value, .. } => {
                words.extend([4, u64::from(*value)]);
                p.add_to_key(words);
            }
            Event::Supported { support, .. } => words.extend([5, u64::from(*support)]),
            Event::Gated { holds, .. } => words.extend([6, u64::from(*holds)]),
            Event::Selected { place, chosen, .. } => {
                words.extend([7, u64::from(*place), self.claim(*chosen)]);
            }
            Event::Claimed { support, .. } => {
                words.extend([8, u64::from(*support)]);
                self.told(event, words);
            }
            Event::Judged { answer, .. } => words.extend([9, u64::from(*answer)]),
            event => self.told(event, words),
        }
    }

    /// Adds an event as its text, with claims as they look.
    fn told(&mut self, event: &Event<N>, words: &mut Vec<u64>) {
        const CLAIM: &str = "ClaimId(";
        let printed = format!("{event:?}");
        let mut parts = printed.split(CLAIM);
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (number, rest) = part.split_once(')').unwrap_or((part, ""));
            let claim = number
                .parse()
                .ok()
                .and_then(|number| self.instance.1.numbered(number));
            match claim {
                Some(claim) => {
                    let _ = write!(text, "{}", self.claim(claim));
                }
                None => text.push_str(number),
            }
            text.push_str(rest);
        }
        words.extend([10, self.signatures.number(text)]);
    }
}
