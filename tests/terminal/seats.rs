//! A debate under each protocol from Alice's seat, and from the judge's seat if a judge is asked. Each is played to its
//! end on a small terminal, and its save verifies.

use debate_host::record::verify_file;
use debate_solver::setup::ScenarioLimits;

use crate::support::pty::Pty;
use crate::terminal::debates::{Keys, NEXT, press, wait_to_read};

/// The user's seat, the first question, the keys to the end, and the reason for the result.
struct Played<'p> {
    arguments: &'p [&'p str],
    first: &'p str,
    keys: &'p [Keys],
    because: &'p str,
}

fn play(played: &Played<'_>) {
    let mut pty = Pty::program(played.arguments);
    pty.begin();
    pty.wait_for(played.first);
    press(&mut pty, played.keys);
    wait_to_read(&pty, played.because);
    // The key hints at the end fit, too.
    pty.wait_for("1,000 times");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
    let [save] = &pty.saves()[..] else {
        panic!("{:?}", pty.saves());
    };
    let verdict = verify_file(save, &ScenarioLimits::default()).unwrap();
    assert!(verdict.ok && verdict.finished, "{verdict:?}");
}

const END: &str = "The end";
const SEND: &str = "enter send";

#[test]
fn alice_gives_the_configurations_of_a_machine() {
    play(&Played {
        arguments: &["turing", "--role", "prover", "--seed", "7"],
        first: SEND,
        keys: &[
            // The prepared story is a lie, and its end shows that.
            ("\r", "anyway"),
            ("\r", "after 32 steps?"),
            ("\r", NEXT),
            ("\r", "after 48 steps?"),
            ("\r", NEXT),
            ("\r", "after 56 steps?"),
            ("\r", NEXT),
            ("\r", "after 60 steps?"),
            ("\r", NEXT),
            ("\r", "after 62 steps?"),
            ("\r", NEXT),
            ("\r", "after 63 steps?"),
            ("\r", NEXT),
            ("\r", END),
        ],
        because: "Bob wins against you, since the last configuration does not accept.",
    });
}

#[test]
fn alice_walks_down_a_circuit() {
    play(&Played {
        arguments: &["parity", "--role", "prover", "--seed", "7"],
        first: "Is this true",
        keys: &[
            ("y\r", "Which of these shows"),
            ("1\r", NEXT),
            ("\r", "“gate g4 (g0"),
            ("1\r", NEXT),
            ("\r", "x3) of gate g1 is 0”?"),
            ("1\r", "anyway"),
            ("\r", END),
        ],
        because: "Bob wins against you, since the verifier reads x2 = 1.",
    });
}

#[test]
fn alice_writes_the_verifiers_gates_down() {
    let rules = "Verified(Descent)";
    play(&Played {
        arguments: &[
            "parity",
            "--protocol",
            rules,
            "--role",
            "prover",
            "--seed",
            "7",
        ],
        first: "Is this true",
        keys: &[
            ("n\r", NEXT),
            ("\r", "Which of these shows"),
            ("1\r", NEXT),
            ("\r", "Which of these shows"),
            ("1\r", NEXT),
            ("\r", "x1) of gate g0 is 0"),
            ("1\r", "Write down"),
            ("\r", "anyway"),
            ("\r", NEXT),
            ("\r", END),
        ],
        because: "is false, as you said.",
    });
}

#[test]
fn alice_writes_a_computation_down() {
    play(&Played {
        arguments: &["multiplier", "--role", "prover", "--seed", "7"],
        first: SEND,
        keys: &[("\r", "anyway"), ("\r", NEXT), ("\r", END)],
        because: "Bob wins against you, since the output is 0.",
    });
}

#[test]
fn alice_gives_a_witness() {
    play(&Played {
        arguments: &["primes-certificate", "--role", "prover", "--seed", "7"],
        first: SEND,
        keys: &[
            ("\r", "Write down"),
            ("\r", "anyway"),
            ("\r", NEXT),
            ("\r", END),
        ],
        because: "Bob wins against you, since the output is 0.",
    });
}

#[test]
fn alice_chooses_the_variables_of_a_formula() {
    play(&Played {
        arguments: &["qbf", "--role", "prover", "--seed", "7"],
        first: SEND,
        keys: &[
            // The program warns about values that the user has not set.
            ("\r", "You chose no value"),
            ("\r", NEXT),
            ("\r", "the values of ∃coat Mon"),
            ("\r", "anyway"),
            ("\r", NEXT),
            ("\r", "the values of ∃coat Tue"),
            ("\r", "anyway"),
            ("\r", NEXT),
            ("\r", "the values of ∃coat Wed"),
            ("\r", "anyway"),
            ("\r", "Write down"),
            ("\r", "anyway"),
            ("\r", NEXT),
            ("\r", END),
        ],
        because: "is true",
    });
}

#[test]
fn alice_estimates_the_answers_of_people() {
    play(&Played {
        arguments: &["caffeine-plan", "--role", "prover", "--seed", "7"],
        first: SEND,
        keys: &[
            ("50\r", NEXT),
            ("\r", "100   ?"),
            ("50\r", NEXT),
            ("\r", "100   ?"),
            ("50\r", NEXT),
            ("\r", END),
        ],
        because: "Bob wins against you, since your 50 % fails the check.",
    });
}

#[test]
fn the_judge_answers_the_step_that_was_pointed_at() {
    let bob = "false-alarm";
    play(&Played {
        arguments: &["law", "--opponent", bob, "--role", "judge", "--seed", "7"],
        first: NEXT,
        keys: &[("\r", "due by 1 June”?"), ("n\r", END)],
        because: "Bob wins against Alice",
    });
}

#[test]
fn the_judge_votes_as_a_panel_would() {
    play(&Played {
        arguments: &["caffeine-plan", "--role", "judge", "--seed", "7"],
        first: NEXT,
        keys: &[
            ("\r", "Is this claim true"),
            ("y\r", "vote 2:"),
            ("y\r", "vote 3:"),
            ("y\r", "vote 4:"),
            ("y\r", "vote 5:"),
            ("n\r", "vote 6:"),
            ("y\r", "vote 7:"),
            ("y\r", "vote 8:"),
            ("y\r", "vote 9:"),
            ("y\r", END),
        ],
        because: "Alice wins against Bob",
    });
}

#[test]
fn a_judge_without_requests_watches_to_the_end() {
    for scenario in ["parity", "turing", "qbf", "multiplier"] {
        play(&Played {
            arguments: &[scenario, "--role", "judge", "--seed", "7"],
            first: NEXT,
            keys: &[("\r", END)],
            because: "Payoff",
        });
        let mut pty = Pty::program(&[scenario, "--seed", "7"]);
        pty.wait_for("Which seat");
        wait_to_read(&pty, "has no task");
        pty.type_in("q");
        assert_eq!(pty.exit_code(), 0);
    }
}
