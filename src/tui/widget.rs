//! Widgets that draw themselves from their own state and do not depend on each other.
//!
//! A scrolling panel is drawn in two steps: `fit_to_area` passes the available area and may scroll, `render` draws the
//! panel and changes no state. `draw` does both. Between frames, keys call the panel's methods. All text is made safe
//! and measured in columns before it is drawn: use a [`Canvas`] for other drawing.

pub mod choice;
pub mod grid;
pub mod labels;
pub mod measure;
pub mod scroll;
pub mod text_input;
pub mod tree;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::symbols::merge::MergeStrategy;
use ratatui::widgets::{Block, Clear, Widget as _};

use crate::tui::theme::{ScreenAppearance, TextRole, Theme};
use debate_core::text::replace_unsafe_characters;
use debate_text::split_at_truth_and_bet_words;

/// A buffer of the screen to draw on, with the styles and symbols for drawing.
pub struct Canvas<'c> {
    pub look: ScreenAppearance,
    pub buffer: &'c mut Buffer,
}

impl<'c> Canvas<'c> {
    pub fn new(look: &ScreenAppearance, buffer: &'c mut Buffer) -> Self {
        let look = *look;
        Self { look, buffer }
    }

    /// Draws one line of text in the style of a role, see [`measure::draw_single_text_line`]. Returns the number of
    /// columns drawn.
    pub fn draw_text_line(&mut self, text: &str, role: TextRole, area: Rect) -> u16 {
        measure::draw_single_text_line(text, self.look.style(role), self.buffer, area)
    }

    /// Draws one line of text at the right edge of an area, see [`measure::draw_text_right_aligned`]. Returns the
    /// number of columns drawn.
    pub fn draw_text_right_aligned(&mut self, text: &str, role: TextRole, area: Rect) -> u16 {
        measure::draw_text_right_aligned(text, self.look.style(role), self.buffer, area)
    }

    /// Draws one line of text. If it is too long, it is cut and ends with an ellipsis.
    pub fn draw_text_clipped(&mut self, text: &str, role: TextRole, area: Rect) -> u16 {
        let text = measure::clip(text, area.width.into(), self.look.glyphs.ellipsis);
        self.draw_text_line(&text, role, area)
    }

    /// Draws one line of text at the left of `area` and removes the drawn columns from `area`.
    pub fn draw_line_and_skip_columns(&mut self, text: &str, role: TextRole, area: &mut Rect) {
        *area = measure::skip_columns(*area, self.draw_text_line(text, role, *area));
    }

    /// Draws a text from the top of `area`, wrapped to its columns.
    pub fn draw_text_wrapped(&mut self, text: &str, role: TextRole, area: Rect) {
        for (number, line) in measure::wrap(text, area.width.into()).iter().enumerate() {
            self.draw_text_line(line, role, measure::row(area, number));
        }
    }

    /// Applies the style of a role to all cells of an area.
    pub fn set_style(&mut self, area: Rect, role: TextRole) {
        let area = area.intersection(self.buffer.area);
        self.buffer.set_style(area, self.look.style(role));
    }

    /// Colours the words for outcomes ("true", "too low") in a line of text that was already drawn at the left of
    /// `area`.
    pub fn colour_answer_and_bet_words(&mut self, text: &str, area: Rect) {
        let mut at = measure::row(area, 0);
        for span in split_at_truth_and_bet_words(TextRole::Text, &replace_unsafe_characters(text)) {
            let columns = measure::to_u16_saturating(measure::width(&span.text));
            if span.role != TextRole::Text {
                self.set_style(measure::first_columns(at, columns), span.role);
            }
            at = measure::skip_columns(at, columns);
        }
    }

    /// Draws a frame with a title, which is highlighted if `focused`. Returns the area inside the frame.
    pub fn draw_frame(&mut self, title: &str, focused: bool, area: Rect) -> Rect {
        let glyphs = self.look.glyphs;
        let role = if focused {
            TextRole::Focus
        } else {
            TextRole::Border
        };
        // Neighbours share borders: where lines meet, their signs are merged.
        let block = Block::bordered()
            .border_set(glyphs.border)
            .border_style(self.look.style(role))
            .merge_borders(MergeStrategy::Fuzzy);
        let inner = block.inner(area);
        block.render(area, self.buffer);
        if area.width > 6 {
            let room = measure::first_columns(measure::skip_columns(area, 1), area.width - 2);
            let title = measure::clip(title, usize::from(room.width) - 2, glyphs.ellipsis);
            // Without colours the frame alone does not show the focus.
            let colours = !matches!(self.look.theme, Theme::HighContrast | Theme::Monochrome);
            let (text, role) = match (focused, glyphs.unicode) {
                (true, true) if colours => (format!(" {title} "), TextRole::Focus),
                (true, true) => (format!(" {title} "), TextRole::Selected),
                (true, false) => (format!("[{title}]"), TextRole::Title),
                (false, _) => (format!(" {title} "), TextRole::Title),
            };
            if !title.is_empty() {
                self.draw_text_line(&text, role, room);
            }
        }
        inner
    }

