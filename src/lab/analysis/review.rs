//! What the replies of a debate were worth: hints while it is played, and the ledger of skill and
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
mod case;
mod hints;
mod ledger;
mod trials;
pub mod words;

use thiserror::Error;

use super::expectimax::Unsolved;
pub use case::ReviewContext;
use debate_core::number::Number;
use debate_core::player::{BuildError, Move, Timeline};
use debate_core::protocol::{Refused, Reply, Rules as _, State};
pub use hints::{Hints, RatedReply, RivalPool};
pub use ledger::{MoveFault, MoveReview, Regret, Review, Stake};
pub use trials::{TrialComparison, TrialResults};

/// Why something was not found.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ReviewError {
    /// The walk did not come to its end.
    #[error(transparent)]
    Unsolved(#[from] Unsolved),
    /// A player cannot be built.
    #[error(transparent)]
    Player(#[from] BuildError),
    /// The debate cannot be begun.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// What is sealed does not follow from what is open.
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

/// Whether two replies come to the same.
fn same<N: PartialEq>(one: &Reply<N>, other: &Reply<N>) -> bool {
    match (one, other) {
        (Reply::Oracle { holds, .. }, Reply::Oracle { holds: also, .. }) => holds == also,
        _ => one == other,
    }
}

/// The debate after these moves.
fn timeline_of<'a, N: Number>(
    start: &State<'a, N>,
    moves: &[Move<N>],
) -> Result<Timeline<'a, N>, ReviewError> {
    let mut timeline = Timeline::new(start.clone());
    for made in moves {
        let seat = made.seat;
        let illegal = |illegal| Unsolved::Illegal { seat, illegal };
        timeline.push(made.clone()).map_err(illegal)?;
    }
    Ok(timeline)
}

/// Equally spaced probabilities from 0 to 1.
#[must_use]
pub fn even_grid<N: Number>(steps: u32) -> Vec<N> {
    let ratio = |n: u32| N::ratio(n.into(), steps.max(1).into());
    (0..=steps.max(1)).map(ratio).collect()
}

/// How far the payoff can range: the least and the most that the rules pay the prover. Where
/// rounds differ in weight, all but the first are bets, which lose as much as they win.
fn range<N: Number>(state: &State<'_, N>, bets: bool) -> (N, N) {
    use debate_core::protocol::Round;
    let mut least = N::zero();
    let mut most = N::zero();
    for (round, weight) in state.schedule() {
        if bets && matches!(round, Round::Number(_)) && !weight.is_zero() {
            least -= weight.clone();
        }
        most += weight;
    }
    (least, most)
}

#[cfg(test)]
mod tests;
