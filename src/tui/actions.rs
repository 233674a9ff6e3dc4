//! The table of keyboard actions. The key map, the footer, the help and the command palette are generated from it.
//!
//! Declare the actions of a screen as a `const` table, build a [`KeyMap`] from it, and query it:
//! [`KeyMap::action_of_key`] returns the action of a key in the current context, [`KeyMap::hints`] the footer,
//! [`KeyMap::help_entries`] the help page, [`KeyMap::command_palette_entries`] the command palette.
//!
//! ```
//! use debate_tui::tui::actions::{ActionDefinition, Contexts, Facts, KeyMap};
//!
//! #[derive(Clone, Copy, Debug, PartialEq, Eq)]
//! enum Action { Quit, Undo }
//! debate_tui::members! { Contexts: ANYWHERE }
//! debate_tui::members! { Facts: CAN_UNDO }
//! static ACTIONS: &[ActionDefinition<Action>] = &[
//!     ActionDefinition::new(Action::Quit, "quit", "Leave the program", &["q", "ctrl-c"], ANYWHERE).hint("quit", 9),
//!     ActionDefinition::new(Action::Undo, "undo", "Take back your last reply", &["u"], ANYWHERE)
//!         .hint("undo", 5)
//!         .requires(CAN_UNDO),
//! ];
//! let keys = KeyMap::new(ACTIONS).unwrap();
//! assert_eq!(keys.action_of_key(ANYWHERE, CAN_UNDO, "u".parse().unwrap()), Some(Action::Undo));
//! assert_eq!(keys.action_of_key(ANYWHERE, Facts::NONE, "u".parse().unwrap()), None);
//! ```
//!
//! Contexts and facts are two types, so that they cannot be confused:
//!
//! ```compile_fail,E0308
//! use debate_tui::tui::actions::{Contexts, Facts, KeyMap};
//!
//! fn swapped(keys: &KeyMap<u8>, context: Contexts, facts: Facts) {
//!     keys.action_of_key(facts, context, "u".parse().unwrap());
//! }
//! ```

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::ops::BitOr;
use std::str::FromStr;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Type marker for sets of contexts: the panels and screens that can have the focus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyContextSetMarker;

/// Type marker for sets of facts: conditions under which an action is possible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActionConditionSetMarker;

/// The panels in which an action is available, or the panel that has the focus.
pub type Contexts = ContextOrFactSet<KeyContextSetMarker>;
/// The conditions of an action, or the conditions that currently hold.
pub type Facts = ContextOrFactSet<ActionConditionSetMarker>;

/// A set of at most 64 contexts or facts. [`members!`](crate::members) declares a constant for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextOrFactSet<K> {
    bits: u64,
    kind: PhantomData<K>,
}

impl<K> ContextOrFactSet<K> {
    /// The empty set.
    pub const NONE: Self = Self::of(0);
    /// The set of all members.
    pub const ALL: Self = Self::of(u64::MAX);

    const fn of(bits: u64) -> Self {
        Self {
            bits,
            kind: PhantomData,
        }
    }

    /// Returns the set with a single member, numbered from 0 to 63.
    pub const fn member(number: u32) -> Self {
        Self::of(1 << number)
    }

    /// Returns the union of both sets. A `const fn`; outside of constants use `|`.
    #[must_use]
    pub const fn or(self, other: Self) -> Self
    where
        K: Copy,
    {
        Self::of(self.bits | other.bits)
    }

    /// Returns this set if `condition` holds, or else the empty set.
    #[must_use]
    pub const fn only_if(self, condition: bool) -> Self
    where
        K: Copy,
    {
        if condition { self } else { Self::NONE }
    }

    /// True if the two sets have a member in common.
    pub const fn intersects(self, other: Self) -> bool
    where
        K: Copy,
    {
        self.bits & other.bits != 0
    }

