//! A grid of cells of any size, with a cursor and a view that scrolls.
//!
//! A [`CellGrid`] has no texts and draws nothing. Its owner requests the cells in view, row by row, so that drawing a
//! million cells costs no more than drawing the visible ones.

use std::fmt::Debug;
use std::ops::Range;

use ratatui::layout::{Position, Rect};

/// The part of a grid of cells that has the keyboard focus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GridFocus {
    /// No cell is chosen yet.
    Nothing,
    /// The line above the cells.
    Header,
    /// The cell under the cursor.
    #[default]
    Cell,
}

/// The position of the cursor in a grid. While the header has the focus, `cell` is the cell that had the focus before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GridCursor {
    pub focus: GridFocus,
    pub cell: usize,
}

impl GridCursor {
    /// Creates a cursor on a cell.
    pub fn cursor_at_cell(cell: usize) -> Self {
        let focus = GridFocus::Cell;
        Self { focus, cell }
    }
}

/// The values of a grid's cells, which the user edits.
pub trait CellEdits: Debug {
    /// Changes the value under the cursor to the next possible one.
    fn turn(&mut self, at: GridCursor);

    /// Sets the cell at the cursor to the typed value, such as a bit or a symbol of a tape. Returns false if the
    /// character is not a value that the cell can have.
    fn set_cell_to_typed(&mut self, c: char, at: GridCursor) -> bool;

    /// Discards all changes of the user. If there are none, restores the changes that were discarded last.
    fn restore(&mut self, at: GridCursor);

    /// Returns the next changed cell after `from`, or the previous one if not `forward`. The search continues at the
    /// other end of the grid.
    fn next_changed(&self, from: usize, forward: bool) -> Option<usize>;

    /// True if the grid has an edit to undo.
    fn is_edited(&self) -> bool;

    /// Undoes the last edit. Returns the position to which the cursor must move.
    fn undo(&mut self) -> Option<GridCursor>;
}

/// Cells that the user selects but cannot change.
#[derive(Clone, Copy, Debug)]
pub struct UneditableGridCells;

impl CellEdits for UneditableGridCells {
    fn turn(&mut self, _at: GridCursor) {}

    fn set_cell_to_typed(&mut self, _c: char, _at: GridCursor) -> bool {
        false
    }

    fn restore(&mut self, _at: GridCursor) {}

    fn next_changed(&self, _from: usize, _forward: bool) -> Option<usize> {
        None
    }

    fn is_edited(&self) -> bool {
        false
    }

    fn undo(&mut self) -> Option<GridCursor> {
        None
    }
}

/// A grid of cells in rows of equal length, with its cursor and the rows in view.
#[derive(Clone, Debug)]
pub struct CellGrid<E> {
    pub edits: E,
    count: usize,
    cursor: GridCursor,
    /// The row at the top.
    top: usize,
    per_row: usize,
    height: usize,
}

impl<E: CellEdits> CellGrid<E> {
    /// Creates a grid of `count` cells with the cursor at `cursor`.
    pub fn new(edits: E, cell_count: usize, cursor: GridCursor) -> Self {
        Self {
            edits,
            count: cell_count,
            cursor,
            top: 0,
            per_row: 1,
            height: 0,
        }
    }

    /// Returns the number of cells.
    pub fn grid_cell_count(&self) -> usize {
        self.count
    }

    pub fn cursor(&self) -> GridCursor {
        self.cursor
    }

    /// Returns the index of the cell under the cursor.
    pub fn cell_under_cursor(&self) -> usize {
        self.cursor.cell
    }

    pub fn focus(&self) -> GridFocus {
        self.cursor.focus
    }

    /// Moves the cursor to a cell. An index that is too large means the last cell.
    pub fn move_to(&mut self, cell: usize) {
        self.cursor = GridCursor::cursor_at_cell(cell.min(self.count.saturating_sub(1)));
    }

    /// Moves the focus to the line above the cells.
    pub fn focus_header(&mut self) {
        self.cursor.focus = GridFocus::Header;
    }

    /// Moves the cursor by `cells`, stopping at the ends of the grid. If no cell is selected yet, selects the first or
    /// the last one.
    pub fn step(&mut self, cells: isize) {
        match self.cursor.focus {
            GridFocus::Nothing => self.enter(cells > 0),
            GridFocus::Header | GridFocus::Cell => {
                self.move_to(self.cell_under_cursor().saturating_add_signed(cells));
            }
        }
    }

    /// Moves the cursor by `rows` in its column. The cursor stays if that row has no cell in the column. If no cell is
    /// selected yet, selects the first or the last one.
    pub fn move_cursor_by_rows(&mut self, rows: isize) {
        if self.cursor.focus == GridFocus::Nothing {
            self.enter(rows > 0);
            return;
        }
        let cells = rows.saturating_mul(isize::try_from(self.per_row).unwrap_or(isize::MAX));
        let to = self.cell_under_cursor().checked_add_signed(cells);
        if let Some(to) = to.filter(|to| *to < self.count) {
            self.move_to(to);
        }
    }

    /// Selects the first cell if `first` is true, else the last one.
    fn enter(&mut self, first: bool) {
        self.move_to(if first { 0 } else { usize::MAX });
    }

    /// Returns the number of cells in view if all rows are full.
    pub fn cells_per_page(&self) -> usize {
        self.height.max(1).saturating_mul(self.per_row)
    }

    /// Scrolls the view by `rows`. The cursor moves only if it would leave the view. The focus stays the same.
    pub fn scroll_with_cursor_in_view(&mut self, rows: isize) {
        let last = self.rows().saturating_sub(self.height);
        self.top = self.top.saturating_add_signed(rows).min(last);
        let bottom = (self.top + self.height).max(self.top + 1);
        let cells = self.top * self.per_row..bottom * self.per_row;
        let cell = self.cell_under_cursor().clamp(cells.start, cells.end - 1);
        self.cursor.cell = cell.min(self.count.saturating_sub(1));
    }

