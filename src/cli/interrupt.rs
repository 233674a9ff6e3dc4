//! Ctrl-C while something is computed of which nothing is kept on the way, and while engines run.

use std::io::{self, Write as _};

use signal_hook::consts::{SIGINT, SIGTERM};

use super::Failure;

/// From now on a signal that ends the program ends the engines that it started as well.
pub(super) fn ends_engines() -> Result<(), Failure> {
    #[cfg(unix)]
    let signals = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
    #[cfg(not(unix))]
    let signals = [SIGINT, SIGTERM];
    on_signal(&signals, debate_lab::engine::end_all)
}

/// From now on the first Ctrl-C or SIGTERM ends the program at once, with 130 or 143, even in the
/// middle of a long move: what is computed is printed at the end alone, so nothing is lost.
/// `progress`: whether a line on stderr says how far it is, which is then wiped.
pub(super) fn ends_at_once(progress: bool) -> Result<(), Failure> {
    on_signal(&[SIGINT, SIGTERM], move || {
        if progress {
            // Where stderr is closed there is nobody to tell.
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    })
}

/// The first of these signals runs `before_end`, in a thread of its own, and ends the program.
#[cfg(unix)]
fn on_signal(signals: &[i32], before_end: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
    let mut signals = signal_hook::iterator::Signals::new(signals)?;
    let watcher = std::thread::Builder::new().name("signals".to_owned());
    watcher.spawn(move || {
        if let Some(signal) = signals.forever().next() {
            before_end();
            signal_hook::low_level::exit(128 + signal);
        }
    })?;
    Ok(())
}

/// The first of these signals ends the program. `before_end` is not run: signals cannot be waited for in a thread
/// here. Engines lose their input with the program, and a console sends Ctrl-C to them as well.
#[cfg(not(unix))]
fn on_signal(signals: &[i32], _: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
    let always = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    for &signal in signals {
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, always.clone())?;
    }
    Ok(())
}
