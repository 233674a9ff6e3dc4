//! Times, as people tell them.

use std::time::SystemTime;

use debate_lab::record::utc;

/// The age of a file as people tell it: `12 min ago`; its day (UTC) where
/// that is more than thirty days ago.
pub(super) fn relative_time(time: SystemTime) -> String {
    since(time, SystemTime::now())
}

fn since(time: SystemTime, now: SystemTime) -> String {
    // A clock that was set back makes no time of the future.
    let minutes = now.duration_since(time).unwrap_or_default().as_secs() / 60;
    match minutes {
        0 => "just now".to_owned(),
        1..60 => format!("{minutes} min ago"),
        60..1440 => format!("{} h ago", minutes / 60),
        1440..2880 => "yesterday".to_owned(),
        2880..43_200 => format!("{} days ago", minutes / 1440),
        _ => utc(time).split('T').next().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn times_are_told_as_one_remembers_them() {
        let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
        for (written, now, told) in [
            (0, 59, "just now"),
            (100, 0, "just now"),
            (0, 60, "1 min ago"),
            (0, 3_599, "59 min ago"),
            (0, 3_600, "1 h ago"),
            (0, 86_399, "23 h ago"),
            (0, 86_400, "yesterday"),
            (0, 172_800, "2 days ago"),
            (0, 2_591_999, "29 days ago"),
            (951_782_400, 954_374_400, "2000-02-29"),
        ] {
            assert_eq!(since(at(written), at(now)), told);
        }
    }
}
