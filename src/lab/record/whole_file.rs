//! Files that appear whole, such as small texts beside the saves.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::setup::read_at_most;

/// The most bytes of a small text.
const MAX_BYTES: u64 = 1 << 16;

/// A small text in the folder of saves; empty where there is none. One that cannot be read is
/// as good as none, and the log says so.
pub(super) fn read(folder: &Path, name: impl AsRef<Path>) -> String {
    let path = folder.join(name);
    let bytes = File::open(&path).and_then(|file| read_at_most(file, MAX_BYTES));
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other));
    text.unwrap_or_else(|error| {
        if error.kind() != io::ErrorKind::NotFound {
            tracing::warn!(path = %path.display(), %error, "not read");
        }
        String::new()
    })
}

/// Puts a text into a file in the folder of saves, which is made if need be.
pub(super) fn write(folder: &Path, name: impl AsRef<Path>, text: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    write_whole(&folder.join(name), text)
}

/// Writes a file, which appears whole or not at all, for its owner alone; one that is there is
/// replaced.
///
/// # Errors
/// If it cannot be written.
pub fn write_whole(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    whole(path, text.as_ref())?.persist(path)?;
    Ok(())
}

/// Writes a file as [`write_whole`] does, where none is there.
///
/// # Errors
/// If it cannot be written, or a file is there.
pub fn create_whole(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    whole(path, text.as_ref())?.persist_noclobber(path)?;
    Ok(())
}

/// The file under another name in the same folder, on the disk.
fn whole(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut file = NamedTempFile::new_in(folder.unwrap_or_else(|| Path::new(".")))?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}
