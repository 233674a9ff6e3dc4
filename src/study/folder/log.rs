//! The log of a session: an append-only file with one line of JSON for each event, linked by a hash chain.
//!
//! Each line ends with its own hash and contains the hash of the previous line. A line's hash is the SHA-256 digest of
//! its bytes up to `,"hash":"`. A file that ends within a line was interrupted; that line is removed when the session
//! continues. Any other line that breaks the chain is reported as damage.
//!
//! Each line names the session, as the file name does. The ledger of the data folder also records the length of each
//! log, so that missing whole lines are detected.

#[cfg(test)]
mod tests;

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Result, StudyError};
use debate_host::record::{
    CONVERTED, ChainHash, FileHashLedger, FileHashLedgerLine, HashLedgerContent, JSON_CLOSER,
    LOG_HASH_POSITION, LockedAppendFile, RawLineIterator, ReplyCost, first_line_ends_with_crlf,
};
use debate_solver::setup::{check_regular_file, read_one_past_limit};

/// Maximum size of a log, in bytes.
const MAX_LOG: u64 = 64 << 20;
/// Flag in the first line of a log that the ledger covers. Older versions of the program wrote logs that are not in the
/// ledger.
pub(crate) const IN_LEDGER: &str = "ledger";
/// Name of the log field for the illegal replies and temporary failures before a program's reply or fault, each with
/// its cost.
pub(crate) const REFUSED: &str = "refused";

/// The status of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[serde(rename = "Status")]
pub enum StudySessionStatus {
    /// The session is not over.
    Started,
    Complete,
    /// The participant cannot take part: the terminal is too small, or an answer to the screening survey excludes them.
    ScreenedOut,
    /// The session ended because a quota is full: enough participants gave the same answer to a question of the
    /// screening survey.
    QuotaFull,
    NoConsent,
    FailedQuiz,
    /// The session is complete, but the participant failed too many attention questions.
    FailedAttention,
    Withdrawn,
    /// The session was interrupted, and not resumed in time.
    Expired,
    /// The session ended because no place was free: when the participant was to be admitted, or when the trials would
    /// have begun.
    Full,
    /// The session ended because no other participant joined in time.
    Waited,
    /// The session ended because another participant left the debate or did not answer in time.
    LeftAlone,
    /// The session ended because the participant did not answer in time; the debate of the others ended too.
    Forfeited,
    /// The experimenter ended the session, and the participant is paid for it.
    Closed,
}

impl StudySessionStatus {
    /// The outcomes of a session that can have a completion code and a return link.
    pub(crate) const ENDS: [Self; 10] = [
        Self::Complete,
        Self::ScreenedOut,
        Self::QuotaFull,
        Self::Full,
        Self::NoConsent,
        Self::FailedQuiz,
        Self::FailedAttention,
        Self::Waited,
        Self::LeftAlone,
        Self::Closed,
    ];

    /// Returns the name of the status in logs and tables.
    pub fn status_name(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Complete => "complete",
            Self::ScreenedOut => "screened_out",
            Self::QuotaFull => "quota_full",
            Self::NoConsent => "no_consent",
            Self::FailedQuiz => "failed_quiz",
            Self::FailedAttention => "failed_attention",
            Self::Withdrawn => "withdrawn",
            Self::Expired => "expired",
            Self::Full => "full",
            Self::Waited => "waited",
            Self::LeftAlone => "left_alone",
            Self::Forfeited => "forfeited",
            Self::Closed => "closed",
        }
    }

    /// True if this status makes the session's slot (row of the schedule) free for another participant.
    pub fn frees_schedule_row(self) -> bool {
        !matches!(self, Self::Started | Self::Complete)
    }
}

/// A line of a log.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Record")]
pub struct StudySessionLogRecord {
    /// Version of the format: 1.
    pub v: u32,
    /// Number of the log's line, from 0.
    pub seq: u64,
    /// Hash of the log's previous line; 64 zeros in the first line.
    pub prev_hash: String,
    pub session: String,
    pub participant: String,
    /// The session's row of the schedule, from 0; null until a row is claimed.
    pub slot: Option<u32>,
    pub stage: String,
    pub t_wall: String,
    pub t_mono_ms: u64,
    /// Active time of the participant since the session began, in milliseconds; null if it is unknown.
    pub t_active_ms: Option<u64>,
    pub block: Option<u32>,
    pub trial: Option<u32>,
    pub round: Option<u32>,
    pub condition: Option<String>,
    pub item: Option<String>,
    pub role: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub payload: Value,
}

