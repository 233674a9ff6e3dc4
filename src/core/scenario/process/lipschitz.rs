//! Lipschitz constants: how much a random computation's answer moves where its oracle moves a little.
//!
//! M is K-Lipschitz at O where |P_O[M = 1] − P_O'[M = 1]| ≤ K · sup |O − O'| for every other
//! oracle O'. As in the machine-checked version of DE Theorem 6.2, O and the input stay as they are
//! and O' alone varies, at every history by itself.

use std::collections::HashMap;

use num_traits::{One, Signed, Zero};

use super::{Process, extended, witnesses};
use crate::number::{Exact, Number as _};

/// The most histories that [`lipschitz`] follows, those with the same future being one: all of 8
/// steps, or as many counts of longer runs of which only counts matter.
pub const MAX_HISTORIES: usize = 1 << 10;

/// Sizes of sup |O − O'| that are looked at: so many, evenly spaced.
const GRID: u32 = 40;

/// Bounds on the least K with which a random computation is K-Lipschitz at its oracle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lipschitz {
    /// No smaller K will do: some O' shows it, or comes as near as one likes.
    pub low: Exact,
    /// This K does.
    pub high: Exact,
}

/// Bounds on the least K. Up to [`MAX_HISTORIES`] histories they are close, and mostly equal to many
/// digits; beyond that they are 0 and the number of oracle steps.
pub fn lipschitz(process: &(impl Process + ?Sized)) -> Lipschitz {
    lipschitz_within(process, &Exact::one())
}

/// The same where O' is at most so far away from O (above 0, at most 1): the proof of DE Theorem
/// 6.2 looks no further than 1/d. Of a computation with a witness K holds for every witness, as DE
/// Theorem 7.2 asks.
pub fn lipschitz_within(process: &(impl Process + ?Sized), reach: &Exact) -> Lipschitz {
    let each = witnesses(process.witness_length());
    let trees: Option<Vec<Tree>> = each.map(|witness| Tree::of(process, witness)).collect();
    let found = trees
        .into_iter()
        .flatten()
        .map(|tree| tree.lipschitz(reach));
    if let Some(found) = found.reduce(|one, other| Lipschitz {
        low: one.low.max(other.low),
        high: one.high.max(other.high),
    }) {
        return found;
    }
    let oracles = (0..process.steps()).filter(|step| process.is_oracle(*step));
    Lipschitz {
        low: Exact::zero(),
        high: Exact::from_integer(oracles.count().into()),
    }
}

/// A history and its future.
struct Node {
    /// P_O of a 1 next.
    p: Exact,
    /// True if O' may have another.
    free: bool,
    /// The places in the next level of the histories after a 0 and after a 1.
    after: [usize; 2],
    /// P_O[M = 1] after a 1 next less after a 0 next.
    slope: Exact,
}

/// All histories, level by level; those with the same future are one. The last level is of whole
/// runs: whether each ends in a 1.
struct Tree {
    levels: Vec<Vec<Node>>,
    ends: Vec<bool>,
    accepts: Exact,
}

impl Tree {
    /// `None` where there are more than [`MAX_HISTORIES`] histories shorter than the whole.
    fn of(process: &(impl Process + ?Sized), witness: Vec<bool>) -> Option<Self> {
        let mut levels: Vec<Vec<Node>> = Vec::new();
        let first = witness.len() as u64;
        let mut open: Vec<Vec<bool>> = vec![witness];
        let mut count = 0;
        for step in first..process.steps() {
            count += open.len();
            if count > MAX_HISTORIES {
                return None;
            }
            let free = process.is_oracle(step);
            let mut places: HashMap<Vec<bool>, usize> = HashMap::new();
            let level = open.iter().map(|history| {
                let after = [false, true].map(|bit| {
                    let next = places.len();
                    *places
                        .entry(extended(process, history, bit))
                        .or_insert(next)
                });
                Node {
                    p: process.next(history).exact().clone(),
                    free,
                    after,
                    slope: Exact::zero(),
                }
            });
            levels.push(level.collect());
            let mut next = vec![Vec::new(); places.len()];
            for (history, place) in places {
                next[place] = history;
            }
            open = next;
        }
        let mut tree = Self {
            levels,
            ends: open.iter().map(|run| run.last() == Some(&true)).collect(),
            accepts: Exact::zero(),
        };
        tree.fill();
        Some(tree)
    }

