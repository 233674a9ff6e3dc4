//! Messages between this program and another one: an engine that plays a seat, or a program that drives `serve`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::batch::{BatchSlot, OpenBatch, ReplyCounts};
use super::{Act, read_reply};
use crate::message::play::PlayReport;
use crate::record::{Cost, ReplyMeta};
use debate_core::{Exact, Reply, Seat, Seating, Turn};
use debate_solver::expectation::BySeat;
use debate_text::prepared_bits;

/// The version of the message protocol.
pub const PROTOCOL_VERSION: u32 = 1;

/// Maximum size of a note on a reply, in bytes.
const MAX_NOTE: usize = 20_000;

/// A seat by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SeatName {
    Prover,
    Opponent,
    Judge,
}

impl SeatName {
    /// Returns the name of a player's seat; `None` for chance.
    pub(crate) fn of(seat: Seat) -> Option<Self> {
        let names = [Self::Prover, Self::Opponent, Self::Judge];
        names.get(seat.index()).copied()
    }
}

impl From<SeatName> for Seat {
    fn from(name: SeatName) -> Self {
        match name {
            SeatName::Prover => Self::Prover,
            SeatName::Opponent => Self::Opponent,
            SeatName::Judge => Self::Judge,
        }
    }
}

/// A message of the driving program, a line each. Unknown fields are ignored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToServer {
    /// Begins a debate.
    New(Box<NewDebate>),
    /// Answers a request.
    Reply(Box<ReplyLine>),
    /// Takes a debate up again, after either side has ended: its pending request is sent once more.
    Resume { debate: String },
    /// Gives the debate up; its save can be taken up again. Of a batch: ends it.
    Leave { debate: String },
    /// Ends the debate: the player of the handle's seat has lost it.
    Forfeit {
        debate: String,
        /// Why it gives up.
        #[serde(default)]
        fault: ForfeitFault,
    },
    /// Begins many debates that are stepped together.
    Open(Box<OpenBatch>),
    /// Replies in a batch.
    Step {
        /// The handle of the batch.
        batch: String,
        /// For each debate the place of its reply; null begins the next debate in its place.
        replies: Vec<Option<usize>>,
    },
    /// Asks for a `pong`.
    Ping,
    /// No more messages follow: the server ends when the replies given so far are taken.
    Bye,
}

/// Why a player that somebody drives gives up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ForfeitFault {
    /// It has no legal reply.
    #[default]
    Illegal,
    /// It takes too long.
    Timeout,
    /// Its model refuses to answer.
    ModelRefusal,
    /// A mistake of its own.
    Bug,
}

/// An order to begin a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(default)]
pub struct NewDebate {
    /// Any text, which comes back in `started` or `error`.
    pub id: Option<String>,
    pub scenario: ScenarioSource,
    /// The seats that the caller plays; each gets a handle of its own.
    pub seats: Vec<SeatName>,
    #[serde(flatten)]
    pub choices: DebateChoices,
    /// False to keep no save.
    pub save: Option<bool>,
    /// False to leave out the texts of requests.
    pub text: Option<bool>,
    /// False to send with each request only the events since the seat's last one. After `resume` all events are sent
    /// again.
    pub history: Option<bool>,
}

/// The choices that make a debate of a scenario. The scenario decides each choice that is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(default)]
pub struct DebateChoices {
    /// The players of the other seats.
    pub players: NamedPlayers,
    /// The rules in RON, as a scenario states them.
    pub protocol: Option<String>,
    /// The seed of all coins. The default is a random seed.
    pub seed: Option<String>,
    /// The number of the debate under the seed.
    pub number: u64,
    /// The name of the instance. The default is the scenario's own, or one drawn from the seed.
    pub instance: Option<String>,
    /// True to hide the scenario's description from all seats, and the rules from a judge, until the end.
    pub blind: bool,
}

/// Which scenario is debated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "`scenario` is a name, or {\"inline\": TEXT} with the text of a scenario file"
)]
pub enum ScenarioSource {
    /// The name of a bundled scenario; or of a file in a folder that the server allows, with `#ID` for a question of a
    /// set.
    Name(String),
    /// A scenario itself.
    Inline {
        /// Its text, as a file has it. It may read no other file.
        inline: String,
    },
}

