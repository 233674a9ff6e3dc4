//! The steps of a session and the page of each step. Steps come from the study file; from the first trial on they
//! depend on the slot, a row of the schedule.
//!
//! Pages of trials contain the question, the lines of the debate and the current request. Before the debrief, they do
//! not depend on the right answer, the players or the id of the condition.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::admission::{screening_and_admission_steps, screening_page, waiting_list_page};
use super::{Participant, ParticipantInput, StudySessionStatus, TrialQuestion};
use crate::Study;
use crate::plan::item::ItemToJudge;
use crate::plan::markdown::{markdown_html, markdown_terminal_lines};
use crate::plan::schedule::{AssignedTrial, pseudorandom_number};
use crate::plan::{
    AttentionOrRepeatTrial, CodeOrAddressByOutcome, InformationShownWithQuestion, PageWording,
    ParticipantProbabilityAnswerSettings, ProbabilityQuestionTime, ScoreDisplayTime, StudyFlowStep,
    StudyPlan, StudyTextMarkup, SurveyAnswerForm, SurveyQuestion, TrialTask, native_language_name,
};
use crate::session::page::{
    MarkdownTextOnStudyPage, ParticipantWorkProgress, ProbabilityScaleWords, StudySessionPage,
};
use crate::session::trial::{
    AnswerForm, RequestToParticipant, ShownTrialState, StudyPageReplyOption,
};
use debate_core::number::format_with_decimals;
use debate_core::protocol::Seat;
use debate_core::text::to_ascii_number;
use debate_text::{
    DebateAnswerForm, HeadedTextPage, Line, QuestionToUser, TextRole as LineRole,
    ViewerPerspective, text_to_paragraph_lines,
};

