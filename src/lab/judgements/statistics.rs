//! Means, intervals and calibration of judgements.

use std::collections::BTreeMap;

use serde::Serialize;
use statrs::distribution::{ChiSquared, Continuous as _, ContinuousCDF as _, Normal, StudentsT};

use debate_core::chance::{RandomStream, RandomStreamPurpose, Seed};
use debate_core::number::{COIN_BITS, zero_if_rounding_error};

/// The number of bins of a reliability diagram: [0, 0.1), [0.1, 0.2), …, the last with 1.
pub const BINS: usize = 10;

/// The confidence level of intervals.
const COVERAGE: f64 = 0.95;

/// Converts a count to a floating-point number.
#[expect(clippy::cast_precision_loss, reason = "nobody judges 2⁵³ debates")]
pub fn count_to_float(count: usize) -> f64 {
    count as f64
}

/// Returns the arithmetic mean; NaN without values.
pub fn mean(values: &[f64]) -> f64 {
    let sizes = values.iter().map(|value| value.abs());
    let mean = values.iter().sum::<f64>() / count_to_float(values.len());
    zero_if_rounding_error(mean, sizes.fold(0.0, f64::max))
}

/// Returns the 95 % interval for a mean of clustered values. The variance is that of the clusters' sums of deviations
/// (Liang and Zeger 1986), corrected by G/(G − 1). The interval uses the t distribution of G − 1 degrees of freedom.
/// `None` with fewer than two clusters.
pub(crate) fn cluster_interval<'k>(
    values: impl Iterator<Item = (&'k str, f64)> + Clone,
) -> Option<(f64, f64)> {
    let all: Vec<f64> = values.clone().map(|(_, value)| value).collect();
    let middle = mean(&all);
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    for (cluster, value) in values {
        *sums.entry(cluster).or_default() += value - middle;
    }
    let clusters = count_to_float(sums.len());
    let freedom = clusters - 1.0;
    let squares: f64 = sums.values().map(|sum| sum * sum).sum();
    let variance = squares * clusters / freedom / count_to_float(all.len()).powi(2);
    let t = StudentsT::new(0.0, 1.0, freedom).ok()?;
    let half = t.inverse_cdf(f64::midpoint(1.0, COVERAGE)) * variance.sqrt();
    let sizes = all.iter().map(|value| value.abs());
    let most = sizes.fold(0.0, f64::max);
    let ends = [middle - half, middle + half].map(|end| zero_if_rounding_error(end, most));
    half.is_finite().then_some(ends.into())
}

/// Returns the index of the bin of a reliability diagram for an unrounded probability. A bin includes its lower end.
pub(crate) fn reliability_bin_index(probability: f64) -> usize {
    // Compares with b / 10 itself: 0.6 lies in the seventh bin, 0.5999999999999999 in the sixth.
    (1..BINS)
        .take_while(|bin| count_to_float(*bin) / count_to_float(BINS) <= probability)
        .count()
}

/// Groups values into the ten bins of a reliability diagram. `p` returns the probability of a value.
pub(crate) fn group_by_bin<T: Copy>(values: &[T], p: impl Fn(T) -> f64) -> [Vec<T>; BINS] {
    let mut bins: [Vec<T>; BINS] = Default::default();
    for value in values {
        bins[reliability_bin_index(p(*value))].push(*value);
    }
    bins
}

/// Returns a judge's confidence (the probability of the likelier answer) and the hit: 1 if this answer was right, 0 if
/// not, ½ for equal probabilities.
pub(crate) fn confidence_and_hit(p_correct: f64) -> (f64, f64) {
    let other = 1.0 - p_correct;
    let hit = match p_correct.total_cmp(&other) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    };
    (p_correct.max(other), hit)
}

/// True if `hit_score` is ½: the judge gave both answers the same probability.
pub(crate) fn is_undecided_judgement(hit_score: f64) -> bool {
    (0.25..0.75).contains(&hit_score)
}

/// Groups judgements into the ten bins of their confidence. A judgement is a pair of confidence and hit.
pub(crate) fn judgements_by_bin(confidences_and_hits: &[(f64, f64)]) -> [Vec<(f64, f64)>; BINS] {
    group_by_bin(confidences_and_hits, |(confidence, _)| confidence)
}

