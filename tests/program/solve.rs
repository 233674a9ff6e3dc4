//! Exact expectations, in the form that scripts use.

use std::fs;

use debate_core::number::parse;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::program::{json, path, say};

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn solve_gives_exact_expectations() {
    let dir = folder();
    let solve = |arguments: &[&str]| say(dir.path(), &[&["solve"], arguments].concat(), "");
    let flaw = json(&solve(&["hidden-flaw", "--json", "--exact"]));
    assert_eq!(flaw["value"], "1/2");
    assert_eq!(flaw["answer_correct"], "0/1");
    assert_eq!(flaw["reward_ratio"], "1/32");
    assert_eq!(flaw["by_round"][0]["round"], "init");
    assert_eq!(flaw["by_round"][2]["expected"], "1/2");
    assert_eq!(flaw["prover"], "exploiter");
    assert_eq!(flaw["instances"], 2);
    let one = json(&solve(&["hidden-flaw", "--json", "--instance", "01"]));
    assert_eq!(one["value"], 0.5);
    assert_eq!(one["ledger"]["oracle_queries"], 1.0);
    assert_eq!(one["ledger_by_seat"]["judge"], one["ledger"]);

    // Stable and provable: even the worst estimator leaves at least (1 − ε) r^(d+1).
    let worst = [
        "primes-stable",
        "--opponent",
        "best-response",
        "--exact",
        "--json",
    ];
    let worst = json(&solve(&worst));
    assert_eq!(worst["value"], "3/4096");
    assert!(
        worst["grid"]
            .as_array()
            .is_some_and(|grid| grid.len() >= 11)
    );

    let plan = json(&solve(&["caffeine-plan", "--json"]));
    assert_eq!(plan["value"], plan["prover_wins"]);

    // If the rules fix Alice's claim, only the verdict is right or wrong. A liar who is caught has misled no judge, and
    // honest Alice's loss is not an error.
    for scenario in ["turing", "primes-certificate"] {
        for prover in ["honest", "liar"] {
            let fixed = scenario == "turing";
            let right = f64::from(u8::from(fixed || prover == "honest"));
            let found = json(&solve(&[scenario, "--json", "--prover", prover]));
            assert_eq!(found["answer_correct"], right, "{scenario} {prover}");
            let many = [
                &["simulate", scenario, "--prover", prover],
                &["-n", "5", "--json"][..],
            ];
            let many = json(&say(dir.path(), &many.concat(), ""));
            assert_eq!(many["answer_correct"], right, "{scenario} {prover}");
        }
    }
    let said = solve(&["turing", "--prover", "honest"]);
    assert!(
        said.out
            .contains("The verdict on the claim is right with probability 100 %."),
        "{}",
        said.out
    );

    let said = solve(&["hidden-flaw"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.is_clean() && said.out.contains("Alice expects +0.5 per debate"),
        "{}",
        said.out
    );
}

#[test]
fn solve_sweeps_a_parameter() {
    let dir = folder();
    let solve = |arguments: &[&str]| say(dir.path(), &[&["solve"], arguments].concat(), "");
    let sweep = [
        "hidden-flaw",
        "--sweep",
        "epsilon=0.1..0.4:4",
        "--csv",
        "--exact",
    ];
    let rows = solve(&sweep).out;
    let rows: Vec<&str> = rows.lines().collect();
    assert_eq!(
        rows[0],
        "epsilon,instance,value,variance,answer_correct,r_init,r_1,r_0"
    );
    assert_eq!(rows.len(), 5);
    assert!(rows[4].starts_with("2/5,all,1/2,"), "{}", rows[4]);
    let braces = [
        "primes-stable",
        "--opponent",
        "stubborn({p})",
        "--sweep",
        "p=0..1:3",
        "--json",
    ];
    let points = json(&solve(&braces));
    assert_eq!(points["points"][1]["opponent"], "stubborn(1/2)");
    assert_eq!(points["points"][1]["p"], 0.5);
}

#[test]
fn solve_explains_its_refusals() {
    let dir = folder();
    let solve = |arguments: &[&str]| say(dir.path(), &[&["solve"], arguments].concat(), "");
    for (arguments, words) in [
        (
            &["hidden-flaw", "--prover", "human"][..],
            "cannot be predicted",
        ),
        (&["hidden-flaw", "--grid", "0,2"], "not a probability"),
        (&["hidden-flaw", "--instance", "no"], "01"),
        (
            &["hidden-flaw", "--sweep", "epsilon=1"],
            "NAME=FROM..TO:COUNT",
        ),
        (
            &["hidden-flaw", "--sweep", "epsilon=0.1..0.6:2"],
            "below 1/2",
        ),
        (
            &["hidden-flaw", "--sweep", "size=1..2:2"],
            "unknown parameter size",
        ),
        (
            &[
                "primes",
                "--prover",
                "best-response",
                "--opponent",
                "best-response",
            ],
            "cannot both be best-response",
        ),
        (
            &[
                "primes-stable",
                "--prover",
                "random",
                "--opponent",
                "best-response",
            ],
            "sealed",
        ),
        (
            &["primes", "--max-replies", "5"],
            "more than 5 replies; raise --max-replies",
        ),
        (
            &["primes", "--instance", "all", "--max-instances", "3"],
            "more than 3 instances; raise --max-instances",
        ),
    ] {
        let said = solve(arguments);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains(words) && said.is_clean(), "{said:?}");
        assert!(said.out.is_empty());
    }
}

