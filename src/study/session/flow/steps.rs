//! The steps of a session, from the flow of the study file and, from the first trial on, those that its slot deals
//! out; and the page that each shows.
//!
//! Pages of trials are made from the question, what was told and what is asked: nothing here looks at
//! what is right, who plays, or what a condition is called, until the debrief.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Asked, Input, Participant, Status};
use crate::Study;
use crate::plan::schedule::{Assigned, draw};
use crate::plan::{
    CheckTrial, Codes, FlowStep, Response, ScoreShown, SurveyAnswer, SurveyQuestion, Task,
};
use crate::session::page::SessionPage;
use crate::session::trial::AnswerForm;
use debate_core::protocol::Seat;
use debate_lab::tell::{Ask, AskKind, Line, Page, Role as LineRole, Texts, fill, paragraphs};

/// A step of a participant's way.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// What the study file says, for everybody.
    Flow(FlowStep),
    /// The slot is claimed: nobody is asked anything.
    Place,
    Trial(Assigned),
    Attention {
        words: [&'static str; 4],
        right: usize,
    },
    Survey {
        file: String,
        index: usize,
    },
    Guess {
        label: String,
    },
    End,
}

/// The answers of the page about what somebody argued, in its order, as tables write them.
pub(super) const GUESSES: [&str; 4] = ["helped", "misled", "both", "cannot_tell"];

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
        FlowStep::Survey(file) => {
            let questions = 0..study.survey(file).len();
            let question = |index| Step::Survey {
                file: file.clone(),
                index,
            };
            questions.map(question).collect()
        }
        FlowStep::Practice { .. } | FlowStep::Trials | FlowStep::Break { .. } => Vec::new(),
        step => vec![Step::Flow(step.clone())],
    }
}