    /// Fills in the slopes, from the last level backwards.
    fn fill(&mut self) {
        let ends = self.ends.iter().map(|end| Exact::indicator(*end));
        let mut values: Vec<Exact> = ends.collect();
        for level in self.levels.iter_mut().rev() {
            let value = |node: &mut Node| {
                let [no, yes] = node.after.map(|place| &values[place]);
                node.slope = yes - no;
                &node.p * &node.slope + no
            };
            values = level.iter_mut().map(value).collect();
        }
        self.accepts = values.swap_remove(0);
    }

    /// The value at the start where `end` gives the values at the ends, and at each history before them
    /// what a function makes of what was found after a 0 and after a 1.
    fn fold(
        &self,
        end: impl Fn(bool) -> Exact,
        found: impl Fn(&Node, &Exact, &Exact) -> Exact,
    ) -> Exact {
        let mut values: Vec<Exact> = self.ends.iter().map(|ones| end(*ones)).collect();
        for level in self.levels.iter().rev() {
            let each = level.iter().map(|node| {
                let [no, yes] = node.after.map(|place| &values[place]);
                found(node, no, yes)
            });
            values = each.collect();
        }
        values.swap_remove(0)
    }

    fn lipschitz(&self, most: &Exact) -> Lipschitz {
        let mut low = Exact::zero();
        let mut high = Exact::zero();
        for side in [1, -1] {
            let side = Exact::from_integer(side.into());
            let mut reach = Exact::zero();
            for number in 0..=GRID {
                let size = Exact::new(number.into(), GRID.into()) * most;
                low = low.max(self.least(&side, &size));
                if number > 0 {
                    high = high.max(self.most(&side, &reach, &size));
                }
                reach = size;
            }
        }
        Lipschitz {
            high: high.min(self.crude()),
            low,
        }
    }

    /// The move of the answer to one side per size of O' − O where that size is `size`; in the
    /// limit where it is 0.
    fn least(&self, side: &Exact, size: &Exact) -> Exact {
        if size.is_zero() {
            return self.most(side, size, size);
        }
        // The greatest (or least) P_O'[M = 1], exactly: every history chooses for itself.
        let reached = self.fold(
            |ones| side * Exact::indicator(ones),
            |node, no, yes| {
                let p = moved(node, size, yes > no);
                &p * yes + (Exact::one() - &p) * no
            },
        );
        (reached - side * &self.accepts) / size
    }

    /// A bound on the same for every size from `from` to `to`.
    ///
    /// P_O' − P_O = Σ over histories h of P_O'(h) · (O' − O)(h) · slope(h); here O' in P_O'(h) and
    /// in the difference are chosen apart, each as bad as its size allows.
    fn most(&self, side: &Exact, from: &Exact, to: &Exact) -> Exact {
        self.fold(
            |_| Exact::zero(),
            |node, no, yes| {
                let p = moved(node, to, yes > no);
                let rest = &p * yes + (Exact::one() - &p) * no;
                let slope = side * &node.slope;
                slope.abs() * share(node, from, slope.is_positive()) + rest
            },
        )
    }

    /// The sum over the steps of the steepest history.
    fn crude(&self) -> Exact {
        let steepest = |level: &Vec<Node>| {
            let free = level.iter().filter(|node| node.free);
            free.map(|node| node.slope.abs()).max().unwrap_or_default()
        };
        self.levels.iter().map(steepest).sum()
    }
}

/// O' next to O: moved up or down by `size` as far as there is room.
fn moved(node: &Node, size: &Exact, up: bool) -> Exact {
    match (node.free, up) {
        (false, _) => node.p.clone(),
        (true, true) => (&node.p + size).min(Exact::one()),
        (true, false) => (&node.p - size).max(Exact::zero()),
    }
}

/// The share of a move of any size from `from` on for which there is room, at most 1.
fn share(node: &Node, from: &Exact, up: bool) -> Exact {
    let room = if up {
        Exact::one() - &node.p
    } else {
        node.p.clone()
    };
    if !node.free || room.is_zero() {
        Exact::zero()
    } else if from.is_zero() {
        Exact::one()
    } else {
        (room / from).min(Exact::one())
    }
}
