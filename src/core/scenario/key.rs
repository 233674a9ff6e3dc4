//! Keys of claims, which identify claims across instances, and the keys' text form for tables that are saved to files.

use std::fmt;

use num_bigint::BigUint;

use super::open::ProverWrittenSubclaim;
use crate::bits::BitString;

/// Maximum length in bytes of a key's text form that [`ClaimKey::parse`] accepts.
const MAX_KEY: usize = 10_000;

/// The key of a claim: it identifies the claim within its problem.
///
/// Only the claim's problem interprets the key. All other code only compares, writes and reads keys.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClaimKey(pub(super) ClaimKeyContent);

/// The content of a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ClaimKeyContent {
    /// A claim with a number.
    At(u64),
    /// A claim about all integers in a range, which includes both ends.
    Span(Box<(BigUint, BigUint)>),
    /// The claim that a computation's step with this number (from 0) writes the bit 1.
    Step(u64),
    /// One of several independent pieces of evidence for a claim. Consists of the claim's key and, for each level from
    /// the root down, the number of the piece (from 0).
    Piece(Box<(ClaimKey, Vec<u32>)>),
    /// The claim that a machine gets from its configuration at the first time to its configuration at the second time.
    Times(u64, u64),
    /// A claim about a string of bits: an oracle's query, or a history.
    Word(BitString),
    /// The claim that a transcript's steps in a range are right, from the first number up to, but not including, the
    /// second.
    Block(u64, u64),
    /// The claim that a wire of a circuit, or a half of an exclusive or, has this value.
    Wire {
        /// The wire.
        wire: u32,
        /// 0 for the wire itself; 1 or 2 for one of the two halves (ANDs) of an exclusive or.
        part: u8,
        /// The value.
        value: bool,
    },
    /// A claim that the prover wrote during the debate. Contains the number of edges between it and the root, and its
    /// words.
    Said(Box<(u32, ProverWrittenSubclaim)>),
    /// The warrant of the support with this number of a claim: the claim that the support is valid.
    Warrant(Box<(ClaimKey, u32)>),
}

impl ClaimKey {
    /// Returns the key of the claim that has this number in its problem.
    pub fn key_of_claim_number(number: u64) -> Self {
        Self(ClaimKeyContent::At(number))
    }

    /// Returns the key of a claim about a string of bits.
    pub fn from_bits(bits: BitString) -> Self {
        Self(ClaimKeyContent::Word(bits))
    }

    /// Returns the number from which [`Self::key_of_claim_number`] made this key; `None` for other keys.
    pub fn as_claim_number(&self) -> Option<u64> {
        match &self.0 {
            ClaimKeyContent::At(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the bits from which [`Self::from_bits`] made this key; `None` for other keys.
    pub fn bits_of_key(&self) -> Option<&BitString> {
        match &self.0 {
            ClaimKeyContent::Word(word) => Some(word),
            _ => None,
        }
    }

    /// If this is the key of a piece of evidence, returns the key of the claim that it is evidence for; otherwise
    /// returns this key.
    pub(super) fn claim_key_behind_evidence(&self) -> &Self {
        match &self.0 {
            ClaimKeyContent::Piece(piece) => &piece.0,
            _ => self,
        }
    }

    /// Returns the range of integers that the claim is about; `None` if it is not about a range.
    pub(super) fn range_named_by_claim(&self) -> Option<&(BigUint, BigUint)> {
        match &self.claim_key_behind_evidence().0 {
            ClaimKeyContent::Span(span) => Some(span),
            _ => None,
        }
    }

    /// For a warrant, returns the claim and the number of the support that it is about; `None` for any other claim.
    pub(super) fn warranted_claim_and_support(&self) -> Option<(&Self, u32)> {
        match &self.0 {
            ClaimKeyContent::Warrant(of) => Some((&of.0, of.1)),
            _ => None,
        }
    }

    /// Returns the claim in the prover's words, if the prover wrote it.
    pub(super) fn prover_written_subclaim(&self) -> Option<&ProverWrittenSubclaim> {
        match &self.0 {
            ClaimKeyContent::Said(said) => Some(&said.1),
            _ => None,
        }
    }
}

/// Writes the key in the form that [`ClaimKey::parse`] reads.
impl fmt::Display for ClaimKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            ClaimKeyContent::At(number) => write!(out, "{number}"),
            ClaimKeyContent::Span(span) => write!(out, "{}..{}", span.0, span.1),
            ClaimKeyContent::Step(step) => write!(out, "step {step}"),
            ClaimKeyContent::Piece(piece) => {
                let (claim, numbers) = piece.as_ref();
                let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
                write!(out, "piece {} of {claim}", numbers.join("."))
            }
            ClaimKeyContent::Times(from, to) => write!(out, "times {from}..{to}"),
            ClaimKeyContent::Word(word) => write!(out, "word {word}"),
            ClaimKeyContent::Block(from, to) => write!(out, "block {from}..{to}"),
            ClaimKeyContent::Wire { wire, part, value } => {
                write!(out, "wire {wire} {part} {}", u8::from(*value))
            }
            ClaimKeyContent::Said(said) => {
                let (level, part) = said.as_ref();
                let judged = u8::from(part.judged);
                write!(out, "said {level} {judged} {}", part.text)
            }
            ClaimKeyContent::Warrant(of) => write!(out, "warrant {} of {}", of.1, of.0),
        }
    }
}

