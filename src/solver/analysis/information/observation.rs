//! What a seat sees of a debate, as words that are equal exactly where it sees the same.
//!
//! A claim's number depends on its instance, so a claim stands as its key, the bits that it reads and
//! the supports that are offered for it: all that can be seen of it but its text. What a seat knows
//! of the instance beforehand is told apart by its block, and not here.
//!
//! Every event begins with a word for its kind, and everything whose length differs begins with its
//! length, so that two sequences of events never have the same words by accident.

use std::collections::HashMap;

use debate_core::bits::Bits;
use debate_core::gate::Gate;
use debate_core::number::Number;
use debate_core::protocol::{Ask, Bet, Check, Event, Reward, Seal, Seat, Sink};
use debate_core::scenario::{BitId, ClaimId, ClaimKey, Instance, Source, Speech};

/// All that can be seen of a claim but its text.
#[derive(Debug, PartialEq, Eq, Hash)]
struct ClaimLook {
    key: ClaimKey,
    reads: Vec<BitId>,
    supports: Vec<(Gate, Vec<ClaimKey>)>,
}

impl ClaimLook {
    fn of(instance: &Instance, claim: ClaimId) -> Self {
        let key = |claim: &ClaimId| instance.key(*claim).clone();
        let supports = instance.supports(claim).iter();
        Self {
            key: key(&claim),
            reads: instance.reads(claim).to_vec(),
            supports: supports
                .map(|support| (support.gate.clone(), support.on.iter().map(key).collect()))
                .collect(),
        }
    }
}

/// The numbers of claims that look the same in several instances, and of speeches.
#[derive(Debug, Default)]
pub(crate) struct LookNumbers {
    claims: HashMap<ClaimLook, u64>,
    /// By the place of the instance among all, and claim.
    known: HashMap<(usize, ClaimId), u64>,
    speeches: HashMap<Speech, u64>,
}

impl LookNumbers {
    /// The number of a claim of an instance, which has this place among all.
    fn of_claim(&mut self, place: usize, instance: &Instance, claim: ClaimId) -> u64 {
        if let Some(known) = self.known.get(&(place, claim)) {
            return *known;
        }
        let next = self.claims.len() as u64;
        let look = ClaimLook::of(instance, claim);
        let number = *self.claims.entry(look).or_insert(next);
        self.known.insert((place, claim), number);
        number
    }

    fn of_speech(&mut self, speech: &Speech) -> u64 {
        let next = self.speeches.len() as u64;
        *self.speeches.entry(speech.clone()).or_insert(next)
    }
}

/// What is sealed from a seat, until it opens.
pub(crate) type Sealed = Vec<(Seal, Vec<u64>)>;

/// Takes the events that follow a reply: what a seat sees of them.
pub(crate) struct Observer<'o, N> {
    /// Whose view it is.
    pub(crate) seat: Seat,
    pub(crate) numbers: &'o mut LookNumbers,
    /// The instance, and its place among all.
    pub(crate) instance: (usize, &'o Instance),
    /// What was sealed before.
    pub(crate) sealed: &'o mut Sealed,
    /// What the seat sees now.
    pub(crate) words: Vec<u64>,
    /// Takes the same events.
    pub(crate) inner: &'o mut dyn Sink<N>,
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
        self.numbers.of_claim(place, instance, claim)
    }

    /// Adds an event to words.
    #[expect(clippy::too_many_lines, reason = "one arm for each kind of event")]
    fn encode(&mut self, event: &Event<N>, words: &mut Vec<u64>) {
        match event {
            Event::Entered { round, claim, p } => {
                words.extend([1, u64::from(*round), self.claim(*claim)]);
                add_option(p.as_ref(), words);
            }
            Event::Answered { claim, answer } => {
                words.extend([2, self.claim(*claim), u64::from(*answer)]);
            }
            Event::Estimated {
                claim,
                place,
                alone,
                p,
            } => {
                words.extend([3, self.claim(*claim), of_place(*place), u64::from(*alone)]);
                p.add_to_key(words);
            }
            Event::Tossed {
                claim,
                place,
                p,
                value,
            } => {
                words.extend([4, self.claim(*claim), of_place(*place), u64::from(*value)]);
                p.add_to_key(words);
            }
            Event::Betted { round, claim, bet } => {
                words.extend([5, u64::from(*round), self.claim(*claim), of_bet(*bet)]);
            }
            Event::Supported { claim, support } => {
                words.extend([6, self.claim(*claim), u64::from(*support)]);
            }
            Event::Claimed {
                claim,
                support,
                answers,
            } => {
                words.extend([7, self.claim(*claim), u64::from(*support)]);
                add_bits(answers, words);
            }
            Event::Gated { claim, holds } => {
                words.extend([8, self.claim(*claim), u64::from(*holds)]);
            }
            Event::Selected {
                by,
                claim,
                place,
                chosen,
            } => {
                let claims = [self.claim(*claim), self.claim(*chosen)];
                words.extend([9, by.index() as u64, u64::from(*place)]);
                words.extend(claims);
            }
            Event::Parts { claim, on } => {
                words.extend([10, self.claim(*claim), on.len() as u64]);
                words.extend(on.iter().map(|part| self.claim(*part)));
            }
            Event::Gave { ask, bits } => {
                words.push(11);
                self.add_ask(*ask, words);
                add_bits(bits, words);
            }
            Event::Shared { place, share } => {
                words.extend([12, u64::from(*place)]);
                share.add_to_key(words);
            }
            Event::Challenged { step, verifier } => {
                words.extend([13, step.map_or(0, |step| step + 1), u64::from(*verifier)]);
            }
            Event::Read {
                source,
                value,
                verifier,
            } => {
                let (kind, place) = match source {
                    Source::Input(place) => (0, *place),
                    Source::Witness(place) => (1, *place),
                    Source::Step(step) => (2, *step),
                };
                words.extend([14, kind, place, u64::from(*value), u64::from(*verifier)]);
            }
            Event::Sampled { step, ones, count } => words.extend([15, *step, *ones, *count]),
            Event::Checked { check, holds } => {
                words.extend([16, u64::from(*holds)]);
                words.extend(of_check(*check));
            }
            Event::GaveBit { bit, value } => {
                words.extend([17, u64::from(*bit), u64::from(*value)]);
            }
            Event::Judged {
                claim,
                answer,
                confidence,
            } => {
                words.extend([18, self.claim(*claim), u64::from(*answer)]);
                add_option(confidence.as_ref(), words);
            }
            Event::Spoke { round, speech } => {
                words.extend([19, u64::from(*round), self.numbers.of_speech(speech)]);
            }
            Event::Continued { goes_on } => words.extend([20, u64::from(*goes_on)]),
            Event::Opened(seal) => {
                words.push(21);
                words.extend(of_seal(*seal));
            }
            Event::Rewarded(reward) => {
                words.push(22);
                add_reward(reward, words);
            }
            Event::Ended { payoff } => {
                words.push(23);
                payoff.add_to_key(words);
            }
        }
    }

    fn add_ask(&mut self, ask: Ask, words: &mut Vec<u64>) {
        match ask {
            Ask::Proof(bit) => words.extend([0, u64::from(bit)]),
            Ask::Answers {
                claim,
                support,
                result,
            } => {
                words.extend([1, self.claim(claim), u64::from(support), u64::from(result)]);
            }
            Ask::Configuration { time } => words.extend([2, time]),
            Ask::Witness => words.push(3),
            Ask::Transcript { verifier } => words.extend([4, u64::from(verifier)]),
            Ask::Block { block, claim } => {
                words.extend([5, u64::from(block), self.claim(claim)]);
            }
        }
    }
}

