//! A number from 0 to 1: a probability, or one half of a coin.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::widget::{Figures, Widget};
use crate::tui::actions::Contexts;
use crate::tui::keys::{Action, SHARE, SLIDER};
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget::slider::Slider;
use debate_core::chance;
use debate_core::gate::{Gate, Tally};
use debate_core::number::{COIN_BITS, Exact, Number, parse, percent};
use debate_core::protocol::Reply;

/// The meaning of the number.
#[derive(Debug)]
enum Meaning {
    /// A probability, and perhaps what it implies.
    Estimate(Option<ParentClaim>),
    /// One half of a coin.
    Share,
}

/// A slider with what is said below it.
#[derive(Debug)]
pub(in crate::tui) struct SliderWidget {
    slider: Slider,
    meaning: Meaning,
    notes: Vec<String>,
}

/// The claim of the subclaims that are estimated.
#[derive(Debug)]
pub(in crate::tui) struct ParentClaim {
    pub(super) text: String,
    pub(super) gate: Gate,
    pub(super) coins: Tally,
    /// The number of subclaims after the one asked about.
    pub(super) rest: u32,
    /// The estimate of the claim before.
    pub(super) before: Option<Exact>,
}

impl ParentClaim {
    /// The range for the claim that follows from a probability of the subclaim asked about.
    fn implied(&self, p: Option<&Exact>) -> String {
        let before = self.before.as_ref().map_or_else(String::new, |before| {
            let estimate = percent(before.to_float());
            // What was said before was said before these coins fell.
            match self.coins.seen {
                0 => format!("; you said {estimate} before"),
                _ => format!("; before the coins: {estimate}"),
            }
        });
        let Some(p) = p else {
            return format!("Set it to see what it implies for {}{before}.", self.text);
        };
        let (least, most) = self.gate.implied(self.coins, self.rest, p);
        let say = |p: &Exact| percent(p.to_float());
        let range = if least == most {
            say(&least)
        } else {
            format!("{} to {}", say(&least), say(&most))
        };
        format!("{} then comes out true with {range}{before}.", self.text)
    }
}

impl SliderWidget {
    pub(in crate::tui) fn estimate(parent: Option<ParentClaim>, notes: Vec<String>) -> Self {
        Self {
            slider: Slider::default(),
            meaning: Meaning::Estimate(parent),
            notes,
        }
    }

    pub(super) fn share() -> Self {
        Self {
            slider: Slider::number(),
            meaning: Meaning::Share,
            notes: vec!["Draw it evenly; r picks one for you.".to_owned()],
        }
    }
}

impl Widget for SliderWidget {
    fn context(&self) -> Contexts {
        match self.meaning {
            Meaning::Estimate(_) => SLIDER,
            Meaning::Share => SHARE,
        }
    }

    fn in_words(&self) -> Option<String> {
        self.slider.in_words()
    }

    fn reply(&self) -> Result<Reply<Exact>, String> {
        let answer = self.slider.answer().ok_or_else(|| {
            let text = match (&self.meaning, self.slider.is_wrong()) {
                (Meaning::Estimate(_), true) => {
                    "That is no probability: type 33, 0.5 (percent) or 1/3."
                }
                (Meaning::Estimate(_), false) => {
                    "Set it first: type a percentage, or go there by steps; then {send} sends it."
                }
                (Meaning::Share, true) => "That is no number from 0 to 1: type 0.371 or 1/3.",
                (Meaning::Share, false) => {
                    "Set it first: type a number, or let {random} pick one; then {send} sends it."
                }
            };
            text.to_owned()
        })?;
        parse(&answer)
            .map(Reply::Probability)
            .map_err(|error| error.to_string())
    }

    fn act(&mut self, action: Action) -> bool {
        match action {
            Action::Lower => self.slider.step(-1),
            Action::Raise => self.slider.step(1),
            Action::LowerMuch => self.slider.step(-10),
            Action::RaiseMuch => self.slider.step(10),
            Action::Random => {
                let random = chance::random(&mut rand::rng());
                self.slider.go(random, 1 << COIN_BITS);
            }
            _ => return false,
        }
        true
    }

    fn press(&mut self, c: char) -> bool {
        self.slider.type_character(c)
    }

    fn erase(&mut self) -> bool {
        self.slider.erase()
    }

    fn click(&mut self, at: Position, area: Rect) -> bool {
        self.slider.click(at.x, at.y, area)
    }

    fn reword(&mut self, figures: Figures) {
        self.notes = figures.notes;
    }

    fn rows(&self, _columns: u16) -> usize {
        1
    }

    fn notes(&self) -> Vec<(Role, String)> {
        let implied = match &self.meaning {
            Meaning::Estimate(Some(parent)) => {
                let p = self.slider.answer().and_then(|answer| parse(&answer).ok());
                let role = if p.is_some() { Role::Text } else { Role::Faint };
                Some((role, parent.implied(p.as_ref())))
            }
            _ => None,
        };
        let notes = self.notes.iter().map(|note| (Role::Faint, note.clone()));
        implied.into_iter().chain(notes).collect()
    }

    fn draw(&mut self, look: &Appearance, buffer: &mut Buffer, area: Rect) {
        self.slider.render(look, buffer, area);
    }
}
