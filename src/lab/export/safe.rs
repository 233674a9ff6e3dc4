//! Escapes untrusted texts for HTML, JSON in pages, Markdown and Graphviz, and writes JSON to streams.

use std::fmt::Write as _;
use std::io;

use serde::Serialize;
use serde_json::{Map, Value};

use super::Result;
use debate_core::text::{replace_unsafe_characters, replace_unsafe_multiline};
use debate_host::message::escape_json_controls;

/// Escapes a text for HTML or SVG, as content or attribute value. Line feeds are unchanged.
pub fn escape_html_or_svg(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in replace_unsafe_multiline(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // No document may contain these two characters, escaped or not.
            '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}

/// Escapes JSON text for a `<script>` element of a page, so that the text cannot end this element.
pub(super) fn escape_json_for_page(json: &str) -> String {
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

/// Writes a JSON object to a stream, its fields in alphabetical order. Calls `write_field` with each field's name,
/// which may write the field's value. If `write_field` returns false, writes the value from `document`.
///
/// # Errors
/// If the document is not a JSON object, or the stream fails.
pub(super) fn write_object(
    out: &mut dyn io::Write,
    document: &impl Serialize,
    mut write_field: impl FnMut(&str, &mut dyn io::Write) -> Result<bool>,
) -> Result<()> {
    let fields = serde_json::to_value(document)?;
    let fields: Map<String, Value> = serde_json::from_value(fields)?;
    let mut separator = '{';
    for (field, value) in &fields {
        let name = escape_json_controls(Value::from(field.as_str()).to_string());
        write!(out, "{separator}{name}:")?;
        separator = ',';
        if !write_field(field, out)? {
            out.write_all(escape_json_controls(value.to_string()).as_bytes())?;
        }
    }
    let rest = if fields.is_empty() { "{}" } else { "}" };
    Ok(out.write_all(rest.as_bytes())?)
}

/// Writes a JSON list to a stream, one value at a time.
pub(super) struct JsonListWriter<'w> {
    out: &'w mut dyn io::Write,
    separator: &'static str,
}

impl<'w> JsonListWriter<'w> {
    pub(super) fn new(out: &'w mut dyn io::Write) -> Self {
        let separator = "[";
        Self { out, separator }
    }

    /// Writes the next value.
    ///
    /// # Errors
    /// If it cannot be written as JSON, or the stream fails.
    pub(super) fn push(&mut self, value: &impl Serialize) -> Result<()> {
        let text = escape_json_controls(serde_json::to_value(value)?.to_string());
        write!(self.out, "{}{text}", self.separator)?;
        self.separator = ",";
        Ok(())
    }

    /// Writes the closing bracket of the JSON list.
    ///
    /// # Errors
    /// If the stream fails.
    pub(super) fn write_list_end(self) -> Result<()> {
        let rest = if self.separator == "[" { "[]" } else { "]" };
        Ok(self.out.write_all(rest.as_bytes())?)
    }
}

/// Escapes a text for a line of Markdown, so that every character is literal.
pub(super) fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in replace_unsafe_characters(text).chars() {
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
    // Prevents automatic links for addresses.
    out.replace("://", "&#58;//").replace("www.", "www&#46;")
}

/// Escapes a text at the start of a Markdown line, so that it cannot begin a list or a heading.
pub(super) fn escape_markdown_line(text: &str) -> String {
    let mut out = escape_markdown(text.trim_start());
    let digits = out.chars().take_while(char::is_ascii_digit).count();
    let mut rest = out.chars().skip(digits);
    let index = match (digits, rest.next(), rest.next()) {
        (0, Some('-' | '+' | '='), _) => 0,
        (1.., Some('.' | ')'), None | Some(' ')) => digits,
        _ => return out,
    };
    out.insert(index, '\\');
    out
}

/// Quotes a text as a string of the Graphviz language.
pub(super) fn quote_for_graphviz(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in replace_unsafe_multiline(text).chars() {
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
