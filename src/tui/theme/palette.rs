//! The colours of the roles of texts: as true colours, and as names among the sixteen that every terminal has.

#![expect(
    clippy::unreadable_literal,
    reason = "hexadecimal colours such as 0xd8dee9 are easier to read without separators"
)]

use ratatui::style::Color::{
    self, Blue, Cyan, Green, LightBlue, LightCyan, LightGreen, LightMagenta, LightRed, LightYellow,
    Magenta, Red, Yellow,
};
use ratatui::style::Modifier;

use super::{TextRole, Theme};

/// The colours that a terminal can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TerminalColours {
    /// The sixteen named colours. The terminal's palette and background decide how they look.
    #[default]
    Named,
    /// All colours (24 bits); the theme sets its own background.
    True,
}

/// The colour of a role in each theme that uses colours.
#[derive(Clone, Copy)]
struct Tone {
    /// The names of the colour in the dark and in the light theme: the bright half of the sixteen is readable on black,
    /// the other half on white. `None` if the role has the text's own colour. In the high-contrast theme all roles do.
    names: Option<[Color; 2]>,
    /// The role's true colours in the dark, the light and the high-contrast theme.
    rgb: [u32; 3],
}

const fn tone(names: Option<[Color; 2]>, rgb: [u32; 3]) -> Tone {
    Tone { names, rgb }
}

/// The background.
const GROUND: Tone = tone(None, [0x14171f, 0xfbfbfd, 0x000000]);
const TEXT: Tone = tone(None, [0xd8dee9, 0x24292f, 0xffffff]);
const DIM: Tone = tone(None, [0x98a2b3, 0x57606a, 0xe0e0e0]);
const BORDER: Tone = tone(None, [0x7b8598, 0x69727d, 0xffffff]);
const FOCUS: Tone = tone(Some([Cyan, Blue]), [0x5cc8d6, 0x0b6f85, 0x00ffff]);
const CURRENT: Tone = tone(Some([LightYellow, Magenta]), [0xf2d399, 0x8a4b00, 0xffff00]);
const NEWEST: Tone = tone(Some([LightCyan, Blue]), [0x7fd8e4, 0x0b6f85, 0x87ffff]);
const GAIN: Tone = tone(Some([LightGreen, Green]), [0x8fce7e, 0x1a7032, 0x5fff5f]);
const LOSS: Tone = tone(Some([LightRed, Red]), [0xff7b85, 0xc4262e, 0xff9c9c]);
const WARNING: Tone = tone(Some([Yellow, Red]), [0xf0a35e, 0xa04400, 0xffb84d]);
const HIGH: Tone = tone(Some([Yellow, Magenta]), [0xf0a35e, 0xa04400, 0xffb84d]);
const ALICE: Tone = tone(Some([LightBlue, Blue]), [0x82c4ff, 0x0b5cc4, 0x8cc8ff]);
const BOB: Tone = tone(
    Some([LightMagenta, Magenta]),
    [0xdc9bf0, 0x8a3ab9, 0xffa8ff],
);
const JUDGE: Tone = tone(Some([Yellow, Cyan]), [0xe5c07b, 0x7a5600, 0xffd75f]);
/// The colour of coins. A coin decides no claim, so its colour is neither that of gains nor that of losses.
const COIN: Tone = tone(None, [0xb9c2d0, 0x4b5560, 0xffffff]);

impl Theme {
    fn colour(self, tone: Tone, colours: TerminalColours) -> Option<Color> {
        let Tone { names, rgb } = tone;
        let column = match self {
            Self::Dark => 0,
            Self::Light => 1,
            Self::HighContrast => 2,
            Self::Monochrome => return None,
        };
        match colours {
            TerminalColours::Named => names?.get(column).copied(),
            TerminalColours::True => Some(Color::from_u32(rgb[column])),
        }
    }

