//! Ctrl-C while something is computed of which nothing is kept on the way, and while engines run.

use std::io::{self, Write as _};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::Failure;

/// From now on a signal that ends the program ends the engines that it started as well.
pub(super) fn ends_engines() -> Result<(), Failure> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let watcher = thread::Builder::new().name("signals".to_owned());
    watcher.spawn(move || {
        if let Some(signal) = signals.forever().next() {
            debate_lab::engine::end_all();
            signal_hook::low_level::exit(128 + signal);
        }
    })?;
    Ok(())
}

/// From now on the first Ctrl-C or SIGTERM ends the program at once, with 130 or 143, even in the
/// middle of a long move: what is computed is printed at the end alone, so nothing is lost.
/// `progress`: whether a line on stderr says how far it is, which is then wiped.
pub(super) fn ends_at_once(progress: bool) -> Result<(), Failure> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let watcher = thread::Builder::new().name("signals".to_owned());
    watcher.spawn(move || {
        if let Some(signal) = signals.forever().next() {
            if progress {
                // Where stderr is closed there is nobody to tell.
                let _ = write!(io::stderr(), "\r\u{1b}[K");
            }
            signal_hook::low_level::exit(128 + signal);
        }
    })?;
    Ok(())
}
