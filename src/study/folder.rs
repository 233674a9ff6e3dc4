//! The folder of a study: file layout, slot claims, and the identifying data, which is stored separately.
//!
//! ```text
//! study.ron, texts, items/    the researcher's files
//! media/                      images, audio and video of the texts
//! items/prepared/             saves of debates between programs, played by `prepare`
//! lock.json                   digests of the study when it was locked, at the latest by the first consent
//! data/sessions/              reserved session names: one file per session
//! data/slots/                 claims of slots by sessions or groups: one file per claim
//! data/raw/                   logs: one per session
//! data/ledger.log             the recorded length of each log
//! data/debates/               saves of the trials' debates
//! data/control/               requests of the experimenter to the running server
//! data/shown/                 latest clock time of each open session
//! data/waiting/               time of the last request of each session on the waiting list
//! private/                    identities of participants, for bonuses: readable only by the owner
//! simulated/                  sessions of simulated judges, in the same layout
//! export/                     tables for other programs
//! ```

pub(crate) mod audit;
pub(crate) mod control;
pub(crate) mod load;
pub(crate) mod lock;
pub(crate) mod log;
pub(crate) mod places;
mod prose;
mod shown;
pub(crate) mod translations;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::Study;
use crate::error::{Result, StudyError};
use crate::folder::log::{StudySessionStatus, read_session_status_and_records};
use crate::plan::read_text;
use debate_core::digest::Digest;
use debate_host::record::{
    TimeSource, create_file_atomically, create_private_folder, is_temporary_file, paths_in,
};

/// The source of the data: live participants or simulated judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiveOrSimulated {
    Live,
    Simulated,
}

/// The folder of a study.
#[derive(Clone, Debug)]
pub struct StudyFolder {
    root: PathBuf,
    /// The clock for all times that are written to the folder.
    pub time: TimeSource,
    claimed: Arc<Mutex<KnownClaims>>,
    /// Lock that is held while this process briefly opens the log of an absent participant, for example to end the
    /// session. A participant who returns meanwhile waits for the lock.
    log_maintenance: Arc<Mutex<()>>,
    /// Cache of the summaries of session logs (status, answers, place) that this process has read.
    summaries: Arc<Mutex<places::KnownSummaries>>,
}

/// Cache of the slot claims in this process. A slot claim assigns a row of the schedule to a session.
#[derive(Debug, Default)]
struct KnownClaims {
    /// For each claim file's name, the session that claimed the schedule row. Safe to cache: claim files are created
    /// atomically and never change.
    sessions: BTreeMap<String, String>,
    /// The slots (rows of the schedule) whose claim file is being created.
    pending: BTreeSet<u32>,
}

/// Returns the participant's pseudonym in all data: `p0012` in the session `s0012`.
pub(crate) fn pseudonym_of(session: &str) -> String {
    format!("p{}", session.trim_start_matches('s'))
}

/// The record that remains of a session whose participant asked for deletion (a tombstone).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeletionTombstone {
    pub session: String,
    pub forgotten: String,
}

/// The deleted session, and if pay remains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParticipantDeletionResult {
    /// The deleted session; `None` if the participant was invited but never began a session.
    pub session: Option<String>,
    /// True if the payment amount remains stored, without name, trial and score.
    pub keeps_payment: bool,
}

/// The identity of a participant outside the study. Stored only in `private/`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Identity")]
pub(crate) struct ParticipantExternalIdentity {
    /// The participant's name outside the study, as the researcher or the recruiting service uses it.
    pub id: String,
    pub session: String,
    /// True if the participant came by the signed link, with which a visitor can enter any name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_link: bool,
    /// The recruiting service's data about the participant, if such a service sent the participant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recruitment: Option<RecruitmentReference>,
}

/// The recruiting service's own names for its study and for one visit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Recruitment")]
pub struct RecruitmentReference {
    pub study: String,
    pub session: String,
}

/// Prefix of the ids of participants who used the signed link. No invited name has it.
const BY_LINK: &str = "link:";

/// Returns the id of a participant who came by the signed link and entered `name`. It differs from the id of an invited
/// `name`.
pub fn id_of_signed_link_participant(name: &str) -> String {
    format!("{BY_LINK}{name}")
}

