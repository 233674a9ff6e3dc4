//! A machine as a computation of one bit per step: the bits of its tableau, which has one row per configuration.
//!
//! Each row encodes the configuration at one time. The code of a cell has the bits of its symbol, then the bits of the
//! head: 0 if the head is elsewhere, 1 + q if the head is here and the state is q. Row 0 is the input of the
//! computation; the bits of the later rows are its steps, in order. A cell is determined by the three cells above it
//! (Cook 1971, Levin 1973). If the machine has an oracle state, each row after row 0 begins with one more bit: the
//! oracle's answer if the row above queries the oracle, otherwise 0. After the last row, there is one step for each
//! cell: it is 1 if the head is at this cell or an earlier one, in the accepting state. The last of these steps is the
//! output.
//!
//! An invalid code of a symbol counts as a blank, an invalid code of the head as a head elsewhere.

use crate::scenario::key::ClaimKeyContent;
use std::sync::Arc;

use super::TuringRun;
use super::table::CheckedMachine;
use crate::bits::{self, BitString, low_binary_digits_highest_first};
use crate::number::{index_saturating, to_u32_saturating};
use crate::scenario::computation::{
    StateId, SymbolId, TapeConfiguration, TapeMachine as _, TapeMachineTransition,
};
use crate::scenario::{BitSource, ClaimKey, Computation, MachineRun, RequiredStepOutput};

/// Maximum number of steps of a tableau. A machine whose tableau needs more cannot be used as a [`Computation`].
pub const MAX_TABLEAU: u64 = 1 << 24;

/// The tableau of a Turing machine on one input: a table of bits with one row for each configuration of the run.
#[derive(Debug)]
pub(super) struct MachineTableau {
    run: Arc<TuringRun>,
    start: BitString,
    symbol_bits: usize,
    head_bits: usize,
    /// The number of oracle bits at the beginning of each row after row 0: 1 if the machine has an oracle, else 0.
    oracle_bits: usize,
}

/// The content of the bit that a step of the computation writes into the tableau, the table of the machine's
/// configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepSubject {
    /// The oracle's answer in the row of this time.
    Oracle { time: u64 },
    /// A bit of the code of a tape cell in the row of this time.
    Cell { time: u64, cell: usize, bit: usize },
    /// A bit after the last row: 1 if the machine has accepted with its head at this cell or an earlier one.
    End { cell: usize },
}

/// A decoded cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cell {
    symbol: SymbolId,
    head: Option<StateId>,
}

impl MachineTableau {
    /// Returns the tableau of a machine's run; `None` if it is too large.
    pub(super) fn new(run: &Arc<TuringRun>) -> Option<Self> {
        let table = &run.table;
        let mut tableau = Self {
            run: run.clone(),
            start: BitString::default(),
            symbol_bits: table.bits_per_symbol() as usize,
            head_bits: bits::bits_to_distinguish(table.states.len() as u64 + 1) as usize,
            oracle_bits: usize::from(table.asking.is_some()),
        };
        let row = (table.cells * tableau.cell_bits() + tableau.oracle_bits) as u64;
        let steps = row.checked_mul(table.steps)?.checked_add(row)?;
        if steps > MAX_TABLEAU {
            return None;
        }
        let mut start = Vec::new();
        tableau.write(&run.first(), &mut start);
        tableau.start = start.into();
        Some(tableau)
    }

    fn table(&self) -> &CheckedMachine {
        &self.run.table
    }

    fn cell_bits(&self) -> usize {
        self.symbol_bits + self.head_bits
    }

    /// Returns the number of bits in each row after row 0: the oracle's bit, if there is one, and the code of one
    /// configuration. Each step writes one bit.
    fn row_bits(&self) -> usize {
        self.oracle_bits + self.table().cells * self.cell_bits()
    }

    fn step_subject(&self, step: u64) -> StepSubject {
        let row = self.row_bits() as u64;
        let time = step / row + 1;
        if time > self.table().steps {
            let cell = index_saturating(step - row * self.table().steps);
            return StepSubject::End { cell };
        }
        let Some(index) = index_saturating(step % row).checked_sub(self.oracle_bits) else {
            return StepSubject::Oracle { time };
        };
        StepSubject::Cell {
            time,
            cell: index / self.cell_bits(),
            bit: index % self.cell_bits(),
        }
    }

    /// Returns the source of a bit of a cell's code in the row of a time: an input bit in row 0, else an earlier step.
    fn source(&self, time: u64, cell: usize, bit: usize) -> BitSource {
        let index = (cell * self.cell_bits() + bit) as u64;
        let row = |above: u64| above * self.row_bits() as u64 + self.oracle_bits as u64;
        match time.checked_sub(1) {
            None => BitSource::Input(index),
            Some(above) => BitSource::Step(row(above) + index),
        }
    }

    /// Returns the range of cells in the row above that determine a cell: itself and its left and right neighbours, as
    /// far as they exist.
    fn cells_above(&self, cell: usize) -> std::ops::Range<usize> {
        cell.saturating_sub(1)..(cell + 2).min(self.table().cells)
    }

