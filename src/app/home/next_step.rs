//! The step that the home page suggests after the user's last finished debate: a harder opponent or another seat after
//! a win, the same again otherwise.

use super::super::harder::HarderOpponent;
use super::super::page::HomeItemTarget;
use super::lesson_texts_of_save;
use super::progress::{gap_in_percentage_points, human_seats};
use crate::tui::menu::HomeItem;
use debate_core::protocol::{ProtocolKind, Seat};
use debate_host::plan::{daily_date_of_save, is_saved_debate_won};
use debate_host::record::{SaveListing, SavedDebateProgress};
use debate_solver::setup::{name_of_bundled_text, other_recommended_seat};

/// The user's last finished debate, which is of a bundled scenario.
#[derive(Clone, Debug)]
pub(super) struct LastDebateIfBundled {
    /// The title of the scenario's item on the home page.
    title: String,
    /// The name of the scenario.
    scenario: &'static str,
    kind: ProtocolKind,
    seat: Seat,
    is_won: bool,
    /// The gap of the user's estimates as the list of debates shows it: "0.1". `None` if the user was not the
    /// estimator.
    gap: Option<String>,
    /// An opponent one level above. `None` after a loss, or if there is none.
    harder: Option<HarderOpponent>,
}

impl LastDebateIfBundled {
    /// Finds the user's last finished debate in `saves`, the latest first. Only debates with exactly one human player
    /// count, and none of lessons or daily debates, because home suggests the next of these separately. `None` also if
    /// the last debate is of no bundled scenario, or if a forfeit ended it. `None` also if the truth of the judge's
    /// answer is unknown.
    pub(super) fn last_finished_bundled_debate(saves: &[SaveListing]) -> Option<Self> {
        let counts = |save: &&SaveListing| {
            let header = save.header.as_ref();
            save.condition == SavedDebateProgress::Finished
                && header.is_some_and(|header| {
                    human_seats(header).len() == 1
                        && lesson_texts_of_save(header).is_none()
                        && daily_date_of_save(header).is_none()
                })
        };
        let save = saves.iter().find(counts)?;
        let header = save.header.as_ref()?;
        Some(Self {
            title: save.title.clone()?,
            scenario: name_of_bundled_text(&header.scenario)?,
            kind: header.protocol.kind(),
            seat: *human_seats(header).first()?,
            is_won: is_saved_debate_won(&save.path)?,
            gap: gap_in_percentage_points(save),
            harder: HarderOpponent::one_level_harder_than_won_in_save(save),
        })
    }

    /// Returns the name of the debate's scenario.
    pub(super) fn scenario(&self) -> &'static str {
        self.scenario
    }

    /// Sets the title of the scenario. The debate's own title can name another instance than the next debate has.
    pub(super) fn set_scenario_title(&mut self, title: &str) {
        title.clone_into(&mut self.title);
        if let Some(harder) = &mut self.harder {
            title.clone_into(&mut harder.title);
        }
    }

    /// Returns a harder opponent, if the user won the debate and there is one.
    pub(super) fn harder_opponent(&self) -> Option<&HarderOpponent> {
        self.harder.as_ref()
    }

    /// Returns the home item that proposes the next debate. After a loss it is the same seat; after a win, a harder
    /// opponent, else another recommended seat, else the same seat. Its title also gives the last result.
    pub(super) fn next_step(&self) -> HomeItem<HomeItemTarget> {
        let last_result = self.result_in_words();
        let last_player = seat_name(self.seat);
        let scenario = self.scenario.to_owned();
        // The seat to play next.
        let other_seat = other_recommended_seat(self.scenario, self.seat);
        let (title, seat, target) = match (self.is_won, &self.harder, other_seat) {
            (false, ..) | (true, None, None) => (
                format!("Play again: {last_result}"),
                self.seat,
                HomeItemTarget::ScenarioSeat(scenario, self.seat),
            ),
            (true, Some(harder), _) => (
                format!(
                    "Next opponent, level {level}: {last_result}",
                    level = harder.difficulty_level_number()
                ),
                self.seat,
                HomeItemTarget::Harder(harder.clone()),
            ),
            (true, None, Some(other)) => (
                format!("Change seats: {last_result} as {last_player}"),
                other,
                HomeItemTarget::ScenarioSeat(scenario, other),
            ),
        };
        let next_player = seat_name(seat);
        HomeItem {
            title,
            value: format!("{}, {next_player}", self.title),
            brief: next_player.to_owned(),
            words: "again harder level seat".to_owned(),
            ..HomeItem::with_home_item_target(target)
        }
    }

    /// Returns the user's result in a few words, such as "you won".
    fn result_in_words(&self) -> String {
        let small_gap = self.gap.as_ref().filter(|gap| *gap != NO_GAP);
        let result = match (self.kind, self.seat, self.is_won) {
            (_, Seat::Judge, true) => "you were right",
            (_, Seat::Judge, false) => "your answer was wrong",
            // A payoff of bets is mostly luck; the gap is not.
            (ProtocolKind::ProverEstimator, Seat::Opponent, true) => match small_gap {
                Some(_) => "small gaps",
                None => "you had no gap",
            },
            (ProtocolKind::ProverEstimator, Seat::Opponent, false) => "your numbers had a gap",
            (ProtocolKind::ProverEstimator, _, true) => "you gained",
            (ProtocolKind::ProverEstimator, _, false) => "you gained nothing",
            (_, _, true) => "you won",
            (_, _, false) => "you did not win",
        };
        result.to_owned()
    }
}

