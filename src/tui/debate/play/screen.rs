//! The debate screen's implementation of the screen trait: drawing, keys and the mouse.

use crate::tui::widget::Canvas;
use std::time::Instant;

use ratatui::crossterm::event::{KeyCode, KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use super::early_digits::is_digit;
use super::live::{Animation, OtherPlayersStopPoint};
use super::{DebateScreen, DebateScreenChoice};
use crate::tui::actions::{Facts, KeyPress, ScreenKeyContext};
use crate::tui::ask::{AskPanel, UnmappedWidgetInput};
use crate::tui::background::next_progress_report;
use crate::tui::debate::tasks::ResultsPageKeyResult;
use crate::tui::keys::{
    Action, END, HANDOVER, PANEL_CONTEXTS, REWARDS, TRANSCRIPT, TREE, scroll_text, wheel_lines,
};
use crate::tui::panel::{MouseEventLeftByPanels, Panel, PanelLayout};
use crate::tui::screen::{
    AppRequest, BorrowedScreenParts, Screen, ScreenEffect, ScreenExt as _,
    ScreenHelpAndReproduction, ScreenWithTimedUpdates, UnmappedScreenInput,
};
use crate::tui::theme::TextRole;
use crate::tui::widget::scroll::Entry;
use debate_host::plan::LevelStep;

/// Maximum number of rows of the panels above the ask panel in a lesson, so that on a large screen the question is near
/// the claims.
const MAX_LESSON_ROWS: u16 = 24;

impl DebateScreen<'_, '_> {
    fn draw_ask(&mut self, canvas: &mut Canvas<'_>) {
        let columns = self.panels.layout.ask.width.saturating_sub(2);
        let title = match &self.ask {
            Some(ask) => ask.title(columns),
            None if self.live.is_over() => "The end",
            None => "Next move",
        };
        let inner = self.panels.draw_lowest_panel_frame(title, canvas);
        let is_inside_frame = self.panels.layout.has_frames;
        if let Some(ask) = &mut self.ask {
            ask.draw(is_inside_frame, canvas, inner);
            return;
        }
        // The report would reveal the payments before the animation shows the coins.
        let falling = [Entry::unlabelled(
            TextRole::Faint,
            "The last move is being shown. The result follows.",
        )];
        let notice = if self.live.is_over() && self.live.animation.is_some() {
            &falling[..]
        } else {
            &self.notice[..]
        };
        self.notice_scroll
            .draw(notice, &(0..0), is_inside_frame, canvas, inner);
    }

    /// Hides the results in the tree that the current frame of the coin animation must not show yet.
    fn hide_unrevealed_results(&self, canvas: &mut Canvas<'_>) {
        let panels = &self.panels;
        let mut shown = panels.layout.panels.iter();
        let area = shown.find(|(panel, _)| *panel == Panel::Tree);
        let (Some(animation), Some((_, area))) = (&self.live.animation, area) else {
            return;
        };
        let (tree, outline) = (&panels.tree, &panels.outline);
        for row in area.rows() {
            let at = Position::new(tree.drawn_area.x, row.y);
            let number = tree.row_at(at, outline.row_count());
            let claim = number.and_then(|number| outline.claim(number));
            if claim.is_some_and(|claim| animation.claims.contains(&claim)) {
                animation.frame.hide_new_results(canvas.buffer, row);
            }
        }
    }

    /// Chooses the claim that the user clicked in the tree, if the request is a choice among claims. The second click
    /// sends the reply.
    fn click_claim(&mut self) {
        let chosen = self.panels.selected_subclaim();
        if let (Some(index), Some(ask)) = (chosen, &mut self.ask)
            && ask.is_choice_among_subclaims()
        {
            (self.panels.focus, self.panels.note) = (Panel::Ask, None);
            if ask.mark_or_confirm_choice(index) {
                self.send_reply();
            }
        }
    }

    /// Handles a click, a drag or the wheel of the mouse on the lowest panel.
    fn handle_mouse_below(&mut self, event: MouseEvent) {
        let at = Position::new(event.column, event.row);
        let Some(ask) = &mut self.ask else {
            let lines = wheel_lines(event.kind).unwrap_or(0);
            self.notice_scroll.scroll(&self.notice[..], lines);
            return;
        };
        match event.kind {
            MouseEventKind::ScrollUp => ask.scroll(at, -1),
            MouseEventKind::ScrollDown => ask.scroll(at, 1),
            MouseEventKind::Drag(MouseButton::Left) => {
                ask.drag(at);
            }
            MouseEventKind::Down(MouseButton::Left) => {
                let sends = ask.click_and_check_confirmation(at);
                self.mark_subclaim_in_tree();
                if sends {
                    self.send_reply();
                }
            }
            _ => {}
        }
    }
}

impl Screen for DebateScreen<'_, '_> {
    type Outcome = DebateScreenChoice;

    fn render(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        canvas.look.frame = self
            .live
            .animation
            .as_ref()
            .map(|animation| animation.frame);
        if self.live.animation.is_none() {
            self.panels.unfreeze_shown_rewards();
        }
        let look = canvas.look;
        // Sentences contain the signs, so a change of signs requires new sentences.
        let other_signs = look.glyphs != self.look.glyphs;
        self.look = look;
        match (other_signs, &self.ask) {
            (true, None) => self.refresh(),
            (true, Some(_)) => self.rephrase(),
            (false, _) => {}
        }
        self.poll_results();
        if let Some(seat) = self.next_keyboard_user() {
            self.draw_handover(seat, canvas, area);
            return;
        }
        let view = self.live.view();
        let ask = |columns| self.ask_rows(columns, area.height);
        let lines =
            |panel, columns, most| self.panels.line_count(&view, &look, panel, columns, most);
        let mut inputs = self.panels.layout_inputs(&view);
        if self.live.scene.coach.is_some() {
            inputs.max_upper_rows = MAX_LESSON_ROWS;
        }
        let layout = PanelLayout::compute(area, inputs, ask, lines);
        self.panels.layout = layout;
        let asked = self
            .ask
            .as_ref()
            .map(AskPanel::question_state_for_panels_above)
            .unwrap_or_default();
        self.panels
            .draw(&self.live.view(), &asked, self.keys, canvas);
        self.hide_unrevealed_results(canvas);
        self.draw_ask(canvas);
        self.panels.status = self.thinking_line();
        if let Some(page) = &mut self.tasks.page {
            page.draw(canvas, area);
        }
        self.panels.footer(self.keys, self.screen_context(), canvas);
        self.note_end_drawn_for_key_guard();
    }

    fn screen_context(&self) -> ScreenKeyContext {
        if let Some(page) = self.tasks.open_page_key_contexts() {
            return ScreenKeyContext::of_single_panel(page, self.facts());
        }
        ScreenKeyContext {
            context: self.context(),
            screen: if self.next_keyboard_user().is_some() {
                HANDOVER
            } else {
                PANEL_CONTEXTS | self.lower_panel_context()
            },
            facts: self.facts(),
        }
    }

    fn go_home(&mut self) -> ScreenEffect<DebateScreenChoice> {
        if self.asks_to_leave(Action::Home) {
            return ScreenEffect::None;
        }
        ScreenEffect::AppRequest(AppRequest::Home)
    }

    fn take_bell(&mut self) -> bool {
        std::mem::take(&mut self.is_bell_due)
    }

    fn shared_parts(&mut self) -> BorrowedScreenParts<'_> {
        let is_typing = self.is_typing();
        BorrowedScreenParts::new(&mut self.overlay, self.keys, &mut self.panels.note)
            .typing(is_typing)
    }

    fn act(&mut self, action: Action) -> ScreenEffect<DebateScreenChoice> {
        if action != Action::Quit {
            self.is_quit_pending = false;
        }
        if self.next_keyboard_user().is_some() {
            return match action {
                Action::TakeSeat => self.hand_over_keyboard_and_stay(),
                Action::Undo => {
                    self.undo_draft_edit_or_reply();
                    ScreenEffect::None
                }
                Action::Quit => self.quit(),
                _ => ScreenEffect::None,
            };
        }
        match action {
            Action::Send => self.send_reply(),
            Action::PlayStep => {
                // A user who goes step by step does not want autoplay.
                self.autoplay.stop_autoplay();
                self.advance_other_players_to(OtherPlayersStopPoint::Move);
            }
            Action::PlayRound => self.let_others_finish_round(),
            Action::PlayToTurn if self.ask.is_some() => self.panels.focus = Panel::Ask,
            Action::PlayToTurn => self.skip_to_turn(),
            Action::Auto if self.is_paused_by_lesson() => {
                let note = "The tutorial waits: {play-to-turn} goes on.";
                self.panels.note = Some(self.keys.with_key_names(note));
            }
            Action::Auto | Action::Faster | Action::Slower => {
                let note = self.autoplay.apply_autoplay_action(action, "{pause}");
                self.panels.note = Some(self.keys.with_key_names(&note));
                self.schedule_autoplay();
            }
            Action::Undo => self.undo_draft_edit_or_reply(),
            Action::Hint => self.toggle_hints(),
            Action::Stop | Action::ToQuestion if self.panels.is_transcript_search_running() => {
                self.panels.cancel_search();
            }
            Action::Stop => self.stop_waiting_or_cancel_computations(),
            Action::ToQuestion if self.is_computing_or_awaiting_move() => {
                self.stop_waiting_or_cancel_computations();
            }
            Action::ToQuestion => self.panels.focus = Panel::Ask,
            Action::Many => self
                .tasks
                .open_page_on_many_debates(self.live.seating().moves()),
            Action::Review => self.open_review(),
            Action::NextMistake | Action::PreviousMistake => {
                let mistakes = self
                    .tasks
                    .greatest_mistake_move_numbers()
                    .unwrap_or_default();
                let mistake = match action {
                    Action::NextMistake => mistakes.iter().min(),
                    _ => mistakes.iter().max(),
                };
                match mistake {
                    Some(number) => return ScreenEffect::Leave(DebateScreenChoice::Show(*number)),
                    // The page states that there is no mistake, or shows the progress of the review.
                    None => self.open_review(),
                }
            }
            Action::Copy => {
                return ScreenEffect::Copy(
                    self.panels
                        .transcript_of_shown_round(&self.live.view(), &self.look),
                );
            }
            Action::WatchAgain => return ScreenEffect::Leave(DebateScreenChoice::WatchAgain),
            Action::Compare => return ScreenEffect::Leave(DebateScreenChoice::Compare),
            Action::Onward => return self.go_on_after_lesson(),
            Action::Coach => self.toggle_lesson_text(),
            Action::Background => self.open_briefing_page(),
            Action::Why => self.open_reason(),
            Action::Points => self.change_payoff_unit(),
            Action::PlayAgain => return ScreenEffect::Leave(DebateScreenChoice::PlayAgain),
            Action::NextOpponent => return self.play_other_opponent(LevelStep::Harder),
            Action::EasierOpponent => return self.play_other_opponent(LevelStep::Easier),
            Action::OtherSeat if self.live.is_over() && self.live.scene.offers_seats => {
                return ScreenEffect::Leave(DebateScreenChoice::OtherSeat);
            }
            Action::Quit => return self.quit(),
            Action::QuoteSentence => self.quote_sentence(),
            Action::SourceOn | Action::SourceBack => {
                let pages = if action == Action::SourceOn { 1 } else { -1 };
                self.panels.scroll_source(pages);
            }
            Action::Search => self.search(),
            Action::SearchSource | Action::NextMatch if self.panels.focus == Panel::Ask => {
                self.panels.act(action, &self.live.view());
            }
            Action::ReadOn | Action::ReadBack => {
                self.scroll_question_or_transcript(if action == Action::ReadOn { 1 } else { -1 });
            }
            _ => self.act_on_panel(action),
        }
        ScreenEffect::None
    }

    fn overlay_closed(&mut self) {
        self.finish_briefing();
    }

    fn news(&mut self) -> Option<String> {
        self.screen_reader_news()
    }

    fn screen_reader_text(&self) -> Option<String> {
        self.text_for_screen_readers()
    }

    fn input(&mut self, input: UnmappedScreenInput<'_>) -> Option<ScreenEffect<Self::Outcome>> {
        match input {
            UnmappedScreenInput::Typed(event) => self.write_typed_character(event),
            UnmappedScreenInput::Unbound(event) => Some(self.other_key(event)),
            UnmappedScreenInput::Mouse(event) => Some(self.handle_mouse(event)),
            UnmappedScreenInput::Paste(text) => {
                self.handle_paste(text);
                None
            }
            UnmappedScreenInput::Palette(action) => {
                self.focus_panel_for(action);
                None
            }
            UnmappedScreenInput::Signal => None,
        }
    }

    fn reference(&self) -> ScreenHelpAndReproduction {
        ScreenHelpAndReproduction {
            scenario: self.scenario_text(),
            reproduction: Some(self.live.scene.reproduction(self.live.is_over())),
            ..ScreenHelpAndReproduction::help_with_purpose_of_focused_panel(self.screen_context())
        }
    }

    fn timer(&mut self) -> Option<&mut dyn ScreenWithTimedUpdates> {
        Some(self)
    }
}

