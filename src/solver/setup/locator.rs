//! Finds the line and the column of a value in the text of a scenario file.
//!
//! Parsed values have no positions. If a file has a flaw, [`line_and_column_of_value`] reads the file again along the
//! flaw's path. The position is the start of the value at the end of the path.

use std::borrow::Cow;
use std::fmt;

use debate_core::scenario::{PathSegment, ScenarioValuePath};
use ron::value::RawValue;
use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize as _, Deserializer};

/// Returns the line and the column of the value at `path`, both counted from 1. The column counts characters.
///
/// If the file omits the end of the path, returns the position of the innermost value that exists. If two map
/// entries have the same key, a path that ends at this key leads to the last entry, and a longer path to the first.
/// Returns `None` if the text is not a scenario at all.
///
/// The text is read once to find the part of the path that exists, and a second time if the end of the path does not
/// exist. If a value on the path cannot be parsed, each path segment after this value causes one more reading.
pub(super) fn line_and_column_of_value(
    source: &str,
    path: &ScenarioValuePath,
) -> Option<(usize, usize)> {
    // The added line end closes a comment at the end of the last raw value.
    let text = format!("{source}\n");
    let mut steps = path.segments();
    let value = loop {
        let is_whole = steps.len() == path.segments().len();
        let end = follow(&text, steps, is_whole);
        if let Some(value) = end.and_then(|end| end.value) {
            break value;
        }
        let reached = end.map_or(steps.len().checked_sub(1)?, |end| end.reached);
        steps = steps.get(..reached)?;
    };
    let offset = value.as_ptr().addr() - text.as_ptr().addr();
    Some(line_and_column(source, offset))
}

/// The result of following a path in a scenario's text: the length of the part of the path that exists, and the value
/// at the end.
#[derive(Clone, Copy, Default)]
struct PathEnd<'s> {
    /// The number of the path's segments that exist in the text.
    reached: usize,
    /// The source text of the value, or of the map key, at the end of the path. `None` if a segment does not exist.
    value: Option<&'s str>,
}

/// Parses the text once and follows the path `steps` in it. Returns `None` if the text cannot be parsed.
fn follow<'s>(text: &'s str, steps: &[PathSegment], is_whole: bool) -> Option<PathEnd<'s>> {
    tracing::trace!(
        bytes = text.len(),
        "parsing a scenario's text to locate a value in it"
    );
    let seed = PathReader {
        steps,
        is_whole,
        key: None,
    };
    ron::Options::default().from_str_seed(text, seed).ok()
}

/// Deserialises a value and follows a path into it.
#[derive(Clone, Copy)]
struct PathReader<'p, 's> {
    steps: &'p [PathSegment],
    /// True if `steps` are the last segments of the requested path. False if the path was cut because its end does not
    /// exist.
    is_whole: bool,
    /// The map key of this value. It is the location to report for an entry of a map.
    key: Option<&'s str>,
}

impl<'s> PathReader<'_, 's> {
    /// Counts one more segment of the path as found. `next` is the result of following the path's remaining segments.
    fn after_step(next: PathEnd<'s>) -> PathEnd<'s> {
        PathEnd {
            reached: next.reached + 1,
            ..next
        }
    }

    /// Returns the reader for the value after the next step, whose map key is `key`.
    fn inner(self, key: Option<&'s str>) -> Self {
        Self {
            steps: self.steps.get(1..).unwrap_or_default(),
            key,
            ..self
        }
    }
}

impl<'s> DeserializeSeed<'s> for PathReader<'_, 's> {
    type Value = PathEnd<'s>;

    fn deserialize<D: Deserializer<'s>>(self, from: D) -> Result<Self::Value, D::Error> {
        if !self.steps.is_empty() {
            return from.deserialize_any(self);
        }
        let value = written(<&RawValue>::deserialize(from)?);
        Ok(PathEnd {
            reached: 0,
            value: Some(self.key.unwrap_or(value)),
        })
    }
}

impl<'s> Visitor<'s> for PathReader<'_, 's> {
    type Value = PathEnd<'s>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("fields, entries or items")
    }

    fn visit_some<D: Deserializer<'s>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }

    // No step leads into a value without parts.

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(PathEnd::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(PathEnd::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(PathEnd::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(PathEnd::default())
    }

    fn visit_char<E>(self, _: char) -> Result<Self::Value, E> {
        Ok(PathEnd::default())
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(PathEnd::default())
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(PathEnd::default())
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(PathEnd::default())
    }

    fn visit_map<A: MapAccess<'s>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let is_last = self.steps.len() == 1 && self.is_whole;
        let mut end = None;
        loop {
            let (leads, key) = match self.steps.first() {
                Some(PathSegment::Entry(name)) => {
                    let Some(key) = map.next_key::<&RawValue>()? else {
                        break;
                    };
                    let key = written(key);
                    let is_key = ron::from_str::<String>(key).is_ok_and(|key| key == *name);
                    // At the end of the whole path, the last of several entries with the same key is used.
                    (is_key && (is_last || end.is_none()), Some(key))
                }
                step => {
                    let Some(field) = map.next_key::<&str>()? else {
                        break;
                    };
                    let is_field = matches!(step, Some(PathSegment::Field(name)) if *name == field);
                    (is_field && end.is_none(), None)
                }
            };
            if leads {
                end = Some(Self::after_step(map.next_value_seed(self.inner(key))?));
            } else {
                map.next_value::<&RawValue>()?;
            }
        }
        Ok(end.unwrap_or_default())
    }

    fn visit_seq<A: SeqAccess<'s>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let PathSegment::Item(index) = &self.steps[0] else {
            // The brackets of a variant enclose its content: `Table({…})`.
            let end = list.next_element_seed(self)?;
            let more = list.next_element::<&RawValue>()?.is_some();
            while list.next_element::<&RawValue>()?.is_some() {}
            return Ok(end.filter(|_| !more).unwrap_or_default());
        };
        for _ in 0..*index {
            if list.next_element::<&RawValue>()?.is_none() {
                return Ok(PathEnd::default());
            }
        }
        let end = list.next_element_seed(self.inner(None))?;
        while list.next_element::<&RawValue>()?.is_some() {}
        Ok(end.map(Self::after_step).unwrap_or_default())
    }
}

