//! The debate screen as the loop sees it: drawing, keys and the mouse.

use std::time::Instant;

use ratatui::{
    buffer::Buffer,
    crossterm::event::{KeyCode, KeyEvent, MouseButton, MouseEvent, MouseEventKind},
    layout::{Position, Rect},
};

use super::thinking::Goal;
use super::{Debate, Outcome, pace, sight};
use crate::tui::actions::{Facts, Key, KeyMap};
use crate::tui::panel::{frame, measure};
use crate::tui::screen::keys::{HANDOVER, PANELS, REWARDS, TRANSCRIPT, TREE};
use crate::tui::screen::panels::{Panel, PanelLayout, edges};
use crate::tui::screen::tasks::next_progress;
use crate::tui::screen::{Action, Effect, Overlay, Screen, ScreenContext};
use crate::tui::theme::{Appearance, StyleRole};

/// Characters of a paste that are read.
const PASTED: usize = 1 << 16;

impl Debate<'_, '_> {
    fn draw_ask(&mut self, look: &Appearance, buffer: &mut Buffer) {
        let area = self.panels.places.ask;
        let focused = self.panels.focus == Panel::Ask;
        let title = match &self.ask {
            Some(ask) => ask.title(),
            None if self.is_over() => "The end",
            None => "What comes next",
        };
        let inner = if self.panels.places.framed {
            frame(title, focused, look, buffer, area)
        } else {
            let role = if focused {
                StyleRole::Focus
            } else {
                StyleRole::Title
            };
            let line = measure::pad(title, area.width.into());
            measure::put(&line, look.style(role), buffer, measure::row(area, 0));
            Rect {
                y: area.y + area.height.min(1),
                height: area.height.saturating_sub(1),
                ..area
            }
        };
        if let Some(ask) = &mut self.ask {
            ask.draw(look, self.panels.places.framed, buffer, inner);
            return;
        }
        self.notice_view.fit(&self.notice[..], inner);
        self.notice_view
            .render(&self.notice[..], &(0..0), look, buffer, inner);
        edges(
            &self.notice_view,
            &self.notice[..],
            self.panels.places.framed,
            look,
            buffer,
            inner,
        );
    }

    fn click(&mut self, at: Position, action: Option<Action>) -> Effect<Outcome> {
        if let Some(action) = action {
            return self.perform(action);
        }
        match self.panels.click(at) {
            Some(Panel::Ask) => {
                if let Some(ask) = &mut self.ask {
                    ask.click(at);
                }
                self.point();
            }
            Some(Panel::Tree) => {
                self.select_from_tree();
                self.panels.said = self.panels.pointed_claim(&self.sight());
            }
            _ => {}
        }
        Effect::None
    }
}

impl Screen for Debate<'_, '_> {
    type Outcome = Outcome;

    fn picture(&mut self, look: &Appearance, buffer: &mut Buffer, area: Rect) {
        if look.glyphs != self.look.glyphs {
            // The sentences of the report are made with the signs.
            self.look = *look;
            if self.ask.is_none() {
                self.refresh();
            }
        }
        self.look = *look;
        self.poll_results();
        if let Some(seat) = self.next_person() {
            self.draw_handover(seat, look, buffer, area);
            return;
        }
        // The report has the room that the panels can spare; a question has no more than half.
        let lesson = self.scene.coach.is_some() && self.shows_coach;
        let most = match (self.is_over(), self.panels.focus) {
            (true, Panel::Ask) => u16::MAX,
            (true, _) => 4,
            // What a lesson says must leave room for the question below it.
            (false, _) if lesson => area.height * 2 / 3,
            (false, _) => area.height / 2,
        };
        let rows = |columns| self.rows(columns).clamp(3, most.max(3));
        self.panels.places = PanelLayout::of(area, self.panels.front(), rows);
        let sight = sight(
            self.table,
            self.scene,
            self.newest.clone(),
            &self.tasks.marks,
        );
        let pointing = self.ask.as_ref().is_some_and(|ask| ask.marked().is_some());
        self.panels.draw(&sight, pointing, self.keys, look, buffer);
        self.draw_ask(look, buffer);
        self.panels.status = self.thinking_line();
        self.panels
            .footer(self.keys, self.screen_context(), look, buffer);
        if let Some(page) = &mut self.tasks.page {
            page.draw(look, buffer, area);
        }
    }

    fn screen_context(&self) -> ScreenContext {
        ScreenContext {
            context: self.context(),
            screen: if self.next_person().is_some() {
                HANDOVER
            } else {
                PANELS | self.below()
            },
            facts: self.facts(),
        }
    }

    fn overlay(&mut self) -> (&mut Overlay, &KeyMap<Action>) {
        (&mut self.overlay, self.keys)
    }

    fn about(&self) -> [String; 2] {
        let panel = pace::about(self.context());
        let seat = self.sight().reader.seat();
        let texts = if self.is_over() {
            vec![&*self.scene.facts.about, &*self.scene.facts.debrief]
        } else {
            self.scene.facts.texts_for(seat)
        };
        [panel.to_owned(), texts.join("\n")]
    }

