//! The pages, each with what it needs to be shown: plain data that any page can make.

use std::path::{Path, PathBuf};

use super::Result;
use super::exit_report::ExitReport;
use super::tutorial::Course;
use crate::tui::tutorial::Coach;
use debate_core::chance::Seed;
use debate_core::number::Exact;
use debate_core::player::Move;
use debate_core::protocol::Seat;
use debate_core::scenario::Instance;
use debate_host::PlayerThread;
use debate_host::plan::{DebatePlan, SaveOptions};
use debate_host::record::{Save, SaveCondition, latest};
use debate_lab::judgements::RejudgeQueue;
use debate_solver::setup::Setup;
use debate_study::Study;

/// The command to go on in the tutorial.
pub const TO_GO_ON: &str = "To go on: debate-tui tutorial";

/// A page of the program.
pub enum AppPage {
    /// Home.
    Home(HomePage),
    /// An item that was picked at home.
    Target {
        /// The target of the item.
        target: HomeTarget,
        /// The way in which it is opened.
        how: OpenMode,
    },
    /// Which seat the user takes.
    Seat {
        /// The debate to come.
        plan: Box<DebatePlan>,
        /// Its start, unless that is its first question.
        played: Option<PlayedMoves>,
        /// Its save.
        keeping: SaveOptions,
    },
    /// The lobby: players, rules, seed.
    Lobby {
        /// The debate to come.
        plan: Box<DebatePlan>,
        /// True if the user asked to watch.
        watches: bool,
    },
    /// A debate.
    Play(Box<PlayPage>),
    /// A debate that was played, step by step.
    Replay(Box<ReplayPage>),
    /// Finished debates to judge again.
    Rejudge(Box<RejudgePage>),
    /// A participant's way through a study.
    Study(Box<StudyRun>),
    /// How far the participants of a study are.
    StudyStatus(StudyStatusPage),
    /// One debate under two sets of rules.
    Compare(ComparisonSource),
    /// The next page of the tutorial.
    Tutorial(Course),
}

/// The step after a page.
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
    /// The coach.
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
    pub(super) fn leave(course: &Course) -> Result<Self> {
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
    /// The marked item.
    pub marked: Option<HomeTarget>,
    /// A sentence on the page before.
    pub notice: Option<String>,
    /// True if hidden debates are shown too.
    pub shows_hidden: bool,
}

/// The most saves among which an unfinished one is looked for.
const MAX_SEARCHED: usize = 200;

impl HomePage {
    /// Home with the latest unfinished debate marked.
    pub fn of_unfinished(keeping: &SaveOptions) -> Result<Self> {
        let saves = latest(&keeping.folder()?, MAX_SEARCHED)?;
        let mut unfinished = saves
            .into_iter()
            .filter(|save| save.condition == SaveCondition::Unfinished && !save.label.is_hidden);
        let marked = unfinished.next().map(|save| {
            let coach = save.header.as_ref().and_then(super::home::coach);
            HomeTarget::Unfinished(save.path, coach)
        });
        let notice = match &marked {
            Some(_) => "Mark an unfinished debate and press enter to continue it.",
            None => "There is no unfinished debate.",
        };
        Ok(Self {
            marked,
            notice: Some(notice.to_owned()),
            shows_hidden: false,
        })
    }
}

/// The target of an item of home.
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

impl HomeTarget {
    /// The save, where it is one.
    pub(super) fn save(&self) -> Option<&Path> {
        match self {
            Self::Tutorial | Self::Scenario(_) => None,
            Self::Unfinished(path, _) | Self::Finished(path) => Some(path),
        }
    }
}

/// The way in which an item of home is opened.
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
    /// Its start.
    pub start: DebateStart,
    /// Its save.
    pub keeping: SaveOptions,
    /// The coach, where it is a lesson's.
    pub tutor: Option<Tutor>,
    /// Its built-in players, where they are built already.
    pub(super) players: Option<PlayerThread>,
}

impl PlayPage {
    /// A debate that nobody explains.
    pub fn new(start: DebateStart, keeping: SaveOptions) -> Self {
        Self {
            start,
            keeping,
            tutor: None,
            players: None,
        }
    }
}

impl From<PlayPage> for AppPage {
    fn from(page: PlayPage) -> Self {
        Self::Play(Box::new(page))
    }
}

/// The start of a debate.
pub enum DebateStart {
    /// At its first question.
    New(DebatePlan),
    /// At the end of this save.
    Kept(PathBuf),
    /// After these moves, in a save of its own.
    Branch(DebatePlan, PlayedMoves),
    /// At its end: it was played here, and is shown again.
    Over(ShownDebate),
}

/// A debate that was shown, as it stood when it was left.
pub struct ShownDebate {
    /// The plan of the debate.
    pub plan: DebatePlan,
    /// All that was said.
    pub played: PlayedMoves,
    /// True if it began with its first question.
    pub was_new: bool,
    /// True if it was played to its end.
    pub is_over: bool,
    /// The report on it.
    pub exit_report: ExitReport,
}

/// The moves of a debate so far.
#[derive(Clone)]
pub struct PlayedMoves {
    /// The moves.
    pub moves: Vec<Move<Exact>>,
    /// The save that has them, if there is one.
    pub path: Option<PathBuf>,
}

/// The coach of a debate, and what follows it.
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
    /// The source of its steps.
    pub source: ReplaySource,
    /// The step to begin with.
    pub begin: ReplayStart,
    /// A sentence to say at first.
    pub notice: Option<String>,
    /// The saves of its variations.
    pub keeping: SaveOptions,
}

/// The start of a replay.
#[derive(Clone, Copy)]
pub enum ReplayStart {
    /// After so many steps.
    Step(usize),
    /// The first step of a round.
    Round(u32),
}

/// The audience of a save.
#[derive(Clone, Copy)]
pub enum Audience {
    /// Somebody who sees everything.
    All,
    /// A seat, from which the others' seals are kept.
    Seat(Seat),
    /// Everybody where the debate is over; where it is not, whoever plays it.
    Players,
}

/// The source of the steps of a replay.
pub enum ReplaySource {
    /// A save.
    Save {
        /// By what it is called.
        path: PathBuf,
        /// The save as it was read, with the scenario and the instance in it.
        read: Box<(Save, Setup, Instance)>,
        /// Its audience.
        seen_by: Audience,
    },
    /// A debate that was just played.
    Moves {
        /// The plan of the debate.
        plan: Box<DebatePlan>,
        /// The moves.
        played: PlayedMoves,
    },
}

/// Finished debates to judge again.
pub struct RejudgePage {
    pub queue: RejudgeQueue,
    /// The seed of their order.
    pub seed: Seed,
}

/// A participant of a study.
pub struct StudyRun {
    pub study: Study,
    /// The name that they came with.
    pub id: Option<String>,
}

/// How far the participants of a study are.
pub struct StudyStatusPage {
    /// Looks it up: lines, the first of them a heading; or why they cannot be had.
    pub look_up: Box<dyn FnMut() -> Result<Vec<String>, String>>,
}

/// The debates that are compared.
pub enum ComparisonSource {
    /// A scenario, by name or path, under the usual rules.
    Scenario(String),
    /// A debate under the usual rules.
    Usual(Box<DebatePlan>),
    /// These two.
    Both(Box<[DebatePlan; 2]>),
}
