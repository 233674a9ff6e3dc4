//! Errors of studies.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use debate_core::text::duration_in_words;

/// The result of an operation on a study, a session or an export.
pub(crate) type Result<T = (), E = StudyError> = std::result::Result<T, E>;

/// An error of a study, a session or an export. A message gives the problem and, if they are known, its location and a
/// remedy.
#[derive(Debug, Error)]
pub enum StudyError {
    /// A file of the study cannot be read or written.
    #[error("{}: {cause}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    /// A file of the study has invalid contents.
    #[error("{}: {what}", path.display())]
    File { path: PathBuf, what: String },
    /// The study as a whole cannot be run; the message gives the reason.
    #[error("{0}")]
    Plan(String),
    /// A scenario cannot be read.
    #[error(transparent)]
    Setup(#[from] debate_solver::setup::ScenarioError),
    /// A finished debate cannot be read.
    #[error(transparent)]
    Queue(#[from] debate_lab::judgements::RejudgeError),
    /// The debate of a trial cannot continue.
    #[error("the debate of a trial cannot continue: {reason}", reason = .0)]
    Debate(String),
    /// The rules of a trial's debate do not allow the participant's answer.
    #[error("the rules do not allow this answer: {reason}", reason = .0)]
    Refused(String),
    /// A page does not accept the participant's answer.
    #[error("{0}")]
    AnswerRejected(String),
    /// The log of a participant's session was changed after it was written.
    #[error("{file}: {damage}; the log was changed after it was written", file = path.display(), damage = .what)]
    Damaged { path: PathBuf, what: String },
    /// The files of the study differ from the locked ones. The first consent makes the lock, unless `study lock` or
    /// `study preregister` made it before.
    #[error(
        "the study was changed after its lock: {0}; restore it, or copy the folder without `lock.json` and `data` \
         and start a new study"
    )]
    Changed(String),
    /// No slot is free.
    #[error("all {places} places of the study are taken", places = .0)]
    Full(u32),
    /// The experimenter has paused recruiting.
    #[error("this study accepts no new participants at the moment; try again later")]
    Paused,
    /// The participant's session is already open in another window.
    #[error("this session is open in another window; close that window first")]
    Open,
    /// The participant's session was interrupted too long ago to be resumed.
    #[error(
        "this session can no longer be resumed: the time limit was {time_limit}",
        time_limit = duration_in_words(u64::from(*.0) * 3600)
    )]
    Expired(u32),
    /// The study cannot be run in the terminal, because participants debate with each other in it. `study serve`
    /// runs it.
    #[error(
        "participants debate with each other in this study; run it in browsers with `study serve`"
    )]
    Together,
    /// The study cannot be run in the terminal, because programs debate with participants in it. A session in the
    /// terminal does not start programs.
    #[error(
        "programs debate with participants, so this study cannot run in the terminal; use `study serve --allow-commands`"
    )]
    Programs,
    /// The study cannot be served, because another process already runs its waiting room and its groups.
    #[error("another process serves this study; stop that process first")]
    Served,
    /// No participant has this name.
    #[error("no participant is named `{name}`; `status` lists the participants", name = .0)]
    UnknownParticipant(String),
    /// The study has no data for this command.
    #[error("{0}")]
    Nothing(String),
}

impl StudyError {
    /// Returns a converter from an I/O error to an error for the file `path`.
    pub(crate) fn io_error_at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |cause| Self::Io { path, cause }
    }

    /// Returns the error of a file with invalid contents.
    pub(crate) fn invalid_file(path: &Path, problem: impl Into<String>) -> Self {
        Self::File {
            path: path.to_owned(),
            what: problem.into(),
        }
    }

    /// Returns the message for a participant, without files, conditions or items.
    pub fn message_for_participant(&self) -> String {
        match self {
            Self::Full(_)
            | Self::Paused
            | Self::Open
            | Self::Expired(_)
            | Self::Together
            | Self::Programs => self.to_string(),
            Self::Io { cause, .. } => format!("the system reports: {}", cause.kind()),
            _ => "the study cannot continue; please tell the person who invited you".to_owned(),
        }
    }

    /// Returns the message for an error in a session's log, without the path, which the caller adds.
    pub(crate) fn message_without_path(&self) -> String {
        match self {
            Self::Damaged { what, .. } | Self::File { what, .. } => what.clone(),
            Self::Io { cause, .. } => format!("the log file cannot be read: {cause}"),
            other => other.to_string(),
        }
    }

    /// True if a later attempt may succeed, for example after a full disk.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Io { .. })
    }
}
