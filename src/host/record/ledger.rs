//! The ledger of a folder of chained files: the newest length and hash of each file.
//!
//! A hash chain detects changes within a file. It does not detect a file that was truncated, emptied, deleted or
//! replaced by another one. The ledger does. It has a line for each entry that was added to a file, written after the
//! entry was on the disk. So if the program is killed, a file has at least the entries that the ledger states.
//!
//! Many processes append to one ledger. Each line is written in one call and has a separate check. A line that was
//! truncated or changed is skipped and counted. Lines of one file are in order, because only one process writes to the
//! file.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::chain::{ChainHash, JSON_CLOSER, LEDGER_HASH_POSITION};
use super::small_files::create_file_atomically;
use debate_solver::setup::check_regular_file;

/// The name of the ledger in its folder.
const NAME: &str = "ledger.log";

/// A line of the ledger, written when an entry was appended to a chained file: the file's length and last hash at that
/// time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "LedgerLine")]
pub struct FileHashLedgerLine {
    /// The path of the file relative to the ledger's folder, with `/` between names.
    pub file: String,
    /// The number of the file's entries.
    pub entries: u64,
    /// The number of the file's bytes.
    pub length: u64,
    /// The hash of the last entry of the file.
    pub hash: String,
    /// The time of the entry, in UTC.
    pub at: String,
}

impl FileHashLedgerLine {
    /// Compares a file that now has `entries` entries with this ledger line. Returns the difference; `None` if the file
    /// contains the entries that the line states, and maybe more. `hash` returns the hash of an entry by its number,
    /// from 1.
    pub fn difference<'h>(
        &self,
        entries: u64,
        hash: impl FnOnce(u64) -> Option<&'h str>,
    ) -> Option<String> {
        let written = self.entries;
        if entries < written {
            return Some(format!(
                "the log has only {entries} of the {written} lines that the ledger counts"
            ));
        }
        let same = written == 0 || hash(written) == Some(self.hash.as_str());
        (!same).then(|| format!("line {written} was changed"))
    }

    fn line(&self) -> String {
        // Cannot fail: the line consists of strings and numbers.
        let body = serde_json::to_string(self).unwrap_or_default();
        let body = body.strip_suffix('}').unwrap_or(&body);
        LEDGER_HASH_POSITION.line_closed_with_hash(
            body,
            ChainHash::hash_without_previous_line(body.as_bytes()),
            JSON_CLOSER,
        )
    }

    fn parse(line: &[u8]) -> Option<Self> {
        let (body, check) = LEDGER_HASH_POSITION.split(line, JSON_CLOSER)?;
        let entry = serde_json::from_slice(&[body, b"}"].concat()).ok()?;
        ChainHash::<8>::hash_without_previous_line(body)
            .matches_hex_digits(check)
            .then_some(entry)
    }
}

/// The ledger's information about one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewestLedgerLineOfFile {
    pub newest: FileHashLedgerLine,
    /// The latest time that any ledger line states up to the newest line about this file. When that line was written,
    /// the clock had reached this time. Times in the future of the reader are ignored.
    pub latest: String,
}

/// The content of a ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HashLedgerContent {
    pub files: BTreeMap<String, NewestLedgerLineOfFile>,
    /// The number of ledger lines that cannot be read.
    pub unreadable: usize,
}

/// The ledger of a folder.
#[derive(Clone, Debug)]
pub struct FileHashLedger {
    path: PathBuf,
}

impl FileHashLedger {
    pub fn ledger_in_folder(folder: &Path) -> Self {
        Self {
            path: folder.join(NAME),
        }
    }

    pub fn hash_ledger_path(&self) -> &Path {
        &self.path
    }

    /// Returns the path by which the ledger's lines name a file: relative to the ledger's folder, with `/` between
    /// names.
    pub fn file_path_in_ledger(&self, file: &Path) -> String {
        let folder = self.path.parent().unwrap_or_else(|| Path::new(""));
        let name = file.strip_prefix(folder).unwrap_or(file);
        name.to_string_lossy().replace('\\', "/")
    }

    /// Creates the ledger for existing files. An existing ledger is kept.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn create_for_files(&self, entries: &[FileHashLedgerLine]) -> io::Result<()> {
        let lines: String = entries.iter().map(FileHashLedgerLine::line).collect();
        match create_file_atomically(&self.path, lines) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            written => written,
        }
    }

    /// Appends a line to the ledger. If `sync` is true, the line is on the disk when the call returns. Otherwise a
    /// power cut may lose it: the file then has more entries than the ledger, which is not a difference.
    ///
    /// # Errors
    /// If there is no ledger, or it cannot be written.
    pub fn append_ledger_line(&self, entry: &FileHashLedgerLine, sync: bool) -> io::Result<()> {
        check_regular_file(&self.path)?;
        let mut options = OpenOptions::new();
        let mut file = options.read(true).append(true).open(&self.path)?;
        // The last line has no newline if its writer was killed. The new line must not continue it.
        let opener = if ends_line(&mut file)? { "" } else { "\n" };
        file.write_all(format!("{opener}{}", entry.line()).as_bytes())?;
        if sync { file.sync_data() } else { Ok(()) }
    }

    /// Returns the content of the ledger, as read at the given time in UTC; `None` if there is no ledger.
    ///
    /// # Errors
    /// If it exists and cannot be read.
    pub fn read_hash_ledger_with_times_until(
        &self,
        latest_believed_time: &str,
    ) -> io::Result<Option<HashLedgerContent>> {
        let bytes = match check_regular_file(&self.path).and_then(|()| fs::read(&self.path)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read?,
        };
        let mut state = HashLedgerContent::default();
        let mut latest = String::new();
        for line in bytes.split(|byte| *byte == b'\n') {
            let Some(newest) = FileHashLedgerLine::parse(line) else {
                state.unreadable += usize::from(!line.is_empty());
                continue;
            };
            // UTC times sort as their texts do.
            if newest.at > latest && newest.at.as_str() <= latest_believed_time {
                latest.clone_from(&newest.at);
            }
            let record = NewestLedgerLineOfFile {
                latest: latest.clone(),
                newest,
            };
            state.files.insert(record.newest.file.clone(), record);
        }
        Ok(Some(state))
    }
}

