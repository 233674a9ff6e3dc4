//! Text measured in terminal columns: wide characters take two, combining marks take none, and a grapheme is never
//! split.

use std::borrow::Cow;

use ratatui::buffer::{Buffer, CellWidth};
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar as _;

use debate_core::text::replace_unsafe_characters;

/// Returns the width of a text in terminal columns.
pub fn width(text: &str) -> usize {
    if text.is_ascii() || text.chars().all(is_plain) {
        text.chars().count()
    } else {
        text.graphemes(true).map(grapheme_width).sum()
    }
}

/// True for characters that always take one column and combine only with marks after them: ASCII, dashes, quotation
/// marks and lines of frames.
fn is_plain(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{2010}'..='\u{2027}' | '\u{2500}'..='\u{257F}')
}

/// Splits a text into graphemes.
pub(super) fn graphemes(text: &str) -> Vec<&str> {
    if text.is_ascii() {
        // Every character is a grapheme. The ends of the text are split off as empty pieces.
        return text.split("").filter(|piece| !piece.is_empty()).collect();
    }
    text.graphemes(true).collect()
}

/// Returns the start of a text that fits into `columns`. If the text was cut, it ends with `ellipsis`, after a whole
/// word if that costs few columns.
pub fn clip<'a>(text: &'a str, columns: usize, ellipsis: &str) -> Cow<'a, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let mark = width(ellipsis);
    if columns < mark {
        return Cow::Borrowed("");
    }
    let (front, back) = split_at(text, columns - mark);
    let front = whole_words(front, back).trim_end_matches(' ');
    Cow::Owned(format!("{front}{ellipsis}"))
}

/// Returns `front`, the first part of a text that was cut, without the incomplete word at its end. `back` is the rest
/// of the text. If less than two thirds of `front` would be left, the incomplete word stays.
fn whole_words<'a>(front: &'a str, back: &str) -> &'a str {
    if back.starts_with(' ') {
        return front;
    }
    match front.rsplit_once(' ') {
        Some((words, _)) if 3 * words.len() >= 2 * front.len() => words,
        _ => front,
    }
}

/// Appends spaces to a text, up to a width of `columns`.
pub fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Inserts spaces before a text, up to a width of `columns`.
pub fn align_right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Splits a text after the last grapheme that fits into `columns`.
pub fn split_at(text: &str, columns: usize) -> (&str, &str) {
    // Most text is plain. One more character than fits is checked, because it could be a mark that belongs to the
    // character before it.
    let mut characters = text.char_indices().enumerate();
    loop {
        match characters.next() {
            None => return (text, ""),
            Some((_, (_, c))) if !is_plain(c) => break,
            Some((count, (at, _))) if count == columns => return text.split_at(at),
            Some(_) => {}
        }
    }
    let mut taken = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        taken += grapheme_width(grapheme);
        if taken > columns {
            return text.split_at(at);
        }
    }
    (text, "")
}

/// Returns the longest end of a text whose graphemes fit into `columns`.
pub fn longest_fitting_end(text: &str, columns: usize) -> &str {
    let mut too_wide = width(text).saturating_sub(columns);
    let mut graphemes = text.graphemes(true);
    while too_wide > 0
        && let Some(first) = graphemes.next()
    {
        too_wide = too_wide.saturating_sub(width(first));
    }
    graphemes.as_str()
}

/// Breaks a text into lines of at most `columns`: at line feeds, at spaces (but not before a percent sign), and inside
/// a word only if it is longer than a line. Spaces at a break are dropped. The result has at least one line. A grapheme
/// wider than a line gets a separate line.
pub fn wrap(text: &str, columns: usize) -> Vec<&str> {
    text.split('\n')
        .flat_map(|line| wrap_line(line, columns.max(1)))
        .collect()
}

fn wrap_line(mut rest: &str, columns: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    loop {
        let (mut front, mut back) = split_at(rest, columns);
        if back.is_empty() {
            lines.push(front);
            return lines;
        }
        if front.is_empty() {
            let first = rest.graphemes(true).next().map_or(rest.len(), str::len);
            (front, back) = rest.split_at(first);
        } else if !may_break(back)
            && let Some(space) = last_break(front, back)
            && !front.trim_start_matches(' ').is_empty()
            && !front.split_at(space).0.trim_matches(' ').is_empty()
        {
            (front, back) = rest.split_at(space);
        }
        lines.push(front.trim_end_matches(' '));
        rest = back.trim_start_matches(' ');
        if rest.is_empty() {
            return lines;
        }
    }
}

/// True if a line may be broken before this text: at a space, except one before a percent sign.
fn may_break(text: &str) -> bool {
    text.starts_with(' ') && !text.starts_with(" %")
}

