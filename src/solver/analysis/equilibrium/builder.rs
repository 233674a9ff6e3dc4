//! Builds the sequence form of a game tree.
//!
//! A position begins a *closed subgame* if both debaters know the instance and the whole history. Its value depends
//! neither on earlier replies nor on other positions, so it is solved once and replaced by its value. Every bet is
//! opened when its round pays, so each round of a debate about a known instance begins a closed subgame.

use std::collections::{BTreeMap, HashMap};

use num_traits::Zero as _;

use super::plans::{SolverLimits, solve_form};
use super::sequence_form::{InformationSet, SequenceForm};
use crate::analysis::SolveError;
use crate::expectation::Unsolved;
use crate::game::{Action, GameEvent, GameMove, GameNode, GameTree, Side, StateKey};
use debate_core::budget::Budget;
use debate_core::number::{Exact, Number as _};
use debate_core::protocol::Reply;
use debate_core::scenario::Instance;

/// A game in sequence form. Closed subgames are replaced by lower bounds on their values.
#[derive(Clone, Debug)]
pub struct BuiltGame {
    pub form: SequenceForm<Exact>,
    /// The number of different closed subgames that were replaced.
    pub subgames: usize,
    /// An upper bound on the difference between the value of a subgame and its replacement.
    pub subgame_width: Exact,
}

/// A bracket of the value of a closed subgame, without payments before it.
#[derive(Clone, Debug)]
struct SubgameValue {
    lower: Exact,
    width: Exact,
}

/// A position whose successors are not visited yet.
struct Branch<'a> {
    node: GameNode<'a>,
    /// The product of the probabilities of all draws so far.
    chance: Exact,
    /// The current sequence of each debater.
    sequences: [usize; 2],
    /// True if the root claim has been answered.
    answered: bool,
}

/// A walk through a tree, with the values of its closed subgames.
pub(super) struct GameBuilder<'b, 'p, 'a> {
    tree: GameTree<'p, 'a>,
    budget: Budget<'b>,
    limits: SolverLimits,
    /// The number of positions that were reported to the budget.
    positions: u64,
    subgames: HashMap<StateKey, SubgameValue>,
}

impl<'b, 'p, 'a> GameBuilder<'b, 'p, 'a> {
    pub(super) fn new(tree: GameTree<'p, 'a>, limits: SolverLimits, budget: Budget<'b>) -> Self {
        Self {
            tree,
            budget,
            limits,
            positions: 0,
            subgames: HashMap::new(),
        }
    }

    /// Builds the game of the whole tree.
    ///
    /// # Errors
    /// Returns an error if the game has more positions than allowed, if a seat has too many replies, or if
    /// the judge has none.
    pub(super) fn build(mut self) -> Result<BuiltGame, SolveError> {
        let roots = self.tree.roots().into_iter();
        let open: Vec<Branch<'a>> = roots
            .map(|node| Branch {
                chance: self.tree.starts[node.start].chance.clone(),
                node,
                sequences: [0, 0],
                answered: false,
            })
            .collect();
        let mut part = PartBuilder::new(Exact::zero());
        part.visit_all(&mut self, open)?;
        part.form.reduce();
        part.form.positions = self.positions;
        Ok(BuiltGame {
            form: part.form,
            subgames: self.subgames.len(),
            subgame_width: part.subgame_width,
        })
    }

    /// Returns the value of a closed subgame, which is solved at its first visit.
    fn subgame_value(
        &mut self,
        node: GameNode<'a>,
        key: StateKey,
    ) -> Result<SubgameValue, SolveError> {
        if let Some(known) = self.subgames.get(&key) {
            return Ok(known.clone());
        }
        let mut part = PartBuilder::new(node.payoff());
        let root = Branch {
            node,
            chance: Exact::indicator(true),
            sequences: [0, 0],
            answered: true,
        };
        part.visit_all(self, vec![root])?;
        part.form.truly = None;
        part.form.reduce();
        let solved = solve_form(&part.form, self.limits, self.budget)?;
        let lower = if solved.lower == solved.upper {
            solved.lower
        } else {
            rounded_down(&solved.lower)
        };
        let value = SubgameValue {
            width: solved.upper - &lower + part.subgame_width,
            lower,
        };
        self.subgames.insert(key, value.clone());
        Ok(value)
    }

    /// Reports new positions to the budget.
    fn record_positions(&mut self) -> Result<(), Unsolved> {
        while self.positions < self.tree.positions {
            self.positions += 1;
            self.budget.record_steps(self.positions, "positions")?;
        }
        Ok(())
    }
}

