//! The terminal on which screens are drawn, and its restoration after they are closed.
//!
//! Entry points: [`LocalTerminal::open`], or [`RemoteTerminal::open`] for a remote screen. Draw with [`Terminal::draw`]
//! and drop the terminal to leave. Whether the program ends by a return, an error, a panic on any thread or a signal,
//! mouse, paste, cursor, alternate screen and raw mode are restored, in that order and once. This module saves no data:
//! every reply is on the disk before it is shown.
//!
//! All output goes through one lock. The thread that restores the terminal holds it and marks the screen closed, so no
//! frame can follow the restoring bytes.

mod frame;
mod remote;
#[cfg(unix)]
mod signals;

use std::cell::RefCell;
use std::fs::File;
use std::io::{IsTerminal, Write};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError, mpsc};
use std::thread::ThreadId;
use std::time::Duration;
use std::{io, panic, thread};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::style::force_color_output;
use ratatui::crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use ratatui::layout::{Position, Rect, Size};
use ratatui::{TerminalOptions, Viewport};
use terminal_colorsaurus::{QueryOptions, background_color};

use crate::tui::input::{MainLoopInbox, MainLoopMessage};
use crate::tui::theme::TerminalBackground;

pub use remote::{RemoteTerminal, print_remote_screen_failure};

// `ENTER_MOUSE` reports button presses, drags and the wheel. Plain motion (1003) would wake the program at every
// movement.
const ENTER: &str = "\x1b[?1049h\x1b[2J\x1b[?25l\x1b[?2004h";
const ENTER_MOUSE: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const LEAVE_MOUSE: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";
const LEAVE: &str = "\x1b[?2004l\x1b[0m\x1b[?25h\x1b[?1049l";

/// Maximum time that restoring the terminal may take if the terminal accepts no bytes.
const RESTORE_LIMIT: Duration = Duration::from_millis(500);

/// Maximum columns and rows that are drawn. A terminal window can report 65535 of both, which would not fit into
/// memory.
const MAX_SIZE: Size = Size::new(1000, 400);

/// Features to switch on in the terminal.
#[derive(Clone, Copy, Debug)]
pub struct TerminalFeaturesToEnable {
    /// Reporting of clicks, drags and the wheel. Without it, the terminal's own selection of text works.
    pub mouse: bool,
    /// A query for the terminal's background, dark or light, which delays the first frame until the terminal answers.
    /// [`Terminal::background`] returns the answer.
    pub queries_background: bool,
}

impl Default for TerminalFeaturesToEnable {
    fn default() -> Self {
        Self {
            mouse: true,
            queries_background: false,
        }
    }
}

#[cfg_attr(
    not(unix),
    expect(
        dead_code,
        reason = "only Unix suspends and resumes programs, so other systems do not use every variant"
    )
)]
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Closed,
    Open,
    /// The terminal is returned to the shell until the process is continued.
    Suspended,
}

struct TerminalState {
    phase: Phase,
    mouse: bool,
    /// True if another program may have changed the screen, so that the next frame is drawn in full.
    stale: bool,
    out: Option<File>,
}

type Notify = Box<dyn Fn(SignalNotice) + Send>;

/// A signal of the operating system that is reported to the main loop.
#[cfg_attr(
    not(unix),
    expect(dead_code, reason = "only Unix signals create these values")
)]
#[derive(Clone, Copy)]
enum SignalNotice {
    Resized,
    Resumed,
}

static STATE: Mutex<TerminalState> = Mutex::new(TerminalState {
    phase: Phase::Closed,
    mouse: false,
    stale: false,
    out: None,
});
/// True if a screen is open on the terminal. Separate from `STATE`, so that reading this flag never blocks.
static UP: AtomicBool = AtomicBool::new(false);

/// True if a screen is drawn on the terminal, so that other code must not write there. This function never blocks.
pub fn is_screen_open() -> bool {
    UP.load(Ordering::SeqCst)
}

/// The thread that owns the screen. It has its own lock, because `STATE` can be locked when other threads need the
/// owner.
static OWNER: Mutex<Option<ThreadId>> = Mutex::new(None);
/// The function that reports signals to the main loop. Separate from `STATE`, so that the signal thread never waits for
/// a frame to be written.
static NOTIFY: Mutex<Option<Notify>> = Mutex::new(None);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TerminalState {
    fn enter(&mut self) -> io::Result<()> {
        enable_raw_mode()?;
        self.phase = Phase::Open;
        UP.store(true, Ordering::SeqCst);
        self.stale = true;
        let mouse = if self.mouse { ENTER_MOUSE } else { "" };
        self.write(format!("{ENTER}{mouse}").as_bytes())
    }

    /// Undoes what `enter` did to the terminal. Ignores errors: the terminal may be gone, and no caller could handle
    /// them.
    fn leave(&mut self, next: Phase) {
        if self.phase == Phase::Open {
            let mouse = if self.mouse { LEAVE_MOUSE } else { "" };
            let _ = self.write(format!("{mouse}{LEAVE}").as_bytes());
            let _ = disable_raw_mode();
        }
        UP.store(false, Ordering::SeqCst);
        self.phase = next;
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match (&self.phase, &mut self.out) {
            (Phase::Open, Some(out)) => out.write_all(bytes),
            _ => Ok(()),
        }
    }
}

