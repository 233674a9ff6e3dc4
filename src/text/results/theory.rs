//! `theorems`, `search`, `queries` and `train`: the results of the commands about the theory of debate.

use std::path::Path;

use serde::Serialize;

use super::{HeadedTextPage, PrintableCommandResult, cell};
use crate::{Line, TextRole, fill_template, with_thousands_separators};
use debate_core::number::{format_as_short_decimal_or_fraction, format_rounded, parse};
use debate_core::player::PlayerSpec;
use debate_core::text::count_with_noun;
use debate_solver::expectation::RoundNumberOrInitial;
use debate_solver::training::EstimatorTrainingReport;
use debate_theory::growth::TheoremParametersByDepthReport;
use debate_theory::papers::{ExpectedTheoremCommandValue, StatementStatusReport};
use debate_theory::query_complexity::{
    FunctionComplexityReport, FunctionsByQueryComplexityReport, QueriesDocument,
};
use debate_theory::search::{CounterexampleGameSearchReport, GameReportedBySearch, RuleVariantRow};

/// The result of a search for a game that contradicts a statement of the theory.
#[derive(Debug)]
pub struct CounterexampleSearchResultText<'r> {
    pub report: &'r CounterexampleGameSearchReport,
    /// The file to which the scenario of the smallest game found was saved.
    pub saved: Option<&'r Path>,
}

impl PrintableCommandResult for CounterexampleSearchResultText<'_> {
    fn document(&self) -> impl Serialize {
        self.report
    }

    fn page(&self) -> HeadedTextPage {
        let report = self.report;
        let saved = self.saved;
        let mut page = HeadedTextPage::default();
        page.add_paragraph(format!("The statement: {}.", report.says));
        page.add_paragraph(format!("The space: {}.", report.space));
        page.add_empty_line();
        let games = with_thousands_separators(report.games);
        let tested_clause = match with_thousands_separators(report.tested) {
            tested if tested == games => String::new(),
            tested => format!(", {tested} of which meet its hypotheses"),
        };
        let so_far = if report.complete { "" } else { " so far" };
        let Some(smallest) = &report.smallest else {
            page.add_paragraph(format!(
                "The statement holds in all {games} games of this space{tested_clause}{so_far}."
            ));
            if let Some(nearest) = &report.farthest {
                page.add_empty_line();
                page.add_row("The game closest to its bound:");
                game(&mut page, nearest, None);
            }
            return page;
        };
        let failing_games = with_thousands_separators(report.violations);
        page.add_paragraph(format!(
            "The statement fails in {failing_games} of {games} games{tested_clause}{so_far}. The smallest of these games:"
        ));
        game(&mut page, smallest, saved);
        let farthest = report.farthest.as_ref();
        if let Some(farthest) = farthest.filter(|farthest| farthest.number != smallest.number) {
            page.add_empty_line();
            page.add_row("The game farthest beyond its bound:");
            game(&mut page, farthest, None);
        }
        if saved.is_none() {
            page.add_empty_line();
            page.add_paragraph(
                "--save FILE writes the scenario of the smallest game to FILE; `debate-tui \
                 solve FILE` with the flags above computes the value.",
            );
        }
        page
    }
}

/// Formats a fraction, followed by its decimal value if that is written differently.
fn number(fraction: &str) -> String {
    let decimal = parse(fraction)
        .ok()
        .map(|value| format_as_short_decimal_or_fraction(&value));
    match decimal.filter(|decimal| decimal != fraction) {
        Some(decimal) => format!("{fraction} ({decimal})"),
        None => fraction.to_owned(),
    }
}

fn game(page: &mut HeadedTextPage, finding: &GameReportedBySearch, saved: Option<&Path>) {
    let set_in = |text: String| Line::new(" ", TextRole::Text, text);
    page.lines.push(set_in(format!("{}.", finding.game)));
    page.lines.push(set_in(format!(
        "Alice expects {payoff}, and the bound is {bound}; in units of r^(d+1), the first answer's reward, she expects {units}.", payoff = number(&finding.value), bound = number(&finding.bound), units = number(&finding.units))));
    let file = saved.map_or_else(|| "FILE".to_owned(), |path| path.display().to_string());
    page.add_row(format!("  debate-tui solve {file} {}", finding.flags));
}

