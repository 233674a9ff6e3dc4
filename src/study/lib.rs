//! Pilot studies in which participants judge debates: from the study file to the report.
//!
//! [`Study::load`] reads a study folder. [`check_study()`] describes the session of a participant and rejects a study
//! with design flaws. [`RunningStudySession`] shows one participant the pages and stores each answer before it shows
//! the next page. [`StudyRows::read_study_rows`] reads the stored data, and [`study_report()`] summarizes them.
//!
//! The session of a participant is one state machine, [`Participant`]: it returns a [`StudySessionPage`] and accepts a
//! [`ParticipantInput`]. The terminal screen, plain lines, the browser and a simulated judge are front ends of the same
//! pages. Each answer is a line of an append-only log. An interrupted session is resumed by replaying its inputs.
//!
//! [`debate_core`] and [`debate_host`] provide the rules of debates, the players and the transcript. A trial is an
//! ordinary debate in which the participant has a seat, usually the judge's.
//!
//! # Modules, from the lowest layer up
//!
//! A module imports only modules in lower layers.
//!
//! | layer | module | contents |
//! | --- | --- | --- |
//! | 14 | `report` | documents for researchers: check, preregistration, tables, payments, report |
//! | 13 | `session` | the session of a participant: pages, answers, trials; participants and simulated judges |
//! | 12 | `prepare` | debates between programs, played before they are judged |
//! | 11 | `folder` | stored data about participants: slots, names, logs with their ledger, and the lock |
//! | 10 | `plan` | the researcher's files: study file, texts, questions and items; and the schedule derived from them |
//! | 9 | `error` | errors of studies |

mod error;
mod folder;
mod plan;
mod prepare;
mod report;
mod session;

pub use debate_host::record::TimeSource;
pub use error::StudyError;
pub use folder::audit::{DamagedLog, StudyDataDamage, verify_log, verify_logs_of_participants};
pub use folder::control::ExperimenterMessageTarget;
pub use folder::load::create_example_study;
pub use folder::lock::{StudyLock, lock_study, verify_lock};
pub use folder::log::{
    SessionLogContents, SessionLogOpenForAppending, StudySessionLogRecord, StudySessionStatus,
    read_log, read_session_status_and_records, status_of_records,
};
pub use folder::{
    DeletionTombstone, LiveOrSimulated, ParticipantDeletionResult, RecruitmentReference,
    ScheduleRowClaim, StudyFolder, id_of_signed_link_participant,
};
pub use plan::item::ItemToJudge;
pub use plan::schedule::{AssignedTrial, TrialSchedule};
pub use plan::{
    Bonus, CodeOrAddressByOutcome, ContrastDesign, DebatingProgramSettings, EarlyEndPay,
    ExclusionRule, ExperimentCondition, ExperimentDesign, JudgeFigureVisibility, JudgementMeasure,
    MediaFile, MediaFiles, MediaKind, PageWording, ParticipantGroupSettings, QuizQuestion, Quota,
    ScreenOutRule, ScreeningAnswerSet, ScreeningSurvey, StudyFlowStep, StudyMediaFileType,
    StudyPlan, StudyStage, StudyTextMarkup, SurveyQuestion, TrialTask, WaitingListSettings,
    WordingReplacementsAndTranslations, native_language_name,
};
pub use prepare::{PreparedDebate, ProgramDebateRow, match_of_prepared_debates};
pub use report::check::preregistration_text;
pub use report::check::{
    PlannedConditionTrialsReport, StudyCheckReport, check_study, check_study_within,
};
pub use report::export::{CodebookColumn, CodebookTable, codebook_tables};
pub use report::export::{
    ParticipantPayment, delete_names_and_payments, participant_payments, write_payments,
};
pub use report::export::{StudyExportDestination, StudyExportResult, export};
pub use report::person::export_participant;
pub use report::power::{PlannedPower, max_simulated_studies, power_at_planned_participant_count};
pub use report::progress::{
    GroupMemberProgress, GroupProgress, SessionCountAtPage, SessionCountReachingStep,
    SessionProgress, StudyProgress,
};
pub use report::quotas::{QuotaCount, quota_counts};
pub use report::rows::StudyRows;
pub use report::summary::{report_charts, report_html};
pub use report::summary::{report_markdown, report_text};
pub use report::{ParticipantGroupOutcomeCounts, StudyReport, study_report};
pub use session::flow::{Participant, last_page_without_session};
pub use session::group::WaitingRoomAndGroups;
pub use session::page::{
    ClaimOnStudyPage, MarkdownTextOnStudyPage, PERCENT_RANGES, ParticipantInput,
    ParticipantWorkProgress, ProbabilityScaleWords, StudyPagePointOrRemark, StudySessionPage,
};
pub use session::preview::{PreviewedStudyPage, preview_pages};
pub use session::program::ProgramsDebatingParticipants;
pub use session::simulate::{SimulatedJudge, SimulatedJudgeBehaviour, simulate};
pub use session::terminal::StudyTerminalTexts;
pub use session::trial::{
    AnswerForm, ParticipantTrialReply, RequestToParticipant, ScheduledTrial, ShownTrialState,
    StudyPageReplyOption, TrialQuestion, TrialRepliesBySeat,
};
pub use session::{PAGE_TIME_SAVE_INTERVAL, PageTimeSaver, SessionClock, SessionClockReading};
pub use session::{
    RunningStudySession, completion_codes, end_expired_sessions,
    end_sessions_closed_by_experimenter, start_or_resume, start_or_resume_on_server,
};

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use debate_core::protocol::Protocol;
use debate_core::scenario::QuoteRule;
use error::Result;

