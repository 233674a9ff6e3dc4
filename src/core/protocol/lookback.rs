//! Queries on a debate's log: statements, coins, proof bits and payments so far.

use std::collections::HashMap;

use super::{Bet, Bits, BitsMeaning, Check, Event, Log, Reward, Round, Seat};
use crate::number::Number;
use crate::scenario::{BitSource, ClaimId, Instance, Speech};

/// The estimate of a subclaim in the log, and the subclaim's coin if it was tossed.
#[derive(Clone, Copy, Debug)]
pub struct SubclaimEstimate<'l, N> {
    /// The part.
    pub claim: ClaimId,
    /// Its probability.
    pub p: &'l N,
    /// The subclaim's coin, if it has been tossed.
    pub coin: Option<bool>,
}

impl<N> Event<N> {
    /// Returns the probability that this event contains: a claim's, a coin's, or the judge's confidence.
    pub fn probability(&self) -> Option<&N> {
        match self {
            Self::Entered { p, .. } => p.as_ref(),
            Self::Judged { confidence, .. } => confidence.as_ref(),
            Self::Estimated { p, .. }
            | Self::Tossed { p, .. }
            | Self::Rewarded(Reward::Bet { p, .. } | Reward::Persuaded { p }) => Some(p),
            _ => None,
        }
    }

    /// Returns the reward paid in this event.
    pub fn reward(&self) -> Option<&Reward<N>> {
        match self {
            Self::Rewarded(reward) => Some(reward),
            _ => None,
        }
    }

    /// Returns the probability stated in this event.
    pub fn estimate(&self) -> Option<&N> {
        match self {
            Self::Estimated { p, .. } => Some(p),
            _ => None,
        }
    }

    /// Returns the speech made in this event.
    pub fn speech(&self) -> Option<&Speech> {
        match self {
            Self::Spoke { speech, .. } => Some(speech),
            _ => None,
        }
    }

    /// Returns the judge's answer in this event: the claim, the answer and the confidence, if given.
    pub fn verdict(&self) -> Option<(ClaimId, bool, Option<&N>)> {
        match self {
            Self::Judged {
                claim,
                answer,
                confidence,
            } => Some((*claim, *answer, confidence.as_ref())),
            _ => None,
        }
    }

    /// Returns the check of a verifier, and its result.
    pub fn check(&self) -> Option<(Check, bool)> {
        match self {
            Self::Checked { check, holds } => Some((*check, *holds)),
            _ => None,
        }
    }

    /// Returns the source of the bit that the verifier read in this event, its value, and true if the verifier's own
    /// computation is examined.
    pub fn bit_read(&self) -> Option<(BitSource, bool, bool)> {
        match self {
            Self::Read {
                source,
                value,
                verifier,
            } => Some((*source, *value, *verifier)),
            _ => None,
        }
    }

    /// True if the event belongs to the prover's argument: the answer, a support, or the subclaim to continue with.
    pub fn is_prover_argument(&self) -> bool {
        matches!(
            self,
            Self::Answered { .. } | Self::Supported { .. } | Self::Selected { .. }
        )
    }

    /// Returns the claim for which a support is chosen, and the support's number.
    pub fn support(&self) -> Option<(ClaimId, u32)> {
        match self {
            Self::Supported { claim, support } => Some((*claim, *support)),
            _ => None,
        }
    }
}

impl<N> Log<N> {
    /// Returns all events, the latest first.
    fn events(&self) -> impl DoubleEndedIterator<Item = &Event<N>> + Clone {
        self.entries().iter().map(|entry| &entry.event)
    }

    fn backwards(&self) -> impl Iterator<Item = &Event<N>> {
        self.events().rev()
    }

    /// Returns the events before an entry, the latest first; empty if there is no such entry.
    fn before(&self, index: usize) -> impl Iterator<Item = &Event<N>> {
        let before = self.entries().get(..index).unwrap_or_default();
        before.iter().rev().map(|entry| &entry.event)
    }

    /// Returns the events from the last split on.
    fn of_split(&self) -> impl Iterator<Item = &Event<N>> {
        self.events().skip(self.last_split().unwrap_or(usize::MAX))
    }

    /// Returns the rewards in the debate's log so far.
    pub fn rewards(&self) -> impl Iterator<Item = &Reward<N>> {
        self.events().filter_map(Event::reward)
    }