/// The terminal in raw mode on its alternate screen. Dropping it restores the terminal.
#[derive(Debug)]
pub struct LocalTerminal {
    inner: ratatui::Terminal<CrosstermBackend<FrameBuffer>>,
    frame: Rc<RefCell<Vec<u8>>>,
    background: Option<TerminalBackground>,
    /// The terminal's size at the last frame.
    drawn: Size,
    end_reason: Option<ScreensClosedReason>,
}

/// The reason why all screens were closed at once: Ctrl-C or the loss of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScreensClosedReason {
    /// The user pressed Ctrl-C.
    Interrupted,
    /// The terminal is gone.
    HungUp,
}

/// Returns the reason why screens cannot be drawn on the terminal; `None` if they can. If the variable `TERM` is
/// `dumb`, empty or unset, the terminal supports only lines. Outside Unix, always returns `None`.
pub fn terminal_unsupported_reason() -> Option<&'static str> {
    if cfg!(not(unix)) {
        return None;
    }
    match std::env::var_os("TERM") {
        None => Some("TERM is not set, so this terminal may support only plain lines"),
        Some(kind) if kind.is_empty() => {
            Some("TERM is empty, so this terminal may support only plain lines")
        }
        Some(kind) if kind == "dumb" => {
            Some("TERM is `dumb`, so this terminal supports only plain lines")
        }
        Some(_) => None,
    }
}

impl LocalTerminal {
    /// Takes over the terminal and starts the threads that send its input to `inbox`.
    ///
    /// Install other panic hooks before this call: they run after the terminal is restored. A panic
    /// on a thread other than the caller's ends the program with status 101, since its message
    /// would be lost on the alternate screen.
    ///
    /// # Errors
    /// Returns an error if standard output is not a terminal, if a screen is already open, or if the terminal refuses;
    /// its state is then unchanged.
    pub fn open<T: Send + 'static>(
        options: TerminalFeaturesToEnable,
        inbox: &MainLoopInbox<T>,
    ) -> io::Result<Self> {
        if !io::stdout().is_terminal() {
            return Err(io::Error::other(
                "Standard output is not a terminal; run this in a terminal, without redirecting it.",
            ));
        }
        let sender = inbox.sender();
        // Without this, NO_COLOR makes crossterm print an empty colour code, which is a full reset and also removes
        // bold and reversed. The monochrome theme honours NO_COLOR instead.
        force_color_output(true);
        install_panic_hook();
        #[cfg(unix)]
        signals::start_signal_thread()?;

        let mut state = lock(&STATE);
        if state.phase != Phase::Closed {
            return Err(io::Error::other(
                "This process already shows its full screen.",
            ));
        }
        state.out = Some(stdout_without_lock()?);
        state.mouse = options.mouse;
        *lock(&OWNER) = Some(thread::current().id());
        *lock(&NOTIFY) = Some(Box::new(move |notice| {
            sender.send_input(match notice {
                SignalNotice::Resized => MainLoopMessage::Resized,
                SignalNotice::Resumed => MainLoopMessage::Resumed,
            });
        }));
        let entered = state.enter();
        drop(state);

        // The query runs after the terminal is taken over, so that it is restored if the program ends meanwhile. It
        // runs before the input thread starts, which would read the answer as keys.
        let asks = entered.is_ok() && options.queries_background;
        let background = asks.then(query_background).flatten();
        let frame = Rc::new(RefCell::new(Vec::with_capacity(1 << 14)));
        let backend = CrosstermBackend::new(FrameBuffer(Rc::clone(&frame)));
        // The first frame sets its size.
        let viewport = Viewport::Fixed(Rect::ZERO);
        let opened = entered
            .and_then(|()| ratatui::Terminal::with_options(backend, TerminalOptions { viewport }))
            .and_then(|inner| inbox.start_terminal_reader().map(|()| inner));
        match opened {
            Ok(inner) => {
                tracing::debug!(mouse = options.mouse, "screen opened");
                Ok(Self {
                    inner,
                    frame,
                    background,
                    drawn: Size::ZERO,
                    end_reason: None,
                })
            }
            Err(error) => {
                close();
                Err(error)
            }
        }
    }

    /// Makes the next frame a full one, because another program may have drawn over the screen.
    ///
    /// # Errors
    /// Returns an error if the size of the terminal cannot be read.
    pub fn make_next_frame_full(&mut self) -> io::Result<()> {
        // ratatui's clear would query the cursor and read the answer instead of the input thread; resize clears without
        // a query.
        self.drawn = self.drawn_area_size()?;
        self.inner
            .resize(Rect::from((Position::ORIGIN, self.drawn)))
    }

    /// Returns the current size of the drawn area in columns and rows. If the terminal is larger than 1000 × 400, only
    /// its upper left part is drawn.
    ///
    /// # Errors
    /// Returns an error if the terminal is gone.
    pub fn drawn_area_size(&self) -> io::Result<Size> {
        let size = self.inner.size()?;
        Ok(Size::new(
            size.width.min(MAX_SIZE.width),
            size.height.min(MAX_SIZE.height),
        ))
    }
}

