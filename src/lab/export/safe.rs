//! Texts of other people, made safe for each language they are written into.

use std::fmt::{Display, Write as _};

use serde::Serialize;
use serde_json::{Map, Value};

use debate_core::text::{has_unsafe, is_unsafe, safe, safe_multiline};

/// A text within markup or within an attribute's quotation marks. Line feeds stay.
pub fn markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in safe_multiline(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // No document may hold these two, escaped or not.
            '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}

/// JSON within a page: escaped so that nothing in it ends the `<script>` element.
pub(super) fn json_in_page(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\u{FFFE}' | '\u{FFFF}' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// JSON in which every character that a terminal would obey is escaped; the same text reads back.
pub(crate) fn json_text(plain: String) -> String {
    if !has_unsafe(&plain) {
        return plain;
    }
    let mut out = String::with_capacity(plain.len());
    for c in plain.chars() {
        if is_unsafe(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// An object as text, some members of which are text already: a long debate has a million events,
/// of which none but the one that is being written need stand as values.
///
/// # Errors
/// The document is no JSON object.
pub(super) fn object_with(
    document: &impl Serialize,
    written: &[(&str, &str)],
) -> Result<String, serde_json::Error> {
    let fields = serde_json::to_value(document)?;
    let mut fields: Map<String, Value> = serde_json::from_value(fields)?;
    let mut room = 4096;
    for (name, text) in written {
        fields.insert((*name).to_owned(), Value::Null);
        room += text.len();
    }
    let mut out = String::with_capacity(room);
    for (field, value) in &fields {
        out.push(if out.is_empty() { '{' } else { ',' });
        // Writing to a string cannot fail.
        let _ = write!(out, "{}:", Value::from(field.as_str()));
        match written.iter().find(|(name, _)| field == name) {
            Some((_, text)) => out.push_str(text),
            None => {
                let _ = write!(out, "{value}");
            }
        }
    }
    out.push('}');
    Ok(out)
}

/// A JSON list, written value by value.
pub(super) struct JsonList(String);

impl JsonList {
    pub(super) fn new() -> Self {
        Self("[".to_owned())
    }

    pub(super) fn push(&mut self, value: &impl Display) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        let _ = write!(self.0, "{value}");
    }

    pub(super) fn written(mut self) -> String {
        self.0.push(']');
        self.0
    }
}

/// A text within a line of Markdown, in which no character means anything but itself.
pub(super) fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in safe(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '$' | '!' => {
                out.push('\\');
                out.push(c);
            }
            '@' => out.push_str("&#64;"),
            c => out.push(c),
        }
    }
    // Addresses are no links.
    out.replace("://", "&#58;//").replace("www.", "www&#46;")
}

/// The same where the text begins a line: it begins no list and no heading.
pub(super) fn markdown_line(text: &str) -> String {
    let mut out = markdown(text.trim_start());
    let digits = out.chars().take_while(char::is_ascii_digit).count();
    let mut rest = out.chars().skip(digits);
    let place = match (digits, rest.next(), rest.next()) {
        (0, Some('-' | '+' | '='), _) => 0,
        (1.., Some('.' | ')'), None | Some(' ')) => digits,
        _ => return out,
    };
    out.insert(place, '\\');
    out
}

/// A text within quotation marks in the language of Graphviz.
pub(super) fn dot(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in safe_multiline(text).chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            // Graphviz reads entities.
            '&' => out.push_str("&amp;"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
