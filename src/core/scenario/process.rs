//! Random computations that write one bit per step; players debate the bits' probabilities. Also bounds on their
//! Lipschitz constant, which limits how much a change of the oracle changes the probability of output 1.

use std::collections::HashMap;
use std::fmt::Debug;

use num_traits::{One, Signed, Zero};

use super::ClaimKey;
use super::key::ClaimKeyContent;
use crate::bits::{BitString, low_binary_digits_highest_first};
use crate::number::{Exact, ExactWithFloat, Number as _, to_u32_saturating};

/// Maximum number of histories that [`RandomComputation::accepts`] tracks at the same time.
pub const MAX_HISTORIES: usize = 1 << 18;

/// Maximum total number of bits in the histories that [`RandomComputation::accepts`] creates.
const MAX_WORK: usize = 1 << 27;

/// A probabilistic oracle machine M that writes one bit per step (DE §6). As in the machine-checked version, the
/// oracle's probability of the next bit may depend on all bits before it.
pub trait RandomComputation: Debug + Send + Sync {
    /// Returns the number of bits that the computation writes, at least 1. The last bit is its answer.
    fn steps(&self) -> u64;
    /// Returns the number of witness bits. They are the first bits, and the prover gives them (DE Theorem 7.2).
    fn witness_length(&self) -> u64 {
        0
    }
    /// Returns the witness with which the computation is most likely to output 1.
    fn witness(&self) -> BitString {
        BitString::default()
    }
    /// Returns the number of bits that come after the witness.
    fn debated_steps(&self) -> u64 {
        self.steps().saturating_sub(self.witness_length())
    }
    /// Returns the probability that the next bit is 1, given the bits so far; there must be a next bit. For a bit of
    /// the witness it is 0 or 1, as in [`Self::witness`].
    fn next(&self, bits: &[bool]) -> ExactWithFloat;
    /// True if the oracle decides bit number `step`, counted from 0. Any other bit belongs to the witness or follows
    /// from the earlier bits, so its probability is 0 or 1.
    fn is_oracle(&self, step: u64) -> bool;
    /// Returns the claim that the next bit after these bits is 1. A human judge votes on this claim.
    fn claim(&self, bits: &[bool]) -> ClaimKey;
    /// Returns the claim that the bit of this step is 1, independent of the earlier bits, for the tree.
    fn step_claim(&self, step: u64) -> ClaimKey {
        ClaimKey(ClaimKeyContent::Step(step))
    }
    /// Normalises a history, so that histories with the same future can be merged. May set bits to 0 that no later step
    /// depends on, and reorder interchangeable bits. Leaves the last bit of a complete run unchanged.
    fn forget(&self, _bits: &mut [bool]) {}
    /// Returns the exact probability of output 1 after these bits; `None` if more than [`MAX_HISTORIES`] histories must
    /// be tracked, or if all histories together have too many bits.
    fn accepts_after(&self, bits: &[bool]) -> Option<Exact> {
        acceptance_probability_after(self, bits)
    }
    /// True if [`Self::accepts_after`] is fast for every history.
    fn is_acceptance_known(&self) -> bool {
        self.steps() <= MAX_QUICK_STEPS as u64
    }
    /// Returns the exact probability of output 1; `None` if too many histories must be tracked.
    fn accepts(&self) -> Option<Exact> {
        self.accepts_after(&[])
    }
    /// Returns the Lipschitz constant K that the scenario claims (DE Definition 6.1).
    fn claimed_lipschitz(&self) -> Option<Exact> {
        None
    }
}

/// Returns all witnesses of `length` bits in numeric order.
pub fn all_witnesses(length: u64) -> impl Iterator<Item = Vec<bool>> {
    (0..1_u64 << length).map(move |number| {
        low_binary_digits_highest_first(number, to_u32_saturating(length)).collect()
    })
}

/// Maximum number of steps of a computation for which enumerating all histories causes no noticeable delay.
pub(super) const MAX_QUICK_STEPS: usize = 16;

