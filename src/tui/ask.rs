//! The ask panel: the pending request to the user in words, the widget for the reply, and the effect of the reply.
//!
//! The kind of request determines the widget, under every protocol: a slider for a probability, switches for claimed
//! answers, editors for bits, for subclaims in the user's own words and for speeches, a list of steps to point at, and
//! a short list for all other replies. No choice of several is preselected, so that one key press too many sends no
//! reply. The editors of bits begin with the bits that the problem prepared, if any.

mod bits;
mod compose;
mod factory;
mod grid;
mod machine_walk;
mod slider;
mod speech;
mod steps;
mod tape;
#[cfg(test)]
mod testing;
mod variables;
mod widget;
mod written;

use std::cell::Cell;

use crate::tui::widget::Canvas;
use debate_text::{self, DebateViewpoint, EstimateSplitBar};
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Position, Rect};

use crate::tui::actions::{Contexts, KeyPress};
use crate::tui::keys::{Action, SPEECH};
use crate::tui::panel::{AskPanelHeights, PendingQuestionState};
use crate::tui::theme::{ScreenAppearance, TextRole};
use crate::tui::widget::choice::LastClickedRow;
use crate::tui::widget::measure;
use crate::tui::widget::scroll::{Entry, Scroll, measure_lines};
use debate_core::number::Exact;
use debate_core::protocol::{BitsMeaning, PendingTurn, Reply, Seat};

pub use factory::payoff_texts;
pub use slider::SliderWidget;
pub use widget::{AnswerWidget, ReplyPayoffTexts, ReplyPickList, UnmappedWidgetInput};
use widget::{ReplyWidget, RowsNeededByWidget};

/// Maximum number of words of a line that lists the coins on which an estimate depends. If the list is longer, the line
/// gives the number of coins instead.
const MAX_GIVEN_WORDS: usize = 13;

/// Maximum number of characters that a paste types into a widget that accepts no pasted text.
const MAX_PASTED: usize = 1 << 16;
/// Maximum number of words in the ask panel: the question, its choices and its notes. Minor notes beyond this limit are
/// left out.
const MAX_WORDS: usize = 45;
/// Number of words of a question that are reserved for the note about the estimates. The list of this round's coins
/// gets only the words that remain.
const NOTE_WORDS: usize = 18;
/// Minimum width of the panel at which the notes about a subclaim's estimate fit in one line.
const WIDE_NOTE_COLUMNS: u16 = 100;
/// Minimum number of lines that a narrower panel reserves for the notes about a subclaim's estimate.
const PART_NOTE_LINES: usize = 2;
/// Columns that the title of a panel's frame needs in addition to its text.
const TITLE_FRAME_COLUMNS: usize = 4;

/// Passes a key that has no binding to a widget. Returns false if the widget has no use for it.
pub fn pass_unmapped_key(widget: &mut dyn AnswerWidget, event: KeyEvent) -> bool {
    match KeyPress::from(event).character() {
        Some(c) => widget.input(UnmappedWidgetInput::Character(c)),
        None => event.code == KeyCode::Backspace && widget.input(UnmappedWidgetInput::Erase),
    }
}

/// Passes a pasted text to a widget. A widget that accepts no pasted text gets the trimmed text's first
/// characters as if typed, up to a limit, so that numbers and bits can be pasted too. Returns true if the widget
/// accepted any of it.
pub fn paste(widget: &mut dyn AnswerWidget, text: &str) -> bool {
    if widget.input(UnmappedWidgetInput::Paste(text)) {
        return true;
    }
    let mut taken = false;
    for c in text.trim().chars().take(MAX_PASTED) {
        taken |= widget.input(UnmappedWidgetInput::Character(c));
    }
    taken
}

/// Counts those words of a text that contain a letter or a digit.
fn count_words(text: &str) -> usize {
    text.split_whitespace()
        .filter(|word| word.contains(char::is_alphanumeric))
        .count()
}

