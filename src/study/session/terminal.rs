//! The words of a page in a terminal, in the language of the page.

use serde_json::{Value, json};

use super::page::{ProbabilityScaleWords, StudySessionPage};
use crate::plan::StudyPlan;
use debate_text::DebateAnswerForm;

/// The words of a study's page in a terminal: titles, key hints and remarks.
#[derive(Clone, Copy, Debug)]
pub struct StudyTerminalTexts<'p> {
    plan: &'p StudyPlan,
}

/// The English words that label the keys on the terminal's screen. Their order is that of the options of the text `key
/// hints`, which replace them.
const KEY_HINTS: [&str; 9] = [
    "lower", "raise", "go on", "answer", "choose", "read on", "help", "leave", "quit",
];

impl<'p> StudyTerminalTexts<'p> {
    /// Returns the words in the language of a study file.
    pub fn terminal_words_of_plan(plan: &'p StudyPlan) -> Self {
        Self { plan }
    }

    fn text(self, name: &str) -> String {
        self.plan.filled_text(name, &Value::Null)
    }

    fn heading(self, name: &str) -> String {
        let words = self.plan.filled_wording(name, &Value::Null);
        words.heading.unwrap_or_default()
    }

    /// Returns the title of the part of the screen with the text.
    pub fn title_of_reading_area(self) -> String {
        self.heading("to read")
    }

    /// Returns the title of the part of the screen with the question.
    pub fn question_area_title(self) -> String {
        self.heading("to answer")
    }

    /// Returns the remark that the end of the text is below the visible part.
    pub fn more_text_below_remark(self) -> String {
        self.text("more to read")
    }

    /// Returns the remark that the end of the text was shown.
    pub fn end_of_text_shown_remark(self) -> String {
        self.text("read to the end")
    }

    /// Returns the request to continue.
    pub fn press_enter_prompt(self) -> String {
        self.text("press enter")
    }

    /// Returns the request to close the last page.
    pub fn press_enter_to_close_text(self) -> String {
        self.text("press enter to close")
    }

    /// Returns the remark on a page that waits for other players or for a place.
    pub fn waiting_page_remark(self) -> String {
        self.text("continues automatically")
    }

    /// Returns the remark that no option is chosen.
    pub fn nothing_chosen_remark(self) -> String {
        self.text("nothing chosen")
    }

    /// Returns the remark that no percentage was given.
    pub fn missing_percentage_remark(self) -> String {
        self.text("nothing typed")
    }

    /// Returns the introduction to a session in plain lines.
    pub fn plain_lines_introduction(self) -> String {
        self.text("lines")
    }

    /// Returns the remark that the line is not the number of one of `count` options.
    pub fn type_option_number_remark(self, count: usize) -> String {
        self.plan
            .filled_text("type a number", &json!({"last": count}))
    }

    /// Returns the last line for a participant who has not finished, with the time in which they can continue.
    pub(super) fn resume_later_remark(self) -> String {
        let time = self.plan.time.resume_within_s();
        let places = self.plan.duration_placeholders(time);
        self.plan.filled_text("same command", &places)
    }

    /// Returns those key labels that the study replaces, for example with a translation. Each is paired with the
    /// English label that it replaces.
    pub fn key_labels_replaced_by_study(self) -> Vec<(&'static str, String)> {
        let words = self.plan.filled_wording("key hints", &Value::Null);
        let hints = KEY_HINTS.into_iter().zip(words.options.unwrap_or_default());
        hints.filter(|(standard, word)| standard != word).collect()
    }

    /// Returns the question of a page, with its options, as plain lines. If the page needs no answer, the only line
    /// asks the participant to press Enter. Empty if the page has no question.
    pub fn request_lines(self, page: &StudySessionPage) -> Vec<String> {
        let Some(ask) = &page.page.ask else {
            return Vec::new();
        };
        let mut lines = vec![ask.text.clone()];
        match &ask.kind {
            DebateAnswerForm::Next | DebateAnswerForm::Size => {
                lines = vec![self.press_enter_prompt()];
            }
            DebateAnswerForm::OneOf(options) => {
                let numbered = options.iter().enumerate();
                lines.extend(numbered.map(|(at, option)| format!("  {}. {option}", at + 1)));
            }
            DebateAnswerForm::Percent { answers, min, max } => lines.push(match &page.scale {
                Some(ProbabilityScaleWords {
                    ends: [most, least],
                    ..
                }) => {
                    let places = json!({"min": min, "least": least, "max": max, "most": most});
                    format!("  {}", self.plan.filled_text("type a percentage", &places))
                }
                None => format!(
                    "  In whole percent from {min} to {max}; the rest goes to “{other_answer}”.",
                    other_answer = answers[1]
                ),
            }),
            DebateAnswerForm::Text { .. } | DebateAnswerForm::Reply(_) => {}
        }
        lines
    }
}
