//! Which theme the user wants: one by name, or the one that fits the terminal.

use super::Theme;
use crate::tui::terminal::Background;

/// Which theme is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThemeChoice {
    /// This one.
    Theme(Theme),
    /// The dark or the light one, whichever the terminal's background asks for.
    Auto,
}

impl Default for ThemeChoice {
    fn default() -> Self {
        Self::Theme(Theme::default())
    }
}

impl ThemeChoice {
    /// The names that [`Self::named`] knows.
    pub const NAMES: &'static [&'static str] =
        &["dark", "light", "high-contrast", "monochrome", "auto"];

    /// For whom [`Self::Auto`] is, in sentences.
    pub const AUTO: &'static str = "Dark or light, as the terminal says of its background when the \
        screen opens. Without an answer within half a second it is dark.";

    /// The name used on the command line and in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Theme(theme) => theme.name(),
            Self::Auto => "auto",
        }
    }

    /// The wish of that name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Auto),
            name => Theme::named(name).map(Self::Theme),
        }
    }

    /// The theme, on a terminal whose background is known or not.
    pub fn theme(self, background: Option<Background>) -> Theme {
        match (self, background) {
            (Self::Theme(theme), _) => theme,
            (Self::Auto, Some(Background::Light)) => Theme::Light,
            (Self::Auto, Some(Background::Dark) | None) => Theme::Dark,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wish_is_found_by_its_name() {
        let themes = Theme::ALL.into_iter().map(ThemeChoice::Theme);
        let all: Vec<ThemeChoice> = themes.chain([ThemeChoice::Auto]).collect();
        let names: Vec<&str> = all.iter().map(|theme_choice| theme_choice.name()).collect();
        assert_eq!(names, ThemeChoice::NAMES);
        for theme_choice in all {
            assert_eq!(ThemeChoice::named(theme_choice.name()), Some(theme_choice));
        }
        assert_eq!(ThemeChoice::named("pink"), None);
    }

    #[test]
    fn only_auto_heeds_the_terminal() {
        let light = Some(Background::Light);
        assert_eq!(ThemeChoice::Auto.theme(light), Theme::Light);
        assert_eq!(ThemeChoice::Auto.theme(Some(Background::Dark)), Theme::Dark);
        assert_eq!(ThemeChoice::Auto.theme(None), Theme::Dark);
        for theme in Theme::ALL {
            assert_eq!(ThemeChoice::Theme(theme).theme(light), theme);
        }
    }
}
