//! The user's settings: `config.ron`.
//!
//! [`Settings::load`] reads the file, [`Settings::store`] writes it whole. [`FIELDS`] is the table
//! of all settings with what each is for and which values it takes; a settings screen, the printed
//! configuration and the documentation are made from it. [`Settings::bind`] changes the keys of
//! one action, [`Settings::keys`] gives the key map that follows.
//!
//! ```
//! use debate_tui::tui::settings::{Settings, field};
//!
//! let mut settings = Settings::default();
//! let theme = field("theme").unwrap();
//! assert_eq!(theme.get(&settings), "dark");
//! theme.set(&mut settings, "light").unwrap();
//! assert!(theme.set(&mut settings, "pink").is_err());
//! settings.bind("undo", Some(&["z"])).unwrap();
//! assert!(settings.to_ron().contains("theme: \"light\""));
//! ```

mod file;

use std::path::{Path, PathBuf};

use crate::tui::actions::{ActionEntry, Key, KeyMap, KeyMapError};
use crate::tui::keys;
use crate::tui::keys::Action;
use crate::tui::menu::{Field, FormModel};
use crate::tui::scene::Tempo;
use crate::tui::theme::{Appearance, ThemeChoice};
use crate::tui::widget::choice::cycle;
use debate_core::text::is_unsafe;

pub use file::{MAX_FILE, SettingsError, Stored, VARIABLE, default_path};

/// The most keys of one action.
pub const MAX_KEYS: usize = 16;
/// The most characters of a folder's name.
const MAX_FOLDER: usize = 4096;

/// When to do something that the environment has a say in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tristate {
    /// As the environment asks.
    #[default]
    Auto,
    /// Whatever it asks.
    Always,
    /// Not at all.
    Never,
}

impl Tristate {
    const NAMES: &'static [&'static str] = &["auto", "always", "never"];

    /// The name used on the command line and in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::Auto, Self::Always, Self::Never]
            .into_iter()
            .find(|when| when.name() == name)
    }
}

/// Everything that can be set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The colours, where colours are used.
    pub theme: ThemeChoice,
    /// True if colours are used.
    pub color: Tristate,
    /// True if colours are true ones; `Auto` asks the environment.
    pub true_color: Tristate,
    /// True if only ASCII characters are drawn; `Auto` asks the locale.
    pub ascii: Tristate,
    /// True if the mouse is left to the terminal.
    pub no_mouse: bool,
    /// The pace of the others' moves.
    pub tempo: Tempo,
    /// True if what replies are worth is shown from the start.
    pub hints: bool,
    /// True if coins do not fall and bets do not open: what happens stands there at once.
    pub no_animation: bool,
    /// The folder of saves as it was written; the platform's where none is.
    pub saves: Option<String>,
    /// Actions by name with the keys that they have instead of their own.
    bound: Vec<(String, Vec<String>)>,
}

impl Settings {
    /// Actions with other keys than their own, in the order in which they were bound.
    pub fn bound(&self) -> impl Iterator<Item = (&str, &[String])> {
        let bound = self.bound.iter();
        bound.map(|(action, keys)| (action.as_str(), keys.as_slice()))
    }

    /// Gives an action these keys, or its own again. An empty list takes all keys away.
    ///
    /// # Errors
    /// If there is no such action, a key cannot be read, two actions would have one key in one
    /// place, or nobody could leave any more; nothing has then changed.
    pub fn bind(&mut self, action: &str, keys: Option<&[&str]>) -> Result<(), KeyMapError> {
        let mut bound = self.bound.clone();
        bound.retain(|(name, _)| name != action);
        if let Some(keys) = keys {
            let keys = keys.iter().copied().map(str::to_owned).collect();
            bound.push((action.to_owned(), keys));
        }
        key_map(&bound)?;
        self.bound = bound;
        Ok(())
    }

    /// The actions of all screens with their keys.
    ///
    /// # Errors
    /// Only where the program's own table is wrong, which a test rules out: what was bound has
    /// been checked.
    pub fn keys(&self) -> Result<KeyMap<Action>, KeyMapError> {
        key_map(&self.bound)
    }

    /// The folder of saves, where one is set: `~/` is the user's own folder, and any other name
    /// that does not begin at the root counts from the folder of the configuration.
    pub fn saves_folder(&self, configuration: Option<&Path>) -> Option<PathBuf> {
        let written = self.saves.as_deref()?;
        if let Some(rest) = written.strip_prefix("~/") {
            let home = directories::BaseDirs::new()?;
            return Some(home.home_dir().join(rest));
        }
        let folder = configuration.and_then(Path::parent);
        Some(folder.map_or_else(|| written.into(), |folder| folder.join(written)))
    }
}

