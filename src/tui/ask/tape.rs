//! A configuration of a machine with one tape: its cells, its head and its state, with the rules of
//! that state beside them.

use crate::tui::widget::Canvas;
use std::sync::Arc;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Position, Rect};

use super::bits::Jump;
use super::widget::Widget;
use crate::tui::actions::Contexts;
use crate::tui::keys::{Action, TAPE};
use crate::tui::theme::Role;
use crate::tui::widget::choice::cycle;
use crate::tui::widget::measure;
use debate_core::bits::Bits;
use debate_core::number::Exact;
use debate_core::protocol::Reply;
use debate_core::scenario::{
    Run, StateId, Successor, SymbolId, TapeConfiguration, TapeMachine, Transition,
};
use debate_text::{grouped, rule_text};

/// Rows of the tape: the state, the numbers of the cells, the cells, and the marks below them.
const TAPE_ROWS: usize = 4;
/// Rows that the rules take at most beside the tape, their heading among them.
const RULE_ROWS: usize = 8;
/// From so many columns on the rules stand beside the tape, else below it.
const BESIDE: u16 = 70;
/// Columns of the rules beside a tape that would take all.
const RULE_COLUMNS: u16 = 36;
/// Columns before the first cell.
const MARGIN: u16 = 7;
/// Cells that a page key goes.
const PAGE: isize = 10;
/// Cells that are named where they were changed.
const NAMED: usize = 6;

/// What stood before an edit, and where the edit was made.
#[derive(Clone, Debug)]
struct Edit {
    before: TapeConfiguration,
    field: Field,
    cell: usize,
}

/// The part that the keys act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    State,
    Tape,
}

/// An editor of a configuration that stands prepared.
#[derive(Debug)]
pub struct TapeEditor {
    run: Arc<dyn Run>,
    given: TapeConfiguration,
    now: TapeConfiguration,
    /// The configuration that [`Action::Restore`] laid aside.
    aside: Option<TapeConfiguration>,
    edits: Vec<Edit>,
    field: Field,
    /// The cell under the cursor.
    cell: usize,
    /// The first cell in view, and how many are.
    first: usize,
    shown: usize,
    jump: Jump,
    /// True if what stands there to begin with is what the problem says.
    prepared: bool,
    remark: Option<String>,
}

impl TapeEditor {
    /// An editor of what is prepared, else of the machine's start. `None` where the machine has no
    /// tape, or what is prepared is no configuration.
    pub fn new(run: Arc<dyn Run>, prepared: Option<&Bits>) -> Option<Self> {
        let start = run.start();
        let given = run.tape()?.decode(prepared.unwrap_or(&start))?;
        Some(Self {
            cell: given.head,
            now: given.clone(),
            given,
            aside: None,
            edits: Vec::new(),
            field: Field::Tape,
            first: 0,
            shown: 1,
            jump: Jump::default(),
            prepared: prepared.is_some(),
            remark: None,
            run,
        })
    }

    fn machine(&self) -> Option<&dyn TapeMachine> {
        self.run.tape()
    }

    fn states(&self) -> &[String] {
        self.machine().map_or(&[], TapeMachine::states)
    }

    fn symbols(&self) -> &[char] {
        self.machine().map_or(&[], TapeMachine::symbols)
    }

    fn state_name(&self, state: StateId) -> &str {
        self.states()
            .get(usize::from(state))
            .map_or("", String::as_str)
    }

    fn sign(&self, symbol: SymbolId) -> String {
        let sign = self.symbols().get(usize::from(symbol));
        sign.map_or_else(String::new, char::to_string)
    }

    fn bits(&self) -> Bits {
        let encoded = self.machine().map(|machine| machine.encode(&self.now));
        encoded.unwrap_or_default()
    }

    /// Makes a change that can be taken back, if it is one.
    fn edit(&mut self, change: impl FnOnce(&mut TapeConfiguration)) {
        let before = self.now.clone();
        change(&mut self.now);
        if self.now != before {
            let field = self.field;
            let cell = self.cell;
            let edit = Edit {
                before,
                field,
                cell,
            };
            self.edits.push(edit);
        }
    }

    fn write(&mut self, symbol: SymbolId) {
        let cell = self.cell;
        self.edit(|now| {
            if let Some(written) = now.tape.get_mut(cell) {
                *written = symbol;
            }
        });
    }

    fn go(&mut self, cell: usize) {
        self.field = Field::Tape;
        self.cell = cell.min(self.now.tape.len().saturating_sub(1));
    }

    fn step(&mut self, cells: isize) {
        self.go(self.cell.saturating_add_signed(cells));
    }

    fn turn_state(&mut self, by: isize) {
        let next = cycle(self.now.state.into(), by, self.states().len());
        let next = StateId::try_from(next).unwrap_or(self.now.state);
        self.edit(|now| now.state = next);
    }

