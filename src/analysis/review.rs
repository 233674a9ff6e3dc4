//! What the replies of a debate were worth: hints while it is played, and the ledger of skill and
//! luck when it is over.
//!
//! A value is the payoff that the prover can expect, and it always has a reference: these players
//! in the other seats, and for a person's own later replies either the best there are
//! ([`Later::Best`]) or those of a built-in player ([`Later::As`]).
//!
//! What is sealed from somebody is not used in what they are told: their replies are valued over
//! all that the others may have sealed, as likely as their strategies and all that is open make
//! it.

mod case;
mod ledger;
mod often;
mod possible;
pub mod words;

use thiserror::Error;

use super::walk::{Actor, Unsolved, Walk, every_reply};
use crate::budget::Budget;
use crate::number::Number;
use crate::player::{BuildError, Built, Move};
use crate::protocol::{Refused, Reply, Request, Rules as _, Seat, State, Turn};
pub use case::{Case, Watch};
pub use ledger::{Fault, Review, Stake, Step};
pub use often::{Often, Tried};
use possible::possible;

/// Why something was not found.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Unknown {
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
    /// Nothing is asked.
    #[error("nothing is asked")]
    NotAsked,
    /// There was no thread to compute it on, or it was lost.
    #[error("the system gave no thread to compute it on")]
    NoThread,
}

/// How a person's own later replies are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Later {
    /// The best there are.
    Best,
    /// Those of the built-in player that stands in for the seat.
    As,
}

/// The players whose strategies a value refers to: in the place of people, those that stand in.
pub struct Reference<'p, 'a, N: Number> {
    /// Prover, opponent and judge.
    pub players: &'p [Built<'a, N>; 3],
    /// Whose replies are the best there are, instead of the strategy's.
    pub best: Option<Seat>,
}

impl<'p, 'a, N: Number> Reference<'p, 'a, N> {
    /// Who replies in each seat.
    fn actors(&self) -> [Actor<'p, 'a, N>; 3] {
        Seat::PLAYERS.map(|seat| {
            if self.best == Some(seat) {
                Actor::Best
            } else {
                Actor::Plays(&*self.players[seat.index()])
            }
        })
    }

    /// How later replies of a seat are taken.
    fn later(&self, seat: Seat) -> Later {
        if self.best == Some(seat) {
            Later::Best
        } else {
            Later::As
        }
    }
}

/// What each reply to a request is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Hints<N> {
    /// Who is asked.
    pub seat: Seat,
    /// What the prover can expect before the reply.
    pub before: N,
    /// Every reply, or those on a grid of probabilities, with what the prover can then expect.
    pub replies: Vec<(Reply<N>, N)>,
    /// How the later replies of whoever is asked are taken.
    pub later: Later,
    /// Whether something is sealed from whoever is asked, so that these are means over it.
    pub means: bool,
}

impl<N: Number> Hints<N> {
    /// What a value to the prover is worth to whoever is asked; to a judge, that to the prover.
    #[must_use]
    pub fn to_asked(&self, value: N) -> N {
        match self.seat {
            Seat::Opponent => -value,
            _ => value,
        }
    }

    /// The best reply with its worth to the prover, the first of the best; `None` for a judge,
    /// who has no stake.
    #[must_use]
    pub fn best(&self) -> Option<&(Reply<N>, N)> {
        if !matches!(self.seat, Seat::Prover | Seat::Opponent) {
            return None;
        }
        let mut best: Option<&(Reply<N>, N)> = None;
        for found in &self.replies {
            let better = |(_, most): &(Reply<N>, N)| {
                self.to_asked(found.1.clone()) > self.to_asked(most.clone())
            };
            if best.is_none_or(better) {
                best = Some(found);
            }
        }
        best
    }

    /// What the prover can expect after a reply, where it is among those that were valued. How
    /// sure a judge was makes no difference.
    #[must_use]
    pub fn of(&self, reply: &Reply<N>) -> Option<&N> {
        let found = self.replies.iter().find(|(other, _)| same(other, reply));
        found.map(|(_, value)| value)
    }
}

/// Whether two replies come to the same.
fn same<N: PartialEq>(one: &Reply<N>, other: &Reply<N>) -> bool {
    match (one, other) {
        (Reply::Oracle { holds, .. }, Reply::Oracle { holds: also, .. }) => holds == also,
        _ => one == other,
    }
}

