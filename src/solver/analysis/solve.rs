//! The exact value of a debate between two named players, under any rules: by closed form where there is one, else by
//! `expectimax`.

use std::collections::HashMap;

use thiserror::Error;

use super::information::{BestReply, Case, History};
use crate::closed_form::prover_estimator::BestEstimator;
use crate::closed_form::stochastic;
use crate::expectation::{Expected, Unsolved};
use crate::expectimax::{BEST_RESPONSE, Expectimax, is_best_response};
use crate::game::{Actor, Node};
use debate_core::budget::{Budget, Exceeded};
use debate_core::number::{Exact, Number};
use debate_core::player::{BuildError, Built, PolicyStrategy, Registry, Spec};
use debate_core::protocol::{Protocol, ProverEstimator, Refused, Round, Rules as _, Seat, State};
use debate_core::scenario::Instance;

/// The most leaves of all instances together among which one is looked up.
const MAX_LEAVES: usize = 4096;

/// Why a debate cannot be solved.
#[derive(Debug, Error)]
pub enum SolveError {
    /// The rules do not take the instance.
    #[error("{0}")]
    Refused(#[from] Refused),
    /// A player cannot be seated.
    #[error("{0}")]
    Player(#[from] BuildError),
    /// The search did not come to an end.
    #[error("{0}")]
    Unsolved(#[from] Unsolved),
    /// Nobody to reply best to.
    #[error(
        "{BEST_RESPONSE} is the best against a player who is known; name somebody else as prover or opponent"
    )]
    BothBest,
    /// A best response changes with the judge.
    #[error(
        "how wrong the judge may be is found between named players, and {BEST_RESPONSE} replies \
         otherwise to each judge; name somebody else"
    )]
    FollowsTheJudge,
    /// The soundness proof does not speak of such debates.
    #[error("--soundness: {0}")]
    NoSoundness(&'static str),
}

impl SolveError {
    /// True if it was stopped from elsewhere.
    pub fn is_stopped(&self) -> bool {
        matches!(
            self,
            Self::Unsolved(Unsolved::STOPPED)
                | Self::Player(BuildError::Exceeded {
                    exceeded: Exceeded::Stopped,
                    ..
                })
        )
    }
}

/// A debate to be solved: rules and players.
#[derive(Clone, Copy, Debug)]
pub struct DebateSolver<'s, N: Number> {
    /// The registry that builds players.
    pub registry: &'s Registry<N>,
    /// The rules.
    pub protocol: &'s Protocol,
    /// Prover, opponent and judge; one of the debaters may be [`BEST_RESPONSE`].
    pub players: &'s [Spec; 3],
    /// The probabilities that a [`BEST_RESPONSE`] player may say.
    pub grid: &'s [N],
}

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

/// The expectation of a debate.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution<N: Number> {
    /// The rounds in playing order with the most that each can pay; `None` where instances differ
    /// in it.
    pub schedule: Vec<(Round, Option<N>)>,
    /// Rewards to the prover in the order of the schedule, expenses, what is found of the claim.
    pub expected: Expected<N>,
    /// The probability that what the debate says of the claim is so
    /// ([`debate_core::protocol::Rules::finding`]); `None` where that cannot be decided.
    pub answer_correct: Option<N>,
    /// The longest way from the root to a leaf.
    pub depth: u32,
    /// The number of replies that were played.
    pub played: u64,
}

impl<N: Number> Solution<N> {
    /// The probability that the prover wins a debate of which one side gets 1, the other −1.
    pub fn prover_wins(&self) -> N {
        (self.expected.value() + N::one()) / (N::one() + N::one())
    }
}

