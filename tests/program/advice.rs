//! The advice in a refusal of `equilibrium` makes the refused computation possible.

use debate_solver::setup::{LoadedScenario, ScenarioLimits, bundled_scenarios};

use crate::support::program::{Said, json, say};

fn run(words: &[&str]) -> Said {
    let folder = tempfile::tempdir().unwrap();
    say(folder.path(), &[&["equilibrium"], words].concat(), "")
}

/// Every bundled scenario is solved, or refused with advice that matches the cause.
#[test]
fn a_refusal_of_all_strategies_gives_advice_for_its_cause() {
    let mut causes = [0; 4];
    for listing in bundled_scenarios() {
        let name = listing.name;
        let all = run(&[name, "--all", "--max-positions", "400"]);
        if all.code == Some(0) {
            continue;
        }
        assert_eq!(all.code, Some(2), "{all:?}");
        let says = |part: &str| all.err.contains(part);
        let cause = [
            "raise --max-positions",
            "too many possible replies to try",
            "let a person judge",
        ];
        let cause = cause.iter().position(|cause| says(cause));
        let cause = cause.unwrap_or_else(|| panic!("{name}: {}", all.err));
        causes[cause] += 1;
        match cause {
            0 => {
                assert!(says("a smaller scenario"), "{name}: {}", all.err);
                // Fewer probabilities are possible only if a debater states some.
                let setup = LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default())
                    .unwrap();
                let names_some =
                    debate_solver::analysis::debater_gives_probabilities(&setup.protocol);
                assert!(names_some || !says("--points"), "{name}: {}", all.err);
                let fewest = run(&[name, "--all", "--points", "2", "--max-positions", "400"]);
                assert!(
                    !fewest.err.contains("--points or"),
                    "{name}: {}",
                    fewest.err
                );
                causes[3] += usize::from(says("--points"));
            }
            1 => {
                assert!(!says("smaller"), "{name}: {}", all.err);
                assert!(says("remove --all"), "{name}: {}", all.err);
                let players = match setup_kind(name) {
                    "speeches" => ["quoter", "quoter"],
                    _ => ["liar", "honest"],
                };
                let [prover, opponent] = players;
                let named = run(&[name, "--prover", prover, "--opponent", opponent]);
                assert_eq!(named.code, Some(0), "{name}: {named:?}");
            }
            _ => {
                assert!(
                    says("debate-tui SCENARIO --role judge"),
                    "{name}: {}",
                    all.err
                );
                assert!(!says("smaller"), "{name}: {}", all.err);
            }
        }
    }
    assert!(causes.iter().all(|count| *count > 0), "{causes:?}");
}

fn setup_kind(name: &str) -> &'static str {
    let setup = LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap();
    setup.protocol.kind().protocol_name()
}

/// Under stochastic debate Alice states the probabilities: the default grid has some without a flag, and the text names
/// her.
#[test]
fn all_strategies_of_a_stochastic_debate_have_a_value() {
    let solved = run(&["caffeine-plan", "--all", "--points", "2"]);
    assert_eq!(solved.code, Some(0), "{solved:?}");
    let text = solved.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("Alice says one of 2 probabilities: 0, 1."),
        "{text}"
    );
    let listed = run(&["caffeine-plan", "--all", "--grid", "1,0", "--json"]);
    let listed = json(&listed);
    assert_eq!(listed["grid"].as_array().map(Vec::len), Some(2));
    let coarse = listed["lower"].as_f64().unwrap();
    let usual = json(&run(&["caffeine-plan", "--all", "--json"]));
    assert_eq!(usual["grid"].as_array().map(Vec::len), Some(3));
    // With more possible replies she gets no less.
    assert!(usual["lower"].as_f64().unwrap() >= coarse, "{usual}");
}

/// A table of one pair of players cannot have fewer players.
#[test]
fn a_refused_table_advises_fewer_players_only_if_there_are_several() {
    let several = run(&["primes", "--max-replies", "1"]);
    let one = run(&[
        "primes",
        "--max-replies",
        "1",
        "--prover",
        "honest",
        "--opponent",
        "bayes",
    ]);
    for (refused, advises) in [(several, true), (one, false)] {
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert_eq!(
            refused.err.contains("name fewer players"),
            advises,
            "{refused:?}"
        );
    }
}
