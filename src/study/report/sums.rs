//! From the rows of the logs to the report.

use std::collections::BTreeMap;

use super::{
    Ends, Flow, JudgeErrors, MeanReport, PrimaryReport, Quality, QueryClass, QueryReport,
    StudyCondition, StudyReport,
};
use crate::Study;
use crate::error::StudyError;
use crate::folder::DataKind;
use crate::folder::lock::verify_lock;
use crate::folder::log::Status;
use crate::plan::PlannedPower;
use crate::plan::{Measure, Primary, Task};
use crate::report::rows::{QueryRow, RoundRow, Rows, TrialRow};
use debate_core::chance::Seed;
use debate_lab::expectation::{NumberFormat, ReportNumber};
use debate_lab::judgements::statistics::{
    detectable, mean, number, studentised_bootstrap, t_interval, welch,
};
use debate_lab::judgements::{Judgement, JudgementReport, LeftOut, RoundBelief};
use debate_lab::simulate::wilson;
use debate_lab::theory::check::check;

/// Sums up the sessions of a kind.
///
/// # Errors
/// If a log cannot be read, or nobody took part.
pub fn report(study: &Study, kind: DataKind) -> Result<StudyReport, StudyError> {
    let rows = Rows::read(study, kind)?;
    if rows.participants.is_empty() {
        let how = match kind {
            DataKind::Live if !rows.damage.logs.is_empty() => {
                return Err(StudyError::Nothing(rows.damage.sentences().join(" ")));
            }
            DataKind::Live => {
                "nobody has taken part yet; `study run` takes a participant, and --simulated reports on simulated judges"
            }
            DataKind::Simulated => "there are no simulated sessions; `study simulate` makes some",
        };
        return Err(StudyError::Nothing(how.to_owned()));
    }
    let lock = match kind {
        DataKind::Live => verify_lock(study)?.map(|lock| lock.hash),
        DataKind::Simulated => None,
    };
    let trials: Vec<&TrialRow> = rows.counted().collect();
    let forgotten = match kind {
        DataKind::Live => study.folder.forgotten()?.len(),
        DataKind::Simulated => 0,
    };
    let judgements = judgements(&rows, &trials);
    let conditions = study.plan.conditions.iter().enumerate();
    let conditions = conditions
        .map(|(place, condition)| of_condition(study, place, &condition.id, &trials, &judgements));
    Ok(StudyReport {
        format: 1,
        id: study.plan.id.clone(),
        title: study.plan.title.clone(),
        stage: study.plan.stage,
        simulated: kind == DataKind::Simulated,
        lock,
        programs: programs(&rows),
        flow: flow(study, &rows, forgotten),
        damage: rows.damage.clone(),
        conditions: conditions.collect(),
        primary: primary(study, &trials),
        quality: quality(&rows, &trials),
        queries: queries(&rows),
        judgements,
    })
}

/// The versions of the program in the order in which the logs name them.
fn programs(rows: &Rows) -> Vec<String> {
    let mut programs: Vec<String> = Vec::new();
    for program in rows.events.iter().filter_map(|it| it.text("program")) {
        if !programs.iter().any(|other| other == program) {
            programs.push(program.to_owned());
        }
    }
    programs
}

fn flow(study: &Study, rows: &Rows, forgotten: usize) -> Flow {
    let mut flow = Flow {
        sessions: rows.participants.len(),
        by_status: BTreeMap::new(),
        excluded: BTreeMap::new(),
        counted: 0,
        forgotten,
        damaged: rows.damage.logs.len(),
        target: study.plan.target.participants,
        active_minutes_median: None,
    };
    let mut minutes = Vec::new();
    for row in &rows.participants {
        *flow
            .by_status
            .entry(row.status.name().to_owned())
            .or_default() += 1;
        if row.status == Status::Complete && !row.excluded.is_empty() {
            *flow.excluded.entry(row.excluded.clone()).or_default() += 1;
        }
        if row.counts() {
            flow.counted += 1;
            minutes.push(row.active_s / 60.0);
        }
    }
    flow.active_minutes_median = median(minutes);
    flow
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    Some(if values.len().is_multiple_of(2) {
        f64::midpoint(values[values.len() / 2 - 1], upper)
    } else {
        upper
    })
}

