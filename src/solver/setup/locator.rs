//! Finds the line and column of a value in a scenario file.
//!
//! A file is read once, by the parser; only when something is wrong with it does [`locate`] walk
//! the text again along the flaw's path. By hand: `ron` says where it stopped reading, and its values
//! do not know where they stood.

use debate_core::scenario::{Path, PathSegment};

/// The line and column of the value at `path`, both from 1, the column in characters.
///
/// Where the path leads to something that the file leaves out, the place of the innermost value
/// that is there. Of two map entries with the same key the last one is meant. `None` where the
/// text is no scenario at all.
pub(super) fn locate(source: &str, path: &Path) -> Option<(usize, usize)> {
    let mut locator = RonLocator { source, at: 0 };
    locator.skip_attributes()?;
    let mut offset = locator.at;
    let steps = path.steps();
    for (number, step) in steps.iter().enumerate() {
        locator.enter_some();
        let last = number + 1 == steps.len();
        let reached = match step {
            PathSegment::Field(name) => locator.go_to_field(name),
            PathSegment::Entry(key) => locator.go_to_entry(key, last),
            PathSegment::Item(index) => locator.go_to_item(*index),
        };
        let Some(place) = reached else { break };
        offset = place;
    }
    Some(line_and_column(source, offset))
}

/// The line and column of a byte offset, both from 1.
pub(super) fn line_and_column(source: &str, offset: usize) -> (usize, usize) {
    let before = source.get(..offset).unwrap_or(source);
    let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = 1 + before
        .get(start..)
        .map_or(0, |line_start| line_start.chars().count());
    (line, column)
}

/// The byte offset of a line and column, both from 1.
pub(super) fn offset(source: &str, line: usize, column: usize) -> usize {
    let start = source
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum::<usize>();
    let rest = source.get(start..).unwrap_or("");
    let within = rest
        .char_indices()
        .nth(column.saturating_sub(1))
        .map_or(rest.len(), |(index, _)| index);
    start + within
}

/// A raw slice without the space and comments around its one value.
pub(super) fn value(raw: &str) -> &str {
    let mut locator = RonLocator { source: raw, at: 0 };
    locator.skip_space();
    let start = locator.at;
    let end = locator.skip_value();
    raw.get(start..end).unwrap_or(raw)
}

/// The values of top-level fields as they are written, each `None` where the text leaves it out. The walk
/// ends with the last of them: the header of a file is read so far quicker than by the parser.
pub(super) fn fields<'s, const N: usize>(
    source: &'s str,
    names: [&str; N],
) -> [Option<&'s str>; N] {
    let mut locator = RonLocator { source, at: 0 };
    let mut values = [None; N];
    let opened = locator
        .skip_attributes()
        .and_then(|()| locator.open(&['(']));
    while opened.is_some() && values.contains(&None) {
        let Some(name) = locator.next_field() else {
            break;
        };
        let start = locator.at;
        let end = locator.skip_value();
        if let Some(place) = names.iter().position(|known| *known == name) {
            values[place] = source.get(start..end);
        }
    }
    values
}

struct RonLocator<'s> {
    source: &'s str,
    at: usize,
}

