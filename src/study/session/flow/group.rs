//! Participants who debate with others or with programs: waiting, seats, and replies of the other players.

use serde_json::{Value, json};

use super::steps::StudySessionStep;
use super::{Participant, SessionLogLineContent, StepState};
use crate::error::Result;
use crate::folder::log::StudySessionStatus;
use crate::plan::{StudyPlan, TrialTask};
use crate::session::group::GroupRepliesByTrial;
use crate::session::trial::{TrialQuestion, TrialRepliesBySeat};
use debate_core::number::Exact;
use debate_core::protocol::{Reply, Seat};

impl Participant<'_> {
    /// Returns the participant's seat in debates; `None` before a member of a group has one.
    pub fn participant_seat(&self) -> Option<Seat> {
        self.seat
    }

    /// Returns the participant's last answer as a reply in the debate; `None` if that answer was not a reply.
    pub(crate) fn last_answer_as_reply(&self) -> Option<&Reply<Exact>> {
        self.reply.as_ref()
    }

    /// True if the participant waits for a group before the trials.
    pub fn is_waiting_for_group(&self) -> bool {
        self.must_claim_slot_next() && self.study.plan.has_several_participants_per_debate()
    }

    /// Returns the seat whose reply the debate waits for, if it is another player's.
    pub(crate) fn awaited_other_seat(&self) -> Option<Seat> {
        match self.step_state.point.as_ref()?.asked {
            TrialQuestion::Others(seat) if self.status == StudySessionStatus::Started => Some(seat),
            _ => None,
        }
    }

    /// True if other members of the group may be waiting for this participant's reply.
    pub(crate) fn can_delay_others(&self) -> bool {
        let is_debate_reply = self.step_state.point.as_ref().is_some_and(|it| it.is_reply);
        self.study.plan.has_several_participants_per_debate()
            && self.status == StudySessionStatus::Started
            && is_debate_reply
    }

    /// True if the participant is a member of a group, and a debate of the group is not over yet. The other members may
    /// then wait for this participant.
    fn has_debates_with_group(&self) -> bool {
        let is_debate = |step: &StudySessionStep| {
            let StudySessionStep::Trial(assigned) = step else {
                return false;
            };
            let task = &self.study.plan.conditions[assigned.condition].task;
            matches!(task, TrialTask::Debate { .. })
        };
        let rest = self.steps.get(self.at..).unwrap_or_default();
        self.study.plan.has_several_participants_per_debate()
            && self.slot.is_some()
            && self.status == StudySessionStatus::Started
            && rest.iter().any(is_debate)
    }

    /// Returns the text `name` about a pause, with the limit of the group for an answer. `None` if no other member of a
    /// group may wait for this participant, and in studies of format 5 and earlier, which have other words.
    pub(super) fn pause_in_group_text(&self, plan: &StudyPlan, name: &str) -> Option<String> {
        let group = plan.group.filter(|_| {
            self.has_debates_with_group() && self.study.has_pages_of_format_6_or_later()
        })?;
        let places = plan.duration_placeholders(group.turn_s.into());
        Some(plan.filled_text(name, &places))
    }

    /// Gives the participant a seat in a group, and starts the trials of the group's row of the schedule.
    ///
    /// # Errors
    /// If the first trial cannot be played.
    pub(crate) fn join_group_slot(
        &mut self,
        slot: u32,
        seat: Seat,
        replies: &GroupRepliesByTrial,
    ) -> Result {
        self.seat = Some(seat);
        self.heard = replies.clone();
        self.start_trials_or_end_as_full(Some(slot))
    }

    /// Replaces the stored replies of the other players by `replies`, and advances the current trial if it waits for
    /// one. Returns a log note if they ended the trial.
    ///
    /// # Errors
    /// If a trial cannot continue.
    pub(crate) fn set_other_replies(
        &mut self,
        replies: &GroupRepliesByTrial,
    ) -> Result<Option<SessionLogLineContent>> {
        if self.heard == *replies {
            return Ok(None);
        }
        self.heard = replies.clone();
        let over = self
            .awaited_other_seat()
            .map(|_| self.new_log_note("over", json!({"trial_over": true})));
        let before = self.judged.len();
        if over.is_some() {
            self.move_on()?;
        }
        Ok(over.filter(|_| self.judged.len() > before))
    }

    /// Adds a program's reply to the debate of the current trial. Returns a log note if the reply ended the trial.
    ///
    /// # Errors
    /// If the trial cannot continue.
    pub(crate) fn apply_program_reply(
        &mut self,
        seat: Seat,
        reply: Reply<Exact>,
    ) -> Result<Option<SessionLogLineContent>> {
        let mut replies = self.heard.clone();
        if let StudySessionStep::Trial(assigned) = *self.step() {
            replies.add_reply(assigned.practice, assigned.number, seat, reply);
        }
        self.set_other_replies(&replies)
    }

    /// Ends the current trial because of a program's fault.
    pub(crate) fn end_trial_by_fault(&mut self) {
        if let StudySessionStep::Trial(assigned) = *self.step() {
            self.void_trials.push(assigned);
        }
        self.step_state = StepState {
            void: true,
            ..StepState::default()
        };
    }

    /// Makes built-in players play in place of programs, for simulated participants.
    #[must_use]
    pub(crate) fn with_programs_replaced_by_builtins(self) -> Self {
        Self {
            stand_ins: true,
            ..self
        }
    }

    /// Returns the other players' replies in the debate of a current or past trial.
    pub(crate) fn other_replies(
        &self,
        assigned: crate::plan::schedule::AssignedTrial,
    ) -> TrialRepliesBySeat {
        self.heard.replies_in_trial(&assigned)
    }

    /// Ends the session with `status`, for a reason outside the participant's own replies. Returns the log note.
    pub(crate) fn end_with_status(
        &mut self,
        kind: &'static str,
        status: StudySessionStatus,
        mut payload: Value,
    ) -> SessionLogLineContent {
        payload["status"] = json!(status.status_name());
        let log_note = self.new_log_note(kind, payload);
        self.status = status;
        self.leaving = false;
        log_note
    }

    /// True if the participant is in the waiting room: not paused, and not on the page about leaving.
    pub(crate) fn is_in_group_waiting_room(&self) -> bool {
        self.is_waiting_for_group()
            && !self.leaving
            && !self.paused
            && matches!(self.step(), StudySessionStep::Place)
    }
}
