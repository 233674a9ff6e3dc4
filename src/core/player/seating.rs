//! A debate under way with its players: asks the seats in turn, keeps every move, and can go back.

use thiserror::Error;

use super::play::{Chances, Seeded};
use super::policy::Mind;
use super::registry::Built;
use crate::chance::Seed;
use crate::number::Number;
use crate::protocol::{
    Bits, Draw, Entry, Illegal, Ledger, Log, Reply, Request, Rules, Seat, Spent, State, Turn,
};

/// Who sits in a seat.
pub enum Player<'a, N: Number> {
    /// Somebody whose replies come from outside: a person or another program.
    Outside,
    /// A built-in strategy.
    Builtin(Built<'a, N>),
}

/// One reply as it was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Move<N> {
    /// Who made it.
    pub seat: Seat,
    /// The reply.
    pub reply: Reply<N>,
    /// What chance drew from, where it was asked.
    pub coin: Option<Coin<N>>,
    /// What the player spent on it beyond what the rules see.
    pub spent: Spent,
}

/// A coin: the integer that came from the seed, and what it was compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct Coin<N> {
    /// Which draw of the debate.
    pub ordinal: u64,
    /// The 53-bit integer.
    pub integer: u64,
    /// What was drawn.
    pub draw: Draw<N>,
}

/// The last move with what stood around it: all that a line of a save tells.
#[derive(Debug, PartialEq)]
pub struct Latest<'s, N> {
    /// The move.
    pub made: &'s Move<N>,
    /// What the rules had prepared for a reply of bits ([`Rules::prepared`]).
    pub prepared: Option<&'s Bits>,
    /// What followed from it.
    pub events: &'s [Entry<N>],
}

impl<N> Clone for Latest<'_, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<N> Copy for Latest<'_, N> {}

/// What is kept of the last move beside the move itself.
struct Around {
    prepared: Option<Bits>,
    /// How many events there were before it.
    before: usize,
}

/// Why a debate cannot go on by itself.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Stuck {
    /// It is over.
    #[error("the debate is over")]
    Over,
    /// Somebody outside must speak.
    #[error("the {0}'s reply is awaited")]
    Awaited(Seat),
    /// A built-in player has no reply: its oracle does not know, or the request is not for it.
    #[error(
        "the built-in {0} has no reply to this request; the scenario does not say enough for it"
    )]
    NoReply(Seat),
    /// A built-in player's reply is illegal.
    #[error("the built-in {seat} gave an illegal reply: {illegal}")]
    Illegal {
        /// Whose reply.
        seat: Seat,
        /// What is wrong with it.
        illegal: Illegal,
    },
}

/// Why a reply cannot be taken back.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum CannotUndo {
    /// Nobody outside has replied yet.
    #[error("there is nothing to take back yet")]
    Nothing,
    /// A coin has fallen since.
    #[error("a coin has fallen since your last reply, so it stands")]
    Coin,
}

/// A debate with its players.
pub struct Seating<'a, N: Number> {
    start: State<'a, N>,
    state: State<'a, N>,
    log: Log<N>,
    players: [Player<'a, N>; 3],
    minds: [Mind; 3],
    /// How many moves the built-in players have in mind. Moves that were followed they are asked
    /// about when one of them speaks next.
    minded: usize,
    chances: Seeded,
    moves: Vec<Move<N>>,
    /// Around the last move, where it was made here and now.
    around: Option<Around>,
}