    fn read(&self, code: &[bool]) -> Cell {
        let (symbol, head) = code.split_at(self.symbol_bits.min(code.len()));
        let symbol = SymbolId::try_from(bits::number_from_bits(symbol))
            .ok()
            .filter(|it| usize::from(*it) < self.table().symbols.len());
        let state = bits::number_from_bits(head).checked_sub(1);
        let state = state.and_then(|state| StateId::try_from(state).ok());
        Cell {
            symbol: symbol.unwrap_or(0),
            head: state.filter(|state| usize::from(*state) < self.table().states.len()),
        }
    }

    fn write_cell(&self, cell: Cell, into: &mut Vec<bool>) {
        into.extend(low_binary_digits_highest_first(
            cell.symbol.into(),
            to_u32_saturating(self.symbol_bits),
        ));
        let head = cell.head.map_or(0, |state| 1 + u64::from(state));
        into.extend(low_binary_digits_highest_first(
            head,
            to_u32_saturating(self.head_bits),
        ));
    }

    /// Appends a configuration as the code of a row, without the oracle's bit.
    fn write(&self, at: &TapeConfiguration, into: &mut Vec<bool>) {
        for (index, symbol) in at.tape.iter().enumerate() {
            let cell = Cell {
                symbol: *symbol,
                head: (index == at.head).then_some(at.state),
            };
            self.write_cell(cell, into);
        }
    }

    /// Computes a cell from the three cells in the row above and from the oracle's bit.
    fn next_cell(&self, index: usize, above: [Option<Cell>; 3], says: bool) -> Cell {
        let [left, own, right] = above;
        let own = own.unwrap_or_default();
        if let Some(state) = own.head {
            return match self.table().transition(state, own.symbol) {
                TapeMachineTransition::Halt => own,
                TapeMachineTransition::Ask => Cell {
                    head: Some(self.table().state_after_oracle_answer(says)),
                    ..own
                },
                TapeMachineTransition::Act(action) => {
                    let (head, to) = self.table().cell_and_state_after_action(index, action);
                    Cell {
                        symbol: action.write,
                        head: (head == index).then_some(to),
                    }
                }
            };
        }
        let arrives = |from: Option<Cell>, at: Option<usize>| {
            let (cell, at) = (from?, at?);
            let TapeMachineTransition::Act(action) =
                self.table().transition(cell.head?, cell.symbol)
            else {
                return None;
            };
            let (head, to) = self.table().cell_and_state_after_action(at, action);
            (head == index).then_some(to)
        };
        let head = arrives(left, index.checked_sub(1)).or_else(|| arrives(right, Some(index + 1)));
        Cell { head, ..own }
    }

    /// Computes a bit of a cell's code from the bits that it reads: the oracle's bit of its row, if there is one, and
    /// cells of the row above.
    fn cell_rule(&self, index: usize, bit: usize, bits: &[bool]) -> bool {
        let says = self.oracle_bits == 1 && bits.first() == Some(&true);
        let mut codes = bits
            .get(self.oracle_bits..)
            .unwrap_or_default()
            .chunks(self.cell_bits())
            .map(|code| self.read(code));
        let left = if index == 0 { None } else { codes.next() };
        let above = [left, codes.next(), codes.next()];
        let mut code = Vec::with_capacity(self.cell_bits());
        self.write_cell(self.next_cell(index, above, says), &mut code);
        code.get(bit) == Some(&true)
    }

    /// Returns the rule for the oracle's bit in a row of the tableau: an oracle query if the machine queries the oracle
    /// in the configuration before, else 0. `bits` encode that configuration.
    fn oracle_rule(&self, bits: &[bool]) -> RequiredStepOutput {
        let codes = bits.chunks(self.cell_bits());
        let row: Vec<Cell> = codes.map(|code| self.read(code)).collect();
        let asks = |cell: &Cell| {
            let state = cell
                .head
                .map(|state| self.table().transition(state, cell.symbol));
            state == Some(TapeMachineTransition::Ask)
        };
        if !row.iter().any(asks) {
            return RequiredStepOutput::Value(false);
        }
        let tape: Vec<SymbolId> = row.iter().map(|cell| cell.symbol).collect();
        RequiredStepOutput::Oracle(ClaimKey(ClaimKeyContent::Word(
            self.table().oracle_query_on_tape(&tape),
        )))
    }

    /// Appends the row of a configuration, with the oracle's bit first. The oracle's bit depends on the configuration
    /// before.
    fn write_row(&self, before: &TapeConfiguration, at: &TapeConfiguration, into: &mut Vec<bool>) {
        if self.oracle_bits == 1 {
            let symbol = before.tape.get(before.head).copied().unwrap_or(0);
            let asks = self.table().transition(before.state, symbol) == TapeMachineTransition::Ask;
            into.push(
                asks && self
                    .table()
                    .oracle_answer(&self.table().oracle_query_on_tape(&before.tape)),
            );
        }
        self.write(at, into);
    }

