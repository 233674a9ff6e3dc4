//! Long bit strings in a save: their differences from the string that the rules prepare, and a digest.
//!
//! A transcript of a million bits usually equals the one that the problem determines, except for a few false bits. So a
//! line stores the indices where the reply differs from
//! [`DebateWithExaminedComputation::prepared`](debate_core::protocol::DebateWithExaminedComputation::prepared), and a digest of the whole
//! string. If the rules prepare no string, or too many bits differ, the bits are stored in a file beside the save.

use std::fmt;

use serde::Deserialize;

use super::error::SaveDifferenceWithoutLine;
use super::sidecar::{Sidecar, SidecarFolder};
use debate_core::digest::Digest;
use debate_core::protocol::BitString;

/// Maximum length of a bit string that a save's line stores digit by digit.
pub const MAX_WRITTEN: usize = 256;

/// Maximum number of indices at which a reply may differ from the prepared string and be stored by its differences.
pub const MAX_FLIPS: usize = 1024;

/// A long bit string, as a line of a save stores it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "SavedLongBitsFields")]
#[serde(rename = "LongBits")]
pub struct SavedLongBits {
    /// Number of bits.
    pub length: u64,
    /// The SHA-256 digest of the bits, packed eight to a byte, the first one as the highest bit. The last byte is
    /// padded with zeros.
    pub digest: Digest,
    pub storage: LongBitsStorageInSave,
}

/// A player's long bit string as a save stores it: its length and digest, with its differences from the string that the
/// rules prepared, or a flag that a file beside the save contains the bits. A refused string that was not requested has
/// neither.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "reply", deny_unknown_fields)]
pub(super) enum SavedLongBitsFields {
    BulkBits {
        length: u64,
        #[serde(default)]
        flips: Option<Vec<u64>>,
        digest: String,
        /// True if the long string's bits are stored in a file beside the save.
        #[serde(default)]
        sidecar: bool,
    },
}

impl TryFrom<SavedLongBitsFields> for SavedLongBits {
    type Error = &'static str;

    fn try_from(written: SavedLongBitsFields) -> Result<Self, Self::Error> {
        let SavedLongBitsFields::BulkBits {
            length,
            flips,
            digest,
            sidecar,
        } = written;
        let storage = match (flips, sidecar) {
            (Some(flips), false) => LongBitsStorageInSave::Flips(flips),
            (None, true) => LongBitsStorageInSave::Sidecar,
            (None, false) => LongBitsStorageInSave::Nowhere,
            (Some(_), true) => {
                return Err("a save gives bits by `flips` or by a file (`sidecar`), not by both");
            }
        };
        let digest = Digest::parse(&digest);
        Ok(Self {
            length,
            digest: digest.ok_or("a digest must have 64 hexadecimal digits in lower case")?,
            storage,
        })
    }
}

/// The way in which a save stores the bits of a long string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LongBitsStorageInSave {
    /// The prepared bits with the bits at these indices flipped. The indices count from 0 and increase.
    Flips(Vec<u64>),
    /// A file beside the save, with the bits packed as for the digest.
    Sidecar,
    /// Only the digest of the bits is stored, because they are a refused reply whose length was not requested.
    Nowhere,
}

impl SavedLongBits {
    /// Converts a long bit string to its form on a save's line. Also returns the file beside the save that it needs, if
    /// any.
    pub(super) fn stored_form_of(
        bits: &BitString,
        prepared: Option<&BitString>,
    ) -> (Self, Option<Sidecar>) {
        let packed = pack(bits.as_slice());
        let digest = Digest::digest_of_bytes(&packed);
        let (storage, sidecar) = match prepared.and_then(|prepared| flips(bits, prepared)) {
            Some(flips) => (LongBitsStorageInSave::Flips(flips), None),
            None => (
                LongBitsStorageInSave::Sidecar,
                Some(Sidecar::sidecar_of_packed_bits(packed)),
            ),
        };
        let length = bits.len() as u64;
        (
            Self {
                length,
                digest,
                storage,
            },
            sidecar,
        )
    }

