//! What every step of a computation writes, step by step.

use crate::tui::widget::Canvas;
use ratatui::layout::{Position, Rect};

use super::bits::{BitsEditor, BitsLayout, differences};
use super::steps::neighbours;
use crate::tui::actions::Contexts;
use crate::tui::keys::{Action, WRITTEN};
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget::grid::Grid;
use crate::tui::widget::measure;
use crate::tui::widget::tree::{Tree, TreeRow};
use debate_core::bits::Bits;
use debate_core::protocol::ComputationTranscript;
use debate_text::claim_tree::RowMark;
use debate_text::{WrittenStep, grouped};

/// Rows that the list takes at most, and where there is little room.
const ROWS: usize = 24;
const LEAST: usize = 3;
/// Rows that a page key goes.
const PAGE: isize = 5;
/// Columns for a step in words before what it reads.
const STEP: usize = 26;

/// Steps in a list, each with the bit that is written for it. A row is made when it is seen.
#[derive(Debug)]
pub struct WrittenSteps {
    list: Tree,
    computed: ComputationTranscript,
    /// True if what stands there to begin with is what the problem says.
    prepared: bool,
    look: Appearance,
}

impl BitsEditor<WrittenSteps> {
    /// An editor of so many steps.
    pub fn of(computed: ComputationTranscript, prepared: Option<Bits>, length: usize) -> Self {
        let steps = WrittenSteps {
            list: Tree::default(),
            computed,
            prepared: prepared.is_some(),
            look: Appearance::default(),
        };
        Self::new(prepared.unwrap_or_else(|| Bits::zeros(length)), steps)
    }
}

impl WrittenSteps {
    fn value(grid: &Grid, step: u64) -> Option<bool> {
        Some(grid.edits.at(usize::try_from(step).ok()?))
    }

    fn written(&self, grid: &Grid, step: u64) -> WrittenStep {
        let computation = &*self.computed.computation;
        let witness = &self.computed.witness;
        WrittenStep::of(computation, witness, step, |step| Self::value(grid, step))
    }

    /// Whether a step follows from what it reads; `None` where the oracle decides.
    fn follows(&self, written: &WrittenStep) -> Option<bool> {
        let must = written.rule(&*self.computed.computation)?;
        Some(written.value == Some(must))
    }

    fn row(&self, grid: &Grid, number: usize, look: &Appearance) -> TreeRow {
        let step = number as u64;
        let cursor = if number == grid.cursor() {
            look.glyphs.cursor
        } else {
            " "
        };
        let digits = grid.len().saturating_sub(1).to_string().len();
        let written = self.written(grid, step);
        let sign = match self.follows(&written) {
            Some(true) => look.signs().right,
            Some(false) => look.signs().wrong,
            None => "?",
        };
        let read = written.reads_in_words();
        let bit = written.bit_in_words();
        let text = match written.statement {
            Some(_) => format!("{bit:<3} {sign}  {}", written.words()),
            None => format!(
                "{bit} {sign}  {}  {read}",
                measure::pad(&written.text, STEP)
            ),
        };
        let changed = grid.edits.turned().contains(&number);
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

    /// Has every step after the marked one follow from what it reads; else says why not.
    fn carry_on(&self, grid: &mut Grid) -> Option<&'static str> {
        let bits = grid.edits.bits();
        let begun = bits.as_slice().get(..=grid.cursor()).unwrap_or_default();
        let witness = &self.computed.witness;
        let Some(all) = self.computed.computation.continued(witness, begun) else {
            return Some("An oracle decides one of the steps after this.");
        };
        if all == bits {
            return Some("All steps after this one follow already.");
        }
        grid.edits.write_all(&all);
        None
    }

    /// The marked step in words.
    fn here(&self, grid: &Grid) -> Vec<(Role, String)> {
        let step = grid.cursor() as u64;
        let written = self.written(grid, step);
        let (role, rule) = match self.follows(&written) {
            Some(true) => (Role::Text, "that follows"),
            Some(false) => (Role::Bad, "that does not follow"),
            None => (Role::Text, "the oracle decides what it must write"),
        };
        let sentence = format!(
            "Step {} of {}: {}; you write {}, {rule}.",
            grouped(step),
            grouped(grid.len() as u64),
            written.words(),
            written.bit_in_words()
        );
        let mut notes = vec![(role, sentence)];
        let computation = &*self.computed.computation;
        let witness = &self.computed.witness;
        let value = |step| Self::value(grid, step);
        notes.extend(neighbours(computation, witness, step, value, &self.look));
        let evidence = written.evidence_in_words(" ");
        notes.extend(evidence.map(|text| (Role::Text, text)));
        notes
    }
}

impl BitsLayout for WrittenSteps {
    const LEAST: usize = LEAST;

    fn context(&self) -> Contexts {
        WRITTEN
    }

    fn step_pages(&self, grid: &mut Grid, pages: isize) {
        grid.step(pages * PAGE);
    }

    fn scroll(&mut self, grid: &mut Grid, lines: isize) {
        self.list.select(grid.cursor());
        self.list.scroll(lines, grid.len());
        grid.go(self.list.selected());
    }

    fn act(&mut self, action: Action, grid: &mut Grid, remark: &mut Option<String>) -> bool {
        if action == Action::CarryOn {
            *remark = self.carry_on(grid).map(str::to_owned);
        }
        action == Action::CarryOn
    }

    fn place_at(&self, grid: &Grid, at: Position, _area: Rect) -> Option<usize> {
        self.list.row_at(at, grid.len())
    }

    fn rows(&self, grid: &Grid, _columns: u16) -> usize {
        grid.len().clamp(1, ROWS)
    }

    fn notes(&self, grid: &Grid, typed: Option<&str>) -> Vec<(Role, String)> {
        let prompt = typed.map(|typed| (Role::Title, format!("Go to step {typed}_")));
        let mut notes: Vec<(Role, String)> = prompt.into_iter().collect();
        notes.extend(self.here(grid));
        let differences = differences(&grid.edits, self.prepared, |place| grouped(place as u64));
        notes.push((Role::Faint, differences));
        notes
    }

    fn draw(&mut self, grid: &mut Grid, canvas: &mut Canvas<'_>, area: Rect) {
        let look = canvas.look;
        self.look = look;
        let count = grid.len();
        self.list.select(grid.cursor());
        self.list.fit(count, area);
        let row = |number| self.row(grid, number, &look);
        self.list.render(count, row, true, canvas, area);
    }
}

#[cfg(test)]
mod tests;
