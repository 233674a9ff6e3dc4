//! Colour themes, which give each role of a text a style, and sets of glyphs, with replacements for limited terminals.
//!
//! A widget gets the style of a [`TextRole`] and glyphs from its [`ScreenAppearance`]. No role depends on colour alone:
//! roles that must be distinguished also differ by a modifier, a glyph or a word. If the terminal shows only the
//! sixteen named colours, its own palette applies.

mod motion;
mod palette;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Style};
use ratatui::symbols::border;

use debate_text::{FormulaCharacterSet, SignCharacters};

pub use debate_text::TextRole;
pub use motion::NewResultAnimationFrame;
pub use palette::TerminalColours;

/// The colour themes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// For dark backgrounds.
    #[default]
    Dark,
    /// For light backgrounds.
    Light,
    /// Bold text without faint parts. Strong colours, but only on a terminal with true colours.
    HighContrast,
    /// No colours: roles of texts differ by glyphs and modifiers such as bold.
    Monochrome,
}

impl Theme {
    /// All themes, in the order in which a key switches through them.
    pub const ALL: [Self; 4] = [
        Self::Dark,
        Self::Light,
        Self::HighContrast,
        Self::Monochrome,
    ];

    /// Returns the theme's name, as used on the command line and in the configuration.
    pub fn theme_name(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
            Self::HighContrast => "high-contrast",
            Self::Monochrome => "monochrome",
        }
    }

    /// Returns a sentence on the theme's purpose.
    pub fn theme_description(self) -> &'static str {
        match self {
            Self::Dark => "For dark backgrounds.",
            Self::Light => "For light backgrounds.",
            Self::HighContrast => {
                "Strong colours on black if the terminal has true colours; bold, no faint text."
            }
            Self::Monochrome => "No colours: bold, underlined and reversed text instead.",
        }
    }

    /// Returns the theme with this name.
    pub fn theme_named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|theme| theme.theme_name() == name)
    }

    /// Returns the theme to which a key switches from this one.
    #[must_use]
    pub fn next_theme(self) -> Self {
        let at = Self::ALL
            .iter()
            .position(|theme| *theme == self)
            .unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }

    /// Returns the style of a text with this role.
    pub fn style(self, role: TextRole, colours: TerminalColours) -> Style {
        let (modifier, colour) = self.modifiers_and_colour(role, colours);
        let style = Style::new().add_modifier(modifier);
        colour.map_or(style, |colour| style.fg(colour))
    }
}

/// The appearance of the screen: the styles of roles, the colours and the glyphs.
#[derive(Clone, Copy, Debug)]
pub struct ScreenAppearance {
    /// The theme, which gives each role a style.
    pub theme: Theme,
    /// The kinds of colours that the terminal can show.
    pub colours: TerminalColours,
    /// The symbols and lines that the terminal can show.
    pub glyphs: &'static GlyphSet,
    /// The current frame of the coin animation, if one is running.
    pub frame: Option<NewResultAnimationFrame>,
}

impl Default for ScreenAppearance {
    fn default() -> Self {
        Self {
            theme: Theme::default(),
            colours: TerminalColours::default(),
            glyphs: &UNICODE,
            frame: None,
        }
    }
}

impl ScreenAppearance {
    /// Returns the style of a text with this role.
    pub fn style(&self, role: TextRole) -> Style {
        self.theme.style(role, self.colours)
    }

    /// Gives cells without colours the theme's colours of text and background, if the terminal shows true colours.
    pub fn fill_uncoloured_cells(&self, buffer: &mut Buffer) {
        let shows = self.colours == TerminalColours::True;
        let Some([text, ground]) = self.theme.text_and_background_colours().filter(|_| shows)
        else {
            return;
        };
        for cell in &mut buffer.content {
            if cell.fg == Color::Reset {
                cell.fg = text;
            }
            if cell.bg == Color::Reset {
                cell.bg = ground;
            }
        }
    }

    /// Returns the script, Unicode or ASCII, in which formulas are written with these glyphs.
    pub fn formula_script(&self) -> FormulaCharacterSet {
        if self.glyphs.unicode {
            FormulaCharacterSet::Unicode
        } else {
            FormulaCharacterSet::Ascii
        }
    }

    /// Returns the symbols used in the narration of a debate.
    pub fn narration_symbols(&self) -> &'static SignCharacters {
        SignCharacters::symbols_for_character_set(self.formula_script())
    }

    /// Returns the appearance for the environment. The theme is monochrome if `NO_COLOR` is set and not empty. Colours
    /// are true colours if `COLORTERM` announces them. Glyphs are ASCII if a locale is set and is not UTF-8.
    pub fn appearance_from_environment() -> Self {
        let value = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(value);
        let unicode = locale.is_none_or(|locale| {
            let locale = locale.to_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        });
        let true_colours = value("COLORTERM")
            .is_some_and(|value| ["truecolor", "24bit"].contains(&value.as_str()));
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self {
            theme: if no_colour {
                Theme::Monochrome
            } else {
                Theme::default()
            },
            colours: if true_colours {
                TerminalColours::True
            } else {
                TerminalColours::Named
            },
            glyphs: if unicode { &UNICODE } else { &ASCII },
            frame: None,
        }
    }
}