    /// True if every member of `other` is in this set.
    pub const fn contains_all(self, other: Self) -> bool
    where
        K: Copy,
    {
        self.bits & other.bits == other.bits
    }
}

impl<K: Copy> BitOr for ContextOrFactSet<K> {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.or(other)
    }
}

/// Declares constants for the members of a [`ContextOrFactSet`], numbered in the order in which they are declared. If
/// each member has a name, also declares a table of the names.
#[macro_export]
macro_rules! members {
    (@ $set:ty, $number:expr;) => {};
    (@ $set:ty, $number:expr; $(#[$doc:meta])* $name:ident $($rest:tt)*) => {
        $(#[$doc])*
        pub const $name: $set = <$set>::member($number);
        $crate::members!(@ $set, $number + 1; $($rest)*);
    };
    ($set:ty, $names:ident: $($(#[$doc:meta])* $name:ident $text:literal)*) => {
        $crate::members!($set: $($(#[$doc])* $name)*);
        /// The names of the set's members, in the order of their numbers.
        pub const $names: &[(&str, $set)] = &[$(($text, $name)),*];
    };
    ($set:ty: $($members:tt)*) => { $crate::members!(@ $set, 0; $($members)*); };
}

/// An action of the user.
#[derive(Clone, Debug)]
pub struct ActionDefinition<I> {
    /// The value that identifies the action in the code.
    pub id: I,
    /// The action's name in the palette and in the configuration: lower case, with hyphens.
    pub name: &'static str,
    /// The description of the action: one imperative line without a full stop.
    pub doc: &'static str,
    /// The default keys of the action. The first one is shown to the user.
    pub keys: &'static [&'static str],
    /// The contexts in which the action's keys are active.
    pub contexts: Contexts,
    /// The facts that must hold for the action to be possible.
    pub needs: Facts,
    /// The word for the action in the footer; `None` if the footer does not show it.
    pub hint: Option<&'static str>,
    /// The weight of the action's footer hint. If not all hints fit, those with the lowest weight are dropped first.
    pub weight: u8,
}

impl<I> ActionDefinition<I> {
    /// Creates an action that has no footer hint and is always possible in its contexts.
    pub const fn new(
        id: I,
        name: &'static str,
        doc: &'static str,
        keys: &'static [&'static str],
        contexts: Contexts,
    ) -> Self {
        Self {
            id,
            name,
            doc,
            keys,
            contexts,
            needs: Facts::NONE,
            hint: None,
            weight: 0,
        }
    }

    /// Adds a footer hint with this word to the action.
    #[must_use]
    pub const fn hint(mut self, word: &'static str, weight: u8) -> Self {
        self.hint = Some(word);
        self.weight = weight;
        self
    }

    /// Makes the action possible only if all of these facts hold.
    #[must_use]
    pub const fn requires(mut self, needs: Facts) -> Self {
        self.needs = needs;
        self
    }
}

/// An action as one line of the help page, the palette or the documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionHelpEntry<I> {
    /// The action.
    pub id: I,
    /// The action's keys, starting with the shown key.
    pub keys: Vec<KeyPress>,
    /// Its name.
    pub name: &'static str,
    /// The description of the action: one imperative line.
    pub doc: &'static str,
    /// True if the action is currently possible.
    pub possible: bool,
    /// The facts that must hold for the action to be possible.
    pub needs: Facts,
}

/// An error in a table of actions or in the user's keys.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum KeyMapError {
    /// A text in the user's keys that is not the name of a key.
    #[error("action `{action}`: {error}")]
    Key {
        /// The action of the key.
        action: String,
        /// The error.
        error: InvalidKeyPressError,
    },
    /// The configuration names an unknown action.
    #[error("unknown action `{name}`; the command palette lists all actions", name = .0)]
    UnknownAction(String),
    /// The user's keys leave no key for an action without which a user would be stuck.
    #[error("the action `{action}` would have no key, so the screen could not be left; give it a key", action = .0)]
    Needed(&'static str),
    /// Two actions with the same key in the same context.
    #[error("`{key}` cannot mean both `{first}` and `{second}`; give one of them another key")]
    Conflict {
        /// The key.
        key: String,
        /// The action that comes first in the table.
        first: &'static str,
        /// The other action.
        second: &'static str,
    },
}

impl KeyMapError {
    /// Returns the error message for a text that is not a key; empty if the text is a key.
    pub fn invalid_key_press_message(text: &str) -> String {
        text.parse::<KeyPress>()
            .err()
            .map_or_else(String::new, |error| error.to_string())
    }
}

/// A table of actions together with the current keys of each.
#[derive(Clone, Debug)]
pub struct KeyMap<I: 'static> {
    actions: &'static [ActionDefinition<I>],
    /// The current keys of each action. They can change while screens use them, because the settings can be opened over
    /// any screen.
    keys: RefCell<Vec<Vec<KeyPress>>>,
    /// Replacements of the footer's words, each with the word that it replaces.
    hint_words: RefCell<Vec<(&'static str, String)>>,
}

impl<I: Copy + PartialEq> KeyMap<I> {
    /// Creates the key map of a table of actions, with the default keys.
    ///
    /// # Errors
    /// Returns an error if a key cannot be parsed, or has two meanings in one context.
    pub fn new(actions: &'static [ActionDefinition<I>]) -> Result<Self, KeyMapError> {
        Self::with_overrides(actions, std::iter::empty::<(&str, &[&str])>())
    }

    /// Creates the key map of a table of actions, with the user's keys for some of them, given by name. An empty list
    /// removes all keys of an action. If the user gives one action's default key to another action of the same
    /// context, the first one loses the key, unless the user set its keys too.
    ///
    /// # Errors
    /// Returns an error if an action is unknown, a key cannot be parsed, or two overrides collide in one context.
    pub fn with_overrides<N, K>(
        actions: &'static [ActionDefinition<I>],
        overrides: impl IntoIterator<Item = (N, K)>,
    ) -> Result<Self, KeyMapError>
    where
        N: AsRef<str>,
        K: IntoIterator<Item: AsRef<str>>,
    {
        let mut keys = Vec::with_capacity(actions.len());
        for action in actions {
            keys.push(read_keys(action.name, action.keys)?);
        }
        let mut overridden = vec![false; actions.len()];
        for (name, own) in overrides {
            let name = name.as_ref();
            let at = actions
                .iter()
                .position(|action| action.name == name)
                .ok_or_else(|| KeyMapError::UnknownAction(name.to_owned()))?;
            keys[at] = read_keys(name, own)?;
            overridden[at] = true;
        }
        // Entries of one action with the same default keys differ only in their words, so a new key holds for all of
        // them.
        for at in 0..actions.len() {
            let is_same_action = |&other: &usize| {
                overridden[other]
                    && actions[other].id == actions[at].id
                    && actions[other].keys == actions[at].keys
                    && actions[other].contexts.intersects(actions[at].contexts)
            };
            let named = (0..actions.len()).find(is_same_action);
            if let Some(named) = named.filter(|_| !overridden[at]) {
                let same = keys[named].clone();
                keys[at] = same;
                overridden[at] = true;
            }
        }
        for at in (0..actions.len()).filter(|&at| overridden[at]) {
            let taken = keys[at].clone();
            for other in (0..actions.len()).filter(|&other| !overridden[other]) {
                if actions[at].contexts.intersects(actions[other].contexts) {
                    keys[other].retain(|key| !taken.contains(key));
                }
            }
        }
        let conflict = first_conflict(actions, &keys);
        let keys = RefCell::new(keys);
        let hint_words = RefCell::default();
        let map = Self {
            actions,
            keys,
            hint_words,
        };
        conflict.map_or(Ok(map), Err)
    }

    /// Replaces the keys by those of another map of the same table. All screens that share this map see the change.
    pub fn copy_key_bindings_from(&self, other: &Self) {
        let keys = other.keys.borrow().clone();
        *self.keys.borrow_mut() = keys;
    }

    /// Replaces words of the footer, for example by translations: each standard word with its replacement. Words that
    /// are not listed are the standard ones.
    pub fn replace_footer_words(
        &self,
        standard_and_replacement_words: Vec<(&'static str, String)>,
    ) {
        *self.hint_words.borrow_mut() = standard_and_replacement_words;
    }

    fn hint_word(&self, standard: &'static str) -> String {
        let words = self.hint_words.borrow();
        let own = words.iter().find(|(word, _)| *word == standard);
        own.map_or_else(|| standard.to_owned(), |(_, word)| word.clone())
    }

    /// Returns the action that a key triggers in a context, given the current facts.
    pub fn action_of_key(&self, context: Contexts, facts: Facts, key: KeyPress) -> Option<I> {
        let mut here = self.actions_in_context(context).into_iter();
        here.find(|(action, keys)| facts.contains_all(action.needs) && keys.contains(&key))
            .map(|(action, _)| action.id)
    }

    /// Returns the footer's hints: key and word of each possible action with a hint, in the table's order. Hints with
    /// the lowest weight are dropped until the others fit into the given columns.
    pub fn hints(
        &self,
        context: Contexts,
        facts: Facts,
        unicode: bool,
        columns: usize,
    ) -> Vec<FooterHint<I>> {
        let hints: Vec<(u8, FooterHint<I>)> = self
            .actions_in_context(context)
            .into_iter()
            .filter(|(action, _)| facts.contains_all(action.needs))
            .filter_map(|(action, keys)| {
                let pressed = *keys.first()?;
                Some((
                    action.weight,
                    FooterHint {
                        id: action.id,
                        pressed,
                        key: pressed.key_label(unicode),
                        word: self.hint_word(action.hint?),
                    },
                ))
            })
            .collect();
        // The first of several entries of one action and key gives the word.
        let first = |at: &usize| {
            let same = |(_, other): &(u8, FooterHint<I>)| {
                other.id == hints[*at].1.id && other.pressed == hints[*at].1.pressed
            };
            !hints[..*at].iter().any(same)
        };
        let kept: Vec<usize> = (0..hints.len()).filter(first).collect();
        let mut hints: Vec<_> = kept.into_iter().map(|at| hints[at].clone()).collect();
        let width = |hint: &FooterHint<I>| hint.width_in_columns() + FooterHint::<I>::GAP;
        let mut total: usize = hints.iter().map(|(_, hint)| width(hint)).sum();
        while total > columns + FooterHint::<I>::GAP {
            let lightest = (0..hints.len()).rev().min_by_key(|&at| hints[at].0);
            let Some(lightest) = lightest else { break };
            total -= width(&hints.remove(lightest).1);
        }
        hints.into_iter().map(|(_, hint)| hint).collect()
    }

    /// Returns the entries of the help page for a context: all of its actions, in the table's order.
    pub fn help_entries(&self, context: Contexts, facts: Facts) -> Vec<ActionHelpEntry<I>> {
        self.actions_in_context(context)
            .into_iter()
            .map(|(action, keys)| ActionHelpEntry {
                id: action.id,
                keys,
                name: action.name,
                doc: action.doc,
                possible: facts.contains_all(action.needs),
                needs: action.needs,
            })
            .collect()
    }

    /// Returns the entries of the command palette: the context's actions whose name and description together contain
    /// all typed words, ignoring case. Actions whose name begins with the typed text come first.
    pub fn command_palette_entries(
        &self,
        context: Contexts,
        facts: Facts,
        typed: &str,
    ) -> Vec<ActionHelpEntry<I>> {
        let typed = typed.trim().to_lowercase();
        let mut entries = self.help_entries(context, facts);
        entries.retain(|entry| {
            let text = format!("{} {}", entry.name, entry.doc.to_lowercase());
            typed.split_whitespace().all(|word| text.contains(word))
        });
        entries.sort_by_key(|entry| !entry.name.starts_with(&typed));
        entries
    }

    /// Returns all contexts of an action.
    pub fn contexts_of_action(&self, id: I) -> Contexts
    where
        I: PartialEq,
    {
        let same = self.actions.iter().filter(|action| action.id == id);
        same.fold(Contexts::NONE, |all, action| all | action.contexts)
    }

    /// Returns every action with its keys, for printing.
    pub fn all_actions(&self) -> Vec<ActionHelpEntry<I>> {
        self.help_entries(Contexts::ALL, Facts::ALL)
    }

    /// Returns the actions of a context with their keys.
    fn actions_in_context(
        &self,
        context: Contexts,
    ) -> Vec<(&'static ActionDefinition<I>, Vec<KeyPress>)> {
        let keys = self.keys.borrow();
        let all = self.actions.iter().zip(keys.iter());
        let here = all.filter(|(action, _)| action.contexts.intersects(context));
        here.map(|(action, keys)| (action, keys.clone())).collect()
    }
}

fn first_conflict<I: PartialEq>(
    actions: &'static [ActionDefinition<I>],
    all: &[Vec<KeyPress>],
) -> Option<KeyMapError> {
    // Checked at every start before anything is drawn, so it takes one pass over the keys.
    let mut taken: HashMap<KeyPress, Vec<usize>> = HashMap::new();
    for (later, (second, keys)) in actions.iter().zip(all).enumerate() {
        for key in keys {
            let earlier = taken.entry(*key).or_default();
            let intersects = |at: &&usize| {
                let first = actions.get(**at);
                // Entries of one action may share a key: they differ in their facts and in their word.
                first.is_some_and(|first| {
                    first.id != second.id && first.contexts.intersects(second.contexts)
                })
            };
            if let Some(first) = earlier
                .iter()
                .find(intersects)
                .and_then(|at| actions.get(*at))
            {
                return Some(KeyMapError::Conflict {
                    key: key.to_string(),
                    first: first.name,
                    second: second.name,
                });
            }
            earlier.push(later);
        }
    }
    None
}

fn read_keys(
    action: &str,
    keys: impl IntoIterator<Item: AsRef<str>>,
) -> Result<Vec<KeyPress>, KeyMapError> {
    keys.into_iter()
        .map(|key| {
            let read = key.as_ref().parse();
            read.map_err(|error| KeyMapError::Key {
                action: action.to_owned(),
                error,
            })
        })
        .collect()
}

/// The focused panel of a screen and the current facts, which decide which keys are active.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScreenKeyContext {
    /// The focused panel.
    pub context: Contexts,
    /// All panels of the screen.
    pub screen: Contexts,
    /// The facts that hold now.
    pub facts: Facts,
}

impl ScreenKeyContext {
    /// Creates the context of a screen with one panel.
    pub fn of_single_panel(context: Contexts, facts: Facts) -> Self {
        Self {
            context,
            screen: context,
            facts,
        }
    }
}

/// One hint of the footer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FooterHint<I> {
    /// The action.
    pub id: I,
    /// The key that is simulated if the user clicks on the footer hint.
    pub pressed: KeyPress,
    /// The key as the footer shows it.
    pub key: String,
    /// The action in a word.
    pub word: String,
}

impl<I> FooterHint<I> {
    /// Columns between two hints.
    pub const GAP: usize = 2;

    /// Returns the width of the footer hint in columns: its key, a space and its word.
    pub fn width_in_columns(&self) -> usize {
        crate::tui::widget::measure::width(&self.key)
            + 1
            + crate::tui::widget::measure::width(&self.word)
    }
}

impl<I: Copy> KeyMap<I> {
    /// Returns the label of an action's key in a context, for a sentence. If the action has no key, returns its name in
    /// the command palette: "the command “open”". Empty if the action is not available in the context.
    pub fn key_or_command_name(&self, context: Contexts, id: I) -> String
    where
        I: PartialEq,
    {
        let mut here = self.actions_in_context(context);
        here.retain(|(action, _)| action.id == id);
        let Some((action, _)) = here.first() else {
            return String::new();
        };
        let key = here.iter().flat_map(|(_, keys)| keys).next();
        key.map_or_else(|| command_name(action.name), |key| key.key_label(false))
    }

    /// Replaces the names of actions in braces, such as `{undo}`, by the labels of their keys. An action without a key
    /// becomes its name in the command palette; unknown names stay as they are.
    pub fn with_key_names(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            let Some((name, after)) = after.split_once('}') else {
                filled.push('{');
                rest = after;
                continue;
            };
            let at = self.actions.iter().position(|action| action.name == name);
            let keys = self.keys.borrow();
            match at.map(|at| keys[at].first()) {
                Some(Some(key)) => filled.push_str(&key.key_label(false)),
                Some(None) => filled.push_str(&command_name(name)),
                None => filled.extend(["{", name, "}"]),
            }
            rest = after;
        }
        filled.push_str(rest);
        filled
    }
}

/// Returns a phrase that names an action without a key by its name in the command palette.
fn command_name(name: &str) -> String {
    format!("the command “{name}”")
}

/// A key with its modifiers, in one form for all terminals. For characters, Shift is part of the character itself: `Q`,
/// not `shift-q`.
///
/// ```
/// use debate_tui::tui::actions::KeyPress;
/// let key: KeyPress = "Shift-Left".parse().unwrap();
/// assert_eq!(key.to_string(), "shift-left");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyPress {
    code: KeyCode,
    modifiers: KeyModifiers,
}

/// The error for a text that is not a key.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{text}` is not a key; write for example `q`, `ctrl-z`, `shift-left`, `space` or `f1`", text = .0)]
pub struct InvalidKeyPressError(String);

/// The named keys: name, key code, and the sign that replaces the name if the terminal shows Unicode.
const NAMES: &[(&str, KeyCode, &str)] = &[
    ("space", KeyCode::Char(' '), "space"),
    ("enter", KeyCode::Enter, "enter"),
    ("esc", KeyCode::Esc, "esc"),
    ("tab", KeyCode::Tab, "tab"),
    ("backspace", KeyCode::Backspace, "backspace"),
    ("delete", KeyCode::Delete, "delete"),
    ("insert", KeyCode::Insert, "insert"),
    ("left", KeyCode::Left, "←"),
    ("right", KeyCode::Right, "→"),
    ("up", KeyCode::Up, "↑"),
    ("down", KeyCode::Down, "↓"),
    ("home", KeyCode::Home, "home"),
    ("end", KeyCode::End, "end"),
    ("pageup", KeyCode::PageUp, "page↑"),
    ("pagedown", KeyCode::PageDown, "page↓"),
    ("minus", KeyCode::Char('-'), "-"),
];

const MODIFIERS: &[(&str, KeyModifiers)] = &[
    ("ctrl", KeyModifiers::CONTROL),
    ("alt", KeyModifiers::ALT),
    ("shift", KeyModifiers::SHIFT),
];

impl KeyPress {
    /// Creates the key with this code and these modifiers.
    pub fn new(code: KeyCode, modifiers: KeyModifiers) -> Self {
        let known = KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT;
        let modifiers = modifiers & known;
        match code {
            KeyCode::BackTab => Self {
                code: KeyCode::Tab,
                modifiers: modifiers | KeyModifiers::SHIFT,
            },
            KeyCode::Char(' ') => Self { code, modifiers },
            // A terminal cannot distinguish ctrl-a from ctrl-A, so both are the same key.
            KeyCode::Char(c) if modifiers.contains(KeyModifiers::CONTROL) => Self {
                code: KeyCode::Char(c.to_ascii_lowercase()),
                modifiers: modifiers - KeyModifiers::SHIFT,
            },
            KeyCode::Char(c) if modifiers.contains(KeyModifiers::SHIFT) => Self {
                code: KeyCode::Char(c.to_ascii_uppercase()),
                modifiers: modifiers - KeyModifiers::SHIFT,
            },
            _ => Self { code, modifiers },
        }
    }

    /// Returns the character that this key types, or `None` for other keys.
    pub fn character(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if self.modifiers.is_empty() => Some(c),
            _ => None,
        }
    }

    /// Returns the key as it is displayed: as written in the configuration, or with shorter signs if `unicode` is true.
    /// The key `minus` is always displayed as `-`.
    pub fn key_label(self, unicode: bool) -> String {
        if !unicode {
            return match self.code {
                KeyCode::Char('-') => self.written("-"),
                _ => self.to_string(),
            };
        }
        let sign = NAMES
            .iter()
            .find(|(_, code, _)| *code == self.code)
            .map(|(_, _, sign)| *sign);
        sign.map_or_else(|| self.to_string(), |sign| self.written(sign))
    }

    fn written(self, name: &str) -> String {
        let mut text = String::new();
        for (modifier, _) in MODIFIERS
            .iter()
            .filter(|(_, bit)| self.modifiers.contains(*bit))
        {
            text.push_str(modifier);
            text.push('-');
        }
        text + name
    }
}

