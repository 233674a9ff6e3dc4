//! The knowledge of a seat about the instance before the debate: the instances of μ that it cannot tell apart, and the
//! number of leaves that it may look up privately.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use crate::protocol::Seat;
use crate::scenario::{ClaimKey, Decomposition, TruthDistributionBelief};
use crate::text::{first_few_names_text, shortened_in_backticks};

/// Maximum number of claims that a search for claims with given names visits.
const MAX_VISITED: usize = 1 << 18;

/// A partition of μ's instances into blocks: the seat cannot tell apart the instances of one block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum KnowledgePartition {
    /// Every instance is a separate block: the seat knows the instance.
    #[default]
    Everything,
    /// All instances are in one block: the seat knows only the distribution μ.
    Nothing,
    /// The prior probabilities that the problem gives to a player who does not know which claims are true
    /// ([`Decomposition::belief`]).
    Offered,
    /// The seat knows the truths of the claims with these ids, and tells instances apart only by them.
    Leaves(Vec<String>),
    /// Blocks of instances, which are given by their names. The instances that are named in no block form one more
    /// block.
    Instances(Vec<Vec<String>>),
}

/// A partition of the distribution μ as a list: for each instance, the index of its block. The seat cannot tell apart
/// the instances of one block.
pub type KnowledgeBlocks = Arc<[usize]>;

/// A seat's prior knowledge of the instance, and the number of leaves that the seat may look up during a debate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatKnowledge {
    pub of: KnowledgePartition,
    /// Maximum number of leaves that the seat may look up in a debate, one at a time.
    pub queries: u32,
}

/// The reason why a text or a partition is not valid as a seat's knowledge in a problem.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum KnowledgeError {
    #[error(
        "{0:?} is not a kind of knowledge; write everything, nothing, offered, leaves(page1, \
         page2) or instances(01 10 | 11)"
    )]
    Malformed(String),
    #[error("this scenario has no claim {id:?}; use the id of one of its claims", id = .0)]
    NoClaim(String),
    #[error("in this scenario the truth of the claim {claim:?} cannot be decided, so no seat can know it", claim = .0)]
    Undecidable(String),
    #[error("there is no instance {name}; use one of {known}")]
    NoInstance {
        name: String,
        /// The names of the first few instances, for the message.
        known: String,
    },
    #[error("the instance {name:?} is in two blocks of a seat's knowledge; name it once", name = .0)]
    Twice(String),
}

impl KnowledgePartition {
    /// Returns the default knowledge of a seat. The opponent has the knowledge that the problem grants it; the other
    /// seats know everything.
    pub fn default_knowledge_of_seat(seat: Seat) -> Self {
        match seat {
            Seat::Opponent => Self::Offered,
            _ => Self::Everything,
        }
    }

    /// Reads a seat's knowledge: `everything`, `nothing`, `offered`, `leaves(a, b)` or `instances(a b | c)`.
    ///
    /// # Errors
    /// Returns an error for any other text.
    pub fn parse(text: &str) -> Result<Self, KnowledgeError> {
        let text = text.trim();
        let malformed = || KnowledgeError::Malformed(text.to_owned());
        match text {
            "everything" => return Ok(Self::Everything),
            "nothing" => return Ok(Self::Nothing),
            "offered" => return Ok(Self::Offered),
            _ => {}
        }
        let (name, rest) = text.split_once('(').ok_or_else(malformed)?;
        let inside = rest.strip_suffix(')').ok_or_else(malformed)?;
        let list = |text: &str, by: &[char]| -> Vec<String> {
            let parts = text.split(by).map(str::trim);
            let named = parts.filter(|part| !part.is_empty());
            named.map(str::to_owned).collect()
        };
        let knowledge = match name.trim() {
            "leaves" => Self::Leaves(list(inside, &[','])),
            "instances" => {
                let blocks = inside.split('|').map(|block| list(block, &[' ', ',']));
                Self::Instances(blocks.filter(|block| !block.is_empty()).collect())
            }
            _ => return Err(malformed()),
        };
        match &knowledge {
            Self::Leaves(named) if named.is_empty() => Err(malformed()),
            Self::Instances(blocks) if blocks.is_empty() => Err(malformed()),
            _ => Ok(knowledge),
        }
    }

