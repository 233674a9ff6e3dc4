//! Optimal plans by linear programs in sequence form (Koller, Megiddo and von Stengel 1994), in
//! floating point: what comes out is a proposal, which exact best replies certify.

use microlp::{
    ComparisonOp, LinearExpr, OptimizationDirection, Problem, Solution, SolveOptions, Variable,
};

use super::sequence_form::SequenceForm;
use crate::game::Side;

/// A program that has found nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NoSolution(pub(super) String);

/// The plan of one side that guarantees it the most.
pub(super) fn optimal_plan(form: &SequenceForm<f64>, side: Side) -> Result<Vec<f64>, NoSolution> {
    let mut program = Program::new(form, side, OptimizationDirection::Maximize, 1.0, None);
    program.solved()
}

/// Of the prover's plans that guarantee so much, the one that answers the root claim truly with the
/// smallest probability.
pub(super) fn least_true_plan(
    form: &SequenceForm<f64>,
    guaranteed: f64,
) -> Result<Vec<f64>, NoSolution> {
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
        let (own, other) = (&form.seats[side], &form.seats[1 - side]);
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

    fn solved(&mut self) -> Result<Vec<f64>, NoSolution> {
        let solution = solution(&self.problem)?;
        let plan = self.plan.iter();
        Ok(plan.map(|sequence| solution.var_value(*sequence)).collect())
    }
}

fn solution(problem: &Problem) -> Result<Solution, NoSolution> {
    let mut options = SolveOptions::default();
    options.tolerances.feasibility = TOLERANCE;
    let outcome = problem
        .solve_with(options)
        .map_err(|error| NoSolution(error.to_string()))?;
    let interrupted = |_| NoSolution("the program was interrupted".to_owned());
    outcome.into_solution().map_err(interrupted)
}

/// The mixture of rows that guarantees the most in a matrix game, rows being the maximiser's.
pub(super) fn optimal_mixture(payoff: &[Vec<f64>]) -> Result<Vec<f64>, NoSolution> {
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
