//! The transition table of a machine, its configurations, and the computation of one step.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde::Deserialize;

use crate::bits::{self, BitString, low_binary_digits_highest_first};
use crate::number::{Exact, to_u32_saturating};
use crate::scenario::computation::{
    HeadMove, StateId, SymbolId, TapeAction, TapeConfiguration, TapeMachine, TapeMachineTransition,
};
use crate::scenario::written::optional_probability;

/// The blank symbol.
pub const BLANK: char = '_';

/// The oracle's answer to a machine's query.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Answer")]
pub struct OracleAnswer {
    /// True if the oracle answers yes.
    pub truth: bool,
    /// The query in words, as a sentence that is true or false.
    pub text: Option<String>,
    pub evidence: Option<String>,
    /// The probability that a human judge answers yes.
    #[serde(default, deserialize_with = "optional_probability")]
    pub judged_true: Option<Exact>,
}

/// The state in which the machine queries the oracle, its next states, and the answers.
#[derive(Clone, Debug)]
pub(super) struct MachineOracleQueryStates {
    pub(super) state: StateId,
    pub(super) yes: StateId,
    pub(super) no: StateId,
    pub(super) answers: HashMap<BitString, OracleAnswer>,
}

/// A checked machine: its states, symbols and transition table.
#[derive(Clone, Debug)]
pub(super) struct CheckedMachine {
    pub(super) states: Vec<String>,
    pub(super) symbols: Vec<char>,
    pub(super) start: StateId,
    pub(super) accept: StateId,
    pub(super) reject: StateId,
    /// The action for each state and symbol, at the index (state × number of symbols + symbol).
    pub(super) actions: Vec<Option<TapeAction>>,
    pub(super) asking: Option<MachineOracleQueryStates>,
    pub(super) cells: usize,
    pub(super) steps: u64,
}

/// The outcome of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MachineStepOutcome {
    /// The machine has halted; its configuration did not change.
    Halted,
    /// The machine must first query the oracle; its configuration did not change.
    Asks,
    /// The machine made one step.
    Moved,
}

impl CheckedMachine {
    /// True if a machine in this state has halted: it accepts or rejects.
    pub(super) fn halts(&self, state: StateId) -> bool {
        state == self.accept || state == self.reject
    }

    /// Returns the head's next cell and the next state if the machine takes this action with its head at `cell`.
    pub(super) fn cell_and_state_after_action(
        &self,
        cell: usize,
        action: TapeAction,
    ) -> (usize, StateId) {
        match action.shift {
            HeadMove::Stay => (cell, action.to),
            HeadMove::Left => (cell.saturating_sub(1), action.to),
            HeadMove::Right if cell + 1 < self.cells => (cell + 1, action.to),
            HeadMove::Right => (cell, self.reject),
        }
    }

    /// Returns the machine's configuration on this input before the first step.
    pub(super) fn start_configuration(&self, input: &[SymbolId]) -> TapeConfiguration {
        let mut tape = input.to_vec();
        tape.resize(self.cells, 0);
        TapeConfiguration {
            state: self.start,
            head: 0,
            tape,
        }
    }

    /// Makes the machine take one step, unless it has halted or must query the oracle.
    pub(super) fn step(&self, at: &mut TapeConfiguration) -> MachineStepOutcome {
        let Some(cell) = at.tape.get_mut(at.head) else {
            return MachineStepOutcome::Halted;
        };
        match self.transition(at.state, *cell) {
            TapeMachineTransition::Halt => MachineStepOutcome::Halted,
            TapeMachineTransition::Ask => MachineStepOutcome::Asks,
            TapeMachineTransition::Act(action) => {
                *cell = action.write;
                (at.head, at.state) = self.cell_and_state_after_action(at.head, action);
                MachineStepOutcome::Moved
            }
        }
    }

    /// Returns the state that follows the oracle state for this answer of the oracle.
    pub(super) fn state_after_oracle_answer(&self, answer: bool) -> StateId {
        let after = |ask: &MachineOracleQueryStates| if answer { ask.yes } else { ask.no };
        self.asking.as_ref().map_or(self.reject, after)
    }

    /// Runs the machine for `steps` steps, or fewer if it halts, with the oracle's true answers.
    pub(super) fn run_steps(&self, at: &mut TapeConfiguration, steps: u64) {
        for _ in 0..steps {
            match self.step(at) {
                MachineStepOutcome::Moved => {}
                MachineStepOutcome::Halted => return,
                MachineStepOutcome::Asks => {
                    at.state = self.state_after_oracle_answer(
                        self.oracle_answer(&self.oracle_query_on_tape(&at.tape)),
                    );
                }
            }
        }
    }

