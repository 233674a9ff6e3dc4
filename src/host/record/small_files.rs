//! Small files in the folder of saves, written atomically: labels of saves, the list of recent scenarios, the progress
//! in the tutorial.
//!
//! These files are separate from the saves, so that a save keeps its bytes and its file name.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::iter;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::sidecar::folder_of;
use debate_core::text::is_unsafe_character;
use debate_solver::setup::{check_regular_file, read_one_past_limit};

/// Maximum size of a small file, in bytes. Of a larger file, only the beginning is read.
const MAX_BYTES: u64 = 1 << 16;

/// Reads a small file in the folder of saves; empty if there is no such file. A file that cannot be read counts as
/// missing and is logged.
pub(super) fn read_small_file(folder: &Path, name: impl AsRef<Path>) -> String {
    let path = folder.join(name);
    let bytes = check_regular_file(&path)
        .and_then(|()| File::open(&path))
        .and_then(|file| read_one_past_limit(file, MAX_BYTES));
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other));
    text.unwrap_or_else(|error| {
        if error.kind() != io::ErrorKind::NotFound {
            tracing::warn!(path = %path.display(), %error, "not read");
        }
        String::new()
    })
}

/// Writes a text to a file in the folder of saves, and creates the folder if it does not exist.
pub(super) fn write_small_file(
    folder: &Path,
    name: impl AsRef<Path>,
    text: &str,
) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    write_atomically(&folder.join(name), text)
}

/// Writes a file atomically and replaces an existing file. On Unix, only its owner can read and write it.
///
/// # Errors
/// If it cannot be written.
pub fn write_atomically(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    whole(path, text.as_ref(), FOR_ITS_OWNER)?.persist(path)?;
    Ok(())
}

/// Writes a file as [`write_atomically`] does, but without a sync. If the program is killed, nothing is lost; a crash
/// of the system can lose the text.
///
/// # Errors
/// If it cannot be written.
pub fn write_file_without_sync(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    unsynced(path, text.as_ref(), FOR_ITS_OWNER)?.persist(path)?;
    Ok(())
}

/// Returns the entries of a folder, sorted by name.
///
/// # Errors
/// If it cannot be read.
pub fn paths_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths = paths.collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// Creates a folder and its parents; on Unix, the new folders are accessible only to their owner. Existing folders keep
/// their rights.
///
/// # Errors
/// If it cannot be created.
pub fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Writes a file as [`write_atomically`] does, but never replaces an existing file.
///
/// # Errors
/// If it cannot be written, or the file exists.
pub fn create_file_atomically(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    whole(path, text.as_ref(), FOR_ITS_OWNER)?.persist_noclobber(path)?;
    Ok(())
}

/// Writes a private temporary file in `folder`, which the caller can then name. Does not wait for the disk.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write_private_temporary_file(
    folder: &Path,
    bytes: &[u8],
) -> io::Result<NamedTempFile> {
    unsynced(&folder.join("unnamed"), bytes, FOR_ITS_OWNER)
}

/// Returns the folder of a file.
pub(super) fn folder_of_file(path: &Path) -> &Path {
    let folder = path.parent();
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or_else(|| Path::new("."))
}

/// Unix permissions of a private file.
const FOR_ITS_OWNER: u32 = 0o600;
/// Unix permissions of an output file, which the umask restricts.
pub(super) const FOR_ALL: u32 = 0o666;

/// Writes a temporary file in the folder of `path`, synced to the disk.
fn whole(path: &Path, bytes: &[u8], mode: u32) -> io::Result<NamedTempFile> {
    let file = unsynced(path, bytes, mode)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Writes a temporary file in the folder of `path`. A crash of the system can lose its bytes.
fn unsynced(path: &Path, bytes: &[u8], mode: u32) -> io::Result<NamedTempFile> {
    let mut file = create_temporary_file(path, mode)?;
    file.write_all(bytes)?;
    Ok(file)
}

/// Prefix of the names of temporary files.
const TEMPORARY: &str = ".debate-tui-";

/// True for the name of a temporary file. If a program is killed before it gives a file its final name, such a file is
/// left.
pub fn is_temporary_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.as_encoded_bytes().starts_with(TEMPORARY.as_bytes())
}

/// Creates an empty temporary file in the folder of `path`.
#[cfg_attr(not(unix), expect(unused_variables, reason = "rights are Unix's"))]
pub(super) fn create_temporary_file(path: &Path, mode: u32) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    builder.tempfile_in(folder_of_file(path))
}

