//! Computations on a separate thread while a screen remains usable.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::tui::input::MainLoopWaker;
use debate_core::budget::ComputationBudget;
use debate_core::text::count_with_noun;
use debate_solver::analysis::review::ReviewError;
use debate_solver::expectation::PayoffNotComputedReason;
use debate_text::with_thousands_separators;

/// The time between two reports of a computation's progress.
const PROGRESS: Duration = Duration::from_millis(250);

/// The state of a computation that runs on a separate thread.
#[derive(Debug)]
pub enum BackgroundTaskState<T> {
    /// Not requested.
    Idle,
    /// Running.
    Running(RunningBackgroundTask<T>),
    /// The computation has finished, with a result or an error.
    Done(Result<T, ReviewError>),
}

/// A running computation. Dropping this value signals its thread to stop.
#[derive(Debug)]
pub struct RunningBackgroundTask<T> {
    found: Receiver<Result<T, ReviewError>>,
    cancel: Arc<AtomicBool>,
    done: Arc<AtomicU64>,
}

impl<T> Drop for RunningBackgroundTask<T> {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
    }
}

/// The stop flag and the progress counter of a background computation.
pub struct CancellationAndProgress {
    pub cancel: Arc<AtomicBool>,
    done: Arc<AtomicU64>,
}

impl CancellationAndProgress {
    /// Sets the progress counter: the number of finished parts of the computation.
    pub fn report_progress(&self, finished_parts: u64) {
        self.done.store(finished_parts, Ordering::Relaxed);
    }

    /// Returns the budget of a search, which counts the examined positions as progress.
    pub fn cancellable_search_budget(&self) -> ComputationBudget<'_> {
        ComputationBudget {
            stop: Some(&self.cancel),
            progress: Some(&self.done),
            ..ComputationBudget::default()
        }
    }
}

impl<T: Send + 'static> BackgroundTaskState<T> {
    /// Starts a computation on another thread. At its end, the thread wakes the screen's main loop. If no thread can be
    /// started, the state is `Done` with an error.
    pub fn start(
        waker: &MainLoopWaker,
        work: impl FnOnce(&CancellationAndProgress) -> Result<T, ReviewError> + Send + 'static,
    ) -> Self {
        let (sender, found) = channel();
        let cancel = Arc::new(AtomicBool::new(false));
        let done = Arc::new(AtomicU64::new(0));
        let signals = CancellationAndProgress {
            cancel: Arc::clone(&cancel),
            done: Arc::clone(&done),
        };
        let waker = waker.clone();
        let analyst = std::thread::Builder::new().name("analysis".to_owned());
        let spawned = analyst.spawn(move || {
            // The receiver is gone if the screen was left.
            let _ = sender.send(work(&signals));
            waker.wake();
        });
        match spawned {
            Ok(_) => Self::Running(RunningBackgroundTask {
                found,
                cancel,
                done,
            }),
            Err(_) => Self::Done(Err(ReviewError::NoThread)),
        }
    }

    /// Checks for the computation's result without waiting. Returns true if the result has just arrived.
    pub fn poll(&mut self) -> bool {
        self.wait_for_result(Duration::ZERO)
    }

    /// Waits for the computation's result for at most `at_most`. Returns true if the result has just arrived.
    pub fn wait_for_result(&mut self, at_most: Duration) -> bool {
        let Self::Running(job) = self else {
            return false;
        };
        let result = match job.found.recv_timeout(at_most) {
            Ok(result) => result,
            Err(RecvTimeoutError::Timeout) => return false,
            Err(RecvTimeoutError::Disconnected) => Err(ReviewError::NoThread),
        };
        *self = Self::Done(result);
        true
    }

    /// Cancels a running computation.
    pub fn cancel(&mut self) {
        if self.is_running() {
            *self = Self::Done(Err(PayoffNotComputedReason::STOPPED.into()));
        }
    }

    pub fn is_running(&self) -> bool {
        matches!(self, Self::Running(_))
    }

    /// Returns the number of parts that the running computation has finished; 0 if none is running.
    pub fn finished_parts(&self) -> u64 {
        match self {
            Self::Running(job) => job.done.load(Ordering::Relaxed),
            _ => 0,
        }
    }
}

/// Returns the time of the next progress report.
pub fn next_progress_report(now: Instant) -> Instant {
    now + PROGRESS
}

/// Returns a progress text with the number of positions that a search has examined. It is "starting" if the number is
/// 0.
pub fn progress_text(positions: u64) -> String {
    match positions {
        0 => "starting".to_owned(),
        some => format!(
            "trying every way to continue: {position_count} so far",
            position_count =
                count_with_noun(with_thousands_separators(some), "position", "positions")
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_task_ends_with_a_result_a_cancellation_or_an_error() {
        let mut task = BackgroundTaskState::start(&MainLoopWaker::default(), |signals| {
            signals.report_progress(3);
            Ok(7)
        });
        let start = Instant::now();
        while !task.poll() {
            assert!(start.elapsed() < Duration::from_secs(120));
            thread::sleep(Duration::from_millis(1));
        }
        assert!(matches!(task, BackgroundTaskState::Done(Ok(7))) && !task.poll());
        let (sender, receiver) = channel();
        let mut endless =
            BackgroundTaskState::<()>::start(&MainLoopWaker::default(), move |signals| {
                while !signals.cancel.load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(1));
                }
                let _ = sender.send(());
                Err(PayoffNotComputedReason::STOPPED.into())
            });
        assert!(endless.is_running());
        endless.cancel();
        assert!(receiver.recv_timeout(Duration::from_secs(20)).is_ok());
        assert!(matches!(endless, BackgroundTaskState::Done(Err(_))));
    }
}
