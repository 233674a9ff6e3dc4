use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number};
use debate_core::player::{PlayerSpec, StrategyRegistry};
use debate_core::protocol::Seat;
use debate_core::scenario::Instance;
use debate_solver::closed_form::prover_estimator::random::payoff_with_random_replies;
use debate_solver::expectimax::{ExhaustiveExpectimax, SeatDecisionMaker};
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource};

fn setup(gate: &str, conventions: &str) -> LoadedScenario {
    let text = format!(
        r#"Scenario(format: 1, title: "Two", problem: Argument(root: "r", claims: {{
            "r": Claim(text: "R.", supports: [Support(gate: {gate}, on: ["a", "b"])]),
            "a": Claim(text: "A.", truth: true, estimate: "2/3"),
            "b": Claim(text: "B.", truth: false),
        }}), protocol: ProverEstimator(epsilon: 0.25, rho: 0.5{conventions}))"#
    );
    LoadedScenario::from_text(
        &text,
        ScenarioTextSource::Text("test".to_owned()),
        &ScenarioLimits::default(),
    )
    .unwrap()
}

/// A single claim; each number is stated twice: alone, and given the coins.
fn alone() -> LoadedScenario {
    let text = r#"Scenario(format: 1, title: "One", problem: Argument(root: "r", claims: {
            "r": Claim(text: "R.", supports: [Support(gate: Not, on: ["a"])]),
            "a": Claim(text: "A.", truth: true),
        }), protocol: ProverEstimator(epsilon: 0.25, rho: 0.5, carry: Marginal))"#;
    LoadedScenario::from_text(
        text,
        ScenarioTextSource::Text("test".to_owned()),
        &ScenarioLimits::default(),
    )
    .unwrap()
}

/// A claim over one other claim: two rounds above the leaf.
fn chain() -> LoadedScenario {
    let text = r#"Scenario(format: 1, title: "Chain", problem: Argument(root: "r", claims: {
            "r": Claim(text: "R.", supports: [Support(gate: All, on: ["a"])]),
            "a": Claim(text: "A.", supports: [Support(gate: Not, on: ["b"])]),
            "b": Claim(text: "B.", truth: false),
        }), protocol: ProverEstimator(epsilon: 0.25, rho: 0.5))"#;
    LoadedScenario::from_text(
        text,
        ScenarioTextSource::Text("test".to_owned()),
        &ScenarioLimits::default(),
    )
    .unwrap()
}

/// The closed form's result for these players.
fn found<N: Number>(
    setup: &LoadedScenario,
    instance: &Instance,
    players: &[PlayerSpec; 3],
) -> Option<(N, Option<N>)> {
    let registry = StrategyRegistry::<N>::registry_with_builtin_players();
    let built = Seat::PLAYERS.map(|seat| {
        let built = registry.build_at(
            players,
            seat,
            instance,
            &setup.protocol,
            ComputationBudget::default(),
        );
        built.unwrap()
    });
    let players = built.each_ref().map(|player| &**player);
    let found = payoff_with_random_replies(
        players,
        instance,
        &setup.protocol,
        ComputationBudget::default(),
    );
    found.map(Result::unwrap)
}

fn specs(players: [&str; 3]) -> [PlayerSpec; 3] {
    players.map(|name| PlayerSpec::parse(name).unwrap())
}

fn walked(setup: &LoadedScenario, instance: &Instance, players: &[PlayerSpec; 3]) -> [f64; 2] {
    let registry = StrategyRegistry::<f64>::registry_with_builtin_players();
    let built = Seat::PLAYERS.map(|seat| {
        let built = registry.build_at(
            players,
            seat,
            instance,
            &setup.protocol,
            ComputationBudget::default(),
        );
        built.unwrap()
    });
    let start = setup.protocol.start(instance).unwrap();
    let actors = built
        .each_ref()
        .map(|player| SeatDecisionMaker::Plays(&**player));
    let walk = ExhaustiveExpectimax::new(&start, actors, ComputationBudget::default())
        .follow_each_coin_separately();
    let found = { walk }.expectation_from_state(start).unwrap();
    let truth = instance.truth(instance.root()).unwrap();
    [
        found.expected_payoff(),
        *found.probability_of_final_answer(truth),
    ]
}

#[test]
fn random_provers_have_the_value_of_the_walk() {
    let setups = [
        setup("All", ""),
        setup("Xor", ", early_leaf: InPlace"),
        alone(),
        chain(),
    ];
    let provers = [
        "honest",
        "honest(markov)",
        "contrarian",
        "liar",
        "obfuscator",
        "exploiter",
        "lazy",
    ];
    let estimators = ["calibrated", "coherent", "hedged", "shifted(0.3)"];
    let against = provers.map(|prover| [prover, "random", "noisy(0.1)"]);
    let drawing = estimators.map(|bob| ["random", bob, "oracle"]);
    for setup in setups {
        let instance = setup.instance(0);
        for names in against.into_iter().chain(drawing) {
            let players = specs(names);
            let (value, right) = found::<Exact>(&setup, &instance, &players).unwrap();
            let [walked, answers] = walked(&setup, &instance, &players);
            assert!((value.to_float() - walked).abs() < 1e-12, "{names:?}");
            assert!(
                (right.unwrap().to_float() - answers).abs() < 1e-12,
                "{names:?}"
            );
        }
    }
}

#[test]
fn provers_without_draws_are_left_to_the_walk() {
    let hidden = setup("All", "");
    let shown = setup("All", ", direction: Public");
    let instance = hidden.instance(0);
    let found = |setup: &LoadedScenario, names| found::<f64>(setup, &instance, &specs(names));
    assert!(found(&hidden, ["liar", "bayes", "oracle"]).is_none());
    assert!(found(&hidden, ["liar", "random", "oracle"]).is_some());
    // A player who sees a bet before the coins may use it, so there is no closed form.
    assert!(found(&shown, ["random", "bayes", "oracle"]).is_none());
}
