//! Power of the primary contrast: studies with all planned participants are simulated, and analysed by the test of the
//! report.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use super::contrast_test::{ContrastTestResult, JudgementUnderComparedCondition, MIN_PARTICIPANTS};
use crate::Study;
use crate::plan::{ContrastDesign, ExpectedEffect};
use debate_core::budget::ComputationBudget;
use debate_core::chance::{RandomStream, RandomStreamPurpose, Seed};
use debate_core::number::COIN_BITS;
use debate_lab::judgements::statistics::count_to_float;

/// The largest and the smallest number of simulated studies. Large studies are simulated less often, so that `check`
/// ends soon.
const MAX_STUDIES: usize = 2000;
const MIN_STUDIES: usize = 200;
/// The total number of simulated judgements up to which [`MAX_STUDIES`] studies are simulated; beyond it, fewer studies
/// are simulated.
const MAX_JUDGEMENTS: usize = 20_000_000;
/// Probability with which the smallest detectable effect must be detected.
const SUFFICIENT_POWER: f64 = 0.8;

/// The power at the planned number of participants, if the expected effect is real.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlannedPower {
    /// The effect and its standard deviations, as the study file states them.
    pub stated: ExpectedEffect,
    /// Number of participants whose judgements are compared. In a group with a judge, only the judge counts.
    pub participants: u32,
    /// The design of the primary contrast.
    pub contrast: ContrastDesign,
    /// Proportion of the simulated studies that detect the stated effect.
    pub power: Option<f64>,
    /// Monte Carlo standard error of `power`.
    pub power_error: Option<f64>,
    /// The smallest effect that 80 % of the simulated studies detect, in the measure's unit.
    pub detectable: Option<f64>,
    /// Number of simulated studies.
    pub simulated_studies: usize,
}

/// The tests of the contrast in simulated studies without an effect. A real effect would shift the difference and not
/// change the interval's width.
pub(crate) struct SimulatedTests {
    contrast: ContrastDesign,
    stated: Option<ExpectedEffect>,
    /// For each simulated study, the difference and half the width of its interval; `None` if the test has no result.
    tests: Vec<Option<(f64, f64)>>,
}

/// A judgement in the schedule, under one of the two compared conditions.
struct PlannedJudgement {
    participant: usize,
    item: usize,
    is_of: bool,
}

impl SimulatedTests {
    /// Simulates studies. Without a stated effect, the standard deviation between participants is 1. If the budget is
    /// cancelled, the studies simulated so far count.
    pub(crate) fn simulate_contrast_tests(study: &Study, budget: ComputationBudget<'_>) -> Self {
        let contrast = study.primary_contrast_design();
        let stated = study.plan.analysis.power;
        let spread = stated.unwrap_or(ExpectedEffect {
            effect: 0.0,
            sd: 1.0,
            items: 0.0,
            trials: 0.0,
        });
        let judgements = planned_judgements(study);
        let count = (MAX_JUDGEMENTS / judgements.len().max(1)).clamp(MIN_STUDIES, MAX_STUDIES);
        let simulate = |number: usize| {
            budget.check_not_cancelled().ok()?;
            let test = simulated_test(study.plan.seed, number, contrast, spread, &judgements);
            budget.add_to_progress(1);
            Some(test)
        };
        let tests = (0..count).into_par_iter().filter_map(simulate);
        Self {
            contrast,
            stated,
            tests: tests.collect(),
        }
    }

    /// Returns the proportion of the studies that detect an effect. `None` if no study was simulated.
    fn power(&self, effect: f64) -> Option<f64> {
        let detects = |test: &&Option<(f64, f64)>| {
            test.is_some_and(|(off, half)| (off + effect).abs() > half)
        };
        let count = self.tests.iter().filter(detects).count();
        (!self.tests.is_empty()).then(|| count_to_float(count) / count_to_float(self.tests.len()))
    }

