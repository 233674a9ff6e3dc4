//! `man`: what the command line says of itself to readers.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::{Args, CommandFactory as _, ValueHint};
use clap_mangen::Man;

use super::{Cli, Failure};
use debate_core::text::safe;
use debate_lab::setup::nearest_name;

#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The page of this subcommand; the program's own where none is named.
    command: Option<String>,
    /// Write all pages into this folder instead.
    #[arg(long, value_name = "DIR", conflicts_with = "command", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
}

pub(super) fn man(args: &ManArgs) -> Result<(), Failure> {
    let mut command = Cli::command().disable_help_subcommand(true);
    if let Some(folder) = &args.out {
        let failed = |error: io::Error| {
            let shown = folder.display().to_string();
            Failure::input(format!("--out {}: {error}", safe(&shown)))
        };
        fs::create_dir_all(folder).map_err(failed)?;
        return clap_mangen::generate_to(command, folder).map_err(failed);
    }
    command.build();
    let page = match &args.command {
        None => command,
        Some(name) => command.find_subcommand(name).cloned().ok_or_else(|| {
            let commands = command.get_subcommands().map(clap::Command::get_name);
            let names: Vec<&str> = commands.collect();
            let hint = nearest_name(name, &names).map_or_else(
                || format!("take one of {}", names.join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            Failure::input(format!("there is no command `{}`; {hint}", safe(name)))
        })?,
    };
    let mut text = Vec::new();
    Man::new(page).render(&mut text)?;
    Ok(io::stdout().write_all(&text)?)
}
