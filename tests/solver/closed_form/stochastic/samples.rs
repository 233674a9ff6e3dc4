use debate_core::chance::{binomial_distribution, binomial_outside_probability};
use debate_core::number::{Exact, Number as _};
use debate_core::protocol::stochastic::constants::SampleMeanTest;
use debate_solver::closed_form::stochastic::{AcceptanceWindow, OnesCountDistribution};

#[test]
fn tails_agree_with_the_binomial_law() {
    let p = Exact::ratio(2, 7);
    let exact = OnesCountDistribution::<Exact>::new(20, &p);
    let float = OnesCountDistribution::<f64>::new(20, &p);
    let law = binomial_distribution(20, &p);
    for start in 0..=21_u64 {
        for end in start..=21 {
            let inside = start..end;
            let outside: Exact = (0..)
                .zip(&law)
                .filter(|(ones, _)| !inside.contains(ones))
                .map(|(_, weight)| weight)
                .sum();
            assert_eq!(exact.probability_outside(&inside), outside);
            assert!((float.probability_outside(&inside) - outside.to_float()).abs() < 1e-14);
        }
    }
    let many = OnesCountDistribution::<f64>::new(326_000, &p);
    for range in [
        93_000..93_200,
        90_000..93_000,
        0..326_001,
        7..7,
        93_500..326_001,
    ] {
        let known = binomial_outside_probability(326_000, p.to_float(), &range);
        assert!(
            (many.probability_outside(&range) - known).abs() < 1e-13,
            "{range:?}"
        );
    }
    // Probabilities without randomness.
    for (p, ones) in [(Exact::ratio(0, 1), 0), (Exact::ratio(1, 1), 5_000)] {
        let sure = OnesCountDistribution::<f64>::new(5_000, &p);
        assert!(sure.probability_outside(&(ones..ones + 1)) == 0.0);
        assert!((sure.probability_outside(&(2_000..3_000)) - 1.0).abs() < f64::EPSILON);
    }
}

fn ratio((numerator, denominator): (i64, i64)) -> Exact {
    Exact::ratio(numerator, denominator)
}

/// The windows equal those of the rules, at every threshold and beside it.
#[test]
fn sample_windows_agree_with_the_rules() {
    for (samples, limit) in [
        (1, (1, 2)),
        (6, (1, 2)),
        (12, (1, 4)),
        (12, (1, 1)),
        (7, (2, 9)),
    ] {
        let test = SampleMeanTest {
            samples,
            limit: ratio(limit),
        };
        let window = AcceptanceWindow::window_of_sample_mean_test(&test);
        let mut word = vec![ratio((0, 1)), ratio((1, 1))];
        for ones in 0..=samples {
            word.extend([
                window.least_probability_rejecting_as_too_few(ones),
                window.greatest_probability_rejecting_as_too_many(ones),
            ]);
        }
        word.sort();
        word.dedup();
        for pair in word.windows(2) {
            let middle = (&pair[0] + &pair[1]) / ratio((2, 1));
            assert_eq!(
                window.accepted_counts(&pair[0]),
                test.passing_counts(&pair[0])
            );
            assert_eq!(
                window.accepted_counts(&middle),
                test.passing_counts(&middle)
            );
            // No window changes between two thresholds.
            assert_eq!(
                window.least_accepted_count(&pair[0]),
                window.least_accepted_count_just_below(&pair[1])
            );
            assert_eq!(
                window.least_too_large_count_for_stated_just_above(&pair[0]),
                window.least_too_large_count(&pair[1])
            );
            assert_eq!(
                window.least_accepted_count(&middle),
                window.least_accepted_count(&pair[0])
            );
            assert_eq!(
                window.least_too_large_count(&middle),
                window.least_too_large_count(&pair[1])
            );
        }
        for of in [1, 5, 12] {
            let means = window.acceptance_window_for_mean_of_samples(of);
            for ones in 0..=of {
                let mean = Exact::new(ones.into(), of.into());
                assert_eq!(
                    means.accepted_one_counts(ones),
                    test.passing_counts(&mean),
                    "{ones} of {of}"
                );
            }
        }
    }
}