    /// Returns the oracle query that a tape contains: its symbols from the first to the last that is not blank.
    pub(super) fn oracle_query_on_tape(&self, tape: &[SymbolId]) -> BitString {
        let first = tape.iter().position(|symbol| *symbol != 0);
        let last = tape.iter().rposition(|symbol| *symbol != 0);
        let word = match (first, last) {
            (Some(first), Some(last)) => tape.get(first..=last).unwrap_or_default(),
            _ => &[],
        };
        let width = self.bits_per_symbol();
        let mut bits = Vec::with_capacity(word.len() * width as usize);
        for symbol in word {
            bits.extend(low_binary_digits_highest_first(u64::from(*symbol), width));
        }
        bits.into()
    }

    /// Returns the answer to a query, if the scenario file lists it.
    pub(super) fn listed_answer(&self, query: &BitString) -> Option<&OracleAnswer> {
        self.asking.as_ref()?.answers.get(query)
    }

    /// True if a human judge's answer to some listed query can differ from the oracle's.
    pub(super) fn judge_may_err(&self) -> bool {
        let states = self.asking.iter();
        let mut answers = states.flat_map(|asking| asking.answers.values());
        answers.any(|answer| {
            let stated = answer.judged_true.as_ref();
            stated.is_some_and(|p| *p != Exact::from_integer(i64::from(answer.truth).into()))
        })
    }

    /// Returns the oracle's true answer to a query.
    pub(super) fn oracle_answer(&self, query: &BitString) -> bool {
        self.listed_answer(query).is_some_and(|answer| answer.truth)
    }

    /// Returns the number of a symbol.
    pub(super) fn symbol_id(&self, character: char) -> Option<SymbolId> {
        let index = self.symbols.iter().position(|known| *known == character)?;
        SymbolId::try_from(index).ok()
    }

    pub(super) fn symbol_character(&self, symbol: SymbolId) -> char {
        let sign = self.symbols.get(usize::from(symbol));
        sign.copied().unwrap_or(BLANK)
    }

    pub(super) fn state_name(&self, state: StateId) -> &str {
        self.states.get(usize::from(state)).map_or("", |name| name)
    }

    /// Returns the number of bits that encode a symbol.
    pub(super) fn bits_per_symbol(&self) -> u32 {
        bits::bits_to_distinguish(self.symbols.len() as u64)
    }

    fn state_bits(&self) -> u32 {
        bits::bits_to_distinguish(self.states.len() as u64)
    }

    fn head_bits(&self) -> u32 {
        bits::bits_to_distinguish(self.cells as u64)
    }

    /// Returns the number of bits that encode a configuration: the state, the position of the head, and the symbol of
    /// each cell.
    pub(super) fn bits_per_configuration(&self) -> u32 {
        self.state_bits()
            + self.head_bits()
            + to_u32_saturating(self.cells) * self.bits_per_symbol()
    }

    /// Formats a query as a claim in words.
    pub(super) fn query_text(&self, query: &BitString) -> String {
        if let Some(text) = self
            .listed_answer(query)
            .and_then(|answer| answer.text.as_deref())
        {
            return text.to_owned();
        }
        if query.is_empty() {
            return "the oracle says yes to an empty tape".to_owned();
        }
        let width = self.bits_per_symbol().max(1) as usize;
        let symbol = |code: &[bool]| SymbolId::try_from(bits::number_from_bits(code)).unwrap_or(0);
        let codes = query.as_slice().chunks(width);
        let word: String = codes
            .map(|code| self.symbol_character(symbol(code)))
            .collect();
        format!(
            "the oracle says yes to {word}",
            word = shorten_machine_input(&word)
        )
    }

    /// Formats a configuration in words and symbols. If the tape is long, shows only the cells around the head.
    pub(super) fn tape_configuration_text(&self, at: &TapeConfiguration) -> String {
        let (low, high) = if self.cells <= 2 * AROUND + 1 {
            (0, self.cells)
        } else {
            let high = (at.head + AROUND + 1).min(self.cells);
            (at.head.saturating_sub(AROUND), high)
        };
        let mut text = format!("{}, head at {}:", self.state_name(at.state), at.head);
        if low > 0 {
            text.push_str(" …");
        }
        if at.head == low {
            text.push(' ');
        }
        for cell in low..high {
            text.push(match at.head {
                head if head == cell => '[',
                head if head + 1 == cell => ']',
                _ => ' ',
            });
            text.push(self.symbol_character(at.tape.get(cell).copied().unwrap_or(0)));
        }
        if at.head + 1 == high {
            text.push(']');
        }
        if high < self.cells {
            text.push_str(" …");
        }
        text
    }

