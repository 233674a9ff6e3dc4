//! Messages between this program and another one: an engine that plays a seat, or a program that drives `serve`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::batch::{
    BatchDebateStatus, DebateBatchForkRequest, DebateBatchStartRequest, ReplyCounts,
};
use super::{SeatRequest, read_reply};
use crate::message::play::DebateOutcomeReport;
use crate::record::{ReplyCost, ReplyMeta};
use debate_core::{Exact, PendingTurn, Reply, Seat, SeatedDebate};
use debate_solver::expectation::BySeat;
use debate_text::prepared_reply_bits;

/// The version of the message protocol.
pub const PROTOCOL_VERSION: u32 = 1;

/// Maximum size of a note on a reply, in bytes.
const MAX_NOTE: usize = 20_000;

/// The name of a seat.
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
    pub(crate) fn player_seat_name(seat: Seat) -> Option<Self> {
        let names = [Self::Prover, Self::Opponent, Self::Judge];
        names.get(seat.seat_index()).copied()
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

/// A message to the server from the program that drives it, one per line. Unknown fields are ignored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
#[serde(rename = "ToServer")]
pub enum MessageToServer {
    /// Begins a debate.
    New(Box<DebateStartRequest>),
    /// Answers a request.
    Reply(Box<SeatReplyMessage>),
    /// Resumes a debate after either program has ended: its pending request is sent again.
    Resume { debate: String },
    /// Leaves a debate, whose save can be resumed later, or ends a batch.
    Leave { debate: String },
    /// Forfeits the debate: the player who holds this handle's seat loses.
    Forfeit {
        debate: String,
        /// The reason for the forfeit.
        #[serde(default)]
        fault: ForfeitReason,
    },
    /// Begins many debates that are stepped together.
    Open(Box<DebateBatchStartRequest>),
    /// Replies in a batch.
    Step {
        /// The handle of the batch.
        batch: String,
        /// For each debate the index of the chosen reply; null begins the next debate in the same slot.
        replies: Vec<Option<usize>>,
        /// The indices of debates that do not change. Their entries in `replies` are ignored.
        #[serde(default)]
        keep: Vec<usize>,
    },
    /// Begins a batch of copies of a batch's debates, to search from their current states. The copies contain facts
    /// that no seat knows, such as the instance.
    Fork(Box<DebateBatchForkRequest>),
    /// Asks for a `pong`.
    Ping,
    /// Announces that no more messages follow: the server ends once the replies given so far are processed.
    Bye,
}

/// The reason why a driven player forfeits the debate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[serde(rename = "ForfeitFault")]
pub enum ForfeitReason {
    /// The player has no legal reply.
    #[default]
    Illegal,
    /// The player takes too long.
    Timeout,
    /// The player's model refuses to answer.
    ModelRefusal,
    /// The program of the player that forfeits has a bug.
    Bug,
}

/// A request to begin a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(default)]
#[serde(rename = "NewDebate")]
pub struct DebateStartRequest {
    /// A text that the sender chooses; the answer `started` or `error` repeats it.
    pub id: Option<String>,
    pub scenario: ScenarioSource,
    /// The seats that the caller plays; each seat gets a separate handle.
    pub seats: Vec<SeatName>,
    #[serde(flatten)]
    pub choices: DebateOverrides,
    /// False to write no save.
    pub save: Option<bool>,
    /// False to send requests without the field `text`, which contains the rules, the events and the question in words.
    pub text: Option<bool>,
    /// False to send with each request only the events since the seat's last request. After `resume` all events are
    /// sent again.
    pub history: Option<bool>,
}

/// The choices that define a debate of a scenario. The scenario's own value is used for each choice that is omitted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(default)]
pub struct DebateOverrides {
    /// The players of the seats that the caller does not play.
    pub players: NamedPlayers,
    /// The rules of the debate in RON, as in a scenario file.
    pub protocol: Option<String>,
    /// The seed of all coins. The default is a random seed.
    pub seed: Option<String>,
    /// Index of the debate among the debates with the same seed.
    pub number: u64,
    /// The name of the instance. The default is the scenario's own, or one drawn from the seed.
    pub instance: Option<String>,
    /// True to hide the scenario's description from all seats, and the rules from a judge, until the end.
    pub blind: bool,
}

/// The scenario under debate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "`scenario` must be a name, or {\"inline\": TEXT} with the text of a scenario file"
)]
pub enum ScenarioSource {
    /// The name of a bundled scenario, or of a file in a folder that the server allows. Append `#ID` for a question of
    /// a set.
    Name(String),
    /// The text of a scenario.
    Inline {
        /// The text of the scenario, as in a scenario file. It must not refer to other files.
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
    pub fn player_names_by_seat(&self) -> [Option<&str>; 3] {
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
#[serde(rename = "SeatReplyLine")]
pub struct SeatReplyMessage {
    /// The handle of the caller's seat in the debate. In an engine's message, it is the debate's name instead.
    pub debate: String,
    /// The number of the request.
    pub id: u64,
    /// A reply that matches `legal`.
    #[cfg_attr(feature = "schema", schemars(with = "super::reply::ReplyMessage"))]
    pub reply: Value,
    /// A note on the reply, which is stored in the save.
    pub note: Option<String>,
    /// The cost of the reply.
    pub cost: Option<ReplyCost>,
}

impl SeatReplyMessage {
    /// Returns the reply to a request, or the reason why it cannot be read, and its metadata. `ms` is the thinking time
    /// in milliseconds. An unreadable reply has metadata too, because it costs as much as a legal one.
    pub(crate) fn read(
        &self,
        seating: &SeatedDebate<'_, Exact>,
        turn: &PendingTurn<Exact>,
        ms: u64,
    ) -> (Result<Reply<Exact>, String>, ReplyMeta) {
        let cost = self.cost.as_ref();
        let cost_checked = cost.map_or(Ok(()), ReplyCost::validate_reported_cost);
        let is_long = |note: &String| note.len() > MAX_NOTE;
        let meta = ReplyMeta {
            ms: Some(ms),
            note: self.note.clone().filter(|note| !is_long(note)),
            cost: cost.filter(|_| cost_checked.is_ok()).cloned(),
            ..ReplyMeta::default()
        };
        let prepared = || prepared_reply_bits(seating, &turn.request);
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

/// A message of the server that `serve` runs, one per line.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
#[serde(rename = "FromServer")]
pub enum MessageToCaller {
    /// The first line.
    Hello {
        protocol_version: u32,
        /// The program and its version.
        app: &'static str,
    },
    /// A debate has begun or was resumed.
    Started {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The handle of each of the caller's seats: a secret for one debate and one seat.
        debates: SeatHandles,
        /// The path of the save; null if the debate is not saved.
        save: Option<String>,
    },
    Act(Box<SeatRequestLine>),
    /// A batch has begun, by `open` or `fork`.
    Opened {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The handle of the batch.
        batch: String,
        /// For each seat and each kind of request: the largest number of replies to choose from, in randomly played
        /// debates of the scenario.
        replies: BySeat<ReplyCounts>,
        /// The payoff of one point.
        point: f64,
        slots: Vec<BatchDebateStatus>,
    },
    /// The debates of a batch after a step.
    Stepped {
        batch: String,
        slots: Vec<BatchDebateStatus>,
    },
    /// The reply breaks the rules; the request is still pending.
    Illegal {
        debate: String,
        id: u64,
        why: String,
    },
    End {
        debate: String,
        /// The payoff of the handle's seat so far, as a fraction; null for a judge.
        reward: Option<String>,
        outcome: Box<DebateOutcomeReport>,
    },
    Error {
        kind: MessageRefusalKind,
        why: String,
        /// The handle that was given, or a handle of the debate or batch that failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        debate: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
    },
    Pong,
}

/// A line between this program and another one. A reader ignores unknown fields. Probabilities are fractions or
/// decimals from 0 to 1.
#[cfg(feature = "schema")]
#[derive(Clone, Debug, schemars::JsonSchema)]
#[schemars(untagged)]
pub enum Message {
    /// A message from a program that drives debates.
    ToServer(MessageToServer),
    /// A message to a program that drives debates.
    FromServer(MessageToCaller),
    /// To an engine.
    ToEngine(MessageToEngine),
    /// From an engine.
    FromEngine(MessageFromEngine),
}

/// Handles by seat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Handles")]
pub struct SeatHandles {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prover: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opponent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
}

impl SeatHandles {
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
#[serde(rename = "ActLine")]
pub struct SeatRequestLine {
    /// The handle of the caller's seat; in a message to an engine, the name of the debate.
    pub debate: String,
    /// The time limit of the reply in milliseconds, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    #[serde(flatten)]
    pub act: SeatRequest,
}

/// The reason why a message is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", schemars(rename = "ServerErrorKind"))]
pub enum MessageRefusalKind {
    /// The line is not a message in JSON.
    BadJson,
    /// The line exceeds the maximum length.
    TooLong,
    /// The debate or batch cannot be started as described, or a step of a batch is not valid.
    BadRequest,
    /// No debate or batch has this handle.
    UnknownDebate,
    /// The seat of this handle has no pending request with this number yet.
    NotYourTurn,
    /// The request with this number is answered already.
    Answered,
    /// The debate is over.
    Over,
    /// Too many debates, batches or threads are running, too many messages are waiting, or too little memory is left.
    Busy,
    /// The save cannot be written or read.
    Save,
    /// A player other than the caller failed, for example an engine, or a built-in player without a reply.
    Failed,
}

/// A message of this program to an engine, one per line.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
#[serde(rename = "ToEngine")]
pub enum MessageToEngine {
    /// The first message to an engine. The engine answers with its own `hello`.
    Hello {
        protocol_version: u32,
        /// This program and its version.
        app: &'static str,
    },
    /// A debate begins in which the engine plays a seat.
    New {
        debate: String,
        /// The name of the protocol.
        protocol: &'static str,
        /// The protocol, as in a scenario file.
        parameters: String,
        seat: &'static str,
        /// A seed for the engine's own randomness, equal each time that the same debate is played. The coins of the
        /// debate cannot be derived from it.
        seed: String,
        /// A value for each option of the engine: the value that was set, or the default.
        options: BTreeMap<String, Value>,
    },
    /// A request to move. The engine answers with `reply` or `error`, and may send `info` before.
    Act(Box<SeatRequestLine>),
    /// The engine's reply was illegal or unreadable. The engine must send another reply.
    Illegal {
        debate: String,
        id: u64,
        why: String,
        retries_left: u32,
    },
    /// The engine's reply to this request is no longer wanted.
    Stop { debate: String, id: u64 },
    /// The engine answers with `pong`.
    Ping,
    /// The engine gets no more requests in this debate.
    End {
        debate: String,
        /// The payoff of the engine's seat so far, as a fraction; null for a judge.
        reward: Option<String>,
        /// The outcome of the debate; null if the debate is unfinished and may be continued later.
        outcome: Option<Box<DebateOutcomeReport>>,
    },
    /// The engine must exit.
    Bye,
}

/// A message of an engine to this program, one per line. Unknown fields are ignored.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
#[serde(rename = "FromEngine")]
pub enum MessageFromEngine {
    Hello(EngineHello),
    /// The engine is still thinking: the deadline restarts.
    Info {
        id: u64,
        #[serde(default)]
        text: String,
    },
    Reply(Box<SeatReplyMessage>),
    /// The engine has no reply; the message gives the reason.
    Error {
        id: u64,
        kind: EngineReportedErrorKind,
        #[serde(default)]
        why: String,
        /// The time after which the engine can be asked again, in milliseconds.
        #[serde(default)]
        retry_after_ms: Option<u64>,
        /// The cost of the engine's call that failed.
        #[serde(default)]
        cost: Option<Box<ReplyCost>>,
        /// True if the request would fail again if repeated, so that the engine is not asked again.
        #[serde(default, rename = "final")]
        is_final: bool,
    },
    Pong,
}

/// An engine's description of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(default)]
pub struct EngineHello {
    pub name: String,
    pub version: String,
    /// The seats that the engine can play; empty for all.
    pub seats: Vec<String>,
    /// The names of the protocols that the engine can play; empty for all.
    pub protocols: Vec<String>,
    /// Maximum number of concurrent debates; 1 if not given.
    pub max_parallel: u32,
    /// The options of the engine, which a player's name can set: `engine(name=value):COMMAND`.
    pub options: Vec<EngineOption>,
}

/// An option of an engine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(default)]
pub struct EngineOption {
    pub name: String,
    pub kind: EngineOptionKind,
    /// The value of the option if it is not set.
    pub default: Value,
}

/// The kind of an engine option's values.
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
#[serde(rename = "EngineErrorKind")]
pub enum EngineReportedErrorKind {
    /// The failure is transient: the request may succeed if it is repeated.
    Transient,
    /// A failure outside the engine.
    Infrastructure,
    /// The engine's model refuses to answer.
    ModelRefusal,
    /// A bug in the engine.
    Bug,
}
