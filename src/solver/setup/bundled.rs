//! The scenarios that every program has with it, as a course: what each teaches, how hard it is, and
//! which seats are worth taking.

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// A row of the course.
struct Row {
    teaches: &'static str,
    name: &'static str,
    text: &'static str,
    difficulty: Difficulty,
    seats: &'static [SeatAdvice],
}

// `src/solver/scenarios` is a link to `scenarios/` at the top, so that the crate's package has the files.
macro_rules! course {
    (@ _) => { None };
    (@ $replies:literal) => { Some($replies) };
    ($($teaches:literal: {$($name:literal $difficulty:ident [$($seat:ident $replies:tt),+],)+})+) => {
        &[$($(Row {
            teaches: $teaches,
            name: $name,
            text: include_str!(concat!("../scenarios/", $name, ".ron")),
            difficulty: Difficulty::$difficulty,
            seats: &[$(SeatAdvice { seat: Seat::$seat, replies: course!(@ $replies) }),+],
        }),+),+]
    };
}

/// The course, in the order in which it is best played: of each scenario its name, how hard it is,
/// and the seats worth taking with the replies of each, which a test counts.
const COURSE: &[Row] = course! {
    "A lie that nobody can find": {
        "primes" Easy [Opponent 13, Prover 11],
        "primes-recursive" Easy [Opponent 3, Prover 7],
        "primes-small" Easy [Prover 8, Opponent 9],
    }
    "Arguments in words": {
        "pull-request" Easy [Judge 1, Opponent 4],
        "law" Easy [Opponent 1, Judge 1],
        "caffeine" Medium [Prover 8, Judge 1],
        "open" Medium [Prover _, Opponent _, Judge _],
        "lighthouse" Easy [Judge 10, Prover 3, Opponent 3],
    }
    "Checking a computation": {
        "turing" Medium [Opponent 6, Prover 7],
        "parity" Easy [Opponent 3, Prover 4],
        "multiplier" Medium [Opponent 1, Prover 1],
        "primes-certificate" Medium [Opponent 1, Prover 2],
    }
    "Games and votes": {
        "qbf" Medium [Prover 5, Opponent 4],
        "caffeine-plan" Medium [Opponent 2, Prover 2],
        "caffeine-choice" Medium [Prover 4, Opponent 3],
        "one-question" Hard [Opponent 66],
    }
    "What honesty is promised": {
        "five-parts" Medium [Opponent 6, Prover 5],
        "five-parts-stable" Hard [Opponent 26],
        "primes-stable" Medium [Prover 5, Opponent 6],
    }
    "Where the promises end": {
        "primes-liar-witness" Medium [Judge 1, Opponent 6],
        "hidden-flaw" Hard [Opponent 3, Prover 5],
        "hidden-flaw-count" Hard [Opponent 5],
        "two-of-three" Hard [Opponent 7, Prover 5],
        "three-receipts" Medium [Prover 6],
    }
};

/// The bundled scenarios, in the order in which they are best played.
pub fn bundled() -> Vec<BundledScenario> {
    COURSE
        .iter()
        .filter_map(|row| {
            let (title, about, protocol) = read::header(row.text)?;
            Some(BundledScenario {
                name: row.name,
                title,
                about,
                protocol: protocol.kind(),
                teaches: row.teaches,
                difficulty: row.difficulty,
                seats: row.seats,
            })
        })
        .collect()
}

/// The names of the bundled scenarios, in the order in which they are best played.
pub fn names() -> impl ExactSizeIterator<Item = &'static str> {
    COURSE.iter().map(|row| row.name)
}

/// The name of the bundled scenario with this text.
pub fn bundled_name(text: &str) -> Option<&'static str> {
    let row = COURSE.iter().find(|row| row.text == text)?;
    Some(row.name)
}

/// The name and the text of a bundled scenario.
pub(super) fn text(name: &str) -> Option<(&'static str, &'static str)> {
    let row = COURSE.iter().find(|row| row.name == name)?;
    Some((row.name, row.text))
}
