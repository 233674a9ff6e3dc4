//! The command `solve`: computes expected payoffs for each value of a swept parameter and each instance, and defines
//! the JSON report.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;
use thiserror::Error;

use super::amplification::MajorityWinProbability;
use super::check::tolerated_judge_flip_rate;
use super::judge_error::{TolerableJudgeErrors, judge_errors};
use super::soundness::{PayoffBySoundnessProofStep, SoundnessReport, soundness};
use debate_core::budget::{ComputationBudget, ComputationStopReason};
use debate_core::number::{Exact, Number};
use debate_core::player::{KnowledgeError, KnowledgePartition, PlayerSpec, StrategyRegistry};
use debate_core::protocol::{Protocol, ProtocolKind, Seat};
use debate_core::scenario::Instance;
use debate_solver::analysis::{
    BestResponseKnowledgeAndAnswers, DebateSolution, DebateSolutionInputs, SolveError,
    average_over_instances,
};
use debate_solver::expectation::{
    BySeat, DecimalOrFractionNumber, ExpectedRewardsAndExpenses, RoundNumberOrInitial,
    SeatResourceExpenses, as_text,
};
use debate_solver::expectimax::BEST_RESPONSE;
use debate_solver::setup::LoadedScenario;

/// Maximum number of instances that a player may consider possible if the scenario has a single instance.
const MAX_BELIEVED: usize = 2000;
/// Maximum number of instances that a report lists individually.
const MAX_LISTED: usize = 1000;

/// One point of a parameter sweep of `solve`: the rules and the players for one value of the swept parameter. Without a
/// sweep, there is one point, and its `value` is `None`.
#[derive(Clone, Debug)]
pub struct SweepPointRulesAndPlayers {
    /// The value of the swept parameter at this point; `None` without a sweep.
    pub value: Option<Exact>,
    pub protocol: Protocol,
    pub players: [PlayerSpec; 3],
    /// The probabilities that a best response may state as an estimate.
    pub grid: Vec<Exact>,
    /// Restrictions on the knowledge or the answers of the best response; `None` if there are none.
    pub knowing: Option<BestResponseConstraints>,
}

/// The knowledge of a best response before the debate, and the answers that it may give.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "BestResponseReport"))]
pub struct BestResponseConstraints {
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub seat: Seat,
    /// The best response's knowledge of the instance, in the syntax of `--prover-knows`.
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub knows: KnowledgePartition,
    /// The number of blocks of instances that the best response can distinguish.
    pub blocks: usize,
    /// Maximum number of leaves that the best response may query in a debate.
    pub queries: u32,
    /// The only answer to the root claim that the best-responding player may give; null if the player may give either
    /// answer.
    pub answers: Option<bool>,
}

impl SweepPointRulesAndPlayers {
    /// Returns the seat of the best response; `None` if no player is one.
    pub fn best_response(&self) -> Option<Seat> {
        let is_best = |seat: &Seat| self.players[seat.seat_index()].name == BEST_RESPONSE;
        [Seat::Prover, Seat::Opponent].into_iter().find(is_best)
    }

    /// True if the rules have a winner: one side gets 1 and the other −1.
    pub fn rules_have_winner(&self) -> bool {
        self.protocol.weight_ratio_if_constant().is_none()
    }

    /// Returns the result in the protocol's own unit: under stochastic debate the probability that Alice wins,
    /// otherwise her expected payoff.
    pub fn value<N: Number>(&self, solution: &DebateSolution<N>) -> N {
        match self.protocol.kind() {
            ProtocolKind::Stochastic => solution.prover_win_probability(),
            _ => solution.expected_prover_payoff(),
        }
    }

    /// Returns the expected payoff of each round, in the unit of [`Self::value`]. Under stochastic debate, a round pays
    /// ±`weight`. It adds half of its payoff and half of its weight to the probability that Alice wins.
    pub fn round_payoffs<N: Number>(&self, solution: &DebateSolution<N>) -> Vec<N> {
        let rounds = solution
            .schedule
            .iter()
            .zip(solution.expected.expected_rewards_by_round());
        let reward = rounds.map(
            |((_, weight), expected)| match (self.protocol.kind(), weight) {
                (ProtocolKind::Stochastic, Some(weight)) => {
                    let reward = (expected + weight.clone()) * N::ratio(1, 2);
                    reward.clear_rounding_error(weight)
                }
                _ => expected,
            },
        );
        reward.collect()
    }

