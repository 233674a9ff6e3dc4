//! The threads of a simulation. Each thread repeatedly takes a chunk of debates, plays them and adds up their results.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use num_bigint::BigInt;

use super::graph::{CoinOrPlayerDraw, SimulationGraphBuilder, SimulationTransitionGraph};
use super::sums::{SimulationSums, SumAndSumOfSquares, ToFixedPoint as _, fixed_point_square};
use super::{PlannedSimulation, RulesAndPlayers, SimulationError, SimulationResults};
use crate::expectation::{ReplyRewardSink, expenses_by_kind};
use crate::setup::LoadedScenario;
use debate_core::budget::ComputationBudget;
use debate_core::chance::{
    BulkDebateCoins, RandomStream, RandomStreamPurpose, Seed, random_u32_words_per_debate,
};
use debate_core::number::{Exact, Number};
use debate_core::player::{
    PayoffAndSpending, PlayableStrategy, SeededRandomness, StrategyRegistry, play_between,
};
use debate_core::protocol::{Round, Rules as _, Seat, State};
use debate_core::scenario::Instance;

impl PlannedSimulation<'_> {
    /// Plays the debates of a simulation: all of them, or only the first ones if the user stops the run.
    ///
    /// # Errors
    /// Returns an error if a player cannot be built or has no reply, or the rules cannot debate an instance. Also if a
    /// reward is too large for the exact sums, or the threads cannot be started.
    pub fn run(
        &self,
        floats: &StrategyRegistry<f64>,
        exacts: &StrategyRegistry<Exact>,
        budget: ComputationBudget<'_>,
    ) -> Result<SimulationResults, SimulationError> {
        let instances = uncreated_instances(self.setup);
        let context = SimulationContext::new(self, &instances, floats, exacts, budget);
        let next = AtomicU64::new(self.debates.start);
        let work = || {
            let mut worker = SimulationWorker::new(&context);
            context.play(&mut worker, &next).map(|()| worker.finish())
        };
        // With one thread, the caller's thread plays.
        let each = if self.threads == 1 {
            vec![work()]
        } else {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(self.threads)
                .build()
                .map_err(|error| SimulationError::Threads(error.to_string()))?;
            pool.broadcast(|_| work())
        };
        let mut total = SimulationResults::nothing(self);
        for played in each {
            total.merge(&played?);
        }
        total.debates.end = next.into_inner().min(self.debates.end);
        Ok(total)
    }
}

/// The number of debates in a chunk, which one thread takes at a time.
pub(super) const CHUNK: u64 = 256;

impl SimulationContext<'_, '_> {
    /// Plays chunks of debates until none is left, the user stops the run, or a debate fails. A chunk that was begun is
    /// completed after a stop, so that no debate is skipped. Debates without a graph are slow, so they are taken one by
    /// one.
    fn play(
        &self,
        worker: &mut SimulationWorker<'_, '_, '_>,
        next: &AtomicU64,
    ) -> Result<(), SimulationError> {
        let end = self.simulation.debates.end;
        let stopped =
            || self.failed.load(Ordering::Relaxed) || self.budget.check_not_cancelled().is_err();
        loop {
            if stopped() {
                return Ok(());
            }
            let size = if worker.plain { 1 } else { CHUNK };
            let take = |first: u64| (first < end).then(|| first.saturating_add(size).min(end));
            let Ok(first) = next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) else {
                return Ok(());
            };
            let chunk = first..first.saturating_add(size).min(end);
            let count = chunk.end - chunk.start;
            worker.play_debates(chunk).inspect_err(|_| {
                self.failed.store(true, Ordering::Relaxed);
            })?;
            self.budget.add_to_progress(count);
        }
    }
}

/// Maximum number of coins per debate for which a whole chunk's coins are computed in one step.
const MAX_COINS_COMPUTED_IN_ONE_STEP: usize = 256;

