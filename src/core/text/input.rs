//! Decodes text files that other programs wrote: handles encoding, byte-order marks, line ends and trailing blanks.
//!
//! Every reader of a text format starts here: [`decode_utf8`] for a document, [`numbered_lines`] and
//! [`numbered_byte_lines`] for formats with one entry a line.

use std::str;

use thiserror::Error;

/// The byte-order mark in UTF-8. Some editors write it at the beginning of a text.
const MARK: &str = "\u{feff}";

/// The reason why bytes are not text in UTF-8.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum TextEncodingError {
    /// The text begins with the byte-order mark of UTF-16.
    #[error("this is UTF-16; save the file as UTF-8")]
    Utf16,
    #[error("the byte at offset {offset} is not UTF-8; save the file as UTF-8")]
    Byte {
        /// The offset, from 0, of the first byte that is not UTF-8, not counting a byte-order mark.
        offset: usize,
        /// The number, from 1, of the line with that byte.
        line: usize,
    },
}

impl TextEncodingError {
    /// Returns the number, from 1, of the line with the first byte that is not UTF-8; 1 for a text in UTF-16.
    pub fn line_of_first_non_utf8_byte(self) -> usize {
        match self {
            Self::Utf16 => 1,
            Self::Byte { line, .. } => line,
        }
    }

    /// Returns the offset, from 0, of the first byte that is not UTF-8, not counting a byte-order mark; 0 for a text in
    /// UTF-16.
    pub fn offset_of_first_error(self) -> usize {
        match self {
            Self::Utf16 => 0,
            Self::Byte { offset, .. } => offset,
        }
    }
}

/// Drops a byte-order mark from the start of a text.
pub fn strip_byte_order_mark(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// Drops a UTF-8 byte-order mark from the start of a file's bytes.
pub fn strip_byte_order_mark_bytes(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(MARK.as_bytes()).unwrap_or(bytes)
}

/// Decodes the bytes of a file as UTF-8 text, without a byte-order mark.
///
/// ```
/// use debate_core::text::decode_utf8;
/// assert_eq!(decode_utf8(b"\xef\xbb\xbfsafe").unwrap(), "safe");
/// assert_eq!(decode_utf8(b"one\ntw\xff").unwrap_err().line_of_first_non_utf8_byte(), 2);
/// ```
///
/// # Errors
/// If the bytes are not UTF-8.
pub fn decode_utf8(bytes: &[u8]) -> Result<&str, TextEncodingError> {
    let text = strip_byte_order_mark_bytes(bytes);
    str::from_utf8(text).map_err(|error| {
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return TextEncodingError::Utf16;
        }
        let offset = error.valid_up_to();
        let before = text.iter().take(offset);
        let line = 1 + before.filter(|byte| **byte == b'\n').count();
        TextEncodingError::Byte { offset, line }
    })
}

/// Returns all lines, also empty ones, with numbers from 1. Line ends, trailing blanks and a byte-order mark at the
/// start of a line are removed.
///
/// ```
/// use debate_core::text::numbered_lines;
/// let found: Vec<_> = numbered_lines("\u{feff}one \t\r\n\r\ntwo").collect();
/// assert_eq!(found, [(1, "one"), (2, ""), (3, "two")]);
/// ```
pub fn numbered_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).map(|(number, line)| {
        // A file that was joined from several contains a byte-order mark at the start of each part.
        (number, strip_byte_order_mark(line).trim_ascii_end())
    })
}

/// As [`numbered_lines`], but for bytes. For formats in which some lines, such as comments, need not be valid text. If
/// the bytes end with a line feed, an empty last line follows it.
pub fn numbered_byte_lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let lines = bytes.split(|byte| *byte == b'\n');
    (1..)
        .zip(lines)
        .map(|(number, line)| (number, strip_byte_order_mark_bytes(line).trim_ascii_end()))
}
