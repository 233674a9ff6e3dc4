//! Requests, the bets and draws that they ask for, and replies.

use std::mem::discriminant;
use std::ops::Range;

use serde::Deserialize;
use thiserror::Error;

use super::Seat;
pub use crate::bits::Bits;
use crate::chance;
use crate::number::{self, Number, to_u32_saturating};
#[cfg(feature = "schema")]
use crate::scenario::WrittenSupport;
use crate::scenario::{
    BitId, ClaimId, ComposedSupport, Instance, Speech, SpeechError, SpeechLimits, Support,
    SupportError,
};

/// A request and the seat that must answer it.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn<N> {
    pub seat: Seat,
    pub request: Request<N>,
}

/// A question to a seat. Each kind of request has one widget, for all protocols.
#[derive(Clone, Debug, PartialEq)]
pub enum Request<N> {
    /// Is this claim true?
    Answer {
        /// The claim.
        claim: ClaimId,
    },
    /// How likely is this claim?
    Probability {
        /// The claim.
        claim: ClaimId,
        /// The claim's index among the subclaims under discussion; `None` for the root.
        place: Option<u32>,
        /// True if the claim is judged separately, ignoring the coins of this round.
        alone: bool,
    },
    /// Asks the prover for a bet: is the probability given for this claim too low, about right or too high?
    Direction {
        /// The claim.
        claim: ClaimId,
    },
    /// Asks for the decomposition of this claim. If the instance lets the prover write one
    /// ([`Instance::composing_limit`](crate::scenario::Instance::composing_limit)), [`Reply::Compose`] is a valid reply
    /// too.
    Support {
        /// The claim.
        claim: ClaimId,
        /// The number of listed supports.
        offered: u32,
    },
    /// Asks for one of the subclaims.
    Select {
        /// The claim whose subclaims can be selected.
        claim: ClaimId,
        count: u32,
    },
    /// Asks for a number from 0 to 1, as if drawn uniformly: one half of a coin that neither side can bias alone.
    /// Answered by a context-free copy with a [`Reply::Probability`].
    Share {
        /// The claim for which the coin is made.
        claim: ClaimId,
    },
    /// Asks the opponent to challenge a step of the transcript, or none.
    Challenge {
        /// The claim that the steps lead to.
        claim: ClaimId,
        /// The steps that can be challenged, the last excluded.
        steps: Range<u64>,
    },
    /// A string of bits.
    Bits {
        ask: BitsMeaning,
        /// The number of bits.
        length: u32,
    },
    /// To the judge: is this claim true?
    Oracle {
        /// The claim.
        claim: ClaimId,
    },
    /// Asks for a speech: free text with quotes from the source.
    Speech {
        /// The answer that the speaker argues for, 0 or 1; `None` for the judge's speech.
        argues_for: Option<u8>,
        limits: SpeechLimits,
    },
    /// To the judge: another round, or the end of the debate?
    Continue {
        /// The round that would follow, from 1.
        round: u32,
    },
    /// A draw, for chance.
    Draw {
        /// The number of the draw in the debate; each number is requested at most once.
        ordinal: u64,
        /// The claim whose truth is drawn.
        claim: ClaimId,
        draw: Draw<N>,
    },
}

/// The meaning of the bits of a [`Request::Bits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitsMeaning {
    /// A bit of the implicit proof, a function of the instance and the bit's index alone.
    Proof(BitId),
    /// The claimed answers to a support's subclaims; the gate must give `result`.
    Answers {
        /// The claim.
        claim: ClaimId,
        /// The support.
        support: u32,
        /// The value that the answers must give the claim.
        result: bool,
    },
    /// The configuration of a machine after a number of steps.
    Configuration {
        /// The number of steps.
        time: u64,
    },
    /// A witness that the claim is true.
    Witness,
    /// The bits that the steps of a computation wrote.
    Transcript {
        /// True if the computation is the verifier's own, over the bits of the debate so far.
        verifier: bool,
    },
    /// The values of a block of quantified variables.
    Block {
        /// The number of the block, from 0 for the outermost.
        block: u32,
        /// The claim "the formula holds from this block inwards".
        claim: ClaimId,
    },
}

impl BitsMeaning {
    /// Returns the claim whose bits are requested, if they belong to a claim.
    pub fn claim(self) -> Option<ClaimId> {
        match self {
            Self::Answers { claim, .. } | Self::Block { claim, .. } => Some(claim),
            Self::Proof(_)
            | Self::Configuration { .. }
            | Self::Witness
            | Self::Transcript { .. } => None,
        }
    }

    /// True if the bits are prepared, so that the player need not type all of them.
    pub fn has_prepared_bits(self) -> bool {
        !matches!(self, Self::Proof(_) | Self::Answers { .. })
    }

