//! Pieces of screen that draw themselves from their own state, and know nothing of each other.
//!
//! A panel that scrolls is used in two steps each frame: `fit` tells it the room it has (it may
//! scroll to keep the right thing in view), `render` draws it and changes nothing. In between,
//! keys call its methods. All text is made safe and measured in columns on its way to a cell:
//! draw your own with [`measure::put`].

pub mod bit_edits;
pub mod chart;
pub mod choice;
pub mod clicks;
pub mod grid;
pub mod labels;
pub mod measure;
pub mod overlay;
pub mod scroll;
pub mod slider;
pub mod tabs;
pub mod text_input;
pub mod tree;

use ratatui::{buffer::Buffer, layout::Rect};

use crate::tui::theme::{Appearance, StyleRole};

/// Draws a frame with a title, marked when it has the keys, and returns the room inside.
pub fn frame(
    title: &str,
    focused: bool,
    look: &Appearance,
    buffer: &mut Buffer,
    area: Rect,
) -> Rect {
    use ratatui::widgets::{Block, Widget};
    let (set, role) = if focused {
        (look.glyphs.focus_border, StyleRole::Focus)
    } else {
        (look.glyphs.border, StyleRole::Border)
    };
    let block = Block::bordered()
        .border_set(set)
        .border_style(look.style(role));
    let inner = block.inner(area);
    block.render(area, buffer);
    if area.width > 6 && area.height > 0 {
        let room = Rect {
            x: area.x + 2,
            width: area.width - 4,
            height: 1,
            ..area
        };
        let title = measure::clip(title, usize::from(room.width) - 2, look.glyphs.ellipsis);
        if !title.is_empty() {
            measure::put(
                &format!(" {title} "),
                look.style(StyleRole::Title),
                buffer,
                room,
            );
        }
    }
    inner
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// The text that `draw` puts into so many columns and rows, one line a row, without the
    /// spaces at the ends of lines.
    pub(crate) fn drawn(columns: u16, rows: u16, draw: impl FnOnce(&mut Buffer, Rect)) -> String {
        let buffer = buffer(columns, rows, draw);
        let line = |row| {
            let mut line = String::new();
            let mut skip = 0;
            for column in 0..columns {
                let symbol = buffer[(column, row)].symbol();
                if skip == 0 {
                    line.push_str(symbol);
                    skip = measure::width(symbol).saturating_sub(1);
                } else {
                    skip -= 1;
                }
            }
            line.trim_end().to_owned()
        };
        (0..rows).map(line).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn buffer(columns: u16, rows: u16, draw: impl FnOnce(&mut Buffer, Rect)) -> Buffer {
        let area = Rect::new(0, 0, columns, rows);
        // A margin shows that nothing is drawn outside the area.
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns + 2, rows + 2));
        draw(&mut buffer, area);
        for position in buffer
            .area
            .positions()
            .filter(|position| !area.contains(*position))
        {
            assert_eq!(
                buffer[position].symbol(),
                " ",
                "drawn outside at {position}"
            );
        }
        buffer
    }
}

#[cfg(test)]
mod tests {
    use super::{testing::drawn, *};

    #[test]
    fn a_frame_has_its_title_and_leaves_its_room() {
        let mut inner = Rect::ZERO;
        let picture = drawn(14, 3, |buffer, area| {
            inner = frame("Transcript", false, &Appearance::default(), buffer, area);
        });
        insta::assert_snapshot!(picture, @"
        ┌─ Transcr… ─┐
        │            │
        └────────────┘
        ");
        assert_eq!(inner, Rect::new(1, 1, 12, 1));
    }

    #[test]
    fn a_frame_fits_anywhere() {
        for (columns, rows) in [(0, 0), (1, 1), (7, 1), (3, 9)] {
            drawn(columns, rows, |buffer, area| {
                frame("日本語", true, &Appearance::default(), buffer, area);
            });
        }
    }
}