fn key_map(bound: &[(String, Vec<String>)]) -> Result<KeyMap<Action>, KeyMapError> {
    let bound = bound.iter().map(|(action, keys)| (action, keys));
    let map = KeyMap::with_overrides(keys::actions(), bound)?;
    let entries = map.all();
    let stuck = |action: &&&str| {
        let named = |entry: &&ActionEntry<_>| entry.name == **action;
        entries
            .iter()
            .find(named)
            .is_some_and(|entry| entry.keys.is_empty())
    };
    match keys::NEEDED.iter().find(stuck) {
        Some(action) => Err(KeyMapError::Needed(action)),
        None => Ok(map),
    }
}

/// Which values a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// One of these names.
    Choice(&'static [&'static str]),
    /// `true` or `false`.
    Switch,
    /// A whole number from the first to the second.
    Number(u8, u8),
    /// The name of a folder; empty for the usual one.
    Folder,
    /// A map from actions to lists of keys; see [`Settings::bind`].
    Keys,
}

/// A setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name in the file.
    pub name: &'static str,
    /// Which values it takes.
    pub kind: ValueKind,
    get: fn(&Settings) -> String,
    set: fn(&mut Settings, &str) -> Option<()>,
}

/// A setting whose values have names.
macro_rules! choice {
    ($field:ident, $values:ident) => {
        Setting {
            name: stringify!($field),
            kind: ValueKind::Choice($values::NAMES),
            get: |settings| settings.$field.name().to_owned(),
            set: |settings, text| $values::named(text).map(|value| settings.$field = value),
        }
    };
}

/// A switch, and the field that has this value where it is on.
macro_rules! switch {
    ($name:literal, $($field:ident).+ == $on:literal) => {
        Setting {
            name: $name,
            kind: ValueKind::Switch,
            get: |settings| (settings.$($field).+ == $on).to_string(),
            set: |settings, text| text.parse().ok().map(|on: bool| settings.$($field).+ = on == $on),
        }
    };
}

/// Every setting, in the order of the file.
pub static FIELDS: &[Setting] = &[
    choice!(theme, ThemeChoice),
    choice!(color, Tristate),
    choice!(true_color, Tristate),
    choice!(ascii, Tristate),
    switch!("mouse", no_mouse == false),
    switch!("auto_play", tempo.by_itself == true),
    Setting {
        name: "speed",
        kind: ValueKind::Number(1, Tempo::FASTEST),
        get: |settings| settings.tempo.speed().to_string(),
        set: |settings, text| {
            let speed = text.parse().ok()?;
            settings.tempo = Tempo::new(settings.tempo.by_itself, speed)?;
            Some(())
        },
    },
    switch!("hints", hints == true),
    switch!("animation", no_animation == false),
    Setting {
        name: "saves",
        kind: ValueKind::Folder,
        get: |settings| settings.saves.clone().unwrap_or_default(),
        set: |settings, text| {
            let sound = text.chars().count() <= MAX_FOLDER && !text.chars().any(is_unsafe);
            sound.then(|| settings.saves = Some(text.to_owned()).filter(|text| !text.is_empty()))
        },
    },
    Setting {
        name: "keys",
        kind: ValueKind::Keys,
        get: |settings| file::keys(settings, "", " "),
        set: |settings, text| {
            settings.bound = file::keys_in(text)?;
            Some(())
        },
    },
];

/// The setting of that name.
pub fn field(name: &str) -> Option<&'static Setting> {
    FIELDS.iter().find(|field| field.name == name)
}

impl Setting {
    /// Its purpose in sentences, which `settings/purposes.txt` has.
    pub fn doc(&self) -> &'static str {
        let lines = include_str!("settings/purposes.txt").lines();
        let mut docs = lines.filter_map(|line| line.split_once(" | "));
        let own = docs.find(|(name, _)| *name == self.name);
        own.map_or("", |(_, doc)| doc)
    }

    /// The value, as [`Self::set`] takes it.
    pub fn get(&self, settings: &Settings) -> String {
        (self.get)(settings)
    }

    /// Sets the value.
    ///
    /// # Errors
    /// If the text is no value of this setting, as a sentence without its full stop; nothing
    /// has then changed.
    pub fn set(&self, settings: &mut Settings, text: &str) -> Result<(), String> {
        (self.set)(settings, text).ok_or_else(|| format!("`{}` takes {}", self.name, self.takes()))
    }

    /// Which values it takes, in words.
    pub fn takes(&self) -> String {
        match self.kind {
            ValueKind::Choice(names) => {
                let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
                let (last, rest) = quoted
                    .split_last()
                    .map_or(("", &[][..]), |(last, rest)| (last, rest));
                format!("{} or {last}", rest.join(", "))
            }
            ValueKind::Switch => "true or false".to_owned(),
            ValueKind::Number(least, most) => format!("a whole number from {least} to {most}"),
            ValueKind::Folder => {
                format!("a folder's name of at most {MAX_FOLDER} plain characters")
            }
            ValueKind::Keys => "a map from actions to lists of keys".to_owned(),
        }
    }

    /// The values to go through, where there are few.
    pub fn choices(&self) -> Vec<String> {
        match self.kind {
            ValueKind::Choice(names) => names.iter().copied().map(str::to_owned).collect(),
            ValueKind::Switch => vec![false.to_string(), true.to_string()],
            ValueKind::Number(least, most) => (least..=most).map(|n| n.to_string()).collect(),
            ValueKind::Folder | ValueKind::Keys => Vec::new(),
        }
    }

    /// The value as the file has it.
    pub fn in_ron(&self, settings: &Settings) -> String {
        let value = self.get(settings);
        match self.kind {
            ValueKind::Choice(_) | ValueKind::Folder => debate_host::record::quoted(&value),
            ValueKind::Switch | ValueKind::Number(..) => value,
            ValueKind::Keys => file::keys(settings, "\n        ", "\n    "),
        }
    }
}