    /// Returns the index of each instance's block: the instances of one block look the same to the seat.
    ///
    /// # Errors
    /// Returns an error if the partition names a claim that the problem does not have or cannot decide, an instance
    /// that the problem does not have, or an instance twice.
    pub fn instance_blocks(
        &self,
        problem: &dyn Decomposition,
    ) -> Result<KnowledgeBlocks, KnowledgeError> {
        let worlds = problem.worlds();
        // Pieces of evidence have no names; the claims that they are for do.
        let problem = problem
            .as_stable()
            .map_or(problem, |stable| stable.original_decomposition().as_ref());
        Ok(match self {
            Self::Everything => (0..worlds.len()).collect(),
            Self::Nothing => worlds.iter().map(|_| 0).collect(),
            Self::Offered => numbered((0..worlds.len()).map(|world| offered(problem, world))),
            Self::Leaves(named) => {
                let mut truths = vec![Vec::with_capacity(named.len()); worlds.len()];
                for name in named {
                    for (world, truths) in truths.iter_mut().enumerate() {
                        truths.push(truth_of(problem, name, world)?);
                    }
                }
                numbered(truths)
            }
            Self::Instances(blocks) => {
                let mut block_of = vec![0; worlds.len()];
                for (number, block) in (1..).zip(blocks) {
                    for name in block {
                        let index = worlds.iter().position(|world| world.name == *name);
                        let missing = || KnowledgeError::NoInstance {
                            name: shortened_in_backticks(name),
                            known: first_few_names_text(worlds.iter().map(|it| it.name.as_str())),
                        };
                        let index = index.ok_or_else(missing)?;
                        if std::mem::replace(&mut block_of[index], number) > 0 {
                            return Err(KnowledgeError::Twice(name.clone()));
                        }
                    }
                }
                block_of.into()
            }
        })
    }
}

/// Returns the instances that an uninformed player considers possible, if a given instance is debated.
fn offered(problem: &dyn Decomposition, world: usize) -> Vec<usize> {
    match problem.belief(world) {
        TruthDistributionBelief::Worlds(worlds) => {
            worlds.into_iter().map(|(world, _)| world).collect()
        }
        // The player is sure of the instance, but not of the truths of its claims.
        TruthDistributionBelief::Place { .. } | TruthDistributionBelief::Each { .. } => vec![world],
    }
}

/// Returns the truth, in an instance, of the claim with a given name.
fn truth_of(problem: &dyn Decomposition, name: &str, world: usize) -> Result<bool, KnowledgeError> {
    let key = claim_with_name(problem, name, world)
        .ok_or_else(|| KnowledgeError::NoClaim(name.to_owned()))?;
    let truth = problem.truth(&key, world);
    truth.ok_or_else(|| KnowledgeError::Undecidable(name.to_owned()))
}

/// Returns the first claim found from the root whose id or written key is this text. `None` if none of the first
/// [`MAX_VISITED`] claims fits.
pub(super) fn claim_with_name(
    problem: &dyn Decomposition,
    name: &str,
    world: usize,
) -> Option<ClaimKey> {
    let annotated = problem.as_annotated();
    let is_named = |key: &ClaimKey| {
        annotated.and_then(|claims| claims.id(key)) == Some(name) || key.to_string() == name
    };
    let root = problem.root(world);
    let mut known = HashSet::from([root.clone()]);
    let mut open = vec![root];
    while let Some(key) = open.pop() {
        if is_named(&key) {
            return Some(key);
        }
        let supports = problem.supports(&key, world).into_iter();
        let below = supports.flat_map(|support| support.on);
        open.extend(below.filter(|it| known.len() < MAX_VISITED && known.insert(it.clone())));
    }
    None
}

/// Numbers the values: equal values get equal numbers.
fn numbered<T: Eq + std::hash::Hash>(values: impl IntoIterator<Item = T>) -> KnowledgeBlocks {
    let mut numbers = HashMap::new();
    let number = |value| {
        let next = numbers.len();
        *numbers.entry(value).or_insert(next)
    };
    values.into_iter().map(number).collect()
}

/// As [`KnowledgePartition::parse`] reads it.
impl fmt::Display for KnowledgePartition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everything => out.write_str("everything"),
            Self::Nothing => out.write_str("nothing"),
            Self::Offered => out.write_str("offered"),
            Self::Leaves(named) => write!(out, "leaves({})", named.join(", ")),
            Self::Instances(blocks) => {
                let blocks: Vec<String> = blocks.iter().map(|block| block.join(" ")).collect();
                write!(out, "instances({})", blocks.join(" | "))
            }
        }
    }
}
