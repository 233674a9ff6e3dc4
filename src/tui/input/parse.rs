//! Parser for bytes from a terminal: keys, mouse events and pastes.
//!
//! Supports the output of terminals in raw mode with SGR mouse reports and bracketed paste. Parses UTF-8, control
//! characters, `ESC` before a key for Alt, and `ESC O` sequences. Parses `ESC [` sequences with xterm's modifier
//! parameter, and the `u` form of some terminals for other keys. Late answers (`ESC ]`) and all other `ESC [` sequences
//! of up to `SEQUENCE_LIMIT` bytes are skipped as a whole. So the rest of a sequence is not treated as typing.

use std::str;
use std::time::Duration;

use ratatui::crossterm::event::{
    self, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

use super::MainLoopMessage;

/// The time after which an `ESC` byte without further bytes is taken for the Esc key. The bytes of an escape sequence
/// arrive together.
const ESCAPE_PATIENCE: Duration = Duration::from_millis(40);
/// The pause within a paste after which the mark of its end is taken to be lost. The following bytes are then typed
/// keys.
const PASTE_PATIENCE: Duration = Duration::from_millis(200);
/// The size in bytes above which a paste is passed to the screen in parts, to bound memory.
const PASTE_PART: usize = 1 << 20;
/// The maximum number of bytes of an escape sequence after `ESC [` or `ESC ]`. Of a longer sequence, only these bytes
/// are skipped; the bytes after them are parsed as keys.
const SEQUENCE_LIMIT: usize = 1024;

const PASTE_END: &[u8] = b"\x1b[201~";

/// Turns bytes from the terminal into events and buffers incomplete input.
#[derive(Debug, Default)]
pub struct TerminalInputParser {
    pending: Vec<u8>,
    in_paste: bool,
    ready: Vec<event::Event>,
}

/// The result of parsing the beginning of the buffered bytes.
enum Token {
    /// The number of bytes consumed, and the event that they stand for, if any.
    Took(usize, Option<event::Event>),
    PasteStarts(usize),
    Incomplete,
}

impl TerminalInputParser {
    /// Parses these bytes, which come after the buffered ones, and buffers an incomplete end.
    pub fn feed(&mut self, bytes: &[u8]) {
        // The mark that ends a paste can start only in the last bytes of the part that was searched before.
        let searched = self.pending.len().saturating_sub(PASTE_END.len() - 1);
        self.pending.extend_from_slice(bytes);
        self.advance(searched);
    }

    /// Returns the time to wait for the remaining bytes of an incomplete escape sequence, character or paste; `None` if
    /// nothing is incomplete.
    pub fn incomplete_input_timeout(&self) -> Option<Duration> {
        if self.in_paste {
            Some(PASTE_PATIENCE)
        } else {
            (!self.pending.is_empty()).then_some(ESCAPE_PATIENCE)
        }
    }

    /// Parses the buffered bytes as if the input were complete, and drops an unfinished escape sequence or character.
    /// Called after the wait for more bytes has timed out.
    pub fn parse_pending_bytes_as_complete(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        if std::mem::take(&mut self.in_paste) {
            self.ready.push(event::Event::Paste(pasted(&pending)));
            return;
        }
        match pending[..] {
            [0x1b] => self.ready.push(key(KeyCode::Esc, KeyModifiers::NONE)),
            [0x1b, byte @ (b'[' | b'O' | b']')] => {
                self.ready
                    .push(key(KeyCode::Char(byte.into()), KeyModifiers::ALT));
            }
            _ => {}
        }
    }

    /// Removes and returns the messages that were parsed.
    pub fn messages<T>(&mut self) -> impl Iterator<Item = MainLoopMessage<T>> {
        self.ready.drain(..).filter_map(MainLoopMessage::from_event)
    }

    fn advance(&mut self, mut searched: usize) {
        let pending = std::mem::take(&mut self.pending);
        let mut rest = &pending[..];
        while !rest.is_empty() {
            if self.in_paste {
                let end =
                    find(&rest[searched.min(rest.len())..], PASTE_END).map(|at| at + searched);
                match end {
                    Some(end) => {
                        self.ready.push(event::Event::Paste(pasted(&rest[..end])));
                        self.in_paste = false;
                        rest = &rest[end + PASTE_END.len()..];
                    }
                    None if rest.len() > PASTE_PART + PASTE_END.len() => {
                        let part = whole_characters(&rest[..PASTE_PART]);
                        self.ready.push(event::Event::Paste(pasted(&rest[..part])));
                        rest = &rest[part..];
                    }
                    None => break,
                }
                searched = 0;
                continue;
            }
            match step(rest) {
                Token::Took(count, input) => {
                    self.ready.extend(input);
                    rest = &rest[count..];
                }
                Token::PasteStarts(count) => {
                    self.in_paste = true;
                    rest = &rest[count..];
                }
                Token::Incomplete => break,
            }
            searched = 0;
        }
        self.pending = rest.to_vec();
    }
}

fn find(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    bytes.windows(mark.len()).position(|window| window == mark)
}

fn whole_characters(bytes: &[u8]) -> usize {
    match str::from_utf8(bytes) {
        Err(e) if e.error_len().is_none() => e.valid_up_to().max(1),
        _ => bytes.len(),
    }
}

/// Decodes a pasted text. Terminals send the ends of its lines as carriage returns.
fn pasted(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes)
        .replace("\r\n", "\n")
        .replace('\r', "\n")
}

