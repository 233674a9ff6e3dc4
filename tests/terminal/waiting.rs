//! Players that take long to build, and debates that take long to play: the screen says what it
//! waits for, and a user who does not want to wait leaves.

use tempfile::TempDir;

use crate::support::pty::Pty;
use crate::terminal::thinking::{PARTS, wide};

const BUILT: &str = "The players are being prepared";
const PLAYED: &str = "Both debates are being played";

/// An estimator that is trained for minutes.
const SLOW: [&str; 4] = ["--opponent", "indistinguishable(0.0001)", "--seed", "7"];

/// The names of the saves.
fn saved(pty: &Pty) -> usize {
    let saves = pty.saves().into_iter();
    saves
        .filter(|path| path.extension().is_some_and(|kind| kind == "ron"))
        .count()
}

#[test]
fn players_that_are_being_built_need_not_be_waited_for() {
    for (keys, code) in [("\x1b", 0), ("q", 0), ("\x03", 130)] {
        let arguments = [&["primes", "--role", "none"], &SLOW[..]].concat();
        let mut pty = Pty::program(&arguments);
        pty.wait_for(BUILT);
        pty.type_in("?");
        pty.wait_for("╭ Help ─");
        pty.type_in("\x1b");
        pty.wait_for(BUILT);
        pty.type_in(keys);
        assert_eq!(pty.exit_code(), code, "{keys:?}");
        pty.assert_restored();
        assert_eq!(saved(&pty), 0);
    }
}

#[test]
fn a_lobby_comes_back_from_players_that_are_not_waited_for() {
    let mut pty = Pty::program(&SLOW);
    for (keys, wanted) in [
        ("", "What it is"),
        ("\to", "Players and rules"),
        ("lll", "nobody: watch"),
        ("\r", BUILT),
        ("\x1b", "Players and rules"),
        // Nothing of the form is lost.
        ("", "nobody: watch"),
        ("\r", BUILT),
        ("q", "Players and rules"),
        // A player that is there at once.
        ("jje\x15bayes\r", "< bayes >"),
        ("\r", "What comes next"),
        ("q", "What it is"),
    ] {
        pty.type_in(keys);
        pty.wait_for(wanted);
    }
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
}

#[test]
fn players_that_cannot_be_built_are_told_of_in_the_lobby() {
    let mut pty = Pty::program(&["--seed", "7"]);
    for (keys, wanted) in [
        ("", "What it is"),
        ("\to", "Players and rules"),
        // Nobody is known in Bob's seat, where a person sits.
        ("je\x15best-response\r", "< best-response >"),
        ("\r", "is made against"),
        ("", "Players and rules"),
    ] {
        pty.type_in(keys);
        pty.wait_for(wanted);
    }
    pty.type_in("\x03");
    assert_eq!(pty.exit_code(), 130);
    pty.assert_restored();
}

#[test]
fn two_debates_that_are_compared_need_not_be_waited_for() {
    let folder = TempDir::new().unwrap();
    let scenario = folder.path().join("wide.ron");
    std::fs::write(&scenario, wide()).unwrap();
    let width = (PARTS + 1).to_string();
    let arguments = [
        "compare",
        scenario.to_str().unwrap(),
        "--max-width",
        &width,
        "--seed",
        "1",
    ];
    for (keys, code) in [("\x1b", 0), ("q", 0), ("\x03", 130)] {
        let mut pty = Pty::program(&arguments);
        pty.wait_for(PLAYED);
        pty.type_in(keys);
        assert_eq!(pty.exit_code(), code, "{keys:?}");
        pty.assert_restored();
    }
}
