//! What can be asked, and what can be replied.

use std::ops::Range;

use thiserror::Error;

pub use crate::bits::Bits;
use crate::chance;
use crate::number::Number;
use crate::scenario::{BitId, ClaimId, Composed, Instance, Support, Uncomposable};

use super::Seat;

/// A request and the seat that must answer it.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn<N> {
    /// Who must speak.
    pub seat: Seat,
    /// What is asked.
    pub request: Request<N>,
}

/// What is asked of a seat. There is one widget for each, whatever the protocol.
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
        /// Its place among the subclaims under discussion; `None` for the root.
        place: Option<u32>,
        /// Whether the claim is to be judged on its own, the coins of this round left aside.
        alone: bool,
    },
    /// Is the probability given for this claim too low, about right or too high?
    Direction {
        /// The claim.
        claim: ClaimId,
    },
    /// Which decomposition of this claim? Where the instance says that the prover may write one
    /// ([`Instance::composing`](crate::scenario::Instance::composing)), [`Reply::Compose`] is
    /// an answer too.
    Support {
        /// The claim.
        claim: ClaimId,
        /// How many are listed.
        offered: u32,
    },
    /// Which of the subclaims?
    Select {
        /// The claim whose subclaims they are.
        claim: ClaimId,
        /// How many there are.
        count: u32,
    },
    /// A number from 0 to 1, as if drawn evenly: one half of a coin that neither side can bend
    /// alone. Answered by a context-free copy with a [`Reply::Probability`].
    Share {
        /// The claim whose coin it is.
        claim: ClaimId,
    },
    /// Is there a wrong step, and which?
    Challenge {
        /// What the steps lead to.
        claim: ClaimId,
        /// Which steps can be pointed at, the last excluded.
        steps: Range<u64>,
    },
    /// A string of bits.
    Bits {
        /// What the bits are.
        ask: Ask,
        /// How many.
        length: u32,
    },
    /// To the judge: is this claim true?
    Oracle {
        /// The claim.
        claim: ClaimId,
    },
    /// To chance.
    Draw {
        /// Which draw of the debate this is; each ordinal is asked at most once.
        ordinal: u64,
        /// The claim whose truth is drawn.
        claim: ClaimId,
        /// What is drawn.
        draw: Draw<N>,
    },
}

/// What the bits of a [`Request::Bits`] are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// A bit of the implicit proof, a function of the instance and the bit's index alone.
    Proof(BitId),
    /// The claimed answers to a support's subclaims; the gate must give `result`.
    Answers {
        /// The claim.
        claim: ClaimId,
        /// The support.
        support: u32,
        /// What the answers must make the claim.
        result: bool,
    },
    /// The configuration of a machine after so many steps.
    Configuration {
        /// How many steps.
        time: u64,
    },
    /// A witness that the claim is true.
    Witness,
    /// What each step of a computation wrote.
    Transcript {
        /// Whether the computation is the verifier's own, over the bits of the debate so far.
        verifier: bool,
    },
    /// The values of a block of quantified variables.
    Block {
        /// Its number, from the outermost, from 0.
        block: u32,
        /// The claim "the formula holds from this block inwards".
        claim: ClaimId,
    },
}

impl Ask {
    /// Whether whoever answers sees the instance and the index and nothing else.
    #[must_use]
    pub fn is_context_free(self) -> bool {
        matches!(self, Self::Proof(_))
    }
}

/// What chance is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Draw<N> {
    /// 1 with this probability, else 0.
    Bernoulli(N),
    /// How many of so many independent samples are 1.
    Binomial {
        /// How many samples.
        count: u64,
        /// The probability of each to be 1.
        p: N,
    },
}

impl<N: Number> Draw<N> {
    /// The outcome for a 53-bit coin.
    #[must_use]
    #[inline]
    pub fn outcome(&self, coin: u64) -> u64 {
        match self {
            Self::Bernoulli(p) => u64::from(p.beats(coin)),
            Self::Binomial { count, p } => chance::binomial(coin, *count, p.to_float()),
        }
    }
}

/// A bet on the direction of an estimate's error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bet {
    /// −1: the probability is too high.
    TooHigh,
    /// 0: the probability is about right; nothing can be won or lost.
    AboutRight,
    /// +1: the probability is too low.
    TooLow,
}