fn key(code: KeyCode, modifiers: KeyModifiers) -> event::Event {
    event::Event::Key(KeyEvent::new(code, modifiers))
}

fn step(bytes: &[u8]) -> Token {
    match bytes {
        [0x1b, rest @ ..] => match rest {
            [] => Token::Incomplete,
            [0x1b, ..] => Token::Took(1, Some(key(KeyCode::Esc, KeyModifiers::NONE))),
            [b'[', rest @ ..] => sequence(rest),
            [b']', rest @ ..] => answer(rest),
            [b'O', rest @ ..] => match rest {
                [] => Token::Incomplete,
                [last @ 0x40..=0x7e, ..] => {
                    Token::Took(3, letter(*last).map(|code| key(code, KeyModifiers::NONE)))
                }
                _ => Token::Took(2, Some(key(KeyCode::Char('O'), KeyModifiers::ALT))),
            },
            _ => match plain(rest) {
                Token::Took(count, input) => Token::Took(count + 1, input.map(with_alt)),
                other => other,
            },
        },
        _ => plain(bytes),
    }
}

fn with_alt(input: event::Event) -> event::Event {
    match input {
        event::Event::Key(mut event) => {
            event.modifiers |= KeyModifiers::ALT;
            event::Event::Key(event)
        }
        other => other,
    }
}

/// Parses a control character or a character of text.
fn plain(bytes: &[u8]) -> Token {
    let control = |c: u8| key(KeyCode::Char(c.into()), KeyModifiers::CONTROL);
    let one = match bytes[0] {
        b'\r' => key(KeyCode::Enter, KeyModifiers::NONE),
        b'\t' => key(KeyCode::Tab, KeyModifiers::NONE),
        0x7f => key(KeyCode::Backspace, KeyModifiers::NONE),
        0 => control(b' '),
        c @ 0x01..=0x1a => control(c - 1 + b'a'),
        c @ 0x1c..=0x1f => control(c - 0x1c + b'4'),
        _ => return character(bytes),
    };
    Token::Took(1, Some(one))
}

fn character(bytes: &[u8]) -> Token {
    let front = &bytes[..bytes.len().min(4)];
    let valid = match str::from_utf8(front) {
        Ok(text) => text,
        Err(e) if e.valid_up_to() > 0 => {
            str::from_utf8(&front[..e.valid_up_to()]).unwrap_or_default()
        }
        Err(e) => match e.error_len() {
            None => return Token::Incomplete,
            Some(count) => return Token::Took(count, None),
        },
    };
    let Some(c) = valid.chars().next() else {
        return Token::Took(1, None);
    };
    Token::Took(c.len_utf8(), Some(key(KeyCode::Char(c), shift_of(c))))
}

