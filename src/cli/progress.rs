//! Shows the progress of a long computation on stderr, and handles the signals that end the computation and the
//! engines.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use ratatui::crossterm::terminal;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::errors::print_remark;
use super::output::{is_output_captured, is_terminal};
use super::{CommandFailure, Result};
use crate::exit;
use debate_core::budget::ComputationBudget;
use debate_core::text::{nearest_whole_seconds, short_duration_text};
use debate_text::with_thousands_separators;

/// The interval between polls for signals. The progress bar is redrawn after several polls.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
const POLLS_PER_DRAW: u32 = 10;

/// The width of the bar.
const WIDTH: u64 = 24;
/// Columns that a progress line leaves free: for the ^C that a terminal shows, and the last column.
const FREE: usize = 3;

/// The number of polls between a signal and the end of the program: one second. Until then, the current move may still
/// end and its result be printed.
const GRACE_POLLS: u32 = 50;

/// True if a signal ends the program at once. False while [`with_progress`] runs: a signal then stops the work, whose
/// results so far are kept.
static ENDS_AT_ONCE: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| Arc::new(AtomicBool::new(true)));

/// The last signal that arrived, or 0. The signal handler itself writes it: a signal that arrives just before
/// [`with_progress`] begins can be ignored by the thread of [`on_signal`], and must still end the work.
static LAST_SIGNAL: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);
static IS_COUNTED: AtomicBool = AtomicBool::new(false);

/// True if [`install_exit_signal_handler`] was called.
static IS_WATCHED: AtomicBool = AtomicBool::new(false);

/// True if stderr may show a progress line, which [`report_interruption`] must erase before it prints. Set by
/// [`let_exit_message_replace_progress_line`].
static HAS_LINE: AtomicBool = AtomicBool::new(false);

/// Runs `work` and watches for signals. Returns the result of `work` and the signal that stopped it early, or 0. If
/// `work` does not stop soon after a signal, the program ends.
pub(super) fn with_progress<T: Send>(
    total: u64,
    noun: &'static str,
    shows_bar: bool,
    work: impl FnOnce(ComputationBudget<'_>) -> T + Send,
) -> Result<(T, u8)> {
    // In a captured run, the caller handles the signals of its process.
    let handles_signals = !is_output_captured();
    if handles_signals {
        count_signals()?;
        ENDS_AT_ONCE.store(false, Ordering::SeqCst);
    }
    let received = || {
        if handles_signals {
            LAST_SIGNAL.load(Ordering::SeqCst)
        } else {
            0
        }
    };
    let stop = AtomicBool::new(false);
    let done = AtomicU64::new(0);
    let over = AtomicBool::new(false);
    let bar = ProgressBar {
        total,
        noun,
        begun: Instant::now(),
    };
    let shows_bar = shows_bar && is_terminal(&io::stderr());
    let result = thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let mut late = 0;
            for turn in 0_u32.. {
                if over.load(Ordering::Acquire) {
                    break;
                }
                let signal = received();
                if signal != 0 {
                    stop.store(true, Ordering::Relaxed);
                    late += 1;
                }
                if late > GRACE_POLLS {
                    end_without_result(signal, shows_bar);
                }
                if shows_bar && turn % POLLS_PER_DRAW == POLLS_PER_DRAW - 1 {
                    bar.draw(done.load(Ordering::Relaxed));
                }
                thread::park_timeout(POLL_INTERVAL);
            }
        });
        let result = work(ComputationBudget {
            stop: Some(&stop),
            progress: Some(&done),
            ..ComputationBudget::default()
        });
        over.store(true, Ordering::Release);
        watcher.thread().unpark();
        result
    });
    if shows_bar {
        // If stderr is closed, the line has no reader.
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
    if handles_signals {
        // From here on, a signal ends the program even while it prints.
        ENDS_AT_ONCE.store(true, Ordering::SeqCst);
    }
    let signal = u8::try_from(received()).unwrap_or(0);
    Ok((result, signal))
}

