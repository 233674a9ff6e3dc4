//! The ask panel: the pending request in words, the widget for the reply, and the effect of the reply.
//!
//! Each kind of request has one widget, under every protocol: a slider for a probability, switches for claimed answers,
//! an editor for bits, another for subclaims in the user's own words, a list of steps to point at, and a short list for
//! all other replies. A free choice has no preselection, so that one key press too many sends no reply. Long bit
//! strings are prepared.

mod bits;
mod compose;
mod factory;
mod grid;
mod machine_walk;
mod speech;
mod steps;
mod tape;
#[cfg(test)]
mod testing;
mod variables;
mod widget;
mod written;

use crate::tui::widget::Canvas;
use debate_text::{self, Viewpoint};
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

use crate::tui::actions::Contexts;
use crate::tui::keys::{Action, SPEECH};
use crate::tui::panel::{AskHeights, AskState};
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget::choice::LastClick;
use crate::tui::widget::measure;
use crate::tui::widget::scroll::{Entry, Scroll, measure_lines};
use debate_core::number::Exact;
use debate_core::protocol::{Reply, Turn};

pub use factory::figures;
pub use widget::{PayoffTexts, PickList, SliderWidget, Widget, WidgetInput, other_key, paste};
use widget::{ReplyWidget, WidgetRows};

/// Word limit of a question with its choices and notes. Minor notes are left out beyond it.
const WORDS: usize = 45;
/// Columns of a frame's title in addition to its text.
const AROUND_TITLE: usize = 4;

/// Counts the words of a text.
fn words(text: &str) -> usize {
    text.split_whitespace()
        .filter(|word| word.contains(char::is_alphanumeric))
        .count()
}

/// A pending request and the draft of the user's reply.
#[derive(Debug)]
pub struct Ask {
    pub turn: Turn<Exact>,
    /// A short name for the kind of reply, used as title if a lesson is above the question.
    kind: &'static str,
    /// The text of the tutorial.
    coach_text: Option<Entry>,
    /// A warning that the result is already decided.
    decided_notice: Option<Entry>,
    /// The seat to reply, if the user cannot know it otherwise.
    you: Option<String>,
    question: String,
    /// Evidence, and the events since the last turn of this user.
    body: Vec<Entry>,
    /// True if the body contains the evidence for the claim.
    shows_evidence: bool,
    /// A description of the debate's subject that fits beside the question.
    story: Vec<Entry>,
    /// The consequence of the reply, if the widget does not show it.
    consequence: Option<String>,
    scroll: Scroll,
    widget: ReplyWidget,
    /// The value of each reply, in words.
    hints: Vec<(Role, String)>,
    /// The reason why the last reply was rejected.
    pub error: Option<String>,
    /// A reply that caused a warning, and the warning. The reply is accepted if it is sent again.
    warned: Option<(Reply<Exact>, String)>,
    /// The area of the widget, for the mouse.
    place: Rect,
    clicks: LastClick,
}

impl Ask {
    /// Creates the ask panel for a human player's turn. `names`: true if the panel names the seat to reply; `texts`:
    /// scenario texts for this player that were not shown yet; `figures`: payoffs of the replies.
    pub fn new(
        view: &Viewpoint<'_, '_>,
        turn: Turn<Exact>,
        decided_notice: Option<String>,
        names: bool,
        texts: &[&str],
        figures: Option<PayoffTexts>,
        look: &Appearance,
    ) -> Self {
        let narrator = view.narrator(look.formula_script());
        let asked = narrator.pending_question(&turn, view.log);
        // The tree shows the coins themselves.
        let question = match &asked.given {
            Some(given) => debate_text::capitalized(&asked.text.replacen(given.as_str(), "", 1)),
            None => asked.text,
        };
        let you = names.then(|| view.facts.role_announcement(turn.seat));
        let mut widget = factory::widget(view, &turn);
        if let Some(figures) = figures {
            widget.set_payoff_texts(figures);
        }
        let choices = words(&widget.get().words().choices) + words(&question);
        let taken = choices + you.as_deref().map_or(0, words);
        let mut body = Vec::new();
        let shows_evidence = asked.evidence.is_some();
        body.extend(asked.evidence.map(|evidence| {
            let entry = Entry::unlabelled(Role::Title, "Evidence: ");
            entry.append_span(Role::Text, evidence)
        }));
        if !view.reader.is_following_debate() {
            let path = narrator
                .claim_path_sentence(&turn, view.log)
                .filter(|path| view.reader.sees_path() && taken + words(path) <= WORDS);
            body.extend(path.map(|path| Entry::unlabelled(Role::Text, path)));
        }
        let has_long_description =
            taken + texts.iter().map(|text| words(text)).sum::<usize>() > WORDS;
        let short = texts.iter().filter(|_| !has_long_description);
        // A judge must not see how the answer pays.
        let tells = view.shows_rules() && turn.request.judged_claim().is_none();
        let step = debate_text::explain_pending_step(view).filter(|_| tells);
        Self {
            widget,
            kind: asked.title,
            coach_text: None,
            decided_notice: decided_notice
                .map(|decided_notice| Entry::unlabelled(Role::Warning, decided_notice)),
            you,
            question,
            body,
            shows_evidence,
            story: short
                .map(|text| Entry::unlabelled(Role::Faint, (*text).to_owned()))
                .collect(),
            consequence: step.map(|step| step.then),
            scroll: Scroll::fixed(0),
            hints: Vec::new(),
            error: None,
            warned: None,
            place: Rect::ZERO,
            clicks: LastClick::default(),
            turn,
        }
    }

