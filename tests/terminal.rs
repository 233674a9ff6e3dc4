//! The program in a real terminal: the terminal is always restored, and no input is lost.
//!
//! Each test of this file starts this test binary again inside a pseudo-terminal, as the small program in
//! `support/probe.rs`. The test then reads the bytes that the program writes.

mod background;
#[cfg(feature = "web")]
mod browser;
mod completion;
#[cfg(feature = "web")]
mod cuts;
mod daily;
mod debates;
mod engines;
mod home;
mod program;
mod quick;
mod rejudge;
mod remote;
mod scripts;
mod seats;
mod settings;
mod ssh;
mod study;
#[cfg(feature = "web")]
mod study_browser;
#[cfg(feature = "web")]
mod study_pilot;
mod thinking;
mod together;
mod tutorial;
mod waiting;

use crate::support::probe;
use crate::support::pty::{self, Pty};
use rustix::process::Signal;

/// Runs as the probe if the test asks for it.
#[test]
fn probe() {
    probe::run_if_asked();
}

#[test]
fn quitting_restores_the_terminal() {
    let mut pty = Pty::probe();
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
}

#[test]
fn an_error_restores_the_terminal() {
    let mut pty = Pty::probe();
    pty.type_in("e");
    assert_eq!(pty.exit_code(), 101);
    pty.assert_restored();
    pty.assert_told_after_leaving("the probe failed");
}

#[test]
fn a_panic_restores_the_terminal_before_its_message() {
    for key in ["p", "t"] {
        let mut pty = Pty::probe();
        pty.type_in(key);
        assert_eq!(pty.exit_code(), 101, "{key}");
        pty.assert_restored();
        pty.assert_told_after_leaving("the probe panicked");
    }
}

#[test]
fn signals_restore_and_end() {
    for (signal, code) in [
        (Signal::TERM, 143),
        (Signal::HUP, 129),
        (Signal::INT, 130),
        (Signal::QUIT, 131),
        (Signal::TRAP, 133),
        (Signal::ABORT, 134),
        (Signal::BUS, 135),
        (Signal::USR1, 128 + Signal::USR1.as_raw().unsigned_abs()),
        (Signal::USR2, 128 + Signal::USR2.as_raw().unsigned_abs()),
        (Signal::ALARM, 142),
        (Signal::XCPU, 152),
        (Signal::VTALARM, 154),
        (Signal::PROF, 155),
        (Signal::SYS, 128 + Signal::SYS.as_raw().unsigned_abs()),
    ] {
        let mut pty = Pty::probe();
        pty.signal(signal);
        assert_eq!(pty.exit_code(), code);
        pty.assert_restored();
    }
}

/// The write that raises the signal fails, and the program shows the error.
#[test]
fn the_signal_of_a_file_limit_does_not_end_the_program() {
    let mut pty = Pty::probe();
    pty.signal(Signal::XFSZ);
    pty.signal(Signal::TERM);
    assert_eq!(pty.exit_code(), 143);
    pty.assert_restored();
}