/// Returns the expected calibration error: in each bin, the absolute difference between the sum of confidences and the
/// sum of hits. The sum of these differences is divided by the number of judgements.
pub(crate) fn calibration_error(confidences_and_hits: &[(f64, f64)]) -> f64 {
    let off = judgements_by_bin(confidences_and_hits)
        .into_iter()
        .map(|bin| {
            let (confidences, hits): (Vec<f64>, Vec<f64>) = bin.into_iter().unzip();
            (confidences.iter().sum::<f64>() - hits.iter().sum::<f64>()).abs()
        });
    off.sum::<f64>() / count_to_float(confidences_and_hits.len())
}

/// Returns the calibration error that chance alone gives a perfectly calibrated judge with these confidences, in
/// expectation. It is computed exactly from the distribution of hits in each bin.
pub(crate) fn calibration_error_by_chance(confidences_and_hits: &[(f64, f64)]) -> f64 {
    let off = judgements_by_bin(confidences_and_hits)
        .into_iter()
        .map(|bin| {
            // Equal probabilities always count as half a hit.
            let tossed = bin.iter().filter(|(_, hit)| !is_undecided_judgement(*hit));
            let chances: Vec<f64> = tossed.map(|(confidence, _)| *confidence).collect();
            let expected: f64 = chances.iter().sum();
            let law = law_of_hits(&chances);
            let each = law.iter().enumerate();
            each.map(|(hits, chance)| chance * (expected - count_to_float(hits)).abs())
                .sum::<f64>()
        });
    off.sum::<f64>() / count_to_float(confidences_and_hits.len())
}

/// Returns the probability distribution of the number of hits in independent trials. `chances` are the trials'
/// probabilities of a hit.
fn law_of_hits(chances: &[f64]) -> Vec<f64> {
    let mut law = vec![1.0];
    for p in chances {
        law.push(0.0);
        for hits in (0..law.len()).rev() {
            let before = hits.checked_sub(1).map_or(0.0, |before| law[before]);
            law[hits] = law[hits] * (1.0 - p) + before * p;
        }
    }
    law
}

/// The decomposition of the Brier score: reliability − resolution + uncertainty + `within_bins`. Forecasts are
/// probabilities of the first answer, in ten bins closed on the left (Murphy 1973; Stephenson et al. 2008).
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
// The name in published schemas and Python classes.
#[cfg_attr(feature = "schema", schemars(rename = "Murphy"))]
#[serde(rename = "BrierParts")]
pub struct BrierDecomposition {
    pub reliability: f64,
    pub resolution: f64,
    pub uncertainty: f64,
    pub within_bins: f64,
}

/// Returns the Brier score of forecasts and its decomposition. A forecast is a pair: a probability, and true if the
/// event happened.
pub(crate) fn brier_score_and_parts(forecasts: &[(f64, bool)]) -> (f64, BrierDecomposition) {
    let outcome = |happened: bool| if happened { 1.0 } else { 0.0 };
    let all: Vec<(f64, f64)> = forecasts.iter().map(|(p, y)| (*p, outcome(*y))).collect();
    let count = count_to_float(all.len());
    let score = all.iter().map(|(p, y)| (p - y).powi(2)).sum::<f64>() / count;
    let base = all.iter().map(|(_, y)| y).sum::<f64>() / count;
    let mut reliability = 0.0;
    let mut resolution = 0.0;
    let mut within_bins = 0.0;
    for bin in group_by_bin(&all, |(p, _)| p) {
        if bin.is_empty() {
            continue;
        }
        let size = count_to_float(bin.len());
        let p_mean = bin.iter().map(|(p, _)| p).sum::<f64>() / size;
        let y_mean = bin.iter().map(|(_, y)| y).sum::<f64>() / size;
        reliability += size * (p_mean - y_mean).powi(2) / count;
        resolution += size * (y_mean - base).powi(2) / count;
        for (p, y) in bin {
            within_bins += ((p - p_mean).powi(2) - 2.0 * (p - p_mean) * (y - y_mean)) / count;
        }
    }
    let murphy = BrierDecomposition {
        reliability,
        resolution,
        uncertainty: base * (1.0 - base),
        within_bins,
    };
    (score, murphy)
}

