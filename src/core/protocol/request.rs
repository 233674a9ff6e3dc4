//! Requests to players, the bets and random draws that some of them ask for, and the players' replies.

use std::mem::discriminant;
use std::ops::Range;

use serde::Deserialize;
use thiserror::Error;

use super::Seat;
pub use crate::bits::BitString;
use crate::chance;
use crate::number::{self, Number, to_u32_saturating};
#[cfg(feature = "schema")]
use crate::scenario::SavedProverSupport;
use crate::scenario::{
    BitId, ClaimId, Instance, ProverWrittenSupport, ProverWrittenSupportError, Speech,
    SpeechCharacterLimits, SpeechError, Support,
};

/// A request and the seat that must answer it.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingTurn<N> {
    pub seat: Seat,
    pub request: Request<N>,
}

/// A question to a seat. The screen has one input widget for each kind of request, shared by all protocols.
#[derive(Clone, Debug, PartialEq)]
pub enum Request<N> {
    /// Asks the prover: is this claim true?
    Answer {
        /// The claim.
        claim: ClaimId,
    },
    /// Asks a player: how likely is this claim?
    Probability {
        /// The claim.
        claim: ClaimId,
        /// The index of the claim among the subclaims under discussion, or their number for a warrant. In stochastic
        /// debate, the number of the step. `None` for the root.
        place: Option<u32>,
        /// True if the estimate must be of the claim alone, ignoring the coins of this round.
        alone: bool,
    },
    /// Asks the prover for a bet: is the estimate of this claim too low, about right or too high?
    Direction {
        /// The claim.
        claim: ClaimId,
    },
    /// Asks the prover to choose a support of this claim: subclaims from which it follows. If the instance lets the
    /// prover write one
    /// ([`Instance::max_prover_written_subclaims`](crate::scenario::Instance::max_prover_written_subclaims)),
    /// [`Reply::Compose`] is a valid reply too.
    Support {
        /// The claim.
        claim: ClaimId,
        /// The number of listed supports.
        offered: u32,
    },
    /// Asks a debater to select one of the subclaims.
    Select {
        /// The claim whose subclaims can be selected.
        claim: ClaimId,
        count: u32,
    },
    /// Asks a debater for its half of a coin that neither side can bias alone: a uniformly random number from 0 to 1.
    /// The reply is a [`Reply::Probability`] and comes from a copy of the debater that does not see the debate.
    Share {
        /// The claim whose bit the coin determines.
        claim: ClaimId,
    },
    /// Asks the opponent to challenge a step, or to challenge none: a step of a transcript, the stated probability of a
    /// step, or the step from subclaims to their claim.
    Challenge {
        /// The claim in question: the root for a transcript, the claim that a step's bit is 1 for a probability, or the
        /// warrant of the step from subclaims.
        claim: ClaimId,
        /// The steps that can be challenged, as a range without its end.
        steps: Range<u64>,
    },
    /// Asks a debater for a string of bits.
    Bits {
        ask: BitsMeaning,
        /// The number of bits.
        length: u32,
    },
    /// Asks the judge, in place of the oracle: is this claim true?
    Oracle {
        /// The claim.
        claim: ClaimId,
    },
    /// Asks for a speech: free text with quotes from the source.
    Speech {
        /// The answer that the speaker argues for, 0 or 1; `None` for the judge's speech.
        argues_for: Option<u8>,
        limits: SpeechCharacterLimits,
    },
    /// Asks the judge: shall the debate continue with another round, or end?
    Continue {
        /// The number, from 1, of the round that would follow.
        round: u32,
    },
    /// Asks chance for a random draw.
    Draw {
        /// The number of this random draw, which no other draw of the debate has. Numbers may be skipped.
        ordinal: u64,
        /// The claim whose truth the random draw decides, or samples.
        claim: ClaimId,
        draw: ChanceDraw<N>,
    },
}

