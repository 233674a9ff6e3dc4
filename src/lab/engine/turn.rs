//! A turn of an engine: how often it may still err, and what is heard of it meanwhile.

use std::thread;
use std::time::{Duration, Instant};

use super::{EngineFault, EngineLimits, EngineNews};
use crate::message::EngineErrorKind;

/// The time between two looks at whether a reply is still wanted.
pub(super) const LOOK: Duration = Duration::from_millis(50);
/// The time between two news of its thinking.
pub(super) const INFO_PACE: Duration = Duration::from_millis(100);
/// The first time that is waited after a passing failure, and the longest.
const BACK_OFF: Duration = Duration::from_secs(1);
const MOST_BACK_OFF: Duration = Duration::from_secs(60);
/// The most characters of what an engine says of its thinking, or of a failure.
const MOST_SAID: usize = 300;

pub(super) fn shortened(text: &str) -> String {
    text.chars().take(MOST_SAID).collect()
}

/// A turn of an engine.
pub(super) struct EngineTurn<'n> {
    pub(super) begun: Instant,
    pub(super) retries: u32,
    patience: u32,
    /// The most that is waited after a passing failure, whatever the engine asks for.
    longest_wait: Duration,
    /// True if the first legal reply is refused all the same.
    pub(super) doubts: bool,
    pub(super) stop: &'n dyn Fn() -> bool,
    pub(super) news: &'n mut dyn FnMut(EngineNews),
    pub(super) thoughts: Thoughts,
}

/// What an engine says of its thinking, which it may say without end: the newest is kept.
#[derive(Default)]
pub(super) struct Thoughts {
    newest: Option<String>,
    /// Those before the newest that nobody was told.
    dropped: u64,
    told: Option<Instant>,
}

impl Thoughts {
    pub(super) fn hear(&mut self, text: &str) {
        self.dropped += u64::from(self.newest.is_some());
        self.newest = Some(shortened(text));
    }
}

/// The reason why a request has no reply.
pub(super) enum NoReply {
    Stopped,
    /// It is put again after so long.
    Again(Duration),
    Ended(EngineFault, String),
}

impl NoReply {
    pub(super) fn late(stalled: bool, limits: EngineLimits) -> Self {
        if stalled && limits.stall > limits.reply {
            let why = format!(
                "no reply within {:?}, though it said that it thinks",
                limits.stall
            );
            Self::Ended(EngineFault::Stall, why)
        } else {
            let why = format!("no reply within {:?}", limits.reply);
            Self::Ended(EngineFault::Timeout, why)
        }
    }
}

impl<'n> EngineTurn<'n> {
    pub(super) fn new(
        limits: EngineLimits,
        doubts: bool,
        stop: &'n dyn Fn() -> bool,
        news: &'n mut dyn FnMut(EngineNews),
    ) -> Self {
        Self {
            begun: Instant::now(),
            retries: limits.retries,
            patience: limits.patience,
            longest_wait: limits.reply,
            doubts,
            stop,
            news,
            thoughts: Thoughts::default(),
        }
    }

    pub(super) fn failed(&mut self, fault: &'static str, why: &str) {
        let why = shortened(why);
        (self.news)(EngineNews::Failed { fault, why });
    }

    /// The consequence of an error that it reports.
    pub(super) fn error(
        &mut self,
        kind: EngineErrorKind,
        why: &str,
        after: Option<u64>,
    ) -> NoReply {
        let name = match kind {
            EngineErrorKind::Bug => {
                return NoReply::Ended(EngineFault::Bug, why.to_owned());
            }
            EngineErrorKind::ModelRefusal => {
                return NoReply::Ended(EngineFault::ModelRefusal, why.to_owned());
            }
            EngineErrorKind::Transient => "transient",
            EngineErrorKind::Infrastructure => "infrastructure",
        };
        if self.patience == 0 {
            return NoReply::Ended(EngineFault::Infrastructure, why.to_owned());
        }
        self.failed(name, why);
        self.patience -= 1;
        let pause = after.map_or(BACK_OFF, Duration::from_millis);
        NoReply::Again(pause.min(MOST_BACK_OFF).min(self.longest_wait))
    }

    /// Tells the newest of its thinking, unless something of it was told within this time.
    pub(super) fn tell_thought(&mut self, pace: Duration) {
        let thoughts = &mut self.thoughts;
        if thoughts.told.is_some_and(|last| last.elapsed() < pace) {
            return;
        }
        if let Some(text) = thoughts.newest.take() {
            let dropped = std::mem::take(&mut thoughts.dropped);
            thoughts.told = Some(Instant::now());
            (self.news)(EngineNews::Info { text, dropped });
        }
    }

    /// Waits; says whether a reply is still wanted.
    pub(super) fn wait(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        while Instant::now() < until {
            if (self.stop)() {
                return false;
            }
            thread::sleep(LOOK.min(until.saturating_duration_since(Instant::now())));
        }
        true
    }
}
