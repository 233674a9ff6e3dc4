//! The user's settings: `config.ron`.
//!
//! [`Settings::load`] reads the file, [`Settings::store`] writes it as a whole. [`ALL_SETTINGS`] is the table of all
//! settings, with the purpose and the values of each. The settings screen, the printed configuration and the
//! documentation are generated from it. [`Settings::bind_keys`] changes the keys of one action, [`Settings::key_map`]
//! returns the resulting key map.
//!
//! ```
//! use debate_tui::tui::settings::{Settings, setting_named};
//!
//! let mut settings = Settings::default();
//! let theme = setting_named("theme").unwrap();
//! assert_eq!(theme.get(&settings), "dark");
//! theme.set(&mut settings, "light").unwrap();
//! assert!(theme.set(&mut settings, "pink").is_err());
//! settings.bind_keys("undo", Some(&["z"])).unwrap();
//! assert!(settings.to_settings_file_text().contains("theme: \"light\""));
//! ```

mod file;
mod models;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::tui::actions::{ActionHelpEntry, KeyMap, KeyMapError, KeyPress};
use crate::tui::keys;
use crate::tui::keys::Action;
use crate::tui::menu::{FormField, FormModel};
use crate::tui::scene::AutoplaySettings;
use crate::tui::theme::{ScreenAppearance, ThemeChoice};
use crate::tui::widget::choice::cycle_index;
use debate_core::text::is_unsafe_character;
use debate_host::engine::ConfiguredLanguageModel;

pub use file::{
    CONFIG_VARIABLE, MAX_FILE, SettingsError, WrittenSettingsAndBackupPaths, default_settings_path,
};

/// Maximum number of keys of one action.
pub const MAX_KEYS: usize = 16;
/// Maximum number of characters of the path of a folder.
const MAX_FOLDER: usize = 4096;

/// The value of a setting that is on, off, or depends on the environment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AutoAlwaysNever {
    /// Follow the environment.
    #[default]
    Auto,
    /// On, independent of the environment.
    Always,
    /// Off.
    Never,
}

impl AutoAlwaysNever {
    const NAMES: &'static [&'static str] = &["auto", "always", "never"];

    /// Returns the name of the value, as used on the command line and in the configuration.
    pub fn setting_value_name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::Auto, Self::Always, Self::Never]
            .into_iter()
            .find(|when| when.setting_value_name() == name)
    }
}

/// All settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent settings")]
pub struct Settings {
    /// The colour theme; without effect if no colours are used.
    pub theme: ThemeChoice,
    /// Use of colours.
    pub color: AutoAlwaysNever,
    /// Use of true colours; `Auto` follows the environment.
    pub true_color: AutoAlwaysNever,
    /// Drawing with ASCII characters only; `Auto` follows the locale.
    pub ascii: AutoAlwaysNever,
    /// True if the program ignores the mouse, so that the terminal's own selection of text works.
    pub no_mouse: bool,
    /// The pace at which the moves of the other players are shown.
    pub tempo: AutoplaySettings,
    /// True if the values (expected payoffs) of replies are shown from the start.
    pub hints: bool,
    /// True if coins and bets are shown without animation.
    pub no_animation: bool,
    /// True if the terminal bell rings at the user's turn.
    pub bell: bool,
    /// The folder of saves as written in the settings file; `None` for the platform's usual folder.
    pub saves: Option<String>,
    /// Language models, by the names that follow `model:` in the names of players.
    pub models: BTreeMap<String, ConfiguredLanguageModel>,
    /// The names of actions whose keys the user changed, each with its new keys.
    key_overrides: Vec<(String, Vec<String>)>,
}

impl Settings {
    /// Returns the actions whose keys the user changed, with their new keys, in the order of the changes.
    pub fn key_overrides(&self) -> impl Iterator<Item = (&str, &[String])> {
        let key_overrides = self.key_overrides.iter();
        key_overrides.map(|(action, keys)| (action.as_str(), keys.as_slice()))
    }

