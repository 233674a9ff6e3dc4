//! Problems and their decompositions into claims.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Debug;
use std::sync::Arc;

use num_bigint::BigUint;
use num_traits::{One as _, ToPrimitive as _, Zero as _};

use super::belief::TruthDistributionBelief;
use super::key::{ClaimKey, ClaimKeyContent};
use super::open::{ProverSupportLimits, ProverWrittenSubclaim};
use super::{
    CircuitWithInput, Computation, Formula, MachineRun, RandomComputation, StableProblem,
    TwoAnswerQuestion,
};
use crate::gate::Gate;
use crate::number::{Exact, to_u32_saturating};

/// The name of one instance x of a problem, and its weight in the distribution μ.
#[derive(Clone, Debug, PartialEq)]
pub struct PossibleWorld {
    /// The name that `--instance` takes.
    pub name: String,
    /// The instance's weight in μ. The weights need not sum to 1.
    pub weight: Exact,
}

impl PossibleWorld {
    /// Creates an instance with weight 1 in μ.
    pub fn new(instance_name: impl Into<String>) -> Self {
        Self {
            name: instance_name.into(),
            weight: Exact::from_integer(1.into()),
        }
    }
}

/// A support of a claim, as the problem defines it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProblemSupport {
    /// The gate over the subclaims.
    pub gate: Gate,
    /// The subclaims, in order.
    pub on: Vec<ClaimKey>,
    /// True if the support is sound: the claim is true if and only if the gate over the subclaims is.
    pub sound: bool,
}

impl ProblemSupport {
    /// Creates a sound support: the claim is true if and only if the gate over the subclaims is.
    pub(super) fn sound_support(gate: Gate, on: impl IntoIterator<Item = ClaimKey>) -> Self {
        let (on, sound) = (on.into_iter().collect(), true);
        Self { gate, on, sound }
    }
}

/// The size of a decomposition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecompositionSize {
    /// Number of edges on the longest path from the root to a leaf.
    pub depth: u32,
    /// The number of subclaims of the support with the most subclaims.
    pub width: u32,
    /// Number of claims, including the root.
    pub claims: BigUint,
    /// Number of leaves: the claims that the oracle decides.
    pub leaves: BigUint,
}

/// The numbers of claims and leaves at one distance, in edges, below a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LevelClaimAndLeafCounts {
    /// The number of claims.
    pub claims: BigUint,
    /// The number of leaves: the claims that the oracle decides.
    pub leaves: BigUint,
}

/// A quick estimate of a claim: the probability that a careful reader with little time would give to it, or the way to
/// find it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CarefulReaderEstimate {
    /// The scenario file states the careful reader's probability as a number.
    Stated(Exact),
    /// The posterior probability of the claim, computed from the distribution μ over instances.
    Posterior,
    /// Neither the scenario file nor the problem gives a careful reader's probability of the claim.
    Unstated,
}

/// The number of a proof bit.
pub type BitId = u32;

/// Computes [`Decomposition::levels`] by visiting every claim below the claim `from`.
pub(super) fn levels_by_traversal(
    from: &ClaimKey,
    supports: impl Fn(&ClaimKey) -> Vec<ProblemSupport>,
    most: usize,
) -> Option<Vec<LevelClaimAndLeafCounts>> {
    let mut left = most;
    let mut levels = Vec::new();
    let mut open = HashSet::from([from.clone()]);
    while !open.is_empty() {
        left = left.checked_sub(open.len())?;
        let mut leaves = 0_usize;
        let mut below = HashSet::new();
        for key in &open {
            let supports = supports(key);
            leaves += usize::from(supports.is_empty());
            below.extend(supports.into_iter().flat_map(|support| support.on));
        }
        levels.push(LevelClaimAndLeafCounts {
            claims: open.len().into(),
            leaves: leaves.into(),
        });
        open = below;
    }
    Some(levels)
}