    /// True if the question is in the title of the frame.
    fn heads(&self, columns: u16) -> bool {
        let wide = measure::width(&self.question) + AROUND_TITLE;
        self.coach_text.is_none() && wide <= columns.into() && !self.question.contains('\n')
    }

    /// Returns the title of a frame with `columns` inside: the question if it fits.
    pub fn title(&self, columns: u16) -> &str {
        match &self.coach_text {
            Some(_) => self.kind,
            None if self.heads(columns) => &self.question,
            None => "",
        }
    }

    /// Returns the text above the widget.
    fn text(&self, columns: u16) -> Vec<Entry> {
        let mut text: Vec<Entry> = self.coach_text.iter().cloned().collect();
        text.extend(self.decided_notice.clone());
        let you = self
            .you
            .as_ref()
            .map(|you| Entry::unlabelled(Role::Title, format!("{you} ")));
        if self.heads(columns) {
            text.extend(you);
        } else {
            let you = you.unwrap_or_default();
            text.push(if self.turn.request.asks_truth() {
                // Neither answer may be emphasised.
                you.append_span(Role::Text, self.question.clone())
            } else {
                you.append_sentence(Role::Text, &self.question)
            });
        }
        text.extend(self.body.iter().cloned());
        text
    }

    /// Replaces the figures after a change of unit and keeps the draft.
    pub fn set_payoff_texts(&mut self, figures: Option<PayoffTexts>) {
        if let Some(figures) = figures {
            self.widget.set_payoff_texts(figures);
        }
    }

    /// Shows the events since this user's last turn below the question.
    pub fn note_summary(&mut self, summary: Option<String>) {
        let entry = |text| {
            let label = Entry::unlabelled(Role::Title, "Meanwhile: ");
            label.append_span(Role::Faint, text)
        };
        self.body.extend(summary.map(entry));
    }

    /// Replaces the text of the tutorial above the question.
    pub fn coach_text(&mut self, coach_text: Option<Entry>) {
        self.coach_text = coach_text;
    }

    /// Shows the values of replies beside the choices, and the notes below them. A choice has no value if `value_of`
    /// returns an empty text.
    pub fn hint(&mut self, value_of: &dyn Fn(&Reply<Exact>) -> String, notes: Vec<(Role, String)>) {
        if let Some(list) = self.widget.choices_mut() {
            list.hint(value_of);
        }
        self.hints = notes;
    }

    /// True if the request is a choice among subclaims, which the tree then marks as well.
    pub fn is_selecting(&self) -> bool {
        self.turn.request.is_selection()
    }

    /// Returns the marked subclaim if the request is a choice among subclaims.
    pub fn marked(&self) -> Option<usize> {
        self.marked_choice().filter(|_| self.is_selecting())
    }

    /// Returns the state of the question for the panels above it.
    pub fn panel_state(&self) -> AskState {
        AskState {
            is_pointing: self.marked().is_some(),
            draft: self.widget.subclaim_estimate(),
            shows_evidence: self.shows_evidence,
            shows_consequence: self.consequence.is_some() && self.widget.get().notes().is_empty(),
        }
    }

    /// True if a warning about this same reply was shown.
    pub fn has_warned_about(&self, reply: &Reply<Exact>) -> bool {
        self.warned.as_ref().is_some_and(|(of, _)| of == reply)
    }

    /// Shows a warning about a reply. The reply is accepted if it is sent again.
    pub fn warn(&mut self, reply: Reply<Exact>, why: String) {
        self.error = None;
        self.warned = Some((reply, why));
    }

    /// True if the answer is a speech with quotes.
    pub fn is_speech_with_quotes(&self) -> bool {
        self.turn.request.argues_for().is_some()
    }

