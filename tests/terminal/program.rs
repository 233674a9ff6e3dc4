//! The program itself in a terminal: it restores the terminal after every kind of exit, saves the debate, and sleeps
//! without input.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use debate_host::record::verify_file;
use debate_solver::setup::ScenarioLimits;
use rustix::process::Signal;

use crate::support::BEGIN;
use crate::support::pty::Pty;
use crate::terminal::debates::press;

/// Bob has estimated the root at 40 %, and is asked again.
fn in_the_middle() -> Pty {
    let mut pty = Pty::program(&["primes", "--role", "estimator", "--seed", "7"]);
    pty.begin();
    pty.wait_for("Next move");
    for (keys, wanted) in [
        ("\r", "100   ?"),
        ("40\r", "enter to my turn"),
        ("\r", "from 7"),
    ] {
        pty.type_in(keys);
        pty.wait_for(wanted);
    }
    pty
}

/// Asserts that the save is complete, and contains Bob's reply.
fn assert_kept(pty: &Pty) {
    let [save] = &pty.saves()[..] else {
        panic!("{:?}", pty.saves());
    };
    let verdict = verify_file(save, &ScenarioLimits::default()).unwrap();
    assert!(verdict.ok && !verdict.finished, "{verdict:?}");
    assert!(verdict.replies >= 2, "{verdict:?}");
}

#[test]
fn leaving_by_key_shows_how_to_resume() {
    let mut pty = in_the_middle();
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
    pty.assert_told_after_leaving("debate-tui resume");
    assert_kept(&pty);
}

#[test]
fn signals_restore_the_terminal_and_save_the_debate() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let mut pty = in_the_middle();
        pty.signal(signal);
        assert_eq!(pty.exit_code(), code);
        pty.assert_restored();
        assert_kept(&pty);
    }
}

#[test]
fn ctrl_c_leaves_the_whole_program_from_anywhere() {
    // From a question with a saved reply; from the help over it, and from a line of input.
    for keys in ["", "?", ":", "\t/"] {
        let mut pty = in_the_middle();
        pty.type_in(keys);
        pty.type_in("\x03");
        assert_eq!(pty.exit_code(), 130, "{keys:?}");
        pty.assert_restored();
        pty.assert_told_after_leaving("debate-tui resume");
        assert_kept(&pty);
    }
    // In a debate opened from the home screen, the key ends the program and not only the debate.
    let mut pty = Pty::program(&[]);
    press(
        &mut pty,
        &[("", "Preview"), ("\t\r", "Which seat"), ("\r", BEGIN)],
    );
    pty.type_in("\x03");
    assert_eq!(pty.exit_code(), 130);
    pty.assert_restored();
    assert!(pty.saves().is_empty(), "nothing was played");
    let mut lesson = Pty::program(&["tutorial"]);
    lesson.wait_for("Four boxes: are they all full?");
    lesson.type_in("\x03");
    assert_eq!(lesson.exit_code(), 130);
    lesson.assert_told_after_leaving("To continue: debate-tui tutorial");
    let mut compared = Pty::program(&["compare", "primes", "--seed", "7"]);
    compared.wait_for("moves left");
    compared.type_in("\x03");
    assert_eq!(compared.exit_code(), 130);
    let save = concat!(env!("CARGO_MANIFEST_DIR"), "/saves/primes-estimator.ron");
    let mut replayed = Pty::program(&["replay", save]);
    replayed.wait_for("No moves yet");
    replayed.type_in("\x03");
    assert_eq!(replayed.exit_code(), 130);
    replayed.assert_restored();
}

