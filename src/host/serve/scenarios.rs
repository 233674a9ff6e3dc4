//! The scenarios that messages may name: bundled ones, and files in folders that the person who starts the server
//! allows. Senders of messages are not trusted with this machine: they cannot even find out if another file exists.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::debate::ServedDebateError;
use crate::message::{MessageRefusalKind, ScenarioSource};
use debate_core::player::PlayerSpec;
use debate_solver::setup::{self, LoadedScenario, QuestionSet, ScenarioLimits, ScenarioTextSource};

/// File name extension of scenario files, which a scenario's name in a message may omit.
const ENDING: &str = "ron";
/// Extension of sets of questions.
const SET_ENDING: &str = "jsonl";
/// Maximum number of listed scenarios in the allowed folders: scenario files, and questions of sets.
const MAX_LISTED: usize = 1000;

/// The folders with the scenario files that messages may name.
#[derive(Clone, Debug, Default)]
pub struct AllowedScenarioFolders {
    /// Canonical paths, without links.
    folders: Vec<PathBuf>,
    /// The question sets read so far, by file, because each debate reads only one question of a set.
    sets: Arc<Mutex<HashMap<PathBuf, KnownSet>>>,
}

/// A set that was read.
#[derive(Clone, Debug)]
struct KnownSet {
    /// The time of the last write to the file of questions.
    written: SystemTime,
    set: Arc<QuestionSet>,
}

impl AllowedScenarioFolders {
    /// Allows these folders.
    ///
    /// # Errors
    /// Returns a sentence about the first path that is not a folder.
    pub fn new(folders: &[PathBuf]) -> Result<Self, String> {
        let open = |folder: &PathBuf| {
            let real = fs::canonicalize(folder)
                .map_err(|error| format!("--scenarios {}: {error}", folder.display()))?;
            if real.is_dir() {
                return Ok(real);
            }
            Err(format!("--scenarios {}: not a folder", folder.display()))
        };
        Ok(Self {
            folders: folders.iter().map(open).collect::<Result<_, _>>()?,
            sets: Arc::default(),
        })
    }

    /// Returns the file of this name in one of the folders, or the file at this path. After resolving links and `..`,
    /// it must be within a folder. `None` if there is no such file.
    fn file(&self, name: &str) -> Option<PathBuf> {
        let inside = self.folders.iter().map(|folder| folder.join(name));
        let mut paths = inside.chain([PathBuf::from(name)]);
        paths.find_map(|path| {
            let real = fs::canonicalize(path).ok()?;
            let is_inside = self.folders.iter().any(|folder| real.starts_with(folder));
            (is_inside && real.is_file()).then_some(real)
        })
    }

    /// Reads the scenario that a message names or contains. It reads only files in the allowed folders, within the
    /// limits.
    pub(super) fn read(
        &self,
        scenario: &ScenarioSource,
        limits: &ScenarioLimits,
    ) -> Result<LoadedScenario, ServedDebateError> {
        let bad = |why: String| ServedDebateError::new(MessageRefusalKind::BadRequest, why);
        match scenario {
            ScenarioSource::Name(name) => self.named(name, limits),
            // The sender wrote the text, so the error may quote it.
            ScenarioSource::Inline { inline } => {
                let origin = ScenarioTextSource::Text("the inline scenario".to_owned());
                LoadedScenario::from_text(inline, origin, limits)
                    .map_err(|error| bad(error.to_string()))
            }
        }
    }

