//! What the theorems ask and promise, as scripts read it from the command line.

use crate::support::{Said, say};
use serde_json::Value;

fn said(arguments: &[&str]) -> Said {
    let dir = tempfile::tempdir().expect("a folder");
    say(dir.path(), arguments, "")
}

fn json(arguments: &[&str]) -> Value {
    crate::support::json(&said(arguments))
}

fn near(value: &Value, wanted: f64) -> bool {
    value
        .as_f64()
        .is_some_and(|value| (value - wanted).abs() < 1e-15)
}

#[test]
fn check_says_what_is_stable_and_what_is_promised() {
    let stable = json(&["check", "primes-stable", "--json", "--require-stable"]);
    let stability = &stable["stability"];
    assert_eq!(stability["stable"], true);
    assert!(near(&stability["epsilon"], 0.25) && near(&stability["rho"], 0.5));
    assert!(near(&stability["worst_deviation"], 53.0 / 512.0));
    assert!(near(&stability["allowed"], 0.125));
    assert!(near(&stable["provable"], 1.0) && near(&stable["judge_error_allowed"], 0.125));
    assert!(near(&stable["bounds"]["completeness"], 0.75 / 1024.0));
    assert!(near(
        &stable["bounds"]["soundness_offset"],
        0.25 / 1024.0 * 4.0 / 3.0
    ));
    assert_eq!(stable["bounds"]["oracle_queries"], 1);
    assert_eq!(stable["unstable"], Value::Null);
    let flawed = json(&["check", "hidden-flaw", "--json"]);
    assert_eq!(flawed["stability"]["stable"], false);
    assert_eq!(flawed["stability"]["worst_claim"], "both");
    let why = "one of 2 subclaims off by 0.25 moves `both` by 0.25, more than 0.125";
    assert_eq!(flawed["unstable"], why);
    let printed = said(&["check", "hidden-flaw"]).out;
    assert!(printed.contains(why), "{printed}");
}

#[test]
fn evidence_makes_it_stable_and_is_counted() {
    let found = json(&["check", "five-parts-stable", "--json", "--require-stable"]);
    let counted = serde_json::json!({
        "inputs": 5, "copies": 5, "copies_printed": 21, "copies_needed": 15, "copies_least": 5,
        "width": 25, "pieces": 5,
        // Nothing errs here.
        "errors": {
            "shared_cause": 0.0, "supported": 1.0, "required": 1.0 - 1.0 / 256_000.0, "s_supported": true,
            "wrong": [0.0, 0.0], "allowed": 1.0 / 256_000.0,
        },
    });
    assert_eq!(found["stability"]["evidence"], counted);
    assert_eq!(found["stability"]["stable"], true);
    assert_eq!(
        (&found["width"], &found["claims"]),
        (&25.into(), &26.into())
    );
    let printed = said(&["check", "five-parts-stable"]).out;
    for line in [
        "κ = 5 for each of w = 5 subclaims: q = 25 in a support, s = κ^d = 5 for a claim",
        "by exact search κ = 5 is enough; the proof of PE Theorem 8.3 takes 15, printed is 21",
    ] {
        assert!(printed.contains(line), "{printed}");
    }
    let plain = json(&["check", "five-parts", "--json"]);
    assert_eq!(plain["stability"]["evidence"], Value::Null);
    assert_eq!(plain["stability"]["copies"], 5);
    // Five pieces are enough at ε = 0.1, and not at 0.2.
    let wider = "ProverEstimator(epsilon: 0.2, rho: 0.5)";
    let other = said(&[
        "check",
        "five-parts-stable",
        "--protocol",
        wider,
        "--require-stable",
    ]);
    assert_eq!(other.code, Some(1), "{other:?}");
    assert!(other.out.contains("it takes"), "{other:?}");
}

