//! A string of bits that the user edits, and the edits that can be undone.

use std::collections::BTreeSet;

use crate::tui::widget::grid::{CellEdits, GridCursor};
use debate_core::bits::BitString;
use debate_core::text::to_ascii_digit;

/// Maximum number of edits that can be undone.
const MAX_UNDO: usize = 10_000;

/// An edit, stored in the form that is needed to undo it.
#[derive(Clone, Debug)]
enum Edit {
    /// A bit was flipped.
    Flipped(usize),
    /// The user replaced all bits at once. For undo, the field lists the indices at which the bits differed from the
    /// given bits before.
    Replaced(BTreeSet<usize>),
}

/// The given bits and the set of indices that were flipped, so that a million bits cost no more
/// than their changes.
#[derive(Clone, Debug, Default)]
pub struct BitEdits {
    original: BitString,
    changed_indices: BTreeSet<usize>,
    /// The changes that [`CellEdits::restore`] discarded.
    discarded: BTreeSet<usize>,
    edits: Vec<Edit>,
}

impl BitEdits {
    /// Creates an editor state with the given bits and without changes.
    pub fn new(original: BitString) -> Self {
        Self {
            original,
            ..Self::default()
        }
    }

    /// Returns the number of bits.
    pub fn bit_count(&self) -> usize {
        self.original.len()
    }

    /// Returns the edited bit at an index.
    pub fn bit_after_edits(&self, index: usize) -> bool {
        let original = self.original.as_slice().get(index) == Some(&true);
        original ^ self.changed_indices.contains(&index)
    }

    /// Returns all bits after the edits. Shares the given bits if there are no changes.
    pub fn bits_after_edits(&self) -> BitString {
        if self.changed_indices.is_empty() {
            return self.original.clone();
        }
        let mut bits = self.original.as_slice().to_vec();
        for index in &self.changed_indices {
            if let Some(bit) = bits.get_mut(*index) {
                *bit = !*bit;
            }
        }
        bits.into()
    }

    /// Returns the indices of the edited bits that differ from the given bits, in order.
    pub fn changed_indices(&self) -> &BTreeSet<usize> {
        &self.changed_indices
    }

    /// Writes all bits as a single edit that can be undone.
    pub fn overwrite_all_bits(&mut self, bits: &BitString) {
        let pairs = self.original.as_slice().iter().zip(bits.as_slice());
        let differ = pairs
            .enumerate()
            .filter(|(_, (original, bit))| original != bit);
        let changed_indices = differ.map(|(index, _)| index).collect();
        if changed_indices != self.changed_indices {
            let before = std::mem::replace(&mut self.changed_indices, changed_indices);
            self.record(Edit::Replaced(before));
        }
    }

    fn flip(&mut self, index: usize) {
        if !self.changed_indices.remove(&index) {
            self.changed_indices.insert(index);
        }
    }

    fn record(&mut self, edit: Edit) {
        if self.edits.len() >= MAX_UNDO {
            self.edits.remove(0);
        }
        self.edits.push(edit);
    }
}

impl CellEdits for BitEdits {
    fn turn(&mut self, at: GridCursor) {
        if at.cell < self.bit_count() {
            self.flip(at.cell);
            self.record(Edit::Flipped(at.cell));
        }
    }

    fn set_cell_to_typed(&mut self, c: char, at: GridCursor) -> bool {
        let bit = match to_ascii_digit(c) {
            '0' => false,
            '1' => true,
            _ => return false,
        };
        if self.bit_after_edits(at.cell) != bit {
            self.turn(at);
        }
        true
    }

    fn restore(&mut self, _at: GridCursor) {
        let before = self.changed_indices.clone();
        if self.changed_indices.is_empty() {
            self.changed_indices = std::mem::take(&mut self.discarded);
        } else {
            self.discarded = std::mem::take(&mut self.changed_indices);
        }
        if before != self.changed_indices {
            self.record(Edit::Replaced(before));
        }
    }

    fn next_changed(&self, from: usize, forward: bool) -> Option<usize> {
        let index = if forward {
            let after = self.changed_indices.range(from + 1..).next();
            after.or_else(|| self.changed_indices.first())
        } else {
            let before = self.changed_indices.range(..from).next_back();
            before.or_else(|| self.changed_indices.last())
        };
        index.copied()
    }

    fn is_edited(&self) -> bool {
        !self.edits.is_empty()
    }

    /// Undoes the last edit. The cursor moves to the first bit that changes.
    fn undo(&mut self) -> Option<GridCursor> {
        let index = match self.edits.pop()? {
            Edit::Flipped(index) => {
                self.flip(index);
                Some(index)
            }
            Edit::Replaced(before) => {
                let first = self
                    .changed_indices
                    .symmetric_difference(&before)
                    .next()
                    .copied();
                self.changed_indices = before;
                first
            }
        };
        index.map(GridCursor::cursor_at_cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_undone_in_reverse_order() {
        let mut edits = BitEdits::new(BitString::zeros(6));
        let mut states = Vec::new();
        let changes: [&dyn Fn(&mut BitEdits); 5] = [
            &|edits| edits.turn(GridCursor::cursor_at_cell(2)),
            &|edits| assert!(edits.set_cell_to_typed('1', GridCursor::cursor_at_cell(4))),
            &|edits| edits.restore(GridCursor::cursor_at_cell(0)),
            &|edits| edits.restore(GridCursor::cursor_at_cell(0)),
            &|edits| edits.overwrite_all_bits(&BitString::low_bits_of_number(7, 6)),
        ];
        for change in changes {
            states.push(edits.bits_after_edits());
            change(&mut edits);
            assert_ne!(Some(&edits.bits_after_edits()), states.last());
        }
        for before in states.iter().rev() {
            assert!(edits.is_edited());
            edits.undo();
            assert_eq!(edits.bits_after_edits(), *before);
        }
        assert!(!edits.is_edited() && edits.undo().is_none());
        // An edit without a change is not recorded.
        assert!(
            edits.set_cell_to_typed('0', GridCursor::cursor_at_cell(0))
                && !edits.set_cell_to_typed('2', GridCursor::cursor_at_cell(0))
        );
        edits.restore(GridCursor::cursor_at_cell(0));
        edits.overwrite_all_bits(&BitString::zeros(6));
        assert!(!edits.is_edited());
    }

    #[test]
    fn changes_are_found_and_restored() {
        let mut edits = BitEdits::new(BitString::zeros(1_000_000));
        for index in [17, 99, 500_000] {
            edits.turn(GridCursor::cursor_at_cell(index));
        }
        assert!(edits.changed_indices().iter().eq(&[17, 99, 500_000]));
        assert_eq!(edits.next_changed(500_000, true), Some(17));
        assert_eq!(edits.next_changed(17, false), Some(500_000));
        assert!(edits.bit_after_edits(99) && !edits.bit_after_edits(98));
        edits.restore(GridCursor::cursor_at_cell(0));
        assert_eq!(edits.changed_indices().len(), 0);
        assert_eq!(edits.bits_after_edits(), BitString::zeros(1_000_000));
        edits.restore(GridCursor::cursor_at_cell(0));
        assert_eq!(edits.changed_indices().len(), 3);
        edits.turn(GridCursor::cursor_at_cell(500_000));
        assert_eq!(edits.changed_indices().len(), 2);
    }
}
