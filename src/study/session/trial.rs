//! A trial: a question, the information about it, and the requests to the participant.
//!
//! The state of a trial is a function of the replies in the log ([`ScheduledTrial::snapshot_after_replies`] replays
//! them). So a session continues at the same point after a stop, and a change that cannot be logged has no effect.
//!
//! A participant sees the log as [`LogViewerRole::JUDGING_ANEW`](debate_core::protocol::LogViewerRole::JUDGING_ANEW)
//! does: without rewards, payoffs, truth values and results.

mod argument;
mod debate;
mod question;
mod request_words;
mod run;
mod text;

pub(super) use question::probability_reply;
pub use question::{AnswerForm, RequestToParticipant, StudyPageReplyOption};
pub(crate) use text::truth_of_named_claim;

use std::path::{Path, PathBuf};

use crate::Study;
use crate::error::{Result, StudyError};
use crate::folder::{delete_file_if_present, path_file_name};
use crate::plan::item::ItemToJudge;
use crate::plan::schedule::AssignedTrial;
use crate::plan::{ProbabilityQuestionTime, TrialTask};
use crate::session::page::{ClaimOnStudyPage, StudyPagePointOrRemark};
use crate::session::program::{ProgramAnswer, StudyProgramPool};
use debate_core::number::Exact;
use debate_core::protocol::{Reply, Seat};
use debate_host::record::{Save, list_save_files};
use debate_lab::judgements::FinishedDebateToRejudge;
use debate_text::Line;
use run::{SaveTarget, TrialContent};

/// The text of every speech of a rehearsed or simulated debater.
pub(crate) const SPEECH: &str = "This answer is right.";

/// An answer of a participant within a trial.
#[derive(Clone, Debug, PartialEq)]
pub enum ParticipantTrialReply {
    /// A percentage for the question's first answer, regardless of the order on the screen.
    Percent(u8),
    /// A reply to a request of the rules.
    Rules(Reply<Exact>),
}

impl ParticipantTrialReply {
    /// Returns the participant's answer as a reply in the debate. A percentage becomes a probability.
    pub(crate) fn to_debate_reply(&self) -> Reply<Exact> {
        match self {
            Self::Percent(percent) => probability_reply(*percent),
            Self::Rules(reply) => reply.clone(),
        }
    }
}

/// The request to the participant at the current point of a trial, or the reason why there is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum TrialQuestion {
    /// Asks for the probability of the question's first answer, before any information is shown.
    Before,
    /// Asks for the probability of the question's first answer after a round. The value is the round, from 1.
    Round(u32),
    /// Asks for the final probability of the question's first answer.
    Final,
    /// A request of the rules.
    Rules(RequestToParticipant),
    /// No request: the player in this seat replies next.
    Others(Seat),
    /// No request: the trial is over.
    #[default]
    Over,
}

impl TrialQuestion {
    /// Returns the name of the request in the session's log.
    pub fn request_name(&self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::Round(_) => "round",
            Self::Final => "final",
            Self::Rules(question) => question.kind,
            Self::Others(_) => "others",
            Self::Over => "over",
        }
    }
}

/// A point of a trial.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShownTrialState {
    /// The lines that the trial has shown so far. Debates use them only in studies of format 3 and earlier.
    pub lines: Vec<Line>,
    /// The claims of the debate so far, in studies of format 3 and earlier.
    pub claims: Vec<ClaimOnStudyPage>,
    /// The arguments of the debate so far, since study format 4.
    pub arguments: Vec<StudyPagePointOrRemark>,
    /// The lines of a debate's source text for a debater, with quoted passages marked. Empty for a judge and in a trial
    /// without a debate, which shows a source in `lines`.
    pub source: Vec<Line>,
    /// Index in `lines` of the first line that was added, or whose hidden content was revealed, since the participant's
    /// last answer.
    pub new_from: usize,
    pub asked: TrialQuestion,
    /// True if the participant's answer becomes a reply in the debate.
    pub is_reply: bool,
    /// The number of rounds shown.
    pub round: u32,
    /// True if the participant's latest request came in the last round of a debate in speeches, or after it.
    pub is_last_round: bool,
}

