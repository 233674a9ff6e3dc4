//! StepDistributions of numbers of ones among samples, with their tails.
//!
//! Of more samples than [`MOST_EXACT`] only what lies within some ten deviations of the mean is
//! kept, weight by weight from the middle outwards. Each weight is the one beside it times a ratio,
//! rounded three times: a tail is off by 30 σ · 2⁻⁵³ of itself at most, σ being the deviation of
//! the number of ones (10⁻¹² for the 326 000 samples of K = 3 with the formal constants).

use std::ops::Range;

use debate_core::chance::{binomial_law, binomial_middle};
use debate_core::number::{Exact, Number};
use debate_core::player::MOST_EXACT;

/// A kind of number that laws are worked out in.
pub(super) trait SampleNumber: Number {
    /// The first number of ones that matters, and the probabilities from there on.
    fn distribution(samples: u64, p: &Exact) -> (u64, Vec<Self>);
    /// So many of so many.
    fn share(ones: u64, of: u64) -> Self;
}

/// The exact law of few samples.
fn of_few_samples<N: Number>(samples: u64, p: &N) -> Option<Vec<N>> {
    let samples = u32::try_from(samples).ok();
    let samples = samples.filter(|samples| *samples <= MOST_EXACT)?;
    Some(binomial_law(samples, p))
}

/// The middle of the law of many.
fn of_many_samples(samples: u64, p: &Exact) -> (u64, Vec<f64>) {
    let middle = binomial_middle(samples, p.to_float());
    let first = middle.first().map_or(0, |(ones, _)| *ones);
    (
        first,
        middle.into_iter().map(|(_, weight)| weight).collect(),
    )
}

impl SampleNumber for f64 {
    fn distribution(samples: u64, p: &Exact) -> (u64, Vec<Self>) {
        match of_few_samples(samples, &p.to_float()) {
            Some(law) => (0, law),
            None => of_many_samples(samples, p),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "counts are below 2⁵³")]
    fn share(ones: u64, of: u64) -> Self {
        ones as Self / of as Self
    }
}

impl SampleNumber for Exact {
    fn distribution(samples: u64, p: &Exact) -> (u64, Vec<Self>) {
        if let Some(law) = of_few_samples(samples, p) {
            return (0, law);
        }
        let (first, middle) = of_many_samples(samples, p);
        let exact = |weight| Self::from_float(weight).unwrap_or_default();
        (first, middle.into_iter().map(exact).collect())
    }

    fn share(ones: u64, of: u64) -> Self {
        Self::new(ones.into(), of.into())
    }
}

/// The distribution of the number of ones among samples.
#[derive(Debug)]
pub(super) struct SampleDistribution<N> {
    first: u64,
    weights: Vec<N>,
    /// For each number of ones from the first on the probability that there are fewer.
    below: Vec<N>,
    /// The probability that there are as many or more.
    above: Vec<N>,
}

impl<N: SampleNumber> SampleDistribution<N> {
    pub(super) fn of(samples: u64, p: &Exact) -> Self {
        let (first, weights) = N::distribution(samples, p);
        // From the outside inwards, so that small weights are summed first.
        let below = weights
            .iter()
            .scan(N::zero(), |sum, weight| {
                let before = sum.clone();
                *sum += weight.clone();
                Some(before)
            })
            .collect();
        let mut above: Vec<N> = weights
            .iter()
            .rev()
            .scan(N::zero(), |sum, weight| {
                *sum += weight.clone();
                Some(sum.clone())
            })
            .collect();
        above.reverse();
        Self {
            first,
            weights,
            below,
            above,
        }
    }

    /// The number of outcomes that are told apart.
    pub(super) fn len(&self) -> usize {
        self.weights.len()
    }

    /// Each number of ones that matters, with its probability.
    pub(super) fn each(&self) -> impl Iterator<Item = (u64, &N)> {
        (self.first..).zip(&self.weights)
    }

    fn place(&self, ones: u64) -> usize {
        usize::try_from(ones.saturating_sub(self.first)).unwrap_or(usize::MAX)
    }

    /// The probability of fewer ones.
    pub(super) fn below(&self, ones: u64) -> N {
        let below = self.below.get(self.place(ones));
        below.cloned().unwrap_or_else(N::one)
    }

    /// The probability of as many or more.
    pub(super) fn above(&self, ones: u64) -> N {
        if ones <= self.first {
            return N::one();
        }
        let above = self.above.get(self.place(ones));
        above.cloned().unwrap_or_else(N::zero)
    }

    /// The probability of a number of ones outside a range, its end being no less than its start.
    pub(super) fn outside(&self, range: &Range<u64>) -> N {
        at_most_one(self.below(range.start) + self.above(range.end))
    }
}

/// A probability that rounding may have left above 1.
pub(super) fn at_most_one<N: Number>(p: N) -> N {
    if p > N::one() { N::one() } else { p }
}

#[cfg(test)]
mod tests {
    use super::*;
    use debate_core::chance::binomial_outside;

    #[test]
    fn tails_are_those_of_the_law() {
        let p = Exact::ratio(2, 7);
        let exact = SampleDistribution::<Exact>::of(20, &p);
        let float = SampleDistribution::<f64>::of(20, &p);
        let law = binomial_law(20, &p);
        for start in 0..=21_u64 {
            for end in start..=21 {
                let inside = start..end;
                let outside = (0..).zip(&law).filter(|(ones, _)| !inside.contains(ones));
                let outside: Exact = outside.map(|(_, weight)| weight).sum();
                assert_eq!(exact.outside(&inside), outside);
                assert!((float.outside(&inside) - outside.to_float()).abs() < 1e-14);
            }
        }
        let many = SampleDistribution::<f64>::of(326_000, &p);
        for range in [
            93_000..93_200,
            90_000..93_000,
            0..326_001,
            7..7,
            93_500..326_001,
        ] {
            let known = binomial_outside(326_000, p.to_float(), &range);
            assert!((many.outside(&range) - known).abs() < 1e-13, "{range:?}");
        }
        // Where nothing is left to chance.
        for (p, ones) in [(Exact::ratio(0, 1), 0), (Exact::ratio(1, 1), 5_000)] {
            let sure = SampleDistribution::<f64>::of(5_000, &p);
            assert!(sure.outside(&(ones..ones + 1)) == 0.0);
            assert!((sure.outside(&(2_000..3_000)) - 1.0).abs() < f64::EPSILON);
        }
    }
}