impl<'s> RonLocator<'s> {
    fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn advance(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    fn take(&mut self, expected: char) -> bool {
        let there = self.peek() == Some(expected);
        if there {
            self.advance();
        }
        there
    }

    /// Goes to the end of the next occurrence, or of the text.
    fn skip_past(&mut self, end: &str) {
        self.at += self
            .rest()
            .find(end)
            .map_or_else(|| self.rest().len(), |start| start + end.len());
    }

    fn skip_space(&mut self) {
        loop {
            let rest = self.rest();
            let bare = rest.trim_start_matches(|c: char| {
                c.is_whitespace() || matches!(c, '\u{200E}' | '\u{200F}')
            });
            self.at += rest.len() - bare.len();
            if bare.starts_with("//") {
                self.skip_past("\n");
            } else if bare.starts_with("/*") {
                self.skip_block_comment();
            } else {
                return;
            }
        }
    }

    fn skip_block_comment(&mut self) {
        let mut open = 0_usize;
        loop {
            let rest = self.rest();
            if rest.starts_with("/*") {
                open += 1;
                self.at += 2;
            } else if rest.starts_with("*/") {
                open -= 1;
                self.at += 2;
            } else {
                self.advance();
            }
            if open == 0 || self.rest().is_empty() {
                return;
            }
        }
    }

    /// `#![enable(…)]` and the like at the top of a file.
    fn skip_attributes(&mut self) -> Option<()> {
        self.skip_space();
        while self.take('#') {
            self.take('!');
            self.skip_space();
            if self.peek() != Some('[') {
                return None;
            }
            self.advance();
            self.skip_to_closing();
            self.advance();
            self.skip_space();
        }
        self.peek().map(|_| ())
    }

    /// Goes to the bracket that closes what has just been opened.
    fn skip_to_closing(&mut self) {
        loop {
            self.skip_value();
            match self.peek() {
                Some(',' | ':') => self.advance(),
                _ => return,
            }
        }
    }

    /// Goes to the comma, colon or closing bracket after the value, or to the end of the text.
    /// Returns where the value itself ends.
    fn skip_value(&mut self) -> usize {
        let mut open = 0_usize;
        let mut end = self.at;
        loop {
            self.skip_space();
            match self.peek() {
                None => return end,
                Some('"') => self.skip_string(),
                Some('\'') => self.skip_char(),
                Some('r' | 'b') => self.skip_word(),
                Some(letter) if letter.is_alphanumeric() => {
                    self.word();
                }
                Some('(' | '[' | '{') => {
                    open += 1;
                    self.advance();
                }
                Some(')' | ']' | '}' | ',' | ':') if open == 0 => return end,
                Some(')' | ']' | '}') => {
                    open -= 1;
                    self.advance();
                }
                Some(_) => self.advance(),
            }
            end = self.at;
        }
    }

    fn skip_string(&mut self) {
        self.advance();
        while let Some(found) = self.rest().find(['"', '\\']) {
            self.at += found;
            if self.take('"') {
                return;
            }
            self.advance();
            self.advance();
        }
        self.at = self.source.len();
    }

    fn skip_char(&mut self) {
        self.advance();
        if self.take('\\') {
            self.advance();
            self.skip_past("'");
        } else {
            self.advance();
            self.take('\'');
        }
    }

    /// A name that starts with `r` or `b`, or a raw or byte string.
    fn skip_word(&mut self) {
        let rest = self.rest();
        let hashes = rest.trim_start_matches('b').trim_start_matches('r');
        let quote = hashes.trim_start_matches('#');
        let prefix = rest.len() - hashes.len();
        let is_raw = rest.starts_with('r') || rest.starts_with("br");
        if quote.starts_with('"') && is_raw && prefix <= 2 {
            let count = hashes.len() - quote.len();
            self.at += prefix + count + 1;
            self.skip_past(&format!("\"{}", "#".repeat(count)));
        } else if hashes.starts_with(['"', '\'']) && prefix == 1 {
            self.advance();
        } else {
            self.word();
        }
    }

    fn word(&mut self) -> &'s str {
        let rest = self.rest();
        let bare = rest.strip_prefix("r#").unwrap_or(rest);
        let end = bare
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(bare.len());
        let prefix = rest.len() - bare.len();
        // Always onwards, whatever stands here.
        self.at += (prefix + end).max(self.peek().map_or(0, char::len_utf8));
        bare.get(..end).unwrap_or("")
    }

    /// Goes into `Some(…)`.
    fn enter_some(&mut self) {
        self.skip_space();
        let start = self.at;
        if self.word() == "Some" {
            self.skip_space();
            if self.take('(') {
                return self.enter_some();
            }
        }
        self.at = start;
    }

    /// Goes behind the bracket that opens the value at hand: `Claim(`, `[`, or the `{` of
    /// `Table({`.
    fn open(&mut self, brackets: &[char]) -> Option<()> {
        loop {
            self.skip_space();
            if self.peek().is_some_and(|c| c.is_alphabetic() || c == '_') {
                self.word();
                self.skip_space();
            }
            let bracket = self.peek()?;
            self.advance();
            if brackets.contains(&bracket) {
                return Some(());
            }
            if bracket != '(' {
                return None;
            }
        }
    }

    /// Goes to the next entry of a struct, list or map; `None` where there is none.
    fn next_entry(&mut self) -> Option<()> {
        self.skip_space();
        self.take(',');
        self.skip_space();
        match self.peek()? {
            ')' | ']' | '}' => None,
            _ => Some(()),
        }
    }

    /// Goes to the value of the next field of a struct, of which this is the name.
    fn next_field(&mut self) -> Option<&'s str> {
        self.next_entry()?;
        let name = self.word();
        self.skip_space();
        let has_value = self.take(':');
        self.skip_space();
        has_value.then_some(name)
    }

    fn go_to_field(&mut self, name: &str) -> Option<usize> {
        self.open(&['('])?;
        while self.next_field()? != name {
            self.skip_value();
        }
        Some(self.at)
    }

    /// The place of the entry's key; the walk goes on at its value.
    fn go_to_entry(&mut self, key: &str, last: bool) -> Option<usize> {
        self.open(&['{'])?;
        let mut offset = None;
        while self.next_entry().is_some() {
            let start = self.at;
            let end = self.skip_value();
            let written = self.source.get(start..end).unwrap_or("");
            if !self.take(':') {
                break;
            }
            self.skip_space();
            if is_key(written, key) {
                offset = Some((start, self.at));
                if !last {
                    break;
                }
            }
            self.skip_value();
        }
        let (start, behind) = offset?;
        self.at = behind;
        Some(start)
    }

    fn go_to_item(&mut self, index: usize) -> Option<usize> {
        self.open(&['[', '('])?;
        for _ in 0..index {
            self.next_entry()?;
            self.skip_value();
        }
        self.next_entry()?;
        Some(self.at)
    }
}

fn is_key(written: &str, key: &str) -> bool {
    let plain = written
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .filter(|inner| !inner.contains('\\'));
    match plain {
        Some(inner) => inner == key,
        None => ron::from_str::<String>(written).is_ok_and(|decoded| decoded == key),
    }
}

#[cfg(test)]
mod tests;