/// A step of a session.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum StudySessionStep {
    /// The step at which the participant chooses a language, in a study with several languages.
    Language,
    /// A step that the study file lists, the same for all participants.
    Flow(StudyFlowStep),
    /// A question of the screening survey before consent.
    Screening {
        index: usize,
    },
    /// The step at which the participant is admitted before consent. It has a page only for participants who wait.
    Admission,
    /// The step at which the participant claims a slot, a row of the schedule. It has a page only for participants who
    /// wait for a group.
    Place,
    Trial(AssignedTrial),
    /// An attention question. `turn` is the number of positions by which its options are rotated; `right` is the index
    /// of the right option after that.
    Attention {
        turn: usize,
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

/// Positions of the choices on the page about leaving. Logs contain them.
pub(super) const LEAVE_STAY: usize = 0;
pub(super) const LEAVE_PAUSE: usize = 1;
pub(super) const LEAVE_WITHDRAW: usize = 2;

/// The options of the question about the effect of the arguments, as logs and tables record them, in the order of the
/// page. The question is asked for each label, a condition's name that participants see.
pub(super) const GUESSES: [&str; 4] = ["helped", "misled", "both", "cannot_tell"];

fn is_dealt(step: &StudyFlowStep) -> bool {
    matches!(step, StudyFlowStep::Practice { .. } | StudyFlowStep::Trials)
}

/// Returns the steps before the trials, which are the same for all participants, up to the claim of a schedule row.
pub(super) fn steps_before_trials(study: &Study) -> Vec<StudySessionStep> {
    let flow = &study.plan.flow;
    let has_choice = !study.offered_languages().is_empty();
    let mut steps: Vec<StudySessionStep> = has_choice
        .then_some(StudySessionStep::Language)
        .into_iter()
        .collect();
    let shared_steps = flow
        .iter()
        .take_while(|step| !is_dealt(step))
        .flat_map(|step| shared(study, step));
    steps.extend(shared_steps);
    let is_before = |step: &StudySessionStep| {
        let is_window = matches!(step, StudySessionStep::Flow(StudyFlowStep::Screener { .. }));
        is_window || *step == StudySessionStep::Language
    };
    let consent = steps.iter().position(|step| !is_before(step));
    let consent = consent.unwrap_or(steps.len());
    steps.splice(consent..consent, screening_and_admission_steps(study));
    steps.push(StudySessionStep::Place);
    steps
}

/// Returns the steps that depend on the slot (a row of the schedule): from the first practice or trials to the end.
pub(super) fn steps_from_first_trials_of_slot(study: &Study, slot: u32) -> Vec<StudySessionStep> {
    let schedule = study.schedule();
    let mut practice = schedule.practice_trials_of_slot(slot).into_iter();
    let trials = schedule.trials_of_slot_without_practice(slot);
    let mut steps = Vec::new();
    let mut guesses = guesses(study, &trials);
    let flow = study.plan.flow.iter();
    for step in flow.skip_while(|step| !is_dealt(step)) {
        match step {
            StudyFlowStep::Practice { trials, .. } => {
                steps.extend(
                    practice
                        .by_ref()
                        .take(*trials as usize)
                        .map(StudySessionStep::Trial),
                );
            }
            StudyFlowStep::Trials => steps.extend(with_checks(study, slot, &trials)),
            StudyFlowStep::Debrief { .. } => {
                steps.append(&mut guesses);
                steps.extend(shared(study, step));
            }
            _ => steps.extend(shared(study, step)),
        }
    }
    steps.append(&mut guesses);
    steps.push(StudySessionStep::End);
    steps
}

/// Returns the steps of a part of the study file's flow. Empty for practice, trials and breaks, which
/// [`steps_from_first_trials_of_slot`] adds.
fn shared(study: &Study, step: &StudyFlowStep) -> Vec<StudySessionStep> {
    match step {
        StudyFlowStep::Survey(file) => {
            let questions = 0..study.survey_questions(file).len();
            let question = |index| StudySessionStep::Survey {
                file: file.clone(),
                index,
            };
            questions.map(question).collect()
        }
        StudyFlowStep::Practice { .. } | StudyFlowStep::Trials | StudyFlowStep::Break { .. } => {
            Vec::new()
        }
        step => vec![StudySessionStep::Flow(step.clone())],
    }
}

/// Returns the steps of the trials, with the breaks and attention questions between them.
fn with_checks(study: &Study, slot: u32, trials: &[AssignedTrial]) -> Vec<StudySessionStep> {
    let plan = &study.plan;
    let per_block = plan.checks.iter().find_map(|check| match check {
        AttentionOrRepeatTrial::Attention { per_block } => Some(*per_block),
        AttentionOrRepeatTrial::Repeat { .. } => None,
    });
    let mut steps = Vec::new();
    for (place, trial) in trials.iter().enumerate() {
        steps.push(StudySessionStep::Trial(*trial));
        let of_block = trials
            .iter()
            .filter(|it| it.block == trial.block && !it.repeat);
        let own: Vec<&AssignedTrial> = of_block.collect();
        for nth in 0..per_block.unwrap_or(0) {
            let label = format!("attention/{slot}/{}/{nth}", trial.block);
            let chosen = pseudorandom_number(plan.seed, &label) % own.len().max(1) as u64;
            let chosen = own.get(usize::try_from(chosen).unwrap_or(0));
            if chosen.is_some_and(|it| it.number == trial.number) {
                steps.push(attention(plan.seed, &label));
            }
        }
        let is_due = |step: &&StudyFlowStep| matches!(step, StudyFlowStep::Break { after, .. } if *after == trial.number);
        let is_last = place + 1 == trials.len();
        let due = plan.flow.iter().find(is_due).filter(|_| !is_last);
        steps.extend(due.cloned().map(StudySessionStep::Flow));
    }
    steps
}

fn attention(seed: u64, label: &str) -> StudySessionStep {
    let place = |what: &str| {
        usize::try_from(pseudorandom_number(seed, &format!("{label}/{what}")) % 4).unwrap_or(0)
    };
    StudySessionStep::Attention {
        turn: place("words"),
        right: place("right"),
    }
}

/// Returns one question about the effect of the arguments for each label. A label is a condition's name that
/// participants see; conditions without arguments get no question.
fn guesses(study: &Study, trials: &[AssignedTrial]) -> Vec<StudySessionStep> {
    let conditions = trials.iter().map(|it| &study.plan.conditions[it.condition]);
    let argued = conditions.filter(|it| !matches!(it.task, TrialTask::Direct { .. }));
    let labels: BTreeSet<&String> = argued.map(|it| &it.shown_as).collect();
    let guess = |label: &String| StudySessionStep::Guess {
        label: label.clone(),
    };
    labels.into_iter().map(guess).collect()
}

/// Converts an answer to a survey question to its value in tables. The error is a sentence for the participant.
pub(super) fn survey_value(
    plan: &StudyPlan,
    question: &SurveyQuestion,
    input: &ParticipantInput,
) -> Result<Value, String> {
    match (&question.answer, input) {
        (SurveyAnswerForm::Choice(options), ParticipantInput::Choice(place)) => {
            let recorded = &question.recorded_options;
            let recorded = if recorded.is_empty() {
                options
            } else {
                recorded
            };
            Ok(json!(recorded.get(*place)))
        }
        (SurveyAnswerForm::Scale { from, .. }, ParticipantInput::Choice(place)) => {
            Ok(json!(i64::from(*from) + i64::try_from(*place).unwrap_or(0)))
        }
        (SurveyAnswerForm::Number { min, max }, ParticipantInput::Text(text)) => {
            match to_ascii_number(text).trim().parse::<i64>() {
                Ok(number) if (*min..=*max).contains(&number) => Ok(json!(number)),
                _ => Err(plan.filled_text("no number", &json!({"min": min, "max": max}))),
            }
        }
        (SurveyAnswerForm::Text(_), ParticipantInput::Text(text)) => Ok(json!(text.trim())),
        _ => Err(plan.filled_text("no answer", &Value::Null)),
    }
}

/// The facts about a finished session that the last page shows.
#[derive(Clone, Copy)]
pub(crate) struct FactsShownOnLastPage<'e> {
    /// The session's number, which also names it in the data.
    pub(crate) session: &'e str,
    /// The trial that decides the bonus, and the bonus in cents.
    pub(crate) bonus: Option<(u32, u32)>,
}

/// Returns the work that a step is for the participant, in units of a short page.
fn work_of_step(step: &StudySessionStep) -> u32 {
    match step {
        // The same for all conditions, so that the remaining time does not reveal them.
        StudySessionStep::Trial(_) => 4,
        StudySessionStep::Admission | StudySessionStep::Place | StudySessionStep::End => 0,
        StudySessionStep::Language
        | StudySessionStep::Flow(_)
        | StudySessionStep::Screening { .. }
        | StudySessionStep::Attention { .. }
        | StudySessionStep::Survey { .. }
        | StudySessionStep::Guess { .. } => 1,
    }
}

/// Returns the total work that several steps are for the participant, in units of a short page.
pub(super) fn total_effort_of_steps(steps: &[StudySessionStep]) -> u32 {
    steps.iter().map(work_of_step).sum()
}

/// Returns the participant's progress through the session, for display on the page.
fn progress(participant: &Participant<'_>) -> ParticipantWorkProgress {
    let steps = &participant.steps;
    let dealt_from = steps.iter().position(|it| *it == StudySessionStep::Place);
    let before = dealt_from.and_then(|index| steps.get(..index));
    let all = total_effort_of_steps(before.unwrap_or_default()) + participant.dealt_work;
    let past = total_effort_of_steps(steps.get(..participant.at).unwrap_or_default());
    let answered = u32::try_from(participant.step_state.replies.len()).unwrap_or(u32::MAX);
    let here = work_of_step(participant.step());
    let done = (past + answered.min(here.saturating_sub(1))).min(all);
    let plan = &participant.study.plan;
    let minutes = plan.time.minutes.filter(|_| all > 0);
    let left = minutes.map(|minutes| {
        let left = u64::from(minutes) * u64::from(all - done);
        left.div_ceil(all.into()).max(1)
    });
    ParticipantWorkProgress {
        done,
        all,
        time_left: left.map(|left| plan.filled_text("minutes left", &json!({"minutes": left}))),
    }
}

