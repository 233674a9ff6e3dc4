//! The tutorial: the user's progress through its lessons, the choice of the next page, and the pages of text.

use std::path::{Path, PathBuf};

use super::context::AppContext;
use super::page::{
    AppPage, DebateStart, DebateToPlay, HomeItemOpenMode, HomeItemTarget, HomePageToOpen,
    LessonInOrOutsideCourse, PageTransition,
};
use super::{CommandFailure, Result};
use crate::tui::menu::{ChoicePage, Paragraphs, ReadingPage};
use crate::tui::tutorial::{
    COMPARISON_LESSON, COMPARISON_OPPONENTS, COMPARISON_PAGES, FIRST_COURSE_COUNT, LESSON_COUNT,
    Lesson, LessonTexts, TUTORIAL, liar_gain_bars, position_in_course,
};
use debate_core::budget::ComputationBudget;
use debate_core::chance::Seed;
use debate_core::player::PlayerSpec;
use debate_host::plan::{DebatePlan, SaveStorageOptions, given_or_random_seed};
use debate_host::record::{Save, SaveFileError, TutorialProgress};
use debate_solver::analysis::review::{ReviewContext, ReviewError};
use debate_solver::registry;

/// Opens the next step of the tutorial.
pub(super) fn show_next_lesson(
    app: &mut AppContext,
    mut course: LessonCourseProgress,
) -> Result<PageTransition> {
    let start = match course.advance_to_next_step()? {
        CourseStep::Done => return show_next_steps(app, &course),
        CourseStep::Figures => return show_comparison_results(app, course),
        CourseStep::Begin(_, plan) => DebateStart::New(*plan),
        CourseStep::Resume(_, path) => DebateStart::Kept(path),
    };
    let page = DebateToPlay::new(start, course.save_options.clone());
    let tutor = Some(LessonInOrOutsideCourse::LessonCourse(course));
    Ok(PageTransition::Open(DebateToPlay { tutor, ..page }.into()))
}

/// Shows the page on which the user picks a lesson.
pub(super) fn show_lesson_choice(
    app: &mut AppContext,
    save_options: &SaveStorageOptions,
) -> Result<PageTransition> {
    let progress = LessonCourseProgress::open(save_options, None)?.progress;
    let keys = app.keys();
    let choices = lesson_titles_by_course().concat().into_iter().enumerate();
    let choices = choices.map(|(lesson, title)| {
        let state = match (progress.is_completed(lesson), progress.next == lesson) {
            (true, _) => "done",
            (false, true) => "next",
            (false, false) => "",
        };
        (
            format!("{}: {title}", position_in_course(lesson)),
            state.to_owned(),
        )
    });
    let text = "You can play each lesson separately. A chosen lesson begins from the start.";
    let page = &mut ChoicePage::new("Lessons", text, choices, &keys);
    let Some(lesson) = app.show(page)? else {
        return Ok(PageTransition::back_with_empty_report());
    };
    let course = LessonCourseProgress::open(save_options, Some(lesson))?;
    Ok(PageTransition::Open(AppPage::Tutorial(course)))
}

