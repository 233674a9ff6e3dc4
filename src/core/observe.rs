//! Observations: what a seat has seen of a debate. Two observation sequences are equal if and only if the seat cannot
//! tell the debates apart.
//!
//! [`ObservedLogEntry::observe_log_entry`] decides what a reader sees of an entry, and [`Log::observation_at`] uses it.
//! A [`ObservationKeyBuilder`] follows a debate from one seat and writes its observations as a key. The key starts with
//! the seat's prior knowledge; a sealed reply is added when it is opened. Two histories with the same key are in one
//! information set of the seat.
//!
//! A [`ClaimId`] has no meaning in another instance, and the wording of a claim is not knowledge. The key therefore
//! describes a claim by everything visible of it except its text ([`Instance::nontext_appearance_fingerprint`]). Every
//! event begins with a word for its kind and seat, and every part of variable length begins with its length. Two
//! different sequences of observations therefore never have the same key by accident.

use crate::bits::{BitString, number_from_bits};
use crate::digest::fingerprint;
use crate::number::Number;
use crate::protocol::{BitsMeaning, Event, Log, LogEntry, LogViewerRole, ReplySeal, Reward, Seat};
use crate::scenario::{ClaimId, Instance};

/// A log entry as a seat, or another viewer of the debate, observes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ObservedLogEntry<'e, N> {
    /// The whole entry.
    Open(&'e LogEntry<N>),
    /// A sealed reply: the observer sees that it was made, but its content is hidden.
    Sealed { seat: Seat, seal: ReplySeal },
}

impl<'e, N> ObservedLogEntry<'e, N> {
    /// Returns a log entry as a reader observes it; `None` if the reader may see no part of it. `is_seal_open` is true
    /// if the entry's seal was opened, so that its content is visible.
    pub fn observe_log_entry(
        entry: &'e LogEntry<N>,
        reader: LogViewerRole,
        is_seal_open: bool,
    ) -> Option<Self> {
        if reader.is_rejudging() && tells_verdict(entry) {
            return None;
        }
        let own = reader.viewer_seat().is_none_or(|seat| seat == entry.seat);
        if !own && !reader.is_shown_debate_during_play() {
            return None;
        }
        Some(match entry.seal {
            Some(seal) if !own && !is_seal_open => Self::Sealed {
                seat: entry.seat,
                seal,
            },
            _ => Self::Open(entry),
        })
    }

    /// True if the observed reply's content is still sealed.
    pub fn is_reply_content_sealed(&self) -> bool {
        matches!(self, Self::Sealed { .. })
    }
}

/// True for a log entry with a judge's estimate or decision, with a check or a read or sampled bit, or with a payment.
fn tells_verdict<N>(entry: &LogEntry<N>) -> bool {
    match entry.event {
        // The last three are the verifier's, before its decision.
        Event::Rewarded(_)
        | Event::Ended { .. }
        | Event::Continued { .. }
        | Event::Judged { .. }
        | Event::Checked { .. }
        | Event::Read { .. }
        | Event::Sampled { .. } => true,
        Event::Estimated { .. } => entry.seat == Seat::Judge,
        Event::Entered { .. }
        | Event::Answered { .. }
        | Event::Tossed { .. }
        | Event::BetPlaced { .. }
        | Event::Supported { .. }
        | Event::Claimed { .. }
        | Event::Gated { .. }
        | Event::Selected { .. }
        | Event::Parts { .. }
        | Event::Gave { .. }
        | Event::Shared { .. }
        | Event::Challenged { .. }
        | Event::GaveBit { .. }
        | Event::Spoke { .. }
        | Event::Opened(_) => false,
    }
}

