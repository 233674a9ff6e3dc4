//! The replay screen: a saved debate, shown step by step in the panels of the debate screen, with a timeline.
//!
//! All information is shown, unless the viewer is limited to the view of one seat.

use std::cmp::Ordering;
use std::time::Instant;

use ratatui::crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position as Point, Rect};

use super::tasks::{ResultsPageKeyResult, ReviewTasks, full_debate_report};
use crate::tui::actions::{Contexts, Facts, KeyMap, KeyPress, ScreenKeyContext};
use crate::tui::background::next_progress_report;
use crate::tui::keys::{
    Action, COMPARABLE, COMPUTING, PLAYING, REPLAY_CONTEXTS, REPLAY_REWARDS, REPLAY_TRANSCRIPT,
    REPLAY_TREE, RETURNING, RUNNING, TIMELINE,
};
use crate::tui::panel::{
    AskPanelHeights, DebatePanels, MouseEventLeftByPanels, Panel, PanelLayout, PendingQuestionState,
};
use crate::tui::scene::Autoplay;
use crate::tui::scene::DebateScreenContext;
use crate::tui::screen::{
    BorrowedScreenParts, Overlay, Screen, ScreenEffect, ScreenExt as _, ScreenHelpAndReproduction,
    ScreenWithTimedUpdates, UnmappedScreenInput,
};
use crate::tui::theme::{ScreenAppearance, TextRole};
use crate::tui::widget::scroll::Entry;
use crate::tui::widget::{Canvas, measure};
use debate_core::number::Exact;
use debate_core::player::Move;
use debate_core::protocol::{LogViewerRole, Rules, Seat};
use debate_core::text::short_duration_text;
use debate_host::record::{SavedDebateWithCursor, SavedStepKind};
use debate_text::{DebateViewpoint, ReplyRemark};

/// Rows inside the timeline's frame if its hint has one line. A longer hint adds up to two rows.
const TIMELINE_ROWS: u16 = 3;

/// The user's decision in a replay.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum ReplayScreenChoice {
    /// Leave.
    #[default]
    Done,
    /// Continue the debate from the replay's position. The fields are the number of steps before this position, and the
    /// list of the moves before it that were not undone.
    PlayOn(usize, Vec<Move<Exact>>),
    /// Compare the debate with the same debate under other rules.
    Compare,
}

/// The state of the replay screen.
pub struct ReplayScreen<'t, 'a> {
    position: ReplayPosition<'t, 'a>,
    /// The moves of the whole debate, without those that were undone.
    final_moves: Vec<Move<Exact>>,
    tasks: ReviewTasks,
    keys: &'t KeyMap<Action>,
    panels: DebatePanels,
    autoplay: Autoplay,
    overlay: Overlay,
    /// True if the panels do not show the replay's current position yet.
    has_stale_panels: bool,
    /// True if the replay was opened at the end of the same debate, to which the user goes back.
    returns_to_end: bool,
    /// The screen area of the timeline's bar.
    bar: Rect,
    look: ScreenAppearance,
}

impl<'t, 'a> ReplayScreen<'t, 'a> {
    /// Opens a replay at the start of a debate.
    pub fn new(
        history: SavedDebateWithCursor<'a>,
        scene: &'t DebateScreenContext<'a>,
        keys: &'t KeyMap<Action>,
    ) -> Self {
        let position = ReplayPosition::replay_position_at_start(history, scene);
        let panels = DebatePanels::new(&position.view());
        let amounts = panels.amount_format(&position.view());
        let mut tasks = ReviewTasks::new(scene.values.as_ref(), amounts, keys);
        let end = position.history.moves_never_undone();
        if tasks.has_inputs_for_values() {
            tasks.start_review(&end);
        }
        Self {
            position,
            final_moves: end,
            tasks,
            keys,
            panels,
            // A replay waits at its start until autoplay is switched on.
            autoplay: Autoplay::new(scene.tempo.without_autoplay(), &scene.time),
            overlay: Overlay::default(),
            has_stale_panels: false,
            returns_to_end: false,
            bar: Rect::ZERO,
            look: ScreenAppearance::default(),
        }
    }

    /// Notes that the replay was opened at the end of the same debate, to which the user goes back.
    pub fn mark_return_to_debate_end(&mut self) {
        self.returns_to_end = true;
    }

    /// Moves the replay to the position after `step` steps.
    pub fn go_to_step(&mut self, step: usize) {
        self.position.go_to_step(step);
        self.refresh();
    }