impl<N: Number> DebateSolver<'_, N> {
    /// Solves a debate about an instance.
    ///
    /// # Errors
    /// If a player cannot be seated, or the search does not come to an end.
    pub fn solve(
        &self,
        instance: &Instance,
        budget: Budget<'_>,
    ) -> Result<Solution<N>, SolveError> {
        if self
            .players
            .iter()
            .take(2)
            .all(|spec| spec.name == BEST_RESPONSE)
        {
            return Err(SolveError::BothBest);
        }
        let [prover, opponent, judge] = [Seat::Prover, Seat::Opponent, Seat::Judge]
            .map(|seat| self.seated(seat, instance, budget));
        let (prover, opponent, judge) = (prover?, opponent?, judge?);
        let start = self.protocol.start::<N>(instance)?;
        let actors = [&prover, &opponent, &judge].map(|player| Actor::of(player.as_ref()));
        let mut search = Expectimax::new(&start, actors, budget).on_grid(self.grid.to_vec());
        let schedule = start.schedule();
        let by_prefix = match self.protocol {
            Protocol::Stochastic(parameters) => {
                stochastic::solve(self.players, instance, parameters, self.grid, budget)?
            }
            _ => None,
        };
        let (expected, played) = match by_prefix {
            Some(expected) => expected,
            None => (search.value(start)?, search.played()),
        };
        let truth = instance.truth(instance.root());
        Ok(Solution {
            answer_correct: truth.map(|truth| expected.finds(truth).clone()),
            schedule: schedule
                .into_iter()
                .map(|(round, weight)| (round, Some(weight)))
                .collect(),
            depth: instance.size().depth,
            played,
            expected,
        })
    }

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
        let (expectations, played) = self.knowing(instances, knowing, None, budget)?;
        let mut solutions = Vec::with_capacity(instances.len());
        for ((_, instance), expected) in instances.iter().zip(expectations) {
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
    /// seat plays there, unless that is [`BEST_RESPONSE`]. With `steps`, r^0 … r^d of
    /// prover-estimator debate, it is by the steps of the soundness proof in place of rounds.
    pub(crate) fn knowing(
        &self,
        instances: &[(N, Instance)],
        knowing: &KnowingSeat,
        steps: Option<Vec<N>>,
        budget: Budget<'_>,
    ) -> Result<(Vec<Expected<N>>, u64), SolveError> {
        let plays = !is_best_response(&self.players[knowing.seat.index()]);
        let others = (Seat::PLAYERS.into_iter()).filter(|seat| plays || *seat != knowing.seat);
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
        let seated = instances.iter().zip(&built).zip(&starts);
        let cases = seated.map(|(((_, instance), players), start)| Case {
            instance,
            start: start.clone(),
            players: players.each_ref().map(|player| Actor::of(player.as_ref())),
        });
        let mut search = BestReply::new(knowing.seat, cases.collect(), budget)
            .choosing(self.grid.to_vec(), knowing.answers);
        if knowing.queries > 0 {
            search = search.looking_up(MAX_LEAVES)?;
        }
        if let Some(weights) = steps {
            search = search.by_proof_step(weights);
        }
        let mut expectations = vec![None; instances.len()];
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
                    let at = Node::new(starts[*place].clone());
                    search.history(*place, instances[*place].0.clone(), at)
                })
                .collect();
            let (expected, _) = search.expected(&histories, knowing.queries)?;
            for (place, expected) in places.into_iter().zip(expected) {
                expectations[place] = Some(expected);
            }
        }
        Ok((
            expectations.into_iter().flatten().collect(),
            search.played(),
        ))
    }

    /// The player of a seat; `None` if the search takes the best reply there.
    fn seated<'a>(
        &self,
        seat: Seat,
        instance: &'a Instance,
        budget: Budget<'_>,
    ) -> Result<Option<Built<'a, N>>, SolveError> {
        if seat != Seat::Judge && is_best_response(&self.players[seat.index()]) {
            let quick = (seat == Seat::Opponent).then(|| self.best_estimator(instance, budget));
            return Ok(quick.transpose()?.flatten());
        }
        let built = self
            .registry
            .build_at(self.players, seat, instance, self.protocol, budget)?;
        Ok(Some(built))
    }

    /// The best response of an estimator, where it is found without a search.
    fn best_estimator<'a>(
        &self,
        instance: &'a Instance,
        budget: Budget<'_>,
    ) -> Result<Option<Built<'a, N>>, SolveError> {
        let Protocol::ProverEstimator(parameters) = self.protocol else {
            return Ok(None);
        };
        let build = |seat| {
            let built = self
                .registry
                .build_at(self.players, seat, instance, self.protocol, budget);
            built.ok()
        };
        // Whoever cannot be seated is refused with the reason where its own seat is filled.
        let (Some(prover), Some(judge)) = (build(Seat::Prover), build(Seat::Judge)) else {
            return Ok(None);
        };
        let best = BestEstimator::against(prover, &*judge, instance, parameters, self.grid, budget);
        Ok(best.transpose()?.map(|best| -> Built<'a, N> {
            Box::new(PolicyStrategy::<_, ProverEstimator<'a, N>>::new(best))
        }))
    }
}

