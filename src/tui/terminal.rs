//! The terminal while a screen is open, and its restoration afterwards.
//!
//! Entry points: [`LocalTerminal::open`], or [`RemoteTerminal::open`] for a remote screen. Draw with [`Terminal::draw`]
//! and drop the terminal to leave. Whether the program ends by a return, an error, a panic on any thread or a signal,
//! raw mode, mouse, paste, cursor and alternate screen are restored, in that order and once. This module saves no data:
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

use crate::tui::input::{Inbox, Message};
use crate::tui::theme::Background;

pub use remote::{RemoteTerminal, print_missing_screen_reason};

// Button presses, drags and the wheel. Plain motion (1003) would wake the program at every movement.
const ENTER: &str = "\x1b[?1049h\x1b[2J\x1b[?25l\x1b[?2004h";
const ENTER_MOUSE: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const LEAVE_MOUSE: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";
const LEAVE: &str = "\x1b[?2004l\x1b[0m\x1b[?25h\x1b[?1049l";

/// Maximum wait at the end for a terminal that accepts no bytes.
const RESTORE_LIMIT: Duration = Duration::from_millis(500);

/// Maximum columns and rows that are drawn. A window can report 65535 of both, which would not fit into memory.
const MAX_SIZE: Size = Size::new(1000, 400);

/// Features to switch on in the terminal.
#[derive(Clone, Copy, Debug)]
pub struct TerminalFeatures {
    /// Report clicks, drags and the wheel; without it the terminal's own selection works.
    pub mouse: bool,
    /// Query if the background is dark or light, which takes a round trip before the first frame.
    /// [`Terminal::background`] returns the answer.
    pub queries_background: bool,
}

impl Default for TerminalFeatures {
    fn default() -> Self {
        Self {
            mouse: true,
            queries_background: false,
        }
    }
}

#[cfg_attr(
    not(unix),
    expect(dead_code, reason = "only Unix suspends and resumes a program")
)]
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Closed,
    Open,
    /// Returned to the shell until the process is continued.
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

/// A signal that is reported to the loop.
#[cfg_attr(not(unix), expect(dead_code, reason = "sent only by Unix signals"))]
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
/// True if a screen is open. Separate from `STATE`, so that reading it never blocks.
static UP: AtomicBool = AtomicBool::new(false);

/// True if a screen is drawn on the terminal, so that other code must not write there. Never blocks.
pub fn is_screen_open() -> bool {
    UP.load(Ordering::SeqCst)
}

/// The thread that owns the screen. Separate from `STATE`, which can be locked when other threads need the owner.
static OWNER: Mutex<Option<ThreadId>> = Mutex::new(None);
/// Separate from `STATE`, so that the signal thread never waits for a frame to be written.
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

    /// Undoes `enter`. Ignores errors: the terminal may be gone, and no caller could handle them.
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
    background: Option<Background>,
    /// The terminal's size at the last frame.
    drawn: Size,
    end_reason: Option<EndReason>,
}

/// The reason why all screens were closed without their own keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// The user pressed Ctrl-C.
    Interrupted,
    /// The terminal is gone.
    HungUp,
}

