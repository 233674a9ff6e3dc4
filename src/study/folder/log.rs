//! The log of a session: a line of JSON for everything that a participant answered, only ever
//! appended to, each line with a hash of itself, which holds the hash of the line before.
//!
//! A line's hash is the SHA-256 digest of its bytes up to `,"hash":"`. A file that ends within a line
//! was cut off there, and that line is taken away when the session goes on; any other line that does
//! not follow is damage, and is named. Each line names the session, as the file does. How far a log was
//! written stands in the ledger of the data's folder too, so that a log that lost whole lines is found.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::StudyError;
use debate_lab::record::{
    AppendFile, ChainHash, FolderLedger, JSON_CLOSER, LOG_SEAL, LedgerLine, LedgerState, RawLines,
};
use debate_lab::setup::read_at_most;

/// The most bytes of a log.
const MAX_LOG: u64 = 64 << 20;
/// Of the first line of a log that the ledger knows: logs of older versions stand in none.
pub(crate) const IN_LEDGER: &str = "ledger";

/// How far a session came.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It goes on.
    Started,
    Complete,
    /// The terminal is too small.
    ScreenedOut,
    NoConsent,
    FailedQuiz,
    /// Completed, but without reading.
    FailedAttention,
    Withdrawn,
    /// It was left, and the time to resume it is over.
    Expired,
    /// All places were taken when the trials would have begun.
    Full,
}

impl Status {
    pub const ALL: [Self; 9] = [
        Self::Started,
        Self::Complete,
        Self::ScreenedOut,
        Self::NoConsent,
        Self::FailedQuiz,
        Self::FailedAttention,
        Self::Withdrawn,
        Self::Expired,
        Self::Full,
    ];

    /// As logs and tables write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Complete => "complete",
            Self::ScreenedOut => "screened_out",
            Self::NoConsent => "no_consent",
            Self::FailedQuiz => "failed_quiz",
            Self::FailedAttention => "failed_attention",
            Self::Withdrawn => "withdrawn",
            Self::Expired => "expired",
            Self::Full => "full",
        }
    }

    /// The status of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// True if the session's slot is free for somebody else.
    pub fn returns_slot(self) -> bool {
        !matches!(self, Self::Started | Self::Complete)
    }
}

/// A line of a log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The version of the format: 1.
    pub v: u32,
    /// From 0.
    pub seq: u64,
    /// The hash of the line before; 64 zeros on the first.
    pub prev_hash: String,
    pub session: String,
    pub participant: String,
    /// The row of the schedule; null until one is claimed.
    pub slot: Option<u32>,
    pub stage: String,
    pub t_wall: String,
    pub t_mono_ms: u64,
    pub t_active_ms: u64,
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

impl Record {
    /// A value of the payload.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.payload.get(name)
    }

    /// A text of the payload.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// A number of the payload.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.as_f64()
    }

    /// A yes or no of the payload.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.get(name)?.as_bool()
    }
}

/// What a log says.
#[derive(Debug, Default)]
pub struct ReadLog {
    pub records: Vec<Record>,
    /// The hash of the last line.
    pub hash: String,
    /// The bytes of whole lines.
    pub length: u64,
}

impl ReadLog {
    /// The hash of the line of a number, from 1.
    fn hash_of(&self, number: u64) -> Option<&str> {
        let next = usize::try_from(number).ok()?;
        match self.records.get(next) {
            Some(record) => Some(&record.prev_hash),
            None => (next == self.records.len()).then_some(self.hash.as_str()),
        }
    }

    /// How the log differs from what a ledger says was written; `None` where it does not.
    pub(crate) fn difference(&self, ledger: &LedgerState, file: &str) -> Option<String> {
        let entries = self.records.len() as u64;
        if let Some(record) = ledger.files.get(file) {
            let hash = |number| self.hash_of(number);
            return record.newest.difference(entries, hash);
        }
        // The line of the ledger comes after that of the log: whoever was killed between both left one.
        let is_due = entries > 1 && self.records[0].flag(IN_LEDGER) == Some(true);
        is_due.then(|| "the ledger of the study has no line of it".to_owned())
    }
}

/// A line as it is written, with its end, and its hash.
fn sealed(record: &Record) -> (String, String) {
    // A record has text keys and plain values: it can always be written.
    let body = serde_json::to_string(record).unwrap_or_default();
    let body = body.strip_suffix('}').unwrap_or(&body);
    let hash = ChainHash::first(body.as_bytes());
    (LOG_SEAL.close(body, hash, JSON_CLOSER), hash.to_string())
}

/// The hash before the first line.
fn no_hash() -> String {
    "0".repeat(ChainHash::<32>::DIGITS)
}

/// The session that a log is of, by its name.
fn session_named(path: &Path) -> Option<&str> {
    path.file_stem()?.to_str()
}

