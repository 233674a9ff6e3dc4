//! Projected online gradient descent (PE Algorithm 1).

use std::cmp::Ordering;
use std::rc::Rc;

use debate_core::budget::{ComputationBudget, ComputationStopReason};
use debate_core::number::Number;

/// Returns the point of the probability simplex that is nearest to `point` (Duchi, Shalev-Shwartz, Singer and Chandra,
/// ICML 2008, DOI 10.1145/1390156.1390191).
pub fn project_onto_simplex<T: Number>(point: &[T]) -> Vec<T> {
    let mut falling: Vec<&T> = point.iter().collect();
    falling.sort_by(|a, b| b.partial_cmp(a).unwrap_or(Ordering::Equal));
    let mut sum = T::zero();
    let mut cut = T::zero();
    for (count, value) in (1..).zip(falling) {
        sum += value.clone();
        let level = (sum.clone() - T::one()) / T::ratio(count, 1);
        if *value > level {
            cut = level;
        }
    }
    let cut_off = |value: &T| {
        let rest = value.clone() - cut.clone();
        if rest > T::zero() { rest } else { T::zero() }
    };
    point.iter().map(cut_off).collect()
}

/// The values of a test, for every input and every outcome.
#[derive(Clone, Debug)]
pub enum TestValuesByInputAndOutcome<T> {
    /// The values f(x, z, h(x)), between −1 and 1: a row for each input x, an entry for each outcome z. h(x) is the
    /// estimator's distribution for x.
    Table(Rc<Vec<Vec<T>>>),
    /// A test whose value is 1 at this outcome and 0 at all others.
    Point(usize),
}

/// The tests that an estimator must pass, in the order in which the gradient descent tries them.
pub trait EstimatorTestSequence<T> {
    /// The error if a test's values cannot be computed, or if the descent was stopped.
    type Error: From<ComputationStopReason>;
    fn count(&self) -> usize;
    /// Returns the values of the test with index `test` for the estimator `h`.
    ///
    /// # Errors
    /// Returns an error if they cannot be computed.
    fn values(
        &mut self,
        test: usize,
        h: &[Vec<T>],
    ) -> Result<TestValuesByInputAndOutcome<T>, Self::Error>;
}

/// The problem that the gradient descent solves: inputs with the true distributions of their outcomes.
#[derive(Clone, Debug)]
pub struct TrainingTarget<T> {
    /// The probability of each input.
    pub mu: Vec<T>,
    /// The true probability distribution of the outcomes, for each input.
    pub g: Vec<Vec<T>>,
    /// |Z|, the maximum number of outcomes of any input.
    pub outcomes: usize,
    /// δ.
    pub delta: T,
}

/// The result of a descent.
#[derive(Clone, Debug, PartialEq)]
pub struct EstimatorDescentResult<T> {
    /// The estimator that the gradient descent found: for each input, a probability distribution over the outcomes.
    pub h: Vec<Vec<T>>,
    /// For each step of the descent, the index of the test that was used, and its advantage.
    pub trace: Vec<(usize, T)>,
    /// The maximum number of steps by the theory: (|Z| − 1)/δ².
    pub bound: T,
    /// The advantage of each test before the descent, when all estimates were uniform.
    pub before: Vec<T>,
    /// The advantage of each test after the descent, against the estimator `h`.
    pub after: Vec<T>,
}

impl<T: Number> EstimatorDescentResult<T> {
    /// True if every test has an advantage below δ, in absolute value, against the found estimator.
    pub fn are_all_advantages_below(&self, delta: &T) -> bool {
        let passes = |advantage: &T| delta.exceeds(&advantage.abs());
        self.after.iter().all(passes)
    }
}

