//! The editor for a string of bits in rows, and the texts that all editors of bits share.

pub mod edits;

use std::sync::Arc;

use ratatui::layout::{Position, Rect};

use super::grid::{
    GridEditor, GridEditorBehaviour, GridHit, GridNotesState, MAX_GRID_ROWS, TypedCharacterMeaning,
};
use crate::tui::actions::Contexts;
use crate::tui::keys::BITS;
use crate::tui::theme::TextRole;
use crate::tui::widget::grid::{CellGrid, GridCursor, GridFocus};
use crate::tui::widget::{Canvas, measure};
use debate_core::bits::BitString;
use debate_core::number::Exact;
use debate_core::protocol::{BitsMeaning, Reply};
use debate_core::scenario::{BitSource, Computation, Instance, MachineRun};
use debate_core::text::{count_with_noun, shortened_around};
use debate_text::with_thousands_separators;
use edits::BitEdits;

/// Number of bits in a group. A space separates the groups of a row.
const GROUP_BITS: usize = 10;
/// The numbers of ten-bit groups that a row of the bit editor may have. With these, every row begins at a round index,
/// such as 50 or 100.
const GROUPS_PER_ROW: [usize; 4] = [10, 5, 2, 1];
/// Maximum number of changed bits that are listed by name.
const MAX_NAMED_CELLS: usize = 6;
/// Maximum number of characters of the text that describes a machine's configuration.
const MAX_MEANING_CHARACTERS: usize = 200;

/// Creates a grid of the bits that the problem prepared, or else of `length` zeros.
pub fn bit_grid(prepared: Option<BitString>, length: usize) -> CellGrid<BitEdits> {
    let edits = BitEdits::new(prepared.unwrap_or_else(|| BitString::zeros(length)));
    let length = edits.bit_count();
    CellGrid::new(edits, length, GridCursor::default())
}

/// Returns the edited bits as a `Reply::Bits`.
pub fn bits_reply(grid: &CellGrid<BitEdits>) -> Reply<Exact> {
    Reply::Bits(grid.edits.bits_after_edits())
}

/// Returns a sentence with the number of changed bits and the names of the first ones.
pub fn change_summary(
    edits: &BitEdits,
    prepared: bool,
    bit_name: impl Fn(usize) -> String,
) -> String {
    let changed_indices = edits.changed_indices();
    let prepared_or_initial_bits = if prepared {
        "the prepared ones"
    } else {
        "the initial zeros"
    };
    if changed_indices.is_empty() {
        return if prepared {
            "Unchanged, as prepared.".to_owned()
        } else {
            "Initially all zeros.".to_owned()
        };
    }
    let named = changed_indices.iter().take(MAX_NAMED_CELLS);
    let mut names: Vec<String> = named.map(|position| bit_name(*position)).collect();
    if changed_indices.len() > MAX_NAMED_CELLS {
        names.push("…".to_owned());
    }
    let differs_or_differ = if changed_indices.len() == 1 {
        "differs"
    } else {
        "differ"
    };
    let changed_count = with_thousands_separators(changed_indices.len() as u64);
    let all_bits = count_with_noun(
        with_thousands_separators(edits.bit_count() as u64),
        "bit",
        "bits",
    );
    let positions = names.join(", ");
    format!(
        "{changed_count} of {all_bits} {differs_or_differ} from {prepared_or_initial_bits}: {positions}."
    )
}

/// The meaning of the string of bits in the editor, for the note that describes it: a machine configuration, a witness,
/// or unknown.
#[derive(Debug)]
enum Meaning {
    /// Unknown.
    Plain,
    /// The configuration of a machine, and its text. The text is `None` if the bits are not a configuration.
    Configuration(Arc<dyn MachineRun>, Option<String>),
    /// The bits are the witness of this computation. The text describes the witness, if the computation has words for
    /// it.
    Witness(Arc<dyn Computation>, Option<String>),
}

/// The behaviour of the grid editor for rows of numbered bits: the bits of a witness, or of a machine configuration
/// without a tape.
#[derive(Debug)]
pub struct BitRowsEditorBehaviour {
    meaning: Meaning,
    /// True if the problem prepared bits for the user to edit, and they are not all zeros.
    prepared: bool,
}

