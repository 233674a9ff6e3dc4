//! Tests of `debate_solver::closed_form`.

mod prover_estimator;
mod stochastic;
