//! What a participant sees and says: the same for a screen, for plain lines, in a browser and for simulated judges.

use serde_json::json;

use crate::error::{Result, StudyError};
use crate::plan::Plan;
use debate_core::text::ascii_number;
use debate_text::{AskKind, Line, Page};

/// A page of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionPage {
    /// What is told, and what is asked: nothing where the session is over.
    pub page: Page,
    /// The first line that was not shown before.
    pub new_from: usize,
    /// True where others speak: such pages come after an even time, so that it tells nothing.
    pub paced: bool,
    /// The claims of the debate so far, from the root down.
    pub claims: Vec<PageClaim>,
    /// The source that debaters quote from, where the participant may read it: what was quoted of it is a piece of its
    /// own.
    pub source: Vec<Line>,
    /// True if nothing is asked until others have come or replied: such a page is looked at again and again.
    pub polls: bool,
    /// The longest time for this page, in seconds, where it has one.
    pub limit_s: Option<u32>,
}

/// A claim of a debate as a page lists it.
#[derive(Clone, Debug, PartialEq)]
pub struct PageClaim {
    /// The claims above it.
    pub depth: u16,
    pub text: String,
    /// What was said and drawn of it; may be empty.
    pub value: String,
    /// The probability that was given for it, in percent.
    pub percent: Option<f64>,
    /// True of the claim under discussion.
    pub is_current: bool,
}

impl From<Page> for SessionPage {
    fn from(page: Page) -> Self {
        Self {
            page,
            ..Self::default()
        }
    }
}

impl SessionPage {
    /// True if nothing is asked any more: the session is over.
    pub fn is_last(&self) -> bool {
        self.page.ask.is_none()
    }

    /// Checks that an input is an answer to what is asked.
    pub(super) fn check(&self, input: &Input, plan: &Plan) -> Result {
        let no_answer = || StudyError::NotTaken(plan.sentence("no answer", &json!({})));
        let Some(ask) = &self.page.ask else {
            return Err(no_answer());
        };
        if self.polls {
            return Err(StudyError::NotTaken(plan.sentence("others", &json!({}))));
        }
        let fits = match (&ask.kind, input) {
            (AskKind::OneOf(options), Input::Choice(place)) => *place < options.len(),
            (AskKind::Text { most }, Input::Text(text)) if text.chars().count() > *most => {
                let why = plan.sentence("too long", &json!({"most": most}));
                return Err(StudyError::NotTaken(why));
            }
            (AskKind::Next, Input::Next)
            | (AskKind::Size, Input::Size(_))
            | (AskKind::Percent { .. } | AskKind::Text { .. }, Input::Text(_)) => true,
            _ => false,
        };
        fits.then_some(()).ok_or_else(no_answer)
    }

    /// What is asked, and how it is answered, in plain lines.
    pub fn ask_lines(&self) -> Vec<String> {
        let Some(ask) = &self.page.ask else {
            return Vec::new();
        };
        let mut lines = vec![ask.text.clone()];
        match &ask.kind {
            AskKind::Next | AskKind::Size => lines = vec!["Press Enter to go on.".to_owned()],
            AskKind::OneOf(options) => {
                let numbered = options.iter().enumerate();
                lines.extend(numbered.map(|(at, option)| format!("  {}. {option}", at + 1)));
            }
            AskKind::Percent { answers, min, max } => lines.push(format!(
                "  In whole percent from {min} to {max}; the rest goes to “{}”.",
                answers[1]
            )),
            AskKind::Text { .. } | AskKind::Reply(_) => {}
        }
        lines
    }
}

/// What a participant does.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    Next,
    /// Columns and rows; none in plain lines, which fit everywhere.
    Size(Option<(u16, u16)>),
    /// From 0.
    Choice(usize),
    Text(String),
    /// To leave: what that means is asked.
    Leave,
}

impl Input {
    /// The answer that a typed line gives to a page.
    ///
    /// # Errors
    /// If it names no option.
    pub fn read(typed: &str, page: &SessionPage) -> Result<Self, String> {
        match page.page.ask.as_ref().map(|ask| &ask.kind) {
            None | Some(AskKind::Next | AskKind::Reply(_)) => Ok(Self::Next),
            // Lines fit into every window.
            Some(AskKind::Size) => Ok(Self::Size(None)),
            Some(AskKind::Percent { .. } | AskKind::Text { .. }) => {
                Ok(Self::Text(typed.to_owned()))
            }
            Some(AskKind::OneOf(options)) => {
                let number = ascii_number(typed);
                let number = number.trim_end_matches('.').parse::<usize>().ok();
                number
                    .and_then(|number| number.checked_sub(1))
                    .filter(|place| *place < options.len())
                    .map(Self::Choice)
                    .ok_or_else(|| format!("Type a number from 1 to {}.", options.len()))
            }
        }
    }
}

/// How a text is meant that should be a whole percent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Percent {
    Is(u8),
    /// A number between 0 and 1: perhaps this many percent are meant.
    Perhaps {
        typed: String,
        percent: u8,
    },
    /// None, for the reason of this name in `words.ron`, if it has one of its own.
    Not(Option<&'static str>),
}

/// Reads a whole percent: `70`, `70%`.
pub(crate) fn percent(text: &str, min: u8, max: u8) -> Percent {
    let typed = ascii_number(text);
    let typed = typed.trim().trim_end_matches('%').trim().replace(',', ".");
    let Ok(value) = typed.parse::<f64>() else {
        return Percent::Not(None);
    };
    if value > 0.0 && value < 1.0 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to 100"
        )]
        let percent = (value * 100.0).round() as u8;
        return Percent::Perhaps {
            typed,
            percent: percent.clamp(min, max),
        };
    }
    match typed.parse::<u8>() {
        Ok(value) if (min..=max).contains(&value) => Percent::Is(value),
        Ok(0) => Percent::Not(Some("impossible")),
        Ok(100) => Percent::Not(Some("certain")),
        _ => Percent::Not(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_are_whole_and_small_numbers_are_asked_about() {
        assert_eq!(percent(" 70 % ", 1, 99), Percent::Is(70));
        assert_eq!(percent("1", 1, 99), Percent::Is(1));
        // Arabic-Indic, Devanagari and full-width digits, with the percent signs of their scripts.
        for typed in [
            "\u{666}\u{660}",
            "\u{96C}\u{966} %",
            "\u{FF16}\u{FF10}\u{FF05}",
            "\u{666}\u{660}\u{66A}",
        ] {
            assert_eq!(percent(typed, 1, 99), Percent::Is(60), "{typed}");
        }
        for (typed, meant) in [("0.5", 50), (".07", 7), ("0,999", 99), ("0.5%", 50)] {
            let Percent::Perhaps { percent, .. } = percent(typed, 1, 99) else {
                panic!("{typed}");
            };
            assert_eq!(percent, meant, "{typed}");
        }
        for wrong in [
            "0", "100", "70.5", "", "-3", "NaN", "inf", "1e1", "seventy", "999",
        ] {
            assert!(matches!(percent(wrong, 1, 99), Percent::Not(_)), "{wrong}");
        }
    }
}
