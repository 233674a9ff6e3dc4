//! The exact expected payoff of a debate between two named players, under any rules. Uses a closed form if one exists,
//! otherwise the search `expectimax`.

use std::collections::{BTreeSet, HashMap};

use thiserror::Error;

use super::information::{
    ImperfectInformationSearch, PossibleHistoryInSearch, PossibleInstanceInSearch,
};
use crate::closed_form::prover_estimator::PayoffMinimisingEstimator;
use crate::closed_form::stochastic;
use crate::expectation::{ExpectedRewardsAndExpenses, PayoffNotComputedReason};
use crate::expectimax::{BEST_RESPONSE, ExhaustiveExpectimax, is_best_response};
use crate::game::{DebateAndStrategyStates, SeatDecisionMaker};
use debate_core::budget::{ComputationBudget, ComputationStopReason};
use debate_core::number::{Exact, Number};
use debate_core::player::{PlayableStrategy, PlayerSpec, StrategyBuildError, StrategyRegistry};
use debate_core::protocol::{Protocol, ProtocolError, Round, Rules as _, Seat, State};
use debate_core::scenario::Instance;

/// Maximum number of different leaves, over all instances, that a query may choose from.
const MAX_LEAVES: usize = 4096;

/// The reason why the expected payoff of a debate cannot be computed.
#[derive(Debug, Error)]
pub enum SolveError {
    /// The rules cannot debate this instance.
    #[error("{0}")]
    Refused(#[from] ProtocolError),
    /// A player cannot be seated.
    #[error("{0}")]
    Player(#[from] StrategyBuildError),
    /// The search did not finish.
    #[error("{0}")]
    Unsolved(#[from] PayoffNotComputedReason),
    /// Both debaters are best responses, so neither has a fixed player to reply to.
    #[error(
        "prover and opponent cannot both be {BEST_RESPONSE}, because it replies to a fixed player; name another player \
         for one of the two seats"
    )]
    BothBest,
    /// The judge's errors cannot be varied for a best response, because a best response changes with the judge.
    #[error(
        "judge errors are computed only for fixed players, but {BEST_RESPONSE} depends on the \
         judge; name another player"
    )]
    FollowsTheJudge,
    /// The solver of linear programs found no solution; the text gives its reason.
    #[error("the linear program has no solution in floating point: {cause}", cause = .0)]
    Program(String),
    /// The soundness proof does not cover this type of debate; the text gives the reason.
    #[error("--soundness: {0}")]
    NoSoundness(&'static str),
}

impl SolveError {
    /// True if the user stopped the computation.
    pub fn was_cancelled(&self) -> bool {
        matches!(
            self,
            Self::Unsolved(PayoffNotComputedReason::STOPPED)
                | Self::Player(StrategyBuildError::Exceeded {
                    exceeded: ComputationStopReason::Stopped,
                    ..
                })
        )
    }
}

/// The rules and the players for a computation of exact expected payoffs.
#[derive(Clone, Copy, Debug)]
pub struct DebateSolutionInputs<'s, N: Number> {
    /// The registry that builds players.
    pub registry: &'s StrategyRegistry<N>,
    /// The rules.
    pub protocol: &'s Protocol,
    /// The players of prover, opponent and judge; prover or opponent may be [`BEST_RESPONSE`].
    pub players: &'s [PlayerSpec; 3],
    /// The probabilities that the player [`BEST_RESPONSE`] may state as an estimate.
    pub grid: &'s [N],
}

/// The knowledge of a best response before the first move, and the answers that it may give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestResponseKnowledgeAndAnswers {
    pub seat: Seat,
    /// The number of each instance's block. The best response cannot tell instances of one block apart.
    pub blocks: Vec<usize>,
    /// Maximum number of leaves that the best response may query in a debate.
    pub queries: u32,
    /// The only answer to the root claim that the best response may give; `None` if it may choose.
    pub answers: Option<bool>,
}

