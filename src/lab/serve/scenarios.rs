//! The scenarios that messages may name: bundled ones, and files in folders that the person who starts the server
//! allows. Whoever sends messages is not trusted with this machine: of any other file they learn nothing, not even
//! whether it is there.

use std::fs;
use std::path::{Path, PathBuf};

use super::debate::Refusal;
use crate::message::{ScenarioSource, ServerErrorKind};
use crate::setup::{self, Limits, Origin, Setup};
use debate_core::player::Spec;

/// The ending of scenario files, which a name may leave out.
const ENDING: &str = "ron";
/// The most files that are listed.
const MOST_LISTED: usize = 1000;

/// The folders whose files may be named, as they are without links.
#[derive(Clone, Debug, Default)]
pub struct ScenarioFolders(Vec<PathBuf>);

impl ScenarioFolders {
    /// These folders.
    ///
    /// # Errors
    /// A sentence on the first that is none.
    pub fn new(folders: &[PathBuf]) -> Result<Self, String> {
        let open = |folder: &PathBuf| {
            let real = fs::canonicalize(folder)
                .map_err(|error| format!("--scenarios {}: {error}", folder.display()))?;
            if real.is_dir() {
                return Ok(real);
            }
            Err(format!(
                "--scenarios {}: this is no folder",
                folder.display()
            ))
        };
        folders.iter().map(open).collect::<Result<_, _>>().map(Self)
    }

    /// The file of this name in one of the folders, or of this path if it leads into one: links and `..` followed,
    /// it must stand there itself.
    fn file(&self, name: &str) -> Option<PathBuf> {
        let inside = self.0.iter().map(|folder| folder.join(name));
        let mut places = inside.chain([PathBuf::from(name)]);
        places.find_map(|place| {
            let real = fs::canonicalize(place).ok()?;
            let is_inside = self.0.iter().any(|folder| real.starts_with(folder));
            (is_inside && real.is_file()).then_some(real)
        })
    }

    /// Reads a scenario: that of a name, or one that stands in the message, which reads no file.
    pub(super) fn read_source(
        &self,
        source: &ScenarioSource,
        limits: &Limits,
    ) -> Result<Setup, Refusal> {
        let inline = match source {
            ScenarioSource::Name(name) => return self.read(name, limits),
            ScenarioSource::Inline { inline } => inline,
        };
        let origin = Origin::Text("the scenario of the message".to_owned());
        Setup::from_text_and_files(inline, &[], origin, limits)
            .map_err(|error| Refusal::new(ServerErrorKind::BadRequest, error.to_string()))
    }

    /// Reads the scenario of a name.
    pub(super) fn read(&self, name: &str, limits: &Limits) -> Result<Setup, Refusal> {
        let bad = |why: String| Refusal::new(ServerErrorKind::BadRequest, why);
        let is_bundled = setup::names().any(|known| known == name);
        let file = || {
            let with_ending = format!("{name}.{ENDING}");
            self.file(name).or_else(|| self.file(&with_ending))
        };
        if let Some(file) = file().filter(|_| !is_bundled) {
            return Setup::load(&file, limits).map_err(|error| {
                // Whoever runs the server reads why; whoever sent the name may not be meant to read the file.
                tracing::warn!(%error, "a scenario that was named");
                bad(format!(
                    "{name:?}: this file is no sound scenario; `debate-tui check` says why"
                ))
            });
        }
        Setup::bundled(name, limits).map_err(|error| {
            let folders = "files are read from the folders of --scenarios alone";
            bad(format!("{error}; {folders}"))
        })
    }

    /// Refuses a player from a file that stands in none of the folders.
    pub(super) fn admit(&self, player: &str) -> Result<(), Refusal> {
        let spec = Spec::parse(player).ok();
        let file = spec.as_ref().and_then(Spec::file);
        if file.is_none_or(|file| self.file(file).is_some_and(|real| is_same(&real, file))) {
            return Ok(());
        }
        Err(Refusal::new(
            ServerErrorKind::BadRequest,
            "a player's file is read from the folders of --scenarios alone, by its whole path",
        ))
    }

    /// The files that may be named, each with what it is.
    pub(super) fn files(&self, limits: &Limits) -> Vec<(String, Setup)> {
        let entries = self.0.iter().flat_map(fs::read_dir).flatten().flatten();
        let mut names: Vec<String> = entries
            .filter_map(|entry| {
                let path = entry.path();
                let is_scenario = path.extension().is_some_and(|ending| ending == ENDING);
                path.file_name()?
                    .to_str()
                    .filter(|_| is_scenario)
                    .map(str::to_owned)
            })
            .collect();
        names.sort_unstable();
        names.dedup();
        names.truncate(MOST_LISTED);
        let read = |name: String| self.read(&name, limits).ok().map(|setup| (name, setup));
        names.into_iter().filter_map(read).collect()
    }
}

/// True if a path as it is written leads to this file.
fn is_same(real: &Path, written: &str) -> bool {
    fs::canonicalize(written).is_ok_and(|other| other == real)
}
