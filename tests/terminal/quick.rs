//! The cost of a key in the terminal: the program writes only changed bytes, and many keys at once give one frame.

use crate::support::pty::Pty;
#[cfg(target_os = "linux")]
use crate::support::remote::Remote;

/// A debate in which Bob is asked for an estimate and has set it to 50 %, and the bytes of its first frame.
fn at_a_slider() -> (Pty, usize) {
    let mut pty = Pty::program(&["primes", "--role", "estimator", "--seed", "7"]);
    pty.begin();
    pty.wait_for("Next move");
    pty.settle();
    let frame = pty.bytes().len();
    pty.type_in("\r");
    pty.wait_for("100   ?");
    pty.type_in("50");
    pty.wait_for("50_ %");
    pty.settle();
    (pty, frame)
}

#[test]
fn a_key_redraws_only_changed_cells() {
    let (mut pty, frame) = at_a_slider();
    assert!(frame > 2000, "{frame} bytes are no frame");
    let before = pty.settle();
    pty.type_in("k");
    pty.wait_for("51 %");
    let written = pty.settle() - before;
    assert!(0 < written && written < frame / 10, "{written} of {frame}");
    // A key without an effect writes almost no bytes.
    let before = pty.settle();
    pty.type_in("Z");
    let written = pty.settle() - before;
    assert!(written < frame / 50, "{written} of {frame}");
}

#[test]
fn every_one_of_a_thousand_keys_counts() {
    let (mut pty, _) = at_a_slider();
    pty.type_in(&"j".repeat(1000));
    pty.settle();
    let shown = pty.screen(vt100::Screen::contents);
    assert!(
        shown.contains(" 0 %") && !shown.contains(" 50 %"),
        "{shown}"
    );
    // The same number of keys up reaches the other end, and each key down is one percent less.
    pty.type_in(&"k".repeat(1000));
    pty.type_in("jjjj");
    pty.wait_for(" 96 %");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_thousand_keys_during_a_frame_are_drawn_in_one_frame() {
    let arguments = ["primes", "--role", "estimator", "--seed", "7"];
    let mut remote = Remote::start(&arguments, (200, 60));
    remote.begin();
    remote.wait_for("Next move");
    remote.key("enter");
    remote.wait_for("100   ?");
    remote.type_in("50");
    remote.wait_for("50_ %");
    let before = remote.changes;
    remote.type_during_a_frame(&"j".repeat(1000));
    remote.wait_for(" 0 %");
    assert_eq!(remote.changes, before + 1);
}

#[test]
fn held_keys_in_lists_end_at_the_right_entry() {
    let mut jumped = Pty::program(&[]);
    jumped.wait_for("Preview");
    jumped.type_in("G");
    jumped.wait_for("Is 4331 prime?");
    jumped.settle();
    let end = jumped.screen(vt100::Screen::contents);
    let mut held = Pty::program(&[]);
    held.wait_for("Preview");
    held.type_in(&"j".repeat(1000));
    held.wait_until_shown(&end);
}

#[cfg(target_os = "linux")]
#[test]
fn many_saves_load_while_home_is_shown() {
    let folder = tempfile::TempDir::new().unwrap();
    let save = concat!(env!("CARGO_MANIFEST_DIR"), "/saves/primes-estimator.ron");
    for number in 0..2000 {
        let name = format!("20260101-000000-primes-{number}.ron");
        std::fs::copy(save, folder.path().join(name)).unwrap();
    }
    let mut pty = Pty::program(&["--saves", folder.path().to_str().unwrap()]);
    pty.wait_for("Preview");
    // They are at the end of the list; the search finds them by the name of their section.
    pty.type_in("/finished");
    pty.wait_for("Finished debates");
    // All saves are read, and then the program sleeps.
    pty.settle();
    pty.type_in("\r");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
}
