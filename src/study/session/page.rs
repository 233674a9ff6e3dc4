//! Pages that a participant reads, and inputs that they give: the same for a screen, plain lines, a browser and
//! simulated judges.

use std::ops::Range;

use serde_json::json;

use super::terminal::StudyTerminalTexts;
use crate::error::{Result, StudyError};
use crate::plan::StudyPlan;
use debate_core::text::to_ascii_number;
use debate_text::{DebateAnswerForm, HeadedTextPage, Line};

/// A page of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StudySessionPage {
    /// The text that the participant reads, and the question that they must answer. After the end of the session there
    /// is no question.
    pub page: HeadedTextPage,
    /// Index of the first line of the page that was not shown before.
    pub new_from: usize,
    /// True if other players speak in the trial and the page waits for none of them. Such pages appear after an even
    /// delay, so that the delay itself reveals no information.
    pub paced: bool,
    /// A Markdown text among the lines of the page.
    pub prose: Option<MarkdownTextOnStudyPage>,
    /// The claims of the debate so far, root first. Empty unless the study has format 3 or an earlier one.
    pub claims: Vec<ClaimOnStudyPage>,
    /// The arguments of the debate so far. Empty if the study has format 3 or an earlier one.
    pub arguments: Vec<StudyPagePointOrRemark>,
    /// The second line of the page's heading; may be empty.
    pub details: String,
    /// The participant's progress through the session. `None` on pages that end a session, and in studies of format 3
    /// and earlier.
    pub progress: Option<ParticipantWorkProgress>,
    /// The words of the button that sends the answer. `None` for the button's standard words.
    pub button: Option<String>,
    /// True if the page asks for a whole number as text.
    pub asks_number: bool,
    /// The words for percentages, such as “probably”. `None` if the page asks for no probability, or if the study has
    /// format 3 or an earlier one.
    pub scale: Option<ProbabilityScaleWords>,
    /// The source text of a debate, for a participant who debates. Quoted passages are separate spans of a line.
    pub source: Vec<Line>,
    /// The address to which the participant returns at the end, if the study file has one.
    pub return_link: Option<String>,
    /// True if the page waits for other players or for a place. Screens reload such a page until it changes.
    pub polls: bool,
    /// The remaining time for the reply of another member of the group for which the page waits, in words. It changes
    /// without other changes of the page.
    pub wait_left: Option<String>,
    /// Time limit of the page in seconds, if any.
    pub limit_s: Option<u32>,
}

/// A Markdown text on a page.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkdownTextOnStudyPage {
    /// The range of the page's lines with this text, for terminals. Browsers show `html` instead of these lines.
    pub lines: Range<usize>,
    /// The text as HTML.
    pub html: String,
}

/// A line of the arguments on a page: a numbered point, or a remark about the point above it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StudyPagePointOrRemark {
    /// Number of points above this one in the tree; 0 for remarks about the question.
    pub depth: u16,
    /// The number of a point, such as "1.2". `None` for a remark.
    pub number: Option<String>,
    pub body: Line,
    /// Short remarks beside a point, such as "Bob: 68 % likely".
    pub notes: Vec<String>,
    /// The probability in percent that a player gave for the claim of this point, if any.
    pub percent: Option<f64>,
    /// True if this line, or its current content, is new to the participant since the last page.
    pub is_new: bool,
    /// True for the point under discussion.
    pub is_current: bool,
}

impl StudyPagePointOrRemark {
    /// Returns the line as plain text, with its number and its notes.
    pub fn plain_text(&self) -> String {
        let number = self.number.iter().map(|number| format!("{number}. "));
        let notes = self.notes.iter().map(|note| format!(" [{note}]"));
        number
            .chain([self.body.plain_body_text()])
            .chain(notes)
            .collect()
    }
}

/// A participant's progress through the session, as finished and total work.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticipantWorkProgress {
    /// The amount of work that the participant has finished, in units of work (about one short page each).
    pub done: u32,
    /// Work of the whole session, in units of work.
    pub all: u32,
    /// The remaining time of the session in words. `None` if the study file states no duration.
    pub time_left: Option<String>,
}

