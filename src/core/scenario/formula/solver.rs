//! The winner of a quantified formula: search with learning on both sides (Zhang and Malik, ICCAD 2002;
//! Giunchiglia, Narizzano and Tacchella, JAIR 26, 2006), with long-distance resolution (Egly,
//! Lonsing and Widl, LPAR 2013).
//!
//! Everything is said once for both players. A **constraint** belongs to a player, who must make
//! one of its literals true or has lost. The clauses of the matrix are ∃'s; where values satisfy
//! all of them, ∀ must make one of the literals false that satisfied them, which is a constraint of
//! ∀'s (a cube, turned around). A constraint's *own* literals are of variables that its player
//! chooses; the *other's* count only while an own one of an inner block stands: they are reduced.
//!
//! The search is deterministic: no clock, no random numbers; effort is counted in literals. By hand:
//! a SAT solver does not alternate quantifiers, and a QBF solver in another language is a program to
//! install, which counts seconds.

mod analyse;
mod build;

use super::{Formula, Matrix, Position, Quantifier};
use crate::bits::Bits;
use analyse::LearnedConstraint;
use build::Builder;

/// A literal: the variable's number twice, plus one where it is negated.
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

/// Constraints end to end in one array.
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
        u32::try_from(self.ends.len() - 1).unwrap_or(NONE)
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
    /// Nothing yet, or it is satisfied.
    Open,
    /// Its player must make this literal true.
    Forces(Literal),
    /// Its player has lost here.
    Lost,
}

/// A variable and its value.
#[derive(Clone, Copy, Debug)]
struct Place {
    owner: Quantifier,
    /// Its block, from the outermost.
    block: u32,
    value: Option<bool>,
    /// The decisions before its value was set.
    level: u32,
    /// The constraint that forced it; [`NONE`] where it was decided.
    reason: u32,
    /// When its value was set.
    time: u32,
    /// The measure of its use in recent conflicts.
    activity: f64,
    /// The value that it is tried with first.
    phase: bool,
}

/// A formula some of whose outer blocks have values, and the search for its winner.
#[derive(Debug, Default)]
pub(super) struct QbfSearch {
    places: Vec<Place>,
    /// The variables of each block.
    blocks: Vec<Vec<Variable>>,
    /// The size and owner of the first block that is left; the owner of the rest is in `places`.
    first: Option<(usize, Quantifier)>,
    constraints: Constraints,
    /// The constraints that have each literal.
    occurrences: Vec<Vec<u32>>,
    /// The clauses of the matrix, which come first, and how many literals of each are true.
    satisfied: Vec<u32>,
    unsatisfied: usize,
    trail: Vec<Literal>,
    /// The length of the trail at each decision.
    decisions: Vec<usize>,
    next: usize,
    bump: f64,
    effort: u64,
    /// Scratch: which literals are in the constraint under analysis.
    marked: Vec<bool>,
}

impl QbfSearch {
    /// The game that is left once whole outer blocks have these values.
    pub(super) fn new(formula: &Formula, outer: &[bool]) -> Self {
        let mut builder = Builder::new(formula, outer);
        match formula.matrix() {
            Matrix::Clauses(clauses) => builder.clauses(clauses),
            Matrix::Circuit { .. } => builder.circuit(),
        }
        builder.search
    }

    /// Searches for so much effort.
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
            let conflict = lost
                .take()
                .map(|number| {
                    let literals = self.constraints.get(number).to_vec();
                    (self.constraints.owner(number), literals)
                })
                .or_else(|| (self.unsatisfied == 0).then(|| (Quantifier::ForAll, self.cover())));
            let Some((owner, literals)) = conflict else {
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
        for number in 0..u32::try_from(self.satisfied.len()).unwrap_or(NONE) {
            match self.state(number) {
                State::Open => {}
                State::Forces(literal) => self.set(literal, number),
                State::Lost => return Some(number),
            }
        }
        None
    }

    fn value(&self, literal: Literal) -> Option<bool> {
        let value = self.places[variable(literal)].value?;
        Some(value == (literal & 1 == 0))
    }

    fn state(&mut self, number: u32) -> State {
        let literals = self.constraints.get(number);
        let owner = self.constraints.owner(number);
        self.effort += literals.len() as u64 + 1;
        let (mut own, mut outermost) = (None, NONE);
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
        let level = u32::try_from(self.decisions.len()).unwrap_or(NONE);
        let time = u32::try_from(self.trail.len()).unwrap_or(NONE);
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

    /// Follows what is forced; the constraint whose player has lost, if there is one.
    fn propagate(&mut self) -> Option<u32> {
        while let Some(literal) = self.trail.get(self.next).copied() {
            self.next += 1;
            let falsified = negated(literal) as usize;
            for index in 0..self.occurrences[falsified].len() {
                let number = self.occurrences[falsified][index];
                match self.state(number) {
                    State::Open => {}
                    State::Forces(literal) => self.set(literal, number),
                    State::Lost => return Some(number),
                }
            }
        }
        None
    }

    /// Goes back to the values of the first so many decisions.
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

    /// Gives a value to the most active variable of the outermost block that has one left. `None`
    /// where every variable has a value, which cannot be: then a clause is false or all are true.
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
        self.effort += self
            .blocks
            .iter()
            .map(|block| block.len() as u64)
            .sum::<u64>()
            / 4
            + 1;
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
