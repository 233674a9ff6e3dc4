//! `export`: a debate or a scenario in a format for readers or for other programs.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead as _, Read as _, Write};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{ArgGroup, Args, ValueHint};

use super::errors::print_remark;
use super::flags::{DebaterKnowledgeArgs, ScenarioLimitArgs, SeatName};
use super::output::stdin;
use super::output_files::{ReplaceExistingOutputsArgs, stream};
use super::progress::install_exit_signal_handler;
use super::saves::fail_if_save_does_not_verify;
use super::{CommandFailure, Result};
use crate::tui::picture::{self, parse_screen_size};
use debate_host::plan::given_or_scenario_rules;
use debate_host::record::{Save, SaveFileError, paths_in};
use debate_lab::export::{
    ExportError, ExportFormat, ExportFormatRegistry, ExportNotes, ExportOptions, ReplayedSave,
    SavesOrScenarioToExport, ScenarioToExport, parse_event_number_range,
};
use debate_solver::setup::{STDIN, bundled_names};

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("outputs"))]
#[command(after_help = include_str!("help/export.txt"))]
pub(super) struct ExportArgs {
    /// One save, several saves or a folder of saves; or a scenario file or the name of a bundled scenario. `-`
    /// reads one from stdin.
    #[arg(id = "file", required_unless_present = "last", value_name = "FILE")]
    pub(super) files: Vec<String>,
    /// Use the most recently written save in the folder of saves.
    #[arg(long, conflicts_with = "file")]
    pub(super) last: bool,
    /// --last: look for the save in this folder.
    #[arg(long = "saves", value_name = "DIR", requires = "last", value_hint = ValueHint::DirPath)]
    pub(super) folder: Option<PathBuf>,
    /// The output format.
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(format_names()))]
    to: String,
    /// Write to this file, or to a new file in this folder, instead of stdout.
    #[arg(long, group = "outputs", value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    out: Option<PathBuf>,
    #[command(flatten)]
    replace: ReplaceExistingOutputsArgs,
    /// svg: the screen after event N; 0 is before the first [default: the end].
    #[arg(long, value_name = "N")]
    event: Option<usize>,
    /// svg: the size of the screen [default: 100x30].
    #[arg(long, value_name = "COLSxROWS")]
    size: Option<String>,
    /// svg: dark, light, high-contrast or monochrome [default: dark].
    #[arg(long, value_name = "NAME")]
    theme: Option<String>,
    /// Draw with ASCII characters only. For the format svg.
    #[arg(long)]
    ascii: bool,
    /// The events to write, from the first to the last number, both included [default: the first 2,000]. For the
    /// format html.
    #[arg(long, value_name = "FROM..TO")]
    events: Option<String>,
    /// The maximum number of claims [default: 500]. For the formats json and dot.
    #[arg(long, value_name = "N", value_parser = parse_claim_count)]
    most_claims: Option<usize>,
    /// The instance of the scenario. The default is the scenario's own instance, or else the first one. In the format
    /// efg, `all` begins the game with a random draw among the instances; a scenario without its own instance is
    /// written in this way too.
    #[arg(long, value_name = "NAME|all")]
    instance: Option<String>,
    /// The seats that know only what the scenario offers about the instance: prover, opponent or none. The other seats
    /// know everything. --prover-knows and --opponent-knows give finer control. For the format efg.
    #[arg(long, value_name = "SEAT", conflicts_with_all = ["prover_knows", "opponent_knows"])]
    blind: Option<Vec<SeatName>>,
    #[command(flatten)]
    knowledge: DebaterKnowledgeArgs,
    /// The rules that replace the scenario's own rules. For the formats efg and json.
    #[arg(long, value_name = "RON")]
    protocol: Option<String>,
    /// The probabilities that a player may state, separated by commas [default: 0,1/2,1]. For the format efg.
    #[arg(long, value_name = "P,P,…", value_delimiter = ',')]
    grid: Option<Vec<String>>,
    /// The player who answers the oracle's questions. Random replies become chance moves [default: oracle]. For the
    /// format efg.
    #[arg(long, value_name = "NAME")]
    judge: Option<String>,
    /// The maximum number of nodes [default: 100000]. For the format efg.
    #[arg(long, value_name = "N")]
    most_nodes: Option<u64>,
    #[command(flatten)]
    limits: ScenarioLimitArgs,
}

