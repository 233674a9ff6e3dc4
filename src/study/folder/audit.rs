//! Integrity of a study's logs: each log is verified by its hash chain, and all logs by the ledger of the data folder.
//!
//! Counts and exports leave out a damaged log and name it. Its session can continue after the log is restored from a
//! backup. The other sessions continue unaffected.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::{Result, StudyError};
use crate::folder::log::{
    IN_LEDGER, SessionLogContents, StudySessionStatus, read_log, status_of_records,
};
use crate::folder::{LiveOrSimulated, StudyFolder, create_owner_only_folder, path_file_name};
use debate_host::record::{
    FileHashLedger, FileHashLedgerLine, HashLedgerContent, StudyLogVerificationResult,
};

/// A log that was changed after it was written, is missing or cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DamagedLog {
    /// Name of the file.
    pub log: String,
    pub why: String,
}

/// Damage of the stored data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Damage")]
pub struct StudyDataDamage {
    /// Logs that are left out.
    pub logs: Vec<DamagedLog>,
    /// True if the ledger is missing although a log states that it was recorded there. A deleted log then cannot be
    /// noticed.
    pub is_ledger_gone: bool,
    /// Number of ledger lines that cannot be read.
    pub unreadable_ledger_lines: usize,
}

impl StudyDataDamage {
    /// Describes the damage of the stored data, one sentence per problem.
    pub fn damage_sentences(&self) -> Vec<String> {
        let logs = self.logs.iter().map(|it| {
            format!(
                "The session log {log} is left out: {reason}.",
                log = it.log,
                reason = it.why
            )
        });
        let gone = self.is_ledger_gone.then(|| {
            "The ledger of the logs is missing, so lost lines cannot be detected.".to_owned()
        });
        let lines = self.unreadable_ledger_lines;
        let unreadable = (lines > 0)
            .then(|| format!("Number of unreadable lines in the ledger of the logs: {lines}."));
        logs.chain(gone).chain(unreadable).collect()
    }
}

/// The paths of the session logs of live or of simulated participants, with the ledger as it was before the logs were
/// read. Simulated participants have no ledger. Logs only grow in the meantime, so a log that is shorter than the
/// ledger says is damaged.
pub(crate) struct SessionLogsWithHashLedger<'f> {
    folder: &'f StudyFolder,
    kind: LiveOrSimulated,
    ledger: Option<HashLedgerContent>,
    pub paths: Vec<PathBuf>,
}

impl StudyFolder {
    /// Returns the ledger of the live data. Simulated sessions have no ledger because they can be recreated.
    pub(crate) fn live_data_ledger(&self) -> FileHashLedger {
        FileHashLedger::ledger_in_folder(&self.data_folder(LiveOrSimulated::Live))
    }

    /// Creates the ledger, if it is missing, from the undamaged logs that exist. Studies of older program versions have
    /// no ledger, and a ledger may have been deleted.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn create_hash_ledger_of_logs_if_missing(&self) -> Result {
        let ledger = self.live_data_ledger();
        if ledger.hash_ledger_path().exists() {
            return Ok(());
        }
        create_owner_only_folder(&self.raw_log_folder(LiveOrSimulated::Live))?;
        let entry = |path: &PathBuf| {
            let read = read_log(path).ok()?;
            let entries = read.records.len() as u64;
            Some(FileHashLedgerLine {
                file: ledger.file_path_in_ledger(path),
                at: read.records.last()?.t_wall.clone(),
                entries,
                length: read.length,
                hash: read.hash,
            })
        };
        let logs = self.session_log_files(LiveOrSimulated::Live)?;
        let entries: Vec<FileHashLedgerLine> = logs.iter().filter_map(entry).collect();
        ledger
            .create_for_files(&entries)
            .map_err(StudyError::io_error_at(ledger.hash_ledger_path()))
    }

    /// Lists the session logs of live or of simulated participants, and reads the ledger against which they are
    /// verified.
    ///
    /// # Errors
    /// If the folder or the ledger cannot be read.
    pub(crate) fn session_logs_with_ledger(
        &self,
        kind: LiveOrSimulated,
    ) -> Result<SessionLogsWithHashLedger<'_>> {
        // The logs are listed first. The log of a session that begins afterwards is not in this list, so `gone` also
        // checks if the file exists.
        let paths = self.session_log_files(kind)?;
        let own = self.live_data_ledger();
        let ledger = match kind {
            LiveOrSimulated::Live => own.read_hash_ledger_with_times_until(&self.time.utc_now()),
            LiveOrSimulated::Simulated => Ok(None),
        };
        Ok(SessionLogsWithHashLedger {
            folder: self,
            kind,
            ledger: ledger.map_err(StudyError::io_error_at(own.hash_ledger_path()))?,
            paths,
        })
    }

    /// Returns the damage of the live data: damaged or missing logs, and defects of the ledger.
    ///
    /// # Errors
    /// If the folder or the ledger cannot be read.
    pub fn live_data_damage(&self) -> Result<StudyDataDamage> {
        self.visit_undamaged_logs(LiveOrSimulated::Live, |_, _| Ok(()))
    }

    /// Passes each undamaged session log (live or simulated, by `kind`) to `each`, and returns the damage: damaged or
    /// missing logs, and defects of the ledger.
    ///
    /// # Errors
    /// If the folder or the ledger cannot be read, or `each` fails.
    pub fn visit_undamaged_logs(
        &self,
        kind: LiveOrSimulated,
        mut each: impl FnMut(&Path, SessionLogContents) -> Result,
    ) -> Result<StudyDataDamage> {
        let audit = self.session_logs_with_ledger(kind)?;
        let mut damage = StudyDataDamage::default();
        for path in &audit.paths {
            match audit.read_verified_log(path) {
                Ok(read) => {
                    let first = read.records.first();
                    damage.is_ledger_gone |= kind == LiveOrSimulated::Live
                        && audit.ledger.is_none()
                        && first.is_some_and(|first| first.payload_flag(IN_LEDGER) == Some(true));
                    each(path, read)?;
                }
                Err(error) => damage.logs.push(DamagedLog {
                    log: path_file_name(path),
                    why: error.message_without_path(),
                }),
            }
        }
        damage.logs.extend(audit.gone());
        damage.unreadable_ledger_lines = audit.ledger.map_or(0, |ledger| ledger.unreadable);
        Ok(damage)
    }
}

