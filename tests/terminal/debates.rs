//! A debate under each of the rules about computations, played from a seat in a terminal: left in the middle, resumed,
//! finished, verified and replayed.

use debate_host::record::verify_file;
use debate_solver::setup::ScenarioLimits;

use crate::support::pty::Pty;

/// Keys, and the text that the screen must show after them.
pub type Keys = (&'static str, &'static str);

/// A debate that is played in two sessions.
struct Played {
    arguments: &'static [&'static str],
    /// The keys of the first session. The last line is the next question, which appears again after resuming.
    before: &'static [Keys],
    /// The keys from there to the end.
    after: &'static [Keys],
    /// The reason for the win.
    because: &'static str,
}

pub fn press(pty: &mut Pty, keys: &[Keys]) {
    for (keys, wanted) in keys {
        pty.type_in(keys);
        pty.wait_for(wanted);
    }
}

/// The screen's text as one line, without frames, because sentences are wrapped anywhere.
fn unwrapped(text: &str) -> String {
    let framed = |c: char| c.is_whitespace() || "│├".contains(c);
    let words = text.split(framed).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Waits until the screen contains this text, regardless of line breaks.
pub fn wait_to_read(pty: &Pty, wanted: &str) {
    pty.wait_until(wanted, |shown| unwrapped(shown).contains(wanted));
}

/// The screen's text after the frame is complete.
pub fn read(pty: &Pty) -> String {
    pty.settle();
    unwrapped(&pty.screen(vt100::Screen::contents))
}

fn play(played: &Played) {
    let mut pty = Pty::program(played.arguments);
    pty.begin();
    pty.wait_for("Next move");
    press(&mut pty, played.before);
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_told_after_leaving("debate-tui resume");
    let [save] = &pty.saves()[..] else {
        panic!("{:?}", pty.saves());
    };
    let verdict = verify_file(save, &ScenarioLimits::default()).unwrap();
    assert!(verdict.ok && !verdict.finished, "{verdict:?}");

    let path = save.to_str().unwrap();
    let mut resumed = Pty::program(&["resume", path]);
    resumed.wait_for(played.before.last().unwrap().1);
    press(&mut resumed, played.after);
    resumed.wait_for("The end");
    wait_to_read(&resumed, played.because);
    resumed.type_in("q");
    assert_eq!(resumed.exit_code(), 0);
    let verdict = verify_file(save, &ScenarioLimits::default()).unwrap();
    assert!(verdict.ok && verdict.finished, "{verdict:?}");

    let mut replayed = Pty::program(&["replay", path]);
    replayed.wait_for("No moves yet.");
    replayed.type_in("\x1b[F");
    replayed.wait_for("The debate is over.");
    let text = read(&replayed);
    assert!(!text.contains("No moves yet"), "{text}");
    replayed.type_in("q");
    assert_eq!(replayed.exit_code(), 0);
}

const ASKED: &str = "Which part contains the error?";
pub const NEXT: &str = "Next move";

#[test]
fn bob_finds_the_false_step_of_a_machine() {
    play(&Played {
        arguments: &["turing", "--role", "opponent", "--seed", "7"],
        before: &[
            ("\r", ASKED),
            ("1\r", NEXT),
            ("\r", "17 to 32"),
            ("2\r", NEXT),
            ("\r", "17 to 24"),
        ],
        after: &[
            ("1\r", NEXT),
            ("\r", "21 to 24"),
            ("2\r", NEXT),
            ("\r", "23 to 24"),
            ("2\r", NEXT),
            ("\r", "step 23"),
            ("1\r", "The end"),
        ],
        because: "You win against Alice, since step 23 does not follow from the one before (correct: ",
    });
}

#[test]
fn bob_runs_the_machine_while_he_chooses_a_half() {
    let mut pty = Pty::program(&["turing", "--role", "opponent", "--seed", "7"]);
    pty.begin();
    pty.wait_for(NEXT);
    let keys = [
        ("\r", ASKED),
        ("s", "You, step 1:"),
        ("m", "You, step 32:"),
        ("a", "You, step 31:"),
        ("1\r", NEXT),
        ("\r", "17 to 32"),
        ("m", "You, step 16:"),
    ];
    press(&mut pty, &keys);
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
}

#[test]
fn bob_walks_down_a_circuit() {
    play(&Played {
        arguments: &["parity", "--role", "opponent", "--seed", "7"],
        before: &[("\r", "g5 is 0"), ("1\r", NEXT), ("\r", "g1 is 0")],
        after: &[("1\r", NEXT), ("\r", "x1 is 1"), ("1\r", "The end")],
        because: "Alice wins against you, since the verifier reads x0 = 0.",
    });
}

#[test]
fn bob_points_at_the_false_gate() {
    play(&Played {
        arguments: &["multiplier", "--role", "opponent", "--seed", "7"],
        before: &[("\r", "Point at one")],
        after: &[("25", "Step 25"), ("\r", "The end")],
        because: "since step 25 (g25 = g0 and g7) does not follow from its inputs.",
    });
}

#[test]
fn bob_points_at_the_false_line_of_a_certificate() {
    play(&Played {
        arguments: &["primes-certificate", "--role", "opponent", "--seed", "7"],
        before: &[("\r", "Point at one")],
        after: &[("19", "Step 19"), ("\r", "The end")],
        because: "You win against Alice, since step 19",
    });
}

#[test]
fn bob_chooses_the_variables_of_a_formula_for_all() {
    play(&Played {
        arguments: &["qbf", "--role", "opponent", "--seed", "7"],
        before: &[
            ("\r", "values of ∀rain Mon, strike Mon"),
            ("\r", "every value is still 0"),
            ("\r", NEXT),
            ("\r", "values of ∀rain Tue, strike Tue"),
        ],
        after: &[
            ("\r", "every value is still 0"),
            ("\r", NEXT),
            ("\r", "values of ∀rain Wed, strike Wed"),
            ("\r", "every value is still 0"),
            ("\r", NEXT),
            ("\r", "Point at one"),
            ("n\r", "The end"),
        ],
        because: "Alice wins against you, since the output is 1.",
    });
}
