//! Results of commands: each typed result makes its document, its page and its table itself, so that
//! whoever prints it formats nothing.

mod check;
mod equilibrium;
mod simulation;
mod solve;
mod theory;

pub use equilibrium::NamedEquilibrium;
pub use equilibrium::OptimalResult;
pub use simulation::SimulationResult;
pub use solve::SolveResult;
pub use theory::SearchPage;
pub use theory::TrainingResult;
pub use theory::{FigureReport, StatementList, StatementReport};

use serde::Serialize;

use super::{Line, Page, Role};
use crate::expense;
use debate_core::number::short;
use debate_core::protocol::{Protocol, Seat};
use debate_solver::analysis::promise::Hypothesis;
use debate_solver::expectation::{EXPENSES, ReportNumber};

/// A result of a command.
pub trait Tell {
    /// The document that scripts read.
    fn document(&self) -> impl Serialize;

    /// The page for people.
    fn page(&self) -> Page;

    /// The header and the rows of comma-separated values; empty where the result is no table.
    fn table(&self) -> Vec<Vec<String>> {
        Vec::new()
    }
}

impl Page {
    /// A page of results, which begins with this line.
    fn titled(title: impl Into<String>) -> Self {
        let mut page = Self::default();
        page.row(title);
        page
    }

    /// Adds a paragraph, which is folded.
    pub fn paragraph(&mut self, text: impl Into<String>) {
        self.lines.push(Line::of(Role::Text, text));
    }

    /// Adds a row of a table, which is never folded.
    pub fn row(&mut self, text: impl Into<String>) {
        self.lines.push(Line::row(text));
    }

    /// Adds an empty line.
    pub fn gap(&mut self) {
        self.row("");
    }
}

/// Two ends, or the number where they meet.
fn range(low: &ReportNumber, high: &ReportNumber) -> String {
    let one = low.to_text();
    let other = high.to_text();
    if low == high {
        one
    } else {
        format!("{one} to {other}")
    }
}

/// A number, or nothing where there is none.
fn cell(number: Option<impl ToString>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

/// Rows that say which hypotheses hold.
fn hypotheses(page: &mut Page, hypotheses: &[Hypothesis]) {
    for hypothesis in hypotheses {
        page.row(format!("  {:<10} {}", holds(hypothesis), hypothesis.what));
    }
}

/// True, false or unknown, in words.
fn holds(hypothesis: &Hypothesis) -> &'static str {
    match hypothesis.holds {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not known",
    }
}

/// The rules in brackets behind a name; nothing where they have no parameters.
fn in_brackets(protocol: &Protocol) -> String {
    match protocol.summary() {
        summary if summary.is_empty() => summary,
        summary => format!(" ({summary})"),
    }
}

/// Who spends how much on average, where that is more than nothing: a name, and the amounts between
/// commas. `amounts`: of each seat, in the order of [`EXPENSES`].
fn spending(
    amounts: impl Fn(Seat) -> [f64; 5],
    digits: usize,
) -> impl Iterator<Item = (&'static str, String)> {
    Seat::PLAYERS.into_iter().filter_map(move |seat| {
        let spent: Vec<String> = (EXPENSES.iter().zip(amounts(seat)))
            .filter(|(_, amount)| *amount > 0.0)
            .map(|(kind, amount)| expense(kind, short(amount, digits)))
            .collect();
        let name = match seat {
            Seat::Judge => "The verifier",
            seat => seat.person(),
        };
        (!spent.is_empty()).then(|| (name, spent.join(", ")))
    })
}