/// The work of one thread.
pub(super) struct SimulationWorker<'h, 's, 'a> {
    context: &'h SimulationContext<'s, 'a>,
    instances: RandomStream,
    private: [RandomStream; 3],
    /// The coins of the chunk's debates, by the number of buffer entries per debate.
    coins: HashMap<u64, Coins>,
    /// For each debate of the chunk, the index of its instance.
    worlds: Vec<usize>,
    /// For each side, the prover's payoffs in the chunk's debates.
    payoffs: Vec<Vec<i128>>,
    /// For each side and instance, the number of times that each edge of the graph was taken.
    counts: HashMap<(usize, usize), Vec<u64>>,
    /// True if some debates had to be played move by move, without a graph.
    pub(super) plain: bool,
    found: SimulationResults,
}

/// The random numbers for the coins of a chunk of debates.
struct Coins {
    first: u64,
    each: usize,
    buffer: Vec<u64>,
}

impl<'h, 's, 'a> SimulationWorker<'h, 's, 'a> {
    pub(super) fn new(context: &'h SimulationContext<'s, 'a>) -> Self {
        let seed = context.simulation.seed;
        let private = |stream| RandomStream::for_player_in_debate(seed, stream, 0);
        Self {
            context,
            instances: private(RandomStreamPurpose::Instance),
            private: [
                RandomStreamPurpose::Prover,
                RandomStreamPurpose::Opponent,
                RandomStreamPurpose::Judge,
            ]
            .map(private),
            coins: HashMap::new(),
            worlds: Vec::new(),
            payoffs: vec![Vec::new(); context.simulation.sides.len()],
            counts: HashMap::new(),
            plain: false,
            found: SimulationResults::nothing(context.simulation),
        }
    }

    /// Plays the debates with the numbers in `debate_numbers`.
    pub(super) fn play_debates(
        &mut self,
        debate_numbers: Range<u64>,
    ) -> Result<(), SimulationError> {
        self.draw_worlds(&debate_numbers);
        for side in 0..self.payoffs.len() {
            self.payoffs[side].clear();
            let mut from = 0;
            while let Some(world) = self.worlds.get(from).copied() {
                let alike = self.worlds[from..].iter().take_while(|w| **w == world);
                let to = from + alike.count();
                let debates = debate_numbers.start + from as u64..debate_numbers.start + to as u64;
                self.play_in(side, world, debates, debate_numbers.start)?;
                from = to;
            }
            self.sum_up(side);
        }
        self.compare();
        Ok(())
    }

    fn draw_worlds(&mut self, chunk: &Range<u64>) {
        self.worlds.clear();
        let setup = self.context.simulation.setup;
        let fixed = self.context.simulation.world.or(setup.requested_world);
        let count = usize::try_from(chunk.end - chunk.start).unwrap_or(0);
        if let Some(world) = fixed.or_else(|| (self.context.instances.len() == 1).then_some(0)) {
            self.worlds.resize(count, world);
            return;
        }
        for debate in chunk.clone() {
            self.instances.seek_debate(debate);
            self.worlds.push(
                setup.world_index_for_random_number(self.instances.random_53_bit_number_at(0)),
            );
        }
    }

    /// Plays debates about one instance.
    fn play_in(
        &mut self,
        side: usize,
        world: usize,
        debates: Range<u64>,
        chunk: u64,
    ) -> Result<(), SimulationError> {
        let runner = self.context.runner(side, world)?;
        let SimulatedPlayMethod::Graph(graph) = &runner.method else {
            return self.play_plainly(side, world, runner, debates);
        };
        let sums = &mut self.found.sides[side];
        let counts = self.counts.entry((side, world)).or_insert_with(|| {
            sums.add_rounds_with_max_payoffs(runner.schedule.iter().copied());
            vec![0; graph.edges.len()]
        });
        let seed = self.context.simulation.seed;
        let each = random_u32_words_per_debate(runner.coins) / 2;
        let coins = self
            .coins
            .entry(each)
            .or_insert_with(|| Coins::new(seed, runner.coins, chunk));
        coins.fill(seed, runner.coins, chunk);
        let payoffs = &mut self.payoffs[side];
        let private = &mut self.private;
        for debate in debates {
            let draw = |source| of_player(private, debate, source);
            payoffs.push(if let Some(coins) = coins.coins_of(debate) {
                // The number of entries per debate is a power of two above all ordinals, so the mask changes no ordinal
                // and avoids a bounds check.
                let last = coins.len() - 1;
                graph.play(counts, |ordinal| coins[ordinal as usize & last], draw)
            } else {
                let mut coins = RandomStream::for_coins_of_debate(seed, debate, runner.coins);
                graph.play(
                    counts,
                    |ordinal| coins.random_53_bit_number_at(ordinal.into()),
                    draw,
                )
            });
        }
        Ok(())
    }

