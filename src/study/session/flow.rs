//! A participant's progress through a study: a state machine that returns a page and takes an input.
//!
//! It uses no files, clocks or screens. The same inputs, and replies of other players, always lead to the same page. So
//! a session resumes by replaying its log.

mod admission;
mod group;
mod steps;
pub(crate) use steps::last_page_of_screened_out;
pub use steps::last_page_without_session;

use admission::ParticipantAdmissionState;
use serde_json::{Value, json};
use steps::{FactsShownOnLastPage, LEAVE_PAUSE, LEAVE_STAY, LEAVE_WITHDRAW, StudySessionStep};

use crate::Study;
use crate::error::{Result, StudyError};
use crate::folder::log::StudySessionStatus;
use crate::plan::schedule::AssignedTrial;
use crate::plan::{
    CodeOrAddressByOutcome, ExclusionRule, ParticipantProbabilityAnswerSettings, StudyFlowStep,
    drawn_bonus,
};
use crate::session::group::GroupRepliesByTrial;
use crate::session::page::{
    ParsedPercentOrGuess, ParticipantInput, StudySessionPage, parse_percent, rejected_answer_error,
};
use crate::session::trial::{
    AnswerForm, ParticipantTrialReply, SPEECH, ScheduledTrial, ShownTrialState, TrialQuestion,
    probability_reply,
};
use debate_core::digest::Digest;
use debate_core::number::Exact;
use debate_core::protocol::{Reply, Seat};
use debate_host::record::SavedReply;

impl CodeOrAddressByOutcome {
    /// Returns the completion code or the web address for a status; `None` if the status has none. `QuotaFull` and
    /// `Full` use those of `ScreenedOut` if they have none; `FailedQuiz` always does.
    pub fn code_or_address_for_status(&self, status: StudySessionStatus) -> Option<&str> {
        let code = match status {
            StudySessionStatus::Started | StudySessionStatus::Complete => &self.complete,
            StudySessionStatus::ScreenedOut | StudySessionStatus::FailedQuiz => &self.screened_out,
            StudySessionStatus::QuotaFull => {
                return self.quota_full.as_deref().or(self.screened_out.as_deref());
            }
            StudySessionStatus::Full => {
                return self.full.as_deref().or(self.screened_out.as_deref());
            }
            StudySessionStatus::NoConsent => &self.no_consent,
            StudySessionStatus::FailedAttention => &self.failed_attention,
            StudySessionStatus::Waited => &self.waited,
            StudySessionStatus::LeftAlone => &self.left_alone,
            StudySessionStatus::Closed => &self.closed,
            StudySessionStatus::Withdrawn
            | StudySessionStatus::Expired
            | StudySessionStatus::Forfeited => &None,
        };
        code.as_deref()
    }
}

/// The content of a line to append to the session's log, about a participant's input or another event.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionLogLineContent {
    pub kind: &'static str,
    pub trial: Option<AssignedTrial>,
    pub round: Option<u32>,
    pub payload: Value,
}

/// A finished trial.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedTrial {
    pub assigned: AssignedTrial,
    /// The last probability in percent that the participant gave for the question's first answer; 50 if the participant
    /// gave none.
    pub percent: u8,
    pub rounds: u32,
    /// The answers that the participant gave in this trial, in order.
    pub replies: Vec<ParticipantTrialReply>,
}

impl FinishedTrial {
    fn counts(&self) -> bool {
        !self.assigned.practice && !self.assigned.repeat
    }
}

/// The state of a participant in a study.
#[derive(Clone)]
pub struct Participant<'s> {
    study: &'s Study,
    /// The participant's slot, a row of the schedule; `None` before the slot is claimed.
    slot: Option<u32>,
    /// The participant's seat in debates; `None` before a member of a group has one.
    seat: Option<Seat>,
    /// The replies of other players in the participant's debates. In a group, it also has the participant's own
    /// replies, which a replay of the trial ignores.
    heard: GroupRepliesByTrial,
    /// The participant's last input, converted to a reply in the debate; `None` if that input was not a reply.
    reply: Option<Reply<Exact>>,
    /// True for simulated participants, for whom built-in players replace programs.
    stand_ins: bool,
    codes: CodeOrAddressByOutcome,
    steps: Vec<StudySessionStep>,
    at: usize,
    step_state: StepState,
    judged: Vec<FinishedTrial>,
    /// The trials that a program's fault ended.
    void_trials: Vec<AssignedTrial>,
    /// The participant's total work in the steps that depend on their schedule row, in units of
    /// [`steps::total_effort_of_steps`]. An estimate until the row is known.
    dealt_work: u32,
    attention_failed: u32,
    admission: ParticipantAdmissionState,
    status: StudySessionStatus,
    paused: bool,
    /// True if the page is shown that asks whether the participant wants to leave.
    leaving: bool,
}

