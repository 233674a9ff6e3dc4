//! The scenarios that every program has with it, as a course: what each teaches, how hard it is, and
//! which seats are worth taking.

use std::sync::LazyLock;

use serde::Deserialize;

use super::read;
use debate_core::protocol::{Kind, Seat};

/// A bundled scenario, and its place in the course.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundledScenario {
    pub name: &'static str,
    pub title: String,
    pub about: String,
    /// The rules that it is written for.
    pub protocol: Kind,
    /// The group by what it teaches.
    pub teaches: &'static str,
    pub difficulty: Difficulty,
    /// The seats worth taking, the best first.
    pub seats: &'static [SeatAdvice],
}

/// The prerequisites of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Difficulty {
    /// Nothing.
    Easy,
    /// Some easy ones under the same rules.
    Medium,
    /// It is about a theorem or a proof, which it helps to know.
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

    /// The meaning in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Easy => "nothing to know before",
            Self::Medium => "play an easy one under these rules first",
            Self::Hard => "it is about a theorem or a proof, which it helps to know",
        }
    }
}

/// A seat that is worth taking in a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct SeatAdvice {
    pub seat: Seat,
    /// The replies that the built-in player of the seat gives in a debate between the scenario's own
    /// players; `None` where no player can sit there, and it takes as long as people like.
    pub replies: Option<u32>,
}

/// Seconds to read what a scenario is about.
pub const SECONDS_TO_READ: u32 = 60;
/// Seconds to give a reply.
pub const SECONDS_A_REPLY: u32 = 20;

impl SeatAdvice {
    /// The minutes that a debate takes a person in the seat: some to read, and so many seconds a
    /// reply.
    pub fn minutes(self) -> Option<u32> {
        let seconds = |replies: u32| SECONDS_TO_READ + SECONDS_A_REPLY * replies;
        Some(seconds(self.replies?).div_ceil(60))
    }
}

/// Some scenarios of the course.
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

// `src/solver/scenarios` is a link to `scenarios/` at the top, so that the crate's package has the files.
macro_rules! texts {
    ($($name:literal)+) => {
        &[$(($name, include_str!(concat!("../scenarios/", $name, ".ron")))),+]
    };
}

/// The names and texts of the bundled scenarios, in the order in which they are best played.
const TEXTS: &[(&str, &str)] = texts! {
    "primes" "primes-recursive" "primes-small" "pull-request" "law" "caffeine" "open"
    "lighthouse" "turing" "parity" "multiplier" "primes-certificate" "qbf" "qbf-false" "caffeine-plan"
    "caffeine-choice" "one-question" "five-parts" "five-parts-stable" "primes-stable" "three-readings"
    "primes-liar-witness" "hidden-flaw" "hidden-flaw-count" "two-of-three" "three-receipts"
};

/// The bundled scenarios, in the order in which they are best played.
pub fn bundled() -> Vec<BundledScenario> {
    // A test holds that the file can be read.
    static COURSE: LazyLock<Vec<Lesson>> =
        LazyLock::new(|| ron::from_str(include_str!("course.ron")).unwrap_or_default());
    let rows = COURSE.iter().flat_map(|lesson| {
        let rows = lesson.scenarios.iter();
        rows.map(|row| (lesson.teaches, row))
    });
    rows.filter_map(|(teaches, row)| {
        let (name, text) = text(row.name)?;
        let (title, about, protocol) = read::header(text)?;
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

/// The names of the bundled scenarios, in the order in which they are best played.
pub fn names() -> impl ExactSizeIterator<Item = &'static str> {
    TEXTS.iter().map(|(name, _)| *name)
}

/// The name of the bundled scenario with this text.
pub fn bundled_name(text: &str) -> Option<&'static str> {
    let (name, _) = TEXTS.iter().find(|(_, known)| *known == text)?;
    Some(name)
}

/// The name and the text of a bundled scenario.
pub(super) fn text(name: &str) -> Option<(&'static str, &'static str)> {
    TEXTS.iter().find(|(known, _)| *known == name).copied()
}
