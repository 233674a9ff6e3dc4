//! What `equilibrium --all` prints as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::report::{EquilibriumReport, promised_truth};
use super::{GameOfAll, Hypothesis, Method, OptimalPlay};
use crate::expectation::{NumberFormat, ReportNumber};
use debate_core::number::Exact;
use debate_core::player::Knowledge;

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
        (knows, hypotheses): ([&Knowledge; 2], &[Hypothesis]),
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
