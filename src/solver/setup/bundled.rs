//! The scenarios bundled with every program, as a course: the lesson and difficulty of each, and the
//! recommended seats.

use std::sync::LazyLock;

use serde::Deserialize;

use super::read;
use debate_core::protocol::{Kind, Seat};

/// A bundled scenario, and its position in the course.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundledScenario {
    pub name: &'static str,
    pub title: String,
    pub about: String,
    /// The rules for which it is written.
    pub protocol: Kind,
    /// The lesson to which it belongs.
    pub teaches: &'static str,
    pub difficulty: Difficulty,
    /// The recommended seats, the best first.
    pub seats: &'static [SeatAdvice],
}

/// The prerequisites of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Difficulty {
    /// No prerequisites.
    Easy,
    /// Some easy scenarios under the same rules.
    Medium,
    /// Knowledge of the theorem or proof that the scenario is about is helpful.
    Hard,
}

impl Difficulty {
    pub fn name(self) -> &'static str {
        match self {
            Self::Easy => "easy",
            Self::Medium => "medium",
            Self::Hard => "hard",
        }
    }

    /// Returns the meaning in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Easy => "no prior knowledge needed",
            Self::Medium => "play an easy scenario with the same rules first",
            Self::Hard => "about a theorem or a proof; it helps to know it",
        }
    }
}

/// A recommended seat of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct SeatAdvice {
    pub seat: Seat,
    /// The number of replies of the seat's built-in player in a debate between the scenario's own players.
    /// `None` if no player can hold the seat, so the duration depends on the users.
    pub replies: Option<u32>,
}

/// The time to read a scenario's description, in seconds.
pub const SECONDS_TO_READ: u32 = 60;
/// The time to give a reply, in seconds.
pub const SECONDS_PER_REPLY: u32 = 20;

impl SeatAdvice {
    /// Returns the minutes that a debate takes a user in the seat: the reading time plus the time for each
    /// reply.
    pub fn minutes(self) -> Option<u32> {
        let seconds = |replies: u32| SECONDS_TO_READ + SECONDS_PER_REPLY * replies;
        Some(seconds(self.replies?).div_ceil(60))
    }
}

/// A lesson of the course, with its scenarios.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lesson {
    teaches: &'static str,
    scenarios: Vec<CourseRow>,
}

/// A row of the course.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CourseRow {
    name: &'static str,
    difficulty: Difficulty,
    seats: Vec<SeatAdvice>,
}

// `src/solver/scenarios` is a link to the top-level `scenarios/`, so that the crate's package contains the
// files.
macro_rules! texts {
    ($($name:literal)+) => {
        &[$(($name, include_str!(concat!("../scenarios/", $name, ".ron")))),+]
    };
}

/// The names and texts of the bundled scenarios, in the recommended order of play.
const TEXTS: &[(&str, &str)] = texts! {
    "primes" "primes-recursive" "primes-small" "pull-request" "law" "caffeine" "open"
    "lighthouse" "turing" "parity" "multiplier" "primes-certificate" "qbf" "qbf-false" "caffeine-plan"
    "caffeine-choice" "one-question" "odd-votes" "five-parts" "five-parts-stable" "primes-stable" "three-readings"
    "primes-liar-witness" "hidden-flaw" "hidden-flaw-count" "two-of-three" "three-receipts" "primes-4331"
};

/// Returns the bundled scenarios, in the recommended order of play.
pub fn bundled() -> Vec<BundledScenario> {
    // A test checks that the file can be parsed.
    static COURSE: LazyLock<Vec<Lesson>> =
        LazyLock::new(|| ron::from_str(include_str!("course.ron")).unwrap_or_default());
    let rows = COURSE.iter().flat_map(|lesson| {
        let rows = lesson.scenarios.iter();
        rows.map(|row| (lesson.teaches, row))
    });
    rows.filter_map(|(teaches, row)| {
        let (name, text) = bundled_text(row.name)?;
        let (title, about, protocol) = read::title_about_and_rules(text)?;
        Some(BundledScenario {
            name,
            title,
            about,
            protocol: protocol.kind(),
            teaches,
            difficulty: row.difficulty,
            seats: &row.seats,
        })
    })
    .collect()
}

/// Returns the names of the bundled scenarios, in the recommended order of play.
pub fn names() -> impl ExactSizeIterator<Item = &'static str> {
    TEXTS.iter().map(|(name, _)| *name)
}

/// Returns the name of the bundled scenario with this text.
pub fn name_of_bundled_text(text: &str) -> Option<&'static str> {
    let (name, _) = TEXTS.iter().find(|(_, known)| *known == text)?;
    Some(name)
}

/// Returns the name and the text of a bundled scenario.
pub(super) fn bundled_text(name: &str) -> Option<(&'static str, &'static str)> {
    TEXTS.iter().find(|(known, _)| *known == name).copied()
}
