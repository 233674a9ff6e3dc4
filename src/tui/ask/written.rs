//! The editor for a transcript: the bit that each step of a computation writes.

use crate::tui::widget::Canvas;
use ratatui::layout::{Position, Rect};

use super::bits::edits::BitEdits;
use super::bits::{bit_grid, bits_reply, change_summary};
use super::grid::{
    GridEditor, GridEditorBehaviour, GridHit, GridNotesState, MAX_GRID_ROWS, TypedCharacterMeaning,
    draw_list, list_row_at,
};
use super::steps::step_neighbours;
use crate::tui::actions::Contexts;
use crate::tui::keys::{Action, WRITTEN};
use crate::tui::theme::{ScreenAppearance, TextRole};
use crate::tui::widget::grid::CellGrid;
use crate::tui::widget::measure;
use crate::tui::widget::tree::TreeRow;
use debate_core::bits::BitString;
use debate_core::number::Exact;
use debate_core::protocol::{ComputationAndTranscript, Reply};
use debate_text::claim_tree::RowMark;
use debate_text::{StepWithWrittenBit, with_thousands_separators};

/// The number of steps by which a page key moves the cursor.
const PAGE_CELLS: usize = 5;
/// Columns for the description of a step, which is followed by the step's inputs.
const DESCRIPTION_COLUMNS: usize = 26;

/// The steps of a computation as a list, each with its written bit. Only rows in view are formatted.
#[derive(Debug)]
pub struct ComputationTranscriptEditor {
    computed: ComputationAndTranscript,
    /// True if the problem prepared the bits for the user to edit.
    prepared: bool,
    look: ScreenAppearance,
}

impl GridEditor<ComputationTranscriptEditor> {
    /// Creates an editor for the bits that `length` steps write.
    pub fn for_transcript(
        computed: ComputationAndTranscript,
        prepared: Option<BitString>,
        length: usize,
    ) -> Self {
        let steps = ComputationTranscriptEditor {
            computed,
            prepared: prepared.is_some(),
            look: ScreenAppearance::default(),
        };
        Self::new(bit_grid(prepared, length), steps)
    }
}

impl ComputationTranscriptEditor {
    fn value(grid: &CellGrid<BitEdits>, step: u64) -> Option<bool> {
        Some(grid.edits.bit_after_edits(usize::try_from(step).ok()?))
    }

    fn written_step(&self, grid: &CellGrid<BitEdits>, step: u64) -> StepWithWrittenBit {
        let computation = &*self.computed.computation;
        let witness = &self.computed.witness;
        StepWithWrittenBit::of(computation, witness, step, |step| Self::value(grid, step))
    }

    /// True if the bit that a step writes follows from the bits that the step reads; `None` if the oracle decides.
    fn follows(&self, written: &StepWithWrittenBit) -> Option<bool> {
        let required = written.bit_required_by_step_rule(&*self.computed.computation)?;
        Some(written.value == Some(required))
    }

    fn tree_row(
        &self,
        grid: &CellGrid<BitEdits>,
        number: usize,
        look: &ScreenAppearance,
    ) -> TreeRow {
        let step = number as u64;
        let cursor = if number == grid.cell_under_cursor() {
            look.glyphs.cursor
        } else {
            " "
        };
        let digits = grid.grid_cell_count().saturating_sub(1).to_string().len();
        let written = self.written_step(grid, step);
        let sign = match self.follows(&written) {
            Some(true) => look.narration_symbols().right,
            Some(false) => look.narration_symbols().wrong,
            None => "?",
        };
        let read = written.step_inputs_or_judge_in_words();
        let bit = written.written_bit_text();
        let text = match written.statement {
            Some(_) => format!("{bit:<3} {sign}  {}", written.step_text()),
            None => format!(
                "{bit} {sign}  {}  {read}",
                measure::pad(&written.text, DESCRIPTION_COLUMNS)
            ),
        };
        let changed = grid.edits.changed_indices().contains(&number);
        TreeRow {
            text: format!("{cursor}{step:>digits$}  {text}"),
            mark: if changed {
                RowMark::Newest
            } else {
                RowMark::Plain
            },
            ..TreeRow::default()
        }
    }