/// A study with all of its files: the study file, texts, questions and items.
#[derive(Debug)]
#[expect(
    clippy::struct_field_names,
    reason = "`study_format` is also the name of this field in the lock file"
)]
pub struct Study {
    pub folder: StudyFolder,
    pub plan: StudyPlan,
    /// Items to judge under all conditions except those that judge finished debates again; also the practice items.
    pub items: Vec<ItemToJudge>,
    /// Items of each condition that judges finished debates again; empty for the other conditions.
    pub saved_items: Vec<Vec<ItemToJudge>>,
    /// Texts to which the flow of pages refers, by file name.
    texts: Vec<(String, String)>,
    quizzes: Vec<(String, Vec<QuizQuestion>)>,
    surveys: Vec<(String, Vec<SurveyQuestion>)>,
    /// Debates between programs that were played in advance, by condition and item.
    prepared: prepare::Prepared,
    /// Number of debates between programs that are not played in advance yet.
    unprepared: usize,
    /// File names of the saves of prepared debates that ended without a result, because a program gave up.
    given_up: Vec<String>,
    /// Every file that was read, with its digest, for the lock.
    files: Vec<(PathBuf, debate_core::digest::Digest)>,
    /// The method by which the schedule assigns items (scenarios to judge) to trials. A locked study keeps the method
    /// of its lock.
    dealing: plan::schedule::ItemDealingMethod,
    /// The study format: that of the lock if the study is locked, or else the newest one.
    study_format: u32,
    /// The study in its further languages.
    translations: Vec<Self>,
    /// Digest of the trials in the schedule, except practice trials, for the planned number of participants; computed
    /// on first use.
    schedule_digest: OnceLock<debate_core::digest::Digest>,
}

/// Returns the value of the entry `name` in a list of named values, such as the texts of a study.
fn named<'s, T>(all: &'s [(String, T)], name: &str) -> Option<&'s T> {
    all.iter().find(|(of, _)| of == name).map(|(_, it)| it)
}

impl Study {
    /// Reads the study in `folder`.
    ///
    /// # Errors
    /// If a file cannot be read, is too large or has invalid contents.
    pub fn load(folder: &Path) -> Result<Self> {
        let mut study = Self::load_in_first_language_only(folder)?;
        study.read_translations()?;
        Ok(study)
    }

    /// Reads the study in `folder`, only in its first language, for its translators.
    ///
    /// # Errors
    /// As [`Self::load`], except that translations are not read.
    pub fn load_in_first_language_only(folder: &Path) -> Result<Self> {
        let mut study = folder::load::load(folder)?;
        study.use_study_format_of_lock();
        if let Some(flaw) = study.schedule().dealing_flaw() {
            return Err(StudyError::invalid_file(&study.folder.study_file(), flaw));
        }
        study.use_dealing_method_of_lock();
        study.read_prepared_debates()?;
        Ok(study)
    }

