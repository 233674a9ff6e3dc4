//! Reading in the panels that the debate screen and the replay share: search, scrolling, jumps and the mouse.

use debate_text::DebateViewpoint;
use debate_text::FormulaCharacterSet;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use super::rewards::RewardTableRows;
use super::{DebatePanels, MouseEventLeftByPanels, Panel};
use crate::tui::keys::{Action, wheel_lines};
use crate::tui::theme::ScreenAppearance;
use crate::tui::widget;
use crate::tui::widget::text_input::{LineInputResult, TextInput};

/// Maximum time for which a search may delay the next frame.
const MAX_SEARCH_TIME: Duration = Duration::from_millis(8);

impl DebatePanels {
    /// Handles a key that is typed in the search line. Returns false if the search line is not open.
    pub fn write_typed_character(
        &mut self,
        view: &DebateViewpoint<'_, '_>,
        key: ratatui::crossterm::event::KeyEvent,
    ) -> bool {
        let Some(line) = &mut self.typing else {
            return false;
        };
        match line.key(key) {
            LineInputResult::Submitted => {
                self.pattern = line.typed_text().trim().to_lowercase();
                self.typing = None;
                self.transcript.scroll.clear_search();
                self.search_next(view, true);
            }
            LineInputResult::Cancelled => self.typing = None,
            LineInputResult::Changed | LineInputResult::Ignored => {}
        }
        true
    }

    /// Inserts a pasted text into the search line.
    pub fn paste_into_search(&mut self, text: &str) {
        if let Some(line) = &mut self.typing {
            line.paste(text);
        }
    }

    /// Searches the source or the transcript for the next match, or for the previous one if `forward` is false.
    fn search_next(&mut self, view: &DebateViewpoint<'_, '_>, forward: bool) {
        if self.pattern.is_empty() {
            return;
        }
        if let Some(source) = self.source.as_mut().filter(|_| self.searches_source) {
            self.front = Panel::Tree;
            if !source.search_next(&self.pattern, forward) {
                self.note = Some(format!(
                    "“{pattern}” is not in the source.",
                    pattern = self.pattern
                ));
            }
            return;
        }
        self.front = Panel::Transcript;
        let entries = self.entries(view, FormulaCharacterSet::default());
        self.transcript.start_search(&entries, forward);
        self.continue_search_if_running(view);
    }

    /// True if a search of the transcript is running.
    pub fn is_transcript_search_running(&self) -> bool {
        self.transcript.transcript_search_percent().is_some()
    }

    /// Cancels a search.
    pub fn cancel_search(&mut self) {
        if self.transcript.cancel_transcript_search() {
            self.note = Some("The search was stopped.".to_owned());
        }
    }

    /// Continues the running search for a time that the user does not notice. Returns false if no search was running.
    pub fn continue_search_if_running(&mut self, view: &DebateViewpoint<'_, '_>) -> bool {
        if !self.is_transcript_search_running() {
            return false;
        }
        let entries = self.entries(view, FormulaCharacterSet::default());
        let until = Some(Instant::now() + MAX_SEARCH_TIME);
        let transcript = &mut self.transcript;
        match transcript.continue_transcript_search(&entries, &self.pattern, until) {
            Some(true) => self.note = None,
            Some(false) => {
                let pattern = &self.pattern;
                self.note = Some(format!("“{pattern}” is not in the transcript."));
            }
            None => {}
        }
        true
    }

    /// Scrolls the transcript by pages, even if another panel has the focus.
    pub fn scroll_transcript_pages(&mut self, view: &DebateViewpoint<'_, '_>, pages: isize) {
        let lines = pages * self.transcript.scroll.lines_per_page_key();
        self.scroll_transcript(view, lines);
    }

    /// Carries out an action that changes only the shared panels.
    pub fn act(&mut self, action: Action, view: &DebateViewpoint<'_, '_>) {
        match action {
            Action::NextPanel | Action::PreviousPanel => {
                let at = Panel::ALL.iter().position(|panel| *panel == self.focus);
                let step = if action == Action::NextPanel { 1 } else { 3 };
                self.focus(Panel::ALL[(at.unwrap_or(0) + step) % 4]);
            }
            // The same key returns to the question.
            Action::ToTranscript if self.focus == Panel::Transcript => self.focus(Panel::Ask),
            Action::ToRewards if self.focus == Panel::Rewards => self.focus(Panel::Ask),
            Action::ToTree => self.focus(Panel::Tree),
            Action::ToTranscript => self.focus(Panel::Transcript),
            Action::ToRewards => self.focus(Panel::Rewards),
            Action::Search | Action::SearchSource => {
                let here = self.focus == Panel::Tree || action == Action::SearchSource;
                self.searches_source = here && self.source.is_some();
                self.typing = Some(TextInput::default());
                self.front = if self.searches_source {
                    Panel::Tree
                } else {
                    Panel::Transcript
                };
            }
            Action::NextMatch => self.search_next(view, true),
            Action::PreviousMatch => self.search_next(view, false),
            Action::RoundBack | Action::RoundOn => {
                let entries = self.entries(view, FormulaCharacterSet::default());
                self.transcript
                    .scroll_to_round(&entries, action == Action::RoundOn);
                self.front = Panel::Transcript;
            }
            _ => {
                if let Some(lines) =
                    action.scroll_lines(self.transcript.scroll.lines_per_page_key())
                {
                    self.scroll_focused_panel(view, lines);
                }
            }
        }
    }

