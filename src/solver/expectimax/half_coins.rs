//! Coins that two players make together, each giving one half.

use std::ops::Range;

use super::Expectimax;
use crate::expectation::Unsolved;
use crate::game::{Actor, Node};
use debate_core::number::{Exact, Number};
use debate_core::player::{Choice, half};
use debate_core::protocol::{Reply, Rules as _, Seat, State, Turn};

/// A way to go on, by a reply or by two.
pub(super) struct Edge<N> {
    pub(super) chance: N,
    pub(super) reply: (Seat, Reply<N>),
    pub(super) then: Option<(Seat, Reply<N>)>,
}

impl<'a, N: Number> Expectimax<'_, 'a, N> {
    /// The ways to go on from a request for half of a coin, where the coin can be weighed without a
    /// look at each number that the halves may be: where the first half is known and the second is
    /// drawn evenly, and where both are drawn evenly, or one is and the other is the best there is.
    /// Whatever the other half is then, the sum modulo 1 is as even.
    pub(super) fn half_coin_edges(
        &self,
        at: &Node<'a, N>,
        turn: &Turn<N>,
    ) -> Result<Option<Vec<Edge<N>>>, Unsolved> {
        if !turn.request.is_half_of_coin() {
            return Ok(None);
        }
        let own = self.even_parts(at, turn)?;
        if turn.seat != Seat::Opponent {
            return own.map(|parts| edges_of_coin(at, parts, None)).transpose();
        }
        let mut after = at.clone();
        let first = Reply::Probability(half(0, own.unwrap_or(1)));
        after.reply_noted(turn.seat, first.clone())?;
        let Some(next) = after.state.request() else {
            return Ok(None);
        };
        let is_best = |seat: Seat| self.players.get(seat.index()).is_some_and(Actor::chooses);
        let parts = match (own, self.even_parts(&after, &next)?) {
            (Some(own), other) if other == Some(own) || is_best(next.seat) => own,
            (None, Some(other)) if is_best(turn.seat) => other,
            _ => return Ok(None),
        };
        edges_of_coin(&after, parts, Some(&(turn.seat, first))).map(Some)
    }

    /// Into how many parts a player draws its half evenly, where it does.
    fn even_parts(&self, at: &Node<'a, N>, turn: &Turn<N>) -> Result<Option<u64>, Unsolved> {
        let Some(Actor::Plays(strategy)) = self.players.get(turn.seat.index()) else {
            return Ok(None);
        };
        Ok(match at.clone().asked(turn, *strategy)? {
            Choice::Share { parts } => Some(parts),
            _ => None,
        })
    }
}

/// The ways on which the coin falls where the first half is known and the second is one of so many,
/// each as likely. `first`: the first half, where it is still to be given.
fn edges_of_coin<N: Number>(
    at: &Node<'_, N>,
    parts: u64,
    first: Option<&(Seat, Reply<N>)>,
) -> Result<Vec<Edge<N>>, Unsolved> {
    let way = |places: [Range<u64>; 2]| {
        let count: u64 = places.iter().map(|range| range.end - range.start).sum();
        let any = places.iter().find(|range| !range.is_empty())?;
        let second = Reply::Probability(half(any.start, parts));
        let second = (Seat::Prover, second);
        Some(Edge {
            chance: N::from_exact(&Exact::new(count.into(), parts.into())),
            reply: first.cloned().unwrap_or_else(|| second.clone()),
            then: first.map(|_| second),
        })
    };
    Ok(places_by_bit(at, parts)?
        .into_iter()
        .filter_map(way)
        .collect())
}

/// The places of the second half for which the bit comes out 1, and those for which it comes out 0.
/// The sum rises with the place until it passes 1, and once more from there; the bit is 1 where the
/// sum is small.
fn places_by_bit<N: Number>(
    at: &Node<'_, N>,
    parts: u64,
) -> Result<[[Range<u64>; 2]; 2], Unsolved> {
    let State::Stochastic(debate) = &at.state else {
        return Err(Unsolved::NoReply(Seat::Opponent));
    };
    let first = debate.first_half();
    let first = first.ok_or(Unsolved::NoReply(Seat::Opponent))?;
    let below = |place: u64| Ok(first.clone() + half(place, parts) < N::one());
    let bit = |place: u64| {
        let second = Reply::Probability(half(place, parts));
        let (_, sink) = at.clone().reply_noted(Seat::Prover, second)?;
        sink.tossed.ok_or(Unsolved::NoReply(Seat::Chance))
    };
    let passes = last_place(0..parts, below)?;
    let low = last_place(0..passes, bit)?;
    let high = last_place(passes..parts, bit)?;
    Ok([[0..low, passes..high], [low..passes, high..parts]])
}

/// Up to where in a range something holds that, once it does not, never does again.
fn last_place(
    range: Range<u64>,
    holds: impl Fn(u64) -> Result<bool, Unsolved>,
) -> Result<u64, Unsolved> {
    let Range { mut start, mut end } = range;
    while start < end {
        let middle = start + (end - start) / 2;
        if holds(middle)? {
            start = middle + 1;
        } else {
            end = middle;
        }
    }
    Ok(start)
}
