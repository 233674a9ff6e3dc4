//! The notation of saves: texts, times, structs with arbitrary field names, and limits.
//!
//! Lines are formatted by hand. Their bytes must be stable, because the hash chain covers them, and another version of
//! `ron` may write the same value differently.

mod plain;

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use humantime::{format_rfc3339_seconds, parse_rfc3339};
use ron::extensions::Extensions;
use ron::value::RawValue;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, Visitor};

use debate_core::text::escaped_and_shortened;
use debate_core::text::is_unsafe_character;

/// Maximum nesting of brackets. The parser counts a bracket and its content separately.
const MAX_NESTING: usize = 64;

/// Maximum number of fields of a struct.
const MAX_FIELDS: usize = 100;

/// Returns a text as a string literal of RON, on one line. Characters that could control a terminal are escaped.
pub fn ron_string_literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_unsafe_character(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Formats fields of a save's line as they appear in brackets: `calls: 1, usd: "0.1"`.
pub(super) fn ron_fields<'n>(fields: impl IntoIterator<Item = (&'n str, String)>) -> String {
    let written = fields
        .into_iter()
        .map(|(name, value)| format!("{name}: {value}"));
    written.collect::<Vec<_>>().join(", ")
}

/// Returns the nonzero amounts as fields of a save's line, each with its value as text.
pub(super) fn amounts<const COUNT: usize>(
    amounts: [(&'static str, u64); COUNT],
) -> impl Iterator<Item = (&'static str, String)> {
    let some = amounts.into_iter().filter(|(_, amount)| *amount > 0);
    some.map(|(name, amount)| (name, amount.to_string()))
}

/// Returns the RON notation of a map from texts to texts.
pub(super) fn ron_text_map(texts: &BTreeMap<String, String>) -> String {
    let pairs = texts.iter().map(|(name, value)| {
        format!(
            "{}: {}",
            ron_string_literal(name),
            ron_string_literal(value)
        )
    });
    format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
}

/// Returns the beginning of some bytes as text for an error message, shortened and with special characters escaped.
pub(super) fn excerpt_for_error(bytes: &[u8]) -> String {
    const SHOWN: usize = 160;
    // A character has at most four bytes.
    let start = bytes.get(..=4 * SHOWN).unwrap_or(bytes);
    escaped_and_shortened(String::from_utf8_lossy(start).trim(), SHOWN)
}

pub(super) fn ron_options() -> ron::Options {
    ron::Options::default()
        .with_recursion_limit(MAX_NESTING)
        .with_default_extension(Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES)
}

/// A mistake in the text of a save, with its line number in the parsed text, from 1. The number is 1 if the line is not
/// known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SaveTextMistake {
    pub(super) line: usize,
    pub(super) what: String,
}

impl From<ron::error::SpannedError> for SaveTextMistake {
    fn from(error: ron::error::SpannedError) -> Self {
        Self {
            line: error.span.end.line,
            what: excerpt_for_error(error.code.to_string().as_bytes()),
        }
    }
}

impl From<String> for SaveTextMistake {
    fn from(what: String) -> Self {
        let what = excerpt_for_error(what.as_bytes());
        Self { line: 1, what }
    }
}

/// The fields of a struct in file order, each with its value as text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RonStructFields<'t>(Vec<(&'t str, &'t str)>);

impl<'t> RonStructFields<'t> {
    /// Reads `name(field: value, …)`; the name is optional. A repeated field is an error.
    pub(super) fn read_struct_fields(
        name: &'static str,
        text: &'t str,
    ) -> Result<Self, SaveTextMistake> {
        let fields = match plain::parse_simple_fields(text) {
            Some(fields) => Self(fields),
            None => ron_options().from_str_seed(text, FieldsSeed(name))?,
        };
        if fields.0.len() > MAX_FIELDS {
            return Err(format!("there are more than {MAX_FIELDS} fields").into());
        }
        for (index, (field, _)) in fields.0.iter().enumerate() {
            if fields.0.iter().take(index).any(|(other, _)| other == field) {
                return Err(format!("the field `{field}` is given twice").into());
            }
        }
        Ok(fields)
    }

    /// Returns the value of the struct's field as text; `None` if there is no such field.
    pub(super) fn peek_raw_ron_value(&self, field: &str) -> Option<&'t str> {
        let mut fields = self.0.iter();
        fields.find_map(|(name, raw)| (*name == field).then_some(*raw))
    }

    /// Removes a field from the struct and returns its value as text; `None` if there is no such field.
    pub(super) fn take_field_as_text(&mut self, field: &str) -> Option<&'t str> {
        let index = self.0.iter().position(|(name, _)| *name == field)?;
        Some(self.0.remove(index).1)
    }

    /// Removes an optional field from the struct, and parses its value; `None` if the field is missing.
    pub(super) fn optional<T: DeserializeOwned>(
        &mut self,
        field: &str,
    ) -> Result<Option<T>, SaveTextMistake> {
        let Some(raw) = self.take_field_as_text(field) else {
            return Ok(None);
        };
        match ron_options().from_str(raw) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(format!("`{field}`: {}", SaveTextMistake::from(error).what).into()),
        }
    }

    /// Removes a required field from the struct, and parses its value.
    pub(super) fn required<T: DeserializeOwned>(
        &mut self,
        field: &str,
    ) -> Result<T, SaveTextMistake> {
        self.optional(field)?
            .ok_or_else(|| format!("the field `{field}` is missing").into())
    }

    /// Returns the fields of the struct that were not removed: those that only a later version of the program knows.
    pub(super) fn unknown_fields(self) -> Vec<(String, String)> {
        let owned = |(name, raw): (&str, &str)| (name.to_owned(), raw.to_owned());
        self.0.into_iter().map(owned).collect()
    }
}

