//! Times for which the pages of open sessions were shown, kept beside the logs.
//!
//! A log has a line for each answer. A server that is killed while a page is shown leaves in this file for how long that was.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{DataKind, StudyFolder, read_json, write_whole};
use crate::error::Result;

impl StudyFolder {
    fn shown_file(&self) -> PathBuf {
        self.data(DataKind::Live).join("shown.json")
    }

    /// The latest known times of the sessions' clocks, in milliseconds, by session. They are times on the clock of the
    /// log (`t_mono_ms`): a time before the log's last line is over.
    pub fn shown_times(&self) -> BTreeMap<String, u64> {
        let path = self.shown_file();
        if !path.exists() {
            return BTreeMap::new();
        }
        // Answers are worth more than times: a session is resumed without them.
        read_json(&path).unwrap_or_else(|error| {
            tracing::warn!(%error, "times for which pages were shown are not read");
            BTreeMap::new()
        })
    }

    /// Keeps these times, in place of those before.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn keep_shown_times(&self, times: &BTreeMap<String, u64>) -> Result {
        let text = serde_json::to_string(times).unwrap_or_default() + "\n";
        write_whole(&self.shown_file(), &text)
    }

    /// Deletes the time of a session, or of all.
    pub(super) fn forget_shown_times(&self, session: Option<&str>) -> Result {
        let mut times = self.shown_times();
        let Some(session) = session else {
            return super::remove(&self.shown_file());
        };
        if times.remove(session).is_none() {
            return Ok(());
        }
        self.keep_shown_times(&times)
    }
}
