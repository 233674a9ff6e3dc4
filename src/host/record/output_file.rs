//! Writes the files, pipes and devices that a user names for output.
//!
//! A regular file is written to a temporary file beside it and then renamed, so a full disk leaves the existing file as
//! it was. Pipes and devices are written directly and never replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek as _, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::small_files::{FOR_ALL, create_temporary_file, folder_of_file};

/// Paths that name the standard output of the process.
const STDOUT_PATHS: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// Paths of open streams. If a stream is redirected to a file, the path looks like a regular file, but must not be
/// replaced.
const STREAM_PATHS: [&str; 3] = ["/dev/stderr", "/dev/fd/", "/proc/self/fd/"];

/// The reason why an output cannot be written.
#[derive(Debug, Error)]
pub enum OutputFileError {
    #[error("{} already exists", .0.display())]
    Exists(PathBuf),
    #[error("{path} is a folder; name a file", path = .0.display())]
    Folder(PathBuf),
    #[error("{path}: the folder of this file does not exist", path = .0.display())]
    NoFolder(PathBuf),
    #[error("{file} cannot be written: {cause}", file = path.display())]
    Io {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
}

impl OutputFileError {
    /// Creates an error of writing to `path`.
    pub fn for_path(path: &Path, cause: io::Error) -> Self {
        let path = path.to_owned();
        match cause.kind() {
            io::ErrorKind::AlreadyExists => Self::Exists(path),
            _ => Self::Io { path, cause },
        }
    }

    /// True if the system failed, for example because of a full disk; false if another path would work.
    pub fn is_system_error(&self) -> bool {
        matches!(self, Self::Io { cause, .. } if is_system_failure(cause))
    }
}

/// True if an error of writing is a failure of the machine, such as a full disk; false if the path itself is wrong.
pub fn is_system_failure(error: &io::Error) -> bool {
    !matches!(
        error.kind(),
        io::ErrorKind::AlreadyExists
            | io::ErrorKind::InvalidFilename
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::NotFound
    )
}

/// The destination of an output that a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputDestination {
    Stdout,
    /// A pipe, a socket, a device or another open stream.
    Stream,
    NewFile,
    /// A regular file or a link, which is replaced if the user allows it.
    ExistingFile,
}

impl OutputDestination {
    /// Finds the kind of destination that an output path names.
    ///
    /// # Errors
    /// If the path is a folder, or the folder of a new file does not exist.
    pub fn destination_of(path: &Path) -> Result<Self, OutputFileError> {
        let text = path.to_str().unwrap_or_default();
        if STDOUT_PATHS.contains(&text) {
            return Ok(Self::Stdout);
        }
        if STREAM_PATHS.iter().any(|stream| text.starts_with(stream)) {
            return Ok(Self::Stream);
        }
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(OutputFileError::Folder(path.to_owned())),
            Ok(found) if !found.is_file() => return Ok(Self::Stream),
            _ => {}
        }
        // A link without a file counts as existing, because no file is ever written through a link.
        if fs::symlink_metadata(path).is_ok() {
            return Ok(Self::ExistingFile);
        }
        let folder = path.parent().unwrap_or(path);
        if !folder.as_os_str().is_empty() && !folder.is_dir() {
            return Err(OutputFileError::NoFolder(path.to_owned()));
        }
        Ok(Self::NewFile)
    }
}

/// Checks before a computation that its output can go to `path`, and returns the destination. Does not check the
/// permissions.
///
/// # Errors
/// If the path is a folder, its folder does not exist, or a file exists and `replace` is false.
pub fn check_output(path: &Path, replace: bool) -> Result<OutputDestination, OutputFileError> {
    match OutputDestination::destination_of(path)? {
        OutputDestination::ExistingFile if !replace => {
            Err(OutputFileError::Exists(path.to_owned()))
        }
        kind => Ok(kind),
    }
}