/// Shows the user's choices after a course of the tutorial. The first choice is the second course, if it is not done;
/// the last choice is home.
fn show_next_steps(app: &mut AppContext, course: &LessonCourseProgress) -> Result<PageTransition> {
    let keys = app.keys();
    let continues = !course.is_second_course_done();
    let second = continues.then(|| {
        let what = "Four short lessons on other rules, for computations that no judge could follow. \
                    debate-tui tutorial 5";
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
    let done = if continues {
        TUTORIAL.done
    } else {
        TUTORIAL.second_done
    };
    let page = &mut ChoicePage::new("What next?", done, choices, &keys);
    let Some(chosen) = app.show(page)? else {
        return Ok(PageTransition::back_with_empty_report());
    };
    let Some(chosen) = chosen.checked_sub(usize::from(continues)) else {
        let second = LessonCourseProgress::open(&course.save_options, Some(FIRST_COURSE_COUNT))?;
        return Ok(PageTransition::Open(AppPage::Tutorial(second)));
    };
    let home = AppPage::Home(HomePageToOpen::default());
    let Some(next) = TUTORIAL.next.get(chosen) else {
        return Ok(PageTransition::Open(home));
    };
    Ok(PageTransition::OpenOver {
        next: AppPage::Target {
            target: HomeItemTarget::Scenario(next.scenario.to_owned()),
            how: HomeItemOpenMode::Plain,
        },
        below: home,
    })
}

/// Shows the last pages of the comparison: a bar for each debate with the difference in a sentence, and a table of
/// average losses.
fn show_comparison_results(
    app: &mut AppContext,
    mut course: LessonCourseProgress,
) -> Result<PageTransition> {
    let title = format!(
        "{}: {LAST_LESSON_NAME}",
        position_in_course(COMPARISON_LESSON)
    );
    let comparison_computation = prepare_tutorial_comparison_chart()?;
    let keys = app.keys();
    let page = ReadingPage::new(&title, Paragraphs::new(), &keys);
    let [below, losses] = tutorial_comparison_texts();
    app.show(&mut page.with_figures(comparison_computation, below, &app.waker()))?;
    app.show(&mut ReadingPage::new(&title, losses, &keys))?;
    // A user who leaves the last page has read it.
    course.record_end_of_lesson()?;
    Ok(PageTransition::Open(AppPage::Tutorial(course)))
}

/// Returns the computation of the bars on the tutorial's comparison page.
pub fn prepare_tutorial_comparison_chart()
-> Result<impl FnOnce(ComputationBudget<'_>) -> Result<Paragraphs, ReviewError> + Send + 'static> {
    let debate = |page: usize| -> Result<ReviewContext> {
        let lesson = &TUTORIAL.lessons[COMPARISON_LESSON + page];
        let plan = plan_of_lesson(lesson, given_or_random_seed(Some(lesson.seed))?)?;
        let mut players = plan.players.clone();
        players[lesson.user_seat().seat_index()] = PlayerSpec::parse(COMPARISON_OPPONENTS[page])?;
        let own = Default::default();
        let instance = plan.instance();
        let rules = &plan.protocol;
        Ok(ReviewContext::new(
            &instance,
            rules,
            players,
            own,
            registry(),
        ))
    };
    let debates = [debate(0)?, debate(1)?];
    let seed = given_or_random_seed(None)?;
    Ok(move |budget: ComputationBudget<'_>| {
        Ok(untitled_paragraphs(&liar_gain_bars(
            &debates, &seed, budget,
        )?))
    })
}

/// The name of the last lesson of the first course.
pub const LAST_LESSON_NAME: &str = "The same liar under two sets of rules";

/// Returns the progress in the tutorial as a short phrase: "lesson 2 of 4".
pub(super) fn tutorial_progress_phrase(folder: &Path) -> String {
    let progress = TutorialProgress::read_tutorial_progress(folder);
    let is_first_done = is_first_course_done(folder);
    match next_lesson(&progress) {
        0 if progress.save.is_none() => "two courses of four lessons".to_owned(),
        next if next >= LESSON_COUNT => "done".to_owned(),
        FIRST_COURSE_COUNT if is_first_done && progress.save.is_none() => {
            "done; a second course".to_owned()
        }
        next => position_in_course(next).to_lowercase(),
    }
}

/// True if the first course is done.
pub(super) fn is_first_course_done(folder: &Path) -> bool {
    let progress = TutorialProgress::read_tutorial_progress(folder);
    (0..FIRST_COURSE_COUNT).all(|lesson| progress.is_completed(lesson))
}

/// Returns the index of the lesson to continue with: `progress.next`, or the first lesson after it that is not
/// completed. After the last lesson, the search continues at the first. [`LESSON_COUNT`] if all lessons are completed.
fn next_lesson(progress: &TutorialProgress) -> usize {
    let left = progress.next;
    let mut others = (left..LESSON_COUNT).chain(0..left);
    others
        .find(|lesson| !progress.is_completed(*lesson))
        .unwrap_or(LESSON_COUNT)
}

/// Returns the titles of the lessons of the first course and of the second.
pub(super) fn lesson_titles_by_course() -> [Vec<&'static str>; 2] {
    let title = |lesson| match lesson {
        COMPARISON_LESSON => Some(LAST_LESSON_NAME),
        _ => {
            LessonTexts::texts_of_debate_page(lesson, 0).map(|coach| coach.lesson_of_texts().title)
        }
    };
    let titles = (0..LESSON_COUNT).filter_map(title).collect::<Vec<_>>();
    let (first, second) = titles.split_at(FIRST_COURSE_COUNT);
    [first.to_vec(), second.to_vec()]
}

/// Returns the texts of the lesson to which a plan's debate belongs; `None` if it belongs to no lesson.
pub fn lesson_texts_of_plan(plan: &DebatePlan) -> Option<LessonTexts> {
    LessonTexts::texts_of_lesson_save(&plan.setup.source, &plan.seed, &plan.player_names())
}

/// A user's progress through the lessons.
#[derive(Clone)]
pub struct LessonCourseProgress {
    /// Options for the saves of the tutorial's debates.
    pub save_options: SaveStorageOptions,
    /// The folder in which the tutorial's progress is saved; `None` if it is not saved.
    folder: Option<PathBuf>,
    progress: TutorialProgress,
    /// The index after the last lesson of the user's current course; the course ends before this lesson.
    end: usize,
    /// True if all lessons of both courses were already done when the tutorial was opened.
    pub(super) is_complete: bool,
    /// True if the lesson's debate was begun in this run of the program and is repeated with other coins.
    is_repeated: bool,
}

/// The next step of the tutorial.
pub enum CourseStep {
    /// The debate of a lesson, from its start.
    Begin(LessonTexts, Box<DebatePlan>),
    /// The debate of a lesson, continued from the point at which the user left it.
    Resume(LessonTexts, PathBuf),
    /// The figures of the tutorial's comparison of two debates.
    Figures,
    /// No step, because all lessons of the current course are done.
    Done,
}

impl LessonCourseProgress {
    /// Opens the tutorial at the start of `lesson`, counted from 0. Without `lesson`, opens it at the point at which
    /// the user left it, or at the first lesson if all lessons are done.
    pub fn open(save_options: &SaveStorageOptions, lesson: Option<usize>) -> Result<Self> {
        let folder = (!save_options.no_save)
            .then(|| save_options.saves_folder())
            .transpose()?;
        let kept = folder
            .as_deref()
            .map(TutorialProgress::read_tutorial_progress)
            .unwrap_or_default();
        let next = next_lesson(&kept);
        let is_complete = next >= LESSON_COUNT;
        // A complete course begins again.
        let begun = lesson.unwrap_or(if is_complete { 0 } else { next });
        let progress = if lesson.is_none() && begun == kept.next {
            kept
        } else {
            kept.with_position_at_lesson_page(begun, 0)
        };
        Ok(Self {
            save_options: save_options.clone(),
            folder,
            end: if progress.next < FIRST_COURSE_COUNT {
                FIRST_COURSE_COUNT
            } else {
                LESSON_COUNT
            },
            progress,
            is_complete,
            is_repeated: false,
        })
    }

    /// Returns the next step of the tutorial. First records the end of lessons whose saved debates are over.
    pub fn advance_to_next_step(&mut self) -> Result<CourseStep> {
        while let Some(coach) = self.texts_of_reached_lesson() {
            let lesson = coach.lesson_of_texts();
            let Some(path) = self.progress.save.clone() else {
                let seed = if self.is_repeated {
                    seed_with_other_coins(lesson)
                } else {
                    given_or_random_seed(Some(lesson.seed))?
                };
                let plan = plan_of_lesson(lesson, seed)?;
                return Ok(CourseStep::Begin(coach, Box::new(plan)));
            };
            let save =
                Save::read_save(&path).map_err(|error| self.unreadable_save(&path, &error))?;
            let header = &save.header;
            if LessonTexts::texts_of_lesson_save(&header.scenario, &header.seed, &header.players)
                != Some(coach)
            {
                // A debate of an earlier version of the lesson; its texts no longer exist.
                self.progress.save = None;
                continue;
            }
            if save.stated_debate_end().is_none() {
                return Ok(CourseStep::Resume(coach, path));
            }
            self.record_end_of_lesson()?;
        }
        Ok(if self.progress.next == COMPARISON_LESSON {
            CourseStep::Figures
        } else {
            CourseStep::Done
        })
    }

    /// Returns the texts of the lesson that the user has reached in the course, also while the debate of this lesson
    /// runs. `None` if the course is done, or if the tutorial's page is no debate.
    pub(super) fn texts_of_reached_lesson(&self) -> Option<LessonTexts> {
        let TutorialProgress { next, page, .. } = self.progress;
        LessonTexts::texts_of_debate_page(next, page).filter(|_| next < self.end)
    }

    /// True if the user has finished all lessons of the second course.
    pub fn is_second_course_done(&self) -> bool {
        (FIRST_COURSE_COUNT..LESSON_COUNT).all(|lesson| self.progress.is_completed(lesson))
    }

    /// True if the save at `path` is recorded as the debate of the next lesson.
    pub(super) fn is_save_of_next_lesson(&self, path: &Path) -> bool {
        self.progress.save.as_deref() == Some(path)
    }

    /// Returns the position of the next lesson in its course ("Lesson 2 of 4"); `None` if the course is done.
    pub fn next_lesson_position(&self) -> Option<String> {
        (self.progress.next < self.end).then(|| position_in_course(self.progress.next))
    }

    /// Saves the progress.
    pub(super) fn save_tutorial_progress(&self) -> Result {
        if let Some(folder) = &self.folder {
            self.progress.write_tutorial_progress(folder)?;
        }
        Ok(())
    }

    /// Records that the user has finished the current lesson, or one of the two debates of the comparison.
    pub fn record_end_of_lesson(&mut self) -> Result {
        self.is_repeated = false;
        let TutorialProgress { next, page, .. } = self.progress;
        self.progress = if next == COMPARISON_LESSON && page + 1 < COMPARISON_PAGES {
            self.progress.with_position_at_lesson_page(next, page + 1)
        } else {
            self.progress
                .after_completing_lesson(next)
                .with_position_at_lesson_page(next + 1, 0)
        };
        self.save_tutorial_progress()
    }

    /// Records `save` as the save of the lesson's debate, and saves the progress.
    pub fn record_save_of_reached_lesson(&mut self, save: Option<&Path>) -> Result {
        self.progress.save = save.map(Path::to_owned);
        self.save_tutorial_progress()
    }

    /// Makes the lesson's debate start again at the next step. If `begun_in_this_run`, the repetition has other coins.
    pub(super) fn repeat_lesson(&mut self, begun_in_this_run: bool) {
        self.progress.save = None;
        self.is_repeated = begun_in_this_run;
    }

    fn unreadable_save(&self, path: &Path, error: &SaveFileError) -> CommandFailure {
        CommandFailure::from_input_error(format!(
            "{save_file}: {error}; debate-tui tutorial {lesson_number} restarts the lesson",
            save_file = path.display(),
            lesson_number = self.progress.next + 1
        ))
    }
}

/// Returns a seed with other coins for a lesson. The seed still begins with the lesson's own seed, which identifies
/// the lesson.
fn seed_with_other_coins(lesson: &Lesson) -> Seed {
    let random = Seed::random_seed(&mut rand::rng());
    let named = Seed::new(format!("{} {}", lesson.seed, random.as_str()));
    named.unwrap_or(random)
}

/// Returns the plan of a lesson's debate.
fn plan_of_lesson(lesson: &Lesson, seed: Seed) -> Result<DebatePlan> {
    let setup = lesson.lesson_scenario()?;
    let protocol = setup.protocol.clone();
    let players = lesson.players;
    let [prover, opponent, judge] =
        players.map(|name| PlayerSpec::parse(name).map_err(CommandFailure::from_input_error));
    Ok(DebatePlan {
        fixed_world: true,
        ..DebatePlan::new(setup, protocol, seed, [prover?, opponent?, judge?])
    })
}

/// Returns paragraphs without titles.
fn untitled_paragraphs(texts: &[String]) -> Paragraphs {
    let paragraphs = texts.iter().map(|text| (String::new(), text.clone()));
    paragraphs.collect()
}

/// Returns the text below the bars of the tutorial's comparison, and the text of the page after it: the three figures
/// of a debate, and the average losses of some ways to estimate.
pub fn tutorial_comparison_texts() -> [Paragraphs; 2] {
    let table = TUTORIAL.average_loss_table_by_estimates().join("\n");
    let losses = [TUTORIAL.measures, TUTORIAL.costs, &table, TUTORIAL.after];
    [
        untitled_paragraphs(&[TUTORIAL.differs.to_owned()]),
        untitled_paragraphs(&losses.map(str::to_owned)),
    ]
}