    /// True if the seat that answers sees only the instance and the index.
    pub fn is_proof_bit(self) -> bool {
        matches!(self, Self::Proof(_))
    }
}

/// A draw requested from chance.
#[derive(Clone, Debug, PartialEq)]
pub enum Draw<N> {
    /// A Bernoulli draw: 1 with this probability, else 0.
    Bernoulli(N),
    /// The binomial law: the number of ones among independent samples.
    Binomial {
        /// The number of samples.
        count: u64,
        /// The probability that a sample is 1.
        p: N,
    },
}

impl<N: Number> Draw<N> {
    /// Returns the outcome of the draw that a 53-bit coin gives.
    #[inline]
    pub fn outcome(&self, coin: u64) -> u64 {
        match self {
            Self::Bernoulli(p) => u64::from(p.comes_up_yes(coin)),
            Self::Binomial { count, p } => chance::binomial_sample(coin, *count, p.to_float()),
        }
    }
}

impl<N> Request<N> {
    /// Returns the name of the request, the name of its reply, and a phrase for the requested thing.
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
            Self::Continue { .. } => ["Continue", "continue", "a decision on another round"],
            Self::Draw { .. } => ["Draw", "drawn", "a coin"],
        }
    }

    /// Returns the kind of the request, in a word.
    pub fn name(&self) -> &'static str {
        self.names()[0]
    }

    /// Returns the name of the usual reply, as used in messages.
    pub fn reply_name(&self) -> &'static str {
        self.names()[1]
    }

    /// Returns the requested kind of reply, in words.
    pub fn requested_reply_phrase(&self) -> &'static str {
        self.names()[2]
    }

    /// Returns the index of the claim among its siblings, if the request is for the claim's probability.
    pub fn index_among_siblings(&self) -> Option<u32> {
        match self {
            Self::Probability { place, .. } => *place,
            _ => None,
        }
    }

    /// True if the requested probability may depend on the coins of the claim's siblings.
    pub fn is_conditional(&self) -> bool {
        let place = self.index_among_siblings();
        place.is_some() && !matches!(self, Self::Probability { alone: true, .. })
    }

    /// Returns the steps that can be challenged.
    pub fn challengeable_steps(&self) -> Option<&Range<u64>> {
        match self {
            Self::Challenge { steps, .. } => Some(steps),
            _ => None,
        }
    }

    /// Returns the reply that chooses the only listed item: of one support, or of one subclaim. A player who may write
    /// supports has other replies too.
    pub fn only_listed_choice(&self) -> Option<Reply<N>> {
        match self {
            Self::Support { offered: 1, .. } => Some(Reply::Support(0)),
            Self::Select { count: 1, .. } => Some(Reply::Select(0)),
            _ => None,
        }
    }

    /// Returns the claim that the request asks about.
    pub fn claim(&self) -> Option<ClaimId> {
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

    /// Returns the claim that the judge must decide.
    pub fn judged_claim(&self) -> Option<ClaimId> {
        match self {
            Self::Oracle { claim } => Some(*claim),
            _ => None,
        }
    }

    /// True if the request is for one half of a coin.
    pub fn is_coin_share(&self) -> bool {
        matches!(self, Self::Share { .. })
    }

    /// True if it is answered with a [`Reply::Probability`].
    pub fn takes_probability(&self) -> bool {
        matches!(self, Self::Probability { .. } | Self::Share { .. })
    }

    /// Returns the number of requested bits.
    pub fn bits_wanted(&self) -> Option<u32> {
        match self {
            Self::Bits { length, .. } => Some(*length),
            _ => None,
        }
    }

    /// True if the request is for the truth of a claim.
    pub fn asks_truth(&self) -> bool {
        matches!(self, Self::Answer { .. } | Self::Oracle { .. })
    }

    /// True if the request is for a bet on a claim.
    pub fn is_bet(&self) -> bool {
        matches!(self, Self::Direction { .. })
    }

    /// True if the request is to select one of several subclaims or parts.
    pub fn is_selection(&self) -> bool {
        matches!(self, Self::Select { .. })
    }

    /// Returns the number of subclaims to choose from.
    pub fn subclaim_choice_count(&self) -> Option<u32> {
        match self {
            Self::Select { count, .. } => Some(*count),
            _ => None,
        }
    }

    /// Returns the number of the answer for which a speech argues.
    pub fn argues_for(&self) -> Option<u8> {
        match self {
            Self::Speech { argues_for, .. } => *argues_for,
            _ => None,
        }
    }

    /// Returns the meaning of the requested bits.
    pub fn meaning_of_bits(&self) -> Option<BitsMeaning> {
        match self {
            Self::Bits { ask, .. } => Some(*ask),
            _ => None,
        }
    }

    /// True if another request asks the same question, perhaps about other claims.
    pub fn is_same_question(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Support { offered, .. }, Self::Support { offered: also, .. }) => offered == also,
            (Self::Select { count, .. }, Self::Select { count: also, .. }) => count == also,
            (Self::Bits { length, .. }, Self::Bits { length: also, .. }) => length == also,
            (Self::Challenge { steps, .. }, Self::Challenge { steps: also, .. }) => steps == also,
            (one, other) => discriminant(one) == discriminant(other),
        }
    }

    /// Returns the draw requested from chance, with its ordinal.
    pub fn draw(&self) -> Option<(u64, &Draw<N>)> {
        match self {
            Self::Draw { ordinal, draw, .. } => Some((*ordinal, draw)),
            _ => None,
        }
    }

    /// Returns the requested bit of the implicit proof.
    pub fn proof_bit(&self) -> Option<BitId> {
        match self {
            Self::Bits {
                ask: BitsMeaning::Proof(bit),
                ..
            } => Some(*bit),
            _ => None,
        }
    }

    /// True if the request asks for the probability of a claim.
    pub fn wants_probability(&self) -> bool {
        matches!(self, Self::Probability { .. })
    }

    /// True if the seat that answers sees only the instance and the request.
    pub fn is_proof_bit(&self) -> bool {
        match self {
            Self::Bits { ask, .. } => ask.is_proof_bit(),
            Self::Share { .. } => true,
            _ => false,
        }
    }
}

