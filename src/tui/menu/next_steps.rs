//! What to do next: a page with a few choices, after the tutorial.

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use crate::tui::actions::{Key, KeyMap, ScreenContext};
use crate::tui::keys::{Action, NEXT_STEPS};
use crate::tui::screen::{Effect, Overlay, Screen, footer, page};
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget::choice::{Choice, Item};
use crate::tui::widget::scroll::{Entry, measure_lines};
use crate::tui::widget::{centred, frame};

/// Lines of words at most so wide: longer ones are hard to read.
const COLUMNS: u16 = 80;

/// A page with choices; it leaves with the number of one, or with none.
pub struct NextSteps<'k> {
    title: String,
    text: String,
    /// What can be chosen: a label, and a sentence on it.
    items: Vec<Item>,
    choice: Choice,
    keys: &'k KeyMap<Action>,
    overlay: Overlay,
    note: Option<String>,
    /// The area of the choices.
    place: Rect,
}

impl<'k> NextSteps<'k> {
    /// A page with these choices, each with a sentence on it, the first one marked.
    pub fn new(
        title: &str,
        text: &str,
        choices: impl IntoIterator<Item = (String, String)>,
        keys: &'k KeyMap<Action>,
    ) -> Self {
        let item = |(label, detail): (String, String)| Item {
            detail,
            ..Item::new(None, label)
        };
        Self {
            title: title.to_owned(),
            text: text.to_owned(),
            items: choices.into_iter().map(item).collect(),
            choice: Choice::default(),
            keys,
            overlay: Overlay::default(),
            note: None,
            place: Rect::ZERO,
        }
    }
}

impl Screen for NextSteps<'_> {
    type Outcome = Option<usize>;

    fn render(&mut self, look: &Appearance, buffer: &mut Buffer, area: Rect) {
        let [_, room, last] = page(area);
        let inner = frame(
            &self.title,
            true,
            look,
            buffer,
            centred(room, COLUMNS, room.height),
        );
        let text = [Entry::default().then(Role::Text, self.text.as_str())];
        look.put_wrapped(&self.text, Role::Text, buffer, inner);
        let taken = u16::try_from(measure_lines(&text, inner.width) + 1)
            .unwrap_or(u16::MAX)
            .min(inner.height);
        self.place = Rect {
            y: inner.y + taken,
            height: inner.height - taken,
            ..inner
        };
        self.choice.fit(&self.items, self.place);
        self.choice
            .render(&self.items, true, look, buffer, self.place);
        let note = self.note.as_deref();
        footer(note, self.keys, self.screen_context(), look, buffer, last);
    }

    fn screen_context(&self) -> ScreenContext {
        ScreenContext {
            context: NEXT_STEPS,
            screen: NEXT_STEPS,
            facts: crate::tui::actions::Facts::NONE,
        }
    }

    fn standing(&self) -> Option<String> {
        let item = self.items.get(self.choice.selected())?;
        let words = item.in_words();
        Some(format!("{}\n{}\n{words}", self.title, self.text))
    }

    fn overlay(&mut self) -> (&mut Overlay, &KeyMap<Action>) {
        (&mut self.overlay, self.keys)
    }

    fn about(&self) -> [String; 2] {
        let about =
            "Mark what you would like next, by its number if you like; {take-step} opens it.";
        [about.to_owned(), String::new()]
    }

    fn act(&mut self, action: Action) -> Effect<Self::Outcome> {
        match action {
            Action::Above => self.choice.step(-1, &self.items),
            Action::Below => self.choice.step(1, &self.items),
            Action::Open => return Effect::Leave(Some(self.choice.selected())),
            Action::Quit => return Effect::Leave(None),
            _ => {}
        }
        Effect::None
    }

    fn note(&mut self) -> &mut Option<String> {
        &mut self.note
    }

    fn other_key(&mut self, event: KeyEvent) -> Effect<Self::Outcome> {
        if let Some(c) = Key::from(event).character() {
            self.choice.press(c, &self.items);
        }
        Effect::None
    }

    fn touch(&mut self, event: MouseEvent) -> Effect<Self::Outcome> {
        let at = Position::new(event.column, event.row);
        if event.kind == MouseEventKind::Down(MouseButton::Left)
            && self.place.contains(at)
            && let Some(place) = self.choice.item_at(at.y - self.place.y, &self.items)
        {
            // A second click on the marked choice takes it.
            if place == self.choice.selected() {
                return Effect::Leave(Some(place));
            }
            self.choice.select(place);
        }
        Effect::None
    }

    fn gone(&self) -> Self::Outcome {
        None
    }
}
