//! Arguments in words: a directed acyclic graph of claims whose leaves the judge decides.
//!
//! In an *open* argument, the prover may also write supports that the scenario does not list. The claims of an open
//! argument have no truths; a human judge decides them. A claim at the maximum depth cannot be split, so a claim's key
//! contains its number of edges below the root.

mod build;

use std::borrow::Cow;
use std::collections::HashMap;

use num_traits::One;
use serde::Deserialize;

use super::belief::TruthDistributionBelief;
use super::decomposition::{
    BitId, CarefulReaderEstimate, ClaimDetailsInFile, Decomposition, DecompositionSize,
    PossibleWorld, ProblemSupport, ProofReadByLeaves, ProverWrittenClaims,
};
use super::key::{ClaimKey, ClaimKeyContent};
use super::open::{ProverSupportLimits, ProverWrittenSubclaim, stated_limits};
use super::written::{entries, optional_probability, weight};
use crate::gate::Gate;
use crate::number::{Exact, to_u32_saturating};

#[derive(Debug)]
struct Node {
    spec: ClaimSpec,
    on: Vec<Vec<usize>>,
    reads: Vec<BitId>,
}

/// A checked argument.
#[derive(Debug)]
pub struct ArgumentProblem {
    ids: Vec<String>,
    nodes: Vec<Node>,
    root: usize,
    proof: Vec<(String, bool)>,
    worlds: Vec<PossibleWorld>,
    /// For each instance of μ, the truth of each claim.
    truths: Vec<Vec<bool>>,
    /// For each instance of μ, the evidence that replaces a claim's usual evidence, by the claim's index.
    evidence: Vec<HashMap<usize, String>>,
    leaf_count_under: Vec<u64>,
    size: DecompositionSize,
    open: Option<ProverSupportLimits>,
}

impl ArgumentProblem {
    /// Returns a claim that the scenario file lists; `None` for a claim that the prover wrote.
    fn node(&self, key: &ClaimKey) -> Option<&Node> {
        self.nodes.get(self.claim_index(key)?)
    }

    /// Returns the index in the scenario file of a claim that the file lists.
    fn claim_index(&self, key: &ClaimKey) -> Option<usize> {
        match &key.0 {
            ClaimKeyContent::At(number) => usize::try_from(number % self.nodes.len() as u64).ok(),
            _ => None,
        }
    }

    /// Returns the number of edges between a claim and the root in an open argument, in which the prover may write
    /// claims. In any other argument, returns 0.
    fn level(&self, key: &ClaimKey) -> u32 {
        match &key.0 {
            ClaimKeyContent::At(number) => to_u32_saturating(number / self.nodes.len() as u64),
            ClaimKeyContent::Said(said) => said.0,
            _ => u32::MAX,
        }
    }

    /// Returns the key of the claim with this index in the scenario file, at `level` edges below the root.
    fn listed_key(&self, index: usize, level: u32) -> ClaimKey {
        ClaimKey::key_of_claim_number(index as u64 + u64::from(level) * self.nodes.len() as u64)
    }
}

impl Decomposition for ArgumentProblem {
    fn worlds(&self) -> &[PossibleWorld] {
        &self.worlds
    }

    fn root(&self, _world: usize) -> ClaimKey {
        ClaimKey(ClaimKeyContent::At(self.root as u64))
    }

    fn supports(&self, key: &ClaimKey, _world: usize) -> Vec<ProblemSupport> {
        let Some(node) = self.node(key) else {
            return Vec::new();
        };
        let below = match self.open {
            Some(_) => self.level(key) + 1,
            None => 0,
        };
        node.spec
            .supports
            .iter()
            .zip(&node.on)
            .map(|(support, on)| ProblemSupport {
                gate: support.gate.clone(),
                on: on
                    .iter()
                    .map(|index| self.listed_key(*index, below))
                    .collect(),
                sound: support.sound,
            })
            .collect()
    }

    fn truth(&self, key: &ClaimKey, world: usize) -> Option<bool> {
        self.truths.get(world)?.get(self.claim_index(key)?).copied()
    }