impl ScreenWithTimedUpdates for DebateScreen<'_, '_> {
    fn deadline(&self) -> Option<Instant> {
        let now = self.autoplay.now();
        let progress = self
            .is_computing_hint_or_review()
            .then(|| next_progress_report(now));
        let search = self.panels.is_transcript_search_running().then_some(now);
        let frame = self.live.animation.as_ref().map(Animation::next_frame_time);
        let times = [
            self.autoplay.next_move_time(),
            self.next_update_time(),
            progress,
            search,
            frame,
        ];
        times.into_iter().flatten().min()
    }

    fn wake(&mut self) {
        let searching = self.panels.continue_search_if_running(&self.live.view());
        // This wake-up may be for the animation, a search or a background computation only; then no move is made.
        let moving = self.live.advance_animation();
        let other = searching || self.is_computing_or_awaiting_move() || moving;
        self.apply_arrived_moves();
        if other && !self.autoplay.is_autoplay_move_due() {
            return;
        }
        if self.ask.is_none() && !self.live.is_over() {
            let note = self.panels.note.take();
            let focus = self.panels.focus;
            self.advance_other_players_to(OtherPlayersStopPoint::Repeats);
            self.note_end_without_key_press();
            // A user who is reading another panel keeps the focus there until their turn.
            if self.ask.is_none() && !self.live.is_over() {
                self.panels.focus = focus;
                self.panels.note = note;
            }
        }
    }
}

