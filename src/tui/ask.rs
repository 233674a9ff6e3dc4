//! The ask panel: the pending request in words, the widget that answers it, and what the answer
//! would do.
//!
//! There is one widget for each kind of request, whatever the protocol: a slider for a
//! probability, switches for claimed answers, an editor for bits, another for subclaims in one's own
//! words, a list of steps to point at, and a short list for everything else. Nothing is chosen beforehand where the choice is free,
//! so that a key pressed once too often answers nothing; long bits stand prepared.

mod bits;
mod compose;
mod factory;
mod grid;
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
use crate::tui::panel::AskRows;
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget::choice::Clicks;
use crate::tui::widget::measure;
use crate::tui::widget::scroll::{Entry, Scroll, measure_lines};
use debate_core::number::Exact;
use debate_core::protocol::{Reply, Turn};

pub use factory::figures;
pub use widget::{Figures, PickList, SliderWidget, Widget, WidgetInput, other_key, paste};
use widget::{ReplyWidget, Rows};

/// The most words of a question with its choices and what is said of them; what is said by the way
/// goes where there are more.
const WORDS: usize = 45;
/// Columns of a frame's title beside its text.
const AROUND_TITLE: usize = 4;

/// The words of a text.
fn words(text: &str) -> usize {
    text.split_whitespace()
        .filter(|word| word.contains(char::is_alphanumeric))
        .count()
}

/// A request and the answer as it stands.
#[derive(Debug)]
pub struct Ask {
    pub turn: Turn<Exact>,
    /// The kind of reply in few words, where a lesson stands above the question.
    kind: &'static str,
    /// What the tutorial says.
    coach_text: Option<Entry>,
    /// A warning that the debate is decided.
    decided: Option<Entry>,
    /// The seat that is asked, where it is not known already.
    you: Option<String>,
    question: String,
    /// Evidence, and what passed meanwhile.
    body: Vec<Entry>,
    /// What the debate is about, in few words.
    story: Vec<Entry>,
    /// True if that takes more words than a question may have.
    has_long_story: bool,
    /// What follows from the reply, where the widget does not say it.
    consequence: Option<String>,
    scroll: Scroll,
    widget: ReplyWidget,
    /// The worth of each reply in words.
    hints: Vec<(Role, String)>,
    /// The reason why the last answer was not taken.
    pub error: Option<String>,
    /// A reply of which a warning was given, and the warning: sent once more, it is taken.
    warned: Option<(Reply<Exact>, String)>,
    /// The area of the widget, for the mouse.
    place: Rect,
    clicks: Clicks,
}

impl Ask {
    /// The ask panel of a person's turn. `names`: whether it says who is asked; `texts`: the scenario's for them that
    /// were not told yet; `figures`: what replies pay.
    pub fn new(
        view: &Viewpoint<'_, '_>,
        turn: Turn<Exact>,
        decided: Option<String>,
        names: bool,
        texts: &[&str],
        figures: Option<Figures>,
        look: &Appearance,
    ) -> Self {
        let narrator = view.narrator(look.script());
        let asked = narrator.ask(&turn, view.log);
        // The coins themselves stand in the tree.
        let question = match &asked.given {
            Some(given) => debate_text::capital(&asked.text.replacen(given.as_str(), "", 1)),
            None => asked.text,
        };
        let you = names.then(|| view.facts.you_are(turn.seat));
        let mut widget = factory::widget(view, &turn);
        if let Some(figures) = figures {
            widget.reword(figures);
        }
        let choices = words(&widget.get().words().choices) + words(&question);
        let taken = choices + you.as_deref().map_or(0, words);
        let mut body = Vec::new();
        body.extend(asked.evidence.map(|evidence| {
            let entry = Entry::of(Role::Title, "Evidence: ");
            entry.then(Role::Text, evidence)
        }));
        if !view.reader.follows() {
            let path = narrator
                .path(&turn, view.log)
                .filter(|path| view.reader.sees_path() && taken + words(path) <= WORDS);
            body.extend(path.map(|path| Entry::of(Role::Text, path)));
        }
        let has_long_story = taken + texts.iter().map(|text| words(text)).sum::<usize>() > WORDS;
        let short = texts.iter().filter(|_| !has_long_story);
        // A judge is told nothing of what the answer pays.
        let tells = view.tells_rules() && turn.request.judged_claim().is_none();
        let step = debate_text::step(view).filter(|_| tells);
        Self {
            widget,
            kind: asked.title,
            coach_text: None,
            decided: decided.map(|decided| Entry::of(Role::Warning, decided)),
            you,
            question,
            body,
            story: short
                .map(|text| Entry::of(Role::Faint, (*text).to_owned()))
                .collect(),
            has_long_story: has_long_story && !texts.is_empty(),
            consequence: step.map(|step| step.then),
            scroll: Scroll::fixed(0),
            hints: Vec::new(),
            error: None,
            warned: None,
            place: Rect::ZERO,
            clicks: Clicks::default(),
            turn,
        }
    }

