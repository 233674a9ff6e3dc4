//! `check`: what a participant would go through, and what would spoil a study.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use crate::Study;
use crate::error::StudyError;
use crate::folder::lock::Lock;
use crate::plan::PlannedPower;
use crate::plan::schedule::Assigned;
use crate::plan::{Bonus, Exclusion, FlowStep, Primary, Shows, Stop, Task};
use crate::session::trial::{Asked, Trial};
use debate_core::scenario::JudgeSees;
use debate_lab::judgements::statistics::{detectable, mean, number};

/// Characters that are read in a minute.
const READING: f64 = 1000.0;
/// Seconds for each question.
const ANSWERING: f64 = 15.0;

/// What a study comes to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckReport {
    /// The version of this document: 1.
    pub format: u32,
    /// True if nothing would spoil the study.
    pub ok: bool,
    pub id: String,
    pub title: String,
    pub stage: &'static str,
    pub participants: u32,
    pub trials_per_participant: usize,
    /// An estimate: reading, answering, and a minute for each page around the trials.
    pub minutes: f64,
    pub items: usize,
    /// Items that nobody up to the target meets.
    pub unused_items: Vec<String>,
    pub conditions: Vec<ConditionCheck>,
    /// The smallest effect that is found four times out of five at the target, in standard deviations
    /// of the differences between two conditions within participants.
    pub detectable_sds: Option<f64>,
    /// What is found at the target by the effect that the study file states; null where it states none.
    pub planned: Option<PlannedPower>,
    /// What would spoil the study, and what to do.
    pub problems: Vec<String>,
    pub warnings: Vec<String>,
}

/// What participants meet under a condition.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ConditionCheck {
    pub id: String,
    pub shown_as: String,
    /// What the participant sees.
    pub sees: String,
    /// Trials of all participants up to the target.
    pub trials: usize,
    /// Shares of these whose first answer is right, and whose answers change places.
    pub first_is_right: f64,
    pub swapped: f64,
    /// The items with the fewest and the most trials.
    pub per_item: [usize; 2],
    /// Lines that are told in a trial: the fewest and the most over the items.
    pub lines: [usize; 2],
    /// Questions in a trial.
    pub questions: [usize; 2],
    pub minutes: f64,
}

/// One item under one condition, as it was played.
struct Rehearsal {
    lines: usize,
    characters: usize,
    questions: usize,
    public: Option<f64>,
}

/// Goes through every condition with every item.
///
/// # Errors
/// If the study's own files cannot be read again.
pub fn check(study: &Study) -> Result<CheckReport, StudyError> {
    let plan = &study.plan;
    let mut report = CheckReport {
        format: 1,
        ok: true,
        id: plan.id.clone(),
        title: plan.title.clone(),
        stage: plan.stage.name(),
        participants: plan.target.participants,
        trials_per_participant: study.schedule().slot(0).len(),
        minutes: 0.0,
        items: study.items.iter().filter(|item| !item.practice).count()
            + study.saved_items.iter().map(Vec::len).sum::<usize>(),
        unused_items: Vec::new(),
        conditions: Vec::new(),
        detectable_sds: detectable(plan.target.participants as usize),
        planned: PlannedPower::of(plan),
        problems: Vec::new(),
        warnings: Vec::new(),
    };
    let schedule = study.schedule();
    let trials: Vec<Assigned> = (0..plan.target.participants)
        .flat_map(|slot| schedule.slot(slot))
        .collect();
    for place in 0..plan.conditions.len() {
        let checked = condition(study, place, &trials, &mut report);
        report.conditions.push(checked);
    }
    unused(study, &trials, &mut report);
    told_apart(&mut report);
    spoilers(study, &mut report);
    secrets(study, &mut report);
    let trial_minutes: f64 = schedule
        .slot(0)
        .iter()
        .map(|trial| report.conditions[trial.condition].minutes)
        .sum();
    let around = plan
        .flow
        .iter()
        .filter(|step| !matches!(step, FlowStep::Trials | FlowStep::Screener { .. }));
    report.minutes = trial_minutes + number(around.count());
    report.ok = report.problems.is_empty();
    Ok(report)
}

