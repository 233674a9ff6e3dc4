//! The times for which the pages of open sessions are shown, in a file for each session beside the logs.
//!
//! A log has a line for each answer. If the program is killed while a page is shown, this file tells for how long it was.

use std::path::PathBuf;

use super::{DataKind, StudyFolder, make_folder, read_text, remove};
use crate::error::{Result, StudyError};

impl StudyFolder {
    fn shown_folder(&self) -> PathBuf {
        self.data(DataKind::Live).join("shown")
    }

    fn shown_file(&self, session: &str) -> PathBuf {
        self.shown_folder().join(session)
    }

    /// The latest known time on the clock of a session, in milliseconds (`t_mono_ms` of its log). It is `None` if no
    /// time is kept. A time before the last line of the log is out of date.
    pub fn shown_time(&self, session: &str) -> Option<u64> {
        let path = self.shown_file(session);
        if !path.exists() {
            return None;
        }
        let text = read_text(&path).ok()?;
        let time = text.trim().parse().ok();
        if time.is_none() {
            // A session can be resumed without the time, and answers are more important.
            tracing::warn!(path = %path.display(), "the file contains no time");
        }
        time
    }

    /// Keeps a time for a session and replaces the time before. A crash of the system can lose the last ones, a kill of
    /// the program loses none.
    ///
    /// # Errors
    /// If the time cannot be written.
    pub(crate) fn keep_shown_time(&self, session: &str, time_ms: u64) -> Result {
        let path = self.shown_file(session);
        make_folder(&self.shown_folder())?;
        debate_host::record::write_whole_unsynced(&path, format!("{time_ms}\n"))
            .map_err(StudyError::io(&path))
    }

    /// Deletes the time of a session.
    ///
    /// # Errors
    /// If the file cannot be deleted.
    pub fn forget_shown_time(&self, session: &str) -> Result {
        remove(&self.shown_file(session))
    }

    /// Deletes the times of all sessions.
    pub(super) fn forget_shown_times(&self) -> Result {
        for session in super::names(&self.shown_folder())? {
            self.forget_shown_time(&session)?;
        }
        Ok(())
    }
}
