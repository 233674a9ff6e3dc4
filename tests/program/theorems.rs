//! The hypotheses and bounds of the theorems, in the output that scripts read.

use crate::support::program::{Said, say};
use debate_text::with_thousands_separators;
use serde_json::Value;

fn said(arguments: &[&str]) -> Said {
    let dir = tempfile::tempdir().expect("a folder");
    say(dir.path(), arguments, "")
}

fn json(arguments: &[&str]) -> Value {
    crate::support::program::json(&said(arguments))
}

fn near(value: &Value, wanted: f64) -> bool {
    value
        .as_f64()
        .is_some_and(|value| (value - wanted).abs() < 1e-15)
}

#[test]
fn a_formula_that_differs_from_its_header_is_noted() {
    let scenario = "Scenario(format: 1, title: \"t\", protocol: Quantifiers, problem: Qbf(inline: \
                    \"p cnf 2 3\\na 1 0\\n1 2 0\\n\"))";
    let dir = tempfile::tempdir().expect("a folder");
    let checked = say(dir.path(), &["check", "-", "--json"], scenario);
    let warnings = crate::support::program::json(&checked)["warnings"].to_string();
    let solved = say(dir.path(), &["solve", "-"], scenario);
    assert_eq!(solved.code, Some(0), "{}", solved.err);
    for note in [
        "promises 3 clauses, but the file has 1",
        "no quantifier block declares variable 2",
    ] {
        assert!(warnings.contains(note), "{warnings}");
        assert!(solved.err.contains(note), "{}", solved.err);
    }
    assert!(checked.err.is_empty(), "{}", checked.err);
}

/// The advice suggests fewer probabilities only if some player states probabilities.
#[test]
fn the_refusal_of_a_large_game_advises_how_to_shrink_it() {
    // With two points the game has more than 10 positions, so fewer points alone do not suffice.
    for (limit, advice) in [
        ("10", ": use a smaller scenario"),
        ("400", ": use fewer --points or a smaller scenario"),
    ] {
        let refused = said(&[
            "equilibrium",
            "primes-small",
            "--all",
            "--max-positions",
            limit,
        ]);
        assert_eq!(refused.code, Some(2));
        assert!(refused.err.trim_end().ends_with(advice), "{}", refused.err);
    }
    let gridded = [
        "equilibrium",
        "primes-small",
        "--all",
        "--grid",
        "0,1",
        "--max-positions",
        "400",
    ];
    let refused = said(&gridded).err;
    assert!(
        refused.contains("fewer probabilities in --grid"),
        "{refused}"
    );
}

#[test]
fn check_reports_stability_and_guarantees() {
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
    let why = "an error of 0.25 in one of 2 subclaims moves the probability of `both` by 0.25, more than 0.125";
    assert_eq!(flawed["unstable"], why);
    let printed = said(&["check", "hidden-flaw"]).out;
    assert!(printed.contains(why), "{printed}");
}

/// Pieces of evidence with a common cause of error.
const TOGETHER: &str = r#"Scenario(
    format: 1, title: "Together",
    problem: Argument(root: "r", claims: {
        "r": Claim(text: "Both.", supports: [Support(gate: All, on: ["a", "b"])]),
        "a": Claim(text: "A.", truth: true), "b": Claim(text: "B.", truth: true)}),
    decomposition: Stable(3), oracle: Noisy("1/100"), evidence: SharedCause("1/1000"),
    protocol: ProverEstimator(epsilon: 0.1, rho: 0.5),
)"#;

