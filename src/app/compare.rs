//! The page that shows two debates side by side.

use super::context::AppContext;
use super::page::{AppPage, ComparePage, ComparisonSource, Transition};
use super::{Failure, Result, scene};
use crate::tui::debate::{Compare, ComparedDebate, ComparedPair};
use crate::tui::menu::LessonOutcome;
use debate_lab::plan::{DebatePlan, usual_plans};
use debate_lab::record::History;

/// Plays both debates to their ends and shows them.
pub(super) fn compare(app: &mut AppContext, page: ComparePage) -> Result<Transition> {
    let plans = match page.plans {
        ComparisonSource::Scenario(name) => usual_plans(&app.options.debate.plan(&name)?)?,
        ComparisonSource::Usual(plan) => usual_plans(&plan)?,
        ComparisonSource::Both(plans) => *plans,
    };
    let asked = plans.clone();
    let results = app.wait_for("Both debates are being played", move |budget| {
        let instance = asked[0].instance();
        let moves = |plan: &DebatePlan| -> Result<_> {
            Ok(plan.play_out(&instance, &budget)?.moves().to_vec())
        };
        Ok::<_, Failure>([moves(&asked[0])?, moves(&asked[1])?])
    })?;
    let moves = match (results, &page.course) {
        (Some(moves), _) => moves?,
        (None, None) => return Ok(Transition::back()),
        (None, Some(course)) => return Transition::leave(course),
    };
    let instance = plans[0].instance();
    let half = |at: usize| -> Result<ComparedDebate<'_>> {
        let start = plans[at].protocol.start(&instance);
        let history = History::of_moves(start?, &moves[at]);
        Ok(ComparedDebate {
            history: history?,
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