/// A pending request and the draft of the user's reply.
#[derive(Debug)]
pub struct AskPanel {
    pub turn: PendingTurn<Exact>,
    /// A short name for the kind of reply. It is the panel's title if a lesson's text is shown above the question.
    reply_kind: &'static str,
    /// The tutorial's explanation of this step.
    coach_text: Option<Entry>,
    /// A warning that the result is already decided.
    decided_notice: Option<Entry>,
    /// The sentence that names the user's seat. Shown on the first turn, if two users share the keyboard, and in
    /// lessons.
    seat_announcement: Option<String>,
    question: String,
    /// The lines below the question: this round's coins, the gap, the evidence and the skipped rounds. Then the path to
    /// the claim, and the events since this user's last turn.
    details: Vec<Entry>,
    /// Number of words in the line of `details` that lists the outcomes of this round's coins; 0 without such a line.
    given_words: usize,
    /// True if the text above the widget contains the evidence for the claim.
    shows_evidence: bool,
    /// Texts about the debate's subject, if there is room for them beside the question.
    debate_description: Vec<Entry>,
    /// True if the question panel shows `debate_description`. False while the briefing page, which contains the same
    /// texts, is open.
    shows_description: bool,
    /// The event that follows the user's reply, as a sentence. Shown if the widget has no notes.
    consequence: Option<String>,
    scroll: Scroll,
    widget: ReplyWidget,
    /// The notes of a hint below the widget. The values of the replies are beside the widget's choices.
    hint_notes: Vec<(TextRole, String)>,
    /// The reason why the user's last reply was rejected.
    pub error: Option<String>,
    /// A reply about which the user was warned, with the warning. The user sends the same reply again to confirm it.
    warned_reply: Option<(Reply<Exact>, String)>,
    /// The screen area of the widget, for mouse events.
    area: Rect,
    /// The panel's width in the last frame, and the largest number of note lines so far at that width. The panel
    /// reserves these lines, so that the panels above it do not move while the user types.
    reserved: Cell<(u16, usize)>,
    clicks: LastClickedRow,
}

