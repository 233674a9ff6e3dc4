//! The editor for the values of a block of quantified variables, with their names, beside or above the clauses that the
//! outer blocks do not satisfy.

use crate::tui::widget::Canvas;
use std::ops::Range;
use std::sync::Arc;

use ratatui::layout::{Position, Rect};

use super::bits::edits::BitEdits;
use super::bits::{bit_grid, bits_reply, change_summary};
use super::grid::{
    GridEditor, GridEditorBehaviour, GridHit, GridNotesState, MAX_GRID_ROWS, TypedCharacterMeaning,
};
use crate::tui::actions::Contexts;
use crate::tui::keys::BITS;
use crate::tui::theme::TextRole;
use crate::tui::widget::grid::CellGrid;
use crate::tui::widget::measure;
use debate_core::bits::BitString;
use debate_core::number::Exact;
use debate_core::protocol::Reply;
use debate_core::scenario::Formula;
use debate_text::with_thousands_separators;

/// The smallest number of rows in which the editor is useful. In a narrow editor with clauses, also the maximum number
/// of rows of variables.
const MIN_ROWS: usize = 3;
/// Minimum width at which the formula's clauses are shown beside the variables; below this width they are under them.
const MIN_WIDTH_WITH_CLAUSES: u16 = 60;
/// Columns that a variable needs in addition to its name: for the cursor, " = 1", a mark and a gap.
const VALUE_COLUMNS: usize = 8;

/// The editor for the values of one block of variables, with their names, beside or above the formula's clauses.
#[derive(Debug)]
pub struct VariableEditor {
    formula: Arc<Formula>,
    names: Vec<String>,
    /// Columns of the longest name.
    widest: usize,
    /// The values of the variables of the outer blocks, in order.
    outer: Vec<bool>,
    /// The indices of the clauses that the outer blocks violate or leave open. The order is: violated ones, those that
    /// read a variable of the edited block, others.
    clauses: Vec<usize>,
    /// For each index in `clauses`, true if the clause is satisfied; `None` if its value is not decided yet.
    holds: Vec<Option<bool>>,
}

impl GridEditor<VariableEditor> {
    /// Creates the editor of a block of variables, given the values of the outer blocks. Returns `None` if the block
    /// does not exist or has no variables.
    pub fn for_variables(
        formula: Arc<Formula>,
        block: usize,
        outer: Vec<bool>,
        prepared: Option<BitString>,
    ) -> Option<Self> {
        let here = formula.blocks().get(block)?;
        let names: Vec<String> = here
            .variables
            .iter()
            .map(|variable| formula.variable_name(here, *variable))
            .collect();
        let indices = outer.len()..outer.len() + names.len();
        let given = prepared.filter(|bits| bits.len() == names.len());
        let variables = VariableEditor {
            widest: names.iter().map(|name| measure::width(name)).max()?,
            clauses: relevant_clauses(&formula, &outer, &indices),
            holds: Vec::new(),
            outer,
            formula,
            names,
        };
        let length = variables.names.len();
        Some(Self::new(bit_grid(given, length), variables))
    }
}

impl VariableEditor {
    /// Returns the width of a variable in columns.
    fn variable_columns(&self) -> usize {
        self.widest + VALUE_COLUMNS
    }

    /// Returns the screen areas of the variables and of the clauses.
    fn areas(&self, area: Rect) -> [Rect; 2] {
        if self.clauses.is_empty() {
            return measure::split_rows(area, usize::MAX);
        }
        if area.width >= MIN_WIDTH_WITH_CLAUSES {
            // The variables take as many columns as they need, up to half of the area.
            let half = usize::from(area.width / 2);
            let needed = self.names.len().div_ceil(usize::from(area.height).max(1));
            let wanted = (needed.max(1) * self.variable_columns()).min(half);
            let width = measure::to_u16_saturating(wanted.max(20));
            let left = measure::first_columns(area, width);
            return [left, measure::skip_columns(area, width + 2)];
        }
        measure::split_rows(area, self.variable_rows(area.width).min(MIN_ROWS))
    }

