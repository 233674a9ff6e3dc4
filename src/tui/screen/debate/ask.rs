//! The ask panel: the pending request in words, the widget that answers it, and what the answer
//! would do.
//!
//! There is one widget for each kind of request, whatever the protocol: a slider for a
//! probability, switches for claimed answers, an editor for bits, another for subclaims in one's own
//! words, a list of steps to point at, and a short list for everything else. Nothing is chosen beforehand where the choice is free,
//! so that a key pressed once too often answers nothing; long bits stand prepared.

mod widget;

use ratatui::{
    buffer::Buffer,
    crossterm::event::KeyEvent,
    layout::{Position, Rect},
};

use super::super::panels::{DebatePanels, PanelView, measure_lines};
use crate::tui::actions::Contexts;
use crate::tui::panel::{
    measure,
    scroll::{Entry, Scroll},
};
use crate::tui::screen::Action;
use crate::tui::theme::{Appearance, StyleRole};
use debate_core::number::Exact;
use debate_core::protocol::{Reply, Request, Turn};
use widget::Widget;

/// A request and the answer as it stands.
#[derive(Debug)]
pub(super) struct Ask {
    turn: Turn<Exact>,
    title: &'static str,
    body: Vec<Entry>,
    /// True if what stands first is the tutorial's.
    has_coach_text: bool,
    scroll: Scroll,
    widget: Box<dyn Widget>,
    /// The worth of each reply in words.
    hints: Vec<(StyleRole, String)>,
    /// The reason why the last answer was not taken.
    error: Option<String>,
    /// The area of the widget, for the mouse.
    place: Rect,
}

impl Ask {
    /// The ask panel of a person's turn, with the scenario's texts for them below the question.
    /// `worth` says what a reply would pay the prover at once.
    pub(super) fn new(
        view: &PanelView<'_, '_>,
        panels: &DebatePanels,
        turn: Turn<Exact>,
        texts: Vec<&str>,
        worth: impl Fn(Reply<Exact>) -> Option<Exact>,
        look: &Appearance,
    ) -> Self {
        let narrator = view.scene.facts.narrator(look.script());
        let question = narrator.ask(&turn, view.log);
        let mut body = vec![
            Entry::default()
                .then(StyleRole::Title, view.scene.facts.you_are(turn.seat) + " ")
                .then(StyleRole::Text, question.text),
        ];
        if let Some(evidence) = question.evidence {
            let entry = Entry::default().then(StyleRole::Title, "Evidence: ");
            body.push(entry.then(StyleRole::Text, evidence));
        }
        if let (
            Request::Speech {
                argues_for: Some(_),
                ..
            },
            Some(question),
        ) = (&turn.request, view.scene.facts.instance.question())
        {
            // The judge has not read it.
            let entry = Entry::default().then(StyleRole::Title, "Source: ");
            body.push(entry.then(StyleRole::Text, question.source()));
        }
        if !view.reader.follows() {
            let path = narrator.path(&turn, view.log);
            let path = path.filter(|_| view.reader.sees_path());
            body.extend(path.map(|path| Entry::default().then(StyleRole::Text, path)));
            let note = "The rest of the debate is shown when it is over.";
            body.push(Entry::default().then(StyleRole::Faint, note));
        }
        let texts = texts.into_iter();
        body.extend(texts.map(|text| Entry::default().then(StyleRole::Faint, text)));
        Self {
            widget: widget::of(view, panels, &turn, worth),
            turn,
            title: question.title,
            body,
            has_coach_text: false,
            scroll: Scroll::fixed(0),
            hints: Vec::new(),
            error: None,
            place: Rect::ZERO,
        }
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
        notes: Vec<(StyleRole, String)>,
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
        matches!(self.turn.request, Request::Select { .. })
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

    /// Does what concerns the widget; says whether it did.
    pub(super) fn act(&mut self, action: Action) -> bool {
        let done = self.widget.act(action);
        if done {
            self.error = None;
        }
        done
    }

    /// Takes a character that is no key of the table; says whether it meant anything.
    pub(super) fn press(&mut self, c: char) -> bool {
        let done = self.widget.press(c);
        if done {
            self.error = None;
        }
        done
    }

    /// Takes a key that is part of a text being written; says whether it was.
    pub(super) fn type_key(&mut self, event: KeyEvent) -> bool {
        let typed = self.widget.type_key(event);
        if typed {
            self.error = None;
        }
        typed
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

    /// Takes a click or a drag.
    pub(super) fn click(&mut self, at: Position) {
        if self.place.contains(at) && self.widget.click(at, self.place) {
            self.error = None;
        }
    }

    fn notes(&self) -> Vec<(StyleRole, String)> {
        let mut notes = self.hints.clone();
        notes.extend(self.widget.notes());
        if let Some(error) = &self.error {
            notes.push((StyleRole::Bad, error.clone()));
        }
        notes
    }

    /// The rows that question, widget and notes take.
    pub(super) fn rows(&self, columns: u16) -> u16 {
        let notes: usize = self
            .notes()
            .iter()
            .map(|(_, note)| measure::wrap(note, columns.into()).len())
            .sum();
        let rows = measure_lines(&self.body, columns) + self.widget.rows(columns) + notes;
        u16::try_from(rows).unwrap_or(u16::MAX - 9)
    }

    /// Draws question, widget and notes. The widget keeps the rows that it needs before the notes
    /// do; a question that is longer than the rest scrolls.
    pub(super) fn draw(
        &mut self,
        look: &Appearance,
        framed: bool,
        buffer: &mut Buffer,
        area: Rect,
    ) {
        let notes = self.notes();
        let lines: Vec<(StyleRole, String)> = notes
            .iter()
            .flat_map(|(role, note)| {
                let wrapped = measure::wrap(note, area.width.into());
                wrapped
                    .into_iter()
                    .map(|line| (*role, line.to_owned()))
                    .collect::<Vec<_>>()
            })
            .collect();
        let height = usize::from(area.height);
        let question = measure_lines(&self.body, area.width).min(2);
        let most = height.saturating_sub(question);
        let least = self.widget.least_rows(area.width).min(most);
        let roomy = most.saturating_sub(lines.len()).max(least);
        let widget = self.widget.rows(area.width).min(roomy);
        let below = lines.len().min(height.saturating_sub(question + widget));
        let rows = |from: usize, count: usize| Rect {
            y: area.y + u16::try_from(from).unwrap_or(0),
            height: u16::try_from(count).unwrap_or(0),
            ..area
        };
        let top = height.saturating_sub(widget + below);
        let wanted = measure_lines(&self.body, area.width);
        let top = top.min(wanted);
        let body = rows(0, top);
        self.scroll
            .draw(&self.body[..], &(0..0), framed, look, buffer, body);
        self.place = rows(top, widget);
        self.widget.draw(look, buffer, self.place);
        for (number, (role, line)) in lines.iter().take(below).enumerate() {
            let at = measure::row(area, top + widget + number);
            measure::put(line, look.style(*role), buffer, at);
        }
    }
}