    /// True if what the debate is about has no room beside the question.
    pub fn has_long_story(&self) -> bool {
        self.has_long_story
    }

    /// True if the question stands in the frame.
    fn heads(&self, columns: u16) -> bool {
        let wide = measure::width(&self.question) + AROUND_TITLE;
        self.coach_text.is_none() && wide <= columns.into() && !self.question.contains('\n')
    }

    /// The title of a frame with so many columns inside: the question where it fits.
    pub fn title(&self, columns: u16) -> &str {
        match &self.coach_text {
            Some(_) => self.kind,
            None if self.heads(columns) => &self.question,
            None => "",
        }
    }

    /// What stands above the widget.
    fn text(&self, columns: u16) -> Vec<Entry> {
        let mut text: Vec<Entry> = self.coach_text.iter().cloned().collect();
        text.extend(self.decided.clone());
        let you = self
            .you
            .as_ref()
            .map(|you| Entry::of(Role::Title, format!("{you} ")));
        if self.heads(columns) {
            text.extend(you);
        } else {
            let you = you.unwrap_or_default();
            text.push(if self.turn.request.asks_truth() {
                // Neither answer is to stand out.
                you.then(Role::Text, self.question.clone())
            } else {
                you.telling(Role::Text, &self.question)
            });
        }
        text.extend(self.body.iter().cloned());
        text
    }

    /// Takes figures in another unit; the answer stays as it stands.
    pub fn reword(&mut self, figures: Option<Figures>) {
        if let Some(figures) = figures {
            self.widget.reword(figures);
        }
    }

    /// Says below the question what passed since whoever is asked looked away.
    pub fn tell_passed(&mut self, passed: Option<String>) {
        let entry = |text| {
            let label = Entry::of(Role::Title, "Meanwhile: ");
            label.then(Role::Faint, text)
        };
        self.body.extend(passed.map(entry));
    }

    /// Puts what the tutorial says above the question, in the place of what it said before.
    pub fn coach_text(&mut self, coach_text: Option<Entry>) {
        self.coach_text = coach_text;
    }

    /// Puts what replies are worth beside the choices and below them; nothing where that is
    /// empty.
    pub fn hint(&mut self, worth: &dyn Fn(&Reply<Exact>) -> String, notes: Vec<(Role, String)>) {
        if let Some(list) = self.widget.choices_mut() {
            list.hint(worth);
        }
        self.hints = notes;
    }

    /// True if one of the subclaims is to be chosen: the tree then shows the choice as well.
    pub fn is_selecting(&self) -> bool {
        self.turn.request.is_selection()
    }

    /// The subclaim that is marked, where one is to be chosen.
    pub fn marked(&self) -> Option<usize> {
        self.marked_choice().filter(|_| self.is_selecting())
    }

    /// True if a warning was given of this very reply.
    pub fn is_warned(&self, reply: &Reply<Exact>) -> bool {
        self.warned.as_ref().is_some_and(|(of, _)| of == reply)
    }

    /// Shows why a reply should not be sent; sent once more, it is.
    pub fn warn(&mut self, reply: Reply<Exact>, why: String) {
        self.error = None;
        self.warned = Some((reply, why));
    }

    /// True if the answer is a speech with quotes.
    pub fn quotes(&self) -> bool {
        self.turn.request.argues_for().is_some()
    }

    fn marked_choice(&self) -> Option<usize> {
        self.widget.choices()?.marked()
    }

    /// The contexts of the widget's keys.
    pub fn context(&self) -> Contexts {
        self.widget.get().context()
    }

    /// The reply, or the reason why there is none yet.
    pub fn reply(&self) -> Result<Reply<Exact>, String> {
        self.widget.get().reply()
    }

    /// Has the widget do an action; returns false if it means nothing there.
    pub fn act(&mut self, action: Action) -> bool {
        let done = self.widget.get_mut().act(action);
        self.changed(done)
    }

    /// Gives the widget an input; returns false if it means nothing there.
    pub fn input(&mut self, input: WidgetInput<'_>) -> bool {
        let taken = self.widget.get_mut().input(input);
        self.changed(taken)
    }

    /// Gives the widget a key that is none of the table; returns false if it means nothing there.
    pub fn other_key(&mut self, event: KeyEvent) -> bool {
        let taken = other_key(self.widget.get_mut(), event);
        self.changed(taken)
    }

