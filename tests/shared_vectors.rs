//! The constants of stochastic debate agree with values that were computed elsewhere, where their
//! folder is there. What is worked out from the rules themselves stands beside the players' tests.

use std::fs;
use std::path::Path;

use debate_tui::number::{Exact, Number as _, parse};
use debate_tui::protocol::Protocol;
use debate_tui::protocol::stochastic::Parameters;
use debate_tui::protocol::stochastic::constants::{Formal, Terms, paper_depth};
use serde_json::Value;

/// The exact values of a family; none where a clone has no folder of them beside it.
fn vectors(family: &str) -> Vec<Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/vectors/vectors.json");
    let Ok(text) = fs::read_to_string(&file) else {
        eprintln!("skipped: there is no {}", file.display());
        return Vec::new();
    };
    let all: Value = serde_json::from_str(&text).expect("JSON");
    let all = all["vectors"].as_array().expect("a list").iter();
    let of_family: Vec<Value> = all.filter(|v| v["family"] == family).cloned().collect();
    assert!(!of_family.is_empty(), "{family}");
    of_family
}

fn number(value: &Value) -> Exact {
    parse(value.as_str().expect("a fraction")).expect("a number")
}

fn whole(value: &Value) -> u64 {
    value.as_u64().expect("a whole number")
}

fn parameters(k: &Value, constants: &str) -> Parameters {
    let k = k.as_str().expect("a fraction");
    let text = format!("Stochastic(k: \"{k}\", constants: {constants})");
    match Protocol::parse(&text).expect("a protocol") {
        Protocol::Stochastic(parameters) => parameters,
        other => panic!("{other}"),
    }
}

#[test]
fn the_formal_constants_agree() {
    for vector in vectors("stochastic_defaults") {
        let (input, expect, id) = (&vector["input"], &vector["expect"], &vector["id"]);
        let steps = whole(&input["t"]) + 1;
        let formal = Formal::of(&number(&input["k"]), steps);
        let named = |name: &str| number(&expect["params"][name]);
        let wanted = Formal {
            c: named("c"),
            s: named("s"),
            b: named("b"),
            q: named("q"),
            v: named("v"),
        };
        assert_eq!(formal, wanted, "{id}");
        let terms =
            Terms::of(&parameters(&input["k"], "Formal"), steps).expect("it can be counted");
        let drawn = [terms.alice, terms.bob.samples, terms.verifier.samples];
        let samples = ["alice", "bob", "vera"].map(|who| whole(&expect["samples"][who]));
        assert_eq!(drawn, samples, "{id}");
    }
}

#[test]
fn the_constants_of_the_figure_agree() {
    for vector in vectors("stochastic_paper_params") {
        let (input, expect, id) = (&vector["input"], &vector["expect"], &vector["id"]);
        let depth = Exact::from_integer(whole(&expect["d"]).into());
        assert_eq!(paper_depth(&number(&input["K"])), depth, "{id}");
        let parameters = parameters(&input["K"], "Paper");
        let terms = Terms::of(&parameters, whole(&input["T"])).expect("it can be counted");
        assert_eq!(terms.alice, whole(&expect["R"]), "{id}");
        assert_eq!(terms.bob.samples, whole(&expect["R"]), "{id}");
        assert_eq!(terms.verifier.samples, whole(&expect["r"]), "{id}");
        assert_eq!(terms.bob.limit, Exact::ratio(1, 2) / &depth, "{id}");
        assert_eq!(terms.verifier.limit, Exact::ratio(1, 4) / depth, "{id}");
    }
}
