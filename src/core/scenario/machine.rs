//! Turing machines: whether one accepts an input within so many steps.
//!
//! A machine has one tape of so many cells, one head that starts at cell 0, and rules (state,
//! symbol) → (state, symbol, shift). Symbols are single characters, the blank is `_`. In the
//! accepting and in the rejecting state it halts, which is to step to itself. Where no rule says
//! what to do it goes to the rejecting state. The head stays where it is when it should go left of
//! cell 0; when it should go right of the last cell the machine is out of tape and rejects.
//!
//! A machine may have an oracle state. In it no rule is read: what stands on the tape, from its
//! first to its last symbol that is not blank, is put to the oracle, and the next state is one or
//! another as the oracle says yes or no; the tape and the head stay. A query that the problem does
//! not list is answered no.
//!
//! Where to start: a [`MachineSpec`] is what a scenario states, [`Machine::build`] checks it. The
//! problem offers a [`Run`] over configurations (DE §3) and, where its table is not too large, a
//! [`Computation`]: the tableau of Cook and Levin, one bit of a cell a step.

mod build;
mod run;
mod table;
mod tableau;

use std::sync::{Arc, OnceLock};

use self::run::TuringRun;
use self::table::{TransitionTable, shortened};
use self::tableau::Tableau;
use super::belief::Belief;
use super::decomposition::{Annotations, ComputationProblem, Decomposition, World};
use super::key::{ClaimKey, Key};
use super::{Computation, Run};
use crate::number::{Exact, Known};
use crate::text::counted;

pub use self::table::{Answer, BLANK};
pub use self::tableau::MAX_TABLEAU;
pub use super::run::Shift;

/// The most states that a machine may have.
pub const MAX_STATES: usize = 4096;
/// The most symbols, the blank among them.
pub const MAX_SYMBOLS: usize = 256;
/// The most cells that a tape may have.
pub const MAX_CELLS: u64 = 100_000;
/// The most steps that a machine may be run for.
pub const MAX_STEPS: u64 = 10_000_000;
/// The most inputs that one scenario may ask about.
pub const MAX_INPUTS: usize = 1000;
/// The machine itself, as a scenario states it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turing {
    /// The states, where they are listed: then no rule may name another.
    pub states: Option<Vec<String>>,
    /// The state it starts in.
    pub start: String,
    /// The accepting state.
    pub accept: String,
    /// The rejecting state.
    pub reject: String,
    /// The rules.
    pub rules: Vec<RuleSpec>,
}

/// One rule: in this state, on this symbol, write that one, move, and go to that state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSpec {
    /// The state it is for.
    pub state: String,
    /// The symbol it reads.
    pub read: String,
    /// The state it leads to.
    pub to: String,
    /// The symbol it writes.
    pub write: String,
    /// The move of the head.
    pub shift: Shift,
}

/// A state in which the oracle is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OracleState {
    /// The state.
    pub state: String,
    /// The next state where the oracle says yes.
    pub yes: String,
    /// The next state where the oracle says no.
    pub no: String,
    /// The oracle's answers, query by query; no to every other.
    pub answers: Vec<(String, Answer)>,
}

/// A machine problem as a scenario states it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MachineSpec {
    /// The machine.
    pub turing: Turing,
    /// The inputs, each an instance of μ, each as likely.
    pub inputs: Vec<String>,
    /// T: for how many steps it is run.
    pub steps: u64,
    /// The number of cells the tape has; as many as can be reached where it is not said.
    pub cells: Option<u64>,
    /// Its oracle state, if it has one.
    pub oracle_state: Option<OracleState>,
}

/// A checked machine problem.
#[derive(Debug)]
pub struct Machine {
    table: Arc<TransitionTable>,
    worlds: Vec<World>,
    runs: Vec<Arc<TuringRun>>,
    tableaux: Vec<OnceLock<Option<Arc<Tableau>>>>,
}

impl Machine {
    fn tableau(&self, world: usize) -> Option<&Arc<Tableau>> {
        let made = self.tableaux.get(world)?;
        let run = self.runs.get(world)?;
        made.get_or_init(|| Tableau::new(run).map(Arc::new))
            .as_ref()
    }

    fn root_text(&self, world: usize) -> String {
        let input = self.runs.get(world).map_or("", |run| run.input());
        let steps = self.table.steps;
        let steps = counted(steps, "step", "steps");
        format!("the machine accepts {} within {steps}", shortened(input))
    }
}

impl Decomposition for Machine {
    fn worlds(&self) -> &[World] {
        &self.worlds
    }

    fn root(&self, _world: usize) -> ClaimKey {
        ClaimKey(Key::At(0))
    }

    fn truth(&self, key: &ClaimKey, world: usize) -> Option<bool> {
        let run = self.runs.get(world)?;
        match &key.0 {
            Key::At(_) => Some(run.holds()),
            Key::Word(word) => Some(self.table.says(word)),
            Key::Step(step) => self.tableau(world)?.truth(*step),
            // What a prover says is true or false only once it is said.
            _ => None,
        }
    }

    fn text(&self, key: &ClaimKey, world: usize) -> String {
        match &key.0 {
            Key::Word(word) => self.table.query_text(word),
            Key::Times(from, to) if from + 1 == *to => {
                format!("step {to} goes as claimed")
            }
            Key::Times(from, to) => format!("steps {} to {to} go as claimed", from + 1),
            Key::Step(step) => self.tableau(world).map_or_else(String::new, |tableau| {
                format!("{} is 1", tableau.step_text(*step))
            }),
            _ => self.root_text(world),
        }
    }

    fn short_text(&self, key: &ClaimKey, world: usize) -> String {
        match &key.0 {
            Key::At(_) => "the machine accepts".to_owned(),
            Key::Times(from, to) if from + 1 == *to => format!("step {to}"),
            Key::Times(from, to) => format!("steps {} to {to}", from + 1),
            _ => self.text(key, world),
        }
    }

    fn evidence(&self, key: &ClaimKey, world: usize) -> Option<String> {
        match &key.0 {
            Key::At(_) => {
                let run = self.runs.get(world)?;
                Some(self.table.in_words(&shortened(run.input())))
            }
            Key::Word(word) => self.table.answer(word)?.evidence.clone(),
            _ => None,
        }
    }

    fn has_claims(&self) -> bool {
        false
    }

    fn belief(&self, _world: usize) -> Belief {
        let worlds = 0..self.worlds.len();
        Belief::Worlds(worlds.map(|world| (world, Known::from(true))).collect())
    }

    fn as_annotated(&self) -> Option<&dyn Annotations> {
        Some(self)
    }

    fn as_computation(&self) -> Option<&dyn ComputationProblem> {
        Some(self)
    }
}

impl Annotations for Machine {
    fn judged_true(&self, key: &ClaimKey) -> Option<Exact> {
        match &key.0 {
            Key::Word(word) => self.table.answer(word)?.judged_true.clone(),
            _ => None,
        }
    }
}

impl ComputationProblem for Machine {
    fn computation(&self, world: usize) -> Option<Arc<dyn Computation>> {
        let tableau: Arc<Tableau> = self.tableau(world)?.clone();
        Some(tableau)
    }

    fn run(&self, world: usize) -> Option<Arc<dyn Run>> {
        let run: Arc<TuringRun> = self.runs.get(world)?.clone();
        Some(run)
    }
}

#[cfg(test)]
mod tests;
