//! The list of a computation's steps from which the challenger chooses the step to challenge. Its first row challenges
//! no step.

use std::ops::Range;

use ratatui::layout::{Position, Rect};

use super::grid::{
    GridEditor, GridEditorBehaviour, GridHit, GridNotesState, MAX_GRID_ROWS, TypedCharacterMeaning,
    draw_list, list_row_at,
};
use crate::tui::actions::Contexts;
use crate::tui::keys::{Action, STEPS};
use crate::tui::theme::{ScreenAppearance, TextRole};
use crate::tui::widget::grid::{CellGrid, GridCursor, GridFocus, UneditableGridCells};
use crate::tui::widget::tree::TreeRow;
use crate::tui::widget::{Canvas, measure};
use debate_core::bits::BitString;
use debate_core::number::Exact;
use debate_core::protocol::{ComputationAndTranscript, Reply, Seat};
use debate_core::scenario::{BitSource, Computation};
use debate_text::{
    StepWithWrittenBit, ViewerPerspective, capitalized, with_thousands_separators, yes_no_word,
};

/// The number of rows by which a page key moves the cursor.
const PAGE_CELLS: usize = 9;
/// Columns for a step's rule and its value.
const WRITTEN_COLUMNS: usize = 30;

/// The list of steps to challenge: "none" first, then the steps. Only rows in view are formatted.
#[derive(Debug)]
pub struct ChallengeableStepList {
    steps: Range<u64>,
    computed: Option<ComputationAndTranscript>,
    look: ScreenAppearance,
}

impl GridEditor<ChallengeableStepList> {
    /// Creates a list of these steps in which no step is chosen yet.
    pub fn list_of_challengeable_steps(
        steps: Range<u64>,
        computed: Option<ComputationAndTranscript>,
    ) -> Self {
        let count = steps.end.saturating_sub(steps.start);
        let rows = usize::try_from(count).map_or(usize::MAX, |count| count.saturating_add(1));
        let cursor = GridCursor {
            focus: GridFocus::Nothing,
            cell: 0,
        };
        let list = ChallengeableStepList {
            steps,
            computed,
            look: ScreenAppearance::default(),
        };
        Self::new(CellGrid::new(UneditableGridCells, rows, cursor), list)
    }
}

impl ChallengeableStepList {
    /// Returns the number of the step in a row; `None` for the first row, which challenges no step.
    fn step(&self, row: usize) -> Option<u64> {
        Some(self.steps.start + row.checked_sub(1)? as u64)
    }

    fn written_step(&self, step: u64) -> Option<StepWithWrittenBit> {
        self.computed
            .as_ref()
            .map(|computed| StepWithWrittenBit::from_prover_transcript(computed, step))
    }

    /// Returns a line for each input of a step, and one line for all later steps that read the step's value.
    fn neighbours(&self, step: u64) -> Vec<(TextRole, String)> {
        let Some(computed) = &self.computed else {
            return Vec::new();
        };
        let transcript = computed.transcript.as_ref();
        let value = |step| transcript.and_then(|bits| bits.bit_at(step));
        let computation = &*computed.computation;
        let witness = &computed.witness;
        step_neighbours(computation, witness, step, value, &self.look)
    }

    fn tree_row(
        &self,
        grid: &CellGrid<UneditableGridCells>,
        number: usize,
        look: &ScreenAppearance,
    ) -> TreeRow {
        let cursor = if grid.focus() == GridFocus::Cell && number == grid.cell_under_cursor() {
            look.glyphs.cursor
        } else {
            " "
        };
        let Some(step) = self.step(number) else {
            let first = self.written_step(self.steps.start);
            let is_in_words = first.is_some_and(|written| written.statement.is_some());
            let reason = if is_in_words {
                "every answer is right"
            } else {
                "every step follows from its inputs"
            };
            return TreeRow {
                text: format!("{cursor}none: {reason}"),
                ..TreeRow::default()
            };
        };
        let digits = self.steps.end.saturating_sub(1).to_string().len();
        let text = self.written_step(step).map_or_else(String::new, |written| {
            if written.statement.is_some() {
                return format!("{:<3}  {}", written.written_bit_text(), written.step_text());
            }
            // The value is first: a long step must not push it out of view.
            let wrote = format!("writes {}: {}", written.written_bit_text(), written.text);
            // The text of its sources has a separate column, near the value.
            let read = written.step_inputs_or_judge_in_words();
            format!("{}  {read}", measure::pad(&wrote, WRITTEN_COLUMNS))
        });
        TreeRow {
            text: format!("{cursor}{step:>digits$}  {text}"),
            ..TreeRow::default()
        }
    }
}

