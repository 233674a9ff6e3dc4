//! Queries on a debate's log: the statements, coins, proof bits and payments so far.

use std::collections::HashMap;

use super::{Bet, BitString, BitsMeaning, Event, Log, Reward, Round, Seat, VerifierCheck};
use crate::number::Number;
use crate::scenario::{BitSource, ClaimId, Instance, Speech};

/// The estimate of a subclaim in the log, and the outcome of the subclaim's coin if it was tossed.
#[derive(Clone, Copy, Debug)]
pub struct SubclaimEstimateAndCoin<'l, N> {
    /// The subclaim.
    pub claim: ClaimId,
    /// Its probability.
    pub p: &'l N,
    /// The outcome of the subclaim's coin; `None` if it has not been tossed, or if the estimate is separate and ignores
    /// coins.
    pub coin: Option<bool>,
}

impl<N> Event<N> {
    /// Returns the probability that this event contains: of a claim, of a coin, or the judge's confidence.
    pub fn probability_in_event(&self) -> Option<&N> {
        match self {
            Self::Entered { p, .. } => p.as_ref(),
            Self::Judged { confidence, .. } => confidence.as_ref(),
            Self::Estimated { p, .. }
            | Self::Tossed { p, .. }
            | Self::Rewarded(Reward::Bet { p, .. } | Reward::Persuaded { p }) => Some(p),
            _ => None,
        }
    }

    /// Returns the reward, if this event is the payment of a reward.
    pub fn reward(&self) -> Option<&Reward<N>> {
        match self {
            Self::Rewarded(reward) => Some(reward),
            _ => None,
        }
    }

    /// Returns the probability that a player stated, if this event is an estimate.
    pub fn estimate(&self) -> Option<&N> {
        match self {
            Self::Estimated { p, .. } => Some(p),
            _ => None,
        }
    }

    /// Returns the speech, if this event is a speech.
    pub fn speech(&self) -> Option<&Speech> {
        match self {
            Self::Spoke { speech, .. } => Some(speech),
            _ => None,
        }
    }

    /// If this event is the judge's answer, returns the claim, the answer and, if given, the judge's confidence.
    pub fn judge_verdict(&self) -> Option<(ClaimId, bool, Option<&N>)> {
        match self {
            Self::Judged {
                claim,
                answer,
                confidence,
            } => Some((*claim, *answer, confidence.as_ref())),
            _ => None,
        }
    }

    /// If this event is a check by the verifier, returns the check and its result.
    pub fn verifier_check(&self) -> Option<(VerifierCheck, bool)> {
        match self {
            Self::Checked { check, holds } => Some((*check, *holds)),
            _ => None,
        }
    }

    /// If the verifier read a bit in this event, returns the bit's source and its value. The last flag is true if the
    /// verifier's own computation is examined.
    pub fn read_bit_source_value_and_is_verifier_examined(
        &self,
    ) -> Option<(BitSource, bool, bool)> {
        match self {
            Self::Read {
                source,
                value,
                verifier,
            } => Some((*source, *value, *verifier)),
            _ => None,
        }
    }

    /// If a subclaim was selected in this event, returns the seat that selected it.
    pub fn seat_that_selected_subclaim(&self) -> Option<Seat> {
        match self {
            Self::Selected { by, .. } => Some(*by),
            _ => None,
        }
    }

    /// True if the event belongs to the prover's argument: its answer to the root claim, its choice of a support, or
    /// its selection of a subclaim.
    pub fn is_step_of_prover_argument(&self) -> bool {
        matches!(
            self,
            Self::Answered { .. }
                | Self::Supported { .. }
                | Self::Selected {
                    by: Seat::Prover,
                    ..
                }
        )
    }

    /// If a round begins with this event, returns the round, the claim under discussion, and its estimate, if there is
    /// one.
    pub fn round_begun_by_event(&self) -> Option<(u32, ClaimId, Option<&N>)> {
        match self {
            Self::Entered { round, claim, p } => Some((*round, *claim, p.as_ref())),
            _ => None,
        }
    }

    /// If a support is chosen in this event, returns the supported claim and the support's number.
    pub fn claim_and_chosen_support(&self) -> Option<(ClaimId, u32)> {
        match self {
            Self::Supported { claim, support } => Some((*claim, *support)),
            _ => None,
        }
    }
}

impl<N> Log<N> {
    /// Returns all events of the log, in order.
    fn events(&self) -> impl DoubleEndedIterator<Item = &Event<N>> + Clone {
        self.entries().iter().map(|entry| &entry.event)
    }

    fn backwards(&self) -> impl Iterator<Item = &Event<N>> {
        self.events().rev()
    }

