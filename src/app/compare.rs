//! The page that shows two debates side by side.

use super::context::AppContext;
use super::page::{DebatesToCompare, PageTransition};
use super::{CommandFailure, Result, scene};
use crate::tui::debate::{CompareScreen, ComparedDebate, ComparedDebatePair};
use debate_host::plan::{DebatePlan, plans_under_both_protocols};
use debate_host::record::SavedDebateWithCursor;

/// Plays the two debates of a comparison to their ends and shows them side by side.
pub(super) fn show_comparison(
    app: &mut AppContext,
    source: DebatesToCompare,
) -> Result<PageTransition> {
    let plans = match source {
        DebatesToCompare::Scenario(name) => {
            plans_under_both_protocols(&app.options.debate.plan_named_scenario(&name)?)?
        }
        DebatesToCompare::Usual(plan) => plans_under_both_protocols(&plan)?,
        DebatesToCompare::Both(plans) => *plans,
    };
    let asked = plans.clone();
    let results = app.wait_for("Both debates are being played", move |budget| {
        let instance = asked[0].instance();
        let moves = |plan: &DebatePlan| -> Result<_> {
            Ok(plan
                .play_out(&instance, &budget)?
                .state_and_players()
                .moves()
                .to_vec())
        };
        Ok::<_, CommandFailure>([moves(&asked[0])?, moves(&asked[1])?])
    })?;
    let Some(moves) = results else {
        return Ok(PageTransition::back_with_empty_report());
    };
    let moves = moves?;
    let instance = plans[0].instance();
    let half = |at: usize| -> Result<ComparedDebate<'_>> {
        let start = plans[at].protocol.start(&instance);
        let history = SavedDebateWithCursor::from_moves(start?, &moves[at]);
        Ok(ComparedDebate {
            history: history?,
            scene: scene::scene(&app.waker(), &plans[at], &instance, None),
        })
    };
    let pair = ComparedDebatePair::new([half(0)?, half(1)?]);
    let keys = app.keys();
    app.show(&mut CompareScreen::new(&pair, &keys))?;
    Ok(PageTransition::back_with_empty_report())
}
