//! One thread: it plays chunks of debates and sums them up.

use std::collections::HashMap;
use std::ops::Range;

use super::fixed::Fixed as _;
use super::graph::DrawSource;
use super::instance_runner::{InstanceRunner, PlayMethod};
use super::sums::Sums;
use super::{ChunkMoments, SimulationContext, SimulationError, SimulationResults};
use crate::expectation::{RewardSink, kinds};
use debate_core::budget::Budget;
use debate_core::chance::{BulkDraws, Draws, Seed, Stream, stride};
use debate_core::player::{Played, Seeded, play_between};
use debate_core::protocol::{Rules as _, Seat, State};

/// Coins are filled in bulk where a debate takes up so many numbers at most.
const BULK: usize = 256;

/// One thread's work.
pub(super) struct Worker<'h, 's, 'a> {
    context: &'h SimulationContext<'s, 'a>,
    instances: Draws,
    private: [Draws; 3],
    /// The chunk's coins, by how far debates lie apart.
    coins: HashMap<u64, Coins>,
    /// The chunk's worlds, and what each side's provers received.
    worlds: Vec<usize>,
    payoffs: Vec<Vec<i128>>,
    /// Counts of the edges taken, by side and world.
    counts: HashMap<(usize, usize), Vec<u64>>,
    /// True if some debates were played move by move.
    pub(super) plain: bool,
    found: SimulationResults,
}

/// Coins of a chunk of debates.
struct Coins {
    first: u64,
    each: usize,
    buffer: Vec<u64>,
}

impl<'h, 's, 'a> Worker<'h, 's, 'a> {
    pub(super) fn new(context: &'h SimulationContext<'s, 'a>) -> Self {
        let seed = context.simulation.seed;
        let private = |stream| Draws::private(seed, stream, 0);
        Self {
            context,
            instances: private(Stream::Instance),
            private: [Stream::Prover, Stream::Opponent, Stream::Judge].map(private),
            coins: HashMap::new(),
            worlds: Vec::new(),
            payoffs: vec![Vec::new(); context.simulation.sides.len()],
            counts: HashMap::new(),
            plain: false,
            found: SimulationResults::nothing(context.simulation),
        }
    }

