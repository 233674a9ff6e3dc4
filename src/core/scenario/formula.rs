//! Quantified Boolean formulas as games. From the outermost block inwards, the prover (for ∃) or the opponent (for ∀)
//! chooses the values of the block's variables. Then the value of the matrix, the quantifier-free part, decides who
//! wins.
//!
//! Entry points: [`read_qdimacs`] reads a [`Formula`] from bytes; [`Formula::solve_position`] returns the winner from a
//! position, and winning values; [`Formula::matrix_as_circuit`] is the matrix as a circuit.

mod matrix;
mod qdimacs;
mod solver;
mod text;

use crate::scenario::ClaimKey;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use super::netlist::Netlist;
use crate::bits::BitString;
use crate::number::to_u32_saturating;
use crate::text::is_unsafe_character;

pub use qdimacs::{MAX_LITERALS, read_qdimacs};
pub use text::UnsatisfiedClauseTexts;

/// Maximum number of variables of a formula, and the largest allowed number of a variable.
pub const MAX_VARIABLES: u32 = 1 << 20;

/// Maximum number of characters of a variable's name.
pub const MAX_NAME: usize = 24;

/// The quantifier of a block, which determines the player who chooses the values of the block's variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// ∃: the prover, who claims that the formula is true, chooses the values.
    Exists,
    /// ∀: the opponent, who claims that the formula is false, chooses the values.
    ForAll,
}

impl Quantifier {
    /// Returns the other quantifier.
    #[must_use]
    pub fn other_quantifier(self) -> Self {
        match self {
            Self::Exists => Self::ForAll,
            Self::ForAll => Self::Exists,
        }
    }

    /// True if the player who chooses for this quantifier wins when the matrix has this value.
    pub fn choosing_player_wins(self, matrix_holds: bool) -> bool {
        matrix_holds == (self == Self::Exists)
    }

    /// Returns ∃ or ∀.
    pub fn quantifier_symbol(self) -> char {
        match self {
            Self::Exists => '∃',
            Self::ForAll => '∀',
        }
    }

    /// Returns the first letter of the names of this quantifier's variables: `x` for ∃, `y` for ∀.
    pub fn variable_letter(self) -> char {
        match self {
            Self::Exists => 'x',
            Self::ForAll => 'y',
        }
    }
}

/// A block of variables with one quantifier. One player chooses all their values in one move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantifierBlock {
    pub quantifier: Quantifier,
    /// The numbers of the block's variables, from 1, as in files.
    pub variables: Vec<u32>,
}

/// The matrix: the part of a formula without quantifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormulaMatrix {
    /// A conjunction of clauses. A literal is the number of a variable, with a minus sign if it is negated. An empty
    /// clause is false.
    Clauses(Vec<Vec<i32>>),
    /// The output (the last gate) of a circuit. The circuit's inputs are the variables in the order of the blocks, then
    /// bits with given values.
    Circuit {
        /// The circuit.
        netlist: Arc<Netlist>,
        /// The values of the inputs that are not variables, such as the input x of a debate's verifier (DQC Lemma 8).
        given: BitString,
    },
}

/// A solved position of the game on a formula: its winner, and winning values of the next block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolvedFormulaPosition {
    /// True if the rest of the formula, with the chosen values, is true.
    pub holds: bool,
    /// Values of the next block with which the player who chooses them wins; all 0 if that player cannot win. Empty if
    /// there is no next block.
    pub values: BitString,
}

/// A quantified Boolean formula: blocks of quantified variables, outermost first, and a matrix over them.
#[derive(Debug)]
pub struct Formula {
    blocks: Vec<QuantifierBlock>,
    matrix: FormulaMatrix,
    /// For each variable number, the variable's position in the order of the blocks; `u32::MAX` if it is in no block.
    positions: Vec<u32>,
    /// Names that the scenario gives to variables.
    names: HashMap<u32, String>,
    /// Inconsistencies of the formula's file, one sentence each without a full stop.
    notes: Vec<String>,
    circuit: OnceLock<Arc<Netlist>>,
    outcome: OnceLock<Option<bool>>,
    remembered: Mutex<HashMap<BitString, Option<SolvedFormulaPosition>>>,
}

