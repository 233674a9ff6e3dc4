mod learning;
mod optimal;

use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number as _, parse};
use debate_core::player::{PlayerSpec, StrategyRegistry};
use debate_core::protocol::{Protocol, Seat};
use debate_core::scenario::Instance;
use debate_solver::analysis::equilibrium::{
    PayoffTableInputs, ProverPayoffTable, UnrestrictedDebaterGame,
};
use debate_solver::setup::{LoadedScenario, ScenarioLimits};

use crate::support::long;

fn specs(names: &[&str]) -> Vec<PlayerSpec> {
    names
        .iter()
        .map(|name| PlayerSpec::parse(name).unwrap())
        .collect()
}

fn filled(
    name: &str,
    provers: &[&str],
    opponents: &[&str],
) -> (LoadedScenario, ProverPayoffTable<Exact>) {
    let setup = LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap();
    let worlds = setup.decomposition.worlds();
    let all: Exact = worlds.iter().map(|world| &world.weight).sum();
    let instances: Vec<(Exact, Instance)> = worlds
        .iter()
        .enumerate()
        .map(|(number, world)| (&world.weight / &all, setup.instance(number)))
        .collect();
    let registry = StrategyRegistry::registry_with_builtin_players();
    let table = PayoffTableInputs {
        registry: &registry,
        protocol: &setup.protocol,
        judge: &PlayerSpec::without_arguments("oracle"),
        instances: &instances,
        grid: &[],
    };
    let budget = ComputationBudget {
        steps: 100_000,
        ..ComputationBudget::default()
    };
    let found = table.fill(&specs(provers), &specs(opponents), budget);
    (setup.clone(), found.unwrap())
}

/// On a stable decomposition the honest prover leads with a true answer, and keeps at least the bound of Lemma A.5.
#[test]
fn honesty_leads_if_the_scenario_is_stable() {
    let provers = ["honest", "contrarian", "liar", "exploiter"];
    let opponents = ["truthful", "shifted(0.25)", "stubborn(0.5)", "drifting"];
    let (setup, found) = filled("primes-stable", &provers, &opponents);
    let leader = found.prover_with_greatest_guarantee().unwrap();
    assert_eq!(found.provers[leader].name, "honest");
    assert_eq!(found.answer_correct[leader], Some(Exact::ratio(1, 1)));
    let Protocol::ProverEstimator(parameters) = &setup.protocol else {
        panic!("{}", setup.protocol);
    };
    let depth = setup.decomposition.size(0).depth;
    let bound = debate_core::scenario::stability::completeness_bound(
        &parameters.epsilon.0,
        &parameters.weight_ratio_to_next_round(),
        depth,
    );
    // The bound is tight: it is reached if the root's estimate is wrong by ε.
    assert_eq!(found.guaranteed_payoff(leader), Some(&bound));
    let reply = found.best_reply_to_prover(leader).unwrap();
    assert_eq!(found.opponents[reply].to_string(), "shifted(0.25)");
}

/// Against `bayes` alone, the liar without knowledge leads with one half. If `marginal` is also available, that liar
/// keeps r²/4, and honesty keeps more.
#[test]
fn a_liar_leads_until_the_opponent_has_the_right_reply() {
    let (_, alone) = filled("hidden-flaw", &["honest", "exploiter"], &["bayes"]);
    let leader = alone.prover_with_greatest_guarantee().unwrap();
    assert_eq!(alone.provers[leader].name, "exploiter");
    assert_eq!(alone.payoff[leader], [Exact::ratio(1, 2)]);
    assert_eq!(alone.answer_correct[leader], Some(Exact::ratio(0, 1)));
    let (_, both) = filled(
        "hidden-flaw",
        &["honest", "exploiter"],
        &["bayes", "marginal"],
    );
    assert_eq!(both.payoff[1][1], parse("1/4096").unwrap());
    assert_eq!(both.best_reply_to_prover(1), Some(1));
    assert_eq!(
        both.provers[both.prover_with_greatest_guarantee().unwrap()].name,
        "honest"
    );
}

#[test]
fn players_without_an_exact_value_are_left_out() {
    let (_, found) = filled("hidden-flaw", &["honest", "nobody"], &["bayes", "nobody"]);
    let left: Vec<(Seat, &str)> = found
        .left_out
        .iter()
        .map(|left| (left.seat, left.player.name.as_str()))
        .collect();
    assert_eq!(left.len(), 2);
    assert!(left.contains(&(Seat::Prover, "nobody")) && left.contains(&(Seat::Opponent, "nobody")));
    assert!(
        found
            .left_out
            .iter()
            .all(|left| left.reason.contains("nobody"))
    );
    assert_eq!((found.provers.len(), found.opponents.len()), (1, 1));
}

/// Games whose table, or whose value over all strategies, would take hours. Each is refused because of its size, before
/// any debate is played.
#[test]
fn large_games_are_refused_by_their_size() {
    let numbers = |number: &str| {
        let text = format!(
            "Scenario(format: 1, title: \"Large\", problem: Primality(number: {number}), protocol: \
             ProverEstimator(epsilon: 0.25, rho: 0.5))"
        );
        let origin = debate_solver::setup::ScenarioTextSource::Text("a test".to_owned());
        let setup = LoadedScenario::from_text(&text, origin, &ScenarioLimits::default()).unwrap();
        let instances = [(Exact::ratio(1, 1), setup.instance(0))];
        (instances, setup.protocol.clone())
    };
    let wide = ([(Exact::ratio(1, 1), long::instance(2))], long::protocol());
    let many = numbers("10000000019");
    let interval = numbers(&(num_bigint::BigInt::from(1) << 767_u32).to_string());
    let registry = StrategyRegistry::registry_with_builtin_players();
    let judge = PlayerSpec::without_arguments("oracle");
    let provers = specs(&[
        "honest",
        "contrarian",
        "liar",
        "obfuscator",
        "exploiter",
        "lazy",
        "random",
    ]);
    let opponents = specs(&[
        "truthful",
        "shifted(0.1)",
        "calibrated",
        "coherent",
        "bayes",
        "marginal",
        "stubborn(0.5)",
        "hedged",
        "drifting",
        "random",
    ]);
    let budget = ComputationBudget {
        steps: 1_000_000,
        flag: Some("--max-replies"),
        ..ComputationBudget::default()
    };
    for (instances, protocol) in [&wide, &many, &interval] {
        let table = PayoffTableInputs {
            registry: &registry,
            protocol,
            judge: &judge,
            instances,
            grid: &[],
        };
        let refused = table
            .fill(&provers, &opponents, budget)
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains("--max-replies") && refused.contains("visits of claims"),
            "{refused}"
        );
    }
    let budget = ComputationBudget {
        steps: 3_000_000,
        flag: Some("--max-positions"),
        ..budget
    };
    for (instances, protocol) in [&wide, &interval] {
        let game = UnrestrictedDebaterGame {
            protocol,
            judge: &judge,
            instances,
            blocks: [&[0], &[0]],
            queries: [0, 0],
            grid: &[Exact::ratio(0, 1), Exact::ratio(1, 1)],
            alpha: &Exact::default(),
            rounds: 1,
        };
        let refused = game.solve(budget).unwrap_err().to_string();
        assert!(refused.contains("--max-positions"), "{refused}");
    }
}