    fn act(&mut self, action: Action) -> Effect<Outcome> {
        if action != Action::Quit {
            self.leaving = false;
        }
        if self.next_person().is_some() {
            return match action {
                Action::TakeSeat => self.take_seat(),
                Action::Undo => {
                    self.undo();
                    Effect::None
                }
                Action::Quit => self.quit(),
                _ => Effect::None,
            };
        }
        match action {
            Action::Send => self.send(),
            Action::PlayStep => self.go(Goal::Move),
            Action::PlayRound => self.go_round(),
            Action::PlayToTurn if self.ask.is_some() => self.panels.focus = Panel::Ask,
            Action::PlayToTurn => self.go(Goal::Turn),
            Action::Auto => {
                self.pace.toggle();
                self.rest();
                self.panels.said = Some(self.pace.words());
            }
            Action::Faster | Action::Slower => {
                self.pace.change(action == Action::Faster);
                self.rest();
                self.panels.said = Some(self.pace.words());
            }
            Action::Undo => self.undo(),
            Action::Hint => self.toggle_hints(),
            Action::Stop | Action::ToQuestion if self.panels.is_searching() => {
                self.panels.stop_search();
            }
            Action::Stop => self.stop(),
            Action::ToQuestion if self.is_computing() => self.stop(),
            Action::ToQuestion => self.panels.focus = Panel::Ask,
            Action::Many => self.tasks.open_many(),
            Action::Review => self.tasks.open_review(self.table.seating().moves()),
            Action::Copy => {
                return Effect::Copy(self.panels.round_text(&self.sight(), &self.look));
            }
            Action::WatchAgain => return Effect::Leave(Outcome::WatchAgain),
            Action::Compare => return Effect::Leave(Outcome::Compare),
            Action::Onward => return Effect::Leave(Outcome::Onward),
            Action::Coach => self.toggle_coach(),
            Action::PlayAgain => return Effect::Leave(Outcome::PlayAgain),
            Action::Quit => return self.quit(),
            Action::ReadOn | Action::ReadBack => {
                self.read(if action == Action::ReadOn { 1 } else { -1 });
            }
            _ => self.act_on_panel(action),
        }
        Effect::None
    }

    fn said(&mut self) -> &mut Option<String> {
        &mut self.panels.said
    }

    fn reach(&mut self, action: Action) {
        if self.next_person().is_some() {
            return;
        }
        let contexts = self.keys.contexts(action);
        if !contexts.meets(self.context()) {
            self.panels.reach(contexts, [TREE, TRANSCRIPT, REWARDS]);
        }
    }

    fn type_key(&mut self, event: KeyEvent) -> Option<Effect<Outcome>> {
        if let Some(effect) = self.tasks.type_key(self.keys, event) {
            return Some(effect);
        }
        if self.next_person().is_some() {
            return None;
        }
        let asked = self.panels.focus == Panel::Ask && !self.panels.is_typing();
        if let Some(ask) = self.ask.as_mut().filter(|_| asked)
            && ask.type_key(event)
        {
            return Some(Effect::None);
        }
        let sight = sight(
            self.table,
            self.scene,
            self.newest.clone(),
            &self.tasks.marks,
        );
        let typed = self.panels.type_key(&sight, event);
        typed.then_some(Effect::None)
    }

    fn other_key(&mut self, event: KeyEvent) -> Effect<Outcome> {
        self.leaving = false;
        let key = Key::from(event);
        if self.next_person().is_some() {
            return Effect::None;
        }
        // Undo and hints are always answered: they say why they cannot be had.
        match self.keys.find(self.context(), Facts::ALL, key) {
            Some(Action::Undo) => {
                self.undo();
                return Effect::None;
            }
            Some(Action::Hint) => {
                self.panels.said = Some("There are no hints in this debate.".to_owned());
                return Effect::None;
            }
            _ => {}
        }
        if self.panels.focus == Panel::Ask
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

    fn touch(&mut self, event: MouseEvent) -> Effect<Outcome> {
        let at = Position::new(event.column, event.row);
        if self.tasks.touch(event) {
            return Effect::None;
        }
        if self.next_person().is_some() {
            return Effect::None;
        }
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                let here = self.screen_context();
                let hint = self.panels.hint_at(self.keys, here, &self.look, at);
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
                match self.panels.under(at) {
                    Some(Panel::Ask) if self.ask.is_none() => {
                        let action = if down { Action::Down } else { Action::Up };
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
                            &self.tasks.marks,
                        );
                        self.panels.wheel(&sight, panel, lines);
                    }
                    None => {}
                }
                Effect::None
            }
            _ => Effect::None,
        }
    }

    fn pasted(&mut self, text: &str) {
        if self.panels.is_typing() {
            self.panels.paste(text);
        } else if let Some(ask) = &mut self.ask {
            if ask.paste(text) {
                return;
            }
            // A pasted number is as good as a typed one, and so are pasted bits.
            for c in text.trim().chars().take(PASTED) {
                ask.press(c);
            }
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let look = self.is_analysing().then(next_progress);
        let hunt = self.panels.is_searching().then(Instant::now);
        [self.pace.deadline(), self.thinking_deadline(), look, hunt]
            .into_iter()
            .flatten()
            .min()
    }

    fn wake(&mut self) {
        let hunting = self.panels.is_searching();
        if hunting {
            let sight = sight(
                self.table,
                self.scene,
                self.newest.clone(),
                &self.tasks.marks,
            );
            self.panels.continue_search(&sight);
        }
        // Perhaps it only was to look for what is being computed.
        let other = hunting || self.is_computing();
        self.poll_moves();
        let due = self.pace.deadline();
        if other && due.is_none_or(|due| due > Instant::now()) {
            return;
        }
        if self.ask.is_none() && !self.is_over() {
            let said = self.panels.said.take();
            let focus = self.panels.focus;
            self.go(Goal::Move);
            // Whoever reads elsewhere meanwhile goes on reading, until it is their turn.
            if self.ask.is_none() && !self.is_over() {
                self.panels.focus = focus;
                self.panels.said = said;
            }
        }
    }

    fn gone(&self) -> Outcome {
        Outcome::Quit
    }
}
