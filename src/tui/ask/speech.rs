//! The editor in which a debater writes a speech: lines of text, with quotes of the source between `<quote>` and
//! `</quote>`.
//!
//! Every typed character belongs to the text. Quotes are looked up in the source as they are written.

use crate::tui::widget::Canvas;
use std::cell::RefCell;
use std::sync::Arc;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;
use unicode_segmentation::UnicodeSegmentation as _;

use super::widget::{AnswerWidget, RowsNeededByWidget, UnmappedWidgetInput};
use crate::tui::actions::Contexts;
use crate::tui::keys::{Action, SPEECH};
use crate::tui::theme::TextRole;
use crate::tui::widget::measure;
use crate::tui::widget::scroll::{Entry, TextWithRole, WrappedLines};
use debate_core::number::Exact;
use debate_core::protocol::Reply;
use debate_core::scenario::{
    MAX_SPEECH, QUOTE_MARKS, QuotableSource, QuoteRule, Speech, SpeechCharacterLimits,
};
use debate_core::text::{
    count_with_noun, format_as_sentence, is_unsafe_character, normalise_invisible_characters,
    replace_unsafe_multiline,
};

/// Minimum number of rows of the editor, if there is room.
const MIN_ROWS: usize = 5;
/// Maximum number of characters of a wrong quote that the error message shows.
const MAX_SHOWN_QUOTE: usize = 40;

/// The editor of a speech.
#[derive(Debug)]
pub struct SpeechEditor {
    limits: SpeechCharacterLimits,
    /// The source text to quote from; `None` for a judge, who does not quote.
    source: Option<Arc<QuotableSource>>,
    rule: QuoteRule,
    /// The part of the speech before the cursor; `behind` is the part after it.
    before: String,
    behind: String,
    /// The first row in view.
    top: usize,
    /// The speech with its quotes checked and its lines laid out, cached until the next edit.
    checked: RefCell<Option<CheckedText>>,
}

/// A checked text.
#[derive(Debug)]
struct CheckedText {
    /// The speech as styled text, including the cursor.
    entry: Entry,
    /// Every quote of the speech, and true if the rules accept it as a quote of the source.
    quotes: Vec<(String, bool)>,
    speech: Speech,
    /// The rows of the speech at a width of the editor: the width, the rows, and the index of the row with the cursor.
    rows: Option<(usize, Vec<Vec<TextWithRole>>, usize)>,
}

impl SpeechEditor {
    pub fn new(
        limits: SpeechCharacterLimits,
        source: Option<Arc<QuotableSource>>,
        rule: QuoteRule,
    ) -> Self {
        Self {
            limits,
            source,
            rule,
            before: String::new(),
            behind: String::new(),
            top: 0,
            checked: RefCell::default(),
        }
    }

    fn text(&self) -> String {
        format!("{}{}", self.before, self.behind)
    }

    /// Returns the line of the cursor: its text before the cursor, and after it.
    fn line(&self) -> (&str, &str) {
        let before = self.before.rsplit('\n').next().unwrap_or("");
        let behind = self.behind.split('\n').next().unwrap_or("");
        (before, behind)
    }

    fn insert(&mut self, text: &str) {
        // The limit exceeds the length of a valid speech, because a text that is too long is reported and not cut.
        if self.before.len() + self.behind.len() + text.len() <= 8 * MAX_SPEECH {
            self.before.push_str(text);
        }
    }

    /// Inserts the mark that ends the open quote before the cursor, or the mark that starts a quote if none is open.
    fn insert_quote_mark(&mut self) {
        let [open, close] = QUOTE_MARKS;
        let inside = match (self.before.rfind(open), self.before.rfind(close)) {
            (Some(opened), Some(closed)) => opened > closed,
            (opened, _) => opened.is_some(),
        };
        self.insert(if inside { close } else { open });
    }

    /// Moves the cursor by this number of bytes towards the beginning of the speech.
    fn move_back(&mut self, bytes: usize) {
        let rest = self
            .before
            .split_off(self.before.len().saturating_sub(bytes));
        self.behind.insert_str(0, &rest);
    }