/// Parses the maximum number of claims in an exported picture or document.
fn parse_claim_count(text: &str) -> Result<usize, String> {
    const MAX_WIDTH: usize = 1_000_000;
    let number = text
        .parse()
        .ok()
        .filter(|number| (1..=MAX_WIDTH).contains(number));
    number.ok_or_else(|| format!("give a whole number from 1 to {MAX_WIDTH}"))
}

/// Returns the export formats: those of debates and scenarios, and the picture of a screen.
fn formats() -> ExportFormatRegistry {
    ExportFormatRegistry::with_builtin_formats().with_registered_format(picture::FORMAT)
}

/// Returns the names of the formats, each with its description.
fn format_names() -> Vec<PossibleValue> {
    let mut names: Vec<(&str, String)> = Vec::new();
    for format in formats().iter() {
        match names.iter_mut().find(|(name, _)| *name == format.name) {
            Some((_, about)) => *about = format!("{about}; {}", format.about),
            None => names.push((format.name, format.about.to_owned())),
        }
    }
    let value = |(name, about)| PossibleValue::new(name).help(about);
    names.into_iter().map(value).collect()
}

pub(super) fn run_export(args: &ExportArgs) -> Result {
    install_exit_signal_handler()?;
    let asked = options(args)?;
    match (&args.files[..], saves(&args.files)?) {
        ([file], None) => export_scenario(args, file, &asked),
        (_, Some(saves)) => export_saves(args, &saves, &asked),
        (_, None) => Err(CommandFailure::from_input_error(
            "to export several files, name only saves or folders of saves; export a scenario by itself",
        )),
    }
}

/// Writes an export to its destination and prints notes about it on stderr.
///
/// `stem` and `started` give the file name if the destination is a folder.
fn write_output(
    args: &ExportArgs,
    format: &ExportFormat,
    stem: &str,
    started: Option<&str>,
    write: impl FnOnce(&mut dyn Write) -> Result<ExportNotes, ExportError>,
) -> Result {
    let out = args.out.as_ref().map(|out| {
        if out.is_dir() {
            out.join(format.file_name(stem, started))
        } else {
            out.clone()
        }
    });
    // The file's name inside a folder is only known here.
    let path = out.as_deref().unwrap_or_else(|| Path::new(STDIN));
    let notes = stream(path, args.replace.replace, write)?;
    let name = out.as_deref().and_then(Path::file_name);
    let file_name_warning =
        name.and_then(|name| format.warning_if_other_programs_ignore_file(&name.to_string_lossy()));
    for note in notes.iter().chain(&file_name_warning) {
        print_remark(note)?;
    }
    Ok(())
}

/// Returns the name of a file without its extension; "debates" for stdin, or for a path without a file name.
fn stem(path: &Path) -> String {
    let stem = path.file_stem().filter(|_| path != Path::new(STDIN));
    stem.map_or_else(
        || "debates".to_owned(),
        |stem| stem.to_string_lossy().into_owned(),
    )
}

/// Returns the paths of the named saves in the order of the command line, with each named folder replaced by its saves,
/// sorted by name. `None` if another kind of file is named.
fn saves(files: &[String]) -> Result<Option<Vec<PathBuf>>> {
    let mut saves = Vec::new();
    for file in files {
        let path = Path::new(file);
        if path.is_dir() && !bundled_names().any(|name| name == file) {
            let unread = |error: io::Error| CommandFailure::from_file_error(path, error);
            let mut within = paths_in(path).map_err(unread)?;
            within.retain(|path| is_save(path));
            if within.is_empty() {
                return Err(CommandFailure::from_file_error(
                    path,
                    "this folder contains no save",
                ));
            }
            saves.extend(within);
        } else if path.exists() && !path.is_file() && !path.is_dir() {
            // Reading a pipe could block forever.
            return Err(CommandFailure::from_file_error(
                path,
                SaveFileError::NoPlainFile,
            ));
        } else if is_save(path) {
            saves.push(path.to_owned());
        } else {
            return Ok(None);
        }
    }
    Ok(Some(saves))
}

/// True if this file is a save, judged by its first word.
fn is_save(path: &Path) -> bool {
    const WORD: &[u8] = b"Save(";
    if path == Path::new(STDIN) {
        // `fill_buf` leaves the bytes in the buffer, so they are read again later.
        let mut stdin = stdin();
        return stdin.fill_buf().is_ok_and(|start| start.starts_with(WORD));
    }
    let mut start = [0; WORD.len()];
    path.is_file()
        && File::open(path)
            .and_then(|mut file| file.read_exact(&mut start))
            .is_ok_and(|()| start == WORD)
}