    /// Plays debates about one instance move by move, without a graph.
    fn play_plainly(
        &mut self,
        side: usize,
        world: usize,
        runner: &PreparedInstanceSimulation<'a>,
        debates: Range<u64>,
    ) -> Result<(), SimulationError> {
        let SimulatedPlayMethod::Plain { start, players } = &runner.method else {
            return Ok(());
        };
        self.plain = true;
        let sums = &mut self.found.sides[side];
        self.counts.entry((side, world)).or_insert_with(|| {
            sums.add_rounds_with_max_payoffs(runner.schedule.iter().copied());
            Vec::new()
        });
        let players = players.each_ref().map(|player| &**player);
        for debate in debates {
            let mut state = State::clone(start);
            let mut chances =
                SeededRandomness::new(self.context.simulation.seed, debate, runner.coins);
            let mut rewards = ReplyRewardSink::default();
            // No stop flag applies, because every debate that was begun must be finished.
            let budget = ComputationBudget::default();
            let played = play_between(&mut state, players, &mut chances, &mut rewards, &budget)
                .map_err(|why| SimulationError::Play { debate, why })?;
            let mut payoff = 0;
            for reward in rewards.paid {
                let value = reward
                    .payment_to_prover()
                    .fixed()
                    .ok_or(SimulationError::TooLarge(debate))?;
                payoff += value;
                sums.add_round_reward(reward.round_of_reward(), value.into());
            }
            if let Some((finding, truth)) = state.finding().zip(runner.truth) {
                sums.answered += 1;
                sums.correct += u64::from(finding == truth);
            }
            add_expenses(sums, &state, &played);
            self.payoffs[side].push(payoff);
        }
        Ok(())
    }

    fn sum_up(&mut self, side: usize) {
        let mut few = ChunkMoments::default();
        let sums = &mut self.found.sides[side];
        for payoff in &self.payoffs[side] {
            few.note(*payoff);
            sums.won += u64::from(*payoff > 0);
        }
        sums.debates += self.payoffs[side].len() as u64;
        few.add_to(&mut sums.payoff);
    }

    fn compare(&mut self) {
        let (Some(difference), [first, second]) =
            (&mut self.found.difference, self.payoffs.as_slice())
        else {
            return;
        };
        let mut few = ChunkMoments::default();
        first
            .iter()
            .zip(second)
            .for_each(|(first, second)| few.note(first - second));
        few.add_to(difference);
    }

    /// Returns the sums over all debates that this thread played.
    pub(super) fn finish(mut self) -> SimulationResults {
        for ((side, world), counts) in &self.counts {
            if let Ok(PreparedInstanceSimulation {
                method: SimulatedPlayMethod::Graph(graph),
                ..
            }) = self.context.runner(*side, *world)
            {
                graph
                    .add_edge_contributions_except_payoffs_to(&mut self.found.sides[*side], counts);
            }
        }
        self.found
    }
}