/// Writes an output. If the path names the standard output, writes to `stdout`. Writes directly to a pipe or device,
/// and atomically to a regular file.
///
/// # Errors
/// If a file exists and `replace` is false, or the output cannot be written.
pub fn write_output(
    path: &Path,
    bytes: &[u8],
    replace: bool,
    stdout: &mut dyn Write,
) -> Result<(), OutputFileError> {
    stream_output(path, replace, stdout, |out| {
        out.write_all(bytes)
            .map_err(|cause| OutputFileError::for_path(path, cause))
    })
}

/// Writes an output as [`write_output`] does, with a function that writes to a stream.
///
/// # Errors
/// If a file exists and `replace` is false, the output cannot be written, or the function fails.
pub fn stream_output<T, E: From<OutputFileError>>(
    path: &Path,
    replace: bool,
    stdout: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    let failed = |cause| OutputFileError::for_path(path, cause);
    let kind = check_output(path, replace)?;
    let may_replace = match kind {
        OutputDestination::Stdout => {
            let mut out = BufWriter::new(stdout);
            let written = write(&mut out)?;
            out.flush().map_err(failed)?;
            return Ok(written);
        }
        OutputDestination::Stream => {
            // Opening a pipe waits for its reader, as in a shell. Appends, because a stream that is redirected to a
            // file must keep the bytes that it already has.
            let stream = OpenOptions::new().append(true).open(path).map_err(failed)?;
            let mut out = BufWriter::new(stream);
            let written = write(&mut out)?;
            out.flush().map_err(failed)?;
            return Ok(written);
        }
        OutputDestination::NewFile => false,
        OutputDestination::ExistingFile => true,
    };
    // A file without a name: if the program is killed during the computation, no file is left.
    let unnamed = tempfile::tempfile_in(folder_of_file(path)).map_err(failed)?;
    let mut out = BufWriter::new(unnamed);
    let written = write(&mut out)?;
    let unnamed = out
        .into_inner()
        .map_err(|error| failed(error.into_error()))?;
    copy_to(unnamed, path, may_replace).map_err(failed)?;
    Ok(written)
}

/// Copies a file to `path` atomically. A new file gets the rights of new files; a replaced file keeps its rights. A
/// link itself is replaced, not the file that it leads to.
fn copy_to(mut from: File, path: &Path, may_replace: bool) -> io::Result<()> {
    from.rewind()?;
    let mut file = create_temporary_file(path, FOR_ALL)?;
    io::copy(&mut from, &mut file)?;
    file.as_file().sync_all()?;
    if !may_replace {
        file.persist_noclobber(path)?;
        return Ok(());
    }
    if let Ok(found) = fs::symlink_metadata(path)
        && found.is_file()
    {
        file.as_file().set_permissions(found.permissions())?;
    }
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(path: &Path, text: &str, replace: bool) -> Result<(), OutputFileError> {
        write_output(path, text.as_bytes(), replace, &mut io::sink())
    }

    #[test]
    fn an_existing_file_is_replaced_only_if_that_is_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("debate.md");
        put(&path, "one", false).unwrap();
        let error = put(&path, "two", false).unwrap_err();
        assert!(matches!(error, OutputFileError::Exists(_)), "{error}");
        assert!(!error.is_system_error());
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        put(&path, "two", true).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let error = put(&folder.path().join("no/where.md"), "", true).unwrap_err();
        assert!(matches!(error, OutputFileError::NoFolder(_)), "{error}");
        let error = put(folder.path(), "", true).unwrap_err();
        assert!(matches!(error, OutputFileError::Folder(_)), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_replaced_file_keeps_its_rights_and_a_link_its_target() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| folder.path().join(name));
        fs::write(&file, "one").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        put(&file, "two", true).unwrap();
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(put(&link, "three", false).is_err());
        put(&link, "three", true).unwrap();
        let read = |path: &Path| fs::read_to_string(path).unwrap();
        assert_eq!((read(&file), read(&link)), ("two".into(), "three".into()));
    }

    #[test]
    fn names_of_stdout_write_to_it() {
        let mut out = Vec::new();
        for path in STDOUT_PATHS {
            write_output(Path::new(path), b"a", false, &mut out).unwrap();
        }
        assert_eq!(out, b"aaaa");
    }
}
