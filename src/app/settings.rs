//! The settings as a form, kept in `config.ron`.

use super::Failure;
use super::context::AppContext;
use super::page::{HomePage, HomeTarget, Next, Page};
use crate::tui::screen::{Filled, Form};
use crate::tui::settings::{Settings, SettingsSheet};

/// Shows the settings and keeps them where they are taken; home says what came of it.
pub(super) fn settings(app: &mut AppContext, marked: Option<HomeTarget>) -> Result<Next, Failure> {
    let said = match change(app) {
        Ok(said) => said,
        Err(Failure::Input(why) | Failure::System(why)) => Some(why),
        Err(failure) => return Err(failure),
    };
    Ok(Next::Open(Page::Home(HomePage { marked, said })))
}

fn change(app: &mut AppContext) -> Result<Option<String>, Failure> {
    let Some(path) = app.options.preferences.path.clone() else {
        return Ok(Some(
            "There is no file to keep settings in: --no-config was given.".to_owned(),
        ));
    };
    let settings = Settings::load(&path).map_err(Failure::input)?;
    let looks = app.looks();
    let mut sheet = SettingsSheet::new(settings, &path, &looks);
    let keys = app.keys();
    if app.show(&mut Form::new(&mut sheet, &keys))? == Filled::Left {
        return Ok(None);
    }
    let (before, after) = sheet.changed();
    after.store(&path).map_err(Failure::system)?;
    app.apply(&before, &after)?;
    Ok(Some(format!("Kept in {}.", path.display())))
}