/// Returns the page of the current step. `end` has the facts about a finished session, if they are known.
pub(super) fn step_page(
    participant: &Participant<'_>,
    end: Option<FactsShownOnLastPage<'_>>,
) -> StudySessionPage {
    let study = participant.study;
    if participant.status != StudySessionStatus::Started && !participant.leaving {
        let reason = match participant.admission.screened_by {
            Some(_) => EndReason::Answer,
            None => EndReason::Status,
        };
        return in_unchosen_language(participant, |study| {
            session_end_page(study, participant.status, &participant.codes, reason, end)
        });
    }
    let mut page = open_page(participant);
    if study.has_pages_of_format_4_or_later() && !page.is_session_over() {
        page.progress = Some(progress(participant));
        page.button = Some(button(participant, &page));
    }
    page
}

/// Returns the words of the button that sends the answer of a page.
fn button(participant: &Participant<'_>, page: &StudySessionPage) -> String {
    let plan = &participant.study.plan;
    let text = |name: &str| plan.filled_text(name, &Value::Null);
    let kind = page.page.ask.as_ref().map(|ask| &ask.kind);
    let only_reads = matches!(kind, Some(DebateAnswerForm::Next));
    if *participant.step() == StudySessionStep::Language {
        let words = in_every_language(participant.study, "continue").into_iter();
        let mut words: Vec<String> = words.filter_map(|words| words.text).collect();
        words.dedup();
        return words.join(" · ");
    }
    if participant.leaving || page.polls {
        return text("continue");
    }
    let next = participant.steps.get(participant.at + 1);
    let next_trial = match next {
        Some(StudySessionStep::Trial(next)) if !next.practice => {
            Some(json!({"number": next.number}))
        }
        _ => None,
    };
    match participant.step() {
        StudySessionStep::Trial(_) if !only_reads => {
            let point = participant.step_state.point.as_ref();
            let is_final = point.is_some_and(|point| ends_trial(participant.study, point));
            match (next_trial, next) {
                (Some(number), _) if is_final => plan.filled_text("save for question", &number),
                (_, Some(StudySessionStep::Flow(StudyFlowStep::Break { .. }))) if is_final => {
                    text("save for break")
                }
                _ => text("save"),
            }
        }
        StudySessionStep::Flow(StudyFlowStep::Break { .. }) => match next_trial {
            Some(number) => plan.filled_text("go to question", &number),
            None => text("next"),
        },
        StudySessionStep::Flow(StudyFlowStep::Consent(_)) => text("continue"),
        _ if only_reads => text("next"),
        _ => text("save"),
    }
}

/// True if the trial is over once the participant answers the question that this snapshot of the trial contains.
fn ends_trial(study: &Study, point: &ShownTrialState) -> bool {
    match &point.asked {
        TrialQuestion::Final => true,
        // After the last round of a debate in speeches, a judge may still be asked for reasons.
        TrialQuestion::Round(_) => point.is_last_round && !study.asks_judge_for_private_reasons(),
        TrialQuestion::Rules(rules) => point.is_last_round && rules.kind == "feedback",
        _ => false,
    }
}

/// Returns the page of the current step of a session in progress, without its progress and button.
fn open_page(participant: &Participant<'_>) -> StudySessionPage {
    let study = participant.study;
    let plan = &study.plan;
    if participant.leaving {
        return in_unchosen_language(participant, |study| leave_page(participant, &study.plan));
    }
    if participant.is_waiting_for_group() {
        let wait_s = plan.group.map_or(0, |group| group.wait_s);
        return StudySessionPage {
            polls: true,
            ..standard_page(plan, "waiting", &plan.duration_placeholders(wait_s.into()))
        };
    }
    if participant.awaits_admission() {
        return waiting_list_page(participant);
    }
    let plain = |name: &str| standard_page(plan, name, &Value::Null);
    let with_text =
        |page: &str, name: &str| plain(page).with_text(plan, study.text_of_study_file(name));
    match participant.step() {
        StudySessionStep::Flow(StudyFlowStep::Screener {
            min: (columns, rows),
            ..
        }) => standard_page(plan, "screener", &json!({"columns": columns, "rows": rows}))
            .asking(QuestionToUser::new("", "", DebateAnswerForm::Size)),
        StudySessionStep::Flow(StudyFlowStep::Consent(name)) => with_text("consent", name),
        StudySessionStep::Flow(StudyFlowStep::Instructions(name)) => {
            with_text("instructions", name)
        }
        StudySessionStep::Flow(StudyFlowStep::Quiz { file, .. }) => quiz(participant, file),
        StudySessionStep::Flow(StudyFlowStep::Break { max_s, .. }) => StudySessionPage {
            limit_s: Some(*max_s),
            ..standard_page(plan, "break", &plan.duration_placeholders((*max_s).into()))
        },
        StudySessionStep::Flow(StudyFlowStep::Debrief { reveal, text }) => {
            debrief(participant, *reveal, text.as_deref())
        }
        StudySessionStep::Trial(assigned) if participant.step_state.void => {
            let mut page = plain("void");
            let has_bonus = plan.bonus.is_some() && !assigned.practice;
            let name = if plan.has_words_of_format_3 {
                "paid"
            } else {
                "void bonus"
            };
            let bonus = has_bonus.then(|| text_line(plan.filled_text(name, &Value::Null)));
            page.page.lines.extend(bonus);
            page
        }
        StudySessionStep::Trial(assigned) => trial(participant, *assigned),
        StudySessionStep::Language => language_page(study),
        StudySessionStep::Attention { turn, right } => attention_page(plan, *turn, *right),
        StudySessionStep::Survey { file, index } => {
            let questions = study.survey_questions(file);
            let page = survey_page(plan, "survey", &questions[*index]);
            page.with_question_number(plan, index + 1, questions.len())
        }
        StudySessionStep::Screening { index } => screening_page(participant, *index),
        StudySessionStep::Guess { label } => standard_page(plan, "guess", &json!({"label": label})),
        StudySessionStep::Flow(_)
        | StudySessionStep::Admission
        | StudySessionStep::Place
        | StudySessionStep::End => {
            last_page_without_session(study, participant.status, &participant.codes)
        }
    }
}