impl GridEditorBehaviour for ChallengeableStepList {
    type CellEdits = UneditableGridCells;

    const TYPING: TypedCharacterMeaning = TypedCharacterMeaning::Number;
    const MIN_ROWS: usize = 4;

    fn context(&self) -> Contexts {
        STEPS
    }

    fn reply(
        &self,
        grid: &CellGrid<UneditableGridCells>,
        typed: Option<u64>,
    ) -> Result<Reply<Exact>, String> {
        if let Some(typed) = typed.filter(|step| !self.steps.contains(step)) {
            return Err(format!(
                "There is no step {typed}; the steps are {first} to {last}.",
                first = self.steps.start,
                last = self.steps.end.saturating_sub(1)
            ));
        }
        if grid.focus() == GridFocus::Cell {
            return Ok(Reply::Challenge(self.step(grid.cell_under_cursor())));
        }
        Err(
            "Choose first: type a step's number or use the arrows; {no-step} chooses none."
                .to_owned(),
        )
    }

    fn cell_with_number(&self, number: u64) -> Option<usize> {
        let index = self
            .steps
            .contains(&number)
            .then(|| number - self.steps.start)?;
        usize::try_from(index).ok()?.checked_add(1)
    }

    fn page_size(&self, _grid: &CellGrid<UneditableGridCells>) -> usize {
        PAGE_CELLS
    }

    fn scroll(&self, grid: &mut CellGrid<UneditableGridCells>, lines: isize) {
        grid.scroll_with_cursor_in_view(lines);
    }

    fn act(
        &mut self,
        action: Action,
        grid: &mut CellGrid<UneditableGridCells>,
        _remark: &mut Option<String>,
    ) -> bool {
        if action == Action::NoStep {
            grid.move_to(0);
        }
        action == Action::NoStep
    }

    fn part_at(&self, grid: &CellGrid<UneditableGridCells>, at: Position, area: Rect) -> GridHit {
        list_row_at(grid, at, area)
    }

    fn rows(&self, grid: &CellGrid<UneditableGridCells>, _columns: u16) -> usize {
        grid.grid_cell_count().min(MAX_GRID_ROWS)
    }

    fn prompt(&self, _grid: &CellGrid<UneditableGridCells>, typed: &str) -> String {
        format!("Step {typed}_")
    }

    fn notes(
        &self,
        grid: &CellGrid<UneditableGridCells>,
        _status: GridNotesState<'_>,
    ) -> Vec<(TextRole, String)> {
        let mut notes = Vec::new();
        if grid.focus() == GridFocus::Nothing {
            let count = with_thousands_separators(grid.grid_cell_count() as u64 - 1);
            notes.push((
                TextRole::Faint,
                format!("{count} steps. Go to a step to read its evidence, or type its number."),
            ));
            return notes;
        }
        if let Some(step) = self.step(grid.cell_under_cursor())
            && let Some(written) = self.written_step(step)
        {
            notes.push((
                TextRole::Text,
                format!(
                    "{}.",
                    capitalized(
                        &written.sentence_about_written_step(ViewerPerspective::of_seat(
                            Seat::Opponent
                        ))
                    )
                ),
            ));
            notes.extend(self.neighbours(step));
            let evidence = written.evidence_in_words(" ");
            notes.extend(evidence.map(|text| (TextRole::Text, text)));
        }
        notes
    }