    fn marked_choice(&self) -> Option<usize> {
        self.widget.choices()?.marked()
    }

    /// Returns the contexts of the widget's keys.
    pub fn context(&self) -> Contexts {
        self.widget.get().context()
    }

    /// Returns the reply, or the reason why it is incomplete.
    pub fn reply(&self) -> Result<Reply<Exact>, String> {
        self.widget.get().reply()
    }

    /// Passes an action to the widget. Returns false if the widget has no use for it.
    pub fn act(&mut self, action: Action) -> bool {
        let done = self.widget.get_mut().act(action);
        self.changed(done)
    }

    /// Passes an input to the widget. Returns false if the widget has no use for it.
    pub fn input(&mut self, input: WidgetInput<'_>) -> bool {
        let taken = self.widget.get_mut().input(input);
        self.changed(taken)
    }

    /// Passes a key outside the key table to the widget. Returns false if the widget has no use for it.
    pub fn other_key(&mut self, event: KeyEvent) -> bool {
        let taken = other_key(self.widget.get_mut(), event);
        self.changed(taken)
    }

    /// Passes a pasted text to the widget.
    pub fn paste(&mut self, text: &str) {
        let taken = paste(self.widget.get_mut(), text);
        self.changed(taken);
    }

    /// Ends a line or a number that is being typed; returns false if there is none.
    pub fn finish_typing(&mut self) -> bool {
        self.widget.get_mut().input(WidgetInput::Enter)
    }

    /// True if the answer has an edit to undo.
    pub fn is_edited(&self) -> bool {
        match &self.widget {
            ReplyWidget::Editor(editor) => editor.is_edited(),
            ReplyWidget::Choices(_) | ReplyWidget::Number(_) | ReplyWidget::Other(_) => false,
        }
    }

    /// Undoes the last edit of the answer; returns false if there is none.
    pub fn undo(&mut self) -> bool {
        let undone = match &mut self.widget {
            ReplyWidget::Editor(editor) => editor.undo(),
            ReplyWidget::Choices(_) | ReplyWidget::Number(_) | ReplyWidget::Other(_) => false,
        };
        self.changed(undone)
    }

    /// Marks a choice, if there are choices.
    pub fn mark(&mut self, place: usize) {
        if let Some(list) = self.widget.choices_mut() {
            list.mark(place);
        }
    }

    /// If the answer has changed, clears the error and any warning about another reply. Returns `changed`.
    fn changed(&mut self, changed: bool) -> bool {
        if changed {
            self.error = None;
            // A key that leaves the reply unchanged keeps the warning.
            let reply = self.reply();
            self.warned
                .take_if(|(warned, _)| reply.as_ref() != Ok(warned));
        }
        changed
    }

    /// Scrolls the question by pages. Returns true if it is long enough to scroll.
    pub fn read(&mut self, pages: isize) -> bool {
        let text = self.text(self.place.width);
        let long = self.scroll.is_below_start() || !self.scroll.is_at_end(&text[..]);
        if long {
            let lines = pages * self.scroll.page_lines();
            self.scroll.scroll(&text[..], lines);
        }
        long
    }

    /// Scrolls the widget or the question, whichever is under the mouse, by `lines`.
    pub fn scroll(&mut self, at: Position, lines: isize) {
        let wheel = WidgetInput::Wheel(lines);
        if self.place.contains(at) && self.widget.get_mut().input(wheel) {
            return;
        }
        let text = self.text(self.place.width);
        self.scroll.scroll(&text[..], lines);
    }

    /// Handles a click. Returns true for the second click on a choice, which sends it.
    pub fn click(&mut self, at: Position) -> bool {
        let before = self.marked_choice();
        if !self.drag(at) {
            return false;
        }
        let marked = self.marked_choice();
        marked.is_some_and(|place| self.clicks.is_second_click(place, before))
    }

    /// Marks a choice after a click in another panel. Returns true for the second click on it, which sends it.
    pub fn choose(&mut self, place: usize) -> bool {
        let before = self.marked_choice();
        self.mark(place);
        self.changed(true);
        self.clicks.is_second_click(place, before)
    }

    /// Handles a drag. Returns true if it hit the widget.
    pub fn drag(&mut self, at: Position) -> bool {
        let area = self.place;
        let click = WidgetInput::Click { at, area };
        let hit = area.contains(at) && self.widget.get_mut().input(click);
        self.changed(hit)
    }

