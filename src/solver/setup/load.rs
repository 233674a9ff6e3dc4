//! Where a scenario comes from: a file, a text, a bundled one; and the files that it reads besides its
//! own: circuits, formulas, players.
//!
//! A name is a path within the scenario's folder and never leads out of it, not by `..`, not from
//! the root and not by a link. Whatever was read is kept with its digest, so that a save can hold
//! or name it.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::bundled::{self, names};
use super::error::{NamedSource, Origin, SetupError, nearest_name, sentence};
use super::reader::Limits;
use super::scenario::Setup;
use super::{question, read};
use debate_core::digest::Digest;
use debate_core::player::{PlayerFiles, Spec};

/// The path that stands for the standard input.
pub const STDIN: &str = "-";

impl Setup {
    /// Reads the file of this path where there is one, else the bundled scenario of this name
    /// (with or without `scenarios/` and `.ron`); for `-` the standard input.
    ///
    /// # Errors
    /// If there is neither (the error says which bundled names there are), or as [`Self::load`].
    pub fn find(name_or_path: &str, limits: &Limits) -> Result<Self, SetupError> {
        let path = Path::new(name_or_path);
        let setup = if name_or_path == STDIN {
            let origin = Origin::Text("standard input".to_owned());
            Self::from_reader(io::stdin().lock(), origin, limits)?
        } else if path.exists() && !(path.is_dir() && bundled::text(name_or_path).is_some()) {
            Self::load(path, limits)?
        } else {
            Self::bundled(name_or_path, limits)?
        };
        tracing::info!(
            from = %setup.origin,
            title = setup.title,
            protocol = setup.protocol.kind().name(),
            instances = setup.decomposition.worlds().len(),
            "scenario read"
        );
        Ok(setup)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, is larger than the limits allow, or is no sound scenario.
    pub fn load(path: &Path, limits: &Limits) -> Result<Self, SetupError> {
        let origin = Origin::File(path.to_owned());
        match fs::File::open(path) {
            Ok(file) => Self::from_reader(file, origin, limits),
            Err(cause) => Err(unreadable(&origin, cause)),
        }
    }

    fn from_reader(
        reader: impl io::Read,
        origin: Origin,
        limits: &Limits,
    ) -> Result<Self, SetupError> {
        match read_at_most(reader, limits.file) {
            Ok(bytes) => Self::from_bytes(&bytes, origin, limits),
            Err(cause) => Err(unreadable(&origin, cause)),
        }
    }

    /// Reads a scenario from bytes, which should be UTF-8.
    ///
    /// # Errors
    /// If they are not, are too many, or are no sound scenario.
    pub fn from_bytes(bytes: &[u8], origin: Origin, limits: &Limits) -> Result<Self, SetupError> {
        let text = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        if text.len() == bytes.len() {
            return Self::from_text(text, origin, limits);
        }
        let origin = &origin;
        let source = NamedSource {
            text,
            origin,
            limits,
        };
        // What was cut off at the limit may end within a character.
        source.limit_file(bytes.len())?;
        let what = format!(
            "the byte at offset {} is not UTF-8; save the file as UTF-8",
            text.len()
        );
        Err(source.malformed(text.len(), &what))
    }

    /// Reads a scenario from its text.
    ///
    /// # Errors
    /// If it is too long or no sound scenario.
    pub fn from_text(text: &str, origin: Origin, limits: &Limits) -> Result<Self, SetupError> {
        let files = FileLoader::in_folder_of(&origin);
        read::setup(text, origin, limits, files)
    }

    /// Reads a scenario from its text, and the files that it names from these alone.
    ///
    /// # Errors
    /// If it is too long or no sound scenario, or names a file that is not among these.
    pub fn from_text_and_files(
        text: &str,
        files: &[LoadedFile],
        origin: Origin,
        limits: &Limits,
    ) -> Result<Self, SetupError> {
        read::setup(text, origin, limits, FileLoader::given(files))
    }

    /// Reads a bundled scenario by its name, with or without `scenarios/` and `.ron`.
    ///
    /// # Errors
    /// If there is none of this name (the error lists them), or it passes the limits.
    pub fn bundled(name: &str, limits: &Limits) -> Result<Self, SetupError> {
        let bare = name.strip_prefix("./").unwrap_or(name);
        let bare = bare.strip_prefix("scenarios/").unwrap_or(bare);
        let bare = bare.strip_suffix(".ron").unwrap_or(bare);
        match bundled::text(bare) {
            Some((name, text)) => Self::from_text(text, Origin::Bundled(name), limits),
            None => Err(SetupError::Unknown {
                name: sentence(name),
                hint: hint(bare),
            }),
        }
    }

    /// The digest of what is debated: of the problem and its decomposition as the file writes them,
    /// and of the files that they read. The title, the rules and the players make no difference.
    pub fn problem_digest(&self) -> Digest {
        // What was read once is read again.
        let [problem, method] = read::problem_text(&self.source).unwrap_or([&self.source, ""]);
        let mut text = format!("{problem}\n{method}\n");
        for file in self.files.iter().take(self.problem_files) {
            let _ = writeln!(text, "{} {}", file.name, file.digest);
        }
        Digest::of(text.as_bytes())
    }

    /// The files that players are read from.
    pub fn player_files(&self) -> PlayerFiles {
        let files = self.files.iter();
        let named = files.map(|file| (file.name.clone(), Arc::clone(&file.bytes)));
        PlayerFiles::new(self.problem_digest(), named)
    }

    /// Reads the file of a player such as `trained(FILE)`, named by a person, who may name a file
    /// anywhere. Does nothing for other players.
    ///
    /// # Errors
    /// If the file cannot be read or is too large, or another of that name is there already.
    pub fn load_player_file(&mut self, player: &Spec, limits: &Limits) -> Result<(), SetupError> {
        let Some(name) = player.file() else {
            return Ok(());
        };
        let origin = &Origin::File(name.into());
        let bytes =
            read_plain(name.as_ref(), limits.file).map_err(|cause| unreadable(origin, cause))?;
        let source = NamedSource {
            text: "",
            origin,
            limits,
        };
        source.limit_file(bytes.len())?;
        let file = LoadedFile::new(name, bytes);
        let there = self.files.iter().find(|there| there.name == file.name);
        if there.is_some_and(|there| there.digest != file.digest) {
            let what =
                "another file of this name stands beside the scenario; write ./ before the name";
            return Err(unreadable(origin, io::Error::other(what)));
        }
        self.add_file(file);
        Ok(())
    }

    /// The same scenario with the two answers of its question in the other order; `None` where it asks
    /// no such question.
    ///
    /// # Errors
    /// If it passes the limits then: what is in it is written down anew.
    pub fn with_answers_swapped(&self, limits: &Limits) -> Result<Option<Self>, SetupError> {
        let swapped = read::problem_text(&self.source)
            .and_then(|[problem, _]| question::with_answers_swapped(&self.source, problem))
            .map(|text| Self::from_text(&text, self.origin.clone(), limits));
        swapped.transpose()
    }
}

fn unreadable(origin: &Origin, cause: io::Error) -> SetupError {
    SetupError::Unreadable {
        origin: sentence(&origin.to_string()),
        cause,
    }
}

/// Advice for a name that no scenario has: the nearest name, or all names.
fn hint(name: &str) -> String {
    let known: Vec<&str> = names().collect();
    nearest_name(name, &known).map_or_else(
        || format!("give a path, or one of {}", known.join(", ")),
        |name| format!("did you mean `{name}`?"),
    )
}

/// A file that a scenario read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedFile {
    /// As the scenario writes it.
    pub name: String,
    pub digest: Digest,
    pub bytes: Arc<[u8]>,
}

