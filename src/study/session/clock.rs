//! The clock of a session: time by the wall, time since it began, and the time in which somebody was there.

use std::time::{Duration, Instant, SystemTime};

use debate_lab::record::utc;

/// When something happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticks {
    /// In UTC, RFC 3339. It may go back: clocks are set.
    pub wall: String,
    /// Milliseconds since the session began, the time between two parts of it left out. Never goes
    /// back.
    pub mono_ms: u64,
    /// Of these, milliseconds in which no more than the idle limit lay between two keys. None where nobody could tell,
    /// as in a browser without a script, and from then on.
    pub active_ms: Option<u64>,
}

/// The clock of a session.
#[derive(Clone, Debug)]
pub struct Clock {
    /// The times on the clock when this part of the session began.
    before: (u64, Option<u64>),
    began: Instant,
    /// The last key, and the active time up to it, in this part.
    last: Duration,
    active: Duration,
    idle: Duration,
}

impl Clock {
    /// A clock that goes on from what an earlier part of the session has counted.
    pub fn new(mono_ms: u64, active_ms: Option<u64>, idle_s: u32) -> Self {
        Self {
            before: (mono_ms, active_ms),
            began: Instant::now(),
            last: Duration::ZERO,
            active: Duration::ZERO,
            idle: Duration::from_secs(idle_s.into()),
        }
    }

    /// Somebody is there: a key was pressed. The time since the last one counts where it is no longer
    /// than the idle limit, else the limit.
    pub fn touch(&mut self) {
        self.touch_at(self.began.elapsed());
    }

    fn touch_at(&mut self, now: Duration) {
        let gap = now.saturating_sub(self.last);
        self.active += gap.min(self.idle);
        self.last = self.last.max(now);
    }

    /// The times of now by what a browser counted since the last answer: no more than has passed is believed. None where
    /// it did not count.
    pub fn counted(&mut self, active: Option<Duration>) -> Ticks {
        let now = self.began.elapsed();
        match active {
            Some(active) => self.active += active.min(now.saturating_sub(self.last)),
            None => self.before.1 = None,
        }
        self.last = now;
        self.ticks(now, SystemTime::now())
    }

    /// The times of now, where nobody does anything.
    pub fn at(&self) -> Ticks {
        self.ticks(self.began.elapsed(), SystemTime::now())
    }

    /// The times of now.
    pub fn now(&mut self) -> Ticks {
        self.touch();
        self.ticks(self.last, SystemTime::now())
    }

    fn ticks(&self, at: Duration, wall: SystemTime) -> Ticks {
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Ticks {
            wall: utc(wall),
            mono_ms: self.before.0 + ms(at),
            active_ms: self.before.1.map(|before| before + ms(self.active)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idling_is_no_active_time_and_a_clock_that_is_set_back_moves_nothing() {
        let mut clock = Clock::new(5_000, Some(2_000), 60);
        clock.touch_at(Duration::from_secs(10));
        clock.touch_at(Duration::from_secs(10 + 3600));
        clock.touch_at(Duration::from_secs(10 + 3605));
        let later = SystemTime::UNIX_EPOCH + Duration::from_secs(9_000);
        let one = clock.ticks(clock.last, later);
        assert_eq!((one.mono_ms, one.active_ms), (3_620_000, Some(77_000)));
        clock.touch_at(Duration::from_secs(10 + 3606));
        let other = clock.ticks(clock.last, SystemTime::UNIX_EPOCH);
        assert_eq!(other.wall, "1970-01-01T00:00:00Z");
        assert_eq!((other.mono_ms, other.active_ms), (3_621_000, Some(78_000)));
        // A browser is believed no more than the time that has passed, and what is not counted once stays unknown.
        let counted = clock.counted(Some(Duration::from_secs(3600))).active_ms;
        assert!((78_000..=82_000).contains(&counted.unwrap()), "{counted:?}");
        assert_eq!(clock.counted(None).active_ms, None);
        assert_eq!(clock.counted(Some(Duration::ZERO)).active_ms, None);
    }
}
