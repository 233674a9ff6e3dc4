//! The best response of a seat that knows part of the instance.

use super::{DebateSolver, Solution, SolveError};
use crate::analysis::information::{BestReply, Case, History};
use crate::expectation::Expected;
use crate::expectimax::{Actor, Position, is_best_response};
use debate_core::budget::Budget;
use debate_core::number::Number;
use debate_core::player::Built;
use debate_core::protocol::{Rules as _, Seat, State};
use debate_core::scenario::Instance;

/// The most leaves of all instances together among which one is looked up.
const MAX_LEAVES: usize = 4096;

/// What the seat of a best response knows before anybody speaks, and what it may say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnowingSeat {
    pub seat: Seat,
    /// For each instance its block: the seat cannot tell apart the instances of one block.
    pub blocks: Vec<usize>,
    /// The most leaves that it may look up in a debate.
    pub queries: u32,
    /// The only answer to the root claim that it may give, where it may not choose.
    pub answers: Option<bool>,
}

impl<N: Number> DebateSolver<'_, N> {
    /// Solves a debate about each of these instances, drawn with these shares, where one seat
    /// replies best, for all that it knows: one strategy for every block of instances.
    ///
    /// # Errors
    /// If a player cannot be seated, or the search does not come to an end.
    pub fn solve_knowing(
        &self,
        instances: &[(N, Instance)],
        knowing: &KnowingSeat,
        budget: Budget<'_>,
    ) -> Result<Vec<Solution<N>>, SolveError> {
        let (found, played) = self.knowing(instances, knowing, None, budget)?;
        let mut solutions = Vec::with_capacity(instances.len());
        for ((_, instance), expected) in instances.iter().zip(found) {
            let truth = instance.truth(instance.root());
            let schedule = self.protocol.start::<N>(instance)?.schedule().into_iter();
            solutions.push(Solution {
                answer_correct: truth.map(|truth| expected.finds(truth).clone()),
                schedule: schedule.map(|(round, most)| (round, Some(most))).collect(),
                depth: instance.size().depth,
                // They are found together: what was played counts once.
                played: if solutions.is_empty() { played } else { 0 },
                expected,
            });
        }
        Ok(solutions)
    }

    /// What is expected of each instance, and how many replies were played. Whoever is named in the
    /// seat plays there, unless that is [`BEST_RESPONSE`](crate::expectimax::BEST_RESPONSE). With `steps`, r^0 … r^d of
    /// prover-estimator debate, it is by the steps of the soundness proof in place of rounds.
    pub(crate) fn knowing(
        &self,
        instances: &[(N, Instance)],
        knowing: &KnowingSeat,
        steps: Option<Vec<N>>,
        budget: Budget<'_>,
    ) -> Result<(Vec<Expected<N>>, u64), SolveError> {
        let plays = !is_best_response(&self.players[knowing.seat.index()]);
        let others = [Seat::Prover, Seat::Opponent, Seat::Judge].into_iter();
        let others = others.filter(|seat| plays || *seat != knowing.seat);
        let mut built: Vec<[Option<Built<'_, N>>; 3]> = Vec::with_capacity(instances.len());
        let mut starts: Vec<State<'_, N>> = Vec::with_capacity(instances.len());
        for (_, instance) in instances {
            let mut players = [None, None, None];
            for seat in others.clone() {
                let (table, protocol) = (self.players, self.protocol);
                let player = self
                    .registry
                    .build_at(table, seat, instance, protocol, budget)?;
                players[seat.index()] = Some(player);
            }
            built.push(players);
            starts.push(self.protocol.start(instance)?);
        }
        let cases = instances.iter().zip(&built).zip(&starts);
        let cases = cases.map(|(((_, instance), players), start)| Case {
            instance,
            start: start.clone(),
            players: players.each_ref().map(|player| match player {
                Some(player) => Actor::Plays(&**player),
                None => Actor::BestResponse,
            }),
        });
        let mut search = BestReply::new(knowing.seat, cases.collect(), budget)
            .on_grid(self.grid.to_vec())
            .answering(knowing.answers);
        if knowing.queries > 0 {
            search = search.looking_up(MAX_LEAVES)?;
        }
        if let Some(weights) = steps {
            search = search.by_proof_step(weights);
        }
        if plays {
            search = search.playing();
        }
        let mut found = vec![None; instances.len()];
        let mut blocks: Vec<usize> = knowing.blocks.clone();
        blocks.sort_unstable();
        blocks.dedup();
        for block in blocks {
            let places = knowing.blocks.iter().enumerate();
            let places: Vec<usize> = places
                .filter(|(_, other)| **other == block)
                .map(|(place, _)| place)
                .collect();
            let histories: Vec<History<'_, N>> = places
                .iter()
                .map(|place| {
                    let at = Position::new(starts[*place].clone());
                    search.history(*place, instances[*place].0.clone(), at)
                })
                .collect();
            let (expected, _) = search.expected(&histories, knowing.queries)?;
            for (place, expected) in places.into_iter().zip(expected) {
                found[place] = Some(expected);
            }
        }
        Ok((found.into_iter().flatten().collect(), search.played()))
    }
}
