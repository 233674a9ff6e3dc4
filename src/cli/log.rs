//! The program's log. It is written to the file of `--log`, and to stderr with -v.
//!
//! Without these flags, no subscriber is installed. Each possible log line then costs one comparison, and the loop of
//! headless play has none.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal as _, Read as _, Seek as _, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tracing::Level;

use super::{CommandFailure, Result};
use crate::tui::terminal;
use debate_core::text::replace_unsafe_characters;
use debate_host::record::{RegularFileOpenError, open_regular_file};

/// The maximum length of a line of the log, in characters. A reply may be a million bits long.
const MAX_LINE: usize = 1000;
/// The maximum number of bytes that the log file keeps of one run. If a line would exceed it, the older half of the
/// run's log is dropped. An engine may print without end.
const MAX_LOG: u64 = 16 << 20;

/// Starts the log if a log file or a verbosity is given.
pub(super) fn start_log(file: Option<&Path>, verbose: u8, quiet: bool) -> Result {
    if file.is_none() && verbose == 0 {
        return Ok(());
    }
    let log = file.map(open_log_file).transpose()?;
    let level = match (quiet, verbose) {
        (true, _) => Level::WARN,
        (false, 0) => Level::INFO,
        (false, 1) => Level::DEBUG,
        (false, _) => Level::TRACE,
    };
    let outlet = LogWriter {
        file: log.map(|log| Arc::new(Mutex::new(log))),
        writes_stderr: verbose > 0,
    };
    let listening = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_ansi(false)
        .with_target(false)
        .with_writer(move || outlet.clone())
        .try_init();
    listening.map_err(|error| CommandFailure::System(error.to_string()))
}

/// Opens the log file for appending: a new file that only its owner can read, or an existing regular file that is not
/// behind a link.
fn open_log_file(path: &Path) -> Result<LogFile> {
    let shown = path.display().to_string();
    let wrong = |what: &dyn std::fmt::Display| {
        CommandFailure::from_input_error(format!(
            "--log {}: {what}",
            replace_unsafe_characters(&shown)
        ))
    };
    let mut options = OpenOptions::new();
    options.read(true).append(true);
    let mut new = options.clone();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut new, 0o600);
    let file = match new.create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            open_regular_file(path, &options).map_err(|error| match error {
                RegularFileOpenError::NotAFile => {
                    wrong(&"this is not a regular file; name another file")
                }
                RegularFileOpenError::Io(error) => wrong(&error),
            })
        }
        file => file.map_err(|error| wrong(&error)),
    }?;
    LogFile::new(file).map_err(|error| wrong(&error))
}

/// The log file. It keeps at most [`MAX_LOG`] bytes of a run, the newest ones.
struct LogFile {
    file: File,
    /// The offset in the log file at which the first line of this run of the program begins.
    begin: u64,
    /// The number of bytes that this run has in the log file.
    length: u64,
    /// The number of lines of this run that were dropped from the log file.
    dropped: usize,
}

impl LogFile {
    fn new(file: File) -> io::Result<Self> {
        Ok(Self {
            begin: file.metadata()?.len(),
            length: 0,
            dropped: 0,
            file,
        })
    }

    fn write_line(&mut self, line: &str) -> io::Result<()> {
        if self.length + line.len() as u64 > MAX_LOG {
            self.drop_older_half()?;
        }
        self.file.write_all(line.as_bytes())?;
        self.length += line.len() as u64;
        Ok(())
    }

    fn drop_older_half(&mut self) -> io::Result<()> {
        let mut lines = Vec::new();
        self.file.seek(SeekFrom::Start(self.begin))?;
        self.file.read_to_end(&mut lines)?;
        let (older, newer) = lines.split_at(lines.len() / 2);
        let cut = newer.iter().position(|byte| *byte == b'\n');
        let (rest, kept) = newer.split_at(cut.map_or(newer.len(), |end| end + 1));
        let ends = older.iter().chain(rest).filter(|byte| **byte == b'\n');
        // The first line contains the number of lines dropped earlier; it is not a dropped line itself.
        self.dropped += ends.count() - usize::from(self.dropped > 0);
        let mut text = format!(
            "{dropped} earlier lines were dropped: a log file keeps at most {most} MiB of each run\n",
            dropped = self.dropped,
            most = MAX_LOG >> 20
        )
        .into_bytes();
        text.extend_from_slice(kept);
        self.file.set_len(self.begin)?;
        self.file.write_all(&text)?;
        self.length = text.len() as u64;
        Ok(())
    }
}

/// The destination of log lines.
#[derive(Clone)]
struct LogWriter {
    file: Option<Arc<Mutex<LogFile>>>,
    writes_stderr: bool,
}

impl Write for LogWriter {
    /// Writes one whole line.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_end_matches('\n');
        let shown: String = match text.char_indices().nth(MAX_LINE) {
            Some((end, _)) => replace_unsafe_characters(text.split_at(end).0).into_owned() + "…\n",
            None => replace_unsafe_characters(text).into_owned() + "\n",
        };
        // A full disk must not end a debate, and there is no other place to report it.
        if let Some(file) = &self.file {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = file.write_line(&shown);
        }
        if self.writes_stderr && !(terminal::is_screen_open() && io::stderr().is_terminal()) {
            let _ = io::stderr().write_all(shown.as_bytes());
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
