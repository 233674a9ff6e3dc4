//! The game tree of a debate: the player to move at each node, the possible replies with their probabilities, and what
//! each seat observes.
//!
//! The searches of `expectimax` and `analysis` fold over this tree. A [`DebateAndStrategyStates`] creates its children one
//! reply at a time. Histories meet if nodes have the same [`DebateAndStrategyStates::state_key`]. A [`LazyGameTree`] is the
//! game of both debaters over several instances, with numbered information sets.

mod endgame;
mod node;
mod normal_form;
mod tree;

pub(crate) use node::DebateAndStrategyStates;
pub use node::SeatDecisionMaker;
pub(crate) use node::{CandidateReplies, action_name_of_reply, sample_key};
pub use node::{every_reply, outcomes};
pub(crate) use normal_form::{dominant_replies, normal_form};
pub use tree::GameInstance;
pub(crate) use tree::{
    GameMove, GameNode, GameTreeDebaterAction, LazyGameTree, MoveOrSubgame, Side, distinct_leaves,
    leaf_truth,
};

/// A key for a state of the debate: equal keys mean that the remaining debate is the same.
pub(crate) type StateKey = Box<[u64]>;