    /// Shows a note in the footer until the next key press or click. `None` removes the note.
    pub fn show_note(&mut self, note: Option<String>) {
        self.panels.note = note;
    }

    fn refresh(&mut self) {
        self.has_stale_panels = true;
        let end = self.position.is_at_end();
        if end {
            self.autoplay.stop_autoplay();
        }
        self.autoplay.schedule_move(!end);
    }

    /// Updates the panels if they are stale. Called once after several steps, because an update reads the log.
    fn update_panels(&mut self) {
        if std::mem::take(&mut self.has_stale_panels) {
            self.position.update_panels_to_position(&mut self.panels);
        }
    }

    fn context(&self) -> Contexts {
        match self.panels.focus {
            Panel::Tree => REPLAY_TREE,
            Panel::Transcript => REPLAY_TRANSCRIPT,
            Panel::Rewards => REPLAY_REWARDS,
            Panel::Ask => TIMELINE,
        }
    }

    fn facts(&self) -> Facts {
        RUNNING
            | PLAYING.only_if(self.autoplay.is_autoplay_on())
            | self.tasks.facts_for_keys(true)
            | COMPARABLE.only_if(self.position.scene.comparable)
            | COMPUTING.only_if(self.tasks.has_running_review_tasks())
            | RETURNING.only_if(self.returns_to_end)
            | self.panels.facts_for_keys()
    }

    /// Returns a sentence on the step before the current position, or on the error if the next step failed.
    fn step_text(&self) -> String {
        if let Some(step_error) = &self.position.step_error {
            return format!("The next step cannot be made: {step_error}.");
        }
        let Some(step) = self.position.history.step_before_cursor() else {
            return "No moves yet.".to_owned();
        };
        let thinking_time = step.ms.map_or_else(String::new, |milliseconds| {
            let (seconds, tenths) = (milliseconds / 1000, milliseconds / 100 % 10);
            if seconds < 60 {
                return format!(", after {seconds}.{tenths} s");
            }
            format!(", after {}", short_duration_text(seconds))
        });
        match &step.kind {
            SavedStepKind::Move(_) => {
                let view = self.position.view();
                let line = view
                    .transcript(self.look.formula_script())
                    .newest_step_line();
                format!("{line}{thinking_time}")
            }
            SavedStepKind::Undo { .. } => "The last reply was undone.".to_owned(),
        }
    }

    /// Returns the number of the current move or undo, and a sentence on it.
    fn step_in_words(&self) -> String {
        let at = self.position.steps_before_position();
        let all = self.position.step_count();
        format!(
            "Move {step} of {step_count}. {event}",
            step = at,
            step_count = all,
            event = self.step_text()
        )
    }

    fn draw_timeline(&mut self, canvas: &mut Canvas<'_>) {
        let look = canvas.look;
        let inner = self.panels.draw_lowest_panel_frame("Timeline", canvas);
        let at = self.position.steps_before_position();
        let all = self.position.step_count();
        let line = self.step_in_words();
        canvas.draw_text_clipped(&line, TextRole::Title, measure::row(inner, 0));
        let bar = measure::row(inner, 1);
        self.bar = bar;
        let knob = usize::from(bar.width.saturating_sub(1)) * at / all.max(1);
        for (number, column) in bar.columns().enumerate() {
            let (glyph, role) = match number.cmp(&knob) {
                Ordering::Less => (look.glyphs.slider_track, TextRole::Focus),
                Ordering::Equal => (look.glyphs.slider_knob, TextRole::Current),
                Ordering::Greater => (look.glyphs.slider_track, TextRole::Faint),
            };
            canvas.draw_text_line(glyph, role, column);
        }
        let (role, hint) = self.timeline_hint();
        for (number, line) in measure::wrap(&hint, inner.width.into())
            .into_iter()
            .enumerate()
        {
            canvas.draw_text_line(line, role, measure::row(inner, 2 + number));
        }
    }

