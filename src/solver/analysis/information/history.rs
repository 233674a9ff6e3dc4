//! Histories that a seat cannot tell apart.

use std::collections::HashMap;

use super::proof_steps::ProofTrace;
use crate::expectation::Gain;
use crate::game::{Actor, Node, StateKey};
use debate_core::number::Number;
use debate_core::protocol::{Seat, State};
use debate_core::scenario::Instance;

/// One instance that the seat may be in.
#[derive(Clone)]
pub(crate) struct Case<'p, 'a, N: Number> {
    pub(crate) instance: &'a Instance,
    /// The debate before anybody has spoken.
    pub(crate) start: State<'a, N>,
    /// Prover, opponent and judge; in the seat, as in any search, a strategy or whoever chooses.
    pub(crate) players: [Actor<'p, 'a, N>; 3],
}

impl<N: Number> Case<'_, '_, N> {
    /// True if whoever sits in a seat chooses among all replies.
    pub(super) fn chooses(&self, seat: Seat) -> bool {
        matches!(self.players.get(seat.index()), Some(Actor::BestResponse))
    }
}

/// A debate about one of the instances as it stands, hidden parts and all.
#[derive(Clone)]
pub(crate) struct History<'a, N> {
    /// The place of its case.
    pub(crate) case: usize,
    /// The probability of all that did not hang on the seat itself, up to a factor that all
    /// histories share.
    pub(crate) weight: N,
    /// The debate, before the seat's observer.
    pub(crate) at: Node<'a, N, 1>,
    /// Followed where rewards are split by the steps of a proof.
    pub(super) trace: ProofTrace,
}

/// A way on from a history of a set.
pub(super) struct Branch<'a, N: Number> {
    /// The history's place in the set.
    pub(super) parent: usize,
    /// The probability of the way, the history given.
    pub(super) chance: N,
    pub(super) gains: [Gain<N>; 2],
    pub(super) next: History<'a, N>,
    /// What the seat sees of it.
    pub(super) seen: Vec<u64>,
}

/// The key of a set where its histories are at points where histories meet, and for each
/// history its place among those that are different.
pub(super) fn key_of<N: Number>(
    set: &[History<'_, N>],
    queries: u32,
) -> Option<(StateKey, Vec<usize>)> {
    let mut kinds: Vec<(Vec<u64>, N)> = Vec::new();
    let mut places = HashMap::new();
    let mut classes = Vec::with_capacity(set.len());
    let mut total = N::zero();
    for history in set {
        let state = history.at.state_key()?;
        let [observer] = &history.at.observers;
        let mut own = vec![
            history.case as u64,
            history.trace.key(),
            observer.sealed().len() as u64,
        ];
        own.extend(observer.sealed().flatten());
        own.extend(&*state);
        let next = kinds.len();
        let place = *places.entry(own.clone()).or_insert(next);
        if place == next {
            kinds.push((own, N::zero()));
        }
        kinds[place].1 += history.weight.clone();
        total += history.weight.clone();
        classes.push(place);
    }
    if total.is_zero() {
        return None;
    }
    let mut key = vec![u64::from(queries)];
    for (own, weight) in kinds {
        key.push(own.len() as u64);
        key.extend(own);
        (weight / total.clone()).add_to_key(&mut key);
    }
    Some((key.into(), classes))
}

/// One history for those that are alike, with the sum of their weights.
pub(super) fn merged<'a, N: Number>(
    set: &[History<'a, N>],
    classes: &[usize],
) -> Vec<History<'a, N>> {
    let mut merged: Vec<History<'a, N>> = Vec::new();
    for (history, class) in set.iter().zip(classes) {
        match merged.get_mut(*class) {
            Some(one) => one.weight += history.weight.clone(),
            None => merged.push(history.clone()),
        }
    }
    merged
}

/// The branches that the seat cannot tell apart, together; in the order in which each is met first.
pub(super) fn distinguished<N: Number>(branches: Vec<Branch<'_, N>>) -> Vec<Vec<Branch<'_, N>>> {
    let mut places: HashMap<Vec<u64>, usize> = HashMap::new();
    let mut sets: Vec<Vec<Branch<'_, N>>> = Vec::new();
    for branch in branches {
        let next = sets.len();
        let place = *places.entry(branch.seen.clone()).or_insert(next);
        match sets.get_mut(place) {
            Some(set) => set.push(branch),
            None => sets.push(vec![branch]),
        }
    }
    sets
}