/// True if a file is empty or ends with a newline.
fn ends_line(file: &mut File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(file: &str, entries: u64, at: &str) -> FileHashLedgerLine {
        FileHashLedgerLine {
            file: file.to_owned(),
            entries,
            length: 100 * entries,
            hash: format!("{entries:064}"),
            at: at.to_owned(),
        }
    }

    const NOW: &str = "2026-11-21T00:00:00Z";

    #[test]
    fn the_newest_line_of_each_file_counts_and_bad_lines_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = FileHashLedger::ledger_in_folder(folder.path());
        assert_eq!(ledger.read_hash_ledger_with_times_until(NOW).unwrap(), None);
        let first = entry("raw/a", 1, "2026-11-20T00:00:00Z");
        let absent = ledger.append_ledger_line(&first, false).unwrap_err();
        assert_eq!(absent.kind(), io::ErrorKind::NotFound);
        ledger
            .create_for_files(std::slice::from_ref(&first))
            .unwrap();
        // A second attempt to begin the ledger changes nothing.
        ledger.create_for_files(&[]).unwrap();
        let second = entry("raw/a", 2, "2026-11-17T00:00:00Z");
        ledger.append_ledger_line(&second, true).unwrap();
        let text = fs::read(ledger.hash_ledger_path()).unwrap();
        // A writer was killed in the middle of a line.
        let cut = &text[..text.len() - 7];
        fs::write(ledger.hash_ledger_path(), cut).unwrap();
        let third = entry("raw/b", 3, "2999-01-01T00:00:00Z");
        ledger.append_ledger_line(&third, false).unwrap();
        let state = ledger
            .read_hash_ledger_with_times_until(NOW)
            .unwrap()
            .unwrap();
        assert_eq!(state.unreadable, 1);
        assert_eq!(state.files["raw/a"].newest, first);
        assert_eq!(state.files["raw/b"].newest, third);
        ledger.append_ledger_line(&second, false).unwrap();
        let state = ledger
            .read_hash_ledger_with_times_until(NOW)
            .unwrap()
            .unwrap();
        assert_eq!(state.files["raw/a"].newest, second);
        // The clock was set back between both lines, and one clock runs ahead.
        assert_eq!(state.files["raw/a"].latest, "2026-11-20T00:00:00Z");
    }

    #[test]
    fn every_changed_byte_of_a_line_is_detected() {
        let line = entry("raw/a", 7, NOW).line();
        let line = line.trim_end();
        assert!(FileHashLedgerLine::parse(line.as_bytes()).is_some());
        for index in 0..line.len() {
            let mut bytes = line.as_bytes().to_vec();
            bytes[index] ^= 1;
            assert_eq!(FileHashLedgerLine::parse(&bytes), None, "byte {index}");
        }
    }

    #[test]
    fn concurrent_writers_lose_no_line() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = FileHashLedger::ledger_in_folder(folder.path());
        ledger.create_for_files(&[]).unwrap();
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let ledger = &ledger;
                scope.spawn(move || {
                    for entries in 1..=50 {
                        let entry = entry(&format!("raw/{writer}"), entries, NOW);
                        ledger.append_ledger_line(&entry, false).unwrap();
                    }
                });
            }
        });
        let state = ledger
            .read_hash_ledger_with_times_until(NOW)
            .unwrap()
            .unwrap();
        assert_eq!((state.files.len(), state.unreadable), (8, 0));
        assert!(state.files.values().all(|file| file.newest.entries == 50));
    }

    #[test]
    fn a_file_may_be_longer_than_its_ledger_entry_but_not_shorter() {
        let noted = entry("raw/a", 2, NOW);
        let hashes = ["x", &format!("{:064}", 2), "y"].map(str::to_owned);
        let hash = |number: u64| hashes.get(usize::try_from(number - 1).unwrap());
        let difference =
            |entries| noted.difference(entries, |number| hash(number).map(String::as_str));
        assert_eq!((difference(2), difference(3)), (None, None));
        assert!(difference(1).unwrap().contains("1 of the 2 lines"));
        let other = noted.difference(3, |_| Some("x"));
        assert!(other.unwrap().contains("line 2 was changed"));
    }
}
