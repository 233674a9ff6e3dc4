//! Turing machines: does a machine accept an input within a number of steps?
//!
//! A machine has one tape with a fixed number of cells, one head that starts at cell 0, and rules (state, symbol) →
//! (state, symbol, shift). Symbols are single characters, the blank is `_`. In the accepting and in the rejecting state
//! it halts: its next configuration is the same. Without a matching rule it goes to the rejecting state. The head does
//! not move when a rule moves it left of cell 0. When a rule moves it right of the last cell, the machine is out of
//! tape and rejects.
//!
//! A machine may have an oracle state, in which no rule applies. The machine sends the content of the tape, from its
//! first to its last symbol that is not blank, to the oracle. The next state depends on the oracle's answer; the tape
//! and the head stay. A query that the problem does not list is answered no.
//!
//! Entry points: a [`MachineProblemSpec`] is the specification in a scenario, and [`MachineProblem::build`] checks it.
//! The problem offers a [`MachineRun`] over configurations (DE §3) and, if its table is not too large, a
//! [`Computation`]: the tableau of Cook and Levin, one bit of a cell per step.

mod build;
mod table;
mod tableau;

use std::sync::{Arc, OnceLock};

use serde::Deserialize;

use self::table::{CheckedMachine, MachineStepOutcome, shorten_machine_input};
use self::tableau::MachineTableau;
use super::belief::TruthDistributionBelief;
use super::computation::{SymbolId, TapeConfiguration, TapeMachine};
use super::decomposition::{ClaimDetailsInFile, ComputationProblem, Decomposition, PossibleWorld};
use super::key::{ClaimKey, ClaimKeyContent};
use super::written::entries;
use super::{Computation, MachineRun, SuccessorOrOracleQuery};
use crate::bits::BitString;
use crate::number::{Exact, index_saturating};
use crate::text::count_with_noun;

pub use self::table::{BLANK, OracleAnswer};
pub use self::tableau::MAX_TABLEAU;
pub use super::computation::HeadMove;

/// Maximum number of states that a machine may have.
pub const MAX_STATES: usize = 4096;
/// Maximum number of symbols of a machine, including the blank.
pub const MAX_SYMBOLS: usize = 256;
/// Maximum number of cells that a tape may have.
pub const MAX_CELLS: u64 = 100_000;
/// Maximum number of steps for which a machine may run.
pub const MAX_STEPS: u64 = 10_000_000;
/// Maximum number of machine inputs in one scenario.
pub const MAX_INPUTS: usize = 1000;
/// A Turing machine in the form in which a scenario file writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename = "turing", deny_unknown_fields)]
pub struct TuringMachineSpec {
    /// The machine's states, if the file lists them. If it does, rules may name only listed states.
    pub states: Option<Vec<String>>,
    /// The state in which the machine starts.
    pub start: String,
    /// The accepting state.
    pub accept: String,
    /// The rejecting state.
    pub reject: String,
    /// The rules.
    pub rules: Vec<MachineRuleSpec>,
}

/// A rule of a Turing machine: it applies in one state at one symbol, and gives the new symbol, the move of the head
/// and the next state.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "WrittenRule")]
#[serde(rename = "RuleSpec")]
pub struct MachineRuleSpec {
    /// The state in which the rule applies.
    pub state: String,
    /// The symbol under the head for which the rule applies.
    pub read: String,
    /// The next state.
    pub to: String,
    /// The symbol that replaces the read symbol.
    pub write: String,
    /// The move of the head.
    pub shift: HeadMove,
}

/// A machine's rule as scenario files write it: `("start", "0", "start", "1", Right)`.
#[derive(Deserialize)]
#[serde(rename = "rule")]
struct WrittenRule(String, String, String, String, HeadMove);

impl From<WrittenRule> for MachineRuleSpec {
    fn from(WrittenRule(state, read, to, write, shift): WrittenRule) -> Self {
        Self {
            state,
            read,
            to,
            write,
            shift,
        }
    }
}

/// A state in which the machine queries the oracle.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename = "oracle_state", deny_unknown_fields)]
pub struct OracleQueryStateSpec {
    /// The state.
    pub state: String,
    /// The machine's next state if the oracle answers yes.
    pub yes: String,
    /// The machine's next state if the oracle answers no.
    pub no: String,
    /// The oracle's answers by query. The oracle answers no to all other queries.
    #[serde(default, deserialize_with = "entries")]
    pub answers: Vec<(String, OracleAnswer)>,
}

/// A problem about a machine in the form in which a scenario file writes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MachineProblemSpec {
    /// The machine.
    pub turing: TuringMachineSpec,
    /// The machine's inputs. Each input is one instance of μ, and all are equally likely.
    pub inputs: Vec<String>,
    /// T, the number of steps.
    pub steps: u64,
    /// The number of cells of the tape; by default `steps` + 1, or the length of the longest input if that is larger.
    pub cells: Option<u64>,
    /// The state in which the machine queries the oracle; `None` if it has none.
    pub oracle_state: Option<OracleQueryStateSpec>,
}