    fn variables_per_row(&self, columns: u16) -> usize {
        (usize::from(columns) / self.variable_columns()).max(1)
    }

    fn variable_rows(&self, columns: u16) -> usize {
        self.names
            .len()
            .div_ceil(self.variables_per_row(columns))
            .max(1)
    }

    /// Returns the heading of the list of clauses: the numbers of clauses that fail, hold and are open.
    fn clause_counts(&self) -> (TextRole, String) {
        let count = |wanted: Option<bool>| {
            let clauses = self.holds.iter().filter(|holds| **holds == wanted);
            clauses.count()
        };
        let fail = count(Some(false));
        let open = count(None);
        let all = self.formula.clause_count();
        // Clauses that are not listed already hold.
        let hold = all - fail - open;
        let role = if fail > 0 {
            TextRole::Bad
        } else {
            TextRole::Title
        };
        let verb = |count: usize, word: &str| match count {
            1 => format!("1 {word}s"),
            count => format!("{} {word}", with_thousands_separators(count as u64)),
        };
        let open = match open {
            0 => String::new(),
            1 => ", 1 is open".to_owned(),
            open => format!(", {} are open", with_thousands_separators(open as u64)),
        };
        let (fail, hold) = (verb(fail, "fail"), verb(hold, "hold"));
        (role, format!("Clauses: {fail}, {hold}{open}"))
    }

    fn draw_variables(&self, grid: &CellGrid<BitEdits>, canvas: &mut Canvas<'_>, area: Rect) {
        let columns = self.variable_columns();
        let look = canvas.look;
        for line in 0..usize::from(area.height) {
            let indices = grid.cells_of_row_in_view(line);
            for index in indices.clone() {
                let row = measure::row(area, line);
                let offset = measure::to_u16_saturating((index - indices.start) * columns);
                let width = measure::to_u16_saturating(columns - 1);
                let cell = measure::first_columns(measure::skip_columns(row, offset), width);
                let here = index == grid.cell_under_cursor();
                let changed = grid.edits.changed_indices().contains(&index);
                let cursor = if here { look.glyphs.cursor } else { " " };
                let mark = if changed {
                    look.narration_symbols().newest
                } else {
                    " "
                };
                let name = self.names.get(index).map_or("", String::as_str);
                let name = measure::pad(name, self.widest);
                let value = u8::from(grid.edits.bit_after_edits(index));
                let text = format!("{cursor}{name} = {value} {mark}");
                let role = if changed {
                    TextRole::Newest
                } else {
                    TextRole::Text
                };
                canvas.draw_text_line(&text, role, cell);
                if here {
                    canvas.set_style(cell, TextRole::Selected);
                }
            }
        }
    }

    fn draw_clauses(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let look = canvas.look;
        let (role, heading) = self.clause_counts();
        canvas.draw_text_line(&heading, role, measure::row(area, 0));
        let room = usize::from(area.height).saturating_sub(1);
        let left = self.clauses.len().saturating_sub(room);
        // The last row shows the number of remaining clauses.
        let shown = if left > 0 {
            room.saturating_sub(1)
        } else {
            room
        };
        let clauses = self.clauses.iter().zip(&self.holds).take(shown);
        for (row, (number, holds)) in clauses.enumerate() {
            let (sign, role) = match holds {
                Some(true) => (look.narration_symbols().right, TextRole::Good),
                Some(false) => (look.narration_symbols().wrong, TextRole::Bad),
                None => (look.glyphs.open_stake, TextRole::Text),
            };
            let text = self.formula.clause_in_words(*number).unwrap_or_default();
            let line = format!("{sign} {text}");
            canvas.draw_text_clipped(&line, role, measure::row(area, row + 1));
        }
        if left > 0 && room > 0 {
            let heading = format!(
                "  and {} more",
                with_thousands_separators((left + 1) as u64)
            );
            canvas.draw_text_line(&heading, TextRole::Faint, measure::row(area, shown + 1));
        }
    }
}

