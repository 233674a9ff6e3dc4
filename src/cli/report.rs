//! What a debate came to: as JSON, and as lines of the plain mode.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::Failure;
use crate::app::plan::DebatePlan;
use debate_core::budget::Budget;
use debate_core::number::Exact;
use debate_core::player::Seating;
use debate_core::protocol::Reader;
use debate_core::scenario::Instance;
use debate_core::text::safe;
use debate_lab::analysis::Unsolved;
use debate_lab::analysis::review::{ReviewContext, ReviewError, words};
use debate_lab::export::play::PlayReport;

/// How long a review may take that nobody can stop.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// What a debate came to, as whoever plays it may know.
pub(super) fn outcome(
    seating: &Seating<'_, Exact>,
    instance: &Instance,
    plan: &DebatePlan,
) -> PlayReport {
    let over = seating.turn().is_none();
    let reader = plan.reader();
    let players = plan.players.each_ref().map(|player| match player {
        player if over || reader == Reader::ALL || player.is_human() => player.to_string(),
        _ if plan.blind => "not told".to_owned(),
        player => player.name.clone(),
    });
    let seed = plan.seed.as_str();
    PlayReport::of(seating, instance, &plan.protocol, seed, players, reader)
}

/// Writes lines.
pub(super) fn put(out: &mut impl Write, lines: &[String]) -> io::Result<()> {
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// What skill and luck made of a finished debate, and each reply of a person that was not the best.
pub(super) fn skill_and_luck(
    out: &mut impl Write,
    seating: &Seating<'_, Exact>,
    case: &ReviewContext,
) -> Result<(), Failure> {
    let moves = seating.moves();
    let review = match within(PATIENCE, |watch| case.review(moves, watch))? {
        Ok(review) => review,
        Err(ReviewError::Unsolved(Unsolved::STOPPED)) => {
            let seconds = PATIENCE.as_secs();
            writeln!(out, "No review: it was not found within {seconds} seconds.")?;
            return Ok(());
        }
        Err(why) => {
            writeln!(out, "No review: {why}.")?;
            return Ok(());
        }
    };
    for (label, text) in words::ledger(case, &review) {
        writeln!(out, "{label}: {}", safe(&text))?;
    }
    for step in &review.steps {
        if let Some(regret) = words::regret(&review, step) {
            let said = words::reply(&step.reply);
            let who = format!("{}{}", step.seat.person(), words::place(step));
            writeln!(out, "{who}: said {said}: {regret}.")?;
        }
    }
    Ok(())
}

/// Does something that watches for being given up, and gives it up after so long.
pub(super) fn within<T>(patience: Duration, work: impl FnOnce(Budget<'_>) -> T) -> io::Result<T> {
    let cancel = AtomicBool::new(false);
    let (done, waits) = channel::<()>();
    let given_up = &cancel;
    thread::scope(|scope| {
        let clock = thread::Builder::new().name("patience".to_owned());
        clock.spawn_scoped(scope, move || {
            if waits.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
                given_up.store(true, Ordering::Relaxed);
            }
        })?;
        let found = work(Budget {
            stop: Some(given_up),
            ..Budget::default()
        });
        // The other end stops waiting.
        drop(done);
        Ok(found)
    })
}
