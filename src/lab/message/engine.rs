//! Messages between this program and an engine, which it starts for a seat.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::server::{ActLine, ReplyLine};
use crate::export::play::PlayReport;

/// A message to an engine, a line each.
#[derive(Clone, Debug, Serialize, JsonSchema)]
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
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
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
    },
    Pong,
}

/// An engine on itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(inline)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(inline)]
pub struct EngineOption {
    pub name: String,
    pub kind: EngineOptionKind,
    /// The value where none is set.
    pub default: Value,
}

/// The values that an option takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EngineOptionKind {
    #[default]
    Text,
    Number,
    /// `true` or `false`.
    Boolean,
}

/// The reason why an engine has no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
