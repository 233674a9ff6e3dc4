//! Failures that end the program, and their exit codes.

use std::fmt::Display;
use std::io;
use std::path::Path;

use thiserror::Error;

use debate_core::budget::ComputationStopReason;
use debate_core::number::NumberError;
use debate_core::player::{KnowledgeError, PlayerSpecError};
use debate_core::protocol::{IllegalReply, ProtocolError};
use debate_host::plan::DebatePlanError;
use debate_host::record::SaveFileError;
use debate_host::serve::ServerStopError;
use debate_lab::export::ExportError;
use debate_lab::import::ImportError;
use debate_lab::judgements::RejudgeError;
use debate_lab::matches::{DebateMatchError, MatchPlanError};
use debate_solver::analysis::review::ReviewError;
use debate_solver::setup::ScenarioError;
use debate_solver::simulate::SimulationError;
use debate_solver::training::TrainingError;
use debate_theory::search::{SearchSpaceTooLargeError, SearchThreadsNotStarted};

/// The result of a command or a page.
pub type Result<T = (), E = CommandFailure> = std::result::Result<T, E>;

/// The reason why a command failed, or why a page cannot be shown.
#[derive(Debug, Error)]
pub enum CommandFailure {
    /// Wrong usage or bad input: a scenario, a save or a player that cannot be used.
    #[error("{0}")]
    Input(String),
    /// A failure of the machine, for example of a file or the network.
    #[error("{0}")]
    System(String),
    /// A signal with this number ended the command: Ctrl-C, or the terminal was closed. The results up to then have
    /// been printed.
    #[error("interrupted")]
    Interrupted(u8),
    /// The command ran and the answer to its question is no: a check failed, for example. The details have been
    /// printed.
    #[error("the answer is no")]
    No,
    /// Wrong usage or bad input. The message has already been printed.
    #[error("bad input; the document on stdout, or the lines above this one, give each reason")]
    Reported,
    /// The program that reads this command's output closed it, and needs no more of it.
    #[error("the program that reads stdout has closed it")]
    BrokenPipe,
}

impl CommandFailure {
    pub fn from_input_error(error: impl Display) -> Self {
        Self::Input(error.to_string())
    }

    pub fn from_system_error(error: impl Display) -> Self {
        Self::System(error.to_string())
    }

    /// Returns an input failure for the file `path`.
    pub fn from_file_error(path: &Path, error: impl Display) -> Self {
        Self::Input(format!("{}: {error}", path.display()))
    }

    /// Returns a system failure if `is_system_error`, else an input failure.
    fn of(error: impl Display, is_system_error: bool) -> Self {
        if is_system_error {
            Self::from_system_error(error)
        } else {
            Self::from_input_error(error)
        }
    }

    /// Returns `Ok` if `condition` is true, else this failure.
    ///
    /// # Errors
    /// Returns `self` if `condition` is false.
    pub fn fail_unless(self, condition: bool) -> Result {
        if condition { Ok(()) } else { Err(self) }
    }

    /// Returns the error message that is still to be printed. `None` if it has been printed, the command was
    /// interrupted, or the reader of the output has gone.
    pub fn unprinted_error_message(&self) -> Option<&str> {
        match self {
            Self::Input(why) | Self::System(why) => Some(why),
            Self::Interrupted(_) | Self::No | Self::Reported | Self::BrokenPipe => None,
        }
    }

    fn code(&self) -> u8 {
        match self {
            Self::BrokenPipe => 0,
            Self::No => 1,
            Self::Input(_) | Self::Reported => 2,
            Self::System(_) => 3,
            Self::Interrupted(signal) => {
                u8::try_from(exit_code_of_signal((*signal).into())).unwrap_or(u8::MAX)
            }
        }
    }
}

/// The program's exit code after a panic, the same as Rust's default.
pub const PANIC: i32 = 101;

/// Returns the exit code for a program that this signal ended, as shells report it.
pub fn exit_code_of_signal(signal: i32) -> i32 {
    128 + signal
}

/// Returns the exit code of the program. `--help` lists the codes.
pub fn exit_code(outcome: &Result) -> u8 {
    outcome.as_ref().map_or_else(CommandFailure::code, |()| 0)
}

/// An error that ends the command with [`CommandFailure::Input`], such as a mistake in the user's input.
pub trait InputError: Display {}

impl InputError for ComputationStopReason {}
impl InputError for IllegalReply {}
impl InputError for KnowledgeError {}
impl InputError for MatchPlanError {}
impl InputError for NumberError {}
impl InputError for SaveFileError {}
impl InputError for ProtocolError {}
impl InputError for ReviewError {}
impl InputError for ScenarioError {}
impl InputError for SimulationError {}
impl InputError for PlayerSpecError {}
impl InputError for String {}
impl InputError for SearchThreadsNotStarted {}
impl InputError for SearchSpaceTooLargeError {}
impl InputError for TrainingError {}

impl<E: InputError> From<E> for CommandFailure {
    fn from(error: E) -> Self {
        Self::from_input_error(error)
    }
}

impl From<DebatePlanError> for CommandFailure {
    fn from(error: DebatePlanError) -> Self {
        let is_system_error = error.is_system_error();
        Self::of(error, is_system_error)
    }
}

impl From<ImportError> for CommandFailure {
    fn from(error: ImportError) -> Self {
        let is_system_error = error.is_system_error;
        Self::of(error, is_system_error)
    }
}

impl From<RejudgeError> for CommandFailure {
    fn from(error: RejudgeError) -> Self {
        let is_system_error = error.is_system_error();
        Self::of(error, is_system_error)
    }
}

impl From<DebateMatchError> for CommandFailure {
    fn from(error: DebateMatchError) -> Self {
        let is_system_error = error.is_system_error();
        Self::of(error, is_system_error)
    }
}

impl From<ServerStopError> for CommandFailure {
    fn from(error: ServerStopError) -> Self {
        match error {
            ServerStopError::Input(error) => error.into(),
            ServerStopError::Plan(error) => error.into(),
        }
    }
}

impl From<ExportError> for CommandFailure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Write(error) => error.into(),
            error => Self::from_input_error(error),
        }
    }
}

impl From<io::Error> for CommandFailure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::BrokenPipe,
            _ => Self::from_system_error(error),
        }
    }
}
