//! The help over a screen, made from the table of actions.

use ratatui::{buffer::Buffer, layout::Rect};

use super::keys::HELP;
use super::{Action, ScreenContext};
use crate::tui::actions::{ActionEntry, KeyMap};
use crate::tui::panel::overlay;
use crate::tui::panel::scroll::{Entry, Scroll, in_words};
use crate::tui::theme::{Appearance, StyleRole};

/// Columns of the box at most.
const COLUMNS: u16 = 76;
/// Columns for the keys.
const MARGIN: u16 = 22;

/// True if two actions are one to the user.
pub(super) fn is_same(one: &ActionEntry<Action>, other: &ActionEntry<Action>) -> bool {
    (one.id, one.doc, one.possible) == (other.id, other.doc, other.possible)
}

/// The help of one context.
#[derive(Debug)]
pub(super) struct Help {
    scroll: Scroll,
    here: ScreenContext,
    /// Texts on the panel and on the scenario.
    about: [String; 2],
}

impl Help {
    pub(super) fn new(here: ScreenContext, about: [String; 2]) -> Self {
        Self {
            scroll: Scroll::fixed(MARGIN),
            here,
            about,
        }
    }

    fn entries(&self, keys: &KeyMap<Action>, unicode: bool) -> Vec<Entry> {
        let [panel, scenario] = &self.about;
        let panel = Entry::default().then(StyleRole::Text, keys.filled(panel));
        let mut entries = vec![panel, Entry::default()];
        let mut actions = keys.help(self.here.context, self.here.facts);
        // What does the same stands in one line, with all of its keys.
        let mut told: Vec<ActionEntry<Action>> = Vec::with_capacity(actions.len());
        for action in actions.drain(..) {
            match told.iter_mut().find(|other| is_same(other, &action)) {
                Some(other) => other.keys.extend(action.keys),
                None => told.push(action),
            }
        }
        for action in told.iter().filter(|action| !action.keys.is_empty()) {
            let labels: Vec<String> = action.keys.iter().map(|key| key.label(unicode)).collect();
            let role = if action.possible {
                StyleRole::Text
            } else {
                StyleRole::Faint
            };
            let entry = Entry::new(labels.join(" "), StyleRole::Key, "").then(role, action.doc);
            let later = if action.possible { "" } else { " (not now)" };
            entries.push(entry.then(StyleRole::Faint, later));
        }
        if !scenario.is_empty() {
            entries.push(Entry::default());
            entries.push(Entry::new("This scenario", StyleRole::Title, scenario));
        }
        entries
    }

    /// Scrolls by so many lines, or as an action says.
    pub(super) fn scroll(&mut self, lines: isize, keys: &KeyMap<Action>, look: &Appearance) {
        let entries = self.entries(keys, look.glyphs.unicode);
        self.scroll.scroll(&entries[..], lines);
    }

    pub(super) fn page(&self) -> isize {
        self.scroll.page()
    }

    fn title(keys: &KeyMap<Action>) -> String {
        let close = keys.called(HELP, Action::Close);
        let [down, up] = [Action::Down, Action::Up].map(|action| keys.called(HELP, action));
        format!("Help: {close} closes, {down} and {up} scroll")
    }

    /// The help as text, its keys by name.
    pub(super) fn in_words(&self, keys: &KeyMap<Action>) -> String {
        in_words(&Self::title(keys), &self.entries(keys, false))
    }

    pub(super) fn draw(
        &mut self,
        keys: &KeyMap<Action>,
        look: &Appearance,
        buffer: &mut Buffer,
        area: Rect,
    ) {
        let entries = self.entries(keys, look.glyphs.unicode);
        let title = Self::title(keys);
        let text = (&*title, &entries[..]);
        overlay::text_box(&mut self.scroll, text, COLUMNS, look, buffer, area);
    }
}
