//! The tests that an estimator of one round must pass.

use std::rc::Rc;

use super::super::conditional_estimates::ConditionalEstimates;
use super::super::descent::{TestSet, TestValues};
use super::TrainingError;
use super::stage::{Input, TrainingRound, rules};
use debate_core::number::Number;
use debate_core::protocol::{Rules as _, Seat, View};

/// The mean of A_k · M(z) at an input; at the root, whether z is the answer.
pub(super) fn own_test<T: Number>(input: &Input<'_, T>) -> Vec<T> {
    let mut values = vec![T::zero(); 1 << input.width];
    for point in &input.points {
        let share = point.weight.clone() / input.weight.clone();
        let Ok(rules) = rules(&point.state) else {
            continue;
        };
        let view = View::new(rules, Seat::Prover);
        for (z, value) in values.iter_mut().enumerate() {
            let says = match view.bet() {
                None => i64::from(point.state.answer() == Some(z == 1)),
                Some(bet) => {
                    let digits = (0..input.width).rev().map(|at| z >> at & 1 == 1);
                    i64::from(bet.sign()) * i64::from(view.support().gate.says(digits))
                }
            };
            *value += share.clone() * T::ratio(says, 1);
        }
    }
    values
}

/// The tests of one round in their order.
pub(super) struct RoundTests<'s, 'p, 'i, T: Number> {
    stage: &'s TrainingRound<'p, 'i, T>,
    outcomes: usize,
    own: Rc<Vec<Vec<T>>>,
    /// What went wrong while a test was worked out.
    pub(super) failed: Option<TrainingError>,
}

impl<'s, 'p, 'i, T: Number> RoundTests<'s, 'p, 'i, T> {
    /// The tests of a stage, the first of which says this.
    pub(super) fn new(
        stage: &'s TrainingRound<'p, 'i, T>,
        outcomes: usize,
        own: Vec<Vec<T>>,
    ) -> Self {
        Self {
            stage,
            outcomes,
            own: Rc::new(own),
            failed: None,
        }
    }

    /// What each test is called.
    pub(super) fn names(&self, is_root: bool) -> Vec<String> {
        let own = if is_root { "z = A" } else { "A_k · M(z)" };
        let digits = self.outcomes.trailing_zeros() as usize;
        let point = |z: usize| format!("z = {z:0digits$b}");
        let named = [own, "A_{k-1} · z_j"].map(str::to_owned);
        named
            .into_iter()
            .chain((0..self.outcomes).map(point))
            .collect()
    }

    fn selection(&self, h: &[Vec<T>]) -> Result<Vec<Vec<T>>, TrainingError> {
        let each = self.stage.inputs.iter().zip(h);
        each.map(|(input, h)| {
            let estimates = ConditionalEstimates::of(h);
            let mut values = vec![T::zero(); h.len()];
            for point in &input.points {
                let share = point.weight.clone() / input.weight.clone();
                for (z, end) in self.stage.run(point, &estimates)? {
                    values[z] += share.clone() * self.stage.next_bet(input, z, &end)?;
                }
            }
            Ok(values)
        })
        .collect()
    }
}

impl<T: Number> TestSet<T> for RoundTests<'_, '_, '_, T> {
    fn count(&self) -> usize {
        2 + self.outcomes
    }

    fn values(&mut self, test: usize, h: &[Vec<T>]) -> TestValues<T> {
        match test {
            0 => TestValues::Table(Rc::clone(&self.own)),
            1 if self.failed.is_none() => match self.selection(h) {
                Ok(values) => TestValues::Table(Rc::new(values)),
                Err(failed) => {
                    self.failed = Some(failed);
                    TestValues::Point(self.outcomes)
                }
            },
            // After a failure nothing is learnt any more.
            1 => TestValues::Point(self.outcomes),
            point => TestValues::Point(point - 2),
        }
    }
}
