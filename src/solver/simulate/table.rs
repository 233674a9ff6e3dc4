//! The tables of a simulation: where an instance is debated, its rules, its players, and the graph of their debates
//! where it is not too large.

use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use super::graph::{Graph, GraphBuilder};
use super::simulation::{Side, Simulation, SimulationError};
use crate::setup::Setup;
use debate_core::budget::Budget;
use debate_core::number::{Exact, Number};
use debate_core::player::{Built, Registry};
use debate_core::protocol::{Round, Rules as _, Seat, State};
use debate_core::scenario::Instance;

/// The instances of μ, each made when it is first drawn.
pub(super) type Instances = Vec<OnceLock<Instance>>;

pub(super) fn no_instances(setup: &Setup) -> Instances {
    let worlds = setup.decomposition.worlds().iter();
    worlds.map(|_| OnceLock::new()).collect()
}

/// The state that all threads share.
pub(super) struct SimulationContext<'s, 'a> {
    pub(super) simulation: &'s Simulation<'s>,
    pub(super) instances: &'a Instances,
    /// For each side and each world.
    runners: Vec<Vec<OnceLock<Result<InstanceRunner<'a>, SimulationError>>>>,
    floats: Registry<f64>,
    exacts: Registry<Exact>,
    /// Counts debates that were played. Its limit is not looked at: how many there are is known.
    pub(super) budget: Budget<'s>,
    /// True if a debate failed, after which no more are begun.
    pub(super) failed: AtomicBool,
}

impl<'s, 'a> SimulationContext<'s, 'a> {
    pub(super) fn new(
        simulation: &'s Simulation<'s>,
        instances: &'a Instances,
        floats: &Registry<f64>,
        exacts: &Registry<Exact>,
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

    pub(super) fn runner(
        &self,
        side: usize,
        world: usize,
    ) -> Result<&InstanceRunner<'a>, SimulationError> {
        let build = || {
            let make = || self.simulation.setup.instance(world);
            let instance = self.instances[world].get_or_init(make);
            InstanceRunner::new(self, &self.simulation.sides[side], instance)
        };
        let runner = self.runners[side][world].get_or_init(build);
        runner.as_ref().map_err(Clone::clone)
    }
}

/// The most replies that are worked out for the graphs of one side, over all instances.
const REPLIES: u64 = 1 << 21;
/// The most replies that are worked out for a graph.
const REPLIES_EACH: u64 = 100_000;

/// The way to play debates about an instance.
pub(super) enum PlayMethod<'a> {
    /// By looking up what lies between draws.
    Graph(Graph),
    /// One by one.
    Plain {
        /// The debate before anybody has spoken.
        start: Box<State<'a, f64>>,
        players: [Built<'a, f64>; 3],
    },
}

/// A table.
pub(super) struct InstanceRunner<'a> {
    pub(super) method: PlayMethod<'a>,
    /// The most coins that a debate can ask for.
    pub(super) coins: u64,
    /// The rounds with their weights.
    pub(super) schedule: Vec<(Round, f64)>,
    /// The root claim's truth, where it can be decided.
    pub(super) truth: Option<bool>,
}

impl<'a> InstanceRunner<'a> {
    pub(super) fn new(
        context: &SimulationContext<'_, 'a>,
        side: &Side,
        instance: &'a Instance,
    ) -> Result<Self, SimulationError> {
        let start = side.protocol.start::<f64>(instance)?;
        let truth = instance.truth(instance.root());
        let (coins, schedule) = (start.coins(), start.schedule());
        let method = match graph(context, side, instance)? {
            Some(graph) => PlayMethod::Graph(graph),
            None => PlayMethod::Plain {
                start: Box::new(start),
                players: players(&context.floats, side, instance)?,
            },
        };
        Ok(Self {
            method,
            coins,
            schedule,
            truth,
        })
    }
}

fn players<'a, N: Number>(
    registry: &Registry<N>,
    side: &Side,
    instance: &'a Instance,
) -> Result<[Built<'a, N>; 3], SimulationError> {
    let build = |seat: Seat| {
        let spec = &side.players[seat.index()];
        registry.build(spec, seat, instance, &side.protocol)
    };
    Ok([
        build(Seat::Prover)?,
        build(Seat::Opponent)?,
        build(Seat::Judge)?,
    ])
}

fn graph<'a>(
    context: &SimulationContext<'_, 'a>,
    side: &Side,
    instance: &'a Instance,
) -> Result<Option<Graph>, SimulationError> {
    let players = players(&context.exacts, side, instance)?;
    let worlds = context.runners.first().map_or(1, Vec::len) as u64;
    let builder = GraphBuilder {
        players: players.each_ref().map(|player| &**player),
        truth: instance.truth(instance.root()),
        // Whoever is stopped meanwhile lays it out to its end: how debates are played must not
        // depend on when that was.
        replies: (REPLIES / worlds.max(1)).min(REPLIES_EACH),
    };
    Ok(builder.build(side.protocol.start(instance)?).ok())
}
