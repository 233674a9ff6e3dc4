//! Computes the user's progress in each scenario from the saves, and the position in an unfinished debate or the result
//! of a finished one by replaying its save. Also formats times relative to now.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use num_traits::Zero as _;

use crate::tui::menu::PlayedOrWon;
use debate_core::number::{Exact, Number as _, format_with_decimals};
use debate_core::player::{Player, PlayerSpec};
use debate_core::protocol::{ProtocolKind, Round, Rules as _, Seat};
use debate_core::text::short_duration_text;
use debate_host::plan::{daily_date_of_save, is_saved_debate_won};
use debate_host::record::{
    Save, SaveFileError, SaveHeader, SaveListing, SavedDebateEnd, SavedDebateProgress,
    UserMeasuresOfFinishedDebate, format_utc,
};
use debate_solver::setup::{BundledScenario, ScenarioLimits};
use debate_text::{PayoffFormatter, ViewerPerspective};

/// Counts of the user's finished debates of one scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ScenarioProgress {
    pub(super) played: u32,
    /// The number of debates that the user won: as the judge with a right answer, under rules with bets as in
    /// [`is_saved_debate_won`], else with a positive payoff.
    pub(super) won: u32,
    /// The number of daily debates in `played`.
    pub(super) daily: u32,
    /// The seats that the user played in the debates that `played` counts.
    pub(super) seats: Vec<Seat>,
    /// True if the user finished a debate of the scenario in a lesson. Debates in lessons do not count in `played`.
    pub(super) is_in_lesson: bool,
    /// The time at which the last finished debate ended.
    pub(super) last: Option<SystemTime>,
}

impl ScenarioProgress {
    pub(super) fn item_progress(&self) -> PlayedOrWon {
        match self {
            Self { won: 1.., .. } => PlayedOrWon::Won,
            Self { played: 1.., .. } => PlayedOrWon::Played,
            Self { .. } => PlayedOrWon::New,
        }
    }
}

/// Counts the finished debates with human players for each scenario title. Debates of lessons, watched debates, and
/// debates that a fault of a player ended do not count. `won` contains, for debates whose save must be read for it, if
/// the user won.
pub(super) fn progress_by_title<'s>(
    saves: impl IntoIterator<Item = &'s SaveListing>,
    is_lesson: impl Fn(&SaveHeader) -> bool,
    won: &HashMap<PathBuf, bool>,
) -> HashMap<String, ScenarioProgress> {
    let mut by_title: HashMap<String, ScenarioProgress> = HashMap::new();
    for save in saves {
        let (Some(title), Some(header)) = (&save.scenario_title, &save.header) else {
            continue;
        };
        if save.condition != SavedDebateProgress::Finished
            || human_seats(header).is_empty()
            || matches!(save.end, Some(SavedDebateEnd::Forfeit { .. }))
        {
            continue;
        }
        let progress = by_title.entry(title.clone()).or_default();
        if is_lesson(header) {
            progress.is_in_lesson = true;
            continue;
        }
        progress.played += 1;
        for seat in human_seats(header) {
            if !progress.seats.contains(&seat) {
                progress.seats.push(seat);
            }
        }
        let has_won = if needs_save_for_result(save) {
            won.get(&save.path) == Some(&true)
        } else {
            only_human_debater_payoff(save).is_some_and(|payoff| payoff > Exact::zero())
        };
        progress.won += u32::from(has_won);
        progress.daily += u32::from(daily_date_of_save(header).is_some());
        progress.last = progress.last.max(Some(save.modified));
    }
    by_title
}

/// True if the save of a finished debate must be read to know if the user won. This is so if the only human was a
/// debater whose payoff is a sum of bets, or was the judge.
pub(super) fn needs_save_for_result(save: &SaveListing) -> bool {
    let Some(header) = &save.header else {
        return false;
    };
    let is_paid_by_bets = is_payoff_sum_of_bets(save)
        && human_seats(header).len() == 1
        && only_human_debater_payoff(save).is_some();
    is_paid_by_bets || is_only_judge_human(header)
}

