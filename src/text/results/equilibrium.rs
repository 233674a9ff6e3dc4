//! `equilibrium`: every named prover against every opponent. With `--all`, the value over all strategies of both
//! debaters.

use serde::Serialize;

use super::{HeadedTextPage, PrintableCommandResult, cell, hypotheses, in_brackets};
use crate::{table, with_thousands_separators};
use debate_core::number::{Number, format_canonical, format_rounded, format_rounded_with_sign};
use debate_core::text::count_with_noun;
use debate_core::{PlayerSpec, Protocol};
use debate_solver::analysis::equilibrium::{
    EquilibriumDocument, EquilibriumTrainingReport, GameValueInterval,
    LeastTruthfulOptimalPlanReport, OptimalPlayReport, ProverPayoffTable, StackelbergLeader,
    leading_prover_truthfulness_bound,
};
use debate_solver::analysis::promise::TheoremHypothesis;
use debate_solver::expectation::DecimalOrFractionNumber;

/// Number of provers, as columns, in one block of the printed table.
const PROVERS_PER_BLOCK: usize = 5;
/// Maximum number of characters of a prover's name at the top of its column.
const NAME: usize = 11;

/// The expected payoffs of built-in provers against built-in opponents, and the best prover if its choice is made first
/// and is known.
#[derive(Clone, Debug)]
pub struct BuiltInProverOpponentPayoffs<'f, N: Number> {
    /// The scenario's title.
    pub title: &'f str,
    pub protocol: &'f Protocol,
    pub payoffs: &'f ProverPayoffTable<N>,
    pub leader: StackelbergLeader<'f, N>,
    /// The hypotheses of PE Theorem 6.2 about the scenario and its rules, and if they hold.
    pub hypotheses: Vec<TheoremHypothesis>,
}

impl<N: Number> PrintableCommandResult for BuiltInProverOpponentPayoffs<'_, N> {
    fn document(&self) -> impl Serialize {
        let report = self
            .payoffs
            .report(self.title, self.protocol, &self.leader, &self.hypotheses);
        EquilibriumDocument::Named(Box::new(report))
    }

    fn page(&self) -> HeadedTextPage {
        let mut page = HeadedTextPage::titled(format!(
            "{} ({})",
            self.title,
            self.protocol.parameter_summary()
        ));
        page.add_row(
            "Alice's expected payoff, by prover (column) and opponent (row); * marks the opponent's best reply.",
        );
        let rows: Vec<usize> = (0..self.payoffs.provers.len()).collect();
        for rows in rows.chunks(PROVERS_PER_BLOCK) {
            self.block(&mut page, rows);
        }
        let leader = &self.leader;
        page.add_empty_line();
        let prover = leader.prover;
        let payoff = figure(leader.value);
        let opponent = leader.reply;
        page.add_row(format!(
            "If the prover commits first, {prover} is best: it gets {payoff} against {opponent}, the best reply."
        ));
        let Some(correct) = leader.correct else {
            page.add_row("The program cannot compute how likely this prover's answer is true.");
            return page;
        };
        let correct = figure(correct);
        page.add_row(format!(
            "With this strategy, the prover's answer is true with probability {correct}."
        ));
        if let Some(promised) = leading_prover_truthfulness_bound(self.protocol) {
            page.add_row(format!(
                "PE Theorem 6.2 promises more than 1 - 4ε = {bound} for each best prover that commits first,",
                bound = figure(&N::from_exact(&promised))
            ));
            page.add_row(
                "if Bob may query a player who computes what Alice knows, and these hypotheses hold:",
            );
            hypotheses(&mut page, &self.hypotheses);
        }
        page
    }

    fn table(&self) -> Vec<Vec<String>> {
        let number = |value: &N| match DecimalOrFractionNumber::of(value) {
            DecimalOrFractionNumber::Fraction(_) => format_canonical(&value.to_exact()),
            DecimalOrFractionNumber::Decimal(value) => value.to_string(),
        };
        let mut rows = vec![table::csv_header_from_comma_list(
            "prover,opponent,payoff,answer_correct",
        )];
        let payoffs = self.payoffs;
        let provers = payoffs.provers.iter().zip(&payoffs.payoff);
        for ((prover, payoff), correct) in provers.zip(&payoffs.answer_correct) {
            let correct = cell(correct.as_ref().map(number));
            for (opponent, payoff) in payoffs.opponents.iter().zip(payoff) {
                let names = [prover, opponent]
                    .map(|player| table::spreadsheet_safe_cell_text(&player.to_string()));
                let [prover, opponent] = names;
                rows.push(vec![prover, opponent, number(payoff), correct.clone()]);
            }
        }
        rows
    }
}

