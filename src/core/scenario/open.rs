//! Supports that the prover writes during a debate: a gate over subclaims in the prover's own words.
//!
//! [`Instance::add_prover_written_support`](super::Instance::add_prover_written_support) adds such a support to an
//! instance, which stores it for the rest of the debate.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use crate::gate::{Gate, GateError};
use crate::text::is_unsafe_character;

/// Maximum number of characters of a subclaim that the prover writes during a debate.
pub const MAX_SUBCLAIM_CHARACTERS: usize = 200;

/// Limits on the supports that the prover writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "open", deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProverSupportLimits {
    /// Maximum number of edges from the root to a claim. Claims at this depth cannot be split; the judge decides them.
    pub depth: u32,
    /// Maximum number of subclaims of a support that the prover writes.
    pub width: u32,
}

impl Default for ProverSupportLimits {
    /// Returns the limits on the prover's supports that `open: true` in a scenario sets.
    fn default() -> Self {
        Self { depth: 3, width: 5 }
    }
}

/// A value of the scenario file's field `open`, which limits the claims that the prover may write: `true`, `false` or
/// `(depth: 3, width: 5)`.
struct StatedLimits(Option<ProverSupportLimits>);

impl<'de> Deserialize<'de> for StatedLimits {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_any(StatedLimitsVisitor)
    }
}

struct StatedLimitsVisitor;

impl<'de> Visitor<'de> for StatedLimitsVisitor {
    type Value = StatedLimits;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("true, false or limits such as (depth: 3, width: 5)")
    }

    fn visit_bool<E>(self, open: bool) -> Result<Self::Value, E> {
        Ok(StatedLimits(open.then(ProverSupportLimits::default)))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let limits = ProverSupportLimits::deserialize(MapAccessDeserializer::new(map))?;
        Ok(StatedLimits(Some(limits)))
    }
}

/// Reads the limits on the prover's own claims in an argument, `None` for `false`; for `deserialize_with`.
pub(super) fn stated_limits<'de, D: Deserializer<'de>>(
    reader: D,
) -> Result<Option<ProverSupportLimits>, D::Error> {
    let read = Option::<StatedLimits>::deserialize(reader)?;
    Ok(read.and_then(|StatedLimits(limits)| limits))
}

/// A subclaim as the prover writes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProverWrittenSubclaim {
    pub text: String,
    /// True if the judge decides the subclaim directly, even if the debate could split it further.
    pub judged: bool,
}

/// A support that the prover writes. In files, it has the form of a [`SavedProverSupport`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "SavedProverSupport")]
#[serde(rename = "ComposedSupport")]
pub struct ProverWrittenSupport {
    /// The gate over the subclaims. [`Self::check_support`] rejects a truth table and a gate over majorities.
    pub gate: Gate,
    /// The subclaims, in order.
    pub parts: Vec<ProverWrittenSubclaim>,
}

/// A support that the prover wrote, as files store it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "WrittenSupport")]
pub struct SavedProverSupport {
    pub gate: Gate,
    pub on: Vec<String>,
    /// The indices, from 0, of the subclaims that the judge decides directly.
    #[serde(default)]
    pub judged: Vec<usize>,
}

impl TryFrom<SavedProverSupport> for ProverWrittenSupport {
    type Error = &'static str;

    fn try_from(written: SavedProverSupport) -> Result<Self, Self::Error> {
        let texts = written.on.into_iter();
        let mut parts: Vec<ProverWrittenSubclaim> = texts.map(ProverWrittenSubclaim::new).collect();
        let mut last = None;
        for place in written.judged {
            let part = parts
                .get_mut(place)
                .filter(|_| last < Some(place))
                .ok_or("`judged` must list indices of subclaims, ascending, each once")?;
            part.judged = true;
            last = Some(place);
        }
        let gate = written.gate;
        Ok(Self { gate, parts })
    }
}