impl<T: Number> TrainingTarget<T> {
    /// Returns the advantage of a test: its expected value under the true distribution minus that under the estimator
    /// `h`.
    fn advantage(&self, values: &TestValuesByInputAndOutcome<T>, h: &[Vec<T>]) -> T {
        let of_input = |input: usize| match values {
            TestValuesByInputAndOutcome::Table(table) => {
                let each = table[input].iter().zip(&self.g[input]).zip(&h[input]);
                each.filter(|((f, _), _)| !f.is_zero())
                    .fold(T::zero(), |sum, ((f, g), h)| {
                        sum + f.clone() * (g.clone() - h.clone())
                    })
            }
            TestValuesByInputAndOutcome::Point(z) => {
                match (self.g[input].get(*z), h[input].get(*z)) {
                    (Some(g), Some(h)) => g.clone() - h.clone(),
                    _ => T::zero(),
                }
            }
        };
        (0..h.len()).fold(T::zero(), |sum, input| {
            sum + self.mu[input].clone() * of_input(input)
        })
    }

    fn all_advantages<S: EstimatorTestSequence<T>>(
        &self,
        tests: &mut S,
        h: &[Vec<T>],
    ) -> Result<Vec<T>, S::Error> {
        (0..tests.count())
            .map(|test| Ok(self.advantage(&tests.values(test, h)?, h)))
            .collect()
    }
}

/// Runs the descent. Starts with uniform distributions. Each step uses the first test whose advantage is at least δ in
/// absolute value, has length δ/|Z|, and takes one step of the budget.
///
/// # Errors
/// Returns an error if a test has no value, if the descent takes more steps than allowed, or if it is
/// stopped.
pub fn descend<T: Number, S: EstimatorTestSequence<T>>(
    problem: &TrainingTarget<T>,
    tests: &mut S,
    budget: &ComputationBudget<'_>,
) -> Result<EstimatorDescentResult<T>, S::Error> {
    let size = i64::try_from(problem.outcomes).unwrap_or(i64::MAX);
    let uniform = |outcomes: usize| {
        let count = i64::try_from(outcomes).unwrap_or(i64::MAX);
        vec![T::ratio(1, count); outcomes]
    };
    let mut h: Vec<Vec<T>> = problem.g.iter().map(|g| uniform(g.len())).collect();
    let step = problem.delta.clone() / T::ratio(size, 1);
    let bound = T::ratio(size - 1, 1) / (problem.delta.clone() * problem.delta.clone());
    let before = problem.all_advantages(tests, &h)?;
    let mut trace = Vec::new();
    loop {
        // A step may take long, so the stop flag is checked before each.
        budget.check_not_cancelled()?;
        budget.check_total_steps(trace.len() as u64, "steps of a descent")?;
        let mut used = None;
        for test in 0..tests.count() {
            let values = tests.values(test, &h)?;
            let advantage = problem.advantage(&values, &h);
            if !problem.delta.exceeds(&advantage.abs()) {
                used = Some((test, values, advantage));
                break;
            }
        }
        let Some((test, values, advantage)) = used else {
            break;
        };
        let step = step.clone() * advantage.signum();
        move_all(&mut h, &values, &step);
        trace.push((test, advantage));
    }
    let after = problem.all_advantages(tests, &h)?;
    Ok(EstimatorDescentResult {
        h,
        trace,
        bound,
        before,
        after,
    })
}

/// Adds `step` times the test's values to the distribution of every input, and projects the result onto the simplex.
/// The caller gives `step` the sign of the test's advantage, so the advantage becomes smaller.
fn move_all<T: Number>(h: &mut [Vec<T>], values: &TestValuesByInputAndOutcome<T>, step: &T) {
    for (input, h) in h.iter_mut().enumerate() {
        match values {
            TestValuesByInputAndOutcome::Table(table) => {
                if table[input].iter().all(T::is_zero) {
                    continue;
                }
                for (h, f) in h.iter_mut().zip(&table[input]) {
                    *h += step.clone() * f.clone();
                }
            }
            TestValuesByInputAndOutcome::Point(z) => match h.get_mut(*z) {
                Some(h) => *h += step.clone(),
                None => continue,
            },
        }
        *h = project_onto_simplex(h);
    }
}