    /// Converts refused bits that were not requested to their form on a save's line: only their digest.
    pub(super) fn refused_bits_as_digest(bits: &BitString) -> Self {
        Self {
            length: bits.len() as u64,
            digest: Digest::digest_of_bytes(&pack(bits.as_slice())),
            storage: LongBitsStorageInSave::Nowhere,
        }
    }

    /// Returns the bits of a stored long string. `asked` is the number of bits that the request asks for; a string of
    /// another length is an error.
    pub(super) fn bits(
        &self,
        asked: u32,
        prepared: impl FnOnce() -> Option<BitString>,
        sidecars: &SidecarFolder,
    ) -> Result<BitString, SaveDifferenceWithoutLine> {
        if self.length != u64::from(asked) {
            let found = format!("length: {}", self.length);
            return Err(SaveDifferenceWithoutLine::new(
                format!("length: {asked}"),
                found,
            ));
        }
        let bits = match &self.storage {
            LongBitsStorageInSave::Flips(flips) => self.flipped(flips, prepared()),
            LongBitsStorageInSave::Sidecar => self.read_sidecar(sidecars),
            LongBitsStorageInSave::Nowhere => {
                let expected = "bits that the save lists, or that are in a file beside the save";
                Err(SaveDifferenceWithoutLine::new(
                    expected,
                    "only their digest",
                ))
            }
        }?;
        let found = Digest::digest_of_bytes(&pack(bits.as_slice()));
        if found == self.digest {
            return Ok(bits);
        }
        let with = |digest| format!("bits with the digest {digest}");
        Err(SaveDifferenceWithoutLine::new(
            with(self.digest),
            with(found),
        ))
    }

    fn flipped(
        &self,
        flips: &[u64],
        prepared: Option<BitString>,
    ) -> Result<BitString, SaveDifferenceWithoutLine> {
        let prepared = prepared.filter(|bits| bits.len() as u64 == self.length);
        let Some(prepared) = prepared else {
            let expected = "a file beside the save that contains the bits, because the rules prepare no bits for this request";
            return Err(SaveDifferenceWithoutLine::new(expected, "flips"));
        };
        let rising = flips.iter().zip(flips.iter().skip(1)).all(|(a, b)| a < b);
        if !rising || flips.len() > MAX_FLIPS {
            let expected =
                format!("at most {MAX_FLIPS} indices of flipped bits, in increasing order");
            let found = format!(
                "{flips} indices of flipped bits, too many or not in increasing order",
                flips = flips.len()
            );
            return Err(SaveDifferenceWithoutLine::new(expected, found));
        }
        let mut bits = prepared.as_slice().to_vec();
        for place in flips {
            let bit = usize::try_from(*place).ok().and_then(|at| bits.get_mut(at));
            let Some(bit) = bit else {
                let expected = format!("flips below {}", self.length);
                return Err(SaveDifferenceWithoutLine::new(
                    expected,
                    format!("a flip at {place}"),
                ));
            };
            *bit = !*bit;
        }
        Ok(BitString::from(bits))
    }

    fn read_sidecar(
        &self,
        sidecars: &SidecarFolder,
    ) -> Result<BitString, SaveDifferenceWithoutLine> {
        let expected = || {
            format!(
                "a file with the bits of digest {digest} beside the save",
                digest = self.digest
            )
        };
        let packed = sidecars.read_packed_bits(self.digest, self.length.div_ceil(8));
        let unread = |unread| SaveDifferenceWithoutLine::new(expected(), format!("that {unread}"));
        let bits = unpack(&packed.map_err(unread)?, self.length);
        bits.ok_or_else(|| {
            SaveDifferenceWithoutLine::new(expected(), "extra bits after the last one")
        })
    }
}