/// The text of a gap that is zero, or rounded to zero.
const NO_GAP: &str = "0.0";

/// Returns the name of the player in a seat: "Alice", "Bob" or "judge".
fn seat_name(seat: Seat) -> &'static str {
    match seat {
        Seat::Judge => "judge",
        seat => seat.player_name_of_seat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The columns of a title in the list at 80 columns.
    const TITLE_COLUMNS: usize = 39;

    fn harder(kind: ProtocolKind, seat: Seat) -> Option<HarderOpponent> {
        let title = "Is 4331 prime?".to_owned();
        (kind == ProtocolKind::ProverEstimator).then_some(HarderOpponent {
            scenario: Some("primes-4331"),
            title,
            kind,
            seat,
            level: 1,
        })
    }

    #[test]
    fn only_recommended_seats_are_proposed_after_a_win() {
        let won = |scenario, kind, seat| {
            let last = LastDebateIfBundled {
                title: "A scenario".to_owned(),
                scenario,
                kind,
                seat,
                is_won: true,
                gap: None,
                harder: None,
            };
            let item = last.next_step();
            (item.title, item.brief)
        };
        let after_caffeine = won("caffeine", ProtocolKind::Speeches, Seat::Judge);
        assert_eq!(after_caffeine.1, "Alice", "{after_caffeine:?}");
        let after_law = won("law", ProtocolKind::Recursive, Seat::Opponent);
        assert_eq!(after_law.1, "judge", "{after_law:?}");
        let after_receipts = won(
            "three-receipts",
            ProtocolKind::ProverEstimator,
            Seat::Prover,
        );
        assert_eq!(after_receipts.0, "Play again: you gained");
        assert_eq!(after_receipts.1, "Alice");
    }

    #[test]
    fn each_result_of_each_seat_has_a_next_step_with_its_reason() {
        let mut titles = Vec::new();
        for kind in [ProtocolKind::ProverEstimator, ProtocolKind::Recursive] {
            for seat in Seat::PLAYERS {
                for (is_won, harder) in [(false, None), (true, None), (true, harder(kind, seat))] {
                    let last = LastDebateIfBundled {
                        title: "Is 4331 prime?".to_owned(),
                        scenario: "primes-4331",
                        kind,
                        seat,
                        is_won,
                        gap: Some(NO_GAP.to_owned()),
                        harder,
                    };
                    let item = last.next_step();
                    assert!(
                        item.title.chars().count() <= TITLE_COLUMNS,
                        "{}",
                        item.title
                    );
                    titles.push(item.title);
                }
            }
        }
        titles.sort();
        titles.dedup();
        assert_eq!(
            titles,
            [
                "Change seats: you gained as Alice",
                "Change seats: you had no gap as Bob",
                "Change seats: you were right as judge",
                "Change seats: you won as Alice",
                "Change seats: you won as Bob",
                "Next opponent, level 2: you gained",
                "Next opponent, level 2: you had no gap",
                "Next opponent, level 2: you were right",
                "Play again: you did not win",
                "Play again: you gained nothing",
                "Play again: your answer was wrong",
                "Play again: your numbers had a gap",
            ]
        );
    }

    /// A small gap counts as a win, but home does not say that there was no gap.
    #[test]
    fn a_small_gap_is_not_called_no_gap() {
        let kind = ProtocolKind::ProverEstimator;
        for harder in [None, harder(kind, Seat::Opponent)] {
            let last = LastDebateIfBundled {
                title: "Is 4331 prime?".to_owned(),
                scenario: "primes-4331",
                kind,
                seat: Seat::Opponent,
                is_won: true,
                gap: Some("0.1".to_owned()),
                harder,
            };
            let title = last.next_step().title;
            assert!(title.contains("small gaps"), "{title}");
            assert!(title.chars().count() <= TITLE_COLUMNS, "{title}");
        }
    }
}
