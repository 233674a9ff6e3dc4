//! Coins that two players throw together: each player contributes a number (a half), and the sum of both decides.

use std::ops::Range;

use super::ExhaustiveExpectimax;
use crate::expectation::PayoffNotComputedReason;
use crate::game::{DebateAndStrategyStates, SeatDecisionMaker};
use debate_core::number::{Exact, Number};
use debate_core::player::{ReplyDistribution, half};
use debate_core::protocol::{PendingTurn, Reply, Rules as _, Seat, State};

/// An edge of the game tree: one reply, or two consecutive replies.
pub(super) struct GameTreeEdge<N> {
    pub(super) chance: N,
    pub(super) reply: (Seat, Reply<N>),
    pub(super) then: Option<(Seat, Reply<N>)>,
}

impl<'a, N: Number> ExhaustiveExpectimax<'_, 'a, N> {
    /// Returns the edges after a request for one half of a shared coin, if the possible halves need not be enumerated.
    /// This holds if the first half is known and the second is drawn uniformly. It also holds if both are drawn
    /// uniformly, or if one is and a best response gives the other. In all these cases, the sum modulo 1 is uniform.
    pub(super) fn half_coin_edges(
        &self,
        at: &DebateAndStrategyStates<'a, N>,
        turn: &PendingTurn<N>,
    ) -> Result<Option<Vec<GameTreeEdge<N>>>, PayoffNotComputedReason> {
        if !turn.request.is_coin_half_request() {
            return Ok(None);
        }
        let own = self.uniform_parts(at, turn)?;
        if turn.seat != Seat::Opponent {
            return own.map(|parts| edges_of_coin(at, parts, None)).transpose();
        }
        let mut after = at.clone();
        let first = Reply::Probability(half(0, own.unwrap_or(1)));
        after.reply_with_sink(turn.seat, first.clone())?;
        let Some(next) = after.state.request() else {
            return Ok(None);
        };
        let is_best = |seat: Seat| {
            self.players
                .get(seat.seat_index())
                .is_some_and(SeatDecisionMaker::chooses_among_all_replies)
        };
        let parts = match (own, self.uniform_parts(&after, &next)?) {
            (Some(own), other) if other == Some(own) || is_best(next.seat) => own,
            (None, Some(other)) if is_best(turn.seat) => other,
            _ => return Ok(None),
        };
        edges_of_coin(&after, parts, Some(&(turn.seat, first))).map(Some)
    }

    /// Returns the number of values among which a player draws its half of the coin uniformly; `None` if it does not
    /// draw it uniformly.
    fn uniform_parts(
        &self,
        at: &DebateAndStrategyStates<'a, N>,
        turn: &PendingTurn<N>,
    ) -> Result<Option<u64>, PayoffNotComputedReason> {
        let Some(SeatDecisionMaker::Plays(strategy)) = self.players.get(turn.seat.seat_index())
        else {
            return Ok(None);
        };
        Ok(match at.clone().choice_without_expenses(turn, *strategy)? {
            ReplyDistribution::Share { parts } => Some(parts),
            _ => None,
        })
    }
}

/// Returns the edges for the two outcomes of a shared coin, if the second half is uniform over `parts` values. `at` is
/// the position after the first half. If `first` is given, each edge begins with this first half.
fn edges_of_coin<N: Number>(
    at: &DebateAndStrategyStates<'_, N>,
    parts: u64,
    first: Option<&(Seat, Reply<N>)>,
) -> Result<Vec<GameTreeEdge<N>>, PayoffNotComputedReason> {
    let way = |positions: [Range<u64>; 2]| {
        let count: u64 = positions.iter().map(|range| range.end - range.start).sum();
        let any = positions.iter().find(|range| !range.is_empty())?;
        let second = Reply::Probability(half(any.start, parts));
        let second = (Seat::Prover, second);
        Some(GameTreeEdge {
            chance: N::from_exact(&Exact::new(count.into(), parts.into())),
            reply: first.cloned().unwrap_or_else(|| second.clone()),
            then: first.map(|_| second),
        })
    };
    Ok(ranges_by_bit(at, parts)?
        .into_iter()
        .filter_map(way)
        .collect())
}

/// Returns the index ranges of the second half for which the coin's bit is 1, and those for which it is 0. The sum
/// modulo 1 rises with the index, drops once to 0, and rises again. The bit is 1 if the sum is small, so each bit has
/// at most two ranges.
fn ranges_by_bit<N: Number>(
    at: &DebateAndStrategyStates<'_, N>,
    parts: u64,
) -> Result<[[Range<u64>; 2]; 2], PayoffNotComputedReason> {
    let State::Stochastic(debate) = &at.state else {
        return Err(PayoffNotComputedReason::NoReply(Seat::Opponent));
    };
    let first = debate.opponent_coin_half();
    let first = first.ok_or(PayoffNotComputedReason::NoReply(Seat::Opponent))?;
    let below = |position: u64| Ok(first.clone() + half(position, parts) < N::one());
    let bit = |position: u64| {
        let second = Reply::Probability(half(position, parts));
        let (_, sink) = at.clone().reply_with_sink(Seat::Prover, second)?;
        sink.tossed
            .ok_or(PayoffNotComputedReason::NoReply(Seat::Chance))
    };
    let passes = end_of_true_range(0..parts, below)?;
    let low = end_of_true_range(0..passes, bit)?;
    let high = end_of_true_range(passes..parts, bit)?;
    Ok([[0..low, passes..high], [low..passes, high..parts]])
}

/// Returns the end of the initial part of a range in which `holds` is true. Once it is false, it stays false.
fn end_of_true_range(
    range: Range<u64>,
    holds: impl Fn(u64) -> Result<bool, PayoffNotComputedReason>,
) -> Result<u64, PayoffNotComputedReason> {
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