/// The words of a probability scale.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbabilityScaleWords {
    /// Labels of the scale's ends: of 100 % and of 0 %.
    pub ends: [String; 2],
    /// The words for ranges of percentages, from the lowest to the highest range.
    pub words: Vec<String>,
    /// True if the page shows the number in words before it is sent.
    pub repeats_number: bool,
}

/// The highest percentage of each range in [`ProbabilityScaleWords::words`].
pub const PERCENT_RANGES: [u8; 7] = [10, 35, 49, 50, 64, 89, 100];

impl ProbabilityScaleWords {
    /// Returns a percentage in words.
    pub fn percent_in_words(&self, percent: u8) -> &str {
        let range = PERCENT_RANGES.iter().position(|most| percent <= *most);
        range
            .and_then(|range| self.words.get(range))
            .map_or("", String::as_str)
    }
}

/// A claim of a debate, as an item of the list that a page shows.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimOnStudyPage {
    /// Number of the claim's ancestors; 0 for the root.
    pub depth: u16,
    pub text: String,
    /// The replies and drawn values for this claim as text; may be empty.
    pub value: String,
    /// The probability that a player gave for the claim, in percent, if any.
    pub percent: Option<f64>,
    /// True for the claim under discussion.
    pub is_current: bool,
}

impl From<HeadedTextPage> for StudySessionPage {
    fn from(page: HeadedTextPage) -> Self {
        Self {
            page,
            ..Self::default()
        }
    }
}

impl StudySessionPage {
    /// True if the session is over, so that its page asks the participant nothing.
    pub fn is_session_over(&self) -> bool {
        self.page.ask.is_none()
    }

    /// Returns an error unless the input is a valid answer to the page's request.
    pub(super) fn check_input(&self, input: &ParticipantInput, plan: &StudyPlan) -> Result {
        let Some(ask) = &self.page.ask else {
            return Err(rejected_answer_error(plan));
        };
        if self.polls {
            return Err(StudyError::AnswerRejected(
                plan.filled_text("others", &json!({})),
            ));
        }
        let fits = match (&ask.kind, input) {
            (DebateAnswerForm::OneOf(options), ParticipantInput::Choice(index)) => {
                *index < options.len()
            }
            (DebateAnswerForm::Text { most }, ParticipantInput::Text(text))
                if text.chars().count() > *most =>
            {
                let why = plan.filled_text("too long", &json!({"most": most}));
                return Err(StudyError::AnswerRejected(why));
            }
            (DebateAnswerForm::Next, ParticipantInput::Next)
            | (DebateAnswerForm::Size, ParticipantInput::Size(_))
            | (
                DebateAnswerForm::Percent { .. } | DebateAnswerForm::Text { .. },
                ParticipantInput::Text(_),
            ) => true,
            _ => false,
        };
        fits.then_some(())
            .ok_or_else(|| rejected_answer_error(plan))
    }

    /// Returns the lines of the page and of the arguments that the participant has not seen before, as plain text.
    pub fn unseen_page_lines(&self) -> Vec<String> {
        self.plain_lines(true)
    }

    /// Returns all lines of the page and of the arguments as plain text.
    pub fn all_plain_text_lines(&self) -> Vec<String> {
        self.plain_lines(false)
    }

    fn plain_lines(&self, only_new: bool) -> Vec<String> {
        let has_old_arguments = self.arguments.iter().any(|line| !line.is_new);
        // The question precedes the arguments and was read with the first of them.
        let from = match (only_new, has_old_arguments) {
            (false, _) => 0,
            (true, false) => self.new_from,
            (true, true) => self.page.lines.len(),
        };
        let lines = self.page.lines.iter().skip(from).map(Line::plain_body_text);
        let arguments = self.arguments.iter();
        let arguments = arguments.filter(|line| line.is_new || !only_new);
        lines
            .chain(arguments.map(StudyPagePointOrRemark::plain_text))
            .collect()
    }
}

/// Returns the error of an input that does not answer the page's request.
pub(super) fn rejected_answer_error(plan: &StudyPlan) -> StudyError {
    StudyError::AnswerRejected(plan.filled_text("no answer", &json!({})))
}

/// An input of a participant.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[serde(rename = "Input")]
pub enum ParticipantInput {
    Next,
    /// The current size of the participant's window in columns and rows; `None` in plain lines, whose size is not
    /// checked.
    Size(Option<(u16, u16)>),
    /// Index of the chosen option.
    Choice(usize),
    Text(String),
    /// The participant asks to leave. The next page offers to stay, pause or withdraw.
    Leave,
}

