//! Optimal plans in floating point. They are only proposals: `optimal` computes the exact best reply to each plan, so
//! rounding cannot make a bound wrong.
//!
//! A small game is solved by one linear program per side, in sequence form (Koller, Megiddo and von Stengel 1994). A
//! larger game is solved by double oracle: each round solves the game between a few sequences of either side, and adds
//! each side's best reply to the other's plan (McMahan, Gordon and Blum 2003; in sequence form Bošanský, Kiekintveld,
//! Lisý and Pěchouček 2014). Every round gives a bracket.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use super::sequence_form::{InformationSet, SequenceForm, SequenceFormSide};
use crate::analysis::SolveError;
use crate::expectation::Unsolved;
use crate::game::Side;
use debate_core::budget::Budget;
use microlp::{
    ComparisonOp, LinearExpr, OptimizationDirection, Problem, Solution, SolveOptions, SolveOutcome,
    Variable,
};
use serde::Serialize;

/// The size of a linear program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgramSize {
    /// The number of nonzero entries in its rows.
    pub nonzeros: usize,
    pub rows: usize,
    pub columns: usize,
    /// The memory in bytes for the nonzero entries, each stored with its column.
    pub bytes: usize,
}

/// The number of bytes of an entry and the index of its column.
const ENTRY: usize = size_of::<f64>() + size_of::<usize>();

/// A plan, and the size of the linear program that it solves.
#[derive(Clone, Debug)]
pub struct OptimalPlan {
    /// The weight of each sequence.
    pub plan: Vec<f64>,
    pub size: ProgramSize,
}

/// Returns the plan of one side with the greatest guarantee.
///
/// # Errors
/// Returns an error if the solver fails, or if it is stopped.
pub fn optimal_plan(
    form: &SequenceForm<f64>,
    side: Side,
    budget: Budget<'_>,
) -> Result<OptimalPlan, SolveError> {
    Program::new(form, side, OptimizationDirection::Maximize, 1.0, None).solved(budget)
}

/// The search for a prover who answers the root claim truly as rarely as possible.
pub(super) struct LeastTruthSearch<'f> {
    pub(super) form: &'f SequenceForm<f64>,
    /// The payoff that the prover must guarantee.
    pub(super) guaranteed: f64,
    /// The opponent's initial sequences.
    pub(super) kept: Vec<bool>,
    /// Maximum number of rounds that add sequences.
    pub(super) rounds: u32,
    /// The amount by which the plan may miss the required guarantee.
    pub(super) tolerance: f64,
}

impl LeastTruthSearch<'_> {
    /// Returns the prover's plan. Adds better sequences of the opponent until the plan has the required
    /// guarantee.
    pub(super) fn least_truthful_plan(
        mut self,
        budget: Budget<'_>,
    ) -> Result<Vec<f64>, SolveError> {
        let all = vec![true; self.form.seats[0].sequences];
        let mut kept = [all, std::mem::take(&mut self.kept)];
        let mut round = 0;
        loop {
            round += 1;
            budget.check_not_cancelled().map_err(Unsolved::from)?;
            let part = PartialGame::of(self.form, &kept);
            let plan = least_true_part(&part.form, self.guaranteed, budget)?;
            let least = self.tolerance / 8.0;
            let (keeps, grown) = best_reply_value(self.form, 1, &plan, least, &mut kept[1]);
            if keeps >= self.guaranteed - self.tolerance || !grown || round >= self.rounds {
                return Ok(plan);
            }
        }
    }
}

fn least_true_part(
    form: &SequenceForm<f64>,
    guaranteed: f64,
    budget: Budget<'_>,
) -> Result<Vec<f64>, SolveError> {
    let truly = form.truly.as_deref();
    let mut program = Program::new(form, 0, OptimizationDirection::Minimize, 0.0, truly);
    let value = program.value;
    let bound = guaranteed * program.scale;
    program
        .problem
        .add_constraint([(value, 1.0)], ComparisonOp::Ge, bound);
    Ok(program.solved(budget)?.plan)
}

/// The size to which the largest payoff of a program is scaled. [`TOLERANCE`] is 10⁻¹² of it.
const LARGEST: f64 = 1e2;
const TOLERANCE: f64 = 1e-10;