    /// Scrolls the panel with the focus. If none of the upper panels has the focus, scrolls the transcript.
    pub fn scroll_focused_panel(&mut self, view: &DebateViewpoint<'_, '_>, lines: isize) {
        let look = ScreenAppearance::default();
        match self.focus {
            Panel::Tree => match &mut self.source {
                Some(source) => source.move_mark(lines),
                None => self.tree.move_selection(lines, self.outline.row_count()),
            },
            Panel::Rewards => {
                let width = self.rewards_area().map_or(40, |area| area.width);
                let amounts = self.amount_format(view);
                let width = width.saturating_sub(2).into();
                let entries =
                    RewardTableRows::new(&self.rewards, view, amounts, &look, width, true);
                self.rewards_view.scroll(&entries, lines);
            }
            Panel::Transcript | Panel::Ask => self.scroll_transcript(view, lines),
        }
    }

    fn scroll_transcript(&mut self, view: &DebateViewpoint<'_, '_>, lines: isize) {
        let entries = self.entries(view, FormulaCharacterSet::default());
        self.transcript.scroll.scroll(&entries, lines);
    }

    fn rewards_area(&self) -> Option<Rect> {
        let mut panels = self.layout.panels.iter();
        let rewards = panels.find(|(panel, _)| *panel == Panel::Rewards);
        rewards.map(|(_, area)| *area)
    }

    /// Handles a click or a turn of the mouse wheel in the upper panels.
    pub fn handle_mouse(
        &mut self,
        event: MouseEvent,
        view: &DebateViewpoint<'_, '_>,
    ) -> MouseEventLeftByPanels {
        let at = Position::new(event.column, event.row);
        if let Some(lines) = wheel_lines(event.kind) {
            return match self.panel_at(at) {
                Some(Panel::Ask) => MouseEventLeftByPanels::Below,
                Some(panel) => {
                    self.wheel(view, panel, lines);
                    MouseEventLeftByPanels::Done
                }
                None => MouseEventLeftByPanels::Done,
            };
        }
        if event.kind != MouseEventKind::Down(MouseButton::Left) {
            return MouseEventLeftByPanels::Below;
        }
        match self.click(at) {
            Some(Panel::Tree) => {
                self.note = self.selected_claim_text(view);
                MouseEventLeftByPanels::Claim
            }
            Some(Panel::Ask) => MouseEventLeftByPanels::Below,
            _ => MouseEventLeftByPanels::Done,
        }
    }

    /// Handles a mouse click. Returns the panel that was clicked.
    fn click(&mut self, at: Position) -> Option<Panel> {
        if let Some(area) = self.layout.tabs.filter(|area| area.contains(at)) {
            let front = Panel::UPPER.iter().position(|panel| *panel == self.front);
            let tab = widget::tab_at(&self.upper_panel_titles(), front.unwrap_or(1), at.x, area)?;
            self.focus(Panel::UPPER[tab]);
            return Some(Panel::UPPER[tab]);
        }
        let panel = self.panel_at(at)?;
        self.focus(panel);
        if panel == Panel::Tree
            && let Some(row) = self.tree.row_at(at, self.outline.row_count())
        {
            self.tree.select(row);
        }
        Some(panel)
    }

    fn panel_at(&self, at: Position) -> Option<Panel> {
        let panels = self.layout.panels.iter().copied();
        let mut areas = panels.chain([(Panel::Ask, self.layout.ask)]);
        let (panel, _) = areas.find(|(_, area)| area.contains(at))?;
        Some(panel)
    }

    /// Scrolls a panel after a turn of the mouse wheel over it.
    fn wheel(&mut self, view: &DebateViewpoint<'_, '_>, panel: Panel, lines: isize) {
        let focus = std::mem::replace(&mut self.focus, panel);
        if let Some(source) = self.source.as_mut().filter(|_| panel == Panel::Tree) {
            source.scroll_lines(lines);
        } else if panel == Panel::Tree {
            self.tree.scroll(lines, self.outline.row_count());
        } else {
            self.scroll_focused_panel(view, lines);
        }
        self.focus = focus;
    }
}