fn text_line(text: impl Into<String>) -> Line {
    Line::unlabelled(LineRole::Text, text)
}

fn strong_line(text: impl Into<String>) -> Line {
    Line::unlabelled(LineRole::Title, text)
}

/// Returns the page `name` of `words.ron` with its placeholders filled in from `placeholders`.
pub(super) fn standard_page(
    plan: &StudyPlan,
    name: &str,
    placeholders: &Value,
) -> StudySessionPage {
    let words = plan.filled_wording(name, placeholders);
    let kind = match (&words.ask, words.options) {
        (None, _) => DebateAnswerForm::Next,
        (Some(_), options) => DebateAnswerForm::OneOf(options.unwrap_or_default()),
    };
    let own = plan.texts.words.get(name).and_then(|own| own.text.as_ref());
    let is_markdown = plan.markup == StudyTextMarkup::Markdown && own.is_some();
    let page = HeadedTextPage::new(words.heading.unwrap_or_default(), Vec::new());
    let page = page.with_question(QuestionToUser::new("", words.ask.unwrap_or_default(), kind));
    let page = StudySessionPage::from(page);
    match words.text {
        Some(text) if is_markdown => page.with_markdown(plan, &text),
        text => page.with(text.map(text_line).into_iter().collect()),
    }
}

impl StudySessionPage {
    /// Adds another page with the same structure below this one, for the same page in several languages.
    fn followed_by(mut self, other: Self) -> Self {
        let joined = |one: &mut String, other: &str, separator: &str| {
            if one != other {
                *one = format!("{one}{separator}{other}");
            }
        };
        // The HTML of a Markdown text would replace the lines of both languages.
        self.prose = None;
        joined(&mut self.page.heading, &other.page.heading, " · ");
        for line in other.page.lines {
            if line.plain_body_text().trim().is_empty() || !self.page.lines.contains(&line) {
                self.page.lines.push(line);
            }
        }
        if let Some((own, other)) = self.page.ask.as_mut().zip(other.page.ask) {
            joined(&mut own.text, &other.text, "\n");
            if let (DebateAnswerForm::OneOf(own), DebateAnswerForm::OneOf(other)) =
                (&mut own.kind, other.kind)
            {
                for (own, other) in own.iter_mut().zip(other) {
                    joined(own, &other, " · ");
                }
            }
        }
        self
    }

    fn asking(mut self, ask: QuestionToUser) -> Self {
        self.page.ask = Some(ask);
        self
    }

    /// Adds the number of the question among several to the heading, as its second line. Does nothing in studies of
    /// format 3 and earlier.
    pub(super) fn with_question_number(
        mut self,
        plan: &StudyPlan,
        number: usize,
        question_count: usize,
    ) -> Self {
        if !plan.has_words_of_format_3 {
            self.details = plan.filled_text(
                "question of",
                &json!({"number": number, "all": question_count}),
            );
        }
        self
    }

    /// Replaces all lines of the page.
    fn with(mut self, lines: Vec<Line>) -> Self {
        self.page.lines = lines;
        self
    }

    /// Appends a text of the study to this page, in the markup (plain or Markdown) that the study file names.
    fn with_text(mut self, plan: &StudyPlan, text: &str) -> Self {
        match plan.markup {
            StudyTextMarkup::Markdown => self.with_markdown(plan, text),
            StudyTextMarkup::Plain => {
                self.page.lines.extend(text_to_paragraph_lines(text));
                self
            }
        }
    }

    /// Adds a Markdown text below the lines of the page.
    fn with_markdown(mut self, plan: &StudyPlan, text: &str) -> Self {
        let from = self.page.lines.len();
        self.page.lines.extend(markdown_terminal_lines(text));
        self.prose = Some(MarkdownTextOnStudyPage {
            lines: from..self.page.lines.len(),
            html: markdown_html(text, &plan.media),
        });
        self
    }

    /// Adds to the page a note in Markdown, if there is one.
    fn with_note(self, plan: &StudyPlan, note: Option<&String>) -> Self {
        match note {
            Some(note) => self.with_markdown(plan, note),
            None => self,
        }
    }
}

/// Returns the request of a page that the participant only reads: a button to continue.
fn next() -> QuestionToUser {
    QuestionToUser::new("", "", DebateAnswerForm::Next)
}

fn choice<T: AsRef<str>>(question: &str, options: &[T]) -> QuestionToUser {
    let options = options.iter().map(|option| option.as_ref().to_owned());
    QuestionToUser::new("", question, DebateAnswerForm::OneOf(options.collect()))
}

/// Returns the question `name` of `words.ron` with its options.
fn choice_of(plan: &StudyPlan, name: &str, places: &Value) -> QuestionToUser {
    let words = plan.filled_wording(name, places);
    choice(
        &words.ask.unwrap_or_default(),
        &words.options.unwrap_or_default(),
    )
}

/// Returns a standard wording in each language of the study.
fn in_every_language(study: &Study, name: &str) -> Vec<PageWording> {
    let languages = study.offered_languages().iter();
    let studies = languages.filter_map(|it| study.in_language(it));
    studies.map(|study| study.plan.wording(name)).collect()
}

