//! Probability distributions of the number of ones in a sample, with their tails, and the acceptance thresholds of a
//! test.
//!
//! For more samples than [`MAX_EXACT`], only the weights within about ten deviations of the mean are stored,
//! computed from the middle outwards. Each weight is its neighbour times a ratio, rounded three times. The
//! relative error of a tail is at most 30 σ · 2⁻⁵³, where σ is the deviation of the number of ones (10⁻¹² for
//! the 326 000 samples of K = 3 with the formal constants).

use std::ops::Range;

use num_traits::{Signed as _, ToPrimitive as _};

use debate_core::chance::{binomial_central_weights, binomial_distribution};
use debate_core::number::{Exact, Number};
use debate_core::player::MAX_EXACT;
use debate_core::protocol::stochastic::constants::SampleMeanTest;

/// A number type (fraction or float) in which sample distributions are computed.
pub trait OnesCountDistributionNumber: Number {
    /// Converts a probability in floating point to this number type.
    fn of_weight(weight: f64) -> Self;
    /// Returns the fraction `ones / of` in this number type.
    fn share(ones: u64, of: u64) -> Self;
}

impl OnesCountDistributionNumber for f64 {
    fn of_weight(weight: f64) -> Self {
        weight
    }

    #[expect(clippy::cast_precision_loss, reason = "counts are below 2⁵³")]
    fn share(ones: u64, of: u64) -> Self {
        ones as Self / of as Self
    }
}

impl OnesCountDistributionNumber for Exact {
    fn of_weight(weight: f64) -> Self {
        Self::from_float(weight).unwrap_or_default()
    }

    fn share(ones: u64, of: u64) -> Self {
        Self::new(ones.into(), of.into())
    }
}

/// The distribution of the number of ones among independent samples.
#[derive(Debug)]
pub struct OnesCountDistribution<N> {
    first: u64,
    weights: Vec<N>,
    /// For each number of ones from `first`, the probability that the samples contain fewer ones.
    below: Vec<N>,
    /// For each number of ones from `first`, the probability that the samples contain at least this number.
    above: Vec<N>,
}

impl<N: OnesCountDistributionNumber> OnesCountDistribution<N> {
    /// Computes the distribution of the number of ones among `samples` independent samples. Each sample is 1 with
    /// probability `probability_of_one`. For many samples, the weights are floating-point approximations
    /// and only those of the central part are stored.
    pub fn new(samples: u64, probability_of_one: &Exact) -> Self {
        let few = u32::try_from(samples).ok();
        let (first, weights) = if let Some(few) = few.filter(|few| *few <= MAX_EXACT) {
            (
                0,
                binomial_distribution(few, &N::from_exact(probability_of_one)),
            )
        } else {
            let middle = binomial_central_weights(samples, probability_of_one.to_float());
            let first = middle.first().map_or(0, |(ones, _)| *ones);
            let weights = middle.into_iter().map(|(_, weight)| N::of_weight(weight));
            (first, weights.collect::<Vec<N>>())
        };
        // Summed from the outside inwards, so that small weights are added first.
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

    /// Returns the number of outcomes (numbers of ones) whose probability is stored. The other outcomes are negligible.
    pub(super) fn stored_outcome_count(&self) -> usize {
        self.weights.len()
    }

    /// Returns each number of ones whose probability is stored, with this probability.
    pub(super) fn probabilities_by_count(&self) -> impl Iterator<Item = (u64, &N)> {
        (self.first..).zip(&self.weights)
    }

    fn place(&self, ones: u64) -> usize {
        usize::try_from(ones.saturating_sub(self.first)).unwrap_or(usize::MAX)
    }

    /// Returns the probability that the samples contain fewer than `ones` ones.
    pub fn probability_of_fewer(&self, ones: u64) -> N {
        let below = self.below.get(self.place(ones));
        below.cloned().unwrap_or_else(N::one)
    }

    /// Returns the probability that the samples contain at least `ones` ones.
    pub fn probability_of_at_least(&self, ones: u64) -> N {
        if ones <= self.first {
            return N::one();
        }
        let above = self.above.get(self.place(ones));
        above.cloned().unwrap_or_else(N::zero)
    }

    /// Returns the probability that the number of ones is outside a range. The end of the range must not be less than
    /// its start.
    pub fn probability_outside(&self, range: &Range<u64>) -> N {
        at_most_one(
            self.probability_of_fewer(range.start) + self.probability_of_at_least(range.end),
        )
    }
}

/// Limits a probability to 1, because rounding may have left it slightly above.
pub(super) fn at_most_one<N: Number>(p: N) -> N {
    if p > N::one() { N::one() } else { p }
}

/// A test by the verifier or Bob: for a stated probability, computes how many of the test's samples may be 1 so that
/// the test accepts the probability. The formula agrees with [`SampleMeanTest::passing_counts`]. Also computes these
/// limits for probabilities just below and just above the stated one.
#[derive(Clone, Debug)]
pub struct AcceptanceWindow {
    samples: u64,
    count: Exact,
    mean_tolerance: Exact,
}

impl AcceptanceWindow {
    /// Creates the acceptance window of a test of a stated probability.
    pub fn window_of_sample_mean_test(test: &SampleMeanTest<Exact>) -> Self {
        Self::window_for_tolerance(test.samples, &test.limit)
    }