    /// Returns the first `index` events of the log, the latest first; empty if the log is shorter.
    fn before(&self, index: usize) -> impl Iterator<Item = &Event<N>> {
        let before = self.entries().get(..index).unwrap_or_default();
        before.iter().rev().map(|entry| &entry.event)
    }

    /// Returns the events from the last split of a claim on; empty if no claim was split.
    fn of_split(&self) -> impl Iterator<Item = &Event<N>> {
        self.events()
            .skip(self.last_split_entry_index().unwrap_or(usize::MAX))
    }

    /// Returns the rewards that were paid in the debate so far.
    pub fn paid_rewards(&self) -> impl Iterator<Item = &Reward<N>> {
        self.events().filter_map(Event::reward)
    }

    /// Returns the number of the first round, from which rounds are counted down (in speeches, up). `None` before the
    /// first round.
    pub fn first_round(&self) -> Option<u32> {
        self.events().find_map(Event::round_started_by_event)
    }

    /// Returns the last stated probability.
    pub fn last_stated_probability(&self) -> Option<&N> {
        self.backwards().find_map(Event::estimate)
    }

    /// Returns the number of ones and the number of all samples in the last logged sampling; `None` before the first.
    pub fn last_ones_and_sample_counts(&self) -> Option<(u64, u64)> {
        self.backwards().find_map(|event| match event {
            Event::Sampled { ones, count, .. } => Some((*ones, *count)),
            _ => None,
        })
    }

    /// Returns the claim and its probability at the start of the last round that began with a probability.
    pub fn last_round_claim_and_estimate(&self) -> Option<(ClaimId, &N)> {
        self.backwards().find_map(|event| match event {
            Event::Entered { claim, p, .. } => Some((*claim, p.as_ref()?)),
            _ => None,
        })
    }

    /// Returns the claim's probability at the start of the last round that began with a probability.
    pub fn claim_probability_at_round_start(&self) -> Option<&N> {
        self.last_round_claim_and_estimate().map(|(_, p)| p)
    }

    /// Returns the prover's answer to the root claim; `None` if it was not given.
    pub fn prover_root_answer(&self) -> Option<bool> {
        self.events().find_map(Event::prover_root_answer)
    }

    /// Returns the estimate of the root claim; `None` if it was not given.
    pub fn root_estimate(&self) -> Option<&N> {
        self.events().find_map(Event::root_estimate)
    }

    /// Returns the claim about which the judge answered last, and the judge's answer.
    pub fn last_judge_verdict(&self) -> Option<(ClaimId, bool)> {
        let verdict = self.backwards().find_map(Event::judge_verdict);
        verdict.map(|(claim, answer, _)| (claim, answer))
    }

    /// Returns the number of the judge's answers about this claim at the end of the log, such as the votes of a panel.
    pub fn trailing_judge_answer_count(&self, claim: ClaimId) -> usize {
        self.backwards()
            .take_while(|event| matches!(event, Event::Judged { claim: of, .. } if *of == claim))
            .count()
    }

    /// Returns the last bet.
    pub fn last_bet(&self) -> Option<Bet> {
        let bet = self.backwards().find_map(Event::round_and_bet);
        bet.map(|(_, bet)| bet)
    }

    /// True if the log contains a bet.
    pub fn contains_prover_bet(&self) -> bool {
        self.last_bet().is_some()
    }

    /// Returns the claim of the prover's last [`Event::Answered`], and the prover's answer. Answers to the subclaims of
    /// a support are not counted.
    pub fn root_claim_and_answer(&self) -> Option<(ClaimId, bool)> {
        self.backwards().find_map(|event| match event {
            Event::Answered { claim, answer } => Some((*claim, *answer)),
            _ => None,
        })
    }

    /// Returns the last selected claim.
    pub fn last_selected_claim(&self) -> Option<ClaimId> {
        self.backwards().find_map(|event| match event {
            Event::Selected { chosen, .. } => Some(*chosen),
            _ => None,
        })
    }

    /// Returns the claim that was last split into subclaims that belong to no support, with these subclaims.
    pub fn last_split_outside_supports(&self) -> Option<(ClaimId, &[ClaimId])> {
        self.backwards().find_map(|event| match event {
            Event::Parts { claim, on } => Some((*claim, &on[..])),
            _ => None,
        })
    }

    /// Returns the claim of the current round and its probability: the probability at the start of the round, or the
    /// estimate of the root, whichever is later in the log.
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