    /// Returns the 24-bit colours of plain text and of the background; `None` if the theme leaves both to the terminal.
    pub fn text_and_background_colours(self) -> Option<[Color; 2]> {
        let colour = |tone| self.colour(tone, TerminalColours::True);
        Some([colour(TEXT)?, colour(GROUND)?])
    }

    /// Returns the modifiers of a role's style, such as bold, and its colour if it has one.
    pub(super) fn modifiers_and_colour(
        self,
        role: TextRole,
        colours: TerminalColours,
    ) -> (Modifier, Option<Color>) {
        const BOLD: Modifier = Modifier::BOLD;
        let plain = match self {
            Self::HighContrast => BOLD,
            _ => Modifier::empty(),
        };
        // Bright black is unreadable in many palettes. Without true colours, dim text has the text colour.
        let faint = match (self, colours) {
            (Self::Monochrome, _) | (Self::Dark | Self::Light, TerminalColours::Named) => {
                Modifier::DIM
            }
            _ => Modifier::empty(),
        };
        let (modifier, tone) = match role {
            TextRole::Text => (plain, TEXT),
            TextRole::Border => (plain, BORDER),
            TextRole::Faint => (faint, DIM),
            TextRole::Title => (BOLD, TEXT),
            TextRole::Selected => return (Modifier::REVERSED | plain, None),
            TextRole::Focus | TextRole::Key | TextRole::Chosen => (BOLD, FOCUS),
            TextRole::Current => (BOLD | Modifier::UNDERLINED, CURRENT),
            TextRole::Match => (Modifier::UNDERLINED | plain, CURRENT),
            TextRole::Good | TextRole::True => (plain, GAIN),
            TextRole::Bad | TextRole::False => (plain, LOSS),
            TextRole::Warning => (BOLD, WARNING),
            TextRole::TooHigh => (plain, HIGH),
            TextRole::TooLow => (plain, NEWEST),
            TextRole::Newest => (BOLD, NEWEST),
            TextRole::Party(number) => (BOLD, [ALICE, BOB, JUDGE, COIN][usize::from(number) % 4]),
        };
        (modifier, self.colour(tone, colours))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::roles;
    use super::*;

    /// Returns the relative luminance of a colour, as WCAG 2 defines it.
    fn luminance(colour: Color) -> f64 {
        let Color::Rgb(r, g, b) = colour else {
            panic!("{colour} is no true colour");
        };
        let [r, g, b] = [r, g, b].map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.03928 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    fn contrast(a: Color, b: Color) -> f64 {
        let [a, b] = [a, b].map(luminance);
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_role_reads_on_the_ground_of_every_theme() {
        assert!((contrast(Color::Rgb(0, 0, 0), Color::Rgb(255, 255, 255)) - 21.0).abs() < 0.01);
        for theme in [Theme::Dark, Theme::Light, Theme::HighContrast] {
            let [text, ground] = theme.text_and_background_colours().unwrap();
            let least = if theme == Theme::HighContrast {
                7.0
            } else {
                4.5
            };
            for role in roles() {
                let (modifier, colour) = theme.modifiers_and_colour(role, TerminalColours::True);
                let contrast = contrast(colour.unwrap_or(text), ground);
                assert!(contrast >= least, "{theme:?} {role:?}: {contrast:.2}");
                assert!(!modifier.contains(Modifier::DIM), "{theme:?} {role:?}");
            }
        }
    }

    #[test]
    fn coins_have_the_colour_of_neither_gains_nor_losses() {
        for theme in Theme::ALL {
            for colours in [TerminalColours::Named, TerminalColours::True] {
                let (_, coin) = theme.modifiers_and_colour(TextRole::Party(3), colours);
                for judged in [
                    TextRole::Good,
                    TextRole::Bad,
                    TextRole::Warning,
                    TextRole::Party(2),
                ] {
                    let (_, judged) = theme.modifiers_and_colour(judged, colours);
                    assert!(coin != judged || judged.is_none(), "{theme:?}");
                }
            }
        }
    }
}
