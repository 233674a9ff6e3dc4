//! What keys do in the panels: reading, scrolling, and the tree as a selector.

use super::ask::Ask;
use super::{Debate, sight};
use crate::tui::screen::Action;
use crate::tui::screen::panels::Panel;

impl Debate<'_, '_> {
    pub(super) fn read(&mut self, pages: isize) {
        let in_question = self.ask.as_mut().is_some_and(|ask| ask.read(pages));
        if !in_question {
            let sight = sight(
                self.table,
                self.scene,
                self.newest.clone(),
                &self.tasks.marks,
            );
            self.panels.read(&sight, pages);
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
        let sight = sight(
            self.table,
            self.scene,
            self.newest.clone(),
            &self.tasks.marks,
        );
        self.panels.act(action, &sight);
        if self.panels.focus == Panel::Tree {
            self.select_from_tree();
            // The row may have no room for the whole claim.
            if matches!(action, Action::Up | Action::Down) {
                self.panels.said = self.panels.pointed_claim(&self.sight());
            }
        }
    }

    /// Scrolls the report at the end; a short notice leaves the keys to the transcript.
    pub(super) fn scroll_notice(&mut self, action: Action) -> bool {
        let view = &mut self.notice_view;
        let entries = &self.notice[..];
        if !view.is_below_start() && view.is_at_end(entries) {
            return false;
        }
        let page = view.page();
        match action {
            Action::Up => view.scroll(entries, -1),
            Action::Down => view.scroll(entries, 1),
            Action::PageUp => view.scroll(entries, -page),
            Action::PageDown => view.scroll(entries, page),
            Action::First => view.to_start(entries),
            Action::Last => view.scroll(entries, isize::MAX / 2),
            _ => return false,
        }
        view.unstick();
        true
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