fn judgements(rows: &Rows, trials: &[&TrialRow]) -> JudgementReport {
    let mut beliefs: BTreeMap<(&str, u32), Vec<&RoundRow>> = BTreeMap::new();
    for row in &rows.rounds {
        beliefs
            .entry((row.session.as_str(), row.trial))
            .or_default()
            .push(row);
    }
    let made = trials.iter().map(|trial| {
        let own = beliefs.get(&(trial.session.as_str(), trial.trial));
        // The last word is told with the condition.
        let own = own
            .into_iter()
            .flatten()
            .filter(|row| !row.practice && row.kind != "final");
        let by_round = own.map(|row| RoundBelief {
            round: row.round,
            p_correct: row.p_correct,
            says: String::new(),
        });
        Judgement {
            condition: trial.condition.clone(),
            debate: trial.item.clone(),
            judge: trial.participant.clone(),
            story: Some(trial.story.clone()),
            p_correct: trial.p_correct,
            continues: trial.rounds,
            reward: Some(trial.score),
            correct_answer_index: u32::from(!trial.first_is_right),
            by_round: by_round.collect(),
        }
    });
    let made: Vec<Judgement> = made.collect();
    let mut left_out: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows.participants.iter().filter(|row| !row.counts()) {
        let why = if row.excluded.is_empty() {
            row.status.name()
        } else {
            &row.excluded
        };
        *left_out.entry(why.to_owned()).or_default() += 1;
    }
    let left_out = left_out
        .into_iter()
        .map(|(why, count)| LeftOut { why, count });
    debate_lab::judgements::report(&made, left_out.collect())
}

/// The means of a value over everybody's own, or over every item's own.
pub(super) fn means<'t>(
    trials: &[&'t TrialRow],
    by: fn(&TrialRow) -> &str,
    value: impl Fn(&TrialRow) -> f64,
) -> BTreeMap<&'t str, f64> {
    let mut groups: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for trial in trials {
        groups.entry(by(trial)).or_default().push(value(trial));
    }
    groups
        .into_iter()
        .map(|(name, values)| (name, mean(&values)))
        .collect()
}

pub(super) fn by_participant(trial: &TrialRow) -> &str {
    &trial.participant
}

pub(super) fn by_item(trial: &TrialRow) -> &str {
    &trial.item
}

pub(super) fn interval(values: &[f64]) -> Option<Ends> {
    let interval = t_interval(values)?;
    Some(Ends {
        low: interval.low,
        high: interval.high,
    })
}

fn mean_report(
    trials: &[&TrialRow],
    value: impl Fn(&TrialRow) -> f64 + Copy,
) -> Option<MeanReport> {
    let own: Vec<f64> = means(trials, by_participant, value).into_values().collect();
    let items: Vec<f64> = means(trials, by_item, value).into_values().collect();
    (!own.is_empty()).then(|| MeanReport {
        mean: mean(&own),
        participants95: interval(&own),
        items95: interval(&items),
    })
}

