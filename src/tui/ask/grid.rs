//! An editor of cells in rows and columns. The editors of bits, variables, gates and a machine's tape, and the list of
//! steps, are configurations of it: each implements [`GridEditorBehaviour`].

use std::fmt::Debug;
use std::ops::Range;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Position, Rect};

use super::widget::{AnswerWidget, RowsNeededByWidget, UndoableWidget, UnmappedWidgetInput};
use crate::tui::actions::Contexts;
use crate::tui::keys::Action;
use crate::tui::theme::{ScreenAppearance, TextRole};
use crate::tui::widget::Canvas;
use crate::tui::widget::grid::{CellEdits, CellGrid, GridFocus};
use crate::tui::widget::measure;
use crate::tui::widget::tree::{TreeRow, draw_rows};
use debate_core::number::Exact;
use debate_core::protocol::Reply;
use debate_core::text::to_ascii_digit;

/// Maximum number of rows that a grid takes in the ask panel.
pub const MAX_GRID_ROWS: usize = 24;
/// Maximum number of digits of a typed cell index.
const MAX_DIGITS: usize = 18;

/// The digits of a cell index that the user is typing, to move the cursor there.
#[derive(Clone, Debug, Default)]
struct Jump(Option<String>);

impl Jump {
    /// Starts a number without digits.
    fn open(&mut self) {
        self.0 = Some(String::new());
    }

    /// Stops the typing of a cell index. Returns false if none was being typed.
    fn close(&mut self) -> bool {
        self.0.take().is_some()
    }

    fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// Handles a typed digit of a cell index; the first digit starts the index. Returns false for other characters.
    fn press(&mut self, c: char) -> bool {
        let c = to_ascii_digit(c);
        let typed = self.0.get_or_insert_default();
        if c.is_ascii_digit() && typed.len() < MAX_DIGITS {
            typed.push(c);
        } else if typed.is_empty() && !c.is_ascii_digit() {
            self.0 = None;
        }
        c.is_ascii_digit()
    }

    /// Removes the last typed digit, or ends an index without digits. Returns false if no index was being typed.
    fn erase(&mut self) -> bool {
        let Some(typed) = &mut self.0 else {
            return false;
        };
        if typed.pop().is_none() {
            self.0 = None;
        }
        true
    }

    fn number(&self) -> Option<u64> {
        self.0.as_ref()?.parse().ok()
    }

    fn typed(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

/// The effect of typed characters in a grid editor: they are written into the cell, or select a cell by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypedCharacterMeaning {
    /// A typed character is written into the cell at the cursor, unless it is a key with an action.
    AfterKeys,
    /// A typed character that is a possible value is written into the cell, even if the character has a binding,
    /// because values can be letters.
    BeforeKeys,
    /// The cells cannot be edited. Typed digits form the number of the cell to which the cursor moves.
    Number,
}

/// The part of a grid under the mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridHit {
    Outside,
    /// Inside the grid but not on a cell. A click there ends the typing of a cell index.
    Gap,
    Header,
    Cell(usize),
}

impl GridHit {
    /// Returns the mouse hit on the cell with this index. `None` becomes [`Self::Outside`], where a click does not end
    /// the typing of a cell's number.
    pub fn cell_or_outside(cell: Option<usize>) -> Self {
        cell.map_or(Self::Outside, Self::Cell)
    }
}

/// The transient state of the grid editor that decides which notes are shown below the grid.
#[derive(Clone, Copy, Debug)]
pub struct GridNotesState<'e> {
    /// True while the user types the index of a cell. The prompt for the index then replaces the text about the cell.
    pub is_typing_number: bool,
    /// A remark on the user's last action.
    pub remark: Option<&'e str>,
}

/// The behaviour of one type of grid editor: its labels, how it draws cells, and which reply it creates. The common
/// editor calls it.
pub trait GridEditorBehaviour: Debug {
    /// The values under edit.
    type CellEdits: CellEdits;

    const TYPING: TypedCharacterMeaning;

    /// The smallest number of rows in which the editor is useful.
    const MIN_ROWS: usize;

    /// Returns the contexts whose keys are active in this editor.
    fn context(&self) -> Contexts;

    /// Returns the drafted reply, or the reason why it is incomplete. `typed` is the cell index that is being typed.
    fn reply(
        &self,
        grid: &CellGrid<Self::CellEdits>,
        typed: Option<u64>,
    ) -> Result<Reply<Exact>, String>;

    /// Returns the index of the cell that has this number in the user's numbering.
    fn cell_with_number(&self, number: u64) -> Option<usize> {
        Some(usize::try_from(number).unwrap_or(usize::MAX))
    }

    /// Returns the number of cells by which a page key moves the cursor.
    fn page_size(&self, grid: &CellGrid<Self::CellEdits>) -> usize {
        grid.cells_per_page()
    }

    /// Handles a turn of the mouse wheel by `lines`. By default, moves the cursor by this number of rows.
    fn scroll(&self, grid: &mut CellGrid<Self::CellEdits>, lines: isize) {
        grid.move_cursor_by_rows(lines);
    }

