//! Pages: lines of text, with an optional question below them.
//!
//! A page is made once from a request, an event or a result. Terminal widgets, plain lines, HTML and the texts of
//! messages render it: they choose colours, break lines and read the answer.

use std::cmp::Ordering;

use super::{FormulaCharacterSet, ReplyRemark};
use debate_core::scenario::{Speech, SpeechPart};
use debate_core::{Exact, Request, Seat};

/// A page: a heading, lines of text, and an optional question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeadedTextPage {
    /// The text at the top of the page: its subject or, in a study, the participant's position, such as "Task M, 3 of
    /// 8".
    pub heading: String,
    pub lines: Vec<Line>,
    /// `None` if the page has no question.
    pub ask: Option<QuestionToUser>,
}

impl HeadedTextPage {
    /// Creates a page without a question.
    pub fn new(heading: impl Into<String>, lines: Vec<Line>) -> Self {
        Self {
            heading: heading.into(),
            lines,
            ask: None,
        }
    }

    #[must_use]
    pub fn with_question(self, ask: QuestionToUser) -> Self {
        Self {
            ask: Some(ask),
            ..self
        }
    }
}

/// Splits a text into paragraphs. Consecutive lines form one paragraph, and a line that begins with `#` is a heading.
pub fn text_to_paragraph_lines(text: &str) -> Vec<Line> {
    let mut paragraphs: Vec<(TextRole, String)> = Vec::new();
    let mut continues = false;
    for line in text.trim_end().lines().map(str::trim_end) {
        if let Some(heading) = line.strip_prefix('#') {
            let heading = heading.trim_start_matches('#').trim();
            paragraphs.push((TextRole::Title, heading.to_owned()));
            continues = false;
        } else if continues
            && !line.is_empty()
            && let Some((_, paragraph)) = paragraphs.last_mut()
        {
            paragraph.push(' ');
            paragraph.push_str(line.trim_start());
        } else {
            paragraphs.push((TextRole::Text, line.to_owned()));
            continues = !line.is_empty();
        }
    }
    let lines = paragraphs.into_iter();
    lines
        .map(|(role, text)| Line::unlabelled(role, text))
        .collect()
}

/// A question to the user, and the form of the user's answer.
#[derive(Clone, Debug, PartialEq)]
pub struct QuestionToUser {
    /// A title that names the kind of reply in a few words: "Your estimate". May be empty.
    pub title: &'static str,
    /// The question, in one or two sentences.
    pub text: String,
    /// The first words of the question's `text`, if they list the outcomes of earlier coins: "Given the coins (yes for
    /// a): ".
    pub given: Option<String>,
    /// The clauses of a formula that are false or undecided under the values chosen so far, in groups of one line each;
    /// may be empty.
    pub clauses: String,
    /// The evidence on the claim that the question is about, if there is any and the replying seat may read it.
    pub evidence: Option<String>,
    pub kind: DebateAnswerForm,
}

impl QuestionToUser {
    /// Creates a question to the user without clauses and evidence.
    pub fn new(title: &'static str, text: impl Into<String>, kind: DebateAnswerForm) -> Self {
        Self {
            title,
            text: text.into(),
            given: None,
            clauses: String::new(),
            evidence: None,
            kind,
        }
    }

    #[must_use]
    pub fn with_evidence(self, evidence: Option<String>) -> Self {
        Self { evidence, ..self }
    }
}

/// The form of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum DebateAnswerForm {
    /// The user replies to a request of the debate's rules.
    Reply(Request<Exact>),
    /// The user gives no answer, and only continues after reading the page.
    Next,
    /// The page asks for the size of its window. The program that shows the page answers at once, and the user enters
    /// nothing.
    Size,
    /// One of these options.
    OneOf(Vec<String>),
    /// A whole percentage from `min` to `max` as the probability of the first of two answers. The second answer gets
    /// the remaining probability.
    Percent {
        answers: [String; 2],
        min: u8,
        max: u8,
    },
    /// Free text of at most `most` characters.
    Text { most: usize },
}

/// The role of a piece of text. A screen maps each role to a style, an HTML page to a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextRole {
    Text,
    /// Text of less importance: units, explanations, past events.
    Faint,
    /// Headings and names of panels.
    Title,
    /// Lines around panels.
    Border,
    /// The border of the panel that has the keyboard focus.
    Focus,
    /// The style of the line or option that the cursor is on, on which keys act.
    Selected,
    /// The claim under discussion.
    Current,
    /// The item that is selected among several.
    Chosen,
    /// The latest event.
    Newest,
    /// A match of a search.
    Match,
    /// Gained, true, valid.
    Good,
    /// Lost, false, an error.
    Bad,
    /// Needs attention.
    Warning,
    /// The style of the word `true` in a text about a claim or its outcome.
    True,
    /// The word `false`.
    False,
    /// The style of the words `too high` in a text about an estimate.
    TooHigh,
    /// The words `too low`.
    TooLow,
    /// The name of a key in a footer or in the help.
    Key,
    /// The style of the name of one of four parties. The field is the party's number, from 0; larger numbers are taken
    /// modulo 4.
    Party(u8),
}