fn rehearse(study: &Study, condition: usize, item: usize) -> Result<Rehearsal, StudyError> {
    let assigned = Assigned {
        number: 1,
        block: 1,
        condition,
        item,
        swap: false,
        repeat: false,
        practice: false,
    };
    let trial = Trial {
        study,
        assigned,
        slot: 0,
    };
    let moments = trial.rehearsed()?;
    let lines = moments.last().map_or(&[][..], |moment| &moment.lines);
    let evidence = moments.iter().filter_map(|moment| match &moment.asked {
        Asked::Rules(asked) if asked.kind == "query" => {
            Some(asked.question.len() + asked.evidence.as_ref().map_or(0, String::len))
        }
        _ => None,
    });
    Ok(Rehearsal {
        lines: lines.len(),
        characters: lines.iter().map(String::len).sum::<usize>() + evidence.sum::<usize>(),
        questions: moments.len() - 1,
        public: trial.public_number()?,
    })
}

fn condition(
    study: &Study,
    place: usize,
    trials: &[Assigned],
    report: &mut CheckReport,
) -> ConditionCheck {
    let condition = &study.plan.conditions[place];
    let own: Vec<&Assigned> = trials
        .iter()
        .filter(|trial| trial.condition == place && !trial.repeat)
        .collect();
    let pool = study.pool(place);
    let share = |test: &dyn Fn(&Assigned) -> bool| {
        let count = own.iter().filter(|trial| test(trial)).count();
        if own.is_empty() {
            0.0
        } else {
            number(count) / number(own.len())
        }
    };
    let counts: Vec<usize> = (0..pool.len())
        .filter(|item| !pool[*item].practice)
        .map(|item| own.iter().filter(|trial| trial.item == item).count())
        .collect();
    let mut rehearsals = Vec::new();
    for (item, known) in pool.iter().enumerate() {
        let judged = &known.setup().judge_sees;
        let plays = matches!(
            condition.task,
            Task::Debate { .. } | Task::Consultancy { .. }
        );
        if plays && *judged != JudgeSees::Transcript {
            report.problems.push(format!(
                "`{}` shows its judge less than the transcript, so that nobody could say how likely the question \
                 is; leave `judge_sees` out of it",
                known.id
            ));
        }
        match rehearse(study, place, item) {
            Ok(rehearsal) => {
                if rehearsal.public.is_some_and(|p| p <= 0.0 || p >= 1.0) {
                    report.problems.push(format!(
                        "`{}` on `{}`: the opponent's public number for the question is 0 or 1, which tells the \
                         answer; take an opponent that does not know it, such as calibrated",
                        condition.id, known.id
                    ));
                }
                rehearsals.push((known.truth, rehearsal));
            }
            Err(error) => report
                .problems
                .push(format!("`{}` on `{}`: {error}", condition.id, known.id)),
        }
    }
    telling(&condition.id, &rehearsals, report);
    let range = |of: fn(&Rehearsal) -> usize| {
        let all = rehearsals.iter().map(|(_, it)| of(it));
        [all.clone().min().unwrap_or(0), all.max().unwrap_or(0)]
    };
    let minutes: Vec<f64> = rehearsals
        .iter()
        .map(|(_, it)| number(it.characters) / READING + number(it.questions) * ANSWERING / 60.0)
        .collect();
    ConditionCheck {
        id: condition.id.clone(),
        shown_as: condition.shown_as.clone(),
        sees: sees(&condition.task),
        trials: own.len(),
        first_is_right: share(&|trial| pool[trial.item].truth != trial.swap),
        swapped: share(&|trial| trial.swap),
        per_item: [
            counts.iter().min().copied().unwrap_or(0),
            counts.iter().max().copied().unwrap_or(0),
        ],
        lines: range(|it| it.lines),
        questions: range(|it| it.questions),
        minutes: if minutes.is_empty() {
            0.0
        } else {
            mean(&minutes)
        },
    }
}

/// Warns where the opponent's public numbers tell true items from false ones without fail.
fn telling(id: &str, rehearsals: &[(bool, Rehearsal)], report: &mut CheckReport) {
    let of = |truth: bool| {
        let own = rehearsals.iter().filter(move |(of, _)| *of == truth);
        own.filter_map(|(_, it)| it.public)
    };
    let (Some(least), Some(most)) = (
        of(true).min_by(f64::total_cmp),
        of(false).max_by(f64::total_cmp),
    ) else {
        return;
    };
    if least > most && rehearsals.len() >= 6 {
        report.warnings.push(format!(
            "`{id}`: the opponent's public number is {least:.2} or more for every item that is true and {most:.2} or \
             less for every other: whoever notices has the answer"
        ));
    }
}

