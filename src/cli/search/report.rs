//! What a search found: as text and JSON.

use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::frontier::Variant;
use crate::cli::Failure;
use crate::tui::panel::measure::wrap;
use debate_core::number::{parse, short_exact};
use debate_core::protocol::Warrants;
use debate_core::protocol::prover_estimator::{Carry, EarlyLeaf};
use debate_core::protocol::words::grouped;
use debate_lab::theory::search::{Finding, SearchResults, Space, Statement};

/// Lines are folded at so many columns.
const COLUMNS: usize = 80;

/// `search --json`: of one statement, or of a frontier a list.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "the schema of what is printed one by one")]
pub(in crate::cli) enum SearchDocument {
    One(Box<SearchReport>),
    Frontier(Vec<FrontierRow>),
}

/// What a search for one statement found.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct SearchReport {
    statement: &'static str,
    says: &'static str,
    /// The games in words.
    space: String,
    /// True if all games of the space were looked at.
    complete: bool,
    /// The games that were looked at, those that are the same up to turning claims round once.
    games: u64,
    /// Those in which the hypotheses hold.
    tested: u64,
    /// Those in which the statement fails.
    violations: u64,
    /// The smallest game in which it fails.
    pub(super) smallest: Option<Finding>,
    /// The game that is farthest beyond the bound, or nearest to it.
    farthest: Option<Finding>,
    seconds: f64,
    threads: usize,
}

impl SearchReport {
    /// Works out in fractions what was found, and solves it.
    pub(super) fn of(
        space: &Space,
        statement: Statement,
        results: &SearchResults,
        time: Duration,
        threads: usize,
    ) -> Result<Self, Failure> {
        let finding = |number: Option<u64>| -> Result<Option<Finding>, Failure> {
            let Some(number) = number else {
                return Ok(None);
            };
            let found = Finding::of(space, statement, number).map_err(Failure::input)?;
            match found {
                Some(found) if !found.is_confirmed() => Err(Failure::System(format!(
                    "game {number} ({}) comes to {} in the search and to {} by the rules; this is \
                     an error of the program",
                    found.game, found.value, found.solved
                ))),
                found => Ok(found),
            }
        };
        Ok(Self {
            statement: statement.name(),
            says: statement.says(),
            space: space.terms.to_string(),
            complete: results.first == 0 && results.end == space.len(),
            games: results.games,
            tested: results.tested,
            violations: results.violations,
            smallest: finding(results.smallest)?,
            farthest: finding(results.farthest.map(|(number, _)| number))?,
            seconds: time.as_secs_f64(),
            threads,
        })
    }

    /// In words; `saved`: the file with the smallest game's scenario.
    pub(super) fn lines(&self, saved: Option<&Path>) -> Vec<String> {
        let mut lines = Vec::new();
        fold(&format!("The statement: {}.", self.says), &mut lines);
        fold(&format!("The space: {}.", self.space), &mut lines);
        lines.push(String::new());
        let games = grouped(self.games);
        let tested = if self.tested == self.games {
            String::new()
        } else {
            format!(", {} of which meet its hypotheses", grouped(self.tested))
        };
        let end = if self.complete { "" } else { " so far" };
        let Some(found) = &self.smallest else {
            fold(
                &format!("It fails in none of {games} games of this space{tested}{end}."),
                &mut lines,
            );
            if let Some(nearest) = &self.farthest {
                lines.push(String::new());
                lines.push("The nearest to its bound:".to_owned());
                about(nearest, None, &mut lines);
            }
            return lines;
        };
        let fails = grouped(self.violations);
        fold(
            &format!("It fails in {fails} of {games} games{tested}{end}. The smallest:"),
            &mut lines,
        );
        about(found, saved, &mut lines);
        if let Some(farthest) = &self.farthest
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

/// What a variant of the rules guarantees honesty, and what it leaves liars.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct FrontierRow {
    /// conditional or marginal.
    carry: &'static str,
    /// jump or in-place.
    early_leaf: &'static str,
    /// none or challenge.
    warrants: &'static str,
    /// Of each statement what was found in this variant.
    statements: Vec<SearchReport>,
}

impl FrontierRow {
    /// What is compared: the guarantee to honesty first, then what liars are left.
    pub(super) const STATEMENTS: [Statement; 4] = [
        Statement::Completeness,
        Statement::Posterior,
        Statement::Soundness,
        Statement::TruthfulBob,
    ];

    pub(super) fn of(variant: Variant, statements: Vec<SearchReport>) -> Self {
        Self {
            carry: match variant.carry {
                Carry::Conditional => "conditional",
                Carry::Marginal => "marginal",
            },
            early_leaf: match variant.early_leaf {
                EarlyLeaf::Jump => "jump",
                EarlyLeaf::InPlace => "in-place",
            },
            warrants: match variant.warrants {
                Warrants::None => "none",
                Warrants::Challenge => "challenge",
            },
            statements,
        }
    }

    /// The table of all variants.
    pub(super) fn lines(rows: &[Self]) -> Vec<String> {
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
}
