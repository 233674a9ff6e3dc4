//! Results of commands. Each type of result builds its own JSON document, its page and its table, so that printing
//! needs no further formatting.

mod check;
mod equilibrium;
mod simulation;
mod solve;
mod theory;

pub use equilibrium::AllStrategiesEquilibriumResult;
pub use equilibrium::BuiltInProverOpponentPayoffs;
pub use simulation::SimulationResult;
pub use solve::SolveResult;
pub use theory::CounterexampleSearchResultText;
pub use theory::TrainingResult;
pub use theory::{PaperStatementList, PaperStatementReport, StatementFigureReport};

use serde::Serialize;

use super::{HeadedTextPage, Line, TextRole};
use crate::cost_with_kind_text;
use debate_core::number::format_rounded;
use debate_core::protocol::{Protocol, Seat};
use debate_solver::analysis::promise::TheoremHypothesis;
use debate_solver::expectation::{DecimalOrFractionNumber, EXPENSES};

/// A result of a command.
pub trait PrintableCommandResult {
    /// Returns the document for scripts.
    fn document(&self) -> impl Serialize;

    /// Returns the page for users.
    fn page(&self) -> HeadedTextPage;

    /// Returns the result as a table: the header and the rows for comma-separated values. Empty if the result is not a
    /// table.
    fn table(&self) -> Vec<Vec<String>> {
        Vec::new()
    }
}

impl HeadedTextPage {
    /// Creates a page of results with this line at the top.
    fn titled(title: impl Into<String>) -> Self {
        let mut page = Self::default();
        page.add_row(title);
        page
    }

    /// Adds a paragraph, which is wrapped to the width of the screen.
    pub fn add_paragraph(&mut self, text: impl Into<String>) {
        self.lines.push(Line::unlabelled(TextRole::Text, text));
    }

    /// Adds a row of a table, which is never wrapped.
    pub fn add_row(&mut self, text: impl Into<String>) {
        self.lines.push(Line::table_row(text));
    }

    /// Adds an empty line.
    pub fn add_empty_line(&mut self) {
        self.add_row("");
    }
}

/// Formats a range of numbers, or a single number if both ends are equal.
fn range(low: &DecimalOrFractionNumber, high: &DecimalOrFractionNumber) -> String {
    let one = low.rounded_decimal_or_fraction_text();
    let other = high.rounded_decimal_or_fraction_text();
    if low == high {
        one
    } else {
        format!("{one} to {other}")
    }
}

/// Formats a number; empty for `None`.
fn cell(number: Option<impl ToString>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

/// Adds a row for each hypothesis of a theorem, which says if the hypothesis holds.
fn hypotheses(page: &mut HeadedTextPage, hypotheses: &[TheoremHypothesis]) {
    for hypothesis in hypotheses {
        page.add_row(format!("  {:<10} {}", holds(hypothesis), hypothesis.what));
    }
}

/// Says if a hypothesis of a theorem holds: "yes", "no" or "not known".
fn holds(hypothesis: &TheoremHypothesis) -> &'static str {
    match hypothesis.holds {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not known",
    }
}

/// Formats the parameters of the rules in brackets, after a space; empty if there are no parameters.
fn in_brackets(protocol: &Protocol) -> String {
    match protocol.parameter_summary() {
        summary if summary.is_empty() => summary,
        summary => format!(" ({summary})"),
    }
}

/// Lists the mean costs per debate of each player who has any: the player's name, and the costs separated by commas.
/// `amounts` returns a seat's costs in the order of [`EXPENSES`].
fn spending(
    amounts: impl Fn(Seat) -> [f64; 5],
    digits: usize,
) -> impl Iterator<Item = (&'static str, String)> {
    Seat::PLAYERS.into_iter().filter_map(move |seat| {
        let spent: Vec<String> = (EXPENSES.iter().zip(amounts(seat)))
            .filter(|(_, amount)| *amount > 0.0)
            .map(|(kind, amount)| cost_with_kind_text(kind, format_rounded(amount, digits)))
            .collect();
        let name = match seat {
            Seat::Judge => "The verifier",
            seat => seat.player_name_of_seat(),
        };
        (!spent.is_empty()).then(|| (name, spent.join(", ")))
    })
}
