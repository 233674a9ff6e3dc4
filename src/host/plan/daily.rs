//! The daily debate: one debate a day, the same for everybody. Its seed is `daily/1/DATE`.
//!
//! The seed determines the scenario, the instance and the coins. The `1` is the version of the list of scenarios and
//! of the rule by which a day gets one: if either changes, the number changes too, so a seed always means one debate.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use humantime::parse_rfc3339;

use super::{DebateOptions, DebatePlan, DebatePlanError};
use crate::message::{DebateOverrides, NamedPlayers};
use crate::record::{
    DAILY_TAG, Save, SaveFileError, SaveHeader, SaveListing, SavedDebateProgress, SavedEventKind,
    format_utc, list_saves,
};
use debate_core::chance::Seed;
use debate_core::number::{Exact, Number as _, format_with_decimals};
use debate_core::protocol::Seat;
use debate_solver::analysis::review::{EstimatorMeasures, PlayerAndReferenceEstimateErrors};
use debate_solver::setup::{LoadedScenario, ScenarioLimits};
use debate_text::review::{DISTANCE_TO_BEST, squared_error_text};

/// The scenarios of daily debates; each day takes the next one.
///
/// In each of them the recommended seat is Bob's under prover-estimator rules, so that every day has a gap and a
/// squared error. Each has several instances, so that yesterday's debate does not give today's answer away. None asks
/// Bob more than 13 times, so that a debate takes about six minutes. None demonstrates a limit of the guarantee,
/// because even the best numbers lose there. Scenarios about numbers and about disputes alternate.
const DAILY_SCENARIOS: [&str; 4] = ["primes", "pull-request", "primes-4331", "pull-request"];

/// The beginning of the seed of a daily debate.
const SEED_PREFIX: &str = "daily/1/";

/// The note that the save stores with a reply that the user gave after seeing a hint.
pub const HINT_NOTE: &str = "after a hint";

const SECONDS_PER_DAY: u64 = 86_400;

/// A day in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DailyDate {
    /// Days since 1 January 1970.
    days: u64,
}

impl fmt::Display for DailyDate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = UNIX_EPOCH + Duration::from_secs(self.days * SECONDS_PER_DAY);
        let text = format_utc(time);
        out.write_str(text.get(..10).unwrap_or(&text))
    }
}

impl DailyDate {
    /// Returns the day to which a time belongs, in UTC.
    pub fn utc_day_of_time(time: SystemTime) -> Self {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            days: since.as_secs() / SECONDS_PER_DAY,
        }
    }

    /// Parses a day: `YYYY-MM-DD`, from 1970-01-01 to 9999-12-31.
    pub fn parse(text: &str) -> Option<Self> {
        let time = parse_rfc3339(&format!("{text}T00:00:00Z")).ok()?;
        let date = Self::utc_day_of_time(time);
        (date.to_string() == text).then_some(date)
    }

    fn previous(self) -> Option<Self> {
        let days = self.days.checked_sub(1)?;
        Some(Self { days })
    }

    fn seed_text(self) -> String {
        format!("{SEED_PREFIX}{self}")
    }

    /// Returns the name of the bundled scenario of the day.
    pub fn daily_scenario_name(self) -> &'static str {
        let count = DAILY_SCENARIOS.len() as u64;
        let index = usize::try_from(self.days % count).unwrap_or(0);
        DAILY_SCENARIOS[index]
    }

    /// Returns the plan of the day's debate, with the user in the scenario's recommended seat.
    ///
    /// # Errors
    /// If the bundled scenario cannot be read, which a test rules out.
    pub fn daily_debate_plan(self) -> Result<DebatePlan, DebatePlanError> {
        let seed = Seed::new(self.seed_text()).ok_or(DebatePlanError::Seed)?;
        let setup = LoadedScenario::load_bundled_scenario(
            self.daily_scenario_name(),
            &ScenarioLimits::default(),
        )?;
        let world = setup.draw_world_by_weight(&seed, 0);
        // A named prover does not follow the user's earlier debates, so everybody meets the same one.
        let prover = setup.players.text_of_seat(Seat::Prover).map(str::to_owned);
        let options = DebateOptions {
            choices: DebateOverrides {
                players: NamedPlayers {
                    prover,
                    ..NamedPlayers::default()
                },
                seed: Some(self.seed_text()),
                ..DebateOverrides::default()
            },
            roles: vec![Some(setup.sit.unwrap_or(Seat::Opponent))],
            ..DebateOptions::default()
        };
        let mut plan = options.plan_loaded_scenario(setup)?;
        plan.world = world;
        plan.fixed_world = true;
        plan.tags.insert(DAILY_TAG.to_owned(), self.to_string());
        Ok(plan)
    }
}

