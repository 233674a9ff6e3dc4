//! Errands of a screen, done over it before it is shown again: home, the settings, an export.

use super::Failure;
use super::context::AppContext;
use super::export::export;
use crate::tui::menu::{Form, FormOutcome};
use crate::tui::screen::{Ended, Errand, Screen};
use crate::tui::settings::{Settings, SettingsForm};

impl AppContext {
    /// Shows a screen until it ends, or until the user asks for home: it then ends as if it were
    /// closed from outside.
    pub(super) fn show<S: Screen>(&mut self, screen: &mut S) -> Result<S::Outcome, Failure> {
        loop {
            if self.goes_home {
                return Ok(screen.gone());
            }
            let outcome = match self.run(screen)? {
                Ended::Outcome(outcome) => return Ok(outcome),
                Ended::Errand(Errand::Home) => {
                    self.goes_home = true;
                    continue;
                }
                Ended::Errand(Errand::Settings) => change_settings(self),
                Ended::Errand(Errand::Export(save)) => export(self, &save),
            };
            match outcome {
                Ok(notice) => notice.into_iter().for_each(|notice| screen.say(notice)),
                Err(Failure::Input(why) | Failure::System(why)) => screen.say(why),
                Err(failure) => return Err(failure),
            }
            // What came for the screen meanwhile went to the one over it.
            self.waker().wake();
        }
    }
}

/// Shows the settings over a screen and keeps them where they are taken. Returns what came of it.
fn change_settings(app: &mut AppContext) -> Result<Option<String>, Failure> {
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