/// A problem together with its decomposition M_D (PE Definition 5.1): the claims, their supports, and the facts about
/// each claim in each instance of μ.
///
/// A world is given by its index in [`Self::worlds`]. A method that takes a key may assume that the key came from this
/// decomposition and the same world. The default methods describe a problem with a single claim that is not split. But
/// [`Self::can_split_root`] is true by default, and some defaults are those of [`Self::problem`].
pub trait Decomposition: Debug + Send + Sync {
    /// Returns the original problem, if this decomposition wraps another one.
    fn problem(&self) -> Option<&dyn Decomposition> {
        None
    }
    /// Returns all instances of the distribution μ; never empty.
    fn worlds(&self) -> &[PossibleWorld];
    /// Returns the root claim: the claim under debate.
    fn root(&self, world: usize) -> ClaimKey;
    /// Returns all supports that the problem lists for a claim. An empty list means a leaf, which the oracle decides,
    /// unless the prover may write a support.
    fn supports(&self, _key: &ClaimKey, _world: usize) -> Vec<ProblemSupport> {
        Vec::new()
    }
    /// Returns the true answer to a claim; `None` if it cannot be computed.
    fn truth(&self, key: &ClaimKey, world: usize) -> Option<bool>;
    /// True if [`Self::truth`] can compute the truth of every claim.
    fn is_decidable(&self, _world: usize) -> bool {
        true
    }
    /// Returns the decomposition's depth, maximum width, number of claims and number of leaves.
    fn size(&self, _world: usize) -> DecompositionSize {
        DecompositionSize {
            depth: 0,
            width: 0,
            claims: 1_u32.into(),
            leaves: 1_u32.into(),
        }
    }
    /// Returns the numbers of claims and leaves at each distance (in edges) below a claim, beginning with the claim
    /// itself at distance 0. A claim that occurs at several distances counts at each. `None` if more than `most` claims
    /// would have to be visited.
    fn levels(
        &self,
        key: &ClaimKey,
        world: usize,
        most: usize,
    ) -> Option<Vec<LevelClaimAndLeafCounts>> {
        let supports = |key: &ClaimKey| self.supports(key, world);
        levels_by_traversal(key, supports, most)
    }
    /// Returns the number of leaves below a claim, at most `u64::MAX`.
    fn leaf_count_under(&self, _key: &ClaimKey, _world: usize) -> u64 {
        1
    }
    /// True if the root claim can be split into subclaims under gates, as some protocols require.
    fn can_split_root(&self) -> bool {
        true
    }

    /// Returns the claim in words.
    fn text(&self, key: &ClaimKey, world: usize) -> String;
    /// Returns a short text of the claim, for the tree.
    fn short_text(&self, key: &ClaimKey, world: usize) -> String {
        self.text(key, world)
    }
    /// Returns the evidence that the judge is shown for a leaf.
    fn evidence(&self, _key: &ClaimKey, _world: usize) -> Option<String> {
        None
    }

    /// Returns the belief of a player who does not know the truths of claims.
    fn belief(&self, world: usize) -> TruthDistributionBelief {
        let problem = self.problem();
        problem.map_or_else(TruthDistributionBelief::uninformed, |problem| {
            problem.belief(world)
        })
    }

    /// Returns the number of equally likely positions of the instance's only flaw, for a player who can test whether a
    /// flaw exists but cannot find it. Returns 0 if there is no flaw, and `None` if the difficulty of this problem is
    /// not to find a flaw.
    fn flaw_position_count(&self, _world: usize) -> Option<BigUint> {
        None
    }

    /// Returns the truth of the root claim, if a cheap test can find it without deciding the other claims.
    fn cheap_test(&self, world: usize) -> Option<bool> {
        self.problem()?.cheap_test(world)
    }
    /// Describes the knowledge of a player who cannot decide every claim: "it is composite (one test), but no divisor".
    fn public_knowledge_in_words(&self, world: usize) -> Option<String> {
        self.problem()?.public_knowledge_in_words(world)
    }
    /// Describes the kinds of facts that a player without access to truths knows, but not the facts: "whether it is
    /// composite". `None` if [`Self::public_knowledge_in_words`] reveals no facts of this instance.
    fn public_knowledge_without_values(&self) -> Option<&'static str> {
        self.problem()?.public_knowledge_without_values()
    }

    /// Returns a short fact that proves or refutes the root claim: "109,931 = 211 × 521". `None` if the problem has no
    /// short fact of this kind.
    fn solution(&self, world: usize) -> Option<String> {
        self.problem()?.solution(world)
    }

    /// Returns the claims' annotations in the scenario file, if there are any.
    fn as_annotated(&self) -> Option<&dyn ClaimDetailsInFile> {
        None
    }
    /// Returns the implicit proof: a string of bits that the prover fixes, of which the check of each leaf reads a few.
    /// `None` if leaves of this kind of problem cannot read proof bits.
    fn as_proof(&self) -> Option<&dyn ProofReadByLeaves> {
        None
    }
    /// Returns the limits on claims that the prover writes during a debate, and functions to create these claims.
    /// `None` if the prover may not write claims.
    fn as_open(&self) -> Option<(ProverSupportLimits, &dyn ProverWrittenClaims)> {
        None
    }
    /// Returns this decomposition as a [`StableProblem`], if it is one.
    fn as_stable(&self) -> Option<&StableProblem> {
        None
    }
    /// Returns the problem as a computation, if it is one.
    fn as_computation(&self) -> Option<&dyn ComputationProblem> {
        self.problem()?.as_computation()
    }
    /// Returns the problem as an open question with two answers, if it is one.
    fn as_question(&self) -> Option<&TwoAnswerQuestion> {
        None
    }
}

