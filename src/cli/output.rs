//! Prints the result of a command as a page, as one JSON document or as a table. Also the streams for the output.
//!
//! The streams are those of the process, or those of a captured run. A captured run uses one thread. Threads that a
//! command starts do not print. The exceptions are progress bars and the log, which belong to runs of a process.

use std::cell::RefCell;
use std::env;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, BufRead, Cursor, IsTerminal, Read as _, Write};

use serde::Serialize;

use super::flags::OutputFormatArgs;
use super::{CommandFailure, Result};
use crate::tui::widget::measure::{width, wrap};
use debate_core::text::replace_unsafe_characters;
use debate_text::results::PrintableCommandResult;
use debate_text::{HeadedTextPage, table};

/// The maximum width of a printed line, in columns. Longer text is broken into several lines.
pub(super) const COLUMNS: usize = 80;

/// A space at which lines are not broken.
pub(super) const NO_BREAK_SPACE: &str = "\u{a0}";

/// The input, environment variables and output of a captured run: a command line that runs inside another process.
#[derive(Default)]
struct Capture {
    input: Vec<u8>,
    variables: Vec<(&'static str, OsString)>,
    out: Vec<u8>,
    err: Vec<u8>,
}

thread_local! {
    /// The captured run on this thread; `None` if the command line of the process itself runs.
    static CAPTURE: RefCell<Option<Capture>> = const { RefCell::new(None) };
}

/// Runs `work` with this standard input and these environment variables. Returns the result of `work`, its standard
/// output and its error output.
pub(super) fn capture<T>(
    input: &str,
    variables: Vec<(&'static str, OsString)>,
    work: impl FnOnce() -> T,
) -> (T, Vec<u8>, Vec<u8>) {
    CAPTURE.set(Some(Capture {
        input: input.into(),
        variables,
        ..Capture::default()
    }));
    let result = work();
    let capture = CAPTURE.take().unwrap_or_default();
    (result, capture.out, capture.err)
}

/// True if this thread runs a captured command line. Such a run neither handles signals nor ends the process.
pub(super) fn is_output_captured() -> bool {
    CAPTURE.with_borrow(Option::is_some)
}

/// An output stream of a captured run.
struct CapturedStream(fn(&mut Capture) -> &mut Vec<u8>);

impl Write for CapturedStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        CAPTURE.with_borrow_mut(|capture| match capture {
            Some(capture) => (self.0)(capture).write(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) fn stdout() -> Box<dyn Write> {
    if is_output_captured() {
        return Box::new(CapturedStream(|capture| &mut capture.out));
    }
    Box::new(io::stdout())
}

pub(super) fn stderr() -> Box<dyn Write> {
    if is_output_captured() {
        return Box::new(CapturedStream(|capture| &mut capture.err));
    }
    Box::new(io::stderr())
}

/// Returns the standard input. In a captured run, the first call gets the whole input and later calls get none.
pub(super) fn stdin() -> Box<dyn BufRead> {
    let take_input = |capture: &mut Capture| std::mem::take(&mut capture.input);
    match CAPTURE.with_borrow_mut(|capture| capture.as_mut().map(take_input)) {
        Some(input) => Box::new(Cursor::new(input)),
        None => Box::new(io::stdin().lock()),
    }
}

/// True if a stream of the process is a terminal and this thread's run is not captured.
pub(super) fn is_terminal(stream: &impl IsTerminal) -> bool {
    !is_output_captured() && stream.is_terminal()
}

/// Returns the value of an environment variable; `None` if it is unset or empty.
pub(super) fn env_variable(name: &str) -> Option<OsString> {
    let value = CAPTURE.with_borrow(|capture| match capture {
        Some(Capture { variables, .. }) => {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.clone())
        }
        None => env::var_os(name),
    });
    value.filter(|value| !value.is_empty())
}

/// The format of a printed result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PrintedFormat {
    Page,
    /// One document on one line.
    Json,
    /// Comma-separated values.
    Csv,
}

impl PrintedFormat {
    /// Returns the format JSON if `json` is true, else the format of a page.
    pub(super) fn page_or_json(json: bool) -> Self {
        if json { Self::Json } else { Self::Page }
    }
}

impl From<&OutputFormatArgs> for PrintedFormat {
    fn from(args: &OutputFormatArgs) -> Self {
        if args.csv {
            Self::Csv
        } else {
            Self::page_or_json(args.json)
        }
    }
}

/// Prints a result.
pub(super) fn print(
    result: &(impl PrintableCommandResult + ?Sized),
    form: impl Into<PrintedFormat>,
) -> Result {
    print_to(&mut stdout(), result, form)
}

/// Prints a result on a stream.
pub(super) fn print_to(
    out: &mut dyn Write,
    result: &(impl PrintableCommandResult + ?Sized),
    form: impl Into<PrintedFormat>,
) -> Result {
    match form.into() {
        PrintedFormat::Page => write_lines(out, wrapped_page_lines(&result.page())),
        PrintedFormat::Json => write_json(out, &result.document()),
        PrintedFormat::Csv => write_lines(out, result.table().iter().map(table::csv_line)),
    }
}

/// Prints a JSON document on one line. Its fields are sorted by name.
pub(super) fn print_json_line(document: &(impl Serialize + ?Sized)) -> Result {
    write_json(&mut stdout(), document)
}

/// Writes a JSON document to a stream on one line.
pub(super) fn write_json(out: &mut dyn Write, document: &(impl Serialize + ?Sized)) -> Result {
    let failed = |error| CommandFailure::from(io::Error::from(error));
    let value = serde_json::to_value(document).map_err(failed)?;
    serde_json::to_writer(&mut *out, &value).map_err(failed)?;
    writeln!(out)?;
    Ok(())
}

/// Prints a prompt and reads a line from the user; `None` at the end of the input. Reads at most `max_bytes` bytes of
/// the line.
pub(super) fn prompt_and_read_line(
    input: &mut impl BufRead,
    max_bytes: u64,
    out: &mut impl Write,
) -> Result<Option<Vec<u8>>> {
    write!(out, "> ")?;
    out.flush()?;
    let mut line = Vec::new();
    if input.take(max_bytes).read_until(b'\n', &mut line)? > 0 {
        return Ok(Some(line));
    }
    writeln!(out)?;
    Ok(None)
}

/// Prints a prompt and reads a line from the user as UTF-8 text, as [`prompt_and_read_line`] does.
pub(super) fn prompt_and_read_text(
    input: &mut impl BufRead,
    max_bytes: u64,
    out: &mut impl Write,
) -> Result<Option<String>> {
    let line = prompt_and_read_line(input, max_bytes, out)?.map(String::from_utf8);
    let text = line.transpose();
    text.map_err(|_error| CommandFailure::from_input_error("a reply on stdin is not UTF-8"))
}

/// Prints lines.
pub(super) fn print_lines(lines: impl IntoIterator<Item = impl Display>) -> Result {
    write_lines(&mut stdout(), lines)
}

fn write_lines(out: &mut dyn Write, lines: impl IntoIterator<Item = impl Display>) -> Result {
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// Returns the lines of a page. Table rows are unchanged. Other text is wrapped, beside its label if it has one.
pub(super) fn wrapped_page_lines(page: &HeadedTextPage) -> Vec<String> {
    let mut lines = Vec::new();
    for line in &page.lines {
        let body = line.plain_body_text();
        let body = replace_unsafe_characters(&body);
        if line.fixed {
            lines.push(body.into_owned());
            continue;
        }
        let mut label = match &*replace_unsafe_characters(&line.label) {
            "" => String::new(),
            label => format!("{label} "),
        };
        let start = width(&label);
        for part in wrap(&body, COLUMNS.saturating_sub(start)) {
            let line = format!("{label}{part}");
            lines.push(line.trim_end().to_owned());
            label = " ".repeat(start);
        }
    }
    lines
}

/// Appends lines with a name and, beside it, a wrapped text. A name that is wider than its column has a separate line.
pub(super) fn add_two_columns(
    name: &str,
    text: &str,
    indent: usize,
    column: usize,
    lines: &mut Vec<String>,
) {
    let start = indent + column + 2;
    let mut name = format!("{:indent$}{name}", "");
    if name.chars().count() > indent + column {
        lines.push(std::mem::take(&mut name));
    }
    for part in wrap(text, COLUMNS.saturating_sub(start)) {
        let line = format!("{name:width$}  {part}", width = start - 2);
        lines.push(line.trim_end().replace(NO_BREAK_SPACE, " "));
        name.clear();
    }
}