    fn turn_symbol(&mut self) {
        let count = self.symbols().len().max(1);
        if let Some(symbol) = self.now.tape.get(self.cell) {
            let next = (usize::from(*symbol) + 1) % count;
            self.write(SymbolId::try_from(next).unwrap_or(0));
        }
    }

    fn put_head(&mut self) {
        let cell = self.cell;
        self.edit(|now| now.head = cell);
    }

    /// One step of the machine from what stands here.
    fn run_step(&mut self) {
        let bits = self.bits();
        let next = match self.run.next(&bits) {
            Successor::To(next) => next,
            Successor::Oracle { .. } => {
                self.remark = Some(
                    "The oracle decides what comes next: write it yourself, for yes or for no."
                        .to_owned(),
                );
                return;
            }
        };
        if next == bits {
            self.remark = Some("The machine has halted here: a step changes nothing.".to_owned());
        } else if let Some(next) = self.machine().and_then(|machine| machine.decode(&next)) {
            self.edit(|now| *now = next);
            self.go(self.now.head);
        }
    }

    /// The current state's rule for a symbol in words.
    fn rule(&self, symbol: SymbolId) -> String {
        let machine = self.machine();
        let rule = machine.map(|machine| rule_text(machine, self.now.state, symbol));
        rule.unwrap_or_default()
    }

    /// The place under the cursor in words.
    fn here(&self) -> String {
        match self.field {
            Field::State => format!(
                "The state: {}. The arrows left and right change it; down goes to the tape.",
                any_of(self.states())
            ),
            Field::Tape => {
                let symbol = self.now.tape.get(self.cell).copied().unwrap_or(0);
                let head = if self.cell == self.now.head {
                    ", and the head is there"
                } else {
                    ""
                };
                let signs: Vec<String> = self.symbols().iter().map(char::to_string).collect();
                format!(
                    "Cell {} holds {}{head}. Type {} to write.",
                    grouped(self.cell as u64),
                    self.sign(symbol),
                    any_of(&signs)
                )
            }
        }
    }

    /// How what stands here differs from what was given.
    fn differences(&self) -> String {
        let given = &self.given;
        let now = &self.now;
        let mut parts = Vec::new();
        if given.state != now.state {
            parts.push("the state".to_owned());
        }
        if given.head != now.head {
            parts.push("the head".to_owned());
        }
        let pairs = given.tape.iter().zip(&now.tape).enumerate();
        let changed: Vec<usize> = pairs
            .filter(|(_, (given, now))| given != now)
            .map(|(cell, _)| cell)
            .collect();
        let named = changed.iter().take(NAMED);
        let mut cells: Vec<String> = named.map(|cell| grouped(*cell as u64)).collect();
        if changed.len() > NAMED {
            cells.push(format!("and {} more", changed.len() - NAMED));
        }
        match changed.len() {
            0 => {}
            1 => parts.push(format!("cell {}", cells.join(", "))),
            _ => parts.push(format!("cells {}", cells.join(", "))),
        }
        let base = if self.prepared {
            "what the machine does"
        } else {
            "the machine's start, which stood here"
        };
        match parts.is_empty() {
            true if self.prepared => "As the machine does; you may say otherwise.".to_owned(),
            true => "The machine's start to begin with.".to_owned(),
            false => format!("Changed from {base}: {}.", parts.join(", ")),
        }
    }

    fn follow_jump(&mut self) {
        if let Some(cell) = self.jump.number() {
            self.go(usize::try_from(cell).unwrap_or(usize::MAX));
        }
    }

    /// Columns of a cell, with the line before it.
    fn cell_columns(&self) -> usize {
        let signs = self.symbols().iter();
        let widest = signs.map(|sign| measure::width(sign.encode_utf8(&mut [0; 4])));
        3 + widest.max().unwrap_or(1)
    }

    /// Brings the cursor's cell into view.
    fn fit(&mut self, area: Rect) {
        let room = usize::from(area.width.saturating_sub(MARGIN + 1));
        self.shown = (room / self.cell_columns()).clamp(1, self.now.tape.len().max(1));
        let lowest = (self.cell + 1).saturating_sub(self.shown);
        let last = self.now.tape.len().saturating_sub(self.shown);
        self.first = self.first.clamp(lowest, self.cell.max(lowest)).min(last);
    }

    /// The place of a cell in view.
    fn place(&self, cell: usize, row: Rect) -> Rect {
        let from = (cell - self.first) * self.cell_columns();
        let from = MARGIN.saturating_add(measure::cells(from));
        let columns = measure::cells(self.cell_columns() - 1);
        measure::first(measure::after(row, from + 1), columns)
    }

    /// The rows of the rules with their heading.
    fn rule_rows(&self) -> usize {
        (self.symbols().len() + 1).min(RULE_ROWS)
    }

