//! Facts that a screen shows about a debate besides the debate itself.

use std::time::{Duration, Instant};

use crate::tui::input::Waker;
use crate::tui::keys::Action;
use crate::tui::tutorial::Coach;
use debate_core::chance::Seed;
use debate_core::protocol::Protocol;
use debate_core::scenario::Instance;
use debate_host::plan::Reproduction;
use debate_host::record::TimeSource;
use debate_solver::analysis::review::ReviewContext;
use debate_text::{DebateFacts, Perspective};

/// A debate on the screen: its facts, and what the screen does with it.
#[derive(Clone, Debug)]
pub struct Scene<'a> {
    /// The facts that everybody who tells the debate knows.
    pub facts: DebateFacts<'a>,
    /// A sentence on the save and how to go on with it. `None`: the debate is lost when
    /// the screen is left, which then asks once more.
    pub kept: Option<String>,
    /// Finds what replies are worth; `None` where that must not be told, as in a study.
    pub values: Option<Valuation>,
    /// True if the debate can be compared with one under other rules.
    pub comparable: bool,
    /// The coach, in a lesson of the tutorial.
    pub coach: Option<Coach>,
    /// True if the scenario is told on a page of its own where there is no room for it beside the first question.
    pub opens_story: bool,
    /// The pace of the others' moves; nothing comes by itself unless it is set.
    pub tempo: Tempo,
    /// True if coins are seen to fall.
    pub animated: bool,
    /// The clock of everything that moves on the screen, and of the times that replies take.
    pub time: TimeSource,
    /// What plays it again.
    pub reproduction: Reproduction,
    /// From which seat a replay is told: of a debate that was just played, from the player's own.
    pub replayed_from: Perspective,
}

/// The pace of the others' moves at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tempo {
    /// True if they come by themselves.
    pub by_itself: bool,
    speed: u8,
}

impl Tempo {
    /// The slowest is 1.
    pub const FASTEST: u8 = 6;

    /// Moves at a speed from 1 to [`Self::FASTEST`]; `None` for another one.
    pub fn new(by_itself: bool, speed: u8) -> Option<Self> {
        let known = (1..=Self::FASTEST).contains(&speed);
        known.then_some(Self { by_itself, speed })
    }

    /// This speed, but nothing comes by itself.
    #[must_use]
    pub fn waiting(self) -> Self {
        let by_itself = false;
        Self { by_itself, ..self }
    }

    /// The speed, from 1 to [`Self::FASTEST`].
    pub fn speed(self) -> u8 {
        self.speed
    }
}

impl Default for Tempo {
    fn default() -> Self {
        Self {
            by_itself: true,
            speed: 3,
        }
    }
}

/// With what a screen finds out what replies are worth.
#[derive(Clone, Debug)]
pub struct Valuation {
    /// The debate with its players.
    pub case: ReviewContext,
    /// The seed of the coins of many debates.
    pub seed: Seed,
    /// True if hints are shown from the start.
    pub hints: bool,
    /// Wakes the screen when a result is there.
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
            opens_story: false,
            tempo: Tempo::default().waiting(),
            animated: false,
            time: TimeSource::System,
            reproduction: Reproduction::default(),
            replayed_from: Perspective::NEUTRAL,
        }
    }
}

impl<'a> Scene<'a> {
    /// What plays the debate again, as far as it may be told: all of it once the debate is over.
    pub fn reproduction(&self, is_over: bool) -> Reproduction {
        let mut reproduction = self.reproduction.clone();
        if reproduction.tells_secrets && !is_over {
            reproduction.command = None;
        }
        reproduction
    }

    /// The facts of a debate under a protocol, without title, players or seed yet.
    pub fn new(instance: &'a Instance, protocol: &Protocol) -> Self {
        DebateFacts::new(instance, protocol).into()
    }
}

/// Milliseconds a move at each speed.
const SPEEDS: [u64; Tempo::FASTEST as usize] = [3000, 1500, 800, 400, 150, 40];

/// The state of autoplay: the speed, and when the next move is due.
#[derive(Clone, Debug)]
pub struct Pace {
    time: TimeSource,
    playing: bool,
    speed: usize,
    next: Option<Instant>,
}

impl Pace {
    pub fn new(tempo: Tempo, time: &TimeSource) -> Self {
        Self {
            time: time.clone(),
            playing: tempo.by_itself,
            speed: usize::from(tempo.speed()) - 1,
            next: None,
        }
    }

    pub fn is_playing(&self) -> bool {
        self.playing
    }

    pub fn stop(&mut self) {
        self.playing = false;
        self.next = None;
    }

    /// Takes a key of autoplay; returns what to say of it.
    pub fn act(&mut self, action: Action) -> String {
        match action {
            Action::Faster => self.speed = (self.speed + 1).min(SPEEDS.len() - 1),
            Action::Slower => self.speed = self.speed.saturating_sub(1),
            _ => self.playing = !self.playing,
        }
        self.words()
    }

    /// Sets one alarm where there is something to wait for, and none elsewhere.
    pub fn rest(&mut self, moving: bool) {
        let pause = Duration::from_millis(SPEEDS[self.speed]);
        self.next = (self.playing && moving).then(|| self.now() + pause);
    }

    /// The time of the clock that the moves are timed by.
    pub fn now(&self) -> Instant {
        self.time.instant()
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.next
    }

    /// True once the alarm has come.
    pub fn is_due(&self) -> bool {
        self.next.is_some_and(|next| next <= self.now())
    }

    fn words(&self) -> String {
        if !self.playing {
            return "Stopped; the same key goes on.".to_owned();
        }
        let milliseconds = SPEEDS[self.speed];
        let whole = milliseconds / 1000;
        let tenth = milliseconds % 1000 / 10;
        format!("A move every {whole}.{tenth:02} s; < and > change that, the same key stops it.")
    }
}
