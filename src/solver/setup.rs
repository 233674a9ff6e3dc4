//! Scenario files: what is debated, under which rules, by whom.
//!
//! Where to start: [`Setup::find`] takes what a person types (a path or the name of a
//! [`bundled()`] scenario); [`Setup::draw`] picks the instance of μ, [`Setup::instance`] makes it.
//!
//! `file` has the forms that a scenario file is written in, `read` turns them into problems, and
//! `problem_kinds` lists the kinds with an example each.
//!
//! ```
//! use debate_core::chance::Seed;
//! use debate_solver::setup::{Limits, Setup};
//!
//! let setup = Setup::find("primes", &Limits::default()).unwrap();
//! let seed = Seed::new("7").unwrap();
//! let instance = setup.instance(setup.draw(&seed, 0));
//! assert_eq!(instance.text(instance.root()), "4331 is prime");
//! ```

mod argument;
mod bundled;
mod circuit;
mod error;
mod file;
mod file_loader;
mod limits;
mod locator;
mod machine;
mod plan;
mod primality;
mod problem_kinds;
mod qbf;
mod question;
mod quoting;
mod read;

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use num_integer::Integer as _;
use num_traits::Zero as _;

pub use bundled::{
    BundledScenario, Difficulty, SECONDS_A_REPLY, SECONDS_TO_READ, SeatAdvice, bundled,
    bundled_name, names,
};
pub use error::NamedSource;
pub use error::{SetupError, SourceLocation};
pub use file::MapEntries;
pub use file_loader::LoadedFile;
pub use file_loader::read_at_most;
pub use limits::{Limits, MAX_NAME};
pub use problem_kinds::{FittingProtocols, PROBLEMS, ProblemKind};
pub use quoting::nearest_name;
pub use quoting::shortened;
pub use read::ron_options;

use debate_core::chance::{Draws, Seed, Stream};
use debate_core::digest::Digest;
use debate_core::number::{COIN_BITS, Exact, Number as _};
use debate_core::player::{Knowledge, KnowledgeError, PlayerFiles, Spec};
use debate_core::protocol::{Protocol, Seat, prover_estimator};
use debate_core::scenario::{Decomposition, Instance, JudgeSees, KnownBlocks, Oracle};

/// The path that stands for the standard input.
pub const STDIN: &str = "-";

/// The source of a scenario's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    File(PathBuf),
    /// The bundled scenario of this name.
    Bundled(&'static str),
    /// A text from elsewhere, such as a save; errors call it this.
    Text(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(out, "{}", path.display()),
            Self::Bundled(name) => write!(out, "scenarios/{name}.ron"),
            Self::Text(name) => out.write_str(name),
        }
    }
}

/// A text for each seat that has one: a player's name, or what the seat alone is told before a
/// debate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatTexts([Option<String>; 3]);

impl SeatTexts {
    pub fn get(&self, seat: Seat) -> Option<&str> {
        self.0.get(seat.index())?.as_deref()
    }

    /// Sets a seat's text; returns the text that it replaces.
    fn put(&mut self, seat: Seat, text: String) -> Option<String> {
        self.0.get_mut(seat.index())?.replace(text)
    }
}

/// How the pieces of evidence for one claim err together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Evidence {
    /// Each by itself, as the oracle says.
    #[default]
    Independent,
    /// All pieces for a leaf err together with this probability, and else each by itself.
    SharedCause(Exact),
}

/// A scenario file, read and checked.
#[derive(Clone, Debug)]
pub struct Setup {
    /// One line.
    pub title: String,
    /// A text for everybody before the debate: it gives nothing away.
    pub about: String,
    /// The text that each seat alone is told before the debate.
    pub briefing: SeatTexts,
    /// The lesson, told after the end.
    pub debrief: String,
    /// The kind of problem, as tables and JSON name it: [`ProblemKind::kind`].
    pub problem: &'static str,
    pub decomposition: Arc<dyn Decomposition>,
    pub oracle: Oracle,
    /// How the pieces of evidence err together where there are several for a claim.
    pub evidence: Evidence,
    /// The index of the world that the scenario's own `instance` asks for.
    pub requested_world: Option<usize>,
    /// The rules; [`default_protocol`] where the file names none.
    pub protocol: Protocol,
    /// The players that the scenario names.
    pub players: SeatTexts,
    /// The seat that is offered first to a person.
    pub sit: Option<Seat>,
    pub judge_sees: JudgeSees,
    /// For prover, opponent and judge what the scenario says that they know of the instance.
    pub knows: [Option<Knowledge>; 3],
    /// The most leaves that each may look up by itself in a debate.
    pub queries: [u32; 3],
    /// The blocks of [`Self::knows`].
    known_blocks: KnownBlocks,
    /// Remarks for tools: any names and values.
    pub tags: BTreeMap<String, String>,
    /// The file's text, which a save keeps.
    pub source: Arc<str>,
    /// The other files that it read, in the order of reading: those of the problem, then those
    /// that players are read from.
    pub files: Vec<LoadedFile>,
    /// The number of [`Self::files`], from the first, that the problem reads.
    problem_files: usize,
    pub origin: Origin,
    /// For each world the end of its range of 53-bit draws.
    draw_limits: Arc<[u64]>,
}

