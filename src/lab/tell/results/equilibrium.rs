//! `equilibrium`: every prover against every opponent, and who should lead.

use super::{Page, Tell, cell, hypotheses};
use crate::tell::table;
use debate_core::number::{Number, canonical, short};
use debate_core::player::Spec;
use debate_core::protocol::Protocol;
use debate_solver::analysis::equilibrium::{
    Equilibrium, EquilibriumDocument, Hypothesis, Leader, promised_truth,
};
use debate_solver::expectation::ReportNumber;
use schemars::JsonSchema;
use serde::Serialize;

/// The provers beside each other in the printed table.
const PROVERS_PER_BLOCK: usize = 5;
/// The characters of a prover's name that fit its column.
const NAME: usize = 11;

/// The table of named players, and the prover who should lead.
#[derive(Clone, Debug)]
pub struct NamedEquilibrium<'f, N: Number> {
    /// The scenario's title.
    pub title: &'f str,
    pub protocol: &'f Protocol,
    pub payoffs: &'f Equilibrium<N>,
    pub leader: Leader<'f, N>,
    /// Those of PE Theorem 6.2 that are of the scenario and its rules.
    pub hypotheses: Vec<Hypothesis>,
}

impl<N: Number> Tell for NamedEquilibrium<'_, N> {
    fn document(&self) -> impl Serialize + JsonSchema {
        let report = self
            .payoffs
            .report(self.title, self.protocol, &self.leader, &self.hypotheses);
        EquilibriumDocument::Named(Box::new(report))
    }

    fn page(&self) -> Page {
        let mut page = Page::titled(format!("{} ({})", self.title, self.protocol.summary()));
        page.row("What each prover expects; * marks the best reply to it.");
        let rows: Vec<usize> = (0..self.payoffs.provers.len()).collect();
        for rows in rows.chunks(PROVERS_PER_BLOCK) {
            self.block(&mut page, rows);
        }
        let leader = &self.leader;
        page.gap();
        page.row(format!(
            "Leads: {}, which keeps {} against {}, the best reply to it.",
            leader.prover,
            figure(leader.value),
            leader.reply
        ));
        let Some(correct) = leader.correct else {
            page.row("Whether its answer is true cannot be decided here.");
            return page;
        };
        let correct = figure(correct);
        page.row(format!("Its answer is true with probability {correct}."));
        if let Some(promised) = promised_truth(self.protocol) {
            page.row(format!(
                "PE Theorem 6.2 promises more than 1 - 4ε = {}, of every leader and every reply, where all of",
                figure(&N::from_exact(&promised))
            ));
            page.row("this holds, and Bob may ask whoever finds what Alice knows:");
            hypotheses(&mut page, &self.hypotheses);
        }
        page
    }

    fn table(&self) -> Vec<Vec<String>> {
        let number = |value: &N| match ReportNumber::of(value) {
            ReportNumber::Fraction(_) => canonical(&value.to_exact()),
            ReportNumber::Decimal(value) => value.to_string(),
        };
        let header = ["prover", "opponent", "payoff", "answer_correct"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        let payoffs = self.payoffs;
        let provers = payoffs.provers.iter().zip(&payoffs.payoff);
        for ((prover, payoff), correct) in provers.zip(&payoffs.answer_correct) {
            let correct = cell(correct.as_ref().map(number));
            for (opponent, payoff) in payoffs.opponents.iter().zip(payoff) {
                let names = [prover, opponent].map(|player| table::text(&player.to_string()));
                let [prover, opponent] = names;
                rows.push(vec![prover, opponent, number(payoff), correct.clone()]);
            }
        }
        rows
    }
}

impl<N: Number> NamedEquilibrium<'_, N> {
    /// Some provers beside each other.
    fn block(&self, page: &mut Page, rows: &[usize]) {
        let payoffs = self.payoffs;
        let name = |row: &usize| -> String {
            let name = Spec::to_string(&payoffs.provers[*row]);
            format!("{:>12}", name.chars().take(NAME).collect::<String>())
        };
        page.gap();
        page.row(format!(
            "{:<18}{}",
            "",
            rows.iter().map(name).collect::<String>()
        ));
        for (column, opponent) in payoffs.opponents.iter().enumerate() {
            let cell = |row: &usize| {
                let best = payoffs.best_reply(*row) == Some(column);
                let mark = if best { "*" } else { "" };
                // No round pays more than 1.
                let value = short(ReportNumber::shown(&payoffs.payoff[*row][column], 1.0), 3);
                format!("{:>12}", format!("{mark}{value}"))
            };
            let cells: String = rows.iter().map(cell).collect();
            page.row(format!("{:<18}{cells}", opponent.to_string()));
        }
    }
}

/// A number for people: the fraction, or four digits.
fn figure<N: Number>(value: &N) -> String {
    match ReportNumber::of(value) {
        ReportNumber::Fraction(_) => canonical(&value.to_exact()),
        ReportNumber::Decimal(_) => short(ReportNumber::shown(value, 1.0), 4),
    }
}