impl StudyFolder {
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            time: TimeSource::System,
            claimed: Arc::default(),
            log_maintenance: Arc::default(),
            summaries: Arc::default(),
        }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn study_file(&self) -> PathBuf {
        self.root.join("study.ron")
    }

    pub fn study_lock_file(&self) -> PathBuf {
        self.root.join("lock.json")
    }

    fn private(&self) -> PathBuf {
        self.root.join("private")
    }

    /// Returns the path of the table of payments, in `private/`.
    pub fn payments_file(&self) -> PathBuf {
        self.private().join("payments.csv")
    }

    /// Returns the folder with the data of live or of simulated sessions.
    pub fn data_folder(&self, kind: LiveOrSimulated) -> PathBuf {
        self.root.join(match kind {
            LiveOrSimulated::Live => "data",
            LiveOrSimulated::Simulated => "simulated",
        })
    }

    pub(crate) fn raw_log_folder(&self, kind: LiveOrSimulated) -> PathBuf {
        self.data_folder(kind).join("raw")
    }

    /// Returns the folder of the debates that were played in participants' sessions.
    pub(crate) fn debates_folder(&self) -> PathBuf {
        self.data_folder(LiveOrSimulated::Live).join("debates")
    }

    /// Returns the folder of the debates that are played before participants judge them.
    pub fn prepared_debates_folder(&self) -> PathBuf {
        self.root.join("items").join("prepared")
    }

    /// Returns the path of a session's log.
    pub fn log_file(&self, kind: LiveOrSimulated, session: &str) -> PathBuf {
        self.raw_log_folder(kind).join(format!("{session}.jsonl"))
    }

    /// Returns the paths of the logs of live or of simulated sessions, sorted by name.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn session_log_files(&self, kind: LiveOrSimulated) -> Result<Vec<PathBuf>> {
        files(&self.raw_log_folder(kind), "jsonl")
    }

    /// Reserves the unused session name with the next number, and returns the name.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn reserve_study_session_name(&self) -> Result<String> {
        let folder = self.reserved();
        create_owner_only_folder(&folder)?;
        let mut number = entry_names_in(&folder)?.len();
        loop {
            let session = format!("s{number:04}");
            let path = folder.join(&session);
            match create_file_atomically(&path, b"") {
                Ok(()) => return Ok(session),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(cause) => return Err(StudyError::io_error_at(&path)(cause)),
            }
        }
    }

    fn identity_file(&self, id: &str) -> PathBuf {
        // A digest: any name is allowed, and a listing of the folder shows no names.
        self.private()
            .join(format!("{}.json", Digest::digest_of_bytes(id.as_bytes())))
    }

    /// Returns the session that a participant began earlier; `None` if there is none.
    ///
    /// # Errors
    /// If the stored identity cannot be read.
    pub fn session_of_participant(&self, id: &str) -> Result<Option<String>> {
        let path = self.identity_file(id);
        if !path.exists() {
            return Ok(None);
        }
        let identity: ParticipantExternalIdentity = read_json(&path)?;
        Ok(Some(identity.session))
    }

    /// Stores the identity of a session's participant in a file that only the owner can read.
    ///
    /// # Errors
    /// If the file cannot be written, or the participant already has a session.
    pub(crate) fn save_identity(&self, id: &str, session: &str) -> Result {
        create_owner_only_folder(&self.private())?;
        let path = self.identity_file(id);
        let linked = id.strip_prefix(BY_LINK);
        let identity = ParticipantExternalIdentity {
            id: linked.unwrap_or(id).to_owned(),
            session: session.to_owned(),
            by_link: linked.is_some(),
            recruitment: None,
        };
        let text = serde_json::to_vec(&identity).unwrap_or_default();
        create_file_atomically(&path, &text).map_err(StudyError::io_error_at(&path))
    }

    /// Stores the recruiting service's data about a participant, unless they are stored already. Does nothing if the
    /// participant has no session.
    ///
    /// # Errors
    /// If the identity cannot be read or written.
    pub fn save_recruitment(&self, id: &str, recruitment: RecruitmentReference) -> Result {
        let path = self.identity_file(id);
        if !path.exists() {
            return Ok(());
        }
        let mut identity: ParticipantExternalIdentity = read_json(&path)?;
        if identity.recruitment.is_none() {
            identity.recruitment = Some(recruitment);
            write_atomically(&path, &serde_json::to_string(&identity).unwrap_or_default())?;
        }
        Ok(())
    }

    /// Returns the path of the list of invited names, one per line, in `private/`.
    pub fn invited_file(&self) -> PathBuf {
        self.private().join("invited.txt")
    }

    /// Returns the path of the key that signs links, in `private/`.
    pub fn link_key_file(&self) -> PathBuf {
        self.private().join("link.key")
    }

    /// Returns the invited names; empty if there is no list.
    ///
    /// # Errors
    /// If the list exists and cannot be read.
    pub fn invited_names(&self) -> Result<Vec<String>> {
        let path = self.invited_file();
        if !path.exists() {
            return Ok(Vec::new());
        }
        let text = read_text(&path)?;
        let names = text.lines().map(str::trim).filter(|name| !name.is_empty());
        Ok(names.map(str::to_owned).collect())
    }

    /// Adds names to the invitation list. Names already on it remain.
    ///
    /// # Errors
    /// If the list cannot be read or written.
    pub fn invite(&self, names: impl IntoIterator<Item = String>) -> Result {
        let mut invited = self.invited_names()?;
        for name in names {
            if !invited.contains(&name) {
                invited.push(name);
            }
        }
        self.write_invited(&invited)
    }
    /// Deletes the invitation list.
    pub(crate) fn delete_invitations(&self) -> Result {
        delete_file_if_present(&self.invited_file())
    }

    /// Removes a name from the invitation list.
    fn disinvite(&self, name: &str) -> Result {
        let mut invited = self.invited_names()?;
        match invited.iter().position(|one| one == name) {
            Some(index) => invited.remove(index),
            None => return Ok(()),
        };
        self.write_invited(&invited)
    }

    fn write_invited(&self, names: &[String]) -> Result {
        write_atomically(&self.invited_file(), &(names.join("\n") + "\n"))
    }

    /// Returns the stored identities of all participants, each with the path of its file.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub(crate) fn identities(&self) -> Result<Vec<(PathBuf, ParticipantExternalIdentity)>> {
        let paths = files(&self.private(), "json")?.into_iter();
        let read = paths.map(|path| read_json(&path).map(|identity| (path, identity)));
        read.collect()
    }

    /// Deletes the identity files of a session.
    ///
    /// # Errors
    /// If a file cannot be deleted.
    pub(crate) fn delete_identity(&self, session: &str) -> Result {
        let identities = self.identities()?.into_iter();
        let mut own = identities.filter(|(_, identity)| identity.session == session);
        own.try_for_each(|(path, _)| delete_file_if_present(&path))
    }

    /// Returns the session to which a session name or a participant's pseudonym belongs, if it exists.
    fn session_in_data(&self, name: &str) -> Option<String> {
        let number = name.strip_prefix(['s', 'p'])?;
        if !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let session = format!("s{number}");
        self.has_session(&session).then_some(session)
    }

    /// Returns the session of a participant. `name` is the session's name, the participant's pseudonym in the data, or
    /// their original name.
    pub(crate) fn session_of_name(&self, name: &str) -> Result<Option<String>> {
        if let Some(session) = self.session_in_data(name) {
            return Ok(Some(session));
        }
        if let Some(session) = self.session_of_participant(name)? {
            return Ok(Some(session));
        }
        self.session_of_participant(&id_of_signed_link_participant(name))
    }

    /// Returns the paths of the saves of debates in which the session took part.
    pub(crate) fn debates_of_session(&self, session: &str) -> Result<Vec<PathBuf>> {
        let own = format!("-{session}-");
        let mut names = entry_names_in(&self.debates_folder())?;
        names.retain(|name| name.contains(&own));
        Ok(names
            .iter()
            .map(|name| self.debates_folder().join(name))
            .collect())
    }

    /// True if the session name was assigned and the session was not deleted, even if its log was lost.
    fn has_session(&self, session: &str) -> bool {
        let is_there = self.log_file(LiveOrSimulated::Live, session).exists()
            || self.reserved().join(session).exists();
        is_there && !self.tombstone_file(session).exists()
    }

    /// Returns the folder of the reserved session names.
    fn reserved(&self) -> PathBuf {
        self.data_folder(LiveOrSimulated::Live).join("sessions")
    }

    /// Deletes a participant's log, debates and name. `name` is the session's name, the pseudonym in the data or the
    /// original name. A tombstone and the amount paid remain. The logs of other sessions are unchanged. A participant
    /// without a session only loses the invitation.
    ///
    /// # Errors
    /// If no participant has that name, or something cannot be read or deleted.
    pub fn delete_participant(&self, name: &str, now: &str) -> Result<ParticipantDeletionResult> {
        let nobody = || StudyError::UnknownParticipant(name.to_owned());
        let Some(session) = self.session_of_name(name)? else {
            if !self.invited_names()?.iter().any(|invited| invited == name) {
                return Err(nobody());
            }
            self.disinvite(name)?;
            return Ok(ParticipantDeletionResult {
                session: None,
                keeps_payment: false,
            });
        };
        let own: Vec<ParticipantExternalIdentity> = self
            .identities()?
            .into_iter()
            .map(|(_, identity)| identity)
            .filter(|identity| identity.session == session)
            .collect();
        let tombstone = self.tombstone_file(&session);
        // An interrupted deletion leaves the tombstone and the name, and resumes here.
        if own.is_empty() && !self.has_session(&session) {
            return Err(nobody());
        }
        let payments = self.payments_without(&session)?;
        let keeps_payment = payments.is_some();
        let forgotten = DeletionTombstone {
            session: session.clone(),
            forgotten: now.to_owned(),
        };
        let text = serde_json::to_vec(&forgotten).unwrap_or_default();
        match create_file_atomically(&tombstone, &text) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(StudyError::io_error_at(&tombstone)(error));
            }
            _ => {}
        }
        for path in self.debates_of_session(&session)? {
            delete_file_if_present(&path)?;
        }
        for path in self.interrupted_writes()? {
            let text = match fs::read(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                text => text.map_err(StudyError::io_error_at(&path))?,
            };
            let text = String::from_utf8_lossy(&text);
            // Temporary files without these names can belong to writes of other sessions that are in progress.
            if text.contains(&session) || own.iter().any(|it| text.contains(&it.id)) {
                delete_file_if_present(&path)?;
            }
        }
        delete_file_if_present(&self.log_file(LiveOrSimulated::Live, &session))?;
        self.delete_stored_session_clock(&session)?;
        self.delete_last_request_time(&session)?;
        self.delete_control_files_of_session(&session)?;
        if let Some(payments) = payments {
            write_atomically(&self.payments_file(), &payments)?;
        }
        self.release_schedule_row(&session)?;
        for identity in own.iter().filter(|identity| !identity.by_link) {
            self.disinvite(&identity.id)?;
        }
        // The name is deleted last: until then the same call can be made again.
        self.delete_identity(&session)?;
        Ok(ParticipantDeletionResult {
            session: Some(session),
            keeps_payment,
        })
    }

    /// Returns the table of payments with one session's row reduced to its amount, without name, trial and score.
    /// `None` if the table has no row for the session.
    fn payments_without(&self, session: &str) -> Result<Option<String>> {
        let path = self.payments_file();
        if !path.exists() {
            return Ok(None);
        }
        let wrong = |error: csv::Error| StudyError::invalid_file(&path, error.to_string());
        let text = read_text(&path)?;
        let mut reader = csv::ReaderBuilder::new()
            .flexible(true)
            .from_reader(text.as_bytes());
        let head = reader.headers().map_err(wrong)?.clone();
        let Some(index) = head.iter().position(|column| column == "session") else {
            let what = "the column `session` is missing, so the participant's row is unknown; delete the file, then \
                        forget the participant again";
            return Err(StudyError::invalid_file(&path, what));
        };
        let is_personal: Vec<bool> = head
            .iter()
            .map(|column| ["id", "trial", "score"].contains(&column))
            .collect();
        let mut writer = csv::WriterBuilder::new()
            .flexible(true)
            .from_writer(Vec::new());
        writer.write_record(&head).map_err(wrong)?;
        let mut is_found = false;
        for row in reader.records() {
            let row = row.map_err(wrong)?;
            let is_own = row.get(index) == Some(session);
            is_found |= is_own;
            let cells = row.iter().enumerate().map(|(column, cell)| {
                let is_left_out = is_own && is_personal.get(column).copied().unwrap_or(true);
                if is_left_out { "" } else { cell }
            });
            writer.write_record(cells).map_err(wrong)?;
        }
        let bytes = writer.into_inner().unwrap_or_default();
        let table = String::from_utf8_lossy(&bytes).into_owned();
        Ok(is_found.then_some(table))
    }

    /// Returns the table of payments reduced to its header and one session's rows. `None` if the table has no row for
    /// the session.
    pub(crate) fn payment_table_of_session(&self, session: &str) -> Result<Option<String>> {
        let path = self.payments_file();
        if !path.exists() {
            return Ok(None);
        }
        let wrong = |error: csv::Error| StudyError::invalid_file(&path, error.to_string());
        let text = read_text(&path)?;
        let mut reader = csv::ReaderBuilder::new()
            .flexible(true)
            .from_reader(text.as_bytes());
        let head = reader.headers().map_err(wrong)?.clone();
        let index = head.iter().position(|column| column == "session");
        let mut writer = csv::WriterBuilder::new()
            .flexible(true)
            .from_writer(Vec::new());
        writer.write_record(&head).map_err(wrong)?;
        let mut is_found = false;
        for row in reader.records() {
            let row = row.map_err(wrong)?;
            if index.and_then(|index| row.get(index)) == Some(session) {
                is_found = true;
                writer.write_record(&row).map_err(wrong)?;
            }
        }
        let bytes = writer.into_inner().unwrap_or_default();
        let table = String::from_utf8_lossy(&bytes).into_owned();
        Ok(is_found.then_some(table))
    }

    /// Deletes the logs, debates, identities and payments of all participants, the invitations, and the ledger of the
    /// logs. The claims of slots remain, so these rows of the schedule are not assigned again. Returns the number of
    /// logs.
    ///
    /// # Errors
    /// If something cannot be deleted.
    pub(crate) fn delete_participant_data_and_count_logs(&self) -> Result<usize> {
        let logs = self.session_log_files(LiveOrSimulated::Live)?;
        let debates = entry_names_in(&self.debates_folder())?.into_iter();
        let debates = debates.map(|name| self.debates_folder().join(name));
        let identities = self.identities()?.into_iter().map(|(path, _)| path);
        for path in debates.chain(identities).chain(logs.iter().cloned()) {
            delete_file_if_present(&path)?;
        }
        for path in self.interrupted_writes()? {
            delete_file_if_present(&path)?;
        }
        self.delete_all_stored_session_clocks()?;
        self.delete_all_last_request_times()?;
        self.delete_messages_and_close_requests()?;
        self.delete_invitations()?;
        delete_file_if_present(&self.payments_file())?;
        delete_file_if_present(self.live_data_ledger().hash_ledger_path())?;
        Ok(logs.len())
    }

    /// Returns the temporary files with data of participants: those that a killed program left, and those of writes
    /// that are in progress.
    fn interrupted_writes(&self) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for folder in [
            self.debates_folder(),
            self.raw_log_folder(LiveOrSimulated::Live),
            self.private(),
        ] {
            found.extend(
                entries(&folder)?
                    .into_iter()
                    .filter(|it| is_temporary_file(it)),
            );
        }
        Ok(found)
    }

    pub(crate) fn tombstone_file(&self, session: &str) -> PathBuf {
        self.raw_log_folder(LiveOrSimulated::Live)
            .join(format!("{session}.forgotten"))
    }

    /// Returns the tombstones of the deleted sessions.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn deletion_tombstones(&self) -> Result<Vec<DeletionTombstone>> {
        let files = files(&self.raw_log_folder(LiveOrSimulated::Live), "forgotten")?;
        files.iter().map(|path| read_json(path)).collect()
    }

    /// Removes the logs of simulated judges, and creates the folder of these logs if it is missing.
    ///
    /// # Errors
    /// If a file cannot be deleted.
    pub(crate) fn delete_simulated_sessions(&self) -> Result {
        for path in self.session_log_files(LiveOrSimulated::Simulated)? {
            delete_file_if_present(&path)?;
        }
        create_owner_only_folder(&self.raw_log_folder(LiveOrSimulated::Simulated))
    }
}