/// The meaning of the bits of a [`Request::Bits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitsMeaning {
    /// A bit of the prover's implicit proof. Its value depends only on the instance and the bit's index.
    Proof(BitId),
    /// The prover's answers to the subclaims of a support; the gate must compute `result` from them.
    Answers {
        /// The claim.
        claim: ClaimId,
        /// The support.
        support: u32,
        /// The prover's answer to the claim itself. The gate, applied to the subclaims' answers, must have this value.
        result: bool,
    },
    /// The configuration of a machine after a number of steps.
    Configuration {
        /// The number of steps.
        time: u64,
    },
    /// A witness: bits that the prover chooses and that the computation reads.
    Witness,
    /// The transcript of a computation: the bit that each step writes.
    Transcript {
        /// True if the transcript is of the verifier's own computation, which reads the bits of the debate so far.
        verifier: bool,
    },
    /// The values of a block of quantified variables.
    Block {
        /// The number of the block, from 0 for the outermost.
        block: u32,
        /// The claim that the formula is true, given the values chosen for the blocks outside this one.
        claim: ClaimId,
    },
}

impl BitsMeaning {
    /// Returns the claim to which the requested bits belong; `None` if they belong to no claim.
    pub fn claim(self) -> Option<ClaimId> {
        match self {
            Self::Answers { claim, .. } | Self::Block { claim, .. } => Some(claim),
            Self::Proof(_)
            | Self::Configuration { .. }
            | Self::Witness
            | Self::Transcript { .. } => None,
        }
    }

    /// True if the program can prepare bits for the player to edit: the honest bits or, for values of variables, all 0.
    pub fn can_program_prepare_bits(self) -> bool {
        !matches!(self, Self::Proof(_) | Self::Answers { .. })
    }

    /// True if the bit is a proof bit, for which the player sees only the instance and the bit's index.
    pub fn is_proof_bit(self) -> bool {
        matches!(self, Self::Proof(_))
    }
}

/// A draw requested from chance.
#[derive(Clone, Debug, PartialEq)]
pub enum ChanceDraw<N> {
    /// One random bit: 1 with this probability, else 0.
    Bernoulli(N),
    /// A binomial draw: the number of ones among independent samples.
    Binomial {
        /// The number of samples.
        count: u64,
        /// The probability that a sample is 1.
        p: N,
    },
}

impl<N: Number> ChanceDraw<N> {
    /// Returns the outcome of the draw for a coin's random 53-bit integer.
    #[inline]
    pub fn outcome_for_random_integer(&self, number_of_53_bits: u64) -> u64 {
        match self {
            Self::Bernoulli(p) => u64::from(p.comes_up_yes(number_of_53_bits)),
            Self::Binomial { count, p } => {
                chance::binomial_sample(number_of_53_bits, *count, p.to_float())
            }
        }
    }
}

impl<N> Request<N> {
    /// Returns three names: of the kind of request, of its usual reply, and a phrase such as "an answer" for the
    /// requested thing.
    fn names(&self) -> [&'static str; 3] {
        match self {
            Self::Answer { .. } => ["Answer", "answer", "an answer"],
            Self::Probability { .. } => ["Probability", "probability", "a probability"],
            Self::Direction { .. } => ["Direction", "direction", "a bet"],
            Self::Support { .. } => ["Support", "support", "a decomposition"],
            Self::Select { .. } => ["Select", "select", "a subclaim"],
            Self::Share { .. } => ["Share", "probability", "a number from 0 to 1"],
            Self::Challenge { .. } => ["Challenge", "challenge", "a challenge"],
            Self::Bits { .. } => ["Bits", "bits", "bits"],
            Self::Oracle { .. } => ["Oracle", "oracle", "the judge's answer"],
            Self::Speech { .. } => ["Speech", "speech", "a speech"],
            Self::Continue { .. } => [
                "Continue",
                "continue",
                "a decision to continue or to end the debate",
            ],
            Self::Draw { .. } => ["Draw", "drawn", "a coin"],
        }
    }

