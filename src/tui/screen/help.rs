//! The help over a screen, made from the table of actions.

use crate::tui::widget::Canvas;
use ratatui::layout::Rect;

use crate::tui::actions::{ActionEntry, KeyMap, ScreenContext};
use crate::tui::keys::{Action, HELP};
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget::scroll::{Entry, Scroll, in_words};

/// Columns for the keys.
const MARGIN: u16 = 22;

/// True if two actions are one to the user.
pub fn is_same(one: &ActionEntry<Action>, other: &ActionEntry<Action>) -> bool {
    (one.id, one.doc, one.possible) == (other.id, other.doc, other.possible)
}

/// The help of one context.
#[derive(Debug)]
pub struct Help {
    scroll: Scroll,
    here: ScreenContext,
    /// Texts on the panel and on the scenario.
    about: [String; 2],
}

impl Help {
    pub fn new(here: ScreenContext, about: [String; 2]) -> Self {
        Self {
            scroll: Scroll::fixed(MARGIN),
            here,
            about,
        }
    }

    fn entries(&self, keys: &KeyMap<Action>, unicode: bool) -> Vec<Entry> {
        let [panel, scenario] = &self.about;
        let panel = Entry::of(Role::Text, keys.filled(panel));
        let mut entries = vec![panel, Entry::default()];
        let mut actions = keys.help(self.here.context, self.here.facts);
        // What does the same stands in one line, with all of its keys.
        let mut actions_listed: Vec<ActionEntry<Action>> = Vec::with_capacity(actions.len());
        for action in actions.drain(..) {
            match actions_listed
                .iter_mut()
                .find(|other| is_same(other, &action))
            {
                Some(other) => other.keys.extend(action.keys),
                None => actions_listed.push(action),
            }
        }
        for action in actions_listed
            .iter()
            .filter(|action| !action.keys.is_empty())
        {
            let labels: Vec<String> = action.keys.iter().map(|key| key.label(unicode)).collect();
            let role = if action.possible {
                Role::Text
            } else {
                Role::Faint
            };
            let entry = Entry::new(labels.join(" "), Role::Key, "").then(role, action.doc);
            let later = if action.possible { "" } else { " (not now)" };
            entries.push(entry.then(Role::Faint, later));
        }
        if !scenario.is_empty() {
            entries.push(Entry::default());
            entries.push(Entry::new("This scenario", Role::Title, scenario));
        }
        entries
    }

    /// Scrolls by so many lines, or as an action says.
    pub fn scroll(&mut self, lines: isize, keys: &KeyMap<Action>, look: &Appearance) {
        let entries = self.entries(keys, look.glyphs.unicode);
        self.scroll.scroll(&entries[..], lines);
    }

    pub fn page(&self) -> isize {
        self.scroll.page()
    }

    fn title(keys: &KeyMap<Action>) -> String {
        let close = keys.called(HELP, Action::Close);
        let [down, up] = [Action::Down, Action::Up].map(|action| keys.called(HELP, action));
        format!("Help: {close} closes, {down} and {up} scroll")
    }

    /// The help as text, its keys by name.
    pub fn in_words(&self, keys: &KeyMap<Action>) -> String {
        in_words(&Self::title(keys), &self.entries(keys, false))
    }

    pub fn draw(&mut self, keys: &KeyMap<Action>, canvas: &mut Canvas<'_>, area: Rect) {
        let entries = self.entries(keys, canvas.look.glyphs.unicode);
        let title = Self::title(keys);
        self.scroll.draw_box(&title, &entries, canvas, area);
    }
}