/// The record of a line that follows and its hash; why it does not.
fn follow(line: &[u8], seq: u64, before: &str) -> Result<(Record, String), &'static str> {
    let (body, stated) = LOG_SEAL
        .split(line, JSON_CLOSER)
        .ok_or("it has no hash at its end")?;
    let hash = ChainHash::<32>::first(body);
    if !hash.is(stated) {
        return Err("its hash is not that of its text");
    }
    let record: Record = serde_json::from_slice(&[body, b"}"].concat())
        .map_err(|_error| "it is no record of a session")?;
    if record.v != 1 {
        return Err("its format is not known to this program");
    }
    if record.seq != seq {
        return Err("its number does not follow");
    }
    if record.prev_hash != before {
        return Err("it does not follow from the line before");
    }
    Ok((record, hash.to_string()))
}

/// Reads a log and checks its chain.
///
/// # Errors
/// If it cannot be read; the first line that does not follow.
pub fn read_log(path: &Path) -> Result<ReadLog, StudyError> {
    let file = File::open(path).map_err(StudyError::io(path))?;
    read_open(path, &file)
}

fn read_open(path: &Path, file: &File) -> Result<ReadLog, StudyError> {
    let bytes = read_at_most(file, MAX_LOG).map_err(StudyError::io(path))?;
    read_bytes(path, &bytes)
}

fn read_bytes(path: &Path, bytes: &[u8]) -> Result<ReadLog, StudyError> {
    let mut read = ReadLog {
        hash: no_hash(),
        ..ReadLog::default()
    };
    for row in RawLines::new(bytes) {
        let damaged = |what: &str| StudyError::Damaged {
            path: path.to_owned(),
            what: format!("line {}: {what}", row.line),
        };
        if !row.whole {
            if LOG_SEAL.is_whole_line_with_more(None, row.bytes, JSON_CLOSER) {
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
            return Err(damaged(&format!("it is of the session {}", record.session)));
        }
        read.records.push(record);
        read.hash = hash;
        read.length += row.bytes.len() as u64 + 1;
    }
    Ok(read)
}

/// A log that is open to be appended to. Nobody else can open it.
#[derive(Debug)]
pub struct EventLog {
    path: PathBuf,
    file: AppendFile,
    seq: u64,
    hash: String,
    /// None for simulated sessions, which can be made again: they are not waited for until they are on the disk.
    ledger: Option<FolderLedger>,
}

impl EventLog {
    /// Makes a log that was not there.
    ///
    /// # Errors
    /// If it was, or cannot be made.
    pub fn create(path: &Path, ledger: Option<FolderLedger>) -> Result<Self, StudyError> {
        let file = AppendFile::create(path).map_err(not_opened(path))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            seq: 0,
            hash: no_hash(),
            ledger,
        })
    }

    /// Opens a log to go on with it. A line that was cut off is taken away, and the ledger brought up to the log.
    ///
    /// # Errors
    /// If it is open elsewhere, cannot be read, was changed, or is less far than the ledger says.
    pub fn open(path: &Path, ledger: FolderLedger) -> Result<(Self, ReadLog), StudyError> {
        let file = OpenOptions::new().read(true).write(true).open(path);
        let file = file.and_then(AppendFile::lock);
        let mut file = file.map_err(not_opened(path))?;
        // Nobody writes to the log now, so it is as far as the ledger says by now.
        let state = ledger.read("").map_err(StudyError::io(ledger.path()))?;
        let read = read_open(path, file.file())?;
        let name = ledger.name_of(path);
        let difference = state.as_ref().and_then(|it| read.difference(it, &name));
        if let Some(what) = difference {
            let path = path.to_owned();
            return Err(StudyError::Damaged { path, what });
        }
        file.go_on_after(read.length)
            .map_err(StudyError::io(path))?;
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

    /// Appends a record, whose place in the chain is filled in. When this returns, it is on the disk.
    ///
    /// # Errors
    /// If it cannot be written: the log is then as it was.
    pub fn append(&mut self, record: Record) -> Result<Record, StudyError> {
        let record = Record {
            v: 1,
            seq: self.seq,
            prev_hash: self.hash.clone(),
            ..record
        };
        let (line, hash) = sealed(&record);
        let waits = self.ledger.is_some();
        let settle = |file: &File| if waits { file.sync_data() } else { Ok(()) };
        let written = self.file.append(line.as_bytes(), settle);
        written.map_err(StudyError::io(&self.path))?;
        self.seq += 1;
        self.hash = hash;
        // The first line of the ledger is waited for: a log without one and with more than one line was put there.
        let is_first = self.seq == 1;
        match self.note(&record.t_wall, is_first) {
            Err(error) if is_first => return Err(error),
            // The answer is kept, and the next line of the ledger says so.
            Err(error) => tracing::warn!(%error, "the ledger of the study"),
            Ok(()) => {}
        }
        Ok(record)
    }

    /// Writes into the ledger how far the log is.
    fn note(&self, at: &str, sync: bool) -> Result<(), StudyError> {
        let Some(ledger) = &self.ledger else {
            return Ok(());
        };
        let entry = LedgerLine {
            file: ledger.name_of(&self.path),
            entries: self.seq,
            length: self.file.length(),
            hash: self.hash.clone(),
            at: at.to_owned(),
        };
        ledger
            .note(&entry, sync)
            .map_err(StudyError::io(ledger.path()))
    }
}

