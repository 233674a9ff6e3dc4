//! The page that shows two debates side by side.

use super::context::AppContext;
use super::matchup::usual_plans;
use super::page::{AppPage, ComparePage, ComparisonSource, Transition};
use super::plan::DebatePlan;
use super::{Failure, scene};
use crate::tui::screen::{Compare, ComparedDebate, ComparedPair, LessonOutcome};
use debate_core::budget::Budget;
use debate_core::number::Exact;
use debate_core::player::{Seating, Stuck};
use debate_core::scenario::Instance;
use debate_lab::record::History;

/// Plays both debates to their ends and shows them.
pub(super) fn compare(app: &mut AppContext, page: ComparePage) -> Result<Transition, Failure> {
    let plans = match page.plans {
        ComparisonSource::Scenario(name) => usual_plans(&app.options.debate.plan(&name)?)?,
        ComparisonSource::Usual(plan) => usual_plans(&plan)?,
        ComparisonSource::Both(plans) => *plans,
    };
    let asked = plans.clone();
    let found = app.wait_for("Both debates are being played", move |budget| {
        let instance = asked[0].setup.instance(asked[0].world);
        let moves = |plan: &DebatePlan| -> Result<_, Failure> {
            Ok(played(plan, &instance, &budget)?.moves().to_vec())
        };
        Ok::<_, Failure>([moves(&asked[0])?, moves(&asked[1])?])
    })?;
    let moves = match (found, &page.course) {
        (Some(moves), _) => moves?,
        (None, None) => return Ok(Transition::back()),
        (None, Some(course)) => return Transition::leave(course),
    };
    let instance = plans[0].setup.instance(plans[0].world);
    let half = |at: usize| -> Result<ComparedDebate<'_>, Failure> {
        let start = plans[at].protocol.start(&instance);
        let history = History::of_moves(start.map_err(Failure::input)?, &moves[at]);
        Ok(ComparedDebate {
            history: history.map_err(Failure::input)?,
            scene: scene::scene(app.waker(), &plans[at], &instance, None),
        })
    };
    let pair = ComparedPair::new([half(0)?, half(1)?]);
    let keys = app.keys();
    let mut compare = Compare::new(&pair, &keys);
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
    budget: &Budget<'_>,
) -> Result<Seating<'a, Exact>, Failure> {
    let mut seating = plan.seating(instance, *budget)?;
    seating.play(budget).map_err(Failure::input)?;
    if let Some(seat) = seating.awaited() {
        return Err(Failure::input(Stuck::Awaited(seat)));
    }
    Ok(seating)
}
