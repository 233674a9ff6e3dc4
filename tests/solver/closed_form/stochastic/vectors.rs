//! Exact values that were computed elsewhere; skipped without their folder.

use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number as _, parse};
use debate_core::player::PlayerSpec;
use debate_core::protocol::stochastic::constants::{RequiredSamplesAndTests, SampleMeanTest};
use debate_solver::closed_form::stochastic::{
    AcceptanceWindow, CoinFromStatedProbabilityRule, StochasticDebateModel,
};
use serde_json::Value as Json;

use super::{PAPER, parameters, table, wins};
use crate::support::vectors::whole;
use crate::support::{random_computations, vectors};

fn number(value: &Json) -> Exact {
    parse(value.as_str().expect("a fraction")).unwrap()
}

fn custom(given: &Json) -> String {
    let constants = ["c", "s", "b", "q", "v"].map(|name| format!("{name}: {}", given[name]));
    format!(
        "Stochastic(k: 1, constants: Custom({}))",
        constants.join(", ")
    )
}

fn found(model: &StochasticDebateModel<'_>) -> Exact {
    let found = model.debate_expectation(ComputationBudget::default());
    wins(&found.unwrap().unwrap())
}

/// The worst Bob, who objects before or after the coin is thrown, and the worst Alice.
#[test]
fn the_worst_of_both_seats_agree() {
    for vector in vectors::of("stochastic_lean") {
        let (input, expect, id) = (&vector["input"], &vector["expect"], &vector["id"]);
        let instance = random_computations::recorded(whole(&input["t"]) + 1, &input["oracle"]);
        let parameters = parameters(&custom(&input["params"]));
        let model = |players: &[PlayerSpec; 3]| {
            StochasticDebateModel::new(players, &instance, &parameters, &[]).expect("known players")
        };
        let bob = table("honest", "best-response");
        if expect["worst_bob"].is_string() {
            assert_eq!(found(&model(&bob)), number(&expect["worst_bob"]), "{id}");
        }
        if expect["worst_bob_sees_bit"].is_string() {
            let mut seeing = model(&bob);
            seeing.sees = true;
            let worst = number(&expect["worst_bob_sees_bit"]);
            assert_eq!(found(&seeing), worst, "{id}");
        }
        if expect["worst_alice"].is_string() {
            let alice = table("best-response", "honest");
            assert_eq!(
                found(&model(&alice)),
                number(&expect["worst_alice"]),
                "{id}"
            );
        }
    }
}

#[test]
fn the_rules_of_the_figure_agree() {
    for vector in vectors::of("stochastic_paper") {
        let (input, id) = (&vector["input"], &vector["id"]);
        let bob = input["bob"].as_str().unwrap();
        if !["honest", "silent"].contains(&bob) {
            continue;
        }
        let instance = random_computations::recorded(whole(&input["T"]), &input["oracle"]);
        let players = table("honest", bob);
        let mut model =
            StochasticDebateModel::new(&players, &instance, &parameters(PAPER), &[]).unwrap();
        let depth = Exact::from_integer(whole(&input["d"]).into());
        let test = |samples: &Json, share| SampleMeanTest {
            samples: whole(samples),
            limit: Exact::ratio(1, share) / &depth,
        };
        model.terms = RequiredSamplesAndTests {
            alice: whole(&input["alice_samples"]),
            bob: test(&input["R"], 2),
            verifier: test(&input["r"], 4),
        };
        model.bob = AcceptanceWindow::window_of_sample_mean_test(&model.terms.bob);
        model.verifier = AcceptanceWindow::window_of_sample_mean_test(&model.terms.verifier);
        model.coin = CoinFromStatedProbabilityRule::Shared(model.terms.alice);
        assert_eq!(found(&model), number(&vector["expect"]["accept"]), "{id}");
    }
}