    /// Carries out the actions that only this configuration of the editor has, or that have another meaning in it.
    /// Returns false for all other actions. A `remark` is shown until the next action.
    fn act(
        &mut self,
        _action: Action,
        _grid: &mut CellGrid<Self::CellEdits>,
        _remark: &mut Option<String>,
    ) -> bool {
        false
    }

    /// Updates the data that depends on the values of all cells. Called once after each edit and not for each frame,
    /// because it can be slow.
    fn read_values(&mut self, _edits: &Self::CellEdits) {}

    /// Returns the part of the grid that is under the mouse, if the grid is drawn in `area`.
    fn part_at(&self, grid: &CellGrid<Self::CellEdits>, at: Position, area: Rect) -> GridHit;

    /// Returns the number of screen rows that all cells need at a width of `columns`, limited to what the ask panel can
    /// give: [`MAX_GRID_ROWS`] or less.
    fn rows(&self, grid: &CellGrid<Self::CellEdits>, columns: u16) -> usize;

    /// Returns the prompt that is shown while the user types the index of a cell.
    fn prompt(&self, grid: &CellGrid<Self::CellEdits>, typed: &str) -> String;

    /// Returns sentences about the cell under the cursor and about the changes.
    fn notes(
        &self,
        grid: &CellGrid<Self::CellEdits>,
        status: GridNotesState<'_>,
    ) -> Vec<(TextRole, String)>;

    /// Draws the cells in view.
    fn draw(&mut self, grid: &mut CellGrid<Self::CellEdits>, canvas: &mut Canvas<'_>, area: Rect);
}

/// The editor of cells in rows and columns. Its configuration `C` defines the cells.
#[derive(Debug)]
pub struct GridEditor<C: GridEditorBehaviour> {
    pub grid: CellGrid<C::CellEdits>,
    pub cells: C,
    jump: Jump,
    remark: Option<String>,
}

impl<C: GridEditorBehaviour> GridEditor<C> {
    pub fn new(grid: CellGrid<C::CellEdits>, mut cells: C) -> Self {
        cells.read_values(&grid.edits);
        Self {
            grid,
            cells,
            jump: Jump::default(),
            remark: None,
        }
    }

    fn move_to_typed_number(&mut self) {
        let number = self.jump.number();
        if let Some(cell) = number.and_then(|number| self.cells.cell_with_number(number)) {
            self.grid.move_to(cell);
        }
    }

    fn move_pages(&mut self, pages: isize) {
        let page = isize::try_from(self.cells.page_size(&self.grid)).unwrap_or(isize::MAX);
        self.grid.step(pages.saturating_mul(page));
    }

    fn set_cell_to_typed(&mut self, c: char) -> bool {
        let written = self.grid.write_at_cursor(c);
        if written {
            self.remark = None;
            self.cells.read_values(&self.grid.edits);
        }
        written
    }

    pub fn press(&mut self, character: char) -> bool {
        if self.jump.is_open() || C::TYPING == TypedCharacterMeaning::Number {
            // In a list for choosing, a digit that continues no number begins another one.
            if C::TYPING == TypedCharacterMeaning::Number {
                let typed = format!(
                    "{}{}",
                    self.jump.typed().unwrap_or_default(),
                    to_ascii_digit(character)
                );
                let continued = typed.parse().ok();
                // No number but 0 begins with 0.
                let is_after_zero = self.jump.typed() == Some("0");
                if is_after_zero
                    || continued.is_some_and(|number| self.cells.cell_with_number(number).is_none())
                {
                    self.jump.close();
                }
            }
            let taken = self.jump.press(character);
            self.move_to_typed_number();
            return taken;
        }
        C::TYPING == TypedCharacterMeaning::AfterKeys && self.set_cell_to_typed(character)
    }

    /// In a grid whose cells take characters before key bindings do, writes the typed character into the cell at the
    /// cursor if it is a possible value. Does nothing while a cell number is typed or no cell has the focus. Returns
    /// true if the character was written.
    pub fn write_typed_character(&mut self, event: KeyEvent) -> bool {
        let KeyCode::Char(c) = event.code else {
            return false;
        };
        let plain = event.modifiers.difference(KeyModifiers::SHIFT).is_empty();
        let writes =
            C::TYPING == TypedCharacterMeaning::BeforeKeys && self.grid.focus() == GridFocus::Cell;
        plain && writes && !self.jump.is_open() && self.set_cell_to_typed(c)
    }

    /// Handles the backspace key: deletes the last digit of the cell number that the user is typing. If no number is
    /// open, moves the cursor one cell back. In a grid whose cells cannot be edited, it returns false instead.
    pub fn handle_backspace(&mut self) -> bool {
        let open = self.jump.erase();
        self.move_to_typed_number();
        if open {
            return true;
        }
        if C::TYPING == TypedCharacterMeaning::Number {
            return false;
        }
        self.grid.step(-1);
        true
    }

    /// Ends a cell index that is being typed, and returns true. In a grid for choosing, or if no index is being typed,
    /// does nothing and returns false: enter then sends the reply.
    pub fn finish_typing(&mut self) -> bool {
        C::TYPING != TypedCharacterMeaning::Number && self.jump.close()
    }