/// Returns the clauses that the outer values do not satisfy: first the violated ones, then those that read a variable
/// of the edited block, then the other clauses.
fn relevant_clauses(formula: &Formula, outer: &[bool], indices: &Range<usize>) -> Vec<usize> {
    let numbers = 0..formula.clause_count();
    let open =
        numbers.filter(|number| formula.clause_value_if_decided(*number, outer) != Some(true));
    let mut clauses: Vec<usize> = open.collect();
    clauses.sort_by_cached_key(|number| {
        let broken = formula.clause_value_if_decided(*number, outer) == Some(false);
        (!broken, !formula.clause_reads_variable_at(*number, indices))
    });
    clauses
}

impl GridEditorBehaviour for VariableEditor {
    type CellEdits = BitEdits;

    const TYPING: TypedCharacterMeaning = TypedCharacterMeaning::AfterKeys;
    const MIN_ROWS: usize = MIN_ROWS;

    fn context(&self) -> Contexts {
        BITS
    }

    fn reply(
        &self,
        grid: &CellGrid<BitEdits>,
        _typed: Option<u64>,
    ) -> Result<Reply<Exact>, String> {
        Ok(bits_reply(grid))
    }

    /// Users count variables from 1.
    fn cell_with_number(&self, number: u64) -> Option<usize> {
        let cell = number.checked_sub(1)?;
        Some(usize::try_from(cell).unwrap_or(usize::MAX))
    }

    /// Evaluates the clauses again.
    fn read_values(&mut self, edits: &BitEdits) {
        let mut values = self.outer.clone();
        values.extend_from_slice(edits.bits_after_edits().as_slice());
        let holds = |number: &usize| self.formula.clause_value_if_decided(*number, &values);
        self.holds = self.clauses.iter().map(holds).collect();
    }

    fn part_at(&self, grid: &CellGrid<BitEdits>, at: Position, area: Rect) -> GridHit {
        let [variables, _] = self.areas(area);
        let cell = grid.cells_of_row_at(at, variables).and_then(|mut row| {
            let column = usize::from(at.x - variables.x) / self.variable_columns();
            row.nth(column)
        });
        GridHit::cell_or_outside(cell)
    }

    fn rows(&self, _grid: &CellGrid<BitEdits>, columns: u16) -> usize {
        let clauses = match self.clauses.len() {
            0 => 0,
            count => count + 1,
        };
        if columns >= MIN_WIDTH_WITH_CLAUSES {
            let half = if clauses > 0 { columns / 2 } else { columns };
            return self.variable_rows(half).max(clauses).min(MAX_GRID_ROWS);
        }
        let variables = self.variable_rows(columns);
        let variables = if clauses > 0 {
            variables.min(MIN_ROWS)
        } else {
            variables
        };
        (variables + clauses).min(MAX_GRID_ROWS)
    }

    fn prompt(&self, grid: &CellGrid<BitEdits>, typed: &str) -> String {
        format!(
            "Go to variable {typed}_ of {count}",
            count = with_thousands_separators(grid.grid_cell_count() as u64)
        )
    }

    fn notes(
        &self,
        grid: &CellGrid<BitEdits>,
        _status: GridNotesState<'_>,
    ) -> Vec<(TextRole, String)> {
        let name = |index: usize| self.names.get(index).cloned().unwrap_or_default();
        vec![(TextRole::Faint, change_summary(&grid.edits, false, name))]
    }

    fn draw(&mut self, grid: &mut CellGrid<BitEdits>, canvas: &mut Canvas<'_>, area: Rect) {
        let [variables, clauses] = self.areas(area);
        grid.lay_out_rows(
            self.variables_per_row(variables.width),
            variables.height.into(),
        );
        self.draw_variables(grid, canvas, variables);
        if clauses.height > 0 {
            self.draw_clauses(canvas, clauses);
        }
    }
}

#[cfg(test)]
mod tests;