/// Returns a page in the language of the participant. While the participant chooses a language, returns the page in all
/// languages of the study, since study format 6.
fn in_unchosen_language(
    participant: &Participant<'_>,
    page: impl Fn(&Study) -> StudySessionPage,
) -> StudySessionPage {
    let study = participant.study;
    let is_chosen = *participant.step() != StudySessionStep::Language;
    if is_chosen || !study.has_pages_of_format_6_or_later() {
        return page(study);
    }
    let languages = study.offered_languages().iter();
    let studies = languages.filter_map(|it| study.in_language(it));
    let pages = studies.map(page).reduce(StudySessionPage::followed_by);
    pages.unwrap_or_default()
}

/// Returns the page that asks if the participant wants to leave.
fn leave_page(participant: &Participant<'_>, plan: &StudyPlan) -> StudySessionPage {
    let resume = plan.duration_placeholders(plan.time.resume_within_s());
    let mut page = standard_page(plan, "leave", &resume);
    if let Some(pause) = participant.pause_in_group_text(plan, "pause in a group")
        && let Some(QuestionToUser {
            kind: DebateAnswerForm::OneOf(options),
            ..
        }) = &mut page.page.ask
        && let Some(option) = options.get_mut(LEAVE_PAUSE)
    {
        *option = pause;
    }
    page
}

impl Participant<'_> {
    /// Returns the words of the page after the participant has paused. While the participant chooses a language, they
    /// are in all languages of the study, since study format 6.
    pub fn pause_wording(&self) -> PageWording {
        let page = in_unchosen_language(self, |study| {
            let plan = &study.plan;
            let places = plan.duration_placeholders(plan.time.resume_within_s());
            let words = plan.filled_wording("paused", &places);
            let text = self.pause_in_group_text(plan, "paused in a group");
            let text = text.or(words.text).unwrap_or_default();
            let heading = words.heading.unwrap_or_default();
            StudySessionPage::from(HeadedTextPage::new(heading, vec![text_line(text)])).asking(
                QuestionToUser::new("", words.ask.unwrap_or_default(), DebateAnswerForm::Next),
            )
        });
        let texts: Vec<String> = page.page.lines.iter().map(Line::plain_body_text).collect();
        PageWording {
            heading: Some(page.page.heading),
            text: Some(texts.join("\n\n")),
            ask: page.page.ask.map(|ask| ask.text.replace('\n', " · ")),
            options: None,
        }
    }
}

/// Returns the page with the choice of a language. Its question is in every language.
fn language_page(study: &Study) -> StudySessionPage {
    let (mut headings, mut questions) = (Vec::new(), Vec::new());
    for words in in_every_language(study, "language") {
        headings.extend(words.heading);
        questions.extend(words.ask);
    }
    let languages = study.offered_languages().iter();
    let names: Vec<&str> = languages.map(|it| native_language_name(it)).collect();
    StudySessionPage::from(HeadedTextPage::new(headings.join(" · "), Vec::new()))
        .asking(choice(&questions.join("\n"), &names))
}

fn attention_page(plan: &StudyPlan, turn: usize, right: usize) -> StudySessionPage {
    let mut options = plan.wording("attention").options.unwrap_or_default();
    let turn = turn % options.len().max(1);
    options.rotate_left(turn);
    let mut page = standard_page(plan, "attention", &json!({"word": options.get(right)}));
    if let Some(ask) = &mut page.page.ask {
        ask.kind = DebateAnswerForm::OneOf(options);
    }
    page
}

fn quiz(participant: &Participant<'_>, file: &str) -> StudySessionPage {
    let plan = &participant.study.plan;
    if participant.step_state.again {
        return standard_page(plan, "quiz again", &Value::Null);
    }
    let place = participant
        .step_state
        .questions
        .last()
        .copied()
        .unwrap_or(0);
    let questions = participant.study.quiz_questions(file);
    let question = &questions[place];
    let page = standard_page(plan, "quiz", &Value::Null).with_note(plan, question.note.as_ref());
    let page = page.asking(choice(&question.ask, &question.options));
    // A second try contains only the questions with a wrong answer.
    if participant.step_state.tries > 0 {
        return page;
    }
    let left = participant.step_state.questions.len();
    page.with_question_number(plan, questions.len() + 1 - left, questions.len())
}

/// Returns the page of a survey question, under the heading `name` of `words.ron`.
pub(super) fn survey_page(
    plan: &StudyPlan,
    name: &str,
    question: &SurveyQuestion,
) -> StudySessionPage {
    let ask = match &question.answer {
        SurveyAnswerForm::Choice(options) => choice(&question.ask, options),
        SurveyAnswerForm::Scale { from, to, ends } => {
            let named = |number: i32| match number {
                number if number == *from && !ends.0.is_empty() => format!("{number} ({})", ends.0),
                number if number == *to && !ends.1.is_empty() => format!("{number} ({})", ends.1),
                number => number.to_string(),
            };
            let options: Vec<String> = (*from..=*to).map(named).collect();
            choice(&question.ask, &options)
        }
        SurveyAnswerForm::Number { min, max } if !plan.has_words_of_format_3 => {
            let limits = plan.filled_text("no number", &json!({"min": min, "max": max}));
            text_ask(&format!("{}\n{limits}", question.ask), 20)
        }
        SurveyAnswerForm::Number { .. } => text_ask(&question.ask, 20),
        SurveyAnswerForm::Text(most) => text_ask(&question.ask, *most),
    };
    let page = standard_page(plan, name, &Value::Null).asking(ask);
    StudySessionPage {
        asks_number: matches!(question.answer, SurveyAnswerForm::Number { .. }),
        ..page.with_note(plan, question.note.as_ref())
    }
}

fn text_ask(question: &str, most: usize) -> QuestionToUser {
    QuestionToUser::new("", question, DebateAnswerForm::Text { most })
}

