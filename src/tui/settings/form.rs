//! The settings as a form.

use std::path::{Path, PathBuf};

use super::{FIELDS, Setting, Settings, ValueKind};
use crate::tui::menu::{Field, FormModel};
use crate::tui::theme::Appearance;

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
        (self.theme, self.ascii) != (other.theme, other.ascii)
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
                ValueKind::Switch => field.doc.to_owned(),
                _ => format!("{} It takes {}.", field.doc, field.takes()),
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
        let count = isize::try_from(choices.len()).unwrap_or(isize::MAX).max(1);
        let at = at.and_then(|at| isize::try_from(at).ok()).unwrap_or(0);
        let next = usize::try_from((at + by).rem_euclid(count)).unwrap_or(0);
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
