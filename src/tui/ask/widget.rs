//! The widgets of the ask panel: one for each kind of answer.

use std::fmt::Debug;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

use crate::tui::actions::Contexts;
use crate::tui::keys::Action;
use crate::tui::theme::{Appearance, Role};
use debate_core::number::Exact;
use debate_core::protocol::Reply;
use debate_lab::tell::Narrator;

/// The widget that answers a request: it keeps the answer as it stands.
pub(in crate::tui) trait Widget: Debug {
    /// Which keys it has.
    fn context(&self) -> Contexts;

    /// The reply as it stands, or what is missing: names of actions in braces stand for their keys.
    fn reply(&self) -> Result<Reply<Exact>, String>;

    /// Does what a key of the table means; says whether it meant anything.
    fn act(&mut self, action: Action) -> bool;

    /// Takes a character that is no key of the table; says whether it meant anything.
    fn press(&mut self, c: char) -> bool;

    /// Takes a key before the table is asked what it means: where text is written. Says whether it
    /// was text.
    fn type_key(&mut self, _event: KeyEvent) -> bool {
        false
    }

    /// Takes a pasted text as a whole; says whether it did.
    fn paste(&mut self, _text: &str) -> bool {
        false
    }

    /// Takes a sentence of the source as a quote; says whether it did.
    fn quote(&mut self, _words: &str) -> bool {
        false
    }

    /// Takes back a typed character.
    fn erase(&mut self) -> bool {
        false
    }

    /// Ends what is being typed to go somewhere; says whether there was anything, so that enter
    /// ends that and sends nothing.
    fn settle(&mut self) -> bool {
        false
    }

    /// True if there is an edit to take back.
    fn is_edited(&self) -> bool {
        false
    }

    /// Takes the last edit back; says whether there was one.
    fn undo(&mut self) -> bool {
        false
    }

    /// Takes the wheel; says whether it meant anything.
    fn scroll(&mut self, _lines: isize) -> bool {
        false
    }

    /// Takes a click inside `area`, where it was drawn; says whether it hit anything.
    fn click(&mut self, at: Position, area: Rect) -> bool;

    /// The choice that is marked, where it is one of a few and one is marked.
    fn marked(&self) -> Option<usize> {
        None
    }

    /// Marks a choice.
    fn mark(&mut self, _place: usize) {}

    /// Puts what replies are worth beside the choices, where there are a few.
    fn hint(&mut self, _beside: &dyn Fn(&Reply<Exact>) -> String) {}

    /// Takes figures in another unit: what stands beside the choices, and the notes.
    fn reword(&mut self, _figures: Figures) {}

    /// The rows that it takes in so many columns.
    fn rows(&self, columns: u16) -> usize;

    /// The rows that it does with where there is not room for all.
    fn least_rows(&self, columns: u16) -> usize {
        self.rows(columns)
    }

    /// What is marked or set, for whoever does not see it; `None` where nothing is, and for what is written.
    fn in_words(&self) -> Option<String> {
        None
    }

    /// Sentences on the effect of the answer as it stands.
    fn notes(&self) -> Vec<(Role, String)>;

    /// Draws it.
    fn draw(&mut self, look: &Appearance, buffer: &mut Buffer, area: Rect);
}

/// What an answer pays, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::tui) struct Figures {
    /// Beside each choice; none where there are no choices.
    pub(super) beside: Vec<String>,
    pub(super) notes: Vec<String>,
}

pub(super) fn truth(holds: bool) -> &'static str {
    Narrator::truth(holds)
}
