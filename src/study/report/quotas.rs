//! The state of quotas, and flaws of screening and quotas that `check` reports.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::check::StudyCheckReport;
use crate::Study;
use crate::error::Result;
use crate::folder::log::StudySessionLogRecord;
use crate::folder::places::SessionAdmissionFacts;
use crate::plan::screening::answers_covering_answer_sets;
use crate::plan::{
    Quota, RecruitmentStoppingRule, ScreeningAnswerSet, SurveyAnswerForm, SurveyQuestion,
};
use crate::session::quota::{SessionsForQuotas, quota_limit_for_simulated_sessions};

/// The state of a quota.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QuotaCount {
    pub question: String,
    /// The screening answers that the quota counts, in words.
    pub answers: String,
    /// The condition for which the quota holds; null for all conditions together.
    pub condition: Option<String>,
    pub most: u32,
    /// Number of sessions that the quota counts: admitted, and in progress or complete.
    pub filled: usize,
    pub complete: usize,
}

impl QuotaCount {
    /// Describes the answers that the quota limits: the id of the screening survey's question and its answers, such as
    /// `reads: daily`. The quota's condition, if any, is appended.
    pub fn quota_question_and_answers(&self) -> String {
        let condition = self.condition.iter().map(|id| format!(", {id}"));
        let condition: String = condition.collect();
        format!("{}: {}{condition}", self.question, self.answers)
    }
}

/// Returns the state of each quota, from the live sessions.
///
/// # Errors
/// If the folder of the logs cannot be read.
pub fn quota_counts(study: &Study) -> Result<Vec<QuotaCount>> {
    if study.plan.quotas.is_empty() {
        return Ok(Vec::new());
    }
    let sessions = study.live_session_summaries()?;
    Ok(count(study, &sessions, |quota| quota.most))
}

/// Returns, for each quota of the study, how full it is, from the records of all sessions. For simulated sessions,
/// quotas grow with the number of sessions.
pub(super) fn quota_counts_of_records(
    study: &Study,
    records: &[StudySessionLogRecord],
    simulated: bool,
) -> Vec<QuotaCount> {
    let sessions = records.chunk_by(|one, other| one.session == other.session);
    let sessions: Vec<SessionAdmissionFacts> = sessions
        .map(|records| SessionAdmissionFacts::summary_of_records(study, records))
        .collect();
    let all = u32::try_from(sessions.len()).unwrap_or(u32::MAX);
    count(study, &sessions, |quota| {
        if simulated {
            quota_limit_for_simulated_sessions(&study.plan, quota, all)
        } else {
            quota.most
        }
    })
}

fn count(
    study: &Study,
    sessions: &[SessionAdmissionFacts],
    most: impl Fn(&Quota) -> u32,
) -> Vec<QuotaCount> {
    let counter = SessionsForQuotas::new(study, sessions, []);
    let quotas = study.plan.quotas.iter();
    quotas
        .map(|quota| QuotaCount {
            question: quota.question.clone(),
            answers: quota.is.answer_set_in_words(),
            condition: quota.condition.clone(),
            most: most(quota),
            filled: counter.sessions_counted_by_quota(quota).count(),
            complete: counter
                .sessions_counted_by_quota(quota)
                .filter(|it| it.is_complete_and_counts())
                .count(),
        })
        .collect()
}

/// Reports flaws of the screening: rules that no answer meets, questions that screen out all participants, questions
/// with free text or with an id of another survey, and quotas that are too small or that no participant fills.
pub(super) fn check_screening_and_quotas(study: &Study, report: &mut StudyCheckReport) {
    let plan = &study.plan;
    let Some(screening) = &plan.screening else {
        return;
    };
    let survey = study.survey_questions(&screening.survey);
    for question in survey {
        let rules = plan.screening_out_answers(&question.id);
        for rule in &rules {
            if !meets(question, rule) {
                report.problems.push(format!(
                    "screening: no answer to `{question}` is {answers}, so this rule screens out no participant; correct or remove it",
                    question = question.id,
                    answers = rule.answer_set_in_words()
                ));
            }
        }
        let answers = answers_covering_answer_sets(&question.answer, &rules);
        let is_out = |answer: &Value| rules.iter().any(|rule| rule.contains_answer(answer));
        if !answers.is_empty() && answers.iter().all(is_out) {
            report.problems.push(format!(
                "screening: every answer to `{question}` ends the session, so no participant can take part; allow an answer",
                question = question.id
            ));
        }
        check_quotas(study, question, &rules, report);
        if matches!(question.answer, SurveyAnswerForm::Text(_)) {
            report.warnings.push(format!(
                "screening: `{}` asks for free text, which may identify participants who are screened out; use a \
                 choice or a number",
                question.id
            ));
        }
    }
    let other = study
        .surveys
        .iter()
        .filter(|(name, _)| *name != screening.survey);
    let other: BTreeSet<&str> = other
        .flat_map(|(_, it)| it)
        .map(|it| it.id.as_str())
        .collect();
    for question in survey.iter().filter(|it| other.contains(it.id.as_str())) {
        report.problems.push(format!(
            "screening: another survey has a question `{}` too, and the exported table would mix their answers; rename \
             one",
            question.id
        ));
    }
}