fn shift_of(c: char) -> KeyModifiers {
    if c.is_uppercase() {
        KeyModifiers::SHIFT
    } else {
        KeyModifiers::NONE
    }
}

/// Parses a sequence that begins with `ESC ]`: the terminal's answer to a query, for example about its background. Such
/// an answer is too late here, so it is skipped as a whole. Without a digit after it, `ESC ]` is the key Alt+].
fn answer(bytes: &[u8]) -> Token {
    const START: usize = 2;
    let within_limit = &bytes[..bytes.len().min(SEQUENCE_LIMIT)];
    let end = within_limit
        .iter()
        .position(|byte| !matches!(byte, 0x20..=0x7e));
    match (bytes, end) {
        ([], _) => Token::Incomplete,
        // Answers begin with a number.
        ([first, ..], _) if !first.is_ascii_digit() => {
            Token::Took(START, Some(key(KeyCode::Char(']'), KeyModifiers::ALT)))
        }
        (_, None) if within_limit.len() < SEQUENCE_LIMIT => Token::Incomplete,
        (_, None) => Token::Took(START + SEQUENCE_LIMIT, None),
        (_, Some(end)) => match &bytes[end..] {
            [0x07, ..] => Token::Took(START + end + 1, None),
            [0x1b, b'\\', ..] => Token::Took(START + end + 2, None),
            [0x1b] => Token::Incomplete,
            // Interrupted by another sequence, which is parsed separately.
            _ => Token::Took(START + end, None),
        },
    }
}

/// Parses bytes after `ESC [`.
fn sequence(bytes: &[u8]) -> Token {
    const START: usize = 2;
    match bytes {
        [b'[', last, ..] => {
            // The Linux console's F1 to F5.
            let code = matches!(last, b'A'..=b'E').then(|| KeyCode::F(last - b'A' + 1));
            return Token::Took(START + 2, code.map(|code| key(code, KeyModifiers::NONE)));
        }
        // The oldest mouse report, of three raw bytes, from terminals without SGR reports.
        [b'M', _, _, _, ..] => return Token::Took(START + 4, None),
        [b'['] | [b'M', ..] => return Token::Incomplete,
        _ => {}
    }
    let within_limit = &bytes[..bytes.len().min(SEQUENCE_LIMIT)];
    let Some(end) = within_limit
        .iter()
        .position(|byte| !matches!(byte, 0x20..=0x3f))
    else {
        return if within_limit.len() == SEQUENCE_LIMIT {
            Token::Took(START + SEQUENCE_LIMIT, None)
        } else {
            Token::Incomplete
        };
    };
    let last = bytes[end];
    if !matches!(last, 0x40..=0x7e) {
        // Interrupted by another sequence, which is parsed separately.
        return Token::Took(START + end, None);
    }
    let parameters = str::from_utf8(&bytes[..end]).unwrap_or_default();
    let took = START + end + 1;
    if last == b'~' && parameters == "200" {
        return Token::PasteStarts(took);
    }
    let input = match parameters.strip_prefix('<') {
        Some(report) => mouse(report, last),
        None => sequence_key(parameters, last),
    };
    Token::Took(took, input)
}

fn letter(last: u8) -> Option<KeyCode> {
    Some(match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'M' => KeyCode::Enter,
        b'P'..=b'S' => KeyCode::F(last - b'P' + 1),
        _ => return None,
    })
}

