//! The settings as a form, kept in `config.ron`.

use super::Failure;
use super::context::AppContext;
use super::page::{AppPage, HomePage, HomeTarget, Transition};
use crate::tui::screen::{Form, FormOutcome};
use crate::tui::settings::{Settings, SettingsForm};

/// Shows the settings and keeps them where they are taken; home says what came of it.
pub(super) fn settings(
    app: &mut AppContext,
    marked: Option<HomeTarget>,
) -> Result<Transition, Failure> {
    let said = match change(app) {
        Ok(said) => said,
        Err(Failure::Input(why) | Failure::System(why)) => Some(why),
        Err(failure) => return Err(failure),
    };
    Ok(Transition::Open(AppPage::Home(HomePage { marked, said })))
}

fn change(app: &mut AppContext) -> Result<Option<String>, Failure> {
    let Some(path) = app.options.preferences.path.clone() else {
        return Ok(Some(
            "There is no file to keep settings in: --no-config was given.".to_owned(),
        ));
    };
    let settings = Settings::load(&path).map_err(Failure::input)?;
    let looks = app.looks();
    let mut model = SettingsForm::new(settings, &path, &looks);
    let keys = app.keys();
    if app.show(&mut Form::new(&mut model, &keys))? == FormOutcome::Left {
        return Ok(None);
    }
    let (before, after) = model.changed();
    after.store(&path).map_err(Failure::system)?;
    app.apply(&before, &after)?;
    Ok(Some(format!("Kept in {}.", path.display())))
}
