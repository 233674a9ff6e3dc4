//! The editor with which the user writes a support of a claim: the listed supports to choose from, a gate, and a line
//! for each subclaim.
//!
//! Enter ends a subclaim and moves to the next line. On an empty line, and on the last of the maximum number of lines,
//! it sends the support. All characters typed on a line belong to it, so the actions of this editor have keys with
//! control or shift.

use crate::tui::widget::Canvas;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Position, Rect};

use super::widget::{AnswerWidget, RowsNeededByWidget, UnmappedWidgetInput};
use crate::tui::actions::Contexts;
use crate::tui::keys::{Action, COMPOSE, WRITING};
use crate::tui::theme::TextRole;
use crate::tui::widget::choice::{cycle_index, digit_index};
use crate::tui::widget::measure;
use crate::tui::widget::text_input::{LineInputResult, TextInput};
use debate_core::gate::Gate;
use debate_core::number::Exact;
use debate_core::protocol::Reply;
use debate_core::scenario::{ProverWrittenSubclaim, ProverWrittenSupport};
use debate_core::text::format_as_sentence;

/// The claim that the user must support, and the limits of the support.
#[derive(Clone, Debug)]
pub struct SupportWritingTask {
    /// The claim in words.
    pub claim: String,
    /// Maximum number of subclaims.
    pub max_subclaims: u32,
    /// True if the judge decides the subclaims directly, because the debate has no further round.
    pub is_last_level: bool,
    /// The supports that the problem offers, one per line.
    pub listed: Vec<String>,
}

/// The draft of a subclaim.
#[derive(Clone, Debug, Default)]
struct SubclaimLine {
    line: TextInput,
    /// True if the user chose that the judge decides this subclaim directly.
    judged: bool,
}

impl SubclaimLine {
    fn is_empty(&self) -> bool {
        self.line.typed_text().trim().is_empty()
    }
}

/// The row under the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cursor {
    Listed(usize),
    Gate,
    Subclaim(usize),
}

/// The state of the editor.
#[derive(Debug)]
pub struct SupportComposer {
    task: SupportWritingTask,
    gate: Gate,
    rows: Vec<SubclaimLine>,
    at: Cursor,
    /// The index of the first row in view.
    top: usize,
    /// A warning that some lines of the last pasted text were rejected.
    note: Option<String>,
}

impl SupportComposer {
    pub fn new(task: SupportWritingTask) -> Self {
        Self {
            task,
            gate: Gate::All,
            rows: vec![SubclaimLine::default()],
            at: Cursor::Subclaim(0),
            top: 0,
            note: None,
        }
    }

    fn max_subclaims(&self) -> usize {
        self.task.max_subclaims as usize
    }

    /// Returns the index of the row with the cursor, counted from 0.
    fn cursor_row(&self) -> usize {
        let listed = self.task.listed.len();
        match self.at {
            Cursor::Listed(index) => index,
            Cursor::Gate => listed,
            Cursor::Subclaim(index) => listed + 1 + index,
        }
    }

    fn move_to_row(&mut self, index: usize) {
        let listed = self.task.listed.len();
        self.at = match index.checked_sub(listed) {
            None => Cursor::Listed(index),
            Some(0) => Cursor::Gate,
            Some(line) => Cursor::Subclaim((line - 1).min(self.rows.len() - 1)),
        };
    }

    fn row_count(&self) -> usize {
        self.task.listed.len() + 1 + self.rows.len()
    }

    fn current_line(&mut self) -> Option<&mut SubclaimLine> {
        match self.at {
            Cursor::Subclaim(index) => self.rows.get_mut(index),
            _ => None,
        }
    }

    /// Moves the cursor to the next subclaim's line and creates the line if necessary. Returns false if the maximum
    /// number of lines is reached.
    fn next_line(&mut self, index: usize) -> bool {
        if index + 1 == self.rows.len() {
            if self.rows.len() >= self.max_subclaims() {
                return false;
            }
            self.rows.push(SubclaimLine::default());
        }
        self.at = Cursor::Subclaim(index + 1);
        true
    }

    fn move_down(&mut self) {
        match self.at {
            Cursor::Subclaim(index) if index + 1 == self.rows.len() => {
                if !self.rows[index].is_empty() {
                    self.next_line(index);
                }
            }
            _ => self.move_to_row(self.cursor_row() + 1),
        }
    }

    fn remove_line(&mut self, index: usize) {
        if self.rows.len() > 1 {
            self.rows.remove(index);
        } else {
            self.rows = vec![SubclaimLine::default()];
        }
        self.at = Cursor::Subclaim(index.min(self.rows.len() - 1));
    }

    /// Moves the line of the subclaim under the cursor up (−1) or down (1).
    fn move_line(&mut self, by: isize) {
        let Cursor::Subclaim(index) = self.at else {
            return;
        };
        if let Some(other) = index.checked_add_signed(by)
            && other < self.rows.len()
        {
            self.rows.swap(index, other);
            self.at = Cursor::Subclaim(other);
        }
    }

