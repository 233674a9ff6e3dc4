//! Values that are found without a search of the game tree: dynamic programming over the same pure functions as the
//! rules, one module a protocol. Each module says for which players its form holds. For all other players
//! [`expectimax`](crate::expectimax) searches the tree.

pub mod prover_estimator;
pub mod stochastic;
