//! The winner of a quantified formula: search with learning on both sides (Zhang and Malik, ICCAD 2002; Giunchiglia,
//! Narizzano and Tacchella, JAIR 26, 2006), with long-distance resolution (Egly, Lonsing and Widl, LPAR 2013).
//!
//! The code treats both players alike. A **constraint** belongs to a player, who must make one of its literals true or
//! has lost. The clauses of the matrix are ∃'s; if values satisfy all of them, ∀ must make one of the satisfying
//! literals false, which is a constraint of ∀'s (a negated cube). A constraint's *own* literals are of variables that
//! its player chooses; the *other's* count only while the constraint has an own literal of an inner block; otherwise
//! they are removed (reduced).
//!
//! The search is deterministic: no clock, no random numbers; effort is counted in literals. The solver is written here
//! because a SAT solver does not alternate quantifiers, and an external QBF solver must be installed and limits time,
//! not effort.

use std::sync::PoisonError;

use super::{Formula, Matrix, Position, Quantifier};
use crate::bits::Bits;
use crate::number::to_u32_saturating;
use crate::scenario::netlist::TruthTable;

/// Maximum effort of a search before a position counts as "not decided", in visited literals: about a second in an
/// optimised program.
const EFFORT: u64 = 300_000_000;

/// Maximum number of positions cached with their outcomes.
const MAX_REMEMBERED: usize = 1 << 12;