impl ClaimKey {
    /// Parses a key from the form that its [`Display`](fmt::Display) writes. `None` for any other text, and for a text
    /// longer than 10,000 bytes.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > MAX_KEY {
            return None;
        }
        let key = Self(match text.split_once(' ') {
            None => match text.split_once("..") {
                None => ClaimKeyContent::At(text.parse().ok()?),
                Some((from, to)) => ClaimKeyContent::Span(Box::new((big(from)?, big(to)?))),
            },
            Some(("step", rest)) => ClaimKeyContent::Step(rest.parse().ok()?),
            Some(("piece", rest)) => {
                let (numbers, claim) = rest.split_once(" of ")?;
                // A decomposition is made stable at most once, so there are no pieces of pieces. Warrants have no
                // pieces either, because no decomposition contains them.
                let again = claim.starts_with("piece ") || claim.starts_with("warrant ");
                let claim = Some(claim).filter(|_| !again)?;
                let numbers = numbers
                    .split('.')
                    .filter(|number| !number.is_empty())
                    .map(|number| number.parse().ok());
                ClaimKeyContent::Piece(Box::new((
                    Self::parse(claim)?,
                    numbers.collect::<Option<_>>()?,
                )))
            }
            Some(("times", rest)) => {
                pair(rest).map(|(from, to)| ClaimKeyContent::Times(from, to))?
            }
            Some(("word", rest)) => ClaimKeyContent::Word(BitString::parse(rest)?),
            Some(("block", rest)) => {
                pair(rest).map(|(from, to)| ClaimKeyContent::Block(from, to))?
            }
            Some(("wire", rest)) => {
                let mut parts = rest.split(' ');
                let mut next = || parts.next();
                let wire = next()?.parse().ok()?;
                let part = next()?.parse().ok()?;
                let value = next()? == "1";
                ClaimKeyContent::Wire { wire, part, value }
            }
            Some(("warrant", rest)) => {
                let (support, claim) = rest.split_once(" of ")?;
                let claim = Some(claim).filter(|claim| !claim.starts_with("warrant "))?;
                ClaimKeyContent::Warrant(Box::new((Self::parse(claim)?, support.parse().ok()?)))
            }
            Some(("said", rest)) => {
                let (level, rest) = rest.split_once(' ')?;
                let (judged, text) = rest.split_once(' ')?;
                let mut part = ProverWrittenSubclaim::new(text);
                part.judged = judged == "1";
                ClaimKeyContent::Said(Box::new((level.parse().ok()?, part)))
            }
            Some(_) => return None,
        });
        (key.to_string() == text).then_some(key)
    }
}

fn big(text: &str) -> Option<BigUint> {
    text.parse().ok()
}

fn pair(text: &str) -> Option<(u64, u64)> {
    let (from, to) = text.split_once("..")?;
    Some((from.parse().ok()?, to.parse().ok()?))
}