/// Words that have their own roles. A longer phrase must come before any phrase that is its prefix.
const WORDS: [(&str, TextRole); 6] = [
    ("too high", TextRole::TooHigh),
    ("too low", TextRole::TooLow),
    ("true", TextRole::True),
    ("false", TextRole::False),
    ("high", TextRole::TooHigh),
    ("low", TextRole::TooLow),
];

impl TextRole {
    /// Returns the role of a table cell that consists of one of these words, such as `true`, `too low` or `low`.
    pub fn role_for_cell_text(word: &str) -> Option<Self> {
        let entry = WORDS.iter().find(|(known, _)| *known == word);
        entry.map(|(_, role)| *role)
    }

    /// Returns the role for a payoff of the viewer's seat: good if positive, bad if negative.
    pub(super) fn role_of_payoff_sign(own: &Exact) -> Self {
        match own.cmp(&Exact::default()) {
            Ordering::Greater => Self::Good,
            Ordering::Equal => Self::Text,
            Ordering::Less => Self::Bad,
        }
    }

    /// True if this role is the style of an outcome word in `WORDS`, such as “true”. The colour of such a word does not
    /// depend on the line that contains it.
    pub fn is_outcome_word_role(self) -> bool {
        WORDS.iter().any(|(_, role)| *role == self)
    }
}

/// Splits a text into spans, each with a role. Outside quotation marks, which enclose claims, the words "true",
/// "false", "too high" and "too low" get their own roles.
pub fn split_at_truth_and_bet_words(role: TextRole, text: &str) -> Vec<TextWithRole> {
    let mut spans = Vec::new();
    let mut from = 0;
    let mut quoted = false;
    let mut in_word = false;
    let span = |from: usize, to: usize, role| TextWithRole {
        text: text.get(from..to).unwrap_or_default().to_owned(),
        role,
    };
    for (at, sign) in text.char_indices() {
        let begins = !in_word && !quoted && at >= from;
        let rest = text.get(at..).unwrap_or_default();
        let ends = |word: &str| {
            let after = rest.strip_prefix(word).map(|after| after.chars().next());
            after.is_some_and(|next| next.is_none_or(|next| !next.is_alphanumeric()))
        };
        // "Low" alone is a word of many sentences.
        let mut words = WORDS.iter().take(4);
        if let Some((word, own)) = words.find(|(word, _)| begins && ends(word)) {
            spans.push(span(from, at, role));
            spans.push(span(at, at + word.len(), *own));
            from = at + word.len();
        }
        quoted = match sign {
            '“' => true,
            '”' => false,
            '"' => !quoted,
            _ => quoted,
        };
        in_word = sign.is_alphanumeric();
    }
    spans.push(span(from, text.len(), role));
    spans.retain(|span| !span.text.is_empty());
    spans
}

/// Returns the role for names of a seat: Alice, Bob, the judge or chance.
pub fn text_role_of_seat(seat: Seat) -> TextRole {
    TextRole::Party(u8::try_from(seat.seat_index()).unwrap_or(0))
}

/// A piece of text with a single role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextWithRole {
    /// The text; line feeds break the line.
    pub text: String,
    pub role: TextRole,
}

/// A line of a page: a label in the margin, and a body that wraps beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The label in the margin: a speaker or a heading. It is cut if it is wider than the margin.
    pub label: String,
    /// `None` for ordinary text.
    pub label_role: Option<TextRole>,
    pub body: Vec<TextWithRole>,
    /// True if the line is not displayed and takes no space.
    pub silent: bool,
    /// True if the line is a row of a table, which is never wrapped.
    pub fixed: bool,
}

