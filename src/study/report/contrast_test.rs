//! The test of the primary contrast. The report applies it to the judgements, the power analysis to simulated ones.

use std::collections::BTreeMap;

use crate::plan::ContrastDesign;
use debate_lab::judgements::statistics::{
    mean, pooled_standard_deviation, t_interval, welch_interval_ends_and_p_value,
};

/// Minimum number of participants for a verdict on the contrast, independent of the interval.
pub(crate) const MIN_PARTICIPANTS: usize = 5;

/// A participant's value under one of two compared conditions.
pub(crate) struct JudgementUnderComparedCondition<K> {
    pub participant: K,
    /// True if the judgement is under the condition `of`, false if under `against`.
    pub is_of: bool,
    pub value: f64,
}

/// The result of the test.
#[derive(Debug)]
pub(crate) struct ContrastTestResult {
    /// Number of compared participants.
    pub participants: usize,
    /// For each participant who judged under both conditions, the difference of their means. Empty if participants of
    /// two groups are compared.
    pub differences: Vec<f64>,
    pub difference: Option<f64>,
    /// `None` if the standard deviation cannot be estimated.
    pub interval: Option<ContrastInterval>,
}

/// The 95 % interval of the contrast, its p-value and the standard deviation of the compared values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContrastInterval {
    pub low: f64,
    pub high: f64,
    pub p: f64,
    pub sd: Option<f64>,
}

/// Returns the mean of the values of each key.
pub(crate) fn means_by_key<K: Ord>(values: impl Iterator<Item = (K, f64)>) -> BTreeMap<K, f64> {
    let mut groups: BTreeMap<K, Vec<f64>> = BTreeMap::new();
    for (key, value) in values {
        groups.entry(key).or_default().push(value);
    }
    let groups = groups.into_iter();
    groups.map(|(key, own)| (key, mean(&own))).collect()
}

/// Returns the mean of some values; `None` if there are none.
pub(crate) fn mean_if_any(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| mean(values))
}

impl ContrastTestResult {
    /// Compares participants' means under both conditions: within participants by the paired t test, otherwise by
    /// Welch's t test.
    pub(crate) fn of<K: Ord + Copy>(
        design: ContrastDesign,
        judgements: &[JudgementUnderComparedCondition<K>],
    ) -> Self {
        let means = |is_of: bool| {
            let own = judgements.iter().filter(|it| it.is_of == is_of);
            means_by_key(own.map(|it| (it.participant, it.value)))
        };
        let (of, against) = (means(true), means(false));
        match design {
            ContrastDesign::Within { .. } => {
                let both = of.iter();
                let differences =
                    both.filter_map(|(participant, mean)| Some(mean - against.get(participant)?));
                Self::within(differences.collect())
            }
            ContrastDesign::Between { .. } => {
                let values = |means: BTreeMap<K, f64>| means.into_values().collect::<Vec<_>>();
                Self::between(&values(of), &values(against))
            }
        }
    }

    fn within(differences: Vec<f64>) -> Self {
        let test = t_interval(&differences);
        Self {
            participants: differences.len(),
            difference: mean_if_any(&differences),
            interval: test.map(|test| ContrastInterval {
                low: test.low,
                high: test.high,
                p: test.p,
                sd: Some(test.sd),
            }),
            differences,
        }
    }

    fn between(of: &[f64], against: &[f64]) -> Self {
        let ends = mean_if_any(of).zip(mean_if_any(against));
        let test = welch_interval_ends_and_p_value(of, against).filter(|_| ends.is_some());
        Self {
            participants: of.len() + against.len(),
            differences: Vec::new(),
            difference: ends.map(|(of, against)| of - against),
            interval: test.map(|(low, high, p)| ContrastInterval {
                low,
                high,
                p,
                sd: pooled_standard_deviation([of, against]),
            }),
        }
    }
}
