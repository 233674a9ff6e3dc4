//! Means over debates, with intervals.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::judgements::clustered;
use crate::simulate::wilson;

/// Of fewer units no interval is given.
pub const LEAST_UNITS: usize = 10;

/// A mean over the debates of a match.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Estimate {
    pub mean: f64,
    /// How many values it is the mean of.
    pub of: usize,
    /// What counts as independent.
    pub by: EstimateUnit,
    /// How many of these there are.
    pub units: usize,
    /// The interval of 95 %; null where there are fewer than ten units.
    pub ci95: Option<[f64; 2]>,
}

/// What an interval takes for independent: debates about the same instance are not, unless all are
/// about one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EstimateUnit {
    Instance,
    Debate,
}

/// A value with the instance and the debate that it is of.
#[derive(Clone, Debug)]
pub(super) struct Observation<'d> {
    pub(super) instance: &'d str,
    /// Which debate of the match.
    pub(super) debate: usize,
    pub(super) value: f64,
}

impl Estimate {
    /// The mean of any values; `None` of none.
    pub(super) fn mean(values: &[Observation<'_>]) -> Option<Self> {
        Self::with(values, |units| clustered(units.iter().copied()))
    }

    /// The share of ones among values that are 0 or 1; `None` of none.
    pub(super) fn share(values: &[Observation<'_>]) -> Option<Self> {
        let estimate = Self::with(values, share_interval)?;
        let within = |[low, high]: [f64; 2]| [low.max(0.0), high.min(1.0)];
        Some(Self {
            ci95: estimate.ci95.map(within),
            ..estimate
        })
    }

    fn with(
        values: &[Observation<'_>],
        interval: impl Fn(&[(&str, f64)]) -> Option<(f64, f64)>,
    ) -> Option<Self> {
        let instances: BTreeSet<&str> = values.iter().map(|it| it.instance).collect();
        let debates: BTreeMap<usize, String> = values
            .iter()
            .map(|it| (it.debate, it.debate.to_string()))
            .collect();
        let by = match instances.len() {
            0 => return None,
            1 => EstimateUnit::Debate,
            _ => EstimateUnit::Instance,
        };
        let unit = |it: &Observation<'_>| match by {
            EstimateUnit::Instance => it.instance.to_owned(),
            EstimateUnit::Debate => debates.get(&it.debate).cloned().unwrap_or_default(),
        };
        let named: Vec<(String, f64)> = values.iter().map(|it| (unit(it), it.value)).collect();
        let named: Vec<(&str, f64)> = named
            .iter()
            .map(|(unit, value)| (&**unit, *value))
            .collect();
        let units: BTreeSet<&str> = named.iter().map(|(unit, _)| *unit).collect();
        let units = units.len();
        let sum: f64 = values.iter().map(|it| it.value).sum();
        #[expect(clippy::cast_precision_loss, reason = "nobody plays 2⁵³ debates")]
        let mean = sum / values.len() as f64;
        let enough = units >= LEAST_UNITS;
        let ci95 = enough.then(|| interval(&named)).flatten();
        Some(Self {
            mean,
            of: values.len(),
            by,
            units,
            ci95: ci95.map(|(low, high)| [low, high]),
        })
    }
}

/// The interval of a share: Wilson's where every unit has one value or all values are the same, which
/// says no more than one value a unit would; else by the spread between units.
fn share_interval(values: &[(&str, f64)]) -> Option<(f64, f64)> {
    let units: BTreeSet<&str> = values.iter().map(|(unit, _)| *unit).collect();
    let ones = values.iter().filter(|(_, value)| *value > 0.5).count();
    let same = ones == 0 || ones == values.len();
    if !same && units.len() < values.len() {
        return clustered(values.iter().copied());
    }
    let ones = ones.min(units.len()) as u64;
    wilson(ones, units.len() as u64).map(|[low, high]| (low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(values: &[(&'static str, usize, f64)]) -> Vec<Observation<'static>> {
        let values = values.iter();
        values
            .map(|(instance, debate, value)| Observation {
                instance,
                debate: *debate,
                value: *value,
            })
            .collect()
    }

    const TEN: [&str; 10] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];

    #[test]
    fn debates_about_one_instance_count_once() {
        let once: Vec<_> = TEN
            .iter()
            .zip(0..)
            .map(|(it, n)| (*it, n, f64::from(u8::from(n % 2 == 1))))
            .collect();
        let twice: Vec<_> = once
            .iter()
            .chain(&once)
            .zip(0..)
            .map(|((it, _, value), n)| (*it, n, *value))
            .collect();
        let (once, twice) = (observed(&once), observed(&twice));
        let mean = |values: &[Observation<'_>]| Estimate::mean(values).unwrap();
        assert_eq!(mean(&once).by, EstimateUnit::Instance);
        assert_eq!((mean(&twice).of, mean(&twice).units), (20, 10));
        let [low, high] = mean(&once).ci95.unwrap();
        let [same_low, same_high] = mean(&twice).ci95.unwrap();
        assert!((low - same_low).abs() < 1e-9 && (high - same_high).abs() < 1e-9);
        // Half of ten: Wilson's interval.
        let share = Estimate::share(&once).unwrap();
        let expected = wilson(5, 10).unwrap();
        assert_eq!(share.ci95, Some(expected));
    }

    #[test]
    fn of_nine_units_there_is_no_interval_and_of_one_instance_the_debates_count() {
        let nine: Vec<_> = TEN[..9]
            .iter()
            .zip(0..)
            .map(|(it, n)| (*it, n, 1.0))
            .collect();
        assert_eq!(Estimate::share(&observed(&nine)).unwrap().ci95, None);
        let one: Vec<_> = (0..10).map(|n| ("a", n, 1.0)).collect();
        let share = Estimate::share(&observed(&one)).unwrap();
        assert_eq!((share.by, share.units), (EstimateUnit::Debate, 10));
        // Ten of ten are no proof of always.
        let [low, high] = share.ci95.unwrap();
        assert!(
            low > 0.7 && low < 0.75 && (high - 1.0).abs() < 1e-9,
            "{low}"
        );
        assert_eq!(Estimate::mean(&[]), None);
    }
}
