//! Simulation: plays many debates between built-in players, with random instances and coins, on all processor cores.
//!
//! Debate number n takes its instance from
//! [`LoadedScenario::world_of_debate`](crate::setup::LoadedScenario::world_of_debate) and its randomness from
//! [`SeededRandomness`](debate_core::player::SeededRandomness), independently of the thread and the machine. Any split
//! over threads or shards gives the same integer sums, and debate n can be replayed on the screen. An instance's
//! debates are built once as a graph of draws, in rationals. If no graph can be built, for example because it would be
//! too large, the debates are played move by move in floating point. This choice depends only on the scenario, the
//! rules and the players.

mod graph;
mod report;
mod shard;
pub mod sums;
mod worker;

use std::ops::Range;

use thiserror::Error;

use crate::setup::LoadedScenario;
use debate_core::chance::Seed;
use debate_core::player::{BuiltinDebateUnfinishedError, PlayerSpec, StrategyBuildError};
use debate_core::protocol::{Protocol, ProtocolError};
pub use report::{MeanAndErrorReport, SimulationReport};
pub use shard::{
    MergedShards, RulesAndPlayerNames, ShardError, SimulationIdentity, SimulationSettingMismatch,
    SimulationShard, SimulationShardFile, merge_shards,
};
pub use sums::{
    RoundRewardSum, SimulationSums, SumAndSumOfSquares, wilson_interval,
    wilson_interval_of_proportion,
};

/// Maximum number of debates in one simulation.
pub const MAX_DEBATES: u64 = 1_000_000_000_000;

/// One side of a simulation: rules, with the players that play under them. A simulation has one side, or two that it
/// compares.
#[derive(Clone, Debug, PartialEq)]
pub struct RulesAndPlayers {
    /// The rules.
    pub protocol: Protocol,
    /// Prover, opponent and judge.
    pub players: [PlayerSpec; 3],
}

/// A simulation to be run.
#[derive(Debug)]
pub struct PlannedSimulation<'s> {
    pub setup: &'s LoadedScenario,
    /// The index of the instance. `None` for the instance that the scenario file names; if it names none, each debate
    /// draws its instance.
    pub world: Option<usize>,
    /// The seed of all randomness.
    pub seed: &'s Seed,
    /// The rules and players to simulate. Two sides are compared on the same instances and coins.
    pub sides: &'s [RulesAndPlayers],
    /// The numbers of the debates.
    pub debates: Range<u64>,
    /// The number of threads that play debates; at least 1.
    pub threads: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SimulationResults {
    /// The numbers of the debates.
    pub debates: Range<u64>,
    /// For each side of the simulation, the sums over its debates.
    pub sides: Vec<SimulationSums>,
    /// If two sides are compared: the payoff of the first side's prover minus that of the second side's prover.
    pub difference: Option<SumAndSumOfSquares>,
}

/// The reason why the debates of a simulation could not be played.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SimulationError {
    /// A player cannot be built.
    #[error(transparent)]
    Build(#[from] StrategyBuildError),
    /// The rules cannot debate this instance.
    #[error(transparent)]
    Rules(#[from] ProtocolError),
    /// A debate did not finish.
    #[error(
        "debate {debate} did not finish: {why}; `debate-tui SCENARIO --debate {debate}` with the \
         same seed and players shows where it stops"
    )]
    Play {
        debate: u64,
        /// The reason.
        why: BuiltinDebateUnfinishedError,
    },
    /// A reward in the debate with this number is too large for the exact sums.
    #[error("a reward in debate {number} is too large to be added to the exact sums", number = .0)]
    TooLarge(u64),
    /// The threads could not be started; the text gives the reason.
    #[error("the simulation's threads cannot be started: {cause}", cause = .0)]
    Threads(String),
}

impl SimulationResults {
    fn nothing(simulation: &PlannedSimulation<'_>) -> Self {
        Self {
            debates: simulation.debates.start..simulation.debates.start,
            sides: vec![SimulationSums::default(); simulation.sides.len()],
            difference: (simulation.sides.len() == 2).then(SumAndSumOfSquares::default),
        }
    }

    fn merge(&mut self, more: &Self) {
        for (sums, more) in self.sides.iter_mut().zip(&more.sides) {
            sums.add(more);
        }
        if let (Some(sum), Some(more)) = (&mut self.difference, &more.difference) {
            sum.add(more);
        }
    }
}