/// These rules have no probabilities, so the output does not mention a best choice among them.
#[test]
fn solve_mentions_no_probabilities_under_rules_without_them() {
    let dir = tempfile::tempdir().expect("a folder");
    for more in [&[][..], &["--grid", "0,1/2,1"]] {
        for scenario in ["multiplier", "primes-recursive"] {
            let arguments = ["solve", scenario, "--opponent", "best-response"];
            let found = say(dir.path(), &[&arguments[..], more].concat(), "");
            assert_eq!(found.code, Some(0), "{found:?}");
            assert!(!found.out.contains("probabilities"), "{}", found.out);
            let sentence = "Bob's replies are the best against these players: he knows";
            let words: Vec<&str> = found.out.split_whitespace().collect();
            assert!(words.join(" ").contains(sentence), "{}", found.out);
        }
    }
    let estimates = [
        "solve",
        "hidden-flaw",
        "--prover",
        "honest",
        "--opponent",
        "best-response",
    ];
    let found = say(dir.path(), &estimates, "");
    assert!(found.out.contains("picks the best of"), "{}", found.out);
}

#[test]
fn a_stochastic_debate_is_reported_in_probabilities() {
    let dir = tempfile::tempdir().expect("a folder");
    let rules = "Stochastic(k: 1, constants: Panel(size: 1, threshold: 0.4))";
    let arguments = ["solve", "caffeine-plan", "--protocol", rules, "--exact"];
    let found = json(&say(
        dir.path(),
        &[&arguments[..], &["--json"]].concat(),
        "",
    ));
    let exact = |value: &Value| parse(value.as_str().expect("a fraction")).expect("a number");
    let value = exact(&found["value"]);
    let one = parse("1").expect("a number");
    assert!(value > parse("0").expect("a number") && value < one);
    let rounds = found["by_round"].as_array().expect("rounds");
    let sum = rounds.iter().map(|round| exact(&round["expected"]));
    assert_eq!(sum.reduce(|a, b| a + b), Some(value.clone()));
    assert_eq!(exact(&found["variance"]), &value * (one - &value));
    assert_eq!(found["ledger_by_seat"]["judge"], found["ledger"]);
    // The table has the same values.
    let csv = say(dir.path(), &[&arguments[..], &["--csv"]].concat(), "").out;
    let cells: Vec<&str> = csv.lines().nth(1).expect("a row").split(',').collect();
    assert_eq!(
        (cells.get(1), cells.last()),
        (
            Some(&found["value"].as_str().expect("a fraction")),
            cells.get(1)
        )
    );
    // The verifier's costs have the same field name in every document with counted debates.
    let debates = [
        "simulate",
        "caffeine-plan",
        "-n",
        "50",
        "--seed",
        "7",
        "--json",
    ];
    let played = json(&say(dir.path(), &debates, ""));
    assert_eq!(played["ledger_by_seat"]["judge"], played["ledger"]);
    assert_ne!(played["ledger_by_seat"]["opponent"], played["ledger"]);
}