/// The background of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalBackground {
    /// A dark background, on which bright text reads well.
    Dark,
    /// A light background, on which dark text reads well.
    Light,
}

/// The choice of a theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThemeChoice {
    /// A theme that the user chose.
    Theme(Theme),
    /// The dark or the light theme, depending on the terminal's background.
    Auto,
}

impl Default for ThemeChoice {
    fn default() -> Self {
        Self::Theme(Theme::default())
    }
}

impl ThemeChoice {
    /// The names that [`Self::named`] accepts.
    pub const NAMES: &'static [&'static str] =
        &["dark", "light", "high-contrast", "monochrome", "auto"];

    /// The purpose of the choice [`Self::Auto`], in sentences.
    pub const AUTO_PURPOSE: &'static str = "Dark or light, like the terminal's background when the screen opens. \
        Dark if the terminal does not answer within half a second.";

    /// Returns the choice's name, as used on the command line and in the configuration.
    pub fn setting_value_name(self) -> &'static str {
        match self {
            Self::Theme(theme) => theme.theme_name(),
            Self::Auto => "auto",
        }
    }

    /// Returns the choice of a theme with this name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Auto),
            name => Theme::theme_named(name).map(Self::Theme),
        }
    }

    /// Returns the theme to use on a terminal, given the terminal's background if it is known.
    pub fn theme(self, background: Option<TerminalBackground>) -> Theme {
        match (self, background) {
            (Self::Theme(theme), _) => theme,
            (Self::Auto, Some(TerminalBackground::Light)) => Theme::Light,
            (Self::Auto, Some(TerminalBackground::Dark) | None) => Theme::Dark,
        }
    }
}

/// A set of glyphs.
#[derive(Debug, PartialEq, Eq)]
pub struct GlyphSet {
    /// True if this set contains glyphs outside ASCII. The labels of keys then do so too.
    pub unicode: bool,
    /// The lines around panels.
    pub border: border::Set<'static>,
    /// The branch of a tree's row that has further siblings below it.
    pub branch: &'static str,
    /// The branch of a tree's row that is the last child.
    pub last_branch: &'static str,
    /// The vertical line beside a tree's row, which connects an ancestor to its later children.
    pub rail: &'static str,
    /// The mark of a tree's row whose children are shown.
    pub open: &'static str,
    /// The mark of a tree's row whose children are hidden.
    pub shut: &'static str,
    /// The symbol before the selected row.
    pub cursor: &'static str,
    /// The symbol for the part of a slider's track before the knob.
    pub slider_full: &'static str,
    /// The symbol for the part of a slider's track after the knob.
    pub slider_track: &'static str,
    /// The slider's knob.
    pub slider_knob: &'static str,
    /// The symbol where a text is cut off.
    pub ellipsis: &'static str,
    /// The symbol for further text above the visible part.
    pub more_up: &'static str,
    /// The symbol for further text below the visible part.
    pub more_down: &'static str,
    /// The mark of zero on a horizontal scale.
    pub axis: &'static str,
    /// The glyph that fills the range of payments still possible in a round, on a horizontal scale of payments.
    pub open_stake: &'static str,
    /// The symbol for the left end of the range of payments that are still possible; `stake_right` is the symbol for
    /// its right end.
    pub stake_left: &'static str,
    pub stake_right: &'static str,
    /// The parts of a horizontal bar: a whole cell, and the half cell at the end of a bar to the right or to the left
    /// of zero.
    pub whole: &'static str,
    pub right_half: &'static str,
    pub left_half: &'static str,
    /// The symbol of a full cell of a bar part that must differ from the neighbouring parts, which use `whole`.
    pub other: &'static str,
    /// The symbol of a bar's cells between a claim's estimate and the range that its subclaims' estimates allow. These
    /// cells show the gap of inconsistent estimates.
    pub hole: &'static str,
    /// The symbol before an item of the home screen whose debate was won.
    pub won: &'static str,
    /// The symbol before an item of the home screen whose debate was played but not won.
    pub played: &'static str,
}

/// The glyphs for terminals that show Unicode.
pub static UNICODE: GlyphSet = GlyphSet {
    unicode: true,
    border: border::ROUNDED,
    branch: "├",
    last_branch: "└",
    rail: "│",
    open: "▾",
    shut: "▸",
    cursor: "›",
    slider_full: "━",
    slider_track: "─",
    slider_knob: "●",
    ellipsis: "…",
    more_up: "↑",
    more_down: "↓",
    axis: "│",
    open_stake: "·",
    stake_left: "▕",
    stake_right: "▏",
    whole: "█",
    right_half: "▌",
    left_half: "▐",
    other: "▒",
    hole: "╳",
    won: "✓",
    played: "·",
};

