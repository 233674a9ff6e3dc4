//! Constants, stability and Algorithm 1 agree with values that were computed elsewhere; skipped without their folder.
//! Values derived from the rules themselves are in the tests of the rules.

use std::rc::Rc;

use debate_core::budget::{ComputationBudget, ComputationStopReason};
use debate_core::gate::{EstimateConsistency, Gate};
use debate_core::number::{Exact, Number as _, parse};
use debate_core::protocol::Protocol;
use debate_core::protocol::stochastic::StochasticProtocolParameters;
use debate_core::protocol::stochastic::constants::{
    MachineCheckedConstants, RequiredSamplesAndTests, figure_2_constant_d,
};
use debate_core::scenario::stability::{
    ConditionalSubclaimProbabilities, evidence_copy_counts, largest_shift,
};
use debate_solver::training::{
    EstimatorTestSequence, TestValuesByInputAndOutcome, TrainingTarget, descend,
    project_onto_simplex,
};
use serde_json::Value;

use crate::support::vectors::{self, whole};

fn number(value: &Value) -> Exact {
    parse(value.as_str().expect("a fraction")).expect("a number")
}

fn parameters(k: &Value, constants: &str) -> StochasticProtocolParameters {
    let k = k.as_str().expect("a fraction");
    let text = format!("Stochastic(k: \"{k}\", constants: {constants})");
    match Protocol::parse(&text).expect("a protocol") {
        Protocol::Stochastic(parameters) => parameters,
        other => panic!("{other}"),
    }
}

#[test]
fn the_formal_constants_agree() {
    for vector in vectors::of("stochastic_defaults") {
        let (input, expect, id) = (&vector["input"], &vector["expect"], &vector["id"]);
        let steps = whole(&input["t"]) + 1;
        let formal =
            MachineCheckedConstants::constants_for_lipschitz_constant(&number(&input["k"]), steps);
        let named = |name: &str| number(&expect["params"][name]);
        let wanted = MachineCheckedConstants {
            c: named("c"),
            s: named("s"),
            b: named("b"),
            q: named("q"),
            v: named("v"),
        };
        assert_eq!(formal, wanted, "{id}");
        let terms = RequiredSamplesAndTests::sample_counts_and_tests_of_parameters(
            &parameters(&input["k"], "Formal"),
            steps,
        )
        .expect("it can be counted");
        let drawn = [terms.alice, terms.bob.samples, terms.verifier.samples];
        let samples = ["alice", "bob", "vera"].map(|who| whole(&expect["samples"][who]));
        assert_eq!(drawn, samples, "{id}");
    }
}

#[test]
fn the_constants_of_the_figure_agree() {
    for vector in vectors::of("stochastic_paper_params") {
        let (input, expect, id) = (&vector["input"], &vector["expect"], &vector["id"]);
        let depth = Exact::from_integer(whole(&expect["d"]).into());
        assert_eq!(figure_2_constant_d(&number(&input["K"])), depth, "{id}");
        let parameters = parameters(&input["K"], "Paper");
        let terms = RequiredSamplesAndTests::sample_counts_and_tests_of_parameters(
            &parameters,
            whole(&input["T"]),
        )
        .expect("it can be counted");
        assert_eq!(terms.alice, whole(&expect["R"]), "{id}");
        assert_eq!(terms.bob.samples, whole(&expect["R"]), "{id}");
        assert_eq!(terms.verifier.samples, whole(&expect["r"]), "{id}");
        assert_eq!(terms.bob.limit, Exact::ratio(1, 2) / &depth, "{id}");
        assert_eq!(terms.verifier.limit, Exact::ratio(1, 4) / depth, "{id}");
    }
}

fn numbers(value: &Value) -> Vec<Exact> {
    let each = value.as_array().expect("a list").iter();
    each.map(number).collect()
}

fn rows(value: &Value) -> Vec<Vec<Exact>> {
    let each = value.as_array().expect("a list").iter();
    each.map(numbers).collect()
}

fn gate(input: &Value) -> Gate {
    match input["gate"].as_str().expect("a gate") {
        "all" => Gate::All,
        "any" => Gate::Any,
        "majority" => Gate::Majority,
        "xor" => Gate::Xor,
        "not" => Gate::Not,
        "at_least" => Gate::AtLeast(u32::try_from(whole(&input["k"])).expect("few")),
        "table" => {
            let rows = input["table"].as_str().expect("a table").chars();
            Gate::Table(rows.map(|row| row == '1').collect())
        }
        other => panic!("{other}"),
    }
}

#[test]
fn stability_agrees() {
    for vector in vectors::of("stability") {
        let (input, expect, id) = (&vector["input"], &vector["expect"], &vector["id"]);
        let (epsilon, gate) = (number(&input["eps"]), gate(input));
        let conditional = &input["conditional"];
        let found = if conditional.is_object() {
            let p = |before: &[bool]| {
                let digits = before.iter().map(|bit| if *bit { '1' } else { '0' });
                number(&conditional[digits.collect::<String>()])
            };
            let prefixes = conditional.as_object().expect("by prefix").keys();
            let width = prefixes
                .map(String::len)
                .max()
                .map_or(0, |longest| longest + 1);
            largest_shift(
                &gate,
                ConditionalSubclaimProbabilities::After(width, &p),
                &epsilon,
            )
        } else {
            largest_shift(
                &gate,
                ConditionalSubclaimProbabilities::Each(&numbers(&input["p"])),
                &epsilon,
            )
        };
        let found = found.expect("it fits");
        let values = [
            &found.base,
            &found.up,
            &found.down,
            found.supremum_of_shift(),
        ]
        .map(Clone::clone);
        let wanted = ["base", "up", "down", "sup"].map(|name| number(&expect[name]));
        assert_eq!(values, wanted, "{id}");
        assert_eq!(Some(found.attained), expect["attained"].as_bool(), "{id}");
        let allowed = number(&input["rho"]) * epsilon;
        assert_eq!(
            Some(found.is_shift_below(&allowed)),
            expect["stable"].as_bool(),
            "{id}"
        );
    }
}

