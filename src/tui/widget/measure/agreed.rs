//! Columns on which all terminals agree.
//!
//! Terminals do not agree on how many columns joined emoji take: some draw a woman, a joiner and a
//! microscope as one sign of two columns, others as two signs of four. A line of which a terminal
//! thinks otherwise than we do ends in the wrong column, and with it the frame. So such graphemes
//! are drawn by their parts, each of which takes the same columns everywhere: nothing of what was
//! written is left out but joiners, selectors of a style, and tones of skin.
//!
//! Letters of scripts that read from right to left are sent in the order in which they are
//! written, and no control of the direction is ever sent.

use std::borrow::Cow;

use ratatui::buffer::CellWidth;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar as _;

use debate_core::text::safe;

/// As a terminal counts that measures one character after the other.
pub(super) fn grapheme_width(grapheme: &str) -> usize {
    let each = |text: &str| text.chars().map(character_width).sum();
    // Characters alone are most of what there is.
    if grapheme.len() == 1 {
        1
    } else if agreed(grapheme) {
        each(grapheme)
    } else {
        each(&parts(grapheme))
    }
}

pub(super) fn character_width(c: char) -> usize {
    // Control characters are made visible before they are drawn.
    c.width().unwrap_or(1)
}

/// The pieces for one place of the screen each: a character with the marks upon it, which take no
/// columns. A terminal may draw some of them together; then they take as many columns together.
pub(super) fn units(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut marks = rest.char_indices().skip(1);
        let end = marks.find(|(_, c)| character_width(*c) > 0);
        let (unit, after) = rest.split_at(end.map_or(rest.len(), |(at, _)| at));
        rest = after;
        (!unit.is_empty()).then_some(unit)
    })
}

/// True if all terminals come to the same columns for a grapheme.
pub(super) fn agreed(grapheme: &str) -> bool {
    let mut characters = grapheme.chars();
    let Some(base) = characters.next() else {
        return true;
    };
    // What takes no columns would go to the sign before, the frame perhaps.
    let stands = character_width(base) > 0 && long_sign(base).is_none();
    stands
        && (characters.next().is_none()
            || !grapheme.contains(is_style)
                && !characters_after(grapheme).any(is_tone)
                && (joins_letters(base) || !grapheme.contains(JOINER))
                && units(grapheme).all(|unit| {
                    let base = unit.chars().next().map_or(0, character_width);
                    // Of a byte alone ratatui asks that it be no control character.
                    unit.len() == 1 || usize::from(unit.cell_width()) == base
                }))
}

fn characters_after(grapheme: &str) -> impl Iterator<Item = char> {
    grapheme.chars().skip(1)
}

/// Signs that should take two columns or three, and in many terminals take one; with what stands
/// for them.
fn long_sign(c: char) -> Option<&'static str> {
    match c {
        '\u{2E3A}' => Some("——"),
        '\u{2E3B}' => Some("———"),
        '\u{17D8}' => Some("\u{FFFD}"),
        // Marks of half a column's height: for some they take one, for some none.
        '\u{FF9E}' => Some("\u{309B}"),
        '\u{FF9F}' => Some("\u{309C}"),
        _ => None,
    }
}

/// Colours the emoji before it.
fn is_tone(c: char) -> bool {
    ('\u{1F3FB}'..='\u{1F3FF}').contains(&c)
}

/// Makes one sign of two emoji, or another form of a letter.
const JOINER: char = '\u{200D}';

/// True if letters after this one take another form when a joiner stands between: in Arabic and
/// the scripts of India and around. Elsewhere a joiner is for emoji.
fn joins_letters(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{1FFF}' | '\u{A800}'..='\u{ABFF}' | '\u{10A00}'..='\u{11FFF}')
}

/// Selectors of a style: they change the columns of the sign before them in some terminals only.
fn is_style(c: char) -> bool {
    matches!(c, '\u{FE0E}' | '\u{FE0F}')
}

/// A grapheme on whose columns terminals do not agree, by parts on which they do.
fn parts(grapheme: &str) -> String {
    let mut parts = String::with_capacity(grapheme.len());
    for (at, c) in grapheme.chars().enumerate() {
        let left_out = is_style(c) || c == JOINER || at > 0 && is_tone(c);
        if let Some(shown) = long_sign(c) {
            parts.push_str(shown);
        } else if !left_out && (character_width(c) > 0 || !parts.is_empty()) {
            parts.push(c);
        }
    }
    if units(&parts).all(agreed) {
        return parts;
    }
    // Marks that change the columns of what they stand upon: then without them.
    parts.retain(|c| character_width(c) > 0);
    parts
}

/// The text as it is sent to a terminal: safe, and every grapheme of agreed columns.
pub(in crate::tui) fn settled(text: &str) -> Cow<'_, str> {
    let text = safe(text);
    // Most texts have nothing that could be joined, which is seen faster than graphemes are.
    let plain = |c: char| c < '\u{300}' || ('\u{2010}'..='\u{2BFF}').contains(&c);
    if text.chars().all(plain) {
        return text;
    }
    // What is left out may bring together what stood apart, so it is looked at again.
    let mut text = text;
    for _ in 0..MAX_LOOKS {
        if text.graphemes(true).all(agreed) {
            return text;
        }
        text = Cow::Owned(taken_apart(&text));
    }
    text
}

/// The most passes over a text: each time marks are left out, and few follow one another.
const MAX_LOOKS: usize = 4;

fn taken_apart(text: &str) -> String {
    let each = text.graphemes(true).map(|grapheme| {
        if agreed(grapheme) {
            Cow::Borrowed(grapheme)
        } else {
            Cow::Owned(parts(grapheme))
        }
    });
    each.collect()
}
