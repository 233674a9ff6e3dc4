//! Means, intervals and calibration of judgements.

use std::collections::BTreeMap;

use statrs::distribution::{ContinuousCDF as _, StudentsT};

/// The number of bins of a reliability diagram: [0, 0.1), [0.1, 0.2), …, the last with 1.
pub const BINS: usize = 10;

/// The confidence of intervals.
const COVERAGE: f64 = 0.95;

/// A count as a number.
#[expect(clippy::cast_precision_loss, reason = "nobody judges 2⁵³ debates")]
pub(super) fn number(count: usize) -> f64 {
    count as f64
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / number(values.len())
}

/// The interval of 95 % for a mean of values that come in clusters: the sums of each cluster's
/// deviations vary between clusters (Liang and Zeger 1986), corrected by G/(G − 1), with the
/// t distribution of G − 1 degrees of freedom. `None` with less than two clusters.
pub(crate) fn clustered<'k>(
    values: impl Iterator<Item = (&'k str, f64)> + Clone,
) -> Option<(f64, f64)> {
    let all: Vec<f64> = values.clone().map(|(_, value)| value).collect();
    let mean = mean(&all);
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    for (cluster, value) in values {
        *sums.entry(cluster).or_default() += value - mean;
    }
    let clusters = number(sums.len());
    let freedom = clusters - 1.0;
    let squares: f64 = sums.values().map(|sum| sum * sum).sum();
    let variance = squares * clusters / freedom / number(all.len()).powi(2);
    let t = StudentsT::new(0.0, 1.0, freedom).ok()?;
    let half = t.inverse_cdf(f64::midpoint(1.0, COVERAGE)) * variance.sqrt();
    half.is_finite().then_some((mean - half, mean + half))
}

/// The bin of a probability: left-closed, by the number as it is.
pub(super) fn bin(p: f64) -> usize {
    // Compared with b / 10 itself: 0.6 lies in the seventh bin, 0.5999999999999999 in the sixth.
    (1..BINS)
        .take_while(|bin| number(*bin) / number(BINS) <= p)
        .count()
}

/// The values in each bin.
fn binned<T: Copy>(values: &[T], p: impl Fn(T) -> f64) -> [Vec<T>; BINS] {
    let mut bins: [Vec<T>; BINS] = Default::default();
    for value in values {
        bins[bin(p(*value))].push(*value);
    }
    bins
}

/// The probability of the likelier answer, and 1 if it was right, 0 if not, ½ at even odds.
pub(super) fn confidence(p_correct: f64) -> (f64, f64) {
    let other = 1.0 - p_correct;
    let hit = match p_correct.total_cmp(&other) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    };
    (p_correct.max(other), hit)
}

/// True of half a hit.
pub(super) fn is_even(hit: f64) -> bool {
    (0.25..0.75).contains(&hit)
}

/// Confidences and hits by bin.
pub(super) fn reliability(judged: &[(f64, f64)]) -> [Vec<(f64, f64)>; BINS] {
    binned(judged, |(confidence, _)| confidence)
}

/// The expected calibration error: over the bins, how far confidences and hits add up to different
/// sums, by the number of judgements.
pub(super) fn calibration_error(judged: &[(f64, f64)]) -> f64 {
    let off = reliability(judged).into_iter().map(|bin| {
        let (confidences, hits): (Vec<f64>, Vec<f64>) = bin.into_iter().unzip();
        (confidences.iter().sum::<f64>() - hits.iter().sum::<f64>()).abs()
    });
    off.sum::<f64>() / number(judged.len())
}

/// The calibration error that is expected of a judge with these confidences whose every confidence
/// is exactly right: what chance alone makes of so few judgements. Exact, by the law of the number
/// of hits in each bin.
pub(super) fn noise_floor(judged: &[(f64, f64)]) -> f64 {
    let off = reliability(judged).into_iter().map(|bin| {
        // At even odds half a hit is counted, whatever happens.
        let tossed = bin.iter().filter(|(_, hit)| !is_even(*hit));
        let chances: Vec<f64> = tossed.map(|(confidence, _)| *confidence).collect();
        let expected: f64 = chances.iter().sum();
        let law = law_of_hits(&chances);
        let each = law.iter().enumerate();
        each.map(|(hits, chance)| chance * (expected - number(hits)).abs())
            .sum::<f64>()
    });
    off.sum::<f64>() / number(judged.len())
}

