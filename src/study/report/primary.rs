//! The contrast that a study is about.

use super::sums::{by_item, by_participant, interval, means};
use super::{Ends, PrimaryReport};
use crate::Study;
use crate::plan::power::PlannedPower;
use crate::plan::{Measure, Primary};
use crate::report::rows::TrialRow;
use debate_core::chance::Seed;
use debate_lab::judgements::statistics::{
    detectable, mean, studentised_bootstrap, t_interval, welch,
};

/// Fewer participants than this tell nothing, whatever their interval.
const FEW: usize = 5;

impl Measure {
    fn of(self, trial: &TrialRow) -> f64 {
        match self {
            Self::Brier => trial.brier,
            Self::Accuracy => trial.correct,
            Self::Score => trial.score,
        }
    }
}

fn differences(
    trials: &[&TrialRow],
    by: fn(&TrialRow) -> &str,
    measure: Measure,
    of: &str,
    against: &str,
) -> Vec<f64> {
    let under = |id: &str| {
        let own: Vec<&TrialRow> = trials
            .iter()
            .copied()
            .filter(|trial| trial.condition == id)
            .collect();
        means(&own, by, |trial| measure.of(trial))
    };
    let other = under(against);
    let pairs = under(of)
        .into_iter()
        .filter_map(|(name, mean)| Some(mean - other.get(name)?));
    pairs.collect()
}

pub(super) fn primary(study: &Study, trials: &[&TrialRow]) -> PrimaryReport {
    let plan = &study.plan;
    let Primary::Difference {
        measure,
        of,
        against,
    } = &plan.analysis.primary;
    let target = plan.target.participants as usize;
    let planned = PlannedPower::of(plan);
    let own = differences(trials, by_participant, *measure, of, against);
    let items = differences(trials, by_item, *measure, of, against);
    let found = t_interval(&own);
    let seed = Seed::new(format!("{}/bootstrap", plan.seed));
    let drawn = seed.and_then(|seed| studentised_bootstrap(&own, plan.analysis.bootstrap, &seed));
    let mut told = PrimaryReport {
        measure: *measure,
        of: of.clone(),
        against: against.clone(),
        participants: own.len(),
        paired: true,
        difference: (!own.is_empty()).then(|| mean(&own)),
        t95: found.map(|it| Ends {
            low: it.low,
            high: it.high,
        }),
        t_p: found.map(|it| it.p),
        bootstrap95: drawn.map(|(low, high)| Ends { low, high }),
        by_items: (!items.is_empty()).then(|| mean(&items)),
        items95: interval(&items),
        sd: found.map(|it| it.sd),
        verdict: String::new(),
        detectable_at_target: found.and_then(|it| Some(detectable(target)? * it.sd)),
        stated: plan.analysis.power,
        stated_power: planned.and_then(|it| it.power),
        stated_detectable: planned.and_then(|it| it.detectable),
    };
    if own.is_empty() {
        between(&mut told, trials);
    }
    told.verdict = verdict(&told);
    told
}

/// The contrast where nobody judged under both conditions: of the groups' means, by Welch's interval.
fn between(told: &mut PrimaryReport, trials: &[&TrialRow]) {
    let group = |id: &str| -> Vec<f64> {
        let own: Vec<&TrialRow> = trials
            .iter()
            .copied()
            .filter(|trial| trial.condition == id)
            .collect();
        means(&own, by_participant, |trial| told.measure.of(trial))
            .into_values()
            .collect()
    };
    let (one, other) = (group(&told.of), group(&told.against));
    told.paired = false;
    told.participants = one.len() + other.len();
    if one.is_empty() || other.is_empty() {
        return;
    }
    told.difference = Some(mean(&one) - mean(&other));
    if let Some((low, high, p)) = welch(&one, &other) {
        told.t95 = Some(Ends { low, high });
        told.t_p = Some(p);
    }
}

fn verdict(told: &PrimaryReport) -> String {
    let few = told.participants < FEW;
    match (told.difference, told.t95) {
        (None, _) => "Nobody has judged under both conditions yet.".to_owned(),
        (Some(_), None) => "Too few to tell: there is no spread to measure yet.".to_owned(),
        (Some(_), Some(_)) if few => {
            format!("Too few to tell: {} participants.", told.participants)
        }
        (Some(_), Some(ends)) if ends.low > 0.0 || ends.high < 0.0 => {
            let way = if ends.low > 0.0 { "higher" } else { "lower" };
            format!(
                "The {} under `{}` is {way} than under `{}`.",
                told.measure.name(),
                told.of,
                told.against
            )
        }
        (Some(_), Some(_)) => "Too few to tell: the interval holds 0.".to_owned(),
    }
}