/// What the participant sees under a task.
fn sees(task: &Task) -> String {
    match task {
        Task::Direct {
            shows: Shows::Question,
        } => "the question alone".to_owned(),
        Task::Direct {
            shows: Shows::Evidence,
        } => "the question and all evidence".to_owned(),
        Task::Direct {
            shows: Shows::Source,
        } => "the question and the source".to_owned(),
        Task::Consultancy { .. } => {
            "one side: its answer, its way down, the evidence at its end".to_owned()
        }
        Task::Debate { protocol, .. } => format!(
            "a {} debate, and the evidence that it ends at",
            protocol.protocol.kind().name()
        ),
        Task::Rejudge { stepped: true, .. } => "a finished debate, round by round".to_owned(),
        Task::Rejudge { stepped: false, .. } => "a finished debate, all at once".to_owned(),
    }
}

fn unused(study: &Study, trials: &[Assigned], report: &mut CheckReport) {
    for (place, item) in study.items.iter().enumerate() {
        let is_met = trials
            .iter()
            .any(|trial| study.saved_items[trial.condition].is_empty() && trial.item == place);
        if !item.practice && !is_met {
            report.unused_items.push(item.id.clone());
        }
    }
    if !report.unused_items.is_empty() {
        report.warnings.push(format!(
            "nobody meets these items: {}",
            report.unused_items.join(", ")
        ));
    }
    for condition in &report.conditions {
        if condition.trials > 0 && (condition.first_is_right - 0.5).abs() > 0.05 {
            report.warnings.push(format!(
                "`{}`: the answer that stands first is right in {:.0} % of the trials; balance true and false items, or \
                 take `swap: Balanced`",
                condition.id,
                condition.first_is_right * 100.0
            ));
        }
        let [least, most] = condition.per_item;
        if most > least {
            report.warnings.push(format!(
                "`{}`: at the target some items have {most} trials and some {least}; a multiple of the number of items \
                 makes them equal",
                condition.id
            ));
        }
    }
}

/// Conditions that bear one name must not be told apart by their length.
fn told_apart(report: &mut CheckReport) {
    let mut problems = Vec::new();
    for (place, one) in report.conditions.iter().enumerate() {
        for other in &report.conditions[place + 1..] {
            let apart = |one: [usize; 2], other: [usize; 2]| one[1] < other[0] || other[1] < one[0];
            if one.shown_as == other.shown_as
                && (apart(one.lines, other.lines) || apart(one.questions, other.questions))
            {
                problems.push(format!(
                    "`{}` and `{}` are both shown as “{}”, but can be told apart by their length: {} to {} lines and {} to \
                     {}; give them items on which they overlap, or names of their own",
                    one.id, other.id, one.shown_as, one.lines[0], one.lines[1], other.lines[0], other.lines[1]
                ));
            }
        }
    }
    report.problems.extend(problems);
}

/// Words for everybody must not say what is compared.
fn spoilers(study: &Study, report: &mut CheckReport) {
    let mut names: Vec<String> = Vec::new();
    for condition in &study.plan.conditions {
        let players: &[&String] = match &condition.task {
            Task::Debate {
                prover, opponent, ..
            } => &[prover, opponent],
            Task::Consultancy { prover } => &[prover],
            _ => &[],
        };
        names.extend(
            players
                .iter()
                .map(|name| debate_core::player::bare(name).to_owned()),
        );
        names.push(condition.id.clone());
    }
    names.sort();
    names.dedup();
    let says = |text: &str, name: &str| {
        let lower = text.to_lowercase();
        let mut words = lower.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'));
        words.any(|word| word == name.to_lowercase())
    };
    for condition in &study.plan.conditions {
        if let Some(name) = names.iter().find(|name| says(&condition.shown_as, name)) {
            report.problems.push(format!(
                "conditions: `{}` is shown as “{}”, which says `{name}`; give it a neutral name, such as Task K",
                condition.id, condition.shown_as
            ));
        }
    }
    let debriefs: Vec<&String> = study
        .plan
        .flow
        .iter()
        .filter_map(|step| match step {
            FlowStep::Debrief { text, .. } => text.as_ref(),
            _ => None,
        })
        .collect();
    for (file, text) in study
        .texts
        .iter()
        .filter(|(file, _)| !debriefs.contains(&file))
    {
        for name in names.iter().filter(|name| says(text, name)) {
            report.warnings.push(format!("{file} says `{name}`, which is the name of a player or a condition: does it tell what is compared?"));
        }
    }
}