impl Line {
    pub fn new(label: impl Into<String>, label_role: TextRole, body: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            label_role: Some(label_role),
            ..Self::default()
        }
        .append_span(TextRole::Text, body)
    }

    /// Creates a line that is a row of a table.
    pub fn table_row(text: impl Into<String>) -> Self {
        Self {
            fixed: true,
            ..Self::unlabelled(TextRole::Text, text)
        }
    }

    pub fn empty_line_without_space() -> Self {
        Self {
            silent: true,
            ..Self::default()
        }
    }

    /// Creates a line without a label in its margin.
    pub fn unlabelled(role: TextRole, text: impl Into<String>) -> Self {
        Self::default().append_span(role, text)
    }

    /// Appends a sentence with this role. Outside quotation marks, the words "true", "false", "too high" and "too low"
    /// get their own roles.
    #[must_use]
    pub fn append_with_truth_and_bet_roles(mut self, role: TextRole, text: &str) -> Self {
        self.body.extend(split_at_truth_and_bet_words(role, text));
        self
    }

    /// Returns this line with the remark on the user's reply below it, if there is one.
    #[must_use]
    pub(super) fn with_reply_remark(self, mark: Option<&ReplyRemark>) -> Self {
        match mark {
            Some(mark) => self.append_span(mark.role, format!("\n{}", mark.text)),
            None => self,
        }
    }

    /// Appends a speech to the line. Each quotation begins on a new line with a mark, with which no line of the
    /// speaker's own words can begin.
    #[must_use]
    pub fn append_speech(mut self, speech: &Speech, script: FormulaCharacterSet) -> Self {
        let [mark, open, close] = match script {
            FormulaCharacterSet::Unicode => ["▌", "“", "”"],
            FormulaCharacterSet::Ascii => ["> ", "\"", "\""],
        };
        for part in &speech.parts {
            let (role, words) = match part {
                SpeechPart::Text(words) => (TextRole::Text, own_words(words.trim(), mark)),
                SpeechPart::Quote(words) => {
                    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
                    (TextRole::Chosen, format!("{mark}{open}{words}{close}"))
                }
            };
            if words.is_empty() {
                continue;
            }
            // Punctuation after a quotation needs no new line.
            let stops = role == TextRole::Text && words.chars().all(|c| c.is_ascii_punctuation());
            let feed = if self.body.is_empty() || stops {
                ""
            } else {
                "\n"
            };
            self = self.append_span(role, format!("{feed}{words}"));
        }
        self
    }

    /// Returns the plain text of the line's body, without its styles and without the label in the margin.
    pub fn plain_body_text(&self) -> String {
        self.body.iter().map(|piece| piece.text.as_str()).collect()
    }

    #[must_use]
    pub fn append_span(mut self, role: TextRole, text: impl Into<String>) -> Self {
        self.body.push(TextWithRole {
            text: text.into(),
            role,
        });
        self
    }
}

/// Inserts a space before each line of the speaker's own words that begins with the mark of a quotation.
fn own_words(words: &str, mark: &str) -> String {
    let lines = words.split('\n').map(|line| {
        let passes = line.starts_with(mark.trim_end());
        format!("{}{line}", if passes { " " } else { "" })
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod line_tests {
    use super::*;

    fn pieces(text: &str) -> Vec<(String, TextRole)> {
        let spans = split_at_truth_and_bet_words(TextRole::Text, text).into_iter();
        spans.map(|span| (span.text, span.role)).collect()
    }

    #[test]
    fn words_of_a_speech_cannot_imitate_a_quote() {
        let speech = Speech::parse("See <quote>a  \nb</quote>.\n▌“c” <quote>d</quote>!").unwrap();
        let shown = |script| -> String {
            let entry = Line::default().append_speech(&speech, script);
            entry.plain_body_text()
        };
        assert_eq!(
            shown(FormulaCharacterSet::Unicode),
            "See\n▌“a b”\n.\n ▌“c”\n▌“d”!"
        );
        assert_eq!(
            shown(FormulaCharacterSet::Ascii),
            "See\n> \"a b\"\n.\n▌“c”\n> \"d\"!"
        );
    }

    #[test]
    fn outcomes_are_styled_and_claims_are_not() {
        let text = |text: &str| (text.to_owned(), TextRole::Text);
        assert_eq!(
            pieces("“It is true that 7 is even” is false, so Alice was untruthful"),
            [
                text("“It is true that 7 is even” is "),
                ("false".to_owned(), TextRole::False),
                text(", so Alice was untruthful"),
            ]
        );
        assert_eq!(
            pieces("bets that the estimate is too low (+1)"),
            [
                text("bets that the estimate is "),
                ("too low".to_owned(), TextRole::TooLow),
                text(" (+1)"),
            ]
        );
        assert_eq!(pieces("true"), [("true".to_owned(), TextRole::True)]);
        assert_eq!(pieces(""), []);
        assert_eq!(
            TextRole::role_for_cell_text("high"),
            Some(TextRole::TooHigh)
        );
        assert_eq!(TextRole::role_for_cell_text("right"), None);
    }
}
