//! A quantified Boolean formula as a problem: is it true?
//!
//! There is one world, and no tree of claims under gates. Claim number i says that the formula from block i inwards is
//! true; the last of these claims is about the matrix. The other claims are about the bits that the steps of the matrix
//! write.

use std::sync::Arc;

use super::Computation;
use super::decomposition::{ComputationProblem, Decomposition, DecompositionSize, PossibleWorld};
use super::formula::Formula;
use super::key::{ClaimKey, ClaimKeyContent};
use crate::number::to_u32_saturating;

/// Maximum number of clauses of a formula that are shown in words.
const SHOWN: usize = 60;

/// The problem that asks if a quantified Boolean formula is true.
#[derive(Debug)]
pub struct QbfProblem {
    formula: Arc<Formula>,
    worlds: [PossibleWorld; 1],
}

impl QbfProblem {
    /// Creates the problem that asks if this formula is true.
    pub fn new(formula: Formula) -> Self {
        Self {
            formula: Arc::new(formula),
            worlds: [PossibleWorld::new("formula")],
        }
    }

    /// Returns the number of the block with which the claim's formula begins; `None` for claims about the matrix and
    /// its steps.
    fn block(&self, key: &ClaimKey) -> Option<usize> {
        let ClaimKeyContent::At(number) = &key.0 else {
            return None;
        };
        let number = usize::try_from(*number).ok()?;
        (number < self.formula.blocks().len()).then_some(number)
    }
}

impl Decomposition for QbfProblem {
    fn worlds(&self) -> &[PossibleWorld] {
        &self.worlds
    }

    fn root(&self, _world: usize) -> ClaimKey {
        self.formula.claim_of_remaining_quantifier_blocks(0)
    }

    /// Returns a truth only for the whole formula, because the truth of the inner blocks depends on the values chosen
    /// before.
    fn truth(&self, key: &ClaimKey, _world: usize) -> Option<bool> {
        match &key.0 {
            ClaimKeyContent::At(0) => self.formula.is_formula_true(),
            _ => None,
        }
    }

    fn is_decidable(&self, _world: usize) -> bool {
        self.formula.is_formula_true().is_some()
    }

    fn size(&self, _world: usize) -> DecompositionSize {
        let blocks = self.formula.blocks().len();
        DecompositionSize {
            depth: to_u32_saturating(blocks),
            width: u32::from(blocks > 0),
            claims: (blocks + 1).into(),
            leaves: 1_u32.into(),
        }
    }

    fn text(&self, key: &ClaimKey, _world: usize) -> String {
        match (&key.0, self.block(key)) {
            (ClaimKeyContent::Step(step), _) => {
                format!("{} is 1", self.formula.quantifier_free_gate_text(*step))
            }
            (_, Some(block)) => format!(
                "{}: {}",
                self.formula.quantifier_blocks_text_from(block),
                self.formula.what_matrix_requires_in_words()
            ),
            _ => self.formula.what_matrix_requires_in_words(),
        }
    }

    fn short_text(&self, key: &ClaimKey, _world: usize) -> String {
        match (&key.0, self.block(key)) {
            (ClaimKeyContent::Step(step), _) => self.formula.quantifier_free_gate_text(*step),
            (_, Some(block)) => self.formula.quantifier_block_text(block),
            _ => self.formula.what_matrix_requires_in_words(),
        }
    }

    fn evidence(&self, _key: &ClaimKey, _world: usize) -> Option<String> {
        self.formula.first_clauses_text(SHOWN)
    }

    fn can_split_root(&self) -> bool {
        false
    }

    fn as_computation(&self) -> Option<&dyn ComputationProblem> {
        Some(self)
    }
}

impl ComputationProblem for QbfProblem {
    fn computation(&self, _world: usize) -> Option<Arc<dyn Computation>> {
        self.formula.existential_formula_as_computation()
    }

    fn formula(&self, _world: usize) -> Option<Arc<Formula>> {
        Some(self.formula.clone())
    }
}
