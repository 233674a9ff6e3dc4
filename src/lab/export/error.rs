//! Why something cannot be written down.

use thiserror::Error;

use crate::analysis::Unsolved;
use debate_core::budget::Exceeded;
use debate_core::player::{BuildError, SpecError};
use debate_core::protocol::{Illegal, Refused};

/// Why a debate or a scenario cannot be written in a format.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The format is none for this.
    #[error("`{name}` is not written of {of}; take {}", listed(known))]
    Format {
        /// What was asked for.
        name: String,
        /// What it was asked of.
        of: &'static str,
        /// What there is instead.
        known: Vec<String>,
    },
    /// The format is made of one save.
    #[error("`{name}` is written of one save; for several take {}", listed(known))]
    OneSave {
        /// What was asked for.
        name: String,
        /// What several can be written as.
        known: Vec<String>,
    },
    /// The option says nothing to this format.
    #[error(
        "{flag} says nothing to `{format}` of {of}; it goes with {}",
        listed(known)
    )]
    Flag {
        /// The option.
        flag: &'static str,
        /// The format.
        format: &'static str,
        /// What it is made of.
        of: &'static str,
        /// The formats that take it, each with what it is made of.
        known: Vec<String>,
    },
    /// The debate has no such event.
    #[error("there is no event {asked}: this debate has {last}, counted from 1")]
    NoEvent {
        /// Which was asked for.
        asked: usize,
        /// How many there are.
        last: usize,
    },
    /// A number that can be said is no probability.
    #[error("--grid: {0} is no number from 0 to 1")]
    Grid(String),
    /// Another option cannot be understood.
    #[error("{0}")]
    Option(String),
    /// The game is too large to be written down.
    #[error("{0}: shorten --grid, or take fewer claims")]
    TooLarge(Exceeded),
    /// The game cannot be followed.
    #[error("{0}")]
    Unsolved(Unsolved),
    /// The problem is no tree of claims.
    #[error("this problem is a computation, not a tree of claims; there is nothing to draw")]
    NoClaims,
    /// The rules refuse to be played.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A move of the debate is not legal any more.
    #[error("a move does not follow from the rules: {0}")]
    Illegal(#[from] Illegal),
    /// There is no such judge.
    #[error(transparent)]
    Judge(#[from] BuildError),
    /// The name of the judge cannot be read.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The keys of the screen contradict each other.
    #[error("{0}")]
    Keys(String),
}

/// `html`; `html or svg`; `html, svg or md`.
fn listed(names: &[String]) -> String {
    match names {
        [] => "no format".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