/// Returns the user's finished debates of a scenario, in the order of `saves`. `is_scenario` is true for the text of
/// the scenario's file.
pub(in crate::app) fn finished_debates_of_scenario(
    saves: &[SaveListing],
    is_scenario: impl Fn(&str) -> bool,
) -> impl Iterator<Item = &SaveListing> {
    saves.iter().filter(move |save| {
        let header = save.header.as_ref();
        save.condition == SavedDebateProgress::Finished
            && header.is_some_and(|header| {
                is_scenario(&header.scenario) && !human_seats(header).is_empty()
            })
    })
}

/// Returns the seats that humans play in a saved debate.
pub(in crate::app) fn human_seats(header: &SaveHeader) -> Vec<Seat> {
    let human = |seat: &Seat| {
        let name = header
            .player_name(*seat)
            .and_then(|name| PlayerSpec::parse(name).ok());
        name.is_some_and(|spec| spec.is_human())
    };
    Seat::PLAYERS.into_iter().filter(human).collect()
}

/// Returns the seat of the only human debater; `None` if no debater or both are human.
fn debater(header: &SaveHeader) -> Option<Seat> {
    let human_seats = human_seats(header);
    match [Seat::Prover, Seat::Opponent].map(|seat| human_seats.contains(&seat)) {
        [true, false] => Some(Seat::Prover),
        [false, true] => Some(Seat::Opponent),
        _ => None,
    }
}

/// Returns the payoff of the only human debater; `None` if no debater or both are human, or if the debate is unfinished
/// or ended by a forfeit.
pub(super) fn only_human_debater_payoff(save: &SaveListing) -> Option<Exact> {
    let payoff = save.prover_payoff()?;
    let seat = debater(save.header.as_ref()?)?;
    Some(ViewerPerspective::of_seat(seat).value(payoff))
}

/// Returns the scenario to suggest next: the first unplayed one of the course, else the first one that the user never
/// won. `None` if the user won every scenario.
pub(super) fn suggested_scenario<'b>(
    course: &'b [BundledScenario],
    progress: &HashMap<String, ScenarioProgress>,
) -> Option<&'b BundledScenario> {
    let is_current = |item_progress| {
        move |scenario: &&BundledScenario| {
            let own = progress.get(&scenario.title);
            own.map_or(PlayedOrWon::New, ScenarioProgress::item_progress) == item_progress
        }
    };
    let fresh = course.iter().find(is_current(PlayedOrWon::New));
    fresh.or_else(|| course.iter().find(is_current(PlayedOrWon::Played)))
}

/// True if the payoff of a save is a sum of bets. Such a payoff says little about how well the user played.
pub(super) fn is_payoff_sum_of_bets(save: &SaveListing) -> bool {
    let header = save.header.as_ref();
    header.is_some_and(|header| header.protocol.kind() == ProtocolKind::ProverEstimator)
}

/// Returns the result of a debate in words, such as "won", from the user's payoff.
pub(super) fn win_or_loss_in_words(user_payoff: &Exact) -> &'static str {
    match user_payoff.cmp(&Exact::zero()) {
        Ordering::Greater => "won",
        Ordering::Equal => "tied",
        Ordering::Less => "lost",
    }
}

/// True if a human holds the judge's seat of a saved debate and no other seat.
pub(super) fn is_only_judge_human(header: &SaveHeader) -> bool {
    human_seats(header) == [Seat::Judge]
}

/// Returns the result of a finished debate for the only human debater, or for the judge if only the judge is human.
/// `None` if both debaters or no player is human, if the save cannot be read, or if a forfeit ended the debate. `None`
/// also if the truth of the judge's claim is unknown.
pub(in crate::app) fn human_result_text(listing: &SaveListing) -> Option<String> {
    Some(HumanPlayerResult::result_of_listed_debate(listing)?.human_result_in_words())
}

/// The result of a finished debate for the only human debater or, if no debater is human, for the judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HumanPlayerResult {
    Debater {
        /// The gap of the estimates if the debater is the estimator: "gap 52.5 percentage points".
        gap: Option<String>,
        /// The payoff as the debate screen shows it: "-277 points".
        payoff: String,
    },
    Judge {
        /// True if the judge's last answer was right.
        is_right: bool,
    },
}

