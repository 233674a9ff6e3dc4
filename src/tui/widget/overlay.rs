//! Boxes over the screen.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    widgets::{Clear, Widget},
};

use super::{
    frame, measure,
    scroll::{Entry, Scroll},
};
use crate::tui::theme::Appearance;

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
    (title, text): (&str, &[Entry]),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::StyleRole;
    use crate::tui::widget::testing::drawn;

    #[test]
    fn a_text_box_starts_at_the_beginning_and_says_that_there_is_more() {
        let text: Vec<_> = (0..9)
            .map(|n| Entry::new(format!("k{n}"), StyleRole::Key, format!("does {n}")))
            .collect();
        let mut scroll = Scroll::fixed(5);
        let picture = |scroll: &mut Scroll| {
            drawn(24, 5, |buffer, area| {
                let look = Appearance::default();
                text_box(scroll, ("Help", &text), 18, &look, buffer, area);
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
