//! Two debaters and a judge at one keyboard, in the program itself: Alice writes her subclaims, the screen is covered
//! between turns, and the save verifies.

use debate_host::record::verify_file;
use debate_solver::setup::ScenarioLimits;

use crate::support::BEGIN;
use crate::support::pty::Pty;
use crate::terminal::debates::{Keys, press, wait_to_read};

const TO_BOB: &str = "Hand the keyboard to Bob";
const TO_ALICE: &str = "Hand the keyboard to Alice";
const TO_THE_JUDGE: &str = "Hand the keyboard to the judge";
const NEXT: &str = "Next move";

/// Keys up to the first coin for Alice's own subclaims.
const FIRST_HALF: &[Keys] = &[
    ("y\r", TO_BOB),
    ("\r", BEGIN),
    ("\r", "100   ?"),
    ("50\r", NEXT),
    ("\r", TO_ALICE),
    ("\r", "about right?"),
    ("1\r", "Write subclaims"),
    ("Readers ask: how?", "Readers ask: how?_"),
    // A paste of two lines continues from here.
    (
        "\r\x1b[200~It is cheap\nIt is legal\x1b[201~",
        "3  It is legal_",
    ),
    // The last subclaim goes to the judge unchanged.
    ("\x14", "to the judge"),
    ("\r", "-  _"),
];

/// Keys from the empty line, which sends the support, to the end.
const SECOND_HALF: &[Keys] = &[
    ("\r", "Write subclaims"),
    ("It is legal", "It is legal_"),
    ("\x14\r\r", TO_BOB),
    ("\r", "It is legal"),
    ("60\r", NEXT),
    ("\r", TO_ALICE),
    ("\r", "Bob's 60 % for “It is legal”"),
    ("2\r", TO_THE_JUDGE),
    ("\r", BEGIN),
    ("\r", "You are the JUDGE"),
    ("y\r", "The end"),
];

#[test]
fn two_people_and_a_judge_share_a_keyboard() {
    let mut pty = Pty::program(&["open", "--seed", "7"]);
    pty.begin();
    pty.wait_for("You are ALICE");
    press(&mut pty, FIRST_HALF);
    // The user leaves while writing, and the draft was not sent.
    pty.type_in("\x03");
    assert_eq!(pty.exit_code(), 130);
    pty.assert_restored();
    let [save] = &pty.saves()[..] else {
        panic!("{:?}", pty.saves());
    };
    let verdict = verify_file(save, &ScenarioLimits::default()).unwrap();
    assert!(verdict.ok && !verdict.finished, "{verdict:?}");

    let mut pty = Pty::program(&["resume", save.to_str().unwrap()]);
    // The program does not know who resumes, so it covers the screen first.
    pty.wait_for(TO_ALICE);
    press(&mut pty, SECOND_HALF);
    wait_to_read(&pty, "It is legal");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    let verdict = verify_file(save, &ScenarioLimits::default()).unwrap();
    assert!(verdict.ok && verdict.finished, "{verdict:?}");
    let text = std::fs::read_to_string(save).unwrap();
    assert!(
        text.contains(r#"on: ["It is legal"], judged: [0]"#),
        "{text}"
    );

    let mut replayed = Pty::program(&["replay", save.to_str().unwrap()]);
    replayed.wait_for("No moves yet.");
    replayed.type_in("\x1b[F");
    replayed.wait_for("The debate is over.");
    replayed.type_in("q");
    assert_eq!(replayed.exit_code(), 0);
}

/// Two debaters and a judge about the light that went out.
const SPEECHES: &[Keys] = &[
    ("50\r", "What do you want to tell the debaters"),
    ("What is in the book?", "What is in the book?_"),
    ("\x13", TO_ALICE),
    ("\r", BEGIN),
    ("\r", "ctrl-s send"),
    ("The book says it:\r", "The book says it:"),
    // A search in the source, and a quotation of the result.
    ("\x06lamp out at nine\r", "at nine, lit again"),
    ("\x19", "The quote is in the source."),
    ("\x13", TO_BOB),
    ("\r", "You are BOB"),
    ("\x1b", "ctrl-s send"),
    (
        "<quote>The keeper slept.</quote>",
        "Quote 1 is not in the source",
    ),
    // The quotation is removed again.
    ("\x15", "0 of 250 characters quoted."),
    ("The store smelled of oil.\x13", TO_THE_JUDGE),
    ("\r", "You are the JUDGE"),
    ("80\r", "What do you want to tell the debaters"),
    ("\x13", "Do you want to hear round 2"),
    ("y\r", TO_ALICE),
    ("\r", "The store smelled of oil."),
    ("Nobody was there but the keeper.\x13", TO_BOB),
    ("\r", "Nobody was there but the"),
    ("\x13", TO_THE_JUDGE),
    ("\r", "You are the JUDGE"),
    ("90\r", "What do you want to tell the debaters"),
    ("\x13", "Do you want to hear round 3"),
    ("n\r", "The end"),
];

#[test]
fn two_people_argue_in_speeches_and_a_third_judges() {
    let all = [
        "lighthouse",
        "--prover",
        "human",
        "--opponent",
        "human",
        "--judge",
        "human",
        "--seed",
        "7",
    ];
    let mut pty = Pty::program(&all);
    pty.begin();
    pty.wait_for("You are the JUDGE");
    press(&mut pty, SPEECHES);
    wait_to_read(&pty, "at 90 %,");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
    let [save] = &pty.saves()[..] else {
        panic!("{:?}", pty.saves());
    };
    let verdict = verify_file(save, &ScenarioLimits::default()).unwrap();
    assert!(verdict.ok && verdict.finished, "{verdict:?}");
    let text = std::fs::read_to_string(save).unwrap();
    assert!(text.contains("lamp out at nine"), "{text}");
    assert!(!text.contains("The keeper slept."), "{text}");
}
