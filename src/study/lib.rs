//! Pilot studies with people as judges: from a study file to a report.
//!
//! Where to start: [`Study::load`] reads the folder of a study; [`check()`] says what a participant
//! would go through and refuses what would spoil it; [`LiveSession`] takes one participant from
//! screen to screen and keeps every answer before the next screen is shown; [`Rows::read`] reads
//! back what was kept, and [`report()`] sums it up.
//!
//! A participant's way through a study is one state machine, [`Participant`]: it gives a [`SessionPage`]
//! and takes an [`Input`]. A screen, plain lines and a simulated judge are three ways to answer the
//! same pages. Everything that was answered stands in a log, a line each, which is only ever
//! appended to; a session that was cut off goes on by giving the same inputs again.
//!
//! The rules of debates, the players and the transcript are those of [`debate_core`] and [`debate_host`]: a trial is an
//! ordinary debate in which the participant has a seat, the judge's as a rule.
//!
//! # The rooms, from the ground up
//!
//! A room uses only rooms below it.
//!
//! | floor | room | knows |
//! | --- | --- | --- |
//! | 14 | `report` | what researchers read: the check and the preregistration before there are data; tables, payments and the report after |
//! | 13 | `session` | a participant's way through a study: pages, answers, trials; people and simulated judges |
//! | 12 | `prepare` | debates of programs, which are played before anybody judges them |
//! | 11 | `folder` | what is kept of participants: slots, names, logs with their ledger, and the lock |
//! | 10 | `plan` | what the researcher wrote: the study file, texts, questions and items, and the schedule that follows from them |
//! | 9 | `error` | what can go wrong with a study |

mod error;
mod folder;
mod plan;
mod prepare;
mod report;
mod session;

pub use debate_host::record::TimeSource;
pub use error::StudyError;
pub use folder::audit::{Damage, DamagedLog, verify_log, verify_logs};
pub use folder::load::create;
pub use folder::lock::{Lock, lock, verify_lock};
pub use folder::log::{EventLog, ReadLog, Record, Status, read_log, status, status_of};
pub use folder::{Claim, DataKind, Deletion, Forgotten, Recruitment, StudyFolder, link_id};
pub use plan::item::Item;
pub use plan::schedule::{Assigned, Schedule};
pub use plan::{
    Bonus, Codes, Condition, ContrastDesign, DebateEngine, Design, Exclusion, FlowStep, GroupPlan,
    Measure, PageWords, Plan, PlannedPower, QuizQuestion, Stage, SurveyQuestion, Task,
    duration_places,
};
pub use prepare::{DebateRow, PreparedDebate, preparation};
pub use report::check::preregister;
pub use report::check::{CheckReport, ConditionCheck, check};
pub use report::export::{Column, Table, tables};
pub use report::export::{ExportTarget, Exported, export};
pub use report::export::{Payment, close_payments, pay, payments};
pub use report::rows::Rows;
pub use report::summary::{html, vega};
pub use report::summary::{markdown, text};
pub use report::{GroupFlow, StudyReport, report};
pub use session::flow::{Participant, end};
pub use session::group::Groups;
pub use session::page::{Input, PageClaim, SessionPage};
pub use session::preview::{PreviewPage, preview};
pub use session::program::Programs;
pub use session::simulate::{JudgeModel, SimulatedJudge, simulate};
pub use session::trial::{
    AnswerForm, Asked, Heard, Moment, ReplyOption, RulesQuestion, Trial, TrialReply,
};
pub use session::{Clock, SHOWN_TIME_PAUSE, ShownTimeKeeper, Ticks};
pub use session::{LiveSession, expire, spoken_codes, start_or_resume, start_or_resume_swept};

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use debate_core::protocol::Protocol;
use debate_core::scenario::Quotes;
use error::Result;

