//! A distribution over outcomes as an estimator says it, subclaim by subclaim.

use debate_core::number::Number;

/// Below this a floating-point mass is nothing but noise.
const NOTHING: f64 = 1e-15;

/// The probabilities that a distribution over the outcomes of q subclaims comes to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ConditionalEstimates<T> {
    /// P[next is true | the ones before]: the outcomes before are binary digits after a leading
    /// 1, so that number 1 is for none of them.
    after: Vec<T>,
    /// Each subclaim's own probability.
    alone: Vec<T>,
}

impl<T: Number> ConditionalEstimates<T> {
    /// Of a distribution over 2^q outcomes, the first subclaim being the most significant digit.
    /// After outcomes that cannot be, the estimate is one half.
    pub(super) fn of(h: &[T]) -> Self {
        let size = h.len();
        let mut mass = vec![T::zero(); size];
        mass.extend(h.iter().cloned());
        for node in (1..size).rev() {
            mass[node] = mass[2 * node].clone() + mass[2 * node + 1].clone();
        }
        let mut after = vec![T::ratio(1, 2); size];
        let width = size.trailing_zeros() as usize;
        let mut alone = vec![T::zero(); width];
        for node in 1..size {
            let yes = mass[2 * node + 1].clone();
            if mass[node].to_float() > NOTHING {
                after[node] = yes.clone() / mass[node].clone();
            }
            alone[node.ilog2() as usize] += yes;
        }
        Self { after, alone }
    }

    /// Converts the numbers.
    pub(super) fn map<U>(&self, number: impl Fn(&T) -> U) -> ConditionalEstimates<U> {
        ConditionalEstimates {
            after: self.after.iter().map(&number).collect(),
            alone: self.alone.iter().map(&number).collect(),
        }
    }
}

impl<T> ConditionalEstimates<T> {
    /// Of what is said after each prefix, in the order of their numbers from 1 on, and of each
    /// subclaim alone; `None` where there are not as many as there must be.
    pub(super) fn given(first: T, after: Vec<T>, alone: Vec<T>) -> Option<Self> {
        let size = u32::try_from(alone.len()).ok();
        let size = size.and_then(|width| 1_usize.checked_shl(width))?;
        let after: Vec<T> = std::iter::once(first).chain(after).collect();
        (after.len() == size).then_some(Self { after, alone })
    }

    /// The estimates after each prefix, in the order of their numbers from 1 on.
    pub(super) fn all_after(&self) -> &[T] {
        self.after.get(1..).unwrap_or_default()
    }

    /// The estimates of each subclaim alone.
    pub(super) fn all_alone(&self) -> &[T] {
        &self.alone
    }

    /// The number of subclaims.
    pub(super) fn width(&self) -> usize {
        self.alone.len()
    }

    /// The probability of the next subclaim after these outcomes.
    pub(super) fn after(&self, outcomes: impl Iterator<Item = bool>) -> Option<&T> {
        let node = outcomes.fold(1, |node: usize, outcome| {
            (node << 1 | usize::from(outcome)).min(self.after.len())
        });
        self.after.get(node)
    }

    /// The probability of a subclaim, whatever the others come to.
    pub(super) fn alone(&self, place: usize) -> Option<&T> {
        self.alone.get(place)
    }
}
