//! Bits that were given, and what somebody changed of them.
//!
//! The state is the given bits and the set of places that were turned around, so that a million
//! bits cost no more than what was changed.

use std::collections::BTreeSet;

use debate_core::bits::Bits;

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
        let found = if forward {
            let after = self.turned.range(from + 1..).next();
            after.or_else(|| self.turned.first())
        } else {
            let before = self.turned.range(..from).next_back();
            before.or_else(|| self.turned.last())
        };
        found.copied()
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

#[cfg(test)]
mod tests {
    use super::*;

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
