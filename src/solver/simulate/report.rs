//! The JSON reports that `simulate` and `merge` print.

use serde::Serialize;

use super::shard::{RulesAndPlayerNames, SimulationShard};
use super::sums::{SimulationSums, SumAndSumOfSquares, wilson_interval};
use crate::expectation::{BySeat, RoundNumberOrInitial, SeatResourceExpenses};
use debate_core::number::zero_if_rounding_error;
use debate_core::protocol::{Protocol, ProtocolError, Seat};

/// The results of a simulation. Means, standard errors and intervals are null if there are too few debates for them.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SimulationReport {
    #[serde(flatten)]
    pub side: SimulatedSideReport,
    pub seed: String,
    /// The scenario's title.
    pub title: String,
    /// The name of the instance, if the user requested one; otherwise null.
    pub instance: Option<String>,
    /// The running time, in seconds.
    pub seconds: f64,
    pub debates_per_second: f64,
    pub threads: u64,
    /// The second side, if two sides are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub versus: Option<SimulatedSideReport>,
    /// If two sides are compared on the same instances and coins: the payoff of the first side's prover minus that of
    /// the second side's prover.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<MeanAndErrorReport>,
}

/// The results of one side of a simulation: one set of rules and players.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "SideReport")]
pub struct SimulatedSideReport {
    /// The payoff to the prover.
    #[serde(flatten)]
    pub payoff: MeanAndErrorReport,
    pub debates: u64,
    /// The protocol's name.
    pub protocol: &'static str,
    /// The protocol with its parameters, as a scenario file writes it.
    pub parameters: String,
    pub players: BySeat<String>,
    /// The proportion of debates in which the prover's payoff was greater than the opponent's.
    pub prover_wins: Option<f64>,
    /// The Wilson interval of `prover_wins`.
    pub prover_wins_ci95: Option<[f64; 2]>,
    /// The proportion of debates with a right answer, among those that end with an answer and whose root claim can be
    /// decided.
    pub answer_correct: Option<f64>,
    /// The verifier's mean expenses.
    pub ledger: SeatResourceExpenses<f64>,
    pub ledger_by_seat: BySeat<SeatResourceExpenses<f64>>,
    /// The rounds in playing order.
    pub by_round: Vec<RoundRewardStatisticsReport>,
}

/// A quantity over many debates.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "MomentsReport")]
pub struct MeanAndErrorReport {
    pub mean: Option<f64>,
    pub stderr: Option<f64>,
    /// The 95 % confidence interval of the mean, by Student's t distribution.
    pub ci95: Option<[f64; 2]>,
    pub sums: ExactSums,
}

/// The exact sums of a quantity over debates, as integer multiples of `unit`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExactSums {
    pub payoff: String,
    /// The sum of the squared values. Each square is rounded once.
    pub squares: String,
    pub unit: &'static str,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "SimulatedRound")]
pub struct RoundRewardStatisticsReport {
    pub round: RoundNumberOrInitial,
    /// The maximum payoff of the round; null if it differs between instances.
    pub weight: Option<f64>,
    pub mean: Option<f64>,
    /// The exact sum of the round's rewards over all debates, in the unit of `sums`.
    pub sum: String,
}

impl SimulationReport {
    /// Creates the report on the debates of a shard. Returns `None` if the shard has no sides (sets of rules and
    /// players).
    ///
    /// # Errors
    /// Returns an error if this program does not know a side's protocol.
    pub fn report_if_shard_has_results(
        part: &SimulationShard,
    ) -> Result<Option<Self>, ProtocolError> {
        let identity = &part.identity;
        let simulated = &part.simulated;
        let mut sides = simulated
            .sides
            .iter()
            .zip(&identity.sides)
            .map(|(sums, names)| SimulatedSideReport::of(sums, names));
        let Some(side) = sides.next().transpose()? else {
            return Ok(None);
        };
        let debates = side.debates;
        let most = simulated
            .sides
            .iter()
            .map(SimulationSums::largest_stake_of_all_rounds);
        let most = most.fold(0.0, f64::max);
        Ok(Some(Self {
            side,
            seed: identity.seed.clone(),
            title: identity.title.clone(),
            instance: identity.instance.clone(),
            seconds: part.seconds,
            debates_per_second: part.debates_per_second(),
            threads: part.threads,
            versus: sides.next().transpose()?,
            difference: simulated
                .difference
                .as_ref()
                .map(|difference| MeanAndErrorReport::report_of_moments(difference, debates, most)),
        }))
    }
}

impl SimulatedSideReport {
    fn of(sums: &SimulationSums, names: &RulesAndPlayerNames) -> Result<Self, ProtocolError> {
        let spent = |seat| SeatResourceExpenses::from(sums.mean_expenses_by_kind(seat));
        Ok(Self {
            payoff: sums.payoff_report(),
            debates: sums.debates,
            protocol: Protocol::parse(&names.protocol)?.kind().protocol_name(),
            parameters: names.protocol.clone(),
            players: names.players.clone().into(),
            prover_wins: sums.positive_payoff_rate_of_prover(),
            prover_wins_ci95: wilson_interval(sums.won, sums.debates),
            answer_correct: sums.correct_root_answer_rate(),
            ledger: spent(Seat::Judge),
            ledger_by_seat: BySeat::new(spent),
            by_round: sums
                .rounds()
                .map(|(round, sum)| RoundRewardStatisticsReport {
                    round: round.into(),
                    weight: sum.weight,
                    mean: sums.mean_reward(sum),
                    sum: sum.sum.to_string(),
                })
                .collect(),
        })
    }
}

impl MeanAndErrorReport {
    /// Returns the mean of a quantity over the debates, with its standard error and interval. `largest_round_payoff` is
    /// the maximum payoff of one round, the scale for rounding errors.
    pub fn report_of_moments(
        moments: &SumAndSumOfSquares,
        debates: u64,
        largest_round_payoff: f64,
    ) -> Self {
        let clean = |figure: f64| zero_if_rounding_error(figure, largest_round_payoff);
        Self {
            mean: moments.mean(debates).map(clean),
            stderr: moments.standard_error(debates).map(clean),
            ci95: moments
                .confidence_interval_of_mean(debates)
                .map(|ends| ends.map(clean)),
            sums: ExactSums {
                payoff: moments.sum.to_string(),
                squares: moments.squares.to_string(),
                unit: "2^-80",
            },
        }
    }
}
