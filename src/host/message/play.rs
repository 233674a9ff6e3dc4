//! The outcome of a debate, as the JSON document that `play --json` prints.

use serde::Serialize;

use crate::record::{Forfeit, SaveDifference};
use debate_core::observe::ObservedLogEntry;
use debate_core::protocol::{LogViewerRole, Protocol, ReplySeal, Rules as _, Seat};
use debate_core::{Exact, Instance, Number as _, SeatedDebate};
use debate_solver::analysis::review::{
    DebateReview, EstimatorMeasures, LastJudgeVerdict, PayoffParts, ReplyFaultCause,
};
use debate_solver::expectation::{BySeat, RoundNumberOrInitial, SeatResourceExpenses};

/// The outcome of a debate, as far as its reader may know it. Before the end, the truth is null, and so is an answer
/// that is still sealed from the reader. A reader who sees the whole log gets both. For a reader who does not follow
/// the debate, the answer, the payoff, the rewards and the ledger are null before the end.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "PlayReport")]
pub struct DebateOutcomeReport {
    pub seed: String,
    pub instance: String,
    /// The name of the protocol.
    pub protocol: &'static str,
    /// The protocol, as in a scenario file.
    pub parameters: String,
    pub players: BySeat<String>,
    pub outcome: DebateCompletion,
    /// The seat and the fault that ended the debate; null if it was not forfeited.
    pub forfeit: Option<Forfeit>,
    /// Alice's payoff.
    pub payoff: Option<f64>,
    /// Alice's payoff, written as a fraction or a whole number.
    pub payoff_exact: Option<String>,
    pub by_round: Vec<RoundRewardReport>,
    /// The verifier's costs.
    pub ledger: Option<SeatResourceExpenses<u64>>,
    pub ledger_by_seat: Option<BySeat<SeatResourceExpenses<u64>>>,
    /// Alice's answer.
    pub answer: Option<bool>,
    /// True if the root claim is true. Null if the truth is not known, and before the end unless the reader sees the
    /// whole log.
    pub truth: Option<bool>,
    /// The judge's last verdict; null before the end, and if the judge gave none.
    pub verdict: Option<LastJudgeVerdictReport>,
    /// The review of the debate: faults of people, and parts of the payoff. Present at the end of a debate that a
    /// person played or that was played with `--hints`. Null otherwise, in a blind debate (values are hidden), and if
    /// the review was not computed.
    pub review: Option<PlayedRepliesReview>,
}

/// The last verdict of a judge.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "VerdictReport")]
pub struct LastJudgeVerdictReport {
    /// True if the verdict agrees with the truth; null if the truth is not known, or if the judge favoured no answer.
    pub right: Option<bool>,
    /// The probability that the judge gave to this verdict; null if none was stated.
    pub certainty: Option<f64>,
}

impl From<&LastJudgeVerdict> for LastJudgeVerdictReport {
    fn from(verdict: &LastJudgeVerdict) -> Self {
        Self {
            right: verdict.is_right,
            certainty: verdict
                .certainty
                .as_ref()
                .map(debate_core::Number::to_float),
        }
    }
}

/// A review of people's replies in a debate.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "PlayReview")]
pub struct PlayedRepliesReview {
    /// The payoff split into four sums by its source, under prover-estimator rules; null under other rules.
    pub parts: Option<PayoffBreakdown>,
    /// The measures of a person's estimates; null if no person gave estimates.
    pub figures: Option<DebateEstimateMeasuresReport>,
    /// The greatest faults in the person's replies, in order of time: at most three that lost payoff, and at most three
    /// others.
    pub faults: Vec<PersonReplyMistake>,
}

/// The measures of a person's estimates that do not depend on luck.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "FiguresReport")]
pub struct DebateEstimateMeasuresReport {
    /// The total size of the gaps of the person's estimates, as a probability: 0.25 is 25 percentage points.
    pub gap: f64,
    /// The squared errors of the person's estimates; null if the truth is not known.
    pub knowledge: Option<EstimateErrorReport>,
}

/// Mean squared errors of a person's estimates and of the reference estimator's estimates. The means cover the root's
/// estimate, and those estimates of the first round whose earlier coins agree with the truth.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "KnowledgeReport"))]
pub struct EstimateErrorReport {
    /// The mean squared error of the person's estimates.
    pub own: f64,
    /// The mean squared error of the reference estimator, whose numbers are shown as hints, for the claims that the
    /// person estimated.
    pub reference: f64,
    /// The number of estimates over which the squared errors are averaged.
    pub count: u32,
    /// The squared distances of the person's estimates to the posterior probabilities; null if Bob reads evidence, or
    /// if the seat has no prior.
    pub to_posterior: Option<DebateDistancesToPosteriorReport>,
}

