//! Output generated from the definition of the command line: the scripts of `completions`, the answers to a shell's
//! completion requests, and the pages of `man`.
//!
//! The script of `completions` makes the shell call this program with the words typed so far. Names of scenarios,
//! players and saves are therefore always current.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::builder::StyledStr;
use clap::{Arg, ArgGroup, Args, CommandFactory as _, ValueHint};
use clap_complete::Shell;
use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _,
};
use clap_complete::env::{CompleteEnv, Shells};
use clap_mangen::Man;

use super::output::stdout;
use super::output_files::{CheckedOutputFiles, ReplaceExistingOutputsArgs};
use super::{Cli, CommandFailure, Result, unknown_name};
use crate::guide::PAGES;
use crate::tui::settings::{ALL_SETTINGS, Settings, default_settings_path};
use debate_core::number::Exact;
use debate_core::player::StrategyRegistry;
use debate_core::protocol::{ProtocolKind, Seat};
use debate_core::text::replace_unsafe_characters;
use debate_host::record::{is_system_failure, latest_saves_with_moves, saves_folder};
use debate_solver::{registry, setup};

/// The environment variable in which a shell asks for completions.
const VARIABLE: &str = "DEBATE_TUI_COMPLETE";

/// The program's name on the command line.
const NAME: &str = "debate-tui";

/// The maximum number of saves that a completion offers.
const SAVES: usize = 50;

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/completions.txt"))]
pub(super) struct ShellCompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run_shell_completions(args: &ShellCompletionsArgs) -> Result {
    let shell = args.shell.to_string();
    let shells = Shells::builtins();
    let completer = shells
        .completer(&shell)
        .ok_or_else(|| CommandFailure::Input(format!("completion is not supported for {shell}")))?;
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, NAME, NAME, NAME, &mut script)?;
    if args.shell == Shell::Zsh {
        // Zsh loads a file in `$fpath` at the first completion request, and the file must answer this request.
        writeln!(
            script,
            "[ \"${{funcstack[1]}}\" = _debate-tui ] && _clap_dynamic_completer_debate_tui \"$@\""
        )?;
    }
    Ok(stdout().write_all(&script)?)
}

/// If a shell asks for completions, prints them and ends the process.
pub(super) fn answer_shell_completion_request() {
    CompleteEnv::with_factory(command_with_completers)
        .var(VARIABLE)
        .bin(NAME)
        .complete();
}

/// Returns the command line with completers for its arguments.
fn command_with_completers() -> clap::Command {
    let registry = registry::<Exact>();
    let mut command = Cli::command();
    // Before `build`, the commands do not have their arguments.
    command.build();
    let commands: Vec<String> = command
        .get_subcommands()
        .map(clap::Command::get_name)
        .map(str::to_owned)
        .collect();
    let named =
        |command: clap::Command| command.mut_args(|arg| with_completer(arg, &registry, &commands));
    named(command).mut_subcommands(named)
}

