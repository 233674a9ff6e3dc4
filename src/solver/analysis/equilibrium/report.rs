//! The JSON report of `equilibrium`, and the check of a game against the hypotheses of PE Theorem 6.2.

use std::collections::HashSet;
use std::sync::Arc;

use num_traits::Zero;
use serde::Serialize;

use super::learning::EquilibriumTrainingReport;
use super::programs::LinearProgramSize;
use super::{
    GameValueInterval, PlayerLeftOutOfPayoffTable, ProverPayoffTable, UnrestrictedDebaterGame,
};
use crate::analysis::promise::{
    CONDITIONAL, CompletenessLemma, JUDGE_RIGHT, STABLE, TheoremHypothesis,
};
use crate::expectation::{DecimalOrFractionNumber, ReportNumberFormat};
use crate::setup::LoadedScenario;
use debate_core::number::{Exact, Number, power};
use debate_core::player::{KnowledgePartition, PlayerSpec};
use debate_core::protocol::Protocol;
use debate_core::protocol::prover_estimator::ProverEstimatorParameters;
use debate_core::scenario::stability::{
    MAX_CLAIMS, find_unsound_supports, first_leaf_with_proof_bits,
};
use debate_core::scenario::{Decomposition, Oracle};

/// The table of every named prover against every named opponent. With `--exact`, numbers are strings `num/den`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "EquilibriumReport"))]
pub struct ProverPayoffTableReport {
    /// The scenario's title.
    pub title: String,
    /// The protocol's name.
    pub protocol: &'static str,
    /// The protocol with its parameters, as a scenario file writes it.
    pub parameters: String,
    pub provers: Vec<String>,
    pub opponents: Vec<String>,
    /// The expected payoffs of the prover: one row per prover, one column per opponent.
    pub payoff: Vec<Vec<DecimalOrFractionNumber>>,
    /// For each prover, the probability that its answer is true; null if the truth is unknown.
    pub answer_correct: Vec<Option<DecimalOrFractionNumber>>,
    /// For each prover, the name of the opponent that is the best reply to it.
    pub best_replies: Vec<Option<String>>,
    /// The prover with the greatest payoff against the opponent's best reply: the leader of the Stackelberg game.
    pub leader_choice: String,
    /// The opponent that is the best reply to the leader.
    pub best_reply: String,
    /// The leader's expected payoff against the opponent's best reply.
    pub value: DecimalOrFractionNumber,
    pub answers_truly: Option<bool>,
    pub leader_answer_correct: Option<DecimalOrFractionNumber>,
    /// `leader_answer_correct` minus the bound 1 − 4ε of PE Theorem 6.2.
    pub margin: Option<DecimalOrFractionNumber>,
    /// The hypotheses of PE Theorem 6.2 that concern the scenario and the rules.
    pub hypotheses: Vec<TheoremHypothesis>,
    pub left_out: Vec<PlayerLeftOutOfPayoffTable>,
}

/// The prover with the greatest payoff against the opponent's best reply: the best choice for a prover who announces
/// her strategy first.
#[derive(Clone, Copy, Debug)]
pub struct StackelbergLeader<'f, N> {
    pub prover: &'f PlayerSpec,
    /// The opponent's best reply.
    pub reply: &'f PlayerSpec,
    /// The prover's expected payoff against the opponent's best reply.
    pub value: &'f N,
    /// The probability that this prover's answer is true; `None` if the truth is unknown.
    pub correct: Option<&'f N>,
}

/// Returns 1 − 4ε. By PE Theorem 6.2, the leading prover answers truly with a probability above this bound, if all
/// hypotheses hold. Returns `None` under rules without ε.
pub fn leading_prover_truthfulness_bound(protocol: &Protocol) -> Option<Exact> {
    let (epsilon, _) = protocol.protocol_parameters().epsilon_and_rho()?;
    Some(Exact::ratio(1, 1) - Exact::ratio(4, 1) * epsilon)
}