    /// Plays the debates with these numbers.
    pub(super) fn play(&mut self, chunk: Range<u64>) -> Result<(), SimulationError> {
        self.draw_worlds(&chunk);
        for side in 0..self.payoffs.len() {
            self.payoffs[side].clear();
            let mut from = 0;
            while let Some(world) = self.worlds.get(from).copied() {
                let alike = self.worlds[from..].iter().take_while(|w| **w == world);
                let to = from + alike.count();
                let debates = chunk.start + from as u64..chunk.start + to as u64;
                self.play_in(side, world, debates, chunk.start)?;
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
            self.instances.go_to(debate);
            self.worlds.push(setup.world_of_draw(self.instances.at(0)));
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
        let PlayMethod::Graph(graph) = &runner.method else {
            return self.play_plainly(side, world, runner, debates);
        };
        let sums = &mut self.found.sides[side];
        let counts = self.counts.entry((side, world)).or_insert_with(|| {
            sums.schedule(runner.schedule.iter().copied());
            vec![0; graph.edges()]
        });
        let seed = self.context.simulation.seed;
        let each = stride(runner.coins) / 2;
        let coins = self.coins.entry(each);
        let coins = coins.or_insert_with(|| Coins::new(seed, runner.coins, chunk));
        coins.at(seed, runner.coins, chunk);
        let payoffs = &mut self.payoffs[side];
        let private = &mut self.private;
        for debate in debates {
            let draw = |source| of_player(private, debate, source);
            payoffs.push(if let Some(coins) = coins.of(debate) {
                // A buffer's length is a power of two, and no ordinal lies beyond it.
                let last = coins.len() - 1;
                graph.play(counts, |ordinal| coins[ordinal as usize & last], draw)
            } else {
                let mut coins = Draws::coins(seed, debate, runner.coins);
                graph.play(counts, |ordinal| coins.at(ordinal.into()), draw)
            });
        }
        Ok(())
    }

    /// Plays debates about one instance without a graph.
    fn play_plainly(
        &mut self,
        side: usize,
        world: usize,
        runner: &InstanceRunner<'a>,
        debates: Range<u64>,
    ) -> Result<(), SimulationError> {
        let PlayMethod::Plain { start, players } = &runner.method else {
            return Ok(());
        };
        self.plain = true;
        let sums = &mut self.found.sides[side];
        self.counts.entry((side, world)).or_insert_with(|| {
            sums.schedule(runner.schedule.iter().copied());
            Vec::new()
        });
        let players = players.each_ref().map(|player| &**player);
        for debate in debates {
            let mut state = State::clone(start);
            let mut chances = Seeded::new(self.context.simulation.seed, debate, runner.coins);
            let mut rewards = RewardSink::default();
            // What is begun is finished: no flag stops it.
            let budget = Budget::default();
            let played = play_between(&mut state, players, &mut chances, &mut rewards, &budget)
                .map_err(|why| SimulationError::Play { debate, why })?;
            let mut payoff = 0;
            for reward in rewards.paid {
                let value = reward
                    .value()
                    .fixed()
                    .ok_or(SimulationError::TooLarge(debate))?;
                payoff += value;
                sums.reward(reward.round(), value.into());
            }
            if let Some((found, truth)) = state.finding().zip(runner.truth) {
                sums.answered += 1;
                sums.correct += u64::from(found == truth);
            }
            spend(sums, &state, &played);
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

    /// The sums over all its debates.
    pub(super) fn finish(mut self) -> SimulationResults {
        for ((side, world), counts) in &self.counts {
            if let Ok(InstanceRunner {
                method: PlayMethod::Graph(graph),
                ..
            }) = self.context.runner(*side, *world)
            {
                graph.add_to(&mut self.found.sides[*side], counts);
            }
        }
        self.found
    }
}

/// Adds the expenses of the seats: those that the rules see and those that players state.
fn spend(sums: &mut Sums, state: &State<'_, f64>, played: &Played<f64>) {
    for seat in Seat::PLAYERS {
        let place = seat.index();
        let seen = kinds(state.ledger().of(seat));
        let said = kinds(&played.spent[place]);
        for (sum, (seen, said)) in sums.spent[place].iter_mut().zip(seen.iter().zip(said)) {
            *sum += u128::from(*seen) + u128::from(said);
        }
    }
}

fn of_player(private: &mut [Draws; 3], debate: u64, source: DrawSource) -> u64 {
    match source {
        DrawSource::Private(seat, number) => {
            let draws = &mut private[seat.index().min(2)];
            draws.go_to(debate);
            draws.at(number)
        }
        DrawSource::Coin(_) => 0,
    }
}

impl Coins {
    fn new(seed: &Seed, coins: u64, chunk: u64) -> Self {
        let each = BulkDraws::new(seed, chunk, coins).per_debate();
        let count = if each <= BULK { each } else { 0 };
        Self {
            first: u64::MAX,
            each,
            buffer: vec![0; count * usize::try_from(super::threads::CHUNK).unwrap_or(0)],
        }
    }

    /// Fills in the coins of the chunk that begins with this debate.
    fn at(&mut self, seed: &Seed, coins: u64, chunk: u64) {
        if self.first == chunk {
            return;
        }
        self.first = chunk;
        if !self.buffer.is_empty() {
            BulkDraws::new(seed, chunk, coins).fill(&mut self.buffer);
        }
    }

    /// A debate's coins, where they were filled in.
    #[inline]
    fn of(&self, debate: u64) -> Option<&[u64]> {
        let place = usize::try_from(debate - self.first).ok()? * self.each;
        self.buffer.get(place..place + self.each)
    }
}
