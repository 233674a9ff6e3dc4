//! The item of today's debate on the home page.

use std::path::{Path, PathBuf};

use crate::tui::menu::PlayedOrWon;
use debate_host::plan::{
    DailyDate, DailyResult, daily_streak, finished_daily_save, unfinished_daily_save,
};
use debate_host::record::SaveListing;

/// The state of today's debate.
#[derive(Clone, Debug)]
pub(super) enum DailyDebateState {
    /// The debate was not begun.
    NotPlayed,
    /// Today's debate was begun. The field is the save with which it continues.
    Begun(PathBuf),
    /// The debate is finished.
    Finished(Box<DailyResult>),
}

/// Today's debate, for the home page.
#[derive(Clone, Debug)]
pub(super) struct DailyDebateOverview {
    pub(super) state: DailyDebateState,
    /// The number of consecutive days, up to today or yesterday, on which the user began that day's debate. Only
    /// debates that are finished by now count.
    pub(super) streak: u32,
}

impl DailyDebateOverview {
    /// Finds today's debate among the saves. If its save cannot be read, the debate counts as not played.
    pub(super) fn read(today: DailyDate, saves: &[SaveListing]) -> Self {
        let finished = finished_daily_save(today, saves);
        let result =
            finished.and_then(|save| DailyResult::read_daily_result(save, saves).ok().flatten());
        let state = match (result, unfinished_daily_save(today, saves)) {
            (Some(result), _) => DailyDebateState::Finished(Box::new(result)),
            (None, Some(begun)) => DailyDebateState::Begun(begun),
            (None, None) => DailyDebateState::NotPlayed,
        };
        Self {
            state,
            streak: daily_streak(today, saves),
        }
    }

    /// Returns the state of today's debate in a few words.
    pub(super) fn daily_state_in_words(&self) -> String {
        match &self.state {
            DailyDebateState::NotPlayed => "not played".to_owned(),
            DailyDebateState::Begun(_) => "begun".to_owned(),
            DailyDebateState::Finished(_) => "finished".to_owned(),
        }
    }

    /// Returns the gap with its unit; `None` if today's debate is not finished.
    pub(super) fn gap_text_if_finished(&self) -> Option<String> {
        match &self.state {
            DailyDebateState::Finished(result) => Some(format!(
                "gap {} percentage points",
                result.total_gap_between_estimates_in_percentage_points()
            )),
            DailyDebateState::NotPlayed | DailyDebateState::Begun(_) => None,
        }
    }

    /// Returns the save with which today's debate continues; `None` if it was not begun, or is finished.
    pub(super) fn save_to_continue(&self) -> Option<&Path> {
        match &self.state {
            DailyDebateState::Begun(save) => Some(save),
            DailyDebateState::NotPlayed | DailyDebateState::Finished(_) => None,
        }
    }

    pub(super) fn item_progress(&self) -> PlayedOrWon {
        match &self.state {
            // The mark says only that today's debate is finished.
            DailyDebateState::Finished(_) => PlayedOrWon::Won,
            _ => PlayedOrWon::New,
        }
    }

    /// Returns a line with the number of consecutive days on which the user began the day's debate, which is finished
    /// by now. `None` if this number is less than 2.
    pub(super) fn streak_line(&self) -> Option<String> {
        (self.streak >= 2).then(|| {
            format!(
                "You played the daily debate {days} days in a row.",
                days = self.streak
            )
        })
    }

    /// Returns sentences about the debate.
    pub(super) fn daily_debate_sentences(&self) -> Vec<String> {
        let mut lines = vec![
            "One debate a day, with the same coins and the same opponent for everybody.".to_owned(),
        ];
        match &self.state {
            DailyDebateState::NotPlayed => {
                lines.push(
                    "After a hint, an undo or a second try, the debate counts only as practice."
                        .to_owned(),
                );
            }
            DailyDebateState::Begun(_) => {
                lines.push("You have begun the daily debate: it continues.".to_owned());
            }
            DailyDebateState::Finished(result) => {
                lines.push(result.shareable_result_line());
                lines.extend(result.reason_daily_is_only_practice());
                lines.push(
                    "You can watch it again. `debate-tui daily` starts a second debate, which counts only as practice."
                        .to_owned(),
                );
            }
        }
        lines.extend(self.streak_line());
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::menu::PlayedOrWon;

    #[test]
    fn an_unplayed_day_is_offered_without_a_streak() {
        let today = DailyDate::parse("2026-01-05").unwrap();
        let mut overview = DailyDebateOverview::read(today, &[]);
        assert_eq!(overview.daily_state_in_words(), "not played");
        assert_eq!(overview.item_progress(), PlayedOrWon::New);
        assert_eq!(overview.streak_line(), None);
        overview.streak = 1;
        assert_eq!(overview.streak_line(), None);
        overview.streak = 2;
        assert_eq!(
            overview.daily_debate_sentences().last().unwrap(),
            "You played the daily debate 2 days in a row."
        );
    }
}
