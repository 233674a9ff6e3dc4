//! A debate as a game in sequence form: the information sets and sequences of each debater, and the payoff of
//! each pair of sequences, weighted by chance.
//!
//! A sequence is the list of a debater's own replies so far; the empty sequence has index 0. A plan gives each sequence
//! a weight, and the empty sequence has weight 1. At each information set, the weights of the sequences that end with
//! its replies sum to the weight of the parent sequence. The expected payoff is bilinear in the two plans, so the best
//! reply to a plan is computed exactly, from the last information sets to the first.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use num_traits::Zero as _;

use crate::game::Side;
use debate_core::number::{Exact, Number};

/// Maximum number of replies of an information set in which replies are compared. A final reply whose payoffs are the
/// mean of those of two other final replies is removed.
const MAX_COMPARED: usize = 16;

/// An information set of a debater.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InformationSet {
    /// The debater's sequence of moves that leads to this information set.
    pub parent: usize,
    /// The index of the sequence that ends with the set's first reply. The sequences of its other replies follow it.
    pub first: usize,
    pub replies: usize,
}

/// One debater's side of a game in sequence form. Each information set comes after all sets that precede it in play.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SequenceFormSide {
    pub sets: Vec<InformationSet>,
    /// The number of the debater's sequences of moves, including the empty one.
    pub sequences: usize,
}

/// A two-player zero-sum game in sequence form. Payoffs are those of the prover.
#[derive(Clone, Debug)]
pub struct SequenceForm<N> {
    /// The information sets and sequences of the prover and of the opponent.
    pub seats: [SequenceFormSide; 2],
    /// For each sequence of the prover, the payoffs by sequence of the opponent, weighted by chance.
    pub payoff: Vec<BTreeMap<usize, N>>,
    /// The sequences with which the prover answers the root claim truly, each with the probability of the instance.
    /// `None` if the claim cannot be decided or is not always answered, or if the opponent moves first.
    pub truly: Option<Vec<(usize, N)>>,
    /// The number of positions of the game that were visited.
    pub positions: u64,
}

impl<N: Number> SequenceForm<N> {
    /// Creates a game in which neither side has a move.
    pub(super) fn game_without_moves() -> Self {
        let seat = SequenceFormSide {
            sets: Vec::new(),
            sequences: 1,
        };
        Self {
            seats: [seat.clone(), seat],
            payoff: vec![BTreeMap::new()],
            truly: Some(Vec::new()),
            positions: 0,
        }
    }

    /// Returns the payoff of each sequence of one side against the other side's plan `other_side_plan`. `own_side` is 0
    /// for the prover, 1 for the opponent.
    pub fn sequence_payoffs_against(&self, own_side: Side, other_side_plan: &[N]) -> Vec<N> {
        let mut payoffs = vec![N::zero(); self.seats[own_side].sequences];
        for (own, row) in self.payoff.iter().enumerate() {
            for (other, payoff) in row {
                let (to, weight) = match own_side {
                    0 => (own, &other_side_plan[*other]),
                    _ => (*other, &other_side_plan[own]),
                };
                if !weight.is_zero() {
                    payoffs[to] += payoff.clone() * weight.clone();
                }
            }
        }
        payoffs
    }

    /// Returns, for each sequence of a side, the payoff if the side gives best replies after this sequence. The other
    /// side follows `plan_of_other_side`.
    pub fn sequence_values_with_best_replies(
        &self,
        replying_side: Side,
        plan_of_other_side: &[N],
    ) -> Vec<N> {
        let mut worth = self.sequence_payoffs_against(replying_side, plan_of_other_side);
        for set in self.seats[replying_side].sets.iter().rev() {
            let each = &worth[set.first..set.first + set.replies];
            let better = |one: &N, other: &N| match replying_side {
                0 => one > other,
                _ => one < other,
            };
            let best = each
                .iter()
                .reduce(|best, value| if better(value, best) { value } else { best });
            let more = best.cloned().unwrap_or_else(N::zero);
            worth[set.parent] += more;
        }
        worth
    }

    /// Returns the prover's payoff if `replying_side` gives its best reply to the other side's plan.
    pub fn prover_payoff_under_best_reply(&self, replying_side: Side, other_side_plan: &[N]) -> N {
        self.sequence_values_with_best_replies(replying_side, other_side_plan)
            .swap_remove(0)
    }

