//! Learning from a loss: a constraint that tells the search how far to go back.

use super::super::Quantifier;
use super::{Literal, NONE, QbfSearch, negated, variable};

/// The result of an analysis.
pub(super) enum LearnedConstraint {
    /// Its player has lost the whole game; the other wins with these literals of the outermost
    /// block false.
    Over(Vec<Literal>),
    /// Go back to this level, where the literal is forced by these.
    Back {
        level: u32,
        forced: Literal,
        literals: Vec<Literal>,
    },
}

impl QbfSearch {
    /// Literals of which ∀ must make one true where all clauses are satisfied: the negations of
    /// some that satisfy them, few and of ∃'s inner blocks where possible, which are reduced.
    pub(super) fn cover(&mut self) -> Vec<Literal> {
        let mut cover = Vec::new();
        let clauses = u32::try_from(self.satisfied.len()).unwrap_or(NONE);
        for number in 0..clauses {
            let literals = self.constraints.get(number);
            self.effort += literals.len() as u64;
            let holding = literals.iter().filter(|l| self.value(**l) == Some(true));
            // Already taken, else ∃'s innermost, else ∀'s outermost.
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

    /// Resolves a lost constraint with what forced its literals, latest first, until it says at an
    /// earlier level what to do there.
    ///
    /// Latest first is what makes this sound: where a literal is resolved, every variable of the
    /// other's left of it had a value that leaves the reason alone, so literals that meet their
    /// negations belong to blocks right of it, as long-distance resolution demands. `None` where
    /// nothing forced the literal, which cannot be: a decision's constraint is taken before.
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

    /// Leaves out the other's literals that have no own one further inside. Where there is no own
    /// one at all, the game is over: the other's literals of the outermost block are its strategy.
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

    /// The level to which the search may go back so that the literal is forced there.
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
