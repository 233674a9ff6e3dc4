//! The tests that an estimator of one round must pass.

use std::rc::Rc;

use super::descent::{TestSet, TestValues};
use super::estimates::ConditionalEstimates;
use super::round::{Input, TrainingError, TrainingRound, rules};
use debate_core::number::Number;
use debate_core::protocol::{Rules as _, Seat, View};

/// The mean of A_k · M(z) at an input; at the root, whether z is the answer.
fn own_test<T: Number>(input: &Input<'_, T>) -> Vec<T> {
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
pub(super) struct RoundTests<'s, 't, 'i, T: Number> {
    round: &'s TrainingRound<'t, 'i, T>,
    outcomes: usize,
    own: Rc<Vec<Vec<T>>>,
}

impl<'s, 't, 'i, T: Number> RoundTests<'s, 't, 'i, T> {
    pub(super) fn new(round: &'s TrainingRound<'t, 'i, T>, outcomes: usize) -> Self {
        Self {
            round,
            outcomes,
            own: Rc::new(round.inputs.iter().map(own_test).collect()),
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

    /// The mean of A_{k−1} · z_j at each input.
    fn next_bets(&self, h: &[Vec<T>]) -> Result<Vec<Vec<T>>, TrainingError> {
        let training = self.round.training;
        let each = self.round.inputs.iter().zip(h);
        each.map(|(input, h)| {
            let estimates = ConditionalEstimates::of(h);
            let mut values = vec![T::zero(); h.len()];
            for point in &input.points {
                let share = point.weight.clone() / input.weight.clone();
                for (z, end) in training.run(point, &estimates)? {
                    values[z] += share.clone() * training.next_bet(input, z, &end)?;
                }
            }
            Ok(values)
        })
        .collect()
    }
}

impl<T: Number> TestSet<T> for RoundTests<'_, '_, '_, T> {
    type Error = TrainingError;

    fn count(&self) -> usize {
        2 + self.outcomes
    }

    fn values(&mut self, test: usize, h: &[Vec<T>]) -> Result<TestValues<T>, TrainingError> {
        Ok(match test {
            0 => TestValues::Table(Rc::clone(&self.own)),
            1 => TestValues::Table(Rc::new(self.next_bets(h)?)),
            point => TestValues::Point(point - 2),
        })
    }
}