/// The place of a claim among its siblings; the root has none.
fn of_place(place: Option<u32>) -> u64 {
    place.map_or(0, |place| u64::from(place) + 1)
}

fn of_bet(bet: Bet) -> u64 {
    match bet {
        Bet::TooHigh => 0,
        Bet::AboutRight => 1,
        Bet::TooLow => 2,
    }
}

fn of_seal(seal: Seal) -> [u64; 2] {
    match seal {
        Seal::Answer => [0, 0],
        Seal::Bet(round) => [1, round.into()],
        Seal::Share(step) => [2, step.into()],
        Seal::Speech(round) => [3, round.into()],
    }
}

fn of_check(check: Check) -> [u64; 3] {
    match check {
        Check::WellFormed { time } => [0, time, 0],
        Check::Start => [1, 0, 0],
        Check::Accepts => [2, 0, 0],
        Check::Follows { time } => [3, time, 0],
        Check::Step { step, verifier } => [4, step, verifier.into()],
        Check::Output => [5, 0, 0],
        Check::Estimate { step } => [6, step, 0],
        Check::Matrix => [7, 0, 0],
    }
}

fn add_option<N: Number>(number: Option<&N>, words: &mut Vec<u64>) {
    words.push(number.is_some().into());
    if let Some(number) = number {
        number.add_to_key(words);
    }
}

fn add_bits(bits: &Bits, words: &mut Vec<u64>) {
    let bits = bits.as_slice();
    words.push(bits.len() as u64);
    let word = |bits: &[bool]| (bits.iter()).fold(0, |word, bit| word << 1 | u64::from(*bit));
    words.extend(bits.chunks(64).map(word));
}

/// Adds a reward with all numbers of its formula.
fn add_reward<N: Number>(reward: &Reward<N>, words: &mut Vec<u64>) {
    match reward {
        Reward::Agreement {
            weight,
            exponent,
            coin,
            answer,
        } => {
            words.extend([0, u64::from(*exponent)]);
            words.extend([u64::from(*coin), u64::from(*answer)]);
            weight.add_to_key(words);
        }
        Reward::Bet {
            round,
            weight,
            exponent,
            bet,
            outcome,
            judged,
            p,
        } => {
            words.extend([1, u64::from(*round), u64::from(*exponent), of_bet(*bet)]);
            words.extend([u64::from(*outcome), u64::from(*judged)]);
            weight.add_to_key(words);
            p.add_to_key(words);
        }
        Reward::Decided { for_prover } => words.extend([2, u64::from(*for_prover)]),
        Reward::Persuaded { p } => {
            words.push(3);
            p.add_to_key(words);
        }
        Reward::Verdict { claimed, answer } => {
            words.extend([4, u64::from(*claimed), u64::from(*answer)]);
        }
    }
}
