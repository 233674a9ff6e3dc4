//! Recruitment rules of a study file: screening before consent, quotas by answer, the waiting list, and the pay of
//! sessions that end before the trials.

use serde::Deserialize;
use serde_json::{Value, json};

use super::flaws::error_if_flawed;
use super::{StudyPlan, SurveyAnswerForm, SurveyQuestion};

/// The screening survey before consent, and the answers that end a session.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Screening")]
pub struct ScreeningSurvey {
    /// File of the survey, inside the study folder.
    pub survey: String,
    /// Sets of answers that end the session, as soon as the participant gives one.
    #[serde(default)]
    pub screen_out: Vec<ScreenOutRule>,
}

/// A rule that screens out participants whose answer to one question of the screening survey is in a set.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "AnswerRule")]
pub struct ScreenOutRule {
    /// The `id` of the question.
    pub question: String,
    pub is: ScreeningAnswerSet,
}

/// A set of answers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "AnswerTest")]
pub enum ScreeningAnswerSet {
    /// The participant chose one of these options.
    OneOf(Vec<String>),
    /// A number below this one.
    Below(i64),
    /// A number above this one.
    Above(i64),
    /// The participant gave a number from the first one to the second one, both included.
    Between(i64, i64),
}

/// A quota: the largest number of participants with an answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quota {
    /// The `id` of a question of the screening survey.
    pub question: String,
    pub is: ScreeningAnswerSet,
    /// The largest number of admitted participants with such an answer whose sessions are in progress or complete.
    pub most: u32,
    /// The condition for which the quota holds. `None` for all conditions together.
    pub condition: Option<String>,
}

/// The settings of the waiting list, on which participants wait while all slots are taken and other participants may
/// still leave.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "WaitingList")]
pub struct WaitingListSettings {
    /// Seconds that a participant waits for a place. After this time, the session ends as `full`.
    pub wait_s: u32,
}

/// Pay in cents of sessions that end before the trials.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[serde(rename = "OutcomePay")]
pub struct EarlyEndPay {
    /// Pay in cents of participants whom an answer screens out.
    pub screened_out: u32,
    /// Pay in cents of participants whose quota is full.
    pub quota_full: u32,
    /// Pay in cents of participants who get no place.
    pub full: u32,
}

/// The largest number of seconds that a study file may state for the waiting list: one day.
const MAX_WAIT_S: u32 = 24 * 3600;

impl ScreeningAnswerSet {
    /// True if this set of answers contains `answer`, which a participant gave in the screening survey.
    pub(crate) fn contains_answer(&self, answer: &Value) -> bool {
        let number = answer.as_i64();
        match self {
            Self::OneOf(options) => answer
                .as_str()
                .is_some_and(|answer| options.iter().any(|option| option == answer)),
            Self::Below(limit) => number.is_some_and(|number| number < *limit),
            Self::Above(limit) => number.is_some_and(|number| number > *limit),
            Self::Between(least, most) => {
                number.is_some_and(|number| (*least..=*most).contains(&number))
            }
        }
    }

    /// Returns the numbers at which the set of answers begins or ends.
    fn bounds(&self) -> Vec<i64> {
        match self {
            Self::OneOf(_) => Vec::new(),
            Self::Below(limit) | Self::Above(limit) => vec![*limit],
            Self::Between(least, most) => vec![*least, *most],
        }
    }

    /// Describes the set of answers, such as `18 to 29`.
    pub fn answer_set_in_words(&self) -> String {
        match self {
            Self::OneOf(options) => options.join(" or "),
            Self::Below(limit) => format!("below {limit}"),
            Self::Above(limit) => format!("above {limit}"),
            Self::Between(least, most) => format!("{least} to {most}"),
        }
    }

    /// Returns the first reason why `question` cannot have this set of answers: the name of its sentence in
    /// `flaws.ron`, and its placeholders' values. `None` if there is no such reason.
    fn flaw(&self, question: &SurveyQuestion) -> Option<(&'static str, Value)> {
        let id = &question.id;
        match (self, &question.answer) {
            (Self::OneOf(options), SurveyAnswerForm::Choice(known)) => {
                let unknown = options.iter().find(|option| !known.contains(option))?;
                let places = json!({"id": id, "answer": unknown, "known": known.join(", ")});
                Some(("unknown answer", places))
            }
            (Self::Between(least, most), _) if least > most => {
                Some(("reversed answers", json!({"id": id})))
            }
            (
                Self::Below(_) | Self::Above(_) | Self::Between(..),
                SurveyAnswerForm::Scale { .. } | SurveyAnswerForm::Number { .. },
            ) => None,
            _ => Some(("kind of answer", json!({"id": id}))),
        }
    }
}

