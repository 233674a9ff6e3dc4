//! A configuration under edit, and the edits that can be undone.

use crate::tui::widget::choice::cycle;
use crate::tui::widget::grid::{Cursor, Edits, Focus};
use debate_core::scenario::{StateId, SymbolId, TapeConfiguration};

/// The configuration before an edit, and the cursor at that time.
#[derive(Clone, Debug)]
struct Edit {
    before: TapeConfiguration,
    at: Cursor,
}

/// The given configuration and the edited one.
#[derive(Clone, Debug)]
pub struct TapeEdits {
    given: TapeConfiguration,
    now: TapeConfiguration,
    /// The configuration that [`Edits::restore`] discarded.
    aside: Option<TapeConfiguration>,
    edits: Vec<Edit>,
    /// The number of the machine's states.
    states: usize,
    symbols: Vec<char>,
}

impl TapeEdits {
    /// Creates the given configuration without changes.
    pub fn new(given: TapeConfiguration, states: usize, symbols: Vec<char>) -> Self {
        Self {
            now: given.clone(),
            given,
            aside: None,
            edits: Vec::new(),
            states,
            symbols,
        }
    }

    pub fn given(&self) -> &TapeConfiguration {
        &self.given
    }

    /// Returns the edited configuration.
    pub fn now(&self) -> &TapeConfiguration {
        &self.now
    }

    /// Makes a change with the cursor at `at`, and records it if the configuration changed.
    pub fn edit(&mut self, at: Cursor, change: impl FnOnce(&mut TapeConfiguration)) {
        let before = self.now.clone();
        change(&mut self.now);
        if self.now != before {
            self.edits.push(Edit { before, at });
        }
    }

    /// Replaces the state by the one `by` positions further in the machine's list.
    pub fn turn_state(&mut self, by: isize, at: Cursor) {
        let next = cycle(self.now.state.into(), by, self.states);
        let next = StateId::try_from(next).unwrap_or(self.now.state);
        self.edit(at, |now| now.state = next);
    }

    fn write_symbol(&mut self, symbol: SymbolId, at: Cursor) {
        self.edit(at, |now| {
            if let Some(written) = now.tape.get_mut(at.cell) {
                *written = symbol;
            }
        });
    }
}

impl Edits for TapeEdits {
    fn turn(&mut self, at: Cursor) {
        if at.focus == Focus::Header {
            return self.turn_state(1, at);
        }
        let count = self.symbols.len().max(1);
        if let Some(symbol) = self.now.tape.get(at.cell) {
            let next = (usize::from(*symbol) + 1) % count;
            self.write_symbol(SymbolId::try_from(next).unwrap_or(0), at);
        }
    }

    fn write(&mut self, c: char, at: Cursor) -> bool {
        let symbol = self.symbols.iter().position(|sign| *sign == c);
        let Some(symbol) = symbol.and_then(|symbol| SymbolId::try_from(symbol).ok()) else {
            return false;
        };
        self.write_symbol(symbol, at);
        true
    }

    fn restore(&mut self, at: Cursor) {
        if self.now != self.given {
            self.aside = Some(self.now.clone());
            let given = self.given.clone();
            self.edit(at, |now| *now = given);
        } else if let Some(aside) = self.aside.take() {
            self.edit(at, |now| *now = aside);
        }
    }

    fn next_changed(&self, from: usize, forward: bool) -> Option<usize> {
        let pairs = self.given.tape.iter().zip(&self.now.tape);
        let changed = pairs.map(|(given, now)| given != now);
        let changed = changed.enumerate().filter(|(_, changed)| *changed);
        let cells: Vec<usize> = changed.map(|(cell, _)| cell).collect();
        let next = if forward {
            let after = cells.iter().find(|cell| **cell > from);
            after.or_else(|| cells.first())
        } else {
            let before = cells.iter().rev().find(|cell| **cell < from);
            before.or_else(|| cells.last())
        };
        next.copied()
    }

    fn is_edited(&self) -> bool {
        !self.edits.is_empty()
    }

    fn undo(&mut self) -> Option<Cursor> {
        let edit = self.edits.pop()?;
        self.now = edit.before;
        Some(edit.at)
    }
}