fn with_completer(arg: Arg, registry: &StrategyRegistry<Exact>, commands: &[String]) -> Arg {
    let seat = |seat: Seat| {
        let entries = registry.entries().iter().filter(|entry| entry.seat == seat);
        let mut names: Vec<String> = entries.map(|entry| entry.name.to_owned()).collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    let names: Vec<String> = match (arg.get_id().as_str(), arg.is_positional()) {
        ("scenario" | "scenarios", true) => {
            return arg.add(ArgValueCompleter::new(scenario_and_file_candidates));
        }
        ("save" | "saves", true) => {
            return arg.add(ArgValueCompleter::new(save_and_file_candidates));
        }
        ("file", true) => return arg.add(ArgValueCompleter::new(all_candidates)),
        ("files", true) => return arg.add(ArgValueCompleter::new(PathCompleter::any())),
        ("command", true) => commands.to_vec(),
        ("topic", true) => PAGES.iter().map(|page| page.name.to_owned()).collect(),
        ("prover", _) => seat(Seat::Prover),
        ("opponent", _) => seat(Seat::Opponent),
        ("judge", _) => seat(Seat::Judge),
        ("protocol", _) => ProtocolKind::ALL
            .iter()
            .map(|kind| kind.protocol_name_in_scenarios().to_owned())
            .collect(),
        ("set", _) => ALL_SETTINGS
            .iter()
            .map(|field| format!("{}=", field.name))
            .collect(),
        _ => return arg,
    };
    arg.add(ArgValueCandidates::new(move || {
        names.iter().map(CompletionCandidate::new).collect()
    }))
}

/// Completes a scenario with the names of bundled scenarios, and with `.ron` files.
fn scenario_and_file_candidates(typed: &OsStr) -> Vec<CompletionCandidate> {
    with_files(typed, scenario_candidates(typed))
}

/// Completes a save with the latest saves in the user's folder of saves, and with other `.ron` files.
fn save_and_file_candidates(typed: &OsStr) -> Vec<CompletionCandidate> {
    with_files(typed, save_candidates(typed))
}

fn all_candidates(typed: &OsStr) -> Vec<CompletionCandidate> {
    let offered = save_candidates(typed)
        .into_iter()
        .chain(scenario_candidates(typed));
    with_files(typed, offered.collect())
}

fn scenario_candidates(typed: &OsStr) -> Vec<CompletionCandidate> {
    let bundled = setup::bundled_scenarios().into_iter();
    candidates_starting_with(
        typed,
        bundled.map(|listing| (listing.name.to_owned(), listing.title)),
    )
}

fn save_candidates(typed: &OsStr) -> Vec<CompletionCandidate> {
    // Uses the settings if they can be read. Completion ignores errors, because a shell prompt cannot show them.
    let settings = default_settings_path();
    let filed = settings.as_deref().and_then(|path| {
        let settings = Settings::load(path).ok()?;
        settings.saves_folder_in_settings(Some(path))
    });
    let asked =
        std::env::var_os(debate_host::record::FOLDER_VARIABLE).is_some_and(|it| !it.is_empty());
    let folder = saves_folder(filed.as_deref().filter(|_| !asked));
    let listed = folder
        .and_then(|folder| latest_saves_with_moves(&folder, SAVES))
        .unwrap_or_default();
    let named = listed.into_iter().filter_map(|save| {
        let path = save
            .path
            .to_str()
            .filter(|path| *path == replace_unsafe_characters(path))?;
        Some((path.to_owned(), save.title.unwrap_or_default()))
    });
    candidates_starting_with(typed, named)
}

/// Returns the offered candidates together with completions by names of `.ron` files and folders, without duplicates.
fn with_files(typed: &OsStr, mut offered: Vec<CompletionCandidate>) -> Vec<CompletionCandidate> {
    let ends = |path: &Path| path.extension().is_some_and(|ending| ending == "ron");
    let mut files = PathCompleter::any().filter(ends).complete(typed);
    files.retain(|file| offered.iter().all(|it| it.get_value() != file.get_value()));
    offered.append(&mut files);
    offered
}

/// Returns the names that begin with the typed text, each with its description.
fn candidates_starting_with(
    typed: &OsStr,
    named: impl Iterator<Item = (String, String)>,
) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    named
        .filter(|(name, _)| name.starts_with(&*typed))
        .map(|(name, about)| {
            let about = replace_unsafe_characters(&about).into_owned();
            CompletionCandidate::new(name).help(Some(StyledStr::from(about)))
        })
        .collect()
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("outputs"))]
pub(super) struct ManArgs {
    /// The subcommand of the page. The default is the page of the whole program.
    command: Option<String>,
    /// Write all pages into this folder instead.
    #[arg(long, group = "outputs", value_name = "DIR", conflicts_with = "command", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    #[command(flatten)]
    replace: ReplaceExistingOutputsArgs,
}

pub(super) fn run_man(args: &ManArgs) -> Result {
    let mut command = Cli::command().disable_help_subcommand(true);
    if let Some(folder) = &args.out {
        command.build();
        return write_pages(&command, folder, args.replace);
    }
    command.build();
    let page = match &args.command {
        None => command,
        Some(name) => command.find_subcommand(name).cloned().ok_or_else(|| {
            let commands = command.get_subcommands().map(clap::Command::get_name);
            let names: Vec<&str> = commands.collect();
            unknown_name("unknown command", name, &names)
        })?,
    };
    let mut text = Vec::new();
    Man::new(page).render(&mut text)?;
    Ok(stdout().write_all(&text)?)
}

/// Writes the manual page of a command and the pages of its subcommands into a folder.
fn write_pages(
    command: &clap::Command,
    folder: &Path,
    replace: ReplaceExistingOutputsArgs,
) -> Result {
    fs::create_dir_all(folder).map_err(|error: io::Error| {
        let shown = folder.display().to_string();
        let text = format!("--out {}: {error}", replace_unsafe_characters(&shown));
        if is_system_failure(&error) {
            CommandFailure::System(text)
        } else {
            CommandFailure::Input(text)
        }
    })?;
    let mut pages = Vec::new();
    add_pages(command, folder, &mut pages)?;
    let paths: Vec<_> = pages.iter().map(|(path, _)| Some(path)).collect();
    let outputs = CheckedOutputFiles::check(replace, paths)?;
    for (path, text) in &pages {
        outputs.write(path, text)?;
    }
    Ok(())
}

/// Appends the manual pages of a command and its subcommands to `pages`.
fn add_pages(
    command: &clap::Command,
    folder: &Path,
    pages: &mut Vec<(PathBuf, Vec<u8>)>,
) -> Result {
    for command in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        add_pages(command, folder, pages)?;
    }
    let man = Man::new(command.clone());
    let mut text = Vec::new();
    man.render(&mut text)?;
    pages.push((folder.join(man.get_filename()), text));
    Ok(())
}