/// A checked machine problem.
#[derive(Debug)]
pub struct MachineProblem {
    table: Arc<CheckedMachine>,
    worlds: Vec<PossibleWorld>,
    runs: Vec<Arc<TuringRun>>,
    tableaux: Vec<OnceLock<Option<Arc<MachineTableau>>>>,
}

impl MachineProblem {
    fn tableau(&self, world: usize) -> Option<&Arc<MachineTableau>> {
        let made = self.tableaux.get(world)?;
        let run = self.runs.get(world)?;
        made.get_or_init(|| MachineTableau::new(run).map(Arc::new))
            .as_ref()
    }
}

impl Decomposition for MachineProblem {
    fn worlds(&self) -> &[PossibleWorld] {
        &self.worlds
    }

    fn root(&self, _world: usize) -> ClaimKey {
        ClaimKey(ClaimKeyContent::At(0))
    }

    fn truth(&self, key: &ClaimKey, world: usize) -> Option<bool> {
        let run = self.runs.get(world)?;
        match &key.0 {
            ClaimKeyContent::At(_) => Some(run.holds()),
            ClaimKeyContent::Word(word) => Some(self.table.oracle_answer(word)),
            ClaimKeyContent::Step(step) => self.tableau(world)?.true_bit_of_step(*step),
            // The truth of a claim about two times depends on the configurations that the prover states.
            _ => None,
        }
    }

    fn text(&self, key: &ClaimKey, world: usize) -> String {
        match &key.0 {
            ClaimKeyContent::Word(word) => self.table.query_text(word),
            ClaimKeyContent::Times(from, step) if from + 1 == *step => {
                format!("step {step} goes as claimed")
            }
            ClaimKeyContent::Times(from, to) => {
                format!("steps {from} to {to} go as claimed", from = from + 1)
            }
            ClaimKeyContent::Step(step) => {
                self.tableau(world).map_or_else(String::new, |tableau| {
                    format!("{} is 1", tableau.step_text(*step))
                })
            }
            _ => {
                let input = self.runs.get(world).map_or("", |run| run.input());
                let steps = count_with_noun(self.table.steps, "step", "steps");
                format!(
                    "the machine accepts {input} within {steps}",
                    input = shorten_machine_input(input)
                )
            }
        }
    }

    fn short_text(&self, key: &ClaimKey, world: usize) -> String {
        match &key.0 {
            ClaimKeyContent::At(_) => "the machine accepts".to_owned(),
            ClaimKeyContent::Times(from, to) if from + 1 == *to => format!("step {to}"),
            ClaimKeyContent::Times(from, to) => format!("steps {} to {to}", from + 1),
            _ => self.text(key, world),
        }
    }

    fn evidence(&self, key: &ClaimKey, world: usize) -> Option<String> {
        match &key.0 {
            ClaimKeyContent::At(_) => {
                let run = self.runs.get(world)?;
                Some(
                    self.table
                        .machine_description(&shorten_machine_input(run.input())),
                )
            }
            ClaimKeyContent::Word(word) => self.table.listed_answer(word)?.evidence.clone(),
            _ => None,
        }
    }

    fn can_split_root(&self) -> bool {
        false
    }

    fn belief(&self, _world: usize) -> TruthDistributionBelief {
        TruthDistributionBelief::belief_proportional_to_weights(&self.worlds)
    }

    fn as_annotated(&self) -> Option<&dyn ClaimDetailsInFile> {
        Some(self)
    }

    fn as_computation(&self) -> Option<&dyn ComputationProblem> {
        Some(self)
    }
}

impl ClaimDetailsInFile for MachineProblem {
    fn judged_true(&self, key: &ClaimKey) -> Option<Exact> {
        match &key.0 {
            ClaimKeyContent::Word(word) => self.table.listed_answer(word)?.judged_true.clone(),
            _ => None,
        }
    }

    fn judge_may_err(&self) -> bool {
        self.table.judge_may_err()
    }
}

impl ComputationProblem for MachineProblem {
    fn computation(&self, world: usize) -> Option<Arc<dyn Computation>> {
        let tableau: Arc<MachineTableau> = self.tableau(world)?.clone();
        Some(tableau)
    }

    fn run(&self, world: usize) -> Option<Arc<dyn MachineRun>> {
        let run: Arc<TuringRun> = self.runs.get(world)?.clone();
        Some(run)
    }
}

/// Maximum total number of symbols in the stored configurations of a run, apart from the first configuration.
const MAX_MARKED_SYMBOLS: u64 = 1 << 24;

/// A machine on one input.
#[derive(Debug)]
struct TuringRun {
    table: Arc<CheckedMachine>,
    text: String,
    symbols: Vec<SymbolId>,
    history: OnceLock<History>,
}

