//! Arguments in words: a directed acyclic graph of claims whose leaves the judge decides.

mod build;
mod spec;

use std::borrow::Cow;
use std::collections::HashMap;

pub use spec::{ArgumentSpec, ClaimSpec, SupportSpec, WorldSpec};

use super::belief::Belief;
use super::decomposition::{BitId, Decomposition, Draft, Estimate, Key, Size, World};
use crate::number::Exact;

#[derive(Debug)]
struct Node {
    spec: ClaimSpec,
    on: Vec<Vec<usize>>,
    reads: Vec<BitId>,
}

/// A checked argument.
#[derive(Debug)]
pub struct Argument {
    ids: Vec<String>,
    nodes: Vec<Node>,
    root: usize,
    proof: Vec<(String, bool)>,
    worlds: Vec<World>,
    /// For each world the truth of each claim.
    truths: Vec<Vec<bool>>,
    /// For each world the evidence that is its own, by claim.
    evidence: Vec<HashMap<usize, String>>,
    leaves_under: Vec<u64>,
    size: Size,
}

impl Argument {
    fn node(&self, key: &Key) -> &Node {
        &self.nodes[Self::place(key)]
    }

    fn place(key: &Key) -> usize {
        match key {
            Key::At(place) => usize::try_from(*place).unwrap_or(usize::MAX),
            _ => usize::MAX,
        }
    }
}

impl Decomposition for Argument {
    fn worlds(&self) -> &[World] {
        &self.worlds
    }

    fn root(&self, _world: usize) -> Key {
        Key::At(self.root as u64)
    }

    fn supports(&self, key: &Key, _world: usize) -> Vec<Draft> {
        let node = self.node(key);
        node.spec
            .supports
            .iter()
            .zip(&node.on)
            .map(|(support, on)| Draft {
                gate: support.gate.clone(),
                on: on.iter().map(|place| Key::At(*place as u64)).collect(),
                sound: support.sound,
            })
            .collect()
    }

    fn truth(&self, key: &Key, world: usize) -> Option<bool> {
        Some(self.truths[world][Self::place(key)])
    }

    fn size(&self, _world: usize) -> Size {
        self.size.clone()
    }

    fn leaves_under(&self, key: &Key, _world: usize) -> u64 {
        self.leaves_under[Self::place(key)]
    }

    fn text(&self, key: &Key, _world: usize) -> String {
        self.node(key).spec.text.clone()
    }

    fn id(&self, key: &Key) -> Option<&str> {
        self.ids.get(Self::place(key)).map(String::as_str)
    }

    fn label(&self, key: &Key, support: usize) -> Option<&str> {
        self.node(key).spec.supports.get(support)?.label.as_deref()
    }

    fn evidence(&self, key: &Key, world: usize) -> Option<String> {
        self.evidence
            .get(world)
            .and_then(|own| own.get(&Self::place(key)))
            .or_else(|| self.node(key).spec.evidence.as_ref())
            .cloned()
    }

    fn judged_true(&self, key: &Key) -> Option<Exact> {
        self.node(key).spec.judged_true.clone()
    }

    fn estimate(&self, key: &Key) -> Estimate {
        self.node(key)
            .spec
            .estimate
            .clone()
            .map_or(Estimate::Unstated, Estimate::Stated)
    }

    fn reads(&self, key: &Key, _world: usize) -> Cow<'_, [BitId]> {
        Cow::Borrowed(&self.node(key).reads)
    }

    fn bit_name(&self, bit: BitId, _world: usize) -> Cow<'_, str> {
        Cow::Borrowed(&self.proof[bit as usize].0)
    }

    fn bit_truth(&self, bit: BitId, _world: usize) -> bool {
        self.proof[bit as usize].1
    }

    fn check(&self, key: &Key, bits: &[bool], _world: usize) -> bool {
        self.node(key)
            .spec
            .check
            .as_ref()
            .is_some_and(|gate| gate.says(bits.iter().copied()))
    }

    fn belief(&self, _world: usize) -> Belief {
        Belief::Worlds(
            self.worlds
                .iter()
                .enumerate()
                .map(|(number, world)| (number, world.weight.clone().into()))
                .collect(),
        )
    }
}
