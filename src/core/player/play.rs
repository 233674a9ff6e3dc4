//! The loop that plays a debate, and the steps of the loop. At full speed a step formats no text and allocates no
//! memory.

use thiserror::Error;

use super::{Move, Strategy, StrategyMemoryAndCosts};
use crate::budget::{ComputationBudget, ComputationStopReason};
use crate::chance::{RandomStream, RandomStreamPurpose, Seed};
use crate::number::{Number, index_saturating};
use crate::protocol::{
    EventSink, IllegalReply, PendingTurn, Reply, Request, Rules, Seat, SeatResourceCosts, State,
    View,
};

/// The source of the random integers of one debate: for its coins, and for its players' random choices.
pub trait RandomSource {
    /// Returns the random integer below 2⁵³ of the coin with this index.
    fn coin(&mut self, ordinal: u64) -> u64;
    /// Returns the random integer below 2⁵³ with which a player makes its random choice at the move with this number.
    fn private(&mut self, seat: Seat, number: u64) -> u64;
}

/// All random numbers of one debate, derived from its seed.
#[derive(Clone, Debug)]
pub struct SeededRandomness {
    seed: Seed,
    debate: u64,
    coins: RandomStream,
    private: [Option<RandomStream>; 3],
}

impl SeededRandomness {
    /// Creates the random numbers of debate number `debate`. `max_coins` is the most coins that one debate tosses, so
    /// that the coins of different debates do not overlap.
    pub fn new(seed: &Seed, debate: u64, max_coins: u64) -> Self {
        let draws = RandomStream::for_coins_of_debate(seed, debate, max_coins);
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
        self.coins.random_53_bit_number_at(ordinal)
    }

    fn private(&mut self, seat: Seat, number: u64) -> u64 {
        let stream = match seat {
            Seat::Prover => RandomStreamPurpose::Prover,
            Seat::Opponent => RandomStreamPurpose::Opponent,
            Seat::Judge => RandomStreamPurpose::Judge,
            Seat::Chance => return self.coins.random_53_bit_number_at(number),
        };
        self.private[seat.seat_index()]
            .get_or_insert_with(|| {
                RandomStream::for_player_in_debate(&self.seed, stream, self.debate)
            })
            .random_53_bit_number_at(number)
    }
}

/// A debate's coins from a buffer filled in advance, for players that use no random numbers.
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

/// The reason why a debate was not played to its end.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BuiltinDebateUnfinishedError {
    /// A built-in player has no reply, because its oracle does not know the answer or the request is not meant for it.
    #[error(
        "the built-in {seat} has no reply to this request, because the scenario lacks the information", seat = .0)]
    NoReply(Seat),
    /// A built-in player's reply is illegal.
    #[error("the built-in {seat} gave an illegal reply: {reason}", reason = .illegal)]
    Illegal {
        /// The seat that replied.
        seat: Seat,
        illegal: IllegalReply,
    },
    /// The debate was cancelled, or it takes more moves than its budget allows.
    #[error(transparent)]
    Exceeded(#[from] ComputationStopReason),
}

/// The result of a debate.
#[derive(Clone, Debug, PartialEq)]
pub struct PayoffAndSpending<N> {
    pub payoff: N,
    /// For each seat, the oracle queries and samples that its player used to find replies. Expenses that the rules
    /// record are not included.
    pub spent: [SeatResourceCosts; 3],
}

/// Makes moves until the debate has none left. `next(n)` makes move number n, counted from 0, and returns false if
/// there is no move left. Each move costs one step of the budget.
///
/// # Errors
/// Returns an error if a move cannot be made, or if the budget is exceeded.
#[inline]
pub fn play_until_done<E: From<ComputationStopReason>>(
    budget: &ComputationBudget<'_>,
    mut next: impl FnMut(u64) -> Result<bool, E>,
) -> Result<(), E> {
    for number in 0.. {
        // A move may take long, so the flag is checked before each.
        budget.check_not_cancelled()?;
        if !next(number)? {
            break;
        }
        budget.check_total_steps(number + 1, "moves")?;
    }
    Ok(())
}

