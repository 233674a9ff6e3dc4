//! Problems as random computations of one bit a step, whose probabilities are debated.

use std::fmt::Debug;

use super::Key;
use crate::number::{Exact, Known};

/// A probabilistic oracle machine M that writes one bit a step (DE §6). Oracles are indexed by
/// history, as in the machine-checked version: the probability of the next bit depends on all bits
/// before it.
pub trait Process: Debug + Send + Sync {
    /// How many bits it writes; the last is its answer. At least 1.
    fn steps(&self) -> u64;
    /// The probability that the next bit is 1, given the bits so far (fewer than all).
    fn next(&self, bits: &[bool]) -> Known;
    /// Whether the bit after so many is the oracle's; else it follows from the bits so far and its
    /// probability is 0 or 1.
    fn is_oracle(&self, step: u64) -> bool;
    /// The claim "the bit that comes next is 1" after these bits: what a human judge votes on.
    fn claim(&self, bits: &[bool]) -> Key;
    /// The claim "the bit of this step is 1", whatever came before it: for the tree.
    fn step_claim(&self, step: u64) -> Key {
        Key::Step(step)
    }
    /// P[M = 1], exactly; `None` where there are too many histories to follow.
    fn accepts(&self) -> Option<Exact>;
    /// The Lipschitz constant K that the scenario claims (DE Definition 6.1).
    fn claimed_lipschitz(&self) -> Option<Exact> {
        None
    }
}
