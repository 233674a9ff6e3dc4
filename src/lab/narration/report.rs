//! The report at the end: what was claimed, what is true, what it paid, and what it cost.

use debate_core::number::{Exact, Number, percent, signed};
use debate_core::protocol::words::{Narrator, Script, grouped, moral, rewards};
use debate_core::protocol::{Event, Ledger, Log, Reward, Round, Rules, Seat, Spent};

use super::spoken::spoken_end;
use super::{Entry, RewardTable, StyleRole, Viewpoint, seat_role};

/// The report of a debate that is over. Only here is the truth told.
pub fn report(
    view: &Viewpoint<'_, '_>,
    table: &RewardTable,
    ledger: &Ledger,
    script: Script,
) -> Vec<Entry> {
    let instance = view.facts.instance;
    let narrator = view.facts.narrator(script);
    let root = instance.root();
    let mut lines = Vec::new();
    if let Some(question) = instance.question() {
        lines.push(titled("Question", question.text()));
        lines.push(truth(view));
        if let Some(end) = spoken_end(view.state, view.log, instance) {
            lines.push(said(Seat::Judge, end.judge));
        }
        lines.push(payoff(view, table, &narrator));
        lines.extend(closing(view, ledger));
        return lines;
    }
    let claim = format!("“{}”", instance.text(root));
    lines.push(titled("Claim", claim));
    lines.push(said(
        Seat::Prover,
        match (answer(view), view.state.answer()) {
            (Some(answer), _) => format!("said that it is {}.", Narrator::truth(answer)),
            // Under some rules she need not say it: all that she gave claims it.
            (None, Some(true)) => "stood by it being true.".to_owned(),
            (None, Some(false)) => "wrote down that it is false, and so gave up.".to_owned(),
            (None, None) => "gave no answer.".to_owned(),
        },
    ));
    lines.push(truth(view));
    if let Some(bob) = estimates(view) {
        lines.push(said(Seat::Opponent, bob));
    }
    if let Some(judged) = judged(view) {
        lines.push(said(Seat::Judge, judged));
    }
    lines.push(payoff(view, table, &narrator));
    lines.push(Entry::default().then(StyleRole::Faint, moral(view.log, view.facts.kind)));
    let formulas = rewards(view.log).filter(|reward| !matches!(reward, Reward::Decided { .. }));
    for reward in formulas {
        lines.push(Entry::new(
            format!("  {}", reward.round()),
            StyleRole::Faint,
            narrator.formula(reward),
        ));
    }
    lines.extend(closing(view, ledger));
    lines
}

/// What was spent, who played, and the scenario's texts.
fn closing(view: &Viewpoint<'_, '_>, ledger: &Ledger) -> Vec<Entry> {
    let mut lines = vec![titled("Spent", spent(view, ledger))];
    if let Some(players) = view.facts.revealed_players() {
        lines.push(titled("Players", format!("{players}.")));
    }
    // What a result does not show stands here, so it is said wherever the result is.
    for (label, text) in [
        ("About", &view.facts.about),
        ("Lesson", &view.facts.debrief),
    ] {
        if !text.is_empty() {
            lines.push(titled(label, text.clone()));
        }
    }
    lines
}

fn titled(label: &str, body: impl Into<String>) -> Entry {
    Entry::new(label, StyleRole::Title, body)
}

fn said(seat: Seat, body: impl Into<String>) -> Entry {
    Entry::new(seat.person(), seat_role(seat), body)
}

/// The result in few lines: the payoff, the reason for it, the truth, what was spent.
pub fn outcome(
    view: &Viewpoint<'_, '_>,
    table: &RewardTable,
    ledger: &Ledger,
    script: Script,
) -> Vec<Entry> {
    let narrator = view.facts.narrator(script);
    let paid = view.state.payoff().to_float();
    let mut lines = vec![
        titled("Payoff", "").then(sign(paid), Narrator::paid(paid)),
        truth(view),
    ];
    if let Some(why) = why(view, table, &narrator) {
        lines.push(titled("Why", why));
    }
    lines.push(titled("Spent", spent(view, ledger)));
    lines
}

fn truth(view: &Viewpoint<'_, '_>) -> Entry {
    let instance = view.facts.instance;
    if let Some(end) = spoken_end(view.state, view.log, instance) {
        return titled("Truth", end.right);
    }
    let told = match (view.state.odds(), instance.truth(instance.root())) {
        (Some(odds), _) => format!("Chance decides: {}.", Narrator::odds(&odds)),
        (None, Some(truth)) => {
            // Where she could say nothing else, the verdict is what was found.
            let found = view.state.finding().map(|found| found == truth);
            let right = match (found, view.facts.fixes_claim) {
                (Some(true), true) => ", and so was the verdict.",
                (Some(false), true) => ": the verdict was wrong.",
                (Some(true), false) => ", as Alice said.",
                (Some(false), false) => ": Alice was wrong.",
                (None, _) => ".",
            };
            format!("It is {}{right}", Narrator::truth(truth))
        }
        (None, None) => "Not known: nobody could decide it here.".to_owned(),
    };
    titled("Truth", told)
}

