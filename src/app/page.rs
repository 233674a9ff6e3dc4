//! The pages of the terminal program, and the requests to open them: plain data that every page can construct.

use std::path::{Path, PathBuf};

use super::Result;
use super::exit_report::ExitReport;
use super::harder::HarderOpponent;
use super::tutorial::LessonCourseProgress;
use crate::tui::tutorial::LessonTexts;
use debate_core::chance::Seed;
use debate_core::number::Exact;
use debate_core::player::Move;
use debate_core::protocol::Seat;
use debate_core::scenario::Instance;
use debate_host::PlayersThread;
use debate_host::plan::{DebatePlan, SaveStorageOptions};
use debate_host::record::{Save, SavedDebateProgress, latest_saves_with_moves};
use debate_lab::judgements::RejudgeQueue;
use debate_solver::setup::LoadedScenario;
use debate_study::Study;

/// The hint that shows the command to continue the tutorial.
pub const CONTINUE_HINT: &str = "To continue: debate-tui tutorial";

/// A page of the program.
pub enum AppPage {
    /// The home page.
    Home(HomePageToOpen),
    /// An item that the user picked at home.
    Target {
        /// The item's target.
        target: HomeItemTarget,
        /// The way to open it.
        how: HomeItemOpenMode,
    },
    /// The page on which the user chooses a seat.
    Seat {
        /// The debate to start.
        plan: Box<DebatePlan>,
        /// The moves from which the debate continues; `None` for a new debate.
        played: Option<MovesWithSavePath>,
        /// Options for the save of the debate.
        save_options: SaveStorageOptions,
    },
    /// The lobby: players, rules, seed.
    Lobby {
        /// The debate to start.
        plan: Box<DebatePlan>,
        /// True if the user asked to watch instead of playing.
        watches: bool,
        /// The options of the seat page from which the lobby was opened; leaving the lobby returns to it. `None` if it
        /// was opened from another page.
        seat_page_options: Option<SaveStorageOptions>,
    },
    /// A debate.
    Play(Box<DebateToPlay>),
    /// A step-by-step replay of a debate.
    Replay(Box<ReplayPage>),
    /// Finished debates to judge again.
    Rejudge(Box<RejudgePage>),
    /// A participant's session in a study.
    Study(Box<StudySessionStart>),
    /// The progress of the participants of a study.
    StudyStatus(TerminalStudyStatusPage),
    /// A comparison of two debates side by side.
    Compare(DebatesToCompare),
    /// The next page of the tutorial.
    Tutorial(LessonCourseProgress),
}

impl AppPage {
    /// True if the page is the start of a new debate.
    pub(super) fn is_new_debate(&self) -> bool {
        matches!(self, Self::Play(page) if matches!(page.start, DebateStart::New(_)))
    }

    /// True if the page shows the end of a debate that was played in this run.
    pub(super) fn is_finished_debate(&self) -> bool {
        matches!(self, Self::Play(page) if matches!(page.start, DebateStart::Over(_)))
    }
}

/// The step after a page.
pub(super) enum PageTransition {
    /// Replaces the current page with the given one.
    Open(AppPage),
    /// Opens a page over another one.
    OpenOver {
        /// The page to show.
        next: AppPage,
        /// The page to return to.
        below: AppPage,
    },
    /// Returns to the page below, or ends the program if there is none.
    Back(ExitReport),
}

impl LessonInOrOutsideCourse {
    /// Returns the texts that the tutorial shows beside the debate of its lesson, if the lesson has such texts.
    pub(super) fn lesson_texts(&self) -> Option<LessonTexts> {
        match self {
            Self::LessonCourse(course) => course.texts_of_reached_lesson(),
            Self::Standalone(coach) | Self::Resumed(coach) => Some(*coach),
        }
    }
}

impl PageTransition {
    /// Returns the transition to the page below, with an empty exit report.
    pub(super) fn back_with_empty_report() -> Self {
        Self::Back(ExitReport::default())
    }

    /// Leaves the tutorial and saves its progress, so that the user can continue it later.
    pub(super) fn leave_tutorial(course: &LessonCourseProgress) -> Result<Self> {
        course.save_tutorial_progress()?;
        Ok(Self::Back(ExitReport {
            tutorial: course
                .next_lesson_position()
                .map(|lesson| format!("{lesson}. {CONTINUE_HINT}")),
            ..ExitReport::default()
        }))
    }
}