impl HumanPlayerResult {
    /// The end of a gap's text, which very narrow lists omit.
    pub(super) const GAP_UNIT: &str = " percentage points";

    /// Returns the result of a listed debate. The payoff in points needs the save file, because the value of a point
    /// depends on the rounds of the scenario. `None` as for [`human_result_text`].
    pub(super) fn result_of_listed_debate(listing: &SaveListing) -> Option<Self> {
        if is_only_judge_human(listing.header.as_ref()?) {
            let is_right = is_saved_debate_won(&listing.path)?;
            return Some(Self::Judge { is_right });
        }
        let gap = gap_in_percentage_points(listing);
        Some(Self::Debater {
            gap: gap.map(|gap| format!("gap {gap}{}", Self::GAP_UNIT)),
            payoff: human_payoff_text(listing)?,
        })
    }

    /// Returns the whole result: "gap 52.5 percentage points, payoff -277 points", or "right answer" for the judge.
    pub(super) fn human_result_in_words(&self) -> String {
        match self {
            Self::Debater {
                gap: Some(gap),
                payoff,
            } => format!("{gap}, payoff {payoff}"),
            Self::Debater { gap: None, payoff } => payoff.clone(),
            Self::Judge { .. } => self.user_gap_or_result_text(),
        }
    }

    /// Returns an estimator's gap, or the payoff of another debater. A payoff of bets is mostly luck; the gap is not.
    /// For a judge, returns “right answer” or “wrong answer”.
    pub(super) fn user_gap_or_result_text(&self) -> String {
        match self {
            Self::Debater { gap, payoff } => gap.as_ref().unwrap_or(payoff).clone(),
            Self::Judge { is_right: true } => "right answer".to_owned(),
            Self::Judge { is_right: false } => "wrong answer".to_owned(),
        }
    }
}

/// Returns the payoff of the only human debater in points, with the digits that the end of the debate shows. `None` if
/// there is no such payoff, or if the save cannot be read.
fn human_payoff_text(listing: &SaveListing) -> Option<String> {
    let payoff = listing.prover_payoff()?;
    let save = Save::read_save(&listing.path).ok()?;
    let setup = save.read_saved_scenario(&ScenarioLimits::default()).ok()?;
    let instance = save.header.debated_instance(&setup).ok()?;
    let outside = [Player::Outside, Player::Outside, Player::Outside];
    let seating = save.seat(&instance, outside).ok()?;
    let perspective = ViewerPerspective::of_seat(debater(&save.header)?);
    let amounts = PayoffFormatter::formatter_in_points_of_schedule(&seating.state().schedule())
        .with_perspective(perspective)
        .with_digits_matching_log_payments(seating.log());
    Some(amounts.signed_payment_with_unit(&payoff))
}

/// Returns the gap of a human estimator's numbers in percentage points; `None` if no human is the estimator, or if the
/// save cannot be read.
pub(super) fn gap_in_percentage_points(listing: &SaveListing) -> Option<String> {
    let gap = UserMeasuresOfFinishedDebate::measures_of_save(&listing.path)?.gap?;
    Some(format_with_decimals(100.0 * gap.to_float(), 1))
}

/// The position of an unfinished debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnfinishedDebateProgress {
    /// The current round, in words: "round 2 of 4".
    pub(super) round: String,
    /// The seat to move.
    pub(super) awaits: Option<Seat>,
}

/// Replays the moves of a save and returns the debate's current position.
pub(super) fn unfinished_debate_progress(
    path: &Path,
) -> Result<UnfinishedDebateProgress, SaveFileError> {
    let save = Save::read_save(path)?;
    let setup = save.read_saved_scenario(&ScenarioLimits::default())?;
    let instance = save.header.debated_instance(&setup)?;
    let outside = [Player::Outside, Player::Outside, Player::Outside];
    let seating = save.seat(&instance, outside)?;
    let state = seating.state();
    let numbered: Vec<Round> = state
        .schedule()
        .into_iter()
        .map(|(round, _)| round)
        .collect();
    Ok(UnfinishedDebateProgress {
        round: round_in_words(state.round(), &numbered),
        awaits: seating.turn().map(|turn| turn.seat),
    })
}

