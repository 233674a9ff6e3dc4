//! Groups instances in which the remaining debate is the same, so that one of them is searched for all.
//!
//! From a claim on, a debate depends on the claims below it, on the judge's answers there, and on what the players
//! know. If a player knows only a posterior, many instances differ only outside the current claim.

use std::collections::HashMap;

use super::{PossibleHistoryInSearch, PossibleInstanceInSearch};
use debate_core::gate::Gate;
use debate_core::number::{Exact, Number};
use debate_core::protocol::{Rules as _, Seat};
use debate_core::scenario::{ClaimId, ClaimKey, InformedReader, Instance};

/// Maximum total number of claims of the instances that are compared.
const MAX_CLAIMS: usize = 1 << 18;
/// Maximum depth of the decompositions that are compared.
const MAX_DEPTH: u32 = 100;

/// For each possible instance, its class: instances of the same class have the same remaining debate.
#[derive(Default)]
pub(super) struct InstanceClassesByRemainingDebate {
    /// The features of each possible instance, by its index in the search; `None` if the instance cannot be compared.
    cases: Vec<Option<CaseClass>>,
}

/// The features of an instance that can influence the rest of the debate. Equal features allow one search for several
/// instances.
struct CaseClass {
    /// A number for everything outside the claim tree: what the players know, and the numbers of the claims. It is
    /// equal in two instances if these facts are equal.
    outside: u64,
    /// For each claim by number, a number for the claim with all claims below it. Equal subtrees have equal numbers.
    claims: Vec<u64>,
}

/// A claim with all claims below it.
#[derive(PartialEq, Eq, Hash)]
struct Subtree {
    claim: usize,
    /// For each support: its gate, true if the support is sound, and a number for the subtree of each subclaim. Equal
    /// subtrees have equal numbers.
    supports: Vec<(Gate, bool, Vec<u64>)>,
    /// The probability that the oracle answers yes at a leaf; `None` for other claims.
    oracle: Option<Exact>,
}

/// Returns the number of a value: equal values have the same number, and a new value gets the next one.
fn number_of<K: std::hash::Hash + Eq>(known: &mut HashMap<K, u64>, key: K) -> u64 {
    let next = known.len() as u64;
    *known.entry(key).or_insert(next)
}

impl InstanceClassesByRemainingDebate {
    /// Computes the classes of all instances that the searching seat considers possible.
    pub(super) fn new<N: Number>(
        seat: Seat,
        cases: &[PossibleInstanceInSearch<'_, '_, N>],
    ) -> Self {
        let claims = cases.iter().map(|case| case.instance.size().claims.clone());
        if claims.sum::<num_bigint::BigUint>() > MAX_CLAIMS.into() {
            return Self::default();
        }
        let mut outsides = HashMap::new();
        let mut subtrees = HashMap::new();
        let class = |case: &PossibleInstanceInSearch<'_, '_, N>| {
            let instance = case.instance;
            let mut known = vec![u64::from(instance.size().depth)];
            for player in Seat::PLAYERS {
                let Some(strategy) = case
                    .players
                    .get(player.seat_index())?
                    .strategy_unless_best_response()
                else {
                    if player == seat {
                        continue;
                    }
                    return None;
                };
                match strategy.oracle_error_probability() {
                    Some(flip) => flip.add_to_key(&mut known),
                    None => known.extend(strategy.knowledge_key()?),
                }
            }
            let claims = classes_of_claims(instance, &mut subtrees)?;
            let keys = (0_u32..).map_while(|number| instance.claim_with_id_number(number));
            let keys: Vec<ClaimKey> = keys.map(|claim| instance.key(claim).clone()).collect();
            let outside = number_of(&mut outsides, (known, keys));
            Some(CaseClass { outside, claims })
        };
        Self {
            cases: cases.iter().map(class).collect(),
        }
    }

    /// Returns a key of everything outside a history's state that can affect the remaining debate.
    pub(super) fn key<N: Number>(
        &self,
        history: &PossibleHistoryInSearch<'_, N>,
        instance: &Instance,
    ) -> [u64; 2] {
        self.class(history, instance)
            .unwrap_or([0, history.case as u64])
    }

    fn class<N: Number>(
        &self,
        history: &PossibleHistoryInSearch<'_, N>,
        instance: &Instance,
    ) -> Option<[u64; 2]> {
        let class = self.cases.get(history.case)?.as_ref()?;
        let claim = history.at.state.request()?.request.claim_of_request()?;
        // New claims, such as steps that are disputed, were not compared.
        let count = u32::try_from(class.claims.len()).ok()?;
        if instance.claim_with_id_number(count).is_some() {
            return None;
        }
        let below = class.claims.get(claim.claim_number() as usize)?;
        Some([1 + class.outside, *below])
    }
}

/// Returns the class of each claim, by claim number. `None` if a debate about the instance depends on more than the
/// claims, or if the claim tree is too deep.
fn classes_of_claims(
    instance: &Instance,
    subtrees: &mut HashMap<Subtree, u64>,
) -> Option<Vec<u64>> {
    if instance.prover_writing_limits().is_some() || instance.size().depth > MAX_DEPTH {
        return None;
    }
    let count = instance.claim_and_descendants(instance.root()).count();
    // Other numbers belong to claims outside the tree.
    if u32::try_from(count).is_ok_and(|count| instance.claim_with_id_number(count).is_some()) {
        return None;
    }
    let mut classes = vec![None; count];
    class_of(instance, instance.root(), &mut classes, subtrees)?;
    classes.into_iter().collect()
}

/// Returns the number of a claim's subtree; equal subtrees have equal numbers. `None` if the subtree cannot be
/// compared. Also stores the numbers of this subtree and of those below it.
fn class_of(
    instance: &Instance,
    claim: ClaimId,
    classes: &mut Vec<Option<u64>>,
    subtrees: &mut HashMap<Subtree, u64>,
) -> Option<u64> {
    let place = claim.claim_number() as usize;
    if let Some(known) = classes.get(place)? {
        return Some(*known);
    }
    if !instance.proof_bits_read_by_leaf(claim).is_empty() {
        return None;
    }
    let informed = InformedReader::new(instance);
    let mut supports = Vec::new();
    for support in instance.supports(claim) {
        let mut on = Vec::new();
        for below in &support.on {
            on.push(class_of(instance, *below, classes, subtrees)?);
        }
        supports.push((support.gate.clone(), informed.is_sound(support), on));
    }
    let oracle = if supports.is_empty() {
        Some(instance.oracle_yes_probability(claim, &[])?.exact().clone())
    } else {
        None
    };
    let subtree = Subtree {
        claim: place,
        supports,
        oracle,
    };
    let class = number_of(subtrees, subtree);
    *classes.get_mut(place)? = Some(class);
    Some(class)
}
