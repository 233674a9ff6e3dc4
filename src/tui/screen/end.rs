//! The report at the end: what was claimed, what is true, what it paid, and what it cost.

use crate::number::{Number, percent, signed};
use crate::protocol::words::{Teller, grouped, moral, rewards};
use crate::protocol::{Event, Ledger, Reward, Round, Rules, Seat, Spent};
use crate::tui::panel::scroll::Entry;
use crate::tui::theme::{Look, Role};

use super::stage::{Sight, Stage, party};

/// Columns for the labels.
pub(super) const MARGIN: u16 = 9;

/// The report of a debate that is over. Only here is the truth told.
pub(super) fn report(
    sight: &Sight<'_, '_>,
    stage: &Stage,
    ledger: &Ledger,
    look: &Look,
) -> Vec<Entry> {
    let instance = sight.scene.instance;
    let teller = sight.scene.teller(look);
    let root = instance.root();
    let mut lines = Vec::new();
    let claim = format!("“{}”", instance.text(root));
    lines.push(Entry::new("Claim", Role::Title, claim));
    lines.push(Entry::new(
        Seat::Prover.person(),
        party(Seat::Prover),
        match (answer(sight), sight.state.answer()) {
            (Some(answer), _) => format!("said that it is {}.", Teller::truth(answer)),
            // Under some rules she need not say it: all that she gave claims it.
            (None, Some(true)) => "stood by it being true.".to_owned(),
            (None, Some(false)) => "wrote down that it is false, and so gave up.".to_owned(),
            (None, None) => "gave no answer.".to_owned(),
        },
    ));
    lines.push(truth(sight));
    if let Some(bob) = estimates(sight) {
        lines.push(Entry::new(
            Seat::Opponent.person(),
            party(Seat::Opponent),
            bob,
        ));
    }
    if let Some(judged) = judged(sight) {
        lines.push(Entry::new(Seat::Judge.person(), party(Seat::Judge), judged));
    }
    lines.push(payoff(sight, stage, &teller));
    lines.push(Entry::default().then(Role::Faint, moral(sight.log, sight.scene.kind)));
    let formulas = rewards(sight.log).filter(|reward| !matches!(reward, Reward::Decided { .. }));
    for reward in formulas {
        lines.push(Entry::new(
            format!("  {}", reward.round()),
            Role::Faint,
            teller.formula(reward),
        ));
    }
    lines.push(Entry::new("Spent", Role::Title, spent(sight, ledger)));
    if let Some(players) = sight.scene.unveiled() {
        lines.push(Entry::new("Players", Role::Title, format!("{players}.")));
    }
    // What a result does not show stands here, so it is said wherever the result is.
    for (label, text) in [
        ("About", &sight.scene.about),
        ("Lesson", &sight.scene.debrief),
    ] {
        if !text.is_empty() {
            lines.push(Entry::new(label, Role::Title, text.clone()));
        }
    }
    lines
}

/// What came of a debate, in few lines: the payoff first, then why, the truth, and what was spent.
pub(super) fn outcome(
    sight: &Sight<'_, '_>,
    stage: &Stage,
    ledger: &Ledger,
    look: &Look,
) -> Vec<Entry> {
    let teller = sight.scene.teller(look);
    let paid = sight.state.payoff().to_float();
    let mut lines = vec![
        Entry::new("Payoff", Role::Title, "").then(sign(paid), Teller::paid(paid)),
        truth(sight),
    ];
    if let Some(why) = why(sight, stage, &teller) {
        lines.push(Entry::new("Why", Role::Title, why));
    }
    lines.push(Entry::new("Spent", Role::Title, spent(sight, ledger)));
    lines
}

/// Whether the claim is true, and whether Alice said so.
fn truth(sight: &Sight<'_, '_>) -> Entry {
    let instance = sight.scene.instance;
    let told = match (sight.state.odds(), instance.truth(instance.root())) {
        (Some(odds), _) => format!("Chance decides: {}.", Teller::odds(&odds)),
        (None, Some(truth)) => {
            // Where she could say nothing else, the verdict is what was found.
            let found = sight.state.finding().map(|found| found == truth);
            let right = match (found, sight.scene.fixes_claim) {
                (Some(true), true) => ", and so was the verdict.",
                (Some(false), true) => ": the verdict was wrong.",
                (Some(true), false) => ", as Alice said.",
                (Some(false), false) => ": Alice was wrong.",
                (None, _) => ".",
            };
            format!("It is {}{right}", Teller::truth(truth))
        }
        (None, None) => "Not known: nobody could decide it here.".to_owned(),
    };
    Entry::new("Truth", Role::Title, told)
}

/// For whom a verifier decided, where one did.
fn decision(sight: &Sight<'_, '_>) -> Option<bool> {
    rewards(sight.log).find_map(|reward| match reward {
        Reward::Decided { for_prover } => Some(*for_prover),
        _ => None,
    })
}

fn answer(sight: &Sight<'_, '_>) -> Option<bool> {
    sight
        .log
        .entries()
        .iter()
        .find_map(|entry| match entry.event {
            Event::Answered { answer, .. } => Some(answer),
            _ => None,
        })
}

