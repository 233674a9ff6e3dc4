//! The editor for a configuration of a machine with one tape: the tape's cells, the head and the state, with the rules
//! of that state beside them. The state is the header of the grid.

mod edits;

use std::ops::Range;
use std::sync::Arc;

use ratatui::layout::{Position, Rect};

use super::grid::{
    GridEditor, GridEditorBehaviour, GridHit, GridNotesState, TypedCharacterMeaning,
};
use crate::tui::actions::Contexts;
use crate::tui::keys::{Action, TAPE};
use crate::tui::theme::TextRole;
use crate::tui::widget::grid::{CellGrid, GridCursor, GridFocus};
use crate::tui::widget::{Canvas, measure};
use debate_core::bits::BitString;
use debate_core::number::Exact;
use debate_core::protocol::Reply;
use debate_core::scenario::{
    MachineRun, StateId, SuccessorOrOracleQuery, SymbolId, TapeConfiguration, TapeMachine,
    TapeMachineTransition,
};
use debate_text::{rule_text, with_thousands_separators};
use edits::TapeConfigurationEdits;

/// Number of screen rows of the machine's tape: the state, the numbers of the cells, the cells, and the marks below
/// them.
const TAPE_ROWS: usize = 4;
/// Maximum number of screen rows of the machine's rules beside the tape, including their heading.
const MAX_RULE_ROWS: usize = 8;
/// Minimum width of the editor at which the machine's rules are beside the tape; in a narrower editor they are under
/// it.
const MIN_WIDTH_WITH_RULES: u16 = 70;
/// Maximum number of columns of the machine's rules beside a tape that would otherwise take the full width.
const RULE_COLUMNS: u16 = 36;
/// Columns before the first cell.
const LABEL_COLUMNS: u16 = 7;
/// The number of cells of the machine's tape by which a page key moves the cursor.
const PAGE_CELLS: usize = 10;
/// Maximum number of changed cells of the machine's tape that are listed by name.
const MAX_NAMED_CELLS: usize = 6;

/// The behaviour of the grid editor for a machine's configuration: the cells of the tape, the head and the state.
#[derive(Debug)]
pub struct TapeEditorBehaviour {
    run: Arc<dyn MachineRun>,
    states: Vec<String>,
    symbols: Vec<char>,
    /// True if the problem prepared a configuration for the user to edit.
    prepared: bool,
}

impl GridEditor<TapeEditorBehaviour> {
    /// Creates an editor of the configuration that the problem prepared, or else of the machine's start. Returns `None`
    /// if the machine has no tape, or if the prepared bits are not a configuration.
    pub fn for_tape_configuration(
        run: Arc<dyn MachineRun>,
        prepared_configuration: Option<&BitString>,
    ) -> Option<Self> {
        let start = run.start();
        let machine = run.tape()?;
        let original = machine.decode(prepared_configuration.unwrap_or(&start))?;
        let states = machine.states().to_vec();
        let symbols = machine.symbols().to_vec();
        let (length, head) = (original.tape.len(), original.head);
        let edits = TapeConfigurationEdits::new(original, states.len(), symbols.clone());
        let tape = TapeEditorBehaviour {
            states,
            symbols,
            prepared: prepared_configuration.is_some(),
            run,
        };
        Some(Self::new(
            CellGrid::new(edits, length, GridCursor::cursor_at_cell(head)),
            tape,
        ))
    }
}

impl TapeEditorBehaviour {
    fn machine(&self) -> Option<&dyn TapeMachine> {
        self.run.tape()
    }

    fn state_name(&self, state: StateId) -> &str {
        self.states
            .get(usize::from(state))
            .map_or("", String::as_str)
    }

    fn symbol_text(&self, symbol: SymbolId) -> String {
        let sign = self.symbols.get(usize::from(symbol));
        sign.map_or_else(String::new, char::to_string)
    }

    /// Returns the machine's configuration, encoded as bits.
    fn bits(&self, edited: &TapeConfiguration) -> BitString {
        let encoded = self.machine().map(|machine| machine.encode(edited));
        encoded.unwrap_or_default()
    }

