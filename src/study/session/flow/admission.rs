//! A participant before consent: the screening survey, the admission, and the waiting list.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::steps::{StudySessionStep, standard_page, survey_page, survey_value};
use super::{Participant, ParticipantInput, SessionLogLineContent};
use crate::Study;
use crate::error::{Result, StudyError};
use crate::folder::log::StudySessionStatus;
use crate::folder::places::SCREENING;
use crate::plan::screening::CODE;
use crate::plan::{CodeOrAddressByOutcome, ScreeningAnswerSet, StudyPlan, SurveyQuestion};
use crate::session::page::{StudySessionPage, rejected_answer_error};

/// The screening answers of a participant, and their position on the waiting list.
#[derive(Clone, Debug, Default)]
pub(super) struct ParticipantAdmissionState {
    answers: BTreeMap<String, Value>,
    /// The question whose answer screened the participant out.
    pub(super) screened_by: Option<String>,
    /// The wall-clock time at which the participant joined the waiting list.
    waits_since: Option<String>,
    /// The participant's position on the waiting list, from 1. `None` before the list was read.
    position: Option<u32>,
}

/// Returns the steps of a session between the check of the window and the consent.
pub(super) fn screening_and_admission_steps(study: &Study) -> Vec<StudySessionStep> {
    let survey = study.plan.screening.as_ref();
    let questions = survey.map_or(0, |it| study.survey_questions(&it.survey).len());
    let mut steps: Vec<StudySessionStep> = (0..questions)
        .map(|index| StudySessionStep::Screening { index })
        .collect();
    steps.extend(
        study
            .plan
            .has_admission_before_consent()
            .then_some(StudySessionStep::Admission),
    );
    steps
}

impl Participant<'_> {
    /// Returns the question of the screening survey that is shown, with the sets of answers that end the session.
    pub(crate) fn screening_question_with_exclusions(
        &self,
    ) -> Option<(&SurveyQuestion, Vec<&ScreeningAnswerSet>)> {
        let StudySessionStep::Screening { index } = *self.step() else {
            return None;
        };
        let screening = self.study.plan.screening.as_ref()?;
        let question = self.study.survey_questions(&screening.survey).get(index)?;
        let out = self.study.plan.screening_out_answers(&question.id);
        Some((question, out))
    }

    /// Processes an answer to the screening survey. Ends the session if the answer screens the participant out.
    pub(super) fn take_screening_answer(
        &mut self,
        input: &ParticipantInput,
    ) -> Result<SessionLogLineContent> {
        let plan = &self.study.plan;
        let Some((question, out)) = self.screening_question_with_exclusions() else {
            return Err(rejected_answer_error(plan));
        };
        let answer = survey_value(plan, question, input).map_err(StudyError::AnswerRejected)?;
        let id = question.id.clone();
        let is_out = out.iter().any(|set| set.contains_answer(&answer));
        let mut note = self.new_log_note(SCREENING, json!({"question": id, "answer": answer}));
        self.admission.answers.insert(id.clone(), answer);
        if is_out {
            note.payload["passed"] = json!(false);
            self.admission.screened_by = Some(id);
            self.status = StudySessionStatus::ScreenedOut;
        } else {
            self.next()?;
        }
        Ok(note)
    }

    /// Returns the answers to the screening survey, by question.
    pub(crate) fn screening_answers(&self) -> &BTreeMap<String, Value> {
        &self.admission.answers
    }

    /// True if the participant has passed the screening survey, if there is one, and is not admitted yet.
    pub(crate) fn awaits_admission(&self) -> bool {
        self.status == StudySessionStatus::Started && *self.step() == StudySessionStep::Admission
    }

    /// True if the participant awaits admission, has not paused, and is not on the page about leaving.
    pub(crate) fn is_ready_for_admission(&self) -> bool {
        self.awaits_admission() && !self.leaving && !self.paused
    }

    /// Continues the session after its admission. `schedule_row`, its row of the schedule, is `None` if a group claims
    /// the row later.
    ///
    /// # Errors
    /// If the next step cannot begin.
    pub(crate) fn continue_after_admission(&mut self, schedule_row: Option<u32>) -> Result {
        self.slot = schedule_row;
        self.next()
    }

    /// Returns the wall-clock time at which the participant joined the waiting list.
    pub(crate) fn waits_since(&self) -> Option<&str> {
        self.admission.waits_since.as_deref()
    }

    pub(crate) fn join_waiting_list_for_place(&mut self, wall_clock_time: &str) {
        self.admission.waits_since = Some(wall_clock_time.to_owned());
    }

    pub(crate) fn set_waiting_position(&mut self, position: u32) {
        self.admission.position = Some(position);
    }

    /// Ends the pause of a participant who has come back to a page that takes no answer.
    pub(crate) fn end_participant_pause(&mut self) {
        self.paused = false;
    }
}

/// Returns the page of a question of the screening survey.
pub(super) fn screening_page(participant: &Participant<'_>, index: usize) -> StudySessionPage {
    let study = participant.study;
    let plan = &study.plan;
    let survey = plan.screening.as_ref().map(|it| it.survey.as_str());
    let questions = study.survey_questions(survey.unwrap_or_default());
    let page = survey_page(plan, "screening", &questions[index]);
    page.with_question_number(plan, index + 1, questions.len())
}

/// Returns the page of a participant who waits for a place.
pub(super) fn waiting_list_page(participant: &Participant<'_>) -> StudySessionPage {
    let plan = &participant.study.plan;
    let page = match (participant.admission.position, plan.waiting_list) {
        (Some(position), Some(list)) => {
            let held_s = plan.time.resume_within_s();
            let mut places = plan.duration_placeholders(list.wait_s.into());
            places["position"] = json!(position);
            places["held"] = json!(plan.duration_text(held_s));
            places["held_hours"] = json!(held_s / 3600);
            standard_page(plan, "waiting list", &places)
        }
        _ => standard_page(plan, "place check", &Value::Null),
    };
    StudySessionPage {
        polls: true,
        ..page
    }
}

impl StudyPlan {
    /// Returns the address to which a participant returns at the end. `None` if the study file has no address for this
    /// outcome. Also `None` if the address needs a completion code, and the outcome has none that a link can contain.
    pub(crate) fn return_link(
        &self,
        status: StudySessionStatus,
        codes: &CodeOrAddressByOutcome,
    ) -> Option<String> {
        let template = self.returns.code_or_address_for_status(status)?;
        if !template.contains(CODE) {
            return Some(template.to_owned());
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.~".contains(c);
        let code = codes.code_or_address_for_status(status)?;
        let is_usable = !code.is_empty() && code.chars().all(is_plain);
        is_usable.then(|| template.replace(CODE, code))
    }
}
