//! The report at the end: what was claimed, what is true, what it paid, and what it cost.

use crate::number::{Number, percent, signed};
use crate::protocol::words::{Teller, rewards};
use crate::protocol::{Event, Ledger, Round, Seat, Spent};
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
        match answer(sight) {
            Some(answer) => format!("said that it is {}.", Teller::truth(answer)),
            None => "gave no answer.".to_owned(),
        },
    ));
    let truth = match instance.truth(root) {
        Some(truth) => {
            let right = match answer(sight) {
                Some(answer) if answer == truth => ", as Alice said.",
                Some(_) => ": Alice was wrong.",
                None => ".",
            };
            format!("It is {}{right}", Teller::truth(truth))
        }
        None => "Not known: nobody could decide it here.".to_owned(),
    };
    lines.push(Entry::new("Truth", Role::Title, truth));
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
    let moral = "One debate proves nothing, the average does; the payoff is a training signal, \
                 not a verdict.";
    lines.push(Entry::default().then(Role::Faint, moral));
    for reward in rewards(sight.log) {
        lines.push(Entry::new(
            format!("  {}", reward.round()),
            Role::Faint,
            teller.formula(reward),
        ));
    }
    lines.push(Entry::new("Spent", Role::Title, spent(sight, ledger)));
    if !sight.scene.about.is_empty() {
        // What a result does not show stands here, so it is said wherever the result is.
        lines.push(Entry::new("About", Role::Title, sight.scene.about.clone()));
    }
    lines
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
    use crate::protocol::Rules;
    let payoff = sight.state.payoff().to_float();
    let role = match payoff {
        paid if paid > 0.0 => Role::Good,
        paid if paid < 0.0 => Role::Bad,
        _ => Role::Text,
    };
    let entry = Entry::new("Payoff", Role::Title, "").then(role, Teller::paid(payoff));
    let Some((round, value)) = stage.dominating() else {
        return entry;
    };
    let paid = rewards(sight.log).filter(|reward| reward.round() == round);
    let because = paid.last().map_or_else(String::new, |reward| {
        format!(": {}", teller.because(reward))
    });
    let name = match round {
        Round::Initial => "The first estimate".to_owned(),
        Round::Number(k) => format!("Round {k}"),
    };
    let most = format!(" {name} made most of it ({}){because}.", signed(value, 3));
    entry.then(Role::Text, most)
}

fn spent(sight: &Sight<'_, '_>, ledger: &Ledger) -> String {
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
            _ => Some(format!("{count} {many}")),
        };
        let parts: Vec<String> = [
            some(calls, "reply", "replies"),
            some(oracle_queries, "oracle query", "oracle queries"),
            some(bits_read, "bit read", "bits read"),
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
