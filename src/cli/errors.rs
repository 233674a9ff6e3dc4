//! Prints errors and notes on stderr: as sentences, or as lines of JSON if `--json` is given.

use std::cell::Cell;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::Write as _;

use clap::error::ErrorKind;
use serde::Serialize;

use super::Result;
use super::output::stderr;
use crate::exit::{self, CommandFailure};
use debate_core::text::{replace_unsafe_characters, replace_unsafe_multiline};

thread_local! {
    /// True if errors and notes of the run on this thread are printed as JSON.
    static AS_JSON: Cell<bool> = const { Cell::new(false) };
}

/// A line of stderr under `--json`: one object with one field.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum StderrLine<'t> {
    /// The error that ends a failed run.
    Error {
        kind: &'static str,
        /// The exit code.
        code: u8,
        message: &'t str,
    },
    /// A remark about a successful run, or about a file that was refused while the run continues.
    Note { message: &'t str },
}

impl StderrLine<'_> {
    fn print(&self) -> Result {
        let line = serde_json::to_string(self).map_err(std::io::Error::from)?;
        Ok(writeln!(stderr(), "{line}")?)
    }
}

/// Decides from the words of a command line if errors are printed as sentences or as JSON. Called before clap parses
/// the words, because clap's own errors have the same form.
pub(super) fn choose_error_format(args: &[OsString]) {
    let mut words = args.iter().skip(1).take_while(|word| *word != "--");
    AS_JSON.set(words.any(|word| word == "--json"));
}

/// Prints a message that begins with the program's name: about a refused file, or about a missing part of the result.
pub(super) fn print_warning(text: impl Display) -> Result {
    print_note("debate-tui: ", &text.to_string())
}

/// Prints a remark about a successful run.
pub(super) fn print_remark(text: impl Display) -> Result {
    print_note("", &text.to_string())
}

/// Prints a note on stderr. The text `before` precedes the note; JSON omits it, because every JSON line names its kind.
fn print_note(before: &str, text: &str) -> Result {
    let text = replace_unsafe_characters(text);
    if AS_JSON.get() {
        return StderrLine::Note { message: &text }.print();
    }
    Ok(writeln!(stderr(), "{before}{text}")?)
}

/// Prints the reason of a failed run. Returns the exit code.
pub(super) fn print_failure_and_exit_code(outcome: &Result) -> u8 {
    let code = exit::exit_code(outcome);
    let Err(failure) = outcome else {
        return code;
    };
    let message = failure
        .unprinted_error_message()
        .map(replace_unsafe_multiline);
    if let Some(text) = &message {
        tracing::error!("{text}");
    }
    // A closed stderr is not an error, because it has no reader.
    if AS_JSON.get() {
        if let Some(kind) = failure.kind() {
            let message = message.unwrap_or_else(|| failure.to_string().into());
            let _ = print_error_line(kind, code, &message);
        }
    } else if let Some(text) = message {
        let _ = writeln!(stderr(), "debate-tui: {text}");
    }
    code
}

fn print_error_line(kind: &'static str, code: u8, message: &str) -> Result {
    let line = StderrLine::Error {
        kind,
        code,
        message,
    };
    line.print()
}

/// Prints clap's error about a wrong command line as JSON. Returns false if errors are not printed as JSON.
pub(super) fn print_usage_error_as_json(error: &clap::Error, code: u8) -> bool {
    if !AS_JSON.get() {
        return false;
    }
    let text = match error.kind() {
        // Here clap returns the whole help instead of a reason.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            "a subcommand is missing; --help lists the subcommands".to_owned()
        }
        _ => error.render().to_string(),
    };
    let (reason, _) = text.split_once("\n\nUsage:").unwrap_or((&text, ""));
    let reason = reason.strip_prefix("error: ").unwrap_or(reason);
    let words: Vec<&str> = reason.split_whitespace().collect();
    // A closed stderr is not an error, because it has no reader.
    let _ = print_error_line("usage", code, &replace_unsafe_characters(&words.join(" ")));
    true
}

impl CommandFailure {
    /// Returns the name for this kind of failure in JSON; `None` if the run has no error to report.
    fn kind(&self) -> Option<&'static str> {
        match self {
            Self::Input(_) | Self::Reported => Some("input"),
            Self::System(_) => Some("system"),
            Self::Interrupted(_) => Some("interrupted"),
            Self::No | Self::BrokenPipe => None,
        }
    }
}
