//! The settings as a form, kept in `config.ron`.

use std::path::Path;

use super::Failure;
use super::screen::Stage;
use crate::tui::screen::{Filled, Form};
use crate::tui::settings::{Settings, SettingsSheet};

/// Shows the settings of a file and keeps them where they are taken. Says what came of it.
pub(super) fn change(stage: &mut Stage, path: Option<&Path>) -> Result<Option<String>, Failure> {
    let Some(path) = path else {
        return Ok(Some(
            "There is no file to keep settings in: --no-config was given.".to_owned(),
        ));
    };
    let settings = Settings::load(path).map_err(Failure::input)?;
    let looks = stage.looks();
    let mut sheet = SettingsSheet::new(settings, path, &looks);
    let keys = stage.keys();
    if stage.show(&mut Form::new(&mut sheet, &keys))? == Filled::Left {
        return Ok(None);
    }
    let (before, after) = sheet.changed();
    let stored = after.store(path);
    stored.map_err(|error| Failure::System(error.to_string()))?;
    stage.apply(&before, &after)?;
    Ok(Some(format!("Kept in {}.", path.display())))
}
