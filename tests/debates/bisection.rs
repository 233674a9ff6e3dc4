//! Machines debated by bisection, from the scenario file to the verdict.
#![expect(clippy::float_cmp, reason = "a payoff is exactly 1, 0 or -1")]

use debate_core::chance::Seed;
use debate_core::number::Exact;
use debate_core::player::{
    CannotAdvanceDebate, Player, PlayerSpec, SeatedDebate, StrategyRegistry,
};
use debate_core::protocol::{Protocol, ResourceCostsBySeat, Rules, Seat};
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource};
use debate_text::{DebateNarrator, FormulaCharacterSet};

fn setup(text: &str) -> LoadedScenario {
    LoadedScenario::from_text(
        text,
        ScenarioTextSource::Text("test.ron".to_owned()),
        &ScenarioLimits::default(),
    )
    .unwrap()
}

fn turing() -> LoadedScenario {
    LoadedScenario::load_bundled_scenario("turing", &ScenarioLimits::default()).unwrap()
}

/// The bundled scenario with a word that is a palindrome.
fn palindrome() -> LoadedScenario {
    setup(&turing().source.replace("\"01101110\"", "\"01100110\""))
}

/// A machine that reads papers and asks the judge if a paper is about a trial.
fn asking(answer: bool) -> LoadedScenario {
    setup(&format!(
        r#"Scenario(
            format: 1, title: "A machine that asks",
            problem: Machine(
                turing: (
                    start: "read", accept: "yes", reject: "no",
                    rules: [
                        ("read", "0", "read", "0", Right), ("read", "1", "read", "1", Right),
                        ("read", "_", "ask", "_", Left),
                    ],
                ),
                input: "01", steps: 8, cells: 4,
                oracle_state: (
                    state: "ask", yes: "yes", no: "no",
                    answers: {{"01": Answer(
                        truth: {answer}, text: "paper 01 reports a randomised trial",
                        evidence: "Paper 01: patients were assigned by coin toss.",
                    )}},
                ),
            ),
            protocol: Bisection,
        )"#
    ))
}

/// The outcome of a debate.
struct End {
    payoff: f64,
    ledger: ResourceCostsBySeat,
    said: Vec<String>,
}

fn play(setup: &LoadedScenario, protocol: &str, prover: &str, opponent: &str, seed: &str) -> End {
    let seed = Seed::new(seed).unwrap();
    let instance = setup.instance(0);
    let protocol = Protocol::parse(protocol).unwrap();
    let seat = |seat: Seat, name: &str| {
        let spec = PlayerSpec::parse(name).unwrap();
        let registry = StrategyRegistry::<Exact>::registry_with_builtin_players();
        Player::Builtin(registry.build(&spec, seat, &instance, &protocol).unwrap())
    };
    let players = [
        seat(Seat::Prover, prover),
        seat(Seat::Opponent, opponent),
        seat(Seat::Judge, "oracle"),
    ];
    let mut seating = SeatedDebate::new(protocol.start(&instance).unwrap(), players, &seed, 0);
    let stuck = loop {
        if let Err(stuck) = seating.make_automatic_move() {
            break stuck;
        }
    };
    assert_eq!(stuck, CannotAdvanceDebate::Over);
    let narrator = DebateNarrator::new(&instance, FormulaCharacterSet::Unicode);
    let log = seating.log();
    let told = (0..log.entries().len()).filter_map(|index| narrator.narrate(log, index, None));
    End {
        payoff: if seating.state().payoff() > Exact::default() {
            1.0
        } else {
            -1.0
        },
        ledger: seating.spending_by_seat(),
        said: told.map(|told| told.text).collect(),
    }
}

#[test]
fn one_false_step_of_64_is_found_wherever_it_is() {
    let turing = turing();
    for step in 1..=64 {
        let end = play(
            &turing,
            "Bisection",
            &format!("liar({step})"),
            "honest",
            "7",
        );
        assert_eq!(end.payoff, -1.0, "step {step}");
        let verifier = end.ledger.spending_of_seat(Seat::Judge);
        assert_eq!(verifier.configurations_read, 8);
        assert_eq!(verifier.oracle_queries, 0);
        assert_eq!(end.ledger.spending_of_seat(Seat::Opponent).calls, 6);
        let wrong = format!("Step {step} does not follow from the one before (correct: ");
        // Once the machine has halted and rejected, every step to the accepting state is equally false.
        assert!(
            end.said.iter().any(|line| line.starts_with(&wrong)),
            "{:?}",
            end.said
        );
    }
}

#[test]
fn as_printed_every_lie_passes() {
    for step in 1..=64 {
        let liar = format!("liar({step})");
        let end = play(&turing(), "Bisection(half: Printed)", &liar, "honest", "7");
        assert_eq!(end.payoff, 1.0, "step {step}");
    }
}

#[test]
fn dishonest_players_lose_to_honest_ones_and_not_to_each_other() {
    let (no, yes) = (turing(), palindrome());
    for seed in 0..200 {
        let seed = seed.to_string();
        for liar in ["liar", "random"] {
            assert_eq!(play(&no, "Bisection", liar, "honest", &seed).payoff, -1.0);
        }
        for opponent in ["honest", "false-alarm", "random"] {
            let end = play(&yes, "Bisection", "honest", opponent, &seed);
            assert_eq!(end.payoff, 1.0, "{opponent}");
        }
    }
    assert_eq!(
        play(&no, "Bisection", "liar(23)", "false-alarm", "1").payoff,
        1.0
    );
    let lucky = (0..100).filter(|seed| {
        play(&no, "Bisection", "liar(23)", "random", &seed.to_string()).payoff > 0.0
    });
    // One of 64 paths leads to the lie.
    assert!(lucky.count() > 80);
}

#[test]
fn the_judge_is_asked_where_one_step_hinges_on_the_oracle() {
    let verdict =
        |answer, prover, opponent| play(&asking(answer), "Bisection", prover, opponent, "1");
    // Steps 1 to 3 read the word and step 4 asks the oracle. The liar lies about its answer.
    let end = verdict(false, "liar(4)", "honest");
    assert_eq!(end.payoff, -1.0);
    assert_eq!(end.ledger.spending_of_seat(Seat::Judge).oracle_queries, 1);
    let judged = "says that “paper 01 reports a randomised trial” is false";
    assert!(end.said.iter().any(|said| said == judged), "{:?}", end.said);
    assert_eq!(verdict(true, "honest", "honest").payoff, 1.0);
    assert_eq!(verdict(true, "honest", "false-alarm").payoff, 1.0);
}

#[test]
fn a_debate_reads_as_a_story() {
    let end = play(&turing(), "Bisection", "liar(23)", "honest", "7");
    insta::assert_snapshot!(end.said.join("\n"));
}

#[test]
fn a_machine_is_a_computation_too() {
    let (no, yes) = (turing(), palindrome());
    let crossed = |setup, prover, opponent| play(setup, "CrossExamination", prover, opponent, "1");
    assert_eq!(crossed(&yes, "honest", "false-alarm").payoff, 1.0);
    for liar in ["liar", "liar(700)", "random"] {
        assert_eq!(crossed(&no, liar, "honest").payoff, -1.0, "{liar}");
    }
    // The machine's tableau is divided into blocks, down to single bits.
    let blocks = yes.source.replace(
        "protocol: Bisection",
        "protocol: Recursive, decomposition: Blocks(width: 64)",
    );
    let end = play(&setup(&blocks), "Recursive", "honest", "random", "1");
    assert_eq!(end.payoff, 1.0);
}