    /// Moves the cursor by this number of bytes towards the end of the speech.
    fn move_forward(&mut self, bytes: usize) {
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

    /// Clears the results of the last check, because the text has changed.
    fn clear_check(&mut self) -> bool {
        *self.checked.get_mut() = None;
        true
    }

    /// Computes a value from the checked speech. The check runs once after each edit.
    fn with_checked<T>(&self, compute: impl FnOnce(&mut CheckedText) -> T) -> T {
        let mut checked = self.checked.borrow_mut();
        compute(checked.get_or_insert_with(|| self.check()))
    }

    /// True if the rules accept these words as a quote of the source.
    fn is_quote(&self, words: &str) -> bool {
        let Some(source) = &self.source else {
            return false;
        };
        match self.rule {
            QuoteRule::Strict => source.contains_quotation(words),
            QuoteRule::Lenient => source.matching_source_words(words).is_some(),
        }
    }

    fn check(&self) -> CheckedText {
        let text = self.text();
        let mut entry = Entry::default();
        let mut quotes = Vec::new();
        let mut at = 0;
        let cursor = self.before.len();
        let mut append = |role, piece: &str| {
            let end = at + piece.len();
            // The cursor is between two pieces, or inside one.
            let cut = cursor.checked_sub(at).filter(|_| cursor < end);
            let (front, back) = piece.split_at(cut.unwrap_or(0));
            let mut all = std::mem::take(&mut entry).append_span(role, front);
            if cut.is_some() {
                all = all.append_span(TextRole::Focus, "_");
            }
            entry = all.append_span(role, back);
            at = end;
        };
        let [open, close] = QUOTE_MARKS;
        let mut rest = text.as_str();
        while let Some((words, behind)) = rest.split_once(open) {
            append(TextRole::Text, words);
            append(TextRole::Faint, open);
            let Some((quote, after)) = behind.split_once(close) else {
                append(TextRole::Warning, behind);
                rest = "";
                break;
            };
            let is_quoted = self.is_quote(quote);
            let role = if is_quoted {
                TextRole::Good
            } else {
                TextRole::Bad
            };
            append(role, quote);
            append(TextRole::Faint, close);
            quotes.push((quote.to_owned(), is_quoted));
            rest = after;
        }
        append(TextRole::Text, rest);
        if self.behind.is_empty() {
            entry = entry.append_span(TextRole::Focus, "_");
        }
        CheckedText {
            entry,
            quotes,
            speech: Speech::parse(text.trim()).unwrap_or_default(),
            rows: None,
        }
    }

    /// Computes a value from the rows of the speech at a width of `columns`, and the index of the row with the cursor.
    fn with_rows<T>(
        &self,
        columns: usize,
        compute: impl FnOnce(&[Vec<TextWithRole>], usize) -> T,
    ) -> T {
        self.with_checked(|checked| {
            let known = checked.rows.take_if(|(at, ..)| *at == columns);
            let (_, rows, here) = checked.rows.insert(known.unwrap_or_else(|| {
                let rows = WrappedLines::wrap(&checked.entry, columns).pieces;
                let written = measure::wrap(&format!("{}_", self.before), columns).len();
                let here = written.saturating_sub(1).min(rows.len().saturating_sub(1));
                (columns, rows, here)
            }));
            compute(rows, *here)
        })
    }

    /// Handles a key that edits the text or moves the cursor. Returns false for all other keys.
    fn write_typed_character(&mut self, event: KeyEvent) -> bool {
        let control = event.modifiers.contains(KeyModifiers::CONTROL);
        let other = event
            .modifiers
            .intersects(KeyModifiers::ALT | KeyModifiers::SUPER);
        let (line, rest) = self.line();
        let (line, rest) = (line.len(), rest.len());
        match event.code {
            KeyCode::Char('a') if control => self.move_back(line),
            KeyCode::Char('e') if control => self.move_forward(rest),
            KeyCode::Char('u') if control => {
                let kept = self.before.len() - line;
                self.before.truncate(kept);
            }
            KeyCode::Char('w') if control => {
                let word = self.before.trim_end_matches(' ');
                let kept = word.rfind([' ', '\n']).map_or(0, |space| space + 1);
                self.before.truncate(kept);
            }
            KeyCode::Char(c) if !control && !other && !is_unsafe_character(c) => {
                self.insert(c.encode_utf8(&mut [0; 4]));
            }
            KeyCode::Enter if !control && !other => self.insert("\n"),
            KeyCode::Home => self.move_back(line),
            KeyCode::End => self.move_forward(rest),
            KeyCode::Left if event.modifiers.is_empty() => self.move_back(self.last_grapheme()),
            KeyCode::Right if event.modifiers.is_empty() => self.move_forward(self.next_grapheme()),
            KeyCode::Backspace => {
                let kept = self.before.len() - self.last_grapheme();
                self.before.truncate(kept);
            }
            KeyCode::Delete => {
                let removed = self.next_grapheme();
                self.behind.drain(..removed);
            }
            _ => return false,
        }
        self.clear_check()
    }

    /// Inserts a sentence of the source into the speech as a quote.
    fn quote(&mut self, words: &str) -> bool {
        let [open, close] = QUOTE_MARKS;
        let (line, _) = self.line();
        let gap = if line.is_empty() || line.ends_with(' ') {
            ""
        } else {
            " "
        };
        self.insert(&format!("{gap}{open}{words}{close} "));
        self.clear_check()
    }
}

impl AnswerWidget for SpeechEditor {
    fn context(&self) -> Contexts {
        SPEECH
    }

