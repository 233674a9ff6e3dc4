//! What `equilibrium` prints as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Equilibrium, Hypothesis};
use crate::expectation::ReportNumber;
use debate_core::number::{Exact, Number};
use debate_core::player::Spec;
use debate_core::protocol::Protocol;

/// Every prover against every opponent. Numbers are strings `num/den` with `--exact`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EquilibriumReport {
    /// The scenario's title.
    pub title: String,
    /// The protocol's name.
    pub protocol: &'static str,
    /// The protocol as a scenario file writes it.
    pub parameters: String,
    pub provers: Vec<String>,
    pub opponents: Vec<String>,
    /// A row for each prover, with what it expects against each opponent.
    pub payoff: Vec<Vec<ReportNumber>>,
    /// The probability that each prover's answer is true; null where nobody can tell.
    pub answer_correct: Vec<Option<ReportNumber>>,
    /// The best reply to each prover.
    pub best_replies: Vec<Option<String>>,
    /// The prover-leading Stackelberg choice.
    pub leader_choice: String,
    /// The best reply to the leader.
    pub best_reply: String,
    /// What the leader keeps against it.
    pub value: ReportNumber,
    pub answers_truly: Option<bool>,
    pub leader_answer_correct: Option<ReportNumber>,
    /// `leader_answer_correct` less 1 − 4ε of PE Theorem 6.2.
    pub margin: Option<ReportNumber>,
    /// The hypotheses of that theorem that are of the scenario and its rules.
    pub hypotheses: Vec<Hypothesis>,
    pub left_out: Vec<LeftOutPlayer>,
}

/// A player who was asked for but has no exact value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LeftOutPlayer {
    pub player: String,
    pub reason: String,
}

/// The prover who should lead.
#[derive(Clone, Copy, Debug)]
pub struct Leader<'f, N> {
    pub prover: &'f Spec,
    /// The opponent's best reply.
    pub reply: &'f Spec,
    /// What the prover keeps against it.
    pub value: &'f N,
    /// The probability that its answer is true; `None` where nobody can tell.
    pub correct: Option<&'f N>,
}

/// 1 − 4ε, above which PE Theorem 6.2 promises the leader's answer to be true; `None` under rules
/// without ε.
pub fn promised_truth(protocol: &Protocol) -> Option<Exact> {
    let (epsilon, _) = protocol.conditions().epsilon_and_rho()?;
    Some(Exact::ratio(1, 1) - Exact::ratio(4, 1) * epsilon)
}

impl<N: Number> Equilibrium<N> {
    /// The prover who should lead; `None` of an empty table.
    pub fn leadership(&self) -> Option<Leader<'_, N>> {
        let prover = self.leader()?;
        Some(Leader {
            prover: &self.provers[prover],
            reply: &self.opponents[self.best_reply(prover)?],
            value: self.guaranteed(prover)?,
            correct: self.answer_correct[prover].as_ref(),
        })
    }

    /// The table as a report.
    pub fn report(
        &self,
        title: &str,
        protocol: &Protocol,
        leader: &Leader<'_, N>,
        hypotheses: &[Hypothesis],
    ) -> EquilibriumReport {
        let names = |specs: &[Spec]| specs.iter().map(ToString::to_string).collect();
        let number = |value: Option<&N>| value.map(ReportNumber::of);
        let margin = leader.correct.zip(promised_truth(protocol));
        let margin = margin.map(|(correct, truth)| correct.clone() - N::from_exact(&truth));
        let rows = self.payoff.iter();
        EquilibriumReport {
            title: title.to_owned(),
            protocol: protocol.kind().name(),
            parameters: protocol.to_string(),
            provers: names(&self.provers),
            opponents: names(&self.opponents),
            payoff: rows
                .map(|row| row.iter().map(ReportNumber::of).collect())
                .collect(),
            answer_correct: self
                .answer_correct
                .iter()
                .map(|p| number(p.as_ref()))
                .collect(),
            best_replies: (0..self.provers.len())
                .map(|row| Some(self.opponents[self.best_reply(row)?].to_string()))
                .collect(),
            leader_choice: leader.prover.to_string(),
            best_reply: leader.reply.to_string(),
            value: ReportNumber::of(leader.value),
            answers_truly: leader.correct.map(N::is_one),
            leader_answer_correct: number(leader.correct),
            margin: number(margin.as_ref()),
            hypotheses: hypotheses.to_vec(),
            left_out: self
                .left_out
                .iter()
                .map(|left| LeftOutPlayer {
                    player: left.player.to_string(),
                    reason: left.reason.clone(),
                })
                .collect(),
        }
    }
}
