//! The tutorial on the screen: which page comes next, and those that only have words.

use super::Failure;
use super::comparison::Comparison;
use super::context::AppContext;
use super::course::{Course, CourseStep, LAST, after, before};
use super::page::{
    AppPage, ComparePage, ComparisonSource, DebateStart, PlayPage, Transition, Tutor,
};
use crate::tui::screen::keys::{COMPARE, LECTURE};
use crate::tui::screen::{Action, Lecture, LessonOutcome, Paragraphs};
use crate::tui::tutorial::COUNT;

/// Opens what comes next in the tutorial.
pub(super) fn tutorial(app: &mut AppContext, mut course: Course) -> Result<Transition, Failure> {
    let start = match course.step()? {
        CourseStep::Done => return Ok(Transition::back()),
        CourseStep::Page(page) => return lecture(app, course, page),
        CourseStep::Begin(_, plan) => DebateStart::New(*plan),
        CourseStep::Resume(_, path) => DebateStart::Kept(path),
    };
    let page = PlayPage::new(start, course.keeping.clone());
    let tutor = Some(Tutor::Course(course));
    Ok(Transition::Open(PlayPage { tutor, ..page }.into()))
}

/// The last lesson: a page, two debates side by side, and a page with figures.
fn lecture(app: &mut AppContext, mut course: Course, page: usize) -> Result<Transition, Failure> {
    let title = format!("Lesson {COUNT} of {COUNT}: {LAST}");
    let comparison = Comparison::new()?;
    let keys = app.keys();
    let went = match page {
        0 => {
            let mut told = before();
            let on = keys.called(LECTURE, Action::Onward);
            let plays = keys.called(COMPARE, Action::Auto);
            let how = format!("Go on with {on}; then {plays} plays both.");
            told.push((String::new(), how));
            app.show(&mut Lecture::new(&title, told, &keys))?
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
