//! `theorems`: statements of the papers, how each came out, and the commands that show it.

use super::{Page, Tell};
use crate::tell::{Line, Role};
use debate_solver::theory::papers::{Figure, StandingReport};
use schemars::JsonSchema;
use serde::Serialize;

/// The columns of names of statements, and of the parts of one.
const NAMES: usize = 19;
const FIELDS: usize = 7;

/// A statement as JSON.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StatementReport {
    #[serde(flatten)]
    pub standing: StandingReport,
    pub says: &'static str,
    pub given: &'static str,
    pub figures: Vec<FigureReport>,
}

/// A figure of a statement.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FigureReport {
    #[serde(flatten)]
    pub figure: &'static Figure,
    /// What the command printed; null without `--run`.
    pub found: Option<String>,
    /// Whether that is the figure; null without `--run`.
    pub agrees: Option<bool>,
}

/// Statements in the order of the papers.
#[derive(Debug)]
pub struct StatementList {
    pub reports: Vec<StatementReport>,
    /// Whether each has a line alone, without its figures.
    pub short: bool,
}

impl Tell for StatementList {
    fn document(&self) -> impl Serialize + JsonSchema {
        &self.reports
    }

    fn page(&self) -> Page {
        let mut page = Page::default();
        for report in &self.reports {
            let (name, outcome) = (report.standing.name, &report.standing.text);
            if self.short {
                let text = format!("{outcome}. {}", report.says);
                page.label_and_text(format!("{name:<NAMES$}"), text);
                continue;
            }
            if !page.lines.is_empty() {
                page.gap();
            }
            page.row(name);
            page.part("says", report.says);
            page.part("given", report.given);
            page.part("outcome", outcome);
            for figure in &report.figures {
                tell_figure(&mut page, figure);
            }
        }
        if self.short {
            page.gap();
            page.row("With its commands and figures: debate-tui theorems NAME");
        }
        page
    }
}

impl Page {
    /// Adds a text beside a label, which is folded there.
    fn label_and_text(&mut self, label: String, text: impl Into<String>) {
        self.lines.push(Line::new(label + " ", Role::Text, text));
    }

    /// Adds a part of a statement.
    fn part(&mut self, label: &str, text: &str) {
        self.label_and_text(format!("  {label:<FIELDS$}"), text);
    }
}

fn tell_figure(page: &mut Page, report: &FigureReport) {
    let figure = report.figure;
    page.gap();
    page.part("shows", &figure.shows);
    // A command is one line, to be copied.
    page.row(format!("  run      {}", figure.command));
    let stated = format!("{} = {}", figure.field, figure.value);
    let stated = match (&report.found, report.agrees) {
        (Some(_), Some(true)) => format!("{stated}: so it is"),
        (Some(printed), _) => format!("{stated}: DIFFERS, it printed {printed}"),
        (None, _) => stated,
    };
    page.part("figure", &stated);
    page.part("", &figure.beside);
}