impl From<KeyEvent> for KeyPress {
    fn from(event: KeyEvent) -> Self {
        Self::new(event.code, event.modifiers)
    }
}

impl From<KeyPress> for KeyEvent {
    /// Converts a key to the key event that a terminal sends.
    fn from(key: KeyPress) -> Self {
        match key.code {
            KeyCode::Tab if key.modifiers.contains(KeyModifiers::SHIFT) => {
                Self::new(KeyCode::BackTab, key.modifiers)
            }
            code => Self::new(code, key.modifiers),
        }
    }
}

impl fmt::Display for KeyPress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES
            .iter()
            .find(|(_, code, _)| *code == self.code)
            .map(|(name, _, _)| *name);
        let text = match (name, self.code) {
            (Some(name), _) => self.written(name),
            (None, KeyCode::Char(c)) => self.written(c.encode_utf8(&mut [0; 4])),
            (None, KeyCode::F(n)) => self.written(&format!("f{n}")),
            (None, other) => self.written(&format!("{other:?}").to_lowercase()),
        };
        f.write_str(&text)
    }
}

impl FromStr for KeyPress {
    type Err = InvalidKeyPressError;

    fn from_str(text: &str) -> Result<Self, InvalidKeyPressError> {
        let mut rest = text;
        let mut modifiers = KeyModifiers::NONE;
        while let Some((word, after)) = rest.split_once('-') {
            let word = word.to_lowercase();
            let Some((_, bit)) = MODIFIERS.iter().find(|(name, _)| *name == word) else {
                break;
            };
            modifiers |= *bit;
            rest = after;
        }
        let mut characters = rest.chars();
        let code = match (characters.next(), characters.next()) {
            (Some(c), None) if !c.is_control() && !c.is_whitespace() => Some(KeyCode::Char(c)),
            _ => named(&rest.to_lowercase()),
        };
        let code = code.ok_or_else(|| InvalidKeyPressError(text.to_owned()))?;
        Ok(Self::new(code, modifiers))
    }
}

fn named(name: &str) -> Option<KeyCode> {
    let function = || {
        let number: u8 = name.strip_prefix('f')?.parse().ok()?;
        (1..=24).contains(&number).then_some(KeyCode::F(number))
    };
    let listed = NAMES
        .iter()
        .find(|(known, _, _)| *known == name)
        .map(|(_, code, _)| *code);
    listed.or_else(function)
}

#[cfg(test)]
mod tests;