impl<N: Number> BuiltInProverOpponentPayoffs<'_, N> {
    /// Adds a block of the table with columns for these provers.
    fn block(&self, page: &mut HeadedTextPage, rows: &[usize]) {
        let payoffs = self.payoffs;
        let name = |row: &usize| -> String {
            let name = PlayerSpec::to_string(&payoffs.provers[*row]);
            format!("{:>12}", name.chars().take(NAME).collect::<String>())
        };
        page.add_empty_line();
        let names: String = rows.iter().map(name).collect();
        page.add_row(format!("{:<18}{names}", ""));
        for (column, opponent) in payoffs.opponents.iter().enumerate() {
            let cell = |row: &usize| {
                let best = payoffs.best_reply_to_prover(*row) == Some(column);
                let mark = if best { "*" } else { "" };
                let value = format_rounded(payoffs.payoff[*row][column].to_float(), 3);
                format!("{:>12}", format!("{mark}{value}"))
            };
            let cells: String = rows.iter().map(cell).collect();
            page.add_row(format!("{:<18}{cells}", opponent.to_string()));
        }
    }
}

/// Formats a number for the page: an exact number as a fraction, any other with four digits.
fn figure<N: Number>(value: &N) -> String {
    match DecimalOrFractionNumber::of(value) {
        DecimalOrFractionNumber::Fraction(_) => format_canonical(&value.to_exact()),
        DecimalOrFractionNumber::Decimal(_) => format_rounded(value.to_float(), 4),
    }
}

/// The value of the game over all strategies, with the plans of both players that give its lower and its upper bound.
#[derive(Clone, Debug)]
pub struct AllStrategiesEquilibriumResult<'f> {
    pub protocol: &'f Protocol,
    pub play: &'f GameValueInterval,
    pub report: OptimalPlayReport,
}

impl PrintableCommandResult for AllStrategiesEquilibriumResult<'_> {
    fn document(&self) -> impl Serialize {
        EquilibriumDocument::All(Box::new(self.report.clone()))
    }

    fn page(&self) -> HeadedTextPage {
        let report = &self.report;
        let parameters = in_brackets(self.protocol);
        let mut page = HeadedTextPage::titled(format!("{}{parameters}", report.title));
        let instances = match report.instances {
            1 => String::new(),
            many => format!(", mean over {many} instances"),
        };
        let alice = &report.prover_knows;
        let bob = &report.opponent_knows;
        page.add_paragraph(format!(
            "Every strategy of Alice against every strategy of Bob{instances}; the judge is {}. Alice's \
             knowledge of the instance: {alice}. Bob's: {bob}.",
            report.judge
        ));
        if !report.grid.is_empty() {
            let grid: Vec<String> = report.grid.iter().map(ToString::to_string).collect();
            let count = count_with_noun(grid.len(), "probability", "probabilities");
            let grid = grid.join(", ");
            page.add_paragraph(if self.protocol.protocol_parameters().has_estimator() {
                format!(
                    "Bob says one of {count}: {grid}. This is a hypothesis: with more choices he can only \
                     leave her less."
                )
            } else {
                format!(
                    "Alice says one of {count}: {grid}. This is a hypothesis: with more choices she can only \
                     get more."
                )
            });
        }
        page.add_empty_line();
        self.add_value_bounds(&mut page);
        if let Some(correct) = &report.answer_correct {
            page.add_row(format!(
                "Under her plan Alice's answer is true with probability {probability}.",
                probability = correct.rounded_decimal_or_fraction_text()
            ));
        }
        if let Some(least) = &report.least_true {
            least_true(&mut page, least);
        }
        let method = match report.rounds {
            None => "a linear program in sequence form".to_owned(),
            Some(rounds) => format!(
                "{} of double oracle",
                count_with_noun(rounds, "round", "rounds")
            ),
        };
        let stopped = if report.stopped {
            " The computation was stopped early: with more time or rounds the bracket may be narrower."
        } else {
            ""
        };
        page.add_empty_line();
        if report.positions == 0 {
            page.add_paragraph(
                "The search was stopped before the game was built. The bracket is that of simple \
                 strategies: an Alice who never bets, and a Bob with one estimate."
                    .to_owned(),
            );
            return page;
        }
        page.add_paragraph(format!(
            "By {method}, over {} sequences of Alice and {} of Bob from {} positions, with exact best \
             replies to the proposed plans.{stopped}",
            report.prover.sequences, report.opponent.sequences, report.positions
        ));
        let program = &report.program;
        page.add_paragraph(format!(
            "{} pairs of sequences have a payoff. The largest program has {} rows, {} columns and {} nonzero \
             numbers, which take {} kB.",
            with_thousands_separators(report.payoffs as u64),
            with_thousands_separators(program.rows as u64),
            with_thousands_separators(program.columns as u64),
            with_thousands_separators(program.nonzeros as u64),
            with_thousands_separators((program.bytes as u64).div_ceil(1000))
        ));
        if let Some(training) = &report.training {
            add_training(&mut page, training);
        }
        page
    }
}