/// The output compares the bound of the soundness proof with the actual values, and refuses rules without such a bound.
#[test]
fn soundness_is_reported_step_by_step() {
    let dir = tempfile::tempdir().expect("a folder");
    let solve = |arguments: &[&str]| say(dir.path(), &[&["solve"], arguments].concat(), "");
    let told = solve(&["hidden-flaw", "--soundness", "--delta", "0.01"]).out;
    for line in [
        "promised           +0.04   P[A = L]/n + η, with P[A = L] = 0",
        "kept                +0.5   more than promised; the sum of:",
        "+0.5   samples that are used as truths (PE equation 9)",
        "(equation 9 treats samples as truths; Errata 1); because this",
        "= 30000 steps per round",
    ] {
        assert!(told.contains(line), "{line}\n{told}");
    }
    for (arguments, why) in [
        (
            &["primes-recursive", "--soundness"][..],
            "prover-estimator debate",
        ),
        (
            &["hidden-flaw", "--soundness", "--delta", "1"],
            "--delta: 1 is out of range",
        ),
        (&["hidden-flaw", "--delta", "0.1"], "--soundness"),
    ] {
        let refused = solve(arguments);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.err.contains(why), "{refused:?}");
    }
}

/// A payoff that is 0 as a fraction is 0 in each form of the result, without the rounding error of a sum.
#[test]
fn rounding_errors_are_zero_in_documents_tables_and_charts() {
    let dir = folder();
    let run = |arguments: &str| {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        say(dir.path(), &arguments, "")
    };
    let solved = json(&run("solve primes --prover obfuscator --json"));
    assert_eq!(solved["value"], 0.0);
    let rounds = solved["by_round"].as_array().unwrap();
    assert!(rounds.iter().all(|round| round["expected"] == 0.0));
    let table = run("solve primes --prover obfuscator --csv").out;
    let cells: Vec<&str> = table.lines().nth(1).unwrap().split(',').collect();
    assert_eq!(cells[1], "0", "{table}");
    assert!(cells[4..].iter().all(|reward| *reward == "0"), "{table}");

    let chart = dir.path().join("chart.json");
    let chart_path = path(&chart);
    let swept = json(&run(&format!(
        "solve primes --prover obfuscator --sweep epsilon=0.1..0.4:4 --json --vega {chart_path}"
    )));
    let drawn: Value = serde_json::from_str(&fs::read_to_string(&chart).unwrap()).unwrap();
    for point in 0..4 {
        assert_eq!(swept["points"][point]["value"], 0.0);
        assert_eq!(drawn["data"]["values"][point]["value"], 0.0);
    }

    let table = json(&run(
        "equilibrium primes-small --prover obfuscator --opponent bayes --json",
    ));
    assert_eq!(table["payoff"][0][0], 0.0);
    assert_eq!(table["value"], 0.0);

    // All debates pay the same, so the interval has no width.
    let simulated = json(&run(&format!(
        "simulate three-receipts -n 1000 --seed 1 --json --replace --vega {chart_path}"
    )));
    assert_eq!(simulated["stderr"], 0.0);
    assert_eq!(simulated["ci95"][0], simulated["mean"]);
    assert_eq!(simulated["ci95"][1], simulated["mean"]);
    let drawn: Value = serde_json::from_str(&fs::read_to_string(&chart).unwrap()).unwrap();
    let mean = &drawn["vconcat"][0]["data"]["values"][0];
    assert_eq!(mean["low"], mean["high"]);
}
