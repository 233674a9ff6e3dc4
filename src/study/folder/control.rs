//! Requests of the experimenter that a running server applies: pause recruiting, close a session, show a message.
//!
//! They are files in `data/control/`, because the dashboard can be another process than the server.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{
    LiveOrSimulated, StudyFolder, create_owner_only_folder, delete_file_if_present, entry_names_in,
    read_json, read_text, write_atomically,
};
use crate::error::{Result, StudyError};
use debate_host::record::create_file_atomically;

/// The experimenter's request to end a session, whose participant is paid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "CloseRequest")]
pub(crate) struct SessionCloseRequest {
    pub session: String,
    pub cents: u32,
}

/// The participants to whom the experimenter's message is addressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExperimenterMessageTarget {
    /// All participants who wait.
    Everybody,
    /// One session.
    Session(String),
    /// The members of one group. A group has the name of the session in its first seat.
    Group(String),
}

impl ExperimenterMessageTarget {
    /// Parses the addressees of an experimenter's message from the name of the message's file; `None` for any other
    /// file.
    fn of_file(name: &str) -> Option<Self> {
        let name = name.strip_suffix(".txt")?;
        if name == "message" {
            return Some(Self::Everybody);
        }
        Self::parse(name.strip_prefix("message-")?)
    }

    /// Parses the target of a message: empty for all participants who wait, the name of a session, or `group-` and the
    /// session in the group's first seat. `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self::Everybody);
        }
        let (session, is_group) = match text.strip_prefix("group-") {
            Some(session) => (session, true),
            None => (text, false),
        };
        let digits = session.strip_prefix('s')?;
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        Some(if is_group {
            Self::Group(session.to_owned())
        } else {
            Self::Session(session.to_owned())
        })
    }

    /// Describes the addressees of an experimenter's message as a noun phrase, such as "session s1".
    pub fn message_target_in_words(&self) -> String {
        match self {
            Self::Everybody => "all participants who wait".to_owned(),
            Self::Session(session) => format!("session {session}"),
            Self::Group(session) => format!("the group whose first seat has session {session}"),
        }
    }
}

impl StudyFolder {
    fn control(&self) -> PathBuf {
        self.data_folder(LiveOrSimulated::Live).join("control")
    }

    fn pause_file(&self) -> PathBuf {
        self.control().join("paused")
    }

    fn message_file(&self, target: &ExperimenterMessageTarget) -> PathBuf {
        self.control().join(match target {
            ExperimenterMessageTarget::Everybody => "message.txt".to_owned(),
            ExperimenterMessageTarget::Session(session) => format!("message-{session}.txt"),
            ExperimenterMessageTarget::Group(group) => format!("message-group-{group}.txt"),
        })
    }

    /// True if recruiting is paused, so that no new session may begin.
    pub fn is_recruiting_paused(&self) -> bool {
        self.pause_file().exists()
    }