/// Rounds a number down to a multiple of 2⁻⁹⁶, so that the fractions of later games stay short.
fn rounded_down(number: &Exact) -> Exact {
    let unit = Exact::ratio(2, 1).pow(-96);
    (number / &unit).floor() * unit
}

/// The sequence form of the part of a tree up to the closed subgames.
struct PartBuilder {
    /// The payment before the part's first position.
    paid: Exact,
    /// The index of each information set, by side.
    sets: [HashMap<u64, usize>; 2],
    form: SequenceForm<Exact>,
    subgame_width: Exact,
}

impl PartBuilder {
    fn new(paid: Exact) -> Self {
        Self {
            paid,
            sets: Default::default(),
            form: SequenceForm::without_moves(),
            subgame_width: Exact::zero(),
        }
    }

    /// Visits all positions after some branches.
    fn visit_all<'a>(
        &mut self,
        walk: &mut GameBuilder<'_, '_, 'a>,
        mut open: Vec<Branch<'a>>,
    ) -> Result<(), SolveError> {
        while let Some(branch) = open.pop() {
            self.visit(walk, branch, &mut open)?;
            walk.record_positions()?;
        }
        Ok(())
    }

    fn visit<'a>(
        &mut self,
        walk: &mut GameBuilder<'_, '_, 'a>,
        at: Branch<'a>,
        open: &mut Vec<Branch<'a>>,
    ) -> Result<(), SolveError> {
        let Branch {
            node,
            chance,
            sequences,
            answered,
        } = at;
        let next = match walk.tree.next_event(node)? {
            GameEvent::Move(next) => next,
            GameEvent::Subgame { key, mut node } => {
                if !answered {
                    self.form.truly = None;
                }
                let paid = node.payoff() - &self.paid;
                node.is_root = true;
                let value = walk.subgame_value(node, key)?;
                self.add_payoff(sequences, chance * (paid + value.lower));
                self.subgame_width = value.width.max(std::mem::take(&mut self.subgame_width));
                return Ok(());
            }
        };
        match next {
            GameMove::Over(payoff) => {
                if !answered {
                    self.form.truly = None;
                }
                self.add_payoff(sequences, chance * (payoff - &self.paid));
            }
            GameMove::Chance { each, .. } => {
                open.extend(each.into_iter().map(|(share, _, node)| Branch {
                    node,
                    chance: &chance * share,
                    sequences,
                    answered,
                }));
            }
            GameMove::Choice {
                side, set, each, ..
            } => {
                let first = self.set(side, set, sequences[side], each.len());
                for (index, (action, node)) in each.into_iter().enumerate() {
                    let mut sequences = sequences;
                    sequences[side] = first + index;
                    let answer = match action {
                        Action::Reply(Reply::Answer(answer)) => Some(answer),
                        _ => None,
                    };
                    if let Some(answer) = answer {
                        self.note_truth(walk.tree.instance(&node), answer, sequences, &chance);
                    }
                    open.push(Branch {
                        node,
                        chance: chance.clone(),
                        sequences,
                        answered: answered || answer.is_some(),
                    });
                }
            }
        }
        Ok(())
    }

    fn add_payoff(&mut self, [prover, opponent]: [usize; 2], payoff: Exact) {
        if !payoff.is_zero() {
            *self.form.payoff[prover].entry(opponent).or_default() += payoff;
        }
    }

    /// Returns the first sequence of a debater's information set.
    fn set(&mut self, side: Side, set: u64, parent: usize, replies: usize) -> usize {
        let seat = &mut self.form.seats[side];
        let next = seat.sets.len();
        let index = *self.sets[side].entry(set).or_insert(next);
        if index == next {
            seat.sets.push(InformationSet {
                parent,
                first: seat.sequences,
                replies,
            });
            seat.sequences += replies;
            if side == 0 {
                self.form.payoff.resize(seat.sequences, BTreeMap::new());
            }
        }
        seat.sets[index].first
    }

    /// Records if an answer to the root claim is true.
    fn note_truth(
        &mut self,
        instance: &Instance,
        answer: bool,
        sequences: [usize; 2],
        chance: &Exact,
    ) {
        match (instance.truth(instance.root()), &mut self.form.truly) {
            (Some(truth), Some(truly)) if sequences[1] == 0 => {
                if truth == answer {
                    truly.push((sequences[0], chance.clone()));
                }
            }
            _ => self.form.truly = None,
        }
    }
}