    /// Sets the keys of an action. `None` restores its default keys, and an empty list removes all of its keys.
    ///
    /// # Errors
    /// Returns an error if the action does not exist, a key cannot be parsed, two actions would have the same key in
    /// one context, or the user could no longer leave. The settings are then unchanged.
    pub fn bind_keys(&mut self, action: &str, keys: Option<&[&str]>) -> Result<(), KeyMapError> {
        let mut key_overrides = self.key_overrides.clone();
        key_overrides.retain(|(name, _)| name != action);
        if let Some(keys) = keys {
            let keys = keys.iter().copied().map(str::to_owned).collect();
            key_overrides.push((action.to_owned(), keys));
        }
        key_map_with_overrides(&key_overrides)?;
        self.key_overrides = key_overrides;
        Ok(())
    }

    /// Returns the key map of all screens, with the user's changes of keys.
    ///
    /// # Errors
    /// Returns an error only if the program's own table is wrong, which a test rules out: changed keys are already
    /// checked.
    pub fn key_map(&self) -> Result<KeyMap<Action>, KeyMapError> {
        key_map_with_overrides(&self.key_overrides)
    }

    /// Returns the folder of saves; `None` if the settings name none, or if `~/` is used and no home folder is known.
    /// `~/` is the user's home folder. Other relative paths are relative to the folder of `configuration_file`.
    pub fn saves_folder_in_settings(&self, configuration_file: Option<&Path>) -> Option<PathBuf> {
        let written = self.saves.as_deref()?;
        if let Some(rest) = written.strip_prefix("~/") {
            let home = directories::BaseDirs::new()?;
            return Some(home.home_dir().join(rest));
        }
        let folder = configuration_file.and_then(Path::parent);
        Some(folder.map_or_else(|| written.into(), |folder| folder.join(written)))
    }
}

fn key_map_with_overrides(
    key_overrides: &[(String, Vec<String>)],
) -> Result<KeyMap<Action>, KeyMapError> {
    let key_overrides = key_overrides.iter().map(|(action, keys)| (action, keys));
    let map = KeyMap::with_overrides(keys::actions(), key_overrides)?;
    let entries = map.all_actions();
    let stuck = |action: &&&str| {
        let named = |entry: &&ActionHelpEntry<_>| entry.name == **action;
        entries
            .iter()
            .find(named)
            .is_some_and(|entry| entry.keys.is_empty())
    };
    match keys::REQUIRED_ACTIONS.iter().find(stuck) {
        Some(action) => Err(KeyMapError::Needed(action)),
        None => Ok(map),
    }
}

/// The values that a setting accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingValueKind {
    /// One of these names.
    Choice(&'static [&'static str]),
    /// `true` or `false`.
    Switch,
    /// A whole number between these bounds, inclusive.
    Number(u8, u8),
    /// The name of a folder; empty for the default one.
    Folder,
    /// A map from short names to language models.
    Models,
    /// A map from actions to lists of keys; see [`Settings::bind_keys`].
    Keys,
}

/// A setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name in the file.
    pub name: &'static str,
    /// The values that it accepts.
    pub kind: SettingValueKind,
    get: fn(&Settings) -> String,
    set: fn(&mut Settings, &str) -> Option<()>,
}

/// Defines a setting whose value is one of several names.
macro_rules! choice {
    ($field:ident, $values:ident) => {
        Setting {
            name: stringify!($field),
            kind: SettingValueKind::Choice($values::NAMES),
            get: |settings| settings.$field.setting_value_name().to_owned(),
            set: |settings, text| $values::named(text).map(|value| settings.$field = value),
        }
    };
}

/// Defines a setting that is on or off, and the value of its field that means "on".
macro_rules! switch {
    ($name:literal, $($field:ident).+ == $on:literal) => {
        Setting {
            name: $name,
            kind: SettingValueKind::Switch,
            get: |settings| (settings.$($field).+ == $on).to_string(),
            set: |settings, text| text.parse().ok().map(|on: bool| settings.$($field).+ = on == $on),
        }
    };
}