impl AskPanel {
    /// Creates the ask panel for a human player's turn. `names_seat`: true if the panel names the seat to reply;
    /// `texts`: scenario texts for this player that were not shown yet; `payoff_texts`: payoffs of the replies.
    pub fn new(
        view: &DebateViewpoint<'_, '_>,
        turn: PendingTurn<Exact>,
        decided_notice: Option<String>,
        names_seat: bool,
        texts: &[&str],
        payoff_texts: Option<ReplyPayoffTexts>,
        look: &ScreenAppearance,
    ) -> Self {
        let narrator = view.narrator(look.formula_script());
        let asked = narrator.pending_question(&turn, view.log);
        // A line below the question shows the coins.
        let question = match &asked.given {
            Some(given) => debate_text::capitalized(&asked.text.replacen(given.as_str(), "", 1)),
            None => asked.text,
        };
        let seat_announcement = names_seat.then(|| view.facts.role_announcement(turn.seat));
        let mut widget = factory::reply_widget(view, &turn);
        if let Some(payoff_texts) = payoff_texts {
            widget.set_payoff_texts(payoff_texts);
        }
        let choices = count_words(&widget.get().words().choices) + count_words(&question);
        let taken = choices + seat_announcement.as_deref().map_or(0, count_words);
        let mut details = Vec::new();
        let shows_evidence = asked.evidence.is_some();
        let given = narrator.given_coins_line(
            &turn.request,
            view.log,
            MAX_WORDS
                .saturating_sub(taken + NOTE_WORDS)
                .min(MAX_GIVEN_WORDS),
        );
        let given_words = given.as_deref().map_or(0, count_words);
        let taken = taken + given_words;
        details.extend(given.map(|given| Entry::unlabelled(TextRole::Text, given)));
        // The board of a narrow screen has no picture of the gap.
        let gap = view.viewer_may_see_estimates_and_rewards()
            && turn.request.is_subclaim_selection_request()
            && turn.seat == Seat::Prover;
        let gap = gap
            .then(|| EstimateSplitBar::of_last_round(view.facts.instance, view.log, None))
            .flatten()
            .filter(|bar| bar.gap().is_some())
            .and_then(|bar| bar.gap_or_no_gap_sentence(view.perspective));
        details.extend(gap.map(|gap| Entry::unlabelled(TextRole::Bad, gap)));
        details.extend(asked.evidence.map(|evidence| {
            let entry = Entry::unlabelled(TextRole::Title, "Evidence: ");
            entry.append_span(TextRole::Text, evidence)
        }));
        let ends_early =
            turn.request.is_bet_or_oracle_query() && view.reader.is_shown_debate_during_play();
        let skipped = narrator
            .rounds_skipped_to_leaf_sentence(view.log)
            .filter(|text| ends_early && taken + count_words(text) <= MAX_WORDS);
        details.extend(skipped.map(|text| Entry::unlabelled(TextRole::Faint, text)));
        if !view.reader.is_shown_debate_during_play() {
            let path = narrator
                .claim_path_sentence(&turn, view.log)
                .filter(|path| {
                    view.reader.sees_path_to_question() && taken + count_words(path) <= MAX_WORDS
                });
            details.extend(path.map(|path| Entry::unlabelled(TextRole::Text, path)));
        }
        let is_too_long =
            taken + texts.iter().map(|text| count_words(text)).sum::<usize>() > MAX_WORDS;
        let shown_texts = texts.iter().filter(|_| !is_too_long);
        // A judge must not see how the answer pays.
        let shows_step =
            view.viewer_may_see_rules() && turn.request.claim_for_judge_to_decide().is_none();
        let step = debate_text::explain_pending_step(view).filter(|_| shows_step);
        Self {
            widget,
            reply_kind: asked.title,
            coach_text: None,
            decided_notice: decided_notice
                .map(|decided_notice| Entry::unlabelled(TextRole::Warning, decided_notice)),
            seat_announcement,
            question,
            details,
            given_words,
            shows_evidence,
            debate_description: shown_texts
                .map(|text| Entry::unlabelled(TextRole::Faint, (*text).to_owned()))
                .collect(),
            shows_description: true,
            consequence: step.map(|step| step.then),
            scroll: Scroll::at_start_without_following(0),
            hint_notes: Vec::new(),
            error: None,
            warned_reply: None,
            area: Rect::ZERO,
            reserved: Cell::new((0, 0)),
            clicks: LastClickedRow::default(),
            turn,
        }
    }

    /// Shows the texts about the debate's subject, or hides them.
    pub fn set_description_shown(&mut self, shown: bool) {
        self.shows_description = shown;
    }

    /// Returns the texts about the debate's subject that are shown now.
    fn description(&self) -> &[Entry] {
        if self.shows_description {
            &self.debate_description
        } else {
            &[]
        }
    }

    /// True if the frame's title shows the question.
    fn is_question_in_title(&self, columns: u16) -> bool {
        let wide = measure::width(&self.question) + TITLE_FRAME_COLUMNS;
        self.coach_text.is_none() && wide <= columns.into() && !self.question.contains('\n')
    }

    /// Returns the title of a frame that is `columns` wide inside: in a lesson the kind of reply, else the question.
    /// Empty if the question does not fit.
    pub fn title(&self, columns: u16) -> &str {
        match &self.coach_text {
            Some(_) => self.reply_kind,
            None if self.is_question_in_title(columns) => &self.question,
            None => "",
        }
    }