/// What each reply to the pending request is worth, as far as whoever is asked can know: on this
/// grid where a probability is asked for.
///
/// # Errors
/// Where nothing is asked, a player fails, or it takes too long.
pub fn hints<'a, N: Number>(
    start: &State<'a, N>,
    moves: &[Move<N>],
    reference: &Reference<'_, 'a, N>,
    grid: Vec<N>,
    budget: Budget<'_>,
) -> Result<Hints<N>, Unknown> {
    let asked = standing(start, moves)?;
    let turn = asked.request().ok_or(Unknown::NotAsked)?;
    let seat = turn.seat;
    let halves = match &turn.request {
        Request::Share { .. } => every_reply(&turn, &grid)?,
        _ => Vec::new(),
    };
    let mut walk = Walk::new(start, reference.actors(), budget)
        .for_value()
        .on_grid(grid);
    if let Some(value) = evenly(start, moves, &turn, reference, &mut walk)? {
        let replies = halves.into_iter();
        return Ok(Hints {
            seat,
            before: value.clone(),
            replies: replies.map(|reply| (reply, value.clone())).collect(),
            later: reference.later(seat),
            means: seat != Seat::Opponent,
        });
    }
    let each = possible(start, moves, seat, reference.players)?;
    let means = each.len() > 1;
    if means && reference.best == Some(seat) {
        // Whoever replies best would know what is sealed.
        return Err(Unsolved::Hidden(seat).into());
    }
    let mut before = N::zero();
    let mut replies: Vec<(Reply<N>, N)> = Vec::new();
    for (chance, at) in &each {
        let so_far = at.state.payoff();
        let found = walk.each(at, &turn)?;
        let expected = walk.value_at(at.clone())?.value();
        before += chance.clone() * (so_far.clone() + expected);
        for worth in found {
            let value = chance.clone() * (so_far.clone() + worth.expected.value());
            match replies.iter_mut().find(|(reply, _)| *reply == worth.reply) {
                Some((_, sum)) => *sum += value,
                None => replies.push((worth.reply, value)),
            }
        }
    }
    Ok(Hints {
        seat,
        before,
        replies,
        later: reference.later(seat),
        means,
    })
}

/// What one reply to the pending request is worth to the prover, as far as whoever is asked can
/// know; `None` where it is illegal. `grid`: what the best estimator may say later.
///
/// # Errors
/// As of [`hints`].
pub fn worth<'a, N: Number>(
    start: &State<'a, N>,
    moves: &[Move<N>],
    reference: &Reference<'_, 'a, N>,
    (reply, grid): (&Reply<N>, Vec<N>),
    budget: Budget<'_>,
) -> Result<Option<N>, Unknown> {
    let asked = standing(start, moves)?;
    let turn = asked.request().ok_or(Unknown::NotAsked)?;
    let seat = turn.seat;
    let mut walk = Walk::new(start, reference.actors(), budget)
        .for_value()
        .on_grid(grid);
    if let Some(value) = evenly(start, moves, &turn, reference, &mut walk)? {
        let legal = matches!(reply, Reply::Probability(p) if p.is_probability());
        return Ok(legal.then_some(value));
    }
    let each = possible(start, moves, seat, reference.players)?;
    if each.len() > 1 && reference.best == Some(seat) {
        return Err(Unsolved::Hidden(seat).into());
    }
    let mut sum = N::zero();
    for (chance, at) in &each {
        let Some(expected) = walk.worth_at(at, seat, reply.clone())? else {
            return Ok(None);
        };
        sum += chance.clone() * (at.state.payoff() + expected.value());
    }
    Ok(Some(sum))
}

/// What the prover can expect where half of a coin is asked for and the other half is drawn evenly:
/// whatever the one is, the coin falls as it should.
fn evenly<'a, N: Number>(
    start: &State<'a, N>,
    moves: &[Move<N>],
    turn: &Turn<N>,
    reference: &Reference<'_, 'a, N>,
    walk: &mut Walk<'_, 'a, N>,
) -> Result<Option<N>, Unknown> {
    let Request::Share { .. } = turn.request else {
        return Ok(None);
    };
    // The second half is asked for while the first is sealed: what counts is the coin.
    let halves = moves.split_last().filter(|_| turn.seat != Seat::Opponent);
    let moves = halves.map_or(moves, |(_, before)| before);
    let mut sum = N::zero();
    for (chance, at) in possible(start, moves, turn.seat, reference.players)? {
        let first = at.state.request().ok_or(Unknown::NotAsked)?;
        let Some(expected) = walk.shared_value(&at, &first)? else {
            return Ok(None);
        };
        sum += chance * (at.state.payoff() + expected.value());
    }
    Ok(Some(sum))
}

/// The debate after these moves.
fn standing<'a, N: Number>(
    start: &State<'a, N>,
    moves: &[Move<N>],
) -> Result<State<'a, N>, Unknown> {
    let mut state = start.clone();
    for made in moves {
        let seat = made.seat;
        let illegal = |illegal| Unsolved::Illegal { seat, illegal };
        state.reply(made.reply.clone(), &mut ()).map_err(illegal)?;
    }
    Ok(state)
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
    use crate::protocol::Round;
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