/// Returns the probability of output 1 after every history, after merging histories with the same future. `None` if
/// more than `most` histories remain.
pub(crate) fn acceptance_probabilities(
    process: &(impl RandomComputation + ?Sized),
    most: usize,
) -> Option<HashMap<Vec<bool>, Exact>> {
    let tree = Tree::of(process, Vec::new(), most)?;
    let ends = tree.ends.into_iter().map(|run| {
        let accepts = acceptance_of_run(&run);
        (run, accepts)
    });
    let inner = tree.levels.into_iter().flatten();
    let known: HashMap<_, _> = inner
        .map(|node| (node.history, node.accepts))
        .chain(ends)
        .collect();
    (known.len() <= most).then_some(known)
}

/// Appends a bit to a history, and returns the result normalised by [`RandomComputation::forget`].
pub(crate) fn history_with_bit(
    process: &(impl RandomComputation + ?Sized),
    history: &[bool],
    bit: bool,
) -> Vec<bool> {
    let mut longer = Vec::with_capacity(history.len() + 1);
    longer.extend_from_slice(history);
    longer.push(bit);
    process.forget(&mut longer);
    longer
}

/// Computes the probability of output 1 after these bits by enumerating all possible histories. `None` if
/// [`MAX_HISTORIES`] or [`MAX_WORK`] is exceeded.
pub(super) fn acceptance_probability_after(
    process: &(impl RandomComputation + ?Sized),
    bits: &[bool],
) -> Option<Exact> {
    let mut start = bits.to_vec();
    let mut work = 0_usize;
    let done = u64::try_from(start.len()).ok()?;
    if done < process.steps() {
        process.forget(&mut start);
    }
    let mut histories = HashMap::from([(start, Exact::one())]);
    for _ in done..process.steps() {
        let mut next: HashMap<Vec<bool>, Exact> = HashMap::with_capacity(2 * histories.len());
        for (history, chance) in histories {
            let p = process.next(&history);
            let sides = [(false, Exact::one() - p.exact()), (true, p.exact().clone())];
            for (bit, share) in sides.into_iter().filter(|(_, share)| !share.is_zero()) {
                let longer = history_with_bit(process, &history, bit);
                *next.entry(longer).or_insert_with(Exact::zero) += &chance * share;
            }
            if next.len() > MAX_HISTORIES {
                return None;
            }
        }
        let length = next.keys().next().map_or(0, Vec::len);
        work = work.saturating_add(next.len().saturating_mul(length));
        if work > MAX_WORK {
            return None;
        }
        histories = next;
    }
    let ones = histories
        .into_iter()
        .filter(|(history, _)| history.last() == Some(&true));
    Some(ones.fold(Exact::zero(), |sum, (_, chance)| sum + chance))
}

/// Maximum number of histories that [`lipschitz_bounds`] enumerates, after merging histories with the same future. The
/// limit is enough for all histories of 10 steps, and for longer runs whose future depends only on the number of 1s.
pub const MAX_LIPSCHITZ_HISTORIES: usize = 1 << 10;

/// The number of equal intervals of sup |O − O'|, from 0 to its maximum, on which the Lipschitz bounds are computed.
const GRID: u32 = 40;

/// A lower and an upper bound on the least K for which a random computation is K-Lipschitz at its oracle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LipschitzBounds {
    /// The lower bound: no smaller K suffices, because some oracle O' reaches this bound or comes arbitrarily close to
    /// it.
    pub low: Exact,
    /// The upper bound: this K suffices.
    pub high: Exact,
}

/// Computes bounds on the computation's Lipschitz constant, the least K that suffices. With at most
/// [`MAX_LIPSCHITZ_HISTORIES`] histories, the two bounds are close, and usually agree to many digits. With more
/// histories, the bounds are 0 and the number of oracle steps.
pub fn lipschitz_bounds(process: &(impl RandomComputation + ?Sized)) -> LipschitzBounds {
    lipschitz_bounds_within(process, &Exact::one())
}

