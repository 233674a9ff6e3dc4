//! The numbers of samples that each seat draws in stochastic debate, and the limits within which their means must lie.
//! Rules, players and exact analysis use the same functions.
//!
//! Samples are drawn of "the next bit is 1"; k is the Lipschitz constant K, T the number of steps.

use std::ops::Range;

use num_traits::{One, ToPrimitive as _};

use crate::chance;
use crate::number::{Exact, ExactWithFloat, Number, ceil_of_factor_times_ln};

/// Maximum number of samples for which a player's probability of objecting is computed exactly; for more samples it is
/// computed in floating point.
const EXACT_SAMPLES: u64 = 64;

/// A test of a stated probability: a number of samples, and the limit on the distance of their mean from the stated
/// probability.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleMeanTest<N> {
    /// The number of samples; at least 1.
    pub samples: u64,
    /// A stated probability passes the test if it differs from the mean by less than this limit.
    pub limit: N,
}

/// Maximum number of samples for which every value of their mean is listed with its exact probability.
const LISTED_SAMPLES: u64 = 1024;

/// The terms of a stochastic debate: the number of samples behind honest Alice's probabilities, and the tests of Bob
/// and the verifier.
#[derive(Clone, Debug, PartialEq)]
pub struct RequiredSamplesAndTests<N> {
    /// The number of samples whose mean honest Alice states as the probability of a step.
    pub alice: u64,
    /// The test that honest Bob applies to Alice's probabilities.
    pub bob: SampleMeanTest<N>,
    /// The test that the verifier applies to Alice's probability after Bob objects.
    pub verifier: SampleMeanTest<N>,
}

impl<N: Number> SampleMeanTest<N> {
    /// True if the stated probability passes the test when `ones` of the samples are 1.
    pub fn stated_probability_passes(&self, stated: &N, ones: u64) -> bool {
        self.is_above(stated, ones) && self.is_below(stated, ones)
    }

    fn off(&self, stated: &N, ones: u64) -> N {
        whole::<N>(ones) - stated.clone() * whole(self.samples)
    }

    /// True if the samples' mean is not too far below the stated probability.
    fn is_above(&self, stated: &N, ones: u64) -> bool {
        self.off(stated, ones) > -(self.limit.clone() * whole(self.samples))
    }

    /// True if the samples' mean is not too far above the stated probability.
    fn is_below(&self, stated: &N, ones: u64) -> bool {
        self.off(stated, ones) < self.limit.clone() * whole(self.samples)
    }

    /// Returns the numbers of ones among the samples for which the stated probability passes the test.
    pub fn passing_counts(&self, stated: &N) -> Range<u64> {
        let end = self.samples + 1;
        let start = first(end, |ones| self.is_above(stated, ones));
        let stop = first(end, |ones| !self.is_below(stated, ones));
        start..stop.max(start)
    }

    /// Returns the probability that the stated probability fails the test, if each sample is 1 with probability
    /// `true_probability`. Exact for few samples, else rounded to 10⁻¹².
    pub fn failure_probability(&self, stated: &N, true_probability: &N) -> N {
        let passing_counts = self.passing_counts(stated);
        match u32::try_from(self.samples) {
            Ok(samples) if self.samples <= EXACT_SAMPLES => {
                let law = (0_u64..).zip(chance::binomial_distribution(samples, true_probability));
                let failing = law.filter(|(ones, _)| !passing_counts.contains(ones));
                failing.fold(N::zero(), |sum, (_, chance)| sum + chance)
            }
            _ => {
                let outside = chance::binomial_outside_probability(
                    self.samples,
                    true_probability.to_float(),
                    &passing_counts,
                );
                N::from_exact(&outside.to_exact())
            }
        }
    }
}

impl RequiredSamplesAndTests<Exact> {
    /// Returns the terms of DE Figure 2 with d = ⌈150K⌉. The verifier rejects a stated probability that differs from
    /// its mean by at least 1/(4d), Bob by at least 1/(2d). `None` if a number of samples is too large.
    pub(super) fn sample_counts_from_paper(lipschitz_constant: &Exact, steps: u64) -> Option<Self> {
        let d = figure_2_constant_d(lipschitz_constant);
        let squared = Exact::ratio(192, 1) * &d * &d;
        let hundred = Exact::ratio(100, 1);
        let players =
            ceil_of_factor_times_ln(&squared, &(&hundred * whole::<Exact>(steps)))?.to_u64()?;
        Some(Self {
            alice: players,
            bob: SampleMeanTest {
                samples: players,
                limit: Exact::ratio(1, 2) / &d,
            },
            verifier: SampleMeanTest {
                samples: ceil_of_factor_times_ln(&squared, &hundred)?.to_u64()?,
                limit: Exact::ratio(1, 4) / d,
            },
        })
    }

    /// Converts the limits of both tests to another number type; the numbers of samples stay the same.
    pub fn as_numbers<N: Number>(&self) -> RequiredSamplesAndTests<N> {
        let test = |test: &SampleMeanTest<Exact>| SampleMeanTest {
            samples: test.samples,
            limit: N::from_exact(&test.limit),
        };
        RequiredSamplesAndTests {
            alice: self.alice,
            bob: test(&self.bob),
            verifier: test(&self.verifier),
        }
    }