    /// Returns the gates that are available for the current number of subclaims.
    fn gates(&self) -> Vec<Gate> {
        let count = self.rows.iter().filter(|row| !row.is_empty()).count();
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let counted = (2..count).map(Gate::AtLeast);
        let mut gates = vec![Gate::All, Gate::Any, Gate::Majority];
        gates.extend(counted);
        gates.extend([Gate::Xor, Gate::Not]);
        gates
    }

    /// Selects the next gate (1) or the previous one (−1) for the subclaims.
    fn change_gate(&mut self, by: isize) {
        let gates = self.gates();
        let at = gates.iter().position(|gate| *gate == self.gate);
        let at = at.map_or(0, |at| cycle_index(at, by, gates.len()));
        if let Some(gate) = gates.into_iter().nth(at) {
            self.gate = gate;
        }
    }

    /// Returns the support that the user wrote: the gate and the lines that are not empty.
    fn support(&self) -> ProverWrittenSupport {
        let written = self.rows.iter().filter(|row| !row.is_empty());
        ProverWrittenSupport {
            gate: self.gate.clone(),
            parts: written
                .map(|row| ProverWrittenSubclaim {
                    text: row.line.typed_text().trim().to_owned(),
                    judged: row.judged && !self.task.is_last_level,
                })
                .collect(),
        }
    }

    /// Returns the text of the row with this index, and the words at its right edge, if any. The rows are the listed
    /// supports, the gate of the typed support and its subclaims.
    fn row_text(&self, index: usize, columns: usize) -> (String, &'static str) {
        let listed = &self.task.listed;
        let Some(line) = index.checked_sub(listed.len()) else {
            let text = listed.get(index).map_or("", String::as_str);
            return (format!("{}  {text}", index + 1), "listed");
        };
        let Some(line) = line.checked_sub(1) else {
            return (
                format!(
                    "The claim is true if {condition}:",
                    condition = gate_condition(&self.gate)
                ),
                "",
            );
        };
        let Some(row) = self.rows.get(line) else {
            return Default::default();
        };
        let before = self.rows.iter().take(line);
        let number = before.filter(|row| !row.is_empty()).count() + 1;
        let number = if row.is_empty() {
            "-".to_owned()
        } else {
            number.to_string()
        };
        let edge = if row.judged && !self.task.is_last_level {
            "to the judge"
        } else {
            ""
        };
        let room = columns.saturating_sub(4 + edge.len());
        let text = if self.at == Cursor::Subclaim(line) {
            row.line.visible_text(room)
        } else {
            row.line.typed_text().to_owned()
        };
        (format!("{number}  {text}"), edge)
    }

    /// Chooses one of the listed supports by its number.
    fn choose_listed(&mut self, c: char) -> bool {
        let index = digit_index(c).filter(|index| *index < self.task.listed.len());
        if let Some(index) = index {
            self.at = Cursor::Listed(index);
        }
        index.is_some()
    }

    /// Types a key into the line under the cursor.
    fn write_typed_character(&mut self, event: KeyEvent) -> bool {
        let Cursor::Subclaim(index) = self.at else {
            return false;
        };
        // Backspace on an empty line removes the line.
        if event.code == KeyCode::Backspace
            && index > 0
            && self.rows[index].line.typed_text().is_empty()
        {
            self.remove_line(index);
            self.at = Cursor::Subclaim(index - 1);
            self.note = None;
            return true;
        }
        let typed = self.rows[index].line.key(event) == LineInputResult::Changed;
        if typed {
            self.note = None;
        }
        typed
    }

    /// Inserts the first line of a pasted text at the cursor, if the cursor is on a subclaim. Each further line becomes
    /// a new subclaim, up to the maximum number of subclaims.
    fn paste(&mut self, text: &str) {
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let Cursor::Subclaim(mut index) = self.at else {
            return;
        };
        self.note = None;
        if let Some(first) = lines.next() {
            self.rows[index].line.paste(first.trim());
        }
        let mut rejected = 0_usize;
        let mut taken = 1_usize;
        for line in lines {
            if self.rows.len() >= self.max_subclaims() {
                rejected += 1;
                continue;
            }
            index += 1;
            taken += 1;
            let line = TextInput::with_text(line.trim());
            self.rows.insert(
                index,
                SubclaimLine {
                    line,
                    judged: false,
                },
            );
        }
        self.at = Cursor::Subclaim(index);
        if rejected > 0 {
            self.note = Some(format!(
                "Only {taken} of {pasted} pasted lines fit; at most {most} subclaims are allowed.",
                pasted = taken + rejected,
                most = self.max_subclaims()
            ));
        }
    }

    /// Ends the line under the cursor. Returns false if Enter must send the support instead.
    fn finish_typing(&mut self) -> bool {
        self.note = None;
        match self.at {
            Cursor::Subclaim(index) if !self.rows[index].is_empty() => self.next_line(index),
            Cursor::Gate if self.rows.iter().all(SubclaimLine::is_empty) => {
                self.at = Cursor::Subclaim(0);
                true
            }
            _ => false,
        }
    }

