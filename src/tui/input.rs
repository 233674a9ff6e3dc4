//! The queue of messages to a screen's main loop: keys, mouse events, pastes, and messages of other threads.
//!
//! ```no_run
//! # use ratatui::style::Style;
//! # use debate_tui::tui::{input::{MainLoopInbox, MainLoopMessage}, terminal::{LocalTerminal, Terminal as _, TerminalFeaturesToEnable}};
//! # fn main() -> std::io::Result<()> {
//! let mut inbox = MainLoopInbox::<()>::new();
//! let mut screen = LocalTerminal::open(TerminalFeaturesToEnable::default(), &inbox)?;
//! 'run: loop {
//!     screen.draw(&mut |buffer, area| {
//!         buffer.set_string(area.x, area.y, "press a key", Style::default());
//!     })?;
//!     // No deadline: nothing wakes the program until something happens.
//!     for message in inbox.wait(None) {
//!         match message {
//!             MainLoopMessage::Key(_) | MainLoopMessage::Closed => break 'run,
//!             _ => {}
//!         }
//!     }
//! }
//! # Ok(()) }
//! ```

#[cfg(unix)]
mod parse;
#[cfg(unix)]
mod reader;
mod remote;

use std::io;
use std::sync::mpsc;
use std::sync::mpsc::Receiver;
use std::time::Instant;

use ratatui::crossterm::event::{Event, KeyEvent, KeyEventKind, MouseEvent};

pub(super) use remote::RemoteWindow;

/// Maximum number of messages that are read after the first one in each frame, so that a flood of input cannot block
/// drawing.
const BURST: usize = 16_384;

/// A message to the main loop of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MainLoopMessage<T> {
    /// A key was pressed or repeats. Releases are never sent.
    Key(KeyEvent),
    /// A mouse event: a click, a drag or a turn of the wheel.
    Mouse(MouseEvent),
    /// Pasted text. Line feeds separate its lines; control characters are not removed yet.
    Paste(String),
    /// The terminal has a new size, which the next frame uses.
    Resized,
    /// The program was suspended and continues, or a remote screen has lost its contents. The next frame is drawn in
    /// full.
    Resumed,
    /// The terminal is closed and no input can follow, so the program must end.
    Closed,
    /// A request from the remote terminal to copy the command that repeats the debate. It does not depend on the focus.
    Share,
    /// A message of another thread of the program.
    Other(T),
}

impl<T> MainLoopMessage<T> {
    /// Returns the message for an event of the terminal; `None` for events that no screen uses.
    fn from_event(event: Event) -> Option<Self> {
        match event {
            Event::Key(key) => Some(Self::Key(key)),
            Event::Mouse(mouse) => Some(Self::Mouse(mouse)),
            Event::Paste(text) => Some(Self::Paste(text)),
            Event::Resize(..) => Some(Self::Resized),
            Event::FocusGained | Event::FocusLost => None,
        }
    }
}

/// The receiving end of the message queue, owned by the main loop.
#[derive(Debug)]
pub struct MainLoopInbox<T> {
    sender: mpsc::Sender<MainLoopMessage<T>>,
    receiver: Receiver<MainLoopMessage<T>>,
}

/// The sending end of the message queue, for background threads. Cloning is cheap.
#[derive(Debug)]
pub struct MainLoopSender<T>(mpsc::Sender<MainLoopMessage<T>>);

impl<T> Clone for MainLoopSender<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> MainLoopSender<T> {
    /// Sends a message to the main loop. Returns false if the loop has ended, so that the thread can stop.
    pub fn send(&self, message: T) -> bool {
        self.send_input(MainLoopMessage::Other(message))
    }

    pub(super) fn send_input(&self, message: MainLoopMessage<T>) -> bool {
        match &message {
            MainLoopMessage::Key(key) if key.kind == KeyEventKind::Release => true,
            _ => self.0.send(message).is_ok(),
        }
    }
}

/// A handle with which a background computation wakes the main loop of the screen to collect its result. The default
/// value wakes nothing.
#[derive(Clone, Debug, Default)]
pub struct MainLoopWaker(Option<MainLoopSender<()>>);

