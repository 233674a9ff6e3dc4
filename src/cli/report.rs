//! What a debate came to: as JSON, and as lines of the plain mode.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use debate_core::budget::Budget;
use debate_core::number::Exact;
use debate_core::player::Seating;
use debate_core::protocol::{Reader, Rules as _};
use debate_core::scenario::Instance;
use debate_core::text::safe;
use debate_lab::analysis::review::{Review, ReviewContext, ReviewError};
use debate_lab::expectation::Unsolved;
use debate_lab::export::play::PlayReport;
use debate_lab::plan::DebatePlan;
use debate_lab::tell::review;
use debate_lab::tell::{Amounts, Perspective};

/// How long a review may take that nobody can stop.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);
/// How long the last line of a debate may wait for what made the payoff, where no review was asked
/// for.
const LAST_LINE: Duration = Duration::from_secs(3);

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

/// A finished debate move by move, or why it was not found: its ledger, and where `regrets` are
/// wanted each reply of a person beside the best.
pub(super) fn review(
    seating: &Seating<'_, Exact>,
    case: &ReviewContext,
    regrets: bool,
) -> io::Result<Result<Review, String>> {
    let moves = seating.moves();
    let patience = if regrets { PATIENCE } else { LAST_LINE };
    let review = within(patience, |watch| {
        if regrets {
            case.review(moves, watch)
        } else {
            case.attribution(moves, watch)
        }
    })?;
    Ok(review.map_err(|why| match why {
        ReviewError::Unsolved(Unsolved::STOPPED) => {
            format!("it was not found within {} seconds", patience.as_secs())
        }
        why => why.to_string(),
    }))
}

/// What skill and luck made of a finished debate, and each reply of a person that was not the best.
pub(super) fn skill_and_luck(
    out: &mut impl Write,
    case: &ReviewContext,
    review: &Result<Review, String>,
    perspective: Perspective,
) -> io::Result<()> {
    let review = match review {
        Ok(review) => review,
        Err(why) => return writeln!(out, "No review: {why}."),
    };
    let amounts = Amounts::rounded(perspective);
    for (label, text) in review::ledger(case, review, &amounts) {
        writeln!(out, "{label}: {}", safe(&text))?;
    }
    for step in &review.steps {
        let line = review::rated(case, review, step, &amounts);
        if let Some(line) = line.filter(|_| review::regret(case, review, step, &amounts).is_some())
        {
            let who = format!("{}{}", perspective.name(step.seat), review::place(step));
            writeln!(out, "{who}: {}", safe(&line))?;
        }
    }
    Ok(())
}

/// The last line of a debate that a person played: won, lost or even, by how much, by skill or
/// luck.
pub(super) fn result(
    seating: &Seating<'_, Exact>,
    reviewed: Option<(&ReviewContext, &Result<Review, String>)>,
    perspective: Perspective,
) -> String {
    let paid = || perspective.paid(&seating.state().payoff());
    match reviewed {
        Some((case, Ok(review))) => review::result(case, review, &Amounts::rounded(perspective)),
        Some((_, Err(why))) => {
            format!(
                "{} Whether by skill or by luck is not known: {why}.",
                paid()
            )
        }
        // In a blind debate nobody is told by what.
        None => paid(),
    }
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
        let outcome = work(Budget {
            stop: Some(given_up),
            ..Budget::default()
        });
        // The other end stops waiting.
        drop(done);
        Ok(outcome)
    })
}