/// A mean with the interval and p-value of a t test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TInterval {
    pub mean: f64,
    /// The standard deviation of the values.
    pub sd: f64,
    /// The lower end of the 95 % interval of the mean; `high` is the upper end.
    pub low: f64,
    pub high: f64,
    /// The p-value: the probability, without an effect, of a mean at least as far from 0.
    pub p: f64,
}

/// Returns the sample standard deviation, with denominator n − 1.
pub(crate) fn standard_deviation(values: &[f64]) -> f64 {
    let middle = mean(values);
    let squares: f64 = values.iter().map(|value| (value - middle).powi(2)).sum();
    (squares / (count_to_float(values.len()) - 1.0)).sqrt()
}

/// Returns the 95 % interval for the mean of independent values by the t distribution. If the values are differences
/// within participants, this is the paired t test. `None` with fewer than two values, or if all are equal.
pub fn t_interval(values: &[f64]) -> Option<TInterval> {
    let sd = standard_deviation(values);
    let error = sd / count_to_float(values.len()).sqrt();
    // Without spread, the t statistic is undefined.
    if error.is_nan() || error <= 0.0 {
        return None;
    }
    let t = StudentsT::new(0.0, 1.0, count_to_float(values.len()) - 1.0).ok()?;
    let half = t.inverse_cdf(f64::midpoint(1.0, COVERAGE)) * error;
    let middle = mean(values);
    half.is_finite().then_some(TInterval {
        mean: middle,
        sd,
        low: middle - half,
        high: middle + half,
        p: 2.0 * t.cdf(-(middle / error).abs()),
    })
}

/// Returns the 95 % interval for the mean of independent values by the studentised bootstrap: it uses the t statistic's
/// own quantiles over resamples. `None` if [`t_interval`] returns `None`, or if no resample has different values.
pub fn studentised_bootstrap(values: &[f64], resamples: u32, seed: &Seed) -> Option<(f64, f64)> {
    let plain = t_interval(values)?;
    let count = values.len();
    let error = plain.sd / count_to_float(count).sqrt();
    let mut draws = RandomStream::for_player_in_debate(seed, RandomStreamPurpose::Instance, 0);
    let mut ordinal = 0;
    let mut ratios = Vec::with_capacity(resamples as usize);
    let mut drawn = vec![0.0; count];
    for _ in 0..resamples {
        for value in &mut drawn {
            let wide = u128::from(draws.random_53_bit_number_at(ordinal)) * count as u128;
            *value = values[usize::try_from(wide >> COIN_BITS).unwrap_or(0)];
            ordinal += 1;
        }
        let own = standard_deviation(&drawn) / count_to_float(count).sqrt();
        let off = mean(&drawn) - plain.mean;
        // A resample of equal values gives no spread, so its ratio is undefined.
        if own > 0.0 {
            ratios.push(off / own);
        }
    }
    ratios.sort_by(f64::total_cmp);
    let low = quantile(&ratios, 0.025)?;
    let high = quantile(&ratios, 0.975)?;
    Some((plain.mean - high * error, plain.mean - low * error))
}

/// Returns the 95 % interval for the difference of two groups' means, and its p-value, by Welch's t test. `None` if a
/// group has fewer than two values, or neither group varies.
pub fn welch_interval_ends_and_p_value(one: &[f64], other: &[f64]) -> Option<(f64, f64, f64)> {
    let share = |values: &[f64]| standard_deviation(values).powi(2) / count_to_float(values.len());
    let a = share(one);
    let b = share(other);
    let freedom = (a + b).powi(2)
        / (a.powi(2) / (count_to_float(one.len()) - 1.0)
            + b.powi(2) / (count_to_float(other.len()) - 1.0));
    let t = StudentsT::new(0.0, 1.0, freedom).ok()?;
    let difference = mean(one) - mean(other);
    let error = (a + b).sqrt();
    if error.is_nan() || error <= 0.0 {
        return None;
    }
    let half = t.inverse_cdf(f64::midpoint(1.0, COVERAGE)) * error;
    let p = 2.0 * t.cdf(-(difference / error).abs());
    half.is_finite()
        .then_some((difference - half, difference + half, p))
}