impl Setup {
    /// Reads the file of this path where there is one, else the bundled scenario of this name
    /// (with or without `scenarios/` and `.ron`); for `-` the standard input.
    ///
    /// # Errors
    /// If there is neither (the error says which bundled names there are), or as [`Self::load`].
    pub fn find(name_or_path: &str, limits: &Limits) -> Result<Self, SetupError> {
        let path = Path::new(name_or_path);
        let setup = if name_or_path == STDIN {
            let origin = Origin::Text("standard input".to_owned());
            Self::from_reader(io::stdin().lock(), origin, limits)?
        } else if path.exists() && !(path.is_dir() && bundled::text(name_or_path).is_some()) {
            Self::load(path, limits)?
        } else {
            Self::bundled(name_or_path, limits)?
        };
        tracing::info!(
            from = %setup.origin,
            title = setup.title,
            protocol = setup.protocol.kind().name(),
            instances = setup.decomposition.worlds().len(),
            "scenario read"
        );
        Ok(setup)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, is larger than the limits allow, or is no sound scenario.
    pub fn load(path: &Path, limits: &Limits) -> Result<Self, SetupError> {
        let origin = Origin::File(path.to_owned());
        match fs::File::open(path) {
            Ok(file) => Self::from_reader(file, origin, limits),
            Err(cause) => Err(unreadable(&origin, cause)),
        }
    }

    fn from_reader(
        reader: impl io::Read,
        origin: Origin,
        limits: &Limits,
    ) -> Result<Self, SetupError> {
        match read_at_most(reader, limits.file) {
            Ok(bytes) => Self::from_bytes(&bytes, origin, limits),
            Err(cause) => Err(unreadable(&origin, cause)),
        }
    }

    /// Reads a scenario from bytes, which should be UTF-8.
    ///
    /// # Errors
    /// If they are not, are too many, or are no sound scenario.
    pub fn from_bytes(bytes: &[u8], origin: Origin, limits: &Limits) -> Result<Self, SetupError> {
        let text = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        if text.len() == bytes.len() {
            return Self::from_text(text, origin, limits);
        }
        let origin = &origin;
        let source = NamedSource { text, origin };
        // What was cut off at the limit may end within a character.
        source.limit_file(limits, bytes.len())?;
        let what = format!(
            "the byte at offset {} is not UTF-8; save the file as UTF-8",
            text.len()
        );
        Err(source.malformed(text.len(), &what))
    }

    /// Reads a scenario from its text.
    ///
    /// # Errors
    /// If it is too long or no sound scenario.
    pub fn from_text(text: &str, origin: Origin, limits: &Limits) -> Result<Self, SetupError> {
        let files = file_loader::FileLoader::in_folder_of(&origin);
        read::setup(text, origin, limits, files)
    }

    /// Reads a scenario from its text, and the files that it names from these alone.
    ///
    /// # Errors
    /// If it is too long or no sound scenario, or names a file that is not among these.
    pub fn from_text_and_files(
        text: &str,
        files: &[LoadedFile],
        origin: Origin,
        limits: &Limits,
    ) -> Result<Self, SetupError> {
        read::setup(text, origin, limits, file_loader::FileLoader::given(files))
    }

    /// Reads a bundled scenario by its name, with or without `scenarios/` and `.ron`.
    ///
    /// # Errors
    /// If there is none of this name (the error lists them), or it passes the limits.
    pub fn bundled(name: &str, limits: &Limits) -> Result<Self, SetupError> {
        let bare = name.strip_prefix("./").unwrap_or(name);
        let bare = bare.strip_prefix("scenarios/").unwrap_or(bare);
        let bare = bare.strip_suffix(".ron").unwrap_or(bare);
        match bundled::text(bare) {
            Some((name, text)) => Self::from_text(text, Origin::Bundled(name), limits),
            None => Err(SetupError::Unknown {
                name: quoting::sentence(name),
                hint: hint(bare),
            }),
        }
    }

    /// The digest of what is debated: of the problem and its decomposition as the file writes them,
    /// and of the files that they read. The title, the rules and the players make no difference.
    pub fn problem_digest(&self) -> Digest {
        // What was read once is read again.
        let [problem, method] = read::problem_text(&self.source).unwrap_or([&self.source, ""]);
        let mut text = format!("{problem}\n{method}\n");
        for file in self.files.iter().take(self.problem_files) {
            let _ = writeln!(text, "{} {}", file.name, file.digest);
        }
        Digest::of(text.as_bytes())
    }

    /// The files that players are read from.
    pub fn player_files(&self) -> PlayerFiles {
        let files = self.files.iter();
        let named = files.map(|file| (file.name.clone(), Arc::clone(&file.bytes)));
        PlayerFiles::new(self.problem_digest(), named)
    }

    /// Reads the file of a player such as `trained(FILE)`, named by a person, who may name a file
    /// anywhere. Does nothing for other players.
    ///
    /// # Errors
    /// If the file cannot be read or is too large, or another of that name is there already.
    pub fn load_player_file(&mut self, player: &Spec, limits: &Limits) -> Result<(), SetupError> {
        let Some(name) = player.file() else {
            return Ok(());
        };
        let origin = &Origin::File(name.into());
        let bytes = file_loader::read_plain(name.as_ref(), limits.file)
            .map_err(|cause| unreadable(origin, cause))?;
        let source = NamedSource { text: "", origin };
        source.limit_file(limits, bytes.len())?;
        let file = LoadedFile::new(name, bytes);
        let there = self.files.iter().find(|there| there.name == file.name);
        if there.is_some_and(|there| there.digest != file.digest) {
            let what =
                "another file of this name stands beside the scenario; write ./ before the name";
            return Err(unreadable(origin, io::Error::other(what)));
        }
        self.add_file(file);
        Ok(())
    }

    /// Adds a file that a player is read from, unless one of its name is there.
    pub fn add_file(&mut self, file: LoadedFile) {
        if self.files.iter().all(|there| there.name != file.name) {
            self.files.push(file);
        }
    }

    /// The same scenario with the two answers of its question in the other order; `None` where it asks
    /// no such question.
    ///
    /// # Errors
    /// If it passes the limits then: what is in it is written down anew.
    pub fn with_answers_swapped(&self, limits: &Limits) -> Result<Option<Self>, SetupError> {
        let swapped = question::with_answers_swapped(&self.source)
            .map(|text| Self::from_text(&text, self.origin.clone(), limits));
        swapped.transpose()
    }

    /// The index of the world of this name.
    ///
    /// # Errors
    /// If there is none; the error lists the first few.
    pub fn instance_named(&self, name: &str) -> Result<usize, SetupError> {
        let worlds = self.decomposition.worlds();
        worlds
            .iter()
            .position(|world| world.name == name)
            .ok_or_else(|| SetupError::NoInstance {
                origin: quoting::sentence(&self.origin.to_string()),
                name: quoting::quoted(name),
                known: error::some_of(worlds.iter().map(|world| world.name.as_str())),
            })
    }

    /// The worlds that are asked for, with shares that sum to 1: one by its name, or `all`; where none
    /// is named the scenario's own instance, else all.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn worlds(&self, asked: Option<&str>) -> Result<Vec<(Exact, usize)>, SetupError> {
        let world = match asked {
            Some("all") => None,
            Some(name) => Some(self.instance_named(name)?),
            None => self.requested_world,
        };
        Ok(world.map_or_else(
            || self.all_worlds(),
            |world| vec![(Exact::from_integer(1.into()), world)],
        ))
    }