    /// Replaces the edited configuration by its successor under the machine's rules. Returns a remark if that is not
    /// possible.
    fn run_step(&self, grid: &mut CellGrid<TapeConfigurationEdits>) -> Option<&'static str> {
        let bits = self.bits(grid.edits.edited());
        let next = match self.run.next(&bits) {
            SuccessorOrOracleQuery::To(next) => next,
            SuccessorOrOracleQuery::Oracle { .. } => {
                return Some(
                    "The oracle decides the next step: write the next configuration yourself, after its yes or its no.",
                );
            }
        };
        if next == bits {
            return Some("The machine has halted here, so a step has no effect.");
        }
        if let Some(next) = self.machine().and_then(|machine| machine.decode(&next)) {
            let at = grid.cursor();
            grid.edits.edit(at, |edited| *edited = next);
            grid.move_to(grid.edits.edited().head);
        }
        None
    }

    /// Returns a text with the machine's rule for a state and a symbol.
    fn rule_text(&self, state: StateId, symbol: SymbolId) -> String {
        let rule = self
            .machine()
            .map(|machine| rule_text(machine, state, symbol));
        rule.unwrap_or_default()
    }

    /// Returns a text about the state or the cell under the cursor.
    fn describe_cursor(&self, grid: &CellGrid<TapeConfigurationEdits>) -> String {
        if grid.focus() == GridFocus::Header {
            return format!(
                "The machine's state: {states}. The arrows left and right change it; down goes to the tape.",
                states = join_with_or(&self.states)
            );
        }
        let edited = grid.edits.edited();
        let symbol = edited
            .tape
            .get(grid.cell_under_cursor())
            .copied()
            .unwrap_or(0);
        let under_head_note = if grid.cell_under_cursor() == edited.head {
            ", under the head"
        } else {
            ""
        };
        let signs: Vec<String> = self.symbols.iter().map(char::to_string).collect();
        format!(
            "Cell {cell} holds {symbol}{under_head_note}. Type {symbols} to write.",
            cell = with_thousands_separators(grid.cell_under_cursor() as u64),
            symbol = self.symbol_text(symbol),
            symbols = join_with_or(&signs)
        )
    }

    /// Returns a sentence on the user's changes to the configuration of the machine: the state, the head and the cells
    /// of the tape.
    fn change_summary(&self, edits: &TapeConfigurationEdits) -> String {
        let original = edits.original();
        let edited = edits.edited();
        let mut parts = Vec::new();
        if original.state != edited.state {
            parts.push("the state".to_owned());
        }
        if original.head != edited.head {
            parts.push("the head".to_owned());
        }
        let pairs = original.tape.iter().zip(&edited.tape).enumerate();
        let changed: Vec<usize> = pairs
            .filter(|(_, (original, edited))| original != edited)
            .map(|(cell, _)| cell)
            .collect();
        let named = changed.iter().take(MAX_NAMED_CELLS);
        let mut cells: Vec<String> = named
            .map(|cell| with_thousands_separators(*cell as u64))
            .collect();
        if changed.len() > MAX_NAMED_CELLS {
            cells.push(format!("and {} more", changed.len() - MAX_NAMED_CELLS));
        }
        match changed.len() {
            0 => {}
            1 => parts.push(format!("cell {}", cells.join(", "))),
            _ => parts.push(format!("cells {}", cells.join(", "))),
        }
        let base = if self.prepared {
            "the machine's configuration"
        } else {
            "the start configuration"
        };
        match parts.is_empty() {
            true if self.prepared => {
                "This is the machine's real configuration; you may change it.".to_owned()
            }
            true => "Initially the start configuration.".to_owned(),
            false => format!("Changed from {base}: {}.", parts.join(", ")),
        }
    }

    /// Returns the width of a cell of the machine's tape in columns, including the vertical line before it.
    fn cell_columns(&self) -> usize {
        let signs = self.symbols.iter();
        let widest = signs.map(|sign| measure::width(sign.encode_utf8(&mut [0; 4])));
        3 + widest.max().unwrap_or(1)
    }

    /// Returns the screen area of a cell of the machine's tape. `index` counts from the first cell in view.
    fn cell_area(&self, index: usize, row: Rect) -> Rect {
        let from = index * self.cell_columns();
        let from = LABEL_COLUMNS.saturating_add(measure::to_u16_saturating(from));
        let columns = measure::to_u16_saturating(self.cell_columns() - 1);
        measure::first_columns(measure::skip_columns(row, from + 1), columns)
    }

    /// Returns the number of screen rows of the machine's rules, including their heading.
    fn rule_rows(&self) -> usize {
        (self.symbols.len() + 1).min(MAX_RULE_ROWS)
    }

    /// Returns the screen areas of the tape and of the machine's rules. Beside a short tape the rules take the
    /// remaining width.
    fn areas(&self, length: usize, area: Rect) -> [Rect; 2] {
        if area.width >= MIN_WIDTH_WITH_RULES {
            let cells = length.saturating_mul(self.cell_columns());
            let cells = measure::to_u16_saturating(cells);
            let whole = cells.saturating_add(LABEL_COLUMNS + 3);
            let least = RULE_COLUMNS.min(area.width * 2 / 5);
            let width = whole.max(area.width / 2).min(area.width - least);
            let left = measure::first_columns(area, width - 2);
            return [left, measure::skip_columns(area, width)];
        }
        measure::split_rows(area, TAPE_ROWS)
    }

    fn draw_tape(
        &self,
        grid: &CellGrid<TapeConfigurationEdits>,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        let look = canvas.look;
        if area.is_empty() {
            return;
        }
        let (original, edited) = (grid.edits.original(), grid.edits.edited());
        let Range { start: first, end } = grid.visible_cells();
        let rows = [0, 1, 2, 3].map(|number| measure::row(area, number));
        let [state, numbers, cells, marks] = rows;
        for (label, row) in [("state", state), ("cell", numbers), ("tape", cells)] {
            canvas.draw_text_line(label, TextRole::Faint, row);
        }

        let name = measure::skip_columns(state, LABEL_COLUMNS);
        let changed = edited.state != original.state;
        let role = if changed {
            TextRole::Newest
        } else {
            TextRole::Text
        };
        let text = format!(" {} ", self.state_name(edited.state));
        let taken = canvas.draw_text_line(&text, role, name);
        if grid.focus() == GridFocus::Header {
            canvas.set_style(measure::first_columns(name, taken), TextRole::Selected);
        }
        if changed {
            let mark = measure::skip_columns(name, taken);
            canvas.draw_text_line(look.narration_symbols().newest, role, mark);
        }

        let digits = end.saturating_sub(1).to_string().len();
        // Numbers that are wider than a cell are drawn at every second, third … cell.
        let every = (digits + 1).div_ceil(self.cell_columns()).max(1);
        for cell in first..end {
            let place = self.cell_area(cell - first, cells);
            let symbol = edited.tape.get(cell).copied().unwrap_or(0);
            let is_head = cell == edited.head;
            let sign = measure::pad(&self.symbol_text(symbol), self.cell_columns() - 3);
            let text = if is_head {
                format!("[{sign}]")
            } else {
                format!(" {sign} ")
            };
            let changed = original.tape.get(cell) != Some(&symbol);
            let role = match (changed, is_head) {
                (true, _) => TextRole::Newest,
                (false, true) => TextRole::Title,
                (false, false) => TextRole::Text,
            };
            let x = place.x - 1;
            let width = 1;
            let line = Rect { x, width, ..place };
            canvas.draw_text_line(look.glyphs.rail, TextRole::Border, line);
            canvas.draw_text_line(&text, role, place);
            if grid.cursor() == GridCursor::cursor_at_cell(cell) {
                canvas.set_style(place, TextRole::Selected);
            }
            if cell.is_multiple_of(every) {
                let from = (place.x + 1).saturating_sub(numbers.x);
                let room = measure::skip_columns(numbers, from);
                canvas.draw_text_line(&cell.to_string(), TextRole::Faint, room);
            }
            let below = measure::skip_columns(self.cell_area(cell - first, marks), 1);
            if is_head {
                canvas.draw_text_line(look.glyphs.more_up, TextRole::Title, below);
            } else if changed {
                canvas.draw_text_line(look.narration_symbols().newest, role, below);
            }
        }
        let last = self.cell_area(end - first, cells);
        if last.x > cells.x && last.x - 1 < cells.right() {
            let x = last.x - 1;
            let width = 1;
            let line = Rect { x, width, ..cells };
            let more = if end < edited.tape.len() {
                look.glyphs.ellipsis
            } else {
                look.glyphs.rail
            };
            canvas.draw_text_line(more, TextRole::Border, line);
        }
        let label = if first > 0 { "head …" } else { "head" };
        canvas.draw_text_line(label, TextRole::Faint, marks);
    }

    fn draw_rules(&self, edited: &TapeConfiguration, canvas: &mut Canvas<'_>, area: Rect) {
        let look = canvas.look;
        let heading = format!("Rules in state {}:", self.state_name(edited.state));
        canvas.draw_text_clipped(&heading, TextRole::Title, measure::row(area, 0));
        let count = self.symbols.len();
        let read = edited.tape.get(edited.head).copied().unwrap_or(0);
        let room = usize::from(area.height).saturating_sub(1);
        // Scrolls to the rule that applies.
        let first = (usize::from(read) + 1).saturating_sub(room);
        for (row, symbol) in (first..count).take(room).enumerate() {
            let symbol = SymbolId::try_from(symbol).unwrap_or(0);
            let applies = symbol == read;
            let (cursor, role) = if applies {
                (look.glyphs.cursor, TextRole::Current)
            } else {
                (" ", TextRole::Text)
            };
            let line = format!(
                "{cursor}reads {}: {}",
                self.symbol_text(symbol),
                self.rule_text(edited.state, symbol)
            );
            canvas.draw_text_clipped(&line, role, measure::row(area, row + 1));
        }
    }
}