impl DebatePlan {
    /// Returns the date of the daily debate; `None` if the plan is for another debate.
    pub fn daily_date(&self) -> Option<DailyDate> {
        let date = DailyDate::parse(self.tags.get(DAILY_TAG)?)?;
        (self.seed.as_str() == date.seed_text()).then_some(date)
    }
}

/// Returns the date of a daily debate from the header of its save; `None` for other debates.
pub fn daily_date_of_save(header: &SaveHeader) -> Option<DailyDate> {
    let date = DailyDate::parse(header.tags.get(DAILY_TAG)?)?;
    (header.seed.as_str() == date.seed_text()).then_some(date)
}

/// A reason why a finished daily debate is only practice: a hint, an undo, a branch or another debate with its seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DailyPracticeReason {
    /// A hint was shown.
    Hint,
    /// A reply was undone.
    Undo,
    /// The daily debate was continued from a move of another saved debate, so it does not count.
    Branch,
    /// The user had already begun an earlier attempt at this day's debate, so this one does not count.
    Restart,
    /// The user began another debate with the same seed, and hence the same coins, before this one ended. So this one
    /// does not count.
    PlayedElsewhere,
}

impl fmt::Display for DailyPracticeReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Hint => "a hint was shown",
            Self::Undo => "a reply was undone",
            Self::Branch => "the debate continues another debate from one of its moves",
            Self::Restart => "this was not your first attempt at the daily debate of this day",
            Self::PlayedElsewhere => {
                "another debate with the seed of this daily debate was begun before the daily debate ended"
            }
        })
    }
}

/// A finished daily debate.
#[derive(Clone, Debug, PartialEq)]
pub struct DailyResult {
    pub date: DailyDate,
    /// The sum of the sizes of all gaps in Bob's estimates of the debate (inconsistencies within a round), as a
    /// probability.
    pub gap: Exact,
    /// The squared errors of Bob's estimates, and of the numbers that hints would have recommended. `None` if the truth
    /// is known for none of the estimated claims.
    pub knowledge: Option<PlayerAndReferenceEstimateErrors>,
    /// The reasons why the daily debate is only practice; empty if it counts.
    pub practice: Vec<DailyPracticeReason>,
}

