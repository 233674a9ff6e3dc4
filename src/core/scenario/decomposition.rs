//! What a problem must say about its claims so that they can be debated.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Debug;
use std::sync::Arc;

use num_bigint::BigUint;

use super::belief::Belief;
use super::open::{Open, Part};
use super::{Circuit, Computation, Formula, Process, Run, Stable};
use crate::bits::Bits;
use crate::gate::Gate;
use crate::number::Exact;

/// How a problem tells its claims apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// A claim with a number.
    At(u64),
    /// A claim about all integers from the first to the second, both included.
    Span(Box<(BigUint, BigUint)>),
    /// What the step with this number, from 0, of a computation writes.
    Step(u64),
    /// One of several independent pieces of evidence for a claim of another decomposition: that
    /// claim, and the piece's number, from 0, on each level from the root down.
    Piece(Box<(Self, Vec<u32>)>),
    /// What happens from one time to another, both counted in steps.
    Times(u64, u64),
    /// A claim about a string of bits: an oracle's query, or a history.
    Word(Bits),
    /// That the steps of a transcript from the first up to before the second are right.
    Block(u64, u64),
    /// That a wire of a circuit, or a part of the gate there, has this value.
    Wire {
        /// The wire.
        wire: u32,
        /// 0 for the wire itself; 1 and 2 for the two conjunctions within an exclusive or.
        part: u8,
        /// The value.
        value: bool,
    },
    /// A claim that the prover wrote, so many edges below the root.
    Said(Box<(u32, Part)>),
}

impl Key {
    /// The claim itself, where this is a piece of evidence for it.
    #[must_use]
    pub fn claim(&self) -> &Self {
        match self {
            Self::Piece(piece) => &piece.0,
            key => key,
        }
    }
}

/// One instance x of the distribution μ.
#[derive(Clone, Debug, PartialEq)]
pub struct World {
    /// The name that `--instance` takes.
    pub name: String,
    /// Its weight; the weights need not sum to 1.
    pub weight: Exact,
}

/// One way to support a claim, as the problem states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SupportDraft {
    /// The gate over the subclaims.
    pub gate: Gate,
    /// The subclaims, in order.
    pub on: Vec<Key>,
    /// Whether the subclaims' truths carry the claim's.
    pub sound: bool,
}

/// How large a decomposition is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// Edges on the longest way from the root to a leaf.
    pub depth: u32,
    /// The most subclaims of any support.
    pub width: u32,
    /// All claims, the root among them.
    pub claims: BigUint,
    /// The claims that the oracle decides.
    pub leaves: BigUint,
}

impl Size {
    /// The size of a claim that stands alone.
    #[must_use]
    pub fn of_a_leaf() -> Self {
        Self {
            depth: 0,
            width: 0,
            claims: 1_u32.into(),
            leaves: 1_u32.into(),
        }
    }
}

/// The claims that are so many edges below another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Level {
    /// How many they are.
    pub claims: BigUint,
    /// How many of them the oracle decides.
    pub leaves: BigUint,
}

/// What a cheap careful reader would say of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Estimate {
    /// This probability, as the scenario states it.
    Stated(Exact),
    /// Whatever the claim's own posterior says.
    Posterior,
    /// Nothing of its own.
    Unstated,
}

/// The number of a proof bit.
pub type BitId = u32;

/// [`Decomposition::levels`] by visiting every claim below a claim.
pub(super) fn walked_levels(
    from: &Key,
    supports: impl Fn(&Key) -> Vec<SupportDraft>,
    most: usize,
) -> Option<Vec<Level>> {
    let (mut left, mut levels) = (most, Vec::new());
    let mut open = HashSet::from([from.clone()]);
    while !open.is_empty() {
        left = left.checked_sub(open.len())?;
        let (mut leaves, mut below) = (0_usize, HashSet::new());
        for key in &open {
            let supports = supports(key);
            leaves += usize::from(supports.is_empty());
            below.extend(supports.into_iter().flat_map(|support| support.on));
        }
        levels.push(Level {
            claims: open.len().into(),
            leaves: leaves.into(),
        });
        open = below;
    }
    Some(levels)
}

