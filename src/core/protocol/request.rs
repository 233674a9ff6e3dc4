//! What can be asked, and what can be replied.

mod bet;
mod reply;

use std::ops::Range;

pub use crate::bits::Bits;
use crate::chance;
use crate::number::Number;
use crate::scenario::{BitId, ClaimId};

use super::Seat;
pub use bet::Bet;
pub use reply::{Illegal, Reply};
pub(super) use reply::{
    bernoulli, binomial, composed, in_range, listed, of_length, probability, step_in, verdict,
};

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