impl DailyResult {
    /// Reads the result of a daily debate from its save. `saves` are the saves in the same folder. `None` if the save
    /// is no finished daily debate.
    ///
    /// # Errors
    /// If the save cannot be read, or does not follow from its rules.
    pub fn read_daily_result(
        save: &SaveListing,
        saves: &[SaveListing],
    ) -> Result<Option<Self>, SaveFileError> {
        let date = save.header.as_ref().and_then(daily_date_of_save);
        let (Some(date), SavedDebateProgress::Finished) = (date, save.condition) else {
            return Ok(None);
        };
        let read = Save::read_save(&save.path)?;
        let Some(figures) = estimator_measures_of_save(&read)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            date,
            gap: figures.gap,
            knowledge: figures.knowledge,
            practice: practice_reasons(save, &read, saves),
        }))
    }

    /// Returns the total gap of Bob's estimates in percentage points: "0.0".
    pub fn total_gap_between_estimates_in_percentage_points(&self) -> String {
        let hundred = Exact::ratio(100, 1);
        format_with_decimals((&self.gap * hundred).to_float(), 1)
    }

    /// Returns the measures of Bob's estimates in words: "gap 0.0 percentage points, squared distance from the best
    /// possible numbers 0.013 (hints 0.000)". If there is no posterior to compare with, states the squared error
    /// instead, as the end of a debate does.
    pub fn gap_and_squared_error_text(&self) -> String {
        let mut gap_and_error = format!(
            "gap {} percentage points",
            self.total_gap_between_estimates_in_percentage_points()
        );
        if let Some(knowledge) = &self.knowledge {
            let (error_measure, both) = match &knowledge.to_posterior {
                Some(distances) => (DISTANCE_TO_BEST, [&distances.own, &distances.reference]),
                None => ("squared error", [&knowledge.own, &knowledge.reference]),
            };
            let [own_error, hints_error] = both.map(|mean| squared_error_text(mean.to_float()));
            gap_and_error =
                format!("{gap_and_error}, {error_measure} {own_error} (hints {hints_error})");
        }
        gap_and_error
    }

    /// Returns the line about the result that a user can share. It does not state the payoff, because a payoff is
    /// mostly luck.
    pub fn shareable_result_line(&self) -> String {
        let practice = if self.practice.is_empty() {
            ""
        } else {
            ", practice"
        };
        format!(
            "debate-tui daily {}: {}{practice}.",
            self.date,
            self.gap_and_squared_error_text()
        )
    }

    /// Returns a sentence with the reasons why the daily debate is only practice; `None` if it counts.
    pub fn reason_daily_is_only_practice(&self) -> Option<String> {
        let reasons: Vec<String> = self.practice.iter().map(ToString::to_string).collect();
        (!reasons.is_empty()).then(|| format!("This was practice: {}.", reasons.join(", and ")))
    }
}

/// Returns the measures of Bob's estimates in a save, without undone moves. `None` under rules without estimates, or if
/// the estimates cannot be measured, for example because people write the claims.
///
/// # Errors
/// If the save does not follow from its rules.
pub fn estimator_measures_of_save(save: &Save) -> Result<Option<EstimatorMeasures>, SaveFileError> {
    let setup = save.read_saved_scenario(&ScenarioLimits::default())?;
    let instance = save.header.debated_instance(&setup)?;
    let moves = save.history(&instance)?.moves_never_undone();
    let plan = DebatePlan::plan_of_saved_debate(&save.header, setup, &instance).ok();
    let case = plan.and_then(|plan| plan.review_context(&instance, None));
    let review = case.and_then(|case| case.review_moves_without_faults(&moves).ok());
    Ok(review.and_then(|review| review.figures))
}

/// Returns the reasons why a finished daily debate counts only as practice.
fn practice_reasons(
    save: &SaveListing,
    read: &Save,
    saves: &[SaveListing],
) -> Vec<DailyPracticeReason> {
    let events = read.events_with_undone();
    let had_hint = events
        .iter()
        .any(|line| line.meta.note.as_deref() == Some(HINT_NOTE));
    let had_undo = events
        .iter()
        .any(|line| matches!(line.kind, SavedEventKind::Undo { .. }));
    let mut reasons = Vec::new();
    let mut add = |applies: bool, reason| {
        if applies {
            reasons.push(reason);
        }
    };
    add(had_hint, DailyPracticeReason::Hint);
    add(had_undo, DailyPracticeReason::Undo);
    if read.header.branch.is_some() {
        add(true, DailyPracticeReason::Branch);
        return reasons;
    }
    let (mut restarted, mut elsewhere) = (false, false);
    for other in saves {
        let Some(header) = &other.header else {
            continue;
        };
        // One folder contains all of them, but not always under the same path.
        let is_same = other.path.file_name() == save.path.file_name();
        if is_same || header.seed != read.header.seed {
            continue;
        }
        let is_daily = daily_date_of_save(header).is_some();
        if is_daily && header.branch.is_none() {
            restarted |= is_earlier(other, save);
        } else if !is_daily {
            elsewhere |= is_earlier(other, save) || began_before_end(other, save);
        }
    }
    add(restarted, DailyPracticeReason::Restart);
    add(elsewhere, DailyPracticeReason::PlayedElsewhere);
    reasons
}