/// What participants take home must be readable here.
fn secrets(study: &Study, report: &mut CheckReport) {
    let codes = &study.plan.codes;
    for code in [
        &codes.complete,
        &codes.screened_out,
        &codes.failed_attention,
        &codes.no_consent,
    ]
    .into_iter()
    .flatten()
    {
        match code.strip_prefix("env:") {
            Some(name) if std::env::var_os(name).is_none() => {
                report.warnings.push(format!(
                    "codes: the environment has no {name}: participants would get no code"
                ));
            }
            None => report.warnings.push(
                "codes: a code stands in the study file, which others may read; write env:NAME"
                    .to_owned(),
            ),
            Some(_) => {}
        }
    }
}

/// Hypotheses, contrast, rules and the lock's hash, as Markdown.
pub fn preregister(study: &Study, checked: &CheckReport, lock: &Lock) -> String {
    let plan = &study.plan;
    let mut out = format!("# {}\n\n", plan.title);
    let mut line = |text: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{text}");
    };
    line(format!(
        "Study `{}`, stage {}, locked {}.",
        plan.id,
        plan.stage.name(),
        lock.locked
    ));
    line(format!(
        "Lock (SHA-256 of the study file, all texts and items, the program's version and the schedule): `{}`",
        lock.hash
    ));
    line("\n## Hypotheses\n".to_owned());
    if plan.hypotheses.is_empty() {
        line("None is stated.".to_owned());
    }
    for hypothesis in &plan.hypotheses {
        line(format!("- {hypothesis}"));
    }
    line("\n## Primary contrast\n".to_owned());
    let Primary::Difference {
        measure,
        of,
        against,
    } = &plan.analysis.primary;
    line(format!(
        "{} under `{of}` less that under `{against}`: the mean over participants of the differences of their own means, with \
         the paired t interval of 95 %; beside it the studentised bootstrap ({} resamples, seed {}) and the differences within \
         items. Practice and repeated trials are left out.",
        measure.name(),
        plan.analysis.bootstrap,
        plan.seed
    ));
    if let Some(power) = plan.analysis.power {
        line(format!(
            "Stated effect: {} with a standard deviation of {} between participants.",
            power.effect, power.sd
        ));
    }
    line("\n## Conditions\n".to_owned());
    for condition in &checked.conditions {
        line(format!(
            "- `{}`, shown as “{}”: participants see {}; {} trials at the target.",
            condition.id, condition.shown_as, condition.sees, condition.trials
        ));
    }
    line(format!(
        "\n{} items; {} trials a participant, about {:.0} minutes.",
        checked.items, checked.trials_per_participant, checked.minutes
    ));
    line("\n## Whose data do not count\n".to_owned());
    line("- Whoever did not come to the end.".to_owned());
    for rule in &plan.exclude {
        line(match rule {
            Exclusion::FailedQuiz => "- Whoever fails the quiz.".to_owned(),
            Exclusion::FailedAttention(most) => {
                format!("- Whoever fails {most} questions of attention or more.")
            }
            Exclusion::FasterThan { seconds, share } => {
                format!(
                    "- Whoever takes less than {seconds} active seconds in more than {:.0} % of the trials.",
                    share * 100.0
                )
            }
        });
    }
    line("\n## When it stops\n".to_owned());
    let Stop::Participants(stop) = plan.stop;
    line(format!("After {stop} completed sessions."));
    if let Some(Bonus::OneTrial { cents, .. }) = plan.bonus {
        line(format!(
            "\nBonus: one trial by chance (from the seed), {cents} cents times 1 - (1 - p)^2, p being the probability of the right answer."
        ));
    }
    out
}