/// The state within a step.
#[derive(Clone, Debug, Default)]
struct StepState {
    replies: Vec<ParticipantTrialReply>,
    /// The text of the current trial so far, and its pending request.
    point: Option<ShownTrialState>,
    /// A percentage for the answer that is shown first, which the participant has not confirmed yet.
    unconfirmed: Option<u8>,
    /// A typed number between 0 and 1, which may not be meant as a percentage, and the percentage that the participant
    /// may mean.
    perhaps: Option<(String, u8)>,
    /// Indices of the remaining quiz questions, the next one last. `wrong` contains the indices of wrongly answered
    /// ones.
    questions: Vec<usize>,
    wrong: Vec<usize>,
    tries: u32,
    /// True if the page before another try of the quiz is shown.
    again: bool,
    /// True if a program's fault ended the trial.
    void: bool,
}

impl<'s> Participant<'s> {
    /// Creates a participant at the first step of the study.
    pub fn new(study: &'s Study, codes: CodeOrAddressByOutcome) -> Self {
        Self {
            study,
            slot: None,
            seat: (!study.plan.has_several_participants_per_debate())
                .then(|| study.plan.participant_seat()),
            heard: GroupRepliesByTrial::default(),
            reply: None,
            stand_ins: false,
            codes,
            steps: steps::steps_before_trials(study),
            at: 0,
            step_state: StepState::default(),
            judged: Vec::new(),
            void_trials: Vec::new(),
            dealt_work: steps::total_effort_of_steps(&steps::steps_from_first_trials_of_slot(
                study, 0,
            )),
            attention_failed: 0,
            admission: ParticipantAdmissionState::default(),
            status: StudySessionStatus::Started,
            paused: false,
            leaving: false,
        }
    }

    /// True if the next step of the session is the claim of a slot (a row of the schedule).
    pub fn must_claim_slot_next(&self) -> bool {
        self.status == StudySessionStatus::Started && *self.step() == StudySessionStep::Place
    }

    /// Starts the trials of a slot (a row of the schedule). If `slot` is `None`, ends the session because the study is
    /// full.
    ///
    /// # Errors
    /// If the first trial cannot be played.
    pub fn start_trials_or_end_as_full(&mut self, slot: Option<u32>) -> Result {
        let Some(slot) = slot else {
            self.status = StudySessionStatus::Full;
            return Ok(());
        };
        self.slot = Some(slot);
        let dealt = steps::steps_from_first_trials_of_slot(self.study, slot);
        self.dealt_work = steps::total_effort_of_steps(&dealt);
        self.steps.extend(dealt);
        self.next()
    }

    pub fn status(&self) -> StudySessionStatus {
        self.status
    }

    /// True if the page is shown that asks whether the participant wants to leave.
    pub fn is_leave_page_shown(&self) -> bool {
        self.leaving
    }

    /// Returns the language of the participant's pages; `None` while the participant still has to choose a language.
    pub fn language_once_known(&self) -> Option<&str> {
        let chooses = matches!(self.step(), StudySessionStep::Language);
        (!chooses).then(|| self.study.plan.language())
    }

    /// True if the participant paused the session.
    pub fn has_paused_session(&self) -> bool {
        self.paused
    }

    /// Returns the trials that the participant has finished, including practice trials.
    pub fn finished_trials(&self) -> &[FinishedTrial] {
        &self.judged
    }

