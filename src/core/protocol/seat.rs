//! The seats, and what each spends.

use std::fmt;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// A place at the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Seat {
    /// Alice: answers, decomposes, defends.
    Prover,
    /// Bob: the estimator of prover-estimator debate, the challenger elsewhere.
    Opponent,
    /// Answers oracle queries.
    Judge,
    /// The trusted randomness.
    Chance,
}

impl Seat {
    /// The seats that a player can take.
    pub const PLAYERS: [Self; 3] = [Self::Prover, Self::Opponent, Self::Judge];

    /// The seat's index: Prover 0, Opponent 1, Judge 2, Chance 3.
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }

    /// The seat in lower case, as command-line flags and JSON name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prover => "prover",
            Self::Opponent => "opponent",
            Self::Judge => "judge",
            Self::Chance => "chance",
        }
    }

    /// The name of the person in this seat in sentences.
    pub fn person(self) -> &'static str {
        match self {
            Self::Prover => "Alice",
            Self::Opponent => "Bob",
            Self::Judge => "Judge",
            Self::Chance => "Coin",
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// The spending of one seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename = "spent")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spent {
    /// Questions put to the oracle.
    pub oracle_queries: u64,
    /// Bits read of proofs, transcripts, inputs and pointers.
    pub bits_read: u64,
    /// Configurations of a machine read.
    pub configurations_read: u64,
    /// Samples drawn to estimate a probability.
    pub samples: u64,
    /// Replies given.
    pub calls: u64,
}

impl AddAssign for Spent {
    fn add_assign(&mut self, more: Self) {
        self.oracle_queries += more.oracle_queries;
        self.bits_read += more.bits_read;
        self.configurations_read += more.configurations_read;
        self.samples += more.samples;
        self.calls += more.calls;
    }
}

/// The spending of every seat. What the verifier spends stands at the judge's seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ledger([Spent; 4]);

impl Ledger {
    pub fn of(&self, seat: Seat) -> &Spent {
        &self.0[seat.index()]
    }

    #[inline]
    pub fn of_mut(&mut self, seat: Seat) -> &mut Spent {
        &mut self.0[seat.index()]
    }

    /// Counts a reply of a seat.
    #[inline]
    pub(super) fn spoke(&mut self, seat: Seat) {
        self.of_mut(seat).calls += 1;
    }

    /// The sum over all seats.
    pub fn total(&self) -> Spent {
        let mut total = Spent::default();
        for spent in self.0 {
            total += spent;
        }
        total
    }
}
