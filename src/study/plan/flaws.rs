//! Validation of a study file. Each flaw has an error sentence with a remedy.

use serde_json::{Value, json};

use super::{
    AttentionOrRepeatTrial, ExclusionRule, ExperimentCondition, ExperimentDesign,
    ParticipantProbabilityAnswerSettings, ProbabilityQuestionTime, RecruitmentStoppingRule,
    StudyFlowStep, StudyPlan, TrialTask, words,
};
use debate_core::protocol::Seat;
use debate_text::NamedTexts;

/// Maximum numbers of conditions, of blocks, of trials per block and condition, and of participants.
const LIMITS: (usize, u32, u32, u32) = (24, 50, 50, 100_000);

/// Sentences about flaws, by name.
static FLAWS: NamedTexts = NamedTexts::new(include_str!("flaws.ron"));

/// Returns an error if `is_wrong` is true: the sentence named `flaw_name` in `flaws.ron`, with these placeholders.
pub(super) fn error_if_flawed(
    is_wrong: bool,
    flaw_name: &str,
    placeholders: &Value,
) -> Result<(), String> {
    debug_assert!(FLAWS.has_text(flaw_name), "{flaw_name} has no sentence");
    if is_wrong {
        Err(FLAWS.filled_text(flaw_name, placeholders))
    } else {
        Ok(())
    }
}

impl StudyPlan {
    /// Checks the study file; an error describes the first flaw and its remedy.
    pub(super) fn check_study_file(&self) -> Result<(), String> {
        self.check_names()?;
        self.check_design()?;
        self.check_flow()?;
        self.check_recruitment()?;
        self.check_numbers()
    }

    fn check_names(&self) -> Result<(), String> {
        let format = self.format;
        error_if_flawed(format != 1, "format", &json!({"format": format}))?;
        let plain = |text: &str, also: &str| {
            let fits = |c: char| c.is_ascii_alphanumeric() || also.contains(c);
            !text.is_empty() && text.len() <= 60 && text.chars().all(fits)
        };
        let id = &self.id;
        error_if_flawed(!plain(id, ""), "id", &json!({"id": id}))?;
        let language = self.language();
        error_if_flawed(
            !plain(language, "-"),
            "language",
            &json!({"language": language}),
        )?;
        if let Some((why, tag)) = self.languages_flaw_name_and_value() {
            error_if_flawed(true, why, &json!({"language": tag}))?;
        }
        if let Some((why, places)) = words::wording_flaw_name_and_placeholders(&self.texts.words) {
            error_if_flawed(true, why, &places)?;
        }
        self.check_roles()?;
        for (index, condition) in self.conditions.iter().enumerate() {
            let ExperimentCondition {
                id, shown_as, task, ..
            } = condition;
            error_if_flawed(!plain(id, "-_"), "condition id", &json!({"id": id}))?;
            let is_again = self.condition_index(id) != Some(index);
            error_if_flawed(is_again, "condition twice", &json!({"id": id}))?;
            let seatless = matches!(
                task,
                TrialTask::Consultancy { .. } | TrialTask::Rejudge { .. }
            );
            error_if_flawed(
                seatless && self.roles != [Seat::Judge],
                "judge alone",
                &json!({"id": id, "role": format!("{:?}", self.roles)}),
            )?;
            error_if_flawed(shown_as.trim().is_empty(), "shown_as", &json!({"id": id}))?;
            self.check_engines(id, task)?;
        }
        for (name, engine) in &self.engines {
            let is_empty = engine.command.iter().all(|word| word.trim().is_empty());
            error_if_flawed(is_empty, "no command", &json!({"name": name}))?;
        }
        if let Err(why) = self.caps.validate_money_cap() {
            error_if_flawed(true, "caps", &json!({"why": why}))?;
        }
        let count = self.conditions.len();
        error_if_flawed(count == 0, "no condition", &Value::Null)?;
        error_if_flawed(
            count > LIMITS.0,
            "many conditions",
            &json!({"most": LIMITS.0}),
        )
    }

