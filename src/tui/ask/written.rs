//! What every step of a computation writes, step by step.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use super::bits::differences;
use super::jump::Jump;
use super::neighbourhood::neighbours;
use super::widget::Widget;
use crate::tui::actions::Contexts;
use crate::tui::keys::{Action, WRITTEN};
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widget::bit_edits::BitEdits;
use crate::tui::widget::measure;
use crate::tui::widget::tree::{Tree, TreeRow};
use debate_core::bits::Bits;
use debate_core::number::Exact;
use debate_core::protocol::{ComputationTranscript, Reply};
use debate_lab::tell::claim_tree::RowMark;
use debate_lab::tell::{WrittenStep, grouped};

/// Rows that the list takes at most, and where there is little room.
const ROWS: usize = 6;
const LEAST: usize = 3;
/// Rows that a page key goes.
const PAGE: isize = 5;
/// Columns for a step in words before what it reads.
const STEP: usize = 26;

/// An editor of a transcript that stands prepared. Each row is made when it is seen.
#[derive(Debug)]
pub(super) struct TranscriptEditor {
    list: Tree,
    jump: Jump,
    computed: ComputationTranscript,
    edits: BitEdits,
    /// True if what stands there to begin with is what the problem says.
    prepared: bool,
    look: Appearance,
    said: Option<String>,
}

impl TranscriptEditor {
    /// An editor of so many steps.
    pub(super) fn new(
        computed: ComputationTranscript,
        prepared: Option<Bits>,
        length: usize,
    ) -> Self {
        Self {
            list: Tree::default(),
            jump: Jump::default(),
            computed,
            prepared: prepared.is_some(),
            edits: BitEdits::new(prepared.unwrap_or_else(|| Bits::zeros(length))),
            look: Appearance::default(),
            said: None,
        }
    }

    fn value(&self, step: u64) -> Option<bool> {
        Some(self.edits.at(usize::try_from(step).ok()?))
    }

    fn written(&self, step: u64) -> WrittenStep {
        let (computation, witness) = (&*self.computed.computation, &self.computed.witness);
        WrittenStep::of(computation, witness, step, |step| self.value(step))
    }

    /// Whether a step follows from what it reads; `None` where the oracle decides.
    fn follows(&self, written: &WrittenStep) -> Option<bool> {
        let must = written.rule(&*self.computed.computation)?;
        Some(written.value == Some(must))
    }

    fn row(&self, number: usize, look: &Appearance) -> TreeRow {
        let step = number as u64;
        let cursor = if number == self.list.selected() {
            look.glyphs.cursor
        } else {
            " "
        };
        let digits = self.edits.len().saturating_sub(1).to_string().len();
        let written = self.written(step);
        let sign = match self.follows(&written) {
            Some(true) => look.signs().right,
            Some(false) => look.signs().wrong,
            None => "?",
        };
        let read = match written.read() {
            read if read.is_empty() => "reads nothing".to_owned(),
            read => format!("reads {read}"),
        };
        let text = measure::pad(&written.text, STEP);
        let changed = self.edits.turned().contains(&number);
        TreeRow {
            text: format!(
                "{cursor}{step:>digits$}  {} {sign}  {text}  {read}",
                written.digit()
            ),
            mark: if changed {
                RowMark::Newest
            } else {
                RowMark::Plain
            },
            ..TreeRow::default()
        }
    }

    fn go(&mut self, place: usize) {
        self.list
            .select(place.min(self.edits.len().saturating_sub(1)));
    }

    fn step(&mut self, rows: isize) {
        self.list.step(rows, self.edits.len());
    }

    fn follow_jump(&mut self) {
        if let Some(step) = self.jump.number() {
            self.go(usize::try_from(step).unwrap_or(usize::MAX));
        }
    }

    /// Has every step after the marked one follow from what it reads.
    fn carry_on(&mut self) {
        let bits = self.edits.bits();
        let kept = self.list.selected() + 1;
        let begun = bits.as_slice().get(..kept).unwrap_or_default();
        let witness = &self.computed.witness;
        match self.computed.computation.continued(witness, begun) {
            Some(all) if all == bits => {
                self.said = Some("All steps after this one follow already.".to_owned());
            }
            Some(all) => self.edits.write_all(&all),
            None => {
                self.said = Some("An oracle decides one of the steps after this.".to_owned());
            }
        }
    }