impl fmt::Display for SavedLongBits {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "BulkBits(length: {}", self.length)?;
        if let LongBitsStorageInSave::Flips(flips) = &self.storage {
            let places: Vec<String> = flips.iter().map(ToString::to_string).collect();
            write!(out, ", flips: [{}]", places.join(", "))?;
        }
        write!(out, ", digest: \"{}\"", self.digest)?;
        if self.storage == LongBitsStorageInSave::Sidecar {
            out.write_str(", sidecar: true")?;
        }
        out.write_str(")")
    }
}

/// Returns the indices where two bit strings of the same length differ; `None` if there are too many or the lengths
/// differ.
fn flips(bits: &BitString, prepared: &BitString) -> Option<Vec<u64>> {
    if bits.len() != prepared.len() {
        return None;
    }
    let pairs = bits.as_slice().iter().zip(prepared.as_slice());
    let differ = (0..).zip(pairs).filter(|(_, (bit, own))| bit != own);
    let flips: Vec<u64> = differ.map(|(place, _)| place).take(MAX_FLIPS + 1).collect();
    (flips.len() <= MAX_FLIPS).then_some(flips)
}

/// Packs eight bits into a byte, the first one as the highest bit.
fn pack(bits: &[bool]) -> Vec<u8> {
    let byte = |bits: &[bool]| {
        let ones = (0..8).zip(bits).filter(|(_, bit)| **bit);
        ones.fold(0, |byte, (place, _)| byte | 0x80 >> place)
    };
    bits.chunks(8).map(byte).collect()
}

