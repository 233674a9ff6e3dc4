//! The solver for the game on a quantified formula: a search that learns constraints for both players (Zhang and Malik,
//! ICCAD 2002; Giunchiglia, Narizzano and Tacchella, JAIR 26, 2006), with long-distance resolution (Egly, Lonsing and
//! Widl, LPAR 2013).
//!
//! The code treats both players alike. A **constraint** belongs to one player, who loses unless one of its literals is
//! true. The clauses of the matrix are constraints of ∃. If some values satisfy all clauses, ∀ must make one of the
//! satisfying literals false; this is a constraint of ∀ (a negated cube). A constraint has *own* literals, whose
//! variables its player chooses, and literals of the other player. A literal of the other player counts only if the
//! constraint has an own literal in a block further inside; otherwise it is removed (reduction).
//!
//! The search is deterministic: it uses no clock and no random numbers, and measures effort in visited literals. The
//! project has its own solver for two reasons. A SAT solver cannot alternate quantifiers. An external QBF solver must
//! be installed, and limits time instead of effort.

use std::sync::PoisonError;

use super::{Formula, FormulaMatrix, Quantifier, SolvedFormulaPosition};
use crate::bits::BitString;
use crate::number::to_u32_saturating;
use crate::scenario::netlist::TwoInputTruthTable;

/// Maximum effort of a search, in visited literals, after which a position counts as "not decided": about one second in
/// an optimised program.
const MAX_EFFORT: u64 = 300_000_000;

/// Maximum number of solved positions that are cached.
const MAX_REMEMBERED: usize = 1 << 12;

impl Formula {
    /// Solves the game after the outermost blocks got the values `outer_values`: returns the winner, and winning values
    /// of the next block. `outer_values` must have values for whole blocks, in the order of the blocks. `None` if the
    /// effort limit is reached first.
    pub fn solve_position(&self, outer_values: &[bool]) -> Option<SolvedFormulaPosition> {
        let key: BitString = outer_values.iter().copied().collect();
        let remembered = || {
            self.remembered
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(known) = remembered().get(&key) {
            return known.clone();
        }
        let position = self.solve_position_within(outer_values, MAX_EFFORT);
        let mut all = remembered();
        if all.len() >= MAX_REMEMBERED {
            all.clear();
        }
        all.insert(key, position.clone());
        position
    }

    /// As [`Self::solve_position`], but the search ends soon after it has visited more than `effort` literals, and the
    /// result is not cached.
    pub fn solve_position_within(
        &self,
        outer: &[bool],
        effort: u64,
    ) -> Option<SolvedFormulaPosition> {
        QbfSearch::new(self, outer).solve(effort)
    }
}

/// A literal: twice the variable's number, plus one if it is negated.
type Literal = u32;
type Variable = u32;

const NONE: u32 = u32::MAX;

fn variable(literal: Literal) -> usize {
    (literal >> 1) as usize
}

fn literal(variable: Variable, value: bool) -> Literal {
    variable << 1 | u32::from(!value)
}

fn negated(literal: Literal) -> Literal {
    literal ^ 1
}

/// A list of constraints whose literals are stored consecutively in one array.
#[derive(Debug, Default)]
struct Constraints {
    literals: Vec<Literal>,
    ends: Vec<usize>,
    owners: Vec<Quantifier>,
}

impl Constraints {
    fn add(&mut self, owner: Quantifier, literals: &[Literal]) -> u32 {
        self.literals.extend_from_slice(literals);
        self.ends.push(self.literals.len());
        self.owners.push(owner);
        to_u32_saturating(self.ends.len() - 1)
    }

    fn get(&self, number: u32) -> &[Literal] {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.literals[start..self.ends[number]]
    }