#[test]
fn evidence_makes_it_stable_and_is_counted() {
    let found = json(&["check", "five-parts-stable", "--json", "--require-stable"]);
    let counted = serde_json::json!({
        "inputs": 5, "copies": 5, "copies_printed": 21, "copies_printed_first": 43, "copies_needed": 15, "copies_least": 5,
        "width": 25, "pieces": 5, "theorem_is_for_this_rho": true,
        // No piece of evidence errs here.
        "errors": {
            "shared_cause": 0.0, "error": 0.0, "supported": 1.0, "required": 1.0 - 1.0 / 256_000.0, "s_supported": true,
            "wrong": [0.0, 0.0], "allowed": 1.0 / 256_000.0,
            "true_if_true": 1.0, "true_if_false": null, "membership": true,
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
        "by exact search κ = 5 is enough; the proof of PE Theorem 8.3 requires 15; the paper prints 43 and 21",
        "as `evidence` and `oracle` state: all pieces for a claim err together with probability 0, and otherwise \
         independently, each with probability at most 0",
    ] {
        assert!(printed.contains(line), "{printed}");
    }
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("together.ron");
    std::fs::write(&path, TOGETHER).expect("a file");
    let printed = say(dir.path(), &["check", path.to_str().expect("UTF-8")], "").out;
    for line in [
        "together with probability 0.001, and otherwise independently, each with probability at most 0.01",
        "with probability at least 0.08992, whatever the other pieces for its claim say",
        "which is 1 − 3.906e-6: not s-supported",
    ] {
        assert!(printed.contains(line), "{printed}");
    }
    let plain = json(&["check", "five-parts", "--json"]);
    assert_eq!(plain["stability"]["evidence"], Value::Null);
    assert_eq!(plain["stability"]["copies"], 5);
    // Five pieces suffice at ε = 0.1, but not at ε = 0.2.
    let wider = "ProverEstimator(epsilon: 0.2, rho: 0.5)";
    let other = said(&[
        "check",
        "five-parts-stable",
        "--protocol",
        wider,
        "--require-stable",
    ]);
    assert_eq!(other.code, Some(1), "{other:?}");
    assert!(other.out.contains("needs"), "{other:?}");
}

#[test]
fn an_instance_of_other_stability_is_listed_separately() {
    let found = json(&["check", "two-of-three", "--json"]);
    let stability = &found["stability"];
    assert_eq!(
        (&stability["stable"], &stability["instance_stable"]),
        (&false.into(), &true.into())
    );
    let printed = said(&["check", "two-of-three"]).out;
    assert!(
        printed.contains("\"all right\" alone is stable"),
        "{printed}"
    );
    // If the values agree, the output is no longer.
    assert!(!said(&["check", "hidden-flaw"]).out.contains("by itself"));
}

#[test]
fn require_stable_fails_on_unstable_scenarios() {
    assert_eq!(said(&["check", "hidden-flaw"]).code, Some(0));
    let refused = said(&["check", "hidden-flaw", "--require-stable"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    let either = said(&["check", "primes-stable", "hidden-flaw", "--require-stable"]);
    assert_eq!(either.code, Some(1), "{either:?}");
    let input = said(&["check", "nowhere.ron", "hidden-flaw", "--require-stable"]);
    assert_eq!(input.code, Some(2), "{input:?}");
    // Stability is undefined under these rules.
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
    // (t + 1) · (5000 k² ln(200 (t + 1)) + 1) and the other bounds, at the scenario's own k and t.
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
    // One question asked 32 times, played with the K of oracles that are indexed by the question.
    let often = json(&["check", "one-question", "--json"]);
    let warnings = often["warnings"].to_string();
    assert!(warnings.contains("moves by up to 2.58 times"), "{warnings}");
}

/// A single claim.
const ONE_LEAF: &str = r#"Scenario(
    format: 1, title: "One leaf",
    problem: Argument(root: "r", claims: {"r": Claim(text: "R.", truth: true)}),
    protocol: ProverEstimator(epsilon: 0.25, rho: 0.5),
)"#;

/// Every strategy against every strategy: an exact bracket, with its hypotheses named.
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
    assert_eq!(
        holds("Bob may query a player who computes Alice's knowledge"),
        false
    );
    assert_eq!(holds("ρ is 1/2"), true);
    // With --exact both ends are fractions.
    let exact = json(&[&all[..], &["--json", "--exact"]].concat());
    assert!(exact["lower"].as_str().unwrap().contains('/'));
    let blind = said(&[&all[..], &["--prover-knows", "nothing", "--points", "5"]].concat()).out;
    for part in [
        "0, 0.25, 0.5, 0.75, 1",
        "Alice's knowledge of the instance: nothing",
        "promises more than 1 - 4ε",
    ] {
        assert!(blind.contains(part), "{part}: {blind}");
    }
    // The lower end against all probabilities is at least r²/2, the payoff of a random answer without bets.
    let sentence = "If Bob may say any probability, the value is between +0.0";
    let without_bets = "If Bob may say any probability, the value is between +4.8828125e-4";
    assert!(blind.contains(without_bets), "{blind}");
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("leaf.ron");
    std::fs::write(&path, ONE_LEAF).expect("a file");
    let leaf = [
        "equilibrium",
        path.to_str().expect("UTF-8"),
        "--all",
        "--judge",
        "noisy(1/3)",
        "--points",
        "101",
    ];
    let leaf = say(dir.path(), &leaf, "").out;
    assert!(leaf.contains(sentence), "{leaf}");
    // A sufficient time limit does not change the result. A game that one program solves takes no rounds.
    let points = [&all[..], &["--points", "7", "--json"]].concat();
    let [whole, timed, short] = [&[][..], &["--seconds", "100000"], &["--max-rounds", "1"]]
        .map(|more| json(&[&points[..], more].concat()));
    let width = |found: &Value| found["width"].as_f64().expect("a number");
    assert_eq!(
        (&whole["stopped"], &timed["stopped"]),
        (&false.into(), &false.into())
    );
    assert_eq!(whole["lower"], timed["lower"]);
    assert_eq!(
        (&short["method"], &short["rounds"]),
        (&"programs".into(), &Value::Null)
    );
    assert!((width(&short) - width(&whole)).abs() < 1e-12, "{short}");
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
fn train_reports_its_rounds_and_tests() {
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
            guarantee.contains("from any subclaims that the prover chooses"),
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
    // Explicit rules are listed there as well; other examples are unchanged.
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
fn check_prints_fractions_with_the_flag() {
    let found = json(&["check", "primes-stable", "--exact", "--json"]);
    assert_eq!(found["reward_ratio"], "1/32");
    assert_eq!(found["stability"]["worst_deviation"], "53/512");
    assert_eq!(
        (&found["provable"], &found["bounds"]["completeness"]),
        (&"1/1".into(), &"3/4096".into())
    );
    let printed = said(&["check", "primes-stable", "--exact"]).out;
    assert!(
        printed.contains("at most 53/512; 1/8 is allowed"),
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
        short.contains("PE Lemma A.4")
            && short.contains("its printed proof fails; whether the statement"),
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
        (run.code, run.out.matches(": confirmed").count()),
        (Some(0), 2)
    );
}

/// The allowed values of an outcome.
const OUTCOMES: [&str; 6] = [
    "holds",
    "holds here",
    "bracket",
    "its printed proof fails",
    "its printed figure fails under reading",
    "a variant fails",
];

#[test]
fn outcomes_are_of_a_fixed_set_and_name_their_basis() {
    let all = json(&["theorems", "--json"]);
    let all = all.as_array().expect("a list");
    assert_eq!(all.len(), 54);
    let bundled: Vec<String> = json(&["list", "scenarios", "--json"])
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["name"].as_str().expect("a name").to_owned())
        .collect();
    for row in all {
        let name = row["name"].as_str().expect("a name");
        let also = row["also"].as_array().expect("a list");
        for verdict in std::iter::once(row).chain(also) {
            let outcome = verdict["outcome"].as_str().expect("words");
            assert!(OUTCOMES.contains(&outcome), "{name}: {outcome}");
            let given = |field: &str| !verdict[field].is_null();
            assert_eq!(given("class"), outcome == "holds", "{name}");
            assert_eq!(given("variant"), outcome == "a variant fails", "{name}");
            if outcome.ends_with("reading") {
                assert!(given("reading"), "{name}");
            }
            let instances = verdict["instances"].as_array().expect("a list");
            let here = ["holds here", "bracket"].contains(&outcome);
            assert_eq!(instances.is_empty(), !here, "{name}");
            // If an instance is a scenario, one of the row's commands uses it.
            let figures = row["figures"].as_array().expect("a list");
            for instance in instances.iter().map(|one| one.as_str().expect("a name")) {
                let looked_at = figures.iter().any(|figure| {
                    let command = figure["command"].as_str().expect("a command");
                    command.split(' ').any(|word| word == instance)
                });
                let is_scenario = bundled.iter().any(|known| known == instance);
                assert!(looked_at || !is_scenario, "{name}: {instance}");
            }
            if let Some(number) = verdict["erratum"].as_u64() {
                assert!((1..=9).contains(&number), "{name}");
            }
        }
    }
}

/// The smallest row of the guide's table of sizes; the others take minutes without optimisation.
#[test]
fn game_sizes_match_the_guide() {
    let asked = "equilibrium hidden-flaw --all --points 4 --opponent-knows everything --json";
    let game = json(&asked.split(' ').collect::<Vec<_>>());
    let number = |value: &Value| with_thousands_separators(value.as_u64().expect("a count"));
    let program = &game["program"];
    let row = format!(
        "everything` | {} | {} and {} | {} × {}, {} numbers |",
        number(&game["positions"]),
        number(&game["prover"]["sequences"]),
        number(&game["opponent"]["sequences"]),
        number(&program["rows"]),
        number(&program["columns"]),
        number(&program["nonzeros"]),
    );
    assert!(
        include_str!("../../src/guide/theorems.md").contains(&row),
        "{row}"
    );
    assert!(near(&game["lower"], 1.0 / 1024.0) && near(&game["upper"], 1.0 / 1024.0));
}

/// The errata of the guide: the rows that name each erratum, and their outcomes.
#[test]
fn rows_claim_failures_only_for_errata() {
    let all = json(&["theorems", "--json"]);
    let mut found = Vec::new();
    for row in all.as_array().expect("a list") {
        let also = row["also"].as_array().expect("a list");
        for verdict in std::iter::once(row).chain(also) {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let outcome = text(&verdict["outcome"]);
            if outcome.contains("fails") {
                let number = verdict["erratum"].as_u64().expect("an erratum");
                found.push((number, text(&row["name"]), outcome));
            }
        }
    }
    found.sort();
    let [proof, figure, variant] = [OUTCOMES[3], OUTCOMES[4], OUTCOMES[5]];
    let wanted = [
        (1, "PE Lemma A.4", variant),
        (1, "PE Lemma A.4", proof),
        (1, "PE Theorem 6.1", variant),
        (1, "PE Theorem 6.1", proof),
        (2, "PE Lemma A.5", variant),
        (3, "DE Figure 4", figure),
        (4, "DE Theorem 6.2", proof),
        (6, "PE Figure 2", figure),
        (6, "PE Lemma A.4", proof),
        (6, "PE Theorem 6.1", proof),
        (7, "PE Definition 5.1", variant),
        (7, "PE Lemma A.4", variant),
        (7, "PE Theorem 6.1", variant),
        (8, "DQC Theorem 5", figure),
    ];
    let wanted =
        wanted.map(|(number, name, outcome)| (number, name.to_owned(), outcome.to_owned()));
    assert_eq!(found, wanted);
    let outcome = |name: &str| json(&["theorems", name, "--json"])[0]["outcome"].clone();
    for (name, wanted) in [
        ("PE Theorem 8.3", "holds"),
        ("PE Lemma A.5", "holds"),
        ("PE Theorem 6.2", "holds here"),
        ("DE Theorem 5.1", "holds"),
        ("DQC Theorem 5", "holds"),
        ("DQC Theorem 6", "holds"),
        ("DQC Theorem 9", "holds here"),
    ] {
        assert_eq!(outcome(name), wanted, "{name}");
    }
}

/// PE Theorem 8.3 is for ε below 1/2: κ occurs only in its proof.
#[test]
fn the_theorem_on_evidence_is_for_every_epsilon() {
    let rules = "ProverEstimator(epsilon: 0.4, rho: 0.5)";
    let found = json(&["check", "five-parts", "--protocol", rules, "--json"]);
    assert_eq!(found["stability"]["copies"], 73);
    let needed = found["stability"]["copies_needed"].as_u64();
    assert!(needed.is_some_and(|needed| needed >= 73), "{found}");
    let printed = said(&["check", "five-parts", "--protocol", rules]).out;
    assert!(printed.contains("a majority of 73"), "{printed}");
    assert!(!printed.contains("1/3"), "{printed}");
    let statements = found["statements"].as_array().expect("a list");
    let outcome = |name: &str| {
        let mut each = statements.iter();
        each.find(|one| one["name"] == name).expect("it is there")["outcome"].clone()
    };
    assert_eq!(outcome("PE Theorem 8.3"), "holds");
    assert_eq!(outcome("PE Lemma A.4"), "its printed proof fails");
}

/// The theorem is for ρ = 1/2. For any other ρ, the number from its proof is never below the minimum.
#[test]
fn the_evidence_by_the_proof_is_for_the_rho_at_hand() {
    let rules = "ProverEstimator(epsilon: 0.1, rho: 0.001)";
    let printed = said(&["check", "five-parts", "--protocol", rules]).out;
    let wanted = "a majority of 17 independent pieces of evidence for each subclaim; the proof of PE Theorem 8.3, which is \
                  for ρ = 1/2, requires 33 pieces if this ρ replaces 1/2";
    assert!(printed.contains(wanted), "{printed}");
    let printed = said(&["check", "five-parts-stable", "--protocol", rules]).out;
    let wanted = "the proof of PE Theorem 8.3, which is for ρ = 1/2, requires 33 with this ρ instead; the paper prints 43 \
                  and 21 for ρ = 1/2";
    assert!(printed.contains(wanted), "{printed}");
}

/// PE Lemma A.5: the output of `check`, its exit code and `equilibrium` agree on every hypothesis.
#[test]
fn no_payoff_is_guaranteed_if_a_hypothesis_fails() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("witness.ron");
    let text = "Scenario(format: 1, title: \"Witness\", problem: Primality(number: 2047), decomposition: \
                Witnesses(bases: [2]), protocol: ProverEstimator(epsilon: 0.25, rho: 0.5))";
    std::fs::write(&path, text).expect("a file");
    let path = path.to_str().expect("UTF-8");
    let found = say(dir.path(), &["check", path, "--require-stable"], "");
    assert_eq!(found.code, Some(1), "{found:?}");
    for line in [
        "stable     no: an error of 0.25 in its only subclaim moves",
        "promised   no lower bound for honest Alice: PE Lemma A.5 requires all of these hypotheses",
        "has a support that implies it (PE Definition 5.2): no",
    ] {
        assert!(found.out.contains(line), "{line}\n{}", found.out);
    }
    assert!(!found.out.contains("expects at least"), "{}", found.out);
    let named = say(
        dir.path(),
        &[
            "equilibrium",
            path,
            "--named",
            "--prover",
            "honest",
            "--opponent",
            "truthful",
        ],
        "",
    );
    let line = "  no         the decomposition is (ε, ρ)-stable";
    assert!(named.out.contains(line), "{named:?}");
    // The judge that is named for the table counts as well.
    let noisy = [
        "equilibrium",
        "primes-stable",
        "--prover",
        "honest",
        "--opponent",
        "truthful",
    ];
    let noisy = [&noisy[..], &["--judge", "noisy(0.4)"]].concat();
    let line = "  no         the judge, given the true proof bits, is right about every leaf";
    let named = said(&noisy);
    assert!(named.out.contains(line), "{named:?}");
    let solve = [
        "solve",
        "five-parts",
        "--opponent",
        "shifted(0.3)",
        "--judge-errors",
        "--json",
        "--exact",
    ];
    assert_eq!(json(&solve)["judge_errors"]["allowed"], Value::Null);
    let solve = [
        "solve",
        "five-parts-stable",
        "--opponent",
        "shifted(0.3)",
        "--judge-errors",
        "--json",
        "--exact",
    ];
    assert_eq!(json(&solve)["judge_errors"]["allowed"], "1/20");
}

#[test]
fn the_parity_of_four_inputs_takes_four_queries() {
    let printed = said(&["queries", "01101001"]).out;
    assert!(printed.starts_with("01101001: 3 queries\n"), "{printed}");
    let table = "0110100110010110";
    let found = json(&["queries", table, "--json"]);
    assert_eq!(
        (&found["lower"], &found["upper"], &found["exact"]),
        (&4.into(), &4.into(), &true.into())
    );
}

#[test]
fn a_majority_needs_an_odd_number_a_winner_and_one_instance() {
    for (arguments, part) in [
        (
            &["caffeine-plan", "--majority", "4"][..],
            "not an odd number",
        ),
        (&["caffeine-plan", "--majority", "1001"], "from 1 to 999"),
        (&["primes-stable", "--majority", "3"], "no winner"),
        (
            &["parity", "--instance", "all", "--majority", "3"],
            "one instance",
        ),
    ] {
        let refused = said(&[&["solve"], arguments].concat());
        assert_eq!(refused.code, Some(2), "{arguments:?}");
        assert!(refused.err.contains(part), "{refused:?}");
    }
    // One debate is its own majority.
    let once = json(&[
        "solve",
        "caffeine-plan",
        "--exact",
        "--majority",
        "1",
        "--json",
    ]);
    assert_eq!(once["majority"]["prover_wins"], once["prover_wins"]);
}

/// Errata 6: the output mentions the cost of a leaf's bits with soundness and with Theorem 6.2.
#[test]
fn leaves_that_read_the_provers_bits_are_a_hypothesis() {
    let what = "no leaf reads the prover's bits, or the claim fixes the machine";
    let solved = ["solve", "three-receipts", "--prover", "best-response"];
    let against = [
        "--prover-answers",
        "false",
        "--opponent",
        "truthful",
        "--soundness",
    ];
    let found = json(&[&solved[..], &against, &["--exact", "--json"]].concat());
    assert_eq!(found["value"], "1/1");
    let hypotheses = found["soundness"]["hypotheses"].as_array().expect("a list");
    let failing: Vec<&Value> = hypotheses
        .iter()
        .filter(|one| one["holds"] == false)
        .collect();
    assert_eq!(failing.len(), 1, "{failing:?}");
    let name = failing[0]["what"].as_str().expect("a sentence");
    assert!(name.starts_with(what), "{name}");
    assert_eq!(failing[0]["gives"], "1/1");
    for arguments in [
        &["check", "three-receipts"][..],
        &["equilibrium", "three-receipts", "--all", "--points", "2"],
        &["equilibrium", "three-receipts"],
    ] {
        let printed = said(arguments).out.replace(['\n', ' '], "");
        assert!(
            printed.contains(&what.replace(' ', "")),
            "{arguments:?}: {printed}"
        );
    }
    let all = ["equilibrium", "three-receipts", "--all", "--points", "2"];
    let all = json(&[&all[..], &["--json"]].concat());
    let hypotheses = all["least_true"]["hypotheses"].as_array().expect("a list");
    let bits = hypotheses.iter().find(|one| {
        let name = one["what"].as_str().expect("a sentence");
        name.starts_with(what)
    });
    assert_eq!(bits.expect("it is listed")["holds"], false);
    let named = json(&["equilibrium", "three-receipts", "--json"]);
    let listed = named["hypotheses"].to_string();
    assert!(listed.contains(what), "{listed}");
    let checked = said(&["check", "three-receipts"]).out;
    assert!(
        checked.contains("requires that the claim determines the machine"),
        "{checked}"
    );
    let protocols = json(&["list", "protocols", "--json"]).to_string();
    assert!(
        protocols.contains("unless the claim fixes the machine"),
        "{protocols}"
    );
}

/// PE Definition 5.2 is about μ: results that are not over μ say so.
#[test]
fn provability_by_trying_names_its_distribution() {
    let tried = ["check", "primes-4331", "--prover-queries", "9"];
    let found = json(&[&tried[..], &["--exact", "--json"]].concat());
    assert_eq!(found["provable_by"]["low"], "5/9");
    assert_eq!(found["provable_by"]["distribution"], "even-places");
    let printed = said(&tried).out;
    assert!(
        printed.contains("which is not μ") && printed.contains("guessed"),
        "{printed}"
    );
    let over_mu = ["--prover-knows", "nothing", "--prover-queries", "3"];
    let found = json(&[&["check", "primes-4331"][..], &over_mu, &["--json"]].concat());
    assert_eq!(found["provable_by"]["distribution"], "mu");
    // Bob is offered the number's length and one test of it.
    let tested = ["check", "primes-4331", "--prover-knows", "offered"];
    let printed = said(&[&tested[..], &["--prover-queries", "3"]].concat()).out;
    let prior = "with probability 0.7, over μ: 10 instances, the most likely with 0.1";
    assert!(printed.contains(prior), "{printed}");
}

#[test]
fn an_expectation_of_zero_is_independent_of_judge_errors() {
    let solved = [
        "solve",
        "hidden-flaw",
        "--prover",
        "liar",
        "--opponent",
        "truthful",
    ];
    let printed = said(&[&solved[..], &["--judge-errors"]].concat()).out;
    let flat = printed.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("Alice expects 0 for every f."), "{printed}");
    let found = json(&[&solved[..], &["--judge-errors", "--exact", "--json"]].concat());
    assert_eq!(
        found["judge_errors"]["break_even"],
        serde_json::json!(["0/1", "0/1"])
    );
}

/// The text and the JSON give the same cost of all wrong leaves.
#[test]
fn text_and_json_agree_on_the_cost_of_wrong_leaves() {
    let solved = [
        "solve",
        "hidden-flaw",
        "--prover",
        "exploiter",
        "--opponent",
        "stubborn(0.3)",
    ];
    let found = json(&[&solved[..], &["--judge-errors", "--exact", "--json"]].concat());
    let errors = &found["judge_errors"];
    let parsed = |value: &Value| {
        debate_core::number::parse(value.as_str().expect("a fraction")).expect("a number")
    };
    let each = errors["worst_leaves"].as_array().expect("a list").iter();
    let sum: debate_core::number::Exact = each.map(|leaf| parsed(&leaf["cost"])).sum();
    assert_eq!(sum, parsed(&errors["any_leaves_cost_at_most"]));
}

#[test]
fn in_practice_shows_the_bob_who_wins() {
    let out = said(&["check", "primes-4331", "--in-practice"]).out;
    for words in [
        "loses to 1 of 13 named Bobs",
        "drifting: -3.827e-4; round 2 pays her -0.001358",
        "if he chooses any errors up to 0.451, honest Alice's payoff is -0.05007; at 0.45 she does not lose",
        "even Bob   no tried error makes honest Alice lose",
        "missing    the decomposition is (ε, ρ)-stable",
    ] {
        assert!(out.contains(words), "{words}\n{out}");
    }
    let refused = said(&["check", "turing", "--in-practice"]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.err.contains("these rules have none"),
        "{}",
        refused.err
    );
    // Without the flag a scenario is required.
    assert_eq!(said(&["check"]).code, Some(2));
}

#[test]
fn growth_refuses_parameters_out_of_range() {
    for flags in [
        ["--epsilon", "1/2"],
        ["--epsilon", "x"],
        ["--exponent", "0"],
        ["--depth", "13"],
    ] {
        let refused = said(&[&["theorems", "--growth"][..], &flags].concat());
        assert_eq!(refused.code, Some(2), "{flags:?}");
        assert_eq!(refused.err.lines().count(), 1, "{}", refused.err);
    }
    let one = json(&["theorems", "--growth", "--depth", "1", "--json"]);
    assert_eq!(one["rows"].as_array().map(Vec::len), Some(1));
}

/// More updates of Bob for each update of Alice bring her plan nearer to the value.
#[test]
fn training_shows_what_alice_keeps() {
    let all = [
        "equilibrium",
        "hidden-flaw",
        "--all",
        "--train",
        "16",
        "--json",
    ];
    let one = json(&all);
    let many = json(&[&all[..], &["--bob-updates", "16"]].concat());
    let keeps = |found: &Value| found["training"]["rows"][4]["keeps"].as_f64().unwrap();
    let value = one["lower"].as_f64().unwrap();
    assert!(keeps(&one) < keeps(&many) && keeps(&many) <= value + 1e-9);
    assert_eq!(many["training"]["opponent_updates"], 16);
    let without = said(&["equilibrium", "hidden-flaw", "--train", "16"]);
    assert_eq!(without.code, Some(2));
}
