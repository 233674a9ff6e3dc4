//! Equilibria (PE Theorem 6.2): the payoff table of named provers against named opponents, and the game over all
//! strategies.
//!
//! The prover leads: it commits itself to a strategy, and the opponent gives its best reply to this strategy. The
//! leader chooses the strategy whose payoff against the best reply is greatest. If the decomposition is stable and
//! provable, and if all opponents of Theorem 6.2 are available, the leader answers truly with probability above 1 − 4ε.
//! A table of a few named strategies only illustrates this. `optimal` brackets the value between all strategies of a
//! small game, and computes how rarely a prover who guarantees this value may answer truly.

mod builder;
mod continuum;
mod learning;
mod optimal;
pub mod plans;
pub mod programs;
mod report;
pub mod sequence_form;

use num_bigint::BigUint;
use serde::Serialize;

use crate::analysis::solve::{DebateSolutionInputs, SolveError, average_over_instances};
use crate::closed_form::prover_estimator::random;
use crate::expectation::{PayoffNotComputedReason, as_text};
use debate_core::budget::ComputationBudget;
use debate_core::number::{Number, format_as_short_decimal_or_fraction};
use debate_core::player::{PlayerSpec, StrategyEntry, StrategyRegistry};
use debate_core::protocol::{Protocol, Seat};
use debate_core::scenario::Instance;

pub use continuum::{
    ValueBoundsWithoutGrid, last_round_loss_bound_in_grid_steps, prover_loss_bound_without_grid,
};
pub use learning::{EquilibriumTrainingReport, PlanGuaranteesAfterUpdates, learn};
pub use optimal::{GameValueInterval, LeastTruthfulNearOptimalProver, UnrestrictedDebaterGame};
pub use programs::LinearProgramSize;
pub use report::{
    CLAIMS_FOLLOW, DebaterSequenceFormSizeReport, EquilibriumDocument,
    LeastTruthfulOptimalPlanReport, NO_PROOF_BITS, OptimalPlayReport, ProverPayoffTableReport,
    StackelbergLeader, leading_prover_truthfulness_bound, scenario_theorem_hypotheses,
    soundness_hypotheses, theorem_hypotheses,
};

/// The budget of replies for a whole payoff table, as a multiple of the budget for one debate.
const TABLE_BUDGET_FACTOR: u64 = 8;

/// A player that the payoff table leaves out because a payoff cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "LeftOutPlayer"))]
pub struct PlayerLeftOutOfPayoffTable {
    #[serde(skip)]
    pub seat: Seat,
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub player: PlayerSpec,
    pub reason: String,
}

/// The table of the prover's exact expected payoffs, for each prover and each opponent.
#[derive(Clone, Debug)]
pub struct ProverPayoffTable<N> {
    /// The provers.
    pub provers: Vec<PlayerSpec>,
    /// The opponents.
    pub opponents: Vec<PlayerSpec>,
    /// The expected payoff of each prover (row) against each opponent (column).
    pub payoff: Vec<Vec<N>>,
    /// For each prover, the probability that its answer to the root claim is true; `None` if the truth is undecided.
    pub answer_correct: Vec<Option<N>>,
    /// The players that were left out because payoffs cannot be computed.
    pub left_out: Vec<PlayerLeftOutOfPayoffTable>,
}

impl<N: Number> ProverPayoffTable<N> {
    /// Returns the index of the opponent's best reply to a prover: the first opponent that gives the prover the least
    /// payoff. `None` if the table lacks the prover or has no opponents.
    pub fn best_reply_to_prover(&self, prover: usize) -> Option<usize> {
        let row = self.payoff.get(prover)?;
        first_best(row, |value, best| value < best)
    }

    /// Returns the payoff of a prover against the opponent's best reply; `None` if there is no best reply.
    pub fn guaranteed_payoff(&self, prover: usize) -> Option<&N> {
        self.payoff
            .get(prover)?
            .get(self.best_reply_to_prover(prover)?)
    }

    /// Returns the index of the leader in the Stackelberg game that the prover leads: the first prover with the
    /// greatest guaranteed payoff. `None` for an empty table.
    pub fn prover_with_greatest_guarantee(&self) -> Option<usize> {
        let kept: Vec<&N> = (0..self.provers.len())
            .map(|prover| self.guaranteed_payoff(prover))
            .collect::<Option<_>>()?;
        first_best(&kept, |value, best| value > best)
    }
}

/// Returns the index of the first value that no other value beats, by the order `beats`; `None` for an empty list.
fn first_best<V>(values: &[V], beats: impl Fn(&V, &V) -> bool) -> Option<usize> {
    let mut best: Option<(usize, &V)> = None;
    for (index, value) in values.iter().enumerate() {
        if best.is_none_or(|(_, best)| beats(value, best)) {
            best = Some((index, value));
        }
    }
    best.map(|(index, _)| index)
}