#[test]
fn a_signal_is_answered_while_the_loop_is_stuck() {
    let mut pty = Pty::probe();
    pty.type_in("b");
    pty.wait_for("stuck=true");
    pty.signal(Signal::TERM);
    assert_eq!(pty.exit_code(), 143);
    pty.assert_restored();
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_is_answered_while_the_terminal_takes_no_bytes() {
    assert_eq!(pty::terminate_while_unread(), 143);
}

#[test]
fn a_terminal_that_is_closed_ends_the_program() {
    pty::hang_up();
}

#[test]
fn ctrl_z_suspends_the_program_and_restores_the_screen() {
    let mut pty = Pty::probe_under_shell();
    pty.type_in("jjj");
    pty.wait_for("keys=3");
    pty.type_in("\x1a");
    pty.wait_for("shell-has-it");
    pty.assert_restored();
    pty.type_in("\r");
    pty.wait_for("keys=4");
    assert!(pty.screen(|screen| {
        screen.alternate_screen() && screen.bracketed_paste() && screen.hide_cursor()
    }));
    pty.type_in("q");
    pty.wait_for("shell-is-done");
    pty.assert_restored();
}

#[test]
fn a_stop_signal_suspends_the_program_and_restores_the_screen() {
    for stop in [Signal::TSTP, Signal::STOP] {
        let mut pty = Pty::probe_under_shell();
        pty.signal_probe(stop);
        pty.wait_for("shell-has-it");
        // The program was stopped before it could leave raw mode, so the terminal accepts only this line end.
        pty.type_in("\n");
        pty.wait_for("frames=2");
        pty.type_in("jj");
        pty.wait_for("keys=2");
        pty.type_in("q");
        pty.wait_for("shell-is-done");
        pty.assert_restored();
    }
}

#[test]
fn ctrl_z_without_a_shell_does_not_strand_the_program() {
    let mut pty = Pty::probe();
    pty.type_in("\x1aj");
    pty.wait_for("keys=2");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn an_idle_screen_makes_no_wake_ups() {
    // It becomes idle only if every thread waits for an event, without a time limit.
    Pty::probe().settle();
}

#[test]
fn a_resize_is_seen_without_a_key() {
    let pty = Pty::probe();
    pty.resize(100, 30);
    pty.wait_for("size=100x30");
}

#[test]
fn a_stray_end_of_paste_does_not_stop_resizes_or_keys() {
    let mut pty = Pty::probe();
    pty.type_in("\x1b[201~");
    pty.settle();
    pty.resize(90, 20);
    pty.wait_for("size=90x20");
    pty.type_in("j");
    pty.wait_for("keys=1");
}

/// All keys arrive while the probe is held, so it reads them at once.
#[cfg(target_os = "linux")]
#[test]
fn keys_that_arrive_during_a_frame_are_drawn_in_one_frame() {
    let mut pty = Pty::probe();
    pty.type_in("w");
    pty.wait_for("held=true");
    pty.type_in(&"j".repeat(5000));
    pty.wait_until_read();
    let frames = pty.number_after("frames=");
    pty.release_probe();
    pty.wait_for("keys=5001");
    assert_eq!(pty.number_after("frames="), frames + 1);
}

#[test]
fn an_unterminated_paste_does_not_swallow_later_keys() {
    let mut pty = Pty::probe();
    pty.type_in("\x1b[200~abc");
    pty.wait_for("pasted=3");
    pty.type_in("jj");
    pty.wait_for("keys=2");
}

#[test]
fn slow_keys_are_not_part_of_an_unterminated_paste() {
    let mut pty = Pty::probe();
    pty.type_in("\x1b[200~abc");
    pty.type_until("j", "keys=1");
}

#[test]
fn a_huge_window_is_drawn_in_part() {
    let mut pty = Pty::probe();
    pty.claim_size(u16::MAX, u16::MAX);
    pty.wait_for("size=1000x400 .");
    pty.claim_size(80, u16::MAX);
    pty.wait_for("size=80x400 .");
    pty.claim_size(80, 24);
    pty.wait_for("size=80x24 .");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
}

#[test]
fn a_paste_is_not_typing() {
    let mut pty = Pty::probe();
    pty.type_in("\x1b[200~qqq\x1b[201~");
    pty.wait_for("pasted=3");
    pty.type_in("j");
    pty.wait_for("keys=1");
}

#[test]
fn modifiers_survive_no_color() {
    let pty = Pty::probe_with(&[("NO_COLOR", "1")]);
    pty.wait_for("selected");
    let bytes = pty.bytes();
    assert!(!bytes.windows(4).any(|window| window == b"\x1b[;m"));
    let selected = pty.screen(|screen| {
        let cell = screen.cell(1, 0).unwrap();
        cell.inverse() && cell.bold() && cell.fgcolor() == vt100::Color::Default
    });
    assert!(selected, "{}", String::from_utf8_lossy(&bytes));
}