    fn is_decidable(&self, _world: usize) -> bool {
        self.open.is_none()
    }

    fn size(&self, _world: usize) -> DecompositionSize {
        self.size.clone()
    }

    fn leaf_count_under(&self, key: &ClaimKey, _world: usize) -> u64 {
        let index = self.claim_index(key);
        let leaves = index.and_then(|index| self.leaf_count_under.get(index));
        leaves.copied().unwrap_or(1)
    }

    fn text(&self, key: &ClaimKey, _world: usize) -> String {
        match &key.0 {
            ClaimKeyContent::Said(said) => said.1.text.clone(),
            _ => (self.node(key).map(|node| node.spec.text.clone())).unwrap_or_default(),
        }
    }

    fn short_text(&self, key: &ClaimKey, world: usize) -> String {
        let short = self.node(key).and_then(|node| node.spec.short.clone());
        short.unwrap_or_else(|| self.text(key, world))
    }

    fn evidence(&self, key: &ClaimKey, world: usize) -> Option<String> {
        let index = self.claim_index(key)?;
        self.evidence
            .get(world)
            .and_then(|own| own.get(&index))
            .or_else(|| self.node(key)?.spec.evidence.as_ref())
            .cloned()
    }

    fn belief(&self, _world: usize) -> TruthDistributionBelief {
        match self.open {
            Some(_) => TruthDistributionBelief::uninformed(),
            None => TruthDistributionBelief::belief_proportional_to_weights(&self.worlds),
        }
    }

    fn as_annotated(&self) -> Option<&dyn ClaimDetailsInFile> {
        Some(self)
    }

    fn as_proof(&self) -> Option<&dyn ProofReadByLeaves> {
        Some(self)
    }

    fn as_open(&self) -> Option<(ProverSupportLimits, &dyn ProverWrittenClaims)> {
        Some((self.open?, self))
    }
}

impl ClaimDetailsInFile for ArgumentProblem {
    fn id(&self, key: &ClaimKey) -> Option<&str> {
        self.ids.get(self.claim_index(key)?).map(String::as_str)
    }

    fn label(&self, key: &ClaimKey, support: usize) -> Option<&str> {
        self.node(key)?.spec.supports.get(support)?.label.as_deref()
    }

    fn judged_true(&self, key: &ClaimKey) -> Option<Exact> {
        self.node(key)?.spec.judged_true.clone()
    }

    fn judge_may_err(&self) -> bool {
        let errs = |world: &Vec<bool>| {
            let mut judged = self
                .nodes
                .iter()
                .map(|node| &node.spec.judged_true)
                .zip(world);
            judged.any(|(stated, truth)| {
                stated
                    .as_ref()
                    .is_some_and(|p| *p != Exact::from_integer(i64::from(*truth).into()))
            })
        };
        self.truths.iter().any(errs)
    }

    fn estimate(&self, key: &ClaimKey) -> CarefulReaderEstimate {
        let stated = self.node(key).and_then(|node| node.spec.estimate.clone());
        stated.map_or(
            CarefulReaderEstimate::Unstated,
            CarefulReaderEstimate::Stated,
        )
    }
}

impl ProofReadByLeaves for ArgumentProblem {
    fn reads(&self, key: &ClaimKey, _world: usize) -> Cow<'_, [BitId]> {
        Cow::Borrowed(self.node(key).map_or(&[], |node| &node.reads))
    }

    fn bit_name(&self, bit: BitId, _world: usize) -> Cow<'_, str> {
        Cow::Borrowed(&self.proof[bit as usize].0)
    }

    fn bit_truth(&self, bit: BitId, _world: usize) -> bool {
        self.proof[bit as usize].1
    }

    fn check(&self, key: &ClaimKey, bits: &[bool], _world: usize) -> bool {
        let gate = self.node(key).and_then(|node| node.spec.check.as_ref());
        gate.is_some_and(|gate| gate.value_for_outcomes(bits.iter().copied()))
    }
}

