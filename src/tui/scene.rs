//! The facts and settings with which a screen shows a debate, and the pace of autoplay.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::tui::input::MainLoopWaker;
use crate::tui::keys::Action;
use crate::tui::tutorial::LessonTexts;
use debate_core::chance::Seed;
use debate_core::protocol::Protocol;
use debate_core::scenario::Instance;
use debate_host::plan::ReproductionInfo;
use debate_host::record::TimeSource;
use debate_solver::analysis::review::ReviewContext;
use debate_text::{DebateDescription, ViewerPerspective};

/// The facts about a debate and the settings with which a screen shows it.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the booleans are independent facts about a debate, not states of one enum"
)]
pub struct DebateScreenContext<'a> {
    /// The facts about the debate that all of its narrations share.
    pub facts: DebateDescription<'a>,
    /// A sentence on the save and how to resume it. `None` if the debate is lost when the user leaves the screen, which
    /// then asks for confirmation.
    pub save_notice: Option<String>,
    /// The inputs for computing the values (expected payoffs) of replies; `None` if the values must stay hidden, as in
    /// a study.
    pub values: Option<HintAndReviewInputs>,
    /// The inputs for computing the values of replies in the review at the debate's end. In a blind debate, these are
    /// set although `values` is `None`.
    pub values_at_end: Option<HintAndReviewInputs>,
    /// True if the debate can be compared with the same debate under other rules.
    pub comparable: bool,
    /// The tutorial's coach; `None` outside of a lesson.
    pub coach: Option<LessonTexts>,
    /// True if the debate retries a finished one, whose end is shown after it.
    pub is_retry: bool,
    /// The user's result in the debate that this one repeats, for comparison at the end. `None` for other debates.
    pub last_result: Option<String>,
    /// True if a page with the question and the user's briefing is shown before the first move.
    pub opens_briefing: bool,
    /// The pace at which the moves of the other players are shown. Autoplay is off unless it is set here.
    pub tempo: AutoplaySettings,
    /// True if coins and bets are animated.
    pub animated: bool,
    /// True if the terminal bell rings at the user's turn after another player has moved.
    pub rings: bool,
    /// The clock that times all animations and the users' replies.
    pub time: TimeSource,
    /// True if the end of the debate names the opponents' difficulty level after a win.
    pub names_level: bool,
    /// True if the end of the debate can start a new debate of the scenario against easier or harder opponents.
    pub offers_opponents: bool,
    /// True if the end of the debate can open the page on which the user chooses a seat of the scenario.
    pub offers_seats: bool,
    /// The save of a daily debate; `None` for other debates.
    pub daily: Option<PathBuf>,
    /// The command, seed and save that repeat the debate.
    pub reproduction: ReproductionInfo,
    /// The perspective from which a replay is narrated: for a debate that was just played, the player's own.
    pub replayed_from: ViewerPerspective,
}

/// The initial pace at which the moves of the other players are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AutoplaySettings {
    /// True if the other players move automatically.
    pub is_automatic: bool,
    speed: u8,
}

impl AutoplaySettings {
    /// The highest speed of autoplay; the lowest is 1.
    pub const MAX_SPEED: u8 = 6;

    /// Creates the settings of autoplay with a speed from 1 to [`Self::MAX_SPEED`]. Returns `None` for other speeds.
    pub fn new(is_automatic: bool, speed: u8) -> Option<Self> {
        let known = (1..=Self::MAX_SPEED).contains(&speed);
        known.then_some(Self {
            is_automatic,
            speed,
        })
    }

    /// Returns the same settings with autoplay off.
    #[must_use]
    pub fn without_autoplay(self) -> Self {
        let is_automatic = false;
        Self {
            is_automatic,
            ..self
        }
    }

    /// Returns the speed of autoplay, from 1 to [`Self::MAX_SPEED`].
    pub fn speed(self) -> u8 {
        self.speed
    }
}

impl Default for AutoplaySettings {
    fn default() -> Self {
        Self {
            is_automatic: true,
            speed: 3,
        }
    }
}

/// The data that hints, values of replies, the review and the trial debates of one debate screen need besides the
/// moves.
#[derive(Clone, Debug)]
pub struct HintAndReviewInputs {
    /// The debate with its players.
    pub case: ReviewContext,
    /// The seed from which the trial debates, played to measure the mean payoff, take their coins.
    pub seed: Seed,
    /// True if hints are shown from the start.
    pub hints: bool,
    /// A handle that wakes the screen when a computation is finished.
    pub waker: MainLoopWaker,
}