/// Starts to record signals: afterwards [`LAST_SIGNAL`] contains the last signal that arrived.
fn count_signals() -> io::Result<()> {
    if IS_COUNTED.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    for signal in [SIGINT, SIGTERM] {
        let number = usize::try_from(signal).unwrap_or(0);
        flag::register_usize(signal, Arc::clone(&LAST_SIGNAL), number)?;
    }
    Ok(())
}

/// Returns the requested number of threads, or else one thread per core.
pub(super) fn thread_count(requested_threads: Option<u16>) -> usize {
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    requested_threads.map_or_else(cores, usize::from)
}

/// If a signal stopped the work early, prints the part of the work that the result covers, and returns
/// [`CommandFailure::Interrupted`]. Does nothing if `signal` is 0.
pub(super) fn print_covered_part_and_fail_if_interrupted(signal: u8, covered_part: &str) -> Result {
    if signal == 0 {
        return Ok(());
    }
    print_remark(format!(
        "Interrupted. The result covers the {covered_part}."
    ))?;
    Err(CommandFailure::Interrupted(signal))
}

/// Ends the program without a result, because the work of [`with_progress`] did not stop soon after a signal.
fn end_without_result(signal: usize, shows_bar: bool) {
    let wiped = if shows_bar { "\r\x1b[K" } else { "" };
    let text = "Interrupted during a long computation, without a result. Shards that --shard already wrote \
                remain.";
    // If stderr is closed, the message has no reader.
    let _ = writeln!(io::stderr(), "{wiped}{text}");
    signal_hook::low_level::exit(exit::exit_code_of_signal(
        i32::try_from(signal).unwrap_or(0),
    ));
}

struct ProgressBar {
    total: u64,
    /// The noun of the things that the progress bar counts, such as debates or games.
    noun: &'static str,
    begun: Instant,
}

impl ProgressBar {
    fn draw(&self, done: u64) {
        let seconds = self.begun.elapsed().as_secs_f64();
        let columns = terminal::size().map_or(80, |(columns, _)| columns);
        let line = self.line(done, seconds, columns.into());
        let _ = write!(io::stderr(), "\r{line}\x1b[K");
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the displayed number of debates per second need not be exact"
    )]
    fn line(&self, done: u64, seconds: f64, columns: usize) -> String {
        let total = self.total.max(1);
        let rate = done as f64 / seconds.max(1e-3);
        let left = if done == 0 {
            String::new()
        } else {
            let left = (total.saturating_sub(done)) as f64 / rate;
            format!(
                ", {} left",
                short_duration_text(nearest_whole_seconds(left.ceil()))
            )
        };
        let (done_of, rate) = (
            with_thousands_separators(done),
            with_thousands_separators(rate as u64),
        );
        let mut text = format!(
            "{finished} of {total} {counted_noun}, {rate} a second{time_left}",
            finished = done_of,
            total = with_thousands_separators(total),
            counted_noun = self.noun,
            time_left = left
        );
        // A part that wraps into the next line could not be erased.
        let columns = columns.saturating_sub(FREE);
        text.truncate(columns);
        let room = columns.saturating_sub(text.len() + "[] ".len()) as u64;
        let width = room.min(WIDTH);
        if width == 0 {
            return text;
        }
        let full = u128::from(done) * u128::from(width) / u128::from(total);
        let bar: String = (0..u128::from(width))
            .map(|index| if index < full { '#' } else { '.' })
            .collect();
        format!("[{bar}] {text}")
    }
}

/// Installs a handler: a signal that ends the program also ends the engines that it started.
pub(super) fn install_engine_ending_signal_handler() -> Result {
    if is_output_captured() {
        return Ok(());
    }
    on_signal(
        &engine_signals(),
        debate_host::engine::kill_engine_process_groups,
    )
}

/// Returns the signals after which engines are ended. They include a hangup, because engines would outlive the program.
fn engine_signals() -> Vec<i32> {
    #[cfg(unix)]
    let more = Some(signal_hook::consts::SIGHUP);
    #[cfg(not(unix))]
    let more = None;
    [SIGINT, SIGTERM].into_iter().chain(more).collect()
}

