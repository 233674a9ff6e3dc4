//! The steps of a slot: the flow of the study file with its trials dealt out.

use serde_json::{Value, json};

use super::{Input, trials_before_break};
use crate::study::Study;
use crate::study::plan::{CheckTrial, FlowStep, SurveyAnswer, SurveyQuestion, Task};
use crate::study::schedule::{Assigned, draw};

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

/// All steps of a slot.
pub(super) fn of(study: &Study, slot: u32) -> Vec<Step> {
    let schedule = study.schedule();
    let mut practice = schedule.practice(slot).into_iter();
    let trials = schedule.slot(slot);
    let mut steps = Vec::new();
    let mut guesses = guesses(study, &trials);
    for step in &study.plan.flow {
        match step {
            FlowStep::Screener { min } => steps.push(Step::Screener { min: *min }),
            FlowStep::Consent(name) => steps.push(Step::Consent(name.clone())),
            FlowStep::Instructions(name) => steps.push(Step::Instructions(name.clone())),
            FlowStep::Quiz { file, tries } => steps.push(Step::Quiz {
                file: file.clone(),
                tries: *tries,
            }),
            FlowStep::Practice { trials, .. } => {
                steps.extend(practice.by_ref().take(*trials as usize).map(Step::Trial));
            }
            FlowStep::Trials => steps.extend(with_checks(study, slot, &trials)),
            // It stands among the trials.
            FlowStep::Break { .. } => {}
            FlowStep::Survey(file) => {
                let questions = 0..study.survey(file).len();
                steps.extend(questions.map(|index| Step::Survey {
                    file: file.clone(),
                    index,
                }));
            }
            FlowStep::Debrief { reveal, text } => {
                steps.append(&mut guesses);
                steps.push(Step::Debrief {
                    reveal: *reveal,
                    text: text.clone(),
                });
            }
        }
    }
    steps.append(&mut guesses);
    steps.push(Step::End);
    steps
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
