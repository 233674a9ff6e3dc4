//! What the program does, line by line: in the file of `--log`, and with -v on stderr.
//!
//! Nothing is listened to unless one of the two is asked for; a place that could say something
//! then costs a comparison, and headless play has none in its loop.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal as _, Write};
use std::path::Path;
use std::sync::Arc;

use tracing::Level;

use super::Failure;
use crate::tui::terminal;
use debate_core::text::safe;
use debate_lab::record::{OpenError, open_plain};

/// The most characters of a line: a reply may be a million bits long.
const MAX_LINE: usize = 1000;

/// Begins to listen, where somebody wants to read it.
pub(super) fn start(file: Option<&Path>, verbose: u8, quiet: bool) -> Result<(), Failure> {
    if file.is_none() && verbose == 0 {
        return Ok(());
    }
    let file = file.map(opened).transpose()?;
    let level = match (quiet, verbose) {
        (true, _) => Level::WARN,
        (false, 0) => Level::INFO,
        (false, 1) => Level::DEBUG,
        (false, _) => Level::TRACE,
    };
    let outlet = LogWriter {
        file: file.map(Arc::new),
        aloud: verbose > 0,
    };
    let listening = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_ansi(false)
        .with_target(false)
        .with_writer(move || outlet.clone())
        .try_init();
    listening.map_err(|error| Failure::System(error.to_string()))
}

/// The file, at its end: a new one for its owner alone, or a plain one that no link leads to.
fn opened(path: &Path) -> Result<File, Failure> {
    let shown = path.display().to_string();
    let wrong =
        |what: &dyn std::fmt::Display| Failure::input(format!("--log {}: {what}", safe(&shown)));
    let mut options = OpenOptions::new();
    options.append(true);
    let mut new = options.clone();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut new, 0o600);
    match new.create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => open_plain(path, &options)
            .map_err(|error| match error {
                OpenError::NotAFile => wrong(&"this is no plain file; name another"),
                OpenError::Io(error) => wrong(&error),
            }),
        file => file.map_err(|error| wrong(&error)),
    }
}

/// Where lines go.
#[derive(Clone)]
struct LogWriter {
    file: Option<Arc<File>>,
    aloud: bool,
}

impl Write for LogWriter {
    /// Takes one whole line.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_end_matches('\n');
        let shown: String = match text.char_indices().nth(MAX_LINE) {
            Some((end, _)) => safe(text.split_at(end).0).into_owned() + "…\n",
            None => safe(text).into_owned() + "\n",
        };
        // A full disk must not end a debate, and there is nobody else to tell.
        if let Some(mut file) = self.file.as_deref() {
            let _ = file.write_all(shown.as_bytes());
        }
        if self.aloud && !(terminal::is_screen_open() && io::stderr().is_terminal()) {
            let _ = io::stderr().write_all(shown.as_bytes());
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
