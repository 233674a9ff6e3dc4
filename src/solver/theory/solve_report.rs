//! What `solve` prints as JSON, and the quantities of its tables.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::judge_error::JudgeErrors;
use super::soundness::{Soundness, SoundnessReport};
use crate::analysis::Solution;
use crate::expectation::{BySeat, Expected, Expenses, ReportNumber, RoundLabel};
use crate::expectimax::BEST_RESPONSE;
use debate_core::number::{Exact, Number};
use debate_core::player::{Knowledge, Spec};
use debate_core::protocol::{Kind, Protocol, Seat};

/// The most instances that a report lists.
const MAX_LISTED: usize = 1000;

/// One point of a sweep, or the only one.
#[derive(Clone, Debug)]
pub struct SweepPoint {
    /// The value that the parameter takes.
    pub value: Option<Exact>,
    pub protocol: Protocol,
    pub players: [Spec; 3],
    /// The probabilities that a best response chooses among.
    pub grid: Vec<Exact>,
    /// What the best response knows, where that is less than everything, or it may not say all.
    pub knowing: Option<BestResponseTerms>,
}

/// What a best response knows, and what it may say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestResponseTerms {
    pub seat: Seat,
    pub knows: Knowledge,
    /// The most leaves that it may look up in a debate.
    pub queries: u32,
    /// The only answer to the root claim that it may give.
    pub answers: Option<bool>,
    /// The number of blocks of instances that it tells apart.
    pub blocks: usize,
}

impl SweepPoint {
    /// The seat of the best response, if one plays.
    pub fn best_response(&self) -> Option<Seat> {
        let is_best = |seat: &Seat| self.players[seat.index()].name == BEST_RESPONSE;
        [Seat::Prover, Seat::Opponent].into_iter().find(is_best)
    }

    /// True if one side gets 1 and the other −1.
    pub fn is_decided(&self) -> bool {
        self.protocol.reward_ratio().is_none()
    }

    /// The value in the protocol's own unit: of stochastic debate the probability that Alice wins.
    pub fn value<N: Number>(&self, solution: &Solution<N>) -> N {
        match self.protocol.kind() {
            Kind::Stochastic => solution.prover_wins(),
            _ => solution.expected.value(),
        }
    }

    /// What each round pays, in the unit of [`Self::value`]. A round of stochastic debate pays
    /// ±`weight`, and adds half of what it pays and half of its weight to the probability that Alice
    /// wins.
    pub fn rewards<N: Number>(&self, solution: &Solution<N>) -> Vec<N> {
        let rounds = solution.schedule.iter().zip(solution.expected.by_round());
        let reward = rounds.map(
            |((_, weight), expected)| match (self.protocol.kind(), weight) {
                (Kind::Stochastic, Some(weight)) => (expected + weight.clone()) * N::ratio(1, 2),
                _ => expected,
            },
        );
        reward.collect()
    }

    /// The variance of a debate in the unit of [`Self::value`].
    pub fn variance<N: Number>(&self, solution: &Solution<N>) -> N {
        let variance = solution.expected.variance();
        match self.protocol.kind() {
            Kind::Stochastic => variance * N::ratio(1, 4),
            _ => variance,
        }
    }
}

/// A point with what was found: each instance by name, and their mean.
#[derive(Clone, Debug)]
pub struct SolvedPoint<N: Number> {
    pub point: SweepPoint,
    pub instances: Vec<(String, Solution<N>)>,
    pub mean: Solution<N>,
    /// How wrong the judge may be, where that was asked for.
    pub judge_errors: Option<JudgeErrors>,
    /// What the soundness proof promises, where that was asked for.
    pub soundness: Option<Soundness>,
}

/// What named players expect. Rationals are strings `num/den` with `--exact`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SolveReport {
    /// The protocol's name.
    pub protocol: &'static str,
    /// The protocol as a scenario file writes it.
    pub parameters: String,
    pub prover: String,
    pub opponent: String,
    pub judge: String,
    /// The longest way from the root to a leaf.
    pub depth: u32,
    /// How much less each earlier round weighs than the next, where rounds differ.
    pub reward_ratio: Option<ReportNumber>,
    /// What Alice expects; under `Stochastic` the probability that she wins.
    pub value: ReportNumber,
    /// The rounds in playing order, in the unit of `value`.
    pub by_round: Vec<SolvedRound>,
    /// The probability that what the debate says of the claim is so; null where nobody can tell.
    pub answer_correct: Option<ReportNumber>,
    /// In the unit of `value`, squared.
    pub variance: ReportNumber,
    /// What the verifier spends on average.
    pub ledger: Expenses<ReportNumber>,
    pub ledger_by_seat: BySeat<Expenses<ReportNumber>>,
    /// How many instances the mean is over.
    pub instances: usize,
    /// How many replies were played through.
    pub replies_played: u64,
    /// Where one side gets 1 and the other −1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prover_wins: Option<ReportNumber>,
    /// The instance, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// The first 1,000 instances, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub each: Option<Vec<SolvedInstance>>,
    /// The probabilities that a best response chose among.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grid: Option<Vec<ReportNumber>>,
    /// How wrong the judge may be, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge_errors: Option<JudgeErrors<ReportNumber>>,
    /// What the soundness proof promises of this prover, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub soundness: Option<SoundnessReport>,
    /// What the best response knew, where it was less than everything, or it could not say all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_response: Option<BestResponseReport>,
}

