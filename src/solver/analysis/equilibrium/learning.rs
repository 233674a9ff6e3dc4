//! Leader–follower training (PE Appendix D): Alice leads, and Bob is updated several times for each update of Alice.
//!
//! Both learn by regret matching with nonnegative regrets over the sequence form. An update replaces the probabilities
//! of all replies of one side, against the other side's current plan. The average of a side's plans over its updates,
//! in which later plans weigh more, approaches an optimal plan. The rows of a training report the payoff that Alice's
//! average plan keeps against the best Bob.

use serde::Serialize;

use super::sequence_form::{SequenceForm, SequenceFormSide};
use crate::game::Side;
use debate_core::budget::{ComputationBudget, ComputationStopReason};

/// The training of both sides.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "LearningReport")]
pub struct EquilibriumTrainingReport {
    /// The number of updates of Bob's plan for each update of Alice's plan.
    pub opponent_updates: u32,
    /// The measured plans: one row after each power of two of Alice's updates, and one after the last requested update.
    pub rows: Vec<PlanGuaranteesAfterUpdates>,
    /// True if the training was stopped before all requested updates.
    pub stopped: bool,
}

/// The plans after some updates.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "LearningRow")]
pub struct PlanGuaranteesAfterUpdates {
    /// The number of Alice's updates.
    pub updates: u32,
    /// The payoff that Alice's average plan guarantees against the best Bob.
    pub keeps: f64,
    /// The payoff that Alice's current plan guarantees against the best Bob.
    pub current_keeps: f64,
    /// The payoff of the best Alice against Bob's average plan.
    pub allows: f64,
    /// The probability that Alice's answer is true under her average plan; null if the truth is unknown.
    pub answer_correct: Option<f64>,
}

/// The state of one side.
struct Learner {
    side: Side,
    /// The accumulated regret of each sequence of moves; never negative.
    regrets: Vec<f64>,
    /// The current plan: the weight (realisation probability) of each sequence of moves.
    plan: Vec<f64>,
    /// The sum of all plans so far, each multiplied by the number of its update.
    sum: Vec<f64>,
    /// The number of updates so far, which is also the weight of the latest plan in `sum`.
    weight: f64,
}

impl Learner {
    fn new(form: &SequenceForm<f64>, side: Side) -> Self {
        let seat = &form.seats[side];
        let regrets = vec![0.0; seat.sequences];
        let plan = plan_of(seat, &regrets);
        Self {
            side,
            sum: vec![0.0; seat.sequences],
            regrets,
            plan,
            weight: 0.0,
        }
    }

    /// Updates this side's plan by regret matching, against the other side's current plan.
    fn update(&mut self, form: &SequenceForm<f64>, against: &[f64]) {
        let seat = &form.seats[self.side];
        // Payoffs are the prover's.
        let sign = if self.side == 0 { 1.0 } else { -1.0 };
        let mut values = form.sequence_payoffs_against(self.side, against);
        for value in &mut values {
            *value *= sign;
        }
        for set in seat.sets.iter().rev() {
            let own = set.first..set.first + set.replies;
            let shares = shares(&self.regrets[own.clone()]);
            let mean: f64 = own
                .clone()
                .zip(&shares)
                .map(|(sequence, share)| share * values[sequence])
                .sum();
            for sequence in own {
                let regret = &mut self.regrets[sequence];
                *regret = (*regret + values[sequence] - mean).max(0.0);
            }
            values[set.parent] += mean;
        }
        self.plan = plan_of(seat, &self.regrets);
        self.weight += 1.0;
        for (sum, weight) in self.sum.iter_mut().zip(&self.plan) {
            *sum += self.weight * weight;
        }
    }

    /// Returns the weighted average of all plans so far, or the current plan before the first update.
    fn average(&self) -> Vec<f64> {
        let all = self.weight * (self.weight + 1.0) / 2.0;
        if all == 0.0 {
            return self.plan.clone();
        }
        self.sum.iter().map(|sum| sum / all).collect()
    }
}

/// Returns the probabilities of the replies at an information set, proportional to their regrets. If all regrets are 0,
/// the probabilities are equal.
fn shares(regrets: &[f64]) -> Vec<f64> {
    let all: f64 = regrets.iter().sum();
    if all > 0.0 {
        return regrets.iter().map(|regret| regret / all).collect();
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "an information set has few replies, so converting their number to floating point is exact"
    )]
    let equal = 1.0 / regrets.len() as f64;
    vec![equal; regrets.len()]
}

fn plan_of(seat: &SequenceFormSide, regrets: &[f64]) -> Vec<f64> {
    let mut plan = vec![0.0; seat.sequences];
    plan[0] = 1.0;
    // Each set comes after all sets that lead to it.
    for set in &seat.sets {
        let own = set.first..set.first + set.replies;
        let shares = shares(&regrets[own.clone()]);
        for (sequence, share) in own.zip(shares) {
            plan[sequence] = plan[set.parent] * share;
        }
    }
    plan
}

/// Trains both sides with `updates` updates of Alice. Before each of them, Bob is updated `opponent_updates` times.
pub fn learn(
    form: &SequenceForm<f64>,
    updates: u32,
    opponent_updates: u32,
    budget: ComputationBudget<'_>,
) -> EquilibriumTrainingReport {
    let mut alice = Learner::new(form, 0);
    let mut bob = Learner::new(form, 1);
    let mut report = EquilibriumTrainingReport {
        opponent_updates,
        rows: Vec::new(),
        stopped: false,
    };
    for update in 1..=updates {
        if let Err(ComputationStopReason::Stopped) = budget.check_not_cancelled() {
            report.stopped = true;
            break;
        }
        for _ in 0..opponent_updates {
            bob.update(form, &alice.plan);
        }
        alice.update(form, &bob.plan);
        if update.is_power_of_two() || update == updates {
            let average = alice.average();
            report.rows.push(PlanGuaranteesAfterUpdates {
                updates: update,
                keeps: form.prover_payoff_under_best_reply(1, &average),
                current_keeps: form.prover_payoff_under_best_reply(1, &alice.plan),
                allows: form.prover_payoff_under_best_reply(0, &bob.average()),
                answer_correct: form.prover_true_answer_probability(&average),
            });
        }
    }
    report
}