impl Terminal for LocalTerminal {
    /// Sends all changes of a frame to the terminal in a single write.
    fn draw(&mut self, render: &mut dyn FnMut(&mut Buffer, Rect)) -> io::Result<()> {
        let stale = std::mem::take(&mut lock(&STATE).stale);
        if stale || self.drawn_area_size()? != self.drawn {
            self.make_next_frame_full()?;
        }
        self.inner.draw(|frame| {
            let area = frame.area();
            render(frame.buffer_mut(), area);
        })?;
        let mut frame = self.frame.borrow_mut();
        let written = lock(&STATE).write(&frame);
        frame.clear();
        written
    }

    fn end(&mut self, why: ScreensClosedReason) {
        self.end_reason = Some(why);
    }

    fn end_reason(&self) -> Option<ScreensClosedReason> {
        self.end_reason
    }

    fn background(&self) -> Option<TerminalBackground> {
        self.background
    }

    /// Sends a text to the terminal's clipboard with the escape sequence OSC 52. The terminal does not report if it
    /// accepted the text.
    fn copy(&mut self, text: &str) -> io::Result<Option<&'static str>> {
        let Some(sequence) = clipboard_sequence(text) else {
            return Ok(None);
        };
        lock(&STATE).write(sequence.as_bytes())?;
        Ok(Some("Sent to the terminal's clipboard (OSC 52)."))
    }

    fn ring(&mut self) -> io::Result<()> {
        lock(&STATE).write(b"\x07")
    }

    fn has_mouse(&self) -> bool {
        lock(&STATE).mouse
    }

    fn toggle_mouse(&mut self) -> io::Result<bool> {
        let mut state = lock(&STATE);
        state.mouse = !state.mouse;
        let on = state.mouse;
        let bytes = if on { ENTER_MOUSE } else { LEAVE_MOUSE };
        state.write(bytes.as_bytes())?;
        Ok(on)
    }

    /// Suspends the process group, as Ctrl-Z does in the terminal's normal mode.
    ///
    /// Returns before or after the stop; [`MainLoopMessage::Resumed`] arrives when the program is back.
    /// Does nothing if no shell could ever continue the program, and outside Unix.
    fn suspend(&mut self) {
        #[cfg(unix)]
        signals::suspend();
    }
}

impl Drop for LocalTerminal {
    fn drop(&mut self) {
        close();
        tracing::debug!("screen closed");
    }
}

fn close() {
    let mut state = lock(&STATE);
    state.leave(Phase::Closed);
    state.out = None;
    drop(state);
    lock(&NOTIFY).take();
    lock(&OWNER).take();
}

/// Restores the terminal on a separate thread, for which it waits at most [`RESTORE_LIMIT`]. So it returns even if the
/// main loop is stuck in a write to a terminal that reads no bytes. The terminal is then not restored.
fn restore() {
    with_time_limit(RESTORE_LIMIT, || lock(&STATE).leave(Phase::Closed));
}

fn with_time_limit(limit: Duration, work: impl FnOnce() + Send + 'static) {
    let (done, finished) = mpsc::channel();
    let worker = thread::Builder::new().spawn(move || {
        work();
        let _ = done.send(());
    });
    if worker.is_ok() {
        let _ = finished.recv_timeout(limit);
    }
}

fn install_panic_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let owner = *lock(&OWNER);
            if owner.is_some() {
                restore();
            }
            previous(info);
            if owner.is_some_and(|owner| owner != thread::current().id()) {
                end_at_once(crate::exit::PANIC);
            }
        }));
    });
}

/// Kills all engines and exits at once. A normal exit could wait for locks.
fn end_at_once(status: i32) -> ! {
    debate_host::engine::kill_engine_process_groups();
    #[cfg(unix)]
    signal_hook::low_level::exit(status);
    #[cfg(not(unix))]
    std::process::exit(status);
}

/// Opens a separate handle to standard output, because a thread that is stuck in writing a frame may hold the lock of
/// `io::stdout()`.
#[cfg(unix)]
fn stdout_without_lock() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