/// Bob's first and last word.
fn estimates(sight: &Sight<'_, '_>) -> Option<String> {
    let entries = sight.log.entries();
    let first = entries.iter().find_map(|entry| match &entry.event {
        Event::Estimated { place: None, p, .. } => Some(p.to_float()),
        _ => None,
    })?;
    let (claim, last) = entries.iter().rev().find_map(|entry| match &entry.event {
        Event::Entered { claim, p, .. } => Some((*claim, p.as_ref()?.to_float())),
        _ => None,
    })?;
    let instance = sight.scene.instance;
    let first = format!("held it {} likely", percent(first));
    Some(if claim == instance.root() {
        format!("{first}.")
    } else {
        let claim = instance.short_text(claim);
        format!("{first}, and at last “{claim}” {} likely.", percent(last))
    })
}

fn judged(sight: &Sight<'_, '_>) -> Option<String> {
    let instance = sight.scene.instance;
    let mut backwards = sight.log.entries().iter().rev();
    let last = backwards.find_map(|entry| match entry.event {
        Event::Judged { claim, answer, .. } => Some((claim, answer)),
        _ => None,
    });
    last.map(|(claim, answer)| {
        let wrong = match instance.truth(claim) {
            Some(truth) if truth != answer => " That is not so.",
            _ => "",
        };
        format!(
            "said that “{}” is {}.{wrong}",
            instance.text(claim),
            Teller::truth(answer)
        )
    })
}

fn payoff(sight: &Sight<'_, '_>, stage: &Stage, teller: &Teller<'_>) -> Entry {
    let payoff = sight.state.payoff().to_float();
    let (role, paid) = (sign(payoff), Teller::paid(payoff));
    let entry = Entry::new("Payoff", Role::Title, "");
    match (decision(sight), why(sight, stage, teller)) {
        (Some(_), Some(won)) => entry.then(role, won + " ").then(Role::Text, paid),
        (None, Some(why)) => entry.then(role, paid).then(Role::Text, format!(" {why}")),
        (_, None) => entry.then(role, paid),
    }
}

/// How a payoff looks.
fn sign(payoff: f64) -> Role {
    match payoff {
        paid if paid > 0.0 => Role::Good,
        paid if paid < 0.0 => Role::Bad,
        _ => Role::Text,
    }
}

/// What made the payoff: a verifier's decision, else the round that outweighs the others.
fn why(sight: &Sight<'_, '_>, stage: &Stage, teller: &Teller<'_>) -> Option<String> {
    if let Some(for_prover) = decision(sight) {
        let (winner, loser) = if for_prover {
            (Seat::Prover, Seat::Opponent)
        } else {
            (Seat::Opponent, Seat::Prover)
        };
        let why = teller.verdict(sight.log);
        let why = why.map_or_else(String::new, |why| format!(", since {why}"));
        return Some(format!(
            "{} wins against {}{why}.",
            winner.person(),
            loser.person()
        ));
    }
    let (round, value) = stage.dominating()?;
    let paid = rewards(sight.log).filter(|reward| reward.round() == round);
    let because = paid.last().map_or_else(String::new, |reward| {
        format!(": {}", teller.because(reward))
    });
    let name = match round {
        Round::Initial => "The first estimate".to_owned(),
        Round::Number(k) => format!("Round {k}"),
    };
    Some(format!(
        "{name} made most of it ({}){because}.",
        signed(value, 3)
    ))
}

/// How many bits there were to read, and what they are: those that were written down, else those
/// of the circuit's input.
fn written(sight: &Sight<'_, '_>) -> Option<(u64, &'static str)> {
    let given = sight.log.entries().iter().map(|entry| match &entry.event {
        Event::Gave { bits, .. } => bits.len() as u64,
        _ => 0,
    });
    let given: u64 = given.sum();
    if given > 0 {
        return Some((given, "written down"));
    }
    let circuit = sight.scene.instance.circuit()?;
    Some((circuit.input_bits().len() as u64, "of the input"))
}

fn spent(sight: &Sight<'_, '_>, ledger: &Ledger) -> String {
    let most = written(sight);
    let each = |seat: Seat| {
        let Spent {
            oracle_queries,
            bits_read,
            configurations_read,
            samples,
            calls,
        } = *ledger.of(seat);
        let some = |count: u64, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            _ => Some(format!("{} {many}", grouped(count))),
        };
        let of = match most {
            Some((most, what)) if (1..=most).contains(&bits_read) => {
                format!(" of {} {what}", grouped(most))
            }
            _ => String::new(),
        };
        let parts: Vec<String> = [
            some(calls, "reply", "replies"),
            some(oracle_queries, "oracle query", "oracle queries"),
            some(bits_read, "bit read", "bits read").map(|read| read + &of),
            some(
                configurations_read,
                "configuration read",
                "configurations read",
            ),
            some(samples, "sample", "samples"),
        ]
        .into_iter()
        .flatten()
        .collect();
        let name = if seat == Seat::Judge && sight.scene.role(seat) == "judge" {
            "the judge"
        } else {
            seat.person()
        };
        if parts.is_empty() {
            format!("{name} nothing")
        } else {
            format!("{name} {}", parts.join(", "))
        }
    };
    format!("{}.", Seat::PLAYERS.map(each).join("; "))
}
