//! Pilot studies with people as judges: from a study file to a report.
//!
//! Where to start: [`Study::load`] reads the folder of a study; [`check()`] says what a participant
//! would go through and refuses what would spoil it; [`LiveSession`] takes one participant from
//! screen to screen and keeps every answer before the next screen is shown; [`Rows::read`] reads
//! back what was kept, and [`report()`] sums it up.
//!
//! A participant's way through a study is one state machine, [`Participant`]: it gives a [`Page`]
//! and takes an [`Input`]. A screen, plain lines and a simulated judge are three ways to answer the
//! same pages. Everything that was answered stands in a log, a line each, which is only ever
//! appended to; a session that was cut off goes on by giving the same inputs again.
//!
//! The rules of debates, the players and what a debate says are those of the rooms below: a trial is
//! an ordinary debate in which the participant is the judge.

mod audit;
mod chart;
mod check;
mod clock;
mod columns;
mod due;
mod error;
mod example;
mod export;
mod flow;
mod folder;
mod item;
mod lock;
mod log;
mod page;
mod pay;
mod plan;
mod power;
mod preregister;
mod report;
mod rows;
mod schedule;
mod session;
mod simulate;
mod slots;
mod summary;
#[cfg(test)]
mod tests;
mod trial;

pub use audit::{Damage, DamagedLog, verify_log, verify_logs};
pub use chart::html;
pub use check::{CheckReport, ConditionCheck, check};
pub use clock::{Clock, Ticks};
pub use columns::{Column, TABLES, Table};
pub use error::StudyError;
pub use example::create;
pub use export::{Exported, export};
pub use flow::{Participant, SpokenCodes, Status, end};
pub use folder::{DataKind, Forgotten, Recruitment, StudyFolder, link_id};
pub use item::Item;
pub use lock::{Lock, lock, verify_lock};
pub use log::{EventLog, ReadLog, Record, read_log};
pub use page::{Ask, Input, Page, PageLine};
pub use pay::{Payment, close_payments, pay};
pub use plan::{
    Bonus, Condition, Design, Exclusion, FlowStep, Measure, Plan, QuizQuestion, Role, Stage,
    SurveyQuestion, Task,
};
pub use power::PlannedPower;
pub use preregister::preregister;
pub use report::{StudyReport, report};
pub use rows::Rows;
pub use schedule::{Assigned, Schedule};
pub use session::{LiveSession, code_of, expire, spoken_codes, start_or_resume, status, status_of};
pub use simulate::{JudgeModel, SimulatedJudge, simulate};
pub use slots::Claim;
pub use summary::{markdown, text};
pub use trial::{Asked, Moment, Trial, TrialReply};

use std::path::{Path, PathBuf};

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
    /// Every file that was read, for the lock.
    files: Vec<(PathBuf, debate_core::digest::Digest)>,
}

impl Study {
    /// Reads the study in a folder.
    ///
    /// # Errors
    /// If a file cannot be read, is too large, or says something that no study says.
    pub fn load(folder: &Path) -> Result<Self, StudyError> {
        item::load(folder)
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
        let mut texts = self.texts.iter();
        texts
            .find(|(of, _)| of == name)
            .map_or("", |(_, text)| text)
    }

    /// The questions of a quiz that the flow names.
    pub fn quiz(&self, name: &str) -> &[QuizQuestion] {
        let mut quizzes = self.quizzes.iter();
        quizzes
            .find(|(of, _)| of == name)
            .map_or(&[], |(_, quiz)| quiz)
    }

    /// The questions of a survey that the flow names.
    pub fn survey(&self, name: &str) -> &[SurveyQuestion] {
        let mut surveys = self.surveys.iter();
        let found = surveys.find(|(of, _)| of == name);
        found.map_or(&[], |(_, survey)| survey)
    }

    /// Which trials each participant has.
    pub fn schedule(&self) -> Schedule<'_> {
        Schedule::of(self)
    }
}
