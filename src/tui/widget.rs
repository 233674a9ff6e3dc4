//! Pieces of screen that draw themselves from their own state, and know nothing of each other.
//!
//! A panel that scrolls is used in two steps each frame: `fit` tells it the room it has (it may
//! scroll to keep the right thing in view), `render` draws it and changes nothing. In between,
//! keys call its methods. All text is made safe and measured in columns on its way to a cell:
//! draw your own with [`measure::put`].

pub mod chart;
pub mod choice;
pub mod grid;
pub mod labels;
pub mod measure;
pub mod scroll;
pub mod slider;
pub mod text_input;
pub mod tree;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, Clear, Widget as _};

use self::scroll::{Entry, Scroll};
use crate::tui::theme::{Appearance, Role};

/// Draws a frame with a title, marked when it has the keys, and returns the room inside.
pub fn frame(
    title: &str,
    focused: bool,
    look: &Appearance,
    buffer: &mut Buffer,
    area: Rect,
) -> Rect {
    let (set, role) = if focused {
        (look.glyphs.focus_border, Role::Focus)
    } else {
        (look.glyphs.border, Role::Border)
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
            look.put(&format!(" {title} "), Role::Title, buffer, room);
        }
    }
    inner
}

/// A rectangle of at most this size in the middle of an area.
pub fn centred(area: Rect, columns: u16, rows: u16) -> Rect {
    let (width, height) = (columns.min(area.width), rows.min(area.height));
    let x = area.x + (area.width - width) / 2;
    let y = area.y + (area.height - height) / 2;
    Rect {
        x,
        y,
        width,
        height,
    }
}

/// Clears a box of at most this size in the middle of an area, draws its frame, and returns the
/// room inside.
pub fn popup(
    title: &str,
    columns: u16,
    rows: u16,
    look: &Appearance,
    buffer: &mut Buffer,
    area: Rect,
) -> Rect {
    let area = centred(area, columns, rows).intersection(buffer.area);
    for row in area.top()..area.bottom() {
        measure::uncover(area.x, row, buffer);
    }
    Clear.render(area, buffer);
    frame(title, true, look, buffer, area)
}

/// Draws a box over the screen with a text that scrolls, such as help, no higher than the text.
pub fn text_box(
    scroll: &mut Scroll,
    title: &str,
    text: &[Entry],
    columns: u16,
    look: &Appearance,
    buffer: &mut Buffer,
    area: Rect,
) {
    let inside = columns.min(area.width).saturating_sub(2);
    let rows = scroll.lines_in(text, inside, area.height);
    let inner = popup(title, columns, rows.saturating_add(2), look, buffer, area);
    scroll.draw(text, &(0..0), true, look, buffer, inner);
}

/// Draws the names; the one in front is in brackets. Where there is no room
/// for all, those before the one in front give way first.
pub fn render_tabs(
    names: &[String],
    front: usize,
    look: &Appearance,
    buffer: &mut Buffer,
    area: Rect,
) {
    let mut room = Rect {
        height: area.height.min(1),
        ..area
    };
    for (number, text) in in_view(names, front, room.width) {
        let style = look.style(if number == front {
            Role::Selected
        } else {
            Role::Text
        });
        room = measure::after(room, measure::put(&text, style, buffer, room));
    }
}

/// The tab under a column of the line, for a click.
pub fn tab_at(names: &[String], front: usize, column: u16, area: Rect) -> Option<usize> {
    let mut end = usize::from(area.x);
    let column = usize::from(column);
    in_view(names, front, area.width).find_map(|(number, text)| {
        let start = end;
        end += measure::width(&text);
        (start..end).contains(&column).then_some(number)
    })
}

fn in_view(names: &[String], front: usize, columns: u16) -> impl Iterator<Item = (usize, String)> {
    let text = move |number: usize, name: &str| {
        if number == front {
            format!("[{name}]")
        } else {
            format!(" {name} ")
        }
    };
    let tabs: Vec<_> = names
        .iter()
        .enumerate()
        .map(|(n, name)| (n, text(n, name)))
        .collect();
    let width =
        |tabs: &[(usize, String)]| tabs.iter().map(|(_, t)| measure::width(t)).sum::<usize>();
    let columns = usize::from(columns);
    let first = (0..front.min(tabs.len()))
        .find(|&first| width(&tabs[first..=front.min(tabs.len() - 1)]) <= columns)
        .unwrap_or(front);
    tabs.into_iter().skip(first)
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

#[cfg(test)]
mod overlay_tests {
    use super::*;
    use crate::tui::theme::Role;
    use crate::tui::widget::testing::drawn;

    #[test]
    fn a_text_box_starts_at_the_beginning_and_says_that_there_is_more() {
        let text: Vec<_> = (0..9)
            .map(|n| Entry::new(format!("k{n}"), Role::Key, format!("does {n}")))
            .collect();
        let mut scroll = Scroll::fixed(5);
        let picture = |scroll: &mut Scroll| {
            drawn(24, 5, |buffer, area| {
                let look = Appearance::default();
                text_box(scroll, "Help", &text, 18, &look, buffer, area);
            })
        };
        insta::assert_snapshot!(picture(&mut scroll), @r"
           ┏━ Help ━━━━━━━━━┓
           ┃k0   does 0     ┃
           ┃k1   does 1     ┃
           ┃k2   does 2     ↓
           ┗━━━━━━━━━━━━━━━━┛
        ");
        scroll.scroll(&text[..], 1);
        insta::assert_snapshot!(picture(&mut scroll), @r"
           ┏━ Help ━━━━━━━━━┓
           ┃k1   does 1     ↑
           ┃k2   does 2     ┃
           ┃k3   does 3     ↓
           ┗━━━━━━━━━━━━━━━━┛
        ");
    }

    #[test]
    fn a_popup_fits_anywhere() {
        for (columns, rows) in [(0, 0), (1, 1), (2, 9)] {
            drawn(columns, rows, |buffer, area| {
                popup("title", 40, 9, &Appearance::default(), buffer, area);
            });
        }
    }
}

#[cfg(test)]
mod tabs_tests {
    use super::*;
    use crate::tui::widget::testing::drawn;

    fn names() -> [String; 3] {
        ["1 Ask", "2 Tree", "3 Log"].map(str::to_owned)
    }

    fn picture(front: usize, columns: u16) -> String {
        drawn(columns, 1, |buffer, area| {
            render_tabs(&names(), front, &Appearance::default(), buffer, area);
        })
    }

    #[test]
    fn the_tab_in_front_is_in_brackets_and_always_seen() {
        assert_eq!(picture(1, 30), " 1 Ask [2 Tree] 3 Log");
        assert_eq!(picture(2, 16), " 2 Tree [3 Log]");
        assert_eq!(picture(2, 4), "[3 L");
    }

    #[test]
    fn a_click_finds_the_tab_it_sees() {
        let area = Rect::new(3, 0, 30, 1);
        assert_eq!(tab_at(&names(), 1, 3, area), Some(0));
        assert_eq!(tab_at(&names(), 1, 10, area), Some(1));
        assert_eq!(tab_at(&names(), 1, 29, area), None);
        assert_eq!(tab_at(&names(), 1, 0, area), None);
    }

    #[test]
    fn no_tabs_and_no_room_are_fine() {
        picture(9, 20);
        picture(0, 0);
        drawn(5, 1, |buffer, area| {
            render_tabs(&[], 0, &Appearance::default(), buffer, area);
        });
    }
}
