//! The daily debate on the screen.

use crate::support::program::{path, run_here};
use crate::support::pty::Pty;

#[test]
fn a_daily_debate_is_continued_and_ends_with_a_line_to_share() {
    let folder = tempfile::tempdir().unwrap();
    let daily = [
        "daily",
        "--date",
        "2026-01-07",
        "--saves",
        path(folder.path()),
    ];
    let mut pty = Pty::program(&daily);
    pty.begin();
    pty.wait_for("Next move");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    // The debate was left before the first reply, and continues.
    let mut pty = Pty::program(&daily);
    pty.begin();
    pty.wait_for("Next move");
    pty.type_until("50\r", "The end");
    pty.wait_for("Mistake ");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
    pty.assert_told_after_leaving("debate-tui daily 2026-01-07: gap ");
    let share = run_here(folder.path(), &[&daily[..], &["--share"]].concat(), "");
    assert_eq!(share.code, Some(0), "{share:?}");
    assert!(!share.out.contains("practice"), "{share:?}");
}

/// The end of a daily debate as a player sees it: what happened, the three figures, and the line to share.
#[test]
fn the_end_of_a_daily_debate_at_three_sizes() {
    for (columns, rows) in [(80, 24), (120, 36), (200, 60)] {
        let folder = tempfile::tempdir().unwrap();
        let saves = path(folder.path());
        let daily = ["daily", "--date", "2026-01-07", "--saves", saves];
        let mut pty = Pty::program_at(&daily, (columns, rows), &[]);
        pty.begin();
        pty.wait_for("Next move");
        pty.type_until("50\r", "The end");
        pty.wait_for("Mistake ");
        pty.settle();
        let name = format!("daily-end-{columns}x{rows}");
        insta::assert_snapshot!(name, pty.screen(vt100::Screen::contents));
        pty.type_in("q");
        assert_eq!(pty.exit_code(), 0);
    }
}

#[test]
fn a_hint_on_the_screen_makes_the_daily_debate_practice() {
    let folder = tempfile::tempdir().unwrap();
    let daily = [
        "daily",
        "--date",
        "2026-01-07",
        "--saves",
        path(folder.path()),
    ];
    let mut pty = Pty::program_at(&daily, (120, 36), &[]);
    pty.begin();
    pty.wait_for("Next move");
    pty.type_in("\r");
    pty.wait_for("100   ?");
    // The first key warns.
    pty.type_in("h");
    pty.wait_for("into practice");
    pty.type_in("h");
    pty.wait_for("Hint:");
    pty.type_until("50\r", "The end");
    pty.wait_for("This was practice: a hint");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
}
