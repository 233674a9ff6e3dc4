//! The truths of an argument in each of its worlds.

use std::collections::{HashMap, HashSet};

use num_traits::Zero;

use super::{Links, MAX_TRUTHS};
use crate::number::Exact;
use crate::scenario::argument::{ArgumentSpec, WorldSpec};
use crate::scenario::decomposition::World;
use crate::scenario::flaw::{Flaw, Path};

pub(super) fn worlds(
    spec: &ArgumentSpec,
    index: &HashMap<&str, usize>,
    nodes: &[Links],
    at: &Path,
) -> Result<Vec<World>, Flaw> {
    if spec.worlds.is_empty() {
        return Ok(vec![World::new("0")]);
    }
    if spec.worlds.len().saturating_mul(nodes.len()) > MAX_TRUTHS {
        return Err(at.then("worlds").flaw(format_args!(
            "{} worlds of {} claims are too many; at most {MAX_TRUTHS} truths are kept",
            spec.worlds.len(),
            nodes.len()
        )));
    }
    let mut worlds: Vec<World> = Vec::with_capacity(spec.worlds.len());
    let mut names = HashSet::with_capacity(spec.worlds.len());
    for (number, world) in spec.worlds.iter().enumerate() {
        let here = || at.then("worlds").item(number);
        if world.weight <= Exact::zero() {
            return Err(here()
                .then("weight")
                .flaw("a world's weight must be positive"));
        }
        let is_leaf = |id: &str| {
            index
                .get(id)
                .is_some_and(|place| nodes[*place].0.is_empty())
        };
        let truths = world.truths.iter().map(|(id, _)| ("truths", id));
        let evidence = world.evidence.iter().map(|(id, _)| ("evidence", id));
        if let Some((field, id)) = truths.chain(evidence).find(|(_, id)| !is_leaf(id)) {
            return Err(here().then(field).entry(id).flaw(format_args!(
                "only the {} of a leaf can be given here; name a claim without supports",
                if field == "truths" {
                    "truth"
                } else {
                    "evidence"
                },
            )));
        }
        let name = world.name.clone().unwrap_or_else(|| number.to_string());
        if !names.insert(name.clone()) {
            return Err(here().flaw(format_args!(
                "another world is named {name:?}; give each its own name"
            )));
        }
        worlds.push(World {
            name,
            weight: world.weight.clone(),
        });
    }
    Ok(worlds)
}

/// Finds the truths of all claims in a world.
pub(super) struct Deriver<'s> {
    pub(super) spec: &'s ArgumentSpec,
    pub(super) nodes: &'s [Links],
    pub(super) index: &'s HashMap<&'s str, usize>,
    pub(super) at: &'s Path,
}

impl Deriver<'_> {
    pub(super) fn truths(
        &self,
        world: Option<&WorldSpec>,
        name: Option<&str>,
        order: &[usize],
    ) -> Result<Vec<bool>, Flaw> {
        let mut given = HashMap::new();
        for (id, truth) in world.iter().flat_map(|world| &world.truths) {
            given.insert(self.index[id.as_str()], *truth);
        }
        let mut truths = vec![false; self.nodes.len()];
        for place in order.iter().copied() {
            truths[place] = match given.get(&place) {
                Some(truth) => *truth,
                None => self.truth(place, &truths, name)?,
            };
        }
        Ok(truths)
    }

    fn truth(&self, place: usize, truths: &[bool], world: Option<&str>) -> Result<bool, Flaw> {
        let (id, claim) = &self.spec.claims[place];
        let (on, reads) = &self.nodes[place];
        let path = || self.at.then("claims").entry(id);
        let within = || world.map_or_else(String::new, |name| format!(" in world {name:?}"));
        let mut derived: Option<(usize, bool)> = None;
        for (number, (support, children)) in claim.supports.iter().zip(on).enumerate() {
            if !support.sound {
                continue;
            }
            let holds = support
                .gate
                .says(children.iter().map(|child| truths[*child]));
            match derived {
                Some((first, other)) if other != holds => {
                    return Err(path().then("supports").item(number).flaw(format_args!(
                        "this support makes the claim {holds}{}, support {first} makes it \
                         {other}; mark the one that does not carry it `sound: false`",
                        within()
                    )));
                }
                _ => derived = Some((number, holds)),
            }
        }
        if let Some(gate) = &claim.check {
            let bits = reads.iter();
            let holds = gate.says(bits.map(|bit| self.spec.proof[*bit as usize].1));
            derived = Some((0, holds));
        }
        match (derived, claim.truth) {
            (Some((_, holds)), Some(stated)) if holds != stated => {
                Err(path().then("truth").flaw(format_args!(
                    "stated {stated}, but the sound supports make it {holds}{}; mend the \
                     truth, or mark the support `sound: false`",
                    within()
                )))
            }
            (Some((_, holds)), _) => Ok(holds),
            (None, Some(stated)) => Ok(stated),
            (None, None) if on.is_empty() => Err(path().flaw(format_args!(
                "a leaf needs a `truth`{}: true or false",
                within()
            ))),
            (None, None) => Err(path().flaw(
                "no support is sound, so the claim must state its own `truth`: true or false",
            )),
        }
    }
}