impl<N> Log<N> {
    /// Returns the log entry at `index` as a reader sees it now. `None` if there is no such entry, or if the reader may
    /// see no part of it.
    pub fn observation_at(
        &self,
        index: usize,
        reader: impl Into<LogViewerRole>,
    ) -> Option<ObservedLogEntry<'_, N>> {
        let entry = self.entries().get(index)?;
        let is_open = entry.seal.is_some_and(|seal| self.is_seal_open(seal));
        ObservedLogEntry::observe_log_entry(entry, reader.into(), is_open)
    }

    /// Returns the indices of the sealed replies that the log entry at `index` opens. Only replies among the first
    /// `told` entries, which the reader was shown without their content, are returned.
    pub fn unsealed_entries(
        &self,
        index: usize,
        told: usize,
        reader: impl Into<LogViewerRole>,
    ) -> Vec<usize> {
        let entries = self.entries();
        let opening = entries.get(index);
        let Some((opener, seal)) =
            opening.and_then(|entry| Some((entry.seat, entry.event.opened_seal()?)))
        else {
            return Vec::new();
        };
        let reader = reader.into();
        let is_opened = |entry: &LogEntry<N>| {
            // The rules open all replies of a seal at once, or each seat's own reply.
            let is_meant = opener == Seat::Chance || opener == entry.seat;
            is_meant
                && ObservedLogEntry::observe_log_entry(entry, reader, false)
                    .is_some_and(|it| it.is_reply_content_sealed())
        };
        // Replies under one seal are adjacent in the log.
        let mut opened: Vec<usize> = (0..told.min(index))
            .rev()
            .skip_while(|at| entries[*at].seal != Some(seal))
            .take_while(|at| entries[*at].seal == Some(seal))
            .filter(|at| is_opened(&entries[*at]))
            .collect();
        opened.reverse();
        opened
    }

    /// Returns all log entries as a reader sees them now.
    pub fn all_observations(
        &self,
        reader: impl Into<LogViewerRole>,
    ) -> impl Iterator<Item = ObservedLogEntry<'_, N>> {
        let reader = reader.into();
        (0..self.entries().len()).filter_map(move |index| self.observation_at(index, reader))
    }
}

/// In a key of observations: the 64-bit word that begins a reply whose content is sealed, plus the index of the reply's
/// seat. Words that begin visible log entries are smaller.
const SEALED: u64 = 1 << 16;
/// In a key of observations: the 64-bit word that marks knowledge from outside the log, such as a leaf that the seat
/// looked up.
const LEARNED: u64 = 2 << 16;

/// An observer of a debate about an instance. A clone is independent of the original and can follow another debate.
#[derive(Clone, Debug)]
pub struct ObservationKeyBuilder<'a> {
    reader: LogViewerRole,
    instance: &'a Instance,
    /// The replies that this observer has seen only as sealed. Each has its seal and the key that encodes its content.
    sealed: Vec<(ReplySeal, Vec<u64>)>,
    /// The key that encodes the observations since the last [`Self::take_observation_key`].
    key: Vec<u64>,
}

impl<'a> ObservationKeyBuilder<'a> {
    /// Creates an observer of a debate before the first reply. `knowledge_number` is a number that encodes the seat's
    /// prior knowledge about the instance, such as the index of its block of indistinguishable instances.
    pub fn new(
        reader: impl Into<LogViewerRole>,
        instance: &'a Instance,
        knowledge_number: u64,
    ) -> Self {
        Self {
            reader: reader.into(),
            instance,
            sealed: Vec::new(),
            key: vec![knowledge_number],
        }
    }

