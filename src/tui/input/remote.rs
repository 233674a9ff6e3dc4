//! Reads the user's input from a remote screen as lines of JSON.

use std::io::{BufRead, Read as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::{io, thread};

use ratatui::crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Size;
use serde::Deserialize;

use super::{MainLoopInbox, MainLoopMessage, MainLoopSender};
use crate::tui::actions::{InvalidKeyPressError, KeyPress};
use debate_core::text::replace_unsafe_characters;

/// Maximum size of a line of input in bytes. Longer lines are skipped.
const MAX_LINE: u64 = 256 << 10;
/// Minimum size of a remote screen. `MAX_SIZE` is the maximum.
const LEAST: Size = Size::new(1, 1);
const MAX_SIZE: Size = Size::new(400, 200);
/// Maximum number of error messages on stderr about invalid input lines; more would not help the sender. The log
/// contains all of them.
const MAX_COMPLAINTS: u32 = 20;

/// A line of input.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
enum Line {
    /// A pressed key, as it is written in `config.ron`: `q`, `ctrl-z`, `shift-left`, `enter`.
    Key { key: String },
    /// A pasted text.
    Paste { text: String },
    /// A click, a drag or the mouse wheel, at a cell whose column and row are counted from 0.
    Mouse {
        kind: MouseKind,
        column: u16,
        row: u16,
    },
    /// The new size of the remote screen in columns and rows.
    Size { columns: u16, rows: u16 },
    /// A request to copy the command that repeats the debate, independent of the focus.
    Share,
    /// The remote screen has lost its contents: the next frame must be a full one.
    Redraw,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum MouseKind {
    Down,
    Up,
    Drag,
    ScrollUp,
    ScrollDown,
}

impl From<MouseKind> for MouseEventKind {
    fn from(kind: MouseKind) -> Self {
        match kind {
            MouseKind::Down => Self::Down(MouseButton::Left),
            MouseKind::Up => Self::Up(MouseButton::Left),
            MouseKind::Drag => Self::Drag(MouseButton::Left),
            MouseKind::ScrollUp => Self::ScrollUp,
            MouseKind::ScrollDown => Self::ScrollDown,
        }
    }
}

/// The size of a remote screen, and true if the next frame must be a full one.
#[derive(Clone, Debug)]
pub(in crate::tui) struct RemoteWindow(Arc<Mutex<(Size, bool)>>);

impl Default for RemoteWindow {
    fn default() -> Self {
        Self(Arc::new(Mutex::new((Size::new(80, 24), false))))
    }
}

impl RemoteWindow {
    /// Returns the size of the remote screen, and true once if the next frame must be a full one.
    pub(in crate::tui) fn take_size(&self) -> (Size, bool) {
        let mut window = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (window.0, std::mem::take(&mut window.1))
    }

    fn change(&self, change: impl FnOnce(&mut (Size, bool))) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl<T: Send + 'static> MainLoopInbox<T> {
    /// Reads the first line of input, which should contain the screen's size. Starts the thread that reads the
    /// following lines.
    pub(in crate::tui) fn listen_to_lines(
        &self,
        input: impl BufRead + Send + 'static,
    ) -> io::Result<RemoteWindow> {
        let mut lines = Lines {
            input,
            window: RemoteWindow::default(),
            sender: self.sender(),
            number: 0,
            complaints: 0,
        };
        let window = lines.window.clone();
        let continues = lines.take();
        if continues {
            let reader = thread::Builder::new().name("input".into());
            reader.spawn(move || while lines.take() {})?;
        }
        Ok(window)
    }
}

struct Lines<R, T> {
    input: R,
    window: RemoteWindow,
    sender: MainLoopSender<T>,
    number: u64,
    complaints: u32,
}

impl<R: BufRead, T> Lines<R, T> {
    /// Reads a line and sends its message. Returns false if there are no more lines, or if the receiver is gone.
    fn take(&mut self) -> bool {
        let mut bytes = Vec::new();
        let read = (&mut self.input)
            .take(MAX_LINE)
            .read_until(b'\n', &mut bytes);
        self.number += 1;
        match read {
            Ok(1..) if bytes.ends_with(b"\n") => self.sender_takes(&bytes),
            Ok(1..) if bytes.len() as u64 == MAX_LINE => {
                self.complain(&format!("the line is longer than {MAX_LINE} bytes"));
                self.skip_line()
            }
            // A truncated line is ignored.
            Ok(_) | Err(_) => {
                self.sender.send_input(MainLoopMessage::Closed);
                false
            }
        }
    }

    fn sender_takes(&mut self, bytes: &[u8]) -> bool {
        match self.message(bytes) {
            Ok(message) => self.sender.send_input(message),
            Err(why) => {
                self.complain(&why);
                true
            }
        }
    }

    fn message(&self, bytes: &[u8]) -> Result<MainLoopMessage<T>, String> {
        let line: Line = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        Ok(match line {
            Line::Key { key } => {
                let key: KeyPress = key
                    .parse()
                    .map_err(|error: InvalidKeyPressError| error.to_string())?;
                MainLoopMessage::Key(key.into())
            }
            Line::Paste { text } => {
                MainLoopMessage::Paste(text.replace("\r\n", "\n").replace('\r', "\n"))
            }
            Line::Mouse { kind, column, row } => MainLoopMessage::Mouse(MouseEvent {
                kind: kind.into(),
                column,
                row,
                modifiers: KeyModifiers::NONE,
            }),
            Line::Size { columns, rows } => {
                let size = Size::new(
                    columns.clamp(LEAST.width, MAX_SIZE.width),
                    rows.clamp(LEAST.height, MAX_SIZE.height),
                );
                self.window.change(|window| window.0 = size);
                MainLoopMessage::Resized
            }
            Line::Share => MainLoopMessage::Share,
            Line::Redraw => {
                self.window.change(|window| window.1 = true);
                MainLoopMessage::Resumed
            }
        })
    }

    /// Skips to the end of an input line that is too long.
    fn skip_line(&mut self) -> bool {
        loop {
            let there = match self.input.fill_buf() {
                Ok(there) => there,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => {
                    self.sender.send_input(MainLoopMessage::Closed);
                    return false;
                }
            };
            let end = there.iter().position(|byte| *byte == b'\n');
            let count = end.map_or(there.len(), |end| end + 1);
            if count == 0 {
                self.sender.send_input(MainLoopMessage::Closed);
                return false;
            }
            self.input.consume(count);
            if end.is_some() {
                return true;
            }
        }
    }

    fn complain(&mut self, why: &str) {
        let why = format!(
            "line {number} of the screen's input is ignored: {why}",
            number = self.number
        );
        let why = replace_unsafe_characters(&why);
        tracing::warn!("{why}");
        self.complaints = self.complaints.saturating_add(1);
        if self.complaints <= MAX_COMPLAINTS {
            // The write fails if stderr is closed.
            let _ = writeln!(io::stderr(), "debate-tui: {why}.");
        }
    }
}