    /// Returns the kind of the request in one word.
    pub fn request_kind_name(&self) -> &'static str {
        self.names()[0]
    }

    /// Returns the name of the request's usual reply, for messages.
    pub fn reply_name(&self) -> &'static str {
        self.names()[1]
    }

    /// Returns a phrase for the requested kind of reply, such as "an answer".
    pub fn requested_reply_phrase(&self) -> &'static str {
        self.names()[2]
    }

    /// Returns the field `place` of a request for a claim's probability, usually the claim's index among its sibling
    /// subclaims. `None` for the root, and for other requests.
    pub fn index_among_siblings(&self) -> Option<u32> {
        match self {
            Self::Probability { place, .. } => *place,
            _ => None,
        }
    }

    /// True if the request is for a probability that may depend on the coins of the claim's sibling subclaims.
    pub fn may_depend_on_sibling_coins(&self) -> bool {
        let place = self.index_among_siblings();
        place.is_some() && !matches!(self, Self::Probability { alone: true, .. })
    }

    /// Returns the steps that can be challenged, if the request is for a challenge.
    pub fn challengeable_steps(&self) -> Option<&Range<u64>> {
        match self {
            Self::Challenge { steps, .. } => Some(steps),
            _ => None,
        }
    }

    /// Returns the reply that chooses the only item, if the request offers a single support or subclaim. A player who
    /// may write supports has other replies too.
    pub fn only_listed_choice(&self) -> Option<Reply<N>> {
        match self {
            Self::Support { offered: 1, .. } => Some(Reply::Support(0)),
            Self::Select { count: 1, .. } => Some(Reply::Select(0)),
            _ => None,
        }
    }

    /// Returns the claim that the request is about; `None` if it is about no claim.
    pub fn claim_of_request(&self) -> Option<ClaimId> {
        match self {
            Self::Answer { claim }
            | Self::Probability { claim, .. }
            | Self::Direction { claim }
            | Self::Support { claim, .. }
            | Self::Select { claim, .. }
            | Self::Oracle { claim }
            | Self::Draw { claim, .. }
            | Self::Share { claim }
            | Self::Challenge { claim, .. } => Some(*claim),
            Self::Bits { ask, .. } => ask.claim(),
            Self::Speech { .. } | Self::Continue { .. } => None,
        }
    }

    /// Returns the claim that the judge must decide, if the request is an oracle query.
    pub fn claim_for_judge_to_decide(&self) -> Option<ClaimId> {
        match self {
            Self::Oracle { claim } => Some(*claim),
            _ => None,
        }
    }

    /// True if the request is for a debater's half of a coin.
    pub fn is_coin_half_request(&self) -> bool {
        matches!(self, Self::Share { .. })
    }

    /// True if the request asks for an estimate, for a bet on it, or for a random draw.
    pub fn is_estimate_bet_or_draw_request(&self) -> bool {
        matches!(
            self,
            Self::Probability { .. } | Self::Direction { .. } | Self::Draw { .. }
        )
    }

    /// True if the request asks for a bet on an estimate, or for the judge's answer.
    pub fn is_bet_or_oracle_query(&self) -> bool {
        matches!(self, Self::Direction { .. } | Self::Oracle { .. })
    }

    /// True if the reply to the request must be a [`Reply::Probability`].
    pub fn is_answered_with_probability(&self) -> bool {
        matches!(self, Self::Probability { .. } | Self::Share { .. })
    }

    /// Returns the number of requested bits, if the request is for bits.
    pub fn requested_bit_count(&self) -> Option<u32> {
        match self {
            Self::Bits { length, .. } => Some(*length),
            _ => None,
        }
    }

    /// True if the request asks if a claim is true: for the prover's answer or the judge's.
    pub fn asks_for_claim_truth(&self) -> bool {
        matches!(self, Self::Answer { .. } | Self::Oracle { .. })
    }

    /// Returns the limits on the length of a requested speech; `None` for other requests.
    pub fn speech_limits(&self) -> Option<SpeechCharacterLimits> {
        match self {
            Self::Speech { limits, .. } => Some(*limits),
            _ => None,
        }
    }

    /// True if the request is for a bet on a claim's estimate.
    pub fn is_bet_request(&self) -> bool {
        matches!(self, Self::Direction { .. })
    }

    /// True if the request is to select one of several subclaims.
    pub fn is_subclaim_selection_request(&self) -> bool {
        matches!(self, Self::Select { .. })
    }

    /// Returns the number of subclaims to choose from, if the request is to select one.
    pub fn subclaim_choice_count(&self) -> Option<u32> {
        match self {
            Self::Select { count, .. } => Some(*count),
            _ => None,
        }
    }

    /// Returns the index (0 or 1) of the answer for which the requested speech argues.
    pub fn argued_answer_index(&self) -> Option<u8> {
        match self {
            Self::Speech { argues_for, .. } => *argues_for,
            _ => None,
        }
    }

    /// Returns the meaning of the requested bits, if the request is for bits.
    pub fn meaning_of_bits(&self) -> Option<BitsMeaning> {
        match self {
            Self::Bits { ask, .. } => Some(*ask),
            _ => None,
        }
    }

    /// True if both requests are of the same kind and have the same number of supports, subclaims or bits, or the same
    /// steps. They may be about different claims.
    pub fn has_same_kind_and_options(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Support { offered, .. }, Self::Support { offered: also, .. }) => offered == also,
            (Self::Select { count, .. }, Self::Select { count: also, .. }) => count == also,
            (Self::Bits { length, .. }, Self::Bits { length: also, .. }) => length == also,
            (Self::Challenge { steps, .. }, Self::Challenge { steps: also, .. }) => steps == also,
            (one, other) => discriminant(one) == discriminant(other),
        }
    }

    /// If this is a request for a random draw, returns the draw's number, which is unique in the debate, and the draw
    /// itself.
    pub fn requested_draw(&self) -> Option<(u64, &ChanceDraw<N>)> {
        match self {
            Self::Draw { ordinal, draw, .. } => Some((*ordinal, draw)),
            _ => None,
        }
    }

    /// Returns the index of the requested bit of the implicit proof, if the request is for one.
    pub fn requested_proof_bit(&self) -> Option<BitId> {
        match self {
            Self::Bits {
                ask: BitsMeaning::Proof(bit),
                ..
            } => Some(*bit),
            _ => None,
        }
    }

    /// True if the request asks for the probability of a claim.
    pub fn asks_for_claim_probability(&self) -> bool {
        matches!(self, Self::Probability { .. })
    }

    /// True if the replying player sees only the instance and the request, not the debate: for a proof bit or a half of
    /// a coin.
    pub fn is_log_hidden_from_replying_player(&self) -> bool {
        match self {
            Self::Bits { ask, .. } => ask.is_proof_bit(),
            Self::Share { .. } => true,
            _ => false,
        }
    }
}

