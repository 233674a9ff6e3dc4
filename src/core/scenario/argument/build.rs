//! Checks the specification of an argument, and derives the truth of every claim in every instance of μ.

use std::collections::{HashMap, HashSet};
use std::fmt::Display;

use num_traits::Zero;

use super::{ArgumentProblem, ArgumentProblemSpec, ClaimSpec, Node, WorldSpec};
use crate::number::{Exact, to_u32_saturating};
use crate::scenario::decomposition::{BitId, DecompositionSize, PossibleWorld, graph_sizes};
use crate::scenario::flaw::{ScenarioValueError, ScenarioValuePath};
use crate::scenario::netlist::topological_order;
use crate::scenario::open::ProverSupportLimits;

/// Maximum number of subclaims of a support that is written during a debate.
const MAX_WRITTEN: u32 = 64;

/// Maximum number of truth values of an argument: number of claims times number of instances.
const MAX_TRUTHS: usize = 1 << 27;

impl ArgumentProblem {
    /// Checks an argument: every id exists, no claim supports itself, and every gate accepts its number of subclaims.
    /// Unless the argument is open, every claim's truth must be stated or follow from a check or a sound support. In
    /// every instance of μ, all sound supports of a claim must give the same truth.
    ///
    /// # Errors
    /// Returns the first flaw found, with its path below `at`.
    pub fn build(
        spec: ArgumentProblemSpec,
        at: &ScenarioValuePath,
    ) -> Result<Self, ScenarioValueError> {
        let twice = "two claims have this id; give each claim its own id";
        let claims = index(&spec.claims, "claims", twice, at)?;
        let root = *claims.get(spec.root.as_str()).ok_or_else(|| {
            at.path_of_field("root").error_at_path(format_args!(
                "there is no claim {id:?}; use the id of a claim",
                id = spec.root
            ))
        })?;
        let twice = "two proof bits have this name; give each bit its own name";
        let bits = index(&spec.proof, "proof", twice, at)?;
        let index = claims;
        let nodes = link_claims(&spec, &index, &bits, at)?;
        let order = bottom_up_order(&nodes, root, &spec, at)?;
        let (mut size, leaf_count_under) = graph_sizes(&order, root, |place| &nodes[place].0);
        if let Some(open) = spec.open {
            check_open_limits(&spec, open, &mut size, at)?;
        }
        let worlds = build_worlds(&spec, &index, &nodes, at)?;
        let deriver = Deriver {
            spec: &spec,
            nodes: &nodes,
            index: &index,
            at,
        };
        let mut truths = Vec::with_capacity(worlds.len());
        let stated = spec.worlds.iter().map(Some);
        let alone = spec.open.is_none() && spec.worlds.is_empty();
        for (number, world) in stated.chain(alone.then_some(None)).enumerate() {
            let name = (worlds.len() > 1).then(|| worlds[number].name.as_str());
            truths.push(deriver.truths(world, name, &order)?);
        }
        let own = |world: &WorldSpec| {
            let own = world.evidence.iter();
            own.map(|(id, text)| (index[id.as_str()], text.clone()))
                .collect()
        };
        let evidence = spec.worlds.iter().map(own).collect();
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
            leaf_count_under,
            size,
            open: spec.open,
        })
    }
}

/// Returns the error about a field that states something about the truth of an open argument's claims.
fn truth_must_be_removed(field: &str) -> String {
    format!(
        "the claims of an open argument have no stated truth, because people judge them; remove the field `{field}`"
    )
}

