//! What a participant sees and says: the same for a screen, for plain lines and for simulated judges.

/// A line of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageLine {
    pub text: String,
    /// True for headings and questions.
    pub strong: bool,
}

impl PageLine {
    pub fn plain(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            strong: false,
        }
    }

    pub fn strong(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            strong: true,
        }
    }

    /// The paragraphs of a text: lines that follow one another are one paragraph, those that begin
    /// with `#` are headings.
    pub fn of_text(text: &str) -> Vec<Self> {
        let mut lines: Vec<Self> = Vec::new();
        let mut goes_on = false;
        for line in text.trim_end().lines().map(str::trim_end) {
            if let Some(heading) = line.strip_prefix('#') {
                lines.push(Self::strong(heading.trim_start_matches('#').trim()));
                goes_on = false;
            } else if line.is_empty() {
                lines.push(Self::plain(""));
                goes_on = false;
            } else if goes_on && let Some(paragraph) = lines.last_mut() {
                paragraph.text.push(' ');
                paragraph.text += line.trim_start();
            } else {
                lines.push(Self::plain(line));
                goes_on = true;
            }
        }
        lines
    }
}

/// A page of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Where in the session this is: "Task M, 3 of 8".
    pub heading: String,
    pub lines: Vec<PageLine>,
    /// The first line that was not shown before.
    pub new_from: usize,
    pub ask: Ask,
    /// True where others speak: such pages come after an even time, so that it tells nothing.
    pub paced: bool,
}

/// What a page asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// To go on.
    Next,
    /// The size of the terminal, which whoever shows the page knows.
    Size,
    /// One of these.
    Choice {
        question: String,
        options: Vec<String>,
    },
    /// A whole percent of the first answer.
    Percent {
        question: String,
        answers: [String; 2],
        min: u8,
        max: u8,
    },
    /// A number or a text.
    Text { question: String, most: usize },
    /// Nothing: the session is over.
    End,
}

impl Ask {
    /// What is asked, and how it is answered, in plain lines.
    pub fn lines(&self) -> Vec<String> {
        match self {
            Self::Next | Self::Size => vec!["Press Enter to go on.".to_owned()],
            Self::End => Vec::new(),
            Self::Choice { question, options } => {
                let numbered = options.iter().enumerate();
                let numbered = numbered.map(|(at, option)| format!("  {}. {option}", at + 1));
                std::iter::once(question.clone()).chain(numbered).collect()
            }
            Self::Percent {
                question,
                answers,
                min,
                max,
            } => vec![
                question.clone(),
                format!(
                    "  In whole percent from {min} to {max}; the rest goes to “{}”.",
                    answers[1]
                ),
            ],
            Self::Text { question, .. } => vec![question.clone()],
        }
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

/// How a text is meant that should be a whole percent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Percent {
    Is(u8),
    /// A number between 0 and 1: perhaps this many percent are meant.
    Perhaps {
        typed: String,
        percent: u8,
    },
    Not(String),
}

/// Reads a whole percent: `70`, `70%`.
pub(crate) fn percent(text: &str, min: u8, max: u8) -> Percent {
    let typed = text.trim().trim_end_matches('%').trim().replace(',', ".");
    let asked = format!("Type a whole number of percent from {min} to {max}.");
    let Ok(value) = typed.parse::<f64>() else {
        return Percent::Not(asked);
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
        Ok(0) => Percent::Not(format!("0 % would mean that it cannot be. {asked}")),
        Ok(100) => Percent::Not(format!(
            "100 % would mean that it cannot be otherwise. {asked}"
        )),
        _ => Percent::Not(asked),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_are_whole_and_small_numbers_are_asked_about() {
        assert_eq!(percent(" 70 % ", 1, 99), Percent::Is(70));
        assert_eq!(percent("1", 1, 99), Percent::Is(1));
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