/// The reason why a support that the prover wrote is not accepted.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ProverWrittenSupportError {
    /// The prover may not write a support for this claim, and must choose a listed one.
    #[error("this claim cannot be split in your own words; choose a listed support")]
    Closed,
    /// The support has no subclaims.
    #[error("your support of this claim has no subclaims; name at least one")]
    Nothing,
    /// More subclaims than the limit.
    #[error("the support has {given} subclaims, but the scenario allows at most {most}")]
    TooMany { given: usize, most: u32 },
    /// The subclaim with this number, from 1, has no words.
    #[error("subclaim {number} is empty; write a claim, or remove the line", number = .0)]
    Empty(usize),
    /// The subclaim with this number, from 1, is too long.
    #[error("subclaim {number} has more than {MAX_SUBCLAIM_CHARACTERS} characters; shorten it", number = .0)]
    TooLong(usize),
    /// A subclaim contains a character that could disturb a terminal or is invisible.
    #[error("subclaim {place} has a character that cannot be shown (U+{code:04X}); remove it")]
    Unsafe {
        /// The number of the subclaim, from 1.
        place: usize,
        /// The character's code.
        code: u32,
    },
    /// The two subclaims with these numbers, from 1, have the same words.
    #[error("subclaims {first} and {second} are equal; change or remove one", first = .0, second = .1)]
    Twice(usize, usize),
    /// The subclaim with this number, from 1, has the same words as the claim that it supports.
    #[error("subclaim {number} repeats the claim that it must support; change it", number = .0)]
    Itself(usize),
    /// The gate does not accept this number of subclaims.
    #[error("{0}")]
    Gate(GateError),
    /// The gate is a truth table or a gate over majorities, which cannot be expressed in words.
    #[error(
        "a support in your own words needs one of the gates All, Any, Majority, AtLeast, Not, Xor"
    )]
    Unspoken,
}

impl ProverWrittenSupport {
    /// Checks that a support is valid for a claim with the text `claim` and has at most `max_subclaims` subclaims.
    ///
    /// # Errors
    /// Returns the first problem found.
    pub fn check_support(
        &self,
        claim: &str,
        max_subclaims: u32,
    ) -> Result<(), ProverWrittenSupportError> {
        let given = self.parts.len();
        if given == 0 {
            return Err(ProverWrittenSupportError::Nothing);
        }
        if given > max_subclaims as usize {
            return Err(ProverWrittenSupportError::TooMany {
                given,
                most: max_subclaims,
            });
        }
        for (index, part) in self.parts.iter().enumerate() {
            let place = index + 1;
            part.check(place)?;
            let before = self.parts.iter().take(index);
            if let Some(first) = before
                .clone()
                .position(|other| other.has_same_words(&part.text))
            {
                return Err(ProverWrittenSupportError::Twice(first + 1, place));
            }
            if part.has_same_words(claim) {
                return Err(ProverWrittenSupportError::Itself(place));
            }
        }
        match self.gate {
            Gate::Table(_) | Gate::OfMajorities { .. } => Err(ProverWrittenSupportError::Unspoken),
            ref gate => gate
                .check_input_count(given)
                .map_err(ProverWrittenSupportError::Gate),
        }
    }
}

impl ProverWrittenSubclaim {
    /// Creates a subclaim that the debate may split further.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            judged: false,
        }
    }

    fn check(&self, place: usize) -> Result<(), ProverWrittenSupportError> {
        if self.text.trim().is_empty() {
            return Err(ProverWrittenSupportError::Empty(place));
        }
        // Characters are counted only if the byte length could exceed the limit.
        if self.text.len() > MAX_SUBCLAIM_CHARACTERS
            && self.text.chars().count() > MAX_SUBCLAIM_CHARACTERS
        {
            return Err(ProverWrittenSupportError::TooLong(place));
        }
        match self.text.chars().find(|c| is_unsafe_character(*c)) {
            Some(bad) => Err(ProverWrittenSupportError::Unsafe {
                place,
                code: bad.into(),
            }),
            None => Ok(()),
        }
    }

    /// True if the subclaim and `text` have the same words, regardless of capitals, spacing and full stops at the end.
    fn has_same_words(&self, text: &str) -> bool {
        fn words(text: &str) -> impl Iterator<Item = String> {
            let text = text.trim().trim_end_matches('.');
            text.split_whitespace().map(str::to_lowercase)
        }
        words(&self.text).eq(words(text))
    }
}