#[test]
fn an_instance_that_differs_from_the_others_is_told_apart() {
    let found = json(&["check", "two-of-three", "--json"]);
    let stability = &found["stability"];
    assert_eq!(
        (&stability["stable"], &stability["instance_stable"]),
        (&false.into(), &true.into())
    );
    let printed = said(&["check", "two-of-three"]).out;
    assert!(
        printed.contains("\"all right\" by itself is stable"),
        "{printed}"
    );
    // Nothing more is said where they agree.
    assert!(!said(&["check", "hidden-flaw"]).out.contains("by itself"));
}

#[test]
fn what_is_not_stable_is_no_where_that_is_required() {
    assert_eq!(said(&["check", "hidden-flaw"]).code, Some(0));
    let refused = said(&["check", "hidden-flaw", "--require-stable"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    let either = said(&["check", "primes-stable", "hidden-flaw", "--require-stable"]);
    assert_eq!(either.code, Some(1), "{either:?}");
    let input = said(&["check", "nowhere.ron", "hidden-flaw", "--require-stable"]);
    assert_eq!(input.code, Some(2), "{input:?}");
    // There is no such thing as stability under these rules.
    let other = json(&["check", "primes-recursive", "--json"]);
    assert_eq!(other["stability"], Value::Null);
}

#[test]
fn a_k_that_is_claimed_too_small_is_reported() {
    let checked = json(&["check", "caffeine-plan", "--json"]);
    let low = checked["lipschitz"]["low"].as_f64().expect("a bound");
    let high = checked["lipschitz"]["high"].as_f64().expect("a bound");
    assert!(0.0 < low && low <= high);
    let formal = [
        "check",
        "caffeine-plan",
        "--json",
        "--protocol",
        "Stochastic(k: 3)",
    ];
    let checked = json(&formal);
    // (t + 1) · (5000 k² ln(200 (t + 1)) + 1), and so on, at the scenario's own k and t.
    let k = checked["lipschitz"]["k"].as_f64().expect("K");
    let steps = 3.0_f64;
    let debater = |factor: f64| steps * (factor * k * k * (200.0 * steps).ln() + 1.0);
    let promised = &checked["bounds"]["queries_on_average"];
    for (who, most) in [
        ("alice", debater(5000.0)),
        ("bob", debater(20_000.0 / 9.0)),
        ("verifier", 106_000.0 * k * k + 1.0),
    ] {
        let told = promised[who].as_f64().expect("a number");
        assert!(
            (told - most).abs() <= 1e-9 * most,
            "{who}: {told} and {most}"
        );
    }
    let small = format!("Stochastic(k: {})", low / 2.0);
    let claimed = json(&["check", "caffeine-plan", "--json", "--protocol", &small]);
    let warnings = claimed["warnings"].to_string();
    assert!(warnings.contains("are not promised"), "{warnings}");
    // One question asked 32 times, played with the K that it has where oracles are indexed by it.
    let often = json(&["check", "one-question", "--json"]);
    let warnings = often["warnings"].to_string();
    assert!(warnings.contains("moves by up to 2.58 times"), "{warnings}");
}

/// Every strategy against every strategy: an exact bracket, whose hypotheses are named.
#[test]
fn the_value_between_all_strategies_is_bracketed() {
    let all = ["equilibrium", "hidden-flaw", "--all"];
    let found = json(&[&all[..], &["--json"]].concat());
    let ends = ["lower", "upper"].map(|end| found[end].as_f64().unwrap());
    assert!(ends[0] <= ends[1]);
    assert!(found["width_of_range"].as_f64().unwrap() <= 1e-9);
    // Alice knows the page: ½, and r² for her true answer.
    assert!((ends[0] - (0.5 + 1.0 / 1024.0)).abs() < 1e-9);
    assert_eq!(found["grid"], serde_json::json!([0.0, 0.5, 1.0]));
    assert_eq!(
        (&found["prover_knows"], &found["opponent_knows"]),
        (&"everything".into(), &"offered".into())
    );
    let hypotheses = found["least_true"]["hypotheses"].as_array().unwrap();
    let holds = |what: &str| {
        let mut each = hypotheses.iter();
        each.find(|one| one["what"] == what).unwrap()["holds"].clone()
    };
    assert_eq!(holds("the decomposition is (ε, ρ)-stable"), false);
    assert_eq!(holds("Bob may ask whoever finds what Alice knows"), false);
    assert_eq!(holds("ρ is 1/2"), true);
    // With --exact both ends are fractions.
    let exact = json(&[&all[..], &["--json", "--exact"]].concat());
    assert!(exact["lower"].as_str().unwrap().contains('/'));
    let blind = said(&[&all[..], &["--prover-knows", "nothing", "--points", "5"]].concat()).out;
    for part in [
        "0, 0.25, 0.5, 0.75, 1",
        "Alice knows of the instance: nothing",
        "promises more than 1 - 4ε",
    ] {
        assert!(blind.contains(part), "{part}: {blind}");
    }
    let few = said(&[&all[..], &["--max-positions", "100"]].concat());
    assert_eq!(few.code, Some(2));
    assert!(few.err.contains("raise --max-positions"), "{few:?}");
    let both = said(&[&all[..], &["--prover", "honest"]].concat());
    assert!(both.err.contains("cannot be used with"), "{both:?}");
}

#[test]
fn an_equilibrium_has_its_fields() {
    let players = [
        "--prover",
        "honest",
        "--prover",
        "liar",
        "--opponent",
        "truthful",
    ];
    let more = ["--opponent", "shifted(0.25)", "--json", "--exact"];
    let arguments = [&["equilibrium", "primes-stable"][..], &players, &more].concat();
    let found = json(&arguments);
    assert_eq!(found["provers"], serde_json::json!(["honest", "liar"]));
    assert_eq!(
        found["opponents"],
        serde_json::json!(["truthful", "shifted(0.25)"])
    );
    assert_eq!(found["payoff"][0], serde_json::json!(["1/1024", "3/4096"]));
    assert_eq!(found["payoff"][1][0], "0/1");
    assert_eq!(found["leader_choice"], "honest");
    assert_eq!(found["best_reply"], "shifted(0.25)");
    assert_eq!(found["answers_truly"], true);
    let csv = said(&[&["equilibrium", "primes-stable", "--csv"][..], &players].concat());
    assert_eq!(csv.code, Some(0), "{csv:?}");
    assert_eq!(
        csv.out.lines().next(),
        Some("prover,opponent,payoff,answer_correct")
    );
    assert_eq!(csv.out.lines().count(), 3);
    let nobody = said(&["equilibrium", "primes-stable", "--prover", "nobody"]);
    assert_eq!(nobody.code, Some(2), "{nobody:?}");
    assert!(nobody.err.contains("nobody"), "{nobody:?}");
}

#[test]
fn what_is_trained_says_how() {
    let arguments = [
        "train",
        "hidden-flaw",
        "--delta",
        "0.01",
        "--show-tests",
        "--json",
    ];
    let found = json(&arguments);
    let round = &found["rounds"][0];
    assert_eq!(
        (&found["indistinguishable"], &round["steps"]),
        (&true.into(), &558.into())
    );
    assert_eq!(round["tests"].as_array().map(Vec::len), Some(6));
    assert!(near(&round["bound"], 30_000.0));
    let solved = json(&[
        "solve",
        "hidden-flaw",
        "--opponent",
        "indistinguishable(0.01)",
        "--exact",
        "--json",
    ]);
    assert_eq!(solved["value"], "75977/153600");
    for wrong in ["0", "1", "x"] {
        assert_eq!(
            said(&["train", "hidden-flaw", "--delta", wrong]).code,
            Some(2)
        );
    }
}

#[test]
fn a_support_that_does_not_carry_its_claim_is_named() {
    for rules in ["ProverEstimator(epsilon: 0.25, rho: 0.5)", "Recursive"] {
        let found = json(&["check", "pull-request", "--protocol", rules, "--json"]);
        let warnings = found["warnings"].to_string();
        assert!(
            warnings.contains(r#"support \"trust the tests\" of `safe`"#),
            "{warnings}"
        );
    }
    for scenario in [
        "primes",
        "hidden-flaw",
        "five-parts-stable",
        "primes-recursive",
        "open",
    ] {
        let found = json(&["check", scenario, "--json"]);
        let warnings = found["warnings"].to_string();
        assert!(
            !warnings.contains("need not follow"),
            "{scenario}: {warnings}"
        );
    }
    let protocols = json(&["list", "protocols", "--json"]);
    for name in ["prover-estimator", "recursive"] {
        let rows = protocols.as_array().expect("a list");
        let row = rows
            .iter()
            .find(|row| row["name"] == name)
            .expect("the protocol");
        let guarantee = row["guarantee"].as_str().expect("a sentence");
        assert!(
            guarantee.contains("from whatever subclaims the prover chooses"),
            "{guarantee}"
        );
    }
}

#[test]
fn check_lists_the_rules_that_the_scenario_is_played_by() {
    let own = "Stochastic(k: 3, constants: Panel(size: 9, threshold: 0.4))";
    let found = json(&["check", "caffeine-plan", "--json"]);
    let listed = found["query_bounds"].as_array().expect("a list");
    let stochastic = |row: &&Value| {
        row["protocol"]
            .as_str()
            .is_some_and(|it| it.starts_with("Sto"))
    };
    let listed: Vec<&Value> = listed.iter().filter(stochastic).collect();
    assert_eq!(listed.len(), 1);
    assert_eq!(
        (&listed[0]["protocol"], &listed[0]["oracle_queries"]),
        (&own.into(), &9.into())
    );
    let printed = said(&["check", "caffeine-plan"]).out;
    assert!(printed.starts_with("caffeine-plan: valid\n"), "{printed}");
    assert!(
        printed.contains(&format!("under      {own}: at most 9 oracle queries")),
        "{printed}"
    );
    // Rules that are given stand there as well, and other examples as they are.
    let found = json(&["check", "qbf", "--json"]);
    let names = found["query_bounds"].as_array().expect("a list").iter();
    let names: Vec<&str> = names.filter_map(|row| row["protocol"].as_str()).collect();
    let wanted = [
        "Quantifiers(verifier: Direct)",
        "Quantifiers(verifier: CrossExamined)",
    ];
    assert_eq!(names.get(..2), Some(&wanted[..]));
}

#[test]
fn check_prints_fractions_where_they_are_asked_for() {
    let found = json(&["check", "primes-stable", "--exact", "--json"]);
    assert_eq!(found["reward_ratio"], "1/32");
    assert_eq!(found["stability"]["worst_deviation"], "53/512");
    assert_eq!(
        (&found["provable"], &found["bounds"]["completeness"]),
        (&"1/1".into(), &"3/4096".into())
    );
    let printed = said(&["check", "primes-stable", "--exact"]).out;
    assert!(
        printed.contains("at most 53/512 where 1/8 is allowed"),
        "{printed}"
    );
    let found = json(&["check", "caffeine-plan", "--exact", "--json"]);
    assert_eq!(
        (&found["lipschitz"]["low"], &found["lipschitz"]["k"]),
        (&"181/100".into(), &"3/1".into())
    );
}

#[test]
fn a_statement_is_found_by_its_name() {
    let short = said(&["theorems"]).out;
    assert!(
        short.contains("PE Lemma A.4") && short.contains("fails (Errata 1"),
        "{short}"
    );
    let names = |asked: &str| -> Vec<String> {
        let found = json(&["theorems", asked, "--json"]);
        let each = found.as_array().expect("a list").iter();
        each.map(|one| one["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    assert_eq!(names("pe-lemma-a.5"), ["PE Lemma A.5"]);
    assert_eq!(names("Lean").len(), 4);
    let other = said(&["theorems", "DQC Theorem 1"]);
    assert_eq!(other.code, Some(2), "{other:?}");
    assert!(other.err.contains("did you mean `DQC Theorem"), "{other:?}");
    let run = said(&["theorems", "DE Figure 4", "--run"]);
    assert_eq!(
        (run.code, run.out.matches("so it is").count()),
        (Some(0), 2)
    );
}