/// Returns the values around a byte offset, each with its path, from the top-level field to the innermost value. If the
/// offset is between values, the preceding one counts.
///
/// The parser reports an error in a value after reading the value, so the offset may be after it. At each
/// level, this is the last value that starts at or before the offset.
pub(super) fn nested_values_at_or_before(
    source: &str,
    offset: usize,
) -> Vec<(ScenarioValuePath, &str)> {
    let start = |value: &str| value.as_ptr().addr() - source.as_ptr().addr();
    let (mut path, mut value) = (ScenarioValuePath::default(), source);
    let mut values = Vec::new();
    loop {
        let read = Children {
            is_map: value.starts_with('{'),
            is_list: value.starts_with('['),
        };
        let children = ron::Options::default().from_str_seed(value, read);
        let mut children = children.unwrap_or_default().into_iter();
        let Some((segment, raw)) = children.rfind(|(_, raw)| start(raw.get_ron()) <= offset) else {
            return values;
        };
        if let Some(segment) = segment {
            path = path.then_segment(segment);
        }
        value = written(raw);
        values.push((path.clone(), value));
    }
}

/// The parts of a value in the text, each with its path segment. The content of an enum variant has no segment: `None`.
type Parts<'s> = Vec<(Option<PathSegment>, &'s RawValue)>;

/// Deserialises the direct parts of a value as source texts.
struct Children {
    is_map: bool,
    is_list: bool,
}

impl<'s> DeserializeSeed<'s> for Children {
    type Value = Parts<'s>;

    fn deserialize<D: Deserializer<'s>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'s> Visitor<'s> for Children {
    type Value = Parts<'s>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("fields, entries or items")
    }

    fn visit_some<D: Deserializer<'s>>(self, from: D) -> Result<Self::Value, D::Error> {
        Ok(vec![(None, <&RawValue>::deserialize(from)?)])
    }

    fn visit_map<A: MapAccess<'s>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut parts = Vec::new();
        if self.is_map {
            while let Some((key, value)) = map.next_entry::<&RawValue, &RawValue>()? {
                let key = ron::from_str(written(key)).map_err(A::Error::custom)?;
                parts.push((Some(PathSegment::Entry(key)), value));
            }
        } else {
            while let Some((field, value)) = map.next_entry::<&str, &RawValue>()? {
                let field = Cow::Owned(field.to_owned());
                parts.push((Some(PathSegment::Field(field)), value));
            }
        }
        Ok(parts)
    }

    fn visit_seq<A: SeqAccess<'s>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut parts = Vec::new();
        while let Some(value) = list.next_element::<&RawValue>()? {
            parts.push((Some(PathSegment::Item(parts.len())), value));
        }
        // The brackets of a variant enclose its content: `Table({…})`.
        if let ([(segment, _)], false) = (parts.as_mut_slice(), self.is_list) {
            *segment = None;
        }
        Ok(parts)
    }
}

/// Returns the source texts of the named top-level fields; `None` for a field that the text omits. This is faster than
/// parsing the scenario.
pub(super) fn top_level_fields<'s, const N: usize>(
    source: &'s str,
    names: [&str; N],
) -> [Option<&'s str>; N] {
    let parts = ron::Options::default().from_str_seed(source, Fields);
    let parts = parts.unwrap_or_default();
    names.map(|name| Some(parts.iter().find(|(known, _)| *known == name)?.1))
}

/// Deserialises the fields of a struct as pairs of name and source text.
struct Fields;

impl<'s> DeserializeSeed<'s> for Fields {
    type Value = Vec<(&'s str, &'s str)>;

    fn deserialize<D: Deserializer<'s>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'s> Visitor<'s> for Fields {
    type Value = Vec<(&'s str, &'s str)>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("fields")
    }

    fn visit_some<D: Deserializer<'s>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }

    fn visit_map<A: MapAccess<'s>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut parts = Vec::new();
        while let Some(name) = map.next_key()? {
            parts.push((name, written(map.next_value()?)));
        }
        Ok(parts)
    }
}

/// Returns the source text of a value without the comments around it.
fn written(raw: &RawValue) -> &str {
    raw.trim().get_ron()
}

/// Returns the line and the column of a byte offset, both counted from 1.
pub(super) fn line_and_column(source: &str, offset: usize) -> (usize, usize) {
    let before = source.get(..offset).unwrap_or(source);
    let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = 1 + before
        .get(start..)
        .map_or(0, |line_start| line_start.chars().count());
    (line, column)
}

/// Returns the byte offset of a line and a column, both counted from 1.
pub(super) fn byte_offset(source: &str, line: usize, column: usize) -> usize {
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
