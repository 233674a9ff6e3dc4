//! `search`: what was found among small games.

use std::path::Path;

use super::{Page, Tell};
use crate::tell::grouped;
use crate::tell::{Line, Role};
use debate_core::number::{parse, short_exact};
use debate_solver::theory::search::{Finding, FrontierRow, SearchReport};
use schemars::JsonSchema;
use serde::Serialize;

/// A search for one statement.
#[derive(Debug)]
pub struct SearchPage<'r> {
    pub report: &'r SearchReport,
    /// The file with the smallest game's scenario.
    pub saved: Option<&'r Path>,
}

impl Tell for SearchPage<'_> {
    fn document(&self) -> impl Serialize + JsonSchema {
        self.report
    }

    fn page(&self) -> Page {
        let (report, saved) = (self.report, self.saved);
        let mut page = Page::default();
        page.paragraph(format!("The statement: {}.", report.says));
        page.paragraph(format!("The space: {}.", report.space));
        page.gap();
        let games = grouped(report.games);
        let tested = if report.tested == report.games {
            String::new()
        } else {
            format!(", {} of which meet its hypotheses", grouped(report.tested))
        };
        let end = if report.complete { "" } else { " so far" };
        let Some(smallest) = &report.smallest else {
            page.paragraph(format!(
                "It fails in none of {games} games of this space{tested}{end}."
            ));
            if let Some(nearest) = &report.farthest {
                page.gap();
                page.row("The nearest to its bound:");
                game(&mut page, nearest, None);
            }
            return page;
        };
        let fails = grouped(report.violations);
        page.paragraph(format!(
            "It fails in {fails} of {games} games{tested}{end}. The smallest:"
        ));
        game(&mut page, smallest, saved);
        let farthest = report.farthest.as_ref();
        if let Some(farthest) = farthest.filter(|farthest| farthest.number != smallest.number) {
            page.gap();
            page.row("The farthest beyond its bound:");
            game(&mut page, farthest, None);
        }
        if saved.is_none() {
            page.gap();
            page.paragraph(
                "With --save FILE the scenario of the smallest is written to FILE, and `debate-tui \
                 solve FILE` with the flags above finds the value.",
            );
        }
        page
    }
}

/// A fraction, with a decimal number beside it where it is long.
fn number(fraction: &str) -> String {
    let decimal = parse(fraction).ok().map(|value| short_exact(&value));
    match decimal.filter(|decimal| decimal != fraction) {
        Some(decimal) => format!("{fraction} ({decimal})"),
        None => fraction.to_owned(),
    }
}

fn game(page: &mut Page, finding: &Finding, saved: Option<&Path>) {
    let set_in = |text: String| Line::new(" ", Role::Text, text);
    page.lines.push(set_in(format!("{}.", finding.game)));
    page.lines.push(set_in(format!(
        "Alice expects {}, and the bound is {}; in units of r^(d+1) she expects {}.",
        number(&finding.value),
        number(&finding.bound),
        number(&finding.units)
    )));
    let file = saved.map_or_else(|| "FILE".to_owned(), |path| path.display().to_string());
    page.row(format!("  debate-tui solve {file} {}", finding.flags));
}

/// Variants of the rules beside each other.
impl Tell for [FrontierRow] {
    fn document(&self) -> impl Serialize + JsonSchema {
        self
    }

    fn page(&self) -> Page {
        let mut page = Page::default();
        if let Some(first) = self.first().and_then(|row| row.statements.first()) {
            page.paragraph(
                "In units of r^(d+1), what a true answer is paid: what honest Alice expects at least \
                 on stable games, and what whoever answers falsely or knows nothing gets at most.",
            );
            page.paragraph(format!("The space: {}.", first.space));
            page.gap();
        }
        page.row(format!(
            "{:12} {:10} {:9} {:>10} {:>11} {:>14} {:>13}",
            "carry",
            "early leaf",
            "warrants",
            "honest",
            "liar, bayes",
            "liar, marginal",
            "liar, unsound"
        ));
        for row in self {
            let mut cells = vec![format!(
                "{:12} {:10} {:9}",
                row.carry, row.early_leaf, row.warrants
            )];
            for (report, width) in row.statements.iter().zip([10, 11, 14, 13]) {
                let units = report.farthest.as_ref().map(|game| &game.units);
                let value = units.and_then(|units| parse(units).ok());
                let cell = value.map_or_else(|| "-".to_owned(), |value| short_exact(&value));
                cells.push(format!("{cell:>width$}"));
            }
            page.row(cells.join(" "));
        }
        page.gap();
        for row in self {
            for report in &row.statements {
                if let Some(farthest) = &report.farthest {
                    page.paragraph(format!(
                        "{}, {}, {}, {}: {}",
                        row.carry, row.early_leaf, row.warrants, report.statement, farthest.game
                    ));
                }
            }
        }
        page
    }
}