/// Checks the specification of an open argument. Then sets the size's depth to the limit for claims that the prover may
/// write, and raises its width to the limit for such claims.
fn check_open_limits(
    spec: &ArgumentProblemSpec,
    open: ProverSupportLimits,
    size: &mut DecompositionSize,
    at: &ScenarioValuePath,
) -> Result<(), ScenarioValueError> {
    let here = |field| at.path_of_field("open").path_of_field(field);
    let least = size.depth.max(1);
    if open.depth < least {
        return Err(here("depth").error_at_path(format_args!(
            "the depth {depth} is too small for the listed claims; use at least {least}",
            depth = open.depth
        )));
    }
    if open.width == 0 || open.width > MAX_WRITTEN {
        return Err(here("width").error_at_path(format_args!(
            "the width cannot be {width}; use a number from 1 to {MAX_WRITTEN}",
            width = open.width
        )));
    }
    for (field, stated) in [("worlds", spec.worlds.len()), ("proof", spec.proof.len())] {
        if stated > 0 {
            return Err(at
                .path_of_field(field)
                .error_at_path(truth_must_be_removed(field)));
        }
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
            return Err(at
                .path_of_field("claims")
                .then_map_entry(id)
                .path_of_field(field)
                .error_at_path(truth_must_be_removed(field)));
        }
        if let Some(place) = claim.supports.iter().position(|support| !support.sound) {
            let support = at
                .path_of_field("claims")
                .then_map_entry(id)
                .path_of_field("supports")
                .then_list_item(place);
            let field = "sound";
            return Err(support
                .path_of_field(field)
                .error_at_path(truth_must_be_removed(field)));
        }
    }
    (size.depth, size.width) = (open.depth, size.width.max(open.width));
    Ok(())
}

/// A claim's links: for each support the indices of its subclaims, and the proof bits that the claim's check reads.
type Links = (Vec<Vec<usize>>, Vec<BitId>);

/// Maps each name in a list to its index. If a name occurs twice, returns an error with the text `twice`.
fn index<'s, T>(
    named: &'s [(String, T)],
    field: &'static str,
    twice: &str,
    at: &ScenarioValuePath,
) -> Result<HashMap<&'s str, usize>, ScenarioValueError> {
    let mut index = HashMap::with_capacity(named.len());
    for (place, (name, _)) in named.iter().enumerate() {
        if index.insert(name.as_str(), place).is_some() {
            return Err(at
                .path_of_field(field)
                .then_map_entry(name)
                .error_at_path(twice));
        }
    }
    Ok(index)
}

fn link_claims(
    spec: &ArgumentProblemSpec,
    index: &HashMap<&str, usize>,
    bits: &HashMap<&str, usize>,
    at: &ScenarioValuePath,
) -> Result<Vec<Links>, ScenarioValueError> {
    let mut nodes = Vec::with_capacity(spec.claims.len());
    for (id, claim) in &spec.claims {
        let place = || at.path_of_field("claims").then_map_entry(id);
        let mut on = Vec::with_capacity(claim.supports.len());
        for (number, support) in claim.supports.iter().enumerate() {
            let here = || place().path_of_field("supports").then_list_item(number);
            let mut children = Vec::with_capacity(support.on.len());
            for (child, child_id) in support.on.iter().enumerate() {
                children.push(*index.get(child_id.as_str()).ok_or_else(|| {
                    here()
                        .path_of_field("on")
                        .then_list_item(child)
                        .error_at_path(format_args!(
                            "there is no claim {child_id:?}; add it to `claims` or use another id"
                        ))
                })?);
            }
            support
                .gate
                .check_input_count(children.len())
                .map_err(|error| here().path_of_field("gate").error_at_path(error))?;
            on.push(children);
        }
        nodes.push((on, bits_read_by(claim, bits, &place)?));
    }
    Ok(nodes)
}

fn bits_read_by(
    claim: &ClaimSpec,
    bits: &HashMap<&str, usize>,
    place: &impl Fn() -> ScenarioValuePath,
) -> Result<Vec<BitId>, ScenarioValueError> {
    let bit = |(number, name): (usize, &String)| {
        let missing = || {
            place()
                .path_of_field("reads")
                .then_list_item(number)
                .error_at_path(format_args!(
                    "there is no proof bit {name:?}; add it to `proof` or use another name"
                ))
        };
        bits.get(name.as_str())
            .map(|bit| to_u32_saturating(*bit))
            .ok_or_else(missing)
    };
    let reads: Vec<BitId> = claim
        .reads
        .iter()
        .enumerate()
        .map(bit)
        .collect::<Result<_, _>>()?;
    let flaw = |field, what: &dyn Display| Err(place().path_of_field(field).error_at_path(what));
    match &claim.check {
        None if reads.is_empty() => Ok(reads),
        None => flaw(
            "reads",
            &"a leaf that reads proof bits needs a `check`, a gate over them",
        ),
        Some(_) if !claim.supports.is_empty() => {
            let what = "only a leaf can read proof bits; remove `check` and `reads`, or the \
                        supports";
            flaw("check", &what)
        }
        Some(gate) => match gate.check_input_count(reads.len()) {
            Ok(()) => Ok(reads),
            Err(error) => flaw("check", &error),
        },
    }
}

