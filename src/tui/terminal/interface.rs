//! What the loop of the screens needs of a terminal.

use std::io;

use ratatui::{buffer::Buffer, layout::Rect};

use super::{Background, EndReason};

/// A place that screens are drawn on: the terminal of this process ([`LocalTerminal`](super::LocalTerminal)), one
/// elsewhere that takes lines of JSON ([`RemoteTerminal`](super::RemoteTerminal)), or a test's recorder. Input comes
/// by the [`Inbox`](crate::tui::input::Inbox) that it was opened with.
pub trait Terminal {
    /// Draws one frame: the size is asked anew, the buffer begins empty, and what changed is sent.
    ///
    /// # Errors
    /// When the terminal does not take the picture any more; end the program then.
    fn draw(&mut self, render: &mut dyn FnMut(&mut Buffer, Rect)) -> io::Result<()>;

    /// Puts a text on the clipboard. `None`: it is too long to be sent; else where it went, in a sentence.
    ///
    /// # Errors
    /// When the terminal does not take the text any more.
    fn copy(&mut self, text: &str) -> io::Result<Option<&'static str>>;

    /// True if clicks and the wheel are reported.
    fn has_mouse(&self) -> bool;

    /// Switches the mouse on where it was off, and off where it was on; says which it is now.
    ///
    /// # Errors
    /// When the terminal does not take the bytes any more.
    fn toggle_mouse(&mut self) -> io::Result<bool>;

    /// Lets nothing more be shown.
    fn end(&mut self, why: EndReason);

    /// The reason why nothing more is shown.
    fn ended(&self) -> Option<EndReason>;

    /// The terminal's background; `None` where it was not asked or did not say.
    fn background(&self) -> Option<Background> {
        None
    }

    /// Gives the terminal back to a shell, where there is one.
    fn suspend(&mut self) {}

    /// True if what the screens say in words reaches somebody who does not see them.
    fn speaks(&self) -> bool {
        false
    }

    /// Says something in words to whoever does not see the screen.
    ///
    /// # Errors
    /// When the terminal does not take the words any more.
    fn speak(&mut self, _words: &str) -> io::Result<()> {
        Ok(())
    }

    /// Hands a file to the user, where they and their files are elsewhere.
    ///
    /// # Errors
    /// When the terminal does not take the file any more, or the file is too long.
    fn hand_over(&mut self, _name: &str, _text: &str) -> io::Result<()> {
        Ok(())
    }

    /// Says what is left to say at the end to a user who is elsewhere.
    ///
    /// # Errors
    /// When the terminal does not take the words any more.
    fn part(&mut self, _lines: &[String]) -> io::Result<()> {
        Ok(())
    }
}