/// Plays a debate from its current state to its end, with a strategy for each seat (prover, opponent, judge), under any
/// protocol.
///
/// # Errors
/// Returns an error if a player has no reply or an illegal one, or if the budget is exceeded.
#[inline]
pub fn play_between<'a, N: Number>(
    state: &mut State<'a, N>,
    players: [&dyn Strategy<'a, N>; 3],
    chances: &mut impl RandomSource,
    sink: &mut dyn EventSink<N>,
    budget: &ComputationBudget<'_>,
) -> Result<PayoffAndSpending<N>, BuiltinDebateUnfinishedError> {
    play_with(state, players, chances, sink, budget, |_, _| {})
}

/// Plays a debate as [`play_between`] does, and appends its moves to `moves`. These moves lack the coins' random
/// integers and the players' costs.
///
/// # Errors
/// Returns an error if a player has no reply or an illegal one, or if the budget is exceeded.
pub fn play_recording_moves<'a, N: Number>(
    state: &mut State<'a, N>,
    players: [&dyn Strategy<'a, N>; 3],
    chances: &mut impl RandomSource,
    moves: &mut Vec<Move<N>>,
    budget: &ComputationBudget<'_>,
) -> Result<PayoffAndSpending<N>, BuiltinDebateUnfinishedError> {
    play_with(state, players, chances, &mut (), budget, |seat, reply| {
        moves.push(Move {
            seat,
            reply: reply.clone(),
            coin: None,
            spent: SeatResourceCosts::default(),
        });
    })
}

/// Plays a debate. Before each move, `record` is called with the seat and its reply.
#[inline]
fn play_with<'a, N: Number>(
    state: &mut State<'a, N>,
    players: [&dyn Strategy<'a, N>; 3],
    chances: &mut impl RandomSource,
    sink: &mut dyn EventSink<N>,
    budget: &ComputationBudget<'_>,
    mut record: impl FnMut(Seat, &Reply<N>),
) -> Result<PayoffAndSpending<N>, BuiltinDebateUnfinishedError> {
    let mut policy_states = [StrategyMemoryAndCosts::default(); 3];
    play_until_done(budget, |number| {
        let Some(turn) = state.request() else {
            return Ok(false);
        };
        let seat = turn.seat;
        let reply = match (draw_coin(&turn, chances), players.get(seat.seat_index())) {
            (Some((_, reply)), _) => reply,
            (None, Some(player)) => {
                let policy_state = &mut policy_states[seat.seat_index()];
                ask_player(*player, state, &turn, policy_state, || {
                    chances.private(seat, number)
                })?
            }
            (None, None) => return Err(BuiltinDebateUnfinishedError::NoReply(seat)),
        };
        record(seat, &reply);
        state
            .reply(reply, sink)
            .map_err(|illegal| BuiltinDebateUnfinishedError::Illegal { seat, illegal })?;
        Ok(true)
    })?;
    Ok(PayoffAndSpending {
        payoff: state.payoff(),
        spent: policy_states.map(|policy_state| policy_state.spent),
    })
}

/// Tosses the requested coin, and returns the coin and the reply that it makes; `None` if the request is not for
/// chance.
#[inline]
pub(super) fn draw_coin<N: Number>(
    turn: &PendingTurn<N>,
    chances: &mut impl RandomSource,
) -> Option<(u64, Reply<N>)> {
    let Request::Draw { ordinal, draw, .. } = &turn.request else {
        return None;
    };
    let integer = chances.coin(*ordinal);
    Some((
        integer,
        Reply::Drawn(draw.outcome_for_random_integer(integer)),
    ))
}

/// Asks a player for a reply. If the player chooses at random, the private random number selects its reply.
#[inline]
pub(super) fn ask_player<'a, N: Number>(
    player: &dyn Strategy<'a, N>,
    state: &State<'a, N>,
    PendingTurn { seat, request }: &PendingTurn<N>,
    policy_state: &mut StrategyMemoryAndCosts,
    draw: impl FnOnce() -> u64,
) -> Result<Reply<N>, BuiltinDebateUnfinishedError> {
    let choice = player.choose(View::new(state, *seat), request, policy_state);
    Ok(choice
        .ok_or(BuiltinDebateUnfinishedError::NoReply(*seat))?
        .reply_for_draw(draw))
}