    /// Rejects roles that are empty, name a seat twice or name chance. For groups, also checks the time limits, that a
    /// condition has debates, and that only whole groups are planned.
    fn check_roles(&self) -> Result<(), String> {
        let roles = &self.roles;
        let is_twice =
            |(place, seat): (usize, &Seat)| roles.iter().take(place).any(|it| it == seat);
        let is_wrong = roles.is_empty()
            || roles.contains(&Seat::Chance)
            || roles.iter().enumerate().any(is_twice);
        error_if_flawed(is_wrong, "roles", &Value::Null)?;
        let Some(group) = self.group else {
            return error_if_flawed(
                self.has_several_participants_per_debate(),
                "no group",
                &Value::Null,
            );
        };
        error_if_flawed(
            !self.has_several_participants_per_debate(),
            "group alone",
            &Value::Null,
        )?;
        let day = 1..=24 * 3600;
        let is_over = !day.contains(&group.wait_s) || !day.contains(&group.turn_s);
        error_if_flawed(is_over, "group times", &Value::Null)?;
        let debates = |it: &ExperimentCondition| matches!(it.task, TrialTask::Debate { .. });
        let is_idle = !self.conditions.iter().any(debates);
        error_if_flawed(is_idle, "nobody debates", &Value::Null)?;
        let RecruitmentStoppingRule::Participants(stop) = self.stop;
        let is_whole = |people: u32| (people as usize).is_multiple_of(roles.len());
        error_if_flawed(
            !is_whole(stop) || !is_whole(self.target.participants),
            "whole groups",
            &json!({"size": roles.len()}),
        )
    }

    /// Checks that the named programs are listed in the study file, and take part in debates with at most one
    /// participant.
    fn check_engines(&self, id: &str, task: &TrialTask) -> Result<(), String> {
        for name in task.named_players().into_iter().flatten() {
            if let Err(why) = self.parse_player(name) {
                error_if_flawed(true, "engine", &json!({"id": id, "why": why}))?;
            }
        }
        let is_group =
            task.has_engine_or_model_player() && self.has_several_participants_per_debate();
        error_if_flawed(is_group, "engine in a group", &json!({"id": id}))
    }

    fn check_design(&self) -> Result<(), String> {
        let all = self.conditions.len();
        let (groups, count, block) = match &self.design {
            ExperimentDesign::Within { .. } | ExperimentDesign::Stepped { .. } => {
                (&[][..], 1, &[1][..])
            }
            ExperimentDesign::Between { block, .. } => (&[][..], all, block.as_slice()),
            ExperimentDesign::Mixed { groups, block, .. } => {
                (&groups[..], groups.len(), block.as_slice())
            }
        };
        let known = |place: &str, id: &str| {
            let is_unknown = self.condition_index(id).is_none();
            error_if_flawed(
                is_unknown,
                "unknown condition",
                &json!({"place": place, "id": id}),
            )
        };
        for id in groups.iter().flatten() {
            known("design", id)?;
        }
        let has_no_groups =
            groups.is_empty() && matches!(self.design, ExperimentDesign::Mixed { .. });
        error_if_flawed(has_no_groups, "no groups", &Value::Null)?;
        let is_empty = groups.iter().any(Vec::is_empty);
        error_if_flawed(is_empty, "empty group", &Value::Null)?;
        let fits =
            |size: &u32| *size > 0 && *size < 1000 && (*size as usize).is_multiple_of(count.max(1));
        error_if_flawed(
            count == 0 || block.is_empty() || !block.iter().all(fits),
            "block",
            &json!({"count": count}),
        )?;
        if let Some(tiers) = self.design.difficulty_tiers() {
            let is_twice = |(place, tier): (usize, &String)| tiers[..place].contains(tier);
            let is_wrong = tiers.len() < 2 || tiers.iter().enumerate().any(is_twice);
            error_if_flawed(is_wrong, "tiers", &Value::Null)?;
        }
        let (blocks, per_cell) = self.design.blocks_and_trials_per_condition();
        let (_, most, most_per_cell, _) = LIMITS;
        error_if_flawed(
            !(1..=most).contains(&blocks) || !(1..=most_per_cell).contains(&per_cell),
            "cells",
            &json!({"most": most, "most_per_cell": most_per_cell}),
        )?;
        let primary = &self.analysis.primary;
        known("analysis: primary", &primary.of)?;
        known("analysis: primary", &primary.against)?;
        error_if_flawed(primary.of == primary.against, "primary", &Value::Null)
    }