/// Several variants of the rules, compared in one table.
impl PrintableCommandResult for [RuleVariantRow] {
    fn document(&self) -> impl Serialize {
        self
    }

    fn page(&self) -> HeadedTextPage {
        let mut page = HeadedTextPage::default();
        if let Some(first) = self.first().and_then(|row| row.statements.first()) {
            page.add_paragraph(
                "In units of r^(d+1), the reward of a true answer. Column `honest`: the least payoff that honest Alice \
                 expects on stable games against three Bobs (`bayes`, `marginal`, `truthful`). Other columns: the \
                 largest payoff of an Alice who answers falsely or has no knowledge, against the Bob of the column. \
                 Other Bobs are not tried: some leave honest Alice less (Errata 2).",
            );
            page.add_paragraph(format!("The space: {}.", first.space));
            page.add_empty_line();
        }
        page.add_row(
            "carry        early leaf warrants      honest liar, bayes liar, marginal liar, truthful",
        );
        for row in self {
            let mut cells = vec![format!(
                "{:12} {:10} {:9}",
                row.carry, row.early_leaf, row.warrants
            )];
            for (report, width) in row.statements.iter().zip([10, 11, 14, 13]) {
                let units = report.farthest.as_ref().map(|game| &game.units);
                let value = units.and_then(|units| parse(units).ok());
                let cell = value.map_or_else(
                    || "-".to_owned(),
                    |value| format_as_short_decimal_or_fraction(&value),
                );
                cells.push(format!("{cell:>width$}"));
            }
            page.add_row(cells.join(" "));
        }
        page.add_empty_line();
        for row in self {
            for report in &row.statements {
                if let Some(farthest) = &report.farthest {
                    page.add_paragraph(format!(
                        "{carry}, {early_leaf}, {warrants}, {statement}: {game}",
                        carry = row.carry,
                        early_leaf = row.early_leaf,
                        warrants = row.warrants,
                        statement = report.statement,
                        game = farthest.game
                    ));
                }
            }
        }
        page
    }
}

impl PrintableCommandResult for QueriesDocument {
    fn document(&self) -> impl Serialize {
        self
    }

    fn page(&self) -> HeadedTextPage {
        match self {
            Self::One(one) => {
                let mut page =
                    HeadedTextPage::titled(format!("{}: {} queries", one.table, ends(one)));
                let inputs = count_with_noun(one.depends_on, "input", "inputs");
                page.add_row(format!("  depends on   {inputs}"));
                page.add_row(format!("  at least {}   {}", one.lower, one.lower_by));
                page.add_row(format!("  at most {}    {}", one.upper, one.upper_by));
                page.add_row(format!("  verifier     {}", one.verifier));
                page
            }
            Self::Inputs(all) => census(all),
            Self::All(all) => {
                let mut page = classes(&all.functions);
                page.add_empty_line();
                let figures = serde_json::to_value(all).unwrap_or_default();
                for text in fill_template(STATEMENTS, &figures, str::to_owned).lines() {
                    page.add_paragraph(text);
                }
                page
            }
        }
    }
}

/// Returns a page with a table that has one row for each class of Boolean functions.
fn classes(functions: &[FunctionComplexityReport]) -> HeadedTextPage {
    let mut page =
        HeadedTextPage::titled("truth table      inputs class-size queries  verifier program");
    for one in functions {
        let class_size = cell(one.class_size);
        page.add_row(format!(
            "{truth_table:16} {input_count:>6} {class_size:>10} {queries_bounds:>7}  {verifier}",
            truth_table = one.table,
            input_count = one.depends_on,
            queries_bounds = ends(one),
            verifier = one.verifier
        ));
    }
    page
}