    /// Returns the size of the smallest effect in the stated direction that is detected with sufficient power. `None`
    /// if no effect is detected often enough.
    fn smallest_detectable_effect(&self) -> Option<f64> {
        let sign = match self.stated {
            Some(stated) if stated.effect < 0.0 => -1.0,
            _ => 1.0,
        };
        let is_enough = |size: f64| {
            self.power(sign * size)
                .is_some_and(|power| power >= SUFFICIENT_POWER)
        };
        let tests = self.tests.iter().flatten();
        let mut high = tests
            .map(|(off, half)| off.abs() + half)
            .fold(0.0, f64::max)
            * 2.0;
        if !is_enough(high) {
            return None;
        }
        let mut low = 0.0;
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if is_enough(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(high)
    }

    /// Returns the smallest effect that is detected with sufficient power, in standard deviations between participants.
    pub(crate) fn detectable_effect_in_sds(&self) -> Option<f64> {
        let sd = self.stated.map_or(1.0, |stated| stated.sd);
        self.smallest_detectable_effect().map(|effect| effect / sd)
    }

    /// Returns the power for the stated effect. `None` if the study file states none.
    pub(crate) fn planned_power(&self) -> Option<PlannedPower> {
        let stated = self.stated?;
        let power = self.power(stated.effect);
        let count = count_to_float(self.tests.len());
        Some(PlannedPower {
            stated,
            participants: self.contrast.compared_participants(),
            contrast: self.contrast,
            power,
            power_error: power.map(|power| (power * (1.0 - power) / count).sqrt()),
            detectable: self.smallest_detectable_effect(),
            simulated_studies: self.tests.len(),
        })
    }
}

/// Simulates studies to compute the power at the planned number of participants. `None` if the study file states no
/// effect.
pub fn power_at_planned_participant_count(
    study: &Study,
    budget: ComputationBudget<'_>,
) -> Option<PlannedPower> {
    study.plan.analysis.power?;
    SimulatedTests::simulate_contrast_tests(study, budget).planned_power()
}

/// Returns the maximum number of studies that are simulated, for displays of the progress.
pub const fn max_simulated_studies() -> u64 {
    MAX_STUDIES as u64
}

/// Returns the judgements that the schedule plans for all participants under the two compared conditions, without
/// repeated trials.
fn planned_judgements(study: &Study) -> Vec<PlannedJudgement> {
    let plan = &study.plan;
    let primary = &plan.analysis.primary;
    let [of, against] = [&primary.of, &primary.against].map(|id| plan.condition_index(id));
    let schedule = study.schedule();
    let mut items: BTreeMap<&str, usize> = BTreeMap::new();
    let mut judgements = Vec::new();
    let mut participants = 0;
    for slot in 0..plan.schedule_rows_of_planned_participants() {
        let trials = schedule.trials_of_slot_without_practice(slot);
        for _ in 0..plan.compared_participants_per_row() {
            for trial in trials.iter().filter(|trial| !trial.repeat) {
                let condition = Some(trial.condition);
                if condition != of && condition != against {
                    continue;
                }
                let id = study.items_of_condition(trial.condition)[trial.item]
                    .id
                    .as_str();
                let next = items.len();
                judgements.push(PlannedJudgement {
                    participant: participants,
                    item: *items.entry(id).or_insert(next),
                    is_of: condition == of,
                });
            }
            participants += 1;
        }
    }
    judgements
}

/// Simulates a study without an effect, and returns the difference and half the width of its interval. `None` if the
/// test has no interval, or if there are fewer than [`MIN_PARTICIPANTS`] participants.
///
/// A judgement is the sum of an effect of the participant, an effect of the item and an error, each normal. Within
/// participants, the participant's effect is their own difference between the conditions.
fn simulated_test(
    seed: u64,
    number: usize,
    contrast: ContrastDesign,
    spread: ExpectedEffect,
    judgements: &[PlannedJudgement],
) -> Option<(f64, f64)> {
    let mut normal = NormalDraws::of(&Seed::new(format!("{seed}/power/{number}"))?);
    let effects = |count: usize, sd: f64, normal: &mut NormalDraws| -> Vec<f64> {
        (0..count).map(|_| sd * normal.draw()).collect()
    };
    let count =
        |of: fn(&PlannedJudgement) -> usize| judgements.iter().map(of).max().unwrap_or(0) + 1;
    let participants = effects(count(|it| it.participant), spread.sd, &mut normal);
    let items = if spread.items > 0.0 {
        effects(count(|it| it.item), spread.items, &mut normal)
    } else {
        vec![0.0; count(|it| it.item)]
    };
    let simulated: Vec<JudgementUnderComparedCondition<usize>> = judgements
        .iter()
        .map(|it| {
            let has_effect = it.is_of || !contrast.compares_within_participants();
            let own = if has_effect {
                participants[it.participant]
            } else {
                0.0
            };
            let error = if spread.trials > 0.0 {
                spread.trials * normal.draw()
            } else {
                0.0
            };
            JudgementUnderComparedCondition {
                participant: it.participant,
                is_of: it.is_of,
                value: own + items[it.item] + error,
            }
        })
        .collect();
    let test = ContrastTestResult::of(contrast, &simulated);
    let interval = test
        .interval
        .filter(|_| test.participants >= MIN_PARTICIPANTS)?;
    Some((test.difference?, (interval.high - interval.low) / 2.0))
}

/// A generator of random numbers with the standard normal distribution.
struct NormalDraws {
    draws: RandomStream,
    ordinal: u64,
}

impl NormalDraws {
    fn of(seed: &Seed) -> Self {
        Self {
            draws: RandomStream::for_player_in_debate(seed, RandomStreamPurpose::Instance, 0),
            ordinal: 0,
        }
    }

    /// Draws a uniform random number above 0 and at most 1.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a random number has 53 bits, so its conversion is exact"
    )]
    fn uniform(&mut self) -> f64 {
        let drawn = self.draws.random_53_bit_number_at(self.ordinal) + 1;
        self.ordinal += 1;
        drawn as f64 / (1_u64 << COIN_BITS) as f64
    }

    /// Returns a normally distributed number, by the method of Box and Muller.
    fn draw(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_draws_have_the_moments_of_the_distribution() {
        let mut normal = NormalDraws::of(&Seed::new("7").unwrap());
        let drawn: Vec<f64> = (0..20_000).map(|_| normal.draw()).collect();
        let moment = |power: i32| {
            drawn.iter().map(|it| it.powi(power)).sum::<f64>() / count_to_float(drawn.len())
        };
        // Five standard errors.
        for (power, value, error) in [
            (1, 0.0, 0.04),
            (2, 1.0, 0.05),
            (3, 0.0, 0.14),
            (4, 3.0, 0.35),
        ] {
            assert!(
                (moment(power) - value).abs() < error,
                "{power}: {}",
                moment(power)
            );
        }
    }
}
