//! An export as a file of its own.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// Writes a text to a file that appears whole under its name, and only where there is none of that
/// name.
///
/// # Errors
/// If there is such a file, or it cannot be written.
pub fn write_new(path: &Path, text: &str) -> io::Result<()> {
    // Said before the work is written anywhere; the last step makes sure of it.
    if fs::symlink_metadata(path).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut file = beside(folder.unwrap_or_else(|| Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    Ok(())
}

/// A file that is nobody's yet, with the rights that new files have.
fn beside(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".debate-tui-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("debate.md");
        write_new(&path, "one").unwrap();
        let error = write_new(&path, "two").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write_new(&folder.path().join("no/where.md"), "").is_err());
    }
}