    /// The marked step in words.
    fn here(&self) -> Vec<(StyleRole, String)> {
        let step = self.list.selected() as u64;
        let written = self.written(step);
        let (role, rule) = match self.follows(&written) {
            Some(true) => (StyleRole::Text, "that follows"),
            Some(false) => (StyleRole::Bad, "that does not follow"),
            None => (StyleRole::Text, "the oracle decides what it must write"),
        };
        let told = format!(
            "Step {} of {}: {}; you write {}, {rule}.",
            grouped(step),
            grouped(self.edits.len() as u64),
            written.text,
            written.digit()
        );
        let mut notes = vec![(role, told)];
        let (computation, witness) = (&*self.computed.computation, &self.computed.witness);
        let value = |step| self.value(step);
        let around = neighbours(computation, witness, step, value, &self.look);
        notes.extend(around.into_iter().map(|line| (StyleRole::Text, line)));
        let evidence = written.evidence.map(|text| text.replace('\n', " "));
        notes.extend(evidence.map(|text| {
            let told = format!("A judge would read: {text}");
            (StyleRole::Faint, told)
        }));
        notes
    }
}

impl Widget for TranscriptEditor {
    fn context(&self) -> Contexts {
        WRITTEN
    }

    fn reply(&self) -> Result<Reply<Exact>, String> {
        Ok(Reply::Bits(self.edits.bits()))
    }

    fn act(&mut self, action: Action) -> bool {
        self.said = None;
        let at = self.list.selected();
        match action {
            Action::Above => self.step(-1),
            Action::Below => self.step(1),
            Action::PageAbove => self.step(-PAGE),
            Action::PageBelow => self.step(PAGE),
            Action::FirstPlace => self.go(0),
            Action::LastPlace => self.go(usize::MAX),
            Action::Turn => self.edits.turn(at),
            Action::CarryOn => self.carry_on(),
            Action::NextDifference | Action::PreviousDifference => {
                let forward = action == Action::NextDifference;
                self.go(self.edits.next_turned(at, forward).unwrap_or(at));
            }
            Action::Restore => self.edits.restore(),
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
        if self.jump.is_open() {
            let taken = self.jump.press(c);
            self.follow_jump();
            return taken;
        }
        if !matches!(c, '0' | '1') {
            return false;
        }
        self.said = None;
        self.edits.write(self.list.selected(), c == '1');
        self.step(1);
        true
    }

    fn erase(&mut self) -> bool {
        let open = self.jump.erase();
        self.follow_jump();
        if !open {
            self.step(-1);
        }
        true
    }

    fn settle(&mut self) -> bool {
        self.jump.close()
    }

    fn is_edited(&self) -> bool {
        self.edits.is_edited()
    }

    fn undo(&mut self) -> bool {
        self.said = None;
        let edited = self.edits.is_edited();
        if let Some(place) = self.edits.undo() {
            self.go(place);
        }
        edited
    }

    fn scroll(&mut self, lines: isize) -> bool {
        self.list.scroll(lines, self.edits.len());
        true
    }

    fn click(&mut self, at: Position, area: Rect) -> bool {
        let row = self.list.row_at(at.y - area.y, self.edits.len());
        if let Some(row) = row {
            self.jump.close();
            self.go(row);
        }
        row.is_some()
    }

    fn rows(&self, _columns: u16) -> usize {
        self.edits.len().clamp(1, ROWS)
    }

    fn least_rows(&self, columns: u16) -> usize {
        self.rows(columns).min(LEAST)
    }

    fn notes(&self) -> Vec<(StyleRole, String)> {
        let mut notes = Vec::new();
        if let Some(typed) = self.jump.typed() {
            notes.push((StyleRole::Title, format!("Go to step {typed}_")));
        }
        notes.extend(self.said.clone().map(|said| (StyleRole::Warning, said)));
        notes.extend(self.here());
        let name = |place: usize| grouped(place as u64);
        let differences = differences(&self.edits, self.prepared, name);
        notes.push((StyleRole::Faint, differences));
        notes
    }

    fn draw(&mut self, look: &Appearance, buffer: &mut Buffer, area: Rect) {
        self.look = *look;
        let count = self.edits.len();
        self.list.fit(count, area);
        let row = |number| self.row(number, look);
        self.list.render(count, row, true, look, buffer, area);
    }
}

#[cfg(test)]
mod tests;