    /// The room of the tape and that of the rules. Beside a short tape the rules take what it leaves.
    fn rooms(&self, area: Rect) -> [Rect; 2] {
        if area.width >= BESIDE {
            let cells = self.now.tape.len().saturating_mul(self.cell_columns());
            let cells = measure::cells(cells);
            let whole = cells.saturating_add(MARGIN + 3);
            let least = RULE_COLUMNS.min(area.width * 2 / 5);
            let width = whole.max(area.width / 2).min(area.width - least);
            let left = measure::first(area, width - 2);
            return [left, measure::after(area, width)];
        }
        measure::split(area, TAPE_ROWS)
    }
}

/// Several signs or names to choose from: "0, 1 or _".
fn any_of(signs: &[String]) -> String {
    match signs {
        [] => String::new(),
        [one] => one.clone(),
        [front @ .., last] if signs.len() <= 8 => format!("{} or {last}", front.join(", ")),
        [first, .., last] => format!("{first} … {last}"),
    }
}

impl Widget for TapeEditor {
    fn context(&self) -> Contexts {
        TAPE
    }

    fn reply(&self) -> Result<Reply<Exact>, String> {
        Ok(Reply::Bits(self.bits()))
    }

    fn act(&mut self, action: Action) -> bool {
        self.remark = None;
        match (action, self.field) {
            (Action::PlaceBack, Field::Tape) => self.step(-1),
            (Action::PlaceOn, Field::Tape) => self.step(1),
            (Action::PlaceBack, Field::State) => self.turn_state(-1),
            (Action::PlaceOn | Action::Turn, Field::State) => self.turn_state(1),
            (Action::Turn, Field::Tape) => self.turn_symbol(),
            (Action::Above, _) => self.field = Field::State,
            (Action::Below, _) => self.field = Field::Tape,
            (Action::PageAbove, _) => self.step(-PAGE),
            (Action::PageBelow, _) => self.step(PAGE),
            (Action::FirstPlace, _) => self.go(0),
            (Action::LastPlace, _) => self.go(usize::MAX),
            (Action::PutHead, _) => self.put_head(),
            (Action::RunStep, _) => self.run_step(),
            (Action::Restore, _) => {
                if self.now == self.given {
                    if let Some(aside) = self.aside.take() {
                        self.edit(|now| *now = aside);
                    }
                } else {
                    self.aside = Some(self.now.clone());
                    let given = self.given.clone();
                    self.edit(|now| *now = given);
                }
            }
            (Action::Jump, _) => {
                self.jump.open();
                return true;
            }
            _ => return false,
        }
        self.jump.close();
        true
    }

    fn press(&mut self, c: char) -> bool {
        let taken = self.jump.is_open() && self.jump.press(c);
        if taken {
            self.follow_jump();
        }
        taken
    }

    /// On the tape the machine's symbols are text, whatever else their keys mean.
    fn type_key(&mut self, event: KeyEvent) -> bool {
        let KeyCode::Char(c) = event.code else {
            return false;
        };
        let plain = event.modifiers.difference(KeyModifiers::SHIFT).is_empty();
        if !plain || self.field != Field::Tape || self.jump.is_open() {
            return false;
        }
        let symbol = self.symbols().iter().position(|sign| *sign == c);
        let Some(symbol) = symbol.and_then(|symbol| SymbolId::try_from(symbol).ok()) else {
            return false;
        };
        self.remark = None;
        self.write(symbol);
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
        !self.edits.is_empty()
    }

    fn undo(&mut self) -> bool {
        self.remark = None;
        let Some(edit) = self.edits.pop() else {
            return false;
        };
        self.now = edit.before;
        self.field = edit.field;
        self.cell = edit.cell;
        true
    }

    fn scroll(&mut self, lines: isize) -> bool {
        self.step(lines);
        true
    }

    fn click(&mut self, at: Position, area: Rect) -> bool {
        let [tape, _] = self.rooms(area);
        if !tape.contains(at) {
            return false;
        }
        self.jump.close();
        if at.y == tape.y {
            self.field = Field::State;
            return true;
        }
        let Some(columns) = at.x.checked_sub(tape.x + MARGIN) else {
            return false;
        };
        let cell = self.first + usize::from(columns) / self.cell_columns();
        let hit = cell < self.first + self.shown && cell < self.now.tape.len();
        if hit {
            self.go(cell);
        }
        hit
    }

    fn rows(&self, columns: u16) -> usize {
        if columns >= BESIDE {
            TAPE_ROWS.max(self.rule_rows())
        } else {
            TAPE_ROWS + self.rule_rows()
        }
    }

    fn least_rows(&self, _columns: u16) -> usize {
        TAPE_ROWS
    }