impl LoadedFile {
    pub fn new(name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Self {
        let bytes = bytes.into();
        Self {
            name: name.into(),
            digest: Digest::of(&bytes),
            bytes,
        }
    }
}

enum FileSource<'s> {
    /// The scenario's folder.
    Folder(PathBuf),
    /// Only these, from a save.
    Given(&'s [LoadedFile]),
}

/// The files that a scenario can read, and those that it did.
pub(super) struct FileLoader<'s> {
    source: FileSource<'s>,
    read: RefCell<Vec<LoadedFile>>,
}

impl<'s> FileLoader<'s> {
    /// The files in the folder of a scenario; none where it stands in no folder.
    pub(super) fn in_folder_of(origin: &Origin) -> Self {
        let source = match origin {
            Origin::File(path) => {
                let folder = path.parent().filter(|folder| *folder != Path::new(""));
                FileSource::Folder(folder.unwrap_or_else(|| Path::new(".")).to_owned())
            }
            Origin::Bundled(_) | Origin::Text(_) => FileSource::Given(&[]),
        };
        Self {
            source,
            read: RefCell::default(),
        }
    }

    pub(super) fn given(files: &'s [LoadedFile]) -> Self {
        Self {
            source: FileSource::Given(files),
            read: RefCell::default(),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.read.borrow().len()
    }

    /// The files that were read, each once.
    pub(super) fn into_loaded(self) -> Vec<LoadedFile> {
        self.read.into_inner()
    }

    pub(super) fn find(&self, name: &str, most: u64) -> io::Result<LoadedFile> {
        let is_named = |file: &&LoadedFile| file.name == name;
        if let Some(file) = self.read.borrow().iter().find(is_named) {
            return Ok(file.clone());
        }
        let file = match &self.source {
            FileSource::Given(files) => {
                let missing = || io::Error::new(io::ErrorKind::NotFound, "no such file is kept");
                files.iter().find(is_named).cloned().ok_or_else(missing)?
            }
            FileSource::Folder(folder) => LoadedFile::new(name, read_within(folder, name, most)?),
        };
        self.read.borrow_mut().push(file.clone());
        Ok(file)
    }
}

/// The bytes of a plain file, at most one more than `most`.
pub(super) fn read_plain(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // A pipe or a device would be waited for without end.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a plain file"));
    }
    read_at_most(fs::File::open(path)?, most)
}

