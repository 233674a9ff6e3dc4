//! The steps of a session: the flow of the study file, and from the first trial on those that its slot deals out.

use serde_json::{Value, json};

use super::{Input, trials_before_break};
use crate::Study;
use crate::plan::schedule::{Assigned, draw};
use crate::plan::{CheckTrial, FlowStep, SurveyAnswer, SurveyQuestion, Task};

/// A step of a participant's way.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    Screener {
        min: (u16, u16),
    },
    Consent(String),
    Instructions(String),
    Quiz {
        file: String,
        tries: u32,
    },
    /// A slot is claimed: nothing is shown. All steps after it are the slot's.
    Place,
    Trial(Assigned),
    /// A question that only somebody who reads can answer: choose this word.
    Attention {
        words: [&'static str; 4],
        right: usize,
    },
    Break {
        max_s: u32,
    },
    Survey {
        file: String,
        index: usize,
    },
    /// What somebody thinks of the tasks of a label.
    Guess {
        label: String,
    },
    Debrief {
        reveal: bool,
        text: Option<String>,
    },
    End,
}

/// What can be thought of those who argued: a name for the tables, and words.
pub(super) const GUESSES: [(&str, &str); 4] = [
    ("helped", "It helped me to find the right answer"),
    ("misled", "It led me away from the right answer"),
    ("both", "Sometimes the one, sometimes the other"),
    ("cannot_tell", "I cannot tell"),
];

const WORDS: [&str; 4] = ["anchor", "button", "candle", "drawer"];

fn is_dealt(step: &FlowStep) -> bool {
    matches!(step, FlowStep::Practice { .. } | FlowStep::Trials)
}

/// The steps that are the same for everybody: up to where a slot is claimed.
pub(super) fn before_trials(study: &Study) -> Vec<Step> {
    let flow = &study.plan.flow;
    let mut steps: Vec<Step> = flow
        .iter()
        .take_while(|step| !is_dealt(step))
        .flat_map(|step| shared(study, step))
        .collect();
    steps.push(Step::Place);
    steps
}

/// The steps of a slot, which come after those before the trials.
pub(super) fn of_slot(study: &Study, slot: u32) -> Vec<Step> {
    let schedule = study.schedule();
    let mut practice = schedule.practice(slot).into_iter();
    let trials = schedule.slot(slot);
    let mut steps = Vec::new();
    let mut guesses = guesses(study, &trials);
    let flow = study.plan.flow.iter();
    for step in flow.skip_while(|step| !is_dealt(step)) {
        match step {
            FlowStep::Practice { trials, .. } => {
                steps.extend(practice.by_ref().take(*trials as usize).map(Step::Trial));
            }
            FlowStep::Trials => steps.extend(with_checks(study, slot, &trials)),
            FlowStep::Debrief { .. } => {
                steps.append(&mut guesses);
                steps.extend(shared(study, step));
            }
            _ => steps.extend(shared(study, step)),
        }
    }
    steps.append(&mut guesses);
    steps.push(Step::End);
    steps
}

/// The steps of a part of the flow that is the same for everybody; none of one that a slot deals out.
fn shared(study: &Study, step: &FlowStep) -> Vec<Step> {
    match step {
        FlowStep::Screener { min, .. } => vec![Step::Screener { min: *min }],
        FlowStep::Consent(name) => vec![Step::Consent(name.clone())],
        FlowStep::Instructions(name) => vec![Step::Instructions(name.clone())],
        FlowStep::Quiz { file, tries } => vec![Step::Quiz {
            file: file.clone(),
            tries: *tries,
        }],
        FlowStep::Survey(file) => {
            let questions = 0..study.survey(file).len();
            let question = |index| Step::Survey {
                file: file.clone(),
                index,
            };
            questions.map(question).collect()
        }
        FlowStep::Debrief { reveal, text } => vec![Step::Debrief {
            reveal: *reveal,
            text: text.clone(),
        }],
        // A break stands among the trials.
        FlowStep::Practice { .. } | FlowStep::Trials | FlowStep::Break { .. } => Vec::new(),
    }
}

/// The trials, with breaks and questions of attention between them.
fn with_checks(study: &Study, slot: u32, trials: &[Assigned]) -> Vec<Step> {
    let plan = &study.plan;
    let per_block = plan.checks.iter().find_map(|check| match check {
        CheckTrial::Attention { per_block } => Some(*per_block),
        CheckTrial::Repeat { .. } => None,
    });
    let breaks = trials_before_break(&plan.flow);
    let mut steps = Vec::new();
    for (place, trial) in trials.iter().enumerate() {
        steps.push(Step::Trial(*trial));
        let own: Vec<&Assigned> = trials
            .iter()
            .filter(|it| it.block == trial.block && !it.repeat)
            .collect();
        for nth in 0..per_block.unwrap_or(0) {
            let label = format!("attention/{slot}/{}/{nth}", trial.block);
            let chosen =
                usize::try_from(draw(plan.seed, &label) % own.len().max(1) as u64).unwrap_or(0);
            if own.get(chosen).is_some_and(|it| it.number == trial.number) {
                steps.push(attention(plan.seed, &label));
            }
        }
        let last = place + 1 == trials.len();
        let due = breaks
            .iter()
            .find(|(after, _)| trial.number == *after && !last);
        steps.extend(due.map(|(_, max_s)| Step::Break { max_s: *max_s }));
    }
    steps
}

fn attention(seed: u64, label: &str) -> Step {
    let place =
        |what: &str| usize::try_from(draw(seed, &format!("{label}/{what}")) % 4).unwrap_or(0);
    let mut words = WORDS;
    words.rotate_left(place("words"));
    Step::Attention {
        words,
        right: place("right"),
    }
}

/// What is asked about each label under which somebody argued.
fn guesses(study: &Study, trials: &[Assigned]) -> Vec<Step> {
    let mut labels: Vec<String> = Vec::new();
    for trial in trials {
        let condition = &study.plan.conditions[trial.condition];
        let argued = !matches!(condition.task, Task::Direct { .. });
        if argued && !labels.contains(&condition.shown_as) {
            labels.push(condition.shown_as.clone());
        }
    }
    labels.sort();
    labels
        .into_iter()
        .map(|label| Step::Guess { label })
        .collect()
}

/// An answer to a question of a survey, as the tables have it.
pub(super) fn survey_value(question: &SurveyQuestion, input: &Input) -> Result<Value, String> {
    match (&question.answer, input) {
        (SurveyAnswer::Choice(options), Input::Choice(place)) => Ok(json!(options.get(*place))),
        (SurveyAnswer::Scale { from, .. }, Input::Choice(place)) => {
            Ok(json!(i64::from(*from) + i64::try_from(*place).unwrap_or(0)))
        }
        (SurveyAnswer::Number { min, max }, Input::Text(text)) => {
            match text.trim().parse::<i64>() {
                Ok(number) if (*min..=*max).contains(&number) => Ok(json!(number)),
                _ => Err(format!("Type a whole number from {min} to {max}.")),
            }
        }
        (SurveyAnswer::Text(_), Input::Text(text)) => Ok(json!(text.trim())),
        _ => Err("That is no answer to this question.".to_owned()),
    }
}
