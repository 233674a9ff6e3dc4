//! A formula in words and signs.

use super::{Formula, Matrix};

/// Clauses that the values chosen so far do not make true, without the literals that are false.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenClauses {
    /// Those that read a variable of the next block.
    pub next: Vec<String>,
    /// Those that read only later variables.
    pub later: Vec<String>,
    /// Those that can hold no more, whole.
    pub broken: Vec<String>,
}

use crate::bits::Bits;

impl Formula {
    /// The name of a variable: `x3` where ∃ chooses it, `y4` where ∀ does.
    pub fn name(&self, place: u32) -> String {
        let mut before = 0;
        for block in &self.blocks {
            let within = (place as usize).checked_sub(before);
            if let Some(variable) = within.and_then(|within| block.variables.get(within)) {
                return format!("{}{variable}", block.quantifier.letter());
            }
            before += block.variables.len();
        }
        format!("given bit {}", (place as usize).saturating_sub(before))
    }

    /// A block in signs: "∃x1 x2"; of many variables the first and the last.
    pub fn block_text(&self, number: usize) -> String {
        const SHOWN: usize = 6;
        let Some(block) = self.blocks.get(number) else {
            return String::new();
        };
        let letter = block.quantifier.letter();
        let name = |variable: &u32| format!("{letter}{variable}");
        let count = block.variables.len();
        let names = match &block.variables[..] {
            [first, .., last] if count > SHOWN => {
                format!("{} … {} ({count} variables)", name(first), name(last))
            }
            few => few.iter().map(name).collect::<Vec<_>>().join(" "),
        };
        format!("{}{names}", block.quantifier.sign())
    }

    /// The blocks from one inwards, in signs: "∃x1 x2 ∀y3"; of many blocks the first few.
    pub fn prefix_text(&self, from: usize) -> String {
        const SHOWN: usize = 4;
        let shown = (from..self.blocks.len()).take(SHOWN);
        let mut texts: Vec<String> = shown.map(|number| self.block_text(number)).collect();
        if self.blocks.len().saturating_sub(from) > SHOWN {
            texts.push("…".to_owned());
        }
        texts.join(" ")
    }

    /// The matrix in a few words: "all 17 clauses hold".
    pub fn matrix_text(&self) -> String {
        match &self.matrix {
            Matrix::Clauses(clauses) => match clauses.len() {
                0 => "there is nothing left to satisfy".to_owned(),
                1 => "the clause holds".to_owned(),
                count => format!("all {count} clauses hold"),
            },
            Matrix::Circuit { .. } => "the circuit says 1".to_owned(),
        }
    }

    /// The values of a block in words: "x1 = 1, x2 = 0"; of many the bits alone.
    pub fn values_text(&self, number: usize, values: &Bits) -> Option<String> {
        const SHOWN: usize = 12;
        let block = self.blocks.get(number)?;
        if block.variables.len() > SHOWN {
            return None;
        }
        let letter = block.quantifier.letter();
        let pairs = block.variables.iter().zip(values.as_slice());
        let texts =
            pairs.map(|(variable, value)| format!("{letter}{variable} = {}", u8::from(*value)));
        Some(texts.collect::<Vec<_>>().join(", "))
    }

    /// The clauses, a line each, the first so many of them; `None` for a circuit.
    pub fn clauses_text(&self, most: usize) -> Option<String> {
        let Matrix::Clauses(clauses) = &self.matrix else {
            return None;
        };
        let shown = clauses.iter().take(most);
        let mut lines: Vec<String> = shown.map(|clause| self.clause_text(clause)).collect();
        if let Some(more) = clauses.len().checked_sub(most).filter(|more| *more > 0) {
            lines.push(format!("… and {more} more"));
        }
        Some(lines.join("\n"))
    }

    fn clause_text(&self, literals: &[i32]) -> String {
        if literals.is_empty() {
            return "false".to_owned();
        }
        let literal = |literal: &i32| {
            let place = self.position(literal.unsigned_abs()).unwrap_or(u32::MAX);
            let not = if *literal < 0 { "not " } else { "" };
            format!("{not}{}", self.name(place))
        };
        let texts: Vec<String> = literals.iter().map(literal).collect();
        texts.join(" or ")
    }

    /// The clauses that are left once the outermost variables have these values (in the order
    /// of the blocks), of the first so many clauses; `None` for a circuit.
    pub fn open_clauses(&self, outer: &[bool], most: usize) -> Option<OpenClauses> {
        let Matrix::Clauses(clauses) = &self.matrix else {
            return None;
        };
        let block = self.next_block(outer.len()).map(|(_, block)| block);
        let next = outer.len() + block.map_or(0, |block| block.variables.len());
        let place = |literal: &i32| self.position(literal.unsigned_abs()).unwrap_or(u32::MAX);
        let value = |literal: &i32| outer.get(place(literal) as usize).copied();
        let mut open = OpenClauses::default();
        for clause in clauses.iter().take(most) {
            if clause.iter().any(|l| value(l) == Some(*l > 0)) {
                continue;
            }
            let left = clause.iter().copied().filter(|l| value(l).is_none());
            let left: Vec<i32> = left.collect();
            if left.is_empty() {
                open.broken.push(self.clause_text(clause));
            } else if left.iter().any(|l| (place(l) as usize) < next) {
                open.next.push(self.clause_text(&left));
            } else {
                open.later.push(self.clause_text(&left));
            }
        }
        Some(open)
    }
}