/// Returns the question of an item and its two answers, in the item's order. A page may show them in swapped order.
fn question(plan: &StudyPlan, item: &ItemToJudge) -> (String, [String; 2]) {
    item.question_or_root_claim().unwrap_or_else(|claim| {
        let words = plan.filled_wording("claim", &json!({"claim": claim}));
        (words.ask.unwrap_or_default(), pair(words.options))
    })
}

/// Returns the two options of a text; empty strings if it has not exactly two.
fn pair(options: Option<Vec<String>>) -> [String; 2] {
    options
        .and_then(|options| options.try_into().ok())
        .unwrap_or_default()
}

/// Returns the heading of a trial's page and its second line.
fn headings(participant: &Participant<'_>, assigned: AssignedTrial) -> [String; 2] {
    let plan = &participant.study.plan;
    let condition = &plan.conditions[assigned.condition];
    // Trials without a debate have no seats.
    let role = match (
        &condition.task,
        participant.trial_of_assignment(assigned).seat,
    ) {
        (TrialTask::Debate { .. }, role)
            if role != Seat::Judge || plan.has_several_participants_per_debate() =>
        {
            let who = if plan.has_words_of_format_3 {
                ViewerPerspective::NEUTRAL
                    .player_name_or_you_in_sentence(role)
                    .to_owned()
            } else {
                plan.filled_option("name", role.seat_index(), &Value::Null)
            };
            plan.filled_text("role", &json!({"who": who}))
        }
        _ => String::new(),
    };
    let steps = participant.steps.iter();
    let all =
        steps.filter(|step| matches!(step, StudySessionStep::Trial(trial) if !trial.practice));
    let name = if assigned.practice {
        "practice"
    } else {
        "trial"
    };
    let places = json!({
        "label": condition.shown_as, "number": assigned.number, "all": all.count(), "role": role,
    });
    let heading = plan.filled_wording(name, &places).heading;
    let details = if participant.study.has_pages_of_format_4_or_later() {
        let name = if assigned.practice {
            "practice details"
        } else {
            "trial details"
        };
        let places = json!({"label": condition.shown_as, "role": places["role"]});
        plan.filled_text(name, &places)
    } else {
        String::new()
    };
    [heading.unwrap_or_default(), details]
}

fn trial(participant: &Participant<'_>, assigned: AssignedTrial) -> StudySessionPage {
    let plan = &participant.study.plan;
    let (question, mut answers) = question(plan, participant.trial_of_assignment(assigned).item());
    // The order on the screen.
    if assigned.swap {
        answers.reverse();
    }
    let note = plan
        .items
        .notes
        .get(&participant.trial_of_assignment(assigned).item().id);
    let page = StudySessionPage::default().with(vec![strong_line(question.as_str())]);
    let StudySessionPage {
        page: HeadedTextPage { mut lines, .. },
        prose,
        ..
    } = page.with_note(plan, note);
    let task = &plan.conditions[assigned.condition].task;
    let price = plan.score_rule_or_default().per_continue;
    // Only judges decide how much they read.
    let judges = participant.trial_of_assignment(assigned).seat == Seat::Judge;
    // Nobody continues in these tasks, so reading costs nothing.
    let is_free = matches!(
        task,
        TrialTask::Direct { .. } | TrialTask::Consultancy { .. }
    );
    if price > 0.0 && judges && !is_free {
        let words = plan.filled_text("price", &json!({"bits": price}));
        lines.push(Line::unlabelled(LineRole::Faint, words));
    }
    let point = participant.step_state.point.as_ref();
    let mut new_from = 0;
    if let Some(point) = point.filter(|point| !point.lines.is_empty()) {
        new_from = lines.len() + point.new_from;
        lines.extend(point.lines.iter().cloned());
    }
    let polls = participant.awaited_other_seat().is_some();
    if polls {
        lines.push(Line::unlabelled(
            LineRole::Faint,
            plan.filled_text("others", &Value::Null),
        ));
    } else if let Some(group) = plan.group.filter(|_| participant.can_delay_others()) {
        let places = plan.duration_placeholders(group.turn_s.into());
        lines.push(Line::unlabelled(
            LineRole::Faint,
            plan.filled_text("your time", &places),
        ));
    }
    let ask = match point.map(|point| &point.asked) {
        None | Some(TrialQuestion::Over | TrialQuestion::Others(_)) => next(),
        Some(asked) => trial_ask(participant, asked, &question, answers.clone()),
    };
    let scale = match (&ask.kind, point.map(|point| &point.asked)) {
        (DebateAnswerForm::Percent { .. }, Some(asked))
            if participant.study.has_pages_of_format_4_or_later() =>
        {
            Some(percent_scale(participant, assigned, asked, answers))
        }
        _ => None,
    };
    let [heading, details] = headings(participant, assigned);
    StudySessionPage {
        new_from,
        prose,
        details,
        scale,
        paced: !polls && !matches!(task, TrialTask::Direct { .. }),
        polls,
        claims: point.map_or_else(Vec::new, |point| point.claims.clone()),
        arguments: point.map_or_else(Vec::new, |point| point.arguments.clone()),
        source: point.map_or_else(Vec::new, |point| point.source.clone()),
        ..HeadedTextPage::new(heading, lines)
            .with_question(ask)
            .into()
    }
}

