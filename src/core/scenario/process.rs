//! Problems as random computations of one bit a step, whose probabilities are debated.

mod lipschitz;

use crate::scenario::key::Key;
use std::collections::{HashMap, HashSet};
use std::fmt::Debug;

use num_traits::{One, Zero};

pub use lipschitz::{
    Lipschitz, MAX_HISTORIES as MAX_LIPSCHITZ_HISTORIES, lipschitz, lipschitz_within,
};

use super::ClaimKey;
use crate::bits::Bits;
use crate::number::{Exact, Known, Number as _};

/// The most histories at once that [`Process::accepts`] follows.
pub const MAX_HISTORIES: usize = 1 << 18;

/// The most bits of histories that it writes in all.
const MAX_WORK: usize = 1 << 27;

/// A probabilistic oracle machine M that writes one bit a step (DE §6). Oracles are indexed by
/// history, as in the machine-checked version: the probability of the next bit depends on all bits
/// before it.
pub trait Process: Debug + Send + Sync {
    /// The number of bits it writes; the last is its answer. At least 1.
    fn steps(&self) -> u64;
    /// The number of its first bits that are a witness, which the prover gives (DE Theorem 7.2).
    fn witness_length(&self) -> u64 {
        0
    }
    /// The witness with which the computation is most likely to say 1.
    fn witness(&self) -> Bits {
        Bits::default()
    }
    /// The number of bits that come after the witness.
    fn debated_steps(&self) -> u64 {
        self.steps().saturating_sub(self.witness_length())
    }
    /// The probability that the next bit is 1, given the bits so far (fewer than all). Of a bit of
    /// the witness 0 or 1: that of [`Self::witness`].
    fn next(&self, bits: &[bool]) -> Known;
    /// True if the bit after so many is the oracle's; else it follows from the bits so far and its
    /// probability is 0 or 1.
    fn is_oracle(&self, step: u64) -> bool;
    /// The claim "the bit that comes next is 1" after these bits: what a human judge votes on.
    fn claim(&self, bits: &[bool]) -> ClaimKey;
    /// The claim "the bit of this step is 1", whatever came before it: for the tree.
    fn step_claim(&self, step: u64) -> ClaimKey {
        ClaimKey(Key::Step(step))
    }
    /// Puts 0 in place of every bit that no later step depends on, so that histories with the same
    /// future become the same. The last bit of a whole run stays.
    fn forget(&self, _bits: &mut [bool]) {}
    /// P[M = 1] after these bits, exactly; `None` where there are more than [`MAX_HISTORIES`] to
    /// follow.
    fn accepts_after(&self, bits: &[bool]) -> Option<Exact> {
        followed(self, bits)
    }
    /// True if [`Self::accepts_after`] is soon known after any bits.
    fn is_foreseen(&self) -> bool {
        self.steps() <= FORESEEN as u64
    }
    /// P[M = 1], exactly; `None` where there are too many histories to follow.
    fn accepts(&self) -> Option<Exact> {
        self.accepts_after(&[])
    }
    /// The Lipschitz constant K that the scenario claims (DE Definition 6.1).
    fn claimed_lipschitz(&self) -> Option<Exact> {
        None
    }
}

/// All witnesses of so many bits, as numbers count.
pub fn witnesses(length: u64) -> impl Iterator<Item = Vec<bool>> {
    let bits = move |number: u64| (0..length).rev().map(move |at| number >> at & 1 == 1);
    (0..1_u64 << length).map(move |number| bits(number).collect())
}

/// Up to so many steps all histories are followed in no time.
pub(super) const FORESEEN: usize = 16;

/// P[M = 1] after every history, those with the same future being one; `None` where there are more
/// than so many.
pub(crate) fn acceptance_probabilities(
    process: &(impl Process + ?Sized),
    most: usize,
) -> Option<HashMap<Vec<bool>, Exact>> {
    let mut levels = vec![vec![Vec::new()]];
    let mut count = 1;
    for _ in 0..process.steps() {
        let mut next: Vec<Vec<bool>> = Vec::new();
        let mut met = HashSet::new();
        for history in levels.last()? {
            for bit in [false, true] {
                let longer = extended(process, history, bit);
                if met.insert(longer.clone()) {
                    next.push(longer);
                }
            }
        }
        count += next.len();
        if count > most {
            return None;
        }
        levels.push(next);
    }
    let mut acceptance_probabilities = HashMap::with_capacity(count);
    for history in levels.pop()? {
        let accepts = Exact::indicator(history.last() == Some(&true));
        acceptance_probabilities.insert(history, accepts);
    }
    for history in levels.into_iter().rev().flatten() {
        let p = process.next(&history);
        let after = |bit| acceptance_probabilities.get(&extended(process, &history, bit));
        let worth = after(true)? * p.exact() + after(false)? * (Exact::one() - p.exact());
        acceptance_probabilities.insert(history, worth);
    }
    Some(acceptance_probabilities)
}

/// A history with one more bit, as far as it matters.
pub(crate) fn extended(
    process: &(impl Process + ?Sized),
    history: &[bool],
    bit: bool,
) -> Vec<bool> {
    let mut longer = Vec::with_capacity(history.len() + 1);
    longer.extend_from_slice(history);
    longer.push(bit);
    process.forget(&mut longer);
    longer
}

/// P[M = 1] after these bits, by following all that can happen.
pub(super) fn followed(process: &(impl Process + ?Sized), bits: &[bool]) -> Option<Exact> {
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
                let longer = extended(process, &history, bit);
                *next.entry(longer).or_insert_with(Exact::zero) += &chance * share;
            }
        }
        let length = next.keys().next().map_or(0, Vec::len);
        work = work.saturating_add(next.len().saturating_mul(length));
        if next.len() > MAX_HISTORIES || work > MAX_WORK {
            return None;
        }
        histories = next;
    }
    let ones = histories
        .into_iter()
        .filter(|(history, _)| history.last() == Some(&true));
    Some(ones.fold(Exact::zero(), |sum, (_, chance)| sum + chance))
}
