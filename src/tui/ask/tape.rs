//! A configuration of a machine with one tape: its cells, its head and its state, with the rules of
//! that state beside them.

mod draw;

use std::sync::Arc;

use ratatui::{
    buffer::Buffer,
    crossterm::event::{KeyCode, KeyEvent, KeyModifiers},
    layout::{Position, Rect},
};

use super::jump::Jump;
use super::widget::Widget;
use crate::tui::actions::Contexts;
use crate::tui::keys::{Action, TAPE};
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widget::measure;
use debate_core::bits::Bits;
use debate_core::number::Exact;
use debate_core::protocol::Reply;
use debate_core::scenario::machine::Shift;
use debate_core::scenario::{
    Run, StateId, Successor, SymbolId, TapeConfiguration, TapeMachine, Transition,
};
use debate_lab::tell::grouped;

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

/// An edit, as it is taken back.
#[derive(Clone, Debug)]
enum Edit {
    Cell(usize, SymbolId),
    State(StateId),
    Head(usize),
    All(Box<TapeConfiguration>),
}

/// The part that the keys act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    State,
    Tape,
}

/// An editor of a configuration that stands prepared.
#[derive(Debug)]
pub(super) struct TapeEditor {
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
    said: Option<String>,
}

impl TapeEditor {
    /// An editor of what is prepared, else of the machine's start. `None` where the machine has no
    /// tape, or what is prepared is no configuration.
    pub(super) fn new(run: Arc<dyn Run>, prepared: Option<&Bits>) -> Option<Self> {
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
            said: None,
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

    fn write(&mut self, symbol: SymbolId) {
        if let Some(cell) = self.now.tape.get_mut(self.cell)
            && *cell != symbol
        {
            self.edits.push(Edit::Cell(self.cell, *cell));
            *cell = symbol;
        }
    }

    fn go(&mut self, cell: usize) {
        self.field = Field::Tape;
        self.cell = cell.min(self.now.tape.len().saturating_sub(1));
    }

    fn step(&mut self, cells: isize) {
        self.go(self.cell.saturating_add_signed(cells));
    }

    fn turn_state(&mut self, by: i64) {
        let count = i64::try_from(self.states().len()).unwrap_or(1).max(1);
        let next = (i64::from(self.now.state) + by).rem_euclid(count);
        let next = StateId::try_from(next).unwrap_or(self.now.state);
        if next != self.now.state {
            self.edits.push(Edit::State(self.now.state));
            self.now.state = next;
        }
    }

    fn turn_symbol(&mut self) {
        let count = self.symbols().len().max(1);
        if let Some(symbol) = self.now.tape.get(self.cell) {
            let next = (usize::from(*symbol) + 1) % count;
            self.write(SymbolId::try_from(next).unwrap_or(0));
        }
    }

    fn put_head(&mut self) {
        if self.now.head != self.cell {
            self.edits.push(Edit::Head(self.now.head));
            self.now.head = self.cell;
        }
    }

    fn replace(&mut self, next: TapeConfiguration) {
        if next != self.now {
            let before = std::mem::replace(&mut self.now, next);
            self.edits.push(Edit::All(Box::new(before)));
        }
    }

    /// One step of the machine from what stands here.
    fn run_step(&mut self) {
        let bits = self.bits();
        let next = match self.run.next(&bits) {
            Successor::To(next) => next,
            Successor::Oracle { .. } => {
                self.said = Some(
                    "The oracle decides what comes next: write it yourself, for yes or for no."
                        .to_owned(),
                );
                return;
            }
        };
        if next == bits {
            self.said = Some("The machine has halted here: a step changes nothing.".to_owned());
        } else if let Some(next) = self.machine().and_then(|machine| machine.decode(&next)) {
            self.replace(next);
            self.go(self.now.head);
        }
    }

    /// The current state's rule for a symbol in words.
    fn rule(&self, symbol: SymbolId) -> String {
        let machine = self.machine();
        let state = self.now.state;
        match machine.map(|machine| machine.transition(state, symbol)) {
            None | Some(Transition::Halt) => "halts".to_owned(),
            Some(Transition::Ask) => "asks the oracle".to_owned(),
            Some(Transition::Act(action)) => {
                let write = if action.write == symbol {
                    String::new()
                } else {
                    format!("writes {}, ", self.sign(action.write))
                };
                let shift = match action.shift {
                    Shift::Left => "left",
                    Shift::Right => "right",
                    Shift::Stay => "stays",
                };
                let to = if action.to == state {
                    String::new()
                } else {
                    format!(", to {}", self.state_name(action.to))
                };
                format!("{write}{shift}{to}")
            }
        }
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
        let (given, now) = (&self.given, &self.now);
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
            true if self.prepared => {
                "This is what the machine does; you may say something else.".to_owned()
            }
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
        let from = MARGIN.saturating_add(u16::try_from(from).unwrap_or(u16::MAX));
        let columns = u16::try_from(self.cell_columns() - 1).unwrap_or(1);
        let room = measure::after(row, from + 1);
        Rect {
            width: room.width.min(columns),
            ..room
        }
    }

    /// The rows of the rules with their heading.
    fn rule_rows(&self) -> usize {
        (self.symbols().len() + 1).min(RULE_ROWS)
    }

    /// The room of the tape and that of the rules. Beside a short tape the rules take what it leaves.
    fn rooms(&self, area: Rect) -> [Rect; 2] {
        if area.width >= BESIDE {
            let cells = self.now.tape.len().saturating_mul(self.cell_columns());
            let cells = u16::try_from(cells).unwrap_or(u16::MAX);
            let whole = cells.saturating_add(MARGIN + 3);
            let least = RULE_COLUMNS.min(area.width * 2 / 5);
            let width = whole.max(area.width / 2).min(area.width - least);
            let left = Rect {
                width: width - 2,
                ..area
            };
            return [left, measure::after(area, width)];
        }
        let rows = area
            .height
            .min(u16::try_from(TAPE_ROWS).unwrap_or(u16::MAX));
        let upper = Rect {
            height: rows,
            ..area
        };
        let lower = Rect {
            y: area.y + rows,
            height: area.height - rows,
            ..area
        };
        [upper, lower]
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
        self.said = None;
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
                        self.replace(aside);
                    }
                } else {
                    self.aside = Some(self.now.clone());
                    self.replace(self.given.clone());
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
        self.said = None;
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
        self.said = None;
        match self.edits.pop() {
            None => return false,
            Some(Edit::Cell(cell, before)) => {
                if let Some(symbol) = self.now.tape.get_mut(cell) {
                    *symbol = before;
                }
                self.go(cell);
            }
            Some(Edit::State(before)) => {
                self.now.state = before;
                self.field = Field::State;
            }
            Some(Edit::Head(before)) => self.now.head = before,
            Some(Edit::All(before)) => {
                self.now = *before;
                self.go(self.now.head);
            }
        }
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

    fn notes(&self) -> Vec<(StyleRole, String)> {
        let mut notes = Vec::new();
        match self.jump.typed() {
            Some(typed) => notes.push((StyleRole::Title, format!("Go to cell {typed}_"))),
            None => notes.push((StyleRole::Text, self.here())),
        }
        notes.extend(self.said.clone().map(|said| (StyleRole::Warning, said)));
        let halted = self.machine().is_some_and(|machine| {
            let read = self.now.tape.get(self.now.head).copied().unwrap_or(0);
            machine.transition(self.now.state, read) == Transition::Halt
        });
        if halted && self.run.accepts(&self.bits()) {
            let text = "The machine accepts in this state.";
            notes.push((StyleRole::Good, text.to_owned()));
        }
        notes.push((StyleRole::Faint, self.differences()));
        notes
    }

    fn draw(&mut self, look: &Appearance, buffer: &mut Buffer, area: Rect) {
        let [tape, rules] = self.rooms(area);
        self.fit(tape);
        self.draw_tape(look, buffer, tape);
        self.draw_rules(look, buffer, rules);
    }
}

#[cfg(test)]
mod tests;