fn sequence_key(parameters: &str, last: u8) -> Option<event::Event> {
    let mut fields = parameters.split(';');
    let number = fields
        .next()
        .and_then(|field| field.split(':').next())
        .unwrap_or_default();
    let second = fields.next();
    let number: Option<u32> = number.parse().ok();
    let (modifiers, kind) = second.map_or((KeyModifiers::NONE, KeyEventKind::Press), modifiers);
    let mut modifiers = modifiers;
    let code = match last {
        b'Z' => {
            modifiers |= KeyModifiers::SHIFT;
            KeyCode::BackTab
        }
        b'~' if number == Some(27) => character_code(fields.next()?.parse().ok()?)?,
        b'~' => numbered(number?)?,
        b'u' => character_code(number?)?,
        // `ESC [ row ; column R` is an answer about the cursor, not F3.
        b'R' if number != Some(1) => return None,
        b'M' => return None,
        _ => letter(last)?,
    };
    if let KeyCode::Char(c) = code {
        modifiers |= shift_of(c);
    }
    Some(event::Event::Key(KeyEvent::new_with_kind(
        code, modifiers, kind,
    )))
}

fn numbered(number: u32) -> Option<KeyCode> {
    let function = |base: u32| u8::try_from(number - base).ok().map(KeyCode::F);
    match number {
        1 | 7 => Some(KeyCode::Home),
        2 => Some(KeyCode::Insert),
        3 => Some(KeyCode::Delete),
        4 | 8 => Some(KeyCode::End),
        5 => Some(KeyCode::PageUp),
        6 => Some(KeyCode::PageDown),
        11..=15 => function(10),
        17..=21 => function(11),
        23 | 24 => function(12),
        _ => None,
    }
}

fn character_code(number: u32) -> Option<KeyCode> {
    Some(match number {
        9 => KeyCode::Tab,
        13 => KeyCode::Enter,
        27 => KeyCode::Esc,
        127 => KeyCode::Backspace,
        _ => KeyCode::Char(char::from_u32(number).filter(|c| !c.is_control())?),
    })
}

fn modifiers(field: &str) -> (KeyModifiers, KeyEventKind) {
    let mut parts = field
        .split(':')
        .map(|part| part.parse::<u16>().unwrap_or(1));
    let bits = parts.next().unwrap_or(1).saturating_sub(1);
    let kind = match parts.next() {
        Some(2) => KeyEventKind::Repeat,
        Some(3) => KeyEventKind::Release,
        _ => KeyEventKind::Press,
    };
    (modifier_bits(bits, 1), kind)
}

fn modifier_bits(bits: u16, shift: u16) -> KeyModifiers {
    let names = [
        KeyModifiers::SHIFT,
        KeyModifiers::ALT,
        KeyModifiers::CONTROL,
    ];
    let set = |n: usize| bits & (shift << n) != 0;
    (0..3).filter(|&n| set(n)).map(|n| names[n]).collect()
}

fn mouse(report: &str, last: u8) -> Option<event::Event> {
    let mut fields = report.split(';').map(|field| field.parse::<u16>().ok());
    let bits = fields.next()??;
    let column = fields.next()??;
    let row = fields.next()??;
    let button = match bits & 3 {
        0 => Some(MouseButton::Left),
        1 => Some(MouseButton::Middle),
        2 => Some(MouseButton::Right),
        _ => None,
    };
    let kind = match (bits & 64 != 0, bits & 32 != 0, last) {
        (true, _, b'M') => [
            MouseEventKind::ScrollUp,
            MouseEventKind::ScrollDown,
            MouseEventKind::ScrollLeft,
            MouseEventKind::ScrollRight,
        ][usize::from(bits & 3)],
        (false, true, b'M') => MouseEventKind::Drag(button?),
        (false, false, b'M') => MouseEventKind::Down(button?),
        (false, _, b'm') => MouseEventKind::Up(button?),
        _ => return None,
    };
    Some(event::Event::Mouse(MouseEvent {
        kind,
        column: column.checked_sub(1)?,
        row: row.checked_sub(1)?,
        modifiers: modifier_bits(bits, 4),
    }))
}

#[cfg(test)]
mod tests;
