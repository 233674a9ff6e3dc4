//! The game tree of a debate: the seat to move at a node, the available replies, their probabilities for
//! chance and known players, and the observations of choosing seats.
//!
//! Every computation of a debate's value folds over it. A [`Node`] creates its children one reply at a time.
//! Histories meet if nodes have the same [`Node::state_key`]. A [`GameTree`] is the game of both debaters
//! over several instances, with numbered information sets.

mod endgame;
mod node;
mod normal_form;
mod tree;

pub use node::Actor;
pub(crate) use node::Node;
pub(crate) use node::{AvailableReplies, reply_label, sample_key};
pub use node::{every_reply, outcomes};
pub(crate) use normal_form::{dominant_replies, normal_form};
pub use tree::GameStart;
pub(crate) use tree::{
    Action, GameEvent, GameMove, GameNode, GameTree, Side, distinct_leaves, leaf_truth,
};

/// The key of a state: the rest of the debate depends on nothing else.
pub(crate) type StateKey = Box<[u64]>;