/// Returns a phrase such as "round 2 of 4". Rounds are counted upwards from 1.
fn round_in_words(round: Option<Round>, schedule: &[Round]) -> String {
    let numbered = || schedule.iter().filter(|round| **round != Round::Initial);
    match round {
        None => "over".to_owned(),
        Some(Round::Initial) => "the first answer".to_owned(),
        Some(round) => match numbered().position(|other| *other == round) {
            Some(at) => format!("round {} of {}", at + 1, numbered().count()),
            None => String::new(),
        },
    }
}

/// Describes how long ago a time is: `just now`, `12 min ago`, `yesterday`, `3 days ago`. From 30 days on, returns the
/// date (UTC).
pub(super) fn relative_time(time: SystemTime) -> String {
    since(time, SystemTime::now())
}

fn since(time: SystemTime, now: SystemTime) -> String {
    // After the clock is set back, a time in the future counts as now.
    let minutes = now.duration_since(time).unwrap_or_default().as_secs() / 60;
    match minutes {
        0 => "just now".to_owned(),
        1..60 => format!("{} ago", short_duration_text(minutes * 60)),
        60..1440 => format!("{} ago", short_duration_text(minutes / 60 * 3600)),
        1440..2880 => "yesterday".to_owned(),
        2880..43_200 => format!("{} days ago", minutes / 1440),
        _ => format_utc(time)
            .split('T')
            .next()
            .unwrap_or_default()
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;
    use debate_solver::setup::bundled_scenarios;

    fn with(pairs: &[(&str, u32, u32)]) -> HashMap<String, ScenarioProgress> {
        let one = |(title, played, won): &(&str, u32, u32)| {
            let progress = ScenarioProgress {
                played: *played,
                won: *won,
                daily: 0,
                seats: Vec::new(),
                is_in_lesson: false,
                last: None,
            };
            ((*title).to_owned(), progress)
        };
        pairs.iter().map(one).collect()
    }

    #[test]
    fn new_scenarios_come_next_then_lost_ones() {
        let course = bundled_scenarios();
        let next =
            |progress: &HashMap<_, _>| suggested_scenario(&course, progress).map(|one| one.name);
        assert_eq!(next(&with(&[])), Some("primes"));
        let played = with(&[("Is 109,931 prime?", 2, 0)]);
        assert_eq!(next(&played), Some("primes-recursive"));
        let mut all: Vec<_> = course
            .iter()
            .map(|one| (one.title.as_str(), 1, 1))
            .collect();
        assert_eq!(next(&with(&all)), None);
        all[2].2 = 0;
        assert_eq!(next(&with(&all)), Some(course[2].name));
    }

    #[test]
    fn rounds_count_up_to_the_judges() {
        let numbers = [3, 2, 1, 0].map(Round::Number);
        let schedule: Vec<Round> = std::iter::once(Round::Initial).chain(numbers).collect();
        for (round, words) in [
            (Some(Round::Initial), "the first answer"),
            (Some(Round::Number(3)), "round 1 of 4"),
            (Some(Round::Number(0)), "round 4 of 4"),
            (None, "over"),
        ] {
            assert_eq!(round_in_words(round, &schedule), words);
        }
    }

    #[test]
    fn times_are_relative_to_now() {
        let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
        for (written, now, told) in [
            (0, 59, "just now"),
            (100, 0, "just now"),
            (0, 60, "1 min ago"),
            (0, 3_599, "59 min ago"),
            (0, 3_600, "1 h ago"),
            (0, 86_399, "23 h ago"),
            (0, 86_400, "yesterday"),
            (0, 172_800, "2 days ago"),
            (0, 2_591_999, "29 days ago"),
            (951_782_400, 954_374_400, "2000-02-29"),
        ] {
            assert_eq!(since(at(written), at(now)), told);
        }
    }
}
