//! Many debates of named players over μ and coins, on all cores.
//!
//! Debate number n takes its instance from [`Setup::draw`](crate::setup::Setup::draw) and its
//! randomness from [`Seeded`](debate_core::player::Seeded), whoever plays it and wherever: any split over threads or
//! shards sums up to the same integers, and debate n can be played again on the screen. An
//! instance's debates are laid out once as a graph of draws, in rationals; where that
//! would be too large they are played one by one in floating point. Which of the two depends on
//! the scenario and its players alone.

mod graph;
mod report;
mod shard;
mod simulation;
mod sums;
mod table;
mod worker;

pub use report::SimulationReport;
pub use shard::{
    Identity, IdentityMismatch, MergedShards, Shard, ShardError, ShardFile, SideNames, merge,
};
pub use simulation::{MAX_DEBATES, Side, Simulation, SimulationError, SimulationResults};
pub use sums::{Moments, RoundSum, Sums, wilson};

#[cfg(test)]
mod tests;