/// Returns test answers to a question. If some of the sets together contain all test answers, they contain every
/// possible answer. Empty for a question with free text, for which no set is allowed.
// A union of intervals can begin or end only at a bound of one of them.
pub(crate) fn answers_covering_answer_sets(
    answer: &SurveyAnswerForm,
    sets: &[&ScreeningAnswerSet],
) -> Vec<Value> {
    let (least, most) = match answer {
        SurveyAnswerForm::Choice(options) => return options.iter().map(|it| json!(it)).collect(),
        SurveyAnswerForm::Text(_) => return Vec::new(),
        SurveyAnswerForm::Scale { from, to, .. } => (i64::from(*from), i64::from(*to)),
        SurveyAnswerForm::Number { min, max } => (*min, *max),
    };
    let bounds = sets.iter().flat_map(|set| set.bounds());
    let near = bounds.flat_map(|bound| [bound.saturating_sub(1), bound, bound.saturating_add(1)]);
    let mut numbers: Vec<i64> = near
        .chain([least, most])
        .filter(|number| (least..=most).contains(number))
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.into_iter().map(|number| json!(number)).collect()
}

impl StudyPlan {
    /// Returns the sets of answers to a question that screen a participant out.
    pub(crate) fn screening_out_answers(&self, question: &str) -> Vec<&ScreeningAnswerSet> {
        let rules = self.screening.iter().flat_map(|it| &it.screen_out);
        let own = rules.filter(|rule| rule.question == question);
        own.map(|rule| &rule.is).collect()
    }

    /// True if participants are admitted before consent: after the screening, or from the waiting list.
    pub(crate) fn has_admission_before_consent(&self) -> bool {
        self.screening.is_some() || self.waiting_list.is_some()
    }

    /// True if a participant already claims a slot (a row of the schedule) when admitted, and not only before the
    /// trials. A group claims its slot together.
    pub(crate) fn claims_slot_at_admission(&self) -> bool {
        self.has_admission_before_consent() && !self.has_several_participants_per_debate()
    }

    /// True if the study can pay participants without a bonus: it has the field `group`, or an amount above 0 in
    /// `outcome_pay`.
    pub(crate) fn pays_other_than_bonus(&self) -> bool {
        let EarlyEndPay {
            screened_out,
            quota_full,
            full,
        } = self.outcome_pay;
        self.group.is_some() || screened_out + quota_full + full > 0
    }

    /// Checks the recruitment rules of the study file: quotas, waiting list, `over_recruit` and return addresses.
    pub(super) fn check_recruitment(&self) -> Result<(), String> {
        let is_quota_alone = self.screening.is_none() && !self.quotas.is_empty();
        error_if_flawed(is_quota_alone, "quota without screening", &Value::Null)?;
        for quota in &self.quotas {
            let id = &quota.question;
            error_if_flawed(quota.most == 0, "empty quota", &json!({"id": id}))?;
            let Some(condition) = &quota.condition else {
                continue;
            };
            let is_unknown = self.condition_index(condition).is_none();
            error_if_flawed(
                is_unknown,
                "unknown condition",
                &json!({"place": "quotas", "id": condition}),
            )?;
            let is_group = self.has_several_participants_per_debate();
            error_if_flawed(is_group, "quota of a group", &json!({"id": id}))?;
        }
        if let Some(list) = self.waiting_list {
            let is_group = self.has_several_participants_per_debate();
            error_if_flawed(is_group, "waiting list of groups", &Value::Null)?;
            let is_over = !(1..=MAX_WAIT_S).contains(&list.wait_s);
            error_if_flawed(is_over, "waiting time", &json!({"most": MAX_WAIT_S}))?;
        }
        let size = self.roles.len();
        let is_partial = !(self.over_recruit as usize).is_multiple_of(size.max(1));
        error_if_flawed(is_partial, "over_recruit", &json!({"size": size}))?;
        let wrong = self
            .returns
            .codes_or_addresses_of_outcomes()
            .into_iter()
            .flatten();
        let mut wrong = wrong.filter(|link| !is_return_link(link));
        if let Some(link) = wrong.next() {
            error_if_flawed(true, "return link", &json!({"link": link}))?;
        }
        Ok(())
    }