    /// True if the numbers of samples are small enough to compute results as exact fractions. For more samples, the
    /// tail probabilities of their means are rounded.
    pub fn has_exact_binomial_tails(&self) -> bool {
        let listed = self.alice.max(self.verifier.samples);
        self.bob.samples <= EXACT_SAMPLES && listed <= LISTED_SAMPLES
    }

    /// Returns the largest number of samples that any seat draws for one step.
    pub fn max_samples_per_step(&self) -> u64 {
        self.alice.max(self.bob.samples).max(self.verifier.samples)
    }
}

/// Returns d = ⌈150K⌉, a constant of DE Figure 2.
pub fn figure_2_constant_d(lipschitz_constant: &Exact) -> Exact {
    (Exact::ratio(150, 1) * lipschitz_constant).ceil()
}

/// The constants of the machine-checked version of stochastic debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineCheckedConstants {
    /// The maximum error of honest Alice's probabilities.
    pub c: Exact,
    /// The error of Alice's probability from which on the verifier rejects it, except with probability v. The verifier
    /// accepts errors up to c, except with probability v. For errors between c and s it may accept or reject.
    pub s: Exact,
    /// The error of Alice's probability from which on Bob objects, except with probability q. For errors between s and
    /// b he may object or not.
    pub b: Exact,
    /// The maximum probability that the mean of a debater's samples at one step differs from the true probability by
    /// more than its allowed error. It determines the number of samples.
    pub q: Exact,
    /// The maximum probability that the mean of the verifier's samples differs from the true probability by more than
    /// its allowed error. It determines the number of samples.
    pub v: Exact,
}

impl MachineCheckedConstants {
    /// Returns the default constants for a Lipschitz constant and a number of steps, which the formalization writes as
    /// t + 1.
    pub fn constants_for_lipschitz_constant(lipschitz_constant: &Exact, steps: u64) -> Self {
        let hundredth = Exact::ratio(1, 100);
        let unit = &hundredth / lipschitz_constant;
        Self {
            s: Exact::ratio(2, 1) * &unit,
            b: Exact::ratio(5, 1) * &unit,
            c: unit,
            q: &hundredth / whole::<Exact>(steps.max(1)),
            v: hundredth,
        }
    }

    /// Returns the sampling terms that follow from these constants. `None` if a number of samples is too large, or
    /// unless 0 < c < s < b and q and v are above 0.
    pub fn sample_counts_and_tests_unless_too_many(
        &self,
    ) -> Option<RequiredSamplesAndTests<Exact>> {
        let half = Exact::ratio(1, 2);
        let apart = |low: &Exact, high: &Exact| (high - low) * &half;
        let between = |low: &Exact, high: &Exact| (high + low) * &half;
        Some(RequiredSamplesAndTests {
            alice: samples_for_error(&self.c, &self.q)?,
            bob: SampleMeanTest {
                samples: samples_for_error(&apart(&self.s, &self.b), &self.q)?,
                limit: between(&self.s, &self.b),
            },
            verifier: SampleMeanTest {
                samples: samples_for_error(&apart(&self.c, &self.s), &self.v)?,
                limit: between(&self.c, &self.s),
            },
        })
    }
}

/// Returns the number of samples whose mean is within `error` of the true probability, except with probability
/// `failure_probability`: ⌈−ln(failure/2) / (2 error²)⌉, by Hoeffding's inequality. `None` if one of the two is not
/// above 0, or if the number is too large.
pub fn samples_for_error(error: &Exact, failure_probability: &Exact) -> Option<u64> {
    if *error <= Exact::ratio(0, 1) || *failure_probability <= Exact::ratio(0, 1) {
        return None;
    }
    let two = Exact::ratio(2, 1);
    let factor = Exact::one() / (&two * error * error);
    ceil_of_factor_times_ln(&factor, &(two / failure_probability))?.to_u64()
}

/// Upper bound on the expected number of oracle queries, as promised by the machine-checked version with its own
/// constants.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "ExpectedQueries")]
pub struct ExpectedQueryBound {
    /// Bound on Alice's queries: T (5000 k² ln(200 T) + 1).
    pub alice: f64,
    /// Bound on Bob's queries: T ((20000/9) k² ln(200 T) + 1).
    pub bob: f64,
    /// Bound on the verifier's queries: 106000 k² + 1.
    pub verifier: f64,
}

/// Returns the upper bound on the expected number of oracle queries, for a Lipschitz constant and a number of steps.
pub fn expected_query_bound(lipschitz_constant: &Exact, steps: u64) -> ExpectedQueryBound {
    let squared = (lipschitz_constant * lipschitz_constant).to_float();
    let count = whole::<f64>(steps);
    let debater = |factor: f64| count * (factor * squared * (200.0 * count).ln() + 1.0);
    ExpectedQueryBound {
        alice: debater(5000.0),
        bob: debater(20_000.0 / 9.0),
        verifier: 106_000.0 * squared + 1.0,
    }
}

/// Converts a count to a number.
fn whole<N: Number>(count: u64) -> N {
    match i64::try_from(count) {
        Ok(count) => N::ratio(count, 1),
        Err(_) => N::of(&ExactWithFloat::from(Exact::from_integer(count.into()))),
    }
}

/// Returns the least number below `end` for which a monotone condition holds (once true, true for all greater numbers);
/// `end` if there is none.
fn first(end: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let mut low = 0;
    let mut high = end;
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}
