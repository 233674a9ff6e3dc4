//! What a key costs in the terminal: bytes as many as changed, and many keys at once few frames.

use std::thread;
use std::time::Duration;

use crate::pty::Pty;

/// Bob is asked for an estimate, and has set it to 50 %.
fn at_a_slider() -> (Pty, usize) {
    let mut pty = Pty::program(&["primes", "--role", "estimator", "--seed", "7"]);
    pty.wait_for("What comes next");
    settle(&pty);
    let frame = pty.bytes().len();
    pty.type_in("\r");
    pty.wait_for("not set");
    pty.type_in("50");
    pty.wait_for("50_ %");
    settle(&pty);
    (pty, frame)
}

/// Waits until nothing more is written, and says how much was written in all.
pub fn settle(pty: &Pty) -> usize {
    let mut before = 0;
    loop {
        thread::sleep(Duration::from_millis(150));
        let now = pty.bytes().len();
        if now == before {
            return now;
        }
        before = now;
    }
}

#[test]
fn a_key_writes_what_it_changed() {
    let (mut pty, frame) = at_a_slider();
    assert!(frame > 2000, "{frame} bytes are no frame");
    let before = settle(&pty);
    pty.type_in("k");
    pty.wait_for("51 %");
    let written = settle(&pty) - before;
    assert!(0 < written && written < frame / 10, "{written} of {frame}");
    // A key that changes nothing writes hardly anything.
    let before = settle(&pty);
    pty.type_in("Z");
    let written = settle(&pty) - before;
    assert!(written < frame / 50, "{written} of {frame}");
}

#[test]
fn a_thousand_held_keys_are_few_frames() {
    let (mut pty, frame) = at_a_slider();
    let before = settle(&pty);
    pty.type_in(&"j".repeat(1000));
    pty.wait_for(" 0 %");
    let written = settle(&pty) - before;
    // Drawn one by one they would write some hundred bytes each.
    assert!(written < 3 * frame, "{written} of {frame}");
    let shown = pty.screen(vt100::Screen::contents);
    assert!(
        shown.contains(" 0 %") && !shown.contains(" 50 %"),
        "{shown}"
    );
    // Every key counted: as many up end at the other end, and one down is one less.
    pty.type_in(&"k".repeat(1000));
    pty.type_in("jjjj");
    pty.wait_for(" 96 %");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
}

#[test]
fn held_keys_in_lists_end_where_they_should() {
    let mut pty = Pty::program(&[]);
    pty.wait_for("What it is");
    let frame = settle(&pty);
    pty.type_in(&"j".repeat(1000));
    let written = settle(&pty) - frame;
    assert!(written < 10 * frame, "{written} of {frame}");
    let end = pty.screen(vt100::Screen::contents);
    pty.type_in("G");
    settle(&pty);
    assert_eq!(pty.screen(vt100::Screen::contents), end);
}
