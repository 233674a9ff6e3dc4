//! The values of a block of quantified variables, by their names, beside the clauses that they make
//! true or false.

use std::ops::Range;
use std::sync::Arc;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use super::bits::differences;
use super::jump::Jump;
use super::widget::Widget;
use crate::tui::actions::Contexts;
use crate::tui::keys::{Action, BITS};
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widget::bit_edits::BitEdits;
use crate::tui::widget::measure;
use debate_core::bits::Bits;
use debate_core::number::Exact;
use debate_core::protocol::Reply;
use debate_core::scenario::Formula;
use debate_lab::tell::grouped;

/// Rows that variables and clauses take at most, and where there is little room.
const ROWS: usize = 8;
const LEAST: usize = 3;
/// From so many columns on the clauses stand beside the variables, else below them.
const BESIDE: u16 = 60;
/// Columns of a variable beside its name: the cursor, " = 1", a mark and a gap.
const AROUND: usize = 8;

/// An editor of the values of one block.
#[derive(Debug)]
pub(super) struct VariablesEditor {
    formula: Arc<Formula>,
    names: Vec<String>,
    /// Columns of the longest name.
    widest: usize,
    /// The values of the blocks outside, and below those of this block.
    outer: Vec<bool>,
    edits: BitEdits,
    cursor: usize,
    /// The row at the top, the variables in a row, and the rows in view.
    top: usize,
    per_row: usize,
    height: usize,
    /// The clauses that the blocks outside leave open or have broken, those that read this block
    /// first.
    clauses: Vec<usize>,
    /// What each of them comes to, as far as it is decided.
    holds: Vec<Option<bool>>,
    jump: Jump,
}

impl VariablesEditor {
    /// An editor of a block, once the blocks outside have these values. `None` where there is no
    /// such block.
    pub(super) fn new(
        formula: Arc<Formula>,
        block: usize,
        outer: Vec<bool>,
        prepared: Option<Bits>,
    ) -> Option<Self> {
        let here = formula.blocks().get(block)?;
        let names = here.variables.iter();
        let names: Vec<String> = names
            .map(|variable| formula.variable_name(here, *variable))
            .collect();
        let places = outer.len()..outer.len() + names.len();
        let clauses = clauses_of(&formula, &outer, &places);
        let given = prepared.filter(|bits| bits.len() == names.len());
        let mut editor = Self {
            widest: names.iter().map(|name| measure::width(name)).max()?,
            edits: BitEdits::new(given.unwrap_or_else(|| Bits::zeros(names.len()))),
            names,
            outer,
            cursor: 0,
            top: 0,
            per_row: 1,
            height: 1,
            holds: Vec::new(),
            clauses,
            jump: Jump::default(),
            formula,
        };
        editor.evaluate();
        Some(editor)
    }

    /// Looks at the clauses anew after a change.
    fn evaluate(&mut self) {
        let mut values = self.outer.clone();
        values.extend_from_slice(self.edits.bits().as_slice());
        let holds = |number: &usize| self.formula.clause_holds(*number, &values);
        self.holds = self.clauses.iter().map(holds).collect();
    }

    fn go(&mut self, place: usize) {
        self.cursor = place.min(self.names.len().saturating_sub(1));
    }

    fn step(&mut self, places: isize) {
        self.go(self.cursor.saturating_add_signed(places));
    }

    fn step_rows(&mut self, rows: isize) {
        let by = rows.saturating_mul(isize::try_from(self.per_row).unwrap_or(isize::MAX));
        let to = self.cursor.checked_add_signed(by);
        if let Some(to) = to.filter(|to| *to < self.names.len()) {
            self.cursor = to;
        }
    }

    fn follow_jump(&mut self) {
        // Variables are counted from 1, as people do.
        if let Some(place) = self.jump.number().and_then(|number| number.checked_sub(1)) {
            self.go(usize::try_from(place).unwrap_or(usize::MAX));
        }
    }

    /// Columns of a variable.
    fn columns(&self) -> usize {
        self.widest + AROUND
    }

    /// The room of the variables and that of the clauses.
    fn rooms(&self, area: Rect) -> [Rect; 2] {
        let none = Rect { height: 0, ..area };
        if self.clauses.is_empty() {
            return [area, none];
        }
        if area.width >= BESIDE {
            // As many columns of variables as are needed, within half of the room.
            let half = usize::from(area.width / 2);
            let needed = self.names.len().div_ceil(usize::from(area.height).max(1));
            let wanted = (needed.max(1) * self.columns()).min(half);
            let width = u16::try_from(wanted.max(20)).unwrap_or(u16::MAX);
            let left = Rect { width, ..area };
            return [left, measure::after(area, width + 2)];
        }
        let rows = self.variable_rows(area.width).min(LEAST);
        let rows = area.height.min(u16::try_from(rows).unwrap_or(u16::MAX));
        let upper = Rect {
            height: rows,
            ..area
        };
        let lower = Rect {
            y: area.y + rows,
            height: area.height - rows,
            ..area
        };
        [upper, lower]
    }

