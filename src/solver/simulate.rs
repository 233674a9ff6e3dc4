//! Many debates of named players over μ and coins, on all cores.
//!
//! Debate number n takes its instance from [`Setup::draw`] and its randomness from
//! [`Seeded`](debate_core::player::Seeded), whoever plays it and wherever: any split over threads or
//! shards sums up to the same integers, and debate n can be played again on the screen. An
//! instance's debates are laid out once as a graph of draws, in rationals; where that
//! would be too large they are played one by one in floating point. Which of the two depends on
//! the scenario and its players alone.

mod fixed;
mod graph;
mod instance_runner;
mod report;
mod shard;
mod sums;
mod threads;
mod worker;

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use num_bigint::BigInt;
use thiserror::Error;

pub use report::SimulationReport;
pub use shard::{
    Identity, IdentityMismatch, MergedShards, Shard, ShardError, ShardFile, SideNames, merge,
};
pub use sums::{Moments, RoundSum, Sums, wilson};

use crate::setup::Setup;
use debate_core::budget::Budget;
use debate_core::chance::Seed;
use debate_core::number::Exact;
use debate_core::player::{BuildError, PlayError, Registry, Spec};
use debate_core::protocol::{Protocol, Refused};
use debate_core::scenario::Instance;
use instance_runner::InstanceRunner;

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

/// The instances of μ, each made when it is first drawn.
type Instances = Vec<OnceLock<Instance>>;

fn no_instances(setup: &Setup) -> Instances {
    let worlds = setup.decomposition.worlds().iter();
    worlds.map(|_| OnceLock::new()).collect()
}

/// The state that all threads share.
struct SimulationContext<'s, 'a> {
    simulation: &'s Simulation<'s>,
    instances: &'a Instances,
    /// For each side and each world.
    runners: Vec<Vec<OnceLock<Result<InstanceRunner<'a>, SimulationError>>>>,
    floats: Registry<f64>,
    exacts: Registry<Exact>,
    /// Counts debates that were played. Its limit is not looked at: how many there are is known.
    budget: Budget<'s>,
    /// True if a debate failed, after which no more are begun.
    failed: AtomicBool,
}

impl<'s, 'a> SimulationContext<'s, 'a> {
    fn new(
        simulation: &'s Simulation<'s>,
        instances: &'a Instances,
        (floats, exacts): (&Registry<f64>, &Registry<Exact>),
        budget: Budget<'s>,
    ) -> Self {
        let empty = |_| instances.iter().map(|_| OnceLock::new()).collect();
        Self {
            simulation,
            instances,
            runners: (0..simulation.sides.len()).map(empty).collect(),
            floats: floats.clone(),
            exacts: exacts.clone(),
            budget,
            failed: AtomicBool::new(false),
        }
    }

    fn runner(&self, side: usize, world: usize) -> Result<&InstanceRunner<'a>, SimulationError> {
        let build = || {
            let make = || self.simulation.setup.instance(world);
            let instance = self.instances[world].get_or_init(make);
            InstanceRunner::new(self, &self.simulation.sides[side], instance)
        };
        let runner = self.runners[side][world].get_or_init(build);
        runner.as_ref().map_err(Clone::clone)
    }
}

impl Simulation<'_> {
    /// Plays the debates, all of them or as far as they got when they were stopped: those from
    /// the first on.
    ///
    /// # Errors
    /// If a player cannot be built or has no reply.
    pub fn run(
        &self,
        floats: &Registry<f64>,
        exacts: &Registry<Exact>,
        budget: Budget<'_>,
    ) -> Result<SimulationResults, SimulationError> {
        let instances = no_instances(self.setup);
        let context = SimulationContext::new(self, &instances, (floats, exacts), budget);
        threads::play(&context)
    }
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

/// Sums of a chunk's payoffs, which fit 128 bits.
#[derive(Clone, Copy, Debug, Default)]
struct ChunkMoments {
    sum: i128,
    squares: i128,
}

impl ChunkMoments {
    #[inline]
    fn note(&mut self, value: i128) {
        self.sum += value;
        self.squares += fixed::square(value);
    }

    fn add_to(self, moments: &mut Moments) {
        moments.sum += BigInt::from(self.sum);
        moments.squares += BigInt::from(self.squares);
    }
}

#[cfg(test)]
mod tests;
