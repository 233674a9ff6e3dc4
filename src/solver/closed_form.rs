//! Values found without a search of the tree: dynamic programming over the same pure functions as the
//! rules, one module a protocol. Each says for which players its form holds; where they play
//! otherwise, [`expectimax`](crate::expectimax) searches.

pub mod prover_estimator;
pub mod stochastic;
