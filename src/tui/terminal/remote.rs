//! A remote screen: frames are sent and input is received as lines of JSON.
//!
//! The other side, for example a page in a browser or a test, shows the cells and sends the user's input. The guide's
//! page on the browser documents the lines.

use std::io::Write;
use std::{io, thread};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde::Serialize;

use super::frame::{ChangedScreenCells, FrameEncoder};
use super::{OWNER, ScreensClosedReason, Terminal, install_panic_hook, lock};
use crate::tui::input::{MainLoopInbox, RemoteWindow};

/// The version of the protocol between the program and a remote screen. Fields may be added within a version.
const VERSION: u32 = 1;

/// Maximum size of a file, or of a text for the clipboard, that is sent to a remote screen, in bytes.
const MAX_TEXT: usize = 16 << 20;

/// A line of JSON that the program sends to a remote screen.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Line<'l> {
    /// The first line.
    Hello { screen: u32, program: &'l str },
    /// The changed cells.
    Frame(ChangedScreenCells),
    /// News for screen readers: events of the debate in the sentences of plain mode, and changed texts of the screen.
    Say { text: &'l str },
    /// A text that the remote user wants on the clipboard.
    Copy { text: &'l str },
    /// The state of the mouse: `on` is true if clicks and the wheel have an effect.
    Mouse { on: bool },
    /// A file for the user to save.
    File { name: &'l str, text: &'l str },
    /// The last line: the text that a local terminal would show after the screen is closed.
    End { lines: &'l [String] },
}

/// A remote screen.
#[derive(Debug)]
pub struct RemoteTerminal<W: Write> {
    out: W,
    encoder: FrameEncoder,
    window: RemoteWindow,
    mouse: bool,
    end_reason: Option<ScreensClosedReason>,
}

/// Writes the reason why no screen can be opened to standard output, in the form of a remote screen's last line.
///
/// # Errors
/// Returns an error if the line cannot be written.
pub fn print_remote_screen_failure(why: &str) -> io::Result<()> {
    let lines = [why.to_owned()];
    let text = serde_json::to_string(&Line::End { lines: &lines }).map_err(io::Error::other)?;
    writeln!(io::stdout(), "{text}")
}

impl RemoteTerminal<io::Stdout> {
    /// Opens a remote screen on standard input and output. Waits for the first line of input, which should state the
    /// size of the screen.
    ///
    /// A panic on a thread other than the caller's ends the program with status 101.
    ///
    /// # Errors
    /// Returns an error if the first lines of output cannot be written, or if no thread can be started.
    pub fn open<T: Send + 'static>(mouse: bool, inbox: &MainLoopInbox<T>) -> io::Result<Self> {
        install_panic_hook();
        *lock(&OWNER) = Some(thread::current().id());
        Self::over_streams(io::stdout(), io::BufReader::new(io::stdin()), mouse, inbox)
    }
}

impl<W: Write> RemoteTerminal<W> {
    /// Opens a remote screen that writes lines of JSON to `out` and reads lines of JSON from `input`.
    ///
    /// # Errors
    /// Returns an error if the first lines of output cannot be written, or if no thread can be started.
    pub fn over_streams<T: Send + 'static>(
        out: W,
        input: impl io::BufRead + Send + 'static,
        mouse: bool,
        inbox: &MainLoopInbox<T>,
    ) -> io::Result<Self> {
        let mut terminal = Self {
            out,
            encoder: FrameEncoder::default(),
            window: RemoteWindow::default(),
            mouse,
            end_reason: None,
        };
        terminal.write(&Line::Hello {
            screen: VERSION,
            program: env!("CARGO_PKG_VERSION"),
        })?;
        terminal.write(&Line::Mouse { on: mouse })?;
        terminal.window = inbox.listen_to_lines(input)?;
        Ok(terminal)
    }

    fn write(&mut self, line: &Line<'_>) -> io::Result<()> {
        let mut text = serde_json::to_string(line).map_err(io::Error::other)?;
        text.push('\n');
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }
}

impl<W: Write> Terminal for RemoteTerminal<W> {
    fn draw(&mut self, render: &mut dyn FnMut(&mut Buffer, Rect)) -> io::Result<()> {
        let (size, anew) = self.window.take_size();
        if anew {
            self.encoder.force_full_frame();
            let on = self.mouse;
            self.write(&Line::Mouse { on })?;
        }
        let area = Rect::new(0, 0, size.width, size.height);
        let mut picture = Buffer::empty(area);
        render(&mut picture, area);
        let cells = self.encoder.changed_cells(picture);
        if cells.is_empty() {
            return Ok(());
        }
        self.write(&Line::Frame(cells))
    }

    fn copy(&mut self, text: &str) -> io::Result<Option<&'static str>> {
        if text.len() > MAX_TEXT {
            return Ok(None);
        }
        self.write(&Line::Copy { text })?;
        Ok(Some(
            "Sent to the clipboard of the computer that shows this screen.",
        ))
    }

    fn has_mouse(&self) -> bool {
        self.mouse
    }

    fn toggle_mouse(&mut self) -> io::Result<bool> {
        self.mouse = !self.mouse;
        let on = self.mouse;
        self.write(&Line::Mouse { on })?;
        Ok(on)
    }

    fn end(&mut self, why: ScreensClosedReason) {
        self.end_reason = Some(why);
    }

    fn end_reason(&self) -> Option<ScreensClosedReason> {
        self.end_reason
    }

    fn has_screen_reader(&self) -> bool {
        true
    }

    fn speak(&mut self, words: &str) -> io::Result<()> {
        self.write(&Line::Say { text: words })
    }

    fn send_file(&mut self, name: &str, text: &str) -> io::Result<()> {
        if text.len() > MAX_TEXT {
            let why =
                format!("the text has more than {MAX_TEXT} bytes, the maximum for this window");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
        }
        self.write(&Line::File { name, text })
    }

    fn send_final_lines(&mut self, lines: &[String]) -> io::Result<()> {
        self.write(&Line::End { lines })
    }
}