    /// All worlds, with shares that sum to 1.
    pub fn all_worlds(&self) -> Vec<(Exact, usize)> {
        let worlds = self.decomposition.worlds();
        let total: Exact = worlds.iter().map(|world| &world.weight).sum();
        let shares = worlds.iter().map(|world| &world.weight / &total);
        shares.zip(0..).collect()
    }

    /// The world of debate number `debate`: the scenario's own `instance` where it asks for one,
    /// else drawn by weight from the seed. The same as [`debate_core::chance::pick`] over the weights
    /// with the first private draw of [`Stream::Instance`].
    pub fn draw(&self, seed: &Seed, debate: u64) -> usize {
        self.requested_world.unwrap_or_else(|| {
            self.world_of_draw(Draws::private(seed, Stream::Instance, debate).at(0))
        })
    }

    /// The world that a 53-bit draw picks by weight.
    pub fn world_of_draw(&self, draw: u64) -> usize {
        let last = self.draw_limits.len().saturating_sub(1);
        self.draw_limits
            .partition_point(|limit| *limit <= draw)
            .min(last)
    }

    /// Checks that the rules can be played to this depth: where rounds weigh differently a debate
    /// keeps a power of r for each.
    ///
    /// # Errors
    /// If the decomposition is deeper than the limits allow, or the powers are longer.
    pub fn check_depth(&self, protocol: &Protocol, limits: &Limits) -> Result<(), SetupError> {
        let Some(ratio) = protocol.reward_ratio() else {
            return Ok(());
        };
        let source = NamedSource {
            text: &self.source,
            origin: &self.origin,
        };
        let depth = self.decomposition.size(0).depth;
        source.limit_rounds(limits, depth, &ratio)
    }