    fn owner(&self, number: u32) -> Quantifier {
        self.owners[number as usize]
    }
}

/// The state of a constraint under the current values of the variables.
enum ConstraintState {
    /// The constraint forces nothing now. It is satisfied, or its owner (the player who must satisfy it) has two unset
    /// literals. Or the owner has one, and the other player has an unset literal in a block further outside.
    Open,
    /// The player who must satisfy the constraint can only do so by making this literal true.
    Forces(Literal),
    /// The player who must satisfy the constraint has lost under the current values: no literal is true, and this
    /// player has no unset literal in it. The other player need not make any literal true.
    Lost,
}

/// The state of a variable in the search.
#[derive(Clone, Copy, Debug)]
struct Assignment {
    owner: Quantifier,
    /// Its block, from the outermost.
    block: u32,
    value: Option<bool>,
    /// The decision level of the variable: the number of decisions made when its value was set. If the value was a
    /// decision, this decision counts too.
    level: u32,
    /// The number of the constraint that forced the variable's value; [`NONE`] if the value was a decision.
    reason: u32,
    /// The number of literals that were set to true before this variable got its value; it orders the assignments by
    /// time.
    time: u32,
    /// A measure of how often recent conflicts used the variable.
    activity: f64,
    /// The value that the search tries first for the variable.
    phase: bool,
}

/// The search for the winner of the game on a formula, some of whose outer blocks already have values.
#[derive(Debug, Default)]
pub(super) struct QbfSearch {
    assignments: Vec<Assignment>,
    /// The variables of each block.
    blocks: Vec<Vec<Variable>>,
    /// The number of variables and the quantifier of the first block without values, not counting variables for gates;
    /// `None` if all blocks have values.
    first: Option<(usize, Quantifier)>,
    constraints: Constraints,
    /// For each literal, the numbers of the constraints that contain it.
    occurrences: Vec<Vec<u32>>,
    /// For each clause of the formula, the number of its true literals. The clauses are the first entries of
    /// `constraints`.
    satisfied: Vec<u32>,
    unsatisfied: usize,
    trail: Vec<Literal>,
    /// For each decision, the length of the trail of true literals before it.
    decisions: Vec<usize>,
    next: usize,
    bump: f64,
    effort: u64,
    /// Reused buffer of the constraint analysis: for each literal, true if the literal is in the constraint under
    /// analysis.
    marked: Vec<bool>,
}

impl QbfSearch {
    /// Builds the search for the game that remains after the outer blocks got the values `outer`.
    pub(super) fn new(formula: &Formula, outer: &[bool]) -> Self {
        let mut builder = Builder::new(formula, outer);
        match formula.matrix() {
            FormulaMatrix::Clauses(clauses) => builder.add_clauses(clauses),
            FormulaMatrix::Circuit { .. } => builder.add_circuit_clauses(),
        }
        builder.search
    }

    /// Runs the search; `None` if it exceeds this limit on visited literals.
    pub(super) fn solve(mut self, effort: u64) -> Option<SolvedFormulaPosition> {
        let (holds, strategy) = self.search(effort)?;
        let Some((length, owner)) = self.first else {
            let values = BitString::default();
            return Some(SolvedFormulaPosition { holds, values });
        };
        let mut values = vec![false; length];
        if owner.choosing_player_wins(holds) {
            for literal in strategy {
                if let Some(value) = values.get_mut(variable(literal)) {
                    *value = literal & 1 == 1;
                }
            }
        }
        let values = values.into();
        Some(SolvedFormulaPosition { holds, values })
    }

    /// Returns true if the formula is true, and the winner's strategy: literals of the outermost block that the winner
    /// makes false. `None` if the search exceeds the limit `effort` on visited literals.
    fn search(&mut self, effort: u64) -> Option<(bool, Vec<Literal>)> {
        let mut lost = self.propagate_initially();
        loop {
            if lost.is_none() {
                lost = self.propagate();
            }
            if self.effort > effort {
                return None;
            }
            let (owner, literals) = if let Some(number) = lost.take() {
                let literals = self.constraints.get(number).to_vec();
                (self.constraints.owner(number), literals)
            } else if self.unsatisfied == 0 {
                (Quantifier::ForAll, self.constraint_from_satisfied_clauses())
            } else {
                self.decide()?;
                continue;
            };
            match self.analyse(owner, literals)? {
                UnsatisfiableConstraintResult::Over(strategy) => {
                    return Some((owner == Quantifier::ForAll, strategy));
                }
                UnsatisfiableConstraintResult::Back {
                    level,
                    forced,
                    literals,
                } => {
                    self.backtrack_to(level);
                    let number = self.learn(owner, &literals);
                    self.set(forced, number);
                }
            }
        }
    }

    /// Sets the literals that clauses force before the first decision. Returns a clause that cannot be satisfied any
    /// more, if there is one.
    fn propagate_initially(&mut self) -> Option<u32> {
        (0..to_u32_saturating(self.satisfied.len())).find(|number| self.is_lost(*number))
    }

    /// Evaluates a constraint: returns true if it cannot be satisfied any more. If the constraint forces a literal,
    /// sets that literal.
    fn is_lost(&mut self, number: u32) -> bool {
        match self.state(number) {
            ConstraintState::Open => {}
            ConstraintState::Forces(literal) => self.set(literal, number),
            ConstraintState::Lost => return true,
        }
        false
    }

    fn value(&self, literal: Literal) -> Option<bool> {
        let value = self.assignments[variable(literal)].value?;
        Some(value == (literal & 1 == 0))
    }

