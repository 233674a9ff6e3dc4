//! A participant who debates with others, or with programs: waits for them, has a seat, hears what they reply.

use serde_json::{Value, json};

use super::steps::Step;
use super::{Noted, Participant, Within};
use crate::error::Result;
use crate::folder::log::Status;
use crate::session::group::Replies;
use crate::session::trial::{Asked, Heard};
use debate_core::number::Exact;
use debate_core::protocol::{Reply, Seat};

impl Participant<'_> {
    /// The seat; none before it is dealt out to one of a group.
    pub fn seat(&self) -> Option<Seat> {
        self.seat
    }

    /// The reply in a debate that the last input was.
    pub(crate) fn reply(&self) -> Option<&Reply<Exact>> {
        self.reply.as_ref()
    }

    /// True if others are waited for to debate with, before the trials.
    pub fn is_waiting(&self) -> bool {
        self.awaits_slot() && self.study.plan.is_group()
    }

    /// The seat whose reply is waited for.
    pub(crate) fn awaited(&self) -> Option<Seat> {
        match self.within.moment.as_ref()?.asked {
            Asked::Others(seat) if self.status == Status::Started => Some(seat),
            _ => None,
        }
    }

    /// True if others may wait for an answer.
    pub(crate) fn is_asked(&self) -> bool {
        let in_debate = self.within.moment.as_ref().is_some_and(|it| it.is_reply);
        self.study.plan.is_group() && self.status == Status::Started && in_debate
    }

    /// Takes a seat in a group, and goes on to the trials of its slot.
    ///
    /// # Errors
    /// If the first trial cannot be played.
    pub(crate) fn join(&mut self, slot: u32, seat: Seat, replies: &Replies) -> Result {
        self.seat = Some(seat);
        self.heard = replies.clone();
        self.place(Some(slot))
    }

    /// Hears what others replied. Notes the end of a trial that this led to.
    ///
    /// # Errors
    /// If a trial cannot go on.
    pub(crate) fn hear(&mut self, replies: &Replies) -> Result<Option<Noted>> {
        if self.heard == *replies {
            return Ok(None);
        }
        self.heard = replies.clone();
        let over = self
            .awaited()
            .map(|_| self.note("over", json!({"trial_over": true})));
        let before = self.judged.len();
        if over.is_some() {
            self.move_on()?;
        }
        Ok(over.filter(|_| self.judged.len() > before))
    }

    /// Hears what a program replied in the trial under way. Notes the end of the trial where this led to it.
    ///
    /// # Errors
    /// If the trial cannot go on.
    pub(crate) fn hear_program(
        &mut self,
        seat: Seat,
        reply: Reply<Exact>,
    ) -> Result<Option<Noted>> {
        let mut replies = self.heard.clone();
        if let Step::Trial(assigned) = *self.step() {
            replies.push(assigned.practice, assigned.number, seat, reply);
        }
        self.hear(&replies)
    }

    /// A program's fault ends the trial under way.
    pub(crate) fn end_trial(&mut self) {
        self.within = Within {
            void: true,
            ..Within::default()
        };
    }

    /// Has the usual built-in players sit in the seats of programs: nobody takes part.
    #[must_use]
    pub(crate) fn with_stand_ins(self) -> Self {
        Self {
            stand_ins: true,
            ..self
        }
    }

    /// The replies of others in the debate of a trial that is under way or over.
    pub(crate) fn heard(&self, assigned: crate::plan::schedule::Assigned) -> Heard {
        self.heard.of(&assigned)
    }

    /// Ends by what others did, or did not do.
    pub(crate) fn end_by(
        &mut self,
        kind: &'static str,
        status: Status,
        mut payload: Value,
    ) -> Noted {
        payload["status"] = json!(status.name());
        let noted = self.note(kind, payload);
        self.status = status;
        self.leaving = false;
        noted
    }

    /// True if it is their turn to wait in the room: not while they are asked what leaving means.
    pub(crate) fn is_in_room(&self) -> bool {
        self.is_waiting() && !self.leaving && !self.paused && matches!(self.step(), Step::Place)
    }
}