fn of_condition(
    study: &Study,
    place: usize,
    id: &str,
    trials: &[&TrialRow],
    judgements: &JudgementReport,
) -> StudyCondition {
    let own: Vec<&TrialRow> = trials
        .iter()
        .copied()
        .filter(|trial| trial.condition == id)
        .collect();
    let correct = own.iter().filter(|trial| trial.p_correct > 0.5).count();
    let judged = judgements
        .conditions
        .iter()
        .find(|condition| condition.condition == id);
    let share = |test: &dyn Fn(&TrialRow) -> bool| {
        let count = own.iter().filter(|trial| test(trial)).count();
        (!own.is_empty()).then(|| number(count) / number(own.len()))
    };
    let before: Vec<f64> = own
        .iter()
        .filter_map(|trial| {
            let first = trial.before_first?;
            let right = if trial.first_is_right {
                first
            } else {
                1.0 - first
            };
            Some((1.0 - right).powi(2))
        })
        .collect();
    let rounds: Vec<f64> = own.iter().map(|trial| f64::from(trial.rounds)).collect();
    StudyCondition {
        id: id.to_owned(),
        n: own.len(),
        participants: means(&own, by_participant, |_| 0.0).len(),
        correct,
        wilson95: wilson(correct as u64, own.len() as u64),
        accuracy: mean_report(&own, |trial| trial.correct),
        brier: mean_report(&own, |trial| trial.brier),
        log2_score: mean_report(&own, |trial| trial.score),
        brier_before: (!before.is_empty()).then(|| mean(&before)),
        ece: judged.map(|it| it.calibration_error),
        ece_floor: judged.map(|it| it.calibration_noise),
        active_seconds_median: median(own.iter().map(|trial| trial.active_s).collect()),
        rounds_mean: (!rounds.is_empty()).then(|| mean(&rounds)),
        // What stood first on the screen.
        chose_first: share(&|trial| {
            if trial.swap {
                trial.p_first < 0.5
            } else {
                trial.p_first > 0.5
            }
        }),
        first_was_right: share(&|trial| trial.first_is_right != trial.swap),
        judge_error_allowed: allowed(study, place),
    }
}

/// What the theorems allow a judge to err, the least over the items of a condition.
fn allowed(study: &Study, condition: usize) -> Option<f64> {
    let Task::Debate { protocol, .. } = &study.plan.conditions[condition].task else {
        return None;
    };
    let each = study
        .items
        .iter()
        .filter(|item| !item.practice)
        .map(|item| {
            let checked = check(item.setup(), &protocol.protocol, NumberFormat::Decimal).ok()?;
            match checked.judge_error_allowed? {
                ReportNumber::Decimal(value) => Some(value),
                ReportNumber::Fraction(_) => None,
            }
        });
    let all: Option<Vec<f64>> = each.collect();
    all?.into_iter().min_by(f64::total_cmp)
}

fn quality(rows: &Rows, trials: &[&TrialRow]) -> Quality {
    let repeats = rows.trials.iter().filter(|trial| trial.repeat);
    let gaps: Vec<f64> = repeats
        .filter_map(|again| {
            let first = rows.trials.iter().find(|it| {
                !it.repeat
                    && !it.practice
                    && it.session == again.session
                    && it.item == again.item
                    && it.condition == again.condition
            })?;
            Some((first.p_first - again.p_first).abs())
        })
        .collect();
    let most = trials.iter().map(|trial| trial.trial).max().unwrap_or(0);
    let half = |second: bool| {
        let own: Vec<f64> = trials
            .iter()
            .filter(|trial| (trial.trial > most / 2) == second)
            .map(|trial| trial.brier)
            .collect();
        (!own.is_empty()).then(|| mean(&own))
    };
    let mut guesses: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for row in &rows.survey {
        if let Some(label) = row.question.strip_prefix("guess: ") {
            *guesses
                .entry(label.to_owned())
                .or_default()
                .entry(row.answer.clone())
                .or_default() += 1;
        }
    }
    Quality {
        attention_failed: rows
            .participants
            .iter()
            .map(|row| row.attention_failed)
            .sum(),
        interrupted_trials: rows.trials.iter().filter(|trial| trial.interrupted).count(),
        trials_over_limit: rows.trials.iter().filter(|trial| trial.over_limit).count(),
        resumes: rows.participants.iter().map(|row| row.resumes).sum(),
        repeated: gaps.len(),
        repeat_difference: (!gaps.is_empty()).then(|| mean(&gaps)),
        first_half_brier: half(false),
        second_half_brier: half(true),
        guesses,
    }
}

