//! Waits for a state of another program, independent of the speed and load of the machine.

use std::thread;
use std::time::{Duration, Instant};

/// The time after which a test fails if a state is not reached. It has no other effect.
pub const PATIENCE: Duration = Duration::from_secs(180);
/// The polling interval for a state without a notification.
const LOOK: Duration = Duration::from_millis(5);

/// Polls until `look` returns a value, and returns it.
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
