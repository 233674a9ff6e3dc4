//! The header of a save: all inputs of the debate except the replies.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use super::protocol::{parse_saved_protocol, protocol_text_for_save, scenario_protocol_for_save};
use super::sidecar::{Sidecar, SidecarFolder};
use super::syntax::{
    FIRST_LINE, FORMAT, RonStructFields, SECOND_LINE, SaveTextMistake, excerpt_for_error,
    ron_string_literal, ron_text_map,
};
use super::{Result, SaveFileError, SidecarError};
use debate_core::chance::Seed;
use debate_core::digest::Digest;
use debate_core::player::is_outside_player_name;
use debate_core::protocol::{LogViewerRole, Protocol, Seat};
use debate_core::scenario::{Instance, JudgeSees};
use debate_core::text::is_unsafe_character;
use debate_solver::setup::{LoadedScenario, ScenarioInputFile, ScenarioLimits, ScenarioTextSource};

/// Maximum size of an input file that is stored within a save, in bytes.
pub const MAX_TEXT: usize = 64 << 10;

/// A file that the scenario reads, for example a circuit, or the file of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileReadByDebate {
    /// The name of the input file, as the scenario or the player writes it.
    pub name: String,
    /// The SHA-256 digest of the input file's bytes, in hexadecimal.
    pub digest: String,
    /// The text of the input file; `None` if the file is stored beside the save, under its digest.
    pub text: Option<String>,
    /// The bytes of the input file, to be stored beside the save when the debate begins. `None` if `text` contains
    /// them, or if they are stored already.
    pub bytes: Option<Arc<[u8]>>,
}

impl FileReadByDebate {
    /// Converts an input file to its form in a save. A text of moderate length is stored within the save.
    pub fn for_save(file: &ScenarioInputFile) -> Self {
        let text = plain_text(&file.bytes);
        Self {
            name: file.name.clone(),
            digest: file.digest.to_string(),
            bytes: text.is_none().then(|| Arc::clone(&file.bytes)),
            text: text.map(str::to_owned),
        }
    }

    /// Returns the input file, if its digest has not changed.
    fn read(&self, limits: &ScenarioLimits, sidecars: &SidecarFolder) -> Result<ScenarioInputFile> {
        let bytes: Arc<[u8]> = match (&self.text, &self.bytes) {
            (Some(text), _) => text.as_bytes().into(),
            (None, Some(bytes)) => Arc::clone(bytes),
            (None, None) => self.read_sidecar(limits, sidecars)?.into(),
        };
        let file = ScenarioInputFile::new(self.name.as_str(), bytes);
        if Digest::parse(&self.digest) == Some(file.digest) {
            return Ok(file);
        }
        Err(self.changed(file.digest.to_string()))
    }

    fn read_sidecar(&self, limits: &ScenarioLimits, sidecars: &SidecarFolder) -> Result<Vec<u8>> {
        let missing = || SaveFileError::InputMissing {
            name: self.name.clone(),
            digest: excerpt_for_error(self.digest.as_bytes()),
        };
        let digest = Digest::parse(&self.digest).ok_or_else(missing)?;
        let name = Sidecar::input_file_name(digest);
        let bytes = sidecars.read_input_file(digest, limits.file);
        bytes.map_err(|unread| match unread {
            SidecarError::Missing | SidecarError::Nowhere => missing(),
            SidecarError::Changed { found } => self.changed(found.to_string()),
            unread => SaveFileError::Sidecar { name, unread },
        })
    }

    fn changed(&self, found: String) -> SaveFileError {
        SaveFileError::InputChanged {
            name: self.name.clone(),
            expected: excerpt_for_error(self.digest.as_bytes()),
            found,
        }
    }
}

/// Returns the text of an input file that may be stored within a save.
fn plain_text(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let plain = |c: char| !is_unsafe_character(c) || matches!(c, '\n' | '\r' | '\t');
    (bytes.len() <= MAX_TEXT && text.chars().all(plain)).then_some(text)
}

/// The tag of a daily debate. Its value is the date.
pub const DAILY_TAG: &str = "daily";