/// The expectation of a debate.
#[derive(Clone, Debug, PartialEq)]
pub struct DebateSolution<N: Number> {
    /// The rounds in playing order, with the maximum payoff of each. The maximum is `None` if it differs between
    /// instances.
    pub schedule: Vec<(Round, Option<N>)>,
    /// The prover's expected reward in each round of `schedule`, the expected expenses, and the debate's finding about
    /// the root claim.
    pub expected: ExpectedRewardsAndExpenses<N>,
    /// The probability that the debate's finding about the root claim is correct
    /// ([`debate_core::protocol::Rules::finding`]); `None` if the claim cannot be decided.
    pub answer_correct: Option<N>,
    /// The depth of the claim tree: the length of the longest path from the root to a leaf.
    pub depth: u32,
    /// The number of replies that the search simulated.
    pub played: u64,
}

impl<N: Number> DebateSolution<N> {
    /// Creates the solution of a debate from the expected values at its start. `played` is the number of simulated
    /// replies.
    fn of(
        instance: &Instance,
        start: &State<'_, N>,
        expected: ExpectedRewardsAndExpenses<N>,
        played: u64,
    ) -> Self {
        let truth = instance.truth(instance.root());
        let (rounds, most): (Vec<_>, Vec<N>) = start.schedule().into_iter().unzip();
        let expected = expected.clear_rounding_error(&most);
        let schedule = rounds.into_iter().zip(most);
        Self {
            answer_correct: truth.map(|truth| expected.probability_of_final_answer(truth).clone()),
            schedule: schedule.map(|(round, most)| (round, Some(most))).collect(),
            depth: instance.size().depth,
            played,
            expected,
        }
    }

    /// Returns the expected payoff to the prover.
    pub fn expected_prover_payoff(&self) -> N {
        let rewards = self.expected.expected_rewards_by_round();
        let largest = largest(rewards.iter().cloned());
        self.expected
            .expected_payoff()
            .clear_rounding_error(&largest)
    }

    /// Returns the probability that the prover wins, for a debate in which the winner gets 1 and the loser −1.
    pub fn prover_win_probability(&self) -> N {
        let wins = (self.expected_prover_payoff() + N::one()) / (N::one() + N::one());
        wins.clear_rounding_error(&N::one())
    }
}

/// Returns the greatest absolute value of these numbers; 0 for an empty list.
fn largest<N: Number>(numbers: impl IntoIterator<Item = N>) -> N {
    let sizes = numbers.into_iter().map(|number| number.abs());
    sizes.fold(
        N::zero(),
        |most, size| if size > most { size } else { most },
    )
}

