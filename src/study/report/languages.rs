//! Checks of a study in several languages.

use super::check::{StudyCheckReport, report_texts_that_reveal_internal_names};
use crate::Study;
use crate::plan::TrialTask;
use debate_core::protocol::{Protocol, Seat};

/// Reports texts in a further language that would spoil the study, and debates that exist in one language only.
pub(super) fn report_translation_problems(study: &Study, report: &mut StudyCheckReport) {
    for translated in &study.translations {
        let plan = &translated.plan;
        let language = plan.language().to_owned();
        let (problems, warnings) = (report.problems.len(), report.warnings.len());
        report_texts_that_reveal_internal_names(translated, report);
        report.problems.extend(plan.unknown_placeholder_errors());
        let new_problems = report.problems.iter_mut().skip(problems);
        let new_warnings = report.warnings.iter_mut().skip(warnings);
        for sentence in new_problems.chain(new_warnings) {
            *sentence = format!("language `{language}`: {sentence}");
        }
        let labels = study.plan.conditions.iter().zip(&plan.conditions);
        for (index, (own, other)) in labels.clone().enumerate() {
            let differs = labels.clone().skip(index + 1).find(|(own2, other2)| {
                (own.shown_as == own2.shown_as) != (other.shown_as == other2.shown_as)
            });
            if let Some((own2, _)) = differs {
                report.problems.push(format!(
                    "language `{language}`: `shown_as` of `{}` and `{}` is equal in one language and different in the \
                     other; use the same distinction in every language",
                    own.id, own2.id
                ));
            }
        }
    }
    let is_english = |language: &String| language.split('-').next() == Some("en");
    let has_other = !study.plan.languages.iter().all(is_english);
    if has_other && study.plan.roles != [Seat::Judge] {
        let warning = "roles: in every language of the study, participants who debate read the program's statements about computations in English";
        report.warnings.push(warning.to_owned());
    }
    if study.translations.is_empty() {
        return;
    }
    for (index, condition) in study.plan.conditions.iter().enumerate() {
        let is_written = match &condition.task {
            TrialTask::Rejudge { .. } => true,
            TrialTask::Debate { protocol, .. } => {
                matches!(&*protocol.protocol, Protocol::Speeches(_))
                    && study.plan.requires_prepared_debates(index)
            }
            TrialTask::Direct { .. } | TrialTask::Consultancy { .. } => false,
        };
        if is_written {
            report.warnings.push(format!(
                "conditions: the debates of `{}` stay in the language in which they were written, for participants of \
                 every language",
                condition.id
            ));
        }
    }
}
