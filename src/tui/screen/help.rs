//! The help over a screen, made from the table of actions.

use crate::tui::actions::{ActionEntry, KeyMap, ScreenContext};
use crate::tui::keys::{Action, HELP};
use crate::tui::theme::Role;
use crate::tui::widget::scroll::Entry;

/// Columns for the keys.
pub const MARGIN: u16 = 22;

/// True if two actions are one to the user.
pub fn is_same(one: &ActionEntry<Action>, other: &ActionEntry<Action>) -> bool {
    (one.id, one.doc, one.possible) == (other.id, other.doc, other.possible)
}

/// The title of the help.
pub fn title(keys: &KeyMap<Action>) -> String {
    let close = keys.called(HELP, Action::Close);
    let [down, up] = [Action::Down, Action::Up].map(|action| keys.called(HELP, action));
    format!("Help: {close} closes, {down} and {up} scroll")
}

/// The help of a context, under texts on the panel and above those on the scenario. `unicode`: keys
/// by their signs.
pub fn entries(
    keys: &KeyMap<Action>,
    here: ScreenContext,
    [panel, scenario]: &[String; 2],
    unicode: bool,
) -> Vec<Entry> {
    let panel = Entry::of(Role::Text, keys.filled(panel));
    let mut entries = vec![panel, Entry::default()];
    // What does the same stands in one line, with all of its keys.
    let mut actions: Vec<ActionEntry<Action>> = Vec::new();
    for action in keys.help(here.context, here.facts) {
        match actions.iter_mut().find(|other| is_same(other, &action)) {
            Some(other) => other.keys.extend(action.keys),
            None => actions.push(action),
        }
    }
    for action in actions.iter().filter(|action| !action.keys.is_empty()) {
        let labels: Vec<String> = action.keys.iter().map(|key| key.label(unicode)).collect();
        let (role, later) = if action.possible {
            (Role::Text, "")
        } else {
            (Role::Faint, " (not now)")
        };
        let entry = Entry::new(labels.join(" "), Role::Key, "").then(role, action.doc);
        entries.push(entry.then(Role::Faint, later));
    }
    if !scenario.is_empty() {
        entries.push(Entry::default());
        entries.push(Entry::new("This scenario", Role::Title, scenario));
    }
    entries
}
