//! The latest clock time of each open session, in one file per session beside the logs.
//!
//! A log gets a line only with each answer. If the program is killed while a page is shown, this file preserves the
//! elapsed time.

use std::path::PathBuf;

use super::{
    LiveOrSimulated, StudyFolder, create_owner_only_folder, delete_file_if_present, read_text,
};
use crate::error::{Result, StudyError};

impl StudyFolder {
    fn shown_folder(&self) -> PathBuf {
        self.data_folder(LiveOrSimulated::Live).join("shown")
    }

    fn shown_file(&self, session: &str) -> PathBuf {
        self.shown_folder().join(session)
    }

    /// Returns the latest stored time of a session's clock, in milliseconds (`t_mono_ms` of its log). `None` if no time
    /// is stored. A time before the last line of the log is out of date.
    pub fn stored_session_clock_ms(&self, session: &str) -> Option<u64> {
        let path = self.shown_file(session);
        if !path.exists() {
            return None;
        }
        let text = read_text(&path).ok()?;
        let time = text.trim().parse().ok();
        if time.is_none() {
            // A session can be resumed without the time, and answers are more important.
            tracing::warn!(path = %path.display(), "the file with the session's stored time contains no number");
        }
        time
    }

    /// Stores the current time of a session's clock, and replaces the previous one. A system crash can lose the latest
    /// times; a kill of the program loses none.
    ///
    /// # Errors
    /// If the time cannot be written.
    pub(crate) fn store_session_clock(&self, session: &str, time_ms: u64) -> Result {
        let path = self.shown_file(session);
        create_owner_only_folder(&self.shown_folder())?;
        debate_host::record::write_file_without_sync(&path, format!("{time_ms}\n"))
            .map_err(StudyError::io_error_at(&path))
    }

    /// Deletes the stored clock time of a session.
    ///
    /// # Errors
    /// If the file cannot be deleted.
    pub fn delete_stored_session_clock(&self, session: &str) -> Result {
        delete_file_if_present(&self.shown_file(session))
    }

    /// Deletes the stored clock times of all sessions.
    pub(super) fn delete_all_stored_session_clocks(&self) -> Result {
        for session in super::entry_names_in(&self.shown_folder())? {
            self.delete_stored_session_clock(&session)?;
        }
        Ok(())
    }
}
