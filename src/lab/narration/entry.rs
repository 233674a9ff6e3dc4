//! Entries: a label and a body in pieces, each with what it is for.

use debate_core::protocol::Seat;

/// The meaning of a piece of text. A screen gives each a style, a page a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StyleRole {
    Text,
    /// Less important: units, explanations, what is over.
    Faint,
    /// Headings and names of panels.
    Title,
    /// Lines around panels.
    Border,
    /// Lines around the panel that has the keys.
    Focus,
    /// The line or choice that keys act on.
    Selected,
    /// The claim now being argued.
    Current,
    /// One picked out of several.
    Chosen,
    /// The latest event.
    Newest,
    /// A match of a search.
    Match,
    /// Gained, true, in order.
    Good,
    /// Lost, false, an error.
    Bad,
    /// Needs attention.
    Warning,
    /// A key in a footer or in help.
    Key,
    /// One of four parties, numbered from 0 (taken modulo 4).
    Party(u8),
}

/// The role of a party: Alice, Bob, the judge, chance.
pub fn seat_role(seat: Seat) -> StyleRole {
    StyleRole::Party(u8::try_from(seat.index()).unwrap_or(0))
}

/// A piece of text in one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextSpan {
    /// The text; line feeds break the line.
    pub text: String,
    pub role: StyleRole,
}

/// One entry: a label in the margin and a body that wraps beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// A speaker or a heading; cut when it is wider than the margin.
    pub label: String,
    /// `None`: ordinary text.
    pub label_role: Option<StyleRole>,
    pub body: Vec<TextSpan>,
    /// True if it takes no line at all.
    pub silent: bool,
}

impl Entry {
    pub fn new(label: impl Into<String>, label_role: StyleRole, body: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            label_role: Some(label_role),
            ..Self::default()
        }
        .then(StyleRole::Text, body)
    }

    pub fn silent() -> Self {
        Self {
            silent: true,
            ..Self::default()
        }
    }

    #[must_use]
    pub fn then(mut self, role: StyleRole, text: impl Into<String>) -> Self {
        self.body.push(TextSpan {
            text: text.into(),
            role,
        });
        self
    }
}