    /// Returns the text above the reply widget.
    fn entries_above_widget(&self, columns: u16) -> Vec<Entry> {
        let mut text: Vec<Entry> = self.coach_text.iter().cloned().collect();
        text.extend(self.decided_notice.clone());
        let seat_announcement = self.seat_announcement.as_ref().map(|seat_announcement| {
            Entry::unlabelled(TextRole::Title, format!("{seat_announcement} "))
        });
        if self.is_question_in_title(columns) {
            text.extend(seat_announcement);
        } else {
            let seat_announcement = seat_announcement.unwrap_or_default();
            text.push(if self.turn.request.asks_for_claim_truth() {
                // Neither answer may be emphasised.
                seat_announcement.append_span(TextRole::Text, self.question.clone())
            } else {
                seat_announcement.append_with_truth_and_bet_roles(TextRole::Text, &self.question)
            });
        }
        text.extend(self.details.iter().cloned());
        text
    }

    /// Replaces the payoffs in the panel after the user chose another unit. Keeps the draft of the reply. `None` changes nothing. `None`
    /// changes nothing.
    pub fn set_payoff_texts(&mut self, payoff_texts: Option<ReplyPayoffTexts>) {
        if let Some(payoff_texts) = payoff_texts {
            self.widget.set_payoff_texts(payoff_texts);
        }
    }

    /// Shows the events since this user's last turn below the question.
    pub fn show_events_since_last_turn(&mut self, summary: Option<String>) {
        let entry = |text| {
            let label = Entry::unlabelled(TextRole::Title, "Since your last key: ");
            label.append_span(TextRole::Faint, text)
        };
        self.details.extend(summary.map(entry));
    }

    /// Replaces the tutorial's explanation above the question.
    pub fn set_tutorial_explanation(&mut self, coach_text: Option<Entry>) {
        self.coach_text = coach_text;
    }

    /// Shows the value of each reply beside the widget's choices, and further notes below them. A choice has no value
    /// if `value_of` returns an empty text.
    pub fn show_hints(
        &mut self,
        value_of: &dyn Fn(&Reply<Exact>) -> String,
        notes: Vec<(TextRole, String)>,
    ) {
        if let Some(list) = self.widget.choices_mut() {
            list.show_values(value_of);
        }
        if notes.is_empty() && !self.hint_notes.is_empty() {
            // Without hints, their rows go back to the panels above.
            self.reserved.set((0, 0));
        }
        self.hint_notes = notes;
    }

    /// True if the user must choose among subclaims. The claim tree then marks the chosen one too.
    pub fn is_choice_among_subclaims(&self) -> bool {
        self.turn.request.is_subclaim_selection_request()
    }

    /// Returns the index of the marked subclaim if the user must choose among subclaims.
    pub fn marked_subclaim(&self) -> Option<usize> {
        self.marked_choice()
            .filter(|_| self.is_choice_among_subclaims())
    }

    /// Returns the state of the pending question that the tree and the other panels above the ask panel show.
    pub fn question_state_for_panels_above(&self) -> PendingQuestionState {
        PendingQuestionState {
            is_marking_in_tree: self.marked_subclaim().is_some(),
            draft: self.widget.drafted_estimate(),
            shows_evidence: self.shows_evidence,
            shows_consequence: self.consequence.is_some() && self.widget.get().notes().is_empty(),
        }
    }

    /// Returns a warning if the user has set no value of a formula's variables, which are initially 0.
    pub fn no_value_chosen_warning(&self) -> Option<String> {
        let meaning = self.turn.request.meaning_of_bits();
        let is_block = matches!(meaning, Some(BitsMeaning::Block { .. }));
        (is_block && !self.is_draft_edited())
            .then(|| "You chose no value: every value is still 0.".to_owned())
    }

    /// True if a warning about the same reply was already shown.
    pub fn has_warned_about(&self, reply: &Reply<Exact>) -> bool {
        self.warned_reply
            .as_ref()
            .is_some_and(|(warned, _)| warned == reply)
    }

    /// Shows a warning about a reply. The user sends the reply again to confirm it.
    pub fn warn_about_reply(&mut self, reply: Reply<Exact>, why: String) {
        self.error = None;
        self.warned_reply = Some((reply, why));
    }

