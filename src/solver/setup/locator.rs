//! Finds the line and column of a value in a scenario file.
//!
//! Parsed values do not know where they stood. Only when something is wrong with a file does [`locate`]
//! read it again along the flaw's path, a slice of the text within a slice: where the last one begins is
//! the place.

use std::fmt;

use debate_core::scenario::{Path, PathSegment};
use ron::value::RawValue;
use serde::Deserializer;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};

/// The line and column of the value at `path`, both from 1, the column in characters.
///
/// Where the path leads to something that the file leaves out, the place of the innermost value
/// that is there. Of two map entries with the same key the last one is meant. `None` where the
/// text is no scenario at all.
pub(super) fn locate(source: &str, path: &Path) -> Option<(usize, usize)> {
    // No raw value ends with a comment whose line is open.
    let text = format!("{source}\n");
    let mut value = ron::from_str::<&RawValue>(&text).ok()?.trim().get_ron();
    let mut place = value;
    let steps = path.steps();
    for (number, step) in steps.iter().enumerate() {
        let Some(next) = part(value, step, number + 1 == steps.len()) else {
            break;
        };
        (place, value) = next;
    }
    let offset = place.as_ptr().addr() - text.as_ptr().addr();
    Some(line_and_column(source, offset))
}

/// The part of a value that a step leads to: from where on it stands, with its key, and itself.
fn part<'s>(value: &'s str, step: &PathSegment, last: bool) -> Option<(&'s str, &'s str)> {
    let has_keys = matches!(step, PathSegment::Entry(_));
    let parts = parts(value, has_keys)?;
    let is_key = |written: &str, key: &str| {
        ron::from_str::<String>(written).is_ok_and(|written| written == key)
    };
    let (key, value) = match (step, &parts[..]) {
        (PathSegment::Item(index), _) => parts.get(*index),
        // The brackets of a variant stand around its content: `Table({…})`.
        (_, [("", content)]) => return part(content, step, last),
        (PathSegment::Field(name), _) => parts.iter().find(|(known, _)| known == name),
        (PathSegment::Entry(key), _) if last => parts.iter().rfind(|(known, _)| is_key(known, key)),
        (PathSegment::Entry(key), _) => parts.iter().find(|(known, _)| is_key(known, key)),
    }?;
    Some((if has_keys { key } else { value }, value))
}

/// The parts of a value as they are written, each with the name of its field or, where the value
/// `has_keys`, its key; `None` of a value that has no parts.
fn parts(value: &str, has_keys: bool) -> Option<Vec<(&str, &str)>> {
    let parts = ron::Options::default().from_str_seed(value, Parts { has_keys });
    parts.ok()
}

/// The values of top-level fields as they are written, each `None` where the text leaves it out: read
/// quicker than the whole scenario.
pub(super) fn fields<'s, const N: usize>(
    source: &'s str,
    names: [&str; N],
) -> [Option<&'s str>; N] {
    let parts = parts(source, false).unwrap_or_default();
    names.map(|name| Some(parts.iter().find(|(known, _)| *known == name)?.1))
}

/// Reads the parts of a value.
struct Parts {
    has_keys: bool,
}

impl<'s> DeserializeSeed<'s> for Parts {
    type Value = Vec<(&'s str, &'s str)>;

    fn deserialize<D: Deserializer<'s>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'s> Visitor<'s> for Parts {
    type Value = Vec<(&'s str, &'s str)>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("fields, entries or items")
    }

    fn visit_some<D: Deserializer<'s>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }

    fn visit_map<A: MapAccess<'s>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut parts = Vec::new();
        loop {
            let name = if self.has_keys {
                map.next_key()?.map(written)
            } else {
                map.next_key()?
            };
            let Some(name) = name else { return Ok(parts) };
            parts.push((name, written(map.next_value()?)));
        }
    }

    fn visit_seq<A: SeqAccess<'s>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut parts = Vec::new();
        while let Some(item) = list.next_element()? {
            parts.push(("", written(item)));
        }
        Ok(parts)
    }
}

/// A value as it is written, without the comments around it.
fn written(raw: &RawValue) -> &str {
    raw.trim().get_ron()
}

/// The line and column of a byte offset, both from 1.
pub(super) fn line_and_column(source: &str, offset: usize) -> (usize, usize) {
    let before = source.get(..offset).unwrap_or(source);
    let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = 1 + before
        .get(start..)
        .map_or(0, |line_start| line_start.chars().count());
    (line, column)
}

/// The byte offset of a line and column, both from 1.
pub(super) fn offset(source: &str, line: usize, column: usize) -> usize {
    let start = source
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum::<usize>();
    let rest = source.get(start..).unwrap_or("");
    let within = rest
        .char_indices()
        .nth(column.saturating_sub(1))
        .map_or(rest.len(), |(index, _)| index);
    start + within
}
