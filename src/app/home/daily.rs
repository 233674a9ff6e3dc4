//! The item of today's debate on the home page.

use crate::tui::menu::ItemProgress;
use debate_host::plan::{
    DailyDate, DailyResult, daily_streak, finished_daily_save, unfinished_daily_save,
};
use debate_host::record::SaveListing;

/// The state of today's debate.
#[derive(Clone, Debug)]
pub(super) enum DailyState {
    /// The debate was not begun.
    NotPlayed,
    /// Today's debate was begun and can be continued.
    Begun,
    /// The debate is finished.
    Finished(Box<DailyResult>),
}

/// Today's debate, for the home page.
#[derive(Clone, Debug)]
pub(super) struct DailyOverview {
    pub(super) state: DailyState,
    /// The number of consecutive days on which the user played the daily debate.
    pub(super) streak: u32,
}

impl DailyOverview {
    /// Finds today's debate among the saves. If its save cannot be read, the debate counts as not played.
    pub(super) fn read(today: DailyDate, saves: &[SaveListing]) -> Self {
        let finished = finished_daily_save(today, saves);
        let result = finished.and_then(|save| DailyResult::read(save, saves).ok().flatten());
        let state = match result {
            Some(result) => DailyState::Finished(Box::new(result)),
            None if unfinished_daily_save(today, saves).is_some() => DailyState::Begun,
            None => DailyState::NotPlayed,
        };
        Self {
            state,
            streak: daily_streak(today, saves),
        }
    }

    /// Returns the state of today's debate in a few words.
    pub(super) fn state_in_words(&self) -> String {
        match &self.state {
            DailyState::NotPlayed => "not played".to_owned(),
            DailyState::Begun => "begun".to_owned(),
            DailyState::Finished(result) => format!("gap {}", result.gap_in_points()),
        }
    }

    pub(super) fn progress(&self) -> ItemProgress {
        match &self.state {
            DailyState::Finished(_) => ItemProgress::Played,
            _ => ItemProgress::New,
        }
    }

    /// Returns a line with the number of consecutive days on which the user played the daily debate; `None` before the
    /// second day.
    pub(super) fn streak_line(&self) -> Option<String> {
        (self.streak >= 2).then(|| {
            format!(
                "You played the daily debate {days} days in a row.",
                days = self.streak
            )
        })
    }

    /// Returns sentences about the debate.
    pub(super) fn sentences(&self) -> Vec<String> {
        let mut lines = vec![
            "One debate a day, with the same coins and the same opponent for everybody.".to_owned(),
        ];
        match &self.state {
            DailyState::NotPlayed => {
                lines.push(
                    "After a hint, an undo or a second try, the debate counts only as practice."
                        .to_owned(),
                );
            }
            DailyState::Begun => {
                lines.push("You have begun the daily debate: it continues.".to_owned());
            }
            DailyState::Finished(result) => {
                lines.push(result.result_line());
                lines.extend(result.practice_sentence());
                lines.push("A second debate with today's seed counts only as practice.".to_owned());
            }
        }
        lines.extend(self.streak_line());
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::menu::ItemProgress;

    #[test]
    fn an_unplayed_day_is_offered_without_a_streak() {
        let today = DailyDate::parse("2026-01-05").unwrap();
        let mut overview = DailyOverview::read(today, &[]);
        assert_eq!(overview.state_in_words(), "not played");
        assert_eq!(overview.progress(), ItemProgress::New);
        assert_eq!(overview.streak_line(), None);
        overview.streak = 1;
        assert_eq!(overview.streak_line(), None);
        overview.streak = 2;
        assert_eq!(
            overview.sentences().last().unwrap(),
            "You played the daily debate 2 days in a row."
        );
    }
}