/// Returns every strategy of a seat except `asks` and those that depend on the player of another seat. For the opponent
/// under rules with ε, includes the estimator `shifted` with offset ε, which reduces honest Alice to her guaranteed
/// bound.
pub fn independent_strategies<N: Number>(
    registry: &StrategyRegistry<N>,
    seat: Seat,
    protocol: &Protocol,
) -> Vec<PlayerSpec> {
    // The last one draws each estimate at random, which takes too many replies for a table.
    let left_out = ["indistinguishable", "best-response", "asks"];
    let entries = registry.strategies_for_seat(seat, protocol.kind());
    let examples = entries
        .filter(|entry| !left_out.contains(&entry.name))
        .flat_map(StrategyEntry::example_specs_with_arguments);
    let parameters = protocol.protocol_parameters().epsilon_and_rho();
    let tight = parameters
        .filter(|_| seat == Seat::Opponent)
        .map(|(epsilon, _)| format!("shifted({})", format_as_short_decimal_or_fraction(epsilon)));
    examples
        .chain(tight)
        .filter_map(|text| PlayerSpec::parse(&text).ok())
        .collect()
}

/// The rules, the players and the instances from which a table of expected payoffs is computed.
#[derive(Clone, Copy, Debug)]
pub struct PayoffTableInputs<'s, N: Number> {
    /// The registry that builds players.
    pub registry: &'s StrategyRegistry<N>,
    /// The rules.
    pub protocol: &'s Protocol,
    pub judge: &'s PlayerSpec,
    /// The instances of the distribution μ with their probabilities.
    pub instances: &'s [(N, Instance)],
    /// The probabilities that the player `best-response` may state as an estimate.
    pub grid: &'s [N],
}

/// The number of an opponent's payoffs whose computation may exceed the budget. The opponent's other payoffs are then
/// skipped.
const MAX_EXCEEDED: usize = 3;

/// Returns the error of an opponent whose payoffs were too expensive to compute: in [`MAX_EXCEEDED`] rows of the table
/// so far, the computation exceeded its budget. `None` if there are fewer such rows.
fn repeated_excess<N: Number>(rows: &[Vec<PayoffCell<N>>], opponent: usize) -> Option<SolveError> {
    let excess = |row: &Vec<PayoffCell<N>>| match row.get(opponent)? {
        Err(SolveError::Unsolved(why @ PayoffNotComputedReason::Exceeded(_))) => Some(why.clone()),
        _ => None,
    };
    let why = rows.iter().filter_map(excess).nth(MAX_EXCEEDED - 1)?;
    Some(why.into())
}

/// A cell of the payoff table: the expected payoff of one prover against one opponent, and the probability that the
/// prover's answer is true.
type PayoffCell<N> = Result<(N, Option<N>), SolveError>;

