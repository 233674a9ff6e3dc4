//! How much a walk may do, and why it may find nothing.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use thiserror::Error;

use crate::protocol::{Illegal, Seat};

/// How much a walk may do.
#[derive(Clone, Copy, Debug)]
pub struct Effort<'c> {
    /// The most replies that are played.
    pub replies: u64,
    /// Set from elsewhere to stop it.
    pub cancel: Option<&'c AtomicBool>,
    /// Counts, for others to watch, the positions that it has looked at, in steps of
    /// [`Effort::STEP`].
    pub seen: Option<&'c AtomicU64>,
}

impl Effort<'_> {
    /// After so many positions a walk counts them and looks whether it is to stop.
    pub const STEP: u64 = 256;
}

impl Default for Effort<'_> {
    fn default() -> Self {
        Self {
            replies: 100_000_000,
            cancel: None,
            seen: None,
        }
    }
}

/// How much more may be done by whoever counts its steps at once.
pub(in crate::analysis) struct Steps<'e> {
    left: u64,
    effort: Effort<'e>,
}

impl<'e> Steps<'e> {
    pub(in crate::analysis) fn of(effort: Effort<'e>) -> Self {
        Self {
            left: effort.replies,
            effort,
        }
    }

    /// Takes so many steps.
    pub(in crate::analysis) fn take(&mut self, steps: u64) -> Result<(), Unsolved> {
        let cancelled = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        if self.effort.cancel.is_some_and(cancelled) {
            return Err(Unsolved::Cancelled);
        }
        let left = self.left.checked_sub(steps);
        self.left = left.ok_or(Unsolved::TooLarge(self.effort.replies))?;
        Ok(())
    }

    /// How many were taken.
    pub(in crate::analysis) fn taken(&self) -> u64 {
        self.effort.replies - self.left
    }
}

/// Why a value was not found.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Unsolved {
    /// It takes more replies than allowed.
    #[error(
        "this takes more than {0} replies to play through; take a smaller instance, players that \
         do not draw, or `simulate`"
    )]
    TooLarge(u64),
    /// The best words of a round take too many steps to find.
    #[error(
        "a round of {width} subclaims in {grid} probabilities takes {steps} steps, and at most \
         {most} may be taken in all; take a smaller --grid, a narrower decomposition, or raise \
         --max-replies"
    )]
    TooFine {
        /// How many subclaims there are.
        width: usize,
        /// How many probabilities.
        grid: usize,
        /// How many steps the round takes.
        steps: u64,
        /// How many may be taken for all rounds.
        most: u64,
    },
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// A player has no reply.
    #[error("the {0} has no reply to a request; the scenario does not say enough for it")]
    NoReply(Seat),
    /// A player's reply is illegal.
    #[error("the {seat} gave an illegal reply: {illegal}")]
    Illegal {
        /// Whose.
        seat: Seat,
        /// What is wrong with it.
        illegal: Illegal,
    },
    /// The best reply to somebody who hides a draw.
    #[error(
        "the {0} draws replies that stay sealed, so there is no best reply to them; choose a player \
         that does not, such as honest or liar"
    )]
    Hidden(Seat),
    /// What a player draws among is too much to be listed.
    #[error(
        "the {0} draws among too many replies here to list them all; take a player that does not \
         draw, such as honest, or `simulate`"
    )]
    Countless(Seat),
    /// The best of endlessly many replies is not found by trying.
    #[error("the {0} can reply in too many ways here to find the best by trying")]
    Endless(Seat),
}
