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
mod pick;
mod slider;
mod speech;
mod steps;
mod tape;
#[cfg(test)]
mod testing;
mod variables;
mod widget;
mod written;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

use crate::tui::actions::Contexts;
use crate::tui::keys::Action;
use crate::tui::panel::{AskRows, PanelView};
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget::choice::Clicks;
use crate::tui::widget::measure;
use crate::tui::widget::scroll::{Entry, Scroll, measure_lines};
use debate_core::number::Exact;
use debate_core::protocol::{Reply, Seat, Turn};
use debate_lab::tell::step;

pub(super) use factory::figures;
pub(super) use slider::SliderWidget;
pub(super) use widget::{Figures, Widget};

/// A request and the answer as it stands.
#[derive(Debug)]
pub(super) struct Ask {
    turn: Turn<Exact>,
    title: &'static str,
    body: Vec<Entry>,
    /// What the debate is about, shown where there is room for all of it.
    background: Vec<Entry>,
    /// What follows from the reply, where the widget does not say it.
    consequence: Option<String>,
    /// True if what stands first is the tutorial's.
    has_coach_text: bool,
    scroll: Scroll,
    widget: Box<dyn Widget>,
    /// The worth of each reply in words.
    hints: Vec<(Role, String)>,
    /// The reason why the last answer was not taken.
    error: Option<String>,
    /// A reply of which a warning was given, and the warning: sent once more, it is taken.
    warned: Option<(Reply<Exact>, String)>,
    /// The area of the widget, for the mouse.
    place: Rect,
    clicks: Clicks,
}

impl Ask {
    /// The ask panel of a person's turn, with the scenario's texts for them below the question
    /// where there is room. `figures` is what replies pay.
    pub(super) fn new(
        view: &PanelView<'_, '_>,
        turn: Turn<Exact>,
        decided: Option<String>,
        texts: Vec<&str>,
        figures: Option<Figures>,
        look: &Appearance,
    ) -> Self {
        let viewpoint = view.viewpoint();
        let narrator = viewpoint.narrator(look.script());
        let question = narrator.ask(&turn, view.log);
        let decided = decided.map(|decided| Entry::default().then(Role::Warning, decided));
        let you = Entry::default().then(Role::Title, view.scene.facts.you_are(turn.seat) + " ");
        let mut body: Vec<Entry> = decided.into_iter().collect();
        body.push(if turn.request.asks_truth() {
            // Neither answer is to stand out.
            you.then(Role::Text, question.text)
        } else {
            you.telling(Role::Text, &question.text)
        });
        if let Some(evidence) = question.evidence {
            let entry = Entry::default().then(Role::Title, "Evidence: ");
            body.push(entry.then(Role::Text, evidence));
        }
        if !view.reader.follows() {
            let path = narrator
                .path(&turn, view.log)
                .filter(|_| view.reader.sees_path());
            body.extend(path.map(|path| Entry::default().then(Role::Text, path)));
            let note = "The rest of the debate is shown when it is over.";
            body.push(Entry::default().then(Role::Faint, note));
        }
        let step = step::step(&viewpoint).filter(|_| viewpoint.tells_rules());
        let mut widget = factory::widget(view, &turn);
        if let Some(figures) = figures {
            widget.reword(figures);
        }
        let texts = texts.into_iter();
        Self {
            widget,
            turn,
            title: question.title,
            body,
            background: texts
                .map(|text| Entry::default().then(Role::Faint, text))
                .collect(),
            consequence: step.map(|step| step.then),
            has_coach_text: false,
            scroll: Scroll::fixed(0),
            hints: Vec::new(),
            error: None,
            warned: None,
            place: Rect::ZERO,
            clicks: Clicks::default(),
        }
    }

    /// The seat that is asked.
    pub(super) fn seat(&self) -> Seat {
        self.turn.seat
    }

    pub(super) fn turn(&self) -> &Turn<Exact> {
        &self.turn
    }

    /// Takes figures in another unit; the answer stays as it stands.
    pub(super) fn reword(&mut self, figures: Option<Figures>) {
        if let Some(figures) = figures {
            self.widget.reword(figures);
        }
    }