    /// Says what a seat knows of the instance before anybody speaks.
    ///
    /// # Errors
    /// If it names a claim or an instance that the problem does not have.
    pub fn set_knowledge(&mut self, seat: Seat, knows: Knowledge) -> Result<(), KnowledgeError> {
        let blocks = knows.blocks(self.decomposition.as_ref())?;
        let place = seat.index();
        if let (Some(there), Some(known)) =
            (self.knows.get_mut(place), self.known_blocks.get_mut(place))
        {
            *there = Some(knows);
            *known = Some(blocks);
        }
        Ok(())
    }

    /// What a seat knows of the instance before anybody speaks: what the scenario or a flag says, else
    /// what such a seat knows.
    pub fn knowledge(&self, seat: Seat) -> Knowledge {
        let stated = self.knows[seat.index()].clone();
        stated.unwrap_or_else(|| Knowledge::of_seat(seat))
    }

    /// The instance of one of the decomposition's worlds.
    ///
    /// # Panics
    /// If there is no such world.
    pub fn instance(&self, world: usize) -> Instance {
        Instance::new(self.decomposition.clone(), world, self.oracle.clone())
            .knowing(self.known_blocks.clone())
    }
}

fn unreadable(origin: &Origin, cause: io::Error) -> SetupError {
    SetupError::Unreadable {
        origin: quoting::sentence(&origin.to_string()),
        cause,
    }
}

/// Advice for a name that no scenario has: the nearest name, or all names.
fn hint(name: &str) -> String {
    let known: Vec<&str> = names().collect();
    nearest_name(name, &known).map_or_else(
        || format!("give a path, or one of {}", known.join(", ")),
        |name| format!("did you mean `{name}`?"),
    )
}

/// The rules where a scenario names none: prover-estimator debate with ε = 1/4 and ρ = 1/2, at
/// which five independent pieces of evidence are enough for a stable claim.
pub fn default_protocol() -> Protocol {
    let (epsilon, rho) = (Exact::ratio(1, 4), Exact::ratio(1, 2));
    Protocol::ProverEstimator(prover_estimator::Parameters::new(epsilon, rho))
}

/// For each world the end of its range of 53-bit draws, as `chance::pick` over the weights finds
/// it.
fn draw_limits(decomposition: &dyn Decomposition) -> Arc<[u64]> {
    let worlds = decomposition.worlds();
    let total = worlds
        .iter()
        .fold(Exact::zero(), |sum, world| sum + &world.weight);
    let mut sum = Exact::zero();
    worlds
        .iter()
        .map(|world| {
            sum += &world.weight;
            let share = &sum / &total;
            let limit = (share.numer() << COIN_BITS).div_ceil(share.denom());
            u64::try_from(limit).unwrap_or(u64::MAX)
        })
        .collect()
}

#[cfg(test)]
mod tests;
