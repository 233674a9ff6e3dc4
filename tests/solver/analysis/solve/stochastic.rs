//! Stochastic debate: the acceptance probability and the queries of each player.

use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number};
use debate_core::player::StrategyRegistry;
use debate_core::protocol::{Protocol, Seat};
use debate_core::scenario::Instance;
use debate_solver::analysis::{DebateSolution, DebateSolutionInputs};
use debate_solver::expectimax::BEST_RESPONSE;

use super::vectors::number;
use super::{exact, players};
use crate::support::{random_computations, vectors};

fn solved<N: Number>(instance: &Instance, protocol: &str, names: [&str; 2]) -> DebateSolution<N> {
    let protocol = Protocol::parse(protocol).unwrap();
    let [prover, opponent] = names;
    let registry = StrategyRegistry::registry_with_builtin_players();
    let case = DebateSolutionInputs {
        registry: &registry,
        protocol: &protocol,
        players: &players(prover, opponent, "oracle"),
        grid: &[],
    };
    case.solve(instance, ComputationBudget::default()).unwrap()
}

#[test]
fn the_formal_rules_agree() {
    for vector in vectors::of("stochastic_lean") {
        let (input, expect, id) = (&vector["input"], &vector["expect"], &vector["id"]);
        let oracle: Vec<(&str, &str)> = input["oracle"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(h, p)| (&**h, p.as_str().unwrap()))
            .collect();
        let steps = usize::try_from(input["t"].as_u64().unwrap()).unwrap() + 1;
        let instance = random_computations::random(steps, &oracle);
        let given = &input["params"];
        let constants = ["c", "s", "b", "q", "v"].map(|name| format!("{name}: {}", given[name]));
        let rules = format!(
            "Stochastic(k: 1, constants: Custom({}))",
            constants.join(", ")
        );
        let honest = |who: &str| input[who]["kind"] == "honest";
        if honest("alice") && honest("bob") {
            let found = solved::<Exact>(&instance, &rules, ["honest", "honest"]);
            assert_eq!(
                found.prover_win_probability(),
                number(&expect["accept"]),
                "{id}"
            );
            for (who, seat) in [
                ("alice", Seat::Prover),
                ("bob", Seat::Opponent),
                ("vera", Seat::Judge),
            ] {
                let asked = found.expected.expected_expenses(seat)[0].clone();
                assert_eq!(asked, number(&expect["cost"][who]), "{id}");
            }
            let float = solved::<f64>(&instance, &rules, ["honest", "honest"]);
            let off = float.prover_win_probability() - found.prover_win_probability().to_float();
            assert!(off.abs() < 1e-12, "{id}");
        }
        if expect["worst_bob"].is_string() {
            let found = solved::<Exact>(&instance, &rules, ["honest", BEST_RESPONSE]);
            assert_eq!(
                found.prover_win_probability(),
                number(&expect["worst_bob"]),
                "{id}"
            );
        }
    }
}

/// DE Theorem 6.2 with the constants of the machine-checked version, which draw hundreds of thousands of samples.
/// Honest Alice is accepted with at least 3/5 if the computation outputs 1 with probability 2/3. Against honest Bob the
/// probability is at most 2/5 if it outputs 1 with probability 1/3. The cost stays within its bound.
#[test]
fn honesty_is_accepted_and_lies_are_not() {
    use debate_core::protocol::stochastic::constants::expected_query_bound;
    let likely = random_computations::random(2, &[("", "1/2"), ("0", "2/3"), ("1", "3/4")]);
    let unlikely = random_computations::random(2, &[("", "1/2"), ("0", "1/4"), ("1", "1/3")]);
    for k in ["1/2", "1"] {
        let rules = format!("Stochastic(k: \"{k}\")");
        let promised = expected_query_bound(&exact(k), 2);
        for opponent in ["honest", "silent", "false-alarm", "random", BEST_RESPONSE] {
            let found = solved::<f64>(&likely, &rules, ["honest", opponent]);
            assert!(
                found.prover_win_probability() >= 0.6,
                "k = {k}, {opponent}: {}",
                found.prover_win_probability()
            );
            let asked = |seat| found.expected.expected_expenses(seat)[0];
            assert!(asked(Seat::Prover) <= promised.alice);
            assert!(asked(Seat::Judge) <= promised.verifier);
            if opponent == "honest" {
                assert!(asked(Seat::Opponent) <= promised.bob);
            }
        }
        for prover in [
            "honest",
            "exact",
            "liar",
            "liar(0)",
            "drifting(0.02)",
            "random",
        ] {
            let found = solved::<f64>(&unlikely, &rules, [prover, "honest"]);
            assert!(
                found.prover_win_probability() <= 0.4,
                "k = {k}, {prover}: {}",
                found.prover_win_probability()
            );
        }
    }
}

/// With the rules of the figure, the halves form a coin with 2³⁰ values.
#[test]
fn halves_make_a_coin() {
    let third = random_computations::random(1, &[("", "1/3")]);
    let rules = "Stochastic(k: \"1/150\", constants: Paper)";
    let found = solved::<Exact>(&third, rules, ["exact", "silent"]);
    assert_eq!(
        found.prover_win_probability(),
        exact("357913941/1073741824")
    );
    let honest = solved::<f64>(&third, rules, ["honest", "honest"]).prover_win_probability();
    assert!((honest - 1.0 / 3.0).abs() < 1e-6, "{honest}");
}
