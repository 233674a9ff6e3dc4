use debate_solver::analysis::review::TrialDebatePayoffs;
use debate_solver::expectation::UnsolvedReason;

fn trial_results(payoffs: &[f64]) -> TrialDebatePayoffs {
    let exact = Err(UnsolvedReason::STOPPED);
    TrialDebatePayoffs {
        exact_parts: None,
        has_own_numbers: false,
        measures: None,
        players: Default::default(),
        payoffs: payoffs.to_vec(),
        exact,
    }
}

#[test]
#[expect(clippy::float_cmp, reason = "nothing may be left of rounding")]
fn intervals_are_never_infinite_and_histograms_count_everything() {
    assert!(
        trial_results(&[]).mean_payoff().abs() < f64::EPSILON
            && trial_results(&[]).payoff_histogram(4).is_empty()
    );
    assert!(trial_results(&[0.5]).confidence_half_width().abs() < f64::EPSILON);
    assert_eq!(
        trial_results(&[0.5, 0.5]).payoff_histogram(4),
        [(0.5, 0.5, 2)]
    );
    // A thousand equal values: summed one by one, 0.001/9 gives a spread of 3e-20 here.
    let same = trial_results(&[0.001 / 9.0; 1000]);
    assert_eq!(
        (same.mean_payoff(), same.confidence_half_width()),
        (0.001 / 9.0, 0.0)
    );
    // Thirds that cancel.
    let thirds = [1.0 / 3.0, 0.1, -1.0 / 3.0 - 0.1];
    assert_eq!(trial_results(&thirds.repeat(100)).mean_payoff(), 0.0);
    // In floating point −0.3 + 3 · 0.1 is 5.6e-17.
    let tenths = trial_results(&[-0.3, 0.0, 0.1]).payoff_histogram(4);
    assert_eq!((tenths[2].1, tenths[3].0), (0.0, 0.0));
    let some = trial_results(&[-1.0, -0.9, 0.0, 0.1, 1.0]);
    let parts = some.payoff_histogram(4);
    let counts: Vec<usize> = parts.iter().map(|(_, _, count)| *count).collect();
    assert_eq!(counts, [2, 0, 2, 1]);
    assert!((some.mean_payoff() + 0.16).abs() < 1e-12);
    // s² = 0.673; 1.959964 √(0.673 / 5)
    assert!(
        (some.confidence_half_width() - 0.719_069).abs() < 1e-6,
        "{}",
        some.confidence_half_width()
    );
}