/// Returns the indices of all claims of the file, each after its subclaims. The root and the claims below it come
/// first. Returns an error if a claim directly or indirectly supports itself.
fn bottom_up_order(
    nodes: &[Links],
    root: usize,
    spec: &ArgumentProblemSpec,
    at: &ScenarioValuePath,
) -> Result<Vec<usize>, ScenarioValueError> {
    let reads: Vec<Vec<usize>> = nodes.iter().map(|(on, _)| on.concat()).collect();
    let starts = std::iter::once(root).chain(0..nodes.len());
    topological_order(starts, &reads).map_err(|(place, read)| {
        let mut support = 0;
        let mut child = read;
        while child >= nodes[place].0[support].len() {
            child -= nodes[place].0[support].len();
            support += 1;
        }
        let path = at
            .path_of_field("claims")
            .then_map_entry(&spec.claims[place].0)
            .path_of_field("supports");
        path.then_list_item(support)
            .path_of_field("on")
            .then_list_item(child)
            .error_at_path(format_args!(
                "the claim {claim:?} would support itself through this subclaim; break the cycle",
                claim = spec.claims[reads[place][read]].0
            ))
    })
}

fn build_worlds(
    spec: &ArgumentProblemSpec,
    index: &HashMap<&str, usize>,
    nodes: &[Links],
    at: &ScenarioValuePath,
) -> Result<Vec<PossibleWorld>, ScenarioValueError> {
    if spec.worlds.is_empty() {
        return Ok(vec![PossibleWorld::new("0")]);
    }
    if spec.worlds.len().saturating_mul(nodes.len()) > MAX_TRUTHS {
        return Err(at.path_of_field("worlds").error_at_path(format_args!(
            "{worlds} worlds of {claims} claims need too many truth values; at most {MAX_TRUTHS} are allowed",
            worlds = spec.worlds.len(),
            claims = nodes.len()
        )));
    }
    let mut worlds: Vec<PossibleWorld> = Vec::with_capacity(spec.worlds.len());
    let mut names = HashSet::with_capacity(spec.worlds.len());
    for (number, world) in spec.worlds.iter().enumerate() {
        let here = || at.path_of_field("worlds").then_list_item(number);
        if world.weight <= Exact::zero() {
            return Err(here()
                .path_of_field("weight")
                .error_at_path("the weight of a world must be above 0"));
        }
        let place = |id: &str| index.get(id);
        let is_leaf = |id: &str| place(id).is_some_and(|place| nodes[*place].0.is_empty());
        let truths = world.truths.iter().map(|(id, _)| ("truths", id));
        let evidence = world.evidence.iter().map(|(id, _)| ("evidence", id));
        if let Some((field, id)) = truths.chain(evidence).find(|(_, id)| !is_leaf(id)) {
            return Err(here().path_of_field(field).then_map_entry(id).error_at_path(format_args!(
                "only a leaf can have its own {field} in a world; use the id of a claim without supports",
                field = field.trim_end_matches('s'),
            )));
        }
        let name = world.name.clone().unwrap_or_else(|| number.to_string());
        if !names.insert(name.clone()) {
            return Err(here().error_at_path(format_args!(
                "two worlds are named {name:?}; give each world its own name"
            )));
        }
        worlds.push(PossibleWorld {
            name,
            weight: world.weight.clone(),
        });
    }
    Ok(worlds)
}

