//! The last lines of a debate in plain text: what it came to, and what was not told before.

use super::{Narrator, Perspective, Script, moral};
use debate_core::number::{Exact, Number as _, signed};
use debate_core::player::{Seating, bare};
use debate_core::protocol::{Round, Rules as _, Seat};
use debate_core::scenario::Instance;
use debate_core::text::{safe, safe_multiline};
use num_traits::Signed as _;

use super::report::verdict;
use super::spoken::spoken_end;
use crate::setup::Setup;

/// The last lines of a finished debate, an empty one first, told from the seat that looks.
pub fn conclusion(
    seating: &Seating<'_, Exact>,
    instance: &Instance,
    perspective: Perspective,
) -> Vec<String> {
    let state = seating.state();
    let narrator = Narrator::new(instance, Script::Unicode).seen_from(perspective);
    let mut lines = vec![String::new()];
    if let Some(end) = spoken_end(state, seating.log(), instance, perspective) {
        let judge = format!("{} {}", perspective.name(Seat::Judge), end.judge);
        lines.extend([end.right, judge].map(|line| safe(&line).into_owned()));
        lines.push(perspective.paid(state.payoff().to_float()));
        lines.push(moral(seating.log(), state.kind()));
        return lines;
    }
    let truth = match (state.odds(), instance.truth(instance.root())) {
        (Some(odds), _) => Narrator::odds(&odds),
        (None, Some(truth)) => format!("it is {}", Narrator::truth(truth)),
        (None, None) => "whether it is cannot be decided here".to_owned(),
    };
    if let Some(answer) = state.answer() {
        let text = instance.text(instance.root());
        let (text, answer) = (safe(&text), Narrator::truth(answer));
        let who = perspective.name(Seat::Prover);
        lines.push(format!("{who} claimed that “{text}” is {answer}; {truth}."));
    }
    lines.push(perspective.paid(state.payoff().to_float()));
    let log = seating.log();
    let largest = log
        .rewards()
        .map(|reward| (reward, reward.value()))
        .filter(|(_, value)| *value != Exact::default())
        .max_by(|(_, a), (_, b)| a.abs().cmp(&b.abs()));
    if let Some(verdict) = verdict(log, &narrator) {
        lines.push(verdict);
    } else if let Some((reward, value)) = largest {
        let value = signed(perspective.value(value).to_float(), 4);
        let why = narrator.because(reward);
        let round = match (reward.round(), Round::first_of(&state.schedule())) {
            (Round::Number(k), Some(d)) => format!("round {}", Round::counted(k, d)),
            _ => "the first estimate".to_owned(),
        };
        lines.push(format!("Most of it, {value}, is {round}: {why}."));
    }
    lines.push(moral(log, state.kind()));
    lines
}

/// Everything kept back until the end: the players and the lesson.
pub fn disclosure(setup: &Setup, players: &[String; 3], blind: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let people = players.iter().any(|name| name == "human");
    if blind || people && players.iter().any(|name| bare(name) != name) {
        let names = players.join(", ");
        let names = safe(&names);
        lines.push(format!("Prover, opponent and judge were: {names}."));
    }
    let about = Some(&setup.about).filter(|_| blind);
    let texts = about.into_iter().chain([&setup.debrief]);
    let told = texts.filter(|text| !text.is_empty());
    lines.extend(told.map(|text| safe_multiline(text).into_owned()));
    lines
}