    /// True if the requested reply is a speech for one of the answers, in which a debater may quote the source.
    pub fn asks_for_quoted_speech(&self) -> bool {
        self.turn.request.argued_answer_index().is_some()
    }

    fn marked_choice(&self) -> Option<usize> {
        self.widget.choices()?.marked_index()
    }

    /// Returns the contexts whose keys are active in the widget.
    pub fn key_contexts(&self) -> Contexts {
        self.widget.get().context()
    }

    /// Returns the drafted reply, or the reason why it is incomplete.
    pub fn reply(&self) -> Result<Reply<Exact>, String> {
        self.widget.get().reply()
    }

    /// Passes an action to the widget. Returns false if the widget does not support it.
    pub fn act_on_widget(&mut self, action: Action) -> bool {
        let done = self.widget.get_mut().act(action);
        self.clear_messages_if(done)
    }

    /// Passes an input to the widget. Returns false if the widget has no use for it.
    pub fn input(&mut self, input: UnmappedWidgetInput<'_>) -> bool {
        let taken = self.widget.get_mut().input(input);
        self.clear_messages_if(taken)
    }

    /// Passes a key outside the key table to the widget. Returns false if the widget has no use for it.
    pub fn pass_unmapped_key(&mut self, event: KeyEvent) -> bool {
        let taken = pass_unmapped_key(self.widget.get_mut(), event);
        self.clear_messages_if(taken)
    }

    /// Passes a pasted text to the reply widget.
    pub fn paste(&mut self, text: &str) {
        let taken = paste(self.widget.get_mut(), text);
        self.clear_messages_if(taken);
    }

    /// Ends the typing of a line or a number in the reply widget, as the Enter key does. Returns false if nothing was
    /// being typed.
    pub fn finish_typing(&mut self) -> bool {
        self.widget.get_mut().input(UnmappedWidgetInput::Enter)
    }

    /// True if the drafted reply has an edit that can be undone.
    pub fn is_draft_edited(&self) -> bool {
        match &self.widget {
            ReplyWidget::Editor(editor) => editor.is_edited(),
            ReplyWidget::Choices(_) | ReplyWidget::Number(_) | ReplyWidget::Other(_) => false,
        }
    }

    /// Undoes the last edit of the drafted reply; returns false if there is none.
    pub fn undo_draft_edit(&mut self) -> bool {
        let undone = match &mut self.widget {
            ReplyWidget::Editor(editor) => editor.undo(),
            ReplyWidget::Choices(_) | ReplyWidget::Number(_) | ReplyWidget::Other(_) => false,
        };
        self.clear_messages_if(undone)
    }

    /// Marks the choice at this index, if the widget has choices.
    pub fn mark(&mut self, index: usize) {
        if let Some(list) = self.widget.choices_mut() {
            list.mark(index);
        }
    }

    /// If `changed` is true, clears the error, and any warning about another reply. Returns `changed`.
    fn clear_messages_if(&mut self, changed: bool) -> bool {
        if changed {
            self.error = None;
            // A key that leaves the reply unchanged keeps the warning.
            let reply = self.reply();
            self.warned_reply
                .take_if(|(warned, _)| reply.as_ref() != Ok(warned));
        }
        changed
    }

    /// Scrolls the question by pages. Returns true if it is long enough to scroll.
    pub fn scroll_question(&mut self, pages: isize) -> bool {
        let text = self.entries_above_widget(self.area.width);
        let long = self.scroll.has_lines_above_view() || !self.scroll.is_scrolled_to_end(&text[..]);
        if long {
            let lines = pages * self.scroll.lines_per_page_key();
            self.scroll.scroll(&text[..], lines);
        }
        long
    }

    /// Scrolls the widget or the question, whichever is under the mouse, by `lines`.
    pub fn scroll(&mut self, at: Position, lines: isize) {
        let wheel = UnmappedWidgetInput::Wheel(lines);
        if self.area.contains(at) && self.widget.get_mut().input(wheel) {
            return;
        }
        let text = self.entries_above_widget(self.area.width);
        self.scroll.scroll(&text[..], lines);
    }

