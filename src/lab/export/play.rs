//! What a debate came to, as the JSON document that `play --json` prints.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::review::{Review, ReviewContext};
use crate::expectation::{BySeat, Expenses, RoundLabel};
use crate::record::{Difference, Forfeit};
use debate_core::observe::Observation;
use debate_core::protocol::{Protocol, Reader, Rules as _, Seal, Seat};
use debate_core::{Exact, Instance, Number as _, Seating};

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
    /// What the payoff is put down to, at the end of a debate that a person played or that was
    /// played with `--hints`; null elsewhere, in a blind debate, and where it was not found.
    pub attribution: Option<Attribution>,
}

/// The payoff by its causes: `payoff = start + skill + mixing + luck`, all to the prover. As
/// fractions they add up exactly.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Attribution {
    /// The player of each seat that values are against: whoever sits there, or for a person the
    /// strategy that skill is measured against.
    pub reference: BySeat<String>,
    /// What the prover could expect before anybody had spoken.
    pub start: PayoffPart,
    /// By what people replied.
    pub skill: ByDebater<PayoffPart>,
    /// By how the dice of strategies fell that draw among their replies.
    pub mixing: ByDebater<PayoffPart>,
    /// By coins and the oracle.
    pub luck: PayoffPart,
}

/// A part of the payoff.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PayoffPart {
    pub value: f64,
    /// As a fraction, or a whole number.
    pub exact: String,
}

/// One value for each debater.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ByDebater<T> {
    pub prover: T,
    pub opponent: T,
}

impl From<Exact> for PayoffPart {
    fn from(exact: Exact) -> Self {
        Self {
            value: exact.to_float(),
            exact: exact.to_string(),
        }
    }
}

impl Attribution {
    pub fn of(case: &ReviewContext, review: &Review) -> Self {
        let each = |of: fn(&Review, Seat) -> Exact| ByDebater {
            prover: of(review, Seat::Prover).into(),
            opponent: of(review, Seat::Opponent).into(),
        };
        Self {
            reference: Seat::PLAYERS.map(|seat| case.player(seat)).into(),
            start: review.start.clone().into(),
            skill: each(Review::skill),
            mixing: each(Review::mixing),
            luck: review.luck().into(),
        }
    }
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlayOutcome {
    Finished,
    Unfinished,
    /// The fault of a player that is another program ended it.
    Forfeited,
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
    /// The same of a debate that a fault ended, where one did.
    #[must_use]
    pub fn forfeited(mut self, forfeit: Option<Forfeit>) -> Self {
        if forfeit.is_some() {
            self.outcome = PlayOutcome::Forfeited;
        }
        Self { forfeit, ..self }
    }

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
            attribution: None,
        }
    }
}
