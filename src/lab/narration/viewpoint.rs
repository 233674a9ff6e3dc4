//! A debate as one seat sees it.

use std::ops::Range;

use debate_core::number::Exact;
use debate_core::protocol::words::{Narrator, Perspective, Script};
use debate_core::protocol::{Log, Reader, State};

use super::{DebateFacts, StyleRole};

#[derive(Clone, Debug)]
pub struct Viewpoint<'s, 'a> {
    pub facts: &'s DebateFacts<'a>,
    pub state: &'s State<'a, Exact>,
    pub log: &'s Log<Exact>,
    /// The reader decides what is shown.
    pub reader: Reader,
    /// The seat that looks: "you", and whose figures are told. It outlasts the debate, at whose end
    /// the reader sees everything.
    pub perspective: Perspective,
    /// The entries of the log that the last step made.
    pub newest: Range<usize>,
}

impl<'a> Viewpoint<'_, 'a> {
    /// Tells the debate from the seat that looks.
    pub fn narrator(&self, script: Script) -> Narrator<'a> {
        Narrator::new(self.facts.instance, script).seen_from(self.perspective)
    }
}

/// A remark on a person's reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyMark {
    /// The event's number in the log.
    pub entry: usize,
    pub text: String,
    pub role: StyleRole,
}
