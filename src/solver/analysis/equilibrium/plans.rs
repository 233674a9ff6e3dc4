//! Optimal plans in floating point: what comes out is a proposal, which exact best replies certify.
//!
//! A small game is one linear program a side, in sequence form (Koller, Megiddo and von Stengel 1994).
//! Of a game too large for that, the game between a few pure strategies of either side is solved, and
//! each side's best reply to the other's mixture joins them (McMahan, Gordon and Blum 2003): every
//! round leaves a bracket.

use super::sequence_form::SequenceForm;
use crate::analysis::SolveError;
use crate::expectation::Unsolved;
use crate::game::Side;
use debate_core::budget::Budget;
use microlp::{
    ComparisonOp, LinearExpr, OptimizationDirection, Problem, Solution, SolveOptions, Variable,
};

/// The plan of one side that guarantees it the most.
pub(super) fn optimal_plan(form: &SequenceForm<f64>, side: Side) -> Result<Vec<f64>, SolveError> {
    let mut program = Program::new(form, side, OptimizationDirection::Maximize, 1.0, None);
    program.solved()
}

/// Of the prover's plans that guarantee so much, the one that answers the root claim truly with the
/// smallest probability.
pub(super) fn least_true_plan(
    form: &SequenceForm<f64>,
    guaranteed: f64,
) -> Result<Vec<f64>, SolveError> {
    let truly = form.truly.as_deref();
    let mut program = Program::new(form, 0, OptimizationDirection::Minimize, 0.0, truly);
    let value = program.value;
    let bound = guaranteed * program.scale;
    program
        .problem
        .add_constraint([(value, 1.0)], ComparisonOp::Ge, bound);
    program.solved()
}

/// The largest payoff of a program, and the solver's tolerance: 10⁻¹² of that payoff.
const LARGEST: f64 = 1e2;
const TOLERANCE: f64 = 1e-10;

/// One side's program: its plan x, and for each set of the other side what that side can still get.
struct Program {
    problem: Problem,
    plan: Vec<Variable>,
    /// What the plan guarantees, scaled.
    value: Variable,
    /// Payoffs are multiplied by this, so that the largest is [`LARGEST`].
    scale: f64,
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
        // What is good for the opponent is bad for the prover.
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
        // What the other side can get from a sequence on is at least what is paid there and behind.
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
        Self {
            problem,
            plan,
            value,
            scale,
        }
    }

    fn solved(&mut self) -> Result<Vec<f64>, SolveError> {
        let solution = solution(&self.problem)?;
        let plan = self.plan.iter();
        Ok(plan.map(|sequence| solution.var_value(*sequence)).collect())
    }
}

fn solution(problem: &Problem) -> Result<Solution, SolveError> {
    let mut options = SolveOptions::default();
    options.tolerances.feasibility = TOLERANCE;
    let outcome = problem
        .solve_with(options)
        .map_err(|error| SolveError::Program(error.to_string()))?;
    let interrupted = |_| SolveError::Program("the program was interrupted".to_owned());
    outcome.into_solution().map_err(interrupted)
}

/// The mixture of rows that guarantees the most in a matrix game, rows being the maximiser's.
fn optimal_mixture(payoff: &[Vec<f64>]) -> Result<Vec<f64>, SolveError> {
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let rows: Vec<Variable> = payoff
        .iter()
        .map(|_| problem.add_var(0.0, (0.0, 1.0)))
        .collect();
    let value = problem.add_var(1.0, (f64::NEG_INFINITY, f64::INFINITY));
    let all: Vec<(Variable, f64)> = rows.iter().map(|row| (*row, 1.0)).collect();
    problem.add_constraint(&all, ComparisonOp::Eq, 1.0);
    for column in 0..payoff.first().map_or(0, Vec::len) {
        let mut kept = LinearExpr::empty();
        kept.add(value, 1.0);
        for (row, each) in rows.iter().zip(payoff) {
            kept.add(*row, -each[column]);
        }
        problem.add_constraint(kept, ComparisonOp::Le, 0.0);
    }
    let solution = solution(&problem)?;
    Ok(rows.iter().map(|row| solution.var_value(*row)).collect())
}

/// What was reached.
pub(super) struct Reached {
    /// The plans of prover and opponent with the narrowest bracket.
    pub(super) plans: [Vec<f64>; 2],
    pub(super) rounds: u32,
}

/// Goes on until nothing is won any more, or so many rounds are over.
pub(super) fn by_double_oracle(
    form: &SequenceForm<f64>,
    rounds: u32,
    tolerance: f64,
    budget: Budget<'_>,
) -> Result<Reached, SolveError> {
    let first = |side: Side| form.pure(side, &vec![0; form.seats[side].sets.len()]);
    let mut pure = [vec![first(0)], vec![first(1)]];
    // What each pure strategy of the opponent leaves the sequences of the prover.
    let mut left = vec![form.against(0, &pure[1][0])];
    let mut payoff = vec![vec![dot(&pure[0][0], &left[0])]];
    let mut plans = [pure[0][0].clone(), pure[1][0].clone()];
    let mut bracket = [f64::NEG_INFINITY, f64::INFINITY];
    let mut round = 0;
    while round < rounds {
        round += 1;
        budget.go_on().map_err(Unsolved::from)?;
        budget.count(Budget::STEP);
        let rows = optimal_mixture(&payoff)?;
        let turned: Vec<Vec<f64>> = (0..pure[1].len())
            .map(|column| payoff.iter().map(|row| -row[column]).collect())
            .collect();
        let columns = optimal_mixture(&turned)?;
        let mixed = [mixture(&pure[0], &rows), mixture(&pure[1], &columns)];
        let (most, alice) = form.best_reply(0, &mixed[1]);
        let (least, bob) = form.best_reply(1, &mixed[0]);
        let [of_alice, of_bob] = mixed;
        if least > bracket[0] {
            bracket[0] = least;
            plans[0] = of_alice;
        }
        if most < bracket[1] {
            bracket[1] = most;
            plans[1] = of_bob;
        }
        if bracket[1] - bracket[0] <= tolerance {
            break;
        }
        let [alice, bob] = [form.pure(0, &alice), form.pure(1, &bob)];
        let known = [pure[0].contains(&alice), pure[1].contains(&bob)];
        if known == [true, true] {
            break;
        }
        if !known[0] {
            payoff.push(left.iter().map(|left| dot(&alice, left)).collect());
            pure[0].push(alice);
        }
        if !known[1] {
            let against = form.against(0, &bob);
            for (row, plan) in payoff.iter_mut().zip(&pure[0]) {
                row.push(dot(plan, &against));
            }
            left.push(against);
            pure[1].push(bob);
        }
    }
    Ok(Reached {
        plans,
        rounds: round,
    })
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The plan that plays pure strategies with these probabilities.
fn mixture(pure: &[Vec<f64>], chances: &[f64]) -> Vec<f64> {
    let mut plan = vec![0.0; pure.first().map_or(0, Vec::len)];
    for (strategy, chance) in pure.iter().zip(chances) {
        if *chance > 0.0 {
            for (sum, weight) in plan.iter_mut().zip(strategy) {
                *sum += chance * weight;
            }
        }
    }
    plan
}