/// Returns the page about all Boolean functions with a given number of inputs.
fn census(all: &FunctionsByQueryComplexityReport) -> HeadedTextPage {
    let mut page = classes(&all.functions);
    page.add_empty_line();
    let inputs = count_with_noun(all.inputs, "input", "inputs");
    for count in &all.counts {
        page.add_paragraph(format!(
            "{functions} of {total} functions that depend on {inputs} take {queries}: {classes} of {all_classes} classes of functions that are equal up to renaming and negation.", functions = with_thousands_separators(count.functions as u64), total = with_thousands_separators(all.total as u64), classes = count.classes, all_classes = all.functions.len(), queries = count_with_noun(count.queries, "query", "queries")));
    }
    page.add_empty_line();
    page.add_paragraph(format!(
        "Theorem 5 promises depth + 1 queries, for AND, OR and NOT of two inputs. The table counts the \
         exceptions: functions of up to {inputs} that take more queries if circuits may use these gates, with free \
         negations and constants. It shows the smallest exception, with its circuit depth and its queries:"
    ));
    page.add_row("allowed gates                exceptions smallest one      depth queries");
    for basis in &all.theorem_5 {
        let smallest = basis
            .smallest
            .as_ref()
            .map(|one| format!("{:16} {:>6} {:>7}", one.table, one.depth, one.queries));
        page.add_row(format!(
            "{:28} {:>10} {}",
            basis.gates,
            with_thousands_separators(basis.failures as u64),
            smallest.as_deref().unwrap_or("none")
        ));
    }
    page
}

/// The text below the table of Boolean functions, mainly on the statements of DQC: one paragraph per line, with
/// placeholders for the numbers of a report.
const STATEMENTS: &str = include_str!("queries.txt");

/// Formats the lower and the upper bound for a function, or a single number if they are equal.
fn ends(one: &FunctionComplexityReport) -> String {
    if one.exact {
        one.lower.to_string()
    } else {
        format!("{} to {}", one.lower, one.upper)
    }
}

/// Width of the column with the names of statements; `FIELDS` is the width of the column with the labels of a
/// statement's fields.
const NAMES: usize = 19;
const FIELDS: usize = 7;

/// A statement as JSON.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "StatementReport")]
pub struct PaperStatementReport {
    #[serde(flatten)]
    pub status: StatementStatusReport,
    /// The section of the paper with the statement, and the section with its proof.
    pub section: &'static str,
    pub says: &'static str,
    pub given: &'static str,
    pub figures: Vec<StatementFigureReport>,
}

/// A figure of a statement.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "FigureReport")]
pub struct StatementFigureReport {
    #[serde(flatten)]
    pub figure: &'static ExpectedTheoremCommandValue,
    /// The strategies that the command takes into account.
    pub strategies: &'static str,
    /// The value that the command printed; null without `--run`.
    pub found: Option<String>,
    /// True if the printed value is the stated one; null without `--run`.
    pub agrees: Option<bool>,
    /// The time that the command took; null without `--run`.
    pub milliseconds: Option<u64>,
}

/// A list of statements of the theory, in the order of the papers.
#[derive(Debug)]
pub struct PaperStatementList {
    pub reports: Vec<PaperStatementReport>,
    /// True to show each statement in one line, without its figures.
    pub short: bool,
}

impl PrintableCommandResult for PaperStatementList {
    fn document(&self) -> impl Serialize {
        &self.reports
    }

    fn page(&self) -> HeadedTextPage {
        let mut page = HeadedTextPage::default();
        for report in &self.reports {
            let name = report.status.name;
            let outcome = &report.status.text;
            if self.short {
                let text = format!("{outcome}. {}", report.says);
                page.label_and_text(format!("{name:<NAMES$}"), text);
                continue;
            }
            if !page.lines.is_empty() {
                page.add_empty_line();
            }
            page.add_row(name);
            page.part("in", report.section);
            page.part("says", report.says);
            page.part("given", report.given);
            page.part("outcome", outcome);
            for figure in &report.figures {
                add_figure(&mut page, figure);
            }
        }
        if self.short {
            page.add_empty_line();
            page.add_row("For the commands and figures of one statement: debate-tui theorems NAME");
        }
        page
    }
}

