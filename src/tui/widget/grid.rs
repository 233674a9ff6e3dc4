//! A string of bits of any length that is edited in place. Only what is in view is drawn.
//!
//! The state is the bits that were given and the set of places that were turned around, so that a
//! million bits cost no more than what was changed.

use crate::tui::widget::Canvas;
use std::collections::BTreeSet;
use std::ops::Range;

use ratatui::layout::{Position, Rect};

use super::measure;
use crate::tui::theme::Role;
use debate_core::bits::Bits;

/// Bits that stand together.
const GROUP: usize = 10;
/// The number of groups that a row may have, so that rows begin at round places.
const GROUPS: [usize; 4] = [10, 5, 2, 1];

/// Edits that can be taken back at most.
const REMEMBERED: usize = 10_000;

/// An edit, as it is taken back.
#[derive(Clone, Debug)]
enum Edit {
    /// A bit was turned around.
    Turned(usize),
    /// All changes were laid aside or brought again: these stood before.
    Replaced(BTreeSet<usize>),
}

/// Bits under edit.
#[derive(Clone, Debug, Default)]
pub struct BitEdits {
    given: Bits,
    turned: BTreeSet<usize>,
    /// The places that [`Self::restore`] laid aside.
    aside: BTreeSet<usize>,
    edits: Vec<Edit>,
}

impl BitEdits {
    /// Nothing changed yet.
    pub fn new(given: Bits) -> Self {
        Self {
            given,
            ..Self::default()
        }
    }

    /// The number of bits.
    pub fn len(&self) -> usize {
        self.given.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// The bit at a place, as edited.
    pub fn at(&self, place: usize) -> bool {
        let given = self.given.as_slice().get(place) == Some(&true);
        given ^ self.turned.contains(&place)
    }

    /// All bits as edited. What was given is shared where nothing was changed.
    pub fn bits(&self) -> Bits {
        if self.turned.is_empty() {
            return self.given.clone();
        }
        let mut bits = self.given.as_slice().to_vec();
        for place in &self.turned {
            if let Some(bit) = bits.get_mut(*place) {
                *bit = !*bit;
            }
        }
        bits.into()
    }

    /// The places that differ from what was given, in order.
    pub fn turned(&self) -> &BTreeSet<usize> {
        &self.turned
    }

    /// Turns a bit around.
    pub fn turn(&mut self, place: usize) {
        if place < self.len() {
            self.flip(place);
            self.remember(Edit::Turned(place));
        }
    }

    /// Writes a bit.
    pub fn write(&mut self, place: usize, bit: bool) {
        if self.at(place) != bit {
            self.turn(place);
        }
    }

    /// Writes all bits.
    pub fn write_all(&mut self, bits: &Bits) {
        let pairs = self.given.as_slice().iter().zip(bits.as_slice());
        let differ = pairs.enumerate().filter(|(_, (given, bit))| given != bit);
        let turned = differ.map(|(place, _)| place).collect();
        if turned != self.turned {
            let before = std::mem::replace(&mut self.turned, turned);
            self.remember(Edit::Replaced(before));
        }
    }

    /// Goes back to what was given; once more brings the changes again.
    pub fn restore(&mut self) {
        let before = self.turned.clone();
        if self.turned.is_empty() {
            self.turned = std::mem::take(&mut self.aside);
        } else {
            self.aside = std::mem::take(&mut self.turned);
        }
        if before != self.turned {
            self.remember(Edit::Replaced(before));
        }
    }

    /// The next place that differs from what was given (or the one before), round the ends.
    pub fn next_turned(&self, from: usize, forward: bool) -> Option<usize> {
        let place = if forward {
            let after = self.turned.range(from + 1..).next();
            after.or_else(|| self.turned.first())
        } else {
            let before = self.turned.range(..from).next_back();
            before.or_else(|| self.turned.last())
        };
        place.copied()
    }

    /// True if there is an edit to take back.
    pub fn is_edited(&self) -> bool {
        !self.edits.is_empty()
    }

    /// Takes the last edit back; returns the place of the first bit that changed by it.
    pub fn undo(&mut self) -> Option<usize> {
        match self.edits.pop()? {
            Edit::Turned(place) => {
                self.flip(place);
                Some(place)
            }
            Edit::Replaced(before) => {
                let first = self.turned.symmetric_difference(&before).next().copied();
                self.turned = before;
                first
            }
        }
    }

    fn flip(&mut self, place: usize) {
        if !self.turned.remove(&place) {
            self.turned.insert(place);
        }
    }

    fn remember(&mut self, edit: Edit) {
        if self.edits.len() >= REMEMBERED {
            self.edits.remove(0);
        }
        self.edits.push(edit);
    }
}

/// The state of the editor.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    /// The bits as edited.
    pub edits: BitEdits,
    cursor: usize,
    /// The row at the top.
    top: usize,
    per_row: usize,
    height: usize,
}