    /// Returns the variance of a debate's result. Its unit is the square of the unit of [`Self::value`].
    pub fn variance<N: Number>(&self, solution: &DebateSolution<N>) -> N {
        let variance = solution.expected.payoff_variance();
        match self.protocol.kind() {
            ProtocolKind::Stochastic => variance * N::ratio(1, 4),
            _ => variance,
        }
    }
}

/// The results for one point of a sweep: for each instance by name, and their mean.
#[derive(Clone, Debug)]
pub struct SweepPointResults<N: Number> {
    pub point: SweepPointRulesAndPlayers,
    pub instances: Vec<(String, DebateSolution<N>)>,
    pub mean: DebateSolution<N>,
    /// The judge errors that Alice tolerates, if the user requested them.
    pub judge_errors: Option<TolerableJudgeErrors>,
    /// The comparison of Alice's payoff with the soundness bound, if the user requested it.
    pub soundness: Option<PayoffBySoundnessProofStep>,
    /// The probability of winning the majority of repeated debates, if the user requested it.
    pub majority: Option<MajorityWinProbability<N>>,
}

/// The exact results for named players. With `--exact`, numbers are strings `num/den`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SolveReport {
    /// The protocol's name.
    pub protocol: &'static str,
    /// The protocol with its parameters, as a scenario file writes it.
    pub parameters: String,
    pub prover: String,
    pub opponent: String,
    pub judge: String,
    /// The depth of the claim tree: the length of the longest path from the root to a leaf.
    pub depth: u32,
    /// The reward ratio r: a round's stake divided by the next round's. Null under rules without such a ratio.
    pub reward_ratio: Option<DecimalOrFractionNumber>,
    /// Alice's expected payoff; under `Stochastic`, the probability that she wins.
    pub value: DecimalOrFractionNumber,
    /// The expected payoff of each round, in playing order and in the unit of `value`.
    pub by_round: Vec<SolvedRound>,
    /// The probability that the debate's finding about the root claim is correct; null if the truth is unknown.
    pub answer_correct: Option<DecimalOrFractionNumber>,
    /// The variance of the debate's result. Its unit is the square of the unit of `value`.
    pub variance: DecimalOrFractionNumber,
    /// The verifier's mean expenses.
    pub ledger: SeatResourceExpenses<DecimalOrFractionNumber>,
    pub ledger_by_seat: BySeat<SeatResourceExpenses<DecimalOrFractionNumber>>,
    /// The number of instances over which the results are averaged.
    pub instances: usize,
    /// The number of replies that the search simulated.
    pub replies_played: u64,
    /// The probability that the prover wins, under rules in which the winner gets 1 and the loser −1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prover_wins: Option<DecimalOrFractionNumber>,
    /// The name of the instance, if there is only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// The results for the first 1,000 instances, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub each: Option<Vec<SolvedInstance>>,
    /// The probabilities that a best response could state as an estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grid: Option<Vec<DecimalOrFractionNumber>>,
    /// The judge errors that Alice tolerates, if the user requested them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge_errors: Option<TolerableJudgeErrors<DecimalOrFractionNumber>>,
    /// The comparison of this prover's payoff with the soundness bound, if the user requested it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub soundness: Option<SoundnessReport>,
    /// Restrictions on the knowledge or the answers of the best response; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_response: Option<BestResponseConstraints>,
    /// The probability of winning the majority of repeated debates, if the user requested it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub majority: Option<ProverMajorityWinProbabilityReport>,
}

