//! Why a debate cannot be planned or begun.

use std::path::PathBuf;

use thiserror::Error;

use crate::engine::EngineEnding;
use crate::record::{RecordError, SessionError};
use crate::setup::SetupError;
use debate_core::chance::MAX_SEED;
use debate_core::player::{BuildError, SpecError, Stuck};
use debate_core::protocol::Refused;

/// Why a debate cannot be planned or begun.
#[derive(Debug, Error)]
pub enum PlanError {
    /// The scenario cannot be read, or has no such instance.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The text names no player.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A player cannot be built for its seat.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The text names no rules, or they cannot debate this problem.
    #[error(transparent)]
    Rules(#[from] Refused),
    /// The text is no seed.
    #[error("a seed is a text of 1 to {MAX_SEED} characters, without control characters")]
    Seed,
    /// Somebody is to watch and to sit in a seat.
    #[error("--role none watches; it goes with no other --role")]
    Roles,
    /// A program, or a player from a file, where only built-in players may play.
    #[error("only built-in players sit at the table here: no program, and none from a file")]
    Confined,
    /// A file names a command, and nobody allowed that it runs.
    #[error("a file names the command `{0}` as a player; --allow-commands runs it")]
    NotAllowed(String),
    /// People sit where a debate is played without them.
    #[error("nobody can sit through this; name built-in players (see `list strategies`)")]
    People,
    /// What another side is named by is neither rules nor a player.
    #[error(
        "{text:?} names neither a protocol nor a player under {protocol}; `debate-tui list \
         strategies` lists them"
    )]
    UnknownSide {
        text: String,
        /// The rules of the first side.
        protocol: &'static str,
    },
    /// A player that fits several seats, without the seat.
    #[error("{0} can take several seats; say which, as in opponent={0}")]
    SeveralSeats(String),
    /// The problem is not debated under both usual rules.
    #[error("this problem is not debated under plain recursion and prover-estimator")]
    NotComparable,
    /// The debate does not go on by itself.
    #[error(transparent)]
    Stuck(#[from] Stuck),
    /// A debate does not go on, or its save cannot be written.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The save of a kept debate cannot be gone on with.
    #[error("{}: {error}", path.display())]
    Kept { path: PathBuf, error: RecordError },
    /// There is no folder of saves, or a save cannot be written.
    #[error(transparent)]
    Save(RecordError),
    /// A program that is to play does not.
    #[error("{0}")]
    Engine(EngineEnding),
}

impl PlanError {
    /// True if a file or a program failed, and nothing that was asked for is wrong.
    pub fn is_of_system(&self) -> bool {
        matches!(
            self,
            Self::Save(_) | Self::Engine(_) | Self::Session(SessionError::Save { .. })
        )
    }
}
