//! A step that is pointed at as wrong, or none: a list of any length.

use crate::tui::widget::Canvas;
use std::ops::Range;

use ratatui::layout::{Position, Rect};

use super::bits::Jump;
use super::widget::Widget;
use crate::tui::actions::Contexts;
use crate::tui::keys::{Action, STEPS};
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget::measure;
use crate::tui::widget::tree::{Tree, TreeRow};
use debate_core::bits::Bits;
use debate_core::number::Exact;
use debate_core::protocol::{ComputationTranscript, Reply, Seat};
use debate_core::scenario::{Computation, Source};
use debate_text::{Perspective, WrittenStep, grouped, yes};

/// Rows that the list takes at most, and where there is little room.
const ROWS: usize = 24;
const LEAST: usize = 4;
/// Rows that a page key goes.
const PAGE: isize = 9;
/// Columns for what a step does and what was written for it.
const WROTE: usize = 30;

/// The list: "none" first, then the steps. Each row is made when it is seen.
#[derive(Debug)]
pub struct StepList {
    list: Tree,
    jump: Jump,
    among: Range<u64>,
    computed: Option<ComputationTranscript>,
    /// True if a choice was made.
    made: bool,
    look: Appearance,
}

impl StepList {
    pub fn new(steps: Range<u64>, computed: Option<ComputationTranscript>) -> Self {
        Self {
            list: Tree::default(),
            jump: Jump::default(),
            among: steps,
            computed,
            made: false,
            look: Appearance::default(),
        }
    }

    /// The number of rows.
    fn count(&self) -> usize {
        let steps = self.among.end.saturating_sub(self.among.start);
        usize::try_from(steps).map_or(usize::MAX, |steps| steps.saturating_add(1))
    }

    /// The step of a row; `None` for the first, which points at none.
    fn step(&self, row: usize) -> Option<u64> {
        Some(self.among.start + row.checked_sub(1)? as u64)
    }

    fn row_of(&self, step: u64) -> Option<usize> {
        let within = self
            .among
            .contains(&step)
            .then(|| step - self.among.start)?;
        usize::try_from(within).ok()?.checked_add(1)
    }

    fn written(&self, step: u64) -> Option<WrittenStep> {
        self.computed
            .as_ref()
            .map(|computed| WrittenStep::on(computed, step))
    }

    /// What a step reads, and the steps that read it, a line each.
    fn around(&self, step: u64) -> Vec<(Role, String)> {
        let Some(computed) = &self.computed else {
            return Vec::new();
        };
        let transcript = computed.transcript.as_ref();
        let value = |step| transcript.and_then(|bits| bits.at(step));
        let computation = &*computed.computation;
        let witness = &computed.witness;
        neighbours(computation, witness, step, value, &self.look)
    }

    fn row(&self, number: usize, look: &Appearance) -> TreeRow {
        let cursor = if self.made && number == self.list.selected() {
            look.glyphs.cursor
        } else {
            " "
        };
        let Some(step) = self.step(number) else {
            return TreeRow {
                text: format!("{cursor}none: every step follows from what it reads"),
                ..TreeRow::default()
            };
        };
        let digits = self.among.end.saturating_sub(1).to_string().len();
        let text = self.written(step).map_or_else(String::new, |written| {
            if written.statement.is_some() {
                return format!("{:<3}  {}", written.bit_in_words(), written.words());
            }
            // The value comes first: a long step must not push it out of view.
            let wrote = format!("writes {}: {}", written.bit_in_words(), written.text);
            // What it reads stands in a column of its own, not far from what it writes.
            let read = written.reads_in_words();
            format!("{}  {read}", measure::pad(&wrote, WROTE))
        });
        TreeRow {
            text: format!("{cursor}{step:>digits$}  {text}"),
            ..TreeRow::default()
        }
    }

    fn go(&mut self, row: usize) {
        self.list.select(row);
        self.made = true;
    }

    fn step_by(&mut self, rows: isize) {
        if self.made {
            self.list.step(rows, self.count());
        } else {
            self.go(if rows > 0 { 0 } else { self.count() - 1 });
        }
    }

    fn follow_jump(&mut self) {
        if let Some(row) = self.jump.number().and_then(|step| self.row_of(step)) {
            self.go(row);
        }
    }
}

impl Widget for StepList {
    fn context(&self) -> Contexts {
        STEPS
    }

    fn reply(&self) -> Result<Reply<Exact>, String> {
        if let Some(typed) = self.jump.number().filter(|step| !self.among.contains(step)) {
            return Err(format!(
                "There is no step {typed}: they are {} to {}.",
                self.among.start,
                self.among.end.saturating_sub(1)
            ));
        }
        if self.made {
            return Ok(Reply::Challenge(self.step(self.list.selected())));
        }
        Err("Choose first: type a step's number or go there; {no-step} is for none.".to_owned())
    }

    fn act(&mut self, action: Action) -> bool {
        match action {
            Action::Above => self.step_by(-1),
            Action::Below => self.step_by(1),
            Action::PageAbove => self.step_by(-PAGE),
            Action::PageBelow => self.step_by(PAGE),
            Action::FirstPlace | Action::NoStep => self.go(0),
            Action::LastPlace => self.go(self.count() - 1),
            Action::Jump => {
                self.jump.open();
                return true;
            }
            _ => return false,
        }
        self.jump.close();
        true
    }

