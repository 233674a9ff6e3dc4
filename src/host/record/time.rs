//! The system's clocks, or a manual time for tests.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::format_utc;

/// A source of the time. Clones of a manual source share its time.
#[derive(Clone, Debug, Default)]
pub enum TimeSource {
    /// The clocks of the system.
    #[default]
    System,
    /// A time that changes only when it is set.
    Manual(Arc<Mutex<ManualTime>>),
}

/// The current time of a manual source.
#[derive(Debug)]
pub struct ManualTime {
    instant: Instant,
    wall: SystemTime,
}

impl TimeSource {
    /// Creates a source of the time for tests. Its clocks start on 1 January 2026 and change only when they are set.
    pub fn manual_clock() -> Self {
        Self::Manual(Arc::new(Mutex::new(ManualTime {
            instant: Instant::now(),
            wall: UNIX_EPOCH + Duration::from_secs(1_767_225_600),
        })))
    }

    /// Returns the time of a monotonic clock. Only differences have a meaning.
    pub fn monotonic_now(&self) -> Instant {
        match self {
            Self::System => Instant::now(),
            Self::Manual(time) => locked(time).instant,
        }
    }

    /// Returns the time of the wall clock. A later call may return an earlier time, because clocks are adjusted.
    pub fn wall_clock_now(&self) -> SystemTime {
        match self {
            Self::System => SystemTime::now(),
            Self::Manual(time) => locked(time).wall,
        }
    }

    /// Returns the time of the wall clock in UTC, as RFC 3339.
    pub fn utc_now(&self) -> String {
        format_utc(self.wall_clock_now())
    }

    /// Sets the wall clock of a manual source. The clock of the system is not changed.
    pub fn set_wall_clock(&self, wall: SystemTime) {
        if let Self::Manual(time) = self {
            locked(time).wall = wall;
        }
    }

    /// Moves both clocks of a manual source forward. The clocks of the system are not changed.
    pub fn advance_both_clocks(&self, by: Duration) {
        if let Self::Manual(time) = self {
            let mut time = locked(time);
            time.instant += by;
            time.wall += by;
        }
    }
}

fn locked(time: &Mutex<ManualTime>) -> MutexGuard<'_, ManualTime> {
    time.lock().unwrap_or_else(PoisonError::into_inner)
}
