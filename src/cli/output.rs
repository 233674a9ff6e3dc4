//! What a command prints on stdout: one JSON document, or lines.

use std::fmt::Display;
use std::io::{self, Write as _};

use serde::Serialize;

use super::Failure;

/// Prints a document on one line. Its fields are in the order of their names.
pub(super) fn print_json(document: &(impl Serialize + ?Sized)) -> Result<(), Failure> {
    let failed = |error| Failure::from(io::Error::from(error));
    let mut out = io::stdout().lock();
    let value = serde_json::to_value(document).map_err(failed)?;
    serde_json::to_writer(&mut out, &value).map_err(failed)?;
    writeln!(out)?;
    Ok(())
}

/// Prints lines.
pub(super) fn print_lines(lines: impl IntoIterator<Item = impl Display>) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(())
}
