//! The thresholds of a test's verdict, in whole numbers of samples.

use std::ops::Range;

use num_traits::{Signed as _, ToPrimitive as _};

use debate_core::number::Exact;
use debate_core::protocol::stochastic::constants::MeanTest;

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
        let (samples, of) = (i128::from(self.samples), i128::from(self.of));
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
    use debate_core::number::Number as _;

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