/// The state in which the home page opens: the selected item, a message, and if hidden debates are shown.
#[derive(Default)]
pub struct HomePageToOpen {
    /// The selected item.
    pub marked: Option<HomeItemTarget>,
    /// A message from the previous page.
    pub notice: Option<String>,
    /// True if hidden debates are shown too.
    pub shows_hidden: bool,
}

/// Upper limit on the number of saves to search for an unfinished debate.
const MAX_SEARCHED: usize = 200;

impl HomePageToOpen {
    /// Returns this home page after a page was left that was opened from it. If a debate was played, a notice says that
    /// it was saved, or why not. After a finished debate, the first item is selected, because it is what to do next.
    pub(super) fn home_page_reopened_with_report(self, report: ExitReport) -> Self {
        let marked = if report.is_over { None } else { self.marked };
        Self {
            marked,
            notice: report.save_notice_for_home(),
            ..self
        }
    }

    /// Returns the home page with the latest unfinished debate selected; hidden debates do not count. If there is none,
    /// selects nothing, and a notice says so.
    pub fn home_page_selecting_latest_unfinished(
        save_options: &SaveStorageOptions,
    ) -> Result<Self> {
        let saves = latest_saves_with_moves(&save_options.saves_folder()?, MAX_SEARCHED)?;
        let mut unfinished = saves.into_iter().filter(|save| {
            save.condition == SavedDebateProgress::Unfinished && !save.label.is_hidden
        });
        let marked = unfinished.next().map(|save| {
            let coach = save
                .header
                .as_ref()
                .and_then(super::home::lesson_texts_of_save);
            HomeItemTarget::Unfinished(save.path, coach)
        });
        // The footer names the keys for the marked debate, and a notice would cover it.
        let notice = match &marked {
            Some(_) => None,
            None => Some("There is no unfinished debate.".to_owned()),
        };
        Ok(Self {
            marked,
            notice,
            shows_hidden: false,
        })
    }
}

/// The page, scenario or debate that an item of the home page opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HomeItemTarget {
    /// The tutorial.
    Tutorial,
    /// A scenario, by name or path.
    Scenario(String),
    /// A scenario of which the seat page marks this seat.
    ScenarioSeat(String, Seat),
    /// An unfinished debate, with the texts of its lesson if it belongs to one.
    Unfinished(PathBuf, Option<LessonTexts>),
    /// A finished debate.
    Finished(PathBuf),
    /// The daily debate of today.
    Daily,
    /// A bundled scenario against the players of a difficulty level.
    Harder(HarderOpponent),
}

impl HomeItemTarget {
    /// Returns the path of the save, if the target is a save.
    pub(super) fn save_path(&self) -> Option<&Path> {
        match self {
            Self::Tutorial
            | Self::Scenario(_)
            | Self::ScenarioSeat(..)
            | Self::Daily
            | Self::Harder(_) => None,
            Self::Unfinished(path, _) | Self::Finished(path) => Some(path),
        }
    }
}

/// The way to open a home item.
#[derive(Clone, Copy)]
pub enum HomeItemOpenMode {
    /// Opens the item as usual: a scenario on its seat page, an unfinished debate to continue it, a finished one as a
    /// replay.
    Plain,
    /// For a scenario, opens the lobby first, to choose players and rules. For the tutorial, opens the choice of
    /// lessons. For a save, opens the replay.
    Arranged,
    /// Replays the item's save. An item without a save is not opened.
    Watched,
    /// Opens the page that compares the debate of the home item under two sets of rules.
    Compared,
}

/// A debate to play.
pub struct DebateToPlay {
    /// The point from which the debate is played: a new debate, a save, or given moves.
    pub start: DebateStart,
    /// Options for the save of the debate.
    pub save_options: SaveStorageOptions,
    /// The debate's role in the tutorial, if the debate belongs to a lesson.
    pub tutor: Option<LessonInOrOutsideCourse>,
    /// The built-in players, if they have been built already.
    pub(super) players: Option<PlayersThread>,
    /// True if the debate retries a finished debate. When the user leaves the retry, the end of the finished debate is
    /// shown again.
    pub(super) is_retry: bool,
    /// The user's result in the debate that this one repeats.
    pub(super) last_result: Option<String>,
}

impl DebateToPlay {
    /// Creates the request to play a debate that belongs to no lesson of the tutorial.
    pub fn new(start: DebateStart, save_options: SaveStorageOptions) -> Self {
        Self {
            start,
            save_options,
            tutor: None,
            players: None,
            is_retry: false,
            last_result: None,
        }
    }
}

impl From<DebateToPlay> for AppPage {
    fn from(page: DebateToPlay) -> Self {
        Self::Play(Box::new(page))
    }
}

