//! Exports a debate or a scenario in formats for readers and other programs.
//!
//! Start with [`ReplayedSave::new`] for a save, or [`ScenarioToExport`] for a scenario.
//! [`ExportFormatRegistry::write_to`] writes to a stream, [`ExportFormatRegistry::write`] returns the text. The
//! narration comes from the protocols' own wording and the replay's panels; this module adds none.
//!
//! The formats with transcripts, except `game`, write each event as soon as its text is created. A long debate has a
//! hundred thousand events, and its whole text can be several times as large as the save.
//!
//! **To add a format**, add a file to this folder and a line to [`ExportFormatRegistry::with_builtin_formats`].

mod csv;
mod debate;
mod dot;
mod efg;
mod game;
mod html;
mod inspect;
mod json;
mod md;
pub mod safe;
pub mod vega;

use std::io::{self, Write};

use thiserror::Error;

use debate_core::budget::ComputationStopReason;
use debate_core::player::{KnowledgeError, PlayerSpecError, StrategyBuildError};
use debate_core::protocol::{IllegalReply, ProtocolError};
use debate_core::text::replace_unsafe_characters;
use debate_host::record::OutputFileError;
use debate_solver::expectation::PayoffNotComputedReason;

pub use debate::{ReplayedSave, ScenarioToExport, TranscriptEvent};
pub use inspect::eval_log::EvalLog;
pub use json::{DebateReport, ScenarioReport};
pub use safe::escape_html_or_svg;

/// The date written in an export if the debate's save has no date.
const NO_DATE: &str = "1970-01-01T00:00:00Z";
/// The length in characters of a timestamp without its zone.
const TIME: usize = NO_DATE.len() - 1;

/// An export format for debates or scenarios.
#[derive(Clone, Copy, Debug)]
pub struct ExportFormat {
    /// The format's name on the command line.
    pub name: &'static str,
    /// A description in one line.
    pub about: &'static str,
    /// The file extension.
    pub ending: &'static str,
    /// True if the programs that read this format ignore a file whose name does not begin with a timestamp.
    pub dated: bool,
    /// The command-line flags of the options that this format accepts, for example `--most-nodes`.
    pub takes: &'static [&'static str],
    pub of: ExportFunctionByInput,
}

impl ExportFormat {
    /// True if the format exports saves, false if it exports scenarios.
    pub fn exports_saves(&self) -> bool {
        !matches!(self.of, ExportFunctionByInput::Scenario(_))
    }

    /// Returns a file name for this format: `stem`, which names the exported debate or scenario, and the extension. If
    /// the format is dated, the name begins with `started`, the start time of the earliest exported debate.
    pub fn file_name(&self, stem: &str, started: Option<&str>) -> String {
        let plain = format!("{stem}.{}", self.ending);
        if !self.dated {
            return plain;
        }
        let time: String = started.unwrap_or(NO_DATE).chars().take(TIME).collect();
        format!("{}_{plain}", time.replace(':', "-"))
    }

    /// Returns a warning if the programs that read this format would ignore a file named `name`.
    pub fn warning_if_other_programs_ignore_file(&self, name: &str) -> Option<String> {
        let time: String = name.chars().take(TIME).collect();
        let pattern = time
            .replace(|c: char| c.is_ascii_digit(), "0")
            .replace(':', "-");
        let is_found = !self.dated || pattern == "0000-00-00T00-00-00";
        let format = self.name;
        let such = self.file_name("debate", None);
        let note = format!(
            "the readers of `{format}` ignore a file whose name does not begin with a time; use a name \
             such as {such}"
        );
        (!is_found).then_some(note)
    }
}