    /// Returns a sentence on the next move or on the mistake in it; at the end, a sentence on the end. Empty if the
    /// viewer does not follow the debate. Also returns the style of the sentence.
    fn timeline_hint(&self) -> (TextRole, String) {
        let view = self.position.view();
        match (view.state.request(), self.mistake_here()) {
            (Some(_), _) if !view.reader.is_shown_debate_during_play() => {
                (TextRole::Faint, String::new())
            }
            (Some(_), Some(mistake_sentence)) => {
                let retry_key = self.keys.key_or_command_name(TIMELINE, Action::TryAgain);
                (
                    TextRole::Bad,
                    format!("{retry_key} retries this move. {mistake_sentence}"),
                )
            }
            (Some(turn), None) if !self.position.is_at_end() => {
                let name = match turn.seat {
                    Seat::Chance => "a coin",
                    Seat::Judge => "the judge",
                    seat => seat.player_name_of_seat(),
                };
                let narrator = view.narrator(self.look.formula_script());
                let action = narrator.pending_action(&turn.request);
                (TextRole::Faint, format!("Next: {name} {action}."))
            }
            (Some(_), None) => {
                let unfinished = "The debate was not played to its end.";
                (TextRole::Faint, unfinished.to_owned())
            }
            (None, _) => (TextRole::Faint, "The debate is over.".to_owned()),
        }
    }

    /// Moves the replay to the position before the move with this number.
    fn show_move(&mut self, number: usize) {
        if let Some(step) = self.position.history.steps_before_move(number) {
            self.go_to_step(step);
        }
    }

    /// Moves the replay to the user's next mistake, or to the previous one if `forward` is false. If the review is not
    /// finished, opens the review page instead. If there is no such mistake, shows a note.
    fn go_to_mistake(&mut self, forward: bool) {
        if self.tasks.greatest_mistake_move_numbers().is_none() {
            self.open_review();
            return;
        }
        if let Some(step) = self.nearest_mistake(forward) {
            self.go_to_step(step);
            return;
        }
        let [earlier_or_later, previous_or_next] = if forward {
            ["later", "previous"]
        } else {
            ["earlier", "next"]
        };
        let other_mistake_hint = self.nearest_mistake(!forward).map(|_| {
            let key = self.mistake_key(!forward);
            format!("; {key} goes to the {previous_or_next} mistake")
        });
        let other_mistake_hint = other_mistake_hint.unwrap_or_default();
        self.panels.note = Some(format!(
            "There is no {earlier_or_later} mistake{other_mistake_hint}."
        ));
    }

    /// Returns the step of the next or the previous mistake. `None` if there is none, or if the review is not finished.
    fn nearest_mistake(&self, forward: bool) -> Option<usize> {
        let mistakes = self.tasks.greatest_mistake_move_numbers()?;
        let history = &self.position.history;
        let steps = mistakes
            .iter()
            .filter_map(|number| history.steps_before_move(*number));
        let at = self.position.steps_before_position();
        if forward {
            steps.filter(|step| *step > at).min()
        } else {
            steps.filter(|step| *step < at).max()
        }
    }

    /// Returns the key of the next or the previous mistake.
    fn mistake_key(&self, forward: bool) -> String {
        let action = if forward {
            Action::NextMistake
        } else {
            Action::PreviousMistake
        };
        self.keys.key_or_command_name(TIMELINE, action)
    }

    fn open_review(&mut self) {
        let report = self.full_report_of_finished_debate();
        if report.is_empty() && !self.tasks.has_inputs_for_values() {
            let refusal = "This debate has no review: it was not played to its end.";
            self.panels.note = Some(refusal.to_owned());
            return;
        }
        self.tasks.select_last_mistake_up_to_move(
            self.position.history.timeline().move_count_before_cursor(),
        );
        self.tasks.open_review(&self.final_moves, self.keys, report);
    }

    /// Returns the full report of the debate at its end, as the screen of the played debate shows it. Empty if the
    /// debate was not played to its end.
    fn full_report_of_finished_debate(&self) -> Vec<Entry> {
        let mut end = self.position.clone();
        end.go_to_step(usize::MAX);
        let view = end.view();
        if view.state.request().is_some() {
            return Vec::new();
        }
        let amounts = self.panels.amount_format(&view);
        let amounts = amounts.with_script(self.look.formula_script());
        let panels = DebatePanels::new(&view);
        full_debate_report(&view, &panels, end.history.timeline(), &amounts)
    }

    /// Opens the page about the averages of many debates.
    fn open_page_on_many_debates(&mut self) {
        if self.full_report_of_finished_debate().is_empty() {
            let refusal = "Only a finished debate has averages.";
            self.panels.note = Some(refusal.to_owned());
            return;
        }
        self.tasks.open_page_on_many_debates(&self.final_moves);
    }

    /// Returns the remark on the next move if it is one of the greatest mistakes and was not undone. `None` if the
    /// review is not finished.
    fn mistake_here(&self) -> Option<String> {
        let history = &self.position.history;
        let number = history.timeline().move_count_before_cursor();
        let is_current =
            history.steps_before_move(number) == Some(self.position.steps_before_position());
        self.tasks
            .better_reply_text_of_greatest_fault(number)
            .filter(|_| is_current)
    }