/// The trials, with breaks and questions of attention between them.
fn with_checks(study: &Study, slot: u32, trials: &[Assigned]) -> Vec<Step> {
    let plan = &study.plan;
    let per_block = plan.checks.iter().find_map(|check| match check {
        CheckTrial::Attention { per_block } => Some(*per_block),
        CheckTrial::Repeat { .. } => None,
    });
    let mut steps = Vec::new();
    for (place, trial) in trials.iter().enumerate() {
        steps.push(Step::Trial(*trial));
        let of_block = trials
            .iter()
            .filter(|it| it.block == trial.block && !it.repeat);
        let own: Vec<&Assigned> = of_block.collect();
        for nth in 0..per_block.unwrap_or(0) {
            let label = format!("attention/{slot}/{}/{nth}", trial.block);
            let chosen = draw(plan.seed, &label) % own.len().max(1) as u64;
            let chosen = own.get(usize::try_from(chosen).unwrap_or(0));
            if chosen.is_some_and(|it| it.number == trial.number) {
                steps.push(attention(plan.seed, &label));
            }
        }
        let is_due = |step: &&FlowStep| matches!(step, FlowStep::Break { after, .. } if *after == trial.number);
        let is_last = place + 1 == trials.len();
        let due = plan.flow.iter().find(is_due).filter(|_| !is_last);
        steps.extend(due.cloned().map(Step::Flow));
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
    let conditions = trials.iter().map(|it| &study.plan.conditions[it.condition]);
    let argued = conditions.filter(|it| !matches!(it.task, Task::Direct { .. }));
    let labels: BTreeSet<&String> = argued.map(|it| &it.shown_as).collect();
    let guess = |label: &String| Step::Guess {
        label: label.clone(),
    };
    labels.into_iter().map(guess).collect()
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

/// What an estimate of a claim is about.
const OF_A_CLAIM: [&str; 2] = ["Yes, it is true", "No, it is not true"];

pub(super) fn page(participant: &Participant<'_>) -> SessionPage {
    if participant.leaving {
        return leave(participant);
    }
    if participant.status != Status::Started {
        return end(participant.status, &participant.codes);
    }
    let text = |name: &str| paragraphs(participant.study.text(name));
    match participant.step() {
        Step::Flow(FlowStep::Screener {
            min: (columns, rows),
            ..
        }) => page_of("screener", &json!({"columns": columns, "rows": rows})).asking(Ask::new(
            "",
            "",
            AskKind::Size,
        )),
        Step::Flow(FlowStep::Consent(name)) => page_of("consent", &Value::Null).with(text(name)),
        Step::Flow(FlowStep::Instructions(name)) => {
            page_of("instructions", &Value::Null).with(text(name))
        }
        Step::Flow(FlowStep::Quiz { file, .. }) => quiz(participant, file),
        Step::Flow(FlowStep::Break { max_s, .. }) => {
            page_of("break", &json!({"minutes": max_s.div_ceil(60)}))
        }
        Step::Flow(FlowStep::Debrief { reveal, text }) => {
            debrief(participant, *reveal, text.as_deref())
        }
        Step::Trial(assigned) => trial(participant, *assigned),
        Step::Attention { words, right } => {
            let mut page = page_of("attention", &json!({"word": words[*right]}));
            if let Some(ask) = &mut page.page.ask {
                ask.kind = AskKind::OneOf(words.map(str::to_owned).to_vec());
            }
            page
        }
        Step::Survey { file, index } => survey(&participant.study.survey(file)[*index]),
        Step::Guess { label } => page_of("guess", &json!({"label": label})),
        Step::Flow(_) | Step::Place | Step::End => end(participant.status, &participant.codes),
    }
}

fn text_line(text: impl Into<String>) -> Line {
    Line::of(LineRole::Text, text)
}

fn strong_line(text: impl Into<String>) -> Line {
    Line::of(LineRole::Title, text)
}

/// The words of a page that is the same in every study, but for what `{…}` stands for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct PageWords {
    heading: String,
    text: String,
    ask: String,
    options: Vec<String>,
}

/// The words of the pages by name.
static PAGES: Texts<PageWords> = Texts::new(include_str!("pages.ron"));

/// A page of `pages.ron`, with what its words stand for.
fn page_of(name: &str, places: &Value) -> SessionPage {
    let words = PAGES.get(name).cloned().unwrap_or_default();
    let filled = |text: String| fill(&text, places, str::to_owned);
    let options = words.options.into_iter().map(filled).collect();
    let kind = if words.ask.is_empty() {
        AskKind::Next
    } else {
        AskKind::OneOf(options)
    };
    let lines = Some(filled(words.text)).filter(|text| !text.is_empty());
    let page = Page::new(words.heading, lines.map(text_line).into_iter().collect());
    page.asking(Ask::new("", filled(words.ask), kind)).into()
}

impl SessionPage {
    fn asking(mut self, ask: Ask) -> Self {
        self.page.ask = Some(ask);
        self
    }

    /// The page with these lines in place of its own.
    fn with(mut self, lines: Vec<Line>) -> Self {
        self.page.lines = lines;
        self
    }
}

/// To read, and then to go on.
fn next() -> Ask {
    Ask::new("", "", AskKind::Next)
}

fn choice<T: AsRef<str>>(question: &str, options: &[T]) -> Ask {
    let options = options.iter().map(|option| option.as_ref().to_owned());
    Ask::new("", question, AskKind::OneOf(options.collect()))
}

fn leave(participant: &Participant<'_>) -> SessionPage {
    let hours = participant.study.plan.time.resume_within_h;
    page_of("leave", &json!({"hours": hours}))
}

fn quiz(participant: &Participant<'_>, file: &str) -> SessionPage {
    if participant.within.again {
        return page_of("quiz again", &Value::Null);
    }
    let place = participant.within.questions.last().copied().unwrap_or(0);
    let question = &participant.study.quiz(file)[place];
    page_of("quiz", &Value::Null).asking(choice(&question.ask, &question.options))
}

fn survey(question: &SurveyQuestion) -> SessionPage {
    let ask = match &question.answer {
        SurveyAnswer::Choice(options) => choice(&question.ask, options),
        SurveyAnswer::Scale { from, to, ends } => {
            let named = |number: i32| match number {
                number if number == *from && !ends.0.is_empty() => format!("{number} ({})", ends.0),
                number if number == *to && !ends.1.is_empty() => format!("{number} ({})", ends.1),
                number => number.to_string(),
            };
            let options: Vec<String> = (*from..=*to).map(named).collect();
            choice(&question.ask, &options)
        }
        SurveyAnswer::Number { .. } => text_ask(&question.ask, 20),
        SurveyAnswer::Text(most) => text_ask(&question.ask, *most),
    };
    page_of("survey", &Value::Null).asking(ask)
}

fn text_ask(question: &str, most: usize) -> Ask {
    Ask::new("", question, AskKind::Text { most })
}

/// The question's answers in the order in which they stand on the screen.
fn answers(participant: &Participant<'_>, assigned: Assigned) -> (String, [String; 2]) {
    let (question, mut answers) = participant.trial_of(assigned).item().question();
    if assigned.swap {
        answers.reverse();
    }
    (question, answers)
}

fn heading(participant: &Participant<'_>, assigned: Assigned) -> String {
    let condition = &participant.study.plan.conditions[assigned.condition];
    let label = &condition.shown_as;
    // Without a debate nobody has a seat.
    let role = match (&condition.task, participant.study.plan.role()) {
        (Task::Debate { .. }, role) if role != Seat::Judge => {
            format!(" - you are {}", role.person())
        }
        _ => String::new(),
    };
    if assigned.practice {
        return format!("{label} - practice, which does not count{role}");
    }
    let all = participant
        .steps
        .iter()
        .filter(|step| matches!(step, Step::Trial(trial) if !trial.practice));
    format!("{label} - {} of {}{role}", assigned.number, all.count())
}

fn trial(participant: &Participant<'_>, assigned: Assigned) -> SessionPage {
    let (question, answers) = answers(participant, assigned);
    let mut lines = vec![strong_line(question.as_str())];
    let moment = participant.within.moment.as_ref();
    let mut new_from = 0;
    if let Some(moment) = moment.filter(|moment| !moment.lines.is_empty()) {
        new_from = lines.len() + moment.new_from;
        lines.extend(moment.lines.iter().map(text_line));
    }
    let ask = match moment.map(|moment| &moment.asked) {
        None | Some(Asked::Over) => next(),
        Some(asked) => trial_ask(participant, asked, &question, answers),
    };
    let task = &participant.study.plan.conditions[assigned.condition].task;
    SessionPage {
        new_from,
        paced: !matches!(task, Task::Direct { .. }),
        ..Page::new(heading(participant, assigned), lines)
            .asking(ask)
            .into()
    }
}

fn trial_ask(
    participant: &Participant<'_>,
    asked: &Asked,
    root: &str,
    root_answers: [String; 2],
) -> Ask {
    let within = &participant.within;
    let answers = match asked {
        Asked::Rules(_) => OF_A_CLAIM.map(str::to_owned),
        _ => root_answers,
    };
    if let Some((typed, meant)) = &within.perhaps {
        let question = format!("You typed {typed}. Do you mean {meant} percent?");
        let yes = format!("Yes, {meant} percent");
        return choice(&question, &[yes.as_str(), "No, I type it again"]);
    }
    if let Some(shown) = within.unconfirmed {
        let [first, second] = &answers;
        let question = format!(
            "You say: “{first}” {shown} %, “{second}” {} %. Is that what you think?",
            100 - shown
        );
        return choice(&question, &["Yes", "No, I change it"]);
    }
    let likely = format!("How likely is “{}”?", answers[0]);
    let question = match asked {
        Asked::Before => format!("Before you read on: {likely}"),
        // The question has scrolled away by then.
        Asked::Round(_) => format!("By what you know now: {root}\n{likely}"),
        Asked::Final | Asked::Over => format!("In the end: {root}\n{likely}"),
        Asked::Rules(rules) => match &rules.form {
            AnswerForm::Percent => rules.question.clone(),
            AnswerForm::Text(most) => return text_ask(&rules.question, *most),
            AnswerForm::OneOf(options) => {
                let price = participant.study.plan.score.per_continue;
                let cost = (rules.kind == "continue" && price > 0.0)
                    .then(|| format!(" It takes {price} bits off your score."));
                let evidence = rules
                    .evidence
                    .as_ref()
                    .map(|seen| format!("\nEvidence: {seen}"));
                let question: String = [Some(rules.question.clone()), cost, evidence]
                    .into_iter()
                    .flatten()
                    .collect();
                let labels: Vec<&str> = options.iter().map(|it| it.label.as_str()).collect();
                return choice(&question, &labels);
            }
        },
    };
    let Response { min, max, .. } = participant.study.plan.response;
    Ask::new("", question, AskKind::Percent { answers, min, max })
}

fn debrief(participant: &Participant<'_>, reveal: bool, text: Option<&str>) -> SessionPage {
    let mut lines = text.map_or_else(Vec::new, |name| paragraphs(participant.study.text(name)));
    if reveal {
        if !lines.is_empty() {
            lines.push(text_line(""));
        }
        lines.push(strong_line("What was right"));
        let counted = participant.judged.iter().filter(|it| it.counts());
        lines.extend(counted.map(|judged| right_answer(participant, judged)));
    }
    if participant.study.plan.score.shown == ScoreShown::AtEnd {
        let mean = participant.mean_score();
        let words = mean.map(|mean| format!("Your mean score: {mean:.2} bits (0 is the best)."));
        lines.extend(words.map(text_line));
    }
    page_of("debrief", &Value::Null).with(lines)
}

fn right_answer(participant: &Participant<'_>, judged: &super::Judged) -> Line {
    let item = participant.trial_of(judged.assigned).item();
    let (question, answers) = item.question();
    let right = &answers[usize::from(!item.truth)];
    let given = if item.truth {
        judged.percent
    } else {
        100 - judged.percent
    };
    text_line(format!(
        "{question} Right: “{right}”. You gave that {given} %."
    ))
}

/// The last page of a session that ended so.
pub fn end(status: Status, codes: &Codes) -> SessionPage {
    let code = codes.of(status);
    let code = code.map(|code| strong_line(format!("Your code: {code}")));
    let mut end = page_of(status.name(), &Value::Null);
    end.page.ask = None;
    end.page.lines.extend(code);
    end
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn every_page_has_its_words() {
        let read: Result<BTreeMap<String, PageWords>, _> = ron::from_str(include_str!("pages.ron"));
        let mut names: Vec<String> = read.unwrap().into_keys().collect();
        let pages = [
            "screener",
            "consent",
            "instructions",
            "quiz",
            "quiz again",
            "break",
            "attention",
            "survey",
            "guess",
            "leave",
            "debrief",
        ];
        let ends = [
            Status::Started,
            Status::Complete,
            Status::ScreenedOut,
            Status::NoConsent,
            Status::FailedQuiz,
            Status::FailedAttention,
            Status::Withdrawn,
            Status::Expired,
            Status::Full,
        ];
        let mut known: Vec<&str> = ends.map(Status::name).into_iter().chain(pages).collect();
        known.sort_unstable();
        names.sort_unstable();
        assert_eq!(names, known);
        assert_eq!(PAGES.get("guess").unwrap().options.len(), GUESSES.len());
    }
}
