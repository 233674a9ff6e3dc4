//! The transposition table: what is expected at points where histories meet.

use std::collections::HashMap;
use std::sync::Arc;

use crate::expectation::{Expected, Unsolved};
use debate_core::budget::Budget;
use debate_core::number::Number;

/// The state that the rest of a debate depends on.
pub(crate) type StateKey = Box<[u64]>;

/// A search that may play so many replies may store one point, each of which takes up to some
/// 2 kB; and so many points in any case.
const REPLIES_A_POINT: u64 = 200;
const MIN_POINTS: u64 = 200_000;

/// Expectations at points where histories meet.
#[derive(Debug)]
pub(crate) struct TranspositionTable<N: Number>(HashMap<StateKey, Arc<Expected<N>>>);

impl<N: Number> Default for TranspositionTable<N> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<N: Number> TranspositionTable<N> {
    pub(super) fn get(&self, key: &StateKey) -> Option<&Expected<N>> {
        self.0.get(key).map(AsRef::as_ref)
    }

    /// Stores what is expected at a point, where the budget leaves room.
    pub(super) fn store(
        &mut self,
        key: StateKey,
        expected: &Expected<N>,
        budget: &Budget<'_>,
    ) -> Result<(), Unsolved> {
        let room = (budget.steps / REPLIES_A_POINT).max(MIN_POINTS);
        if self.0.len() as u64 >= room {
            return Err(budget.exceeded("replies' worth of memory").into());
        }
        self.0.insert(key, Arc::new(expected.clone()));
        Ok(())
    }
}
