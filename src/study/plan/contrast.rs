//! The design of the primary contrast. The check, the power, the preregistration and the report read it here.

use serde::Serialize;

use crate::Study;
use crate::plan::schedule::TrialSchedule;
use debate_core::text::count_with_noun;
use debate_lab::judgements::statistics::TTestDesign;

/// The participants that the primary contrast compares if all planned participants take part, and the test that
/// compares them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ContrastDesign {
    /// Each of these participants judges under both conditions; the test is the paired t test.
    Within { participants: u32 },
    /// Each participant judges under one of the conditions; the test is Welch's t test.
    Between { of: u32, against: u32 },
}

impl ContrastDesign {
    fn of(study: &Study) -> Self {
        let plan = &study.plan;
        let primary = &plan.analysis.primary;
        let [of, against] = [&primary.of, &primary.against].map(|id| plan.condition_index(id));
        let has = |group: &[usize], condition: Option<usize>| {
            condition.is_some_and(|condition| group.contains(&condition))
        };
        let schedule = TrialSchedule::schedule_of_study(study);
        let judges = plan.compared_participants_per_row();
        let mut both = 0;
        let mut one = 0;
        let mut other = 0;
        let rows = plan.schedule_rows_of_planned_participants() as usize;
        for group in schedule.conditions_by_slot().take(rows) {
            match (has(group, of), has(group, against)) {
                (true, true) => both += judges,
                (true, false) => one += judges,
                (false, true) => other += judges,
                (false, false) => {}
            }
        }
        // If any participant judges under both conditions, the test uses differences within participants.
        if both > 0 {
            Self::Within { participants: both }
        } else {
            Self::Between {
                of: one,
                against: other,
            }
        }
    }

    /// True if the test compares each participant's judgements under both conditions.
    pub fn compares_within_participants(self) -> bool {
        matches!(self, Self::Within { .. })
    }

    /// Returns the number of participants whose judgements the contrast compares.
    pub fn compared_participants(self) -> u32 {
        match self {
            Self::Within { participants } => participants,
            Self::Between { of, against } => of + against,
        }
    }

    /// Returns the test for the planned number of participants.
    pub fn t_test_for_planned_participants(self) -> TTestDesign {
        match self {
            Self::Within { participants } => TTestDesign::Paired(participants as usize),
            Self::Between { of, against } => {
                TTestDesign::TwoSamples([of as usize, against as usize])
            }
        }
    }

    /// Describes the compared participants in words, for example "8 participants, 4 of them under each condition".
    pub fn participants_in_words(self) -> String {
        let count = self.compared_participants();
        let participants = count_with_noun(count as usize, "participant", "participants");
        match self {
            Self::Within { .. } => format!("{participants}, each under both conditions"),
            Self::Between {
                of: group_size,
                against,
            } if group_size == against => {
                format!("{participants}, {group_size} of them under each condition")
            }
            Self::Between {
                of: first_count,
                against: second_count,
            } => {
                format!(
                    "{participants}, {first_count} of them under one condition and {second_count} under the other"
                )
            }
        }
    }

    /// Names the values whose standard deviation measures an effect.
    pub fn effect_sd_basis_phrase(self) -> &'static str {
        match self {
            Self::Within { .. } => "of their differences",
            Self::Between { .. } => "of their means",
        }
    }

    /// Describes the test of the contrast for the preregistration.
    pub(crate) fn describe_test(self, resamples: u32, seed: u64) -> String {
        match self {
            Self::Within { .. } => format!(
                "the mean over participants of the difference between their two means, with the 95 % interval of the \
                 paired t test; in addition the studentised bootstrap ({resamples} resamples, seed {seed}) and the \
                 differences within items"
            ),
            Self::Between { .. } => {
                "the mean of the participants' means in one group minus that in the other, with Welch's 95 % t \
                 interval"
                    .to_owned()
            }
        }
    }
}

impl Study {
    /// Returns the design of the primary contrast.
    pub fn primary_contrast_design(&self) -> ContrastDesign {
        ContrastDesign::of(self)
    }
}

impl super::StudyPlan {
    /// Returns the number of participants per schedule row whose judgements are compared.
    pub(crate) fn compared_participants_per_row(&self) -> u32 {
        let compared = self
            .roles
            .iter()
            .filter(|seat| self.compares_judgements_of_seat(seat.name_in_flags_and_json()));
        u32::try_from(compared.count()).unwrap_or(1)
    }
}
