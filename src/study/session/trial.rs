//! A trial: a question, the information about it, and the questions on the way.
//!
//! The replies that the log holds determine the state of a trial: it runs anew from them ([`Trial::moment`]). So a session
//! continues at the same point after a stop, and a change that cannot be written to the log leaves nothing behind.
//!
//! A participant sees what [`Reader::JUDGING_ANEW`](debate_core::protocol::Reader::JUDGING_ANEW) may see: no reward, no
//! payoff, no truth, and no result.

mod debate;
mod question;
mod run;
mod text;

pub(super) use question::probability;
pub use question::{AnswerForm, ReplyOption, RulesQuestion};
pub(crate) use text::leaf_truth;

use std::path::{Path, PathBuf};

use crate::Study;
use crate::error::{Result, StudyError};
use crate::folder::{name_of, remove};
use crate::plan::item::Item;
use crate::plan::schedule::Assigned;
use crate::plan::{AskWhen, Task};
use crate::session::page::PageClaim;
use crate::session::program::{ProgramAnswer, ProgramPool};
use debate_core::number::Exact;
use debate_core::protocol::{Reply, Seat};
use debate_host::record::{Save, files_of_saves};
use debate_lab::judgements::RejudgeCase;
use debate_text::Line;
use run::{Content, Keeping};

/// The speech of a rehearsed or simulated participant who argues.
pub(crate) const SPEECH: &str = "This answer is right.";

/// What a participant says within a trial.
#[derive(Clone, Debug, PartialEq)]
pub enum TrialReply {
    /// A percentage of the question's first answer, whatever stands first on the screen.
    Percent(u8),
    /// A reply to a request of the rules.
    Rules(Reply<Exact>),
}

impl TrialReply {
    /// The reply in the debate, of an answer that is one there.
    pub(crate) fn in_debate(&self) -> Reply<Exact> {
        match self {
            Self::Percent(percent) => probability(*percent),
            Self::Rules(reply) => reply.clone(),
        }
    }
}

/// A question at a point of a trial.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Asked {
    /// How likely the first answer is, before anything was told.
    Before,
    /// The same after a round, from 1.
    Round(u32),
    /// The same at the end.
    Final,
    /// A request of the rules.
    Rules(RulesQuestion),
    /// Nothing as yet: it is for whoever sits in this seat to reply.
    Others(Seat),
    /// Nothing: the trial is over.
    #[default]
    Over,
}

impl Asked {
    /// The name of the question in the log.
    pub fn kind(&self) -> &'static str {
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
pub struct Moment {
    /// All that was told so far.
    pub lines: Vec<Line>,
    /// The claims of the debate so far.
    pub claims: Vec<PageClaim>,
    /// The source, where the participant may read it, with what was quoted.
    pub source: Vec<Line>,
    /// The first line that came since the last question.
    pub new_from: usize,
    pub asked: Asked,
    /// True if the answer is a reply in the debate.
    pub is_reply: bool,
    /// How many rounds were told.
    pub round: u32,
}

/// The replies of others in the debate of a trial, seat by seat: people who sit in it with the participant.
pub type Heard = [Vec<Reply<Exact>>; 3];

/// A trial of a slot.
#[derive(Clone, Copy)]
pub struct Trial<'s> {
    pub study: &'s Study,
    pub assigned: Assigned,
    /// The slot: coins follow from it and the trial's number.
    pub slot: u32,
    /// The participant's seat.
    pub seat: Seat,
    /// True if the usual built-in players sit in the seats of programs that play now: nobody takes part.
    pub stand_ins: bool,
}

fn failed(error: impl std::fmt::Display) -> StudyError {
    StudyError::Debate(error.to_string())
}

