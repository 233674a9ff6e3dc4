//! Tests of `debate_solver::analysis`.

mod best_response;
mod efg;
mod equilibrium;
mod information;
mod review;
mod solve;