    /// Says below the question what passed since whoever is asked looked away.
    pub(super) fn tell_passed(&mut self, passed: Option<String>) {
        let entry = |text| {
            let label = Entry::default().then(Role::Title, "Meanwhile: ");
            label.then(Role::Faint, text)
        };
        self.body.extend(passed.map(entry));
    }

    /// Puts what the tutorial says above the question, in the place of what it said before.
    pub(super) fn coach_text(&mut self, coach_text: Option<Entry>) {
        if self.has_coach_text {
            self.body.remove(0);
        }
        self.has_coach_text = coach_text.is_some();
        self.body.splice(0..0, coach_text);
    }

    /// Puts what replies are worth beside the choices and below them; nothing where that is
    /// empty.
    pub(super) fn hint(
        &mut self,
        beside: &dyn Fn(&Reply<Exact>) -> String,
        notes: Vec<(Role, String)>,
    ) {
        self.widget.hint(beside);
        self.hints = notes;
    }

    pub(super) fn title(&self) -> &'static str {
        self.title
    }

    /// Which keys this kind of request has.
    pub(super) fn context(&self) -> Contexts {
        self.widget.context()
    }

    /// True if one of the subclaims is to be chosen: the tree then shows the choice as well.
    pub(super) fn is_selecting(&self) -> bool {
        self.turn.request.is_selection()
    }

    /// The subclaim that is marked, where one is to be chosen.
    pub(super) fn marked(&self) -> Option<usize> {
        self.widget.marked().filter(|_| self.is_selecting())
    }

    /// Marks a subclaim.
    pub(super) fn mark(&mut self, place: usize) {
        self.widget.mark(place);
    }

    /// The reply as it stands, or what is missing.
    pub(super) fn reply(&self) -> Result<Reply<Exact>, String> {
        self.widget.reply()
    }

    /// Ends what is being typed to go somewhere; says whether there was anything.
    pub(super) fn settle(&mut self) -> bool {
        self.widget.settle()
    }

    /// Shows why the answer was not taken; the answer itself stays as it is.
    pub(super) fn refuse(&mut self, why: String) {
        self.error = Some(why);
    }

    /// True if a warning was given of this very reply.
    pub(super) fn is_warned(&self, reply: &Reply<Exact>) -> bool {
        self.warned.as_ref().is_some_and(|(of, _)| of == reply)
    }

    /// Shows why a reply should not be sent; sent once more, it is.
    pub(super) fn warn(&mut self, reply: Reply<Exact>, why: String) {
        self.error = None;
        self.warned = Some((reply, why));
    }

    /// True if there is an edit to take back.
    pub(super) fn is_edited(&self) -> bool {
        self.widget.is_edited()
    }

    /// Takes the last edit back; says whether there was one.
    pub(super) fn undo(&mut self) -> bool {
        let undone = self.widget.undo();
        self.changed(undone)
    }

    /// True if the answer is a speech with quotes.
    pub(super) fn quotes(&self) -> bool {
        self.turn.request.argues_for().is_some()
    }

    /// Puts a quote into the speech.
    pub(super) fn quote(&mut self, words: &str) {
        let quoted = self.widget.quote(words);
        self.changed(quoted);
    }

    /// Forgets what was said of the answer, where it has changed; hands on whether it has.
    fn changed(&mut self, changed: bool) -> bool {
        if changed {
            self.error = None;
            // A key that left the reply as it was takes no warning away.
            let reply = self.widget.reply();
            self.warned
                .take_if(|(warned, _)| reply.as_ref() != Ok(warned));
        }
        changed
    }

    /// Does what concerns the widget; says whether it did.
    pub(super) fn act(&mut self, action: Action) -> bool {
        let done = self.widget.act(action);
        self.changed(done)
    }

    /// Takes a character that is no key of the table; says whether it meant anything.
    pub(super) fn press(&mut self, c: char) -> bool {
        let done = self.widget.press(c);
        self.changed(done)
    }

    /// Takes a key that is part of a text being written; says whether it was.
    pub(super) fn type_key(&mut self, event: KeyEvent) -> bool {
        let typed = self.widget.type_key(event);
        self.changed(typed)
    }

    /// Takes a pasted text as a whole; says whether it did.
    pub(super) fn paste(&mut self, text: &str) -> bool {
        self.widget.paste(text)
    }

    /// Takes back a typed character.
    pub(super) fn erase(&mut self) -> bool {
        self.widget.erase()
    }

    /// Scrolls the question by pages; says whether it is long enough for that.
    pub(super) fn read(&mut self, pages: isize) -> bool {
        let long = self.scroll.is_below_start() || !self.scroll.is_at_end(&self.body[..]);
        if long {
            let lines = pages * self.scroll.page();
            self.scroll.scroll(&self.body[..], lines);
        }
        long
    }

    /// Scrolls what is under the mouse by lines: the widget, or the question.
    pub(super) fn scroll(&mut self, at: Position, lines: isize) {
        if self.place.contains(at) && self.widget.scroll(lines) {
            return;
        }
        self.scroll.scroll(&self.body[..], lines);
    }

    /// Takes a click; true if it is the second one on a choice, which sends it.
    pub(super) fn click(&mut self, at: Position) -> bool {
        let before = self.widget.marked();
        if !self.drag(at) {
            return false;
        }
        let marked = self.widget.marked();
        marked.is_some_and(|place| self.clicks.is_second(place, before))
    }

    /// Takes a drag; says whether it hit the widget.
    pub(super) fn drag(&mut self, at: Position) -> bool {
        let hit = self.place.contains(at) && self.widget.click(at, self.place);
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
        let own = self.widget.notes();
        let consequence = self.consequence.as_ref().filter(|_| own.is_empty());
        notes.extend(own);
        notes.extend(consequence.map(|text| (Role::Faint, text.clone())));
        if let Some(error) = &self.error {
            notes.push((Role::Bad, error.clone()));
        }
        notes
    }

    /// The answer as it stands, its effect, and why it was not taken, for whoever does not see it.
    pub(super) fn in_words(&self) -> Option<String> {
        let answer = self.widget.in_words();
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
    pub(super) fn rows(&self, columns: u16, fair: u16) -> AskRows {
        let around = measure_lines(&self.body, columns) + self.note_lines(columns, false).len();
        let rows = |rows: usize| u16::try_from(rows).unwrap_or(u16::MAX - 9).max(3);
        let background = measure_lines(&self.background, columns);
        AskRows {
            all: rows(around + background + self.widget.rows(columns)),
            needed: rows(around + self.widget.least_rows(columns)),
            fair,
        }
    }

    /// Draws question, widget and notes. Where there is no room for all, what the debate is about
    /// goes first, then a list scrolls, then what a hint says by the way goes, and at last the question, which has a page of its own.
    pub(super) fn draw(
        &mut self,
        look: &Appearance,
        framed: bool,
        buffer: &mut Buffer,
        area: Rect,
    ) {
        let mut lines = self.note_lines(area.width, false);
        let height = usize::from(area.height);
        let question = measure_lines(&self.body, area.width);
        let background = measure_lines(&self.background, area.width);
        let wanted = self.widget.rows(area.width);
        let roomy = question + background + wanted + lines.len() <= height;
        let least = self.widget.least_rows(area.width);
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
        let shown = question + if roomy { background } else { 0 };
        let top = height.saturating_sub(widget + below).min(shown);
        let rows = |from: usize, count: usize| Rect {
            y: area.y + u16::try_from(from).unwrap_or(0),
            height: u16::try_from(count).unwrap_or(0),
            ..area
        };
        let body = rows(0, top);
        if roomy && background > 0 {
            let all = [&self.body[..], &self.background[..]].concat();
            let text = &all[..];
            self.scroll.draw(text, &(0..0), framed, look, buffer, body);
        } else {
            let text = &self.body[..];
            self.scroll.draw(text, &(0..0), framed, look, buffer, body);
        }
        self.place = rows(top, widget);
        self.widget.draw(look, buffer, self.place);
        for (number, (role, line)) in lines.iter().take(below).enumerate() {
            let at = measure::row(area, top + widget + number);
            look.put(line, *role, buffer, at);
        }
    }
}