/// The prover's bet on the direction of an estimate's error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename = "direction")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Bet {
    /// −1: a bet that the estimate is too high.
    TooHigh,
    /// 0: no bet; the estimate is about right, and the bet pays 0.
    AboutRight,
    /// +1: a bet that the estimate is too low.
    TooLow,
}

impl Bet {
    /// All possible bets, from −1 to +1.
    pub const ALL: [Self; 3] = [Self::TooHigh, Self::AboutRight, Self::TooLow];

    /// Returns −1, 0 or +1.
    pub fn sign(self) -> i8 {
        match self {
            Self::TooHigh => -1,
            Self::AboutRight => 0,
            Self::TooLow => 1,
        }
    }

    /// Returns the bet in the opposite direction.
    #[must_use]
    pub fn opposite_bet(self) -> Self {
        match self {
            Self::TooHigh => Self::TooLow,
            Self::AboutRight => Self::AboutRight,
            Self::TooLow => Self::TooHigh,
        }
    }

    /// Returns the bet in the direction of `difference` if its absolute value is larger than `margin`, else
    /// [`Self::AboutRight`].
    #[inline]
    pub fn beyond<N: Number>(difference: &N, margin: &N) -> Self {
        if difference.exceeds(margin) {
            Self::TooLow
        } else if (-margin.clone()).exceeds(difference) {
            Self::TooHigh
        } else {
            Self::AboutRight
        }
    }

    /// Multiplies a number by the bet's sign: −1 for too high, 0 for about right, +1 for too low.
    #[inline]
    pub fn times<N: Number>(self, value: N) -> N {
        match self {
            Self::TooHigh => -value,
            Self::AboutRight => N::zero(),
            Self::TooLow => value,
        }
    }

    /// Describes the bet in words.
    pub fn bet_in_words(self) -> &'static str {
        match self {
            Self::TooHigh => "too high",
            Self::AboutRight => "about right",
            Self::TooLow => "too low",
        }
    }
}