impl Bet {
    /// All bets, from −1 to +1.
    pub const ALL: [Self; 3] = [Self::TooHigh, Self::AboutRight, Self::TooLow];

    /// −1, 0 or +1.
    #[must_use]
    pub fn sign(self) -> i8 {
        match self {
            Self::TooHigh => -1,
            Self::AboutRight => 0,
            Self::TooLow => 1,
        }
    }

    /// The bet with this sign, if there is one.
    #[must_use]
    pub fn from_sign(sign: i64) -> Option<Self> {
        match sign {
            -1 => Some(Self::TooHigh),
            0 => Some(Self::AboutRight),
            1 => Some(Self::TooLow),
            _ => None,
        }
    }

    /// The bet against this one.
    #[must_use]
    pub fn against(self) -> Self {
        match self {
            Self::TooHigh => Self::TooLow,
            Self::AboutRight => Self::AboutRight,
            Self::TooLow => Self::TooHigh,
        }
    }

    /// The sign of a difference, where its size is more than `margin`, else [`Self::AboutRight`].
    #[must_use]
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

    /// The bet times a number.
    #[must_use]
    #[inline]
    pub fn times<N: Number>(self, value: N) -> N {
        match self {
            Self::TooHigh => -value,
            Self::AboutRight => N::zero(),
            Self::TooLow => value,
        }
    }

    /// The bet in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::TooHigh => "too high",
            Self::AboutRight => "about right",
            Self::TooLow => "too low",
        }
    }
}

/// An answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply<N> {
    /// To [`Request::Answer`].
    Answer(bool),
    /// To [`Request::Probability`]: from 0 to 1.
    Probability(N),
    /// To [`Request::Direction`].
    Direction(Bet),
    /// To [`Request::Support`]: which one, from 0.
    Support(u32),
    /// To [`Request::Support`]: one in the prover's own words.
    Compose(Box<Composed>),
    /// To [`Request::Select`]: which one, from 0.
    Select(u32),
    /// To [`Request::Bits`].
    Bits(Bits),
    /// To [`Request::Challenge`]: no step, or this one.
    Challenge(Option<u64>),
    /// To [`Request::Oracle`]: is the claim true, and perhaps how sure the judge is.
    Oracle {
        /// The answer that counts.
        holds: bool,
        /// The judge's probability that the claim is true; recorded, without effect.
        confidence: Option<N>,
    },
    /// To [`Request::Draw`]: the outcome, which chance finds from its coin by [`Draw::outcome`].
    Drawn(u64),
}

impl<N> Reply<N> {
    /// The kind of reply, in words.
    #[must_use]
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
            Self::Drawn(_) => "a coin",
        }
    }
}

impl<N> Request<N> {
    /// The kind of reply that is asked for, in words.
    #[must_use]
    pub fn wants(&self) -> &'static str {
        match self {
            Self::Answer { .. } => "an answer",
            Self::Probability { .. } => "a probability",
            Self::Direction { .. } => "a bet",
            Self::Support { .. } => "a decomposition",
            Self::Select { .. } => "a subclaim",
            Self::Bits { .. } => "bits",
            Self::Share { .. } => "a number from 0 to 1",
            Self::Challenge { .. } => "a challenge",
            Self::Oracle { .. } => "the judge's answer",
            Self::Draw { .. } => "a coin",
        }
    }

    /// The claim that is asked about.
    #[must_use]
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
            | Self::Challenge { claim, .. }
            | Self::Bits {
                ask: Ask::Answers { claim, .. } | Ask::Block { claim, .. },
                ..
            } => Some(*claim),
            Self::Bits { .. } => None,
        }
    }
}

