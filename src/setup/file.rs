//! A scenario file as it is written: the types that the parser fills.
//!
//! Numbers stay raw slices, so that they are read exactly; maps stay lists, so that a key that
//! stands twice is seen.

use std::fmt;
use std::marker::PhantomData;

use ron::value::RawValue;
use serde::de::{Error, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

use crate::scenario::{JudgeSees, Knowledge};

#[derive(Deserialize)]
#[serde(rename = "Scenario", deny_unknown_fields)]
pub(super) struct File<'f> {
    pub(super) format: u32,
    pub(super) title: String,
    #[serde(default)]
    pub(super) about: String,
    #[serde(borrow)]
    pub(super) problem: Problem<'f>,
    #[serde(borrow)]
    pub(super) instance: Option<&'f RawValue>,
    pub(super) decomposition: Option<Method>,
    #[serde(borrow)]
    pub(super) oracle: Option<Oracle<'f>>,
    #[serde(borrow)]
    pub(super) protocol: Option<&'f RawValue>,
    #[serde(default)]
    pub(super) players: Players,
    pub(super) sit: Option<Seat>,
    #[serde(default, with = "JudgeSeesField")]
    pub(super) judge_sees: JudgeSees,
    #[serde(default)]
    pub(super) tags: Entries<String>,
}

/// What a list of scenarios shows of a file.
#[derive(Deserialize)]
#[serde(rename = "Scenario")]
pub(super) struct Header {
    pub(super) title: String,
    #[serde(default)]
    pub(super) about: String,
}

// The names of enums stand in messages: "there is no gate `Most`".
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename = "problem")]
pub(super) enum Problem<'f> {
    Argument {
        root: String,
        #[serde(borrow)]
        claims: Entries<Claim<'f>>,
        #[serde(default)]
        proof: Entries<bool>,
        #[serde(borrow, default)]
        worlds: Vec<World<'f>>,
        #[serde(borrow)]
        open: Option<&'f RawValue>,
    },
    Primality {
        #[serde(borrow)]
        number: Option<&'f RawValue>,
        #[serde(borrow)]
        numbers: Option<&'f RawValue>,
        #[serde(default, with = "KnowledgeField")]
        estimator_knows: Knowledge,
    },
    Qbf {
        file: Option<String>,
        inline: Option<String>,
    },
    Machine {
        turing: Turing,
        input: Option<String>,
        inputs: Option<Vec<String>>,
        steps: u64,
        cells: Option<u64>,
        #[serde(borrow)]
        oracle_state: Option<OracleState<'f>>,
    },
    Circuit {
        file: Option<String>,
        inline: Option<String>,
        made: Option<Made>,
        format: Option<CircuitFormat>,
        input: Option<String>,
        #[serde(borrow)]
        inputs: Option<&'f RawValue>,
        #[serde(default)]
        output: u32,
    },
    Parity(u32),
    MajorityOf(u32),
    Adder(u32),
    Multiplier(u32),
    Plan {
        #[serde(borrow)]
        steps: Vec<PlanStep<'f>>,
        answer: Option<String>,
        #[serde(borrow)]
        lipschitz: Option<&'f RawValue>,
    },
}

#[derive(Deserialize)]
#[serde(rename = "turing", deny_unknown_fields)]
pub(super) struct Turing {
    pub(super) states: Option<Vec<String>>,
    pub(super) start: String,
    pub(super) accept: String,
    pub(super) reject: String,
    pub(super) rules: Vec<Rule>,
}

/// In this state, on this symbol: go to that state, write that symbol, move.
#[derive(Deserialize)]
#[serde(rename = "rule")]
pub(super) struct Rule(
    pub(super) String,
    pub(super) String,
    pub(super) String,
    pub(super) String,
    pub(super) Shift,
);

#[derive(Deserialize)]
#[serde(rename = "move")]
pub(super) enum Shift {
    Left,
    Right,
    Stay,
}

#[derive(Deserialize)]
#[serde(rename = "oracle_state", deny_unknown_fields)]
pub(super) struct OracleState<'f> {
    pub(super) state: String,
    pub(super) yes: String,
    pub(super) no: String,
    #[serde(borrow, default)]
    pub(super) answers: Entries<Answer<'f>>,
}

#[derive(Deserialize)]
#[serde(rename = "Answer", deny_unknown_fields)]
pub(super) struct Answer<'f> {
    pub(super) truth: bool,
    pub(super) text: Option<String>,
    pub(super) evidence: Option<String>,
    #[serde(borrow)]
    pub(super) judged_true: Option<&'f RawValue>,
}

/// A circuit made to order, for so many bits.
#[derive(Deserialize)]
#[serde(rename = "circuit that is made to order")]
pub(super) enum Made {
    Parity(u32),
    MajorityOf(u32),
    Adder(u32),
    Multiplier(u32),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename = "format of circuits")]