fn export_saves(args: &ExportArgs, paths: &[PathBuf], asked: &ExportOptions) -> Result {
    let formats = formats();
    let format = formats.find_format(&args.to, true)?;
    let limits = args.limits.limits();
    let mut saves = Vec::with_capacity(paths.len());
    for path in paths {
        let save = Save::read_leniently(path, &limits);
        saves.push(save.map_err(|error| CommandFailure::from_file_error(path, error))?);
    }
    let names: BTreeSet<_> = paths.iter().map(|path| path.file_name()).collect();
    let alike = names.len() < paths.len();
    let mut debates = Vec::with_capacity(paths.len());
    for (path, (save, setup, instance)) in paths.iter().zip(&saves) {
        let debate = ReplayedSave::new(save, setup, instance)
            .map_err(|error| CommandFailure::from_file_error(path, error))?;
        let file = path.file_name().filter(|_| !alike);
        let name = file.unwrap_or(path.as_os_str()).to_string_lossy();
        debates.push(debate.with_debate_name(name.into_owned()));
    }
    let stem = match paths {
        [path] => stem(path),
        _ => stem(Path::new(STDIN)),
    };
    let started = saves
        .iter()
        .filter_map(|(save, ..)| save.header.started.as_deref());
    write_output(args, format, &stem, started.min(), |out| {
        formats.write_to(
            &args.to,
            SavesOrScenarioToExport::Saves(&debates),
            asked,
            out,
        )
    })?;
    let doubts = (paths.iter().zip(&saves))
        .map(|(path, (save, ..))| fail_if_save_does_not_verify(path, save.first_difference()));
    // Reports every save that does not verify on stderr, not only the first one.
    doubts.fold(Ok(()), Result::and)
}

fn export_scenario(args: &ExportArgs, file: &str, asked: &ExportOptions) -> Result {
    let mut setup = args.limits.find_scenario(file)?;
    args.knowledge.apply_knowledge_flags_to(&mut setup)?;
    let formats = formats();
    let format = formats.find_format(&args.to, false)?;
    let protocol =
        given_or_scenario_rules(args.protocol.as_deref(), &setup, &args.limits.limits())?;
    let asked_for = args.instance.as_deref();
    let all = asked_for == Some("all") && format.takes.contains(&"--blind");
    let world = match asked_for.filter(|_| !all) {
        Some(name) => setup.world_index(name)?,
        None => setup.requested_world.unwrap_or(0),
    };
    let worlds = setup.requested_worlds(asked_for)?;
    let instance = setup.instance(world);
    let proposal = ScenarioToExport {
        setup: &setup,
        protocol: &protocol,
        instance: &instance,
        worlds: &worlds,
    };
    let stem = stem(Path::new(file));
    write_output(args, format, &stem, None, |out| {
        formats.write_to(
            &args.to,
            SavesOrScenarioToExport::Scenario(&proposal),
            asked,
            out,
        )
    })
}

fn options(args: &ExportArgs) -> Result<ExportOptions> {
    let [knows, queries] = args.knowledge.is_knowledge_or_query_flag_given();
    let read = || -> Result<ExportOptions, ExportError> {
        Ok(ExportOptions {
            event: args.event,
            events: args
                .events
                .as_deref()
                .map(parse_event_number_range)
                .transpose()?,
            size: args.size.as_deref().map(parse_screen_size).transpose()?,
            theme: args.theme.clone(),
            ascii: args.ascii,
            instance: args.instance.is_some(),
            protocol: args.protocol.is_some(),
            judge: args.judge.clone(),
            blind: args.blind.as_deref().map(blind_seats).transpose()?,
            knows,
            queries,
            grid: args.grid.clone(),
            most_nodes: args.most_nodes,
            most_claims: args.most_claims,
        })
    };
    read().map_err(CommandFailure::from_input_error)
}

/// Returns two flags: true if the prover is blind, and true if the opponent is.
fn blind_seats(roles: &[SeatName]) -> Result<[bool; 2], ExportError> {
    if roles.contains(&SeatName::Judge) {
        return Err(ExportError::Option(
            "--blind: the judge is a chance player in a game; give prover, opponent or none"
                .to_owned(),
        ));
    }
    Ok([SeatName::Prover, SeatName::Opponent].map(|role| roles.contains(&role)))
}
