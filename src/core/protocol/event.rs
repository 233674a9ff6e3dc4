//! Events and the log of a debate: the rules record each event with the seat that caused it and an optional seal.

use crate::scenario::{BitId, BitSource, ClaimId, Speech};

use super::{Bet, BitString, BitsMeaning, PaymentsAndResourceCosts, Reward, Seat};

/// A round of a debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Round {
    /// The stage before the first numbered round of prover-estimator debate: the prover answers the root claim, the
    /// opponent estimates it, and the root's coin is tossed.
    Initial,
    /// Round k. Rounds are counted down to 0.
    Number(u32),
}

impl Round {
    /// Returns d, the number of the first round of a schedule; `None` if its rounds have no numbers.
    pub fn first_of<N>(schedule: &[(Self, N)]) -> Option<u32> {
        schedule.iter().find_map(|(round, _)| match round {
            Self::Number(k) => Some(*k),
            Self::Initial => None,
        })
    }

    /// Returns the label of a round in a table: `init`, or the number k as in formulas. If `first_round` is given, a
    /// numbered round has its ordinal as the label instead: 1 for that round, increasing from there.
    pub fn round_label(self, first_round: Option<u32>) -> String {
        match (self, first_round) {
            (Self::Number(k), Some(d)) => Self::round_ordinal(k, d).to_string(),
            (round, _) => round.to_string(),
        }
    }

    /// Returns the ordinal of round k: 1 for the first round (k = d), d + 1 for the last round (k = 0). Rules, files
    /// and formulas count rounds down; sentences count them up.
    pub fn round_ordinal(round: u32, first_round: u32) -> u32 {
        first_round.saturating_sub(round).saturating_add(1)
    }
}

/// Formats a round as files write it: `init`, or the number k.
impl std::fmt::Display for Round {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Initial => out.write_str("init"),
            Self::Number(k) => write!(out, "{k}"),
        }
    }
}

/// A seal: hides the content of some replies from other seats until a later point of the debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReplySeal {
    /// Seals the answer to the root claim.
    Answer,
    /// The bet of a round.
    Bet(u32),
    /// Seals each debater's half of the coin of the step with this number.
    Share(u32),
    /// Seals the speeches of the round with this number until all of them are made.
    Speech(u32),
}