/// Returns the last byte index in `front` at which a line may be broken. `back` is the text after `front`.
fn last_break(front: &str, back: &str) -> Option<usize> {
    let spaces = front.rmatch_indices(' ').map(|(space, _)| space);
    let mut breaks = spaces.filter(|space| {
        let (_, after) = front.split_at(space + 1);
        let next = if after.is_empty() { back } else { after };
        !next.starts_with('%')
    });
    breaks.next()
}

/// Draws one line of text at the left of the first row of `area`. Unsafe characters are replaced, and the text is cut
/// to the area. Returns the number of columns drawn.
pub fn draw_single_text_line(text: &str, style: Style, buffer: &mut Buffer, area: Rect) -> u16 {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return 0;
    }
    erase_split_wide_character(area.x, area.y, buffer);
    let mut x = area.x;
    for unit in width_units(&with_agreed_widths(text)) {
        let columns = unit.chars().next().map_or(0, character_width);
        let Ok(columns @ 1..) = u16::try_from(columns) else {
            continue;
        };
        if columns > area.right() - x {
            break;
        }
        buffer[(x, area.y)].set_symbol(unit).set_style(style);
        for hidden in x + 1..x + columns {
            buffer[(hidden, area.y)].reset();
        }
        x += columns;
    }
    x - area.x
}

/// Removes the wide character whose right half is at this position, because the position will be overwritten. Half a
/// character cannot be shown, and the terminal would skip the new text.
pub(super) fn erase_split_wide_character(x: u16, y: u16, buffer: &mut Buffer) {
    let before = x.checked_sub(1).and_then(|x| buffer.cell_mut((x, y)));
    if let Some(cell) = before
        && cell.symbol().chars().any(|c| character_width(c) > 1)
    {
        cell.set_symbol(" ");
    }
}

/// Draws one line of text at the right of the first row of `area`. Draws nothing if the text does not fit. Returns the
/// number of columns drawn.
pub fn draw_text_right_aligned(text: &str, style: Style, buffer: &mut Buffer, area: Rect) -> u16 {
    let columns = to_u16_saturating(width(&replace_unsafe_characters(text)));
    if columns > area.width {
        return 0;
    }
    draw_single_text_line(
        text,
        style,
        buffer,
        skip_columns(area, area.width - columns),
    )
}

/// Returns row `number` of `area`, or an empty area if it has fewer rows.
pub fn row(area: Rect, number: usize) -> Rect {
    rows(area, number, 1)
}

/// Returns at most `count` rows of `area`, starting at row `from`.
pub fn rows(area: Rect, from: usize, count: usize) -> Rect {
    let from = to_u16_saturating(from).min(area.height);
    let height = to_u16_saturating(count).min(area.height - from);
    let y = area.y + from;
    Rect { y, height, ..area }
}

/// Returns two areas: the first `count` rows of `area`, and the rows below them.
pub fn split_rows(area: Rect, count: usize) -> [Rect; 2] {
    [rows(area, 0, count), rows(area, count, usize::MAX)]
}

/// Returns two areas for frames, one above the other: the first `upper_rows` rows of `area`, and the rows from the last
/// of these on. The row that is in both areas is the common border of the frames.
pub fn split_rows_with_common_border(area: Rect, upper_rows: usize) -> [Rect; 2] {
    let upper = rows(area, 0, upper_rows);
    [
        upper,
        rows(
            area,
            usize::from(upper.height).saturating_sub(1),
            usize::MAX,
        ),
    ]
}

/// Returns the area without its first `columns` columns.
pub fn skip_columns(area: Rect, columns: u16) -> Rect {
    let columns = columns.min(area.width);
    let x = area.x + columns;
    let width = area.width - columns;
    Rect { x, width, ..area }
}

/// Returns the first `columns` columns of an area.
pub fn first_columns(area: Rect, columns: u16) -> Rect {
    let width = area.width.min(columns);
    Rect { width, ..area }
}

/// Returns the area to the left of an item at the right edge that takes `item_columns` columns, with a gap between
/// them.
pub fn area_left_of_item_at_right_edge(area: Rect, item_columns: u16) -> Rect {
    let around = item_columns + u16::from(item_columns > 0);
    first_columns(area, area.width.saturating_sub(around))
}

/// Converts a number of columns or rows to `u16`. A number that is too large becomes the maximum.
pub fn to_u16_saturating(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// Returns the width of a grapheme on a terminal that adds the widths of its characters.
pub(super) fn grapheme_width(grapheme: &str) -> usize {
    let each = |text: &str| text.chars().map(character_width).sum();
    // Fast path: most graphemes are single characters.
    if grapheme.len() == 1 {
        1
    } else if has_unambiguous_width(grapheme) {
        each(grapheme)
    } else {
        each(&replacement_parts(grapheme))
    }
}

pub(super) fn character_width(character: char) -> usize {
    // Control characters are made visible before they are drawn.
    character.width().unwrap_or(1)
}

/// Splits a text into units, each of which takes one position on the screen: a character with the marks after it, which
/// take no columns. If a terminal draws several units together, they take the sum of their columns.
pub(super) fn width_units(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut marks = rest.char_indices().skip(1);
        let end = marks.find(|(_, c)| character_width(*c) > 0);
        let (unit, after) = rest.split_at(end.map_or(rest.len(), |(at, _)| at));
        rest = after;
        (!unit.is_empty()).then_some(unit)
    })
}

