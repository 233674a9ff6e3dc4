//! Loads scenarios from a file, a text or the bundled ones, and the files that players such as `trained(FILE)` name.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::bundled::{self, bundled_names};
use super::error::{
    ScenarioError, ScenarioLimits, ScenarioSourceText, ScenarioTextSource,
    escaped_and_shortened_message, nearest_name,
};
use super::reader::{
    FileLoader, ScenarioInputFile, read_one_past_limit, read_regular_file_one_past_limit,
};
use super::scenario::LoadedScenario;
use super::{question, question_set, read};
use debate_core::digest::Digest;
use debate_core::player::{PlayerFiles, PlayerSpec};
use debate_core::text::{decode_utf8, strip_byte_order_mark_bytes};

/// The path that means standard input.
pub const STDIN: &str = "-";

impl LoadedScenario {
    /// Reads a scenario: the file at this path if it exists, or the question that `FILE#ID` names. The path of a
    /// question set means its only question. Otherwise reads the bundled scenario of this name (with or without
    /// `scenarios/` and `.ron`). `-` means standard input.
    ///
    /// # Errors
    /// If no scenario matches, returns an error that names the most similar bundled scenario, or all of them. Also
    /// returns an error for a question set with several questions. Otherwise as for [`Self::load_scenario_file`].
    pub fn find_scenario(
        name_or_path: &str,
        limits: &ScenarioLimits,
    ) -> Result<Self, ScenarioError> {
        let path = Path::new(name_or_path);
        let setup = if name_or_path == STDIN {
            let origin = ScenarioTextSource::Text("standard input".to_owned());
            Self::from_reader(io::stdin().lock(), origin, limits)?
        } else if let Some(question) = question_set::find_question(name_or_path, limits)? {
            question
        } else if path.exists() && !(path.is_dir() && bundled::bundled_text(name_or_path).is_some())
        {
            Self::load_scenario_file(path, limits)?
        } else {
            Self::load_bundled_scenario(name_or_path, limits)?
        };
        tracing::info!(
            from = %setup.origin,
            title = setup.title,
            protocol = setup.protocol.kind().protocol_name(),
            instances = setup.decomposition.worlds().len(),
            "scenario read"
        );
        Ok(setup)
    }

    /// Reads all scenarios that a name means, each with its own name. The path of a question set means all its
    /// questions; any other name means the one scenario that [`Self::find_scenario`] returns.
    ///
    /// # Errors
    /// As for [`Self::find_scenario`]; returns the first error.
    pub fn find_all_scenarios(
        name: &str,
        limits: &ScenarioLimits,
    ) -> Result<Vec<(String, Self)>, ScenarioError> {
        match question_set::find_all(name, limits)? {
            Some(setups) => Ok(setups),
            None => Ok(vec![(name.to_owned(), Self::find_scenario(name, limits)?)]),
        }
    }

    /// Reads the scenario file at this path.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, is larger than the limits allow, or is not a valid
    /// scenario.
    pub fn load_scenario_file(path: &Path, limits: &ScenarioLimits) -> Result<Self, ScenarioError> {
        let origin = ScenarioTextSource::File(path.to_owned());
        match fs::File::open(path) {
            Ok(file) => Self::from_reader(file, origin, limits),
            Err(cause) => Err(unreadable(&origin, cause)),
        }
    }

    fn from_reader(
        reader: impl io::Read,
        origin: ScenarioTextSource,
        limits: &ScenarioLimits,
    ) -> Result<Self, ScenarioError> {
        match read_one_past_limit(reader, limits.file) {
            Ok(bytes) => Self::from_bytes(&bytes, origin, limits),
            Err(cause) => Err(unreadable(&origin, cause)),
        }
    }

    /// Reads a scenario from the bytes of a file, which must be UTF-8.
    ///
    /// # Errors
    /// Returns an error if they are not UTF-8, are too many, or are not a valid scenario.
    pub fn from_bytes(
        bytes: &[u8],
        origin: ScenarioTextSource,
        limits: &ScenarioLimits,
    ) -> Result<Self, ScenarioError> {
        let error = match decode_utf8(bytes) {
            Ok(text) => return Self::from_text(text, origin, limits),
            Err(error) => error,
        };
        let text = strip_byte_order_mark_bytes(bytes).utf8_chunks().next();
        let text = text.map_or("", |chunk| chunk.valid());
        let origin = &origin;
        let source = ScenarioSourceText {
            text,
            origin,
            limits,
        };
        // The bytes were cut at the limit, perhaps within a character, so the length is checked first.
        source.check_file_size(bytes.len())?;
        Err(source.scenario_error_at_offset(error.offset_of_first_error(), &error.to_string()))
    }

    /// Reads a scenario from the text of a scenario file.
    ///
    /// # Errors
    /// Returns an error if the text is too long or not a valid scenario.
    pub fn from_text(
        text: &str,
        origin: ScenarioTextSource,
        limits: &ScenarioLimits,
    ) -> Result<Self, ScenarioError> {
        let files = FileLoader::loader_in_scenario_folder(&origin);
        read::setup(text, origin, limits, files)
    }

