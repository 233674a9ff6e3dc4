//! The help or the command palette, over a screen.

use ratatui::{
    buffer::Buffer,
    crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind},
    layout::{Position, Rect},
};

use super::ScreenContext;
use super::help::Help;
use super::keys::{Action, HELP, wheel_lines};
use super::palette::{Palette, PaletteResult};
use crate::tui::actions::{Facts, Key, KeyMap};
use crate::tui::theme::Appearance;

/// The result of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventResult {
    /// Nothing lies over the screen: the event is the screen's.
    Ignored,
    /// It was taken.
    Consumed,
    /// The screen is to do this.
    Action(Action),
}

/// The help or the palette over a screen, if one is open.
#[derive(Debug, Default)]
pub struct Overlay {
    layer: Option<Layer>,
    look: Appearance,
}

#[derive(Debug)]
enum Layer {
    Help(Help),
    Palette(Palette),
}

impl Overlay {
    /// True if something lies over the screen.
    pub(super) fn is_open(&self) -> bool {
        self.layer.is_some()
    }

    pub(super) fn help(&mut self, here: ScreenContext, about: [String; 2]) {
        self.layer = Some(Layer::Help(Help::new(here, about)));
    }

    pub(super) fn palette(&mut self, here: ScreenContext) {
        self.layer = Some(Layer::Palette(Palette::new(here)));
    }

    pub(super) fn key(&mut self, event: KeyEvent, keys: &KeyMap<Action>) -> EventResult {
        match &mut self.layer {
            None => return EventResult::Ignored,
            Some(Layer::Help(help)) => match keys.find(HELP, Facts::NONE, Key::from(event)) {
                Some(Action::Close) => self.layer = None,
                Some(action @ (Action::Suspend | Action::Interrupt)) => {
                    return EventResult::Action(action);
                }
                action => {
                    let lines = action.and_then(|action| action.scroll_lines(help.page()));
                    help.scroll(lines.unwrap_or(0), keys, &self.look);
                }
            },
            Some(Layer::Palette(palette)) => {
                let picked = palette.key(event, keys);
                return self.picked(picked);
            }
        }
        EventResult::Consumed
    }

    pub(super) fn mouse(&mut self, event: MouseEvent, keys: &KeyMap<Action>) -> EventResult {
        match (&mut self.layer, wheel_lines(event.kind), event.kind) {
            (None, _, _) => return EventResult::Ignored,
            (Some(Layer::Help(help)), Some(lines), _) => help.scroll(lines, keys, &self.look),
            (Some(Layer::Palette(palette)), Some(lines), _) => palette.wheel(lines, keys),
            (Some(Layer::Palette(palette)), None, MouseEventKind::Down(MouseButton::Left)) => {
                let picked = palette.click(Position::new(event.column, event.row), keys);
                return self.picked(picked);
            }
            _ => {}
        }
        EventResult::Consumed
    }

    /// Takes a pasted text; says whether something was open.
    pub(super) fn paste(&mut self, text: &str) -> bool {
        if let Some(Layer::Palette(palette)) = &mut self.layer {
            palette.paste(text);
        }
        self.is_open()
    }

    fn picked(&mut self, picked: PaletteResult) -> EventResult {
        match picked {
            PaletteResult::Open => EventResult::Consumed,
            PaletteResult::Closed => {
                self.layer = None;
                EventResult::Consumed
            }
            PaletteResult::Action(action) => {
                self.layer = None;
                EventResult::Action(action)
            }
        }
    }

    pub(super) fn draw(
        &mut self,
        keys: &KeyMap<Action>,
        look: &Appearance,
        buffer: &mut Buffer,
        area: Rect,
    ) {
        self.look = *look;
        match &mut self.layer {
            None => {}
            Some(Layer::Help(help)) => help.draw(keys, look, buffer, area),
            Some(Layer::Palette(palette)) => palette.draw(keys, look, buffer, area),
        }
    }
}
