//! One of several replies.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use super::widget::{Figures, Widget};
use crate::tui::actions::Contexts;
use crate::tui::keys::{Action, PICK};
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widget::choice::{Choice, Item};
use debate_core::number::Exact;
use debate_core::protocol::Reply;

/// A list of replies, one of which is marked.
#[derive(Debug)]
pub(super) struct PickList {
    choice: Choice,
    items: Vec<Item>,
    replies: Vec<Reply<Exact>>,
    /// The items without hints.
    plain: Vec<Item>,
    /// True if a choice was made: none is, to begin with, unless there is only one.
    made: bool,
    notes: Vec<String>,
}

impl PickList {
    pub(super) fn new(items: Vec<Item>, replies: Vec<Reply<Exact>>) -> Self {
        Self {
            choice: Choice::default(),
            made: items.len() == 1,
            plain: items.clone(),
            items,
            replies,
            notes: Vec::new(),
        }
    }

    pub(super) fn noting(mut self, note: String) -> Self {
        self.notes.push(note);
        self
    }
}

impl Widget for PickList {
    fn context(&self) -> Contexts {
        PICK
    }

    fn marked(&self) -> Option<usize> {
        self.made.then(|| self.choice.selected())
    }

    fn mark(&mut self, place: usize) {
        if place < self.items.len() {
            self.choice.select(place);
            self.made = true;
        }
    }

    fn in_words(&self) -> Option<String> {
        Some(self.items.get(self.marked()?)?.in_words())
    }

    fn reply(&self) -> Result<Reply<Exact>, String> {
        let reply = self
            .replies
            .get(self.choice.selected())
            .filter(|_| self.made);
        reply.cloned().ok_or_else(|| {
            let keys = self.items.iter().filter_map(|item| item.key);
            let keys: Vec<String> = keys.map(String::from).collect();
            if keys.is_empty() {
                "Choose first, by number if you like; then {send} sends it.".to_owned()
            } else {
                format!(
                    "Choose first: {}; then {{send}} sends it.",
                    keys.join(" or ")
                )
            }
        })
    }

    fn act(&mut self, action: Action) -> bool {
        let by = match action {
            Action::Above => -1,
            Action::Below => 1,
            _ => return false,
        };
        // The first step marks the first choice, or the last one.
        if self.made {
            self.choice.step(by, &self.items);
        } else {
            let last = self.items.len().saturating_sub(1);
            self.choice.select(if by > 0 { 0 } else { last });
            self.made = true;
        }
        true
    }

    fn press(&mut self, c: char) -> bool {
        let found = self.choice.press(c, &self.items).is_some();
        self.made |= found;
        found
    }

    fn click(&mut self, at: Position, area: Rect) -> bool {
        let Some(place) = self.choice.item_at(at.y - area.y, &self.items) else {
            return false;
        };
        self.mark(place);
        true
    }

    fn hint(&mut self, beside: &dyn Fn(&Reply<Exact>) -> String) {
        self.items.clone_from(&self.plain);
        for (item, reply) in self.items.iter_mut().zip(&self.replies) {
            let hint = beside(reply);
            item.value = match (item.value.is_empty(), hint.is_empty()) {
                (_, true) => continue,
                (true, false) => hint,
                (false, false) => format!("{} · {hint}", item.value),
            };
        }
    }

    fn reword(&mut self, figures: Figures) {
        for (item, value) in self.plain.iter_mut().zip(figures.beside) {
            item.value = value;
        }
        self.items.clone_from(&self.plain);
        self.notes = figures.notes;
    }

    fn rows(&self, columns: u16) -> usize {
        rows(&self.items, columns)
    }

    fn notes(&self) -> Vec<(StyleRole, String)> {
        let faint = |note: &String| (StyleRole::Faint, note.clone());
        self.notes.iter().map(faint).collect()
    }

    fn draw(&mut self, look: &Appearance, buffer: &mut Buffer, area: Rect) {
        self.choice.fit(&self.items, area);
        self.choice
            .render(&self.items, self.made, look, buffer, area);
    }
}

/// The rows that a list takes.
pub(super) fn rows(items: &[Item], columns: u16) -> usize {
    Choice::rows(items, columns)
}
