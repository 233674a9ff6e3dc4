//! The user's preferences, and the look of the screen that follows.

use std::env;
use std::io::IsTerminal;
use std::path::PathBuf;

use crate::tui::settings::{Settings, Tristate};
use crate::tui::terminal::Background;
use crate::tui::theme::{ASCII, Appearance, Theme, ThemeChoice, UNICODE};

/// Preferences: flags before the environment, before the file, before the standard.
#[derive(Clone, Debug, Default)]
pub struct Preferences {
    /// The settings, with flags laid over those of the file.
    pub settings: Settings,
    /// The file, whether it exists or not; `None` where none is to be used.
    pub path: Option<PathBuf>,
    /// True if to use colours, NO_COLOR and flags having been asked.
    pub color: Tristate,
}

impl Preferences {
    /// True if the look hangs on what the terminal says of its background.
    pub fn asks_background(&self) -> bool {
        self.settings.theme == ThemeChoice::Auto && self.color != Tristate::Never
    }

    /// True if to write colours there.
    pub fn colours(&self, out: &impl IsTerminal) -> bool {
        match self.color {
            Tristate::Always => true,
            Tristate::Never => false,
            Tristate::Auto => {
                out.is_terminal() && env::var_os("TERM").is_none_or(|term| term != "dumb")
            }
        }
    }
}

/// The look of the screen, on a terminal whose background is known or not.
pub fn look(settings: &Settings, color: Tristate, background: Option<Background>) -> Appearance {
    let glyphs = match settings.ascii {
        Tristate::Auto => Appearance::from_environment().glyphs,
        Tristate::Always => &ASCII,
        Tristate::Never => &UNICODE,
    };
    let theme = match color {
        Tristate::Never => Theme::Monochrome,
        Tristate::Auto | Tristate::Always => settings.theme.theme(background),
    };
    Appearance { theme, glyphs }
}
