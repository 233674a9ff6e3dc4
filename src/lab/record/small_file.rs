//! Small texts that are kept beside the saves.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use crate::setup::read_at_most;

/// The most bytes of such a text.
const MAX_BYTES: u64 = 1 << 16;

/// The text of a file in the folder of saves; empty where there is none. One that cannot be read is
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

/// Puts a text into a file in the folder of saves, whole or not at all.
pub(super) fn write(folder: &Path, name: impl AsRef<Path>, text: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(folder.join(name))?;
    Ok(())
}
