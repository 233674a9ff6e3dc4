//! Coins that two players make together, each giving one half.

use super::position::Position;
use super::{Actor, Unsolved, Walk, Way};
use crate::number::{Exact, Number};
use crate::player::{Choice, share};
use crate::protocol::{Reply, Request, Rules as _, Seat, Turn};

impl<'a, N: Number> Walk<'_, 'a, N> {
    /// Into how many parts both halves of the coin are drawn evenly, where they are: their sum
    /// modulo 1 is then as even.
    pub(super) fn shared(
        &self,
        at: &Position<'a, N>,
        turn: &Turn<N>,
    ) -> Result<Option<u64>, Unsolved> {
        if turn.seat != Seat::Opponent {
            return Ok(None);
        }
        let first = self.parts(at, turn)?;
        let mut then = at.clone();
        // Whatever the first half is, the second makes the sum even.
        let parts = first.unwrap_or(1);
        then.replied(turn.seat, share(0, parts))?;
        let Some(next) = then.state.request() else {
            return Ok(None);
        };
        let second = self.parts(&then, &next)?;
        Ok(match self.players.get(turn.seat.index()) {
            Some(Actor::Best) => second,
            _ => second.filter(|_| first == second),
        })
    }

    fn parts(&self, at: &Position<'a, N>, turn: &Turn<N>) -> Result<Option<u64>, Unsolved> {
        let (Request::Share { .. }, Some(Actor::Plays(strategy))) =
            (&turn.request, self.players.get(turn.seat.index()))
        else {
            return Ok(None);
        };
        let choice = at
            .clone()
            .choice(turn, *strategy, &mut super::Gain::nothing())?;
        Ok(match choice {
            Choice::Share { parts } => Some(parts),
            _ => None,
        })
    }
}

/// The ways on which the coin falls by halves from so many parts: the first of them may be any, so
/// it is the first there is.
pub(super) fn coin<N: Number>(at: &Position<'_, N>, parts: u64) -> Result<Vec<Way<N>>, Unsolved> {
    let ones = ones(at, parts)?;
    let each = [(ones, 0), (parts - ones, parts.saturating_sub(1))];
    let each = each.into_iter().filter(|(count, _)| *count > 0);
    Ok(each
        .map(|(count, place)| Way {
            chance: N::from_exact(&Exact::new(count.into(), parts.into())),
            reply: (Seat::Opponent, share(0, parts)),
            then: Some((Seat::Prover, share(place, parts))),
        })
        .collect())
}

/// At how many places of the second half the bit comes out 1, the first being at place 0: those
/// up to some place, since the bit is 1 where the sum is small.
fn ones<N: Number>(at: &Position<'_, N>, parts: u64) -> Result<u64, Unsolved> {
    let mut after = at.clone();
    after.replied(Seat::Opponent, share(0, parts))?;
    let (mut low, mut high) = (0, parts);
    while low < high {
        let middle = low + (high - low) / 2;
        let mut then = after.clone();
        if falls(&mut then, share(middle, parts))? {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}

/// Whether the bit comes out 1.
fn falls<N: Number>(at: &mut Position<'_, N>, reply: Reply<N>) -> Result<bool, Unsolved> {
    at.tossed(Seat::Prover, reply)?
        .ok_or(Unsolved::NoReply(Seat::Chance))
}