impl DebateScreen<'_, '_> {
    /// Leaves the screen for a debate against the players of the next easier or harder level, if it is offered.
    fn play_other_opponent(&self, step: LevelStep) -> ScreenEffect<DebateScreenChoice> {
        if self.is_level_offered(step) {
            ScreenEffect::Leave(DebateScreenChoice::OtherOpponent(step))
        } else {
            ScreenEffect::None
        }
    }

    fn write_typed_character(
        &mut self,
        event: KeyEvent,
    ) -> Option<ScreenEffect<DebateScreenChoice>> {
        self.live.animation = None;
        match self.tasks.pass_key_to_page(self.keys, event) {
            Some(ResultsPageKeyResult::Done) => return Some(ScreenEffect::None),
            Some(ResultsPageKeyResult::Perform(action)) => return Some(self.perform(action)),
            Some(ResultsPageKeyResult::Show(number)) => {
                return Some(ScreenEffect::Leave(DebateScreenChoice::Show(number)));
            }
            Some(ResultsPageKeyResult::TryAgain(number)) => {
                return Some(ScreenEffect::Leave(DebateScreenChoice::TryAgain(number)));
            }
            None => {}
        }
        if self.next_keyboard_user().is_some() {
            return None;
        }
        if self.intercept_key_after_early_digits(event) {
            return Some(ScreenEffect::None);
        }
        let asked = self.panels.focus == Panel::Ask && !self.panels.is_search_line_open();
        if let Some(ask) = self.ask.as_mut().filter(|_| asked)
            && ask.input(UnmappedWidgetInput::Key(event))
        {
            return Some(ScreenEffect::None);
        }
        let typed = self.panels.write_typed_character(&self.live.view(), event);
        if typed
            && event.code == KeyCode::Esc
            && std::mem::take(&mut self.panels.searches_from_question)
        {
            self.panels.focus = Panel::Ask;
        }
        typed.then_some(ScreenEffect::None)
    }