#[test]
fn a_terminal_that_knows_only_lines_gets_lines() {
    let watching = ["primes", "--role", "none", "--seed", "7"];
    for (kind, why) in [
        (Some("dumb"), "TERM is `dumb`"),
        (Some(""), "TERM is empty"),
        (None, "TERM is not set"),
    ] {
        let mut pty = Pty::program_on(kind, &watching);
        assert_eq!(pty.exit_code(), 0);
        let bytes = pty.bytes();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains('\x1b'), "{text:?}");
        assert!(
            text.contains(why) && text.contains("as with --plain"),
            "{text}"
        );
        assert!(text.contains("The debate is over."), "{text}");
        // With an explicit `--plain` the program prints no notice.
        let mut plain = Pty::program_on(kind, &[&watching[..], &["--plain"]].concat());
        assert_eq!(plain.exit_code(), 0);
        let bytes = plain.bytes();
        assert!(!String::from_utf8_lossy(&bytes).contains("TERM"));
    }
    // Plain lines have no home screen.
    let mut home = Pty::program_on(Some("dumb"), &[]);
    assert_eq!(home.exit_code(), 2);
    let bytes = home.bytes();
    assert!(String::from_utf8_lossy(&bytes).contains("no scenario given"));
    let mut keys = Pty::program_on(Some("dumb"), &["--print-keys"]);
    assert_eq!(keys.exit_code(), 0);
    let bytes = keys.bytes();
    assert!(!String::from_utf8_lossy(&bytes).contains("TERM is"));
}

#[cfg(target_os = "linux")]
#[test]
fn idle_screens_use_no_cpu() {
    let chooser = Pty::program(&["primes", "--seed", "7"]);
    chooser.wait_for("Which seat");
    let mut ended = Pty::program(&["primes", "--role", "none", "--seed", "7"]);
    ended.begin();
    ended.wait_for("Next move");
    ended.type_in("\r");
    ended.wait_for("The end");
    let asked = in_the_middle();
    let mut hinted = Pty::program(&["caffeine", "--role", "prover", "--seed", "7", "--hints"]);
    hinted.begin();
    hinted.wait_for(", best");
    ended.type_in("e");
    ended.wait_for("Breakdown");
    let home = Pty::program(&[]);
    home.wait_for("Preview");
    let mut lobby = Pty::program(&["primes"]);
    lobby.wait_for("Which seat");
    lobby.type_in("o");
    lobby.wait_for("Players and rules");
    let mut compared = Pty::program(&["compare", "primes", "--seed", "7"]);
    compared.wait_for("moves left");
    compared.type_in("$");
    compared.wait_for("Exact mean");
    let mut replayed = in_the_middle();
    replayed.type_in("q");
    assert_eq!(replayed.exit_code(), 0);
    let save = replayed.saves().remove(0);
    let replayed = Pty::program(&["replay", save.to_str().unwrap()]);
    replayed.wait_for("No moves yet.");
    let mut helped = in_the_middle();
    helped.type_in("?");
    helped.wait_for("╭ Help ─");
    let mut listed = in_the_middle();
    listed.type_in(":");
    listed.wait_for("Commands");
    let mut lesson = Pty::program(&["tutorial"]);
    lesson.wait_for("Four boxes: are they all full?");
    lesson.type_in("\r");
    let mut handed = Pty::program(&["open", "--seed", "7"]);
    handed.begin();
    handed.wait_for("You are ALICE");
    press(&mut handed, &[("y\r", "Hand the keyboard to Bob")]);
    let mut composed = Pty::program(&["open", "--seed", "7"]);
    composed.begin();
    composed.wait_for("You are ALICE");
    press(
        &mut composed,
        &[
            ("y\r", "Hand the keyboard to Bob"),
            ("\r", BEGIN),
            ("\r", "100   ?"),
            ("50\r", "Next move"),
            ("\r", "Hand the keyboard to Alice"),
            ("\r", "about right?"),
            ("1\r", "Write subclaims"),
        ],
    );
    let mut set = Pty::program(&[]);
    set.wait_for("Preview");
    set.type_in(",");
    set.wait_for("Settings");
    let all = [
        &lesson, &handed, &composed, &set, &chooser, &asked, &ended, &hinted, &home, &lobby,
        &compared, &replayed, &helped, &listed,
    ];
    // A screen becomes idle only if each of its threads waits for an event, without a time limit.
    for screen in all {
        screen.settle();
    }
}