    /// True if the pages use everyday words, inline confirmation and hidden figures: since study format 4.
    pub(crate) fn has_pages_of_format_4_or_later(&self) -> bool {
        self.study_format >= 4
    }

    /// True if the study has the pages of format 6 or later. Pages before the choice of a language are then in all
    /// languages, and pages about a pause state how long the group waits.
    pub(crate) fn has_pages_of_format_6_or_later(&self) -> bool {
        self.study_format >= 6
    }

    /// True if a judge who takes part is asked for a message that no debater reads. This holds in studies of format 4
    /// and earlier, or if the study file requires it.
    pub(crate) fn asks_judge_for_private_reasons(&self) -> bool {
        self.study_format < 5 || self.plan.response.reasons
    }

    /// True if a step of practice deals items that the participant has not had in an earlier one, as far as there are
    /// any: since study format 6.
    pub(crate) fn deals_new_items_in_later_practice(&self) -> bool {
        self.study_format >= 6
    }

    /// True if the number of rounds of a live debate counts the last one, as that of a prepared debate does: since
    /// study format 6.
    pub(crate) fn counts_last_round_of_live_debates(&self) -> bool {
        self.study_format >= 6
    }

    /// True if a judge under this condition sees probabilities, coins and bets.
    pub(crate) fn shows_numbers_to_judge(&self, condition: usize) -> bool {
        !self.has_pages_of_format_4_or_later()
            || self.plan.conditions[condition].figures == JudgeFigureVisibility::Shown
    }

    /// Adds `quotes: Strict` to rules without a `quotes` rule if the study was locked before that rule existed.
    pub(crate) fn with_quote_rule_of_lock(&self, mut protocol: Protocol) -> Protocol {
        if let Protocol::Speeches(rules) = &mut protocol
            && self.study_format < 3
        {
            rules.quotes.get_or_insert(QuoteRule::Strict);
        }
        protocol
    }

    /// Reads a file, and adds its name and digest to the list of files that the study's lock covers.
    pub(crate) fn add_digest_of_file(&mut self, path: &Path) -> Result {
        debate_solver::setup::check_regular_file(path).map_err(StudyError::io_error_at(path))?;
        let bytes = std::fs::read(path).map_err(StudyError::io_error_at(path))?;
        let named = path.strip_prefix(self.folder.root()).unwrap_or(path);
        let digest = debate_core::digest::Digest::digest_of_bytes(&bytes);
        self.files.push((named.to_owned(), digest));
        Ok(())
    }

    /// Returns the items to judge under a condition, given its index.
    pub fn items_of_condition(&self, condition: usize) -> &[ItemToJudge] {
        match self.saved_items.get(condition) {
            Some(saved) if !saved.is_empty() => saved,
            _ => &self.items,
        }
    }

    /// Returns the text `name` of the study, which a page shows to participants; empty if there is none.
    pub fn text_of_study_file(&self, name: &str) -> &str {
        named(&self.texts, name).map_or("", String::as_str)
    }

    /// Returns the questions of the quiz `name` to which the flow of pages refers.
    pub fn quiz_questions(&self, name: &str) -> &[QuizQuestion] {
        named(&self.quizzes, name).map_or(&[], Vec::as_slice)
    }

    /// Returns the questions of the survey `name` to which the flow of pages refers.
    pub fn survey_questions(&self, name: &str) -> &[SurveyQuestion] {
        named(&self.surveys, name).map_or(&[], Vec::as_slice)
    }

    /// Returns the schedule: the trials of each participant.
    pub fn schedule(&self) -> TrialSchedule<'_> {
        TrialSchedule::schedule_of_study(self)
    }

    /// True if a session ran while the researchers tried the study (stage Debug), and the study is now at a later
    /// stage. `first` is the first record of the session's log.
    fn is_trial_run(&self, first: &StudySessionLogRecord) -> bool {
        self.plan.stage != StudyStage::Debug && first.stage == StudyStage::Debug.study_stage_name()
    }
}

/// The example of the README is a documentation test.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct ReadmeExample;