    /// Returns the probability that the prover answers the root claim truly under its plan; `None` if `truly` is
    /// `None`.
    pub fn prover_true_answer_probability(&self, plan: &[N]) -> Option<N> {
        let each = self.truly.as_ref()?.iter();
        Some(each.fold(N::zero(), |sum, (sequence, share)| {
            sum + plan[*sequence].clone() * share.clone()
        }))
    }
}

impl SequenceForm<Exact> {
    /// Returns an exact plan that is close to floating-point weights. At each information set, the proportions of the
    /// replies are rounded to multiples of 2⁻⁴⁰ that sum to 1.
    pub fn exact_plan_near_weights(&self, side: Side, weights: &[f64]) -> Vec<Exact> {
        const UNITS: i64 = 1 << 40;
        let mut plan = vec![Exact::zero(); self.seats[side].sequences];
        plan[0] = Exact::indicator(true);
        for set in &self.seats[side].sets {
            let each = &weights[set.first..set.first + set.replies];
            let each: Vec<f64> = each.iter().map(|weight| weight.max(0.0)).collect();
            let sum: f64 = each.iter().sum();
            let mut left = UNITS;
            let mut most = 0;
            let mut units = Vec::with_capacity(each.len());
            for (reply, weight) in each.iter().enumerate() {
                if *weight > each[most] {
                    most = reply;
                }
                let share = if sum > 0.0 { weight / sum } else { 0.0 };
                #[expect(clippy::cast_precision_loss, reason = "a power of two")]
                let scaled = (share * UNITS as f64).floor();
                #[expect(clippy::cast_possible_truncation, reason = "at most 2⁴⁰")]
                let own = (scaled as i64).min(left);
                left -= own;
                units.push(own);
            }
            units[most] += left;
            for (reply, own) in units.into_iter().enumerate() {
                let weight = &plan[set.parent] * Exact::ratio(own, UNITS);
                plan[set.first + reply] = weight;
            }
        }
        plan
    }

    /// Returns this game with payoffs in floating point.
    pub fn float_form(&self) -> SequenceForm<f64> {
        let row = |row: &BTreeMap<usize, Exact>| {
            let each = row.iter();
            each.map(|(other, payoff)| (*other, payoff.to_float()))
                .collect()
        };
        let float = |(sequence, share): &(usize, Exact)| (*sequence, share.to_float());
        let truly = (self.truly.as_ref()).map(|each| each.iter().map(float).collect());
        SequenceForm {
            seats: self.seats.clone(),
            payoff: self.payoff.iter().map(row).collect(),
            truly,
            positions: self.positions,
        }
    }

    /// Removes sequences and information sets that do not affect the value, until neither of two simplifications
    /// applies.
    pub(super) fn remove_irrelevant_sequences(&mut self) {
        let mut again = true;
        while again {
            again = false;
            for side in [0, 1] {
                again |= self.replace_sets_by_best_replies(side);
                again |= self.drop_mean_replies(side);
            }
        }
    }

    /// Returns, for each sequence of one side, the payoffs by sequence of the other side. For the prover, takes them
    /// out of `payoff`.
    fn rows(&mut self, side: Side) -> Vec<BTreeMap<usize, Exact>> {
        match side {
            0 => std::mem::take(&mut self.payoff),
            _ => transposed(&self.payoff, self.seats[1].sequences),
        }
    }

    /// Returns, for each sequence of a side, the number of information sets that follow it directly.
    fn count_sets_after(&self, side: Side) -> Vec<usize> {
        let seat = &self.seats[side];
        let mut behind = vec![0_usize; seat.sequences];
        for set in &seat.sets {
            behind[set.parent] += 1;
        }
        behind
    }

    /// True if the prover answers the root claim truly in one of the sequences `own`.
    fn answers(&self, side: Side, own: &Range<usize>) -> bool {
        let truly = self.truly.as_ref().filter(|_| side == 0);
        truly.is_some_and(|each| each.iter().any(|(at, _)| own.contains(at)))
    }