    pub fn click(&mut self, at: Position, area: Rect) -> bool {
        match self.cells.part_at(&self.grid, at, area) {
            GridHit::Outside => return false,
            GridHit::Gap => {
                self.jump.close();
                return false;
            }
            GridHit::Header => self.grid.focus_header(),
            GridHit::Cell(cell) => self.grid.move_to(cell),
        }
        self.jump.close();
        true
    }
}

impl<C: GridEditorBehaviour> AnswerWidget for GridEditor<C> {
    fn context(&self) -> Contexts {
        self.cells.context()
    }

    fn reply(&self) -> Result<Reply<Exact>, String> {
        self.cells.reply(&self.grid, self.jump.number())
    }

    fn act(&mut self, action: Action) -> bool {
        self.remark = None;
        if !self.cells.act(action, &mut self.grid, &mut self.remark) {
            match action {
                Action::PlaceBack => self.grid.step(-1),
                Action::PlaceOn => self.grid.step(1),
                Action::Above => self.grid.move_cursor_by_rows(-1),
                Action::Below => self.grid.move_cursor_by_rows(1),
                Action::PageAbove => self.move_pages(-1),
                Action::PageBelow => self.move_pages(1),
                Action::FirstPlace => self.grid.move_to(0),
                Action::LastPlace => self.grid.move_to(usize::MAX),
                Action::NextDifference => self.grid.move_cursor_to_changed_cell(true),
                Action::PreviousDifference => self.grid.move_cursor_to_changed_cell(false),
                Action::Turn => {
                    self.grid.cycle_cell_value();
                    self.cells.read_values(&self.grid.edits);
                }
                Action::Restore => {
                    self.grid.discard_or_restore_changes();
                    self.cells.read_values(&self.grid.edits);
                }
                Action::Jump => {
                    self.jump.open();
                    return true;
                }
                _ => return false,
            }
        }
        self.jump.close();
        true
    }

    fn input(&mut self, input: UnmappedWidgetInput<'_>) -> bool {
        match input {
            UnmappedWidgetInput::Key(event) => self.write_typed_character(event),
            UnmappedWidgetInput::Character(c) => self.press(c),
            UnmappedWidgetInput::Erase => self.handle_backspace(),
            UnmappedWidgetInput::Enter => self.finish_typing(),
            UnmappedWidgetInput::Wheel(lines) => {
                self.cells.scroll(&mut self.grid, lines);
                true
            }
            UnmappedWidgetInput::Click { at, area } => self.click(at, area),
            UnmappedWidgetInput::Paste(_) | UnmappedWidgetInput::Quote(_) => false,
        }
    }

    fn rows(&self, columns: u16) -> RowsNeededByWidget {
        let all = self.cells.rows(&self.grid, columns);
        let least = all.min(C::MIN_ROWS);
        RowsNeededByWidget { all, least }
    }

    fn notes(&self) -> Vec<(TextRole, String)> {
        let typed = self.jump.typed();
        let prompt = typed.map(|typed| (TextRole::Title, self.cells.prompt(&self.grid, typed)));
        let mut notes: Vec<(TextRole, String)> = prompt.into_iter().collect();
        let status = GridNotesState {
            is_typing_number: typed.is_some(),
            remark: self.remark.as_deref(),
        };
        notes.extend(self.cells.notes(&self.grid, status));
        notes
    }

    fn draw(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        self.cells.draw(&mut self.grid, canvas, area);
    }
}

impl<C: GridEditorBehaviour> UndoableWidget for GridEditor<C> {
    fn is_edited(&self) -> bool {
        self.grid.edits.is_edited()
    }

    fn undo(&mut self) -> bool {
        self.remark = None;
        let undone = self.grid.undo_edit();
        self.cells.read_values(&self.grid.edits);
        undone
    }
}

/// Draws a grid with one cell per row as a list.
pub fn draw_list<E: CellEdits>(
    grid: &mut CellGrid<E>,
    row: impl Fn(&CellGrid<E>, usize, &ScreenAppearance) -> TreeRow,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    grid.lay_out_rows(1, area.height.into());
    let look = canvas.look;
    let selected = Some(grid.cell_under_cursor()).filter(|_| grid.focus() == GridFocus::Cell);
    draw_rows(
        grid.visible_cells(),
        selected,
        |number| row(grid, number, &look),
        canvas,
        area,
    );
    let shown = grid.visible_cells();
    let last = usize::from(area.height).saturating_sub(1);
    let signs = [
        (shown.start > 0, look.glyphs.more_up, 0),
        (
            shown.end < grid.grid_cell_count(),
            look.glyphs.more_down,
            last,
        ),
    ];
    for (is_cut, sign, line) in signs {
        if is_cut {
            canvas.draw_text_right_aligned(sign, TextRole::Faint, measure::row(area, line));
        }
    }
}

/// Returns the row of a list that is under the mouse.
pub fn list_row_at<E: CellEdits>(grid: &CellGrid<E>, at: Position, area: Rect) -> GridHit {
    GridHit::cell_or_outside(
        grid.cells_of_row_at(at, area)
            .map(|row: Range<usize>| row.start),
    )
}