#[test]
fn home_opens_a_debate_and_returns() {
    let mut pty = Pty::program(&[]);
    for (keys, wanted) in [
        ("", "Preview"),
        // The suggested scenario is below the tutorial and the daily debate.
        ("jj\r", "Which seat"),
        // Esc leaves the lobby for the page from which it was opened.
        ("o", "Players and rules"),
        ("\x1b", "Which seat"),
        ("q", "Preview"),
        ("o", "Players and rules"),
        // A human player in the prover's seat only.
        ("l", "< Alice >"),
        ("\r", BEGIN),
        ("\r", "Is this true"),
        ("y\r", "Next move"),
        ("q", "Continue: "),
        ("g", "This debate is unfinished"),
        ("\r", "Next move"),
        ("q", "Preview"),
        (",", "Settings"),
        // Light colours now and after a restart.
        ("l\r", "Saved in"),
        (":", "Commands"),
        ("quit", "Leave"),
    ] {
        pty.type_in(keys);
        pty.wait_for(wanted);
    }
    assert_eq!(pty.saves().len(), 1);
    pty.type_in("\r");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
}

#[test]
fn home_lists_saves_and_deletes_them_after_confirmation() {
    let folder = tempfile::tempdir().unwrap();
    let saves = ["--saves", folder.path().to_str().unwrap()];
    let sits = ["primes", "--role", "estimator", "--seed", "7"];
    let sits = [&sits[..], &saves].concat();
    // Ended before any move: the save remains, but contains no move to resume from.
    let mut unplayed = Pty::program(&sits);
    unplayed.begin();
    unplayed.wait_for("Next move");
    unplayed.signal(Signal::TERM);
    assert_eq!(unplayed.exit_code(), 143);
    let count = || std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(count(), 1);
    let mut played = Pty::program(&sits);
    played.begin();
    played.wait_for("Next move");
    press(
        &mut played,
        &[("\r", "How likely is"), ("40\r", "Next move")],
    );
    played.type_in("q");
    assert_eq!(played.exit_code(), 0);
    assert_eq!(count(), 2);
    let mut home = Pty::program(&saves);
    press(
        &mut home,
        &[
            ("", "Continue: "),
            ("g", "This debate is unfinished"),
            ("d", "y deletes it permanently"),
            ("n", "Not deleted."),
            ("d", "y deletes it permanently"),
        ],
    );
    assert_eq!(count(), 2);
    home.type_in("y");
    home.wait_for("The debate is deleted.");
    assert_eq!(count(), 1);
    // The other save exists, but is not listed.
    home.settle();
    let shown = home.screen(vt100::Screen::contents);
    assert!(!shown.contains("Continue: "), "{shown}");
    home.type_in("q");
    assert_eq!(home.exit_code(), 0);
}

#[test]
fn two_sets_of_rules_are_shown_side_by_side() {
    let mut pty = Pty::program(&["compare", "primes", "--seed", "7"]);
    for (keys, wanted) in [
        ("", "moves left"),
        ("$", "Alice receives"),
        ("", "Exact mean"),
    ] {
        pty.type_in(keys);
        pty.wait_for(wanted);
    }
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
    assert!(pty.saves().is_empty());
    // From the end of a debate too, and back to it.
    let mut debate = Pty::program(&["primes", "--role", "none", "--seed", "7"]);
    debate.begin();
    debate.wait_for("Next move");
    for (keys, wanted) in [("\r", "The end"), ("v", "moves left"), ("q", "The end")] {
        debate.type_in(keys);
        debate.wait_for(wanted);
    }
}

#[test]
fn a_replay_is_played_on_into_a_save_that_names_its_parent() {
    let save = concat!(env!("CARGO_MANIFEST_DIR"), "/saves/primes-estimator.ron");
    let before = std::fs::read(save).unwrap();
    let mut pty = Pty::program(&["replay", save]);
    for (keys, wanted) in [
        ("", "No moves yet"),
        // At the end no move is left to play.
        ("$P", "The debate is over at this move"),
        ("0lllP", "you are Bob"),
        ("q", "Timeline"),
    ] {
        pty.type_in(keys);
        pty.wait_for(wanted);
    }
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    let [kept] = &pty.saves()[..] else {
        panic!("{:?}", pty.saves());
    };
    let text = std::fs::read_to_string(kept).unwrap();
    assert!(
        text.contains("branch: (from: 3, of: \"primes-estimator.ron\")"),
        "{text}"
    );
    let verdict = verify_file(kept, &ScenarioLimits::default()).unwrap();
    assert!(
        verdict.ok && !verdict.finished && verdict.replies == 3,
        "{verdict:?}"
    );
    assert_eq!(std::fs::read(save).unwrap(), before);
}

