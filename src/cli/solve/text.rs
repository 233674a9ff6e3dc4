//! What was solved, in words and tables for people.

use std::io::Write;

use super::{knowing, soundness};
use crate::cli::Failure;
use crate::tui::widget::measure::wrap;
use debate_core::number::{
    Number, canonical, percent, short, short_exact, signed, without_rounding,
};
use debate_core::protocol::{Kind, Round, Seat};
use debate_core::text::safe;
use debate_lab::analysis::Solution;
use debate_lab::expectation::{EXPENSES, Expected, ReportNumber};
use debate_lab::setup::Setup;
use debate_lab::tell::expense;
use debate_lab::theory::{JudgeErrors, SolvedPoint, SweepPoint};

/// How many of a table's.
const MAX_ROWS: usize = 12;
/// Lines are folded at so many columns.
const COLUMNS: usize = 80;

/// A number for people: with its fraction where it is exact. Of sums of `of` and more.
fn told<N: Number>(value: &N, of: f64) -> String {
    let figure = signed(ReportNumber::shown(value, of), 6);
    match ReportNumber::of(value) {
        ReportNumber::Fraction(text) if !text.ends_with("/1") => format!("{figure} = {text}"),
        _ => figure,
    }
}

pub(super) fn paragraph(out: &mut impl Write, text: &str) -> Result<(), Failure> {
    for line in wrap(text, COLUMNS) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn introduce<N: Number>(
    out: &mut impl Write,
    setup: &Setup,
    found: &SolvedPoint<N>,
) -> Result<(), Failure> {
    let point = &found.point;
    let kind = point.protocol.kind();
    let summary = match point.protocol.summary() {
        summary if summary.is_empty() => String::new(),
        summary => format!(" ({summary})"),
    };
    writeln!(out, "{}", safe(&setup.title))?;
    let instances = match found.instances.as_slice() {
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
pub(super) fn point<N: Number>(
    out: &mut impl Write,
    setup: &Setup,
    found: &SolvedPoint<N>,
    quiet: bool,
) -> Result<(), Failure> {
    let (point, mean) = (&found.point, &found.mean);
    if !quiet {
        introduce(out, setup, found)?;
        writeln!(out)?;
    }
    if point.is_decided() {
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
        let what = if point.protocol.conditions().fixes_claim() {
            "The verdict on the claim is right"
        } else {
            "What she says of the claim is true"
        };
        writeln!(out, "{what} with probability {}.", chance(correct))?;
    }
    if quiet {
        return Ok(());
    }
    spent(out, &mean.expected)?;
    each(out, found)?;
    if let Some(errors) = &found.judge_errors {
        judge_errors(out, errors)?;
    }
    if let Some(found) = &found.soundness {
        soundness::told(out, found, point)?;
    }
    best(out, point)
}

/// The standard deviation. In floating point its square is the difference of two numbers.
fn deviation<N: Number>(expected: &Expected<N>) -> f64 {
    let variance = expected.variance();
    let square = expected.square.to_float();
    let scale = match ReportNumber::of(&variance) {
        ReportNumber::Fraction(_) => 0.0,
        ReportNumber::Decimal(_) => square,
    };
    without_rounding(variance.to_float(), scale).max(0.0).sqrt()
}

fn chance<N: Number>(p: &N) -> String {
    match ReportNumber::of(p) {
        ReportNumber::Fraction(text) if !text.ends_with("/1") => {
            format!("{} ({text})", percent(p.to_float()))
        }
        _ => percent(p.to_float()),
    }
}

fn stake_of<N: Number>(weight: Option<&N>) -> f64 {
    weight.map_or(1.0, Number::to_float)
}

fn rounds<N: Number>(out: &mut impl Write, mean: &Solution<N>) -> Result<(), Failure> {
    writeln!(
        out,
        "  {:<8}{:>14}   Alice's expected reward",
        "round", "at stake"
    )?;
    for ((round, weight), reward) in mean.schedule.iter().zip(mean.expected.by_round()) {
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
            told(&reward, stake_of(weight.as_ref()))
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
            .map(|(kind, amount)| expense(kind, short(amount.to_float(), 6)))
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

fn each<N: Number>(out: &mut impl Write, found: &SolvedPoint<N>) -> Result<(), Failure> {
    if found.instances.len() < 2 {
        return Ok(());
    }
    writeln!(out, "\nInstance by instance:")?;
    for (name, solved) in found.instances.iter().take(MAX_ROWS) {
        writeln!(
            out,
            "  {:<24} {}",
            safe(name),
            told(&found.point.value(solved), 1.0)
        )?;
    }
    if found.instances.len() > MAX_ROWS {
        writeln!(
            out,
            "  … {} more (--json and --csv list them)",
            found.instances.len() - MAX_ROWS
        )?;
    }
    Ok(())
}

/// The leaves that are named as the worst to be wrong about.
const MAX_WRONG: usize = 3;

/// How wrong the judge may be.
fn judge_errors(out: &mut impl Write, errors: &JudgeErrors) -> Result<(), Failure> {
    let terms = errors.polynomial.iter().enumerate();
    let terms = terms.map(|(power, coefficient)| {
        let number = signed(coefficient.to_float(), 6);
        match power {
            0 => number,
            1 => format!("{number}·f"),
            power => format!("{number}·f^{power}"),
        }
    });
    let terms: Vec<String> = terms.collect();
    let root = match &errors.break_even {
        Some([low, high]) if low == high => format!("first 0 at f = {}", canonical(low)),
        Some([low, _]) => format!("first 0 at f = {}", short(low.to_float(), 10)),
        None => "0 nowhere from 0 to 1".to_owned(),
    };
    let payoff = if terms.is_empty() {
        "0, whatever f is".to_owned()
    } else {
        format!("{}, which is {root}", terms.join(" "))
    };
    let allowed = errors.allowed.as_ref().map_or_else(String::new, |allowed| {
        format!(
            " Against every Bob, honest Alice keeps her bound up to ρε = {}, where the decomposition \
             is stable (PE Lemma A.5).",
            short_exact(allowed)
        )
    });
    writeln!(out)?;
    paragraph(
        out,
        &format!(
            "How wrong may the judge be? Between these players, before a judge who flips each answer \
             with probability f, Alice expects {payoff}.{allowed}"
        ),
    )?;
    let most = short(errors.any_leaves_cost_at_most.to_float(), 4);
    let Some(leaves) = &errors.worst_leaves else {
        let text = format!(
            "There are too many leaves to be wrong about one by one; to be wrong about any of them, \
             always, costs her at most {most}."
        );
        return paragraph(out, &text);
    };
    let named = leaves.iter().take(MAX_WRONG);
    let named: Vec<String> = named
        .map(|leaf| {
            let cost = short(leaf.cost.to_float(), 4);
            format!("{} `{}` ({cost})", safe(&leaf.leaf), safe(&leaf.claim))
        })
        .collect();
    let text = if named.is_empty() {
        "A judge who is wrong about any leaves, always, costs her nothing.".to_owned()
    } else {
        format!(
            "Leaves about which it costs her the most that the judge is wrong, always: {}; one \
             answer is asked for, so the costs of several add up, {most} for all that cost her.",
            named.join(", "),
        )
    };
    paragraph(out, &text)
}

/// What a best reply was chosen from.
fn best(out: &mut impl Write, point: &SweepPoint) -> Result<(), Failure> {
    let grid: Vec<String> = point.grid.iter().map(short_exact).collect();
    if let Some(terms) = &point.knowing {
        writeln!(out)?;
        return paragraph(out, &knowing::told(terms, &grid));
    }
    match point.best_response() {
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
        Some(_) if grid.is_empty() => {
            writeln!(out)?;
            paragraph(
                out,
                "Bob's replies are the best there are against these players: he knows them, and \
                 every truth.",
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
    found: &[SolvedPoint<N>],
    name: &str,
    quiet: bool,
) -> Result<(), Failure> {
    if let (Some(first), false) = (found.first(), quiet) {
        introduce(out, setup, first)?;
        writeln!(out, "Below, {name} takes the values of the first column.\n")?;
    }
    let fixes_claim = |found: &SolvedPoint<N>| found.point.protocol.conditions().fixes_claim();
    let truly = if found.iter().any(fixes_claim) {
        "the verdict is right"
    } else {
        "Alice answers truly"
    };
    writeln!(out, "  {name:<12} {:<24} {truly}", "value")?;
    for found in found {
        let at = found
            .point
            .value
            .as_ref()
            .map_or_else(String::new, short_exact);
        let correct = found.mean.answer_correct.as_ref();
        let correct = correct.map_or_else(|| "not decidable".to_owned(), chance);
        let value = told(&found.point.value(&found.mean), 1.0);
        writeln!(out, "  {at:<12} {value:<24} {correct}")?;
    }
    Ok(())
}
