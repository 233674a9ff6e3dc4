//! The home screen: debates are left, named, hidden, resumed and deleted there.

use std::fs;

use crate::support::program::{json, path, run_here, say};
use crate::support::pty::Pty;

fn press(pty: &mut Pty, steps: &[(&str, &str)]) {
    for (keys, wanted) in steps {
        pty.type_in(keys);
        pty.wait_for(wanted);
    }
}

/// A debate in which Bob has given his first estimate.
fn in_a_debate() -> Pty {
    let mut pty = Pty::program(&["primes-4331", "--role", "estimator", "--seed", "7"]);
    pty.begin();
    press(
        &mut pty,
        &[("", "Next move"), ("\r", "100   ?"), ("50\r", "Next move")],
    );
    pty
}

fn save_of(pty: &Pty) -> std::path::PathBuf {
    let is_save = |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "ron");
    let mut saves = pty.saves();
    saves.retain(is_save);
    assert_eq!(saves.len(), 1, "{saves:?}");
    saves.remove(0)
}

#[test]
fn settings_and_exports_are_opened_over_a_debate() {
    let mut pty = in_a_debate();
    let save = save_of(&pty);
    press(
        &mut pty,
        &[
            // To the settings and back; a changed key takes effect at once, and so do changed colours.
            ("\x1b[20~", "Settings"),
            ("l\r", "Saved in"),
            (":", "Commands"),
            ("export", "Export the debate to a file"),
            ("\r", "Export the debate to a file"),
            ("", "< html >"),
            ("l", "< md >"),
            ("\r", "Written to"),
            ("", "Next move"),
            // A second export does not replace the first one.
            ("E", "< html >"),
            ("q", "Next move"),
        ],
    );
    let written = fs::read_to_string(save.with_extension("md")).unwrap();
    assert!(written.contains("4331"), "{written}");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
}

#[test]
fn a_debate_is_left_named_hidden_and_resumed() {
    let mut pty = in_a_debate();
    let save = save_of(&pty);
    pty.type_in("H");
    pty.wait_for("Unfinished debates");
    let bytes = fs::read(&save).unwrap();
    press(
        &mut pty,
        &[
            ("g\t", "You sit as: Bob, the estimator"),
            ("", "Progress: the first answer"),
            ("n\x15my game\r", "The debate has a new name"),
            ("", "my game"),
            ("x", "The debate is hidden"),
            ("X", "(hidden) my game"),
            ("g\tx", "It is shown again"),
            ("", "my game"),
            // The debate continues at the same position.
            ("g\t\r", "Next move"),
            ("H", "Unfinished debates"),
        ],
    );
    // The save contains none of that.
    assert_eq!(fs::read(&save).unwrap(), bytes);
    press(
        &mut pty,
        &[("g\td", "y deletes it"), ("y", "The debate is deleted")],
    );
    assert!(pty.saves().iter().all(|path| !path.starts_with(&save)));
    assert!(!save.exists() && !save.with_extension("ron.label").exists());
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
}

#[test]
fn played_scenarios_are_marked_and_another_is_suggested() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let arguments = [
        "primes-recursive",
        "--role",
        "opponent",
        "--seed",
        "7",
        "--saves",
        folder,
    ];
    let mut played = Pty::program(&arguments);
    played.begin();
    played.wait_for("Next move");
    played.type_until("1\r", "The end");
    played.type_in("q");
    assert_eq!(played.exit_code(), 0);
    let mut home = Pty::program(&["--saves", folder]);
    home.wait_for("What next");
    // The first debate of the course was not played yet.
    home.wait_for("Is 4331 prime?");
    home.type_in("/recursion");
    home.wait_for("plain recursion");
    home.type_in("\r");
    home.wait_for("played once");
    home.type_in("q");
    assert_eq!(home.exit_code(), 0);
    // The search finds a scenario by its name on the command line, and by its rules.
    let mut home = Pty::program(&["--saves", folder]);
    home.wait_for("Is 4331 prime?");
    home.type_in("/law cross-exam\r");
    home.wait_for("Open: law cross-exam");
    home.wait_for("Did the seller break the contract?");
    home.type_in("q");
    assert_eq!(home.exit_code(), 0);
}