impl AllStrategiesEquilibriumResult<'_> {
    /// Adds to the page the lower and the upper bound on the value of the game.
    fn add_value_bounds(&self, page: &mut HeadedTextPage) {
        let report = &self.report;
        let play = self.play;
        let [low, high] =
            [&play.lower, &play.upper].map(|end| format_rounded_with_sign(end.to_float(), 10));
        page.add_row(format!("The value is between {low} and {high}."));
        page.add_paragraph(format!(
            "The lower end is the payoff of Alice's plan against the best Bob; the upper end is the payoff of \
             the best Alice against Bob's plan. Both are exact. They are {} apart, {} of the range of payoffs.",
            report.width.rounded_decimal_or_fraction_text(),
            format_rounded(report.width_of_range, 2)
        ));
        if let Some(of_all) = &play.of_all {
            let [low, high] = [&of_all.lower, &of_all.upper]
                .map(|end| format_rounded_with_sign(end.to_float(), 10));
            page.add_paragraph(format!(
                "If Bob may say any probability, the value is between {low} and {high}. A grid of {} \
                 probabilities gives these bounds.",
                of_all.points
            ));
        }
    }
}

/// Adds the progress of training the plans of both sides.
fn add_training(page: &mut HeadedTextPage, training: &EquilibriumTrainingReport) {
    let bob = count_with_noun(training.opponent_updates, "update", "updates");
    page.add_empty_line();
    page.add_paragraph(format!(
        "Training of both sides, with {bob} of Bob before each update of Alice. The columns “her average” and “her current” show the payoff of Alice's \
         average plan and of her current plan against the best Bob. The column “his average” shows the payoff of the \
         best Alice against Bob's average plan. The last column shows the probability that Alice's answer is true."
    ));
    page.add_row("updates of Alice  her average  her current   his average      P(true)");
    for row in &training.rows {
        let number = |value: f64| format_rounded(value, 6);
        let correct = row
            .answer_correct
            .map_or_else(|| "-".to_owned(), |p| format_rounded(p, 4));
        page.add_row(format!(
            "{updates:>16} {average:>12} {current:>12} {allowed:>13} {true_answer:>12}",
            updates = row.updates,
            average = number(row.keeps),
            current = number(row.current_keeps),
            allowed = number(row.allows),
            true_answer = correct,
        ));
    }
    if training.stopped {
        page.add_row("It was stopped early.");
    }
}

/// Adds the results that concern PE Theorem 6.2: how often the least truthful plan found answers truthfully, and the
/// theorem's bound with its hypotheses.
fn least_true(page: &mut HeadedTextPage, least: &LeastTruthfulOptimalPlanReport) {
    page.add_empty_line();
    page.add_paragraph(format!(
        "Of all plans that guarantee the lower end minus α = {}, the one found that is least often \
         truthful answers truthfully with probability {}, and keeps {}.",
        least.alpha.rounded_decimal_or_fraction_text(),
        least.answer_correct.rounded_decimal_or_fraction_text(),
        least.keeps.rounded_decimal_or_fraction_text()
    ));
    if let Some(promised) = &least.promised {
        page.add_row(format!(
            "PE Theorem 6.2 promises more than 1 - 4ε = {bound} if all of these hypotheses hold:",
            bound = promised.rounded_decimal_or_fraction_text()
        ));
        hypotheses(page, &least.hypotheses);
    }
}