/// File name extension of the file with a save's label, appended to the save's whole name. It differs from the
/// extension of saves.
const ENDING: &str = ".label";
/// Maximum number of characters of the name that a user gives a save.
pub const MAX_SAVE_NAME: usize = 100;

/// A user's label of a save: a name, and whether the save is hidden.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserSaveLabel {
    /// The user's name for the save.
    pub name: Option<String>,
    /// True if the home screen hides the save.
    pub is_hidden: bool,
}

impl UserSaveLabel {
    /// Reads the label of a save; empty if there is no label file.
    pub fn read_label_beside_save(save_path: &Path) -> Self {
        let text = match file_name(save_path) {
            Some(name) => read_small_file(folder_of(save_path), &name),
            None => String::new(),
        };
        let mut label = Self::default();
        for line in text.lines() {
            match line.strip_prefix("name ") {
                Some(name) => label.name = self::name(name),
                None => label.is_hidden |= line == "hidden",
            }
        }
        label
    }

    /// Writes the label beside the save. Deletes the file if the label is empty.
    ///
    /// # Errors
    /// If the file cannot be written or deleted.
    pub fn write_label(&self, save_path: &Path) -> io::Result<()> {
        let Some(file) = file_name(save_path) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let mut text = String::new();
        if let Some(name) = self.name.as_deref().and_then(name) {
            text = format!("name {name}\n");
        }
        if self.is_hidden {
            text.push_str("hidden\n");
        }
        if text.is_empty() {
            return delete_label(save_path);
        }
        write_small_file(folder_of(save_path), &file, &text)
    }
}

/// Returns a user's name for a save in its stored form: on one line, limited in length, without control characters.
/// `None` if no characters are left.
fn name(text: &str) -> Option<String> {
    let plain: String = text
        .chars()
        .filter(|sign| !is_unsafe_character(*sign))
        .take(MAX_SAVE_NAME)
        .collect();
    let plain = plain.trim();
    (!plain.is_empty()).then(|| plain.to_owned())
}