impl Formula {
    /// Returns the winner once the outermost blocks have these values (in the order of the blocks, and of whole
    /// blocks), and winning values of the next block. `None` if the effort limit is reached first.
    pub fn play(&self, outer: &[bool]) -> Option<Position> {
        let key: Bits = outer.iter().copied().collect();
        let remembered = || {
            self.remembered
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(known) = remembered().get(&key) {
            return known.clone();
        }
        let position = self.search_position(outer, EFFORT);
        let mut all = remembered();
        if all.len() >= MAX_REMEMBERED {
            all.clear();
        }
        all.insert(key, position.clone());
        position
    }

    /// As [`Self::play`], but the search visits at most `effort` literals, and the position is not cached.
    pub fn search_position(&self, outer: &[bool], effort: u64) -> Option<Position> {
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

/// Constraints stored consecutively in one array.
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

/// The state of a constraint under the values so far.
enum State {
    /// The constraint is satisfied, or still undecided.
    Open,
    /// Its player must make this literal true.
    Forces(Literal),
    /// Its player has lost here.
    Lost,
}

/// A variable and its value.
#[derive(Clone, Copy, Debug)]
struct Assignment {
    owner: Quantifier,
    /// Its block, from the outermost.
    block: u32,
    value: Option<bool>,
    /// The number of decisions before its value was set.
    level: u32,
    /// The constraint that forced the value; [`NONE`] if the value was a decision.
    reason: u32,
    /// The time at which its value was set.
    time: u32,
    /// The measure of its use in recent conflicts.
    activity: f64,
    /// The value that is tried first.
    phase: bool,
}

/// A formula some of whose outer blocks have values, and the search for its winner.
#[derive(Debug, Default)]
pub(super) struct QbfSearch {
    places: Vec<Assignment>,
    /// The variables of each block.
    blocks: Vec<Vec<Variable>>,
    /// The size and owner of the first remaining block; `places` holds the owners of the later blocks.
    first: Option<(usize, Quantifier)>,
    constraints: Constraints,
    /// The constraints that contain each literal.
    occurrences: Vec<Vec<u32>>,
    /// The number of true literals of each clause of the matrix; clauses are the first constraints.
    satisfied: Vec<u32>,
    unsatisfied: usize,
    trail: Vec<Literal>,
    /// The length of the trail at each decision.
    decisions: Vec<usize>,
    next: usize,
    bump: f64,
    effort: u64,
    /// Scratch: marks the literals of the constraint under analysis.
    marked: Vec<bool>,
}

impl QbfSearch {
    /// Builds the remaining game once whole outer blocks have these values.
    pub(super) fn new(formula: &Formula, outer: &[bool]) -> Self {
        let mut builder = Builder::new(formula, outer);
        match formula.matrix() {
            Matrix::Clauses(clauses) => builder.clauses(clauses),
            Matrix::Circuit { .. } => builder.circuit(),
        }
        builder.search
    }

    /// Searches with the given limit on effort.
    pub(super) fn solve(mut self, effort: u64) -> Option<Position> {
        let (holds, strategy) = self.search(effort)?;
        let Some((length, owner)) = self.first else {
            let values = Bits::default();
            return Some(Position { holds, values });
        };
        let mut values = vec![false; length];
        if owner.wins(holds) {
            for literal in strategy {
                if let Some(value) = values.get_mut(variable(literal)) {
                    *value = literal & 1 == 1;
                }
            }
        }
        let values = values.into();
        Some(Position { holds, values })
    }

    /// True if the formula holds, and the winner's literals of the outermost block, false.
    fn search(&mut self, effort: u64) -> Option<(bool, Vec<Literal>)> {
        let mut lost = self.first_look();
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
                (Quantifier::ForAll, self.cover())
            } else {
                self.decide()?;
                continue;
            };
            match self.analyse(owner, literals)? {
                LearnedConstraint::Over(strategy) => {
                    return Some((owner == Quantifier::ForAll, strategy));
                }
                LearnedConstraint::Back {
                    level,
                    forced,
                    literals,
                } => {
                    self.back(level);
                    let number = self.learn(owner, &literals);
                    self.set(forced, number);
                }
            }
        }
    }

    /// Sets the literals that the clauses force before anything is decided.
    fn first_look(&mut self) -> Option<u32> {
        (0..to_u32_saturating(self.satisfied.len())).find(|number| self.is_lost(*number))
    }

    /// True if a constraint's player has lost. Also sets the literal that the constraint forces.
    fn is_lost(&mut self, number: u32) -> bool {
        match self.state(number) {
            State::Open => {}
            State::Forces(literal) => self.set(literal, number),
            State::Lost => return true,
        }
        false
    }

    fn value(&self, literal: Literal) -> Option<bool> {
        let value = self.places[variable(literal)].value?;
        Some(value == (literal & 1 == 0))
    }

    fn state(&mut self, number: u32) -> State {
        let literals = self.constraints.get(number);
        let owner = self.constraints.owner(number);
        self.effort += literals.len() as u64 + 1;
        let mut own = None;
        let mut outermost = NONE;
        for literal in literals {
            let place = &self.places[variable(*literal)];
            match place.value {
                Some(value) if value == (literal & 1 == 0) => return State::Open,
                Some(_) => {}
                None if place.owner == owner => {
                    if own.is_some() {
                        return State::Open;
                    }
                    own = Some(*literal);
                }
                None => outermost = outermost.min(place.block),
            }
        }
        match own {
            None => State::Lost,
            Some(own) if outermost < self.places[variable(own)].block => State::Open,
            Some(own) => State::Forces(own),
        }
    }

    /// Makes a literal true, if it has no value yet.
    fn set(&mut self, literal: Literal, reason: u32) {
        let level = to_u32_saturating(self.decisions.len());
        let time = to_u32_saturating(self.trail.len());
        let place = &mut self.places[variable(literal)];
        if place.value.is_some() {
            return;
        }
        place.value = Some(literal & 1 == 0);
        place.phase = literal & 1 == 0;
        place.level = level;
        place.reason = reason;
        place.time = time;
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

    /// Propagates forced literals. Returns the constraint whose player has lost, if there is one.
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

    /// Undoes all decisions after the first `level`.
    fn back(&mut self, level: u32) {
        let Some(length) = self.decisions.get(level as usize).copied() else {
            return;
        };
        self.decisions.truncate(level as usize);
        while self.trail.len() > length {
            let Some(literal) = self.trail.pop() else {
                break;
            };
            self.places[variable(literal)].value = None;
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

    /// Gives a value to the most active variable of the outermost block that has an unset one. `None` if every variable
    /// has a value. This cannot happen, because then a clause is false or all are true.
    fn decide(&mut self) -> Option<()> {
        let places = &self.places;
        let open = |variable: &&Variable| places[**variable as usize].value.is_none();
        let mut candidates = self.blocks.iter().filter_map(|block| {
            block.iter().filter(open).max_by(|a, b| {
                let activity = |variable: &Variable| places[*variable as usize].activity;
                activity(a).total_cmp(&activity(b)).then(b.cmp(a))
            })
        });
        let chosen = *candidates.next()?;
        self.effort += self.places.len() as u64 / 4 + 1;
        self.decisions.push(self.trail.len());
        let value = self.places[chosen as usize].phase;
        self.set(literal(chosen, value), NONE);
        Some(())
    }

    fn learn(&mut self, owner: Quantifier, literals: &[Literal]) -> u32 {
        let number = self.constraints.add(owner, literals);
        for literal in literals {
            self.occurrences[*literal as usize].push(number);
            self.places[variable(*literal)].activity += self.bump;
        }
        number
    }
}

/// Turns a formula with values for outer blocks into a search.
struct Builder<'f> {
    formula: &'f Formula,
    outer: &'f [bool],
    search: QbfSearch,
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
        let owner = search.places.first().map(|place| place.owner);
        search.first = search.blocks.first().map(Vec::len).zip(owner);
        Self {
            formula,
            outer,
            search,
        }
    }

    /// Returns the input of the matrix at an index.
    fn input(&self, place: u32) -> LiteralValue {
        let index = place as usize;
        if let Some(value) = self.outer.get(index) {
            return LiteralValue::Value(*value);
        }
        if let Some(given) = index.checked_sub(self.formula.variables() as usize) {
            LiteralValue::Value(self.formula.given().get(given) == Some(&true))
        } else {
            let left = index - self.outer.len();
            LiteralValue::Open(literal(to_u32_saturating(left), true))
        }
    }

    pub(super) fn clauses(&mut self, clauses: &[Vec<i32>]) {
        for clause in clauses {
            let read = clause
                .iter()
                .map(|literal| {
                    let place = self.formula.position(literal.unsigned_abs()).unwrap_or(0);
                    (self.input(place), *literal > 0)
                })
                .collect();
            self.search.clause(read);
        }
    }

    /// Adds Tseitin's clauses: a variable of ∃'s for each gate, innermost.
    pub(super) fn circuit(&mut self) {
        let netlist = self.formula.circuit().clone();
        let gates = netlist.gates() as usize;
        let first = to_u32_saturating(self.search.places.len());
        self.search.push(Quantifier::Exists, gates);
        let literal_of = |builder: &Self, wire: u32| match wire.checked_sub(netlist.inputs()) {
            None => builder.input(wire),
            Some(gate) => LiteralValue::Open(literal(first + gate, true)),
        };
        for wire in netlist.inputs()..netlist.inputs() + netlist.gates() {
            let Some(gate) = netlist.gate(wire) else {
                continue;
            };
            let (reads_a, reads_b) = gate.table.depends_on_inputs();
            for (a, b) in TruthTable::ROWS {
                if a && !reads_a || b && !reads_b {
                    continue;
                }
                let mut clause = vec![(literal_of(self, wire), gate.table.at(a, b))];
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
    /// Adds variables inside all existing blocks; extends the last block if it has the same owner.
    fn push(&mut self, owner: Quantifier, count: usize) {
        if count == 0 {
            return;
        }
        let last = self.places.last().map(|place| place.owner);
        if last != Some(owner) {
            self.blocks.push(Vec::new());
        }
        let number = to_u32_saturating(self.blocks.len() - 1);
        for _ in 0..count {
            let variable = to_u32_saturating(self.places.len());
            if let Some(block) = self.blocks.last_mut() {
                block.push(variable);
            }
            self.places.push(Assignment {
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

/// The result of an analysis.
pub(super) enum LearnedConstraint {
    /// Its player has lost the whole game; the other player wins with these literals of the outermost
    /// block false.
    Over(Vec<Literal>),
    /// Backtrack to this level, at which the other literals force this one.
    Back {
        level: u32,
        forced: Literal,
        literals: Vec<Literal>,
    },
}

impl QbfSearch {
    /// Returns literals of which ∀ must make one true if all clauses are satisfied: the negations of some satisfying
    /// literals. Prefers few literals of ∃'s inner blocks, which are reduced.
    pub(super) fn cover(&mut self) -> Vec<Literal> {
        let mut cover = Vec::new();
        let clauses = to_u32_saturating(self.satisfied.len());
        for number in 0..clauses {
            let literals = self.constraints.get(number);
            self.effort += literals.len() as u64;
            let holding = literals.iter().filter(|l| self.value(**l) == Some(true));
            // Prefers a literal already taken, then ∃'s innermost, then ∀'s outermost.
            let best = holding.max_by_key(|literal| {
                let place = &self.places[variable(**literal)];
                let order = match place.owner {
                    Quantifier::Exists => i64::from(place.block),
                    Quantifier::ForAll => -1 - i64::from(place.block),
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

    /// Resolves a lost constraint with the reasons of its literals, latest first, until the result forces a literal at
    /// an earlier level.
    ///
    /// The order makes this sound. If a literal is resolved, every variable of the other player left of it had a value
    /// that leaves the reason open. Literals that meet their negations therefore belong to blocks right of it, as
    /// long-distance resolution requires. `None` if the literal has no reason; this cannot happen, because a decision's
    /// constraint is taken before.
    pub(super) fn analyse(
        &mut self,
        owner: Quantifier,
        start: Vec<Literal>,
    ) -> Option<LearnedConstraint> {
        let mut literals = start;
        for literal in &literals {
            self.marked[*literal as usize] = true;
        }
        let learned = loop {
            self.effort += literals.len() as u64 + 1;
            if let Some(strategy) = self.reduce(owner, &mut literals) {
                break Some(LearnedConstraint::Over(strategy));
            }
            let own = literals.iter().filter(|l| self.is_of(**l, owner));
            let Some(latest) = own.copied().max_by_key(|l| self.places[variable(*l)].time) else {
                break None;
            };
            if let Some(level) = self.asserts(owner, latest, &literals) {
                break Some(LearnedConstraint::Back {
                    level,
                    forced: latest,
                    literals: literals.clone(),
                });
            }
            let place = &mut self.places[variable(latest)];
            place.activity += self.bump;
            let reason = place.reason;
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
            for place in &mut self.places {
                place.activity *= 1e-100;
            }
            self.bump *= 1e-100;
        }
        learned
    }

    fn is_of(&self, literal: Literal, owner: Quantifier) -> bool {
        self.places[variable(literal)].owner == owner
    }

    /// Removes the other player's literals that have no own literal further inside. If there is no own literal at all,
    /// the game is over: the other player's literals of the outermost block are their strategy.
    fn reduce(&mut self, owner: Quantifier, literals: &mut Vec<Literal>) -> Option<Vec<Literal>> {
        let places = &self.places;
        let block = |literal: &Literal| places[variable(*literal)].block;
        let own = |literal: &&Literal| places[variable(**literal)].owner == owner;
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

    /// Returns the level to which the search may backtrack so that the literal is forced there.
    fn asserts(&self, owner: Quantifier, forced: Literal, literals: &[Literal]) -> Option<u32> {
        let place = &self.places[variable(forced)];
        if place.level == 0 {
            return None;
        }
        let mut level = 0;
        for literal in literals.iter().filter(|literal| **literal != forced) {
            let other = &self.places[variable(*literal)];
            if other.owner != owner && other.block > place.block {
                continue;
            }
            if self.value(*literal) != Some(false) || other.level >= place.level {
                return None;
            }
            level = level.max(other.level);
        }
        Some(level)
    }
}