impl<'a> From<DebateDescription<'a>> for DebateScreenContext<'a> {
    fn from(facts: DebateDescription<'a>) -> Self {
        Self {
            facts,
            save_notice: None,
            values: None,
            values_at_end: None,
            comparable: false,
            coach: None,
            is_retry: false,
            last_result: None,
            opens_briefing: false,
            tempo: AutoplaySettings::default().without_autoplay(),
            animated: false,
            rings: false,
            time: TimeSource::System,
            names_level: false,
            offers_opponents: false,
            offers_seats: false,
            daily: None,
            reproduction: ReproductionInfo::default(),
            replayed_from: ViewerPerspective::NEUTRAL,
        }
    }
}

impl<'a> DebateScreenContext<'a> {
    /// Returns the command, seed and save that repeat the debate. Before the end, the command is left out if it reveals
    /// secrets.
    pub fn reproduction(&self, is_over: bool) -> ReproductionInfo {
        let mut reproduction = self.reproduction.clone();
        if reproduction.tells_secrets && !is_over {
            reproduction.command = None;
        }
        reproduction
    }

    /// Creates the scene of a debate under a protocol, with the root claim as its title and without players or seed.
    pub fn new(instance: &'a Instance, protocol: &Protocol) -> Self {
        DebateDescription::new(instance, protocol).into()
    }
}

/// The pause before each move of autoplay at each speed, in milliseconds.
const MILLISECONDS_PER_MOVE: [u64; AutoplaySettings::MAX_SPEED as usize] =
    [3000, 1500, 800, 400, 150, 40];

/// The state of autoplay: the speed, and the time of the next move.
#[derive(Clone, Debug)]
pub struct Autoplay {
    time: TimeSource,
    playing: bool,
    speed: usize,
    next: Option<Instant>,
}

impl Autoplay {
    pub fn new(tempo: AutoplaySettings, time: &TimeSource) -> Self {
        Self {
            time: time.clone(),
            playing: tempo.is_automatic,
            speed: usize::from(tempo.speed()) - 1,
            next: None,
        }
    }

    pub fn is_autoplay_on(&self) -> bool {
        self.playing
    }

    pub fn stop_autoplay(&mut self) {
        self.playing = false;
        self.next = None;
    }

    /// Carries out an action that starts or stops autoplay or changes its speed. Returns a note with the new state. In
    /// the note, the caller must replace names of actions in braces by their keys. `pause` is such a name, for example
    /// `{pause}`, of the action that starts and stops autoplay.
    pub fn apply_autoplay_action(&mut self, action: Action, pause: &str) -> String {
        match action {
            Action::Faster => self.speed = (self.speed + 1).min(MILLISECONDS_PER_MOVE.len() - 1),
            Action::Slower => self.speed = self.speed.saturating_sub(1),
            _ => self.playing = !self.playing,
        }
        self.note_text(pause)
    }

    /// Schedules the next move of autoplay if autoplay is on and `has_next_move` is true; otherwise cancels the
    /// scheduled move.
    pub fn schedule_move(&mut self, has_next_move: bool) {
        let pause = Duration::from_millis(MILLISECONDS_PER_MOVE[self.speed]);
        self.next = (self.playing && has_next_move).then(|| self.now() + pause);
    }

    /// Returns the time on the clock by which autoplay schedules moves.
    pub fn now(&self) -> Instant {
        self.time.monotonic_now()
    }

    pub fn next_move_time(&self) -> Option<Instant> {
        self.next
    }

    /// True if the time of the next scheduled move of autoplay has come.
    pub fn is_autoplay_move_due(&self) -> bool {
        self.next.is_some_and(|next| next <= self.now())
    }

    fn note_text(&self, pause: &str) -> String {
        if !self.playing {
            return format!("Paused; {pause} resumes.");
        }
        let milliseconds = MILLISECONDS_PER_MOVE[self.speed];
        let seconds = milliseconds / 1000;
        let hundredths = milliseconds % 1000 / 10;
        format!(
            "A move every {seconds}.{hundredths:02} s; {{slower}} and {{faster}} change the speed, {pause} pauses."
        )
    }
}