/// Returns the sorted paths of the files in `folder` with the file name extension `ending`.
fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let mut files = entry_names_in(folder)?;
    files.retain(|name| Path::new(name).extension().is_some_and(|it| it == ending));
    Ok(files.iter().map(|name| folder.join(name)).collect())
}

/// Deletes a file if it exists.
pub(crate) fn delete_file_if_present(path: &Path) -> Result {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(StudyError::io_error_at(path)(error))
        }
        _ => Ok(()),
    }
}

/// Returns the sorted paths of the entries of a folder; empty if the folder does not exist.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    match paths_in(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        paths => paths.map_err(StudyError::io_error_at(folder)),
    }
}

/// Returns the sorted names of a folder's entries, except temporary files; empty if the folder does not exist.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn entry_names_in(folder: &Path) -> Result<Vec<String>> {
    let mut paths = entries(folder)?;
    paths.retain(|path| !is_temporary_file(path));
    Ok(paths.iter().map(|path| path_file_name(path)).collect())
}

/// Returns the name of a file without its folder.
pub(crate) fn path_file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

pub(crate) fn read_json<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T> {
    let text = read_text(path)?;
    serde_json::from_str(&text).map_err(|error| StudyError::invalid_file(path, error.to_string()))
}

/// Creates a folder that only the owner can read.
pub(crate) fn create_owner_only_folder(folder: &Path) -> Result {
    create_private_folder(folder).map_err(StudyError::io_error_at(folder))
}