/// The mean over instances, each with its share, which sum to 1. `None` of
/// nothing.
pub fn average_over_instances<N: Number>(each: &[(N, Solution<N>)]) -> Option<Solution<N>> {
    let (_, first) = each.first()?;
    let mut known: HashMap<Round, Option<N>> = first.schedule.iter().cloned().collect();
    for (_, solved) in each.iter().skip(1) {
        for (round, weight) in &solved.schedule {
            let there = known.entry(*round).or_insert_with(|| weight.clone());
            if there != weight {
                *there = None;
            }
        }
    }
    let mut rounds: Vec<(Round, Option<N>)> = known.into_iter().collect();
    rounds.sort_by_key(|(round, _)| match round {
        Round::Initial => (0, 0),
        Round::Number(k) => (1, u32::MAX - k),
    });
    let places: HashMap<Round, usize> = rounds.iter().map(|(round, _)| *round).zip(0..).collect();
    let mut sum = Expected::nothing(rounds.len());
    let mut correct = Some(N::zero());
    for (share, solved) in each {
        let place = |(round, _): &(Round, _)| places.get(round).copied().unwrap_or(0);
        let places = solved.schedule.iter().map(place);
        let placed = solved
            .expected
            .placed(&places.collect::<Vec<_>>(), rounds.len());
        sum.add(share, &placed);
        let more = solved.answer_correct.clone();
        correct = correct
            .zip(more)
            .map(|(sum, more)| sum + share.clone() * more);
    }
    Some(Solution {
        schedule: rounds,
        expected: sum,
        answer_correct: correct,
        depth: each
            .iter()
            .map(|(_, solved)| solved.depth)
            .max()
            .unwrap_or(0),
        played: each.iter().map(|(_, solved)| solved.played).sum(),
    })
}

/// True if a debater says probabilities under these rules.
pub fn says_probabilities(protocol: &Protocol) -> bool {
    protocol.conditions().has_estimator() || matches!(protocol, Protocol::Stochastic(_))
}

/// The probabilities that a best reply chooses among where none are given: every tenth, and ε and
/// 1 − ε, where honest bets begin, with the same a thousandth beyond. None where nobody estimates, and
/// under stochastic debate, where the best of all probabilities is found.
pub fn default_grid(protocol: &Protocol) -> Vec<Exact> {
    if !protocol.conditions().has_estimator() {
        return Vec::new();
    }
    let mut grid: Vec<Exact> = (0..=10).map(|tenths| Exact::ratio(tenths, 10)).collect();
    if let Some((epsilon, _)) = protocol.conditions().epsilon_and_rho() {
        let beyond = epsilon + Exact::ratio(1, 1000);
        let high = |low: &Exact| Exact::ratio(1, 1) - low;
        grid.extend([high(epsilon), high(&beyond), epsilon.clone(), beyond]);
    }
    grid.retain(Number::is_probability);
    grid.sort();
    grid.dedup();
    grid
}

#[cfg(test)]
pub(super) mod tests;