/// The export function of a format: for saves or for a scenario. It writes to a stream.
#[derive(Clone, Copy, Debug)]
pub enum ExportFunctionByInput {
    Save(fn(&ReplayedSave<'_>, &ExportOptions, &mut dyn Write) -> Result<ExportNotes>),
    /// The format exports one or more saves.
    Saves(fn(&[ReplayedSave<'_>], &ExportOptions, &mut dyn Write) -> Result<ExportNotes>),
    Scenario(fn(&ScenarioToExport<'_>, &ExportOptions, &mut dyn Write) -> Result<ExportNotes>),
}

/// Sentences for the user who requested an export, such as a list of parts that were left out.
pub type ExportNotes = Vec<String>;

/// The subject of an export.
#[derive(Clone, Copy)]
pub enum SavesOrScenarioToExport<'s, 'a> {
    Saves(&'s [ReplayedSave<'a>]),
    Scenario(&'s ScenarioToExport<'a>),
}

/// An exported text, with notes for the user who requested it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportedTextWithNotes {
    pub text: String,
    pub notes: ExportNotes,
}

impl ExportFunctionByInput {
    fn words(self) -> &'static str {
        match self {
            Self::Save(_) | Self::Saves(_) => "a save",
            Self::Scenario(_) => "a scenario",
        }
    }
}

/// The known export formats: the built-in ones, and those that a program adds.
#[derive(Clone, Debug)]
pub struct ExportFormatRegistry(Vec<ExportFormat>);

impl ExportFormatRegistry {
    /// Returns the registry of the built-in formats. To add a format, add a line here.
    pub fn with_builtin_formats() -> Self {
        Self(vec![
            html::FORMAT,
            md::FORMAT,
            json::SAVE_FORMAT,
            game::FORMAT,
            csv::FORMAT,
            inspect::FORMAT,
            json::SCENARIO_FORMAT,
            dot::FORMAT,
            efg::FORMAT,
        ])
    }

    #[must_use]
    pub fn with_registered_format(mut self, format: ExportFormat) -> Self {
        self.0.push(format);
        self
    }

    pub fn iter(&self) -> impl Iterator<Item = &ExportFormat> {
        self.0.iter()
    }

    /// Returns the export format named `name`: a format for saves if `for_saves` is true, otherwise one for scenarios.
    ///
    /// # Errors
    /// If there is no such format; the error lists the available ones.
    pub fn find_format(&self, name: &str, for_saves: bool) -> Result<&ExportFormat> {
        let of = if for_saves { "a save" } else { "a scenario" };
        let formats = || self.iter().filter(|format| format.of.words() == of);
        let format = formats().find(|format| format.name == name);
        format.ok_or_else(|| ExportError::Format {
            name: name.to_owned(),
            of,
            known: formats().map(|format| format.name.to_owned()).collect(),
        })
    }

    /// Returns the export of a debate or scenario in the format `name`, as one text.
    ///
    /// # Errors
    /// The errors of [`Self::write_to`].
    pub fn write(
        &self,
        name: &str,
        subject: SavesOrScenarioToExport<'_, '_>,
        asked: &ExportOptions,
    ) -> Result<ExportedTextWithNotes> {
        let mut bytes = Vec::new();
        let notes = self.write_to(name, subject, asked, &mut bytes)?;
        let text = String::from_utf8(bytes)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        Ok(ExportedTextWithNotes { text, notes })
    }

    /// Writes the export of a debate or scenario to a stream in the format `name`. Options are checked before the first
    /// byte is written.
    ///
    /// # Errors
    /// If the subject has no such format, or the format does not accept an option or several saves. If an option is out
    /// of range, or the format's size limit is exceeded. If the stream fails.
    pub fn write_to(
        &self,
        name: &str,
        subject: SavesOrScenarioToExport<'_, '_>,
        asked: &ExportOptions,
        out: &mut dyn Write,
    ) -> Result<ExportNotes> {
        let of_a_save = matches!(subject, SavesOrScenarioToExport::Saves(_));
        let format = self.find_format(name, of_a_save)?;
        if let Some(flag) = asked.given().find(|flag| !format.takes.contains(flag)) {
            let takes = self.iter().filter(|format| format.takes.contains(&flag));
            return Err(ExportError::ExportFlag {
                flag,
                format: format.name,
                of: format.of.words(),
                known: takes
                    .map(|format| format!("{} of {}", format.name, format.of.words()))
                    .collect(),
            });
        }
        match (format.of, subject) {
            (ExportFunctionByInput::Save(write), SavesOrScenarioToExport::Saves([debate])) => {
                write(debate, asked, out)
            }
            (ExportFunctionByInput::Saves(write), SavesOrScenarioToExport::Saves(debates))
                if !debates.is_empty() =>
            {
                write(debates, asked, out)
            }
            (
                ExportFunctionByInput::Save(_) | ExportFunctionByInput::Saves(_),
                SavesOrScenarioToExport::Saves(_),
            ) => {
                let several = self
                    .iter()
                    .filter(|format| matches!(format.of, ExportFunctionByInput::Saves(_)));
                Err(ExportError::OneSave {
                    name: name.to_owned(),
                    known: several.map(|format| format.name.to_owned()).collect(),
                })
            }
            (
                ExportFunctionByInput::Scenario(write),
                SavesOrScenarioToExport::Scenario(proposal),
            ) => write(proposal, asked, out),
            // Unreachable: `find_format` above selects a format for this kind of subject.
            (of, _) => Err(ExportError::Format {
                name: name.to_owned(),
                of: of.words(),
                known: Vec::new(),
            }),
        }
    }
}

type Result<T, E = ExportError> = std::result::Result<T, E>;

/// The reason why an export failed.
#[derive(Debug, Error)]
pub enum ExportError {
    /// No export format with this name exists for the requested subject (a save or a scenario).
    #[error("`{name}` is not an export format for {save_or_scenario}; use {known}", save_or_scenario = .of, known = listed(known))]
    Format {
        name: String,
        /// "a save" or "a scenario".
        of: &'static str,
        /// The formats that exist for the requested subject (a save or a scenario).
        known: Vec<String>,
    },
    #[error(
        "the export format `{name}` takes only one save; for several saves, use {formats}",
        formats = listed(known)
    )]
    OneSave {
        /// The requested format.
        name: String,
        /// The formats that can export several saves.
        known: Vec<String>,
    },
    /// The format does not accept the option `flag`.
    #[error(
        "{flag} has no effect on `{format}` of {save_or_scenario}; use this flag with {formats}",
        save_or_scenario = .of,
        formats = listed(known)
    )]
    ExportFlag {
        flag: &'static str,
        format: &'static str,
        of: &'static str,
        /// The formats that accept the option.
        known: Vec<String>,
    },
    #[error("event {event_number} does not exist; give a number from 1 to {last}", event_number = .asked)]
    NoEvent { asked: usize, last: usize },
    #[error("--grid: {0} is not a number from 0 to 1")]
    Grid(String),
    /// An option is invalid, or the debate cannot be exported in the format `game`. The text is the whole message.
    #[error("{0}")]
    Option(String),
    #[error("{excess}; use a shorter --grid or a smaller scenario", excess = .0)]
    TooLarge(ComputationStopReason),
    /// The exported game exceeds a limit. The error does not suggest a shorter --grid, because the debaters state no
    /// probabilities.
    #[error("{0}; give fewer claims")]
    TooManyClaims(ComputationStopReason),
    #[error("{0}")]
    Unsolved(PayoffNotComputedReason),
    /// The destination cannot be written.
    #[error(transparent)]
    Output(#[from] OutputFileError),
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    /// The problem has no tree of claims, which this format needs.
    #[error("this problem is a computation, not a tree of claims, so it cannot be drawn")]
    NoClaims,
    /// The protocol cannot debate this instance.
    #[error(transparent)]
    Refused(#[from] ProtocolError),
    #[error("a move in the save breaks the rules: {reason}", reason = .0)]
    Illegal(#[from] IllegalReply),
    #[error(transparent)]
    Judge(#[from] StrategyBuildError),
    #[error(transparent)]
    Spec(#[from] PlayerSpecError),
    #[error("the export cannot be written as JSON: {cause}", cause = .0)]
    Json(#[from] serde_json::Error),
    /// Writing to the stream failed.
    #[error("{0}")]
    Write(#[from] io::Error),
    /// The program's default key bindings, which a picture of the replay screen shows, are invalid.
    #[error("{0}")]
    Keys(String),
}

/// Joins names with commas and "or": `html`; `html or svg`; `html, svg or md`.
fn listed(names: &[String]) -> String {
    match names {
        [] => "no format".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// The options of an export; each format has a default for every option that is `None`.
#[derive(Clone, Debug, Default)]
pub struct ExportOptions {
    /// The number of the event after which the debate is drawn: 1 is the first event, 0 the state before it.
    pub event: Option<usize>,
    /// The numbers of the first and the last event to export, both included, counted from 1.
    pub events: Option<(usize, usize)>,
    /// The size of the drawn screen, in columns and rows.
    pub size: Option<(u16, u16)>,
    pub theme: Option<String>,
    /// True if the picture contains only ASCII characters.
    pub ascii: bool,
    /// True if the user named an instance on the command line; [`ScenarioToExport`] then contains it.
    pub instance: bool,
    /// True if the user named a protocol on the command line; [`ScenarioToExport`] then contains it.
    pub protocol: bool,
    pub judge: Option<String>,
    /// For prover and opponent, in place of the scenario's setting: true if the player knows only the part of the
    /// instance that the problem reveals to it.
    pub blind: Option<[bool; 2]>,
    /// For prover and opponent: true if the user set on the command line what the player knows. The scenario's setup
    /// then contains this setting.
    pub knows: [bool; 2],
    /// For prover and opponent: true if the user set the player's limit on oracle queries. The scenario's setup then
    /// contains it.
    pub queries: [bool; 2],
    /// The probabilities that a debater may state, if the export replaces the interval from 0 to 1 by a finite set.
    pub grid: Option<Vec<String>>,
    pub most_nodes: Option<u64>,
    pub most_claims: Option<usize>,
}

impl ExportOptions {
    fn given(&self) -> impl Iterator<Item = &'static str> {
        let [prover_knows, opponent_knows] = self.knows;
        let [prover_queries, opponent_queries] = self.queries;
        let given = [
            ("--event", self.event.is_some()),
            ("--events", self.events.is_some()),
            ("--size", self.size.is_some()),
            ("--theme", self.theme.is_some()),
            ("--ascii", self.ascii),
            ("--instance", self.instance),
            ("--protocol", self.protocol),
            ("--judge", self.judge.is_some()),
            ("--blind", self.blind.is_some()),
            ("--prover-knows", prover_knows),
            ("--opponent-knows", opponent_knows),
            ("--prover-queries", prover_queries),
            ("--opponent-queries", opponent_queries),
            ("--grid", self.grid.is_some()),
            ("--most-nodes", self.most_nodes.is_some()),
            ("--most-claims", self.most_claims.is_some()),
        ];
        let flags = given.into_iter();
        flags.filter_map(|(flag, given)| given.then_some(flag))
    }
}

/// Parses a range of event numbers such as `2001..4000`. Both ends are included; `2001..=4000` means the same.
///
/// # Errors
/// If the text is not two numbers from 1 up, or the first is greater than the last.
pub fn parse_event_number_range(text: &str) -> Result<(usize, usize)> {
    let parted = text.split_once("..");
    let number = |text: &str| text.trim().trim_start_matches('=').parse::<usize>().ok();
    let read = parted.and_then(|(first, last)| Some((number(first)?, number(last)?)));
    let event_range = read.filter(|(first, last)| (1..=*last).contains(first));
    let text = replace_unsafe_characters(text);
    let wrong =
        || format!("--events: {text} is not a range of events; write one such as 2001..4000");
    event_range.ok_or_else(|| ExportError::Option(wrong()))
}