    /// Returns the correct bit of a step of the tableau.
    pub(super) fn true_bit_of_step(&self, step: u64) -> Option<bool> {
        if step >= self.steps() {
            return None;
        }
        let (time, index) = match self.step_subject(step) {
            StepSubject::End { cell } => {
                let last = self.run.configuration(self.table().steps);
                return Some(last.state == self.table().accept && last.head <= cell);
            }
            StepSubject::Oracle { time } => (time, 0),
            StepSubject::Cell { time, cell, bit } => {
                (time, self.oracle_bits + cell * self.cell_bits() + bit)
            }
        };
        let mut row = Vec::with_capacity(self.row_bits());
        let before = self.run.configuration(time - 1);
        self.write_row(&before, &self.run.configuration(time), &mut row);
        row.get(index).copied()
    }

    /// Returns the name of a bit of a cell's code.
    fn bit_text(&self, time: u64, cell: usize, bit: usize) -> String {
        let (number, symbol_or_state, count) = match bit.checked_sub(self.symbol_bits) {
            None => (bit, "symbol", self.symbol_bits),
            Some(bit) => (bit, "state", self.head_bits),
        };
        let which_bit = if count == 1 {
            "the bit".to_owned()
        } else {
            format!("bit {}", number + 1)
        };
        format!("time {time}, cell {cell}, {which_bit} of the {symbol_or_state}")
    }
}

impl Computation for MachineTableau {
    fn asks(&self) -> bool {
        self.table().asking.is_some()
    }

    fn steps(&self) -> u64 {
        let cells = self.table().cells as u64;
        self.table().steps * self.row_bits() as u64 + cells
    }

    fn input(&self, index: u64) -> bool {
        self.start.bit_at(index).unwrap_or(false)
    }

    fn reads(&self, step: u64, into: &mut Vec<BitSource>) {
        into.clear();
        let cells = |time, cells: std::ops::Range<usize>, bits: std::ops::Range<usize>| {
            cells.flat_map(move |cell| bits.clone().map(move |bit| self.source(time, cell, bit)))
        };
        let all = 0..self.cell_bits();
        match self.step_subject(step) {
            StepSubject::Oracle { time } => {
                into.extend(cells(time - 1, 0..self.table().cells, all));
            }
            StepSubject::Cell { time, cell, .. } => {
                let row = (time - 1) * self.row_bits() as u64;
                into.extend((self.oracle_bits == 1).then_some(BitSource::Step(row)));
                into.extend(cells(time - 1, self.cells_above(cell), all));
            }
            StepSubject::End { cell } => {
                into.extend((cell > 0).then(|| BitSource::Step(step - 1)));
                let heads = self.symbol_bits..self.cell_bits();
                into.extend(cells(self.table().steps, cell..cell + 1, heads));
            }
        }
    }

    fn rule(&self, step: u64, bits: &[bool]) -> RequiredStepOutput {
        match self.step_subject(step) {
            StepSubject::Oracle { .. } => self.oracle_rule(bits),
            StepSubject::Cell { cell, bit, .. } => {
                RequiredStepOutput::Value(self.cell_rule(cell, bit, bits))
            }
            StepSubject::End { cell } => {
                let (before, head) = bits.split_at(usize::from(cell > 0).min(bits.len()));
                let accepts = 1 + u64::from(self.table().accept);
                RequiredStepOutput::Value(
                    before == [true] || bits::number_from_bits(head) == accepts,
                )
            }
        }
    }

    fn answer(&self, claim: &ClaimKey) -> Option<bool> {
        self.run.answer(claim)
    }

    fn step_text(&self, step: u64) -> String {
        match self.step_subject(step) {
            StepSubject::Oracle { time } => format!("time {time}, the oracle's answer"),
            StepSubject::Cell { time, cell, bit } => self.bit_text(time, cell, bit),
            StepSubject::End { cell: last_cell } => {
                format!("the machine accepts with its head at a cell from 0 to {last_cell}")
            }
        }
    }

    fn source_text(&self, source: BitSource) -> String {
        if let BitSource::Input(bit) = source {
            let (bit, bits) = (index_saturating(bit), self.cell_bits());
            return self.bit_text(0, bit / bits, bit % bits);
        }
        source.bit_source_name(|step| self.step_text(step))
    }

    fn transcript(&self, _witness: &BitString) -> Option<BitString> {
        let mut transcript = Vec::with_capacity(usize::try_from(self.steps()).ok()?);
        let mut at = self.run.first();
        for _ in 0..self.table().steps {
            let before = at.clone();
            self.table().run_steps(&mut at, 1);
            self.write_row(&before, &at, &mut transcript);
        }
        let accepts = at.state == self.table().accept;
        transcript.extend((0..self.table().cells).map(|cell| accepts && at.head <= cell));
        Some(transcript.into())
    }
}