/// For each seat, the replies of participants and programs in a trial's debate. The list of the participant's own seat
/// is ignored: it may be filled, but the participant's own replies are passed separately.
pub type TrialRepliesBySeat = [Vec<Reply<Exact>>; 3];

/// A trial in the schedule of a slot.
#[derive(Clone, Copy)]
pub struct ScheduledTrial<'s> {
    pub study: &'s Study,
    pub assigned: AssignedTrial,
    /// The slot, a row of the schedule. The coins depend on it, on the item and on the trial's number.
    pub slot: u32,
    /// The participant's seat.
    pub seat: Seat,
    /// True if built-in players replace programs, because the participant is simulated.
    pub stand_ins: bool,
}

fn failed(error: impl std::fmt::Display) -> StudyError {
    StudyError::Debate(error.to_string())
}

impl<'s> ScheduledTrial<'s> {
    pub fn item(&self) -> &'s ItemToJudge {
        &self.study.items_of_condition(self.assigned.condition)[self.assigned.item]
    }

    pub fn task(&self) -> &'s TrialTask {
        &self.study.plan.conditions[self.assigned.condition].task
    }

    /// Returns the text of the trial and its next request, after the given replies of the participant and of other
    /// players.
    ///
    /// # Errors
    /// If a player fails, the rules refuse a move, or a prepared debate is missing.
    pub fn snapshot_after_replies(
        &self,
        replies: &[ParticipantTrialReply],
        heard: &TrialRepliesBySeat,
    ) -> Result<ShownTrialState> {
        let content = TrialContent::content_of_trial(self)?;
        let mut run = content.begin(None)?;
        run.apply_earlier_replies(replies, heard)?;
        Ok(run.point)
    }

    /// True if the trial's debate is between programs, and is played before participants judge it.
    fn is_prepared(&self) -> bool {
        self.study
            .plan
            .requires_prepared_debates(self.assigned.condition)
    }

    /// Asks the program whose turn it is in the trial's debate.
    ///
    /// # Errors
    /// If the debate waits for no program, or the replies cannot be replayed.
    pub(crate) fn ask_program(
        &self,
        replies: &[ParticipantTrialReply],
        heard: &TrialRepliesBySeat,
        programs: &StudyProgramPool,
    ) -> Result<ProgramAnswer> {
        let content = TrialContent::content_of_trial(self)?;
        let mut run = content.begin(None)?;
        run.apply_earlier_replies(replies, heard)?;
        run.ask_program(programs)
    }

    /// Saves the debate of a finished trial and returns the path of the save; `None` if no debate is played in the
    /// trial. If another player's reply is missing, that player forfeits.
    ///
    /// # Errors
    /// If the debate cannot be saved.
    pub fn save_debate(
        &self,
        replies: &[ParticipantTrialReply],
        heard: &TrialRepliesBySeat,
        sessions: &[&str],
        folder: &Path,
    ) -> Result<Option<PathBuf>> {
        let plays = matches!(
            self.task(),
            TrialTask::Debate { .. } | TrialTask::Consultancy { .. }
        );
        if !plays || self.is_prepared() {
            return Ok(None);
        }
        let mut content = TrialContent::content_of_trial(self)?;
        content.add_save_tag("sessions", sessions.join(" "));
        let name = self.save_name(sessions);
        let position = SaveTarget {
            folder,
            name: &name,
        };
        let mut run = content.begin(Some(position))?;
        run.apply_earlier_replies(replies, heard)?;
        run.close_save()
    }

    /// Returns the name of the trial's debate, which is a part of the save's file name.
    fn save_name(&self, sessions: &[&str]) -> String {
        let number = self.assigned.number;
        let practice = if self.assigned.practice {
            "practice"
        } else {
            "trial"
        };
        format!("{}-{practice}-{number}", sessions.join("-"))
    }

    /// True if a complete save of the trial's debate exists, or an incomplete one that cannot be deleted. Deletes the
    /// incomplete saves that it finds before.
    pub(super) fn has_save_after_deleting_incomplete(
        &self,
        sessions: &[&str],
        folder: &Path,
    ) -> bool {
        let own = format!("-{}-", self.save_name(sessions));
        let paths = list_save_files(folder).unwrap_or_default().into_iter();
        let mut own = paths.filter(|path| path_file_name(path).contains(&own));
        own.any(|path| {
            let is_whole =
                Save::read_save(&path).is_ok_and(|save| save.stated_debate_end().is_some());
            is_whole || delete_file_if_present(&path).is_err()
        })
    }

    /// Returns the debate between programs that was played in advance for this trial.
    fn prepared(&self) -> Result<&'s FinishedDebateToRejudge> {
        let AssignedTrial {
            condition, item, ..
        } = self.assigned;
        let prepared = self.study.prepared_debate(condition, item);
        let prepared = prepared.ok_or_else(|| {
            let id = &self.item().id;
            failed(format!(
                "the debate about the item `{id}` has not been played; play it with `study prepare`"
            ))
        })?;
        Ok(&prepared.case)
    }

    fn asks(&self, when: ProbabilityQuestionTime) -> bool {
        self.study.plan.response.ask.contains(&when)
    }
}

