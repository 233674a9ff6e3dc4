//! Formulas as text, in words or in symbols.

use super::{Formula, FormulaMatrix, QuantifierBlock};

/// The clauses of a formula that the values chosen so far do not satisfy, as text: undecided clauses (`next`, `later`),
/// without their false literals, and false clauses (`broken`), with all literals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnsatisfiedClauseTexts {
    /// Undecided clauses that contain a variable of the next block.
    pub next: Vec<String>,
    /// Undecided clauses whose remaining variables are all in blocks after the next one.
    pub later: Vec<String>,
    /// Clauses that are already false, each with all of its literals.
    pub broken: Vec<String>,
}

use std::ops::Range;

use crate::bits::BitString;

impl Formula {
    /// Returns the name of a variable of a block: the name that the scenario gives it, else for example `x3` in a block
    /// of ∃, or `y3` in a block of ∀.
    pub fn variable_name(&self, block: &QuantifierBlock, variable: u32) -> String {
        let named = self.names.get(&variable).cloned();
        named.unwrap_or_else(|| format!("{}{variable}", block.quantifier.variable_letter()))
    }

    /// Returns the name of the matrix input at this position in the order of the blocks: a variable, or a bit with a
    /// given value.
    pub fn variable_or_bit_name_at(&self, position: u32) -> String {
        let mut before = 0;
        for block in &self.blocks {
            let within = (position as usize).checked_sub(before);
            if let Some(variable) = within.and_then(|within| block.variables.get(within)) {
                return self.variable_name(block, *variable);
            }
            before += block.variables.len();
        }
        format!("given bit {}", (position as usize).saturating_sub(before))
    }

    /// Formats a block in symbols: "∃x1 x2". If it has many variables, shows only the first and the last.
    pub fn quantifier_block_text(&self, block_index: usize) -> String {
        const SHOWN: usize = 6;
        let Some(block) = self.blocks.get(block_index) else {
            return String::new();
        };
        let name = |variable: &u32| self.variable_name(block, *variable);
        let own = |variable: &u32| self.names.contains_key(variable);
        // Names from the scenario may contain spaces, so commas separate them.
        let named = block.variables.iter().any(own);
        let between = if named { ", " } else { " " };
        let count = block.variables.len();
        let names = match &block.variables[..] {
            [first, .., last] if count > SHOWN => {
                format!(
                    "{first_variable} … {last_variable} ({count} variables)",
                    first_variable = name(first),
                    last_variable = name(last)
                )
            }
            few => few.iter().map(name).collect::<Vec<_>>().join(between),
        };
        format!("{}{names}", block.quantifier.quantifier_symbol())
    }

    /// Formats the blocks from number `first_block` inwards in symbols: "∃x1 x2 ∀y3". If there are many blocks, shows
    /// only the first few.
    pub fn quantifier_blocks_text_from(&self, first_block: usize) -> String {
        const SHOWN: usize = 4;
        let shown = (first_block..self.blocks.len()).take(SHOWN);
        let mut texts: Vec<String> = shown
            .map(|number| self.quantifier_block_text(number))
            .collect();
        if self.blocks.len().saturating_sub(first_block) > SHOWN {
            texts.push("…".to_owned());
        }
        texts.join(" ")
    }

    /// Describes briefly what the matrix requires: "all 17 clauses hold".
    pub fn what_matrix_requires_in_words(&self) -> String {
        match &self.matrix {
            FormulaMatrix::Clauses(clauses) => match clauses.len() {
                0 => "all 0 clauses hold".to_owned(),
                1 => "the clause holds".to_owned(),
                count => format!("all {count} clauses hold"),
            },
            FormulaMatrix::Circuit { .. } => "the circuit says 1".to_owned(),
        }
    }

    /// Formats the values of a block's variables: "x1 = 1, x2 = 0". `None` if there is no such block, or if it has more
    /// than 12 variables.
    pub fn block_values_text_if_short(&self, block: usize, values: &BitString) -> Option<String> {
        const SHOWN: usize = 12;
        let block = self.blocks.get(block)?;
        if block.variables.len() > SHOWN {
            return None;
        }
        let pairs = block.variables.iter().zip(values.as_slice());
        let texts = pairs.map(|(variable, value)| {
            let name = self.variable_name(block, *variable);
            format!("{name} = {}", u8::from(*value))
        });
        Some(texts.collect::<Vec<_>>().join(", "))
    }

