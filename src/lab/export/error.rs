//! Why something cannot be written down.

use thiserror::Error;

use crate::expectation::Unsolved;
use debate_core::budget::Exceeded;
use debate_core::player::{BuildError, KnowledgeError, SpecError};
use debate_core::protocol::{Illegal, Refused};

#[derive(Debug, Error)]
pub enum ExportError {
    /// No such format, or not for this.
    #[error("`{name}` is not written of {of}; take {}", listed(known))]
    Format {
        name: String,
        /// "a save" or "a scenario".
        of: &'static str,
        /// The formats that there are for it.
        known: Vec<String>,
    },
    #[error("`{name}` is written of one save; for several take {}", listed(known))]
    OneSave {
        /// What was asked for.
        name: String,
        /// The formats that take several saves.
        known: Vec<String>,
    },
    /// The format does not take the option.
    #[error(
        "{flag} says nothing to `{format}` of {of}; it goes with {}",
        listed(known)
    )]
    ExportFlag {
        flag: &'static str,
        format: &'static str,
        of: &'static str,
        /// The formats that take the option.
        known: Vec<String>,
    },
    #[error("there is no event {asked}: this debate has {last}, counted from 1")]
    NoEvent { asked: usize, last: usize },
    #[error("--grid: {0} is no number from 0 to 1")]
    Grid(String),
    /// An option cannot be parsed.
    #[error("{0}")]
    Option(String),
    #[error("{0}: shorten --grid, or take fewer claims")]
    TooLarge(Exceeded),
    #[error("{0}")]
    Unsolved(Unsolved),
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    /// The problem is no tree of claims.
    #[error("this problem is a computation, not a tree of claims; there is nothing to draw")]
    NoClaims,
    /// The rules do not fit the instance.
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error("a move does not follow from the rules: {0}")]
    Illegal(#[from] Illegal),
    #[error(transparent)]
    Judge(#[from] BuildError),
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error("this cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The key map of the screen is wrong.
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
