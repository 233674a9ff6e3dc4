//! The fields of a scenario file that do not depend on the type of its problem.
//!
//! Maps are lists, so that the checks find repeated keys.

use ron::value::RawValue;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use debate_core::scenario::written::{Probability, entries};

/// A kind of problem.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProblemKind {
    /// The name in scenario files.
    pub name: &'static str,
    /// The name of the problem's type in tables and JSON.
    pub kind: &'static str,
    /// A description of the debated problem, on one line.
    pub about: &'static str,
    /// A small problem of this type, in the syntax of scenario files.
    pub example: &'static str,
    /// The decompositions of the example, in the syntax of scenario files. `None` means that the file omits the field,
    /// so the problem's own claims are used.
    #[serde(borrow)]
    pub decompositions: Vec<Option<&'static str>>,
}

/// The field `decomposition`.
#[derive(Deserialize)]
#[serde(rename = "decomposition", deny_unknown_fields)]
pub(super) enum DecompositionInFile {
    Explicit,
    Intervals {
        width: u32,
        #[serde(default)]
        primes_from: Option<u64>,
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
        copies: EvidenceCount,
        of: Option<Box<Self>>,
    },
}

/// `Stable(5)` and `Stable(auto)`: only the number, for the problem's own decomposition.
#[derive(Deserialize)]
#[serde(rename = "decomposition")]
pub(super) enum StableDecompositionInFile {
    Stable(EvidenceCount),
}

/// The number of pieces of evidence for each subclaim in `Stable`, or `auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EvidenceCount {
    Auto,
    Number(u32),
}

impl<'de> Deserialize<'de> for EvidenceCount {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(reader)?;
        match raw.trim().get_ron() {
            "auto" => Ok(Self::Auto),
            number => number.parse().map(Self::Number).map_err(|_error| {
                D::Error::custom(
                    "write an odd number of copies of each subclaim, such as 5, or `auto`",
                )
            }),
        }
    }
}

/// The field `oracle` of a scenario file: an [`Oracle`](debate_core::Oracle) whose table is in file order.
#[derive(Deserialize)]
#[serde(rename = "oracle")]
pub(super) enum OracleInFile {
    Truth,
    PerLeaf,
    Noisy(Probability),
    Table(MapEntries<Probability>),
}

/// The field `players`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename = "players", default)]
pub(super) struct ScenarioPlayersField {
    pub(super) prover: Option<String>,
    pub(super) opponent: Option<String>,
    pub(super) judge: Option<String>,
}

/// A seat that a player can hold: prover, opponent (also called estimator or challenger) or judge.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename = "seat")]
pub(super) enum SeatInFile {
    Prover,
    #[serde(alias = "Estimator", alias = "Challenger")]
    Opponent,
    Judge,
}

/// A seat's knowledge about the instance before the debate, as the scenario file states it.
#[derive(Deserialize)]
#[serde(rename = "kind of knowledge")]
pub(super) enum KnowledgeInFile {
    Everything,
    Nothing,
    /// The knowledge that the problem offers to a player who cannot decide claims.
    Offered,
    /// The number in a primality problem, from which everything can be computed.
    Number,
    /// The size of the number in a primality problem, and whether it is prime.
    Size,
    Leaves(Vec<String>),
    Instances(Vec<Vec<String>>),
}

impl From<SeatInFile> for debate_core::protocol::Seat {
    fn from(seat: SeatInFile) -> Self {
        match seat {
            SeatInFile::Prover => Self::Prover,
            SeatInFile::Opponent => Self::Opponent,
            SeatInFile::Judge => Self::Judge,
        }
    }
}

/// The entries of a map in file order, including repeated keys.
pub struct MapEntries<T, K = String>(pub Vec<(K, T)>);

impl<T, K> Default for MapEntries<T, K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>, K: Deserialize<'de>> Deserialize<'de> for MapEntries<T, K> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        entries(reader).map(Self)
    }
}
