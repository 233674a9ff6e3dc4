//! Engines: programs that this program starts to play seats. Processes, deadlines, faults.
//!
//! Entry points: [`EngineProcess::start`] runs a command, and [`SeatedEngines::play`] asks an engine for its move in a
//! debate. The module [`crate::message`] defines the messages. An engine is not a policy: the owner of the debate asks
//! it once, and then makes its move. An [`EnginePool`] has processes that play in many debates.
//!
//! On Unix, an engine runs in a separate process group, which is killed with it. Lines, queues and times are limited
//! ([`EngineWaitAndRetryLimits`]). The engine's stderr is copied to the log.

mod meter;
mod model;
mod options;
mod pipes;
mod process;
mod seat;
#[cfg(all(test, unix))]
mod tests;

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::message::ForfeitReason;
use crate::record::{Forfeit, ReplyCost, ReplyMeta};
use debate_core::protocol::Seat;

pub use meter::SharedCostMeterWithCaps;
pub use model::{
    ConfiguredLanguageModel, HttpRecording, ModelAddress, ModelApi, ModelPlayerProgram,
    ModelProgramAndNamedModels, options_of_every_model_player, parse_extra_request_fields,
};
pub use process::{EnginePool, EngineProcess, kill_engine_process_groups};
pub(crate) use seat::shortened_for_save;
pub use seat::{
    DebateFactsForEngines, EngineSeat, EngineThinkingOrFailedAttempt, NoEngineMoveReason,
    SeatedEngines,
};

/// The limits of an engine: waiting times, and numbers of repeated requests after failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineWaitAndRetryLimits {
    /// Maximum time from the start of the engine's process to its `hello`.
    pub hello: Duration,
    /// The engine's time limit for a reply, measured from the request or from its last `info` message. A pause before a
    /// request is repeated after a transient failure is at most this long, and at most one minute.
    pub reply: Duration,
    /// Maximum time from the first request of a turn to the reply, including repeated requests and pauses, and
    /// regardless of `info` messages.
    pub stall: Duration,
    /// Maximum time from `bye` to the end of the engine's process.
    pub quit: Duration,
    /// Maximum number of illegal or unreadable replies to one request after which the engine is asked again.
    pub retries: u32,
    /// Maximum number of transient failures of one request after which the engine is asked again. Also the maximum
    /// number of new processes for one request if processes end during other debates.
    pub patience: u32,
}

impl Default for EngineWaitAndRetryLimits {
    fn default() -> Self {
        Self {
            hello: Duration::from_secs(30),
            reply: Duration::from_secs(600),
            stall: Duration::from_secs(6000),
            quit: Duration::from_millis(750),
            retries: 2,
            patience: 5,
        }
    }
}

/// Locks a mutex, even if a thread panicked while it held the lock.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A fault of an engine, or an outage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EngineFault {
    /// The engine's replies were illegal or unreadable until no retry was left.
    Illegal,
    /// The engine sent no message in time.
    Timeout,
    /// The engine kept sending `info` messages and never replied in the total time.
    Stall,
    /// The engine's process ended while a reply was pending.
    Crash,
    /// The engine wrote lines that are not messages until no retry was left.
    BadJson,
    /// The engine reports a bug in itself.
    Bug,
    /// The engine's model refuses to answer.
    ModelRefusal,
    /// The engine did not start, or a failure outside the engine lasted too long.
    Infrastructure,
}

impl EngineFault {
    /// Returns the short name of the engine's fault, such as `timeout`, that saves and messages contain.
    pub fn engine_fault_name(self) -> &'static str {
        match self {
            Self::Illegal => "illegal",
            Self::Timeout => "timeout",
            Self::Stall => "stall",
            Self::Crash => "crash",
            Self::BadJson => "bad_json",
            Self::Bug => "bug",
            Self::ModelRefusal => "model_refusal",
            Self::Infrastructure => "infrastructure",
        }
    }

    /// True if the fault of the engine makes its seat lose the debate. After an outage the debate stays unfinished.
    pub fn causes_forfeit(self) -> bool {
        self != Self::Infrastructure
    }

    /// True if the engine's process must not be used for another debate after this fault.
    fn spoils(self) -> bool {
        matches!(
            self,
            Self::Timeout | Self::Stall | Self::Crash | Self::BadJson
        )
    }
}

impl From<ForfeitReason> for EngineFault {
    fn from(fault: ForfeitReason) -> Self {
        match fault {
            ForfeitReason::Illegal => Self::Illegal,
            ForfeitReason::Timeout => Self::Timeout,
            ForfeitReason::ModelRefusal => Self::ModelRefusal,
            ForfeitReason::Bug => Self::Bug,
        }
    }
}

impl fmt::Display for EngineFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.engine_fault_name())
    }
}

/// A failure because of which an engine made no move: its seat, the kind of fault, the cause and the cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineFailure {
    pub seat: Seat,
    pub fault: EngineFault,
    /// The cause of the engine's failure, worded as the end of a sentence.
    pub why: String,
    /// The cost of the engine's message that reported the fault, if it states one.
    pub cost: Option<Box<ReplyCost>>,
}

impl EngineFailure {
    /// Creates a failure without a cost.
    pub fn new(seat: Seat, fault: EngineFault, why: impl Into<String>) -> Self {
        Self {
            seat,
            fault,
            why: why.into(),
            cost: None,
        }
    }

    /// Returns the metadata that the save's line about the fault contains, such as the cost.
    pub(crate) fn fault_metadata_for_save_line(&self) -> ReplyMeta {
        ReplyMeta {
            cost: self.cost.as_deref().cloned(),
            ..ReplyMeta::default()
        }
    }

    /// Returns the forfeit by which the engine's fault ends the debate.
    pub fn as_forfeit(&self) -> Forfeit {
        Forfeit {
            seat: self.seat.name_in_flags_and_json(),
            fault: self.fault.engine_fault_name().to_owned(),
        }
    }
}

impl fmt::Display for EngineFailure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            seat, fault, why, ..
        } = self;
        write!(out, "the engine of the {seat} failed ({fault}): {why}")?;
        if fault.causes_forfeit() {
            write!(out, "; the {seat} forfeits the debate")
        } else {
            out.write_str("; no side loses, and the debate can be resumed")
        }
    }
}
