//! Checking an argument: from what a scenario states to claims with truths in every world.

mod order;
mod worlds;

use std::collections::HashMap;

use super::{Argument, ArgumentSpec, ClaimSpec, Node};
use crate::scenario::decomposition::{BitId, Size};
use crate::scenario::flaw::{Flaw, Path};
use crate::scenario::open::OpenLimits;
use order::{order, sizes};
use worlds::{Deriver, worlds};

/// The most subclaims of a support that is written during a debate.
const MAX_WRITTEN: u32 = 64;

const NOTHING_KNOWN: &str =
    "nothing is known of the claims of an open argument, whose truth people judge; leave this out";

/// The most truth values, claims times worlds, that an argument may have.
const MAX_TRUTHS: usize = 1 << 27;

impl Argument {
    /// Checks an argument: every id exists, no claim supports itself, every gate fits, every truth
    /// is stated once or derived, the same way by every sound support and in every world.
    ///
    /// # Errors
    /// The first flaw found, with its path below `at`.
    pub fn build(spec: ArgumentSpec, at: &Path) -> Result<Self, Flaw> {
        let index = index(&spec, at)?;
        let root = *index.get(spec.root.as_str()).ok_or_else(|| {
            at.then("root").flaw(format_args!(
                "there is no claim {:?}; name one of the claims",
                spec.root
            ))
        })?;
        let bits = bits(&spec, at)?;
        let nodes = nodes(&spec, &index, &bits, at)?;
        let order = order(&nodes, root, &spec, at)?;
        let (mut size, leaves_under) = sizes(&nodes, root, &order);
        if let Some(open) = spec.open {
            opened(&spec, open, &mut size, at)?;
        }
        let worlds = worlds(&spec, &index, &nodes, at)?;
        let mut truths = Vec::with_capacity(worlds.len());
        let known = spec.open.is_none();
        for (number, world) in spec
            .worlds
            .iter()
            .enumerate()
            .map(|(n, w)| (n, Some(w)))
            .chain((known && spec.worlds.is_empty()).then_some((0, None)))
        {
            let deriver = Deriver {
                spec: &spec,
                nodes: &nodes,
                index: &index,
                at,
            };
            let name = (worlds.len() > 1).then(|| worlds[number].name.as_str());
            truths.push(deriver.truths(world, name, &order)?);
        }
        let evidence = spec
            .worlds
            .iter()
            .map(|world| {
                let own = world.evidence.iter();
                own.map(|(id, text)| (index[id.as_str()], text.clone()))
                    .collect()
            })
            .collect();
        let (ids, claims): (Vec<_>, Vec<_>) = spec.claims.into_iter().unzip();
        let nodes = nodes
            .into_iter()
            .zip(claims)
            .map(|((on, reads), spec)| Node { spec, on, reads })
            .collect();
        Ok(Self {
            ids,
            nodes,
            root,
            proof: spec.proof,
            worlds,
            truths,
            evidence,
            leaves_under,
            size,
            open: spec.open,
        })
    }
}

/// Checks what an open argument may state, and makes room for what will be written.
fn opened(spec: &ArgumentSpec, open: OpenLimits, size: &mut Size, at: &Path) -> Result<(), Flaw> {
    let here = |field| at.then("open").then(field);
    let least = size.depth.max(1);
    if open.depth < least {
        return Err(here("depth").flaw(format_args!(
            "{} is less deep than what is listed, or no depth at all; take a number from {least} on",
            open.depth
        )));
    }
    if open.width == 0 || open.width > MAX_WRITTEN {
        return Err(here("width").flaw(format_args!(
            "{} subclaims are no width; take a number from 1 to {MAX_WRITTEN}",
            open.width
        )));
    }
    if !spec.worlds.is_empty() {
        return Err(at.then("worlds").flaw(NOTHING_KNOWN));
    }
    if !spec.proof.is_empty() {
        return Err(at.then("proof").flaw(NOTHING_KNOWN));
    }
    for (id, claim) in &spec.claims {
        let stated = [
            ("truth", claim.truth.is_some()),
            ("judged_true", claim.judged_true.is_some()),
            ("estimate", claim.estimate.is_some()),
            ("reads", !claim.reads.is_empty()),
            ("check", claim.check.is_some()),
        ];
        if let Some((field, _)) = stated.into_iter().find(|(_, stated)| *stated) {
            return Err(at.then("claims").entry(id).then(field).flaw(NOTHING_KNOWN));
        }
        if let Some(place) = claim.supports.iter().position(|support| !support.sound) {
            let support = at.then("claims").entry(id).then("supports").item(place);
            return Err(support.then("sound").flaw(NOTHING_KNOWN));
        }
    }
    (size.depth, size.width) = (open.depth, size.width.max(open.width));
    Ok(())
}

