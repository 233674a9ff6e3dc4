//! The thread that handles signals, which does not depend on the state of the main loop.

use std::sync::Mutex;
use std::{io, thread};

use ratatui::crossterm::terminal::disable_raw_mode;
use rustix::process::{Signal, getpid, getppid, getsid, kill_current_process_group};
use signal_hook::consts::{
    SIGABRT, SIGALRM, SIGBUS, SIGCONT, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP,
    SIGTSTP, SIGUSR1, SIGUSR2, SIGVTALRM, SIGWINCH, SIGXCPU, SIGXFSZ,
};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::{
    NOTIFY, Phase, RESTORE_LIMIT, STATE, SignalNotice, end_at_once, lock, restore, with_time_limit,
};

/// Catchable signals that end a program by default. KILL cannot be caught. Signals for a fault of the program itself
/// (SEGV, ILL, FPE) are excluded, because the fault recurs at once. PIPE is ignored from the start, XFSZ makes a write
/// fail, and STKFLT and real-time signals are not sent unrequested.
const DEADLY: [i32; 14] = [
    SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGABRT, SIGALRM, SIGVTALRM, SIGPROF,
    SIGXCPU, SIGTRAP, SIGSYS, SIGBUS,
];
/// Signals that end a program on Linux, and are harmless or unknown elsewhere.
#[cfg(target_os = "linux")]
const DEADLY_HERE: &[i32] = &[signal_hook::consts::SIGIO, Signal::POWER.as_raw()];
#[cfg(not(target_os = "linux"))]
const DEADLY_HERE: &[i32] = &[];

/// Starts the thread that handles signals, once per process. A signal handler cannot be removed, so the thread also
/// gives signals their usual effect after the screen is closed.
pub fn start_signal_thread() -> io::Result<()> {
    static STARTED: Mutex<bool> = Mutex::new(false);
    let mut started = lock(&STARTED);
    if !*started {
        let others = [SIGTSTP, SIGCONT, SIGWINCH, SIGXFSZ];
        let mut signals = Signals::new(DEADLY.iter().chain(DEADLY_HERE).chain(&others))?;
        thread::Builder::new()
            .name("signals".into())
            .spawn(move || signals.forever().for_each(handle_signal))?;
        *started = true;
    }
    Ok(())
}

fn handle_signal(signal: i32) {
    match signal {
        SIGWINCH => notify_loop(SignalNotice::Resized),
        // The write that reached the limit of a file reports an error.
        SIGXFSZ => {}
        // Both wait for the frame being written, which on a stuck terminal never ends.
        SIGTSTP => with_time_limit(RESTORE_LIMIT, suspend),
        SIGCONT => with_time_limit(RESTORE_LIMIT, resume),
        _ => {
            // The lock may be held by a write that never ends, which only happens while a screen is open.
            let closed = STATE
                .try_lock()
                .is_ok_and(|state| state.phase == Phase::Closed);
            if closed {
                let _ = emulate_default_handler(signal);
            }
            // A slow disk with the log must not delay the restoration of the terminal.
            with_time_limit(RESTORE_LIMIT, move || {
                tracing::info!(signal, "ended by a signal");
            });
            restore();
            end_at_once(crate::exit::exit_code_of_signal(signal));
        }
    }
}

fn notify_loop(notice: SignalNotice) {
    if let Some(notify) = &*lock(&NOTIFY) {
        notify(notice);
    }
}

pub fn suspend() {
    let mut state = lock(&STATE);
    if state.phase == Phase::Closed {
        drop(state);
        let _ = emulate_default_handler(SIGTSTP);
    } else if shell_can_continue_program() {
        // The lock is released before the stop, but the screen stays marked as suspended until
        // SIGCONT arrives: the stop may take effect a moment after the call has returned.
        state.leave(Phase::Suspended);
        drop(state);
        let _ = kill_current_process_group(Signal::STOP);
    }
}

fn resume() {
    let mut state = lock(&STATE);
    match state.phase {
        Phase::Closed => return,
        Phase::Suspended => {}
        // Stopped by SIGSTOP from another process: since then the shell has restored its own modes, but crossterm still
        // remembers the modes before ours.
        Phase::Open => {
            let _ = disable_raw_mode();
        }
    }
    let _ = state.enter();
    drop(state);
    notify_loop(SignalNotice::Resumed);
}

/// True if a shell could continue the suspended program: a parent process in the same session counts as a shell with
/// job control. A program started directly by a terminal window has no such parent, and would stay stopped forever.
fn shell_can_continue_program() -> bool {
    let Some(parent) = getppid() else {
        return false;
    };
    let session = getsid(None);
    session.is_ok_and(|session| session != getpid() && getsid(Some(parent)) == Ok(session))
}
