//! What a debate came to: as JSON, and as the last lines of the plain mode.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::Failure;
use super::plan::Plan;
use debate_core::budget::Budget;
use debate_core::number::{Exact, Number as _, signed};
use debate_core::player::{Seating, bare};
use debate_core::protocol::words::{Script, Teller, moral, rewards};
use debate_core::protocol::{Reader, Reward, Rules, Seat};
use debate_core::scenario::Instance;
use debate_core::text::{safe, safe_multiline};
use debate_lab::analysis::Unsolved;
use debate_lab::analysis::review::{Case, Unknown, words};
use debate_lab::export::play::document;
pub(super) use debate_lab::export::play::round;
use debate_lab::setup::Setup;

/// How long a review may take that nobody can stop.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// The outcome of `play` as JSON.
pub(super) fn outcome(seating: &Seating<'_, Exact>, instance: &Instance, plan: &Plan) -> Value {
    let over = seating.turn().is_none();
    let reader = plan.reader();
    let players = plan.players.each_ref().map(|player| match player {
        player if over || reader == Reader::ALL || player.is_human() => player.to_string(),
        _ if plan.blind => "not told".to_owned(),
        player => player.name.clone(),
    });
    document(
        seating,
        instance,
        &plan.protocol,
        plan.seed.as_str(),
        players.each_ref().map(String::as_str),
        reader,
    )
}

/// The last lines of a finished debate.
pub(super) fn conclude(
    out: &mut impl Write,
    seating: &Seating<'_, Exact>,
    instance: &Instance,
) -> Result<(), Failure> {
    let state = seating.state();
    let teller = Teller {
        instance,
        script: Script::Unicode,
    };
    writeln!(out)?;
    let truth = match (state.odds(), instance.truth(instance.root())) {
        (Some(odds), _) => Teller::odds(&odds),
        (None, Some(truth)) => format!("it is {}", Teller::truth(truth)),
        (None, None) => "whether it is cannot be decided here".to_owned(),
    };
    if let Some(answer) = state.answer() {
        let text = instance.text(instance.root());
        let text = safe(&text);
        writeln!(
            out,
            "Alice claimed that “{text}” is {}; {truth}.",
            Teller::truth(answer)
        )?;
    }
    let payoff = state.payoff();
    writeln!(out, "{}", Teller::paid(payoff.to_float()))?;
    let log = seating.log();
    let largest = rewards(log)
        .map(|reward| (reward, reward.value()))
        .filter(|(_, value)| *value != Exact::default())
        .max_by(|(_, a), (_, b)| a.abs_cmp(b));
    if let Some((Reward::Decided { for_prover }, _)) = largest {
        let winner = if *for_prover {
            Seat::Prover
        } else {
            Seat::Opponent
        };
        let why = teller.verdict(log);
        let why = why.map_or_else(String::new, |why| format!(", since {why}"));
        writeln!(out, "{} wins{why}.", winner.person())?;
    } else if let Some((reward, value)) = largest {
        let round = reward.round();
        let value = signed(value.to_float(), 4);
        writeln!(
            out,
            "Most of it, {value}, is round {round}: {}.",
            teller.because(reward)
        )?;
    }
    writeln!(out, "{}", moral(log, state.kind()))?;
    Ok(())
}

/// What skill and luck made of a finished debate, and each reply of a person that was not the best.
pub(super) fn skill_and_luck(
    out: &mut impl Write,
    seating: &Seating<'_, Exact>,
    case: &Case,
) -> Result<(), Failure> {
    let moves = seating.moves();
    let review = match within(PATIENCE, |watch| case.review(moves, watch))? {
        Ok(review) => review,
        Err(Unknown::Unsolved(Unsolved::STOPPED)) => {
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

/// What was not told before the end: who the players were, and what the scenario teaches.
pub(super) fn unveil(
    out: &mut impl Write,
    setup: &Setup,
    players: &[String; 3],
    blind: bool,
) -> Result<(), Failure> {
    let people = players.iter().any(|name| name == "human");
    if blind || people && players.iter().any(|name| bare(name) != name) {
        let names = players.join(", ");
        writeln!(out, "Prover, opponent and judge were: {}.", safe(&names))?;
    }
    let about = Some(&setup.about).filter(|_| blind);
    for text in about.into_iter().chain([&setup.debrief]) {
        if !text.is_empty() {
            writeln!(out, "{}", safe_multiline(text))?;
        }
    }
    Ok(())
}

trait AbsCmp {
    fn abs_cmp(&self, other: &Self) -> std::cmp::Ordering;
}

impl AbsCmp for Exact {
    fn abs_cmp(&self, other: &Self) -> std::cmp::Ordering {
        use num_traits::Signed as _;
        self.abs().cmp(&other.abs())
    }
}