    /// Handles a click on the panel. Returns true for the second click on a choice, which sends it as the reply.
    pub fn click_and_check_confirmation(&mut self, at: Position) -> bool {
        let before = self.marked_choice();
        if !self.drag(at) {
            return false;
        }
        let marked = self.marked_choice();
        marked.is_some_and(|index| self.clicks.is_second_click(index, before))
    }

    /// Marks a choice after a click on it in another panel. Returns true for the second click on it, which sends it as
    /// the reply.
    pub fn mark_or_confirm_choice(&mut self, index: usize) -> bool {
        let before = self.marked_choice();
        self.mark(index);
        self.clear_messages_if(true);
        self.clicks.is_second_click(index, before)
    }

    /// Handles a drag of the mouse. Returns true if it hit the widget and the widget reacted to it.
    pub fn drag(&mut self, at: Position) -> bool {
        let area = self.area;
        let click = UnmappedWidgetInput::Click { at, area };
        let hit = area.contains(at) && self.widget.get_mut().input(click);
        self.clear_messages_if(hit)
    }

    /// Returns the notes below the widget. If room is scarce, the faint notes of a hint are left out.
    fn notes(&self, room_is_scarce: bool) -> Vec<(TextRole, String)> {
        // Warnings come first: they must be read before the reply is sent, and room may be scarce.
        let warned = self.warned_reply.iter();
        let mut notes: Vec<(TextRole, String)> = warned
            .map(|(_, why)| (TextRole::Warning, why.clone()))
            .collect();
        let hints = self.hint_notes.iter();
        let shown = hints.filter(|(role, _)| !room_is_scarce || *role != TextRole::Faint);
        notes.extend(shown.cloned());
        let own = self.widget.get().notes();
        let consequence = self.consequence.as_ref().filter(|_| own.is_empty());
        notes.extend(own);
        notes.extend(consequence.map(|text| (TextRole::Faint, text.clone())));
        // Minor notes are left out if the word limit is exceeded.
        let seat_announcement = self.seat_announcement.as_deref().map_or(0, count_words);
        let mut left = MAX_WORDS.saturating_sub(
            seat_announcement
                + self.given_words
                + count_words(&self.question)
                + count_words(&self.widget.get().words().choices),
        );
        notes.retain(|(role, note)| {
            let count = count_words(note);
            let kept = *role != TextRole::Faint || count <= left;
            left = left.saturating_sub(if kept { count } else { 0 });
            kept
        });
        if let Some(error) = &self.error {
            notes.push((TextRole::Bad, error.clone()));
        }
        notes
    }

