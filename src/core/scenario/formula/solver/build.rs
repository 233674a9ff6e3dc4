//! From a formula, some of whose outer blocks have values, to the clauses that the search takes.

use super::super::{Formula, Quantifier};
use super::{Literal, NONE, Place, QbfSearch, literal, negated};

/// Turns a formula with values for outer blocks into a search.
pub(super) struct Builder<'f> {
    formula: &'f Formula,
    outer: &'f [bool],
    pub(super) search: QbfSearch,
}

/// A literal of the formula: still open, or decided by the outer values.
enum LiteralValue {
    Open(Literal),
    Value(bool),
}

impl<'f> Builder<'f> {
    pub(super) fn new(formula: &'f Formula, outer: &'f [bool]) -> Self {
        let mut search = QbfSearch {
            bump: 1.0,
            ..QbfSearch::default()
        };
        let mut before = 0;
        for block in formula.blocks() {
            if before >= outer.len() {
                search.push(block.quantifier, block.variables.len());
            }
            before += block.variables.len();
        }
        search.first = search.blocks.first().map(|block| {
            let owner = block
                .first()
                .map(|first| search.places[*first as usize].owner);
            (block.len(), owner.unwrap_or(Quantifier::Exists))
        });
        Self {
            formula,
            outer,
            search,
        }
    }

    /// The input of the matrix at a place.
    fn input(&self, place: u32) -> LiteralValue {
        let index = place as usize;
        if let Some(value) = self.outer.get(index) {
            return LiteralValue::Value(*value);
        }
        if let Some(given) = index.checked_sub(self.formula.variables() as usize) {
            LiteralValue::Value(self.formula.given().get(given) == Some(&true))
        } else {
            let left = index - self.outer.len();
            LiteralValue::Open(literal(u32::try_from(left).unwrap_or(NONE), true))
        }
    }

    pub(super) fn clauses(&mut self, clauses: &[Vec<i32>]) {
        for clause in clauses {
            let literals = clause.iter().map(|literal| {
                let place = self.formula.position(literal.unsigned_abs()).unwrap_or(0);
                (self.input(place), *literal > 0)
            });
            let literals: Vec<(LiteralValue, bool)> = literals.collect();
            self.search.clause(literals);
        }
    }

    /// Tseitin's clauses: a variable of ∃'s for each gate, innermost.
    pub(super) fn circuit(&mut self) {
        let netlist = self.formula.circuit().clone();
        let gates = netlist.gates() as usize;
        let first = u32::try_from(self.search.places.len()).unwrap_or(NONE);
        self.search.push(Quantifier::Exists, gates);
        let met = |builder: &Self, wire: u32| match wire.checked_sub(netlist.inputs()) {
            None => builder.input(wire),
            Some(gate) => LiteralValue::Open(literal(first + gate, true)),
        };
        for wire in netlist.inputs()..netlist.inputs() + netlist.gates() {
            let Some(gate) = netlist.gate(wire) else {
                continue;
            };
            let (reads_a, reads_b) = gate.table.depends();
            for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
                if a && !reads_a || b && !reads_b {
                    continue;
                }
                let mut clause = vec![(met(self, wire), gate.table.at(a, b))];
                if reads_a {
                    clause.push((met(self, gate.a), !a));
                }
                if reads_b {
                    clause.push((met(self, gate.b), !b));
                }
                self.search.clause(clause);
            }
        }
        if let Some(output) = netlist.outputs().first() {
            let clause = vec![(met(self, *output), true)];
            self.search.clause(clause);
        }
    }
}

impl QbfSearch {
    /// Adds variables inside of all others; to the last block where it has the same owner.
    fn push(&mut self, owner: Quantifier, count: usize) {
        if count == 0 {
            return;
        }
        let last = self.places.last().map(|place| place.owner);
        if last != Some(owner) {
            self.blocks.push(Vec::new());
        }
        let number = u32::try_from(self.blocks.len() - 1).unwrap_or(NONE);
        for _ in 0..count {
            let variable = u32::try_from(self.places.len()).unwrap_or(NONE);
            if let Some(block) = self.blocks.last_mut() {
                block.push(variable);
            }
            self.places.push(Place {
                owner,
                block: number,
                value: None,
                level: 0,
                reason: NONE,
                time: 0,
                activity: 0.0,
                phase: owner == Quantifier::Exists,
            });
            self.occurrences.extend([Vec::new(), Vec::new()]);
            self.marked.extend([false, false]);
        }
    }

    /// Adds a clause, unless it holds in any case.
    fn clause(&mut self, met: Vec<(LiteralValue, bool)>) {
        let mut literals = Vec::with_capacity(met.len());
        for (met, sign) in met {
            match met {
                LiteralValue::Value(value) if value == sign => return,
                LiteralValue::Value(_) => {}
                LiteralValue::Open(open) => literals.push(if sign { open } else { negated(open) }),
            }
        }
        literals.sort_unstable();
        literals.dedup();
        if literals.windows(2).any(|pair| pair[0] == negated(pair[1])) {
            return;
        }
        let number = self.constraints.add(Quantifier::Exists, &literals);
        for literal in &literals {
            self.occurrences[*literal as usize].push(number);
        }
        self.satisfied.push(0);
        self.unsatisfied += 1;
    }
}
