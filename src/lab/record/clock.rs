//! Times as saves write them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use humantime::{format_rfc3339_seconds, parse_rfc3339};

/// The last second that can be written, the end of the year 9999, in seconds since 1970.
const LAST: u64 = 253_402_300_799;

/// A time in UTC as RFC 3339, to the second: `2026-11-21T09:14:03Z`. Times before 1970 count as its
/// start, those after the year 9999 as its end: files may bear any time.
pub fn utc(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    format_rfc3339_seconds(UNIX_EPOCH + since.min(Duration::from_secs(LAST))).to_string()
}

/// A time of a save plus a duration, to the second; `None` where the save holds no such time or
/// the year 9999 is over.
pub fn time_after(started: &str, passed: Duration) -> Option<String> {
    let since = parse_rfc3339(started)
        .ok()?
        .duration_since(UNIX_EPOCH)
        .ok()?;
    let since = since.checked_add(passed)?;
    (since.as_secs() <= LAST).then(|| utc(UNIX_EPOCH + since))
}

/// A time in UTC as it stands in a file's name: `20261121-091403`.
pub(super) fn stamp(time: SystemTime) -> String {
    let kept = |c: &char| c.is_ascii_digit() || *c == 'T';
    utc(time)
        .chars()
        .filter(kept)
        .collect::<String>()
        .replace('T', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_times_are_written_right() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_735_689_600, "2025-01-01T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(utc(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
        assert_eq!(
            utc(UNIX_EPOCH - Duration::from_secs(1)),
            "1970-01-01T00:00:00Z"
        );
        assert_eq!(
            utc(UNIX_EPOCH + Duration::from_secs(LAST + 1)),
            "9999-12-31T23:59:59Z"
        );
        assert_eq!(stamp(UNIX_EPOCH), "19700101-000000");
    }

    #[test]
    fn time_passes() {
        let time_after = |started: &str, ms| time_after(started, Duration::from_millis(ms));
        assert_eq!(
            time_after("2024-02-28T23:59:59Z", 1_500).as_deref(),
            Some("2024-02-29T00:00:00Z")
        );
        assert_eq!(time_after("9999-12-31T23:59:59Z", 1_000), None);
        assert_eq!(time_after("9999-12-31T23:59:59Z", u64::MAX), None);
        assert_eq!(time_after("yesterday", 0), None);
    }
}