/// The state from which a debate starts.
pub enum DebateStart {
    /// A new debate, at its first question.
    New(DebatePlan),
    /// A saved debate, continued after the last move of its save.
    Kept(PathBuf),
    /// A branch of a debate after the given moves. The branch is written to a separate save.
    Branch(DebatePlan, MovesWithSavePath),
    /// A finished debate that was played in this run and is shown again.
    Over(DebateStateAtScreenExit),
}

/// A debate as it was when the user left its screen.
pub struct DebateStateAtScreenExit {
    /// The plan of the debate.
    pub plan: DebatePlan,
    /// All moves so far.
    pub played: MovesWithSavePath,
    /// True if the debate was started anew, not continued from a save or branched from another debate.
    pub was_new: bool,
    /// True if the debate retries a finished debate. When the user leaves the retry, the end of the finished debate is
    /// shown again.
    pub is_retry: bool,
    /// True if the debate was played to its end.
    pub is_over: bool,
    /// The report to print about the debate when the program ends.
    pub exit_report: ExitReport,
}

/// The moves of a debate so far.
#[derive(Clone)]
pub struct MovesWithSavePath {
    /// The moves.
    pub moves: Vec<Move<Exact>>,
    /// The save that contains the moves, if any.
    pub path: Option<PathBuf>,
}

/// The role of a debate in the tutorial. It determines the texts beside the debate and the page that follows it.
#[derive(Clone)]
pub enum LessonInOrOutsideCourse {
    /// A lesson of the tutorial; the tutorial continues after it.
    LessonCourse(LessonCourseProgress),
    /// A lesson's debate that is not the next lesson of the user's course, for example one that the user left for
    /// another lesson. It is finished outside the course.
    Standalone(LessonTexts),
    /// A lesson's debate that the user resumed by naming its save. The tutorial does not continue after it.
    Resumed(LessonTexts),
}

/// A debate to show step by step.
pub struct ReplayPage {
    /// The source of the steps.
    pub source: ReplaySource,
    /// The step to begin with.
    pub begin: ReplayStart,
    /// A message to show when the replay opens.
    pub notice: Option<String>,
    /// Options for the saves of debates that the user branches off from the replay.
    pub save_options: SaveStorageOptions,
}

/// The starting point of a replay.
#[derive(Clone, Copy)]
pub enum ReplayStart {
    /// After this number of steps.
    Step(usize),
    /// The first step of the round with this number.
    Round(u32),
}

/// The viewer of a saved debate, who decides which sealed replies the replay shows.
#[derive(Clone, Copy)]
pub enum ReplayAudience {
    /// An observer who sees everything.
    All,
    /// A seat, from which the sealed replies of the other seats are hidden.
    Seat(Seat),
    /// The human player of the saved debate. The replay shows everything if the debate is over, otherwise only what
    /// this player may see.
    Players,
}

/// The source of the steps of a replay.
pub enum ReplaySource {
    /// A save.
    Save {
        /// The path of the save, as the user gave it.
        path: PathBuf,
        /// The parsed save with its scenario and its instance.
        read: Box<(Save, LoadedScenario, Instance)>,
        /// Its audience.
        audience: ReplayAudience,
    },
    /// A debate that was just played.
    Moves {
        /// The plan of the debate.
        plan: Box<DebatePlan>,
        /// The moves.
        played: MovesWithSavePath,
    },
}

/// Finished debates to judge again.
pub struct RejudgePage {
    pub queue: RejudgeQueue,
    /// The seed from which the order of the debates was drawn.
    pub seed: Seed,
}

/// The study, the participant's id and the language with which a session begins.
pub struct StudySessionStart {
    pub study: Study,
    /// The participant's id, if they gave one.
    pub id: Option<String>,
    /// The language in which the session begins. `None` if the first page asks for it.
    pub language: Option<String>,
}

/// The page of the terminal program that shows an experimenter the progress of a study's participants.
pub struct TerminalStudyStatusPage {
    /// Loads the progress of all participants as lines, the first of which is a heading. Returns an error message if
    /// the progress is not available.
    pub look_up: Box<dyn FnMut() -> Result<Vec<String>, String>>,
}

/// The debates to compare.
pub enum DebatesToCompare {
    /// A scenario, by name or path, debated under plain recursion and under prover-estimator debate.
    Scenario(String),
    /// The instance and the coins of a debate, debated under plain recursion and under prover-estimator debate.
    Usual(Box<DebatePlan>),
    /// These two debates.
    Both(Box<[DebatePlan; 2]>),
}