impl Default for ScenarioSource {
    fn default() -> Self {
        Self::Name(String::new())
    }
}

/// Players by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct NamedPlayers {
    pub prover: Option<String>,
    pub opponent: Option<String>,
    pub judge: Option<String>,
}

impl NamedPlayers {
    /// Returns the names of the prover, opponent and judge.
    pub fn names(&self) -> [Option<&str>; 3] {
        [&self.prover, &self.opponent, &self.judge].map(Option::as_deref)
    }
}

impl From<[Option<String>; 3]> for NamedPlayers {
    fn from([prover, opponent, judge]: [Option<String>; 3]) -> Self {
        Self {
            prover,
            opponent,
            judge,
        }
    }
}

/// A reply to a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(default)]
pub struct ReplyLine {
    /// The handle, or the debate's name.
    pub debate: String,
    /// The request's number.
    pub id: u64,
    /// As `legal` has it.
    #[cfg_attr(feature = "schema", schemars(with = "super::reply::ReplyMessage"))]
    pub reply: Value,
    /// A remark, which the save keeps.
    pub note: Option<String>,
    /// The cost of the reply.
    pub cost: Option<Cost>,
}

impl ReplyLine {
    /// Returns the reply to a request, or the reason why it cannot be read, and its metadata. `ms` is the thinking time
    /// in milliseconds. An unreadable reply has metadata too, because it costs as much as a legal one.
    pub(crate) fn read(
        &self,
        seating: &Seating<'_, Exact>,
        turn: &Turn<Exact>,
        ms: u64,
    ) -> (Result<Reply<Exact>, String>, ReplyMeta) {
        let cost = self.cost.as_ref();
        let cost_checked = cost.map_or(Ok(()), Cost::check);
        let is_long = |note: &String| note.len() > MAX_NOTE;
        let meta = ReplyMeta {
            ms: Some(ms),
            note: self.note.clone().filter(|note| !is_long(note)),
            cost: cost.filter(|_| cost_checked.is_ok()).cloned(),
            ..ReplyMeta::default()
        };
        let prepared = || prepared_bits(seating, &turn.request);
        let read = read_reply(&self.reply, &turn.request, prepared);
        let reply = match read {
            Err(unread) => Err(unread.to_string()),
            Ok(_) if self.note.as_ref().is_some_and(is_long) => {
                Err(format!("`note` has more than {MAX_NOTE} bytes"))
            }
            Ok(reply) => cost_checked.map(|()| reply),
        };
        (reply, meta)
    }
}

/// A message of `serve`, a line each.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromServer {
    /// The first line.
    Hello {
        protocol_version: u32,
        /// The program and its version.
        app: &'static str,
    },
    /// A debate has begun, or is taken up again.
    Started {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The handle of each of the caller's seats: a secret for one debate and one seat.
        debates: Handles,
        /// The save's path; null where none is kept.
        save: Option<String>,
    },
    Act(Box<ActLine>),
    /// A batch has begun.
    Opened {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The handle of the batch.
        batch: String,
        /// The most replies to each kind of request to each seat, in debates of the scenario that were played at random.
        replies: BySeat<ReplyCounts>,
        /// The payoff of one point.
        point: f64,
        slots: Vec<BatchSlot>,
    },
    /// The debates of a batch after a step.
    Stepped {
        batch: String,
        slots: Vec<BatchSlot>,
    },
    /// The reply breaks the rules; the request stands.
    Illegal {
        debate: String,
        id: u64,
        why: String,
    },
    End {
        debate: String,
        /// The seat's payoff so far, as a fraction; null for a judge.
        reward: Option<String>,
        outcome: Box<PlayReport>,
    },
    Error {
        kind: ServerErrorKind,
        why: String,
        /// The handle that was given, or the `id` of a `new`.
        #[serde(skip_serializing_if = "Option::is_none")]
        debate: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
    },
    Pong,
}

/// A line between this program and another one. A program that reads it ignores fields that it does
/// not know; numbers that are probabilities are fractions or decimals from 0 to 1.
#[cfg(feature = "schema")]
#[derive(Clone, Debug, schemars::JsonSchema)]
#[schemars(untagged)]
pub enum Message {
    /// From a program that drives debates.
    ToServer(ToServer),
    /// To it.
    FromServer(FromServer),
    /// To an engine.
    ToEngine(ToEngine),
    /// From it.
    FromEngine(FromEngine),
}