/// The probability of each number of hits among independent ones with these chances.
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

/// The parts of a Brier score over the ten bins of the forecast (Murphy 1973, with the terms within
/// bins of Stephenson et al. 2008): the score is reliability − resolution + uncertainty + within.
pub(super) struct BrierParts {
    pub(super) score: f64,
    pub(super) reliability: f64,
    pub(super) resolution: f64,
    pub(super) uncertainty: f64,
    pub(super) within: f64,
}

/// The Brier score of forecasts of an event, each with whether it happened, and its parts.
pub(super) fn brier(forecasts: &[(f64, bool)]) -> BrierParts {
    let outcome = |happened: bool| if happened { 1.0 } else { 0.0 };
    let all: Vec<(f64, f64)> = forecasts.iter().map(|(p, y)| (*p, outcome(*y))).collect();
    let count = number(all.len());
    let score = all.iter().map(|(p, y)| (p - y).powi(2)).sum::<f64>() / count;
    let base = all.iter().map(|(_, y)| y).sum::<f64>() / count;
    let (mut reliability, mut resolution, mut within) = (0.0, 0.0, 0.0);
    for bin in binned(&all, |(p, _)| p) {
        if bin.is_empty() {
            continue;
        }
        let size = number(bin.len());
        let p_mean = bin.iter().map(|(p, _)| p).sum::<f64>() / size;
        let y_mean = bin.iter().map(|(_, y)| y).sum::<f64>() / size;
        reliability += size * (p_mean - y_mean).powi(2) / count;
        resolution += size * (y_mean - base).powi(2) / count;
        for (p, y) in bin {
            within += ((p - p_mean).powi(2) - 2.0 * (p - p_mean) * (y - y_mean)) / count;
        }
    }
    BrierParts {
        score,
        reliability,
        resolution,
        uncertainty: base * (1.0 - base),
        within,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn clusters_of_one_give_the_interval_of_the_t_test() {
        let values = [("a", 1.0), ("b", 2.0), ("c", 3.0), ("d", 6.0)];
        // Mean 3, standard error 2.1602 / 2, t(0.975; 3) = 3.1824.
        let (low, high) = clustered(values.into_iter()).unwrap();
        assert!((low + 0.437_4).abs() < 1e-3 && (high - 6.437_4).abs() < 1e-3);
        // The same twice by the same judge tells nothing more.
        let twice = values.into_iter().chain(values);
        let (again, _) = clustered(twice).unwrap();
        assert!((again - low).abs() < 1e-9);
        assert_eq!(clustered([("a", 1.0), ("a", 2.0)].into_iter()), None);
    }

    #[test]
    fn bins_are_closed_on_the_left_and_take_numbers_as_they_are() {
        let found = [0.0, 0.1, 0.599_999_999_999_999_9, 0.6, 0.7, 0.99, 1.0].map(bin);
        assert_eq!(found, [0, 1, 5, 6, 7, 9, 9]);
        let (sure, _) = confidence(0.400_000_000_000_000_1);
        assert_eq!(sure.to_bits(), 0.599_999_999_999_999_9_f64.to_bits());
        assert_eq!(confidence(0.5), (0.5, 0.5));
    }

    #[test]
    fn a_judge_who_is_sure_and_right_is_calibrated_and_two_coins_are_noise() {
        assert!(calibration_error(&[(1.0, 1.0), (1.0, 1.0)]).abs() < 1e-12);
        let off = calibration_error(&[(0.9, 0.0), (0.6, 1.0)]);
        assert!((off - 0.65).abs() < 1e-12);
        // Two judgements at 0.75: |1.5 − hits| with chances 1/16, 6/16, 9/16.
        let floor = noise_floor(&[(0.75, 1.0), (0.75, 0.0)]);
        let expected = (1.5 / 16.0 + 0.5 * 6.0 / 16.0 + 0.5 * 9.0 / 16.0) / 2.0;
        assert!((floor - expected).abs() < 1e-12);
        assert!(noise_floor(&[(0.5, 0.5)]).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn the_parts_of_the_brier_score_add_up(
            forecasts in prop::collection::vec((0.0..=1.0, any::<bool>()), 1..60),
        ) {
            let parts = brier(&forecasts);
            let sum = parts.reliability - parts.resolution + parts.uncertainty + parts.within;
            prop_assert!((parts.score - sum).abs() < 1e-9);
        }
    }
}