/// The header of a save.
#[derive(Clone, Debug, PartialEq)]
pub struct SaveHeader {
    /// The version of the program that began the save.
    pub app: String,
    /// The time at which the debate began, in UTC as RFC 3339. Omitted for scripted debates, so that the same debate
    /// gives the same bytes.
    pub started: Option<String>,
    /// The text of the scenario.
    pub scenario: String,
    /// The files that the scenario reads, and the files of players.
    pub files: Vec<FileReadByDebate>,
    /// The rules.
    pub protocol: Protocol,
    /// The seed that determines every coin.
    pub seed: Seed,
    /// Index of the debate among the debates with the same seed. Usually 0, except in simulations, matches and studies.
    pub debate: u64,
    /// The name of the instance under debate.
    pub instance: String,
    /// The names of the prover, opponent and judge.
    pub players: [String; 3],
    /// True if the players, the values of replies and the scenario's description were hidden until the end, and the
    /// rules from a judge.
    pub blind: bool,
    pub branch: Option<SaveBranchPoint>,
    /// Tags by name: a match sets `condition`, `rules` and `judge`; a daily debate sets `daily`. Studies and imports
    /// set other tags.
    pub tags: BTreeMap<String, String>,
    /// Header fields that only a later version of the program knows, each with its value as text.
    pub unknown: Vec<(String, String)>,
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Players")]
pub struct SaveHeaderPlayers {
    prover: String,
    opponent: String,
    judge: String,
}

/// The save from which another one branches, and the number of moves.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Branch")]
pub struct SaveBranchPoint {
    /// The number of moves that were copied from the save from which this save branches off.
    pub from: u64,
    /// The file name of the save from which this save branches off, if it has one.
    #[serde(default)]
    pub of: Option<String>,
}

impl SaveHeader {
    /// Creates the header of a new debate in a scenario, with the names of the prover, opponent and judge. It has no
    /// start time: see [`Self::with_start_time`].
    pub fn new(
        setup: &LoadedScenario,
        protocol: Protocol,
        seed: Seed,
        instance: &Instance,
        players: [String; 3],
    ) -> Self {
        Self {
            app: env!("CARGO_PKG_VERSION").to_owned(),
            started: None,
            scenario: setup.source.to_string(),
            files: setup.files.iter().map(FileReadByDebate::for_save).collect(),
            protocol,
            seed,
            debate: 0,
            instance: instance.world_name().to_owned(),
            players,
            blind: false,
            branch: None,
            tags: BTreeMap::new(),
            unknown: Vec::new(),
        }
    }

    /// Returns the viewer whose view of the log is shown while the debate runs: the only person or external program
    /// that plays a seat. Without such players, the viewer sees everything. Several see only entries that are hidden
    /// from no seat.
    pub fn viewer_of_running_debate(&self, judge_sees: JudgeSees) -> LogViewerRole {
        let people = Seat::PLAYERS
            .into_iter()
            .filter(|seat| self.has_outside_player(*seat));
        LogViewerRole::for_user_seats(people, judge_sees)
    }

    /// Sets the time at which the debate begins.
    #[must_use]
    pub fn with_start_time(mut self, time: std::time::SystemTime) -> Self {
        self.started = Some(super::syntax::format_utc(time));
        self
    }

    /// Returns the name of the player in a seat; `None` for chance.
    pub fn player_name(&self, seat: Seat) -> Option<&str> {
        self.players.get(seat.seat_index()).map(String::as_str)
    }

    /// True if a person or another program plays the seat.
    pub fn has_outside_player(&self, seat: Seat) -> bool {
        self.player_name(seat).is_some_and(is_outside_player_name)
    }

    /// Reads the scenario from the save and the files stored beside it, and from no other file.
    ///
    /// # Errors
    /// If an input file is missing or has changed, or the scenario is not valid within the limits.
    pub(super) fn read_saved_scenario(
        &self,
        limits: &ScenarioLimits,
        sidecars: &SidecarFolder,
    ) -> Result<LoadedScenario> {
        let files: Vec<ScenarioInputFile> = self
            .files
            .iter()
            .map(|file| file.read(limits, sidecars))
            .collect::<Result<_, _>>()?;
        let origin = ScenarioTextSource::Text("the save's scenario".to_owned());
        // The debate was played, so its numbers may have any length.
        let limits = &ScenarioLimits {
            digits: u64::MAX,
            ..limits.clone()
        };
        let mut setup =
            LoadedScenario::from_text_and_files(&self.scenario, &files, origin, limits)?;
        // Saves of older versions do not name the rule for quotes, and neither do their scenarios.
        setup.protocol = scenario_protocol_for_save(setup.protocol, &self.protocol);
        // A file of a player may be named by the user who began the debate, not by the scenario.
        for file in files {
            setup.add_player_file(file);
        }
        Ok(setup)
    }