fn queries(rows: &Rows) -> QueryReport {
    let all: Vec<&QueryRow> = rows
        .counted_queries()
        .filter(|query| query.truth.is_some())
        .collect();
    let wrong = |queries: &[&QueryRow]| {
        queries
            .iter()
            .filter(|query| query.is_error() == Some(true))
            .count()
    };
    let class = |name, truth| {
        let own: Vec<&QueryRow> = all
            .iter()
            .copied()
            .filter(|query| query.truth == Some(truth))
            .collect();
        QueryClass {
            class: name,
            n: own.len(),
            errors: wrong(&own),
            error_rate95: wilson(wrong(&own) as u64, own.len() as u64),
        }
    };
    let mut judges: BTreeMap<&str, Vec<&QueryRow>> = BTreeMap::new();
    for query in &all {
        judges.entry(&query.participant).or_default().push(query);
    }
    let judges = judges.into_iter().map(|(participant, own)| {
        let on = |truth| {
            own.iter()
                .filter(|query| query.truth == Some(truth) && query.is_error() == Some(true))
                .count()
        };
        JudgeErrors {
            participant: participant.to_owned(),
            n: own.len(),
            errors: wrong(&own),
            on_true: on(true),
            on_false: on(false),
        }
    });
    let (n, errors) = (all.len(), wrong(&all));
    QueryReport {
        n,
        errors,
        error_rate95: wilson(errors as u64, n as u64),
        classes: vec![class("true claims", true), class("false claims", false)],
        judges: judges.collect(),
        oracle: (n > 0).then(|| format!("Noisy(\"{errors}/{n}\")")),
        player: (n > 0).then(|| format!("noisy({errors}/{n})")),
    }
}

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
    let test = t_interval(&own);
    let seed = Seed::new(format!("{}/bootstrap", plan.seed));
    let drawn = seed.and_then(|seed| studentised_bootstrap(&own, plan.analysis.bootstrap, &seed));
    let mut report = PrimaryReport {
        measure: *measure,
        of: of.clone(),
        against: against.clone(),
        participants: own.len(),
        paired: true,
        difference: (!own.is_empty()).then(|| mean(&own)),
        t95: test.map(|it| Ends {
            low: it.low,
            high: it.high,
        }),
        t_p: test.map(|it| it.p),
        bootstrap95: drawn.map(|(low, high)| Ends { low, high }),
        by_items: (!items.is_empty()).then(|| mean(&items)),
        items95: interval(&items),
        sd: test.map(|it| it.sd),
        verdict: String::new(),
        detectable_at_target: test.and_then(|it| Some(detectable(target)? * it.sd)),
        stated: plan.analysis.power,
        stated_power: planned.and_then(|it| it.power),
        stated_detectable: planned.and_then(|it| it.detectable),
    };
    if own.is_empty() {
        between(&mut report, trials);
    }
    report.verdict = verdict(&report);
    report
}

/// The contrast where nobody judged under both conditions: of the groups' means, by Welch's interval.
fn between(report: &mut PrimaryReport, trials: &[&TrialRow]) {
    let group = |id: &str| -> Vec<f64> {
        let own: Vec<&TrialRow> = trials
            .iter()
            .copied()
            .filter(|trial| trial.condition == id)
            .collect();
        means(&own, by_participant, |trial| report.measure.of(trial))
            .into_values()
            .collect()
    };
    let (one, other) = (group(&report.of), group(&report.against));
    report.paired = false;
    report.participants = one.len() + other.len();
    if one.is_empty() || other.is_empty() {
        return;
    }
    report.difference = Some(mean(&one) - mean(&other));
    if let Some((low, high, p)) = welch(&one, &other) {
        report.t95 = Some(Ends { low, high });
        report.t_p = Some(p);
    }
}

fn verdict(report: &PrimaryReport) -> String {
    let few = report.participants < FEW;
    match (report.difference, report.t95) {
        (None, _) => "Nobody has judged under both conditions yet.".to_owned(),
        (Some(_), None) => "Too few to tell: there is no spread to measure yet.".to_owned(),
        (Some(_), Some(_)) if few => {
            format!("Too few to tell: {} participants.", report.participants)
        }
        (Some(_), Some(ends)) if ends.low > 0.0 || ends.high < 0.0 => {
            let way = if ends.low > 0.0 { "higher" } else { "lower" };
            format!(
                "The {} under `{}` is {way} than under `{}`.",
                report.measure.name(),
                report.of,
                report.against
            )
        }
        (Some(_), Some(_)) => "Too few to tell: the interval holds 0.".to_owned(),
    }
}
