//! What the user likes, and what the screen looks like for it.

use std::env;
use std::io::IsTerminal;
use std::path::PathBuf;

use crate::tui::settings::{Settings, When};
use crate::tui::terminal::Background;
use crate::tui::theme::{ASCII, Look, Theme, UNICODE, Wish};

/// What the user likes: flags before the environment, before the file, before the standard.
#[derive(Clone, Debug, Default)]
pub struct Preferences {
    /// The settings, with flags laid over those of the file.
    pub settings: Settings,
    /// The file, whether it exists or not; `None` where none is to be used.
    pub path: Option<PathBuf>,
    /// Whether to use colours, NO_COLOR and flags having been asked.
    pub color: When,
}

impl Preferences {
    /// Whether the look hangs on what the terminal says of its background.
    pub fn asks_background(&self) -> bool {
        self.settings.theme == Wish::Auto && self.color != When::Never
    }

    /// Whether to write colours there.
    pub fn colours(&self, out: &impl IsTerminal) -> bool {
        match self.color {
            When::Always => true,
            When::Never => false,
            When::Auto => {
                out.is_terminal() && env::var_os("TERM").is_none_or(|term| term != "dumb")
            }
        }
    }
}

/// What the screen looks like, on a terminal whose background is known or not.
pub fn look(settings: &Settings, color: When, background: Option<Background>) -> Look {
    let glyphs = match settings.ascii {
        When::Auto => Look::from_environment().glyphs,
        When::Always => &ASCII,
        When::Never => &UNICODE,
    };
    let theme = match color {
        When::Never => Theme::Monochrome,
        When::Auto | When::Always => settings.theme.theme(background),
    };
    Look { theme, glyphs }
}
