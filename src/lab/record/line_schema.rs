//! The lines of a save as data, for its JSON Schema.
//!
//! A save is a RON document. Its header, each of its events and its end have a hash of their own,
//! and each is one object here: a RON struct is a JSON object, an enum variant an object with one
//! field.

use std::collections::BTreeMap;

use schemars::JsonSchema;

use super::cost::Cost;
use super::header::{Branch, RonPlayers};
use super::reply::SavedReply;
use super::save::SaveEnd;
use debate_core::protocol::{Seat, Spent};

/// A part of a save that has a hash: the header, an event, or the end. A save is a RON document,
/// `Save(header, events: [event, …], end)`; here its structs are objects, and an enum variant is an
/// object with one field, or a string. Fractions are strings.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub enum SaveLineSchema {
    Header(Box<HeaderSchema>),
    Event(Box<EventSchema>),
    End(Box<EndSchema>),
}

/// Everything that a debate follows from but the replies.
#[derive(JsonSchema)]
pub struct HeaderSchema {
    /// The version of the format.
    pub format: u32,
    /// The version of the program.
    pub app: String,
    /// When the debate began, in UTC; not in scripted debates.
    pub started: Option<String>,
    /// The scenario's own text.
    pub scenario: String,
    /// The files that scenario and players are read from: name, SHA-256 digest, and the text, or
    /// null for a file beside the save.
    pub files: Vec<(String, String, Option<String>)>,
    /// The protocol as a scenario file writes it, in RON.
    pub protocol: String,
    pub seed: String,
    /// Which debate under the seed; 0 where it is left out.
    pub debate: Option<u64>,
    pub instance: String,
    /// True if players and worths were not to be told before the end.
    pub blind: Option<bool>,
    pub branch: Option<Branch>,
    /// What the debate is one of: a match gives `condition`, `rules` and `judge`.
    pub tags: Option<BTreeMap<String, String>>,
    pub players: RonPlayers,
    /// The hash of the header.
    pub h: String,
}

/// What happened: a reply (`reply`), a coin or a draw of samples (seat `Chance`), an undo, a refused
/// reply, or another fault.
#[derive(JsonSchema)]
pub struct EventSchema {
    /// The number, from 1.
    pub n: u64,
    /// Whose doing it is; not of an undo.
    pub seat: Option<Seat>,
    pub reply: Option<SavedReply>,
    /// A draw: the probability of true, or of each sample.
    pub p: Option<String>,
    /// A coin: how it fell.
    pub value: Option<bool>,
    /// Samples: how many were drawn.
    pub count: Option<u64>,
    /// Samples: how many were 1.
    pub ones: Option<u64>,
    /// An undo: the number of the event from which on all is taken back.
    pub undo: Option<u64>,
    /// A reply that the rules refused.
    pub refused: Option<SavedReply>,
    /// Another fault of a player, such as `timeout`.
    pub fault: Option<String>,
    /// Why it was refused, or what happened.
    pub why: Option<String>,
    /// The bits that the verifier read because of it, such as `step 17 = 1`.
    pub read: Option<Vec<String>>,
    /// What the player spent beyond what the rules see.
    pub spent: Option<Spent>,
    /// How long a person or an engine thought, in milliseconds.
    pub ms: Option<u64>,
    pub note: Option<String>,
    /// The cost of the reply to the program that gave it, as the program says.
    pub cost: Option<Cost>,
    /// The name and version of the program that replied, at its first reply.
    pub engine: Option<String>,
    /// The options under which it plays, where it has any: name and value.
    pub options: Option<BTreeMap<String, String>>,
    /// The hash of this line and all before it.
    pub h: String,
}

#[derive(JsonSchema)]
pub struct EndSchema {
    pub end: SaveEnd,
    /// What the replies of programs cost, by seat, as they say; not where they say nothing.
    pub costs: Option<CostsSchema>,
    /// The hash of the whole save.
    pub h: String,
}

/// What the replies of a seat cost together, refused ones among them.
#[derive(JsonSchema)]
pub struct CostsSchema {
    pub prover: Option<Cost>,
    pub opponent: Option<Cost>,
    pub judge: Option<Cost>,
}
