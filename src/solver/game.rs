//! The one game tree of a debate: who is asked at a node, what may be replied there, how likely chance and known
//! players reply so, and what those who choose have seen on the way.
//!
//! Whoever computes what a debate is worth folds over it. A [`Node`] makes its children one reply
//! at a time; histories meet where nodes have the same [`Node::state_key`]. A [`GameTree`] is the game of
//! both debaters over several instances, with information sets by number.

mod endgame;
mod node;
mod normal_form;
mod tree;

pub use node::Actor;
pub(crate) use node::Node;
pub(crate) use node::{Replies, reply_label, sample_key};
pub use node::{every_reply, outcomes};
pub(crate) use normal_form::normal_form;
pub use tree::GameStart;
pub(crate) use tree::{Action, GameMove, GameNode, GameTree, Side, leaves_of, truth_of};

/// The state that the rest of a debate depends on.
pub(crate) type StateKey = Box<[u64]>;