/// Mean squared distances of estimates to the posterior probabilities, given the knowledge of the estimator's seat.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "PosteriorReport")]
pub struct DebateDistancesToPosteriorReport {
    /// The mean squared distance of the person's estimates.
    pub own: f64,
    /// The mean squared distance of the reference estimator, whose numbers are adjusted to be consistent within their
    /// round.
    pub reference: f64,
}

impl From<&EstimatorMeasures> for DebateEstimateMeasuresReport {
    fn from(figures: &EstimatorMeasures) -> Self {
        let knowledge = figures
            .knowledge
            .as_ref()
            .map(|knowledge| EstimateErrorReport {
                own: knowledge.own.to_float(),
                reference: knowledge.reference.to_float(),
                count: knowledge.count,
                to_posterior: knowledge.to_posterior.as_ref().map(|both| {
                    DebateDistancesToPosteriorReport {
                        own: both.own.to_float(),
                        reference: both.reference.to_float(),
                    }
                }),
            });
        Self {
            gap: figures.gap.to_float(),
            knowledge,
        }
    }
}

/// `payoff = first_answer + misses + coins + last_claim`, all to the prover. The equation is exact for the fractions.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "PayoffSums")]
pub struct PayoffBreakdown {
    /// The part of the prover's payoff from the answer to the root claim, which the root's coin decides.
    pub first_answer: PayoffPart,
    /// The part of the prover's payoff from gaps, that is, inconsistent estimates: the sum over rounds of the gap times
    /// the bet and the stake.
    pub misses: PayoffPart,
    /// The part of the prover's payoff that is due to the luck of the coins: the rest of each round's reward.
    pub coins: PayoffPart,
    /// The part of the payoff from the last claim.
    pub last_claim: PayoffPart,
    /// The sum over rounds of the absolute gap times the stake: the value of `misses` if every bet had been in the
    /// right direction. If the gap of a round exceeds 1, the luck of the coins pays back at least the excess.
    pub open: PayoffPart,
    /// The part of the total gap `open` from the rounds in which Alice bet in the wrong direction: the price of these
    /// bets for her.
    pub wrong: PayoffPart,
}

/// A fault in a reply of a person.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "PlayFault")]
pub struct PersonReplyMistake {
    /// The index of the move with the fault, from 0.
    pub number: usize,
    pub seat: Seat,
    pub kind: ReplyFaultKind,
    /// The payoff that the fault made available to the other side.
    pub loss: PayoffPart,
    /// The loss as a proportion of the round's maximum payoff; for a verdict, as a probability of winning.
    pub share: f64,
}

/// The kind of a fault in a reply.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[serde(rename = "FaultKind")]
pub enum ReplyFaultKind {
    /// The estimate is not consistent with the other estimates of its round.
    Misfit,
    /// The estimate differs from a value that a test has shown to the seat with certainty.
    Known,
    /// The estimate is consistent, but far from the posterior probability, given the seat's knowledge.
    Unlikely,
    /// Another legal reply had a higher value.
    Worse,
}

/// A part of the payoff.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PayoffPart {
    pub value: f64,
    /// The amount of this part of the payoff, written as a fraction or a whole number.
    pub exact: String,
}

impl From<&Exact> for PayoffPart {
    fn from(exact: &Exact) -> Self {
        Self {
            value: exact.to_float(),
            exact: exact.to_string(),
        }
    }
}

impl From<&PayoffParts> for PayoffBreakdown {
    fn from(parts: &PayoffParts) -> Self {
        Self {
            first_answer: (&parts.first).into(),
            misses: (&parts.misses).into(),
            coins: (&parts.coins).into(),
            last_claim: (&parts.last).into(),
            open: (&parts.open).into(),
            wrong: (&parts.wrong).into(),
        }
    }
}

