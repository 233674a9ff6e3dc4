//! Quantified formulas in the QDIMACS format: `p cnf variables clauses`, then blocks (`e 1 2 0`,
//! `a 3 0`), outermost first, then clauses (`1 -3 0`).

use std::collections::HashSet;

use super::{Formula, FormulaMatrix, MAX_VARIABLES, Quantifier, QuantifierBlock};
use crate::scenario::netlist::NetlistError;
use crate::text::{count_with_noun, numbered_byte_lines, replace_unsafe_characters};

/// Maximum total number of literals of all clauses.
pub const MAX_LITERALS: usize = 1 << 24;

/// Reads a formula from a file in QDIMACS.
///
/// Clauses and blocks may extend over several lines, and comments and empty lines may be anywhere. A line that begins
/// with `%` ends the file. The numbers in the header may differ from the actual numbers, because tools that shrink a
/// file do not update the header. Variables of clauses that are in no block are chosen first, by ∃.
/// [`Formula::inconsistencies_within_file`] reports wrong header numbers and, if the file has blocks, variables in no
/// block.
///
/// # Errors
/// Returns an error with the line if the bytes are not a QDIMACS file. Examples are no header or two, a line that is
/// not UTF-8, a word that is not a number, and a block after a clause. Others are a negated variable in a block, a
/// variable quantified twice or beyond [`MAX_VARIABLES`], and a list that is not closed by 0. No clause although the
/// header promises some, or more than [`MAX_LITERALS`] literals, is also an error.
pub fn read_qdimacs(bytes: &[u8]) -> Result<Formula, NetlistError> {
    let mut reader = QdimacsReader::default();
    for (number, line) in numbered_byte_lines(bytes) {
        let line = line.trim_ascii_start();
        if line.starts_with(b"%") {
            break;
        }
        if !line.is_empty() && !line.starts_with(b"c") {
            let text = std::str::from_utf8(line).map_err(|error| {
                let at = error.valid_up_to() + 1;
                NetlistError::new(number, format!("byte {at} of this line is not UTF-8"))
            })?;
            reader.line(number, text)?;
        }
    }
    reader.finish()
}

/// The kind of a list of numbers in a QDIMACS file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Block(Quantifier),
    Clause,
}

/// The header line `p cnf variables clauses` of a QDIMACS file.
#[derive(Clone, Copy)]
struct Header {
    line: usize,
    variables: u64,
    clauses: u64,
}

#[derive(Default)]
struct QdimacsReader {
    header: Option<Header>,
    blocks: Vec<QuantifierBlock>,
    quantified: HashSet<u32>,
    clauses: Vec<Vec<i32>>,
    literals: usize,
    /// The unfinished list (a block or a clause) that the reader is in: the number of the line on which it began, and
    /// its kind. `None` between lists.
    open: Option<(usize, List)>,
    clause: Vec<i32>,
}

impl QdimacsReader {
    fn line(&mut self, line: usize, text: &str) -> Result<(), NetlistError> {
        let mut words = text.split_ascii_whitespace().peekable();
        let first = words.peek().copied().unwrap_or_default();
        if self.header.is_none() {
            self.header = Some(Header::read(line, text)?);
            return Ok(());
        }
        let quantifier = match first {
            "e" => Some(Quantifier::Exists),
            "a" => Some(Quantifier::ForAll),
            "p" => {
                return wrong(line, "this line is a second `p` header; remove it");
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
                "this quantifier block follows a clause; put all quantifier blocks before the first clause",
            );
        }
        let variables = Vec::new();
        self.blocks.push(QuantifierBlock {
            quantifier,
            variables,
        });
        self.open = Some((line, List::Block(quantifier)));
        Ok(())
    }