/// Writes a file atomically, readable only by the owner. Creates the folder if it is missing.
pub(crate) fn write_atomically(path: &Path, text: &str) -> Result {
    create_owner_only_folder(path.parent().unwrap_or_else(|| Path::new(".")))?;
    debate_host::record::write_atomically(path, text).map_err(StudyError::io_error_at(path))
}

impl Study {
    /// True if the day after which the study file requires the logs' deletion is over.
    pub fn is_deletion_due(&self) -> bool {
        let day = self.plan.delete_raw_after.as_ref();
        day.is_some_and(|day| self.folder.time.utc_now() > format!("{day}T23:59:59Z"))
    }

    /// Deletes the logs, debates and names of all participants if the deletion day of the study file is over. Returns
    /// the number of deleted logs.
    ///
    /// # Errors
    /// If the file names no day, the day is not over, or something cannot be deleted.
    pub fn delete_participant_data_after_study_deletion_day(&self) -> Result<usize> {
        match &self.plan.delete_raw_after {
            Some(_) if self.is_deletion_due() => self.folder.delete_participant_data_and_count_logs(),
            Some(day) => Err(StudyError::Plan(format!(
                "the session logs are due for deletion only after {day}"
            ))),
            None => Err(StudyError::Plan(
                "the study file names no deletion day; add `delete_raw_after: \"2027-06-30\"`, or forget \
                 participants individually"
                    .to_owned(),
            )),
        }
    }
}