    fn fits(&self, columns: u16) -> usize {
        (usize::from(columns) / self.columns()).max(1)
    }

    fn variable_rows(&self, columns: u16) -> usize {
        self.names.len().div_ceil(self.fits(columns)).max(1)
    }

    /// The count of clauses that fail, hold and are open, over the list of them.
    fn counted(&self) -> (StyleRole, String) {
        let count = |wanted: Option<bool>| {
            let found = self.holds.iter().filter(|holds| **holds == wanted);
            found.count()
        };
        let (fail, open) = (count(Some(false)), count(None));
        let all = self.formula.clause_count();
        // Clauses that are not listed hold already.
        let hold = all - fail - open;
        let role = if fail > 0 {
            StyleRole::Bad
        } else {
            StyleRole::Title
        };
        let verb = |count: usize, word: &str| match count {
            1 => format!("1 {word}s"),
            count => format!("{} {word}", grouped(count as u64)),
        };
        let open = match open {
            0 => String::new(),
            1 => ", 1 is open".to_owned(),
            open => format!(", {} are open", grouped(open as u64)),
        };
        let told = format!(
            "Clauses: {}, {}{open}",
            verb(fail, "fail"),
            verb(hold, "hold")
        );
        (role, told)
    }

    fn draw_variables(&self, look: &Appearance, buffer: &mut Buffer, area: Rect) {
        let columns = self.columns();
        for line in 0..usize::from(area.height) {
            let from = (self.top + line) * self.per_row;
            let to = (from + self.per_row).min(self.names.len());
            for place in from..to {
                let row = measure::row(area, line);
                let offset = u16::try_from((place - from) * columns).unwrap_or(u16::MAX);
                let cell = measure::after(row, offset);
                let cell = Rect {
                    width: cell
                        .width
                        .min(u16::try_from(columns - 1).unwrap_or(u16::MAX)),
                    ..cell
                };
                let here = place == self.cursor;
                let changed = self.edits.turned().contains(&place);
                let cursor = if here { look.glyphs.cursor } else { " " };
                let mark = if changed { look.signs().newest } else { " " };
                let name = self.names.get(place).map_or("", String::as_str);
                let name = measure::pad(name, self.widest);
                let value = u8::from(self.edits.at(place));
                let text = format!("{cursor}{name} = {value} {mark}");
                let role = if changed {
                    StyleRole::Newest
                } else {
                    StyleRole::Text
                };
                measure::put(&text, look.style(role), buffer, cell);
                if here {
                    let area = cell.intersection(buffer.area);
                    buffer.set_style(area, look.style(StyleRole::Selected));
                }
            }
        }
    }

    fn draw_clauses(&self, look: &Appearance, buffer: &mut Buffer, area: Rect) {
        let (role, told) = self.counted();
        measure::put(&told, look.style(role), buffer, measure::row(area, 0));
        let room = usize::from(area.height).saturating_sub(1);
        let left = self.clauses.len().saturating_sub(room);
        // The last row says how many more there are.
        let shown = if left > 0 {
            room.saturating_sub(1)
        } else {
            room
        };
        let clauses = self.clauses.iter().zip(&self.holds).take(shown);
        for (row, (number, holds)) in clauses.enumerate() {
            let (sign, role) = match holds {
                Some(true) => (look.signs().right, StyleRole::Good),
                Some(false) => (look.signs().wrong, StyleRole::Bad),
                None => (look.glyphs.unplayed, StyleRole::Text),
            };
            let text = self.formula.clause(*number).unwrap_or_default();
            let line = format!("{sign} {text}");
            let line = measure::clip(&line, area.width.into(), look.glyphs.ellipsis);
            let at = measure::row(area, row + 1);
            measure::put(&line, look.style(role), buffer, at);
        }
        if left > 0 && room > 0 {
            let told = format!("  and {} more", grouped((left + 1) as u64));
            let at = measure::row(area, shown + 1);
            measure::put(&told, look.style(StyleRole::Faint), buffer, at);
        }
    }
}

/// The clauses that are not made true by the outer values: those that they break first, then those
/// that read one of these places, then the others.
fn clauses_of(formula: &Formula, outer: &[bool], places: &Range<usize>) -> Vec<usize> {
    let numbers = 0..formula.clause_count();
    let open = numbers.filter(|number| formula.clause_holds(*number, outer) != Some(true));
    let mut clauses: Vec<usize> = open.collect();
    clauses.sort_by_cached_key(|number| {
        let broken = formula.clause_holds(*number, outer) == Some(false);
        (!broken, !formula.clause_reads(*number, places))
    });
    clauses
}