impl HeadedTextPage {
    /// Adds a label, and a text that wraps beside it.
    fn label_and_text(&mut self, label: String, text: impl Into<String>) {
        self.lines
            .push(Line::new(label + " ", TextRole::Text, text));
    }

    /// Adds a field of a statement: its label and its text.
    fn part(&mut self, label: &str, text: &str) {
        self.label_and_text(format!("  {label:<FIELDS$}"), text);
    }
}

fn add_figure(page: &mut HeadedTextPage, report: &StatementFigureReport) {
    let figure = report.figure;
    page.add_empty_line();
    page.part("shows", &figure.shows);
    // The command is not wrapped, so that users can copy it.
    page.add_row(format!("  run      {}", figure.command));
    let stated_figure = format!("{} = {}", figure.field, figure.value);
    let stated_figure = match (&report.found, report.agrees) {
        (Some(_), Some(true)) => format!("{stated_figure}: confirmed"),
        (Some(printed), _) => format!("{stated_figure}: DIFFERS, the command printed {printed}"),
        (None, _) => stated_figure,
    };
    page.part("figure", &stated_figure);
    page.part("over", report.strategies);
    if let Some(milliseconds) = report.milliseconds {
        page.part("time", &format!("{milliseconds} ms"));
    }
    if !figure.beside.is_empty() {
        page.part("", &figure.beside);
    }
}

impl PrintableCommandResult for TheoremParametersByDepthReport {
    fn document(&self) -> impl Serialize {
        self
    }

    fn page(&self) -> HeadedTextPage {
        let epsilon = format_rounded(self.epsilon, 4);
        let mut page = HeadedTextPage::titled(format!(
            "ε = {epsilon}, ρ = 1/2, c = {exponent}: gates of w = {inputs} inputs",
            exponent = self.exponent,
            inputs = format_rounded(self.inputs, 4)
        ));
        page.add_empty_line();
        let copies_if_stable = cell(self.copies_stable);
        page.add_row(
            "depth         n  κ, stable  κ, same claim  differs     ε/(4n)          q          s",
        );
        let figure = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), scientific);
        for row in &self.rows {
            page.add_row(format!(
                "{depth:>5} {n:>9} {copies_if_stable:>10} {copies_for_same_claim:>14} {differs:>8} {allowed_error:>10} {q:>10} {s:>10}",
                depth = row.depth,
                n = scientific(row.n),
                copies_for_same_claim = cell(row.copies_membership),
                differs = figure(row.false_if_true),
                allowed_error = scientific(row.allowed),
                q = figure(row.width),
                s = figure(row.pieces),
            ));
        }
        page.add_empty_line();
        page.add_row("depth  gap of recursion  gap with estimates  log10 of Bob's circuit");
        for row in &self.rows {
            page.add_row(format!(
                "{:>5} {:>17} {:>19} {:>23}",
                row.depth,
                scientific(row.gap_recursion),
                scientific(row.gap_estimates),
                figure(row.circuit_log10),
            ));
        }
        page.add_empty_line();
        page.add_paragraph(
            "n = r^−(d+1). κ pieces of evidence for each input make gates stable. With the second κ the debated claim \
             differs from a true intended claim with probability below ε/(4n) (PE Theorem 8.3), if each piece errs with probability ε/(4n). The \
             greater κ gives q = wκ and s = κ^d. The circuit is that of PE Theorem 6.1 without its constant.",
        );
        page.add_paragraph(match self.first_better_depth {
            Some(depth) => format!(
                "The gap of recursion is 1/w^d: a Bob who contests a random subclaim finds the only flaw with this \
                 probability. The gap with estimates is (1 − 2ε)/n. It is the greater one from depth {depth}."
            ),
            None => "The gap of recursion is 1/w^d: a Bob who contests a random subclaim finds the only flaw with this \
                     probability. The gap with estimates is (1 − 2ε)/n. It is the smaller one at all of these depths."
                .to_owned(),
        });
        page.add_empty_line();
        page.add_paragraph(
            "PE §9 asks for lower bounds on Bob's circuit. Here Bob may look up leaves of one gate, which is false, and \
             Alice does not know the instance. The table shows the most queries that any gate needs until her \
             payoff is at most the 4εr²/3 of soundness.",
        );
        page.add_row(
            "leaves  gates  queries  gate              payoff if one fewer  queries if stable",
        );
        for row in &self.least_queries {
            page.add_row(format!(
                "{leaves:>6} {gates:>6} {queries:>8}  {gate:<16} {payoff:>20} {queries_if_stable:>18}",
                leaves = row.leaves,
                gates = row.gates,
                queries = row.queries,
                gate = row.gate,
                payoff = row.kept.map_or_else(
                    || "-".to_owned(),
                    |kept| format!("{} r²", format_rounded(kept, 3))
                ),
                queries_if_stable = row.queries_if_stable,
            ));
        }
        page
    }
}