impl ProverWrittenClaims for ArgumentProblem {
    fn composing_limit(&self, key: &ClaimKey) -> Option<u32> {
        let open = self.open.filter(|open| self.level(key) < open.depth)?;
        let judged = if let Some(part) = key.prover_written_subclaim() {
            part.judged
        } else {
            // A listed claim with evidence and without supports is always a leaf: the judge decides it.
            let spec = &self.node(key)?.spec;
            spec.supports.is_empty() && spec.evidence.is_some()
        };
        (!judged).then_some(open.width)
    }

    fn written_claim(&self, key: &ClaimKey, part: &ProverWrittenSubclaim) -> ClaimKey {
        let level = self.level(key).saturating_add(1);
        let mut part = part.clone();
        part.text = String::from(part.text.trim());
        ClaimKey(ClaimKeyContent::Said(Box::new((level, part))))
    }
}

/// A support in the form in which a scenario file writes it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename = "Support", deny_unknown_fields)]
pub struct SupportSpec {
    /// The title of the support.
    pub label: Option<String>,
    /// The gate over the subclaims.
    pub gate: Gate,
    /// The ids of the subclaims.
    pub on: Vec<String>,
    /// True if the support is sound: the claim is true if and only if the gate over the subclaims is.
    #[serde(default = "sound_by_default")]
    pub sound: bool,
}

fn sound_by_default() -> bool {
    true
}

/// A claim in the form in which a scenario file writes it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename = "Claim", deny_unknown_fields)]
pub struct ClaimSpec {
    /// The claim in words.
    pub text: String,
    /// A short text of the claim, for the tree, lists of claims and the transcript; by default, `text`.
    pub short: Option<String>,
    /// The truth of the claim. It may be left out if a sound support, a check or every world gives it; otherwise the
    /// file must state it. In an open argument truths are unknown, so it must be left out.
    pub truth: Option<bool>,
    pub evidence: Option<String>,
    /// The probability that a human judge answers that the claim is true.
    #[serde(default, deserialize_with = "optional_probability")]
    pub judged_true: Option<Exact>,
    #[serde(default, deserialize_with = "optional_probability")]
    pub estimate: Option<Exact>,
    /// The supports of the claim; empty at a leaf.
    #[serde(default)]
    pub supports: Vec<SupportSpec>,
    /// The names of the proof bits that the leaf's check reads.
    #[serde(default)]
    pub reads: Vec<String>,
    /// The gate over the bits in `reads`: the leaf is true if the gate is.
    pub check: Option<Gate>,
}

/// One instance of the distribution μ, in the form in which a scenario file writes it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename = "World", deny_unknown_fields)]
pub struct WorldSpec {
    /// The name of the instance; by default, its index.
    pub name: Option<String>,
    /// The weight of the instance in μ, above 0.
    #[serde(default = "Exact::one", deserialize_with = "weight")]
    pub weight: Exact,
    /// The truths of leaves in this instance, by claim id. They replace the truths stated with the claims. A truth that
    /// contradicts the result of the leaf's check is an error.
    #[serde(default, deserialize_with = "entries")]
    pub truths: Vec<(String, bool)>,
    /// The evidence at leaves in this instance, by claim id. It replaces the evidence stated with the claims.
    #[serde(default, deserialize_with = "entries")]
    pub evidence: Vec<(String, String)>,
}

/// An argument in the form in which a scenario file writes it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename = "Argument", deny_unknown_fields)]
pub struct ArgumentProblemSpec {
    /// The id of the root claim.
    pub root: String,
    /// The claims with their ids, in the order of the file.
    #[serde(deserialize_with = "entries")]
    pub claims: Vec<(String, ClaimSpec)>,
    /// The bits of the true proof, by name.
    #[serde(default, deserialize_with = "entries")]
    pub proof: Vec<(String, bool)>,
    /// The instances of μ. An empty list means a single instance with the truths stated at the claims.
    #[serde(default)]
    pub worlds: Vec<WorldSpec>,
    /// Limits on claims that the prover writes; `None` if the prover may not write claims.
    #[serde(default, deserialize_with = "stated_limits")]
    pub open: Option<ProverSupportLimits>,
}