    fn word(&mut self, line: usize, word: &str) -> Result<(), NetlistError> {
        let number: i32 = word.parse().map_err(|_error| {
            let start: String = word.chars().take(40).collect();
            let start = replace_unsafe_characters(&start);
            let what = format!(
                "the text {start:?} is not a variable; write whole numbers, and end each list with \
                         0"
            );
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
                    let what = format!(
                        "the formula has more than {MAX_LITERALS} literals; use a smaller formula"
                    );
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
            return wrong(
                line,
                "a quantifier block contains variables, not literals; remove the minus sign",
            );
        };
        if !self.quantified.insert(variable) {
            let what =
                format!("variable {variable} is quantified twice; remove one of its quantifiers");
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
            // Removes repeated literals, which are redundant, and keeps the order of the others.
            let mut seen = HashSet::with_capacity(clause.len());
            clause.retain(|literal| seen.insert(*literal));
            self.clauses.push(clause);
        }
    }

    fn finish(self) -> Result<Formula, NetlistError> {
        if let Some((began, _)) = self.open {
            return wrong(began, UNCLOSED);
        }
        let Some(header) = self.header else {
            return wrong(1, NO_HEADER);
        };
        let line = header.line;
        if header.clauses > 0 && self.clauses.is_empty() {
            let promised = header.clauses;
            let what = format!("the header promises {promised} clauses, but the file has none");
            return wrong(line, what);
        }
        let notes = self.notes(header);
        let formula = Formula::new(self.blocks, FormulaMatrix::Clauses(self.clauses));
        let mut formula = formula.map_err(|what| NetlistError::new(line, what))?;
        formula.notes = notes;
        Ok(formula)
    }

    /// Returns the inconsistencies between the header, the blocks and the clauses of the file, one sentence each.
    fn notes(&self, header: Header) -> Vec<String> {
        let mut notes = Vec::new();
        let found = self.clauses.len() as u64;
        if found != header.clauses {
            let promised = count_with_noun(header.clauses, "clause", "clauses");
            let advice = if found < header.clauses {
                "; check that no clauses are missing"
            } else {
                ""
            };
            notes.push(format!(
                "the header promises {promised}, but the file has {found}{advice}"
            ));
        }
        let mut is_used = vec![false; MAX_VARIABLES as usize + 1];
        for literal in self.clauses.iter().flatten() {
            is_used[literal.unsigned_abs() as usize] = true;
        }
        let used = (1..=MAX_VARIABLES).filter(|variable| is_used[*variable as usize]);
        let largest = used.clone().chain(self.quantified.iter().copied()).max();
        let beyond_header = |variable: &u32| u64::from(*variable) > header.variables;
        if let Some(largest_variable) = largest.filter(beyond_header) {
            let promised_variables = count_with_noun(header.variables, "variable", "variables");
            notes.push(format!(
                "the header promises {promised_variables}, but the file has variable {largest_variable}"
            ));
        }
        // In a formula without blocks, ∃ chooses all variables. That is the usual meaning, so it needs no note.
        let free: Vec<u32> = used
            .filter(|variable| !self.quantified.contains(variable))
            .collect();
        if !self.blocks.is_empty() && !free.is_empty() {
            let first: Vec<String> = free.iter().take(NOTED).map(u32::to_string).collect();
            let more = match free.len().saturating_sub(NOTED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let (noun, verb) = match free.len() {
                1 => ("variable", "is"),
                _ => ("variables", "are"),
            };
            notes.push(format!(
                "no quantifier block declares {noun} {variables}{more}, which {verb} therefore quantified by ∃, before all blocks",
                variables = first.join(", ")
            ));
        }
        notes
    }
}

/// Maximum number of variables that a note about inconsistencies names.
const NOTED: usize = 5;

const NO_HEADER: &str = "a formula must begin with `p cnf` and its numbers of variables and \
                         clauses";

const UNCLOSED: &str = "the clause or block that begins here does not end with 0";

fn wrong<T>(line: usize, what: impl Into<String>) -> Result<T, NetlistError> {
    Err(NetlistError::new(line, what))
}

impl Header {
    fn read(line: usize, text: &str) -> Result<Self, NetlistError> {
        let mut words = text.split_ascii_whitespace();
        let is_cnf = words.next() == Some("p") && words.next() == Some("cnf");
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
        match (is_cnf, number(), number()) {
            (true, Some(variables), Some(clauses)) => Ok(Self {
                line,
                variables,
                clauses,
            }),
            _ => wrong(line, NO_HEADER),
        }
    }
}