/// Joins symbols or names as alternatives: "0, 1 or _". If there are more than eight, names only the first and the
/// last: "0 … z".
fn join_with_or(signs: &[String]) -> String {
    match signs {
        [] => String::new(),
        [one] => one.clone(),
        [front @ .., last] if signs.len() <= 8 => format!("{} or {last}", front.join(", ")),
        [first, .., last] => format!("{first} … {last}"),
    }
}

impl GridEditorBehaviour for TapeEditorBehaviour {
    type CellEdits = TapeConfigurationEdits;

    const TYPING: TypedCharacterMeaning = TypedCharacterMeaning::BeforeKeys;
    const MIN_ROWS: usize = TAPE_ROWS;

    fn context(&self) -> Contexts {
        TAPE
    }

    fn reply(
        &self,
        grid: &CellGrid<TapeConfigurationEdits>,
        _typed: Option<u64>,
    ) -> Result<Reply<Exact>, String> {
        Ok(Reply::Bits(self.bits(grid.edits.edited())))
    }

    fn page_size(&self, _grid: &CellGrid<TapeConfigurationEdits>) -> usize {
        PAGE_CELLS
    }

    fn scroll(&self, grid: &mut CellGrid<TapeConfigurationEdits>, lines: isize) {
        grid.step(lines);
    }