impl StudySessionLogRecord {
    /// Returns the field `name` of the log line's payload.
    pub fn payload_value(&self, name: &str) -> Option<&Value> {
        self.payload.get(name)
    }

    /// Returns the field `name` of the log line's payload, if it is a text.
    pub fn payload_string_field(&self, name: &str) -> Option<&str> {
        self.payload_value(name)?.as_str()
    }

    /// Returns the session's new status if this line changed it.
    pub fn status_after_record(&self) -> Option<StudySessionStatus> {
        serde_json::from_value(self.payload_value("status")?.clone()).ok()
    }

    /// Returns the costs of a program's replies in this log line, legal or not, as the program states them. The costs
    /// of illegal replies and temporary failures come first. The cost of the reply or fault of this line comes last, if
    /// the program stated it.
    pub fn program_costs_in_record(&self) -> impl Iterator<Item = ReplyCost> {
        let refused = self.payload_value(REFUSED).and_then(Value::as_array);
        let refused = refused.into_iter().flatten();
        let costs = refused
            .filter_map(|refused| refused.get("cost"))
            .chain(self.payload_value("cost"));
        costs.filter_map(|cost| Option::<ReplyCost>::deserialize(cost).ok().flatten())
    }

    /// Returns the field `name` of the log line's payload, if it is a number.
    pub fn payload_number(&self, name: &str) -> Option<f64> {
        self.payload_value(name)?.as_f64()
    }

    /// Returns the field `name` of the log line's payload, if it is a boolean.
    pub fn payload_flag(&self, name: &str) -> Option<bool> {
        self.payload_value(name)?.as_bool()
    }
}

/// The contents of a log.
#[derive(Debug, Default)]
pub struct SessionLogContents {
    pub records: Vec<StudySessionLogRecord>,
    /// Hash of the last line.
    pub hash: String,
    /// Length of the log's complete lines, in bytes.
    pub length: u64,
}

impl SessionLogContents {
    /// Returns the hash of a line of the session's log, given the line's number from 1; `None` if there is no such
    /// line.
    fn hash_of(&self, number: u64) -> Option<&str> {
        let next = usize::try_from(number).ok()?;
        match self.records.get(next) {
            Some(record) => Some(&record.prev_hash),
            None => (next == self.records.len()).then_some(self.hash.as_str()),
        }
    }

    /// Compares this log with its entry in the ledger (the list of log lengths and hashes), and describes the first
    /// difference. `None` if they agree, or if the log has no entry and needs none.
    pub(crate) fn difference_from_ledger(
        &self,
        ledger: &HashLedgerContent,
        file: &str,
    ) -> Option<String> {
        let entries = self.records.len() as u64;
        if let Some(record) = ledger.files.get(file) {
            let hash = |number| self.hash_of(number);
            return record.newest.difference(entries, hash);
        }
        // The log's line is written before the ledger's, so a kill between both leaves at most one line without a
        // ledger entry.
        let is_due = entries > 1 && self.records[0].payload_flag(IN_LEDGER) == Some(true);
        is_due.then(|| "the ledger of the study has no entry for this session's log".to_owned())
    }
}

/// Formats a record as a log line with its line ending. Also returns the line's hash.
fn sealed(record: &StudySessionLogRecord) -> (String, String) {
    // A record has text keys and plain values, so serialization cannot fail.
    let body = serde_json::to_string(record).unwrap_or_default();
    let body = body.strip_suffix('}').unwrap_or(&body);
    let hash = ChainHash::hash_without_previous_line(body.as_bytes());
    (
        LOG_HASH_POSITION.line_closed_with_hash(body, hash, JSON_CLOSER),
        hash.to_string(),
    )
}

/// Returns the zeros that the first line of a log has instead of a previous line's hash.
fn no_hash() -> String {
    "0".repeat(ChainHash::<32>::DIGITS)
}

/// Returns the name of a log's session, from the file name.
fn session_named(path: &Path) -> Option<&str> {
    path.file_stem()?.to_str()
}