impl Grid {
    /// An editor of these bits.
    pub fn new(given: Bits) -> Self {
        Self {
            edits: BitEdits::new(given),
            per_row: 1,
            ..Self::default()
        }
    }

    /// The number of bits.
    pub fn len(&self) -> usize {
        self.edits.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The place that keys act on.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Goes to a place, or to the last one.
    pub fn go(&mut self, place: usize) {
        self.cursor = place.min(self.len().saturating_sub(1));
    }

    /// Moves by so many places, stopping at the ends.
    pub fn step(&mut self, places: isize) {
        self.go(self.cursor.saturating_add_signed(places));
    }

    /// Moves by so many rows; there is no row beyond the ends to go to.
    pub fn step_rows(&mut self, rows: isize) {
        let by = rows.saturating_mul(isize::try_from(self.per_row).unwrap_or(isize::MAX));
        let to = self.cursor.checked_add_signed(by);
        if let Some(to) = to.filter(|to| *to < self.len()) {
            self.cursor = to;
        }
    }

    /// Moves by so many pages.
    pub fn step_pages(&mut self, pages: isize) {
        let rows = isize::try_from(self.height.max(1)).unwrap_or(1);
        let by = isize::try_from(self.per_row).unwrap_or(1);
        self.step(pages.saturating_mul(rows).saturating_mul(by));
    }

    /// The places in a row of the view, from the top; none below the last one.
    pub fn row(&self, line: usize) -> Range<usize> {
        let from = ((self.top + line) * self.per_row).min(self.len());
        from..(from + self.per_row).min(self.len())
    }

    /// Turns the bit under the cursor around.
    pub fn turn(&mut self) {
        self.edits.turn(self.cursor);
    }

    /// Writes a bit under the cursor and goes on to the next place.
    pub fn write(&mut self, bit: bool) {
        self.edits.write(self.cursor, bit);
        self.step(1);
    }

    /// Goes to the next place that differs (or the one before), round the ends.
    pub fn next_turned(&mut self, forward: bool) {
        let place = self.edits.next_turned(self.cursor, forward);
        self.cursor = place.unwrap_or(self.cursor);
    }

    /// Takes the last edit back and goes there; says whether there was one.
    pub fn undo(&mut self) -> bool {
        let edited = self.edits.is_edited();
        self.cursor = self.edits.undo().unwrap_or(self.cursor);
        edited
    }

    /// The number of rows of all bits in so many columns.
    pub fn rows(&self, columns: u16) -> usize {
        self.len().div_ceil(self.per_row(columns.into())).max(1)
    }

    fn per_row(&self, columns: usize) -> usize {
        if one_row(self.len()) <= columns {
            return self.len().max(1);
        }
        let room = columns.saturating_sub(self.margin(columns)) + 1;
        let fits = |groups: &&usize| **groups * (GROUP + 1) <= room;
        match GROUPS.iter().find(fits) {
            Some(groups) => groups * GROUP,
            None => room.saturating_sub(1).max(1),
        }
    }

    /// Columns for the place of a row's first bit; none where all bits stand in one row.
    fn margin(&self, columns: usize) -> usize {
        if one_row(self.len()) <= columns {
            return 0;
        }
        let digits = self.len().saturating_sub(1).to_string().len();
        // Narrow panels have no room for numbers.
        if digits + 2 + GROUP <= columns {
            digits + 2
        } else {
            0
        }
    }

    /// Takes the room there is, and brings the cursor into view.
    pub fn fit(&mut self, area: Rect) {
        self.fit_rows(self.per_row(area.width.into()), area.height.into());
    }

    /// Takes so many rows of so many places, and brings the cursor into view.
    pub fn fit_rows(&mut self, per_row: usize, height: usize) {
        self.per_row = per_row;
        self.height = height;
        let rows = self.len().div_ceil(per_row).max(1);
        let last = rows.saturating_sub(height);
        let row = self.cursor / self.per_row;
        let lowest = (row + 1).saturating_sub(self.height);
        self.top = self.top.min(row).max(lowest).min(last);
    }

    /// The place under the mouse.
    pub fn place_at(&self, at: Position, area: Rect) -> Option<usize> {
        if !area.contains(at) {
            return None;
        }
        let column = usize::from(at.x - area.x).checked_sub(self.margin(area.width.into()))?;
        if column % (GROUP + 1) == GROUP {
            return None;
        }
        let within = column - column / (GROUP + 1);
        let row = self.top + usize::from(at.y - area.y);
        let place = row * self.per_row + within;
        (within < self.per_row && place < self.len()).then_some(place)
    }

    /// Draws the rows in view.
    pub fn render(&self, canvas: &mut Canvas<'_>, area: Rect) {
        self.draw(|place| self.edits.at(place), canvas, area);
    }

    /// Asks for the bits in view and for no others.
    fn draw(&self, bit: impl Fn(usize) -> bool, canvas: &mut Canvas<'_>, area: Rect) {
        let margin = self.margin(area.width.into());
        for line in 0..self.height.min(area.height.into()) {
            let Range {
                start: from,
                end: to,
            } = self.row(line);
            if from >= to {
                return;
            }
            let row = measure::row(area, line);
            if margin > 0 {
                let place = measure::align_right(&from.to_string(), margin - 2);
                canvas.put(&place, Role::Faint, row);
            }
            let mut text = String::with_capacity(2 * self.per_row);
            for place in from..to {
                if place > from && (place - from).is_multiple_of(GROUP) {
                    text.push(' ');
                }
                text.push(if bit(place) { '1' } else { '0' });
            }
            let column = |place: usize| margin + (place - from) + (place - from) / GROUP;
            let cell =
                |place| measure::first(measure::after(row, measure::cells(column(place))), 1);
            let room = measure::after(row, measure::cells(margin));
            canvas.put(&text, Role::Text, room);
            for place in self.edits.turned().range(from..to) {
                canvas.set_style(cell(*place).intersection(area), Role::Newest);
            }
            if (from..to).contains(&self.cursor) {
                let at = cell(self.cursor).intersection(area);
                canvas.set_style(at, Role::Selected);
            }
        }
    }
}

/// Columns that so many bits take in one row.
fn one_row(bits: usize) -> usize {
    bits + bits.saturating_sub(1) / GROUP
}

#[cfg(test)]
mod tests {
    use super::super::testing::drawn;
    use super::*;
    use crate::tui::theme::Appearance;
    use std::cell::Cell;

