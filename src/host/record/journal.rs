//! The journal of a running debate: its save on the disk, written as moves are made.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::scan::read_save_bytes;
use super::sidecar::{self, RegularFileOpenError, Sidecar};
use super::small_files::{self, create_private_folder, delete_label};
use super::syntax::{MAX_SAVE, time_for_file_name};
use super::{
    ChainHash, LockedAppendFile, ReplyMeta, Result, Save, SaveFileError, SaveHeader,
    SaveLineFormatter, SaveLinesToWrite,
};
use debate_core::player::{MoveWithEvents, SeatedDebate};
use debate_core::{Exact, Seat};

/// Maximum number of bytes of a save and of files beside it that wait to be written; above it, the journal writes them
/// without a request.
const MAX_WAITING: usize = 1 << 20;

/// Maximum number of saves that begin in the same second under the same name.
const MAX_ALIKE: u32 = 9_999;

/// The times at which the journal of a debate waits until its lines are on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Syncs {
    EachFlush,
    AtTheEnd,
}

/// A save that is being written.
///
/// The caller appends each move as it is made. It calls [`Self::flush`] before a person or an engine is asked or shown
/// a result of their last reply, and when the program ends. [`Self::finish_save`] flushes automatically. Between two
/// such calls only built-in players and chance move, and they would make the same moves again. So only a few lines
/// wait, and no acknowledged reply is lost. After [`Self::defer_disk_sync_to_end`], a power cut can still lose replies.
///
/// A failed write leaves the file as it was at the last flush and keeps the waiting lines, so that the next flush tries
/// again. Only one program at a time can have a journal of a save.
#[derive(Debug)]
pub struct SaveJournal {
    file: LockedAppendFile,
    path: PathBuf,
    pub(crate) writer: SaveLineFormatter,
    waiting: Vec<u8>,
    /// Files that must be on the disk before the waiting lines are written.
    sidecars: Vec<Sidecar>,
    /// The hash of the last line in the save's file, on which the hash of the next line will depend.
    link: ChainHash,
    /// The time of the last write to the save's file; `None` if it is not known.
    written: Option<SystemTime>,
    finished: bool,
    /// True if the folder's entry for the save's file is on the disk.
    named: bool,
    syncs: Syncs,
}

impl SaveJournal {
    /// Creates a save in a folder, which is created if it does not exist. The file name consists of the time, a word
    /// that names the debate, and a counter. No file is ever overwritten.
    ///
    /// # Errors
    /// If the folder or the file cannot be created or written.
    pub fn create_save(folder: &Path, file_name_word: &str, header: &SaveHeader) -> Result<Self> {
        make_folder(folder)?;
        let unwritten = |error| match error {
            SaveFileError::Io { cause, .. } => {
                SaveFileError::saves_folder_error(folder, "written to")(cause)
            }
            other => other,
        };
        for sidecar in header.required_sidecars() {
            sidecar.write_sidecar(folder).map_err(unwritten)?;
        }
        let (writer, text) = SaveLineFormatter::begin_save(header);
        let (path, file) = new_file(folder, file_name_word, text.as_bytes())?;
        let journal = Self {
            written: modified(&file.file),
            file,
            path,
            link: writer.link,
            writer,
            waiting: Vec::new(),
            sidecars: Vec::new(),
            finished: false,
            named: false,
            syncs: Syncs::EachFlush,
        };
        tracing::info!(path = %journal.path.display(), "save begun");
        Ok(journal)
    }