/// True if all terminals give a grapheme the same number of columns.
pub(super) fn has_unambiguous_width(grapheme: &str) -> bool {
    let mut characters = grapheme.chars();
    let Some(base) = characters.next() else {
        return true;
    };
    // A character without columns would be attached to the preceding sign, possibly a frame.
    let has_width = character_width(base) > 0 && long_sign(base).is_none();
    has_width
        && (characters.next().is_none()
            || !grapheme.contains(is_style)
                && !characters_after(grapheme).any(is_tone)
                && (joins_letters(base) || !grapheme.contains(JOINER))
                && width_units(grapheme).all(|unit| {
                    let base = unit.chars().next().map_or(0, character_width);
                    // For a single byte, ratatui only requires that it is no control character.
                    unit.len() == 1 || usize::from(unit.cell_width()) == base
                }))
}

fn characters_after(grapheme: &str) -> impl Iterator<Item = char> {
    grapheme.chars().skip(1)
}

/// Returns a replacement for a character that takes different numbers of columns in different terminals. `None` for all
/// other characters.
fn long_sign(c: char) -> Option<&'static str> {
    match c {
        '\u{2E3A}' => Some("——"),
        '\u{2E3B}' => Some("———"),
        '\u{17D8}' => Some("\u{FFFD}"),
        // Half-width marks: some terminals give them one column, others none.
        '\u{FF9E}' => Some("\u{309B}"),
        '\u{FF9F}' => Some("\u{309C}"),
        _ => None,
    }
}

/// True for a modifier that changes the skin tone of the preceding emoji.
fn is_tone(c: char) -> bool {
    ('\u{1F3FB}'..='\u{1F3FF}').contains(&c)
}

/// The zero-width joiner, which combines two emoji into one or changes the form of a letter.
const JOINER: char = '\u{200D}';

/// True if a joiner after this letter changes the form of letters: in Arabic and in the scripts of India and its
/// neighbours. In other scripts joiners are for emoji.
fn joins_letters(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{1FFF}' | '\u{A800}'..='\u{ABFF}' | '\u{10A00}'..='\u{11FFF}')
}

/// True for a variation selector, which changes the width of the preceding character in some terminals only.
fn is_style(c: char) -> bool {
    matches!(c, '\u{FE0E}' | '\u{FE0F}')
}

/// Replaces a grapheme whose width depends on the terminal by parts whose width does not.
fn replacement_parts(grapheme: &str) -> String {
    let mut parts = String::with_capacity(grapheme.len());
    for (at, c) in grapheme.chars().enumerate() {
        let left_out = is_style(c) || c == JOINER || at > 0 && is_tone(c);
        if let Some(shown) = long_sign(c) {
            parts.push_str(shown);
        } else if !left_out && (character_width(c) > 0 || !parts.is_empty()) {
            parts.push(c);
        }
    }
    if width_units(&parts).all(has_unambiguous_width) {
        return parts;
    }
    // Marks that change the columns of their base character are dropped.
    parts.retain(|c| character_width(c) > 0);
    parts
}

/// Returns a text in the form that is sent to a terminal: without unsafe characters, and with graphemes that have the
/// same width in all terminals.
pub(in crate::tui) fn with_agreed_widths(text: &str) -> Cow<'_, str> {
    let text = replace_unsafe_characters(text);
    // Fast path: most texts contain no joinable characters.
    let plain = |c: char| c < '\u{300}' || ('\u{2010}'..='\u{2BFF}').contains(&c);
    if text.chars().all(plain) {
        return text;
    }
    // Removing characters can join graphemes that were separate, so the text is checked again.
    let mut text = text;
    for _ in 0..MAX_LOOKS {
        if text.graphemes(true).all(has_unambiguous_width) {
            return text;
        }
        text = Cow::Owned(split_joined_graphemes(&text));
    }
    text
}

/// The maximum number of passes over a text that replace graphemes. Each pass removes marks, and marks rarely follow
/// one another.
const MAX_LOOKS: usize = 4;

fn split_joined_graphemes(text: &str) -> String {
    let each = text.graphemes(true).map(|grapheme| {
        if has_unambiguous_width(grapheme) {
            Cow::Borrowed(grapheme)
        } else {
            Cow::Owned(replacement_parts(grapheme))
        }
    });
    each.collect()
}

#[cfg(test)]
mod tests;