    fn act(
        &mut self,
        action: Action,
        grid: &mut CellGrid<TapeConfigurationEdits>,
        remark: &mut Option<String>,
    ) -> bool {
        let at = grid.cursor();
        match (action, at.focus) {
            (Action::PlaceBack, GridFocus::Header) => {
                grid.edits.cycle_state_of_configuration(-1, at);
            }
            (Action::PlaceOn, GridFocus::Header) => grid.edits.cycle_state_of_configuration(1, at),
            (Action::Above, _) => grid.focus_header(),
            (Action::Below, _) => grid.move_to(at.cell),
            (Action::PutHead, _) => grid.edits.edit(at, |edited| edited.head = at.cell),
            (Action::RunStep, _) => *remark = self.run_step(grid).map(str::to_owned),
            _ => return false,
        }
        true
    }

    fn part_at(
        &self,
        grid: &CellGrid<TapeConfigurationEdits>,
        at: Position,
        area: Rect,
    ) -> GridHit {
        let [tape, _] = self.areas(grid.grid_cell_count(), area);
        if !tape.contains(at) {
            return GridHit::Outside;
        }
        if at.y == tape.y {
            return GridHit::Header;
        }
        let Some(columns) = at.x.checked_sub(tape.x + LABEL_COLUMNS) else {
            return GridHit::Gap;
        };
        let mut cells = grid.visible_cells();
        let cell = cells.nth(usize::from(columns) / self.cell_columns());
        cell.map_or(GridHit::Gap, GridHit::Cell)
    }

    fn rows(&self, _grid: &CellGrid<TapeConfigurationEdits>, columns: u16) -> usize {
        if columns >= MIN_WIDTH_WITH_RULES {
            TAPE_ROWS.max(self.rule_rows())
        } else {
            TAPE_ROWS + self.rule_rows()
        }
    }

    fn prompt(&self, _grid: &CellGrid<TapeConfigurationEdits>, typed: &str) -> String {
        format!("Go to cell {typed}_")
    }

    fn notes(
        &self,
        grid: &CellGrid<TapeConfigurationEdits>,
        status: GridNotesState<'_>,
    ) -> Vec<(TextRole, String)> {
        let mut notes = Vec::new();
        if !status.is_typing_number {
            notes.push((TextRole::Text, self.describe_cursor(grid)));
        }
        let remark = status.remark.map(str::to_owned);
        notes.extend(remark.map(|remark| (TextRole::Warning, remark)));
        let edited = grid.edits.edited();
        let halted = self.machine().is_some_and(|machine| {
            let read = edited.tape.get(edited.head).copied().unwrap_or(0);
            machine.transition(edited.state, read) == TapeMachineTransition::Halt
        });
        if halted && self.run.accepts(&self.bits(edited)) {
            let text = "The machine accepts in this state.";
            notes.push((TextRole::Good, text.to_owned()));
        }
        notes.push((TextRole::Faint, self.change_summary(&grid.edits)));
        notes
    }

    /// Draws the tape and the rules. The tape is one row of the screen, so its cells are treated as the rows of a view
    /// that scrolls sideways.
    fn draw(
        &mut self,
        grid: &mut CellGrid<TapeConfigurationEdits>,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        let [tape, rules] = self.areas(grid.grid_cell_count(), area);
        let room = usize::from(tape.width.saturating_sub(LABEL_COLUMNS + 1));
        grid.lay_out_rows(
            1,
            (room / self.cell_columns()).clamp(1, grid.grid_cell_count().max(1)),
        );
        self.draw_tape(grid, canvas, tape);
        self.draw_rules(grid.edits.edited(), canvas, rules);
    }
}

#[cfg(test)]
mod tests;
