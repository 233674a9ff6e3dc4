//! Machines with one tape: what a configuration is made of, and what the rules do with it.

use std::fmt::Debug;

use crate::bits::Bits;

/// A state's number.
pub type StateId = u16;
/// A symbol's number; the blank is 0.
pub type SymbolId = u8;

/// The move of the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shift {
    /// One cell to the left; it stays at cell 0.
    Left,
    /// One cell to the right; at the last cell the machine is out of tape and rejects.
    Right,
    /// Nowhere.
    Stay,
}

/// The action of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TapeAction {
    pub to: StateId,
    pub write: SymbolId,
    pub shift: Shift,
}

/// The transition from a state on a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    /// To itself.
    Halt,
    /// As the oracle says.
    Ask,
    /// A rule; where there is none, to the rejecting state.
    Act(TapeAction),
}

/// A configuration of a machine with one tape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TapeConfiguration {
    pub state: StateId,
    /// The cell that the head is at, from 0.
    pub head: usize,
    /// The symbol of each cell.
    pub tape: Vec<SymbolId>,
}

/// A machine whose configurations are a tape, a head and a state.
pub trait TapeMachine: Debug + Send + Sync {
    /// The names of the states, by number.
    fn states(&self) -> &[String];
    /// The symbols, by number.
    fn symbols(&self) -> &[char];
    /// The configuration that bits are; `None` where they are none.
    fn decode(&self, configuration: &Bits) -> Option<TapeConfiguration>;
    /// A configuration as bits.
    fn encode(&self, configuration: &TapeConfiguration) -> Bits;
    /// The rule of a state for a symbol.
    fn transition(&self, state: StateId, symbol: SymbolId) -> Transition;
}
