//! The files that flags such as `--out`, `--vega` and `--chart` name for output.
//!
//! A command checks these files before it computes, so that a long run does not end with an error about its output.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::Value;

use super::output::{PrintedFormat, print_to, stderr, stdout};
use super::{CommandFailure, Result};
use debate_core::text::replace_unsafe_characters;
use debate_host::record::{
    OutputDestination, OutputFileError, check_output, stream_output, write_output,
};
use debate_lab::export::ExportError;
use debate_text::results::PrintableCommandResult;

// The permission to replace files. The flags that name output files belong to the command's group `outputs`.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct ReplaceExistingOutputsArgs {
    /// Replace existing output files of this command. Without this flag, the command refuses to overwrite them.
    /// Pipes and devices are written to, never replaced; `-` is stdout.
    #[arg(long, requires = "outputs")]
    pub(super) replace: bool,
}

/// The output files that a command's flags name, after the check that they can be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct CheckedOutputFiles {
    replace: bool,
    /// True if one of the output files is `-`, the standard output. The result is then printed on stderr.
    writes_stdout: bool,
}

impl CheckedOutputFiles {
    /// Checks that all the named output files can be written, before anything is computed.
    pub(super) fn check<'p>(
        args: ReplaceExistingOutputsArgs,
        paths: impl IntoIterator<Item = Option<&'p PathBuf>>,
    ) -> Result<Self> {
        let mut checked = Self {
            replace: args.replace,
            writes_stdout: false,
        };
        for path in paths.into_iter().flatten() {
            let kind = check_output(path, args.replace).map_err(|error| failure(&error))?;
            if kind == OutputDestination::Stdout && checked.writes_stdout {
                return Err(CommandFailure::from_input_error(
                    "two flags write to stdout; name a file for one of them",
                ));
            }
            checked.writes_stdout |= kind == OutputDestination::Stdout;
        }
        Ok(checked)
    }

    /// Writes a text to a file that a flag names. Replaces an existing file only with `--replace`.
    pub(super) fn write(self, path: &Path, text: impl AsRef<[u8]>) -> Result {
        write(path, text, self.replace)
    }

    /// Writes a Vega-Lite chart if a flag names a file for it.
    pub(super) fn write_chart(
        self,
        path: Option<&Path>,
        picture: impl FnOnce() -> Value,
    ) -> Result {
        match path {
            Some(path) => self.write(path, format!("{:#}\n", picture())),
            None => Ok(()),
        }
    }

    /// Writes a Vega-Lite chart of a result's document if a flag names a file for it.
    pub(super) fn write_chart_of_result(
        self,
        result: &impl PrintableCommandResult,
        path: Option<&Path>,
        picture: impl FnOnce(&Value) -> Value,
    ) -> Result {
        if path.is_none() {
            return Ok(());
        }
        let document = serde_json::to_value(result.document()).map_err(std::io::Error::from)?;
        self.write_chart(path, || picture(&document))
    }

    /// Prints a result on stdout, or on stderr if an output file takes stdout.
    pub(super) fn print(
        self,
        result: &(impl PrintableCommandResult + ?Sized),
        form: impl Into<PrintedFormat>,
    ) -> Result {
        print_to(&mut self.result_stream(), result, form)
    }

    /// Returns the stream on which the result is printed: stdout, or stderr if an output file takes stdout.
    pub(super) fn result_stream(self) -> Box<dyn Write> {
        if self.writes_stdout {
            stderr()
        } else {
            stdout()
        }
    }
}

/// Writes an output file. Returns an error if the file exists and `replace` is false.
pub(super) fn write(path: &Path, text: impl AsRef<[u8]>, replace: bool) -> Result {
    write_output(path, text.as_ref(), replace, &mut stdout()).map_err(|error| failure(&error))
}

/// Writes an output file through a function that writes to a stream. Returns an error if the file exists and
/// `replace` is false.
pub(super) fn stream<T>(
    path: &Path,
    replace: bool,
    write: impl FnOnce(&mut dyn Write) -> Result<T, ExportError>,
) -> Result<T> {
    stream_output(path, replace, &mut stdout(), write).map_err(|error| match error {
        ExportError::Output(error) => failure(&error),
        ExportError::Write(cause) => failure(&OutputFileError::for_path(path, cause)),
        ExportError::Json(error) if error.is_io() => {
            failure(&OutputFileError::for_path(path, error.into()))
        }
        error => error.into(),
    })
}

fn failure(error: &OutputFileError) -> CommandFailure {
    let advice = match error {
        OutputFileError::Exists(_) => "; name another file, or add --replace to replace it",
        _ => "",
    };
    let is_system_error = error.is_system_error();
    if let OutputFileError::Io { cause, .. } = error
        && cause.kind() == std::io::ErrorKind::BrokenPipe
    {
        return CommandFailure::BrokenPipe;
    }
    let text = format!("{error}{advice}");
    let text = replace_unsafe_characters(&text).into_owned();
    if is_system_error {
        CommandFailure::System(text)
    } else {
        CommandFailure::Input(text)
    }
}