    /// Leaves the replay to play on from before the mistake at the current position. If the next move is no mistake,
    /// shows a note.
    fn try_again(&mut self) -> ScreenEffect<ReplayScreenChoice> {
        if self.mistake_here().is_none() {
            let only_earlier =
                self.nearest_mistake(true).is_none() && self.nearest_mistake(false).is_some();
            let key = self.mistake_key(!only_earlier);
            let previous_or_next = if only_earlier { "previous" } else { "next" };
            self.panels.note = Some(format!(
                "This move is no mistake; {key} goes to the {previous_or_next} mistake."
            ));
            return ScreenEffect::None;
        }
        self.act(Action::PlayOn)
    }

    /// Moves the replay to the step at this column of the timeline's bar.
    fn move_to_column(&mut self, column: u16) {
        let steps = usize::from(self.bar.width.saturating_sub(1)).max(1);
        let from = usize::from(column.saturating_sub(self.bar.x)).min(steps);
        self.go_to_step((from * self.position.step_count() + steps / 2) / steps);
    }
}

impl Screen for ReplayScreen<'_, '_> {
    type Outcome = ReplayScreenChoice;

    fn render(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        let look = canvas.look;
        self.look = look;
        self.update_panels();
        self.tasks.poll_review_results(&mut self.position.marks);
        let view = self.position.view();
        let lines =
            |panel, columns, most| self.panels.line_count(&view, &look, panel, columns, most);
        let arrangement = self.panels.layout_inputs(&view);
        let (_, hint) = self.timeline_hint();
        let rows = |columns: u16| {
            let lines = measure::wrap(&hint, columns.into()).len();
            AskPanelHeights::fixed(TIMELINE_ROWS + u16::from(lines > 1) + u16::from(lines > 2))
        };
        let places = PanelLayout::compute(area, arrangement, rows, lines);
        self.panels.layout = places;
        self.panels
            .draw(&view, &PendingQuestionState::default(), self.keys, canvas);
        self.draw_timeline(canvas);
        if let Some(page) = &mut self.tasks.page {
            page.draw(canvas, area);
        }
        self.panels.footer(self.keys, self.screen_context(), canvas);
    }

    fn screen_context(&self) -> ScreenKeyContext {
        let page = self.tasks.open_page_key_contexts();
        ScreenKeyContext {
            context: page.unwrap_or_else(|| self.context()),
            screen: page.unwrap_or(REPLAY_CONTEXTS),
            facts: self.facts(),
        }
    }

    fn screen_reader_text(&self) -> Option<String> {
        let facts = &self.position.scene.facts;
        let here = || format!("{}\n{}", facts.title, self.step_in_words());
        Some(
            self.tasks
                .text_of_open_page_for_screen_reader()
                .unwrap_or_else(here),
        )
    }

