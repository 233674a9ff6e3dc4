//! The seats.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A place at the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
