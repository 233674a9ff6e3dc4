//! Walks a game and writes it down in sequence form.

use std::collections::{BTreeMap, HashMap};

use num_traits::Zero as _;

use super::{InformationSet, SeatForm, SequenceForm};
use crate::analysis::information::tree::{Action, GameMove, GameNode, GameTree, Side};
use crate::expectation::Unsolved;
use debate_core::budget::Budget;
use debate_core::number::Exact;
use debate_core::protocol::{Reply, Request};

/// A position that is not walked on from yet.
struct Branch<'a> {
    node: GameNode<'a>,
    /// The probability of all draws on the way.
    chance: Exact,
    /// The sequence of each debater.
    sequences: [usize; 2],
    /// True if the root claim has been answered.
    answered: bool,
}

pub(super) struct Builder<'b, 'p, 'a> {
    tree: GameTree<'p, 'a>,
    budget: Budget<'b>,
    /// The place of each information set, by side.
    sets: [HashMap<u64, usize>; 2],
    form: SequenceForm<Exact>,
}

impl<'b, 'p, 'a> Builder<'b, 'p, 'a> {
    pub(super) fn new(tree: GameTree<'p, 'a>, budget: Budget<'b>) -> Self {
        let seat = SeatForm {
            sets: Vec::new(),
            sequences: 1,
        };
        Self {
            tree,
            budget,
            sets: Default::default(),
            form: SequenceForm {
                seats: [seat.clone(), seat],
                payoff: vec![BTreeMap::new()],
                truly: Some(Vec::new()),
                positions: 0,
            },
        }
    }

    pub(super) fn built(mut self) -> Result<SequenceForm<Exact>, Unsolved> {
        let roots = self.tree.roots().into_iter();
        let mut open: Vec<Branch<'a>> = roots
            .map(|node| Branch {
                chance: self.tree.chance(&node).clone(),
                node,
                sequences: [0, 0],
                answered: false,
            })
            .collect();
        while let Some(branch) = open.pop() {
            self.position(branch, &mut open)?;
            while self.form.positions < self.tree.positions() {
                self.form.positions += 1;
                self.budget.taken(self.form.positions, "positions")?;
            }
        }
        self.form.reduce();
        Ok(self.form)
    }

    fn position(&mut self, at: Branch<'a>, open: &mut Vec<Branch<'a>>) -> Result<(), Unsolved> {
        let Branch {
            node,
            chance,
            sequences,
            answered,
        } = at;
        match self.tree.step(node)? {
            GameMove::Over(payoff) => {
                if !answered {
                    self.form.truly = None;
                }
                let payoff = chance * payoff;
                if !payoff.is_zero() {
                    let row = &mut self.form.payoff[sequences[0]];
                    *row.entry(sequences[1]).or_default() += payoff;
                }
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
                side,
                set,
                request,
                each,
            } => {
                let first = self.set(side, set, sequences[side], each.len());
                let asks = matches!(request, Some(Request::Answer { .. }));
                for (place, (action, node)) in each.into_iter().enumerate() {
                    let mut sequences = sequences;
                    sequences[side] = first + place;
                    let answers = asks && matches!(action, Action::Reply(_));
                    if answers {
                        self.note_truth(&node, &action, sequences, &chance);
                    }
                    open.push(Branch {
                        node,
                        chance: chance.clone(),
                        sequences,
                        answered: answered || answers,
                    });
                }
            }
        }
        Ok(())
    }

    /// The first sequence of the set in which a debater finds itself.
    fn set(&mut self, side: Side, set: u64, parent: usize, replies: usize) -> usize {
        let seat = &mut self.form.seats[side];
        let next = seat.sets.len();
        let place = *self.sets[side].entry(set).or_insert(next);
        if place == next {
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
        seat.sets[place].first
    }

    /// Notes whether an answer to the root claim is true.
    fn note_truth(
        &mut self,
        node: &GameNode<'a>,
        action: &Action,
        sequences: [usize; 2],
        chance: &Exact,
    ) {
        let instance = self.tree.instance(node);
        let truth = instance.truth(instance.root());
        let Action::Reply(Reply::Answer(answer)) = action else {
            return;
        };
        match (truth, &mut self.form.truly) {
            (Some(truth), Some(truly)) if sequences[1] == 0 => {
                if truth == *answer {
                    truly.push((sequences[0], chance.clone()));
                }
            }
            _ => self.form.truly = None,
        }
    }
}