/// Parses a line that continues the chain, and returns its record and hash. The error is the reason why the line does
/// not continue it.
fn follow(
    line: &[u8],
    seq: u64,
    before: &str,
) -> Result<(StudySessionLogRecord, String), &'static str> {
    let (body, stated) = LOG_HASH_POSITION
        .split(line, JSON_CLOSER)
        .ok_or("its hash is missing")?;
    let hash = ChainHash::<32>::hash_without_previous_line(body);
    if !hash.matches_hex_digits(stated) {
        return Err("the hash of the log line does not match the text of the line");
    }
    let record: StudySessionLogRecord = serde_json::from_slice(&[body, b"}"].concat())
        .map_err(|_error| "the log line is not a record of a session")?;
    if record.v != 1 {
        return Err("this program does not know the format version of the log line");
    }
    if record.seq != seq {
        return Err("the number of the log line is out of sequence");
    }
    if record.prev_hash != before {
        return Err("the log line does not contain the hash of the previous line");
    }
    Ok((record, hash.to_string()))
}

/// Reads a log and verifies its chain.
///
/// # Errors
/// If it cannot be read, or a line breaks the chain. The error names the first such line.
pub fn read_log(path: &Path) -> Result<SessionLogContents> {
    check_regular_file(path).map_err(StudyError::io_error_at(path))?;
    let file = File::open(path).map_err(StudyError::io_error_at(path))?;
    read_open(path, &file)
}

fn read_open(path: &Path, file: &File) -> Result<SessionLogContents> {
    read_up_to(path, file, MAX_LOG)
}

/// Reads an open log of at most `limit` bytes.
fn read_up_to(path: &Path, file: &File, limit: u64) -> Result<SessionLogContents> {
    let bytes = read_one_past_limit(file, limit).map_err(StudyError::io_error_at(path))?;
    if bytes.len() as u64 > limit {
        let most = limit >> 20;
        return Err(StudyError::invalid_file(
            path,
            format!("the log is too large; a log has at most {most} MiB"),
        ));
    }
    read_bytes(path, &bytes)
}

fn read_bytes(path: &Path, bytes: &[u8]) -> Result<SessionLogContents> {
    if first_line_ends_with_crlf(bytes) {
        return Err(StudyError::invalid_file(path, CONVERTED));
    }
    let mut read = SessionLogContents {
        hash: no_hash(),
        ..SessionLogContents::default()
    };
    for row in RawLineIterator::new(bytes) {
        let damaged = |what: &str| StudyError::Damaged {
            path: path.to_owned(),
            what: format!("line {}: {what}", row.line),
        };
        if !row.whole {
            if LOG_HASH_POSITION.is_line_with_changed_end(None, row.bytes, JSON_CLOSER) {
                return Err(damaged("its end was changed"));
            }
            break;
        }
        if std::str::from_utf8(row.bytes).is_err() {
            return Err(damaged("it is not UTF-8"));
        }
        let seq = read.records.len() as u64;
        let (record, hash) = follow(row.bytes, seq, &read.hash).map_err(damaged)?;
        if session_named(path) != Some(record.session.as_str()) {
            return Err(damaged(&format!(
                "the log line belongs to session {session}",
                session = record.session
            )));
        }
        read.records.push(record);
        read.hash = hash;
        read.length += row.bytes.len() as u64 + 1;
    }
    Ok(read)
}

/// The log of a session, open for appending under an exclusive lock.
#[derive(Debug)]
pub struct SessionLogOpenForAppending {
    path: PathBuf,
    file: LockedAppendFile,
    seq: u64,
    hash: String,
    /// `None` for simulated sessions. They can be recreated, so they are not synchronized to the disk.
    ledger: Option<FileHashLedger>,
}