/// A folder with a copy of a bundled save, in which a user lost as the estimator, and an unfinished debate.
fn folder_of_saves() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let save = concat!(env!("CARGO_MANIFEST_DIR"), "/saves/primes-estimator.ron");
    fs::copy(save, folder.path().join("won.ron")).unwrap();
    let play = ["primes-small", "--plain", "--seed", "7", "--role", "prover"];
    let said = say(folder.path(), &play, "yes\n");
    assert_eq!(said.code, Some(0), "{said:?}");
    folder
}

#[test]
fn home_and_the_debate_screen_show_payoffs_in_the_same_unit() {
    let folder = folder_of_saves();
    let saves = [("DEBATE_TUI_SAVES", path(folder.path()))];
    let mut pty = Pty::program_at(&[], (120, 36), &saves);
    // The last item of the home screen is the debate that was played.
    pty.wait_for("What next");
    pty.type_until("G", "Finished debates");
    pty.wait_for("payoff -297 points");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
}

#[test]
fn home_offers_to_continue_todays_debate_a_harder_opponent_and_two_scenarios() {
    let folder = folder_of_saves();
    let saves = [("DEBATE_TUI_SAVES", path(folder.path()))];
    // Bob against the first opponent: the next one is a bit stronger.
    let play = [
        "primes-4331",
        "--plain",
        "--seed",
        "7",
        "--role",
        "estimator",
        "--prover",
        "errs(+, -)",
    ];
    let said = say(folder.path(), &play, &"50\n".repeat(20));
    assert_eq!(said.code, Some(0), "{said:?}");
    let mut pty = Pty::program_at(&[], (120, 36), &saves);
    pty.wait_for("Today's debate: not played");
    let order = [
        "Continue: Is 323 pr",
        "Tutorial: two courses of four lessons",
        "Today's debate: not played",
        "A bit stronger opponent",
        "Is 109,931 prime?",
        "Is this change safe to merge?",
        "Unfinished debates",
    ];
    pty.settle();
    let shown = pty.screen(vt100::Screen::contents);
    let rows: Vec<_> = order.iter().map(|text| shown.find(text)).collect();
    assert!(
        rows.iter().all(Option::is_some) && rows.is_sorted(),
        "{shown}"
    );
    press(
        &mut pty,
        &[
            ("jj", "One debate a day"),
            ("j", "Level 4 of 5. This Alice exploits"),
            // Opened, the user plays the same seat against the harder opponent.
            ("\r", "enter begin"),
            ("\r", "Next move"),
            ("H", "A bit stronger opponent"),
            ("gjj\r", "enter begin"),
            ("\r", "you are Bob, the estimator"),
        ],
    );
    pty.type_in("q");
    pty.wait_for("What next");
    // It was left before the first reply, so there is nothing to show yet.
    pty.wait_for("Today's debate: not played");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
}

#[test]
fn resume_without_a_save_offers_the_unfinished_debates() {
    let folder = folder_of_saves();
    let listed = run_here(folder.path(), &["resume"], "");
    assert_eq!(listed.code, Some(0), "{listed:?}");
    assert!(listed.out.contains("Is 323 prime?"), "{listed:?}");
    assert!(!listed.out.contains("won.ron"), "{listed:?}");
    assert!(listed.err.contains("resume --last"), "{listed:?}");
    let saves = json(&run_here(folder.path(), &["resume", "--json"], ""));
    assert_eq!(saves.as_array().unwrap().len(), 1);
    assert_eq!(saves[0]["condition"], "unfinished");
    let empty = tempfile::tempdir().unwrap();
    let none = run_here(empty.path(), &["resume"], "");
    assert_eq!((none.code, &*none.out), (Some(0), ""), "{none:?}");
    assert!(none.err.contains("No unfinished debates in"));

    let variables = [("DEBATE_TUI_SAVES", path(folder.path()))];
    let mut pty = Pty::program_at(&["resume"], (120, 36), &variables);
    pty.wait_for("Mark an unfinished debate and press enter");
    pty.type_in("\r");
    pty.wait_for("enter send");
    // A second Escape leaves the debate.
    pty.type_in("\x1b");
    pty.wait_for("Press esc again to leave this debate; the debate is saved");
    pty.type_until("\x1b", "Unfinished debates");
    // A single Escape leaves the settings.
    pty.type_in(",");
    pty.wait_for("Settings");
    pty.type_in("\x1b");
    pty.wait_for("What next");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
}