    /// Replaces each information set by its best reply if only this debater still matters there. This holds if no set
    /// follows and all payoffs belong to one sequence of the other debater. Returns true if it replaced a set.
    fn replace_sets_by_best_replies(&mut self, side: Side) -> bool {
        let mut behind = self.count_sets_after(side);
        let mut rows = self.rows(side);
        let seat = &self.seats[side];
        let mut closed = vec![false; seat.sequences];
        for set in seat.sets.iter().rev() {
            let own = set.first..set.first + set.replies;
            let others: BTreeSet<usize> = own
                .clone()
                .flat_map(|sequence| rows[sequence].keys().copied())
                .collect();
            let continues = own.clone().any(|sequence| behind[sequence] > 0);
            if self.answers(side, &own) || others.len() > 1 || continues {
                continue;
            }
            closed[own.clone()].fill(true);
            behind[set.parent] -= 1;
            let Some(other) = others.first() else {
                continue;
            };
            let each = own
                .clone()
                .map(|sequence| rows[sequence].remove(other).unwrap_or_default());
            let best = match side {
                0 => each.max(),
                _ => each.min(),
            };
            *rows[set.parent].entry(*other).or_default() += best.unwrap_or_default();
        }
        self.remove_closed(side, rows, &closed)
    }

    /// Removes final replies whose payoffs are the mean of those of two other replies, because the debater can mix
    /// these two instead. A final bet of 0 is such a reply. Returns true if it removed a reply.
    fn drop_mean_replies(&mut self, side: Side) -> bool {
        let behind = self.count_sets_after(side);
        let rows = self.rows(side);
        let mut closed = vec![false; self.seats[side].sequences];
        for set in &self.seats[side].sets {
            let own = set.first..set.first + set.replies;
            if set.replies > MAX_COMPARED || self.answers(side, &own) {
                continue;
            }
            let last: Vec<usize> = own.filter(|sequence| behind[*sequence] == 0).collect();
            let mean = last.iter().find(|one| {
                let others = || last.iter().filter(|other| other != one);
                let mut pairs = others().flat_map(|a| others().map(move |b| (a, b)));
                pairs.any(|(a, b)| a < b && is_mean(&rows[**one], &rows[*a], &rows[*b]))
            });
            if let Some(mean) = mean {
                closed[*mean] = true;
            }
        }
        self.remove_closed(side, rows, &closed)
    }

    /// Removes the sequences marked in `closed`, and information sets without other sequences. Renumbers the remaining
    /// ones. Returns true if it removed a sequence.
    fn remove_closed(
        &mut self,
        side: Side,
        rows: Vec<BTreeMap<usize, Exact>>,
        closed: &[bool],
    ) -> bool {
        let mut numbers = vec![0; closed.len()];
        let mut left = Vec::new();
        for (sequence, row) in rows.into_iter().enumerate() {
            numbers[sequence] = left.len();
            if !closed[sequence] {
                left.push(row);
            }
        }
        let seat = &mut self.seats[side];
        for set in &mut seat.sets {
            let own = &closed[set.first..set.first + set.replies];
            set.replies = own.iter().filter(|closed| !**closed).count();
            (set.parent, set.first) = (numbers[set.parent], numbers[set.first]);
        }
        seat.sets.retain(|set| set.replies > 0);
        seat.sequences = left.len();
        if side == 0 {
            for (sequence, _) in self.truly.iter_mut().flatten() {
                *sequence = numbers[*sequence];
            }
            self.payoff = left;
        } else {
            self.payoff = transposed(&left, self.seats[0].sequences);
        }
        closed.contains(&true)
    }
}

/// True if each payoff of the sequence `one` is the mean of the corresponding payoffs of `a` and `b`.
fn is_mean(
    one: &BTreeMap<usize, Exact>,
    a: &BTreeMap<usize, Exact>,
    b: &BTreeMap<usize, Exact>,
) -> bool {
    let zero = Exact::zero();
    let twice = |at: &usize| {
        let of = |row: &BTreeMap<usize, Exact>| row.get(at).unwrap_or(&zero).clone();
        of(a) + of(b) == of(one) * Exact::ratio(2, 1)
    };
    a.keys().chain(b.keys()).chain(one.keys()).all(twice)
}

/// Transposes the table of payoffs. `sequences` is the number of the other side's sequences.
fn transposed(rows: &[BTreeMap<usize, Exact>], sequences: usize) -> Vec<BTreeMap<usize, Exact>> {
    let mut turned = vec![BTreeMap::new(); sequences];
    for (own, row) in rows.iter().enumerate() {
        for (other, payoff) in row {
            turned[*other].insert(own, payoff.clone());
        }
    }
    turned
}
