//! `completions` and `man`: what the command line says of itself to shells and readers.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, Args, CommandFactory as _, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man;

use super::{Cli, Failure, registry};
use crate::number::Exact;
use crate::player::Registry;
use crate::protocol::{Kind, Seat};
use crate::setup;
use crate::text::safe;

pub(super) const INSTALLING: &str = "\
Examples:
  debate-tui completions bash > ~/.local/share/bash-completion/completions/debate-tui
  debate-tui completions zsh > ~/.zfunc/_debate-tui       (a folder in $fpath)
  debate-tui completions fish > ~/.config/fish/completions/debate-tui.fish

For elvish and PowerShell commands, options and bundled scenarios are completed, but not what an
option takes, such as the name of a strategy: their generators in clap_complete have no place for it.";

#[derive(Debug, Args)]
#[command(after_help = INSTALLING)]
pub(super) struct CompletionsArgs {
    /// For which shell.
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The page of this subcommand; the program's own where none is named.
    command: Option<String>,
    /// Write all pages into this folder instead.
    #[arg(long, value_name = "DIR", conflicts_with = "command", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
}

pub(super) fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    let mut command = with_names();
    clap_complete::generate(args.shell, &mut command, "debate-tui", &mut script);
    let script = String::from_utf8_lossy(&script);
    let script = match args.shell {
        // Of a name with a hyphen clap_complete 4.6 makes labels that it then does not look for.
        Shell::Bash => script.replace("debate__subcmd__tui", "debate__tui"),
        Shell::Zsh => with_files(&script),
        Shell::Fish => script.into_owned() + &scenarios_for_fish(&command),
        Shell::Elvish => with_scenarios(&script, &command, "= {", |name| {
            format!("cand {name} 'Bundled scenario'")
        }),
        Shell::PowerShell => with_scenarios(&script, &command, " {", |name| {
            let kind = "[CompletionResultType]::ParameterValue";
            format!("[CompletionResult]::new('{name}', '{name}', {kind}, 'Bundled scenario')")
        }),
        _ => script.into_owned(),
    };
    Ok(io::stdout().write_all(script.as_bytes())?)
}

fn bundled() -> String {
    setup::names().collect::<Vec<_>>().join(" ")
}

/// A scenario may be a file as well as a name.
fn with_files(script: &str) -> String {
    let names = format!(":({})'", bundled());
    let both = format!(
        ":{{_alternative \"names:bundled scenario:({})\" \"files:file:_files\"}}'",
        bundled()
    );
    script.replace(&names, &both)
}

/// The subcommands that take a scenario, by name.
fn on_scenarios(command: &clap::Command) -> impl Iterator<Item = &str> {
    let takes = |command: &&clap::Command| {
        let mut ids = command.get_arguments().map(|arg| arg.get_id().as_str());
        ids.any(|id| matches!(id, "scenario" | "scenarios"))
    };
    let commands = command.get_subcommands().filter(takes);
    commands.map(clap::Command::get_name)
}

/// The generators for elvish and PowerShell pass over arguments without a flag too. There each
/// command has a block of candidates, which such a line opens.
fn with_scenarios(
    script: &str,
    command: &clap::Command,
    opens: &str,
    candidate: impl Fn(&str) -> String,
) -> String {
    let after = on_scenarios(command).map(|name| format!("'debate-tui;{name}'{opens}"));
    let places: Vec<String> = std::iter::once(format!("'debate-tui'{opens}"))
        .chain(after)
        .collect();
    let mut lines = Vec::new();
    for line in script.lines() {
        lines.push(line.to_owned());
        let block = line.trim_start().trim_start_matches('&');
        if places.iter().any(|place| place == block) {
            lines.extend(setup::names().map(|name| format!("            {}", candidate(name))));
        }
    }
    lines.join("\n") + "\n"
}

/// The generator for fish passes over arguments without a flag.
fn scenarios_for_fish(command: &clap::Command) -> String {
    let names = bundled();
    let after =
        on_scenarios(command).map(|name| format!("__fish_debate_tui_using_subcommand {name}"));
    let places = std::iter::once("__fish_debate_tui_needs_command".to_owned()).chain(after);
    let line = |place| {
        format!("complete -c debate-tui -n \"{place}\" -F -a \"{names}\" -d 'Bundled scenario'\n")
    };
    places.map(line).collect()
}

/// The command line, its arguments knowing the names that they could take.
fn with_names() -> clap::Command {
    let registry = registry::<Exact>();
    let named = |command: clap::Command| command.mut_args(|arg| with_values(arg, &registry));
    let mut command = Cli::command();
    // Until then commands do not have their arguments.
    command.build();
    named(command).mut_subcommands(named)
}

fn with_values(arg: Arg, registry: &Registry<Exact>) -> Arg {
    let seat = |seat: Seat| {
        let entries = registry.entries().iter().filter(|entry| entry.seat == seat);
        let mut names: Vec<&'static str> = entries.map(|entry| entry.name).collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    let names: Vec<&'static str> = match arg.get_id().as_str() {
        "scenario" | "scenarios" => setup::names().collect(),
        "prover" => seat(Seat::Prover),
        "opponent" => seat(Seat::Opponent),
        "judge" => seat(Seat::Judge),
        "protocol" => Kind::ALL.iter().map(|kind| kind.variant()).collect(),
        _ => return arg,
    };
    arg.value_parser(PossibleValuesParser::new(names))
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
            let names = names.join(", ");
            Failure::input(format!(
                "there is no command `{}`; take one of {names}",
                safe(name)
            ))
        })?,
    };
    let mut text = Vec::new();
    Man::new(page).render(&mut text)?;
    Ok(io::stdout().write_all(&text)?)
}