/// Derives the truths of all claims in one instance of μ.
struct Deriver<'s> {
    spec: &'s ArgumentProblemSpec,
    nodes: &'s [Links],
    index: &'s HashMap<&'s str, usize>,
    at: &'s ScenarioValuePath,
}

impl Deriver<'_> {
    fn truths(
        &self,
        world: Option<&WorldSpec>,
        name: Option<&str>,
        order: &[usize],
    ) -> Result<Vec<bool>, ScenarioValueError> {
        let mut given = HashMap::new();
        for (id, truth) in world.iter().flat_map(|world| &world.truths) {
            given.insert(self.index[id.as_str()], *truth);
        }
        let mut truths = vec![false; self.nodes.len()];
        for place in order.iter().copied() {
            truths[place] = match given.get(&place) {
                // The oracle evaluates a leaf's check, so no world can state another truth for the leaf.
                Some(stated)
                    if self
                        .checked_truth(place)
                        .is_some_and(|holds| holds != *stated) =>
                {
                    let (id, _) = &self.spec.claims[place];
                    return Err(self.at.path_of_field("worlds").error_at_path(format_args!(
                        "`truths`{in_world} states {stated} for {id:?}, but the claim's `check` makes it \
                         {holds}; remove {id:?} from `truths`",
                        in_world = name.map_or_else(String::new, |name| format!(" of world {name:?}")),
                        holds = !stated,
                    )));
                }
                Some(truth) => *truth,
                None => self.truth(place, &truths, name)?,
            };
        }
        Ok(truths)
    }

    /// Evaluates the check of a claim on the proof; `None` if the claim has no check.
    fn checked_truth(&self, place: usize) -> Option<bool> {
        let (_, reads) = &self.nodes[place];
        let gate = self.spec.claims[place].1.check.as_ref()?;
        let bits = reads.iter().map(|bit| self.spec.proof[*bit as usize].1);
        Some(gate.value_for_outcomes(bits))
    }

    fn truth(
        &self,
        place: usize,
        truths: &[bool],
        world: Option<&str>,
    ) -> Result<bool, ScenarioValueError> {
        let (id, claim) = &self.spec.claims[place];
        let (on, _) = &self.nodes[place];
        let path = || self.at.path_of_field("claims").then_map_entry(id);
        let within = || world.map_or_else(String::new, |name| format!(" in world {name:?}"));
        let mut derived: Option<(usize, bool)> = None;
        for (number, (support, children)) in claim.supports.iter().zip(on).enumerate() {
            if !support.sound {
                continue;
            }
            let holds = support
                .gate
                .value_for_outcomes(children.iter().map(|child| truths[*child]));
            match derived {
                Some((first, other)) if other != holds => {
                    return Err(path()
                        .path_of_field("supports")
                        .then_list_item(number)
                        .error_at_path(format_args!(
                            "this support makes the claim {holds}{}, but support {first} makes it \
                         {other}; mark the unsound one with `sound: false`",
                            within()
                        )));
                }
                _ => derived = Some((number, holds)),
            }
        }
        let checked = self.checked_truth(place);
        let derived = checked.or_else(|| derived.map(|(_, holds)| holds));
        match (derived, claim.truth) {
            (Some(checked_truth), Some(stated_truth))
                if checked.is_some() && checked_truth != stated_truth =>
            {
                Err(path().path_of_field("truth").error_at_path(format_args!(
                    "stated {stated_truth}, but the claim's `check` makes it {checked_truth}; remove `truth`"
                )))
            }
            (Some(holds), Some(stated)) if holds != stated => {
                Err(path().path_of_field("truth").error_at_path(format_args!(
                    "stated {stated}, but the sound supports make it {holds}{}; change `truth`, or \
                     mark the support with `sound: false`",
                    within()
                )))
            }
            (Some(holds), _) => Ok(holds),
            (None, Some(stated)) => Ok(stated),
            (None, None) if on.is_empty() => Err(path().error_at_path(format_args!(
                "a leaf needs a `truth`{in_world}: true or false",
                in_world = within()
            ))),
            (None, None) => Err(path().error_at_path(
                "no support is sound, so the claim must state its own `truth`: true or false",
            )),
        }
    }
}