    fn other_key(&mut self, event: KeyEvent) -> ScreenEffect<DebateScreenChoice> {
        let meant = self
            .keys
            .action_of_key(self.context(), Facts::ALL, KeyPress::from(event));
        if self.next_keyboard_user().is_none() && meant == Some(Action::Stop) {
            return self.leave_by_stop();
        }
        self.is_quit_pending = false;
        if self.next_keyboard_user().is_some() {
            return ScreenEffect::None;
        }
        let is_undo = |contexts| {
            let action = self
                .keys
                .action_of_key(contexts, Facts::ALL, KeyPress::from(event));
            action == Some(Action::Undo)
        };
        if self.live.is_over() && is_undo(PANEL_CONTEXTS) {
            let note = "The debate is over: no reply can be undone. {review} shows any mistakes, from which you can play on.";
            self.panels.note = Some(self.keys.with_key_names(note));
            return ScreenEffect::None;
        }
        // The actions of the report work from every panel, if the panel has no use for their keys.
        if self.live.is_over() {
            let of_report = self
                .keys
                .action_of_key(END, self.facts(), KeyPress::from(event));
            if let Some(action) = of_report {
                return self.perform(action);
            }
        }
        // Undo and hints always respond, if only with the reason why they are unavailable.
        match meant {
            Some(Action::Undo) => {
                self.undo_draft_edit_or_reply();
                return ScreenEffect::None;
            }
            Some(Action::Hint) => {
                self.panels.note = Some(debate_text::NO_HINTS.to_owned());
                return ScreenEffect::None;
            }
            _ => {}
        }
        // A number typed while another panel has the focus, for example after a click on a claim, is a reply too.
        let taken = self
            .ask
            .as_mut()
            .is_some_and(|ask| ask.pass_unmapped_key(event));
        if taken {
            self.panels.focus = Panel::Ask;
            self.mark_subclaim_in_tree();
        } else if KeyPress::from(event).character() == Some('/') {
            // A request for a number uses this sign, but not as the first one.
            self.search();
        } else if self.ask.is_none() && !self.live.is_over() && is_digit(event) {
            self.warn_about_early_digit();
        }
        ScreenEffect::None
    }

