//! Problems as runs of a deterministic machine, whose configurations are debated, and configurations of a machine with
//! one tape.

use std::fmt::Debug;

use super::ClaimKey;
use super::key::Key;
use crate::bits::Bits;

/// The successor of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Successor {
    /// This configuration. A machine that has halted steps to itself.
    To(Bits),
    /// One of two configurations, by the oracle's answer.
    Oracle {
        /// The claim that the oracle is asked about.
        claim: ClaimKey,
        yes: Bits,
        no: Bits,
    },
}

/// A deterministic machine M on an input, run for T steps (DE §3). Configurations are bit strings
/// of one length.
pub trait Run: Debug + Send + Sync {
    /// T, at least 1.
    fn steps(&self) -> u64;
    /// The number of bits a configuration has.
    fn length(&self) -> u32;
    /// The configuration before the first step.
    fn start(&self) -> Bits;
    /// True if bits of this length are a configuration at all.
    fn is_well_formed(&self, configuration: &Bits) -> bool;
    /// True if a well-formed configuration accepts.
    fn accepts(&self, configuration: &Bits) -> bool;
    /// The successor of a well-formed configuration.
    fn next(&self, configuration: &Bits) -> Successor;
    /// True if a step may ask the oracle.
    fn asks(&self) -> bool {
        true
    }
    /// The oracle's true answer to a claim; `None` where that cannot be known.
    fn answer(&self, claim: &ClaimKey) -> Option<bool>;
    /// The true configuration after so many steps; the last where there are fewer. `None` where an
    /// oracle's answer cannot be known.
    fn at(&self, time: u64) -> Option<Bits>;
    /// An accepting configuration like a well-formed one: what a liar says comes after it.
    fn accepting(&self, like: &Bits) -> Bits;
    /// A configuration in words and signs: `state q1 at cell 3: 0 1 [1] _`.
    fn text(&self, configuration: &Bits) -> String;
    /// A well-formed configuration in a word or two, where room is scarce: `q1`.
    fn short_text(&self, configuration: &Bits) -> String {
        self.text(configuration)
    }

    /// The machine with one tape, where configurations are a tape, a head and a state.
    fn tape(&self) -> Option<&dyn TapeMachine> {
        None
    }

    /// The claim that the machine goes from one time to another as the prover says.
    fn claim(&self, from: u64, to: u64) -> ClaimKey {
        ClaimKey(Key::Times(from, to))
    }

    /// The configuration that truly follows; `None` where the oracle's answer cannot be known.
    fn after(&self, configuration: &Bits) -> Option<Bits> {
        match self.next(configuration) {
            Successor::To(next) => Some(next),
            Successor::Oracle { claim, yes, no } => self
                .answer(&claim)
                .map(|holds| if holds { yes } else { no }),
        }
    }

    /// The configuration that truly comes so many steps after bits of a configuration's length;
    /// `None` where they are no configuration, or an oracle's answer cannot be known.
    fn follow(&self, from: &Bits, steps: u64) -> Option<Bits> {
        if !self.is_well_formed(from) {
            return None;
        }
        let mut at = from.clone();
        for _ in 0..steps {
            let next = self.after(&at)?;
            if next == at {
                break;
            }
            at = next;
        }
        Some(at)
    }
}

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