    /// Returns the drafted reply, its effect, and the reason if a reply was rejected, for screen readers.
    pub fn draft_in_words(&self) -> Option<String> {
        let answer = self.widget.get().words().marked;
        let mut notes = self.notes(false);
        if answer.is_none() {
            // The effect of a text changes with every key.
            notes.retain(|(role, _)| matches!(role, TextRole::Warning | TextRole::Bad));
        }
        let notes = notes.into_iter().map(|(_, text)| text);
        let lines: Vec<String> = answer.into_iter().chain(notes).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    fn note_lines(&self, columns: u16, room_is_scarce: bool) -> Vec<(TextRole, String)> {
        let notes = self.notes(room_is_scarce).into_iter();
        let wrapped = notes.flat_map(|(role, note)| {
            let lines = measure::wrap(&note, columns.into())
                .into_iter()
                .map(|line| (role, line.to_owned()));
            lines.collect::<Vec<_>>()
        });
        wrapped.collect()
    }

    /// Returns the number of lines to reserve for notes: the largest number so far at this width.
    fn reserved_note_lines(&self, columns: u16) -> usize {
        let (before, most) = self.reserved.get();
        let shown = self.note_lines(columns, false).len();
        let asks_part = self.turn.request.index_among_siblings().is_some();
        // The sentence about a typed number for a subclaim is longer than the one before it.
        let is_longer = asks_part && columns < WIDE_NOTE_COLUMNS;
        let least = if is_longer { PART_NOTE_LINES } else { 0 };
        let most = if before == columns { most } else { least };
        let most = most.max(shown);
        self.reserved.set((columns, most));
        most
    }

    /// Returns the numbers of rows that the question, the widget and the notes need. `fair_list_rows` is the number of
    /// rows that a list may take although the panels above have more to show.
    pub fn needed_rows(&self, columns: u16, fair_list_rows: u16) -> AskPanelHeights {
        let text = measure_lines(&self.entries_above_widget(columns), columns);
        let with_details = self.rows_with_details(columns);
        self.set_room_for_details(false);
        let around = text + self.note_lines(columns, false).len();
        let reserved = text + self.reserved_note_lines(columns);
        let rows = |rows: usize| u16::try_from(rows).unwrap_or(u16::MAX - 9).max(2);
        let debate_description = measure_lines(self.description(), columns);
        let widget = self.widget.get().rows(columns);
        let all = (reserved + widget.all).max(with_details);
        // An editor for a speech gets a third of the screen; `fair_list_rows` is half of the screen.
        let written = if self.key_contexts().intersects(SPEECH) {
            fair_list_rows * 2 / 3
        } else {
            0
        };
        AskPanelHeights {
            all: rows(all + debate_description).max(written),
            needed: rows(around + widget.least).max(written),
            fair: fair_list_rows,
        }
    }

    /// Lets a list of choices show the details of all choices if `room` is true.
    fn set_room_for_details(&self, room: bool) {
        if let Some(list) = self.widget.choices() {
            list.set_room_for_details(room);
        }
    }

    /// Returns the rows that the question, the widget and the notes need if the details of all choices are shown.
    fn rows_with_details(&self, columns: u16) -> usize {
        self.set_room_for_details(true);
        let text = measure_lines(&self.entries_above_widget(columns), columns);
        let widget = self.widget.get().rows(columns).all;
        text + widget + self.note_lines(columns, false).len()
    }

    /// Draws the question, the widget and the notes. If room is scarce, leaves out in this order: the debate's
    /// description, rows of lists (which scroll), minor notes of a hint, and last the question, which also has a
    /// separate page.
    pub fn draw(&mut self, is_inside_frame: bool, canvas: &mut Canvas<'_>, area: Rect) {
        let with_details = self.rows_with_details(area.width);
        self.set_room_for_details(with_details <= area.height.into());
        let mut lines = self.note_lines(area.width, false);
        let height = usize::from(area.height);
        let mut text = self.entries_above_widget(area.width);
        let question = measure_lines(&text, area.width);
        let debate_description = measure_lines(self.description(), area.width);
        let RowsNeededByWidget { all: wanted, least } = self.widget.get().rows(area.width);
        let roomy = question + debate_description + wanted + lines.len() <= height;
        let most = height.saturating_sub(question.min(2));
        let widget = height
            .saturating_sub(question + lines.len())
            .clamp(least.min(most), most)
            .min(wanted);
        // The minor notes of a hint are left out before the question is cut.
        if question + widget + lines.len() > height {
            lines = self.note_lines(area.width, true);
        }
        let below = lines
            .len()
            .min(height.saturating_sub(question.min(2) + widget));
        let shown = question + if roomy { debate_description } else { 0 };
        let top = height.saturating_sub(widget + below).min(shown);
        let body = measure::rows(area, 0, top);
        if roomy {
            text.extend(self.description().iter().cloned());
        }
        self.scroll.draw_text(&text, is_inside_frame, canvas, body);
        self.area = measure::rows(area, top, widget);
        self.widget.get_mut().draw(canvas, self.area);
        for (number, (role, line)) in lines.iter().take(below).enumerate() {
            let at = measure::row(area, top + widget + number);
            canvas.draw_text_line(line, *role, at);
        }
    }
}
