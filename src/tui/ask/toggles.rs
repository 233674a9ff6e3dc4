//! Claimed answers to all subclaims.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use super::pick;
use super::widget::{Widget, truth};
use crate::tui::actions::Contexts;
use crate::tui::keys::{Action, TOGGLES};
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widget::choice::{Choice, Item};
use debate_core::gate::Gate;
use debate_core::number::Exact;
use debate_core::protocol::Reply;

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
        pick::rows(&self.items(), columns)
    }

    fn notes(&self) -> Vec<(StyleRole, String)> {
        let holds = self.gate.says(self.values.iter().copied());
        let (role, fits) = if holds == self.result {
            (StyleRole::Good, "as they must")
        } else {
            (StyleRole::Bad, "but must not")
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