impl<N: Number> DebateSolutionInputs<'_, N> {
    /// Computes the expected payoff of a debate about one instance, with its parts.
    ///
    /// # Errors
    /// Returns an error if both debaters are best responses, or if a player cannot be seated. Also if the rules cannot
    /// debate the instance, or if the search does not finish.
    pub fn solve(
        &self,
        instance: &Instance,
        budget: ComputationBudget<'_>,
    ) -> Result<DebateSolution<N>, SolveError> {
        let [prover, opponent, _] = self.players;
        if prover.name == BEST_RESPONSE && opponent.name == BEST_RESPONSE {
            return Err(SolveError::BothBest);
        }
        let players = Seat::PLAYERS.map(|seat| self.seated(seat, instance, budget));
        let [prover, opponent, judge] = players;
        let players = [prover?, opponent?, judge?];
        let start = self.protocol.start::<N>(instance)?;
        let by_prefix = match self.protocol {
            Protocol::Stochastic(parameters) => {
                stochastic::solve(self.players, instance, parameters, self.grid, budget)?
            }
            _ => None,
        };
        if let Some((expected, played)) = by_prefix {
            return Ok(DebateSolution::of(instance, &start, expected, played));
        }
        let actors = players
            .each_ref()
            .map(|player| SeatDecisionMaker::player_or_best_response(player.as_ref()));
        let mut search = ExhaustiveExpectimax::new(&start, actors, budget)
            .with_probability_grid(self.grid.to_vec());
        let expected = search.expectation_from_state(start.clone())?;
        Ok(DebateSolution::of(
            instance,
            &start,
            expected,
            search.played,
        ))
    }

    /// Returns the prover's expected payoff in a debate about one instance.
    ///
    /// # Errors
    /// As for [`Self::solve`].
    pub fn debate_value(
        &self,
        instance: &Instance,
        budget: ComputationBudget<'_>,
    ) -> Result<N, SolveError> {
        Ok(self.solve(instance, budget)?.expected_prover_payoff())
    }

    /// Solves the debates about several instances, which have the given probabilities. `knowing` names a seat and
    /// states its knowledge. If this seat's player is [`BEST_RESPONSE`], it gives the best replies for what it knows.
    /// It has one strategy for each block of instances that it cannot tell apart.
    ///
    /// # Errors
    /// Returns an error if a player cannot be seated, or if the search does not finish.
    pub fn solve_with_knowledge(
        &self,
        instances: &[(N, Instance)],
        knowing: &BestResponseKnowledgeAndAnswers,
        budget: ComputationBudget<'_>,
    ) -> Result<Vec<DebateSolution<N>>, SolveError> {
        let (expectations, mut played) =
            self.expectations_with_knowledge(instances, knowing, None, budget)?;
        let each = instances.iter().zip(expectations);
        each.map(|((_, instance), expected)| {
            let start = self.protocol.start::<N>(instance)?;
            // One search solves all instances, so its replies are counted once.
            let played = std::mem::take(&mut played);
            Ok(DebateSolution::of(instance, &start, expected, played))
        })
        .collect()
    }

    /// Returns the expected payoff for each instance, and the number of simulated replies. If the player of the seat in
    /// `knowing` is [`BEST_RESPONSE`], searches its best strategy. If `steps` holds the weights r^0 … r^d, splits
    /// payoffs by step of the soundness proof instead of by round.
    ///
    /// # Errors
    /// Returns an error if a player cannot be built, or if a search does not finish within the budget.
    pub fn expectations_with_knowledge(
        &self,
        instances: &[(N, Instance)],
        knowing: &BestResponseKnowledgeAndAnswers,
        steps: Option<Vec<N>>,
        budget: ComputationBudget<'_>,
    ) -> Result<(Vec<ExpectedRewardsAndExpenses<N>>, u64), SolveError> {
        let plays = !is_best_response(&self.players[knowing.seat.seat_index()]);
        let mut built: Vec<[Option<PlayableStrategy<'_, N>>; 3]> =
            Vec::with_capacity(instances.len());
        let mut starts: Vec<State<'_, N>> = Vec::with_capacity(instances.len());
        for (_, instance) in instances {
            let mut players = [None, None, None];
            for seat in Seat::PLAYERS {
                if plays || seat != knowing.seat {
                    players[seat.seat_index()] = Some(self.build(seat, instance, budget)?);
                }
            }
            built.push(players);
            starts.push(self.protocol.start(instance)?);
        }
        let seated = instances.iter().zip(&built).zip(&starts);
        let cases = seated.map(
            |(((_, instance), players), start)| PossibleInstanceInSearch {
                instance,
                start: start.clone(),
                players: players
                    .each_ref()
                    .map(|player| SeatDecisionMaker::player_or_best_response(player.as_ref())),
            },
        );
        let mut search = ImperfectInformationSearch::new(knowing.seat, cases.collect(), budget);
        search.replies.grid = self.grid.to_vec();
        search.replies.answers = knowing.answers;
        search.allow_queries(knowing.queries, MAX_LEAVES)?;
        if let Some(weights) = steps {
            search.split_by_proof_step(weights);
        }
        let mut expectations = vec![None; instances.len()];
        let blocks: BTreeSet<usize> = knowing.blocks.iter().copied().collect();
        for block in blocks {
            let in_block = |position: &usize| knowing.blocks[*position] == block;
            let positions: Vec<usize> = (0..knowing.blocks.len()).filter(in_block).collect();
            let history = |position: &usize| {
                let at = DebateAndStrategyStates::new(starts[*position].clone());
                search.candidate_history(*position, instances[*position].0.clone(), at)
            };
            let histories: Vec<PossibleHistoryInSearch<'_, N>> =
                positions.iter().map(history).collect();
            let (expected, _) = search.best_expectation(&histories)?;
            for (position, expected) in positions.into_iter().zip(expected) {
                expectations[position] = Some(expected);
            }
        }
        let expectations = expectations.into_iter().flatten().collect();
        Ok((expectations, search.played))
    }

    /// Builds the player of a seat for one instance.
    ///
    /// # Errors
    /// Returns an error if the player cannot be built for the seat, or if the budget ends its preparation.
    pub fn build<'a>(
        &self,
        seat: Seat,
        instance: &'a Instance,
        budget: ComputationBudget<'_>,
    ) -> Result<PlayableStrategy<'a, N>, StrategyBuildError> {
        let registry = self.registry;
        let players = self.players;
        registry.build_at(players, seat, instance, self.protocol, budget)
    }

    /// Builds the player of a seat for one instance; `None` if the search itself chooses the seat's best replies.
    fn seated<'a>(
        &self,
        seat: Seat,
        instance: &'a Instance,
        budget: ComputationBudget<'_>,
    ) -> Result<Option<PlayableStrategy<'a, N>>, SolveError> {
        if seat == Seat::Judge || !is_best_response(&self.players[seat.seat_index()]) {
            return Ok(Some(self.build(seat, instance, budget)?));
        }
        // For an estimator, the best response may be found without a search.
        let (Seat::Opponent, Protocol::ProverEstimator(parameters)) = (seat, self.protocol) else {
            return Ok(None);
        };
        // A player who cannot be seated is rejected, with the reason, when its own seat is filled.
        let others = [Seat::Prover, Seat::Judge].map(|seat| self.build(seat, instance, budget));
        let [Ok(prover), Ok(judge)] = others else {
            return Ok(None);
        };
        let best = PayoffMinimisingEstimator::against(
            prover, &*judge, instance, parameters, self.grid, budget,
        );
        Ok(best
            .transpose()?
            .map(PayoffMinimisingEstimator::into_player))
    }
}

