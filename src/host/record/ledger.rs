//! The ledger of a folder of chained files: for each file its newest length and hash, as they were written.
//!
//! A chain finds what was changed within a file. It does not find a file whose last lines were cut off, that was
//! emptied, deleted, or put in the place of another. The ledger does: a line for each entry that was added to a file,
//! written after the entry itself was on the disk. So a killed program leaves files that are as far as the ledger
//! says, or further, and never less far.
//!
//! Many processes append to one ledger. Each line is written at once and has a check of its own; a line that was cut
//! off, or changed, is passed over and counted. Lines of one file follow each other, as one process writes to it.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::chain::{ChainHash, JSON_CLOSER, LEDGER_SEAL};
use super::small_files::create_whole;
use debate_solver::setup::check_plain;

/// The name of the ledger in its folder.
const NAME: &str = "ledger.log";

/// How far a file was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerLine {
    /// The file below the ledger's folder, with `/` between names.
    pub file: String,
    /// Its entries.
    pub entries: u64,
    /// Its bytes.
    pub length: u64,
    /// The hash of its last entry.
    pub hash: String,
    /// When that was written, in UTC.
    pub at: String,
}

impl LedgerLine {
    /// How a file that has so many entries differs from what was written; `None` where it is as far, or further.
    /// `hash` gives the hash of the file's entry of a number, from 1.
    pub fn difference<'h>(
        &self,
        entries: u64,
        hash: impl FnOnce(u64) -> Option<&'h str>,
    ) -> Option<String> {
        let written = self.entries;
        if entries < written {
            return Some(format!("it has {entries} of {written} lines"));
        }
        let same = written == 0 || hash(written) == Some(self.hash.as_str());
        (!same).then(|| format!("line {written} is not the one that was written"))
    }

    fn line(&self) -> String {
        // Texts and numbers can always be written.
        let body = serde_json::to_string(self).unwrap_or_default();
        let body = body.strip_suffix('}').unwrap_or(&body);
        LEDGER_SEAL.close(body, ChainHash::first(body.as_bytes()), JSON_CLOSER)
    }

    fn parse(line: &[u8]) -> Option<Self> {
        let (body, check) = LEDGER_SEAL.split(line, JSON_CLOSER)?;
        let entry = serde_json::from_slice(&[body, b"}"].concat()).ok()?;
        ChainHash::<8>::first(body).is(check).then_some(entry)
    }
}

/// What a ledger says of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerFile {
    pub newest: LedgerLine,
    /// The latest time of the lines up to the newest one of this file: when that was written, a clock had shown this
    /// time already. Times after the one at which the ledger is read are left out.
    pub latest: String,
}

/// What a ledger says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerState {
    pub files: BTreeMap<String, LedgerFile>,
    /// Lines that cannot be read.
    pub unreadable: usize,
}

/// The ledger of a folder.
#[derive(Clone, Debug)]
pub struct FolderLedger {
    path: PathBuf,
}

impl FolderLedger {
    pub fn of(folder: &Path) -> Self {
        Self {
            path: folder.join(NAME),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file below the ledger's folder, as lines name it.
    pub fn name_of(&self, file: &Path) -> String {
        let folder = self.path.parent().unwrap_or_else(|| Path::new(""));
        let name = file.strip_prefix(folder).unwrap_or(file);
        name.to_string_lossy().replace('\\', "/")
    }

    /// Makes the ledger of files that are there already; one that is there stays.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(&self, entries: &[LedgerLine]) -> io::Result<()> {
        let lines: String = entries.iter().map(LedgerLine::line).collect();
        match create_whole(&self.path, lines) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            written => written,
        }
    }

    /// Adds a line. With `sync` it is on the disk when this returns. Without, a power cut may take it: the file is
    /// then further than the ledger, which is no difference.
    ///
    /// # Errors
    /// If there is no ledger, or it cannot be written.
    pub fn note(&self, entry: &LedgerLine, sync: bool) -> io::Result<()> {
        check_plain(&self.path)?;
        let mut options = OpenOptions::new();
        let mut file = options.read(true).append(true).open(&self.path)?;
        // A line that somebody was killed in has no end: this one does not go on with it.
        let opener = if ends_line(&mut file)? { "" } else { "\n" };
        file.write_all(format!("{opener}{}", entry.line()).as_bytes())?;
        if sync { file.sync_data() } else { Ok(()) }
    }

