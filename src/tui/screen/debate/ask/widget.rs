//! The widgets of the ask panel: one for each kind of answer.

mod bits;
mod compose;
mod factory;
mod jump;
mod neighbourhood;
mod pick;
mod slider;
mod speech;
mod steps;
mod tape;
#[cfg(test)]
mod testing;
mod toggles;
mod variables;
mod written;

use std::fmt::Debug;
use std::sync::Arc;

use ratatui::{
    buffer::Buffer,
    crossterm::event::KeyEvent,
    layout::{Position, Rect},
};

use super::super::super::panels::PanelView;
use crate::tui::actions::Contexts;
use crate::tui::panel::choice::Item;
use crate::tui::screen::Action;
use crate::tui::theme::{Appearance, StyleRole};
use debate_core::number::Exact;
use debate_core::protocol::{Ask, Reply, Request, Turn};
use debate_lab::tell::Narrator;
use jump::Jump;
use pick::PickList;

/// The widget that answers a request: it keeps the answer as it stands.
pub(super) trait Widget: Debug {
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
    fn notes(&self) -> Vec<(StyleRole, String)>;

    /// Draws it.
    fn draw(&mut self, look: &Appearance, buffer: &mut Buffer, area: Rect);
}

/// What an answer pays, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::tui::screen::debate) struct Figures {
    /// Beside each choice; none where there are no choices.
    pub(super) beside: Vec<String>,
    pub(super) notes: Vec<String>,
}

fn truth(holds: bool) -> &'static str {
    Narrator::truth(holds)
}

pub(in crate::tui::screen::debate) use factory::figures;

/// The widget of a request, without the figures of what an answer pays.
pub(super) fn of(view: &PanelView<'_, '_>, turn: &Turn<Exact>) -> Box<dyn Widget> {
    match &turn.request {
        Request::Answer { .. } => Box::new(PickList::new(
            vec![
                Item::outcome(Some('y'), "yes, it is true"),
                Item::outcome(Some('n'), "no, it is false"),
            ],
            vec![Reply::Answer(true), Reply::Answer(false)],
        )),
        Request::Probability { place, alone, .. } => Box::new(factory::estimate(
            view,
            turn.seat,
            place.filter(|_| !*alone),
        )),
        Request::Direction { .. } => Box::new(factory::direction()),
        Request::Support { claim, .. } => factory::support(view, *claim),
        Request::Select { claim, count } => {
            Box::new(factory::select(view, turn.seat, *claim, *count))
        }
        Request::Bits {
            ask:
                Ask::Answers {
                    claim,
                    support,
                    result,
                },
            ..
        } => Box::new(factory::toggles(view, *claim, *support, *result)),
        Request::Bits {
            ask: Ask::Proof(_), ..
        } => Box::new(PickList::new(
            vec![Item::new(Some('0'), "0"), Item::new(Some('1'), "1")],
            [false, true]
                .map(|bit| Reply::Bits(vec![bit].into()))
                .into(),
        )),
        Request::Bits { ask, length } => factory::bits(view, *ask, *length),
        Request::Oracle { .. } => Box::new(factory::oracle()),
        Request::Share { .. } => Box::new(slider::SliderWidget::share()),
        Request::Challenge { claim, steps } => factory::challenge(view, *claim, steps),
        Request::Speech { limits, argues_for } => {
            let question = view.scene.facts.instance.question();
            let source = question.filter(|_| argues_for.is_some());
            let source = source.map(|question| Arc::clone(question.source()));
            Box::new(speech::SpeechEditor::new(*limits, source))
        }
        Request::Continue { .. } => Box::new(PickList::new(
            vec![
                Item::new(Some('y'), "hear another round"),
                Item::new(Some('n'), "end the debate"),
            ],
            [true, false].map(Reply::Continue).into(),
        )),
        // Chance is never asked by a panel.
        Request::Draw { .. } => Box::new(PickList::new(Vec::new(), Vec::new())),
    }
}