/// Returns a quantile of sorted values, interpolated linearly between neighbours; `None` without values.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let index = share * (count_to_float(sorted.len()) - 1.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the value lies between 0 and the length of the list"
    )]
    let below = index.floor() as usize;
    let one = sorted.get(below)?;
    let other = sorted.get(below + 1).unwrap_or(one);
    Some(one + (other - one) * index.fract())
}

/// The design of a two-sided t test at the 5 % level: which values it compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TTestDesign {
    /// One difference for each participant.
    Paired(usize),
    /// The means of two independent groups, whose sizes are given.
    TwoSamples([usize; 2]),
}

impl TTestDesign {
    fn freedom(self) -> f64 {
        match self {
            Self::Paired(count) => count_to_float(count) - 1.0,
            Self::TwoSamples([one, other]) => count_to_float(one) + count_to_float(other) - 2.0,
        }
    }

    /// Returns the noncentrality parameter of the t test for an effect of one standard deviation.
    fn root(self) -> f64 {
        match self {
            Self::Paired(count) => count_to_float(count).sqrt(),
            Self::TwoSamples([one, other]) => (count_to_float(one) * count_to_float(other)
                / (count_to_float(one) + count_to_float(other)))
            .sqrt(),
        }
    }

    /// Returns the power of the t test: the probability that it finds an effect of size `effect_in_sds`. The unit is
    /// the standard deviation of the differences, or of the values within a group. `None` if there are too few values
    /// for a test.
    pub fn power(self, effect_in_sds: f64) -> Option<f64> {
        Some(PowerCurve::new(self)?.at(effect_in_sds))
    }

    /// Returns the smallest effect, in standard deviations as in [`Self::power`], that the t test finds with
    /// probability 0.8. `None` if there are too few values for a test.
    pub fn smallest_detectable_effect(self) -> Option<f64> {
        let curve = PowerCurve::new(self)?;
        let mut low = 0.0;
        let mut high = 50.0;
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if curve.at(middle) < 0.8 {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(high)
    }
}

/// The power of a t test as a function of the effect's size.
struct PowerCurve {
    root: f64,
    /// Pairs for the integration over the sample variance, at equidistant points: its density and the critical mean.
    points: Vec<(f64, f64)>,
    step: f64,
}

impl PowerCurve {
    fn new(test: TTestDesign) -> Option<Self> {
        const STEPS: u32 = 2000;
        let freedom = test.freedom();
        let root = test.root();
        // An empty group has no mean, even if the other group has values.
        if root.is_nan() || root <= 0.0 {
            return None;
        }
        let t = StudentsT::new(0.0, 1.0, freedom).ok()?;
        let critical = t.inverse_cdf(f64::midpoint(1.0, COVERAGE));
        let spread = ChiSquared::new(freedom).ok()?;
        let top = freedom + 12.0 * (2.0 * freedom).sqrt() + 40.0;
        let step = top / f64::from(STEPS);
        // Midpoints, because the density may be infinite at 0.
        let points = (0..STEPS).map(|n| (f64::from(n) + 0.5) * step);
        let points = points.map(|v| (spread.pdf(v), critical * (v / freedom).sqrt()));
        Some(Self {
            root,
            points: points.collect(),
            step,
        })
    }