    fn picture(grid: &mut Grid, columns: u16, rows: u16) -> String {
        drawn(columns, rows, |buffer, area| {
            grid.fit(area);
            grid.render(&mut Canvas::of(&Appearance::default(), buffer), area);
        })
    }

    #[test]
    fn few_bits_stand_in_one_row_and_many_in_round_ones() {
        let mut grid = Grid::new(Bits::parse("0110").unwrap());
        assert_eq!(picture(&mut grid, 20, 2), "0110\n");
        let mut grid = Grid::new(Bits::zeros(47));
        grid.go(21);
        grid.turn();
        insta::assert_snapshot!(picture(&mut grid, 30, 3), @r"
         0  0000000000 0000000000
        20  0100000000 0000000000
        40  0000000
        ");
    }

    #[test]
    fn what_was_changed_is_found_and_restored() {
        let mut grid = Grid::new(Bits::zeros(1_000_000));
        for place in [17, 99, 500_000] {
            grid.go(place);
            grid.turn();
        }
        assert!(grid.edits.turned().iter().eq(&[17, 99, 500_000]));
        grid.next_turned(true);
        assert_eq!(grid.cursor(), 17);
        grid.next_turned(false);
        assert_eq!(grid.cursor(), 500_000);
        assert!(grid.edits.at(99) && !grid.edits.at(98));
        grid.edits.restore();
        assert_eq!(grid.edits.turned().len(), 0);
        assert_eq!(grid.edits.bits(), Bits::zeros(1_000_000));
        grid.edits.restore();
        assert_eq!(grid.edits.turned().len(), 3);
        grid.turn();
        assert_eq!(grid.edits.turned().len(), 2);
    }

    #[test]
    fn typing_writes_and_goes_on() {
        let mut grid = Grid::new(Bits::parse("1100").unwrap());
        for bit in [false, true, true, true, false] {
            grid.write(bit);
        }
        // The cursor stays at the last place.
        assert_eq!(grid.edits.bits().to_string(), "0110");
    }

    #[test]
    fn of_a_million_bits_only_those_in_view_are_asked_for() {
        let mut grid = Grid::new(Bits::zeros(1_000_000));
        for place in [0, 314_159, 999_999] {
            grid.go(place);
            let asked = Cell::new(0);
            drawn(78, 8, |buffer, area| {
                grid.fit(area);
                let bit = |place| {
                    asked.set(asked.get() + 1);
                    assert!(place < 1_000_000);
                    false
                };
                grid.draw(bit, &mut Canvas::of(&Appearance::default(), buffer), area);
            });
            assert_eq!(asked.get(), 8 * 50);
            assert!(grid.top <= place / 50 && place / 50 < grid.top + 8);
        }
    }

    #[test]
    fn a_click_finds_its_place_and_any_size_is_drawn() {
        let mut grid = Grid::new(Bits::zeros(47));
        let area = Rect::new(0, 0, 30, 3);
        grid.fit(area);
        assert_eq!(grid.place_at(Position::new(4, 1), area), Some(20));
        assert_eq!(grid.place_at(Position::new(15, 0), area), Some(10));
        assert_eq!(grid.place_at(Position::new(14, 0), area), None);
        assert_eq!(grid.place_at(Position::new(29, 2), area), None);
        for columns in 0..40 {
            for rows in 0..6 {
                picture(&mut grid, columns, rows);
                picture(&mut Grid::default(), columns, rows);
            }
        }
    }

    #[test]
    fn every_edit_is_taken_back_in_turn() {
        let mut edits = BitEdits::new(Bits::zeros(6));
        let mut states = Vec::new();
        let changes: [&dyn Fn(&mut BitEdits); 5] = [
            &|edits| edits.turn(2),
            &|edits| edits.write(4, true),
            &BitEdits::restore,
            &BitEdits::restore,
            &|edits| edits.write_all(&Bits::of_number(7, 6)),
        ];
        for change in changes {
            states.push(edits.bits());
            change(&mut edits);
            assert_ne!(Some(&edits.bits()), states.last());
        }
        for before in states.iter().rev() {
            assert!(edits.is_edited());
            edits.undo();
            assert_eq!(edits.bits(), *before);
        }
        assert!(!edits.is_edited() && edits.undo().is_none());
        // Nothing is to be taken back where nothing changed.
        edits.write(0, false);
        edits.restore();
        edits.write_all(&Bits::zeros(6));
        assert!(!edits.is_edited());
    }
}