    fn press(&mut self, c: char) -> bool {
        let taken = self.jump.press(c);
        self.follow_jump();
        taken
    }

    fn erase(&mut self) -> bool {
        let open = self.jump.erase();
        self.follow_jump();
        open
    }

    fn scroll(&mut self, lines: isize) -> bool {
        self.list.scroll(lines, self.count());
        true
    }

    fn click(&mut self, at: Position, _area: Rect) -> bool {
        let row = self.list.row_at(at, self.count());
        if let Some(row) = row {
            self.jump.close();
            self.go(row);
        }
        row.is_some()
    }

    fn rows(&self, _columns: u16) -> usize {
        self.count().min(ROWS)
    }

    fn least_rows(&self, columns: u16) -> usize {
        self.rows(columns).min(LEAST)
    }

    fn notes(&self) -> Vec<(Role, String)> {
        let mut notes = Vec::new();
        if let Some(typed) = self.jump.typed() {
            notes.push((Role::Title, format!("Step {typed}_")));
        }
        if let Some(step) = self.step(self.list.selected()).filter(|_| self.made)
            && let Some(written) = self.written(step)
        {
            notes.push((
                Role::Text,
                format!(
                    "You point at {}.",
                    written.sentence(Perspective::of(Seat::Opponent))
                ),
            ));
            notes.extend(self.around(step));
            let evidence = written.evidence_in_words(" ");
            notes.extend(evidence.map(|text| (Role::Text, text)));
        }
        if !self.made {
            let count = grouped(self.count() as u64 - 1);
            notes.push((
                Role::Faint,
                format!("{count} steps. Go to one to read its evidence, or type its number."),
            ));
        }
        notes
    }

    fn draw(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        let look = canvas.look;
        self.look = look;
        let count = self.count();
        self.list.fit(count, area);
        let row = |number| self.row(number, &look);
        self.list.render(count, row, self.made, canvas, area);
    }
}

/// Steps that read more sources than this are told without their neighbourhood.
const SOURCES: usize = 4;
/// Readers that are named.
const READERS: usize = 6;
/// In longer computations nobody looks for the readers of a step: that takes a look at all of it.
const SEARCHED: u64 = 20_000;

/// The neighbours of a step, a line each: what it reads with what was written there, and the steps
/// that read it. Empty where it reads too much for that, or nothing.
pub fn neighbours(
    computation: &dyn Computation,
    witness: &Bits,
    step: u64,
    value: impl Fn(u64) -> Option<bool>,
    look: &Appearance,
) -> Vec<(Role, String)> {
    let mut sources = Vec::new();
    computation.reads(step, &mut sources);
    sources.sort_unstable();
    sources.dedup();
    if sources.is_empty() || sources.len() > SOURCES {
        return Vec::new();
    }
    let last = sources.len() - 1;
    let line = |(number, source): (usize, &Source)| {
        let branch = if number == last {
            look.glyphs.last_branch
        } else {
            look.glyphs.branch
        };
        let name = computation.source_text(*source);
        let description = match source {
            Source::Step(step) => {
                let value = value(*step);
                if let Some(said) = computation.statement(*step) {
                    return format!("{branch} {name}: {}, {said}", value.map_or("?", yes));
                }
                let value = value.map_or("?", digit);
                let text = computation.step_text(*step);
                // The text of a gate begins with its name.
                let rule = text
                    .strip_prefix(&format!("{name} = "))
                    .unwrap_or(&text)
                    .to_owned();
                format!("{name} = {value}, written for {rule}")
            }
            Source::Input(_) | Source::Witness(_) => {
                let value = digit(computation.bit(*source, witness, &[]));
                let of = match source {
                    Source::Input(_) => "input",
                    _ => "witness",
                };
                format!("{name} = {value}, of the {of}")
            }
        };
        format!("{branch} {description}")
    };
    let lines = sources
        .iter()
        .enumerate()
        .map(line)
        .chain(readers(computation, step));
    lines.map(|line| (Role::Text, line)).collect()
}

fn digit(bit: bool) -> &'static str {
    if bit { "1" } else { "0" }
}

/// The steps that read a step, in one line; `None` where there is none, or too many to look at.
fn readers(computation: &dyn Computation, step: u64) -> Option<String> {
    if computation.steps() > SEARCHED {
        return None;
    }
    let mut sources = Vec::new();
    let mut reads = |later: &u64| {
        computation.reads(*later, &mut sources);
        sources.contains(&Source::Step(step))
    };
    let mut later_readers = (step + 1..computation.steps()).filter(|later| reads(later));
    let named: Vec<String> = later_readers
        .by_ref()
        .take(READERS)
        .map(|later| computation.source_text(Source::Step(later)))
        .collect();
    let more = match later_readers.count() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let name = computation.source_text(Source::Step(step));
    (!named.is_empty()).then(|| format!("{name} is read by {}{more}.", named.join(", ")))
}

#[cfg(test)]
mod tests;
