//! A speech: lines of text, in which quotes stand between `<quote>` and `</quote>`.
//!
//! Enter ends a line and begins another; on an empty line it sends the speech. Every character that
//! is typed belongs to the text.

use ratatui::{
    buffer::Buffer,
    crossterm::event::{KeyCode, KeyEvent, KeyModifiers},
    layout::{Position, Rect},
};
use unicode_segmentation::UnicodeSegmentation as _;

use super::Widget;
use crate::tui::actions::Contexts;
use crate::tui::panel::measure;
use crate::tui::screen::{Action, keys::WRITING};
use crate::tui::theme::{Appearance, StyleRole};
use debate_core::number::Exact;
use debate_core::protocol::Reply;
use debate_core::scenario::{MAX_SPEECH, Speech, SpeechLimits};
use debate_core::text::{is_unsafe, safe_multiline};

/// The rows that it has at least, where there is room.
const ROWS: usize = 5;

/// The editor.
#[derive(Debug)]
pub(super) struct SpeechEditor {
    limits: SpeechLimits,
    /// What is written before the cursor, and behind it.
    before: String,
    behind: String,
    /// The first row in view.
    top: usize,
}

impl SpeechEditor {
    pub(super) fn new(limits: SpeechLimits) -> Self {
        Self {
            limits,
            before: String::new(),
            behind: String::new(),
            top: 0,
        }
    }

    fn text(&self) -> String {
        format!("{}{}", self.before, self.behind)
    }

    /// The line of the cursor, as far as it is written before the cursor and behind it.
    fn line(&self) -> (&str, &str) {
        let before = self.before.rsplit('\n').next().unwrap_or("");
        let behind = self.behind.split('\n').next().unwrap_or("");
        (before, behind)
    }

    fn insert(&mut self, text: &str) {
        // Room for a quote more than can be said: what is too long is told and not cut.
        if self.before.len() + self.behind.len() + text.len() <= 8 * MAX_SPEECH {
            self.before.push_str(text);
        }
    }

    /// Takes so many bytes from what stands before the cursor to what stands behind it.
    fn back(&mut self, bytes: usize) {
        let rest = self
            .before
            .split_off(self.before.len().saturating_sub(bytes));
        self.behind.insert_str(0, &rest);
    }

    /// Takes so many bytes from what stands behind the cursor to what stands before it.
    fn on(&mut self, bytes: usize) {
        let rest = self.behind.split_off(bytes.min(self.behind.len()));
        self.before.push_str(&self.behind);
        self.behind = rest;
    }

    fn last_grapheme(&self) -> usize {
        self.before.graphemes(true).next_back().map_or(0, str::len)
    }

    fn next_grapheme(&self) -> usize {
        self.behind.graphemes(true).next().map_or(0, str::len)
    }

    /// The rows of the text with its cursor, and the row that the cursor is in.
    fn told(&self, columns: usize) -> (Vec<String>, usize) {
        let text = format!("{}_{}", self.before, self.behind);
        let rows: Vec<String> = measure::wrap(&text, columns)
            .into_iter()
            .map(str::to_owned)
            .collect();
        let written = measure::wrap(&format!("{}_", self.before), columns).len();
        let here = written.saturating_sub(1).min(rows.len().saturating_sub(1));
        (rows, here)
    }
}

impl Widget for SpeechEditor {
    fn context(&self) -> Contexts {
        WRITING
    }

    fn reply(&self) -> Result<Reply<Exact>, String> {
        let speech = Speech::parse(self.text().trim());
        let speech = speech.map_err(|why| {
            let why = why.to_string();
            let mut letters = why.chars();
            let first = letters.next().map(|c| c.to_uppercase().to_string());
            format!("{}{}.", first.unwrap_or_default(), letters.as_str())
        })?;
        Ok(Reply::Speech(Box::new(speech)))
    }

    fn act(&mut self, action: Action) -> bool {
        match action {
            Action::Above => {
                let (line, _) = self.line();
                self.back(line.len() + usize::from(self.before.contains('\n')));
            }
            Action::Below => {
                let (_, rest) = self.line();
                self.on(rest.len() + 1);
            }
            _ => return false,
        }
        true
    }

    fn press(&mut self, _c: char) -> bool {
        false
    }

    fn type_key(&mut self, event: KeyEvent) -> bool {
        let control = event.modifiers.contains(KeyModifiers::CONTROL);
        let other = event
            .modifiers
            .intersects(KeyModifiers::ALT | KeyModifiers::SUPER);
        let (line, rest) = self.line();
        let (line, rest) = (line.len(), rest.len());
        match event.code {
            KeyCode::Char('a') if control => self.back(line),
            KeyCode::Char('e') if control => self.on(rest),
            KeyCode::Char('u') if control => {
                let kept = self.before.len() - line;
                self.before.truncate(kept);
            }
            KeyCode::Char('w') if control => {
                let word = self.before.trim_end_matches(' ');
                let kept = word.rfind([' ', '\n']).map_or(0, |space| space + 1);
                self.before.truncate(kept);
            }
            KeyCode::Char(c) if !control && !other && !is_unsafe(c) => {
                self.insert(c.encode_utf8(&mut [0; 4]));
            }
            KeyCode::Home => self.back(line),
            KeyCode::End => self.on(rest),
            KeyCode::Left if event.modifiers.is_empty() => self.back(self.last_grapheme()),
            KeyCode::Right if event.modifiers.is_empty() => self.on(self.next_grapheme()),
            KeyCode::Backspace => {
                let kept = self.before.len() - self.last_grapheme();
                self.before.truncate(kept);
            }
            KeyCode::Delete => {
                let gone = self.next_grapheme();
                self.behind.drain(..gone);
            }
            _ => return false,
        }
        true
    }

