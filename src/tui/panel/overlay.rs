//! Boxes over the screen.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    widgets::{Clear, Widget},
};

use super::{
    frame, measure,
    scroll::{Entries, Scroll},
};
use crate::tui::theme::{Appearance, StyleRole};

/// A rectangle of at most this size in the middle of an area.
#[must_use]
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

/// A box of text that scrolls from its beginning, such as help, no higher than its text. Scroll it
/// with the methods of `scroll`.
#[derive(Clone, Debug)]
pub struct ScrollBox {
    /// Where the reader is in the text.
    pub scroll: Scroll,
}

impl ScrollBox {
    /// A reader at the beginning, with so many columns for labels.
    #[must_use]
    pub fn new(margin: u16) -> Self {
        let mut scroll = Scroll::new(margin);
        scroll.unstick();
        Self { scroll }
    }

    /// Fits and draws the box with its text, and signs where there is more.
    pub fn render(
        &mut self,
        title: &str,
        text: &(impl Entries + ?Sized),
        columns: u16,
        look: &Appearance,
        buffer: &mut Buffer,
        area: Rect,
    ) {
        let inside = columns.min(area.width).saturating_sub(2);
        let rows = self.scroll.lines_in(text, inside, area.height);
        let inner = popup(title, columns, rows.saturating_add(2), look, buffer, area);
        self.scroll.fit(text, inner);
        self.scroll.render(text, &(0..0), look, buffer, inner);
        let edge = Rect {
            x: inner.right(),
            width: 1,
            ..inner
        };
        let style = look.style(StyleRole::Focus);
        if self.scroll.is_below_start() {
            measure::put(look.glyphs.more_up, style, buffer, measure::row(edge, 0));
        }
        if !self.scroll.is_at_end(text) {
            let last = usize::from(edge.height.saturating_sub(1));
            measure::put(
                look.glyphs.more_down,
                style,
                buffer,
                measure::row(edge, last),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::panel::{scroll::Entry, testing::drawn};

    #[test]
    fn a_reader_starts_at_the_beginning_and_says_that_there_is_more() {
        let text: Vec<_> = (0..9)
            .map(|n| Entry::new(format!("k{n}"), StyleRole::Key, format!("does {n}")))
            .collect();
        let mut scroll_box = ScrollBox::new(5);
        let picture = |scroll_box: &mut ScrollBox| {
            drawn(24, 5, |buffer, area| {
                scroll_box.render("Help", &text[..], 18, &Appearance::default(), buffer, area);
            })
        };
        insta::assert_snapshot!(picture(&mut scroll_box), @r"
           ┏━ Help ━━━━━━━━━┓
           ┃k0   does 0     ┃
           ┃k1   does 1     ┃
           ┃k2   does 2     ↓
           ┗━━━━━━━━━━━━━━━━┛
        ");
        scroll_box.scroll.scroll(&text[..], 1);
        insta::assert_snapshot!(picture(&mut scroll_box), @r"
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
