//! Styles by role, and glyphs that a poor terminal can replace.
//!
//! A widget asks its [`Appearance`] for the style of a [`StyleRole`] and for glyphs. No role is told by
//! colour alone: wherever two roles must be told apart there is a modifier, a glyph or a word too.
//! Only the sixteen named colours and Reset are used, so the terminal's own palette decides.

mod glyphs;
mod theme_choice;

use debate_lab::tell::Script;
use debate_lab::tell::Signs;
use ratatui::style::{Color, Modifier, Style};

pub use debate_lab::tell::Role as StyleRole;

pub use glyphs::{ASCII, Glyphs, UNICODE, in_ascii};
pub use theme_choice::ThemeChoice;

/// The themes there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// For dark backgrounds.
    #[default]
    Dark,
    /// For light backgrounds.
    Light,
    /// Bold, no faint text, only the strongest colours.
    HighContrast,
    /// No colours at all: everything by glyph and modifier.
    Monochrome,
}

impl Theme {
    /// Every theme, in the order a toggle goes through them.
    pub const ALL: [Self; 4] = [
        Self::Dark,
        Self::Light,
        Self::HighContrast,
        Self::Monochrome,
    ];

    /// The name used on the command line and in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
            Self::HighContrast => "high-contrast",
            Self::Monochrome => "monochrome",
        }
    }

    /// For whom it is, in a sentence.
    pub fn about(self) -> &'static str {
        match self {
            Self::Dark => "For dark backgrounds.",
            Self::Light => "For light backgrounds.",
            Self::HighContrast => "Bold, nothing faint, no colours but the terminal's own two.",
            Self::Monochrome => "No colours: bold, underlined and reversed text instead.",
        }
    }

    /// The theme of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.name() == name)
    }

    /// The theme after this one, for a toggle.
    #[must_use]
    pub fn next(self) -> Self {
        let at = Self::ALL
            .iter()
            .position(|theme| *theme == self)
            .unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }

    /// The style of a role.
    pub fn style(self, role: StyleRole) -> Style {
        let style = Style::new().add_modifier(self.modifier(role));
        self.colour(role).map_or(style, |colour| style.fg(colour))
    }

    fn modifier(self, role: StyleRole) -> Modifier {
        let strong = match self {
            Self::HighContrast => Modifier::BOLD,
            _ => Modifier::empty(),
        };
        match role {
            StyleRole::Text
            | StyleRole::Border
            | StyleRole::Good
            | StyleRole::Bad
            | StyleRole::True
            | StyleRole::False
            | StyleRole::TooHigh
            | StyleRole::TooLow => strong,
            StyleRole::Faint if self == Self::HighContrast => Modifier::empty(),
            // Bright black is unreadable in too many palettes; dim follows the text colour.
            StyleRole::Faint => Modifier::DIM,
            StyleRole::Title
            | StyleRole::Focus
            | StyleRole::Key
            | StyleRole::Newest
            | StyleRole::Warning
            | StyleRole::Chosen
            | StyleRole::Party(_) => Modifier::BOLD,
            StyleRole::Selected => Modifier::REVERSED | strong,
            StyleRole::Current => Modifier::BOLD | Modifier::UNDERLINED,
            StyleRole::Match => Modifier::UNDERLINED | strong,
        }
    }

    fn colour(self, role: StyleRole) -> Option<Color> {
        // The bright half of the palette reads well on black, the other half on white.
        let pick = |dark, light| match self {
            Self::Dark => Some(dark),
            Self::Light => Some(light),
            Self::HighContrast | Self::Monochrome => None,
        };
        match role {
            StyleRole::Text
            | StyleRole::Faint
            | StyleRole::Title
            | StyleRole::Border
            | StyleRole::Selected => None,
            StyleRole::Focus | StyleRole::Key => pick(Color::Cyan, Color::Blue),
            StyleRole::Current | StyleRole::Match => pick(Color::LightYellow, Color::Magenta),
            StyleRole::Chosen | StyleRole::Good | StyleRole::True => {
                pick(Color::LightGreen, Color::Green)
            }
            StyleRole::TooHigh => pick(Color::Yellow, Color::Magenta),
            StyleRole::TooLow | StyleRole::Newest => pick(Color::LightCyan, Color::Blue),
            StyleRole::Bad | StyleRole::False => pick(Color::LightRed, Color::Red),
            StyleRole::Warning => pick(Color::Yellow, Color::Red),
            StyleRole::Party(n) => match n % 4 {
                0 => pick(Color::LightBlue, Color::Blue),
                1 => pick(Color::LightMagenta, Color::Magenta),
                2 => pick(Color::LightGreen, Color::Green),
                _ => pick(Color::Yellow, Color::Red),
            },
        }
    }
}

