//! Distributions of numbers of ones among samples, with their tails, and the thresholds of a test's verdict in
//! whole numbers of samples.
//!
//! Of more samples than [`MOST_EXACT`] only what lies within some ten deviations of the mean is
//! kept, weight by weight from the middle outwards. Each weight is the one beside it times a ratio,
//! rounded three times: a tail is off by 30 σ · 2⁻⁵³ of itself at most, σ being the deviation of
//! the number of ones (10⁻¹² for the 326 000 samples of K = 3 with the formal constants).

use std::ops::Range;

use num_traits::{Signed as _, ToPrimitive as _};

use debate_core::chance::{binomial_law, binomial_middle};
use debate_core::number::{Exact, Number};
use debate_core::player::MOST_EXACT;
use debate_core::protocol::stochastic::constants::MeanTest;

/// A kind of number that laws are worked out in.
pub(super) trait SampleNumber: Number {
    /// The value of a weight in floating point.
    fn of_weight(weight: f64) -> Self;
    /// So many of so many.
    fn share(ones: u64, of: u64) -> Self;
}

impl SampleNumber for f64 {
    fn of_weight(weight: f64) -> Self {
        weight
    }

    #[expect(clippy::cast_precision_loss, reason = "counts are below 2⁵³")]
    fn share(ones: u64, of: u64) -> Self {
        ones as Self / of as Self
    }
}

impl SampleNumber for Exact {
    fn of_weight(weight: f64) -> Self {
        Self::from_float(weight).unwrap_or_default()
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
        let few = u32::try_from(samples).ok();
        let (first, weights) = if let Some(few) = few.filter(|few| *few <= MOST_EXACT) {
            (0, binomial_law(few, &N::from_exact(p)))
        } else {
            let middle = binomial_middle(samples, p.to_float());
            let first = middle.first().map_or(0, |(ones, _)| *ones);
            let weights = middle.into_iter().map(|(_, weight)| N::of_weight(weight));
            (first, weights.collect::<Vec<N>>())
        };
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

/// With which numbers of ones a test lets pass what was said, worked out without trying: the same
/// as [`MeanTest::passing`], and just beside what was said too.
#[derive(Clone, Debug)]
pub(super) struct Window {
    samples: u64,
    count: Exact,
    limit: Exact,
}

impl Window {
    pub(super) fn of(test: &MeanTest<Exact>) -> Self {
        Self::new(test.samples, &test.limit)
    }

    /// The window of a test with so many samples and this limit.
    pub(super) fn new(samples: u64, limit: &Exact) -> Self {
        Self {
            samples,
            count: Exact::from_integer(samples.into()),
            limit: limit.clone(),
        }
    }

    /// A whole number, kept within what can be a bound of a range of samples.
    fn kept(&self, whole: &Exact) -> u64 {
        if whole.is_negative() {
            return 0;
        }
        let bound = whole.to_integer().to_u64().unwrap_or(u64::MAX);
        bound.min(self.samples + 1)
    }

    fn low(&self, word: &Exact) -> Exact {
        (word - &self.limit) * &self.count
    }

    fn high(&self, word: &Exact) -> Exact {
        (word + &self.limit) * &self.count
    }

    /// The fewest ones that are not too few.
    pub(super) fn start(&self, word: &Exact) -> u64 {
        self.kept(&(self.low(word).floor() + Exact::from_integer(1.into())))
    }

    /// The same bound just below what is said.
    pub(super) fn start_before(&self, word: &Exact) -> u64 {
        self.kept(&self.low(word).ceil())
    }

    /// The fewest ones that are too many.
    pub(super) fn end(&self, word: &Exact) -> u64 {
        self.kept(&self.high(word).ceil())
    }

    /// The same bound just above what is said.
    pub(super) fn end_after(&self, word: &Exact) -> u64 {
        self.kept(&(self.high(word).floor() + Exact::from_integer(1.into())))
    }

    /// The numbers of ones with which it passes.
    pub(super) fn at(&self, word: &Exact) -> Range<u64> {
        let start = self.start(word);
        start..self.end(word).max(start)
    }

    /// From where on so many ones are too few.
    pub(super) fn too_few(&self, ones: u64) -> Exact {
        Exact::new(ones.into(), self.samples.into()) + &self.limit
    }

    /// Up to where so many ones are too many.
    pub(super) fn too_many(&self, ones: u64) -> Exact {
        Exact::new(ones.into(), self.samples.into()) - &self.limit
    }

    /// The window of the same test for means of so many samples.
    pub(super) fn of_means(&self, of: u64) -> MeanWindow {
        let both = &self.count * Exact::from_integer(of.into());
        // |j/n − i/m| < l where |j·m − i·n| is below l·n·m, a whole number below it.
        let most = (&self.limit * both).ceil() - Exact::from_integer(1.into());
        MeanWindow {
            samples: self.samples,
            of,
            most: most.to_integer().to_i128().unwrap_or(i128::MAX / 4),
        }
    }
}

/// A test of what was said, that being a mean of samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeanWindow {
    samples: u64,
    of: u64,
    most: i128,
}

impl MeanWindow {
    /// The numbers of ones with which so many ones among the mean's samples pass.
    pub(super) fn at(self, ones: u64) -> Range<u64> {
        let samples = i128::from(self.samples);
        let of = i128::from(self.of);
        let middle = i128::from(ones) * samples;
        let start = -(self.most - middle).div_euclid(of);
        let end = (middle + self.most).div_euclid(of) + 1;
        let kept = |bound: i128| {
            let bound = bound.clamp(0, samples + 1);
            u64::try_from(bound).unwrap_or(0)
        };
        kept(start)..kept(end).max(kept(start))
    }
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
                let outside: Exact = (0..)
                    .zip(&law)
                    .filter(|(ones, _)| !inside.contains(ones))
                    .map(|(_, weight)| weight)
                    .sum();
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

#[cfg(test)]
mod window_tests {
    use super::*;

    fn ratio((numerator, denominator): (i64, i64)) -> Exact {
        Exact::ratio(numerator, denominator)
    }

    /// The same as the rules' own, at every threshold and beside it.
    #[test]
    fn windows_are_those_of_the_rules() {
        for (samples, limit) in [
            (1, (1, 2)),
            (6, (1, 2)),
            (12, (1, 4)),
            (12, (1, 1)),
            (7, (2, 9)),
        ] {
            let test = MeanTest {
                samples,
                limit: ratio(limit),
            };
            let window = Window::of(&test);
            let mut word = vec![ratio((0, 1)), ratio((1, 1))];
            for ones in 0..=samples {
                word.extend([window.too_few(ones), window.too_many(ones)]);
            }
            word.sort();
            word.dedup();
            for pair in word.windows(2) {
                let middle = (&pair[0] + &pair[1]) / ratio((2, 1));
                assert_eq!(window.at(&pair[0]), test.passing(&pair[0]));
                assert_eq!(window.at(&middle), test.passing(&middle));
                // Nothing changes between two thresholds.
                assert_eq!(window.start(&pair[0]), window.start_before(&pair[1]));
                assert_eq!(window.end_after(&pair[0]), window.end(&pair[1]));
                assert_eq!(window.start(&middle), window.start(&pair[0]));
                assert_eq!(window.end(&middle), window.end(&pair[1]));
            }
            for of in [1, 5, 12] {
                let means = window.of_means(of);
                for ones in 0..=of {
                    let mean = Exact::new(ones.into(), of.into());
                    assert_eq!(means.at(ones), test.passing(&mean), "{ones} of {of}");
                }
            }
        }
    }
}
