//! Normalises texts that other programs wrote: plain spaces and line ends, and no invisible characters.

use std::borrow::Cow;

/// The result of [`normalise_invisible_characters`]: the text, and how many characters were changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NormalisedTextWithChangeCounts<'t> {
    pub text: Cow<'t, str>,
    /// Number of invisible characters that were dropped.
    pub dropped: usize,
    /// Number of tabs that became spaces, plus number of line ends that became line feeds.
    pub replaced: usize,
}

/// Replaces tabs by spaces and all kinds of line ends by line feeds. Drops soft hyphens, zero-width spaces, word
/// joiners, single direction marks and byte-order marks.
///
/// Joiners, which scripts and emoji need, stay. Control characters and direction overrides stay too:
/// a caller must refuse them, or make them visible with [`super::replace_unsafe_multiline`].
///
/// ```
/// use debate_core::text::normalise_invisible_characters;
/// let speech = normalise_invisible_characters("one\ttwo\r\nso\u{AD}ft");
/// assert_eq!(speech.text, "one two\nsoft");
/// assert_eq!((speech.dropped, speech.replaced), (1, 2));
/// ```
pub fn normalise_invisible_characters(text: &str) -> NormalisedTextWithChangeCounts<'_> {
    normalised_with(text, true)
}

/// As [`normalise_invisible_characters`], but keeps tabs, for texts in which tabs are allowed.
pub fn normalise_text_keeping_tabs(text: &str) -> Cow<'_, str> {
    normalised_with(text, false).text
}

fn normalised_with(text: &str, tabs: bool) -> NormalisedTextWithChangeCounts<'_> {
    let is_changed = |c: char| is_dropped(c) || is_line_end(c) || (tabs && c == '\t');
    let mut normal = NormalisedTextWithChangeCounts {
        text: Cow::Borrowed(text),
        dropped: 0,
        replaced: 0,
    };
    if !text.contains(is_changed) {
        return normal;
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if !is_changed(c) {
            plain.push(c);
            continue;
        }
        if is_dropped(c) {
            normal.dropped += 1;
            continue;
        }
        normal.replaced += 1;
        match c {
            '\t' => plain.push(' '),
            // The line feed after it ends the line.
            '\r' if rest.peek() == Some(&'\n') => {}
            _ => plain.push('\n'),
        }
    }
    normal.text = Cow::Owned(plain);
    normal
}

/// True for characters that end a line or a page, other than the line feed: carriage return, form feed, Unicode
/// separators.
fn is_line_end(c: char) -> bool {
    matches!(
        c,
        '\r' | '\u{0B}' | '\u{0C}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// True for invisible characters that have no effect beyond their neighbours, so that they can be dropped: the soft
/// hyphen, zero-width spaces, the word joiner, single direction marks and the byte-order mark.
fn is_dropped(c: char) -> bool {
    matches!(
        c,
        '\u{AD}' | '\u{61C}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2060}' | '\u{FEFF}'
    )
}