impl<'a, N: Number> Seating<'a, N> {
    /// Seats the players (prover, opponent, judge) at a debate nobody has spoken in. `debate` is
    /// its number under the seed, 0 for a single debate.
    #[must_use]
    pub fn new(start: State<'a, N>, players: [Player<'a, N>; 3], seed: &Seed, debate: u64) -> Self {
        let chances = Seeded::new(seed, debate, start.coins());
        Self {
            state: start.clone(),
            start,
            log: Log::default(),
            players,
            minds: [Mind::default(); 3],
            minded: 0,
            chances,
            moves: Vec::new(),
            around: None,
        }
    }

    /// The debate before anybody had spoken.
    #[must_use]
    pub fn start(&self) -> &State<'a, N> {
        &self.start
    }

    /// The debate as it stands.
    #[must_use]
    pub fn state(&self) -> &State<'a, N> {
        &self.state
    }

    /// What has happened.
    #[must_use]
    pub fn log(&self) -> &Log<N> {
        &self.log
    }

    /// Every move so far, in order.
    #[must_use]
    pub fn moves(&self) -> &[Move<N>] {
        &self.moves
    }

    /// The last move with what stood around it; `None` where nothing was said since the debate
    /// was taken up or taken back.
    #[must_use]
    pub fn latest(&self) -> Option<Latest<'_, N>> {
        let around = self.around.as_ref()?;
        Some(Latest {
            made: self.moves.last()?,
            prepared: around.prepared.as_ref(),
            events: self.log.entries().get(around.before..)?,
        })
    }

    /// What each seat has spent: what the rules see and what the players say.
    #[must_use]
    pub fn ledger(&self) -> Ledger {
        let mut ledger = *self.state.ledger();
        for made in &self.moves {
            *ledger.of_mut(made.seat) += made.spent;
        }
        ledger
    }

    /// Who must speak and what is asked.
    #[must_use]
    pub fn turn(&self) -> Option<Turn<N>> {
        self.state.request()
    }

    /// Whether somebody outside sits in a seat.
    #[must_use]
    pub fn is_outside(&self, seat: Seat) -> bool {
        matches!(self.players.get(seat.index()), Some(Player::Outside))
    }

    /// The seat outside whose reply is awaited.
    #[must_use]
    pub fn awaited(&self) -> Option<Seat> {
        self.turn()
            .map(|turn| turn.seat)
            .filter(|seat| self.is_outside(*seat))
    }

    /// What a reply to the pending request would pay the prover at once. `None` where it is
    /// illegal.
    #[must_use]
    pub fn worth(&self, reply: Reply<N>) -> Option<N> {
        let mut after = self.state.clone();
        after.reply(reply, &mut ()).ok()?;
        Some(after.payoff() - self.state.payoff())
    }

    /// Makes the pending move of chance or of a built-in player.
    ///
    /// # Errors
    /// Where the debate is over, a reply from outside is awaited, or the player fails.
    pub fn advance(&mut self) -> Result<Latest<'_, N>, Stuck> {
        let turn = self.turn().ok_or(Stuck::Over)?;
        let seat = turn.seat;
        let made = match (&turn.request, self.players.get(seat.index())) {
            (Request::Draw { ordinal, draw, .. }, _) => {
                let integer = self.chances.coin(*ordinal);
                Move {
                    seat,
                    reply: Reply::Drawn(draw.outcome(integer)),
                    coin: Some(Coin {
                        ordinal: *ordinal,
                        integer,
                        draw: draw.clone(),
                    }),
                    spent: Spent::default(),
                }
            }
            (_, Some(Player::Builtin(_))) => self.builtin_move(&turn)?,
            _ => return Err(Stuck::Awaited(seat)),
        };
        self.make(made)
            .map_err(|illegal| Stuck::Illegal { seat, illegal })
    }

    /// Has the built-in players remember what they would after moves that were followed.
    fn remember(&mut self) {
        if self.minded == self.moves.len() {
            return;
        }
        let mut state = self.start.clone();
        for (at, made) in self.moves.iter().enumerate() {
            if at >= self.minded
                && let Some(turn) = state.request()
                && let Some(Player::Builtin(strategy)) = self.players.get(turn.seat.index())
            {
                let mind = &mut self.minds[turn.seat.index()];
                strategy.choose(&state, turn.seat, &turn.request, mind);
            }
            // It was legal before, from the same start and in the same order.
            if state.reply(made.reply.clone(), &mut ()).is_err() {
                break;
            }
        }
        self.minded = self.moves.len();
    }

    fn builtin_move(&mut self, turn: &Turn<N>) -> Result<Move<N>, Stuck> {
        self.remember();
        let seat = turn.seat;
        let Some(Player::Builtin(strategy)) = self.players.get(seat.index()) else {
            return Err(Stuck::Awaited(seat));
        };
        let mind = &mut self.minds[seat.index()];
        let before = mind.spent;
        let choice = strategy
            .choose(&self.state, seat, &turn.request, mind)
            .ok_or(Stuck::NoReply(seat))?;
        let spent = Spent {
            oracle_queries: mind.spent.oracle_queries - before.oracle_queries,
            bits_read: mind.spent.bits_read - before.bits_read,
            configurations_read: mind.spent.configurations_read - before.configurations_read,
            samples: mind.spent.samples - before.samples,
            calls: mind.spent.calls - before.calls,
        };
        let number = self.moves.len() as u64;
        let reply = choice.settle(|| self.chances.private(seat, number));
        Ok(Move {
            seat,
            reply,
            coin: None,
            spent,
        })
    }

    /// Takes the awaited reply from outside.
    ///
    /// # Errors
    /// Where nobody outside is awaited ([`Illegal::Over`]) or the reply is illegal; nothing has
    /// then changed.
    pub fn reply(&mut self, reply: Reply<N>) -> Result<Latest<'_, N>, Illegal> {
        let Some(seat) = self.awaited() else {
            return Err(Illegal::Over);
        };
        self.make(Move {
            seat,
            reply,
            coin: None,
            spent: Spent::default(),
        })
    }

    /// Makes a move that was made before or elsewhere, whoever sits there now: a save is followed
    /// this way. A built-in player is asked as well before it next speaks here, so that it remembers
    /// what it would; its answer is not compared.
    ///
    /// # Errors
    /// Where the move is illegal; nothing has then changed.
    pub fn follow(&mut self, made: Move<N>) -> Result<&Move<N>, Illegal> {
        let Some(turn) = self.turn() else {
            return Err(Illegal::Over);
        };
        let asked = matches!(
            self.players.get(turn.seat.index()),
            Some(Player::Builtin(_))
        );
        self.push(made, !asked)?;
        self.around = None;
        Ok(&self.moves[self.moves.len() - 1])
    }

    /// As [`Self::follow`], for a save of its own that takes the move over from another one.
    ///
    /// # Errors
    /// Where the move is illegal; nothing has then changed.
    pub fn take_over(&mut self, made: Move<N>) -> Result<Latest<'_, N>, Illegal> {
        let prepared = match &made.reply {
            Reply::Bits(_) => self.state.prepared(),
            _ => None,
        };
        let before = self.log.entries().len();
        self.follow(made)?;
        self.around = Some(Around { prepared, before });
        self.latest().ok_or(Illegal::Over)
    }

    fn make(&mut self, made: Move<N>) -> Result<Latest<'_, N>, Illegal> {
        let prepared = match &made.reply {
            Reply::Bits(_) => self.state.prepared(),
            _ => None,
        };
        let before = self.log.entries().len();
        self.push(made, true)?;
        let around = self.around.insert(Around { prepared, before });
        Ok(Latest {
            made: &self.moves[self.moves.len() - 1],
            prepared: around.prepared.as_ref(),
            events: &self.log.entries()[before..],
        })
    }

    /// `minded`: nobody has anything more to remember of it.
    fn push(&mut self, made: Move<N>, minded: bool) -> Result<(), Illegal> {
        self.state.reply(made.reply.clone(), &mut self.log)?;
        self.minded += usize::from(minded && self.minded == self.moves.len());
        self.moves.push(made);
        Ok(())
    }

    /// How many moves would remain if the last reply from outside were taken back.
    ///
    /// # Errors
    /// Where there is none, or a coin has fallen since.
    pub fn undo_point(&self) -> Result<usize, CannotUndo> {
        for (place, made) in self.moves.iter().enumerate().rev() {
            if made.seat == Seat::Chance {
                let earlier = self
                    .moves
                    .iter()
                    .take(place)
                    .any(|made| self.is_outside(made.seat));
                return Err(if earlier {
                    CannotUndo::Coin
                } else {
                    CannotUndo::Nothing
                });
            }
            if self.is_outside(made.seat) {
                return Ok(place);
            }
        }
        Err(CannotUndo::Nothing)
    }

    /// Whose reply an undo would take back.
    ///
    /// # Errors
    /// As of [`Self::undo_point`].
    pub fn undone(&self) -> Result<Seat, CannotUndo> {
        let place = self.undo_point()?;
        let made = self.moves.get(place).ok_or(CannotUndo::Nothing)?;
        Ok(made.seat)
    }

    /// Takes back the last reply from outside, and what built-in players said since. Returns how
    /// many moves remain.
    ///
    /// # Errors
    /// Where there is none, or a coin has fallen since.
    pub fn undo(&mut self) -> Result<usize, CannotUndo> {
        let kept = self.undo_point()?;
        self.go_back(kept);
        Ok(kept)
    }

    /// Goes back to when `kept` moves had been made.
    pub fn go_back(&mut self, kept: usize) {
        let mut moves = std::mem::take(&mut self.moves);
        moves.truncate(kept);
        self.around = None;
        self.state = self.start.clone();
        self.log = Log::default();
        self.minds = [Mind::default(); 3];
        self.minded = 0;
        for made in moves {
            // These moves were legal before, from the same start and in the same order.
            if self.follow(made).is_err() {
                break;
            }
        }
    }
}
