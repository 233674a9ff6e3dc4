use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number as _, power};
use debate_core::player::{PlayerSpec, StrategyRegistry};
use debate_solver::analysis::{DebateSolution, DebateSolutionInputs, average_over_instances};
use debate_solver::setup::LoadedScenario;

use crate::support::scenarios::setup;

/// A chain of claims, each the negation of the next.
fn chain(length: usize) -> LoadedScenario {
    let not = |n: usize| {
        let next = n + 1;
        format!(
            "\"c{n}\": Claim(text: \"c{n}\", supports: [Support(gate: Not, on: [\"c{next}\"])]),"
        )
    };
    let claims: String = (0..length).map(not).collect();
    setup(&format!(
        "Scenario(format: 1, title: \"Chain\", problem: Argument(root: \"c0\", claims: {{
            {claims} \"c{length}\": Claim(text: \"Leaf.\", truth: true) }}),
            protocol: ProverEstimator(epsilon: 0.25, rho: 0.5))"
    ))
}

/// The solution of a chain of even length, for honest Alice against an estimator with the constant estimate `said`.
fn against(setup: &LoadedScenario, said: &Exact) -> DebateSolution<Exact> {
    let stubborn = format!("stubborn({said})");
    let players = ["honest", &stubborn, "oracle"].map(|name| PlayerSpec::parse(name).unwrap());
    let solver = DebateSolutionInputs {
        registry: &StrategyRegistry::registry_with_builtin_players(),
        protocol: &setup.protocol,
        players: &players,
        grid: &[],
    };
    let solved = solver.solve(&setup.instance(0), ComputationBudget::default());
    solved.unwrap()
}

/// The expected rewards by hand, if the probability p is further than ε from 0 and 1. The root is true.
///
/// The answer earns w p, with w the weight of the round. A true claim gets a bet upwards. The next claim's coin comes
/// up false with probability 1 − p, so the bet earns w (1 − 2p). A bet downwards on a false claim earns the negative of
/// that. The true leaf earns w (1 − p).
fn by_hand(setup: &LoadedScenario, length: u32, p: &Exact) -> Vec<Exact> {
    let one = Exact::ratio(1, 1);
    let ratio = setup.protocol.weight_ratio_if_constant().unwrap();
    let mut rounds = vec![power(&ratio, length + 1) * p];
    for level in 0..length {
        let gain = &one - p - p;
        let bet = if level % 2 == 0 { gain } else { -gain };
        rounds.push(power(&ratio, length - level) * bet);
    }
    rounds.push(&one - p);
    rounds
}

/// A debate of 130 rounds with two outcomes of the coin in each: sums of later rounds are shared.
#[test]
fn shared_and_plain_sums_are_equal() {
    let long = chain(130);
    let said = Exact::ratio(1, 3);
    let expected = against(&long, &said).expected;
    let rounds = by_hand(&long, 130, &said);
    assert_eq!(expected.expected_rewards_by_round(), rounds);
    assert_eq!(expected.expected_payoff(), rounds.into_iter().sum());
}

/// Sums of sums without common parts still give the mean of all.
#[test]
fn many_parts_become_one() {
    let long = chain(66);
    let each: Vec<(Exact, Exact)> = (1..=10)
        .map(|part| (Exact::ratio(1, 10), Exact::ratio(25 + part, 100)))
        .collect();
    let solved: Vec<(Exact, DebateSolution<Exact>)> = each
        .iter()
        .map(|(share, said)| (share.clone(), against(&long, said)))
        .collect();
    let mean = average_over_instances(&solved).unwrap().expected;
    let mut wanted = vec![Exact::default(); 68];
    for (share, said) in &each {
        for (sum, reward) in wanted.iter_mut().zip(by_hand(&long, 66, said)) {
            *sum += share * reward;
        }
    }
    assert_eq!(mean.expected_rewards_by_round(), wanted);
}