/// Why a reply is illegal.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Illegal {
    /// Nothing is asked any more.
    #[error("the debate is over; no reply is asked for")]
    Over,
    /// A reply to another kind of request.
    #[error("{wanted} is asked for, not {given}")]
    Kind {
        /// What is asked for.
        wanted: &'static str,
        /// What was given.
        given: &'static str,
    },
    /// A number that is no probability.
    #[error("{0} is not a probability; give a number from 0 to 1")]
    NotAProbability(String),
    /// A choice where nothing is listed.
    #[error("no way to support this claim is listed; write one in your own words")]
    NothingListed,
    /// A support of the prover's own that cannot be taken.
    #[error("{0}")]
    Compose(Uncomposable),
    /// A choice beyond what is offered.
    #[error("there is no number {given}; the {count} on offer are counted from 0")]
    NoSuch {
        /// What was chosen.
        given: u32,
        /// How many there are.
        count: u32,
    },
    /// A bit string of the wrong length.
    #[error("{wanted} bits are asked for, not {given}")]
    Length {
        /// How many are asked for.
        wanted: u32,
        /// How many were given.
        given: usize,
    },
    /// Claimed answers that do not support the claim.
    #[error("these answers do not make the claim {0}, which is what it was claimed to be")]
    Unsupported(bool),
    /// A step that cannot be pointed at.
    #[error("step {given} cannot be pointed at; take one from {first} to {last}, or none")]
    NoStep {
        /// What was pointed at.
        given: u64,
        /// The first step that can be.
        first: u64,
        /// The last.
        last: u64,
    },
    /// An outcome that chance cannot give.
    #[error("{0} is no outcome of this draw")]
    NoOutcome(u64),
}

impl Illegal {
    pub(super) fn kind<N>(request: Option<Turn<N>>, reply: &Reply<N>) -> Self {
        match request {
            None => Self::Over,
            Some(turn) => Self::Kind {
                wanted: turn.request.wants(),
                given: reply.kind(),
            },
        }
    }
}

/// A choice among `count`.
#[inline]
pub(super) fn in_range(given: u32, count: u32) -> Result<usize, Illegal> {
    if given < count {
        Ok(given as usize)
    } else {
        Err(Illegal::NoSuch { given, count })
    }
}

/// A support that is listed, with its number.
pub(super) fn listed(
    instance: &Instance,
    claim: ClaimId,
    number: u32,
) -> Result<(u32, &Support), Illegal> {
    let supports = instance.supports(claim);
    if supports.is_empty() {
        return Err(Illegal::NothingListed);
    }
    let count = u32::try_from(supports.len()).unwrap_or(u32::MAX);
    Ok((number, &supports[in_range(number, count)?]))
}

/// A support in the prover's own words, which the instance takes in, with its number there.
pub(super) fn composed<'a>(
    instance: &'a Instance,
    claim: ClaimId,
    composed: &Composed,
) -> Result<(u32, &'a Support), Illegal> {
    let taken = instance.compose(claim, composed);
    let number = taken.map_err(Illegal::Compose)?;
    let support = instance.support(claim, number);
    Ok((number, support.ok_or(Illegal::NothingListed)?))
}

/// Bits of the length that is asked for.
pub(super) fn of_length(bits: Bits, wanted: u32) -> Result<Bits, Illegal> {
    let given = bits.len();
    if given == wanted as usize {
        Ok(bits)
    } else {
        Err(Illegal::Length { wanted, given })
    }
}

/// No step, or one of these.
pub(super) fn step_in(step: Option<u64>, steps: &Range<u64>) -> Result<Option<u64>, Illegal> {
    match step {
        Some(given) if !steps.contains(&given) => Err(Illegal::NoStep {
            given,
            first: steps.start,
            last: steps.end.saturating_sub(1),
        }),
        step => Ok(step),
    }
}

/// A probability.
#[inline]
pub(super) fn probability<N: Number>(p: N) -> Result<N, Illegal> {
    if p.is_probability() {
        Ok(p)
    } else {
        Err(Illegal::NotAProbability(p.to_string()))
    }
}

/// The outcome of a Bernoulli draw.
#[inline]
pub(super) fn bernoulli<N: Number>(outcome: u64, p: &N) -> Result<bool, Illegal> {
    match outcome {
        1 if *p > N::zero() => Ok(true),
        0 if *p < N::one() => Ok(false),
        other => Err(Illegal::NoOutcome(other)),
    }
}

/// The outcome of a binomial draw.
pub(super) fn binomial<N: Number>(outcome: u64, count: u64, p: &N) -> Result<u64, Illegal> {
    let possible =
        outcome <= count && (outcome == 0 || *p > N::zero()) && (outcome == count || *p < N::one());
    if possible {
        Ok(outcome)
    } else {
        Err(Illegal::NoOutcome(outcome))
    }
}
