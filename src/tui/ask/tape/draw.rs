//! The pictures of a tape and of its rules.

use super::{Field, MARGIN, TapeEditor};
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widget::measure;
use debate_core::scenario::SymbolId;
use ratatui::{buffer::Buffer, layout::Rect};

impl TapeEditor {
    pub(super) fn draw_tape(&self, look: &Appearance, buffer: &mut Buffer, area: Rect) {
        if area.is_empty() {
            return;
        }
        let style = |role| look.style(role);
        let rows = [0, 1, 2, 3].map(|number| measure::row(area, number));
        let [state, numbers, cells, marks] = rows;
        for (label, row) in [("state", state), ("cell", numbers), ("tape", cells)] {
            measure::put(label, style(StyleRole::Faint), buffer, row);
        }

        let name = measure::after(state, MARGIN);
        let changed = self.now.state != self.given.state;
        let role = if changed {
            StyleRole::Newest
        } else {
            StyleRole::Text
        };
        let text = format!(" {} ", self.state_name(self.now.state));
        let taken = measure::put(&text, style(role), buffer, name);
        if self.field == Field::State {
            let width = taken.min(name.width);
            buffer.set_style(Rect { width, ..name }, style(StyleRole::Selected));
        }
        if changed {
            let mark = measure::after(name, taken);
            measure::put(look.signs().newest, style(role), buffer, mark);
        }

        let end = (self.first + self.shown).min(self.now.tape.len());
        let digits = end.saturating_sub(1).to_string().len();
        // Long numbers stand at every so many cells.
        let every = (digits + 1).div_ceil(self.cell_columns()).max(1);
        for cell in self.first..end {
            let place = self.place(cell, cells);
            let symbol = self.now.tape.get(cell).copied().unwrap_or(0);
            let is_head = cell == self.now.head;
            let sign = measure::pad(&self.sign(symbol), self.cell_columns() - 3);
            let text = if is_head {
                format!("[{sign}]")
            } else {
                format!(" {sign} ")
            };
            let changed = self.given.tape.get(cell) != Some(&symbol);
            let role = match (changed, is_head) {
                (true, _) => StyleRole::Newest,
                (false, true) => StyleRole::Title,
                (false, false) => StyleRole::Text,
            };
            let line = Rect {
                x: place.x - 1,
                width: 1,
                ..place
            };
            measure::put(look.glyphs.rail, style(StyleRole::Border), buffer, line);
            measure::put(&text, style(role), buffer, place);
            if self.field == Field::Tape && cell == self.cell {
                buffer.set_style(place.intersection(buffer.area), style(StyleRole::Selected));
            }
            if cell.is_multiple_of(every) {
                let room = Rect {
                    width: area.right().saturating_sub(place.x),
                    ..self.place(cell, numbers)
                };
                let room = measure::after(room, 1);
                measure::put(&cell.to_string(), style(StyleRole::Faint), buffer, room);
            }
            let below = measure::after(self.place(cell, marks), 1);
            if is_head {
                measure::put(look.glyphs.more_up, style(StyleRole::Title), buffer, below);
            } else if changed {
                measure::put(look.signs().newest, style(role), buffer, below);
            }
        }
        let last = self.place(end, cells);
        if last.x > cells.x && last.x - 1 < cells.right() {
            let line = Rect {
                x: last.x - 1,
                width: 1,
                ..cells
            };
            let more = if end < self.now.tape.len() {
                look.glyphs.ellipsis
            } else {
                look.glyphs.rail
            };
            measure::put(more, style(StyleRole::Border), buffer, line);
        }
        let label = if self.first > 0 { "head …" } else { "head" };
        measure::put(label, style(StyleRole::Faint), buffer, marks);
    }

    pub(super) fn draw_rules(&self, look: &Appearance, buffer: &mut Buffer, area: Rect) {
        let heading = format!("Rules in state {}:", self.state_name(self.now.state));
        let heading = measure::clip(&heading, area.width.into(), look.glyphs.ellipsis);
        let style = look.style(StyleRole::Title);
        measure::put(&heading, style, buffer, measure::row(area, 0));
        let count = self.symbols().len();
        let read = self.now.tape.get(self.now.head).copied().unwrap_or(0);
        let room = usize::from(area.height).saturating_sub(1);
        // The rule that applies is in view.
        let first = (usize::from(read) + 1).saturating_sub(room);
        for (row, symbol) in (first..count).take(room).enumerate() {
            let symbol = SymbolId::try_from(symbol).unwrap_or(0);
            let applies = symbol == read;
            let (cursor, role) = if applies {
                (look.glyphs.cursor, StyleRole::Current)
            } else {
                (" ", StyleRole::Text)
            };
            let line = format!("{cursor}reads {}: {}", self.sign(symbol), self.rule(symbol));
            let line = measure::clip(&line, area.width.into(), look.glyphs.ellipsis);
            let at = measure::row(area, row + 1);
            measure::put(&line, look.style(role), buffer, at);
        }
    }
}