fn trial_ask(
    participant: &Participant<'_>,
    asked: &TrialQuestion,
    root: &str,
    root_answers: [String; 2],
) -> QuestionToUser {
    let plan = &participant.study.plan;
    let step_state = &participant.step_state;
    let everyday = participant.study.has_pages_of_format_4_or_later();
    let answers = match asked {
        TrialQuestion::Rules(_) if everyday => pair(plan.wording("claim").options),
        TrialQuestion::Rules(_) => pair(plan.wording("small claim").options),
        _ => root_answers,
    };
    if let Some((typed, meant)) = &step_state.perhaps {
        let places = json!({"typed": plan.decimal_text(typed), "percent": meant});
        return choice_of(plan, "meant", &places);
    }
    if let Some(shown) = step_state.unconfirmed {
        let [first, second] = &answers;
        let places =
            json!({"first": first, "second": second, "percent": shown, "rest": 100 - shown});
        return choice_of(plan, "confirm", &places);
    }
    let question = match asked {
        TrialQuestion::Rules(rules) => match &rules.form {
            AnswerForm::Percent => rules.question.clone(),
            AnswerForm::Text(most) if everyday && rules.kind == "feedback" => {
                let is_last_round = step_state.point.as_ref().is_some_and(|it| it.is_last_round);
                let name = if is_last_round { "reasons" } else { "feedback" };
                return text_ask(&plan.filled_question(name, &Value::Null), *most);
            }
            AnswerForm::Text(most) if everyday && rules.argued_answer.is_some() => {
                return text_ask(&speech_question(participant, rules, root), *most);
            }
            AnswerForm::Text(most) => return text_ask(&rules.question, *most),
            AnswerForm::OneOf(options) => return rules_choice(plan, rules, options, everyday),
        },
        TrialQuestion::Over | TrialQuestion::Others(_) => String::new(),
        TrialQuestion::Before | TrialQuestion::Round(_) | TrialQuestion::Final if everyday => {
            root_question(participant, asked, root, &answers)
        }
        TrialQuestion::Before | TrialQuestion::Round(_) | TrialQuestion::Final => {
            let likely = plan.filled_question("likely", &json!({"answer": answers[0]}));
            plan.filled_question(
                asked.request_name(),
                &json!({"likely": likely, "question": root}),
            )
        }
    };
    let ParticipantProbabilityAnswerSettings { min, max, .. } = plan.response;
    QuestionToUser::new(
        "",
        question,
        DebateAnswerForm::Percent { answers, min, max },
    )
}

/// Returns the request for a debater's speech: the question, the answer for which the participant argues, how to quote
/// the text, and the limits of the length.
fn speech_question(
    participant: &Participant<'_>,
    rules: &RequestToParticipant,
    root: &str,
) -> String {
    let plan = &participant.study.plan;
    let places = json!({"question": root, "answer": rules.argued_answer});
    let mut rows = vec![plan.filled_question("argue for", &places)];
    let point = participant.step_state.point.as_ref();
    if point.is_some_and(|point| !point.source.is_empty()) {
        rows.push(plan.filled_text("quoting", &Value::Null));
    }
    let limits = rules.speech_limits;
    for (name, most) in [
        ("limit of words", limits.words),
        ("limit of quotes", limits.quotes),
    ] {
        rows.extend(most.map(|most| plan.filled_text(name, &json!({"most": most}))));
    }
    rows.join("\n")
}

/// Returns the choice that the rules ask the participant to make.
fn rules_choice(
    plan: &StudyPlan,
    rules: &RequestToParticipant,
    options: &[StudyPageReplyOption],
    everyday: bool,
) -> QuestionToUser {
    let price = plan.score_rule_or_default().per_continue;
    let cost = if rules.kind == "continue" && price > 0.0 {
        plan.filled_text("cost", &json!({"bits": price}))
    } else {
        String::new()
    };
    let evidence = rules
        .evidence
        .as_ref()
        .map(|seen| plan.filled_text("evidence", &json!({"evidence": seen})));
    if everyday && let Some(claim) = &rules.checked_claim {
        let places = json!({"claim": claim, "evidence": evidence.unwrap_or_default()});
        let ask = plan.filled_question("check", &places);
        return choice(&ask, &pair(plan.wording("small claim").options));
    }
    if everyday && rules.kind == "continue" {
        let ask = choice_of(plan, "another round", &Value::Null);
        return QuestionToUser {
            text: ask.text + &cost,
            ..ask
        };
    }
    let evidence = evidence.map(|text| format!("\n{text}")).unwrap_or_default();
    let labels: Vec<&str> = options.iter().map(|it| it.label.as_str()).collect();
    choice(&format!("{}{cost}{evidence}", rules.question), &labels)
}

/// Returns the question that asks for the probability of the answer that the page shows first. `answers` are the item's
/// two answers in the order of the page.
fn root_question(
    participant: &Participant<'_>,
    asked: &TrialQuestion,
    root: &str,
    answers: &[String; 2],
) -> String {
    let plan = &participant.study.plan;
    let StudySessionStep::Trial(assigned) = *participant.step() else {
        return String::new();
    };
    let item = participant.trial_of_assignment(assigned).item();
    let likely = match (item.question_or_root_claim(), assigned.swap) {
        (Ok(_), _) => {
            let places = json!({"question": root, "answer": answers[0]});
            plan.filled_question("likely answer", &places)
        }
        (Err(claim), false) => plan.filled_question("likely true", &json!({"claim": claim})),
        (Err(claim), true) => plan.filled_question("likely false", &json!({"claim": claim})),
    };
    let shows = match plan.conditions[assigned.condition].task {
        TrialTask::Direct { shows } => Some(shows),
        _ => None,
    };
    let point = participant.step_state.point.as_ref();
    let is_last_round = point.is_some_and(|point| point.is_last_round);
    let name = match asked {
        TrialQuestion::Before if shows.is_some() => "first answer",
        TrialQuestion::Before => "before",
        TrialQuestion::Round(_) if !is_last_round => "round",
        _ if shows != Some(InformationShownWithQuestion::Question) => "final",
        _ if plan.response.ask.contains(&ProbabilityQuestionTime::Before) => "final alone",
        // The only question about this item.
        _ => return likely,
    };
    plan.filled_question(name, &json!({"likely": likely, "question": root}))
}

