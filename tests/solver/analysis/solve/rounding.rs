//! Floating-point figures whose exact value is 0.

use std::collections::HashSet;

use super::mean;
use debate_core::number::{Exact, Number};
use debate_solver::analysis::DebateSolution;
use debate_solver::setup::{LoadedScenario, ScenarioLimits};

/// Each figure of a solution: its name, and its value as a floating-point number.
fn figures<N: Number>(solution: &DebateSolution<N>) -> Vec<(String, f64)> {
    let mut figures = vec![
        (
            "value".to_owned(),
            solution.expected_prover_payoff().to_float(),
        ),
        (
            "variance".to_owned(),
            solution.expected.payoff_variance().to_float(),
        ),
    ];
    let correct = solution.answer_correct.as_ref().map(N::to_float);
    figures.extend(correct.map(|correct| ("answer_correct".to_owned(), correct)));
    let rounds = solution
        .expected
        .expected_rewards_by_round()
        .into_iter()
        .enumerate();
    figures.extend(rounds.map(|(place, reward)| (format!("round {place}"), reward.to_float())));
    figures
}

/// The same figures are 0 in both kinds of arithmetic, and no variance is negative.
#[test]
fn floating_point_has_a_zero_exactly_if_fractions_have_one() {
    let mut zeros = HashSet::new();
    for name in ["primes", "primes-small", "two-of-three", "three-receipts"] {
        let setup =
            LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap();
        for prover in ["honest", "liar", "obfuscator", "random"] {
            for opponent in ["bayes", "calibrated", "even"] {
                let names = [prover, opponent, "oracle"];
                let float = mean::<f64>(&setup, &setup.protocol, names, &[]);
                let fraction = mean::<Exact>(&setup, &setup.protocol, names, &[]);
                let pairs = figures(&float).into_iter().zip(figures(&fraction));
                for ((figure, float), (_, exact)) in pairs {
                    let case = format!("{name}, {prover} against {opponent}: {figure}");
                    assert_eq!(float == 0.0, exact == 0.0, "{case}: {float} and {exact}");
                    assert!((float - exact).abs() < 1e-12, "{case}: {float} and {exact}");
                    if exact == 0.0 {
                        zeros.insert(figure);
                    }
                }
            }
        }
    }
    let all = ["value", "variance", "answer_correct", "round 2"];
    assert!(
        all.iter().all(|figure| zeros.contains(*figure)),
        "{zeros:?}"
    );
}