/// A check that a verifier makes after the debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VerifierCheck {
    /// The check that the configuration given for this time is well-formed.
    WellFormed {
        /// The time, in steps.
        time: u64,
    },
    /// The check that the first configuration is the machine's start configuration.
    Start,
    /// The check that the last configuration accepts.
    Accepts,
    /// The check that the configuration given for time + 1 follows from the configuration given for this time.
    Follows {
        /// The time, in steps.
        time: u64,
    },
    /// The check that a step of a transcript follows from the bits that the step reads.
    Step {
        /// The step, from 0.
        step: u64,
        /// True if the transcript is of the verifier's own computation, false if it is of the problem's computation.
        verifier: bool,
    },
    /// The check that the output is 1.
    Output,
    /// The check that Alice's stated probability of a step is close enough to the mean of the verifier's samples.
    Estimate {
        /// The step for which Alice stated the probability.
        step: u64,
    },
    /// The check that the quantifier-free part (matrix) of a formula is true.
    Matrix,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Event<N> {
    /// A round started, with its claim and the claim's probability, if one was stated.
    Entered {
        /// The round.
        round: u32,
        /// The claim under discussion.
        claim: ClaimId,
        /// p_k.
        p: Option<N>,
    },
    /// The prover answered the root claim.
    Answered {
        /// The claim.
        claim: ClaimId,
        /// True if the prover claims that the root is true.
        answer: bool,
    },
    /// A probability was given.
    Estimated {
        /// The claim.
        claim: ClaimId,
        /// The index of the claim among its sibling subclaims, or their number for a warrant. In stochastic debate, the
        /// number of the step. `None` for the root.
        place: Option<u32>,
        /// True if the claim was estimated in isolation: before this round's coins were tossed, and without regard to
        /// them.
        alone: bool,
        /// The probability.
        p: N,
    },
    /// A coin was tossed with the estimated probability of a claim.
    Tossed {
        /// The claim.
        claim: ClaimId,
        /// The index of the claim among its sibling subclaims; in stochastic debate, the number of the step. `None` for
        /// the root.
        place: Option<u32>,
        /// The probability of true.
        p: N,
        /// The outcome.
        value: bool,
    },
    /// The prover bet that a claim's estimate is too low, too high or about right.
    BetPlaced {
        /// The round.
        round: u32,
        /// The claim.
        claim: ClaimId,
        /// The bet.
        bet: Bet,
    },
    /// The prover chose or wrote a support of the claim.
    Supported {
        /// The claim.
        claim: ClaimId,
        /// The number of the support.
        support: u32,
    },
    /// The prover stated its answers to all subclaims of a support.
    Claimed {
        /// The claim.
        claim: ClaimId,
        /// The number of the support.
        support: u32,
        /// The claimed answers, in order.
        answers: BitString,
    },
    /// The value of the claim's gate was computed from the coins of the round.
    Gated {
        /// The claim.
        claim: ClaimId,
        /// The gate's value.
        holds: bool,
    },
    /// A player selected the subclaim with which the debate continues.
    Selected {
        /// The seat that selected the subclaim: the prover to continue with it, or the opponent to contest it.
        by: Seat,
        /// The claim.
        claim: ClaimId,
        /// Index of the subclaim.
        place: u32,
        /// The subclaim.
        chosen: ClaimId,
    },
    /// The claim under discussion was split into subclaims that belong to no support, such as the halves of a run or a
    /// gate's inputs.
    Parts {
        /// The claim.
        claim: ClaimId,
        /// Its parts, in order.
        on: Vec<ClaimId>,
    },
    /// Bits were given.
    Gave {
        ask: BitsMeaning,
        /// The bits.
        bits: BitString,
    },
    /// A debater gave its half of a coin. For this reply, the debater acts as a copy that does not see the debate.
    Shared {
        /// The step whose coin the debater's half belongs to.
        place: u32,
        /// The debater's half of the coin, a number from 0 to 1.
        share: N,
    },
    /// The opponent challenged a step of a written computation, or the step from the chosen subclaims to their claim,
    /// or no step.
    Challenged {
        /// The step, from 0.
        step: Option<u64>,
        /// True if the transcript is of the verifier's own computation, false if it is of the problem's computation.
        verifier: bool,
    },
    /// The verifier read a bit.
    Read {
        /// Location of the bit.
        source: BitSource,
        /// Its value.
        value: bool,
        /// True if the bit is read while the verifier's own computation is examined.
        verifier: bool,
    },
    /// The verifier drew samples of a step from the oracle.
    Sampled {
        /// The step of the samples.
        step: u64,
        ones: u64,
        count: u64,
    },
    /// The verifier made a check.
    Checked {
        check: VerifierCheck,
        /// True if the check holds.
        holds: bool,
    },
    /// A proof bit was given.
    GaveBit {
        /// The index of the bit.
        bit: BitId,
        /// Its value.
        value: bool,
    },
    /// The judge answered an oracle query.
    Judged {
        /// The claim.
        claim: ClaimId,
        /// True if the judge answers that the claim is true.
        answer: bool,
        /// The judge's probability that the claim is true, if the judge gave it.
        confidence: Option<N>,
    },
    /// A debater made a speech, or the judge sent the debaters a message.
    Spoke {
        /// The round of the speech, from 1; 0 for a speech before the first round.
        round: u32,
        speech: Speech,
    },
    /// The judge decided whether the debate continues with another round.
    Continued {
        /// True if the judge wants another round, false to end the debate.
        continues: bool,
    },
    /// A sealed reply is opened.
    Opened(ReplySeal),
    /// A reward was paid.
    Rewarded(Reward<N>),
    /// The debate is over.
    Ended {
        /// The sum of the prover's rewards.
        payoff: N,
    },
}

/// Receives the events that a reply to the rules causes, for example to append them to a log. The sink `()` ignores
/// events, so the rules do not even build them.
pub trait EventSink<N> {
    /// True if this sink wants events; if false, the rules do not build any.
    fn wants(&self) -> bool;

    /// Records an event that a seat caused. If `seal` is given, the event is sealed from other seats.
    fn note(&mut self, seat: Seat, seal: Option<ReplySeal>, event: Event<N>);
}