/// Returns the words of the probability scale that a request uses.
fn percent_scale(
    participant: &Participant<'_>,
    assigned: AssignedTrial,
    asked: &TrialQuestion,
    root_answers: [String; 2],
) -> ProbabilityScaleWords {
    let plan = &participant.study.plan;
    let item = participant.trial_of_assignment(assigned).item();
    let is_root = !matches!(asked, TrialQuestion::Rules(_));
    let (ends, [first, second]) = if is_root && item.question_or_root_claim().is_ok() {
        let [first, second] = &root_answers;
        let places = json!({"first": first, "second": second});
        let ends = pair(plan.filled_wording("ends of answers", &places).options);
        let quoted = |answer| plan.filled_text("quoted answer", &json!({"answer": answer}));
        (ends, root_answers.map(quoted))
    } else {
        let mut ends = pair(plan.wording("ends of a claim").options);
        let mut answers = pair(plan.wording("claim").options);
        if is_root && assigned.swap {
            ends.reverse();
            answers.reverse();
        }
        (ends, answers)
    };
    let places = json!({"first": first, "second": second});
    ProbabilityScaleWords {
        ends,
        words: plan
            .filled_wording("in words", &places)
            .options
            .unwrap_or_default(),
        repeats_number: plan.response.confirm,
    }
}

fn debrief(participant: &Participant<'_>, reveal: bool, text: Option<&str>) -> StudySessionPage {
    let plan = &participant.study.plan;
    let page = standard_page(plan, "debrief", &Value::Null).with(Vec::new());
    let mut page = match text {
        Some(name) => page.with_text(plan, participant.study.text_of_study_file(name)),
        None => page,
    };
    let lines = &mut page.page.lines;
    if reveal {
        if !lines.is_empty() {
            lines.push(text_line(""));
        }
        let heading = plan.wording("right answers").heading;
        lines.push(strong_line(heading.unwrap_or_default()));
        let counted = participant.judged.iter().filter(|it| it.counts());
        lines.extend(counted.map(|judged| right_answer(participant, judged)));
    }
    if plan.score_rule_or_default().shown == ScoreDisplayTime::AtEnd {
        let mean = participant.mean_score();
        let words = mean.map(|mean| {
            let mut score = plan.decimal_text(&format_with_decimals(mean, 2));
            if !plan.has_words_of_format_3 {
                score = score.replace('-', "−");
            }
            plan.filled_text("score", &json!({"score": score}))
        });
        lines.extend(words.map(text_line));
    }
    page
}

fn right_answer(participant: &Participant<'_>, judged: &super::FinishedTrial) -> Line {
    let plan = &participant.study.plan;
    let item = participant.trial_of_assignment(judged.assigned).item();
    let (question, answers) = question(plan, item);
    let right = &answers[usize::from(!item.truth)];
    let given = if item.truth {
        judged.percent
    } else {
        100 - judged.percent
    };
    let places = json!({"question": question, "answer": right, "percent": given});
    text_line(plan.filled_text("right answer", &places))
}

/// Returns the last page for a participant who has no session, with the reason in `status`.
pub fn last_page_without_session(
    study: &Study,
    status: StudySessionStatus,
    codes: &CodeOrAddressByOutcome,
) -> StudySessionPage {
    session_end_page(study, status, codes, EndReason::Status, None)
}

/// Returns the last page of a session that an answer to the screening survey ended.
pub(crate) fn last_page_of_screened_out(
    study: &Study,
    codes: &CodeOrAddressByOutcome,
) -> StudySessionPage {
    session_end_page(
        study,
        StudySessionStatus::ScreenedOut,
        codes,
        EndReason::Answer,
        None,
    )
}

/// The reason for the end of a session, which decides the wording of its last page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EndReason {
    /// The status says everything.
    Status,
    /// The session ended because of an answer to the screening survey.
    Answer,
}

/// Returns the last page of a session that ended with this status. `end` has the facts about the session, if they are
/// known.
fn session_end_page(
    study: &Study,
    status: StudySessionStatus,
    codes: &CodeOrAddressByOutcome,
    reason: EndReason,
    end: Option<FactsShownOnLastPage<'_>>,
) -> StudySessionPage {
    let plan = &study.plan;
    let code = codes.code_or_address_for_status(status);
    let code = code.map(|code| strong_line(plan.filled_text("code", &json!({"code": code}))));
    let name = match reason {
        EndReason::Answer => "screened out by an answer",
        EndReason::Status => status.status_name(),
    };
    let mut page = standard_page(plan, name, &Value::Null);
    page.return_link = plan.return_link(status, codes);
    page.page.ask = None;
    let lines = &mut page.page.lines;
    // A participant who finds the study full without a session is not paid: no log names them.
    let has_session = end.is_some() || status != StudySessionStatus::Full;
    let is_paid = has_session && plan.stated_cents_of_incomplete_outcome(status) > 0;
    let paid = is_paid.then(|| text_line(plan.filled_text("paid", &Value::Null)));
    lines.extend(paid);
    lines.extend(code);
    if !study.has_pages_of_format_4_or_later() {
        return page;
    }
    if let Some((bonus, (number, cents))) = plan.bonus.as_ref().zip(end.and_then(|it| it.bonus)) {
        let places = json!({"amount": plan.bonus_amount_text(bonus, cents), "number": number});
        lines.push(text_line(plan.filled_text("bonus", &places)));
    }
    if let Some(contact) = &plan.contact {
        let text = plan.filled_text("contact", &json!({"contact": contact}));
        lines.push(text_line(text));
    }
    if let Some(FactsShownOnLastPage { session, .. }) = end {
        let text = match &plan.contact {
            Some(contact) => {
                plan.filled_text("deletion", &json!({"contact": contact, "session": session}))
            }
            None => plan.filled_text("deletion without contact", &json!({"session": session})),
        };
        lines.push(text_line(text));
    }
    page
}