impl Formula {
    /// Builds a formula. Blocks without variables are left out, and neighbouring blocks with the same quantifier are
    /// merged. Clause variables that are in no block are added to an outermost block of ∃.
    ///
    /// # Errors
    /// Returns a sentence if a variable is in two blocks or is not a number from 1 to [`MAX_VARIABLES`], if a literal
    /// is 0, or if a circuit does not fit. A circuit's inputs must be the variables and given bits, and its last gate
    /// must be its only output.
    pub fn new(blocks: Vec<QuantifierBlock>, matrix: FormulaMatrix) -> Result<Self, String> {
        let mut formula = Self {
            blocks: Vec::new(),
            matrix,
            positions: Vec::new(),
            names: HashMap::new(),
            notes: Vec::new(),
            circuit: OnceLock::new(),
            outcome: OnceLock::new(),
            remembered: Mutex::default(),
        };
        for block in &blocks {
            for variable in &block.variables {
                formula.add_variable(*variable)?;
            }
        }
        let outermost = QuantifierBlock {
            quantifier: Quantifier::Exists,
            variables: formula.unquantified_variables()?,
        };
        for block in std::iter::once(outermost).chain(blocks) {
            formula.push_block(block);
        }
        let variables = formula.blocks.iter().flat_map(|block| &block.variables);
        for (position, variable) in (0..).zip(variables) {
            formula.positions[*variable as usize] = position;
        }
        formula.check_circuit()?;
        Ok(formula)
    }

    /// Returns inconsistencies between the header, the blocks and the clauses of the file, one sentence each without a
    /// full stop.
    pub fn inconsistencies_within_file(&self) -> &[String] {
        &self.notes
    }

    /// Returns the claim that the formula is true, given the values chosen for the blocks before block number
    /// `first_block`. After the last block, it is the claim that the matrix is true.
    pub fn claim_of_remaining_quantifier_blocks(&self, first_block: usize) -> ClaimKey {
        ClaimKey::key_of_claim_number(first_block as u64)
    }

    /// Gives names to some of the formula's variables.
    ///
    /// # Errors
    /// Returns a sentence if a variable does not occur or is named twice. Also returns one if a name is empty, longer
    /// than [`MAX_NAME`] characters or used for two variables, has spaces at its ends, or has a character that cannot
    /// be shown.
    pub fn with_names(
        mut self,
        names: impl IntoIterator<Item = (u32, String)>,
    ) -> Result<Self, String> {
        let mut seen = HashMap::new();
        for (variable, name) in names {
            if self.position(variable).is_none() {
                return Err(format!(
                    "the variable {variable} has a name, but does not occur in the formula"
                ));
            }
            let length = name.chars().count();
            if name.trim() != name || !(1..=MAX_NAME).contains(&length) {
                return Err(format!(
                    "the name of variable {variable} must have 1 to {MAX_NAME} characters, without \
                     spaces at its ends"
                ));
            }
            if name.chars().any(is_unsafe_character) {
                return Err(format!(
                    "the name of variable {variable} has a character that cannot be shown"
                ));
            }
            if let Some(other) = seen.insert(name.clone(), variable) {
                return Err(format!(
                    "variables {other} and {variable} are both named “{name}”; use two names"
                ));
            }
            if self.names.insert(variable, name).is_some() {
                return Err(format!(
                    "variable {variable} is named twice; remove one name"
                ));
            }
        }
        Ok(self)
    }

