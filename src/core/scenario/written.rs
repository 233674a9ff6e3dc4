//! Deserialization of fields in the form in which scenario files write them: exact numbers, and maps in the order of
//! the file.
//!
//! The functions are for `#[serde(deserialize_with = …)]`.

use std::fmt;
use std::marker::PhantomData;

use num_traits::One;
use ron::value::RawValue;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use thiserror::Error;

use crate::number::{self, Exact, Number as _, NumberError, RonNumber};

/// The reason why a text is not a probability.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ProbabilityParseError {
    #[error(transparent)]
    Number(#[from] NumberError),
    /// The number is below 0 or above 1. The variant's field is the rounded number.
    #[error("the number {number} is not a probability; use a number from 0 to 1", number = .0)]
    OutOfRange(String),
}

/// Parses a probability from RON text: a number, or a string with a number.
///
/// # Errors
/// Returns an error if the text is not a number, or the number is not from 0 to 1.
pub fn parse_probability(ron: &str) -> Result<Exact, ProbabilityParseError> {
    let value = number::parse(number::number_text_in_raw_ron(ron))?;
    if value.is_probability() {
        return Ok(value);
    }
    let rounded = number::format_rounded(value.to_float(), 4);
    Err(ProbabilityParseError::OutOfRange(rounded))
}

/// A probability in a RON file. It is parsed from its digits, because floating point would round it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probability(pub Exact);

impl<'de> Deserialize<'de> for Probability {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(reader)?;
        let value = parse_probability(raw.get_ron());
        value.map(Self).map_err(D::Error::custom)
    }
}

/// Reads a probability.
///
/// # Errors
/// Returns an error if the value is not a number from 0 to 1.
pub fn probability<'de, D: Deserializer<'de>>(reader: D) -> Result<Exact, D::Error> {
    Probability::deserialize(reader).map(|Probability(value)| value)
}

/// Reads an optional probability.
///
/// # Errors
/// Returns an error if the value is not a number from 0 to 1.
pub fn optional_probability<'de, D: Deserializer<'de>>(
    reader: D,
) -> Result<Option<Exact>, D::Error> {
    let read = Option::<Probability>::deserialize(reader)?;
    Ok(read.map(|Probability(value)| value))
}

/// Reads an optional number.
///
/// # Errors
/// Returns an error if the value is not a number.
pub fn optional_number<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Exact>, D::Error> {
    let read = Option::<RonNumber>::deserialize(reader)?;
    Ok(read.map(|RonNumber(value)| value))
}

/// Reads the weight of an instance of μ; 1 if the value is `None`. The field that uses this function needs a `default`
/// for files that leave it out.
///
/// # Errors
/// Returns an error if the value is not a number.
pub fn weight<'de, D: Deserializer<'de>>(reader: D) -> Result<Exact, D::Error> {
    let read = optional_number(reader)?;
    Ok(read.unwrap_or_else(Exact::one))
}

/// Reads a map as a list of entries in file order. Keeps repeated keys, so that a later check can report them.
///
/// # Errors
/// Returns an error if the value is not a map, or a key or a value cannot be read.
pub fn entries<'de, K, T, D>(reader: D) -> Result<Vec<(K, T)>, D::Error>
where
    K: Deserialize<'de>,
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    reader.deserialize_map(EntriesVisitor(PhantomData))
}

struct EntriesVisitor<K, T>(PhantomData<(K, T)>);

impl<'de, K: Deserialize<'de>, T: Deserialize<'de>> Visitor<'de> for EntriesVisitor<K, T> {
    type Value = Vec<(K, T)>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a map with text keys")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(entries)
    }
}