    /// Computes the bit of every step after the marked one from the bits that the step reads. Returns a remark if that
    /// is not possible, or if it changes no bit.
    fn complete_later_steps(&self, grid: &mut CellGrid<BitEdits>) -> Option<&'static str> {
        let bits = grid.edits.bits_after_edits();
        let first_bits = bits
            .as_slice()
            .get(..=grid.cell_under_cursor())
            .unwrap_or_default();
        let witness = &self.computed.witness;
        let Some(completed) = self
            .computed
            .computation
            .complete_transcript(witness, first_bits)
        else {
            return Some("The later steps cannot be filled in: an oracle decides one of them.");
        };
        if completed == bits {
            return Some("Each later step already has the value that its rule gives.");
        }
        grid.edits.overwrite_all_bits(&completed);
        None
    }

    /// Describes the marked step.
    fn describe_step(&self, grid: &CellGrid<BitEdits>) -> Vec<(TextRole, String)> {
        let step = grid.cell_under_cursor() as u64;
        let written = self.written_step(grid, step);
        let (role, rule) = match self.follows(&written) {
            Some(true) => (TextRole::Text, "that follows"),
            Some(false) => (TextRole::Bad, "that does not follow"),
            None => (TextRole::Text, "the oracle decides this bit"),
        };
        let sentence = format!(
            "Step {step} (of 0 to {last}): {step_text}; your bit is {bit}, {verdict}.",
            step = with_thousands_separators(step),
            last = with_thousands_separators((grid.grid_cell_count() as u64).saturating_sub(1)),
            step_text = written.step_text(),
            bit = written.written_bit_text(),
            verdict = rule
        );
        let mut notes = vec![(role, sentence)];
        let computation = &*self.computed.computation;
        let witness = &self.computed.witness;
        let value = |step| Self::value(grid, step);
        notes.extend(step_neighbours(
            computation,
            witness,
            step,
            value,
            &self.look,
        ));
        let evidence = written.evidence_in_words(" ");
        notes.extend(evidence.map(|text| (TextRole::Text, text)));
        notes
    }
}

impl GridEditorBehaviour for ComputationTranscriptEditor {
    type CellEdits = BitEdits;

    const TYPING: TypedCharacterMeaning = TypedCharacterMeaning::AfterKeys;
    const MIN_ROWS: usize = 3;

    fn context(&self) -> Contexts {
        WRITTEN
    }

    fn reply(
        &self,
        grid: &CellGrid<BitEdits>,
        _typed: Option<u64>,
    ) -> Result<Reply<Exact>, String> {
        Ok(bits_reply(grid))
    }

    fn page_size(&self, _grid: &CellGrid<BitEdits>) -> usize {
        PAGE_CELLS
    }

    fn scroll(&self, grid: &mut CellGrid<BitEdits>, lines: isize) {
        grid.scroll_with_cursor_in_view(lines);
    }

    fn act(
        &mut self,
        action: Action,
        grid: &mut CellGrid<BitEdits>,
        remark: &mut Option<String>,
    ) -> bool {
        if action == Action::CarryOn {
            *remark = self.complete_later_steps(grid).map(str::to_owned);
        }
        action == Action::CarryOn
    }

    fn part_at(&self, grid: &CellGrid<BitEdits>, at: Position, area: Rect) -> GridHit {
        list_row_at(grid, at, area)
    }

    fn rows(&self, grid: &CellGrid<BitEdits>, _columns: u16) -> usize {
        grid.grid_cell_count().clamp(1, MAX_GRID_ROWS)
    }

    fn prompt(&self, _grid: &CellGrid<BitEdits>, typed: &str) -> String {
        format!("Go to step {typed}_")
    }

    fn notes(
        &self,
        grid: &CellGrid<BitEdits>,
        status: GridNotesState<'_>,
    ) -> Vec<(TextRole, String)> {
        let mut notes = Vec::new();
        let remark = status.remark.map(str::to_owned);
        notes.extend(remark.map(|remark| (TextRole::Warning, remark)));
        notes.extend(self.describe_step(grid));
        let change_summary = change_summary(&grid.edits, self.prepared, |index| {
            with_thousands_separators(index as u64)
        });
        notes.push((TextRole::Faint, change_summary));
        notes
    }

    fn draw(&mut self, grid: &mut CellGrid<BitEdits>, canvas: &mut Canvas<'_>, area: Rect) {
        self.look = canvas.look;
        let row = |grid: &CellGrid<BitEdits>, number, look: &ScreenAppearance| {
            self.tree_row(grid, number, look)
        };
        draw_list(grid, row, canvas, area);
    }
}

#[cfg(test)]
mod tests;