/// Handles by seat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Handles {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prover: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opponent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
}

impl Handles {
    /// Creates handles for prover, opponent and judge.
    pub fn new([prover, opponent, judge]: [Option<String>; 3]) -> Self {
        Self {
            prover,
            opponent,
            judge,
        }
    }
}

/// A request to a seat.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct ActLine {
    /// The handle, or the debate's name.
    pub debate: String,
    /// The time limit of the reply in milliseconds, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    #[serde(flatten)]
    pub act: Act,
}

/// The reason why a message is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ServerErrorKind {
    /// The line is no message in JSON.
    BadJson,
    /// The line is longer than it may be.
    TooLong,
    /// The debate cannot begin as it is described.
    BadRequest,
    /// No debate has this handle.
    UnknownDebate,
    /// Another seat is asked, or nobody.
    NotYourTurn,
    /// The request of this number is answered already.
    Answered,
    /// The debate is over.
    Over,
    /// So many debates or replies wait already.
    Busy,
    /// The save cannot be written or read.
    Save,
    /// A built-in player has no reply.
    Failed,
}

/// A message to an engine, a line each.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToEngine {
    /// The first line. The engine answers with its own `hello`.
    Hello {
        protocol_version: u32,
        /// This program and its version.
        app: &'static str,
    },
    /// A debate begins in which the engine has a seat.
    New {
        debate: String,
        /// The protocol's name.
        protocol: &'static str,
        /// The protocol as a scenario file writes it.
        parameters: String,
        seat: &'static str,
        /// Digits for the engine's own randomness: the same debate gives the same. The coins of the
        /// debate do not follow from it.
        seed: String,
        /// A value for each option that the engine has: the one that was set, else its default.
        options: BTreeMap<String, Value>,
    },
    /// A request. The engine answers with `reply` or `error`, and with `info` before it if it likes.
    Act(Box<ActLine>),
    /// The reply was not legal, or not readable. Another one is awaited.
    Illegal {
        debate: String,
        id: u64,
        why: String,
        retries_left: u32,
    },
    /// No reply to this request is awaited any more.
    Stop { debate: String, id: u64 },
    /// The engine answers with `pong`.
    Ping,
    /// The debate is over.
    End {
        debate: String,
        /// The seat's payoff so far, as a fraction; null for a judge.
        reward: Option<String>,
        /// Null where the debate has no end yet and goes on some other time.
        outcome: Option<Box<PlayReport>>,
    },
    /// The engine is to end.
    Bye,
}

/// A message of an engine, a line each. Unknown fields are ignored.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromEngine {
    Hello(EngineHello),
    /// It still thinks: the deadline begins anew.
    Info {
        id: u64,
        #[serde(default)]
        text: String,
    },
    Reply(Box<ReplyLine>),
    /// It has no reply, and says why.
    Error {
        id: u64,
        kind: EngineErrorKind,
        #[serde(default)]
        why: String,
        /// When it can be asked again, in milliseconds.
        #[serde(default)]
        retry_after_ms: Option<u64>,
        /// The cost of the call that failed.
        #[serde(default)]
        cost: Option<Box<Cost>>,
    },
    Pong,
}

/// An engine on itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(default)]
pub struct EngineHello {
    pub name: String,
    pub version: String,
    /// The seats that it can take; all where it is empty.
    pub seats: Vec<String>,
    /// The protocols that it can play, by name; all where it is empty.
    pub protocols: Vec<String>,
    /// In how many debates it can play at once; 1 where it does not say.
    pub max_parallel: u32,
    /// What can be set: `engine(name=value):COMMAND`.
    pub options: Vec<EngineOption>,
}

/// An option of an engine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(default)]
pub struct EngineOption {
    pub name: String,
    pub kind: EngineOptionKind,
    /// The value where none is set.
    pub default: Value,
}

/// The values that an option takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EngineOptionKind {
    #[default]
    Text,
    Number,
    /// `true` or `false`.
    Boolean,
}

/// The reason why an engine has no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EngineErrorKind {
    /// It may work when it is tried again.
    Transient,
    /// Something outside of it failed.
    Infrastructure,
    /// Its model refuses to answer.
    ModelRefusal,
    /// A mistake of its own.
    Bug,
}