/// Installs a handler: the first Ctrl-C or SIGTERM ends the program at once, with exit code 130 or 143 and a sentence
/// on stderr. Signals during [`with_progress`] are excepted. The handler also interrupts the reading of large files and
/// long moves. Call this before the first file is read.
pub(super) fn install_exit_signal_handler() -> Result {
    if is_output_captured() || IS_WATCHED.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    // Before the thread below, so that its decision never loses a signal.
    count_signals()?;
    on_signal(&[SIGINT, SIGTERM], || report_interruption(""))
}

/// Makes the sentence that [`install_exit_signal_handler`] prints replace the progress line.
pub(super) fn let_exit_message_replace_progress_line() {
    HAS_LINE.store(true, Ordering::Relaxed);
}

/// Installs a handler like that of [`install_engine_ending_signal_handler`]. After ending the engines, it also prints
/// that the saves remain and that the same command continues the match.
pub(super) fn install_match_signal_handler() -> Result {
    if is_output_captured() {
        return Ok(());
    }
    on_signal(&engine_signals(), || {
        debate_host::engine::kill_engine_process_groups();
        report_interruption("; the saves remain, and the same command continues the match");
    })
}

/// Prints on stderr that a signal ended the program before its output was complete.
fn report_interruption(continuation: &str) {
    let progress_bar_erasure = if HAS_LINE.load(Ordering::Relaxed) {
        "\r\x1b[K"
    } else {
        ""
    };
    // A closed stderr is not an error, because it has no reader.
    let _ = writeln!(
        io::stderr(),
        "{progress_bar_erasure}debate-tui: interrupted before the output was complete{continuation}"
    );
}

/// Installs a handler: the first of these signals runs `before_end` on a separate thread and ends the program. A signal
/// that [`with_progress`] handles does neither.
#[cfg(unix)]
fn on_signal(signals: &[i32], before_end: impl FnOnce() + Send + 'static) -> Result {
    let mut signals = signal_hook::iterator::Signals::new(signals)?;
    let watcher = std::thread::Builder::new().name("signals".to_owned());
    watcher.spawn(move || {
        // A signal that arrived before `signals` was created is in `LAST_SIGNAL` only.
        let early = i32::try_from(LAST_SIGNAL.load(Ordering::SeqCst)).unwrap_or(0);
        let early = Some(early).filter(|signal| *signal != 0);
        let ending = early
            .into_iter()
            .chain(signals.forever())
            .find(|_| ENDS_AT_ONCE.load(Ordering::SeqCst));
        if let Some(signal) = ending {
            before_end();
            signal_hook::low_level::exit(exit::exit_code_of_signal(signal));
        }
    })?;
    Ok(())
}

/// Installs a handler: the first of these signals ends the program. On this platform no thread can wait for signals, so
/// `before_end` is not run. Engines lose their input with the program, and a console sends Ctrl-C to them as well.
#[cfg(not(unix))]
fn on_signal(signals: &[i32], _: impl FnOnce() + Send + 'static) -> Result {
    for &signal in signals {
        let code = exit::exit_code_of_signal(signal);
        flag::register_conditional_shutdown(signal, code, Arc::clone(&ENDS_AT_ONCE))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_bar_estimates_the_remaining_time() {
        let bar = ProgressBar {
            total: 4000,
            noun: "debates",
            begun: Instant::now(),
        };
        assert_eq!(
            bar.line(1000, 0.5, 80),
            "[######..................] 1,000 of 4,000 debates, 2,000 a second, 2 s left"
        );
        assert!(bar.line(0, 0.0, 80).ends_with("0 a second"));
        assert_eq!(
            bar.line(1000, 0.5, 60),
            "[#.....] 1,000 of 4,000 debates, 2,000 a second, 2 s left"
        );
        for columns in 0..100 {
            assert!(
                bar.line(1000, 0.5, columns).len() < columns.max(1),
                "{columns}"
            );
        }
    }
}
