//! The debate screen as the loop sees it: drawing, keys and the mouse.

use std::time::Instant;

use ratatui::{
    buffer::Buffer,
    crossterm::event::{KeyCode, KeyEvent, MouseButton, MouseEvent, MouseEventKind},
    layout::{Position, Rect},
};

use super::{Debate, Outcome, sight, wheel_action};
use crate::tui::actions::{Key, Set};
use crate::tui::panel::{frame, measure};
use crate::tui::screen::aside::next_look;
use crate::tui::screen::stage::{Panel, Places, edges};
use crate::tui::screen::{Do, Effect, Show, in_ascii, keys::HELP, too_small};
use crate::tui::theme::{Look, Role};

/// Characters of a paste that are read.
const PASTED: usize = 1 << 16;

impl Debate<'_, '_> {
    fn draw_ask(&mut self, look: &Look, buffer: &mut Buffer) {
        let area = self.stage.places.ask;
        let focused = self.stage.focus == Panel::Ask;
        let title = match &self.ask {
            Some(ask) => ask.title(),
            None if self.is_over() => "The end",
            None => "What comes next",
        };
        let inner = if self.stage.places.framed {
            frame(title, focused, look, buffer, area)
        } else {
            let role = if focused { Role::Focus } else { Role::Title };
            let line = measure::pad(title, area.width.into());
            measure::put(&line, look.style(role), buffer, measure::row(area, 0));
            Rect {
                y: area.y + area.height.min(1),
                height: area.height.saturating_sub(1),
                ..area
            }
        };
        if let Some(ask) = &mut self.ask {
            ask.draw(look, self.stage.places.framed, buffer, inner);
            return;
        }
        self.notice_view.fit(&self.notice[..], inner);
        self.notice_view
            .render(&self.notice[..], &(0..0), look, buffer, inner);
        edges(
            &self.notice_view,
            &self.notice[..],
            self.stage.places.framed,
            look,
            buffer,
            inner,
        );
    }

    fn click(&mut self, at: Position, action: Option<Do>) -> Effect<Outcome> {
        if let Some(action) = action {
            return self.act(action);
        }
        match self.stage.click(at) {
            Some(Panel::Ask) => {
                if let Some(ask) = &mut self.ask {
                    ask.click(at);
                }
                self.point();
            }
            Some(Panel::Tree) => {
                self.pick_in_tree();
                self.stage.said = self.stage.pointed_claim(&self.sight());
            }
            _ => {}
        }
        Effect::None
    }
}

impl Show for Debate<'_, '_> {
    type Outcome = Outcome;

    fn draw(&mut self, look: &Look, buffer: &mut Buffer, area: Rect) {
        if look.glyphs != self.look.glyphs {
            // The sentences of the report are made with the signs.
            self.look = *look;
            if self.ask.is_none() {
                self.refresh();
            }
        }
        self.look = *look;
        if too_small(look, buffer, area) {
            return;
        }
        self.take_in();
        // The report has the room that the panels can spare; a question has no more than half.
        let most = match (self.is_over(), self.stage.focus) {
            (true, Panel::Ask) => u16::MAX,
            (true, _) => 4,
            (false, _) => area.height / 2,
        };
        let rows = |columns| self.rows(columns).clamp(3, most.max(3));
        self.stage.places = Places::of(area, self.stage.front(), rows);
        let sight = sight(
            self.table,
            self.scene,
            self.newest.clone(),
            &self.aside.marks,
        );
        let pointing = self.ask.as_ref().is_some_and(|ask| ask.marked().is_some());
        self.stage.draw(&sight, pointing, look, buffer);
        self.draw_ask(look, buffer);
        let (context, facts) = (self.context(), self.facts());
        self.stage.footer(self.keys, context, facts, look, buffer);
        if let Some(help) = &mut self.help {
            help.draw(self.keys, look, buffer, area);
        }
        if let Some(page) = &mut self.aside.page {
            page.draw(look, buffer, area);
        }
        in_ascii(look, buffer);
    }