impl<N> dyn EventSink<N> + '_ {
    /// Builds and records an event, if this sink wants events.
    #[inline]
    pub(crate) fn note_with(
        &mut self,
        seat: Seat,
        seal: Option<ReplySeal>,
        event: impl FnOnce() -> Event<N>,
    ) {
        if self.wants() {
            self.note(seat, seal, event());
        }
    }

    /// Builds and records an event that is never sealed, if this sink wants events.
    #[inline]
    pub(crate) fn record_unsealed_event(&mut self, seat: Seat, event: impl FnOnce() -> Event<N>) {
        self.note_with(seat, None, event);
    }

    /// Records the start of a round whose claim has no probability.
    pub(crate) fn log_round_start(&mut self, round: u32, claim: ClaimId) {
        let p = None;
        self.record_unsealed_event(Seat::Chance, || Event::Entered { round, claim, p });
    }

    /// Records that a seat selects a subclaim.
    #[inline]
    pub(crate) fn log_selection(&mut self, by: Seat, claim: ClaimId, index: u32, chosen: ClaimId) {
        self.record_unsealed_event(by, || Event::Selected {
            by,
            claim,
            place: index,
            chosen,
        });
    }

    /// Records that the opponent challenges a step of the transcript, or challenges none.
    pub(crate) fn log_challenge(&mut self, step: Option<u64>, of_verifier_transcript: bool) {
        self.record_unsealed_event(Seat::Opponent, || Event::Challenged {
            step,
            verifier: of_verifier_transcript,
        });
    }

    /// Records a seat's estimate of a claim's probability.
    #[inline]
    pub(crate) fn log_estimate(&mut self, seat: Seat, claim: ClaimId, place: Option<u32>, p: &N)
    where
        N: Clone,
    {
        let (alone, p) = (false, || p.clone());
        self.record_unsealed_event(seat, || Event::Estimated {
            claim,
            place,
            alone,
            p: p(),
        });
    }

    /// Records the toss of a coin with a claim's probability.
    #[inline]
    pub(crate) fn log_coin(&mut self, claim: ClaimId, index: Option<u32>, p: &N, value: bool)
    where
        N: Clone,
    {
        let p = || p.clone();
        self.record_unsealed_event(Seat::Chance, || Event::Tossed {
            claim,
            place: index,
            p: p(),
            value,
        });
    }

    /// Records that a seat gives a string of bits.
    pub(crate) fn log_given_bits(&mut self, seat: Seat, ask: BitsMeaning, bits: &BitString) {
        let bits = || bits.clone();
        self.record_unsealed_event(seat, || Event::Gave { ask, bits: bits() });
    }

    /// Records that a claim is split into subclaims that belong to no support.
    pub(crate) fn log_split_without_support(
        &mut self,
        seat: Seat,
        claim: ClaimId,
        parts: &[ClaimId],
    ) {
        let parts = || parts.to_vec();
        self.record_unsealed_event(seat, || Event::Parts { claim, on: parts() });
    }

    /// Records a check by the verifier as an event of this seat. Returns `holds`, the result of the check.
    pub(crate) fn log_check(&mut self, seat: Seat, check: VerifierCheck, holds: bool) -> bool {
        self.record_unsealed_event(seat, || Event::Checked { check, holds });
        holds
    }

    /// Records and counts the judge's answer to an oracle query.
    #[inline]
    pub(crate) fn judged(
        &mut self,
        claim: ClaimId,
        verdict: (bool, Option<N>),
        account: &mut PaymentsAndResourceCosts<N>,
    ) {
        let (answer, confidence) = verdict;
        account.count_reply(Seat::Judge);
        account.judge_spending().oracle_queries += 1;
        self.record_unsealed_event(Seat::Judge, || Event::Judged {
            claim,
            answer,
            confidence,
        });
    }
}

impl<N> EventSink<N> for () {
    fn wants(&self) -> bool {
        false
    }

    fn note(&mut self, _seat: Seat, _seal: Option<ReplySeal>, _event: Event<N>) {}
}