    /// Adds the next entry of the log to the observations, and returns the entry as the observer sees it. `None` if the
    /// observer sees no part of the entry.
    pub fn see<'e, N: Number>(
        &mut self,
        entry: &'e LogEntry<N>,
    ) -> Option<ObservedLogEntry<'e, N>> {
        let observation = ObservedLogEntry::observe_log_entry(entry, self.reader, false)?;
        if let ObservedLogEntry::Sealed { seat, seal } = observation {
            self.key.push(SEALED + seat.seat_index() as u64);
            self.key.extend(fingerprint(&seal));
            let mut hidden = Vec::new();
            self.writer(&mut hidden).entry(entry);
            self.sealed.push((seal, hidden));
            return Some(observation);
        }
        let mut key = std::mem::take(&mut self.key);
        self.writer(&mut key).entry(entry);
        if let Event::Opened(opened) = &entry.event {
            for (_, hidden) in self.sealed.extract_if(.., |(seal, _)| seal == opened) {
                key.extend(hidden);
            }
        }
        self.key = key;
        Some(observation)
    }

    /// Appends to the observer's key an observation that is not in the log: a leaf that the seat looked up, its own
    /// reply or proof bits, or the seat whose turn is next.
    pub fn add_observation_from_outside_log(&mut self, knowledge: &[u64]) {
        self.key.extend([LEARNED, knowledge.len() as u64]);
        self.key.extend(knowledge);
    }

    /// True if the observer has seen a reply whose content is still sealed from it.
    pub fn awaits_unsealing_of_reply(&self) -> bool {
        !self.sealed.is_empty()
    }

    /// Returns the observations since the last call of this function, encoded in order as 64-bit words of a key. The
    /// first call's key begins with the seat's prior knowledge.
    pub fn take_observation_key(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.key)
    }

    /// Returns the encodings, as 64-bit words, of the log entries whose content is still sealed from the observer.
    pub fn sealed_entry_keys(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        self.sealed.iter().map(|(_, hidden)| &**hidden)
    }

    fn writer<'k>(&self, key: &'k mut Vec<u64>) -> KeyWriter<'k, 'a> {
        KeyWriter {
            instance: self.instance,
            key,
        }
    }
}

/// Encodes observed events as 64-bit words of a key, so that equal observations have equal keys.
struct KeyWriter<'k, 'a> {
    instance: &'a Instance,
    key: &'k mut Vec<u64>,
}