/// Annotations of claims in a scenario file, such as ids and titles. A piece of evidence has the annotations of its
/// claim.
pub trait ClaimDetailsInFile {
    /// Returns the claim's id in the file.
    fn id(&self, _key: &ClaimKey) -> Option<&str> {
        None
    }
    /// Returns the title of a support.
    fn label(&self, _key: &ClaimKey, _support: usize) -> Option<&str> {
        None
    }
    /// Returns the probability that a human judge answers yes about a leaf, if the scenario states it.
    fn judged_true(&self, _key: &ClaimKey) -> Option<Exact> {
        None
    }
    /// True if a human judge's answer about some claim can be wrong, as the scenario states it.
    fn judge_may_err(&self) -> bool {
        false
    }
    /// Returns the probability that a careful reader with little time would give to a claim.
    fn estimate(&self, _key: &ClaimKey) -> CarefulReaderEstimate {
        CarefulReaderEstimate::Posterior
    }
}

/// A proof that no player reads as a whole: the check of each leaf reads only a few of its bits. A piece of evidence
/// for a leaf reads the same bits as the leaf.
pub trait ProofReadByLeaves {
    /// Returns the numbers of the proof bits that a leaf's check reads, in the order in which it reads them.
    fn reads(&self, key: &ClaimKey, world: usize) -> Cow<'_, [BitId]>;
    /// Returns the name of a proof bit.
    fn bit_name(&self, bit: BitId, world: usize) -> Cow<'_, str>;
    /// Returns the value of a bit of the true proof.
    fn bit_truth(&self, bit: BitId, world: usize) -> bool;
    /// True if a leaf's check accepts these values of the proof bits that it reads.
    fn check(&self, key: &ClaimKey, bits: &[bool], world: usize) -> bool;
}

/// A problem in which the prover may write supports of claims in its own words.
pub trait ProverWrittenClaims {
    /// Returns the maximum number of subclaims of a support that the prover may write for a claim; `None` if the prover
    /// cannot write one.
    fn composing_limit(&self, key: &ClaimKey) -> Option<u32>;
    /// Returns the subclaim that the prover writes for a claim for which [`Self::composing_limit`] allows it.
    fn written_claim(&self, key: &ClaimKey, part: &ProverWrittenSubclaim) -> ClaimKey;
}

/// A problem whose root claim is about a computation, in one or more forms.
pub trait ComputationProblem {
    /// Returns a computation that writes one bit per step. Its last bit is the root claim's truth. By default, this is
    /// the circuit.
    fn computation(&self, world: usize) -> Option<Arc<dyn Computation>> {
        let circuit: Arc<dyn Computation> = self.circuit(world)?;
        Some(circuit)
    }
    /// Returns a circuit whose output is the root claim's truth.
    fn circuit(&self, _world: usize) -> Option<Arc<CircuitWithInput>> {
        None
    }
    /// Returns a run of a machine that accepts if and only if the root claim is true.
    fn run(&self, _world: usize) -> Option<Arc<dyn MachineRun>> {
        None
    }
    /// Returns the problem as a random computation, as stochastic debate needs it. Its last bit answers the root claim.
    /// The oracle's random answers may decide the bits, so the last bit need not agree with the root claim's truth.
    fn process(&self, _world: usize) -> Option<Arc<dyn RandomComputation>> {
        None
    }
    /// Returns a quantified Boolean formula that is true if and only if the root claim is.
    fn formula(&self, _world: usize) -> Option<Arc<Formula>> {
        None
    }
}