    /// Records that a variable is in a block.
    fn add_variable(&mut self, variable: u32) -> Result<(), String> {
        if variable == 0 || variable > MAX_VARIABLES {
            return Err(format!(
                "the number {variable} is not a variable; use numbers from 1 to {MAX_VARIABLES}"
            ));
        }
        let index = variable as usize;
        if self.positions.len() <= index {
            self.positions.resize(index + 1, u32::MAX);
        }
        if self.positions[index] != u32::MAX {
            return Err(format!(
                "variable {variable} is quantified twice; remove one of its quantifiers"
            ));
        }
        self.positions[index] = 0;
        Ok(())
    }

    /// Records the variables of clauses that are in no block, as [`Self::add_variable`] does, and returns them in
    /// increasing order.
    fn unquantified_variables(&mut self) -> Result<Vec<u32>, String> {
        let FormulaMatrix::Clauses(clauses) = &self.matrix else {
            return Ok(Vec::new());
        };
        let mut used: Vec<u32> = clauses.iter().flatten().map(|l| l.unsigned_abs()).collect();
        used.sort_unstable();
        used.dedup();
        used.retain(|variable| self.positions.get(*variable as usize) != Some(&0));
        for variable in &used {
            self.add_variable(*variable)?;
        }
        Ok(used)
    }

    fn push_block(&mut self, block: QuantifierBlock) {
        if block.variables.is_empty() {
            return;
        }
        match self.blocks.last_mut() {
            Some(last) if last.quantifier == block.quantifier => {
                last.variables.extend(block.variables);
            }
            _ => self.blocks.push(block),
        }
    }

    fn check_circuit(&self) -> Result<(), String> {
        let FormulaMatrix::Circuit { netlist, given } = &self.matrix else {
            return Ok(());
        };
        let wanted = self.variable_count() as usize + given.len();
        if netlist.input_count() as usize != wanted {
            return Err(format!(
                "the circuit has {inputs} inputs, but the formula has {total} variables and given bits",
                total = wanted,
                inputs = netlist.input_count()
            ));
        }
        let last = (netlist.input_count() + netlist.gate_count()).saturating_sub(1);
        if netlist.gate_count() == 0 || *netlist.outputs() != [last] {
            return Err("the circuit's only output must be its last gate".to_owned());
        }
        Ok(())
    }

    /// Returns the blocks, outermost first. Neighbouring blocks have different quantifiers, and no block is empty.
    pub fn blocks(&self) -> &[QuantifierBlock] {
        &self.blocks
    }

    pub fn matrix(&self) -> &FormulaMatrix {
        &self.matrix
    }

    /// Returns the number of variables.
    pub fn variable_count(&self) -> u32 {
        to_u32_saturating(
            self.blocks
                .iter()
                .map(|block| block.variables.len())
                .sum::<usize>(),
        )
    }

    /// Returns the position of a variable, from 0, in the order of the blocks; `None` if it is in no block.
    fn position(&self, variable: u32) -> Option<u32> {
        let position = self.positions.get(variable as usize)?;
        (*position != u32::MAX).then_some(*position)
    }

    /// Returns the values of the matrix inputs that are not variables.
    pub fn nonvariable_input_bits(&self) -> &[bool] {
        match &self.matrix {
            FormulaMatrix::Clauses(_) => &[],
            FormulaMatrix::Circuit { given, .. } => given.as_slice(),
        }
    }

    /// True if the formula is true; `None` if the effort limit is reached first. The result is computed only once.
    pub fn is_formula_true(&self) -> Option<bool> {
        let holds = || self.solve_position(&[]).map(|position| position.holds);
        *self.outcome.get_or_init(holds)
    }

    /// Returns the next block and its number, if the first `assigned_variables` variables (whole blocks, in order) have
    /// values.
    pub fn next_block(&self, assigned_variables: usize) -> Option<(usize, &QuantifierBlock)> {
        let mut before = 0;
        for (number, block) in self.blocks.iter().enumerate() {
            if before == assigned_variables {
                return Some((number, block));
            }
            before += block.variables.len();
        }
        None
    }
}
