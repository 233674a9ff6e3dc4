//! Files beside a save, each named by the digest of its content.
//!
//! Data that would make the save itself too long is stored in such files: a long bit string that is not close to a
//! string prepared by the rules, or a circuit that a scenario reads. They are written atomically, and are on the disk
//! before the line that refers to them. The name determines the content, so an existing file need not be written again,
//! and no file is ever overwritten.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{SaveFileError, SidecarError, create_file_atomically};
use debate_core::digest::Digest;
use debate_solver::setup::read_one_past_limit;

/// File name extension of a file of packed bits beside a save.
const BITS: &str = "bits";
/// File name extension of an input file of a scenario.
const INPUT: &str = "input";

/// A file that must be stored beside a save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sidecar {
    digest: Digest,
    ending: &'static str,
    bytes: Arc<[u8]>,
}

impl Sidecar {
    /// Returns a file of packed bits to store beside a save.
    pub(super) fn sidecar_of_packed_bits(packed: Vec<u8>) -> Self {
        Self::new(BITS, packed.into())
    }

    /// Returns a copy of a scenario's input file, to store beside a save.
    pub(super) fn sidecar_of_input_file(bytes: Arc<[u8]>) -> Self {
        Self::new(INPUT, bytes)
    }

    fn new(ending: &'static str, bytes: Arc<[u8]>) -> Self {
        Self {
            digest: Digest::digest_of_bytes(&bytes),
            ending,
            bytes,
        }
    }

    /// Returns the name of a stored input file with this digest.
    pub(super) fn input_file_name(digest: Digest) -> String {
        name(digest, INPUT)
    }

    /// Returns the file name: the digest of the bytes, with an extension for their kind.
    pub fn sidecar_file_name(&self) -> String {
        name(self.digest, self.ending)
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes the file to a folder, and returns once it is on the disk. An existing file with the same content is kept.
    ///
    /// # Errors
    /// If the file cannot be written, or its path is a link, another kind of file, or a file with other content.
    pub(super) fn write_sidecar(&self, folder: &Path) -> Result<(), SaveFileError> {
        let written = SaveFileError::io_error("kept beside the save");
        match self.put(folder) {
            Ok(()) => sync_folder(folder).map_err(written),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let max_bytes = self.bytes.len() as u64;
                let there = SidecarFolder(Some(folder.to_owned()));
                let read = there.read(self.digest, self.ending, max_bytes);
                let name = self.sidecar_file_name();
                read.map(drop)
                    .map_err(|unread| SaveFileError::Sidecar { name, unread })
            }
            Err(cause) => Err(written(cause)),
        }
    }

    /// Writes a file beside a save under a temporary name, and renames it once it is complete.
    fn put(&self, folder: &Path) -> io::Result<()> {
        let path = folder.join(self.sidecar_file_name());
        if fs::symlink_metadata(&path).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        create_file_atomically(&path, &self.bytes)
    }
}

/// Syncs a folder, because the name of a new file is on the disk only once its folder is synced.
#[cfg(unix)]
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Does nothing: folders cannot be synced on this platform.
#[cfg(not(unix))]
pub(super) fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

fn name(digest: Digest, ending: &str) -> String {
    format!("{digest}.{ending}")
}

/// The folder of the files beside a save, if it has one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SidecarFolder(Option<PathBuf>);

impl SidecarFolder {
    /// Returns the folder of the save at a path.
    pub(super) fn folder_of_save(path: &Path) -> Self {
        Self(Some(folder_of(path).to_owned()))
    }

    /// Reads `length` bytes of packed bits from a file beside the save.
    pub(super) fn read_packed_bits(
        &self,
        digest: Digest,
        length: u64,
    ) -> Result<Vec<u8>, SidecarError> {
        let bytes = self.read(digest, BITS, length)?;
        match bytes.len() as u64 {
            found if found == length => Ok(bytes),
            found => Err(SidecarError::Length { found }),
        }
    }

    /// Reads a scenario's input file of at most `max_bytes` bytes.
    pub(super) fn read_input_file(
        &self,
        digest: Digest,
        max_bytes: u64,
    ) -> Result<Vec<u8>, SidecarError> {
        self.read(digest, INPUT, max_bytes)
    }