/// Formats a number with three digits; with an exponent if it would be long.
fn scientific(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) {
        format_rounded(value, 3)
    } else {
        format!("{value:.2e}")
    }
}

/// The result of training an estimator, and the prover against which it was trained.
#[derive(Clone, Copy, Debug)]
pub struct TrainingResult<'r> {
    /// The scenario's title.
    pub title: &'r str,
    pub prover: &'r PlayerSpec,
    pub report: &'r EstimatorTrainingReport,
    /// True to list every test of the trained estimator.
    pub tests: bool,
}

impl PrintableCommandResult for TrainingResult<'_> {
    fn document(&self) -> impl Serialize {
        self.report
            .training_document(self.title, self.prover, self.tests)
    }

    fn page(&self) -> HeadedTextPage {
        let Self {
            title,
            prover,
            report,
            tests,
        } = self;
        let delta = format_as_short_decimal_or_fraction(&report.delta);
        let mut page = HeadedTextPage::titled(format!(
            "{title}: an estimator against {prover}, δ = {delta}"
        ));
        if report.rounds.is_empty() {
            page.add_row("No training is necessary: Bob's knowledge decides the only claim.");
        }
        for round in &report.rounds {
            let name = match round.round {
                RoundNumberOrInitial::Initial(_) => "root".to_owned(),
                RoundNumberOrInitial::Number(number) => format!("round {number}"),
            };
            page.add_row(format!(
                "  {name}: {} inputs, {} outcomes; {} steps of at most {}; the largest advantage was {} \
                 and is {}",
                round.inputs,
                round.outcomes,
                round.steps,
                format_rounded(round.bound, 8),
                format_rounded(round.worst_advantage_before, 4),
                format_rounded(round.worst_advantage_after, 4)
            ));
            for test in round.tests.iter().flatten().filter(|_| *tests) {
                let before = format_rounded(test.before, 4);
                let after = format_rounded(test.after, 4);
                page.add_row(format!("    {:<14} {before:>10} {after:>10}", test.name));
            }
        }
        page.add_paragraph(format!(
            "The estimates of one debate take {} evaluations of tests, each with at most one query to Alice. PE \
             Theorem 6.1 needs a circuit of size q·2^(2q)·n·d²/η² = {}, without its constant, for η = (2d + 1)δ \
             = {}.",
            with_thousands_separators(report.distinguisher_evaluations_per_debate() as u64),
            format_rounded(report.circuit_of_theorem, 4),
            format_as_short_decimal_or_fraction(&report.eta)
        ));
        page.add_row(if report.is_indistinguishable_within_step_bound() {
            "No test has an advantage of δ or more, and no round took more steps than its bound."
        } else {
            "Some test still has an advantage of δ or more, or a round took more steps than its bound: this must not happen."
        });
        page
    }
}