/// Why a log cannot be opened to be appended to.
fn not_opened(path: &Path) -> impl FnOnce(io::Error) -> StudyError {
    let io = StudyError::io(path);
    |cause| match cause.kind() {
        io::ErrorKind::WouldBlock => StudyError::Open,
        _ => io(cause),
    }
}

/// The status of a session, by the records of its log.
pub fn status(records: &[Record]) -> Status {
    let mut latest = records.iter().rev();
    let status = latest.find_map(|record| Status::parse(record.text("status")?));
    status.unwrap_or(Status::Started)
}

/// The status of a session, by its log alone.
///
/// # Errors
/// If the log cannot be read or was changed.
pub fn status_of(path: &Path) -> Result<(Status, Vec<Record>), StudyError> {
    let records = read_log(path)?.records;
    Ok((status(&records), records))
}

impl StudyError {
    /// How a session ends that cannot begin, or go on, for a reason that its participant is told.
    pub fn ends(&self) -> Option<Status> {
        match self {
            Self::Full(_) => Some(Status::Full),
            Self::Expired(_) => Some(Status::Expired),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn record(kind: &str) -> Record {
        Record {
            v: 1,
            seq: 0,
            prev_hash: String::new(),
            session: "s0000".to_owned(),
            participant: "p0000".to_owned(),
            slot: Some(0),
            stage: "Pilot".to_owned(),
            t_wall: "2026-11-21T09:14:03Z".to_owned(),
            t_mono_ms: 0,
            t_active_ms: 0,
            block: None,
            trial: Some(1),
            round: None,
            condition: Some("direct".to_owned()),
            item: None,
            role: "judge".to_owned(),
            kind: kind.to_owned(),
            payload: serde_json::json!({"p": 0.7, "text": "a \"}\" b"}),
        }
    }

    fn ledger(folder: &Path) -> FolderLedger {
        FolderLedger::of(folder)
    }

    fn three(folder: &Path) -> PathBuf {
        let path = folder.join("s0000.jsonl");
        let ledger = ledger(folder);
        ledger.begin(&[]).unwrap();
        let mut log = EventLog::create(&path, Some(ledger)).unwrap();
        for kind in ["start", "prior", "final"] {
            log.append(record(kind)).unwrap();
        }
        path
    }

    #[test]
    fn every_flipped_byte_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = three(folder.path());
        let sound = fs::read(&path).unwrap();
        assert_eq!(read_log(&path).unwrap().records.len(), 3);
        for place in 0..sound.len() {
            let mut bytes = sound.clone();
            bytes[place] ^= [0x01_u8, 0x20, 0x80][place % 3];
            assert!(read_bytes(&path, &bytes).is_err(), "byte {place}");
        }
    }

    #[test]
    fn a_log_that_was_cut_off_anywhere_goes_on_with_its_whole_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = three(folder.path());
        let sound = fs::read(&path).unwrap();
        let ends: Vec<usize> = sound
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .map(|(at, _)| at)
            .collect();
        for length in 0..sound.len() {
            let read = read_bytes(&path, &sound[..length]).unwrap();
            let whole = ends.iter().filter(|end| **end < length).count();
            assert_eq!(read.records.len(), whole);
            if length % 97 == 0 {
                fs::write(&path, &sound[..length]).unwrap();
                fs::remove_file(ledger(folder.path()).path()).unwrap();
                ledger(folder.path()).begin(&[]).unwrap();
                let (mut log, _) = EventLog::open(&path, ledger(folder.path())).unwrap();
                log.append(record("more")).unwrap();
                drop(log);
                assert_eq!(read_log(&path).unwrap().records.len(), whole + 1);
            }
        }
    }

    #[test]
    fn a_disk_that_says_no_is_heard_and_loses_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = three(folder.path());
        let (mut log, _) = EventLog::open(&path, ledger(folder.path())).unwrap();
        let sound = fs::read(&path).unwrap();
        // A file that is open for reading takes no word.
        // A file that can be read alone.
        let other = folder.path().join("other");
        fs::write(&other, "").unwrap();
        let unwritable = AppendFile::lock(File::open(&other).unwrap()).unwrap();
        let good = std::mem::replace(&mut log.file, unwritable);
        let error = log.append(record("more")).unwrap_err();
        assert!(error.is_passing(), "{error}");
        assert_eq!(fs::read(&path).unwrap(), sound);
        log.file = good;
        log.append(record("more")).unwrap();
        assert_eq!(read_log(&path).unwrap().records.len(), 4);
    }

    #[test]
    fn a_log_is_open_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = three(folder.path());
        let (_log, _) = EventLog::open(&path, ledger(folder.path())).unwrap();
        assert!(matches!(
            EventLog::open(&path, ledger(folder.path())),
            Err(StudyError::Open)
        ));
    }
}
