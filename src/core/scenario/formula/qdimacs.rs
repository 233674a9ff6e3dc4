//! Quantified formulas in the QDIMACS format: `p cnf variables clauses`, then blocks (`e 1 2 0`,
//! `a 3 0`), outermost first, then clauses (`1 -3 0`).

use std::collections::HashSet;

use super::{Block, Formula, MAX_VARIABLES, Matrix, Quantifier};
use crate::scenario::netlist::NetlistError;
use crate::text::safe;

/// The most literals that all clauses may have together.
pub const MAX_LITERALS: usize = 1 << 24;

/// Reads a formula from a file in QDIMACS.
///
/// Real files are met half-way: clauses and blocks may run over several lines, comments and empty
/// lines may stand anywhere, and the header's numbers are hints (files that a tool has shrunk
/// promise more). Variables that no block names are chosen first, by ∃.
///
/// # Errors
/// If the bytes are no such file, with the line: no header, a word that is no number, a block
/// after a clause, a variable quantified twice or beyond [`MAX_VARIABLES`], a list that is not
/// closed by 0, clauses promised and none there, more than [`MAX_LITERALS`] literals.
pub fn read_qdimacs(bytes: &[u8]) -> Result<Formula, NetlistError> {
    let mut reader = QdimacsReader::default();
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        let line = line.trim_ascii();
        if line.starts_with(b"%") {
            break;
        }
        if !line.is_empty() && !line.starts_with(b"c") {
            let text = std::str::from_utf8(line).map_err(|error| {
                let at = error.valid_up_to() + 1;
                NetlistError::new(number, format!("byte {at} of this line is no text (UTF-8)"))
            })?;
            reader.line(number, text)?;
        }
    }
    reader.finish()
}

/// The kind of a list of numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Block(Quantifier),
    Clause,
}

#[derive(Default)]
struct QdimacsReader {
    /// The header's line and its number of clauses.
    header: Option<(usize, u64)>,
    blocks: Vec<Block>,
    quantified: HashSet<u32>,
    clauses: Vec<Vec<i32>>,
    literals: usize,
    /// The list under way, and the line that it began on.
    open: Option<(usize, List)>,
    clause: Vec<i32>,
}

impl QdimacsReader {
    fn line(&mut self, line: usize, text: &str) -> Result<(), NetlistError> {
        let mut words = text.split_ascii_whitespace().peekable();
        let first = words.peek().copied().unwrap_or_default();
        if self.header.is_none() {
            self.header = Some((line, header(line, text)?));
            return Ok(());
        }
        let quantifier = match first {
            "e" => Some(Quantifier::Exists),
            "a" => Some(Quantifier::ForAll),
            "p" => {
                return wrong(line, "a second header; keep the first alone");
            }
            _ => None,
        };
        if let Some(quantifier) = quantifier {
            self.begin_block(line, quantifier)?;
            words.next();
        }
        words.try_for_each(|word| self.word(line, word))
    }

    fn begin_block(&mut self, line: usize, quantifier: Quantifier) -> Result<(), NetlistError> {
        if let Some((began, _)) = self.open {
            return wrong(began, UNCLOSED);
        }
        if !self.clauses.is_empty() {
            return wrong(
                line,
                "a block after a clause; blocks stand before all clauses",
            );
        }
        let variables = Vec::new();
        self.blocks.push(Block {
            quantifier,
            variables,
        });
        self.open = Some((line, List::Block(quantifier)));
        Ok(())
    }

    fn word(&mut self, line: usize, word: &str) -> Result<(), NetlistError> {
        let number: i32 = word.parse().map_err(|_error| {
            let start: String = word.chars().take(40).collect();
            let start = safe(&start);
            let what =
                format!("{start:?} is no variable; write whole numbers, each list closed by 0");
            NetlistError::new(line, what)
        })?;
        if number.unsigned_abs() > MAX_VARIABLES {
            let what = format!("variables are numbered from 1 to {MAX_VARIABLES}, not {number}");
            return wrong(line, what);
        }
        let (_, list) = *self.open.get_or_insert((line, List::Clause));
        match (list, number) {
            (_, 0) => self.close(list),
            (List::Clause, literal) => {
                self.literals += 1;
                if self.literals > MAX_LITERALS {
                    let what = format!("more than {MAX_LITERALS} literals; take a smaller formula");
                    return wrong(line, what);
                }
                self.clause.push(literal);
            }
            (List::Block(_), variable) => self.variable(line, variable)?,
        }
        Ok(())
    }

    fn variable(&mut self, line: usize, variable: i32) -> Result<(), NetlistError> {
        let Ok(variable) = u32::try_from(variable) else {
            return wrong(line, "a block names variables; leave the minus out");
        };
        if !self.quantified.insert(variable) {
            let what = format!("variable {variable} is quantified twice; keep one of the two");
            return wrong(line, what);
        }
        if let Some(block) = self.blocks.last_mut() {
            block.variables.push(variable);
        }
        Ok(())
    }

    fn close(&mut self, list: List) {
        self.open = None;
        if list == List::Clause {
            let mut clause = std::mem::take(&mut self.clause);
            // A literal that stands twice says nothing new; the order is kept.
            let mut seen = HashSet::with_capacity(clause.len());
            clause.retain(|literal| seen.insert(*literal));
            self.clauses.push(clause);
        }
    }

    fn finish(self) -> Result<Formula, NetlistError> {
        if let Some((began, _)) = self.open {
            return wrong(began, UNCLOSED);
        }
        let Some((line, promised)) = self.header else {
            return wrong(1, NO_HEADER);
        };
        if promised > 0 && self.clauses.is_empty() {
            let what = format!("{promised} clauses are promised and none is there");
            return wrong(line, what);
        }
        Formula::new(self.blocks, Matrix::Clauses(self.clauses))
            .map_err(|what| NetlistError::new(line, what))
    }
}

const NO_HEADER: &str = "a formula begins with `p cnf` and its numbers of variables and clauses";

const UNCLOSED: &str = "what begins here is not closed by 0";

fn wrong<T>(line: usize, what: impl Into<String>) -> Result<T, NetlistError> {
    Err(NetlistError::new(line, what))
}

/// The number of clauses that a header promises.
fn header(line: usize, text: &str) -> Result<u64, NetlistError> {
    let mut words = text.split_ascii_whitespace();
    let is_cnf = words.next() == Some("p") && words.next() == Some("cnf");
    let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
    match (is_cnf, number(), number()) {
        (true, Some(_), Some(clauses)) => Ok(clauses),
        _ => wrong(line, NO_HEADER),
    }
}