impl GridEditor<BitRowsEditorBehaviour> {
    /// Creates an editor of the `length` bits that `ask` requests.
    pub fn for_bits(
        instance: &Instance,
        ask: BitsMeaning,
        prepared: Option<BitString>,
        length: usize,
    ) -> Self {
        let meaning = match ask {
            BitsMeaning::Configuration { .. } => {
                instance.run().map(|run| Meaning::Configuration(run, None))
            }
            BitsMeaning::Witness => {
                let computation = instance.computation();
                computation.map(|computation| Meaning::Witness(computation, None))
            }
            _ => None,
        };
        Self::with_meaning(prepared, length, meaning.unwrap_or(Meaning::Plain))
    }

    fn with_meaning(prepared: Option<BitString>, length: usize, meaning: Meaning) -> Self {
        // Without prepared bits the editor starts from zeros too, so zeros do not count as prepared.
        let is_prepared = prepared
            .as_ref()
            .is_some_and(|bits| bits.as_slice().contains(&true));
        let rows = BitRowsEditorBehaviour {
            meaning,
            prepared: is_prepared,
        };
        Self::new(bit_grid(prepared, length), rows)
    }
}

impl BitRowsEditorBehaviour {
    /// Returns a description of the bit under the cursor.
    fn describe_bit(&self, grid: &CellGrid<BitEdits>) -> String {
        let position = grid.cell_under_cursor();
        let bit = u8::from(grid.edits.bit_after_edits(position));
        let at = position as u64;
        let position_of_total = format!(
            "{} of {}",
            with_thousands_separators(at),
            with_thousands_separators(grid.grid_cell_count() as u64)
        );
        match &self.meaning {
            Meaning::Plain | Meaning::Configuration(..) => {
                format!("Bit {position_of_total} is {bit}.")
            }
            Meaning::Witness(computation, _) => {
                let bit_name = computation.source_text(BitSource::Witness(at));
                format!("Bit {position_of_total}: {bit_name} = {bit}.")
            }
        }
    }
}

impl GridEditorBehaviour for BitRowsEditorBehaviour {
    type CellEdits = BitEdits;

    const TYPING: TypedCharacterMeaning = TypedCharacterMeaning::AfterKeys;
    const MIN_ROWS: usize = 2;

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

    fn read_values(&mut self, edits: &BitEdits) {
        match &mut self.meaning {
            Meaning::Configuration(run, text) => {
                let bits = edits.bits_after_edits();
                let well_formed = run.is_well_formed(&bits);
                *text = well_formed
                    .then(|| shortened_around(&run.text(&bits), '[', MAX_MEANING_CHARACTERS));
            }
            Meaning::Witness(computation, text) => {
                *text = computation.witness_text(&edits.bits_after_edits());
            }
            Meaning::Plain => {}
        }
    }

    fn part_at(&self, grid: &CellGrid<BitEdits>, at: Position, area: Rect) -> GridHit {
        let rows = RowLayout::new(grid.grid_cell_count(), area.width);
        let cell = grid.cells_of_row_at(at, area).and_then(|mut row| {
            let column = usize::from(at.x - area.x);
            row.nth(rows.index_at(column)?)
        });
        GridHit::cell_or_outside(cell)
    }

    fn rows(&self, grid: &CellGrid<BitEdits>, columns: u16) -> usize {
        let per_row = RowLayout::new(grid.grid_cell_count(), columns).per_row;
        grid.grid_cell_count()
            .div_ceil(per_row)
            .clamp(1, MAX_GRID_ROWS)
    }

    fn prompt(&self, _grid: &CellGrid<BitEdits>, typed: &str) -> String {
        format!("Go to index {typed}_")
    }

