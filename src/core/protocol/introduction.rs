//! The introduction of a protocol.

use super::{Kind, Seat};

/// The texts about a protocol, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Introduction {
    /// The name in tables and JSON.
    pub name: &'static str,
    /// The protocol as scenario files write it, in each way that different problems need it.
    pub examples: &'static [&'static str],
    /// The guarantee in one line, with its source.
    pub guarantee: &'static str,
    /// One line on what happens in it.
    pub about: &'static str,
    /// The rules in a few sentences, for somebody who sees them for the first time.
    pub rules: &'static str,
    /// The opponent's title.
    pub opponent: &'static str,
    pub prover_task: &'static str,
    pub opponent_task: &'static str,
    pub judge_task: &'static str,
}

/// The judge's task where leaves are decided by an oracle.
pub(super) const ORACLE: &str = "say if one small claim is true, where the rules ask the oracle";

impl Kind {
    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        self.introduction().name
    }

    /// One line on what happens in it.
    pub fn about(self) -> &'static str {
        self.introduction().about
    }

    /// The title of a seat under this protocol.
    pub fn title(self, seat: Seat) -> &'static str {
        match seat {
            Seat::Opponent => self.introduction().opponent,
            seat => seat.name(),
        }
    }

    /// The task of a seat.
    pub fn task(self, seat: Seat) -> &'static str {
        match seat {
            Seat::Prover => self.introduction().prover_task,
            Seat::Opponent => self.introduction().opponent_task,
            Seat::Judge => self.introduction().judge_task,
            Seat::Chance => "fall as the probabilities say",
        }
    }
}
