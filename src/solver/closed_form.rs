//! Values that are computed without a search of the game tree: dynamic programming over the same pure
//! functions as the rules, one module per protocol. Each module states the players for which its form is
//! valid. For all other players, [`expectimax`](crate::expectimax) searches the tree.

pub mod prover_estimator;
pub mod stochastic;
