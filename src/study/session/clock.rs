//! The clock of a session: wall-clock time, session time and active time.

use std::time::{Duration, Instant};

use debate_host::record::TimeSource;

/// The times of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionClockReading {
    /// Wall-clock time of the event in UTC, RFC 3339. Can decrease if the clock is set back.
    pub wall: String,
    /// Session time: milliseconds since the session began, without the time between an interruption and its resumption.
    /// Never decreases.
    pub mono_ms: u64,
    /// Active time in milliseconds: of each gap between two key presses, at most the idle limit counts. `None` if
    /// unknown, for example in a browser without a script, and in every later event of the session.
    pub active_ms: Option<u64>,
}

/// The clock of a session.
#[derive(Clone, Debug)]
pub struct SessionClock {
    time: TimeSource,
    /// The session time and the active time that were already counted when the session was started or last resumed, in
    /// milliseconds.
    before: (u64, Option<u64>),
    began: Instant,
    /// The time for which the current page had been shown before the session was last resumed, unless `before` already
    /// contains it.
    earlier: Duration,
    /// Time of the last key press or counted answer, as [`Self::elapsed`] counts time. `active` is the active time up
    /// to this time since the session was started or last resumed; `before` has the earlier active time.
    last: Duration,
    active: Duration,
    idle: Duration,
}

impl SessionClock {
    /// Creates a clock that continues from the session time and active time before the session was resumed.
    pub fn new(time: &TimeSource, mono_ms: u64, active_ms: Option<u64>, idle_s: u32) -> Self {
        Self {
            before: (mono_ms, active_ms),
            began: time.monotonic_now(),
            earlier: Duration::ZERO,
            time: time.clone(),
            last: Duration::ZERO,
            active: Duration::ZERO,
            idle: Duration::from_secs(idle_s.into()),
        }
    }

    /// Returns the clock with the time for which the current page had been shown before the session was resumed. A
    /// browser may have counted it as active time.
    #[must_use]
    pub(crate) fn with_earlier_page_time(self, earlier: Duration) -> Self {
        Self { earlier, ..self }
    }

    /// Records a key press. The time since the previous key press counts as active, up to the idle limit.
    pub fn record_key_press(&mut self) {
        let now = self.elapsed();
        let gap = now.saturating_sub(self.last);
        self.active += gap.min(self.idle);
        self.last = self.last.max(now);
    }

    /// Returns the time since the session was started or resumed, plus the time for which its page had been shown
    /// before.
    fn elapsed(&self) -> Duration {
        self.earlier
            + self
                .time
                .monotonic_now()
                .saturating_duration_since(self.began)
    }

    /// Adds the active time that the browser counted since the last answer, and returns the current times of the
    /// session. Adds at most the elapsed time. If `active` is `None`, the session's active time is unknown from now on.
    pub fn add_browser_active_time(&mut self, active: Option<Duration>) -> SessionClockReading {
        let now = self.elapsed();
        match active {
            Some(active) => self.active += active.min(now.saturating_sub(self.last)),
            None => self.before.1 = None,
        }
        self.last = now;
        self.ticks(now)
    }

    /// Returns the current times of the session, without recording a key press.
    pub fn current_times(&self) -> SessionClockReading {
        self.ticks(self.elapsed())
    }

    /// Records a key press and returns the current times of the session.
    pub fn record_key_press_times(&mut self) -> SessionClockReading {
        self.record_key_press();
        self.ticks(self.last)
    }

    fn ticks(&self, at: Duration) -> SessionClockReading {
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        SessionClockReading {
            wall: self.time.utc_now(),
            mono_ms: self.before.0.saturating_add(ms(at)),
            active_ms: self.before.1.map(|before| before + ms(self.active)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    #[test]
    fn idle_time_is_not_active() {
        let time = TimeSource::manual_clock();
        let mut clock = SessionClock::new(&time, 5_000, Some(2_000), 60);
        for seconds in [10, 3600, 5] {
            time.advance_both_clocks(Duration::from_secs(seconds));
            clock.record_key_press();
        }
        let now = clock.record_key_press_times();
        assert_eq!((now.mono_ms, now.active_ms), (3_620_000, Some(77_000)));
        assert_eq!(now.wall, "2026-01-01T01:00:15Z");
        // The wall clock is set back. The other times do not depend on it.
        time.set_wall_clock(UNIX_EPOCH);
        time.advance_both_clocks(Duration::from_secs(1));
        let now = clock.record_key_press_times();
        assert_eq!((now.mono_ms, now.active_ms), (3_621_000, Some(78_000)));
        assert_eq!(now.wall, "1970-01-01T00:00:01Z");
    }

    #[test]
    fn time_in_an_earlier_part_is_elapsed_and_a_browser_may_have_counted_it() {
        let time = TimeSource::manual_clock();
        let earlier = Duration::from_secs(40);
        let mut clock =
            SessionClock::new(&time, 1_000, Some(500), 60).with_earlier_page_time(earlier);
        assert_eq!(clock.current_times().mono_ms, 41_000);
        time.advance_both_clocks(Duration::from_secs(1));
        let now = clock.add_browser_active_time(Some(Duration::from_secs(100)));
        assert_eq!((now.mono_ms, now.active_ms), (42_000, Some(41_500)));
    }

    #[test]
    fn a_browser_counts_at_most_the_time_that_has_passed() {
        let time = TimeSource::manual_clock();
        let mut clock = SessionClock::new(&time, 0, Some(0), 60);
        let hour = Duration::from_secs(3600);
        let mut counted = |active| {
            time.advance_both_clocks(Duration::from_secs(3));
            clock.add_browser_active_time(active).active_ms
        };
        assert_eq!(counted(Some(Duration::from_secs(1))), Some(1_000));
        assert_eq!(counted(Some(hour)), Some(4_000));
        // The active time is unknown from the first answer without a count.
        assert_eq!(counted(None), None);
        assert_eq!(counted(Some(hour)), None);
    }
}
