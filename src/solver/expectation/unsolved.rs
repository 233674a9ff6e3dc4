//! Why a search may find nothing, and the counting of steps.

use thiserror::Error;

use debate_core::budget::{Budget, Exceeded};
use debate_core::player::PlayError;
use debate_core::protocol::{Illegal, Seat};

/// A budget with the steps that were taken from it, some at a time.
pub(crate) struct StepCounter<'b> {
    taken: u64,
    budget: Budget<'b>,
}

impl<'b> StepCounter<'b> {
    pub(crate) fn of(budget: Budget<'b>) -> Self {
        Self { taken: 0, budget }
    }

    /// Takes so many steps.
    pub(crate) fn take(&mut self, steps: u64) -> Result<(), Exceeded> {
        self.budget.go_on()?;
        self.taken = self.taken.saturating_add(steps);
        self.budget.count(steps);
        if self.taken > self.budget.steps {
            return Err(self.budget.exceeded("steps"));
        }
        Ok(())
    }

    /// The steps taken so far.
    pub(crate) fn taken(&self) -> u64 {
        self.taken
    }
}

impl Unsolved {
    /// It was stopped from elsewhere.
    pub const STOPPED: Self = Self::Exceeded(Exceeded::Stopped);
}

impl From<PlayError> for Unsolved {
    fn from(error: PlayError) -> Self {
        match error {
            PlayError::NoReply(seat) => Self::NoReply(seat),
            PlayError::Illegal { seat, illegal } => Self::Illegal { seat, illegal },
            PlayError::Exceeded(exceeded) => Self::Exceeded(exceeded),
        }
    }
}

/// Why a value was not found.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Unsolved {
    /// It takes more replies than allowed, or was stopped.
    #[error(transparent)]
    Exceeded(#[from] Exceeded),
    /// The best words of a round take too many steps to find.
    #[error(
        "a round of {width} subclaims in {grid} probabilities takes {steps} steps, and at most \
         {most} may be taken in all; take a smaller --grid, a narrower decomposition, or raise \
         --max-replies"
    )]
    TooFine {
        /// The number of subclaims.
        width: usize,
        /// The number of probabilities.
        grid: usize,
        /// The steps that the round takes.
        steps: u64,
        /// The most steps for all rounds.
        most: u64,
    },
    /// A player has no reply.
    #[error("the {0} has no reply to a request; the scenario does not say enough for it")]
    NoReply(Seat),
    /// A player's reply is illegal.
    #[error("the {seat} gave an illegal reply: {illegal}")]
    Illegal {
        /// Whose.
        seat: Seat,
        /// The reason.
        illegal: Illegal,
    },
    /// The best reply to somebody who hides a draw.
    #[error(
        "the {0} draws replies that stay sealed, so there is no best reply to them; choose a player \
         that does not, such as honest or liar"
    )]
    Hidden(Seat),
    /// A player draws among too many replies to list them.
    #[error(
        "the {0} draws among too many replies here to list them all; take a player that does not \
         draw, such as honest, or `simulate`"
    )]
    Countless(Seat),
    /// The best of endlessly many replies is not found by trying.
    #[error("the {0} can reply in too many ways here to find the best by trying")]
    Endless(Seat),
}