impl KeyWriter<'_, '_> {
    #[expect(
        clippy::too_many_lines,
        reason = "the function has one match arm for each kind of event"
    )]
    fn entry<N: Number>(&mut self, entry: &LogEntry<N>) {
        let kind = |kind: u64| kind << 2 | entry.seat.seat_index() as u64;
        match &entry.event {
            Event::Entered { round, claim, p } => {
                self.words([kind(1), u64::from(*round)]);
                self.claim(*claim);
                self.optional_number(p.as_ref());
            }
            Event::Answered { claim, answer } => {
                self.words([kind(2), u64::from(*answer)]);
                self.claim(*claim);
            }
            Event::Estimated {
                claim,
                place,
                alone,
                p,
            } => {
                self.words([kind(3), of_place(*place), u64::from(*alone)]);
                self.claim(*claim);
                p.add_to_key(self.key);
            }
            Event::Tossed {
                claim,
                place,
                p,
                value,
            } => {
                self.words([kind(4), of_place(*place), u64::from(*value)]);
                self.claim(*claim);
                p.add_to_key(self.key);
            }
            Event::BetPlaced { round, claim, bet } => {
                self.words([kind(5), u64::from(*round), *bet as u64]);
                self.claim(*claim);
            }
            Event::Supported { claim, support } => {
                self.key.push(kind(6));
                self.support(*claim, *support);
            }
            Event::Claimed {
                claim,
                support,
                answers,
            } => {
                self.key.push(kind(7));
                self.support(*claim, *support);
                self.bits(answers);
            }
            Event::Gated { claim, holds } => {
                self.words([kind(8), u64::from(*holds)]);
                self.claim(*claim);
            }
            Event::Selected {
                by,
                claim,
                place,
                chosen,
            } => {
                self.words([kind(9), by.seat_index() as u64, u64::from(*place)]);
                self.claim(*claim);
                self.claim(*chosen);
            }
            Event::Parts { claim, on } => {
                self.words([kind(10), on.len() as u64]);
                self.claim(*claim);
                for part in on {
                    self.claim(*part);
                }
            }
            Event::Gave { ask, bits } => {
                self.key.push(kind(11));
                self.ask(*ask);
                self.bits(bits);
            }
            Event::Shared { place, share } => {
                self.words([kind(12), u64::from(*place)]);
                share.add_to_key(self.key);
            }
            Event::Challenged { step, verifier } => {
                let number = step.map_or(0, |step| step + 1);
                self.words([kind(13), number, u64::from(*verifier)]);
            }
            Event::Read {
                source,
                value,
                verifier,
            } => {
                self.key.push(kind(14));
                self.words(fingerprint(source));
                self.words([u64::from(*value), u64::from(*verifier)]);
            }
            Event::Sampled { step, ones, count } => self.words([kind(15), *step, *ones, *count]),
            Event::Checked { check, holds } => {
                self.words([kind(16), u64::from(*holds)]);
                self.words(fingerprint(check));
            }
            Event::GaveBit { bit, value } => {
                self.words([kind(17), u64::from(*bit), u64::from(*value)]);
            }
            Event::Judged {
                claim,
                answer,
                confidence,
            } => {
                self.words([kind(18), u64::from(*answer)]);
                self.claim(*claim);
                self.optional_number(confidence.as_ref());
            }
            Event::Spoke { round, speech } => {
                self.words([kind(19), u64::from(*round)]);
                self.words(fingerprint(speech));
            }
            Event::Continued { continues } => self.words([kind(20), u64::from(*continues)]),
            Event::Opened(seal) => {
                self.key.push(kind(21));
                self.words(fingerprint(seal));
            }
            Event::Rewarded(reward) => {
                self.key.push(kind(22));
                self.reward(reward);
            }
            Event::Ended { payoff } => {
                self.key.push(kind(23));
                payoff.add_to_key(self.key);
            }
        }
    }

    fn words<const COUNT: usize>(&mut self, words: [u64; COUNT]) {
        self.key.extend(words);
    }

    fn claim(&mut self, claim: ClaimId) {
        self.words(self.instance.nontext_appearance_fingerprint(claim));
    }

    /// Adds a claim and the index of one of its supports to the key. A support that a player wrote during the debate
    /// has an index without meaning in other debates, so its index is not used.
    fn support(&mut self, claim: ClaimId, number: u32) {
        self.claim(claim);
        match self.instance.prover_written_support(claim, number) {
            Some(written) => {
                self.key.push(u64::MAX);
                self.words(fingerprint(&written));
            }
            None => self.key.push(number.into()),
        }
    }

    fn ask(&mut self, ask: BitsMeaning) {
        match ask {
            BitsMeaning::Proof(bit) => self.words([0, u64::from(bit)]),
            BitsMeaning::Answers {
                claim,
                support,
                result,
            } => {
                self.words([1, u64::from(result)]);
                self.support(claim, support);
            }
            BitsMeaning::Configuration { time } => self.words([2, time]),
            BitsMeaning::Witness => self.key.push(3),
            BitsMeaning::Transcript { verifier } => self.words([4, u64::from(verifier)]),
            BitsMeaning::Block { block, claim } => {
                self.words([5, u64::from(block)]);
                self.claim(claim);
            }
        }
    }

    fn optional_number<N: Number>(&mut self, number: Option<&N>) {
        self.key.push(number.is_some().into());
        if let Some(number) = number {
            number.add_to_key(self.key);
        }
    }

    fn bits(&mut self, bits: &BitString) {
        self.key.push(bits.len() as u64);
        self.key
            .extend(bits.as_slice().chunks(64).map(number_from_bits));
    }

    /// Adds a reward to the key, with all numbers of its formula.
    fn reward<N: Number>(&mut self, reward: &Reward<N>) {
        match reward {
            Reward::Agreement {
                weight,
                exponent,
                coin,
                answer,
            } => {
                self.words([0, u64::from(*exponent), u64::from(*coin)]);
                self.key.push(u64::from(*answer));
                weight.add_to_key(self.key);
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
                self.words([1, u64::from(*round), u64::from(*exponent), *bet as u64]);
                self.words([u64::from(*outcome), u64::from(*judged)]);
                weight.add_to_key(self.key);
                p.add_to_key(self.key);
            }
            Reward::Decided { for_prover } => self.words([2, u64::from(*for_prover)]),
            Reward::Persuaded { p } => {
                self.key.push(3);
                p.add_to_key(self.key);
            }
            Reward::Verdict { claimed, answer } => {
                self.words([4, u64::from(*claimed), u64::from(*answer)]);
            }
        }
    }
}

/// Encodes the index of a claim among its sibling subclaims as this index plus 1; 0 for the root claim.
fn of_place(place: Option<u32>) -> u64 {
    place.map_or(0, |place| u64::from(place) + 1)
}