    pub fn study(&self) -> &'s Study {
        self.study
    }

    /// Returns the participant's slot, a row of the schedule; `None` before the slot is claimed.
    pub fn slot(&self) -> Option<u32> {
        self.slot
    }

    /// True if the participant has passed the claim of a row of the schedule, after which the steps depend on the row.
    /// A participant who is admitted before the consent can have a row earlier.
    pub(crate) fn is_past_schedule_row_assignment(&self) -> bool {
        let past = self.steps.get(..self.at).unwrap_or_default();
        past.contains(&StudySessionStep::Place)
    }

    /// Returns the trial in progress with the participant's answers and its current text and request; `None` if no
    /// trial is in progress.
    pub fn current_trial(
        &self,
    ) -> Option<(
        ScheduledTrial<'s>,
        &[ParticipantTrialReply],
        &ShownTrialState,
    )> {
        let StudySessionStep::Trial(assigned) = self.step() else {
            return None;
        };
        Some((
            self.trial_of_assignment(*assigned),
            &self.step_state.replies,
            self.step_state.point.as_ref()?,
        ))
    }

    pub(crate) fn trial_of_assignment(&self, assigned: AssignedTrial) -> ScheduledTrial<'s> {
        ScheduledTrial {
            study: self.study,
            assigned,
            // Every trial belongs to a slot, so the default is never used.
            slot: self.slot.unwrap_or_default(),
            seat: self
                .seat
                .unwrap_or_else(|| self.study.plan.participant_seat()),
            stand_ins: self.stand_ins,
        }
    }

    fn step(&self) -> &StudySessionStep {
        self.steps.get(self.at).unwrap_or(&StudySessionStep::End)
    }

    /// Returns the current page.
    pub fn page(&self) -> StudySessionPage {
        steps::step_page(self, None)
    }

    /// Returns the current page. The last page contains the session's number and its bonus.
    pub(crate) fn page_of_session(&self, session: &str) -> StudySessionPage {
        let bonus = self.drawn_bonus(session);
        steps::step_page(self, Some(FactsShownOnLastPage { session, bonus }))
    }

    /// Returns the trial that decides the bonus of a complete session, and the bonus in cents.
    fn drawn_bonus(&self, session: &str) -> Option<(u32, u32)> {
        let plan = &self.study.plan;
        let bonus = plan.bonus.as_ref()?;
        if self.status != StudySessionStatus::Complete {
            return None;
        }
        let judged = self.judged.iter().filter(|it| it.counts());
        let judged = judged.map(|it| {
            let score = bonus.score.score_for_bonus(self.probability_of_truth(it));
            (it.assigned.number, score)
        });
        // A trial that a program's fault ended is paid with the full score.
        let void = self.void_trials.iter().filter(|it| !it.practice);
        let scores = judged.chain(void.map(|it| (it.number, 1.0))).collect();
        let (trial, score) = drawn_bonus(plan.seed, session, scores)?;
        Some((trial, bonus.cents_of_score(score)))
    }

    /// Returns the final probability in a trial that the participant assigned to the right answer.
    fn probability_of_truth(&self, judged: &FinishedTrial) -> f64 {
        let p_first = f64::from(judged.percent) / 100.0;
        let trial = self.trial_of_assignment(judged.assigned);
        trial.item().probability_of_right_answer(p_first)
    }

    /// Processes a participant's input and returns its log note. The inner error is the reason for a rejection. A
    /// rejection leaves the state unchanged.
    ///
    /// # Errors
    /// If a trial cannot continue.
    pub fn take_input(
        &mut self,
        input: &ParticipantInput,
    ) -> Result<Result<SessionLogLineContent, String>> {
        let mut after = self.clone();
        after.paused = false;
        after.reply = None;
        let mut log_note = match after.taken(input) {
            Err(StudyError::Refused(why)) => {
                let plan = &self.study.plan;
                return Ok(Err(plan.filled_text("not allowed", &json!({"why": why}))));
            }
            Err(StudyError::AnswerRejected(why)) => return Ok(Err(why)),
            taken => taken?,
        };
        log_note.payload["input"] = serde_json::to_value(input).unwrap_or_default();
        if after.judged.len() > self.judged.len() {
            log_note.payload["trial_over"] = json!(true);
        }
        if let Some(reply) = after
            .reply
            .clone()
            .filter(|_| self.study.plan.has_several_participants_per_debate())
        {
            log_note.payload["reply"] = json!(SavedReply::Whole(reply).to_string());
        }
        if after.is_waiting_for_group() || after.waits_since().is_some() && after.awaits_admission()
        {
            log_note.payload["waits"] = json!(true);
        }
        if after.status != self.status {
            log_note.payload["status"] = json!(after.status.status_name());
        }
        *self = after;
        Ok(Ok(log_note))
    }

    fn taken(&mut self, input: &ParticipantInput) -> Result<SessionLogLineContent> {
        if self.status != StudySessionStatus::Started {
            return Err(rejected_answer_error(&self.study.plan));
        }
        if self.leaving {
            return self.leave(input);
        }
        if *input == ParticipantInput::Leave {
            self.leaving = true;
            return Ok(self.new_log_note("leave", json!({})));
        }
        self.page().check_input(input, &self.study.plan)?;
        match self.step().clone() {
            StudySessionStep::Language => self.choose_language(input),
            StudySessionStep::Flow(step) => self.passed_flow(&step, input),
            StudySessionStep::Trial(_) if self.step_state.void => self.passed("read", json!({})),
            StudySessionStep::Trial(assigned) => self.take_trial_answer(assigned, input),
            StudySessionStep::Attention { right, .. } => {
                let passed = chosen(input) == Some(right);
                self.attention_failed += u32::from(!passed);
                self.passed("attention", json!({"passed": passed}))
            }
            StudySessionStep::Survey { file, index } => {
                let question = &self.study.survey_questions(&file)[index];
                let answer = steps::survey_value(&self.study.plan, question, input)
                    .map_err(StudyError::AnswerRejected)?;
                self.passed("survey", json!({"question": question.id, "answer": answer}))
            }
            StudySessionStep::Guess { label } => {
                let answer = chosen(input).and_then(|position| steps::GUESSES.get(position));
                self.passed("guess", json!({"label": label, "answer": answer}))
            }
            StudySessionStep::Screening { .. } => self.take_screening_answer(input),
            StudySessionStep::Admission | StudySessionStep::Place | StudySessionStep::End => {
                Err(rejected_answer_error(&self.study.plan))
            }
        }
    }

    /// Returns the input that chooses a language. `None` if the current page does not ask for one, or if the study is
    /// not available in this language.
    pub(crate) fn language_choice_input(&self, language: &str) -> Option<ParticipantInput> {
        let asks = *self.step() == StudySessionStep::Language && !self.leaving;
        let mut languages = self.study.offered_languages().iter();
        let index = languages.position(|offered| offered == language)?;
        asks.then_some(ParticipantInput::Choice(index))
    }

    fn choose_language(&mut self, input: &ParticipantInput) -> Result<SessionLogLineContent> {
        let study = self.study;
        let language = chosen(input).and_then(|index| study.offered_languages().get(index));
        let chosen = language.and_then(|language| study.in_language(language));
        let Some(chosen) = chosen else {
            return Err(rejected_answer_error(&self.study.plan));
        };
        // All languages have the same steps.
        self.study = chosen;
        self.passed("language", json!({"language": language}))
    }

    fn passed_flow(
        &mut self,
        step: &StudyFlowStep,
        input: &ParticipantInput,
    ) -> Result<SessionLogLineContent> {
        match step {
            StudyFlowStep::Screener { min, .. } => self.submit_screen_size(*min, input),
            StudyFlowStep::Consent(name) => self.submit_consent(name, input),
            StudyFlowStep::Quiz { file, tries } => self.submit_quiz(file, *tries, input),
            StudyFlowStep::Break { .. } => self.passed("break", json!({})),
            StudyFlowStep::Debrief { .. } => self.passed("debrief", json!({})),
            _ => self.passed("read", json!({})),
        }
    }

    /// Returns a log note with the current trial and round.
    pub(crate) fn new_log_note(&self, kind: &'static str, payload: Value) -> SessionLogLineContent {
        SessionLogLineContent {
            kind,
            trial: match self.step() {
                StudySessionStep::Trial(assigned) => Some(*assigned),
                _ => None,
            },
            round: self.step_state.point.as_ref().map(|point| point.round),
            payload,
        }
    }

    /// Enters the next step of the session. Returns a log note about the step that is left.
    fn passed(&mut self, kind: &'static str, payload: Value) -> Result<SessionLogLineContent> {
        let log_note = self.new_log_note(kind, payload);
        self.next()?;
        Ok(log_note)
    }

    fn next(&mut self) -> Result {
        self.at += 1;
        self.enter()
    }

    /// Enters the current step.
    fn enter(&mut self) -> Result {
        self.step_state = StepState::default();
        match self.step().clone() {
            StudySessionStep::Flow(StudyFlowStep::Quiz { file, .. }) => {
                self.step_state.questions =
                    (0..self.study.quiz_questions(&file).len()).rev().collect();
                if self.step_state.questions.is_empty() {
                    return self.next();
                }
            }
            StudySessionStep::Trial(_) => self.move_on()?,
            StudySessionStep::Place if self.slot.is_some() => {
                return self.start_trials_or_end_as_full(self.slot);
            }
            StudySessionStep::End if self.status == StudySessionStatus::Started => {
                self.status = self.ended();
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the status of a session whose steps are all done: complete, or with too many failed attention questions.
    fn ended(&self) -> StudySessionStatus {
        let fails = |rule: &ExclusionRule| matches!(rule, ExclusionRule::FailedAttention(most) if self.attention_failed >= *most);
        if self.study.plan.exclude.iter().any(fails) {
            StudySessionStatus::FailedAttention
        } else {
            StudySessionStatus::Complete
        }
    }

    fn leave(&mut self, input: &ParticipantInput) -> Result<SessionLogLineContent> {
        let log_note = match input {
            ParticipantInput::Choice(LEAVE_STAY) | ParticipantInput::Leave => {
                self.new_log_note("stay", json!({}))
            }
            ParticipantInput::Choice(LEAVE_PAUSE) => {
                self.paused = true;
                self.new_log_note("pause", json!({}))
            }
            ParticipantInput::Choice(LEAVE_WITHDRAW) => {
                self.status = StudySessionStatus::Withdrawn;
                self.new_log_note("withdraw", json!({}))
            }
            _ => return Err(rejected_answer_error(&self.study.plan)),
        };
        self.leaving = false;
        Ok(log_note)
    }

    /// Adds the participant's answer to the trial and advances it.
    fn add_reply(&mut self, reply: ParticipantTrialReply) -> Result {
        let point = self.step_state.point.as_ref();
        let is_reply = point.is_some_and(|point| point.is_reply);
        self.reply = is_reply.then(|| reply.to_debate_reply());
        self.step_state.replies.push(reply);
        self.move_on()
    }

    /// Computes the text of the current trial and its next request. Enters the next step of the session if the trial is
    /// over.
    fn move_on(&mut self) -> Result {
        let StudySessionStep::Trial(assigned) = *self.step() else {
            return Ok(());
        };
        let heard = self.heard.replies_in_trial(&assigned);
        let point = self
            .trial_of_assignment(assigned)
            .snapshot_after_replies(&self.step_state.replies, &heard)?;
        if point.asked != TrialQuestion::Over {
            self.step_state.point = Some(point);
            return Ok(());
        }
        let mut latest = self.step_state.replies.iter().rev();
        let last = latest.find_map(|reply| match reply {
            ParticipantTrialReply::Percent(percent) => Some(*percent),
            ParticipantTrialReply::Rules(_) => None,
        });
        self.judged.push(FinishedTrial {
            assigned,
            percent: last.unwrap_or(50),
            rounds: point.round,
            replies: std::mem::take(&mut self.step_state.replies),
        });
        self.next()
    }
}

/// Returns the index of the option that the participant chose.
fn chosen(input: &ParticipantInput) -> Option<usize> {
    match input {
        ParticipantInput::Choice(position) => Some(*position),
        _ => None,
    }
}

impl Participant<'_> {
    /// Returns the participant's mean score in bits over the trials that count; `None` if no trial counts.
    fn mean_score(&self) -> Option<f64> {
        let counted = self.judged.iter().filter(|it| it.counts());
        let scores: Vec<f64> = counted
            .map(|judged| {
                let score = self.study.plan.score_rule_or_default();
                score.score_bits(self.probability_of_truth(judged), judged.rounds)
            })
            .collect();
        (!scores.is_empty()).then(|| debate_lab::judgements::statistics::mean(&scores))
    }
}

/// Facts about the current page that simulated judges need for their answers and that participants do not get.
impl Participant<'_> {
    /// Returns the index of the right option, if the page asks a quiz or attention question. The boolean is true for an
    /// attention question.
    pub(crate) fn quiz_or_attention_answer_and_is_attention(&self) -> Option<(usize, bool)> {
        match self.step() {
            StudySessionStep::Flow(StudyFlowStep::Quiz { file, .. }) => {
                let position = self.step_state.questions.last()?;
                Some((
                    self.study.quiz_questions(file).get(*position)?.right - 1,
                    false,
                ))
            }
            StudySessionStep::Attention { right, .. } => Some((*right, true)),
            _ => None,
        }
    }

    /// Returns a text that the current question accepts.
    pub(crate) fn simulated_text_answer(&self) -> String {
        use crate::plan::SurveyAnswerForm;
        match self.step() {
            StudySessionStep::Survey { file, index } => {
                match self.study.survey_questions(file)[*index].answer {
                    SurveyAnswerForm::Number { min, .. } => min.to_string(),
                    _ => String::new(),
                }
            }
            StudySessionStep::Trial(_) => match &self.step_state.point {
                Some(point) if point.asked.request_name() == "speech" => SPEECH.to_owned(),
                _ => String::new(),
            },
            _ => String::new(),
        }
    }
}