    fn draw(
        &mut self,
        grid: &mut CellGrid<UneditableGridCells>,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        self.look = canvas.look;
        let row = |grid: &CellGrid<UneditableGridCells>, number, look: &ScreenAppearance| {
            self.tree_row(grid, number, look)
        };
        draw_list(grid, row, canvas, area);
    }
}

/// Maximum number of inputs of a step whose inputs are shown. If a step has more, neither its inputs nor the later
/// steps that read it are shown.
const MAX_SOURCES: usize = 4;
/// Maximum number of later steps that are named as readers of a step.
const MAX_READERS: usize = 6;
/// Maximum number of steps of a computation that is searched for the readers of a step, because the search reads all
/// steps.
const MAX_SEARCHED_STEPS: u64 = 20_000;

/// Returns the neighbours of a step: a line for each input with its value, and one line for all later steps that read
/// the step's value. Empty if the step has no inputs or more than `MAX_SOURCES`.
pub fn step_neighbours(
    computation: &dyn Computation,
    witness: &BitString,
    step: u64,
    value: impl Fn(u64) -> Option<bool>,
    look: &ScreenAppearance,
) -> Vec<(TextRole, String)> {
    let mut sources = Vec::new();
    computation.reads(step, &mut sources);
    sources.sort_unstable();
    sources.dedup();
    if sources.is_empty() || sources.len() > MAX_SOURCES {
        return Vec::new();
    }
    let last = sources.len() - 1;
    let line = |(number, source): (usize, &BitSource)| {
        let branch = if number == last {
            look.glyphs.last_branch
        } else {
            look.glyphs.branch
        };
        let name = computation.source_text(*source);
        let description = match source {
            BitSource::Step(step) => {
                let value = value(*step);
                if let Some(said) = computation.statement(*step) {
                    return format!(
                        "{branch} {name}: {}, {said}",
                        value.map_or("?", yes_no_word)
                    );
                }
                let value = value.map_or("?", bit_digit);
                let text = computation.step_text(*step);
                // The text of a gate begins with its name.
                let rule = text
                    .strip_prefix(&format!("{name} = "))
                    .unwrap_or(&text)
                    .to_owned();
                format!("{name} = {value}, as written down for {rule}")
            }
            BitSource::Input(_) | BitSource::Witness(_) => {
                let value = bit_digit(computation.bit(*source, witness, &[]));
                let part = match source {
                    BitSource::Input(_) => "input",
                    _ => "witness",
                };
                format!("{name} = {value}, a bit of the {part}")
            }
        };
        format!("{branch} {description}")
    };
    let lines = sources
        .iter()
        .enumerate()
        .map(line)
        .chain(reader_sentence(computation, step));
    lines.map(|line| (TextRole::Text, line)).collect()
}

fn bit_digit(bit: bool) -> &'static str {
    if bit { "1" } else { "0" }
}

/// Returns a line with the later steps that read a step's value; `None` if there are none, or if the computation is too
/// long to search.
fn reader_sentence(computation: &dyn Computation, step: u64) -> Option<String> {
    if computation.steps() > MAX_SEARCHED_STEPS {
        return None;
    }
    let mut sources = Vec::new();
    let mut reads = |later: &u64| {
        computation.reads(*later, &mut sources);
        sources.contains(&BitSource::Step(step))
    };
    let mut later_readers = (step + 1..computation.steps()).filter(|later| reads(later));
    let named: Vec<String> = later_readers
        .by_ref()
        .take(MAX_READERS)
        .map(|later| computation.source_text(BitSource::Step(later)))
        .collect();
    let more_readers = match later_readers.count() {
        0 => String::new(),
        more_readers => format!(" and {more_readers} more"),
    };
    let step_name = computation.source_text(BitSource::Step(step));
    (!named.is_empty()).then(|| {
        format!(
            "{step_name} is read by {readers}{more_readers}.",
            readers = named.join(", ")
        )
    })
}

#[cfg(test)]
mod tests;