impl<'s> Trial<'s> {
    pub fn item(&self) -> &'s Item {
        &self.study.pool(self.assigned.condition)[self.assigned.item]
    }

    pub fn task(&self) -> &'s Task {
        &self.study.plan.conditions[self.assigned.condition].task
    }

    /// The moment of the trial after the replies of the participant and of others.
    ///
    /// # Errors
    /// If a player fails or the rules refuse a move.
    pub fn moment(&self, replies: &[TrialReply], heard: &Heard) -> Result<Moment> {
        let content = Content::of(self)?;
        let mut run = content.begin(None)?;
        run.replay(replies, heard)?;
        Ok(run.moment)
    }

    /// True if its debate was played before.
    fn is_prepared(&self) -> bool {
        self.study.plan.is_prepared(self.assigned.condition)
    }

    /// Asks the program whose reply comes next.
    ///
    /// # Errors
    /// If none is to be asked, or the debate cannot be followed.
    pub(crate) fn ask_program(
        &self,
        replies: &[TrialReply],
        heard: &Heard,
        programs: &ProgramPool,
    ) -> Result<ProgramAnswer> {
        let content = Content::of(self)?;
        let mut run = content.begin(None)?;
        run.replay(replies, heard)?;
        run.ask_program(programs)
    }

    /// Keeps the debate of a trial that is over as a save; `None` where there is none. One in which somebody's reply is
    /// still missing ends with that seat's forfeit.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub fn keep(
        &self,
        replies: &[TrialReply],
        heard: &Heard,
        sessions: &[&str],
        folder: &Path,
    ) -> Result<Option<PathBuf>> {
        let plays = matches!(self.task(), Task::Debate { .. } | Task::Consultancy { .. });
        if !plays || self.is_prepared() {
            return Ok(None);
        }
        let mut content = Content::of(self)?;
        content.tag("sessions", sessions.join(" "));
        let name = self.save_name(sessions);
        let place = Keeping {
            folder,
            name: &name,
        };
        let mut run = content.begin(Some(place))?;
        run.replay(replies, heard)?;
        run.close()
    }

    /// The name of the save of its debate.
    fn save_name(&self, sessions: &[&str]) -> String {
        let number = self.assigned.number;
        let practice = if self.assigned.practice {
            "practice"
        } else {
            "trial"
        };
        format!("{}-{practice}-{number}", sessions.join("-"))
    }

    /// True if its debate is kept as a save that has an end. One that was cut off is taken away.
    pub(super) fn is_kept(&self, sessions: &[&str], folder: &Path) -> bool {
        let own = format!("-{}-", self.save_name(sessions));
        let paths = files_of_saves(folder).unwrap_or_default().into_iter();
        let mut own = paths.filter(|path| name_of(path).contains(&own));
        own.any(|path| {
            let is_whole = Save::read(&path).is_ok_and(|save| save.end().is_some());
            is_whole || remove(&path).is_err()
        })
    }

    /// The debate of programs that was played before.
    fn prepared(&self) -> Result<&'s RejudgeCase> {
        let Assigned {
            condition, item, ..
        } = self.assigned;
        let prepared = self.study.prepared(condition, item);
        let prepared = prepared.ok_or_else(|| {
            let id = &self.item().id;
            failed(format!(
                "the debate of `{id}` is not played yet; `study prepare` plays it"
            ))
        })?;
        Ok(&prepared.case)
    }

    fn asks(&self, when: AskWhen) -> bool {
        self.study.plan.response.ask.contains(&when)
    }
}

impl Trial<'_> {
    /// Goes through a trial with participants who are right about small claims, even about the rest, and make the first
    /// move that the rules allow. Returns its points, as the participant in each of these seats meets them.
    ///
    /// # Errors
    /// If it cannot be played.
    pub(crate) fn rehearsed(&self, seats: &[Seat]) -> Result<Vec<Vec<Moment>>> {
        let mut heard = Heard::default();
        let mut said = vec![Vec::new(); seats.len()];
        let mut all: Vec<Vec<Moment>> = vec![Vec::new(); seats.len()];
        loop {
            let mut goes_on = false;
            for ((seat, replies), moments) in seats.iter().zip(&mut said).zip(&mut all) {
                let trial = Self {
                    seat: *seat,
                    ..*self
                };
                let mut moment = trial.moment(replies, &heard)?;
                while !matches!(moment.asked, Asked::Over | Asked::Others(_)) {
                    goes_on = true;
                    let next = if let Asked::Rules(question) = &moment.asked {
                        trial.first_legal(question, replies, &heard)?
                    } else {
                        replies.push(TrialReply::Percent(50));
                        trial.moment(replies, &heard)?
                    };
                    if let Some(reply) = replies.last().filter(|_| moment.is_reply)
                        && let Some(own) = heard.get_mut(seat.index())
                    {
                        own.push(reply.in_debate());
                    }
                    moments.push(std::mem::replace(&mut moment, next));
                }
                if moment.asked == Asked::Over
                    && moments.last().is_none_or(|last| last.asked != Asked::Over)
                {
                    moments.push(moment);
                }
            }
            let is_over = |moments: &Vec<Moment>| {
                let last = moments.last();
                last.is_some_and(|moment| moment.asked == Asked::Over)
            };
            if all.iter().all(is_over) {
                return Ok(all);
            }
            if !goes_on {
                return Err(StudyError::Debate(
                    "nobody is asked for anything".to_owned(),
                ));
            }
        }
    }

    /// Adds the first answer to a question that the rules allow. Returns where that leads.
    fn first_legal(
        &self,
        question: &RulesQuestion,
        replies: &mut Vec<TrialReply>,
        heard: &Heard,
    ) -> Result<Moment> {
        for attempt in 0.. {
            let Some(reply) = question.rehearsed(attempt) else {
                break;
            };
            replies.push(TrialReply::Rules(reply));
            match self.moment(replies, heard) {
                Err(StudyError::Refused(_)) if question.kind == "move" => replies.pop(),
                moment => return moment,
            };
        }
        Err(StudyError::Refused(
            "they allow none of the options".to_owned(),
        ))
    }
}