    /// Checks that screening and quotas name questions and answers of the survey.
    ///
    /// # Errors
    /// If one does not. The error is a sentence with a remedy.
    pub(crate) fn check_screening_and_quota_references(
        &self,
        survey: &[SurveyQuestion],
    ) -> Result<(), String> {
        let rules = self.screening.iter().flat_map(|it| &it.screen_out);
        let rules = rules.map(|rule| ("screening", &rule.question, &rule.is));
        let quotas = self.quotas.iter();
        let quotas = quotas.map(|quota| ("quotas", &quota.question, &quota.is));
        for (place, id, test) in rules.chain(quotas) {
            let question = survey.iter().find(|question| question.id == *id);
            let Some(question) = question else {
                return error_if_flawed(
                    true,
                    "unknown question",
                    &json!({"place": place, "id": id}),
                );
            };
            if let Some((why, places)) = test.flaw(question) {
                error_if_flawed(true, why, &places)?;
            }
        }
        Ok(())
    }
}

/// The placeholder for the completion code in a return link.
pub(crate) const CODE: &str = "{code}";

/// True if a return link is an https address of at most 2,000 bytes, with at most one placeholder for the completion
/// code.
fn is_return_link(link: &str) -> bool {
    let host = link.strip_prefix("https://");
    let has_host = host.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()));
    let is_plain = |c: char| c.is_ascii_graphic() && !"\"<>\\^`".contains(c);
    has_host
        && link.len() <= 2000
        && link.matches(CODE).count() <= 1
        && link
            .replace(CODE, "")
            .chars()
            .all(|c| is_plain(c) && !"{}".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_accepts_the_answers_that_it_names() {
        let test = |text: &str| ron::from_str::<ScreeningAnswerSet>(text).unwrap();
        for (set, answer, expected) in [
            (r#"OneOf(["daily", "weekly"])"#, json!("weekly"), true),
            (r#"OneOf(["daily", "weekly"])"#, json!("never"), false),
            ("Below(18)", json!(17), true),
            ("Below(18)", json!(18), false),
            ("Above(70)", json!(71), true),
            ("Above(70)", json!(70), false),
            ("Between(18, 29)", json!(18), true),
            ("Between(18, 29)", json!(30), false),
            ("Below(18)", json!("17"), false),
        ] {
            assert_eq!(
                test(set).contains_answer(&answer),
                expected,
                "{set} {answer}"
            );
        }
    }

    #[test]
    fn decisive_answers_reveal_every_gap_between_sets() {
        let age = SurveyAnswerForm::Number { min: 0, max: 120 };
        let covers = |sets: &[ScreeningAnswerSet]| {
            let sets: Vec<&ScreeningAnswerSet> = sets.iter().collect();
            let answers = answers_covering_answer_sets(&age, &sets);
            let is_covered = |answer: &Value| sets.iter().any(|set| set.contains_answer(answer));
            answers.iter().all(is_covered)
        };
        assert!(covers(&[
            ScreeningAnswerSet::Below(18),
            ScreeningAnswerSet::Above(17)
        ]));
        assert!(!covers(&[
            ScreeningAnswerSet::Below(18),
            ScreeningAnswerSet::Above(18)
        ]));
        assert!(!covers(&[
            ScreeningAnswerSet::Below(18),
            ScreeningAnswerSet::Between(18, 29),
            ScreeningAnswerSet::Between(31, 200)
        ]));
        assert!(covers(&[ScreeningAnswerSet::Between(i64::MIN, i64::MAX)]));
    }

    #[test]
    fn a_return_link_is_an_https_address_with_at_most_one_code() {
        for link in [
            "https://app.prolific.com/submissions/complete?cc={code}",
            "https://example.org/thanks",
        ] {
            assert!(is_return_link(link), "{link}");
        }
        for link in [
            "http://example.org/{code}",
            "javascript:alert(1)",
            "https://",
            "https:///x",
            "https://example.org/{code}{code}",
            "https://example.org/{id}",
            "https://example.org/ x",
            "https://example.org/\"onclick=",
        ] {
            assert!(!is_return_link(link), "{link}");
        }
    }
}