    fn check_flow(&self) -> Result<(), String> {
        let flow = &self.flow;
        let places = |wanted: fn(&StudyFlowStep) -> bool| -> Vec<usize> {
            (0..flow.len()).filter(|at| wanted(&flow[*at])).collect()
        };
        let trials = places(|it| matches!(it, StudyFlowStep::Trials));
        error_if_flawed(trials.len() != 1, "trials", &Value::Null)?;
        let consent = places(|it| matches!(it, StudyFlowStep::Consent(_)));
        error_if_flawed(consent.len() != 1, "consent", &Value::Null)?;
        let later = places(|it| !matches!(it, StudyFlowStep::Screener { .. }));
        error_if_flawed(
            later.first() != consent.first(),
            "before consent",
            &Value::Null,
        )?;
        let debrief = places(|it| matches!(it, StudyFlowStep::Debrief { .. }));
        error_if_flawed(
            debrief.first().is_some_and(|at| at + 1 != flow.len()),
            "debrief",
            &Value::Null,
        )?;
        flow.iter().try_for_each(|step| match step {
            StudyFlowStep::Practice { condition, .. }
                if self.condition_index(condition).is_none() =>
            {
                error_if_flawed(
                    true,
                    "unknown condition",
                    &json!({"place": "flow: practice", "id": condition}),
                )
            }
            StudyFlowStep::Practice { trials, .. } => {
                error_if_flawed(!(1..=10).contains(trials), "practice", &Value::Null)
            }
            StudyFlowStep::Quiz { tries, .. } => error_if_flawed(*tries == 0, "quiz", &Value::Null),
            StudyFlowStep::Break { after, .. } => {
                error_if_flawed(*after == 0, "break", &Value::Null)
            }
            _ => Ok(()),
        })
    }

    fn check_numbers(&self) -> Result<(), String> {
        let ParticipantProbabilityAnswerSettings { min, max, ask, .. } = &self.response;
        error_if_flawed(
            *min == 0 || *max >= 100 || min >= max,
            "percents",
            &Value::Null,
        )?;
        error_if_flawed(
            !ask.contains(&ProbabilityQuestionTime::Final),
            "final",
            &Value::Null,
        )?;
        let RecruitmentStoppingRule::Participants(stop) = self.stop;
        let people = 1..=LIMITS.3;
        error_if_flawed(
            !people.contains(&self.target.participants)
                || !people.contains(&stop)
                || self.over_recruit > LIMITS.3,
            "people",
            &json!({"most": LIMITS.3}),
        )?;
        error_if_flawed(self.analysis.ece_bins != 10, "bins", &Value::Null)?;
        error_if_flawed(
            !(200..=1_000_000).contains(&self.analysis.bootstrap),
            "bootstrap",
            &Value::Null,
        )?;
        error_if_flawed(
            self.time.idle_s == 0 || self.time.resume_within_h > 24 * 365,
            "time",
            &Value::Null,
        )?;
        let repeats = self.checks.iter().filter_map(|check| match check {
            AttentionOrRepeatTrial::Repeat { fraction } => Some(*fraction),
            AttentionOrRepeatTrial::Attention { .. } => None,
        });
        let excludes = self.exclude.iter().filter_map(|rule| match rule {
            ExclusionRule::FasterThan { share, .. } => Some(*share),
            ExclusionRule::FailedQuiz | ExclusionRule::FailedAttention(_) => None,
        });
        let mut shares = repeats.chain(excludes);
        let is_no_share = shares.any(|share| !(0.0..=1.0).contains(&share));
        error_if_flawed(is_no_share, "share", &Value::Null)?;
        let power = self.analysis.power;
        error_if_flawed(
            power.is_some_and(|it| {
                let is_spread = |sd: f64| sd >= 0.0 && sd.is_finite();
                let is_valid =
                    it.sd > 0.0 && [it.sd, it.items, it.trials].into_iter().all(is_spread);
                !(is_valid && it.effect.is_finite())
            }),
            "power",
            &Value::Null,
        )?;
        let day = self.delete_raw_after.as_deref().unwrap_or("2027-06-30");
        error_if_flawed(
            humantime::parse_rfc3339(&format!("{day}T00:00:00Z")).is_err(),
            "day",
            &json!({"day": day}),
        )
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    #[test]
    fn every_flaw_has_a_message() {
        let read: Result<BTreeMap<String, String>, _> = ron::from_str(include_str!("flaws.ron"));
        let source = concat!(
            include_str!("flaws.rs"),
            include_str!("words.rs"),
            include_str!("screening.rs"),
            include_str!("languages.rs")
        );
        for name in read.unwrap().keys() {
            assert!(
                source.contains(&format!("\"{name}\"")),
                "`{name}` is unused"
            );
        }
    }
}
