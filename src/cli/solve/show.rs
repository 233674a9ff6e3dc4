//! What was solved: as JSON, as rows of values, and in words.

use std::io::Write;

use serde_json::{Map, Value, json};

use super::super::{Failure, report};
use super::{Found, Point};
use crate::analysis::{EXPENSES, Expected, Solved};
use crate::export::table;
use crate::number::{Exact, Number, neat, percent, settled, short, signed};
use crate::protocol::{Kind, Round, Seat};
use crate::setup::Setup;
use crate::text::safe;
use crate::tui::panel::measure::wrap;

/// How many instances are told one by one.
const MAX_LISTED: usize = 1000;
/// How many of a table's.
const MAX_ROWS: usize = 12;
/// Lines are folded at so many columns.
const COLUMNS: usize = 80;

/// A number for scripts: a fraction in a string where it is exact.
fn number<N: Number>(value: &N) -> Value {
    match text(value) {
        Some(fraction) => Value::String(fraction),
        None => json!(value.to_float()),
    }
}

/// A fraction, where the number is exact.
fn text<N: Number>(value: &N) -> Option<String> {
    let exact = (value as &dyn std::any::Any).downcast_ref::<Exact>()?;
    Some(format!("{}/{}", exact.numer(), exact.denom()))
}

/// A number for scripts, unquoted.
fn plain<N: Number>(value: &N) -> String {
    text(value).unwrap_or_else(|| format!("{}", value.to_float()))
}

/// The value as the protocol understands it: of stochastic debate the probability that Alice wins.
fn value<N: Number>(point: &Point, solved: &Solved<N>) -> N {
    match point.protocol.kind() {
        Kind::Stochastic => solved.prover_wins(),
        _ => solved.expected.value(),
    }
}

/// Whether one side gets 1 and the other −1.
fn is_decided(point: &Point) -> bool {
    point.protocol.reward_ratio().is_none()
}

fn ledger<N: Number>(expected: &Expected<N>) -> Value {
    let seat = |seat: Seat| {
        let kinds = EXPENSES.iter().zip(expected.spent(seat));
        let spent = kinds.map(|(kind, amount)| ((*kind).to_owned(), number(amount)));
        let spent: Map<_, _> = spent.collect();
        (seat.name().to_owned(), Value::Object(spent))
    };
    Value::Object(Seat::PLAYERS.map(seat).into_iter().collect())
}

