//! The seating: a debate in progress with its players. It asks the players for replies in turn, and can undo moves.

use thiserror::Error;

use super::play::{
    BuiltinDebateUnfinishedError, RandomSource as _, SeededRandomness, ask_player, draw_coin,
    play_until_done,
};
use super::policy::StrategyMemoryAndCosts;
use super::registry::PlayableStrategy;
use super::timeline::{CoinDrawFromSeed, DebateTimeline, Move, MoveWithEvents};
use crate::budget::{ComputationBudget, ComputationStopReason};
use crate::chance::Seed;
use crate::number::Number;
use crate::protocol::{
    IllegalReply, Log, PendingTurn, Reply, Request, ResourceCostsBySeat, Rules, Seat,
    SeatResourceCosts, State, View,
};

/// A player in a seat.
pub enum Player<'a, N: Number> {
    /// A player outside this process, whose replies can be undone: a user, or a program that drives the debate.
    Outside,
    /// An engine: another program that plays the seat. The caller asks the engine for its moves and passes them to
    /// [`SeatedDebate::apply_recorded_move`].
    Engine,
    /// A built-in strategy.
    Builtin(PlayableStrategy<'a, N>),
}

/// The reason why a debate cannot make its next move automatically.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CannotAdvanceDebate {
    /// The debate is over.
    #[error("the debate is over")]
    Over,
    /// An outside player or an engine must reply.
    #[error("the debate is waiting for the {seat}'s reply", seat = .0)]
    Awaited(Seat),
    /// A built-in player failed, or the computation was cancelled.
    #[error(transparent)]
    Play(#[from] BuiltinDebateUnfinishedError),
}

impl From<ComputationStopReason> for CannotAdvanceDebate {
    fn from(exceeded: ComputationStopReason) -> Self {
        Self::Play(exceeded.into())
    }
}

/// The reason why the last reply cannot be undone.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CannotUndoReply {
    /// No outside player has replied yet.
    #[error("you have made no reply yet")]
    Nothing,
    /// A coin was tossed after the reply that would be undone.
    #[error("a coin was thrown after your last reply; coins are final")]
    Coin,
    /// A move before the undone reply was rejected when the debate was replayed.
    #[error("the debate cannot go back to an earlier move: {reason}", reason = .0)]
    Illegal(#[from] IllegalReply),
}

/// A debate with its players.
pub struct SeatedDebate<'a, N: Number> {
    timeline: DebateTimeline<'a, N>,
    players: [Player<'a, N>; 3],
    policy_states: [StrategyMemoryAndCosts; 3],
    /// For each move of the debate, the policy state that its player had before it. Moves made without asking their
    /// built-in player get an entry only before a built-in player's next reply.
    before: Vec<StrategyMemoryAndCosts>,
    chances: SeededRandomness,
}

impl<'a, N: Number> SeatedDebate<'a, N> {
    /// Seats the players (prover, opponent, judge) at a debate before the first reply. `debate_number` is the debate's
    /// number among all debates of the seed, 0 for a single debate.
    pub fn new(
        start: State<'a, N>,
        players: [Player<'a, N>; 3],
        seed: &Seed,
        debate_number: u64,
    ) -> Self {
        Self::resume(DebateTimeline::new(start), players, seed, debate_number)
    }

    /// Seats the players at a debate whose moves were made elsewhere; the timeline's cursor must be at its end.
    /// Built-in players update their memory for these moves before their next reply, as after
    /// [`Self::apply_recorded_move`].
    pub fn resume(
        timeline: DebateTimeline<'a, N>,
        players: [Player<'a, N>; 3],
        seed: &Seed,
        debate: u64,
    ) -> Self {
        let chances = SeededRandomness::new(seed, debate, timeline.state_at_start().coins());
        Self {
            timeline,
            players,
            policy_states: [StrategyMemoryAndCosts::default(); 3],
            before: Vec::new(),
            chances,
        }
    }

    /// Returns the debate's moves and states as a timeline, from its start to its current state.
    pub fn timeline(&self) -> &DebateTimeline<'a, N> {
        &self.timeline
    }

    /// Returns the state of the debate before the first reply.
    pub fn state_at_start(&self) -> &State<'a, N> {
        self.timeline.state_at_start()
    }

