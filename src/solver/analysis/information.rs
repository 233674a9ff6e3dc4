//! Games of imperfect information: what a seat sees, and the best that somebody can do who knows no
//! more than that.
//!
//! Two histories are in one information set of a seat if it knows the same of the instance and has
//! seen the same ([`debate_core::observe`]). `best_reply` finds the best strategy of one seat against players
//! who are known, by going through its information sets; the weights of the histories in a set are
//! carried along as they are, so that sums go back up exactly. `tree` is the game of both debaters,
//! made as it is walked; `sequence_form` writes it down for what is best on both sides.

mod best_reply;
mod history;
mod proof_steps;
pub(super) mod sequence_form;
mod tree;
mod watch;

pub(super) use best_reply::BestReply;
pub(super) use history::{Case, History};
pub use proof_steps::ProofStep;
pub use tree::GameStart;
pub(super) use tree::{Action, GameMove, GameNode, GameTree, Side};

#[cfg(test)]
mod tests;