impl ParticipantInput {
    /// Parses a typed line as an answer to a page.
    ///
    /// # Errors
    /// If the page has options and the line is not the number of one.
    pub fn parse_typed_answer(
        typed: &str,
        page: &StudySessionPage,
        words: &StudyTerminalTexts<'_>,
    ) -> Result<Self, String> {
        match page.page.ask.as_ref().map(|ask| &ask.kind) {
            None | Some(DebateAnswerForm::Next | DebateAnswerForm::Reply(_)) => Ok(Self::Next),
            // Plain lines need no minimum size.
            Some(DebateAnswerForm::Size) => Ok(Self::Size(None)),
            Some(DebateAnswerForm::Percent { .. } | DebateAnswerForm::Text { .. }) => {
                Ok(Self::Text(typed.to_owned()))
            }
            Some(DebateAnswerForm::OneOf(options)) => {
                let number = to_ascii_number(typed);
                let number = number.trim_end_matches('.').parse::<usize>().ok();
                number
                    .and_then(|number| number.checked_sub(1))
                    .filter(|index| *index < options.len())
                    .map(Self::Choice)
                    .ok_or_else(|| words.type_option_number_remark(options.len()))
            }
        }
    }
}

/// The result of parsing a whole percentage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ParsedPercentOrGuess {
    Is(u8),
    /// A number between 0 and 1, such as 0.7, by which the participant may mean 70 %. The values are the typed text and
    /// that percentage.
    Perhaps {
        typed: String,
        percent: u8,
    },
    /// The text is not a valid percentage. The value is the name of the reason in `words.ron`, if a special one
    /// applies.
    Not(Option<&'static str>),
}

/// Parses a whole percentage from `min` to `max`, such as `70` or `70%`. For a number between 0 and 1, such as `0.7`,
/// returns the percentage that the participant may mean.
pub(crate) fn parse_percent(text: &str, min: u8, max: u8) -> ParsedPercentOrGuess {
    let typed = to_ascii_number(text);
    let typed = typed.trim().trim_end_matches('%').trim().replace(',', ".");
    let Ok(value) = typed.parse::<f64>() else {
        return ParsedPercentOrGuess::Not(None);
    };
    if value > 0.0 && value < 1.0 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to 100"
        )]
        let percent = (value * 100.0).round() as u8;
        return ParsedPercentOrGuess::Perhaps {
            typed,
            percent: percent.clamp(min, max),
        };
    }
    match typed.parse::<u8>() {
        Ok(value) if (min..=max).contains(&value) => ParsedPercentOrGuess::Is(value),
        Ok(0) => ParsedPercentOrGuess::Not(Some("impossible")),
        Ok(100) => ParsedPercentOrGuess::Not(Some("certain")),
        _ => ParsedPercentOrGuess::Not(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_are_whole_and_small_numbers_are_asked_about() {
        assert_eq!(parse_percent(" 70 % ", 1, 99), ParsedPercentOrGuess::Is(70));
        assert_eq!(parse_percent("1", 1, 99), ParsedPercentOrGuess::Is(1));
        // Arabic-Indic, Devanagari and full-width digits, with the percent signs of their scripts.
        for typed in [
            "\u{666}\u{660}",
            "\u{96C}\u{966} %",
            "\u{FF16}\u{FF10}\u{FF05}",
            "\u{666}\u{660}\u{66A}",
        ] {
            assert_eq!(
                parse_percent(typed, 1, 99),
                ParsedPercentOrGuess::Is(60),
                "{typed}"
            );
        }
        for (typed, meant) in [("0.5", 50), (".07", 7), ("0,999", 99), ("0.5%", 50)] {
            let ParsedPercentOrGuess::Perhaps { percent, .. } = parse_percent(typed, 1, 99) else {
                panic!("{typed}");
            };
            assert_eq!(percent, meant, "{typed}");
        }
        for wrong in [
            "0", "100", "70.5", "", "-3", "NaN", "inf", "1e1", "seventy", "999",
        ] {
            assert!(
                matches!(parse_percent(wrong, 1, 99), ParsedPercentOrGuess::Not(_)),
                "{wrong}"
            );
        }
    }
}
