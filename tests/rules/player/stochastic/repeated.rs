//! The gap in the printed proof of DE Theorem 6.2 (Errata 4). Definition 6.1 indexes oracles by the query alone, so a
//! machine may ask one query many times and have a tiny K. The statement, that some debate decides the language,
//! remains open there.

use debate_core::chance::binomial_distribution;
use debate_core::number::{Exact, Number as _};
use debate_core::protocol::stochastic::constants::{
    RequiredSamplesAndTests, SampleMeanTest, figure_2_constant_d,
};

use super::parameters;

/// Number of times the only query, a fair coin, is asked for S₁, and again for S₂.
const ASKED: usize = 16;

/// The machine outputs 1 if S₁ − S₂ is at least this.
const THRESHOLD: usize = 9;

/// Probability that a liar is accepted against an honest Bob. The liar states `said` for each answer that counts
/// towards S₁, and 1 − `said` for S₂. Histories with the same S₁ − S₂ have the same future, which makes the computation
/// feasible.
fn accepted(terms: &RequiredSamplesAndTests<Exact>, said: f64) -> f64 {
    let float = |test: &SampleMeanTest<Exact>| SampleMeanTest {
        samples: test.samples,
        limit: test.limit.to_float(),
    };
    let (bob, verifier) = (float(&terms.bob), float(&terms.verifier));
    // After each step, by S₁ − S₂ + 16.
    let mut accepted: Vec<f64> = (0..=2 * ASKED)
        .map(|shifted| f64::from(shifted >= ASKED + THRESHOLD))
        .collect();
    for step in (0..2 * ASKED).rev() {
        let first = step < ASKED;
        let said = if first { said } else { 1.0 - said };
        let objects = bob.failure_probability(&said, &0.5);
        let survives = 1.0 - verifier.failure_probability(&said, &0.5);
        let after = accepted.clone();
        for (place, accepted) in accepted.iter_mut().enumerate() {
            let one = if first {
                place + 1
            } else {
                place.wrapping_sub(1)
            };
            let one = after.get(one).copied().unwrap_or(0.0);
            let continues = said * one + (1.0 - said) * after[place];
            *accepted = objects * survives + (1.0 - objects) * continues;
        }
    }
    accepted[ASKED]
}

/// One query asked 32 times, with output [S₁ − S₂ ≥ 9]. With the figure's constants for the K of Definition 6.1, a liar
/// is accepted although P[M = 1] is about a thousandth.
#[test]
fn a_query_asked_many_times_is_lied_about_with_success() {
    let steps = 2 * ASKED as u64 + 1;
    let parameters = parameters("Stochastic(k: \"1/150\", constants: Paper)");
    let terms =
        RequiredSamplesAndTests::<Exact>::sample_counts_and_tests_of_parameters(&parameters, steps)
            .unwrap();
    assert_eq!(figure_2_constant_d(&parameters.k.0), Exact::ratio(1, 1));
    assert_eq!((terms.bob.samples, terms.verifier.samples), (1556, 885));

    let fair = binomial_distribution(2 * u32::try_from(ASKED).unwrap(), &0.5);
    let true_odds: f64 = fair[25..].iter().sum();
    assert!((true_odds - 4_514_873.0 / 4_294_967_296.0).abs() < 1e-15);

    // Bob almost never objects, so the probability is P[Bin(32, said) ≥ 25]. The second figure was computed
    // independently, for a liar who stays a millionth below 7/8.
    let eighths = accepted(&terms, 7.0 / 8.0);
    let claimed: f64 = binomial_distribution(32, &(7.0 / 8.0))[25..].iter().sum();
    assert!((eighths - claimed).abs() < 1e-12, "{eighths}");
    let below = accepted(&terms, 7.0 / 8.0 - 1e-6);
    assert!((below - 0.960_492_655_997).abs() < 1e-12, "{below}");
}