    fn state(&mut self, number: u32) -> ConstraintState {
        let literals = self.constraints.get(number);
        let owner = self.constraints.owner(number);
        self.effort += literals.len() as u64 + 1;
        let mut own = None;
        let mut outermost = NONE;
        for literal in literals {
            let assignment = &self.assignments[variable(*literal)];
            match assignment.value {
                Some(value) if value == (literal & 1 == 0) => return ConstraintState::Open,
                Some(_) => {}
                None if assignment.owner == owner => {
                    if own.is_some() {
                        return ConstraintState::Open;
                    }
                    own = Some(*literal);
                }
                None => outermost = outermost.min(assignment.block),
            }
        }
        match own {
            None => ConstraintState::Lost,
            Some(own) if outermost < self.assignments[variable(own)].block => ConstraintState::Open,
            Some(own) => ConstraintState::Forces(own),
        }
    }

    /// Makes a literal true, unless its variable already has a value.
    fn set(&mut self, literal: Literal, reason: u32) {
        let level = to_u32_saturating(self.decisions.len());
        let time = to_u32_saturating(self.trail.len());
        let assignment = &mut self.assignments[variable(literal)];
        if assignment.value.is_some() {
            return;
        }
        assignment.value = Some(literal & 1 == 0);
        assignment.phase = literal & 1 == 0;
        assignment.level = level;
        assignment.reason = reason;
        assignment.time = time;
        self.trail.push(literal);
        for number in &self.occurrences[literal as usize] {
            let Some(count) = self.satisfied.get_mut(*number as usize) else {
                break;
            };
            self.effort += 1;
            *count += 1;
            self.unsatisfied -= usize::from(*count == 1);
        }
    }

    /// Propagates forced literals. Returns a constraint that cannot be satisfied any more, if there is one.
    fn propagate(&mut self) -> Option<u32> {
        while let Some(literal) = self.trail.get(self.next).copied() {
            self.next += 1;
            let falsified = negated(literal) as usize;
            for index in 0..self.occurrences[falsified].len() {
                let number = self.occurrences[falsified][index];
                if self.is_lost(number) {
                    return Some(number);
                }
            }
        }
        None
    }

    /// Backtracks: undoes all decisions after the first `level` decisions.
    fn backtrack_to(&mut self, level: u32) {
        let Some(length) = self.decisions.get(level as usize).copied() else {
            return;
        };
        self.decisions.truncate(level as usize);
        while self.trail.len() > length {
            let Some(literal) = self.trail.pop() else {
                break;
            };
            self.assignments[variable(literal)].value = None;
            for number in &self.occurrences[literal as usize] {
                let Some(count) = self.satisfied.get_mut(*number as usize) else {
                    break;
                };
                self.effort += 1;
                *count -= 1;
                self.unsatisfied += usize::from(*count == 0);
            }
        }
        self.next = length;
    }

    /// Makes a decision: gives a value to the most active unset variable of the outermost block with unset variables.
    /// Returns `None` if every variable has a value. This cannot happen: then a clause is false or all clauses are
    /// true, and the caller handles both cases.
    fn decide(&mut self) -> Option<()> {
        let assignments = &self.assignments;
        let open = |variable: &&Variable| assignments[**variable as usize].value.is_none();
        let mut candidates = self.blocks.iter().filter_map(|block| {
            block.iter().filter(open).max_by(|a, b| {
                let activity = |variable: &Variable| assignments[*variable as usize].activity;
                activity(a).total_cmp(&activity(b)).then(b.cmp(a))
            })
        });
        let chosen = *candidates.next()?;
        self.effort += self.assignments.len() as u64 / 4 + 1;
        self.decisions.push(self.trail.len());
        let value = self.assignments[chosen as usize].phase;
        self.set(literal(chosen, value), NONE);
        Some(())
    }

    fn learn(&mut self, owner: Quantifier, literals: &[Literal]) -> u32 {
        let number = self.constraints.add(owner, literals);
        for literal in literals {
            self.occurrences[*literal as usize].push(number);
            self.assignments[variable(*literal)].activity += self.bump;
        }
        number
    }
}

/// Builds a search from a formula and the values of its outer blocks.
struct Builder<'f> {
    formula: &'f Formula,
    outer: &'f [bool],
    search: QbfSearch,
}