/// The result of repeated debates about one instance, decided by majority (DE §4.1).
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "MajorityReport")]
pub struct ProverMajorityWinProbabilityReport {
    /// The number of repeated debates, which is odd.
    pub debates: u32,
    /// The probability that the prover wins more than half of the repeated debates.
    pub prover_wins: DecimalOrFractionNumber,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SolvedRound {
    pub round: RoundNumberOrInitial,
    /// The maximum payoff of the round; null if it differs between instances.
    pub weight: Option<DecimalOrFractionNumber>,
    pub expected: DecimalOrFractionNumber,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SolvedInstance {
    pub instance: String,
    pub value: DecimalOrFractionNumber,
    pub answer_correct: Option<DecimalOrFractionNumber>,
}

/// The JSON document that `solve` prints: one report, or one for each value of a swept parameter.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum SolveDocument {
    Point(Box<SolveReport>),
    Sweep {
        /// The parameter that varies.
        sweep: String,
        points: Vec<SweepPointReport>,
    },
}

/// One point of a sweep.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "SweptReport")]
pub struct SweepPointReport {
    #[serde(flatten)]
    pub report: SolveReport,
    /// The value of the swept parameter, under the parameter's name.
    #[serde(flatten)]
    pub parameter: BTreeMap<String, DecimalOrFractionNumber>,
}

impl<N: Number> SweepPointResults<N> {
    pub fn report(&self) -> SolveReport {
        let point = &self.point;
        let mean = &self.mean;
        let number = |value: &Exact| DecimalOrFractionNumber::of(&N::from_exact(value));
        let [prover, opponent, judge] = point.players.each_ref().map(ToString::to_string);
        let rounds = mean.schedule.iter().zip(point.round_payoffs(mean));
        let (instance, each) = match self.instances.as_slice() {
            [(name, _)] => (Some(name.clone()), None),
            each => {
                let each = each
                    .iter()
                    .take(MAX_LISTED)
                    .map(|(name, solution)| SolvedInstance {
                        instance: name.clone(),
                        value: DecimalOrFractionNumber::of(&point.value(solution)),
                        answer_correct: solution
                            .answer_correct
                            .as_ref()
                            .map(DecimalOrFractionNumber::of),
                    });
                (None, Some(each.collect()))
            }
        };
        let has_grid = point.best_response().is_some() && !point.grid.is_empty();
        SolveReport {
            protocol: point.protocol.kind().protocol_name(),
            parameters: point.protocol.to_string(),
            prover,
            opponent,
            judge,
            depth: mean.depth,
            reward_ratio: point
                .protocol
                .weight_ratio_if_constant()
                .as_ref()
                .map(number),
            value: DecimalOrFractionNumber::of(&point.value(mean)),
            by_round: rounds
                .map(|((round, weight), expected)| SolvedRound {
                    round: (*round).into(),
                    weight: weight.as_ref().map(DecimalOrFractionNumber::of),
                    expected: DecimalOrFractionNumber::of(&expected),
                })
                .collect(),
            answer_correct: mean
                .answer_correct
                .as_ref()
                .map(DecimalOrFractionNumber::of),
            variance: DecimalOrFractionNumber::of(&point.variance(mean)),
            ledger: spent(&mean.expected, Seat::Judge),
            ledger_by_seat: BySeat::new(|seat| spent(&mean.expected, seat)),
            instances: self.instances.len(),
            replies_played: mean.played,
            prover_wins: point
                .rules_have_winner()
                .then(|| DecimalOrFractionNumber::of(&mean.prover_win_probability())),
            instance,
            each,
            grid: has_grid.then(|| point.grid.iter().map(number).collect()),
            judge_errors: self.judge_errors.as_ref().map(|errors| errors.map(&number)),
            soundness: self
                .soundness
                .as_ref()
                .map(|soundness| soundness.report(&number)),
            best_response: point.knowing.clone(),
            majority: self
                .majority
                .as_ref()
                .map(|majority| ProverMajorityWinProbabilityReport {
                    debates: majority.debates,
                    prover_wins: DecimalOrFractionNumber::of(&majority.wins),
                }),
        }
    }
}

fn spent<N: Number>(
    expected: &ExpectedRewardsAndExpenses<N>,
    seat: Seat,
) -> SeatResourceExpenses<DecimalOrFractionNumber> {
    let amounts = expected.expected_expenses(seat);
    std::array::from_fn(|kind| DecimalOrFractionNumber::of(&amounts[kind])).into()
}

/// Instances with their probabilities.
type WeightedInstances = Vec<(Exact, Instance)>;

/// The name of an instance, with its probability and the results for it.
type NamedSolution<N> = (String, (N, DebateSolution<N>));

/// Solves the points of a parameter sweep in one scenario.
#[derive(Clone, Copy)]
pub struct SweepPointSolver<'s> {
    pub setup: &'s LoadedScenario,
    /// The worlds with their probabilities.
    pub worlds: &'s [(Exact, usize)],
    /// True if the user requested a single instance by name.
    pub asks_one: bool,
    /// Maximum number of replies that one search simulates. A search is about one instance, or about several instances
    /// that are solved together.
    pub budget: ComputationBudget<'s>,
    /// Maximum number of instances that are solved together, if the knowledge or the answers of a best response are
    /// restricted. Each instance counts as one step of this budget. Otherwise unused.
    pub instances: ComputationBudget<'s>,
    /// True if the user requested the judge errors that Alice tolerates.
    pub judge_errors: bool,
    /// True if the user requested the comparison of Alice's payoff with the soundness bound.
    pub soundness: bool,
    /// The number of repeated debates whose majority the user requested; `None` if none.
    pub majority: Option<u32>,
    /// A callback that is called with the number of each instance, from 1, before the instance is solved. Not called if
    /// all instances are solved together.
    pub begin: &'s dyn Fn(usize),
}

