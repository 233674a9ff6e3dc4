//! Arguments in words: a directed acyclic graph of claims whose leaves the judge decides.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use num_traits::Zero;

use super::belief::Belief;
use super::decomposition::{BitId, Decomposition, Draft, Estimate, Key, Size, World};
use super::flaw::{Flaw, Path};
use crate::gate::{Gate, Tally};
use crate::number::{Exact, Number};

/// A support as a scenario states it.
#[derive(Clone, Debug, PartialEq)]
pub struct SupportSpec {
    /// Its title.
    pub label: Option<String>,
    /// The gate over the subclaims.
    pub gate: Gate,
    /// The ids of the subclaims.
    pub on: Vec<String>,
    /// Whether it carries the claim.
    pub sound: bool,
}

/// A claim as a scenario states it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClaimSpec {
    /// The claim in words.
    pub text: String,
    /// Its truth; required at a leaf without a check, derived where there is a sound support.
    pub truth: Option<bool>,
    /// What the judge may read.
    pub evidence: Option<String>,
    /// The chance that a human judge says yes.
    pub judged_true: Option<Exact>,
    /// What a cheap careful reader would say.
    pub estimate: Option<Exact>,
    /// The ways to support it; none at a leaf.
    pub supports: Vec<SupportSpec>,
    /// The names of the proof bits that a leaf reads.
    pub reads: Vec<String>,
    /// The gate over those bits that decides the leaf.
    pub check: Option<Gate>,
}

/// One instance of μ as a scenario states it.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldSpec {
    /// Its name; its index where there is none.
    pub name: Option<String>,
    /// Its weight, positive.
    pub weight: Exact,
    /// The truths of leaves, by id, that differ from what the claims state.
    pub truths: Vec<(String, bool)>,
    /// What the judge may read at leaves, by id, where it differs from what the claims state.
    pub evidence: Vec<(String, String)>,
}

/// An argument as a scenario states it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArgumentSpec {
    /// The id of the root claim.
    pub root: String,
    /// The claims by id, in file order.
    pub claims: Vec<(String, ClaimSpec)>,
    /// The true proof bits by name.
    pub proof: Vec<(String, bool)>,
    /// The instances of μ; none means one instance with the truths as stated.
    pub worlds: Vec<WorldSpec>,
}

/// The most truth values, claims times worlds, that an argument may have.
const MAX_TRUTHS: usize = 1 << 27;

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
        let (size, leaves_under) = sizes(&nodes, root, &order);
        let worlds = worlds(&spec, &index, &nodes, at)?;
        let mut truths = Vec::with_capacity(worlds.len());
        for (number, world) in spec
            .worlds
            .iter()
            .enumerate()
            .map(|(n, w)| (n, Some(w)))
            .chain(spec.worlds.is_empty().then_some((0, None)))
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
        })
    }

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

/// All claims below the root, every claim after its subclaims; an error where a claim supports
/// itself. Iterative: a chain of claims may be as deep as the file is long.
fn order(nodes: &[Links], root: usize, spec: &ArgumentSpec, at: &Path) -> Result<Vec<usize>, Flaw> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; nodes.len()];
    let mut order = Vec::with_capacity(nodes.len());
    let starts = std::iter::once(root).chain(0..nodes.len());
    for start in starts {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        let mut stack = vec![(start, 0_usize, 0_usize)];
        while let Some((place, support, child)) = stack.pop() {
            let Some(children) = nodes[place].0.get(support) else {
                marks[place] = Mark::Done;
                order.push(place);
                continue;
            };
            let Some(next) = children.get(child).copied() else {
                stack.push((place, support + 1, 0));
                continue;
            };
            stack.push((place, support, child + 1));
            match marks[next] {
                Mark::Done => {}
                Mark::New => {
                    marks[next] = Mark::Open;
                    stack.push((next, 0, 0));
                }
                Mark::Open => {
                    let path = at.then("claims").entry(&spec.claims[place].0);
                    return Err(path
                        .then("supports")
                        .item(support)
                        .then("on")
                        .item(child)
                        .flaw(format_args!(
                            "{:?} would support itself through this subclaim; break the cycle",
                            spec.claims[next].0
                        )));
                }
            }
        }
    }
    Ok(order)
}

fn sizes(nodes: &[Links], root: usize, order: &[usize]) -> (Size, Vec<u64>) {
    let mut depth = vec![0_u32; nodes.len()];
    let mut leaves = vec![0_u64; nodes.len()];
    for place in order.iter().copied() {
        let children = || nodes[place].0.iter().flatten().copied();
        depth[place] = children().map(|child| depth[child] + 1).max().unwrap_or(0);
        leaves[place] = if nodes[place].0.is_empty() {
            1
        } else {
            children().fold(0, |sum, child| sum.saturating_add(leaves[child]))
        };
    }
    // Only what the root can reach is debated.
    let mut reached = vec![false; nodes.len()];
    let mut open = vec![root];
    reached[root] = true;
    while let Some(place) = open.pop() {
        for child in nodes[place].0.iter().flatten().copied() {
            if !std::mem::replace(&mut reached[child], true) {
                open.push(child);
            }
        }
    }
    let within = || nodes.iter().zip(&reached).filter(|(_, reached)| **reached);
    let width = within()
        .flat_map(|(node, _)| &node.0)
        .map(Vec::len)
        .max()
        .unwrap_or(0);
    let size = Size {
        depth: depth[root],
        width: u32::try_from(width).unwrap_or(u32::MAX),
        claims: within().count().into(),
        leaves: within()
            .filter(|(node, _)| node.0.is_empty())
            .count()
            .into(),
    };
    (size, leaves)
}

fn worlds(
    spec: &ArgumentSpec,
    index: &HashMap<&str, usize>,
    nodes: &[Links],
    at: &Path,
) -> Result<Vec<World>, Flaw> {
    if spec.worlds.is_empty() {
        return Ok(vec![World {
            name: "0".to_owned(),
            weight: Exact::ratio(1, 1),
        }]);
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

struct Deriver<'s> {
    spec: &'s ArgumentSpec,
    nodes: &'s [Links],
    index: &'s HashMap<&'s str, usize>,
    at: &'s Path,
}

impl Deriver<'_> {
    fn truths(
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
                .holds(children.iter().map(|child| truths[*child]).collect());
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
            let holds = gate.holds(
                reads
                    .iter()
                    .map(|bit| self.spec.proof[*bit as usize].1)
                    .collect(),
            );
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
        let tally: Tally = bits.iter().copied().collect();
        self.node(key)
            .spec
            .check
            .as_ref()
            .is_some_and(|gate| gate.holds(tally))
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