/// The styles and signs with which panels are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Appearance {
    /// Styles of roles.
    pub theme: Theme,
    /// Signs and lines.
    pub glyphs: &'static Glyphs,
}

impl Default for Appearance {
    fn default() -> Self {
        Self {
            theme: Theme::default(),
            glyphs: &UNICODE,
        }
    }
}

impl Appearance {
    /// The style of a role.
    pub fn style(&self, role: StyleRole) -> Style {
        self.theme.style(role)
    }

    /// The script of formulas with these glyphs.
    pub fn script(&self) -> Script {
        if self.glyphs.unicode {
            Script::Unicode
        } else {
            Script::Ascii
        }
    }

    /// The signs beside what is told.
    pub fn signs(&self) -> &'static Signs {
        Signs::of(self.script())
    }

    /// The look that the environment asks for: a monochrome theme where `NO_COLOR` has any value
    /// but the empty one, ASCII glyphs where the locale is not UTF-8.
    pub fn from_environment() -> Self {
        let value = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(value);
        let unicode = locale.is_none_or(|locale| {
            let locale = locale.to_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        });
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self {
            theme: if no_colour {
                Theme::Monochrome
            } else {
                Theme::default()
            },
            glyphs: if unicode { &UNICODE } else { &ASCII },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles() -> Vec<StyleRole> {
        use StyleRole::{
            Bad, Border, Chosen, Current, Faint, False, Focus, Good, Key, Match, Newest, Party,
            Selected, Text, Title, TooHigh, TooLow, True, Warning,
        };
        let mut roles = vec![
            Text, Faint, Title, Border, Focus, Selected, Current, Chosen, Newest, Match, Good, Bad,
            Warning, Key, True, False, TooHigh, TooLow,
        ];
        roles.extend((0..=4).map(Party));
        roles
    }

    #[test]
    fn the_monochrome_theme_has_no_colours() {
        for role in roles() {
            let style = Theme::Monochrome.style(role);
            assert_eq!((style.fg, style.bg), (None, None), "{role:?}");
        }
    }

    #[test]
    fn colours_are_named_ones_and_backgrounds_are_the_terminals() {
        for theme in Theme::ALL {
            for role in roles() {
                let style = theme.style(role);
                assert!(!matches!(
                    style.fg,
                    Some(Color::Rgb(..) | Color::Indexed(_))
                ));
                assert_eq!(style.bg, None);
            }
        }
    }

    #[test]
    fn the_selection_and_the_current_line_show_without_colour() {
        for theme in Theme::ALL {
            let modifier = |role| theme.style(role).add_modifier;
            assert!(modifier(StyleRole::Selected).contains(Modifier::REVERSED));
            assert_ne!(modifier(StyleRole::Current), modifier(StyleRole::Text));
        }
    }

    #[test]
    fn themes_are_found_by_name_and_the_toggle_goes_round() {
        for theme in Theme::ALL {
            assert_eq!(Theme::named(theme.name()), Some(theme));
            assert_eq!(theme.next().next().next().next(), theme);
        }
        assert_eq!(Theme::named("pink"), None);
    }
}