    fn handle_mouse(&mut self, event: MouseEvent) -> ScreenEffect<DebateScreenChoice> {
        self.live.animation = None;
        if self.tasks.handle_mouse(event) || self.next_keyboard_user().is_some() {
            return ScreenEffect::None;
        }
        match self.panels.handle_mouse(event, &self.live.view()) {
            MouseEventLeftByPanels::Claim => self.click_claim(),
            MouseEventLeftByPanels::Below => self.handle_mouse_below(event),
            MouseEventLeftByPanels::Done => {}
        }
        ScreenEffect::None
    }

    fn handle_paste(&mut self, text: &str) {
        if self.panels.is_search_line_open() {
            self.panels.paste_into_search(text);
        } else if let Some(ask) = &mut self.ask {
            ask.paste(text);
        }
    }

    fn focus_panel_for(&mut self, action: Action) {
        if self.next_keyboard_user().is_some() {
            return;
        }
        let contexts = self.keys.contexts_of_action(action);
        if !contexts.intersects(self.context()) {
            self.panels
                .focus_panel_for(contexts, [TREE, TRANSCRIPT, REWARDS]);
        }
    }

    fn is_typing(&self) -> bool {
        self.panels.is_search_line_open()
    }

    fn scenario_text(&self) -> String {
        let facts = &self.live.scene.facts;
        let texts = if self.live.is_over() {
            vec![&*facts.about, &*facts.debrief]
        } else {
            facts.introduction_texts(self.live.view().reader.viewer_seat())
        };
        texts.join("\n")
    }
}

impl DebateScreen<'_, '_> {
    pub(super) fn scroll_question_or_transcript(&mut self, pages: isize) {
        let in_question = self
            .ask
            .as_mut()
            .is_some_and(|ask| ask.scroll_question(pages));
        if !in_question {
            self.panels
                .scroll_transcript_pages(&self.live.view(), pages);
        }
    }

    pub(super) fn act_on_panel(&mut self, action: Action) {
        if self.panels.focus == Panel::Ask {
            if let Some(ask) = &mut self.ask
                && ask.act_on_widget(action)
            {
                self.mark_subclaim_in_tree();
                return;
            }
            if self.ask.is_none() && self.scroll_notice(action) {
                return;
            }
        }
        self.panels.act(action, &self.live.view());
        if self.panels.focus == Panel::Tree {
            self.mark_tree_selection_in_ask_panel();
            // The row may be too narrow for the whole claim.
            if matches!(action, Action::Up | Action::Down) {
                self.panels.note = self.panels.selected_claim_text(&self.live.view());
            }
        }
    }

    /// Scrolls the notice in the lowest panel, which is the report after the debate's end. Returns false if the action
    /// does not scroll, or if the notice is shown in full. The caller then passes the action to the other panels.
    fn scroll_notice(&mut self, action: Action) -> bool {
        let text = &self.notice[..];
        let is_shown_in_full = !self.notice_scroll.has_lines_above_view()
            && self.notice_scroll.is_scrolled_to_end(text);
        !is_shown_in_full && scroll_text(action, &mut self.notice_scroll, text)
    }

    /// Marks in the tree the subclaim that is marked in the ask panel.
    pub(super) fn mark_subclaim_in_tree(&mut self) {
        if let Some(index) = self.ask.as_ref().and_then(AskPanel::marked_subclaim) {
            self.panels.select_subclaim_in_tree(index);
        }
    }

    /// Marks in the ask panel the subclaim that is selected in the tree.
    pub(super) fn mark_tree_selection_in_ask_panel(&mut self) {
        if let Some(ask) = self
            .ask
            .as_mut()
            .filter(|ask| ask.is_choice_among_subclaims())
            && let Some(index) = self.panels.selected_subclaim()
        {
            ask.mark(index);
        }
    }
}
