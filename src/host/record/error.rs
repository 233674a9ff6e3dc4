//! Errors of reading and writing saves.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use thiserror::Error;

use super::syntax::{FORMAT, MAX_LINE, MAX_SAVE};
use debate_core::digest::Digest;
use debate_core::number::MAX_NUMBER;
use debate_core::protocol::{IllegalReply, ProtocolError};
use debate_solver::setup::ScenarioError;

/// The first difference between a save and its expected content.
#[derive(Clone, Debug, Error, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[error("line {line}: expected {expected}, found {found}")]
#[serde(rename = "Difference")]
pub struct SaveDifference {
    /// Line number in the save's file, from 1.
    pub line: usize,
    pub expected: String,
    pub found: String,
}

impl SaveDifference {
    pub(super) fn new(line: usize, expected: impl Into<String>, found: impl Into<String>) -> Self {
        let (expected, found) = (expected.into(), found.into());
        Self {
            line,
            expected,
            found,
        }
    }
}

/// A difference between a save's content and its expected content, before the number of the differing line is added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SaveDifferenceWithoutLine {
    pub(super) expected: String,
    pub(super) found: String,
}

impl SaveDifferenceWithoutLine {
    pub(super) fn new(expected: impl Into<String>, found: impl Into<String>) -> Self {
        let (expected, found) = (expected.into(), found.into());
        Self { expected, found }
    }

    pub(super) fn at_line(self, line: usize) -> SaveDifference {
        SaveDifference::new(line, self.expected, self.found)
    }
}

/// The reason why a file beside a save cannot be used.
#[derive(Debug, Error)]
pub enum SidecarError {
    /// The save was read without its folder, so files beside it cannot be read.
    #[error("the save was read without the files beside it")]
    Nowhere,
    #[error("it is missing")]
    Missing,
    #[error("the file is a link or not a regular file")]
    NotAFile,
    #[error("the file was changed: it has {byte_count} bytes", byte_count = .found)]
    Length {
        /// Number of bytes found.
        found: u64,
    },
    /// The file's content does not have the digest that its name states.
    #[error("the file was changed: its digest is {found}")]
    Changed { found: Digest },
    /// The disk or the system reports an error.
    #[error("the file cannot be read: {cause}", cause = .0)]
    Io(#[from] io::Error),
}

pub(super) type Result<T, E = SaveFileError> = std::result::Result<T, E>;

/// The reason why a save cannot be read, written or continued. No message contains the path of the save; the caller
/// adds it.
#[derive(Debug, Error)]
pub enum SaveFileError {
    /// The disk or the system reports an error.
    #[error("cannot be {doing}: {cause}")]
    Io {
        doing: &'static str,
        #[source]
        cause: io::Error,
    },
    /// The folder of saves cannot be used.
    #[error("the folder {saves} cannot be {doing}: {cause}; name another folder with --saves", saves = folder.display())]
    Folder {
        folder: PathBuf,
        doing: &'static str,
        #[source]
        cause: io::Error,
    },
    /// The platform has no data directory, in which saves could be stored.
    #[error(
        "this system has no default folder for saves; name a folder with --saves or DEBATE_TUI_SAVES"
    )]
    NoFolder,
    #[error("the save is larger than {most} MiB, the limit for saves", most = MAX_SAVE >> 20)]
    TooLarge,
    /// The new line, or a number in it, exceeds the limits for lines of saves.
    #[error("this reply is longer than {most} KiB, or a number in it is longer than {MAX_NUMBER} characters; saves have these limits", most = MAX_LINE >> 10)]
    TooLong,
    #[error("{}", super::chain::CONVERTED)]
    Converted,
    #[error("line {line}: this is not a save of a debate: {what}")]
    NotASave {
        /// Line number, from 1.
        line: usize,
        what: String,
    },
    #[error("line {line}: the save ends within its header, so it contains no debate")]
    CutHeader {
        /// Line number of the save's last line, from 1.
        line: usize,
    },
    #[error(
        "line 2: the save has format {format}, and this version reads up to {FORMAT}; use a newer debate-tui"
    )]
    Newer { format: u64 },
    #[error(transparent)]
    Damaged(#[from] SaveDifference),
    #[error(transparent)]
    Setup(#[from] ScenarioError),
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// A move in the save is not possible under the rules.
    #[error("a move in the save breaks the rules: {reason}", reason = .0)]
    Illegal(#[from] IllegalReply),
    /// An input file of the scenario has changed.
    #[error("the input file {name:?} was changed: its digest was {expected} and is {found}")]
    InputChanged {
        name: String,
        /// The digest of the input file when the debate began.
        expected: String,
        found: String,
    },
    /// An input file of the scenario is missing.
    #[error("the input file {name:?} with digest {digest} is neither in the save nor beside it")]
    InputMissing { name: String, digest: String },
    /// A file beside the save cannot be used, for example because its content does not match its name.
    #[error("the file {name} beside the save cannot be used: {reason}", reason = .unread)]
    Sidecar {
        name: String,
        #[source]
        unread: SidecarError,
    },
    /// Another program has the save open for writing.
    #[error("another program is playing this debate; end it there first")]
    Locked,
    #[error("this is not a regular file; name the file of a save")]
    NoPlainFile,
    #[error("the path is a link or not a regular file; saves are written only to regular files")]
    NotAFile,
    /// Another program has written to the save.
    #[error(
        "another program has changed the file; open the debate again to continue from the changed file"
    )]
    ChangedOnDisk,
    #[error("this debate is finished; step through it with `debate-tui replay`")]
    Finished,
    /// All file names of saves that begin in this second are taken.
    #[error("too many saves were made in this second; try again")]
    NoName,
    /// A move of chance lacks the integer that was drawn for its coin.
    #[error("a coin can only be saved with the integer that was drawn for it")]
    NoCoin,
    /// The undo would also undo a coin, which is not allowed.
    #[error("a coin was thrown after the reply, so the reply cannot be undone")]
    CoinStands,
    /// The debate is not over.
    #[error("the debate is not over, so its save cannot be finished")]
    NotOver,
}

impl SaveFileError {
    pub(super) fn io_error(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::Io { doing, cause }
    }

    pub(super) fn saves_folder_error(
        folder: &Path,
        doing: &'static str,
    ) -> impl Fn(io::Error) -> Self {
        move |cause| Self::Folder {
            folder: folder.to_owned(),
            doing,
            cause,
        }
    }
}
