//! A debate that is played and, where a save is wanted, kept as it goes.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::journal::Savepoint;
use super::{Journal, RecordError, ReplyMeta, SaveChunk, SeatCosts, Writer};
use debate_core::player::{CannotUndo, Move, Seating, Stuck};
use debate_core::{Exact, Illegal, Reply, Seat};

/// Why a session cannot go on.
#[derive(Debug, Error)]
pub enum SessionError {
    /// The debate is stuck.
    #[error(transparent)]
    Stuck(#[from] Stuck),
    /// The save cannot be written. A reply from outside is then as if it had not been given.
    #[error("{}: {cause}", path.display())]
    Save {
        path: PathBuf,
        #[source]
        cause: RecordError,
    },
    /// A move taken over from another save does not follow.
    #[error("cannot take over a move of another save: {0}")]
    Branch(Illegal),
    /// A reply cannot be taken back.
    #[error(transparent)]
    Undo(#[from] CannotUndo),
}

impl SessionError {
    /// True if the same may work later: the disk was full, say.
    pub fn is_passing(&self) -> bool {
        let Self::Save { cause, .. } = self else {
            return false;
        };
        matches!(cause, RecordError::Io { .. })
    }
}

/// Does something with the journal, if there is one.
fn keep(
    journal: &mut Option<Journal>,
    act: impl FnOnce(&mut Journal) -> Result<(), RecordError>,
) -> Result<(), SessionError> {
    let Some(journal) = journal else {
        return Ok(());
    };
    act(journal).map_err(|cause| SessionError::Save {
        path: journal.path().to_owned(),
        cause,
    })
}

/// Appends to the journal, if there is one.
fn write(
    journal: &mut Option<Journal>,
    make: impl FnOnce(&mut Writer) -> Result<SaveChunk, RecordError>,
) -> Result<(), SessionError> {
    keep(journal, |journal| journal.write(make))
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
    pub fn new(seating: Seating<'a, Exact>, journal: Option<Journal>) -> Self {
        Self {
            seating,
            journal,
            finished: false,
        }
    }

    /// Waits for the disk at the end of the debate alone: see [`Journal::sync_late`].
    pub fn sync_late(&mut self) {
        if let Some(journal) = &mut self.journal {
            journal.sync_late();
        }
    }

    /// The debate with its players.
    pub fn seating(&self) -> &Seating<'a, Exact> {
        &self.seating
    }

    /// The path of the save; `None` where the debate is not kept.
    pub fn path(&self) -> Option<&Path> {
        self.journal.as_ref().map(Journal::path)
    }

    /// What the replies of each seat cost so far; nothing where the debate is not kept.
    pub fn costs(&self) -> SeatCosts {
        self.journal
            .as_ref()
            .map_or_else(SeatCosts::default, |journal| journal.writer.costs)
    }

    /// Takes the save away again where no move was made: there is nothing in it to go on with.
    ///
    /// # Errors
    /// If the save cannot be taken away.
    pub fn drop_if_unplayed(&mut self) -> Result<(), SessionError> {
        // One that was forfeited before the first move has an end all the same.
        if self.finished || !self.seating.moves().is_empty() {
            return Ok(());
        }
        keep(&mut self.journal, |journal| journal.discard())?;
        self.journal = None;
        Ok(())
    }

    /// Takes over moves that were made in another debate with the same start and seed.
    ///
    /// # Errors
    /// If a move does not follow, or they cannot be kept.
    pub fn take_over(&mut self, moves: &[Move<Exact>]) -> Result<(), SessionError> {
        for made in moves {
            let latest = self
                .seating
                .follow(made.clone())
                .map_err(SessionError::Branch)?;
            keep(&mut self.journal, |journal| journal.append(latest))?;
        }
        self.flush()
    }

    /// Makes the pending move of chance or of a built-in player.
    ///
    /// # Errors
    /// If nobody of these is to move, the player fails, or the move cannot be kept.
    pub fn advance(&mut self) -> Result<(), SessionError> {
        let made = self.seating.advance()?;
        keep(&mut self.journal, |journal| journal.append(made))?;
        self.after_move()
    }

    /// Makes a move of chance or of a built-in player that was made elsewhere, on another thread, with
    /// remarks on it.
    ///
    /// # Errors
    /// If the move does not follow, or cannot be kept.
    pub fn accept(&mut self, made: Move<Exact>, meta: &ReplyMeta) -> Result<(), SessionError> {
        let made = self.seating.follow(made).map_err(SessionError::Branch)?;
        write(&mut self.journal, |writer| writer.moved(made, meta))?;
        self.after_move()
    }

    /// Notes a reply of another program that the rules refuse: a comment on the turn.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub fn note_refused(
        &mut self,
        reply: &Reply<Exact>,
        why: &str,
        meta: ReplyMeta,
    ) -> Result<(), SessionError> {
        let state = self.seating.state();
        write(&mut self.journal, |writer| {
            writer.refused(state, reply, why, meta)
        })
    }

