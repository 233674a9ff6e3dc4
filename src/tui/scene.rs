//! What a screen tells about a debate besides the debate itself.

use debate_core::chance::Seed;
use debate_core::protocol::Protocol;
use debate_core::scenario::Instance;
use debate_lab::analysis::review::ReviewContext;
use debate_lab::narration::DebateFacts;

use super::input::Waker;
use super::tutorial::Coach;

/// A debate on the screen: its facts, and what the screen does with it.
#[derive(Clone, Debug)]
pub struct Scene<'a> {
    /// The facts that everybody who tells the debate knows.
    pub facts: DebateFacts<'a>,
    /// Where the debate is kept and how to go on with it, as a sentence. `None`: it is lost when
    /// the screen is left, which then asks once more.
    pub kept: Option<String>,
    /// What replies are worth, where that may be told; `None` in a study.
    pub values: Option<Valuation>,
    /// Whether the debate can be compared with one under other rules.
    pub comparable: bool,
    /// Who explains it as it goes, in a lesson of the tutorial.
    pub coach: Option<Coach>,
    /// How the others' moves come.
    pub tempo: Tempo,
}

/// How the others' moves come at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tempo {
    /// Whether they come by themselves.
    pub by_itself: bool,
    speed: u8,
}

impl Tempo {
    /// The slowest is 1.
    pub const FASTEST: u8 = 6;

    /// Moves at a speed from 1 to [`Self::FASTEST`]; `None` for another one.
    #[must_use]
    pub fn new(by_itself: bool, speed: u8) -> Option<Self> {
        let known = (1..=Self::FASTEST).contains(&speed);
        known.then_some(Self { by_itself, speed })
    }

    /// The same speed, but nothing comes by itself.
    #[must_use]
    pub fn waiting(self) -> Self {
        let by_itself = false;
        Self { by_itself, ..self }
    }

    /// How fast, from 1 to [`Self::FASTEST`].
    #[must_use]
    pub fn speed(self) -> u8 {
        self.speed
    }
}

impl Default for Tempo {
    fn default() -> Self {
        Self {
            by_itself: false,
            speed: 3,
        }
    }
}

/// With what a screen finds out what replies are worth.
#[derive(Clone, Debug)]
pub struct Valuation {
    /// The debate with its players.
    pub case: ReviewContext,
    /// Where the coins of many debates come from.
    pub seed: Seed,
    /// Whether hints are shown from the start.
    pub hints: bool,
    /// Whom to wake when something was found out.
    pub waker: Waker,
}

impl<'a> From<DebateFacts<'a>> for Scene<'a> {
    fn from(facts: DebateFacts<'a>) -> Self {
        Self {
            facts,
            kept: None,
            values: None,
            comparable: false,
            coach: None,
            tempo: Tempo::default(),
        }
    }
}

impl<'a> Scene<'a> {
    /// The facts of a debate under a protocol, without title, players or seed yet.
    #[must_use]
    pub fn new(instance: &'a Instance, protocol: &Protocol) -> Self {
        DebateFacts::new(instance, protocol).into()
    }
}
