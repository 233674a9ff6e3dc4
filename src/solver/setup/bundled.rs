//! The scenarios that are part of the program, grouped by topic: each with its difficulty and recommended seats.

use std::sync::LazyLock;

use serde::Deserialize;

use super::read;
use debate_core::protocol::{ProtocolKind, Seat};

/// A scenario that is part of the program, with its topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundledScenario {
    pub name: &'static str,
    pub title: String,
    /// The title for a debate whose instance is not known yet, if titles name the instance.
    pub title_of_any_instance: Option<&'static str>,
    pub about: String,
    /// The protocol for which the scenario was written.
    pub protocol: ProtocolKind,
    /// The topic of the group of bundled scenarios to which the scenario belongs, such as "Arguments in words".
    pub teaches: &'static str,
    pub difficulty: ScenarioDifficulty,
    /// The seats recommended to the user, the best first.
    pub seats: &'static [RecommendedSeat],
}

/// The prerequisites of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum ScenarioDifficulty {
    /// No prerequisites.
    Easy,
    /// The user should have played an easy scenario under the same rules.
    Medium,
    /// The scenario is about a theorem or a proof; knowing it helps.
    Hard,
}

impl ScenarioDifficulty {
    pub fn difficulty_name(self) -> &'static str {
        match self {
            Self::Easy => "easy",
            Self::Medium => "medium",
            Self::Hard => "hard",
        }
    }

    /// Returns a short description of the difficulty.
    pub fn scenario_difficulty_description(self) -> &'static str {
        match self {
            Self::Easy => "no prior knowledge needed",
            Self::Medium => "play an easy scenario with the same rules first",
            Self::Hard => {
                "the scenario is about a theorem or a proof; it helps to know the theorem"
            }
        }
    }
}

/// A seat recommended to a scenario's user, with a reply count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename = "SeatAdvice")]
pub struct RecommendedSeat {
    pub seat: Seat,
    /// The number of replies that the seat's built-in player gives in a debate between the scenario's players. `None`
    /// if the seat has no built-in player; the duration then depends on the users.
    pub replies: Option<u32>,
    /// The least and the most replies of this seat in a debate, if their number depends on the players.
    #[serde(default)]
    range: Option<(u32, u32)>,
}

/// The assumed time for reading a scenario's description, in seconds.
pub const SECONDS_TO_READ: u32 = 60;
/// The assumed time for giving one reply, in seconds.
pub const SECONDS_PER_REPLY: u32 = 20;

impl RecommendedSeat {
    /// Returns the estimated duration of a debate for a user in this seat, in minutes. `None` if it is unknown.
    pub fn expected_minutes_in_seat(self) -> Option<u32> {
        Some(minutes_of_replies(self.replies?))
    }

    /// Returns the least and the most replies of this seat in a debate. `None` if the seat has no built-in player.
    pub fn seat_reply_count_range(self) -> Option<(u32, u32)> {
        let replies = self.replies?;
        Some(self.range.unwrap_or((replies, replies)))
    }
}

/// Returns the estimated duration of a debate in which a user gives this number of replies, in minutes.
pub fn minutes_of_replies(replies: u32) -> u32 {
    (SECONDS_TO_READ + SECONDS_PER_REPLY * replies).div_ceil(60)
}

/// A group of bundled scenarios about one topic.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScenarioTopic {
    teaches: &'static str,
    scenarios: Vec<ScenarioOfTopic>,
}

/// A scenario in its group, with the facts that its file does not contain.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScenarioOfTopic {
    name: &'static str,
    #[serde(default)]
    title_of_any_instance: Option<&'static str>,
    difficulty: ScenarioDifficulty,
    seats: Vec<RecommendedSeat>,
}

// `src/solver/scenarios` is a link to the top-level `scenarios/`, so that the crate's package contains the
// files.
macro_rules! texts {
    ($($name:literal)+) => {
        &[$(($name, include_str!(concat!("../scenarios/", $name, ".ron")))),+]
    };
}

/// The names and texts of the scenarios that are part of the program, in the recommended order of play.
const TEXTS: &[(&str, &str)] = texts! {
    "primes" "primes-recursive" "primes-small" "pull-request" "law" "caffeine" "open"
    "lighthouse" "turing" "parity" "multiplier" "primes-certificate" "qbf" "qbf-false" "caffeine-plan"
    "caffeine-choice" "one-question" "odd-votes" "five-parts" "five-parts-stable" "primes-stable" "three-readings"
    "primes-liar-witness" "hidden-flaw" "hidden-flaw-count" "two-of-three" "three-receipts" "primes-4331"
};

/// Returns the scenarios that are part of the program, in the recommended order of play.
pub fn bundled_scenarios() -> Vec<BundledScenario> {
    // A test checks that the file can be parsed.
    static TOPICS: LazyLock<Vec<ScenarioTopic>> =
        LazyLock::new(|| ron::from_str(include_str!("course.ron")).unwrap_or_default());
    let rows = TOPICS.iter().flat_map(|topic| {
        let rows = topic.scenarios.iter();
        rows.map(|row| (topic.teaches, row))
    });
    rows.filter_map(|(teaches, row)| {
        let (name, text) = bundled_text(row.name)?;
        let (title, about, protocol) = read::title_about_and_rules(text)?;
        Some(BundledScenario {
            name,
            title,
            title_of_any_instance: row.title_of_any_instance,
            about,
            protocol: protocol.kind(),
            teaches,
            difficulty: row.difficulty,
            seats: &row.seats,
        })
    })
    .collect()
}

/// Returns the next seat after `seat` in the list of a bundled scenario's recommended seats, which starts again after
/// its end. `None` if no bundled scenario has this name, or if it recommends no other seat.
pub fn other_recommended_seat(scenario: &str, seat: Seat) -> Option<Seat> {
    let scenarios = bundled_scenarios();
    let seats = scenarios.iter().find(|it| it.name == scenario)?.seats;
    let index = seats.iter().position(|advice| advice.seat == seat);
    let next = index.map_or(0, |index| (index + 1) % seats.len());
    let advice = seats.get(next)?;
    Some(advice.seat).filter(|other| *other != seat)
}

/// Returns the names of the scenarios that are part of the program, in the recommended order of play.
pub fn bundled_names() -> impl ExactSizeIterator<Item = &'static str> {
    TEXTS.iter().map(|(name, _)| *name)
}

/// Returns the name of the bundled scenario whose file has exactly this text; `None` if there is none.
pub fn name_of_bundled_text(text: &str) -> Option<&'static str> {
    let (name, _) = TEXTS.iter().find(|(_, known)| *known == text)?;
    Some(name)
}

/// Returns the name and the text of the bundled scenario with this name; `None` if there is none.
pub(super) fn bundled_text(name: &str) -> Option<(&'static str, &'static str)> {
    TEXTS.iter().find(|(known, _)| *known == name).copied()
}