impl Widget for VariablesEditor {
    fn context(&self) -> Contexts {
        BITS
    }

    fn reply(&self) -> Result<Reply<Exact>, String> {
        Ok(Reply::Bits(self.edits.bits()))
    }

    fn act(&mut self, action: Action) -> bool {
        match action {
            Action::PlaceBack => self.step(-1),
            Action::PlaceOn => self.step(1),
            Action::Above => self.step_rows(-1),
            Action::Below => self.step_rows(1),
            Action::PageAbove | Action::PageBelow => {
                let rows = isize::try_from(self.height).unwrap_or(1);
                let sign = if action == Action::PageAbove { -1 } else { 1 };
                let per_row = isize::try_from(self.per_row).unwrap_or(1);
                self.step(sign * rows * per_row);
            }
            Action::FirstPlace => self.go(0),
            Action::LastPlace => self.go(usize::MAX),
            Action::Turn => self.edits.turn(self.cursor),
            Action::NextDifference | Action::PreviousDifference => {
                let forward = action == Action::NextDifference;
                let found = self.edits.next_turned(self.cursor, forward);
                self.cursor = found.unwrap_or(self.cursor);
            }
            Action::Restore => self.edits.restore(),
            Action::Jump => {
                self.jump.open();
                return true;
            }
            _ => return false,
        }
        self.jump.close();
        if matches!(action, Action::Turn | Action::Restore) {
            self.evaluate();
        }
        true
    }

    fn press(&mut self, c: char) -> bool {
        if self.jump.is_open() {
            let taken = self.jump.press(c);
            self.follow_jump();
            return taken;
        }
        if !matches!(c, '0' | '1') {
            return false;
        }
        self.edits.write(self.cursor, c == '1');
        self.step(1);
        self.evaluate();
        true
    }

    fn erase(&mut self) -> bool {
        let open = self.jump.erase();
        self.follow_jump();
        if !open {
            self.step(-1);
        }
        true
    }

    fn settle(&mut self) -> bool {
        self.jump.close()
    }

    fn is_edited(&self) -> bool {
        self.edits.is_edited()
    }

    fn undo(&mut self) -> bool {
        let edited = self.edits.is_edited();
        self.cursor = self.edits.undo().unwrap_or(self.cursor);
        self.evaluate();
        edited
    }

    fn scroll(&mut self, lines: isize) -> bool {
        self.step_rows(lines);
        true
    }

    fn click(&mut self, at: Position, area: Rect) -> bool {
        let [variables, _] = self.rooms(area);
        if !variables.contains(at) {
            return false;
        }
        let row = self.top + usize::from(at.y - variables.y);
        let column = usize::from(at.x - variables.x) / self.columns();
        let place = row * self.per_row + column;
        let hit = column < self.per_row && place < self.names.len();
        if hit {
            self.jump.close();
            self.go(place);
        }
        hit
    }

    fn rows(&self, columns: u16) -> usize {
        let clauses = match self.clauses.len() {
            0 => 0,
            count => count + 1,
        };
        if columns >= BESIDE {
            let half = if clauses > 0 { columns / 2 } else { columns };
            return self.variable_rows(half).max(clauses).min(ROWS);
        }
        let variables = self.variable_rows(columns);
        let variables = if clauses > 0 {
            variables.min(LEAST)
        } else {
            variables
        };
        (variables + clauses).min(ROWS)
    }

    fn least_rows(&self, columns: u16) -> usize {
        self.rows(columns).min(LEAST)
    }

    fn notes(&self) -> Vec<(StyleRole, String)> {
        let name = |place: usize| self.names.get(place).cloned().unwrap_or_default();
        let differences = differences(&self.edits, false, name);
        let mut notes = Vec::new();
        if let Some(typed) = self.jump.typed() {
            let count = grouped(self.names.len() as u64);
            let told = format!("Go to variable {typed}_ of {count}");
            notes.push((StyleRole::Title, told));
        }
        notes.push((StyleRole::Faint, differences));
        notes
    }

    fn draw(&mut self, look: &Appearance, buffer: &mut Buffer, area: Rect) {
        let [variables, clauses] = self.rooms(area);
        self.per_row = self.fits(variables.width);
        self.height = variables.height.into();
        let row = self.cursor / self.per_row;
        let rows = self.names.len().div_ceil(self.per_row);
        let lowest = (row + 1).saturating_sub(self.height);
        let last = rows.saturating_sub(self.height);
        self.top = self.top.min(row).max(lowest).min(last);
        self.draw_variables(look, buffer, variables);
        if clauses.height > 0 {
            self.draw_clauses(look, buffer, clauses);
        }
    }
}

#[cfg(test)]
mod tests;
