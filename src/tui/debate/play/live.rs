//! The debate that is played, as whoever sits here sees it.

use std::ops::Range;

use crate::tui::panel::PanelView;
use crate::tui::scene::Scene;
use debate_core::number::Exact;
use debate_core::player::{Move, Seating};
use debate_core::protocol::{Reader, Reply, Seat};
use debate_lab::engine;
use debate_lab::engine::{EngineEnding, EngineNews};
use debate_lab::record::{ReplyMeta, Session, SessionError};
use debate_lab::tell::{Perspective, ReplyMark};

/// A debate that is played.
pub(super) struct LiveDebate<'t, 'a> {
    session: &'t mut Session<'a>,
    pub(super) scene: &'t Scene<'a>,
    /// The entries of the log that the last move made.
    newest: Range<usize>,
    /// The seat that has the keyboard, where several people share it.
    pub(super) holder: Option<Seat>,
    /// Remarks on people's replies, once they are valued.
    pub(super) marks: Vec<ReplyMark>,
}

impl<'t, 'a> LiveDebate<'t, 'a> {
    pub(super) fn new(session: &'t mut Session<'a>, scene: &'t Scene<'a>) -> Self {
        // At first the one that is asked, as long as nobody has spoken.
        let seating = session.seating();
        let holder = seating.awaited().filter(|_| seating.moves().is_empty());
        Self {
            holder,
            session,
            scene,
            newest: 0..0,
            marks: Vec::new(),
        }
    }

    pub(super) fn seating(&self) -> &Seating<'a, Exact> {
        self.session.seating()
    }

    pub(super) fn is_over(&self) -> bool {
        self.seating().turn().is_none()
    }

    /// The view of the seat that is asked; between the turns of people, of all of them together.
    pub(super) fn view(&self) -> PanelView<'_, 'a> {
        let seating = self.seating();
        let judge_sees = self.scene.facts.judge_sees;
        let reader = match seating.awaited() {
            _ if self.is_over() => Reader::ALL,
            Some(seat) => Reader::new(seat, judge_sees),
            None => Reader::for_people(people(seating), judge_sees),
        };
        PanelView {
            scene: self.scene,
            state: seating.state(),
            log: seating.log(),
            reader,
            perspective: self.perspective(),
            newest: self.newest.clone(),
            marks: &self.marks,
        }
    }

    /// The seat that looks: that of the one person; where several share the keyboard, of whoever has
    /// it, and at the end, which they read together, nobody's.
    pub(super) fn perspective(&self) -> Perspective {
        let seating = self.seating();
        if people(seating).count() < 2 {
            return Perspective::of_people(people(seating));
        }
        let holder = self.holder.filter(|_| !self.is_over());
        holder.map_or(Perspective::NEUTRAL, Perspective::of)
    }

    /// True if the fault of an engine has ended the debate.
    pub(super) fn is_forfeited(&self) -> bool {
        self.session.is_forfeited()
    }

    /// Keeps what was heard of an engine while it was asked.
    pub(super) fn keep_news(&mut self, seat: Seat, news: EngineNews) -> Result<(), SessionError> {
        engine::keep_news(self.session, seat, news)
    }

    /// Keeps why an engine makes no move.
    pub(super) fn settle(&mut self, ending: &EngineEnding) -> Result<(), SessionError> {
        engine::settle(self.session, ending)
    }

    /// Makes a move of chance, of a built-in player or of an engine.
    pub(super) fn accept(
        &mut self,
        made: Move<Exact>,
        meta: &ReplyMeta,
    ) -> Result<(), SessionError> {
        let before = self.entries();
        self.session.accept(made, meta)?;
        self.newest = before..self.entries();
        Ok(())
    }

    /// Takes the reply of a person who took so many milliseconds for it. An error says why it is
    /// not taken, as the end of a sentence.
    pub(super) fn reply(&mut self, reply: Reply<Exact>, ms: u64) -> Result<(), String> {
        let before = self.entries();
        let taken = self
            .session
            .reply(reply, ms)
            .map_err(|error| error.to_string())?;
        taken.map_err(|illegal| illegal.to_string())?;
        self.newest = before..self.entries();
        Ok(())
    }

    /// Takes back the last reply of a person.
    pub(super) fn undo(&mut self) -> Result<(), SessionError> {
        self.session.undo()?;
        let end = self.entries();
        self.newest = end..end;
        Ok(())
    }

    fn entries(&self) -> usize {
        self.seating().log().entries().len()
    }
}

/// The seats of people in a debate.
pub(super) fn people(seating: &Seating<'_, Exact>) -> impl Iterator<Item = Seat> {
    let seats = Seat::PLAYERS.into_iter();
    seats.filter(|seat| seating.is_outside(*seat))
}