struct FieldsSeed(&'static str);

impl<'de> DeserializeSeed<'de> for FieldsSeed {
    type Value = RonStructFields<'de>;

    fn deserialize<D: Deserializer<'de>>(
        self,
        reader: D,
    ) -> Result<RonStructFields<'de>, D::Error> {
        reader.deserialize_struct(self.0, &[], FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = RonStructFields<'de>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("fields in round brackets")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RonStructFields<'de>, A::Error> {
        let mut fields = Vec::new();
        while let Some((name, value)) = map.next_entry::<&str, &RawValue>()? {
            fields.push((name, value.get_ron().trim()));
        }
        Ok(RonStructFields(fields))
    }
}

/// The version of the save format.
pub const FORMAT: u32 = 1;

/// The first line of a save's header.
pub(super) const FIRST_LINE: &str = "Save(";
/// The start of a save's second line, the same in every version of the format.
pub(super) const SECOND_LINE: &str = "    format: ";
/// The line of a save between its header and its events.
pub(super) const EVENTS_LINE: &str = "    events: [";
/// The start of the line that ends a finished save.
pub(super) const END_LINE: &str = "    ], ";

/// Maximum size of a save, in bytes.
pub const MAX_SAVE: u64 = 128 << 20;
/// Maximum size of the line of an event, in bytes.
pub const MAX_LINE: usize = 1 << 20;

/// Largest number that a save's line may contain as a time in milliseconds or an amount. The limit keeps sums from
/// overflowing.
pub(super) const MAX_AMOUNT: u64 = 1 << 40;

/// The last second that a save can state, the end of the year 9999, in seconds since 1970.
const LAST: u64 = 253_402_300_799;

/// Formats a time in UTC as RFC 3339, to the second: `2026-11-21T09:14:03Z`. Times before 1970 or after the year 9999
/// are moved to the nearest limit, because a file can have any time.
pub fn format_utc(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    format_rfc3339_seconds(UNIX_EPOCH + since.min(Duration::from_secs(LAST))).to_string()
}

/// Adds a duration to a time of a save, to the second. `None` if the text is not a time, or if the result is after the
/// year 9999.
pub fn saved_time_plus_duration(started: &str, passed: Duration) -> Option<String> {
    let since = parse_rfc3339(started)
        .ok()?
        .duration_since(UNIX_EPOCH)
        .ok()?
        .checked_add(passed)?;
    (since.as_secs() <= LAST).then(|| format_utc(UNIX_EPOCH + since))
}

/// Formats a time in UTC for a file name: `20261121-091403`.
pub(super) fn time_for_file_name(time: SystemTime) -> String {
    let kept = |c: &char| c.is_ascii_digit() || *c == 'T';
    format_utc(time)
        .chars()
        .filter(kept)
        .collect::<String>()
        .replace('T', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_read_back_from_one_line_of_plain_characters() {
        for text in [
            "",
            "a \"b\" \\c",
            "line\nline\r\n\t.",
            "é 👩\u{200d}💻",
            "\u{0}\u{1b}[2J\u{202e}\u{9b}\u{2028}",
        ] {
            let written = ron_string_literal(text);
            assert!(!written.chars().any(is_unsafe_character), "{written}");
            let mut fields = RonStructFields::default();
            fields.0.push(("t", &written));
            assert_eq!(fields.required::<String>("t").as_deref(), Ok(text));
        }
    }

    #[test]
    fn fields_of_any_name_are_preserved() {
        let mut fields = RonStructFields::read_struct_fields(
            "Save",
            "Save(a: 1, new: { \"x\" : [Some( 2)] }, b: \"t\",)",
        )
        .unwrap();
        assert_eq!(fields.required::<u32>("a"), Ok(1));
        assert_eq!(fields.optional::<String>("b"), Ok(Some("t".to_owned())));
        assert_eq!(fields.optional::<String>("c"), Ok(None));
        assert_eq!(
            fields.unknown_fields(),
            [("new".to_owned(), "{ \"x\" : [Some( 2)] }".to_owned())]
        );
        assert!(RonStructFields::read_struct_fields("Save", "(a: 1, a: 1)").is_err());
        assert!(RonStructFields::read_struct_fields("Save", "Load(a: 1)").is_err());
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = format!("(a: {}{})", "[".repeat(100_000), "]".repeat(100_000));
        assert!(RonStructFields::read_struct_fields("Save", &deep).is_err());
    }
}

#[cfg(test)]
mod clock_tests {
    use super::*;

    #[test]
    fn known_times_are_formatted_correctly() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_735_689_600, "2025-01-01T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(format_utc(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
        assert_eq!(
            format_utc(UNIX_EPOCH - Duration::from_secs(1)),
            "1970-01-01T00:00:00Z"
        );
        assert_eq!(
            format_utc(UNIX_EPOCH + Duration::from_secs(LAST + 1)),
            "9999-12-31T23:59:59Z"
        );
        assert_eq!(time_for_file_name(UNIX_EPOCH), "19700101-000000");
    }

    #[test]
    fn times_advance_by_milliseconds() {
        let time_after =
            |started: &str, ms| saved_time_plus_duration(started, Duration::from_millis(ms));
        assert_eq!(
            time_after("2024-02-28T23:59:59Z", 1_500).as_deref(),
            Some("2024-02-29T00:00:00Z")
        );
        assert_eq!(time_after("9999-12-31T23:59:59Z", 1_000), None);
        assert_eq!(time_after("9999-12-31T23:59:59Z", u64::MAX), None);
        assert_eq!(time_after("yesterday", 0), None);
    }
}