/// Verifies the log of a session by its hash chain and, if its folder has a ledger, by the ledger.
pub fn verify_log(path: &Path) -> StudyLogVerificationResult {
    let data = path.parent().and_then(Path::parent);
    let ledger = FileHashLedger::ledger_in_folder(data.unwrap_or_else(|| Path::new("")));
    let verified = ledger
        .read_hash_ledger_with_times_until("")
        .map_err(StudyError::io_error_at(ledger.hash_ledger_path()))
        .and_then(|state| read_whole(path, &ledger, state.as_ref()));
    let error = verified.as_ref().err();
    let log = verified.as_ref().ok();
    StudyLogVerificationResult {
        ok: error.is_none(),
        finished: log
            .is_some_and(|log| status_of_records(&log.records) != StudySessionStatus::Started),
        entries: log.map(|log| log.records.len() as u64),
        error: error.map(StudyError::message_without_path),
        last_hash: log.map(|log| log.hash.clone()),
        log: path.display().to_string(),
    }
}

/// Verifies the logs of all live sessions in a study folder. A log that only the ledger mentions is reported as
/// missing, and so is a missing ledger.
///
/// # Errors
/// If the folder or the ledger cannot be read.
pub fn verify_logs_of_participants(
    folder: &StudyFolder,
) -> Result<Vec<StudyLogVerificationResult>> {
    let audit = folder.session_logs_with_ledger(LiveOrSimulated::Live)?;
    let mut logs: Vec<StudyLogVerificationResult> =
        audit.paths.iter().map(|path| verify_log(path)).collect();
    let lost = |path: &Path, why: String| StudyLogVerificationResult {
        ok: false,
        finished: false,
        entries: None,
        error: Some(why),
        last_hash: None,
        log: path.display().to_string(),
    };
    let raw = folder.raw_log_folder(LiveOrSimulated::Live);
    let gone = audit.gone().into_iter();
    logs.extend(gone.map(|gone| lost(&raw.join(gone.log), gone.why)));
    if folder.live_data_damage()?.is_ledger_gone {
        logs.push(lost(
            folder.live_data_ledger().hash_ledger_path(),
            "the file is missing".to_owned(),
        ));
    }
    Ok(logs)
}

/// Reads a session log and compares it with the ledger, in which the study records the length of every log.
fn read_whole(
    path: &Path,
    ledger: &FileHashLedger,
    state: Option<&HashLedgerContent>,
) -> Result<SessionLogContents> {
    let name = ledger.file_path_in_ledger(path);
    let compared = |state: &HashLedgerContent| {
        let read = read_log(path)?;
        match read.difference_from_ledger(state, &name) {
            Some(what) => {
                let path = path.to_owned();
                Err(StudyError::Damaged { path, what })
            }
            None => Ok(read),
        }
    };
    let Some(state) = state else {
        return read_log(path);
    };
    let read = compared(state);
    if read.is_ok() || state.files.contains_key(&name) {
        return read;
    }
    // The session may have begun after the ledger was read.
    let newer = ledger
        .read_hash_ledger_with_times_until("")
        .map_err(StudyError::io_error_at(ledger.hash_ledger_path()))?;
    compared(&newer.unwrap_or_default())
}

impl SessionLogsWithHashLedger<'_> {
    /// Reads a session log and compares it with the ledger, in which the study records the length of every log.
    ///
    /// # Errors
    /// If it cannot be read or was changed after it was written.
    pub fn read_verified_log(&self, path: &Path) -> Result<SessionLogContents> {
        read_whole(path, &self.folder.live_data_ledger(), self.ledger.as_ref())
    }

    /// Returns the latest time that the ledger states up to the last write of this log; `None` if the ledger does not
    /// mention the log. The clock had reached this time by then.
    pub fn latest_ledger_time_until_last_write(&self, path: &Path) -> Option<&str> {
        let name = self.folder.live_data_ledger().file_path_in_ledger(path);
        let record = self.ledger.as_ref()?.files.get(&name)?;
        Some(&record.latest)
    }

    /// Returns the logs that the ledger mentions but the folder lacks, except those of participants whose data was
    /// deleted on request.
    fn gone(&self) -> Vec<DamagedLog> {
        let ledger = self.folder.live_data_ledger();
        let files = self.ledger.iter().flat_map(|it| it.files.keys());
        let raw = self.folder.raw_log_folder(self.kind);
        let is_log = |file: &&String| {
            ledger.file_path_in_ledger(&raw.join(path_file_name(Path::new(file)))) == **file
        };
        let names = files
            .filter(is_log)
            .map(|file| path_file_name(Path::new(file)));
        let is_gone = |name: &String| {
            let path = raw.join(name);
            let is_listed = self.paths.contains(&path);
            let session = path.file_stem().unwrap_or_default().to_string_lossy();
            !is_listed && !path.exists() && !self.folder.tombstone_file(&session).exists()
        };
        let gone = |log| DamagedLog {
            log,
            why: "the file is missing".to_owned(),
        };
        names.filter(is_gone).map(gone).collect()
    }
}