    /// Returns the files that must be stored beside the save before the save is written.
    pub(super) fn required_sidecars(&self) -> Vec<Sidecar> {
        let bytes = self.files.iter().filter_map(|file| file.bytes.clone());
        bytes.map(Sidecar::sidecar_of_input_file).collect()
    }

    /// Returns the instance under debate.
    ///
    /// # Errors
    /// If the scenario has no instance of this name.
    pub fn debated_instance(&self, setup: &LoadedScenario) -> Result<Instance> {
        Ok(setup.instance(setup.world_index(&self.instance)?))
    }

    /// Returns the header of the save as text, without its hash.
    pub(super) fn save_header_text(&self) -> String {
        let mut out = format!(
            "{FIRST_LINE}\n{SECOND_LINE}{FORMAT}, app: {}",
            ron_string_literal(&self.app)
        );
        let mut put = |text: &str| out.push_str(text);
        if let Some(started) = &self.started {
            put(&format!(", started: {}", ron_string_literal(started)));
        }
        put(&format!(
            ",\n    scenario: {}",
            ron_string_literal(&self.scenario)
        ));
        put(",\n    files: [");
        let files = self.files.iter().map(
            |FileReadByDebate {
                 name, digest, text, ..
             }| {
                let text = text
                    .as_deref()
                    .map_or_else(|| "None".to_owned(), ron_string_literal);
                format!(
                    "({}, {}, {text})",
                    ron_string_literal(name),
                    ron_string_literal(digest)
                )
            },
        );
        put(&files.collect::<Vec<_>>().join(", "));
        put(&format!(
            "],\n    protocol: {}",
            protocol_text_for_save(&self.protocol)
        ));
        put(&format!(
            ", seed: {}",
            ron_string_literal(self.seed.as_str())
        ));
        if self.debate > 0 {
            put(&format!(", debate: {}", self.debate));
        }
        put(&format!(
            ", instance: {}",
            ron_string_literal(&self.instance)
        ));
        if self.blind {
            put(", blind: true");
        }
        if let Some(SaveBranchPoint { from, of }) = &self.branch {
            let of = of
                .as_ref()
                .map(|of| format!(", of: {}", ron_string_literal(of)))
                .unwrap_or_default();
            put(&format!(",\n    branch: (from: {from}{of})"));
        }
        if !self.tags.is_empty() {
            put(&format!(",\n    tags: {}", ron_text_map(&self.tags)));
        }
        for (name, raw) in &self.unknown {
            put(&format!(",\n    {name}: {raw}"));
        }
        let [prover, opponent, judge] =
            self.players.each_ref().map(|name| ron_string_literal(name));
        let players = format!("prover: {prover}, opponent: {opponent}, judge: {judge}");
        out + &format!(",\n    players: ({players})")
    }

    /// Parses the header of a save, given without its hash.
    pub(super) fn read_header(body: &str) -> Result<Self, SaveTextMistake> {
        let text = format!("{body}\n)");
        let mut fields = RonStructFields::read_struct_fields("Save", &text)?;
        let _format: u32 = fields.required("format")?;
        let protocol = fields
            .take_field_as_text("protocol")
            .ok_or_else(|| "the field `protocol` is missing".to_owned())?;
        let players: SaveHeaderPlayers = fields.required("players")?;
        let files: Option<Vec<(String, String, Option<String>)>> = fields.optional("files")?;
        let seed: String = fields.required("seed")?;
        let files = files.unwrap_or_default().into_iter();
        Ok(Self {
            app: fields.required("app")?,
            started: fields.optional("started")?,
            scenario: fields.required("scenario")?,
            files: files
                .map(|(name, digest, text)| FileReadByDebate {
                    name,
                    digest,
                    text,
                    bytes: None,
                })
                .collect(),
            protocol: parse_saved_protocol(protocol)
                .map_err(|refused| format!("`protocol`: {refused}"))?,
            seed: Seed::new(seed).ok_or_else(|| "the seed is not valid".to_owned())?,
            debate: fields.optional("debate")?.unwrap_or(0),
            instance: fields.required("instance")?,
            players: [players.prover, players.opponent, players.judge],
            blind: fields.optional("blind")?.unwrap_or(false),
            branch: fields.optional("branch")?,
            tags: fields.optional("tags")?.unwrap_or_default(),
            unknown: fields.unknown_fields(),
        })
    }
}
