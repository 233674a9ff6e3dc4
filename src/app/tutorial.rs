//! The tutorial on the screen: which page comes next, and those that only have words.

use super::Failure;
use super::comparison::Comparison;
use super::context::AppContext;
use super::course::{Course, CourseStep, LAST, after, before};
use super::page::{ComparePage, Compared, Next, Page, PlayPage, Start, Tutor};
use crate::tui::coach::COUNT;
use crate::tui::screen::keys::{COMPARE, LECTURE};
use crate::tui::screen::{Action, Lecture, Paragraphs, Went};

/// Opens what comes next in the tutorial.
pub(super) fn tutorial(app: &mut AppContext, mut course: Course) -> Result<Next, Failure> {
    let start = match course.step()? {
        CourseStep::Done => return Ok(Next::back()),
        CourseStep::Page(page) => return lecture(app, course, page),
        CourseStep::Begin(_, plan) => Start::New(*plan),
        CourseStep::Resume(_, path) => Start::Kept(path),
    };
    Ok(Next::Open(Page::Play(Box::new(PlayPage {
        start,
        keeping: course.keeping.clone(),
        tutor: Some(Tutor::Course(course)),
    }))))
}

/// The last lesson: a page, two debates side by side, and a page with figures.
fn lecture(app: &mut AppContext, mut course: Course, page: usize) -> Result<Next, Failure> {
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
            return Ok(Next::Open(Page::Compare(ComparePage {
                plans: Compared::Both(Box::new(comparison.plans)),
                course: Some(course),
            })));
        }
        _ => {
            let work = comparison.figures()?;
            let page = Lecture::new(&title, Paragraphs::new(), &keys);
            app.show(&mut page.with_figures(work, after(), &app.waker()))?;
            // Whoever leaves the last page has read it.
            Went::On
        }
    };
    match went {
        Went::On => {
            course.turn_page()?;
            Ok(Next::Open(Page::Tutorial(course)))
        }
        Went::Away => Next::leave(&course),
    }
}
