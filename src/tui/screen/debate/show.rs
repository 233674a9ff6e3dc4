//! The debate screen as the loop sees it: drawing, keys and the mouse.

use std::time::Instant;

use ratatui::{
    buffer::Buffer,
    crossterm::event::{KeyCode, KeyEvent, MouseButton, MouseEvent, MouseEventKind},
    layout::{Position, Rect},
};

use super::{Debate, Outcome, pace, sight};
use crate::tui::actions::{Key, KeyMap, Set};
use crate::tui::panel::{frame, measure};
use crate::tui::screen::aside::next_look;
use crate::tui::screen::keys::{HANDOVER, PANELS, REWARDS, TRANSCRIPT, TREE};
use crate::tui::screen::stage::{Panel, Places, edges};
use crate::tui::screen::{Do, Effect, Here, Over, Show};
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
            return self.perform(action);
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

    fn picture(&mut self, look: &Look, buffer: &mut Buffer, area: Rect) {
        if look.glyphs != self.look.glyphs {
            // The sentences of the report are made with the signs.
            self.look = *look;
            if self.ask.is_none() {
                self.refresh();
            }
        }
        self.look = *look;
        self.take_in();
        if let Some(seat) = self.handed_to() {
            self.draw_handover(seat, look, buffer, area);
            return;
        }
        // The report has the room that the panels can spare; a question has no more than half.
        let lesson = self.scene.coach.is_some() && self.coached;
        let most = match (self.is_over(), self.stage.focus) {
            (true, Panel::Ask) => u16::MAX,
            (true, _) => 4,
            // What a lesson says must leave room for the question below it.
            (false, _) if lesson => area.height * 2 / 3,
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
        self.stage.draw(&sight, pointing, self.keys, look, buffer);
        self.draw_ask(look, buffer);
        self.stage.footer(self.keys, self.here(), look, buffer);
        if let Some(page) = &mut self.aside.page {
            page.draw(look, buffer, area);
        }
    }

    fn here(&self) -> Here {
        Here {
            context: self.context(),
            screen: if self.handed_to().is_some() {
                HANDOVER
            } else {
                PANELS | self.below()
            },
            facts: self.facts(),
        }
    }

    fn over(&mut self) -> (&mut Over, &KeyMap<Do>) {
        (&mut self.over, self.keys)
    }

    fn about(&self) -> [String; 2] {
        let panel = pace::about(self.context());
        let seat = self.sight().reader.seat();
        let texts = if self.is_over() {
            vec![&*self.scene.facts.about, &*self.scene.facts.debrief]
        } else {
            self.scene.facts.told_to(seat)
        };
        [panel.to_owned(), texts.join("\n")]
    }

    fn act(&mut self, action: Do) -> Effect<Outcome> {
        if action != Do::Quit {
            self.leaving = false;
        }
        if self.handed_to().is_some() {
            return match action {
                Do::TakeSeat => self.take_seat(),
                Do::Undo => {
                    self.undo();
                    Effect::None
                }
                Do::Quit => self.quit(),
                _ => Effect::None,
            };
        }
        match action {
            Do::Send => self.send(),
            Do::PlayStep => self.go(|_| true),
            Do::PlayRound => self.go_round(),
            Do::PlayToTurn if self.ask.is_some() => self.stage.focus = Panel::Ask,
            Do::PlayToTurn => self.go(|_| false),
            Do::Auto => {
                self.pace.toggle();
                self.rest();
                self.stage.said = Some(self.pace.words());
            }
            Do::Faster | Do::Slower => {
                self.pace.change(action == Do::Faster);
                self.rest();
                self.stage.said = Some(self.pace.words());
            }
            Do::Undo => self.undo(),
            Do::Hint => self.toggle_hints(),
            Do::Stop | Do::ToQuestion if self.stage.is_hunting() => self.stage.stop_hunt(),
            Do::Stop => self.stop(),
            Do::ToQuestion if self.is_computing() => self.stop(),
            Do::ToQuestion => self.stage.focus = Panel::Ask,
            Do::Many => self.aside.open_many(),
            Do::Review => self.aside.open_review(self.table.seating().moves()),
            Do::Copy => {
                return Effect::Copy(self.stage.round_text(&self.sight(), &self.look));
            }
            Do::WatchAgain => return Effect::Leave(Outcome::WatchAgain),
            Do::Compare => return Effect::Leave(Outcome::Compare),
            Do::Onward => return Effect::Leave(Outcome::Onward),
            Do::Coach => self.toggle_coach(),
            Do::PlayAgain => return Effect::Leave(Outcome::PlayAgain),
            Do::Quit => return self.quit(),
            Do::ReadOn | Do::ReadBack => self.read(if action == Do::ReadOn { 1 } else { -1 }),
            _ => self.act_in_panel(action),
        }
        Effect::None
    }

    fn said(&mut self) -> &mut Option<String> {
        &mut self.stage.said
    }

    fn reach(&mut self, action: Do) {
        if self.handed_to().is_some() {
            return;
        }
        let contexts = self.keys.contexts(action);
        if !contexts.meets(self.context()) {
            self.stage.reach(contexts, [TREE, TRANSCRIPT, REWARDS]);
        }
    }

    fn type_key(&mut self, event: KeyEvent) -> Option<Effect<Outcome>> {
        if let Some(effect) = self.aside.type_key(self.keys, event) {
            return Some(effect);
        }
        if self.handed_to().is_some() {
            return None;
        }
        let asked = self.stage.focus == Panel::Ask && !self.stage.is_typing();
        if let Some(ask) = self.ask.as_mut().filter(|_| asked)
            && ask.type_key(event)
        {
            return Some(Effect::None);
        }
        let sight = sight(
            self.table,
            self.scene,
            self.newest.clone(),
            &self.aside.marks,
        );
        let typed = self.stage.type_key(&sight, event);
        typed.then_some(Effect::None)
    }

    fn other_key(&mut self, event: KeyEvent) -> Effect<Outcome> {
        self.leaving = false;
        let key = Key::from(event);
        if self.handed_to().is_some() {
            return Effect::None;
        }
        // Undo and hints are always answered: they say why they cannot be had.
        match self.keys.find(self.context(), Set::ALL, key) {
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

    fn touch(&mut self, event: MouseEvent) -> Effect<Outcome> {
        let at = Position::new(event.column, event.row);
        if self.aside.touch(event) {
            return Effect::None;
        }
        if self.handed_to().is_some() {
            return Effect::None;
        }
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                let here = self.here();
                let hint = self.stage.hint_at(self.keys, here, &self.look, at);
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

    fn pasted(&mut self, text: &str) {
        if self.stage.is_typing() {
            self.stage.paste(text);
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
        let look = self.is_computing().then(next_look);
        let hunt = self.stage.is_hunting().then(Instant::now);
        [self.pace.deadline(), look, hunt]
            .into_iter()
            .flatten()
            .min()
    }

    fn wake(&mut self) {
        let hunting = self.stage.is_hunting();
        if hunting {
            let sight = sight(
                self.table,
                self.scene,
                self.newest.clone(),
                &self.aside.marks,
            );
            self.stage.hunt_on(&sight);
        }
        // Perhaps it only was to look for what is being computed.
        let due = self.pace.deadline();
        let other = hunting || self.is_computing();
        if other && due.is_none_or(|due| due > Instant::now()) {
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

    fn gone(&self) -> Outcome {
        Outcome::Quit
    }
}