    fn click(&mut self, at: Position, area: Rect) -> bool {
        let index = self.top + usize::from(at.y - area.y);
        let hit = index < self.row_count();
        if hit {
            self.move_to_row(index);
        }
        hit
    }
}

/// Returns a gate's condition on its subclaims, to be inserted into "The claim is true if …:".
fn gate_condition(gate: &Gate) -> String {
    match gate {
        Gate::Any => "at least one of these is true".to_owned(),
        Gate::Not => "this is false".to_owned(),
        Gate::Xor => "an odd number of these is true".to_owned(),
        gate => format!("{gate} these are true"),
    }
}

impl AnswerWidget for SupportComposer {
    fn context(&self) -> Contexts {
        match self.at {
            Cursor::Subclaim(_) => WRITING,
            _ => COMPOSE,
        }
    }

    fn reply(&self) -> Result<Reply<Exact>, String> {
        if let Cursor::Listed(index) = self.at {
            return Ok(Reply::Support(u32::try_from(index).unwrap_or(u32::MAX)));
        }
        let composed = self.support();
        let checked = composed.check_support(&self.task.claim, self.task.max_subclaims);
        checked.map_err(|why| format_as_sentence(&why.to_string()))?;
        Ok(Reply::Compose(Box::new(composed)))
    }

    fn act(&mut self, action: Action) -> bool {
        self.note = None;
        match (action, self.at) {
            (Action::Above, _) => self.move_to_row(self.cursor_row().saturating_sub(1)),
            (Action::Below, _) => self.move_down(),
            (Action::TurnBack, Cursor::Gate) => self.change_gate(-1),
            (Action::TurnOn, Cursor::Gate) | (Action::NextGate, _) => self.change_gate(1),
            (Action::LineUp, _) => self.move_line(-1),
            (Action::LineDown, _) => self.move_line(1),
            (Action::RemoveLine, Cursor::Subclaim(index)) => self.remove_line(index),
            (Action::ToJudge, _) => {
                if let Some(row) = self.current_line() {
                    row.judged = !row.judged;
                }
            }
            _ => return false,
        }
        true
    }

    fn input(&mut self, input: UnmappedWidgetInput<'_>) -> bool {
        match input {
            UnmappedWidgetInput::Key(event) => self.write_typed_character(event),
            UnmappedWidgetInput::Character(c) => self.choose_listed(c),
            UnmappedWidgetInput::Paste(text) => {
                self.paste(text);
                true
            }
            UnmappedWidgetInput::Enter => self.finish_typing(),
            UnmappedWidgetInput::Click { at, area } => self.click(at, area),
            UnmappedWidgetInput::Erase
            | UnmappedWidgetInput::Quote(_)
            | UnmappedWidgetInput::Wheel(_) => false,
        }
    }

    fn rows(&self, _columns: u16) -> RowsNeededByWidget {
        let all = self.row_count();
        let least = all.min(4);
        RowsNeededByWidget { all, least }
    }

    fn notes(&self) -> Vec<(TextRole, String)> {
        let next = match self.at {
            Cursor::Listed(_) => "Enter chooses this listed support.",
            Cursor::Gate => "The arrows change the gate of the subclaims.",
            Cursor::Subclaim(_) if self.rows.len() >= self.max_subclaims() => {
                "This is the maximum number of subclaims: Enter on the last subclaim sends all."
            }
            Cursor::Subclaim(_) => {
                "Enter ends a subclaim and begins the next; Enter on an empty line sends all."
            }
        };
        let mut notes: Vec<(TextRole, String)> = Vec::new();
        notes.extend(self.note.clone().map(|note| (TextRole::Warning, note)));
        notes.push((TextRole::Faint, next.to_owned()));
        if self.task.is_last_level {
            let last = "This is the last level: the judge decides one of these subclaims.";
            notes.push((TextRole::Faint, last.to_owned()));
        }
        notes
    }

    fn draw(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        let here = self.cursor_row();
        let height = usize::from(area.height);
        // Keeps the cursor's row in view and leaves no empty row below the last one.
        let most = self.row_count().saturating_sub(height);
        self.top = self
            .top
            .max((here + 1).saturating_sub(height))
            .min(here)
            .min(most);
        for number in 0..height.min(self.row_count()) {
            let index = self.top + number;
            let row = measure::row(area, number);
            let selected = index == here;
            let (text, edge) = self.row_text(index, area.width.into());
            let taken = canvas.draw_text_right_aligned(edge, TextRole::Faint, row);
            let room = measure::area_left_of_item_at_right_edge(row, taken);
            let cursor = if selected {
                canvas.look.glyphs.cursor
            } else {
                " "
            };
            let text = format!("{cursor}{text}");
            canvas.draw_text_clipped(&text, TextRole::Text, room);
            if selected {
                canvas.set_style(row, TextRole::Selected);
            }
        }
    }
}

#[cfg(test)]
mod tests;