    /// Describes the machine in words, with its rules.
    pub(super) fn machine_description(&self, input: &str) -> String {
        let mut text = format!(
            "The tape has {} cells and begins with {input}. The machine starts at cell 0 in state \
             {}. It accepts in state {} and rejects in state {}.",
            self.cells,
            self.state_name(self.start),
            self.state_name(self.accept),
            self.state_name(self.reject),
        );
        if let Some(ask) = &self.asking {
            let _ = write!(
                text,
                " In state {}, it asks the oracle about the tape's content, then continues in \
                 state {} for yes, in {} for no.",
                self.state_name(ask.state),
                self.state_name(ask.yes),
                self.state_name(ask.no),
            );
        }
        let pairs = (0..).zip(&self.states).flat_map(|(state, state_name)| {
            let symbols = (0..).zip(&self.symbols);
            symbols.map(move |(symbol, read_symbol)| (state, state_name, symbol, read_symbol))
        });
        let mut count = 0;
        for (state, state_name, symbol, read_symbol) in pairs {
            // The table is complete: it contains the rules that the scenario leaves out.
            let TapeMachineTransition::Act(action) = self.transition(state, symbol) else {
                continue;
            };
            if count == MAX_RULES {
                text.push_str("\n… It rejects if no rule applies.");
                break;
            }
            count += 1;
            let head_move = match action.shift {
                HeadMove::Left => "left",
                HeadMove::Right => "right",
                HeadMove::Stay => "stay",
            };
            let _ = write!(
                text,
                "\n{state_name} on {read_symbol}: write {written_symbol}, {head_move}, continue in {next_state}",
                written_symbol = self.symbol_character(action.write),
                next_state = self.state_name(action.to),
            );
        }
        text
    }
}

impl TapeMachine for CheckedMachine {
    fn states(&self) -> &[String] {
        &self.states
    }

    fn symbols(&self) -> &[char] {
        &self.symbols
    }

    fn encode(&self, at: &TapeConfiguration) -> BitString {
        let mut bits = Vec::with_capacity(self.bits_per_configuration() as usize);
        bits.extend(low_binary_digits_highest_first(
            u64::from(at.state),
            self.state_bits(),
        ));
        bits.extend(low_binary_digits_highest_first(
            at.head as u64,
            self.head_bits(),
        ));
        for symbol in &at.tape {
            bits.extend(low_binary_digits_highest_first(
                u64::from(*symbol),
                self.bits_per_symbol(),
            ));
        }
        bits.into()
    }

    fn decode(&self, bits: &BitString) -> Option<TapeConfiguration> {
        if bits.len() != self.bits_per_configuration() as usize {
            return None;
        }
        let (state, rest) = bits.as_slice().split_at(self.state_bits() as usize);
        let (head, rest) = rest.split_at(self.head_bits() as usize);
        let state = StateId::try_from(bits::number_from_bits(state)).ok()?;
        let head = usize::try_from(bits::number_from_bits(head)).ok()?;
        (usize::from(state) < self.states.len() && head < self.cells).then_some(())?;
        let symbol = |code: &[bool]| {
            let symbol = SymbolId::try_from(bits::number_from_bits(code)).ok()?;
            (usize::from(symbol) < self.symbols.len()).then_some(symbol)
        };
        let tape = match self.bits_per_symbol() {
            0 => vec![0; self.cells],
            width => {
                let codes = rest.chunks_exact(width as usize);
                codes.map(symbol).collect::<Option<_>>()?
            }
        };
        Some(TapeConfiguration { state, head, tape })
    }

    fn transition(&self, state: StateId, symbol: SymbolId) -> TapeMachineTransition {
        if self.halts(state) {
            return TapeMachineTransition::Halt;
        }
        if self.asking.as_ref().is_some_and(|ask| ask.state == state) {
            return TapeMachineTransition::Ask;
        }
        let index = usize::from(state) * self.symbols.len() + usize::from(symbol);
        let action = self.actions.get(index).copied().flatten();
        TapeMachineTransition::Act(action.unwrap_or(TapeAction {
            to: self.reject,
            write: symbol,
            shift: HeadMove::Stay,
        }))
    }
}

/// Number of tape cells that are shown on each side of the head.
const AROUND: usize = 16;

/// Maximum number of rules listed.
const MAX_RULES: usize = 64;

/// Maximum number of input symbols that a sentence shows.
const SHOWN: usize = 40;

pub(super) fn shorten_machine_input(input: &str) -> String {
    if input.is_empty() {
        return "the empty input".to_owned();
    }
    let mut signs = input.chars();
    let first_symbols: String = signs.by_ref().take(SHOWN).collect();
    match signs.count() {
        0 => first_symbols,
        more => format!("{first_symbols}… (and {more} more symbols)"),
    }
}