/// Returns the sort key of a save: the time at which the debate began, and the file name for debates of the same
/// second.
fn beginning(save: &SaveListing) -> (Option<&str>, Option<&OsStr>) {
    let header = save.header.as_ref();
    let started = header.and_then(|header| header.started.as_deref());
    (started, save.path.file_name())
}

fn is_earlier(one: &SaveListing, other: &SaveListing) -> bool {
    beginning(one) < beginning(other)
}

/// True if the debate `one` began before the last write to the save `other`. Saves have times to the second. Within one
/// second the order is unknown, so `one` is then regarded as the earlier one.
fn began_before_end(one: &SaveListing, other: &SaveListing) -> bool {
    let started = beginning(one).0;
    started.is_some_and(|started| *started <= *format_utc(other.modified))
}

/// Returns the saves of a date's daily debate, the first one first. Branches of a save are left out.
fn of_date(date: DailyDate, saves: &[SaveListing]) -> Vec<&SaveListing> {
    let is_of_date = |save: &&SaveListing| {
        let header = save.header.as_ref();
        header.is_some_and(|header| {
            header.branch.is_none() && daily_date_of_save(header) == Some(date)
        })
    };
    let mut found: Vec<&SaveListing> = saves.iter().filter(is_of_date).collect();
    found.sort_by(|one, other| beginning(one).cmp(&beginning(other)));
    found
}

/// Returns the first finished save of a date's daily debate.
pub fn finished_daily_save(date: DailyDate, saves: &[SaveListing]) -> Option<&SaveListing> {
    let mut found = of_date(date, saves).into_iter();
    found.find(|save| save.condition == SavedDebateProgress::Finished)
}

/// Returns the first save of a date's daily debate that was begun and can be continued.
pub fn unfinished_daily_save(date: DailyDate, saves: &[SaveListing]) -> Option<PathBuf> {
    let can_continue = |save: &&SaveListing| {
        matches!(
            save.condition,
            SavedDebateProgress::Unfinished | SavedDebateProgress::Unplayed
        )
    };
    let found = of_date(date, saves).into_iter().find(can_continue)?;
    Some(found.path.clone())
}

/// Returns the number of days in a row on which the user began that day's debate, if the debate is finished by now. 0
/// unless the last of these days is today or yesterday.
pub fn daily_streak(today: DailyDate, saves: &[SaveListing]) -> u32 {
    // A debate of an earlier day can be played at any time, so only the day itself counts.
    let is_finished_on = |date: DailyDate| {
        let day = date.to_string();
        of_date(date, saves).into_iter().any(|save| {
            save.condition == SavedDebateProgress::Finished
                && beginning(save)
                    .0
                    .is_some_and(|started| started.starts_with(&day))
        })
    };
    let last = if is_finished_on(today) {
        Some(today)
    } else {
        today.previous()
    };
    let mut days = 0;
    let mut date = last;
    while let Some(day) = date.filter(|day| is_finished_on(*day)) {
        days += 1;
        date = day.previous();
    }
    days
}

/// Returns the lines about a daily debate that has just ended: the line to share, and the reasons if it is practice.
/// Empty if the save cannot be read, or is no finished daily debate.
pub fn daily_debate_result_lines(path: &Path) -> Vec<String> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let saves = list_saves(folder.unwrap_or_else(|| Path::new("."))).unwrap_or_default();
    let Some(save) = SaveListing::read_listing(path) else {
        return Vec::new();
    };
    let Ok(Some(result)) = DailyResult::read_daily_result(&save, &saves) else {
        return Vec::new();
    };
    let mut lines = vec![result.shareable_result_line()];
    lines.extend(result.reason_daily_is_only_practice());
    lines
}

#[cfg(test)]
mod tests;