    fn named(
        &self,
        name: &str,
        limits: &ScenarioLimits,
    ) -> Result<LoadedScenario, ServedDebateError> {
        let bad = |why: String| ServedDebateError::new(MessageRefusalKind::BadRequest, why);
        if setup::bundled_names().any(|known| known == name) {
            return LoadedScenario::load_bundled_scenario(name, limits)
                .map_err(|error| bad(error.to_string()));
        }
        // The error is logged for the operator of the server. The sender may not be allowed to read the file, so the
        // reply omits it.
        let unsound = |error| {
            tracing::warn!(%error, "a caller names an invalid scenario file");
            bad(format!(
                "{name:?}: this file is not a valid scenario; see `debate-tui check`"
            ))
        };
        let with_ending = format!("{name}.{ENDING}");
        if let Some(file) = self.file(name).or_else(|| self.file(&with_ending)) {
            return LoadedScenario::load_scenario_file(&file, limits).map_err(unsound);
        }
        let question = name.rsplit_once('#');
        if let Some((file, id)) = question.and_then(|(file, id)| Some((self.file(file)?, id))) {
            let set = self.set(&file, limits).map_err(unsound)?;
            return set.scenario_of_question(id, limits).map_err(unsound);
        }
        LoadedScenario::load_bundled_scenario(name, limits).map_err(|error| {
            let folders = "files are read only from the folders of --scenarios";
            bad(format!("{error}; {folders}"))
        })
    }

    /// Returns the question set in a file, and reads the file again if it has changed.
    fn set(
        &self,
        file: &Path,
        limits: &ScenarioLimits,
    ) -> Result<Arc<QuestionSet>, setup::ScenarioError> {
        let written = fs::metadata(file).and_then(|it| it.modified());
        let written = written.unwrap_or(SystemTime::UNIX_EPOCH);
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = sets.get(file).filter(|known| known.written == written) {
            return Ok(Arc::clone(&known.set));
        }
        let set = Arc::new(QuestionSet::load_question_file(file, limits)?);
        let known = KnownSet {
            written,
            set: Arc::clone(&set),
        };
        sets.insert(file.to_owned(), known);
        Ok(set)
    }

    /// Returns an error for a player whose file is not in one of the allowed folders.
    pub(super) fn check_player_file_in_allowed_folder(
        &self,
        player: &str,
    ) -> Result<(), ServedDebateError> {
        let spec = PlayerSpec::parse(player).ok();
        let file = spec.as_ref().and_then(PlayerSpec::player_file_argument);
        if file.is_none_or(|file| self.file(file).is_some_and(|real| is_same(&real, file))) {
            return Ok(());
        }
        Err(ServedDebateError::new(
            MessageRefusalKind::BadRequest,
            "a player's file is read only from the folders of --scenarios, by its full path",
        ))
    }

    /// Returns the names by which messages can refer to the scenarios in the allowed folders: files, and questions of
    /// sets. Each name has its scenario.
    pub(super) fn named_scenarios_in_folders(
        &self,
        limits: &ScenarioLimits,
    ) -> Vec<(String, LoadedScenario)> {
        let entries = self
            .folders
            .iter()
            .flat_map(fs::read_dir)
            .flatten()
            .flatten();
        let mut names: Vec<String> = entries
            .filter_map(|entry| {
                let path = entry.path();
                let is_known = path
                    .extension()
                    .is_some_and(|it| it == ENDING || it == SET_ENDING);
                path.file_name()?
                    .to_str()
                    .filter(|_| is_known)
                    .map(str::to_owned)
            })
            .collect();
        names.sort_unstable();
        names.dedup();
        let each = names.into_iter().flat_map(|name| {
            let file = self.file(&name).filter(|_| name.ends_with(SET_ENDING));
            let Some(set) = file.map(|file| self.set(&file, limits)) else {
                return vec![name];
            };
            let ids = set.iter().flat_map(|set| set.rows.iter());
            ids.map(|row| format!("{name}#{}", row.id)).collect()
        });
        let read = |name: String| self.named(&name, limits).ok().map(|setup| (name, setup));
        each.take(MAX_LISTED).filter_map(read).collect()
    }
}

/// True if a path leads to the given file.
fn is_same(real: &Path, written: &str) -> bool {
    fs::canonicalize(written).is_ok_and(|other| other == real)
}