/// A bet on the direction of an estimate's error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename = "direction")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Bet {
    /// −1: the probability is too high.
    TooHigh,
    /// 0: the probability is about right; the bet pays 0.
    AboutRight,
    /// +1: the probability is too low.
    TooLow,
}

impl Bet {
    /// All bets, from −1 to +1.
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

    /// Returns the bet with the sign of a difference if the difference is larger than `margin`, else
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

    /// Returns the bet times a number.
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

/// An answer to a request. Files contain its numbers in their canonical form.
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
    /// To [`Request::Probability`]: from 0 to 1.
    Probability(
        #[serde(deserialize_with = "number::deserialize_canonical")]
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        N,
    ),
    /// To [`Request::Direction`].
    Direction(Bet),
    /// To [`Request::Support`]: the index of the support, from 0.
    Support(u32),
    /// To [`Request::Support`]: a support in the prover's own words.
    Compose(
        #[cfg_attr(feature = "schema", schemars(with = "WrittenSupport"))] Box<ComposedSupport>,
    ),
    /// To [`Request::Select`]: the index of the selected subclaim, from 0.
    Select(u32),
    /// To [`Request::Bits`]: the requested bits.
    Bits(#[cfg_attr(feature = "schema", schemars(with = "String"))] Bits),
    /// To [`Request::Challenge`]: the challenged step, or `None` to challenge no step.
    Challenge(Option<u64>),
    /// To [`Request::Oracle`]: is the claim true, and optionally the judge's confidence.
    Oracle {
        /// The answer that counts.
        holds: bool,
        /// The judge's probability that the claim is true; recorded, without effect.
        #[serde(default, deserialize_with = "number::deserialize_optional")]
        #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
        confidence: Option<N>,
    },
    /// To [`Request::Speech`].
    Speech(Box<Speech>),
    /// To [`Request::Continue`]: true for another round.
    Continue(bool),
    /// To [`Request::Draw`]: the outcome, which chance computes from its coin with
    /// [`Draw::outcome`](super::Draw::outcome).
    Drawn(u64),
}

impl<N> Reply<N> {
    /// Returns the kind of reply, in words.
    pub fn kind(&self) -> &'static str {
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
            Self::Continue(_) => "a decision on another round",
            Self::Drawn(_) => "a coin",
        }
    }
}