    /// Reads a scenario from the text of a scenario file. It can refer only to the given `files`.
    ///
    /// # Errors
    /// Returns an error if the text is too long or not a valid scenario, or if it names a file that is not
    /// among `files`.
    pub fn from_text_and_files(
        text: &str,
        files: &[ScenarioInputFile],
        origin: ScenarioTextSource,
        limits: &ScenarioLimits,
    ) -> Result<Self, ScenarioError> {
        read::setup(
            text,
            origin,
            limits,
            FileLoader::loader_of_given_files(files),
        )
    }

    /// Reads a bundled scenario by its name, with or without `scenarios/` and `.ron`.
    ///
    /// # Errors
    /// If no name matches, returns an error that names the most similar bundled scenario, or all of them. Returns an
    /// error if the scenario exceeds the limits.
    pub fn load_bundled_scenario(
        name: &str,
        limits: &ScenarioLimits,
    ) -> Result<Self, ScenarioError> {
        let bare = name.strip_prefix("./").unwrap_or(name);
        let bare = bare.strip_prefix("scenarios/").unwrap_or(bare);
        let bare = bare.strip_suffix(".ron").unwrap_or(bare);
        match bundled::bundled_text(bare) {
            Some((name, text)) => Self::from_text(text, ScenarioTextSource::Bundled(name), limits),
            None => Err(ScenarioError::Unknown {
                name: escaped_and_shortened_message(name),
                hint: hint(bare),
            }),
        }
    }

    /// Returns the digest of the debated problem. It covers the text of problem and decomposition and the files that
    /// they refer to. Title, rules and players make no difference.
    pub fn problem_digest(&self) -> Digest {
        // The text was parsed before, so parsing it again succeeds.
        let [problem, method] =
            read::problem_and_decomposition_texts(&self.source).unwrap_or([&self.source, ""]);
        let mut text = format!("{problem}\n{method}\n");
        for file in self.files.iter().take(self.problem_files) {
            let _ = writeln!(text, "{} {}", file.name, file.digest);
        }
        Digest::digest_of_bytes(text.as_bytes())
    }

    /// Returns all files of the scenario by name, from which players such as `trained(FILE)` are built.
    pub fn files_for_building_players(&self) -> PlayerFiles {
        // Most scenarios have none, and the digest parses the scenario again.
        if self.files.is_empty() {
            return PlayerFiles::default();
        }
        let files = self.files.iter();
        let named = files.map(|file| (file.name.clone(), Arc::clone(&file.bytes)));
        PlayerFiles::new(self.problem_digest(), named)
    }

    /// Reads the file that a player such as `trained(FILE)` names. The user named it, so it may be in any folder. Does
    /// nothing for players without a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or is too large, or if the scenario already has a different file
    /// with this name.
    pub fn load_player_file(
        &mut self,
        player: &PlayerSpec,
        limits: &ScenarioLimits,
    ) -> Result<(), ScenarioError> {
        let Some(name) = player.player_file_argument() else {
            return Ok(());
        };
        let origin = &ScenarioTextSource::File(name.into());
        let bytes = read_regular_file_one_past_limit(name.as_ref(), limits.file)
            .map_err(|cause| unreadable(origin, cause))?;
        let source = ScenarioSourceText {
            text: "",
            origin,
            limits,
        };
        source.check_file_size(bytes.len())?;
        let file = ScenarioInputFile::new(name, bytes);
        let there = self.files.iter().find(|there| there.name == file.name);
        if there.is_some_and(|there| there.digest != file.digest) {
            let what = "the scenario's folder contains a different file with this name; to use the file in the current folder, write ./ before its name";
            return Err(unreadable(origin, io::Error::other(what)));
        }
        self.add_player_file(file);
        Ok(())
    }

    /// Returns a copy of the scenario with the two answers of its question swapped; `None` if it has no such question.
    ///
    /// # Errors
    /// Returns an error if the rewritten scenario exceeds the limits.
    pub fn with_answers_swapped(
        &self,
        limits: &ScenarioLimits,
    ) -> Result<Option<Self>, ScenarioError> {
        let swapped = read::problem_and_decomposition_texts(&self.source)
            .and_then(|[problem, _]| {
                question::scenario_text_with_answers_swapped(&self.source, problem)
            })
            .map(|text| Self::from_text(&text, self.origin.clone(), limits));
        swapped.transpose()
    }
}

fn unreadable(origin: &ScenarioTextSource, cause: io::Error) -> ScenarioError {
    ScenarioError::Unreadable {
        origin: escaped_and_shortened_message(&origin.to_string()),
        cause,
    }
}

/// Returns advice for an unknown scenario name: the most similar name, or all names.
fn hint(name: &str) -> String {
    let known: Vec<&str> = bundled_names().collect();
    nearest_name(name, &known).map_or_else(
        || {
            format!(
                "give a path, or one of these names: {scenario_names}",
                scenario_names = known.join(", ")
            )
        },
        |name| format!("did you mean `{name}`?"),
    )
}