/// A claim's supports as claim numbers, and the proof bits it reads.
type Links = (Vec<Vec<usize>>, Vec<BitId>);

fn index<'s>(spec: &'s ArgumentSpec, at: &Path) -> Result<HashMap<&'s str, usize>, Flaw> {
    let mut index = HashMap::with_capacity(spec.claims.len());
    for (place, (id, _)) in spec.claims.iter().enumerate() {
        if index.insert(id.as_str(), place).is_some() {
            return Err(at
                .then("claims")
                .entry(id)
                .flaw("this id stands twice; give each claim its own"));
        }
    }
    Ok(index)
}

fn bits<'s>(spec: &'s ArgumentSpec, at: &Path) -> Result<HashMap<&'s str, BitId>, Flaw> {
    let mut bits = HashMap::new();
    for (place, (name, _)) in spec.proof.iter().enumerate() {
        if bits
            .insert(name.as_str(), BitId::try_from(place).unwrap_or(BitId::MAX))
            .is_some()
        {
            return Err(at
                .then("proof")
                .entry(name)
                .flaw("this proof bit stands twice; give each its own name"));
        }
    }
    Ok(bits)
}

fn nodes(
    spec: &ArgumentSpec,
    index: &HashMap<&str, usize>,
    bits: &HashMap<&str, BitId>,
    at: &Path,
) -> Result<Vec<Links>, Flaw> {
    let mut nodes = Vec::with_capacity(spec.claims.len());
    for (id, claim) in &spec.claims {
        let place = || at.then("claims").entry(id);
        let mut on = Vec::with_capacity(claim.supports.len());
        for (number, support) in claim.supports.iter().enumerate() {
            let here = || place().then("supports").item(number);
            let mut children = Vec::with_capacity(support.on.len());
            for (child, name) in support.on.iter().enumerate() {
                children.push(*index.get(name.as_str()).ok_or_else(|| {
                    here().then("on").item(child).flaw(format_args!(
                        "there is no claim {name:?}; add it to `claims` or name another"
                    ))
                })?);
            }
            support
                .gate
                .fits(children.len())
                .map_err(|error| here().then("gate").flaw(error))?;
            on.push(children);
        }
        nodes.push((on, reads(claim, bits, &place)?));
    }
    Ok(nodes)
}

fn reads(
    claim: &ClaimSpec,
    bits: &HashMap<&str, BitId>,
    place: &impl Fn() -> Path,
) -> Result<Vec<BitId>, Flaw> {
    let reads: Vec<BitId> = claim
        .reads
        .iter()
        .enumerate()
        .map(|(number, name)| {
            bits.get(name.as_str()).copied().ok_or_else(|| {
                place().then("reads").item(number).flaw(format_args!(
                    "there is no proof bit {name:?}; add it to `proof` or name another"
                ))
            })
        })
        .collect::<Result<_, _>>()?;
    match &claim.check {
        None if reads.is_empty() => {}
        None => {
            return Err(place()
                .then("reads")
                .flaw("a leaf that reads proof bits needs a `check`, a gate over them"));
        }
        Some(_) if !claim.supports.is_empty() => {
            return Err(place()
                .then("check")
                .flaw("only a leaf reads proof bits; drop `check` and `reads`, or the supports"));
        }
        Some(gate) => {
            gate.fits(reads.len())
                .map_err(|error| place().then("check").flaw(error))?;
        }
    }
    Ok(reads)
}
