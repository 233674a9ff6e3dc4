//! Reading in the shared panels: searching, scrolling, jumping, and the mouse.

use std::time::{Duration, Instant};

use ratatui::layout::{Position, Rect};

use super::rewards::RewardLines;
use super::{DebatePanels, Panel, PanelView};
use crate::tui::panel::line::{InputResult, TextInput};
use crate::tui::panel::tabs;
use crate::tui::screen::Action;
use crate::tui::theme::Appearance;
use debate_lab::narration::transcript::starts_round;

/// How long a search may keep the screen from being drawn.
const PATIENCE: Duration = Duration::from_millis(8);

impl DebatePanels {
    /// Takes a character of the search line; says whether it was open.
    pub(in crate::tui::screen) fn type_key(
        &mut self,
        sight: &PanelView<'_, '_>,
        key: ratatui::crossterm::event::KeyEvent,
    ) -> bool {
        let Some(line) = &mut self.typing else {
            return false;
        };
        match line.key(key) {
            InputResult::Submitted => {
                self.pattern = line.text().trim().to_lowercase();
                self.typing = None;
                self.transcript.forget_search();
                self.find(sight, true);
            }
            InputResult::Cancelled => self.typing = None,
            InputResult::Changed | InputResult::Ignored => {}
        }
        true
    }

    /// Takes a paste into the search line.
    pub(in crate::tui::screen) fn paste(&mut self, text: &str) {
        if let Some(line) = &mut self.typing {
            line.paste(text);
        }
    }

    fn find(&mut self, sight: &PanelView<'_, '_>, forward: bool) {
        if self.pattern.is_empty() {
            return;
        }
        self.front = Panel::Transcript;
        self.search_cursor = Some(
            self.transcript
                .search_cursor(sight.log.entries().len(), forward),
        );
        self.continue_search(sight);
    }

    /// Whether a search goes on.
    pub(in crate::tui::screen) fn is_searching(&self) -> bool {
        self.search_cursor.is_some()
    }

    /// Gives a search up.
    pub(in crate::tui::screen) fn stop_search(&mut self) {
        if self.search_cursor.take().is_some() {
            self.said = Some("The search was stopped.".to_owned());
        }
    }

    /// Goes on with a search, for as long as nobody notices.
    pub(in crate::tui::screen) fn continue_search(&mut self, sight: &PanelView<'_, '_>) {
        let Some(mut search_cursor) = self.search_cursor.take() else {
            return;
        };
        let look = Appearance::default();
        let entries = sight.transcript(&look);
        let matches = |number: usize| entries.text(number).to_lowercase().contains(&self.pattern);
        let until = Instant::now() + PATIENCE;
        while let Some(number) = search_cursor.next() {
            if matches(number) {
                self.transcript.show_found(&entries, number);
                self.said = None;
                return;
            }
            if Instant::now() >= until {
                self.search_cursor = Some(search_cursor);
                return;
            }
        }
        self.said = Some(format!("“{}” is nowhere in the transcript.", self.pattern));
    }

    /// Scrolls the transcript, whoever has the keys.
    pub(in crate::tui::screen) fn read(&mut self, sight: &PanelView<'_, '_>, pages: isize) {
        let look = Appearance::default();
        let page = self.transcript.page();
        self.transcript
            .scroll(&sight.transcript(&look), pages * page);
    }

    /// Does what concerns these panels alone; says whether it did.
    pub(in crate::tui::screen) fn act(
        &mut self,
        action: Action,
        sight: &PanelView<'_, '_>,
    ) -> bool {
        match action {
            Action::NextPanel | Action::PreviousPanel => {
                let at = Panel::ALL.iter().position(|panel| *panel == self.focus);
                let step = if action == Action::NextPanel { 1 } else { 3 };
                self.focus(Panel::ALL[(at.unwrap_or(0) + step) % 4]);
            }
            Action::ToTree => self.focus(Panel::Tree),
            Action::ToTranscript => self.focus(Panel::Transcript),
            Action::ToRewards => self.focus(Panel::Rewards),
            Action::Search => {
                self.typing = Some(TextInput::default());
                self.front = Panel::Transcript;
            }
            Action::NextMatch => self.find(sight, true),
            Action::PreviousMatch => self.find(sight, false),
            Action::RoundBack | Action::RoundOn => {
                self.jump_round(sight, action == Action::RoundOn);
            }
            Action::Up => self.scroll(sight, -1),
            Action::Down => self.scroll(sight, 1),
            Action::PageUp => self.scroll(sight, -self.transcript.page()),
            Action::PageDown => self.scroll(sight, self.transcript.page()),
            Action::First => self.scroll(sight, isize::MIN / 2),
            Action::Last => self.scroll(sight, isize::MAX / 2),
            _ => return false,
        }
        true
    }