/// Computes bounds on the least Lipschitz constant K that suffices for all oracles O' with sup |O − O'| ≤ `reach` (0 <
/// `reach` ≤ 1). The proof of DE Theorem 6.2 needs only those within 1/d. For a computation with a witness, the upper
/// bound holds for every witness, as DE Theorem 7.2 requires.
pub fn lipschitz_bounds_within(
    process: &(impl RandomComputation + ?Sized),
    reach: &Exact,
) -> LipschitzBounds {
    let each = all_witnesses(process.witness_length());
    let trees: Option<Vec<Tree>> = each
        .map(|witness| Tree::of(process, witness, MAX_LIPSCHITZ_HISTORIES))
        .collect();
    let bounds = trees
        .into_iter()
        .flatten()
        .map(|tree| tree.lipschitz(reach));
    if let Some(bounds) = bounds.reduce(|one, other| LipschitzBounds {
        low: one.low.max(other.low),
        high: one.high.max(other.high),
    }) {
        return bounds;
    }
    let oracles = (0..process.steps()).filter(|step| process.is_oracle(*step));
    LipschitzBounds {
        low: Exact::zero(),
        high: Exact::from_integer(oracles.count().into()),
    }
}

/// Returns 1 if a complete run of a random computation ends with the bit 1, that is, outputs 1; else 0.
fn acceptance_of_run(run: &[bool]) -> Exact {
    Exact::indicator(run.last() == Some(&true))
}

/// A node in the graph of histories: a history, that is, the bits written so far.
struct Node {
    history: Vec<bool>,
    /// The probability, under the oracle O, that the next bit is 1.
    p: Exact,
    /// True if another oracle O' may differ from the oracle O at this history.
    free: bool,
    /// The indices, in the level of the next step, of two nodes: those reached if the next bit is 0, and if it is 1.
    after: [usize; 2],
    /// The effect of the next bit, called the history's slope: the probability of output 1 (under the oracle O) if the
    /// next bit is 1, minus that if it is 0.
    slope: Exact,
    /// P_O[M = 1].
    accepts: Exact,
}

/// The graph of all histories, one level per step; histories with the same future are merged. `ends` contains the
/// complete runs.
struct Tree {
    levels: Vec<Vec<Node>>,
    ends: Vec<Vec<bool>>,
    accepts: Exact,
}

impl Tree {
    /// Builds the graph of histories. `None` if there are more than `most` incomplete histories.
    fn of(
        process: &(impl RandomComputation + ?Sized),
        witness: Vec<bool>,
        most: usize,
    ) -> Option<Self> {
        let mut levels: Vec<Vec<Node>> = Vec::new();
        let first = witness.len() as u64;
        let mut open: Vec<Vec<bool>> = vec![witness];
        let mut count = 0;
        for step in first..process.steps() {
            count += open.len();
            if count > most {
                return None;
            }
            let free = process.is_oracle(step);
            let mut indices: HashMap<Vec<bool>, usize> = HashMap::new();
            let level = open.into_iter().map(|history| {
                let after = [false, true].map(|bit| {
                    let next = indices.len();
                    *indices
                        .entry(history_with_bit(process, &history, bit))
                        .or_insert(next)
                });
                Node {
                    p: process.next(&history).exact().clone(),
                    history,
                    free,
                    after,
                    slope: Exact::zero(),
                    accepts: Exact::zero(),
                }
            });
            levels.push(level.collect());
            let mut next = vec![Vec::new(); indices.len()];
            for (history, index) in indices {
                next[index] = history;
            }
            open = next;
        }
        let mut tree = Self {
            levels,
            ends: open,
            accepts: Exact::zero(),
        };
        tree.fill();
        Some(tree)
    }