    fn shared_parts(&mut self) -> BorrowedScreenParts<'_> {
        let is_typing = self.is_typing();
        BorrowedScreenParts::new(&mut self.overlay, self.keys, &mut self.panels.note)
            .typing(is_typing)
    }

    fn act(&mut self, action: Action) -> ScreenEffect<ReplayScreenChoice> {
        match action {
            Action::Forward
            | Action::Back
            | Action::Start
            | Action::Finish
            | Action::RoundOn
            | Action::RoundBack => {
                self.position.move_by_timeline_action(action);
                self.refresh();
            }
            Action::Auto | Action::Faster | Action::Slower => {
                // At the end, autoplay starts again from the beginning.
                let end = self.position.is_at_end();
                if action == Action::Auto && end && !self.autoplay.is_autoplay_on() {
                    self.go_to_step(0);
                }
                let note = self.autoplay.apply_autoplay_action(action, "{play}");
                self.panels.note = Some(self.keys.with_key_names(&note));
                self.autoplay.schedule_move(!self.position.is_at_end());
            }
            Action::Copy => {
                let view = self.position.view();
                return ScreenEffect::Copy(
                    self.panels.transcript_of_shown_round(&view, &self.look),
                );
            }
            Action::Points => {
                self.panels.change_payoff_unit();
                let amounts = self.panels.amount_format(&self.position.view());
                self.tasks.set_amounts(amounts);
            }
            Action::Review => self.open_review(),
            Action::Many => self.open_page_on_many_debates(),
            Action::NextMistake | Action::PreviousMistake => {
                self.go_to_mistake(action == Action::NextMistake);
            }
            Action::TryAgain => return self.try_again(),
            Action::Stop if self.panels.is_transcript_search_running() => {
                self.panels.cancel_search();
            }
            Action::PlayOn if self.position.history.state_at_cursor().request().is_some() => {
                let moves = self.position.history.timeline().moves().to_vec();
                return ScreenEffect::Leave(ReplayScreenChoice::PlayOn(
                    self.position.steps_before_position(),
                    moves,
                ));
            }
            Action::PlayOn => {
                let refusal =
                    "The debate is over at this move. Go back to an earlier move to play on.";
                self.panels.note = Some(refusal.to_owned());
            }
            Action::Compare => return ScreenEffect::Leave(ReplayScreenChoice::Compare),
            Action::Stop => self.tasks.cancel_computations(),
            Action::Quit => return ScreenEffect::Leave(ReplayScreenChoice::Done),
            _ => {
                self.update_panels();
                self.panels.act(action, &self.position.view());
            }
        }
        ScreenEffect::None
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
        let scene = self.position.scene;
        // A replay for one seat hides the secrets of the other seats here too.
        let reproduction = scene.reproduction(scene.facts.reader == LogViewerRole::ALL);
        ScreenHelpAndReproduction {
            scenario: scene.facts.about.clone(),
            reproduction: Some(reproduction),
            ..ScreenHelpAndReproduction::help_with_purpose_of_focused_panel(self.screen_context())
        }
    }

    fn timer(&mut self) -> Option<&mut dyn ScreenWithTimedUpdates> {
        Some(self)
    }
}

impl ScreenWithTimedUpdates for ReplayScreen<'_, '_> {
    fn deadline(&self) -> Option<Instant> {
        let now = self.autoplay.now();
        let look = self
            .tasks
            .has_running_review_tasks()
            .then(|| next_progress_report(now));
        let hunt = self.panels.is_transcript_search_running().then_some(now);
        let times = [self.autoplay.next_move_time(), look, hunt];
        times.into_iter().flatten().min()
    }

    fn wake(&mut self) {
        let searching = self
            .panels
            .continue_search_if_running(&self.position.view());
        if self.autoplay.is_autoplay_move_due()
            || !(searching || self.tasks.has_running_review_tasks())
        {
            self.position.move_by_timeline_action(Action::Forward);
            self.refresh();
        }
    }
}

impl ReplayScreen<'_, '_> {
    fn write_typed_character(
        &mut self,
        event: KeyEvent,
    ) -> Option<ScreenEffect<ReplayScreenChoice>> {
        match self.tasks.pass_key_to_page(self.keys, event) {
            Some(ResultsPageKeyResult::Done) => return Some(ScreenEffect::None),
            Some(ResultsPageKeyResult::Perform(action)) => return Some(self.perform(action)),
            Some(ResultsPageKeyResult::Show(number)) => {
                self.tasks.close_results_page();
                self.show_move(number);
                return Some(ScreenEffect::None);
            }
            Some(ResultsPageKeyResult::TryAgain(number)) => {
                self.tasks.close_results_page();
                self.show_move(number);
                return Some(self.try_again());
            }
            None => {}
        }
        let typed = self
            .panels
            .write_typed_character(&self.position.view(), event);
        typed.then_some(ScreenEffect::None)
    }

    fn other_key(&mut self, event: KeyEvent) -> ScreenEffect<ReplayScreenChoice> {
        let context = self.screen_context().context;
        match self
            .keys
            .action_of_key(context, Facts::ALL, KeyPress::from(event))
        {
            // If no computation is running, the key focuses the timeline and then leaves.
            Some(Action::Stop) if self.panels.focus != Panel::Ask => self.panels.focus = Panel::Ask,
            Some(Action::Stop) => return ScreenEffect::Leave(ReplayScreenChoice::Done),
            _ => {}
        }
        ScreenEffect::None
    }

    fn handle_mouse(&mut self, event: MouseEvent) -> ScreenEffect<ReplayScreenChoice> {
        let at = Point::new(event.column, event.row);
        self.update_panels();
        if self.tasks.handle_mouse(event) {
            return ScreenEffect::None;
        }
        let view = self.position.view();
        match (self.panels.handle_mouse(event, &view), event.kind) {
            (MouseEventLeftByPanels::Below, MouseEventKind::ScrollDown) => {
                return self.act(Action::Forward);
            }
            (MouseEventLeftByPanels::Below, MouseEventKind::ScrollUp) => {
                return self.act(Action::Back);
            }
            (MouseEventLeftByPanels::Below, MouseEventKind::Down(MouseButton::Left))
                if self.bar.contains(at) =>
            {
                self.move_to_column(at.x);
            }
            (MouseEventLeftByPanels::Below, MouseEventKind::Drag(MouseButton::Left))
                if self.bar.y == at.y =>
            {
                self.move_to_column(at.x);
            }
            _ => {}
        }
        ScreenEffect::None
    }