/// The winner and the reason, where a verifier decides.
pub(super) fn verdict(log: &Log<Exact>, narrator: &Narrator<'_>) -> Option<String> {
    let for_prover = rewards(log).find_map(|reward| match reward {
        Reward::Decided { for_prover } => Some(*for_prover),
        _ => None,
    })?;
    let (winner, loser) = if for_prover {
        (Seat::Prover, Seat::Opponent)
    } else {
        (Seat::Opponent, Seat::Prover)
    };
    let why = narrator.verdict(log);
    let why = why.map_or_else(String::new, |why| format!(", since {why}"));
    let (winner, loser) = (winner.person(), loser.person());
    Some(format!("{winner} wins against {loser}{why}."))
}

fn answer(view: &Viewpoint<'_, '_>) -> Option<bool> {
    view.log
        .entries()
        .iter()
        .find_map(|entry| match entry.event {
            Event::Answered { answer, .. } => Some(answer),
            _ => None,
        })
}

/// Bob's first and last estimate.
fn estimates(view: &Viewpoint<'_, '_>) -> Option<String> {
    let entries = view.log.entries();
    let first = entries.iter().find_map(|entry| match &entry.event {
        Event::Estimated { place: None, p, .. } => Some(p.to_float()),
        _ => None,
    })?;
    let (claim, last) = entries.iter().rev().find_map(|entry| match &entry.event {
        Event::Entered { claim, p, .. } => Some((*claim, p.as_ref()?.to_float())),
        _ => None,
    })?;
    let instance = view.facts.instance;
    let first = format!("held it {} likely", percent(first));
    Some(if claim == instance.root() {
        format!("{first}.")
    } else {
        let claim = instance.short_text(claim);
        format!("{first}, and at last “{claim}” {} likely.", percent(last))
    })
}

fn judged(view: &Viewpoint<'_, '_>) -> Option<String> {
    let instance = view.facts.instance;
    let mut backwards = view.log.entries().iter().rev();
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
            Narrator::truth(answer)
        )
    })
}

fn payoff(view: &Viewpoint<'_, '_>, table: &RewardTable, narrator: &Narrator<'_>) -> Entry {
    let payoff = view.state.payoff().to_float();
    let (role, paid) = (sign(payoff), Narrator::paid(payoff));
    let entry = titled("Payoff", "");
    match (verdict(view.log, narrator), why(view, table, narrator)) {
        (Some(won), _) => entry.then(role, won + " ").then(StyleRole::Text, paid),
        (None, Some(why)) => entry
            .then(role, paid)
            .then(StyleRole::Text, format!(" {why}")),
        (None, None) => entry.then(role, paid),
    }
}

fn sign(payoff: f64) -> StyleRole {
    match payoff {
        paid if paid > 0.0 => StyleRole::Good,
        paid if paid < 0.0 => StyleRole::Bad,
        _ => StyleRole::Text,
    }
}

/// The reason for the payoff: the verifier's decision, else the round that outweighs the others.
fn why(view: &Viewpoint<'_, '_>, table: &RewardTable, narrator: &Narrator<'_>) -> Option<String> {
    if let Some(verdict) = verdict(view.log, narrator) {
        return Some(verdict);
    }
    if view.facts.instance.question().is_some() {
        return None;
    }
    let (round, value) = table.dominating()?;
    let paid = rewards(view.log).filter(|reward| reward.round() == round);
    let because = paid.last().map_or_else(String::new, |reward| {
        format!(": {}", narrator.because(reward))
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

/// The number of bits that there were to read, and their name: those that Alice wrote down, else
/// the circuit's input.
fn written(view: &Viewpoint<'_, '_>) -> Option<(u64, &'static str)> {
    let given = view.log.entries().iter().map(|entry| match &entry.event {
        Event::Gave { bits, .. } => bits.len() as u64,
        _ => 0,
    });
    let given: u64 = given.sum();
    if given > 0 {
        return Some((given, "written down"));
    }
    let circuit = view.facts.instance.circuit()?;
    Some((circuit.input_bits().len() as u64, "of the input"))
}

fn spent(view: &Viewpoint<'_, '_>, ledger: &Ledger) -> String {
    let most = written(view);
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
        let name = if seat == Seat::Judge && view.facts.role(seat) == "judge" {
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