/// The linear program of one side. Its variables are the weights of the side's plan and, for each information set of
/// the other side, the payoff that the other side can still get.
struct Program {
    problem: Problem,
    plan: Vec<Variable>,
    /// The scaled guarantee of the plan.
    value: Variable,
    /// The factor on payoffs, such that the largest is [`LARGEST`].
    scale: f64,
    size: ProgramSize,
}

impl Program {
    fn new(
        form: &SequenceForm<f64>,
        side: Side,
        direction: OptimizationDirection,
        worth: f64,
        costs: Option<&[(usize, f64)]>,
    ) -> Self {
        let own = &form.seats[side];
        let other = &form.seats[1 - side];
        // The game is zero-sum: the opponent's gain is the prover's loss.
        let sign = if side == 0 { 1.0 } else { -1.0 };
        let sizes = form.payoff.iter().flat_map(|row| row.values());
        let largest = sizes.fold(0.0_f64, |most, payoff| most.max(payoff.abs()));
        let scale = if largest > 0.0 {
            LARGEST / largest
        } else {
            1.0
        };
        let mut problem = Problem::new(direction);
        let mut plan = Vec::with_capacity(own.sequences);
        for sequence in 0..own.sequences {
            let cost: f64 = costs
                .unwrap_or_default()
                .iter()
                .filter(|(at, _)| *at == sequence)
                .map(|(_, share)| share)
                .sum();
            let range = if sequence == 0 {
                (1.0, 1.0)
            } else {
                (0.0, 1.0)
            };
            plan.push(problem.add_var(cost, range));
        }
        let free = (f64::NEG_INFINITY, f64::INFINITY);
        let value = problem.add_var(worth, free);
        let of_sets: Vec<Variable> = other
            .sets
            .iter()
            .map(|_| problem.add_var(0.0, free))
            .collect();
        for set in &own.sets {
            let mut sum = LinearExpr::empty();
            for reply in &plan[set.first..set.first + set.replies] {
                sum.add(*reply, 1.0);
            }
            sum.add(plan[set.parent], -1.0);
            problem.add_constraint(sum, ComparisonOp::Eq, 0.0);
        }
        // The other side's payoff from a sequence onwards is at least its payoff at this sequence and after it.
        let mut rows: Vec<LinearExpr> = vec![LinearExpr::empty(); other.sequences];
        rows[0].add(value, 1.0);
        for (set, variable) in other.sets.iter().zip(&of_sets) {
            for row in &mut rows[set.first..set.first + set.replies] {
                row.add(*variable, 1.0);
            }
            rows[set.parent].add(*variable, -1.0);
        }
        for (prover, row) in form.payoff.iter().enumerate() {
            for (opponent, payoff) in row {
                let (from, to) = match side {
                    0 => (prover, *opponent),
                    _ => (*opponent, prover),
                };
                rows[to].add(plan[from], -sign * payoff * scale);
            }
        }
        for row in rows {
            problem.add_constraint(row, ComparisonOp::Le, 0.0);
        }
        let payoffs: usize = form.payoff.iter().map(BTreeMap::len).sum();
        let of_own: usize = own.sets.iter().map(|set| set.replies + 1).sum();
        let of_other: usize = other.sets.iter().map(|set| set.replies + 1).sum();
        let nonzeros = payoffs + of_own + of_other + 1;
        let size = ProgramSize {
            nonzeros,
            rows: own.sets.len() + other.sequences,
            columns: plan.len() + 1 + of_sets.len(),
            bytes: nonzeros * ENTRY,
        };
        Self {
            problem,
            plan,
            value,
            scale,
            size,
        }
    }

    fn solved(self, budget: Budget<'_>) -> Result<OptimalPlan, SolveError> {
        let solution = solution(&self.problem, budget)?;
        let plan = self.plan.iter();
        Ok(OptimalPlan {
            plan: plan.map(|sequence| solution.var_value(*sequence)).collect(),
            size: self.size,
        })
    }
}

/// The interval at which the solver checks the stop flag.
const SLICE: Duration = Duration::from_millis(250);

