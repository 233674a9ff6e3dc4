//! A machine on one input: its configurations one after the other.

use crate::scenario::key::Key;
use std::sync::{Arc, OnceLock};

use super::table::{StepOutcome, TransitionTable};
use crate::bits::Bits;
use crate::scenario::run::{SymbolId, TapeConfiguration, TapeMachine};
use crate::scenario::{ClaimKey, Run, Successor};

/// The most symbols that the marks of a run keep all together.
const MARKED: u64 = 1 << 24;

/// A machine on one input.
#[derive(Debug)]
pub(super) struct TuringRun {
    pub(super) table: Arc<TransitionTable>,
    text: String,
    symbols: Vec<SymbolId>,
    history: OnceLock<History>,
}

/// Every so many steps the true configuration, up to the step in which the machine halts.
#[derive(Debug)]
struct History {
    every: u64,
    marks: Vec<TapeConfiguration>,
    accepts: bool,
}

impl TuringRun {
    /// A machine on an input, which fits on its tape.
    pub(super) fn new(table: &Arc<TransitionTable>, text: String, symbols: Vec<SymbolId>) -> Self {
        Self {
            table: table.clone(),
            text,
            symbols,
            history: OnceLock::new(),
        }
    }

    /// The input as it is written.
    pub(super) fn input(&self) -> &str {
        &self.text
    }

    pub(super) fn first(&self) -> TapeConfiguration {
        self.table.first(&self.symbols)
    }

    /// True if the machine accepts in time.
    pub(super) fn holds(&self) -> bool {
        self.history().accepts
    }

    /// The machine is run once; what lies between two marks is run again where it is asked for.
    fn history(&self) -> &History {
        self.history.get_or_init(|| {
            let (steps, cells) = (self.table.steps, self.table.cells as u64);
            let most = (MARKED / cells.max(1)).max(1);
            let every = (steps.isqrt() + 1).max(steps / most + 1);
            let mut at = self.first();
            let mut marks = vec![at.clone()];
            let mut time = 0;
            while time < steps {
                let some = every.min(steps - time);
                self.table.go(&mut at, some);
                time += some;
                marks.push(at.clone());
                if self.table.halts(at.state) {
                    break;
                }
            }
            History {
                every,
                accepts: marks.last().is_some_and(|at| at.state == self.table.accept),
                marks,
            }
        })
    }

    /// The true configuration after so many steps.
    pub(super) fn configuration(&self, time: u64) -> TapeConfiguration {
        let history = self.history();
        let time = time.min(self.table.steps);
        let last = history.marks.len().saturating_sub(1);
        let mark = usize::try_from(time / history.every).map_or(last, |mark| mark.min(last));
        let mut at = history
            .marks
            .get(mark)
            .cloned()
            .unwrap_or_else(|| self.first());
        self.table
            .go(&mut at, time.saturating_sub(mark as u64 * history.every));
        at
    }
}

impl Run for TuringRun {
    fn steps(&self) -> u64 {
        self.table.steps
    }

    fn length(&self) -> u32 {
        self.table.length()
    }

    fn start(&self) -> Bits {
        self.table.encode(&self.first())
    }

    fn is_well_formed(&self, configuration: &Bits) -> bool {
        self.table.decode(configuration).is_some()
    }

    fn accepts(&self, configuration: &Bits) -> bool {
        let decoded = self.table.decode(configuration);
        decoded.is_some_and(|at| at.state == self.table.accept)
    }

    fn next(&self, configuration: &Bits) -> Successor {
        let Some(mut at) = self.table.decode(configuration) else {
            return Successor::To(configuration.clone());
        };
        match self.table.step(&mut at) {
            StepOutcome::Halted => Successor::To(configuration.clone()),
            StepOutcome::Moved => Successor::To(self.table.encode(&at)),
            StepOutcome::Asks => {
                let claim = ClaimKey(Key::Word(self.table.query(&at.tape)));
                let mut after = |holds| {
                    at.state = self.table.answered(holds);
                    self.table.encode(&at)
                };
                Successor::Oracle {
                    claim,
                    yes: after(true),
                    no: after(false),
                }
            }
        }
    }

    fn answer(&self, claim: &ClaimKey) -> Option<bool> {
        match &claim.0 {
            Key::Word(word) => Some(self.table.says(word)),
            _ => None,
        }
    }

    fn at(&self, time: u64) -> Option<Bits> {
        Some(self.table.encode(&self.configuration(time)))
    }

    fn asks(&self) -> bool {
        self.table.asking.is_some()
    }

    fn accepting(&self, like: &Bits) -> Bits {
        let mut at = self.table.decode(like).unwrap_or_else(|| self.first());
        at.state = self.table.accept;
        self.table.encode(&at)
    }

    fn text(&self, configuration: &Bits) -> String {
        match self.table.decode(configuration) {
            Some(at) => self.table.show(&at),
            None => "bits that are no configuration".to_owned(),
        }
    }

    fn short_text(&self, configuration: &Bits) -> String {
        match self.table.decode(configuration) {
            Some(at) => self.table.state_name(at.state).to_owned(),
            None => self.text(configuration),
        }
    }

    fn tape(&self) -> Option<&dyn TapeMachine> {
        Some(&*self.table)
    }

    fn follow(&self, from: &Bits, steps: u64) -> Option<Bits> {
        let mut at = self.table.decode(from)?;
        self.table.go(&mut at, steps);
        Some(self.table.encode(&at))
    }
}