    /// Computes `accepts` (the probability of output 1) and `slope` (the effect of the next bit on it) of all nodes,
    /// from the last level backwards.
    fn fill(&mut self) {
        let mut values: Vec<Exact> = self.ends.iter().map(|run| acceptance_of_run(run)).collect();
        for level in self.levels.iter_mut().rev() {
            let value = |node: &mut Node| {
                let [no, yes] = node.after.map(|index| &values[index]);
                node.slope = yes - no;
                node.accepts = &node.p * &node.slope + no;
                node.accepts.clone()
            };
            values = level.iter_mut().map(value).collect();
        }
        self.accepts = values.swap_remove(0);
    }

    /// Computes a value for every history in the graph, from complete runs backwards, and returns the first node's
    /// value. `end` returns the value of a complete run from its answer; `found` combines the values after a 0 and
    /// after a 1.
    fn fold(
        &self,
        end: impl Fn(Exact) -> Exact,
        found: impl Fn(&Node, &Exact, &Exact) -> Exact,
    ) -> Exact {
        let mut values: Vec<Exact> = self
            .ends
            .iter()
            .map(|run| end(acceptance_of_run(run)))
            .collect();
        for level in self.levels.iter().rev() {
            let each = level.iter().map(|node| {
                let [no, yes] = node.after.map(|index| &values[index]);
                found(node, no, yes)
            });
            values = each.collect();
        }
        values.swap_remove(0)
    }

    fn lipschitz(&self, most: &Exact) -> LipschitzBounds {
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
        LipschitzBounds {
            high: high.min(self.sum_of_steepest_slopes()),
            low,
        }
    }

    /// Returns the largest change that oracles O' at distance `size` from O can cause, divided by `size`. The change is
    /// that of the probability of output 1, upwards (`side` +1) or downwards (−1). If `size` is 0, returns the limit.
    fn least(&self, side: &Exact, size: &Exact) -> Exact {
        if size.is_zero() {
            return self.most(side, size, size);
        }
        // The greatest (or least) P_O'[M = 1], exactly: every history is optimized independently.
        let reached = self.fold(
            |accepts| side * accepts,
            |node, no, yes| {
                let p = moved_probability(node, size, yes > no);
                &p * yes + (Exact::one() - &p) * no
            },
        );
        (reached - side * &self.accepts) / size
    }

    /// Returns an upper bound on [`Self::least`] for every size from `from` to `to`.
    ///
    /// P_O' − P_O = Σ over histories h of P_O'(h) · (O' − O)(h) · slope(h). For the bound, O' in P_O'(h) and O' in the
    /// difference are chosen separately, each as bad as the sizes allow.
    fn most(&self, side: &Exact, from: &Exact, to: &Exact) -> Exact {
        self.fold(
            |_| Exact::zero(),
            |node, no, yes| {
                let p = moved_probability(node, to, yes > no);
                let rest = &p * yes + (Exact::one() - &p) * no;
                let slope = side * &node.slope;
                slope.abs() * unclamped_proportion(node, from, slope.is_positive()) + rest
            },
        )
    }

    /// Returns an upper bound on the Lipschitz constant: the sum, over all steps that query the oracle, of the greatest
    /// absolute effect of the step's bit on the probability of output 1.
    fn sum_of_steepest_slopes(&self) -> Exact {
        let steepest = |level: &Vec<Node>| {
            let free = level.iter().filter(|node| node.free);
            free.map(|node| node.slope.abs()).max().unwrap_or_default()
        };
        self.levels.iter().map(steepest).sum()
    }
}

/// Returns the probability, under O', that the next bit is 1. If the step queries the oracle, this is the probability
/// under O, moved up or down by `size` and clamped to [0, 1]; otherwise it is the probability under O.
fn moved_probability(node: &Node, size: &Exact, up: bool) -> Exact {
    match (node.free, up) {
        (false, _) => node.p.clone(),
        (true, true) => (&node.p + size).min(Exact::one()),
        (true, false) => (&node.p - size).max(Exact::zero()),
    }
}

/// Returns an upper bound on the proportion of a change that clamping leaves. Another oracle raises or lowers the
/// node's probability by at least `from`, and the result is clamped to [0, 1].
fn unclamped_proportion(node: &Node, from: &Exact, up: bool) -> Exact {
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
