//! What searches found, in lines.

use std::path::Path;

use crate::tui::widget::measure::wrap;
use debate_core::number::{parse, short_exact};
use debate_lab::tell::grouped;
use debate_lab::theory::search::{Finding, FrontierRow, SearchReport};

/// Lines are folded at so many columns.
const COLUMNS: usize = 80;

/// In words; `saved`: the file with the smallest game's scenario.
pub(super) fn search_lines(report: &SearchReport, saved: Option<&Path>) -> Vec<String> {
    let mut lines = Vec::new();
    fold(&format!("The statement: {}.", report.says), &mut lines);
    fold(&format!("The space: {}.", report.space), &mut lines);
    lines.push(String::new());
    let games = grouped(report.games);
    let tested = if report.tested == report.games {
        String::new()
    } else {
        format!(", {} of which meet its hypotheses", grouped(report.tested))
    };
    let end = if report.complete { "" } else { " so far" };
    let Some(found) = &report.smallest else {
        fold(
            &format!("It fails in none of {games} games of this space{tested}{end}."),
            &mut lines,
        );
        if let Some(nearest) = &report.farthest {
            lines.push(String::new());
            lines.push("The nearest to its bound:".to_owned());
            about(nearest, None, &mut lines);
        }
        return lines;
    };
    let fails = grouped(report.violations);
    fold(
        &format!("It fails in {fails} of {games} games{tested}{end}. The smallest:"),
        &mut lines,
    );
    about(found, saved, &mut lines);
    if let Some(farthest) = &report.farthest
        && farthest.number != found.number
    {
        lines.push(String::new());
        lines.push("The farthest beyond its bound:".to_owned());
        about(farthest, None, &mut lines);
    }
    if saved.is_none() {
        lines.push(String::new());
        fold(
            "With --save FILE the scenario of the smallest is written to FILE, and `debate-tui \
             solve FILE` with the flags above finds the value.",
            &mut lines,
        );
    }
    lines
}

fn fold(text: &str, lines: &mut Vec<String>) {
    lines.extend(wrap(text, COLUMNS).into_iter().map(str::to_owned));
}

/// A fraction, with a decimal number beside it where it is long.
fn number(fraction: &str) -> String {
    let value = parse(fraction).ok();
    let decimal = value.map(|value| short_exact(&value));
    match decimal {
        Some(decimal) if decimal != fraction => format!("{fraction} ({decimal})"),
        _ => fraction.to_owned(),
    }
}

fn about(found: &Finding, saved: Option<&Path>, lines: &mut Vec<String>) {
    let mut push = |text: &str| {
        let folded = wrap(text, COLUMNS - 2).into_iter();
        lines.extend(folded.map(|line| format!("  {line}")));
    };
    push(&format!("{}.", found.game));
    push(&format!(
        "Alice expects {}, and the bound is {}; in units of r^(d+1) she expects {}.",
        number(&found.value),
        number(&found.bound),
        number(&found.units)
    ));
    let file = saved.map_or_else(|| "FILE".to_owned(), |path| path.display().to_string());
    lines.push(format!("  debate-tui solve {file} {}", found.flags));
}

/// The table of all variants.
pub(super) fn frontier_lines(rows: &[FrontierRow]) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(first) = rows.first().and_then(|row| row.statements.first()) {
        fold(
            "In units of r^(d+1), what a true answer is paid: what honest Alice expects at least \
             on stable games, and what whoever answers falsely or knows nothing gets at most.",
            &mut lines,
        );
        fold(&format!("The space: {}.", first.space), &mut lines);
        lines.push(String::new());
    }
    lines.push(format!(
        "{:12} {:10} {:9} {:>10} {:>11} {:>14} {:>13}",
        "carry",
        "early leaf",
        "warrants",
        "honest",
        "liar, bayes",
        "liar, marginal",
        "liar, unsound"
    ));
    for row in rows {
        let cells = row.statements.iter().map(|report| {
            let units = report.farthest.as_ref().map(|found| &found.units);
            let value = units.and_then(|units| parse(units).ok());
            value.map_or_else(|| "-".to_owned(), |value| short_exact(&value))
        });
        let cells: Vec<String> = cells.collect();
        let [honest, bayes, marginal, truthful] = &cells[..] else {
            continue;
        };
        lines.push(format!(
            "{:12} {:10} {:9} {honest:>10} {bayes:>11} {marginal:>14} {truthful:>13}",
            row.carry, row.early_leaf, row.warrants
        ));
    }
    lines.push(String::new());
    for row in rows {
        for report in &row.statements {
            let Some(found) = &report.farthest else {
                continue;
            };
            fold(
                &format!(
                    "{}, {}, {}, {}: {}",
                    row.carry, row.early_leaf, row.warrants, report.statement, found.game
                ),
                &mut lines,
            );
        }
    }
    lines
}