/// All settings, in the order in which the settings file contains them.
pub static ALL_SETTINGS: &[Setting] = &[
    choice!(theme, ThemeChoice),
    choice!(color, AutoAlwaysNever),
    choice!(true_color, AutoAlwaysNever),
    choice!(ascii, AutoAlwaysNever),
    switch!("mouse", no_mouse == false),
    switch!("auto_play", tempo.is_automatic == true),
    Setting {
        name: "speed",
        kind: SettingValueKind::Number(1, AutoplaySettings::MAX_SPEED),
        get: |settings| settings.tempo.speed().to_string(),
        set: |settings, text| {
            let speed = text.parse().ok()?;
            settings.tempo = AutoplaySettings::new(settings.tempo.is_automatic, speed)?;
            Some(())
        },
    },
    switch!("hints", hints == true),
    switch!("animation", no_animation == false),
    switch!("bell", bell == true),
    Setting {
        name: "saves",
        kind: SettingValueKind::Folder,
        get: |settings| settings.saves.clone().unwrap_or_default(),
        set: |settings, text| {
            let sound =
                text.chars().count() <= MAX_FOLDER && !text.chars().any(is_unsafe_character);
            sound.then(|| settings.saves = Some(text.to_owned()).filter(|text| !text.is_empty()))
        },
    },
    Setting {
        name: "models",
        kind: SettingValueKind::Models,
        get: |settings| models::format_models(&settings.models, "", " "),
        set: |settings, text| {
            settings.models = models::parse_models(text)?;
            Some(())
        },
    },
    Setting {
        name: "keys",
        kind: SettingValueKind::Keys,
        get: |settings| file::format_key_overrides(settings, "", " "),
        set: |settings, text| {
            settings.key_overrides = file::parse_key_overrides(text)?;
            Some(())
        },
    },
];

/// Returns the setting with this name.
pub fn setting_named(name: &str) -> Option<&'static Setting> {
    ALL_SETTINGS.iter().find(|field| field.name == name)
}

impl Setting {
    /// Returns sentences on the setting's purpose, from `settings/purposes.txt`.
    pub fn doc(&self) -> &'static str {
        let lines = include_str!("settings/purposes.txt").lines();
        let mut docs = lines.filter_map(|line| line.split_once(" | "));
        let own = docs.find(|(name, _)| *name == self.name);
        own.map_or("", |(_, doc)| doc)
    }

    /// Returns the setting's value as a text in the form that [`Self::set`] accepts.
    pub fn get(&self, settings: &Settings) -> String {
        (self.get)(settings)
    }

    /// Sets the value.
    ///
    /// # Errors
    /// Returns a sentence without its full stop if the text is not a value of this setting. The settings are then
    /// unchanged.
    pub fn set(&self, settings: &mut Settings, text: &str) -> Result<(), String> {
        (self.set)(settings, text)
            .ok_or_else(|| format!("`{}` takes {}", self.name, self.accepted_values()))
    }

    /// Returns a description of the values that the setting accepts.
    pub fn accepted_values(&self) -> String {
        match self.kind {
            SettingValueKind::Choice(names) => {
                let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
                let (last, rest) = quoted
                    .split_last()
                    .map_or(("", &[][..]), |(last, rest)| (last, rest));
                format!("{} or {last}", rest.join(", "))
            }
            SettingValueKind::Switch => "true or false".to_owned(),
            SettingValueKind::Number(least, most) => {
                format!("a whole number from {least} to {most}")
            }
            SettingValueKind::Folder => {
                format!(
                    "a folder's name of at most {MAX_FOLDER} characters, without control or \
                     invisible characters"
                )
            }
            SettingValueKind::Models => "a map from names to language models".to_owned(),
            SettingValueKind::Keys => "a map from actions to lists of keys".to_owned(),
        }
    }

    /// Returns the values to choose from; empty if the setting accepts too many.
    pub fn value_choices(&self) -> Vec<String> {
        match self.kind {
            SettingValueKind::Choice(names) => names.iter().copied().map(str::to_owned).collect(),
            SettingValueKind::Switch => vec![false.to_string(), true.to_string()],
            SettingValueKind::Number(least, most) => {
                (least..=most).map(|n| n.to_string()).collect()
            }
            SettingValueKind::Folder | SettingValueKind::Models | SettingValueKind::Keys => {
                Vec::new()
            }
        }
    }

    /// Returns the setting's value in the notation of the settings file (RON).
    pub fn value_in_ron(&self, settings: &Settings) -> String {
        let value = self.get(settings);
        match self.kind {
            SettingValueKind::Choice(_) | SettingValueKind::Folder => {
                debate_host::record::ron_string_literal(&value)
            }
            SettingValueKind::Switch | SettingValueKind::Number(..) => value,
            SettingValueKind::Models => {
                models::format_models(&settings.models, "\n        ", "\n    ")
            }
            SettingValueKind::Keys => file::format_key_overrides(settings, "\n        ", "\n    "),
        }
    }
}