/// The glyphs for terminals that show only ASCII.
pub static ASCII: GlyphSet = GlyphSet {
    unicode: false,
    border: border::Set {
        top_left: "+",
        top_right: "+",
        bottom_left: "+",
        bottom_right: "+",
        vertical_left: "|",
        vertical_right: "|",
        horizontal_top: "-",
        horizontal_bottom: "-",
    },
    branch: "|",
    last_branch: "`",
    rail: "|",
    open: "v",
    shut: ">",
    cursor: ">",
    slider_full: "=",
    slider_track: "-",
    slider_knob: "O",
    ellipsis: "~",
    more_up: "^",
    more_down: "v",
    axis: "|",
    open_stake: ".",
    stake_left: "[",
    stake_right: "]",
    whole: "#",
    right_half: "-",
    left_half: "-",
    other: "=",
    hole: "x",
    won: "+",
    played: ".",
};

/// Returns the ASCII form of a typographic character or of ε or ρ; `None` for every other character. All other letters
/// outside ASCII have no ASCII form.
pub fn ascii_replacement(sign: &str) -> Option<&'static str> {
    Some(match sign {
        "“" | "”" | "„" => "\"",
        "‘" | "’" => "'",
        "–" | "—" | "−" => "-",
        "…" | "≈" => "~",
        "·" | "•" => "*",
        "×" => "x",
        "ε" => "e",
        "ρ" => "p",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn roles() -> Vec<TextRole> {
        use TextRole::{
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
            for colours in [TerminalColours::Named, TerminalColours::True] {
                let style = Theme::Monochrome.style(role, colours);
                assert_eq!((style.fg, style.bg), (None, None), "{role:?}");
            }
        }
        assert_eq!(Theme::Monochrome.text_and_background_colours(), None);
    }

    #[test]
    fn without_true_colours_themes_use_named_colours_and_the_terminals_background() {
        for theme in Theme::ALL {
            for role in roles() {
                let style = theme.style(role, TerminalColours::Named);
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
            for colours in [TerminalColours::Named, TerminalColours::True] {
                let modifier = |role| theme.style(role, colours).add_modifier;
                assert!(modifier(TextRole::Selected).contains(ratatui::style::Modifier::REVERSED));
                assert_ne!(modifier(TextRole::Current), modifier(TextRole::Text));
            }
        }
    }

    #[test]
    fn themes_are_found_by_name_and_the_toggle_cycles() {
        for theme in Theme::ALL {
            assert_eq!(Theme::theme_named(theme.theme_name()), Some(theme));
            assert_eq!(
                theme.next_theme().next_theme().next_theme().next_theme(),
                theme
            );
        }
        assert_eq!(Theme::theme_named("pink"), None);
    }
}

#[cfg(test)]
mod theme_choice_tests {
    use super::*;

    #[test]
    fn every_theme_choice_is_found_by_its_name() {
        let themes = Theme::ALL.into_iter().map(ThemeChoice::Theme);
        let all: Vec<ThemeChoice> = themes.chain([ThemeChoice::Auto]).collect();
        let names: Vec<&str> = all
            .iter()
            .map(|theme_choice| theme_choice.setting_value_name())
            .collect();
        assert_eq!(names, ThemeChoice::NAMES);
        for theme_choice in all {
            assert_eq!(
                ThemeChoice::named(theme_choice.setting_value_name()),
                Some(theme_choice)
            );
        }
        assert_eq!(ThemeChoice::named("pink"), None);
    }

    #[test]
    fn only_the_choice_auto_depends_on_the_terminals_background() {
        let light = Some(TerminalBackground::Light);
        assert_eq!(ThemeChoice::Auto.theme(light), Theme::Light);
        assert_eq!(
            ThemeChoice::Auto.theme(Some(TerminalBackground::Dark)),
            Theme::Dark
        );
        assert_eq!(ThemeChoice::Auto.theme(None), Theme::Dark);
        for theme in Theme::ALL {
            assert_eq!(ThemeChoice::Theme(theme).theme(light), theme);
        }
    }
}

#[cfg(test)]
mod glyphs_tests {
    use super::*;
    use unicode_width::UnicodeWidthStr;

    fn signs(set: &GlyphSet) -> Vec<&'static str> {
        let mut signs = vec![
            set.branch,
            set.last_branch,
            set.rail,
            set.open,
            set.shut,
            set.cursor,
            set.slider_full,
            set.slider_track,
            set.slider_knob,
            set.ellipsis,
            set.more_up,
            set.more_down,
            set.axis,
            set.open_stake,
            set.stake_left,
            set.stake_right,
            set.whole,
            set.right_half,
            set.left_half,
        ];
        let border = &set.border;
        signs.extend([
            border.top_left,
            border.top_right,
            border.bottom_left,
            border.bottom_right,
            border.vertical_left,
            border.vertical_right,
            border.horizontal_top,
            border.horizontal_bottom,
        ]);
        signs
    }

    #[test]
    fn every_glyph_is_one_column_wide() {
        for sign in signs(&UNICODE).into_iter().chain(signs(&ASCII)) {
            assert_eq!(sign.width(), 1, "{sign}");
        }
    }

    #[test]
    fn the_ascii_set_is_ascii() {
        assert!(signs(&ASCII).iter().all(|sign| sign.is_ascii()));
    }
}