/// The reason why there are no results for a point of the sweep.
#[derive(Debug, Error)]
pub enum SweepPointError {
    /// The error occurred in one of several instances; the field is the instance's name.
    #[error("instance {instance}: {error}")]
    Instance { instance: String, error: SolveError },
    #[error("{0}")]
    Unsolved(#[from] SolveError),
    #[error("{0}")]
    TooManyInstances(ComputationStopReason),
    #[error("{0}")]
    Knowledge(#[from] KnowledgeError),
    #[error("there is no instance to solve")]
    NoInstance,
}

impl SweepPointError {
    /// Returns the solver's error that is the cause; `None` for other causes.
    pub fn cause(&self) -> Option<&SolveError> {
        match self {
            Self::Instance { error, .. } | Self::Unsolved(error) => Some(error),
            Self::TooManyInstances(_) | Self::Knowledge(_) | Self::NoInstance => None,
        }
    }
}

impl SweepPointSolver<'_> {
    /// Solves one point of a sweep. `delta` is the δ of the soundness proof, if it differs from that of PE Theorem 6.2.
    ///
    /// # Errors
    /// Returns an error if the point has no value, or if there are too many instances.
    pub fn solve<N: Number>(
        &self,
        registry: &StrategyRegistry<N>,
        mut point: SweepPointRulesAndPlayers,
        delta: Option<&Exact>,
    ) -> Result<SweepPointResults<N>, SweepPointError> {
        let exact = DebateSolutionInputs {
            registry: &debate_solver::registry()
                .with_player_files(self.setup.files_for_building_players()),
            protocol: &point.protocol,
            players: &point.players,
            grid: &point.grid,
        };
        let asked = || self.asked_instances();
        let judge_errors = self.judge_errors.then(|| {
            let allowed = tolerated_judge_flip_rate(self.setup, &point.protocol);
            judge_errors(&exact, &asked(), allowed, self.budget)
        });
        let soundness = self
            .soundness
            .then(|| self.soundness(&exact, &point, delta));
        let (judge_errors, soundness) = (judge_errors.transpose()?, soundness.transpose()?);
        let grid: Vec<N> = point.grid.iter().map(N::from_exact).collect();
        let players = point.players.clone();
        let protocol = point.protocol.clone();
        let solver = DebateSolutionInputs {
            registry,
            protocol: &protocol,
            players: &players,
            grid: &grid,
        };
        let solved = match &mut point.knowing {
            Some(terms) => self.solve_with_knowledge(&solver, terms)?,
            None => self.solve_each(&solver)?,
        };
        let (names, solutions): (Vec<_>, Vec<_>) = solved.into_iter().unzip();
        let mean = average_over_instances(&solutions).ok_or(SweepPointError::NoInstance)?;
        let each = names.into_iter().zip(solutions);
        let wins = mean.prover_win_probability();
        Ok(SweepPointResults {
            majority: self.majority.map(|debates| {
                MajorityWinProbability::majority_win_probability_of_debates(debates, &wins)
            }),
            point,
            instances: each.map(|(name, (_, solution))| (name, solution)).collect(),
            mean,
            judge_errors,
            soundness,
        })
    }

    /// Solves each instance separately. Returns the instances' names, probabilities and results.
    fn solve_each<N: Number>(
        &self,
        solver: &DebateSolutionInputs<'_, N>,
    ) -> Result<Vec<NamedSolution<N>>, SweepPointError> {
        let several = self.worlds.len() > 1;
        let worlds = self.worlds.iter().zip(1..);
        let solve = |((share, world), number): (&(Exact, usize), usize)| {
            (self.begin)(number);
            let instance = self.setup.instance(*world);
            let name = instance.world_name().to_owned();
            match solver.solve(&instance, self.budget) {
                Ok(solution) => Ok((name, (N::from_exact(share), solution))),
                Err(error) if several => Err(SweepPointError::Instance {
                    instance: name,
                    error,
                }),
                Err(error) => Err(error.into()),
            }
        };
        worlds.map(solve).collect()
    }

    /// Solves all instances together, because a best response has one strategy for all instances that it cannot tell
    /// apart (a block).
    fn solve_with_knowledge<N: Number>(
        &self,
        solver: &DebateSolutionInputs<'_, N>,
        terms: &mut BestResponseConstraints,
    ) -> Result<Vec<NamedSolution<N>>, SweepPointError> {
        let (instances, blocks) = self.instances(&terms.knows)?;
        let count = instances.len() as u64;
        let limited = self.instances.check_total_steps(count, "instances");
        limited.map_err(SweepPointError::TooManyInstances)?;
        terms.blocks = blocks.iter().collect::<HashSet<_>>().len();
        let weighted = instances.into_iter();
        let instances: Vec<(N, Instance)> = weighted
            .map(|(share, instance)| (N::from_exact(&share), instance))
            .collect();
        let seat = BestResponseKnowledgeAndAnswers {
            seat: terms.seat,
            blocks,
            queries: terms.queries,
            answers: terms.answers,
        };
        let solutions = solver.solve_with_knowledge(&instances, &seat, self.budget)?;
        // The strategy is optimal over a whole block, but the report covers only the requested instances.
        let asked: HashSet<usize> = self.worlds.iter().map(|(_, world)| *world).collect();
        let solved: Vec<_> = (instances.into_iter().zip(solutions))
            .filter(|((_, instance), _)| !self.asks_one || asked.contains(&instance.world_index()))
            .collect();
        let shares = solved.iter().map(|((share, _), _)| share.clone());
        let total = shares.fold(N::zero(), |sum, share| sum + share);
        let named = solved.into_iter().map(|((share, instance), solution)| {
            let name = instance.world_name().to_owned();
            (name, (share / total.clone(), solution))
        });
        Ok(named.collect())
    }

    /// Splits Alice's payoff between the players of a sweep point by the steps of the soundness proof.
    fn soundness(
        &self,
        solver: &DebateSolutionInputs<'_, Exact>,
        point: &SweepPointRulesAndPlayers,
        delta: Option<&Exact>,
    ) -> Result<PayoffBySoundnessProofStep, SweepPointError> {
        let terms = point.knowing.as_ref();
        let (instances, blocks) = match terms {
            Some(terms) => self.instances(&terms.knows)?,
            None => (self.asked_instances(), (0..self.worlds.len()).collect()),
        };
        let seat = BestResponseKnowledgeAndAnswers {
            seat: point.best_response().unwrap_or(Seat::Prover),
            blocks,
            queries: terms.map_or(0, |terms| terms.queries),
            answers: terms.and_then(|terms| terms.answers),
        };
        Ok(soundness(solver, &instances, &seat, delta, self.budget)?)
    }

    fn asked_instances(&self) -> WeightedInstances {
        let worlds = self.worlds.iter();
        let instances = worlds.map(|(share, world)| (share.clone(), self.setup.instance(*world)));
        instances.collect()
    }

    /// Returns all instances with their probabilities, and the number of each instance's block. If the scenario has one
    /// instance, and the player does not know everything, returns the instances that the player may consider possible.
    fn instances(
        &self,
        knows: &KnowledgePartition,
    ) -> Result<(WeightedInstances, Vec<usize>), SweepPointError> {
        let setup = self.setup;
        let problem = setup.decomposition.as_ref();
        if problem.worlds().len() == 1 && *knows != KnowledgePartition::Everything {
            // If the truths of a single instance are hard to find, a player may consider several instances
            // possible.
            let possible_instances_for_estimator = setup
                .instance(0)
                .possible_instances_for_estimator(MAX_BELIEVED);
            if let Some(several) =
                possible_instances_for_estimator.filter(|instances| instances.len() > 1)
            {
                let blocks = vec![0; several.len()];
                return Ok((several, blocks));
            }
        }
        let blocks = knows.instance_blocks(problem)?;
        let all = setup.all_worlds().into_iter();
        let instances = all.map(|(share, world)| (share, setup.instance(world)));
        Ok((instances.collect(), blocks.to_vec()))
    }
}