impl<N> Event<N> {
    /// Returns the name of the event's kind, as used in exports.
    pub fn event_kind_name(&self) -> &'static str {
        match self {
            Self::Entered { .. } => "entered",
            Self::Answered { .. } => "answered",
            Self::Estimated { .. } => "estimated",
            Self::Tossed { .. } => "tossed",
            Self::BetPlaced { .. } => "betted",
            Self::Supported { .. } => "supported",
            Self::Claimed { .. } => "claimed",
            Self::Gated { .. } => "gated",
            Self::Selected { .. } => "selected",
            Self::Parts { .. } => "parts",
            Self::Gave { .. } => "gave",
            Self::Shared { .. } => "shared",
            Self::Challenged { .. } => "challenged",
            Self::Read { .. } => "read",
            Self::Sampled { .. } => "sampled",
            Self::Checked { .. } => "checked",
            Self::GaveBit { .. } => "gave_bit",
            Self::Judged { .. } => "judged",
            Self::Spoke { .. } => "spoke",
            Self::Continued { .. } => "continued",
            Self::Opened(_) => "opened",
            Self::Rewarded(_) => "rewarded",
            Self::Ended { .. } => "ended",
        }
    }

    /// Returns the claim that the event is about; if a subclaim is selected, the selected one.
    pub fn claim(&self) -> Option<ClaimId> {
        match self {
            Self::Entered { claim, .. }
            | Self::Answered { claim, .. }
            | Self::Estimated { claim, .. }
            | Self::Tossed { claim, .. }
            | Self::BetPlaced { claim, .. }
            | Self::Supported { claim, .. }
            | Self::Claimed { claim, .. }
            | Self::Gated { claim, .. }
            | Self::Parts { claim, .. }
            | Self::Judged { claim, .. }
            | Self::Selected { chosen: claim, .. } => Some(*claim),
            Self::Gave { ask, .. } => ask.claim(),
            Self::Shared { .. }
            | Self::Challenged { .. }
            | Self::Read { .. }
            | Self::Sampled { .. }
            | Self::Checked { .. }
            | Self::GaveBit { .. }
            | Self::Spoke { .. }
            | Self::Continued { .. }
            | Self::Opened(_)
            | Self::Rewarded(_)
            | Self::Ended { .. } => None,
        }
    }

    /// Returns the number of the round that begins with this event; `None` for other events.
    pub fn round_started_by_event(&self) -> Option<u32> {
        self.round_started_and_claim_probability()
            .map(|(round, _)| round)
    }

    /// Returns the number of the round that begins with this event, and the probability of the round's claim; `None`
    /// for other events.
    pub fn round_started_and_claim_probability(&self) -> Option<(u32, Option<&N>)> {
        match self {
            Self::Entered { round, p, .. } => Some((*round, p.as_ref())),
            _ => None,
        }
    }

    /// Returns the answer to the root claim, if this event is that answer.
    pub fn prover_root_answer(&self) -> Option<bool> {
        match self {
            Self::Answered { answer, .. } => Some(*answer),
            _ => None,
        }
    }

    /// Returns the estimate of the root claim, if this event is that estimate.
    pub fn root_estimate(&self) -> Option<&N> {
        match self {
            Self::Estimated { place: None, p, .. } => Some(p),
            _ => None,
        }
    }

    /// Returns the round and the bet, if this event is a bet.
    pub fn round_and_bet(&self) -> Option<(u32, Bet)> {
        match self {
            Self::BetPlaced { round, bet, .. } => Some((*round, *bet)),
            _ => None,
        }
    }

    /// True if the event is an estimate, a coin toss, a bet, the gate's value, a reward, or the opening of a sealed
    /// bet.
    pub fn is_estimate_coin_bet_or_payment_event(&self) -> bool {
        matches!(
            self,
            Self::Estimated { .. }
                | Self::Tossed { .. }
                | Self::BetPlaced { .. }
                | Self::Gated { .. }
                | Self::Rewarded(_)
                | Self::Opened(ReplySeal::Bet(_))
        )
    }

    /// Returns the outcome of the coin, if this event is a coin toss.
    pub fn coin_outcome(&self) -> Option<bool> {
        match self {
            Self::Tossed { value, .. } => Some(*value),
            _ => None,
        }
    }

    /// Returns the reward, if this event is the payment of a reward.
    pub fn into_reward(self) -> Option<Reward<N>> {
        match self {
            Self::Rewarded(reward) => Some(reward),
            _ => None,
        }
    }

    /// True if the event is the end of the debate.
    pub fn is_debate_end(&self) -> bool {
        matches!(self, Self::Ended { .. })
    }

    /// True if the event begins a new section of the transcript: the start of a round, or the end of the debate.
    pub fn begins_transcript_section(&self) -> bool {
        self.round_started_by_event().is_some() || self.is_debate_end()
    }

    /// Returns the seal that is opened, if this event opens one.
    pub fn opened_seal(&self) -> Option<ReplySeal> {
        match self {
            Self::Opened(seal) => Some(*seal),
            _ => None,
        }
    }
}

/// An event of a seat.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEntry<N> {
    /// The seat that caused the logged event.
    pub seat: Seat,
    /// The seal that hides the logged event from other seats until it is opened; `None` if it was never sealed.
    pub seal: Option<ReplySeal>,
    pub event: Event<N>,
}

/// All events of a debate so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Log<N> {
    entries: Vec<LogEntry<N>>,
    opened: Vec<ReplySeal>,
}

impl<N> Default for Log<N> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            opened: Vec::new(),
        }
    }
}

impl<N> Log<N> {
    /// Returns all log entries, including sealed ones.
    pub fn entries(&self) -> &[LogEntry<N>] {
        &self.entries
    }

    /// Drops all log entries after the first `length`. Seals that the dropped entries opened are closed again.
    pub fn truncate(&mut self, length: usize) {
        let forgotten = self.entries.get(length..).unwrap_or_default();
        let seals = forgotten
            .iter()
            .filter_map(|entry| entry.event.opened_seal());
        let opened = seals.count();
        self.opened.truncate(self.opened.len() - opened);
        self.entries.truncate(length);
    }

    /// True if this seal has been opened.
    pub(crate) fn is_seal_open(&self, seal: ReplySeal) -> bool {
        self.opened.contains(&seal)
    }
}

impl<N> EventSink<N> for Log<N> {
    fn wants(&self) -> bool {
        true
    }

    fn note(&mut self, seat: Seat, seal: Option<ReplySeal>, event: Event<N>) {
        if let Event::Opened(seal) = &event {
            self.opened.push(*seal);
        }
        self.entries.push(LogEntry { seat, seal, event });
    }
}
