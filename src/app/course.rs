//! Somebody's way through the lessons of the tutorial: what comes next, and what is kept of it.

use std::path::{Path, PathBuf};

use super::Failure;
use crate::tui::menu::Paragraphs;
use crate::tui::tutorial::{
    AFTER, BEFORE, COMPARISON, COUNT, Coach, FIRST_COURSE, LESSONS, Lesson, place,
};
use debate_core::chance::Seed;
use debate_core::player::Spec;
use debate_lab::plan::{DebatePlan, SaveOptions, seed};
use debate_lab::record::{RecordError, Save, TutorialProgress};
use debate_lab::setup::{Limits, Setup};

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
    let (first, second) = LESSONS.split_at(COMPARISON);
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
    /// How many lessons there are up to the end of the course.
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
    pub fn open(keeping: &SaveOptions, lesson: Option<usize>) -> Result<Self, Failure> {
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
    pub fn step(&mut self) -> Result<CourseStep, Failure> {
        while let Some(coach) = self.coach()
            && let Some(lesson) = coach.debate()
        {
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
    pub(super) fn keep(&self) -> Result<(), Failure> {
        if let Some(folder) = &self.folder {
            self.progress.keep(folder)?;
        }
        Ok(())
    }

    /// Notes that the lesson is done.
    pub fn finish(&mut self) -> Result<(), Failure> {
        self.is_repeated = false;
        self.progress = TutorialProgress {
            done: self.progress.done + 1,
            ..TutorialProgress::default()
        };
        self.keep()
    }

    /// Notes where the lesson's debate is kept.
    pub fn begin(&mut self, save: Option<&Path>) -> Result<(), Failure> {
        self.progress.save = save.map(Path::to_owned);
        self.keep()
    }

    /// The lesson's debate comes again: from other coins, where it was begun here.
    pub(super) fn repeat(&mut self, begun_here: bool) {
        self.progress.save = None;
        self.is_repeated = begun_here;
    }

    /// Notes that a page of the last lesson was read.
    pub(super) fn turn_page(&mut self) -> Result<(), Failure> {
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
pub(super) fn planned(
    scenario: &str,
    seed: Seed,
    players: [&str; 3],
) -> Result<DebatePlan, Failure> {
    let setup = Setup::bundled(scenario, &Limits::default()).map_err(Failure::input)?;
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
    untitled(BEFORE)
}

/// The text below its figures.
pub fn after() -> Paragraphs {
    untitled(&[AFTER])
}
