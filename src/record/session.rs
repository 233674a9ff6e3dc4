//! A debate that is played and, where a save is wanted, kept as it goes.

use std::path::Path;

use thiserror::Error;

use super::{Aside, Journal, RecordError};
use crate::number::Exact;
use crate::player::{CannotUndo, Move, Seating, Stuck};
use crate::protocol::{Illegal, Reply};

/// Why a session cannot go on.
#[derive(Debug, Error)]
pub enum SessionError {
    /// The debate is stuck.
    #[error(transparent)]
    Stuck(#[from] Stuck),
    /// The save cannot be written; the debate is where it was before the last reply was
    /// acknowledged.
    #[error("the save {0}")]
    Save(#[from] RecordError),
    /// A reply cannot be taken back.
    #[error(transparent)]
    Undo(#[from] CannotUndo),
}

/// A seating whose every move is appended to its journal, if it has one.
///
/// When a call returns, every reply from outside is on the disk, and so is everything that was
/// said before somebody outside is asked. What may wait for the disk is said by built-in players
/// and chance alone: they would say the same again.
pub struct Session<'a> {
    seating: Seating<'a, Exact>,
    journal: Option<Journal>,
    finished: bool,
}

impl<'a> Session<'a> {
    /// A session from where the seating stands. The journal must hold all its moves already.
    #[must_use]
    pub fn new(seating: Seating<'a, Exact>, journal: Option<Journal>) -> Self {
        Self {
            seating,
            journal,
            finished: false,
        }
    }

    /// The debate with its players.
    #[must_use]
    pub fn seating(&self) -> &Seating<'a, Exact> {
        &self.seating
    }

    /// Where it is kept; `None` where it is not.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.journal.as_ref().map(Journal::path)
    }

    /// Takes the save away again where no move was made: there is nothing in it to go on with.
    ///
    /// # Errors
    /// Where the save cannot be taken away.
    pub fn drop_if_unplayed(&mut self) -> Result<(), RecordError> {
        if !self.seating.moves().is_empty() {
            return Ok(());
        }
        match self.journal.take() {
            Some(journal) => journal.discard(),
            None => Ok(()),
        }
    }

    /// Takes over moves that were made in another debate with the same start and seed.
    ///
    /// # Errors
    /// Where a move does not follow, or they cannot be kept.
    pub fn take_over(&mut self, moves: &[Move<Exact>]) -> Result<(), SessionError> {
        for made in moves {
            let illegal = |illegal: Illegal| RecordError::Branch(illegal.to_string());
            let latest = self.seating.take_over(made.clone()).map_err(illegal)?;
            if let Some(journal) = &mut self.journal {
                journal.append(latest)?;
            }
        }
        self.flush()
    }

    /// Makes the pending move of chance or of a built-in player.
    ///
    /// # Errors
    /// Where nobody of these is to move, the player fails, or the move cannot be kept.
    pub fn advance(&mut self) -> Result<(), SessionError> {
        let made = self.seating.advance()?;
        // What was said may be sealed still: the save has it, and only the save.
        tracing::debug!(seat = made.made.seat.name(), "move");
        if let Some(journal) = &mut self.journal {
            journal.append(made)?;
        }
        if self.seating.awaited().is_some() {
            self.flush()?;
        }
        self.close_if_over()
    }

    /// Takes the awaited reply from outside, which took so many milliseconds. An illegal reply is
    /// kept as a remark and given back as the inner error; the debate has then not moved.
    ///
    /// # Errors
    /// Where the reply cannot be kept.
    pub fn reply(
        &mut self,
        reply: Reply<Exact>,
        ms: u64,
    ) -> Result<Result<(), Illegal>, SessionError> {
        let awaited = self.seating.awaited().is_some();
        let kept = reply.clone();
        match self.seating.reply(reply) {
            Ok(made) => {
                tracing::debug!(seat = made.made.seat.name(), ms, "reply");
                if let Some(journal) = &mut self.journal {
                    journal.append_with(made, &Aside::after_ms(ms))?;
                }
                self.flush()?;
                self.close_if_over()?;
                Ok(Ok(()))
            }
            Err(illegal) => {
                tracing::warn!(%illegal, "reply refused");
                if let (Some(journal), true) = (&mut self.journal, awaited) {
                    let aside = Aside::after_ms(ms);
                    let state = self.seating.state();
                    journal.refused(state, &kept, &illegal.to_string(), aside)?;
                }
                Ok(Err(illegal))
            }
        }
    }

    /// Takes back the last reply from outside.
    ///
    /// # Errors
    /// Where that cannot be done, or cannot be kept.
    pub fn undo(&mut self) -> Result<(), SessionError> {
        let kept = self.seating.undo()?;
        tracing::info!(kept, "reply taken back");
        if let Some(journal) = &mut self.journal {
            journal.undo(kept)?;
        }
        self.flush()
    }

    /// Returns when everything that was said is on the disk.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn flush(&mut self) -> Result<(), SessionError> {
        self.journal.as_mut().map_or(Ok(()), Journal::flush)?;
        Ok(())
    }

    /// Closes the save of a debate that is over, if it is not closed.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn close_if_over(&mut self) -> Result<(), SessionError> {
        if self.finished || self.seating.turn().is_some() {
            return Ok(());
        }
        self.finished = true;
        tracing::info!("debate over");
        if let Some(journal) = &mut self.journal {
            journal.finish(&self.seating)?;
        }
        Ok(())
    }
}