/// What a best response knew, and what it could say.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BestResponseReport {
    pub seat: &'static str,
    /// As `--prover-knows` takes it.
    pub knows: String,
    /// How many blocks of instances it tells apart.
    pub blocks: usize,
    /// How many leaves it may look up in a debate.
    pub queries: u32,
    /// The only answer to the root claim that it may give; null where it may choose.
    pub answers: Option<bool>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SolvedRound {
    pub round: RoundLabel,
    /// The most that the round pays; null where instances differ in it.
    pub weight: Option<ReportNumber>,
    pub expected: ReportNumber,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SolvedInstance {
    pub instance: String,
    pub value: ReportNumber,
    pub answer_correct: Option<ReportNumber>,
}

/// What `solve` prints: one report, or one for each value of a sweep.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum SolveDocument {
    Point(Box<SolveReport>),
    Sweep {
        /// The parameter that varies.
        sweep: String,
        points: Vec<SweptReport>,
    },
}

/// One point of a sweep.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SweptReport {
    #[serde(flatten)]
    pub report: SolveReport,
    /// The parameter's value, under the parameter's name.
    #[serde(flatten)]
    pub parameter: BTreeMap<String, ReportNumber>,
}

impl<N: Number> SolvedPoint<N> {
    pub fn report(&self) -> SolveReport {
        let (point, mean) = (&self.point, &self.mean);
        let number = |value: &Exact| ReportNumber::of(&N::from_exact(value));
        let [prover, opponent, judge] = point.players.each_ref().map(ToString::to_string);
        let rounds = mean.schedule.iter().zip(point.rewards(mean));
        let (instance, each) = match self.instances.as_slice() {
            [(name, _)] => (Some(name.clone()), None),
            each => {
                let each = each
                    .iter()
                    .take(MAX_LISTED)
                    .map(|(name, solution)| SolvedInstance {
                        instance: name.clone(),
                        value: ReportNumber::of(&point.value(solution)),
                        answer_correct: solution.answer_correct.as_ref().map(ReportNumber::of),
                    });
                (None, Some(each.collect()))
            }
        };
        let has_grid = point.best_response().is_some() && !point.grid.is_empty();
        SolveReport {
            protocol: point.protocol.kind().name(),
            parameters: point.protocol.to_string(),
            prover,
            opponent,
            judge,
            depth: mean.depth,
            reward_ratio: point.protocol.reward_ratio().as_ref().map(number),
            value: ReportNumber::of(&point.value(mean)),
            by_round: rounds
                .map(|((round, weight), expected)| SolvedRound {
                    round: (*round).into(),
                    weight: weight.as_ref().map(ReportNumber::of),
                    expected: ReportNumber::of(&expected),
                })
                .collect(),
            answer_correct: mean.answer_correct.as_ref().map(ReportNumber::of),
            variance: ReportNumber::of(&point.variance(mean)),
            ledger: spent(&mean.expected, Seat::Judge),
            ledger_by_seat: BySeat::new(|seat| spent(&mean.expected, seat)),
            instances: self.instances.len(),
            replies_played: mean.played,
            prover_wins: point
                .is_decided()
                .then(|| ReportNumber::of(&mean.prover_wins())),
            instance,
            each,
            grid: has_grid.then(|| point.grid.iter().map(number).collect()),
            judge_errors: self.judge_errors.as_ref().map(|errors| errors.map(&number)),
            soundness: self
                .soundness
                .as_ref()
                .map(|soundness| soundness.report(&number)),
            best_response: point.knowing.as_ref().map(|terms| BestResponseReport {
                seat: terms.seat.name(),
                knows: terms.knows.to_string(),
                blocks: terms.blocks,
                queries: terms.queries,
                answers: terms.answers,
            }),
        }
    }
}

fn spent<N: Number>(expected: &Expected<N>, seat: Seat) -> Expenses<ReportNumber> {
    let amounts = expected.spent(seat);
    std::array::from_fn(|kind| ReportNumber::of(&amounts[kind])).into()
}