    /// Creates the acceptance window of a test with `samples` samples. The test accepts if the mean of the samples
    /// differs from the stated probability by less than `mean_tolerance`.
    pub fn window_for_tolerance(samples: u64, mean_tolerance: &Exact) -> Self {
        Self {
            samples,
            count: Exact::from_integer(samples.into()),
            mean_tolerance: mean_tolerance.clone(),
        }
    }

    /// Limits a whole number to the valid bounds of a count: 0 to the number of samples plus 1.
    fn kept(&self, whole: &Exact) -> u64 {
        if whole.is_negative() {
            return 0;
        }
        let bound = whole.to_integer().to_u64().unwrap_or(u64::MAX);
        bound.min(self.samples + 1)
    }

    fn low(&self, stated: &Exact) -> Exact {
        (stated - &self.mean_tolerance) * &self.count
    }

    fn high(&self, stated: &Exact) -> Exact {
        (stated + &self.mean_tolerance) * &self.count
    }

    /// Returns the least number of ones among the test's samples with which the test does not reject the stated
    /// probability as too high.
    pub fn least_accepted_count(&self, stated: &Exact) -> u64 {
        self.kept(&(self.low(stated).floor() + Exact::from_integer(1.into())))
    }

    /// Returns the value of [`Self::least_accepted_count`] for stated probabilities just below `stated`.
    pub fn least_accepted_count_just_below(&self, stated: &Exact) -> u64 {
        self.kept(&self.low(stated).ceil())
    }

    /// Returns the least number of ones in the test's samples that is too large for the stated probability.
    pub fn least_too_large_count(&self, stated: &Exact) -> u64 {
        self.kept(&self.high(stated).ceil())
    }

    /// Returns the value of [`Self::least_too_large_count`] for stated probabilities just above `stated`.
    pub fn least_too_large_count_for_stated_just_above(&self, stated: &Exact) -> u64 {
        self.kept(&(self.high(stated).floor() + Exact::from_integer(1.into())))
    }

    /// Returns the range of the number of ones with which the test accepts the stated probability.
    pub fn accepted_counts(&self, stated: &Exact) -> Range<u64> {
        let start = self.least_accepted_count(stated);
        start..self.least_too_large_count(stated).max(start)
    }

    /// Returns the least stated probability for which the test rejects `ones` ones as too few.
    pub fn least_probability_rejecting_as_too_few(&self, ones: u64) -> Exact {
        Exact::new(ones.into(), self.samples.into()) + &self.mean_tolerance
    }

    /// Returns the greatest stated probability for which the test rejects `ones` ones as too many.
    pub fn greatest_probability_rejecting_as_too_many(&self, ones: u64) -> Exact {
        Exact::new(ones.into(), self.samples.into()) - &self.mean_tolerance
    }

    /// Returns the same test's acceptance window if the stated probability is the mean of `samples_of_mean` samples.
    pub fn acceptance_window_for_mean_of_samples(
        &self,
        samples_of_mean: u64,
    ) -> AcceptanceWindowForStatedMean {
        let both = &self.count * Exact::from_integer(samples_of_mean.into());
        // |j/n − i/m| < l if |j·m − i·n| is at most the greatest whole number below l·n·m.
        let most = (&self.mean_tolerance * both).ceil() - Exact::from_integer(1.into());
        AcceptanceWindowForStatedMean {
            samples: self.samples,
            of: samples_of_mean,
            most: most.to_integer().to_i128().unwrap_or(i128::MAX / 4),
        }
    }
}

/// The acceptance window of a test if the stated probability is the mean of a given number of samples.
#[derive(Clone, Copy, Debug)]
pub struct AcceptanceWindowForStatedMean {
    samples: u64,
    of: u64,
    most: i128,
}

impl AcceptanceWindowForStatedMean {
    /// Returns the range of the number of ones with which the test accepts the mean of samples with `ones_of_mean`
    /// ones.
    pub fn accepted_one_counts(self, ones_of_mean: u64) -> Range<u64> {
        let samples = i128::from(self.samples);
        let of = i128::from(self.of);
        let middle = i128::from(ones_of_mean) * samples;
        let start = -(self.most - middle).div_euclid(of);
        let end = (middle + self.most).div_euclid(of) + 1;
        let kept = |bound: i128| {
            let bound = bound.clamp(0, samples + 1);
            u64::try_from(bound).unwrap_or(0)
        };
        kept(start)..kept(end).max(kept(start))
    }
}
