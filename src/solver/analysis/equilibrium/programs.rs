//! Linear programs of a game in sequence form (Koller, Megiddo and von Stengel 1994), solved by an interior-point
//! method in floating point.
//!
//! The program of one side maximizes its guarantee. Its dual variables are an optimal plan of the other side, so one
//! program gives both plans. Plans are only proposals: the caller computes exact best replies to them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver as _, NonnegativeConeT, SolverStatus, ZeroConeT,
};
use serde::Serialize;

use super::sequence_form::SequenceForm;
use crate::analysis::SolveError;
use crate::expectation::PayoffNotComputedReason;
use crate::game::Side;
use debate_core::budget::ComputationBudget;

/// The size of a linear program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "ProgramSize")]
pub struct LinearProgramSize {
    /// The number of nonzero coefficients in the program's rows.
    pub nonzeros: usize,
    pub rows: usize,
    pub columns: usize,
    /// The memory in bytes for the nonzero coefficients, each with its column index.
    pub bytes: usize,
}

/// The number of bytes of a coefficient with its column index.
const ENTRY: usize = size_of::<f64>() + size_of::<usize>();

/// Optimal plans of both sides.
#[derive(Clone, Debug)]
pub struct OptimalPlans {
    /// For prover and opponent, the weight of each sequence.
    pub plans: [Vec<f64>; 2],
    /// The size of the linear program that was solved.
    pub size: LinearProgramSize,
    /// True if the stop flag in the budget ended the solver early. The plans are then less accurate.
    pub stopped: bool,
}

/// Returns the plan of each side that guarantees it the greatest payoff.
///
/// # Errors
/// Returns an error if the solver rejects the program, or if it was stopped before the first step.
pub fn optimal_plans(
    form: &SequenceForm<f64>,
    budget: ComputationBudget<'_>,
) -> Result<OptimalPlans, SolveError> {
    // Each own sequence has a bound of its own, so the side with fewer sequences has the smaller program.
    let [prover, opponent] = form.seats.each_ref().map(|seat| seat.sequences);
    let side = usize::from(opponent < prover);
    let mut program = Program::of_guarantee(form, side);
    program.costs[program.value] = -1.0;
    let size = program.size();
    let solution = program.solve(budget)?;
    let own = solution.values[..form.seats[side].sequences].to_vec();
    let other = solution.prices[..form.seats[1 - side].sequences].to_vec();
    Ok(OptimalPlans {
        plans: if side == 0 {
            [own, other]
        } else {
            [other, own]
        },
        size,
        stopped: solution.stopped,
    })
}

/// Returns the prover's plan with the least probability of a true answer to the root claim, among the plans that
/// guarantee a given payoff.
///
/// # Errors
/// Returns an error if the solver rejects the program, or if it is stopped.
pub fn least_true_plan(
    form: &SequenceForm<f64>,
    guaranteed: f64,
    budget: ComputationBudget<'_>,
) -> Result<Vec<f64>, SolveError> {
    let mut program = Program::of_guarantee(form, 0);
    for (sequence, share) in form.truly.iter().flatten() {
        program.costs[*sequence] += share;
    }
    let bound = guaranteed * program.scale;
    program.add_bound(&[(program.value, -1.0)], -bound);
    let solution = program.solve(budget)?;
    budget
        .check_not_cancelled()
        .map_err(PayoffNotComputedReason::from)?;
    Ok(solution.values[..form.seats[0].sequences].to_vec())
}

/// The accuracy that the linear-program solver aims for, relative to the largest payoff. The solver also ends if it
/// makes no more progress.
const TOLERANCE: f64 = 1e-12;

/// A linear program: minimize the costs subject to equations and upper bounds.
#[derive(Clone, Debug, Default)]
struct Program {
    /// The cost of each variable. The variables are the weights of the side's plan, its guaranteed payoff, and its
    /// remaining payoff at each information set of the other side.
    costs: Vec<f64>,
    /// The index of the guarantee.
    value: usize,
    /// The factor by which payoffs are multiplied, so that the largest is 1.
    scale: f64,
    equations: Rows,
    /// Inequalities: each row's sum is at most its limit. The first rows belong to the other side's sequences.
    bounds: Rows,
}

/// Rows of a linear program, stored as a list of nonzero coefficients.
#[derive(Clone, Debug, Default)]
struct Rows {
    /// The row, the column and the coefficient of each nonzero entry.
    entries: Vec<(usize, usize, f64)>,
    /// The right-hand side of each row.
    limits: Vec<f64>,
}

impl Rows {
    fn add(&mut self, row: &[(usize, f64)], limit: f64) {
        let number = self.limits.len();
        let entries = row.iter();
        self.entries
            .extend(entries.map(|(column, factor)| (number, *column, *factor)));
        self.limits.push(limit);
    }
}

/// A solution of a program.
struct ProgramSolution {
    /// The value of each variable.
    values: Vec<f64>,
    /// The dual variable of each inequality.
    prices: Vec<f64>,
    stopped: bool,
}