    fn handle_paste(&mut self, text: &str) {
        self.panels.paste_into_search(text);
    }

    fn focus_panel_for(&mut self, action: Action) {
        let contexts = self.keys.contexts_of_action(action);
        if !contexts.intersects(self.context()) {
            let panels = [REPLAY_TREE, REPLAY_TRANSCRIPT, REPLAY_REWARDS];
            self.panels.focus_panel_for(contexts, panels);
        }
    }

    fn is_typing(&self) -> bool {
        self.panels.is_search_line_open()
    }
}

/// A position in a debate: the state after some number of steps.
#[derive(Clone, Debug)]
pub struct ReplayPosition<'t, 'a> {
    pub scene: &'t DebateScreenContext<'a>,
    pub history: SavedDebateWithCursor<'a>,
    /// Remarks on the replies of human players, available once the replies' values are computed.
    pub marks: Vec<ReplyRemark>,
    /// True if a change of position removed log entries or failed, so that the panels must read the whole log again.
    is_log_cut: bool,
    /// The reason why the last requested step failed.
    step_error: Option<String>,
}

impl<'t, 'a> ReplayPosition<'t, 'a> {
    /// Returns the position before the first step of a debate.
    pub fn replay_position_at_start(
        history: SavedDebateWithCursor<'a>,
        scene: &'t DebateScreenContext<'a>,
    ) -> Self {
        let mut position = Self {
            scene,
            history,
            marks: Vec::new(),
            is_log_cut: false,
            step_error: None,
        };
        position.go_to_step(0);
        // The panels have not read any entries yet.
        position.is_log_cut = false;
        position
    }

    pub fn steps_before_position(&self) -> usize {
        self.history.steps_before_cursor()
    }

    pub fn step_count(&self) -> usize {
        self.history.steps().len()
    }

    /// True after the last step of the debate, or if the next step fails.
    pub fn is_at_end(&self) -> bool {
        self.steps_before_position() == self.step_count() || self.step_error.is_some()
    }

    /// Updates the panels to this position. They read the whole log again if entries were removed from it.
    pub fn update_panels_to_position(&mut self, panels: &mut DebatePanels) {
        let anew = std::mem::take(&mut self.is_log_cut);
        if anew {
            panels.reread_log(&self.view());
        } else {
            panels.read_new_log_entries(&self.view());
        }
    }

    /// Returns the debate as the scene's reader observes it, or all of it once it is over. Remarks on moves are
    /// included if the moves so far are those of the debate's final course.
    pub fn view(&self) -> DebateViewpoint<'_, 'a> {
        let marks = &self.marks[..];
        DebateViewpoint {
            marks: if self.history.has_no_undone_move_before_cursor() {
                marks
            } else {
                &[]
            },
            facts: &self.scene.facts,
            state: self.history.state_at_cursor(),
            log: self.history.log(),
            reader: self
                .scene
                .facts
                .log_viewer_in_state(self.history.state_at_cursor()),
            perspective: self.scene.replayed_from,
            newest: self.history.log_entries_of_step_before_cursor(),
        }
    }

    /// Moves to the position after `step` steps of the debate.
    pub fn go_to_step(&mut self, step: usize) {
        match self.history.move_cursor_and_tell_if_log_shrank(step) {
            Ok(cut) => {
                self.is_log_cut |= cut;
                self.step_error = None;
            }
            Err(illegal) => {
                self.is_log_cut = true;
                self.step_error = Some(illegal.to_string());
            }
        }
    }

    /// Carries out an action of the replay's timeline.
    pub fn move_by_timeline_action(&mut self, action: Action) {
        self.go_to_step(match action {
            Action::Forward => self.steps_before_position() + 1,
            Action::Back => self.steps_before_position().saturating_sub(1),
            Action::Start => 0,
            Action::Finish => usize::MAX,
            Action::RoundOn => self.history.cursor_at_next_round(),
            Action::RoundBack => self.history.round_start_before_cursor(),
            _ => return,
        });
    }
}