    /// Opens an unfinished save to continue it. An incomplete last line is cut off; the returned save reports it. If
    /// the debate is over, only its closing line was lost, and [`Self::finish_save`] writes it.
    ///
    /// # Errors
    /// If the file cannot be opened, is a link, is not a save, is damaged or finished, or is open in another program.
    pub fn open_to_continue(path: &Path) -> Result<(Save, Self)> {
        let mut options = OpenOptions::new();
        let file =
            sidecar::open_regular_file(path, options.read(true).write(true)).map_err(not_opened)?;
        let mut file = LockedAppendFile::lock_for_appending(file).map_err(not_locked)?;
        let save = Save::parse(&read_save_bytes(&file.file)?)?.with_sidecar_folder_of(path);
        if save.stated_debate_end().is_some() {
            return Err(SaveFileError::Finished);
        }
        file.cut_file_to_length(save.length)
            .map_err(SaveFileError::io_error("repaired"))?;
        let journal = Self {
            written: modified(&file.file),
            file,
            path: path.to_owned(),
            writer: SaveLineFormatter::line_formatter_to_continue_save(&save),
            waiting: Vec::new(),
            sidecars: Vec::new(),
            link: save.link,
            finished: false,
            named: true,
            syncs: Syncs::EachFlush,
        };
        Ok((save, journal))
    }

    pub fn save_path(&self) -> &Path {
        &self.path
    }

    /// Makes later flushes hand lines to the system without waiting for the disk until the debate ends. If the program
    /// is killed, nothing is lost; a power cut loses at most this debate.
    pub fn defer_disk_sync_to_end(&mut self) {
        self.syncs = Syncs::AtTheEnd;
    }

    /// Deletes the save. Files stored beside it stay, because other saves may need them.
    ///
    /// # Errors
    /// If it cannot be deleted.
    pub fn delete_save_file(&self) -> Result<()> {
        fs::remove_file(&self.path).map_err(SaveFileError::io_error("deleted"))
    }

    /// Appends to the save the latest move of a [`SeatedDebate`].
    ///
    /// # Errors
    /// If the move cannot be saved, or if the waiting lines must be written now and cannot be.
    pub fn append_latest_move(&mut self, made: MoveWithEvents<'_, Exact>) -> Result<()> {
        self.write(|writer| writer.move_line(made, &ReplyMeta::default()))
    }

    /// Appends a line to the save that undoes all moves after the first `kept_moves`. This is the number that
    /// [`SeatedDebate::undo_reply_of_user_or_driving_program`] returns.
    ///
    /// # Errors
    /// If the undo would take back a coin, or as [`Self::append_latest_move`].
    pub fn append_undo(&mut self, kept_moves: usize) -> Result<()> {
        self.write(|writer| writer.save_line_of_undo(kept_moves))
    }

    /// Appends the closing line to the save of a debate that is over, and flushes. If only the flush fails, a later
    /// flush tries again.
    ///
    /// # Errors
    /// If the debate is not over, the save is ended already, or as [`Self::flush`].
    pub fn finish_save(&mut self, seating: &SeatedDebate<'_, Exact>) -> Result<()> {
        self.end(|writer| writer.closing_line(seating.state(), seating.log()))
    }

    /// Appends the closing line to the save of a debate that a player's fault ended. The caller has already appended
    /// the fault.
    ///
    /// # Errors
    /// If the save is ended already, or the disk reports an error.
    pub fn finish_by_forfeit(&mut self, seat: Seat, fault: &str) -> Result<()> {
        self.end(|writer| writer.closing_line_of_forfeit(seat, fault))
    }

    fn end(&mut self, make: impl FnOnce(&mut SaveLineFormatter) -> Result<String>) -> Result<()> {
        if self.finished {
            return Err(SaveFileError::Finished);
        }
        let text = make(&mut self.writer)?;
        self.finished = true;
        self.waiting.extend_from_slice(text.as_bytes());
        self.flush()
    }