    /// What the ledger says at a time, in UTC; `None` where there is none.
    ///
    /// # Errors
    /// If it is there and cannot be read.
    pub fn read(&self, now: &str) -> io::Result<Option<LedgerState>> {
        let bytes = match check_plain(&self.path).and_then(|()| fs::read(&self.path)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read?,
        };
        let mut state = LedgerState::default();
        let mut latest = String::new();
        for line in bytes.split(|byte| *byte == b'\n') {
            let Some(newest) = LedgerLine::parse(line) else {
                state.unreadable += usize::from(!line.is_empty());
                continue;
            };
            // Times in UTC are in the order of their texts.
            if newest.at > latest && newest.at.as_str() <= now {
                latest.clone_from(&newest.at);
            }
            let record = LedgerFile {
                latest: latest.clone(),
                newest,
            };
            state.files.insert(record.newest.file.clone(), record);
        }
        Ok(Some(state))
    }
}

/// Whether a file is empty, or ends with a line's end.
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

    fn entry(file: &str, entries: u64, at: &str) -> LedgerLine {
        LedgerLine {
            file: file.to_owned(),
            entries,
            length: 100 * entries,
            hash: format!("{entries:064}"),
            at: at.to_owned(),
        }
    }

    const NOW: &str = "2026-11-21T00:00:00Z";

    #[test]
    fn the_newest_line_of_each_file_stands_and_one_that_cannot_be_read_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = FolderLedger::of(folder.path());
        assert_eq!(ledger.read(NOW).unwrap(), None);
        let first = entry("raw/a", 1, "2026-11-20T00:00:00Z");
        let absent = ledger.note(&first, false).unwrap_err();
        assert_eq!(absent.kind(), io::ErrorKind::NotFound);
        ledger.begin(std::slice::from_ref(&first)).unwrap();
        // Of two who begin it at once the first has begun it.
        ledger.begin(&[]).unwrap();
        let second = entry("raw/a", 2, "2026-11-17T00:00:00Z");
        ledger.note(&second, true).unwrap();
        let text = fs::read(ledger.path()).unwrap();
        // Somebody was killed within a line.
        let cut = &text[..text.len() - 7];
        fs::write(ledger.path(), cut).unwrap();
        let third = entry("raw/b", 3, "2999-01-01T00:00:00Z");
        ledger.note(&third, false).unwrap();
        let state = ledger.read(NOW).unwrap().unwrap();
        assert_eq!(state.unreadable, 1);
        assert_eq!(state.files["raw/a"].newest, first);
        assert_eq!(state.files["raw/b"].newest, third);
        ledger.note(&second, false).unwrap();
        let state = ledger.read(NOW).unwrap().unwrap();
        assert_eq!(state.files["raw/a"].newest, second);
        // The clock was set back between both lines, and one runs ahead.
        assert_eq!(state.files["raw/a"].latest, "2026-11-20T00:00:00Z");
    }

    #[test]
    fn no_changed_byte_of_a_line_is_believed() {
        let line = entry("raw/a", 7, NOW).line();
        let line = line.trim_end();
        assert!(LedgerLine::parse(line.as_bytes()).is_some());
        for place in 0..line.len() {
            let mut bytes = line.as_bytes().to_vec();
            bytes[place] ^= 1;
            assert_eq!(LedgerLine::parse(&bytes), None, "byte {place}");
        }
    }

    #[test]
    fn many_who_write_at_once_lose_no_line() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = FolderLedger::of(folder.path());
        ledger.begin(&[]).unwrap();
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let ledger = &ledger;
                scope.spawn(move || {
                    for entries in 1..=50 {
                        let entry = entry(&format!("raw/{writer}"), entries, NOW);
                        ledger.note(&entry, false).unwrap();
                    }
                });
            }
        });
        let state = ledger.read(NOW).unwrap().unwrap();
        assert_eq!((state.files.len(), state.unreadable), (8, 0));
        assert!(state.files.values().all(|file| file.newest.entries == 50));
    }

    #[test]
    fn a_file_may_be_further_than_its_ledger_and_not_less_far() {
        let noted = entry("raw/a", 2, NOW);
        let hashes = ["x", &format!("{:064}", 2), "y"].map(str::to_owned);
        let hash = |number: u64| hashes.get(usize::try_from(number - 1).unwrap());
        let difference =
            |entries| noted.difference(entries, |number| hash(number).map(String::as_str));
        assert_eq!((difference(2), difference(3)), (None, None));
        assert!(difference(1).unwrap().contains("1 of 2 lines"));
        let other = noted.difference(3, |_| Some("x"));
        assert!(other.unwrap().contains("line 2 is not"));
    }
}
