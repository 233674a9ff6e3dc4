//! A debate as one seat sees it.

use std::ops::Range;

use debate_core::number::Exact;
use debate_core::protocol::{Log, Reader, State};

use super::{DebateFacts, Role};

/// A debate as one seat sees it now.
#[derive(Clone, Debug)]
pub struct Viewpoint<'s, 'a> {
    /// The facts around it.
    pub facts: &'s DebateFacts<'a>,
    /// Where it stands.
    pub state: &'s State<'a, Exact>,
    /// What happened.
    pub log: &'s Log<Exact>,
    /// Who looks, and how much of it they may read.
    pub reader: Reader,
    /// The entries of the log that the last step made.
    pub newest: Range<usize>,
}

/// What is said of a person's reply besides the reply itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyMark {
    /// The event's number in the log.
    pub entry: usize,
    /// What is said.
    pub text: String,
    /// What it is for.
    pub role: Role,
}