impl<N: Number> PayoffTableInputs<'_, N> {
    /// Computes the payoff of one prover against one opponent. Adds the number of simulated replies to `played`.
    fn cell(
        &self,
        [prover, opponent]: [&PlayerSpec; 2],
        budget: ComputationBudget<'_>,
        played: &mut u64,
    ) -> PayoffCell<N> {
        let players = [prover.clone(), opponent.clone(), self.judge.clone()];
        let case = DebateSolutionInputs {
            registry: self.registry,
            protocol: self.protocol,
            players: &players,
            grid: self.grid,
        };
        if let Some(drawn) = self.closed_form_cell(&case, budget) {
            return drawn;
        }
        let mut each = Vec::with_capacity(self.instances.len());
        for (share, instance) in self.instances {
            let solved = case.solve(instance, budget).inspect_err(|error| {
                if let SolveError::Unsolved(PayoffNotComputedReason::Exceeded(_)) = error {
                    *played += budget.steps;
                }
            })?;
            *played += solved.played;
            each.push((share.clone(), solved));
        }
        Ok(match average_over_instances(&each) {
            Some(solved) => (solved.expected_prover_payoff(), solved.answer_correct),
            None => (N::zero(), None),
        })
    }

    /// Returns the payoff in closed form if a player draws every reply at random; `None` if no closed form is known.
    fn closed_form_cell(
        &self,
        case: &DebateSolutionInputs<'_, N>,
        budget: ComputationBudget<'_>,
    ) -> Option<PayoffCell<N>> {
        let mut sum = (N::zero(), Some(N::zero()));
        for (share, instance) in self.instances {
            // A player who cannot be seated is rejected later, with the reason.
            let players = Seat::PLAYERS.map(|seat| case.build(seat, instance, budget).ok());
            let [Some(prover), Some(opponent), Some(judge)] = players else {
                return None;
            };
            let built = [&*prover, &*opponent, &*judge];
            match random::payoff_with_random_replies(built, instance, self.protocol, budget)? {
                Ok((value, right)) => {
                    sum.0 += share.clone() * value;
                    let more = |(sum, right): (N, N)| sum + share.clone() * right;
                    sum.1 = sum.1.zip(right).map(more);
                }
                Err(error) => return Some(Err(error.into())),
            }
        }
        // A difference within rounding errors counts as 0. The scale is 1, because no round pays more.
        let (value, right) = sum;
        let clean = |number: N| number.clear_rounding_error(&N::one());
        Some(Ok((clean(value), right.map(clean))))
    }

    /// Returns an estimate of the number of claims that the closed form visits for one prover and one opponent.
    fn estimated_visits(&self) -> BigUint {
        let each = self.instances.iter().map(|(_, instance)| {
            let size = instance.size();
            let split = &size.claims - &size.leaves;
            &size.claims + split * size.width * size.width
        });
        each.sum()
    }

    /// Computes the payoff table. While some cells cannot be computed, leaves out one player at a time: the one with
    /// the greatest proportion of failed cells.
    ///
    /// # Errors
    /// Returns an error if the computation is stopped or takes many times the budget in total. Also returns
    /// an error if it would visit many times more claims than the budget allows replies.
    pub fn fill(
        &self,
        provers: &[PlayerSpec],
        opponents: &[PlayerSpec],
        budget: ComputationBudget<'_>,
    ) -> Result<ProverPayoffTable<N>, SolveError> {
        let mut left_out = Vec::new();
        let mut cells: Vec<Vec<PayoffCell<N>>> = Vec::new();
        let mut played = 0;
        let in_all = ComputationBudget {
            steps: budget.steps.saturating_mul(TABLE_BUDGET_FACTOR),
            ..budget
        };
        // Closed forms play no replies, so the budget counts visits of claims instead: q² for a support of q subclaims.
        let pairs = BigUint::from(provers.len()) * opponents.len();
        if self.estimated_visits() * pairs > BigUint::from(in_all.steps) {
            let exceeded = in_all.limit_exceeded_error(
                "visits of claims, summed over all pairs of a prover and an opponent",
            );
            return Err(PayoffNotComputedReason::from(exceeded).into());
        }
        for prover in provers {
            let mut row = Vec::new();
            for opponent in opponents {
                if played > in_all.steps {
                    let exceeded = in_all.limit_exceeded_error(
                        "replies in all, including those of players that exceed \
                                         their own limit",
                    );
                    return Err(PayoffNotComputedReason::from(exceeded).into());
                }
                // An opponent who exceeds the limit against several provers will be left out, so the searches against
                // the other provers are saved.
                if let Some(exceeded) = repeated_excess(&cells, row.len()) {
                    row.push(Err(exceeded));
                    continue;
                }
                match self.cell([prover, opponent], budget, &mut played) {
                    Err(error) if error.was_cancelled() => return Err(error),
                    cell => row.push(cell),
                }
            }
            cells.push(row);
        }
        let mut rows: Vec<usize> = (0..provers.len()).collect();
        let mut columns: Vec<usize> = (0..opponents.len()).collect();
        while let Some((seat, worst)) = most_failing(&cells, &rows, &columns) {
            let error = |row: usize, column: usize| cells[row][column].as_ref().err();
            let (player, first) = if seat == Seat::Prover {
                rows.retain(|row| *row != worst);
                let first = columns.iter().find_map(|column| error(worst, *column));
                (&provers[worst], first)
            } else {
                columns.retain(|column| *column != worst);
                let first = rows.iter().find_map(|row| error(*row, worst));
                (&opponents[worst], first)
            };
            left_out.push(PlayerLeftOutOfPayoffTable {
                seat,
                player: player.clone(),
                reason: first.map(ToString::to_string).unwrap_or_default(),
            });
        }
        let value = |row: usize, column: usize| cells[row][column].as_ref().ok();
        let payoff = |row: &usize| {
            let each = columns.iter().filter_map(|column| value(*row, *column));
            each.map(|(value, _)| value.clone()).collect()
        };
        let correct = |row: &usize| value(*row, *columns.first()?)?.1.clone();
        Ok(ProverPayoffTable {
            provers: rows.iter().map(|row| provers[*row].clone()).collect(),
            opponents: columns.iter().map(|at| opponents[*at].clone()).collect(),
            payoff: rows.iter().map(payoff).collect(),
            answer_correct: rows.iter().map(correct).collect(),
            left_out,
        })
    }
}

/// Returns the player (row or column) with the greatest proportion of failed cells; `None` if no cell failed.
fn most_failing<N>(
    cells: &[Vec<PayoffCell<N>>],
    rows: &[usize],
    columns: &[usize],
) -> Option<(Seat, usize)> {
    let fails = |row: usize, column: usize| cells[row][column].is_err();
    let of_row = |row: &usize| {
        let failed = columns
            .iter()
            .filter(|column| fails(*row, **column))
            .count();
        (failed * rows.len(), Seat::Prover, *row)
    };
    let of_column = |column: &usize| {
        let failed = rows.iter().filter(|row| fails(**row, *column)).count();
        (failed * columns.len(), Seat::Opponent, *column)
    };
    let all = rows.iter().map(of_row).chain(columns.iter().map(of_column));
    let (failed, seat, index) = all.max_by_key(|(failed, _, _)| *failed)?;
    (failed > 0).then_some((seat, index))
}