impl ScheduledTrial<'_> {
    /// Plays a trial with rehearsed participants in the given seats. They are right about small claims, give 50 %
    /// elsewhere and make the first legal move. For each seat, returns the trial's texts and requests in order.
    ///
    /// # Errors
    /// If the trial cannot be played.
    pub(crate) fn rehearse_trial(&self, seats: &[Seat]) -> Result<Vec<Vec<ShownTrialState>>> {
        let mut heard = TrialRepliesBySeat::default();
        let mut said = vec![Vec::new(); seats.len()];
        let mut all: Vec<Vec<ShownTrialState>> = vec![Vec::new(); seats.len()];
        loop {
            let mut continues = false;
            for ((seat, replies), moments) in seats.iter().zip(&mut said).zip(&mut all) {
                let trial = Self {
                    seat: *seat,
                    ..*self
                };
                let mut point = trial.snapshot_after_replies(replies, &heard)?;
                while !matches!(point.asked, TrialQuestion::Over | TrialQuestion::Others(_)) {
                    continues = true;
                    let next = if let TrialQuestion::Rules(question) = &point.asked {
                        trial.first_legal(question, replies, &heard)?
                    } else {
                        replies.push(ParticipantTrialReply::Percent(50));
                        trial.snapshot_after_replies(replies, &heard)?
                    };
                    if let Some(reply) = replies.last().filter(|_| point.is_reply)
                        && let Some(own) = heard.get_mut(seat.seat_index())
                    {
                        own.push(reply.to_debate_reply());
                    }
                    moments.push(std::mem::replace(&mut point, next));
                }
                if point.asked == TrialQuestion::Over
                    && moments
                        .last()
                        .is_none_or(|last| last.asked != TrialQuestion::Over)
                {
                    moments.push(point);
                }
            }
            let is_over = |moments: &Vec<ShownTrialState>| {
                let last = moments.last();
                last.is_some_and(|point| point.asked == TrialQuestion::Over)
            };
            if all.iter().all(is_over) {
                return Ok(all);
            }
            if !continues {
                return Err(StudyError::Debate(
                    "the debate cannot continue, because every player waits for another player"
                        .to_owned(),
                ));
            }
        }
    }

    /// Answers a request with the first legal answer. Returns the next text and request of the trial.
    fn first_legal(
        &self,
        question: &RequestToParticipant,
        replies: &mut Vec<ParticipantTrialReply>,
        heard: &TrialRepliesBySeat,
    ) -> Result<ShownTrialState> {
        for attempt in 0.. {
            let Some(reply) = question.rehearsed_participant_reply(attempt) else {
                break;
            };
            replies.push(ParticipantTrialReply::Rules(reply));
            match self.snapshot_after_replies(replies, heard) {
                Err(StudyError::Refused(_)) if question.kind == "move" => replies.pop(),
                point => return point,
            };
        }
        Err(StudyError::Refused(
            "the rules allow none of the options of this page".to_owned(),
        ))
    }
}