    /// Returns the number of the first round; rounds are counted down from it. `None` before it has begun.
    pub fn first_round(&self) -> Option<u32> {
        self.events().find_map(Event::round_entered)
    }

    /// Returns the last stated probability.
    pub fn last_estimate(&self) -> Option<&N> {
        self.backwards().find_map(Event::estimate)
    }

    /// Returns the number of yes answers among the verifier's samples, and the number of samples.
    pub fn samples(&self) -> Option<(u64, u64)> {
        self.backwards().find_map(|event| match event {
            Event::Sampled { ones, count, .. } => Some((*ones, *count)),
            _ => None,
        })
    }

    /// Returns the claim of the last round that began with a probability, and that probability.
    pub fn estimate_entered(&self) -> Option<(ClaimId, &N)> {
        self.backwards().find_map(|event| match event {
            Event::Entered { claim, p, .. } => Some((*claim, p.as_ref()?)),
            _ => None,
        })
    }

    /// Returns the probability of the claim at the start of the last round that had one.
    pub fn probability_entered(&self) -> Option<&N> {
        self.estimate_entered().map(|(_, p)| p)
    }

    /// Returns the answer to the root claim; `None` if it was not stated.
    pub fn root_answer(&self) -> Option<bool> {
        self.events().find_map(Event::root_answer)
    }

    /// Returns the probability of the root claim, if it was stated.
    pub fn root_estimate(&self) -> Option<&N> {
        self.events().find_map(Event::root_estimate)
    }

    /// Returns the last claim that the judge answered, and the answer.
    pub fn last_verdict(&self) -> Option<(ClaimId, bool)> {
        let verdict = self.backwards().find_map(Event::verdict);
        verdict.map(|(claim, answer, _)| (claim, answer))
    }

    /// Returns the number of consecutive answers about a claim at the end of the log.
    pub fn latest_answer_count(&self, claim: ClaimId) -> usize {
        self.backwards()
            .take_while(|event| matches!(event, Event::Judged { claim: of, .. } if *of == claim))
            .count()
    }

    /// Returns the last bet.
    pub fn last_bet(&self) -> Option<Bet> {
        let bet = self.backwards().find_map(Event::bet);
        bet.map(|(_, bet)| bet)
    }

    /// True if the prover has placed a bet.
    pub fn has_prover_bet(&self) -> bool {
        self.last_bet().is_some()
    }

    /// Returns the last answered claim, and the answer.
    pub fn last_answer(&self) -> Option<(ClaimId, bool)> {
        self.backwards().find_map(|event| match event {
            Event::Answered { claim, answer } => Some((*claim, *answer)),
            _ => None,
        })
    }

    /// Returns the last selected claim.
    pub fn last_selected(&self) -> Option<ClaimId> {
        self.backwards().find_map(|event| match event {
            Event::Selected { chosen, .. } => Some(*chosen),
            _ => None,
        })
    }

    /// Returns the last claim that was split without a support, with its parts.
    pub fn last_division(&self) -> Option<(ClaimId, &[ClaimId])> {
        self.backwards().find_map(|event| match event {
            Event::Parts { claim, on } => Some((*claim, &on[..])),
            _ => None,
        })
    }

    /// Returns the claim of the round in progress and its probability: the one that the round was entered with, or the
    /// estimate of the root, whichever is later.
    pub fn current_claim_estimate(&self) -> Option<(ClaimId, &N)> {
        self.backwards().find_map(|event| match event {
            Event::Entered { claim, p, .. } => Some((*claim, p.as_ref()?)),
            Event::Estimated {
                claim,
                place: None,
                p,
                ..
            } => Some((*claim, p)),
            _ => None,
        })
    }