impl SessionLogOpenForAppending {
    /// Creates a new log.
    ///
    /// # Errors
    /// If the file exists or cannot be created.
    pub fn create(path: &Path, ledger: Option<FileHashLedger>) -> Result<Self> {
        let file = LockedAppendFile::create(path).map_err(not_opened(path))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            seq: 0,
            hash: no_hash(),
            ledger,
        })
    }

    /// Opens a log to continue it. Removes an incomplete last line, and updates the ledger to the log's length.
    ///
    /// # Errors
    /// If the log is open elsewhere, cannot be read, was changed, or is shorter than the ledger records.
    pub fn open(path: &Path, ledger: FileHashLedger) -> Result<(Self, SessionLogContents)> {
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        let mut file = check_regular_file(path)
            .and_then(|()| options.open(path))
            .and_then(LockedAppendFile::lock_for_appending)
            .map_err(not_opened(path))?;
        // The log is locked now, so it must match the ledger.
        let state = ledger
            .read_hash_ledger_with_times_until("")
            .map_err(StudyError::io_error_at(ledger.hash_ledger_path()))?;
        let read = read_open(path, &file.file)?;
        let name = ledger.file_path_in_ledger(path);
        let difference = state
            .as_ref()
            .and_then(|it| read.difference_from_ledger(it, &name));
        if let Some(what) = difference {
            let path = path.to_owned();
            return Err(StudyError::Damaged { path, what });
        }
        file.cut_file_to_length(read.length)
            .map_err(StudyError::io_error_at(path))?;
        let log = Self {
            path: path.to_owned(),
            file,
            seq: read.records.len() as u64,
            hash: read.hash.clone(),
            ledger: Some(ledger),
        };
        let is_behind = state.is_some_and(|state| {
            let noted = state.files.get(&name);
            noted.is_none_or(|noted| noted.newest.entries < log.seq)
        });
        if let Some(last) = read.records.last().filter(|_| is_behind) {
            log.note(&last.t_wall, true)?;
        }
        Ok((log, read))
    }

    /// Appends a record after filling in its place in the chain. On return the record is on the disk, except in
    /// simulated sessions, which are not synchronized.
    ///
    /// # Errors
    /// If the record cannot be written; the log is then unchanged. Also if the first record is written, but the ledger
    /// is not.
    pub fn append(&mut self, record: StudySessionLogRecord) -> Result<StudySessionLogRecord> {
        let record = StudySessionLogRecord {
            v: 1,
            seq: self.seq,
            prev_hash: self.hash.clone(),
            ..record
        };
        let (line, hash) = sealed(&record);
        let waits = self.ledger.is_some();
        let settle = |file: &File| if waits { file.sync_data() } else { Ok(()) };
        let written = self.file.append(line.as_bytes(), settle);
        written.map_err(StudyError::io_error_at(&self.path))?;
        self.seq += 1;
        self.hash = hash;
        // The first ledger line is synchronized, so this program never leaves a longer log without a ledger line.
        let is_first = self.seq == 1;
        match self.note(&record.t_wall, is_first) {
            Err(error) if is_first => return Err(error),
            // The answer is stored. The next ledger line covers it.
            Err(error) => tracing::warn!(%error, "cannot write to the ledger of the study"),
            Ok(()) => {}
        }
        Ok(record)
    }

    /// Writes the log's current length and last hash into the ledger, the study's list of the lengths of all logs.
    fn note(&self, at: &str, sync: bool) -> Result {
        let Some(ledger) = &self.ledger else {
            return Ok(());
        };
        let entry = FileHashLedgerLine {
            file: ledger.file_path_in_ledger(&self.path),
            entries: self.seq,
            length: self.file.length,
            hash: self.hash.clone(),
            at: at.to_owned(),
        };
        ledger
            .append_ledger_line(&entry, sync)
            .map_err(StudyError::io_error_at(ledger.hash_ledger_path()))
    }
}

/// Converts the error of opening a log for appending.
fn not_opened(path: &Path) -> impl FnOnce(io::Error) -> StudyError {
    let io = StudyError::io_error_at(path);
    |cause| match cause.kind() {
        io::ErrorKind::WouldBlock => StudyError::Open,
        _ => io(cause),
    }
}

/// Returns the status of a session from the records of its log.
pub fn status_of_records(records: &[StudySessionLogRecord]) -> StudySessionStatus {
    let status = records
        .iter()
        .rev()
        .find_map(StudySessionLogRecord::status_after_record);
    status.unwrap_or(StudySessionStatus::Started)
}

/// Returns the status of a session and its records, from the log without the ledger.
///
/// # Errors
/// If the log cannot be read or was changed.
pub fn read_session_status_and_records(
    path: &Path,
) -> Result<(StudySessionStatus, Vec<StudySessionLogRecord>)> {
    let records = read_log(path)?.records;
    Ok((status_of_records(&records), records))
}

impl StudyError {
    /// Returns the final status of a session that this error keeps from beginning or continuing, if its participant is
    /// shown the reason.
    pub fn status_of_session_refused_by_error(&self) -> Option<StudySessionStatus> {
        match self {
            Self::Full(_) => Some(StudySessionStatus::Full),
            Self::Expired(_) => Some(StudySessionStatus::Expired),
            _ => None,
        }
    }
}