impl Program {
    /// Creates the constraints for one side's plan and its guaranteed payoff, without costs.
    fn of_guarantee(form: &SequenceForm<f64>, side: Side) -> Self {
        let own = &form.seats[side];
        let other = &form.seats[1 - side];
        // The game is zero-sum: the opponent's gain is the prover's loss.
        let sign = if side == 0 { 1.0 } else { -1.0 };
        let sizes = form.payoff.iter().flat_map(|row| row.values());
        let largest = sizes.fold(0.0_f64, |most, payoff| most.max(payoff.abs()));
        let scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
        let value = own.sequences;
        let mut program = Self {
            costs: vec![0.0; value + 1 + other.sets.len()],
            value,
            scale,
            ..Self::default()
        };
        program.equations.add(&[(0, 1.0)], 1.0);
        for set in &own.sets {
            let replies = set.first..set.first + set.replies;
            let mut row: Vec<(usize, f64)> = replies.map(|reply| (reply, 1.0)).collect();
            row.push((set.parent, -1.0));
            program.equations.add(&row, 0.0);
        }
        // After each sequence of the other side, the guarantee is at most this side's payoff at the sequence plus its
        // remaining payoffs at the information sets that follow.
        program.bounds.limits = vec![0.0; other.sequences];
        let entries = &mut program.bounds.entries;
        entries.push((0, value, 1.0));
        for (index, set) in other.sets.iter().enumerate() {
            let variable = value + 1 + index;
            entries
                .extend((set.first..set.first + set.replies).map(|reply| (reply, variable, 1.0)));
            entries.push((set.parent, variable, -1.0));
        }
        for (prover, row) in form.payoff.iter().enumerate() {
            for (opponent, payoff) in row {
                let (from, to) = match side {
                    0 => (prover, *opponent),
                    _ => (*opponent, prover),
                };
                entries.push((to, from, -sign * payoff * scale));
            }
        }
        for sequence in 1..own.sequences {
            program.add_bound(&[(sequence, -1.0)], 0.0);
        }
        program
    }

    /// Adds an inequality: the weighted sum of variables `row` is at most `limit`.
    fn add_bound(&mut self, row: &[(usize, f64)], limit: f64) {
        self.bounds.add(row, limit);
    }

    /// Returns the program's size. Bounds of single variables do not count.
    fn size(&self) -> LinearProgramSize {
        let own = self.value - 1;
        let nonzeros = self.equations.entries.len() + self.bounds.entries.len() - own;
        LinearProgramSize {
            nonzeros,
            rows: self.equations.limits.len() + self.bounds.limits.len() - own,
            columns: self.costs.len(),
            bytes: nonzeros * ENTRY,
        }
    }

    fn solve(self, budget: ComputationBudget<'_>) -> Result<ProgramSolution, SolveError> {
        let columns = self.costs.len();
        let first_bound = self.equations.limits.len();
        let rows = first_bound + self.bounds.limits.len();
        let of_bounds = self.bounds.entries.into_iter();
        let entries: Vec<(usize, usize, f64)> = self
            .equations
            .entries
            .into_iter()
            .chain(of_bounds.map(|(row, column, factor)| (row + first_bound, column, factor)))
            .collect();
        let [mut at, mut columns_of] = [0, 1].map(|_| Vec::with_capacity(entries.len()));
        let mut factors = Vec::with_capacity(entries.len());
        for (row, column, factor) in entries {
            at.push(row);
            columns_of.push(column);
            factors.push(factor);
        }
        let matrix = CscMatrix::new_from_triplets(rows, columns, at, columns_of, factors);
        let mut limits = self.equations.limits;
        limits.extend(&self.bounds.limits);
        let cones = [
            ZeroConeT(first_bound),
            NonnegativeConeT(self.bounds.limits.len()),
        ];
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: TOLERANCE,
            tol_gap_rel: TOLERANCE,
            tol_feas: TOLERANCE,
            ..DefaultSettings::default()
        };
        let quadratic = CscMatrix::zeros((columns, columns));
        let solver =
            DefaultSolver::new(&quadratic, &self.costs, &matrix, &limits, &cones, settings);
        let mut solver = solver.map_err(|error| SolveError::Program(error.to_string()))?;
        solve_until_stopped(&mut solver, budget);
        let solution = &solver.solution;
        let stopped = solution.status == SolverStatus::CallbackTerminated;
        if solution
            .x
            .iter()
            .chain(&solution.z)
            .any(|value| !value.is_finite())
        {
            return Err(SolveError::Program(format!("{:?}", solution.status)));
        }
        Ok(ProgramSolution {
            values: solution.x.clone(),
            prices: solution.z[first_bound..].to_vec(),
            stopped,
        })
    }
}

/// The time between two looks at the stop flag.
const INTERVAL: Duration = Duration::from_millis(50);

/// Runs the solver of linear programs until it is done or the budget's flag stops it.
fn solve_until_stopped(solver: &mut DefaultSolver<f64>, budget: ComputationBudget<'_>) {
    let Some(stop) = budget.stop else {
        solver.solve();
        return;
    };
    // The solver's callback must own its data, so a thread copies the flag.
    let interrupt = Arc::new(AtomicBool::new(stop.load(Ordering::Relaxed)));
    let interrupted = Arc::clone(&interrupt);
    solver.set_termination_callback(move |_| interrupted.load(Ordering::Relaxed));
    let done = AtomicBool::new(false);
    thread::scope(|threads| {
        let watcher = threads.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                interrupt.fetch_or(stop.load(Ordering::Relaxed), Ordering::Relaxed);
                thread::park_timeout(INTERVAL);
            }
        });
        solver.solve();
        done.store(true, Ordering::Relaxed);
        watcher.thread().unpark();
    });
}