/// Returns the average of solutions over instances with given probabilities, which sum to 1. `None` for an empty list.
pub fn average_over_instances<N: Number>(
    each: &[(N, DebateSolution<N>)],
) -> Option<DebateSolution<N>> {
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
    let positions: HashMap<Round, usize> =
        rounds.iter().map(|(round, _)| *round).zip(0..).collect();
    let mut sum = ExpectedRewardsAndExpenses::zero(rounds.len());
    let mut most = vec![N::zero(); rounds.len()];
    let mut correct = Some(N::zero());
    for (share, solved) in each {
        let position = |(round, _): &(Round, _)| positions.get(round).copied().unwrap_or(0);
        let positions = solved.schedule.iter().map(position);
        let at_indices = solved
            .expected
            .with_round_rewards_reindexed(&positions.collect::<Vec<_>>(), rounds.len());
        for (most, reward) in most.iter_mut().zip(at_indices.expected_rewards_by_round()) {
            *most = largest([most.clone(), share.clone() * reward]);
        }
        sum.add_weighted(share, &at_indices);
        let more = solved.answer_correct.clone();
        correct = correct
            .zip(more)
            .map(|(sum, more)| sum + share.clone() * more);
    }
    let depths = each.iter().map(|(_, solved)| solved.depth);
    Some(DebateSolution {
        schedule: rounds,
        expected: sum.clear_rounding_error(&most),
        answer_correct: correct,
        depth: depths.max().unwrap_or(0),
        played: each.iter().map(|(_, solved)| solved.played).sum(),
    })
}

/// True if a debater states probabilities under these rules.
pub fn debater_gives_probabilities(protocol: &Protocol) -> bool {
    protocol.protocol_parameters().has_estimator() || matches!(protocol, Protocol::Stochastic(_))
}

/// Returns the default probabilities among which a best response chooses: every tenth, ε and 1 − ε, where honest
/// Alice's bets begin, and ε + 0.001 and 1 − ε − 0.001. Empty if no player estimates, and under stochastic debate,
/// where the best of all probabilities is found.
pub fn default_probability_grid(protocol: &Protocol) -> Vec<Exact> {
    if !protocol.protocol_parameters().has_estimator() {
        return Vec::new();
    }
    let mut grid: Vec<Exact> = (0..=10).map(|tenths| Exact::ratio(tenths, 10)).collect();
    if let Some((epsilon, _)) = protocol.protocol_parameters().epsilon_and_rho() {
        let beyond = epsilon + Exact::ratio(1, 1000);
        let high = |low: &Exact| Exact::ratio(1, 1) - low;
        grid.extend([high(epsilon), high(&beyond), epsilon.clone(), beyond]);
    }
    grid.retain(Number::is_probability);
    grid.sort();
    grid.dedup();
    grid
}
