//! Requests of the experimenter that a running server applies: pause recruiting, close a session, show a message.
//!
//! They are files in `data/control/`, because the dashboard can be another process than the server.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{
    DataKind, StudyFolder, create_owner_only_folder, delete_file_if_present, file_names_in,
    read_json, read_text, write_atomically,
};
use crate::error::{Result, StudyError};
use debate_host::record::create_file_atomically;

/// A request to end a session. The participant is paid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CloseRequest {
    pub session: String,
    pub cents: u32,
}

impl StudyFolder {
    fn control(&self) -> PathBuf {
        self.data_folder(DataKind::Live).join("control")
    }

    fn pause_file(&self) -> PathBuf {
        self.control().join("paused")
    }

    fn message_file(&self) -> PathBuf {
        self.control().join("message.txt")
    }

    /// True if no new session may begin.
    pub fn is_recruiting_paused(&self) -> bool {
        self.pause_file().exists()
    }

    /// Pauses or continues recruiting. Sessions that have begun continue.
    ///
    /// # Errors
    /// If the file cannot be written or deleted.
    pub fn pause_recruiting(&self, paused: bool) -> Result {
        let path = self.pause_file();
        if !paused {
            return delete_file_if_present(&path);
        }
        create_owner_only_folder(&self.control())?;
        match create_file_atomically(&path, b"") {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(StudyError::io_error_at(&path)(error))
            }
            _ => Ok(()),
        }
    }

    /// Returns the message for participants who wait for others; `None` if there is none.
    pub fn waiting_message(&self) -> Option<String> {
        let path = self.message_file();
        if !path.exists() {
            return None;
        }
        read_text(&path)
            .map(|text| text.trim().to_owned())
            .ok()
            .filter(|text| !text.is_empty())
    }

    /// Sets the message for participants who wait for others. An empty text removes it.
    ///
    /// # Errors
    /// If the file cannot be written or deleted.
    pub fn set_waiting_message(&self, text: &str) -> Result {
        let path = self.message_file();
        if text.trim().is_empty() {
            delete_file_if_present(&path)
        } else {
            write_atomically(&path, text.trim())
        }
    }

    fn close_request_file(&self, session: &str) -> PathBuf {
        self.control().join(format!("close-{session}.json"))
    }

    /// Requests the end of a running session. The participant gets `cents`.
    ///
    /// # Errors
    /// If no session has this name, or the request cannot be written.
    pub fn request_close(&self, session: &str, cents: u32) -> Result {
        if self.session_in_data(session).as_deref() != Some(session) {
            return Err(StudyError::UnknownParticipant(session.to_owned()));
        }
        let request = CloseRequest {
            session: session.to_owned(),
            cents,
        };
        let text = serde_json::to_string(&request).unwrap_or_default();
        write_atomically(&self.close_request_file(session), &text)
    }

    /// Returns the requests that are not applied yet.
    pub(crate) fn close_requests(&self) -> Result<Vec<CloseRequest>> {
        let names = file_names_in(&self.control())?;
        let names = names.iter().filter(|name| name.starts_with("close-"));
        names
            .map(|name| read_json(&self.control().join(name)))
            .collect()
    }

    /// Returns the sessions whose end is requested.
    ///
    /// # Errors
    /// If a request cannot be read.
    pub fn sessions_to_close(&self) -> Result<Vec<String>> {
        let requests = self.close_requests()?.into_iter();
        Ok(requests.map(|request| request.session).collect())
    }

    pub(crate) fn delete_close_request(&self, session: &str) -> Result {
        delete_file_if_present(&self.close_request_file(session))
    }
}
