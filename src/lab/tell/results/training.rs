//! `train`: an estimator that no test tells from the truth, and how it was learnt.

use super::{Page, Tell};
use debate_core::number::{short, short_exact};
use debate_core::player::Spec;
use debate_solver::expectation::RoundLabel;
use debate_solver::training::TrainingReport;
use schemars::JsonSchema;
use serde::Serialize;

/// A training, and the prover it was against.
#[derive(Clone, Copy, Debug)]
pub struct TrainingResult<'r> {
    /// The scenario's title.
    pub title: &'r str,
    pub prover: &'r Spec,
    pub report: &'r TrainingReport,
    /// Whether every test is listed.
    pub tests: bool,
}

impl Tell for TrainingResult<'_> {
    fn document(&self) -> impl Serialize + JsonSchema {
        self.report.document(self.title, self.prover, self.tests)
    }

    fn page(&self) -> Page {
        let Self {
            title,
            prover,
            report,
            tests,
        } = self;
        let delta = short_exact(&report.delta);
        let mut page = Page::titled(format!(
            "{title}: an estimator against {prover}, δ = {delta}"
        ));
        if report.rounds.is_empty() {
            page.row("There is nothing to learn: what Bob knows settles the only claim.");
        }
        for round in &report.rounds {
            let name = match round.round {
                RoundLabel::Initial(_) => "root".to_owned(),
                RoundLabel::Number(number) => format!("round {number}"),
            };
            page.row(format!(
                "  {name}: {} inputs, {} outcomes; {} steps of at most {}; the largest advantage was {} \
                 and is {}",
                round.inputs,
                round.outcomes,
                round.steps,
                short(round.bound, 8),
                short(round.worst_advantage_before, 4),
                short(round.worst_advantage_after, 4)
            ));
            for test in round.tests.iter().flatten().filter(|_| *tests) {
                let (before, after) = (short(test.before, 4), short(test.after, 4));
                page.row(format!("    {:<14} {before:>10} {after:>10}", test.name));
            }
        }
        page.row(if report.holds() {
            "No test has an advantage of δ or more, and every round kept within its bound."
        } else {
            "Some test still has an advantage of δ or more: this must not happen."
        });
        page
    }
}
