//! Makes text from files, engines and other users safe to show on a terminal.
//!
//! A claim or a speech may hold escape sequences, characters that change the reading direction, or characters of zero
//! width. [`replace_unsafe_characters`] replaces each of them, except joiners and emoji selectors, by a visible mark,
//! so that the displayed text is the actual text. Use [`replace_unsafe_characters`] for one line and
//! [`replace_unsafe_multiline`] if line breaks matter. A file is turned into text by [`decode_utf8`].
//! [`normalise_invisible_characters`] prepares a text that was written elsewhere: spaces, line ends and invisible
//! characters.

mod digits;
mod duration;
mod input;
mod normal;

use std::borrow::Cow;
use std::fmt::Display;

pub use digits::{add_group_commas, to_ascii_digit, to_ascii_number, to_ascii_number_character};
pub use duration::{
    duration_in_words, exact_duration_in_short_units, exact_duration_in_words,
    nearest_whole_seconds, round_estimated_seconds, short_duration_text,
};
pub use input::{
    TextEncodingError, decode_utf8, numbered_byte_lines, numbered_lines, strip_byte_order_mark,
    strip_byte_order_mark_bytes,
};
pub use normal::{
    NormalisedTextWithChangeCounts, normalise_invisible_characters, normalise_text_keeping_tabs,
};

/// The replacement for a character that must not reach a terminal.
pub const REPLACEMENT: char = '\u{FFFD}';

/// Formats a text as a sentence: with a capital letter at the beginning and a full stop at the end.
pub fn format_as_sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

/// Makes one line of text safe to show.
///
/// Every control character (tab excepted, which becomes a space), line separator, direction
/// override and invisible filler becomes [`REPLACEMENT`]; the number of characters stays.
/// Joiners and emoji selectors stay, because scripts and emoji are misspelt without them.
///
/// ```
/// use debate_core::text::replace_unsafe_characters;
/// assert_eq!(replace_unsafe_characters("4331 is prime"), "4331 is prime");
/// assert_eq!(replace_unsafe_characters("4331\u{1b}[2J is\tprime"), "4331\u{FFFD}[2J is prime");
/// ```
pub fn replace_unsafe_characters(text: &str) -> Cow<'_, str> {
    if has_unsafe_characters(text) {
        Cow::Owned(text.chars().map(shown).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Makes text of several lines safe to show, as [`replace_unsafe_characters`] does for one line. Line feeds stay; a
/// carriage return before a line feed is dropped.
///
/// ```
/// use debate_core::text::replace_unsafe_multiline;
/// assert_eq!(replace_unsafe_multiline("one\r\ntwo\u{7}"), "one\ntwo\u{FFFD}");
/// ```
pub fn replace_unsafe_multiline(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| c != '\n' && is_unsafe_character(c)) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\r' if rest.peek() == Some(&'\n') => {}
            '\n' => clean.push('\n'),
            _ => clean.push(shown(c)),
        }
    }
    Cow::Owned(clean)
}

/// Shortens a text to about `max_length` characters: its beginning, and the part around the first `mark` character.
///
/// ```
/// use debate_core::text::shortened_around;
/// let tape = format!("state q: {}[1]{}", "0".repeat(99), "0".repeat(99));
/// assert_eq!(shortened_around(&tape, '[', 32), "state q: 0000000…00000[1]00000000…");
/// assert_eq!(shortened_around("state q: [1]", '[', 32), "state q: [1]");
/// ```
pub fn shortened_around(text: &str, mark: char, max_length: usize) -> String {
    if text.chars().nth(max_length).is_none() {
        return text.to_owned();
    }
    let half = max_length / 2;
    let index = text.chars().position(|c| c == mark).unwrap_or(0);
    let part = |from: usize, count: usize| text.chars().skip(from).take(count).collect::<String>();
    if index < max_length * 3 / 4 {
        return part(0, max_length.saturating_sub(1)) + "…";
    }
    let head = part(0, half);
    let before = half / 3;
    let window = part(index - before, max_length - half);
    let end = if text
        .chars()
        .nth(index - before + max_length - half)
        .is_some()
    {
        "…"
    } else {
        ""
    };
    format!("{head}…{window}{end}")
}

fn shown(c: char) -> char {
    match c {
        '\t' => ' ',
        _ if is_unsafe_character(c) => REPLACEMENT,
        _ => c,
    }
}

/// True if [`replace_unsafe_characters`] replaces a character of the text. Skips printable ASCII characters quickly,
/// because the program checks every line that it sends to another program.
pub fn has_unsafe_characters(text: &str) -> bool {
    let is_plain = |byte: &u8| (b' '..=b'~').contains(byte);
    let mut rest = text;
    while let Some(start) = rest.as_bytes().iter().position(|byte| !is_plain(byte)) {
        let mut letters = rest.get(start..).unwrap_or_default().chars();
        if letters.next().is_some_and(is_unsafe_character) {
            return true;
        }
        rest = letters.as_str();
    }
    false
}

/// True if [`replace_unsafe_characters`] replaces the character, because it must not reach a terminal.
pub fn is_unsafe_character(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Direction marks, embeddings, overrides and isolates reorder the displayed text.
            '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{206F}'
            // Line and paragraph separators break a line in some terminals only.
            | '\u{2028}' | '\u{2029}'
            // These take no room or look empty, so two different texts would look the same.
            | '\u{00AD}' | '\u{034F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}' | '\u{2060}'..='\u{2065}' | '\u{3164}'
            | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
            // Format controls of shorthand and of music take no room either.
            | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
            // Tags and supplementary selectors can smuggle a hidden message.
            | '\u{E0000}'..='\u{E0FFF}')
}

/// Returns a text from a file in backticks, escaped and shortened to 60 characters, for a message.
pub fn shortened_in_backticks(text: &str) -> String {
    format!("`{}`", escaped_and_shortened(text, 60))
}

/// Shortens a text to `max_characters` characters, with an ellipsis if some are cut, and escapes unsafe characters. An
/// escape counts as one character.
pub fn escaped_and_shortened(text: &str, max_characters: usize) -> String {
    let mut shown = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == max_characters {
            shown.push('…');
            break;
        }
        if is_unsafe_character(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Returns a text with the first few names, quoted, and the number of the remaining ones.
pub fn first_few_names_text<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    const SHOWN: usize = 12;
    let rest = names.len().saturating_sub(SHOWN);
    let shown: Vec<String> = names.take(SHOWN).map(shortened_in_backticks).collect();
    match rest {
        0 => shown.join(", "),
        _ => format!("{} and {rest} more", shown.join(", ")),
    }
}

/// Formats a count with its noun: "1 judge", "2 judges". `figure` is the count as it is displayed.
pub fn count_with_noun(figure: impl Display, one: &str, many: &str) -> String {
    let figure = figure.to_string();
    let noun = if figure == "1" { one } else { many };
    format!("{figure} {noun}")
}

/// Returns a number in words up to twelve, and in digits above: "five", "21".
pub fn number_in_words(number: u32) -> String {
    let words = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    let word = words.get(number as usize);
    word.map_or_else(|| number.to_string(), ToString::to_string)
}

/// Returns an ordinal number: "third", "21st".
pub fn ordinal(number: u32) -> String {
    let words = [
        "0th", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth",
        "ninth", "tenth", "eleventh", "twelfth",
    ];
    let ending = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    let word = words.get(number as usize);
    word.map_or_else(|| format!("{number}{ending}"), ToString::to_string)
}
