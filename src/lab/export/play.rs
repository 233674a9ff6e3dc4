//! What a debate came to, as the JSON document that `play --json` prints.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::report::{BySeat, Expenses, RoundLabel};
use crate::record::Difference;
use debate_core::number::{Exact, Number as _};
use debate_core::player::Seating;
use debate_core::protocol::words::by_round;
use debate_core::protocol::{Protocol, Reader, Rules as _, Seal, VisibleEntry};
use debate_core::scenario::Instance;

/// What a debate came to, as far as its reader may know. Before the end the truth and a sealed
/// answer are null; for a reader who does not follow the debate, so are the payoff, its rounds and
/// the ledger.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlayReport {
    pub seed: String,
    pub instance: String,
    /// The protocol's name.
    pub protocol: &'static str,
    /// The protocol as a scenario file writes it.
    pub parameters: String,
    pub players: BySeat<String>,
    pub outcome: PlayOutcome,
    /// What Alice received.
    pub payoff: Option<f64>,
    /// The payoff as a fraction, or a whole number.
    pub payoff_exact: Option<String>,
    pub by_round: Vec<PlayedRound>,
    pub ledger: Option<BySeat<Expenses<u64>>>,
    /// Alice's answer.
    pub answer: Option<bool>,
    /// True if the root claim is true; null also where nobody can tell.
    pub truth: Option<bool>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlayOutcome {
    Finished,
    Unfinished,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlayedRound {
    pub round: RoundLabel,
    /// The most that the round pays.
    pub weight: f64,
    /// Null where nothing was paid.
    pub reward: Option<f64>,
}

/// What a debate came to by its save.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SavedPlayReport {
    #[serde(flatten)]
    pub play: PlayReport,
    /// True if the save follows from its rules and its seed.
    pub verified: bool,
    /// Where the save does not verify.
    pub first_difference: Option<Difference>,
}

impl PlayReport {
    /// The report for a reader. `players` are the names of prover, opponent and judge as the reader
    /// may know them.
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
        let sealed = |seen| {
            matches!(
                seen,
                VisibleEntry::Sealed {
                    seal: Seal::Answer,
                    ..
                }
            )
        };
        let answered = open || follows && !log.all_seen_by(reader).any(sealed);
        let schedule = state.schedule();
        let rounds = by_round(&schedule, log).into_iter().zip(&schedule);
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
            payoff: follows.then(|| state.payoff().to_float()),
            payoff_exact: follows.then(|| state.payoff().to_string()),
            by_round: rounds
                .map(|((round, reward), (_, weight))| PlayedRound {
                    round: round.into(),
                    weight: weight.to_float(),
                    reward: reward.filter(|_| follows).map(|reward| reward.to_float()),
                })
                .collect(),
            ledger: follows.then(|| (&seating.ledger()).into()),
            answer: state.answer().filter(|_| answered),
            truth: instance.truth(instance.root()).filter(|_| open),
        }
    }
}