pub(super) fn json<N: Number>(found: &Found<N>, sweep: Option<&str>) -> Value {
    let (point, mean) = (&found.point, &found.mean);
    let players = point.players.each_ref().map(ToString::to_string);
    let rounds = mean.schedule.iter().zip(&mean.expected.by_round);
    let rounds: Vec<Value> = rounds
        .map(|((round, weight), expected)| {
            json!({
                "round": report::round(*round),
                "weight": weight.as_ref().map(number),
                "expected": number(expected),
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
        "variance": number(&mean.expected.variance()),
        "ledger": ledger(&mean.expected),
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
    found: &[Found<N>],
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
        let mut row = |name: &str, solved: &Solved<N>| {
            let point = &found.point;
            let mut cells: Vec<String> = point
                .value
                .iter()
                .map(|v| plain(&N::from_exact(v)))
                .collect();
            cells.push(table::text(name));
            cells.push(plain(&value(point, solved)));
            cells.push(plain(&solved.expected.variance()));
            cells.push(
                solved
                    .answer_correct
                    .as_ref()
                    .map_or_else(String::new, plain),
            );
            cells.extend(rounds.iter().map(|round| {
                let mut known = solved.schedule.iter().zip(&solved.expected.by_round);
                let reward = known.find(|((other, _), _)| other == round);
                reward.map_or_else(String::new, |(_, reward)| plain(reward))
            }));
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

/// A number for people: with its fraction where it is exact. Of sums of `of` and more.
fn told<N: Number>(value: &N, of: f64) -> String {
    let float = value.to_float();
    match text(value) {
        Some(fraction) if fraction.ends_with("/1") => signed(float, 6),
        Some(fraction) => format!("{} = {fraction}", signed(float, 6)),
        None => signed(settled(float, of), 6),
    }
}

fn paragraph(out: &mut impl Write, text: &str) -> Result<(), Failure> {
    for line in wrap(text, COLUMNS) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn introduce<N: Number>(
    out: &mut impl Write,
    setup: &Setup,
    found: &Found<N>,
) -> Result<(), Failure> {
    let point = &found.point;
    let kind = point.protocol.kind();
    let summary = match point.protocol.summary() {
        summary if summary.is_empty() => String::new(),
        summary => format!(" ({summary})"),
    };
    writeln!(out, "{}", safe(&setup.title))?;
    let instances = match found.each.as_slice() {
        [(name, _)] if setup.decomposition.worlds().len() == 1 || name.is_empty() => String::new(),
        [(name, _)] => format!(" Instance {}.", safe(name)),
        each => format!(" The mean over {} instances.", each.len()),
    };
    paragraph(
        out,
        &format!("Rules: {} debate{summary}.{instances}", kind.name()),
    )?;
    let [prover, opponent, judge] = &point.players;
    paragraph(
        out,
        &format!(
            "Alice, the {}, plays {prover}; Bob, the {}, plays {opponent}; the judge is {judge}.",
            kind.title(Seat::Prover),
            kind.title(Seat::Opponent),
        ),
    )
}

/// One point, round by round.
pub(super) fn table<N: Number>(
    out: &mut impl Write,
    setup: &Setup,
    found: &Found<N>,
    quiet: bool,
) -> Result<(), Failure> {
    let (point, mean) = (&found.point, &found.mean);
    if !quiet {
        introduce(out, setup, found)?;
        writeln!(out)?;
    }
    if is_decided(point) {
        let wins = mean.prover_wins();
        writeln!(out, "Alice wins with probability {}.", chance(&wins))?;
        writeln!(
            out,
            "Alice expects {} (a win pays her 1, a loss −1).",
            told(&mean.expected.value(), 1.0)
        )?;
    } else {
        rounds(out, mean)?;
        writeln!(out)?;
        let value = told(&mean.expected.value(), 1.0);
        let deviation = deviation(&mean.expected);
        writeln!(
            out,
            "Alice expects {value} a debate, and Bob the opposite; the standard deviation is {}.",
            short(deviation, 4)
        )?;
    }
    if let Some(correct) = &mean.answer_correct {
        writeln!(
            out,
            "What she says of the claim is true with probability {}.",
            chance(correct)
        )?;
    }
    if quiet {
        return Ok(());
    }
    spent(out, &mean.expected)?;
    each(out, found)?;
    best(out, point)
}

/// The standard deviation. In floating point its square is the difference of two numbers.
fn deviation<N: Number>(expected: &Expected<N>) -> f64 {
    let variance = expected.variance();
    let square = expected.square.to_float();
    let scale = if text(&variance).is_some() {
        0.0
    } else {
        square
    };
    settled(variance.to_float(), scale).max(0.0).sqrt()
}

fn chance<N: Number>(p: &N) -> String {
    match text(p) {
        Some(fraction) if fraction.ends_with("/1") => percent(p.to_float()),
        Some(fraction) => format!("{} ({fraction})", percent(p.to_float())),
        None => percent(settled(p.to_float(), 1.0)),
    }
}

fn stake_of<N: Number>(weight: Option<&N>) -> f64 {
    weight.map_or(1.0, Number::to_float)
}

fn rounds<N: Number>(out: &mut impl Write, mean: &Solved<N>) -> Result<(), Failure> {
    writeln!(
        out,
        "  {:<8}{:>14}   Alice's expected reward",
        "round", "at stake"
    )?;
    for ((round, weight), reward) in mean.schedule.iter().zip(&mean.expected.by_round) {
        let stake = weight.as_ref().map_or_else(
            || "differs".to_owned(),
            |weight| short(weight.to_float(), 4),
        );
        let name = match round {
            Round::Initial => "root".to_owned(),
            Round::Number(0) => "0 (leaf)".to_owned(),
            Round::Number(k) => k.to_string(),
        };
        writeln!(
            out,
            "  {name:<8}{stake:>14}   {}",
            told(reward, stake_of(weight.as_ref()))
        )?;
    }
    Ok(())
}

/// What everybody spends, where it is more than replies.
fn spent<N: Number>(out: &mut impl Write, expected: &Expected<N>) -> Result<(), Failure> {
    for seat in Seat::PLAYERS {
        let kinds = EXPENSES.iter().zip(expected.spent(seat));
        let told: Vec<String> = kinds
            .filter(|(kind, amount)| **kind != "calls" && !amount.is_zero())
            .map(|(kind, amount)| {
                let amount = short(amount.to_float(), 6);
                format!("{amount} {}", kind.replace('_', " "))
            })
            .collect();
        if !told.is_empty() {
            let who = if seat == Seat::Judge {
                "The verifier"
            } else {
                seat.person()
            };
            writeln!(out, "{who} spends on average: {}.", told.join(", "))?;
        }
    }
    Ok(())
}

fn each<N: Number>(out: &mut impl Write, found: &Found<N>) -> Result<(), Failure> {
    if found.each.len() < 2 {
        return Ok(());
    }
    writeln!(out, "\nInstance by instance:")?;
    for (name, solved) in found.each.iter().take(MAX_ROWS) {
        writeln!(
            out,
            "  {:<24} {}",
            safe(name),
            told(&value(&found.point, solved), 1.0)
        )?;
    }
    if found.each.len() > MAX_ROWS {
        writeln!(
            out,
            "  … {} more (--json and --csv list them)",
            found.each.len() - MAX_ROWS
        )?;
    }
    Ok(())
}

/// What a best reply was chosen from.
fn best(out: &mut impl Write, point: &Point) -> Result<(), Failure> {
    let grid: Vec<String> = point.grid.iter().map(neat).collect();
    match point.best() {
        Some(Seat::Prover) if point.protocol.kind() != Kind::Stochastic => {
            writeln!(out)?;
            paragraph(
                out,
                "Alice's replies are the best there are against these players: she knows them, \
                 and every truth.",
            )
        }
        Some(Seat::Prover) if point.grid.is_empty() => {
            writeln!(out)?;
            paragraph(
                out,
                "Alice knows Bob and every probability, and says whatever gets her the most. Where \
                 no number is best, but some come ever nearer to a limit, the figure is that limit.",
            )
        }
        Some(_) if point.protocol.kind() == Kind::Stochastic => {
            writeln!(out)?;
            paragraph(
                out,
                "Bob knows Alice and every probability, and objects wherever that leaves her less.",
            )
        }
        Some(seat) => {
            writeln!(out)?;
            paragraph(
                out,
                &format!(
                    "{} knows the other players and every truth, and says the best of {} \
                     probabilities: {}. Probabilities between them may be better for it still: \
                     this bounds the true value from one side, and a finer --grid tells by how much \
                     it moves.",
                    seat.person(),
                    grid.len(),
                    grid.join(", ")
                ),
            )
        }
        None => Ok(()),
    }
}

/// A row for every value of a sweep.
pub(super) fn sweep<N: Number>(
    out: &mut impl Write,
    setup: &Setup,
    found: &[Found<N>],
    name: &str,
    quiet: bool,
) -> Result<(), Failure> {
    if let (Some(first), false) = (found.first(), quiet) {
        introduce(out, setup, first)?;
        writeln!(out, "Below, {name} takes the values of the first column.\n")?;
    }
    writeln!(out, "  {name:<12} {:<24} Alice answers truly", "value")?;
    for found in found {
        let at = found.point.value.as_ref().map_or_else(String::new, neat);
        let correct = found.mean.answer_correct.as_ref();
        let correct = correct.map_or_else(|| "not decidable".to_owned(), chance);
        let value = told(&value(&found.point, &found.mean), 1.0);
        writeln!(out, "  {at:<12} {value:<24} {correct}")?;
    }
    Ok(())
}