    fn reply(&self) -> Result<Reply<Exact>, String> {
        let speech = Speech::parse(self.text().trim())
            .map_err(|why| format_as_sentence(&why.to_string()))?;
        Ok(Reply::Speech(Box::new(speech)))
    }

    fn act(&mut self, action: Action) -> bool {
        match action {
            Action::Above => {
                let (line, _) = self.line();
                self.move_back(line.len() + usize::from(self.before.contains('\n')));
            }
            Action::Below => {
                let (_, rest) = self.line();
                self.move_forward(rest.len() + 1);
            }
            Action::Quote if self.source.is_some() => self.insert_quote_mark(),
            _ => return false,
        }
        self.clear_check()
    }

    fn input(&mut self, input: UnmappedWidgetInput<'_>) -> bool {
        match input {
            UnmappedWidgetInput::Key(event) => self.write_typed_character(event),
            UnmappedWidgetInput::Paste(text) => {
                self.insert(&replace_unsafe_multiline(
                    &normalise_invisible_characters(text).text,
                ));
                self.clear_check()
            }
            UnmappedWidgetInput::Quote(words) => self.quote(words),
            UnmappedWidgetInput::Wheel(lines) => {
                self.top = self.top.saturating_add_signed(lines);
                true
            }
            UnmappedWidgetInput::Character(_)
            | UnmappedWidgetInput::Erase
            | UnmappedWidgetInput::Enter
            | UnmappedWidgetInput::Click { .. } => false,
        }
    }

    fn rows(&self, columns: u16) -> RowsNeededByWidget {
        RowsNeededByWidget {
            all: self.with_rows(columns.into(), |rows, _| rows.len().max(MIN_ROWS)),
            least: MIN_ROWS,
        }
    }

    fn notes(&self) -> Vec<(TextRole, String)> {
        let count = |given: usize, most: Option<u32>, what: &str| match most {
            Some(most) => format!("{given} of {most} characters{what}"),
            None => format!(
                "{}{what}",
                count_with_noun(given, "character", "characters")
            ),
        };
        let (own, quoted, quotes) = self.with_checked(|checked| {
            let speech = &checked.speech;
            let lengths = (speech.own_text_char_count(), speech.quoted_char_count());
            (lengths.0, lengths.1, checked.quotes.clone())
        });
        let own_characters = count(own, self.limits.words, "");
        if self.source.is_none() {
            return vec![(TextRole::Faint, format!("{own_characters}."))];
        }
        let quoted_characters = count(quoted, self.limits.quotes, " quoted");
        let mut notes = vec![(
            TextRole::Faint,
            format!("{own_characters} of your own, {quoted_characters}."),
        )];
        let wrong = quotes
            .iter()
            .enumerate()
            .find(|(_, (_, is_quoted))| !is_quoted);
        match wrong {
            Some((index, (words, _))) => {
                let words = words.replace('\n', " ");
                let words = measure::clip(&words, MAX_SHOWN_QUOTE, "…");
                let sentence = format!(
                    "Quote {number} is not in the source: “{words}”.",
                    number = index + 1
                );
                notes.push((TextRole::Bad, sentence));
            }
            None if !quotes.is_empty() => {
                let sentence = match quotes.len() {
                    1 => "The quote is in the source.".to_owned(),
                    count => format!("All {count} quotes are in the source."),
                };
                notes.push((TextRole::Good, sentence));
            }
            None => {}
        }
        notes
    }

