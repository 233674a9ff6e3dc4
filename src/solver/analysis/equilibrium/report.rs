//! What `equilibrium` prints as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Equilibrium, GameOfAll, Hypothesis, Method, OptimalPlay};
use crate::expectation::{NumberFormat, ReportNumber};
use debate_core::number::{Exact, Number};
use debate_core::player::{Knowledge, Spec};
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
        let promised = promised_truth(protocol).map(|truth| N::from_exact(&truth));
        let both = leader.correct.zip(promised);
        let margin = both.map(|(correct, truth)| correct.clone() - truth);
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

/// What `equilibrium` prints: the table of named players, or the value between all strategies.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum EquilibriumDocument {
    Named(Box<EquilibriumReport>),
    All(Box<OptimalReport>),
}

/// The value of a debate between all strategies of both debaters. Numbers are strings `num/den` with
/// `--exact`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OptimalReport {
    /// The scenario's title.
    pub title: String,
    /// The protocol's name.
    pub protocol: &'static str,
    /// The protocol as a scenario file writes it.
    pub parameters: String,
    pub judge: String,
    /// How many instances the value is a mean over.
    pub instances: usize,
    /// What Alice knows of the instance, as `--prover-knows` takes it.
    pub prover_knows: String,
    pub opponent_knows: String,
    /// The probabilities that Bob may say: a hypothesis.
    pub grid: Vec<ReportNumber>,
    /// What Alice's plan keeps against the best Bob on the grid.
    pub lower: ReportNumber,
    /// What the best Alice gets against Bob's plan.
    pub upper: ReportNumber,
    /// `upper` less `lower`.
    pub width: ReportNumber,
    /// The same in parts of what can be paid at most less the least.
    pub width_of_range: f64,
    /// What Alice keeps against a Bob who may say any probability; null where nobody says any.
    pub lower_of_all_probabilities: Option<ReportNumber>,
    /// The probability that Alice's answer is true under her plan; null where nobody can tell.
    pub answer_correct: Option<ReportNumber>,
    /// Of all Alices who keep the value less α, the one who answers truly least.
    pub least_true: Option<LeastTrueReport>,
    /// `programs`, or `double-oracle`.
    pub method: &'static str,
    /// The rounds of double oracle.
    pub rounds: Option<u32>,
    pub prover: SideReport,
    pub opponent: SideReport,
    /// How many positions were played through.
    pub positions: u64,
}

/// How large a debater's side of the game is.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SideReport {
    pub information_sets: usize,
    pub sequences: usize,
}

/// PE Theorem 6.2.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LeastTrueReport {
    /// As asked for, or more where the plan that was found falls short of it: `lower` less α is what she
    /// keeps at least.
    pub alpha: ReportNumber,
    /// The probability that this Alice's answer is true.
    pub answer_correct: ReportNumber,
    /// What she keeps against the best Bob on the grid.
    pub keeps: ReportNumber,
    /// 1 − 4ε, which the theorem promises where all hypotheses hold.
    pub promised: Option<ReportNumber>,
    pub hypotheses: Vec<Hypothesis>,
}

impl OptimalPlay {
    /// What was found, as a report.
    pub fn report(
        &self,
        title: &str,
        game: &GameOfAll<'_>,
        knows: [&Knowledge; 2],
        hypotheses: &[Hypothesis],
        form: NumberFormat,
    ) -> OptimalReport {
        let number = |value: &Exact| ReportNumber::new(value, form);
        let width = &self.upper - &self.lower;
        let of_range = if self.range == Exact::default() {
            Exact::default()
        } else {
            &width / &self.range
        };
        let side = |side: usize| SideReport {
            information_sets: self.sets[side],
            sequences: self.sequences[side],
        };
        let [prover_knows, opponent_knows] = knows.map(ToString::to_string);
        OptimalReport {
            title: title.to_owned(),
            protocol: game.protocol.kind().name(),
            parameters: game.protocol.to_string(),
            judge: game.judge.to_string(),
            instances: game.instances.len(),
            prover_knows,
            opponent_knows,
            grid: game.grid.iter().map(number).collect(),
            lower: number(&self.lower),
            upper: number(&self.upper),
            width: number(&width),
            width_of_range: debate_core::number::Number::to_float(&of_range),
            lower_of_all_probabilities: self.lower_of_all.as_ref().map(number),
            answer_correct: self.answers_truly.as_ref().map(number),
            least_true: self.least_truth.as_ref().map(|least| LeastTrueReport {
                alpha: number(&least.alpha),
                answer_correct: number(&least.probability),
                keeps: number(&least.keeps),
                promised: promised_truth(game.protocol).as_ref().map(number),
                hypotheses: hypotheses.to_vec(),
            }),
            method: match self.method {
                Method::Programs => "programs",
                Method::DoubleOracle(_) => "double-oracle",
            },
            rounds: match self.method {
                Method::Programs => None,
                Method::DoubleOracle(rounds) => Some(rounds),
            },
            prover: side(0),
            opponent: side(1),
            positions: self.positions,
        }
    }
}