/// A study with all that it reads: its file, texts, questions and items.
#[derive(Debug)]
pub struct Study {
    pub folder: StudyFolder,
    pub plan: Plan,
    /// What is judged in the conditions that are played now.
    pub items: Vec<Item>,
    /// For each condition of finished debates what is judged there; empty for others.
    pub saved_items: Vec<Vec<Item>>,
    /// The texts that the flow names, by file name.
    texts: Vec<(String, String)>,
    quizzes: Vec<(String, Vec<QuizQuestion>)>,
    surveys: Vec<(String, Vec<SurveyQuestion>)>,
    /// The debates of programs that were played beforehand, by condition and item.
    prepared: prepare::Prepared,
    /// How many of them are still to be played.
    unprepared: usize,
    /// The saves of those that a program gave up.
    given_up: Vec<String>,
    /// Every file that was read, for the lock.
    files: Vec<(PathBuf, debate_core::digest::Digest)>,
    /// The way in which items are dealt: of a locked study, the one of its lock.
    dealing: plan::schedule::Dealing,
    /// True if a program of study format 1 or 2 locked it: debates take exact quotes alone unless their rules name
    /// another rule.
    has_exact_quotes: bool,
    /// The digest of the trials of all slots up to the target, once it was asked for.
    schedule_digest: OnceLock<debate_core::digest::Digest>,
}

/// What the flow names so.
fn named<'s, T>(all: &'s [(String, T)], name: &str) -> Option<&'s T> {
    all.iter().find(|(of, _)| of == name).map(|(_, it)| it)
}

impl Study {
    /// Reads the study in a folder.
    ///
    /// # Errors
    /// If a file cannot be read, is too large, or says something that no study says.
    pub fn load(folder: &Path) -> Result<Self> {
        let mut study = folder::load::load(folder)?;
        study.keep_locked_format();
        if let Some(flaw) = study.schedule().flaw() {
            return Err(StudyError::file(&study.folder.study_file(), flaw));
        }
        study.keep_locked_dealing();
        study.read_prepared()?;
        Ok(study)
    }

    /// The rules of a debate. Studies that were locked before rules named `quotes` take exact quotes alone.
    pub(crate) fn with_its_quotes(&self, mut protocol: Protocol) -> Protocol {
        if let Protocol::Speeches(rules) = &mut protocol
            && self.has_exact_quotes
        {
            rules.quotes.get_or_insert(Quotes::Strict);
        }
        protocol
    }

    /// Remembers a file for the lock.
    pub(crate) fn note_file(&mut self, path: &Path) -> Result {
        debate_solver::setup::check_plain(path).map_err(StudyError::io(path))?;
        let bytes = std::fs::read(path).map_err(StudyError::io(path))?;
        let named = path.strip_prefix(self.folder.root()).unwrap_or(path);
        let digest = debate_core::digest::Digest::of(&bytes);
        self.files.push((named.to_owned(), digest));
        Ok(())
    }

    /// What is judged under a condition, by its place.
    pub fn pool(&self, condition: usize) -> &[Item] {
        match self.saved_items.get(condition) {
            Some(saved) if !saved.is_empty() => saved,
            _ => &self.items,
        }
    }

    /// A text that the flow names.
    pub fn text(&self, name: &str) -> &str {
        named(&self.texts, name).map_or("", String::as_str)
    }

    /// The questions of a quiz that the flow names.
    pub fn quiz(&self, name: &str) -> &[QuizQuestion] {
        named(&self.quizzes, name).map_or(&[], Vec::as_slice)
    }

    /// The questions of a survey that the flow names.
    pub fn survey(&self, name: &str) -> &[SurveyQuestion] {
        named(&self.surveys, name).map_or(&[], Vec::as_slice)
    }

    /// Which trials each participant has.
    pub fn schedule(&self) -> Schedule<'_> {
        Schedule::of(self)
    }

    /// True of a session of the stage Debug in a study that is at another stage by now.
    fn is_trial_run(&self, first: &Record) -> bool {
        self.plan.stage != Stage::Debug && first.stage == Stage::Debug.name()
    }
}