    fn jump_round(&mut self, sight: &PanelView<'_, '_>, on: bool) {
        let look = Appearance::default();
        let entries = sight.transcript(&look);
        let top = self.transcript.top();
        let count = sight.log.entries().len();
        let starts = |number: &usize| starts_round(sight.log, *number);
        let found = if on {
            (top + 1..count).find(starts)
        } else {
            (0..top).rev().find(starts)
        };
        match found {
            Some(number) => self.transcript.jump(&entries, number),
            None if on => self.transcript.to_end(),
            None => self.transcript.to_start(&entries),
        }
        self.front = Panel::Transcript;
    }

    fn scroll(&mut self, sight: &PanelView<'_, '_>, lines: isize) {
        let look = Appearance::default();
        match self.focus {
            Panel::Tree => self.tree.step(lines, self.outline.rows()),
            Panel::Rewards => {
                let width = self.rewards_area().map_or(40, |area| area.width);
                let view = sight.view();
                let entries = RewardLines::new(&self.rewards, &view, &look, width.into());
                self.rewards_view.scroll(&entries, lines);
                self.rewards_view.unstick();
            }
            Panel::Transcript | Panel::Ask => {
                self.transcript.scroll(&sight.transcript(&look), lines);
            }
        }
    }

    fn rewards_area(&self) -> Option<Rect> {
        let found = self.places.panels.iter();
        found
            .filter(|(panel, _)| *panel == Panel::Rewards)
            .map(|(_, area)| *area)
            .next()
    }

    /// Takes a click at a place; says which panel was under it.
    pub(in crate::tui::screen) fn click(&mut self, at: Position) -> Option<Panel> {
        if let Some(area) = self.places.tabs.filter(|area| area.contains(at)) {
            let front = Panel::UPPER.iter().position(|panel| *panel == self.front);
            let tab = tabs::tab_at(&self.tabs(), front.unwrap_or(1), at.x, area)?;
            self.focus(Panel::UPPER[tab]);
            return Some(Panel::UPPER[tab]);
        }
        let (panel, area) = self.panel_at(at)?;
        self.focus(panel);
        if panel == Panel::Tree {
            let inner_top = area.y + u16::from(self.places.framed);
            if let Some(row) = at.y.checked_sub(inner_top)
                && let Some(row) = self.tree.row_at(row, self.outline.rows())
            {
                self.tree.select(row);
            }
        }
        Some(panel)
    }

    fn panel_at(&self, at: Position) -> Option<(Panel, Rect)> {
        let found = self
            .places
            .panels
            .iter()
            .find(|(_, area)| area.contains(at));
        found.copied().or_else(|| {
            self.places
                .ask
                .contains(at)
                .then_some((Panel::Ask, self.places.ask))
        })
    }

    /// The panel under the mouse.
    pub(in crate::tui::screen) fn under(&self, at: Position) -> Option<Panel> {
        self.panel_at(at).map(|(panel, _)| panel)
    }

    /// Turns the wheel over a panel.
    pub(in crate::tui::screen) fn wheel(
        &mut self,
        sight: &PanelView<'_, '_>,
        panel: Panel,
        lines: isize,
    ) {
        let focus = std::mem::replace(&mut self.focus, panel);
        if panel == Panel::Tree {
            self.tree.scroll(lines, self.outline.rows());
        } else {
            self.scroll(sight, lines);
        }
        self.focus = focus;
    }
}