/// The reason why a reply is illegal.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Illegal {
    /// The debate is over, so no reply is expected.
    #[error("the debate is over; no reply is expected")]
    Over,
    /// A reply to another kind of request.
    #[error("expected {wanted}, not {given}")]
    Kind {
        wanted: &'static str,
        given: &'static str,
    },
    /// A number that is not a probability.
    #[error("{number} is not a probability; give a number from 0 to 1", number = .0)]
    NotAProbability(String),
    /// A probability above ½ of a step that its speaker disputes.
    #[error("{number} is more than one half; the probability of a disputed step is at most one half", number = .0)]
    NoDoubt(String),
    /// A choice from an empty list.
    #[error("no support of this claim is listed; write one in your own words")]
    NothingListed,
    /// A support in the prover's own words that is not accepted.
    #[error("{0}")]
    Compose(SupportError),
    /// A speech that is not allowed.
    #[error("{0}")]
    Speech(SpeechError),
    /// A choice beyond the last option.
    #[error("index {given} is out of range: there are {count} options, counted from 0")]
    NoSuch { given: u32, count: u32 },
    /// A bit string of the wrong length.
    #[error("expected {wanted} bits, not {given}")]
    Length { wanted: u32, given: usize },
    /// Claimed answers that do not support the claim.
    #[error("the claim was stated to be {stated}, but these answers to the subclaims do not support that; change the answers", stated = .0)]
    Unsupported(bool),
    /// A step that cannot be challenged.
    #[error("step {given} cannot be challenged; choose a step from {first} to {last}, or none")]
    NoStep {
        given: u64,
        /// The first step that can be challenged.
        first: u64,
        /// The last step that can be challenged.
        last: u64,
    },
    /// An outcome that chance cannot give.
    #[error("{number} is not a possible outcome of this coin or random draw", number = .0)]
    NoOutcome(u64),
}

impl Illegal {
    pub(super) fn kind<N>(request: Option<Turn<N>>, reply: &Reply<N>) -> Self {
        match request {
            None => Self::Over,
            Some(turn) => Self::Kind {
                wanted: turn.request.requested_reply_phrase(),
                given: reply.kind(),
            },
        }
    }
}

/// Checks a choice among `count`, and returns it as an index.
#[inline]
pub(super) fn check_index(given: u32, count: u32) -> Result<usize, Illegal> {
    if given < count {
        Ok(given as usize)
    } else {
        Err(Illegal::NoSuch { given, count })
    }
}

/// Checks the number of a listed support, and returns the support with its number.
pub(super) fn listed(
    instance: &Instance,
    claim: ClaimId,
    number: u32,
) -> Result<(u32, &Support), Illegal> {
    let supports = instance.supports(claim);
    if supports.is_empty() {
        return Err(Illegal::NothingListed);
    }
    Ok((
        number,
        &supports[check_index(number, to_u32_saturating(supports.len()))?],
    ))
}

/// Adds a support in the prover's own words to the instance, and returns it with its number there.
pub(super) fn composed<'a>(
    instance: &'a Instance,
    claim: ClaimId,
    composed: &ComposedSupport,
) -> Result<(u32, &'a Support), Illegal> {
    let taken = instance.add_prover_written_support(claim, composed);
    let number = taken.map_err(Illegal::Compose)?;
    let support = instance.support(claim, number);
    Ok((number, support.ok_or(Illegal::NothingListed)?))
}

/// Checks that bits have the requested length.
pub(super) fn check_length(bits: Bits, wanted: u32) -> Result<Bits, Illegal> {
    let given = bits.len();
    if given == wanted as usize {
        Ok(bits)
    } else {
        Err(Illegal::Length { wanted, given })
    }
}

/// Checks a challenge: no step, or one of these.
pub(super) fn check_step(step: Option<u64>, steps: &Range<u64>) -> Result<Option<u64>, Illegal> {
    match step {
        Some(given) if !steps.contains(&given) => Err(Illegal::NoStep {
            given,
            first: steps.start,
            last: steps.end.saturating_sub(1),
        }),
        step => Ok(step),
    }
}

/// Checks that a number is a probability.
#[inline]
pub(super) fn probability<N: Number>(p: N) -> Result<N, Illegal> {
    if p.is_probability() {
        Ok(p)
    } else {
        Err(Illegal::NotAProbability(p.to_string()))
    }
}

/// Builds a judge's answer, with the judge's confidence if it is given.
#[inline]
pub(super) fn verdict<N: Number>(
    holds: bool,
    confidence: Option<N>,
) -> Result<(bool, Option<N>), Illegal> {
    Ok((holds, confidence.map(probability).transpose()?))
}

/// Checks the outcome of a Bernoulli draw.
#[inline]
pub(super) fn check_bernoulli_outcome<N: Number>(outcome: u64, p: &N) -> Result<bool, Illegal> {
    match outcome {
        1 if *p > N::zero() => Ok(true),
        0 if *p < N::one() => Ok(false),
        other => Err(Illegal::NoOutcome(other)),
    }
}

/// Checks the outcome of a binomial draw.
pub(super) fn binomial<N: Number>(outcome: u64, count: u64, p: &N) -> Result<u64, Illegal> {
    let possible =
        outcome <= count && (outcome == 0 || *p > N::zero()) && (outcome == count || *p < N::one());
    if possible {
        Ok(outcome)
    } else {
        Err(Illegal::NoOutcome(outcome))
    }
}
