use debate_core::number::{Exact, Number as _};
use debate_solver::analysis::review::{HistogramBar, ManyDebatesPayoffs};
use debate_solver::expectation::PayoffNotComputedReason;

fn trial_results(payoffs: &[f64]) -> ManyDebatesPayoffs {
    let exact = Err(PayoffNotComputedReason::STOPPED);
    ManyDebatesPayoffs {
        exact_parts: None,
        has_own_numbers: false,
        measures: None,
        judge_score: None,
        players: Default::default(),
        payoffs: payoffs.to_vec(),
        exact,
    }
}

#[test]
#[expect(clippy::float_cmp, reason = "nothing may be left of rounding")]
fn intervals_are_never_infinite_and_histograms_count_everything() {
    assert!(trial_results(&[]).mean_payoff().abs() < f64::EPSILON && histogram(&[], 4).is_empty());
    assert!(trial_results(&[0.5]).confidence_half_width().abs() < f64::EPSILON);
    assert_eq!(histogram(&[0.5, 0.5], 4), [(0.5, 0.5, 2)]);
    // A thousand equal values: summed one by one, 0.001/9 gives a spread of 3e-20 here.
    let same = trial_results(&[0.001 / 9.0; 1000]);
    assert_eq!(
        (same.mean_payoff(), same.confidence_half_width()),
        (0.001 / 9.0, 0.0)
    );
    // Thirds that cancel.
    let thirds = [1.0 / 3.0, 0.1, -1.0 / 3.0 - 0.1];
    assert_eq!(trial_results(&thirds.repeat(100)).mean_payoff(), 0.0);
    let some = trial_results(&[-1.0, -0.9, 0.0, 0.1, 1.0]);
    assert!((some.mean_payoff() + 0.16).abs() < 1e-12);
    // s² = 0.673; 1.959964 √(0.673 / 5)
    assert!(
        (some.confidence_half_width() - 0.719_069).abs() < 1e-6,
        "{}",
        some.confidence_half_width()
    );
}

/// Returns the rows of a histogram with their ends as floating-point numbers.
fn histogram(payoffs: &[f64], parts: u32) -> Vec<(f64, f64, usize)> {
    let bars = trial_results(payoffs).payoff_histogram(parts, &Exact::ratio(1, 10));
    let row = |bar: HistogramBar| (bar.from.to_float(), bar.to.to_float(), bar.count);
    bars.into_iter().map(row).collect()
}

/// The ends of a histogram's rows are round, 0 is one of them, and payoffs of 0 have a row: it shows how many debates
/// were lost. A payoff at an end is in the row nearer to 0.
#[test]
fn zero_is_an_end_of_a_histograms_rows() {
    assert_eq!(
        histogram(&[-1.0, -0.9, 0.0, 0.1, 1.0], 4),
        [
            (-1.0, -0.5, 2),
            (-0.5, 0.0, 0),
            (0.0, 0.0, 1),
            (0.0, 0.5, 1),
            (0.5, 1.0, 1)
        ]
    );
    // Without a payoff of 0 there is no such row.
    assert_eq!(
        histogram(&[-0.3, 0.1], 8),
        [
            (-0.3, -0.25, 1),
            (-0.25, -0.2, 0),
            (-0.2, -0.15, 0),
            (-0.15, -0.1, 0),
            (-0.1, -0.05, 0),
            (-0.05, 0.0, 0),
            (0.0, 0.05, 0),
            (0.05, 0.1, 1)
        ]
    );
    for scale in [1e-6, 0.7, 3.0, 12_345.0] {
        for spread in [[-7.3, 2.0], [0.1, 9.99], [-5.0, -4.9], [100.0, 101.0]] {
            let payoffs: Vec<f64> = (0..50)
                .map(|step| scale * (spread[0] + (spread[1] - spread[0]) * f64::from(step) / 49.0))
                .collect();
            let rows = histogram(&payoffs, 8);
            assert!((3..=9).contains(&rows.len()), "{rows:?}");
            assert_eq!(rows.iter().map(|row| row.2).sum::<usize>(), 50);
            for pair in rows.windows(2) {
                assert!((pair[0].1 - pair[1].0).abs() <= f64::EPSILON, "{rows:?}");
            }
            assert!(
                rows.iter().all(|(from, to, _)| from * to >= 0.0),
                "{rows:?}"
            );
        }
    }
}