    /// Returns the probability that the t test finds the effect: the noncentral t distribution, integrated over the
    /// sample variance.
    fn at(&self, effect_in_sds: f64) -> f64 {
        let shift = effect_in_sds * self.root;
        let normal = Normal::standard();
        let parts = self.points.iter().map(|(density, reach)| {
            density * (normal.cdf(shift - reach) + normal.cdf(-shift - reach)) * self.step
        });
        parts.sum()
    }
}

/// The largest sample size that [`smallest_sufficient_sample_size`] returns.
const MAX_JUDGEMENTS: usize = 100_000;

/// Returns the smallest sample size with which the t test finds an effect with probability 0.8; `None` above 100,000.
/// The effect is in standard deviations, as for [`TTestDesign::power`].
pub fn smallest_sufficient_sample_size(
    effect: f64,
    test: impl Fn(usize) -> TTestDesign,
) -> Option<usize> {
    let finds = |count: usize| {
        let power = test(count).power(effect.abs());
        power.is_some_and(|power| power >= 0.8)
    };
    if !finds(MAX_JUDGEMENTS) {
        return None;
    }
    let (mut few, mut many) = (1, MAX_JUDGEMENTS);
    while many - few > 1 {
        let middle = usize::midpoint(few, many);
        if finds(middle) {
            many = middle;
        } else {
            few = middle;
        }
    }
    Some(many)
}

/// Returns the standard deviation within two groups, assumed to be the same in both. `None` if no group has two values.
pub fn pooled_standard_deviation(groups: [&[f64]; 2]) -> Option<f64> {
    let squares = |group: &[f64]| {
        let middle = mean(group);
        let squares = group.iter().map(|value| (value - middle).powi(2));
        squares.sum::<f64>()
    };
    let freedom: usize = groups.iter().map(|it| it.len().saturating_sub(1)).sum();
    let sum: f64 = groups
        .into_iter()
        .filter(|it| !it.is_empty())
        .map(squares)
        .sum();
    (freedom > 0).then(|| (sum / count_to_float(freedom)).sqrt())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_required_sample_size_inverts_the_detectable_effect() {
        for count in [3, 12, 48, 1000] {
            let effect = TTestDesign::Paired(count)
                .smallest_detectable_effect()
                .unwrap();
            assert_eq!(
                smallest_sufficient_sample_size(effect + 1e-9, TTestDesign::Paired),
                Some(count)
            );
            assert_eq!(
                smallest_sufficient_sample_size(-effect - 1e-9, TTestDesign::Paired),
                Some(count)
            );
        }
        assert_eq!(
            smallest_sufficient_sample_size(0.0, TTestDesign::Paired),
            None
        );
        // Standard values for an effect of one half: 34 pairs, and 64 in each of two groups.
        assert_eq!(
            smallest_sufficient_sample_size(0.5, TTestDesign::Paired),
            Some(34)
        );
        assert_eq!(
            smallest_sufficient_sample_size(0.5, |n| TTestDesign::TwoSamples([n, n])),
            Some(64)
        );
    }

    /// Tests that no confidence interval is computed for values that are all equal, as when every judge is right.
    #[test]
    fn values_without_a_spread_have_no_interval() {
        assert!(t_interval(&[0.0; 12]).is_none());
        assert!(t_interval(&[0.5; 3]).is_none());
        assert!(welch_interval_ends_and_p_value(&[0.5; 3], &[0.25; 4]).is_none());
    }

    #[test]
    fn clusters_of_one_give_the_interval_of_the_t_test() {
        let values = [("a", 1.0), ("b", 2.0), ("c", 3.0), ("d", 6.0)];
        // Mean 3, standard error 2.1602 / 2, t(0.975; 3) = 3.1824.
        let (low, high) = cluster_interval(values.into_iter()).unwrap();
        assert!((low + 0.437_4).abs() < 1e-3 && (high - 6.437_4).abs() < 1e-3);
        // A judge's repeated judgement adds no information.
        let twice = values.into_iter().chain(values);
        let (again, _) = cluster_interval(twice).unwrap();
        assert!((again - low).abs() < 1e-9);
        assert_eq!(cluster_interval([("a", 1.0), ("a", 2.0)].into_iter()), None);
    }

    #[test]
    fn bins_are_closed_on_the_left_and_take_numbers_as_they_are() {
        let found =
            [0.0, 0.1, 0.599_999_999_999_999_9, 0.6, 0.7, 0.99, 1.0].map(reliability_bin_index);
        assert_eq!(found, [0, 1, 5, 6, 7, 9, 9]);
        let (sure, _) = confidence_and_hit(0.400_000_000_000_000_1);
        assert_eq!(sure.to_bits(), 0.599_999_999_999_999_9_f64.to_bits());
        assert_eq!(confidence_and_hit(0.5), (0.5, 0.5));
    }

    #[test]
    fn calibration_error_and_noise_floor_have_known_values() {
        assert!(calibration_error(&[(1.0, 1.0), (1.0, 1.0)]).abs() < 1e-12);
        let off = calibration_error(&[(0.9, 0.0), (0.6, 1.0)]);
        assert!((off - 0.65).abs() < 1e-12);
        // Two judgements at 0.75: |1.5 − hits| with chances 1/16, 6/16, 9/16.
        let floor = calibration_error_by_chance(&[(0.75, 1.0), (0.75, 0.0)]);
        let expected = (1.5 / 16.0 + 0.5 * 6.0 / 16.0 + 0.5 * 9.0 / 16.0) / 2.0;
        assert!((floor - expected).abs() < 1e-12);
        assert!(calibration_error_by_chance(&[(0.5, 0.5)]).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn the_parts_of_the_brier_score_add_up(
            forecasts in prop::collection::vec((0.0..=1.0, any::<bool>()), 1..60),
        ) {
            let (score, parts) = brier_score_and_parts(&forecasts);
            let sum = parts.reliability - parts.resolution + parts.uncertainty + parts.within_bins;
            prop_assert!((score - sum).abs() < 1e-9);
        }
    }

    #[test]
    fn a_paired_t_test_is_that_of_the_textbooks() {
        // Student's sleep data (1908): difference 1.58, t = 4.0621 with 9 degrees of freedom, p = 0.002833.
        let differences = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
        let found = t_interval(&differences).unwrap();
        assert!((found.mean - 1.58).abs() < 1e-12);
        assert!((found.p - 0.002_832_89).abs() < 1e-6, "{}", found.p);
        assert!((found.low - 0.700_114).abs() < 1e-4 && (found.high - 2.459_886).abs() < 1e-4);
        assert_eq!(t_interval(&[1.0]), None);
        assert_eq!(t_interval(&[1.0, 1.0]), None);
    }

    #[test]
    fn power_is_that_of_the_tables() {
        // Cohen's tables and G*Power: d = 0.5 and 34 pairs, .808; d = 0.8 and 15 pairs, .821.
        let power = |effect, count| TTestDesign::Paired(count).power(effect).unwrap();
        assert!((power(0.5, 34) - 0.8078).abs() < 1e-3);
        assert!((power(0.8, 15) - 0.8213).abs() < 1e-3);
        assert!((power(0.0, 12) - 0.05).abs() < 1e-3);
        let least = TTestDesign::Paired(12)
            .smallest_detectable_effect()
            .unwrap();
        assert!((power(least, 12) - 0.8).abs() < 1e-6);
        // Two groups of 64 and d = 0.5, .801; groups of 26 and d = 0.8, .807.
        let power = |effect, one, other| TTestDesign::TwoSamples([one, other]).power(effect);
        assert!((power(0.5, 64, 64).unwrap() - 0.8015).abs() < 1e-3);
        assert!((power(0.8, 26, 26).unwrap() - 0.8075).abs() < 1e-3);
        // Groups of unequal size have less power; with an empty group there is no test.
        assert!(power(0.8, 10, 42).unwrap() < power(0.8, 26, 26).unwrap());
        assert_eq!(power(0.8, 0, 52), None);
        assert_eq!(power(0.8, 1, 1), None);
        assert!((least - 0.887).abs() < 0.01, "{least}");
    }

    #[test]
    fn the_studentised_bootstrap_is_wider_to_the_side_of_the_long_tail() {
        let seed = Seed::new("7").unwrap();
        let skewed = [0.0, 0.1, 0.1, 0.2, 0.2, 0.3, 0.3, 0.4, 0.5, 0.7, 1.2, 3.0];
        let (low, high) = studentised_bootstrap(&skewed, 4000, &seed).unwrap();
        let plain = t_interval(&skewed).unwrap();
        assert!(high - plain.mean > plain.mean - low, "{low} {high}");
        assert_eq!(
            studentised_bootstrap(&skewed, 4000, &seed),
            Some((low, high))
        );
    }
}