    /// Moves the cursor to the next changed cell, or to the previous one if not `forward`.
    pub fn move_cursor_to_changed_cell(&mut self, forward: bool) {
        if let Some(cell) = self.edits.next_changed(self.cell_under_cursor(), forward) {
            self.move_to(cell);
        }
    }

    /// Changes the value under the cursor to the next possible one.
    pub fn cycle_cell_value(&mut self) {
        self.edits.turn(self.cursor);
    }

    /// Discards all changes of the user, or restores the changes that were discarded last.
    pub fn discard_or_restore_changes(&mut self) {
        self.edits.restore(self.cursor);
    }

    /// Writes a typed character at the cursor and moves to the next cell. Returns false if the character is not a
    /// possible value.
    pub fn write_at_cursor(&mut self, character: char) -> bool {
        let written = self.edits.set_cell_to_typed(character, self.cursor);
        if written {
            self.step(1);
        }
        written
    }

    /// Undoes the last edit and moves the cursor to the edited cell. Returns false if there is no edit to undo.
    pub fn undo_edit(&mut self) -> bool {
        let edited = self.edits.is_edited();
        self.cursor = self.edits.undo().unwrap_or(self.cursor);
        edited
    }

    fn rows(&self) -> usize {
        self.count.div_ceil(self.per_row).max(1)
    }

    /// Arranges the cells in rows of `cells_per_row` cells, of which `height` rows are in view. Scrolls the cursor into
    /// view.
    pub fn lay_out_rows(&mut self, cells_per_row: usize, height: usize) {
        self.per_row = cells_per_row;
        self.height = height;
        let last = self.rows().saturating_sub(height);
        let row = self.cell_under_cursor() / cells_per_row;
        let lowest = (row + 1).saturating_sub(height);
        self.top = self.top.min(row).max(lowest).min(last);
    }

    /// Returns the range of cells in a row of the view. Rows are counted from the top of the view; empty below the last
    /// cell.
    pub fn cells_of_row_in_view(&self, line: usize) -> Range<usize> {
        let first = ((self.top + line) * self.per_row).min(self.count);
        first..(first + self.per_row).min(self.count)
    }

    /// Returns the range of cells in the row under the mouse, in a view that is drawn in `area`.
    pub fn cells_of_row_at(&self, at: Position, area: Rect) -> Option<Range<usize>> {
        let line = area.contains(at).then(|| at.y - area.y)?;
        Some(self.cells_of_row_in_view(line.into())).filter(|row| !row.is_empty())
    }

    /// Returns the cells in view.
    pub fn visible_cells(&self) -> Range<usize> {
        let first = (self.top * self.per_row).min(self.count);
        first
            ..first
                .saturating_add(self.height * self.per_row)
                .min(self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(count: usize, focus: GridFocus) -> CellGrid<UneditableGridCells> {
        CellGrid::new(UneditableGridCells, count, GridCursor { focus, cell: 0 })
    }

    #[test]
    fn the_cursor_stops_at_the_ends_and_stays_in_view() {
        let mut grid = grid(1_000_000, GridFocus::Cell);
        for (cell, first) in [(0, 0), (314_159, 313_800), (999_999, 999_600), (7, 0)] {
            grid.move_to(cell);
            grid.lay_out_rows(50, 8);
            assert_eq!(grid.visible_cells(), first..first + 400);
        }
        grid.step(-9);
        assert_eq!(grid.cell_under_cursor(), 0);
        grid.move_cursor_by_rows(-1);
        assert_eq!(grid.cell_under_cursor(), 0);
        grid.move_to(usize::MAX);
        grid.move_cursor_by_rows(1);
        assert_eq!(grid.cell_under_cursor(), 999_999);
    }

    #[test]
    fn the_first_step_chooses_an_end() {
        for (rows, cell) in [(1, 0), (-1, 8)] {
            let mut grid = grid(9, GridFocus::Nothing);
            grid.move_cursor_by_rows(rows);
            assert_eq!(grid.cursor(), GridCursor::cursor_at_cell(cell));
        }
    }

    #[test]
    fn scrolling_the_view_moves_the_cursor_no_further_than_needed() {
        let mut grid = grid(100, GridFocus::Nothing);
        grid.lay_out_rows(1, 10);
        grid.scroll_with_cursor_in_view(5);
        assert_eq!(
            (grid.cell_under_cursor(), grid.focus()),
            (5, GridFocus::Nothing)
        );
        grid.move_to(9);
        grid.scroll_with_cursor_in_view(2);
        assert_eq!(grid.cell_under_cursor(), 9);
        grid.scroll_with_cursor_in_view(1000);
        assert_eq!(
            (grid.cell_under_cursor(), grid.visible_cells()),
            (90, 90..100)
        );
        grid.scroll_with_cursor_in_view(-1000);
        assert_eq!((grid.cell_under_cursor(), grid.visible_cells()), (9, 0..10));
    }

    #[test]
    fn a_click_finds_its_row() {
        let mut grid = grid(23, GridFocus::Cell);
        grid.lay_out_rows(10, 4);
        let area = Rect::new(2, 3, 20, 4);
        assert_eq!(
            grid.cells_of_row_at(Position::new(2, 5), area),
            Some(20..23)
        );
        assert_eq!(grid.cells_of_row_at(Position::new(2, 6), area), None);
        assert_eq!(grid.cells_of_row_at(Position::new(1, 5), area), None);
    }
}