/// A player's reply to a request. Files contain its numbers in their canonical form.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(
    rename = "reply",
    deny_unknown_fields,
    bound(deserialize = "N: Number")
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(bound = ""))]
pub enum Reply<N> {
    /// To [`Request::Answer`].
    Answer(bool),
    /// Replies to [`Request::Probability`] or [`Request::Share`] with a number from 0 to 1.
    Probability(
        #[serde(deserialize_with = "number::deserialize_canonical")]
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        N,
    ),
    /// To [`Request::Direction`].
    Direction(Bet),
    /// Replies to [`Request::Support`] with the index of the chosen support, from 0.
    Support(u32),
    /// Replies to [`Request::Support`] with a support that the prover writes in its own words.
    Compose(
        #[cfg_attr(feature = "schema", schemars(with = "SavedProverSupport"))]
        Box<ProverWrittenSupport>,
    ),
    /// Replies to [`Request::Select`] with the index of the selected subclaim, from 0.
    Select(u32),
    /// To [`Request::Bits`]: the requested bits.
    Bits(#[cfg_attr(feature = "schema", schemars(with = "String"))] BitString),
    /// Replies to [`Request::Challenge`] with the challenged step, or with `None` to challenge no step.
    Challenge(Option<u64>),
    /// Replies to [`Request::Oracle`] with the judge's answer and, optionally, the judge's confidence.
    Oracle {
        /// The answer that counts: true if the judge answers that the claim is true.
        holds: bool,
        /// The judge's probability that the claim is true. It is recorded but has no effect.
        #[serde(default, deserialize_with = "number::deserialize_optional")]
        #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
        confidence: Option<N>,
    },
    /// To [`Request::Speech`].
    Speech(Box<Speech>),
    /// Replies to [`Request::Continue`]: true for another round, false to end the debate.
    Continue(bool),
    /// Replies to [`Request::Draw`] with the outcome, which is computed from the coin's random integer with
    /// [`ChanceDraw::outcome_for_random_integer`].
    Drawn(u64),
}

impl<N> Reply<N> {
    /// Returns the kind of the reply, in words.
    pub fn reply_kind_name(&self) -> &'static str {
        match self {
            Self::Answer(_) => "an answer",
            Self::Probability(_) => "a probability",
            Self::Direction(_) => "a bet",
            Self::Support(_) | Self::Compose(_) => "a decomposition",
            Self::Select(_) => "a subclaim",
            Self::Bits(_) => "bits",
            Self::Challenge(_) => "a challenge",
            Self::Oracle { .. } => "the judge's answer",
            Self::Speech(_) => "a speech",
            Self::Continue(_) => "a decision to continue or to end the debate",
            Self::Drawn(_) => "a coin",
        }
    }
}

/// The reason why a reply is illegal.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum IllegalReply {
    /// The debate is over, or it awaits another player, so no reply is expected.
    #[error("no reply is expected; the debate is over or waits for another player")]
    Over,
    /// The reply is of another kind than the pending request asks for.
    #[error("expected {wanted}, not {given}")]
    Kind {
        wanted: &'static str,
        given: &'static str,
    },
    /// The number in the reply is not a probability.
    #[error("the number {number} is not a probability; give a number from 0 to 1", number = .0)]
    NotAProbability(String),
    /// The opponent disputes a step but states a probability above ½ that the step is valid.
    #[error("the probability {number} is more than one half; if you dispute a step, the probability that it is valid is at most one half", number = .0)]
    NoDoubt(String),
    /// The reply chooses a listed support, but the scenario lists no support of the claim.
    #[error("no support of this claim is listed; write one in your own words")]
    NothingListed,
    /// The support that the prover wrote in its own words is not accepted.
    #[error("{0}")]
    Compose(ProverWrittenSupportError),
    /// The speech breaks a rule for speeches, such as a length limit.
    #[error("{0}")]
    Speech(SpeechError),
    /// The index in the reply is beyond the last option.
    #[error("the index {given} is out of range: there are {count} options, counted from 0")]
    NoSuch { given: u32, count: u32 },
    /// The reply's bit string has the wrong length.
    #[error("expected {wanted} bits, not {given}")]
    Length { wanted: u32, given: usize },
    /// The gate does not compute the required value from the prover's answers to the subclaims.
    #[error("the claim was stated to be {stated}, but the answers to its subclaims imply the opposite; change the answers", stated = .0)]
    Unsupported(bool),
    /// The challenged step is not one of the steps that can be challenged.
    #[error("step {given} cannot be challenged; choose a step from {first} to {last}, or none")]
    NoStep {
        given: u64,
        /// The first step that can be challenged.
        first: u64,
        /// The last step that can be challenged.
        last: u64,
    },
    /// The outcome of a random draw is impossible.
    #[error("the number {number} is not a possible outcome of this coin or random draw", number = .0)]
    NoOutcome(u64),
}