    fn key(&mut self, event: KeyEvent) -> Effect<Outcome> {
        let key = Key::from(event);
        self.stage.said = None;
        if let Some(help) = &mut self.help {
            let action = self.keys.find(HELP, Set::NONE, key);
            match action {
                Some(Do::Close) => self.help = None,
                Some(Do::Suspend) => return Effect::Suspend,
                Some(action) => {
                    help.act(action, self.keys, &self.look);
                }
                None => {}
            }
            return Effect::None;
        }
        if let Some(page) = &mut self.aside.page {
            match self.keys.find(HELP, Set::NONE, key) {
                Some(Do::Close) => self.aside.close(),
                Some(Do::Suspend) => return Effect::Suspend,
                Some(action) => page.act(action),
                None => {}
            }
            return Effect::None;
        }
        let sight = sight(
            self.table,
            self.scene,
            self.newest.clone(),
            &self.aside.marks,
        );
        if self.stage.type_key(&sight, event) {
            return Effect::None;
        }
        let context = self.context();
        let action = self.keys.find(context, self.facts(), key);
        if action != Some(Do::Quit) {
            self.leaving = false;
        }
        if let Some(action) = action {
            return self.act(action);
        }
        // Undo and hints are always answered: they say why they cannot be had.
        match self.keys.find(context, Set::ALL, key) {
            Some(Do::Undo) => {
                self.undo();
                return Effect::None;
            }
            Some(Do::Hint) => {
                self.stage.said = Some("There are no hints in this debate.".to_owned());
                return Effect::None;
            }
            _ => {}
        }
        if self.stage.focus == Panel::Ask
            && let Some(ask) = &mut self.ask
        {
            match key.character() {
                Some(c) => {
                    ask.press(c);
                }
                None if event.code == KeyCode::Backspace => {
                    ask.erase();
                }
                None => {}
            }
            self.point();
        }
        Effect::None
    }

    fn mouse(&mut self, event: MouseEvent) -> Effect<Outcome> {
        let at = Position::new(event.column, event.row);
        if self.help.is_some() {
            if let (Some(help), Some(action)) = (&mut self.help, wheel_action(event.kind)) {
                help.act(action, self.keys, &self.look);
            }
            return Effect::None;
        }
        if let Some(page) = &mut self.aside.page {
            if let Some(action) = wheel_action(event.kind) {
                page.act(action);
            }
            return Effect::None;
        }
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                let (context, facts) = (self.context(), self.facts());
                let hint = self
                    .stage
                    .hint_at(self.keys, context, facts, &self.look, at);
                self.click(at, hint)
            }
            MouseEventKind::Drag(MouseButton::Left) => {
                if let Some(ask) = &mut self.ask {
                    ask.click(at);
                }
                Effect::None
            }
            MouseEventKind::ScrollUp | MouseEventKind::ScrollDown => {
                let down = event.kind == MouseEventKind::ScrollDown;
                let lines = if down { 3 } else { -3 };
                match self.stage.under(at) {
                    Some(Panel::Ask) if self.ask.is_none() => {
                        let action = if down { Do::Down } else { Do::Up };
                        self.scroll_notice(action);
                    }
                    Some(Panel::Ask) => {
                        if let Some(ask) = &mut self.ask {
                            ask.scroll(at, if down { 1 } else { -1 });
                        }
                    }
                    Some(panel) => {
                        let sight = sight(
                            self.table,
                            self.scene,
                            self.newest.clone(),
                            &self.aside.marks,
                        );
                        self.stage.wheel(&sight, panel, lines);
                    }
                    None => {}
                }
                Effect::None
            }
            _ => Effect::None,
        }
    }

    fn paste(&mut self, text: &str) {
        if self.stage.is_typing() {
            self.stage.paste(text);
        } else if let Some(ask) = &mut self.ask {
            // A pasted number is as good as a typed one, and so are pasted bits.
            for c in text.trim().chars().take(PASTED) {
                ask.press(c);
            }
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let look = self.is_computing().then(next_look);
        [self.pace.deadline(), look].into_iter().flatten().min()
    }

    fn wake(&mut self) {
        // Perhaps it only was to look for what is being computed.
        let due = self.pace.deadline();
        if self.is_computing() && due.is_none_or(|due| due > Instant::now()) {
            return;
        }
        if self.ask.is_none() && !self.is_over() {
            let said = self.stage.said.take();
            let focus = self.stage.focus;
            self.go(|_| true);
            // Whoever reads elsewhere meanwhile goes on reading, until it is their turn.
            if self.ask.is_none() && !self.is_over() {
                self.stage.focus = focus;
                self.stage.said = said;
            }
        }
    }

    fn say(&mut self, words: String) {
        self.stage.said = Some(words);
    }

    fn gone(&self) -> Outcome {
        Outcome::Quit
    }
}
