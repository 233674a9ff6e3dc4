//! Waits for a state of another program, however slow or busy the machine is.

use std::thread;
use std::time::{Duration, Instant};

/// The time after which a test gives up on a state that does not come. It decides nothing else.
pub const PATIENCE: Duration = Duration::from_secs(180);
/// The time between two looks at a state that nothing announces.
const LOOK: Duration = Duration::from_millis(5);

/// Looks again and again until there is something to find, and returns it.
#[track_caller]
pub fn wait_until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "{what} did not come");
        thread::sleep(LOOK);
    }
}
