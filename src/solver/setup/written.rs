//! The parts of a scenario file as they are written, whatever is debated.
//!
//! Numbers stay raw slices, so that they are read exactly; maps stay lists, so that a key that
//! stands twice is seen.

use std::fmt;
use std::marker::PhantomData;

use ron::value::RawValue;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// A kind of problem.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProblemKind {
    /// The name in scenario files.
    pub name: &'static str,
    /// The name in tables and JSON.
    pub kind: &'static str,
    /// One line on what is debated.
    pub about: &'static str,
    /// A small problem of this kind, as scenario files write it.
    pub example: &'static str,
    /// Decompositions of the example, as scenario files write them; `None` where the field is
    /// left out and the problem stands as it is.
    #[serde(borrow)]
    pub decompositions: Vec<Option<&'static str>>,
}

#[derive(Deserialize)]
#[serde(rename = "decomposition", deny_unknown_fields)]
pub(super) enum RonDecomposition {
    Explicit,
    Intervals {
        width: u32,
    },
    Witnesses {
        bases: Vec<u64>,
    },
    Gates,
    Halves,
    Blocks {
        width: u32,
    },
    Pratt,
    Stable {
        copies: CopyCount,
        of: Option<Box<Self>>,
    },
}

/// `Stable(5)` and `Stable(auto)`: the number alone, over the problem's own decomposition.
#[derive(Deserialize)]
#[serde(rename = "decomposition")]
pub(super) enum RonStable {
    Stable(CopyCount),
}

/// The number of pieces of evidence for each subclaim, or `auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CopyCount {
    Auto,
    Number(u32),
}

impl<'de> Deserialize<'de> for CopyCount {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(reader)?;
        match raw.trim().get_ron() {
            "auto" => Ok(Self::Auto),
            number => number.parse().map(Self::Number).map_err(|_error| {
                D::Error::custom("a number of copies is odd, such as 5, or the word auto")
            }),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename = "oracle")]
pub(super) enum RonOracle<'f> {
    Truth,
    PerLeaf,
    Noisy(#[serde(borrow)] &'f RawValue),
    Table(#[serde(borrow)] MapEntries<&'f RawValue>),
}

/// How the pieces of evidence for a claim err together.
#[derive(Deserialize)]
#[serde(rename = "kind of evidence")]
pub(super) enum RonEvidence<'f> {
    Independent,
    SharedCause(#[serde(borrow)] &'f RawValue),
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename = "players", default)]
pub(super) struct RonPlayers {
    pub(super) prover: Option<String>,
    pub(super) opponent: Option<String>,
    pub(super) judge: Option<String>,
}

/// The seats that a person may take.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename = "seat to sit in")]
pub(super) enum RonSeat {
    Prover,
    #[serde(alias = "Estimator", alias = "Challenger")]
    Opponent,
    Judge,
}

/// What a seat knows of the instance before anybody speaks.
#[derive(Deserialize)]
#[serde(rename = "kind of knowledge")]
pub(super) enum RonKnowledge {
    Everything,
    Nothing,
    /// What the problem grants a player who cannot decide claims.
    Offered,
    /// The number itself, from which everything can be computed.
    Number,
    /// The size of the number, and whether it is prime.
    Size,
    Leaves(Vec<String>),
    Instances(Vec<Vec<String>>),
}

impl From<RonSeat> for debate_core::protocol::Seat {
    fn from(seat: RonSeat) -> Self {
        match seat {
            RonSeat::Prover => Self::Prover,
            RonSeat::Opponent => Self::Opponent,
            RonSeat::Judge => Self::Judge,
        }
    }
}

/// A map's entries in file order, with every repetition.
pub struct MapEntries<T, K = String>(pub Vec<(K, T)>);

impl<T, K> Default for MapEntries<T, K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>, K: Deserialize<'de>> Deserialize<'de> for MapEntries<T, K> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Reader<T, K>(PhantomData<(T, K)>);

        impl<'de, T: Deserialize<'de>, K: Deserialize<'de>> Visitor<'de> for Reader<T, K> {
            type Value = MapEntries<T, K>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a map from texts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(MapEntries(entries))
            }
        }

        reader.deserialize_map(Reader(PhantomData))
    }
}
