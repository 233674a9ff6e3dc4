//! The facts about a debate that its screens show.

use std::path::Path;

use super::tutorial::lesson_texts_of_plan;
use crate::tui::input::MainLoopWaker;
use crate::tui::scene::{DebateScreenContext, HintAndReviewInputs};
use crate::tui::tutorial::REFERENCE_PROVER;
use debate_core::player::PlayerSpec;
use debate_core::protocol::ProtocolKind;
use debate_core::scenario::Instance;
use debate_host::plan::{DebatePlan, ReproductionInfo, fits_recursion_and_prover_estimator};
use debate_solver::analysis::review::ReviewContext;

/// Returns the facts about a debate for its screens. `path` is its save, if it has one already.
pub(super) fn scene<'a>(
    waker: &MainLoopWaker,
    plan: &DebatePlan,
    instance: &'a Instance,
    path: Option<&Path>,
) -> DebateScreenContext<'a> {
    let reproduction = plan.reproduction_info(path);
    let with_case = |case| HintAndReviewInputs {
        case,
        seed: plan.seed.clone(),
        hints: plan.hints,
        waker: waker.clone(),
    };
    DebateScreenContext {
        facts: plan.facts(instance),
        save_notice: path.map(|path| {
            format!(
                "The debate is saved. To continue: debate-tui resume {path}",
                path = path.display()
            )
        }),
        values: review_context(plan, instance).map(with_case),
        values_at_end: review_context_at_end(plan, instance).map(with_case),
        comparable: !plan.blind
            && matches!(
                plan.protocol.kind(),
                ProtocolKind::Recursive | ProtocolKind::ProverEstimator
            )
            && fits_recursion_and_prover_estimator(&plan.setup),
        opens_briefing: true,
        names_level: !plan.blind && lesson_texts_of_plan(plan).is_none(),
        daily: plan.daily_date().and(path).map(Path::to_owned),
        reproduction: ReproductionInfo {
            // The name of a lesson's seed means nothing to a learner.
            seed: reproduction
                .seed
                .filter(|_| lesson_texts_of_plan(plan).is_none()),
            ..reproduction
        },
        ..DebateScreenContext::new(instance, &plan.protocol)
    }
}

/// Returns the inputs for computing the values (expected payoffs) of replies; `None` if values are hidden or cannot be
/// computed.
pub fn review_context(plan: &DebatePlan, instance: &Instance) -> Option<ReviewContext> {
    if plan.blind {
        return None;
    }
    let coach = lesson_texts_of_plan(plan);
    // In the lesson about guessing every guess is equally good, so it shows no values.
    if coach.is_some() && plan.protocol.kind() == ProtocolKind::Recursive {
        return None;
    }
    let reference = coach.map(|_| PlayerSpec::without_arguments(REFERENCE_PROVER));
    plan.review_context(instance, reference)
}

/// Returns the inputs for the review at the end of a debate; `None` if the values cannot be computed, or in the lesson
/// about guessing. A blind debate hides them until then.
pub fn review_context_at_end(plan: &DebatePlan, instance: &Instance) -> Option<ReviewContext> {
    if plan.blind {
        return saved_debate_review_context(plan, instance);
    }
    review_context(plan, instance)
}

/// Returns the inputs for the review of a saved debate; `None` if the values of its replies cannot be computed.
pub fn saved_debate_review_context(
    plan: &DebatePlan,
    instance: &Instance,
) -> Option<ReviewContext> {
    plan.review_context(instance, None)
}