fn solution(problem: &Problem, budget: Budget<'_>) -> Result<Solution, SolveError> {
    let failed = |error: microlp::Error| SolveError::Program(error.to_string());
    let mut options = SolveOptions::default();
    options.tolerances.feasibility = TOLERANCE;
    options.time_limit = budget.stop.map(|_| SLICE);
    let mut outcome = problem.solve_with(options).map_err(failed)?;
    loop {
        let interrupted = match outcome.into_solution() {
            Ok(solution) => return Ok(solution),
            Err(interrupted) => interrupted,
        };
        budget.check_not_cancelled().map_err(Unsolved::from)?;
        outcome = SolveOutcome::Interrupted(interrupted)
            .resume()
            .map_err(failed)?;
    }
}

/// The result of [`solve_by_double_oracle`].
#[derive(Clone, Debug)]
pub struct DoubleOracleResult {
    /// The plans of prover and opponent with the narrowest bracket.
    pub plans: [Vec<f64>; 2],
    pub rounds: u32,
    /// The number of sequences of moves of each side that the linear programs used.
    pub kept: [Vec<bool>; 2],
    /// The largest program that was solved.
    pub size: ProgramSize,
    /// True if it ended before the bracket reached its least width.
    pub stopped: bool,
}

impl DoubleOracleResult {
    /// Returns the plans that give every reply equal weight, before any search.
    pub(super) fn uniform_plans(form: &SequenceForm<f64>) -> Self {
        Self {
            plans: [0, 1].map(|side| uniform_plan(form, side)),
            rounds: 0,
            kept: form.seats.each_ref().map(|seat| vec![true; seat.sequences]),
            size: ProgramSize::default(),
            stopped: true,
        }
    }
}

/// A game between some sequences of either side.
struct PartialGame {
    form: SequenceForm<f64>,
    /// For each sequence of the partial game, its index in the whole game.
    sequences: [Vec<usize>; 2],
}

impl PartialGame {
    /// Restricts the game to the kept sequences. With a sequence, all sequences that lead to it must be kept,
    /// and a reply at each set after it.
    fn of(form: &SequenceForm<f64>, kept: &[Vec<bool>; 2]) -> Self {
        let sequences = kept.each_ref().map(|kept| -> Vec<usize> {
            let numbered = kept.iter().enumerate().filter(|(_, kept)| **kept);
            numbered.map(|(sequence, _)| sequence).collect()
        });
        let numbers = sequences.each_ref().map(|sequences| {
            let each = sequences.iter().zip(0..).map(|(of, number)| (*of, number));
            each.collect::<HashMap<usize, usize>>()
        });
        let seats = [0, 1].map(|side: Side| {
            let number = |sequence: usize| numbers[side].get(&sequence).copied();
            let set = |set: &InformationSet| {
                let own = set.first..set.first + set.replies;
                let replies: Vec<usize> = own.filter_map(number).collect();
                Some(InformationSet {
                    parent: number(set.parent)?,
                    first: *replies.first()?,
                    replies: replies.len(),
                })
            };
            SequenceFormSide {
                sets: form.seats[side].sets.iter().filter_map(set).collect(),
                sequences: sequences[side].len(),
            }
        });
        let row = |own: &usize| {
            let each = form.payoff[*own].iter();
            each.filter_map(|(other, payoff)| Some((*numbers[1].get(other)?, *payoff)))
                .collect()
        };
        let truly = form.truly.as_ref().map(|each| {
            let each = each.iter();
            each.filter_map(|(own, share)| Some((*numbers[0].get(own)?, *share)))
                .collect()
        });
        Self {
            form: SequenceForm {
                seats,
                payoff: sequences[0].iter().map(row).collect(),
                truly,
                positions: form.positions,
            },
            sequences,
        }
    }

    /// Extends a plan of this game to the whole game, in which the side has `sequences` sequences.
    fn whole(&self, side: Side, plan: &[f64], sequences: usize) -> Vec<f64> {
        let mut whole = vec![0.0; sequences];
        for (sequence, weight) in self.sequences[side].iter().zip(plan) {
            whole[*sequence] = *weight;
        }
        whole
    }
}