/// A literal of the formula: undecided, or with a value that an outer block or a given bit of the circuit has.
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
        let owner = search
            .assignments
            .first()
            .map(|assignment| assignment.owner);
        search.first = search.blocks.first().map(Vec::len).zip(owner);
        Self {
            formula,
            outer,
            search,
        }
    }

    /// Returns the literal or value of the matrix input at this index.
    fn input(&self, assignment: u32) -> LiteralValue {
        let index = assignment as usize;
        if let Some(value) = self.outer.get(index) {
            return LiteralValue::Value(*value);
        }
        if let Some(given) = index.checked_sub(self.formula.variable_count() as usize) {
            LiteralValue::Value(self.formula.nonvariable_input_bits().get(given) == Some(&true))
        } else {
            let left = index - self.outer.len();
            LiteralValue::Open(literal(to_u32_saturating(left), true))
        }
    }

    pub(super) fn add_clauses(&mut self, clauses: &[Vec<i32>]) {
        for clause in clauses {
            let read = clause
                .iter()
                .map(|literal| {
                    let assignment = self.formula.position(literal.unsigned_abs()).unwrap_or(0);
                    (self.input(assignment), *literal > 0)
                })
                .collect();
            self.search.clause(read);
        }
    }

    /// Adds the clauses of Tseitin's encoding of the circuit. The value of each gate becomes a variable of ∃ in the
    /// innermost block.
    pub(super) fn add_circuit_clauses(&mut self) {
        let netlist = self.formula.matrix_as_circuit().clone();
        let gates = netlist.gate_count() as usize;
        let first = to_u32_saturating(self.search.assignments.len());
        self.search.push(Quantifier::Exists, gates);
        let literal_of = |builder: &Self, wire: u32| match wire.checked_sub(netlist.input_count()) {
            None => builder.input(wire),
            Some(gate) => LiteralValue::Open(literal(first + gate, true)),
        };
        for wire in netlist.input_count()..netlist.input_count() + netlist.gate_count() {
            let Some(gate) = netlist.gate(wire) else {
                continue;
            };
            let (reads_a, reads_b) = gate.table.depends_on_inputs();
            for (a, b) in TwoInputTruthTable::ROWS {
                if a && !reads_a || b && !reads_b {
                    continue;
                }
                let mut clause = vec![(literal_of(self, wire), gate.table.value_at(a, b))];
                clause.extend(reads_a.then(|| (literal_of(self, gate.a), !a)));
                clause.extend(reads_b.then(|| (literal_of(self, gate.b), !b)));
                self.search.clause(clause);
            }
        }
        if let Some(output) = netlist.outputs().first() {
            let clause = vec![(literal_of(self, *output), true)];
            self.search.clause(clause);
        }
    }
}

