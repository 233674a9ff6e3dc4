//! The tutorial: somebody's way through its lessons and what is kept of it, which page comes next on the screen, and
//! those that only have words.

use std::path::{Path, PathBuf};

use super::context::AppContext;
use super::page::{
    AppPage, ComparePage, ComparisonSource, DebateStart, HomePage, HomeTarget, OpenMode, PlayPage,
    Transition, Tutor,
};
use super::{Failure, Result};
use crate::tui::keys::{Action, COMPARE, LECTURE};
use crate::tui::menu::{Lecture, LessonOutcome, NextSteps, Paragraphs};
use crate::tui::tutorial::{
    COMPARED, COMPARISON, COUNT, Coach, FIRST_COURSE, Lesson, Opponents, SCENARIO, TUTORIAL,
    figures, place,
};
use debate_core::budget::Budget;
use debate_core::chance::Seed;
use debate_core::player::Spec;
use debate_core::protocol::Seat;
use debate_lab::analysis::review::{ReviewContext, ReviewError};
use debate_lab::plan::{DebatePlan, SaveOptions, seed, usual_plans};
use debate_lab::record::{RecordError, Save, TutorialProgress};
use debate_lab::registry;
use debate_lab::setup::{Limits, Setup};

/// Debates of which averages are told.
const MANY: u32 = 1000;
/// Other opponents of the liar, to show what the figures depend on: under plain recursion, and
/// under prover-estimator.
const OTHERS: [&str; 2] = ["honest", "stubborn(0.9)"];

/// Opens what comes next in the tutorial.
pub(super) fn tutorial(app: &mut AppContext, mut course: Course) -> Result<Transition> {
    let start = match course.step()? {
        CourseStep::Done => return next_steps(app, &course),
        CourseStep::Page(page) => return lecture(app, course, page),
        CourseStep::Begin(_, plan) => DebateStart::New(*plan),
        CourseStep::Resume(_, path) => DebateStart::Kept(path),
    };
    let page = PlayPage::new(start, course.keeping.clone());
    let tutor = Some(Tutor::Course(course));
    Ok(Transition::Open(PlayPage { tutor, ..page }.into()))
}

/// The page after a course: choices, the first of which is the second course, and the last home.
fn next_steps(app: &mut AppContext, course: &Course) -> Result<Transition> {
    let keys = app.keys();
    let goes_on = !course.is_over();
    let second = goes_on.then(|| {
        let what = "Four short lessons on other rules, for computations that no judge could follow. \
                    debate-tui tutorial";
        ("A second course".to_owned(), what.to_owned())
    });
    let choices = TUTORIAL.next.iter().map(|next| {
        let detail = format!("{} debate-tui {}", next.about, next.scenario);
        (next.label.to_owned(), detail)
    });
    let home = "All scenarios, your unfinished debates, and this tutorial again. debate-tui";
    let choices = second
        .into_iter()
        .chain(choices)
        .chain([("Home".to_owned(), home.to_owned())]);
    let done = if goes_on {
        TUTORIAL.done
    } else {
        TUTORIAL.second_done
    };
    let page = &mut NextSteps::new("What next?", done, choices, &keys);
    let Some(chosen) = app.show(page)? else {
        return Ok(Transition::back());
    };
    let Some(chosen) = chosen.checked_sub(usize::from(goes_on)) else {
        let second = Course::open(&course.keeping, Some(FIRST_COURSE))?;
        return Ok(Transition::Open(AppPage::Tutorial(second)));
    };
    let home = AppPage::Home(HomePage::default());
    let Some(next) = TUTORIAL.next.get(chosen) else {
        return Ok(Transition::Open(home));
    };
    Ok(Transition::OpenOver {
        next: AppPage::Target {
            target: HomeTarget::Scenario(next.scenario.to_owned()),
            how: OpenMode::Plain,
        },
        below: home,
    })
}

/// The last lesson: a page, two debates side by side, and a page with figures.
fn lecture(app: &mut AppContext, mut course: Course, page: usize) -> Result<Transition> {
    let title = format!("{}: {LAST}", place(COMPARISON));
    let comparison = Comparison::new()?;
    let keys = app.keys();
    let went = match page {
        0 => {
            let mut paragraphs = before();
            let on = keys.called(LECTURE, Action::Onward);
            let plays = keys.called(COMPARE, Action::Auto);
            let how = format!("Go on with {on}; then {plays} plays both.");
            paragraphs.push((String::new(), how));
            app.show(&mut Lecture::new(&title, paragraphs, &keys))?
        }
        1 => {
            return Ok(Transition::Open(AppPage::Compare(ComparePage {
                plans: ComparisonSource::Both(Box::new(comparison.plans)),
                course: Some(course),
            })));
        }
        _ => {
            let work = comparison.figures()?;
            let page = Lecture::new(&title, Paragraphs::new(), &keys);
            app.show(&mut page.with_figures(work, after(), &app.waker()))?;
            // Whoever leaves the last page has read it.
            LessonOutcome::Continue
        }
    };
    match went {
        LessonOutcome::Continue => {
            course.turn_page()?;
            Ok(Transition::Open(AppPage::Tutorial(course)))
        }
        LessonOutcome::Leave => Transition::leave(&course),
    }
}