    /// Notes that a player failed: a comment on the turn.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub fn note_fault(
        &mut self,
        seat: Seat,
        fault: &str,
        why: &str,
        meta: ReplyMeta,
    ) -> Result<(), SessionError> {
        write(&mut self.journal, |writer| {
            writer.fault(seat, fault, why, meta)
        })
    }

    /// True if the fault of a player has ended the debate.
    pub fn is_forfeited(&self) -> bool {
        self.finished && self.seating.turn().is_some()
    }

    /// Ends the debate by a player's fault, which was noted last: the save is closed.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub fn forfeit(&mut self, seat: Seat, fault: &str) -> Result<(), SessionError> {
        self.finished = true;
        tracing::info!(seat = seat.name(), fault, "debate forfeited");
        keep(&mut self.journal, |journal| journal.forfeit(seat, fault))
    }

    /// Flushes before somebody outside is asked, and closes the save of a debate that is over.
    fn after_move(&mut self) -> Result<(), SessionError> {
        // What was said may be sealed still: the save has it, and only the save.
        let seat = self.seating.moves().last().map(|made| made.seat.name());
        tracing::debug!(seat, "move");
        let asked = self
            .seating
            .awaited()
            .or_else(|| self.seating.engine_to_ask());
        if asked.is_some() {
            self.flush()?;
        }
        self.close_if_over()
    }

    /// Takes the awaited reply from outside, which took so many milliseconds. An illegal reply is
    /// kept as a remark and given back as the inner error; the debate has then not moved.
    ///
    /// # Errors
    /// If the reply cannot be kept; the debate has then not moved either.
    pub fn reply(
        &mut self,
        reply: Reply<Exact>,
        ms: u64,
    ) -> Result<Result<(), Illegal>, SessionError> {
        self.reply_with(reply, ReplyMeta::after_ms(ms))
    }

    /// Takes the awaited reply from outside as [`Self::reply`] does, with remarks on it.
    ///
    /// # Errors
    /// As [`Self::reply`].
    pub fn reply_with(
        &mut self,
        reply: Reply<Exact>,
        meta: ReplyMeta,
    ) -> Result<Result<(), Illegal>, SessionError> {
        let awaited = self.seating.awaited().is_some();
        let before = self.seating.moves().len();
        let kept = reply.clone();
        let made = match self.seating.reply(reply) {
            Ok(made) => made,
            Err(illegal) => {
                tracing::warn!(%illegal, "reply refused");
                if awaited {
                    self.note_refused(&kept, &illegal.to_string(), meta)?;
                }
                return Ok(Err(illegal));
            }
        };
        tracing::debug!(seat = made.made.seat.name(), ms = meta.ms, "reply");
        let savepoint = self.journal.as_ref().map(Journal::savepoint);
        let written =
            write(&mut self.journal, |writer| writer.moved(made, &meta)).and_then(|()| match self
                .seating
                .turn()
            {
                Some(_) => self.flush(),
                None => self.close_if_over(),
            });
        if written.is_err() && self.roll_back_to(savepoint) {
            self.finished = false;
            self.seating.go_back(before).map_err(CannotUndo::from)?;
        }
        written.map(Ok)
    }

    /// True if what was appended since could be forgotten.
    fn roll_back_to(&mut self, savepoint: Option<Savepoint>) -> bool {
        match (&mut self.journal, savepoint) {
            (Some(journal), Some(savepoint)) => journal.roll_back_to(savepoint),
            _ => false,
        }
    }

    /// Takes back the last reply from outside.
    ///
    /// # Errors
    /// If that cannot be done, or cannot be kept; the reply then stands.
    pub fn undo(&mut self) -> Result<(), SessionError> {
        let kept = self.seating.undo_point()?;
        let savepoint = self.journal.as_ref().map(Journal::savepoint);
        let written = keep(&mut self.journal, |journal| {
            journal.undo(kept)?;
            journal.flush()
        });
        if written.is_err() {
            self.roll_back_to(savepoint);
        } else {
            tracing::info!(kept, "reply taken back");
            self.seating.go_back(kept).map_err(CannotUndo::from)?;
        }
        written
    }

    /// Returns when everything that was said is on the disk.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn flush(&mut self) -> Result<(), SessionError> {
        keep(&mut self.journal, Journal::flush)
    }

    /// Makes sure that everything that was said stands in the save, and nothing else: the file is
    /// read again.
    ///
    /// # Errors
    /// If it cannot be written, or another program has changed it.
    pub fn check(&mut self) -> Result<(), SessionError> {
        keep(&mut self.journal, |journal| {
            journal.flush()?;
            journal.check()
        })
    }

    /// Closes the save of a debate that is over, if it is not closed.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn close_if_over(&mut self) -> Result<(), SessionError> {
        if self.finished || self.seating.turn().is_some() {
            return Ok(());
        }
        self.finished = true;
        tracing::info!("debate over");
        keep(&mut self.journal, |journal| journal.finish(&self.seating))
    }
}
