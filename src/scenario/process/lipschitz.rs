//! How much a random computation's answer moves where its oracle moves a little.
//!
//! M is K-Lipschitz at O where |P_O[M = 1] − P_O'[M = 1]| ≤ K · sup |O − O'| for every other
//! oracle O'. As in the machine-checked version of DE Theorem 6.2, O and the input stay as they are
//! and O' alone varies, at every history by itself.

use num_traits::{One, Signed, Zero};

use super::Process;
use crate::number::Exact;

/// The most steps of which [`lipschitz`] follows all histories.
pub const MAX_STEPS: u64 = 8;

/// Sizes of sup |O − O'| that are looked at: every multiple of 1/[`GRID`].
const GRID: u32 = 40;

/// Bounds on the least K with which a random computation is K-Lipschitz at its oracle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lipschitz {
    /// No smaller K will do: some O' shows it, or comes as near as one likes.
    pub low: Exact,
    /// This K does.
    pub high: Exact,
}

/// Bounds on the least K. Up to [`MAX_STEPS`] steps they are close, and mostly equal to many
/// digits; beyond that they are 0 and the number of oracle steps.
#[must_use]
pub fn lipschitz(process: &(impl Process + ?Sized)) -> Lipschitz {
    if process.steps() <= MAX_STEPS {
        return Tree::of(process).lipschitz();
    }
    let oracles = (0..process.steps()).filter(|step| process.is_oracle(*step));
    Lipschitz {
        low: Exact::zero(),
        high: Exact::from_integer(oracles.count().into()),
    }
}

/// What is known of a history.
struct Node {
    /// P_O of a 1 next.
    p: Exact,
    /// Whether O' may have another.
    free: bool,
    /// P_O[M = 1] after a 1 next less after a 0 next.
    slope: Exact,
}

/// All histories that are shorter than the whole, level by level; the two after number i of a
/// level are 2i and 2i + 1 of the next.
struct Tree {
    levels: Vec<Vec<Node>>,
    accepts: Exact,
}

impl Tree {
    fn of(process: &(impl Process + ?Sized)) -> Self {
        let steps = u32::try_from(process.steps()).unwrap_or(u32::MAX);
        let mut levels: Vec<Vec<Node>> = Vec::new();
        // Of histories of equal length the next probabilities, then backwards what they lead to.
        let mut values: Vec<Exact> = (0..1_u64 << steps)
            .map(|history| Exact::from_integer((history & 1).into()))
            .collect();
        for step in (0..steps).rev() {
            let free = process.is_oracle(step.into());
            let level: Vec<Node> = (0..1_u64 << step)
                .zip(values.chunks(2))
                .map(|(history, after)| {
                    let bits: Vec<bool> =
                        (0..step).rev().map(|at| history >> at & 1 == 1).collect();
                    let p = process.next(&bits).exact().clone();
                    let slope = match after {
                        [no, yes] => yes - no,
                        _ => Exact::zero(),
                    };
                    Node { p, free, slope }
                })
                .collect();
            values = level
                .iter()
                .zip(values.chunks(2))
                .map(|(node, after)| &node.p * &node.slope + &after[0])
                .collect();
            levels.push(level);
        }
        levels.reverse();
        Self {
            levels,
            accepts: values.swap_remove(0),
        }
    }

    fn lipschitz(&self) -> Lipschitz {
        let mut low = Exact::zero();
        let mut high = Exact::zero();
        for side in [1, -1] {
            let side = Exact::from_integer(side.into());
            let mut reach = Exact::zero();
            for number in 0..=GRID {
                let size = Exact::new(number.into(), GRID.into());
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

    /// How far the answer moves to one side per size of O' − O where that size is `size`; in the
    /// limit where it is 0.
    fn least(&self, side: &Exact, size: &Exact) -> Exact {
        if size.is_zero() {
            return self.most(side, size, size);
        }
        // The greatest (or least) P_O'[M = 1], exactly: every history chooses for itself.
        let last = self.levels.len();
        let mut values: Vec<Exact> = (0..1_u64 << last)
            .map(|history| side * Exact::from_integer((history & 1).into()))
            .collect();
        for level in self.levels.iter().rev() {
            values = level
                .iter()
                .zip(values.chunks(2))
                .map(|(node, after)| {
                    let up = after[1] > after[0];
                    let p = moved(node, size, up);
                    &p * &after[1] + (Exact::one() - &p) * &after[0]
                })
                .collect();
        }
        let reached = values.swap_remove(0);
        (reached - side * &self.accepts) / size
    }

    /// A bound on the same for every size from `from` to `to`.
    ///
    /// P_O' − P_O = Σ over histories h of P_O'(h) · (O' − O)(h) · slope(h); here O' in P_O'(h) and
    /// in the difference are chosen apart, each as bad as its size allows.
    fn most(&self, side: &Exact, from: &Exact, to: &Exact) -> Exact {
        let mut values = vec![Exact::zero(); 1 << self.levels.len()];
        for level in self.levels.iter().rev() {
            values = level
                .iter()
                .zip(values.chunks(2))
                .map(|(node, after)| {
                    let p = moved(node, to, after[1] > after[0]);
                    let rest = &p * &after[1] + (Exact::one() - &p) * &after[0];
                    let slope = side * &node.slope;
                    slope.abs() * share(node, from, slope.is_positive()) + rest
                })
                .collect();
        }
        values.swap_remove(0)
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

/// How much of a move of any size from `from` on there is room for, at most 1.
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