/// Splits the integers from `low` to `high` into at most `width` ranges of almost equal size, larger ranges first.
pub(super) fn split_span_evenly(low: &BigUint, high: &BigUint, width: u32) -> Vec<ClaimKey> {
    let size = high + 1_u32 - low;
    let parts = size.to_u32().map_or(width, |size| size.min(width));
    let base = &size / parts;
    let extra = (&size % parts).to_u32().unwrap_or(0);
    let mut from = low.clone();
    (0..parts)
        .map(|part| {
            let next = &from + &base + u32::from(part < extra);
            let span = (from.clone(), &next - 1_u32);
            from = next;
            ClaimKey(ClaimKeyContent::Span(Box::new(span)))
        })
        .collect()
}

/// Returns the size of a balanced tree over `count` items. `splits_single_item` is true if the root is split even if
/// there is only one item.
pub(super) fn balanced_tree_size(
    count: &BigUint,
    width: u32,
    splits_single_item: bool,
) -> DecompositionSize {
    let levels = balanced_tree_levels(count, width, splits_single_item);
    let depth = to_u32_saturating(levels.len() - 1);
    let parts = count.to_u32().map_or(width, |count| count.min(width));
    DecompositionSize {
        depth,
        width: if depth == 0 { 0 } else { parts },
        claims: levels.iter().map(|level| &level.claims).sum(),
        leaves: count.clone(),
    }
}

/// Returns the numbers of claims and leaves on each level of a balanced tree over `count` items. `splits_single_item`
/// is as for [`balanced_tree_size`].
pub(super) fn balanced_tree_levels(
    count: &BigUint,
    width: u32,
    splits_single_item: bool,
) -> Vec<LevelClaimAndLeafCounts> {
    let mut spans = BTreeMap::from([(count.clone(), BigUint::one())]);
    let mut levels = Vec::new();
    while !spans.is_empty() {
        let mut next: BTreeMap<BigUint, BigUint> = BTreeMap::new();
        let mut level = LevelClaimAndLeafCounts::default();
        let splits = splits_single_item && levels.is_empty();
        for (span, count) in &spans {
            level.claims += count;
            if span.is_one() && !splits {
                level.leaves += count;
                continue;
            }
            let parts = span.to_u32().map_or(width, |span| span.min(width));
            let extra = span % parts;
            *next.entry(span / parts).or_default() += count * (BigUint::from(parts) - &extra);
            if !extra.is_zero() {
                *next.entry(span / parts + 1_u32).or_default() += count * extra;
            }
        }
        levels.push(level);
        spans = next;
    }
    levels
}

/// Returns the size of the graph of claims below a root, and the number of leaves below each claim. A leaf counts once
/// for each path to it. `order` contains every claim once, after all of its subclaims.
pub(super) fn graph_sizes<'g>(
    order: &[usize],
    root: usize,
    supports: impl Fn(usize) -> &'g [Vec<usize>],
) -> (DecompositionSize, Vec<u64>) {
    let mut depth = vec![0_u32; order.len()];
    let mut leaves = vec![1_u64; order.len()];
    for claim in order.iter().copied() {
        let below = || supports(claim).iter().flatten().copied();
        if let Some(deepest) = below().map(|below| depth[below]).max() {
            depth[claim] = deepest + 1;
            let under = below().map(|below| leaves[below]);
            leaves[claim] = under.fold(0, u64::saturating_add);
        }
    }
    let mut size = DecompositionSize {
        depth: depth[root],
        ..DecompositionSize::default()
    };
    let mut reached = vec![false; order.len()];
    reached[root] = true;
    for claim in order.iter().rev().copied() {
        if !reached[claim] {
            continue;
        }
        size.claims += 1_u32;
        size.leaves += u32::from(supports(claim).is_empty());
        for support in supports(claim) {
            size.width = size.width.max(to_u32_saturating(support.len()));
            for below in support {
                reached[*below] = true;
            }
        }
    }
    (size, leaves)
}
