//! Other programs in the seats, which this program starts: processes, deadlines, faults.
//!
//! Where to start: [`EngineProcess::start`] runs a command; `EngineSeat::play` has it move in a
//! debate. What is said stands in [`crate::message`]. An engine is no policy: it is asked once, by
//! whoever drives the debate, and its moves are followed. An [`EnginePool`] has processes that play in
//! many debates.
//!
//! An engine runs in a process group of its own, which is ended with it. Lines, queues and times are
//! bounded ([`EngineLimits`]); what it writes to stderr goes to the log.

mod fault;
mod mailbox;
mod options;
mod pipes;
mod process;
mod seat;
#[cfg(all(test, unix))]
mod tests;
mod turn;

use std::time::Duration;

pub use fault::{EngineEnding, EngineFault};
pub use process::{EnginePool, EngineProcess, end_all};
pub use seat::{
    EngineDebate, EngineNews, EngineSeat, SeatedEngines, engine_turn, keep_news, settle,
};

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
