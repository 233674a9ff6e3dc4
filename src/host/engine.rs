//! Other programs in the seats, which this program starts: processes, deadlines, faults.
//!
//! Where to start: [`EngineProcess::start`] runs a command; `EngineSeat::play` has it move in a
//! debate. What is said stands in [`crate::message`]. An engine is no policy: it is asked once, by
//! whoever drives the debate, and its moves are followed. An [`EnginePool`] has processes that play in
//! many debates.
//!
//! An engine runs in a process group of its own, which is ended with it. Lines, queues and times are
//! bounded ([`EngineLimits`]); what it writes to stderr goes to the log.

mod meter;
mod options;
mod pipes;
mod process;
mod seat;
#[cfg(all(test, unix))]
mod tests;

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::message::ForfeitFault;
use crate::record::{Cost, Forfeit, ReplyMeta};
use debate_core::protocol::Seat;

pub use meter::CostMeter;
pub use process::{EnginePool, EngineProcess, end_all};
pub(crate) use seat::shortened;
pub use seat::{EngineDebate, EngineNews, EngineSeat, NoMove, SeatedEngines};

/// The limits of an engine: times, and how often it may err.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineLimits {
    /// From its start to its `hello`.
    pub hello: Duration,
    /// From a request, or the last `info`, to the reply; and the most that is waited after a passing failure.
    pub reply: Duration,
    /// From a request to the reply, however often it says `info`.
    pub stall: Duration,
    /// From `bye` to its end.
    pub quit: Duration,
    /// Illegal or unreadable replies to one request that are told back to it.
    pub retries: u32,
    /// Passing failures of one request that are waited out.
    pub patience: u32,
}

impl Default for EngineLimits {
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

/// What a lock holds, whether or not somebody failed while holding it.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A fault of an engine, or an outage that befell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EngineFault {
    /// Its replies broke the rules until no retry was left.
    Illegal,
    /// It said nothing for too long.
    Timeout,
    /// It kept saying that it thinks, and never replied.
    Stall,
    /// It ended while a reply was awaited.
    Crash,
    /// What it wrote was no message, until no retry was left.
    BadJson,
    /// It says that it is in error itself.
    Bug,
    /// Its model refuses to answer.
    ModelRefusal,
    /// It did not start, or something outside of it failed for too long.
    Infrastructure,
}

impl EngineFault {
    /// The fault as saves and messages name it.
    pub fn name(self) -> &'static str {
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

    /// True if the seat loses by it. An outage is nobody's loss: the debate stays unfinished.
    pub fn forfeits(self) -> bool {
        self != Self::Infrastructure
    }

    /// True if the process is not to be trusted with another debate.
    fn spoils(self) -> bool {
        matches!(
            self,
            Self::Timeout | Self::Stall | Self::Crash | Self::BadJson
        )
    }
}

impl From<ForfeitFault> for EngineFault {
    fn from(fault: ForfeitFault) -> Self {
        match fault {
            ForfeitFault::Illegal => Self::Illegal,
            ForfeitFault::Timeout => Self::Timeout,
            ForfeitFault::ModelRefusal => Self::ModelRefusal,
            ForfeitFault::Bug => Self::Bug,
        }
    }
}

impl fmt::Display for EngineFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// The reason why an engine makes no move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineEnding {
    pub seat: Seat,
    pub fault: EngineFault,
    /// The cause, as the end of a sentence.
    pub why: String,
    /// The cost of the message that reported the fault, if it has one.
    pub cost: Option<Box<Cost>>,
}

impl EngineEnding {
    /// A fault that cost nothing.
    pub fn new(seat: Seat, fault: EngineFault, why: impl Into<String>) -> Self {
        Self {
            seat,
            fault,
            why: why.into(),
            cost: None,
        }
    }

    /// The remarks on the line of the fault in a save.
    pub(crate) fn meta(&self) -> ReplyMeta {
        ReplyMeta {
            cost: self.cost.as_deref().cloned(),
            ..ReplyMeta::default()
        }
    }

    /// The fault as the end of a debate.
    pub fn forfeit(&self) -> Forfeit {
        Forfeit {
            seat: self.seat.name(),
            fault: self.fault.name().to_owned(),
        }
    }
}

impl fmt::Display for EngineEnding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            seat, fault, why, ..
        } = self;
        write!(out, "the engine of the {seat} failed ({fault}): {why}")?;
        if fault.forfeits() {
            write!(out, "; the {seat} forfeits the debate")
        } else {
            out.write_str("; nobody loses by it, and the debate can be taken up again")
        }
    }
}
