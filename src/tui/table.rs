//! The debate that a screen plays, wherever it is kept.

use thiserror::Error;

use debate_core::budget::Exceeded;
use debate_core::number::Exact;
use debate_core::player::{CannotUndo, Move, Seating, Stuck};
use debate_core::protocol::{Illegal, Reply};
use debate_lab::record::{Session, SessionError};

/// A debate with its players that a screen plays: in memory, or written down move by move.
pub trait Table<'a> {
    /// The debate as it stands.
    fn seating(&self) -> &Seating<'a, Exact>;

    /// Makes one move of chance or of a built-in player.
    ///
    /// # Errors
    /// Where nobody but a person can move, a player fails, or the move could not be kept.
    fn advance(&mut self) -> Result<(), Refusal>;

    /// Makes a move of chance or of a built-in player that was made elsewhere.
    ///
    /// # Errors
    /// Where it does not follow, or could not be kept.
    fn accept(&mut self, made: Move<Exact>) -> Result<(), Refusal>;

    /// Takes the awaited reply of a person, who took so many milliseconds for it.
    ///
    /// # Errors
    /// Where the reply is illegal or could not be kept; nothing has then changed.
    fn reply(&mut self, reply: Reply<Exact>, milliseconds: u64) -> Result<(), Refusal>;

    /// Takes back the last reply of a person, and what built-in players said since.
    ///
    /// # Errors
    /// Where there is none, or a coin has fallen since.
    fn undo(&mut self) -> Result<(), Refusal>;
}

/// Why the table did not do what it was asked to; a sentence to show.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Refusal {
    /// The debate cannot go on by itself.
    #[error(transparent)]
    Stuck(#[from] Stuck),
    /// The reply is illegal.
    #[error(transparent)]
    Illegal(#[from] Illegal),
    /// The reply cannot be taken back.
    #[error(transparent)]
    Undo(#[from] CannotUndo),
    /// The move could not be written down.
    #[error("{0}")]
    Kept(String),
}

/// A debate in memory only.
impl<'a> Table<'a> for Seating<'a, Exact> {
    fn seating(&self) -> &Self {
        self
    }

    fn advance(&mut self) -> Result<(), Refusal> {
        Seating::advance(self)?;
        Ok(())
    }

    fn accept(&mut self, made: Move<Exact>) -> Result<(), Refusal> {
        Seating::follow(self, made)?;
        Ok(())
    }

    fn reply(&mut self, reply: Reply<Exact>, _milliseconds: u64) -> Result<(), Refusal> {
        Seating::reply(self, reply)?;
        Ok(())
    }

    fn undo(&mut self) -> Result<(), Refusal> {
        Seating::undo(self)?;
        Ok(())
    }
}

/// A debate that is written down as it goes, where it has a save.
impl<'a> Table<'a> for Session<'a> {
    fn seating(&self) -> &Seating<'a, Exact> {
        Session::seating(self)
    }

    fn advance(&mut self) -> Result<(), Refusal> {
        Ok(Session::advance(self)?)
    }

    fn accept(&mut self, made: Move<Exact>) -> Result<(), Refusal> {
        Ok(Session::accept(self, made)?)
    }

    fn reply(&mut self, reply: Reply<Exact>, milliseconds: u64) -> Result<(), Refusal> {
        Ok(Session::reply(self, reply, milliseconds)??)
    }

    fn undo(&mut self) -> Result<(), Refusal> {
        Ok(Session::undo(self)?)
    }
}

impl From<Exceeded> for Refusal {
    fn from(exceeded: Exceeded) -> Self {
        Self::Stuck(exceeded.into())
    }
}

impl From<SessionError> for Refusal {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Stuck(stuck) => Self::Stuck(stuck),
            SessionError::Undo(undo) => Self::Undo(undo),
            SessionError::Save { .. } | SessionError::Branch(_) => Self::Kept(error.to_string()),
        }
    }
}