/// Adds the expenses of all seats in a debate to the sums: those that the rules record, and those that strategies
/// report.
fn add_expenses(
    sums: &mut SimulationSums,
    state: &State<'_, f64>,
    played: &PayoffAndSpending<f64>,
) {
    for seat in Seat::PLAYERS {
        let place = seat.seat_index();
        let seen = expenses_by_kind(state.ledger().spending_of_seat(seat));
        let extra = expenses_by_kind(&played.spent[place]);
        for (sum, (seen, extra)) in sums.spent[place].iter_mut().zip(seen.iter().zip(extra)) {
            *sum += u128::from(*seen) + u128::from(extra);
        }
    }
}

fn of_player(private: &mut [RandomStream; 3], debate: u64, source: CoinOrPlayerDraw) -> u64 {
    match source {
        CoinOrPlayerDraw::Private(seat, number) => {
            let draws = &mut private[seat.seat_index().min(2)];
            draws.seek_debate(debate);
            draws.random_53_bit_number_at(number)
        }
        CoinOrPlayerDraw::Coin(_) => 0,
    }
}

impl Coins {
    fn new(seed: &Seed, coins: u64, chunk: u64) -> Self {
        let each = BulkDebateCoins::new(seed, chunk, coins).buffer_entries_per_debate();
        let count = if each <= MAX_COINS_COMPUTED_IN_ONE_STEP {
            each
        } else {
            0
        };
        Self {
            first: u64::MAX,
            each,
            buffer: vec![0; count * usize::try_from(CHUNK).unwrap_or(0)],
        }
    }

    /// Computes the coins of the chunk whose first debate is number `chunk`. `coins` is the number of coins per debate.
    fn fill(&mut self, seed: &Seed, coins: u64, chunk: u64) {
        if self.first == chunk {
            return;
        }
        self.first = chunk;
        if !self.buffer.is_empty() {
            BulkDebateCoins::new(seed, chunk, coins).fill_with_one_coin_per_entry(&mut self.buffer);
        }
    }

    /// Returns the coins of one debate, if they were computed in advance.
    #[inline]
    fn coins_of(&self, debate: u64) -> Option<&[u64]> {
        let place = usize::try_from(debate - self.first).ok()? * self.each;
        self.buffer.get(place..place + self.each)
    }
}

/// The sums of a chunk's payoffs and their squares, small enough for 128-bit integers.
#[derive(Clone, Copy, Debug, Default)]
struct ChunkMoments {
    sum: i128,
    squares: i128,
}

impl ChunkMoments {
    #[inline]
    fn note(&mut self, value: i128) {
        self.sum += value;
        self.squares += fixed_point_square(value);
    }

    fn add_to(self, moments: &mut SumAndSumOfSquares) {
        moments.sum += BigInt::from(self.sum);
        moments.squares += BigInt::from(self.squares);
    }
}

/// The instances of the scenario, each created when it is first drawn.
pub(super) type LazyInstances = Vec<OnceLock<Instance>>;

pub(super) fn uncreated_instances(setup: &LoadedScenario) -> LazyInstances {
    let worlds = setup.decomposition.worlds().iter();
    worlds.map(|_| OnceLock::new()).collect()
}

/// The state of a simulation that all threads share.
pub(super) struct SimulationContext<'s, 'a> {
    pub(super) simulation: &'s PlannedSimulation<'s>,
    pub(super) instances: &'a LazyInstances,
    /// The prepared players and graphs, by side and instance.
    runners: Vec<Vec<OnceLock<Result<PreparedInstanceSimulation<'a>, SimulationError>>>>,
    floats: &'s StrategyRegistry<f64>,
    exacts: &'s StrategyRegistry<Exact>,
    /// Counts the debates played, to show progress, and says if the user stopped the run. Its limit on steps has no
    /// effect, because the number of debates is fixed.
    pub(super) budget: ComputationBudget<'s>,
    /// True if a debate failed. Threads then begin no more debates.
    pub(super) failed: AtomicBool,
}