impl<N: Number> ProverPayoffTable<N> {
    /// Returns the prover with the greatest payoff against the opponent's best reply; `None` for an empty table.
    pub fn best_leading_prover(&self) -> Option<StackelbergLeader<'_, N>> {
        let prover = self.prover_with_greatest_guarantee()?;
        Some(StackelbergLeader {
            prover: &self.provers[prover],
            reply: &self.opponents[self.best_reply_to_prover(prover)?],
            value: self.guaranteed_payoff(prover)?,
            correct: self.answer_correct[prover].as_ref(),
        })
    }

    /// Converts the payoff table into a report.
    pub fn report(
        &self,
        title: &str,
        protocol: &Protocol,
        leader: &StackelbergLeader<'_, N>,
        hypotheses: &[TheoremHypothesis],
    ) -> ProverPayoffTableReport {
        let names = |specs: &[PlayerSpec]| specs.iter().map(ToString::to_string).collect();
        let number = |value: Option<&N>| value.map(DecimalOrFractionNumber::of);
        let promised =
            leading_prover_truthfulness_bound(protocol).map(|truth| N::from_exact(&truth));
        let both = leader.correct.zip(promised);
        let margin =
            both.map(|(correct, truth)| (correct.clone() - truth).clear_rounding_error(&N::one()));
        let rows = self.payoff.iter();
        ProverPayoffTableReport {
            title: title.to_owned(),
            protocol: protocol.kind().protocol_name(),
            parameters: protocol.to_string(),
            provers: names(&self.provers),
            opponents: names(&self.opponents),
            payoff: rows
                .map(|row| row.iter().map(DecimalOrFractionNumber::of).collect())
                .collect(),
            answer_correct: self
                .answer_correct
                .iter()
                .map(|p| number(p.as_ref()))
                .collect(),
            best_replies: (0..self.provers.len())
                .map(|row| Some(self.opponents[self.best_reply_to_prover(row)?].to_string()))
                .collect(),
            leader_choice: leader.prover.to_string(),
            best_reply: leader.reply.to_string(),
            value: DecimalOrFractionNumber::of(leader.value),
            answers_truly: leader.correct.map(N::is_one),
            leader_answer_correct: number(leader.correct),
            margin: number(margin.as_ref()),
            hypotheses: hypotheses.to_vec(),
            left_out: self.left_out.clone(),
        }
    }
}

/// The JSON document that `equilibrium` prints: the table of named players, or the value over all strategies.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum EquilibriumDocument {
    Named(Box<ProverPayoffTableReport>),
    All(Box<OptimalPlayReport>),
}

/// The value of a debate if both debaters may use any strategy. With `--exact`, numbers are strings `num/den`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "OptimalReport")]
pub struct OptimalPlayReport {
    /// The scenario's title.
    pub title: String,
    /// The protocol's name.
    pub protocol: &'static str,
    /// The protocol with its parameters, as a scenario file writes it.
    pub parameters: String,
    pub judge: String,
    /// The number of instances over which the value is a mean.
    pub instances: usize,
    /// Alice's knowledge of the instance, in the syntax of `--prover-knows`.
    pub prover_knows: String,
    pub opponent_knows: String,
    /// The probabilities that Bob (or Alice, under stochastic debate) may state. The bounds `lower` and `upper` hold
    /// only if no other probabilities are stated.
    pub grid: Vec<DecimalOrFractionNumber>,
    /// The payoff that Alice's plan guarantees against every Bob whose estimates are on the grid.
    pub lower: DecimalOrFractionNumber,
    /// The payoff of the best Alice against Bob's plan.
    pub upper: DecimalOrFractionNumber,
    /// `upper` less `lower`.
    pub width: DecimalOrFractionNumber,
    /// The interval's width divided by the difference between the greatest and the least possible payoff.
    pub width_of_range: f64,
    /// A lower bound on the value if Bob may state any probability, not only those of the grid. Null if Bob gives no
    /// estimates.
    pub lower_of_all_probabilities: Option<DecimalOrFractionNumber>,
    /// An upper bound on the value if Bob may state any probability, not only those of the grid. Null if Bob gives no
    /// estimates.
    pub upper_of_all_probabilities: Option<DecimalOrFractionNumber>,
    /// The number of probabilities in the grid from which the bounds for all probabilities follow. It may be finer than
    /// `grid`. Null if Bob gives no estimates.
    pub points_of_all_probabilities: Option<usize>,
    /// The probability that Alice's answer is true under her plan. Null if the truth is unknown, if Alice does not
    /// always answer, or if Bob moves first. Also null if the search stopped before the game was built.
    pub answer_correct: Option<DecimalOrFractionNumber>,
    /// Alice's strategy with the least probability of a true answer, among all strategies that guarantee the value
    /// minus α. Null if it was not computed.
    pub least_true: Option<LeastTruthfulOptimalPlanReport>,
    /// `programs`, or `double-oracle`.
    pub method: &'static str,
    /// The rounds of double oracle.
    pub rounds: Option<u32>,
    pub prover: DebaterSequenceFormSizeReport,
    pub opponent: DebaterSequenceFormSizeReport,
    /// The number of positions of the game that were visited.
    pub positions: u64,
    /// The number of different subgames that were solved separately: those in which both debaters know the instance and
    /// all earlier replies.
    pub subgames: usize,
    /// The number of pairs of a prover's and an opponent's sequence that have a payoff.
    pub payoffs: usize,
    /// The size of the largest linear program for both plans, except in subgames. Under `double-oracle`, it covers only
    /// a part of the game.
    pub program: LinearProgramSize,
    /// True if `--seconds` or `--max-rounds` ended the search; higher limits may narrow the bracket.
    pub stopped: bool,
    /// The learning curve of both sides, if `--train` was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub training: Option<EquilibriumTrainingReport>,
}