/// True if a text is the name of a key in the notation of the configuration.
fn is_key(text: &str) -> bool {
    text.parse::<KeyPress>().is_ok()
}

/// A function that computes the appearance of the screen from settings.
type AppearanceOf<'l> = dyn Fn(&Settings) -> ScreenAppearance + 'l;

/// The form in which the user changes the settings of a file. Changes of `theme`, `true_color` and `ascii` are visible
/// at once.
pub struct SettingsForm<'l> {
    settings: Settings,
    before: Settings,
    path: PathBuf,
    appearance_of: &'l AppearanceOf<'l>,
}

impl<'l> SettingsForm<'l> {
    /// Creates the form for the settings of a file.
    pub fn new(settings: Settings, path: &Path, appearance_of: &'l AppearanceOf<'l>) -> Self {
        Self {
            before: settings.clone(),
            settings,
            path: path.to_owned(),
            appearance_of,
        }
    }

    /// Returns two sets of settings: those before the user's changes, and those after them.
    pub fn settings_before_and_after_changes(self) -> (Settings, Settings) {
        (self.before, self.settings)
    }
}

impl Settings {
    /// True if the settings `theme`, `true_color` or `ascii` differ from those of `other`. The setting `color` is not
    /// compared, because a change of it is used from the next start.
    pub fn has_different_theme_or_glyphs(&self, other: &Self) -> bool {
        let look = |settings: &Self| (settings.theme, settings.true_color, settings.ascii);
        look(self) != look(other)
    }
}

impl FormModel for SettingsForm<'_> {
    fn title(&self) -> String {
        "Settings".to_owned()
    }

    fn fields(&self) -> Vec<FormField> {
        let field = |field: &Setting| FormField {
            note: String::new(),
            label: field.name.replace('_', " "),
            value: setting_value_in_form(field, &self.settings),
            about: match field.kind {
                SettingValueKind::Switch => field.doc().to_owned(),
                _ => format!("{} Values: {}.", field.doc(), field.accepted_values()),
            },
            has_choices: !field.value_choices().is_empty(),
            is_writable: !matches!(field.kind, SettingValueKind::Switch),
        };
        ALL_SETTINGS.iter().map(field).collect()
    }

    fn change_choice(&mut self, field: usize, by: isize) -> Result<(), String> {
        let Some(field) = ALL_SETTINGS.get(field) else {
            return Ok(());
        };
        let choices = field.value_choices();
        let now = field.get(&self.settings);
        let at = choices.iter().position(|choice| *choice == now);
        let next = cycle_index(at.unwrap_or(0), by, choices.len());
        match choices.get(next) {
            Some(choice) => field.set(&mut self.settings, choice),
            None => Ok(()),
        }
    }

    fn write(&mut self, field: usize, text: &str) -> Result<(), String> {
        let Some(field) = ALL_SETTINGS.get(field) else {
            return Ok(());
        };
        let mut changed = self.settings.clone();
        field.set(&mut changed, text)?;
        // Key conflicts are reported now, not at the next start.
        changed.key_map().map_err(|error| error.to_string())?;
        self.settings = changed;
        Ok(())
    }

    fn notes(&self) -> Vec<(String, String)> {
        vec![(
            "Saved in".to_owned(),
            format!(
                "{}, when you continue. Flags and environment variables override it. A new value of \
                 color or saves is used from the next start.",
                self.path.display()
            ),
        )]
    }

    fn help(&self) -> [String; 2] {
        let form = "Each line is a setting. {choice-before} and {choice-after} step through the values \
                    of the marked setting; {write} types a value. {accept} saves all settings; \
                    {quit} discards the changes.";
        [form.to_owned(), String::new()]
    }

    fn look(&self) -> Option<ScreenAppearance> {
        let changed = self.before.has_different_theme_or_glyphs(&self.settings);
        changed.then(|| (self.appearance_of)(&self.settings))
    }
}

/// Returns a setting's value as the settings form shows it: `on` or `off` for a switch.
fn setting_value_in_form(field: &Setting, settings: &Settings) -> String {
    let value = field.get(settings);
    match (field.kind, value.as_str()) {
        (SettingValueKind::Switch, "true") => "on".to_owned(),
        (SettingValueKind::Switch, _) => "off".to_owned(),
        _ => value,
    }
}

#[cfg(test)]
mod tests;