impl<'s, 'a> SimulationContext<'s, 'a> {
    pub(super) fn new(
        simulation: &'s PlannedSimulation<'s>,
        instances: &'a LazyInstances,
        floats: &'s StrategyRegistry<f64>,
        exacts: &'s StrategyRegistry<Exact>,
        budget: ComputationBudget<'s>,
    ) -> Self {
        let empty = |_: &RulesAndPlayers| instances.iter().map(|_| OnceLock::new()).collect();
        Self {
            simulation,
            instances,
            runners: simulation.sides.iter().map(empty).collect(),
            floats,
            exacts,
            budget,
            failed: AtomicBool::new(false),
        }
    }

    pub(super) fn runner(
        &self,
        side: usize,
        world: usize,
    ) -> Result<&PreparedInstanceSimulation<'a>, SimulationError> {
        let build = || {
            let make = || self.simulation.setup.instance(world);
            let instance = self.instances[world].get_or_init(make);
            PreparedInstanceSimulation::new(self, &self.simulation.sides[side], instance)
        };
        let runner = self.runners[side][world].get_or_init(build);
        runner.as_ref().map_err(Clone::clone)
    }
}

/// Maximum number of replies computed to build the graphs of one side, over all instances.
const REPLIES: u64 = 1 << 21;
/// Maximum number of replies computed to build one graph.
const REPLIES_EACH: u64 = 100_000;

/// The way in which debates about one instance are played.
pub(super) enum SimulatedPlayMethod<'a> {
    /// By a graph: the moves between random draws are looked up.
    Graph(SimulationTransitionGraph),
    /// Move by move.
    Plain {
        /// The state of the debate before the first move.
        start: Box<State<'a, f64>>,
        players: [PlayableStrategy<'a, f64>; 3],
    },
}

/// Everything prepared for simulating debates about one instance, under the rules and players of one side.
pub(super) struct PreparedInstanceSimulation<'a> {
    pub(super) method: SimulatedPlayMethod<'a>,
    /// The largest number of coins that a debate about this instance can throw.
    pub(super) coins: u64,
    /// The rounds with their weights.
    pub(super) schedule: Vec<(Round, f64)>,
    /// The truth of the root claim; `None` if it cannot be decided.
    pub(super) truth: Option<bool>,
}

impl<'a> PreparedInstanceSimulation<'a> {
    pub(super) fn new(
        context: &SimulationContext<'_, 'a>,
        side: &RulesAndPlayers,
        instance: &'a Instance,
    ) -> Result<Self, SimulationError> {
        let start = side.protocol.start::<f64>(instance)?;
        let truth = instance.truth(instance.root());
        let coins = start.coins();
        let schedule = start.schedule();
        let method = match graph(context, side, instance)? {
            Some(graph) => SimulatedPlayMethod::Graph(graph),
            None => SimulatedPlayMethod::Plain {
                start: Box::new(start),
                players: players(context.floats, side, instance)?,
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
    registry: &StrategyRegistry<N>,
    side: &RulesAndPlayers,
    instance: &'a Instance,
) -> Result<[PlayableStrategy<'a, N>; 3], SimulationError> {
    // A player that is computed against the other seats is built to its end even after a stop: a simulation that was
    // stopped keeps the results of the debates that it has played.
    let budget = ComputationBudget::default();
    let build =
        |seat: Seat| registry.build_at(&side.players, seat, instance, &side.protocol, budget);
    let [prover, opponent, judge] = Seat::PLAYERS.map(build);
    Ok([prover?, opponent?, judge?])
}

fn graph<'a>(
    context: &SimulationContext<'_, 'a>,
    side: &RulesAndPlayers,
    instance: &'a Instance,
) -> Result<Option<SimulationTransitionGraph>, SimulationError> {
    let players = players(context.exacts, side, instance)?;
    let worlds = context.runners.first().map_or(1, Vec::len) as u64;
    let builder = SimulationGraphBuilder {
        players: players.each_ref().map(|player| &**player),
        truth: instance.truth(instance.root()),
        // The graph is completed even after a stop. Otherwise the time of the stop would decide how the debates are
        // played, and so the results.
        replies: (REPLIES / worlds.max(1)).min(REPLIES_EACH),
    };
    Ok(builder.build(side.protocol.start(instance)?).ok())
}
