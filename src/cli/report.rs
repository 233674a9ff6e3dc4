//! What a debate came to: as JSON, and as the last lines of the plain mode.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::Failure;
use super::plan::Plan;
use crate::analysis::review::{Case, Unknown, Watch, words};
use crate::analysis::{Unsolved, deeply};
use crate::number::{Exact, Number as _, signed};
use crate::player::{Seating, Spec};
use crate::protocol::words::{Script, Teller, by_round, moral, rewards};
use crate::protocol::{Ledger, Reward, Round, Rules, Seat};
use crate::scenario::Instance;

/// How long a review may take that nobody can stop.
const PATIENCE: Duration = Duration::from_secs(10);

/// A round as JSON: `"init"` or its number.
pub(super) fn round(round: Round) -> Value {
    match round {
        Round::Initial => json!("init"),
        Round::Number(k) => json!(k),
    }
}

/// What each seat spent, as JSON.
pub(super) fn ledger(ledger: &Ledger) -> Value {
    let seat = |seat: Seat| {
        let spent = ledger.of(seat);
        let fields = json!({
            "oracle_queries": spent.oracle_queries,
            "bits_read": spent.bits_read,
            "configurations_read": spent.configurations_read,
            "samples": spent.samples,
            "calls": spent.calls,
        });
        (seat.name().to_owned(), fields)
    };
    Value::Object(Seat::PLAYERS.map(seat).into_iter().collect::<Map<_, _>>())
}

/// The outcome of `play` as JSON.
pub(super) fn outcome(seating: &Seating<'_, Exact>, instance: &Instance, plan: &Plan) -> Value {
    let protocol = &plan.protocol;
    let players = plan.players.each_ref().map(ToString::to_string);
    let state = seating.state();
    let schedule = state.schedule();
    let rounds: Vec<Value> = by_round(&schedule, seating.log())
        .into_iter()
        .zip(&schedule)
        .map(|((of, reward), (_, weight))| {
            json!({
                "round": round(of),
                "weight": weight.to_float(),
                "reward": reward.map(|reward| reward.to_float()),
            })
        })
        .collect();
    let finished = state.request().is_none();
    json!({
        "seed": plan.seed.as_str(),
        "instance": instance.name(),
        "protocol": protocol.kind().name(),
        "parameters": protocol.to_string(),
        "players": {"prover": players[0], "opponent": players[1], "judge": players[2]},
        "outcome": if finished { "finished" } else { "unfinished" },
        "payoff": state.payoff().to_float(),
        "payoff_exact": state.payoff().to_string(),
        "by_round": rounds,
        "ledger": ledger(&seating.ledger()),
        "answer": state.answer(),
        "truth": instance.truth(instance.root()),
    })
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
        let text = crate::text::safe(&text);
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
    let review = match deeply(|| within(PATIENCE, |watch| case.review(moves, watch)))? {
        Ok(review) => review,
        Err(Unknown::Unsolved(Unsolved::Cancelled)) => {
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
        writeln!(out, "{label}: {}", crate::text::safe(&text))?;
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
fn within<T>(patience: Duration, work: impl FnOnce(Watch<'_>) -> T) -> T {
    let cancel = AtomicBool::new(false);
    let (done, waits) = channel::<()>();
    let given_up = &cancel;
    thread::scope(|scope| {
        scope.spawn(move || {
            if waits.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
                given_up.store(true, Ordering::Relaxed);
            }
        });
        let found = work(Watch {
            cancel: Some(given_up),
            seen: None,
        });
        // The other end stops waiting.
        drop(done);
        found
    })
}

/// Who the players were, where that was not told before.
pub(super) fn unveil(out: &mut impl Write, players: &[Spec; 3]) -> Result<(), Failure> {
    let names = players.each_ref().map(ToString::to_string).join(", ");
    writeln!(out, "Prover, opponent and judge were: {names}.")?;
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