    /// Writes all waiting lines and returns once they are on the disk. After [`Self::defer_disk_sync_to_end`], waits
    /// for the disk only if the debate has ended.
    ///
    /// # Errors
    /// If the lines cannot be written, the save would be too large, or another program has changed or removed the file.
    /// The waiting lines are kept.
    pub fn flush(&mut self) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let length = self.file.length;
        let failed = self.file.failed;
        if length + self.waiting.len() as u64 > MAX_SAVE {
            return Err(SaveFileError::TooLarge);
        }
        let metadata = self
            .file
            .file
            .metadata()
            .map_err(SaveFileError::io_error("written"))?;
        if !failed && metadata.len() != length || is_removed(&metadata) {
            return Err(SaveFileError::ChangedOnDisk);
        }
        let unchanged = self.written.is_some() && metadata.modified().ok() == self.written;
        if !failed && !unchanged {
            self.check_file_is_unchanged()?;
        }
        if !self.sidecars.is_empty() {
            let folder = sidecar::folder_of(&self.path);
            for sidecar in &self.sidecars {
                sidecar.write_sidecar(folder)?;
            }
            self.sidecars.clear();
        }
        let waits = self.syncs == Syncs::EachFlush || self.finished;
        let path = &self.path;
        let is_named = self.named;
        let settle = |file: &File| {
            if !waits {
                return Ok(());
            }
            file.sync_data()?;
            if is_named {
                Ok(())
            } else {
                sidecar::sync_folder(sidecar::folder_of(path))
            }
        };
        let written = self.file.append(&self.waiting, settle);
        written.map_err(SaveFileError::io_error("written"))?;
        self.named |= waits;
        self.link = self.writer.link;
        self.written = modified(&self.file.file);
        self.waiting.clear();
        Ok(())
    }

    /// Reads the file again, and checks that it contains exactly the written lines.
    ///
    /// # Errors
    /// If another program has changed or replaced the file.
    pub fn check_file_is_unchanged(&self) -> Result<()> {
        let same = Save::read_save(&self.path).is_ok_and(|save| {
            save.link == self.link && save.length == self.file.length && save.torn.is_none()
        });
        if same {
            Ok(())
        } else {
            Err(SaveFileError::ChangedOnDisk)
        }
    }

    /// Returns the state for [`Self::roll_back_to`].
    pub(crate) fn savepoint(&self) -> SaveJournalSavepoint {
        SaveJournalSavepoint {
            writer: self.writer.clone(),
            waiting: self.waiting.len(),
            sidecars: self.sidecars.len(),
            length: self.file.length,
            finished: self.finished,
        }
    }

    /// Removes all lines that were appended to the save since the savepoint. Returns false, and removes nothing, if the
    /// journal has written lines to the save's file since the savepoint.
    pub(crate) fn roll_back_to(&mut self, savepoint: SaveJournalSavepoint) -> bool {
        if self.file.length != savepoint.length {
            return false;
        }
        self.writer = savepoint.writer;
        self.waiting.truncate(savepoint.waiting);
        self.sidecars.truncate(savepoint.sidecars);
        self.finished = savepoint.finished;
        true
    }

    /// Appends to the save the lines that `make` returns.
    pub(crate) fn write(
        &mut self,
        make: impl FnOnce(&mut SaveLineFormatter) -> Result<SaveLinesToWrite>,
    ) -> Result<()> {
        if self.finished {
            return Err(SaveFileError::Finished);
        }
        let chunk = make(&mut self.writer)?;
        self.waiting.extend_from_slice(chunk.text.as_bytes());
        self.sidecars.extend(chunk.sidecars);
        let sidecars: usize = self.sidecars.iter().map(|file| file.bytes().len()).sum();
        if self.waiting.len() + sidecars > MAX_WAITING {
            self.flush()?;
        }
        Ok(())
    }
}

/// A savepoint: a state of a journal to which the journal can roll back.
pub(crate) struct SaveJournalSavepoint {
    writer: SaveLineFormatter,
    waiting: usize,
    sidecars: usize,
    length: u64,
    finished: bool,
}

/// Returns the time at which a file was last written.
fn modified(file: &File) -> Option<SystemTime> {
    file.metadata()
        .and_then(|metadata| metadata.modified())
        .ok()
}

