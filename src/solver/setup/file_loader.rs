//! Files that a scenario reads besides its own: circuits, formulas.
//!
//! A name is a path within the scenario's folder and never leads out of it, not by `..`, not from
//! the root and not by a link. Whatever was read is kept with its digest, so that a save can hold
//! or name it.

use std::cell::RefCell;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Component, Path as FilePath, PathBuf};
use std::sync::Arc;

use super::error::Origin;
use debate_core::digest::Digest;

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
                let folder = path.parent().filter(|folder| *folder != FilePath::new(""));
                FileSource::Folder(folder.unwrap_or_else(|| FilePath::new(".")).to_owned())
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
pub(super) fn read_plain(path: &FilePath, most: u64) -> io::Result<Vec<u8>> {
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
fn read_within(folder: &FilePath, name: &str, most: u64) -> io::Result<Vec<u8>> {
    let (folder, path) = (folder.canonicalize()?, folder.join(name).canonicalize()?);
    if !path.starts_with(&folder) {
        let what = "a link leads out of the scenario's folder";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, what));
    }
    read_plain(&path, most)
}

/// True if a name stays within the folder it is looked up in.
pub(super) fn stays_within(name: &str) -> bool {
    let path = FilePath::new(name);
    !name.is_empty()
        && !name.contains('\\')
        && path
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
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
        let device = read_plain(FilePath::new("/dev/zero"), 9).unwrap_err();
        assert_eq!(device.to_string(), "it is not a plain file");
    }
}
