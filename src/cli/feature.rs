//! Commands that this build lacks, because it was compiled without their feature. They return an error that names the
//! build that has them.

use std::ffi::OsString;

use clap::Args;

use super::{CommandFailure, Result};

/// Any arguments of a command whose feature this build lacks; the command is always refused.
#[derive(Debug, Args)]
pub(super) struct ArgsOfMissingFeature {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _arguments: Vec<OsString>,
}

/// Refuses the command `mcp`, because this build lacks its feature.
#[cfg(not(feature = "mcp"))]
pub(super) fn refuse_without_mcp(_args: &ArgsOfMissingFeature) -> Result {
    Err(CommandFailure::from_input_error(
        "this build has no `mcp`: install the Python package (`pip install debate-tui`), which includes it, or build \
         with `cargo build --release --features mcp`",
    ))
}

/// Refuses the command `web`, because this build lacks its feature.
#[cfg(not(feature = "web"))]
pub(super) fn refuse_without_web(_args: &ArgsOfMissingFeature) -> Result {
    Err(missing_web())
}

/// Returns the error of a command or flag that needs the feature `web`.
#[cfg(not(feature = "web"))]
pub(super) fn missing_web() -> CommandFailure {
    CommandFailure::from_input_error(
        "this build has no browser pages: build with `cargo build --release --features web`",
    )
}