impl From<&DebateReview> for PlayedRepliesReview {
    fn from(review: &DebateReview) -> Self {
        let fault = |number: usize| {
            let step = review.steps.get(number)?;
            let fault = step.fault.as_ref()?;
            Some(PersonReplyMistake {
                number,
                seat: step.seat,
                kind: match fault.cause {
                    ReplyFaultCause::Misfit(_) => ReplyFaultKind::Misfit,
                    ReplyFaultCause::Known(_) => ReplyFaultKind::Known,
                    ReplyFaultCause::Unlikely { .. } => ReplyFaultKind::Unlikely,
                    ReplyFaultCause::Worse { .. } => ReplyFaultKind::Worse,
                },
                loss: (&fault.loss).into(),
                share: fault.share.to_float(),
            })
        };
        let mut numbers = review.moves_with_greatest_faults();
        numbers.sort_unstable();
        Self {
            parts: review.parts.as_ref().map(PayoffBreakdown::from),
            figures: review
                .figures
                .as_ref()
                .map(DebateEstimateMeasuresReport::from),
            faults: numbers.into_iter().filter_map(fault).collect(),
        }
    }
}

#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[serde(rename = "PlayOutcome")]
pub enum DebateCompletion {
    Finished,
    Unfinished,
    /// The debate ended by the fault of an external program that played a seat.
    Forfeited,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "PlayedRound")]
pub struct RoundRewardReport {
    pub round: RoundNumberOrInitial,
    /// The maximum payoff of the round.
    pub weight: f64,
    /// The reward that the round paid; null if it paid none.
    pub reward: Option<f64>,
}

/// The outcome of a saved debate.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "SavedPlayReport")]
pub struct SavedDebateOutcomeReport {
    #[serde(flatten)]
    pub play: DebateOutcomeReport,
    /// True if the save verifies: its rules and its seed lead to exactly the moves and coins that it states.
    pub verified: bool,
    /// The first difference, if the save does not verify.
    pub first_difference: Option<SaveDifference>,
}

impl DebateOutcomeReport {
    /// Returns this report with the fault of a player (`forfeit`) that ended the debate. `None` means that no fault
    /// ended it; the outcome then stays.
    #[must_use]
    pub fn with_forfeit(mut self, forfeit: Option<Forfeit>) -> Self {
        if forfeit.is_some() {
            self.outcome = DebateCompletion::Forfeited;
        }
        Self { forfeit, ..self }
    }

    /// Returns the report on the outcome of a debate for one reader. `players` are the names of prover, opponent and
    /// judge, as far as this reader may know them.
    pub fn of(
        seating: &SeatedDebate<'_, Exact>,
        instance: &Instance,
        protocol: &Protocol,
        seed: &str,
        players: [String; 3],
        reader: LogViewerRole,
    ) -> Self {
        let state = seating.state();
        let finished = state.request().is_none();
        let open = finished || reader == LogViewerRole::ALL;
        let follows = open || reader.is_shown_debate_during_play();
        let log = seating.log();
        let sealed = |seen| match seen {
            ObservedLogEntry::Sealed { seal, .. } => seal == ReplySeal::Answer,
            ObservedLogEntry::Open(_) => false,
        };
        let answered = open || follows && !log.all_observations(reader).any(sealed);
        let schedule = state.schedule();
        let rounds = log.round_payments(&schedule).into_iter().zip(&schedule);
        Self {
            seed: seed.to_owned(),
            instance: instance.world_name().to_owned(),
            protocol: protocol.kind().protocol_name(),
            parameters: protocol.to_string(),
            players: players.into(),
            outcome: if finished {
                DebateCompletion::Finished
            } else {
                DebateCompletion::Unfinished
            },
            forfeit: None,
            payoff: follows.then(|| state.payoff().to_float()),
            payoff_exact: follows.then(|| state.payoff().to_string()),
            by_round: rounds
                .map(|((round, reward), (_, weight))| RoundRewardReport {
                    round: round.into(),
                    weight: weight.to_float(),
                    reward: reward.filter(|_| follows).map(|reward| reward.to_float()),
                })
                .collect(),
            ledger: follows.then(|| {
                seating
                    .spending_by_seat()
                    .spending_of_seat(Seat::Judge)
                    .into()
            }),
            ledger_by_seat: follows.then(|| (&seating.spending_by_seat()).into()),
            answer: state.answer().filter(|_| answered),
            truth: instance.truth(instance.root()).filter(|_| open),
            verdict: LastJudgeVerdict::last_verdict(state, log, instance)
                .filter(|_| finished)
                .as_ref()
                .map(LastJudgeVerdictReport::from),
            review: None,
        }
    }
}
