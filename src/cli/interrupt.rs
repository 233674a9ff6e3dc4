//! Ctrl-C while something is computed of which nothing is kept on the way.

use std::io::{self, Write as _};
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::Failure;

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
