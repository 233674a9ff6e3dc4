//! The worth of the replies of a debate: hints while it is played, and the ledger of skill and
//! luck when it is over.
//!
//! A value is the payoff that the prover can expect, and it always has a reference: these players
//! in the other seats, and in a person's place, from their next reply on, the player whom the
//! scenario seats there.
//!
//! What is hidden from somebody is not used in what they are told while the debate goes on: their
//! replies are valued over all instances that they cannot tell apart and over all that the others
//! may have sealed, as likely as their strategies and all that is open make it. Replies are ranked
//! by what they guarantee, whoever sits in the other seat, and then by what they are worth against
//! the player who does.

mod beliefs;
mod context;
mod hint_search;
mod hints;
mod move_review;
mod trials;

use thiserror::Error;

use crate::expectation::Unsolved;
pub use context::ReviewContext;
use debate_core::number::{Exact, Number as _};
use debate_core::player::BuildError;
use debate_core::protocol::{Refused, Reply};
pub use hint_search::LaterReplies;
pub use hints::{Hints, RatedReply, RivalPool};
pub use move_review::{Cause, MoveFault, MoveReview, Regret, Review, Stake};
pub use trials::{TrialComparison, TrialResults};

/// Why a value was not found.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ReviewError {
    /// The search did not come to its end.
    #[error(transparent)]
    Unsolved(#[from] Unsolved),
    /// A player cannot be built.
    #[error(transparent)]
    Player(BuildError),
    /// The debate cannot be begun.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// Sealed replies do not follow from what is open.
    #[error("what is sealed from you cannot be told from what is open, so no value is known")]
    Sealed,
    /// Too much is sealed.
    #[error("too much is sealed from you to weigh all that it may be")]
    TooMuchSealed,
    /// Too many instances are possible.
    #[error("too many instances are possible, as far as you can know, to weigh each")]
    TooManyInstances,
    /// Nothing is asked.
    #[error("nothing is asked")]
    NotAsked,
    /// There was no thread to compute it on, or it was lost.
    #[error("the system gave no thread to compute it on")]
    NoThread,
}

impl From<BuildError> for ReviewError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Exceeded { exceeded, .. } => Self::Unsolved(exceeded.into()),
            error => Self::Player(error),
        }
    }
}

impl ReviewError {
    /// True if it was stopped from elsewhere.
    pub fn is_stopped(&self) -> bool {
        *self == Self::Unsolved(Unsolved::STOPPED)
    }
}

/// True if two replies come to the same.
fn same(one: &Reply<Exact>, other: &Reply<Exact>) -> bool {
    match (one, other) {
        (Reply::Oracle { holds, .. }, Reply::Oracle { holds: also, .. }) => holds == also,
        _ => one == other,
    }
}

/// Equally spaced probabilities from 0 to 1.
fn even_grid(parts: u32) -> Vec<Exact> {
    let ratio = |n: u32| Exact::ratio(n.into(), parts.into());
    (0..=parts).map(ratio).collect()
}

#[cfg(test)]
mod tests;