/// The bytes of a reader, at most one more than `most`: a device never ends, whatever length it
/// claims to have.
///
/// # Errors
/// What the reader fails with.
pub fn read_at_most(reader: impl io::Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader
        .take(most.saturating_add(1))
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The bytes of a file within a folder, at most one more than `most`.
fn read_within(folder: &Path, name: &str, most: u64) -> io::Result<Vec<u8>> {
    let (folder, path) = (folder.canonicalize()?, folder.join(name).canonicalize()?);
    if !path.starts_with(&folder) {
        let what = "a link leads out of the scenario's folder";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, what));
    }
    read_plain(&path, most)
}

/// True if a name stays within the folder it is looked up in.
pub(super) fn stays_within(name: &str) -> bool {
    let path = Path::new(name);
    !name.is_empty()
        && !name.contains('\\')
        && path
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod files {
    use super::*;

    #[test]
    fn names_stay_within_the_folder() {
        for name in ["c17.bench", "circuits/c17.bench", "a.b/c"] {
            assert!(stays_within(name), "{name}");
        }
        for name in ["", "/etc/passwd", "../x", "a/../../x", "a\\..\\x", "."] {
            assert!(!stays_within(name), "{name}");
        }
    }

    #[test]
    fn a_file_is_read_once_and_kept_with_its_digest() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("x"), "abc").unwrap();
        let files = FileLoader::in_folder_of(&Origin::File(folder.path().join("s.ron")));
        assert_eq!(&*files.find("x", 9).unwrap().bytes, b"abc");
        assert_eq!(&*files.find("x", 9).unwrap().bytes, b"abc");
        assert!(files.find("y", 9).is_err());
        let read = files.into_loaded();
        assert_eq!(read.len(), 1);
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(read[0].digest.to_string(), digest);
        let given = FileLoader::given(&read);
        assert_eq!(&*given.find("x", 9).unwrap().bytes, b"abc");
        assert!(given.find("y", 9).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_pipes_are_not_followed_out() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(outside.path().join("secret"), "s").unwrap();
        let link = inside.path().join("link");
        std::os::unix::fs::symlink(outside.path().join("secret"), link).unwrap();
        fs::create_dir(inside.path().join("folder")).unwrap();
        let files = FileLoader::in_folder_of(&Origin::File(inside.path().join("s.ron")));
        assert!(files.find("link", 9).is_err());
        assert!(files.find("folder", 9).is_err());
        // A device is not even opened: one that waits for somebody would never be read to its end.
        let device = read_plain(Path::new("/dev/zero"), 9).unwrap_err();
        assert_eq!(device.to_string(), "it is not a plain file");
    }
}
