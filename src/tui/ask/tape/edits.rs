//! A machine's configuration that the user edits, and the edits that can be undone.

use crate::tui::widget::choice::cycle_index;
use crate::tui::widget::grid::{CellEdits, GridCursor, GridFocus};
use debate_core::scenario::{StateId, SymbolId, TapeConfiguration};

/// An edit that can be undone: the configuration before it, and the cursor at that time.
#[derive(Clone, Debug)]
struct Edit {
    before: TapeConfiguration,
    at: GridCursor,
}

/// The configuration that the user was given, and the edited one.
#[derive(Clone, Debug)]
pub struct TapeConfigurationEdits {
    original: TapeConfiguration,
    edited: TapeConfiguration,
    /// The configuration that [`CellEdits::restore`] discarded.
    discarded: Option<TapeConfiguration>,
    edits: Vec<Edit>,
    /// The number of the machine's states.
    states: usize,
    symbols: Vec<char>,
}

impl TapeConfigurationEdits {
    /// Creates an editor of this configuration of the machine, with nothing edited yet.
    pub fn new(original: TapeConfiguration, states: usize, symbols: Vec<char>) -> Self {
        Self {
            edited: original.clone(),
            original,
            discarded: None,
            edits: Vec::new(),
            states,
            symbols,
        }
    }

    pub fn original(&self) -> &TapeConfiguration {
        &self.original
    }

    /// Returns the edited configuration.
    pub fn edited(&self) -> &TapeConfiguration {
        &self.edited
    }

    /// Applies a change to the configuration, and records it for undo if the configuration changed. `at` is the cursor
    /// before the change.
    pub fn edit(&mut self, at: GridCursor, change: impl FnOnce(&mut TapeConfiguration)) {
        let before = self.edited.clone();
        change(&mut self.edited);
        if self.edited != before {
            self.edits.push(Edit { before, at });
        }
    }

    /// Sets the state of the edited configuration to the state `offset` positions further in the list of states. After
    /// the last state comes the first.
    pub fn cycle_state_of_configuration(&mut self, offset: isize, at: GridCursor) {
        let next = cycle_index(self.edited.state.into(), offset, self.states);
        let next = StateId::try_from(next).unwrap_or(self.edited.state);
        self.edit(at, |edited| edited.state = next);
    }

    fn write_symbol(&mut self, symbol: SymbolId, at: GridCursor) {
        self.edit(at, |edited| {
            if let Some(written) = edited.tape.get_mut(at.cell) {
                *written = symbol;
            }
        });
    }
}

impl CellEdits for TapeConfigurationEdits {
    fn turn(&mut self, at: GridCursor) {
        if at.focus == GridFocus::Header {
            return self.cycle_state_of_configuration(1, at);
        }
        let count = self.symbols.len().max(1);
        if let Some(symbol) = self.edited.tape.get(at.cell) {
            let next = (usize::from(*symbol) + 1) % count;
            self.write_symbol(SymbolId::try_from(next).unwrap_or(0), at);
        }
    }

    fn set_cell_to_typed(&mut self, c: char, at: GridCursor) -> bool {
        let symbol = self.symbols.iter().position(|sign| *sign == c);
        let Some(symbol) = symbol.and_then(|symbol| SymbolId::try_from(symbol).ok()) else {
            return false;
        };
        self.write_symbol(symbol, at);
        true
    }

    fn restore(&mut self, at: GridCursor) {
        if self.edited != self.original {
            self.discarded = Some(self.edited.clone());
            let original = self.original.clone();
            self.edit(at, |edited| *edited = original);
        } else if let Some(discarded) = self.discarded.take() {
            self.edit(at, |edited| *edited = discarded);
        }
    }

    fn next_changed(&self, from: usize, forward: bool) -> Option<usize> {
        let pairs = self.original.tape.iter().zip(&self.edited.tape);
        let changed = pairs.map(|(original, edited)| original != edited);
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

    fn undo(&mut self) -> Option<GridCursor> {
        let edit = self.edits.pop()?;
        self.edited = edit.before;
        Some(edit.at)
    }
}