#[test]
fn the_sizes_of_theorem_8_3_agree() {
    for vector in vectors::of("theorem83") {
        let (input, expect, id) = (&vector["input"], &vector["expect"], &vector["id"]);
        let small = |name: &str| u32::try_from(whole(&input[name])).expect("small");
        let found =
            evidence_copy_counts(&number(&input["eps"]), small("c"), small("d")).expect("sizes");
        let values = [
            found.w,
            found.printed_first,
            found.printed_second,
            found.needed,
            found.least,
        ];
        let names = ["w", "kappa_A", "kappa_B", "kappa_needed", "kappa_min"];
        assert_eq!(values, names.map(|name| whole(&expect[name])), "{id}");
        let sizes = [found.q, found.s].map(|size| size.to_string());
        assert_eq!(
            sizes,
            ["q", "s"].map(|name| expect[name].to_string()),
            "{id}"
        );
    }
}

#[test]
fn projections_agree() {
    for vector in vectors::of("simplex") {
        let found = project_onto_simplex(&numbers(&vector["input"]["v"]));
        let wanted = numbers(&vector["expect"]["projection"]);
        assert_eq!(found, wanted, "{}", vector["id"]);
    }
}

/// Tests that ignore the estimator.
struct Fixed(Vec<Rc<Vec<Vec<Exact>>>>);

impl EstimatorTestSequence<Exact> for Fixed {
    type Error = ComputationStopReason;

    fn count(&self) -> usize {
        self.0.len()
    }

    fn values(
        &mut self,
        test: usize,
        _h: &[Vec<Exact>],
    ) -> Result<TestValuesByInputAndOutcome<Exact>, ComputationStopReason> {
        Ok(TestValuesByInputAndOutcome::Table(Rc::clone(&self.0[test])))
    }
}

#[test]
fn algorithm_1_agrees() {
    for vector in vectors::of("algorithm1") {
        let (input, expect, id) = (&vector["input"], &vector["expect"], &vector["id"]);
        let g = rows(&input["g"]);
        let problem = TrainingTarget {
            mu: numbers(&input["mu"]),
            outcomes: g[0].len(),
            g,
            delta: number(&input["delta"]),
        };
        let given = input["tests"].as_array().expect("tests").iter();
        let mut tests = Fixed(given.map(|test| Rc::new(rows(test))).collect());
        let found = descend(&problem, &mut tests, &ComputationBudget::default()).expect("it ends");
        assert_eq!(found.h, rows(&expect["h"]), "{id}");
        assert_eq!(found.bound, number(&expect["step_bound"]), "{id}");
        assert_eq!(found.trace.len() as u64, whole(&expect["steps"]), "{id}");
        let trace = expect["trace"].as_array().expect("a trace");
        for ((test, advantage), step) in found.trace.iter().zip(trace) {
            assert_eq!(*test as u64, whole(&step["f"]), "{id}");
            assert_eq!(*advantage, number(&step["adv"]), "{id}");
        }
    }
}

/// One round each: the error of every estimate, and the values that remain possible after each coin.
#[test]
fn gaps_of_estimates_agree() {
    let Some(file) = vectors::file("misses.json") else {
        return;
    };
    for (place, round) in file["rounds"]
        .as_array()
        .expect("rounds")
        .iter()
        .enumerate()
    {
        let parts = round["subclaims"].as_array().expect("subclaims");
        let gate = match round["gate"].as_str().expect("a gate") {
            "All" => Gate::All,
            "Any" => Gate::Any,
            "Majority" => Gate::Majority,
            "AtLeast" => Gate::AtLeast(u32::try_from(whole(&round["k"])).expect("a threshold")),
            _ => {
                let rows = round["table"].as_array().expect("a table").iter();
                Gate::Table(rows.map(|row| row.as_bool().expect("a row")).collect())
            }
        };
        let inputs = match &gate {
            Gate::Table(rows) => rows.len().ilog2() as usize,
            _ => parts.len(),
        };
        let mut fit = EstimateConsistency::new(&gate, inputs, number(&round["said"]));
        for part in parts {
            let estimate = number(&part["estimate"]);
            assert_eq!(
                fit.record_estimate_and_return_unweighted_gap(&estimate),
                number(&part["miss"]),
                "round {place}"
            );
            fit.update_consistency_with_coin(&estimate, part["coin"].as_bool().expect("a coin"));
            let (low, high) = fit.claim_range_given_coins();
            let continues = &part["goes_on"];
            assert_eq!(*low, number(&continues[0]), "round {place}");
            assert_eq!(*high, number(&continues[1]), "round {place}");
        }
    }
}