/// A claim that assigns a row of the schedule to a session, or to a group of sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleRowClaim {
    /// The claimed row of the schedule, from 0.
    pub slot: u32,
    /// The session that claimed the row. For a group: its sessions in seat order, separated by spaces.
    pub session: String,
    /// The session (or the sessions of the group) that gave the slot, a schedule row, back so that another session can
    /// claim it.
    pub reclaimed_from: Option<String>,
    /// The number of earlier claims to this slot (row of the schedule).
    generation: u32,
    returned: bool,
}

impl ScheduleRowClaim {
    /// Returns the session that claimed the row of the schedule, or all sessions of the group that claimed it.
    pub(crate) fn member_sessions(&self) -> impl Iterator<Item = &str> {
        self.session.split(' ')
    }

    /// True if `session` holds this claim to a schedule row and has not given it back. `session` names one session, or
    /// all sessions of a group.
    fn is_of(&self, session: &str) -> bool {
        let is_own =
            self.session == session || self.member_sessions().any(|member| member == session);
        is_own && !self.returned
    }
}

fn file_name(slot: u32, generation: u32) -> String {
    format!("{slot:04}-{generation}")
}

/// Parses the slot (row of the schedule) and the number of earlier claims from the name of a claim file; `None` for any
/// other file.
fn parse(name: &str) -> Option<(u32, u32)> {
    let (slot, generation) = name.split_once('-')?;
    Some((slot.parse().ok()?, generation.parse().ok()?))
}