/// Deletes the label of a save, if it has one.
pub(super) fn delete_label(save: &Path) -> io::Result<()> {
    let Some(file) = file_name(save) else {
        return Ok(());
    };
    match fs::remove_file(folder_of(save).join(file)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn file_name(save: &Path) -> Option<OsString> {
    let mut name = save.file_name()?.to_owned();
    name.push(ENDING);
    Some(name)
}

#[cfg(test)]
mod label_tests {
    use super::*;

    #[test]
    fn name_and_visibility_are_stored_beside_the_save() {
        let folder = tempfile::tempdir().unwrap();
        let save = folder.path().join("2026 one.ron");
        fs::write(&save, "Save(").unwrap();
        assert_eq!(
            UserSaveLabel::read_label_beside_save(&save),
            UserSaveLabel::default()
        );
        let label = UserSaveLabel {
            name: Some("the one I lost".to_owned()),
            is_hidden: true,
        };
        label.write_label(&save).unwrap();
        assert_eq!(UserSaveLabel::read_label_beside_save(&save), label);
        assert_eq!(fs::read(&save).unwrap(), b"Save(");
        UserSaveLabel::default().write_label(&save).unwrap();
        assert_eq!(
            UserSaveLabel::read_label_beside_save(&save),
            UserSaveLabel::default()
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        // Deleting a missing file is not an error.
        UserSaveLabel::default().write_label(&save).unwrap();
    }

    #[test]
    fn hostile_label_files_are_read_safely() {
        let folder = tempfile::tempdir().unwrap();
        let save = folder.path().join("one.ron");
        let file = folder.path().join("one.ron.label");
        let long = "x".repeat(3 * MAX_SAVE_NAME);
        for (text, name) in [
            ("", None),
            ("name \u{1b}[31mred\u{7}\nother\n", Some("[31mred")),
            ("name    \n", None),
            ("hiddenly\n", None),
            (&format!("name {long}"), long.get(..MAX_SAVE_NAME)),
        ] {
            fs::write(&file, text).unwrap();
            let label = UserSaveLabel::read_label_beside_save(&save);
            assert_eq!(label.name.as_deref(), name, "{text:?}");
            assert!(!label.is_hidden);
        }
        fs::write(&file, b"\xff\xfe").unwrap();
        assert_eq!(
            UserSaveLabel::read_label_beside_save(&save),
            UserSaveLabel::default()
        );
    }
}

/// File name of the list of recent scenarios in the folder of saves. The extension differs from the extension of saves.
const RECENT: &str = "recent.list";
/// Maximum number of remembered files.
const MAX_SCENARIOS: usize = 20;

/// Returns the scenario files opened recently, the latest first. Missing files are left out.
pub fn recent_scenarios(folder: &Path) -> Vec<PathBuf> {
    let text = read_small_file(folder, RECENT);
    let paths = text.lines().map(PathBuf::from);
    let there = paths.filter(|path| path.is_absolute() && path.is_file());
    there.take(MAX_SCENARIOS).collect()
}

/// Remembers that a scenario file was opened. A path with a line break or invalid UTF-8 is not remembered.
///
/// # Errors
/// If the folder or the list cannot be written, or the file has no absolute path.
pub fn add_recent_scenario(folder: &Path, scenario: &Path) -> io::Result<()> {
    let path = fs::canonicalize(scenario)?;
    let Some(line) = path.to_str().filter(|line| !line.contains(['\n', '\r'])) else {
        return Ok(());
    };
    let before = recent_scenarios(folder)
        .into_iter()
        .filter(|other| *other != path)
        .filter_map(|path| Some(format!("{}\n", path.to_str()?)));
    let lines = iter::once(format!("{line}\n")).chain(before);
    let text: String = lines.take(MAX_SCENARIOS).collect();
    if text == read_small_file(folder, RECENT) {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    // Not synced, because the first frame waits for this, and a lost list is soon filled again.
    let list = folder.join(RECENT);
    unsynced(&list, text.as_bytes(), FOR_ITS_OWNER)?.persist(&list)?;
    Ok(())
}

#[cfg(test)]
mod recent_scenarios_tests {
    use super::*;

    #[test]
    fn recent_files_are_listed_once_the_newest_first() {
        let folder = tempfile::tempdir().unwrap();
        let saves = folder.path().join("saves");
        assert!(recent_scenarios(&saves).is_empty());
        let names = ["one.ron", "two.ron", "three.ron"];
        let paths = names.map(|name| folder.path().join(name));
        for path in &paths {
            fs::write(path, "").unwrap();
            add_recent_scenario(&saves, path).unwrap();
        }
        add_recent_scenario(&saves, &paths[0]).unwrap();
        let found = |saves: &Path| -> Vec<String> {
            let found = recent_scenarios(saves).into_iter();
            found
                .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
                .collect()
        };
        assert_eq!(found(&saves), ["one.ron", "three.ron", "two.ron"]);
        fs::remove_file(&paths[2]).unwrap();
        assert_eq!(found(&saves), ["one.ron", "two.ron"]);
        assert!(add_recent_scenario(&saves, &paths[2]).is_err());
        // Invalid content of the list is ignored.
        fs::write(saves.join(RECENT), b"\xff\xfe\nrelative\n\0").unwrap();
        assert!(recent_scenarios(&saves).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn an_unchanged_list_is_not_written_again() {
        use std::os::unix::fs::MetadataExt as _;

        let folder = tempfile::tempdir().unwrap();
        let paths = ["one.ron", "two.ron"].map(|name| folder.path().join(name));
        // Each write creates a new file.
        let inode = || fs::metadata(folder.path().join(RECENT)).unwrap().ino();
        for path in &paths {
            fs::write(path, "").unwrap();
            add_recent_scenario(folder.path(), path).unwrap();
        }
        let before = inode();
        add_recent_scenario(folder.path(), &paths[1]).unwrap();
        assert_eq!(inode(), before);
        add_recent_scenario(folder.path(), &paths[0]).unwrap();
        assert_ne!(inode(), before);
    }

    #[test]
    fn the_number_of_recent_files_is_limited() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..MAX_SCENARIOS + 5 {
            let path = folder.path().join(format!("{number}.ron"));
            fs::write(&path, "").unwrap();
            add_recent_scenario(folder.path(), &path).unwrap();
        }
        assert_eq!(recent_scenarios(folder.path()).len(), MAX_SCENARIOS);
    }
}

/// File name of the progress in the tutorial in the folder of saves. The extension differs from the extension of saves.
const PROGRESS: &str = "tutorial.progress";
/// Maximum number of completed lessons that a progress file of an earlier version can state.
const LESSONS: usize = 8;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TutorialProgress {
    /// Index of the lesson with which the user continues the tutorial, from 0.
    pub next: usize,
    /// The completed lessons.
    ended: BTreeSet<usize>,
    /// Index of the page of the next lesson at which the user left the tutorial, from 0.
    pub page: usize,
    /// The save of the next lesson's debate, if it was started and the file exists.
    pub save: Option<PathBuf>,
}

impl TutorialProgress {
    /// Reads the progress in the tutorial stored in a folder; the start of the tutorial if none is stored.
    pub fn read_tutorial_progress(folder: &Path) -> Self {
        let text = read_small_file(folder, PROGRESS);
        let field = |name: &str| {
            let mut lines = text.lines();
            lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
        };
        let number = |name: &str| field(name).and_then(|text| text.parse().ok());
        // The folder may have been moved: only the file's name counts.
        let save = field("save")
            .filter(|name| Path::new(name).file_name() == Some(name.as_ref()))
            .map(|name| folder.join(name));
        let next = number("done").unwrap_or(0);
        let ended = field("ended").map(|text| text.split(' ').filter_map(|it| it.parse().ok()));
        Self {
            next,
            // Files of earlier versions do not list the completed lessons.
            ended: ended.map_or_else(|| (0..next.min(LESSONS)).collect(), Iterator::collect),
            page: number("page").unwrap_or(0),
            save: save.filter(|path| path.is_file()),
        }
    }

    /// Writes the progress in the tutorial to a folder.
    ///
    /// # Errors
    /// If the folder or the file cannot be written.
    pub fn write_tutorial_progress(&self, folder: &Path) -> io::Result<()> {
        let name = self.save.as_deref().and_then(Path::file_name);
        let save = name.and_then(|name| name.to_str());
        let save = save.map_or_else(String::new, |name| format!("save {name}\n"));
        let ended = self.ended.iter().map(usize::to_string).collect::<Vec<_>>();
        let (next, page, ended) = (self.next, self.page, ended.join(" "));
        let text = format!("done {next}\nended {ended}\npage {page}\n{save}");
        write_small_file(folder, PROGRESS, &text)
    }

    /// Returns this progress in the tutorial with its position moved to the beginning of a page of a lesson.
    #[must_use]
    pub fn with_position_at_lesson_page(&self, lesson_index: usize, page: usize) -> Self {
        Self {
            next: lesson_index,
            page,
            ended: self.ended.clone(),
            save: None,
        }
    }

    /// True if a lesson of the tutorial is completed.
    pub fn is_completed(&self, lesson: usize) -> bool {
        self.ended.contains(&lesson)
    }

    /// Returns the progress in the tutorial after a lesson is completed.
    #[must_use]
    pub fn after_completing_lesson(&self, lesson: usize) -> Self {
        let mut progress = self.clone();
        progress.ended.insert(lesson);
        progress
    }
}

#[cfg(test)]
mod tutorial_progress_tests {
    use std::fs;

    use super::*;

    #[test]
    fn tutorial_progress_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let saves = folder.path().join("saves");
        assert_eq!(
            TutorialProgress::read_tutorial_progress(&saves),
            TutorialProgress::default()
        );
        let save = saves.join("one.ron");
        let progress = TutorialProgress {
            next: 2,
            ended: BTreeSet::from([0, 1, 5]),
            page: 1,
            save: Some(save.clone()),
        };
        progress.write_tutorial_progress(&saves).unwrap();
        // The save does not exist yet.
        assert_eq!(TutorialProgress::read_tutorial_progress(&saves).save, None);
        fs::write(&save, "").unwrap();
        assert_eq!(TutorialProgress::read_tutorial_progress(&saves), progress);
        let moved = folder.path().join("moved");
        fs::rename(&saves, &moved).unwrap();
        assert_eq!(
            TutorialProgress::read_tutorial_progress(&moved).save,
            Some(moved.join("one.ron"))
        );
        // Invalid content of the file is ignored.
        for text in ["done -1\npage x\nsave ../../one.ron\n", "\0", "save \n"] {
            fs::write(moved.join(PROGRESS), text).unwrap();
            assert_eq!(
                TutorialProgress::read_tutorial_progress(&moved),
                TutorialProgress::default(),
                "{text:?}"
            );
        }
    }
}
