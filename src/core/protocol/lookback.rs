//! Looking back in a log: what was stated, drawn, given and paid so far.

use std::collections::HashMap;

use super::{Ask, Bits, Check, Event, Log, Reward, Round};
use crate::number::Number;
use crate::scenario::{ClaimId, Instance, Source, Speech};

impl<N> Event<N> {
    /// The reward that is paid here.
    pub fn reward(&self) -> Option<&Reward<N>> {
        match self {
            Self::Rewarded(reward) => Some(reward),
            _ => None,
        }
    }

    /// The probability that is stated here.
    pub fn estimate(&self) -> Option<&N> {
        match self {
            Self::Estimated { p, .. } => Some(p),
            _ => None,
        }
    }

    /// The speech that is made here.
    pub fn speech(&self) -> Option<&Speech> {
        match self {
            Self::Spoke { speech, .. } => Some(speech),
            _ => None,
        }
    }

    /// The check of a verifier, and whether it holds.
    pub fn check(&self) -> Option<(Check, bool)> {
        match self {
            Self::Checked { check, holds } => Some((*check, *holds)),
            _ => None,
        }
    }

    /// The bit that is read here, its value, and whether it is one of the verifier's own computation.
    pub fn bit_read(&self) -> Option<(Source, bool, bool)> {
        match self {
            Self::Read {
                source,
                value,
                verifier,
            } => Some((*source, *value, *verifier)),
            _ => None,
        }
    }

    /// True if the verifier reads a bit here.
    pub fn is_reading(&self) -> bool {
        matches!(self, Self::Read { .. })
    }

    /// True if the prover's own case is made here: the answer, a support, the subclaim to go on with.
    pub fn is_provers_case(&self) -> bool {
        matches!(
            self,
            Self::Answered { .. } | Self::Supported { .. } | Self::Selected { .. }
        )
    }

    /// True if a support is chosen here.
    pub fn is_support(&self) -> bool {
        matches!(self, Self::Supported { .. })
    }
}

impl<N> Log<N> {
    /// All events, the latest first.
    fn backwards(&self) -> impl Iterator<Item = &Event<N>> {
        self.entries().iter().rev().map(|entry| &entry.event)
    }

    /// The rewards paid so far.
    pub fn rewards(&self) -> impl Iterator<Item = &Reward<N>> {
        self.entries()
            .iter()
            .filter_map(|entry| entry.event.reward())
    }

    /// The number of the first round, from which they are counted down; `None` before it has begun.
    pub fn first_round(&self) -> Option<u32> {
        let mut entries = self.entries().iter();
        entries.find_map(|entry| entry.event.round_entered())
    }

    /// The probability that was stated last.
    pub fn last_estimate(&self) -> Option<&N> {
        self.backwards().find_map(Event::estimate)
    }

    /// The claim that the current round began with, and the probability given for it, if any.
    pub fn claim_entered(&self) -> Option<(ClaimId, Option<&N>)> {
        self.backwards().find_map(|event| match event {
            Event::Entered { claim, p, .. } => Some((*claim, p.as_ref())),
            _ => None,
        })
    }

    /// The probability that the current round began with: the last that a round was entered with.
    pub fn probability_entered(&self) -> Option<&N> {
        self.backwards().find_map(|event| match event {
            Event::Entered { p, .. } => p.as_ref(),
            _ => None,
        })
    }

    /// The answer to the root claim; `None` where it was not stated.
    pub fn root_answer(&self) -> Option<bool> {
        self.entries().iter().find_map(|entry| match entry.event {
            Event::Answered { answer, .. } => Some(answer),
            _ => None,
        })
    }

    /// The probability of the root claim, where it was stated.
    pub fn root_estimate(&self) -> Option<&N> {
        self.entries().iter().find_map(|entry| match &entry.event {
            Event::Estimated { place: None, p, .. } => Some(p),
            _ => None,
        })
    }

    /// The claim that the judge answered for last, and the answer.
    pub fn last_verdict(&self) -> Option<(ClaimId, bool)> {
        self.backwards().find_map(|event| match event {
            Event::Judged { claim, answer, .. } => Some((*claim, *answer)),
            _ => None,
        })
    }

    /// The number of answers about a claim with which the log ends.
    pub fn votes_on(&self, claim: ClaimId) -> usize {
        self.backwards()
            .take_while(|event| matches!(event, Event::Judged { claim: of, .. } if *of == claim))
            .count()
    }

