//! One of several replies.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::widget::{Figures, Widget, truth};
use crate::tui::actions::Contexts;
use crate::tui::keys::{Action, PICK, TOGGLES};
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget::choice::{Choice, Item};
use debate_core::gate::Gate;
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
            let keys: Vec<String> = self
                .items
                .iter()
                .filter_map(|item| item.key)
                .map(String::from)
                .collect();
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
        let is_item = self.choice.press(c, &self.items).is_some();
        self.made |= is_item;
        is_item
    }

    fn click(&mut self, at: Position, area: Rect) -> bool {
        let Some(place) = self.choice.item_at(at.y - area.y, &self.items) else {
            return false;
        };
        self.mark(place);
        true
    }

    fn hint(&mut self, hint_of: &dyn Fn(&Reply<Exact>) -> String) {
        self.items.clone_from(&self.plain);
        for (item, reply) in self.items.iter_mut().zip(&self.replies) {
            let hint = hint_of(reply);
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
        Choice::rows(&self.items, columns)
    }

    fn notes(&self) -> Vec<(Role, String)> {
        let faint = |note: &String| (Role::Faint, note.clone());
        self.notes.iter().map(faint).collect()
    }

    fn draw(&mut self, look: &Appearance, buffer: &mut Buffer, area: Rect) {
        self.choice.fit(&self.items, area);
        self.choice
            .render(&self.items, self.made, look, buffer, area);
    }
}

/// A switch for each subclaim.
#[derive(Debug)]
pub(super) struct Toggles {
    choice: Choice,
    /// The subclaims, each with its short id.
    names: Vec<(u32, String)>,
    values: Vec<bool>,
    gate: Gate,
    result: bool,
}

impl Toggles {
    /// Switches that stand as near to "all as the result" as the gate allows.
    pub(super) fn new(names: Vec<(u32, String)>, gate: Gate, result: bool) -> Self {
        let wish = vec![result; names.len()];
        Self {
            choice: Choice::default(),
            values: gate.nearest(&wish, result).unwrap_or(wish),
            names,
            gate,
            result,
        }
    }

    /// The list as it is drawn.
    fn items(&self) -> Vec<Item> {
        let each = self.names.iter().zip(&self.values);
        each.map(|((claim, name), value)| Item {
            value: format!("{:<5}", truth(*value)),
            claim: Some(*claim),
            ..Item::new(None, name)
        })
        .collect()
    }

    fn turn(&mut self, place: usize) -> bool {
        let Some(value) = self.values.get_mut(place) else {
            return false;
        };
        *value = !*value;
        self.choice.select(place);
        true
    }
}

impl Widget for Toggles {
    fn context(&self) -> Contexts {
        TOGGLES
    }

    fn in_words(&self) -> Option<String> {
        let items = self.items();
        Some(items.get(self.choice.selected())?.in_words())
    }

    fn reply(&self) -> Result<Reply<Exact>, String> {
        Ok(Reply::Bits(self.values.clone().into()))
    }

    fn act(&mut self, action: Action) -> bool {
        match action {
            Action::Above => self.choice.step(-1, &self.items()),
            Action::Below => self.choice.step(1, &self.items()),
            Action::Turn => {
                self.turn(self.choice.selected());
            }
            _ => return false,
        }
        true
    }

    fn press(&mut self, c: char) -> bool {
        let digit = c.to_digit(10).map(|digit| digit as usize);
        digit
            .and_then(|digit| digit.checked_sub(1))
            .is_some_and(|place| self.turn(place))
    }

    fn click(&mut self, at: Position, area: Rect) -> bool {
        let place = self.choice.item_at(at.y - area.y, &self.items());
        place.is_some_and(|place| self.turn(place))
    }

    fn rows(&self, columns: u16) -> usize {
        Choice::rows(&self.items(), columns)
    }

    fn notes(&self) -> Vec<(Role, String)> {
        let holds = self.gate.says(self.values.iter().copied());
        let (role, fits) = if holds == self.result {
            (Role::Good, "as they must")
        } else {
            (Role::Bad, "but must not")
        };
        let (gate, word) = (&self.gate, truth(holds));
        vec![(
            role,
            format!("Together ({gate}) they come out {word}, {fits}."),
        )]
    }

    fn draw(&mut self, look: &Appearance, buffer: &mut Buffer, area: Rect) {
        let items = self.items();
        self.choice.fit(&items, area);
        self.choice.render(&items, true, look, buffer, area);
    }
}
