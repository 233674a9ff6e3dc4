//! The report at the end: what was claimed, what is true, what it paid, and what it cost.

use super::{Amounts, Narrator, Script, expense, grouped, moral};
use debate_core::number::{Exact, Number, percent};
use debate_core::protocol::{Event, Ledger, Log, Reward, Round, Rules, Seat, Spent};

use super::spoken::spoken_end;
use super::{Line, RewardTable, Role, Viewpoint, seat_role};

/// The report of a debate that is over. Only here is the truth told. `result`: won or lost, and by
/// what, in the place of the payoff alone, where that was found out.
pub fn report(
    view: &Viewpoint<'_, '_>,
    table: &RewardTable,
    ledger: &Ledger,
    (result, amounts): (Option<String>, &Amounts),
    script: Script,
) -> Vec<Line> {
    let instance = view.facts.instance;
    let narrator = view.narrator(script);
    let root = instance.root();
    let mut lines = Vec::new();
    let said =
        |seat: Seat, body: String| Line::new(view.perspective.name(seat), seat_role(seat), body);
    if let Some(question) = instance.question() {
        lines.push(titled("Question", question.text()));
        lines.push(truth(view));
        if let Some(end) = spoken_end(view.state, view.log, instance, view.perspective) {
            lines.push(said(Seat::Judge, end.judge));
        }
        lines.push(payoff(view, table, (result, amounts), &narrator));
        lines.extend(closing(view, ledger));
        return lines;
    }
    let claim = format!("“{}”", instance.text(root));
    lines.push(titled("Claim", claim));
    lines.push(said(
        Seat::Prover,
        match (answer(view), view.state.answer()) {
            (Some(answer), _) => format!("said that it is {}.", Narrator::truth(answer)),
            // Under some rules it need not be said: all that was given claims it.
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
    lines.push(payoff(view, table, (result, amounts), &narrator));
    let lesson = moral(view.log, view.facts.kind);
    lines.push(Line::default().then(Role::Faint, script.spelled(&lesson)));
    let formulas = view
        .log
        .rewards()
        .filter(|reward| !matches!(reward, Reward::Decided { .. }));
    for reward in formulas {
        lines.push(Line::new(
            format!("  {}", table.label(reward.round())),
            Role::Faint,
            narrator.formula(reward),
        ));
    }
    lines.extend(closing(view, ledger));
    lines
}

/// The costs, the players and the scenario's texts.
fn closing(view: &Viewpoint<'_, '_>, ledger: &Ledger) -> Vec<Line> {
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

fn titled(label: &str, body: impl Into<String>) -> Line {
    Line::new(label, Role::Title, body)
}

/// The result in few lines: the payoff, the reason for it, the truth, what was spent.
pub fn outcome(
    view: &Viewpoint<'_, '_>,
    table: &RewardTable,
    ledger: &Ledger,
    amounts: &Amounts,
    script: Script,
) -> Vec<Line> {
    let narrator = view.narrator(script);
    let payoff = amounts.paid(&view.state.payoff());
    let mut lines = vec![paid(view, Some(payoff)), truth(view)];
    if let Some(why) = why(view, table, (&narrator, amounts)) {
        lines.push(titled("Why", why));
    }
    lines.push(titled("Spent", spent(view, ledger)));
    lines
}

fn truth(view: &Viewpoint<'_, '_>) -> Line {
    let instance = view.facts.instance;
    if let Some(end) = spoken_end(view.state, view.log, instance, view.perspective) {
        return titled("Truth", end.right);
    }
    let told = match (view.state.odds(), instance.truth(instance.root())) {
        (Some(odds), _) => format!("Chance decides: {}.", Narrator::odds(&odds)),
        (None, Some(truth)) => {
            // Where nothing else could be said, the verdict is what was found.
            let found = view.state.finding().map(|found| found == truth);
            let prover = view.perspective.within(Seat::Prover);
            let was = view.perspective.verb(Seat::Prover, "was", "were");
            let right = match (found, view.facts.fixes_claim) {
                (Some(true), true) => ", as the verdict has it.".to_owned(),
                (Some(false), true) => ": the verdict was wrong.".to_owned(),
                (Some(true), false) => format!(", as {prover} said."),
                (Some(false), false) => format!(": {prover} {was} wrong."),
                (None, _) => ".".to_owned(),
            };
            format!("It is {}{right}", Narrator::truth(truth))
        }
        (None, None) => "Not known: nobody could decide it here.".to_owned(),
    };
    titled("Truth", told)
}

/// The winner and the reason, where a verifier decides.
pub(super) fn verdict(log: &Log<Exact>, narrator: &Narrator<'_>) -> Option<String> {
    let for_prover = log.rewards().find_map(|reward| match reward {
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
    let perspective = narrator.perspective;
    let wins = perspective.verb(winner, "wins", "win");
    let (winner, loser) = (perspective.name(winner), perspective.within(loser));
    Some(format!("{winner} {wins} against {loser}{why}."))
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
            Some(truth) if truth == answer => " That is so.",
            Some(_) => " That is not so.",
            None => "",
        };
        format!(
            "said that “{}” is {}.{wrong}",
            instance.text(claim),
            Narrator::truth(answer)
        )
    })
}

fn payoff(
    view: &Viewpoint<'_, '_>,
    table: &RewardTable,
    (result, amounts): (Option<String>, &Amounts),
    narrator: &Narrator<'_>,
) -> Line {
    let paid = paid(view, result);
    match why(view, table, (narrator, amounts)) {
        Some(why) => paid.then(Role::Text, format!(" {why}")),
        None => paid,
    }
}

/// The payoff, good or bad for the seat that looks.
fn paid(view: &Viewpoint<'_, '_>, result: Option<String>) -> Line {
    let payoff = view.state.payoff();
    let role = sign(view.perspective.value(payoff.clone()).to_float());
    let result = result.unwrap_or_else(|| view.perspective.paid(payoff.to_float()));
    titled("Payoff", "").then(role, result)
}

fn sign(payoff: f64) -> Role {
    match payoff {
        paid if paid > 0.0 => Role::Good,
        paid if paid < 0.0 => Role::Bad,
        _ => Role::Text,
    }
}

/// The reason for the payoff: the verifier's decision, else the round that outweighs the others.
fn why(
    view: &Viewpoint<'_, '_>,
    table: &RewardTable,
    (narrator, amounts): (&Narrator<'_>, &Amounts),
) -> Option<String> {
    if let Some(verdict) = verdict(view.log, narrator) {
        return Some(verdict);
    }
    if view.facts.instance.question().is_some() {
        return None;
    }
    let (round, value) = table.dominating()?;
    let paid = view.log.rewards().filter(|reward| reward.round() == round);
    let because = paid.last().map_or_else(String::new, |reward| {
        format!(": {}", narrator.because(reward))
    });
    let name = match round {
        Round::Initial => "The first estimate".to_owned(),
        Round::Number(_) => format!("Round {}", table.label(round)),
    };
    Some(format!(
        "{name} weighed most ({}){because}.",
        amounts.gained(value)
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
        let some = |count: u64, kind: &str| (count > 0).then(|| expense(kind, grouped(count)));
        let of = match most {
            Some((most, what)) if (1..=most).contains(&bits_read) => {
                format!(" of {} {what}", grouped(most))
            }
            _ => String::new(),
        };
        let parts: Vec<String> = [
            some(calls, "calls"),
            some(oracle_queries, "oracle_queries"),
            some(bits_read, "bits_read").map(|read| read + &of),
            some(configurations_read, "configurations_read"),
            some(samples, "samples"),
        ]
        .into_iter()
        .flatten()
        .collect();
        let name = view.perspective.within(seat);
        if parts.is_empty() {
            format!("{name} nothing")
        } else {
            format!("{name} {}", parts.join(", "))
        }
    };
    format!("{}.", Seat::PLAYERS.map(each).join("; "))
}
