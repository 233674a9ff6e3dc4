//! The settings as a form, kept in `config.ron`.

use super::Failure;
use super::context::AppContext;
use crate::tui::menu::{Form, FormOutcome};
use crate::tui::settings::{Settings, SettingsForm};

/// Shows the settings over a screen and keeps them where they are taken. Returns what came of it.
pub(super) fn change(app: &mut AppContext) -> Result<Option<String>, Failure> {
    let Some(path) = app.options.preferences.path.clone() else {
        return Ok(Some(
            "There is no file to keep settings in: --no-config was given.".to_owned(),
        ));
    };
    let settings = Settings::load(&path).map_err(Failure::input)?;
    let looks = app.looks();
    let mut model = SettingsForm::new(settings, &path, &looks);
    let keys = app.keys();
    if app.show_over(&mut Form::new(&mut model, &keys))? == FormOutcome::Left {
        return Ok(None);
    }
    let (before, after) = model.changed();
    after.store(&path).map_err(Failure::system)?;
    app.apply(&before, &after)?;
    let pace = if before.tempo == after.tempo {
        ""
    } else {
        " A debate under way keeps its pace."
    };
    Ok(Some(format!("Kept in {}.{pace}", path.display())))
}
