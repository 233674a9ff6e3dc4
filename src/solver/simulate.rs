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
pub mod sums;
mod worker;

use std::ops::Range;

use thiserror::Error;

use crate::setup::Setup;
use debate_core::chance::Seed;
use debate_core::player::{BuildError, PlayError, Spec};
use debate_core::protocol::{Protocol, Refused};
pub use report::{MomentsReport, SimulationReport};
pub use shard::{
    Identity, IdentityMismatch, MergedShards, Shard, ShardError, ShardFile, SideNames, merge,
};
pub use sums::{Moments, RoundSum, Sums, wilson, wilson_of_share};

/// The most debates of one simulation.
pub const MAX_DEBATES: u64 = 1_000_000_000_000;

/// Rules and who plays under them.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// The rules.
    pub protocol: Protocol,
    /// Prover, opponent and judge.
    pub players: [Spec; 3],
}

/// A simulation to be run.
#[derive(Debug)]
pub struct Simulation<'s> {
    pub setup: &'s Setup,
    /// The instance, where it is not drawn.
    pub world: Option<usize>,
    /// The seed of all randomness.
    pub seed: &'s Seed,
    /// The rules and players; where there are two they are compared on the same instances and
    /// coins.
    pub sides: &'s [Side],
    /// The numbers of the debates.
    pub debates: Range<u64>,
    /// The number of threads; at least 1.
    pub threads: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SimulationResults {
    /// The numbers of the debates.
    pub debates: Range<u64>,
    /// For each side what its debates sum up to.
    pub sides: Vec<Sums>,
    /// Of two sides: what the first one's prover received more than the second one's.
    pub difference: Option<Moments>,
}

/// Why debates could not be played.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SimulationError {
    /// A player cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The rules do not fit.
    #[error(transparent)]
    Rules(#[from] Refused),
    /// A debate did not come to its end.
    #[error(
        "debate {debate} did not come to its end: {why}; `debate-tui SCENARIO --debate {debate}` \
         with the same seed and players shows where"
    )]
    Play {
        debate: u64,
        /// Why.
        why: PlayError,
    },
    /// A payoff that is out of all proportion.
    #[error("debate {0} paid more than can be summed")]
    TooLarge(u64),
    /// The threads could not be started.
    #[error("the threads cannot be started: {0}")]
    Threads(String),
}

impl SimulationResults {
    fn nothing(simulation: &Simulation<'_>) -> Self {
        Self {
            debates: simulation.debates.start..simulation.debates.start,
            sides: vec![Sums::default(); simulation.sides.len()],
            difference: (simulation.sides.len() == 2).then(Moments::default),
        }
    }

    fn join(&mut self, more: &Self) {
        for (sums, more) in self.sides.iter_mut().zip(&more.sides) {
            sums.add(more);
        }
        if let (Some(sum), Some(more)) = (&mut self.difference, &more.difference) {
            sum.add(more);
        }
    }
}