    /// Clears a box in the middle of an area and draws a frame at its edge. The box has `usual_rows` rows and the width
    /// [`popup_width`]. If hardly any rows would be left beside it, it has all rows of the area. Returns the area
    /// inside the frame.
    pub fn draw_popup(
        &mut self,
        title: &str,
        usual_columns: u16,
        usual_rows: u16,
        area: Rect,
    ) -> Rect {
        let columns = popup_width(usual_columns, area.width);
        // A single row beside the box would show only the frames below it.
        let covers_rows = area.height < usual_rows.saturating_add(MIN_ROWS_BESIDE_POPUP);
        let rows = if covers_rows { area.height } else { usual_rows };
        let area = centred(area, columns, rows).intersection(self.buffer.area);
        for row in area.top()..area.bottom() {
            measure::erase_split_wide_character(area.x, row, self.buffer);
        }
        Clear.render(area, self.buffer);
        self.erase_texts_cut_by_popup(area);
        self.draw_frame(title, true, area)
    }

    /// Erases the ends of texts beside a popup, up to the next frame, if only a few columns of them are in view. Single
    /// letters would look like a part of the popup.
    fn erase_texts_cut_by_popup(&mut self, popup: Rect) {
        let border = self.look.glyphs.border;
        let screen = self.buffer.area;
        let right: Vec<u16> = (popup.right()..screen.right()).collect();
        let left: Vec<u16> = (screen.left()..popup.left()).rev().collect();
        for columns in [right, left] {
            let is_frame = |column: u16, row: u16| {
                let symbol = self.buffer[(column, row)].symbol();
                [border.vertical_left, border.vertical_right].contains(&symbol)
            };
            // The column of a frame has its sign in most rows, unlike a branch line in a tree of claims.
            let most = |column: &u16| {
                let rows = popup.top()..popup.bottom();
                2 * rows.filter(|row| is_frame(*column, *row)).count() > usize::from(popup.height)
            };
            let mut near = columns.iter().take(MIN_TEXT_BESIDE_POPUP);
            let Some(beside) = near.position(most) else {
                continue;
            };
            let frame = columns[beside];
            let rows = popup.top()..popup.bottom();
            let rows: Vec<u16> = rows.filter(|row| is_frame(frame, *row)).collect();
            for row in rows {
                for column in &columns[..beside] {
                    self.buffer[(*column, row)].reset();
                }
            }
        }
    }
}

/// Minimum number of rows beside a popup, above and below together.
const MIN_ROWS_BESIDE_POPUP: u16 = 3;
/// Minimum number of columns beside a popup, on both sides together. In fewer columns, single letters of the screen
/// below would look like a part of the popup.
const MIN_COLUMNS_BESIDE_POPUP: u16 = 8;

/// Minimum number of columns of a panel that stay in view beside a popup.
const MIN_TEXT_BESIDE_POPUP: usize = 12;

/// Returns the width of a popup on a screen that is `screen_columns` wide: `usual_columns`, or the whole screen if
/// hardly any columns would be left beside the popup.
pub fn popup_width(usual_columns: u16, screen_columns: u16) -> u16 {
    if screen_columns < usual_columns.saturating_add(MIN_COLUMNS_BESIDE_POPUP) {
        screen_columns
    } else {
        usual_columns
    }
}

/// Returns a rectangle of at most this size in the middle of an area.
pub fn centred(area: Rect, max_columns: u16, max_rows: u16) -> Rect {
    let width = max_columns.min(area.width);
    let height = max_rows.min(area.height);
    let x = area.x + (area.width - width) / 2;
    let y = area.y + (area.height - height) / 2;
    Rect::new(x, y, width, height)
}

/// Draws the names of tabs, the selected one in brackets. If the selected tab would not fit, the first tabs are dropped
/// until it does. Tabs behind it are cut off at the right edge.
pub fn render_tabs(names: &[String], selected_tab: usize, canvas: &mut Canvas<'_>, area: Rect) {
    let mut room = measure::row(area, 0);
    for (number, text) in in_view(names, selected_tab, room.width) {
        let role = if number == selected_tab {
            TextRole::Selected
        } else {
            TextRole::Text
        };
        canvas.draw_line_and_skip_columns(&text, role, &mut room);
    }
}

/// Returns the index of the tab that is drawn at this column of its line, for a click.
pub fn tab_at(names: &[String], selected_tab: usize, column: u16, area: Rect) -> Option<usize> {
    let mut end = usize::from(area.x);
    let column = usize::from(column);
    in_view(names, selected_tab, area.width).find_map(|(number, text)| {
        let start = end;
        end += measure::width(&text);
        (start..end).contains(&column).then_some(number)
    })
}

