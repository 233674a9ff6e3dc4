//! The loop in which debates are played, and its steps. At full speed a step makes no text and allocates nothing.

use thiserror::Error;

use super::{Move, PolicyState, Strategy};
use crate::budget::{Budget, Exceeded};
use crate::chance::{Draws, Seed, Stream};
use crate::number::{Number, index_saturating};
use crate::protocol::{EventSink, Illegal, Reply, Request, Rules, Seat, Spent, State, Turn, View};

/// The source of a debate's randomness.
pub trait RandomSource {
    /// Returns the coin with this ordinal, below 2⁵³.
    fn coin(&mut self, ordinal: u64) -> u64;
    /// Returns a player's private draw at its move with this number, below 2⁵³.
    fn private(&mut self, seat: Seat, number: u64) -> u64;
}

/// All randomness of one debate, from its seed.
#[derive(Clone, Debug)]
pub struct SeededRandomness {
    seed: Seed,
    debate: u64,
    coins: Draws,
    private: [Option<Draws>; 3],
}

impl SeededRandomness {
    /// Creates the randomness of debate number `debate`, with at most `coins` coins.
    pub fn new(seed: &Seed, debate: u64, coins: u64) -> Self {
        let draws = Draws::for_coins_of_debate(seed, debate, coins);
        Self {
            seed: seed.clone(),
            debate,
            coins: draws,
            private: [None, None, None],
        }
    }
}

impl RandomSource for SeededRandomness {
    fn coin(&mut self, ordinal: u64) -> u64 {
        self.coins.draw_at(ordinal)
    }

    fn private(&mut self, seat: Seat, number: u64) -> u64 {
        let stream = match seat {
            Seat::Prover => Stream::Prover,
            Seat::Opponent => Stream::Opponent,
            Seat::Judge => Stream::Judge,
            Seat::Chance => return self.coins.draw_at(number),
        };
        self.private[seat.index()]
            .get_or_insert_with(|| Draws::for_player_in_debate(&self.seed, stream, self.debate))
            .draw_at(number)
    }
}

/// A debate's coins from a prefilled buffer, for players that draw no random numbers.
impl RandomSource for &[u64] {
    #[inline]
    fn coin(&mut self, ordinal: u64) -> u64 {
        self.get(index_saturating(ordinal)).copied().unwrap_or(0)
    }

    #[inline]
    fn private(&mut self, _seat: Seat, _number: u64) -> u64 {
        0
    }
}

/// The reason why a debate is not played to its end.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PlayError {
    /// A built-in player has no reply: its oracle does not know, or the request is not for it.
    #[error(
        "the built-in {player} has no reply to this request, because the scenario lacks the information", player = .0)]
    NoReply(Seat),
    /// A built-in player's reply is illegal.
    #[error("the built-in {seat} gave an illegal reply: {illegal}")]
    Illegal {
        /// The seat that replied.
        seat: Seat,
        illegal: Illegal,
    },
    /// The debate was cancelled, or takes more moves than its budget allows.
    #[error(transparent)]
    Exceeded(#[from] Exceeded),
}

/// The result of a debate.
#[derive(Clone, Debug, PartialEq)]
pub struct PayoffAndSpending<N> {
    pub payoff: N,
    /// The players' spending beyond the spending that the rules record, by seat.
    pub spent: [Spent; 3],
}

/// Makes moves until none is left. `next` makes the move with this number, counted from 0, and returns true if it made
/// one. A step of the budget is a move.
///
/// # Errors
/// Returns an error if a move cannot be made, or if the budget is exceeded.
#[inline]
pub fn play_until_done<E: From<Exceeded>>(
    budget: &Budget<'_>,
    mut next: impl FnMut(u64) -> Result<bool, E>,
) -> Result<(), E> {
    for number in 0.. {
        // A move may take long, so the flag is checked before each.
        budget.check_not_cancelled()?;
        if !next(number)? {
            break;
        }
        budget.record_steps(number + 1, "moves")?;
    }
    Ok(())
}