/// Describes screening, quotas and over-recruitment for a preregistration. Empty if the study has none.
pub(super) fn screening_and_quotas_in_words(study: &Study) -> String {
    let plan = &study.plan;
    let rules = plan.screening.iter().flat_map(|it| &it.screen_out);
    let rules = rules.map(|rule| {
        format!(
            "- Screened out before consent: participants who answer `{question}` with {answers}.\n",
            question = rule.question,
            answers = rule.is.answer_set_in_words()
        )
    });
    let quotas = plan.quotas.iter().map(|quota| {
        let condition = quota.condition.iter().map(|id| format!(" under `{id}`"));
        format!(
            "- Quota: at most {most} participants who answer `{question}` with {answers}{under_condition}.\n",
            most = quota.most,
            question = quota.question,
            answers = quota.is.answer_set_in_words(),
            under_condition = condition.collect::<String>()
        )
    });
    let more = (plan.over_recruit > 0).then(|| {
        format!(
            "- At most {more} participants more than the stopping rule needs may begin the study.\n",
            more = plan.over_recruit
        )
    });
    let lines: String = rules.chain(quotas).chain(more).collect();
    if lines.is_empty() {
        return lines;
    }
    format!("\nRecruitment:\n\n{lines}")
}

/// True if the set contains at least one possible answer to the question.
fn meets(question: &SurveyQuestion, set: &ScreeningAnswerSet) -> bool {
    let answers = answers_covering_answer_sets(&question.answer, &[set]);
    answers.iter().any(|answer| set.contains_answer(answer))
}

/// Reports quotas on a question that no admitted participant can fill, or that admit too few participants.
fn check_quotas(
    study: &Study,
    question: &SurveyQuestion,
    out: &[&ScreeningAnswerSet],
    report: &mut StudyCheckReport,
) {
    let plan = &study.plan;
    let id = &question.id;
    let own: Vec<&Quota> = plan.quotas.iter().filter(|it| it.question == *id).collect();
    for quota in &own {
        let sets: Vec<&ScreeningAnswerSet> = out.iter().copied().chain([&quota.is]).collect();
        let answers = answers_covering_answer_sets(&question.answer, &sets);
        let is_admitted = |answer: &&Value| !out.iter().any(|set| set.contains_answer(answer));
        let mut admitted = answers.iter().filter(is_admitted);
        if !admitted.any(|answer| quota.is.contains_answer(answer)) {
            report.problems.push(format!(
                "quotas: no participant who passes the screening answers `{id}` with {}, so the quota has no effect; \
                 correct or remove it",
                quota.is.answer_set_in_words()
            ));
        }
    }
    let RecruitmentStoppingRule::Participants(stop) = plan.stop;
    let rows = plan.schedule_row_count_for(stop);
    let conditions = plan.conditions.iter().map(|it| Some(it.id.as_str()));
    for condition in std::iter::once(None).chain(conditions) {
        let quotas: Vec<&&Quota> = own
            .iter()
            .filter(|it| it.condition.as_deref() == condition)
            .collect();
        let sets: Vec<&ScreeningAnswerSet> = quotas
            .iter()
            .map(|it| &it.is)
            .chain(out.iter().copied())
            .collect();
        let answers = answers_covering_answer_sets(&question.answer, &sets);
        let is_limited = |answer: &Value| sets.iter().any(|set| set.contains_answer(answer));
        if quotas.is_empty() || !answers.iter().all(is_limited) {
            continue;
        }
        let most: u64 = quotas.iter().map(|it| u64::from(it.most)).sum();
        let needed = match condition {
            None => u64::from(stop),
            Some(id) => {
                let index = plan.condition_index(id);
                let schedule = study.schedule();
                let has_condition = |slot: &u32| {
                    let trials = schedule.trials_of_slot_without_practice(*slot);
                    trials.iter().any(|it| Some(it.condition) == index)
                };
                (0..rows).filter(has_condition).count() as u64
            }
        };
        if most < needed {
            let place = condition.map_or_else(String::new, |id| format!(" under `{id}`"));
            report.problems.push(format!(
                "quotas: together, the quotas on `{id}` admit at most {most} participants{place}, but the study needs \
                 {needed}; raise them, or lower `stop`"
            ));
        }
    }
}