/// The size of one debater's side of the game in sequence form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "SideReport")]
pub struct DebaterSequenceFormSizeReport {
    pub information_sets: usize,
    pub sequences: usize,
}

/// Alice's strategy that answers truly least often although it guarantees the value minus α (PE Theorem 6.2).
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "LeastTrueReport")]
pub struct LeastTruthfulOptimalPlanReport {
    /// The amount α by which Alice's guarantee may be below the value: as requested, or larger if the computed plan is
    /// less accurate. Alice guarantees at least `lower` minus α.
    pub alpha: DecimalOrFractionNumber,
    /// The probability that Alice's answer is true under this strategy.
    pub answer_correct: DecimalOrFractionNumber,
    /// The payoff that this strategy guarantees against every Bob whose estimates are on the grid.
    pub keeps: DecimalOrFractionNumber,
    /// The bound 1 − 4ε on the probability of a true answer, which PE Theorem 6.2 promises if all hypotheses hold.
    pub promised: Option<DecimalOrFractionNumber>,
    pub hypotheses: Vec<TheoremHypothesis>,
}

impl GameValueInterval {
    /// Converts the solution of the game over all strategies into a report.
    pub fn report(
        &self,
        title: &str,
        game: &UnrestrictedDebaterGame<'_>,
        knows: [&KnowledgePartition; 2],
        hypotheses: &[TheoremHypothesis],
        form: ReportNumberFormat,
    ) -> OptimalPlayReport {
        let number = |value: &Exact| DecimalOrFractionNumber::new(value, form);
        let width = &self.upper - &self.lower;
        let of_range = if self.range == Exact::default() {
            Exact::default()
        } else {
            &width / &self.range
        };
        let [prover_knows, opponent_knows] = knows.map(ToString::to_string);
        let [prover, opponent] = self.sides.clone();
        OptimalPlayReport {
            title: title.to_owned(),
            protocol: game.protocol.kind().protocol_name(),
            parameters: game.protocol.to_string(),
            judge: game.judge.to_string(),
            instances: game.instances.len(),
            prover_knows,
            opponent_knows,
            grid: game.grid.iter().map(number).collect(),
            lower: number(&self.lower),
            upper: number(&self.upper),
            width: number(&width),
            width_of_range: of_range.to_float(),
            lower_of_all_probabilities: self.of_all.as_ref().map(|of_all| number(&of_all.lower)),
            upper_of_all_probabilities: self.of_all.as_ref().map(|of_all| number(&of_all.upper)),
            points_of_all_probabilities: self.of_all.as_ref().map(|of_all| of_all.points),
            answer_correct: self.answers_truly.as_ref().map(number),
            least_true: self
                .least_truth
                .as_ref()
                .map(|least| LeastTruthfulOptimalPlanReport {
                    alpha: number(&least.alpha),
                    answer_correct: number(&least.probability),
                    keeps: number(&least.keeps),
                    promised: leading_prover_truthfulness_bound(game.protocol)
                        .as_ref()
                        .map(number),
                    hypotheses: hypotheses.to_vec(),
                }),
            method: self.rounds.map_or("programs", |_| "double-oracle"),
            rounds: self.rounds,
            prover,
            opponent,
            positions: self.positions,
            subgames: self.subgames,
            payoffs: self.payoffs,
            program: self.program,
            stopped: self.stopped,
            training: None,
        }
    }
}

/// A hypothesis of soundness: every support that Alice may choose is sound. The papers do not state it explicitly
/// (entry 7 of the errata on the guide's page `theorems`).
pub const CLAIMS_FOLLOW: &str =
    "a claim follows from any subclaims that Alice chooses (PE Definition 5.1; Errata 7)";
/// Provability (PE Definition 5.2): the hypotheses [`DECIDED`](super::super::promise::DECIDED) and
/// [`SUPPORTED`](super::super::promise::SUPPORTED) in one.
const PROVABLE: &str = "every claim that Alice may reach can be decided, and has a support that implies it (PE Definition \
                        5.2)";
/// The hypothesis that equation (10) in the proof of PE Lemma A.4 needs (entry 6 of the errata on the guide's page
/// `theorems`).
pub const NO_PROOF_BITS: &str = "no leaf reads the prover's bits, or the claim fixes the machine (PE \
                                 equation 10; Errata 6)";

/// Returns the hypotheses on a decomposition under which lies earn less than true answers. The papers do not state them
/// explicitly.
pub fn soundness_hypotheses(
    decomposition: &Arc<dyn Decomposition>,
    oracle: &Oracle,
) -> Vec<TheoremHypothesis> {
    let follows = find_unsound_supports(decomposition, oracle, 1, MAX_CLAIMS).is_empty();
    let reads = first_leaf_with_proof_bits(decomposition, oracle, MAX_CLAIMS).is_some();
    vec![
        TheoremHypothesis::new(CLAIMS_FOLLOW, Some(follows)),
        TheoremHypothesis::new(NO_PROOF_BITS, Some(!reads)),
    ]
}