    /// True if the prover has placed a bet.
    pub fn has_bet(&self) -> bool {
        self.backwards()
            .any(|event| matches!(event, Event::Betted { .. }))
    }

    /// True if the claim under discussion fell into parts that no support offers.
    pub fn is_parted(&self) -> bool {
        let parted = self.backwards().find_map(|event| match event {
            Event::Parts { .. } => Some(true),
            Event::Supported { .. } => Some(false),
            _ => None,
        });
        parted.unwrap_or(false)
    }

    /// True if what an entry of the log selects is all that the claim had just fallen into.
    pub fn is_only_part(&self, index: usize) -> bool {
        let before = index.checked_sub(1).and_then(|at| self.entries().get(at));
        before.is_some_and(|entry| matches!(&entry.event, Event::Parts { on, .. } if on.len() == 1))
    }

    /// The index of the entry with which the claim under discussion was split: the last support, or
    /// the last fall into parts.
    pub fn last_split(&self) -> Option<usize> {
        self.entries()
            .iter()
            .rposition(|entry| matches!(entry.event, Event::Supported { .. } | Event::Parts { .. }))
    }

    /// The subclaims of a claim as it was split last; none where it was not.
    pub fn parts_of(&self, claim: ClaimId, instance: &Instance) -> Vec<ClaimId> {
        let parts = self.backwards().find_map(|event| match event {
            Event::Parts { claim: of, on } if *of == claim => Some(on.clone()),
            Event::Supported { claim: of, support } if *of == claim => {
                Some(instance.support(claim, *support)?.on.clone())
            }
            _ => None,
        });
        parts.unwrap_or_default()
    }

    /// The support that was chosen last: its claim and its number.
    pub fn last_support(&self) -> Option<(ClaimId, u32)> {
        self.backwards().find_map(|event| match event {
            Event::Supported { claim, support } => Some((*claim, *support)),
            _ => None,
        })
    }

    /// The coins that have fallen since the claim under discussion was split.
    pub fn coins_of_round(&self) -> Vec<(ClaimId, bool)> {
        let start = self.last_split().map_or(usize::MAX, |split| split + 1);
        let coins = self.entries().iter().skip(start);
        coins
            .filter_map(|entry| match entry.event {
                Event::Tossed { claim, value, .. } => Some((claim, value)),
                _ => None,
            })
            .collect()
    }

    /// True if chance took part: coins, samples or numbers for a coin.
    pub fn has_chance(&self) -> bool {
        self.backwards().any(|event| {
            matches!(
                event,
                Event::Tossed { .. } | Event::Sampled { .. } | Event::Shared { .. }
            )
        })
    }

    /// The claims that the debate went through: those that rounds began with and those selected.
    pub fn path(&self) -> impl Iterator<Item = ClaimId> {
        self.entries().iter().filter_map(|entry| match entry.event {
            Event::Entered { claim, .. } | Event::Selected { chosen: claim, .. } => Some(claim),
            _ => None,
        })
    }

    /// The bits that were given, with their meaning, in order.
    pub fn bits_given(&self) -> impl DoubleEndedIterator<Item = (Ask, &Bits)> {
        self.entries()
            .iter()
            .filter_map(|entry| match &entry.event {
                Event::Gave { ask, bits } => Some((*ask, bits)),
                _ => None,
            })
    }

    /// True if a transcript was given, and if so whether it is of the verifier's own computation.
    pub fn transcript_given(&self) -> Option<bool> {
        self.bits_given().rev().find_map(|(ask, _)| match ask {
            Ask::Transcript { verifier } => Some(verifier),
            _ => None,
        })
    }

    /// The values of variables chosen so far, block by block from the outermost.
    pub fn chosen_values(&self) -> Vec<bool> {
        let blocks = self.bits_given();
        let blocks = blocks.filter(|(ask, _)| matches!(ask, Ask::Block { .. }));
        blocks
            .flat_map(|(_, bits)| bits.as_slice())
            .copied()
            .collect()
    }
}

impl<N: Number> Log<N> {
    /// Each round of the schedule with what it paid: nothing where it has not been played.
    pub fn payments(&self, schedule: &[(Round, N)]) -> Vec<(Round, Option<N>)> {
        let mut paid: HashMap<Round, N> = HashMap::new();
        for reward in self.rewards() {
            *paid.entry(reward.round()).or_insert_with(N::zero) += reward.value();
        }
        let rounds = schedule.iter();
        rounds
            .map(|(round, _)| (*round, paid.remove(round)))
            .collect()
    }
}
