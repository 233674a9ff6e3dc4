//! Where DE Theorem 6.2 fails as printed: Definition 6.1 indexes oracles by the query alone, so a
//! machine may ask one query many times and have a tiny K.

use super::*;
use crate::protocol::stochastic::constants::{Terms, Test, paper_depth};

/// How often the one query, a fair coin, is asked for S₁, and again for S₂.
const ASKED: usize = 16;

/// The machine says 1 where S₁ − S₂ is at least this.
const THRESHOLD: usize = 9;

/// Alice says this for each answer that counts towards S₁, and its opposite for S₂.
const SAID: f64 = 7.0 / 8.0;

/// One query asked 32 times, the output [S₁ − S₂ ≥ 9]: with the constants of the figure for the K
/// that Definition 6.1 gives it, a liar is accepted although P[M = 1] is about a thousandth. The
/// rules are those of the debate; that histories with the same S₁ − S₂ have the same future is
/// what makes it feasible.
#[test]
fn a_query_asked_many_times_is_lied_about_with_success() {
    let steps = 2 * ASKED as u64 + 1;
    let parameters = parameters("Stochastic(k: \"1/150\", constants: Paper)");
    let exactly = Terms::<Exact>::of(&parameters, steps).unwrap();
    assert_eq!(paper_depth(&parameters.k.0), Exact::ratio(1, 1));
    let float = |test: Test<Exact>| Test {
        samples: test.samples,
        limit: test.limit.to_float(),
    };
    let (bob, verifier) = (float(exactly.bob), float(exactly.verifier));
    assert_eq!((bob.samples, verifier.samples), (1556, 885));

    let fair = binomial_law(2 * u32::try_from(ASKED).unwrap(), &0.5);
    let true_odds: f64 = fair[25..].iter().sum();
    assert!((true_odds - 4_514_873.0 / 4_294_967_296.0).abs() < 1e-15);

    // After each step the probability of being accepted, by S₁ − S₂ + 16.
    let mut accepted: Vec<f64> = (0..=2 * ASKED)
        .map(|shifted| f64::from(shifted >= ASKED + THRESHOLD))
        .collect();
    for step in (0..2 * ASKED).rev() {
        let first = step < ASKED;
        let said = if first { SAID } else { 1.0 - SAID };
        let objects = bob.failure(&said, &0.5);
        let survives = 1.0 - verifier.failure(&said, &0.5);
        let after = accepted.clone();
        for (place, accepted) in accepted.iter_mut().enumerate() {
            let one = if first {
                place + 1
            } else {
                place.wrapping_sub(1)
            };
            let one = after.get(one).copied().unwrap_or(0.0);
            let goes_on = said * one + (1.0 - said) * after[place];
            *accepted = objects * survives + (1.0 - objects) * goes_on;
        }
    }
    let found = accepted[ASKED];
    // Bob hardly ever objects, so it is P[Bin(32, 7/8) ≥ 25].
    let claimed: f64 = binomial_law(32, &SAID)[25..].iter().sum();
    assert!((found - claimed).abs() < 1e-12, "{found}");
    assert!((found - 0.960_494).abs() < 1e-6, "{found}");
}
