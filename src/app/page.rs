//! The pages, each with what it needs to be shown: plain data that any page can make.

use std::path::PathBuf;

use super::Failure;
use super::course::Course;
use super::exit_report::ExitReport;
use super::plan::{DebatePlan, SaveOptions};
use crate::tui::tutorial::Coach;
use debate_core::number::Exact;
use debate_core::player::Move;
use debate_core::protocol::Seat;
use debate_core::scenario::Instance;
use debate_lab::record::Save;
use debate_lab::setup::Setup;

/// How to go on in the tutorial.
pub const TO_GO_ON: &str = "To go on: debate-tui tutorial";

/// A page of the program.
pub enum AppPage {
    /// What can be opened.
    Home(HomePage),
    /// The settings as a form; then home, with this item marked.
    Settings {
        /// What is marked there.
        marked: Option<HomeTarget>,
    },
    /// What was picked at home.
    Target {
        /// What it is.
        target: HomeTarget,
        /// What is done with it.
        how: OpenMode,
    },
    /// Which seat the user takes.
    Seat {
        /// The debate to come.
        plan: Box<DebatePlan>,
        /// Where it begins, unless that is its first question.
        played: Option<PlayedMoves>,
        /// Whether and where it is kept.
        keeping: SaveOptions,
    },
    /// Who plays, by which rules, from which seed.
    Lobby {
        /// The debate to come.
        plan: Box<DebatePlan>,
        /// Whether the user asked to watch.
        watches: bool,
    },
    /// A debate.
    Play(Box<PlayPage>),
    /// A debate that was played, step by step.
    Replay(Box<ReplayPage>),
    /// The same under two sets of rules.
    Compare(ComparePage),
    /// The next page of the tutorial.
    Tutorial(Course),
}

/// What comes after a page.
pub(super) enum Transition {
    /// Another page in its place.
    Open(AppPage),
    /// Another page; after it, the one below.
    OpenOver {
        /// The page to show.
        next: AppPage,
        /// The page to come back to.
        below: AppPage,
    },
    /// The page below, or the end of all.
    Back(ExitReport),
}

impl Tutor {
    /// Who explains it.
    pub(super) fn coach(&self) -> Option<Coach> {
        match self {
            Self::Course(course) => course.coach(),
            Self::Standalone(coach) | Self::Resumed(coach) => Some(*coach),
        }
    }
}

impl Transition {
    /// Back, with nothing left to say.
    pub(super) fn back() -> Self {
        Self::Back(ExitReport::default())
    }

    /// Leaves the tutorial, which can be gone on with.
    pub(super) fn leave(course: &Course) -> Result<Self, Failure> {
        course.keep()?;
        Ok(Self::Back(ExitReport {
            tutorial: course.place().map(|place| format!("{place}. {TO_GO_ON}")),
            ..ExitReport::default()
        }))
    }
}

/// Home: what can be opened.
#[derive(Default)]
pub struct HomePage {
    /// What is marked.
    pub marked: Option<HomeTarget>,
    /// What came of the page before, to say.
    pub said: Option<String>,
}

/// What an item of home leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HomeTarget {
    /// The tutorial.
    Tutorial,
    /// A scenario, by name or path.
    Scenario(String),
    /// A debate that goes on, with who explains it where it is a lesson's.
    Unfinished(PathBuf, Option<Coach>),
    /// A debate that was played.
    Finished(PathBuf),
}

/// What is done with an item of home.
#[derive(Clone, Copy)]
pub enum OpenMode {
    /// It is opened.
    Plain,
    /// It is said first who plays by which rules.
    Arranged,
    /// It is watched again.
    Watched,
    /// It is seen under two sets of rules.
    Compared,
}

/// A debate to play.
pub struct PlayPage {
    /// Where it begins.
    pub start: DebateStart,
    /// Whether and where it is kept.
    pub keeping: SaveOptions,
    /// Who explains it, where it is a lesson's.
    pub tutor: Option<Tutor>,
}

/// Where a debate begins.
pub enum DebateStart {
    /// At its first question.
    New(DebatePlan),
    /// Where this save stands.
    Kept(PathBuf),
    /// Where these moves stand, in a save of its own.
    Branch(DebatePlan, PlayedMoves),
    /// At its end: it was played here, and is shown again.
    Over(ShownDebate),
}

/// A debate that was shown, as it stood when it was left.
pub struct ShownDebate {
    /// Who played what.
    pub plan: DebatePlan,
    /// All that was said.
    pub played: PlayedMoves,
    /// Whether it began with its first question.
    pub was_new: bool,
    /// Whether it was played to its end.
    pub is_over: bool,
    /// What is left to say of it.
    pub exit_report: ExitReport,
}

/// What was said in a debate so far.
#[derive(Clone)]
pub struct PlayedMoves {
    /// The moves.
    pub moves: Vec<Move<Exact>>,
    /// The save that has them, if there is one.
    pub path: Option<PathBuf>,
}

/// Who explains a debate, and what follows it.
#[derive(Clone)]
pub enum Tutor {
    /// A lesson of the tutorial, which goes on after it.
    Course(Course),
    /// A lesson that was left for another one: it is finished for itself.
    Standalone(Coach),
    /// A lesson that was resumed by name: nothing follows.
    Resumed(Coach),
}

/// A debate to show step by step.
pub struct ReplayPage {
    /// Where its steps come from.
    pub source: ReplaySource,
    /// Where to begin.
    pub begin: ReplayStart,
    /// What is said at first.
    pub said: Option<String>,
    /// Whether and where variations of it are kept.
    pub keeping: SaveOptions,
}

/// Where a replay begins.
#[derive(Clone, Copy)]
pub enum ReplayStart {
    /// After so many steps.
    Step(usize),
    /// Where a round begins.
    Round(u32),
}

/// Who looks at a save.
#[derive(Clone, Copy)]
pub enum Audience {
    /// Somebody who sees everything.
    All,
    /// A seat, from which the others' seals are kept.
    Seat(Seat),
    /// Everybody where the debate is over; where it is not, whoever plays it.
    Players,
}

/// Where the steps of a replay come from.
pub enum ReplaySource {
    /// A save.
    Save {
        /// By what it is called.
        path: PathBuf,
        /// The save as it was read, with the scenario and the instance in it.
        read: Box<(Save, Setup, Instance)>,
        /// Who looks at it.
        seen_by: Audience,
    },
    /// A debate that was just played.
    Moves {
        /// Who played what.
        plan: Box<DebatePlan>,
        /// What was said.
        played: PlayedMoves,
        /// Whether nothing comes by itself, as in a lesson.
        waits: bool,
    },
}

/// Two debates to show side by side.
pub struct ComparePage {
    /// What is compared.
    pub plans: Compared,
    /// The tutorial, where this is a part of it.
    pub course: Option<Course>,
}

/// What is compared.
pub enum Compared {
    /// A scenario, by name or path, under the usual rules.
    Scenario(String),
    /// A debate under the usual rules.
    Usual(Box<DebatePlan>),
    /// These two.
    Both(Box<[DebatePlan; 2]>),
}
