//! Periodic saves of the time for which the current page has been shown, so that it survives a kill of the program.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::RunningStudySession;
use crate::error::Result;
use crate::folder::log::StudySessionStatus;
use crate::folder::{LiveOrSimulated, StudyFolder};
use crate::session::clock::SessionClock;

/// The interval between two saves of the shown time. If the program is killed, at most this much of the time is lost.
pub const PAGE_TIME_SAVE_INTERVAL: Duration = Duration::from_secs(2);

/// The name of the thread that saves the time. The thread does not affect the screen.
const THREAD: &str = "shown-time";

/// A thread that saves the time of a session's page until this value is dropped.
pub struct PageTimeSaver {
    /// Dropped to end the thread.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl RunningStudySession<'_> {
    /// Saves the clock's time if the session is in progress. If the session is over or paused, deletes the saved time.
    ///
    /// # Errors
    /// If the file of the time cannot be written or deleted.
    pub fn save_or_delete_session_clock(&self, clock: &SessionClock) -> Result {
        let participant = self.participant();
        let folder = &participant.study().folder;
        if participant.status() != StudySessionStatus::Started || participant.has_paused_session() {
            return folder.delete_stored_session_clock(self.session_name());
        }
        keep(folder, self.session_name(), clock)
    }

    /// Starts a thread that saves the time every two seconds while the caller waits for the participant's input.
    pub fn start_page_time_saver(&self, clock: &SessionClock) -> PageTimeSaver {
        let folder = self.participant().study().folder.clone();
        let session = self.session_name().to_owned();
        let clock = clock.clone();
        let (stop, stopped) = mpsc::channel::<()>();
        let keeps = move || {
            while stopped.recv_timeout(PAGE_TIME_SAVE_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if let Err(error) = keep(&folder, &session, &clock) {
                    tracing::warn!(%error, "cannot save the time for which a page was shown");
                }
            }
        };
        let thread = thread::Builder::new().name(THREAD.to_owned()).spawn(keeps);
        let thread = thread.inspect_err(|error| {
            tracing::warn!(%error, "cannot save the time for which a page was shown");
        });
        PageTimeSaver {
            stop: Some(stop),
            thread: thread.ok(),
        }
    }
}

fn keep(folder: &StudyFolder, session: &str, clock: &SessionClock) -> Result {
    // If the participant's data were deleted, no file about them may be written again.
    if !folder.log_file(LiveOrSimulated::Live, session).exists() {
        return folder.delete_stored_session_clock(session);
    }
    folder.store_session_clock(session, clock.current_times().mono_ms)
}

impl PageTimeSaver {
    /// Ends the thread. Then saves or deletes the session's time, according to the session's state.
    pub fn stop_and_save_page_time(self, session: &RunningStudySession<'_>, clock: &SessionClock) {
        drop(self);
        if let Err(error) = session.save_or_delete_session_clock(clock) {
            tracing::warn!(%error, "cannot save the time for which a page was shown");
        }
    }
}

impl Drop for PageTimeSaver {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread loses only the time of one page.
            let _ = thread.join();
        }
    }
}
