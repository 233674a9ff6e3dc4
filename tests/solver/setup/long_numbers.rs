//! Numbers that are as long as `--max-digits` allows, or longer.

use debate_core::budget::ComputationBudget;
use debate_core::gate::Gate;
use debate_core::number::{Exact, Number as _, parse};
use debate_core::scenario::stability::{
    copies_for_supports, largest_shift_at_truths, majority_error,
};
use debate_solver::expectation::ReportNumberFormat;
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource};
use debate_theory::check::check;

/// A probability with `digits` digits near one tenth.
fn long(digits: usize) -> String {
    format!("0.1{}1", "0".repeat(digits - 2))
}

fn read(claims: &str, epsilon: &str, rho: &str) -> Result<LoadedScenario, String> {
    let text = format!(
        "Scenario(format: 1, title: \"Long\", problem: Argument(root: \"c0\", claims: {{{claims}}}), protocol: \
         ProverEstimator(epsilon: \"{epsilon}\", rho: \"{rho}\"))"
    );
    let origin = ScenarioTextSource::Text("a test".to_owned());
    LoadedScenario::from_text(&text, origin, &ScenarioLimits::default())
        .map_err(|error| error.to_string())
}

/// Fifty-one nested claims: r^(d + 1) has about 15,000 digits. A power of ε in a search for evidence once had about
/// 400,000.
#[test]
fn check_of_a_long_chain_uses_short_numbers() {
    let mut claims: Vec<String> = (0..50)
        .map(|number| {
            let on = number + 1;
            format!("\"c{number}\": Claim(text: \"C{number}.\", supports: [Support(gate: All, on: [\"c{on}\"])])")
        })
        .collect();
    claims.push("\"c50\": Claim(text: \"Leaf.\", truth: true)".to_owned());
    let setup = read(&claims.join(", "), &long(120), &long(60)).unwrap();
    assert!(setup.approximate_digits_of_smallest_stake(&setup.protocol) > 10_000);
    let found = check(&setup, &setup.protocol, ReportNumberFormat::Decimal).unwrap();
    let stability = found.stability.as_ref().unwrap();
    assert_eq!(stability.stable, Some(false));
    // A majority of three changes by 3ε² − 2ε³, which is above ρε.
    assert_eq!(stability.copies, Some(5));
    assert!(found.judge_errors.is_none());
}

/// All errors in a support of q subclaims have probability ε^q.
#[test]
fn a_long_epsilon_is_refused_for_a_wide_support() {
    let on: Vec<String> = (1..=1000).map(|number| format!("\"c{number}\"")).collect();
    let leaves: Vec<String> = (1..=1000)
        .map(|number| format!("\"c{number}\": Claim(text: \"C{number}.\", truth: true)"))
        .collect();
    let root = format!(
        "\"c0\": Claim(text: \"C0.\", supports: [Support(gate: All, on: [{}])]), {}",
        on.join(", "),
        leaves.join(", ")
    );
    let refused = read(&root, &long(190), "0.5").unwrap_err();
    assert!(refused.contains("--max-digits"), "{refused}");
    assert!(read(&root, "0.1", "0.5").is_ok());
}

/// The search for the least evidence compares short numbers around the error of a majority. It finds the same result as
/// with exact errors.
#[test]
fn the_least_evidence_is_that_of_exact_errors() {
    let exact = |supports: &[(Gate, Vec<bool>)], epsilon: &Exact, allowed: &Exact| {
        (0..200).map(|half| 2 * half + 1).find(|copies| {
            let error = majority_error(*copies, epsilon);
            let moved =
                |(gate, truths): &(Gate, Vec<bool>)| largest_shift_at_truths(gate, truths, &error);
            let mut moves = supports.iter().map(moved);
            moves.all(|moved| moved.is_some_and(|moved| moved <= *allowed))
        })
    };
    for (epsilon, rho) in [
        ("1/10", "1/2"),
        ("1/4", "1/10"),
        ("1/20", "1/1000"),
        ("2/5", "9/10"),
    ] {
        let (epsilon, rho) = (parse(epsilon).unwrap(), parse(rho).unwrap());
        for (gate, truths) in [
            (Gate::All, vec![true; 5]),
            (Gate::Any, vec![false; 3]),
            (Gate::Majority, vec![true, true, false]),
            (Gate::Xor, vec![true, false]),
        ] {
            let supports = [(gate, truths)];
            let allowed = &rho * &epsilon;
            let found = copies_for_supports(&supports, &epsilon, &allowed);
            assert_eq!(
                found,
                exact(&supports, &epsilon, &allowed),
                "{epsilon} {rho}"
            );
        }
    }
    // Exactly at the bound, short numbers cannot decide: a majority of three errs with 3ε² − 2ε³.
    let epsilon = Exact::ratio(1, 10);
    let three = majority_error(3, &epsilon);
    let support = [(Gate::All, vec![true])];
    assert_eq!(copies_for_supports(&support, &epsilon, &three), Some(3));
    let below = &three - Exact::new(1.into(), num_bigint::BigInt::from(10).pow(30));
    assert_eq!(copies_for_supports(&support, &epsilon, &below), Some(5));
}

#[test]
fn a_step_on_long_numbers_costs_the_square_of_their_length() {
    let steps = |digits| {
        ComputationBudget::default()
            .with_computation_step_limit(1_000_000)
            .with_step_limit_for_long_numbers(digits)
            .steps
    };
    assert_eq!(
        (steps(0), steps(255), steps(256), steps(1280)),
        (1_000_000, 1_000_000, 250_000, 10_000)
    );
    assert_eq!(steps(u64::MAX), 1);
}
