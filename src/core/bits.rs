//! Strings of bits: transcripts, configurations, witnesses, claimed answers.

use std::fmt;
use std::sync::Arc;

use serde::Deserialize;

/// A string of bits. Clones share memory, so that a transcript of a million bits is stored once. Files contain the bits
/// as a text of `0` and `1`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "String")]
#[serde(rename = "Bits")]
pub struct BitString(Arc<[bool]>);

impl BitString {
    pub fn zeros(count: usize) -> Self {
        Self(vec![false; count].into())
    }

    pub fn as_slice(&self) -> &[bool] {
        &self.0
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the bit at this index of the string, from 0; `None` beyond the end.
    pub fn bit_at(&self, index: u64) -> Option<bool> {
        self.0.get(usize::try_from(index).ok()?).copied()
    }

    /// Returns a copy of the string with the bit at `index` flipped; an unchanged copy if the index is beyond the end.
    #[must_use]
    pub fn with_bit_flipped(&self, index: usize) -> Self {
        let mut bits = self.0.to_vec();
        if let Some(bit) = bits.get_mut(index) {
            *bit = !*bit;
        }
        Self(bits.into())
    }

    /// Returns the `count` low bits of a number, the most significant first.
    pub fn low_bits_of_number(value: u64, count: u32) -> Self {
        low_binary_digits_highest_first(value, count).collect()
    }

    /// Reads a text of `0` and `1`; `None` if it has any other character.
    pub fn parse(text: &str) -> Option<Self> {
        text.chars()
            .map(|bit| match bit {
                '0' => Some(false),
                '1' => Some(true),
                _ => None,
            })
            .collect()
    }
}

/// Returns the last `count` binary digits of a number, the highest first.
pub fn low_binary_digits_highest_first(value: u64, count: u32) -> impl Iterator<Item = bool> {
    let indices = (0..count).rev();
    indices.map(move |index| value.checked_shr(index).unwrap_or(0) & 1 == 1)
}

/// Returns the number with these bits, the most significant first; only the last 64 count.
pub fn number_from_bits(bits: &[bool]) -> u64 {
    bits.iter()
        .fold(0, |value, bit| value << 1 | u64::from(*bit))
}

/// Returns ⌈log2 count⌉: the number of bits that distinguish `count` items.
pub fn bits_to_distinguish(count: u64) -> u32 {
    u64::BITS - count.saturating_sub(1).leading_zeros()
}

impl TryFrom<String> for BitString {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("bits are written as 0 and 1")
    }
}

impl From<Vec<bool>> for BitString {
    fn from(bits: Vec<bool>) -> Self {
        Self(bits.into())
    }
}

impl FromIterator<bool> for BitString {
    fn from_iter<I: IntoIterator<Item = bool>>(bits: I) -> Self {
        Self(bits.into_iter().collect())
    }
}

impl fmt::Display for BitString {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|bit| out.write_str(if *bit { "1" } else { "0" }))
    }
}