impl MainLoopWaker {
    /// Wakes the loop.
    pub fn wake(&self) {
        if let Some(sender) = &self.0 {
            // If the loop has ended, no screen is waiting.
            sender.send(());
        }
    }
}

impl MainLoopInbox<()> {
    /// Returns a handle that wakes the main loop which reads this inbox.
    pub fn waker(&self) -> MainLoopWaker {
        MainLoopWaker(Some(self.sender()))
    }
}

impl<T> Default for MainLoopInbox<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> MainLoopInbox<T> {
    /// Creates an empty message queue. `LocalTerminal::open` connects it to the terminal's input.
    pub fn new() -> Self {
        let (sender, receiver) = mpsc::channel();
        Self { sender, receiver }
    }

    /// Returns a sender with which another thread sends messages to this inbox.
    pub fn sender(&self) -> MainLoopSender<T> {
        MainLoopSender(self.sender.clone())
    }

    /// Sleeps until a message arrives or the deadline passes, then returns the available messages, at most 16,385.
    ///
    /// Returns no messages if the deadline passed first. Use `None` unless the screen is animated: an idle program is
    /// then never woken.
    pub fn wait(&mut self, deadline: Option<Instant>) -> impl Iterator<Item = MainLoopMessage<T>> {
        let first = match deadline {
            None => self.receiver.recv().ok(),
            Some(deadline) => {
                let left = deadline.saturating_duration_since(Instant::now());
                self.receiver.recv_timeout(left).ok()
            }
        };
        // No messages are read after a missed deadline: an empty result always means that the deadline has passed.
        let more = if first.is_some() { BURST } else { 0 };
        first.into_iter().chain(self.receiver.try_iter().take(more))
    }
}

impl<T: Send + 'static> MainLoopInbox<T> {
    /// Starts the thread that reads the terminal's input and sends it to this inbox.
    #[cfg(unix)]
    pub(super) fn start_terminal_reader(&self) -> io::Result<()> {
        reader::start_reader(self.sender())
    }

    /// Starts the thread that reads the terminal's input and sends it to this inbox.
    #[cfg(not(unix))]
    pub(super) fn start_terminal_reader(&self) -> io::Result<()> {
        use ratatui::crossterm::event::read;
        let sender = self.sender();
        std::thread::Builder::new()
            .name("input".into())
            .spawn(move || {
                loop {
                    let heard = read()
                        .map(MainLoopMessage::from_event)
                        .unwrap_or(Some(MainLoopMessage::Closed));
                    let Some(message) = heard else {
                        continue;
                    };
                    let last = matches!(message, MainLoopMessage::Closed);
                    if !sender.send_input(message) || last {
                        return;
                    }
                }
            })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::crossterm::event::{KeyCode, KeyModifiers};
    use std::time::Duration;

    #[test]
    fn one_wait_returns_all_pending_messages() {
        let mut inbox = MainLoopInbox::new();
        let sender = inbox.sender();
        (0..1000).for_each(|n| assert!(sender.send(n)));
        assert_eq!(inbox.wait(None).count(), 1000);
    }

    #[test]
    fn a_passed_deadline_returns_no_messages() {
        let mut inbox = MainLoopInbox::<()>::new();
        let soon = Instant::now() + Duration::from_millis(5);
        assert_eq!(inbox.wait(Some(soon)).count(), 0);
        assert!(Instant::now() >= soon);
    }

    #[test]
    fn key_releases_are_ignored() {
        let mut inbox = MainLoopInbox::<()>::new();
        let sender = inbox.sender();
        for kind in [
            KeyEventKind::Press,
            KeyEventKind::Repeat,
            KeyEventKind::Release,
        ] {
            let key = KeyEvent::new_with_kind(KeyCode::Char('j'), KeyModifiers::NONE, kind);
            sender.send_input(MainLoopMessage::Key(key));
        }
        assert_eq!(inbox.wait(None).count(), 2);
    }
}