impl IllegalReply {
    pub(super) fn kind<N>(request: Option<PendingTurn<N>>, reply: &Reply<N>) -> Self {
        match request {
            None => Self::Over,
            Some(turn) => Self::Kind {
                wanted: turn.request.requested_reply_phrase(),
                given: reply.reply_kind_name(),
            },
        }
    }
}

/// Checks that an index is below `count`, and returns it as `usize`.
#[inline]
pub(super) fn check_choice_index(given: u32, count: u32) -> Result<usize, IllegalReply> {
    if given < count {
        Ok(given as usize)
    } else {
        Err(IllegalReply::NoSuch { given, count })
    }
}

/// Checks that a claim lists a support with this number, and returns the number and the support.
pub(super) fn listed_support(
    instance: &Instance,
    claim: ClaimId,
    number: u32,
) -> Result<(u32, &Support), IllegalReply> {
    let supports = instance.supports(claim);
    if supports.is_empty() {
        return Err(IllegalReply::NothingListed);
    }
    Ok((
        number,
        &supports[check_choice_index(number, to_u32_saturating(supports.len()))?],
    ))
}

/// Adds a support in the prover's own words to the instance, and returns the support with its number.
pub(super) fn add_composed_support<'a>(
    instance: &'a Instance,
    claim: ClaimId,
    composed: &ProverWrittenSupport,
) -> Result<(u32, &'a Support), IllegalReply> {
    let taken = instance.add_prover_written_support(claim, composed);
    let number = taken.map_err(IllegalReply::Compose)?;
    let support = instance.support(claim, number);
    Ok((number, support.ok_or(IllegalReply::NothingListed)?))
}

/// Checks that a bit string has the requested length.
pub(super) fn check_bit_count(bits: BitString, wanted: u32) -> Result<BitString, IllegalReply> {
    let given = bits.len();
    if given == wanted as usize {
        Ok(bits)
    } else {
        Err(IllegalReply::Length { wanted, given })
    }
}

/// Checks that a challenge is of one of these steps, or of no step.
pub(super) fn check_challenged_step(
    step: Option<u64>,
    steps: &Range<u64>,
) -> Result<Option<u64>, IllegalReply> {
    match step {
        Some(given) if !steps.contains(&given) => Err(IllegalReply::NoStep {
            given,
            first: steps.start,
            last: steps.end.saturating_sub(1),
        }),
        step => Ok(step),
    }
}

/// Checks that a number is a probability.
#[inline]
pub(super) fn check_probability<N: Number>(p: N) -> Result<N, IllegalReply> {
    if p.is_probability() {
        Ok(p)
    } else {
        Err(IllegalReply::NotAProbability(p.to_string()))
    }
}

/// Checks that the judge's confidence, if given, is a probability, and returns it with the judge's answer.
#[inline]
pub(super) fn check_judge_answer<N: Number>(
    holds: bool,
    confidence: Option<N>,
) -> Result<(bool, Option<N>), IllegalReply> {
    Ok((holds, confidence.map(check_probability).transpose()?))
}

/// Checks that the outcome of a Bernoulli draw is possible: 1 only if `p` is above 0, and 0 only if `p` is below 1.
/// Returns true for 1.
#[inline]
pub(super) fn check_bernoulli_outcome<N: Number>(
    outcome: u64,
    p: &N,
) -> Result<bool, IllegalReply> {
    match outcome {
        1 if *p > N::zero() => Ok(true),
        0 if *p < N::one() => Ok(false),
        other => Err(IllegalReply::NoOutcome(other)),
    }
}

/// Checks that the outcome of a binomial draw is possible: at most the number of samples, 0 if `p` is 0, and all
/// samples if `p` is 1.
pub(super) fn check_binomial_outcome<N: Number>(
    outcome: u64,
    count: u64,
    p: &N,
) -> Result<u64, IllegalReply> {
    let possible =
        outcome <= count && (outcome == 0 || *p > N::zero()) && (outcome == count || *p < N::one());
    if possible {
        Ok(outcome)
    } else {
        Err(IllegalReply::NoOutcome(outcome))
    }
}