pub(super) enum CircuitFormat {
    Aiger,
    Bench,
    Blif,
    Bristol,
}

/// One of the inputs that a circuit may be debated on.
#[derive(Deserialize)]
#[serde(rename = "Input", deny_unknown_fields)]
pub(super) struct Input<'f> {
    pub(super) bits: String,
    pub(super) name: Option<String>,
    #[serde(borrow)]
    pub(super) weight: Option<&'f RawValue>,
}

#[derive(Deserialize)]
#[serde(rename = "Step", deny_unknown_fields)]
pub(super) struct PlanStep<'f> {
    pub(super) id: String,
    pub(super) text: Option<String>,
    pub(super) ask: Option<String>,
    #[serde(borrow)]
    pub(super) judged_true: Option<&'f RawValue>,
    pub(super) evidence: Option<String>,
    pub(super) truth: Option<bool>,
    pub(super) compute: Option<Gate>,
    pub(super) on: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(rename = "Claim", deny_unknown_fields)]
pub(super) struct Claim<'f> {
    pub(super) text: String,
    pub(super) truth: Option<bool>,
    pub(super) evidence: Option<String>,
    #[serde(borrow)]
    pub(super) judged_true: Option<&'f RawValue>,
    #[serde(borrow)]
    pub(super) estimate: Option<&'f RawValue>,
    #[serde(default)]
    pub(super) supports: Vec<Support>,
    #[serde(default)]
    pub(super) reads: Vec<String>,
    pub(super) check: Option<Gate>,
}

#[derive(Deserialize)]
#[serde(rename = "Support", deny_unknown_fields)]
pub(super) struct Support {
    pub(super) label: Option<String>,
    pub(super) gate: Gate,
    pub(super) on: Vec<String>,
    #[serde(default = "yes")]
    pub(super) sound: bool,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(rename = "World", deny_unknown_fields)]
pub(super) struct World<'f> {
    pub(super) name: Option<String>,
    #[serde(borrow)]
    pub(super) weight: Option<&'f RawValue>,
    #[serde(default)]
    pub(super) truths: Entries<bool>,
    #[serde(default)]
    pub(super) evidence: Entries<String>,
}

#[derive(Deserialize)]
#[serde(rename = "gate")]
pub(super) enum Gate {
    All,
    Any,
    Majority,
    AtLeast(u32),
    Not,
    Xor,
    Table(Vec<Row>),
}

/// A row of a truth table: `true` or `false`, 1 or 0.
pub(super) struct Row(pub(super) bool);

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename = "kind of numbers")]
pub(super) enum Numbers<'f> {
    Between(#[serde(borrow)] &'f RawValue, #[serde(borrow)] &'f RawValue),
    Semiprimes { bits: u32, count: u32 },
}

#[derive(Deserialize)]
#[serde(rename = "decomposition", deny_unknown_fields)]
pub(super) enum Method {
    Explicit,
    Intervals { width: u32 },
    Witnesses { bases: Vec<u64> },
    Gates,
    Halves,
    Blocks { width: u32 },
    Pratt,
}

#[derive(Deserialize)]
#[serde(rename = "oracle")]
pub(super) enum Oracle<'f> {
    Truth,
    PerLeaf,
    Noisy(#[serde(borrow)] &'f RawValue),
    Table(#[serde(borrow)] Entries<&'f RawValue>),
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename = "players", default)]
pub(super) struct Players {
    pub(super) prover: Option<String>,
    pub(super) opponent: Option<String>,
    pub(super) judge: Option<String>,
}

/// The seats that a person may take.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename = "seat to sit in")]
pub(super) enum Seat {
    Prover,
    Opponent,
    Judge,
}

#[derive(Deserialize)]
#[serde(remote = "JudgeSees", rename = "view for the judge")]
enum JudgeSeesField {
    Leaf,
    Path,
    Transcript,
}

#[derive(Deserialize)]
#[serde(remote = "Knowledge", rename = "kind of knowledge")]
enum KnowledgeField {
    Number,
    Size,
    Nothing,
}

/// A map's entries in file order, with every repetition.
pub(super) struct Entries<T>(pub(super) Vec<(String, T)>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Reader<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<T> {
            type Value = Entries<T>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a map from texts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }

        reader.deserialize_map(Reader(PhantomData))
    }
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Reader;

        impl Visitor<'_> for Reader {
            type Value = Row;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("true, false, 1 or 0")
            }

            fn visit_bool<E: Error>(self, row: bool) -> Result<Row, E> {
                Ok(Row(row))
            }

            fn visit_u64<E: Error>(self, row: u64) -> Result<Row, E> {
                match row {
                    0 | 1 => Ok(Row(row == 1)),
                    _ => Err(E::invalid_value(Unexpected::Unsigned(row), &self)),
                }
            }
        }

        reader.deserialize_any(Reader)
    }
}
