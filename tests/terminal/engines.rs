//! Engines in the seats, on the screen.

use std::fs;
use std::path::Path;

use crate::support::engines::command;
#[cfg(target_os = "linux")]
use crate::support::patience::wait_until;
use crate::support::pty::Pty;

/// A debate against an engine of `tests/engines`; `None` without Python.
fn against(engine: &str) -> Option<Pty> {
    let engine = format!("engine:{}", command("faulty.py", engine)?);
    let mut pty = Pty::program(&[
        "primes",
        "--role",
        "prover",
        "--seed",
        "7",
        "--opponent",
        &engine,
    ]);
    pty.begin();
    pty.wait_for("Is this true");
    pty.type_in("y");
    pty.type_in("\r");
    pty.wait_for("Next move");
    pty.type_in("\r");
    Some(pty)
}

/// The only save.
fn save(pty: &Pty) -> String {
    let mut saves = pty.saves();
    saves.retain(|path| path.extension().is_some_and(|kind| kind == "ron"));
    assert_eq!(saves.len(), 1, "{saves:?}");
    fs::read_to_string(&saves[0]).unwrap()
}

#[test]
fn a_failing_engine_is_reported_and_forfeits() {
    let Some(mut pty) = against("bug") else {
        return;
    };
    pty.wait_for("forfeits the");
    // The debate does not continue.
    pty.type_in("\r");
    pty.wait_for("forfeits the");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
    let save = save(&pty);
    assert!(
        save.contains("end: Forfeit(seat: Opponent, fault: \"bug\")"),
        "{save}"
    );
}

#[test]
fn engine_info_is_shown_and_the_user_need_not_wait() {
    let Some(mut pty) = against("stall") else {
        return;
    };
    pty.wait_for("still at it");
    pty.type_in("\x1b");
    pty.wait_for("was interrupted");
    pty.type_in("\x03");
    assert_eq!(pty.exit_code(), 130);
    pty.assert_restored();
    // The debate can be resumed: no seat has lost.
    assert!(!save(&pty).contains("end:"));
}

#[cfg(target_os = "linux")]
#[test]
fn an_engine_ends_with_the_screen() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("child.pid");
    let Some(mut pty) = against(&format!("child {}", file.display())) else {
        return;
    };
    pty.wait_for("is thinking");
    let child = fs::read_to_string(&file).unwrap();
    pty.type_in("\x03");
    assert_eq!(pty.exit_code(), 130);
    let stat = Path::new("/proc").join(child).join("stat");
    wait_until("the end of the child", || {
        // A process that has ended is `Z` until its parent asks for the exit code.
        let state = fs::read_to_string(&stat).unwrap_or_default();
        (state.is_empty() || state.contains(") Z ")).then_some(())
    });
}
