//! A line that the user is typing: a search term, a name, a command.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::measure;
use tui_input::{Input, InputRequest};

/// Maximum number of characters of a typed line; further ones are dropped.
const MAX_CHARACTERS: usize = 200;

/// The effect of a key on a line that the user is typing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineInputResult {
    /// The key changed the line or moved its cursor.
    Changed,
    /// The line was submitted.
    Submitted,
    /// The line was cancelled.
    Cancelled,
    /// The key has no effect on the line.
    Ignored,
}

/// A line of text that the user types, with its cursor.
#[derive(Clone, Debug, Default)]
pub struct TextInput {
    input: Input,
}

impl TextInput {
    /// Creates a line with an initial text and the cursor at its end.
    pub fn with_text(text: &str) -> Self {
        let mut line = Self::default();
        line.paste(text);
        line
    }

    /// Returns the text typed so far.
    pub fn typed_text(&self) -> &str {
        self.input.value()
    }

    /// Handles a key.
    pub fn key(&mut self, event: KeyEvent) -> LineInputResult {
        let control = event.modifiers.contains(KeyModifiers::CONTROL);
        let alt = event.modifiers.contains(KeyModifiers::ALT);
        let request = match event.code {
            KeyCode::Enter => return LineInputResult::Submitted,
            KeyCode::Esc => return LineInputResult::Cancelled,
            KeyCode::Char('u') if control => InputRequest::DeleteLine,
            KeyCode::Char('w') if control => InputRequest::DeletePrevWord,
            KeyCode::Char('a') if control => InputRequest::GoToStart,
            KeyCode::Char('e') if control => InputRequest::GoToEnd,
            KeyCode::Backspace => InputRequest::DeletePrevChar,
            KeyCode::Delete => InputRequest::DeleteNextChar,
            KeyCode::Left => InputRequest::GoToPrevChar,
            KeyCode::Right => InputRequest::GoToNextChar,
            KeyCode::Home => InputRequest::GoToStart,
            KeyCode::End => InputRequest::GoToEnd,
            KeyCode::Char(c) if !control && !alt => {
                self.insert(c);
                return LineInputResult::Changed;
            }
            _ => return LineInputResult::Ignored,
        };
        self.input.handle(request);
        LineInputResult::Changed
    }

    /// Inserts a pasted text without control characters, up to the maximum length of a line.
    pub fn paste(&mut self, text: &str) {
        for c in text.chars().take(MAX_CHARACTERS) {
            self.insert(c);
        }
    }

    /// Returns the part of the line around the cursor that fits into `columns`, with an inserted `_` at the cursor.
    pub fn visible_text(&self, columns: usize) -> String {
        let at = self.input.cursor();
        let before: String = self.typed_text().chars().take(at).collect();
        let after: String = self.typed_text().chars().skip(at).collect();
        let room = columns.saturating_sub(1);
        let front = measure::longest_fitting_end(&before, room);
        let left = room - measure::width(front);
        let (back, _) = measure::split_at(&after, left);
        format!("{front}_{back}")
    }

    fn insert(&mut self, c: char) {
        if !c.is_control() && self.typed_text().chars().count() < MAX_CHARACTERS {
            self.input.handle(InputRequest::InsertChar(c));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(line: &mut TextInput, code: KeyCode) -> LineInputResult {
        line.key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn keys_edit_submit_and_cancel_a_line() {
        let mut line = TextInput::with_text("ab");
        assert_eq!(
            press(&mut line, KeyCode::Char('c')),
            LineInputResult::Changed
        );
        press(&mut line, KeyCode::Home);
        press(&mut line, KeyCode::Delete);
        press(&mut line, KeyCode::Char('x'));
        assert_eq!(line.typed_text(), "xbc");
        assert_eq!(line.visible_text(9), "x_bc");
        assert_eq!(press(&mut line, KeyCode::Tab), LineInputResult::Ignored);
        assert_eq!(press(&mut line, KeyCode::Enter), LineInputResult::Submitted);
        assert_eq!(press(&mut line, KeyCode::Esc), LineInputResult::Cancelled);
        let clear = KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL);
        assert_eq!(line.key(clear), LineInputResult::Changed);
        assert_eq!(line.typed_text(), "");
    }

    #[test]
    fn a_paste_is_cut_and_cleaned_and_the_cursor_stays_in_view() {
        let line = TextInput::with_text(&format!("a\u{1b}[31m\n{}", "x".repeat(1000)));
        assert!(line.typed_text().starts_with("a[31mx"));
        assert!(line.typed_text().chars().count() <= MAX_CHARACTERS);
        assert_eq!(line.visible_text(5), "xxxx_");
        assert_eq!(TextInput::with_text("日本語").visible_text(5), "本語_");
        assert_eq!(TextInput::with_text("ab").visible_text(0), "_");
    }
}
