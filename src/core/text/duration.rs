//! Formats durations for users, in words and in short units, and rounds estimated seconds.

use super::count_with_noun;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;

/// Formats a duration in words, using its two largest units: "40 seconds", "1 minute 30 seconds", "24 hours".
///
/// ```
/// use debate_core::text::duration_in_words;
/// assert_eq!(duration_in_words(40), "40 seconds");
/// assert_eq!(duration_in_words(90), "1 minute 30 seconds");
/// ```
pub fn duration_in_words(seconds: u64) -> String {
    written(seconds, LARGEST_UNITS, unit_in_words)
}

/// Formats a duration with short names of units, using its two largest units: "40 s", "1 min 30 s", "2 h".
///
/// ```
/// assert_eq!(debate_core::text::short_duration_text(5400), "1 h 30 min");
/// ```
pub fn short_duration_text(seconds: u64) -> String {
    written(seconds, LARGEST_UNITS, short_unit)
}

/// Formats a duration in words, without rounding: "1 hour 30 seconds", "1 hour 1 minute 1 second".
///
/// ```
/// assert_eq!(debate_core::text::exact_duration_in_words(3661), "1 hour 1 minute 1 second");
/// ```
pub fn exact_duration_in_words(seconds: u64) -> String {
    written(seconds, ALL_UNITS, unit_in_words)
}

/// Formats a duration with short names of units, without rounding: "1 h 30 s", "1 h 1 min 1 s".
///
/// ```
/// assert_eq!(debate_core::text::exact_duration_in_short_units(3661), "1 h 1 min 1 s");
/// ```
pub fn exact_duration_in_short_units(seconds: u64) -> String {
    written(seconds, ALL_UNITS, short_unit)
}

/// Rounds a measured or estimated number of seconds to a whole one; 0 for a negative number.
pub fn nearest_whole_seconds(seconds: f64) -> u64 {
    // A conversion to an integer saturates, and turns NaN into 0.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the conversion saturates"
    )]
    let whole = seconds.round() as u64;
    whole
}

/// Rounds an estimated number of seconds: to a whole number of minutes if it is at least one minute, else to a whole
/// number.
pub fn round_estimated_seconds(seconds: f64) -> u64 {
    let whole = nearest_whole_seconds(seconds);
    if whole < MINUTE {
        return whole;
    }
    nearest_whole_seconds(seconds / 60.0) * MINUTE
}

#[derive(Clone, Copy)]
enum Unit {
    Hour,
    Minute,
    Second,
}

/// Maximum number of units in the text of a rounded duration, such as "1 h 30 min".
const LARGEST_UNITS: usize = 2;
/// Maximum number of units in the text of an exact duration: hours, minutes and seconds.
const ALL_UNITS: usize = 3;

fn unit_in_words(unit: Unit, count: u64) -> String {
    match unit {
        Unit::Hour => count_with_noun(count, "hour", "hours"),
        Unit::Minute => count_with_noun(count, "minute", "minutes"),
        Unit::Second => count_with_noun(count, "second", "seconds"),
    }
}

fn short_unit(unit: Unit, count: u64) -> String {
    match unit {
        Unit::Hour => format!("{count} h"),
        Unit::Minute => format!("{count} min"),
        Unit::Second => format!("{count} s"),
    }
}

/// Formats a duration with at most `most` units, from its largest one. Smaller units are cut.
fn written(seconds: u64, most: usize, of: fn(Unit, u64) -> String) -> String {
    let units = [
        (Unit::Hour, seconds / HOUR),
        (Unit::Minute, seconds % HOUR / MINUTE),
        (Unit::Second, seconds % MINUTE),
    ];
    let largest = units.iter().position(|(_, count)| *count > 0);
    let Some(largest) = largest else {
        return of(Unit::Second, 0);
    };
    let parts = units.iter().skip(largest).take(most);
    let parts = parts.filter(|(_, count)| *count > 0);
    let parts: Vec<String> = parts.map(|(unit, count)| of(*unit, *count)).collect();
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_name_their_two_largest_units_and_agree_in_number() {
        for (seconds, words, short) in [
            (0, "0 seconds", "0 s"),
            (1, "1 second", "1 s"),
            (40, "40 seconds", "40 s"),
            (60, "1 minute", "1 min"),
            (61, "1 minute 1 second", "1 min 1 s"),
            (300, "5 minutes", "5 min"),
            (3600, "1 hour", "1 h"),
            (3661, "1 hour 1 minute", "1 h 1 min"),
            (3601, "1 hour", "1 h"),
            (86_400, "24 hours", "24 h"),
        ] {
            assert_eq!(duration_in_words(seconds), words);
            assert_eq!(short_duration_text(seconds), short);
        }
    }

    #[test]
    fn exact_durations_are_not_rounded() {
        for seconds in (0..4000).chain([5430, 7199, 86_399, 86_400]) {
            let words = exact_duration_in_words(seconds);
            let short = exact_duration_in_short_units(seconds);
            let sum = |text: &str| {
                let parts: Vec<&str> = text.split(' ').collect();
                let unit = |name: &str| match name {
                    "h" | "hour" | "hours" => HOUR,
                    "min" | "minute" | "minutes" => MINUTE,
                    _ => 1,
                };
                let parts = parts.chunks(2);
                parts
                    .map(|part| part[0].parse::<u64>().unwrap() * unit(part[1]))
                    .sum::<u64>()
            };
            assert_eq!(
                (sum(&words), sum(&short)),
                (seconds, seconds),
                "{words}, {short}"
            );
        }
    }

    #[test]
    fn estimates_are_whole_minutes_from_one_minute_on() {
        for (seconds, whole) in [
            (-1.0, 0),
            (f64::NAN, 0),
            (20.4, 20),
            (61.0, 60),
            (95.0, 120),
        ] {
            assert_eq!(round_estimated_seconds(seconds), whole, "{seconds}");
        }
    }
}