/// Returns the payoff that a side can get against a plan of the other side. At each information set that is reached,
/// adds the best reply to `kept` if it is better than all kept replies by more than `least`. Also returns true if
/// `kept` grew.
fn best_reply_value(
    form: &SequenceForm<f64>,
    side: Side,
    plan: &[f64],
    least: f64,
    kept: &mut [bool],
) -> (f64, bool) {
    let worth = form.values_under_best_reply(side, plan);
    let sign = if side == 0 { 1.0 } else { -1.0 };
    let mut grown = false;
    kept[0] = true;
    for set in &form.seats[side].sets {
        if !kept[set.parent] {
            continue;
        }
        let own = set.first..set.first + set.replies;
        let best = |among: &mut dyn Iterator<Item = usize>| {
            among.max_by(|a, b| (sign * worth[*a]).total_cmp(&(sign * worth[*b])))
        };
        let known = best(&mut own.clone().filter(|reply| kept[*reply]));
        let Some(most) = best(&mut own.clone().rev()) else {
            continue;
        };
        if known.is_none_or(|known| sign * (worth[most] - worth[known]) > least) {
            kept[most] = true;
            grown = true;
        }
    }
    (worth[0], grown)
}

/// Returns the plan of a side that gives every reply equal weight.
fn uniform_plan(form: &SequenceForm<f64>, side: Side) -> Vec<f64> {
    let seat = &form.seats[side];
    let mut uniform_plans = vec![0.0; seat.sequences];
    uniform_plans[0] = 1.0;
    for set in &seat.sets {
        #[expect(clippy::cast_precision_loss, reason = "few replies")]
        let share = uniform_plans[set.parent] / set.replies as f64;
        uniform_plans[set.first..set.first + set.replies].fill(share);
    }
    uniform_plans
}

/// Solves a game by double oracle. Each round solves the game between some sequences of either side, then
/// adds each side's best reply to the other's plan. The first sequences are the best replies to plans that
/// give every reply equal weight. The search ends if a round adds nothing, after `rounds` rounds, or if the
/// budget's flag stops it.
///
/// # Errors
/// Returns an error if the solver of linear programs fails.
pub fn solve_by_double_oracle(
    form: &SequenceForm<f64>,
    rounds: u32,
    tolerance: f64,
    budget: Budget<'_>,
) -> Result<DoubleOracleResult, SolveError> {
    let sequences = form.seats.each_ref().map(|seat| seat.sequences);
    let mut reached = DoubleOracleResult::uniform_plans(form);
    let mut kept = sequences.map(|count| vec![false; count]);
    let [upper, lower] = [0, 1].map(|side| {
        let other = &reached.plans[1 - side];
        best_reply_value(form, side, other, 0.0, &mut kept[side]).0
    });
    let mut bracket = [lower, upper];
    while reached.rounds < rounds && budget.check_not_cancelled().is_ok() {
        let part = PartialGame::of(form, &kept);
        let solved = |side| optimal_plan(&part.form, side, budget);
        let (alice, bob) = rayon::join(|| solved(0), || solved(1));
        let planned = match (alice, bob) {
            (Ok(alice), Ok(bob)) => [alice, bob],
            (Err(error), _) | (_, Err(error)) if error.was_cancelled() => break,
            (Err(error), _) | (_, Err(error)) => return Err(error),
        };
        reached.rounds += 1;
        budget.add_to_progress(Budget::STEP);
        for (side, planned) in planned.into_iter().enumerate() {
            reached.size = reached.size.max(planned.size);
            let plan = part.whole(side, &planned.plan, sequences[side]);
            let other = 1 - side;
            let (value, _) =
                best_reply_value(form, other, &plan, tolerance / 8.0, &mut kept[other]);
            let better = match side {
                0 => value > bracket[0],
                _ => value < bracket[1],
            };
            if better {
                bracket[side] = value;
                reached.plans[side] = plan;
            }
        }
        let grown = [0, 1].map(|side| kept[side].iter().filter(|kept| **kept).count())
            != part.sequences.each_ref().map(Vec::len);
        if bracket[1] - bracket[0] <= tolerance || !grown {
            reached.stopped = false;
            break;
        }
    }
    reached.kept = kept;
    Ok(reached)
}