/// Writes the waiting lines when the program exits early. An error is only logged: a caller that must know the result
/// calls [`SaveJournal::flush`] first.
impl Drop for SaveJournal {
    fn drop(&mut self) {
        if let Err(error) = self.flush() {
            tracing::error!(path = %self.path.display(), %error, "the save could not be written completely");
        }
    }
}

/// Deletes a save, finished or not, and its label. Files stored beside it stay, because other saves may need them.
///
/// # Errors
/// If the path is a link or is not a file, another program has it open, or it cannot be deleted.
pub fn delete_save_and_label(path: &Path) -> Result<()> {
    let file =
        sidecar::open_regular_file(path, OpenOptions::new().read(true)).map_err(not_opened)?;
    let _file = LockedAppendFile::lock_for_appending(file).map_err(not_locked)?;
    fs::remove_file(path).map_err(SaveFileError::io_error("deleted"))?;
    delete_label(path).map_err(SaveFileError::io_error("forgotten"))?;
    tracing::info!(path = %path.display(), "save deleted");
    Ok(())
}

fn make_folder(folder: &Path) -> Result<()> {
    create_private_folder(folder).map_err(SaveFileError::saves_folder_error(folder, "made"))
}

/// Creates a new file that begins with `header`. The file gets its name after the header is written, so a program that
/// is killed in between leaves no save with half a header.
fn new_file(folder: &Path, word: &str, header: &[u8]) -> Result<(PathBuf, LockedAppendFile)> {
    let unwritten = SaveFileError::saves_folder_error(folder, "written to");
    if header.len() as u64 > MAX_SAVE {
        return Err(SaveFileError::TooLarge);
    }
    let (time, word) = (time_for_file_name(SystemTime::now()), plain(word));
    let mut unnamed = match small_files::write_private_temporary_file(folder, header) {
        Ok(file) => file,
        Err(cause) => return Err(unwritten(cause)),
    };
    for counter in 1..=MAX_ALIKE {
        let path = folder.join(format!("{time}-{word}-{counter}.ron"));
        match unnamed.persist_noclobber(&path) {
            Ok(file) => {
                let mut file = LockedAppendFile::lock_for_appending(file).map_err(not_locked)?;
                file.length = header.len() as u64;
                return Ok((path, file));
            }
            Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => {
                unnamed = taken.file;
            }
            Err(failed) => return Err(unwritten(failed.error)),
        }
    }
    Err(SaveFileError::NoName)
}

/// Reduces a word to characters that every file system accepts.
fn plain(word: &str) -> String {
    const LENGTH: usize = 40;
    let mut name = String::new();
    for c in word.chars().take(4 * LENGTH) {
        if c.is_ascii_alphanumeric() {
            name.push(c.to_ascii_lowercase());
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
        if name.len() == LENGTH {
            break;
        }
    }
    match name.trim_end_matches('-') {
        "" => "debate".to_owned(),
        name => name.to_owned(),
    }
}

fn not_opened(why: RegularFileOpenError) -> SaveFileError {
    match why {
        RegularFileOpenError::NotAFile => SaveFileError::NotAFile,
        RegularFileOpenError::Io(cause) => SaveFileError::io_error("opened")(cause),
    }
}

fn not_locked(cause: io::Error) -> SaveFileError {
    match cause.kind() {
        io::ErrorKind::WouldBlock => SaveFileError::Locked,
        _ => SaveFileError::io_error("locked")(cause),
    }
}

/// True if the open file was deleted from its folder, so that everything written to it is lost.
#[cfg(unix)]
fn is_removed(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) == 0
}