impl StudyFolder {
    fn slots(&self) -> PathBuf {
        self.data_folder(LiveOrSimulated::Live).join("slots")
    }

    /// Returns the claims of all sessions to slots (rows of the schedule), including claims that were given back.
    /// Sorted by slot, and then from the oldest to the newest claim.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn all_schedule_row_reservations(&self) -> Result<Vec<ScheduleRowClaim>> {
        self.claims_known(&mut self.known_claims())
    }

    /// Locks the logs of absent participants for this thread, until the guard is dropped. Waits while another thread
    /// holds the lock.
    pub(crate) fn lock_log_maintenance(&self) -> MutexGuard<'_, ()> {
        self.log_maintenance
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn known_claims(&self) -> MutexGuard<'_, KnownClaims> {
        self.claimed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn claims_known(&self, known: &mut KnownClaims) -> Result<Vec<ScheduleRowClaim>> {
        let names: BTreeSet<String> = entry_names_in(&self.slots())?.into_iter().collect();
        let mut claims: Vec<ScheduleRowClaim> = Vec::new();
        for name in &names {
            let Some((slot, generation)) = parse(name) else {
                continue;
            };
            if !known.sessions.contains_key(name) {
                let path = self.slots().join(name);
                let session = read_text(&path)?;
                known.sessions.insert(name.clone(), session);
            }
            claims.push(ScheduleRowClaim {
                slot,
                generation,
                session: known.sessions[name].clone(),
                returned: names.contains(&format!("{name}.returned")),
                reclaimed_from: None,
            });
        }
        claims.sort_by_key(|claim| (claim.slot, claim.generation));
        for later in 1..claims.len() {
            let before = &claims[later - 1];
            if before.slot == claims[later].slot {
                claims[later].reclaimed_from = Some(before.session.clone());
            }
        }
        Ok(claims)
    }

    /// Returns a session's current claim to a slot (row of the schedule), made alone or in a group; `None` if it has
    /// none.
    pub(crate) fn current_schedule_row_reservation(
        &self,
        session: &str,
    ) -> Result<Option<ScheduleRowClaim>> {
        let mut claims = self.all_schedule_row_reservations()?.into_iter();
        Ok(claims.find(|claim| claim.is_of(session)))
    }

    /// True if one of the first `slot_count` slots (rows of the schedule) is free.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub(crate) fn has_free_slot_among_first(&self, slot_count: u32) -> Result<bool> {
        let claims = self.all_schedule_row_reservations()?;
        let held = claims
            .iter()
            .filter(|it| it.slot < slot_count && !it.returned);
        Ok(held.count() < slot_count as usize)
    }

    /// Claims the lowest free slot (row of the schedule) below `slot_count` for a session. A session that has a slot
    /// keeps it. `None` if all slots are taken.
    ///
    /// # Errors
    /// If the claims cannot be read or written.
    pub fn reserve_free_schedule_row(
        &self,
        session: &str,
        slot_count: u32,
    ) -> Result<Option<ScheduleRowClaim>> {
        self.claim_slot_if(session, slot_count, |_| true)
    }

    /// Claims a row of the schedule for a session as [`StudyFolder::reserve_free_schedule_row`] does, but a new row
    /// only if `is_allowed` returns true for it.
    ///
    /// # Errors
    /// If the claims cannot be read or written.
    pub(crate) fn claim_slot_if(
        &self,
        session: &str,
        count: u32,
        is_allowed: impl Fn(u32) -> bool,
    ) -> Result<Option<ScheduleRowClaim>> {
        let folder = self.slots();
        create_owner_only_folder(&folder)?;
        // `pending` keeps threads of this process apart. If two processes create the same file, one fails and retries.
        loop {
            let mut known = self.known_claims();
            let claims = self.claims_known(&mut known)?;
            if let Some(claim) = claims.iter().find(|claim| claim.is_of(session)) {
                return Ok(Some(claim.clone()));
            }
            // The latest claim of a slot is the valid one.
            let latest: BTreeMap<u32, &ScheduleRowClaim> =
                claims.iter().map(|it| (it.slot, it)).collect();
            let mut slots =
                (0..count).filter(|slot| !known.pending.contains(slot) && is_allowed(*slot));
            let free = slots.find_map(|slot| match latest.get(&slot) {
                None => Some((slot, 0)),
                Some(last) if last.returned => Some((slot, last.generation + 1)),
                Some(_) => None,
            });
            let Some((slot, generation)) = free else {
                return Ok(None);
            };
            known.pending.insert(slot);
            drop(known);
            let path = folder.join(file_name(slot, generation));
            let made = create_file_atomically(&path, session);
            self.known_claims().pending.remove(&slot);
            match made {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(StudyError::io_error_at(&path)(error));
                }
                _ => {}
            }
        }
    }

    /// Returns a session's current or former claim to a slot (row of the schedule), made alone or in a group. If there
    /// are several claims, returns the one with the highest slot; `None` if there is none.
    pub(crate) fn current_or_former_slot_claim(
        &self,
        session: &str,
    ) -> Result<Option<ScheduleRowClaim>> {
        let claims = self.all_schedule_row_reservations()?.into_iter().rev();
        let mut own =
            claims.filter(|claim| claim.member_sessions().any(|member| member == session));
        Ok(own.next())
    }

    /// True if the sessions that hold this claim to a schedule row can yield no more data. A group member was left
    /// alone or forfeited, or every member ended with a status that frees the row.
    fn is_void(&self, claim: &ScheduleRowClaim) -> bool {
        let status = |session: &str| {
            let read =
                read_session_status_and_records(&self.log_file(LiveOrSimulated::Live, session));
            read.map_or(StudySessionStatus::Withdrawn, |(status, _)| status)
        };
        let statuses: Vec<StudySessionStatus> = claim.member_sessions().map(status).collect();
        let is_left = |it: &StudySessionStatus| {
            matches!(
                it,
                StudySessionStatus::LeftAlone | StudySessionStatus::Forfeited
            )
        };
        statuses.iter().any(is_left) || statuses.iter().all(|it| it.frees_schedule_row())
    }

    /// Gives a session's slot (row of the schedule) back, so that another session can claim it. Does nothing if the
    /// session has no slot, or if its group continues.
    ///
    /// # Errors
    /// If the claim file cannot be written.
    pub fn release_schedule_row(&self, session: &str) -> Result {
        let claim = self.current_schedule_row_reservation(session)?;
        let is_free = |it: &ScheduleRowClaim| it.session == session || self.is_void(it);
        let Some(claim) = claim.filter(is_free) else {
            return Ok(());
        };
        let name = file_name(claim.slot, claim.generation);
        let path = self.slots().join(format!("{name}.returned"));
        match create_file_atomically(&path, b"") {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(StudyError::io_error_at(&path)(error))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_are_private_and_can_be_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let study = StudyFolder::new(folder.path());
        let sessions = [
            study.reserve_study_session_name().unwrap(),
            study.reserve_study_session_name().unwrap(),
        ];
        create_owner_only_folder(&study.raw_log_folder(LiveOrSimulated::Live)).unwrap();
        for (session, id) in sessions.iter().zip(["a@example.org", "b@example.org"]) {
            study.save_identity(id, session).unwrap();
            create_file_atomically(&study.log_file(LiveOrSimulated::Live, session), b"x").unwrap();
        }
        #[cfg(unix)]
        for (path, _) in study.identities().unwrap() {
            let mode =
                std::os::unix::fs::PermissionsExt::mode(&fs::metadata(path).unwrap().permissions());
            assert_eq!(mode & 0o777, 0o600);
        }
        study
            .delete_participant("a@example.org", "2026-11-21T09:14:03Z")
            .unwrap();
        // The deletion is complete: a second call finds no participant.
        assert_eq!(study.session_of_participant("a@example.org").unwrap(), None);
        assert_eq!(
            study.session_of_participant("b@example.org").unwrap(),
            Some(sessions[1].clone())
        );
        assert_eq!(
            study.session_log_files(LiveOrSimulated::Live).unwrap(),
            [study.log_file(LiveOrSimulated::Live, "s0001")]
        );
        assert_eq!(study.deletion_tombstones().unwrap().len(), 1);
        assert!(matches!(
            study.delete_participant("a@example.org", ""),
            Err(StudyError::UnknownParticipant(_))
        ));
    }

    #[test]
    fn temporary_files_of_a_killed_program_are_deleted_with_the_participant() {
        let folder = tempfile::tempdir().unwrap();
        let study = StudyFolder::new(folder.path());
        let session = study.reserve_study_session_name().unwrap();
        study.save_identity("a@example.org", &session).unwrap();
        let left = |folder: PathBuf, text: &str| {
            create_owner_only_folder(&folder).unwrap();
            let path = folder.join(".debate-tui-Ab3xYz");
            fs::write(&path, text).unwrap();
            path
        };
        let own = [
            left(study.debates_folder(), "(session: \"s0000\")"),
            left(study.private(), "b@example.org\na@example.org\n"),
        ];
        let other = left(
            study.raw_log_folder(LiveOrSimulated::Live),
            "{\"session\":\"s0001\"}",
        );
        left(study.reserved(), "");
        assert_eq!(
            study.reserve_study_session_name().unwrap(),
            "s0001",
            "no name is skipped"
        );
        study
            .delete_participant("a@example.org", "2026-11-21T09:14:03Z")
            .unwrap();
        assert!(own.iter().all(|path| !path.exists()));
        assert!(other.exists());
        study.delete_participant_data_and_count_logs().unwrap();
        assert!(!other.exists());
    }

    #[test]
    fn twenty_concurrent_participants_get_distinct_slots() {
        let folder = tempfile::tempdir().unwrap();
        let study = StudyFolder::new(folder.path());
        let claimed: Vec<ScheduleRowClaim> = std::thread::scope(|scope| {
            let come = || {
                let session = study.reserve_study_session_name().unwrap();
                study
                    .reserve_free_schedule_row(&session, 20)
                    .unwrap()
                    .unwrap()
            };
            let claims: Vec<_> = (0..20).map(|_| scope.spawn(come)).collect();
            claims
                .into_iter()
                .map(|claim| claim.join().unwrap())
                .collect()
        });
        let mut slots: Vec<u32> = claimed.iter().map(|claim| claim.slot).collect();
        slots.sort_unstable();
        assert_eq!(slots, (0..20).collect::<Vec<_>>());
        let mut sessions: Vec<&str> = claimed.iter().map(|it| it.session.as_str()).collect();
        sessions.sort_unstable();
        sessions.dedup();
        assert_eq!(sessions.len(), 20);
        assert_eq!(study.reserve_free_schedule_row("s0020", 20).unwrap(), None);
        assert!(!study.has_free_slot_among_first(20).unwrap());
        let seventh = &claimed[7];
        // A session keeps its slot on repeated claims.
        let again = study
            .reserve_free_schedule_row(&seventh.session, 20)
            .unwrap()
            .unwrap();
        assert_eq!(&again, seventh);
        study.release_schedule_row(&seventh.session).unwrap();
        study.release_schedule_row(&seventh.session).unwrap();
        assert!(study.has_free_slot_among_first(20).unwrap());
        let other = study
            .reserve_free_schedule_row("s0020", 20)
            .unwrap()
            .unwrap();
        assert_eq!(other.slot, seventh.slot);
        assert_eq!(other.reclaimed_from.as_ref(), Some(&seventh.session));
        assert_eq!(study.reserve_free_schedule_row("s0021", 20).unwrap(), None);
    }
}
