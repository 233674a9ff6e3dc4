//! Values that are computed without a search of the game tree, by dynamic programming with the pure functions of the
//! rules. Each protocol has a module, which states the players for which its formulas are valid. For all other players,
//! [`expectimax`](crate::expectimax) searches the tree.

pub mod prover_estimator;
pub mod stochastic;
