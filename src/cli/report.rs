//! What a debate came to: as JSON, and as the last lines of the plain mode.

use std::io::Write;

use serde_json::Value;

use super::Failure;
use super::plan::Plan;
use crate::analysis::review::{Case, words};
use crate::export::play::document;
pub(super) use crate::export::play::round;
use crate::number::{Exact, Number as _, signed};
use crate::player::{Seating, Spec};
use crate::protocol::words::{Script, Teller, moral, rewards};
use crate::protocol::{Reward, Rules, Seat};
use crate::scenario::Instance;

/// The outcome of `play` as JSON.
pub(super) fn outcome(seating: &Seating<'_, Exact>, instance: &Instance, plan: &Plan) -> Value {
    let players = plan.players.each_ref().map(ToString::to_string);
    document(
        seating,
        instance,
        &plan.protocol,
        plan.seed.as_str(),
        players.each_ref().map(String::as_str),
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
    let review = match case.review(seating.moves(), None) {
        Ok(review) => review,
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
            writeln!(out, "{} said {said}: {regret}.", step.seat.person())?;
        }
    }
    Ok(())
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