/// A key as it is shown to somebody who writes the configuration.
fn is_key(text: &str) -> bool {
    text.parse::<Key>().is_ok()
}

/// The look of the screen with these settings.
type Looks<'l> = dyn Fn(&Settings) -> Appearance + 'l;

/// The settings of a file, as they are being changed: what is changed in how things look is seen
/// at once.
pub struct SettingsForm<'l> {
    settings: Settings,
    before: Settings,
    path: PathBuf,
    looks: &'l Looks<'l>,
}

impl<'l> SettingsForm<'l> {
    /// The form over the settings that a file has.
    pub fn new(settings: Settings, path: &Path, looks: &'l Looks<'l>) -> Self {
        Self {
            before: settings.clone(),
            settings,
            path: path.to_owned(),
            looks,
        }
    }

    /// The settings as they were, and as they are now.
    pub fn changed(self) -> (Settings, Settings) {
        (self.before, self.settings)
    }
}

impl Settings {
    /// True if the screen looks otherwise than under other settings.
    pub fn looks_different(&self, other: &Self) -> bool {
        let look = |settings: &Self| (settings.theme, settings.true_color, settings.ascii);
        look(self) != look(other)
    }
}

impl FormModel for SettingsForm<'_> {
    fn title(&self) -> String {
        "Settings".to_owned()
    }

    fn fields(&self) -> Vec<Field> {
        let field = |field: &Setting| Field {
            label: field.name.replace('_', " "),
            value: shown(field, &self.settings),
            about: match field.kind {
                ValueKind::Switch => field.doc().to_owned(),
                _ => format!("{} It takes {}.", field.doc(), field.takes()),
            },
            has_choices: !field.choices().is_empty(),
            is_writable: !matches!(field.kind, ValueKind::Switch),
        };
        FIELDS.iter().map(field).collect()
    }

    fn turn(&mut self, field: usize, by: isize) -> Result<(), String> {
        let Some(field) = FIELDS.get(field) else {
            return Ok(());
        };
        let choices = field.choices();
        let now = field.get(&self.settings);
        let at = choices.iter().position(|choice| *choice == now);
        let next = cycle(at.unwrap_or(0), by, choices.len());
        match choices.get(next) {
            Some(choice) => field.set(&mut self.settings, choice),
            None => Ok(()),
        }
    }

    fn write(&mut self, field: usize, text: &str) -> Result<(), String> {
        let Some(field) = FIELDS.get(field) else {
            return Ok(());
        };
        let mut changed = self.settings.clone();
        field.set(&mut changed, text)?;
        // Keys that collide are told now, not at the next start.
        changed.keys().map_err(|error| error.to_string())?;
        self.settings = changed;
        Ok(())
    }

    fn notes(&self) -> Vec<(String, String)> {
        vec![(
            "Kept in".to_owned(),
            format!(
                "{}, once you go on. Flags and the environment go before it. The folder of saves \
                 changes at the next start.",
                self.path.display()
            ),
        )]
    }

    fn help(&self) -> [String; 2] {
        let form = "Each line is a setting. {choice-before} and {choice-after} go through what the \
                    marked one can be, {write} types into it. Keep them all with {accept}, or \
                    leave them as they were with {quit}.";
        [form.to_owned(), String::new()]
    }

    fn look(&self) -> Option<Appearance> {
        let changed = self.before.looks_different(&self.settings);
        changed.then(|| (self.looks)(&self.settings))
    }
}

/// A value as the form shows it.
fn shown(field: &Setting, settings: &Settings) -> String {
    let value = field.get(settings);
    match (field.kind, value.as_str()) {
        (ValueKind::Switch, "true") => "on".to_owned(),
        (ValueKind::Switch, _) => "off".to_owned(),
        _ => value,
    }
}

#[cfg(test)]
mod tests;
