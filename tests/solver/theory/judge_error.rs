mod polynomial;

use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number as _};
use debate_core::player::PlayerSpec;
use debate_core::protocol::Protocol;
use debate_solver::analysis::{DebateSolutionInputs, SolveError};
use debate_solver::setup::{LoadedScenario, ScenarioLimits};
use debate_theory::{Polynomial, TolerableJudgeErrors, judge_errors};

fn errors(name: &str, protocol: Option<&str>, players: [&str; 2]) -> TolerableJudgeErrors {
    let setup = LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap();
    let protocol = protocol.map_or_else(
        || setup.protocol.clone(),
        |text| Protocol::parse(text).unwrap(),
    );
    let [prover, opponent] = players.map(|name| PlayerSpec::parse(name).unwrap());
    let instances = [(Exact::ratio(1, 1), setup.instance(0))];
    let solver = DebateSolutionInputs {
        registry: &debate_solver::registry(),
        protocol: &protocol,
        players: &[prover, opponent, PlayerSpec::without_arguments("oracle")],
        grid: &[],
    };
    judge_errors(&solver, &instances, None, ComputationBudget::default()).unwrap()
}

/// The worst set of `count` leaves, and its cost. If a debate asks for one answer, the costs of leaves add up.
fn worst_set(errors: &TolerableJudgeErrors, count: usize) -> (Vec<&str>, Exact) {
    let worst = errors.worst_leaves.as_ref().unwrap().iter().take(count);
    let names = worst.clone().map(|leaf| leaf.leaf.as_str()).collect();
    (names, worst.map(|leaf| &leaf.cost).sum())
}

/// A win counts 1, a loss −1: honesty breaks even if the judge is wrong half of the time.
#[test]
fn plain_recursion_breaks_even_at_one_half() {
    let found = errors("pull-request", Some("Recursive"), ["honest", "honest"]);
    let half = Exact::ratio(1, 2);
    assert_eq!(found.break_even, Some([half.clone(), half]));
    assert_eq!(found.polynomial, [Exact::ratio(1, 1), Exact::ratio(-2, 1)]);
    // One leaf is asked about, and the result depends on it.
    let (names, cost) = worst_set(&found, 1);
    assert_eq!((names.len(), cost), (1, Exact::ratio(2, 1)));
    assert_eq!(worst_set(&found, 3).1, Exact::ratio(2, 1));
    assert_eq!(found.any_leaves_cost_at_most, Exact::ratio(2, 1));
}

/// At the rate, the exact value with `noisy` is 0. The costs of single leaves sum to the cost of an error at every
/// leaf.
#[test]
fn the_polynomial_agrees_with_solving() {
    let found = errors("primes-stable", None, ["honest", "shifted(0.3)"]);
    let at = |rate: &Exact| Polynomial::new(found.polynomial.clone()).value_at(rate);
    // The guide's page on theorems has this value for `noisy(0.125)`.
    assert_eq!(at(&Exact::ratio(1, 8)), Exact::ratio(1_151_759, 6_400_000));
    let [low, high] = found.break_even.clone().unwrap();
    assert!(low <= high && at(&low) >= Exact::default() && at(&high) <= Exact::default());
    let leaves = found.worst_leaves.as_ref().unwrap();
    let all: Exact = leaves.iter().map(|leaf| &leaf.cost).sum();
    assert_eq!(all, at(&Exact::default()) - at(&Exact::ratio(1, 1)));
    // Honest Alice never gains by a wrong answer, so the worst judge is wrong everywhere.
    assert_eq!(all, found.any_leaves_cost_at_most);
}

/// The bound is the cost of the worst set, but a judge who errs only sometimes costs more.
#[test]
fn the_worst_set_of_leaves_costs_the_bound() {
    for (name, players) in [
        ("hidden-flaw", ["liar", "bayes"]),
        ("hidden-flaw", ["exploiter", "stubborn(0.3)"]),
        ("pull-request", ["contrarian", "calibrated"]),
        ("primes-small", ["obfuscator", "marginal"]),
    ] {
        let found = errors(name, None, players);
        let (_, worst) = worst_set(&found, usize::MAX);
        assert_eq!(worst, found.any_leaves_cost_at_most, "{name} {players:?}");
    }
}

#[test]
fn players_built_for_the_judge_are_refused() {
    let setup =
        LoadedScenario::load_bundled_scenario("five-parts", &ScenarioLimits::default()).unwrap();
    let players = ["best-response", "truthful", "oracle"].map(PlayerSpec::without_arguments);
    let solver = DebateSolutionInputs {
        registry: &debate_solver::registry(),
        protocol: &setup.protocol,
        players: &players,
        grid: &[],
    };
    let instances = [(Exact::ratio(1, 1), setup.instance(0))];
    let refused =
        judge_errors(&solver, &instances, None, ComputationBudget::default()).unwrap_err();
    assert!(matches!(refused, SolveError::FollowsTheJudge), "{refused}");
}