impl QbfSearch {
    /// Adds variables as a new innermost block, or to the innermost block if it has the same quantifier.
    fn push(&mut self, owner: Quantifier, count: usize) {
        if count == 0 {
            return;
        }
        let last = self.assignments.last().map(|assignment| assignment.owner);
        if last != Some(owner) {
            self.blocks.push(Vec::new());
        }
        let number = to_u32_saturating(self.blocks.len() - 1);
        for _ in 0..count {
            let variable = to_u32_saturating(self.assignments.len());
            if let Some(block) = self.blocks.last_mut() {
                block.push(variable);
            }
            self.assignments.push(Assignment {
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

    /// Adds a clause, unless it is always true.
    fn clause(&mut self, clause: Vec<(LiteralValue, bool)>) {
        let mut literals = Vec::with_capacity(clause.len());
        for (clause, sign) in clause {
            match clause {
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

/// The result of analysing a constraint that cannot be satisfied any more: the game is over, or the solver learns a
/// constraint and backtracks.
pub(super) enum UnsatisfiableConstraintResult {
    /// The player who had to satisfy the constraint has lost the whole game. The other player wins by making these
    /// literals of the outermost block false.
    Over(Vec<Literal>),
    /// The search must backtrack to the decision level `level`. At that level, the other literals of the learned
    /// constraint force the literal `forced`.
    Back {
        level: u32,
        forced: Literal,
        literals: Vec<Literal>,
    },
}

impl QbfSearch {
    /// When all clauses are satisfied, returns a constraint that ∀ must satisfy: the negations of literals that
    /// together satisfy all clauses. Prefers few literals, and literals of ∃ in inner blocks, because reduction removes
    /// them.
    pub(super) fn constraint_from_satisfied_clauses(&mut self) -> Vec<Literal> {
        let mut cover = Vec::new();
        let clauses = to_u32_saturating(self.satisfied.len());
        for number in 0..clauses {
            let literals = self.constraints.get(number);
            self.effort += literals.len() as u64;
            let holding = literals.iter().filter(|l| self.value(**l) == Some(true));
            // Prefers a literal already taken, then ∃'s innermost, then ∀'s outermost.
            let best = holding.max_by_key(|literal| {
                let assignment = &self.assignments[variable(**literal)];
                let order = match assignment.owner {
                    Quantifier::Exists => i64::from(assignment.block),
                    Quantifier::ForAll => -1 - i64::from(assignment.block),
                };
                (self.marked[**literal as usize], order)
            });
            if let Some(literal) = best.copied().filter(|l| !self.marked[*l as usize]) {
                self.marked[literal as usize] = true;
                cover.push(literal);
            }
        }
        for literal in &mut cover {
            self.marked[*literal as usize] = false;
            *literal = negated(*literal);
        }
        cover
    }

    /// Learns from a constraint that cannot be satisfied: resolves it with the reasons of its literals, the most recent
    /// first, until the result forces a literal at an earlier decision level.
    ///
    /// The order makes this sound. When a literal is resolved, every variable of the other player in a block outside it
    /// had a value that leaves the reason open. So if a literal meets its negation, its block is inside that of the
    /// resolved literal, as long-distance resolution requires. `None` if the literal has no reason; this cannot happen,
    /// because the loop ends before it reaches a decision.
    pub(super) fn analyse(
        &mut self,
        owner: Quantifier,
        start: Vec<Literal>,
    ) -> Option<UnsatisfiableConstraintResult> {
        let mut literals = start;
        for literal in &literals {
            self.marked[*literal as usize] = true;
        }
        let learned = loop {
            self.effort += literals.len() as u64 + 1;
            if let Some(strategy) = self.reduce(owner, &mut literals) {
                break Some(UnsatisfiableConstraintResult::Over(strategy));
            }
            let own = literals.iter().filter(|l| self.belongs_to(**l, owner));
            let Some(latest) = own
                .copied()
                .max_by_key(|l| self.assignments[variable(*l)].time)
            else {
                break None;
            };
            if let Some(level) = self.backtrack_level(owner, latest, &literals) {
                break Some(UnsatisfiableConstraintResult::Back {
                    level,
                    forced: latest,
                    literals: literals.clone(),
                });
            }
            let assignment = &mut self.assignments[variable(latest)];
            assignment.activity += self.bump;
            let reason = assignment.reason;
            if reason == NONE {
                break None;
            }
            self.marked[latest as usize] = false;
            literals.retain(|literal| *literal != latest);
            let antecedent = self.constraints.get(reason);
            self.effort += antecedent.len() as u64;
            for literal in antecedent {
                if *literal != negated(latest) && !self.marked[*literal as usize] {
                    self.marked[*literal as usize] = true;
                    literals.push(*literal);
                }
            }
        };
        for literal in &literals {
            self.marked[*literal as usize] = false;
        }
        self.bump *= 1.05;
        if self.bump > 1e100 {
            for assignment in &mut self.assignments {
                assignment.activity *= 1e-100;
            }
            self.bump *= 1e-100;
        }
        learned
    }

    fn belongs_to(&self, literal: Literal, owner: Quantifier) -> bool {
        self.assignments[variable(literal)].owner == owner
    }

    /// Universal or existential reduction: removes the other player's literals that are further inside than all
    /// literals of the constraint's owner. If the owner has no literal at all, the game is over: returns the other
    /// player's winning strategy, as literals of the outermost block.
    fn reduce(&mut self, owner: Quantifier, literals: &mut Vec<Literal>) -> Option<Vec<Literal>> {
        let assignments = &self.assignments;
        let block = |literal: &Literal| assignments[variable(*literal)].block;
        let own = |literal: &&Literal| assignments[variable(**literal)].owner == owner;
        let Some(innermost) = literals.iter().filter(own).map(block).max() else {
            let outermost = literals.iter().filter(|l| block(l) == 0);
            return Some(outermost.copied().collect());
        };
        let marked = &mut self.marked;
        literals.retain(|literal| {
            let stays = block(literal) <= innermost;
            marked[*literal as usize] = stays;
            stays
        });
        None
    }

    /// Returns the earliest decision level at which the other literals force the literal `forced`; `None` if they do
    /// not force it.
    fn backtrack_level(
        &self,
        owner: Quantifier,
        forced: Literal,
        literals: &[Literal],
    ) -> Option<u32> {
        let assignment = &self.assignments[variable(forced)];
        if assignment.level == 0 {
            return None;
        }
        let mut level = 0;
        for literal in literals.iter().filter(|literal| **literal != forced) {
            let other = &self.assignments[variable(*literal)];
            if other.owner != owner && other.block > assignment.block {
                continue;
            }
            if self.value(*literal) != Some(false) || other.level >= assignment.level {
                return None;
            }
            level = level.max(other.level);
        }
        Some(level)
    }
}
