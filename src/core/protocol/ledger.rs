//! The cost of a debate, seat by seat.

use std::ops::AddAssign;

use super::Seat;

/// The spending of one seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
