//! The settings as a form, kept in `config.ron`.

use std::path::{Path, PathBuf};

use super::Failure;
use super::screen::Stage;
use crate::tui::screen::{Field, Filled, Form, Sheet};
use crate::tui::settings::{FIELDS, Kind, Settings};

/// The settings of a file, as they are being changed.
struct Wishes {
    settings: Settings,
    path: PathBuf,
}

impl Sheet for Wishes {
    fn title(&self) -> String {
        "Settings".to_owned()
    }

    fn fields(&self) -> Vec<Field> {
        let field = |field: &crate::tui::settings::Field| Field {
            label: field.name.replace('_', " "),
            value: field.get(&self.settings),
            about: format!("{} It takes {}.", field.doc, field.takes()),
            turns: !field.choices().is_empty(),
            writes: !matches!(field.kind, Kind::Switch),
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
        let next = super::lobby::next(at, choices.len(), by);
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
                "{}. Flags and the environment go before it. The mouse and the folder of saves \
                 change at the next start.",
                self.path.display()
            ),
        )]
    }

    fn help(&self) -> [String; 2] {
        let form = "Each line is a setting. Change the marked one, or type into it; going on keeps \
                    them all, leaving keeps them as they were.";
        [form.to_owned(), String::new()]
    }
}

/// Shows the settings of a file and keeps them where they are taken. Says what came of it.
pub(super) fn change(stage: &mut Stage, path: Option<&Path>) -> Result<Option<String>, Failure> {
    let Some(path) = path else {
        return Ok(Some(
            "There is no file to keep settings in: --no-config was given.".to_owned(),
        ));
    };
    let mut wishes = Wishes {
        settings: Settings::load(path).map_err(Failure::input)?,
        path: path.to_owned(),
    };
    let keys = stage.keys();
    if stage.show(&mut Form::new(&mut wishes, &keys))? == Filled::Left {
        return Ok(None);
    }
    let stored = wishes.settings.store(path);
    stored.map_err(|error| Failure::System(error.to_string()))?;
    stage.apply(&wishes.settings)?;
    Ok(Some(format!("Kept in {}.", path.display())))
}
