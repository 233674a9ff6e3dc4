//! The help page over a screen, generated from the table of actions.

use crate::tui::actions::{ActionHelpEntry, KeyMap, ScreenKeyContext};
use crate::tui::keys::{Action, SCALED, SIGN_HELP_CONTEXTS};
use crate::tui::theme::TextRole;
use crate::tui::widget::scroll::Entry;
use debate_text::{FormulaCharacterSet, SignCharacters};

/// The number of columns for the keys of an action in the help.
pub const KEY_COLUMNS: u16 = 22;

/// Merges help entries that have the same action and description into one entry with all of their keys.
pub fn merge_entries_of_same_action(
    actions: Vec<ActionHelpEntry<Action>>,
) -> Vec<ActionHelpEntry<Action>> {
    let mut merge_entries_of_same_action: Vec<ActionHelpEntry<Action>> =
        Vec::with_capacity(actions.len());
    for action in actions {
        let key = (action.id, action.doc, action.possible);
        let mut known = merge_entries_of_same_action.iter_mut();
        match known.find(|other| (other.id, other.doc, other.possible) == key) {
            Some(other) => other.keys.extend(action.keys),
            None => merge_entries_of_same_action.push(action),
        }
    }
    merge_entries_of_same_action
}

/// The title of the help.
pub const HELP_TITLE: &str = "Help";

/// Returns the help page of a context: the text about the panel, the signs that the panel shows, the possible actions
/// that have a key, and the text about the scenario. If `unicode` is true, symbols replace the names of keys such as
/// the arrows.
pub fn help_entries(
    keys: &KeyMap<Action>,
    context: ScreenKeyContext,
    [panel, scenario]: &[String; 2],
    unicode: bool,
) -> Vec<Entry> {
    let mut entries = Vec::new();
    if !panel.is_empty() {
        let panel = keys.with_key_names(panel);
        entries.push(Entry::new("This panel", TextRole::Title, panel));
        entries.push(Entry::default());
    }
    // A new user looks for the signs of the board first.
    if context.context.intersects(SIGN_HELP_CONTEXTS) {
        let signs = SignCharacters::symbols_for_character_set(if unicode {
            FormulaCharacterSet::Unicode
        } else {
            FormulaCharacterSet::Ascii
        });
        entries.push(Entry::new(
            "Signs",
            TextRole::Title,
            signs.sign_legend(context.facts.intersects(SCALED)),
        ));
        entries.push(Entry::default());
    }
    // The palette lists also the actions without a key, and the impossible ones with the reason.
    let actions = merge_entries_of_same_action(keys.help_entries(context.context, context.facts));
    let shown = actions.iter().enumerate().filter(|(index, action)| {
        // An action can have a second description that also holds here, with the same keys. The first one is exact.
        let is_described = |before: &ActionHelpEntry<Action>| {
            before.possible && before.id == action.id && before.keys == action.keys
        };
        let is_repeated = actions[..*index].iter().any(is_described);
        action.possible && !action.keys.is_empty() && !is_repeated
    });
    for (_, action) in shown {
        let labels: Vec<String> = action
            .keys
            .iter()
            .map(|key| key.key_label(unicode))
            .collect();
        entries.push(Entry::new(labels.join(" "), TextRole::Key, action.doc));
    }
    if !scenario.is_empty() {
        entries.push(Entry::default());
        entries.push(Entry::new("This scenario", TextRole::Title, scenario));
    }
    entries
}
