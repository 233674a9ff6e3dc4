//! The page that shows two debates side by side.

use super::context::AppContext;
use super::matchup::usual_plans;
use super::page::{AppPage, ComparePage, Compared, Transition};
use super::plan::DebatePlan;
use super::{Failure, scene};
use crate::tui::screen::{Compare, ComparedDebate, LessonOutcome};
use debate_core::budget::Budget;
use debate_core::number::Exact;
use debate_core::player::{Seating, Stuck};
use debate_core::scenario::Instance;
use debate_lab::record::History;

/// Plays both debates to their ends and shows them.
pub(super) fn compare(app: &mut AppContext, page: ComparePage) -> Result<Transition, Failure> {
    let plans = match page.plans {
        Compared::Scenario(name) => usual_plans(&app.options.debate.plan(&name)?)?,
        Compared::Usual(plan) => usual_plans(&plan)?,
        Compared::Both(plans) => *plans,
    };
    let instance = plans[0].setup.instance(plans[0].world);
    let half = |plan: &DebatePlan| -> Result<ComparedDebate<'_>, Failure> {
        let seating = played(plan, &instance)?;
        Ok(ComparedDebate {
            history: History::of_moves(seating.start().clone(), seating.moves())
                .map_err(Failure::input)?,
            scene: scene::scene(app.waker(), plan, &instance, None),
        })
    };
    let halves = [half(&plans[0])?, half(&plans[1])?];
    let keys = app.keys();
    let mut compare = Compare::new(&halves, &keys);
    let Some(mut course) = page.course else {
        app.show(&mut compare)?;
        return Ok(Transition::back());
    };
    match app.show(&mut compare.in_lesson())? {
        LessonOutcome::Continue => {
            course.turn_page()?;
            Ok(Transition::Open(AppPage::Tutorial(course)))
        }
        LessonOutcome::Leave => Transition::leave(&course),
    }
}

/// A debate of built-in players, played to its end.
pub fn played<'a>(
    plan: &DebatePlan,
    instance: &'a Instance,
) -> Result<Seating<'a, Exact>, Failure> {
    let mut seating = plan.seating(instance, Budget::default())?;
    seating.play(&Budget::default()).map_err(Failure::input)?;
    if let Some(seat) = seating.awaited() {
        return Err(Failure::input(Stuck::Awaited(seat)));
    }
    Ok(seating)
}
