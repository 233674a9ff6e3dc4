//! Keys in the panels: reading, scrolling, and the tree as a selector.

use super::Debate;
use crate::tui::ask::Ask;
use crate::tui::keys::{Action, scroll_text};
use crate::tui::panel::Panel;

impl Debate<'_, '_> {
    pub(super) fn read(&mut self, pages: isize) {
        let in_question = self.ask.as_mut().is_some_and(|ask| ask.read(pages));
        if !in_question {
            self.panels.read(&self.live.view(), pages);
        }
    }

    pub(super) fn act_on_panel(&mut self, action: Action) {
        if self.panels.focus == Panel::Ask {
            if self.ask.as_mut().is_some_and(|ask| ask.act(action)) {
                self.point();
                return;
            }
            if self.ask.is_none() && self.scroll_notice(action) {
                return;
            }
        }
        self.panels.act(action, &self.live.view());
        if self.panels.focus == Panel::Tree {
            self.select_from_tree();
            // The row may have no room for the whole claim.
            if matches!(action, Action::Up | Action::Down) {
                self.panels.said = self.panels.pointed_claim(&self.live.view());
            }
        }
    }

    /// Scrolls the report at the end; a short notice leaves the keys to the transcript.
    fn scroll_notice(&mut self, action: Action) -> bool {
        let text = &self.notice[..];
        let fits = !self.notice_view.is_below_start() && self.notice_view.is_at_end(text);
        !fits && scroll_text(action, &mut self.notice_view, text)
    }

    /// The tree shows the subclaim that is marked in the ask panel.
    pub(super) fn point(&mut self) {
        if let Some(place) = self.ask.as_ref().and_then(Ask::marked) {
            self.panels.point_at(place);
        }
    }

    /// The tree is a selector too.
    pub(super) fn select_from_tree(&mut self) {
        if let Some(ask) = self.ask.as_mut().filter(|ask| ask.is_selecting())
            && let Some(place) = self.panels.pointed_at()
        {
            ask.mark(place);
        }
    }
}