    fn notes(
        &self,
        grid: &CellGrid<BitEdits>,
        status: GridNotesState<'_>,
    ) -> Vec<(TextRole, String)> {
        let mut notes = Vec::new();
        if !status.is_typing_number {
            notes.push((TextRole::Text, self.describe_bit(grid)));
        }
        match &self.meaning {
            Meaning::Configuration(_, None) => {
                notes.push((TextRole::Bad, "Not a configuration.".to_owned()));
            }
            Meaning::Configuration(_, Some(text)) | Meaning::Witness(_, Some(text)) => {
                notes.push((TextRole::Text, format!("Meaning: {text}")));
            }
            Meaning::Plain | Meaning::Witness(_, None) => {}
        }
        let change_summary = change_summary(&grid.edits, self.prepared, |position| {
            with_thousands_separators(position as u64)
        });
        notes.push((TextRole::Faint, change_summary));
        notes
    }

    fn draw(&mut self, grid: &mut CellGrid<BitEdits>, canvas: &mut Canvas<'_>, area: Rect) {
        let rows = RowLayout::new(grid.grid_cell_count(), area.width);
        grid.lay_out_rows(rows.per_row, area.height.into());
        rows.draw(
            grid,
            |position| grid.edits.bit_after_edits(position),
            canvas,
            area,
        );
    }
}

/// The layout of bits in rows: each row shows the number of its first bit, then its bits in groups.
#[derive(Clone, Copy, Debug)]
struct RowLayout {
    /// Columns before the bits of a row, for the number of its first bit. 0 if all bits are in one row, or if there is
    /// no room for numbers.
    margin: usize,
    per_row: usize,
}

impl RowLayout {
    /// Computes the layout of `bits` bits in `columns`.
    fn new(bits: usize, columns: u16) -> Self {
        let columns = usize::from(columns);
        let one_row = bits + bits.saturating_sub(1) / GROUP_BITS;
        if one_row <= columns {
            return Self {
                margin: 0,
                per_row: bits.max(1),
            };
        }
        let digits = bits.saturating_sub(1).to_string().len();
        let margin = if digits + 2 + GROUP_BITS <= columns {
            digits + 2
        } else {
            0
        };
        let room = columns.saturating_sub(margin) + 1;
        let fits = |groups: &&usize| **groups * (GROUP_BITS + 1) <= room;
        let per_row = match GROUPS_PER_ROW.iter().find(fits) {
            Some(groups) => groups * GROUP_BITS,
            None => room.saturating_sub(1).max(1),
        };
        Self { margin, per_row }
    }

    /// Returns the position in its row of the bit that is drawn at this screen column of the bit editor. `None` if the
    /// column shows no bit.
    fn index_at(self, column: usize) -> Option<usize> {
        let column = column.checked_sub(self.margin)?;
        let index = column - column / (GROUP_BITS + 1);
        (column % (GROUP_BITS + 1) != GROUP_BITS && index < self.per_row).then_some(index)
    }

    /// Draws the rows of bits that are in view. Calls `bit` only for these bits.
    fn draw(
        self,
        grid: &CellGrid<BitEdits>,
        bit: impl Fn(usize) -> bool,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        for line in 0..usize::from(area.height) {
            let cells = grid.cells_of_row_in_view(line);
            if cells.is_empty() {
                return;
            }
            let first = cells.start;
            let row = measure::row(area, line);
            if self.margin > 0 {
                let number = measure::align_right(&first.to_string(), self.margin - 2);
                canvas.draw_text_line(&number, TextRole::Faint, row);
            }
            let mut text = String::with_capacity(2 * self.per_row);
            for position in cells.clone() {
                if position > first && (position - first).is_multiple_of(GROUP_BITS) {
                    text.push(' ');
                }
                text.push(if bit(position) { '1' } else { '0' });
            }
            let room = measure::skip_columns(row, measure::to_u16_saturating(self.margin));
            canvas.draw_text_line(&text, TextRole::Text, room);
            let cell = |position: usize| {
                let column = self.margin + (position - first) + (position - first) / GROUP_BITS;
                let at = measure::skip_columns(row, measure::to_u16_saturating(column));
                measure::first_columns(at, 1).intersection(area)
            };
            for position in grid.edits.changed_indices().range(cells.clone()) {
                canvas.set_style(cell(*position), TextRole::Newest);
            }
            if grid.focus() == GridFocus::Cell && cells.contains(&grid.cell_under_cursor()) {
                canvas.set_style(cell(grid.cell_under_cursor()), TextRole::Selected);
            }
        }
    }
}

#[cfg(test)]
mod tests;