fn in_view(
    names: &[String],
    selected_tab: usize,
    columns: u16,
) -> impl Iterator<Item = (usize, String)> {
    let text = move |number: usize, name: &str| {
        if number == selected_tab {
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
    let first = (0..selected_tab.min(tabs.len()))
        .find(|&first| width(&tabs[first..=selected_tab.min(tabs.len() - 1)]) <= columns)
        .unwrap_or(selected_tab);
    tabs.into_iter().skip(first)
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// Returns the text that `draw` produces in an area of this size, one line per row, without trailing spaces.
    pub(crate) fn drawn_text(
        columns: u16,
        rows: u16,
        draw: impl FnOnce(&mut Buffer, Rect),
    ) -> String {
        let buffer = draw_to_buffer(columns, rows, draw);
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

    pub(crate) fn draw_to_buffer(
        columns: u16,
        rows: u16,
        draw: impl FnOnce(&mut Buffer, Rect),
    ) -> Buffer {
        let area = Rect::new(0, 0, columns, rows);
        // The margin shows that the widget draws only inside its area.
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
    use super::{testing::drawn_text, *};

    #[test]
    fn a_frame_shows_its_title_and_returns_the_area_inside() {
        let mut inner = Rect::ZERO;
        let picture = drawn_text(14, 3, |buffer, area| {
            inner = Canvas::new(&ScreenAppearance::default(), buffer).draw_frame(
                "Transcript",
                false,
                area,
            );
        });
        insta::assert_snapshot!(picture, @"
        ╭ Transcript ╮
        │            │
        ╰────────────╯
        ");
        assert_eq!(inner, Rect::new(1, 1, 12, 1));
    }

    #[test]
    fn a_frame_is_drawn_in_areas_of_any_size() {
        for (columns, rows) in [(0, 0), (1, 1), (7, 1), (3, 9)] {
            drawn_text(columns, rows, |buffer, area| {
                Canvas::new(&ScreenAppearance::default(), buffer).draw_frame("日本語", true, area);
            });
        }
    }
}

#[cfg(test)]
mod overlay_tests {
    use super::*;
    use crate::tui::theme::TextRole;
    use crate::tui::widget::scroll::{Entry, Scroll};
    use crate::tui::widget::testing::drawn_text;

    #[test]
    fn a_text_box_starts_at_the_top_and_shows_signs_for_hidden_text() {
        let text: Vec<_> = (0..9)
            .map(|n| Entry::new(format!("k{n}"), TextRole::Key, format!("does {n}")))
            .collect();
        let mut scroll = Scroll::at_start_without_following(5);
        let picture = |scroll: &mut Scroll| {
            drawn_text(24, 5, |buffer, area| {
                let look = ScreenAppearance::default();
                let canvas = &mut Canvas::new(&look, buffer);
                let area = measure::skip_columns(measure::first_columns(area, 21), 3);
                scroll.draw_box("Help", &text, canvas, area);
            })
        };
        insta::assert_snapshot!(picture(&mut scroll), @r"
           ╭ Help ──────────╮
           │k0   does 0     │
           │k1   does 1     │
           │k2   does 2     ↓
           ╰────────────────╯
        ");
        scroll.scroll(&text[..], 1);
        insta::assert_snapshot!(picture(&mut scroll), @r"
           ╭ Help ──────────╮
           │k1   does 1     ↑
           │k2   does 2     │
           │k3   does 3     ↓
           ╰────────────────╯
        ");
    }

    #[test]
    fn a_popup_is_drawn_in_areas_of_any_size() {
        for (columns, rows) in [(0, 0), (1, 1), (2, 9)] {
            drawn_text(columns, rows, |buffer, area| {
                Canvas::new(&ScreenAppearance::default(), buffer).draw_popup("title", 40, 9, area);
            });
        }
    }
}

#[cfg(test)]
mod tabs_tests {
    use super::*;
    use crate::tui::widget::testing::drawn_text;

    fn names() -> [String; 3] {
        ["1 Ask", "2 Tree", "3 Log"].map(str::to_owned)
    }

    fn picture(selected_tab: usize, columns: u16) -> String {
        drawn_text(columns, 1, |buffer, area| {
            render_tabs(
                &names(),
                selected_tab,
                &mut Canvas::new(&ScreenAppearance::default(), buffer),
                area,
            );
        })
    }

    #[test]
    fn the_selected_tab_is_in_brackets_and_always_visible() {
        assert_eq!(picture(1, 30), " 1 Ask [2 Tree] 3 Log");
        assert_eq!(picture(2, 16), " 2 Tree [3 Log]");
        assert_eq!(picture(2, 4), "[3 L");
    }

    #[test]
    fn a_click_finds_the_tab_under_it() {
        let area = Rect::new(3, 0, 30, 1);
        assert_eq!(tab_at(&names(), 1, 3, area), Some(0));
        assert_eq!(tab_at(&names(), 1, 10, area), Some(1));
        assert_eq!(tab_at(&names(), 1, 29, area), None);
        assert_eq!(tab_at(&names(), 1, 0, area), None);
    }

    #[test]
    fn no_tabs_and_empty_areas_are_drawn() {
        picture(9, 20);
        picture(0, 0);
        drawn_text(5, 1, |buffer, area| {
            render_tabs(
                &[],
                0,
                &mut Canvas::new(&ScreenAppearance::default(), buffer),
                area,
            );
        });
    }
}