    /// Returns the estimates of subclaims since the last choice of a support, each with its coin if tossed.
    pub fn subclaim_estimates(&self) -> Vec<SubclaimEstimate<'_, N>> {
        let support = (self.entries().iter()).rposition(|entry| entry.event.support().is_some());
        let mut parts: Vec<SubclaimEstimate<'_, N>> = Vec::new();
        for event in self.events().skip(support.unwrap_or(0)) {
            match event {
                Event::Estimated {
                    claim,
                    place: Some(_),
                    p,
                    ..
                } => parts.push(SubclaimEstimate {
                    claim: *claim,
                    p,
                    coin: None,
                }),
                Event::Tossed { place, value, .. } => {
                    if let Some(part) = parts.last_mut().filter(|_| place.is_some()) {
                        part.coin = Some(*value);
                    }
                }
                _ => {}
            }
        }
        parts
    }

    /// Returns the answers claimed for all parts since the claim under discussion was split.
    pub fn answers_of_round(&self) -> Option<&Bits> {
        self.of_split().fold(None, |last, event| match event {
            Event::Claimed { answers, .. } => Some(answers),
            _ => last,
        })
    }

    /// Returns the coins of parts since the claim under discussion was split: the part's index, its probability, the
    /// outcome.
    pub fn subclaim_coins(&self) -> impl Iterator<Item = (u32, &N, bool)> {
        self.of_split().filter_map(|event| match event {
            Event::Tossed {
                place: Some(place),
                p,
                value,
                ..
            } => Some((*place, p, *value)),
            _ => None,
        })
    }

    /// True if the claim under discussion was split into parts that are not in any support.
    pub fn is_divided(&self) -> bool {
        let parted = self.backwards().find_map(|event| match event {
            Event::Parts { .. } => Some(true),
            Event::Supported { .. } => Some(false),
            _ => None,
        });
        parted.unwrap_or(false)
    }

    /// True if the claim was split into a single part, and the entry selects that part.
    pub fn selects_only_subclaim(&self, index: usize) -> bool {
        let before = index.checked_sub(1).and_then(|at| self.entries().get(at));
        before.is_some_and(|entry| matches!(&entry.event, Event::Parts { on, .. } if on.len() == 1))
    }

    /// Returns the index of the entry that split the claim under discussion: the last support, or the last split into
    /// parts.
    pub fn last_split(&self) -> Option<usize> {
        let mut entries = self.entries().iter();
        entries.rposition(|it| matches!(it.event, Event::Supported { .. } | Event::Parts { .. }))
    }

    /// Returns the subclaims of a claim in its last split; empty if it was not split.
    pub fn subclaims_in_last_split(&self, claim: ClaimId, instance: &Instance) -> Vec<ClaimId> {
        let parts = self.backwards().find_map(|event| match event {
            Event::Parts { claim: of, on } if *of == claim => Some(on.clone()),
            Event::Supported { claim: of, support }
            | Event::Claimed {
                claim: of, support, ..
            } if *of == claim => Some(instance.support(claim, *support)?.on.clone()),
            _ => None,
        });
        parts.unwrap_or_default()
    }

    /// Returns the last chosen support: its claim and its number.
    pub fn last_support(&self) -> Option<(ClaimId, u32)> {
        self.backwards().find_map(Event::support)
    }

    /// Returns the support chosen in the round in progress: its claim and its number.
    pub fn support_of_round(&self) -> Option<(ClaimId, u32)> {
        self.backwards().find_map(|event| match event {
            Event::Entered { .. } => Some(None),
            Event::Supported { claim, support } => Some(Some((*claim, *support))),
            _ => None,
        })?
    }

    /// Returns a seat's speeches, each with its round.
    pub fn speeches_of(&self, seat: Seat) -> impl Iterator<Item = (u32, &Speech)> {
        let own = self
            .entries()
            .iter()
            .filter(move |entry| entry.seat == seat);
        own.filter_map(|entry| match &entry.event {
            Event::Spoke { round, speech } => Some((*round, speech)),
            _ => None,
        })
    }

    /// Returns the coins tossed since the claim under discussion was split.
    pub fn coins_of_round(&self) -> Vec<(ClaimId, bool)> {
        let coins = self.of_split().filter_map(|event| match event {
            Event::Tossed { claim, value, .. } => Some((*claim, *value)),
            _ => None,
        });
        coins.collect()
    }

    /// True if chance took part: coins, samples or numbers for a coin.
    pub fn has_random_events(&self) -> bool {
        self.backwards().any(|event| {
            matches!(
                event,
                Event::Tossed { .. } | Event::Sampled { .. } | Event::Shared { .. }
            )
        })
    }

    /// Returns the claims on the debate's path: those with which rounds began and those selected.
    pub fn claims_on_path(&self) -> impl Iterator<Item = ClaimId> {
        self.events().filter_map(|event| match event {
            Event::Entered { claim, .. } | Event::Selected { chosen: claim, .. } => Some(*claim),
            _ => None,
        })
    }

    /// Returns all bit strings that were given in the debate, each with its meaning, in order.
    pub fn bits_given(&self) -> impl DoubleEndedIterator<Item = (BitsMeaning, &Bits)> {
        self.events().filter_map(|event| match event {
            Event::Gave { ask, bits } => Some((*ask, bits)),
            _ => None,
        })
    }

    /// Returns true if the transcript that was given is of the verifier's own computation, and false if not. `None` if
    /// none was given.
    pub fn given_transcript_is_verifiers(&self) -> Option<bool> {
        self.bits_given().rev().find_map(|(ask, _)| match ask {
            BitsMeaning::Transcript { verifier } => Some(verifier),
            _ => None,
        })
    }

    /// Returns the last bits with this meaning given before an entry of the log.
    pub fn bits_before(&self, index: usize, wanted: BitsMeaning) -> Option<&Bits> {
        self.before(index).find_map(|event| match event {
            Event::Gave { ask, bits } if *ask == wanted => Some(bits),
            _ => None,
        })
    }

    /// Returns the last step challenged before an entry of the log, `None` for no step, and true if it belongs to the
    /// verifier's own computation.
    pub fn challenge_before(&self, index: usize) -> Option<(Option<u64>, bool)> {
        self.before(index).find_map(|event| match event {
            Event::Challenged { step, verifier } => Some((*step, *verifier)),
            _ => None,
        })
    }

    /// Returns the last bit that the verifier read, its value, and true if the computation is the verifier's own.
    pub fn last_bit_read(&self) -> Option<(BitSource, bool, bool)> {
        self.backwards().find_map(Event::bit_read)
    }

    /// Returns the estimates of the parts of the claim that an entry of the log splits, and their coins, as far as they
    /// were stated. `None` if parts are estimated separately.
    pub fn estimates_of_division(&self, split: usize) -> Option<(Vec<&N>, Vec<bool>)> {
        let mut estimates = Vec::new();
        let mut coins = Vec::new();
        for event in self.events().skip(split) {
            match event {
                Event::Estimated { alone: true, .. } => return None,
                Event::Estimated { place, p, .. } => estimates.extend(place.map(|_| p)),
                Event::Tossed { place, value, .. } => coins.extend(place.map(|_| *value)),
                // The next round has begun.
                Event::Entered { .. } => break,
                _ => {}
            }
        }
        Some((estimates, coins))
    }

    /// Returns the probability with which the last round about this claim before an entry of the log began.
    pub fn probability_before(&self, index: usize, claim: ClaimId) -> Option<&N> {
        self.before(index).find_map(|event| match event {
            Event::Entered { claim: of, p, .. } if *of == claim => p.as_ref(),
            _ => None,
        })
    }

    /// Returns a seat's answers: each claim with its answer, in order.
    pub fn answers_of(&self, seat: Seat, instance: &Instance) -> Vec<(ClaimId, bool)> {
        let own = self.entries().iter().filter(|entry| entry.seat == seat);
        let answers = own.flat_map(|entry| match &entry.event {
            Event::Answered { claim, answer } => vec![(*claim, *answer)],
            Event::Claimed {
                claim,
                support,
                answers,
            } => instance.subclaims_with_answers(*claim, *support, answers),
            _ => Vec::new(),
        });
        answers.collect()
    }

    /// Returns the values of variables chosen so far, block by block from the outermost.
    pub fn chosen_values(&self) -> Vec<bool> {
        let given = self.bits_given();
        let blocks = given.filter(|(ask, _)| matches!(ask, BitsMeaning::Block { .. }));
        blocks
            .flat_map(|(_, bits)| bits.as_slice())
            .copied()
            .collect()
    }
}

impl<N: Number> Log<N> {
    /// Returns each round of the schedule with its payment; `None` if the round has not been paid.
    pub fn round_payments(&self, schedule: &[(Round, N)]) -> Vec<(Round, Option<N>)> {
        let mut paid: HashMap<Round, N> = HashMap::new();
        for reward in self.rewards() {
            *paid.entry(reward.round()).or_insert_with(N::zero) += reward.payment_to_prover();
        }
        let rounds = schedule.iter();
        rounds
            .map(|(round, _)| (*round, paid.remove(round)))
            .collect()
    }
}