/// Returns the hypotheses of PE Theorem 6.2 that concern the scenario, its rules and the judge. Empty if the rules are
/// not prover-estimator debate.
pub fn scenario_theorem_hypotheses(
    setup: &LoadedScenario,
    protocol: &Protocol,
    judge: &PlayerSpec,
) -> Vec<TheoremHypothesis> {
    let Protocol::ProverEstimator(parameters) = protocol else {
        return Vec::new();
    };
    Surveyed::of(setup, parameters, judge).hypotheses(setup, parameters)
}

/// The results of a check of a decomposition: its stability and provability, and the proportion of μ on which the
/// theorem requires them.
struct Surveyed {
    completeness: CompletenessLemma,
    share: Exact,
    /// 1/n of the theorem.
    prize: Exact,
}

impl Surveyed {
    fn of(
        setup: &LoadedScenario,
        parameters: &ProverEstimatorParameters,
        judge: &PlayerSpec,
    ) -> Self {
        let depth = setup.decomposition.size(0).depth;
        let prize = power(&parameters.weight_ratio_to_next_round(), depth + 1);
        let share = Exact::ratio(1, 1) - &parameters.epsilon.0 * &prize / Exact::ratio(4, 1);
        Self {
            completeness: CompletenessLemma::for_scenario(setup, parameters, judge, MAX_CLAIMS),
            share,
            prize,
        }
    }

    fn known(&self, share: &Exact) -> Option<bool> {
        let survey = &self.completeness.survey;
        let complete = survey.complete && !survey.undecided;
        let enough = *share >= self.share;
        (complete || !enough).then_some(enough)
    }

    fn hypotheses(
        &self,
        setup: &LoadedScenario,
        parameters: &ProverEstimatorParameters,
    ) -> Vec<TheoremHypothesis> {
        let found = &self.completeness;
        let is_half = parameters.rho.0 == Exact::ratio(1, 2);
        let judge_error = found.judge_error.as_ref();
        let mut list = vec![
            TheoremHypothesis::new(STABLE, self.known(&found.survey.stable)),
            TheoremHypothesis::new("ρ is 1/2", Some(is_half)),
            TheoremHypothesis::new(PROVABLE, self.known(&found.survey.provable)),
            TheoremHypothesis::new(JUDGE_RIGHT, judge_error.map(Zero::is_zero)),
            TheoremHypothesis::new(CONDITIONAL, Some(found.is_conditional)),
        ];
        list.extend(soundness_hypotheses(&setup.decomposition, &setup.oracle));
        list
    }
}

/// Returns the hypotheses of PE Theorem 6.2. Empty if the rules are not prover-estimator debate. `alpha` is the amount
/// by which a prover's guarantee may be below the value.
pub fn theorem_hypotheses(
    setup: &LoadedScenario,
    game: &UnrestrictedDebaterGame<'_>,
    alpha: &Exact,
) -> Vec<TheoremHypothesis> {
    let Protocol::ProverEstimator(parameters) = game.protocol else {
        return Vec::new();
    };
    let surveyed = Surveyed::of(setup, parameters, game.judge);
    let [prover, opponent] = game.blocks;
    let [of_prover, of_opponent] = [prover, opponent].map(count);
    let informed = of_prover == game.instances.len();
    let all = (prover.iter().zip(opponent)).collect::<HashSet<_>>();
    let least = &parameters.epsilon.0 * &surveyed.prize / Exact::ratio(2, 1);
    let reads =
        first_leaf_with_proof_bits(&setup.decomposition, &setup.oracle, MAX_CLAIMS).is_some();
    let mut list = surveyed.hypotheses(setup, parameters);
    list.extend([
        TheoremHypothesis::new(
            "Alice can decide every claim that she is asked about",
            surveyed
                .known(&surveyed.completeness.survey.provable)
                .map(|provable| provable && informed),
        ),
        TheoremHypothesis::new(
            "Bob may query a player who computes Alice's knowledge",
            // Bob's blocks must refine Alice's, and leaves must read no bits, because he cannot ask for the bits that
            // she writes.
            Some(all.len() == of_opponent && !reads),
        ),
        TheoremHypothesis::new("Bob may give any probability", Some(false)),
        TheoremHypothesis::new("α is below ε·r^(d+1)/2", Some(*alpha < least)),
    ]);
    list
}

/// Returns the number of blocks.
fn count(blocks: &[usize]) -> usize {
    blocks.iter().collect::<HashSet<_>>().len()
}