    /// Pauses or continues recruiting. Sessions that have begun are not affected.
    ///
    /// # Errors
    /// If the file cannot be written or deleted.
    pub fn set_recruiting_paused(&self, paused: bool) -> Result {
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

    /// Returns the messages for a participant who waits: to all participants, to the group, and to the session alone.
    pub fn messages_for_waiting_participant(
        &self,
        session: &str,
        group: Option<&str>,
    ) -> Vec<String> {
        let group = group.map(|group| ExperimenterMessageTarget::Group(group.to_owned()));
        let own = ExperimenterMessageTarget::Session(session.to_owned());
        let targets = [Some(ExperimenterMessageTarget::Everybody), group, Some(own)];
        let texts = targets.into_iter().flatten();
        texts
            .filter_map(|target| self.message_for(&target))
            .collect()
    }

    /// Returns the experimenter's message to this session alone; `None` if there is none.
    pub(crate) fn message_to_session(&self, session: &str) -> Option<String> {
        self.message_for(&ExperimenterMessageTarget::Session(session.to_owned()))
    }

    /// Deletes the experimenter's message to a session, and the request to end it.
    pub(super) fn delete_control_files_of_session(&self, session: &str) -> Result {
        let target = ExperimenterMessageTarget::Session(session.to_owned());
        delete_file_if_present(&self.message_file(&target))?;
        delete_file_if_present(&self.close_request_file(session))
    }

    /// Deletes the experimenter's messages to sessions and groups, and the requests to end sessions.
    pub(super) fn delete_messages_and_close_requests(&self) -> Result {
        for name in entry_names_in(&self.control())? {
            if name.starts_with("message-") || name.starts_with("close-") {
                delete_file_if_present(&self.control().join(name))?;
            }
        }
        Ok(())
    }

    fn message_for(&self, target: &ExperimenterMessageTarget) -> Option<String> {
        let path = self.message_file(target);
        if !path.exists() {
            return None;
        }
        read_text(&path)
            .map(|text| text.trim().to_owned())
            .ok()
            .filter(|text| !text.is_empty())
    }

    /// Returns all messages with their targets, sorted by file name. The message to all participants is last.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn all_messages_to_waiting_participants(
        &self,
    ) -> Result<Vec<(ExperimenterMessageTarget, String)>> {
        let names = entry_names_in(&self.control())?;
        let targets = names
            .iter()
            .filter_map(|name| ExperimenterMessageTarget::of_file(name));
        let messages = targets.filter_map(|target| {
            let text = self.message_for(&target)?;
            Some((target, text))
        });
        Ok(messages.collect())
    }

    /// Sets the experimenter's message to participants who wait. An empty text removes the message.
    ///
    /// # Errors
    /// If no session has the target's name, or the file cannot be written or deleted.
    pub fn set_message_to_waiting_participants(
        &self,
        target: &ExperimenterMessageTarget,
        text: &str,
    ) -> Result {
        if let ExperimenterMessageTarget::Session(session)
        | ExperimenterMessageTarget::Group(session) = target
            // The message to a group outlives the data of the group's first member.
            && !text.trim().is_empty()
            && self.session_in_data(session).as_ref() != Some(session)
        {
            return Err(StudyError::UnknownParticipant(session.clone()));
        }
        let path = self.message_file(target);
        if text.trim().is_empty() {
            delete_file_if_present(&path)
        } else {
            write_atomically(&path, text.trim())
        }
    }

    fn close_request_file(&self, session: &str) -> PathBuf {
        self.control().join(format!("close-{session}.json"))
    }

    /// Requests the end of a running session, whose participant gets `cents`.
    ///
    /// # Errors
    /// If no session has this name, or the request cannot be written.
    pub fn request_session_end(&self, session: &str, cents: u32) -> Result {
        if self.session_in_data(session).as_deref() != Some(session) {
            return Err(StudyError::UnknownParticipant(session.to_owned()));
        }
        let request = SessionCloseRequest {
            session: session.to_owned(),
            cents,
        };
        let text = serde_json::to_string(&request).unwrap_or_default();
        write_atomically(&self.close_request_file(session), &text)
    }

    /// True if the experimenter has requested the end of a session, and the server has not applied the request yet.
    pub fn is_session_end_requested(&self, session: &str) -> bool {
        self.close_request_file(session).exists()
    }

    /// Returns the experimenter's requests to end sessions that the server has not applied yet.
    pub(crate) fn session_close_requests(&self) -> Result<Vec<SessionCloseRequest>> {
        let names = entry_names_in(&self.control())?;
        let names = names.iter().filter(|name| name.starts_with("close-"));
        names
            .map(|name| read_json(&self.control().join(name)))
            .collect()
    }

    /// Returns the sessions that the experimenter asked to close.
    ///
    /// # Errors
    /// If a request cannot be read.
    pub fn sessions_with_close_request(&self) -> Result<Vec<String>> {
        let requests = self.session_close_requests()?.into_iter();
        Ok(requests.map(|request| request.session).collect())
    }

    pub(crate) fn delete_close_request(&self, session: &str) -> Result {
        delete_file_if_present(&self.close_request_file(session))
    }
}