/// Stored configurations of a true run of a machine: the first one, and one after every `every` steps until the machine
/// halts or the run ends.
#[derive(Debug)]
struct History {
    every: u64,
    marks: Vec<TapeConfiguration>,
    accepts: bool,
}

impl TuringRun {
    /// Creates a machine on an input. The input must fit on the machine's tape.
    fn new(table: &Arc<CheckedMachine>, text: String, symbols: Vec<SymbolId>) -> Self {
        Self {
            table: table.clone(),
            text,
            symbols,
            history: OnceLock::new(),
        }
    }

    /// Returns the input as text.
    fn input(&self) -> &str {
        &self.text
    }

    fn first(&self) -> TapeConfiguration {
        self.table.start_configuration(&self.symbols)
    }

    /// True if the machine accepts within its number of steps.
    fn holds(&self) -> bool {
        self.history().accepts
    }

    /// Runs the machine at the first call and stores some configurations. A configuration between two stored ones is
    /// recomputed from the stored one before it.
    fn history(&self) -> &History {
        self.history.get_or_init(|| {
            let (steps, cells) = (self.table.steps, self.table.cells as u64);
            let most = (MAX_MARKED_SYMBOLS / cells.max(1)).max(1);
            let every = (steps.isqrt() + 1).max(steps / most + 1);
            let mut at = self.first();
            let mut marks = vec![at.clone()];
            let mut time = 0;
            while time < steps {
                let some = every.min(steps - time);
                self.table.run_steps(&mut at, some);
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

    /// Returns the machine's true configuration after `time` steps.
    fn configuration(&self, time: u64) -> TapeConfiguration {
        let history = self.history();
        let time = time.min(self.table.steps);
        let last = history.marks.len().saturating_sub(1);
        let mark = index_saturating(time / history.every).min(last);
        let mut at = history
            .marks
            .get(mark)
            .cloned()
            .unwrap_or_else(|| self.first());
        self.table
            .run_steps(&mut at, time.saturating_sub(mark as u64 * history.every));
        at
    }
}

impl MachineRun for TuringRun {
    fn steps(&self) -> u64 {
        self.table.steps
    }

    fn length(&self) -> u32 {
        self.table.bits_per_configuration()
    }

    fn start(&self) -> BitString {
        self.table.encode(&self.first())
    }

    fn is_well_formed(&self, configuration: &BitString) -> bool {
        self.table.decode(configuration).is_some()
    }

    fn accepts(&self, configuration: &BitString) -> bool {
        let decoded = self.table.decode(configuration);
        decoded.is_some_and(|at| at.state == self.table.accept)
    }

    fn next(&self, configuration: &BitString) -> SuccessorOrOracleQuery {
        let Some(mut at) = self.table.decode(configuration) else {
            return SuccessorOrOracleQuery::To(configuration.clone());
        };
        match self.table.step(&mut at) {
            MachineStepOutcome::Halted => SuccessorOrOracleQuery::To(configuration.clone()),
            MachineStepOutcome::Moved => SuccessorOrOracleQuery::To(self.table.encode(&at)),
            MachineStepOutcome::Asks => {
                let claim = ClaimKey::from_bits(self.table.oracle_query_on_tape(&at.tape));
                let mut after = |holds| {
                    at.state = self.table.state_after_oracle_answer(holds);
                    self.table.encode(&at)
                };
                let (yes, no) = (after(true), after(false));
                SuccessorOrOracleQuery::Oracle { claim, yes, no }
            }
        }
    }

    fn answer(&self, claim: &ClaimKey) -> Option<bool> {
        match &claim.0 {
            ClaimKeyContent::Word(word) => Some(self.table.oracle_answer(word)),
            _ => None,
        }
    }

    fn at(&self, time: u64) -> Option<BitString> {
        Some(self.table.encode(&self.configuration(time)))
    }

    fn asks(&self) -> bool {
        self.table.asking.is_some()
    }

    fn accepting_configuration(&self, like: &BitString) -> BitString {
        let mut at = self.table.decode(like).unwrap_or_else(|| self.first());
        at.state = self.table.accept;
        self.table.encode(&at)
    }

    fn text(&self, configuration: &BitString) -> String {
        match self.table.decode(configuration) {
            Some(at) => self.table.tape_configuration_text(&at),
            None => "bits that encode no configuration of the machine".to_owned(),
        }
    }

    fn short_text(&self, configuration: &BitString) -> String {
        match self.table.decode(configuration) {
            Some(at) => self.table.state_name(at.state).to_owned(),
            None => self.text(configuration),
        }
    }

    fn tape(&self) -> Option<&dyn TapeMachine> {
        Some(&*self.table)
    }

    fn follow(&self, from: &BitString, steps: u64) -> Option<BitString> {
        let mut at = self.table.decode(from)?;
        self.table.run_steps(&mut at, steps);
        Some(self.table.encode(&at))
    }
}
