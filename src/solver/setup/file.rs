//! A scenario file as it is written: the types that the parser fills.
//!
//! Numbers stay raw slices, so that they are read exactly; maps stay lists, so that a key that
//! stands twice is seen.

use std::fmt;
use std::marker::PhantomData;

use ron::value::RawValue;
use serde::de::{Error, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

use super::{argument, circuit, locator, machine, plan, primality, qbf, question};
use debate_core::scenario::JudgeSees;

#[derive(Deserialize)]
#[serde(rename = "Scenario", deny_unknown_fields)]
pub(super) struct RonScenario<'f> {
    pub(super) format: u32,
    pub(super) title: String,
    #[serde(default)]
    pub(super) about: String,
    #[serde(default)]
    pub(super) briefing: MapEntries<String, RonSeat>,
    #[serde(default)]
    pub(super) debrief: String,
    #[serde(borrow)]
    pub(super) problem: RonProblem<'f>,
    #[serde(borrow)]
    pub(super) instance: Option<&'f RawValue>,
    #[serde(borrow)]
    pub(super) decomposition: Option<&'f RawValue>,
    #[serde(borrow)]
    pub(super) oracle: Option<RonOracle<'f>>,
    #[serde(borrow)]
    pub(super) evidence: Option<RonEvidence<'f>>,
    #[serde(borrow)]
    pub(super) protocol: Option<&'f RawValue>,
    #[serde(default)]
    pub(super) players: RonPlayers,
    pub(super) sit: Option<RonSeat>,
    #[serde(default, with = "JudgeSeesField")]
    pub(super) judge_sees: JudgeSees,
    #[serde(default)]
    pub(super) knows: MapEntries<RonKnowledge, RonSeat>,
    #[serde(default)]
    pub(super) queries: MapEntries<u32, RonSeat>,
    #[serde(default)]
    pub(super) tags: MapEntries<String>,
}

/// The part of a scenario that is debated, as it is written.
#[derive(Deserialize)]
#[serde(rename = "Scenario")]
pub(super) struct RonProblemText<'f> {
    #[serde(borrow)]
    pub(super) problem: &'f RawValue,
    #[serde(borrow)]
    pub(super) decomposition: Option<&'f RawValue>,
}

// The names of types stand in messages: "there is no gate `Most`".
#[derive(Deserialize)]
#[serde(rename = "problem")]
pub(super) enum RonProblem<'f> {
    Argument(#[serde(borrow)] argument::RonArgument<'f>),
    Primality(#[serde(borrow)] primality::RonPrimality<'f>),
    Qbf(qbf::RonQbf),
    Question(question::RonQuestion),
    Machine(#[serde(borrow)] machine::RonMachine<'f>),
    Circuit(#[serde(borrow)] circuit::RonCircuit<'f>),
    Parity(u32),
    MajorityOf(u32),
    Adder(u32),
    Multiplier(u32),
    Plan(#[serde(borrow)] plan::RonPlan<'f>),
}

#[derive(Deserialize)]
#[serde(rename = "gate")]
pub(super) enum RonGate {
    All,
    Any,
    Majority,
    AtLeast(u32),
    Not,
    Xor,
    Table(Vec<RonBit>),
}

/// A row of a truth table: `true` or `false`, 1 or 0.
pub(super) struct RonBit(pub(super) bool);

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
        match locator::value(raw.get_ron()) {
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

#[derive(Deserialize)]
#[serde(remote = "JudgeSees", rename = "view for the judge")]
enum JudgeSeesField {
    Leaf,
    Path,
    Transcript,
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

impl<'de> Deserialize<'de> for RonBit {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Reader;

        impl Visitor<'_> for Reader {
            type Value = RonBit;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("true, false, 1 or 0")
            }

            fn visit_bool<E: Error>(self, row: bool) -> Result<RonBit, E> {
                Ok(RonBit(row))
            }

            fn visit_u64<E: Error>(self, row: u64) -> Result<RonBit, E> {
                match row {
                    0 | 1 => Ok(RonBit(row == 1)),
                    _ => Err(E::invalid_value(Unexpected::Unsigned(row), &self)),
                }
            }
        }

        reader.deserialize_any(Reader)
    }
}