/// Plays a debate between strategies of any protocol (prover, opponent, judge) from its current state to its end.
///
/// # Errors
/// Returns an error if a player has no reply or an illegal one, or if the budget is exceeded.
#[inline]
pub fn play_between<'a, N: Number>(
    state: &mut State<'a, N>,
    players: [&dyn Strategy<'a, N>; 3],
    chances: &mut impl RandomSource,
    sink: &mut dyn EventSink<N>,
    budget: &Budget<'_>,
) -> Result<PayoffAndSpending<N>, PlayError> {
    play_with(state, players, chances, sink, budget, |_, _| {})
}

/// Plays a debate as [`play_between`] does, and appends its moves to `moves`, without the numbers of coins and
/// the players' spending.
///
/// # Errors
/// Returns an error if a player has no reply or an illegal one, or if the budget is exceeded.
pub fn play_recording_moves<'a, N: Number>(
    state: &mut State<'a, N>,
    players: [&dyn Strategy<'a, N>; 3],
    chances: &mut impl RandomSource,
    moves: &mut Vec<Move<N>>,
    budget: &Budget<'_>,
) -> Result<PayoffAndSpending<N>, PlayError> {
    play_with(state, players, chances, &mut (), budget, |seat, reply| {
        moves.push(Move {
            seat,
            reply: reply.clone(),
            coin: None,
            spent: Spent::default(),
        });
    })
}

/// Plays a debate. `record` receives the seat and the reply of each move before it is made.
#[inline]
fn play_with<'a, N: Number>(
    state: &mut State<'a, N>,
    players: [&dyn Strategy<'a, N>; 3],
    chances: &mut impl RandomSource,
    sink: &mut dyn EventSink<N>,
    budget: &Budget<'_>,
    mut record: impl FnMut(Seat, &Reply<N>),
) -> Result<PayoffAndSpending<N>, PlayError> {
    let mut policy_states = [PolicyState::default(); 3];
    play_until_done(budget, |number| {
        let Some(turn) = state.request() else {
            return Ok(false);
        };
        let seat = turn.seat;
        let reply = match (draw_coin(&turn, chances), players.get(seat.index())) {
            (Some((_, reply)), _) => reply,
            (None, Some(player)) => {
                let policy_state = &mut policy_states[seat.index()];
                ask_player(*player, state, &turn, policy_state, || {
                    chances.private(seat, number)
                })?
            }
            (None, None) => return Err(PlayError::NoReply(seat)),
        };
        record(seat, &reply);
        state
            .reply(reply, sink)
            .map_err(|illegal| PlayError::Illegal { seat, illegal })?;
        Ok(true)
    })?;
    Ok(PayoffAndSpending {
        payoff: state.payoff(),
        spent: policy_states.map(|policy_state| policy_state.spent),
    })
}

/// Draws the requested coin, and returns it with its reply; `None` if the request is not for chance.
#[inline]
pub(super) fn draw_coin<N: Number>(
    turn: &Turn<N>,
    chances: &mut impl RandomSource,
) -> Option<(u64, Reply<N>)> {
    let Request::Draw { ordinal, draw, .. } = &turn.request else {
        return None;
    };
    let integer = chances.coin(*ordinal);
    Some((integer, Reply::Drawn(draw.outcome(integer))))
}

/// Asks a player for a reply; the private draw decides if there is a choice.
#[inline]
pub(super) fn ask_player<'a, N: Number>(
    player: &dyn Strategy<'a, N>,
    state: &State<'a, N>,
    Turn { seat, request }: &Turn<N>,
    policy_state: &mut PolicyState,
    draw: impl FnOnce() -> u64,
) -> Result<Reply<N>, PlayError> {
    let choice = player.choose(View::new(state, *seat), request, policy_state);
    Ok(choice
        .ok_or(PlayError::NoReply(*seat))?
        .reply_for_draw(draw))
}