    fn paste(&mut self, text: &str) -> bool {
        self.insert(&safe_multiline(&text.replace('\t', " ")));
        true
    }

    /// Begins a new line; on an empty line there is nothing to end.
    fn settle(&mut self) -> bool {
        let (before, behind) = self.line();
        let written = !before.trim().is_empty() || !behind.trim().is_empty();
        if written {
            self.insert("\n");
        }
        written
    }

    fn scroll(&mut self, lines: isize) -> bool {
        self.top = self.top.saturating_add_signed(lines);
        true
    }

    fn click(&mut self, _at: Position, _area: Rect) -> bool {
        false
    }

    fn rows(&self, columns: u16) -> usize {
        self.told(columns.into()).0.len().max(ROWS)
    }

    fn least_rows(&self, _columns: u16) -> usize {
        ROWS
    }

    fn notes(&self) -> Vec<(StyleRole, String)> {
        let speech = Speech::parse(self.text().trim()).unwrap_or_default();
        let count = |given: usize, most: Option<u32>, what: &str| match most {
            Some(most) => format!("{given} of {most} characters {what}"),
            None => format!("{given} characters {what}"),
        };
        let own = count(speech.own_length(), self.limits.words, "of your own");
        let quoted = count(speech.quoted_length(), self.limits.quotes, "quoted");
        vec![
            (StyleRole::Text, format!("{own}, {quoted}.")),
            (
                StyleRole::Faint,
                "Enter begins a new line; on an empty line it sends. Quotes: <quote>words of the \
                 source</quote>."
                    .to_owned(),
            ),
        ]
    }

    fn draw(&mut self, look: &Appearance, buffer: &mut Buffer, area: Rect) {
        let height = usize::from(area.height);
        let (rows, here) = self.told(area.width.into());
        let most = rows.len().saturating_sub(height);
        self.top = self
            .top
            .max((here + 1).saturating_sub(height))
            .min(here)
            .min(most);
        for (number, text) in rows.iter().skip(self.top).take(height).enumerate() {
            let row = measure::row(area, number);
            measure::put(text, look.style(StyleRole::Text), buffer, row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(editor: &mut SpeechEditor, text: &str) {
        for c in text.chars() {
            assert!(editor.type_key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)));
        }
    }

    fn sent(editor: &SpeechEditor) -> String {
        match editor.reply() {
            Ok(Reply::Speech(speech)) => speech.to_string(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_speech_is_written_line_by_line_and_sent_on_an_empty_one() {
        let mut editor = SpeechEditor::new(SpeechLimits::default());
        typed(&mut editor, "He left: <quote>noon</quote>.");
        assert!(editor.settle());
        typed(&mut editor, "日本");
        assert!(editor.settle());
        assert!(!editor.settle());
        assert_eq!(sent(&editor), "He left: <quote>noon</quote>.\n日本");
        let told = editor.notes().remove(0).1;
        assert_eq!(told, "13 characters of your own, 4 characters quoted.");
    }

    #[test]
    fn the_cursor_goes_where_it_is_told() {
        let mut editor = SpeechEditor::new(SpeechLimits::default());
        let press = |editor: &mut SpeechEditor, code| {
            editor.type_key(KeyEvent::new(code, KeyModifiers::NONE));
        };
        assert!(editor.paste("ab\u{1b}\ncd"));
        press(&mut editor, KeyCode::Left);
        press(&mut editor, KeyCode::Backspace);
        assert_eq!(editor.text(), "ab\u{fffd}\nd");
        assert!(editor.act(Action::Above));
        press(&mut editor, KeyCode::Backspace);
        typed(&mut editor, "x");
        assert_eq!(editor.text(), "abx\nd");
        press(&mut editor, KeyCode::Home);
        press(&mut editor, KeyCode::Delete);
        assert_eq!(editor.text(), "bx\nd");
        assert!(editor.act(Action::Below));
        typed(&mut editor, "e");
        assert_eq!(editor.text(), "bx\ned");
        let (rows, here) = editor.told(80);
        assert_eq!((rows, here), (vec!["bx".to_owned(), "e_d".to_owned()], 1));
    }

    #[test]
    fn half_a_mark_is_told() {
        let mut editor = SpeechEditor::new(SpeechLimits::default());
        typed(&mut editor, "<quote>noon");
        let wrong = editor.reply().unwrap_err();
        assert!(wrong.starts_with("A quote stands between"), "{wrong}");
    }
}
