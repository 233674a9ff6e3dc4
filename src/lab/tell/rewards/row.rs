//! What the table of rewards says of a round, and of all of them.

use debate_core::number::{Exact, Number as _, short, signed};
use debate_core::protocol::Round;

use crate::tell::chance;

/// The payment of a round: made, open, or never to come.
#[derive(Clone, Debug, PartialEq)]
pub enum Payment {
    /// The prover's payoff.
    Paid(Exact),
    /// The least and the most that the prover can still receive.
    Open([Exact; 2]),
    /// The debate went past the round.
    Skipped,
}

/// A row of the table of rewards.
#[derive(Clone, Debug, PartialEq)]
pub struct RewardRow {
    pub round: Round,
    /// `init`, or the round as people count.
    pub label: String,
    /// The most that the round can pay.
    pub weight: Exact,
    /// The bet or answer in a word; `?` while it is sealed.
    pub bet: &'static str,
    /// The outcome in a word; empty before.
    pub outcome: &'static str,
    /// The estimate that the bet is about.
    pub p: Option<Exact>,
    /// The prover's reward.
    pub payment: Payment,
    /// True if the last step paid it.
    pub newest: bool,
    /// True if it outweighs all other rounds.
    pub dominant: bool,
}

impl RewardRow {
    /// The round's payment to the prover.
    pub fn value(&self) -> Option<f64> {
        match &self.payment {
            Payment::Paid(value) => Some(value.to_float()),
            Payment::Open(_) | Payment::Skipped => None,
        }
    }

    /// The row as pages for everybody have it: round, weight, bet, outcome, estimate, and the
    /// prover's payoff.
    pub fn cells(&self) -> [String; 6] {
        [
            self.label.clone(),
            short(self.weight.to_float(), 2),
            self.bet.to_owned(),
            self.outcome.to_owned(),
            self.estimate(),
            match self.value() {
                Some(0.0) => "0".to_owned(),
                Some(value) => signed(value, 3),
                None => String::new(),
            },
        ]
    }

    /// The estimate in few columns; empty before.
    pub fn estimate(&self) -> String {
        let p = self.p.as_ref();
        p.map(|p| chance(p.to_float())).unwrap_or_default()
    }
}

/// The range that the round under way can still decide.
#[derive(Clone, Debug, PartialEq)]
pub enum RoundStake {
    /// The debate is over.
    Over,
    /// The round pays nothing.
    Nothing,
    /// It has paid.
    Paid,
    /// The least and the most that the prover can still receive of it.
    Open([Exact; 2]),
}

/// A summary of the rewards so far. All figures are the prover's.
#[derive(Clone, Debug, PartialEq)]
pub struct RewardSummary {
    pub total: Exact,
    /// The round that paid last, what it paid, and whether the last step did that.
    pub last: Option<(Round, Exact, bool)>,
    pub now: RoundStake,
    /// The least and the most weight of the rounds that come after this one.
    pub later: Option<[Exact; 2]>,
    /// The round that made most of what was paid, and what it paid.
    pub dominant: Option<(Round, Exact)>,
}
