//! The outcome of a debate, as the JSON document that `play --json` prints.

use serde::Serialize;

use crate::record::{Difference, Forfeit};
use debate_core::observe::Observation;
use debate_core::protocol::{Protocol, Reader, Rules as _, Seal, Seat};
use debate_core::{Exact, Instance, Number as _, Seating};
use debate_solver::analysis::review::{FaultCause, PayoffParts, Review};
use debate_solver::expectation::{BySeat, Expenses, RoundLabel};

/// What a debate came to, as far as its reader may know. Before the end the truth and a sealed
/// answer are null; for a reader who does not follow the debate, so are the payoff, its rounds and
/// the ledger.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlayReport {
    pub seed: String,
    pub instance: String,
    /// The protocol's name.
    pub protocol: &'static str,
    /// The protocol as a scenario file writes it.
    pub parameters: String,
    pub players: BySeat<String>,
    pub outcome: PlayOutcome,
    /// Whose fault ended it, and which; null where none did.
    pub forfeit: Option<Forfeit>,
    /// What Alice received.
    pub payoff: Option<f64>,
    /// The payoff as a fraction, or a whole number.
    pub payoff_exact: Option<String>,
    pub by_round: Vec<PlayedRound>,
    /// What the verifier spent.
    pub ledger: Option<Expenses<u64>>,
    pub ledger_by_seat: Option<BySeat<Expenses<u64>>>,
    /// Alice's answer.
    pub answer: Option<bool>,
    /// True if the root claim is true; null also where nobody can tell.
    pub truth: Option<bool>,
    /// The faults of people and the parts of the payoff, at the end of a debate that a person played or that was
    /// played with `--hints`; null elsewhere, in a blind debate, and where it was not found.
    pub review: Option<PlayReview>,
}

/// How people played.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlayReview {
    /// The four sums of the payoff under prover-estimator rules; null under others.
    pub parts: Option<PayoffSums>,
    /// At most three, in order of time.
    pub faults: Vec<PlayFault>,
}

/// `payoff = first_answer + misses + coins + last_claim`, all to the prover. As fractions they add up exactly.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PayoffSums {
    /// What the first answer earned by its coin.
    pub first_answer: PayoffPart,
    /// By how much the estimates of each round miss, times the bet.
    pub misses: PayoffPart,
    /// The rest of each round.
    pub coins: PayoffPart,
    /// The last claim.
    pub last_claim: PayoffPart,
    /// The sizes of the misses, whichever way the bets went. A round's can exceed its stake: the coins take it back.
    pub open: PayoffPart,
}

/// A fault in a reply of a person.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlayFault {
    /// The number of the move, from 0.
    pub number: usize,
    pub seat: Seat,
    pub kind: FaultKind,
    /// The payoff that it left open to the other side.
    pub loss: PayoffPart,
    /// The same as a share of what the round can pay; of a verdict, as a probability of winning.
    pub share: f64,
}

/// What is wrong with a reply.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FaultKind {
    /// An estimate does not fit the others of its round.
    Misfit,
    /// An estimate is off from what a test told the seat for certain.
    Known,
    /// Another reply was worth more.
    Worse,
}

/// A part of the payoff.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PayoffPart {
    pub value: f64,
    /// As a fraction, or a whole number.
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

impl From<&PayoffParts> for PayoffSums {
    fn from(parts: &PayoffParts) -> Self {
        Self {
            first_answer: (&parts.first).into(),
            misses: (&parts.misses).into(),
            coins: (&parts.coins).into(),
            last_claim: (&parts.last).into(),
            open: (&parts.open).into(),
        }
    }
}

impl From<&Review> for PlayReview {
    fn from(review: &Review) -> Self {
        let fault = |number: usize| {
            let step = review.steps.get(number)?;
            let fault = step.fault.as_ref()?;
            Some(PlayFault {
                number,
                seat: step.seat,
                kind: match fault.cause {
                    FaultCause::Misfit(_) => FaultKind::Misfit,
                    FaultCause::Known(_) => FaultKind::Known,
                    FaultCause::Worse { .. } => FaultKind::Worse,
                },
                loss: (&fault.loss).into(),
                share: fault.share.to_float(),
            })
        };
        Self {
            parts: review.parts.as_ref().map(PayoffSums::from),
            faults: review.faults().into_iter().filter_map(fault).collect(),
        }
    }
}

#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PlayOutcome {
    Finished,
    Unfinished,
    /// The fault of a player that is another program ended it.
    Forfeited,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlayedRound {
    pub round: RoundLabel,
    /// The most that the round pays.
    pub weight: f64,
    /// Null where nothing was paid.
    pub reward: Option<f64>,
}

/// What a debate came to by its save.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SavedPlayReport {
    #[serde(flatten)]
    pub play: PlayReport,
    /// True if the save follows from its rules and its seed.
    pub verified: bool,
    /// Where the save does not verify.
    pub first_difference: Option<Difference>,
}

impl PlayReport {
    /// Returns the report of a debate that a fault ended; unchanged if `forfeit` is `None`.
    #[must_use]
    pub fn forfeited(mut self, forfeit: Option<Forfeit>) -> Self {
        if forfeit.is_some() {
            self.outcome = PlayOutcome::Forfeited;
        }
        Self { forfeit, ..self }
    }

    /// Returns the report for a reader. `players` are the names of prover, opponent and judge, as far as the reader may
    /// know them.
    pub fn of(
        seating: &Seating<'_, Exact>,
        instance: &Instance,
        protocol: &Protocol,
        seed: &str,
        players: [String; 3],
        reader: Reader,
    ) -> Self {
        let state = seating.state();
        let finished = state.request().is_none();
        let open = finished || reader == Reader::ALL;
        let follows = open || reader.follows();
        let log = seating.log();
        let sealed = |seen| match seen {
            Observation::Sealed { seal, .. } => seal == Seal::Answer,
            Observation::Open(_) => false,
        };
        let answered = open || follows && !log.all_seen_by(reader).any(sealed);
        let schedule = state.schedule();
        let rounds = log.payments(&schedule).into_iter().zip(&schedule);
        Self {
            seed: seed.to_owned(),
            instance: instance.name().to_owned(),
            protocol: protocol.kind().name(),
            parameters: protocol.to_string(),
            players: players.into(),
            outcome: if finished {
                PlayOutcome::Finished
            } else {
                PlayOutcome::Unfinished
            },
            forfeit: None,
            payoff: follows.then(|| state.payoff().to_float()),
            payoff_exact: follows.then(|| state.payoff().to_string()),
            by_round: rounds
                .map(|((round, reward), (_, weight))| PlayedRound {
                    round: round.into(),
                    weight: weight.to_float(),
                    reward: reward.filter(|_| follows).map(|reward| reward.to_float()),
                })
                .collect(),
            ledger: follows.then(|| seating.ledger().of(Seat::Judge).into()),
            ledger_by_seat: follows.then(|| (&seating.ledger()).into()),
            answer: state.answer().filter(|_| answered),
            truth: instance.truth(instance.root()).filter(|_| open),
            review: None,
        }
    }
}