    fn read(&self, digest: Digest, ending: &str, max_bytes: u64) -> Result<Vec<u8>, SidecarError> {
        let folder = self.0.as_ref().ok_or(SidecarError::Nowhere)?;
        let path = folder.join(name(digest, ending));
        let opened = open_regular_file(&path, OpenOptions::new().read(true));
        let file = opened.map_err(|error| match error {
            RegularFileOpenError::NotAFile => SidecarError::NotAFile,
            RegularFileOpenError::Io(error) => match error.kind() {
                io::ErrorKind::NotFound => SidecarError::Missing,
                _ => SidecarError::Io(error),
            },
        })?;
        let found = file.metadata()?.len();
        if found > max_bytes {
            return Err(SidecarError::Length { found });
        }
        let bytes = read_one_past_limit(file, max_bytes)?;
        match Digest::digest_of_bytes(&bytes) {
            found if found == digest => Ok(bytes),
            found => Err(SidecarError::Changed { found }),
        }
    }
}

/// Returns the folder of a file.
pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The reason why a path was not opened as a regular file.
pub enum RegularFileOpenError {
    NotAFile,
    /// The disk or the system reports an error.
    Io(io::Error),
}

/// Opens a regular file, but does not follow links.
///
/// # Errors
/// If the path is a link or is not a regular file, or the system reports an error.
pub fn open_regular_file(path: &Path, options: &OpenOptions) -> Result<File, RegularFileOpenError> {
    let named = fs::symlink_metadata(path).map_err(RegularFileOpenError::Io)?;
    if !named.is_file() {
        return Err(RegularFileOpenError::NotAFile);
    }
    let file = options.open(path).map_err(RegularFileOpenError::Io)?;
    // The path may have been replaced by a link in the meantime.
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let opened = file.metadata().map_err(RegularFileOpenError::Io)?;
        if (named.dev(), named.ino()) != (opened.dev(), opened.ino()) {
            return Err(RegularFileOpenError::NotAFile);
        }
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sidecar_is_written_once_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let sidecars = SidecarFolder::folder_of_save(&folder.path().join("a.ron"));
        let sidecar = Sidecar::sidecar_of_packed_bits(vec![1, 2, 3]);
        let digest = Digest::digest_of_bytes(&[1, 2, 3]);
        assert!(matches!(
            sidecars.read_packed_bits(digest, 3),
            Err(SidecarError::Missing)
        ));
        for _ in 0..2 {
            sidecar.write_sidecar(folder.path()).unwrap();
            assert_eq!(sidecars.read_packed_bits(digest, 3).unwrap(), [1, 2, 3]);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(matches!(
            sidecars.read_packed_bits(digest, 4),
            Err(SidecarError::Length { found: 3 })
        ));
        assert!(matches!(
            sidecars.read_packed_bits(digest, 2),
            Err(SidecarError::Length { found: 3 })
        ));
        let nowhere = SidecarFolder::default();
        assert!(matches!(
            nowhere.read_packed_bits(digest, 3),
            Err(SidecarError::Nowhere)
        ));
    }

    #[test]
    fn a_changed_sidecar_is_neither_used_nor_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let sidecars = SidecarFolder::folder_of_save(&folder.path().join("a.ron"));
        let sidecar = Sidecar::sidecar_of_input_file(b"INPUT(a)".to_vec().into());
        let path = folder.path().join(sidecar.sidecar_file_name());
        fs::write(&path, "INPUT(b)").unwrap();
        let found = sidecars.read_input_file(Digest::digest_of_bytes(b"INPUT(a)"), 100);
        let changed = Digest::digest_of_bytes(b"INPUT(b)");
        assert!(matches!(found, Err(SidecarError::Changed { found }) if found == changed));
        let error = sidecar
            .write_sidecar(folder.path())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(&sidecar.sidecar_file_name()) && error.contains(&changed.to_string()),
            "{error}"
        );
        assert_eq!(fs::read(&path).unwrap(), b"INPUT(b)");
    }

    #[cfg(unix)]
    #[test]
    fn sidecars_follow_no_link_and_are_private() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let folder = tempfile::tempdir().unwrap();
        let sidecars = SidecarFolder::folder_of_save(&folder.path().join("a.ron"));
        let sidecar = Sidecar::sidecar_of_packed_bits(vec![7]);
        let path = folder.path().join(sidecar.sidecar_file_name());
        let elsewhere = tempfile::tempdir().unwrap();
        let target = elsewhere.path().join("target");
        for there in [false, true] {
            if there {
                fs::write(&target, [7]).unwrap();
            }
            symlink(&target, &path).unwrap();
            assert!(sidecar.write_sidecar(folder.path()).is_err());
            assert!(matches!(
                sidecars.read_packed_bits(Digest::digest_of_bytes(&[7]), 1),
                Err(SidecarError::NotAFile)
            ));
            assert_eq!(target.exists(), there);
            fs::remove_file(&path).unwrap();
        }
        sidecar.write_sidecar(folder.path()).unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600);
    }
}