#[cfg(windows)]
fn stdout_without_lock() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
}

/// Collects the bytes of a frame. Flushing has no effect: the whole frame is written at its end.
#[derive(Debug)]
struct FrameBuffer(Rc<RefCell<Vec<u8>>>);

impl Write for FrameBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The maximum length in bytes of a text for the clipboard, encoded in Base64. Several terminals silently drop a longer
/// escape sequence.
const LIMIT: usize = 74_000;

/// Returns the escape sequence (OSC 52) that puts a text on the terminal's clipboard; `None` if it would be too long.
pub(super) fn clipboard_sequence(text: &str) -> Option<String> {
    let encoded = BASE64_STANDARD.encode(text);
    (encoded.len() <= LIMIT).then(|| format!("\x1b]52;c;{encoded}\x07"))
}

/// A terminal on which screens are shown: the terminal of this process ([`LocalTerminal`]), a remote one that takes
/// lines of JSON ([`RemoteTerminal`]), or a test's recorder. Input arrives in the [`MainLoopInbox`] with which the
/// terminal was opened.
pub trait Terminal {
    /// Draws one frame: gets the terminal's size, clears the buffer, calls `render`, and sends the changes.
    ///
    /// # Errors
    /// Returns an error if the terminal no longer accepts output; end the program then.
    fn draw(&mut self, render: &mut dyn FnMut(&mut Buffer, Rect)) -> io::Result<()>;

    /// Puts a text on the clipboard. Returns a sentence about where the text was sent; `None` if the text is too long
    /// to send.
    ///
    /// # Errors
    /// Returns an error if the terminal no longer accepts output.
    fn copy(&mut self, text: &str) -> io::Result<Option<&'static str>>;

    /// True if the terminal reports clicks and the wheel.
    fn has_mouse(&self) -> bool;

    /// Switches the reporting of mouse events on or off. Returns true if it is now on.
    ///
    /// # Errors
    /// Returns an error if the terminal no longer accepts output.
    fn toggle_mouse(&mut self) -> io::Result<bool>;

    /// Records the reason for which all screens are to be closed.
    fn end(&mut self, why: ScreensClosedReason);

    /// Returns the reason why all screens were closed, if they were.
    fn end_reason(&self) -> Option<ScreensClosedReason>;

    /// Returns the terminal's background, dark or light; `None` if it was not queried or did not answer.
    fn background(&self) -> Option<TerminalBackground> {
        None
    }

    /// Suspends the program and returns the terminal to the shell, if there is one.
    fn suspend(&mut self) {}

    /// Rings the terminal's bell, if it has one.
    ///
    /// # Errors
    /// Returns an error if the terminal no longer accepts output.
    fn ring(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// True if announcements reach a screen reader.
    fn has_screen_reader(&self) -> bool {
        false
    }

    /// Announces a text to a screen reader.
    ///
    /// # Errors
    /// Returns an error if the terminal no longer accepts output.
    fn speak(&mut self, _words: &str) -> io::Result<()> {
        Ok(())
    }

    /// Sends a file to a remote user.
    ///
    /// # Errors
    /// Returns an error if the terminal no longer accepts output, or the file is too long.
    fn send_file(&mut self, _name: &str, _text: &str) -> io::Result<()> {
        Ok(())
    }

    /// Sends the final lines of output to a remote user.
    ///
    /// # Errors
    /// Returns an error if the terminal no longer accepts output.
    fn send_final_lines(&mut self, _lines: &[String]) -> io::Result<()> {
        Ok(())
    }
}

/// Maximum wait for the terminal's answer to the query for its background. A terminal that does not know this query
/// answers the one after it (DA1). Only a terminal that answers neither takes this long.
const PATIENCE: Duration = Duration::from_millis(500);
/// The limit between dark and light backgrounds: a lightness above this value, on a scale from 0 to 1, is light.
const LIGHT: f32 = 0.5;

/// Queries the terminal for its background. Returns `None` if it did not answer this query in time. No other thread may
/// read the terminal meanwhile.
fn query_background() -> Option<TerminalBackground> {
    let mut options = QueryOptions::default();
    options.timeout = PATIENCE;
    let answer = background_color(options).inspect_err(|error| {
        tracing::debug!(%error, "the terminal did not report its background");
    });
    let background = if answer.ok()?.perceived_lightness() > LIGHT {
        TerminalBackground::Light
    } else {
        TerminalBackground::Dark
    };
    tracing::debug!(?background, "the terminal reported its background");
    Some(background)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clipboard_sequence_contains_the_text_in_base64() {
        assert_eq!(clipboard_sequence("ε").unwrap(), "\x1b]52;c;zrU=\x07");
    }

    #[test]
    fn too_long_clipboard_texts_are_refused() {
        assert!(clipboard_sequence(&"x".repeat(LIMIT)).is_none());
    }
}
