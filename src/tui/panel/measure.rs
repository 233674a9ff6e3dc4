//! Text measured in terminal columns: wide characters take two, combining marks none, and a
//! grapheme is never split.

use std::borrow::Cow;

use ratatui::{
    buffer::{Buffer, CellWidth},
    layout::Rect,
    style::Style,
};
use unicode_segmentation::UnicodeSegmentation;

use crate::text::safe;

/// How many columns a text takes when drawn.
#[must_use]
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.graphemes(true).map(grapheme_width).sum()
    }
}

/// As ratatui counts, so that what is measured is what is drawn.
fn grapheme_width(grapheme: &str) -> usize {
    // A lone byte is asked for apart: control characters are not ratatui's to measure.
    if grapheme.len() == 1 {
        1
    } else {
        grapheme.cell_width().into()
    }
}

/// The front of a text that fits into so many columns, ending in `ellipsis` where it was cut.
#[must_use]
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
#[must_use]
pub fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The text with spaces before it, up to so many columns.
#[must_use]
pub fn align_right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Splits a text after as many graphemes as fit into so many columns.
#[must_use]
pub fn split_at(text: &str, columns: usize) -> (&str, &str) {
    let mut taken = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        taken += grapheme_width(grapheme);
        if taken > columns {
            return text.split_at(at);
        }
    }
    (text, "")
}

/// Breaks a text into lines of at most so many columns: at line feeds, at spaces, and inside a
/// word only when it is longer than a line. Spaces at a break are dropped. There is at least one
/// line; a grapheme wider than a line gets one of its own.
#[must_use]
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
        } else if !back.starts_with(' ')
            && let Some(space) = front.rfind(' ')
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

/// Draws one line of text at the left of the first row of `area`, made safe and cut to its width.
/// Returns the columns taken.
pub fn put(text: &str, style: Style, buffer: &mut Buffer, area: Rect) -> u16 {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return 0;
    }
    let text = safe(text);
    let (text, _) = split_at(&text, area.width.into());
    let (end, _) = buffer.set_stringn(area.x, area.y, text, area.width.into(), style);
    end - area.x
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
#[must_use]
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
#[must_use]
pub fn after(area: Rect, columns: u16) -> Rect {
    let columns = columns.min(area.width);
    Rect {
        x: area.x + columns,
        width: area.width - columns,
        ..area
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::panel::testing::drawn;
    use proptest::prelude::*;

    #[test]
    fn columns_are_measured_not_counted() {
        assert_eq!(width("prime"), 5);
        assert_eq!(width("素数"), 4);
        assert_eq!(width("e\u{301}"), 1);
        assert_eq!(width("👩‍🔬"), 2);
        assert_eq!(width("é\u{7}"), 2);
    }

    #[test]
    fn clipping_marks_the_cut_and_splits_no_grapheme() {
        assert_eq!(clip("prime", 5, "…"), "prime");
        assert_eq!(clip("primes", 5, "…"), "prim…");
        assert_eq!(clip("素数", 3, "…"), "素…");
        assert_eq!(clip("素数", 2, "…"), "…");
        assert_eq!(clip("primes", 0, "…"), "");
        assert_eq!(clip("e\u{301}e\u{301}e\u{301}", 2, "…"), "e\u{301}…");
    }

    #[test]
    fn padding_counts_columns() {
        assert_eq!(pad("素", 4), "素  ");
        assert_eq!(align_right(".90", 5), "  .90");
        assert_eq!(align_right("too long", 3), "too long");
    }

    #[test]
    fn lines_break_at_spaces_and_at_line_feeds() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("one  two", 4), ["one", "two"]);
        assert_eq!(wrap("a\n\nb", 9), ["a", "", "b"]);
        assert_eq!(wrap("", 9), [""]);
        assert_eq!(wrap("composite", 4), ["comp", "osit", "e"]);
        assert_eq!(wrap("素数 素", 5), ["素数", "素"]);
        assert_eq!(wrap("素数", 1), ["素", "数"]);
        assert_eq!(wrap("  indented text", 10), ["  indented", "text"]);
    }

    #[test]
    fn what_is_put_is_safe_and_stays_in_its_area() {
        let style = Style::new();
        let picture = drawn(5, 1, |buffer, area| {
            assert_eq!(put("a\u{1b}[2Jlong", style, buffer, area), 5);
        });
        assert_eq!(picture, "a\u{FFFD}[2J");
        let picture = drawn(5, 1, |buffer, area| {
            assert_eq!(put("素数素", style, buffer, area), 4);
        });
        assert_eq!(picture, "素数");
        let picture = drawn(5, 1, |buffer, area| {
            put_right(".90", style, buffer, area);
        });
        assert_eq!(picture, "  .90");
    }

    proptest! {
        #[test]
        fn what_is_measured_is_what_is_drawn(text in any::<String>()) {
            let columns = u16::try_from(width(&safe(&text))).unwrap();
            let mut buffer = Buffer::empty(Rect::new(0, 0, columns + 9, 1));
            let area = buffer.area;
            prop_assert_eq!(put(&text, Style::new(), &mut buffer, area), columns);
        }

        #[test]
        fn wrapping_loses_nothing_but_spaces(text in "[a-c素é \u{301}\n]{0,40}", columns in 1_usize..9) {
            let lines = wrap(&text, columns);
            let letters = |text: &str| text.replace([' ', '\n'], "");
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
            for line in lines {
                prop_assert!(width(line) <= columns.max(2), "{:?}", line);
            }
        }
    }
}