    /// Returns the current state of the debate.
    pub fn state(&self) -> &State<'a, N> {
        self.timeline.state()
    }

    pub fn log(&self) -> &Log<N> {
        self.timeline.log_to_cursor()
    }

    /// Returns every move so far, in order.
    pub fn moves(&self) -> &[Move<N>] {
        self.timeline.moves()
    }

    /// Returns the last move with its context; `None` before the first reply.
    pub fn latest(&self) -> Option<MoveWithEvents<'_, N>> {
        self.timeline.move_before_cursor()
    }

    /// Returns the cost of each seat so far: the cost that the rules record plus the cost that the players report.
    pub fn spending_by_seat(&self) -> ResourceCostsBySeat {
        self.timeline.spending_by_seat()
    }

    /// Returns the pending request and the seat that must answer it; `None` if the debate is over.
    pub fn turn(&self) -> Option<PendingTurn<N>> {
        self.state().request()
    }

    /// True if the seat has an outside player: a user, or a program that drives the debate.
    pub fn is_seat_of_user_or_driving_program(&self, seat: Seat) -> bool {
        matches!(self.players.get(seat.seat_index()), Some(Player::Outside))
    }

    /// Returns the seat of the engine that must reply next; `None` if another player must reply.
    pub fn engine_seat_to_ask(&self) -> Option<Seat> {
        let seat = self.turn()?.seat;
        let engine = matches!(self.players.get(seat.seat_index()), Some(Player::Engine));
        engine.then_some(seat)
    }

    /// Returns the seat of the outside player who must reply next; `None` if another player must reply.
    pub fn awaited_seat_of_user_or_driving_program(&self) -> Option<Seat> {
        let seat = self.turn()?.seat;
        self.is_seat_of_user_or_driving_program(seat)
            .then_some(seat)
    }

    /// Returns the reward that the prover would get immediately for a reply to the pending request. `None` if the reply
    /// is illegal.
    pub fn immediate_reward_if_legal(&self, reply: Reply<N>) -> Option<N> {
        let mut after = self.state().clone();
        after.reply(reply, &mut ()).ok()?;
        Some(after.payoff() - self.state().payoff())
    }

    /// Makes the next move if it is a coin toss or a built-in player's reply.
    ///
    /// # Errors
    /// Returns an error if the debate is over, an outside player or an engine must reply, or the built-in player fails.
    pub fn make_automatic_move(&mut self) -> Result<MoveWithEvents<'_, N>, CannotAdvanceDebate> {
        let turn = self.turn().ok_or(CannotAdvanceDebate::Over)?;
        let seat = turn.seat;
        let illegal = |illegal| BuiltinDebateUnfinishedError::Illegal { seat, illegal };
        if matches!(
            self.players.get(seat.seat_index()),
            Some(Player::Builtin(_))
        ) {
            self.remember().map_err(illegal)?;
        }
        let mut policy_state = self.policy_state(seat);
        let (reply, coin) = match draw_coin(&turn, &mut self.chances) {
            Some((integer, reply)) => (reply, coin(&turn, integer)),
            None => (self.answer(&turn, &mut policy_state)?, None),
        };
        let made = Move {
            seat,
            reply,
            coin,
            spent: policy_state.spent,
        };
        Ok(self.make(made, policy_state).map_err(illegal)?)
    }

    /// Makes moves (coin tosses and built-in players' replies) until an outside player or an engine must reply, or the
    /// debate is over.
    ///
    /// # Errors
    /// Returns an error if a built-in player fails, or the budget is exceeded.
    pub fn play_automatic_moves(
        &mut self,
        budget: &ComputationBudget<'_>,
    ) -> Result<(), CannotAdvanceDebate> {
        play_until_done(budget, |_| match self.make_automatic_move() {
            Ok(_) => Ok(true),
            Err(CannotAdvanceDebate::Over | CannotAdvanceDebate::Awaited(_)) => Ok(false),
            Err(stuck) => Err(stuck),
        })
    }

    /// Asks the seat's built-in player and returns its reply.
    fn answer(
        &mut self,
        turn: &PendingTurn<N>,
        policy_state: &mut StrategyMemoryAndCosts,
    ) -> Result<Reply<N>, CannotAdvanceDebate> {
        let seat = turn.seat;
        let Some(Player::Builtin(player)) = self.players.get(seat.seat_index()) else {
            return Err(CannotAdvanceDebate::Awaited(seat));
        };
        let number = self.timeline.move_count_before_cursor() as u64;
        let draw = || self.chances.private(seat, number);
        let state = self.timeline.state();
        Ok(ask_player(&**player, state, turn, policy_state, draw)?)
    }

    /// Makes the outside player's move: the reply for which the debate is waiting.
    ///
    /// # Errors
    /// Returns an error if no outside player is awaited ([`IllegalReply::Over`]) or the reply is illegal. The state is
    /// then unchanged.
    pub fn reply(&mut self, reply: Reply<N>) -> Result<MoveWithEvents<'_, N>, IllegalReply> {
        let seat = self
            .awaited_seat_of_user_or_driving_program()
            .ok_or(IllegalReply::Over)?;
        let made = Move {
            seat,
            reply,
            coin: None,
            spent: SeatResourceCosts::default(),
        };
        self.make(made, self.policy_state(seat))
    }

    /// Makes a move that was recorded earlier or elsewhere, without asking the seat's player; saves are replayed this
    /// way. A built-in player is later asked for this move, to update its memory, but its answer is ignored.
    ///
    /// # Errors
    /// Returns an error if the move is illegal. The state is then unchanged.
    pub fn apply_recorded_move(
        &mut self,
        made: Move<N>,
    ) -> Result<MoveWithEvents<'_, N>, IllegalReply> {
        self.timeline.make_move(made)
    }

    /// Updates the memory of built-in players for recorded moves that were made without asking the players.
    fn remember(&mut self) -> Result<(), IllegalReply> {
        if self.before.len() == self.moves().len() {
            return Ok(());
        }
        let mut past = self.timeline.copy_with_cursor_at_start();
        past.seek_cursor_after_moves(self.before.len())?;
        while past.move_count_before_cursor() < past.moves().len() {
            let turn = past.state().request().ok_or(IllegalReply::Over)?;
            let mut policy_state = self.policy_state(turn.seat);
            if let Some(Player::Builtin(strategy)) = self.players.get(turn.seat.seat_index()) {
                strategy.choose(
                    View::new(past.state(), turn.seat),
                    &turn.request,
                    &mut policy_state,
                );
            }
            past.move_cursor_forward()?;
            self.keep(turn.seat, policy_state);
        }
        Ok(())
    }

    /// Returns a policy state with the current memory of a seat's player and no costs; an empty state for chance.
    fn policy_state(&self, seat: Seat) -> StrategyMemoryAndCosts {
        let memory = self
            .policy_states
            .get(seat.seat_index())
            .map(|policy_state| policy_state.memory);
        StrategyMemoryAndCosts {
            memory: memory.unwrap_or_default(),
            ..StrategyMemoryAndCosts::default()
        }
    }

    /// Stores a seat's policy state after a move: appends the seat's old state to `before`, and replaces it by the new
    /// one.
    fn keep(&mut self, seat: Seat, policy_state: StrategyMemoryAndCosts) {
        self.before.push(self.policy_state(seat));
        if let Some(kept) = self.policy_states.get_mut(seat.seat_index()) {
            *kept = policy_state;
        }
    }

    /// Makes a move. Stores the player's policy state after it, unless `before` lacks entries of earlier moves.
    fn make(
        &mut self,
        made: Move<N>,
        policy_state: StrategyMemoryAndCosts,
    ) -> Result<MoveWithEvents<'_, N>, IllegalReply> {
        let seat = made.seat;
        self.timeline.make_move(made)?;
        if self.before.len() + 1 == self.moves().len() {
            self.keep(seat, policy_state);
        }
        self.latest().ok_or(IllegalReply::Over)
    }

    /// Returns the number of moves that would remain if the last outside reply were undone.
    ///
    /// # Errors
    /// Returns an error if there is no such reply, or a coin was tossed after it.
    pub fn move_count_after_undo(&self) -> Result<usize, CannotUndoReply> {
        let outside = |made: &Move<N>| self.is_seat_of_user_or_driving_program(made.seat);
        let mut moves = self.moves().iter().enumerate().rev();
        while let Some((position, made)) = moves.next() {
            if outside(made) {
                return Ok(position);
            }
            if made.seat == Seat::Chance && moves.any(|(_, made)| outside(made)) {
                return Err(CannotUndoReply::Coin);
            }
        }
        Err(CannotUndoReply::Nothing)
    }

    /// Returns the seat of the outside player whose reply an undo would remove.
    ///
    /// # Errors
    /// As for [`Self::move_count_after_undo`].
    pub fn seat_of_reply_to_undo(&self) -> Result<Seat, CannotUndoReply> {
        let position = self.move_count_after_undo()?;
        let made = self.moves().get(position).ok_or(CannotUndoReply::Nothing)?;
        Ok(made.seat)
    }

    /// Removes the last reply of an outside player and all moves after it. Returns the number of remaining moves.
    ///
    /// # Errors
    /// Returns an error if there is no such reply, a coin was tossed after it, or a remaining move is no longer legal.
    pub fn undo_reply_of_user_or_driving_program(&mut self) -> Result<usize, CannotUndoReply> {
        let kept = self.move_count_after_undo()?;
        self.go_back_to_move(kept)?;
        Ok(kept)
    }

    /// Removes all moves after the first `moves_kept` moves.
    ///
    /// # Errors
    /// Returns an error if one of the remaining moves is no longer legal. The state is then unchanged.
    pub fn go_back_to_move(&mut self, moves_kept: usize) -> Result<(), IllegalReply> {
        let later = self.moves().iter().skip(moves_kept);
        let seats: Vec<Seat> = later.map(|made| made.seat).collect();
        self.timeline.truncate_moves(moves_kept)?;
        let taken = self.before.drain(moves_kept.min(self.before.len())..);
        for (seat, before) in seats.into_iter().zip(taken).rev() {
            if let Some(policy_state) = self.policy_states.get_mut(seat.seat_index()) {
                *policy_state = before;
            }
        }
        Ok(())
    }
}

/// Builds the record of a coin from the pending draw and the coin's random 53-bit integer. `None` if no draw is
/// pending.
fn coin<N: Number>(turn: &PendingTurn<N>, integer: u64) -> Option<CoinDrawFromSeed<N>> {
    let Request::Draw { ordinal, draw, .. } = &turn.request else {
        return None;
    };
    Some(CoinDrawFromSeed {
        ordinal: *ordinal,
        integer,
        draw: draw.clone(),
    })
}