    /// Formats the first `max_clauses` clauses, one per line, then a line with the number of omitted clauses, if any.
    /// `None` if the matrix is a circuit.
    pub fn first_clauses_text(&self, max_clauses: usize) -> Option<String> {
        let FormulaMatrix::Clauses(clauses) = &self.matrix else {
            return None;
        };
        let shown = clauses.iter().take(max_clauses);
        let mut lines: Vec<String> = shown.map(|clause| self.clause_text(clause)).collect();
        if let Some(more) = clauses
            .len()
            .checked_sub(max_clauses)
            .filter(|more| *more > 0)
        {
            lines.push(format!("… and {more} more"));
        }
        Some(lines.join("\n"))
    }

    fn clause_text(&self, literals: &[i32]) -> String {
        if literals.is_empty() {
            return "false".to_owned();
        }
        let literal = |literal: &i32| {
            let position = self.position(literal.unsigned_abs()).unwrap_or(u32::MAX);
            let not = if *literal < 0 { "not " } else { "" };
            format!("{not}{}", self.variable_or_bit_name_at(position))
        };
        let texts: Vec<String> = literals.iter().map(literal).collect();
        texts.join(" or ")
    }

    /// Returns the clauses of the matrix; empty if the matrix is a circuit.
    fn clauses(&self) -> &[Vec<i32>] {
        match &self.matrix {
            FormulaMatrix::Clauses(clauses) => clauses,
            FormulaMatrix::Circuit { .. } => &[],
        }
    }

    /// Returns the number of clauses of the matrix; 0 if the matrix is a circuit.
    pub fn clause_count(&self) -> usize {
        self.clauses().len()
    }

    /// Formats the clause with this number, from 0, in words: "bus or not rain".
    pub fn clause_in_words(&self, index: usize) -> Option<String> {
        Some(self.clause_text(self.clauses().get(index)?))
    }

    /// Evaluates a clause if the outermost variables, in the order of the blocks, have these values. `None` if no
    /// literal is true yet and some literal's variable has no value, or if there is no such clause.
    pub fn clause_value_if_decided(&self, number: usize, values: &[bool]) -> Option<bool> {
        let clause = self.clauses().get(number)?;
        let mut open = false;
        for literal in clause {
            let position = self.position(literal.unsigned_abs())? as usize;
            match values.get(position) {
                Some(value) if *value == (*literal > 0) => return Some(true),
                Some(_) => {}
                None => open = true,
            }
        }
        (!open).then_some(false)
    }

    /// True if a clause contains a variable whose position in the order of the blocks is in this range.
    pub fn clause_reads_variable_at(
        &self,
        clause_index: usize,
        positions_in_block_order: &Range<usize>,
    ) -> bool {
        let clause = self
            .clauses()
            .get(clause_index)
            .map_or(&[][..], Vec::as_slice);
        clause.iter().any(|literal| {
            let position = self.position(literal.unsigned_abs());
            position.is_some_and(|position| positions_in_block_order.contains(&(position as usize)))
        })
    }

    /// Evaluates the matrix if the outermost variables have these values. `None` if some clause is undecided and none
    /// is false; for a circuit, `None` unless all variables have values.
    pub fn matrix_value_if_decided(&self, values: &[bool]) -> Option<bool> {
        if let FormulaMatrix::Circuit { .. } = self.matrix {
            return self.matrix_value_of_full_assignment(values);
        }
        let mut open = false;
        for number in 0..self.clause_count() {
            match self.clause_value_if_decided(number, values) {
                Some(false) => return Some(false),
                Some(true) => {}
                None => open = true,
            }
        }
        (!open).then_some(true)
    }

    /// Returns the undecided and the false clauses among the first `max_clauses` clauses. `outer_values` are the values
    /// chosen so far, of the first variables in the order of the blocks. `None` if the matrix is a circuit.
    pub fn unsatisfied_clauses(
        &self,
        outer_values: &[bool],
        max_clauses: usize,
    ) -> Option<UnsatisfiedClauseTexts> {
        let FormulaMatrix::Clauses(clauses) = &self.matrix else {
            return None;
        };
        let block = self.next_block(outer_values.len()).map(|(_, block)| block);
        let next = outer_values.len() + block.map_or(0, |block| block.variables.len());
        let position = |literal: &i32| self.position(literal.unsigned_abs()).unwrap_or(u32::MAX);
        let value = |literal: &i32| outer_values.get(position(literal) as usize).copied();
        let mut open = UnsatisfiedClauseTexts::default();
        for clause in clauses.iter().take(max_clauses) {
            if clause.iter().any(|l| value(l) == Some(*l > 0)) {
                continue;
            }
            let left: Vec<i32> = clause
                .iter()
                .copied()
                .filter(|l| value(l).is_none())
                .collect();
            if left.is_empty() {
                open.broken.push(self.clause_text(clause));
            } else if left.iter().any(|l| (position(l) as usize) < next) {
                open.next.push(self.clause_text(&left));
            } else {
                open.later.push(self.clause_text(&left));
            }
        }
        Some(open)
    }
}