#[test]
fn watching_leaves_no_save() {
    let mut pty = Pty::program(&["primes", "--role", "none", "--seed", "7"]);
    pty.begin();
    pty.wait_for("Next move");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    assert!(pty.saves().is_empty());
}

#[test]
fn the_round_in_view_goes_to_the_clipboard() {
    let save = concat!(env!("CARGO_MANIFEST_DIR"), "/saves/primes-estimator.ron");
    let mut pty = Pty::program(&["replay", save]);
    pty.wait_for("No moves yet");
    for (keys, wanted) in [("\x1b[F", "The debate is over"), ("y", "OSC 52")] {
        pty.type_in(keys);
        pty.wait_for(wanted);
    }
    pty.wait_for_bytes("\x1b]52;c;");
    pty.settle();
    let bytes = pty.bytes();
    let bytes = String::from_utf8_lossy(&bytes);
    let (_, copied) = bytes.split_once("\x1b]52;c;").expect("the sequence");
    let (copied, _) = copied.split_once('\x07').expect("its end");
    let text = BASE64_STANDARD.decode(copied).expect("base64");
    let text = String::from_utf8(text).expect("UTF-8");
    assert!(
        text.contains(", a claim without subclaims: ") && text.contains("Judge: "),
        "{text}"
    );
}

#[test]
fn a_file_that_cannot_be_read_leaves_the_terminal_alone() {
    let mut pty = Pty::program(&["nowhere.ron"]);
    assert_eq!(pty.exit_code(), 2);
    let bytes = pty.bytes();
    let text = String::from_utf8_lossy(&bytes);
    assert!(
        text.contains("no such file or scenario") && !text.contains('\u{1b}'),
        "{text:?}"
    );
}

#[test]
fn hints_and_simulations_arrive_while_the_screen_responds() {
    let mut pty = Pty::program(&["caffeine", "--role", "prover", "--seed", "7"]);
    pty.begin();
    for (keys, wanted) in [
        ("", "h hint"),
        ("h", ", best"),
        ("y\r", "Next move"),
        ("\r", "about right?"),
    ] {
        pty.type_in(keys);
        pty.wait_for(wanted);
    }
    // The user can leave during the computation.
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
    let mut watched = Pty::program(&["caffeine", "--role", "none", "--seed", "7"]);
    watched.begin();
    watched.wait_for("Next move");
    for (keys, wanted) in [
        ("\r", "The end"),
        ("m", "Exact mean"),
        // The screen below the page is visible again.
        ("\x1b", "Payoff"),
        ("e", "Breakdown"),
    ] {
        watched.type_in(keys);
        watched.wait_for(wanted);
    }
}

#[test]
fn a_simulation_shows_its_progress_until_it_is_stopped() {
    let mut pty = Pty::program(&["simulate", "parity", "-n", "1e12", "--seed", "7"]);
    pty.wait_for("of 1,000,000,000,000 debates");
    pty.wait_for("a second");
    pty.type_in("\x03");
    assert_eq!(pty.exit_code(), 130);
    let text = pty.screen(vt100::Screen::contents);
    assert!(text.contains("Alice received on average"), "{text}");
    assert!(text.contains("Interrupted"), "{text}");
    // The progress bar is gone without leftover text.
    assert!(!text.contains("of 1,000,000,000,000"), "{text}");
    let mut quiet = Pty::program(&["simulate", "parity", "-n", "2000", "--seed", "7", "-q"]);
    assert_eq!(quiet.exit_code(), 0);
    let bytes = quiet.bytes();
    assert!(!String::from_utf8_lossy(&bytes).contains("] "), "a bar");
}