    /// Returns the estimates of subclaims since a support was last chosen, each with the outcome of its coin if it was
    /// tossed. Separate estimates, which ignore coins, are entries without coins. If no support was chosen, returns the
    /// estimates of all subclaims in the log.
    pub fn subclaim_estimates(&self) -> Vec<SubclaimEstimateAndCoin<'_, N>> {
        let support = (self.entries().iter())
            .rposition(|entry| entry.event.claim_and_chosen_support().is_some());
        let mut parts: Vec<SubclaimEstimateAndCoin<'_, N>> = Vec::new();
        for event in self.events().skip(support.unwrap_or(0)) {
            match event {
                Event::Estimated {
                    claim,
                    place: Some(_),
                    p,
                    ..
                } => parts.push(SubclaimEstimateAndCoin {
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

    /// Returns the prover's answers to all subclaims of the claim that was split last; `None` before they are given.
    pub fn claimed_answers_of_subclaims(&self) -> Option<&BitString> {
        self.of_split().fold(None, |last, event| match event {
            Event::Claimed { answers, .. } => Some(answers),
            _ => last,
        })
    }

    /// Returns the coins of subclaims since the last split of a claim, each with the subclaim's index, the coin's
    /// probability and its outcome.
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

    /// True if the last split in the log was into subclaims that belong to no support, such as the halves of a run.
    pub fn is_last_split_outside_supports(&self) -> bool {
        let parted = self.backwards().find_map(|event| match event {
            Event::Parts { .. } => Some(true),
            Event::Supported { .. } => Some(false),
            _ => None,
        });
        parted.unwrap_or(false)
    }

    /// True if the log entry before the one at `entry_index` split a claim into a single subclaim. If the entry at
    /// `entry_index` selects a subclaim, there was then nothing to choose.
    pub fn is_after_split_into_one_subclaim(&self, entry_index: usize) -> bool {
        let before = entry_index
            .checked_sub(1)
            .and_then(|at| self.entries().get(at));
        before.is_some_and(|entry| matches!(&entry.event, Event::Parts { on, .. } if on.len() == 1))
    }

    /// Returns the index of the last log entry that split a claim, by the choice of a support or without a support.
    pub fn last_split_entry_index(&self) -> Option<usize> {
        let mut entries = self.entries().iter();
        entries.rposition(|it| matches!(it.event, Event::Supported { .. } | Event::Parts { .. }))
    }

    /// Returns the subclaims into which the given claim was last split; empty if it was not split.
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

    /// Returns the support that was chosen last: its claim and its number.
    pub fn last_chosen_support(&self) -> Option<(ClaimId, u32)> {
        self.backwards().find_map(Event::claim_and_chosen_support)
    }

    /// Returns the support that was chosen in the current round: its claim and its number. `None` if none was chosen.
    pub fn chosen_support_of_round(&self) -> Option<(ClaimId, u32)> {
        self.backwards().find_map(|event| match event {
            Event::Entered { .. } => Some(None),
            Event::Supported { claim, support } => Some(Some((*claim, *support))),
            _ => None,
        })?
    }

    /// Returns the speeches of a seat, each with the number of its round.
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

    /// Returns the coins tossed since the last split of a claim: each claim with its coin's outcome.
    pub fn coins_since_split(&self) -> Vec<(ClaimId, bool)> {
        let coins = self.of_split().filter_map(|event| match event {
            Event::Tossed { claim, value, .. } => Some((*claim, *value)),
            _ => None,
        });
        coins.collect()
    }

    /// Returns the coins of earlier rounds on which estimates of the current round depend: in each earlier round, the
    /// coins of the subclaims before the chosen one. Rounds with estimates that ignore coins have none.
    pub fn earlier_round_coins_conditioning_estimates(&self) -> Vec<(ClaimId, bool)> {
        let mut before_chosen = Vec::new();
        let mut of_round = Vec::new();
        let mut ignores_coins = false;
        for event in self.events() {
            match event {
                Event::Entered { .. } => {
                    of_round.clear();
                    ignores_coins = false;
                }
                Event::Estimated { alone: true, .. } => ignores_coins = true,
                Event::Tossed {
                    claim,
                    place: Some(_),
                    value,
                    ..
                } => of_round.push((*claim, *value)),
                Event::Selected { place, .. } if !ignores_coins => {
                    before_chosen.extend(of_round.drain(..).take(*place as usize));
                }
                _ => {}
            }
        }
        before_chosen
    }

    /// True if the log contains random events: coin tosses, samples, or a debater's half of a coin.
    pub fn contains_random_events(&self) -> bool {
        self.backwards().any(|event| {
            matches!(
                event,
                Event::Tossed { .. } | Event::Sampled { .. } | Event::Shared { .. }
            )
        })
    }

    /// Returns the claims on the debate's path: the claims of the rounds, and the selected subclaims.
    pub fn claims_on_path(&self) -> impl Iterator<Item = ClaimId> {
        self.events().filter_map(|event| match event {
            Event::Entered { claim, .. } | Event::Selected { chosen: claim, .. } => Some(*claim),
            _ => None,
        })
    }

    /// Returns all bit strings that the players gave in the debate, each with its meaning, in order. Proof bits are
    /// left out.
    pub fn bit_strings_given_by_players(
        &self,
    ) -> impl DoubleEndedIterator<Item = (BitsMeaning, &BitString)> {
        self.events().filter_map(|event| match event {
            Event::Gave { ask, bits } => Some((*ask, bits)),
            _ => None,
        })
    }

    /// Returns true if the last transcript that the prover gave is of the verifier's own computation, false if it is of
    /// another computation. `None` if the prover gave no transcript.
    pub fn last_transcript_is_verifiers(&self) -> Option<bool> {
        self.bit_strings_given_by_players()
            .rev()
            .find_map(|(ask, _)| match ask {
                BitsMeaning::Transcript { verifier } => Some(verifier),
                _ => None,
            })
    }

    /// Returns the last bits with the meaning `wanted` that a player gave before the log entry at `entry_index`.
    pub fn bits_given_before_entry(
        &self,
        entry_index: usize,
        wanted: BitsMeaning,
    ) -> Option<&BitString> {
        self.before(entry_index).find_map(|event| match event {
            Event::Gave { ask, bits } if *ask == wanted => Some(bits),
            _ => None,
        })
    }

    /// Returns the last challenge before the log entry at `entry_index`: the challenged step (`None` if no step was
    /// challenged), and a flag. The flag is true if the transcript is of the verifier's own computation.
    pub fn last_challenge_with_verifier_flag(
        &self,
        entry_index: usize,
    ) -> Option<(Option<u64>, bool)> {
        self.before(entry_index).find_map(|event| match event {
            Event::Challenged { step, verifier } => Some((*step, *verifier)),
            _ => None,
        })
    }

    /// Returns the source and the value of the last bit that the verifier read. The last flag is true if the verifier's
    /// own computation is examined.
    pub fn last_bit_read_by_verifier(&self) -> Option<(BitSource, bool, bool)> {
        self.backwards()
            .find_map(Event::read_bit_source_value_and_is_verifier_examined)
    }

    /// Returns the estimates and the coins so far of the subclaims into which the log entry at `split_entry_index`
    /// splits a claim. `None` if a separate estimate, which ignores coins, was given: of a subclaim, or of the warrant
    /// of a disputed step.
    pub fn estimates_and_coins_of_split(
        &self,
        split_entry_index: usize,
    ) -> Option<(Vec<&N>, Vec<bool>)> {
        let mut estimates = Vec::new();
        let mut coins = Vec::new();
        for event in self.events().skip(split_entry_index) {
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

    /// Returns the claim's probability at the start of the last round about this claim before the log entry at
    /// `entry_index`.
    pub fn claim_probability_before_entry(&self, entry_index: usize, claim: ClaimId) -> Option<&N> {
        self.before(entry_index).find_map(|event| match event {
            Event::Entered { claim: of, p, .. } if *of == claim => p.as_ref(),
            _ => None,
        })
    }

    /// Returns the answers that a seat gave, in order: each claim with its answer.
    pub fn logged_answers_of_seat(&self, seat: Seat, instance: &Instance) -> Vec<(ClaimId, bool)> {
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

    /// Returns the values that players have chosen so far for the formula's variables, from the outermost block
    /// inwards.
    pub fn chosen_variable_values(&self) -> Vec<bool> {
        let given = self.bit_strings_given_by_players();
        let blocks = given.filter(|(ask, _)| matches!(ask, BitsMeaning::Block { .. }));
        blocks
            .flat_map(|(_, bits)| bits.as_slice())
            .copied()
            .collect()
    }
}

impl<N: Number> Log<N> {
    /// Returns each round of the schedule with its payment to the prover; `None` if the round has not been paid yet.
    pub fn round_payments(&self, schedule: &[(Round, N)]) -> Vec<(Round, Option<N>)> {
        let mut paid: HashMap<Round, N> = HashMap::new();
        for reward in self.paid_rewards() {
            *paid.entry(reward.round_of_reward()).or_insert_with(N::zero) +=
                reward.payment_to_prover();
        }
        let rounds = schedule.iter();
        rounds
            .map(|(round, _)| (*round, paid.remove(round)))
            .collect()
    }
}