/// Unpacks `length` bits; `None` if there are fewer, or more than padding after them.
fn unpack(packed: &[u8], length: u64) -> Option<BitString> {
    let length = usize::try_from(length).ok()?;
    let mut bits: Vec<bool> = Vec::with_capacity(8 * packed.len());
    for byte in packed {
        bits.extend((0..8).map(|place| byte & 0x80 >> place != 0));
    }
    let rest = bits.get(length..)?;
    if rest.len() >= 8 || rest.contains(&true) {
        return None;
    }
    bits.truncate(length);
    Some(BitString::from(bits))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn some_bits() -> impl Strategy<Value = Vec<bool>> {
        proptest::collection::vec(any::<bool>(), 0..2000)
    }

    fn asked(bits: &BitString) -> u32 {
        u32::try_from(bits.len()).unwrap()
    }

    /// Checks that saves store and restore a bit string correctly, in both ways of storing it. The string is `own`, the
    /// prepared bits, with the bits at `turned` flipped.
    fn check_storage(own: Vec<bool>, turned: &[prop::sample::Index]) -> Result<(), TestCaseError> {
        let prepared = BitString::from(own.clone());
        let mut given = own;
        if !given.is_empty() {
            for place in turned {
                let place = place.index(given.len());
                given[place] = !given[place];
            }
        }
        let given = BitString::from(given);
        let (bulk, sidecar) = SavedLongBits::stored_form_of(&given, Some(&prepared));
        prop_assert_eq!(sidecar, None);
        let prepared = || Some(prepared.clone());
        let again = bulk.bits(asked(&given), prepared, &SidecarFolder::default());
        prop_assert_eq!(again, Ok(given.clone()));

        let (bulk, sidecar) = SavedLongBits::stored_form_of(&given, None);
        let packed = sidecar.unwrap();
        prop_assert_eq!(unpack(packed.bytes(), bulk.length), Some(given.clone()));
        let folder = tempfile::tempdir().unwrap();
        packed.write_sidecar(folder.path()).unwrap();
        let sidecars = SidecarFolder::folder_of_save(&folder.path().join("save.ron"));
        prop_assert_eq!(bulk.bits(asked(&given), || None, &sidecars), Ok(given));
        Ok(())
    }

    fn places() -> impl Strategy<Value = Vec<prop::sample::Index>> {
        proptest::collection::vec(any::<prop::sample::Index>(), 0..30)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn long_bits_are_read_back(own in some_bits(), turned in places()) {
            check_storage(own, &turned)?;
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        #[ignore = "exhaustive: 2 s; every day: long_bits_are_read_back"]
        fn many_long_bits_are_read_back(own in some_bits(), turned in places()) {
            check_storage(own, &turned)?;
        }
    }

    #[test]
    fn a_million_bits_take_a_short_line() {
        let prepared = BitString::zeros(1_000_000);
        let given = prepared.with_bit_flipped(17).with_bit_flipped(999_999);
        let (bulk, sidecar) = SavedLongBits::stored_form_of(&given, Some(&prepared));
        assert_eq!(sidecar, None);
        let line = bulk.to_string();
        let start = "BulkBits(length: 1000000, flips: [17, 999999], digest: \"";
        assert!(line.starts_with(start) && line.len() < 150, "{line}");
    }

    #[test]
    fn many_flips_are_stored_in_a_sidecar() {
        let prepared = BitString::zeros(5000);
        let given = |ones: usize| (0..5000).map(|place| place < ones).collect::<BitString>();
        let storage = |ones| {
            SavedLongBits::stored_form_of(&given(ones), Some(&prepared))
                .0
                .storage
        };
        assert!(
            matches!(storage(MAX_FLIPS), LongBitsStorageInSave::Flips(flips) if flips.len() == MAX_FLIPS)
        );
        assert_eq!(storage(MAX_FLIPS + 1), LongBitsStorageInSave::Sidecar);
        assert_eq!(
            SavedLongBits::stored_form_of(&given(0), Some(&BitString::zeros(4999)))
                .0
                .storage,
            LongBitsStorageInSave::Sidecar
        );
    }

    #[test]
    fn inconsistent_long_bits_are_refused_with_the_reason() {
        let prepared = BitString::zeros(1000);
        let (bulk, _) =
            SavedLongBits::stored_form_of(&prepared.with_bit_flipped(3), Some(&prepared));
        let found = |bulk: &SavedLongBits, asked| {
            bulk.bits(asked, || Some(prepared.clone()), &SidecarFolder::default())
                .unwrap_err()
        };
        assert_eq!(found(&bulk, 999).expected, "length: 999");
        let nothing = bulk
            .bits(1000, || None, &SidecarFolder::default())
            .unwrap_err();
        assert!(
            nothing.expected.contains("the rules prepare no bits"),
            "{nothing:?}"
        );
        let with = |storage: LongBitsStorageInSave| SavedLongBits {
            storage,
            ..bulk.clone()
        };
        for (storage, expected) in [
            (
                LongBitsStorageInSave::Flips(vec![4]),
                "bits with the digest",
            ),
            (
                LongBitsStorageInSave::Flips(Vec::new()),
                "bits with the digest",
            ),
            (
                LongBitsStorageInSave::Flips(vec![3, 3]),
                "in increasing order",
            ),
            (
                LongBitsStorageInSave::Flips(vec![5, 3]),
                "in increasing order",
            ),
            (
                LongBitsStorageInSave::Flips((0..1000).chain(0..1000).collect()),
                "at most 1024",
            ),
            (LongBitsStorageInSave::Flips(vec![1000]), "flips below 1000"),
            (
                LongBitsStorageInSave::Flips(vec![u64::MAX]),
                "flips below 1000",
            ),
            (LongBitsStorageInSave::Sidecar, "a file with the bits"),
            (LongBitsStorageInSave::Nowhere, "bits that the save lists"),
        ] {
            let found = found(&with(storage), 1000);
            assert!(found.expected.contains(expected), "{found:?}");
        }
    }

    #[test]
    fn bits_beyond_the_end_are_refused() {
        assert_eq!(pack(&[true, false, true]), [0b1010_0000]);
        assert_eq!(unpack(&[0b1010_0000], 3).unwrap().to_string(), "101");
        assert_eq!(unpack(&[0b1010_0001], 3), None);
        assert_eq!(unpack(&[0, 0], 8), None);
        assert_eq!(unpack(&[0], 9), None);
        assert_eq!(unpack(&[], 0), Some(BitString::default()));
    }
}