    fn notes(&self) -> Vec<(Role, String)> {
        let mut notes = Vec::new();
        match self.jump.typed() {
            Some(typed) => notes.push((Role::Title, format!("Go to cell {typed}_"))),
            None => notes.push((Role::Text, self.here())),
        }
        notes.extend(self.remark.clone().map(|remark| (Role::Warning, remark)));
        let halted = self.machine().is_some_and(|machine| {
            let read = self.now.tape.get(self.now.head).copied().unwrap_or(0);
            machine.transition(self.now.state, read) == Transition::Halt
        });
        if halted && self.run.accepts(&self.bits()) {
            let text = "The machine accepts in this state.";
            notes.push((Role::Good, text.to_owned()));
        }
        notes.push((Role::Faint, self.differences()));
        notes
    }

    fn draw(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        let [tape, rules] = self.rooms(area);
        self.fit(tape);
        self.draw_tape(canvas, tape);
        self.draw_rules(canvas, rules);
    }
}

impl TapeEditor {
    pub fn draw_tape(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let look = canvas.look;
        if area.is_empty() {
            return;
        }
        let rows = [0, 1, 2, 3].map(|number| measure::row(area, number));
        let [state, numbers, cells, marks] = rows;
        for (label, row) in [("state", state), ("cell", numbers), ("tape", cells)] {
            canvas.put(label, Role::Faint, row);
        }

        let name = measure::after(state, MARGIN);
        let changed = self.now.state != self.given.state;
        let role = if changed { Role::Newest } else { Role::Text };
        let text = format!(" {} ", self.state_name(self.now.state));
        let taken = canvas.put(&text, role, name);
        if self.field == Field::State {
            canvas.set_style(measure::first(name, taken), Role::Selected);
        }
        if changed {
            let mark = measure::after(name, taken);
            canvas.put(look.signs().newest, role, mark);
        }

        let end = (self.first + self.shown).min(self.now.tape.len());
        let digits = end.saturating_sub(1).to_string().len();
        // Long numbers stand at every so many cells.
        let every = (digits + 1).div_ceil(self.cell_columns()).max(1);
        for cell in self.first..end {
            let place = self.place(cell, cells);
            let symbol = self.now.tape.get(cell).copied().unwrap_or(0);
            let is_head = cell == self.now.head;
            let sign = measure::pad(&self.sign(symbol), self.cell_columns() - 3);
            let text = if is_head {
                format!("[{sign}]")
            } else {
                format!(" {sign} ")
            };
            let changed = self.given.tape.get(cell) != Some(&symbol);
            let role = match (changed, is_head) {
                (true, _) => Role::Newest,
                (false, true) => Role::Title,
                (false, false) => Role::Text,
            };
            let x = place.x - 1;
            let width = 1;
            let line = Rect { x, width, ..place };
            canvas.put(look.glyphs.rail, Role::Border, line);
            canvas.put(&text, role, place);
            if self.field == Field::Tape && cell == self.cell {
                canvas.set_style(place, Role::Selected);
            }
            if cell.is_multiple_of(every) {
                let from = (place.x + 1).saturating_sub(numbers.x);
                let room = measure::after(numbers, from);
                canvas.put(&cell.to_string(), Role::Faint, room);
            }
            let below = measure::after(self.place(cell, marks), 1);
            if is_head {
                canvas.put(look.glyphs.more_up, Role::Title, below);
            } else if changed {
                canvas.put(look.signs().newest, role, below);
            }
        }
        let last = self.place(end, cells);
        if last.x > cells.x && last.x - 1 < cells.right() {
            let x = last.x - 1;
            let width = 1;
            let line = Rect { x, width, ..cells };
            let more = if end < self.now.tape.len() {
                look.glyphs.ellipsis
            } else {
                look.glyphs.rail
            };
            canvas.put(more, Role::Border, line);
        }
        let label = if self.first > 0 { "head …" } else { "head" };
        canvas.put(label, Role::Faint, marks);
    }

    pub fn draw_rules(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let look = canvas.look;
        let heading = format!("Rules in state {}:", self.state_name(self.now.state));
        canvas.put_clipped(&heading, Role::Title, measure::row(area, 0));
        let count = self.symbols().len();
        let read = self.now.tape.get(self.now.head).copied().unwrap_or(0);
        let room = usize::from(area.height).saturating_sub(1);
        // The rule that applies is in view.
        let first = (usize::from(read) + 1).saturating_sub(room);
        for (row, symbol) in (first..count).take(room).enumerate() {
            let symbol = SymbolId::try_from(symbol).unwrap_or(0);
            let applies = symbol == read;
            let (cursor, role) = if applies {
                (look.glyphs.cursor, Role::Current)
            } else {
                (" ", Role::Text)
            };
            let line = format!("{cursor}reads {}: {}", self.sign(symbol), self.rule(symbol));
            canvas.put_clipped(&line, role, measure::row(area, row + 1));
        }
    }
}

#[cfg(test)]
mod tests;