/// Returns the reason why the terminal cannot be drawn on; `None` if it can. A terminal with a `TERM` of `dumb`, an
/// empty one or none supports only lines.
pub fn unsupported_reason() -> Option<&'static str> {
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
    /// Takes the terminal over and starts the threads that fill `inbox`.
    ///
    /// Install other panic hooks before this call: they run after the terminal is restored. A panic
    /// on a thread other than the caller's ends the program with status 101, since its message
    /// would be lost on the alternate screen.
    ///
    /// # Errors
    /// Returns an error if standard output is not a terminal, if a screen is already open, or if the terminal refuses;
    /// its state is then unchanged.
    pub fn open<T: Send + 'static>(
        options: TerminalFeatures,
        inbox: &Inbox<T>,
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
            return Err(io::Error::other("The screen is already open."));
        }
        state.out = Some(stdout_without_lock()?);
        state.mouse = options.mouse;
        *lock(&OWNER) = Some(thread::current().id());
        *lock(&NOTIFY) = Some(Box::new(move |notice| {
            sender.send_input(match notice {
                SignalNotice::Resized => Message::Resized,
                SignalNotice::Resumed => Message::Resumed,
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

    /// Redraws the next frame in full, because another program may have drawn over the screen.
    ///
    /// # Errors
    /// Returns an error if the size of the terminal cannot be read.
    pub fn repaint(&mut self) -> io::Result<()> {
        // ratatui's clear would query the cursor and read the answer instead of the input thread; resize clears without
        // a query.
        self.drawn = self.size()?;
        self.inner
            .resize(Rect::from((Position::ORIGIN, self.drawn)))
    }

    /// Returns the current size of the drawn area in columns and rows. In a terminal larger than 1000 × 400, this is
    /// its upper left part.
    ///
    /// # Errors
    /// Returns an error if the terminal is gone.
    pub fn size(&self) -> io::Result<Size> {
        let size = self.inner.size()?;
        Ok(Size::new(
            size.width.min(MAX_SIZE.width),
            size.height.min(MAX_SIZE.height),
        ))
    }
}

impl Terminal for LocalTerminal {
    /// Sends all changes in a single write.
    fn draw(&mut self, render: &mut dyn FnMut(&mut Buffer, Rect)) -> io::Result<()> {
        let stale = std::mem::take(&mut lock(&STATE).stale);
        if stale || self.size()? != self.drawn {
            self.repaint()?;
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

    fn end(&mut self, why: EndReason) {
        self.end_reason = Some(why);
    }

    fn end_reason(&self) -> Option<EndReason> {
        self.end_reason
    }

    fn background(&self) -> Option<Background> {
        self.background
    }

    /// Sends the text with OSC 52. The terminal does not report if it accepted it.
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

    /// Stops the process group, as Ctrl-Z does in cooked mode.
    ///
    /// Returns before or after the stop; [`Message::Resumed`] arrives when the program is back.
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

/// Restores the terminal even if the loop is stuck, holds locks, or writes to a terminal that reads no bytes. It runs
/// on a separate thread with a time limit.
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

/// Exits without the work of a normal exit, which could wait for locks.
fn end_at_once(status: i32) -> ! {
    debate_host::engine::kill_all_engines();
    #[cfg(unix)]
    signal_hook::low_level::exit(status);
    #[cfg(not(unix))]
    std::process::exit(status);
}

/// Opens a separate handle on standard output, because a stuck frame may hold the lock of `io::stdout()`.
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

/// Collects a frame's bytes; flushing waits for the end of the frame.
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

/// The maximum length in bytes of a clipboard sequence. Several terminals silently drop a longer one.
const LIMIT: usize = 74_000;

/// Returns the OSC 52 sequence that puts a text on the clipboard; `None` if it would be too long.
pub(super) fn clipboard_sequence(text: &str) -> Option<String> {
    let encoded = BASE64_STANDARD.encode(text);
    (encoded.len() <= LIMIT).then(|| format!("\x1b]52;c;{encoded}\x07"))
}

/// An output for screens: the terminal of this process ([`LocalTerminal`]), a remote one that takes lines of JSON
/// ([`RemoteTerminal`]), or a test's recorder. Input arrives in the [`Inbox`] that it was opened with.
pub trait Terminal {
    /// Draws one frame: queries the size, clears the buffer, and sends the changes.
    ///
    /// # Errors
    /// Returns an error if the terminal no longer accepts output; end the program then.
    fn draw(&mut self, render: &mut dyn FnMut(&mut Buffer, Rect)) -> io::Result<()>;

    /// Puts a text on the clipboard. Returns its destination as a sentence; `None` if the text is too long to send.
    ///
    /// # Errors
    /// Returns an error if the terminal no longer accepts output.
    fn copy(&mut self, text: &str) -> io::Result<Option<&'static str>>;

    /// True if clicks and the wheel are reported.
    fn has_mouse(&self) -> bool;

    /// Toggles the mouse. Returns true if it is now on.
    ///
    /// # Errors
    /// Returns an error if the terminal no longer accepts output.
    fn toggle_mouse(&mut self) -> io::Result<bool>;

    /// Closes all screens for this reason.
    fn end(&mut self, why: EndReason);

    /// Returns the reason why all screens were closed, if they were.
    fn end_reason(&self) -> Option<EndReason>;

    /// Returns the terminal's background; `None` if it was not queried or did not answer.
    fn background(&self) -> Option<Background> {
        None
    }

    /// Returns the terminal to a shell, if there is one.
    fn suspend(&mut self) {}

    /// Rings the bell, if there is one.
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

    /// Announces words to a screen reader.
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

    /// Sends the final lines to a remote user.
    ///
    /// # Errors
    /// Returns an error if the terminal no longer accepts output.
    fn send_final_lines(&mut self, _lines: &[String]) -> io::Result<()> {
        Ok(())
    }
}

/// Maximum wait for an answer. A terminal that does not know the query answers the following one (DA1), so only a
/// terminal that answers neither takes this long.
const PATIENCE: Duration = Duration::from_millis(500);
/// Backgrounds with a lightness above this value, from 0 to 1, are light.
const LIGHT: f32 = 0.5;

/// Queries the terminal's background. `None` if it did not answer in time or not to this query. No other thread may
/// read the terminal meanwhile.
fn query_background() -> Option<Background> {
    let mut options = QueryOptions::default();
    options.timeout = PATIENCE;
    let answer = background_color(options).inspect_err(|error| {
        tracing::debug!(%error, "the terminal did not report its background");
    });
    let background = if answer.ok()?.perceived_lightness() > LIGHT {
        Background::Light
    } else {
        Background::Dark
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