impl Participant<'_> {
    pub(super) fn submit_screen_size(
        &mut self,
        min: (u16, u16),
        input: &ParticipantInput,
    ) -> Result<SessionLogLineContent> {
        let ParticipantInput::Size(size) = input else {
            return Err(rejected_answer_error(&self.study.plan));
        };
        let fits = size.is_none_or(|(columns, rows)| columns >= min.0 && rows >= min.1);
        if !fits {
            self.status = StudySessionStatus::ScreenedOut;
        }
        let (columns, rows) = size.unzip();
        let payload = json!({"columns": columns, "rows": rows, "passed": fits});
        let log_note = self.new_log_note("screener", payload);
        if fits {
            self.next()?;
        }
        Ok(log_note)
    }

    pub(super) fn submit_consent(
        &mut self,
        name: &str,
        input: &ParticipantInput,
    ) -> Result<SessionLogLineContent> {
        let agreed = *input == ParticipantInput::Choice(0);
        let digest =
            Digest::digest_of_bytes(self.study.text_of_study_file(name).as_bytes()).to_string();
        let log_note =
            self.new_log_note("consent", json!({"agreed": agreed, "text_sha256": digest}));
        if agreed {
            self.next()?;
        } else {
            self.status = StudySessionStatus::NoConsent;
        }
        Ok(log_note)
    }

    pub(super) fn submit_quiz(
        &mut self,
        file: &str,
        tries: u32,
        input: &ParticipantInput,
    ) -> Result<SessionLogLineContent> {
        let quiz = self.study.quiz_questions(file);
        if self.step_state.again {
            self.step_state.again = false;
            return Ok(self.new_log_note("read", json!({})));
        }
        let question = self.step_state.questions.last().copied().unwrap_or(0);
        let right = chosen(input).is_some_and(|position| position + 1 == quiz[question].right);
        let payload =
            json!({"question": question + 1, "right": right, "try": self.step_state.tries + 1});
        let log_note = self.new_log_note("quiz", payload);
        self.step_state.questions.pop();
        if !right {
            self.step_state.wrong.push(question);
        }
        if !self.step_state.questions.is_empty() {
            return Ok(log_note);
        }
        self.step_state.tries += 1;
        if self.step_state.wrong.is_empty() {
            self.next()?;
        } else if self.step_state.tries < tries {
            self.step_state.questions = std::mem::take(&mut self.step_state.wrong);
            self.step_state.questions.reverse();
            self.step_state.again = true;
        } else if self.study.plan.exclude.contains(&ExclusionRule::FailedQuiz) {
            self.status = StudySessionStatus::FailedQuiz;
        } else {
            self.next()?;
        }
        Ok(log_note)
    }

    /// Processes a participant's answer in a trial.
    pub(super) fn take_trial_answer(
        &mut self,
        assigned: AssignedTrial,
        input: &ParticipantInput,
    ) -> Result<SessionLogLineContent> {
        let point = self.step_state.point.as_ref();
        let asked = point.map_or(TrialQuestion::Over, |point| point.asked.clone());
        let question = match &asked {
            TrialQuestion::Rules(question) if question.form != AnswerForm::Percent => question,
            TrialQuestion::Over | TrialQuestion::Others(_) => {
                return Err(rejected_answer_error(&self.study.plan));
            }
            _ => return self.percent(assigned, &asked, input),
        };
        let (reply, payload) = question.reply_from_input(input, &self.study.plan)?;
        let log_note = self.new_log_note(question.kind, payload);
        self.add_reply(ParticipantTrialReply::Rules(reply))?;
        Ok(log_note)
    }

    /// Processes a participant's probability in up to three steps: the typed text, its meaning if ambiguous, and the
    /// confirmation.
    fn percent(
        &mut self,
        assigned: AssignedTrial,
        asked: &TrialQuestion,
        input: &ParticipantInput,
    ) -> Result<SessionLogLineContent> {
        if let Some((typed, meant)) = self.step_state.perhaps.take() {
            let meant_it = *input == ParticipantInput::Choice(0);
            let log_note = self.new_log_note(
                "meant",
                json!({"typed": typed, "percent": meant_it.then_some(meant)}),
            );
            if meant_it {
                return self.typed(assigned, asked, meant, log_note);
            }
            return Ok(log_note);
        }
        if let Some(shown) = self.step_state.unconfirmed.take() {
            if *input != ParticipantInput::Choice(0) {
                return Ok(self.new_log_note("change", json!({"percent": shown})));
            }
            return self.accept_percentage(assigned, asked, shown);
        }
        let ParticipantInput::Text(text) = input else {
            return Err(rejected_answer_error(&self.study.plan));
        };
        let ParticipantProbabilityAnswerSettings { min, max, .. } = self.study.plan.response;
        match parse_percent(text, min, max) {
            ParsedPercentOrGuess::Not(why) => {
                let plan = &self.study.plan;
                let why = why.map(|name| plan.filled_text(name, &json!({})));
                let asked = plan.filled_text("no percent", &json!({"min": min, "max": max}));
                let sentences: Vec<String> = why.into_iter().chain([asked]).collect();
                Err(StudyError::AnswerRejected(sentences.join(" ")))
            }
            ParsedPercentOrGuess::Perhaps { typed, percent } => {
                let log_note = self.new_log_note("typed", json!({"typed": typed}));
                self.step_state.perhaps = Some((typed, percent));
                Ok(log_note)
            }
            ParsedPercentOrGuess::Is(shown) => {
                let log_note = self.new_log_note("typed", json!({"percent": shown}));
                self.typed(assigned, asked, shown, log_note)
            }
        }
    }

    /// Processes an unambiguous percentage of the participant. Studies of format 3 and earlier may ask for a
    /// confirmation on another page.
    fn typed(
        &mut self,
        assigned: AssignedTrial,
        asked: &TrialQuestion,
        shown: u8,
        log_note: SessionLogLineContent,
    ) -> Result<SessionLogLineContent> {
        if self.study.plan.response.confirm && !self.study.has_pages_of_format_4_or_later() {
            self.step_state.unconfirmed = Some(shown);
            return Ok(log_note);
        }
        self.accept_percentage(assigned, asked, shown)
    }

    /// Accepts a participant's percentage: for the answer that is shown first, or as an estimate of a claim.
    fn accept_percentage(
        &mut self,
        assigned: AssignedTrial,
        asked: &TrialQuestion,
        shown: u8,
    ) -> Result<SessionLogLineContent> {
        if matches!(asked, TrialQuestion::Rules(_)) {
            let log_note = self.new_log_note(asked.request_name(), json!({"percent": shown}));
            self.add_reply(ParticipantTrialReply::Rules(probability_reply(shown)))?;
            return Ok(log_note);
        }
        let first = if assigned.swap { 100 - shown } else { shown };
        let payload = json!({"percent": shown, "swap": assigned.swap, "first_percent": first});
        let log_note = self.new_log_note(asked.request_name(), payload);
        self.add_reply(ParticipantTrialReply::Percent(first))?;
        Ok(log_note)
    }
}
