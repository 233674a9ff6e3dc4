//! Text measured in terminal columns: wide characters take two, combining marks none, and a
//! grapheme is never split.

mod agreed;

use std::borrow::Cow;

use ratatui::{buffer::Buffer, layout::Rect, style::Style};
use unicode_segmentation::UnicodeSegmentation;

use crate::tui::theme::{Appearance, StyleRole};
pub(super) use agreed::settled;
use agreed::{character_width, grapheme_width, units};
use debate_core::text::safe;
use debate_lab::tell::with_outcomes;

/// The number of columns of a text when drawn.
pub fn width(text: &str) -> usize {
    if text.is_ascii() || text.chars().all(is_plain) {
        text.chars().count()
    } else {
        text.graphemes(true).map(grapheme_width).sum()
    }
}

/// Characters of one column each that are graphemes of their own, but for marks after them: ASCII,
/// dashes, quotation marks and lines of frames.
fn is_plain(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{2010}'..='\u{2027}' | '\u{2500}'..='\u{257F}')
}

/// The graphemes of a text.
pub(super) fn graphemes(text: &str) -> Vec<&str> {
    if text.is_ascii() {
        // Every character is one; the two ends of the text are split off as empty pieces.
        return text.split("").filter(|piece| !piece.is_empty()).collect();
    }
    text.graphemes(true).collect()
}

/// The front of a text that fits into so many columns, ending in `ellipsis` where it was cut.
pub fn clip<'a>(text: &'a str, columns: usize, ellipsis: &str) -> Cow<'a, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let mark = width(ellipsis);
    if columns < mark {
        return Cow::Borrowed("");
    }
    let (front, _) = split_at(text, columns - mark);
    Cow::Owned(format!("{front}{ellipsis}"))
}

/// The text with spaces after it, up to so many columns.
pub fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The text with spaces before it, up to so many columns.
pub fn align_right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Splits a text after as many graphemes as fit into so many columns.
pub fn split_at(text: &str, columns: usize) -> (&str, &str) {
    // Most text is plain. One character more than fits is looked at: a mark could stand there that
    // belongs to what is before it.
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

/// Breaks a text into lines of at most so many columns: at line feeds, at spaces (but not before
/// a percent sign), and inside a word only when it is longer than a line. Spaces at a break are dropped. There is at least one
/// line; a grapheme wider than a line gets one of its own.
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

/// True if a line may end before this text: at a space, but a number keeps its percent sign.
fn may_break(text: &str) -> bool {
    text.starts_with(' ') && !text.starts_with(" %")
}

/// The last place in `front` where a line may end, `back` being what follows it.
fn last_break(front: &str, back: &str) -> Option<usize> {
    let spaces = front.rmatch_indices(' ').map(|(space, _)| space);
    let mut breaks = spaces.filter(|space| {
        let (_, after) = front.split_at(space + 1);
        let next = if after.is_empty() { back } else { after };
        !next.starts_with('%')
    });
    breaks.next()
}

/// Draws one line of text at the left of the first row of `area`, made safe and cut to its width.
/// Returns the columns taken.
pub fn put(text: &str, style: Style, buffer: &mut Buffer, area: Rect) -> u16 {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return 0;
    }
    uncover(area.x, area.y, buffer);
    let mut x = area.x;
    for unit in units(&settled(text)) {
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

/// Takes away a wide sign of which the half at this place is about to be drawn over: half of it
/// cannot be shown, and the terminal would pass over what is drawn.
pub(super) fn uncover(x: u16, y: u16, buffer: &mut Buffer) {
    let before = x.checked_sub(1).and_then(|x| buffer.cell_mut((x, y)));
    if let Some(cell) = before
        && cell.symbol().chars().any(|c| character_width(c) > 1)
    {
        cell.set_symbol(" ");
    }
}

/// Gives the words for outcomes ("true", "too low") in a line that was drawn at the left of `area`
/// the colours of their roles.
pub fn colour_outcomes(text: &str, look: &Appearance, buffer: &mut Buffer, area: Rect) {
    let mut at = row(area.intersection(buffer.area), 0);
    for span in with_outcomes(StyleRole::Text, &safe(text)) {
        let columns = u16::try_from(width(&span.text)).unwrap_or(u16::MAX);
        if span.role != StyleRole::Text {
            let width = columns.min(at.width);
            buffer.set_style(Rect { width, ..at }, look.style(span.role));
        }
        at = after(at, columns);
    }
}

/// Draws one line of text at the right of the first row of `area`, or nothing of it if it does
/// not fit. Returns the columns taken.
pub fn put_right(text: &str, style: Style, buffer: &mut Buffer, area: Rect) -> u16 {
    let columns = u16::try_from(width(&safe(text))).unwrap_or(u16::MAX);
    if columns > area.width {
        return 0;
    }
    put(
        text,
        style,
        buffer,
        Rect {
            x: area.right() - columns,
            width: columns,
            ..area
        },
    )
}

/// The row of `area` that is so many rows below its top, or an empty area.
pub fn row(area: Rect, number: usize) -> Rect {
    match u16::try_from(number) {
        Ok(number) if number < area.height => Rect {
            y: area.y + number,
            height: 1,
            ..area
        },
        _ => Rect { height: 0, ..area },
    }
}

/// The area without its first columns.
pub fn after(area: Rect, columns: u16) -> Rect {
    let columns = columns.min(area.width);
    Rect {
        x: area.x + columns,
        width: area.width - columns,
        ..area
    }
}

#[cfg(test)]
mod tests;
