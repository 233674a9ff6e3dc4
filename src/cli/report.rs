//! The outcome of a debate: as JSON, and as lines in plain mode.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::output::is_output_captured;
use debate_core::budget::ComputationBudget;
use debate_core::number::Exact;
use debate_core::player::SeatedDebate;
use debate_core::protocol::LogViewerRole;
use debate_core::scenario::Instance;
use debate_core::text::{duration_in_words, replace_unsafe_characters};
use debate_host::message::play::DebateOutcomeReport;
use debate_host::plan::DebatePlan;
use debate_solver::analysis::review::{DebateReview, ReviewContext, ReviewError};
use debate_solver::expectation::PayoffNotComputedReason;
use debate_text::review;
use debate_text::{PayoffFormatter, ViewerPerspective};

/// The maximum time for computing a review of a debate or a hint, in commands whose computation the user cannot stop.
pub(super) const REVIEW_TIME_LIMIT: Duration = Duration::from_secs(10);

/// Returns the report on a debate's result. It contains only what the players may know at this point.
pub(super) fn play_report(
    seating: &SeatedDebate<'_, Exact>,
    instance: &Instance,
    plan: &DebatePlan,
) -> DebateOutcomeReport {
    let over = seating.turn().is_none();
    let reader = plan.viewer_while_running();
    let players = plan.players.each_ref().map(|player| match player {
        player if over || reader == LogViewerRole::ALL || player.is_human() => player.to_string(),
        _ if plan.blind => "not told".to_owned(),
        player => player.name.clone(),
    });
    let seed = plan.seed.as_str();
    DebateOutcomeReport::of(seating, instance, &plan.protocol, seed, players, reader)
}

/// Writes lines.
pub(super) fn write_lines(out: &mut impl Write, lines: &[String]) -> io::Result<()> {
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Reviews each move of a finished debate. The inner error is the reason why there is no review.
pub(super) fn compute_review(
    seating: &SeatedDebate<'_, Exact>,
    case: &ReviewContext,
) -> io::Result<Result<DebateReview, String>> {
    let review = with_time_limit(REVIEW_TIME_LIMIT, |watch| {
        case.review_moves(seating.moves(), watch)
    })?;
    Ok(review.map_err(|why| match why {
        ReviewError::Unsolved(PayoffNotComputedReason::STOPPED) => {
            format!(
                "the computation of the review took longer than {limit}",
                limit = duration_in_words(REVIEW_TIME_LIMIT.as_secs())
            )
        }
        why => why.to_string(),
    }))
}

/// Writes the components of the payoff, and measures of the estimates such as their gaps. If `with_faults` is true,
/// first writes the faults in the users' replies.
pub(super) fn write_review(
    out: &mut impl Write,
    case: &ReviewContext,
    review: &Result<DebateReview, String>,
    perspective: ViewerPerspective,
    with_faults: bool,
) -> io::Result<()> {
    let review = match review {
        Ok(review) => review,
        Err(why) => return writeln!(out, "No review: {why}."),
    };
    let amounts = PayoffFormatter::formatter_with_three_digits(perspective);
    for step in review
        .moves_with_greatest_faults()
        .into_iter()
        .filter(|_| with_faults)
        .filter_map(|number| review.steps.get(number))
    {
        if let Some(line) = review::fault_sentence(case, step, &amounts) {
            let who = format!(
                "{}{}",
                perspective.player_name_or_you(step.seat),
                review::round_suffix(step)
            );
            writeln!(out, "{who}: {}", replace_unsafe_characters(&line))?;
        }
    }
    if let Some(parts) = review::payoff_parts_text(review, &amounts) {
        writeln!(out, "Breakdown: {parts}.")?;
    }
    for (name, text) in review::estimate_quality_measures(review, &amounts) {
        writeln!(out, "{name}: {}", replace_unsafe_characters(&text))?;
    }
    Ok(())
}

/// Runs a computation, and stops it after the duration `limit`. A captured run has no time limit, so that its output is
/// the same on every machine.
pub(super) fn with_time_limit<T>(
    limit: Duration,
    work: impl FnOnce(ComputationBudget<'_>) -> T,
) -> io::Result<T> {
    if is_output_captured() {
        return Ok(work(ComputationBudget::default()));
    }
    let cancel = AtomicBool::new(false);
    let (done, waits) = channel::<()>();
    let given_up = &cancel;
    thread::scope(|scope| {
        let clock = thread::Builder::new().name("limit".to_owned());
        clock.spawn_scoped(scope, move || {
            if waits.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                given_up.store(true, Ordering::Relaxed);
            }
        })?;
        let outcome = work(ComputationBudget {
            stop: Some(given_up),
            ..ComputationBudget::default()
        });
        // Ends the wait of the thread at the other end of the channel.
        drop(done);
        Ok(outcome)
    })
}
