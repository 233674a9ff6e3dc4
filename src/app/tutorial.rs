//! The tutorial on the screen: which page comes next, and those that only have words.

use super::Failure;
use super::context::AppContext;
use super::course::{Course, CourseStep, LAST, after, before, planned};
use super::page::{
    AppPage, ComparePage, ComparisonSource, DebateStart, HomePage, HomeTarget, OpenMode, PlayPage,
    Transition, Tutor,
};
use crate::tui::keys::{Action, COMPARE, LECTURE};
use crate::tui::menu::{Lecture, LessonOutcome, NextSteps, Paragraphs};
use crate::tui::tutorial::{
    COMPARED, COMPARISON, DONE, FIRST_COURSE, LESSONS, NEXT, Opponents, SCENARIO, SECOND_DONE,
    figures, place,
};
use debate_core::budget::Budget;
use debate_core::player::Spec;
use debate_core::protocol::Seat;
use debate_lab::analysis::review::{ReviewContext, ReviewError};
use debate_lab::plan::{DebatePlan, seed, usual_plans};
use debate_lab::registry;

/// Debates of which averages are told.
const MANY: u32 = 1000;
/// Other opponents of the liar, to show what the figures depend on: under plain recursion, and
/// under prover-estimator.
const OTHERS: [&str; 2] = ["honest", "stubborn(0.9)"];

/// Opens what comes next in the tutorial.
pub(super) fn tutorial(app: &mut AppContext, mut course: Course) -> Result<Transition, Failure> {
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
fn next_steps(app: &mut AppContext, course: &Course) -> Result<Transition, Failure> {
    let keys = app.keys();
    let goes_on = !course.is_over();
    let second = goes_on.then(|| {
        let what = "Four short lessons on other rules, for computations that no judge could follow. \
                    debate-tui tutorial";
        ("A second course".to_owned(), what.to_owned())
    });
    let choices = NEXT.iter().map(|(label, what, scenario)| {
        let detail = format!("{what} debate-tui {scenario}");
        ((*label).to_owned(), detail)
    });
    let home = "All scenarios, your unfinished debates, and this tutorial again. debate-tui";
    let choices = second.into_iter().chain(choices);
    let choices = choices.chain([("Home".to_owned(), home.to_owned())]);
    let done = if goes_on { DONE } else { SECOND_DONE };
    let page = &mut NextSteps::new("What next?", done, choices, &keys);
    let Some(chosen) = app.show(page)? else {
        return Ok(Transition::back());
    };
    let Some(chosen) = chosen.checked_sub(usize::from(goes_on)) else {
        let second = Course::open(&course.keeping, Some(FIRST_COURSE))?;
        return Ok(Transition::Open(AppPage::Tutorial(second)));
    };
    let home = AppPage::Home(HomePage::default());
    let Some((_, _, scenario)) = NEXT.get(chosen) else {
        return Ok(Transition::Open(home));
    };
    Ok(Transition::OpenOver {
        next: AppPage::Target {
            target: HomeTarget::Scenario((*scenario).to_owned()),
            how: OpenMode::Plain,
        },
        below: home,
    })
}

/// The last lesson: a page, two debates side by side, and a page with figures.
fn lecture(app: &mut AppContext, mut course: Course, page: usize) -> Result<Transition, Failure> {
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
    pub fn new() -> Result<Self, Failure> {
        let seed = seed(Some(LESSONS[0].seed))?;
        let plans = usual_plans(&planned(SCENARIO, seed, COMPARED)?)?;
        Ok(Self { plans })
    }

    /// Finds what can be said of both in figures.
    pub fn figures(
        &self,
    ) -> Result<
        impl FnOnce(Budget<'_>) -> Result<Paragraphs, ReviewError> + Send + 'static + use<>,
        Failure,
    > {
        let instance = self.plans[0].instance();
        let case = |plan: &DebatePlan, opponent: Option<&str>| -> Result<ReviewContext, Failure> {
            let mut players = plan.players.clone();
            if let Some(name) = opponent {
                players[Seat::Opponent.index()] = Spec::parse(name).map_err(Failure::input)?;
            }
            let registry = registry().with(plan.setup.player_files());
            let (rules, own) = (&plan.protocol, Default::default());
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