/// A problem together with its decomposition M_D (PE Definition 5.1): which claims there are, how
/// each is supported, and what is known of each in each world.
///
/// A world is given by its index in [`Self::worlds`]. A method that takes a key may assume that
/// the key came from this decomposition and the same world. What a problem does not say of its
/// claims is so for one that is a single claim, split into no others.
pub trait Decomposition: Debug + Send + Sync {
    /// The instances of μ; never empty.
    fn worlds(&self) -> &[World];
    /// The problem's claim.
    fn root(&self, world: usize) -> Key;
    /// All ways to support a claim. Empty: a leaf, which the oracle decides.
    fn supports(&self, _key: &Key, _world: usize) -> Vec<SupportDraft> {
        Vec::new()
    }
    /// The ground truth; `None` where it cannot be decided.
    fn truth(&self, key: &Key, world: usize) -> Option<bool>;
    /// Whether [`Self::truth`] decides every claim.
    fn is_decidable(&self, _world: usize) -> bool {
        true
    }
    /// The sizes of the decomposition.
    fn size(&self, _world: usize) -> Size {
        Size::of_a_leaf()
    }
    /// The claims below a claim by how many edges they are below it, the claim itself first; a
    /// claim that is met on several levels counts on each. `None` where more than `most` would have
    /// to be visited.
    fn levels(&self, key: &Key, world: usize, most: usize) -> Option<Vec<Level>> {
        let supports = |key: &Key| self.supports(key, world);
        walked_levels(key, supports, most)
    }
    /// How many leaves there are under a claim (`u64::MAX` where there are more).
    fn leaves_under(&self, _key: &Key, _world: usize) -> u64 {
        1
    }

    /// The claim in words.
    fn text(&self, key: &Key, world: usize) -> String;
    /// The claim in few words, for the tree.
    fn short_text(&self, key: &Key, world: usize) -> String {
        self.text(key, world)
    }
    /// The claim's id in the scenario file, if it has one.
    fn id(&self, _key: &Key) -> Option<&str> {
        None
    }
    /// The title of a support.
    fn label(&self, _key: &Key, _support: usize) -> Option<&str> {
        None
    }
    /// How far the prover may go on in words of their own, where they may.
    fn open(&self) -> Option<Open> {
        None
    }
    /// The most subclaims of a support that the prover writes for a claim; `None` where there can
    /// be none.
    fn composing(&self, _key: &Key) -> Option<u32> {
        None
    }
    /// A subclaim that the prover writes for a claim with [`Self::composing`].
    fn said(&self, _key: &Key, part: &Part) -> Key {
        Key::Said(Box::new((0, part.clone())))
    }
    /// What the judge may read at a leaf.
    fn evidence(&self, _key: &Key, _world: usize) -> Option<String> {
        None
    }
    /// The chance that a human judge says yes at a leaf.
    fn judged_true(&self, _key: &Key) -> Option<Exact> {
        None
    }
    /// What a cheap careful reader would say of a claim.
    fn estimate(&self, _key: &Key) -> Estimate {
        Estimate::Posterior
    }

    /// The proof bits that a leaf reads, in the order of its check.
    fn reads(&self, _key: &Key, _world: usize) -> Cow<'_, [BitId]> {
        Cow::Borrowed(&[])
    }
    /// The name of a proof bit.
    fn bit_name(&self, _bit: BitId, _world: usize) -> Cow<'_, str> {
        Cow::Borrowed("")
    }
    /// A proof bit of the true proof.
    fn bit_truth(&self, _bit: BitId, _world: usize) -> bool {
        false
    }
    /// Whether a leaf's check accepts the bits it reads.
    fn check(&self, _key: &Key, _bits: &[bool], _world: usize) -> bool {
        false
    }

    /// The same as another decomposition made stable by independent evidence, where it is one.
    fn stable(&self) -> Option<&Stable> {
        None
    }
    /// Whether the root claim stands over a tree of claims under gates, as protocols that split
    /// claims need it.
    fn has_claims(&self) -> bool {
        true
    }
    /// The problem as a computation of one bit a step, whose output is the root claim's truth.
    fn computation(&self, _world: usize) -> Option<Arc<dyn Computation>> {
        None
    }
    /// The problem as a circuit whose output is the root claim's truth. Where there is one, it is
    /// the problem's computation too.
    fn circuit(&self, _world: usize) -> Option<Arc<Circuit>> {
        None
    }
    /// The problem as a run of a machine that accepts where the root claim is true.
    fn run(&self, _world: usize) -> Option<Arc<dyn Run>> {
        None
    }
    /// The problem as a random computation; the root claim is "it says 1 more often than not".
    fn process(&self, _world: usize) -> Option<Arc<dyn Process>> {
        None
    }
    /// The problem as a quantified Boolean formula.
    fn formula(&self, _world: usize) -> Option<Arc<Formula>> {
        None
    }

    /// What a player who cannot decide claims may believe about them.
    fn belief(&self, world: usize) -> Belief;
    /// The root's truth where a cheap test decides it for such a player.
    fn cheap_test(&self, _world: usize) -> Option<bool> {
        None
    }
    /// What such a player knows, in words: "composite, but not where".
    fn known_in_words(&self, _world: usize) -> Option<String> {
        None
    }
}
