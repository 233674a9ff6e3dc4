//! Fields of a scenario file that do not depend on the kind of its problem.
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
    /// The name in tables and JSON.
    pub kind: &'static str,
    /// A description of the debated problem, on one line.
    pub about: &'static str,
    /// A small problem of this kind, as scenario files write it.
    pub example: &'static str,
    /// Decompositions of the example, as scenario files write them; `None` if the field is omitted and the
    /// problem is used as it is.
    #[serde(borrow)]
    pub decompositions: Vec<Option<&'static str>>,
}

/// The field `decomposition`.
#[derive(Deserialize)]
#[serde(rename = "decomposition", deny_unknown_fields)]
pub(super) enum DecompositionForm {
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
        copies: CopyCount,
        of: Option<Box<Self>>,
    },
}

/// `Stable(5)` and `Stable(auto)`: only the number, for the problem's own decomposition.
#[derive(Deserialize)]
#[serde(rename = "decomposition")]
pub(super) enum StableForm {
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
                D::Error::custom("write an odd number of copies, such as 5, or `auto`")
            }),
        }
    }
}

/// The field `oracle`: [`Oracle`](debate_core::Oracle) with its table in file order.
#[derive(Deserialize)]
#[serde(rename = "oracle")]
pub(super) enum OracleForm {
    Truth,
    PerLeaf,
    Noisy(Probability),
    Table(MapEntries<Probability>),
}

/// The field `players`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename = "players", default)]
pub(super) struct PlayerNames {
    pub(super) prover: Option<String>,
    pub(super) opponent: Option<String>,
    pub(super) judge: Option<String>,
}

/// A seat of a player: every seat but chance, with the names that the protocols use.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename = "seat")]
pub(super) enum PlayerSeat {
    Prover,
    #[serde(alias = "Estimator", alias = "Challenger")]
    Opponent,
    Judge,
}

/// The knowledge of a seat about the instance before the debate.
#[derive(Deserialize)]
#[serde(rename = "kind of knowledge")]
pub(super) enum KnowledgeForm {
    Everything,
    Nothing,
    /// The knowledge that the problem grants a player who cannot decide claims.
    Offered,
    /// The number itself, from which everything can be computed.
    Number,
    /// The size of the number, and if it is prime.
    Size,
    Leaves(Vec<String>),
    Instances(Vec<Vec<String>>),
}

impl From<PlayerSeat> for debate_core::protocol::Seat {
    fn from(seat: PlayerSeat) -> Self {
        match seat {
            PlayerSeat::Prover => Self::Prover,
            PlayerSeat::Opponent => Self::Opponent,
            PlayerSeat::Judge => Self::Judge,
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
        entries(reader).map(Self)
    }
}
