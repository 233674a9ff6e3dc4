//! Replies, and which of them are legal.

use std::ops::Range;

use serde::Deserialize;
use thiserror::Error;

use super::{Bet, Bits, Turn};
use crate::number::{self, Number};
#[cfg(feature = "schema")]
use crate::scenario::WrittenSupport;
use crate::scenario::{
    ClaimId, ComposedSupport, Instance, Speech, Support, Uncomposable, Unspeakable,
};

/// An answer to a request. Files have its numbers in their canonical form.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(
    rename = "reply",
    deny_unknown_fields,
    bound(deserialize = "N: Number")
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(bound = ""))]
pub enum Reply<N> {
    /// To [`Request::Answer`](super::Request::Answer).
    Answer(bool),
    /// To [`Request::Probability`](super::Request::Probability): from 0 to 1.
    Probability(
        #[serde(deserialize_with = "number::deserialize_canonical")]
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        N,
    ),
    /// To [`Request::Direction`](super::Request::Direction).
    Direction(Bet),
    /// To [`Request::Support`](super::Request::Support): which one, from 0.
    Support(u32),
    /// To [`Request::Support`](super::Request::Support): one in the prover's own words.
    Compose(
        #[cfg_attr(feature = "schema", schemars(with = "WrittenSupport"))] Box<ComposedSupport>,
    ),
    /// To [`Request::Select`](super::Request::Select): which one, from 0.
    Select(u32),
    /// To [`Request::Bits`](super::Request::Bits).
    Bits(#[cfg_attr(feature = "schema", schemars(with = "String"))] Bits),
    /// To [`Request::Challenge`](super::Request::Challenge): no step, or this one.
    Challenge(Option<u64>),
    /// To [`Request::Oracle`](super::Request::Oracle): is the claim true, and perhaps how sure the judge is.
    Oracle {
        /// The answer that counts.
        holds: bool,
        /// The judge's probability that the claim is true; recorded, without effect.
        #[serde(default, deserialize_with = "number::deserialize_optional")]
        #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
        confidence: Option<N>,
    },
    /// To [`Request::Speech`](super::Request::Speech).
    Speech(Box<Speech>),
    /// To [`Request::Continue`](super::Request::Continue): true for another round.
    Continue(bool),
    /// To [`Request::Draw`](super::Request::Draw): the outcome, which chance finds from its coin
    /// by [`Draw::outcome`](super::Draw::outcome).
    Drawn(u64),
}

impl<N> Reply<N> {
    /// The kind of reply, in words.
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
            Self::Continue(_) => "whether to hear another round",
            Self::Drawn(_) => "a coin",
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
        wanted: &'static str,
        given: &'static str,
    },
    /// A number that is no probability.
    #[error("{0} is not a probability; give a number from 0 to 1")]
    NotAProbability(String),
    /// A probability above ½ of a step that its speaker disputes.
    #[error("{0} is more than one half; who disputes a step holds it no likelier than that")]
    NoDoubt(String),
    /// A choice where nothing is listed.
    #[error("no way to support this claim is listed; write one in your own words")]
    NothingListed,
    /// A support of the prover's own that cannot be taken.
    #[error("{0}")]
    Compose(Uncomposable),
    /// A speech that cannot be made.
    #[error("{0}")]
    Speech(Unspeakable),
    /// A choice beyond what is offered.
    #[error("there is no number {given}; the {count} on offer are counted from 0")]
    NoSuch { given: u32, count: u32 },
    /// A bit string of the wrong length.
    #[error("{wanted} bits are asked for, not {given}")]
    Length { wanted: u32, given: usize },
    /// Claimed answers that do not support the claim.
    #[error("these answers do not make the claim {0}, which is what it was claimed to be")]
    Unsupported(bool),
    /// A step that cannot be pointed at.
    #[error("step {given} cannot be pointed at; take one from {first} to {last}, or none")]
    NoStep {
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
    pub(in crate::protocol) fn kind<N>(request: Option<Turn<N>>, reply: &Reply<N>) -> Self {
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
pub(in crate::protocol) fn in_range(given: u32, count: u32) -> Result<usize, Illegal> {
    if given < count {
        Ok(given as usize)
    } else {
        Err(Illegal::NoSuch { given, count })
    }
}

/// A support that is listed, with its number.
pub(in crate::protocol) fn listed(
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
pub(in crate::protocol) fn composed<'a>(
    instance: &'a Instance,
    claim: ClaimId,
    composed: &ComposedSupport,
) -> Result<(u32, &'a Support), Illegal> {
    let taken = instance.compose(claim, composed);
    let number = taken.map_err(Illegal::Compose)?;
    let support = instance.support(claim, number);
    Ok((number, support.ok_or(Illegal::NothingListed)?))
}

/// Bits of the length that is asked for.
pub(in crate::protocol) fn of_length(bits: Bits, wanted: u32) -> Result<Bits, Illegal> {
    let given = bits.len();
    if given == wanted as usize {
        Ok(bits)
    } else {
        Err(Illegal::Length { wanted, given })
    }
}

/// No step, or one of these.
pub(in crate::protocol) fn step_in(
    step: Option<u64>,
    steps: &Range<u64>,
) -> Result<Option<u64>, Illegal> {
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
pub(in crate::protocol) fn probability<N: Number>(p: N) -> Result<N, Illegal> {
    if p.is_probability() {
        Ok(p)
    } else {
        Err(Illegal::NotAProbability(p.to_string()))
    }
}

/// A judge's answer and how sure the judge is, where that is said.
#[inline]
pub(in crate::protocol) fn verdict<N: Number>(
    holds: bool,
    confidence: Option<N>,
) -> Result<(bool, Option<N>), Illegal> {
    Ok((holds, confidence.map(probability).transpose()?))
}

/// The outcome of a Bernoulli draw.
#[inline]
pub(in crate::protocol) fn bernoulli<N: Number>(outcome: u64, p: &N) -> Result<bool, Illegal> {
    match outcome {
        1 if *p > N::zero() => Ok(true),
        0 if *p < N::one() => Ok(false),
        other => Err(Illegal::NoOutcome(other)),
    }
}

/// The outcome of a binomial draw.
pub(in crate::protocol) fn binomial<N: Number>(
    outcome: u64,
    count: u64,
    p: &N,
) -> Result<u64, Illegal> {
    let possible =
        outcome <= count && (outcome == 0 || *p > N::zero()) && (outcome == count || *p < N::one());
    if possible {
        Ok(outcome)
    } else {
        Err(Illegal::NoOutcome(outcome))
    }
}
