//! What was solved: as JSON, as rows of values, and in words.

mod words;

use std::collections::HashMap;
use std::io::Write;

use serde_json::{Value, json};

use super::super::figures::by_seat;
use super::super::{Failure, report};
use super::{SolvedPoint, SweepPoint};
use debate_core::number::{Exact, Number};
use debate_core::protocol::{Kind, Round, Seat};
use debate_lab::analysis::{EXPENSES, Expected, Solution, fraction};
use debate_lab::export::table;
pub(super) use words::{sweep, table};

/// How many instances are told one by one.
const MAX_LISTED: usize = 1000;

/// A number for scripts: a fraction in a string where it is exact.
fn number<N: Number>(value: &N) -> Value {
    match exact(value) {
        Some(exact) => Value::String(fraction(exact)),
        None => json!(value.to_float()),
    }
}

fn exact<N: Number>(value: &N) -> Option<&Exact> {
    (value as &dyn std::any::Any).downcast_ref()
}

/// A fraction, where the number is exact.
fn text<N: Number>(value: &N) -> Option<String> {
    exact(value).map(fraction)
}

/// A number for scripts, unquoted.
fn plain<N: Number>(value: &N) -> String {
    text(value).unwrap_or_else(|| format!("{}", value.to_float()))
}

/// The value as the protocol understands it: of stochastic debate the probability that Alice wins.
fn value<N: Number>(point: &SweepPoint, solved: &Solution<N>) -> N {
    match point.protocol.kind() {
        Kind::Stochastic => solved.prover_wins(),
        _ => solved.expected.value(),
    }
}

/// What a round pays in the unit of [`value`]. A round of stochastic debate pays ±`weight`, and adds
/// half of what it pays and half of its weight to the probability that Alice wins.
fn reward<N: Number>(point: &SweepPoint, weight: Option<&N>, expected: &N) -> N {
    match (point.protocol.kind(), weight) {
        (Kind::Stochastic, Some(weight)) => (expected.clone() + weight.clone()) * N::ratio(1, 2),
        _ => expected.clone(),
    }
}

/// The variance of a debate in the unit of [`value`].
fn variance<N: Number>(point: &SweepPoint, solved: &Solution<N>) -> N {
    let variance = solved.expected.variance();
    match point.protocol.kind() {
        Kind::Stochastic => variance * N::ratio(1, 4),
        _ => variance,
    }
}

/// Whether one side gets 1 and the other −1.
fn is_decided(point: &SweepPoint) -> bool {
    point.protocol.reward_ratio().is_none()
}

/// What a seat spends on average.
fn spent<N: Number>(expected: &Expected<N>, seat: Seat) -> Value {
    let kinds = EXPENSES.iter().zip(expected.spent(seat));
    let spent = kinds.map(|(kind, amount)| ((*kind).to_owned(), number(amount)));
    Value::Object(spent.collect())
}

pub(super) fn json<N: Number>(found: &SolvedPoint<N>, sweep: Option<&str>) -> Value {
    let (point, mean) = (&found.point, &found.mean);
    let players = point.players.each_ref().map(ToString::to_string);
    let rounds = mean.schedule.iter().zip(mean.expected.by_round());
    let rounds: Vec<Value> = rounds
        .map(|((round, weight), expected)| {
            json!({
                "round": report::round(*round),
                "weight": weight.as_ref().map(number),
                "expected": number(&reward(point, weight.as_ref(), &expected)),
            })
        })
        .collect();
    let ratio = point.protocol.reward_ratio();
    let mut document = json!({
        "protocol": point.protocol.kind().name(),
        "parameters": point.protocol.to_string(),
        "prover": players[0],
        "opponent": players[1],
        "judge": players[2],
        "depth": mean.depth,
        "reward_ratio": ratio.map(|ratio| number(&N::from_exact(&ratio))),
        "value": number(&value(point, mean)),
        "by_round": rounds,
        "answer_correct": mean.answer_correct.as_ref().map(number),
        "variance": number(&variance(point, mean)),
        "ledger": spent(&mean.expected, Seat::Judge),
        "ledger_by_seat": by_seat(|seat| spent(&mean.expected, seat)),
        "instances": found.each.len(),
        "replies_played": mean.played,
    });
    let mut add = |name: &str, value: Value| {
        if let Some(fields) = document.as_object_mut() {
            fields.insert(name.to_owned(), value);
        }
    };
    if is_decided(point) {
        add("prover_wins", number(&mean.prover_wins()));
    }
    match found.each.as_slice() {
        [(name, _)] => add("instance", json!(name)),
        each => {
            let each = each.iter().take(MAX_LISTED).map(|(name, solved)| {
                json!({
                    "instance": name,
                    "value": number(&value(point, solved)),
                    "answer_correct": solved.answer_correct.as_ref().map(number),
                })
            });
            add("each", each.collect());
        }
    }
    if point.best().is_some() && !point.grid.is_empty() {
        let grid = point.grid.iter().map(|p| number(&N::from_exact(p)));
        add("grid", grid.collect());
    }
    if let (Some(name), Some(value)) = (sweep, &point.value) {
        add(name, number(&N::from_exact(value)));
    }
    document
}

fn round_name(round: Round) -> String {
    match round {
        Round::Initial => "r_init".to_owned(),
        Round::Number(k) => format!("r_{k}"),
    }
}

/// One row a point; without a sweep one row an instance, and their mean.
pub(super) fn csv<N: Number>(
    out: &mut impl Write,
    found: &[SolvedPoint<N>],
    sweep: Option<&str>,
) -> Result<(), Failure> {
    let Some(first) = found.first() else {
        return Ok(());
    };
    let rounds: Vec<Round> = first
        .mean
        .schedule
        .iter()
        .map(|(round, _)| *round)
        .collect();
    let mut header: Vec<String> = sweep.map(str::to_owned).into_iter().collect();
    let fixed = ["instance", "value", "variance", "answer_correct"];
    header.extend(fixed.map(str::to_owned));
    header.extend(rounds.iter().map(|round| round_name(*round)));
    writeln!(out, "{}", table::line(header))?;
    for found in found {
        let mut row = |name: &str, solved: &Solution<N>| {
            let point = &found.point;
            let mut cells: Vec<String> = point
                .value
                .iter()
                .map(|v| plain(&N::from_exact(v)))
                .collect();
            cells.push(table::text(name));
            cells.push(plain(&value(point, solved)));
            cells.push(plain(&variance(point, solved)));
            cells.push(
                solved
                    .answer_correct
                    .as_ref()
                    .map_or_else(String::new, plain),
            );
            let known = solved.schedule.iter();
            let known = known.zip(solved.expected.by_round());
            let known: HashMap<_, _> = known
                .map(|((round, weight), expected)| {
                    (*round, reward(point, weight.as_ref(), &expected))
                })
                .collect();
            let paid = |round| known.get(round).map_or_else(String::new, plain);
            cells.extend(rounds.iter().map(paid));
            writeln!(out, "{}", table::line(cells))
        };
        if sweep.is_none() && found.each.len() > 1 {
            for (name, solved) in &found.each {
                row(name, solved)?;
            }
        }
        match found.each.as_slice() {
            [(name, solved)] => row(name, solved)?,
            _ => row("all", &found.mean)?,
        }
    }
    Ok(())
}
