//! A key, as the user writes it and as the terminal sends it.

use std::fmt;
use std::str::FromStr;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key with its modifiers, in one form however a terminal reports it: for characters, Shift is
/// in the character itself (`Q`, not `shift-q`).
///
/// ```
/// use debate_tui::tui::actions::Key;
/// let key: Key = "Shift-Left".parse().unwrap();
/// assert_eq!(key.to_string(), "shift-left");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

/// The error for a text that is no key.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is not a key; write for example `q`, `ctrl-z`, `shift-left`, `space` or `f1`")]
pub struct KeyError(String);

/// Names with the code, and the sign that stands for it where Unicode can be shown.
const NAMES: &[(&str, KeyCode, &str)] = &[
    ("space", KeyCode::Char(' '), "space"),
    ("enter", KeyCode::Enter, "enter"),
    ("esc", KeyCode::Esc, "esc"),
    ("tab", KeyCode::Tab, "tab"),
    ("backspace", KeyCode::Backspace, "backspace"),
    ("delete", KeyCode::Delete, "delete"),
    ("insert", KeyCode::Insert, "insert"),
    ("left", KeyCode::Left, "←"),
    ("right", KeyCode::Right, "→"),
    ("up", KeyCode::Up, "↑"),
    ("down", KeyCode::Down, "↓"),
    ("home", KeyCode::Home, "home"),
    ("end", KeyCode::End, "end"),
    ("pageup", KeyCode::PageUp, "page↑"),
    ("pagedown", KeyCode::PageDown, "page↓"),
    ("minus", KeyCode::Char('-'), "-"),
];

const MODIFIERS: &[(&str, KeyModifiers)] = &[
    ("ctrl", KeyModifiers::CONTROL),
    ("alt", KeyModifiers::ALT),
    ("shift", KeyModifiers::SHIFT),
];

impl Key {
    /// The key with this code and these modifiers.
    pub fn new(code: KeyCode, modifiers: KeyModifiers) -> Self {
        let known = KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT;
        let modifiers = modifiers & known;
        match code {
            KeyCode::BackTab => Self {
                code: KeyCode::Tab,
                modifiers: modifiers | KeyModifiers::SHIFT,
            },
            KeyCode::Char(' ') => Self { code, modifiers },
            // A terminal cannot tell ctrl-a from ctrl-A, so neither do we.
            KeyCode::Char(c) if modifiers.contains(KeyModifiers::CONTROL) => Self {
                code: KeyCode::Char(c.to_ascii_lowercase()),
                modifiers: modifiers - KeyModifiers::SHIFT,
            },
            KeyCode::Char(c) if modifiers.contains(KeyModifiers::SHIFT) => Self {
                code: KeyCode::Char(c.to_ascii_uppercase()),
                modifiers: modifiers - KeyModifiers::SHIFT,
            },
            _ => Self { code, modifiers },
        }
    }

    /// The character that this key types, if it types one.
    pub fn character(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if self.modifiers.is_empty() => Some(c),
            _ => None,
        }
    }

    /// The key as shown: as written in the configuration, or shorter with Unicode.
    pub fn label(self, unicode: bool) -> String {
        if !unicode {
            return match self.code {
                KeyCode::Char('-') => self.written("-"),
                _ => self.to_string(),
            };
        }
        let sign = NAMES
            .iter()
            .find(|(_, code, _)| *code == self.code)
            .map(|(_, _, sign)| *sign);
        sign.map_or_else(|| self.to_string(), |sign| self.written(sign))
    }

    fn written(self, name: &str) -> String {
        let mut text = String::new();
        for (modifier, _) in MODIFIERS
            .iter()
            .filter(|(_, bit)| self.modifiers.contains(*bit))
        {
            text.push_str(modifier);
            text.push('-');
        }
        text + name
    }
}

impl From<KeyEvent> for Key {
    fn from(event: KeyEvent) -> Self {
        Self::new(event.code, event.modifiers)
    }
}

impl From<Key> for KeyEvent {
    /// The key as a terminal sends it.
    fn from(key: Key) -> Self {
        match key.code {
            KeyCode::Tab if key.modifiers.contains(KeyModifiers::SHIFT) => {
                Self::new(KeyCode::BackTab, key.modifiers)
            }
            code => Self::new(code, key.modifiers),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES
            .iter()
            .find(|(_, code, _)| *code == self.code)
            .map(|(name, _, _)| *name);
        let text = match (name, self.code) {
            (Some(name), _) => self.written(name),
            (None, KeyCode::Char(c)) => self.written(c.encode_utf8(&mut [0; 4])),
            (None, KeyCode::F(n)) => self.written(&format!("f{n}")),
            (None, other) => self.written(&format!("{other:?}").to_lowercase()),
        };
        f.write_str(&text)
    }
}

impl FromStr for Key {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let mut rest = text;
        let mut modifiers = KeyModifiers::NONE;
        while let Some((word, after)) = rest.split_once('-') {
            let word = word.to_lowercase();
            let Some((_, bit)) = MODIFIERS.iter().find(|(name, _)| *name == word) else {
                break;
            };
            modifiers |= *bit;
            rest = after;
        }
        let mut characters = rest.chars();
        let code = match (characters.next(), characters.next()) {
            (Some(c), None) if !c.is_control() && !c.is_whitespace() => Some(KeyCode::Char(c)),
            _ => named(&rest.to_lowercase()),
        };
        let code = code.ok_or_else(|| KeyError(text.to_owned()))?;
        Ok(Self::new(code, modifiers))
    }
}

fn named(name: &str) -> Option<KeyCode> {
    let function = || {
        let number: u8 = name.strip_prefix('f')?.parse().ok()?;
        (1..=24).contains(&number).then_some(KeyCode::F(number))
    };
    let listed = NAMES
        .iter()
        .find(|(known, _, _)| *known == name)
        .map(|(_, code, _)| *code);
    listed.or_else(function)
}