/// The liar of the first lesson under both sets of rules.
pub struct Comparison {
    pub plans: [DebatePlan; 2],
}

impl Comparison {
    pub fn new() -> Result<Self> {
        let seed = seed(Some(TUTORIAL.lessons[0].seed))?;
        let plans = usual_plans(&planned(SCENARIO, seed, COMPARED)?)?;
        Ok(Self { plans })
    }

    /// Finds what can be said of both in figures.
    pub fn figures(
        &self,
    ) -> Result<impl FnOnce(Budget<'_>) -> Result<Paragraphs, ReviewError> + Send + 'static + use<>>
    {
        let instance = self.plans[0].instance();
        let case = |plan: &DebatePlan, opponent: Option<&str>| -> Result<ReviewContext> {
            let mut players = plan.players.clone();
            if let Some(name) = opponent {
                players[Seat::Opponent.index()] = Spec::parse(name)?;
            }
            let registry = registry().with(plan.setup.player_files());
            let rules = &plan.protocol;
            let own = Default::default();
            Ok(ReviewContext::new(&instance, rules, players, own, registry))
        };
        let [recursive, estimated] = &self.plans;
        let cases: Opponents = [
            [case(recursive, None)?, case(recursive, Some(OTHERS[0]))?],
            [case(estimated, None)?, case(estimated, Some(OTHERS[1]))?],
        ];
        let kinds = self.plans.each_ref().map(|plan| plan.protocol.kind());
        let seed = recursive.seed.clone();
        Ok(move |watch: Budget<'_>| figures(&cases, kinds, &seed, MANY, watch))
    }
}

/// The pages of the last lesson.
const PAGES: usize = 3;
/// The name of the last lesson.
pub const LAST: &str = "The same liar under two sets of rules";

/// The progress in the tutorial, in a few words: "lesson 2 of 4".
pub(super) fn how_far(folder: &Path) -> String {
    let progress = TutorialProgress::read(folder);
    match progress.done {
        0 if progress.save.is_none() => "four short lessons".to_owned(),
        done if done >= COUNT => "done".to_owned(),
        FIRST_COURSE if progress.save.is_none() => "done; a second course".to_owned(),
        done => place(done).to_lowercase(),
    }
}

/// True if the first course is done.
pub(super) fn is_done(folder: &Path) -> bool {
    TutorialProgress::read(folder).done >= FIRST_COURSE
}

/// The lessons by name, those of the first course and those of the second.
pub(super) fn titles() -> [Vec<&'static str>; 2] {
    let (first, second) = TUTORIAL.lessons.split_at(COMPARISON);
    let names = |lessons: &[Lesson]| lessons.iter().map(|lesson| lesson.title).collect();
    let mut first: Vec<&str> = names(first);
    first.push(LAST);
    [first, names(second)]
}

/// The coach of a debate that follows a lesson of the tutorial.
pub fn coach(plan: &DebatePlan) -> Option<Coach> {
    Coach::of(&plan.setup.source, &plan.seed, &plan.names())
}

/// Somebody's way through the lessons.
#[derive(Clone)]
pub struct Course {
    /// The saves of its debates.
    pub keeping: SaveOptions,
    /// The folder of the progress; `None`: it is not kept.
    folder: Option<PathBuf>,
    progress: TutorialProgress,
    /// The number of lessons up to the end of the course.
    end: usize,
    /// True if all lessons had been done when it was taken up.
    pub(super) is_complete: bool,
    /// True if the debate of the lesson was begun here and is played again, from other coins.
    is_repeated: bool,
}

/// The next step of the tutorial.
pub enum CourseStep {
    /// The debate of a lesson, from its start.
    Begin(Coach, Box<DebatePlan>),
    /// The debate of a lesson, where it was left.
    Resume(Coach, PathBuf),
    /// A page of the last lesson, counted from 0.
    Page(usize),
    /// Nothing: all is done.
    Done,
}

impl Course {
    /// Takes it up where it was left, or at the beginning of a lesson, counted from 0.
    pub fn open(keeping: &SaveOptions, lesson: Option<usize>) -> Result<Self> {
        let folder = (!keeping.no_save).then(|| keeping.folder()).transpose()?;
        let kept = folder
            .as_deref()
            .map(TutorialProgress::read)
            .unwrap_or_default();
        let is_complete = kept.done >= COUNT;
        let progress = match lesson {
            Some(done) => TutorialProgress {
                done,
                ..TutorialProgress::default()
            },
            // A complete course begins again.
            None if is_complete => TutorialProgress::default(),
            None => kept,
        };
        Ok(Self {
            keeping: keeping.clone(),
            folder,
            end: if progress.done < FIRST_COURSE {
                FIRST_COURSE
            } else {
                COUNT
            },
            progress,
            is_complete,
            is_repeated: false,
        })
    }

    /// The next step.
    pub fn step(&mut self) -> Result<CourseStep> {
        while let Some(coach) = self.coach() {
            let lesson = coach.debate();
            let Some(path) = self.progress.save.clone() else {
                let seed = if self.is_repeated {
                    another_seed(lesson)
                } else {
                    seed(Some(lesson.seed))?
                };
                let plan = planned(lesson.scenario, seed, lesson.players)?;
                return Ok(CourseStep::Begin(coach, Box::new(plan)));
            };
            let save = Save::read(&path).map_err(|error| self.stuck(&path, &error))?;
            if save.end().is_none() {
                return Ok(CourseStep::Resume(coach, path));
            }
            self.finish()?;
        }
        Ok(if self.progress.done == COMPARISON {
            CourseStep::Page(self.progress.page)
        } else {
            CourseStep::Done
        })
    }

    /// The coach of the lesson that comes next in the course.
    pub(super) fn coach(&self) -> Option<Coach> {
        Coach::at(self.progress.done).filter(|_| self.progress.done < self.end)
    }

    /// True once both courses are done.
    pub fn is_over(&self) -> bool {
        self.progress.done >= COUNT
    }

    /// True if this save is the debate that was left in the lesson that comes next.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        self.progress.save.as_deref() == Some(path)
    }

    /// The lesson that comes next; `None` where the course is done.
    pub fn place(&self) -> Option<String> {
        (self.progress.done < self.end).then(|| place(self.progress.done))
    }

    /// Keeps how far it has come.
    pub(super) fn keep(&self) -> Result {
        if let Some(folder) = &self.folder {
            self.progress.keep(folder)?;
        }
        Ok(())
    }

    /// Notes that the lesson is done.
    pub fn finish(&mut self) -> Result {
        self.is_repeated = false;
        self.progress = TutorialProgress {
            done: self.progress.done + 1,
            ..TutorialProgress::default()
        };
        self.keep()
    }

    /// Notes where the lesson's debate is kept.
    pub fn begin(&mut self, save: Option<&Path>) -> Result {
        self.progress.save = save.map(Path::to_owned);
        self.keep()
    }

    /// The lesson's debate comes again: from other coins, where it was begun here.
    pub(super) fn repeat(&mut self, begun_here: bool) {
        self.progress.save = None;
        self.is_repeated = begun_here;
    }

    /// Notes that a page of the last lesson was read.
    pub(super) fn turn_page(&mut self) -> Result {
        if self.progress.page + 1 >= PAGES {
            return self.finish();
        }
        self.progress.page += 1;
        self.keep()
    }

    fn stuck(&self, path: &Path, error: &RecordError) -> Failure {
        Failure::input(format!(
            "{}: {error}; debate-tui tutorial --lesson {} begins the lesson anew",
            path.display(),
            self.progress.done + 1
        ))
    }
}

/// Other coins for a lesson. The seed still says which lesson it is.
fn another_seed(lesson: &Lesson) -> Seed {
    let random = Seed::random(&mut rand::rng());
    let named = Seed::new(format!("{} {}", lesson.seed, random.as_str()));
    named.unwrap_or(random)
}

/// A debate of a lesson's scenario.
pub(super) fn planned(scenario: &str, seed: Seed, players: [&str; 3]) -> Result<DebatePlan> {
    let setup = Setup::bundled(scenario, &Limits::default())?;
    let protocol = setup.protocol.clone();
    let [prover, opponent, judge] = players.map(|name| Spec::parse(name).map_err(Failure::input));
    Ok(DebatePlan {
        fixed_world: true,
        ..DebatePlan::new(setup, protocol, seed, [prover?, opponent?, judge?])
    })
}

fn untitled(texts: &[&str]) -> Paragraphs {
    let paragraphs = texts.iter().map(|text| (String::new(), (*text).to_owned()));
    paragraphs.collect()
}

/// The text before the comparison.
pub fn before() -> Paragraphs {
    untitled(&TUTORIAL.before)
}

/// The text below its figures.
pub fn after() -> Paragraphs {
    untitled(&[TUTORIAL.after])
}