#[cfg(not(unix))]
fn is_removed(_metadata: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::io::{Seek as _, SeekFrom, Write as _};

    use super::super::tests::{Fixture, RULES, entropy};
    use super::*;

    #[test]
    fn a_failed_write_is_reported_and_the_journal_stays_sound() {
        let folder = tempfile::tempdir().unwrap();
        let table = Fixture::small(RULES[0]);
        let (first, second) = (
            table.played(&mut entropy(0), 1),
            table.played(&mut entropy(0), 2),
        );
        let mut journal = SaveJournal::create_save(folder.path(), "test", &table.header).unwrap();
        let sound = fs::read(journal.save_path()).unwrap();
        let good = std::mem::replace(&mut journal.file.file, File::open(&journal.path).unwrap());
        for seating in [first, second] {
            journal
                .append_latest_move(seating.latest().unwrap())
                .unwrap();
        }
        for _ in 0..2 {
            let error = journal.flush().unwrap_err();
            assert!(
                matches!(
                    error,
                    SaveFileError::Io {
                        doing: "written",
                        ..
                    }
                ),
                "{error}"
            );
            assert_eq!(fs::read(journal.save_path()).unwrap(), sound);
        }
        journal.file.file = good;
        journal.flush().unwrap();
        assert_eq!(
            Save::read_save(journal.save_path())
                .unwrap()
                .moves_not_undone()
                .len(),
            2
        );
    }

    #[test]
    fn writes_of_another_program_are_noticed_at_equal_length() {
        let folder = tempfile::tempdir().unwrap();
        let table = Fixture::small(RULES[0]);
        let seating = table.played(&mut entropy(0), 1);
        let mut journal = SaveJournal::create_save(folder.path(), "test", &table.header).unwrap();
        journal
            .append_latest_move(seating.latest().unwrap())
            .unwrap();
        journal.flush().unwrap();
        journal.check_file_is_unchanged().unwrap();
        let sound = fs::read(journal.save_path()).unwrap();
        // Writing the same bytes again makes no difference.
        fs::write(journal.save_path(), &sound).unwrap();
        journal.check_file_is_unchanged().unwrap();
        let changed = String::from_utf8(sound.clone())
            .unwrap()
            .replacen("seed", "sead", 1);
        assert_eq!(changed.len(), sound.len());
        fs::write(journal.save_path(), changed).unwrap();
        let noticed =
            |done: Result<(), SaveFileError>| matches!(done, Err(SaveFileError::ChangedOnDisk));
        assert!(noticed(journal.check_file_is_unchanged()));
        // The check must not depend on the clock of the file system.
        journal.written = None;
        journal
            .append_latest_move(seating.latest().unwrap())
            .unwrap();
        assert!(noticed(journal.flush()));
        fs::write(journal.save_path(), &sound).unwrap();
        journal.flush().unwrap();
    }

    #[test]
    fn a_partial_line_is_truncated_before_the_next_write() {
        let folder = tempfile::tempdir().unwrap();
        let table = Fixture::small(RULES[0]);
        let seating = table.played(&mut entropy(0), 1);
        let mut journal = SaveJournal::create_save(folder.path(), "test", &table.header).unwrap();
        journal
            .append_latest_move(seating.latest().unwrap())
            .unwrap();
        // This is the state that a disk leaves which becomes full in the middle of a line.
        let mut file = &journal.file.file;
        file.seek(SeekFrom::End(0)).unwrap();
        file.write_all(b"        (n: 1, seat").unwrap();
        journal.file.failed = true;
        journal.flush().unwrap();
        let text = fs::read_to_string(journal.save_path()).unwrap();
        assert_eq!(text, table.save(&seating));
    }

    #[test]
    fn names_of_files_are_plain() {
        for (word, name) in [
            ("Is 4331 prime?", "is-4331-prime"),
            ("../../etc/passwd", "etc-passwd"),
            ("", "debate"),
            ("…\u{202e}", "debate"),
            ("CON.", "con"),
        ] {
            assert_eq!(plain(word), name);
        }
        assert_eq!(plain(&"x".repeat(1000)).len(), 40);
    }
}
