//! Times as saves write them.

use std::time::{SystemTime, UNIX_EPOCH};

/// A time in UTC as RFC 3339, to the second: `2026-11-21T09:14:03Z`.
#[must_use]
pub fn utc(time: SystemTime) -> String {
    let (year, month, day, seconds) = parts(time);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
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

/// Year, month, day and the seconds of the day. Times before 1970 count as its start.
fn parts(time: SystemTime) -> (u64, u64, u64, u64) {
    let seconds = time
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    // Years are counted from March, so that the leap day is a year's last, in eras of 400 years
    // (146,097 days) from the year 0; 1970 starts 719,468 days into them.
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = 400 * era + year_of_era + u64::from(month <= 2);
    (year, month, day, seconds % 86_400)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
        assert_eq!(stamp(UNIX_EPOCH), "19700101-000000");
    }
}