    /// Returns the notes below the widget, without the faint ones of a hint if room is scarce.
    fn notes(&self, room_is_scarce: bool) -> Vec<(Role, String)> {
        // Warnings come first: they must be read before the reply is sent, and room may be scarce.
        let warned = self.warned.iter();
        let mut notes: Vec<(Role, String)> = warned
            .map(|(_, why)| (Role::Warning, why.clone()))
            .collect();
        let hints = self.hints.iter();
        let shown = hints.filter(|(role, _)| !room_is_scarce || *role != Role::Faint);
        notes.extend(shown.cloned());
        let own = self.widget.get().notes();
        let consequence = self.consequence.as_ref().filter(|_| own.is_empty());
        notes.extend(own);
        notes.extend(consequence.map(|text| (Role::Faint, text.clone())));
        // Minor notes are left out if the word limit is exceeded.
        let you = self.you.as_deref().map_or(0, words);
        let mut left = WORDS.saturating_sub(
            you + words(&self.question) + words(&self.widget.get().words().choices),
        );
        notes.retain(|(role, note)| {
            let count = words(note);
            let kept = *role != Role::Faint || count <= left;
            left = left.saturating_sub(if kept { count } else { 0 });
            kept
        });
        if let Some(error) = &self.error {
            notes.push((Role::Bad, error.clone()));
        }
        notes
    }

    /// Returns the draft, its effect, and the reason of a rejection, for screen readers.
    pub fn in_words(&self) -> Option<String> {
        let answer = self.widget.get().words().marked;
        let mut notes = self.notes(false);
        if answer.is_none() {
            // The effect of a text changes with every key.
            notes.retain(|(role, _)| matches!(role, Role::Warning | Role::Bad));
        }
        let notes = notes.into_iter().map(|(_, text)| text);
        let lines: Vec<String> = answer.into_iter().chain(notes).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    fn note_lines(&self, columns: u16, room_is_scarce: bool) -> Vec<(Role, String)> {
        let notes = self.notes(room_is_scarce).into_iter();
        let wrapped = notes.flat_map(|(role, note)| {
            let lines = measure::wrap(&note, columns.into())
                .into_iter()
                .map(|line| (role, line.to_owned()));
            lines.collect::<Vec<_>>()
        });
        wrapped.collect()
    }

    /// Returns the rows for question, widget and notes. `fair`: rows that a list may take although the panels above
    /// have more to show.
    pub fn rows(&self, columns: u16, fair: u16) -> AskHeights {
        let text = measure_lines(&self.text(columns), columns);
        let around = text + self.note_lines(columns, false).len();
        let rows = |rows: usize| u16::try_from(rows).unwrap_or(u16::MAX - 9).max(2);
        let story = measure_lines(&self.story, columns);
        let widget = self.widget.get().rows(columns);
        // An editor for a speech gets a third of the screen, of which half is fair.
        let written = if self.context().intersects(SPEECH) {
            fair * 2 / 3
        } else {
            0
        };
        AskHeights {
            all: rows(around + story + widget.all).max(written),
            needed: rows(around + widget.least).max(written),
            fair,
        }
    }

    /// Draws question, widget and notes. If room is scarce, it is saved in this order: the description of the debate is
    /// left out, lists scroll, the minor notes of a hint are left out, and at last the question, which has its own
    /// page.
    pub fn draw(&mut self, framed: bool, canvas: &mut Canvas<'_>, area: Rect) {
        let mut lines = self.note_lines(area.width, false);
        let height = usize::from(area.height);
        let mut text = self.text(area.width);
        let question = measure_lines(&text, area.width);
        let story = measure_lines(&self.story, area.width);
        let WidgetRows { all: wanted, least } = self.widget.get().rows(area.width);
        let roomy = question + story + wanted + lines.len() <= height;
        let most = height.saturating_sub(question.min(2));
        let widget = height
            .saturating_sub(question + lines.len())
            .clamp(least.min(most), most)
            .min(wanted);
        // The question is cut before the minor notes of a hint.
        if question + widget + lines.len() > height {
            lines = self.note_lines(area.width, true);
        }
        let below = lines
            .len()
            .min(height.saturating_sub(question.min(2) + widget));
        let shown = question + if roomy { story } else { 0 };
        let top = height.saturating_sub(widget + below).min(shown);
        let body = measure::rows(area, 0, top);
        if roomy {
            text.extend(self.story.iter().cloned());
        }
        self.scroll.draw_text(&text, framed, canvas, body);
        self.place = measure::rows(area, top, widget);
        self.widget.get_mut().draw(canvas, self.place);
        for (number, (role, line)) in lines.iter().take(below).enumerate() {
            let at = measure::row(area, top + widget + number);
            canvas.put(line, *role, at);
        }
    }
}