    /// Gives the widget a pasted text.
    pub fn paste(&mut self, text: &str) {
        let taken = paste(self.widget.get_mut(), text);
        self.changed(taken);
    }

    /// Ends a line or a number that is being typed; returns false if there is none.
    pub fn settle(&mut self) -> bool {
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

    /// Forgets what was said of the answer, where it has changed; hands on whether it has.
    fn changed(&mut self, changed: bool) -> bool {
        if changed {
            self.error = None;
            // A key that left the reply as it was takes no warning away.
            let reply = self.reply();
            self.warned
                .take_if(|(warned, _)| reply.as_ref() != Ok(warned));
        }
        changed
    }

    /// Scrolls the question by pages; says whether it is long enough for that.
    pub fn read(&mut self, pages: isize) -> bool {
        let text = self.text(self.place.width);
        let long = self.scroll.is_below_start() || !self.scroll.is_at_end(&text[..]);
        if long {
            let lines = pages * self.scroll.page();
            self.scroll.scroll(&text[..], lines);
        }
        long
    }

    /// Scrolls what is under the mouse by lines: the widget, or the question.
    pub fn scroll(&mut self, at: Position, lines: isize) {
        let wheel = WidgetInput::Wheel(lines);
        if self.place.contains(at) && self.widget.get_mut().input(wheel) {
            return;
        }
        let text = self.text(self.place.width);
        self.scroll.scroll(&text[..], lines);
    }

    /// Takes a click; true if it is the second one on a choice, which sends it.
    pub fn click(&mut self, at: Position) -> bool {
        let before = self.marked_choice();
        if !self.drag(at) {
            return false;
        }
        let marked = self.marked_choice();
        marked.is_some_and(|place| self.clicks.is_second(place, before))
    }

    /// Chooses by a click elsewhere; true if it is the second one on this choice, which sends it.
    pub fn choose(&mut self, place: usize) -> bool {
        let before = self.marked_choice();
        self.mark(place);
        self.changed(true);
        self.clicks.is_second(place, before)
    }

    /// Takes a drag; says whether it hit the widget.
    pub fn drag(&mut self, at: Position) -> bool {
        let area = self.place;
        let click = WidgetInput::Click { at, area };
        let hit = area.contains(at) && self.widget.get_mut().input(click);
        self.changed(hit)
    }

    /// The notes below the widget, without the faint ones of a hint where room is scarce.
    fn notes(&self, room_is_scarce: bool) -> Vec<(Role, String)> {
        // Room is scarce: what must be read before the reply goes stands first.
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
        // What is said by the way goes where there are many words.
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

    /// The answer as it stands, its effect, and why it was not taken, for whoever does not see it.
    pub fn in_words(&self) -> Option<String> {
        let answer = self.widget.get().words().marked;
        let mut notes = self.notes(false);
        if answer.is_none() {
            // The effect of what is written changes with every key.
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

    /// The rows that question, widget and notes ask for. `fair`: those that a list may take although
    /// there is more to see above.
    pub fn rows(&self, columns: u16, fair: u16) -> AskRows {
        let text = measure_lines(&self.text(columns), columns);
        let around = text + self.note_lines(columns, false).len();
        let rows = |rows: usize| u16::try_from(rows).unwrap_or(u16::MAX - 9).max(2);
        let story = measure_lines(&self.story, columns);
        let widget = self.widget.get().rows(columns);
        // Whoever writes has a third of the screen, of which half is fair.
        let written = if self.context().meets(SPEECH) {
            fair * 2 / 3
        } else {
            0
        };
        AskRows {
            all: rows(around + story + widget.all).max(written),
            needed: rows(around + widget.least).max(written),
            fair,
        }
    }

    /// Draws question, widget and notes. Where there is no room for all, what the debate is about
    /// goes first, then a list scrolls, then what a hint says by the way goes, and at last the question, which has a page of its own.
    pub fn draw(&mut self, framed: bool, canvas: &mut Canvas<'_>, area: Rect) {
        let mut lines = self.note_lines(area.width, false);
        let height = usize::from(area.height);
        let mut text = self.text(area.width);
        let question = measure_lines(&text, area.width);
        let story = measure_lines(&self.story, area.width);
        let Rows { all: wanted, least } = self.widget.get().rows(area.width);
        let roomy = question + story + wanted + lines.len() <= height;
        let most = height.saturating_sub(question.min(2));
        let widget = height
            .saturating_sub(question + lines.len())
            .clamp(least.min(most), most)
            .min(wanted);
        // The question goes before what a hint says by the way.
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