    fn draw(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        let height = usize::from(area.height);
        let scrolled = self.top;
        self.top = self.with_rows(area.width.into(), |rows, here| {
            let most = rows.len().saturating_sub(height);
            let top = scrolled
                .max((here + 1).saturating_sub(height))
                .min(here)
                .min(most);
            for (number, pieces) in rows.iter().skip(top).take(height).enumerate() {
                let mut row = measure::row(area, number);
                for piece in pieces {
                    let drawn = canvas.draw_text_line(&piece.text, piece.role, row);
                    row = measure::skip_columns(row, drawn);
                }
            }
            top
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(editor: &mut SpeechEditor, text: &str) {
        for c in text.chars() {
            assert!(
                editor.write_typed_character(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE))
            );
        }
    }

    fn editor_under(rule: QuoteRule) -> SpeechEditor {
        let source = QuotableSource::new("They left at noon. Nobody saw it.".to_owned());
        SpeechEditor::new(
            SpeechCharacterLimits::default(),
            Some(Arc::new(source)),
            rule,
        )
    }

    fn editor() -> SpeechEditor {
        editor_under(QuoteRule::Lenient)
    }

    #[test]
    fn a_quote_in_another_case_is_shown_as_the_rules_take_it() {
        for (rule, note) in [
            (QuoteRule::Lenient, "The quote is in the source."),
            (
                QuoteRule::Strict,
                "Quote 1 is not in the source: “AT noon”.",
            ),
        ] {
            let mut editor = editor_under(rule);
            typed(&mut editor, "<quote>AT noon</quote>");
            assert_eq!(editor.notes()[1].1, note);
        }
    }

    fn sent(editor: &SpeechEditor) -> String {
        match editor.reply() {
            Ok(Reply::Speech(speech)) => speech.to_string(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_speech_is_written_line_by_line_and_its_quotes_are_looked_up() {
        let mut editor = editor();
        typed(&mut editor, "He left:");
        assert!(editor.quote("at noon."));
        editor.write_typed_character(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE));
        typed(&mut editor, "日本");
        let send = KeyEvent::new(KeyCode::Enter, KeyModifiers::ALT);
        assert!(!editor.write_typed_character(send));
        assert_eq!(sent(&editor), "He left: <quote>at noon.</quote> \n日本");
        let notes = editor.notes();
        assert_eq!(
            notes[0].1,
            "13 characters of your own, 8 characters quoted."
        );
        assert_eq!(notes[1].1, "The quote is in the source.");
        assert!(editor.act(Action::Quote));
        typed(&mut editor, "at dusk");
        assert!(editor.act(Action::Quote));
        assert!(sent(&editor).ends_with("日本<quote>at dusk</quote>"));
        let (role, with_checked) = editor.notes().remove(1);
        assert_eq!(role, TextRole::Bad);
        assert_eq!(with_checked, "Quote 2 is not in the source: “at dusk”.");
    }

    #[test]
    fn a_judge_cannot_quote() {
        let mut editor =
            SpeechEditor::new(SpeechCharacterLimits::default(), None, QuoteRule::Lenient);
        typed(&mut editor, "Why?");
        assert!(!editor.act(Action::Quote));
        assert_eq!(
            editor.notes(),
            [(TextRole::Faint, "4 characters.".to_owned())]
        );
    }

    #[test]
    fn the_cursor_moves_by_keys() {
        let mut editor = editor();
        let press = |editor: &mut SpeechEditor, code| {
            editor.write_typed_character(KeyEvent::new(code, KeyModifiers::NONE));
        };
        assert!(editor.input(UnmappedWidgetInput::Paste("ab\u{1b}\ncd")));
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
        let line = |spans: &Vec<TextWithRole>| -> String {
            spans.iter().map(|span| span.text.as_str()).collect()
        };
        let shown = editor.with_rows(80, |rows, here| {
            (rows.iter().map(line).collect::<Vec<_>>(), here)
        });
        assert_eq!(shown, (vec!["bx".to_owned(), "e_d".to_owned()], 1));
    }

    #[test]
    fn an_unclosed_quotation_mark_is_refused() {
        let mut editor = editor();
        typed(&mut editor, "<quote>noon");
        let wrong = editor.reply().unwrap_err();
        assert!(wrong.starts_with("One of the marks <quote>"), "{wrong}");
    }
}
