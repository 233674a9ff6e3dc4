//! Builds the sequence form of a debate's game tree (von Stengel 1996): the sequences of each debater and their
//! payoffs.
//!
//! A position begins a *closed subgame* if both debaters know the instance and the whole history. Its value depends
//! neither on earlier replies nor on other positions, so it is solved once and replaced by its value. Every bet is
//! opened when its round pays, so each round of a debate about a known instance begins a closed subgame.

use std::collections::{BTreeMap, HashMap};

use num_traits::Zero as _;

use super::plans::{EquilibriumToleranceAndRounds, solve_form};
use super::sequence_form::{InformationSet, SequenceForm};
use crate::analysis::SolveError;
use crate::expectation::PayoffNotComputedReason;
use crate::game::{
    GameMove, GameNode, GameTreeDebaterAction, LazyGameTree, MoveOrSubgame, Side, StateKey,
};
use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number as _};
use debate_core::protocol::Reply;
use debate_core::scenario::Instance;

/// A game in sequence form in which each closed subgame is replaced by a lower bound on its value. In a closed subgame,
/// both debaters know everything so far.
#[derive(Clone, Debug)]
pub struct BuiltSequenceForm {
    pub form: SequenceForm<Exact>,
    /// The number of different closed subgames that were replaced by a number.
    pub subgames: usize,
    /// The error of a replacement is the value of the closed subgame minus the number that replaces it. No replacement
    /// has a larger error than this.
    pub subgame_width: Exact,
    /// True if the search for the value of a closed subgame was stopped or reached its maximum number of rounds.
    pub is_subgame_stopped: bool,
}

/// The lower end and the width of an interval that contains the value of a closed subgame. Earlier payments are not
/// included.
#[derive(Clone, Debug)]
struct SubgameValue {
    lower: Exact,
    width: Exact,
}

/// A position of the game tree whose successors have not been visited.
struct Branch<'a> {
    node: GameNode<'a>,
    /// The product of the probabilities of all chance moves before this position.
    chance: Exact,
    /// For prover and opponent, the sequence of own moves that leads to this position.
    sequences: [usize; 2],
    /// True if the prover has already answered the root claim.
    answered: bool,
}

/// Builds the sequence form during a walk through the game tree. Stores the values of the closed subgames, in which
/// both debaters know everything so far.
pub(super) struct SequenceFormBuilder<'b, 'p, 'a> {
    tree: LazyGameTree<'p, 'a>,
    budget: ComputationBudget<'b>,
    limits: EquilibriumToleranceAndRounds,
    /// The number of visited positions that were counted in the budget.
    positions: u64,
    subgames: HashMap<StateKey, SubgameValue>,
    is_subgame_stopped: bool,
}

impl<'b, 'p, 'a> SequenceFormBuilder<'b, 'p, 'a> {
    pub(super) fn new(
        tree: LazyGameTree<'p, 'a>,
        limits: EquilibriumToleranceAndRounds,
        budget: ComputationBudget<'b>,
    ) -> Self {
        Self {
            tree,
            budget,
            limits,
            positions: 0,
            subgames: HashMap::new(),
            is_subgame_stopped: false,
        }
    }

    /// Builds the sequence form of the whole game tree.
    ///
    /// # Errors
    /// Returns an error if the game has more positions than allowed, if a seat has too many replies, or if the judge
    /// has none. Also returns an error if the solver of linear programs fails for a closed subgame.
    pub(super) fn build(mut self) -> Result<BuiltSequenceForm, SolveError> {
        let roots = self.tree.initial_positions().into_iter();
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
        part.form.remove_irrelevant_sequences();
        part.form.positions = self.positions;
        Ok(BuiltSequenceForm {
            form: part.form,
            subgames: self.subgames.len(),
            subgame_width: part.subgame_width,
            is_subgame_stopped: self.is_subgame_stopped,
        })
    }

    /// Returns the value of a closed subgame. Solves the subgame at the first visit and stores its value.
    fn subgame_value(
        &mut self,
        node: GameNode<'a>,
        key: StateKey,
    ) -> Result<SubgameValue, SolveError> {
        if let Some(known) = self.subgames.get(&key) {
            return Ok(known.clone());
        }
        let mut part = PartBuilder::new(node.payments_to_prover_so_far());
        let root = Branch {
            node,
            chance: Exact::indicator(true),
            sequences: [0, 0],
            answered: true,
        };
        part.visit_all(self, vec![root])?;
        part.form.truly = None;
        part.form.remove_irrelevant_sequences();
        let solved = solve_form(&part.form, self.limits, self.budget)?;
        self.is_subgame_stopped |= solved.stopped;
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

    /// Counts newly visited positions in the budget.
    fn record_positions(&mut self) -> Result<(), PayoffNotComputedReason> {
        while self.positions < self.tree.positions {
            self.positions += 1;
            self.budget.check_total_steps(self.positions, "positions")?;
        }
        Ok(())
    }
}

/// Rounds the value of a closed subgame down to a multiple of 2⁻⁹⁶, so that the fractions in games that contain the
/// subgame stay short.
fn rounded_down(number: &Exact) -> Exact {
    let unit = Exact::ratio(2, 1).pow(-96);
    (number / &unit).floor() * unit
}

/// The sequence form of a subtree, which ends at the closed subgames.
struct PartBuilder {
    /// The payment to the prover before the subtree's first position.
    paid: Exact,
    /// For each side, the index of each information set by its number in the game tree.
    sets: [HashMap<u64, usize>; 2],
    form: SequenceForm<Exact>,
    subgame_width: Exact,
}

impl PartBuilder {
    fn new(paid: Exact) -> Self {
        Self {
            paid,
            sets: Default::default(),
            form: SequenceForm::game_without_moves(),
            subgame_width: Exact::zero(),
        }
    }

    /// Visits all positions below the given branches.
    fn visit_all<'a>(
        &mut self,
        walk: &mut SequenceFormBuilder<'_, '_, 'a>,
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
        walk: &mut SequenceFormBuilder<'_, '_, 'a>,
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
            MoveOrSubgame::Move(next) => next,
            MoveOrSubgame::Subgame { key, mut node } => {
                if !answered {
                    self.form.truly = None;
                }
                let paid = node.payments_to_prover_so_far() - &self.paid;
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
                        GameTreeDebaterAction::Reply(Reply::Answer(answer)) => Some(answer),
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

    /// Returns the index of the first sequence that ends at a debater's information set, adding the set if it is new.
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

    /// Records the sequence in which the prover answers the root claim, if the answer is true. If the truth is unknown
    /// or the opponent has already moved, sets the list of these sequences ([`SequenceForm::truly`]) to `None`.
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
